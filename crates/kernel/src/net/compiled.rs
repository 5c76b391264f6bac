//! Transitions, compiled for the markings that a certificate lists: tests and new contents of the *kept*
//! places, which are the places with a slot in the certificate.
//!
//! Slots have 32 bits, and sums are computed with 64 bits.
//!
//! 1. The arithmetic is exact wherever the result matters. Proof: a guard that needs more tokens than a slot
//!    can hold is satisfied by no listed marking. The constant of an effect is clamped to a number so far from
//!    0 that no sum of 32-bit numbers brings the result back into the range of a slot. So neither the clamped
//!    nor the exact constant leads to a listed marking.
//!
//! If threads pick one of several targets ([`super::rules::Scatter`]), a transition leads to several markings,
//! one for each way to spread ([`super::spread`]). The new content of a kept target then includes the threads
//! of its bin: those that pick this target.
//!
//! A transition is tried only in markings that mark one of the kept places that it needs tokens on, the
//! *watched* place: the one that the fewest listed markings mark. A transition that needs no kept place is
//! tried in all markings.

use super::Marked;
use super::rules::Rules;
use super::shape::{At, SlotLayout};
use super::spread::{Pick, Spread};
use crate::closed::Change;
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{PlaceId, Range, Transition};
use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};
use std::collections::BTreeMap;

/// Greater than any sum of slots, because such a sum has fewer than [`TERMS`] terms below 2^32.
const FAR: i64 = 1 << 61;
const TERMS: usize = 1 << 28;

/// The transitions that can fire, restricted to the kept places.
#[derive(Debug, Default)]
pub struct Compiled {
    rules: Vec<Rule>,
    tests: Vec<Test>,
    effects: Vec<Effect>,
    sources: Vec<At>,
    /// The bins of the effects: threads in these bins arrive at the place of the effect.
    bins: Vec<u32>,
    picks: Vec<Pick>,
    /// For each literal ([`SlotLayout::literal`]): the index in `watching` where its rules start.
    watched: Vec<u32>,
    watching: Vec<u32>,
    /// The rules that need no kept place.
    always: Vec<u32>,
}

#[derive(Debug)]
struct Rule {
    transition: u32,
    tests: (u32, u32),
    effects: (u32, u32),
    picks: (u32, u32),
    /// True if the rule is enabled wherever its tests hold, whatever the places that are not kept hold.
    certain: bool,
}

/// A test that the tokens of a kept place are in a range.
#[derive(Debug)]
struct Test {
    at: At,
    least: u32,
    most: u32,
}

/// The new content of a kept place: a constant, plus the old tokens of some kept places, plus the threads of
/// some bins.
#[derive(Debug)]
struct Effect {
    at: At,
    sources: (u32, u32),
    bins: (u32, u32),
    add: i64,
}

/// The inputs of compiling.
#[derive(Debug)]
pub struct Source<'a> {
    /// The system.
    pub system: Marked<'a>,
    /// The transitions of the system.
    pub rules: &'a Rules<'a>,
    /// For each transition: true if it can fire.
    pub can_fire: &'a [bool],
    /// For each place: true if it is potentially marked.
    pub potentially_marked: &'a [bool],
    /// The slots of the kept places.
    pub shape: &'a SlotLayout<'a>,
    /// For each literal: the number of listed markings in which its place is marked.
    pub marked: &'a [u64],
    /// True if transitions without effects on kept places must be compiled too, because a marking that enables
    /// one is no deadlock.
    pub deadlock: bool,
}

impl Compiled {
    /// Compiles the transitions.
    ///
    /// # Errors
    /// If a kept place gets the tokens of a place that is potentially marked but not kept, or if a resource
    /// limit is exceeded.
    pub fn new(source: &Source<'_>, work: &mut Work<'_>) -> Check<Self> {
        assert_eq!(source.can_fire.len(), source.rules.transitions.len(), "it is known of each transition");
        let mut compiled = Self::default();
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
        assert_eq!(compiled.watching.len() + compiled.always.len(), compiled.rules.len(), "each rule is looked at");
        Ok(compiled)
    }

    /// Compiles a transition. Returns false if there is nothing to check about it.
    fn add(&mut self, source: &Source<'_>, number: usize, t: &Transition) -> Check<bool> {
        let (tests, effects, picks) = (self.tests.len(), self.effects.len(), self.picks.len());
        let mut certain = true;
        for guard in &t.guards {
            match (source.shape.at(guard.place), guard.range.at_least.to_u32()) {
                // A place that is not potentially marked is empty. The guard then holds, because the transition
                // can fire.
                (None, _) => certain &= !source.potentially_marked[guard.place.index()],
                (Some(at), Some(least)) => self.tests.push(Test { at, least, most: most(&guard.range) }),
                (Some(_), None) => {
                    self.tests.truncate(tests);
                    return Ok(false);
                }
            }
        }
        self.add_effects(source, number, t)?;
        if self.effects.len() == effects && !source.deadlock {
            self.tests.truncate(tests);
            self.picks.truncate(picks);
            return Ok(false);
        }
        self.rules.push(Rule {
            transition: number as u32,
            tests: (tests as u32, self.tests.len() as u32),
            effects: (effects as u32, self.effects.len() as u32),
            picks: (picks as u32, self.picks.len() as u32),
            certain,
        });
        Ok(true)
    }

    fn add_effects(&mut self, source: &Source<'_>, number: usize, t: &Transition) -> Check<()> {
        let mut arrivals = self.add_picks(source, number)?;
        // A place that gets threads that pick, but has no effect, also keeps its old tokens.
        let kept: Vec<PlaceId> = arrivals.keys().copied().filter(|place| t.effect(*place).is_none()).collect();
        let mut all: Vec<(PlaceId, &[PlaceId], i64)> =
            kept.iter().map(|place| (*place, std::slice::from_ref(place), 0)).collect();
        all.extend(t.effects.iter().map(|e| (e.place, &e.sources[..], clamped(&e.add))));
        let mut compiled = Vec::with_capacity(all.len());
        for (place, from, add) in all {
            let Some(at) = source.shape.at(place) else { continue };
            let (sources, bins) = (self.sources.len(), self.bins.len());
            for &other in from {
                self.sources.extend(read(source, number, other, place)?);
            }
            self.bins.extend(arrivals.remove(&place).unwrap_or_default());
            if self.sources.len() - sources + self.bins.len() - bins >= TERMS {
                return Err(Refusal::ResourceLimit);
            }
            compiled.push(Effect {
                at,
                sources: (sources as u32, self.sources.len() as u32),
                bins: (bins as u32, self.bins.len() as u32),
                add,
            });
        }
        assert!(arrivals.is_empty(), "threads arrive where they go");
        compiled.sort_unstable_by_key(|effect| effect.at);
        debug_assert!(compiled.windows(2).all(|w| w[0].at < w[1].at), "a place has one effect");
        self.effects.append(&mut compiled);
        Ok(())
    }

    /// Adds the picks of a transition that matter for kept places. Returns, for each kept target, the bins that
    /// arrive there.
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

    /// Number of rules.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns true if there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the rules that may be enabled where this literal is true.
    pub(super) fn watching(&self, literal: usize) -> &[u32] {
        debug_assert!(literal + 1 < self.watched.len(), "the literal is one of the shape");
        &self.watching[self.watched[literal] as usize..self.watched[literal + 1] as usize]
    }

    /// Returns the rules that may be enabled in any marking.
    pub(super) fn always(&self) -> &[u32] {
        &self.always
    }

    /// Returns true if the guards on kept places hold.
    pub(super) fn is_enabled(&self, rule: u32, state: &[u32]) -> bool {
        let (start, end) = self.rules[rule as usize].tests;
        let mut tests = self.tests[start as usize..end as usize].iter();
        tests.all(|test| (test.least..=test.most).contains(&test.at.tokens(state)))
    }

    /// Returns true if the transition is enabled whenever the guards on kept places hold.
    pub(super) fn is_certain(&self, rule: u32) -> bool {
        self.rules[rule as usize].certain
    }

    /// Returns the transition that a rule was compiled from.
    #[must_use]
    pub fn transition(&self, rule: u32) -> usize {
        self.rules[rule as usize].transition as usize
    }

    /// Starts `spread` with the first way in which the threads that pick can spread.
    pub fn spread(&self, rule: u32, state: &[u32], spread: &mut Spread) {
        let (start, end) = self.rules[rule as usize].picks;
        spread.begin(&self.picks[start as usize..end as usize], state);
    }

    /// Writes the changes of firing the rule into `out`, if threads spread over `bins`. Returns false if the
    /// result is not a marking of the slots.
    pub fn fire(&self, rule: u32, state: &[u32], bins: &[u32], out: &mut Vec<Change>) -> bool {
        out.clear();
        let (start, end) = self.rules[rule as usize].effects;
        let mut effects = &self.effects[start as usize..end as usize];
        debug_assert!(effects.is_sorted_by_key(|e| e.at), "effects on one slot stand together");
        while let Some((effect, rest)) = effects.split_first() {
            let (slot, to) = match effect.at {
                At::Tokens { slot } => {
                    effects = rest;
                    let Ok(tokens) = u32::try_from(self.content(effect, state, bins)) else { return false };
                    (slot, tokens)
                }
                At::OneOf { slot, .. } => {
                    let end = effects.iter().position(|e| e.at.slot() != slot).unwrap_or(effects.len());
                    let (same, rest) = effects.split_at(end);
                    effects = rest;
                    let Some(value) = self.one_of(same, state, bins) else { return false };
                    (slot, value)
                }
            };
            let (slot, from) = (slot as usize, state[slot as usize]);
            if from != to {
                out.push(Change { slot, from, to });
            }
        }
        true
    }

    fn content(&self, effect: &Effect, state: &[u32], bins: &[u32]) -> i64 {
        let sources = &self.sources[effect.sources.0 as usize..effect.sources.1 as usize];
        let arriving = &self.bins[effect.bins.0 as usize..effect.bins.1 as usize];
        debug_assert!(sources.len() + arriving.len() < TERMS, "no sum overflows");
        let tokens: i64 = sources.iter().map(|at| i64::from(at.tokens(state))).sum();
        tokens + arriving.iter().map(|&bin| i64::from(bins[bin as usize])).sum::<i64>() + effect.add
    }

    /// Returns the new value of a slot with several places after these effects. Returns `None` if the places
    /// would hold more than one token together.
    fn one_of(&self, effects: &[Effect], state: &[u32], bins: &[u32]) -> Option<u32> {
        let value = |effect: &Effect| if let At::OneOf { value, .. } = effect.at { value } else { 0 };
        let before = state[effects.first()?.at.slot() as usize];
        debug_assert!(effects.iter().all(|e| e.at.slot() == effects[0].at.slot()), "they are on one slot");
        let untouched = before != 0 && effects.iter().all(|effect| value(effect) != before);
        let mut after = if untouched { before } else { 0 };
        for effect in effects {
            match self.content(effect, state, bins) {
                0 => {}
                1 if after == 0 => after = value(effect),
                _ => return None,
            }
        }
        Some(after)
    }
}

/// Returns the upper end of a guard's range, or the greatest slot value if the end is greater or missing.
fn most(range: &Range) -> u32 {
    range.at_most.as_ref().and_then(ToPrimitive::to_u32).unwrap_or(u32::MAX)
}

/// Returns the literal to watch: among the kept places that the transition needs tokens on, the one that the
/// fewest listed markings mark.
fn watch(source: &Source<'_>, t: &Transition) -> Option<usize> {
    let needed = t.guards.iter().filter(|g| !g.range.at_least.is_zero());
    let literals = needed.filter_map(|g| source.shape.at(g.place)).map(|at| source.shape.literal(at));
    literals.min_by_key(|&literal| source.marked[literal])
}

/// Returns where the place `from` is kept; a transition adds its tokens to the kept place `to`. Returns
/// `None` if `from` is never marked.
fn read(source: &Source<'_>, number: usize, from: PlaceId, to: PlaceId) -> Check<Option<At>> {
    let at = source.shape.at(from);
    if at.is_none() && source.potentially_marked[from.index()] {
        let (from, to) = (source.system.name(from.index()), source.system.name(to.index()));
        let transition = number + 1;
        return reject(format!(
            "transition number {transition} adds the tokens of `{from}`, which is not kept, to `{to}`, which is"
        ));
    }
    Ok(at)
}

/// Returns the number, clamped to the range from -[`FAR`] to [`FAR`].
fn clamped(number: &BigInt) -> i64 {
    let outside = if number.sign() == Sign::Minus { -FAR } else { FAR };
    number.to_i64().map_or(outside, |n| n.clamp(-FAR, FAR))
}
