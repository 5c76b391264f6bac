//! Describes markings in words: their tokens, why a transition is disabled, and why a formula holds.

use super::text::{names, number};
pub use crate::steps::marking::{Changes, Marking, Stepper};
use model::{Formula, Linear, Node, PlaceId, Range, TransitionId};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Returns why `transition` is disabled. `None` if it is enabled.
pub fn obstacle(stepper: Stepper<'_>, at: &Marking, transition: TransitionId) -> Option<String> {
    let lacking = |place: PlaceId, range: &Range| {
        let wanted = match &range.at_most {
            Some(most) if !range.contains(&at[place.index()]) && at[place.index()] > *most => {
                format!("<= {}", number(most))
            }
            _ => format!(">= {}", number(&range.at_least)),
        };
        format!("{} is {}, not {wanted}", stepper.place_name(place), number(&at[place.index()]))
    };
    match stepper {
        Stepper::Net(net) => {
            let guards = &net.transition(transition).guards;
            let broken = guards.iter().find(|g| !g.range.contains(&at[g.place.index()]));
            broken.map(|g| lacking(g.place, &g.range))
        }
        Stepper::Threads(threads) => {
            let (s, l) = threads.transitions()[transition.index()].from;
            let asked = [threads.shared_place(s), threads.local_place(l)];
            let missing = asked.into_iter().find(|p| at[p.index()] == BigUint::ZERO);
            missing.map(|p| lacking(p, &Range::from(1u32)))
        }
    }
}

/// Returns a marking as text for people: the marked places with their tokens. A state of a thread-transition
/// system is written `shared|local,local,..`.
pub fn show(stepper: Stepper<'_>, at: &Marking, most: usize) -> String {
    let marked = at.iter().enumerate().filter(|(_, n)| **n != BigUint::ZERO);
    match stepper {
        Stepper::Net(_) => {
            let marked: Vec<String> =
                marked.map(|(p, n)| format!("{}: {}", stepper.place_name(PlaceId::new(p)), number(n))).collect();
            if marked.is_empty() { "nothing".to_owned() } else { names(marked.iter().map(String::as_str), most) }
        }
        Stepper::Threads(threads) => {
            let (shared, locals): (Vec<_>, Vec<_>) = marked.partition(|(p, _)| *p < threads.shared() as usize);
            let shared = shared.first().map_or(0, |(s, _)| *s);
            let locals: Vec<String> =
                locals.into_iter().map(|(p, n)| repeated(p - threads.shared() as usize, n)).collect();
            let none = if locals.is_empty() { " (no threads)" } else { "" };
            format!("{shared}|{}{none}", shortened(&locals, most))
        }
    }
}

/// Returns `a,b,c`, cut after `most` items.
fn shortened(all: &[String], most: usize) -> String {
    let shown = all.len().min(most);
    let more = if shown < all.len() { format!(" and {} more", all.len() - shown) } else { String::new() };
    all[..shown].join(",") + &more
}

/// Returns a local state as text: repeated for each thread in it if there are few threads, and otherwise once
/// with the number of threads.
fn repeated(local: usize, threads: &BigUint) -> String {
    match u32::try_from(threads) {
        Ok(few @ 1..=3) => vec![local.to_string(); few as usize].join(","),
        _ => format!("{local} x {}", number(threads)),
    }
}

/// Returns for each node of the formula: true if it holds in the marking.
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

/// Returns true if the formula holds in the marking.
pub fn holds(formula: &Formula, at: &Marking) -> bool {
    truths(formula, at).last().copied().unwrap_or(false)
}

/// Returns why a formula holds in the marking: inequalities that imply it, with their values. Inequalities
/// about the same sum become one item. All places that must be empty come last, in one item.
pub fn reasons(stepper: Stepper<'_>, formula: &Formula, at: &Marking, most: usize) -> Vec<String> {
    let mut sums: Vec<Sum> = Vec::new();
    let mut places: BTreeMap<Vec<(PlaceId, BigInt)>, usize> = BTreeMap::new();
    for inequality in inequalities(formula, at) {
        let new = Sum::new(inequality, at);
        match places.entry(new.terms.clone()) {
            Entry::Occupied(known) => sums[*known.get()].join(new),
            Entry::Vacant(free) => {
                free.insert(sums.len());
                sums.push(new);
            }
        }
    }
    let is_empty = |sum: &Sum| sum.place().is_some() && sum.is == BigInt::ZERO && sum.at_most == Some(BigInt::ZERO);
    let (empty, marked): (Vec<Sum>, Vec<Sum>) = sums.into_iter().partition(is_empty);
    let mut reasons: Vec<String> = marked.iter().map(|sum| sum.show(stepper)).collect();
    let empty: Vec<String> = empty.iter().filter_map(Sum::place).map(|p| stepper.place_name(p)).collect();
    if !empty.is_empty() {
        let verb = if empty.len() == 1 { "is" } else { "are" };
        reasons.push(format!("{} {verb} 0", names(empty.iter().map(String::as_str), most)));
    }
    reasons
}

/// Returns inequalities that hold and imply the formula.
fn inequalities<'f>(formula: &'f Formula, at: &Marking) -> Vec<&'f Linear> {
    let truths = truths(formula, at);
    let mut inequalities = Vec::new();
    let mut open: Vec<&Node> = vec![formula.root()];
    while let Some(node) = open.pop() {
        match node {
            Node::All(parts) => open.extend(parts.iter().rev().map(|p| &formula.nodes()[p.index()])),
            Node::Any(parts) => {
                open.extend(parts.iter().find(|p| truths[p.index()]).map(|p| &formula.nodes()[p.index()]));
            }
            Node::AtLeast(sum) => inequalities.push(sum),
        }
    }
    inequalities
}

/// A sum with its value and its bounds.
struct Sum {
    /// Not all weights are negative.
    terms: Vec<(PlaceId, BigInt)>,
    is: BigInt,
    at_least: Option<BigInt>,
    at_most: Option<BigInt>,
}

impl Sum {
    /// Creates the sum of an inequality. If all weights are negative, the inequality is negated.
    fn new(inequality: &Linear, at: &Marking) -> Self {
        let Linear { terms, at_least } = inequality;
        let is = total(terms, at);
        if terms.iter().all(|(_, weight)| *weight < BigInt::ZERO) {
            let terms = terms.iter().map(|(place, weight)| (*place, -weight)).collect();
            Self { terms, is: -is, at_least: None, at_most: Some(-at_least) }
        } else {
            Self { terms: terms.clone(), is, at_least: Some(at_least.clone()), at_most: None }
        }
    }

    /// Adds the bound of another inequality about the same sum.
    fn join(&mut self, other: Self) {
        self.at_least = self.at_least.take().max(other.at_least);
        self.at_most = self.at_most.take().into_iter().chain(other.at_most).min();
    }

    /// Returns the place, if the sum is a single place.
    fn place(&self) -> Option<PlaceId> {
        match self.terms.as_slice() {
            [(place, weight)] if *weight == BigInt::from(1) => Some(*place),
            _ => None,
        }
    }

    /// Returns `crit is 2 (>= 2)`, `crit is 0 (<= 1)`, or `crit is 1` if only this value is allowed.
    fn show(&self, stepper: Stepper<'_>) -> String {
        if let (Stepper::Threads(threads), [(place, _)]) = (stepper, self.terms.as_slice())
            && place.0 < threads.shared()
            && self.at_least.as_ref().is_some_and(|least| *least > BigInt::ZERO)
        {
            return format!("the shared state is {}", place.0);
        }
        let of_threads = matches!(stepper, Stepper::Threads(_)).then(|| self.place()).flatten();
        if let (Some(place), Some(least), None) = (of_threads, &self.at_least, &self.at_most) {
            let name = stepper.place_name(place);
            let (is, threads) = if self.is == BigInt::from(1) { ("is", "thread") } else { ("are", "threads") };
            return format!("{} {threads} {is} in {name} (>= {})", number(&self.is), number(least));
        }
        let bound = match (&self.at_least, &self.at_most) {
            (Some(least), Some(most)) if least == most => String::new(),
            (least, most) => {
                let least = least.iter().map(|n| format!(">= {}", number(n)));
                let both = least.chain(most.iter().map(|n| format!("<= {}", number(n))));
                format!(" ({})", both.collect::<Vec<_>>().join(", "))
            }
        };
        format!("{} is {}{bound}", self.words(stepper), number(&self.is))
    }

    /// Returns the sum, such as `a + 2 b - c`.
    fn words(&self, stepper: Stepper<'_>) -> String {
        let mut words = String::new();
        for (place, weight) in &self.terms {
            let joint = match (words.is_empty(), *weight < BigInt::ZERO) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let size = weight.magnitude();
            let factor = if *size == BigUint::from(1u32) { String::new() } else { format!("{} ", number(size)) };
            words.push_str(&format!("{joint}{factor}{}", stepper.place_name(*place)));
        }
        words
    }
}
