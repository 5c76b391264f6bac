//! What a file says about a net apart from its behaviour.

use crate::families::Families;
use crate::formula::Formula;
use crate::ids::{PlaceId, TransitionId};
use num_bigint::BigUint;
use std::sync::Arc;

/// A marking as pairs of a place and its tokens. Places that are not listed hold no tokens.
pub type FinalMarking = Vec<(PlaceId, BigUint)>;

/// What a file says about a net apart from its behaviour.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct NetAnnotations {
    /// The text shown for each place, by [`PlaceId`]; an empty text means the name of the place. `transitions`
    /// is the same for transitions. Both lists are empty if no node has a display name that differs from its
    /// name.
    pub(crate) places: Vec<Box<str>>,
    pub(crate) transitions: Vec<Box<str>>,
    pub(crate) finals: Arc<[FinalMarking]>,
    pub(crate) ends: Option<Arc<Formula>>,
    pub(crate) silent: Arc<[TransitionId]>,
    pub(crate) families: Arc<Families>,
}
