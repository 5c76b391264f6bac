//! Search by stubborn sets: of the enabled events of a state only those of one *stubborn* set T are taken, chosen so that every
//! violation keeps a run that is no longer than before.
//!
//! Where threads go about their own business, most of a state space is made of the orders in which they may do so, and one
//! order is as good as another. What T must have is said by rules that look at each thread by itself, in its local
//! state of the moment. They are Valmari's weak stubborn sets, with the goal `bad` as something to be attracted to (Schmidt, "Stubborn
//! sets for model checking the EF/AG fragment of CTL", 1999); a bad state's blocking counts for nothing in them, else a
//! single marker would tie all threads together.
//!
//! # Rules
//!
//! Let q be a state that ends no run, a *move* of a local state s an event that s does not block and that takes its thread elsewhere, and
//! let a thread in s *come to* what holds of s or of a state that is not bad and reached from s by moves. In every thread:
//!
//! * (E) if e of T is enabled, then T has one of
//!   * *stay*: if e moves s: the moves of s after which the thread may come not to block e; and every event that s does not
//!     block and that leaves s as it is, if some target of e that is not bad blocks it, moves on it, or does not request
//!     it while s does. If e does not move s: the moves of s after which it may come to be moved by e;
//!   * *swap*: every f that somewhere among the states reached from s cannot be swapped with a following e;
//! * (D) if e of T is disabled, then either T has, for one thread that blocks e, its moves after which it may come not to block e, or
//!   nobody requests e, and T has of every thread the moves after which it may come to request e without blocking it;
//! * (B) if `bad` is asked, T has of every thread all its moves from which a bad state can still be reached, or all moves
//!   into bad states that the thread may come to;
//! * (K) if `deadlock` is asked, T has an enabled *key event*, of every thread the moves after which it may come to block the
//!   key, and of one thread that requests it the moves after which it may come not to.
//!
//! # Why it is enough
//!
//! Take a run from q to a goal that is asked, with n > 0 events. It has an event of T: a run into a bad state makes the moves of (B); and if a
//! run without events of T ended in a deadlock, nobody would have come to block the key event, and its requester would still
//! request it. Let e be the first, behind f1 .. fk outside T. It is enabled in q already: otherwise the thread that
//! blocks it in q would still do so, or nobody would have come to request it (D). And it can be done first. A thread that stays
//! and is moved by e has not been moved by f1 .. fk, since what moves it outside T leaves e blocked for good; and f1 .. fk
//! find its new state as they found the old one. A thread that stays and is not moved by e in q is not when e comes, so it need
//! not know when e came. A thread that swaps lets e pass fk, then the one before it, and so on. So e, f1 .. fk is a run to the
//! same state, or shorter, where e leads into a bad state at once. The search takes e in q, and from there a violation is
//! at most n - 1 events away. By induction it finds one, and one of the least length.
//!
//! There is no cycle proviso: what the argument counts is the distance to the goal, and it shrinks with every step that is kept.
//! Several goals: T keeps all rules at once. Which T is chosen is a matter of taste (`choose`); the checker finds its own.

mod choose;
mod local;
mod rules;
mod sets;
mod stepper;
#[cfg(test)]
mod tests;

use crate::{Explore, Options};
use model::{Budget, Certificate, Claim, Engine, Goal, ProgramTask, Reason, Stats, Turn};
use stepper::StubbornStepper;

/// Work units of one expansion: choosing a set takes several times as long as stepping.
const UNITS: u64 = 8;
/// Expansions before the search first asks whether it is worth its while; then whenever they have doubled.
const TRIAL: u64 = 1 << 10;
/// It is if it took at most so many of a hundred enabled events. On the corpus, searches that gain much take a third or less, and
/// those that leave out a sixth of the states at several times the cost take three quarters.
const WORTH_PERCENT: u64 = 60;

/// Breadth-first search of a behavioral program by stubborn sets. Gives up where they save next to nothing.
#[derive(Debug)]
pub struct Stubborn {
    /// Gone when everything is claimed. Not there at first if the program is too large for the rules.
    search: Option<Explore<StubbornStepper>>,
    /// Goals to give up at once.
    refused: Vec<Goal>,
    /// Expansions done, and how many there will be at the next look at what they save.
    done: u64,
    look: u64,
    stats: Stats,
}

impl Stubborn {
    /// A search for the goals of `task`. Costs a pass over the program's local states, and what their pairs of events cost.
    #[must_use]
    pub fn new(task: &ProgramTask) -> Self {
        let goals = task.goals().to_vec();
        let (search, refused) = match StubbornStepper::new(task.program(), &goals) {
            Some(stepper) => (Some(Explore::with(goals, Options::default(), stepper)), Vec::new()),
            None => (None, goals),
        };
        Self { search, refused, done: 0, look: TRIAL, stats: Stats::default() }
    }

    /// Asks the search for expansions until it has a claim, it is time to look, or the budget ends.
    fn advance(search: &mut Explore<StubbornStepper>, expansions: u64, budget: &mut Budget) -> (Turn, u64) {
        let mut portion = Budget::new(expansions.min(budget.work.div_ceil(UNITS)), budget.stop.clone());
        let before = portion.work;
        let turn = search.run(&mut portion);
        let used = portion.spent_of(before);
        budget.spend(used.saturating_mul(UNITS));
        (turn, used)
    }

    /// Did the expansions so far leave out too few events?
    fn is_worthless(&mut self) -> bool {
        let Some(sweep) = self.search.as_mut().and_then(|search| search.search.as_mut()) else { return false };
        let (enabled, chosen) = sweep.stepper().enabled_and_chosen();
        u128::from(chosen) * 100 > u128::from(enabled) * u128::from(WORTH_PERCENT)
    }
}

impl Engine for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            let Some(search) = &mut self.search else {
                let goals = std::mem::take(&mut self.refused);
                if goals.is_empty() {
                    return Turn::Done;
                }
                return Turn::Claims(Claim::Unknown { goals, reason: Reason::GaveUp });
            };
            let (turn, used) = Self::advance(search, self.look - self.done, budget);
            self.done += used;
            self.stats = search.stats();
            match turn {
                Turn::More => {
                    if self.done >= self.look {
                        self.look = self.look.saturating_mul(2);
                        if self.is_worthless() {
                            self.refused = self.search.take().map(|search| search.open).unwrap_or_default();
                            continue;
                        }
                    }
                    if budget.work == 0 || budget.stop.raised().is_some() {
                        return Turn::More;
                    }
                }
                Turn::Claims(Claim::Safe { goals, certificate: Certificate::StateSet(states) }) => {
                    return Turn::Claims(Claim::Safe { goals, certificate: Certificate::Reduced(states) });
                }
                turn => return turn,
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: claims of this engine are no candidates.
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
