//! The positions of runs of nets and thread-transition systems: markings. The letters of temporal formulas about them
//! are formulas over places ([`model::Letter::Marking`]).
//!
//! A set of listed markings stands for the markings of [`super::listed`]: those that agree with a listed one on the
//! kept places and are empty outside the potentially marked places.
//! 1. A letter has the same truth in all markings that a listed one stands for. Proof: each place of its formula is
//!    kept, or is not potentially marked and therefore empty ([`MarkingPositions::prepare_letter`] refuses
//!    other formulas).
//! 2. They have the same enabled transitions. Proof: a transition that is enabled in one of them is tried in the listed
//!    one, by claim 2 of [`super::listed`]. If its guards do not determine that it is enabled in all, the set is
//!    refused.
//! 3. So a run of the system is a run through listed markings, and it ends where the run through listed markings ends.

use super::formula;
use super::listed::Listing;
use super::shape::At;
use crate::closed::{Change, Listed};
use crate::temporal::{Positions, Steps};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{Formula, Goal, Letter, Linear, Node, PlaceId, Problem};
use num_traits::ToPrimitive;
use std::collections::HashMap;

/// The positions of runs through listed markings.
#[derive(Debug)]
pub struct MarkingPositions<'a, 'l> {
    problem: &'a Problem,
    listing: &'a mut Listing<'l>,
    potentially_marked: &'a [bool],
    /// The formulas of the letters, by their numbers.
    letters: HashMap<usize, Test<'a>>,
}

/// A formula, with its inequalities over slots.
#[derive(Debug)]
struct Test<'a> {
    formula: &'a Formula,
    /// In the order of the nodes.
    sums: Vec<Sum>,
}

/// An inequality over slots. Its sum has fewer than 2^32 terms below 2^95, so 128 bits suffice.
#[derive(Debug)]
struct Sum {
    terms: Vec<(At, i64)>,
    at_least: i128,
}

impl<'a, 'l> MarkingPositions<'a, 'l> {
    /// Creates the positions of the markings that `listing` is about. These places can be marked.
    #[must_use]
    pub fn new(problem: &'a Problem, listing: &'a mut Listing<'l>, potentially_marked: &'a [bool]) -> Self {
        Self { problem, listing, potentially_marked, letters: HashMap::new() }
    }

    /// Prepares a letter.
    ///
    /// # Errors
    /// If the letter is not about markings, or about a place that can be marked and is not listed, or if a resource
    /// limit is exceeded.
    pub fn prepare_letter(&mut self, letter: Letter, work: &mut Work<'_>) -> Check<()> {
        let Letter::Marking(id) = letter else { return reject("a letter is not about markings") };
        let places = self.potentially_marked.len();
        let formula = formula::asked(self.problem, Goal::Formula(id), places)?;
        work.spend(formula::size(formula))?;
        let linear = |node: &'a Node| if let Node::AtLeast(sum) = node { Some(sum) } else { None };
        let sums = formula.nodes().iter().filter_map(linear).map(|sum| self.sum(sum)).collect::<Check<_>>()?;
        self.letters.insert(id.index(), Test { formula, sums });
        Ok(())
    }

    /// Returns where the tokens of these places are stored. Places that cannot be marked are left out.
    ///
    /// # Errors
    /// If a place can be marked and is not listed.
    pub fn stored(&self, places: &[PlaceId]) -> Check<Vec<At>> {
        let mut stored = Vec::new();
        for place in places {
            match self.listing.shape().at(*place) {
                Some(at) => stored.push(at),
                None if self.potentially_marked[place.index()] => return reject("a place is not listed"),
                None => {}
            }
        }
        Ok(stored)
    }

    fn sum(&self, linear: &Linear) -> Check<Sum> {
        let mut terms = Vec::new();
        for (place, weight) in &linear.terms {
            match (self.listing.shape().at(*place), weight.to_i64()) {
                (Some(at), Some(weight)) => terms.push((at, weight)),
                (Some(_), None) => return Err(Refusal::ResourceLimit),
                (None, _) if self.potentially_marked[place.index()] => {
                    return reject("the formula is about a place that is not listed");
                }
                (None, _) => {}
            }
        }
        let at_least = linear.at_least.to_i128().ok_or(Refusal::ResourceLimit)?;
        Ok(Sum { terms, at_least })
    }
}

impl Positions for MarkingPositions<'_, '_> {
    const READS_EVENTS: bool = false;

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        Listed::initial(self.listing, visit)
    }

    fn look_at(&mut self, state: &[u32], work: &mut Work<'_>) -> Check<()> {
        work.spend(1 + state.len() as u64 / 8)
    }

    fn satisfies(&self, state: &[u32], letter: Letter, _: Option<u32>) -> bool {
        let Letter::Marking(id) = letter else { unreachable!("the letters were prepared") };
        let test = &self.letters[&id.index()];
        let mut sums = test.sums.iter();
        formula::evaluate(test.formula, |_| {
            let sum = sums.next().expect("each inequality has its sum");
            let of = |(at, weight): &(At, i64)| i128::from(*weight) * i128::from(at.tokens(state));
            sum.terms.iter().map(of).sum::<i128>() >= sum.at_least
        })
    }

    fn steps(&mut self, state: &[u32], out: &mut Steps, work: &mut Work<'_>) -> Check<()> {
        let mut step = |changes: &[Change], _: &mut Work<'_>| {
            let next = out.push(0, state);
            changes.iter().for_each(|change| next[change.slot] = change.to);
            Ok(())
        };
        let mut fired = |_, is_certain| match is_certain {
            true => Ok(()),
            false => reject("a transition tests places that are not listed"),
        };
        self.listing.fire_all(state, &mut step, &mut fired, work)
    }

    fn describe(&self, state: &[u32]) -> String {
        Listed::describe(self.listing, state)
    }
}
