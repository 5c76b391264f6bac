//! Decisions: all paths of an execution, as a tree with shared parts.

use super::path::{Answer, Path, Question, Stop, answers};
use super::run::Effect;
use super::{Builder, Res};
use formats::codes;
use formats::error::Text;
use model::DecisionId;
use model::data::{Decision, Outcome};
use std::collections::HashMap;

/// The largest number of decisions of a thread.
const MOST_DECISIONS: usize = 1 << 16;

/// The decisions of a thread: parts before the decisions that use them, and equal ones once.
#[derive(Default)]
pub(super) struct Decisions {
    list: Vec<Decision>,
    numbers: HashMap<Decision, DecisionId>,
}

impl Decisions {
    fn add(&mut self, decision: Decision) -> DecisionId {
        if let Decision::Test { yes, no, .. } = decision
            && yes == no
        {
            return yes;
        }
        let next = DecisionId::new(self.list.len());
        let number = *self.numbers.entry(decision.clone()).or_insert(next);
        if number == next {
            self.list.push(decision);
        }
        number
    }

    /// True if the decision says that the thread ignores the event.
    pub(super) fn is_neutral(&self, id: DecisionId) -> bool {
        self.list[id.index()] == Decision::End(Outcome { requests: false, blocks: false, go: None })
    }

    pub(super) fn finish(self) -> Vec<Decision> {
        self.list
    }
}

/// True if some end of the decision requests the event.
pub(super) fn requests(decisions: &[Decision], id: DecisionId) -> bool {
    let mut seen = vec![false; id.index() + 1];
    let mut work = vec![id];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match &decisions[id.index()] {
            Decision::End(outcome) if outcome.requests => return true,
            decision => work.extend(decision.parts()),
        }
    }
    false
}

/// A node of a tree in the making, with the positions of its parts.
enum Open {
    Asks(Question, Vec<usize>),
    Ends(Outcome),
}

/// An execution along a path.
type Execution<'e> = dyn FnMut(&mut Path<'_>) -> Result<Effect, Stop> + 'e;

/// Builds the decision of an execution.
pub(super) fn build(
    builder: &mut Builder<'_, '_>,
    execution: &mut Execution<'_>,
    source: Text<'_>,
    is_initial: bool,
) -> Res<DecisionId> {
    let too_many =
        || formats::error::Error::whole(&codes::LIMIT_STATES, source.name, "a thread has too many ways to go on");
    let mut nodes: Vec<Option<Open>> = vec![None];
    let mut work: Vec<(usize, Vec<Answer>, u32)> = vec![(0, Vec::new(), 0)];
    while let Some((at, known, inputs)) = work.pop() {
        if nodes.len() + builder.decisions.list.len() > MOST_DECISIONS || Path::is_long(&known) {
            return Err(too_many());
        }
        match execution(&mut Path::new(builder.id, &known)) {
            Ok(effect) => nodes[at] = Some(Open::Ends(builder.outcome(effect, is_initial))),
            Err(Stop::Ask(question)) => {
                let (found, inputs) = answers(&question, inputs);
                let parts: Vec<usize> = (nodes.len()..nodes.len() + found.len()).collect();
                for (part, answer) in parts.iter().zip(found).rev() {
                    let mut known = known.clone();
                    known.push(answer);
                    work.push((*part, known, inputs));
                }
                nodes.resize_with(nodes.len() + parts.len(), || None);
                nodes[at] = Some(Open::Asks(question, parts));
            }
            Err(Stop::Refuse(error)) => return Err(error),
            Err(Stop::Fault(fault)) => unreachable!("a fault is an effect: {}", fault.message),
        }
    }
    Ok(close(builder, nodes))
}

/// Makes decisions of nodes. Parts have larger positions, so they come first from the end.
fn close(builder: &mut Builder<'_, '_>, nodes: Vec<Option<Open>>) -> DecisionId {
    let mut inputs_of: Vec<u32> = vec![0; nodes.len()];
    for at in 0..nodes.len() {
        if let Some(Open::Asks(question, parts)) = &nodes[at] {
            let (_, inputs) = answers(question, inputs_of[at]);
            parts.iter().for_each(|part| inputs_of[*part] = inputs);
        }
    }
    let mut ids = vec![DecisionId(0); nodes.len()];
    for (at, node) in nodes.into_iter().enumerate().rev() {
        let decision = match node {
            None => unreachable!("each node was executed"),
            Some(Open::Ends(outcome)) => Decision::End(outcome),
            Some(Open::Asks(question, parts)) => {
                let part = |number: usize| ids[parts[number]];
                match question {
                    Question::Test(constraint) => Decision::Test { constraint, yes: part(0), no: part(1) },
                    Question::Divide(term, by) => Decision::Divide { term, by, quotient: inputs_of[at], then: part(0) },
                    Question::Any => Decision::Any { input: inputs_of[at], then: part(0) },
                    Question::Choose(_) => Decision::Choose(parts.iter().map(|part| ids[*part]).collect()),
                }
            }
        };
        ids[at] = builder.decisions.add(decision);
    }
    ids[0]
}
