//! The order of levels: FORCE (Aloul, Markov, Sakallah, "FORCE: a fast and easy-to-implement variable-ordering
//! heuristic", GLSVLSI 2003).
//!
//! Each transition is an edge between the groups that it tests or changes. Groups are moved to the mean position of
//! their transitions until the spans of transitions together no longer become shorter. This depends on the start, so
//! there are several. Saturation does well if transitions begin at low levels, so of two opposite orders the one with
//! lower tops is tried first. But the other one is often better by orders of magnitude, and no known measure tells.

use model::Net;

/// Rounds of a start without progress.
const PATIENCE: usize = 20;

/// Rounds of a start, at most.
const ROUNDS: usize = 400;

/// Returns orders of the groups, the most promising ones first. The first group of an order becomes the lowest level.
pub(crate) fn orders(net: &Net, groups: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let graph = Graph::new(net, groups);
    let identity: Vec<usize> = (0..groups.len()).collect();
    let starts = [identity, graph.breadth_first(), graph.depth_first()];
    let mut found: Vec<(u64, Vec<usize>)> = starts.into_iter().map(|start| graph.force(start)).collect();
    found.sort_by_key(|(spans, _)| *spans);
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for (_, order) in found {
        let mut both = [order.clone(), order.into_iter().rev().collect()];
        both.sort_by_key(|order| graph.tops(order));
        orders.extend(both);
    }
    orders.dedup();
    orders
}

/// The groups that each transition touches.
struct Graph {
    groups: usize,
    transitions: Vec<Vec<usize>>,
}

impl Graph {
    fn new(net: &Net, groups: &[Vec<u32>]) -> Self {
        let mut home = vec![0; net.places().len()];
        for (g, group) in groups.iter().enumerate() {
            group.iter().for_each(|p| home[*p as usize] = g);
        }
        let touched = |t: &model::Transition| {
            let places = t.guards.iter().map(|g| g.place).chain(t.effects.iter().map(|e| e.place));
            let mut touched: Vec<usize> = places.map(|p| home[p.index()]).collect();
            touched.sort_unstable();
            touched.dedup();
            touched
        };
        let transitions = net.transitions().iter().map(touched).filter(|touched| touched.len() > 1).collect();
        Self { groups: groups.len(), transitions }
    }

    /// The sum of the spans of transitions.
    fn spans(&self, positions: &[usize]) -> u64 {
        let span = |touched: &Vec<usize>| {
            let at = touched.iter().map(|g| positions[*g]);
            (at.clone().max().unwrap_or(0) - at.min().unwrap_or(0)) as u64
        };
        self.transitions.iter().map(span).sum()
    }

    /// The sum of the highest positions of transitions.
    fn tops(&self, order: &[usize]) -> usize {
        let positions = positions(order);
        self.transitions.iter().filter_map(|touched| touched.iter().map(|g| positions[*g]).max()).sum()
    }

    /// Improves an order. Returns its spans, too.
    fn force(&self, start: Vec<usize>) -> (u64, Vec<usize>) {
        let mut order = start.clone();
        let mut at = positions(&order);
        let mut best = (self.spans(&at), start);
        let mut since = 0;
        for _ in 0..ROUNDS {
            let mut sums = vec![(0.0, 0usize); self.groups];
            for touched in &self.transitions {
                let centre = touched.iter().map(|g| at[*g] as f64).sum::<f64>() / touched.len() as f64;
                for g in touched {
                    sums[*g].0 += centre;
                    sums[*g].1 += 1;
                }
            }
            let wanted = |g: usize| if sums[g].1 == 0 { at[g] as f64 } else { sums[g].0 / sums[g].1 as f64 };
            let mut next: Vec<(f64, usize)> = order.iter().map(|g| (wanted(*g), *g)).collect();
            next.sort_by(|a, b| a.0.total_cmp(&b.0));
            order = next.into_iter().map(|(_, g)| g).collect();
            at = positions(&order);
            let spans = self.spans(&at);
            since += 1;
            if spans < best.0 {
                (best, since) = ((spans, order.clone()), 0);
            }
            if since > PATIENCE {
                break;
            }
        }
        best
    }

    /// For each group: its transitions.
    fn uses(&self) -> Vec<Vec<usize>> {
        let mut uses = vec![Vec::new(); self.groups];
        for (t, touched) in self.transitions.iter().enumerate() {
            touched.iter().for_each(|g| uses[*g].push(t));
        }
        uses
    }

    fn breadth_first(&self) -> Vec<usize> {
        let uses = self.uses();
        let mut is_seen = vec![false; self.groups];
        let mut order = Vec::new();
        for start in 0..self.groups {
            let mut at = order.len();
            if !std::mem::replace(&mut is_seen[start], true) {
                order.push(start);
            }
            while at < order.len() {
                for g in uses[order[at]].iter().flat_map(|t| &self.transitions[*t]) {
                    if !std::mem::replace(&mut is_seen[*g], true) {
                        order.push(*g);
                    }
                }
                at += 1;
            }
        }
        order
    }

    fn depth_first(&self) -> Vec<usize> {
        let uses = self.uses();
        let mut is_seen = vec![false; self.groups];
        let mut order = Vec::new();
        let mut stack: Vec<usize> = (0..self.groups).rev().collect();
        while let Some(g) = stack.pop() {
            if !std::mem::replace(&mut is_seen[g], true) {
                order.push(g);
                let near = uses[g].iter().flat_map(|t| &self.transitions[*t]).copied();
                stack.extend(near.filter(|g| !is_seen[*g]));
            }
        }
        order
    }
}

/// For each group: its position in the order.
fn positions(order: &[usize]) -> Vec<usize> {
    let mut positions = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, g)| positions[*g] = at);
    positions
}
