//! Translates questions about a program into the goals `bad` and `deadlock` of another program, the *observed
//! program*. Engines search only the observed program, and certificates are about it. The checker builds the
//! observed program again from the program as read.
//!
//! **Proper ends.** If every thread has a final state, one event `(end)` is added. Final states request it, all
//! other states block it, and no state has a move on it. If some thread has no final state, there is no proper
//! end, and the program stays as it is.
//! 1. `(end)` is enabled exactly in the composite states in which all threads are in final states, and it
//!    changes nothing. Proof: in any other composite state some thread blocks it, and a thread without a move
//!    stays where it is.
//! 2. The composite states and the steps of all other events are the same as in the program as read. Proof:
//!    nothing else is changed.
//! 3. A state has no enabled event iff, in the program as read, it has no enabled event and is not a proper
//!    end. Proof: by 2 all other events are enabled in the same states, and by 1 `(end)` is enabled in proper
//!    ends. A state with `(end)` enabled and no other enabled event is a proper end.
//! 4. A run to a state without an enabled event becomes a run of the program as read when every `(end)` is
//!    removed. Proof: by 1 and 2.
//!
//! A local state in which the program may end whatever the other threads do ([`Program::with_stops`]) blocks all
//! events as read. It requests one more event, `(stop)`, which only bad states block. So `(stop)` is enabled in
//! exactly the composite states with such a local state and without a bad one. No other event is enabled there but
//! `(end)`, and neither changes anything. Claims 2 to 4 hold for both events.
//!
//! If the problem has assumptions about runs, for example about their length, `(end)` must not make runs
//! longer. In this case the first thread moves on `(end)` to a new state that requests `(end)` and blocks all
//! other events forever. No run with an `(end)` then reaches a goal.
//!
//! If the program has priorities, the added event must not remove steps. A thread `(ends)` then requests `(end)` in
//! place of the final states, with a priority below all others. So `(end)` is enabled exactly in proper ends. Claims 2
//! to 4 hold as before.
//!
//! **Formulas** over places ([`Program::places`]). A formula is the union of *cubes*. A cube restricts some
//! threads to a set of local states each. For each cube one event is added. A thread that the cube restricts
//! blocks this event in its local states outside the set. One thread `(asked)` is added, which requests the new
//! events and moves to a bad state on each of them. Bad states of the program as read block the events as read,
//! and are no longer marked bad.
//!
//! Claim: `(asked)` becomes bad exactly one event after a run into a state that satisfies the formula, and the
//! run before this event is a run of the program as read. Proof: the event of a cube is enabled exactly in the
//! states of the cube, and it ends the run, because the bad state of `(asked)` blocks every event. If the program has
//! priorities, `(asked)` requests with a priority above all others: its events then remove the other steps of states
//! that satisfy the formula, and no other step. The run to the first such state remains.
//!
//! **Unbounded data.** The observed program of a [program with unbounded data](crate::data) is its skeleton, in which
//! all values are forgotten (`data/skeleton.rs`). It has more runs. So a proof about `bad` is a proof about the program
//! as read, but a run into a bad state need not be a run of the program.

mod lift;

use crate::data::DataProgram;
use crate::data::skeleton::skeleton;
use crate::event_set::EventSet;
use crate::formula::{Formula, Linear, Node};
use crate::goal::{Goal, Property};
use crate::ids::{EventId, LocalId, ThreadId};
use crate::problem::Problem;
use crate::rwb::{LocalState, Program, Thread};
use crate::task::ProgramTask;
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Largest number of cubes. Formulas that need more are not translated.
const MOST_CUBES: usize = 2_048;

/// Limit for the work on one formula: local states in all intermediate cubes, and the steps to compute them.
/// Formulas that need more are not translated.
const MOST_WORK: usize = 1 << 24;

/// Limit for the size of the observed program: local states times added events. A larger observed program is
/// not built.
const MOST_CELLS: usize = 1 << 27;

/// Priorities of added requests. Those of programs as read are between them ([`crate::rwb::PRIORITIES`]).
const BELOW_ALL: i64 = i64::MIN;
const ABOVE_ALL: i64 = i64::MAX;

/// A question translated to `bad` and `deadlock`.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The observed program. Its threads, local states and events begin with those of the program as read, in
    /// the same order.
    pub program: Arc<Program>,
    /// The problem about the observed program. Its goals are [`Goal::Bad`] and [`Goal::Deadlock`] only, or goals about
    /// whole runs only ([`Goal::is_temporal`]).
    pub problem: Problem,
    /// For each goal of `problem`, in order: the goal of the program as read that it represents.
    pub stands_for: Vec<Goal>,
    /// Number of events of the program as read.
    pub events: usize,
    /// Number of threads of the program as read.
    pub threads: usize,
}

impl Observed {
    /// Returns the task for engines.
    #[must_use]
    pub fn task(&self) -> ProgramTask {
        ProgramTask::new(Arc::clone(&self.program), self.problem.goals()).assuming(self.problem.assumptions().to_vec())
    }

    /// Returns the goal of the observed program that represents a goal of the program as read.
    #[must_use]
    pub fn inner(&self, goal: Goal) -> Option<Goal> {
        let at = self.stands_for.iter().position(|g| *g == goal)?;
        self.problem.properties().get(at).map(|property| property.goal)
    }

    /// Returns the goal of the program as read that a goal of the observed program represents.
    #[must_use]
    pub fn outer(&self, goal: Goal) -> Option<Goal> {
        let at = self.problem.properties().iter().position(|p| p.goal == goal)?;
        self.stands_for.get(at).copied()
    }
}

/// Partitions the goals of a program into groups that engines search for together: `bad` and `deadlock` form one
/// group, the goals about whole runs another one, and each formula a group of its own.
#[must_use]
pub fn together(problem: &Problem) -> Vec<Vec<Goal>> {
    let (formulas, plain): (Vec<Goal>, Vec<Goal>) = problem.goals().partition(|g| matches!(g, Goal::Formula(_)));
    let (temporal, plain): (Vec<Goal>, Vec<Goal>) = plain.into_iter().partition(|g| g.is_temporal());
    let groups = [plain, temporal].into_iter().filter(|group| !group.is_empty());
    groups.chain(formulas.into_iter().map(|g| vec![g])).collect()
}

/// Returns the program as read, with these goals of the problem.
fn as_asked(problem: &Problem, program: &Arc<Program>, goals: &[Goal]) -> Option<Observed> {
    let property = |goal: &Goal| Some(problem.properties().iter().find(|p| p.goal == *goal)?.clone());
    let properties: Option<Vec<Property>> = goals.iter().map(property).collect();
    Some(Observed {
        program: Arc::clone(program),
        problem: problem.clone().asking(properties?).ok()?,
        stands_for: goals.to_vec(),
        events: program.events().len(),
        threads: program.threads().len(),
    })
}

/// Translates the question whether `goals`, which must be a group of [`together`], can be reached. Returns
/// `None` in these cases:
/// * The system is not a program, or the goals are not such a group. Of programs with unbounded data, only the group of
///   `bad` alone is translated.
/// * The formula is too large for a union of cubes.
/// * The goal is a formula and the problem has assumptions (which are about runs to `bad` and `deadlock`).
#[must_use]
pub fn observed(problem: &Problem, goals: &[Goal]) -> Option<Observed> {
    if let Some(program) = problem.system().as_data() {
        return if problem.assumptions().is_empty() { forgetful(program, goals) } else { None };
    }
    let program = problem.system().as_program()?;
    let assumptions = problem.assumptions();
    let as_read = |other: Arc<Program>, asked: &[Goal]| {
        // Threads and states keep their numbers, so the assumptions still fit. Creating the problem fails if a
        // goal occurs twice.
        let problem =
            Problem::of_program_with(Arc::clone(&other), asked).and_then(|p| p.assuming(assumptions.to_vec()));
        Some(Observed {
            problem: problem.ok()?,
            program: other,
            stands_for: goals.to_vec(),
            events: program.events().len(),
            threads: program.threads().len(),
        })
    };
    if goals.iter().all(|g| matches!(g, Goal::Bad | Goal::Deadlock)) {
        let other = ending(program, !assumptions.is_empty()).map_or_else(|| Arc::clone(program), Arc::new);
        return as_read(other, goals);
    }
    // Questions about whole runs are about the program as read: proper ends need no event of their own.
    if goals.iter().all(|g| g.is_temporal()) {
        return if assumptions.is_empty() { as_asked(problem, program, goals) } else { None };
    }
    let [goal @ Goal::Formula(_)] = goals else { return None };
    if !assumptions.is_empty() {
        return None;
    }
    let other = asking(program, problem.formula(*goal)?)?;
    as_read(Arc::new(other), &[Goal::Bad])
}

/// Returns the question about the skeleton of a program with unbounded data.
fn forgetful(program: &DataProgram, goals: &[Goal]) -> Option<Observed> {
    if goals != [Goal::Bad] {
        return None;
    }
    let skeleton = Arc::new(skeleton(program)?);
    Some(Observed {
        problem: Problem::of_program_with(Arc::clone(&skeleton), goals).ok()?,
        program: skeleton,
        stands_for: goals.to_vec(),
        events: program.events().len(),
        threads: program.threads().len(),
    })
}

/// Returns `name`, extended by as many primes as needed to differ from all `names`.
fn fresh(name: &str, names: &BTreeSet<&str>) -> String {
    let mut name = name.to_owned();
    while names.contains(name.as_str()) {
        name.push('\'');
    }
    name
}

fn event_names(program: &Program) -> BTreeSet<&str> {
    program.events().iter().map(String::as_str).collect()
}

/// Returns the union of `set` and `more` over a universe of `universe` events.
fn wider(set: &EventSet, universe: usize, more: impl Iterator<Item = usize>) -> EventSet {
    let mut wider = set.widened(universe);
    more.for_each(|event| wider.insert(EventId::new(event)));
    wider
}

/// Returns the program with events that are enabled forever in proper ends. If `aside` is true, no other event can fire
/// after them. Returns `None` if the program has no proper end.
fn ending(program: &Program, aside: bool) -> Option<Program> {
    let stopping = stopping(program);
    let ends = all_ending(stopping.as_ref().unwrap_or(program), program, aside);
    ends.or(stopping)
}

/// Returns the program with the event `(stop)`. `None` if no state requests it.
fn stopping(program: &Program) -> Option<Program> {
    if !program.has_stops() {
        return None;
    }
    let stop = program.events().len();
    let mut events = program.events().to_vec();
    events.push(fresh("(stop)", &event_names(program)));
    let mut threads = program.threads().to_vec();
    for (t, thread) in threads.iter_mut().enumerate() {
        for (s, state) in thread.states.iter_mut().enumerate() {
            let stops = program.is_stop(ThreadId::new(t), LocalId::new(s));
            state.request = wider(&state.request, stop + 1, stops.then_some(stop).into_iter());
            state.block = wider(&state.block, stop + 1, state.bad.then_some(stop).into_iter());
        }
    }
    let other = Program::new(events, threads, program.check().to_vec()).expect("the parts of a program, and an event");
    Some(other.with_priorities(program.priorities().to_vec()))
}

/// Returns `program` with the event `(end)`, which is enabled in the states in which all threads of `marked`, the
/// program as read, may end. `None` if there is no such state.
fn all_ending(program: &Program, marked: &Program, aside: bool) -> Option<Program> {
    let has_final = |(t, thread): (usize, &Thread)| {
        (0..thread.states.len()).any(|s| marked.is_final(ThreadId::new(t), LocalId::new(s)))
    };
    if !marked.has_finals() || !program.threads().iter().enumerate().all(has_final) {
        return None;
    }
    let end = program.events().len();
    let mut events = program.events().to_vec();
    events.push(fresh("(end)", &event_names(program)));
    let mut threads = program.threads().to_vec();
    let is_ranked = program.has_priorities();
    for (t, thread) in threads.iter_mut().enumerate() {
        for (s, state) in thread.states.iter_mut().enumerate() {
            let ends = marked.is_final(ThreadId::new(t), LocalId::new(s));
            state.request = wider(&state.request, end + 1, (ends && !is_ranked).then_some(end).into_iter());
            state.block = wider(&state.block, end + 1, (!ends).then_some(end).into_iter());
        }
    }
    if aside {
        let first = &mut threads[0];
        let over = LocalId::new(first.states.len());
        let finals = (0..over.index()).filter(|s| marked.is_final(ThreadId(0), LocalId::new(*s)));
        finals.for_each(|s| _ = first.states[s].on.insert(EventId::new(end), vec![over]));
        let names: BTreeSet<&str> = first.states.iter().map(|s| s.name.as_str()).collect();
        let (name, only) = (fresh("(over)", &names), EventSet::from_events(end + 1, [EventId::new(end)]));
        let mut block = EventSet::full(end + 1);
        block.subtract(&only);
        first.states.push(LocalState { name, request: only, block, bad: false, on: BTreeMap::new() });
    }
    let mut priorities = program.priorities().to_vec();
    if is_ranked {
        let names: BTreeSet<&str> = program.threads().iter().map(|t| t.name.as_str()).collect();
        let (name, request) = (fresh("(ends)", &names), EventSet::from_events(end + 1, [EventId::new(end)]));
        let block = EventSet::empty(end + 1);
        let ends = LocalState { name: "ends".to_owned(), request, block, bad: false, on: BTreeMap::new() };
        threads.push(Thread { name, states: vec![ends], initial: vec![LocalId(0)] });
        priorities.push(vec![BELOW_ALL]);
    }
    let other = Program::new(events, threads, program.check().to_vec()).expect("the parts of a program, and an event");
    Some(other.with_priorities(priorities))
}

/// Returns the program with a thread that becomes bad after a state that satisfies `formula`. Returns `None` if
/// a limit is exceeded.
fn asking(program: &Program, formula: &Formula) -> Option<Program> {
    let cubes = Cubes::new(program).of(formula)?;
    let locals: usize = program.threads().iter().map(|t| t.states.len()).sum();
    if locals.saturating_mul(cubes.len()) > MOST_CELLS {
        return None;
    }
    let (first, universe) = (program.events().len(), program.events().len() + cubes.len());
    let known = event_names(program);
    let mut events = program.events().to_vec();
    events.extend((0..cubes.len()).map(|c| fresh(&format!("(asked {c})"), &known)));
    let mut outside: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (c, cube) in cubes.iter().enumerate() {
        for (&thread, inside) in cube {
            let shut = inside.iter().enumerate().filter(|(_, inside)| !**inside);
            shut.for_each(|(local, _)| outside.entry((thread, local)).or_default().push(first + c));
        }
    }
    let mut threads = program.threads().to_vec();
    for (t, thread) in threads.iter_mut().enumerate() {
        for (s, state) in thread.states.iter_mut().enumerate() {
            let shut = outside.remove(&(t, s)).unwrap_or_default();
            let block = if state.bad { EventSet::full(first) } else { state.block.clone() };
            state.block = wider(&block, universe, shut.into_iter());
            state.request = wider(&state.request, universe, std::iter::empty());
            state.bad = false;
        }
    }
    let names: BTreeSet<&str> = program.threads().iter().map(|t| t.name.as_str()).collect();
    let all: EventSet = EventSet::from_events(universe, (first..universe).map(EventId::new));
    let asks = LocalState {
        name: "asks".to_owned(),
        request: all.clone(),
        block: EventSet::empty(universe),
        bad: false,
        on: all.iter().map(|e| (e, vec![LocalId(1)])).collect(),
    };
    let states = vec![asks, LocalState::bad("seen".to_owned(), universe)];
    threads.push(Thread { name: fresh("(asked)", &names), states, initial: vec![LocalId(0)] });
    let mut priorities = program.priorities().to_vec();
    if program.has_priorities() {
        priorities.push(vec![ABOVE_ALL]);
    }
    let other = Program::new(events, threads, vec![Goal::Bad]).expect("the parts of a program, events and a thread");
    Some(other.with_priorities(priorities))
}

/// A cube: for some threads (by number), the local states that it allows. All local states of the other threads
/// are allowed.
type Cube = BTreeMap<usize, Box<[bool]>>;

/// Converts formulas to unions of cubes.
struct Cubes {
    /// For each place: its thread and its local state.
    places: Vec<(usize, usize)>,
    /// For each thread: its number of local states.
    sizes: Vec<usize>,
    work: usize,
}

impl Cubes {
    fn new(program: &Program) -> Self {
        let sizes: Vec<usize> = program.threads().iter().map(|t| t.states.len()).collect();
        let places = sizes.iter().enumerate().flat_map(|(t, &size)| (0..size).map(move |s| (t, s))).collect();
        Self { places, sizes, work: 0 }
    }

    fn spend(&mut self, work: usize) -> Option<()> {
        self.work = self.work.saturating_add(work);
        (self.work <= MOST_WORK).then_some(())
    }

    fn spend_on(&mut self, cube: &Cube) -> Option<()> {
        self.spend(1 + cube.values().map(|states| states.len()).sum::<usize>())
    }

    fn of(mut self, formula: &Formula) -> Option<Vec<Cube>> {
        let mut built: Vec<Vec<Cube>> = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            let cubes = match node {
                Node::AtLeast(sum) => self.at_least(sum)?,
                Node::Any(parts) => {
                    let mut all = BTreeSet::new();
                    for cube in parts.iter().flat_map(|p| &built[p.index()]) {
                        self.spend_on(cube)?;
                        all.insert(cube.clone());
                    }
                    all.into_iter().collect()
                }
                Node::All(parts) => {
                    let mut all = vec![Cube::new()];
                    for part in parts {
                        all = self.product(&all, &built[part.index()])?;
                    }
                    all
                }
            };
            if cubes.len() > MOST_CUBES {
                return None;
            }
            built.push(cubes);
        }
        built.pop()
    }

    /// Returns the cubes of the intersection of two unions of cubes.
    fn product(&mut self, left: &[Cube], right: &[Cube]) -> Option<Vec<Cube>> {
        let mut all = BTreeSet::new();
        for a in left {
            for b in right {
                self.spend_on(a)?;
                self.spend_on(b)?;
                if let Some(both) = intersection(a, b) {
                    all.insert(both);
                }
            }
            if all.len() > MOST_CUBES {
                return None;
            }
        }
        Some(all.into_iter().collect())
    }

    /// Converts an inequality to cubes. Each thread contributes to the sum the value of its local state. The
    /// threads are processed in order: for each value v of a thread, one branch keeps the local states with a
    /// value of at least v, and the remaining threads must contribute what is still missing. If they always do, greater
    /// values of the thread give parts of the same cube.
    fn at_least(&mut self, sum: &Linear) -> Option<Vec<Cube>> {
        let mut values: BTreeMap<usize, Vec<BigInt>> = BTreeMap::new();
        for (place, weight) in &sum.terms {
            let &(thread, local) = self.places.get(place.index())?;
            let size = self.sizes[thread];
            self.spend(size)?;
            values.entry(thread).or_insert_with(|| vec![BigInt::zero(); size])[local] += weight;
        }
        let values: Vec<(usize, Vec<BigInt>)> = values.into_iter().collect();
        // `rest[i]`: the least and the greatest sum that the threads from the `i`-th on can contribute.
        let mut rest = vec![(BigInt::zero(), BigInt::zero())];
        for (_, of) in values.iter().rev() {
            let (least, most) = rest.last().expect("it begins with one");
            rest.push((least + of.iter().min()?, most + of.iter().max()?));
        }
        rest.reverse();
        let (mut open, mut done) = (vec![(0, sum.at_least.clone(), Cube::new())], Vec::new());
        while let Some((at, needed, cube)) = open.pop() {
            self.spend_on(&cube)?;
            let (least, most) = &rest[at];
            if needed <= *least {
                done.push(cube);
                if done.len() > MOST_CUBES {
                    return None;
                }
            } else if needed <= *most {
                let (thread, of) = &values[at];
                let levels: BTreeSet<&BigInt> = of.iter().collect();
                for level in &levels {
                    let mut cube = cube.clone();
                    if Some(level) != levels.first() {
                        cube.insert(*thread, of.iter().map(|value| value >= level).collect());
                    }
                    let left = &needed - *level;
                    let is_last = left <= rest[at + 1].0;
                    open.push((at + 1, left, cube));
                    if is_last {
                        break;
                    }
                }
            }
        }
        Some(done)
    }
}

/// Returns the intersection of two cubes; `None` if it is empty.
fn intersection(a: &Cube, b: &Cube) -> Option<Cube> {
    let mut both = a.clone();
    for (thread, inside) in b {
        match both.entry(*thread) {
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(inside.clone());
            }
            std::collections::btree_map::Entry::Occupied(mut taken) => {
                taken.get_mut().iter_mut().zip(inside).for_each(|(a, b)| *a &= *b);
                if !taken.get().iter().any(|s| *s) {
                    return None;
                }
            }
        }
    }
    Some(both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::FormulaBuilder;
    use crate::ids::PlaceId;

    /// A program with three threads of three states each, so nine places.
    fn program() -> Program {
        let state = |name: &str| LocalState {
            name: name.to_owned(),
            request: EventSet::empty(1),
            block: EventSet::empty(1),
            bad: false,
            on: BTreeMap::new(),
        };
        let thread = |name: &str| Thread {
            name: name.to_owned(),
            states: ["a", "b", "c"].map(state).to_vec(),
            initial: vec![LocalId(0)],
        };
        Program::new(vec!["e".to_owned()], ["A", "B", "C"].map(thread).to_vec(), vec![Goal::Bad]).expect("a program")
    }

    /// Checks that the cubes cover exactly the composite states that satisfy the formula, and returns their
    /// number.
    fn agree(formula: &Formula, holds: impl Fn(&[usize; 3]) -> bool) -> usize {
        let cubes = Cubes::new(&program()).of(formula).expect("it is small");
        for code in 0..27 {
            let state = [code % 3, code / 3 % 3, code / 9];
            let inside = |cube: &Cube| cube.iter().all(|(thread, states)| states[state[*thread]]);
            assert_eq!(cubes.iter().any(inside), holds(&state), "{state:?} {cubes:?}");
        }
        cubes.len()
    }

    #[test]
    fn sums_become_cubes() {
        let weights: [[i64; 3]; 3] = [[0, 1, 0], [2, 0, -1], [0, 1, 3]];
        for at_least in -2..7 {
            let mut builder = FormulaBuilder::default();
            let all = (0..9).map(|p| (PlaceId::new(p), BigInt::from(weights[p / 3][p % 3])));
            let root = builder.at_least(all, at_least.into());
            let sum = |state: &[usize; 3]| (0..3).map(|t| weights[t][state[t]]).sum::<i64>();
            agree(&builder.clone().finish(root), |state| sum(state) >= at_least);
            let not = builder.negate(root);
            agree(&builder.finish(not), |state| sum(state) < at_least);
        }
    }

    #[test]
    fn counting_takes_subsets() {
        let mut builder = FormulaBuilder::default();
        let two = builder.at_least([1, 4, 7].map(|p| (PlaceId(p), 1.into())), 2.into());
        let count = |state: &[usize; 3]| state.iter().filter(|s| **s == 1).count();
        assert_eq!(agree(&builder.finish(two), |state| count(state) >= 2), 3);
    }

    #[test]
    fn a_bound_on_one_thread_is_one_cube_and_equality_of_two_takes_a_cube_for_each_value() {
        let mut builder = FormulaBuilder::default();
        let value = |first: u32, sign: i32| (0..3).map(move |n| (PlaceId(first + n), (sign * n as i32).into()));
        let most = builder.at_least(value(0, -1), (-1).into());
        assert_eq!(agree(&builder.clone().finish(most), |state| state[0] <= 1), 1);
        let above = builder.at_least(value(0, 1).chain(value(3, -1)), 0.into());
        let below = builder.at_least(value(0, -1).chain(value(3, 1)), 0.into());
        let same = builder.all(vec![above, below]);
        assert_eq!(agree(&builder.finish(same), |state| state[0] == state[1]), 3);
    }

    #[test]
    fn connectives_meet_and_join() {
        let mut builder = FormulaBuilder::default();
        let a = builder.at_least([(PlaceId(1), 1.into())], 1.into());
        let b = builder.at_least([(PlaceId(5), 1.into())], 1.into());
        let other = builder.at_least([(PlaceId(2), 1.into())], 1.into());
        let never = builder.all(vec![a, other]);
        let both = builder.all(vec![a, b]);
        let root = builder.any(vec![never, both]);
        assert_eq!(agree(&builder.finish(root), |s| s[0] == 1 && s[1] == 2), 1);
    }

    #[test]
    fn only_where_all_threads_may_end_is_there_an_end() {
        let finals = |lists: [&[u32]; 3]| lists.map(|l| l.iter().map(|s| LocalId(*s)).collect()).to_vec();
        assert!(ending(&program().with_finals(finals([&[0], &[], &[1]])), false).is_none());
        let program = program().with_finals(finals([&[0], &[2, 1], &[1]]));
        let ends = ending(&program, false).expect("it may end");
        assert_eq!(ends.events(), ["e", "(end)"]);
        let blocks = |t: u32, s: u32| ends.thread(ThreadId(t)).state(LocalId(s)).block.contains(EventId(1));
        assert!(!blocks(0, 0) && blocks(0, 1) && blocks(1, 0) && !blocks(1, 1) && !blocks(1, 2));
        let aside = ending(&program, true).expect("it may end");
        let over = aside.thread(ThreadId(0)).state(LocalId(3));
        assert!(
            over.block.contains(EventId(0)) && !over.block.contains(EventId(1)) && over.request.contains(EventId(1))
        );
        let on = |s: u32| aside.thread(ThreadId(0)).state(LocalId(s)).on.get(&EventId(1)).cloned();
        assert_eq!((on(0), on(1), on(3)), (Some(vec![LocalId(3)]), None, None));
    }

    #[test]
    fn a_thread_that_blocks_all_events_may_end_the_program() {
        let mut threads = program().threads().to_vec();
        threads[1].states[2].block = EventSet::full(1);
        let program = Program::new(vec!["e".to_owned()], threads, program().check().to_vec()).expect("a program");
        let program = program.with_stops(vec![vec![LocalId(0)], vec![LocalId(0), LocalId(2)]]);
        assert!(program.is_stop(ThreadId(1), LocalId(2)), "it blocks all events");
        assert!(!program.is_stop(ThreadId(1), LocalId(0)), "it does not");
        let other = ending(&program, false).expect("it may end");
        assert_eq!(other.events(), ["e", "(stop)"]);
        let state = |t: u32, s: u32| other.thread(ThreadId(t)).state(LocalId(s));
        assert!(state(1, 2).request.contains(EventId(1)) && !state(1, 2).block.contains(EventId(1)));
        assert!(!state(0, 0).request.contains(EventId(1)) && !state(0, 0).block.contains(EventId(1)));
    }
}
