//! Finds the next cuts: an abstract trace to a label is replayed exactly, and an interval is cut where the run
//! leaves the trace.
//!
//! This is counterexample-guided refinement (Clarke, Grumberg, Jha, Lu and Veith 2000) for deterministic
//! programs, in which every input word has one run. Consider the call where the run leaves the trace. From some
//! values of the abstract state the call follows the trace; from the values that the run has reached it does
//! not. A box around these values is grown such that, by interval arithmetic, no call from the box follows the
//! trace. It is grown greedily with binary search, which is correct because a larger box never has fewer ways.
//! The ends of the box are the cuts.

use crate::intervals::boxes::{self, Way};
use crate::intervals::eval::Codes;
use crate::intervals::layout::{Domain, Layout};
use crate::intervals::run::{CallOutput, End};
use crate::intervals::space::Space;
use crate::store::interval::Interval;
use model::{ErrorId, InputId, Reactive};
use search::StateId;

/// The result of replaying a trace.
#[derive(Debug)]
pub(crate) enum Replay {
    /// The trace is real: these inputs lead to the label.
    Real(Vec<InputId>),
    /// These cuts (slot, number) remove the trace.
    Cuts(Vec<(usize, i32)>),
    /// Intervals do not separate the states, because of an overflow or too many ways.
    Stuck,
}

/// Replays traces of a space.
pub(crate) struct Replayer<'a> {
    pub(crate) program: &'a Reactive,
    pub(crate) layout: &'a Layout,
    pub(crate) space: &'a Space,
    pub(crate) codes: &'a mut Codes,
    /// Evaluates single states; overflow wraps.
    pub(crate) exact: &'a mut Codes,
    pub(crate) work: u64,
}

/// The target of a call of the trace: a state or a label.
#[derive(Clone, Copy, Debug)]
enum Target {
    State(StateId),
    Label(ErrorId),
    /// Any result other than this end and this state.
    Elsewhere(End, Option<StateId>),
}

impl Replayer<'_> {
    /// Replays the trace to a call that ends at `error`. With `None`, replays it to a call that should have
    /// only one way.
    pub(crate) fn replay(&mut self, error: Option<ErrorId>, last: (StateId, InputId)) -> Replay {
        let mut calls = self.space.path(last.0);
        calls.push(last);
        let slots = self.layout.slots.iter();
        let mut now: Vec<Interval> = slots.map(|s| Interval::point(self.program.initial()[s.var.index()])).collect();
        for (at, &(from, input)) in calls.iter().enumerate() {
            let target = calls.get(at + 1).map(|next| Target::State(next.0));
            let letter = self.program.input(input);
            let ways = boxes::ways(self.program, self.layout, self.exact, letter, &now, &mut self.work);
            let Some([way]) = ways.as_deref() else { return Replay::Stuck };
            let target = match (target, error) {
                (Some(target), _) => target,
                (None, Some(error)) => Target::Label(error),
                (None, None) => {
                    let target = Target::Elsewhere(way.end, self.state_of(&way.after));
                    return self.cuts(from, letter, &now, target).map_or(Replay::Stuck, Replay::Cuts);
                }
            };
            if !self.goes(way, target) {
                return self.cuts(from, letter, &now, target).map_or(Replay::Stuck, Replay::Cuts);
            }
            now.clone_from(&way.after);
        }
        Replay::Real(calls.into_iter().map(|(_, input)| input).collect())
    }

    /// True if this way may lead to the target.
    fn goes(&self, way: &Way, target: Target) -> bool {
        match target {
            Target::Label(error) => way.end == End::Error(error),
            Target::State(state) => {
                let state = self.space.table.get(state);
                let mut slots = self.layout.slots.iter().zip(&way.after);
                matches!(way.end, End::Continues(_))
                    && slots.all(|(slot, value)| slot.interval(slot.get(state)).meet(*value).is_some())
            }
            Target::Elsewhere(end, _) if way.end != end => true,
            Target::Elsewhere(End::Continues(CallOutput::Unclear), _) => true,
            Target::Elsewhere(End::Continues(CallOutput::Invalid), _) => false,
            Target::Elsewhere(End::Continues(_), Some(state)) => {
                let state = self.space.table.get(state);
                let mut slots = self.layout.slots.iter().zip(&way.after);
                slots.any(|(slot, &value)| slot.interval(slot.get(state)).meet(value) != Some(value))
            }
            Target::Elsewhere(End::Continues(_), None) => true,
            Target::Elsewhere(..) => false,
        }
    }

    /// The abstract state that contains a single state.
    fn state_of(&self, values: &[Interval]) -> Option<StateId> {
        let mut state = vec![0; self.layout.words];
        for (slot, value) in self.layout.slots.iter().zip(values) {
            slot.set(&mut state, slot.codes_met(*value)?.0);
        }
        self.space.table.find(&state)
    }

    /// True if a call from the box may lead to the target.
    fn may_go(&mut self, from: &[Interval], letter: i32, target: Target) -> bool {
        let ways = boxes::ways(self.program, self.layout, self.codes, letter, from, &mut self.work);
        ways.is_none_or(|ways| ways.iter().any(|way| self.goes(way, target)))
    }

    /// Grows a box around `now`, within the intervals of `state`, from which no call leads to the target.
    /// Returns its ends as cuts.
    fn cuts(&mut self, state: StateId, letter: i32, now: &[Interval], target: Target) -> Option<Vec<(usize, i32)>> {
        let mut grown = now.to_vec();
        if self.may_go(&grown, letter, target) {
            return None;
        }
        let mut cuts = Vec::new();
        for slot in 0..grown.len() {
            let domain = &self.layout.slots[slot];
            if !matches!(domain.domain, Domain::Intervals { .. }) {
                continue;
            }
            let cell = domain.interval(domain.get(self.space.table.get(state)));
            let point = grown[slot];
            grown[slot] = cell;
            if !self.may_go(&grown, letter, target) {
                continue;
            }
            grown[slot] = point;
            let hi = self.furthest(&mut grown, slot, letter, target, i64::from(cell.hi));
            let lo = self.furthest(&mut grown, slot, letter, target, i64::from(cell.lo));
            cuts.extend((lo > cell.lo).then_some((slot, lo)));
            cuts.extend((hi < cell.hi).then(|| (slot, hi + 1)));
        }
        (!cuts.is_empty()).then_some(cuts)
    }

    /// Moves one end of a slot's interval towards `limit` as far as no call from the box leads to the target.
    /// Returns its new position.
    fn furthest(&mut self, grown: &mut [Interval], slot: usize, letter: i32, target: Target, limit: i64) -> i32 {
        let start = grown[slot];
        let with = |end: i64| {
            let end = i32::try_from(end).expect("between two ends of 32 bits");
            Interval { lo: start.lo.min(end), hi: start.hi.max(end) }
        };
        let is_up = limit >= i64::from(start.hi);
        let (mut good, mut bad) = (if is_up { i64::from(start.hi) } else { i64::from(start.lo) }, limit);
        grown[slot] = with(limit);
        if !self.may_go(grown, letter, target) {
            good = limit;
        }
        while (bad - good).abs() > 1 {
            let middle = i64::midpoint(good, bad);
            grown[slot] = with(middle);
            if self.may_go(grown, letter, target) {
                bad = middle;
            } else {
                good = middle;
            }
        }
        grown[slot] = with(good);
        i32::try_from(good).expect("between two ends of 32 bits")
    }
}
