//! The thresholds of a marking: variables for "at least k tokens", created on demand.
//!
//! A threshold without variable can be replaced by one that says less. In a clause, `p >= k` may be replaced by
//! `p >= l` with l < k, and the negation of `p >= k` by that of `p >= l` with l > k. The clause is then weaker,
//! so it is still true.

use super::paper::Leaf;
use super::paper::Paper;
use crate::Check;
use hashbrown::HashMap;
use kernel::Work;
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::BTreeMap;

/// The thresholds of a marking, with their literals.
#[derive(Default)]
pub(super) struct Marking {
    thresholds: BTreeMap<Leaf, BTreeMap<BigUint, i32>>,
    /// Literals that a sum is at least a number; see [`super::sums`].
    pub(super) sums: HashMap<(Vec<(Leaf, u64)>, u64), i32>,
}

impl Marking {
    /// Returns the literal that `leaf` holds at least this many tokens. Creates it if necessary.
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

    /// True if there is a variable for this leaf.
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

    /// A literal that follows from "at least this many tokens". `None` if only the true formula follows.
    pub(super) fn implied(&self, leaf: Leaf, tokens: &BigUint) -> Option<i32> {
        self.thresholds.get(&leaf)?.range(..=tokens.clone()).next_back().map(|(_, literal)| *literal)
    }

    /// A literal from which "at least this many tokens" follows. `None` if it follows only from a
    /// contradiction.
    pub(super) fn implying(&self, leaf: Leaf, tokens: &BigUint) -> Option<i32> {
        self.thresholds.get(&leaf)?.range(tokens.clone()..).next().map(|(_, literal)| *literal)
    }

    /// Adds that places hold what they may hold initially. All thresholds must exist before.
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

    /// Adds that each threshold implies the next lower one. All thresholds must exist before.
    pub(super) fn order(&self, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        for of_leaf in self.thresholds.values() {
            for (less, more) in of_leaf.values().zip(of_leaf.values().skip(1)) {
                paper.writer.add([-more, *less], work)?;
            }
        }
        Ok(())
    }
}
