//! The first levels of a search, which every worker searches alone.
//!
//! An agreement of all workers takes as long as the expansion of some hundred states. So while levels are thin, each
//! worker expands all of their states by itself, and all find the same. Then each keeps the states that it owns, and
//! the workers go on together. The whole levels are kept, too, because runs begin in them.

use crate::links::Links;
use crate::progress::{Alone, Progress, Question, Step};
use crate::shard::Shard;
use crate::{Error, Space};
use model::Reason;

/// The state of a search after its first levels. It is the same in all workers, except for the shard, unless the search
/// is stuck.
pub(crate) struct Begun<S> {
    /// The first levels with the states of all workers. All levels but the last one are expanded.
    pub(crate) whole: Shard<S>,
    /// The states of these levels that this worker owns.
    pub(crate) shard: Shard<S>,
    pub(crate) progress: Progress,
    /// Why a worker cannot go on.
    pub(crate) stuck: Option<Reason>,
}

/// Begins a search with these slots widened, each time as in [`Progress::widened`]. Widens more of them where needed.
pub(crate) fn begin<S: Space>(
    links: &mut Links<'_>,
    space: &S,
    widened: &[Vec<usize>],
    question: &Question<'_>,
) -> Result<Begun<S>, Error> {
    let space = widened.iter().try_fold(space.clone(), |space, slots| space.wider(slots)).ok_or(Error::Message)?;
    let mut progress = Progress::new(&space, widened.to_vec());
    let mut whole = Shard::new(space, 0, 1);
    let mut stuck = None;
    while stuck.is_none() && !question.is_done(&progress) && is_thin(&whole, question.alone, links.peers()) {
        let report = whole.expand_alone(&question.open(&progress), question.stop);
        match progress.step(&whole.space, report) {
            Step::On => (question.on_level)(&progress.counts),
            Step::Again(wider) => whole = Shard::new(wider, 0, 1),
            Step::Stuck(reason) => stuck = Some(reason),
            Step::End => break,
        }
    }
    let number = |reason| Reason::ALL.iter().position(|other| *other == reason);
    let first = links.agree(&stuck.and_then(number))?.into_iter().flatten().next();
    let stuck = first.map(|number| Reason::ALL.get(number).copied().unwrap_or(Reason::GaveUp));
    let shard = whole.share(links.number(), links.peers());
    Ok(Begun { whole, shard, progress, stuck })
}

fn is_thin<S: Space>(whole: &Shard<S>, most: Alone, peers: usize) -> bool {
    let last = whole.table.len() - whole.levels.last().copied().unwrap_or(0);
    whole.table.len() < most.states && last < most.level.saturating_mul(peers)
}
