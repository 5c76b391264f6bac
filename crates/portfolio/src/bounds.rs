//! Checks a problem within several bounds, one after another.
//!
//! Most engines start again for each bound. IC3 on bits keeps its lemmas: a new bound only changes the initial
//! states and the number of tokens that may still be added, and lemmas that do not depend on either stay valid.
//! In `auto`, IC3 on bits also works after the other engines ([`Role::Follower`]): a search that the bound cuts
//! off proves nothing, neither within the bound nor beyond it.

use crate::decide::decide;
use crate::entrant::{Entrant, Role};
use crate::net::{self, Bits};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::settled::Settled;
use crate::turns::Turns;
use crate::{composed, engines, plan, shortest};
use model::{Budget, Engine, Goal, MarkedTask, Problem, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};
use model::{Lift, Mapped};
use nets::Ic3Bits;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Checks one problem within growing bounds. Each call has its own [`Options::bound`].
#[derive(Default)]
pub struct Bounds {
    kept: Option<Kept>,
}

struct Kept {
    engine: Arc<Mutex<Ic3Bits>>,
    lift: Arc<dyn Lift>,
    goals: Vec<Goal>,
}

impl Bounds {
    /// Checks the problem like [`check`](crate::check), and reuses what earlier calls learnt. Every call must
    /// pass the same problem, except that settled properties may be left out.
    pub fn check(&mut self, problem: &Problem, options: &Options<'_>) -> Outcome {
        if composed::is_asked(problem) {
            return composed::check(problem, options);
        }
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
        let outcome = decide(problem, options, turns.kept_by(options.checkpoint, String::new()), None);
        if options.shortest { shortest::prove(problem, options, outcome) } else { outcome }
    }

    /// Adds the kept engine to `turns`. The first call creates the engine. If the user named it, it runs alone.
    /// Otherwise it follows the engines that `turns` already contains.
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
            let how = nets::reduce::Options { slice: options.slice, bound: Some(bound) };
            let reduced = nets::reduce::prepare(task, &how);
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
                Some(Kept { engine: Arc::new(Mutex::new(engine)), lift: reduced.lift, goals: task.goals().to_vec() });
        }
        let kept = self.kept.as_ref().expect("made above");
        let settled: Vec<Goal> = kept.goals.iter().copied().filter(|g| !problem.goals().any(|h| h == *g)).collect();
        lock(&kept.engine).settled(&settled);
        lock(&kept.engine).set_bound(bound);
        let shared = Box::new(Shared(Arc::clone(&kept.engine)));
        let entrant = Entrant::ready(Box::new(Mapped::new(shared, Arc::clone(&kept.lift))));
        turns.enter(entrant.in_role(if alone { Role::Main } else { Role::Follower }));
    }
}

/// Returns the variant of IC3 on bits that the user chose, if this variant keeps its lemmas between bounds.
fn procedure(options: &Options<'_>) -> Option<Bits> {
    let row = options.engine?;
    let kept = [(&engines::IC3_BITS, Bits::Plain), (&engines::IC3_BOUNDED, Bits::Bounded)];
    kept.into_iter().find(|(known, _)| *known == row).map(|(_, bits)| bits)
}

/// Locks the kept engine. One handle at a time uses it.
fn lock(engine: &Mutex<Ic3Bits>) -> MutexGuard<'_, Ic3Bits> {
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle to the kept engine. Each bound gets a new handle.
struct Shared(Arc<Mutex<Ic3Bits>>);

impl Engine for Shared {
    fn name(&self) -> &'static str {
        lock(&self.0).name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        lock(&self.0).run(budget)
    }

    fn refused(&mut self, goal: Goal) {
        lock(&self.0).refused(goal);
    }

    fn settled(&mut self, goals: &[Goal]) {
        lock(&self.0).settled(goals);
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        lock(&self.0).save(since, to)
    }

    fn restore(&mut self, from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        lock(&self.0).restore(from, stop)
    }

    fn stats(&self) -> Stats {
        lock(&self.0).stats()
    }
}
