//! The rules of stubborn sets, compiled: which events drag which others along, by thread and local state.
//!
//! The letters are those of the proof in the module above. Everything is looked up by (thread, local state, event),
//! and only for events that the thread mentions: others neither touch it nor are touched.

use super::local::Local;
use super::sets::{Pool, SetId, add, contains, events, insert};
use model::{EventSet, Program};

/// More table entries than this, or more looks at pairs of events and of states (up to a second or so), and there are
/// no rules: such programs are too large for the gain.
const MAX_ENTRIES: usize = 1 << 18;
const MAX_PAIRS: usize = 1 << 24;

/// What an event means for a thread in a local state.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Entry {
    pub(crate) requests: bool,
    pub(crate) blocks: bool,
    /// (E), by staying: with these in T, the thread's part in the run can be preceded by the event.
    pub(crate) stay: SetId,
    /// (E), by swapping: so it can with these in T.
    pub(crate) swap: SetId,
    /// (D), blocked here: with these in T, it stays blocked until one of T fires.
    pub(crate) free: SetId,
    /// (D), requested by no thread: with these in T, the thread does not come to request it before one of T fires.
    pub(crate) ask: SetId,
    /// (K), not blocked here: with these in T, the thread does not come to block it before one of T fires.
    pub(crate) hold: SetId,
    /// (K), requested here: with these in T, the thread goes on requesting it until one of T fires.
    pub(crate) insist: SetId,
}

/// A thread that mentions an event, and where their entries are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Party {
    pub(crate) thread: usize,
    first: usize,
    stride: usize,
}

impl Party {
    /// Where the entry for the thread's local state is.
    #[inline]
    fn at(self, state: &[u32]) -> usize {
        self.first + state[self.thread] as usize * self.stride
    }
}

/// A thread in a local state on its way to a bad one.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Ways {
    /// Events that take it to a state from which a bad one can be reached.
    pub(crate) first: SetId,
    /// Events that take it into a bad state from some reachable one.
    pub(crate) last: SetId,
}

/// A part of a rule that tests can leave out, to see that they notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// (E): events that move a thread that the event moves.
    StayMoved,
    /// (E): events that a target blocks.
    StayBlocked,
    /// (E): events that a target moves on.
    StayTarget,
    /// (E): events that a target no longer requests.
    StayRequest,
    /// (E): events after which an event moves a thread that it does not move now.
    StayLater,
    /// (E), swapping: events that the event's target blocks.
    SwapBlocked,
    /// (E), swapping: events that the target no longer requests.
    SwapRequest,
    /// (E), swapping: events that lead elsewhere from the target.
    SwapTarget,
    /// (D): moves after which a thread may not block the event.
    Free,
    /// (D): moves after which a thread may request it.
    Ask,
    /// (K): moves after which a thread may block the key.
    Hold,
    /// (K): moves after which a thread may not request the key.
    Insist,
    /// One thread's ways to bad states.
    Bad,
}

#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) events: usize,
    pub(crate) words: usize,
    pub(crate) pool: Pool,
    entries: Vec<Entry>,
    /// Per event the threads that mention it, as ranges of `parties`.
    ranges: Vec<std::ops::Range<usize>>,
    parties: Vec<Party>,
    /// Per thread, per local state.
    pub(crate) ways: Vec<Vec<Ways>>,
    /// Per thread and local state what it requests and blocks.
    pub(crate) request: Vec<Vec<Vec<u64>>>,
    pub(crate) block: Vec<Vec<Vec<u64>>>,
    /// All events, those that few threads mention first: the order in which key events are tried.
    pub(crate) order: Vec<usize>,
}

impl Rules {
    /// Compiles `program`; `None` if that is too much.
    pub(crate) fn new(program: &Program, omit: Option<Part>) -> Option<Self> {
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

    /// What `event` means to the threads that mention it, each in its part of `state`.
    #[inline]
    pub(crate) fn entries<'a>(&'a self, state: &'a [u32], event: usize) -> impl Iterator<Item = &'a Entry> + 'a {
        self.parties[self.ranges[event].clone()].iter().map(|party| &self.entries[party.at(state)])
    }

    fn compile(&mut self, local: &Local<'_>, mentioned: &[usize], omit: Option<Part>) {
        let without = |part: Part, set: Vec<u64>| if omit == Some(part) { vec![0; set.len()] } else { set };
        let clashes = clashes(local, mentioned, self.words, omit);
        let mut ways = Vec::new();
        for s in 0..local.moves.len() {
            let reachable = local.reachable(s);
            ways.push(Ways {
                first: self.pool.intern(&without(Part::Bad, local.moves_to(s, |t| local.future[t].bad))),
                last: self.pool.intern(&without(Part::Bad, local.future[s].into_bad.clone())),
            });
            for (column, &e) in mentioned.iter().enumerate() {
                let mut swap = vec![0; self.words];
                reachable.iter().for_each(|&s| add(&mut swap, &clashes[s * mentioned.len() + column]));
                let future = &local.future;
                let sets = [
                    stay(local, mentioned, s, e, omit),
                    swap,
                    without(Part::Free, local.moves_to(s, |t| contains(&future[t].free, e))),
                    without(Part::Ask, local.moves_to(s, |t| contains(&future[t].requests, e))),
                    without(Part::Hold, local.moves_to(s, |t| contains(&future[t].blocks, e))),
                    without(Part::Insist, local.moves_to(s, |t| contains(&future[t].silent, e))),
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

/// Will compiling cost at most what [`MAX_ENTRIES`] and [`MAX_PAIRS`] allow?
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

/// What must be in T with `e` if the thread is to be in `s` until `e` fires, or at least where `e` does not move it.
fn stay(local: &Local<'_>, mentioned: &[usize], s: usize, e: usize, omit: Option<Part>) -> Vec<u64> {
    if !local.is_moved(s, e) {
        return local.moves_to(s, |t| omit != Some(Part::StayLater) && contains(&local.future[t].moves, e));
    }
    let mut set = local.moves_to(s, |t| omit != Some(Part::StayMoved) && contains(&local.future[t].free, e));
    for t in local.targets(s, e).filter(|&t| t != s && !local.is_bad(t)) {
        // Other events that leave the thread in `s`: they must find `t` just as they found `s`.
        for &f in mentioned.iter().filter(|&&f| !local.blocks(s, f) && local.targets(s, f).any(|to| to == s)) {
            let blocked = omit != Some(Part::StayBlocked) && local.blocks(t, f);
            let moved = omit != Some(Part::StayTarget) && !local.targets(t, f).any(|to| to == t);
            let dropped = omit != Some(Part::StayRequest) && local.requests(s, f) && !local.requests(t, f);
            if blocked || moved || dropped {
                insert(&mut set, f);
            }
        }
    }
    set
}

/// Per local state and mentioned event `e`, the events `f` such that `f, e` there cannot be done in the order `e, f`.
fn clashes(local: &Local<'_>, mentioned: &[usize], words: usize, omit: Option<Part>) -> Vec<Vec<u64>> {
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

/// Whatever `f, e` leads to from `s`, does `e, f` lead to as well, or `e` alone into a bad state where `f, e` ends in
/// one?
fn swaps(local: &Local<'_>, s: usize, f: usize, e: usize, omit: Option<Part>) -> bool {
    local.targets(s, f).filter(|&between| !local.blocks(between, e)).all(|between| {
        let reordered = |end: usize| {
            local.targets(s, e).any(|t| {
                if local.is_bad(t) {
                    return local.is_bad(end);
                }
                let blocked = omit != Some(Part::SwapBlocked) && local.blocks(t, f);
                let dropped = omit != Some(Part::SwapRequest) && local.requests(s, f) && !local.requests(t, f);
                let elsewhere = omit != Some(Part::SwapTarget) && !local.targets(t, f).any(|to| to == end);
                !blocked && !dropped && !elsewhere
            })
        };
        !local.blocks(s, e) && local.targets(between, e).all(reordered)
    })
}
