//! Transitions compiled for markings as a certificate lists them: tests and changes of slots.
//!
//! Slots hold 32 bits. A guard that asks for more is never satisfied by a listed marking; a constant of an effect is clamped
//! far outside of what 32-bit sums can bring back, where the result is no listed marking either way. So 64 and 128 bit
//! arithmetic is exact about everything that matters.
//!
//! Where threads pick one of several targets ([`super::rules::Scatter`]), a transition leads to many markings: one for each
//! way to spread ([`super::spread`]). Sums of kept targets then have the threads of a bin among their terms.
//!
//! A transition is only looked at in markings that mark one of the places it needs (*watched*: the one that the fewest
//! listed markings mark); one that needs no kept place is looked at in all.

use super::Marked;
use super::rules::Rules;
use super::shape::{At, Shape};
use super::spread::{Pick, Spread};
use crate::work::Work;
use crate::{Check, reject};
use model::{Effect, PlaceId, Range, Slot, Transition};
use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};
use std::collections::BTreeMap;

pub(crate) struct Compiled {
    rules: Vec<Rule>,
    tests: Vec<Test>,
    changes: Vec<Change>,
    sums: Vec<Sums>,
    picks: Vec<Pick>,
    /// By literal the start of its rules in `watching`.
    watched: Vec<u32>,
    watching: Vec<u32>,
    /// Rules that need no kept place.
    always: Vec<u32>,
}

struct Rule {
    transition: u32,
    tests: (u32, u32),
    changes: (u32, u32),
    picks: (u32, u32),
    /// Whatever places hold that are not kept, it is enabled where its tests hold.
    certain: bool,
}

/// The value of a slot is in a range, or, if `negated`, is not.
struct Test {
    slot: u32,
    low: u32,
    width: u32,
    negated: bool,
}

enum Change {
    /// Tokens come or go.
    Add { slot: u32, delta: i64 },
    /// The token of a slot of several places is moved.
    Set { slot: u32, value: u32 },
    /// Anything else: an entry of `sums`.
    Sums(u32),
}

/// What the places of a slot get; the value is 0 for the place of a token slot.
struct Sums {
    slot: u32,
    one_of: bool,
    places: Vec<(u32, Sum)>,
}

struct Sum {
    sources: Vec<At>,
    /// Bins whose threads arrive.
    bins: Vec<u32>,
    add: i128,
}

/// A slot that a step changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Changed {
    pub(crate) slot: usize,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// What compiling needs to know.
pub(crate) struct Source<'a> {
    pub(crate) system: Marked<'a>,
    pub(crate) rules: &'a Rules<'a>,
    pub(crate) can_fire: &'a [bool],
    pub(crate) markable: &'a [bool],
    pub(crate) shape: &'a Shape<'a>,
    /// By literal, how many listed markings mark it.
    pub(crate) marked: &'a [u64],
    /// Transitions without effect on kept places matter: they are no deadlock.
    pub(crate) deadlock: bool,
}

impl Compiled {
    pub(crate) fn new(source: &Source<'_>, work: &mut Work<'_>) -> Check<Self> {
        let mut compiled = Self {
            rules: Vec::new(),
            tests: Vec::new(),
            changes: Vec::new(),
            sums: Vec::new(),
            picks: Vec::new(),
            watched: Vec::new(),
            watching: Vec::new(),
            always: Vec::new(),
        };
        let mut watches: Vec<(u32, u32)> = Vec::new();
        for (number, t) in source.rules.transitions.iter().enumerate().filter(|(t, _)| source.can_fire[*t]) {
            let sources: usize = t.effects.iter().map(|e| e.sources.len()).sum();
            let targets: usize = source.rules.scatters_of(number).iter().map(|s| s.targets.len()).sum();
            work.spend(1 + (t.guards.len() + sources + targets) as u64)?;
            let rule = compiled.rules.len() as u32;
            if !compiled.add(source, number, t)? {
                continue;
            }
            match watch(source, t) {
                Some(literal) => watches.push((literal as u32, rule)),
                None => compiled.always.push(rule),
            }
        }
        watches.sort_unstable();
        compiled.watched = (0..=source.shape.literals() as u32)
            .map(|literal| watches.partition_point(|w| w.0 < literal) as u32)
            .collect();
        compiled.watching = watches.into_iter().map(|w| w.1).collect();
        Ok(compiled)
    }

    /// Compiles a transition; false if there is nothing to check about it.
    fn add(&mut self, source: &Source<'_>, number: usize, t: &Transition) -> Check<bool> {
        let (tests, changes, picks) = (self.tests.len(), self.changes.len(), self.picks.len());
        let mut certain = true;
        for guard in &t.guards {
            match source.shape.at(guard.place) {
                // An unmarkable place is empty, and the transition can fire as far as that goes.
                None => certain &= !source.markable[guard.place.index()],
                Some(at) => match test(at, &guard.range) {
                    Tested::Never => {
                        self.tests.truncate(tests);
                        return Ok(false);
                    }
                    Tested::Always => {}
                    Tested::By(test) => self.tests.push(test),
                },
            }
        }
        self.add_changes(source, number, t, tests)?;
        if self.changes.len() == changes && !source.deadlock {
            self.tests.truncate(tests);
            return Ok(false);
        }
        self.rules.push(Rule {
            transition: number as u32,
            tests: (tests as u32, self.tests.len() as u32),
            changes: (changes as u32, self.changes.len() as u32),
            picks: (picks as u32, self.picks.len() as u32),
            certain,
        });
        Ok(true)
    }

    fn add_changes(&mut self, source: &Source<'_>, number: usize, t: &Transition, tests: usize) -> Check<()> {
        let mut arrivals = self.add_picks(source, number)?;
        let unchanged = |place: &PlaceId| t.effect(*place).is_none();
        let arrivals_only: Vec<Effect> = arrivals.keys().copied().filter(unchanged).map(identity).collect();
        let mut one_of: Vec<(u32, u32, &Effect, Vec<u32>)> = Vec::new();
        for effect in t.effects.iter().chain(&arrivals_only) {
            let bins = arrivals.remove(&effect.place).unwrap_or_default();
            match source.shape.at(effect.place) {
                None => {}
                Some(At::OneOf { slot, value }) => one_of.push((slot, value, effect, bins)),
                Some(At::Tokens { slot }) => match effect.delta().filter(|_| bins.is_empty()) {
                    Some(delta) => {
                        const FAR: i64 = 1 << 40;
                        let delta = clamped(delta, FAR.into()) as i64;
                        self.changes.push(Change::Add { slot, delta });
                    }
                    None => {
                        let places = vec![(0, sum(source, number, effect, bins)?)];
                        self.push_sums(Sums { slot, one_of: false, places });
                    }
                },
            }
        }
        one_of.sort_unstable_by_key(|(slot, value, ..)| (*slot, *value));
        for group in one_of.chunk_by(|a, b| a.0 == b.0) {
            let slot = group[0].0;
            let places =
                group.iter().map(|(_, value, effect, bins)| Ok((*value, sum(source, number, effect, bins.clone())?)));
            let sums = Sums { slot, one_of: true, places: places.collect::<Check<Vec<_>>>()? };
            let pinned = self.tests[tests..].iter().find(|t| t.slot == slot && t.width == 0 && !t.negated);
            let local = group.iter().all(|(_, _, effect, bins)| effect.delta().is_some() && bins.is_empty());
            match pinned.filter(|_| local).and_then(|test| one_of_after(&sums, test.low, |_| test.low, &[])) {
                Some(value) => self.changes.push(Change::Set { slot, value }),
                None => self.push_sums(sums),
            }
        }
        Ok(())
    }

    /// Adds who picks when a transition fires, as far as kept places are concerned. Gives the bins that arrive at them.
    fn add_picks(&mut self, source: &Source<'_>, number: usize) -> Check<BTreeMap<PlaceId, Vec<u32>>> {
        let mut arrivals: BTreeMap<PlaceId, Vec<u32>> = BTreeMap::new();
        let mut bins = 0;
        for scatter in source.rules.scatters_of(number) {
            let kept = || scatter.targets.iter().filter(|p| source.shape.at(**p).is_some());
            let Some(&first) = kept().next() else { continue };
            let Some(from) = read(source, number, scatter.source, first)? else { continue };
            let start = bins;
            for &target in kept() {
                arrivals.entry(target).or_default().push(bins);
                bins += 1;
            }
            bins += u32::from(kept().count() < scatter.targets.len());
            self.picks.push(Pick { source: from, but_one: scatter.but_one, bins: (bins - start) as usize });
        }
        Ok(arrivals)
    }

    fn push_sums(&mut self, sums: Sums) {
        self.changes.push(Change::Sums(self.sums.len() as u32));
        self.sums.push(sums);
    }

    /// How many rules there are.
    pub(crate) fn len(&self) -> usize {
        self.rules.len()
    }

    /// The rules that may be enabled where this literal is true.
    pub(crate) fn watching(&self, literal: usize) -> &[u32] {
        &self.watching[self.watched[literal] as usize..self.watched[literal + 1] as usize]
    }

    /// The rules that may be enabled anywhere.
    pub(crate) fn always(&self) -> &[u32] {
        &self.always
    }

    /// Do the guards on kept places hold?
    pub(crate) fn is_enabled(&self, rule: u32, state: &[u32]) -> bool {
        let (start, end) = self.rules[rule as usize].tests;
        self.tests[start as usize..end as usize]
            .iter()
            .all(|t| (state[t.slot as usize].wrapping_sub(t.low) <= t.width) != t.negated)
    }

    /// Is it enabled for certain if the guards on kept places hold?
    pub(crate) fn is_certain(&self, rule: u32) -> bool {
        self.rules[rule as usize].certain
    }

    pub(crate) fn transition(&self, rule: u32) -> usize {
        self.rules[rule as usize].transition as usize
    }

    /// Begins with the first way in which the threads that pick can spread.
    pub(crate) fn spread(&self, rule: u32, state: &[u32], spread: &mut Spread) {
        let (start, end) = self.rules[rule as usize].picks;
        spread.begin(&self.picks[start as usize..end as usize], state);
    }

    /// Writes what firing changes into `out`, if threads spread over `bins`; false if the result is not a marking of the
    /// slots.
    pub(crate) fn fire(&self, rule: u32, state: &[u32], bins: &[u32], out: &mut Vec<Changed>) -> bool {
        out.clear();
        let (start, end) = self.rules[rule as usize].changes;
        for change in &self.changes[start as usize..end as usize] {
            let (slot, to) = match change {
                Change::Add { slot, delta } => {
                    let Ok(to) = u32::try_from(i64::from(state[*slot as usize]) + delta) else { return false };
                    (*slot, to)
                }
                Change::Set { slot, value } => (*slot, *value),
                Change::Sums(index) => {
                    let sums = &self.sums[*index as usize];
                    let Some(to) = sums.after(state, bins) else { return false };
                    (sums.slot, to)
                }
            };
            let (slot, from) = (slot as usize, state[slot as usize]);
            if from != to {
                out.push(Changed { slot, from, to });
            }
        }
        true
    }
}

impl Sums {
    /// The value of the slot after firing, if it has one for that.
    fn after(&self, state: &[u32], bins: &[u32]) -> Option<u32> {
        if self.one_of {
            return one_of_after(self, state[self.slot as usize], |slot| state[slot as usize], bins);
        }
        let [(_, sum)] = self.places.as_slice() else { return None };
        u32::try_from(sum.value(|slot| state[slot as usize], bins)).ok()
    }
}

impl Sum {
    fn value(&self, of_slot: impl Fn(u32) -> u32, bins: &[u32]) -> i128 {
        let tokens = |at: &At| match *at {
            At::Tokens { slot } => i128::from(of_slot(slot)),
            At::OneOf { slot, value } => i128::from(of_slot(slot) == value),
        };
        let arriving: i128 = self.bins.iter().map(|&bin| i128::from(bins[bin as usize])).sum();
        self.sources.iter().map(tokens).sum::<i128>() + arriving + self.add
    }
}

/// The value of a slot of several places after firing, if at most one of them then holds a token.
fn one_of_after(sums: &Sums, before: u32, of_slot: impl Fn(u32) -> u32 + Copy, bins: &[u32]) -> Option<u32> {
    let untouched = before != 0 && sums.places.iter().all(|(value, _)| *value != before);
    let mut after = if untouched { before } else { 0 };
    for (value, sum) in &sums.places {
        match sum.value(of_slot, bins) {
            0 => {}
            1 if after == 0 => after = *value,
            _ => return None,
        }
    }
    Some(after)
}

/// The kept place it needs a token on that the fewest listed markings mark.
fn watch(source: &Source<'_>, t: &Transition) -> Option<usize> {
    let needed = t.guards.iter().filter(|g| !g.range.at_least.is_zero());
    let literals = needed.filter_map(|g| source.shape.at(g.place)).map(|at| source.shape.literal(at));
    literals.min_by_key(|&literal| source.marked[literal])
}

enum Tested {
    Never,
    Always,
    By(Test),
}

/// A guard on a kept place, as a test of its slot.
fn test(at: At, range: &Range) -> Tested {
    match at {
        At::Tokens { slot } => {
            let Some(low) = range.at_least.to_u32() else { return Tested::Never };
            // More than a slot holds is no upper end.
            let high = range.at_most.as_ref().and_then(ToPrimitive::to_u32).unwrap_or(u32::MAX);
            Tested::By(Test { slot, low, width: high - low, negated: false })
        }
        At::OneOf { slot, value } => {
            let test = |negated| Tested::By(Test { slot, low: value, width: 0, negated });
            match (range.contains(&0u8.into()), range.contains(&1u8.into())) {
                (true, true) => Tested::Always,
                (true, false) => test(true),
                (false, true) => test(false),
                (false, false) => Tested::Never,
            }
        }
    }
}

/// What a kept place gets.
fn sum(source: &Source<'_>, number: usize, effect: &Effect, bins: Vec<u32>) -> Check<Sum> {
    let mut sources = Vec::with_capacity(effect.sources.len());
    for &place in &effect.sources {
        sources.extend(read(source, number, place, effect.place)?);
    }
    Ok(Sum { sources, bins, add: clamped(&effect.add, 1 << 100) })
}

/// A place whose tokens a transition adds to a kept one. It is kept too, or never marked: `None`.
fn read(source: &Source<'_>, number: usize, from: PlaceId, to: PlaceId) -> Check<Option<At>> {
    let at = source.shape.at(from);
    if at.is_none() && source.markable[from.index()] {
        let (from, to) = (source.system.name(from.index()), source.system.name(to.index()));
        let transition = number + 1;
        return reject(format!(
            "transition number {transition} adds the tokens of `{from}`, which is not kept, to `{to}`, which is"
        ));
    }
    Ok(at)
}

/// An effect that leaves the place as it is.
fn identity(place: PlaceId) -> Effect {
    Effect { place, sources: [place].into_iter().collect(), add: BigInt::ZERO }
}

/// The number, or `far` with its sign if it is beyond that.
fn clamped(number: &BigInt, far: i128) -> i128 {
    let outside = if number.sign() == Sign::Minus { -far } else { far };
    number.to_i128().map_or(outside, |n| n.clamp(-far, far))
}

/// The places of a slot, with their values.
pub(crate) fn places_of(slot: &Slot) -> impl Iterator<Item = (u32, PlaceId)> + '_ {
    let (tokens, several): (Option<PlaceId>, &[PlaceId]) = match slot {
        Slot::Tokens(place) => (Some(*place), &[]),
        Slot::OneOf(places) => (None, places),
    };
    tokens.into_iter().map(|p| (0, p)).chain((1..).zip(several.iter().copied()))
}
