//! Proofs of obligations, step by step.
//!
//! An [`Open`] is what is left to prove in a part of a proof. It has *facts* (constraints), and for each thread that
//! has a decision about the event the place in this decision. Each step of a proof replaces an `Open` by its parts.
//!
//! An `Open` is *true* of a case if all its facts hold and all its threads are at places that the case passes. A
//! *case* is one of these, with a value for each symbol (symbols that the program or the event does not have are 0):
//!
//! * For `Initial`: an initial state, and the way of each thread through its initial decision. Variables are 0.
//! * For `Event`: a state that satisfies the invariant, a possible event of the family, and for each thread with a
//!   decision its way through it. Variables have the values of the state.
//! * For `NoDeadlock`: a state that satisfies the invariant, and has no possible event. Here each instance determines
//!   more of the case. See claim 3.
//!
//! Inputs have the values that the ways define. Each input is defined at most once on a way (`DataProgram::new`).
//! Other inputs have no value, and no fact contains them: facts contain only inputs that are defined ([`Open::parts`]
//! refuses others). Otherwise, a cut could choose an instance by a number that only this instance determines.
//!
//! 1. The first `Open` of an obligation is true of every case. Proof: the facts are clauses of the control with one
//!    constraint, and the threads are at the beginning. Places that leave no choice are passed at once
//!    (`deciding.rs`): a test without symbols has one truth value, and quotient and remainder satisfy the four facts
//!    about them.
//! 2. If an `Open` is true of a case, then each step has a part that is true of the case. The exception is `Step`, if
//!    the new state satisfies the invariant or need not satisfy it. Proof, for each step:
//!    * `Contradiction` is refused: a sum of numbers that are at most 0 is not positive.
//!    * `Clause`: the clause holds, so one of its constraints does.
//!    * `Cut`: the term has a value, and an integer is at most 0 or at least 1.
//!    * `Decide`: the way goes on by one of the parts. In proofs of `NoDeadlock` it is a test, and the values
//!      determine it.
//!    * `Step`: the new values are those of the updates. If the new state does not satisfy the invariant, a clause of
//!      the new control fails. (The new control is listed, else the step is refused.) So all constraints of the
//!      clause fail.
//!    * `Done` in proofs of `Initial` is refused. In proofs of `Event` it is refused, because no thread blocks the
//!      event, and some thread requests it. (A thread without a decision does neither.)
//! 3. Claim 2 also holds for proofs of `NoDeadlock`. `Instance`: in the state, the arguments are numbers. The case is
//!    extended by a way of each thread for the event with these arguments, which takes the first way of each choice
//!    and the value 0 for each free input. The inputs get new names, and no earlier fact contains these names. `Done`
//!    is refused: with this way, the event is possible.
//! 4. A complete proof shows its obligation. Proof: suppose there is a case for which the obligation fails. By claims
//!    1 to 3, from the first `Open` down there is always a part that is true of the case. But a proof is finite, and
//!    ends where there are no parts.
//!
//! So a proof of `NoDeadlock` may use any number of instances, and may leave an instance that turns out to be
//! impossible.

use super::arithmetic;
use super::invariant::{Invariant, Obligation};
use super::state::decisions;
use crate::work::Work;
use crate::{Check, reject};
use model::data::{Constraint, Decision, Linear, ProofStep, Symbol};
use model::{DecisionId, EventId, LocationId, ThreadId, VariableId};
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is left to prove in a part of a proof.
#[derive(Clone, Debug)]
pub struct Open<'a> {
    pub(super) invariant: &'a Invariant<'a>,
    pub(super) obligation: Obligation,
    pub(super) facts: Vec<Arc<Constraint>>,
    /// The inputs that have been defined.
    pub(super) inputs: BTreeSet<Symbol>,
    /// The clauses that were split.
    pub(super) split: BTreeSet<u32>,
    /// The threads with a decision, ascending. `None` if no event is looked at: before the first instance, and after
    /// `Step`.
    pub(super) threads: Option<Vec<Deciding>>,
    /// Arguments of the instance, terms over variables.
    pub(super) arguments: Arc<[Linear]>,
    /// Number of instances so far.
    pub(super) instances: u32,
}

/// What the next step of a proof may be, besides `Contradiction`, `Cut` and `Clause`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// `Done`: it completes this part.
    Done,
    /// `Decide` for one of the threads of [`Open::pending`]. (Also `Instance` in proofs about deadlocks.)
    Decide,
    /// `Step`: all threads have decided. [`Open::after`] returns the next state.
    Step,
    /// `Instance`: no event is looked at, or the event is impossible.
    Instance,
    /// Nothing else: `Step` was taken before.
    Facts,
}

/// The state after a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct After {
    /// The location of each thread.
    pub locations: Vec<LocationId>,
    /// The new value of each variable that changes. After the initial decisions: of each variable.
    pub values: BTreeMap<VariableId, Linear>,
}

impl Invariant<'_> {
    /// Returns the beginning of the proof of an obligation.
    ///
    /// # Errors
    /// If the program is wrong, or if a resource limit is exceeded.
    ///
    /// # Panics
    /// Panics if this is no obligation of the invariant.
    pub fn open(&self, obligation: Obligation, work: &mut Work<'_>) -> Check<Open<'_>> {
        Open::new(self, obligation, work)
    }
}

impl<'a> Open<'a> {
    /// Creates the beginning of a proof.
    pub(super) fn new(invariant: &'a Invariant<'a>, obligation: Obligation, work: &mut Work<'_>) -> Check<Self> {
        let mut open = Self {
            invariant,
            obligation,
            facts: Vec::new(),
            inputs: BTreeSet::new(),
            split: BTreeSet::new(),
            threads: None,
            arguments: Arc::new([]),
            instances: 0,
        };
        if let Obligation::Event(control, _) | Obligation::NoDeadlock(control) = obligation {
            open.facts.clone_from(&invariant.units[control]);
            work.spend(open.facts.len() as u64)?;
        }
        let threads = invariant.program.threads();
        match obligation {
            Obligation::Initial => {
                let ids = (0..threads.len()).map(ThreadId::new);
                open.begin(ids.zip(threads).map(|(id, thread)| (id, thread.initial)), work)?;
            }
            Obligation::Event(control, event) => open.look(control, event, work)?,
            Obligation::NoDeadlock(_) => {}
        }
        Ok(open)
    }

    /// What is proved.
    #[must_use]
    pub fn obligation(&self) -> Obligation {
        self.obligation
    }

    /// The facts, by their numbers.
    #[must_use]
    pub fn facts(&self) -> &[Arc<Constraint>] {
        &self.facts
    }

    /// The threads that have not decided, ascending.
    pub fn pending(&self) -> impl Iterator<Item = &Deciding> {
        self.threads.iter().flatten().filter(|deciding| deciding.ways > 0)
    }

    /// The clauses of the control that are no facts and were not split in this part, with their numbers.
    pub fn clauses(&self) -> impl Iterator<Item = (u32, &'a [Constraint])> {
        let all = (0..).zip(self.clauses_of_control()).map(|(number, clause)| (number, clause.as_slice()));
        all.filter(|(number, clause)| clause.len() != 1 && !self.split.contains(number))
    }

    /// Returns what the next step may be.
    #[must_use]
    pub fn status(&self) -> Status {
        let is_deadlock = matches!(self.obligation, Obligation::NoDeadlock(_));
        let is_undecided = self.pending().next().is_some();
        match &self.threads {
            None if is_deadlock => Status::Instance,
            None => Status::Facts,
            Some(_) if self.is_done() => Status::Done,
            Some(_) if is_deadlock && (!is_undecided || self.is(|outcome| outcome.blocks)) => Status::Instance,
            Some(_) if is_undecided => Status::Decide,
            Some(_) => Status::Step,
        }
    }

    /// Returns the state after the step if `Step` is possible.
    ///
    /// # Errors
    /// If an update uses an input that is not defined, or if a resource limit is exceeded.
    pub fn after(&self, work: &mut Work<'_>) -> Check<Option<After>> {
        let (program, is_undecided) = (self.invariant.program, self.pending().next().is_some());
        let mut after = match self.obligation {
            Obligation::Initial => {
                let zeros = (0..program.variables().len()).map(|id| (VariableId::new(id), Linear::default()));
                After { locations: vec![LocationId(0); program.threads().len()], values: zeros.collect() }
            }
            Obligation::Event(control, _) => {
                After { locations: self.invariant.controls[control].locations.clone(), values: BTreeMap::new() }
            }
            Obligation::NoDeadlock(_) => return Ok(None),
        };
        work.spend((after.locations.len() + after.values.len()) as u64)?;
        let Some(threads) = self.threads.as_ref().filter(|_| !is_undecided) else { return Ok(None) };
        for deciding in threads {
            let Some((location, updates)) = self.outcome(deciding).and_then(|outcome| outcome.go.as_ref()) else {
                continue;
            };
            after.locations[deciding.thread.index()] = *location;
            for (variable, term) in updates {
                after.values.insert(*variable, self.seen(term, work)?);
            }
        }
        Ok(Some(after))
    }

    /// Returns the parts that are left to prove after a step of the proof.
    ///
    /// # Errors
    /// If the step is impossible here, or if a resource limit is exceeded.
    pub fn parts(&self, step: &ProofStep, work: &mut Work<'_>) -> Check<Vec<Self>> {
        work.spend(1)?;
        match step {
            ProofStep::Contradiction(multipliers) => self.contradiction(multipliers, work),
            ProofStep::Clause(number) => {
                let Some(clause) = self.clauses_of_control().get(*number as usize) else {
                    return reject(format!("the control has no clause {number}"));
                };
                let mut parts = Vec::new();
                for constraint in clause {
                    let mut part = self.with([constraint.clone()], work)?;
                    part.split.insert(*number);
                    parts.push(part);
                }
                Ok(parts)
            }
            ProofStep::Cut(constraint) => {
                self.are_defined(constraint.term(), work)?;
                Ok(vec![self.with([constraint.clone()], work)?, self.with([constraint.negation()], work)?])
            }
            ProofStep::Decide(thread) => self.ways(*thread, work),
            ProofStep::Step => self.step(work),
            ProofStep::Done if self.is_done() => Ok(Vec::new()),
            ProofStep::Done => reject("its obligation is not met"),
            ProofStep::Instance { event, arguments } => self.instance(*event, arguments, work),
        }
    }

    fn contradiction(&self, multipliers: &[(u32, BigInt)], work: &mut Work<'_>) -> Check<Vec<Self>> {
        let mut multiples = Vec::new();
        for (number, multiplier) in multipliers {
            let Some(fact) = self.facts.get(*number as usize) else { return reject(format!("no fact {number}")) };
            if !multiplier.is_positive() {
                return reject(format!("the multiplier of fact {number} is not positive"));
            }
            multiples.push((multiplier, fact.term()));
        }
        let sum = arithmetic::sum(multiples, work)?;
        match sum.as_number() {
            Some(number) if number.is_positive() => Ok(Vec::new()),
            _ => reject(format!("the sum of the facts is {}, which is not a positive number", arithmetic::shown(&sum))),
        }
    }

    /// The parts of `Decide`.
    fn ways(&self, thread: ThreadId, work: &mut Work<'_>) -> Check<Vec<Self>> {
        let found = self.threads.as_ref().and_then(|all| all.iter().position(|other| other.thread == thread));
        let Some(number) = found else { return reject(format!("thread {} has nothing to decide", thread.0)) };
        let deciding = &self.threads.as_ref().expect("it was found")[number];
        let part = |fact: Option<Constraint>, at: DecisionId, work: &mut Work<'_>| {
            let mut part = self.with(fact, work)?;
            part.advance(number, at, work)?;
            Ok(part)
        };
        match (self.decision(deciding), &deciding.test) {
            (Decision::Test { yes, no, .. }, Some(test)) => {
                let holds = Constraint::clone(test);
                let fails = test.negation();
                Ok(vec![part(Some(holds), *yes, work)?, part(Some(fails), *no, work)?])
            }
            (Decision::Choose(ways), _) => ways.iter().map(|way| part(None, *way, work)).collect(),
            _ => reject(format!("thread {} has decided", thread.0)),
        }
    }

    /// The parts of `Step`.
    fn step(&self, work: &mut Work<'_>) -> Check<Vec<Self>> {
        let Some(after) = self.after(work)? else { return reject("there is no step yet") };
        if self.invariant.is_exempt(&after.locations) {
            return Ok(Vec::new());
        }
        let Some(number) = self.invariant.number(&after.locations) else {
            let numbers: Vec<u32> = after.locations.iter().map(|location| location.0).collect();
            return reject(format!("the step leads to the locations {numbers:?}, which are not listed"));
        };
        let mut parts = Vec::new();
        for clause in &self.invariant.controls[number].clauses {
            let mut fails = Vec::with_capacity(clause.len());
            for constraint in clause {
                let new = |symbol| match symbol {
                    Symbol::Variable(id) => Ok(after.values.get(&id).cloned()),
                    _ => Ok(None),
                };
                let term = arithmetic::substitute(constraint.term(), new, work)?;
                fails.push(arithmetic::at_most_zero(&term, work)?.negation());
            }
            let mut part = self.with(fails, work)?;
            part.threads = None;
            parts.push(part);
        }
        Ok(parts)
    }

    /// The part of `Instance`.
    fn instance(&self, event: EventId, arguments: &[Linear], work: &mut Work<'_>) -> Check<Vec<Self>> {
        let Obligation::NoDeadlock(control) = self.obligation else { return reject("it names another event") };
        let program = self.invariant.program;
        if program.events().get(event.index()).is_none_or(|event| event.arity() != arguments.len()) {
            return reject(format!("there is no event {} with {} arguments", event.0, arguments.len()));
        }
        for argument in arguments {
            work.spend(arithmetic::size(argument))?;
            if argument.terms().iter().any(|term| !matches!(term.0, Symbol::Variable(_))) {
                return reject(format!("the argument {} is not a term over variables", arithmetic::shown(argument)));
            }
        }
        if self.instances == MOST_INSTANCES {
            return reject("there are too many instances");
        }
        let mut part = self.with([], work)?;
        part.instances += 1;
        part.arguments = arguments.into();
        part.look(control, event, work)?;
        Ok(vec![part])
    }

    /// Lets the threads of the control begin to decide about an event.
    fn look(&mut self, control: usize, event: EventId, work: &mut Work<'_>) -> Check<()> {
        let Invariant { program, controls, .. } = *self.invariant;
        work.spend(program.threads().len() as u64)?;
        self.begin(decisions(program, &controls[control].locations, event), work)
    }
}

/// Number of inputs of a thread in an instance.
pub(super) const INPUTS: u32 = 1 << 20;

/// Number of instances in a proof that have names for their inputs.
pub(super) const MOST_INSTANCES: u32 = u32::MAX / INPUTS;

/// A thread and its place in its decision.
#[derive(Clone, Debug)]
pub struct Deciding {
    /// The thread.
    pub thread: ThreadId,
    /// The place: a test, a choice or an end.
    pub at: DecisionId,
    /// The test at this place, with the symbols of the proof.
    pub test: Option<Arc<Constraint>>,
    /// Number of ways from here: the number of parts of `Decide`. 0 at an end.
    pub ways: usize,
}
