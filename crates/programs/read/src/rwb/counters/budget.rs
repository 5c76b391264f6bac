//! The limits of counting threads by their states.

use crate::rwb::parse::Res;
use formats::codes::{self, Code};
use formats::error::Error;
use formats::source::Limits;

/// The limits of the conversion, and the cost so far.
pub(super) struct Budget<'a> {
    pub(super) source: &'a str,
    pub(super) limits: &'a Limits,
    pub(super) work: usize,
    pub(super) places: usize,
    pub(super) transitions: usize,
    pub(super) arcs: usize,
}

impl<'a> Budget<'a> {
    fn exceeded(&self, code: &'static Code, limit: usize, what: &str) -> Box<Error> {
        let message = format!("counted by their states, the threads of the program give more than {limit} {what}");
        let hint = "threads of one index are counted together: fewer of them, or fewer states, help";
        Error::whole(code, self.source, message).hint(hint)
    }

    /// Counts work: one unit is about one look at a state, or at its reaction to an event.
    pub(super) fn work(&mut self, units: usize) -> Res<()> {
        self.work = self.work.saturating_add(units);
        let most = self.limits.unrolled;
        if self.work > most { Err(self.exceeded(&codes::LIMIT_UNROLLED, most, "steps of reading")) } else { Ok(()) }
    }

    pub(super) fn place(&mut self) -> Res<()> {
        self.places += 1;
        let most = self.limits.places;
        if self.places > most { Err(self.exceeded(&codes::LIMIT_PLACES, most, "places")) } else { Ok(()) }
    }

    pub(super) fn transition(&mut self, arcs: usize) -> Res<()> {
        self.transitions += 1;
        self.arcs = self.arcs.saturating_add(arcs);
        let (transitions, most) = (self.limits.transitions, self.limits.arcs);
        if self.transitions > transitions {
            return Err(self.exceeded(&codes::LIMIT_TRANSITIONS, transitions, "transitions"));
        }
        if self.arcs > most { Err(self.exceeded(&codes::LIMIT_ARCS, most, "guards and effects")) } else { Ok(()) }
    }
}
