//! Programs with classes of any number of threads, as nets: counter abstraction (German and Sistla, 1992), exact here.
//!
//! * A *group* is what moves together: one ordinary thread, or all class threads of one index. A place for each
//!   reachable local state of a group (of several threads of one index: for each reachable tuple) counts the indices
//!   in it; an ordinary thread is one token. Class threads cannot tell indices apart (see [`super::class`]), so the
//!   counts say everything.
//! * An event `e[i]` moves one token as its own threads react, and all other tokens of the range as they react to the
//!   event of another index; every other event moves all tokens of a range. What all tokens do at once is a transfer.
//! * *Blocking is kept*: an ordinary thread takes part in one of its states that do not block the event; that no
//!   class thread blocks it is a zero test for each place where one would. So `bad` and `deadlock` are both exact. A
//!   net without such tests is monotone, which is what most programs give: a thread that blocks its own event just
//!   has no transition there.
//! * Where many tokens choose between several targets at once, they go to a place for the undecided, which they leave
//!   one by one. Events that one of these targets would notice wait until nobody is undecided there (a zero test);
//!   the others commute with deciding. Threads with several initial states begin undecided.
//! * Bad states are left by nothing, and here they block nothing: a run into a bad state does not become a different
//!   one by going on. So that a marking with a bad state is no deadlock, a transition without effect is enabled
//!   there.
//!
//! A range has one index at least, as arrays of events have one element at least.

mod group;
mod transitions;

use super::class::Symbolic;
use super::parse::Res;
use crate::codes::{self, Code};
use crate::error::Error;
use crate::source::Limits;
use group::Group;
use model::{
    Asked, Formula, FormulaBuilder, FormulaId, Goal, Net, Place, PlaceId, Problem, Property, Questions, Range,
    SystemModel,
};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What counting may cost.
pub(super) struct Budget<'a> {
    source: &'a str,
    limits: &'a Limits,
    work: usize,
    places: usize,
    transitions: usize,
    arcs: usize,
}

impl<'a> Budget<'a> {
    fn exceeded(&self, code: &'static Code, limit: usize, what: &str) -> Box<Error> {
        let message = format!("counted by their states, the threads of the program give more than {limit} {what}");
        let hint = "threads of one index are counted together: fewer of them, or fewer states, help";
        Error::whole(code, self.source, message).hint(hint)
    }

    /// A look at a state, or at what it does on an event.
    fn work(&mut self, units: usize) -> Res<()> {
        self.work = self.work.saturating_add(units);
        let most = self.limits.unrolled;
        if self.work > most { Err(self.exceeded(&codes::LIMIT_UNROLLED, most, "steps of reading")) } else { Ok(()) }
    }

    fn place(&mut self) -> Res<()> {
        self.places += 1;
        let most = self.limits.places;
        if self.places > most { Err(self.exceeded(&codes::LIMIT_PLACES, most, "places")) } else { Ok(()) }
    }

    fn transition(&mut self, arcs: usize) -> Res<()> {
        self.transitions += 1;
        self.arcs = self.arcs.saturating_add(arcs);
        let (transitions, most) = (self.limits.transitions, self.limits.arcs);
        if self.transitions > transitions {
            return Err(self.exceeded(&codes::LIMIT_TRANSITIONS, transitions, "transitions"));
        }
        if self.arcs > most { Err(self.exceeded(&codes::LIMIT_ARCS, most, "guards and effects")) } else { Ok(()) }
    }
}

/// The net, with the goals that the program asks for.
pub(super) fn problem(symbolic: &Symbolic, source: &str, limits: &Limits) -> Res<Problem> {
    let mut budget = Budget { source, limits, work: 0, places: 0, transitions: 0, arcs: 0 };
    let groups = group::groups(symbolic, &mut budget)?;
    let transitions = transitions::transitions(symbolic, &groups, &mut budget)?;
    let net = Net::new(places(&groups), transitions)
        .map_err(|invalid| Error::whole(&codes::INPUT_INVALID, source, invalid.to_string()))?;
    let mut builder = FormulaBuilder::default();
    let bad = groups.iter().flat_map(|group| group.bad_states().map(|s| group.place(s)));
    let bad = bad.map(|place| builder.place_at_least(place, &BigUint::from(1u8))).collect();
    let root = builder.any(bad);
    let mut formulas = vec![Arc::new(builder.finish(root))];
    let net = match ends(symbolic, &groups, net.places().len()) {
        Some(ends) => net.with_ends(Arc::new(ends)),
        None => net,
    };
    let system = SystemModel::from(Arc::new(net));
    let improper = model::improper(&system).map(|improper| {
        formulas.push(Arc::new(improper));
        Goal::Formula(FormulaId(1))
    });
    let property = |goal: &Goal| match goal {
        Goal::Bad => Property { id: goal.id().to_owned(), goal: Goal::Formula(FormulaId(0)), asked: Asked::Never },
        _ => Property::never(goal.id(), improper.unwrap_or(Goal::Deadlock)),
    };
    let properties = symbolic.program.check().iter().map(property).collect();
    let asked = Questions { properties, formulas, ..Questions::default() };
    Problem::new(system, asked).map_err(|mismatch| Error::unfit(source, &mismatch))
}

/// The markings in which all threads are in final states: no other place has a token. (Where threads are undecided,
/// they can decide.)
fn ends(symbolic: &Symbolic, groups: &[Group], places: usize) -> Option<Formula> {
    if !symbolic.program.has_finals() {
        return None;
    }
    let finals: BTreeSet<PlaceId> = groups.iter().flat_map(|group| group.final_places(&symbolic.program)).collect();
    let others = (0..places).map(PlaceId::new).filter(|place| !finals.contains(place));
    let mut builder = FormulaBuilder::default();
    let none = builder.at_least(others.map(|place| (place, BigInt::from(-1))), BigInt::from(0));
    Some(builder.finish(none))
}

/// In the order of their numbers.
fn places(groups: &[Group]) -> Vec<Place> {
    let mut places: Vec<(PlaceId, Place)> = Vec::new();
    for group in groups {
        let start = group.start();
        for (place, name) in group.named_places() {
            let initial = match group.range {
                _ if place != start => Range::exactly(0u8),
                None => Range::exactly(1u8),
                Some(_) => Range::from(1u8),
            };
            places.push((place, Place { name, initial }));
        }
    }
    places.sort_by_key(|(id, _)| *id);
    places.into_iter().map(|(_, place)| place).collect()
}
