//! Temporal formulas about the runs of a program or a net (`model::ltl`). Questions about hot threads are formulas as
//! well.
//!
//! A run counts if it is maximal and satisfies the fairness assumptions (`model::fairness`). It is maximal if it is
//! infinite, or ends in a state without a step. A run that ends stays in its last state for ever, without an event. So
//! every run that counts is an infinite sequence of *positions*, and each position is a state together with an event or
//! none. A kind of system says what its positions are: [`Positions`] for sets of states, [`Played`] for runs.
//!
//! **A formula is violated.** A run is replayed, and the formula is evaluated at all of its positions, by the
//! definition of its operators ([`crate::trace::holds`]). The run ends in a state without a step; or its loop
//! leads back to the same state, so that it can be repeated for ever. The positions that repeat show whether
//! the run satisfies an assumption: those that happen infinitely often are exactly these.
//!
//! **A formula holds.** A set of states is listed ([`crate::closed`]). The kernel builds a *tableau*
//! of the formula, which is an automaton ([`tableau`]), and the product of the set with it ([`product`]). A node of the
//! product is a state of the set and a set of *obligations*: formulas that the rest of the run must satisfy. Some
//! obligations are eventualities. A step of the product may *postpone* some of them. Nodes are removed in rounds. In
//! each round the nodes that are left get numbers, and no step between them leads to a greater number (this is
//! checked).
//! 1. Each violating run has a run of the product along it that postpones no eventuality from some point on for ever.
//!    Proof: claim 3 of [`tableau`]. All states of the run are in the set: the first one is initial. If a node of the
//!    run has a step of the tableau, all next states of its state are in the set, or the set is refused. Where the
//!    tableau has no step, the product ends, and what the run does afterwards does not matter. But by claim 3 there
//!    is a step at each position of a violating run.
//! 2. A node of a number is removed in these cases: no step leads from a node of the number to one of the same number;
//!    all these steps postpone the same eventuality; at all of them the subject of a weak assumption can go on, but
//!    does not; at none of them the subject of a strong assumption goes on, and in this node it can go on.
//! 3. Along a run of 1 that satisfies the assumptions, each node that was removed is visited only finitely often.
//!    Proof: by induction over the rounds. From some point on the run visits only nodes that are left, and takes only
//!    steps between them. The numbers never rise, so from some point on they stay the same. The nodes of all other
//!    numbers are visited only finitely often. For this number the first case is impossible, the second one by 1, and
//!    the third one because the run is fair. In the fourth case the subject goes on only finitely often. The run is
//!    fair, so its subject can go on only finitely often.
//! 4. If all nodes are removed, no run that counts violates the formula. Proof: such a run has a run of 1. It visits
//!    some node infinitely often, because there are finitely many. By 3 this node was not removed.
//!
//! The numbers are those of the strongly connected components, but the proof does not depend on this.

mod product;
mod steps;
pub mod tableau;

use crate::closed::Set;
use crate::trace::{Semantics, holds_at, steps};
use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use model::{Goal, Letter, Ltl, Problem, Subject, Trace};
use product::{Graph, Product};
pub use steps::{Positions, Steps};
use tableau::Tableau;

/// The positions of a run that is replayed.
pub trait Played: Semantics {
    /// Appends the truth of these letters at the position: the state and the event that happens.
    ///
    /// # Errors
    /// If there is no such event or letter, or if a resource limit is exceeded.
    fn read(
        &mut self,
        state: &Self::State,
        event: Option<u32>,
        letters: &[Letter],
        out: &mut Vec<bool>,
        work: &mut Work<'_>,
    ) -> Check<()>;

    /// Returns true if no step is possible in this state.
    fn has_ended(&self, state: &Self::State) -> bool;

    /// Describes a state in words, for messages.
    fn describe(&self, state: &Self::State) -> String;
}

/// Returns the formula of a goal.
fn formula(problem: &Problem, goal: Goal) -> Check<Ltl> {
    match problem.ltl(goal) {
        Some(formula) => Ok(formula),
        None => reject(format!("there is no formula of the goal `{goal}`")),
    }
}

/// Checks that no run violates the formula of a goal. The set must contain the initial states, and all next states
/// where the product needs them.
///
/// # Errors
/// If a run violates the formula or leaves the set, or if a resource limit is exceeded.
pub fn check<P: Positions>(
    problem: &Problem,
    positions: &mut P,
    set: &Set,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<()> {
    check_formula(problem, positions, set, (goal, &formula(problem, goal)?), work)
}

/// Like [`check()`], for a formula that has the same truth as that of the goal at all positions of runs.
///
/// # Errors
/// Those of [`check()`].
pub fn check_formula<P: Positions>(
    problem: &Problem,
    positions: &mut P,
    set: &Set,
    (goal, formula): (Goal, &Ltl),
    work: &mut Work<'_>,
) -> Check<()> {
    let mut tableau = Tableau::new(formula)?;
    let graph = Graph::new(positions, set, problem.fairness(), work)?;
    let mut product = Product::new(graph, &mut tableau);
    product.visit(work)?;
    match product.remain(work)? {
        None => Ok(()),
        Some(place) => {
            let mut state = Vec::new();
            set.layout.unpack(set.table.key(place), &mut state);
            let state = positions.describe(&state);
            let id = problem.properties().iter().find(|p| p.goal == goal).map_or(goal.id(), |p| p.id.as_str());
            reject(format!("`{id}` is violated, by a run that ends in, or comes back to, {state}"))
        }
    }
}

/// Replays a run that violates the formula of a goal. Returns the number of its steps.
///
/// # Errors
/// If the trace is no such run, or if a resource limit is exceeded.
pub fn replay<S: Played>(
    runs: &mut S,
    problem: &Problem,
    trace: &Trace,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<u64> {
    let formula = formula(problem, goal)?;
    let events = trace.len().ok_or(Refusal::ResourceLimit)?;
    let fairness = problem.fairness();
    let mut letters: Vec<Letter> = formula.letters().chain(fairness.iter().flat_map(|of| of.letters())).collect();
    letters.sort_unstable();
    letters.dedup();
    // The word is evaluated from its end, so it must fit in memory. This is checked before the replay begins.
    let length = usize::try_from(events).map_err(|_| Refusal::ResourceLimit)?.saturating_add(1);
    work.grow(length.saturating_mul(letters.len()))?;
    let mut word = Word { letters, truth: Vec::new(), length: 0 };
    let mut state = runs.start(&trace.start, work)?;
    let mut first = None;
    for (number, step) in (0..).zip(steps(trace)) {
        if trace.repeats_from == Some(number) {
            first = Some(state.clone());
        }
        let choice = step.choice.map(|choice| trace.choice(choice));
        let event = step.event.0;
        let taken =
            word.push(runs, &state, Some(event), work).and_then(|()| runs.step(&mut state, event, choice, work));
        within(taken, || format!("event {}", number + 1))?;
    }
    let repeats_from = match (trace.repeats_from, first) {
        (None, _) if runs.has_ended(&state) => {
            word.push(runs, &state, None, work)?;
            word.length - 1
        }
        (None, _) => return reject(format!("the run does not end in {}", runs.describe(&state))),
        (Some(from), Some(first)) if first == state => from as usize,
        (Some(_), Some(_)) => return reject("the run does not come back to the state from which it repeats"),
        (Some(_), None) => return reject("the run does not come to where it repeats"),
    };
    if holds_at(&formula, word.length, repeats_from, &|letter, at| word.at(letter, at), work)? {
        return reject("the run satisfies the formula");
    }
    for assumption in fairness {
        let [can, does] = assumption.letters();
        work.spend((word.length - repeats_from) as u64)?;
        let mut repeated = repeats_from..word.length;
        let is_met = match assumption.is_strong {
            true => repeated.clone().any(|at| word.at(does, at)) || !repeated.any(|at| word.at(can, at)),
            false => repeated.any(|at| word.at(does, at) || !word.at(can, at)),
        };
        if !is_met {
            let what = match (assumption.subject, problem.system().as_program()) {
                (Subject::Thread(thread), Some(program)) => format!("thread {}", program.thread(thread).name),
                (Subject::Event(event), Some(program)) => format!("event {}", program.event_name(event)),
                (subject, None) => format!("{subject:?}"),
            };
            let strong = if assumption.is_strong { "strong fairness" } else { "fairness" };
            return reject(format!("the run does not satisfy the assumption of {strong} of {what}"));
        }
    }
    Ok(events)
}

/// The truth of some letters along a run.
struct Word {
    /// Ascending.
    letters: Vec<Letter>,
    /// For each position and letter.
    truth: Vec<bool>,
    /// Number of positions.
    length: usize,
}

impl Word {
    fn push<S: Played>(
        &mut self,
        runs: &mut S,
        state: &S::State,
        event: Option<u32>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        work.spend(1 + self.letters.len() as u64)?;
        runs.read(state, event, &self.letters, &mut self.truth, work)?;
        self.length += 1;
        assert_eq!(self.truth.len(), self.length * self.letters.len(), "each letter is true or false");
        Ok(())
    }

    fn at(&self, letter: Letter, position: usize) -> bool {
        let column = self.letters.binary_search(&letter).expect("it is a letter of the formula");
        self.truth[position * self.letters.len() + column]
    }
}
