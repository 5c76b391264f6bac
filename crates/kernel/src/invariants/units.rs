//! Unit propagation by counting (Dowling and Gallier 1984). For each clause the number of literals that are not
//! false yet is counted. If this number becomes 0 there is a conflict; if it becomes 1, the remaining literal
//! must be true.

use crate::Check;
use crate::work::Work;

/// A growing set of clauses.
#[derive(Debug)]
pub(super) struct Units {
    clauses: Vec<Vec<i32>>,
    /// For each literal: the clauses that contain it. A clause that contains it twice is listed twice.
    having: Vec<Vec<u32>>,
    /// The literals of unit clauses.
    alone: Vec<i32>,
    has_empty: bool,
}

fn code(literal: i32) -> usize {
    2 * (literal.unsigned_abs() as usize - 1) + usize::from(literal < 0)
}

impl Units {
    /// Creates an empty set of clauses over `variables` variables.
    pub(super) fn new(variables: usize, work: &Work<'_>) -> Check<Self> {
        work.grow(variables.saturating_mul(2 * size_of::<Vec<u32>>()))?;
        Ok(Self { clauses: Vec::new(), having: vec![Vec::new(); 2 * variables], alone: Vec::new(), has_empty: false })
    }

    /// Adds a clause over the variables of the set.
    pub(super) fn add(&mut self, clause: Vec<i32>, work: &mut Work<'_>) -> Check<()> {
        debug_assert!(clause.iter().all(|&l| l != 0 && code(l) < self.having.len()), "variables are known");
        work.spend(1 + clause.len() as u64)?;
        work.grow(size_of::<Vec<i32>>() + 2 * clause.len() * size_of::<i32>())?;
        clause.iter().for_each(|&l| self.having[code(l)].push(self.clauses.len() as u32));
        match clause[..] {
            [] => self.has_empty = true,
            [one] => self.alone.push(one),
            _ => {}
        }
        self.clauses.push(clause);
        Ok(())
    }

    /// Returns true if `clause` follows by reverse unit propagation: making all of its literals false
    /// propagates to a conflict.
    pub(super) fn imply(&self, clause: &[i32], work: &mut Work<'_>) -> Check<bool> {
        work.spend(1 + (self.clauses.len() + self.having.len()) as u64 / 8)?;
        let mut left: Vec<u32> = self.clauses.iter().map(|clause| clause.len() as u32).collect();
        let mut holds = vec![false; self.having.len()];
        let mut open: Vec<i32> = clause.iter().map(|l| -l).chain(self.alone.iter().copied()).collect();
        let mut conflict = self.has_empty;
        while let Some(literal) = open.pop().filter(|_| !conflict) {
            if std::mem::replace(&mut holds[code(literal)], true) {
                continue;
            }
            conflict = holds[code(-literal)];
            work.spend(1 + self.having[code(-literal)].len() as u64)?;
            for &number in &self.having[code(-literal)] {
                let left = &mut left[number as usize];
                debug_assert!(*left > 0, "a literal becomes false once");
                *left -= 1;
                conflict |= *left == 0;
                if *left == 1 {
                    let clause = &self.clauses[number as usize];
                    work.spend(clause.len() as u64)?;
                    open.extend(clause.iter().find(|&&l| !holds[code(-l)]));
                }
            }
        }
        Ok(conflict)
    }
}
