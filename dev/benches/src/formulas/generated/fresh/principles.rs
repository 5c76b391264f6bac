//! Principles from proof complexity, all unsatisfiable.

use super::super::formula::{Formula, Lit};
use super::colourings::subsets;
use model::cnf::Cnf;
use testkit::Random;

/// A finite total order without a least element (Krishnamurthy 1985).
pub(super) fn ordering(n: usize) -> Cnf {
    let mut formula = Formula::default();
    let below = formula.grid(n, n);
    let less = |a: usize, b: usize| if a < b { below[a][b] } else { -below[b][a] };
    for a in 0..n {
        let smaller: Vec<Lit> = (0..n).filter(|&b| b != a).map(|b| less(b, a)).collect();
        formula.clause(&smaller);
        for b in (0..n).filter(|&b| b != a) {
            for c in (0..n).filter(|&c| c != a && c != b) {
                formula.implies(&[less(a, b), less(b, c)], &[less(a, c)]);
            }
        }
    }
    formula.finish()
}

/// Returns a random graph as a list of edges: the union of `cycles` Hamiltonian cycles without common edges.
fn regular(vertices: usize, cycles: usize, rng: &mut Random) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    while edges.len() < cycles * vertices {
        let order = rng.sample(vertices, vertices);
        let cycle = (0..vertices).map(|i| (order[i], order[(i + 1) % vertices]));
        let cycle: Vec<(usize, usize)> = cycle.map(|(a, b)| (a.min(b), a.max(b))).collect();
        if cycle.iter().all(|edge| !edges.contains(edge)) {
            edges.extend(cycle);
        }
    }
    edges
}

/// A perfect matching of a random 4-regular graph with an odd number of vertices.
pub(super) fn matching(vertices: usize, seed: u64) -> Cnf {
    let edges = regular(vertices, 2, &mut Random::new(seed));
    let mut formula = Formula::default();
    let chosen = formula.vars(edges.len());
    for vertex in 0..vertices {
        let own: Vec<Lit> =
            edges.iter().zip(&chosen).filter(|((a, b), _)| [a, b].contains(&&vertex)).map(|p| *p.1).collect();
        formula.exactly_one(&own);
    }
    formula.finish()
}

/// Half of the edges at each vertex of a random 4-regular graph, one edge of which is split by a new vertex. So the
/// number of edges is odd (Markström 2006).
pub(super) fn even_colouring(vertices: usize, seed: u64) -> Cnf {
    let mut edges = regular(vertices, 2, &mut Random::new(seed));
    let (a, b) = edges[0];
    edges[0] = (a, vertices);
    edges.push((b, vertices));
    let mut formula = Formula::default();
    let red = formula.vars(edges.len());
    for vertex in 0..=vertices {
        let own: Vec<Lit> =
            edges.iter().zip(&red).filter(|((a, b), _)| [a, b].contains(&&vertex)).map(|p| *p.1).collect();
        for set in subsets(own.len(), own.len() / 2 + 1) {
            for sign in [1, -1] {
                let lits: Vec<Lit> = set.iter().map(|&i| sign * own[i]).collect();
                formula.clause(&lits);
            }
        }
    }
    formula.finish()
}

/// Returns the vertices of a pyramid of `height` levels, each with the two vertices below it, bottom level first.
fn pyramid(height: usize) -> Vec<Option<(usize, usize)>> {
    let mut all = Vec::new();
    for width in (1..=height).rev() {
        let below = all.len().checked_sub(width + 1);
        all.extend((0..width).map(|i| below.map(|first| (first + i, first + i + 1))));
    }
    all
}

/// Stones on a pyramid: each vertex has a stone, stones at the bottom are red, red stones below make a stone red,
/// and no stone at the top is red (Alekhnovich, Johannsen, Pitassi, Urquhart 2007).
pub(super) fn stones(height: usize, stones: usize) -> Cnf {
    let mut formula = Formula::default();
    let vertices = pyramid(height);
    let on = formula.grid(vertices.len(), stones);
    let red = formula.vars(stones);
    for (vertex, below) in vertices.iter().enumerate() {
        formula.clause(&on[vertex]);
        for stone in 0..stones {
            let Some((left, right)) = *below else {
                formula.implies(&[on[vertex][stone]], &[red[stone]]);
                continue;
            };
            for a in (0..stones).filter(|&a| a != stone) {
                for b in (0..stones).filter(|&b| b != stone) {
                    let premise = [on[left][a], red[a], on[right][b], red[b], on[vertex][stone]];
                    formula.implies(&premise, &[red[stone]]);
                }
            }
        }
    }
    let top = vertices.len() - 1;
    (0..stones).for_each(|stone| formula.implies(&[on[top][stone]], &[-red[stone]]));
    formula.finish()
}

/// Pebbles on a pyramid, where each truth value is the exclusive or of `parts` variables (Ben-Sasson and Nordström
/// 2008).
pub(super) fn pebbles(height: usize, parts: usize) -> Cnf {
    let mut formula = Formula::default();
    let vertices = pyramid(height);
    let variables = formula.grid(vertices.len(), parts);
    for (vertex, below) in vertices.iter().enumerate() {
        let premise: Vec<usize> = below.iter().flat_map(|&(a, b)| [a, b]).collect();
        let literals: Vec<(usize, bool)> = premise.into_iter().map(|v| (v, false)).chain([(vertex, true)]).collect();
        substituted(&mut formula, &literals, &variables);
    }
    substituted(&mut formula, &[(vertices.len() - 1, false)], &variables);
    formula.finish()
}

/// Adds a clause in which each variable is replaced by the parity of its parts.
fn substituted(formula: &mut Formula, literals: &[(usize, bool)], variables: &[Vec<Lit>]) {
    let mut clauses: Vec<Vec<Lit>> = vec![Vec::new()];
    for &(vertex, odd) in literals {
        let mut parity = Formula::default();
        parity.parity(&variables[vertex], odd);
        let own = parity.finish().clauses;
        clauses = clauses.iter().flat_map(|head| own.iter().map(|tail| [head.as_slice(), tail].concat())).collect();
    }
    clauses.iter().for_each(|clause| formula.clause(clause));
}
