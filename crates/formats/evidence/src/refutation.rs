//! Refutations in evidence files: the meanings of the proof variables, groups of states, and the steps.

use super::shape::{Input, Output, Shape, shape};
use formats::json::{Res, string};
use model::array::{ArrayRule, ArrayTerm, ThreadArray, ThreadCell, Write};
use model::{
    Axiom, Constant, IntAtom, IntTerm, Justification, LemmaKind, Meaning, ProofStep, Prop, Refutation, StateGroup,
};
use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, PoisonError};

/// The largest number of names of lemma kinds from files, and the largest length of such a name in bytes. The
/// names are never freed.
const KINDS: usize = 1000;
const KIND_LENGTH: usize = 100;

shape! { Refutation = {width / meanings / groups / steps} => {Refutation { width, meanings, groups, steps }} }

shape! { Meaning [LINES] =
    "visits" (state) => {Meaning::Prop(Prop::Visits(state))},
    "ends" (goal) => {Meaning::Prop(Prop::Ends(goal))},
    "int" (atom) => {Meaning::Prop(Prop::Int(atom))},
    "event_back" {back, event} => {Meaning::Prop(Prop::EventBack { back, event })},
    "state_back" {back, thread, state} => {Meaning::Prop(Prop::StateBack { back, thread, state })},
    "group" (group) => {Meaning::Group(group)},
    "auxiliary" () => {Meaning::Auxiliary},
}

shape! { IntAtom =
    "eq" (left, right) => {IntAtom::Eq(left, right)},
    "le" (left, right) => {IntAtom::Le(left, right)},
}

shape! { IntTerm =
    "number" (number) => {IntTerm::Number(number)},
    "T" () => {IntTerm::Constant(Constant::RunLength)},
    "count" (event) => {IntTerm::Constant(Constant::Count(event))},
    "named" (name) => {IntTerm::Constant(Constant::Named(name))},
    "cell" (array, index) => {IntTerm::Constant(Constant::Cell(array, index))},
    "sum" (terms) => {IntTerm::Sum(terms)},
    "scaled" (factor, term) => {IntTerm::Scaled(factor, term)},
    "mod" (term, modulus) => {IntTerm::Mod(term, modulus)} refuse (*modulus == 0, "a modulus of 0"),
}

shape! { ArrayTerm =
    "named" (name) => {ArrayTerm::Named(name)},
    "threads" (array) => {ArrayTerm::Threads(array)},
    "store" {array, index, value} => {ArrayTerm::Store(array, index, value)},
}

shape! { ThreadArray = {back, cells} => {ThreadArray { back, cells }} }
shape! { ThreadCell = {thread, values} => {ThreadCell { thread, values }} }

shape! { ArrayRule =
    "same_index" {array, first, second} => {ArrayRule::SameIndex { array, first, second }},
    "written" (write) => {ArrayRule::Written(write)},
    "kept" (write) => {ArrayRule::Kept(write)},
    "cell" {array, index, state} => {ArrayRule::Cell { array, index, state }},
    "moves" {after, event, write, read} => {ArrayRule::Moves { after, event, write, read }},
}

shape! { Write = {array, at, value, read} => {Write { array, at, value, read }} }

shape! { StateGroup [LINES] = {states, parts} => {StateGroup { states, parts }} }

shape! { ProofStep [LINES] =
    "axiom" (axiom, clause) => {ProofStep::Axiom(axiom, clause)},
    "derived" (clause) with (hints = Vec::<u32>::new()) => {ProofStep::Derived(clause, hints)},
    "hinted" (clause, hints) => {ProofStep::Derived(clause, hints)},
    "delete" (step) => {ProofStep::Delete(step)},
}

shape! { Axiom =
    "initial" () => {Axiom::Initial},
    "some_goal" () => {Axiom::SomeGoal},
    "one_goal" () => {Axiom::OneGoal},
    "not_claimed" (goal) => {Axiom::NotClaimed(goal)},
    "goal_state" () => {Axiom::GoalState},
    "member" () => {Axiom::Member},
    "exit" () => {Axiom::Exit},
    "lemma" (kind, justification) => {Axiom::Lemma(kind, justification)},
    "unproven" (kind) => {Axiom::Unproven(kind)},
    "assumed" (number) => {Axiom::Assumed(number)},
    "int_conflict" () => {Axiom::IntConflict},
    "linear_conflict" (multipliers) => {Axiom::LinearConflict(multipliers)},
}

shape! { Justification =
    "event_exists" {back, event} => {Justification::EventExists { back, event }},
    "open_at" {back, event, thread} => {Justification::OpenAt { back, event, thread }},
    "requested_at" {back, event} => {Justification::RequestedAt { back, event }},
    "bad_state" () => {Justification::BadState},
    "clock_state" {back, thread, state} => {Justification::ClockState { back, thread, state }},
    "entered_by" {back, thread, state} => {Justification::EnteredBy { back, thread, state }},
    "came_from" {back, thread, state, event} => {Justification::CameFrom { back, thread, state, event }},
    "dead_at" {thread, event} => {Justification::DeadAt { thread, event }},
    "projected" {threads, back, length} => {Justification::Projected { threads, back, length }},
    "requested_by" {back, event} => {Justification::RequestedBy { back, event }},
    "blocked_by" {thread, state, event} => {Justification::BlockedBy { thread, state, event }},
    "never_stuck" () => {Justification::NeverStuck},
    "counts" {threads, length} => {Justification::Counts { threads, length }},
    "array" (rule) => {Justification::Array(rule)},
    "future" {state, thread} => {Justification::Future { state, thread }},
}

impl Shape for LemmaKind {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        to.text(&string(self.0))
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, name) = (from.here(), from.string("the name of a kind of lemmas")?);
        kept(&name).map_err(|why| from.wrong(start, why))
    }
}

/// Returns the kind of lemmas with this name. Kinds are constants in the code of patterns. Names from files are
/// never freed, so their number and length are limited. They are printed unchanged, so only harmless characters
/// are allowed.
fn kept(name: &str) -> Result<LemmaKind, String> {
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
