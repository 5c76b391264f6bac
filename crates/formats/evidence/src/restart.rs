//! Nets that begin again, in evidence files ([`model::Restart`]).
//!
//! ```json
//! "restart": {"end": "q", "weights": [["p", 1], ["q", 1]],
//!             "steps": [["follow", "t"], ["place", "p", "q"], ["transition", "t", "u"]]}
//! ```
//!
//! In steps with two names the first one is removed.

use super::shape::{BREAKS, Input, Later, Output, Shape, shape};
use formats::json::Res;
use model::{PlaceId, Reduction, Restart, TransitionId};
use std::io;

shape! { Restart [LEFT_OUT] = {end / steps / weights} => {Restart { end, steps, weights }} }

/// A step is a list of its kind and one or two names.
impl Shape for Reduction {
    const BEFORE: [&'static str; 2] = BREAKS;

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        let transition = |t: &TransitionId| to.scope.names.events.text(t.0);
        let place = |place: &PlaceId| to.scope.names.places.text(place.0);
        let (kind, operands) = match self {
            Self::Follow(t) => ("follow", vec![transition(t)?]),
            Self::Place { removed, kept } => ("place", vec![place(removed)?, place(kept)?]),
            Self::Transition { removed, kept } => ("transition", vec![transition(removed)?, transition(kept)?]),
        };
        to.text(&format!("[\"{kind}\",{}]", operands.join(",")))
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, mut kind, mut names) = (from.here(), String::new(), Vec::new());
        from.list(|from| {
            match kind.is_empty() {
                true => kind = from.string("the kind of a step")?.into_owned(),
                false => names.push(Later::read_from(from)?),
            }
            Ok(())
        })?;
        Ok(match (&*kind, &names[..]) {
            ("follow", [t]) => Self::Follow(from.read_at(*t)?),
            ("place", [a, b]) => Self::Place { removed: from.read_at(*a)?, kept: from.read_at(*b)? },
            ("transition", [a, b]) => Self::Transition { removed: from.read_at(*a)?, kept: from.read_at(*b)? },
            _ => {
                return Err(
                    from.wrong(start, "expected `follow` with a transition, or `place` or `transition` with two names")
                );
            }
        })
    }
}
