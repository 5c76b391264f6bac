//! The stepper of behavioral programs, directly from their definition.
//!
//! Event e is enabled iff some thread requests e and no thread blocks e. When e fires, all threads move at once,
//! each to one of its targets for e. A thread that does not mention e stays. A bad local state blocks every
//! event. Requests and blocks are the sets of the program as read. Targets are stored in one table per thread.
//! The threads share no tables, so that each line can be checked by reading. All tables together are as large as
//! the program.
//!
//! **Priorities.** [`Stepper::new`] leaves them out. Its steps are then more than those of the program, which is what
//! rules need that show that no run reaches a state: they may reason about all events that are requested and not
//! blocked. [`Stepper::with_priorities`] follows the program exactly: among these events, only those that some thread
//! requests with the greatest priority are enabled. Runs, closed sets and temporal formulas are checked with it. Both
//! steppers agree on which states have no enabled event, so on goals: the filter keeps an event if there is one.

use super::table::{FEW_WORDS, SEVERAL, Table};
use crate::closed::Change;
use crate::work::Work;
use crate::{Check, Refusal};
use model::{EventId, EventSet, Goal, Program};

/// A compiled program.
#[derive(Debug)]
pub struct Stepper {
    tables: Vec<Table>,
    /// For each event: the threads that it moves from at least one of their local states.
    movers: Vec<Vec<u32>>,
    events: usize,
    words: usize,
    /// For each thread and local state, the priority of its requests. Empty if priorities are left out, or if all are
    /// the same.
    priorities: Vec<Vec<i64>>,
}

/// The buffers of [`Stepper::steps`] and [`Stepper::successors`], kept between calls.
#[derive(Default, Debug)]
pub struct Scratch {
    enabled: Vec<u64>,
    next: Vec<u32>,
    changes: Vec<Change>,
    /// For each change with several targets: its index in `changes`, and the index of its current target.
    choices: Vec<(usize, usize)>,
}

impl Stepper {
    /// Compiles this program without its priorities.
    ///
    /// # Errors
    /// If a thread has too many states.
    pub fn new(program: &Program) -> Check<Self> {
        let events = program.events().len();
        let words = events.div_ceil(64);
        if program.threads().iter().any(|t| t.states.len() >= SEVERAL as usize) {
            return Err(Refusal::ResourceLimit);
        }
        let tables: Vec<Table> = program.threads().iter().map(|t| Table::new(t, events)).collect();
        debug_assert!(tables.iter().all(|t| !t.initial.is_empty()), "each thread starts somewhere");
        Ok(Self { tables, movers: movers(program), events, words, priorities: Vec::new() })
    }

    /// Compiles this program with its priorities.
    ///
    /// # Errors
    /// If a thread has too many states.
    pub fn with_priorities(program: &Program) -> Check<Self> {
        let priorities = program.priorities().to_vec();
        Ok(Self { priorities, ..Self::new(program)? })
    }

    /// Returns true if the stepper has priorities.
    #[must_use]
    pub fn has_priorities(&self) -> bool {
        !self.priorities.is_empty()
    }

    /// Number of slots of a composite state, one per thread.
    #[must_use]
    pub fn width(&self) -> usize {
        self.tables.len()
    }

    /// Number of events of the program.
    #[must_use]
    pub fn events(&self) -> usize {
        self.events
    }

    /// Returns the number of local states of each thread.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        self.tables.iter().map(|t| t.rows.len()).collect()
    }

    /// Returns the number of local states of one thread.
    #[must_use]
    pub fn size(&self, thread: usize) -> usize {
        self.tables[thread].rows.len()
    }

    /// Returns the initial states of one thread.
    #[must_use]
    pub fn initial(&self, thread: usize) -> &[u32] {
        &self.tables[thread].initial
    }

    /// Returns true if `state` is a composite state of this program: one local state per thread, each of which
    /// exists.
    #[must_use]
    pub fn knows(&self, state: &[u32]) -> bool {
        state.len() == self.width() && self.tables.iter().zip(state).all(|(t, &s)| (s as usize) < t.rows.len())
    }

    /// Returns true if the local state is marked bad.
    #[must_use]
    pub fn is_bad(&self, thread: usize, local: u32) -> bool {
        self.tables[thread].bad[local as usize]
    }

    /// Returns true if the local state requests the event.
    #[must_use]
    pub fn requests(&self, thread: usize, local: u32, event: u32) -> bool {
        self.request(thread, local).contains(EventId(event))
    }

    /// Returns true if the local state blocks the event.
    #[must_use]
    pub fn blocks(&self, thread: usize, local: u32, event: u32) -> bool {
        self.block(thread, local).contains(EventId(event))
    }

    /// Returns the events that `local` requests.
    #[must_use]
    pub fn request(&self, thread: usize, local: u32) -> &EventSet {
        &self.tables[thread].request[local as usize]
    }

    /// Returns the events that `local` blocks.
    #[must_use]
    pub fn block(&self, thread: usize, local: u32) -> &EventSet {
        &self.tables[thread].block[local as usize]
    }

    /// Returns the empty set of events.
    #[must_use]
    pub fn none(&self) -> EventSet {
        EventSet::empty(self.events)
    }

    /// Returns the states to which `event` may take the thread from `local`, in ascending order. There is at
    /// least one. The result does not depend on whether the event is blocked.
    #[must_use]
    pub fn targets(&self, thread: usize, local: u32, event: u32) -> &[u32] {
        self.tables[thread].targets(local, event)
    }

    /// Returns events with their targets, in ascending order. These are all events that `local` mentions, and
    /// possibly some other events, on which the thread stays.
    pub fn mentioned(&self, thread: usize, local: u32) -> impl Iterator<Item = (u32, &[u32])> {
        let table = &self.tables[thread];
        let row = &table.rows[local as usize];
        (row.start..row.end).enumerate().map(move |(number, at)| {
            let event = if row.dense { number as u32 } else { table.keys[at] };
            (event, table.cell(&table.cells[at]))
        })
    }

    /// Returns the states that a thread can reach if only its own blocks are respected, in ascending order.
    /// Every local state in every run is one of them.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn locally_reachable(&self, thread: usize, work: &mut Work<'_>) -> Check<Vec<u32>> {
        let mut seen = vec![false; self.size(thread)];
        let mut open = self.initial(thread).to_vec();
        open.iter().for_each(|&s| seen[s as usize] = true);
        while let Some(local) = open.pop() {
            for (event, targets) in self.mentioned(thread, local) {
                work.spend(1)?;
                if self.blocks(thread, local, event) {
                    continue;
                }
                for &to in targets {
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        open.push(to);
                    }
                }
            }
        }
        Ok((0..seen.len() as u32).filter(|&s| seen[s as usize]).collect())
    }

    /// Returns the threads that `event` moves from at least one of their local states, in ascending order.
    #[must_use]
    pub fn movers(&self, event: u32) -> &[u32] {
        &self.movers[event as usize]
    }

    /// Number of words of a set of events.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Writes the enabled events of `state` to `out`, 64 per word.
    pub fn enabled(&self, state: &[u32], out: &mut Vec<u64>) {
        debug_assert!(self.knows(state), "it is a state of the program");
        out.clear();
        let threads = || self.tables.iter().zip(state);
        if self.words <= FEW_WORDS {
            for word in 0..self.words {
                let (mut requested, mut blocked) = (0, 0);
                for (table, &local) in threads() {
                    let [request, block] = table.offers[local as usize * self.words + word];
                    requested |= request;
                    blocked |= block;
                }
                out.push(requested & !blocked);
            }
        } else {
            out.resize(self.words, 0);
            threads().for_each(|(table, &local)| table.request[local as usize].add_to(out));
            threads().for_each(|(table, &local)| table.block[local as usize].take_from(out));
        }
        if self.has_priorities() {
            self.keep_greatest(state, out);
        }
    }

    /// Removes the events that no thread requests with the greatest priority, which is the greatest of all requests for
    /// an event in `open`.
    fn keep_greatest(&self, state: &[u32], open: &mut [u64]) {
        let requests = |thread: usize| self.tables[thread].request[state[thread] as usize].iter().map(|event| event.0);
        let priority = |thread: usize| self.priorities[thread][state[thread] as usize];
        let is_heard = |&thread: &usize| requests(thread).any(|event| bit(open, event));
        let Some(greatest) = (0..state.len()).filter(is_heard).map(priority).max() else { return };
        let mut kept = vec![0; open.len()];
        for event in (0..state.len()).filter(|&thread| priority(thread) == greatest).flat_map(requests) {
            kept[event as usize / 64] |= 1 << (event % 64);
        }
        open.iter_mut().zip(kept).for_each(|(open, kept)| *open &= kept);
    }

    /// Returns the goal that `state` belongs to, given its enabled events.
    #[must_use]
    pub fn goal_with(&self, state: &[u32], enabled: &[u64]) -> Option<Goal> {
        if enabled.iter().any(|&word| word != 0) {
            return None;
        }
        debug_assert!(self.knows(state), "it is a state of the program");
        let bad = state.iter().enumerate().any(|(thread, &local)| self.is_bad(thread, local));
        Some(if bad { Goal::Bad } else { Goal::Deadlock })
    }

    /// Returns the goal that `state` belongs to, if there is one.
    #[must_use]
    pub fn goal(&self, state: &[u32]) -> Option<Goal> {
        let mut enabled = Vec::new();
        self.enabled(state, &mut enabled);
        self.goal_with(state, &enabled)
    }

    /// Passes every successor of `state` to `visit`; a successor may be passed several times. Returns the goal
    /// that `state` belongs to.
    ///
    /// # Errors
    /// The errors of `visit`.
    pub fn successors(
        &self,
        state: &[u32],
        scratch: &mut Scratch,
        mut visit: impl FnMut(&[u32]) -> Check<()>,
    ) -> Check<Option<Goal>> {
        let mut next = std::mem::take(&mut scratch.next);
        let goal = self.steps(state, scratch, |changes| {
            next.clear();
            next.extend_from_slice(state);
            for change in changes {
                next[change.slot] = change.to;
            }
            visit(&next)
        });
        scratch.next = next;
        goal
    }

    /// Passes every step from `state` to `visit`. A step is a list of changes, one for each thread that the
    /// event can move ([`Stepper::movers`]). Two steps may be equal. Returns the goal that `state` belongs to.
    ///
    /// # Errors
    /// The errors of `visit`.
    pub fn steps(
        &self,
        state: &[u32],
        scratch: &mut Scratch,
        mut visit: impl FnMut(&[Change]) -> Check<()>,
    ) -> Check<Option<Goal>> {
        let Scratch { enabled, changes, choices, .. } = scratch;
        self.enabled(state, enabled);
        for (index, &word) in enabled.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let event = index as u32 * 64 + rest.trailing_zeros();
                rest &= rest - 1;
                self.products(state, event, changes, choices, &mut visit)?;
            }
        }
        Ok(self.goal_with(state, enabled))
    }

    /// Passes the steps from `state` on `event` to `visit`, in the form of [`Stepper::steps`]. The event need
    /// not be enabled. There is one step for each combination of targets of the threads. The combinations are
    /// enumerated like the values of a counter, with one digit for each thread that has several targets.
    ///
    /// # Errors
    /// The errors of `visit`.
    pub fn products(
        &self,
        state: &[u32],
        event: u32,
        changes: &mut Vec<Change>,
        choices: &mut Vec<(usize, usize)>,
        visit: &mut impl FnMut(&[Change]) -> Check<()>,
    ) -> Check<()> {
        debug_assert!(self.knows(state) && (event as usize) < self.events, "state and event are the program's");
        changes.clear();
        choices.clear();
        for &thread in &self.movers[event as usize] {
            let slot = thread as usize;
            let from = state[slot];
            let targets = self.tables[slot].targets(from, event);
            assert!(!targets.is_empty(), "every thread has a target");
            if targets.len() > 1 {
                choices.push((changes.len(), 0));
            }
            changes.push(Change { slot, from, to: targets[0] });
        }
        debug_assert!(changes.windows(2).all(|w| w[0].slot < w[1].slot), "each thread moves once");
        loop {
            visit(changes)?;
            let mut wheel = 0;
            loop {
                let Some((place, at)) = choices.get_mut(wheel) else { return Ok(()) };
                let Change { slot, from, to } = &mut changes[*place];
                let targets = self.tables[*slot].targets(*from, event);
                *at = (*at + 1) % targets.len();
                *to = targets[*at];
                if *at != 0 {
                    break;
                }
                wheel += 1;
            }
        }
    }

    /// Passes every initial state to `visit`.
    ///
    /// # Errors
    /// The errors of `visit`.
    pub fn initial_states(&self, mut visit: impl FnMut(&[u32]) -> Check<()>) -> Check<()> {
        let mut at = vec![0; self.width()];
        let mut state: Vec<u32> = self.tables.iter().map(|t| t.initial[0]).collect();
        loop {
            visit(&state)?;
            let mut wheel = 0;
            loop {
                if wheel == at.len() {
                    return Ok(());
                }
                let initial = &self.tables[wheel].initial;
                at[wheel] = (at[wheel] + 1) % initial.len();
                state[wheel] = initial[at[wheel]];
                if at[wheel] != 0 {
                    break;
                }
                wheel += 1;
            }
        }
    }
}

/// Returns, for each event, the threads that it moves from at least one of their local states. On other events
/// a thread stays.
fn movers(program: &Program) -> Vec<Vec<u32>> {
    let mut movers = vec![Vec::new(); program.events().len()];
    for (thread, of) in program.threads().iter().enumerate() {
        for (local, state) in of.states.iter().enumerate() {
            for (event, targets) in &state.on {
                let threads: &mut Vec<u32> = &mut movers[event.index()];
                let moves = targets.iter().any(|to| to.index() != local);
                if moves && threads.last() != Some(&(thread as u32)) {
                    threads.push(thread as u32);
                }
            }
        }
    }
    debug_assert!(movers.iter().all(|threads| threads.windows(2).all(|w| w[0] < w[1])), "threads ascend, each once");
    movers
}

/// Returns true if the set with these words contains `event`.
#[must_use]
pub fn bit(words: &[u64], event: u32) -> bool {
    words[event as usize / 64] >> (event % 64) & 1 == 1
}

/// Returns the events in the set with these words, in ascending order.
pub fn bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let rest = std::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1))).take_while(|&w| w != 0);
        rest.map(move |w| index as u32 * 64 + w.trailing_zeros())
    })
}

/// Describes a composite state in words, for messages.
#[must_use]
pub fn describe(program: &Program, state: &[u32]) -> String {
    const SHOWN: usize = 12;
    let mut parts: Vec<String> = program
        .threads()
        .iter()
        .zip(state)
        .take(SHOWN)
        .map(|(t, &s)| match t.states.get(s as usize) {
            Some(local) => format!("{}={}", t.name, local.name),
            None => format!("{}=#{s}", t.name),
        })
        .collect();
    if state.len() > SHOWN {
        parts.push(format!("and {} more", state.len() - SHOWN));
    }
    format!("({})", parts.join(", "))
}
