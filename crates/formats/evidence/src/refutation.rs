//! Refutations in evidence files: the meanings of the proof variables, groups of states, and the steps.

use super::arithmetic::{AtomShape, number};
use super::shape::shaped;
use formats::json::{Document, Res, Value};
use formats::{Error, codes};
use model::{
    Axiom, EventId, Goal, Justification, LemmaKind, LocalId, Meaning, Program, ProofStep, Prop, Refutation, StateGroup,
    ThreadId,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// The largest number of names of lemma kinds from files, and the largest length of such a name in bytes. The
/// names are never freed.
const KINDS: usize = 1000;
const KIND_LENGTH: usize = 100;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GoalShape {
    Bad,
    Deadlock,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MeaningShape {
    Visits(Box<[u32]>),
    Ends(GoalShape),
    Int(AtomShape),
    EventBack { back: u32, event: u32 },
    StateBack { back: u32, thread: u32, state: u32 },
    Group(u32),
    Auxiliary,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupShape {
    states: Vec<u32>,
    parts: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JustificationShape {
    EventExists { back: u32, event: u32 },
    OpenAt { back: u32, event: u32, thread: u32 },
    RequestedAt { back: u32, event: u32 },
    BadState,
    ClockState { back: u32, thread: u32, state: u32 },
    EnteredBy { back: u32, thread: u32, state: u32 },
    CameFrom { back: u32, thread: u32, state: u32, event: u32 },
    DeadAt { thread: u32, event: u32 },
    Projected { threads: Vec<u32>, back: u32, length: u32 },
    RequestedBy { back: u32, event: u32 },
    BlockedBy { thread: u32, state: u32, event: u32 },
    NeverStuck,
    Counts { threads: Vec<u32>, length: u32 },
    Future { state: Box<[u32]>, thread: u32 },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AxiomShape {
    Initial,
    SomeGoal,
    OneGoal,
    NotClaimed(GoalShape),
    GoalState,
    Member,
    Exit,
    Lemma(String, JustificationShape),
    Unproven(String),
    Assumed(u32),
    IntConflict,
    /// Variables with multipliers.
    LinearConflict(Vec<(u32, String)>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepShape {
    Axiom(AxiomShape, Vec<i32>),
    Derived(Vec<i32>),
    /// A derived clause with hints.
    Hinted(Vec<i32>, Vec<u32>),
    Delete(u32),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefutationShape<'a> {
    width: usize,
    #[serde(borrow)]
    meanings: &'a RawValue,
    #[serde(borrow)]
    groups: &'a RawValue,
    #[serde(borrow)]
    steps: &'a RawValue,
}

pub(super) fn write(refutation: &Refutation, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"refutation\":{{\"width\":{},\n\"meanings\":[", refutation.width)?;
    write_list(refutation.meanings.iter().map(MeaningShape::of), out)?;
    write!(out, "],\n\"groups\":[")?;
    let group = |g: &StateGroup| GroupShape { states: g.states.clone(), parts: g.parts.clone() };
    write_list(refutation.groups.iter().map(group), out)?;
    write!(out, "],\n\"steps\":[")?;
    write_list(refutation.steps.iter().map(StepShape::of), out)?;
    write!(out, "]}}")
}

pub(super) fn write_list<T: Serialize>(list: impl Iterator<Item = T>, out: &mut dyn Write) -> io::Result<()> {
    for (i, element) in list.enumerate() {
        out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &element)?;
    }
    Ok(())
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, program: &Program) -> Res<Refutation> {
    let shape: RefutationShape<'a> = shaped(document, value)?;
    let width = program.threads().len();
    if shape.width != width {
        let message = format!("states of {} threads, but the program has {width}", shape.width);
        return Err(document.error(&codes::EVIDENCE_SHAPE, value, message).label(format!("expected `width` {width}")));
    }
    let mut refutation = Refutation { width, ..Refutation::default() };
    let mut numbers = Numbers { document, left: document.limits.evidence_numbers };
    for item in document.array(shape.meanings, "a list of meanings")? {
        let meaning: MeaningShape = shaped(document, item)?;
        let size = if let MeaningShape::Visits(state) = &meaning { state.len() } else { 1 };
        numbers.take(size, item)?;
        refutation.meanings.push(meaning.meaning().map_err(|why| refused(document, item, why))?);
    }
    for item in document.array(shape.groups, "a list of groups")? {
        let GroupShape { states, parts } = shaped(document, item)?;
        numbers.take(states.len() + parts.len(), item)?;
        refutation.groups.push(StateGroup { states, parts });
    }
    for item in document.array(shape.steps, "a list of steps")? {
        let step: StepShape = shaped(document, item)?;
        numbers.take(step.size(), item)?;
        refutation.steps.push(step.step().map_err(|why| refused(document, item, why))?);
    }
    Ok(refutation)
}

pub(super) fn refused<'a>(document: Document<'a>, value: Value<'a>, why: String) -> Box<Error> {
    document.error(&codes::EVIDENCE_SHAPE, value, why).label("here")
}

/// A counter for the numbers in a file of evidence. It stores how many numbers the limit still allows.
pub(super) struct Numbers<'a> {
    pub(super) document: Document<'a>,
    pub(super) left: usize,
}

impl<'a> Numbers<'a> {
    pub(super) fn take(&mut self, count: usize, place: Value<'a>) -> Res<()> {
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            let error = self.document.error(&codes::LIMIT_EVIDENCE, place, "the evidence is too large");
            error.label("the limit is reached here")
        })?;
        Ok(())
    }
}

impl GoalShape {
    fn of(goal: Goal) -> Self {
        match goal {
            Goal::Bad => Self::Bad,
            Goal::Deadlock => Self::Deadlock,
            _ => unreachable!("refutations speak of behavioral programs"),
        }
    }

    fn goal(&self) -> Goal {
        match self {
            Self::Bad => Goal::Bad,
            Self::Deadlock => Goal::Deadlock,
        }
    }
}

impl MeaningShape {
    fn of(meaning: &Meaning) -> Self {
        match meaning {
            Meaning::Prop(Prop::Visits(state)) => Self::Visits(state.clone()),
            Meaning::Prop(Prop::Ends(goal)) => Self::Ends(GoalShape::of(*goal)),
            Meaning::Prop(Prop::Int(atom)) => Self::Int(AtomShape::of(atom)),
            Meaning::Prop(Prop::EventBack { back, event }) => Self::EventBack { back: *back, event: event.0 },
            Meaning::Prop(Prop::StateBack { back, thread, state }) => {
                Self::StateBack { back: *back, thread: thread.0, state: state.0 }
            }
            Meaning::Group(group) => Self::Group(*group),
            Meaning::Auxiliary => Self::Auxiliary,
        }
    }

    fn meaning(self) -> Result<Meaning, String> {
        Ok(match self {
            Self::Visits(state) => Meaning::Prop(Prop::Visits(state)),
            Self::Ends(goal) => Meaning::Prop(Prop::Ends(goal.goal())),
            Self::Int(atom) => Meaning::Prop(Prop::Int(atom.atom()?)),
            Self::EventBack { back, event } => Meaning::Prop(Prop::EventBack { back, event: EventId(event) }),
            Self::StateBack { back, thread, state } => {
                Meaning::Prop(Prop::StateBack { back, thread: ThreadId(thread), state: LocalId(state) })
            }
            Self::Group(group) => Meaning::Group(group),
            Self::Auxiliary => Meaning::Auxiliary,
        })
    }
}

impl JustificationShape {
    fn of(justification: &Justification) -> Self {
        match justification.clone() {
            Justification::EventExists { back, event } => Self::EventExists { back, event: event.0 },
            Justification::OpenAt { back, event, thread } => Self::OpenAt { back, event: event.0, thread: thread.0 },
            Justification::RequestedAt { back, event } => Self::RequestedAt { back, event: event.0 },
            Justification::BadState => Self::BadState,
            Justification::ClockState { back, thread, state } => {
                Self::ClockState { back, thread: thread.0, state: state.0 }
            }
            Justification::EnteredBy { back, thread, state } => {
                Self::EnteredBy { back, thread: thread.0, state: state.0 }
            }
            Justification::CameFrom { back, thread, state, event } => {
                Self::CameFrom { back, thread: thread.0, state: state.0, event: event.0 }
            }
            Justification::DeadAt { thread, event } => Self::DeadAt { thread: thread.0, event: event.0 },
            Justification::Projected { threads, back, length } => {
                Self::Projected { threads: threads.iter().map(|t| t.0).collect(), back, length }
            }
            Justification::RequestedBy { back, event } => Self::RequestedBy { back, event: event.0 },
            Justification::BlockedBy { thread, state, event } => {
                Self::BlockedBy { thread: thread.0, state: state.0, event: event.0 }
            }
            Justification::NeverStuck => Self::NeverStuck,
            Justification::Counts { threads, length } => {
                Self::Counts { threads: threads.iter().map(|t| t.0).collect(), length }
            }
            Justification::Future { state, thread } => Self::Future { state, thread: thread.0 },
        }
    }

    fn justification(self) -> Justification {
        match self {
            Self::EventExists { back, event } => Justification::EventExists { back, event: EventId(event) },
            Self::OpenAt { back, event, thread } => {
                Justification::OpenAt { back, event: EventId(event), thread: ThreadId(thread) }
            }
            Self::RequestedAt { back, event } => Justification::RequestedAt { back, event: EventId(event) },
            Self::BadState => Justification::BadState,
            Self::ClockState { back, thread, state } => {
                Justification::ClockState { back, thread: ThreadId(thread), state: LocalId(state) }
            }
            Self::EnteredBy { back, thread, state } => {
                Justification::EnteredBy { back, thread: ThreadId(thread), state: LocalId(state) }
            }
            Self::CameFrom { back, thread, state, event } => {
                Justification::CameFrom { back, thread: ThreadId(thread), state: LocalId(state), event: EventId(event) }
            }
            Self::DeadAt { thread, event } => Justification::DeadAt { thread: ThreadId(thread), event: EventId(event) },
            Self::Projected { threads, back, length } => {
                Justification::Projected { threads: threads.into_iter().map(ThreadId).collect(), back, length }
            }
            Self::RequestedBy { back, event } => Justification::RequestedBy { back, event: EventId(event) },
            Self::BlockedBy { thread, state, event } => {
                Justification::BlockedBy { thread: ThreadId(thread), state: LocalId(state), event: EventId(event) }
            }
            Self::NeverStuck => Justification::NeverStuck,
            Self::Counts { threads, length } => {
                Justification::Counts { threads: threads.into_iter().map(ThreadId).collect(), length }
            }
            Self::Future { state, thread } => Justification::Future { state, thread: ThreadId(thread) },
        }
    }
}

impl AxiomShape {
    fn of(axiom: &Axiom) -> Self {
        match axiom {
            Axiom::Initial => Self::Initial,
            Axiom::SomeGoal => Self::SomeGoal,
            Axiom::OneGoal => Self::OneGoal,
            Axiom::NotClaimed(goal) => Self::NotClaimed(GoalShape::of(*goal)),
            Axiom::GoalState => Self::GoalState,
            Axiom::Member => Self::Member,
            Axiom::Exit => Self::Exit,
            Axiom::Lemma(kind, justification) => Self::Lemma(kind.0.to_owned(), JustificationShape::of(justification)),
            Axiom::Unproven(kind) => Self::Unproven(kind.0.to_owned()),
            Axiom::Assumed(number) => Self::Assumed(*number),
            Axiom::IntConflict => Self::IntConflict,
            Axiom::LinearConflict(multipliers) => {
                Self::LinearConflict(multipliers.iter().map(|(variable, by)| (*variable, by.to_string())).collect())
            }
        }
    }

    fn axiom(self) -> Result<Axiom, String> {
        Ok(match self {
            Self::Initial => Axiom::Initial,
            Self::SomeGoal => Axiom::SomeGoal,
            Self::OneGoal => Axiom::OneGoal,
            Self::NotClaimed(goal) => Axiom::NotClaimed(goal.goal()),
            Self::GoalState => Axiom::GoalState,
            Self::Member => Axiom::Member,
            Self::Exit => Axiom::Exit,
            Self::Lemma(kind, justification) => Axiom::Lemma(kept(&kind)?, justification.justification()),
            Self::Unproven(kind) => Axiom::Unproven(kept(&kind)?),
            Self::Assumed(number) => Axiom::Assumed(number),
            Self::IntConflict => Axiom::IntConflict,
            Self::LinearConflict(multipliers) => {
                let pair = |(variable, by): (u32, String)| Ok::<_, String>((variable, number(&by)?));
                Axiom::LinearConflict(multipliers.into_iter().map(pair).collect::<Result<_, _>>()?)
            }
        })
    }
}

impl StepShape {
    fn of(step: &ProofStep) -> Self {
        match step {
            ProofStep::Axiom(axiom, clause) => Self::Axiom(AxiomShape::of(axiom), clause.clone()),
            ProofStep::Derived(clause, hints) if hints.is_empty() => Self::Derived(clause.clone()),
            ProofStep::Derived(clause, hints) => Self::Hinted(clause.clone(), hints.clone()),
            ProofStep::Delete(step) => Self::Delete(*step),
        }
    }

    /// Returns how many numbers the step takes from the limit.
    fn size(&self) -> usize {
        match self {
            Self::Axiom(AxiomShape::LinearConflict(multipliers), clause) => clause.len() + multipliers.len() + 1,
            Self::Axiom(_, clause) | Self::Derived(clause) => clause.len() + 1,
            Self::Hinted(clause, hints) => clause.len() + hints.len() + 1,
            Self::Delete(_) => 1,
        }
    }

    fn step(self) -> Result<ProofStep, String> {
        Ok(match self {
            Self::Axiom(axiom, clause) => ProofStep::Axiom(axiom.axiom()?, clause),
            Self::Derived(clause) => ProofStep::Derived(clause, Vec::new()),
            Self::Hinted(clause, hints) => ProofStep::Derived(clause, hints),
            Self::Delete(step) => ProofStep::Delete(step),
        })
    }
}

/// Returns the kind of lemmas with this name. Kinds are constants in the code of patterns. Names from files are
/// never freed, so their number and length are limited. They are printed unchanged, so only harmless characters
/// are allowed.
pub(super) fn kept(name: &str) -> Result<LemmaKind, String> {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    if name.is_empty() || !name.bytes().all(plain) {
        return Err("the name of a kind of lemmas consists of letters, digits, `_`, `.` and `-`".to_owned());
    }
    let mut known = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = known.get(name) {
        return Ok(LemmaKind(name));
    }
    if name.len() > KIND_LENGTH || known.len() >= KINDS {
        return Err(format!("more than {KINDS} kinds of lemmas, or one of more than {KIND_LENGTH} characters"));
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    known.insert(name);
    Ok(LemmaKind(name))
}
