//! Local search (ProbSAT: Balint and Schoening 2012): from a full assignment, flips one variable of a false clause at a
//! time until no clause is false or the budget is spent. The chance of a variable falls exponentially with its
//! *break*, the number of clauses that its flip would make false.
//!
//! The search serves two purposes. On satisfiable random formulas it finds models long before CDCL does. On other
//! formulas, the best assignment that it visits becomes the saved phases (as in CaDiCaL and Kissat). It never decides
//! an answer: CDCL decides with these phases, and finds the model if it is one.
//!
//! For each clause, the search keeps the number of true literals, and the exclusive or of the variables of these
//! literals. If one literal is true, this is its variable, which is critical (Balint, Biere, Froehlich and Schoening
//! 2014).

use crate::clauses::{ClauseKind, Clauses};
use crate::lit::{Lit, Var};
use crate::rng::Rng;
use crate::theory::View;
use crate::trail::Trail;

/// For the average clause length: the base of the exponential function (from the ProbSAT paper and Yalsat). Between two
/// lengths it is interpolated.
const BASES: [(f64, f64); 6] = [(0.0, 2.0), (3.0, 2.5), (4.0, 2.85), (5.0, 3.7), (6.0, 5.1), (7.0, 5.4)];
/// Larger breaks have the chance of this one.
const MOST_BREAKS: usize = 64;
/// If there are more flips since the best assignment, this assignment is stored.
const MOST_FLIPS: usize = 1 << 16;
/// Number of occurrences visited for the cost of one tick.
const VISITS_PER_TICK: u64 = 4;

/// Ticks of the search before the first decision: about a twentieth of a second.
const FIRST: u64 = 2_000_000;
/// Effort on uniform formulas, as a fraction of the cost of CDCL.
const UNIFORM_EFFORT: f64 = 0.2;
/// The largest budget: about a second. The stop flag is not read during a local search.
const MOST: u64 = 40_000_000;
/// Number of words of the clauses that are read for the cost of one tick.
const WORDS_PER_TICK: u64 = 16;

/// The schedule of local searches.
#[derive(Default)]
pub(crate) struct Walks {
    /// True if all clauses had the same length before the first query.
    is_uniform: bool,
    /// Ticks spent on CDCL at the last local search.
    last: u64,
}

impl Walks {
    /// The budget of the search before the first decision, if the formula is uniform.
    pub(crate) fn first(&mut self, clauses: &Clauses) -> Option<u64> {
        self.is_uniform = is_uniform(clauses);
        self.is_uniform.then_some(FIRST)
    }

    /// The budget after this number of ticks of CDCL: a share of the ticks since the last local search. `None` if it
    /// is less than the cost of reading all clauses.
    pub(crate) fn next(&self, searched: u64, share: f64, clauses: &Clauses) -> Option<u64> {
        let share = if self.is_uniform { UNIFORM_EFFORT } else { share };
        let budget = (((searched - self.last) as f64 * share) as u64).min(MOST);
        (budget >= clauses.words() as u64 / WORDS_PER_TICK).then_some(budget)
    }

    /// Records the end of a local search, after this number of ticks of CDCL.
    pub(crate) fn ended(&mut self, searched: u64) {
        self.last = searched;
    }
}

/// A clause of the local search.
#[derive(Clone, Copy, Default)]
struct State {
    true_literals: u32,
    /// Exclusive or of the variables of the true literals.
    critical: u32,
    /// Index in the list of false clauses, if the clause is false.
    place: u32,
}

pub(crate) struct Walk {
    /// The literals of all clauses, and for each clause the start of its own. One more start is the end.
    literals: Vec<Lit>,
    starts: Vec<u32>,
    /// The clauses of each literal, in the same form.
    occurrences: Vec<u32>,
    firsts: Vec<u32>,
    states: Vec<State>,
    values: Vec<bool>,
    breaks: Vec<u32>,
    falsified: Vec<u32>,
    /// The smallest number of false clauses so far.
    best: usize,
    /// Flips since the best assignment, unless they are too many. Then the best assignment is in `kept`.
    since: Vec<Var>,
    kept: Option<Vec<bool>>,
    /// For each number of breaks: the weight of a variable.
    weights: [f64; MOST_BREAKS],
    rng: Rng,
}

/// The result of a local search.
pub(crate) struct Walked {
    /// The best assignment: for each variable its value.
    pub(crate) values: Vec<bool>,
    /// Number of clauses that are false under it.
    #[cfg(test)]
    falsified: usize,
    pub(crate) ticks: u64,
    pub(crate) flips: u64,
}

impl Walk {
    /// Prepares a search on the given clauses from these values. Cost: linear in the clauses.
    pub(crate) fn new(clauses: &Clauses, trail: &Trail, values: Vec<bool>, seed: u64) -> Self {
        let (mut literals, mut starts) = (Vec::new(), vec![0]);
        let given = clauses.iter().filter(|&clause| clauses.kind(clause) == ClauseKind::Given);
        for clause in given {
            let start = literals.len();
            if clauses.lits(clause).any(|lit| trail.is_fixed(lit)) {
                continue;
            }
            literals.extend(clauses.lits(clause).filter(|&lit| !trail.is_fixed(!lit)));
            debug_assert!(literals.len() > start, "the formula is propagated");
            starts.push(literals.len() as u32);
        }
        let count = starts.len() - 1;
        let (firsts, occurrences) = occurrences(&literals, &starts, 2 * values.len());
        let average = literals.len() as f64 / count.max(1) as f64;
        let base = base(average);
        let mut weights = [1.0; MOST_BREAKS];
        (1..MOST_BREAKS).for_each(|at| weights[at] = weights[at - 1] / base);
        let mut walk = Self {
            literals,
            starts,
            occurrences,
            firsts,
            states: vec![State::default(); count],
            breaks: vec![0; values.len()],
            values,
            falsified: Vec::new(),
            best: 0,
            since: Vec::new(),
            kept: None,
            weights,
            rng: Rng(seed),
        };
        walk.evaluate();
        walk
    }

    fn is_true(&self, lit: Lit) -> bool {
        self.values[lit.var().index()] == lit.is_positive()
    }

    fn lits(&self, clause: usize) -> &[Lit] {
        &self.literals[self.starts[clause] as usize..self.starts[clause + 1] as usize]
    }

    fn evaluate(&mut self) {
        for clause in 0..self.states.len() {
            let mut state = State::default();
            for &lit in self.lits(clause) {
                if self.is_true(lit) {
                    state.true_literals += 1;
                    state.critical ^= lit.var().0;
                }
            }
            self.states[clause] = state;
            match state.true_literals {
                0 => self.push_false(clause as u32),
                1 => self.breaks[state.critical as usize] += 1,
                _ => {}
            }
        }
        self.best = self.falsified.len();
    }

    fn push_false(&mut self, clause: u32) {
        self.states[clause as usize].place = self.falsified.len() as u32;
        self.falsified.push(clause);
    }

    fn remove_false(&mut self, clause: u32) {
        let place = self.states[clause as usize].place as usize;
        self.falsified.swap_remove(place);
        if let Some(&moved) = self.falsified.get(place) {
            self.states[moved as usize].place = place as u32;
        }
    }

    /// Flips until no clause is false, or until about this many ticks are spent.
    pub(crate) fn run(mut self, budget: u64) -> Walked {
        let (mut visits, mut flips) = (0, 0);
        while !self.falsified.is_empty() && visits / VISITS_PER_TICK < budget {
            let clause = self.falsified[self.rng.below(self.falsified.len())] as usize;
            let var = self.pick(clause);
            visits += 4 + self.flip(var);
            flips += 1;
            self.note_flip(var);
        }
        let values = self.kept.take().unwrap_or_else(|| self.best_values());
        Walked {
            values,
            #[cfg(test)]
            falsified: self.best,
            ticks: visits / VISITS_PER_TICK,
            flips,
        }
    }

    /// Records a flip. If the assignment is the best so far, earlier flips are forgotten.
    fn note_flip(&mut self, var: Var) {
        if self.falsified.len() < self.best {
            self.best = self.falsified.len();
            self.since.clear();
            self.kept = None;
        } else if self.kept.is_none() {
            self.since.push(var);
            if self.since.len() > MOST_FLIPS {
                self.kept = Some(self.best_values());
                self.since.clear();
            }
        }
    }

    /// The best assignment: each flip since then is undone.
    fn best_values(&self) -> Vec<bool> {
        let mut values = self.values.clone();
        self.since.iter().for_each(|var| values[var.index()] ^= true);
        values
    }

    /// Picks a variable of a false clause at random, by weight.
    fn pick(&mut self, clause: usize) -> Var {
        let fraction = self.rng.fraction();
        let weight = |lit: Lit| self.weights[(self.breaks[lit.var().index()] as usize).min(MOST_BREAKS - 1)];
        let literals = self.lits(clause);
        let sum: f64 = literals.iter().map(|&lit| weight(lit)).sum();
        let mut left = sum * fraction;
        let mut picked = literals[0];
        for &lit in literals {
            picked = lit;
            left -= weight(lit);
            if left < 0.0 {
                break;
            }
        }
        picked.var()
    }

    /// Flips a variable. Returns the number of clauses that were visited.
    fn flip(&mut self, var: Var) -> u64 {
        let value = &mut self.values[var.index()];
        *value ^= true;
        let now = if *value { var.positive() } else { var.negative() };
        let (gains, losses) = (self.range(now), self.range(!now));
        let visits = gains.len() + losses.len();
        for at in gains {
            let clause = self.occurrences[at];
            let state = &mut self.states[clause as usize];
            state.true_literals += 1;
            let before = state.critical;
            state.critical ^= var.0;
            match state.true_literals {
                1 => {
                    self.breaks[var.index()] += 1;
                    self.remove_false(clause);
                }
                2 => self.breaks[before as usize] -= 1,
                _ => {}
            }
        }
        for at in losses {
            let clause = self.occurrences[at];
            let state = &mut self.states[clause as usize];
            state.true_literals -= 1;
            state.critical ^= var.0;
            match state.true_literals {
                0 => {
                    self.breaks[var.index()] -= 1;
                    self.push_false(clause);
                }
                1 => self.breaks[state.critical as usize] += 1,
                _ => {}
            }
        }
        visits as u64
    }

    fn range(&self, lit: Lit) -> std::ops::Range<usize> {
        self.firsts[lit.0 as usize] as usize..self.firsts[lit.0 as usize + 1] as usize
    }
}

/// The clauses of each literal, and where those of each literal start.
fn occurrences(literals: &[Lit], starts: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut firsts = vec![0_u32; count + 1];
    literals.iter().for_each(|lit| firsts[lit.0 as usize + 1] += 1);
    (0..count).for_each(|at| firsts[at + 1] += firsts[at]);
    let mut next = firsts.clone();
    let mut occurrences = vec![0; literals.len()];
    for (clause, range) in starts.windows(2).enumerate() {
        for lit in &literals[range[0] as usize..range[1] as usize] {
            let at = &mut next[lit.0 as usize];
            occurrences[*at as usize] = clause as u32;
            *at += 1;
        }
    }
    (firsts, occurrences)
}

fn base(average: f64) -> f64 {
    let after = BASES.iter().position(|&(length, _)| length >= average);
    let Some(after) = after else { return BASES[BASES.len() - 1].1 };
    let ((x1, y1), (x2, y2)) = (BASES[after.saturating_sub(1)], BASES[after]);
    if x1 < x2 { y1 + (y2 - y1) * (average - x1) / (x2 - x1) } else { y2 }
}

/// True if all given clauses have the same number of literals, at least three: typical of random formulas.
fn is_uniform(clauses: &Clauses) -> bool {
    let given = clauses.iter().filter(|&clause| clauses.kind(clause) == ClauseKind::Given);
    let mut lengths = given.map(|clause| clauses.len(clause));
    let Some(first) = lengths.next().filter(|&first| first >= 3) else { return false };
    lengths.all(|length| length == first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::ClauseId;

    /// Random clauses of three literals that a hidden assignment satisfies: the search finds a model, and what it
    /// returns has as many false clauses as it says.
    #[test]
    fn finds_models_and_counts_false_clauses() {
        let mut rng = Rng(5);
        for round in 0..30 {
            let (vars, mut trail, mut clauses) = (60, Trail::new(), Clauses::default());
            (0..vars).for_each(|_| _ = trail.new_var());
            for _ in 0..vars * 3 {
                let mut lits: Vec<Lit> = Vec::new();
                while lits.len() < 3 {
                    let lit = Lit(rng.below(2 * vars) as u32);
                    if lits.iter().all(|other| other.var() != lit.var()) {
                        lits.push(lit);
                    }
                }
                lits[0] = lits[0].var().positive();
                clauses.add(&lits, ClauseId(1), ClauseKind::Given, 0);
            }
            assert!(is_uniform(&clauses));
            let budget = if round % 2 == 0 { 10 } else { 1_000_000 };
            let walk = Walk::new(&clauses, &trail, vec![false; vars], round);
            let walked = walk.run(budget);
            let is_false =
                |clause| clauses.lits(clause).all(|lit| walked.values[lit.var().index()] != lit.is_positive());
            assert_eq!(clauses.iter().filter(|&clause| is_false(clause)).count(), walked.falsified);
            assert!(round % 2 == 0 || walked.falsified == 0);
        }
    }

    #[test]
    fn bases_are_interpolated() {
        assert!((base(3.0) - 2.5).abs() < 1e-9 && (base(3.5) - 2.675).abs() < 1e-9);
        assert!((base(0.0) - 2.0).abs() < 1e-9 && (base(20.0) - 5.4).abs() < 1e-9);
    }
}
