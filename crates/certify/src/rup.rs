//! Reverse unit propagation: a clause follows from other clauses if unit propagation ends in a conflict after
//! the negation of all its literals is assumed (Goldberg and Novikov 2003). Each clause has two watched
//! literals (Moskewicz et al. 2001). The search for a new watch resumes where it last ended (Gent 2013),
//! because clauses may be long.
//!
//! After a deletion fewer clauses follow, never more. So deletion may be lazy, and literals that were concluded
//! at level 0 (without assumptions) stay.

use crate::Check;
use crate::clauses::variable;
use kernel::Work;

/// A reference to an added clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClauseRef(u32);

/// A growing set of clauses that borrows their literals.
pub(crate) struct Rup<'a> {
    clauses: Vec<Clause<'a>>,
    /// For each literal code: the clauses that watch the literal.
    watches: Vec<Vec<u32>>,
    /// For each literal code: true if the literal is true.
    holds: Vec<bool>,
    trail: Vec<i32>,
    /// Number of trail entries that have been propagated.
    done: usize,
    /// True if the clauses are contradictory by propagation alone.
    refuted: bool,
}

struct Clause<'a> {
    literals: &'a [i32],
    watched: [i32; 2],
    resume: usize,
    alive: bool,
}

fn code(literal: i32) -> usize {
    2 * variable(literal) + usize::from(literal < 0)
}

impl<'a> Rup<'a> {
    pub(crate) fn new(variables: usize) -> Self {
        Self {
            clauses: Vec::new(),
            watches: vec![Vec::new(); 2 * variables],
            holds: vec![false; 2 * variables],
            trail: Vec::new(),
            done: 0,
            refuted: false,
        }
    }

    /// Adds a clause. It stays until it is deleted.
    pub(crate) fn add(&mut self, literals: &'a [i32], work: &mut Work<'_>) -> Check<ClauseRef> {
        work.spend(1 + literals.len() as u64)?;
        work.grow(size_of::<Clause<'_>>())?;
        let name = self.clauses.len() as u32;
        let mut free = literals.iter().copied().filter(|&l| !self.is_false(l));
        let first = free.next();
        let second = free.find(|&l| Some(l) != first);
        let satisfied = literals.iter().any(|&l| self.is_true(l));
        let watched = [first.unwrap_or(0), second.unwrap_or(0)];
        let attached = !satisfied && second.is_some();
        self.clauses.push(Clause { literals, watched, resume: 0, alive: attached });
        match (first, satisfied) {
            _ if attached => watched.iter().for_each(|&l| self.watches[code(l)].push(name)),
            (None, _) => self.refuted = true,
            (Some(_), true) => {}
            (Some(unit), false) => {
                self.assume(unit);
                self.refuted |= self.propagate(work)?;
            }
        }
        Ok(ClauseRef(name))
    }

    /// Deletes a clause.
    pub(crate) fn delete(&mut self, clause: ClauseRef) {
        self.clauses[clause.0 as usize].alive = false;
    }

    /// True if `clause` follows by reverse unit propagation.
    pub(crate) fn implies(&mut self, clause: &[i32], work: &mut Work<'_>) -> Check<bool> {
        work.spend(1 + clause.len() as u64)?;
        if self.refuted {
            return Ok(true);
        }
        let fixed = self.trail.len();
        let mut conflict = false;
        for &literal in clause {
            conflict |= self.is_true(literal);
            if !self.is_true(literal) && !self.is_false(literal) {
                self.assume(-literal);
            }
        }
        let conflict = conflict || self.propagate(work)?;
        for literal in self.trail.drain(fixed..) {
            self.holds[code(literal)] = false;
        }
        self.done = fixed;
        Ok(conflict)
    }

    fn is_true(&self, literal: i32) -> bool {
        self.holds[code(literal)]
    }

    fn is_false(&self, literal: i32) -> bool {
        self.holds[code(-literal)]
    }

    fn assume(&mut self, literal: i32) {
        debug_assert!(!self.is_true(literal) && !self.is_false(literal), "assigned once");
        self.holds[code(literal)] = true;
        self.trail.push(literal);
    }

    /// Propagates until nothing changes. Returns true on a conflict.
    fn propagate(&mut self, work: &mut Work<'_>) -> Check<bool> {
        while let Some(&literal) = self.trail.get(self.done) {
            self.done += 1;
            if self.visit(-literal, work)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Inspects the clauses that watch `falsified`, a literal that has become false. Returns true on a
    /// conflict.
    fn visit(&mut self, falsified: i32, work: &mut Work<'_>) -> Check<bool> {
        let mut watchers = std::mem::take(&mut self.watches[code(falsified)]);
        let (mut kept, mut conflict) = (0, false);
        work.spend(watchers.len() as u64)?;
        for at in 0..watchers.len() {
            let name = watchers[at];
            if conflict || self.stays(name, falsified, &mut conflict, work)? {
                watchers[kept] = name;
                kept += 1;
            }
        }
        watchers.truncate(kept);
        self.watches[code(falsified)] = watchers;
        Ok(conflict)
    }

    /// Replaces the watch `falsified` of clause `name` by another literal. If no other literal is suitable, the
    /// other watch must hold. Then the other watch is assumed, or, if it is false, `conflict` is set. Returns
    /// true if the clause keeps watching `falsified`.
    fn stays(&mut self, name: u32, falsified: i32, conflict: &mut bool, work: &mut Work<'_>) -> Check<bool> {
        let clause = &self.clauses[name as usize];
        if !clause.alive {
            return Ok(false);
        }
        let side = usize::from(clause.watched[1] == falsified);
        let other = clause.watched[1 - side];
        if self.is_true(other) {
            return Ok(true);
        }
        let (before, after) = clause.literals.split_at(clause.resume);
        let free = |&l: &i32| l != other && !self.is_false(l);
        let found = after.iter().position(free).map(|i| clause.resume + i).or_else(|| before.iter().position(free));
        work.spend(1 + found.map_or(clause.literals.len(), |f| f.abs_diff(clause.resume)) as u64)?;
        match found {
            Some(position) => {
                let literal = clause.literals[position];
                self.watches[code(literal)].push(name);
                let clause = &mut self.clauses[name as usize];
                clause.watched[side] = literal;
                clause.resume = position;
                Ok(false)
            }
            None if self.is_false(other) => {
                *conflict = true;
                Ok(true)
            }
            None => {
                self.assume(other);
                Ok(true)
            }
        }
    }
}
