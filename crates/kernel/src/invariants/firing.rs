//! Transitions in machine numbers, for the rules that read each transition thousands of times.
//!
//! Numbers of guards above 64 bits are replaced by the greatest 64-bit number. Constants of effects are clamped
//! to 2^100 in absolute value. Each rule that uses these numbers proves that a number with a smaller absolute
//! value is harmless. The number of tokens that an effect leaves *for certain* is computed exactly.
//!
//! A place with threads that pick a target ([`Scatter`](crate::net::rules::Scatter)) becomes a source of all
//! these targets, with the flag [`Source::picks`].

use crate::Check;
use crate::net::rules::Rules;
use crate::work::Work;
use model::{Effect, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive, Zero};

/// The greatest absolute value of a constant.
const FAR: i128 = 1 << 100;

/// A guard.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The place that is tested.
    pub place: u32,
    /// The least number of tokens that the guard allows.
    pub least: u64,
    /// The greatest number of tokens that the guard allows; `u64::MAX` means no limit.
    pub most: u64,
    /// The number of tokens that the guard allows above the least number: 0, 1, or 2 for two or more.
    pub spare: u8,
}

/// A source of tokens for the new content of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// The place that the tokens come from.
    pub place: u32,
    /// The number of times that its content is added.
    pub times: u64,
    /// True if each of its threads picks a target. Then arbitrarily many of these threads may arrive here, and
    /// each thread arrives at one target only.
    pub picks: bool,
    /// True if one of its threads is the active thread, which does not pick.
    pub but_one: bool,
}

impl Source {
    /// Returns a source that adds the content of a place once.
    pub(super) fn itself(place: u32) -> Self {
        Self { place, times: 1, picks: false, but_one: false }
    }
}

/// The new content of a place.
#[derive(Debug)]
pub struct Change {
    /// The place that changes.
    pub place: u32,
    /// The constant that is added.
    pub add: i128,
    /// The number of tokens that the place certainly holds afterwards, by the guards alone: 0, 1, or 2 for two
    /// or more.
    pub surely: u8,
    /// The sources in ascending order of places. Each place occurs at most once for each value of `picks`.
    pub sources: Vec<Source>,
}

impl Change {
    /// Returns true if the new content is the old content of the same place plus a constant.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        matches!(&self.sources[..], [s] if s.place == self.place && s.times == 1 && !s.picks)
    }
}

/// A compiled transition.
#[derive(Debug)]
pub struct Firing {
    /// The guards, in ascending order of places.
    pub tests: Vec<Test>,
    /// The effects, in ascending order of places.
    pub changes: Vec<Change>,
}

impl Firing {
    /// Returns the guard of a place.
    #[must_use]
    pub fn test(&self, place: u32) -> Option<&Test> {
        self.tests.binary_search_by_key(&place, |t| t.place).ok().map(|i| &self.tests[i])
    }

    /// Returns the least number of tokens that the transition needs on a place.
    #[must_use]
    pub fn least(&self, place: u32) -> u64 {
        self.test(place).map_or(0, |t| t.least)
    }

    /// Returns the number of tokens that the guard of a place allows above the least number: 0, 1, or 2 for two
    /// or more.
    pub fn spare(&self, place: u32) -> u8 {
        self.test(place).map_or(2, |t| t.spare)
    }

    /// Returns the effect on a place, if the transition changes it.
    #[must_use]
    pub fn change(&self, place: u32) -> Option<&Change> {
        self.changes.binary_search_by_key(&place, |c| c.place).ok().map(|i| &self.changes[i])
    }

    /// Returns the work units for reading the whole transition once.
    pub(super) fn size(&self) -> u64 {
        let sources: usize = self.changes.iter().map(|c| 1 + c.sources.len()).sum();
        (1 + self.tests.len() + sources) as u64
    }

    /// Returns the guards that need at least one token.
    pub fn preset(&self) -> impl Iterator<Item = &Test> {
        self.tests.iter().filter(|t| t.least > 0)
    }
}

/// Compiles all transitions. The work is linear in the size of the net.
pub fn firings(rules: &Rules<'_>, work: &mut Work<'_>) -> Check<Vec<Firing>> {
    let mut all = Vec::with_capacity(rules.transitions.len());
    for (number, t) in rules.transitions.iter().enumerate() {
        let scatters = rules.scatters_of(number);
        let targets: usize = scatters.iter().map(|s| s.targets.len()).sum();
        work.spend(1 + (t.guards.len() + t.effects.len() + targets) as u64)?;
        let tests = t.guards.iter().map(|g| test(g.place, &g.range)).collect();
        debug_assert!(t.guards.is_sorted_by(|a, b| a.place < b.place), "a place has one guard");
        let mut changes: Vec<Change> = t.effects.iter().map(|e| change(t, e)).collect();
        let mut arrivals: Vec<(u32, Source)> = Vec::with_capacity(targets);
        for scatter in scatters {
            debug_assert!(
                t.guard(scatter.source).is_none_or(|range| scatter.but_one && range.at_least <= BigUint::from(1u8)),
                "no thread is sure to pick"
            );
            let source = Source { place: scatter.source.0, times: 1, picks: true, but_one: scatter.but_one };
            arrivals.extend(scatter.targets.iter().map(|target| (target.0, source)));
        }
        arrivals.sort_by_key(|(target, source)| (*target, source.place));
        let mut missing: Vec<Change> = Vec::new();
        for (target, source) in arrivals {
            let change = match changes.binary_search_by_key(&target, |c| c.place) {
                Ok(at) => &mut changes[at],
                Err(_) => {
                    if missing.last().is_none_or(|c| c.place != target) {
                        missing.push(kept(t, PlaceId(target)));
                    }
                    missing.last_mut().expect("there is one now")
                }
            };
            change.sources.push(source);
        }
        changes.append(&mut missing);
        changes.sort_by_key(|c| c.place);
        debug_assert!(changes.is_sorted_by(|a, b| a.place < b.place), "a place changes once");
        all.push(Firing { tests, changes });
    }
    Ok(all)
}

/// Returns the number, or `u64::MAX` if it is greater.
pub fn saturated(n: &BigUint) -> u64 {
    n.to_u64().unwrap_or(u64::MAX)
}

fn test(place: PlaceId, range: &Range) -> Test {
    let spare = match &range.at_most {
        None => 2,
        Some(_) if range.is_empty() => 0,
        Some(most) => (most - &range.at_least).to_u8().map_or(2, |spare| spare.min(2)),
    };
    let most = range.at_most.as_ref().map_or(u64::MAX, saturated);
    Test { place: place.0, least: saturated(&range.at_least), most, spare }
}

/// Returns the effect that leaves a place unchanged.
fn kept(t: &Transition, place: PlaceId) -> Change {
    let surely = t.guard(place).map_or(0, |range| capped(&BigInt::from(range.at_least.clone())));
    Change { place: place.0, add: 0, surely, sources: vec![Source::itself(place.0)] }
}

fn change(t: &Transition, effect: &Effect) -> Change {
    let mut sources: Vec<Source> = Vec::with_capacity(effect.sources.len());
    for place in &effect.sources {
        match sources.last_mut() {
            Some(last) if last.place == place.0 => last.times += 1,
            _ => sources.push(Source::itself(place.0)),
        }
    }
    let add = effect.add.to_i128().unwrap_or(if effect.add.is_negative() { -FAR } else { FAR }).clamp(-FAR, FAR);
    Change { place: effect.place.0, add, surely: surely(t, effect), sources }
}

/// Returns the least number of tokens that an effect leaves if the guards hold, at most 2.
fn surely(t: &Transition, effect: &Effect) -> u8 {
    let mut least = effect.add.clone();
    for range in effect.sources.iter().filter_map(|p| t.guard(*p)).filter(|range| !range.at_least.is_zero()) {
        least += BigInt::from(range.at_least.clone());
    }
    capped(&least)
}

fn capped(n: &BigInt) -> u8 {
    if n.is_negative() { 0 } else { n.to_u8().map_or(2, |n| n.min(2)) }
}
