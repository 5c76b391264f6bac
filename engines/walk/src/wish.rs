//! Which places should have more tokens, and which fewer, for a goal to come nearer: hill climbing on a formula.
//!
//! From the root of the formula down, a disjunction picks the child that lacks least, a conjunction all of its
//! children. An inequality that fails wishes for more tokens on places with positive weight and fewer on those with
//! negative ones; one that just holds wishes half as much for what keeps it so. Wishes go backwards through the net
//! at half their strength: a transition that could fulfil one wishes for tokens in its guards. (As the distance
//! heuristics of explicit model checkers, e.g. Jensen, Larsen, Srba 2017; the wish is what they would gain.)

use crate::rng::Rng;
use analysis::Rows;
use analysis::rules::Rules;
use model::{Formula, Node};
use num_traits::{Signed, ToPrimitive};

/// Wish of an inequality that fails.
const BASE: i64 = 1 << 16;

/// The wishes of one goal, refreshed now and then during a walk.
pub(crate) struct Wish {
    /// By place: transitions that can give to it, and such that can take from it.
    givers: Rows<u32>,
    takers: Rows<u32>,
    /// By place: more tokens are good (positive) or bad.
    weights: Vec<i64>,
    /// Scratch: by node, what it lacks.
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

    /// Looks at the formula anew; returns about how much work that was. Without formula nothing is wished for.
    pub(crate) fn refresh(&mut self, net: &Rules, goal: Option<&Formula>, tokens: &[u64], rng: &mut Rng) -> u64 {
        self.weights.fill(0);
        self.queue.clear();
        let Some(goal) = goal else { return net.places() as u64 };
        self.measure(goal, tokens);
        self.wish_for(goal, rng);
        self.spread(net);
        (goal.nodes().len() + net.places() + 4 * self.queue.len()) as u64
    }

    /// How much firing `t` fulfils; transfers count by their constants only.
    pub(crate) fn gain(&self, net: &Rules, t: u32) -> i64 {
        let gain = |sum: i64, place: u32, add: i64| {
            sum.saturating_add(self.weights[place as usize].saturating_mul(add.clamp(-1000, 1000)))
        };
        net.changes.row(t as usize).iter().fold(0, |sum, c| gain(sum, c.place, c.add))
    }

    /// What each node lacks: an inequality its distance, a conjunction the sum, a disjunction the least of its
    /// children.
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

    /// Guards of what could fulfil a wish are wished for half as much.
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
