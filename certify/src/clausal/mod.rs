//! Clauses that hold in every reachable state: the part that is the same for all systems.
//!
//! By induction over a run: the clauses hold in its first state if no initial state breaks one, and in each further one if no
//! step from a state in which all hold leads to one that breaks one. A goal is excluded if no state of it satisfies the
//! clauses. Each is a formula that must have no model ([`Duty`]), and each formula must have a model for *every* initial
//! state, step or goal state that it is about, which breaks a clause: then a refutation shows that there is none. So an
//! encoding may leave out what it knows of the system (then less can be proven), but must never say too much. The files
//! of the systems have the argument for theirs.
//!
//! A refutation is walked through along its hints ([`crate::hints`]); nothing is searched for. Formulas are made anew whenever
//! they are needed, the same ones each time, so that evidence need not carry them.

pub(crate) mod programs;
pub(crate) mod writer;

use crate::hints::Hinted;
use crate::work::Work;
use crate::{Check, Proved, Refusal, reject};
use model::cnf::Cnf;
use model::{Bit, Clausal, Derivation, Goal};
use std::collections::BTreeSet;

/// What becomes of formulas that must have no model.
pub(crate) enum Duty<'a> {
    /// They are handed out to somebody who refutes them.
    Collect(&'a mut Vec<(Proved, Cnf)>),
    /// Their derivations are walked through.
    Check,
}

impl Duty<'_> {
    /// The formula must have no model, which the derivation shows.
    pub(crate) fn refuted(
        &mut self,
        what: Proved,
        cnf: Cnf,
        derivation: Option<&Derivation>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        match self {
            Duty::Collect(formulas) => {
                formulas.push((what, cnf));
                Ok(())
            }
            Duty::Check => {
                let Some(derivation) = derivation else {
                    return Err(Refusal::Unknown(format!("{} is not proven", described(what))));
                };
                walk(&cnf, derivation, work).map_err(|refusal| match refusal {
                    Refusal::Rejected(why) => {
                        Refusal::Rejected(format!("the derivation of {}: {why}", described(what)))
                    }
                    other => other,
                })
            }
        }
    }
}

fn described(what: Proved) -> &'static str {
    match what {
        Proved::Initial(_) => "that the clauses hold at the start",
        Proved::Step(_) => "that every step keeps the clauses",
        Proved::Excluded(_) => "that the clauses exclude the goal",
    }
}

/// Does the derivation lead to the empty clause?
fn walk(cnf: &Cnf, derivation: &Derivation, work: &mut Work<'_>) -> Check<()> {
    let mut clauses = Hinted::new(cnf.vars as usize, work)?;
    let mut last = 0;
    for clause in &cnf.clauses {
        debug_assert!(clause.iter().all(|&l| l != 0 && l.unsigned_abs() <= cnf.vars));
        last += 1;
        clauses.add(last, clause, work)?;
    }
    let mut refuted = cnf.clauses.iter().any(Vec::is_empty);
    for (number, (clause, hints)) in derivation.steps.iter().enumerate() {
        if clause.iter().any(|&l| l == 0 || l.unsigned_abs() > cnf.vars) {
            return reject(format!("step {} names a variable that there is not", number + 1));
        }
        match clauses.check(clause, hints.iter().copied(), work) {
            Err(Refusal::Rejected(why)) => return reject(format!("step {}: {why}", number + 1)),
            other => other?,
        }
        last += 1;
        clauses.add(last, clause, work)?;
        refuted |= clause.is_empty();
    }
    if refuted { Ok(()) } else { reject("the empty clause is not derived") }
}

/// Is each bit there once and one that the system has, and does each literal name one?
pub(crate) fn check_clauses(clausal: &Clausal, is_known: impl Fn(&Bit) -> bool, work: &mut Work<'_>) -> Check<()> {
    let mut seen = BTreeSet::new();
    for bit in &clausal.bits {
        work.spend(1 + clausal.bits.len().ilog2() as u64)?;
        if !is_known(bit) {
            return reject("the clauses speak of a bit that the system does not have");
        }
        if !seen.insert(bit) {
            return reject("a bit is listed twice");
        }
    }
    for clause in &clausal.clauses {
        work.spend(1 + clause.len() as u64)?;
        if clause.iter().any(|&l| l == 0 || l.unsigned_abs() as usize > clausal.bits.len()) {
            return reject("a clause names a bit that is not listed");
        }
    }
    Ok(())
}

/// Are the goals that are excluded those that are claimed, each once?
pub(crate) fn check_goals<'g>(excluded: impl Iterator<Item = &'g Goal>, claimed: &[Goal]) -> Check<()> {
    let (mut excluded, mut claimed): (Vec<Goal>, Vec<Goal>) = (excluded.copied().collect(), claimed.to_vec());
    excluded.sort_unstable();
    claimed.sort_unstable();
    if excluded == claimed { Ok(()) } else { reject("the goals that are excluded are not those that are claimed") }
}
