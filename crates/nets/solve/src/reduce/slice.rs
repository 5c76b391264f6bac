//! Slicing: drops places and transitions that cannot influence the goals, so that searches do not interleave
//! these transitions.
//!
//! This is backward relevance as in the "pruning" of coverability checkers (Esparza, Ledesma-Garza, Majumdar,
//! Meyer, Niksic 2014) and cone-of-influence reduction, but it also considers whether tokens are added or taken
//! away. Fewer tokens never help a goal that only asks for more tokens, and never help a guard without upper
//! end. So for most places, transitions that merely take tokens away can be dropped. Places for which the exact
//! count matters are *exact*, as `model::Markings` defines it. The slice is the least solution of these rules:
//!
//! * The places of the goals' formulas are *kept*; for a deadlock, all places in guards.
//! * A kept place is *exact* if it has an upper end in a guard or a negative weight in a formula. With an exact
//!   place, the sources of effects on it are exact. (For a deadlock all kept places are exact, but everything
//!   that can fire is relevant there anyway.)
//! * A transition is *relevant* if it changes an exact place or may increase another kept place (or decrease
//!   it, if tokens are counted against a bound). With a relevant transition all places in its guards are kept.
//!   With a kept place all sources of effects on it are kept.
//!
//! 1. No goal is lost: if a run of the net reaches a goal, the run without its irrelevant transitions is a run
//!    of the slice that reaches a goal. Proof: by induction over the run, exact places hold the same in both
//!    runs, and other kept places hold at least as much in the shorter run. An irrelevant transition at most
//!    takes tokens from kept places that are not exact. A relevant transition is enabled in the shorter run,
//!    because upper ends are on exact places only. All sources of its effects on kept places are kept, and on
//!    exact places they are exact. At the end, positive weights multiply at least as many tokens, and negative
//!    weights multiply the same.
//! 2. No goal is gained: a run of the slice is a run of the net. Proof: all places in guards of relevant
//!    transitions are kept.
//!
//! Both claims hold only for transitions that can fire and places that are potentially marked
//! ([`crate::invariants::potentially_marked`]); all others are removed first. The work is linear in the size
//! of the net, because a place is processed when it becomes kept and again when it becomes exact.

use crate::invariants::potentially_marked::Live;
use crate::reduce::formula;
use model::{Effect, Formula, Net, PlaceId, Transition};
use num_traits::{Signed, Zero};
use search::Rows;

/// The part of a net that the goals need.
pub(crate) struct Slice {
    /// For each place: true if it is kept.
    pub(crate) places: Vec<bool>,
    /// For each transition: true if it is relevant.
    pub(crate) transitions: Vec<bool>,
    /// An exact place, if there is one.
    pub(crate) exact: Option<PlaceId>,
}

/// The question: which markings are goals.
pub(crate) struct Question<'a> {
    /// The original formulas, each with the simplified formula in which places that are not potentially marked
    /// are empty.
    pub(crate) formulas: Vec<(&'a Formula, &'a Formula)>,
    /// True if a deadlock is a goal too.
    pub(crate) deadlock: bool,
    /// True if tokens are counted against a bound. Then transitions that take tokens away matter too: without
    /// them runs that stay within the bound would leave it.
    pub(crate) bounded: bool,
}

/// Computes the slice. The cost is `O(size of the net and the question)`.
pub(crate) fn slice(net: &Net, live: &Live, question: &Question<'_>) -> Slice {
    let mut search = Search::new(net, live, question);
    if question.deadlock {
        (0..net.transitions().len()).filter(|&t| live.transitions[t]).for_each(|t| search.need(t));
    }
    for (_, left) in &question.formulas {
        formula::terms(left).for_each(|(p, _)| search.keep(*p, false));
    }
    search.run();
    let places = search.level.iter().map(|l| *l > Level::Dropped).collect();
    let exact = search.level.iter().position(|l| *l == Level::Exact).map(PlaceId::new);
    Slice { places, transitions: search.relevant, exact }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Dropped,
    Kept,
    Exact,
}

struct Search<'a> {
    net: &'a Net,
    live: &'a Live,
    /// For each place: the effects on it.
    changes: Rows<Touch>,
    /// For each place: true if it is exact as soon as it is kept.
    strict: Vec<bool>,
    bounded: bool,
    level: Vec<Level>,
    relevant: Vec<bool>,
    /// Places with a raised level that are not processed yet.
    work: Vec<PlaceId>,
}

impl<'a> Search<'a> {
    fn new(net: &'a Net, live: &'a Live, question: &Question<'_>) -> Self {
        let places = net.places().len();
        let firing = || (0u32..).zip(net.transitions()).filter(|(t, _)| live.transitions[*t as usize]);
        let touch =
            |transition, number, e: &Effect| Touch { transition, number, influence: influence(e, &live.places) };
        let effects =
            firing().flat_map(|(t, tr)| (0u32..).zip(&tr.effects).map(move |(i, e)| (e.place.index(), touch(t, i, e))));
        let changes = Rows::grouped(places, effects);
        let mut strict = vec![false; places];
        let bounded = firing().flat_map(|(_, tr)| tr.guards.iter().filter(|g| g.range.at_most.is_some()));
        bounded.for_each(|g| strict[g.place.index()] = true);
        for (asked, _) in &question.formulas {
            formula::terms(asked).filter(|(_, c)| c.is_negative()).for_each(|(p, _)| strict[p.index()] = true);
        }
        let (level, relevant) = (vec![Level::Dropped; places], vec![false; net.transitions().len()]);
        Self { net, live, changes, strict, bounded: question.bounded, level, relevant, work: Vec::new() }
    }

    fn keep(&mut self, place: PlaceId, exact: bool) {
        let p = place.index();
        let level = if exact || self.strict[p] { Level::Exact } else { Level::Kept };
        if self.live.places[p] && level > self.level[p] {
            self.level[p] = level;
            self.work.push(place);
        }
    }

    fn need(&mut self, transition: usize) {
        if !std::mem::replace(&mut self.relevant[transition], true) {
            let net = self.net;
            net.transitions()[transition].guards.iter().for_each(|g| self.keep(g.place, false));
        }
    }

    fn run(&mut self) {
        let net = self.net;
        while let Some(place) = self.work.pop() {
            let exact = self.level[place.index()] == Level::Exact;
            for i in 0..self.changes.row(place.index()).len() {
                let touch = self.changes.row(place.index())[i];
                let t = touch.transition as usize;
                match touch.influence {
                    Influence::None => continue,
                    Influence::Decrease if !exact && !self.bounded => {}
                    _ => self.need(t),
                }
                if touch.influence == Influence::Gather {
                    let effect = &net.transitions()[t].effects[touch.number as usize];
                    effect.sources.iter().for_each(|s| self.keep(*s, exact));
                }
            }
        }
    }
}

/// An effect of a transition that can fire.
#[derive(Clone, Copy)]
struct Touch {
    transition: u32,
    /// The index of the effect in the transition.
    number: u32,
    influence: Influence,
}

/// The possible change of a place by an effect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Influence {
    None,
    /// The effect takes tokens away.
    Decrease,
    /// The effect adds a constant.
    Increase,
    /// The effect adds the content of other places, or multiplies the content of its own place.
    Gather,
}

fn influence(effect: &Effect, potentially_marked: &[bool]) -> Influence {
    let mut sources = effect.sources.iter().filter(|s| potentially_marked[s.index()]);
    let (first, second) = (sources.next(), sources.next());
    let own = first == Some(&effect.place) && second.is_none();
    match (own, first) {
        (true, _) if effect.add.is_zero() => Influence::None,
        (false, Some(_)) => Influence::Gather,
        _ if effect.add.is_positive() => Influence::Increase,
        _ => Influence::Decrease,
    }
}

/// Returns the transition in the slice: its guards and effects on kept places, with their new numbers. Places
/// that are not potentially marked are empty, so they satisfy the remaining guards and add nothing.
pub(crate) fn project(transition: &Transition, live: &Live, new_id: &[Option<PlaceId>]) -> Transition {
    let of = |p: PlaceId| new_id[p.index()];
    let guards =
        transition.guards.iter().filter_map(|g| Some(model::Guard { place: of(g.place)?, range: g.range.clone() }));
    let effects = transition.effects.iter().filter_map(|e| {
        let place = of(e.place)?;
        let sources = e.sources.iter().filter(|s| live.places[s.index()]);
        let sources = sources.map(|s| of(*s).expect("sources of kept places are kept")).collect();
        Some(Effect { place, sources, add: e.add.clone() })
    });
    Transition { name: transition.name.clone(), guards: guards.collect(), effects: effects.collect() }
}
