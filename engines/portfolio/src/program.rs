//! Engines for behavioral programs.
//!
//! Short walks go first: most of what is wrong with programs is found by them before the other engines are made. Then
//! come the search with lemmas, if a pattern applies (its effort rises: [`dpllt::Rising`]), the search on few threads,
//! the one by stubborn sets, IC3, and plain search. All are made when their turn comes.
//!
//! Programs whose ends may be proper, and questions that are formulas: each group of goals that can be looked for
//! together has engines of its own, on the program that says it with `bad` and `deadlock` ([`model::observed`]).

use crate::engines;
use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::plan::{Subject, entrants, unsupported};
use crate::row::{Call, Programs};
use crate::settled::Settled;
use dpllt::{Dpllt, Rising};
use encode::program::Code;
use explore::{Explore, Stubborn};
use ic3::ProgramIc3;
use model::{Engine, Goal, Problem, Program, ProgramTask};
use project::Project;
use reduce::{Home, Mapped, Restrictions};
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use walk::ProgramWalk;

/// Local states of all threads beyond which patterns are not looked for unasked: looking at threads could take longer
/// than a search, and only walks and plain search run.
const LARGE: usize = 1_000_000;

/// Work units of the first walks through a program, for each local state of its threads: about as long as it takes to
/// make the other engines; of small programs three times as long.
const WALK_AHEAD: u64 = 8;

/// The first walks take no more than these units, a twenty-fifth of a second, because of the threefold time.
const LONG_WALK: u64 = 200_000;

/// Nanoseconds that it takes to make an engine, for each local state.
const MAKE: u64 = 6_000;

/// The same for stubborn sets, which ask what may interfere with what.
const MAKE_STUBBORN: u64 = 100_000;

/// Nodes of a program's circuit beyond which IC3 does not try.
const MOST_NODES: usize = 1 << 22;

/// What engines for a program are made of. Its goals are `bad` and `deadlock`, and no end of it is proper.
pub(crate) struct Task<'a> {
    asked: ProgramTask,
    options: &'a Options<'a>,
    /// Does plain search complete the space?
    explore_all: bool,
    /// Local states of all threads.
    locals: usize,
    reduced: OnceCell<Rc<Reduced>>,
}

pub(crate) fn plan<'a>(problem: &Problem, program: &Arc<Program>, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let is_plain = |goal: Goal| matches!(goal, Goal::Bad | Goal::Deadlock);
    let as_read = ProgramTask::new(Arc::clone(program), problem.goals()).assuming(problem.assumptions().to_vec());
    if problem.goals().all(is_plain) && !program.has_finals() {
        return plain(as_read, options, options.explore_all);
    }
    let mut list = Vec::new();
    for goals in model::together(problem) {
        let Some(observed) = model::observed(problem, &goals) else {
            list.push(unsupported(goals));
            continue;
        };
        let inner = plain(observed.task(), options, false);
        let home: Arc<dyn Home> = Arc::new(observed);
        list.extend(inner.into_iter().map(|entrant| brought_home(entrant, &home, &goals)));
    }
    if options.explore_all {
        // What the question adds to the program is no part of its space.
        list.push(Entrant::ready(by_breadth(&as_read.asking([]), true, options)).for_counts());
    }
    list
}

/// Engines for a program with these goals only: `bad` and `deadlock`.
fn plain<'a>(asked: ProgramTask, options: &'a Options<'_>, explore_all: bool) -> Vec<Entrant<'a>> {
    let goals = asked.goals().to_vec();
    let threads = asked.program().threads();
    let (locals, threads) = (threads.iter().map(|t| t.states.len()).sum(), threads.len());
    let task = Rc::new(Task { asked, options, explore_all, locals, reduced: OnceCell::new() });
    let subject = Subject {
        task,
        entries: |row| row.program,
        goals,
        threads,
        explore_all: options.explore_all,
        is_bounded: false,
    };
    entrants::<Programs>(&subject, options)
}

/// An entrant that works on another system, for these goals; `home` leads back from there.
fn brought_home<'a>(entrant: Entrant<'a>, home: &Arc<dyn Home>, goals: &[Goal]) -> Entrant<'a> {
    let is_own = |goal: &&Goal| match &entrant.goals {
        Some(own) => home.inner(**goal).is_some_and(|inner| own.contains(&inner)),
        None => true,
    };
    let goals = Some(goals.iter().filter(is_own).copied().collect());
    Entrant { engine: Box::new(Mapped::new(entrant.engine, Arc::clone(home))), goals, ..entrant }
}

impl<'a> Task<'a> {
    fn is_small(&self) -> bool {
        self.locals <= LARGE
    }

    fn asks_deadlock(&self) -> bool {
        self.asked.goals().contains(&Goal::Deadlock)
    }

    /// The program without the local states that patterns show to be out of reach.
    fn reduced(&self) -> Rc<Reduced> {
        let make = || {
            let (asked, restrictions) = reduce::restrict(&self.asked, self.options.patterns);
            Rc::new(Reduced { asked, home: Arc::new(restrictions) })
        };
        Rc::clone(self.reduced.get_or_init(make))
    }
}

/// A program without the local states that patterns show to be out of reach, and the way home from it.
struct Reduced {
    asked: ProgramTask,
    home: Arc<Restrictions>,
}

impl Reduced {
    fn home(&self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        let home = Arc::clone(&self.home);
        if home.is_empty() { engine } else { Box::new(Mapped::new(engine, home)) }
    }
}

type Make = for<'a> fn(&Call<'a, Programs>) -> Option<Box<dyn Engine + 'a>>;

/// An engine whose making takes so many nanoseconds for each local state. In `auto` only where threads are looked at.
fn made<'a>(call: &Call<'a, Programs>, name: &'static str, nanos: u64, make: Make) -> Vec<Entrant<'a>> {
    if !call.by_name && !call.task.is_small() {
        return Vec::new();
    }
    let price = if call.by_name { 0 } else { nanos * call.task.locals as u64 / call.terms.unit };
    let call = call.clone();
    vec![Entrant::paid(name, price, move || make(&call))]
}

pub(crate) fn walk<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let ahead = WALK_AHEAD * task.locals as u64;
    let ahead = ahead.max(LONG_WALK.min(3 * ahead));
    let task = Rc::clone(task);
    let make = move || -> Option<Box<dyn Engine>> {
        Some(Box::new(ProgramWalk::new(&task.asked, walk::Options { seed: task.options.seed })))
    };
    let role = if call.by_name { Role::Main } else { Role::Assistant { ahead } };
    vec![Entrant::made(engines::WALK.name, make).in_role(role)]
}

fn by_breadth(asked: &ProgramTask, explore_all: bool, options: &Options<'_>) -> Box<dyn Engine> {
    let how = explore::Options { explore_all, jobs: options.jobs };
    if asked.assumptions().is_empty() { Box::new(Explore::new(asked, how)) } else { explore::counted(asked, how) }
}

pub(crate) fn explicit<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    let task = Rc::clone(&call.task);
    vec![Entrant::made(engines::EXPLICIT.name, move || Some(by_breadth(&task.asked, task.explore_all, task.options)))]
}

/// A state blocks what would lead out of reach, whichever thread it is that keeps it from happening: lemmas about
/// plain deadlocks, which ask for a thread to blame, lose by that. So what they refute on the threads as read is seen
/// first; it costs no search. Nothing is made where nothing was cut off, or no pattern matches.
pub(crate) fn lemmas_as_read<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    if !task.asks_deadlock() {
        return Vec::new();
    }
    let make: Make = |call| {
        let task = &call.task;
        if task.reduced().home.is_empty() {
            return None;
        }
        let asked = task.asked.asking([Goal::Deadlock]);
        let how = dpllt::Options { batch: task.options.batch, lemmas_only: true };
        let patterns = task.options.patterns;
        let make = move |effort| Dpllt::within(&asked, patterns, how, effort);
        Some(Box::new(Rising::new(true, make, |search| Box::new(search))))
    };
    let entrants = made(call, engines::DPLLT.name, MAKE, make);
    entrants.into_iter().map(|entrant| entrant.only_for(vec![Goal::Deadlock])).collect()
}

/// The search with lemmas. In `auto` only where a pattern applies, or something is assumed.
pub(crate) fn dpllt<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, engines::DPLLT.name, 0, |call| {
        let task = &call.task;
        let needs_match = !call.by_name && task.asked.assumptions().is_empty();
        let how = dpllt::Options { batch: task.options.batch, lemmas_only: false };
        let (reduced, patterns) = (task.reduced(), task.options.patterns);
        let way_home = Rc::clone(&reduced);
        let make = move |effort| Dpllt::within(&reduced.asked, patterns, how, effort);
        Some(Box::new(Rising::new(needs_match, make, move |search| way_home.home(Box::new(search)))))
    })
}

pub(crate) fn project<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, engines::PROJECT.name, 0, |call| {
        let reduced = call.task.reduced();
        Some(reduced.home(Box::new(Project::new(&reduced.asked))))
    })
}

pub(crate) fn stubborn<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, engines::STUBBORN.name, MAKE_STUBBORN, |call| {
        let reduced = call.task.reduced();
        Some(reduced.home(Box::new(Stubborn::new(&reduced.asked))))
    })
}

/// IC3 on a circuit with a latch for each local state (digits are slower, if smaller), if the circuit is not too large.
pub(crate) fn ic3<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, engines::IC3.name, MAKE, |call| {
        let reduced = call.task.reduced();
        match ProgramIc3::new(&reduced.asked, Code::OneHot, MOST_NODES, &ic3::bits::Options::default()) {
            Some(engine) => Some(reduced.home(Box::new(engine))),
            None if call.by_name => Some(Settled::unsupported(call.task.asked.goals().to_vec())),
            None => None,
        }
    })
}
