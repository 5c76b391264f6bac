//! Makes a run of the whole program from a run of the abstraction. Every step is checked in full.

use crate::thread_abstraction::paths::{self, Path};
use crate::thread_abstraction::run::AbstractRun;
use crate::thread_abstraction::simulate::Positions;
use crate::thread_abstraction::threads::Threads;
use model::{EventId, EventSet, ThreadId, Trace};

/// A run of the whole program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Realised {
    pub(crate) trace: Trace,
    /// The state in which the run ends.
    pub(crate) last: Vec<u32>,
}

/// The reason why there is no run, or none was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// This thread blocks the word.
    Blocked(ThreadId),
    /// No thread was found that requests this event.
    Unrequested(EventId),
}

/// Bytes that [`realise`] may allocate for a word of `length` events on which the threads have `work` positions
/// in total.
pub(crate) fn bytes(threads: &Threads, length: usize, work: u64) -> usize {
    let paths = usize::try_from(work).unwrap_or(usize::MAX).saturating_mul(32);
    let choices = length.saturating_mul(threads.len().saturating_mul(4).saturating_add(32));
    paths.saturating_add(choices)
}

/// Returns a run of the whole program over the word of `run` in which the kept threads take the same states as
/// in `run`. The choice is greedy for other nondeterministic threads, so runs may be missed.
pub(crate) fn realise(threads: &Threads, positions: &Positions<'_>, run: &AbstractRun) -> Result<Realised, Failure> {
    let mut all: Vec<Option<Path>> = vec![None; threads.len()];
    let mut requested: Vec<bool> = (0..run.word.len()).map(|i| run.is_requested(threads, i)).collect();
    let (mut sure, mut choosing) = (Vec::new(), Vec::new());
    for thread in positions.involved() {
        match run.kept.binary_search(&thread) {
            Ok(k) => all[thread.index()] = Some(kept_path(run, k, positions.of(thread))),
            Err(_) if is_deterministic(threads, thread) => sure.push(thread),
            Err(_) => choosing.push(thread),
        }
    }
    for thread in sure.into_iter().chain(choosing) {
        let definition = threads.program.thread(thread);
        let chosen = paths::choose(definition, &run.word, positions.of(thread), &requested);
        let path = chosen.ok_or(Failure::Blocked(thread))?;
        for (k, &place) in path.places.iter().enumerate() {
            requested[place] |= definition.state(path.states[k]).request.contains(run.word[place]);
        }
        all[thread.index()] = Some(path);
    }
    replay(threads, run, &all)
}

fn is_deterministic(threads: &Threads, thread: ThreadId) -> bool {
    let thread = threads.program.thread(thread);
    thread.initial.len() == 1 && thread.states.iter().all(|s| s.on.values().all(|targets| targets.len() == 1))
}

fn kept_path(run: &AbstractRun, k: usize, places: Vec<usize>) -> Path {
    let after = places.iter().map(|place| run.state(place + 1, k));
    let states = std::iter::once(run.state(0, k)).chain(after).collect();
    Path { places, states }
}

/// Moves all threads along their paths together. The rule for enabled events is checked at every step, for the
/// threads that mention the event.
fn replay(threads: &Threads, run: &AbstractRun, paths: &[Option<Path>]) -> Result<Realised, Failure> {
    let mut now: Vec<u32> = start(threads, run, paths);
    let mut at = vec![0usize; paths.len()];
    let mut trace = Trace::new(now.as_slice().into());
    for &event in &run.word {
        let (mut asked, mut chosen) = (false, false);
        for &thread in threads.mentioned_by(event) {
            let t = thread.index();
            let definition = threads.program.thread(thread);
            let from = model::LocalId(now[t]);
            if definition.state(from).block.contains(event) {
                return Err(Failure::Blocked(thread));
            }
            asked |= definition.state(from).request.contains(event);
            let path = paths[t].as_ref().expect("it has to do with the word");
            at[t] += 1;
            let to = path.states[at[t]];
            assert!(definition.targets(from, event).any(|target| target == to), "paths follow targets");
            chosen |= definition.targets(from, event).nth(1).is_some();
            now[t] = to.0;
        }
        if !asked {
            return Err(Failure::Unrequested(event));
        }
        trace.push(event, chosen.then(|| now.as_slice().into()));
    }
    Ok(Realised { trace, last: now })
}

fn start(threads: &Threads, run: &AbstractRun, paths: &[Option<Path>]) -> Vec<u32> {
    let first = |(t, path): (&model::Thread, &Option<Path>)| path.as_ref().map_or(t.initial[0], |p| p.states[0]).0;
    let mut now: Vec<u32> = threads.program.threads().iter().zip(paths).map(first).collect();
    for (k, thread) in run.kept.iter().enumerate() {
        now[thread.index()] = run.state(0, k).0;
    }
    now
}

/// The events enabled in `state`, each with a thread that requests it there.
pub(crate) fn enabled(threads: &Threads, state: &[u32]) -> Vec<(EventId, ThreadId)> {
    let universe = threads.program.events().len();
    let mut blocked = EventSet::empty(universe);
    let mut asked: Vec<(EventId, ThreadId)> = Vec::new();
    for (t, (thread, &s)) in threads.program.threads().iter().zip(state).enumerate() {
        let local = thread.state(model::LocalId(s));
        blocked.union_with(&local.block);
        asked.extend(local.request.iter().map(|e| (e, ThreadId::new(t))));
    }
    asked.retain(|(e, _)| !blocked.contains(*e));
    asked
}
