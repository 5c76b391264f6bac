//! Transitions in machine numbers, for the rules that look at each of them thousands of times.
//!
//! Numbers of guards beyond 64 bits become the greatest that there is, constants beyond 100 bits end there. Rules
//! that use these say why a number that is too small (in size) does no harm. How many tokens an effect *surely*
//! leaves is computed exactly.
//!
//! Threads that pick a target ([`Scatter`](crate::net::rules::Scatter)) become sources of all their targets, marked
//! as such.

use crate::Check;
use crate::net::rules::Rules;
use crate::work::Work;
use model::{Effect, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive, Zero};

/// Constants end here.
const FAR: i128 = 1 << 100;

/// A guard.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// Of this place.
    pub place: u32,
    /// It asks for so many tokens.
    pub least: u64,
    /// `u64::MAX`: any number.
    pub most: u64,
    /// How many more tokens than the least it allows: 0, 1, or more.
    pub spare: u8,
}

/// Where tokens come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// From this place.
    pub place: u32,
    /// How often its content is added.
    pub times: u64,
    /// Its threads pick a target each: any number of them comes here, and no thread arrives twice.
    pub picks: bool,
    /// One of its threads is the active one, and does not pick.
    pub but_one: bool,
}

impl Source {
    /// The place as it is.
    pub(super) fn itself(place: u32) -> Self {
        Self { place, times: 1, picks: false, but_one: false }
    }
}

/// The new content of a place.
#[derive(Debug)]
pub struct Change {
    /// Of this place.
    pub place: u32,
    /// So many tokens come on top.
    pub add: i128,
    /// How many tokens there are afterwards by the guards alone: 0, 1, or more.
    pub surely: u8,
    /// Ascending by place, each once for each value of `picks`.
    pub sources: Vec<Source>,
}

impl Change {
    /// Is it the place itself and a constant?
    #[must_use]
    pub fn is_plain(&self) -> bool {
        matches!(&self.sources[..], [s] if s.place == self.place && s.times == 1 && !s.picks)
    }
}

/// A transition.
#[derive(Debug)]
pub struct Firing {
    /// Ascending by place.
    pub tests: Vec<Test>,
    /// Ascending by place.
    pub changes: Vec<Change>,
}

impl Firing {
    /// The guard of a place.
    #[must_use]
    pub fn test(&self, place: u32) -> Option<&Test> {
        self.tests.binary_search_by_key(&place, |t| t.place).ok().map(|i| &self.tests[i])
    }

    /// How many tokens it asks a place for.
    #[must_use]
    pub fn least(&self, place: u32) -> u64 {
        self.test(place).map_or(0, |t| t.least)
    }

    /// How many more tokens than the least it allows on a place: 0, 1, or more.
    pub fn spare(&self, place: u32) -> u8 {
        self.test(place).map_or(2, |t| t.spare)
    }

    /// What becomes of a place.
    #[must_use]
    pub fn change(&self, place: u32) -> Option<&Change> {
        self.changes.binary_search_by_key(&place, |c| c.place).ok().map(|i| &self.changes[i])
    }

    /// Work units for one look at all of it.
    pub(super) fn size(&self) -> u64 {
        let sources: usize = self.changes.iter().map(|c| 1 + c.sources.len()).sum();
        (1 + self.tests.len() + sources) as u64
    }

    /// Places that it asks tokens of.
    pub fn preset(&self) -> impl Iterator<Item = &Test> {
        self.tests.iter().filter(|t| t.least > 0)
    }
}

/// All transitions. Linear in the net.
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

/// As it is, or the greatest number.
pub fn saturated(n: &BigUint) -> u64 {
    n.to_u64().unwrap_or(u64::MAX)
}

fn test(place: PlaceId, range: &Range) -> Test {
    let spare = match &range.at_most {
        None => 2,
        Some(most) => (most - &range.at_least).to_u8().map_or(2, |spare| spare.min(2)),
    };
    let most = range.at_most.as_ref().map_or(u64::MAX, saturated);
    Test { place: place.0, least: saturated(&range.at_least), most, spare }
}

/// A place that stays as it is.
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

/// The least that an effect leaves where the guards hold, up to 2.
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
