//! What a kind of system is asked to draw, and why it draws nothing.

use crate::cli::args::What;
use impasse::model::Stop;
use view::draw::source::CurrentState;
use view::draw::source::spots::Spots;

/// What a kind of system is asked to draw.
pub(crate) struct PictureRequest<'a> {
    /// What to draw; `None` for what suits the kind.
    pub(crate) what: Option<What>,
    /// The positions of nodes that the file has.
    pub(crate) spots: &'a Spots,
    /// The state to mark.
    pub(crate) now: Option<&'a CurrentState>,
    /// Maximum number of nodes.
    pub(crate) most: usize,
    pub(crate) stop: &'a Stop,
}

/// Why nothing was drawn.
pub(crate) enum NoPicture {
    /// The options do not fit the model.
    Misfit(String),
    /// The stop flag was raised.
    Stopped,
}

/// Returns the error for a picture that does not exist for a kind of system.
pub(crate) fn misfit(what: What, kind: &str, fitting: &[What]) -> NoPicture {
    let options: Vec<String> = fitting.iter().chain(&[What::Run]).map(|what| format!("`--what {what}`")).collect();
    NoPicture::Misfit(format!("{kind} cannot be drawn by `--what {what}`; it can by {}", options.join(", ")))
}
