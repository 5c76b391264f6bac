//! Chooses the path of a nondeterministic thread on a given word.
//!
//! Threads depend on each other only through requests: every event must be requested by some thread. Each
//! thread in turn gets a path that requests the event at as many positions as possible where no thread has
//! requested it so far. This is greedy, as in set cover, and exact for deterministic threads.

use model::{EventId, LocalId, Thread};

/// The states of a thread on a word: before the first and after each of the positions with an event that the
/// thread mentions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    pub(crate) places: Vec<usize>,
    pub(crate) states: Vec<LocalId>,
}

/// Returns a path without bad states that blocks no event. It requests the event at as many positions as
/// possible for which `requested` is still false. `None` if there is no such path.
pub(crate) fn choose(thread: &Thread, word: &[EventId], places: Vec<usize>, requested: &[bool]) -> Option<Path> {
    if let Some(states) = only_path(thread, word, &places) {
        return Some(Path { places, states });
    }
    let layers = layers(thread, word, &places);
    let mut worth: Vec<Vec<Option<u64>>> = vec![vec![Some(0); layers[places.len()].len()]];
    for (k, &place) in places.iter().enumerate().rev() {
        let after = worth.last().expect("it starts with the last layer");
        let value = |s: &LocalId| {
            let (best, _) = best_target(thread, *s, word[place], &layers[k + 1], after)?;
            let new = !requested[place] && thread.state(*s).request.contains(word[place]);
            Some(best + u64::from(new))
        };
        let values = layers[k].iter().map(value).collect();
        worth.push(values);
    }
    worth.reverse();
    let start =
        (0..layers[0].len()).filter(|&i| worth[0][i].is_some()).max_by_key(|&i| (worth[0][i], usize::MAX - i))?;
    let mut states = vec![layers[0][start]];
    for (k, &place) in places.iter().enumerate() {
        let (_, next) = best_target(thread, states[k], word[place], &layers[k + 1], &worth[k + 1])?;
        states.push(next);
    }
    Some(Path { places, states })
}

/// The states on the word, if the thread has no choice, blocks nothing and does not become bad.
fn only_path(thread: &Thread, word: &[EventId], places: &[usize]) -> Option<Vec<LocalId>> {
    let [start] = thread.initial[..] else { return None };
    let mut states = Vec::with_capacity(places.len() + 1);
    states.push(start);
    let mut now = start;
    if thread.state(start).bad {
        return None;
    }
    for &place in places {
        let mut targets = thread.targets(now, word[place]);
        let next = targets.next()?;
        if targets.next().is_some() || thread.state(now).block.contains(word[place]) || thread.state(next).bad {
            return None;
        }
        states.push(next);
        now = next;
    }
    Some(states)
}

/// The sets of states that the thread may be in at each position, ascending, without bad states.
fn layers(thread: &Thread, word: &[EventId], places: &[usize]) -> Vec<Vec<LocalId>> {
    let is_good = |s: &LocalId| !thread.state(*s).bad;
    let mut layers: Vec<Vec<LocalId>> = vec![thread.initial.iter().copied().filter(is_good).collect()];
    for &place in places {
        let now = layers.last().expect("it starts with the initial states");
        let open = now.iter().filter(|&&s| !thread.state(s).block.contains(word[place]));
        let mut next: Vec<LocalId> = open.flat_map(|&s| thread.targets(s, word[place])).filter(is_good).collect();
        next.sort_unstable();
        next.dedup();
        layers.push(next);
    }
    layers
}

/// Returns the greatest value among the targets of `state`, and the first target with this value.
fn best_target(
    thread: &Thread,
    state: LocalId,
    event: EventId,
    after: &[LocalId],
    worth: &[Option<u64>],
) -> Option<(u64, LocalId)> {
    if thread.state(state).block.contains(event) {
        return None;
    }
    let targets = thread.targets(state, event);
    let valued = targets.filter_map(|t| Some((worth[after.binary_search(&t).ok()?]?, t)));
    valued.fold(None, |best, (value, t)| match best {
        Some((most, _)) if most >= value => best,
        _ => Some((value, t)),
    })
}
