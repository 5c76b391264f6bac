//! Analyses one thread: the events of each local state, and what holds of some local state that the thread can
//! still reach from there.

use super::sets::{add, contains, insert};
use model::{LocalId, Thread};

/// The local states of a thread as bit vectors, and their futures. The future of a state describes the *states
/// reachable from it* (itself included) over events that the states on the way do not block themselves. Bad
/// states end runs, so they contribute only to the field `bad`.
pub(crate) struct Local<'a> {
    pub(crate) thread: &'a Thread,
    pub(crate) request: Vec<Vec<u64>>,
    pub(crate) block: Vec<Vec<u64>>,
    /// For each state: events that it does not block and that take it to another state, with all their targets.
    pub(crate) moves: Vec<Vec<(usize, &'a [LocalId])>>,
    pub(crate) future: Vec<Future>,
}

/// Each field says what holds of some reachable state; below, "some state" means some reachable state. Sets are
/// bit vectors of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Future {
    /// True if some reachable state is bad.
    pub(crate) bad: bool,
    /// Events that some state does not block and that take it to another state.
    pub(crate) moves: Vec<u64>,
    /// Events that some state does not block.
    pub(crate) free: Vec<u64>,
    /// Events that some state blocks.
    pub(crate) blocks: Vec<u64>,
    /// Events that some state requests and does not block.
    pub(crate) requests: Vec<u64>,
    /// Events that some state does not request.
    pub(crate) silent: Vec<u64>,
    /// Events that take some state to a bad state.
    pub(crate) into_bad: Vec<u64>,
}

impl<'a> Local<'a> {
    pub(crate) fn new(thread: &'a Thread, words: usize) -> Self {
        let states = &thread.states;
        let request = states.iter().map(|s| s.request.words()).collect();
        let block = states.iter().map(|s| s.block.words()).collect();
        let moves = (0..states.len()).map(|s| moves(thread, s)).collect();
        let mut this = Self { thread, request, block, moves, future: Vec::new() };
        this.future = (0..states.len()).map(|s| this.present(s, words)).collect();
        this.look_ahead();
        this
    }

    pub(crate) fn is_bad(&self, s: usize) -> bool {
        self.thread.states[s].bad
    }

    pub(crate) fn blocks(&self, s: usize, event: usize) -> bool {
        contains(&self.block[s], event)
    }

    pub(crate) fn requests(&self, s: usize, event: usize) -> bool {
        contains(&self.request[s], event)
    }

    /// Returns the targets of `event` in state `s`, whether or not `s` blocks the event.
    pub(crate) fn targets(&self, s: usize, event: usize) -> impl Iterator<Item = usize> + '_ {
        self.thread.targets(LocalId::new(s), model::EventId::new(event)).map(LocalId::index)
    }

    /// Returns the moves of `s` to some state for which `later` is true.
    pub(crate) fn moves_to(&self, s: usize, later: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut set = vec![0; self.block[s].len()];
        for &(event, targets) in &self.moves[s] {
            if targets.iter().any(|t| later(t.index())) {
                insert(&mut set, event);
            }
        }
        set
    }

    /// Returns true if `s` does not block `event` and `event` takes `s` to another state.
    pub(crate) fn is_moved(&self, s: usize, event: usize) -> bool {
        self.moves[s].binary_search_by_key(&event, |&(e, _)| e).is_ok()
    }

    /// Returns the events that some state requests, blocks or moves on. All other events have no effect on the
    /// thread.
    pub(crate) fn mentioned(&self, words: usize) -> Vec<u64> {
        let mut all = vec![0; words];
        for (s, moves) in self.moves.iter().enumerate().filter(|&(s, _)| !self.is_bad(s)) {
            add(&mut all, &self.request[s]);
            add(&mut all, &self.block[s]);
            moves.iter().for_each(|&(event, _)| insert(&mut all, event));
        }
        all
    }

    /// Returns the states reachable from `s`, including `s`.
    pub(crate) fn reachable(&self, s: usize) -> Vec<usize> {
        let mut seen = vec![false; self.moves.len()];
        seen[s] = true;
        let mut reached = vec![s];
        let mut next = 0;
        while next < reached.len() {
            for target in self.moves[reached[next]].iter().flat_map(|&(_, targets)| targets) {
                if !std::mem::replace(&mut seen[target.index()], true) {
                    reached.push(target.index());
                }
            }
            next += 1;
        }
        reached
    }

    /// Returns the future of `s` without its successors.
    fn present(&self, s: usize, words: usize) -> Future {
        let none = vec![0; words];
        let mut now = Future {
            bad: self.is_bad(s),
            moves: none.clone(),
            free: none.clone(),
            blocks: none.clone(),
            requests: none.clone(),
            silent: none.clone(),
            into_bad: none,
        };
        if now.bad {
            return now;
        }
        for &(event, targets) in &self.moves[s] {
            insert(&mut now.moves, event);
            if targets.iter().any(|t| self.is_bad(t.index())) {
                insert(&mut now.into_bad, event);
            }
        }
        let (request, block) = (&self.request[s], &self.block[s]);
        now.free = block.iter().map(|block| !block).collect();
        now.blocks.clone_from(block);
        now.requests = request.iter().zip(block).map(|(request, block)| request & !block).collect();
        now.silent = request.iter().map(|request| !request).collect();
        now
    }

    /// Adds to the future of every state the futures of its successors, until nothing changes.
    fn look_ahead(&mut self) {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.moves.len()];
        for (s, moves) in self.moves.iter().enumerate() {
            for target in moves.iter().flat_map(|&(_, targets)| targets) {
                before[target.index()].push(s);
            }
        }
        for list in &mut before {
            list.dedup();
        }
        let mut waiting = vec![true; self.moves.len()];
        let mut work: Vec<usize> = (0..self.moves.len()).collect();
        while let Some(target) = work.pop() {
            waiting[target] = false;
            for &s in &before[target] {
                if s == target {
                    continue;
                }
                let [from, to] = self.future.get_disjoint_mut([s, target]).expect("two different states");
                if from.join(to) && !std::mem::replace(&mut waiting[s], true) {
                    work.push(s);
                }
            }
        }
    }
}

impl Future {
    /// Adds the future `later` to this one. Returns true if this one changes.
    fn join(&mut self, later: &Self) -> bool {
        let mut news = later.bad && !self.bad;
        self.bad |= later.bad;
        for (set, more) in self.sets_mut().into_iter().zip(later.sets()) {
            for (all, more) in set.iter_mut().zip(more) {
                news |= more & !*all != 0;
                *all |= more;
            }
        }
        news
    }

    fn sets(&self) -> [&Vec<u64>; 6] {
        [&self.moves, &self.free, &self.blocks, &self.requests, &self.silent, &self.into_bad]
    }

    fn sets_mut(&mut self) -> [&mut Vec<u64>; 6] {
        [&mut self.moves, &mut self.free, &mut self.blocks, &mut self.requests, &mut self.silent, &mut self.into_bad]
    }
}

fn moves(thread: &Thread, s: usize) -> Vec<(usize, &[LocalId])> {
    let state = &thread.states[s];
    let elsewhere = |to: &[LocalId]| to.iter().any(|t| t.index() != s);
    let open = state.on.iter().filter(|(event, to)| !state.block.contains(**event) && elsewhere(to));
    open.map(|(event, to)| (event.index(), to.as_slice())).collect()
}
