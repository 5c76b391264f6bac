//! Runs to goals, reconstructed backwards: the workers expand the level before the state once more, and take the least
//! state that has it as a successor. In the first levels, each worker does this alone.

use crate::links::Links;
use crate::progress::Hit;
use crate::shard::Shard;
use crate::{Error, Space};
use model::{EventId, Trace};
use search::Successors;

/// Returns a run to the state of `hit`. It is the same in all workers.
pub(crate) fn reconstruct<S: Space>(
    links: &mut Links<'_>,
    whole: &mut Shard<S>,
    shard: &mut Shard<S>,
    hit: &Hit,
) -> Result<Trace, Error> {
    let mut chain = vec![hit.state.clone()];
    for level in (0..hit.level).rev() {
        let target = chain.last().expect("it is not empty");
        let before = match level < whole.levels.len() {
            true => whole.predecessor(level, target),
            false => links.agree(&shard.predecessor(level, target))?.into_iter().flatten().min(),
        };
        chain.push(before.ok_or(Error::Run)?);
    }
    chain.reverse();
    trace(&mut shard.space, &chain).map(|trace| shard.space.claimed(trace)).ok_or(Error::Run)
}

/// Returns the run along a chain of states. The run contains a choice only where an event has several successors.
fn trace<S: Space>(space: &mut S, chain: &[Vec<u64>]) -> Option<Trace> {
    let (mut unpacked, mut successors) = (Vec::new(), Successors::new(space.words()));
    space.unpack(&chain[0], &mut unpacked);
    let mut trace = Trace::new(unpacked.as_slice().into());
    for step in chain.windows(2) {
        space.expand_all(&step[0], &mut successors);
        let (label, _) = successors.iter().find(|(_, state)| *state == step[1])?;
        let alternatives = successors.iter().filter(|&(other, _)| other == label).count();
        let choice = (alternatives > 1).then(|| {
            space.unpack(&step[1], &mut unpacked);
            unpacked.as_slice().into()
        });
        trace.push(EventId(label), choice);
    }
    Some(trace)
}
