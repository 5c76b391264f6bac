//! Clauses as evidence: they hold in every reachable state. This module is the part that all kinds of systems
//! share.
//!
//! The evidence consists of clauses, and of one refutation for each obligation ([`Obligations`]): "an initial
//! state breaks a clause", "a step leads from a state in which all clauses hold to a state that breaks one",
//! and, for each goal, "all clauses hold in a state of the goal".
//!
//! 1. A refutation of an obligation shows that no such initial state, step from a reachable state, or reachable
//!    goal state exists. Proof: the formula has a model for *every* initial state that breaks a clause, every
//!    step that leads from a reachable state in which all clauses hold to a state that breaks one, and every
//!    reachable goal state in which all clauses hold. The files of the systems prove this for their encodings.
//!    A refuted formula has no model.
//! 2. The clauses hold in every reachable state. Proof: by induction over the run. They hold in its first state
//!    because no initial state breaks one, and in each further state because no step from a reachable state in
//!    which all clauses hold breaks one.
//! 3. The goals are unreachable. Proof: by claim 2 all clauses hold in every reachable state, and by claim 1 no
//!    reachable state of a goal satisfies them all.
//!
//! For circuits, the goals may be excluded by induction over several frames instead of the last obligation
//! ([`crate::circuit`]).
//!
//! So an encoding may omit constraints of the system (then less can be proven), but must never add a constraint
//! that the system does not have.
//!
//! A refutation is checked along its hints ([`crate::hints`]), without search. The kernel builds the same
//! formulas again whenever it needs them, so that evidence need not contain them.

use crate::hints::Hinted;
use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use model::cnf::Cnf;
use model::{Bit, Clausal, Clauses, Derivation, Goal, Induction};
use std::collections::BTreeSet;

/// A kind of system that can be encoded as clauses.
pub trait Encoded {
    /// Returns true if states of the system have this bit.
    fn knows(&self, bit: &Bit) -> bool;

    /// Returns the formula "an initial state breaks a clause". Here and below the system has all bits of the
    /// clauses.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    fn initial(&self, clauses: &Clausal, work: &mut Work<'_>) -> Check<Cnf>;

    /// Returns the formula "a step leads from a state in which all clauses hold to a state that breaks one".
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    fn step(&self, clauses: &Clausal, work: &mut Work<'_>) -> Check<Cnf>;

    /// Returns the formula "all clauses hold in a state of this goal".
    ///
    /// # Errors
    /// If the system has no such goal, or if a resource limit is exceeded.
    fn excluded(&self, clauses: &Clausal, goal: Goal, work: &mut Work<'_>) -> Check<Cnf>;

    /// Returns the formula "one of these goals occurs in one of the first `frames` frames of a run".
    ///
    /// # Errors
    /// If the system has no frames or no such goal, or if a resource limit is exceeded.
    fn first_frames(&self, _goals: &[Goal], _frames: u32, _work: &mut Work<'_>) -> Check<Cnf> {
        reject("induction over frames is for circuits")
    }

    /// Returns the formula "none of `goals` occurs in `frames` consecutive frames, but `goal` in the next one, and all
    /// clauses hold in these frames".
    ///
    /// # Errors
    /// If the system has no frames or no such goal, or if a resource limit is exceeded.
    fn after_frames(
        &self,
        _clauses: &Clausal,
        _goals: &[Goal],
        _goal: Goal,
        _frames: u32,
        _work: &mut Work<'_>,
    ) -> Check<Cnf> {
        reject("induction over frames is for circuits")
    }
}

/// The part of a certificate that an obligation belongs to: it determines which derivation refutes the
/// obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proved {
    /// The derivation [`model::Clausal::initial`] of the clauses (for a net: of the invariant at this
    /// position).
    Initial(usize),
    /// The derivation [`model::Clausal::step`] of the clauses (for a net: of the invariant at this position).
    Step(usize),
    /// The derivation [`model::Induction::first`].
    First,
    /// The derivation in the exclusion at this position.
    Excluded(usize),
}

/// Checks that the clauses hold in every reachable state and exclude the goals.
///
/// # Errors
/// If the derivations do not show this, or if a resource limit is exceeded.
pub fn check(
    system: &impl Encoded,
    clauses: &Clauses,
    goals: &[Goal],
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let invariant = &clauses.invariant;
    check_clauses(invariant, |bit| system.knows(bit), work)?;
    check_goals(clauses.exclusions.iter().map(|(goal, _)| goal), goals)?;
    if clauses.induction.as_ref().is_some_and(|of| of.frames == 0 || of.frames > Induction::MOST) {
        return reject("the number of frames of the induction is out of range");
    }
    obligation.refuted(Proved::Initial(0), system.initial(invariant, work)?, invariant.initial.as_ref(), work)?;
    obligation.refuted(Proved::Step(0), system.step(invariant, work)?, invariant.step.as_ref(), work)?;
    if let Some(induction) = &clauses.induction {
        let formula = system.first_frames(goals, induction.frames, work)?;
        obligation.refuted(Proved::First, formula, induction.first.as_ref(), work)?;
    }
    for (number, (goal, derivation)) in clauses.exclusions.iter().enumerate() {
        let formula = match &clauses.induction {
            None => system.excluded(invariant, *goal, work)?,
            Some(induction) => system.after_frames(invariant, goals, *goal, induction.frames, work)?,
        };
        obligation.refuted(Proved::Excluded(number), formula, derivation.as_ref(), work)?;
    }
    Ok(())
}

/// How proof obligations are handled: collected, or checked at once.
#[derive(Debug)]
pub enum Obligations<'a> {
    /// The obligations are collected, so that a solver can refute them. Collecting proves nothing.
    Collect(&'a mut Vec<(Proved, Cnf)>),
    /// The derivation of each obligation is checked.
    Check,
}

impl Obligations<'_> {
    /// Handles one obligation: the formula `cnf` must have no model, and the derivation must show this.
    ///
    /// # Errors
    /// If the derivation is missing or does not refute the formula, or if a resource limit is exceeded.
    pub fn refuted(
        &mut self,
        what: Proved,
        cnf: Cnf,
        derivation: Option<&Derivation>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        match self {
            Obligations::Collect(formulas) => {
                formulas.push((what, cnf));
                Ok(())
            }
            Obligations::Check => {
                let Some(derivation) = derivation else {
                    return Err(Refusal::Unknown(format!("{} is not proven", described(what))));
                };
                within(refutes(&cnf, derivation, work), || format!("the derivation of {}", described(what)))
            }
        }
    }
}

fn described(what: Proved) -> &'static str {
    match what {
        Proved::Initial(_) => "that the clauses hold at the start",
        Proved::Step(_) => "that every step keeps the clauses",
        Proved::First => "that the goals do not occur in the first frames",
        Proved::Excluded(_) => "that the clauses exclude the goal",
    }
}

/// Checks that the derivation leads to the empty clause.
///
/// # Errors
/// If it does not, or if a resource limit is exceeded.
pub fn refutes(cnf: &Cnf, derivation: &Derivation, work: &mut Work<'_>) -> Check<()> {
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
            return reject(format!("step {} names a variable that does not exist", number + 1));
        }
        within(clauses.check(clause, hints.iter().copied(), work), || format!("step {}", number + 1))?;
        last += 1;
        clauses.add(last, clause, work)?;
        refuted |= clause.is_empty();
    }
    assert_eq!(last as usize, cnf.clauses.len() + derivation.steps.len(), "each clause has a number");
    if refuted { Ok(()) } else { reject("the empty clause is not derived") }
}

/// Checks that the system has each bit of the clauses, that each bit is listed once, and that each literal
/// names a listed bit.
///
/// # Errors
/// If one of these conditions does not hold, or if a resource limit is exceeded.
pub fn check_clauses(clausal: &Clausal, is_known: impl Fn(&Bit) -> bool, work: &mut Work<'_>) -> Check<()> {
    let mut seen = BTreeSet::new();
    for bit in &clausal.bits {
        work.spend(1 + clausal.bits.len().ilog2() as u64)?;
        if !is_known(bit) {
            return reject("the clauses name a bit that the system does not have");
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

/// Checks that the excluded goals are the claimed goals, each once.
///
/// # Errors
/// If they differ.
pub fn check_goals<'g>(excluded: impl Iterator<Item = &'g Goal>, claimed: &[Goal]) -> Check<()> {
    let (mut excluded, mut claimed): (Vec<Goal>, Vec<Goal>) = (excluded.copied().collect(), claimed.to_vec());
    excluded.sort_unstable();
    claimed.sort_unstable();
    if excluded == claimed { Ok(()) } else { reject("the clauses exclude other goals than the claim names") }
}
