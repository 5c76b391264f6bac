//! The independent checker: turns claims into verdicts, and nobody else can.
//!
//! An engine only ever *claims*; [`confirm`] replays its trace or checks its certificate against the system as read. This
//! crate shares no code with any engine: its steppers are its own, straight from the definitions of the systems,
//! simple before fast. Every rule it accepts has its soundness argument beside it, because an unsound rule here makes wrong
//! verdicts that nothing else would catch. Evidence may come from a hostile file: every index is checked before use, work
//! and memory are limited, and nothing recurses.
//!
//! A [`Verdict`] has no public constructor:
//!
//! ```
//! fn good_news(verdict: &impasse_certify::Verdict) -> bool {
//!     verdict.is_safe()
//! }
//! ```
//!
//! ```compile_fail
//! fn good_news() -> impasse_certify::Verdict {
//!     impasse_certify::Verdict(impasse_certify::Answer::Safe)
//! }
//! ```

mod arith;
mod assumed;
mod by_event;
mod circuits;
mod clausal;
mod clauses;
mod clocks;
mod counted;
mod derivations;
mod facts;
mod families;
mod groups;
mod hints;
mod jump;
mod key_set;
mod keys;
mod lrat;
mod nets;
mod never_stuck;
mod nodes;
mod places;
mod potential;
mod projected;
mod projection;
mod reactive;
mod reduced;
mod refutation;
mod replay;
mod response;
mod restricted;
mod rup;
mod state_set;
mod stepper;
mod stubborn;
#[cfg(test)]
mod tests;
mod threads;
mod work;

pub use lrat::{Lrat, Refuted, check_model};
pub use reactive::Player;

use clausal::Duty;
use model::cnf::Cnf;
use model::{
    Certificate, Circuit, Claim, Exclusion, Goal, Invariant, LemmaKind, NetFact, Observed, Problem, Program, Stop,
    SystemModel, Trace, Why,
};
use nets::Marked;
use num_bigint::BigUint;
use refutation::Premises;
use replay::End;
use stepper::Stepper;
use work::Work;

/// A checked answer. Built by [`confirm`] only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict(Answer);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Safe,
    Unsafe,
}

impl Verdict {
    /// No state of the goals is reachable.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.0 == Answer::Safe
    }

    /// A state of the goal is reachable.
    #[must_use]
    pub fn is_unsafe(&self) -> bool {
        self.0 == Answer::Unsafe
    }
}

/// How far to go, and whom to believe.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names of patterns whose lemmas are accepted without proof.
    pub trust: Vec<String>,
    /// Work limit, about one step of a thread or one look at a literal each; beyond it the evidence is too dear.
    pub max_steps: u64,
}

impl Default for Options {
    /// Trusts nobody; a work limit of some minutes to an hour, so that the stop flag is what ends a check in practice.
    fn default() -> Self {
        Self { trust: Vec::new(), max_steps: 100_000_000_000 }
    }
}

/// What an answer rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvidenceKind {
    /// A run into a goal state.
    Trace,
    /// A set of states closed under successors.
    StateSet,
    /// A closed set of joint states of some of the threads.
    Projection,
    /// The places that can be marked at all.
    Markable,
    /// Pairs of places that may be marked together.
    Pairs,
    /// Vectors that are never covered.
    Vectors,
    /// Linear bounds, or sums of inequalities that contradict each other.
    Linear,
    /// Places of which one is always marked.
    Traps,
    /// Clauses over bits of states.
    Clauses,
    /// A refutation of "there is a violating run" from lemmas.
    Lemmas,
}

impl EvidenceKind {
    /// All of them.
    pub const ALL: [EvidenceKind; 10] = [
        EvidenceKind::Trace,
        EvidenceKind::StateSet,
        EvidenceKind::Projection,
        EvidenceKind::Markable,
        EvidenceKind::Pairs,
        EvidenceKind::Vectors,
        EvidenceKind::Linear,
        EvidenceKind::Traps,
        EvidenceKind::Clauses,
        EvidenceKind::Lemmas,
    ];

    /// The name in JSON and on the terminal.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            EvidenceKind::Trace => "trace",
            EvidenceKind::StateSet => "state-set",
            EvidenceKind::Projection => "projection",
            EvidenceKind::Markable => "markable",
            EvidenceKind::Pairs => "pairs",
            EvidenceKind::Vectors => "vectors",
            EvidenceKind::Linear => "linear",
            EvidenceKind::Traps => "traps",
            EvidenceKind::Clauses => "clauses",
            EvidenceKind::Lemmas => "lemmas",
        }
    }

    /// The strongest kind of fact in an invariant, and how many of them there are.
    #[must_use]
    pub fn of_invariant(invariant: &Invariant) -> (Self, u64) {
        let count = |of: &dyn Fn(&NetFact) -> u64| invariant.facts.iter().map(of).sum::<u64>();
        let vectors = |fact: &NetFact| if let NetFact::NeverCovered(vectors) = fact { vectors.len() as u64 } else { 0 };
        let sums = |why: &Exclusion| matches!(why, Exclusion::Cases(cases) if cases.lemmas.iter().any(|l| matches!(l.why, Why::Sum { .. })));
        let linear = invariant.exclusions.iter().any(|(_, why)| sums(why));
        let has = |kind: fn(&NetFact) -> bool| invariant.facts.iter().any(kind);
        let clauses = |fact: &NetFact| if let NetFact::Clauses(c) = fact { c.clauses.len() as u64 } else { 0 };
        if has(|fact| matches!(fact, NetFact::Clauses(_))) {
            (EvidenceKind::Clauses, count(&clauses))
        } else if has(|fact| matches!(fact, NetFact::NeverCovered(_))) {
            (EvidenceKind::Vectors, count(&vectors))
        } else if has(|fact| matches!(fact, NetFact::SomeMarked(_))) {
            (EvidenceKind::Traps, count(&|fact| matches!(fact, NetFact::SomeMarked(_)).into()))
        } else if linear || has(|fact| matches!(fact, NetFact::AtMost(_))) {
            (EvidenceKind::Linear, count(&|fact| matches!(fact, NetFact::AtMost(_)).into()))
        } else if has(|fact| matches!(fact, NetFact::Pairs(_))) {
            (EvidenceKind::Pairs, count(&|fact| if let NetFact::Pairs(pairs) = fact { pairs.allowed() } else { 0 }))
        } else {
            let markable = |fact: &NetFact| match fact {
                NetFact::Markable(places) => places.iter().filter(|can_be| **can_be).count() as u64,
                _ => 0,
            };
            (EvidenceKind::Markable, invariant.facts.iter().map(markable).max().unwrap_or(0))
        }
    }
}

/// A verdict with what it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirmed {
    /// The goals it settles.
    pub goals: Vec<Goal>,
    /// The verdict on them.
    pub verdict: Verdict,
    /// What it rests on.
    pub evidence: EvidenceKind,
    /// How long the evidence is: events, states, places that can be marked, pairs that can, vectors, bounds, traps, clauses, or
    /// proof steps.
    pub length: u64,
    /// States stepped through to check it.
    pub replayed: u64,
    /// The kinds of lemmas that were believed because the user said so, in order of first use.
    pub trusted: Vec<LemmaKind>,
    /// For state sets a hash of the set that does not depend on the order of its states; else 0.
    pub hash: u64,
}

/// Why a claim is not confirmed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The evidence is wrong: what and where.
    #[error("the evidence is wrong: {0}")]
    Rejected(String),
    /// Beyond the work limit, the memory limit or the stop flag.
    #[error("the evidence is too dear to check")]
    TooDear,
    /// A kind of evidence or of lemma that this checker does not know.
    #[error("the evidence cannot be checked: {0}")]
    Unknown(String),
    /// The trace is a violating run, but not one of those that were asked for: which assumption it breaks.
    #[error("the trace does not satisfy what is assumed: {0}")]
    Assumption(String),
}

/// What every check in this crate returns.
type Check<T> = Result<T, Refusal>;

/// Evidence is wrong for this reason.
fn reject<T>(reason: impl Into<String>) -> Check<T> {
    Err(Refusal::Rejected(reason.into()))
}

/// Checks the evidence of `claim` on `problem`, from nothing but the two.
///
/// # Errors
/// If the evidence does not show what is claimed, or cannot be checked within the limits.
pub fn confirm(problem: &Problem, claim: &Claim, options: &Options, stop: &Stop) -> Result<Confirmed, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    if problem.system.as_own().is_some() {
        return Err(Refusal::Unknown("systems of one's own".to_owned()));
    }
    match claim {
        Claim::Unknown { .. } => Err(Refusal::Unknown("an unknown comes without evidence".to_owned())),
        Claim::Within { .. } => Err(Refusal::Unknown("what holds within a bound is no verdict".to_owned())),
        Claim::Unsafe { goal, trace, .. } => {
            asked(problem, &[*goal])?;
            let (length, replayed) = match (&problem.system, marked(problem)) {
                (_, Some(system)) => marked_run(system, problem, trace, *goal, &mut work)?,
                (SystemModel::Circuit(circuit), _) => circuit_run(circuit, problem, trace, *goal, &mut work)?,
                (SystemModel::Reactive(program), _) => reactive::run(program, problem, trace, *goal, &mut work)?,
                _ => run(problem, trace, *goal, &mut work)?,
            };
            let (goals, verdict, evidence) = (vec![*goal], Verdict(Answer::Unsafe), EvidenceKind::Trace);
            Ok(Confirmed { goals, verdict, evidence, length, replayed, trusted: Vec::new(), hash: 0 })
        }
        Claim::Safe { goals, certificate } => {
            asked(problem, goals)?;
            safe(problem, goals, certificate, options, &mut work)
        }
    }
}

/// What [`confirm_within`] confirms: nothing is said of runs beyond the bound, so this is no [`Verdict`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounded {
    goals: Vec<Goal>,
    most: BigUint,
    length: u64,
}

impl Bounded {
    /// The goals that no run within the bound reaches.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// Runs are meant that never have more than so many tokens (of thread systems: threads), on all places or on some of them.
    #[must_use]
    pub fn most(&self) -> &BigUint {
        &self.most
    }

    /// How many clauses the proof has.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// Checks the evidence of a [`Claim::Within`].
///
/// # Errors
/// If the evidence does not show what is claimed, cannot be checked within the limits, or the claim is another one.
pub fn confirm_within(problem: &Problem, claim: &Claim, options: &Options, stop: &Stop) -> Result<Bounded, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    let (Claim::Within { goals, within, invariant }, Some(system)) = (claim, marked(problem)) else {
        return Err(Refusal::Unknown("it is no claim about what lies within a bound".to_owned()));
    };
    asked(problem, goals)?;
    if !problem.assumptions.is_empty() {
        return Err(Refusal::Unknown("assumptions speak of runs of programs".to_owned()));
    }
    nets::within(system, problem, (invariant, within), goals, &mut Duty::Check, &mut work)?;
    let (_, length) = EvidenceKind::of_invariant(invariant);
    Ok(Bounded { goals: goals.clone(), most: within.most.clone(), length })
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

/// The formulas that the derivations of a certificate with clauses have to refute, in the checker's own encoding of the system
/// as read. None if there are no clauses.
///
/// # Errors
/// Clauses that speak of nothing the system has; beyond the limits.
pub fn obligations(
    problem: &Problem,
    claim: &Claim,
    options: &Options,
    stop: &Stop,
) -> Result<Vec<(Proved, Cnf)>, Refusal> {
    let mut work = Work::new(options.max_steps, stop);
    let mut formulas = Vec::new();
    if let (Claim::Within { goals, within, invariant }, Some(system)) = (claim, marked(problem)) {
        asked(problem, goals)?;
        let duty = &mut Duty::Collect(&mut formulas);
        nets::within(system, problem, (invariant, within), goals, duty, &mut work)?;
        return Ok(formulas);
    }
    let Claim::Safe { goals, certificate } = claim else { return Ok(formulas) };
    asked(problem, goals)?;
    let observed = observed(problem, goals)?;
    let (problem, goals) = inner(&observed).unwrap_or((problem, goals.clone()));
    let goals = &goals;
    let mut duty = Duty::Collect(&mut formulas);
    match (certificate, &problem.system, marked(problem)) {
        (Certificate::Clauses(clauses), SystemModel::Circuit(circuit), _) => {
            circuits::clauses(circuit, clauses, goals, &mut duty, &mut work)?;
        }
        (Certificate::Clauses(clauses), SystemModel::Rwb(program), _) => {
            clausal::programs::check(&Stepper::new(program)?, clauses, goals, &mut duty, &mut work)?;
        }
        (Certificate::Restricted(restrictions, inner), SystemModel::Rwb(program), _) => {
            if let Certificate::Clauses(clauses) = &**inner {
                let restricted = restricted::check(program, restrictions, &mut work)?;
                clausal::programs::check(&Stepper::new(&restricted)?, clauses, goals, &mut duty, &mut work)?;
            }
        }
        (Certificate::Invariant(invariant), _, Some(system)) => {
            nets::invariant(system, problem, invariant, goals, &mut duty, &mut work)?;
        }
        _ => {}
    }
    Ok(formulas)
}

/// The system, if its states are markings.
fn marked(problem: &Problem) -> Option<Marked<'_>> {
    match &problem.system {
        SystemModel::Rwb(_) | SystemModel::Circuit(_) | SystemModel::Reactive(_) | SystemModel::Own(_) => None,
        SystemModel::Net(net) => Some(Marked::Net(net)),
        SystemModel::Threads(system) => Some(Marked::Threads(system)),
    }
}

/// The program that certificates about `goals` speak of. `None`: the system as read.
fn observed(problem: &Problem, goals: &[Goal]) -> Check<Option<Observed>> {
    if !matches!(problem.system, SystemModel::Rwb(_)) {
        return Ok(None);
    }
    match model::observed(problem, goals) {
        Some(observed) => Ok(Some(observed)),
        None => reject("these goals of a program are shown one by one, and without assumptions"),
    }
}

/// Its problem, with the goals it is asked for.
fn inner(observed: &Option<Observed>) -> Option<(&Problem, Vec<Goal>)> {
    observed.as_ref().map(|other| (&other.problem, other.problem.goals().collect()))
}

/// Replays a trace of a program; its events, and how many were stepped through.
fn run(problem: &Problem, trace: &Trace, goal: Goal, work: &mut Work<'_>) -> Check<(u64, u64)> {
    let program = problem.program();
    let end = match (problem.formula(goal), goal) {
        (Some(formula), _) => End::Formula(formula),
        (None, goal) => End::Goal(goal),
    };
    let (replayed, last) = replay::replay(program, &Stepper::new(program)?, trace, end, work)?;
    match problem.assumptions.iter().position(|assumed| !assumed.holds(replayed.events, &last)) {
        Some(number) => Err(Refusal::Assumption(format!("assumption number {}", number + 1))),
        None => Ok((replayed.events, replayed.stepped)),
    }
}

/// As [`run`], of a net or thread system.
fn marked_run(
    system: Marked<'_>,
    problem: &Problem,
    trace: &Trace,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<(u64, u64)> {
    if !problem.assumptions.is_empty() {
        return Err(Refusal::Unknown("assumptions speak of runs of programs".to_owned()));
    }
    let replayed = nets::replay(system, problem, trace, goal, work)?;
    Ok((replayed.events, replayed.stepped))
}

/// As [`run`], of a circuit.
fn circuit_run(
    circuit: &Circuit,
    problem: &Problem,
    trace: &Trace,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<(u64, u64)> {
    if !problem.assumptions.is_empty() {
        return Err(Refusal::Unknown("assumptions speak of runs of programs".to_owned()));
    }
    let Goal::Output(output) = goal else { return reject("the goals of a circuit are its outputs") };
    let replayed = circuits::replay(circuit, trace, output, work)?;
    Ok((replayed.events, replayed.stepped))
}

fn safe(
    problem: &Problem,
    goals: &[Goal],
    certificate: &Certificate,
    options: &Options,
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    if let Some(other) = observed(problem, goals)? {
        let (within, inner) = (&other.problem, other.problem.goals().collect::<Vec<Goal>>());
        let confirmed = safe_program(within, &inner, certificate, options, work)?;
        return Ok(Confirmed { goals: goals.to_vec(), ..confirmed });
    }
    if let SystemModel::Circuit(circuit) = &problem.system {
        let Certificate::Clauses(clauses) = certificate else {
            return reject("states of threads and markings say nothing about circuits");
        };
        circuits::clauses(circuit, clauses, goals, &mut Duty::Check, work)?;
        return Ok(Confirmed {
            length: clauses.invariant.clauses.len() as u64,
            ..confirmed(goals, EvidenceKind::Clauses)
        });
    }
    if let SystemModel::Reactive(program) = &problem.system {
        let Certificate::Valuations(valuations) = certificate else {
            return reject("states of threads, markings and clauses say nothing about reactive programs");
        };
        return reactive::holds(program, problem, valuations, goals, work);
    }
    match (certificate, marked(problem)) {
        (Certificate::Markable(markable), Some(system)) => {
            nets::markable(system, problem, markable, goals, work)?;
            let length = markable.places.iter().filter(|&&can_be| can_be).count() as u64;
            Ok(Confirmed { length, ..confirmed(goals, EvidenceKind::Markable) })
        }
        (Certificate::Markings(markings), Some(system)) => {
            let checked = nets::markings(system, problem, markings, goals, work)?;
            let (length, hash) = (checked.states, checked.hash);
            Ok(Confirmed { length, replayed: length, hash, ..confirmed(goals, EvidenceKind::StateSet) })
        }
        (Certificate::ReducedMarkings(markings), Some(system)) => {
            let checked = nets::reduced(system, problem, markings, goals, None, work)?;
            let (length, hash) = (checked.states, checked.hash);
            Ok(Confirmed { length, replayed: length, hash, ..confirmed(goals, EvidenceKind::StateSet) })
        }
        (Certificate::Invariant(invariant), Some(system)) => {
            nets::invariant(system, problem, invariant, goals, &mut Duty::Check, work)?;
            let (evidence, length) = EvidenceKind::of_invariant(invariant);
            Ok(Confirmed { length, ..confirmed(goals, evidence) })
        }
        (_, _) => reject("composite states of threads say nothing about markings"),
    }
}

/// As [`safe`], of a program asked for `bad` and `deadlock`, without proper ends.
fn safe_program(
    problem: &Problem,
    goals: &[Goal],
    certificate: &Certificate,
    options: &Options,
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    let program = problem.program();
    match certificate {
        Certificate::Restricted(restrictions, inner) => {
            // Runs, steps and goals of the restricted program are the same, local states keep their numbers, so what the
            // inner certificate shows of it, under whatever assumptions, it shows of the program.
            let restricted = restricted::check(program, restrictions, work)?;
            never_violated(&restricted, problem, goals, inner, options, work)
        }
        _ => never_violated(program, problem, goals, certificate, options, work),
    }
}

/// `program` is the problem's, or has the same runs into goals.
fn never_violated(
    program: &Program,
    problem: &Problem,
    goals: &[Goal],
    certificate: &Certificate,
    options: &Options,
    work: &mut Work<'_>,
) -> Check<Confirmed> {
    let stepper = Stepper::new(program)?;
    match certificate {
        Certificate::StateSet(set) => {
            let checked = state_set::check(program, &stepper, set.as_ref(), goals, work)?;
            let (length, hash) = (checked.states, checked.hash);
            Ok(Confirmed { length, replayed: length, hash, ..confirmed(goals, EvidenceKind::StateSet) })
        }
        Certificate::Refutation(refutation) => {
            let premises = Premises { trust: &options.trust, assumptions: &problem.assumptions };
            let checked = refutation::check(program, &stepper, refutation, goals, &premises, work)?;
            let length = refutation.steps.len() as u64;
            let (replayed, trusted) = (checked.expanded, checked.trusted);
            Ok(Confirmed { length, replayed, trusted, ..confirmed(goals, EvidenceKind::Lemmas) })
        }
        Certificate::Projection(projection) => {
            let checked = projection::check(program, &stepper, projection, goals, work)?;
            let (length, hash) = (checked.states, checked.hash);
            Ok(Confirmed { length, replayed: length, hash, ..confirmed(goals, EvidenceKind::Projection) })
        }
        Certificate::Reduced(set) => {
            let checked = reduced::check(program, &stepper, set.as_ref(), goals, work)?;
            let (length, hash) = (checked.states, checked.hash);
            Ok(Confirmed { length, replayed: length, hash, ..confirmed(goals, EvidenceKind::StateSet) })
        }
        Certificate::Counted(counted) => {
            let checked = counted::check(program, &stepper, counted, goals, &problem.assumptions, work)?;
            let (length, hash) = (checked.states, checked.hash);
            Ok(Confirmed { length, replayed: length, hash, ..confirmed(goals, EvidenceKind::StateSet) })
        }
        Certificate::Clauses(clauses) => {
            clausal::programs::check(&stepper, clauses, goals, &mut Duty::Check, work)?;
            let length = clauses.invariant.clauses.len() as u64;
            Ok(Confirmed { length, ..confirmed(goals, EvidenceKind::Clauses) })
        }
        Certificate::Restricted(..) => reject("restrictions of a restricted program belong into one list"),
        Certificate::Markable(_)
        | Certificate::Markings(_)
        | Certificate::ReducedMarkings(_)
        | Certificate::Invariant(_)
        | Certificate::Valuations(_) => reject("a set of places or markings says nothing about a behavioral program"),
    }
}

fn confirmed(goals: &[Goal], evidence: EvidenceKind) -> Confirmed {
    Confirmed {
        goals: goals.to_vec(),
        verdict: Verdict(Answer::Safe),
        evidence,
        length: 0,
        replayed: 0,
        trusted: Vec::new(),
        hash: 0,
    }
}

/// A claim must speak of goals that were asked for, each once: else it settles nothing that anybody wants to know.
fn asked(problem: &Problem, goals: &[Goal]) -> Check<()> {
    if goals.is_empty() {
        return reject("the claim names no goal");
    }
    let mut sorted = goals.to_vec();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return reject(format!("the claim names the goal `{}` twice", pair[0]));
    }
    let mut asked = problem.goals().filter(|goal| sorted.binary_search(goal).is_ok()).collect::<Vec<_>>();
    asked.sort_unstable();
    asked.dedup();
    match sorted.iter().find(|goal| asked.binary_search(goal).is_err()) {
        Some(goal) => reject(format!("the goal `{goal}` is not asked for")),
        None => Ok(()),
    }
}
