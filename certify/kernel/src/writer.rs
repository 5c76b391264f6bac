//! Formulas, written clause by clause: gates by their equivalences (Tseitin 1968), the rest by implications.

use crate::work::Work;
use crate::{Check, Refusal};
use model::cnf::Cnf;

/// So many literals exclude each other pairwise; more of them get a counter.
const PAIRWISE: usize = 5;

/// A formula in the making.
#[derive(Default, Debug)]
pub struct Writer {
    cnf: Cnf,
    /// Always true, once it is needed.
    truth: Option<i32>,
}

impl Writer {
    /// No clause yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The formula.
    #[must_use]
    pub fn finish(self) -> Cnf {
        self.cnf
    }

    /// A new variable.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn variable(&mut self, work: &mut Work<'_>) -> Check<i32> {
        work.spend(1)?;
        self.cnf.vars += 1;
        i32::try_from(self.cnf.vars).map_err(|_| Refusal::TooDear)
    }

    /// So many new variables.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn variables(&mut self, count: usize, work: &mut Work<'_>) -> Check<Vec<i32>> {
        work.grow(count * size_of::<i32>())?;
        (0..count).map(|_| self.variable(work)).collect()
    }

    /// A literal that is true.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn truth(&mut self, work: &mut Work<'_>) -> Check<i32> {
        if let Some(truth) = self.truth {
            return Ok(truth);
        }
        let truth = self.variable(work)?;
        self.add([truth], work)?;
        self.truth = Some(truth);
        Ok(truth)
    }

    /// A clause.
    ///
    /// # Errors
    /// Beyond the limits.
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

    /// `gate` is true iff both are.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn and(&mut self, gate: i32, a: i32, b: i32, work: &mut Work<'_>) -> Check<()> {
        self.add([-gate, a], work)?;
        self.add([-gate, b], work)?;
        self.add([gate, -a, -b], work)
    }

    /// At most one of these is true.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn at_most_one(&mut self, literals: &[i32], work: &mut Work<'_>) -> Check<()> {
        if literals.len() <= PAIRWISE {
            for (i, a) in literals.iter().enumerate() {
                for b in &literals[..i] {
                    self.add([-a, -b], work)?;
                }
            }
            return Ok(());
        }
        // One of those so far is true: a counter up to one (Sinz 2005).
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

    /// All of these clauses hold. `literal` says what the bits are.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn all_hold(&mut self, clauses: &[Vec<i32>], literal: impl Fn(usize) -> i32, work: &mut Work<'_>) -> Check<()> {
        clauses.iter().try_for_each(|clause| self.add(clause.iter().map(|&l| of(l, &literal)), work))
    }

    /// One of these clauses is broken: a variable for each of them, which makes all of its literals false. The last
    /// clause of the formula, which is the longest if there are many, has these variables.
    ///
    /// # Errors
    /// Beyond the limits.
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

/// What a clause's literal (as in DIMACS, over bits) is in a formula where `literal` says what the bits are.
fn of(l: i32, literal: &impl Fn(usize) -> i32) -> i32 {
    let bit = literal(l.unsigned_abs() as usize - 1);
    if l > 0 { bit } else { -bit }
}
