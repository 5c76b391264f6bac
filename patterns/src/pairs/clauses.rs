//! The lemmas of pairs. Each function states one fact of [`model::fact`]; its kind's comment is the formula.

use super::known::Known;
use crate::group::SideCondition;
use model::{EventId, Fact, Goal, Lemma, LemmaKind, LemmaLit, LocalId, Prop, ThreadId};
use std::collections::BTreeSet;

/// Longest clause worth having, but for lists of all states that are left to a violation.
const CLAUSE_LITERALS: usize = 512;
/// Literals of all clauses of a match: keeps the start below a few milliseconds however large the threads are.
const TOTAL_LITERALS: usize = 100_000;

/// What the lemmas are called, by the pattern that emits them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kinds {
    pub(crate) bad: LemmaKind,
    pub(crate) some: LemmaKind,
    pub(crate) one: LemmaKind,
    pub(crate) apart: LemmaKind,
    pub(crate) support: LemmaKind,
    pub(crate) blocked: LemmaKind,
}

/// Collects lemmas about the last state of the run.
pub(crate) struct Clauses {
    kinds: Kinds,
    seen: BTreeSet<Vec<LemmaLit>>,
    literals_left: usize,
    pub(crate) lemmas: Vec<Lemma>,
}

fn is(thread: ThreadId, state: LocalId) -> LemmaLit {
    LemmaLit::yes(Prop::StateBack { back: 0, thread, state })
}

fn is_not(thread: ThreadId, state: LocalId) -> LemmaLit {
    LemmaLit::no(Prop::StateBack { back: 0, thread, state })
}

impl Clauses {
    pub(crate) fn new(kinds: Kinds) -> Self {
        Self { kinds, seen: BTreeSet::new(), literals_left: TOTAL_LITERALS, lemmas: Vec::new() }
    }

    /// No more than `literals` from here on.
    pub(crate) fn limit(&mut self, literals: usize) {
        self.literals_left = self.literals_left.min(literals);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.literals_left == 0
    }

    /// Adds a lemma, unless there is no room for it.
    fn emit(&mut self, kind: LemmaKind, fact: Fact, clause: Vec<LemmaLit>) {
        if self.seen.contains(&clause) {
            return;
        }
        let is_list = [self.kinds.some, self.kinds.bad, self.kinds.blocked].contains(&kind);
        let too_long = clause.len() > CLAUSE_LITERALS && !is_list;
        if clause.len() > self.literals_left || too_long {
            self.literals_left = if too_long { self.literals_left } else { 0 };
            return;
        }
        self.literals_left -= clause.len();
        self.seen.insert(clause.clone());
        self.lemmas.push(Lemma { kind, clause, fact: Some(fact) });
    }

    pub(crate) fn bad(&mut self, known: &Known, bad_states: &[(ThreadId, LocalId)]) {
        let conditions = known.prints.conditions();
        let mut clause = Vec::new();
        if conditions.keep(SideCondition::GuardedByGoal) {
            clause.push(LemmaLit::no(Prop::Ends(Goal::Bad)));
        }
        clause.extend(bad_states.iter().map(|&(i, s)| is(i, s)));
        self.emit(self.kinds.bad, Fact::BadState, clause);
    }

    pub(crate) fn some(&mut self, known: &mut Known, i: ThreadId) {
        let states = known.states(i);
        if !states.is_empty() {
            let clause = states.iter().map(|&s| is(i, s)).collect();
            self.emit(self.kinds.some, Fact::Projected { threads: vec![i], back: 0, length: 0 }, clause);
        }
    }

    /// Not both of two states.
    pub(crate) fn not_both(&mut self, i: ThreadId, s: LocalId, t: LocalId) {
        let fact = Fact::Projected { threads: vec![i], back: 0, length: 0 };
        let mut clause = vec![is_not(i, s), is_not(i, t)];
        clause.sort_unstable();
        self.emit(self.kinds.one, fact, clause);
    }

    /// A state that `i` never takes.
    pub(crate) fn never(&mut self, i: ThreadId, s: LocalId) {
        let fact = Fact::Projected { threads: vec![i], back: 0, length: 0 };
        self.emit(self.kinds.support, fact, vec![is_not(i, s)]);
    }

    pub(crate) fn apart(&mut self, (i, s): (ThreadId, LocalId), (j, t): (ThreadId, LocalId)) {
        let mut clause = vec![is_not(i, s), is_not(j, t)];
        clause.sort_unstable();
        self.emit(self.kinds.apart, pair(i, j), clause);
    }

    /// `t` of `j` needs one of `states` of `i`: all those that stand beside it.
    pub(crate) fn support(&mut self, (j, t): (ThreadId, LocalId), i: ThreadId, states: &[LocalId]) {
        let clause = [is_not(j, t)].into_iter().chain(states.iter().map(|&s| is(i, s))).collect();
        self.emit(self.kinds.support, pair(i, j), clause);
    }

    /// What a state that needs a blocker for `event` says of the others.
    pub(crate) fn blocked(&mut self, known: &mut Known, thread: ThreadId, state: LocalId, event: EventId) {
        if !known.needs_blocker(thread, state, event) {
            return;
        }
        let conditions = known.prints.conditions();
        let Some(blocking) = known.blocking(event) else { return };
        let mut clause = Vec::new();
        if conditions.keep(SideCondition::GuardedByGoal) {
            clause.push(LemmaLit::no(Prop::Ends(Goal::Deadlock)));
        }
        clause.push(is_not(thread, state));
        // Of its own states only the one it is in could block the event, and that one does not.
        clause.extend(blocking.iter().filter(|(k, _)| *k != thread).map(|&(k, u)| is(k, u)));
        let blocking = blocking.to_vec();
        self.emit(self.kinds.blocked, Fact::BlockedBy { thread, state, event }, clause);
        for (k, u) in blocking.into_iter().filter(|(k, _)| *k != thread) {
            if known.states(k).binary_search(&u).is_err() && !known.effort.is_spent() {
                self.never(k, u);
            }
        }
    }
}

fn pair(i: ThreadId, j: ThreadId) -> Fact {
    Fact::Projected { threads: vec![i.min(j), i.max(j)], back: 0, length: 0 }
}
