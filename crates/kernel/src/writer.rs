//! A builder of formulas, clause by clause. A gate (a literal that stands for a conjunction) is defined by an
//! equivalence (Tseitin 1968); everything else is written as implications.

use crate::work::Work;
use crate::{Check, Refusal};
use model::cnf::Cnf;

/// At-most-one constraints over at most this many literals exclude each pair; longer constraints use a counter.
const PAIRWISE: usize = 5;

/// A formula under construction.
#[derive(Default, Debug)]
pub struct Writer {
    cnf: Cnf,
    /// A literal that is always true, created on first use.
    truth: Option<i32>,
}

impl Writer {
    /// Creates a formula without clauses.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the formula.
    #[must_use]
    pub fn finish(self) -> Cnf {
        self.cnf
    }

    /// Returns a new variable.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn variable(&mut self, work: &mut Work<'_>) -> Check<i32> {
        work.spend(1)?;
        self.cnf.vars += 1;
        i32::try_from(self.cnf.vars).map_err(|_| Refusal::ResourceLimit)
    }

    /// Returns `count` new variables.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn variables(&mut self, count: usize, work: &mut Work<'_>) -> Check<Vec<i32>> {
        work.grow(count * size_of::<i32>())?;
        (0..count).map(|_| self.variable(work)).collect()
    }

    /// Returns a literal that is true in every model.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn truth(&mut self, work: &mut Work<'_>) -> Check<i32> {
        if let Some(truth) = self.truth {
            return Ok(truth);
        }
        let truth = self.variable(work)?;
        self.add([truth], work)?;
        self.truth = Some(truth);
        Ok(truth)
    }

    /// Adds a clause.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn add(&mut self, clause: impl IntoIterator<Item = i32>, work: &mut Work<'_>) -> Check<()> {
        let clause: Vec<i32> = clause.into_iter().collect();
        debug_assert!(clause.iter().all(|&l| l != 0 && l.unsigned_abs() <= self.cnf.vars), "literals are known");
        work.spend(2 + clause.len() as u64)?;
        if self.cnf.clauses.len() == self.cnf.clauses.capacity() {
            work.grow(2 * size_of::<Vec<i32>>() * (self.cnf.clauses.len() + 1))?;
        }
        work.grow(clause.len() * size_of::<i32>())?;
        self.cnf.clauses.push(clause);
        Ok(())
    }

    /// Adds the clauses "`gate` is true iff `a` and `b` are true".
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn and(&mut self, gate: i32, a: i32, b: i32, work: &mut Work<'_>) -> Check<()> {
        self.add([-gate, a], work)?;
        self.add([-gate, b], work)?;
        self.add([gate, -a, -b], work)
    }

    /// Adds clauses for "at most one of these literals is true".
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn at_most_one(&mut self, literals: &[i32], work: &mut Work<'_>) -> Check<()> {
        if literals.len() <= PAIRWISE {
            for (i, a) in literals.iter().enumerate() {
                for b in &literals[..i] {
                    self.add([-a, -b], work)?;
                }
            }
            return Ok(());
        }
        // `before` is true if one of the literals so far is true. This is a counter up to one (Sinz 2005).
        let mut before = literals[0];
        for &literal in &literals[1..] {
            self.add([-before, -literal], work)?;
            let so_far = self.variable(work)?;
            self.add([-before, so_far], work)?;
            self.add([-literal, so_far], work)?;
            before = so_far;
        }
        Ok(())
    }

    /// Adds all of `clauses`. `literal` maps the index of a bit to its literal in the formula.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn all_hold(&mut self, clauses: &[Vec<i32>], literal: impl Fn(usize) -> i32, work: &mut Work<'_>) -> Check<()> {
        clauses.iter().try_for_each(|clause| self.add(clause.iter().map(|&l| of(l, &literal)), work))
    }

    /// Adds clauses for "at least one of `clauses` is broken". Each clause gets a variable; if the variable is
    /// true, all literals of the clause are false. The last clause added contains all these variables; if there
    /// are many, it is the longest clause of the formula.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn some_is_broken(
        &mut self,
        clauses: &[Vec<i32>],
        literal: impl Fn(usize) -> i32,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let mut broken = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let this = self.variable(work)?;
            for &l in clause {
                self.add([-this, -of(l, &literal)], work)?;
            }
            broken.push(this);
        }
        self.add(broken, work)
    }
}

/// Maps a literal of a clause (as in DIMACS, over bits) to a literal of the formula, where `literal` maps the
/// index of a bit.
fn of(l: i32, literal: &impl Fn(usize) -> i32) -> i32 {
    let bit = literal(l.unsigned_abs() as usize - 1);
    if l > 0 { bit } else { -bit }
}
