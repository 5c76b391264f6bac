//! The search for an answer to one goal: abstract, explore, try the violation found on the other threads, and
//! keep more of them (counterexample-guided refinement: Clarke, Grumberg, Jha, Lu and Veith 2000).

use crate::thread_abstraction::attempt::Attempt;
use crate::thread_abstraction::kept::{CHOOSING, Candidate, KeptSets};
use crate::thread_abstraction::realise::{self, Failure, Realised};
use crate::thread_abstraction::run::AbstractRun;
use crate::thread_abstraction::simulate::{Positions, hear};
use crate::thread_abstraction::spurious::Spurious;
use crate::thread_abstraction::threads::Threads;
use model::{Certificate, Goal, Reason, Stop, Trace};
use search::{Pause, StateId};
use std::sync::Arc;

/// Work units for the first exploration of a set of threads. Each later exploration of the set gets eight times
/// as many.
const ALLOWANCE: u64 = 1 << 12;

/// Positions of words in threads that are processed per work unit.
const POSITIONS_PER_UNIT: u64 = 4;

/// The result of a turn.
#[derive(Debug)]
pub(crate) enum AbstractionResult {
    Safe(Certificate),
    /// A run of the whole program into the goal, with the state in which it ends.
    Unsafe(Trace, Vec<u32>),
    /// The search has ended without an answer.
    Nothing(Reason),
    More,
}

/// Statistics of the search for a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    /// Work units spent.
    pub(crate) spent: u64,
    /// States of the current exploration, or the last one.
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    /// States of all earlier explorations.
    pub(crate) projected: u64,
    /// Number of threads kept in the current exploration.
    pub(crate) kept: u64,
    /// Number of violations that were spurious.
    pub(crate) refinements: u64,
}

/// The search for one goal.
#[derive(Debug)]
pub(crate) struct AbstractionSearch {
    pub(crate) goal: Goal,
    sets: KeptSets,
    current: Option<(Candidate, Attempt)>,
    pub(crate) counts: Counts,
}

impl AbstractionSearch {
    pub(crate) fn new(threads: &Threads, goal: Goal) -> Self {
        let must = if goal == Goal::Bad { threads.markers() } else { &[] };
        Self { goal, sets: KeptSets::new(threads, must), current: None, counts: Counts::default() }
    }

    /// Runs the search for about `most` units, but at least one step. The units spent are in `counts`. They may
    /// be more than `most`.
    pub(crate) fn run(&mut self, threads: &Arc<Threads>, most: u64, stop: &Stop) -> AbstractionResult {
        let end = self.counts.spent.saturating_add(most.max(1));
        while self.counts.spent < end && stop.raised().is_none() {
            let found = match self.current.take() {
                None => self.open(threads, (end - self.counts.spent).min(CHOOSING), stop),
                Some((candidate, attempt)) => self.explore(threads, candidate, attempt, end, stop),
            };
            if !matches!(found, AbstractionResult::More) {
                return found;
            }
        }
        AbstractionResult::More
    }

    /// Starts exploring the next set of threads, if it is found within `most` work units.
    fn open(&mut self, threads: &Arc<Threads>, most: u64, stop: &Stop) -> AbstractionResult {
        if !stop.may_allocate(self.sets.growth_bytes(threads.len())) {
            return AbstractionResult::Nothing(stop.raised().unwrap_or(Reason::Memory));
        }
        let (candidate, work) = self.sets.next(threads, most);
        self.counts.spent += work;
        let Some(candidate) = candidate else {
            return if self.sets.is_empty() {
                AbstractionResult::Nothing(Reason::GaveUp)
            } else {
                AbstractionResult::More
            };
        };
        self.counts.projected += self.counts.states;
        self.counts.states = 0;
        self.counts.kept = candidate.kept.len() as u64;
        self.counts.spent += Attempt::setup(threads, &candidate.kept);
        let attempt = Attempt::new(threads, candidate.kept.clone(), self.goal);
        self.current = Some((candidate, attempt));
        AbstractionResult::More
    }

    fn explore(
        &mut self,
        threads: &Arc<Threads>,
        candidate: Candidate,
        mut attempt: Attempt,
        end: u64,
        stop: &Stop,
    ) -> AbstractionResult {
        let allowance = ALLOWANCE.saturating_mul(8u64.saturating_pow(candidate.level));
        let (before, transitions) = (attempt.units(), attempt.transitions());
        let most = allowance.min(before.saturating_add(end - self.counts.spent));
        let pause = attempt.explore(most, stop);
        self.counts.spent += (attempt.units() - before).max(1);
        self.counts.transitions += attempt.transitions() - transitions;
        self.counts.states = attempt.states();
        match pause {
            Pause::Hit(id) => return self.examine(threads, attempt, id, stop),
            Pause::Exhausted => return AbstractionResult::Safe(attempt.into_certificate()),
            Pause::Stuck(reason) => return AbstractionResult::Nothing(reason),
            Pause::Turn | Pause::Dear if attempt.units() >= allowance => self.sets.postpone(candidate),
            Pause::Turn | Pause::Dear => self.current = Some((candidate, attempt)),
        }
        AbstractionResult::More
    }

    /// Checks whether the violation is real. If it is not, finds threads that exclude it.
    fn examine(&mut self, threads: &Threads, mut attempt: Attempt, id: StateId, stop: &Stop) -> AbstractionResult {
        let memory = || AbstractionResult::Nothing(stop.raised().unwrap_or(Reason::Memory));
        let Some(run) = attempt.run_to(threads, id, stop) else { return memory() };
        if !stop.may_allocate(self.sets.growth_bytes(run.kept.len())) {
            return memory();
        }
        let positions = Positions::new(threads, &run.word);
        let Some(heard) = hear(threads, &positions, &run, stop) else { return memory() };
        self.counts.spent += 1 + (heard.work + run.word.len() as u64) / POSITIONS_PER_UNIT;
        let violation = if heard.blockers.is_empty() && heard.lacking.is_empty() {
            if !stop.may_allocate(realise::bytes(threads, run.word.len(), heard.work)) {
                return memory();
            }
            self.counts.spent += 1 + (heard.work + threads.len() as u64) / POSITIONS_PER_UNIT;
            match self.realise(threads, &positions, &run) {
                Ok(real) => return AbstractionResult::Unsafe(real.trace, real.last),
                Err(violation) => violation,
            }
        } else {
            Spurious::word(threads, heard.blockers, &heard.lacking)
        };
        self.counts.refinements += 1;
        self.counts.spent += self.sets.learn(threads, &run.kept, violation);
        AbstractionResult::More
    }

    /// Returns the run of the whole program over this word, if it ends in the goal.
    fn realise(&self, threads: &Threads, positions: &Positions<'_>, run: &AbstractRun) -> Result<Realised, Spurious> {
        let real = match realise::realise(threads, positions, run) {
            Ok(real) => real,
            Err(Failure::Blocked(thread)) => return Err(Spurious::word(threads, vec![thread], &[])),
            Err(Failure::Unrequested(event)) => return Err(Spurious::word(threads, Vec::new(), &[event])),
        };
        if self.goal == Goal::Bad {
            return Ok(real);
        }
        let enabled = realise::enabled(threads, &real.last);
        if enabled.is_empty() { Ok(real) } else { Err(Spurious::deadlock(threads, &enabled)) }
    }
}
