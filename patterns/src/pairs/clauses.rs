//! The lemmas of pairs. Each function emits lemmas with one kind of justification ([`model::justification`]).
//! The comment of the lemma's kind is the formula.

use super::known::ThreadCache;
use crate::group::SideCondition;
use model::{EventId, Goal, Justification, Lemma, LemmaKind, LemmaLit, LocalId, Prop, ThreadId};
use std::collections::BTreeSet;

/// Maximum number of literals of a clause. It does not apply to clauses that list all possible states: `some`,
/// `bad` and `blocked`.
const CLAUSE_LITERALS: usize = 512;
/// Maximum number of literals of all clauses of a match. The limit keeps the start below a few milliseconds for
/// threads of any size.
const TOTAL_LITERALS: usize = 100_000;

/// The names of the lemmas. They depend on the pattern that emits the lemmas.
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

    /// Limits the number of literals that may still be emitted.
    pub(crate) fn limit(&mut self, literals: usize) {
        self.literals_left = self.literals_left.min(literals);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.literals_left == 0
    }

    /// Adds a lemma if its clause is new and fits the limits.
    fn emit(&mut self, kind: LemmaKind, justification: Justification, clause: Vec<LemmaLit>) {
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
        self.lemmas.push(Lemma { kind, clause, justification: Some(justification) });
    }

    pub(crate) fn bad(&mut self, known: &ThreadCache, bad_states: &[(ThreadId, LocalId)]) {
        let conditions = known.prints.conditions();
        let mut clause = Vec::new();
        if conditions.keep(SideCondition::GuardedByGoal) {
            clause.push(LemmaLit::no(Prop::Ends(Goal::Bad)));
        }
        clause.extend(bad_states.iter().map(|&(i, s)| is(i, s)));
        self.emit(self.kinds.bad, Justification::BadState, clause);
    }

    pub(crate) fn some(&mut self, known: &mut ThreadCache, i: ThreadId) {
        let states = known.states(i);
        if !states.is_empty() {
            let clause = states.iter().map(|&s| is(i, s)).collect();
            self.emit(self.kinds.some, Justification::Projected { threads: vec![i], back: 0, length: 0 }, clause);
        }
    }

    /// Emits the clause that `i` is not in both `s` and `t`.
    pub(crate) fn not_both(&mut self, i: ThreadId, s: LocalId, t: LocalId) {
        let justification = Justification::Projected { threads: vec![i], back: 0, length: 0 };
        let mut clause = vec![is_not(i, s), is_not(i, t)];
        clause.sort_unstable();
        self.emit(self.kinds.one, justification, clause);
    }

    /// Emits the clause that `i` is not in `s`.
    pub(crate) fn never(&mut self, i: ThreadId, s: LocalId) {
        let justification = Justification::Projected { threads: vec![i], back: 0, length: 0 };
        self.emit(self.kinds.support, justification, vec![is_not(i, s)]);
    }

    pub(crate) fn apart(&mut self, (i, s): (ThreadId, LocalId), (j, t): (ThreadId, LocalId)) {
        let mut clause = vec![is_not(i, s), is_not(j, t)];
        clause.sort_unstable();
        self.emit(self.kinds.apart, pair(i, j), clause);
    }

    /// Emits the clause that `i` is in one of `states` if `j` is in `t`. `states` must contain every state of
    /// `i` that may occur together with `t`.
    pub(crate) fn support(&mut self, (j, t): (ThreadId, LocalId), i: ThreadId, states: &[LocalId]) {
        let clause = [is_not(j, t)].into_iter().chain(states.iter().map(|&s| is(i, s))).collect();
        self.emit(self.kinds.support, pair(i, j), clause);
    }

    /// Emits the clause that another thread blocks `event` if `thread` is in `state` in a deadlock. Emits
    /// nothing if `state` needs no other thread to block `event`.
    pub(crate) fn blocked(&mut self, known: &mut ThreadCache, thread: ThreadId, state: LocalId, event: EventId) {
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
        // The other states of `thread` are left out: `thread` is in `state`, which does not block the event.
        clause.extend(blocking.iter().filter(|(k, _)| *k != thread).map(|&(k, u)| is(k, u)));
        let blocking = blocking.to_vec();
        self.emit(self.kinds.blocked, Justification::BlockedBy { thread, state, event }, clause);
        for (k, u) in blocking.into_iter().filter(|(k, _)| *k != thread) {
            if known.states(k).binary_search(&u).is_err() && !known.effort.is_spent() {
                self.never(k, u);
            }
        }
    }
}

fn pair(i: ThreadId, j: ThreadId) -> Justification {
    Justification::Projected { threads: vec![i.min(j), i.max(j)], back: 0, length: 0 }
}
