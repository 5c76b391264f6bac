//! Textbook backward coverability for small monotone nets (Abdulla, Čerāns, Jonsson, Tsay 1996). It computes
//! minimal markings from which the goal can be covered, until no predecessor is new.

use model::{Formula, Goal, Net, Node, Place, PlaceId, Problem, SystemModel, Transition};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeSet;

type Marking = Vec<i128>;

/// Limits on the number of vectors and on token counts. Beyond them the answer is unknown.
const MOST_VECTORS: usize = 300;
const MOST_TOKENS: i128 = 30;

/// Answer to a coverability question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Covering {
    /// Some run covers the goal.
    Reachable,
    /// No run covers the goal.
    Unreachable,
    /// The goal is not upward closed, the net is not monotone, or the search hit a limit.
    Unknown,
}

/// Decides whether a run of a monotone net covers an upward-closed goal.
#[must_use]
pub fn covering(problem: &Problem, goal: Goal) -> Covering {
    search(problem, goal).map_or(
        Covering::Unknown,
        |reachable| {
            if reachable { Covering::Reachable } else { Covering::Unreachable }
        },
    )
}

fn search(problem: &Problem, goal: Goal) -> Option<bool> {
    let SystemModel::Net(net) = problem.system() else { return None };
    let formula = problem.formula(goal)?;
    if !net.is_monotone() || !formula.is_upward_closed() {
        return None;
    }
    let mut basis: Vec<Marking> = Vec::new();
    let mut queue: Vec<Marking> = minimal(formula, net.places().len())?;
    while let Some(vector) = queue.pop() {
        if basis.iter().any(|b| covers(&vector, b)) {
            continue;
        }
        if is_initial(net, &vector) {
            return Some(true);
        }
        if basis.len() + queue.len() > MOST_VECTORS || vector.iter().any(|n| *n > MOST_TOKENS) {
            return None;
        }
        for t in net.transitions() {
            queue.extend(predecessors(t, &vector)?);
        }
        basis.push(vector);
    }
    Some(false)
}

fn covers(m: &Marking, least: &Marking) -> bool {
    m.iter().zip(least).all(|(a, b)| a >= b)
}

/// True if an initial marking covers the vector.
fn is_initial(net: &Net, vector: &Marking) -> bool {
    let fits = |(place, n): (&Place, &i128)| {
        place.initial.at_most.as_ref().is_none_or(|most| BigInt::from(most.clone()) >= BigInt::from(*n))
    };
    net.places().iter().zip(vector).all(fits)
}

/// Returns a set of markings that satisfy an upward-closed formula. It contains all minimal markings of the
/// formula. The set is computed node by node, children first.
fn minimal(formula: &Formula, places: usize) -> Option<Vec<Marking>> {
    let mut of_nodes: Vec<BTreeSet<Marking>> = Vec::new();
    for node in formula.nodes() {
        let own: BTreeSet<Marking> = match node {
            Node::Any(parts) => parts.iter().flat_map(|p| of_nodes[p.index()].iter().cloned()).collect(),
            Node::All(parts) => {
                let mut all = BTreeSet::from([vec![0; places]]);
                for part in parts {
                    let both = |a: &Marking| of_nodes[part.index()].iter().map(|b| join(a, b)).collect::<Vec<_>>();
                    all = all.iter().flat_map(both).collect();
                    if all.len() > MOST_VECTORS {
                        return None;
                    }
                }
                all
            }
            Node::AtLeast(sum) => {
                let terms: Option<Vec<(PlaceId, i128)>> =
                    sum.terms.iter().map(|(p, c)| Some((*p, integer(c)?))).collect();
                enough(&vec![0; places], &terms?, integer(&sum.at_least)?)?
            }
        };
        of_nodes.push(own);
    }
    of_nodes.pop().map(|all| all.into_iter().collect())
}

fn join(a: &Marking, b: &Marking) -> Marking {
    a.iter().zip(b).map(|(x, y)| *x.max(y)).collect()
}

/// Returns a set of markings above `from` that have a weighted sum of at least `need`. It contains all minimal
/// markings of this kind.
fn enough(from: &Marking, terms: &[(PlaceId, i128)], need: i128) -> Option<BTreeSet<Marking>> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut queue = vec![from.clone()];
    while let Some(m) = queue.pop() {
        if terms.iter().map(|(p, c)| c * m[p.index()]).sum::<i128>() >= need {
            found.insert(m);
            continue;
        }
        if seen.len() > MOST_VECTORS || m.iter().any(|n| *n > MOST_TOKENS) {
            return None;
        }
        for (p, _) in terms {
            let mut more = m.clone();
            more[p.index()] += 1;
            if seen.insert(more.clone()) {
                queue.push(more);
            }
        }
    }
    Some(found)
}

/// Returns a set of markings from which firing `t` leads to a marking that covers `vector`. It contains all
/// minimal markings of this kind.
fn predecessors(t: &Transition, vector: &Marking) -> Option<Vec<Marking>> {
    // Three kinds of requirements are added one after the other: those on places that `t` does not change,
    // those of the guards, and those of each effect.
    let mut base = vector.clone();
    for effect in &t.effects {
        base[effect.place.index()] = 0;
    }
    for guard in &t.guards {
        let least = number(&guard.range.at_least)?;
        let at = &mut base[guard.place.index()];
        *at = least.max(*at);
    }
    let mut all = BTreeSet::from([base]);
    for effect in &t.effects {
        let need = vector[effect.place.index()] - integer(&effect.add)?;
        let mut terms: Vec<(PlaceId, i128)> = Vec::new();
        for &p in &effect.sources {
            match terms.last_mut() {
                Some((last, times)) if *last == p => *times += 1,
                _ => terms.push((p, 1)),
            }
        }
        if terms.is_empty() {
            if need > 0 {
                return Some(Vec::new());
            }
            continue;
        }
        let mut next = BTreeSet::new();
        for m in &all {
            next.extend(enough(m, &terms, need)?);
        }
        all = next;
    }
    Some(all.into_iter().collect())
}

fn number(n: &BigUint) -> Option<i128> {
    n.try_into().ok().filter(|n| *n <= MOST_TOKENS)
}

fn integer(n: &BigInt) -> Option<i128> {
    i128::try_from(n).ok().filter(|n| n.abs() <= MOST_TOKENS)
}
