//! The outcome of a check: one answer per property, with its evidence.

use certify::{Bounded, Confirmed};
use model::{Claim, Goal, Problem, Property, Reason, Stats, Trace};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known about one property.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The property is settled, and its evidence was checked.
    Settled(Arc<Confirmed>),
    /// The property is not settled, but no run within [`crate::Options::bound`] violates it. The evidence for
    /// this was checked.
    Within(Arc<Bounded>),
    /// The property is not settled.
    Unknown {
        /// The reason.
        reason: Reason,
        /// A sentence with details.
        detail: Option<String>,
    },
    /// An engine made a claim with wrong evidence. This is a bug in Impasse, and no answer.
    Rejected {
        /// What is wrong with the evidence.
        why: String,
    },
}

/// The answer to one property.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The property.
    pub property: Property,
    /// What was found.
    pub finding: Finding,
    /// Name of the engine that gave the answer.
    pub engine: &'static str,
    /// The claim with its evidence, if an engine made one.
    pub claim: Option<Arc<Claim>>,
    /// The counts of the engine at the time of the answer.
    pub stats: Stats,
    /// True if the property is violated and no violating run is shorter. That no run is shorter follows from
    /// the order of the search. The checker has only replayed this run.
    pub shortest: bool,
}

impl Answer {
    /// Returns true if the property is proven: no state of the goal is reachable.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        matches!(&self.finding, Finding::Settled(confirmed) if confirmed.verdict.is_safe())
    }

    /// Returns true if the property is violated: a run reaches the goal.
    #[must_use]
    pub fn is_unsafe(&self) -> bool {
        matches!(&self.finding, Finding::Settled(confirmed) if confirmed.verdict.is_unsafe())
    }

    /// Returns true if what the property asks holds. `None` if it is not settled, or is a question for a number.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        let is_settled = !matches!(self.property.goal, Goal::Bound(_)) && (self.is_safe() || self.is_unsafe());
        is_settled.then(|| self.property.holds(self.is_safe()))
    }

    /// Returns the name of the verdict in JSON: `safe`, `unsafe`, `value` or `unknown`.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match &self.finding {
            Finding::Settled(confirmed) => confirmed.verdict.id(),
            Finding::Within(_) | Finding::Unknown { .. } | Finding::Rejected { .. } => "unknown",
        }
    }

    /// Returns the largest value of the sum that the property asks for, if it is settled.
    #[must_use]
    pub fn value(&self) -> Option<&BigUint> {
        match &self.finding {
            Finding::Settled(confirmed) => confirmed.value.as_ref(),
            _ => None,
        }
    }

    /// Returns the claim, if the checker has accepted its evidence.
    #[must_use]
    pub fn settled(&self) -> Option<&Claim> {
        self.claim.as_deref().filter(|_| matches!(self.finding, Finding::Settled(_)))
    }

    /// Returns the violating run, if the property is violated.
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {
        match self.claim.as_deref() {
            Some(Claim::Unsafe { trace, .. }) if self.is_unsafe() => Some(trace),
            _ => None,
        }
    }

    /// Returns the reason why the property is unknown. `None` if it is settled or its evidence was rejected.
    #[must_use]
    pub fn unknown(&self) -> Option<Reason> {
        match &self.finding {
            Finding::Unknown { reason, .. } => Some(*reason),
            Finding::Within(_) => Some(Reason::Bound),
            _ => None,
        }
    }
}

/// The answers to all properties of a problem, in the order asked.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One answer per property.
    pub answers: Vec<Answer>,
}

impl Outcome {
    /// Replaces the answers to the same properties.
    pub(crate) fn replace(&mut self, answers: Vec<Answer>) {
        for answer in answers {
            if let Some(old) = self.answers.iter_mut().find(|old| old.property == answer.property) {
                *old = answer;
            }
        }
    }

    /// Returns the answer about `goal`.
    #[must_use]
    pub fn about(&self, goal: Goal) -> Option<&Answer> {
        self.answers.iter().find(|a| a.property.goal == goal)
    }
}

/// The reason why a goal is still open although an engine made a claim about it.
#[derive(Clone, Debug)]
pub(crate) struct Inconclusive {
    pub(crate) reason: Reason,
    pub(crate) detail: Option<String>,
    pub(crate) claim: Option<Arc<Claim>>,
    /// The engine that made the claim, and its counts.
    pub(crate) by: Origin,
}

/// A goal that was settled.
pub(crate) struct SettledGoal {
    pub(crate) goal: Goal,
    pub(crate) claim: Arc<Claim>,
    pub(crate) is_safe: bool,
}

/// The answers so far, and the best reason so far for each open goal.
pub(crate) struct Ledger<'a> {
    entries: Vec<(Property, Option<Answer>, Option<Inconclusive>)>,
    /// For each goal: the index of its entry.
    numbers: BTreeMap<Goal, usize>,
    /// Number of entries that the user asked for. The others are parts of questions.
    asked: usize,
    /// Number of the former entries without an answer.
    open: usize,
    /// What was settled since [`Ledger::take_news`] was called; `None` if nothing uses it.
    news: Option<Vec<SettledGoal>>,
    on_answers: &'a dyn Fn(&[Answer]),
}

impl<'a> Ledger<'a> {
    /// Creates a ledger without answers. With `asked`, only so many properties were asked for, and the others are
    /// parts; then the news are kept.
    pub(crate) fn new(problem: &Problem, asked: Option<usize>, on_answers: &'a dyn Fn(&[Answer])) -> Self {
        let entries: Vec<_> = problem.properties().iter().map(|p| (p.clone(), None, None)).collect();
        let numbers: BTreeMap<Goal, usize> = problem.properties().iter().map(|p| p.goal).zip(0..).collect();
        debug_assert_eq!(numbers.len(), entries.len(), "a goal is asked once");
        let (news, asked) = (asked.map(|_| Vec::new()), asked.unwrap_or(entries.len()));
        let mut ledger = Self { entries, numbers, asked, open: asked, news, on_answers };
        let unsupported = problem.properties().iter().filter(|p| matches!(p.goal, Goal::Unsupported(_)));
        let finding = Finding::Unknown { reason: Reason::Unsupported, detail: None };
        unsupported.for_each(|property| ledger.settle(&[property.goal], &finding, &Origin::of("none"), None));
        ledger
    }

    /// Returns true if the user asked for none of these goals.
    pub(crate) fn are_parts(&self, goals: &[Goal]) -> bool {
        goals.iter().all(|goal| self.numbers.get(goal).is_none_or(|number| *number >= self.asked))
    }

    /// Returns what was settled since the last call.
    pub(crate) fn take_news(&mut self) -> Vec<SettledGoal> {
        self.news.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Returns true if every property that was asked for has an answer.
    pub(crate) fn is_complete(&self) -> bool {
        self.open == 0
    }

    /// Returns true if each of these goals is settled or was not asked.
    pub(crate) fn has_settled(&self, goals: &[Goal]) -> bool {
        goals.iter().all(|&goal| !self.is_open(goal))
    }

    /// Returns true if the goal was asked and is not settled.
    pub(crate) fn is_open(&self, goal: Goal) -> bool {
        self.numbers.get(&goal).is_some_and(|&i| self.entries[i].1.is_none())
    }

    /// Returns the indices of the entries of these goals, in the order asked.
    fn numbers_of(&self, goals: &[Goal]) -> Vec<usize> {
        let mut numbers: Vec<usize> = goals.iter().filter_map(|goal| self.numbers.get(goal).copied()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Settles the open goals among `goals`, and reports the answers.
    pub(crate) fn settle(&mut self, goals: &[Goal], finding: &Finding, by: &Origin, claim: Option<&Arc<Claim>>) {
        let mut all = Vec::new();
        for number in self.numbers_of(goals) {
            let (property, answer, _) = &mut self.entries[number];
            if answer.is_some() {
                continue;
            }
            let new = Answer {
                property: property.clone(),
                finding: finding.clone(),
                engine: by.engine,
                claim: claim.cloned(),
                stats: by.stats.clone(),
                shortest: by.shortest,
            };
            if let (Finding::Settled(confirmed), Some(claim), Some(news)) = (finding, claim, &mut self.news) {
                let (claim, is_safe) = (Arc::clone(claim), confirmed.verdict.is_safe());
                news.push(SettledGoal { goal: property.goal, claim, is_safe });
            }
            *answer = Some(new.clone());
            if number < self.asked {
                all.push(new);
                self.open -= 1;
            }
        }
        if !all.is_empty() {
            (self.on_answers)(&all);
        }
    }

    /// Records why the open goals among `goals` may stay open. The first reason with evidence stays. A limit replaces
    /// the reason that an engine gave up.
    pub(crate) fn leave_open(&mut self, goals: &[Goal], why: &Inconclusive) {
        for number in self.numbers_of(goals) {
            let (_, answer, old) = &mut self.entries[number];
            let is_limit = why.reason != Reason::GaveUp;
            // Evidence that the checker did not accept is worth no more than a search within the bound.
            let is_proof = why.claim.is_some() && why.reason != Reason::Uncertified;
            let better = old.as_ref().is_none_or(|o| {
                let said_less = o.reason == Reason::GaveUp && is_limit;
                o.claim.is_none() && (is_proof || said_less || why.claim.is_some() && o.reason != Reason::Bound)
            });
            if answer.is_none() && better {
                *old = Some(why.clone());
            }
        }
    }

    /// Ends the round. Open goals become unknown, either because work was `stopped` or for the reason that is recorded.
    pub(crate) fn close(mut self, stopped: Option<Reason>, by: &Origin) -> Outcome {
        for i in 0..self.asked {
            let (property, _, why) = &self.entries[i];
            let goal = property.goal;
            let gave_up = || Inconclusive { reason: Reason::GaveUp, detail: None, claim: None, by: by.clone() };
            let why = why.clone().unwrap_or_else(gave_up);
            let (reason, detail, by) = match stopped {
                Some(reason) => (reason, None, by),
                None => (why.reason, why.detail, &why.by),
            };
            self.settle(&[goal], &Finding::Unknown { reason, detail }, by, why.claim.as_ref());
        }
        debug_assert!(self.is_complete(), "every property that was asked for has an answer");
        let asked = self.entries.into_iter().take(self.asked);
        Outcome { answers: asked.filter_map(|(_, answer, _)| answer).collect() }
    }

    /// Replaces the counts in the answers of this engine, because the engine completed the state space after
    /// these answers.
    pub(crate) fn update_stats(&mut self, by: &Origin) {
        for (_, answer, _) in &mut self.entries {
            if let Some(answer) = answer.as_mut().filter(|a| a.engine == by.engine) {
                answer.stats = by.stats.clone();
            }
        }
    }
}

/// The engine that an answer comes from, and its counts.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) engine: &'static str,
    pub(crate) stats: Stats,
    /// True if the claim is a shortest run.
    pub(crate) shortest: bool,
}

impl Origin {
    /// An origin without counts.
    pub(crate) fn of(engine: &'static str) -> Self {
        Self { engine, stats: Stats::default(), shortest: false }
    }
}
