//! What a check found out: one answer per property, with its evidence.

use certify::{Bounded, Confirmed};
use model::{Claim, Goal, Problem, Property, Reason, Stats, Trace};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// What is known about one property.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Settled, and the evidence was checked.
    Settled(Arc<Confirmed>),
    /// Not settled, but no run within [`crate::Options::bound`] violates it, and the evidence for that was checked.
    Within(Arc<Bounded>),
    /// Not settled.
    Unknown {
        /// Why.
        reason: Reason,
        /// More about it, in a sentence.
        detail: Option<String>,
    },
    /// An engine made a claim whose evidence is wrong. That is a bug in this tool, and no answer.
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
    /// The engine it comes from.
    pub engine: &'static str,
    /// The claim with its evidence, if there was one.
    pub claim: Option<Rc<Claim>>,
    /// The engine's counts at that time.
    pub stats: Stats,
    /// Violated, and no run that violates it is shorter. The search says so, by its order; the checker has looked at
    /// this run only.
    pub shortest: bool,
}

impl Answer {
    /// Proven: no state of the goal is reachable.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        matches!(&self.finding, Finding::Settled(confirmed) if confirmed.verdict.is_safe())
    }

    /// Violated: a run reaches the goal.
    #[must_use]
    pub fn is_unsafe(&self) -> bool {
        matches!(&self.finding, Finding::Settled(confirmed) if confirmed.verdict.is_unsafe())
    }

    /// The run that violates it, if it is violated.
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {
        match self.claim.as_deref() {
            Some(Claim::Unsafe { trace, .. }) if self.is_unsafe() => Some(trace),
            _ => None,
        }
    }

    /// Why it is unknown, if it is.
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
    /// The answer about `goal`.
    #[must_use]
    pub fn about(&self, goal: Goal) -> Option<&Answer> {
        self.answers.iter().find(|a| a.property.goal == goal)
    }
}

/// Why a goal is still open although some engine spoke of it.
#[derive(Clone, Debug)]
pub(crate) struct Excuse {
    pub(crate) reason: Reason,
    pub(crate) detail: Option<String>,
    pub(crate) claim: Option<Rc<Claim>>,
    /// The engine it comes from.
    pub(crate) by: By,
}

/// The answers so far, and for open goals the best excuse so far.
pub(crate) struct Ledger<'a> {
    entries: Vec<(Property, Option<Answer>, Option<Excuse>)>,
    /// By goal the number of its entry.
    numbers: BTreeMap<Goal, usize>,
    /// How many entries have no answer.
    open: usize,
    on_answers: &'a dyn Fn(&[Answer]),
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(problem: &Problem, on_answers: &'a dyn Fn(&[Answer])) -> Self {
        let entries: Vec<_> = problem.properties().iter().map(|p| (p.clone(), None, None)).collect();
        let numbers = problem.properties().iter().enumerate().map(|(i, property)| (property.goal, i)).collect();
        let mut ledger = Self { open: entries.len(), entries, numbers, on_answers };
        let unsupported = problem.properties().iter().filter(|p| matches!(p.goal, Goal::Unsupported(_)));
        let finding = Finding::Unknown { reason: Reason::Unsupported, detail: None };
        let by = By { engine: "none", stats: Stats::default(), shortest: false };
        unsupported.for_each(|property| ledger.settle(&[property.goal], &finding, &by, None));
        ledger
    }

    /// Is there nothing left to find out?
    pub(crate) fn is_complete(&self) -> bool {
        self.open == 0
    }

    /// Are all of these settled (or not asked)?
    pub(crate) fn has_settled(&self, goals: &[Goal]) -> bool {
        goals.iter().all(|&goal| !self.is_open(goal))
    }

    /// Is it asked for and not settled?
    pub(crate) fn is_open(&self, goal: Goal) -> bool {
        self.numbers.get(&goal).is_some_and(|&i| self.entries[i].1.is_none())
    }

    /// Entries of these goals, in the order asked.
    fn numbers_of(&self, goals: &[Goal]) -> Vec<usize> {
        let mut numbers: Vec<usize> = goals.iter().filter_map(|goal| self.numbers.get(goal).copied()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Answers the open ones among `goals`.
    pub(crate) fn settle(&mut self, goals: &[Goal], finding: &Finding, by: &By, claim: Option<&Rc<Claim>>) {
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
            all.push(new.clone());
            *answer = Some(new);
            self.open -= 1;
        }
        if !all.is_empty() {
            (self.on_answers)(&all);
        }
    }

    /// Notes why the open ones among `goals` may stay so. The first excuse that carries evidence stays; a limit says
    /// more than that somebody gave up.
    pub(crate) fn excuse(&mut self, goals: &[Goal], excuse: &Excuse) {
        for number in self.numbers_of(goals) {
            let (_, answer, old) = &mut self.entries[number];
            let is_limit = excuse.reason != Reason::GaveUp;
            // What nobody accepted says no more than what was seen within the bound.
            let is_proof = excuse.claim.is_some() && excuse.reason != Reason::Uncertified;
            let better = old.as_ref().is_none_or(|o| {
                let said_less = o.reason == Reason::GaveUp && is_limit;
                o.claim.is_none() && (is_proof || said_less || excuse.claim.is_some() && o.reason != Reason::Bound)
            });
            if answer.is_none() && better {
                *old = Some(excuse.clone());
            }
        }
    }

    /// Closes the books: what is open is unknown, because work was `stopped` or by its excuse.
    pub(crate) fn close(mut self, stopped: Option<Reason>, by: &By) -> Outcome {
        for i in 0..self.entries.len() {
            let (property, _, excuse) = &self.entries[i];
            let goal = property.goal;
            let gave_up = || Excuse { reason: Reason::GaveUp, detail: None, claim: None, by: by.clone() };
            let excuse = excuse.clone().unwrap_or_else(gave_up);
            let (reason, detail, by) = match stopped {
                Some(reason) => (reason, None, by),
                None => (excuse.reason, excuse.detail, &excuse.by),
            };
            let finding = Finding::Unknown { reason, detail };
            self.settle(&[goal], &finding, by, excuse.claim.as_ref());
        }
        Outcome { answers: self.entries.into_iter().filter_map(|(_, answer, _)| answer).collect() }
    }

    /// The whole space was completed after the answers: report its counts in the answers of `engine`.
    pub(crate) fn update_stats(&mut self, by: &By) {
        for (_, answer, _) in &mut self.entries {
            if let Some(answer) = answer.as_mut().filter(|a| a.engine == by.engine) {
                answer.stats = by.stats.clone();
            }
        }
    }
}

/// The engine an answer comes from, and its counts.
#[derive(Clone, Debug)]
pub(crate) struct By {
    pub(crate) engine: &'static str,
    pub(crate) stats: Stats,
    /// Its claim is a shortest run.
    pub(crate) shortest: bool,
}
