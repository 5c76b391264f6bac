//! Engines for behavioral programs.
//!
//! Short walks go first: most of what is wrong with programs is found by them before the other engines are made. Then
//! come the search with lemmas, if a pattern applies (its effort rises: [`super::rising`]), the search on few threads,
//! the one by stubborn sets, IC3, and plain search. All are made when their turn comes.

use super::rising::Rising;
use super::unsupported;
use crate::later::Later;
use crate::options::{EngineChoice, Options};
use crate::turns::{Terms, Turns};
use dpllt::Dpllt;
use encode::program::Code;
use explore::{Explore, Stubborn};
use ic3::ProgramIc3;
use model::{Engine, Goal, Problem};
use project::Project;
use reduce::{Mapped, Restrictions};
use std::cell::LazyCell;
use std::rc::Rc;
use std::sync::Arc;
use walk::ProgramWalk;

/// The engines of `auto`, each with its share and the nanoseconds of its work unit. Shares are a quarter, or about
/// that, for each engine that is the best one for many problems that take long: `auto` then takes at most four times
/// what that engine takes. Units were measured on the families of `impasse-bench auto`, with 10 to 1,000 threads.
mod terms {
    use crate::turns::Terms;

    pub(super) const WALK: Terms = Terms { share: 2, unit: 200 };
    pub(super) const LEMMAS: Terms = Terms { share: 3, unit: 1_400 };
    pub(super) const PROJECT: Terms = Terms { share: 3, unit: 400 };
    pub(super) const IC3: Terms = Terms { share: 4, unit: 1_300 };

    /// Its units count what an expansion copies, which takes less where all of it stays in the fastest cache.
    pub(super) fn plain(threads: usize) -> Terms {
        Terms { share: 4, unit: 250 + 9 * threads.min(100) as u64 }
    }

    /// Choosing a set closes it under the threads that may interfere; it counts as eight units.
    pub(super) fn stubborn(threads: usize) -> Terms {
        Terms { share: 2, unit: 800 + 40 * threads as u64 }
    }
}

/// Local states of all threads beyond which patterns are not looked for unasked.
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

/// A search that completes the space of the program as read, for its counts alone.
pub(super) fn counting(problem: &Problem) -> Box<dyn Engine> {
    explicit(&Problem { properties: Vec::new(), ..problem.clone() }, true)
}

/// The engines that `options` ask for; plain search completes the space if it is to `explore_all`.
pub(super) fn plan<'a>(problem: &Problem, options: &'a Options<'_>, explore_all: bool) -> Turns<'a> {
    let mut turns = Turns::default();
    let reduced = || Reduced::new(problem, options);
    let engine = match options.engine {
        EngineChoice::Auto if !options.explore_all => {
            enter_all(&mut turns, &Rc::new(problem.clone()), options);
            return turns;
        }
        // Counts are those of plain search.
        EngineChoice::Auto | EngineChoice::Explicit => explicit(problem, explore_all),
        EngineChoice::Dpllt => {
            let reduced = reduced();
            if let Some(engine) = lemmas_as_read(problem, &reduced, options) {
                turns.enter_for(engine, Terms::PLAIN, vec![Goal::Deadlock]);
            }
            search_with_lemmas(reduced, options, false)
        }
        EngineChoice::Project => reduced().few_threads(),
        EngineChoice::Stubborn => reduced().stubborn(),
        EngineChoice::Ic3 | EngineChoice::Ic3Bits => {
            reduced().by_clauses().unwrap_or_else(|| unsupported(problem.goals().collect()))
        }
        EngineChoice::Walk => Box::new(walks(problem, options)),
        EngineChoice::Facts
        | EngineChoice::Pairs
        | EngineChoice::Ic3Bounded
        | EngineChoice::Ic3Rising
        | EngineChoice::Equation
        | EngineChoice::Ltl
        | EngineChoice::Cells
        | EngineChoice::ExplicitBy(_)
        | EngineChoice::Cover(_) => unsupported(problem.goals().collect()),
    };
    turns.enter(engine, Terms::PLAIN);
    turns
}

/// All that can help.
fn enter_all<'a>(turns: &mut Turns<'a>, problem: &Rc<Problem>, options: &'a Options<'_>) {
    let size = locals(problem);
    let threads = problem.program().threads().len();
    let ahead = WALK_AHEAD * size as u64;
    turns.enter_ahead(Box::new(walks(problem, options)), terms::WALK, ahead.max(LONG_WALK.min(3 * ahead)));
    let read = Rc::clone(problem);
    if size <= LARGE {
        let price = |nanos: u64, terms: Terms| nanos * size as u64 / terms.unit;
        let all = Rc::new(LazyCell::new(move || Reduced::new(&read, options)));
        if problem.goals().any(|goal| goal == Goal::Deadlock) {
            let (read, reduced) = (Rc::clone(problem), Rc::clone(&all));
            let make = move || lemmas_as_read(&read, &reduced, options);
            turns.enter_for(
                Later::boxed("dpllt", price(MAKE, terms::LEMMAS), make),
                terms::LEMMAS,
                vec![Goal::Deadlock],
            );
        }
        let (needs_match, reduced) = (problem.assumptions.is_empty(), Rc::clone(&all));
        let make = move || Some(search_with_lemmas(Rc::clone(&reduced), options, needs_match));
        turns.enter(Later::boxed("dpllt", 0, make), terms::LEMMAS);
        let reduced = Rc::clone(&all);
        turns.enter(Later::boxed("project", 0, move || Some(reduced.few_threads())), terms::PROJECT);
        let reduced = Rc::clone(&all);
        let terms = terms::stubborn(threads);
        turns.enter(Later::boxed("stubborn", price(MAKE_STUBBORN, terms), move || Some(reduced.stubborn())), terms);
        let make = move || all.by_clauses();
        turns.enter(Later::boxed("ic3", price(MAKE, terms::IC3), make), terms::IC3);
    }
    let read = Rc::clone(problem);
    turns.enter(Later::boxed("explicit", 0, move || Some(explicit(&read, false))), terms::plain(threads));
}

/// Local states of all threads. Where they are many, looking at threads could take longer than a search, and only
/// walks and plain search run.
fn locals(problem: &Problem) -> usize {
    problem.program().threads().iter().map(|t| t.states.len()).sum()
}

fn walks(problem: &Problem, options: &Options<'_>) -> ProgramWalk {
    ProgramWalk::new(problem, walk::Options { seed: options.seed })
}

fn explicit(problem: &Problem, explore_all: bool) -> Box<dyn Engine> {
    let how = explore::Options { explore_all };
    if problem.assumptions.is_empty() { Box::new(Explore::new(problem, how)) } else { explore::counted(problem, how) }
}

/// A state blocks what would lead out of reach, whichever thread it is that keeps it from happening: lemmas about
/// plain deadlocks, which ask for a thread to blame, lose by that. So what they refute on the threads as read is seen
/// first; it costs no search. `None` where nothing was cut off, or no pattern matches.
fn lemmas_as_read<'a>(problem: &Problem, reduced: &Reduced, options: &'a Options<'_>) -> Option<Box<dyn Engine + 'a>> {
    if reduced.home.is_empty() || !problem.goals().any(|goal| goal == Goal::Deadlock) {
        return None;
    }
    let asked = Problem::of_program_with(Arc::clone(problem.program()), &[Goal::Deadlock]);
    let problem = Problem { assumptions: problem.assumptions.clone(), ..asked };
    let how = dpllt::Options { batch: options.batch, lemmas_only: true };
    let make = move |effort| Dpllt::within(&problem, options.patterns, how, effort);
    Some(Box::new(Rising::new(true, make, |search| Box::new(search))))
}

/// The search with lemmas; with `needs_match` only where a pattern applies.
fn search_with_lemmas<'a>(reduced: Rc<Reduced>, options: &'a Options<'_>, needs_match: bool) -> Box<dyn Engine + 'a> {
    let how = dpllt::Options { batch: options.batch, lemmas_only: false };
    let way_home = Rc::clone(&reduced);
    let make = move |effort| Dpllt::within(&reduced.problem, options.patterns, how, effort);
    Box::new(Rising::new(needs_match, make, move |search| way_home.home(Box::new(search))))
}

/// A program without the local states that patterns show to be out of reach, and the way home from it.
struct Reduced {
    problem: Problem,
    home: Arc<Restrictions>,
}

impl Reduced {
    fn new(problem: &Problem, options: &Options<'_>) -> Rc<Self> {
        let (problem, restrictions) = reduce::restrict(problem, options.patterns);
        Rc::new(Self { problem, home: Arc::new(restrictions) })
    }

    fn home(&self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        let home = Arc::clone(&self.home);
        if home.is_empty() { engine } else { Box::new(Mapped::new(engine, home)) }
    }

    fn stubborn(&self) -> Box<dyn Engine> {
        self.home(Box::new(Stubborn::new(&self.problem)))
    }

    fn few_threads(&self) -> Box<dyn Engine> {
        self.home(Box::new(Project::new(&self.problem)))
    }

    /// IC3 on a circuit with a latch for each local state (digits are slower, if smaller). `None` where that cannot be had.
    fn by_clauses(&self) -> Option<Box<dyn Engine>> {
        let engine = ProgramIc3::new(&self.problem, Code::OneHot, MOST_NODES, &ic3::bits::Options::default())?;
        Some(self.home(Box::new(engine)))
    }
}
