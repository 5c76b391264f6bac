//! Fairness assumptions about the runs of a behavioral program. A formula, or a question about hot threads, is then
//! about the runs that satisfy all of them.
//!
//! The subject of an assumption is an event or a thread. An event *can go on* where it is enabled, and *goes on* where
//! it happens. A thread can go on where it requests an enabled event, and goes on where an event happens that it
//! requests.
//! * Weak fairness: a subject that can go on from some point on goes on infinitely often, `F G can -> G F does`.
//! * Strong fairness: a subject that can go on infinitely often goes on infinitely often, `G F can -> G F does`.
//!
//! Assumptions are formulas, so `phi` under the assumptions `a` and `b` is the formula `a & b -> phi`. Nothing else in
//! the tool knows about fairness. Each finite run can be continued to a run that satisfies all assumptions. (A
//! scheduler can let the subjects that can go on take turns.) So `bad` and `deadlock` do not depend on them.

use crate::goal::Goal;
use crate::ids::{EventId, LtlId, ThreadId};
use crate::ltl::{Letter, Ltl, LtlBuilder, LtlNode};

/// What an assumption is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// An event.
    Event(EventId),
    /// A thread.
    Thread(ThreadId),
}

/// A fairness assumption.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fairness {
    /// What it is about.
    pub subject: Subject,
    /// True for strong fairness.
    pub is_strong: bool,
}

impl Fairness {
    /// Returns the letters for "can go on" and "goes on".
    #[must_use]
    pub fn letters(self) -> [Letter; 2] {
        match self.subject {
            Subject::Event(event) => [Letter::Enabled(event), Letter::Event(event)],
            Subject::Thread(thread) => [Letter::Ready(thread), Letter::Served(thread)],
        }
    }

    /// Adds the assumption to a formula.
    fn add(self, to: &mut LtlBuilder) -> LtlId {
        let [can, does] = self.letters().map(|letter| to.letter(letter));
        let cannot = to.node(LtlNode::Not(can));
        let again = |to: &mut LtlBuilder, a| {
            let once = to.node(LtlNode::Finally(a));
            to.node(LtlNode::Globally(once))
        };
        if self.is_strong {
            let never = to.node(LtlNode::Globally(cannot));
            let at_last = to.node(LtlNode::Finally(never));
            let does = again(to, does);
            return to.node(LtlNode::Or(at_last, does));
        }
        let either = to.node(LtlNode::Or(cannot, does));
        again(to, either)
    }
}

/// Returns the formula that is violated by the runs that violate `formula` and satisfy the assumptions.
#[must_use]
pub fn under(assumptions: &[Fairness], formula: &Ltl) -> Ltl {
    let mut builder = LtlBuilder::default();
    let mut root = builder.formula(formula);
    for assumption in assumptions {
        let fair = assumption.add(&mut builder);
        let unfair = builder.node(LtlNode::Not(fair));
        root = builder.node(LtlNode::Or(unfair, root));
    }
    builder.finish(root)
}

/// Returns the formula that a run violates iff it belongs to this goal about hot threads. `None` for other goals.
#[must_use]
pub fn never_stays_hot(goal: Goal) -> Option<Ltl> {
    let letter = match goal {
        Goal::Hot(thread) => Letter::Hot(thread),
        Goal::SomeHot => Letter::SomeHot,
        _ => return None,
    };
    let mut builder = LtlBuilder::default();
    let (hot, bad) = (builder.letter(letter), builder.letter(Letter::Bad));
    let cool = builder.node(LtlNode::Not(hot));
    let either = builder.node(LtlNode::Or(cool, bad));
    let once = builder.node(LtlNode::Finally(either));
    let root = builder.node(LtlNode::Globally(once));
    Some(builder.finish(root))
}
