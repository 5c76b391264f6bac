//! IC3 on bits, kept from one bound to the next.
//!
//! Most engines start again for each bound. IC3 on bits keeps its lemmas: a new bound only changes the initial
//! states and the number of tokens that may still be added, and lemmas that do not depend on either stay valid.
//! In `auto`, IC3 on bits also works after the other engines ([`Role::Follower`]): a search that the bound cuts
//! off proves nothing, neither within the bound nor beyond it.

use crate::engines;
use crate::entrant::{Entrant, Role};
use crate::net::{self, Bits, OWN_SLICES};
use crate::options::Options;
use crate::ready::ReadyClaims;
use model::{
    Budget, Engine, Goal, Lift, Mapped, MarkedTask, Problem, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved,
};
use nets::Ic3Bits;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The kept engine. There is none before the first bound.
#[derive(Default)]
pub(crate) struct Kept(Option<Bounded>);

struct Bounded {
    engine: Arc<Mutex<Ic3Bits>>,
    lift: Arc<dyn Lift>,
    goals: Vec<Goal>,
}

impl Kept {
    /// Returns the kept engine with the bound of `options`, if it works on the problem. If the user named it, it runs
    /// alone. Otherwise it follows the other engines.
    pub(crate) fn entrants<'a>(&mut self, problem: &Problem, options: &Options<'_>) -> Vec<Entrant<'a>> {
        let variant = match options.engine {
            Some(row) => variant(row.name),
            None => Some(Bits::Plain).filter(|_| problem.goals().count() <= OWN_SLICES),
        };
        let (Some(bound), Some(variant), false) = (options.bound, variant, options.explore_all) else {
            return Vec::new();
        };
        let Some(task) = MarkedTask::of(problem) else { return Vec::new() };
        let mut list = Vec::new();
        if self.0.is_none() {
            let how = nets::reduce::Options { slice: options.slice, bound: Some(bound) };
            let reduced = nets::reduce::prepare(&task, &how);
            let Some(engine) = net::chosen_bits(&reduced.task, options, variant) else { return Vec::new() };
            if options.engine.is_some() {
                list.push(Entrant::ready(Box::new(ReadyClaims::new("slice", reduced.settled))));
            }
            let (engine, goals) = (Arc::new(Mutex::new(engine)), task.goals().to_vec());
            self.0 = Some(Bounded { engine, lift: reduced.lift, goals });
        }
        let kept = self.0.as_ref().expect("made above");
        let mut settled: Vec<Goal> = kept.goals.iter().copied().filter(|g| !problem.goals().any(|h| h == *g)).collect();
        settled.sort_unstable();
        lock(&kept.engine).settled(&settled);
        lock(&kept.engine).set_bound(bound);
        let shared = Box::new(Shared(Arc::clone(&kept.engine)));
        let entrant = Entrant::ready(Box::new(Mapped::new(shared, Arc::clone(&kept.lift))));
        list.push(entrant.in_role(if options.engine.is_some() { Role::Main } else { Role::Follower }));
        list
    }
}

/// Returns the variant of IC3 on bits with this name, if it keeps its lemmas between bounds.
fn variant(name: &str) -> Option<Bits> {
    let kept = [(engines::IC3_BITS.name, Bits::Plain), (engines::IC3_BOUNDED.name, Bits::Bounded)];
    kept.into_iter().find(|(known, _)| *known == name).map(|(_, bits)| bits)
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
