//! Clauses that hold in every reachable state: the part that is the same for all systems.
//!
//! By induction over a run: the clauses hold in its first state if no initial state breaks one, and in each further one
//! if no step from a state in which all hold leads to one that breaks one. A goal is excluded if no state of it
//! satisfies the clauses. Each is a formula that must have no model ([`Duty`]), and each formula must have a model for
//! *every* initial state, step or goal state that it is about, which breaks a clause: then a refutation shows that
//! there is none. So an encoding may leave out what it knows of the system (then less can be proven), but must never
//! say too much. The files of the systems have the argument for theirs.
//!
//! A refutation is walked through along its hints ([`crate::hints`]); nothing is searched for. Formulas are made anew
//! whenever they are needed, the same ones each time, so that evidence need not carry them.

use crate::hints::Hinted;
use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use model::cnf::Cnf;
use model::{Bit, Clausal, Clauses, Derivation, Goal};
use std::collections::BTreeSet;

/// A kind of system, as clauses.
pub trait Encoded {
    /// Has a state of the system this bit?
    fn knows(&self, bit: &Bit) -> bool;

    /// "An initial state breaks a clause." All bits of the clauses are known, here and below.
    ///
    /// # Errors
    /// Beyond the limits.
    fn initial(&self, clauses: &Clausal, work: &mut Work<'_>) -> Check<Cnf>;

    /// "A step leads from a state in which all clauses hold to one in which some is broken."
    ///
    /// # Errors
    /// Beyond the limits.
    fn step(&self, clauses: &Clausal, work: &mut Work<'_>) -> Check<Cnf>;

    /// "All clauses hold in a state of this goal."
    ///
    /// # Errors
    /// If the system has no such goal; beyond the limits.
    fn excluded(&self, clauses: &Clausal, goal: Goal, work: &mut Work<'_>) -> Check<Cnf>;
}

/// Which derivation of a certificate refutes a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proved {
    /// [`model::Clausal::initial`] of the clauses (of a net: of the fact at this position).
    Initial(usize),
    /// [`model::Clausal::step`] of the clauses (of a net: of the fact at this position).
    Step(usize),
    /// That of the exclusion at this position.
    Excluded(usize),
}

/// Do the clauses hold in every state of all runs, and exclude the goals?
///
/// # Errors
/// If that is not shown; beyond the limits.
pub fn check(
    system: &impl Encoded,
    clauses: &Clauses,
    goals: &[Goal],
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let invariant = &clauses.invariant;
    check_clauses(invariant, |bit| system.knows(bit), work)?;
    check_goals(clauses.exclusions.iter().map(|(goal, _)| goal), goals)?;
    duty.refuted(Proved::Initial(0), system.initial(invariant, work)?, invariant.initial.as_ref(), work)?;
    duty.refuted(Proved::Step(0), system.step(invariant, work)?, invariant.step.as_ref(), work)?;
    for (number, (goal, derivation)) in clauses.exclusions.iter().enumerate() {
        let formula = system.excluded(invariant, *goal, work)?;
        duty.refuted(Proved::Excluded(number), formula, derivation.as_ref(), work)?;
    }
    Ok(())
}

/// What becomes of formulas that must have no model.
#[derive(Debug)]
pub enum Duty<'a> {
    /// They are collected, to be refuted. This concludes nothing.
    Collect(&'a mut Vec<(Proved, Cnf)>),
    /// Their derivations are walked through.
    Check,
}

impl Duty<'_> {
    /// The formula must have no model, which the derivation shows.
    ///
    /// # Errors
    /// If it does not; beyond the limits.
    pub fn refuted(
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
                within(walk(&cnf, derivation, work), || format!("the derivation of {}", described(what)))
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
        assert!(clause.iter().all(|&l| l != 0 && l.unsigned_abs() <= cnf.vars), "the kernel's own formula is one");
        last += 1;
        clauses.add(last, clause, work)?;
    }
    let mut refuted = cnf.clauses.iter().any(Vec::is_empty);
    for (number, (clause, hints)) in derivation.steps.iter().enumerate() {
        if clause.iter().any(|&l| l == 0 || l.unsigned_abs() > cnf.vars) {
            return reject(format!("step {} names a variable that there is not", number + 1));
        }
        within(clauses.check(clause, hints.iter().copied(), work), || format!("step {}", number + 1))?;
        last += 1;
        clauses.add(last, clause, work)?;
        refuted |= clause.is_empty();
    }
    assert_eq!(last as usize, cnf.clauses.len() + derivation.steps.len(), "each clause has a number");
    if refuted { Ok(()) } else { reject("the empty clause is not derived") }
}

/// Is each bit of the clauses there once and one that the system has, and does each literal name one?
///
/// # Errors
/// If not.
pub fn check_clauses(clausal: &Clausal, is_known: impl Fn(&Bit) -> bool, work: &mut Work<'_>) -> Check<()> {
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
///
/// # Errors
/// If not.
pub fn check_goals<'g>(excluded: impl Iterator<Item = &'g Goal>, claimed: &[Goal]) -> Check<()> {
    let (mut excluded, mut claimed): (Vec<Goal>, Vec<Goal>) = (excluded.copied().collect(), claimed.to_vec());
    excluded.sort_unstable();
    claimed.sort_unstable();
    if excluded == claimed { Ok(()) } else { reject("the goals that are excluded are not those that are claimed") }
}
