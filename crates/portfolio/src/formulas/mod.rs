//! The engines for formulas about runs and about branching time of nets and thread-transition systems. Beside them, the
//! engines for goals about markings work on parts of the formulas ([`crate::composed`]).

mod live;
mod losing;
mod provers;
mod recurrence;
mod smaller;
mod weights;

use crate::engines;
use crate::entrant::{Entrant, Role, Terms};
use crate::options::Options;
use live::Siphons;
use model::{Ctl, Goal, Ltl, Marked, Net, NetTask, Problem};
use nets::Constants;
use nets::walk::{Constant, LassoWalk, Question};
use recurrence::Recurrence;
use std::sync::Arc;

/// The terms of searches for formulas about runs and about branching time. Beside them, all other engines work on parts
/// of the formulas.
const FORMULAS: Terms = Terms { share: 10, ..Terms::PLAIN };
/// The terms of the engine that shows liveness.
const SIPHONS: Terms = Terms { share: 3, ..Terms::PLAIN };
/// The terms of the engine that shows that letters recur. Its units are those of the engines that it uses. Their turns
/// are small, so they take longer.
const RECURRENCE: Terms = Terms { share: 1, unit: 2 * Terms::PLAIN.unit };
/// The terms of walks for formulas about runs, and for those about branching time.
const WALKS: Terms = Terms { share: 5, ..Terms::PLAIN };
const BRANCHING_WALKS: Terms = Terms { share: 2, ..Terms::PLAIN };
/// Work of walks for formulas of branching time before the other engines begin. Some walks to a dead end are cheap.
const WALK_AHEAD: u64 = 30_000;

/// Returns the engines for all formulas of the problem. `constants` are formulas that parts have shown to be constant.
pub(crate) fn plan<'a>(problem: &Problem, options: &Options<'_>, constants: &Arc<Constants>) -> Vec<Entrant<'a>> {
    let mut list = branching(problem, options, constants);
    list.extend(temporal(problem, options, constants));
    list
}

/// Formulas with their goals.
type Asked<F> = Vec<(Goal, Arc<F>)>;

fn goals_of<F>(asked: &Asked<F>) -> Vec<Goal> {
    asked.iter().map(|(goal, _)| *goal).collect()
}

/// Returns walks for formulas.
fn walk<'a, F>(
    task: &NetTask,
    asked: &Asked<F>,
    question: fn(Arc<F>) -> Question,
    constants: Constant,
    seed: u64,
) -> Entrant<'a> {
    let questions = asked.iter().map(|(goal, formula)| (*goal, question(Arc::clone(formula)))).collect();
    Entrant::ready(Box::new(LassoWalk::new(task, questions, constants, seed))).only_for(goals_of(asked))
}

/// Returns the engines for goals about whole runs. Systems are not reduced for it: a transition that no letter depends
/// on is a step of a run, too.
fn temporal<'a>(problem: &Problem, options: &Options<'_>, constants: &Arc<Constants>) -> Vec<Entrant<'a>> {
    let formula = |goal| problem.ltl(goal).map(|ltl| (goal, Arc::new(ltl)));
    let asked: Asked<Ltl> = problem.goals().filter(|goal| goal.is_temporal()).filter_map(formula).collect();
    let goals = goals_of(&asked);
    if goals.is_empty() {
        return Vec::new();
    }
    let (searches, walks) = (options.chooses(&engines::EXPLICIT), options.chooses(&engines::WALK));
    let is_meant = (searches || walks) && options.bound.is_none();
    let Some(system) = problem.system().as_marked().filter(|_| is_meant) else {
        return vec![Entrant::unsupported(goals)];
    };
    let task = nets::reduce::unreduced(system, problem.formulas().to_vec());
    let mut list = Vec::new();
    // Threads that choose between targets need more than transitions to repeat their run.
    if walks && matches!(system, Marked::Net(_)) {
        let role = if searches { Role::Assistant { ahead: 0 } } else { Role::Main };
        let walk = walk(&task.0, &asked, Question::Runs, Box::new(|_| None), options.seed);
        list.push(walk.on(WALKS).in_role(role));
    }
    if searches {
        let search = nets::net_temporal(task, asked, Arc::clone(constants));
        list.push(Entrant::ready(search).only_for(goals).on(FORMULAS));
    } else if list.is_empty() {
        list.push(Entrant::unsupported(goals));
    }
    list
}

/// Returns the engines for formulas of computation tree logic. For the same reason systems are not reduced for it.
fn branching<'a>(problem: &Problem, options: &Options<'_>, constants: &Arc<Constants>) -> Vec<Entrant<'a>> {
    let formula = |goal| Some((goal, Arc::clone(problem.ctl(goal)?)));
    let asked: Asked<Ctl> = problem.goals().filter_map(formula).collect();
    let goals = goals_of(&asked);
    if goals.is_empty() {
        return Vec::new();
    }
    let rows = [&engines::EXPLICIT, &engines::SIPHONS, &engines::RECURRENCE, &engines::WALK];
    let is_meant = rows.iter().any(|row| options.chooses(row)) && options.bound.is_none();
    let Some(system) = problem.system().as_marked().filter(|_| is_meant) else {
        return vec![Entrant::unsupported(goals)];
    };
    let mut list =
        if let Marked::Net(net) = system { by_structure(problem, net, &asked, options, constants) } else { Vec::new() };
    // With a single initial marking, the parts decide some formulas alone. For the kernel alone there are no parts.
    let are_parts_enough = system.has_single_start() && options.engine.is_none() && !options.kernel_only;
    let is_searched = |formula: &Ctl| !(are_parts_enough && formula.is_about_reachability());
    let searched: Asked<Ctl> = asked.into_iter().filter(|(_, formula)| is_searched(formula)).collect();
    let (searches, is_left) = (options.chooses(&engines::EXPLICIT), !searched.is_empty());
    if let (true, true, Marked::Net(net)) = (options.chooses(&engines::WALK), is_left, system) {
        let task = NetTask::plain(Arc::clone(net), problem.formulas().to_vec(), Vec::new());
        let known = Arc::clone(constants);
        let role = if searches { Role::Assistant { ahead: WALK_AHEAD } } else { Role::Main };
        let walk = walk(&task, &searched, Question::Branching, Box::new(move |id| known.get(id)), options.seed);
        list.push(walk.on(BRANCHING_WALKS).in_role(role));
    }
    if searches && is_left {
        let (goals, task) = (goals_of(&searched), nets::reduce::unreduced(system, problem.formulas().to_vec()));
        let engine = nets::net_branching(task, searched, Arc::clone(constants));
        list.push(Entrant::ready(engine).only_for(goals).on(FORMULAS));
    } else if list.is_empty() && !searches {
        list.push(Entrant::unsupported(goals));
    }
    list
}

/// Returns the engines that decide formulas of computation tree logic without visiting all markings.
fn by_structure<'a>(
    problem: &Problem,
    net: &Arc<Net>,
    asked: &Asked<Ctl>,
    options: &Options<'_>,
    constants: &Arc<Constants>,
) -> Vec<Entrant<'a>> {
    let (goals, mut list) = (goals_of(asked), Vec::new());
    if options.chooses(&engines::SIPHONS) {
        let engine = Siphons::new(net, problem.formulas().to_vec(), asked.clone());
        list.push(Entrant::ready(Box::new(engine)).only_for(goals.clone()).on(SIPHONS));
    }
    // It need not end, and bounded nets that are small need no help.
    if options.chooses(&engines::RECURRENCE) && !options.explore_all && !options.kernel_only {
        let engine = Recurrence::new(problem.clone(), net, asked.clone(), Arc::clone(constants));
        let role = if options.engine.is_some() { Role::Main } else { Role::Follower };
        list.push(Entrant::ready(Box::new(engine)).only_for(goals).on(RECURRENCE).in_role(role));
    }
    list
}
