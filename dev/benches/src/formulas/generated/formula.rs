//! A formula under construction: gates (Tseitin 1968) and counters (Sinz 2005).

use model::cnf::Cnf;

/// A literal: a variable number, negative when negated.
pub(super) type Lit = i32;

#[derive(Default)]
pub(super) struct Formula {
    cnf: Cnf,
    /// A literal that is always true. Created on first use.
    yes: Option<Lit>,
}

impl Formula {
    pub(super) fn finish(self) -> Cnf {
        self.cnf
    }

    pub(super) fn var(&mut self) -> Lit {
        self.cnf.vars += 1;
        i32::try_from(self.cnf.vars).expect("generated formulas are small")
    }

    pub(super) fn vars(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.var()).collect()
    }

    /// Returns a grid of `rows` times `columns` new variables.
    pub(super) fn grid(&mut self, rows: usize, columns: usize) -> Vec<Vec<Lit>> {
        (0..rows).map(|_| self.vars(columns)).collect()
    }

    pub(super) fn clause(&mut self, literals: &[Lit]) {
        self.cnf.clauses.push(literals.to_vec());
    }

    /// Adds that `if_all` together imply one of `then`.
    pub(super) fn implies(&mut self, if_all: &[Lit], then: &[Lit]) {
        self.cnf.clauses.push(if_all.iter().map(|l| -l).chain(then.iter().copied()).collect());
    }

    /// Returns a literal that is always true.
    pub(super) fn yes(&mut self) -> Lit {
        if let Some(yes) = self.yes {
            return yes;
        }
        let yes = self.var();
        self.clause(&[yes]);
        *self.yes.insert(yes)
    }

    pub(super) fn constant(&mut self, value: bool) -> Lit {
        let yes = self.yes();
        if value { yes } else { -yes }
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let both = self.var();
        self.implies(&[both], &[a]);
        self.implies(&[both], &[b]);
        self.implies(&[a, b], &[both]);
        both
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        -self.and(-a, -b)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let odd = self.var();
        self.parity(&[a, b, odd], false);
        odd
    }

    /// Returns a literal that equals `yes` if `condition`, else `no`.
    pub(super) fn choose(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        let chosen = self.var();
        self.implies(&[condition, yes], &[chosen]);
        self.implies(&[condition, -yes], &[-chosen]);
        self.implies(&[-condition, no], &[chosen]);
        self.implies(&[-condition, -no], &[-chosen]);
        chosen
    }

    /// Returns a literal that is true if at least two of three are.
    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let most = self.var();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.implies(&[x, y], &[most]);
            self.implies(&[-x, -y], &[-most]);
        }
        most
    }

    /// Returns the sum of two numbers of equal length, low bits first, modulo their range.
    pub(super) fn sum(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let mut carry = self.constant(false);
        let mut sum = Vec::new();
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            carry = self.majority(x, y, carry);
        }
        sum
    }

    /// Adds that an odd (or even) number of the literals hold, with one clause for each excluded assignment.
    /// For few literals only.
    pub(super) fn parity(&mut self, literals: &[Lit], odd: bool) {
        for signs in 0u32..1 << literals.len() {
            // The clause excludes the assignment that makes all its literals false.
            if (signs.count_ones() % 2 == 1) != odd {
                let lits = literals.iter().enumerate().map(|(i, &l)| if signs >> i & 1 == 1 { -l } else { l });
                self.cnf.clauses.push(lits.collect());
            }
        }
    }

    pub(super) fn at_most_one(&mut self, literals: &[Lit]) {
        for (i, &a) in literals.iter().enumerate() {
            for &b in &literals[..i] {
                self.clause(&[-a, -b]);
            }
        }
    }

    pub(super) fn exactly_one(&mut self, literals: &[Lit]) {
        self.clause(literals);
        self.at_most_one(literals);
    }

    /// Adds that at most `most` of the literals hold, with a sequential counter.
    pub(super) fn at_most(&mut self, literals: &[Lit], most: usize) {
        let mut before: Vec<Lit> = Vec::new();
        for &literal in literals {
            if let Some(&full) = before.get(most.wrapping_sub(1)) {
                self.clause(&[-literal, -full]);
            } else if most == 0 {
                self.clause(&[-literal]);
            }
            let counted = self.vars((before.len() + 1).min(most));
            for (i, &at_least) in counted.iter().enumerate() {
                if let Some(&same) = before.get(i) {
                    self.implies(&[same], &[at_least]);
                }
                match i.checked_sub(1) {
                    None => self.implies(&[literal], &[at_least]),
                    Some(fewer) => self.implies(&[literal, before[fewer]], &[at_least]),
                }
            }
            before = counted;
        }
    }

    pub(super) fn at_least(&mut self, literals: &[Lit], least: usize) {
        let others: Vec<Lit> = literals.iter().map(|l| -l).collect();
        self.at_most(&others, literals.len().saturating_sub(least));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat::{DecidedBy, Options, SolveResult, Solver, Tag};

    /// Returns the number of assignments of the first `first` variables that can be completed to models.
    fn models(formula: Formula, first: u32) -> u32 {
        let cnf = formula.finish();
        let mut solver = Solver::new(Options::default());
        for _ in 0..cnf.vars {
            solver.new_var(DecidedBy::Host);
        }
        for clause in &cnf.clauses {
            let lits: Vec<sat::Lit> = clause.iter().map(|&l| sat::Lit::from_dimacs(l)).collect();
            solver.add_clause(Tag(0), &lits);
        }
        let assumed = |bits: u32| -> Vec<sat::Lit> {
            let lit = |v: u32| sat::Lit::from_dimacs(if bits >> v & 1 == 1 { v as i32 + 1 } else { -(v as i32) - 1 });
            (0..first).map(lit).collect()
        };
        (0u32..1 << first).filter(|&bits| solver.solve(&assumed(bits)) == SolveResult::Sat).count() as u32
    }

    #[test]
    fn counters_count() {
        for (most, expected) in [(0, 1), (1, 6), (2, 16), (4, 31), (5, 32), (7, 32)] {
            let mut formula = Formula::default();
            let lits = formula.vars(5);
            formula.at_most(&lits, most);
            assert_eq!(models(formula, 5), expected, "at most {most} of 5");
        }
        let mut formula = Formula::default();
        let lits = formula.vars(5);
        formula.at_least(&lits, 4);
        assert_eq!(models(formula, 5), 6);
    }

    #[test]
    fn adders_add() {
        let mut formula = Formula::default();
        let (a, b, c) = (formula.vars(3), formula.vars(3), formula.vars(3));
        let sum = formula.sum(&a, &b);
        for (&x, &y) in sum.iter().zip(&c) {
            formula.parity(&[x, y], false);
        }
        // Each pair has exactly one sum, and the sum is right for one example.
        assert_eq!(models(formula, 9), 64);
        let mut formula = Formula::default();
        let numbers: Vec<Lit> = [1, 1, 0, 0, 1, 1].iter().map(|&bit| formula.constant(bit == 1)).collect();
        let sum = formula.sum(&numbers[..3], &numbers[3..]);
        for (&bit, value) in sum.iter().zip([true, false, false]) {
            formula.clause(&[if value { bit } else { -bit }]);
        }
        assert_eq!(models(formula, 0), 1, "3 + 6 = 9, modulo 8");
    }

    #[test]
    fn gates_do_what_they_say() {
        let check = |gate: fn(&mut Formula, &[Lit]) -> Lit, ones: u32| {
            let mut formula = Formula::default();
            let inputs = formula.vars(3);
            let output = gate(&mut formula, &inputs);
            formula.clause(&[output]);
            assert_eq!(models(formula, 3), ones);
        };
        check(|f, i| f.and(i[0], i[1]), 2);
        check(|f, i| f.or(i[0], i[1]), 6);
        check(|f, i| f.xor(i[0], i[1]), 4);
        check(|f, i| f.majority(i[0], i[1], i[2]), 4);
        check(|f, i| f.choose(i[0], i[1], i[2]), 4);
        check(|f, i| f.choose(i[0], i[1], -i[1]), 4);
    }
}
