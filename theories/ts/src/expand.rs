//! Expands a state, or a region of states around it, and emits the exit clause that says how a run leaves it.
//!
//! States of unsettled goals are never in a region, but can be among the exits of a region. A successor outside
//! the region is an exit even if the exploration met it before, because a state that was met is not refuted. If
//! the successor is in another region, the literal of that region replaces its own.
//!
//! The exit clause of a region says that a run that visits the region takes one of its exits. It does not say
//! which state of the region the run visits. If some run is known to lead to the region's root, then every exit
//! is reachable too, so a goal state among the exits is a real violation. If a lemma named a state before the
//! search met it, no run to this state is known, and possibly no run to its descendants. Such states are
//! therefore expanded one by one.

use crate::sets::{Meaning, Place, SetId, SetKind};
use crate::{BATCH_MAX, ClauseForm, IDS_MAX, POLL, TsTheory};
use model::{ExpansionKind, Goal, Reason};
use sat::{Ctx, DecidedBy, Lit};
use search::{StateId, Stepper};
use std::collections::VecDeque;

/// A region under construction: the states expanded so far, and their successors.
struct Region {
    set: SetId,
    members: Vec<StateId>,
    /// Successors in order of discovery. Which of them are outside the region is known only at the end.
    successors: Vec<StateId>,
    queue: VecDeque<StateId>,
    cut: bool,
}

impl<S: Stepper> TsTheory<S> {
    /// Expands the unexpanded state `q`, together with as many of its descendants as the batch allows.
    pub(crate) fn expand_from(&mut self, q: StateId, ctx: &mut Ctx<'_>) {
        let unreached = self.any_unreached && self.sets.is_unreached(q);
        let batch = if unreached { 1 } else { self.batch };
        let batch = usize::try_from(self.work / self.each).map_or(batch, |most| batch.min(most)).max(1);
        let mut region = Region {
            set: self.sets.next_set(),
            members: Vec::new(),
            successors: Vec::new(),
            queue: VecDeque::from([q]),
            cut: false,
        };
        self.sets.begin_listing();
        self.sets.list(q);
        let found_before = self.found.len();
        while region.members.len() < batch && self.found.len() == found_before && !self.is_outgrown() {
            let poll = region.members.len().is_multiple_of(POLL) && self.must_stop();
            let Some(&s) = region.queue.front() else { break };
            if poll || !self.may_expand(s) {
                break;
            }
            region.queue.pop_front();
            self.expand_member(s, &mut region, ctx);
        }
        self.spend((region.members.len() as u64).saturating_mul(self.each).saturating_add(1));
        if region.members.is_empty() {
            return;
        }
        self.close_region(q, &region, ctx);
        if self.options.batch.is_none() {
            self.batch = (self.batch * 2).min(BATCH_MAX);
        }
    }

    /// Reports progress. Returns true if the search must stop.
    fn must_stop(&self) -> bool {
        self.stop.report_states(self.exploration.len() as u64);
        self.stop.raised().is_some()
    }

    /// True if there is memory for the expansion of `s`. Raises the stop flag otherwise.
    fn may_expand(&self, s: StateId) -> bool {
        let growth = self.exploration.growth_bytes_of(s);
        if growth == usize::MAX || self.exploration.len() >= IDS_MAX / 2 || self.sets.exits_len() >= IDS_MAX {
            self.stop.raise(Reason::Memory);
            return false;
        }
        self.stop.may_allocate(growth.saturating_add(self.sets.growth_bytes()))
    }

    fn expand_member(&mut self, s: StateId, region: &mut Region, ctx: &mut Ctx<'_>) {
        let successors = &mut region.successors;
        let start = successors.len();
        let known = self.exploration.len();
        let kind = self.exploration.expand(s, |_, r, _| successors.push(r));
        if self.any_unreached {
            let unreached = self.sets.is_unreached(s);
            for &r in successors[start..].iter().filter(|r| !unreached || r.index() >= known) {
                self.sets.set_unreached(r, unreached);
            }
        }
        match kind {
            ExpansionKind::Goal(goal) if self.is_wanted(goal) => {
                successors.truncate(start);
                self.meet_goal(s, goal, ctx);
                return;
            }
            ExpansionKind::Cut => region.cut = true,
            ExpansionKind::Overflow => {
                region.cut = true;
                self.overflowed = true;
            }
            ExpansionKind::Goal(_) | ExpansionKind::Inner => {}
        }
        self.sets.place_in(s, region.set);
        region.members.push(s);
        if let Some(visited) = &mut self.visited {
            visited.push(s);
        }
        // A successor that was listed before in this batch is dropped, because `collect_exits` needs it once.
        let mut kept = start;
        for i in start..region.successors.len() {
            let r = region.successors[i];
            if self.sets.list(r) {
                region.successors[kept] = r;
                kept += 1;
                if self.sets.place(r) == Place::Unexpanded {
                    region.queue.push_back(r);
                }
            }
        }
        region.successors.truncate(kept);
    }

    /// Emits the clause of a state `b` of the unsettled goal `goal`. Records `b` as found if a run from an
    /// initial state to `b` is known.
    fn meet_goal(&mut self, b: StateId, goal: Goal, ctx: &mut Ctx<'_>) {
        self.sets.place_goal(b);
        let lit = self.literal(b, ctx);
        let ends = self.ends(goal);
        self.emit(ClauseForm::GoalState, &[!lit, ends], ctx);
        if self.exploration.is_reached(b) {
            self.found.push_back((goal, b));
        } else {
            self.unreached.push((goal, b));
        }
    }

    /// Creates the region's literal and emits its clauses.
    fn close_region(&mut self, q: StateId, region: &Region, ctx: &mut Ctx<'_>) {
        let single = region.members.len() == 1;
        let literal = if single { self.literal_of_member(q) } else { ctx.new_lit(DecidedBy::Theory) };
        let mut clause = std::mem::take(&mut self.scratch);
        clause.clear();
        clause.push(!literal);
        self.collect_exits(region, &mut clause, ctx);
        let kind = if single { SetKind::State } else { SetKind::Region };
        let set = self.sets.add_set(kind, literal, &clause[1..], region.cut);
        debug_assert_eq!(set, region.set, "the set that its states were placed in");
        if region.cut {
            clause.push(self.cut);
        }
        self.emit(ClauseForm::Exit, &clause, ctx);
        self.scratch = clause;
        self.counts.splits += 1;
        if single {
            self.open.enter(set, &self.sets);
            return;
        }
        for &s in &region.members {
            if let Some(lit) = self.sets.state_literal(s) {
                self.emit(ClauseForm::Member, &[!lit, literal], ctx);
            }
        }
    }

    fn literal_of_member(&self, q: StateId) -> Lit {
        self.sets.state_literal(q).expect("a state is expanded because its literal is true")
    }

    /// Appends one literal for each successor outside the region: the successor's own literal, or the literal
    /// of the other region that contains it.
    fn collect_exits(&mut self, region: &Region, clause: &mut Vec<Lit>, ctx: &mut Ctx<'_>) {
        let mut regions_listed: Vec<SetId> = Vec::new();
        for &r in &region.successors {
            match self.sets.place(r) {
                Place::In(set) if set == region.set => {}
                Place::In(set) if self.sets.kind(set) == SetKind::Region => regions_listed.push(set),
                _ => {
                    let lit = self.literal(r, ctx);
                    clause.push(lit);
                }
            }
        }
        regions_listed.sort_unstable();
        regions_listed.dedup();
        clause.extend(regions_listed.iter().map(|&set| self.sets.literal(set)));
        debug_assert!(
            clause[1..]
                .iter()
                .all(|lit| matches!(self.sets.meaning(lit.var()), Some(Meaning::State(_) | Meaning::Set(_)))),
            "exits are states and regions"
        );
    }
}
