//! Wishes: the places where more or fewer tokens would bring a goal nearer, for hill climbing on a formula.
//!
//! Wishes are collected from the root of the formula downwards. A disjunction selects the child that lacks
//! least, a conjunction all children. A failing inequality wishes for more tokens on places with positive
//! weight and fewer on places with negative weight. An inequality that holds has the same wishes with half the
//! weight. Wishes are propagated backwards through the net with half their weight: if a transition could fulfil
//! a wish, tokens required by its guards become wishes. (Explicit model checkers use similar distance
//! heuristics, e.g. Jensen, Larsen, Srba 2017. A wish is the gain in such a heuristic.)

use crate::rules::Rules;
use model::{Formula, Node};
use num_traits::{Signed, ToPrimitive};
use search::Rows;
use search::rng::Rng;

/// Weight of a wish of a failing inequality.
const BASE: i64 = 1 << 16;

/// The wishes of one goal. They are refreshed at intervals during a walk.
pub(crate) struct Wish {
    /// For each place, the transitions that can give tokens to it; `takers` are those that can take tokens from
    /// it.
    givers: Rows<u32>,
    takers: Rows<u32>,
    /// For each place, a positive number if more tokens are wished for, a negative one if fewer are.
    weights: Vec<i64>,
    /// Buffer: for each node, how much it lacks.
    lacks: Vec<f64>,
    queue: Vec<u32>,
}

impl Wish {
    pub(crate) fn new(net: &Rules) -> Self {
        let transitions = 0..u32::try_from(net.transitions()).expect("transitions have 32-bit numbers");
        let (mut givers, mut takers) = (Vec::new(), Vec::new());
        for t in transitions {
            for change in net.changes.row(t as usize) {
                let rows = if change.add > 0 || change.sources.is_some() { &mut givers } else { &mut takers };
                rows.push((change.place, t));
            }
        }
        let places = net.places();
        Self {
            givers: Rows::sorted(places, givers),
            takers: Rows::sorted(places, takers),
            weights: vec![0; places],
            lacks: Vec::new(),
            queue: Vec::new(),
        }
    }

    /// Recomputes the wishes. Returns an estimate of the work. Without a formula there are no wishes.
    pub(crate) fn refresh(&mut self, net: &Rules, goal: Option<&Formula>, tokens: &[u64], rng: &mut Rng) -> u64 {
        self.weights.fill(0);
        self.queue.clear();
        let Some(goal) = goal else { return net.places() as u64 };
        self.measure(goal, tokens);
        self.wish_for(goal, rng);
        self.spread(net);
        (goal.nodes().len() + net.places() + 4 * self.queue.len()) as u64
    }

    /// The gain of firing `t`. Transfers count only by their constants.
    pub(crate) fn gain(&self, net: &Rules, t: u32) -> i64 {
        let gain = |sum: i64, place: u32, add: i64| {
            sum.saturating_add(self.weights[place as usize].saturating_mul(add.clamp(-1000, 1000)))
        };
        net.changes.row(t as usize).iter().fold(0, |sum, c| gain(sum, c.place, c.add))
    }

    /// Computes how much each node lacks: for an inequality the difference to the value required, for a
    /// conjunction the sum of its children, for a disjunction the minimum of its children.
    fn measure(&mut self, goal: &Formula, tokens: &[u64]) {
        self.lacks.clear();
        for node in goal.nodes() {
            let of = |parts: &[model::NodeId]| parts.iter().map(|p| self.lacks[p.index()]).collect::<Vec<f64>>();
            let lack = match node {
                Node::AtLeast(sum) => {
                    let term = |(p, c): &(model::PlaceId, num_bigint::BigInt)| {
                        c.to_f64().unwrap_or(f64::MAX) * tokens[p.index()] as f64
                    };
                    (sum.at_least.to_f64().unwrap_or(f64::MAX) - sum.terms.iter().map(term).sum::<f64>()).max(0.0)
                }
                Node::All(parts) => of(parts).iter().sum(),
                Node::Any(parts) => of(parts).into_iter().fold(f64::MAX, f64::min),
            };
            self.lacks.push(lack);
        }
    }

    fn wish_for(&mut self, goal: &Formula, rng: &mut Rng) {
        let mut wanted = vec![false; goal.nodes().len()];
        if let Some(root) = wanted.last_mut() {
            *root = true;
        }
        for (i, node) in goal.nodes().iter().enumerate().rev() {
            if !wanted[i] {
                continue;
            }
            match node {
                Node::All(parts) => parts.iter().for_each(|p| wanted[p.index()] = true),
                Node::Any(parts) if parts.is_empty() => {}
                Node::Any(parts) => {
                    let offset = rng.below(parts.len());
                    let turned = parts[offset..].iter().chain(&parts[..offset]);
                    if let Some(best) = turned.min_by(|a, b| self.lacks[a.index()].total_cmp(&self.lacks[b.index()])) {
                        wanted[best.index()] = true;
                    }
                }
                Node::AtLeast(sum) => {
                    let strength = if self.lacks[i] > 0.0 { BASE } else { BASE / 2 };
                    for (p, c) in &sum.terms {
                        if self.weights[p.index()] == 0 && strength == BASE {
                            self.queue.push(p.0);
                        }
                        self.weights[p.index()] += if c.is_positive() { strength } else { -strength };
                    }
                }
            }
        }
    }

    /// Wishes for tokens in the guards of transitions that could fulfil a wish, with half its weight.
    fn spread(&mut self, net: &Rules) {
        let mut next = 0;
        while let Some(&place) = self.queue.get(next) {
            next += 1;
            let weight = self.weights[place as usize];
            let helpers = if weight > 0 { self.givers.row(place as usize) } else { self.takers.row(place as usize) };
            let half = weight.abs() / 2;
            if half == 0 {
                continue;
            }
            for &t in helpers {
                for guard in net.guards.row(t as usize).iter().filter(|g| g.least > 0 && g.place != place) {
                    let seen = &mut self.weights[guard.place as usize];
                    if *seen == 0 {
                        *seen = half;
                        self.queue.push(guard.place);
                    }
                }
            }
        }
    }
}
