//! Which engines a problem gets, and how much of the work each may do.
//!
//! Behavioral programs: the search with lemmas goes first if a pattern has something to say (a proof by lemmas alone costs next
//! to nothing), then the search on few threads and the one by stubborn sets, then plain search, which gets most of the work. Nets and thread systems:
//! slicing first, which settles some goals by itself; what is left goes to facts that hold of every run and to the engines
//! that prove with them, to searches guided by distances or reduced to stubborn sets, and to plain search, with random walks
//! as assistant.

mod observed;
mod reactive;

use crate::facts::ByFacts;
use crate::later::Later;
use crate::options::{EngineChoice, Options};
use crate::settled::Settled;
use crate::turns::Turns;
use cover::{Cover, Procedure};
use dpllt::{Dpllt, NetDpllt};
use encode::program::Code;
use equation::Equation;
use explore::{Explore, NetExplore, NetOptions, NetStubborn, Stubborn};
use ic3::{CircuitIc3, FactUse, Ic3, Ic3Bits, NetBitsOptions, ProgramIc3};
use model::{Claim, Engine, Goal, NetTask, Problem, Reason, SystemModel};
use project::Project;
use reduce::facts::Facts;
use reduce::{Home, Mapped, Restrictions};
use std::sync::Arc;
use walk::{ProgramWalk, Walk};

/// Plain search gets six shares of seven, the others one together: beyond what it takes to look at the threads, nobody pays more than a sixth for hoping.
const PLAIN_SHARE: u64 = 6;

/// Local states of all threads beyond which nobody looks for patterns unasked.
const LARGE: usize = 1_000_000;

/// Of nets, plain search gets three shares of four: walks find what they find early or hardly at all.
const NET_PLAIN_SHARE: u64 = 3;

/// Work units of the first walks through a program, for each local state of its threads: about as long as it takes to make the other
/// engines.
const WALK_AHEAD: u64 = 8;

/// With more goals than this, nobody gets a slice of its own: making them costs more than they save.
pub(crate) const OWN_SLICES: usize = 64;

/// Nodes of a program's circuit beyond which IC3 does not try.
const MOST_NODES: usize = 1 << 22;

/// The same where it is one engine among several.
const FEW_NODES: usize = 1 << 17;

/// Chooses engines for `problem`.
pub(crate) fn plan(problem: &Problem, options: &Options<'_>) -> Turns {
    match &problem.system {
        SystemModel::Rwb(_) => observed::plan(problem, options),
        SystemModel::Net(_) | SystemModel::Threads(_) => net(problem, options),
        SystemModel::Circuit(_) => circuit(problem, options),
        SystemModel::Reactive(program) => reactive::plan(problem, program, options),
    }
}

/// Circuits: IC3 on bits is the one engine that knows them.
fn circuit(problem: &Problem, options: &Options<'_>) -> Turns {
    let mut turns = Turns::default();
    match options.engine {
        EngineChoice::Auto | EngineChoice::Ic3 | EngineChoice::Ic3Bits => {
            if let Some(engine) = CircuitIc3::new(problem, &ic3::bits::Options::default()) {
                turns.enter(Box::new(engine), 1);
            }
        }
        _ => turns.enter(unsupported(problem.goals().collect()), 1),
    }
    turns
}

fn program(problem: &Problem, options: &Options<'_>) -> Turns {
    let mut turns = Turns::default();
    match options.engine {
        EngineChoice::Explicit => turns.enter(explicit(problem, options), 1),
        EngineChoice::Dpllt => {
            let reduced = reduced(problem, options);
            enter_lemmas_as_read(&mut turns, problem, &reduced, options);
            turns.enter(reduced.home(Box::new(search_with_lemmas(&reduced, options))), 1);
        }
        EngineChoice::Project => turns.enter(few_threads(&reduced(problem, options)), 1),
        EngineChoice::Stubborn => turns.enter(stubborn(&reduced(problem, options)), 1),
        EngineChoice::Ic3 | EngineChoice::Ic3Bits => {
            turns.enter(by_clauses(&reduced(problem, options), MOST_NODES, true), 1);
        }
        EngineChoice::Walk => turns.enter(Box::new(program_walks(problem, options)), 1),
        EngineChoice::Facts
        | EngineChoice::Pairs
        | EngineChoice::Ic3Bounded
        | EngineChoice::Ic3Rising
        | EngineChoice::Equation
        | EngineChoice::Ltl
        | EngineChoice::Cells
        | EngineChoice::ExplicitBy(_)
        | EngineChoice::Cover(_) => turns.enter(unsupported(problem.goals().collect()), 1),
        // Counts are those of plain search.
        EngineChoice::Auto if options.explore_all => turns.enter(explicit(problem, options), 1),
        EngineChoice::Auto => {
            let first = WALK_AHEAD * locals(problem) as u64;
            turns.enter_ahead(Box::new(program_walks(problem, options)), 1, first);
        }
    }
    turns
}

/// Enters the engines that follow those that [`plan`] entered, in `auto`.
pub(crate) fn others(problem: &Problem, options: &Options<'_>, turns: &mut Turns) {
    let mut others = 1;
    if locals(problem) <= LARGE {
        let reduced = reduced(problem, options);
        enter_lemmas_as_read(turns, problem, &reduced, options);
        let search = search_with_lemmas(&reduced, options);
        if search.has_match() || !problem.assumptions.is_empty() {
            turns.enter(reduced.home(Box::new(search)), 1);
            others += 1;
        }
        turns.enter(few_threads(&reduced), 1);
        turns.enter(stubborn(&reduced), 1);
        turns.enter(by_clauses(&reduced, FEW_NODES, false), 1);
        others += 3;
    }
    turns.enter(explicit(problem, options), PLAIN_SHARE * others);
}

/// Local states of all threads. Where they are many, looking at threads could take longer than a search, and plain search goes alone.
fn locals(problem: &Problem) -> usize {
    problem.program().threads().iter().map(|t| t.states.len()).sum()
}

fn program_walks(problem: &Problem, options: &Options<'_>) -> ProgramWalk {
    ProgramWalk::new(problem, walk::Options { seed: options.seed })
}

/// A program without the local states that patterns show to be out of reach, and the way home from it.
struct Reduced {
    problem: Problem,
    home: Arc<Restrictions>,
}

impl Reduced {
    fn home(&self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        let home = Arc::clone(&self.home);
        if home.is_empty() { engine } else { Box::new(Mapped::new(engine, home)) }
    }
}

fn reduced(problem: &Problem, options: &Options<'_>) -> Reduced {
    let (problem, restrictions) = reduce::restrict(problem, options.patterns);
    Reduced { problem, home: Arc::new(restrictions) }
}

/// A state blocks what would lead out of reach, whoever it is that keeps it from happening: lemmas about plain deadlocks, who
/// ask for somebody to blame, lose by that. So what they refute on the threads as read is seen first; it costs no search.
fn enter_lemmas_as_read(turns: &mut Turns, problem: &Problem, reduced: &Reduced, options: &Options<'_>) {
    if reduced.home.is_empty() || !problem.goals().any(|goal| goal == Goal::Deadlock) {
        return;
    }
    let asked = Problem::of_program_with(Arc::clone(problem.program()), &[Goal::Deadlock]);
    let problem = Problem { assumptions: problem.assumptions.clone(), ..asked };
    let how = dpllt::Options { batch: options.batch, lemmas_only: true };
    let engine = Dpllt::new(&problem, options.patterns, how);
    if engine.has_match() {
        turns.enter_for(Box::new(engine), 1, vec![Goal::Deadlock]);
    }
}

fn explicit(problem: &Problem, options: &Options<'_>) -> Box<dyn Engine> {
    let how = explore::Options { explore_all: options.explore_all };
    if problem.assumptions.is_empty() { Box::new(Explore::new(problem, how)) } else { explore::counted(problem, how) }
}

fn search_with_lemmas(reduced: &Reduced, options: &Options<'_>) -> Dpllt {
    let how = dpllt::Options { batch: options.batch, lemmas_only: false };
    Dpllt::new(&reduced.problem, options.patterns, how)
}

fn stubborn(reduced: &Reduced) -> Box<dyn Engine> {
    reduced.home(Box::new(Stubborn::new(&reduced.problem)))
}

fn few_threads(reduced: &Reduced) -> Box<dyn Engine> {
    reduced.home(Box::new(Project::new(&reduced.problem)))
}

/// IC3 on a circuit of at most so many nodes, with a latch for each local state (digits are slower, if smaller). One that is `alone`
/// says so where that cannot be had.
fn by_clauses(reduced: &Reduced, nodes: usize, alone: bool) -> Box<dyn Engine> {
    let problem = reduced.problem.clone();
    let make = move || -> Option<Box<dyn Engine>> {
        match ProgramIc3::new(&problem, Code::OneHot, nodes, &ic3::bits::Options::default()) {
            Some(engine) => Some(Box::new(engine)),
            None => alone.then(|| unsupported(problem.goals().collect())),
        }
    };
    reduced.home(Box::new(Later::new("ic3", Box::new(make))))
}

/// What an engine of this kind cannot be asked.
fn unsupported(goals: Vec<Goal>) -> Box<dyn Engine> {
    let claim = Claim::Unknown { goals, reason: Reason::Unsupported };
    Box::new(Settled::new("none", vec![claim]))
}

fn net(problem: &Problem, options: &Options<'_>) -> Turns {
    let goals: Vec<_> = problem.goals().collect();
    let slice = options.slice && !options.explore_all;
    let reduced = reduce::prepare(problem, &goals, &reduce::Options { slice, bound: options.bound });
    let mut turns = Turns::default();
    turns.enter(Box::new(Settled::new("slice", reduced.settled)), 1);
    let task = reduced.task;
    if task.goals.is_empty() && !options.explore_all {
        return turns;
    }
    let back: Arc<dyn Home> = reduced.back;
    let home = |engine: Box<dyn Engine>| -> Box<dyn Engine> { Box::new(Mapped::new(engine, Arc::clone(&back))) };
    let facts = options.bound.is_none().then(|| Facts::new(&task)).flatten().map(Arc::new);
    let unbounded = |turns: &mut Turns, of: &dyn Fn(Arc<Facts>) -> Box<dyn Engine>, share| {
        if let Some(facts) = &facts {
            turns.enter(home(of(Arc::clone(facts))), share);
        }
    };
    let covering = |turns: &mut Turns, procedure| {
        unbounded(turns, &|facts| Box::new(Cover::new(task.clone(), facts, procedure)), 1);
    };
    match options.engine {
        EngineChoice::Explicit => turns.enter(home(net_explicit(task, options)), 1),
        EngineChoice::Dpllt => {
            // Its searches share nothing, so each goal gets its own slice.
            for &goal in &task.goals {
                let reduced = reduce::prepare(problem, &[goal], &reduce::Options { slice, bound: options.bound });
                let asked = options.bound.is_none() && !options.patterns.is_empty();
                if let Some(facts) = asked.then(|| Facts::new(&reduced.task)).flatten() {
                    // Lemmas that hold of every run come before any state; here they refute the goal, or nothing.
                    let engine = ByFacts::new(reduced.task.clone(), Arc::new(facts), true);
                    let home: Arc<dyn Home> = Arc::clone(&reduced.back) as Arc<dyn Home>;
                    turns.enter_for(Box::new(Mapped::new(Box::new(engine), home)), 1, vec![goal]);
                }
                let engine = NetDpllt::new(reduced.task, dpllt::Options { batch: options.batch, lemmas_only: false });
                turns.enter_for(Box::new(Mapped::new(Box::new(engine), reduced.back)), 1, vec![goal]);
            }
        }
        EngineChoice::Stubborn => {
            for (goal, engine) in by_stubborn_sets(problem, options, &task) {
                turns.enter_for(engine, 1, vec![goal]);
            }
        }
        EngineChoice::Walk => turns.enter(home(walks(task, options)), 1),
        EngineChoice::Project | EngineChoice::Ltl | EngineChoice::Cells | EngineChoice::ExplicitBy(_) => {
            turns.enter(unsupported(problem.goals().collect()), 1)
        }
        EngineChoice::Pairs => unbounded(&mut turns, &|facts| Box::new(ByFacts::new(task.clone(), facts, false)), 1),
        EngineChoice::Facts => unbounded(&mut turns, &|facts| Box::new(ByFacts::new(task.clone(), facts, true)), 1),
        EngineChoice::Ic3 => unbounded(&mut turns, &|facts| Box::new(Ic3::new(task.clone(), facts)), 1),
        EngineChoice::Ic3Bits | EngineChoice::Ic3Bounded | EngineChoice::Ic3Rising => match bits(&task, options) {
            Some(engine) => turns.enter(home(Box::new(engine)), 1),
            None => turns.enter(unsupported(problem.goals().collect()), 1),
        },
        EngineChoice::Equation => unbounded(&mut turns, &|facts| Box::new(Equation::new(task.clone(), facts)), 1),
        EngineChoice::Cover(Some(procedure)) => covering(&mut turns, procedure),
        EngineChoice::Cover(None) => {
            [Procedure::Greedy, Procedure::AStar, Procedure::Backward]
                .into_iter()
                .for_each(|p| covering(&mut turns, p));
        }
        EngineChoice::Auto => {
            if !options.explore_all {
                unbounded(&mut turns, &|facts| Box::new(ByFacts::new(task.clone(), facts, true)), 1);
                unbounded(&mut turns, &|facts| Box::new(Ic3::new(task.clone(), facts)), NET_PLAIN_SHARE);
                unbounded(&mut turns, &|facts| Box::new(Equation::new(task.clone(), facts)), 1);
                covering(&mut turns, Procedure::Greedy);
            }
            let mut own = if slice { own_slices(problem, options, &task) } else { Vec::new() };
            if slice && options.bound.is_none() && task.goals.len() <= OWN_SLICES {
                own.extend(by_stubborn_sets(problem, options, &task));
            }
            // Walks know no bound; under one, the answer is to be about what lies within it.
            if options.bound.is_none() {
                turns.enter_assistant(home(walks(task.clone(), options)), 1);
            }
            turns.enter(home(net_explicit(task.clone(), options)), NET_PLAIN_SHARE);
            // Markings are the better bits where more tokens never hurt.
            let asks_cover = |goal: &Goal| task.formula(*goal).is_some_and(|f| f.is_upward_closed());
            let only_covering = task.net.is_monotone() && task.goals.iter().all(asks_cover);
            if !options.explore_all && !only_covering && task.goals.len() <= OWN_SLICES {
                unbounded(&mut turns, &|facts| bits_beside(&task, facts), 1);
            }
            for (goal, engine) in own {
                turns.enter_for(engine, 1, vec![goal]);
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

/// As [`bits`], one engine among several: for what the engines on markings and sums leave open.
fn bits_beside(task: &NetTask, facts: Arc<Facts>) -> Box<dyn Engine> {
    let task = task.clone();
    let make =
        move || -> Option<Box<dyn Engine>> { Some(Box::new(Ic3Bits::new(task, facts, NetBitsOptions::default()))) };
    Box::new(Later::new("ic3.bits", Box::new(make)))
}

/// Searches for single goals of several, where a goal's own slice is much smaller than the one for all of them.
fn own_slices(problem: &Problem, options: &Options<'_>, joint: &NetTask) -> Vec<(Goal, Box<dyn Engine>)> {
    if !(2..=OWN_SLICES).contains(&joint.goals.len()) {
        return Vec::new();
    }
    let own = |&goal: &Goal| {
        let reduced = reduce::prepare(problem, &[goal], &reduce::Options { slice: true, bound: options.bound });
        let smaller = reduced.task.net.transitions().len() * 4 <= joint.net.transitions().len() * 3;
        let engine = || -> Box<dyn Engine> { Box::new(Mapped::new(net_explicit(reduced.task, options), reduced.back)) };
        smaller.then(|| (goal, engine()))
    };
    joint.goals.iter().filter_map(own).collect()
}

/// Searches that leave out orders of transitions, for each goal by itself: a set that must serve several goals leaves out less.
fn by_stubborn_sets(problem: &Problem, options: &Options<'_>, joint: &NetTask) -> Vec<(Goal, Box<dyn Engine>)> {
    let own = |&goal: &Goal| -> (Goal, Box<dyn Engine>) {
        let reduced =
            reduce::prepare(problem, &[goal], &reduce::Options { slice: options.slice, bound: options.bound });
        (goal, Box::new(Mapped::new(Box::new(NetStubborn::new(reduced.task)), reduced.back)))
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
