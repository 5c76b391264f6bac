//! Formulas about graphs.

use super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

/// A graph as an adjacency matrix.
type Graph = Vec<Vec<bool>>;

/// Returns a random graph in which each pair is an edge with `percent` percent probability.
fn random_graph(vertices: usize, percent: usize, rng: &mut Random) -> Graph {
    let mut graph = vec![vec![false; vertices]; vertices];
    for b in 0..vertices {
        for a in 0..b {
            let edge = rng.chance(percent);
            graph[a][b] = edge;
            graph[b][a] = edge;
        }
    }
    graph
}

/// Returns a formula for a Hamiltonian cycle. Its variables give the position of each vertex in the cycle.
fn cycle(graph: &Graph) -> Cnf {
    let mut formula = Formula::default();
    let n = graph.len();
    let at = formula.grid(n, n);
    for i in 0..n {
        formula.exactly_one(&at[i]);
        let vertices: Vec<Lit> = at.iter().map(|places| places[i]).collect();
        formula.exactly_one(&vertices);
    }
    formula.clause(&[at[0][0]]);
    for (u, row) in graph.iter().enumerate() {
        for (v, _) in row.iter().enumerate().filter(|&(v, &edge)| !edge && u != v) {
            (0..n).for_each(|i| formula.clause(&[-at[u][i], -at[v][(i + 1) % n]]));
        }
    }
    formula.finish()
}

/// A Hamiltonian cycle in the generalised Petersen graph G(n, 2). There is none if and only if n mod 6 is 5
/// (Robertson 1969).
pub(super) fn petersen_cycle(n: usize) -> Cnf {
    let mut graph = vec![vec![false; 2 * n]; 2 * n];
    for i in 0..n {
        for (a, b) in [(i, (i + 1) % n), (i, n + i), (n + i, n + (i + 2) % n)] {
            graph[a][b] = true;
            graph[b][a] = true;
        }
    }
    cycle(&graph)
}

/// A Hamiltonian cycle in a random graph that has one, with `chords` additional edges.
pub(super) fn hidden_cycle(n: usize, chords: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let order = rng.sample(n, n);
    let mut graph = vec![vec![false; n]; n];
    let mut edges: Vec<(usize, usize)> = (0..n).map(|i| (order[i], order[(i + 1) % n])).collect();
    edges.extend((0..chords).map(|_| (rng.below(n), rng.below(n))));
    for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
        graph[a][b] = true;
        graph[b][a] = true;
    }
    cycle(&graph)
}

/// An embedding of a pattern as an induced subgraph of a random target. The pattern is an induced subgraph of
/// the target if `planted`, else a random graph.
pub(super) fn subgraph(target: usize, pattern: usize, percent: usize, planted: bool, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let large = random_graph(target, percent, &mut rng);
    let small = if planted {
        let chosen = rng.sample(target, pattern);
        chosen.iter().map(|&a| chosen.iter().map(|&b| large[a][b]).collect()).collect()
    } else {
        random_graph(pattern, percent, &mut rng)
    };
    let mut formula = Formula::default();
    let to = formula.grid(pattern, target);
    to.iter().for_each(|row| formula.exactly_one(row));
    for t in 0..target {
        let from: Vec<Lit> = to.iter().map(|row| row[t]).collect();
        formula.at_most_one(&from);
    }
    for p in 0..pattern {
        for q in 0..p {
            for t in 0..target {
                for u in (0..target).filter(|&u| u != t && large[t][u] != small[p][q]) {
                    formula.clause(&[-to[p][t], -to[q][u]]);
                }
            }
        }
    }
    formula.finish()
}

/// `size` vertices of a random graph without an edge between them.
pub(super) fn independent_set(vertices: usize, percent: usize, size: usize, seed: u64) -> Cnf {
    let graph = random_graph(vertices, percent, &mut Random::new(seed));
    let mut formula = Formula::default();
    let chosen = formula.vars(vertices);
    for b in 0..vertices {
        (0..b).filter(|&a| graph[a][b]).for_each(|a| formula.clause(&[-chosen[a], -chosen[b]]));
    }
    formula.at_least(&chosen, size);
    formula.finish()
}
