//! Expansion: a state, or a whole region around it, and the exit clause that says where a run through it goes on.
//!
//! Goal states that are looked for are never inside a region, always on its frontier; a successor outside stays on
//! the frontier however often it was seen (seen is not refuted); where it lies in another region, that region's
//! literal stands for it.
//!
//! A region says of its exits only that the run takes one of them *if* it visits the region anywhere. Where a run is
//! known to lead to the region's root, every exit is reached too, so a goal among them is a find. States that a lemma
//! named ahead of the search have no such run, and neither may what lies below them: they are expanded one by one.

use crate::sets::{Meaning, Place, SetId, SetKind};
use crate::{BATCH_MAX, IDS_MAX, POLL, Shape, TsTheory};
use model::{Goal, Kind, Reason};
use sat::{Ctx, DecidedBy, Lit};
use std::collections::VecDeque;
use store::{StateId, Step};

/// A batch while it grows.
struct Region {
    set: SetId,
    members: Vec<StateId>,
    /// Successors in order of discovery; which of them are outside is known at the end.
    successors: Vec<StateId>,
    queue: VecDeque<StateId>,
    cut: bool,
}

impl<S: Step> TsTheory<S> {
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

    /// Reports progress; must work end?
    fn must_stop(&self) -> bool {
        self.stop.report_states(self.exploration.len() as u64);
        self.stop.raised().is_some()
    }

    /// Is there room for what the expansion of `s` may allocate?
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
            Kind::Goal(goal) if self.is_wanted(goal) => {
                successors.truncate(start);
                self.meet_goal(s, goal, ctx);
                return;
            }
            Kind::Cut => region.cut = true,
            Kind::Overflow => {
                region.cut = true;
                self.overflowed = true;
            }
            Kind::Goal(_) | Kind::Inner => {}
        }
        self.sets.place_in(s, region.set);
        region.members.push(s);
        if let Some(visited) = &mut self.visited {
            visited.push(s);
        }
        // A successor met again need not be listed again: whoever lists it first decides about it at the end.
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

    /// `b` is a goal state that is looked for: say so, and if a run from an initial state leads here, stop.
    fn meet_goal(&mut self, b: StateId, goal: Goal, ctx: &mut Ctx<'_>) {
        self.sets.place_goal(b);
        let lit = self.literal(b, ctx);
        let ends = self.ends(goal);
        self.emit(Shape::GoalState, &[!lit, ends], ctx);
        if self.exploration.is_reached(b) {
            self.found.push_back((goal, b));
        } else {
            self.unreached.push((goal, b));
        }
    }

    /// Gives the region its literal and its clauses.
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
        self.emit(Shape::Exit, &clause, ctx);
        self.scratch = clause;
        self.counts.splits += 1;
        if single {
            self.open.enter(set, &self.sets);
            return;
        }
        for &s in &region.members {
            if let Some(lit) = self.sets.state_literal(s) {
                self.emit(Shape::Member, &[!lit, literal], ctx);
            }
        }
    }

    fn literal_of_member(&self, q: StateId) -> Lit {
        self.sets.state_literal(q).expect("a state is expanded because its literal is true")
    }

    /// Appends one literal per successor outside the region: its own, or that of the region it lies in.
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
