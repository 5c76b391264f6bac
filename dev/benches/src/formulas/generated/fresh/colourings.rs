//! Colourings of numbers and edges.

use super::super::formula::{Formula, Lit};
use model::cnf::Cnf;

/// Returns the variables of a colouring of `things` in `colours` colours. Each has at least one colour.
fn colouring(formula: &mut Formula, things: usize, colours: usize) -> Vec<Vec<Lit>> {
    let has = formula.grid(things, colours);
    has.iter().for_each(|own| formula.clause(own));
    has
}

/// Adds that the things do not all have the same colour.
fn mixed(formula: &mut Formula, things: &[&[Lit]]) {
    for colour in 0..things[0].len() {
        let lits: Vec<Lit> = things.iter().map(|own| -own[colour]).collect();
        formula.clause(&lits);
    }
}

/// A colouring of 1..=n without a solution of a (x - y) = b z in one colour. For three colours and coprime a and
/// b with a >= b + 2 >= 3 it exists if and only if n < a^3 (Chang, De Loera, Wesley 2022).
pub(super) fn rado(a: usize, b: usize, colours: usize, n: usize) -> Cnf {
    let mut formula = Formula::default();
    let has = colouring(&mut formula, n, colours);
    for factor in (1..).take_while(|factor| factor * b < n) {
        for y in (1..=n).take_while(|y| y + factor * b <= n && factor * a <= n) {
            let (x, z) = (y + factor * b, factor * a);
            mixed(&mut formula, &[&has[x - 1], &has[y - 1], &has[z - 1]]);
        }
    }
    formula.finish()
}

/// A colouring of 1..=n in two colours without a^2 + b^2 = c^2 in one colour. It exists if and only if n < 7825
/// (Heule, Kullmann, Marek 2016).
pub(super) fn pythagoras(n: usize) -> Cnf {
    let mut formula = Formula::default();
    let red = formula.vars(n + 1);
    for a in 1..n {
        for b in a + 1..n {
            let c = (a * a + b * b).isqrt();
            if c <= n && c * c == a * a + b * b {
                formula.clause(&[red[a], red[b], red[c]]);
                formula.clause(&[-red[a], -red[b], -red[c]]);
            }
        }
    }
    formula.finish()
}

/// A colouring of the edges of the complete graph without a red clique of `red` vertices and without a blue one
/// of `blue` vertices.
pub(super) fn ramsey(red: usize, blue: usize, vertices: usize) -> Cnf {
    let mut formula = Formula::default();
    let is_red = formula.grid(vertices, vertices);
    for (size, sign) in [(red, -1), (blue, 1)] {
        for clique in subsets(vertices, size) {
            let pairs = clique.iter().enumerate().flat_map(|(i, &a)| clique[..i].iter().map(move |&b| (a, b)));
            let edges: Vec<Lit> = pairs.map(|(a, b)| sign * is_red[a][b]).collect();
            formula.clause(&edges);
        }
    }
    formula.finish()
}

/// Returns all pairs of numbers below `n`, the smaller number first.
pub(super) fn pairs(n: usize) -> Vec<(usize, usize)> {
    (0..n).flat_map(|b| (0..b).map(move |a| (a, b))).collect()
}

/// Returns all sets of `size` numbers below `n`, each in ascending order.
pub(super) fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| {
            let set = set.clone();
            (set.last().map_or(0, |last| last + 1)..n).map(move |next| [set.as_slice(), &[next]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
