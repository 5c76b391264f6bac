//! The words of a circuit that was made of a system over words: which bits belong together. Writers of runs for other
//! tools need them, because those tools know the words only.

use super::signal::Signal;

/// A word that gets its value from a run, in some frames: an input, or a state without initial or next value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// True for a state, false for an input.
    pub is_state: bool,
    /// Its position among the states, or among the inputs, of the system as read.
    pub position: u32,
    /// Its name in the file, if it has one.
    pub name: Option<String>,
    /// Number of bits, of an element if the word is an array.
    pub width: u32,
    /// For an array: the number of bits of an index.
    pub index: Option<u32>,
    /// The frames in which the run chooses the value. In other frames the system determines it.
    pub chosen: Chosen,
    /// The nodes of the bits, lowest bit first, of all elements in the order of their indices: open latches if the
    /// value is chosen in the first frame only, else inputs.
    pub bits: Vec<Signal>,
}

/// The frames in which a run chooses the value of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// The first frame.
    First,
    /// All frames.
    Always,
    /// All frames but the first.
    Later,
}

impl Chosen {
    /// True if the value is chosen in the frame with this number, from 0.
    #[must_use]
    pub fn is_in(self, frame: u64) -> bool {
        match self {
            Self::First => frame == 0,
            Self::Always => true,
            Self::Later => frame > 0,
        }
    }
}
