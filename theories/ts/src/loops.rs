//! Closes unfounded loops. An unfounded loop is a group of sets with true literals from which no true literals
//! lead to a goal.
//!
//! A propositional model can contain a cycle without an exit to a goal. A violating run is finite and ends in a
//! goal, so it leaves every such cycle. The method is that of loop formulas for unfounded sets in answer-set
//! programming (Lin and Zhao 2004). Each strongly connected component of true sets without a path to a goal
//! gets its own literal. The literal of each member implies the literal of the component, which implies the
//! disjunction of the exits of the whole component. One pass of Tarjan's algorithm finds the components, sinks
//! first. The pass is iterative, because a path can be as long as the number of states. When an old component
//! becomes a subset of a new one, it becomes a part of the new one, and its members are not listed again.

use crate::sets::{SetId, SetKind, Sets};
use crate::{ClauseForm, TsTheory};
use sat::{Ctx, DecidedBy, Lit};
use search::Stepper;

impl<S: Stepper> TsTheory<S> {
    /// Closes the unfounded components. Called when the exits of all true sets are assigned and no goal was
    /// found. Returns false if there is no unfounded component.
    pub(crate) fn close_components(&mut self, ctx: &mut Ctx<'_>) -> bool {
        let unfounded = Tarjan::run(&self.sets, |lit| ctx.value(lit) == Some(true));
        let mut closed = 0;
        for members in unfounded.iter().filter(|members| members.len() > 1) {
            self.close_component(members, ctx);
            closed += 1;
        }
        self.counts.components += closed;
        closed > 0
    }

    fn close_component(&mut self, members: &[SetId], ctx: &mut Ctx<'_>) {
        let literal = ctx.new_lit(DecidedBy::Theory);
        let cut = members.iter().any(|&m| self.sets.is_cut(m));
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        let mut exits: Vec<Lit> = Vec::new();
        for &m in &sorted {
            let inside = |lit: &Lit| self.sets.target(*lit).is_some_and(|t| sorted.binary_search(&t).is_ok());
            exits.extend(self.sets.exits(m).iter().filter(|lit| !inside(lit)));
        }
        exits.sort_unstable();
        exits.dedup();
        let component = self.sets.add_set(SetKind::Component, literal, &exits, cut);
        for part in self.parts_of(&sorted) {
            let part_lit = self.sets.literal(part);
            self.sets.add_part(component, part);
            self.emit(ClauseForm::Member, &[!part_lit, literal], ctx);
        }
        for &m in &sorted {
            self.sets.set_component(m, component);
        }
        let mut clause = vec![!literal];
        clause.extend_from_slice(&exits);
        if cut {
            clause.push(self.cut);
        }
        self.emit(ClauseForm::Exit, &clause, ctx);
    }

    /// The parts of the component that consists of `members`. If all members of an earlier component are in
    /// `members`, the earlier component is listed instead of them. Otherwise its members are listed one by one:
    /// each of their literals implies the literal of the earlier component, but not conversely.
    fn parts_of(&self, members: &[SetId]) -> Vec<SetId> {
        let mut olds: Vec<SetId> = members.iter().filter_map(|&m| self.sets.component(m)).collect();
        olds.sort_unstable();
        let mut whole: Vec<SetId> = Vec::new();
        for run in olds.chunk_by(|a, b| a == b) {
            if run.len() == self.sets.component_size(run[0]) as usize {
                whole.push(run[0]);
            }
        }
        let loose =
            members.iter().filter(|&&m| self.sets.component(m).is_none_or(|c| whole.binary_search(&c).is_err()));
        let mut parts: Vec<SetId> = loose.copied().collect();
        parts.extend_from_slice(&whole);
        parts
    }
}

/// One pass of Tarjan's algorithm over the true sets (states and regions), along true exits.
struct Tarjan<'a, T: Fn(Lit) -> bool> {
    sets: &'a Sets,
    is_true: T,
    /// For each set: its position in the order of discovery, from 1; 0 if the set is not visited.
    order: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<SetId>,
    calls: Vec<(SetId, usize)>,
    discovered: u32,
    /// For each set of a completed component: true if a goal state is reachable from it over true exits.
    founded: Vec<bool>,
    unfounded: Vec<Vec<SetId>>,
}

impl<'a, T: Fn(Lit) -> bool> Tarjan<'a, T> {
    /// The unfounded components, sinks first.
    fn run(sets: &'a Sets, is_true: T) -> Vec<Vec<SetId>> {
        let n = sets.len();
        let mut tarjan = Tarjan {
            sets,
            is_true,
            order: vec![0; n],
            low: vec![0; n],
            on_stack: vec![false; n],
            stack: Vec::new(),
            calls: Vec::new(),
            discovered: 0,
            founded: vec![false; n],
            unfounded: Vec::new(),
        };
        for root in sets.ids() {
            let expanded = matches!(sets.kind(root), SetKind::State | SetKind::Region);
            if expanded && tarjan.order[root.index()] == 0 && (tarjan.is_true)(sets.literal(root)) {
                tarjan.visit(root);
            }
        }
        tarjan.unfounded
    }

    fn visit(&mut self, root: SetId) {
        self.discover(root);
        while let Some((set, next)) = self.calls.pop() {
            match self.sets.exits(set).get(next) {
                Some(&exit) => {
                    self.calls.push((set, next + 1));
                    self.follow(set, exit);
                }
                None => self.finish(set),
            }
        }
    }

    fn discover(&mut self, set: SetId) {
        self.discovered += 1;
        self.order[set.index()] = self.discovered;
        self.low[set.index()] = self.discovered;
        self.stack.push(set);
        self.on_stack[set.index()] = true;
        self.calls.push((set, 0));
    }

    fn follow(&mut self, set: SetId, exit: Lit) {
        if !(self.is_true)(exit) {
            return;
        }
        let Some(target) = self.sets.target(exit) else { return };
        if self.order[target.index()] == 0 {
            self.discover(target);
        } else if self.on_stack[target.index()] {
            self.low[set.index()] = self.low[set.index()].min(self.order[target.index()]);
        }
    }

    fn finish(&mut self, set: SetId) {
        let low = self.low[set.index()];
        if let Some(&(caller, _)) = self.calls.last() {
            self.low[caller.index()] = self.low[caller.index()].min(low);
        }
        if low == self.order[set.index()] {
            let start = self.stack.iter().rposition(|&s| s == set).expect("a component's root is on the stack");
            let members = self.stack.split_off(start);
            let founded = members.iter().any(|&m| self.leads_to_goal(m));
            for m in &members {
                self.on_stack[m.index()] = false;
                self.founded[m.index()] = founded;
            }
            if !founded {
                self.unfounded.push(members);
            }
        }
    }

    /// True if a true exit of `set` is a goal state or leads into a component from which a goal is reachable.
    fn leads_to_goal(&self, set: SetId) -> bool {
        let true_exits = self.sets.exits(set).iter().filter(|&&exit| (self.is_true)(exit));
        true_exits.map(|&exit| self.sets.target(exit)).any(|target| target.is_none_or(|t| self.founded[t.index()]))
    }
}
