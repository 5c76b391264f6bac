//! Pairs of threads: which states may stand side by side when the violation happens.
//!
//! Two threads that share events constrain each other whatever the others do: a semaphore that is full while its counter is
//! not, a writer that is not done while the audit reads, a cell and its value's only writer. The joint states of two threads are
//! few, those of all are not.
//!
//! Formula (s_T the last state of any violating run, R the joint states of the projection onto i and j, [`crate::group`]):
//!
//! * a bad run ends in some thread's bad state; a plain deadlock in states all of whose requests somebody blocks;
//! * each thread i is in one state of its projection, R_i;
//! * (s_T(i), s_T(j)) is in R: not s or not t for pairs outside R, or not t or some s that stands beside it.
//!
//! Sound for any other threads, because every run of the program is a run of each projection: see
//! [`model::Fact::Projected`], `BadState`, `BlockedBy`. Which clauses are worth having is found by arc consistency from each bad state
//! ([`consistency`]): if that empties a thread, only the clauses on the way are emitted, and unit propagation
//! refutes the bad state with them. Else the clauses about threads near those that lost states are emitted, nearest
//! first, for the search to combine.

mod clauses;
mod consistency;
mod known;
#[cfg(test)]
mod tests;

pub use clauses::{APART, BAD, BLOCKED, ONE, SOME, SUPPORT};

use crate::group::{Budget, Conditions, Footprints, SideCondition};
use clauses::Clauses;
use consistency::{Narrowing, Reason, Step};
use known::Known;
use model::pattern::ConcreteRun;
use model::{Coverage, EventId, Goal, Lemma, LocalId, Match, Pattern, Prop, Thread, ThreadId, Values, WhyNot};
use std::collections::{BTreeSet, VecDeque};

/// The pattern, as registered.
pub const PAIRS: Pairs = Pairs { conditions: Conditions::ALL };

/// Looks at states, moves and entries of lists that a match may cost: some 0.3 s.
const WORK: u64 = 30_000_000;
/// Literals of clauses that do not refute by themselves: enough for some hundred pairs, little beside a search.
const OPEN_LITERALS: usize = 20_000;
/// States that may be left to a thread of which it is said that no two hold at once.
const EXCLUSIVE: usize = 24;

/// The matcher of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    conditions: Conditions,
}

impl Pairs {
    /// The pattern without one of its side conditions: unsound, for tests that must notice.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(condition: SideCondition) -> Self {
        Self { conditions: Conditions { omit: Some(condition) } }
    }
}

impl Pattern for Pairs {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        if matches!(goal, Goal::Formula(_)) {
            return Err(WhyNot::new(None, "formulas are goals of nets"));
        }
        let mut budget = Budget::new(WORK);
        let Some(prints) = Footprints::of(threads, self.conditions, &mut budget) else {
            return Err(WhyNot::new(None, "the threads have too much to do with events"));
        };
        let mut finder = Finder { known: Known::new(&prints, budget), clauses: Clauses::new() };
        match goal {
            Goal::Bad => finder.bad()?,
            _ => finder.deadlock()?,
        }
        let lemmas = finder.clauses.lemmas;
        if lemmas.is_empty() {
            return Err(WhyNot::new(None, "nothing was found within the budget"));
        }
        Ok(Box::new(PairsMatch { goal, lemmas }))
    }
}

/// The lemmas: finding out whether there are any is finding them.
struct PairsMatch {
    goal: Goal,
    lemmas: Vec<Lemma>,
}

impl Match for PairsMatch {
    fn coverage(&self) -> Coverage {
        let props = self.lemmas.iter().flat_map(|lemma| &lemma.clause).map(|literal| &literal.prop);
        let threads: BTreeSet<ThreadId> = props
            .filter_map(|prop| if let Prop::StateBack { thread, .. } = prop { Some(*thread) } else { None })
            .collect();
        Coverage { goal: self.goal, threads: threads.into_iter().collect() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        out.append(&mut self.lemmas);
    }

    fn witness(&self, _run: &ConcreteRun) -> Values {
        Values::new()
    }
}

struct Finder<'a> {
    known: Known<'a>,
    clauses: Clauses,
}

impl Finder<'_> {
    fn bad(&mut self) -> Result<(), WhyNot> {
        let prints = self.known.prints;
        let mut bad_states = Vec::new();
        for i in (0..prints.threads().len()).map(ThreadId::new) {
            bad_states.extend(prints.reachable(i).filter(|&s| prints.thread(i).state(s).bad).map(|s| (i, s)));
        }
        if !prints.conditions().keep(SideCondition::EveryBadState) {
            let first = bad_states.first().map(|&(i, _)| i);
            bad_states.retain(|&(i, _)| Some(i) == first);
        }
        self.clauses.bad(&self.known, &bad_states);
        let mut open = Vec::new();
        for &(i, s) in &bad_states {
            if self.known.budget.is_spent() || self.clauses.is_full() {
                break;
            }
            if !self.known.states(i).contains(&s) {
                if !self.known.budget.is_spent() {
                    self.clauses.never(i, s);
                }
                continue;
            }
            let mut narrowing = Narrowing::beside(&mut self.known, i, s);
            match narrowing.run(&mut self.known) {
                Some(empty) => {
                    let steps = narrowing.explain(&mut self.known, empty);
                    self.steps(&steps);
                }
                None => open.push(narrowing),
            }
        }
        self.near(&open);
        if self.clauses.lemmas.len() > 1 || bad_states.is_empty() {
            return Ok(());
        }
        let (i, s) = bad_states[0];
        let thread = prints.thread(i);
        let text = format!("no thread's state is ruled out beside `{}` of `{}`", thread.state(s).name, thread.name);
        Err(WhyNot::new(Some(i), text))
    }

    fn deadlock(&mut self) -> Result<(), WhyNot> {
        let mut narrowing = Narrowing::deadlock(&self.known);
        let mut empty = self.suppose(&mut narrowing);
        if empty.is_none() {
            narrowing.with_pairs(&mut self.known);
            empty = self.suppose(&mut narrowing);
        }
        if let Some(empty) = empty {
            let steps = narrowing.explain(&mut self.known, empty);
            self.steps(&steps);
            return Ok(());
        }
        self.clauses.limit(OPEN_LITERALS);
        self.requests(&narrowing);
        self.near(&[narrowing]);
        Ok(())
    }

    /// Narrows down what is left to threads, also by supposing each state in a deadlock, alone: those that come to nothing go.
    fn suppose(&mut self, narrowing: &mut Narrowing) -> Option<ThreadId> {
        let empty = narrowing.run(&mut self.known);
        if empty.is_some() {
            return empty;
        }
        for i in (0..self.known.prints.threads().len()).map(ThreadId::new) {
            for s in narrowing.left(&mut self.known, i) {
                if !self.known.budget.spend(1) {
                    return None;
                }
                let mut supposed = Narrowing::suppose(&self.known, i, s);
                let Some(empty) = supposed.run(&mut self.known) else { continue };
                let steps = supposed.explain(&mut self.known, empty);
                let empty = narrowing.refute(&mut self.known, i, s, steps);
                if empty.is_some() {
                    return empty;
                }
            }
        }
        narrowing.run(&mut self.known)
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            // Steps of a supposition rest on none themselves.
            if let Reason::Supposed(inner) = &step.reason {
                inner.iter().for_each(|step| self.step(step));
            }
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        let j = step.thread;
        self.clauses.some(&mut self.known, j);
        match &step.reason {
            Reason::Unblocked(event) => {
                step.removed.iter().for_each(|&t| self.clauses.blocked(&mut self.known, j, t, *event));
            }
            Reason::NeededAsBlocker { event, requester, left } => {
                self.clauses.some(&mut self.known, *requester);
                left.iter().for_each(|&s| self.clauses.blocked(&mut self.known, *requester, s, *event));
                let blocking = self.known.blocking(*event).unwrap_or_default();
                for &(_, u) in blocking.iter().filter(|(k, _)| *k == j) {
                    step.removed.iter().for_each(|&t| self.clauses.not_both(j, u, t));
                }
            }
            Reason::Beside { other, left } => {
                for &t in &step.removed {
                    let supports = self.supports(j, t, *other);
                    match left[..] {
                        [s] if !supports.is_empty() => self.clauses.apart((*other, s), (j, t)),
                        _ => self.clauses.support((j, t), *other, &supports),
                    }
                }
            }
            Reason::Supposed(_) => {}
        }
    }

    /// The states of `i` that stand beside `t` of `j`.
    fn supports(&mut self, j: ThreadId, t: LocalId, i: ThreadId) -> Vec<LocalId> {
        let states = self.known.states(i).to_vec();
        self.known.budget.spend(states.len() as u64);
        let pair = self.known.pair(i, j).expect("the pair was looked at");
        states.into_iter().filter(|&s| pair.contains(s, t)).collect()
    }

    /// What a deadlock needs, for every state that is left.
    fn requests(&mut self, narrowing: &Narrowing) {
        for i in (0..self.known.prints.threads().len()).map(ThreadId::new) {
            for s in narrowing.left(&mut self.known, i) {
                let request: Vec<EventId> = self.known.prints.thread(i).state(s).request.iter().collect();
                for event in request {
                    if self.clauses.is_full() || !self.known.budget.spend(1) {
                        return;
                    }
                    self.clauses.blocked(&mut self.known, i, s, event);
                }
            }
        }
    }

    /// The steps of what was not refuted, and what pairs say of the threads around those that lost states, nearest first.
    fn near(&mut self, open: &[Narrowing]) {
        self.clauses.limit(OPEN_LITERALS);
        open.iter().for_each(|narrowing| self.steps(&narrowing.steps));
        for narrowing in open {
            let mut queue: VecDeque<ThreadId> = narrowing.narrowed().map(|(i, _)| i).collect();
            let mut seen: BTreeSet<ThreadId> = queue.iter().copied().collect();
            while let Some(i) = queue.pop_front() {
                for j in self.known.neighbours(i) {
                    if self.clauses.is_full() || self.known.budget.is_spent() {
                        return;
                    }
                    self.around(narrowing, i, j);
                    if seen.insert(j) {
                        queue.push_back(j);
                    }
                }
            }
        }
    }

    /// What `i` and `j` say of each other's states that are left, if that is not all said already.
    fn around(&mut self, narrowing: &Narrowing, i: ThreadId, j: ThreadId) {
        let (mine, theirs) = (narrowing.left(&mut self.known, i), narrowing.left(&mut self.known, j));
        if mine.len() < 2 || theirs.len() < 2 || !self.known.budget.spend((mine.len() * theirs.len()) as u64) {
            return;
        }
        let Some(pair) = self.known.pair(i, j) else { return };
        let apart: Vec<Vec<LocalId>> =
            theirs.iter().map(|&t| mine.iter().copied().filter(|&s| !pair.contains(s, t)).collect()).collect();
        let mut exclusive = false;
        for (&t, apart) in theirs.iter().zip(&apart).filter(|(_, apart)| !apart.is_empty()) {
            let supports = self.supports(j, t, i);
            if 2 * apart.len() <= 1 + supports.len() || mine.len() > EXCLUSIVE {
                apart.iter().for_each(|&s| self.clauses.apart((i, s), (j, t)));
            } else {
                self.clauses.support((j, t), i, &supports);
                exclusive = true;
            }
        }
        if apart.iter().any(|apart| !apart.is_empty()) {
            self.clauses.some(&mut self.known, i);
            self.clauses.some(&mut self.known, j);
        }
        if exclusive {
            for (at, &s) in mine.iter().enumerate() {
                mine[at + 1..].iter().for_each(|&t| self.clauses.not_both(i, s, t));
            }
        }
    }
}
