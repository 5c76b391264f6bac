//! The state of reading a file of TAPAAL, which has several components.

use model::{PlaceId, TransitionId};
use num_bigint::BigUint;
use std::collections::HashMap;

/// The declarations before the components, and the current component.
#[derive(Clone, Default)]
pub(super) struct Tapaal {
    /// The name of the current component.
    pub(super) component: String,
    pub(super) components: usize,
    pub(super) places: HashMap<String, PlaceId>,
    pub(super) transitions: HashMap<String, TransitionId>,
    /// The values of constants. `None` for a list of values, and for a number of a stochastic net.
    pub(super) constants: HashMap<String, Option<BigUint>>,
}
