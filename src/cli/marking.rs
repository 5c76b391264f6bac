//! Markings in words: what they hold, what keeps a transition from firing, why a formula is true of them.

use super::text::{names, number};
use impasse::model::{Formula, Node, PlaceId, Range, TransitionId};
pub(crate) use impasse::steps::marking::{Changes, Marking, Stepper};
use num_bigint::{BigInt, BigUint};

/// What keeps `transition` from firing; `None` if it can.
pub(crate) fn obstacle(stepper: Stepper<'_>, at: &Marking, transition: TransitionId) -> Option<String> {
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

/// A marking for people: non-zero places with their tokens; thread systems as `shared|local,local,..`.
pub(crate) fn show(stepper: Stepper<'_>, at: &Marking, most: usize) -> String {
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
            format!("{shared}|{}", shortened(&locals, most))
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
