//! Nets and thread systems one marking at a time, in exact numbers, straight from their definitions: for showing traces and
//! for simulating. Searches have compiled steppers (`store`), the checker has its own (`certify`): this one proves nothing.
//!
//! A marking has the tokens of every place; a thread system is seen as a net with a place per shared state, then one per local
//! state.

use super::text::{names, number};
use impasse::model::{
    Act, Effect, Formula, LocalId, Net, Node, PlaceId, Range, SystemModel, ThreadSystem, ThreadTransition, TransitionId,
};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// Tokens by place.
pub(crate) type Marking = Vec<BigUint>;

/// New contents of the places that change, ascending.
pub(crate) type Changes = Vec<(PlaceId, BigUint)>;

/// How the other threads in a local state (so many of them) spread over the targets they may choose: a count for each.
pub(crate) type Spread<'a> = &'a mut dyn FnMut(LocalId, &BigUint, &[LocalId]) -> Vec<BigUint>;

/// Passive moves shown of a broadcast.
const PASSIVE: usize = 4;

/// Steps through a net or a thread system.
#[derive(Clone, Copy)]
pub(crate) enum Stepper<'p> {
    Net(&'p Net),
    Threads(&'p ThreadSystem),
}

impl<'p> Stepper<'p> {
    /// For `system`, if it has markings.
    pub(crate) fn new(system: &'p SystemModel) -> Option<Self> {
        match system {
            SystemModel::Rwb(_) | SystemModel::Circuit(_) | SystemModel::Reactive(_) => None,
            SystemModel::Net(net) => Some(Self::Net(net)),
            SystemModel::Threads(threads) => Some(Self::Threads(threads)),
        }
    }

    pub(crate) fn transitions(self) -> impl Iterator<Item = TransitionId> {
        let count = match self {
            Self::Net(net) => net.transitions().len(),
            Self::Threads(threads) => threads.transitions().len(),
        };
        (0..count).map(TransitionId::new)
    }

    pub(crate) fn place_name(self, place: PlaceId) -> String {
        match self {
            Self::Net(net) => net.shown_place(place).to_owned(),
            Self::Threads(threads) if place.0 < threads.shared() => format!("shared {}", place.0),
            Self::Threads(threads) => format!("local {}", place.0 - threads.shared()),
        }
    }

    /// A net's transitions have names; those of thread systems are shown as they are written.
    pub(crate) fn transition_name(self, transition: TransitionId) -> String {
        match self {
            Self::Net(net) => net.shown_transition(transition).to_owned(),
            Self::Threads(threads) => written(&threads.transitions()[transition.index()]),
        }
    }

    /// Places whose initial content is left open, with the counts they may have.
    pub(crate) fn open_places(self) -> Vec<(PlaceId, Range)> {
        match self {
            Self::Net(net) => net.open_places().into_iter().map(|p| (p, net.place(p).initial.clone())).collect(),
            Self::Threads(threads) => {
                let initial = threads.initial();
                let least = |l: &LocalId| initial.threads.get(l).cloned().unwrap_or_default();
                initial.any.iter().map(|l| (threads.local_place(*l), Range::from(least(l)))).collect()
            }
        }
    }

    /// The initial marking with so many tokens beyond the least on open places.
    pub(crate) fn start(self, extra: &[u32]) -> Marking {
        let mut at = match self {
            Self::Net(net) => net.places().iter().map(|p| p.initial.at_least.clone()).collect(),
            Self::Threads(threads) => {
                let mut at = vec![BigUint::ZERO; threads.places()];
                at[threads.shared_place(threads.initial().shared).index()] += 1u32;
                for (local, count) in &threads.initial().threads {
                    at[threads.local_place(*local).index()] += count;
                }
                at
            }
        };
        for ((place, _), extra) in self.open_places().iter().zip(extra) {
            at[place.index()] += *extra;
        }
        at
    }

    /// What keeps `transition` from firing; `None` if it can.
    pub(crate) fn obstacle(self, at: &Marking, transition: TransitionId) -> Option<String> {
        let lacking = |place: PlaceId, range: &Range| {
            let wanted = match &range.at_most {
                Some(most) if !range.contains(&at[place.index()]) && at[place.index()] > *most => {
                    format!("<= {}", number(most))
                }
                _ => format!(">= {}", number(&range.at_least)),
            };
            format!("{} is {}, not {wanted}", self.place_name(place), number(&at[place.index()]))
        };
        match self {
            Self::Net(net) => {
                let guards = &net.transition(transition).guards;
                let broken = guards.iter().find(|g| !g.range.contains(&at[g.place.index()]));
                broken.map(|g| lacking(g.place, &g.range))
            }
            Self::Threads(threads) => {
                let (s, l) = threads.transitions()[transition.index()].from;
                let asked = [threads.shared_place(s), threads.local_place(l)];
                let missing = asked.into_iter().find(|p| at[p.index()] == BigUint::ZERO);
                missing.map(|p| lacking(p, &Range::from(1u32)))
            }
        }
    }

    pub(crate) fn is_enabled(self, at: &Marking, transition: TransitionId) -> bool {
        match self {
            Self::Net(net) => net.transition(transition).guards.iter().all(|g| g.range.contains(&at[g.place.index()])),
            Self::Threads(_) => self.obstacle(at, transition).is_none(),
        }
    }

    /// What firing an enabled transition changes.
    pub(crate) fn fire(self, at: &Marking, transition: TransitionId, spread: Spread<'_>) -> Changes {
        let new = match self {
            Self::Net(net) => {
                let effects = &net.transition(transition).effects;
                effects.iter().map(|e| (e.place, after(at, e))).collect()
            }
            Self::Threads(threads) => step(threads, at, &threads.transitions()[transition.index()], spread),
        };
        let mut new: Changes = new;
        new.retain(|(place, count)| at[place.index()] != *count);
        new
    }

    /// What leads from `at` to a recorded state of a thread system: the shared state, then threads by local state.
    pub(crate) fn towards(self, at: &Marking, recorded: &[u32]) -> Changes {
        let Self::Threads(threads) = self else { return Vec::new() };
        let Some((&shared, locals)) = recorded.split_first() else { return Vec::new() };
        let shared = (0..threads.shared()).map(|s| BigUint::from(u32::from(s == shared)));
        let all = shared.chain(locals.iter().map(|n| BigUint::from(*n)));
        let changed = all.enumerate().filter(|(i, n)| at.get(*i).is_some_and(|old| old != n));
        changed.map(|(i, n)| (PlaceId::new(i), n)).collect()
    }

    /// The changes that a transition always makes, if they do not depend on the marking.
    pub(crate) fn deltas(self, transition: TransitionId) -> Option<Vec<(PlaceId, BigInt)>> {
        match self {
            Self::Net(net) => {
                let effects = &net.transition(transition).effects;
                effects.iter().map(|e| Some((e.place, e.delta()?.clone()))).collect()
            }
            Self::Threads(threads) => {
                let t = &threads.transitions()[transition.index()];
                if t.act == Act::Transfer || !t.passive.is_empty() {
                    return None;
                }
                let mut all = vec![
                    (threads.shared_place(t.from.0), BigInt::from(-1)),
                    (threads.shared_place(t.to.0), BigInt::from(1)),
                    (threads.local_place(t.to.1), BigInt::from(1)),
                ];
                if t.act == Act::Move {
                    all.push((threads.local_place(t.from.1), BigInt::from(-1)));
                }
                Some(all)
            }
        }
    }

    /// A marking for people: non-zero places with their tokens; thread systems as `shared|local,local,..`.
    pub(crate) fn show(self, at: &Marking, most: usize) -> String {
        let marked = at.iter().enumerate().filter(|(_, n)| **n != BigUint::ZERO);
        match self {
            Self::Net(_) => {
                let marked: Vec<String> =
                    marked.map(|(p, n)| format!("{}: {}", self.place_name(PlaceId::new(p)), number(n))).collect();
                if marked.is_empty() { "nothing".to_owned() } else { names(marked.iter().map(String::as_str), most) }
            }
            Self::Threads(threads) => {
                let (shared, locals): (Vec<_>, Vec<_>) = marked.partition(|(p, _)| *p < threads.shared() as usize);
                let shared = shared.first().map_or(0, |(s, _)| *s);
                let locals: Vec<String> =
                    locals.into_iter().map(|(p, n)| repeated(p - threads.shared() as usize, n)).collect();
                format!("{shared}|{}", shortened(&locals, most))
            }
        }
    }
}

/// `a,b,c`, cut after `most` of them.
fn shortened(all: &[String], most: usize) -> String {
    let shown = all.len().min(most);
    let more = if shown < all.len() { format!(" and {} more", all.len() - shown) } else { String::new() };
    all[..shown].join(",") + &more
}

/// A local state once per thread in it, or once with their number.
fn repeated(local: usize, threads: &BigUint) -> String {
    match u32::try_from(threads) {
        Ok(few @ 1..=3) => vec![local.to_string(); few as usize].join(","),
        _ => format!("{local} x {}", number(threads)),
    }
}

/// As in a `.tts` file.
fn written(t: &ThreadTransition) -> String {
    let arrow = match t.act {
        Act::Move => "->",
        Act::Spawn => "+>",
        Act::Transfer => "~>",
    };
    let mut text = format!("{} {} {arrow} {} {}", t.from.0.0, t.from.1.0, t.to.0.0, t.to.1.0);
    let moves = t.passive.iter().flat_map(|(from, all)| all.iter().map(move |to| (from.0, to.0)));
    for (from, to) in moves.clone().take(PASSIVE) {
        text.push_str(&format!(" {from} ~> {to}"));
    }
    let more = moves.count().saturating_sub(PASSIVE);
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// The new content of an effect's place. Guards see to it that it is not negative.
fn after(at: &Marking, effect: &Effect) -> BigUint {
    let sum: BigUint = effect.sources.iter().map(|p| &at[p.index()]).sum();
    BigUint::try_from(BigInt::from(sum) + &effect.add).unwrap_or_default()
}

fn step(threads: &ThreadSystem, at: &Marking, t: &ThreadTransition, spread: Spread<'_>) -> Changes {
    let place = |l: LocalId| threads.local_place(l);
    let tokens = |l: LocalId| at[place(l).index()].clone();
    let ((s, l), (s2, l2)) = (t.from, t.to);
    let mut new: BTreeMap<PlaceId, BigUint> = BTreeMap::new();
    new.insert(threads.shared_place(s), BigUint::ZERO);
    new.insert(threads.shared_place(s2), BigUint::from(1u32));
    let mut put = |l: LocalId, count: &BigUint| *new.entry(place(l)).or_insert_with(|| tokens(l)) += count;
    match t.act {
        Act::Spawn => put(l2, &BigUint::from(1u32)),
        Act::Transfer if l == l2 => {}
        Act::Transfer => {
            put(l2, &tokens(l));
            new.insert(place(l), BigUint::ZERO);
        }
        Act::Move => {
            // First all leave, then all arrive: a source may be another one's target.
            let mut arriving: Vec<(LocalId, BigUint)> = vec![(l2, BigUint::from(1u32))];
            new.insert(place(l), tokens(l) - 1u32);
            for (&source, targets) in &t.passive {
                let others = tokens(source) - u32::from(source == l);
                if others != BigUint::ZERO {
                    let counts =
                        if let [_] = targets[..] { vec![others.clone()] } else { spread(source, &others, targets) };
                    arriving.extend(targets.iter().copied().zip(counts));
                }
                new.insert(place(source), BigUint::ZERO);
            }
            for (target, count) in arriving {
                *new.entry(place(target)).or_insert_with(|| tokens(target)) += count;
            }
        }
    }
    new.into_iter().collect()
}

/// Is the formula true of the marking? By node.
fn truths(formula: &Formula, at: &Marking) -> Vec<bool> {
    let mut truths: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let truth = match node {
            Node::All(parts) => parts.iter().all(|p| truths[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| truths[p.index()]),
            Node::AtLeast(sum) => total(&sum.terms, at) >= sum.at_least,
        };
        truths.push(truth);
    }
    truths
}

fn total(terms: &[(PlaceId, BigInt)], at: &Marking) -> BigInt {
    terms.iter().map(|(p, c)| c * BigInt::from(at[p.index()].clone())).sum()
}

/// Is the formula true of the marking?
pub(crate) fn holds(formula: &Formula, at: &Marking) -> bool {
    truths(formula, at).last().copied().unwrap_or(false)
}

/// Why a formula is true of the marking: inequalities with their values that are enough for it.
pub(crate) fn reasons(stepper: Stepper<'_>, formula: &Formula, at: &Marking) -> Vec<String> {
    let truths = truths(formula, at);
    let mut reasons = Vec::new();
    let mut open: Vec<&Node> = vec![formula.root()];
    while let Some(node) = open.pop() {
        match node {
            Node::All(parts) => open.extend(parts.iter().rev().map(|p| &formula.nodes()[p.index()])),
            Node::Any(parts) => {
                open.extend(parts.iter().find(|p| truths[p.index()]).map(|p| &formula.nodes()[p.index()]));
            }
            Node::AtLeast(sum) => reasons.push(reason(stepper, &sum.terms, &sum.at_least, at)),
        }
    }
    reasons
}

/// `crit is 2 (>= 2)`; where all weights are negative the other way round, `crit is 0 (<= 1)`.
fn reason(stepper: Stepper<'_>, terms: &[(PlaceId, BigInt)], at_least: &BigInt, at: &Marking) -> String {
    let zero = BigInt::from(0);
    if let (Stepper::Threads(threads), [(place, weight)]) = (stepper, terms)
        && place.0 < threads.shared()
        && *weight > zero
    {
        return format!("the shared state is {}", place.0);
    }
    let downward = terms.iter().all(|(_, c)| *c < zero);
    let sign = BigInt::from(if downward { -1 } else { 1 });
    let mut sum = String::new();
    for (place, weight) in terms {
        let weight = weight * &sign;
        let joint = match (sum.is_empty(), weight < zero) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = weight.magnitude();
        let factor = if *size == BigUint::from(1u32) { String::new() } else { format!("{} ", number(size)) };
        sum.push_str(&format!("{joint}{factor}{}", stepper.place_name(*place)));
    }
    let relation = if downward { "<=" } else { ">=" };
    format!("{sum} is {} ({relation} {})", number(&(total(terms, at) * &sign)), number(&(at_least * &sign)))
}
