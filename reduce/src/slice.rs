//! Slicing: what cannot influence the goals is dropped, so that the search does not interleave it.
//!
//! Backward relevance as in the "pruning" of coverability checkers (Esparza, Ledesma-Garza, Majumdar, Meyer, Niksic
//! 2014) and cone-of-influence reduction, here with a finer look at direction. Fewer tokens never help a goal that
//! only asks for more, and never help a guard without upper end. So for most places transitions that merely take
//! tokens away can go; places where the exact count matters are *exact*, as `model::Markings` defines it:
//!
//! * kept are the places of the goals' formulas (of a deadlock: all places in guards);
//! * exact are kept places with an upper end in a guard or a negative weight in a formula, and with a place the
//!   sources of effects on it (for a deadlock all are, but there everything that can fire is relevant anyway);
//! * relevant are transitions that change an exact place or may increase another kept one (or decrease it, where
//!   tokens are counted against a bound); with a transition, all places in its guards are kept, and with a place all
//!   sources of effects on it.
//!
//! Why nothing is lost: let a run of the net reach a goal, and leave out its irrelevant transitions. By induction
//! over the run, exact places hold the same in both, other kept places at least as much in the shorter one: an
//! irrelevant transition takes from these at most; a relevant one is enabled, since upper ends look at exact places
//! only, and all sources of its effects on kept places are kept, exact ones for exact places. At the end positive
//! weights see more, negative ones the same. Why nothing is gained: all places in guards of relevant transitions are
//! kept, so that a run of the slice is one of the net. Both hold only of transitions that can fire at all and places
//! that can be marked ([`analysis::facts::markable`]); all others go first. Linear in the size of the net: a place is
//! looked at when it becomes kept and again when it becomes exact.

use crate::formula;
use analysis::Rows;
use analysis::facts::markable::Live;
use model::{Effect, Formula, Net, PlaceId, Transition};
use num_traits::{Signed, Zero};

/// What the goals need.
pub(crate) struct Slice {
    /// By place.
    pub(crate) places: Vec<bool>,
    /// By transition.
    pub(crate) transitions: Vec<bool>,
    /// A kept place whose exact count matters, if there is one.
    pub(crate) exact: Option<PlaceId>,
}

/// The question: which markings are goals.
pub(crate) struct Question<'a> {
    /// Formulas as asked, with what is left of them where places that cannot be marked are empty.
    pub(crate) formulas: Vec<(&'a Formula, &'a Formula)>,
    /// Is a deadlock a goal too?
    pub(crate) deadlock: bool,
    /// Are tokens counted against a bound? Then what takes tokens away matters, too: without it runs that stay within
    /// the bound would leave it.
    pub(crate) bounded: bool,
}

/// Computes the slice. `O(size of the net and the question)`.
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
    /// By place: effects on it.
    changes: Rows<Touch>,
    /// By place: is it exact as soon as it is kept?
    strict: Vec<bool>,
    bounded: bool,
    level: Vec<Level>,
    relevant: Vec<bool>,
    /// Places whose level has risen.
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
    /// Among the effects of the transition.
    number: u32,
    influence: Influence,
}

/// What an effect can do to its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Influence {
    None,
    /// Take from it.
    Decrease,
    /// Add a constant.
    Increase,
    /// Bring what other places hold, or double what this one does.
    Gather,
}

fn influence(effect: &Effect, markable: &[bool]) -> Influence {
    let mut sources = effect.sources.iter().filter(|s| markable[s.index()]);
    let (first, second) = (sources.next(), sources.next());
    let own = first == Some(&effect.place) && second.is_none();
    match (own, first) {
        (true, _) if effect.add.is_zero() => Influence::None,
        (false, Some(_)) => Influence::Gather,
        _ if effect.add.is_positive() => Influence::Increase,
        _ => Influence::Decrease,
    }
}

/// The transition as the slice has it: what it says of kept places, in their new names. Places that cannot be marked
/// pass the guards that are left and add nothing.
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
