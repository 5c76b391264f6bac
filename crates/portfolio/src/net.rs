//! Engines for nets and thread-transition systems.
//!
//! Slicing comes first, and settles some goals by itself. The other goals go to engines that prove with
//! invariants, to searches that are guided by distances or reduced by stubborn sets, and to plain search.
//! Random walks assist. Thread-transition systems are translated to nets. [`Lift`] translates traces and
//! certificates back.

use crate::engines;
use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::plan::{OWN_SLICES, Subject, entrants};
use crate::row::{Call, Nets};
use crate::settled::Settled;
use model::{Engine, Goal, Marked, MarkedTask, NetTask, Problem};
use model::{Lift, Mapped};
use nets::cover::{Cover, Procedure};
use nets::equation::{ByInvariants, Equation};
use nets::invariants::Invariants;
use nets::walk::{BestFirst, Walk};
use nets::{Ic3, Ic3Bits, InvariantUse, NetBitsOptions};
use programs::dpllt::NetDpllt;
use std::sync::{Arc, OnceLock};

/// Number of transitions that slicing handles per work unit.
const SLICED_PER_UNIT: u64 = 2;

/// The data from which engines for a net are created.
pub(crate) struct Task<'a> {
    asked: MarkedTask<'a>,
    options: &'a Options<'a>,
    /// True if nets are sliced.
    slice: bool,
    /// The net that engines work on. `lift` lifts claims about it.
    reduced: NetTask,
    lift: Arc<dyn Lift>,
    invariants: OnceLock<Option<Arc<Invariants>>>,
}

/// Returns the engines for a problem about a net or a thread-transition system.
pub(crate) fn plan<'a>(problem: &'a Problem, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let Some(task) = MarkedTask::of(problem) else { return Vec::new() };
    plain_goals(task, options)
}

fn plain_goals<'a>(asked: MarkedTask<'a>, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (slice, explore_all) = (options.slice && !options.explore_all, options.explore_all);
    let reduced = nets::reduce::prepare(&asked, &nets::reduce::Options { slice, bound: options.bound });
    let mut list = vec![Entrant::ready(Box::new(Settled::new("slice", reduced.settled)))];
    let goals = reduced.task.goals.clone();
    if goals.is_empty() && !explore_all {
        return list;
    }
    let invariants = OnceLock::new();
    let task = Arc::new(Task { asked, options, slice, reduced: reduced.task, lift: reduced.lift, invariants });
    let subject =
        Subject { task, entries: |row| row.net, goals, threads: 0, explore_all, is_bounded: options.bound.is_some() };
    list.extend(entrants::<Nets>(&subject, options));
    list
}

impl<'a> Task<'a> {
    /// Returns the invariants of the reduced net. `None` if there is a bound, because invariants do not take
    /// it into account, or if the numbers of the net are too large.
    fn invariants(&self) -> Option<Arc<Invariants>> {
        let make = || Invariants::new(&self.reduced).map(Arc::new);
        self.options.bound.is_none().then(|| self.invariants.get_or_init(make).clone()).flatten()
    }

    fn lift(&self, engine: Box<dyn Engine>) -> Box<dyn Engine> {
        Box::new(Mapped::new(engine, Arc::clone(&self.lift)))
    }

    /// Prepares the slice for this goal alone.
    fn of_goal(&self, goal: Goal) -> nets::reduce::Prepared {
        let how = nets::reduce::Options { slice: self.slice, bound: self.options.bound };
        nets::reduce::prepare(&self.asked.asking(&[goal]), &how)
    }

    /// Returns the cost of slicing the net once more, in work units.
    fn slicing(&self) -> u64 {
        match self.asked.system() {
            Marked::Net(as_read) => as_read.transitions().len() as u64 / SLICED_PER_UNIT,
            Marked::Threads(_) => 0,
        }
    }
}

type Make = fn(NetTask, Arc<Invariants>) -> Box<dyn Engine>;

/// Creates an entrant for an engine that uses invariants. Creates no entrant if there is a bound, because
/// engines with invariants do not take a bound into account.
fn with_invariants<'a>(call: &Call<'a, Nets>, name: &'static str, make: Make) -> Vec<Entrant<'a>> {
    let task = &call.task;
    if task.options.bound.is_some() {
        return Vec::new();
    }
    let task = Arc::clone(task);
    let make = move || task.invariants().map(|invariants| task.lift(make(task.reduced.clone(), invariants)));
    vec![Entrant::made(name, make)]
}

pub(crate) fn invariants<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_invariants(call, engines::INVARIANTS.name, |task, invariants| {
        Box::new(ByInvariants::new(task, invariants, true))
    })
}

pub(crate) fn concurrency<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_invariants(call, engines::CONCURRENCY.name, |task, invariants| {
        Box::new(ByInvariants::new(task, invariants, false))
    })
}

pub(crate) fn ic3<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_invariants(call, engines::IC3.name, |task, invariants| Box::new(Ic3::new(task, invariants)))
}

pub(crate) fn equation<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_invariants(call, engines::EQUATION.name, |task, invariants| Box::new(Equation::new(task, invariants)))
}

pub(crate) fn greedy<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let make: Make = |task, invariants| Box::new(Cover::new(task, invariants, Procedure::Greedy));
    with_invariants(call, engines::COVER_GREEDY.name, make)
}

pub(crate) fn a_star<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let make: Make = |task, invariants| Box::new(Cover::new(task, invariants, Procedure::AStar));
    with_invariants(call, engines::COVER_ASTAR.name, make)
}

pub(crate) fn backward<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let make: Make = |task, invariants| Box::new(Cover::new(task, invariants, Procedure::Backward));
    with_invariants(call, engines::COVER_BACKWARD.name, make)
}

/// Creates random walks. Walks ignore the bound. Their runs are valid nevertheless, because each of them is a
/// run of the system.
pub(crate) fn walk<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = Arc::clone(&call.task);
    let make = move || {
        let how = task.options.seed;
        Some(task.lift(Box::new(Walk::new(task.reduced.clone(), how))))
    };
    let role = if call.by_name { Role::Main } else { Role::Assistant { ahead: 0 } };
    vec![Entrant::made(engines::WALK.name, make).in_role(role)]
}

/// The limits of best-first searches, in markings for each goal.
const NEAREST: nets::walk::Limits = &[3_000, 30_000];

/// Creates a best-first search for each goal, on the net after structural reductions for this goal: an order of
/// expansions serves one goal, and the fewer places the goals name, the smaller the net becomes.
pub(crate) fn best_first<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    if !call.by_name && task.reduced.goals.len() > OWN_SLICES {
        return Vec::new();
    }
    let own = |&goal: &Goal| {
        // The net is sliced, and reduced.
        let (price, task) = (2 * task.slicing(), Arc::clone(task));
        let make = move || -> Option<Box<dyn Engine>> {
            let sliced = task.of_goal(goal);
            let engine: Box<dyn Engine> = match nets::reduce::structural(&sliced.task) {
                Some(small) => Box::new(Mapped::new(Box::new(BestFirst::new(small.task, NEAREST)), small.lift)),
                None => Box::new(BestFirst::new(sliced.task, NEAREST)),
            };
            Some(Box::new(Mapped::new(engine, sliced.lift)))
        };
        Entrant::paid(engines::BEST_FIRST.name, price, make).only_for(vec![goal])
    };
    task.reduced.goals.iter().map(own).collect()
}

fn plain(task: NetTask, options: &Options<'_>) -> Box<dyn Engine> {
    if let Some(bytes) = options.lossy {
        return nets::lossy_net(task, bytes);
    }
    let Options { explore_all, jobs, ref disk, .. } = *options;
    Box::new(nets::explore(task, search::explicit::Options { explore_all, jobs, disk: disk.clone() }))
}

pub(crate) fn explicit<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = Arc::clone(&call.task);
    let make = move || Some(task.lift(plain(task.reduced.clone(), task.options)));
    vec![Entrant::made(engines::EXPLICIT.name, make)]
}

/// Creates a plain search for each goal, if there are several goals. A search runs only if the slice of its
/// goal is much smaller than the slice for all goals.
pub(crate) fn own_slices<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    if !task.slice || !(2..=OWN_SLICES).contains(&task.reduced.goals.len()) {
        return Vec::new();
    }
    let own = |&goal: &Goal| {
        let (price, task) = (task.slicing(), Arc::clone(task));
        let make = move || -> Option<Box<dyn Engine>> {
            let reduced = task.of_goal(goal);
            let smaller = reduced.task.net.transitions().len() * 4 <= task.reduced.net.transitions().len() * 3;
            smaller
                .then(|| -> Box<dyn Engine> { Box::new(Mapped::new(plain(reduced.task, task.options), reduced.lift)) })
        };
        Entrant::paid(engines::EXPLICIT.name, price, make).only_for(vec![goal])
    };
    task.reduced.goals.iter().map(own).collect()
}

/// Creates a search with stubborn sets for each goal, because a stubborn set that serves several goals leaves
/// out fewer transitions. Creates no search for thread-transition systems, because the checker may find more
/// dependencies in the system as read than there are in its net.
pub(crate) fn stubborn<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let is_net = matches!(task.asked.system(), Marked::Net(_));
    let is_worth_it = task.slice && task.reduced.goals.len() <= OWN_SLICES;
    if !is_net || !(call.by_name || is_worth_it) {
        return Vec::new();
    }
    let own = |&goal: &Goal| {
        let (price, task) = (task.slicing(), Arc::clone(task));
        let make = move || -> Option<Box<dyn Engine>> {
            let reduced = task.of_goal(goal);
            Some(Box::new(Mapped::new(Box::new(nets::explore_stubborn(reduced.task)), reduced.lift)))
        };
        Entrant::paid(engines::STUBBORN.name, price, make).only_for(vec![goal])
    };
    task.reduced.goals.iter().map(own).collect()
}

/// Creates IC3 on bits for `auto`. It works on goals that the engines on markings and on linear sums leave
/// open.
pub(crate) fn bits<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    // IC3 on markings is better if the net is monotone and all goals are upward closed.
    let asks_cover = |goal: &Goal| task.reduced.formula(*goal).is_some_and(|f| f.is_upward_closed());
    let only_covering = task.reduced.net.is_monotone() && task.reduced.goals.iter().all(asks_cover);
    if only_covering || task.reduced.goals.len() > OWN_SLICES {
        return Vec::new();
    }
    with_invariants(call, engines::IC3_BITS.name, |task, invariants| {
        Box::new(Ic3Bits::new(task, invariants, NetBitsOptions::default()))
    })
}

/// Creates IC3 on the bits of a net, as the options say. `None` if the numbers of the net are too large.
pub(crate) fn chosen_bits(task: &NetTask, options: &Options<'_>, how: Bits) -> Option<Ic3Bits> {
    let with_invariants = if options.patterns.is_empty() { InvariantUse::NONE } else { options.invariants };
    let own = match how {
        Bits::Bounded => NetBitsOptions { invariants: InvariantUse::NONE, unbounded: false, rising: false },
        Bits::Rising => NetBitsOptions { invariants: with_invariants, unbounded: true, rising: true },
        Bits::Plain => NetBitsOptions { invariants: with_invariants, ..NetBitsOptions::default() },
    };
    let invariants = Invariants::new(task)?;
    Some(Ic3Bits::new(task.clone(), Arc::new(invariants), own))
}

/// Variants of IC3 on bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bits {
    Plain,
    Bounded,
    Rising,
}

fn by_bits<'a>(call: &Call<'a, Nets>, name: &'static str, how: Bits) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let task = Arc::clone(task);
    let make = move || {
        Some(match chosen_bits(&task.reduced, task.options, how) {
            Some(engine) => task.lift(Box::new(engine)),
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

/// Creates the searches inside a SAT solver. Searches for different goals share nothing, so each goal gets
/// its own slice. Invariants are tried before any state is visited: either they exclude the goal, or they are
/// not used.
pub(crate) fn dpllt<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let options = task.options;
    let by_invariants = options.bound.is_none() && !options.patterns.is_empty();
    let own = |&goal: &Goal| {
        let reduced = task.of_goal(goal);
        let mut list = Vec::new();
        if let Some(invariants) = by_invariants.then(|| Invariants::new(&reduced.task)).flatten() {
            let engine = ByInvariants::new(reduced.task.clone(), Arc::new(invariants), true);
            let lift: Arc<dyn Lift> = Arc::clone(&reduced.lift) as Arc<dyn Lift>;
            list.push(Entrant::ready(Box::new(Mapped::new(Box::new(engine), lift))).only_for(vec![goal]));
        }
        let engine = NetDpllt::new(reduced.task, programs::dpllt::Options { batch: options.batch, lemmas_only: false });
        list.push(Entrant::ready(Box::new(Mapped::new(Box::new(engine), reduced.lift))).only_for(vec![goal]));
        list
    };
    task.reduced.goals.iter().flat_map(own).collect()
}

/// Creates all guided searches.
pub(crate) fn cover<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    [greedy(call), a_star(call), backward(call)].into_iter().flatten().collect()
}
