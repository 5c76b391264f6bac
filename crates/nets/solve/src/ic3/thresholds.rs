//! A net as a circuit. Its bits are order literals `[place >= k]`, made when the search first needs them.
//! (Ohrimenko, Stuckey, Codish 2009 make integer variables in this way; Zhang et al. 2017 use the same bits,
//! all of them, for bounded nets.)
//!
//! Counts are unbounded: the cost of a query depends on the thresholds that it needs. In each frame, the inputs
//! are the number of a transition. If this transition is not enabled, or no transition has this number, the
//! marking does not change. With `before(p, n)` for the bit `[p >= n]` before a step:
//!
//! * A plain arc of weight d moves thresholds. For d > 0, firing makes `[p >= k]` true if `before(p, k - d)`.
//!   For d < 0, firing makes it false unless `before(p, k - d)`. There is one term for each distinct d, and one
//!   gate for each transition.
//! * An assignment makes the bit true or false outright.
//! * A sum of several places is a unary adder: about `k^2 / 2` gates for each further source ([`super::sums`]).
//!
//! Bits that are made neither true nor false keep their values. Guards are gates in the signal of firing rather
//! than clauses. A justification of a predecessor therefore contains the bits that the guards require.

use super::sums::{self, Bits, Term};
use crate::invariants::Invariants;
use crate::rules::{Change, Condition, Rules};
use circuits::ic3::Source;
use model::{Circuit, CircuitBuilder, LatchId, Reset, Signal};
use search::Rows;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The net as a circuit over thresholds.
pub(super) struct Thresholds {
    rules: Arc<Rules>,
    /// For each place, the transitions that can change its tokens. Transitions known never to fire are left
    /// out.
    changing: Rows<u32>,
    /// For each place, an upper limit of its tokens in reachable markings.
    ends: Vec<u64>,
    /// For each place, its least and greatest initial count.
    start: Vec<(u64, u64)>,
    /// Source of the concurrency relation, if pairs of places become clauses.
    pairs: Option<Arc<Invariants>>,
    /// For each place, its group of places of which at most one is marked.
    groups: Vec<u32>,
    builder: CircuitBuilder,
    clauses: Vec<Vec<Signal>>,
    /// For each place, the latch of each existing threshold.
    bits: Vec<BTreeMap<u64, LatchId>>,
    /// For each latch, its place and threshold.
    meaning: Vec<(u32, u64)>,
    /// The inputs: the number of the chosen transition in binary.
    code: Vec<Signal>,
    /// For each transition used so far, the signal that is true if it fires.
    firing: HashMap<u32, Signal>,
    /// True if some signal would have needed too many gates. The circuit is then invalid.
    too_large: bool,
}

/// Invariants of the net that are computed before the search.
#[derive(Clone)]
pub(super) struct NetInvariants {
    /// Transitions that can fire.
    pub(super) firing: Vec<u32>,
    /// For each place, an upper limit of its tokens in reachable markings; `u64::MAX` if unlimited.
    pub(super) ends: Vec<u64>,
    /// The source of the concurrency relation, if it has been computed and is used.
    pub(super) pairs: Option<Arc<Invariants>>,
    /// For each place, its group; no two places of a group are marked together. `u32::MAX` if the place is in
    /// no group.
    pub(super) groups: Vec<u32>,
}

impl NetInvariants {
    /// No invariants.
    pub(super) fn nothing(rules: &Rules) -> Self {
        let firing = (0u32..).take(rules.transitions()).collect();
        Self { firing, ends: vec![u64::MAX; rules.places()], pairs: None, groups: vec![u32::MAX; rules.places()] }
    }
}

impl NetInvariants {
    /// Extends the invariants to a net with additional places and transitions at the end.
    pub(super) fn with_more(&self, places: usize, transitions: usize, before: usize) -> Self {
        let mut more = self.clone();
        more.ends.resize(places, u64::MAX);
        more.groups.resize(places, u32::MAX);
        more.firing.extend((before..transitions).map(|t| u32::try_from(t).expect("fewer than 2^32 transitions")));
        more
    }
}

impl Thresholds {
    /// Makes the circuit without latches, in time linear in the net.
    pub(super) fn new(rules: Arc<Rules>, known: NetInvariants) -> Self {
        let changes = |t: &u32| rules.changes.row(*t as usize).iter().map(|c| (c.place, *t)).collect::<Vec<_>>();
        let changing = Rows::sorted(rules.places(), known.firing.iter().flat_map(changes).collect());
        let start = rules.initial.iter().zip(&rules.initial_most).map(|(least, most)| (*least, *most)).collect();
        let mut builder = CircuitBuilder::default();
        let digits = usize::BITS - rules.transitions().saturating_sub(1).leading_zeros();
        let code: Vec<Signal> = (0..digits).map(|_| builder.circuit_mut().input(None)).collect();
        Self {
            changing,
            ends: known.ends,
            start,
            pairs: known.pairs,
            groups: known.groups,
            builder,
            clauses: Vec::new(),
            bits: vec![BTreeMap::new(); rules.places()],
            meaning: Vec::new(),
            code,
            firing: HashMap::new(),
            too_large: false,
            rules,
        }
    }

    /// The place and the threshold of a latch, which stands for `[place >= threshold]`.
    pub(super) fn meaning(&self, latch: LatchId) -> (u32, u64) {
        self.meaning[latch.index()]
    }

    /// True if some signal would have needed too many gates. The circuit is then invalid.
    pub(super) fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// Changes the initial count of a place.
    pub(super) fn set_start(&mut self, place: u32, least: u64, most: u64) {
        debug_assert!(least <= most);
        self.start[place as usize] = (least, most);
        for (&n, &latch) in &self.bits[place as usize] {
            self.builder.circuit_mut().set_reset(latch, reset((least, most), n));
        }
    }

    fn signal(&self, latch: LatchId) -> Signal {
        self.builder.circuit().latches()[latch.index()].signal
    }

    /// Adds clauses for the places that are never marked together with this one.
    fn pair_up(&mut self, place: u32, signal: Signal) {
        let invariants = self.pairs.clone();
        let pairs = invariants.as_ref().and_then(|invariants| invariants.known_pairs());
        let group = self.groups[place as usize];
        if pairs.is_none() && group == u32::MAX {
            return;
        }
        let p = place as usize;
        for q in (0..self.bits.len()).filter(|&q| q != p) {
            // The relation does not contain the places of the net with a budget.
            let spoken = |pairs: &&model::ConcurrencyRelation| p.max(q) < pairs.places().len();
            let apart = pairs.filter(spoken).is_some_and(|pairs| !pairs.allows(p, q));
            if (apart || group < u32::MAX && group == self.groups[q])
                && let Some(latch) = self.bits[q].get(&1)
            {
                self.clauses.push(vec![!signal, !self.signal(*latch)]);
            }
        }
    }

    /// Returns the signal that is true if the transition fires.
    fn fires(&mut self, t: u32) -> Signal {
        if let Some(known) = self.firing.get(&t) {
            return *known;
        }
        let mut choice = Signal::TRUE;
        for (digit, &bit) in self.code.iter().enumerate().rev() {
            // Starting with the highest digit, so that transitions share gates for common prefixes of their
            // numbers.
            choice = self.builder.and(choice, bit.negated_if(t >> digit & 1 == 0));
        }
        let rules = Arc::clone(&self.rules);
        let mut parts = vec![choice];
        for &Condition { place, least, most } in rules.guards.row(t as usize) {
            parts.push(self.at_least(place, least));
            if most < u64::MAX {
                parts.push(!self.at_least(place, most + 1));
            }
        }
        let fires = self.builder.all(&parts);
        self.firing.insert(t, fires);
        fires
    }

    /// The signal `[place >= n]` after a step.
    fn after(&mut self, place: u32, n: u64) -> Signal {
        let rules = Arc::clone(&self.rules);
        // Transitions that make the bit true (false), grouped by the condition on the marking before.
        let (mut gains, mut losses): (Groups, Groups) = (BTreeMap::new(), BTreeMap::new());
        debug_assert!(n > 0, "no step takes the last of nothing");
        for i in 0..self.changing.row(place as usize).len() {
            let t = self.changing.row(place as usize)[i];
            let changes = rules.changes.row(t as usize);
            let change = change_of(changes, place).expect("it changes the place");
            let guard = guard_of(&rules, t, place);
            match change.sources.map(|(from, to)| &rules.sources[from as usize..to as usize]) {
                None => {
                    let before = shifted(n, change.add);
                    if change.add > 0 {
                        let most = guard.map_or(u64::MAX, |g| g.most).min(self.ends[place as usize]);
                        if most >= before {
                            let there = self.at_least(place, before);
                            let fires = self.fires(t);
                            gains.entry(there).or_default().push(fires);
                        }
                    } else if guard.map_or(0, |g| g.least) < before {
                        let there = self.at_least(place, before);
                        let fires = self.fires(t);
                        losses.entry(!there).or_default().push(fires);
                    }
                }
                Some(sources) => {
                    let there = self.sum(sources, shifted(n, change.add));
                    let fires = self.fires(t);
                    gains.entry(there).or_default().push(fires);
                    losses.entry(!there).or_default().push(fires);
                }
            }
        }
        let (gained, lost) = (self.some(gains), self.some(losses));
        let now = self.at_least(place, n);
        let kept = self.builder.and(now, !lost);
        self.builder.or(kept, gained)
    }

    /// Returns the signal that is true if the condition of some group holds while one of its transitions
    /// fires.
    fn some(&mut self, groups: Groups) -> Signal {
        let mut ways = Vec::with_capacity(groups.len());
        for (condition, fires) in groups {
            let some = self.builder.any(&fires);
            ways.push(self.builder.and(condition, some));
        }
        self.builder.any(&ways)
    }

    /// Returns the signal that is true if the places hold at least `n` tokens in total. Places ascend; a
    /// repeated place counts repeatedly.
    fn sum(&mut self, sources: &[u32], n: u64) -> Signal {
        let term = |group: &[u32]| Term { place: group[0], weight: group.len() as u64, complement: None };
        let terms: Vec<Term> = sources.chunk_by(|a, b| a == b).map(term).collect();
        sums::at_least(self, &terms, n)
    }

    /// The transition that the inputs choose.
    pub(super) fn chosen(&self, inputs: &[bool]) -> Option<u32> {
        let digits = inputs.iter().take(self.code.len()).enumerate();
        let t = digits.fold(0, |t, (digit, &is_one)| t | u32::from(is_one) << digit);
        // No defined next function depends on a transition without a signal, so such a transition can be left
        // out of the run.
        self.firing.contains_key(&t).then_some(t)
    }

    /// The least and the greatest count of a place according to its bits.
    pub(super) fn count(&self, place: u32, holds: impl Fn(LatchId) -> bool) -> (u64, u64) {
        let (mut least, mut most) = (0, self.ends[place as usize]);
        for (&n, &latch) in &self.bits[place as usize] {
            if holds(latch) {
                least = n;
            } else {
                most = most.min(n - 1);
            }
        }
        (least, most)
    }
}

type Groups = BTreeMap<Signal, Vec<Signal>>;

/// The number of tokens before a step that adds `add`, such that `n` tokens result.
fn shifted(n: u64, add: i64) -> u64 {
    if add >= 0 { n.saturating_sub(add.unsigned_abs()) } else { n.saturating_add(add.unsigned_abs()) }
}

fn reset((least, most): (u64, u64), n: u64) -> Reset {
    if n <= least {
        Reset::One
    } else if n > most {
        Reset::Zero
    } else {
        Reset::Open
    }
}

/// Returns the change of a place. Changes ascend by place.
fn change_of(changes: &[Change], place: u32) -> Option<Change> {
    changes.binary_search_by_key(&place, |c| c.place).ok().map(|i| changes[i])
}

fn guard_of(rules: &Rules, t: u32, place: u32) -> Option<Condition> {
    let guards = rules.guards.row(t as usize);
    guards.binary_search_by_key(&place, |g| g.place).ok().map(|i| guards[i])
}

impl Bits for Thresholds {
    fn builder(&mut self) -> &mut CircuitBuilder {
        &mut self.builder
    }

    fn end(&self, place: u32) -> u64 {
        self.ends[place as usize]
    }

    fn give_up(&mut self) {
        self.too_large = true;
    }

    fn at_least(&mut self, place: u32, n: u64) -> Signal {
        if n == 0 {
            return Signal::TRUE;
        }
        if n > self.ends[place as usize] {
            return Signal::FALSE;
        }
        if let Some(latch) = self.bits[place as usize].get(&n) {
            return self.builder.circuit().latches()[latch.index()].signal;
        }
        if n > 1 && (self.pairs.is_some() || self.groups[place as usize] < u32::MAX) {
            self.at_least(place, 1);
        }
        debug_assert!((1..=self.ends[place as usize]).contains(&n));
        let latch = self.builder.circuit_mut().latch(reset(self.start[place as usize], n), None);
        debug_assert_eq!(latch.index(), self.meaning.len(), "every latch is a threshold");
        self.meaning.push((place, n));
        let bits = &self.bits[place as usize];
        let (below, above) = (bits.range(..n).next_back().map(|b| *b.1), bits.range(n..).next().map(|b| *b.1));
        self.bits[place as usize].insert(n, latch);
        let signal = self.signal(latch);
        if let Some(below) = below {
            self.clauses.push(vec![!signal, self.signal(below)]);
        }
        if let Some(above) = above {
            self.clauses.push(vec![!self.signal(above), signal]);
        }
        if n == 1 {
            self.pair_up(place, signal);
        }
        signal
    }
}

impl Source for Thresholds {
    fn circuit(&self) -> &Circuit {
        self.builder.circuit()
    }

    fn define(&mut self, latch: LatchId) {
        if self.builder.circuit().latches()[latch.index()].next.is_none() {
            let (place, n) = self.meaning(latch);
            let next = self.after(place, n);
            self.builder.circuit_mut().set_next(latch, next);
        }
    }

    fn clauses(&self) -> &[Vec<Signal>] {
        &self.clauses
    }
}
