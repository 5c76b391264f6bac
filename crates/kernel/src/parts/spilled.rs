//! Closed sets that do not fit memory: one part after the other is in memory, and temporary storage has the rest.
//!
//! The first pass writes the listed keys into a bucket for each part. The second pass loads each part, expands its
//! states, and writes the successors that other parts own into the buckets of these parts. The third pass loads
//! each part again, and looks up what the others wrote for it. Tallies show that the storage returns what was
//! written ([`super`]).

pub use super::storage::{Buckets, Storage};
use super::{Outbox, Part, Tally, list};
use crate::closed::{Listed, Whole};
use crate::keys::Layout;
use crate::work::Work;
use crate::{Check, reject};
use model::StateSet;

/// Checks that a set is closed and contains no state of a goal, in this number of parts.
///
/// # Errors
/// If the set is not closed, or contains a state of a goal, or if a resource limit is exceeded.
pub fn check<L: Listed>(
    kind: &mut L,
    listed: &dyn StateSet,
    parts: usize,
    storage: &dyn Storage,
    work: &mut Work<'_>,
) -> Check<Whole> {
    let words = Layout::new(&kind.sizes()).words();
    let mut states = storage.buckets(parts, words)?;
    let mut outbox = Outbox::of_listed(words, parts);
    list(kind, listed, &mut outbox, &mut |to, keys| states.append(to, keys), work)?;
    let of_part = outbox.sent().to_vec();
    let mut steps = storage.buckets(parts, words)?;
    let mut outbox = Outbox::of_steps(words, parts);
    let mut whole = Whole::default();
    for (number, sent) in of_part.iter().enumerate() {
        let mut part = load(kind, number, &of_part, &mut *states, work)?;
        part.complete(kind, *sent, work)?;
        part.expand(kind, usize::MAX, &mut outbox, &mut |to, keys| steps.append(to, keys), work)?;
        let counts = part.counts();
        whole.states += counts.states;
        whole.hash = whole.hash.wrapping_add(counts.hash);
    }
    outbox.flush(&mut |to, keys| steps.append(to, keys))?;
    for (number, sent) in outbox.sent().iter().enumerate() {
        let mut part = load(kind, number, &of_part, &mut *states, work)?;
        part.complete(kind, of_part[number], work)?;
        steps.read(number, &mut |keys| part.find(kind, keys, work))?;
        if part.found() != *sent {
            return reject("steps were lost or changed in the temporary storage");
        }
    }
    assert_eq!(whole.states, listed.len(), "every listed state is in a part");
    Ok(whole)
}

fn load<L: Listed>(
    kind: &L,
    number: usize,
    of_part: &[Tally],
    states: &mut dyn Buckets,
    work: &mut Work<'_>,
) -> Check<Part> {
    let mut part = Part::new(kind, number, of_part.len(), of_part[number].keys, work)?;
    states.read(number, &mut |keys| part.add(kind, keys, work))?;
    Ok(part)
}
