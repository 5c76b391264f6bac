//! Clauses over the local states of a behavioral program's threads, as evidence.
//!
//! A variable is true if a certain thread is in a certain local state. Each thread has one variable for each of
//! its locally reachable states. The thread is always in one of these states, because every local state of every
//! run is locally reachable. A *named* thread is one that the clauses mention. The formulas are:
//! * *Initial.* Each named thread is in one of its initial states, and some clause is broken.
//! * *Step.* No thread is in a bad state, because a bad state blocks every event. The clauses hold. One event
//!   fires: some thread requests it and no thread blocks it. Each named thread moves to one of its targets if
//!   its state mentions the event; otherwise it stays. Some clause is broken afterwards. Events that no named
//!   thread mentions in a locally reachable state are omitted.
//! * *Excluded, bad.* The clauses hold, and some thread is in a bad state.
//! * *Excluded, deadlock.* The clauses hold, no thread is in a bad state, and each event that some thread
//!   requests is blocked by a thread.
//!
//! 1. The omitted events cannot break a clause. Proof: they leave the local states of all named threads
//!    unchanged, so clauses that held before hold afterwards.
//! 2. Suppose that a step leads from a reachable state in which the clauses hold to a state that breaks a
//!    clause. Then *Step* has a model. Proof: by claim 1, the event of the step is not omitted. The model
//!    consists of the local states before and after the step, the event, and the values of the counters. (A
//!    counter is a list of auxiliary variables for the constraint that at most one of several literals is true.)
//!    Initial states and goal states give models of the other formulas in the same way.

use super::stepper::{Stepper, bit, bits};
use crate::clauses::Encoded;
use crate::work::Work;
use crate::writer::Writer;
use crate::{Check, reject};
use model::cnf::Cnf;
use model::{Bit, Clausal, EventId, Goal};
use std::collections::BTreeSet;

/// The encoding of a program as clauses.
#[derive(Debug)]
pub struct Encoding<'a> {
    stepper: &'a Stepper,
    /// For each thread: its locally reachable states, in ascending order.
    reachable: Vec<Vec<u32>>,
}

impl<'a> Encoding<'a> {
    /// Creates the encoding of this program.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn new(stepper: &'a Stepper, work: &mut Work<'_>) -> Check<Self> {
        let threads = 0..stepper.width();
        let reachable = threads.map(|thread| stepper.locally_reachable(thread, work)).collect::<Check<_>>()?;
        Ok(Self { stepper, reachable })
    }

    fn formulas<'s>(&'s self, invariant: &'s Clausal) -> Formulas<'s> {
        let bits: Vec<(usize, u32)> = invariant.bits.iter().filter_map(place).collect();
        assert_eq!(bits.len(), invariant.bits.len(), "every bit is one of a program");
        let named: BTreeSet<usize> = bits.iter().map(|(thread, _)| *thread).collect();
        Formulas { stepper: self.stepper, of: self, invariant, bits, named: named.into_iter().collect() }
    }
}

impl Encoded for Encoding<'_> {
    fn knows(&self, bit: &Bit) -> bool {
        place(bit).is_some_and(|(thread, local)| {
            thread < self.stepper.width() && (local as usize) < self.stepper.size(thread)
        })
    }

    fn initial(&self, clauses: &Clausal, work: &mut Work<'_>) -> Check<Cnf> {
        self.formulas(clauses).initial(work)
    }

    fn step(&self, clauses: &Clausal, work: &mut Work<'_>) -> Check<Cnf> {
        self.formulas(clauses).step(work)
    }

    fn excluded(&self, clauses: &Clausal, goal: Goal, work: &mut Work<'_>) -> Check<Cnf> {
        match goal {
            Goal::Bad => self.formulas(clauses).bad(work),
            Goal::Deadlock => self.formulas(clauses).deadlock(work),
            _ => reject("clauses of a program exclude only the goals bad and deadlock"),
        }
    }
}

fn place(bit: &Bit) -> Option<(usize, u32)> {
    if let Bit::In(thread, local) = bit { Some((thread.index(), local.0)) } else { None }
}

struct Formulas<'a> {
    stepper: &'a Stepper,
    of: &'a Encoding<'a>,
    invariant: &'a Clausal,
    /// For each bit: its thread and local state.
    bits: Vec<(usize, u32)>,
    /// The threads that the clauses mention, in ascending order.
    named: Vec<usize>,
}

/// The literals of one composite state. For each thread: the literals of its locally reachable states, in the
/// same order; empty for threads that the formula does not mention.
struct State {
    literals: Vec<Vec<i32>>,
    /// A literal that is false, for local states that are not locally reachable.
    never: i32,
}

impl Formulas<'_> {
    /// Returns the locally reachable states of a thread, in ascending order.
    fn reachable(&self, thread: usize) -> &[u32] {
        &self.of.reachable[thread]
    }

    /// Returns the locally reachable states of a thread with their literals.
    fn states<'s>(&'s self, state: &'s State, thread: usize) -> impl Iterator<Item = (u32, i32)> + 's {
        self.reachable(thread).iter().copied().zip(state.literals[thread].iter().copied())
    }

    fn literal(&self, state: &State, thread: usize, local: u32) -> i32 {
        match self.reachable(thread).binary_search(&local) {
            Ok(at) => state.literals[thread][at],
            Err(_) => state.never,
        }
    }

    /// Returns the map from bits of the clauses to literals.
    fn bit<'s>(&'s self, state: &'s State) -> impl Fn(usize) -> i32 + 's {
        |bit| {
            let (thread, local) = self.bits[bit];
            self.literal(state, thread, local)
        }
    }

    /// Adds variables and clauses for "each of these threads is in one of its local states".
    fn state(&self, among: &[usize], writer: &mut Writer, work: &mut Work<'_>) -> Check<State> {
        let mut literals = vec![Vec::new(); self.stepper.width()];
        let never = -writer.truth(work)?;
        for &thread in among {
            let own = writer.variables(self.reachable(thread).len(), work)?;
            writer.add(own.iter().copied(), work)?;
            writer.at_most_one(&own, work)?;
            literals[thread] = own;
        }
        debug_assert_eq!(literals.len(), self.stepper.width(), "a list for each thread");
        Ok(State { literals, never })
    }

    fn all_threads(&self) -> Vec<usize> {
        (0..self.stepper.width()).collect()
    }

    fn initial(&self, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let state = self.state(&self.named, &mut writer, work)?;
        for &thread in &self.named {
            let initial = self.stepper.initial(thread);
            for (local, literal) in self.states(&state, thread) {
                if !initial.contains(&local) {
                    writer.add([-literal], work)?;
                }
            }
        }
        writer.some_is_broken(&self.invariant.clauses, self.bit(&state), work)?;
        Ok(writer.finish())
    }

    /// Adds a composite state of all threads in which all clauses hold.
    fn holding(&self, writer: &mut Writer, work: &mut Work<'_>) -> Check<State> {
        let state = self.state(&self.all_threads(), writer, work)?;
        writer.all_hold(&self.invariant.clauses, self.bit(&state), work)?;
        Ok(state)
    }

    /// Returns the literals of all bad states.
    fn bad_literals(&self, state: &State) -> Vec<i32> {
        let mut literals = Vec::new();
        for thread in 0..self.stepper.width() {
            let bad = self.states(state, thread).filter(|(local, _)| self.stepper.is_bad(thread, *local));
            literals.extend(bad.map(|(_, literal)| literal));
        }
        literals
    }

    fn none_is_bad(&self, state: &State, writer: &mut Writer, work: &mut Work<'_>) -> Check<()> {
        self.bad_literals(state).into_iter().try_for_each(|literal| writer.add([-literal], work))
    }

    fn bad(&self, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let state = self.holding(&mut writer, work)?;
        writer.add(self.bad_literals(&state), work)?;
        Ok(writer.finish())
    }

    /// Returns, for each event in `wanted`, the literals of the states that request it, and the literals of the
    /// states that block it. Bad states are left out.
    fn requests_and_blocks(&self, state: &State, wanted: &[u64], work: &mut Work<'_>) -> Check<[Vec<Vec<i32>>; 2]> {
        let mut requests = vec![Vec::new(); self.stepper.events()];
        let mut blocks = vec![Vec::new(); self.stepper.events()];
        for thread in 0..self.stepper.width() {
            let fine = self.states(state, thread).filter(|(local, _)| !self.stepper.is_bad(thread, *local));
            for (local, literal) in fine {
                let sides = [
                    (self.stepper.request(thread, local), &mut requests),
                    (self.stepper.block(thread, local), &mut blocks),
                ];
                for (set, by_event) in sides {
                    work.spend(1)?;
                    for event in set.iter() {
                        work.spend(1)?;
                        if bit(wanted, event.0) {
                            by_event[event.index()].push(literal);
                        }
                    }
                }
            }
        }
        Ok([requests, blocks])
    }

    fn deadlock(&self, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let state = self.holding(&mut writer, work)?;
        self.none_is_bad(&state, &mut writer, work)?;
        let all = vec![u64::MAX; self.stepper.words()];
        let [requests, blocks] = self.requests_and_blocks(&state, &all, work)?;
        for (requests, blocks) in requests.iter().zip(blocks).filter(|(requests, _)| !requests.is_empty()) {
            let requested = writer.variable(work)?;
            for literal in requests {
                writer.add([-literal, requested], work)?;
            }
            writer.add(std::iter::once(-requested).chain(blocks), work)?;
        }
        Ok(writer.finish())
    }

    fn step(&self, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let before = self.holding(&mut writer, work)?;
        self.none_is_bad(&before, &mut writer, work)?;
        let wanted = self.mentioned(work)?;
        let [requests, blocks] = self.requests_and_blocks(&before, &wanted, work)?;
        let mut events: Vec<Option<i32>> = vec![None; self.stepper.events()];
        for event in bits(&wanted).map(|event| event as usize).filter(|&event| !requests[event].is_empty()) {
            let fires = writer.variable(work)?;
            writer.add(std::iter::once(-fires).chain(requests[event].iter().copied()), work)?;
            for literal in &blocks[event] {
                writer.add([-fires, -literal], work)?;
            }
            events[event] = Some(fires);
        }
        let fires: Vec<i32> = events.iter().flatten().copied().collect();
        writer.at_most_one(&fires, work)?;
        writer.add(fires, work)?;
        let after = self.state(&self.named, &mut writer, work)?;
        for &thread in &self.named {
            self.moves(thread, &before, &after, &events, &mut writer, work)?;
        }
        writer.some_is_broken(&self.invariant.clauses, self.bit(&after), work)?;
        Ok(writer.finish())
    }

    /// Returns the events that a named thread mentions in a locally reachable state.
    fn mentioned(&self, work: &mut Work<'_>) -> Check<Vec<u64>> {
        let mut words = vec![0; self.stepper.words()];
        for &thread in &self.named {
            for &local in self.reachable(thread) {
                for (event, _) in self.stepper.mentioned(thread, local) {
                    work.spend(1)?;
                    words[event as usize / 64] |= 1 << (event % 64);
                }
            }
        }
        Ok(words)
    }

    /// Adds clauses for the move of a thread. `events[e]` is the literal for "event `e` fires", if the event
    /// can fire.
    fn moves(
        &self,
        thread: usize,
        before: &State,
        after: &State,
        events: &[Option<i32>],
        writer: &mut Writer,
        work: &mut Work<'_>,
    ) -> Check<()> {
        for (local, here) in self.states(before, thread).filter(|(local, _)| !self.stepper.is_bad(thread, *local)) {
            let blocked = self.stepper.block(thread, local);
            let mut stays = vec![-here, self.literal(after, thread, local)];
            for (event, targets) in self.stepper.mentioned(thread, local) {
                work.spend(1 + targets.len() as u64)?;
                // An event that this state blocks does not fire.
                let Some(fires) = events[event as usize].filter(|_| !blocked.contains(EventId(event))) else {
                    continue;
                };
                let to = targets.iter().map(|&target| self.literal(after, thread, target));
                writer.add([-fires, -here].into_iter().chain(to), work)?;
                stays.push(fires);
            }
            writer.add(stays, work)?;
        }
        Ok(())
    }
}
