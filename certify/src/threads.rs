//! What facts ask about single threads, derived from the threads as read and kept: clock tables, locally reachable
//! states, what these may request and block, and what leads where.
//!
//! "Locally reachable" respects only the thread's own blocking, so that it contains every local state of every run.

use crate::Check;
use crate::clocks::Clock;
use crate::stepper::Stepper;
use crate::work::Work;

/// All threads of a program.
pub(crate) struct Threads<'a> {
    pub(crate) stepper: &'a Stepper,
    pub(crate) views: Vec<View>,
}

/// One thread.
pub(crate) struct View {
    pub(crate) clock: Option<Clock>,
    /// Locally reachable states, ascending.
    pub(crate) reachable: Vec<u32>,
    /// Events that some locally reachable state requests, 64 to a word.
    may_request: Vec<u64>,
    /// Events that some locally reachable state that is not bad blocks, 64 to a word.
    may_block: Vec<u64>,
    /// Per state the (event, source) pairs that lead to it from other reachable states that do not block the event;
    /// computed when first asked for. Staying is left out: it would be a pair for nearly every event and state.
    moves: Option<Vec<Vec<(u32, u32)>>>,
}

impl<'a> Threads<'a> {
    pub(crate) fn new(stepper: &'a Stepper, work: &mut Work<'_>) -> Check<Self> {
        let views = (0..stepper.width()).map(|t| View::new(stepper, t, work)).collect::<Check<_>>()?;
        Ok(Self { stepper, views })
    }

    /// The ways into `local`: every (event, source) such that the source is locally reachable, does not block the event and
    /// has `local` among its targets for it.
    pub(crate) fn ways_into(&mut self, thread: usize, local: u32, work: &mut Work<'_>) -> Check<Vec<(u32, u32)>> {
        let stepper = self.stepper;
        let view = &mut self.views[thread];
        let moves = match view.moves.take() {
            Some(moves) => moves,
            None => moves_of(stepper, thread, &view.reachable, work)?,
        };
        let mut ways = view.moves.insert(moves)[local as usize].clone();
        work.spend((ways.len() + stepper.events()) as u64)?;
        if view.reachable.binary_search(&local).is_ok() {
            let events = 0..stepper.events() as u32;
            let stays =
                |&e: &u32| !stepper.blocks(thread, local, e) && stepper.targets(thread, local, e).contains(&local);
            ways.extend(events.filter(stays).map(|e| (e, local)));
        }
        Ok(ways)
    }
}

impl View {
    fn new(stepper: &Stepper, thread: usize, work: &mut Work<'_>) -> Check<Self> {
        let clock = Clock::of(stepper, thread, work)?;
        let reachable = locally_reachable(stepper, thread, work)?;
        let words = stepper.events().div_ceil(64);
        let (mut may_request, mut may_block) = (vec![0; words], vec![0; words]);
        for &local in &reachable {
            unite(&mut may_request, stepper.request_words(thread, local));
            if !stepper.is_bad(thread, local) {
                unite(&mut may_block, stepper.block_words(thread, local));
            }
        }
        Ok(Self { clock, reachable, may_request, may_block, moves: None })
    }

    pub(crate) fn may_request(&self, event: u32) -> bool {
        self.may_request[event as usize / 64] >> (event % 64) & 1 == 1
    }

    /// May it block `event` without being in a bad state?
    pub(crate) fn may_block(&self, event: u32) -> bool {
        self.may_block[event as usize / 64] >> (event % 64) & 1 == 1
    }
}

fn unite(all: &mut [u64], more: &[u64]) {
    all.iter_mut().zip(more).for_each(|(a, b)| *a |= b);
}

fn locally_reachable(stepper: &Stepper, thread: usize, work: &mut Work<'_>) -> Check<Vec<u32>> {
    let mut seen = vec![false; stepper.size(thread)];
    let mut open = stepper.initial(thread).to_vec();
    open.iter().for_each(|&s| seen[s as usize] = true);
    while let Some(local) = open.pop() {
        for event in 0..stepper.events() as u32 {
            work.spend(1)?;
            if stepper.blocks(thread, local, event) {
                continue;
            }
            for &to in stepper.targets(thread, local, event) {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    open.push(to);
                }
            }
        }
    }
    Ok((0..seen.len() as u32).filter(|&s| seen[s as usize]).collect())
}

fn moves_of(stepper: &Stepper, thread: usize, reachable: &[u32], work: &mut Work<'_>) -> Check<Vec<Vec<(u32, u32)>>> {
    let mut moves = vec![Vec::new(); stepper.size(thread)];
    for event in 0..stepper.events() as u32 {
        work.grow(reachable.len() * 2 * size_of::<(u32, u32)>())?;
        for &from in reachable.iter().filter(|&&s| !stepper.blocks(thread, s, event)) {
            let targets = stepper.targets(thread, from, event);
            work.spend(targets.len() as u64)?;
            targets.iter().filter(|&&to| to != from).for_each(|&to| moves[to as usize].push((event, from)));
        }
    }
    Ok(moves)
}
