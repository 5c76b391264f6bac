//! The thresholds of a marking: variables for "at least so many tokens", made when something asks for them.
//!
//! A threshold that nothing asked for can be replaced by one that says less: in a clause, `p >= k` by `p >= l` with l < k, and its
//! negation by that of `p >= l` with l > k. What a clause says then is weaker, so still true.

use super::Paper;
use crate::Check;
use hashbrown::HashMap;
use kernel::Work;
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::BTreeMap;

/// What holds tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Leaf {
    Place(u32),
    /// Threads that arrive somewhere because they picked it, numbered by the step's formula.
    Arrivals(u32),
    /// What a bound leaves room for, see [`super::room`].
    Room,
}

/// Thresholds with their literals.
#[derive(Default)]
pub(super) struct Marking {
    thresholds: BTreeMap<Leaf, BTreeMap<BigUint, i32>>,
    /// Sums that are at least so much; see [`super::sums`].
    pub(super) sums: HashMap<(Vec<(Leaf, u64)>, u64), i32>,
}

impl Marking {
    /// The literal that `leaf` holds at least so many tokens; a new one if need be.
    pub(super) fn literal(
        &mut self,
        leaf: Leaf,
        tokens: &BigUint,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<i32> {
        work.spend(1)?;
        if tokens.is_zero() {
            return paper.writer.truth(work);
        }
        if paper.most(leaf).is_some_and(|most| *tokens > most) {
            return Ok(-paper.writer.truth(work)?);
        }
        let of_leaf = self.thresholds.entry(leaf).or_default();
        if let Some(literal) = of_leaf.get(tokens) {
            return Ok(*literal);
        }
        work.grow(128)?;
        let literal = paper.writer.variable(work)?;
        of_leaf.insert(tokens.clone(), literal);
        Ok(literal)
    }

    /// Is there a variable for this leaf?
    pub(super) fn has(&self, leaf: Leaf) -> bool {
        self.thresholds.contains_key(&leaf)
    }

    /// Places with variables, ascending.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> + '_ {
        self.thresholds.keys().filter_map(|leaf| if let Leaf::Place(place) = leaf { Some(*place) } else { None })
    }

    /// The thresholds of a leaf with their literals, ascending.
    pub(super) fn of(&self, leaf: Leaf) -> impl DoubleEndedIterator<Item = (&BigUint, i32)> {
        self.thresholds.get(&leaf).into_iter().flatten().map(|(tokens, literal)| (tokens, *literal))
    }

    /// A literal that follows from "at least so many"; `None`: only the truth.
    pub(super) fn implied(&self, leaf: Leaf, tokens: &BigUint) -> Option<i32> {
        self.thresholds.get(&leaf)?.range(..=tokens.clone()).next_back().map(|(_, literal)| *literal)
    }

    /// A literal from which "at least so many" follows; `None`: only the contradiction.
    pub(super) fn implying(&self, leaf: Leaf, tokens: &BigUint) -> Option<i32> {
        self.thresholds.get(&leaf)?.range(tokens.clone()..).next().map(|(_, literal)| *literal)
    }

    /// Places hold what they may hold at the start. To be said when all thresholds are there.
    pub(super) fn initial(&self, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        for place in self.places() {
            let range = &paper.known.rules.initial[place as usize];
            for (tokens, literal) in self.of(Leaf::Place(place)) {
                if *tokens <= range.at_least {
                    paper.writer.add([literal], work)?;
                } else if range.at_most.as_ref().is_some_and(|most| tokens > most) {
                    paper.writer.add([-literal], work)?;
                }
            }
        }
        Ok(())
    }

    /// Who holds more holds less. To be said when all thresholds are there.
    pub(super) fn order(&self, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        for of_leaf in self.thresholds.values() {
            for (less, more) in of_leaf.values().zip(of_leaf.values().skip(1)) {
                paper.writer.add([-more, *less], work)?;
            }
        }
        Ok(())
    }
}
