//! Search of nets by stubborn sets, nearest to the goal first. [`crate::stubborn`] defines the sets and
//! proves that they suffice.
//!
//! What the sets leave out does not depend on the order of the search. So markings are expanded in the order of
//! the tokens that they lack for the goal. Among markings that lack equally many tokens, the one found last
//! comes first. A reachable goal is found early this way, and an unreachable one costs no more. Each search
//! should have one goal, because each goal that a set must preserve makes the set larger.

mod sets;
#[cfg(test)]
mod tests;

use super::system::NetSystem;
use crate::rules::Rules;
use crate::stubborn::{Attraction, Chooser, Depends, Omit};
use model::{NetTask, Reason};
use search::explicit::Explicit;
use search::explicit::search::nearest_first;
use search::explicit::trial::{Reduced, Trial};
use search::{Nearest, Stepper};
use sets::Sets;
use std::sync::Arc;

/// The largest size of a search, in bytes. Many searches run side by side, and one that runs out of memory
/// would end them all.
const MOST_BYTES: usize = 100 << 20;

/// Nets with more initial markings than this are left to other engines.
const MANY_INITIAL: u64 = 1 << 16;

/// Search of a net by stubborn sets for the goals of a task, all at once.
pub(super) type NetStubborn = Explicit<Trial<NetSystem<Sets>, Nearest>>;

/// Returns a search for the goals of `task`, preferably a single one. Takes time linear in the net.
#[must_use]
pub fn explore_stubborn(task: NetTask) -> NetStubborn {
    without(task, None)
}

/// Like `new`, but without a part of the rules, for tests.
fn without(task: NetTask, omit: Option<Omit>) -> NetStubborn {
    let goals = task.goals.clone();
    Explicit::of(goals, false, system(task, omit).map(|system| Trial::new(nearest_first(system))))
}

fn system(task: NetTask, omit: Option<Omit>) -> Result<NetSystem<Sets>, Reason> {
    let rules = Rules::new(&task.net).filter(|rules| rules.small && task.bound.is_none());
    let rules = Arc::new(rules.ok_or(Reason::Unsupported)?);
    let depends = Arc::new(Depends::without(&rules, omit));
    let attraction = |&goal| Attraction::new(&task, &rules, goal);
    let attractions: Option<Vec<Attraction>> = task.goals.iter().map(attraction).collect();
    let places = rules.places();
    let chooser = Chooser::new(rules, depends, attractions.ok_or(Reason::Unsupported)?);
    let goals = task.goals.clone();
    let system = NetSystem::new(Arc::new(task), &goals, false, Sets::new(chooser, places));
    let is_small = |system: &NetSystem<Sets>| system.initial_count() <= MANY_INITIAL;
    system.ok().filter(is_small).ok_or(Reason::Unsupported)
}

impl Reduced for NetSystem<Sets> {
    const UNITS: u64 = 1;

    fn is_large(&self, states: usize) -> bool {
        // Number, parent, hash slot, and entry in the list of waiting markings.
        let each = self.words() * 8 + 32;
        states.saturating_mul(each) > MOST_BYTES
    }
}
