//! Questions about a coloured net as a whole, by definition. Places and transitions are those of the file, as in the
//! Model Checking Contest: a place has the tokens of all its colours, and a transition is enabled if one of its
//! bindings is.

use super::Coloured;
use super::meaning::{Graph, Marking};

/// Returns the tokens of a place, of all colours together.
#[must_use]
pub fn tokens(marking: &Marking, place: usize) -> i64 {
    marking.iter().filter(|((p, _), _)| *p == place).map(|(_, count)| count).sum()
}

/// Returns the truth of `ONESAFE`, `QUASILIVENESS`, `LIVENESS`, `STABLEMARKING` or `REVERSIBLE`.
///
/// # Panics
/// Panics if it is another question.
#[must_use]
pub fn truth(net: &Coloured, graph: &Graph, question: &str) -> bool {
    let bindings = net.bindings();
    let enabled = |t: usize, m: usize| graph.next[m].iter().any(|(b, _)| bindings[*b].transition == t);
    let markings = || 0..graph.markings.len();
    match question {
        "ONESAFE" => (0..net.places()).all(|p| graph.markings.iter().all(|m| tokens(m, p) < 2)),
        "QUASILIVENESS" => (0..net.transitions()).all(|t| markings().any(|m| enabled(t, m))),
        "LIVENESS" => (0..net.transitions()).all(|t| always_possible(graph, |m| enabled(t, m))),
        "REVERSIBLE" => always_possible(graph, |m| m == 0),
        "STABLEMARKING" => {
            let is_stable = |p: usize| graph.markings.iter().all(|m| tokens(m, p) == tokens(&graph.markings[0], p));
            (0..net.places()).any(is_stable)
        }
        other => panic!("{other} is no question"),
    }
}

/// True if each marking leads to a marking with this property.
fn always_possible(graph: &Graph, goal: impl Fn(usize) -> bool) -> bool {
    let mut leads: Vec<bool> = (0..graph.markings.len()).map(goal).collect();
    loop {
        let one = |m: usize| leads[m] || graph.next[m].iter().any(|(_, to)| leads[*to]);
        let more: Vec<bool> = (0..leads.len()).map(one).collect();
        if more == leads {
            return leads.into_iter().all(|leads| leads);
        }
        leads = more;
    }
}
