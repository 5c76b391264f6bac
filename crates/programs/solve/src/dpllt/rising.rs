//! The search with lemmas, in which patterns are recognised with rising effort.
//!
//! Most recognisers finish at once. Those that analyse pairs of threads may take half a second and find
//! nothing. So all recognisers first get little effort, and the resulting lemmas are tried alone. Goals that
//! are still open are tried again with more effort, after turns have paid for the earlier effort. This is
//! iterative deepening (Korf 1985): all repetitions together cost less than the last one. The search itself
//! starts when no recogniser is cut off any more.

use crate::dpllt::Dpllt;
use model::{Budget, Claim, Engine, Goal, Stats, Turn};

/// The first effort for each recogniser and goal, in looks (see [`model::Effort`]): about half a millisecond.
const FIRST_EFFORT: u64 = 50_000;

/// Factor by which the effort rises.
const FACTOR: u64 = 8;

/// Looks of recognisers per work unit, which is about a microsecond.
const LOOKS_PER_UNIT: u64 = 80;

/// A function that creates the search with a given effort for each recogniser and goal.
type Make<'a> = Box<dyn Fn(u64) -> Dpllt + Send + 'a>;

/// A function that wraps the search so that its claims are lifted to the problem as read.
type LiftEngine<'a> = Box<dyn Fn(Dpllt) -> Box<dyn Engine> + Send + 'a>;

/// The engine: searches with rising effort, one after the other.
pub struct Rising<'a> {
    make: Make<'a>,
    lift: LiftEngine<'a>,
    /// True if searches in which no pattern applies are skipped.
    needs_match: bool,
    effort: u64,
    search: Option<Box<dyn Engine>>,
    is_cut_off: bool,
    is_over: bool,
    /// Goals that are settled.
    settled: Vec<Goal>,
    /// Counts of the last search that ended.
    ended: Stats,
}

impl<'a> Rising<'a> {
    /// Creates the engine. `make` creates a search with a given effort, and `lift` wraps it so that its claims
    /// are lifted.
    #[must_use]
    pub fn new(
        needs_match: bool,
        make: impl Fn(u64) -> Dpllt + Send + 'a,
        lift: impl Fn(Dpllt) -> Box<dyn Engine> + Send + 'a,
    ) -> Self {
        Self {
            make: Box::new(make),
            lift: Box::new(lift),
            needs_match,
            effort: FIRST_EFFORT,
            search: None,
            is_cut_off: false,
            is_over: false,
            settled: Vec::new(),
            ended: Stats::default(),
        }
    }

    /// Creates the search with the current effort. If no pattern applies but the search needs one, ends the
    /// search with this effort.
    fn recognise(&mut self, budget: &mut Budget) {
        let mut search = (self.make)(self.effort);
        budget.spend(search.looks() / LOOKS_PER_UNIT);
        self.is_cut_off = search.is_cut_off();
        if self.needs_match && !search.has_match() {
            if !search.has_no_bad_state() {
                self.rise();
                return;
            }
            search.only_lemmas();
        }
        let mut search = (self.lift)(search);
        self.settled.sort_unstable();
        search.settled(&self.settled);
        self.search = Some(search);
    }

    /// Ends the search with the current effort. Another search follows if recognisers were cut off.
    fn rise(&mut self) {
        if let Some(search) = self.search.take() {
            self.ended = search.stats();
        }
        self.is_over = !self.is_cut_off || self.effort == u64::MAX;
        self.effort = self.effort.saturating_mul(FACTOR);
    }
}

impl Engine for Rising<'_> {
    fn name(&self) -> &'static str {
        "dpllt"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.is_over {
            if self.search.is_none() {
                self.recognise(budget);
            }
            if !budget.spend(0) {
                return Turn::More;
            }
            let Some(search) = &mut self.search else { continue };
            match search.run(budget) {
                Turn::Done => self.rise(),
                Turn::Claims(claim) => {
                    match &claim {
                        Claim::Safe { goals, .. } => self.settled.extend(goals),
                        Claim::Unsafe { goal, .. } => self.settled.push(*goal),
                        _ => {}
                    }
                    return Turn::Claims(claim);
                }
                Turn::More => return Turn::More,
            }
        }
        Turn::Done
    }

    fn refused(&mut self, goal: Goal) {
        self.settled.retain(|settled| *settled != goal);
        if let Some(search) = &mut self.search {
            search.refused(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.settled.extend(goals);
        if let Some(search) = &mut self.search {
            search.settled(goals);
        }
    }

    fn stats(&self) -> Stats {
        self.search.as_ref().map_or_else(|| self.ended.clone(), |search| search.stats())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        ConcreteRun, Coverage, Effort, EventId, EventSet, Lemma, LemmaKind, LemmaLit, LocalId, LocalState, Match,
        Pattern, Program, ProgramTask, Prop, Stop, Thread, ThreadId, Values, WhyNot,
    };
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    /// Looks that the recogniser needs.
    const NEEDED: u64 = 1_000_000;

    /// A pattern that excludes the goal if its effort suffices.
    struct Slow;

    impl Pattern for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }

        fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
            self.recognize_within(threads, goal, &mut Effort::new(NEEDED))
        }

        fn recognize_within(&self, _: &[Thread], goal: Goal, effort: &mut Effort) -> Result<Box<dyn Match>, WhyNot> {
            let is_enough = effort.spend(NEEDED);
            if is_enough { Ok(Box::new(Never(goal))) } else { Err(WhyNot::new(None, "too little effort")) }
        }
    }

    struct Never(Goal);

    impl Match for Never {
        fn coverage(&self) -> Coverage {
            Coverage { goal: self.0, threads: vec![ThreadId(0)] }
        }

        fn on_start(&mut self, out: &mut Vec<Lemma>) {
            let clause = vec![LemmaLit::no(Prop::Ends(self.0))];
            out.push(Lemma { kind: LemmaKind("slow.never"), clause, justification: None });
        }

        fn witness(&self, _: &ConcreteRun) -> Values {
            Values::new()
        }
    }

    /// Builds a task with one thread of two states. The event that leads to the bad state is not requested.
    fn task() -> ProgramTask {
        let state = LocalState {
            name: "s".to_owned(),
            request: EventSet::from_events(2, [EventId(0)]),
            block: EventSet::empty(2),
            bad: false,
            on: BTreeMap::from([(EventId(1), vec![LocalId(1)])]),
        };
        let thread = Thread {
            name: "t".to_owned(),
            states: vec![state, LocalState::bad("b".to_owned(), 2)],
            initial: vec![LocalId(0)],
        };
        let program =
            Program::new(vec!["e".to_owned(), "f".to_owned()], vec![thread], vec![Goal::Bad]).expect("well formed");
        ProgramTask::new(Arc::new(program), [Goal::Bad])
    }

    #[test]
    fn effort_rises_until_no_recogniser_is_cut_off() {
        let (task, efforts) = (task(), Mutex::new(Vec::new()));
        let make = |effort| {
            efforts.lock().unwrap().push(effort);
            Dpllt::within(&task, &[&Slow], crate::dpllt::Options::default(), effort)
        };
        let mut rising = Rising::new(true, make, |search| Box::new(search));
        let (mut spent, mut turns) = (0, 0);
        loop {
            let mut budget = Budget::new(100, Arc::new(Stop::default()));
            let turn = rising.run(&mut budget);
            spent += budget.spent_of(100);
            turns += 1;
            match turn {
                Turn::More => {}
                Turn::Claims(Claim::Safe { goals, .. }) => {
                    assert_eq!(goals, [Goal::Bad]);
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(*efforts.lock().unwrap(), [50_000, 400_000, 3_200_000]);
        assert!(turns >= 3, "each effort ends a turn");
        let looks = 50_000 + 400_000 + NEEDED;
        assert!(spent >= looks / LOOKS_PER_UNIT, "{spent} units are less than the looks took");
    }

    #[test]
    fn a_goal_that_is_settled_is_not_asked_again() {
        let task = task();
        let make = |effort| Dpllt::within(&task, &[&Slow], crate::dpllt::Options::default(), effort);
        let mut rising = Rising::new(true, make, |search| Box::new(search));
        rising.settled(&[Goal::Bad]);
        let turn = rising.run(&mut Budget::unlimited(Arc::new(Stop::default())));
        assert!(matches!(turn, Turn::Done), "{turn:?}");
    }
}
