//! What the stepper is given: a model, and where to begin.

use impasse::model::Problem;
use view::machine::Explored;
use view::machine::path::Path;

/// A model on the screen.
pub(crate) struct Model {
    pub(crate) file: String,
    pub(crate) problem: Problem,
    pub(crate) machine: Box<dyn Explored>,
}

/// How the stepper begins.
pub(crate) struct Begin {
    pub(crate) path: Path,
    /// Number of steps of the path that are taken.
    pub(crate) at: usize,
    /// Number of steps that a path may have.
    pub(crate) most: usize,
    pub(crate) seed: u64,
    pub(crate) has_colours: bool,
}
