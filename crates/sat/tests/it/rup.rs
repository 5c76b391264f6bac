//! A slow and simple checker of the clause log: every derived clause must follow by unit propagation along its
//! hints.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use impasse_sat::{ClauseId, Lit, Proof, Tag};

#[derive(Default)]
pub(crate) struct Log {
    clauses: BTreeMap<ClauseId, Vec<Lit>>,
    pub(crate) last_derived: Option<Vec<Lit>>,
    pub(crate) wrong: Vec<Vec<Lit>>,
}

/// Checks while the solver runs. The log is shared, so that the test can read it.
#[derive(Clone, Default)]
pub(crate) struct Checker(pub(crate) Arc<Mutex<Log>>);

impl Log {
    /// True if the clause follows by its hints. Each hinted clause in turn must be unit under the facts found
    /// so far, except the last one, which must be false. No hint may come after a false one.
    fn follows(&self, clause: &[Lit], hints: &[ClauseId]) -> bool {
        if clause.iter().any(|lit| clause.contains(&!*lit)) {
            return true;
        }
        let mut facts: BTreeSet<Lit> = clause.iter().map(|&lit| !lit).collect();
        for (at, hint) in hints.iter().enumerate() {
            let Some(hinted) = self.clauses.get(hint) else { return false };
            let open: BTreeSet<Lit> = hinted.iter().copied().filter(|&lit| !facts.contains(&!lit)).collect();
            match open.len() {
                0 => return at + 1 == hints.len(),
                1 => facts.extend(open),
                _ => return false,
            }
        }
        false
    }
}

impl Proof for Checker {
    fn axiom(&mut self, id: ClauseId, _: Tag, clause: &[Lit]) {
        self.0.lock().unwrap().clauses.insert(id, clause.to_vec());
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        let mut log = self.0.lock().unwrap();
        if !log.follows(clause, hints) {
            log.wrong.push(clause.to_vec());
        }
        log.clauses.insert(id, clause.to_vec());
        log.last_derived = Some(clause.to_vec());
    }

    fn delete(&mut self, id: ClauseId) {
        let known = self.0.lock().unwrap().clauses.remove(&id);
        assert!(known.is_some(), "only logged clauses are deleted");
    }
}

/// The checker must reject a wrong derivation.
#[test]
fn the_checker_refuses_what_does_not_follow() {
    let mut checker = Checker::default();
    let [a, b] = [Lit::from_dimacs(1), Lit::from_dimacs(2)];
    checker.axiom(ClauseId(1), Tag(0), &[a, b]);
    checker.derived(ClauseId(2), &[a], &[ClauseId(1)]);
    assert_eq!(checker.0.lock().unwrap().wrong, [vec![a]]);
    checker.axiom(ClauseId(3), Tag(0), &[a, !b]);
    checker.derived(ClauseId(4), &[a], &[ClauseId(1), ClauseId(3)]);
    assert_eq!(checker.0.lock().unwrap().wrong.len(), 1);
}
