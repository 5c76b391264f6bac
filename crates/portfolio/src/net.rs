//! Engines for nets and thread-transition systems.
//!
//! Slicing comes first, and settles some goals by itself. The other goals go to engines that prove with
//! invariants, to searches that are guided by distances or reduced by stubborn sets, and to plain search.
//! Random walks assist. Thread-transition systems are translated to nets. [`Lift`] translates traces and
//! certificates back.

use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::ready::ReadyClaims;
use crate::row::{Call, Nets, SystemKind};
use crate::select::{Selection, Subject};
use model::{Engine, Goal, Lift, Mapped, Marked, MarkedTask, NetTask, Problem};
use nets::cover::{Cover, Procedure};
use nets::equation::{ByInvariants, Equation};
use nets::invariants::Invariants;
use nets::reduce::Prepared;
use nets::walk::{BestFirst, Walk};
use nets::{Ic3, Ic3Bits, InvariantUse, NetBitsOptions};
use programs::dpllt::NetDpllt;
use std::sync::{Arc, OnceLock};

/// Maximum number of goals for which each goal may get its own slice. With more goals, making the slices
/// costs more than they save.
pub(crate) const OWN_SLICES: usize = 200;

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

impl SystemKind for Nets {
    type Task<'a> = Task<'a>;
}

/// Returns the engines for a problem about a net or a thread-transition system.
pub(crate) fn plan<'a>(problem: &'a Problem, from: Selection<'a>) -> Vec<Entrant<'a>> {
    let (Some(asked), options) = (MarkedTask::of(problem), from.options) else { return Vec::new() };
    let slice = options.slice && !options.explore_all;
    let Prepared { task, lift, settled, .. } =
        nets::reduce::prepare(&asked, &nets::reduce::Options { slice, bound: options.bound });
    let mut list = vec![Entrant::ready(Box::new(ReadyClaims::new("slice", settled)))];
    let goals = task.goals.clone();
    if !goals.is_empty() || options.explore_all {
        let task = Task { asked, options, slice, reduced: task, lift, invariants: OnceLock::new() };
        let subject = Subject { is_bounded: options.bound.is_some(), ..Subject::new(|row| row.net, task, goals) };
        list.extend(from.entrants(&subject));
    }
    list
}

impl Task<'_> {
    /// Returns the invariants of the reduced net. `None` if there is a bound, because invariants do not take
    /// it into account, or if the numbers of the net are too large.
    fn invariants(&self) -> Option<Arc<Invariants>> {
        let make = || Invariants::new(&self.reduced).map(Arc::new);
        self.options.bound.is_none().then(|| self.invariants.get_or_init(make).clone()).flatten()
    }

    fn lift(&self, engine: Box<dyn Engine>) -> Mapped<'static> {
        Mapped::new(engine, Arc::clone(&self.lift))
    }

    /// Prepares the slice for this goal alone.
    fn of_goal(&self, goal: Goal) -> Prepared {
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

/// Creates an entrant for an engine that uses invariants. Creates no entrant if there is a bound, because
/// engines with invariants do not take a bound into account.
fn with_invariants<'a, E: Engine + 'static>(
    call: &Call<'a, Nets>,
    make: impl FnOnce(NetTask, Arc<Invariants>) -> E + Send + 'a,
) -> Vec<Entrant<'a>> {
    if call.task.options.bound.is_some() {
        return Vec::new();
    }
    vec![call.paid(0, |call| {
        let engine = make(call.task.reduced.clone(), call.task.invariants()?);
        Some(Box::new(call.task.lift(Box::new(engine))))
    })]
}

/// Creates the search for invariants. `linear` says whether there are linear ones beside pairs of places.
pub(crate) fn invariants<'a>(call: &Call<'a, Nets>, linear: bool) -> Vec<Entrant<'a>> {
    with_invariants(call, move |task, invariants| ByInvariants::new(task, invariants, linear))
}

pub(crate) fn ic3<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_invariants(call, Ic3::new)
}

pub(crate) fn equation<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    with_invariants(call, Equation::new)
}

pub(crate) fn cover<'a>(call: &Call<'a, Nets>, procedure: Procedure) -> Vec<Entrant<'a>> {
    with_invariants(call, move |task, invariants| Cover::new(task, invariants, procedure))
}

/// Creates random walks. Walks ignore the bound. Their runs are valid nevertheless, because each of them is a
/// run of the system.
pub(crate) fn walk<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let walk = |task: &Task<'_>| task.lift(Box::new(Walk::new(task.reduced.clone(), task.options.seed)));
    vec![call.entrant(move |call| walk(&call.task)).in_role(call.role(Role::Assistant { ahead: 0 }))]
}

/// Creates an engine for each goal, on the slice for this goal alone, if `make` returns one. Its turns must first pay
/// for making the slice, this number of times.
fn on_own_slices<'a>(
    call: &Call<'a, Nets>,
    times: u64,
    make: fn(&Task<'_>, NetTask) -> Option<Box<dyn Engine>>,
) -> Vec<Entrant<'a>> {
    let own = |&goal: &Goal| {
        let sliced = move |task: &Task<'_>| -> Option<Box<dyn Engine>> {
            let own = task.of_goal(goal);
            Some(Box::new(Mapped::new(make(task, own.task)?, own.lift)))
        };
        call.paid(times * call.task.slicing(), move |call| sliced(&call.task)).only_for(vec![goal])
    };
    call.task.reduced.goals.iter().map(own).collect()
}

/// The limits of best-first searches, in markings for each goal.
const NEAREST: nets::walk::Limits = &[3_000, 30_000];

/// Creates a best-first search for each goal, on the net after structural reductions for this goal: an order of
/// expansions serves one goal, and the fewer places the goals name, the smaller the net becomes.
pub(crate) fn best_first<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    if !call.by_name && call.task.reduced.goals.len() > OWN_SLICES {
        return Vec::new();
    }
    // The net is sliced, and reduced.
    on_own_slices(call, 2, |_, sliced| {
        Some(match nets::reduce::structural(&sliced) {
            Some(small) => Box::new(Mapped::new(Box::new(BestFirst::new(small.task, NEAREST)), small.lift)),
            None => Box::new(BestFirst::new(sliced, NEAREST)),
        })
    })
}

fn plain(task: NetTask, options: &Options<'_>) -> Box<dyn Engine> {
    match options.lossy {
        Some(bytes) => nets::lossy_net(task, bytes),
        None => Box::new(nets::explore(task, options.exploration(options.explore_all))),
    }
}

pub(crate) fn explicit<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    vec![call.entrant(|call| call.task.lift(plain(call.task.reduced.clone(), call.task.options)))]
}

/// Creates a plain search for each goal, if there are several goals. A search runs only if the slice of its
/// goal is much smaller than the slice for all goals.
pub(crate) fn own_slices<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    if !call.task.slice || !(2..=OWN_SLICES).contains(&call.task.reduced.goals.len()) {
        return Vec::new();
    }
    on_own_slices(call, 1, |task, own| {
        let smaller = own.net.transitions().len() * 4 <= task.reduced.net.transitions().len() * 3;
        smaller.then(|| plain(own, task.options))
    })
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
    on_own_slices(call, 1, |_, own| Some(Box::new(nets::explore_stubborn(own))))
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
    with_invariants(call, |task, invariants| Ic3Bits::new(task, invariants, NetBitsOptions::default()))
}

/// Variants of IC3 on bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bits {
    Plain,
    Bounded,
    Rising,
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

/// Creates a variant of IC3 on bits.
pub(crate) fn chosen<'a>(call: &Call<'a, Nets>, how: Bits) -> Vec<Entrant<'a>> {
    let make = move |task: &Task<'_>| -> Box<dyn Engine> {
        match chosen_bits(&task.reduced, task.options, how) {
            Some(engine) => Box::new(task.lift(Box::new(engine))),
            None => ReadyClaims::unsupported(task.asked.goals().to_vec()),
        }
    };
    vec![call.paid(0, move |call| Some(make(&call.task)))]
}

/// Creates the searches inside a SAT solver. Searches for different goals share nothing, so each goal gets
/// its own slice. Invariants are tried before any state is visited: either they exclude the goal, or they are
/// not used.
pub(crate) fn dpllt<'a>(call: &Call<'a, Nets>) -> Vec<Entrant<'a>> {
    let options = call.task.options;
    let by_invariants = options.bound.is_none() && !options.patterns.is_empty();
    let own = |&goal: &Goal| {
        let Prepared { task, lift, .. } = call.task.of_goal(goal);
        let lift: Arc<dyn Lift> = lift;
        let invariants = by_invariants.then(|| Invariants::new(&task)).flatten();
        let first = invariants.map(|invariants| -> Box<dyn Engine> {
            Box::new(ByInvariants::new(task.clone(), Arc::new(invariants), true))
        });
        let how = programs::dpllt::Options { batch: options.batch, lemmas_only: false };
        let engines = first.into_iter().chain([Box::new(NetDpllt::new(task, how)) as Box<dyn Engine>]);
        let lifted = |engine| Box::new(Mapped::new(engine, Arc::clone(&lift)));
        engines.map(|engine| Entrant::ready(lifted(engine)).only_for(vec![goal])).collect::<Vec<_>>()
    };
    call.task.reduced.goals.iter().flat_map(own).collect()
}
