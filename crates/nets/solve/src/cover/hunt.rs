//! One forward search for one goal: best first with delayed evaluation (Helmert 2006; Richter and Westphal
//! 2010).
//!
//! A marking is computed when it is taken from a queue. Its successors are queued with the distance of this
//! marking as their key. Two queues alternate. One contains all successors, the other those that relaxed plans
//! prefer. The second queue gets a credit for progress. Some entries are drawn at random, which helps the
//! search to leave plateaus (Xie et al. 2014). The alternative order is A*. It takes the entry with the least
//! sum of the firings so far and a lower bound for the rest, so the first run that it finds is a shortest one.

use crate::cover::moves::{self, Word};
use crate::cover::open::{Entry, Open};
use crate::cover::ops::Ops;
use crate::cover::relax::Relax;
use crate::cover::store::{Move, NO_PARENT, Node, NodeId, Store, mix};
use crate::cover::target::Target;
use crate::rules::Rules;

/// The data that a search needs.
#[derive(Clone, Copy)]
pub(crate) struct Net<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) ops: &'a Ops,
    pub(crate) target: &'a Target,
}

/// The order of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    /// True for A*. The other fields are then ignored.
    pub(crate) shortest: bool,
    /// True if among entries with equal keys the last comes first.
    pub(crate) last: bool,
    /// True if taking tokens that the goal requires has a cost.
    pub(crate) keeping: bool,
    /// One in `random` entries is drawn at random. 0 if no entry is.
    pub(crate) random: u64,
    /// Seed of the random numbers.
    pub(crate) seed: u64,
}

/// The result of a step of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    More,
    Found(NodeId),
    /// No entries are left.
    Over,
}

/// Maximal memory of one search in bytes.
const MOST_BYTES: usize = 160 << 20;
/// Credit of the preferred queue for progress, in entries.
const BOOST: i64 = 1000;
/// Maximal number of nodes of a repeated word.
const LOOK_BACK: u32 = 6;

/// The empty step. The entry refers to a node of the store that is to be expanded.
const STAY: Move = Move::Fire(u32::MAX, 0);

pub(crate) struct CoverSearch {
    order: Order,
    store: Store,
    all: Open,
    preferred: Open,
    /// Entries taken from each of the two queues, minus credits. The queue with fewer is next.
    turns: [i64; 2],
    best: u64,
    pops: u64,
    tokens: Vec<u64>,
    values: Vec<bool>,
    /// For each transition and open place, how often the current plan contains it.
    planned: Vec<u64>,
}

impl CoverSearch {
    /// Starts a search in marking `tokens`. `opening` is true if tokens may still be added to open places.
    pub(crate) fn new(net: Net<'_>, order: Order, tokens: &[u64], opening: bool) -> Self {
        let mut hunt = Self {
            order,
            store: Store::default(),
            all: Open::default(),
            preferred: Open::default(),
            turns: [0, 0],
            best: u64::MAX,
            pops: 0,
            tokens: tokens.to_vec(),
            values: Vec::new(),
            planned: vec![0; net.rules.transitions() + net.rules.open.len()],
        };
        hunt.store.is_news(tokens, opening, 0, false);
        let root = hunt.store.add(tokens, NO_PARENT, STAY, opening, 0);
        hunt.all.push(0, Entry { from: root, step: STAY });
        hunt
    }

    /// Number of markings in the store.
    pub(crate) fn len(&self) -> usize {
        self.store.len()
    }

    /// True if the search has reached its memory limit.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes() > MOST_BYTES
    }

    /// Estimated memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + (self.all.len() + self.preferred.len()) * size_of::<Entry>()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Processes one entry.
    pub(crate) fn step(&mut self, net: Net<'_>, relax: &mut Relax) -> Progress {
        let Some((key, entry)) = self.pop() else { return Progress::Over };
        let from = self.store.node(entry.from);
        self.store.read(entry.from, &mut self.tokens);
        if entry.step == STAY {
            return self.look(net, relax, entry.from, from, key);
        }
        if !moves::take(net.rules, &self.store, entry.from, entry.step, &mut self.tokens) {
            return Progress::More;
        }
        let opening = matches!(entry.step, Move::Fire(t, _) if t as usize >= net.rules.transitions());
        let depth = from.depth + firings(&self.store, entry.from, entry.step);
        if !self.store.is_news(&self.tokens, opening, depth, self.order.shortest) {
            return Progress::More;
        }
        if !self.order.shortest {
            let node = Node { opening, depth, ..from };
            return self.evaluate(net, relax, entry, node);
        }
        let Some(bound) = relax.bound(net.ops, net.target, &self.tokens, opening) else { return Progress::More };
        let id = self.store.add(&self.tokens, entry.from, entry.step, opening, depth);
        self.all.push(key.max(depth.saturating_add(bound)), Entry { from: id, step: STAY });
        Progress::More
    }

    fn pop(&mut self) -> Option<(u64, Entry)> {
        self.pops += 1;
        if self.order.shortest {
            return self.all.pop(true);
        }
        if self.order.random > 0 && self.pops.is_multiple_of(self.order.random) {
            let mut state = self.order.seed ^ self.pops << 16;
            let choose = |n: usize| {
                state = mix(state);
                (state % n as u64) as usize
            };
            return self.all.pop_any(choose);
        }
        let second = self.all.len() == 0 || (self.preferred.len() > 0 && self.turns[1] <= self.turns[0]);
        self.turns[usize::from(second)] += 1;
        if second { self.preferred.pop(self.order.last) } else { self.all.pop(self.order.last) }
    }

    /// Expands a node of the store: the first node, or any node of A*.
    fn look(&mut self, net: Net<'_>, relax: &mut Relax, id: NodeId, node: Node, key: u64) -> Progress {
        if net.target.holds(&self.tokens, &mut self.values) {
            return Progress::Found(id);
        }
        if !self.order.shortest {
            return match relax.distance(net.ops, net.target, &self.tokens, node.opening) {
                Some(distance) => {
                    self.best = distance;
                    self.expand(net, relax, id, node.opening, distance)
                }
                None => Progress::Over,
            };
        }
        for t in (0u32..).take(net.rules.transitions()).filter(|t| net.rules.is_enabled(*t, &self.tokens)) {
            self.all.push(key, Entry { from: id, step: Move::Fire(t, 1) });
        }
        if node.opening {
            for i in 0..net.rules.open.len() {
                self.all.push(key, Entry { from: id, step: Move::Fire((net.rules.transitions() + i) as u32, 1) });
            }
        }
        Progress::More
    }

    /// Evaluates and expands the new marking in `tokens`.
    fn evaluate(&mut self, net: Net<'_>, relax: &mut Relax, entry: Entry, node: Node) -> Progress {
        if net.target.holds(&self.tokens, &mut self.values) {
            let id = self.store.add(&self.tokens, entry.from, entry.step, node.opening, node.depth);
            return Progress::Found(id);
        }
        let Some(distance) = relax.distance(net.ops, net.target, &self.tokens, node.opening) else {
            return Progress::More;
        };
        if distance < self.best {
            self.best = distance;
            self.turns[1] -= BOOST;
        }
        let id = self.store.add(&self.tokens, entry.from, entry.step, node.opening, node.depth);
        self.expand(net, relax, id, node.opening, distance)
    }

    /// Queues the successors of a node. Its marking is in `tokens`, and `relax` has computed its plan.
    fn expand(&mut self, net: Net<'_>, relax: &Relax, id: NodeId, opening: bool, distance: u64) -> Progress {
        let transitions = net.rules.transitions();
        let mut often = 0;
        for &(op, times) in &relax.plan {
            let does = net.ops.does[op as usize];
            let planned = &mut self.planned[does as usize];
            *planned = planned.saturating_add(times);
            often = often.max(*planned);
        }
        if !self.order.last {
            self.leaps(net, relax, id, often, distance);
        }
        let enabled = |t: &u32| net.rules.is_enabled(*t, &self.tokens);
        let transitions = (0u32..).take(transitions).filter(enabled);
        let opens = if opening { net.rules.open.len() } else { 0 };
        let opens = (net.rules.transitions() as u32..).take(opens);
        for does in transitions.chain(opens) {
            let entry = Entry { from: id, step: Move::Fire(does, 1) };
            self.all.push(distance, entry);
            if self.planned[does as usize] > 0 {
                self.preferred.push(distance, entry);
            }
        }
        if self.order.last {
            self.leaps(net, relax, id, often, distance);
        }
        relax.plan.iter().for_each(|(op, _)| self.planned[net.ops.does[*op as usize] as usize] = 0);
        Progress::More
    }

    /// Queues moves that combine repeated operations of the plan.
    fn leaps(&mut self, net: Net<'_>, relax: &Relax, id: NodeId, often: u64, distance: u64) {
        self.words(net, id, often, distance);
        for &(op, _) in &relax.plan {
            let does = net.ops.does[op as usize];
            let times = self.planned[does as usize];
            if times > 1 {
                self.many(net, id, does, times, distance);
            }
        }
    }

    /// Queues a move that repeats a transition, or the addition of a token, as often as the plan does.
    fn many(&mut self, net: Net<'_>, id: NodeId, does: u32, times: u64, distance: u64) {
        let most = match net.rules.open.get((does as usize).wrapping_sub(net.rules.transitions())) {
            Some((place, most)) => {
                let there = self.tokens[*place as usize] - net.rules.initial[*place as usize];
                u64::from(*most).saturating_sub(there)
            }
            None => Word::new(net.rules, &[does]).map_or(0, |word| word.rounds(&self.tokens, times)),
        };
        let times = u32::try_from(most.min(times)).unwrap_or(u32::MAX);
        if times > 1 {
            self.preferred.push(distance, Entry { from: id, step: Move::Fire(does, times) });
        }
    }

    /// Queues moves that repeat the most recent steps, if the plan contains all of them several times.
    fn words(&mut self, net: Net<'_>, id: NodeId, often: u64, distance: u64) {
        if often < 4 {
            return;
        }
        for nodes in 2..=LOOK_BACK {
            let Some(word) = moves::word(net.rules, &self.store, id, nodes) else { return };
            let count = |t: &u32| word.iter().filter(|u| *u == t).count() as u64;
            if word.len() > 64 {
                return;
            }
            let times = word.iter().map(|t| self.planned[*t as usize] / count(t)).min().unwrap_or(0);
            if times < 2 {
                continue;
            }
            let Some(compiled) = Word::new(net.rules, &word) else { return };
            let times = u32::try_from(compiled.rounds(&self.tokens, times)).unwrap_or(u32::MAX);
            if times > 1 {
                self.preferred.push(distance, Entry { from: id, step: Move::Again(nodes, times) });
            }
        }
    }
}

/// The number of firings of a step after `from`.
fn firings(store: &Store, from: NodeId, step: Move) -> u64 {
    match step {
        Move::Fire(_, times) => times.into(),
        Move::Again(nodes, times) => {
            let mut at = store.node(from);
            let end = at.depth;
            for _ in 0..nodes {
                if at.parent == NO_PARENT {
                    break;
                }
                at = store.node(at.parent);
            }
            (end - at.depth).saturating_mul(times.into())
        }
    }
}
