//! A proof listener that checks each step of the clause log when the solver reports it: strictly along the
//! hints, or by reverse unit propagation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::lit::Lit;
use crate::proof::{ClauseId, Proof};
use crate::theory::Tag;

/// The method of proof checking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rigor {
    /// The proof is not checked, and no listener is set.
    Off,
    /// By unit propagation; the solver collects no hints.
    Propagation,
    /// By propagation along the hints, in order, and without other clauses.
    Hints,
}

impl Rigor {
    pub(super) const ALL: [(Self, &'static str); 3] =
        [(Self::Off, "off"), (Self::Propagation, "propagation"), (Self::Hints, "hints")];
}

/// The log so far.
pub(super) struct Log {
    rigor: Rigor,
    last: u64,
    live: BTreeMap<ClauseId, Vec<Lit>>,
    /// Clauses that may be logged as axioms, with sorted literals.
    given: BTreeSet<(Tag, Vec<Lit>)>,
    /// Clauses that may be logged as axioms with the negation of a guard added. The solver chooses the guard.
    temporary: BTreeSet<(Tag, Vec<Lit>)>,
    /// Negations of the guards of temporary clauses.
    pub(super) guards: BTreeSet<Lit>,
    pub(super) last_derived: Option<Vec<Lit>>,
    pub(super) wrong: Option<String>,
    /// Hash of all clauses logged.
    pub(super) digest: u64,
}

/// The log, shared by the solver, the theory and the run.
#[derive(Clone)]
pub(super) struct Listener(Arc<Mutex<Log>>);

impl Listener {
    pub(super) fn new(rigor: Rigor) -> Self {
        Self(Arc::new(Mutex::new(Log {
            rigor,
            last: 0,
            live: BTreeMap::new(),
            given: BTreeSet::new(),
            temporary: BTreeSet::new(),
            guards: BTreeSet::new(),
            last_derived: None,
            wrong: None,
            digest: 0,
        })))
    }

    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a clause that the host or a theory gives to the solver.
    pub(super) fn give(&self, tag: Tag, clause: &[Lit]) {
        self.log().given.insert((tag, ordered(clause)));
    }

    /// Records a clause that is given to the solver as temporary. The solver will log it with the negation of a
    /// guard.
    pub(super) fn give_temporary(&self, tag: Tag, clause: &[Lit]) {
        self.log().temporary.insert((tag, ordered(clause)));
    }
}

fn ordered(clause: &[Lit]) -> Vec<Lit> {
    let mut clause = clause.to_vec();
    clause.sort_unstable();
    clause.dedup();
    clause
}

/// Literals assumed or found true while a clause is checked.
struct Facts(BTreeSet<Lit>);

/// The state of a clause under the facts (the literals assumed or found true).
enum Said {
    False,
    Unit(Lit),
    /// The clause is true, or two of its literals are unassigned.
    Nothing,
}

impl Facts {
    fn against(clause: &[Lit]) -> Self {
        Self(clause.iter().map(|&lit| !lit).collect())
    }

    fn hear(&self, clause: &[Lit]) -> Said {
        let mut unit = None;
        for &lit in clause {
            if self.0.contains(&lit) {
                return Said::Nothing;
            }
            if !self.0.contains(&!lit) && unit.replace(lit).is_some_and(|other| other != lit) {
                return Said::Nothing;
            }
        }
        unit.map_or(Said::False, Said::Unit)
    }
}

impl Log {
    fn complain(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    fn number(&mut self, id: ClauseId) {
        if id.0 != self.last + 1 {
            self.complain(format!("clause {} is told after {}", id.0, self.last));
        }
        self.last = id.0;
    }

    fn digest(&mut self, clause: &[Lit]) {
        for &lit in clause {
            self.digest = mix(self.digest, u64::from(lit.0));
        }
        self.digest = mix(self.digest, u64::MAX);
    }

    fn check(&self, clause: &[Lit], hints: &[ClauseId]) -> Result<(), String> {
        let is_tautology = clause.iter().any(|&lit| clause.contains(&!lit));
        match self.rigor {
            Rigor::Propagation if !hints.is_empty() => Err("hints without use".to_owned()),
            _ if is_tautology => Ok(()),
            Rigor::Hints => self.walk(clause, hints),
            Rigor::Propagation | Rigor::Off => self.propagate(clause),
        }
    }

    /// True if the clause was given. Also true if the clause is a given temporary clause with one negated
    /// literal added. This literal is then recorded as the negation of a guard.
    fn is_given(&mut self, tag: Tag, clause: &[Lit]) -> bool {
        if self.given.contains(&(tag, ordered(clause))) {
            return true;
        }
        let is_guard = |guard: &Lit| {
            let rest: Vec<Lit> = clause.iter().copied().filter(|lit| lit != guard).collect();
            !guard.is_positive() && self.temporary.contains(&(tag, ordered(&rest)))
        };
        let guard = clause.iter().copied().find(is_guard);
        self.guards.extend(guard);
        guard.is_some()
    }

    /// True if the clause with this number has these literals. Also true after the empty clause, because
    /// nothing is logged then.
    pub(super) fn calls(&self, id: ClauseId, clause: &[Lit]) -> bool {
        let is_over = self.last_derived.as_ref().is_some_and(Vec::is_empty);
        is_over || self.live.get(&id).is_some_and(|known| ordered(known) == ordered(clause))
    }

    /// True if the log has a clause that contains only negated literals of the core and negated guards.
    pub(super) fn refutes(&self, core: &[Lit]) -> bool {
        let is_about = |lit: &Lit| core.contains(&!*lit) || self.guards.contains(lit);
        self.live.values().any(|clause| clause.iter().all(is_about))
    }

    /// Checks hints in order: each clause must be unit under the facts, and the last one must be false.
    fn walk(&self, clause: &[Lit], hints: &[ClauseId]) -> Result<(), String> {
        let mut facts = Facts::against(clause);
        for (at, id) in hints.iter().enumerate() {
            let hinted = self.live.get(id).ok_or_else(|| format!("hint {} is not known, or deleted", id.0))?;
            match facts.hear(hinted) {
                Said::Nothing => return Err(format!("hint {} of {hints:?}, {hinted:?}, says nothing", id.0)),
                Said::Unit(lit) => _ = facts.0.insert(lit),
                Said::False if at + 1 < hints.len() => return Err(format!("hints after the conflict {}", id.0)),
                Said::False => return Ok(()),
            }
        }
        Err(format!("the hints {hints:?} lead to no conflict"))
    }

    fn propagate(&self, clause: &[Lit]) -> Result<(), String> {
        let mut facts = Facts::against(clause);
        loop {
            let before = facts.0.len();
            for known in self.live.values() {
                match facts.hear(known) {
                    Said::False => return Ok(()),
                    Said::Unit(lit) => _ = facts.0.insert(lit),
                    Said::Nothing => {}
                }
            }
            if facts.0.len() == before {
                return Err("unit propagation leads to no conflict".to_owned());
            }
        }
    }
}

impl Proof for Listener {
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]) {
        let mut log = self.log();
        log.number(id);
        log.digest(clause);
        if !log.is_given(tag, clause) {
            log.complain(format!("axiom {} {clause:?} {tag:?} was never given", id.0));
        }
        log.live.insert(id, clause.to_vec());
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        let mut log = self.log();
        log.number(id);
        log.digest(clause);
        if let Err(what) = log.check(clause, hints) {
            log.complain(format!("derived clause {} {clause:?}: {what}", id.0));
        }
        log.live.insert(id, clause.to_vec());
        log.last_derived = Some(clause.to_vec());
    }

    fn delete(&mut self, id: ClauseId) {
        let mut log = self.log();
        if log.live.remove(&id).is_none() {
            log.complain(format!("clause {} is deleted but not known", id.0));
        }
    }

    fn wants_hints(&self) -> bool {
        self.log().rigor == Rigor::Hints
    }
}

/// One step of a hash (FNV over words).
pub(super) fn mix(digest: u64, word: u64) -> u64 {
    (digest ^ word).wrapping_mul(0x0100_0000_01B3).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lits(numbers: &[i32]) -> Vec<Lit> {
        numbers.iter().map(|&number| Lit::from_dimacs(number)).collect()
    }

    /// Logs four axioms, and then a derived clause with these hints. Returns the listener's complaint about the
    /// derived clause, if it has one.
    fn told(rigor: Rigor, clause: &[i32], hints: &[u64]) -> Option<String> {
        let mut listener = Listener::new(rigor);
        for (id, axiom) in (1..).zip([&[1, 2][..], &[1, -2, 3], &[-3, 4, 4], &[-1, 4]]) {
            listener.give(Tag(0), &lits(axiom));
            listener.axiom(ClauseId(id), Tag(0), &lits(axiom));
        }
        listener.delete(ClauseId(4));
        let hints: Vec<ClauseId> = hints.iter().map(|&id| ClauseId(id)).collect();
        listener.derived(ClauseId(5), &lits(clause), &hints);
        listener.log().wrong.clone()
    }

    #[test]
    fn hints_are_walked_strictly() {
        assert_eq!(told(Rigor::Hints, &[1, 4], &[1, 2, 3]), None);
        for (clause, hints) in [
            (&[1, 4][..], &[1, 2][..]),
            (&[1, 4], &[2, 1, 3]),
            (&[1, 4], &[1, 2, 3, 3]),
            (&[1, 4], &[1, 1, 2, 3]),
            (&[4], &[1, 2, 3]),
            (&[1, 4], &[1, 2, 4]),
            (&[1, 4], &[1, 2, 5]),
        ] {
            assert!(told(Rigor::Hints, clause, hints).is_some(), "{clause:?} {hints:?}");
        }
    }

    #[test]
    fn without_hints_propagation_must_do() {
        assert_eq!(told(Rigor::Propagation, &[1, 4], &[]), None);
        assert_eq!(told(Rigor::Propagation, &[2, -2], &[]), None);
        assert!(told(Rigor::Propagation, &[4], &[]).is_some());
        assert!(told(Rigor::Propagation, &[1, 4], &[1, 2, 3]).is_some());
    }

    #[test]
    fn axioms_are_what_was_given() {
        let mut listener = Listener::new(Rigor::Propagation);
        listener.give(Tag(1), &lits(&[1, 2]));
        listener.axiom(ClauseId(1), Tag(1), &lits(&[2, 1]));
        assert_eq!(listener.log().wrong, None);
        listener.axiom(ClauseId(2), Tag(2), &lits(&[1, 2]));
        assert!(listener.log().wrong.take().is_some());
        listener.give_temporary(Tag(1), &lits(&[3]));
        listener.axiom(ClauseId(3), Tag(1), &lits(&[3, -9]));
        assert_eq!(listener.log().wrong, None);
        assert!(listener.log().refutes(&lits(&[-3])));
        listener.axiom(ClauseId(4), Tag(1), &lits(&[3, 9]));
        assert!(listener.log().wrong.is_some());
    }
}
