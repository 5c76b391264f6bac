//! Engines for behavioral programs.
//!
//! Short random walks go first, because they find most errors in programs before the other engines are created. Then
//! come the search with lemmas, if a pattern applies, the thread abstraction, the search with stubborn sets, the state
//! equation on the program as a net, IC3, and plain search. The search with lemmas first spends little effort on
//! recognising patterns, and then more ([`programs::dpllt::Rising`]). Each engine is created at its first turn.
//!
//! If the program has priorities, walks and plain search respect them, and the other engines search the program without
//! priorities ([`Abstracted`]).
//!
//! If states of the program may be proper ends, that is, states without an enabled event that are no deadlocks,
//! or if goals are formulas, the question is translated. Each group of goals that can be searched together gets
//! its own engines. They work on a program that expresses the question with `bad` and `deadlock`
//! ([`mod@model::observed`]).

use crate::abstracted::{Abstracted, OnRun, unranked};
use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::ready::ReadyClaims;
use crate::row::{Call, Programs, SystemKind};
use crate::select::{Selection, Subject};
use model::{Engine, Goal, Lift, Mapped, Problem, Program, ProgramTask};
use nets::equation::Equation;
use nets::invariants::Invariants;
use programs::dpllt::{Dpllt, Rising};
use programs::encode::Code;
use programs::explore::Temporal;
use programs::thread_abstraction::ThreadAbstraction;
use programs::{ProgramIc3, ProgramWalk, Restrictions};
use std::sync::{Arc, OnceLock};

/// Maximum number of local states, of all threads together, for engines in `auto` that analyse threads. For
/// larger programs, the analysis could take longer than a search, so only walks and plain search run.
const LARGE: usize = 1_000_000;

/// Work units of the first walks for each local state of the program. These walks take about as long as creating
/// the other engines. In small programs, the first walks get three times as many units.
const WALK_AHEAD: u64 = 8;

/// The threefold budget is used only up to this many work units, which take about a twenty-fifth of a second.
const LONG_WALK: u64 = 200_000;

/// Cost of creating an engine, in nanoseconds per local state.
const MAKE: u64 = 6_000;

/// Cost of creating the engine `stubborn`, in nanoseconds per local state. The engine first computes which
/// threads and events may interfere.
const MAKE_STUBBORN: u64 = 100_000;

/// Maximum number of nodes in the circuit of a program for IC3.
const MOST_NODES: usize = 1 << 22;

/// The data from which engines for a program are created. The goals are `bad` and `deadlock`, and no end of
/// the program is proper.
pub(crate) struct Task<'a> {
    asked: ProgramTask,
    options: &'a Options<'a>,
    /// True if plain search completes the state space.
    explore_all: bool,
    /// Number of local states of all threads together.
    locals: usize,
    reduced: OnceLock<Arc<Reduced>>,
}

impl SystemKind for Programs {
    type Task<'a> = Task<'a>;
}

pub(crate) fn plan<'a>(problem: &Problem, program: &Arc<Program>, from: Selection<'a>) -> Vec<Entrant<'a>> {
    let is_plain = |goal: Goal| matches!(goal, Goal::Bad | Goal::Deadlock);
    let as_read = ProgramTask::new(Arc::clone(program), problem.goals()).assuming(problem.assumptions().to_vec());
    if problem.goals().all(is_plain) && !program.has_ends() {
        return plain(as_read, from, from.options.explore_all);
    }
    let mut list = Vec::new();
    for goals in model::together(problem) {
        let Some(observed) = model::observed(problem, &goals) else {
            list.push(Entrant::unsupported(goals));
            continue;
        };
        if goals.iter().any(|goal| goal.is_temporal()) {
            // This engine is part of plain search, and has its name.
            let engine = Temporal::new(&observed);
            list.push(match from.options.engine {
                Some(row) if row.name != engine.name() => Entrant::unsupported(goals),
                _ => Entrant::ready(Box::new(engine)).only_for(goals),
            });
            continue;
        }
        let inner = plain(observed.task(), from, false);
        let lift: Arc<dyn Lift> = Arc::new(observed);
        list.extend(inner.into_iter().map(|entrant| lifted(entrant, &lift, &goals)));
    }
    if from.options.explore_all {
        // The translated program contains additions for the question, which must not be counted.
        list.push(Entrant::ready(by_breadth(&as_read.asking([]), true, from.options)).for_counts());
    }
    list
}

/// Maximum number of states, as the product of the sizes of the threads, of a program that plain search visits first.
const TINY: usize = 64;

/// Returns true if plain search, which then goes first, visits all states of the program in microseconds.
#[must_use]
pub fn is_tiny(program: &Program) -> bool {
    let mut sizes = program.threads().iter().map(|thread| thread.states.len());
    sizes.try_fold(1, |states, size| Some(states * size).filter(|n| *n <= TINY)).is_some()
}

/// Returns the engines for a program with the goals `bad` and `deadlock` only.
pub(crate) fn plain<'a>(asked: ProgramTask, from: Selection<'a>, explore_all: bool) -> Vec<Entrant<'a>> {
    let (goals, options, is_tiny) = (asked.goals().to_vec(), from.options, is_tiny(asked.program()));
    let threads = asked.program().threads();
    let (locals, threads) = (threads.iter().map(|t| t.states.len()).sum(), threads.len());
    let task = Task { asked, options, explore_all, locals, reduced: OnceLock::new() };
    from.entrants(&Subject { threads, is_tiny, ..Subject::new(|row| row.program, task, goals) })
}

/// Turns an entrant (an engine in a plan) for a translated program into an entrant for the program as read.
/// `goals` are the goals of the program as read, and `lift` lifts the claims of the engine.
fn lifted<'a>(entrant: Entrant<'a>, lift: &Arc<dyn Lift>, goals: &[Goal]) -> Entrant<'a> {
    let is_own = |goal: &&Goal| match &entrant.goals {
        Some(own) => lift.inner(**goal).is_some_and(|inner| own.contains(&inner)),
        None => true,
    };
    let goals = Some(goals.iter().filter(is_own).copied().collect());
    Entrant { engine: Box::new(Mapped::new(entrant.engine, Arc::clone(lift))), goals, ..entrant }
}

impl Task<'_> {
    /// Returns the program without priorities and without the local states that patterns show to be unreachable.
    fn reduced(&self) -> Arc<Reduced> {
        let make = || {
            let (asked, restrictions) = programs::restrict(&unranked(&self.asked), self.options.patterns);
            Arc::new(Reduced { asked, lift: Arc::new(restrictions) })
        };
        Arc::clone(self.reduced.get_or_init(make))
    }
}

/// A program without the local states that patterns show to be unreachable, and the restrictions that lift
/// claims about it.
struct Reduced {
    asked: ProgramTask,
    lift: Arc<Restrictions>,
}

impl Reduced {
    fn lift(&self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        let lift = Arc::clone(&self.lift);
        if lift.is_empty() { engine } else { Box::new(Mapped::new(engine, lift)) }
    }
}

type Make = for<'a> fn(&Call<'a, Programs>) -> Option<Box<dyn Engine + 'a>>;

/// Creates an entrant for an engine that knows no priorities. Creating it takes `nanos` nanoseconds per local state. In
/// `auto`, there is an entrant only if the program is small enough to analyse its threads.
fn made<'a>(call: &Call<'a, Programs>, nanos: u64, make: Make) -> Vec<Entrant<'a>> {
    if !call.by_name && call.task.locals > LARGE {
        return Vec::new();
    }
    let price = if call.by_name { 0 } else { nanos * call.task.locals as u64 / call.terms.unit };
    vec![call.paid(price, move |call| {
        let (engine, on_run) = (make(call)?, OnRun::Candidate { claimed: None });
        let has_priorities = call.task.asked.program().has_priorities();
        Some(if has_priorities { Box::new(Abstracted { engine, on_run }) } else { engine })
    })]
}

pub(crate) fn walk<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    let ahead = WALK_AHEAD * call.task.locals as u64;
    let ahead = ahead.max(LONG_WALK.min(3 * ahead));
    let entrant = call.entrant(|call| ProgramWalk::new(&call.task.asked, call.task.options.seed));
    vec![entrant.in_role(call.role(Role::Assistant { ahead }))]
}

fn by_breadth(asked: &ProgramTask, explore_all: bool, options: &Options<'_>) -> Box<dyn Engine> {
    if let Some(bytes) = options.lossy {
        return programs::explore::lossy(asked, bytes);
    }
    let how = options.exploration(explore_all);
    if asked.assumptions().is_empty() { Box::new(programs::explore(asked, how)) } else { programs::counted(asked, how) }
}

pub(crate) fn explicit<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    let make = |task: &Task<'_>| by_breadth(&task.asked, task.explore_all, task.options);
    vec![call.paid(0, move |call| Some(make(&call.task)))]
}

/// Creates the refutation of deadlocks by lemmas about the threads as read.
///
/// In the restricted program, a state blocks each event that would lead from it to unreachable states only. In
/// the program as read, another thread may be the one that blocks such an event. A lemma about plain deadlocks
/// lists all states that block an event, so the additional blocks weaken it. Therefore the lemmas about the
/// threads as read are tried first. This refutation needs no search. The engine is not created if nothing was
/// restricted or no pattern matches.
pub(crate) fn lemmas_as_read<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    if !call.task.asked.goals().contains(&Goal::Deadlock) {
        return Vec::new();
    }
    let entrants = made(call, MAKE, |call| {
        let task = &call.task;
        if task.reduced().lift.is_empty() {
            return None;
        }
        let asked = unranked(&task.asked).asking([Goal::Deadlock]);
        let how = programs::dpllt::Options { batch: task.options.batch, lemmas_only: true };
        let patterns = task.options.patterns;
        let make = move |effort| Dpllt::within(&asked, patterns, how, effort);
        Some(Box::new(Rising::new(true, make, |search| Box::new(search))))
    });
    entrants.into_iter().map(|entrant| entrant.only_for(vec![Goal::Deadlock])).collect()
}

/// Creates the search with lemmas. In `auto`, it runs only if a pattern applies or the problem has
/// assumptions.
pub(crate) fn dpllt<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, 0, |call| {
        let task = &call.task;
        let needs_match = !call.by_name && task.asked.assumptions().is_empty();
        let how = programs::dpllt::Options { batch: task.options.batch, lemmas_only: false };
        let (reduced, patterns) = (task.reduced(), task.options.patterns);
        let way_home = Arc::clone(&reduced);
        let make = move |effort| Dpllt::within(&reduced.asked, patterns, how, effort);
        Some(Box::new(Rising::new(needs_match, make, move |search| way_home.lift(Box::new(search)))))
    })
}

pub(crate) fn thread_abstraction<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, 0, |call| {
        let reduced = call.task.reduced();
        Some(reduced.lift(Box::new(ThreadAbstraction::new(&reduced.asked))))
    })
}

pub(crate) fn stubborn<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, MAKE_STUBBORN, |call| {
        let reduced = call.task.reduced();
        Some(reduced.lift(Box::new(programs::explore_stubborn(&reduced.asked))))
    })
}

/// Creates IC3 on a circuit with a latch for each local state, if the circuit is not too large. An encoding
/// in binary digits would be smaller, but slower.
pub(crate) fn ic3<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, MAKE, |call| {
        let reduced = call.task.reduced();
        match ProgramIc3::new(&reduced.asked, Code::OneHot, MOST_NODES, &circuits::ic3::Options::default()) {
            Some(engine) => Some(reduced.lift(Box::new(engine))),
            None if call.by_name => Some(ReadyClaims::unsupported(call.task.asked.goals().to_vec())),
            None => None,
        }
    })
}

/// Creates the state equation on the program as a net, if the net is not too large.
pub(crate) fn equation<'a>(call: &Call<'a, Programs>) -> Vec<Entrant<'a>> {
    made(call, MAKE, |call| {
        let asked = unranked(&call.task.asked);
        let Some((task, lift)) = programs::as_net(&asked) else {
            return call.by_name.then(|| ReadyClaims::unsupported(asked.goals().to_vec()));
        };
        let invariants = Arc::new(Invariants::new(&task)?);
        Some(Box::new(Mapped::new(Box::new(Equation::new(task, invariants)), lift)))
    })
}
