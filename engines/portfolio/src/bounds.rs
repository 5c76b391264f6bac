//! One bound after the other.
//!
//! Most engines begin anew for each. IC3 on bits keeps what it has learnt: the next bound changes where runs start
//! and how much is left of the budget, and lemmas that this does not touch stay. It also follows the searches of
//! `auto`, which know nothing beyond a bound that cuts them off, and prove nothing within it.

use crate::decide::decide;
use crate::entrant::{Entrant, Role};
use crate::net::{self, Bits};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::settled::Settled;
use crate::turns::Turns;
use crate::{engines, plan, shortest};
use ic3::Ic3Bits;
use model::{Budget, Engine, Goal, MarkedTask, Problem, Stats, Turn};
use reduce::{Home, Mapped};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Checks one problem within growing bounds, each with its own [`Options::bound`].
#[derive(Default)]
pub struct Bounds {
    kept: Option<Kept>,
}

struct Kept {
    engine: Rc<RefCell<Ic3Bits>>,
    home: Arc<dyn Home>,
    goals: Vec<Goal>,
}

impl Bounds {
    /// As [`check`](crate::check); what the call before has learnt is used. The problem must be the same each time,
    /// but for properties that are settled and no longer there.
    pub fn check(&mut self, problem: &Problem, options: &Options<'_>) -> Outcome {
        let alone = procedure(options).is_some();
        let follows = options.engine.is_none() && problem.goals().count() <= plan::OWN_SLICES;
        let mut turns = if alone { Turns::default() } else { plan::plan(problem, options) };
        match (options.bound, MarkedTask::of(problem)) {
            (Some(bound), Some(task)) if !options.explore_all && (alone || follows) => {
                self.enter(problem, &task, options, bound, &mut turns);
            }
            _ if alone => turns = plan::plan(problem, options),
            _ => {}
        }
        let outcome = decide(problem, options, turns);
        if options.shortest { shortest::prove(problem, options, outcome) } else { outcome }
    }

    /// Enters the engine that is kept, alone or behind those who are there.
    fn enter<'a>(
        &mut self,
        problem: &'a Problem,
        task: &MarkedTask<'_>,
        options: &'a Options<'_>,
        bound: u64,
        turns: &mut Turns<'a>,
    ) {
        let alone = options.engine.is_some();
        if self.kept.is_none() {
            let how = reduce::Options { slice: options.slice, bound: Some(bound) };
            let reduced = reduce::prepare(task, &how);
            let Some(engine) = net::chosen_bits(&reduced.task, options, procedure(options).unwrap_or(Bits::Plain))
            else {
                if alone {
                    *turns = plan::plan(problem, options);
                }
                return;
            };
            if alone {
                turns.enter(Entrant::ready(Box::new(Settled::new("slice", reduced.settled))));
            }
            self.kept =
                Some(Kept { engine: Rc::new(RefCell::new(engine)), home: reduced.back, goals: task.goals().to_vec() });
        }
        let kept = self.kept.as_ref().expect("made above");
        let settled: Vec<Goal> = kept.goals.iter().copied().filter(|g| !problem.goals().any(|h| h == *g)).collect();
        kept.engine.borrow_mut().settled(&settled);
        kept.engine.borrow_mut().set_bound(bound);
        let shared = Box::new(Shared(Rc::clone(&kept.engine)));
        let entrant = Entrant::ready(Box::new(Mapped::new(shared, Arc::clone(&kept.home))));
        turns.enter(entrant.in_role(if alone { Role::Main } else { Role::Follower }));
    }
}

/// The procedure of IC3 on bits that was chosen, if it is one that keeps what it learns.
fn procedure(options: &Options<'_>) -> Option<Bits> {
    let row = options.engine?;
    let kept = [(&engines::IC3_BITS, Bits::Plain), (&engines::IC3_BOUNDED, Bits::Bounded)];
    kept.into_iter().find(|(known, _)| *known == row).map(|(_, bits)| bits)
}

/// The engine of all bounds, for one of them.
struct Shared(Rc<RefCell<Ic3Bits>>);

impl Engine for Shared {
    fn name(&self) -> &'static str {
        self.0.borrow().name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        self.0.borrow_mut().run(budget)
    }

    fn refused(&mut self, goal: Goal) {
        self.0.borrow_mut().refused(goal);
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.0.borrow_mut().settled(goals);
    }

    fn stats(&self) -> Stats {
        self.0.borrow().stats()
    }
}
