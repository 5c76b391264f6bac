//! Search of nets by stubborn sets ([`analysis::stubborn`] says which and why), nearest to the goal first.
//!
//! What the sets leave out does not depend on the order of the search. So markings are expanded in the order of what
//! their tokens lack of the goal, the latest first among equals: that finds what there is to find early, and is done
//! no later where there is nothing. One goal at a time: each goal that a set must serve makes it larger.

mod sets;
#[cfg(test)]
mod tests;

use super::system::NetSystem;
use crate::Explicit;
use crate::search::nearest_first;
use crate::trial::{Reduced, Trial};
use analysis::rules::Rules;
use analysis::stubborn::net::{Attraction, Chooser, Depends, Omit};
use model::{NetTask, Reason};
use sets::Sets;
use std::sync::Arc;
use store::Step;
use store::search::{Nearest, Packed};

/// More than this a search does not take: many run side by side, and one that runs out of memory ends them all.
const MOST_BYTES: usize = 100 << 20;

/// More initial markings than this are left to others.
const MANY_INITIAL: u64 = 1 << 16;

type Markings = Packed<NetSystem<Sets>, Nearest>;

/// Search of a net by stubborn sets for the goals of a task, all at once.
pub type NetStubborn = Explicit<Trial<Markings>>;

impl NetStubborn {
    /// A search for the goals of `task`, which should be one. Costs a pass over the net.
    #[must_use]
    pub fn new(task: NetTask) -> Self {
        Self::without(task, None)
    }

    /// Without a part of the rules, for tests.
    fn without(task: NetTask, omit: Option<Omit>) -> Self {
        let goals = task.goals.clone();
        Self::of(goals, false, system(task, omit).map(|system| Trial::new(nearest_first(system))))
    }
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

impl Reduced for Markings {
    const UNITS: u64 = 1;

    fn is_large(&self) -> bool {
        // number, parent, hash slot and place in the list
        let each = self.stepper().words() * 8 + 32;
        self.len().saturating_mul(each) > MOST_BYTES
    }
}
