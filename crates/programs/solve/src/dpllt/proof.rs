//! Logs the clauses of the SAT solver during the search, and translates them into a refutation with axioms that
//! the checker accepts.

use crate::dpllt::search::{FIRST_LEMMA, INT_CONFLICT, LemmaSearch, PROGRAM_GOALS};
use model::{
    Axiom, Goal, IntAtom, IntTerm, Justification, LemmaKind, Meaning, ProofStep, Prop, Refutation, StateGroup,
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use sat::{ClauseId, Lit, Proof, Tag, Var};
use search::StateId;
use std::sync::{Arc, Mutex};
use ts::{ClauseForm, Named};

/// The kind of conflicts of arithmetic that only Z3 vouches for.
const Z3_ARITHMETIC: LemmaKind = LemmaKind("z3.arithmetic");

/// No run ends in a bad state, because no thread can reach one.
pub(crate) const NO_BAD_STATE: LemmaKind = LemmaKind("goal.no_bad_state");

/// Returns the refutation of a program of this many threads, none of which can reach a bad state.
pub(crate) fn no_bad_state(width: usize) -> Refutation {
    let lemma = Axiom::Lemma(NO_BAD_STATE, Justification::BadState);
    let steps = vec![
        ProofStep::Axiom(Axiom::SomeGoal, vec![1]),
        ProofStep::Axiom(lemma, vec![-1]),
        ProofStep::Derived(Vec::new(), vec![0, 1]),
    ];
    Refutation { width, meanings: vec![Meaning::Prop(Prop::Ends(Goal::Bad))], groups: Vec::new(), steps }
}

/// The log, stored in flat arrays because a search may log millions of clauses.
#[derive(Default)]
pub(crate) struct ProofLog {
    steps: Vec<LogEntry>,
    literals: Vec<i32>,
    /// Positions of the steps that derivations follow from.
    hints: Vec<u32>,
    /// For each clause id: the position of its step.
    positions: Vec<u32>,
    vars: usize,
}

/// A step of the log. It stores the end of its literals and, for a derivation, the end of its hints.
enum LogEntry {
    Axiom(Tag, u32),
    Derived(u32, u32),
    Delete(u32),
}

/// The handle through which the SAT solver writes the log.
pub(crate) struct Shared(pub(crate) Arc<Mutex<ProofLog>>);

impl ProofLog {
    fn add(&mut self, id: ClauseId, clause: &[Lit], step: impl FnOnce(u32) -> LogEntry) {
        let id = index(id);
        if id >= self.positions.len() {
            self.positions.resize(id + 1, u32::MAX);
        }
        self.positions[id] = u32::try_from(self.steps.len()).expect("fewer than 2^32 steps");
        self.literals.extend(clause.iter().map(|lit| lit.to_dimacs()));
        self.vars = clause.iter().map(|lit| lit.var().index() + 1).fold(self.vars, usize::max);
        let end = u32::try_from(self.literals.len()).expect("fewer than 2^32 literals");
        self.steps.push(step(end));
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        self.hints.extend(hints.iter().map(|&hint| self.positions[index(hint)]));
        let end_of_hints = u32::try_from(self.hints.len()).expect("fewer than 2^32 hints");
        self.add(id, clause, |end| LogEntry::Derived(end, end_of_hints));
    }
}

fn index(id: ClauseId) -> usize {
    usize::try_from(id.0).expect("clause ids are counted from 1")
}

impl Proof for Shared {
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]) {
        self.0.lock().expect("no thread panics while logging").add(id, clause, |end| LogEntry::Axiom(tag, end));
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        self.0.lock().expect("no thread panics while logging").derived(id, clause, hints);
    }

    fn delete(&mut self, id: ClauseId) {
        let mut log = self.0.lock().expect("no thread panics while logging");
        let position = log.positions[index(id)];
        log.steps.push(LogEntry::Delete(position));
    }
}

/// Translates the log into a certificate that no run ends in `goals`, including the meaning of its variables.
/// If the log ends with the clause `not Ends(g)` (no run ends in goal g) for the only claimed goal g, axioms
/// exclude the other goals, so that the empty clause follows.
///
/// The certificate contains only the steps on which the last clause depends. Patterns emit many more lemmas
/// than a refutation uses, and the checker verifies every lemma in it.
pub(crate) fn refutation(log: &ProofLog, goals: &[Goal], search: &LemmaSearch) -> Refutation {
    let (groups, group_of) = groups(search);
    let needed = log.needed();
    let mut is_used = vec![false; log.vars];
    let mut renumbered = vec![u32::MAX; log.steps.len()];
    let mut steps = Vec::new();
    for (number, part) in log.parts().enumerate().filter(|(number, _)| needed[*number]) {
        renumbered[number] = u32::try_from(steps.len()).expect("fewer than 2^32 steps");
        for literal in part.clause {
            is_used[literal.unsigned_abs() as usize - 1] = true;
        }
        steps.push(match *part.step {
            LogEntry::Axiom(tag, _) => ProofStep::Axiom(axiom(tag, part.clause, search), part.clause.to_vec()),
            LogEntry::Derived(..) => {
                let hints = part.hints.iter().map(|&hint| renumbered[hint as usize]).collect();
                ProofStep::Derived(part.clause.to_vec(), hints)
            }
            LogEntry::Delete(dropped) => ProofStep::Delete(renumbered[dropped as usize]),
        });
    }
    close(&mut steps, goals, search);
    let of = |v: usize| if is_used[v] { meaning(Var::new(v), search, &group_of) } else { Meaning::Auxiliary };
    let mut meanings: Vec<Meaning> = (0..log.vars).map(of).collect();
    for goal in PROGRAM_GOALS {
        let var = search.ts.ends(goal).var();
        meanings[var.index()] = meaning(var, search, &group_of);
    }
    Refutation { width: search.ts.width(), meanings, groups, steps }
}

/// A step of the log with its literals and hints.
struct LoggedClause<'a> {
    step: &'a LogEntry,
    clause: &'a [i32],
    hints: &'a [u32],
}

impl ProofLog {
    /// Returns the steps in order.
    fn parts(&self) -> impl Iterator<Item = LoggedClause<'_>> {
        let (mut start, mut start_of_hints) = (0, 0);
        self.steps.iter().map(move |step| {
            let (end, end_of_hints) = match *step {
                LogEntry::Axiom(_, end) => (end as usize, start_of_hints),
                LogEntry::Derived(end, hints) => (end as usize, hints as usize),
                LogEntry::Delete(_) => (start, start_of_hints),
            };
            let part = LoggedClause {
                step,
                clause: &self.literals[start..end],
                hints: &self.hints[start_of_hints..end_of_hints],
            };
            (start, start_of_hints) = (end, end_of_hints);
            part
        })
    }

    /// For each step: true if the last clause depends on it, or if [`close`] may need it. All steps are needed
    /// if a derivation has no hints.
    fn needed(&self) -> Vec<bool> {
        let parts: Vec<LoggedClause<'_>> = self.parts().collect();
        let mut needed = vec![false; parts.len()];
        let is_clause = |part: &&LoggedClause<'_>| !matches!(part.step, LogEntry::Delete(_));
        let last = parts.iter().enumerate().rev().find(|(_, part)| is_clause(part)).map(|(number, _)| number);
        last.into_iter().for_each(|last| needed[last] = true);
        for (number, part) in parts.iter().enumerate().rev() {
            match part.step {
                LogEntry::Axiom(tag, _) => needed[number] |= *tag == ClauseForm::SomeGoal.tag(),
                LogEntry::Derived(..) if part.hints.is_empty() => return vec![true; parts.len()],
                LogEntry::Derived(..) if needed[number] => part.hints.iter().for_each(|&h| needed[h as usize] = true),
                LogEntry::Derived(..) | LogEntry::Delete(_) => {}
            }
        }
        for (number, part) in parts.iter().enumerate() {
            if let LogEntry::Delete(dropped) = *part.step {
                needed[number] = needed[dropped as usize];
            }
        }
        needed
    }
}

/// Adds the steps that lead to the empty clause. Axioms exclude the goals that are not claimed. The negation of
/// the claimed goal was derived last, so there is no goal left in which a run could end.
fn close(steps: &mut Vec<ProofStep>, goals: &[Goal], search: &LemmaSearch) {
    let refuted = match steps.last() {
        Some(ProofStep::Derived(clause, _)) if clause.is_empty() => return,
        Some(ProofStep::Derived(clause, _)) => {
            matches!(*goals, [goal] if *clause == [(!search.ts.ends(goal)).to_dimacs()]).then(|| steps.len() - 1)
        }
        _ => None,
    };
    let some_goal = refuted.and(living_axiom(steps, &Axiom::SomeGoal));
    let set_aside = steps.len();
    for goal in PROGRAM_GOALS.into_iter().filter(|g| !goals.contains(g)) {
        steps.push(ProofStep::Axiom(Axiom::NotClaimed(goal), vec![(!search.ts.ends(goal)).to_dimacs()]));
    }
    let hints = match (refuted, some_goal) {
        (Some(refuted), Some(some_goal)) => {
            [refuted].into_iter().chain(set_aside..steps.len()).chain([some_goal]).map(|step| step as u32).collect()
        }
        _ => Vec::new(),
    };
    steps.push(ProofStep::Derived(Vec::new(), hints));
}

/// Returns the first step with this axiom, unless the step was deleted.
fn living_axiom(steps: &[ProofStep], axiom: &Axiom) -> Option<usize> {
    let found = steps.iter().position(|step| matches!(step, ProofStep::Axiom(a, _) if a == axiom))?;
    let is_dropped = steps.iter().any(|step| matches!(step, ProofStep::Delete(dropped) if *dropped as usize == found));
    (!is_dropped).then_some(found)
}

fn axiom(tag: Tag, clause: &[i32], search: &LemmaSearch) -> Axiom {
    if tag == INT_CONFLICT {
        return int_conflict(clause, search);
    }
    if tag.0 >= FIRST_LEMMA {
        return search.reason(tag).expect("lemma tags are handed out in order").clone();
    }
    match ClauseForm::ALL[tag.0 as usize] {
        ClauseForm::Initial => Axiom::Initial,
        ClauseForm::SomeGoal => Axiom::SomeGoal,
        ClauseForm::OneGoal => Axiom::OneGoal,
        ClauseForm::NotClaimed => Axiom::NotClaimed(not_claimed(clause, search)),
        ClauseForm::GoalState => Axiom::GoalState,
        ClauseForm::Member => Axiom::Member,
        ClauseForm::Exit => Axiom::Exit,
    }
}

/// Returns the axiom of a conflict that the side theory found. If all atoms are about one constant, the checker decides
/// it. Otherwise the checker needs multipliers. A conflict without multipliers holds only for integers; then the user
/// has to trust Z3, which found it.
fn int_conflict(clause: &[i32], search: &LemmaSearch) -> Axiom {
    let variable = |literal: &i32| Lit::from_dimacs(*literal).var();
    let atoms: Vec<(&i32, &IntAtom)> = clause
        .iter()
        .filter_map(|literal| match search.prop(variable(literal)) {
            Some(Prop::Int(atom)) => Some((literal, atom)),
            _ => None,
        })
        .collect();
    if atoms.iter().all(|(_, atom)| is_about_one(atom)) {
        return Axiom::IntConflict;
    }
    match side::contradiction(atoms.iter().map(|(_, atom)| *atom)) {
        Some(found) => {
            let multiplier = |(at, by): (usize, BigInt)| (atoms[at].0.unsigned_abs(), by);
            Axiom::LinearConflict(found.into_iter().map(multiplier).collect())
        }
        None => Axiom::Unproven(Z3_ARITHMETIC),
    }
}

/// True if the atom is about a constant, or about the remainder of a constant, and a number that the checker reads.
fn is_about_one(atom: &IntAtom) -> bool {
    let is_number = |term: &IntTerm| matches!(term, IntTerm::Number(n) if n.to_u64().is_some());
    let is_one = |term: &IntTerm| match term {
        IntTerm::Constant(_) => true,
        IntTerm::Mod(inner, _) => matches!(**inner, IntTerm::Constant(_)),
        _ => false,
    };
    let (IntAtom::Eq(a, b) | IntAtom::Le(a, b)) = atom;
    is_one(a) && is_number(b) || is_number(a) && is_one(b)
}

fn not_claimed(clause: &[i32], search: &LemmaSearch) -> Goal {
    let var = Lit::from_dimacs(clause[0]).var();
    let named = search.ts.meaning(var.positive());
    let Some(Named::Ends(goal)) = named else { unreachable!("the clause names a goal, not {named:?}") };
    goal
}

/// Converts sets of states that have a literal of their own into groups. Single states have no group, so groups
/// are numbered without gaps.
fn groups(search: &LemmaSearch) -> (Vec<StateGroup>, Vec<u32>) {
    let contents = search.ts.set_contents();
    let mut group_of = Vec::with_capacity(contents.len());
    let mut groups = Vec::new();
    for (states, parts) in &contents {
        group_of.push(groups.len() as u32);
        if states.is_empty() && parts.is_empty() {
            continue;
        }
        let states = states.iter().flat_map(|&q| unpacked(q, search)).collect();
        let parts = parts.iter().map(|&part| group_of[part]).collect();
        groups.push(StateGroup { states, parts });
    }
    (groups, group_of)
}

fn meaning(var: Var, search: &LemmaSearch, group_of: &[u32]) -> Meaning {
    match search.ts.meaning(var.positive()) {
        Some(Named::Visits(q)) => Meaning::Prop(Prop::Visits(unpacked(q, search).into())),
        Some(Named::Ends(goal)) => Meaning::Prop(Prop::Ends(goal)),
        Some(Named::Set(set)) => Meaning::Group(group_of[set]),
        None => search.prop(var).map_or(Meaning::Auxiliary, |prop| Meaning::Prop(prop.clone())),
    }
}

fn unpacked(q: StateId, search: &LemmaSearch) -> Vec<u32> {
    let mut state = Vec::new();
    search.ts.explored().state(q, &mut state);
    state
}
