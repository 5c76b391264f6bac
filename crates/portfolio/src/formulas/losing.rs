//! Looks for runs after which a letter never holds: engines for proofs try the markings along one run, each for a short
//! time. In this run the transitions fire in turn, as far as they are enabled.

use super::provers::Provers;
use crate::markings::{fire, holds};
use model::{Budget, Claim, EventId, FormulaId, Goal, Lost, Net, Problem, Property, Trace};
use nets::rules::Rules;
use std::sync::Arc;

/// The length of the run. Markings are tried whenever the length has doubled.
const LONGEST: u64 = 64;
/// The most letters for which a marking is tried, and the work for each.
const MOST_LETTERS: usize = 32;
const EACH: u64 = 10_000;

pub(super) struct Losing {
    rules: Rules,
    marking: Vec<u64>,
    run: Trace,
    /// The transition that comes next in turn.
    turn: usize,
    letters: Vec<FormulaId>,
    /// The letters for which the marking is still to be tried.
    left: Vec<FormulaId>,
    search: Option<Search>,
}

struct Search {
    letter: FormulaId,
    /// Engines for the question whether the letter is reachable in the net that starts in the marking.
    provers: Provers,
}

impl Losing {
    /// Returns `None` if there are several initial markings, or if numbers are too large.
    pub(super) fn new(net: &Net, mut letters: Vec<FormulaId>) -> Option<Self> {
        let rules = Rules::new(net).filter(|rules| rules.small && net.open_places().is_empty())?;
        letters.truncate(MOST_LETTERS);
        let (marking, run) = (rules.initial.clone(), Trace::new(Box::from([])));
        Some(Self { rules, marking, run, turn: 0, letters, left: Vec::new(), search: None })
    }

    /// Takes a step of the search. Returns a letter that is lost, if there is one.
    ///
    /// # Errors
    /// If the search has ended.
    pub(super) fn step(&mut self, problem: &Problem, net: &Net, budget: &mut Budget) -> Result<Option<Lost>, Ended> {
        let Some(mut search) = self.search.take() else {
            let Some(letter) = self.left.pop() else { return self.advance(problem, budget).map(|()| None) };
            budget.spend(1 + net.transitions().len() as u64);
            self.search = Search::new(problem, net, &self.marking, letter);
            return Ok(None);
        };
        match search.provers.turn(budget) {
            Some(Some(claim @ Claim::Safe { .. })) => {
                self.letters.retain(|letter| *letter != search.letter);
                return Ok(Some(Lost { letter: search.letter, run: self.run.clone(), never: Arc::new(claim) }));
            }
            Some(None) if search.provers.spent() < EACH => self.search = Some(search),
            _ => {}
        }
        Ok(None)
    }

    /// Goes on to the next marking that is tried.
    fn advance(&mut self, problem: &Problem, budget: &mut Budget) -> Result<(), Ended> {
        let length = self.run.len().unwrap_or(LONGEST);
        if length >= LONGEST || self.letters.is_empty() {
            return Err(Ended);
        }
        for _ in 0..length.max(1) {
            budget.spend(1 + self.rules.transitions() as u64 / 64);
            if !self.fire() {
                break;
            }
        }
        if self.run.len() == Some(length) {
            return Err(Ended);
        }
        let marking: Option<Vec<u32>> = self.marking.iter().map(|tokens| u32::try_from(*tokens).ok()).collect();
        let Some(marking) = marking else { return Err(Ended) };
        let is_false = |letter: &FormulaId| !holds(&problem.formulas()[letter.index()], &marking);
        self.left = self.letters.iter().copied().rev().filter(is_false).collect();
        Ok(())
    }

    /// Fires the next transition that is enabled. Returns false if there is none.
    fn fire(&mut self) -> bool {
        let count = self.rules.transitions();
        let next = (0..count).map(|offset| (self.turn + offset) % count);
        let fired = next.into_iter().find(|t| self.rules.is_enabled(*t as u32, &self.marking));
        let Some(t) = fired.filter(|t| fire(&self.rules, *t as u32, &mut self.marking).is_some()) else { return false };
        self.run.push(EventId(t as u32), None);
        self.turn = t + 1;
        true
    }
}

/// The search has ended.
pub(super) struct Ended;

impl Search {
    fn new(problem: &Problem, net: &Net, marking: &[u64], letter: FormulaId) -> Option<Self> {
        let net = Arc::new(net.starting_in(marking.iter().map(|tokens| (*tokens).into())));
        let goal = Goal::Formula(letter);
        let problem = problem.clone().asking(vec![Property::never(goal.to_string(), goal)]).ok()?;
        let problem = problem.on(Arc::clone(&net)).ok()?;
        Some(Self { letter, provers: Provers::new(problem, net, vec![goal]) })
    }
}
