//! Justice properties of one circuit: every engine against brute force. Changed evidence is given to the checker.

use crate::circuits::{evidence, is_accepted};
use impasse::formats::{Limits, Source, by_name, read};
use impasse::model::{
    Certificate, Circuit, Claim, Goal, JusticeId, JusticeProof, Problem, Reason, Stop, SystemModel, Trace, Translation,
};
use impasse::{Answer, Finding, Options, Row, check, engines, prove};
use std::collections::BTreeMap;
use testkit::Random;
use testkit::circuit::{has_fair_run, is_fair_run};

/// Number of changes that are tried on each piece of evidence.
const MUTANTS: usize = 3;

/// Counters over many circuits.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) circuits: u64,
    pub(crate) constrained: u64,
    pub(crate) fair: u64,
    pub(crate) properties: u64,
    pub(crate) safe: u64,
    pub(crate) violated: u64,
    /// Violating runs found by counting.
    pub(crate) counted: u64,
    /// Largest number that a proof counts to.
    pub(crate) highest: u32,
    /// Greatest number of frames of a violating run.
    pub(crate) longest: u64,
    /// Properties on which random simulation gave up.
    pub(crate) given_up: u64,
    /// Witnesses for `aigsim`.
    pub(crate) witnesses: u64,
    /// For each kind of change: accepted mutants, and refused ones.
    pub(crate) mutants: BTreeMap<&'static str, [u64; 2]>,
}

/// Checks each justice property of the circuit by each engine, and the files written for it.
///
/// # Errors
///
/// A description of the first wrong answer or wrong piece of evidence.
pub(crate) fn compare(problem: &Problem, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let SystemModel::Circuit(circuit) = problem.system() else { return Err("not a circuit".to_owned()) };
    tally.circuits += 1;
    tally.constrained += u64::from(!circuit.constraints().is_empty());
    tally.fair += u64::from(!circuit.fairness().is_empty());
    let all = (0..circuit.justices().len()).map(JusticeId::new);
    let violated: Vec<bool> = all.map(|justice| has_fair_run(circuit, justice)).collect();
    round_trip(problem, circuit)?;
    let against = Against { problem, circuit, violated: &violated, seed };
    for row in [&engines::IC3, &engines::K_LIVENESS] {
        against.check(Some(row), tally).map_err(|e| format!("{}: {e}", row.name))?;
    }
    if violated.iter().all(|violated| *violated) {
        for row in [&engines::BMC, &engines::WALK] {
            against.check(Some(row), tally).map_err(|e| format!("{}: {e}", row.name))?;
        }
    }
    if seed.is_multiple_of(8) {
        against.check(None, tally).map_err(|e| format!("auto: {e}"))?;
    }
    Ok(())
}

/// A written file is read as the same circuit with the same properties, in both forms.
fn round_trip(problem: &Problem, circuit: &Circuit) -> Result<(), String> {
    // Files do not say which outputs are no properties, and they may have other numbers for the nodes.
    let mut before = None;
    for form in ["aag", "aig", "aag"] {
        let write = by_name(form).and_then(|format| format.write).ok_or("no writer")?;
        let mut bytes = Vec::new();
        write(problem, &mut bytes).map_err(|e| format!("{e:?}"))?;
        let source = Source { name: format!("t.{form}"), bytes };
        let back = read(source, None, &Limits::default()).map_err(|e| e.to_string())?;
        let SystemModel::Circuit(other) = back.problem.system() else { return Err("no circuit".to_owned()) };
        let sizes = |circuit: &Circuit| -> Vec<usize> {
            let justices = circuit.justices().iter().map(|justice| justice.signals.len());
            justices.chain([circuit.fairness().len(), circuit.constraints().len(), circuit.ands()]).collect()
        };
        if sizes(circuit) != sizes(other) {
            return Err(format!("{form}: {:?} became {:?}", sizes(circuit), sizes(other)));
        }
        for justice in (0..circuit.justices().len()).map(JusticeId::new) {
            if has_fair_run(circuit, justice) != has_fair_run(other, justice) {
                return Err(format!("{form}: another answer for {justice:?}"));
            }
        }
        if before.replace(other.clone()).is_some_and(|before| before != *other) {
            return Err("the two forms differ".to_owned());
        }
    }
    Ok(())
}

struct Against<'a> {
    problem: &'a Problem,
    circuit: &'a Circuit,
    /// For each justice property: true if it is violated.
    violated: &'a [bool],
    seed: u64,
}

impl Against<'_> {
    fn check(&self, engine: Option<&'static Row>, tally: &mut Tally) -> Result<(), String> {
        let outcome = check(self.problem, &Options { engine, ..Options::default() });
        if outcome.answers.len() != self.violated.len() {
            return Err("not one answer per property".to_owned());
        }
        // Random simulation may miss a loop that needs rare inputs, and then gives up.
        let gave_up = |answer: &&Answer| engine == Some(&engines::WALK) && answer.unknown() == Some(Reason::GaveUp);
        tally.given_up += outcome.answers.iter().filter(gave_up).count() as u64;
        outcome.answers.iter().filter(|answer| !gave_up(answer)).try_for_each(|answer| self.judge(answer, tally))
    }

    fn judge(&self, answer: &Answer, tally: &mut Tally) -> Result<(), String> {
        let goal = answer.property.goal;
        let Goal::Justice(justice) = goal else { return Err(format!("{goal} is no justice property")) };
        if !matches!(answer.finding, Finding::Settled(_)) {
            return Err(format!("{goal}: {:?}: {:?}", answer.finding, answer.claim));
        }
        tally.properties += 1;
        if answer.is_unsafe() != self.violated[justice.index()] {
            return Err(format!("{goal}: said safe = {}, which is wrong", answer.is_safe()));
        }
        let random = &mut Random::new(self.seed ^ 0x6a09_e667_f3bc_c908);
        match answer.claim.as_deref() {
            Some(Claim::Unsafe { trace, .. }) => {
                tally.violated += 1;
                tally.counted += u64::from(answer.engine == engines::K_LIVENESS.name);
                tally.longest = tally.longest.max(trace.len().unwrap_or(u64::MAX));
                if !is_fair_run(self.circuit, trace, justice) {
                    return Err(format!("{goal}: no violating run: {trace:?}"));
                }
                self.witness(goal, justice, trace, tally)?;
                (0..MUTANTS).try_for_each(|_| self.change_run(justice, trace, random, tally))
            }
            Some(Claim::Safe { certificate: Certificate::Justice(proof), .. }) => {
                tally.safe += 1;
                if let Translation::Count(most) = proof.translation {
                    tally.highest = tally.highest.max(most);
                }
                (0..MUTANTS).try_for_each(|_| self.change_proof(goal, proof, random, tally))?;
                self.claim_too_much(proof, tally)
            }
            other => Err(format!("{goal}: settled by {other:?}")),
        }
    }

    /// The written witness is accepted by the rule of `aigsim`.
    fn witness(&self, goal: Goal, justice: JusticeId, trace: &Trace, tally: &mut Tally) -> Result<(), String> {
        let mut bytes = Vec::new();
        if evidence_of(self.problem, goal, trace, &mut bytes)? {
            tally.witnesses += 1;
            let text = String::from_utf8(bytes).map_err(|e| e.to_string())?;
            evidence::witnesses(self.circuit, justice, &text).map_err(|why| format!("{goal}: {why}: {text}"))?;
        }
        Ok(())
    }

    /// A changed run that the checker accepts is a violating run.
    fn change_run(
        &self,
        justice: JusticeId,
        trace: &Trace,
        random: &mut Random,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut changed = if random.chance(60) { evidence::changed_run(trace, random) } else { trace.clone() };
        let length = usize::try_from(trace.len().unwrap_or(0)).unwrap_or(0);
        changed.repeats_from = match random.below(10) {
            0 => None,
            1..=3 => Some(random.below(length + 2) as u64),
            _ => trace.repeats_from,
        };
        let claim = Claim::Unsafe { goal: Goal::Justice(justice), trace: changed.clone(), candidate: false };
        let is_accepted = self.confirm("a run", &claim, tally)?;
        if is_accepted && !is_fair_run(self.circuit, &changed, justice) {
            return Err(format!("accepted, and no violating run: {claim:?}"));
        }
        Ok(())
    }

    /// Changed clauses may still be a proof, but not of a property that is violated.
    fn change_proof(
        &self,
        goal: Goal,
        proof: &JusticeProof,
        random: &mut Random,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut changed = proof.clone();
        let Some((what, invariant)) = evidence::mutant(&proof.clauses.invariant, random) else { return Ok(()) };
        changed.clauses.invariant = invariant;
        if random.chance(30) {
            changed.translation = other(proof.translation, random);
        }
        let certificate = Certificate::Justice(Box::new(changed));
        let _ = self.confirm(what, &Claim::Safe { goals: vec![goal], certificate }, tally)?;
        Ok(())
    }

    /// Claims each violated property by the clauses, with proofs of our own. The checker must refuse each claim.
    fn claim_too_much(&self, proof: &JusticeProof, tally: &mut Tally) -> Result<(), String> {
        for (number, _) in self.violated.iter().enumerate().filter(|(_, violated)| **violated) {
            let goal = Goal::Justice(JusticeId::new(number));
            let mut bare = proof.clone();
            (bare.clauses.invariant.initial, bare.clauses.invariant.step) = (None, None);
            bare.clauses.exclusions = vec![(goal, None)];
            let certificate = Certificate::Justice(Box::new(bare));
            let mut claim = Claim::Safe { goals: vec![goal], certificate };
            prove::complete(self.problem, &mut claim, &certify::Options::default(), &Stop::default());
            if self.confirm("another property", &claim, tally)? {
                return Err(format!("{goal} is violated, and a proof of the opposite is accepted: {claim:?}"));
            }
        }
        Ok(())
    }

    fn confirm(&self, what: &'static str, claim: &Claim, tally: &mut Tally) -> Result<bool, String> {
        is_accepted(self.problem, what, claim, &mut tally.mutants)
    }
}

fn other(translation: Translation, random: &mut Random) -> Translation {
    match translation {
        Translation::Count(most) if random.chance(50) => Translation::Count(most + 1),
        Translation::Count(_) => Translation::Loop,
        Translation::Loop => Translation::Count(random.below(3) as u32),
    }
}

fn evidence_of(problem: &Problem, goal: Goal, trace: &Trace, bytes: &mut Vec<u8>) -> Result<bool, String> {
    impasse::evidence::witness::run(problem, goal, trace, bytes).map_err(|e| e.to_string())
}
