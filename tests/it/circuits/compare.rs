//! Checks of one circuit by IC3 against brute force. Mutants of its evidence are given to the checker.

use crate::circuits::{evidence, is_accepted};
use impasse::model::{Certificate, Circuit, Claim, Clauses, Goal, OutputId, Problem, Reason, Stop, SystemModel, Trace};
use impasse::{Answer, Finding, Options, Row, check, engines, prove};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::Random;
use testkit::circuit::{Truth, is_violation, truth};

/// A limit above the states of all generated circuits.
const MOST_STATES: usize = 1_000;
/// Circuits with more latches have too many states to list them.
const MOST_EXACT: usize = 5;
/// Number of changes that are tried on each piece of evidence.
const MUTANTS: usize = 3;

/// Counters over many circuits.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) circuits: u64,
    pub(crate) constrained: u64,
    pub(crate) outputs: u64,
    pub(crate) safe: u64,
    pub(crate) violated: u64,
    /// Greatest number of frames of a shortest violating run.
    pub(crate) deepest: u64,
    /// Number of clauses of all certificates.
    pub(crate) clauses: u64,
    /// For each kind of change: accepted mutants, and refused ones.
    pub(crate) mutants: BTreeMap<&'static str, [u64; 2]>,
}

/// Checks every output of the circuit, by the checker alone and, if `engine` is set, by IC3.
///
/// # Errors
///
/// A description of the first wrong answer or wrong piece of evidence.
pub(crate) fn compare(problem: &Problem, seed: u64, engine: bool, tally: &mut Tally) -> Result<(), String> {
    let SystemModel::Circuit(circuit) = problem.system() else { return Err("not a circuit".to_owned()) };
    let Some(truth) = truth(circuit, MOST_STATES) else { return Err("too large".to_owned()) };
    tally.circuits += 1;
    tally.constrained += u64::from(!circuit.constraints().is_empty());
    let against = Against { problem, circuit, truth: &truth, seed };
    against.made_by_hand(tally).map_err(|e| format!("by hand: {e}"))?;
    if engine {
        against.check(Some(&engines::IC3), tally).map_err(|e| format!("ic3: {e}"))?;
        // Small circuits are mostly decided in the first turns of IC3, so a sample suffices.
        if seed.is_multiple_of(8) {
            against.check(None, tally).map_err(|e| format!("auto: {e}"))?;
        }
    }
    Ok(())
}

struct Against<'a> {
    problem: &'a Problem,
    circuit: &'a Circuit,
    truth: &'a Truth,
    seed: u64,
}

impl Against<'_> {
    fn check(&self, engine: Option<&'static Row>, tally: &mut Tally) -> Result<(), String> {
        let outcome = check(self.problem, &Options { engine, ..Options::default() });
        if outcome.answers.len() != self.problem.properties().len() {
            return Err("not one answer per property".to_owned());
        }
        outcome.answers.iter().try_for_each(|answer| self.judge(answer, tally))
    }

    /// Describes the reachable states by clauses and proves the clauses without an engine. The checker must
    /// accept them. Mutants of the clauses are proven, too, if possible. A mutant that the checker accepts must
    /// be an invariant.
    fn made_by_hand(&self, tally: &mut Tally) -> Result<(), String> {
        if self.circuit.latches().len() > MOST_EXACT {
            return Ok(());
        }
        let random = &mut Random::new(self.seed ^ 0x510e_527f_ade6_82d1);
        let goals: Vec<Goal> = self.problem.goals().filter(|goal| !self.is_violated(*goal)).collect();
        if goals.is_empty() {
            return Ok(());
        }
        let mut invariant = evidence::exactly(self.circuit, &self.truth.entered);
        if self.seed.is_multiple_of(2) {
            evidence::add_nodes(self.circuit, &mut invariant, &self.truth.states, random);
        }
        for turn in 0..MUTANTS + 1 {
            let what = if turn == 0 {
                "nothing"
            } else {
                let Some((what, mutant)) = evidence::mutant(&invariant, random) else { continue };
                invariant = mutant;
                what
            };
            let exclusions = goals.iter().map(|goal| (*goal, None)).collect();
            let clauses = Clauses { invariant: invariant.clone(), induction: None, exclusions };
            let is_accepted = self.prove(what, &goals, &clauses, tally)?;
            if is_accepted {
                self.is_invariant(&goals, &clauses).map_err(|e| format!("accepted ({what}): {e}"))?;
            } else if turn == 0 {
                return Err(format!("the reachable states are not accepted: {clauses:?}"));
            }
        }
        Ok(())
    }

    fn is_violated(&self, goal: Goal) -> bool {
        matches!(goal, Goal::Output(output) if self.truth.shortest.contains_key(&output))
    }

    /// Checks whether the clauses are accepted with proofs of our own.
    fn prove(&self, what: &'static str, goals: &[Goal], clauses: &Clauses, tally: &mut Tally) -> Result<bool, String> {
        let mut bare = clauses.clone();
        (bare.invariant.initial, bare.invariant.step) = (None, None);
        bare.exclusions.iter_mut().for_each(|(_, proof)| *proof = None);
        bare.induction.iter_mut().for_each(|induction| induction.first = None);
        let certificate = Certificate::Clauses(Box::new(bare));
        let mut claim = Claim::Safe { goals: goals.to_vec(), certificate };
        prove::complete(self.problem, &mut claim, &certify::Options::default(), &Stop::default());
        self.confirm(what, &claim, tally)
    }

    fn judge(&self, answer: &Answer, tally: &mut Tally) -> Result<(), String> {
        let goal = answer.property.goal;
        let Goal::Output(output) = goal else { return Err(format!("{goal} is no output")) };
        let confirmed = match &answer.finding {
            Finding::Settled(confirmed) => confirmed,
            other => return Err(format!("{goal}: {other:?}: {:?}", answer.claim)),
        };
        tally.outputs += 1;
        let shortest = self.truth.shortest.get(&output).copied();
        if answer.is_unsafe() != shortest.is_some() {
            return Err(format!("{goal}: said safe = {}, the truth is {shortest:?}", answer.is_safe()));
        }
        let random = &mut Random::new(self.seed ^ 0x6a09_e667_f3bc_c908);
        match answer.claim.as_deref() {
            Some(Claim::Unsafe { trace, .. }) => {
                tally.violated += 1;
                tally.deepest = tally.deepest.max(shortest.unwrap_or(0));
                if !is_violation(self.circuit, trace, output) {
                    return Err(format!("{goal}: no violating run: {trace:?}"));
                }
                if trace.len() != Some(confirmed.length) || shortest.is_some_and(|s| s > confirmed.length) {
                    return Err(format!("{goal}: {} frames, {shortest:?} are needed", confirmed.length));
                }
                (0..MUTANTS).try_for_each(|_| self.change_run(output, trace, random, tally))
            }
            Some(Claim::Safe { goals, certificate: Certificate::Clauses(clauses) }) => {
                tally.safe += 1;
                tally.clauses += clauses.invariant.clauses.len() as u64;
                self.is_invariant(goals, clauses)?;
                (0..MUTANTS).try_for_each(|_| self.change_clauses(goals, clauses, random, tally))?;
                self.claim_too_much(clauses, tally)
            }
            other => Err(format!("{goal}: settled by {other:?}")),
        }
    }

    fn is_invariant(&self, goals: &[Goal], clauses: &Clauses) -> Result<(), String> {
        let output = |goal: &Goal| if let Goal::Output(output) = goal { Some(*output) } else { None };
        // With an induction, a frame that satisfies the clauses may still be one of the goal.
        let excluded = goals.iter().filter(|_| clauses.induction.is_none());
        let outputs: Vec<OutputId> = excluded.filter_map(output).collect();
        match evidence::broken(self.circuit, &clauses.invariant, &outputs) {
            Some(why) => Err(format!("{why}: {:?}", clauses.invariant)),
            None => Ok(()),
        }
    }

    fn change_run(
        &self,
        output: OutputId,
        trace: &Trace,
        random: &mut Random,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let changed = evidence::changed_run(trace, random);
        let is_run = is_violation(self.circuit, &changed, output);
        let claim = Claim::Unsafe { goal: Goal::Output(output), trace: changed, candidate: false };
        let is_accepted = self.confirm("a run", &claim, tally)?;
        if is_accepted == is_run {
            Ok(())
        } else {
            Err(format!("accepted: {is_accepted}, the truth: {is_run}: {claim:?}"))
        }
    }

    fn change_clauses(
        &self,
        goals: &[Goal],
        clauses: &Clauses,
        random: &mut Random,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut new = clauses.clone();
        let what = if random.chance(15) {
            let at = random.below(new.exclusions.len());
            let change = |proof| evidence::change_proof(proof, random);
            let Some(what) = new.exclusions[at].1.as_mut().and_then(change) else { return Ok(()) };
            what
        } else {
            let Some((what, invariant)) = evidence::mutant(&clauses.invariant, random) else { return Ok(()) };
            new.invariant = invariant;
            what
        };
        let certificate = Certificate::Clauses(Box::new(new.clone()));
        let claim = Claim::Safe { goals: goals.to_vec(), certificate };
        if self.confirm(what, &claim, tally)? {
            self.is_invariant(goals, &new).map_err(|e| format!("accepted ({what}): {e}"))?;
        }
        if self.prove(what, goals, &new, tally)? {
            self.is_invariant(goals, &new).map_err(|e| format!("proven ({what}): {e}"))?;
        }
        Ok(())
    }

    /// Claims that the clauses prove that an output is never true, for each output that can be true. The
    /// checker must refuse each claim.
    fn claim_too_much(&self, clauses: &Clauses, tally: &mut Tally) -> Result<(), String> {
        for output in self.truth.shortest.keys() {
            let goal = Goal::Output(*output);
            let proof = clauses.exclusions.first().and_then(|(_, proof)| proof.clone());
            let more = Clauses { exclusions: vec![(goal, proof)], ..clauses.clone() };
            let claim = Claim::Safe { goals: vec![goal], certificate: Certificate::Clauses(Box::new(more)) };
            if self.confirm("another output", &claim, tally)? {
                return Err(format!("{goal} can be true, and a proof of the opposite is accepted: {claim:?}"));
            }
        }
        Ok(())
    }

    fn confirm(&self, what: &'static str, claim: &Claim, tally: &mut Tally) -> Result<bool, String> {
        is_accepted(self.problem, what, claim, &mut tally.mutants)
    }
}

/// True if an engine answers properties of circuits.
pub(crate) fn is_supported() -> bool {
    let mut circuit = Circuit::default();
    let output = circuit.output(impasse::model::Signal::TRUE, None);
    let outcome = check(
        &testkit::circuit::problem(circuit),
        &Options { engine: Some(&engines::IC3), stop: Arc::default(), ..Options::default() },
    );
    let answer = outcome.about(Goal::Output(output));
    answer.is_some_and(|a| !matches!(a.unknown(), Some(Reason::Unsupported | Reason::Uncertified)))
}

/// Returns the circuit as text, so that it can become a test.
pub(crate) fn text(problem: &Problem) -> String {
    format!("{problem:?}")
}
