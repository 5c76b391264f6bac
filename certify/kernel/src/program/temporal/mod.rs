//! Temporal formulas about the runs of a program (`model::ltl`). Questions about hot threads are formulas as well.
//!
//! A run counts if it is maximal and satisfies the fairness assumptions (`model::fairness`). It is maximal if it is
//! infinite, or ends in a state without an enabled event. A run that ends stays
//! in its last state for ever, without an event. So every run that counts is an infinite sequence of *positions*, and
//! each position is a composite state together with an event or none.
//!
//! **A formula is violated.** A run is replayed, and the formula is evaluated at all of its positions, by the
//! definition of its operators ([`crate::trace::holds`]). The run ends in a state without an enabled event; or its loop
//! leads back to the same composite state, so that it can be repeated for ever. The positions that repeat show whether
//! the run satisfies an assumption: those that happen infinitely often are exactly these.
//!
//! **A formula holds.** A closed set of composite states is listed ([`crate::closed`]). The kernel builds a *tableau*
//! of the formula, which is an automaton ([`tableau`]), and the product of the set with it ([`product`]). A node of the
//! product is a state of the set and a set of *obligations*: formulas that the rest of the run must satisfy. Some
//! obligations are eventualities. A step of the product may *postpone* some of them. Nodes are removed in rounds. In
//! each round the nodes that are left get numbers, and no step between them leads to a greater number (this is
//! checked).
//! 1. Each violating run has a run of the product along it that postpones no eventuality from some point on for ever.
//!    Proof: claim 3 of [`tableau`]. All states of the run are in the set, because the set is closed.
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

pub mod letters;
mod product;
pub mod tableau;

use super::runs::Runs;
use super::stepper::{Stepper, describe};
use crate::closed::Set;
use crate::trace::{Semantics, holds_at, steps};
use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use letters::Position;
use model::{Goal, Letter, Ltl, Problem, Program, Subject, Trace};
use product::{Graph, Product};
use tableau::Tableau;

/// Returns the formula of a goal.
fn formula(problem: &Problem, goal: Goal) -> Check<Ltl> {
    match problem.ltl(goal) {
        Some(formula) => Ok(formula),
        None => reject(format!("there is no formula of the goal `{goal}`")),
    }
}

/// Checks that no run within a closed set violates the formula of a goal.
///
/// # Errors
/// If a run violates it, or if a resource limit is exceeded.
pub fn check(
    problem: &Problem,
    program: &Program,
    stepper: &Stepper,
    set: &Set,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<()> {
    let formula = formula(problem, goal)?;
    let mut tableau = Tableau::new(&formula)?;
    let graph = Graph::new(program, stepper, set, problem.fairness(), &mut tableau, work)?;
    let mut product = Product::new(&graph, problem.fairness(), &mut tableau);
    product.visit(work)?;
    match product.remain(work)? {
        None => Ok(()),
        Some(place) => {
            let mut state = Vec::new();
            set.layout.unpack(set.table.key(place), &mut state);
            let state = describe(program, &state);
            let id = problem.properties().iter().find(|p| p.goal == goal).map_or(goal.id(), |p| p.id.as_str());
            reject(format!("`{id}` is violated, by a run that ends in, or comes back to, {state}"))
        }
    }
}

/// Replays a run that violates the formula of a goal. Returns the number of its steps.
///
/// # Errors
/// If the trace is no such run, or if a resource limit is exceeded.
pub fn replay(
    runs: &mut Runs<'_>,
    problem: &Problem,
    (program, stepper): (&Program, &Stepper),
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
    let mut word = Word { letters, truth: Vec::new(), length: 0, enabled: Vec::new() };
    let mut state = runs.start(&trace.start, work)?;
    let mut first = None;
    for (number, step) in (0..).zip(steps(trace)) {
        if trace.repeats_from == Some(number) {
            first = Some(state.clone());
        }
        let before = state.locals.clone();
        let choice = step.choice.map(|choice| trace.choice(choice));
        within(runs.step(&mut state, step.event.0, choice, work), || format!("event {}", number + 1))?;
        word.push(program, stepper, &before, Some(step.event.0), work)?;
    }
    let repeats_from = match (trace.repeats_from, first) {
        (None, _) if stepper.goal(&state.locals).is_some() => {
            word.push(program, stepper, &state.locals, None, work)?;
            word.length - 1
        }
        (None, _) => return reject(format!("the run does not end in {}", describe(program, &state.locals))),
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
            let what = match assumption.subject {
                Subject::Thread(thread) => format!("thread {}", program.thread(thread).name),
                Subject::Event(event) => format!("event {}", program.event_name(event)),
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
    enabled: Vec<u64>,
}

impl Word {
    fn push(
        &mut self,
        program: &Program,
        stepper: &Stepper,
        state: &[u32],
        event: Option<u32>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        work.spend((state.len() + self.letters.len()) as u64)?;
        stepper.enabled(state, &mut self.enabled);
        let position = Position { program, stepper, state, enabled: &self.enabled, event };
        self.truth.extend(self.letters.iter().map(|letter| position.satisfies(*letter)));
        self.length += 1;
        Ok(())
    }

    fn at(&self, letter: Letter, position: usize) -> bool {
        let column = self.letters.binary_search(&letter).expect("it is a letter of the formula");
        self.truth[position * self.letters.len() + column]
    }
}
