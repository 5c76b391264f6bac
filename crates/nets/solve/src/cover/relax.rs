//! The distance to the goal, by relaxed plans on token counts.
//!
//! The first step ignores the removal of tokens and computes the cost of one more token for each place (delete
//! relaxation with additive costs, by Dijkstra's algorithm; Bonet and Geffner 2001). The second step makes a
//! plan backwards from the goal with the cheapest operations (Hoffmann and Nebel 2001), and keeps an account of
//! tokens: tokens that operations of the plan remove must be present, or given by other operations of the plan.
//! The plan is a greedy solution of the state equation that respects the order of firings as far as the first
//! token of each place is concerned. It counts: ten tokens through a lock take ten rounds. The enabled
//! operations of the plan are the preferred moves.
//!
//! If a place cannot get a token in the relaxed net, where tokens are never removed, it cannot get a token at
//! all. If the distance is infinite, the goal is therefore unreachable. The other mode, [`Relax::bound`],
//! computes a lower bound of the number of firings (h_max with counts).

use crate::cover::ops::Ops;
use crate::cover::target::{FormulaNode, Target, lack};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Infinite cost.
pub(crate) const FAR: u64 = u64::MAX / 8;
/// Maximal finite cost.
const MOST: u64 = u64::MAX / 16;

/// Buffers and results of the relaxation.
pub(crate) struct Relax {
    /// For each place, the cost of one more token.
    unit: Vec<u64>,
    /// For each place, the cheapest operation that gives a token; `rank` is the position of the place in the
    /// order of costs.
    giver: Vec<u32>,
    rank: Vec<u32>,
    /// For each place, the tokens required by the goal. Removing them costs as much as bringing the same number
    /// of tokens from elsewhere.
    reserved: Vec<u64>,
    /// For each operation, the cost of its preconditions so far; `unmet` is the number of preconditions without
    /// a cost.
    pre: Vec<u64>,
    unmet: Vec<u32>,
    /// For each operation, its number of preconditions; `free` are the operations without any.
    needs: Vec<u32>,
    free: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// For each node of the goal, its cost.
    costs: Vec<u64>,
    /// For each place, the greatest number of tokens that one operation gives. `u64::MAX` if unlimited.
    most_given: Vec<u64>,
    account: Account,
    /// The plan: each operation once, with its number of repetitions.
    pub(crate) plan: Vec<(u32, u64)>,
    /// Entries processed, a measure of work.
    pub(crate) effort: u64,
}

/// The tokens of a plan. `used`, `given`, `asked` and `waiting` have an entry for each place.
#[derive(Default)]
struct Account {
    used: Vec<u64>,
    given: Vec<u64>,
    /// The greatest number of tokens that a precondition requires.
    asked: Vec<u64>,
    /// For each operation, its number of repetitions.
    times: Vec<u64>,
    waiting: Vec<bool>,
    queue: BinaryHeap<(u32, u32)>,
    touched: Vec<u32>,
    ops: Vec<u32>,
}

/// How the costs of preconditions and of tokens are combined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    Add,
    Max,
}

impl Relax {
    pub(crate) fn new(ops: &Ops, places: usize) -> Self {
        let mut most_given = vec![1u64; places];
        for gift in (0..ops.len()).flat_map(|op| ops.gifts.row(op)) {
            let most = &mut most_given[gift.place as usize];
            *most = if gift.moved.is_some() { u64::MAX } else { (*most).max(gift.tokens) };
        }
        let needs: Vec<u32> = (0..ops.len()).map(|op| ops.needs.row(op).len() as u32).collect();
        Self {
            unit: vec![FAR; places],
            giver: vec![u32::MAX; places],
            rank: vec![0; places],
            reserved: vec![0; places],
            pre: vec![0; ops.len()],
            unmet: vec![0; ops.len()],
            free: (0u32..).zip(&needs).filter(|(_, n)| **n == 0).map(|(op, _)| op).collect(),
            needs,
            heap: BinaryHeap::new(),
            costs: Vec::new(),
            most_given,
            account: Account {
                used: vec![0; places],
                given: vec![0; places],
                asked: vec![0; places],
                times: vec![0; ops.len()],
                waiting: vec![false; places],
                ..Account::default()
            },
            plan: Vec::new(),
            effort: 0,
        }
    }

    /// Makes it costly to remove tokens that `target` requires. With `None`, all tokens may be removed without
    /// additional cost.
    pub(crate) fn reserve_for(&mut self, target: Option<&Target>) {
        self.reserved.fill(0);
        for (place, count) in target.into_iter().flat_map(Target::kept) {
            let reserved = &mut self.reserved[place as usize];
            *reserved = count.max(*reserved);
        }
    }

    /// Estimates the number of firings to the goal and computes the plan. Returns `None` if the goal is
    /// unreachable. `opening` is true if tokens may still be added to the initial marking.
    pub(crate) fn distance(&mut self, ops: &Ops, target: &Target, tokens: &[u64], opening: bool) -> Option<u64> {
        self.spread(ops, tokens, opening, Sum::Add);
        if self.measure(ops, target, tokens, Sum::Add) >= FAR {
            return None;
        }
        Some(self.draw_up(ops, target, tokens))
    }

    /// Returns a lower bound of the length of runs to the goal (a token added to the initial marking counts as
    /// a firing). `None` if the goal is unreachable.
    pub(crate) fn bound(&mut self, ops: &Ops, target: &Target, tokens: &[u64], opening: bool) -> Option<u64> {
        self.spread(ops, tokens, opening, Sum::Max);
        Some(self.measure(ops, target, tokens, Sum::Max)).filter(|cost| *cost < FAR)
    }

    /// Computes the cost of one more token for each place.
    fn spread(&mut self, ops: &Ops, tokens: &[u64], opening: bool, sum: Sum) {
        self.unit.fill(FAR);
        self.rank.fill(u32::MAX);
        self.pre.fill(0);
        self.unmet.copy_from_slice(&self.needs);
        self.heap.clear();
        self.effort += (tokens.len() + ops.len()) as u64 / 4;
        for i in 0..self.free.len() {
            let op = self.free[i];
            if opening || (op as usize) < ops.opening {
                self.offer(ops, op, 0);
            }
        }
        for (place, &n) in tokens.iter().enumerate().filter(|(_, n)| **n > 0) {
            let reserved = self.reserved[place];
            for &(_, op) in ops.asked.row(place).iter().take_while(|(least, _)| *least <= n) {
                if reserved == 0 || takes(ops, op, place) <= n.saturating_sub(reserved) {
                    self.met(ops, op, 0, sum);
                }
            }
        }
        let (mut rank, mut last, mut released) = (0, 0, false);
        loop {
            let Some(Reverse((cost, place))) = self.heap.pop() else {
                if std::mem::replace(&mut released, true) {
                    return;
                }
                self.release(ops, tokens, last + 1, sum);
                continue;
            };
            if cost > self.unit[place as usize] || self.rank[place as usize] != u32::MAX {
                continue;
            }
            last = cost;
            self.rank[place as usize] = rank;
            rank += 1;
            let there = tokens[place as usize];
            let asked = ops.asked.row(place as usize);
            let above = asked.partition_point(|(least, _)| *least <= there);
            let reserved = self.reserved[place as usize];
            if reserved > 0 && !released {
                for &(_, op) in &asked[..above] {
                    let takes = takes(ops, op, place as usize);
                    if takes > there.saturating_sub(reserved) {
                        let cost = self.tokens_cost(place as usize, takes, sum);
                        self.met(ops, op, cost, sum);
                    }
                }
            }
            for &(least, op) in &asked[above..] {
                let cost = self.tokens_cost(place as usize, least - there, sum);
                self.met(ops, op, cost, sum);
            }
        }
    }

    /// When no other operation is left, allows the removal of tokens that the goal requires.
    fn release(&mut self, ops: &Ops, tokens: &[u64], cost: u64, sum: Sum) {
        for (place, &n) in tokens.iter().enumerate().filter(|(_, n)| **n > 0) {
            let reserved = self.reserved[place];
            if reserved == 0 || self.rank[place] != u32::MAX {
                continue;
            }
            for &(_, op) in ops.asked.row(place).iter().take_while(|(least, _)| *least <= n) {
                if takes(ops, op, place) > n.saturating_sub(reserved) {
                    self.met(ops, op, cost, sum);
                }
            }
        }
    }

    /// The cost of `count` more tokens on a place.
    fn tokens_cost(&self, place: usize, count: u64, sum: Sum) -> u64 {
        let unit = self.unit[place];
        if unit >= FAR {
            return FAR;
        }
        match sum {
            Sum::Add => unit.saturating_mul(count).min(MOST),
            Sum::Max => (unit + count.div_ceil(self.most_given[place]) - 1).min(MOST),
        }
    }

    /// Records that a precondition of `op` is met at this cost.
    fn met(&mut self, ops: &Ops, op: u32, cost: u64, sum: Sum) {
        self.effort += 1;
        let pre = &mut self.pre[op as usize];
        *pre = if sum == Sum::Add { pre.saturating_add(cost).min(MOST) } else { cost.max(*pre) };
        self.unmet[op as usize] -= 1;
        if self.unmet[op as usize] == 0 {
            self.offer(ops, op, self.pre[op as usize]);
        }
    }

    /// Records that `op` is possible at this cost.
    fn offer(&mut self, ops: &Ops, op: u32, pre: u64) {
        let cost = (pre + 1).min(MOST);
        for gift in ops.gifts.row(op as usize) {
            let place = gift.place as usize;
            if cost < self.unit[place] {
                self.unit[place] = cost;
                self.giver[place] = op;
                self.heap.push(Reverse((cost, gift.place)));
            }
        }
    }

    /// Computes the cost of each node of the goal. Returns the cost of the root.
    fn measure(&mut self, ops: &Ops, target: &Target, tokens: &[u64], sum: Sum) -> u64 {
        self.costs.clear();
        for part in &target.nodes {
            let children = |parts: &[u32]| parts.iter().map(|p| self.costs[*p as usize]).collect::<Vec<u64>>();
            let cost = match part {
                FormulaNode::All(parts) if sum == Sum::Max => children(parts).into_iter().max().unwrap_or(0),
                FormulaNode::All(parts) => {
                    children(parts).into_iter().fold(0, |a: u64, b| a.saturating_add(b).min(FAR))
                }
                FormulaNode::Any(parts) => children(parts).into_iter().min().unwrap_or(FAR),
                FormulaNode::Sum(terms, least) => match lack(terms, *least, tokens) {
                    0 => 0,
                    lacking => {
                        let ways = terms.iter().map(|term| self.term(ops, *term, lacking, tokens, sum).0);
                        // With several terms, a little of each may suffice. For a lower bound, only the first
                        // token of the cheapest term counts (see `term`).
                        ways.min().unwrap_or(FAR)
                    }
                },
            };
            self.costs.push(cost);
        }
        self.effort += target.nodes.len() as u64;
        self.costs.last().copied().unwrap_or(FAR)
    }

    /// The cost of making up for `lacking` by one term alone; with `Sum::Max`, the cost of the first token. If
    /// the weight is negative, also the operation that removes tokens.
    fn term(
        &self,
        ops: &Ops,
        (place, weight): (u32, i64),
        lacking: u64,
        tokens: &[u64],
        sum: Sum,
    ) -> (u64, Option<u32>) {
        let times = lacking.div_ceil(weight.unsigned_abs());
        if weight > 0 {
            let times = if sum == Sum::Max { 1 } else { times };
            return (self.tokens_cost(place as usize, times, sum), None);
        }
        if tokens[place as usize] == 0 {
            return (FAR, None);
        }
        let ready = ops.takers.row(place as usize).iter().filter(|op| self.unmet[**op as usize] == 0);
        let Some(&op) = ready.min_by_key(|op| self.pre[**op as usize]) else { return (FAR, None) };
        let times = if sum == Sum::Max { 1 } else { times };
        (self.pre[op as usize].saturating_add(times).min(MOST), Some(op))
    }

    /// Computes the plan for a goal with finite distance. Returns its length.
    fn draw_up(&mut self, ops: &Ops, target: &Target, tokens: &[u64]) -> u64 {
        self.clear_account();
        self.ask(ops, target, tokens);
        let mut left = 4 * tokens.len() + 64;
        let mut length = 0u64;
        while let Some((_, place)) = self.account.queue.pop() {
            self.account.waiting[place as usize] = false;
            let p = place as usize;
            let account = &self.account;
            let supply = tokens[p].saturating_add(account.given[p]);
            let lacking = account.used[p].max(account.asked[p]).saturating_sub(supply);
            let giver = self.giver[p];
            let first = account.asked[p] > tokens[p] && self.unit[p] < FAR && account.times[giver as usize] == 0;
            if lacking == 0 && !first {
                continue;
            }
            if self.unit[p] >= FAR || left == 0 {
                // No operation gives these tokens, or the plan has reached its size limit. They count for the
                // distance, but are not planned for: the search finds out whether they are needed in time.
                length = length.saturating_add(lacking.saturating_mul(self.unit[p].min(1 << 10)));
                continue;
            }
            left -= 1;
            let gift = ops.gifts.row(giver as usize).iter().find(|g| g.place == place);
            let gain = gift.map_or(1, |g| g.moved.map_or(g.tokens, |from| tokens[from as usize].max(1)));
            self.plan_for(ops, giver, lacking.div_ceil(gain).max(1), tokens);
        }
        self.plan.clear();
        for &op in &self.account.ops {
            let times = self.account.times[op as usize];
            self.plan.push((op, times));
            length = length.saturating_add(times);
        }
        self.effort += self.account.touched.len() as u64;
        length.min(MOST)
    }

    fn clear_account(&mut self) {
        let account = &mut self.account;
        for p in account.touched.drain(..) {
            let p = p as usize;
            (account.used[p], account.given[p], account.asked[p], account.waiting[p]) = (0, 0, 0, false);
        }
        account.ops.drain(..).for_each(|op| account.times[op as usize] = 0);
        account.queue.clear();
    }

    /// Enters the requirements of the goal into the account. In a disjunction, only the cheapest part counts.
    fn ask(&mut self, ops: &Ops, target: &Target, tokens: &[u64]) {
        let mut wanted = vec![false; target.nodes.len()];
        wanted[target.root()] = true;
        for (i, part) in
            target.nodes.iter().enumerate().rev().filter(|(_, p)| !matches!(p, FormulaNode::All(a) if a.is_empty()))
        {
            if !wanted[i] {
                continue;
            }
            match part {
                FormulaNode::All(parts) => parts.iter().for_each(|p| wanted[*p as usize] = true),
                FormulaNode::Any(parts) => {
                    if let Some(best) = parts.iter().min_by_key(|p| self.costs[**p as usize]) {
                        wanted[*best as usize] = true;
                    }
                }
                FormulaNode::Sum(terms, least) => self.ask_sum(ops, terms, *least, tokens),
            }
        }
    }

    fn ask_sum(&mut self, ops: &Ops, terms: &[(u32, i64)], least: i64, tokens: &[u64]) {
        let lacking = lack(terms, least, tokens);
        if let ([(place, weight)], true) = (terms, lacking == 0) {
            if *weight > 0 {
                self.reserve(*place, u64::try_from(least).unwrap_or(0).div_ceil(weight.unsigned_abs()));
            }
            return;
        }
        if lacking == 0 {
            return;
        }
        let cost = |term: &&(u32, i64)| self.term(ops, **term, lacking, tokens, Sum::Add).0;
        let Some(&term) = terms.iter().min_by_key(cost) else { return };
        let (_, taker) = self.term(ops, term, lacking, tokens, Sum::Add);
        let times = lacking.div_ceil(term.1.unsigned_abs());
        match taker {
            Some(op) => {
                let need = ops.needs.row(op as usize).iter().find(|n| n.place == term.0);
                let each = need.map_or(1, |n| n.takes.max(1));
                self.plan_for(ops, op, times.min(tokens[term.0 as usize]).div_ceil(each).max(1), tokens);
            }
            None => self.reserve(term.0, tokens[term.0 as usize].saturating_add(times)),
        }
    }

    /// Enters that the goal requires `count` tokens on a place.
    fn reserve(&mut self, place: u32, count: u64) {
        let used = &mut self.account.used[place as usize];
        *used = count.max(*used);
        self.account.touched.push(place);
        self.look_at(place);
    }

    /// Adds an operation to the plan.
    fn plan_for(&mut self, ops: &Ops, op: u32, times: u64, tokens: &[u64]) {
        let before = &mut self.account.times[op as usize];
        if *before == 0 {
            self.account.ops.push(op);
        }
        *before = before.saturating_add(times);
        for gift in ops.gifts.row(op as usize) {
            let each = gift.moved.map_or(gift.tokens, |from| tokens[from as usize].max(1));
            let given = &mut self.account.given[gift.place as usize];
            *given = given.saturating_add(each.saturating_mul(times)).min(MOST);
            self.account.touched.push(gift.place);
        }
        for need in ops.needs.row(op as usize) {
            let p = need.place as usize;
            self.account.used[p] = self.account.used[p].saturating_add(need.takes.saturating_mul(times)).min(MOST);
            self.account.asked[p] = self.account.asked[p].max(need.least);
            self.account.touched.push(need.place);
            self.look_at(need.place);
        }
        self.effort += 4;
    }

    fn look_at(&mut self, place: u32) {
        if !std::mem::replace(&mut self.account.waiting[place as usize], true) {
            // Places with the highest rank come first, so that all demands for a token are entered before an
            // operation that gives it is planned.
            self.account.queue.push((self.rank[place as usize].min(u32::MAX - 1), place));
        }
    }
}

/// The number of tokens that `op` removes from `place`. The place must be in a precondition of `op`.
fn takes(ops: &Ops, op: u32, place: usize) -> u64 {
    let need = ops.needs.row(op as usize).iter().find(|n| n.place as usize == place);
    need.map_or(0, |n| n.takes)
}
