//! Why a formula of computation tree logic holds or fails, from evidence that the checker has accepted: a run to the
//! marking that decides it, and sentences that say what is true or impossible there.
//!
//! The formula is followed from its root to one subformula that decides it. For `AG EF a` that fails this is a shortest
//! run to a marking from which no marking with `a` can be reached, and what is missing there. Questions about a net as
//! a whole (`SOUND`, `LIVENESS`) are such formulas. The truth of subformulas comes from the listed markings of the
//! evidence ([`certify::why`]); without these, only what the evidence says about the initial marking is explained.

mod along;
mod facts;
mod known;
mod lasso;
pub(crate) mod needed;
mod never;
mod paths;
pub(crate) mod siphon;
mod small;
mod walk;
mod words;

use crate::steps::marking::Stepper;
use crate::trace::{self, Detail, Rendered};
use certify::why::constants;
pub use facts::facts;
use known::{Known, Listed};
pub use lasso::along;
use model::{Claim, Ctl, CtlNode, Goal, Problem, Trace};
use never::Future;
use std::cell::OnceCell;
use walk::Walk;
use words::Words;

/// The most listed markings that are looked at.
const MARKINGS: u64 = 50_000;
/// The reason for an answer.
#[derive(Clone, Debug)]
pub struct Why {
    /// The run to the marking that decides the formula. Empty if this is the initial one.
    pub trace: Trace,
    /// Sentences about this marking and the run.
    pub sentences: Vec<String>,
}

/// Returns why the formula of a claim that the checker has accepted holds or fails. `None` if the claim is of another
/// kind, or its evidence is too large.
#[must_use]
pub fn of(problem: &Problem, claim: &Claim, goal: Goal) -> Option<Why> {
    let Claim::Branching { holds, evidence, .. } = claim else { return None };
    let formula = problem.ctl(goal)?;
    // That a formula holds needs a reason only if a run shows it.
    if *holds && !is_shown_by_run(formula) {
        return None;
    }
    let stepper = Stepper::new(problem.system())?;
    if evidence.markings.as_ref().is_some_and(|listed| listed.states.len() > MARKINGS) {
        return None;
    }
    let constants = constants(problem, formula, evidence);
    let root = formula.root();
    let listed = OnceCell::new();
    // Of several initial markings, one decides.
    let start = match stepper.open_places().is_empty() {
        true => Box::from([]),
        false => {
            let listed = listed.get_or_init(|| Listed::of(problem, formula, evidence, &constants, *holds));
            let (paths, number) = listed.as_ref().map(|listed| (&listed.paths, listed.initial))?;
            paths.extra(stepper, paths.truths.row(number))
        }
    };
    let lasting = formula.lasting(|letter| constants.get(&letter).copied());
    let at = stepper.start(&start);
    let words = Words::new(problem, stepper, formula);
    let future = Future::of(stepper, &at);
    let (trace, sentences) = (Trace::new(start), Vec::new());
    let known = Known { problem, formula, evidence, constants, holds: *holds, listed, lasting, future };
    let (others, dead) = (Vec::new(), Vec::new());
    let mut walk = Walk { known, words, number: None, at, steps: 0, trace, sentences, last: None, others, dead };
    walk.follow(root, *holds);
    walk.rest();
    let Walk { trace, sentences, .. } = walk;
    let is_shown = !*holds || trace.len() != Some(0);
    (is_shown && !sentences.is_empty()).then_some(Why { trace, sentences })
}

/// True if one run can show that the formula holds.
fn is_shown_by_run(formula: &Ctl) -> bool {
    match formula.node(formula.root()) {
        CtlNode::ExistsNext(_) | CtlNode::ExistsUntil(..) | CtlNode::Any(_) => true,
        CtlNode::Not(a) => matches!(formula.node(*a), CtlNode::AllUntil(..)),
        _ => false,
    }
}

impl Why {
    /// Returns the run with the sentences, as text for people.
    #[must_use]
    pub fn render(&self, problem: &Problem, detail: Detail) -> String {
        let Rendered { run, why } = trace::net::explained(problem, self, detail);
        run + &why
    }
}

/// Returns the run of a claim that the checker has accepted: the run itself if the claim is one, or the run to the
/// marking that decides a formula.
#[must_use]
pub fn run(problem: &Problem, claim: &Claim, goal: Goal) -> Option<Trace> {
    match claim {
        Claim::Unsafe { trace, .. } => Some(trace.clone()),
        _ => of(problem, claim, goal).map(|why| why.trace).filter(|trace| trace.len() != Some(0)),
    }
}
