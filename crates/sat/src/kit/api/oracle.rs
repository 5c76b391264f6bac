//! A slow, simple decision procedure that shares no code with the solver: splitting (Davis, Logemann,
//! Loveland). When few variables are unassigned, it evaluates the truth table over these variables, 64 rows at
//! a time.

use crate::lit::{Lit, Var};

/// Truth tables are used for at most this number of unassigned variables.
const TABLE_VARS: usize = 12;
/// Number of steps before the procedure gives up, so that a hard trace does not delay the others.
const SPLITS: usize = 20_000;

/// Decides whether the clauses have a model in which the assumed literals hold; `None` if that takes too many
/// steps.
pub(super) fn is_satisfiable(clauses: &[Vec<Lit>], assumed: &[Lit]) -> Option<bool> {
    Search::new(clauses, assumed).run(TABLE_VARS)
}

/// The next step after propagation.
enum Next {
    Model,
    Split(Lit),
    Dead,
}

struct Search<'a> {
    clauses: &'a [Vec<Lit>],
    /// For each variable: its value, if it is assigned.
    values: Vec<Option<bool>>,
    trail: Vec<Lit>,
    /// Literals that were split on and not yet negated, each with the length of the trail before it.
    splits: Vec<(Lit, usize)>,
    is_over: bool,
}

impl<'a> Search<'a> {
    fn new(clauses: &'a [Vec<Lit>], assumed: &[Lit]) -> Self {
        let vars = clauses.iter().flatten().chain(assumed).map(|lit| lit.var().index() + 1).max().unwrap_or(0);
        let mut search =
            Self { clauses, values: vec![None; vars], trail: Vec::new(), splits: Vec::new(), is_over: false };
        for &lit in assumed {
            search.is_over |= !search.assign(lit);
        }
        search
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.values[lit.var().index()].map(|value| value == lit.is_positive())
    }

    /// Makes `lit` true if it is unassigned. Returns false if it is false.
    fn assign(&mut self, lit: Lit) -> bool {
        if self.value(lit).is_none() {
            self.values[lit.var().index()] = Some(lit.is_positive());
            self.trail.push(lit);
        }
        self.value(lit) == Some(true)
    }

    fn run(mut self, table_vars: usize) -> Option<bool> {
        if self.is_over {
            return Some(false);
        }
        for _ in 0..SPLITS {
            let is_left = match if self.propagate() { self.split(table_vars) } else { Next::Dead } {
                Next::Model => return Some(true),
                Next::Split(lit) => {
                    self.splits.push((lit, self.trail.len()));
                    self.assign(lit)
                }
                Next::Dead => self.go_back(),
            };
            if !is_left {
                return Some(false);
            }
        }
        None
    }

    /// Chooses the next step: a split on a literal of the shortest clause that is not true yet, or the truth
    /// table if few variables are unassigned.
    fn split(&mut self, table_vars: usize) -> Next {
        let (mut shortest, mut vars): (Option<(usize, Lit)>, Vec<Var>) = (None, Vec::new());
        for clause in self.clauses.iter().filter(|clause| self.is_open(clause)) {
            let (mut length, mut first) = (0, None);
            for &lit in clause.iter().filter(|&&lit| self.value(lit).is_none()) {
                length += 1;
                first = first.or(Some(lit));
                if vars.len() <= table_vars && !vars.contains(&lit.var()) {
                    vars.push(lit.var());
                }
            }
            if let Some(lit) = first.filter(|_| shortest.is_none_or(|(least, _)| length < least)) {
                shortest = Some((length, lit));
            }
        }
        match shortest {
            None => Next::Model,
            Some((_, lit)) if vars.len() > table_vars => Next::Split(lit),
            Some(_) if has_model(&self.open_clauses(), &vars) => Next::Model,
            Some(_) => Next::Dead,
        }
    }

    /// True if no literal of the clause is true.
    fn is_open(&self, clause: &[Lit]) -> bool {
        !clause.iter().any(|&lit| self.value(lit) == Some(true))
    }

    /// Propagates unit clauses until nothing changes. Returns false if a clause is false.
    fn propagate(&mut self) -> bool {
        loop {
            let before = self.trail.len();
            for clause in self.clauses {
                if !self.is_open(clause) {
                    continue;
                }
                let mut open = clause.iter().copied().filter(|&lit| self.value(lit).is_none());
                match (open.next(), open.next()) {
                    (None, _) => return false,
                    (Some(unit), None) => _ = self.assign(unit),
                    _ => {}
                }
            }
            if self.trail.len() == before {
                return true;
            }
        }
    }

    /// The unassigned literals of the clauses that are not true.
    fn open_clauses(&self) -> Vec<Vec<Lit>> {
        let rest = |clause: &Vec<Lit>| clause.iter().copied().filter(|&lit| self.value(lit).is_none()).collect();
        self.clauses.iter().filter(|clause| self.is_open(clause)).map(rest).collect()
    }

    /// Backtracks to the newest split and negates it. Returns false if no split is left.
    fn go_back(&mut self) -> bool {
        let Some((lit, length)) = self.splits.pop() else { return false };
        for undone in self.trail.drain(length..) {
            self.values[undone.var().index()] = None;
        }
        self.assign(!lit)
    }
}

/// Evaluates the truth table over `vars`, 64 rows at a time. Returns true if some row satisfies all clauses.
fn has_model(clauses: &[Vec<Lit>], vars: &[Var]) -> bool {
    let words = 1usize << vars.len().saturating_sub(6);
    (0..words).any(|word| {
        let rows = clauses
            .iter()
            .fold(u64::MAX, |rows, clause| rows & clause.iter().fold(0, |some, &lit| some | column(lit, vars, word)));
        rows != 0
    })
}

/// The rows of this word, out of 64, in which `lit` is true.
fn column(lit: Lit, vars: &[Var], word: usize) -> u64 {
    const LOW: [u64; 6] = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];
    let Some(at) = vars.iter().position(|&var| var == lit.var()) else { return 0 };
    let positive = match LOW.get(at) {
        Some(&pattern) => pattern,
        None if word >> (at - LOW.len()) & 1 == 1 => u64::MAX,
        None => 0,
    };
    if lit.is_positive() { positive } else { !positive }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Pure splitting, pure tables and both together agree. The test also counts how often each answer occurs.
    #[test]
    fn splitting_and_tables_agree() {
        let mut rng = Rng(1);
        let mut counts = [0; 2];
        for _ in 0..2000 {
            let vars = 3 + rng.below(8);
            let clauses: Vec<Vec<Lit>> = (0..5 * vars / 2)
                .map(|_| (0..1 + rng.below(5)).map(|_| Lit((rng.below(2 * vars)) as u32)).collect())
                .collect();
            let by_hand = (0..1usize << vars).any(|row| {
                let holds = |lit: &Lit| (row >> lit.var().index() & 1 == 1) == lit.is_positive();
                clauses.iter().all(|clause| clause.iter().any(holds))
            });
            counts[usize::from(by_hand)] += 1;
            for table_vars in [0, 3, TABLE_VARS] {
                assert_eq!(Search::new(&clauses, &[]).run(table_vars), Some(by_hand), "{clauses:?}");
            }
        }
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }

    #[test]
    fn assumptions_count() {
        let [a, b] = [Lit::from_dimacs(1), Lit::from_dimacs(2)];
        assert_eq!(is_satisfiable(&[vec![a, b]], &[!a]), Some(true));
        assert_eq!(is_satisfiable(&[vec![a, b]], &[!a, !b]), Some(false));
        assert_eq!(is_satisfiable(&[], &[a, !a]), Some(false));
        assert_eq!(is_satisfiable(&[vec![]], &[]), Some(false));
    }
}
