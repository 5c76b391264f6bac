//! The rules of stubborn sets as tables: the events that each event requires in the set, for each thread and
//! local state.
//!
//! The letters of the rules are defined at the head of [`super`]. Tables are indexed by thread, local state and
//! event, and contain only the events that the thread mentions. Other events neither change the thread nor are
//! changed by it.

use super::local::Local;
use super::sets::{Pool, SetId, add, contains, events, insert};
use model::{EventSet, Program};

/// Limits on the number of table entries and on the cost of compiling the rules, counted in pairs of events and
/// pairs of states (up to about a second). Larger programs get no rules, since the gain would not pay for the
/// cost.
const MAX_ENTRIES: usize = 1 << 18;
const MAX_PAIRS: usize = 1 << 24;

/// The meaning of an event for a thread in a local state.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Entry {
    pub(crate) requests: bool,
    pub(crate) blocks: bool,
    /// Rule (E), *stay*: if T contains these events, the event can be moved before the other events of the run
    /// in this thread.
    pub(crate) stay: SetId,
    /// Rule (E), *swap*: T may contain these events instead of `stay`.
    pub(crate) swap: SetId,
    /// Rule (D), if the event is blocked here: if T contains these events, the thread keeps blocking the event
    /// until an event of T is taken.
    pub(crate) free: SetId,
    /// Rule (D), if no thread requests the event: if T contains these events, the thread does not come to
    /// request it before an event of T is taken.
    pub(crate) ask: SetId,
    /// Rule (K), if the event is not blocked here: if T contains these events, the thread does not come to
    /// block it before an event of T is taken.
    pub(crate) hold: SetId,
    /// Rule (K), if the event is requested here: if T contains these events, the thread keeps requesting it
    /// until an event of T is taken.
    pub(crate) insist: SetId,
}

/// A thread that mentions an event, and the position of the entries for this event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Party {
    pub(crate) thread: usize,
    first: usize,
    stride: usize,
}

impl Party {
    /// Returns the index of the entry for the local state of the thread.
    #[inline]
    fn at(self, state: &[u32]) -> usize {
        self.first + state[self.thread] as usize * self.stride
    }
}

/// The seeds of rule (B) for a thread in a local state.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Ways {
    /// Events that take the thread to a state from which a bad state can be reached.
    pub(crate) first: SetId,
    /// Events that take some state reachable from the local state to a bad state.
    pub(crate) last: SetId,
}

/// A part of a rule that tests leave out, to check that it is needed. *Stay* and *swap* are the sets of rule
/// (E); a target is a local state that the event leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulePart {
    /// *Stay*, if the event moves the thread: T must contain the moves after which the thread may come not to
    /// block the event.
    StayMoved,
    /// *Stay*: T must contain the events that a target blocks.
    StayBlocked,
    /// *Stay*: T must contain the events on which a target moves.
    StayTarget,
    /// *Stay*: T must contain the events that a target no longer requests.
    StayRequest,
    /// *Stay*, if the event does not move the thread: T must contain the moves after which the event may move
    /// it.
    StayLater,
    /// *Swap*: T must contain the events that a target blocks.
    SwapBlocked,
    /// *Swap*: T must contain the events that a target no longer requests.
    SwapRequest,
    /// *Swap*: T must contain the events that lead from a target to another state than in the original order.
    SwapTarget,
    /// Rule (D): T must contain the moves after which a thread that blocks the event may come not to block it.
    Free,
    /// Rule (D): T must contain the moves after which a thread may come to request the event.
    Ask,
    /// Rule (K): T must contain the moves after which a thread may come to block the key.
    Hold,
    /// Rule (K): T must contain the moves after which a thread that requests the key may come not to request
    /// it.
    Insist,
    /// Rule (B): T must contain the moves of every thread towards bad states.
    Bad,
}

#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) events: usize,
    pub(crate) words: usize,
    pub(crate) pool: Pool,
    entries: Vec<Entry>,
    /// For each event: the threads that mention it, as a range of `parties`.
    ranges: Vec<std::ops::Range<usize>>,
    parties: Vec<Party>,
    /// For each thread and local state: the seeds of rule (B).
    pub(crate) ways: Vec<Vec<Ways>>,
    /// For each thread and local state: the events that it requests. `block` is the same for blocked events.
    pub(crate) request: Vec<Vec<Vec<u64>>>,
    pub(crate) block: Vec<Vec<Vec<u64>>>,
    /// All events, sorted by the number of threads that mention them. Key events are tried in this order.
    pub(crate) order: Vec<usize>,
}

impl Rules {
    /// Compiles the rules of `program`. Returns `None` if it exceeds the limits.
    pub(crate) fn new(program: &Program, omit: Option<RulePart>) -> Option<Self> {
        let words = program.events().len().div_ceil(64);
        if !is_small_enough(program, words) {
            return None;
        }
        let mut this = Self {
            events: program.events().len(),
            words,
            pool: Pool::new(words),
            entries: Vec::new(),
            ranges: Vec::new(),
            parties: Vec::new(),
            ways: Vec::new(),
            request: Vec::new(),
            block: Vec::new(),
            order: Vec::new(),
        };
        let mut of_event = vec![Vec::new(); this.events];
        for (number, thread) in program.threads().iter().enumerate() {
            let local = Local::new(thread, words);
            let mentioned: Vec<usize> = events(&local.mentioned(words)).collect();
            let (stride, first) = (mentioned.len(), this.entries.len());
            for (column, &event) in mentioned.iter().enumerate() {
                of_event[event].push(Party { thread: number, first: first + column, stride });
            }
            this.compile(&local, &mentioned, omit);
            this.request.push(local.request);
            this.block.push(local.block);
        }
        for parties in of_event {
            let first = this.parties.len();
            this.parties.extend(parties);
            this.ranges.push(first..this.parties.len());
        }
        this.order = (0..this.events).collect();
        this.order.sort_by_key(|&event| this.ranges[event].len());
        Some(this)
    }

    /// Returns the entries of `event` for the threads that mention it, each for its local state in `state`.
    #[inline]
    pub(crate) fn entries<'a>(&'a self, state: &'a [u32], event: usize) -> impl Iterator<Item = &'a Entry> + 'a {
        self.parties[self.ranges[event].clone()].iter().map(|party| &self.entries[party.at(state)])
    }

    fn compile(&mut self, local: &Local<'_>, mentioned: &[usize], omit: Option<RulePart>) {
        let without = |part: RulePart, set: Vec<u64>| if omit == Some(part) { vec![0; set.len()] } else { set };
        let clashes = clashes(local, mentioned, self.words, omit);
        let mut ways = Vec::new();
        for s in 0..local.moves.len() {
            let reachable = local.reachable(s);
            ways.push(Ways {
                first: self.pool.intern(&without(RulePart::Bad, local.moves_to(s, |t| local.future[t].bad))),
                last: self.pool.intern(&without(RulePart::Bad, local.future[s].into_bad.clone())),
            });
            for (column, &e) in mentioned.iter().enumerate() {
                let mut swap = vec![0; self.words];
                reachable.iter().for_each(|&s| add(&mut swap, &clashes[s * mentioned.len() + column]));
                let future = &local.future;
                let sets = [
                    stay(local, mentioned, s, e, omit),
                    swap,
                    without(RulePart::Free, local.moves_to(s, |t| contains(&future[t].free, e))),
                    without(RulePart::Ask, local.moves_to(s, |t| contains(&future[t].requests, e))),
                    without(RulePart::Hold, local.moves_to(s, |t| contains(&future[t].blocks, e))),
                    without(RulePart::Insist, local.moves_to(s, |t| contains(&future[t].silent, e))),
                ];
                let [stay, swap, free, ask, hold, insist] = sets.map(|mut set| {
                    set[e / 64] &= !(1 << (e % 64));
                    self.pool.intern(&set)
                });
                let (requests, blocks) = (local.requests(s, e), local.blocks(s, e));
                self.entries.push(Entry { requests, blocks, stay, swap, free, ask, hold, insist });
            }
        }
        self.ways.push(ways);
    }
}

/// Returns true if compiling costs at most what [`MAX_ENTRIES`] and [`MAX_PAIRS`] allow.
fn is_small_enough(program: &Program, words: usize) -> bool {
    let (mut entries, mut pairs) = (0usize, 0usize);
    for thread in program.threads() {
        let states = thread.states.len();
        let mut mentioned = EventSet::empty(program.events().len());
        for state in thread.states.iter().filter(|state| !state.bad) {
            mentioned.union_with(&state.request);
            mentioned.union_with(&state.block);
            state.on.keys().for_each(|&event| mentioned.insert(event));
        }
        let stride = mentioned.len();
        entries = entries.saturating_add(states.saturating_mul(stride.max(words)));
        let per_state = stride.saturating_mul(stride.max(states).max(words));
        pairs = pairs.saturating_add(states.saturating_mul(per_state.max(states)));
        if entries > MAX_ENTRIES || pairs > MAX_PAIRS {
            return false;
        }
    }
    true
}

/// Returns the events of the set *stay* of rule (E), for event `e` and a thread in state `s`.
fn stay(local: &Local<'_>, mentioned: &[usize], s: usize, e: usize, omit: Option<RulePart>) -> Vec<u64> {
    if !local.is_moved(s, e) {
        return local.moves_to(s, |t| omit != Some(RulePart::StayLater) && contains(&local.future[t].moves, e));
    }
    let mut set = local.moves_to(s, |t| omit != Some(RulePart::StayMoved) && contains(&local.future[t].free, e));
    for t in local.targets(s, e).filter(|&t| t != s && !local.is_bad(t)) {
        // Other events that leave the thread in `s` must find `t` just as they find `s`.
        for &f in mentioned.iter().filter(|&&f| !local.blocks(s, f) && local.targets(s, f).any(|to| to == s)) {
            let blocked = omit != Some(RulePart::StayBlocked) && local.blocks(t, f);
            let moved = omit != Some(RulePart::StayTarget) && !local.targets(t, f).any(|to| to == t);
            let dropped = omit != Some(RulePart::StayRequest) && local.requests(s, f) && !local.requests(t, f);
            if blocked || moved || dropped {
                insert(&mut set, f);
            }
        }
    }
    set
}

/// For each local state and mentioned event `e`: the events `f` such that `f, e` cannot be swapped in this
/// state.
fn clashes(local: &Local<'_>, mentioned: &[usize], words: usize, omit: Option<RulePart>) -> Vec<Vec<u64>> {
    let mut all = Vec::with_capacity(local.moves.len() * mentioned.len());
    for s in 0..local.moves.len() {
        for &e in mentioned {
            let mut set = vec![0; words];
            for &f in mentioned.iter().filter(|&&f| f != e && !local.blocks(s, f)) {
                if !swaps(local, s, f, e, omit) {
                    insert(&mut set, f);
                }
            }
            all.push(set);
        }
    }
    all
}

/// Returns true if `f, e` can be swapped in state `s`. For every state that `f, e` leads to from `s`, `e, f`
/// must lead to it as well, or `e` alone must lead to a bad state and `f, e` must end in a bad state.
fn swaps(local: &Local<'_>, s: usize, f: usize, e: usize, omit: Option<RulePart>) -> bool {
    local.targets(s, f).filter(|&between| !local.blocks(between, e)).all(|between| {
        let reordered = |end: usize| {
            local.targets(s, e).any(|t| {
                if local.is_bad(t) {
                    return local.is_bad(end);
                }
                let blocked = omit != Some(RulePart::SwapBlocked) && local.blocks(t, f);
                let dropped = omit != Some(RulePart::SwapRequest) && local.requests(s, f) && !local.requests(t, f);
                let elsewhere = omit != Some(RulePart::SwapTarget) && !local.targets(t, f).any(|to| to == end);
                !blocked && !dropped && !elsewhere
            })
        };
        !local.blocks(s, e) && local.targets(between, e).all(reordered)
    })
}
