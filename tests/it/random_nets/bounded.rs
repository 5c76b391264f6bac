//! Checks of one problem within a bound as a circuit, in every encoding. Brute force on the circuit is compared
//! with brute force on the net. Then IC3 runs on the circuit, and its runs and clauses are lifted to the net.

use circuits::encode::CannotEncode;
use impasse::model::{
    Bound, Certificate, Circuit, Claim, Clausal, Formula, Goal, Net, NetInvariant, OutputId, SystemModel, Trace,
    deadlock,
};
use impasse::{Finding, Options, check, engines};
use nets::encode::{Encoded, Encoding, Within};
use std::collections::BTreeSet;
use testkit::marked::{self, Sample, Truth, replay, satisfies, truth};
use testkit::net::invariant_holds;

/// Problems with more markings within the bound are skipped.
const MOST_STATES: usize = 1_500;
/// Limits for brute force on a circuit: free bits, latches, and gate evaluations in total. For larger circuits,
/// only engines are run. `MOST_NODES` limits the nodes of an encoding.
const MOST_FREE: usize = 10;
const MOST_LATCHES: usize = 60;
const MOST_GATES: u64 = 3_000_000;
const MOST_NODES: usize = 20_000;

const ENCODINGS: [Encoding; 3] = [Encoding::Thermometer, Encoding::OneHot, Encoding::Binary];

/// Counters over many problems.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) problems: u64,
    pub(crate) skipped: u64,
    /// Circuits that were created.
    pub(crate) circuits: u64,
    /// Circuits that were explored by brute force.
    pub(crate) explored: u64,
    /// Nets that cannot be written as a circuit.
    pub(crate) refused: u64,
    /// Number of outputs that IC3 checked, and numbers of its answers.
    pub(crate) asked: u64,
    pub(crate) safe: u64,
    pub(crate) violated: u64,
    /// Clauses that were lifted.
    pub(crate) clauses: u64,
}

/// Checks the sample in every encoding. If `engine` is set, IC3 checks the circuit of one encoding, which
/// depends on `turn`.
///
/// # Errors
///
/// A description of the first difference.
pub(crate) fn compare(sample: &Sample, turn: u64, engine: bool, tally: &mut Tally) -> Result<(), String> {
    let Some(truth) = truth(&sample.problem, sample.bound, MOST_STATES) else {
        tally.skipped += 1;
        return Ok(());
    };
    let Some(question) = Question::new(sample) else {
        tally.skipped += 1;
        return Ok(());
    };
    tally.problems += 1;
    for (i, encoding) in ENCODINGS.into_iter().enumerate() {
        let encoded = match question.encode(encoding) {
            Ok(encoded) => encoded,
            Err(CannotEncode::StartsOutside(_)) if truth.states == 0 => {
                tally.refused += 1;
                continue;
            }
            Err(CannotEncode::TooLarge) if marked::greatest_number(sample.problem.system()) > i128::from(u16::MAX) => {
                tally.refused += 1;
                continue;
            }
            Err(error) => return Err(format!("{encoding:?}: {error}")),
        };
        tally.circuits += 1;
        let against = Against { sample, truth: &truth, question: &question, encoded: &encoded };
        against.by_the_book(tally).map_err(|e| format!("{encoding:?}, bound {}: {e}", sample.bound))?;
        if engine && turn % 3 == i as u64 {
            against.by_ic3(tally).map_err(|e| format!("ic3, {encoding:?}, bound {}: {e}", sample.bound))?;
        }
    }
    Ok(())
}

/// The input of the encoder.
struct Question {
    net: Net,
    within: Within,
    goals: Vec<(Goal, Formula)>,
}

impl Question {
    /// Returns `None` for thread-transition systems that cannot be written as nets.
    fn new(sample: &Sample) -> Option<Self> {
        let problem = &sample.problem;
        let (net, uncounted) = match problem.system() {
            SystemModel::Net(net) => (Net::clone(net), 0),
            SystemModel::Threads(system) => (nets::reduce::thread_net(system).ok()?, system.shared() as usize),
            _ => return None,
        };
        let formula = |goal: Goal| match problem.formula(goal) {
            Some(formula) => Some((goal, Formula::clone(formula))),
            None => Some((goal, deadlock(problem.system())?)),
        };
        let goals = problem.goals().map(formula).collect::<Option<_>>()?;
        let counted = (0..net.places().len()).map(|p| p >= uncounted).collect();
        let total = Some(Bound { most: sample.bound, counted });
        Some(Self { net, within: Within { each: Some(sample.bound), bounds: Vec::new(), total }, goals })
    }

    fn encode(&self, encoding: Encoding) -> Result<Encoded, CannotEncode> {
        let goals: Vec<(String, &Formula)> = self.goals.iter().map(|(goal, f)| (goal.to_string(), f)).collect();
        nets::encode::encode(&self.net, &self.within, encoding, &goals, MOST_NODES)
    }
}

struct Against<'a> {
    sample: &'a Sample,
    truth: &'a Truth,
    question: &'a Question,
    encoded: &'a Encoded,
}

impl Against<'_> {
    fn circuit(&self) -> &Circuit {
        &self.encoded.circuit
    }

    /// Returns the goal of an output.
    fn goal(&self, output: OutputId) -> Goal {
        self.question.goals[output.index()].0
    }

    /// The circuit must have the same markings as the net. A shortest violating run of the circuit must have
    /// one frame more than that of the net has steps.
    fn by_the_book(&self, tally: &mut Tally) -> Result<(), String> {
        let circuit = self.circuit();
        let open = circuit.latches().iter().filter(|l| l.reset == impasse::model::Reset::Open).count();
        if circuit.latches().len() > MOST_LATCHES || open.max(circuit.inputs().len()) > MOST_FREE {
            return Ok(());
        }
        let frames = self.truth.states.saturating_add(1 << open) << circuit.inputs().len();
        if frames.saturating_mul(circuit.gates().len() as u64) > MOST_GATES {
            return Ok(());
        }
        let most = 2 * MOST_STATES.max(1 << open);
        let found = testkit::circuit::truth(circuit, most).ok_or("the circuit has more states than the net")?;
        tally.explored += 1;
        // The first frame may be an auxiliary state, so markings are compared.
        let latches = |state: u64| -> Vec<bool> { (0..circuit.latches().len()).map(|i| state >> i & 1 == 1).collect() };
        let markings: BTreeSet<Vec<u64>> =
            found.states.iter().map(|s| self.encoded.lift.marking(&latches(*s))).collect();
        if markings.len() as u64 != self.truth.states {
            return Err(format!("{} markings of the circuit, {} of the net", markings.len(), self.truth.states));
        }
        for (i, (goal, _)) in self.question.goals.iter().enumerate() {
            let frames = found.shortest.get(&OutputId::new(i)).copied();
            let steps = self.truth.shortest.get(goal).copied();
            if frames != steps.map(|n| n + 1) {
                return Err(format!("{goal}: {frames:?} frames, {steps:?} steps"));
            }
        }
        Ok(())
    }

    fn by_ic3(&self, tally: &mut Tally) -> Result<(), String> {
        let problem = testkit::circuit::problem(self.circuit().clone());
        let outcome = check(&problem, &Options { engine: Some(&engines::IC3), ..Options::default() });
        for answer in &outcome.answers {
            let Goal::Output(output) = answer.property.goal else { return Err("no output".to_owned()) };
            let goal = self.goal(output);
            tally.asked += 1;
            if !matches!(answer.finding, Finding::Settled(_)) {
                return Err(format!("{goal}: {:?}", answer.finding));
            }
            if answer.is_unsafe() != self.truth.shortest.contains_key(&goal) {
                return Err(format!("{goal}: said safe = {}, the truth is the opposite", answer.is_safe()));
            }
            match answer.claim.as_deref() {
                Some(Claim::Unsafe { trace, .. }) => {
                    tally.violated += 1;
                    self.lifts(goal, trace)?;
                }
                Some(Claim::Safe { certificate: Certificate::Clauses(clauses), .. }) => {
                    tally.safe += 1;
                    if let Some(lift) = self.encoded.lift.clauses(&clauses.invariant) {
                        tally.clauses += lift.clauses.len() as u64;
                        self.holds(&lift)?;
                    }
                }
                other => return Err(format!("{goal}: settled by {other:?}")),
            }
        }
        Ok(())
    }

    /// The lifted run must be a run of the net into the goal.
    fn lifts(&self, goal: Goal, trace: &Trace) -> Result<(), String> {
        let Some(lift) = self.encoded.lift.trace(self.circuit(), trace) else {
            return Err(format!("{goal}: no lift for {trace:?}"));
        };
        match replay(&self.sample.problem, &lift) {
            Some(end) if satisfies(&self.sample.problem, goal, &end) => Ok(()),
            end => Err(format!("{goal}: {trace:?} is lifted to {lift:?}, which ends in {end:?}")),
        }
    }

    /// Clauses over thresholds must hold in every marking within the bound.
    fn holds(&self, clausal: &Clausal) -> Result<(), String> {
        let reached =
            marked::reachable(&self.sample.problem, self.sample.bound, MOST_STATES).ok_or("counted before")?;
        let invariant = NetInvariant::Clauses(clausal.clone());
        match reached.markings.iter().find(|m| !invariant_holds(&invariant, m)) {
            Some(m) => Err(format!("{m:?} breaks {clausal:?}")),
            None => Ok(()),
        }
    }
}
