//! Converts programs with classes of arbitrarily many threads to nets by counter abstraction (German and Sistla
//! 1992). The abstraction is exact here.
//!
//! * A *group* is a set of threads that move together: one ordinary thread, or all class threads of one index.
//!   Each reachable local state of a group has a place. (If several class threads have the same index, each
//!   reachable tuple of their local states has a place.) The tokens of the place count the indices with the
//!   group in this state. An ordinary thread is one token. Class threads cannot distinguish indices (see
//!   [`super::class`]), so the counts determine everything.
//! * An event `e[i]` moves one token of the range as the threads of index `i` react to their own event. At the
//!   same time it moves all other tokens of the range as threads react to the event of another index. An event
//!   that does not belong to an index of the range moves all tokens of the range. A move of all tokens at once
//!   is a transfer.
//! * *Blocking is exact.* An ordinary thread takes part in an event only in states that do not block it. A zero
//!   test on the place of each state that blocks the event ensures that no class thread blocks it. So both `bad`
//!   and `deadlock` are exact. A net without such tests is monotone. Most programs give such a net: if a thread
//!   blocks only its own event, that state just has no transition for this event.
//! * If many tokens choose between several targets at once, they move to a place for undecided tokens, and
//!   leave it one by one. Some events are requested, waited for or blocked in one of these targets. Such an
//!   event must wait until this place is empty, by a zero test. All other events commute with the choices.
//!   Threads with several initial states begin undecided.
//! * Nothing leaves a bad state, and in the net bad states block nothing: when a run has reached a bad state,
//!   its continuation does not matter. A transition without effect is enabled in every marking with a bad state,
//!   so that such a marking is no deadlock.
//!
//! A range has at least one index, because an event array has at least one element.

mod budget;
mod group;
mod transitions;

use super::parse::Res;
use super::symbolic::Symbolic;
use budget::Budget;
use formats::codes;
use formats::error::Error;
use formats::source::Limits;
use group::Group;
use model::{
    Formula, FormulaBuilder, FormulaId, Goal, Net, Place, PlaceId, Problem, Property, QuestionForm, Questions, Range,
    SystemModel,
};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the net, with the goals that the program asks for.
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
        Goal::Bad => {
            Property { id: goal.id().to_owned(), goal: Goal::Formula(FormulaId(0)), asked: QuestionForm::Never }
        }
        _ => Property::never(goal.id(), improper.unwrap_or(Goal::Deadlock)),
    };
    let properties = symbolic.program.check().iter().map(property).collect();
    let asked = Questions { properties, formulas, ..Questions::default() };
    Problem::new(system, asked).map_err(|mismatch| Error::unfit(source, &mismatch))
}

/// Returns the formula for the markings in which all threads are in final states: no other place has a token.
/// (Places of undecided tokens do not count as final, because these tokens can still move.)
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

/// Returns the places in the order of their numbers.
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
