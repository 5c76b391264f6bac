//! The parts of a question for the largest value of a sum: thresholds that the sum may reach.
//!
//! The state equation gives a value that the sum cannot exceed, by linear programming. Thresholds between the value in
//! the initial marking and this one are goals: all of them if there are few, and otherwise some near both ends, with
//! growing distances. The runs and proofs of the engines narrow the range from both sides. The answer is v if there is
//! a run to v, and v + 1 is unreachable. There is no largest value if a part of a run can be repeated for ever and
//! adds to the sum: each run to a threshold is searched for such a part.

use super::ranges::Range;
use super::visited::Replay;
use crate::options::Options;
use crate::parts::{CheckedClaim, Composition, Formulas};
use model::bound::at_least;
use model::{Claim, Goal, Parts, Problem, Sum, Trace};
use nets::invariants::Invariants;
use nets::invariants::equation::{Feasibility, System};
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// With at most this many thresholds, all of them are goals.
const FEW: u64 = 5;
/// Greatest distance of a threshold from the initial value if the state equation gives no limit.
const FAR: u64 = 1 << 12;
/// Work of linear programming for a sum.
const WORK: u64 = 400_000;

/// The state equation of the net, or of the net of the thread-transition system.
pub(super) struct Equation {
    system: Option<System>,
}

impl Equation {
    pub(super) fn new(problem: &Problem, options: &Options<'_>) -> Self {
        let is_asked = problem.goals().any(|goal| matches!(goal, Goal::Bound(_)));
        let marked = problem.system().as_marked().filter(|_| is_asked && options.stop.raised().is_none());
        let system = marked.and_then(|marked| {
            // While a chain is running, the sum may be greater than in markings of the system, so this is a limit, too.
            let (task, _) = nets::reduce::unreduced(marked, Vec::new());
            let invariants = Invariants::new(&task)?;
            System::new(invariants.rules(), invariants.whole())
        });
        Self { system }
    }

    /// Returns true if the state equation has a solution in which the sum is at least `value`, or if this is not found
    /// out with the work that is left.
    fn allows(&mut self, terms: &[(u32, BigInt)], value: u64, left: &mut u64) -> bool {
        let Some(system) = &mut self.system else { return true };
        let atom = system.atom(terms, &BigInt::from(value));
        let before = system.work();
        let answer = system.solve(&[atom], (*left).max(1));
        *left = left.saturating_sub(system.work() - before);
        !matches!(answer, Feasibility::Refuted(_))
    }

    /// Returns a value that the sum cannot exceed, near `first`.
    fn most(&mut self, sum: &Sum, first: u64) -> Option<u64> {
        let terms: Vec<(u32, BigInt)> = sum.iter().map(|(p, factor)| (p.0, BigInt::from(factor.clone()))).collect();
        if terms.is_empty() {
            return Some(0);
        }
        self.system.as_ref()?;
        let (mut low, mut step, mut left) = (first, 1u64, WORK);
        while self.allows(&terms, low + step, &mut left) {
            low += step;
            step = step.saturating_mul(2);
            if step > FAR || left == 0 {
                return None;
            }
        }
        // The sum may be `low` at least, and less than `high`.
        let mut high = low + step;
        while high - low > 1 && left > 0 {
            let middle = low + (high - low) / 2;
            if self.allows(&terms, middle, &mut left) { low = middle } else { high = middle }
        }
        Some(high - 1)
    }
}

/// Returns the range before any search: from the value in the initial marking to what the state equation allows.
pub(super) fn first(sum: &Sum, replay: Option<&Replay>, equation: &mut Equation) -> Range {
    let value = replay.and_then(|replay| {
        let of = |(p, factor): &(model::PlaceId, BigUint)| {
            Some(u128::from(replay.initial()[p.index()]) * u128::from(factor.to_u32()?))
        };
        let sum = sum.iter().map(of).sum::<Option<u128>>()?;
        u64::try_from(sum).ok().filter(|value| *value < u64::MAX / 4)
    });
    let low = value.unwrap_or(0);
    Range { low, high: equation.most(sum, low).map(|most| most.max(low) + 1) }
}

/// The thresholds of a sum.
pub(super) struct Thresholds {
    sum: Sum,
    /// The thresholds, and the goals that reach them.
    goals: BTreeMap<u64, Goal>,
    range: Range,
    /// The run to the greatest threshold that has one.
    run: Option<(u64, Arc<Claim>)>,
    /// The least threshold with a proof that it is not reached.
    never: Option<u64>,
    /// A run that shows that the sum has no largest value.
    pump: Option<Trace>,
}

impl Thresholds {
    pub(super) fn new(sum: &Sum, range: Range, formulas: &mut Formulas) -> Self {
        let mut all = Self { sum: Arc::clone(sum), goals: BTreeMap::new(), range, run: None, never: None, pump: None };
        let Range { low, high } = range;
        let last = high.unwrap_or(low + FAR);
        // Both ends need evidence, too.
        let mut thresholds: Vec<u64> = vec![low, last];
        if last - low <= FEW {
            thresholds.extend(low..last);
        } else {
            let steps = (0..).map(|i| 1u64 << i).take_while(|step| *step < last - low);
            thresholds.extend(steps.clone().map(|step| low + step));
            thresholds.extend(steps.map(|step| last - step));
        }
        for threshold in thresholds {
            let formula = at_least(sum, &threshold.into());
            if model::ctl::constant(&formula).is_none() {
                all.goals.insert(threshold, formulas.goal(formula));
            }
        }
        all
    }

    /// Returns what is known about the largest value.
    pub(super) fn range(&self) -> Range {
        self.range
    }

    /// The goals of all parts.
    pub(super) fn parts(&self) -> BTreeSet<Goal> {
        self.goals.values().copied().collect()
    }

    fn threshold(&self, part: Goal) -> Option<u64> {
        self.goals.iter().find(|(_, goal)| **goal == part).map(|(threshold, _)| *threshold)
    }

    pub(super) fn never(&mut self, part: Goal) {
        if let Some(threshold) = self.threshold(part) {
            self.never = Some(self.never.map_or(threshold, |never| never.min(threshold)));
            self.range.high = Some(self.range.high.map_or(threshold, |high| high.min(threshold)));
            debug_assert!(self.range.low < threshold, "{threshold} is reached, and it is not: {:?}", self.range);
        }
    }

    pub(super) fn reached(&mut self, part: Goal, claim: &Arc<Claim>, replay: Option<&Replay>) {
        if let (Claim::Unsafe { trace, .. }, Some(replay), None) = (&**claim, replay, &self.pump) {
            self.pump = replay.pump(trace, &self.sum);
        }
        if let Some(threshold) = self.threshold(part)
            && self.run.as_ref().is_none_or(|(known, _)| *known < threshold)
        {
            self.run = Some((threshold, Arc::clone(claim)));
            self.range.low = self.range.low.max(threshold);
        }
    }

    /// Returns the claim about the largest value if the answers so far decide it.
    pub(super) fn decide(&mut self, goal: Goal, composition: &Composition<'_>) -> Option<CheckedClaim> {
        let claim = match self.pump.take() {
            Some(trace) => Claim::Unsafe { goal, trace, candidate: false },
            None => self.largest(goal, composition)?,
        };
        let answered = composition.confirm(claim);
        debug_assert!(!matches!(answered, Err(certify::Refusal::Rejected(_))), "{:?}", answered.err());
        answered.ok()
    }

    /// Returns the claim that a value is the largest one, if there is a run to it and none to the next one.
    fn largest(&self, goal: Goal, composition: &Composition<'_>) -> Option<Claim> {
        let low = self.run.as_ref().map_or(0, |(low, _)| *low);
        let is_empty = self.sum.is_empty();
        if !is_empty && self.never != Some(low + 1) {
            return None;
        }
        let most = self.never.and_then(|never| self.goals.get(&never)).copied();
        let Parts { formulas, mut claims } = composition.parts(most);
        claims.extend(self.run.iter().map(|(_, run)| Arc::clone(run)));
        let value = if is_empty { BigUint::zero() } else { low.into() };
        Some(Claim::Bound { goal, value, parts: Parts { formulas, claims } })
    }
}
