//! Translates formulas without temporal operators to formulas over places. Negations are pushed down to the
//! inequalities, and constants are folded, so that the form of a formula often shows that its goal is upward-closed.

use super::{Compare, Op, OperandId, Sum};
use crate::subject::Subject;
use model::{EventId, Formula, FormulaBuilder, Linear, LocalState, NodeId, PlaceId, Program, TransitionId};
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::{BTreeMap, BTreeSet};

/// A translated part of a formula: a constant or a node.
#[derive(Clone, Copy)]
enum Built {
    Constant(bool),
    Node(NodeId),
}

pub(super) struct Translation<'a> {
    subject: Subject<'a>,
    builder: FormulaBuilder,
    /// The number of atoms and connectives that may still be built.
    pub(super) left: usize,
    /// The translations of "no transition is enabled" and its negation, once they are built.
    stuck: [Option<Built>; 2],
    /// For priorities: the translations of "no event is open with a greater one", and their negations.
    none_above: BTreeMap<(i64, bool), Built>,
    /// The number of the first part.
    first: usize,
}

impl<'a> Translation<'a> {
    pub(super) fn new(subject: Subject<'a>, left: usize, first: usize) -> Self {
        Self { subject, builder: FormulaBuilder::default(), left, stuck: [None; 2], none_above: BTreeMap::new(), first }
    }

    /// Returns `phi`, or its negation unless `positive`. Returns `None` if the result is too large.
    pub(super) fn formula(&mut self, phi: &[Op], positive: bool) -> Option<Formula> {
        let root = match self.translate(phi, positive)? {
            Built::Node(node) => node,
            Built::Constant(true) => self.builder.all(Vec::new()),
            Built::Constant(false) => self.builder.any(Vec::new()),
        };
        Some(std::mem::take(&mut self.builder).finish(root))
    }

    fn translate(&mut self, phi: &[Op], positive: bool) -> Option<Built> {
        let first = self.first;
        let phi = phi.get(first..)?;
        let root = phi.len().checked_sub(1)?;
        let at = |part: &OperandId| part.0 as usize - first;
        // For each part: true if it is needed as it is, and true if its negation is needed.
        let mut needed = vec![[false; 2]; phi.len()];
        needed[root][usize::from(!positive)] = true;
        for (i, op) in phi.iter().enumerate().rev() {
            let [plain, negated] = needed[i];
            match op {
                Op::Not(part) => or(&mut needed[at(part)], [negated, plain]),
                Op::All(parts) | Op::Any(parts) => {
                    parts.iter().for_each(|p| or(&mut needed[at(p)], [plain, negated]));
                }
                Op::Same(a, b) if plain || negated => {
                    or(&mut needed[at(a)], [true; 2]);
                    or(&mut needed[at(b)], [true; 2]);
                }
                _ => {}
            }
        }
        let mut built = vec![[Built::Constant(false); 2]; phi.len()];
        for (i, op) in phi.iter().enumerate() {
            for negated in [false, true] {
                if needed[i][usize::from(negated)] {
                    built[i][usize::from(negated)] = self.op(op, negated, &built)?;
                }
            }
        }
        Some(built[root][usize::from(!positive)])
    }

    fn op(&mut self, op: &Op, negated: bool, built: &[[Built; 2]]) -> Option<Built> {
        let first = self.first;
        let get = |part: &OperandId, negated: bool| built[part.0 as usize - first][usize::from(negated)];
        match op {
            Op::Constant(value) => Some(Built::Constant(*value != negated)),
            Op::Compare(sum, compare) => self.compare(sum, if negated { opposite(*compare) } else { *compare }),
            Op::Fireable(transitions) => self.fireable(transitions, negated),
            Op::Deadlock => self.deadlock(negated),
            Op::Not(part) => Some(get(part, !negated)),
            Op::All(parts) => self.join(parts.iter().map(|p| get(p, negated)).collect(), !negated),
            Op::Any(parts) => self.join(parts.iter().map(|p| get(p, negated)).collect(), negated),
            Op::Same(a, b) => {
                // (a and b) or (not a and not b). Negated: (a and not b) or (not a and b).
                let first = self.join(vec![get(a, false), get(b, negated)], true)?;
                let second = self.join(vec![get(a, true), get(b, !negated)], true)?;
                self.join(vec![first, second], false)
            }
            Op::Next(_)
            | Op::Globally(_)
            | Op::Finally(_)
            | Op::Until(..)
            | Op::WeakUntil(..)
            | Op::Release(..)
            | Op::Path { .. } => {
                unreachable!("formulas about markings have no temporal operators")
            }
        }
    }

    fn take(&mut self, count: usize) -> Option<()> {
        self.left = self.left.checked_sub(count)?;
        Some(())
    }

    /// Returns the conjunction (if `all`) or the disjunction of the parts.
    fn join(&mut self, parts: Vec<Built>, all: bool) -> Option<Built> {
        let mut nodes = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                // A true part decides a disjunction, and a false part decides a conjunction.
                Built::Constant(value) if value != all => return Some(part),
                Built::Constant(_) => {}
                Built::Node(node) => nodes.push(node),
            }
        }
        if nodes.is_empty() {
            return Some(Built::Constant(all));
        }
        self.take(1 + nodes.len())?;
        Some(Built::Node(if all { self.builder.all(nodes) } else { self.builder.any(nodes) }))
    }

    fn compare(&mut self, sum: &Sum, compare: Compare) -> Option<Built> {
        let one = BigInt::from(1);
        match compare {
            Compare::AtLeast => self.at_least(sum, false, &BigInt::zero()),
            Compare::Greater => self.at_least(sum, false, &one),
            Compare::AtMost => self.at_least(sum, true, &BigInt::zero()),
            Compare::Less => self.at_least(sum, true, &one),
            Compare::Equal => {
                let both = [self.at_least(sum, false, &BigInt::zero())?, self.at_least(sum, true, &BigInt::zero())?];
                self.join(both.to_vec(), true)
            }
            Compare::NotEqual => {
                let either = [self.at_least(sum, false, &one)?, self.at_least(sum, true, &one)?];
                self.join(either.to_vec(), false)
            }
        }
    }

    /// Returns `sum >= bound`, or `-sum >= bound` if `minus`.
    fn at_least(&mut self, sum: &Sum, minus: bool, bound: &BigInt) -> Option<Built> {
        let sign = |n: &BigInt| if minus { -n } else { n.clone() };
        let terms = sum.terms.iter().map(|(p, c)| (*p, sign(c)));
        match Linear::new(terms, bound - sign(&sum.constant)) {
            Ok(sum) => {
                self.take(1 + sum.terms.len())?;
                Some(Built::Node(self.builder.linear(sum)))
            }
            Err(value) => Some(Built::Constant(value)),
        }
    }

    /// Returns "one of the transitions is enabled", or its negation.
    fn fireable(&mut self, transitions: &[TransitionId], negated: bool) -> Option<Built> {
        let mut parts = Vec::with_capacity(transitions.len());
        for &t in transitions {
            parts.push(self.enabled(t, negated)?);
        }
        self.join(parts, negated)
    }

    fn enabled(&mut self, t: TransitionId, negated: bool) -> Option<Built> {
        let Subject::Program(program) = self.subject else { return self.all_of(&self.subject.conditions(t), negated) };
        if !program.has_priorities() {
            return self.all_of(&self.subject.conditions(t), negated);
        }
        // An event is enabled if it is open with some priority, and no event is open with a greater one.
        let [_, unblocked] = ranked(program, t, &|_| true);
        let mut levels = Vec::new();
        let all: BTreeSet<i64> = program.priorities().iter().flatten().copied().collect();
        for level in all {
            let [requested, _] = ranked(program, t, &|priority| priority == level);
            if requested.0.terms.is_empty() {
                continue;
            }
            let open = self.all_of(&[requested, unblocked.clone()], negated)?;
            let parts = vec![open, self.none_above(program, level, negated)?];
            levels.push(self.join(parts, !negated)?);
        }
        self.join(levels, negated)
    }

    /// Returns "no event is open with a priority above `level`", or its negation. Each is built at most once for a
    /// formula.
    fn none_above(&mut self, program: &Program, level: i64, negated: bool) -> Option<Built> {
        if let Some(built) = self.none_above.get(&(level, negated)) {
            return Some(*built);
        }
        let mut parts = Vec::new();
        for event in (0..program.events().len()).map(TransitionId::new) {
            let open = ranked(program, event, &|priority| priority > level);
            if !open[0].0.terms.is_empty() {
                parts.push(self.all_of(&open, !negated)?);
            }
        }
        let built = self.join(parts, !negated)?;
        self.none_above.insert((level, negated), built);
        Some(built)
    }

    /// Returns "all conditions hold", or its negation.
    fn all_of(&mut self, conditions: &[(Sum, Compare)], negated: bool) -> Option<Built> {
        let mut parts = Vec::with_capacity(conditions.len());
        for (sum, compare) in conditions {
            parts.push(self.compare(sum, if negated { opposite(*compare) } else { *compare })?);
        }
        self.join(parts, !negated)
    }

    /// Returns "no transition is enabled", or its negation. Each of the two is built at most once for a
    /// formula.
    fn deadlock(&mut self, negated: bool) -> Option<Built> {
        if let Some(built) = self.stuck[usize::from(negated)] {
            return Some(built);
        }
        let all: Vec<TransitionId> = (0..self.subject.transition_count()).map(TransitionId::new).collect();
        let built = self.fireable(&all, !negated)?;
        self.stuck[usize::from(negated)] = Some(built);
        Some(built)
    }
}

/// Returns the conditions under which an event is requested with such a priority, and not blocked.
fn ranked(program: &Program, event: TransitionId, is: &dyn Fn(i64) -> bool) -> [(Sum, Compare); 2] {
    let event = EventId::new(event.index());
    let locals =
        || program.threads().iter().zip(program.priorities()).flat_map(|(thread, own)| thread.states.iter().zip(own));
    let sum = |has: &dyn Fn(&LocalState, i64) -> bool, constant: i32| {
        let places = locals().enumerate().filter(|(_, (state, priority))| has(state, **priority));
        let places: Vec<PlaceId> = places.map(|(place, _)| PlaceId::new(place)).collect();
        Sum { constant: constant.into(), ..Sum::of_places(&places) }
    };
    [
        (sum(&|state, priority| state.request.contains(event) && is(priority), -1), Compare::AtLeast),
        (sum(&|state, _| state.block.contains(event), 0), Compare::AtMost),
    ]
}

fn or(needed: &mut [bool; 2], more: [bool; 2]) {
    needed[0] |= more[0];
    needed[1] |= more[1];
}

fn opposite(compare: Compare) -> Compare {
    match compare {
        Compare::Less => Compare::AtLeast,
        Compare::AtMost => Compare::Greater,
        Compare::Equal => Compare::NotEqual,
        Compare::NotEqual => Compare::Equal,
        Compare::AtLeast => Compare::Less,
        Compare::Greater => Compare::AtMost,
    }
}
