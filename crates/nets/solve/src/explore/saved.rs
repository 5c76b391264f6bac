//! Saves a search of a net, and continues from saved records.
//!
//! The first record says which markings the round visits, and whether covered markings are left out. A mark contains
//! the round, so that the first checkpoint of a new round removes the records of the round before.

use super::{Round, Rounds, may_cover};
use model::saved::{Parts, Record};
use model::{Goal, Save, Saved, Stop, Unrestored, Unsaved};
use std::num::NonZeroU64;

const ROUND: u8 = b'R';

/// Returns the number of a round: 0 without a bound, and otherwise one more than the exponent of its bound, which is a
/// power of two or the greatest number.
fn number(round: Round) -> u64 {
    match round {
        Round::All => 0,
        Round::More(u64::MAX) => 65,
        Round::More(more) => 1 + u64::from(more.ilog2()),
    }
}

/// Returns the round with this number.
fn round(number: u64) -> Option<Round> {
    match NonZeroU64::new(number).map(|number| u32::try_from(number.get() - 1)) {
        None => Some(Round::All),
        Some(Ok(64)) => Some(Round::More(u64::MAX)),
        Some(exponent) => 1u64.checked_shl(exponent.ok()?).map(Round::More),
    }
}

/// Returns the mark of a checkpoint after `states` states of a round. There are fewer than 2^32.
fn mark(round: Round, states: u64) -> u64 {
    number(round) << 32 | states
}

pub(super) fn save(rounds: &Rounds, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
    let Some(search) = &rounds.search else { return Ok(None) };
    let Some(stepper) = search.stepper() else { return Ok(None) };
    let since = if since >> 32 == number(rounds.round) { since & u64::from(u32::MAX) } else { 0 };
    let mut head = Record::new(ROUND);
    head.small(number(rounds.round));
    head.small(stepper.covers().into());
    let states = search.save(since, head.bytes(), to)?;
    Ok(states.map(|states| mark(rounds.round, states)))
}

pub(super) fn restore(
    rounds: &mut Rounds,
    open: &[Goal],
    from: &mut dyn Saved,
    stop: &Stop,
) -> Result<Option<u64>, Unrestored> {
    let mut record = Vec::new();
    if !from.next(&mut record)? {
        return Ok(None);
    }
    let other = || Unrestored::damaged("the records are not those of a search of this net");
    let (tag, mut parts) = Parts::of(&record)?;
    let (saved, covers) = (round(parts.small()?).ok_or_else(other)?, parts.flag()?);
    parts.end()?;
    if tag != ROUND || covers && saved != Round::All {
        return Err(other());
    }
    if covers && (rounds.options.explore_all || !may_cover(&rounds.task, open)) {
        // The search left out markings that the goals need now. Other engines had settled these goals.
        return Ok(None);
    }
    rounds.round = saved;
    let restored = rounds.of_round(open, covers).map_err(|_| other()).and_then(|new| new.restored(from, stop));
    match restored {
        Ok(search) => {
            let mark = mark(saved, search.len());
            rounds.search = Some(search);
            Ok(Some(mark))
        }
        Err(error) => {
            rounds.round = Round::All;
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_have_numbers() {
        let mut all = vec![Round::All];
        all.extend((0..64).map(|exponent| Round::More(1 << exponent)));
        all.push(Round::More(u64::MAX));
        for (at, known) in all.into_iter().enumerate() {
            assert_eq!((number(known), round(at as u64)), (at as u64, Some(known)));
        }
        assert!([66, 67, 1 << 32, u64::MAX].map(round).iter().all(Option::is_none));
    }
}
