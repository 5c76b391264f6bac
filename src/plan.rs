//! Which engines a problem gets, and on which terms they take turns.
//!
//! Behavioral programs are in `programs`, reactive ones in `reactive`. Nets and thread systems: slicing first, which
//! settles some goals by itself; what is left goes to facts that hold of every run and to the engines that prove with
//! them, to searches guided by distances or reduced to stubborn sets, and to plain search, with random walks as
//! assistant. What takes time to make is made when its turn comes.

mod observed;
mod programs;
mod reactive;
mod rising;

use crate::facts::ByFacts;
use crate::later::Later;
use crate::options::{EngineChoice, Options};
use crate::settled::Settled;
use crate::turns::{Terms, Turns};
use cover::{Cover, Procedure};
use dpllt::NetDpllt;
use equation::Equation;
use explore::{NetExplore, NetOptions, NetStubborn};
use ic3::{CircuitIc3, FactUse, Ic3, Ic3Bits, NetBitsOptions};
use model::{Claim, Engine, Goal, NetTask, Problem, Reason, SystemModel};
use reduce::facts::Facts;
use reduce::{Home, Mapped};
use std::sync::Arc;
use walk::Walk;

/// Of nets: IC3 and plain search get three shares for each one of the others; walks find what they find early or
/// hardly at all.
const NET_MAIN: Terms = Terms { share: 3, ..Terms::PLAIN };

/// With more goals than this, nobody gets a slice of its own: making them costs more than they save.
pub(crate) const OWN_SLICES: usize = 64;

/// Transitions sliced in a work unit.
const SLICED_PER_UNIT: u64 = 2;

/// Chooses engines for `problem`.
pub(crate) fn plan<'a>(problem: &'a Problem, options: &'a Options<'_>) -> Turns<'a> {
    match &problem.system {
        SystemModel::Rwb(_) => observed::plan(problem, options),
        SystemModel::Net(_) | SystemModel::Threads(_) => net(problem, options),
        SystemModel::Circuit(_) => circuit(problem, options),
        SystemModel::Reactive(program) => reactive::plan(problem, program, options),
    }
}

/// Circuits: IC3 on bits is the one engine that knows them.
fn circuit<'a>(problem: &Problem, options: &Options<'_>) -> Turns<'a> {
    let mut turns = Turns::default();
    match options.engine {
        EngineChoice::Auto | EngineChoice::Ic3 | EngineChoice::Ic3Bits => {
            if let Some(engine) = CircuitIc3::new(problem, &ic3::bits::Options::default()) {
                turns.enter(Box::new(engine), Terms::PLAIN);
            }
        }
        _ => turns.enter(unsupported(problem.goals().collect()), Terms::PLAIN),
    }
    turns
}

/// What an engine of this kind cannot be asked.
fn unsupported(goals: Vec<Goal>) -> Box<dyn Engine> {
    let claim = Claim::Unknown { goals, reason: Reason::Unsupported };
    Box::new(Settled::new("none", vec![claim]))
}

fn net<'a>(problem: &'a Problem, options: &'a Options<'_>) -> Turns<'a> {
    let goals: Vec<_> = problem.goals().collect();
    let slice = options.slice && !options.explore_all;
    let reduced = reduce::prepare(problem, &goals, &reduce::Options { slice, bound: options.bound });
    let mut turns = Turns::default();
    turns.enter(Box::new(Settled::new("slice", reduced.settled)), Terms::PLAIN);
    let task = reduced.task;
    if task.goals.is_empty() && !options.explore_all {
        return turns;
    }
    let back: Arc<dyn Home> = reduced.back;
    let home = |engine: Box<dyn Engine>| -> Box<dyn Engine> { Box::new(Mapped::new(engine, Arc::clone(&back))) };
    let facts = options.bound.is_none().then(|| Facts::new(&task)).flatten().map(Arc::new);
    let unbounded = |turns: &mut Turns<'a>, of: &dyn Fn(Arc<Facts>) -> Box<dyn Engine>, terms| {
        if let Some(facts) = &facts {
            turns.enter(home(of(Arc::clone(facts))), terms);
        }
    };
    let covering = |turns: &mut Turns<'a>, procedure| {
        unbounded(turns, &|facts| Box::new(Cover::new(task.clone(), facts, procedure)), Terms::PLAIN);
    };
    match options.engine {
        EngineChoice::Explicit => turns.enter(home(net_explicit(task, options)), Terms::PLAIN),
        EngineChoice::Dpllt => {
            // Its searches share nothing, so each goal gets its own slice.
            for &goal in &task.goals {
                let reduced = reduce::prepare(problem, &[goal], &reduce::Options { slice, bound: options.bound });
                let asked = options.bound.is_none() && !options.patterns.is_empty();
                if let Some(facts) = asked.then(|| Facts::new(&reduced.task)).flatten() {
                    // Lemmas that hold of every run come before any state; here they refute the goal, or nothing.
                    let engine = ByFacts::new(reduced.task.clone(), Arc::new(facts), true);
                    let home: Arc<dyn Home> = Arc::clone(&reduced.back) as Arc<dyn Home>;
                    turns.enter_for(Box::new(Mapped::new(Box::new(engine), home)), Terms::PLAIN, vec![goal]);
                }
                let engine = NetDpllt::new(reduced.task, dpllt::Options { batch: options.batch, lemmas_only: false });
                turns.enter_for(Box::new(Mapped::new(Box::new(engine), reduced.back)), Terms::PLAIN, vec![goal]);
            }
        }
        EngineChoice::Stubborn => {
            for (goal, engine) in by_stubborn_sets(problem, options, &task) {
                turns.enter_for(engine, Terms::PLAIN, vec![goal]);
            }
        }
        EngineChoice::Walk => turns.enter(home(walks(task, options)), Terms::PLAIN),
        EngineChoice::Project | EngineChoice::Ltl | EngineChoice::Cells | EngineChoice::ExplicitBy(_) => {
            turns.enter(unsupported(problem.goals().collect()), Terms::PLAIN)
        }
        EngineChoice::Pairs => {
            unbounded(&mut turns, &|facts| Box::new(ByFacts::new(task.clone(), facts, false)), Terms::PLAIN)
        }
        EngineChoice::Facts => {
            unbounded(&mut turns, &|facts| Box::new(ByFacts::new(task.clone(), facts, true)), Terms::PLAIN)
        }
        EngineChoice::Ic3 => unbounded(&mut turns, &|facts| Box::new(Ic3::new(task.clone(), facts)), Terms::PLAIN),
        EngineChoice::Ic3Bits | EngineChoice::Ic3Bounded | EngineChoice::Ic3Rising => match bits(&task, options) {
            Some(engine) => turns.enter(home(Box::new(engine)), Terms::PLAIN),
            None => turns.enter(unsupported(problem.goals().collect()), Terms::PLAIN),
        },
        EngineChoice::Equation => {
            unbounded(&mut turns, &|facts| Box::new(Equation::new(task.clone(), facts)), Terms::PLAIN)
        }
        EngineChoice::Cover(Some(procedure)) => covering(&mut turns, procedure),
        EngineChoice::Cover(None) => {
            [Procedure::Greedy, Procedure::AStar, Procedure::Backward]
                .into_iter()
                .for_each(|p| covering(&mut turns, p));
        }
        EngineChoice::Auto => {
            if !options.explore_all {
                unbounded(&mut turns, &|facts| Box::new(ByFacts::new(task.clone(), facts, true)), Terms::PLAIN);
                unbounded(&mut turns, &|facts| Box::new(Ic3::new(task.clone(), facts)), NET_MAIN);
                unbounded(&mut turns, &|facts| Box::new(Equation::new(task.clone(), facts)), Terms::PLAIN);
                covering(&mut turns, Procedure::Greedy);
            }
            let mut own = if slice { own_slices(problem, options, &task) } else { Vec::new() };
            if slice && options.bound.is_none() && task.goals.len() <= OWN_SLICES {
                own.extend(by_stubborn_sets(problem, options, &task));
            }
            // Walks know no bound; under one, the answer is to be about what lies within it.
            if options.bound.is_none() {
                turns.enter_assistant(home(walks(task.clone(), options)), Terms::PLAIN);
            }
            turns.enter(home(net_explicit(task.clone(), options)), NET_MAIN);
            // Markings are the better bits where more tokens never hurt.
            let asks_cover = |goal: &Goal| task.formula(*goal).is_some_and(|f| f.is_upward_closed());
            let only_covering = task.net.is_monotone() && task.goals.iter().all(asks_cover);
            if !options.explore_all && !only_covering && task.goals.len() <= OWN_SLICES {
                // For what the engines on markings and sums leave open.
                if let Some(facts) = facts {
                    let make = move || -> Option<Box<dyn Engine>> {
                        let engine = Ic3Bits::new(task, facts, NetBitsOptions::default());
                        Some(Box::new(Mapped::new(Box::new(engine), back)))
                    };
                    turns.enter(Later::boxed("ic3.bits", 0, make), Terms::PLAIN);
                }
            }
            for (goal, engine) in own {
                turns.enter_for(engine, Terms::PLAIN, vec![goal]);
            }
        }
    }
    turns
}

/// IC3 on the bits of a net, if its numbers are small.
pub(crate) fn bits(task: &NetTask, options: &Options<'_>) -> Option<Ic3Bits> {
    let with_facts = if options.patterns.is_empty() { FactUse::NONE } else { options.facts };
    let own = match options.engine {
        EngineChoice::Ic3Bounded => NetBitsOptions { facts: FactUse::NONE, unbounded: false, rising: false },
        EngineChoice::Ic3Rising => NetBitsOptions { facts: with_facts, unbounded: true, rising: true },
        _ => NetBitsOptions { facts: with_facts, ..NetBitsOptions::default() },
    };
    let facts = Facts::new(task)?;
    Some(Ic3Bits::new(task.clone(), Arc::new(facts), own))
}

/// Searches for single goals of several, where a goal's own slice is much smaller than the one for all of them.
fn own_slices<'a>(
    problem: &'a Problem,
    options: &'a Options<'_>,
    joint: &NetTask,
) -> Vec<(Goal, Box<dyn Engine + 'a>)> {
    if !(2..=OWN_SLICES).contains(&joint.goals.len()) {
        return Vec::new();
    }
    let transitions = joint.net.transitions().len();
    let own = |&goal: &Goal| {
        let make = move || -> Option<Box<dyn Engine>> {
            let reduced = reduce::prepare(problem, &[goal], &reduce::Options { slice: true, bound: options.bound });
            let smaller = reduced.task.net.transitions().len() * 4 <= transitions * 3;
            smaller.then(|| -> Box<dyn Engine> {
                Box::new(Mapped::new(net_explicit(reduced.task, options), reduced.back))
            })
        };
        (goal, Later::boxed("explicit", slicing(problem), make))
    };
    joint.goals.iter().map(own).collect()
}

/// What slicing a net once more takes, in work units.
fn slicing(problem: &Problem) -> u64 {
    let net = |transitions: usize| transitions as u64 / SLICED_PER_UNIT;
    match &problem.system {
        SystemModel::Net(net_as_read) => net(net_as_read.transitions().len()),
        _ => 0,
    }
}

/// Searches that leave out orders of transitions, for each goal by itself: a set that must serve several goals leaves
/// out less.
fn by_stubborn_sets<'a>(
    problem: &'a Problem,
    options: &'a Options<'_>,
    joint: &NetTask,
) -> Vec<(Goal, Box<dyn Engine + 'a>)> {
    let own = |&goal: &Goal| {
        let make = move || -> Option<Box<dyn Engine>> {
            let how = reduce::Options { slice: options.slice, bound: options.bound };
            let reduced = reduce::prepare(problem, &[goal], &how);
            Some(Box::new(Mapped::new(Box::new(NetStubborn::new(reduced.task)), reduced.back)))
        };
        (goal, Later::boxed("stubborn", slicing(problem), make))
    };
    // Of a thread system as read the checker may see more dependencies than there are in its net.
    if !matches!(problem.system, SystemModel::Net(_)) {
        return Vec::new();
    }
    joint.goals.iter().map(own).collect()
}

fn net_explicit(task: NetTask, options: &Options<'_>) -> Box<dyn Engine> {
    Box::new(NetExplore::new(task, NetOptions { explore_all: options.explore_all }))
}

fn walks(task: NetTask, options: &Options<'_>) -> Box<dyn Engine> {
    Box::new(Walk::new(task, walk::Options { seed: options.seed }))
}
