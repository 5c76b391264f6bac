//! A formula under construction, with the bounds that have been established.

use crate::nets::invariant::InvariantContext;
use kernel::net::Marked;
use kernel::writer::Writer;
use model::NetInvariant;
use num_bigint::BigUint;
use num_traits::One;

/// A formula under construction, with the invariants that have been established.
pub(super) struct Paper<'k, 'a> {
    pub(super) known: &'k InvariantContext<'a>,
    /// The earlier invariants.
    pub(super) invariants: &'k [NetInvariant],
    pub(super) writer: Writer,
}

impl<'k, 'a> Paper<'k, 'a> {
    pub(super) fn new(known: &'k InvariantContext<'a>, invariants: &'k [NetInvariant]) -> Self {
        Self { known, invariants, writer: Writer::new() }
    }

    /// The largest number of tokens that a leaf ever holds. `None` if no bound has been established.
    pub(super) fn most(&self, leaf: Leaf) -> Option<BigUint> {
        let place = match leaf {
            Leaf::Place(place) => place,
            Leaf::Arrivals(_) => return None,
            Leaf::Room => return self.known.within.map(|within| within.most.clone()),
        };
        let most = self.known.most[place as usize].clone();
        match self.known.system {
            Marked::Threads(system) if place < system.shared() => {
                Some(most.map_or(BigUint::one(), |most| most.min(BigUint::one())))
            }
            _ => most,
        }
    }
}

/// Something that holds tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Leaf {
    Place(u32),
    /// Threads that arrive in a place because they picked it. The step's formula numbers them.
    Arrivals(u32),
    /// The number of tokens that a bound still allows, see [`super::room`].
    Room,
}
