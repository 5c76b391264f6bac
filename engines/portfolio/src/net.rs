//! Engines for nets and thread systems.
//!
//! Slicing comes first and settles some goals by itself. What is left goes to facts that hold of every run and to the
//! engines that prove with them, to searches guided by distances or reduced to stubborn sets, and to plain search, with
//! random walks as assistant. Thread systems become nets on the way; [`Home`] brings traces and certificates back.

use crate::engines;
use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::plan::{OWN_SLICES, Subject, entrants};
use crate::row::{Call, Nets};
use crate::settled::Settled;
use analysis::facts::Facts;
use cover::{Cover, Procedure};
use dpllt::NetDpllt;
use equation::{ByFacts, Equation};
use explore::{NetExplore, NetStubborn};
use ic3::{FactUse, Ic3, Ic3Bits, NetBitsOptions};
use model::{Engine, Goal, Marked, MarkedTask, NetTask};
use reduce::{Home, Mapped};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use walk::Walk;

/// Transitions sliced in a work unit.
const SLICED_PER_UNIT: u64 = 2;

/// What engines for a net are made of.
pub(crate) struct Task<'a> {
    asked: MarkedTask<'a>,
    options: &'a Options<'a>,
    /// Are nets to be cut down to what matters?
    slice: bool,
    /// The net that engines see, and the way back from it.
    reduced: NetTask,
    back: Arc<dyn Home>,
    facts: OnceCell<Option<Arc<Facts>>>,
}

pub(crate) fn plan<'a>(asked: MarkedTask<'a>, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (slice, explore_all) = (options.slice && !options.explore_all, options.explore_all);
    let reduced = reduce::prepare(&asked, &reduce::Options { slice, bound: options.bound });
    let mut list = vec![Entrant::ready(Box::new(Settled::new("slice", reduced.settled)))];
    let goals = reduced.task.goals.clone();
    if goals.is_empty() && !explore_all {
        return list;
    }
    let facts = OnceCell::new();
    let task = Rc::new(Task { asked, options, slice, reduced: reduced.task, back: reduced.back, facts });
    let subject =
        Subject { task, entries: |row| row.net, goals, threads: 0, explore_all, is_bounded: options.bound.is_some() };
    list.extend(entrants::<Nets>(&subject, options));
    list
}

impl<'a> Task<'a> {
    /// Facts about every run, if they can be had. They know no bound.
    fn facts(&self) -> Option<Arc<Facts>> {
        let make = || Facts::new(&self.reduced).map(Arc::new);
        self.options.bound.is_none().then(|| self.facts.get_or_init(make).clone()).flatten()
    }

    fn home(&self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        Box::new(Mapped::new(engine, Arc::clone(&self.back)))
    }

    /// For a goal by itself: its own slice.
    fn of_goal(&self, goal: Goal) -> reduce::Prepared {
        let how = reduce::Options { slice: self.slice, bound: self.options.bound };
        reduce::prepare(&self.asked.asking(&[goal]), &how)
    }

    /// What slicing the net once more takes, in work units.
    fn slicing(&self) -> u64 {
        match self.asked.system() {
            Marked::Net(as_read) => as_read.transitions().len() as u64 / SLICED_PER_UNIT,
            Marked::Threads(_) => 0,
        }
    }
}

type Make = fn(NetTask, Arc<Facts>) -> Box<dyn Engine>;

/// An engine that works with facts, and knows no bound.
fn with_facts<'a>(call: &Call<'a, Nets>, name: &'static str, make: Make) -> Vec<Entrant<'a>> {
    let task = &call.task;
    if task.options.bound.is_some() {
        return Vec::new();
    }
    let task = Rc::clone(task);
    let make = move || task.facts().map(|facts| task.home(make(task.reduced.clone(), facts)));
    vec![Entrant::made(name, make)]
}

pub(crate) fn facts<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_facts(call, engines::FACTS.name, |task, facts| Box::new(ByFacts::new(task, facts, true)))
}

pub(crate) fn pairs<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_facts(call, engines::PAIRS.name, |task, facts| Box::new(ByFacts::new(task, facts, false)))
}

pub(crate) fn ic3<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_facts(call, engines::IC3.name, |task, facts| Box::new(Ic3::new(task, facts)))
}

pub(crate) fn equation<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_facts(call, engines::EQUATION.name, |task, facts| Box::new(Equation::new(task, facts)))
}

pub(crate) fn greedy<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let make: Make = |task, facts| Box::new(Cover::new(task, facts, Procedure::Greedy));
    with_facts(call, engines::COVER_GREEDY.name, make)
}

pub(crate) fn a_star<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let make: Make = |task, facts| Box::new(Cover::new(task, facts, Procedure::AStar));
    with_facts(call, engines::COVER_ASTAR.name, make)
}

pub(crate) fn backward<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let make: Make = |task, facts| Box::new(Cover::new(task, facts, Procedure::Backward));
    with_facts(call, engines::COVER_BACKWARD.name, make)
}

/// Walks know no bound; what they find is real whatever the bound.
pub(crate) fn walk<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = Rc::clone(&call.task);
    let make = move || {
        let how = walk::Options { seed: task.options.seed };
        Some(task.home(Box::new(Walk::new(task.reduced.clone(), how))))
    };
    let role = if call.by_name { Role::Main } else { Role::Assistant { ahead: 0 } };
    vec![Entrant::made(engines::WALK.name, make).in_role(role)]
}

fn plain(task: NetTask, options: &Options<'_>) -> Box<dyn Engine> {
    Box::new(NetExplore::new(task, explore::Options { explore_all: options.explore_all, jobs: options.jobs }))
}

pub(crate) fn explicit<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = Rc::clone(&call.task);
    let make = move || Some(task.home(plain(task.reduced.clone(), task.options)));
    vec![Entrant::made(engines::EXPLICIT.name, make)]
}

/// Plain search for single goals of several, where a goal's own slice is much smaller than the one for all of them.
pub(crate) fn own_slices<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    if !task.slice || !(2..=OWN_SLICES).contains(&task.reduced.goals.len()) {
        return Vec::new();
    }
    let own = |&goal: &Goal| {
        let (price, task) = (task.slicing(), Rc::clone(task));
        let make = move || -> Option<Box<dyn Engine>> {
            let reduced = task.of_goal(goal);
            let smaller = reduced.task.net.transitions().len() * 4 <= task.reduced.net.transitions().len() * 3;
            smaller
                .then(|| -> Box<dyn Engine> { Box::new(Mapped::new(plain(reduced.task, task.options), reduced.back)) })
        };
        Entrant::paid(engines::EXPLICIT.name, price, make).only_for(vec![goal])
    };
    task.reduced.goals.iter().map(own).collect()
}

/// Searches that leave out orders of transitions, for each goal by itself: a set that must serve several goals leaves
/// out less. Of a thread system as read the checker may see more dependencies than there are in its net.
pub(crate) fn stubborn<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let is_net = matches!(task.asked.system(), Marked::Net(_));
    let is_worth_it = task.slice && task.reduced.goals.len() <= OWN_SLICES;
    if !is_net || !(call.by_name || is_worth_it) {
        return Vec::new();
    }
    let own = |&goal: &Goal| {
        let (price, task) = (task.slicing(), Rc::clone(task));
        let make = move || -> Option<Box<dyn Engine>> {
            let reduced = task.of_goal(goal);
            Some(Box::new(Mapped::new(Box::new(NetStubborn::new(reduced.task)), reduced.back)))
        };
        Entrant::paid(engines::STUBBORN.name, price, make).only_for(vec![goal])
    };
    task.reduced.goals.iter().map(own).collect()
}

/// For what the engines on markings and sums leave open.
pub(crate) fn bits<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    // Markings are the better bits where more tokens never hurt.
    let asks_cover = |goal: &Goal| task.reduced.formula(*goal).is_some_and(|f| f.is_upward_closed());
    let only_covering = task.reduced.net.is_monotone() && task.reduced.goals.iter().all(asks_cover);
    if only_covering || task.reduced.goals.len() > OWN_SLICES {
        return Vec::new();
    }
    with_facts(call, engines::IC3_BITS.name, |task, facts| {
        Box::new(Ic3Bits::new(task, facts, NetBitsOptions::default()))
    })
}

/// IC3 on the bits of a net as the options want it, if its numbers are small.
pub(crate) fn chosen_bits(task: &NetTask, options: &Options<'_>, how: Bits) -> Option<Ic3Bits> {
    let with_facts = if options.patterns.is_empty() { FactUse::NONE } else { options.facts };
    let own = match how {
        Bits::Bounded => NetBitsOptions { facts: FactUse::NONE, unbounded: false, rising: false },
        Bits::Rising => NetBitsOptions { facts: with_facts, unbounded: true, rising: true },
        Bits::Plain => NetBitsOptions { facts: with_facts, ..NetBitsOptions::default() },
    };
    let facts = Facts::new(task)?;
    Some(Ic3Bits::new(task.clone(), Arc::new(facts), own))
}

/// Procedures of IC3 on bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bits {
    Plain,
    Bounded,
    Rising,
}

fn by_bits<'a>(call: &Call<'a, Nets>, name: &'static str, how: Bits) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let task = Rc::clone(task);
    let make = move || {
        Some(match chosen_bits(&task.reduced, task.options, how) {
            Some(engine) => task.home(Box::new(engine)),
            None => Settled::unsupported(task.asked.goals().to_vec()),
        })
    };
    vec![Entrant::made(name, make)]
}

pub(crate) fn plain_bits<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    by_bits(call, engines::IC3_BITS.name, Bits::Plain)
}

pub(crate) fn bounded_bits<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    by_bits(call, engines::IC3_BOUNDED.name, Bits::Bounded)
}

pub(crate) fn rising_bits<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    by_bits(call, engines::IC3_TTSCOV.name, Bits::Rising)
}

/// The search inside a SAT solver. Searches for different goals share nothing, so each goal gets its own slice. Facts
/// that hold of every run come before any state: here they refute the goal, or nothing.
pub(crate) fn dpllt<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let options = task.options;
    let by_facts = options.bound.is_none() && !options.patterns.is_empty();
    let own = |&goal: &Goal| {
        let reduced = task.of_goal(goal);
        let mut list = Vec::new();
        if let Some(facts) = by_facts.then(|| Facts::new(&reduced.task)).flatten() {
            let engine = ByFacts::new(reduced.task.clone(), Arc::new(facts), true);
            let home: Arc<dyn Home> = Arc::clone(&reduced.back) as Arc<dyn Home>;
            list.push(Entrant::ready(Box::new(Mapped::new(Box::new(engine), home))).only_for(vec![goal]));
        }
        let engine = NetDpllt::new(reduced.task, dpllt::Options { batch: options.batch, lemmas_only: false });
        list.push(Entrant::ready(Box::new(Mapped::new(Box::new(engine), reduced.back))).only_for(vec![goal]));
        list
    };
    task.reduced.goals.iter().flat_map(own).collect()
}

/// All guided searches.
pub(crate) fn cover<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    [greedy(call), a_star(call), backward(call)].into_iter().flatten().collect()
}
