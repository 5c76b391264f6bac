//! The *room* of a bound: the bound minus the number of tokens on the counted places, in the markings of every
//! run that stays within the bound. It is never negative. The formulas say only this of it:
//! * *Initial.* The room is at least k iff the counted places hold at most the bound minus k. And they hold at
//!   most the bound. Places with a fixed initial number of tokens contribute a constant, so only the other
//!   places have to be added up.
//! * *Step.* Let T be the sum of the tokens on counted places. A transition adds a constant and the contents of
//!   some places to T, and subtracts the contents of other places ([`Balance`]). If contents are only
//!   subtracted, the room afterwards is the room before, plus these contents, minus the constant. This is a sum
//!   like that of any place. It is not negative, because the marking afterwards is within the bound, too. If
//!   contents are added, or threads may pick both counted and other places, then nothing is said, and the room
//!   has any value.
//!
//! A transition that leaves the sum unchanged leaves the room unchanged.

use super::marking::Marking;
use super::paper::Leaf;
use super::paper::Paper;
use crate::Check;
use crate::nets::invariant::InvariantContext;
use kernel::Work;
use model::Within;
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::BTreeMap;

/// How a transition changes the number of tokens on counted places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Balance {
    /// Adds a constant, and subtracts multiples of the contents of some places.
    Less { gone: Vec<(Leaf, u64)>, add: BigInt },
    /// Changes the number in an unknown way.
    Any,
}

/// The transitions that can fire and may change the number of tokens on counted places.
pub(super) fn balances(
    known: &InvariantContext<'_>,
    within: &Within,
    work: &mut Work<'_>,
) -> Check<BTreeMap<u32, Balance>> {
    let counted = counted(known, within);
    let mut balances = BTreeMap::new();
    for place in &within.counted {
        for &t in known.changers[place.index()].iter().filter(|t| known.can_fire[**t as usize]) {
            work.spend(1)?;
            if balances.contains_key(&t) {
                continue;
            }
            let balance = balance(known, t as usize, &counted, work)?;
            balances.insert(t, balance);
        }
    }
    balances.retain(|_, balance| !matches!(balance, Balance::Less { gone, add } if gone.is_empty() && add.is_zero()));
    Ok(balances)
}

/// For each place: true if its tokens count.
fn counted(known: &InvariantContext<'_>, within: &Within) -> Vec<bool> {
    let mut counted = vec![false; known.rules.initial.len()];
    within.counted.iter().for_each(|p| counted[p.index()] = true);
    counted
}

fn balance(known: &InvariantContext<'_>, t: usize, counted: &[bool], work: &mut Work<'_>) -> Check<Balance> {
    let mut add = BigInt::zero();
    // For each place: how often its content is added.
    let mut times: BTreeMap<u32, i64> = BTreeMap::new();
    for effect in known.rules.transitions[t].effects.iter().filter(|e| counted[e.place.index()]) {
        work.spend(1 + effect.sources.len() as u64)?;
        add += &effect.add;
        effect.sources.iter().for_each(|source| *times.entry(source.0).or_default() += 1);
        *times.entry(effect.place.0).or_default() -= 1;
    }
    for scatter in known.rules.scatters_of(t) {
        work.spend(1 + scatter.targets.len() as u64)?;
        match scatter.targets.iter().filter(|target| counted[target.index()]).count() {
            0 => {}
            // All threads that pick arrive on counted places.
            all if all == scatter.targets.len() => {
                *times.entry(scatter.source.0).or_default() += 1;
                add -= i32::from(scatter.but_one);
            }
            _ => return Ok(Balance::Any),
        }
    }
    // Places that are never marked have no contents.
    times.retain(|p, times| *times != 0 && known.potentially_marked[*p as usize]);
    if times.values().any(|times| *times > 0) {
        return Ok(Balance::Any);
    }
    let gone = times.into_iter().map(|(p, times)| (Leaf::Place(p), times.unsigned_abs())).collect();
    Ok(Balance::Less { gone, add })
}

/// Adds that the initial marking is within the bound, and that the room is the bound minus the initial tokens
/// on the counted places.
pub(super) fn initial(
    within: &Within,
    marking: &mut Marking,
    paper: &mut Paper<'_, '_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let mut fixed = BigInt::zero();
    let mut open: Vec<(Leaf, u64)> = Vec::new();
    for place in &within.counted {
        work.spend(1)?;
        let range = &paper.known.rules.initial[place.index()];
        if range.at_most.as_ref() == Some(&range.at_least) {
            fixed += BigInt::from(range.at_least.clone());
        } else {
            open.push((Leaf::Place(place.0), 1));
        }
    }
    let left = BigInt::from(within.most.clone()) - fixed;
    let beyond = marking.sum(&open, &(&left + 1), paper, work)?;
    paper.writer.add([-beyond], work)?;
    let rooms: Vec<(BigInt, i32)> = marking.of(Leaf::Room).map(|(n, l)| (BigInt::from(n.clone()), l)).collect();
    for (tokens, room) in rooms {
        let more = marking.sum(&open, &(&left - tokens + 1), paper, work)?;
        paper.writer.add([-room, -more], work)?;
        paper.writer.add([room, more], work)?;
    }
    Ok(())
}
