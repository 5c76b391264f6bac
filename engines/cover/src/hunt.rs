//! One search for one goal, forwards: best first with delayed evaluation (Helmert 2006; Richter and Westphal 2010).
//!
//! A marking is built when it is taken from a queue, and its successors get its own distance as their key. Two queues
//! take turns: all successors, and those that relaxed plans prefer, with credit for progress. Now and then an entry
//! is drawn at random, which gets a search off plateaus (Xie et al. 2014). The other order, A*, takes the least sum
//! of the way so far and a lower bound, so that the first run that it finds is a shortest one.

use crate::moves::{self, Word};
use crate::open::{Entry, Open};
use crate::ops::Ops;
use crate::relax::Relax;
use crate::store::{NOBODY, Node, NodeId, Step, Store, mix};
use crate::target::Target;
use analysis::rules::Rules;

/// What a hunt needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Net<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) ops: &'a Ops,
    pub(crate) target: &'a Target,
}

/// In which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    /// A*, and nothing that is said below.
    pub(crate) shortest: bool,
    /// Of equals the last one first.
    pub(crate) last: bool,
    /// What the goal wants to keep is not free to be taken.
    pub(crate) keeping: bool,
    /// One entry of so many is drawn at random.
    pub(crate) random: u64,
    /// Random numbers.
    pub(crate) seed: u64,
}

/// How a step of the search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    More,
    Found(NodeId),
    /// Nothing is left to look at.
    Over,
}

/// Bytes that one search may take.
const MOST_BYTES: usize = 160 << 20;
/// Pops that a queue is ahead after progress.
const BOOST: i64 = 1000;
/// Longest way back that is looked at for words to be done again.
const LOOK_BACK: u32 = 6;

/// A step that leads nowhere: an entry with it waits to be expanded.
const STAY: Step = Step::Fire(u32::MAX, 0);

pub(crate) struct Hunt {
    order: Order,
    store: Store,
    all: Open,
    preferred: Open,
    /// Credits of the two queues: who has less is next.
    turns: [i64; 2],
    best: u64,
    pops: u64,
    tokens: Vec<u64>,
    values: Vec<bool>,
    /// By transition: in the plan, and how often.
    planned: Vec<u64>,
}

impl Hunt {
    /// Starts in `tokens`; `opening`: the initial marking may still be opened.
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
        let root = hunt.store.add(tokens, NOBODY, STAY, opening, 0);
        hunt.all.push(0, Entry { from: root, step: STAY });
        hunt
    }

    /// Markings looked at.
    pub(crate) fn len(&self) -> usize {
        self.store.len()
    }

    /// Has it become too large to go on?
    pub(crate) fn is_full(&self) -> bool {
        self.bytes() > MOST_BYTES
    }

    /// About how many bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + (self.all.len() + self.preferred.len()) * size_of::<Entry>()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Looks at one entry.
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
        let opening = matches!(entry.step, Step::Fire(t, _) if t as usize >= net.rules.transitions());
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

    /// Expands a node that is in the store: the first one, and those of A*.
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
            self.all.push(key, Entry { from: id, step: Step::Fire(t, 1) });
        }
        if node.opening {
            for i in 0..net.rules.open.len() {
                self.all.push(key, Entry { from: id, step: Step::Fire((net.rules.transitions() + i) as u32, 1) });
            }
        }
        Progress::More
    }

    /// A new marking is in `tokens`.
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

    /// Queues the successors of a node whose marking is in `tokens`, after `relax` has looked at it.
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
            let entry = Entry { from: id, step: Step::Fire(does, 1) };
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

    /// Moves that do at once what the plan has several times.
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

    /// What the plan does several times can be done at once.
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
            self.preferred.push(distance, Entry { from: id, step: Step::Fire(does, times) });
        }
    }

    /// What has just been done can be done again, if the plan has it several times.
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
                self.preferred.push(distance, Entry { from: id, step: Step::Again(nodes, times) });
            }
        }
    }
}

/// Firings that a step after `from` is.
fn firings(store: &Store, from: NodeId, step: Step) -> u64 {
    match step {
        Step::Fire(_, times) => times.into(),
        Step::Again(nodes, times) => {
            let mut at = store.node(from);
            let end = at.depth;
            for _ in 0..nodes {
                if at.parent == NOBODY {
                    break;
                }
                at = store.node(at.parent);
            }
            (end - at.depth).saturating_mul(times.into())
        }
    }
}
