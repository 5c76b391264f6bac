//! What a random program does, by the documentation: which events a thread requests and blocks, and where an event
//! leads.

use super::code::{BAD, Code, End, PLAIN, State, Step, Unrolled, values};
use super::sets::{Event, Scope};
use super::tree::{Case, Ex, Fault, First, Form, Pattern, Stmt, Sync};
use std::collections::BTreeSet;

/// A state of one thread: a step of its body (or one of its states), and the values of variables and of bound names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) values: Vec<i64>,
    bound: Vec<(usize, i64)>,
    /// True for the bad state after a fault.
    pub(super) is_fault: bool,
}

/// Why a program is not explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stopped {
    /// A set of events has no meaning, so that the reader must refuse the program.
    Fault,
    /// A thread runs forever without a sync, so that the reader must refuse the program.
    Endless,
    /// The program is too large for the test.
    Large,
}

/// A sync, the steps after it, and the values of the loops around it.
type At<'a, 's> = (&'a Sync, &'s [usize], &'s [(usize, i64)]);

impl From<Fault> for Stopped {
    fn from(_: Fault) -> Self {
        Stopped::Fault
    }
}

/// The most acts between two syncs.
const ACTS: usize = 5000;

/// A program with its threads.
pub(super) struct Meaning<'a> {
    pub(super) case: &'a Case,
    pub(super) threads: Vec<Unrolled<'a>>,
}

impl<'a> Meaning<'a> {
    fn scope<'b>(&'b self, t: usize, place: &'b Place, loops: &'b [(usize, i64)]) -> Scope<'b> {
        let slots = &self.threads[t].slots;
        Scope { case: self.case, loops, slots, values: &place.values, bound: &place.bound }
    }

    fn state(&self, t: usize, place: &Place) -> &State<'a> {
        let Code::States(states, _) = &self.threads[t].code else { unreachable!("a body has syncs") };
        &states[place.at]
    }

    /// The sync at which a body waits.
    fn sync(&self, t: usize, place: &Place) -> Option<At<'a, '_>> {
        let Code::Body(steps, _) = &self.threads[t].code else { return None };
        match &steps[place.at] {
            (Step::Sync(sync, after), loops) => Some((sync, after, loops)),
            _ => None,
        }
    }

    pub(super) fn is_bad(&self, t: usize, place: &Place) -> bool {
        match &self.threads[t].code {
            Code::Body(steps, _) => matches!(steps[place.at].0, Step::Stop(End::Bad)),
            Code::States(..) => self.state(t, place).statements.iter().any(|s| matches!(s, Stmt::Bad)),
            Code::Environment => false,
        }
    }

    pub(super) fn is_final(&self, t: usize, place: &Place) -> bool {
        match &self.threads[t].code {
            Code::Body(steps, _) => match &steps[place.at].0 {
                Step::Stop(end) => *end == End::Final,
                Step::Sync(sync, _) => sync.is_final,
                _ => unreachable!("threads rest at syncs and ends"),
            },
            Code::States(..) => self.state(t, place).statements.iter().any(|s| matches!(s, Stmt::Final)),
            Code::Environment => true,
        }
    }

    /// True if the thread is hot there. A bad state is not.
    pub(super) fn is_hot(&self, t: usize, place: &Place) -> bool {
        let is_marked = match &self.threads[t].code {
            Code::Body(..) => self.sync(t, place).is_some_and(|(sync, ..)| sync.is_hot),
            Code::States(..) => self.state(t, place).statements.iter().any(|s| matches!(s, Stmt::Hot)),
            Code::Environment => false,
        };
        is_marked && !self.is_bad(t, place)
    }

    pub(super) fn requests(&self, t: usize, place: &Place) -> Result<BTreeSet<Event>, Stopped> {
        let mut requested = BTreeSet::new();
        match &self.threads[t].code {
            Code::Body(..) => {
                let Some((sync, _, loops)) = self.sync(t, place) else { return Ok(requested) };
                for arm in sync.arms.iter().filter(|arm| arm.requests) {
                    self.scope(t, place, loops).requested(&arm.events, &mut requested)?;
                }
            }
            Code::States(..) => {
                let state = self.state(t, place);
                for statement in &state.statements {
                    if let Stmt::Request(events) = statement {
                        self.scope(t, place, &state.loops).requested(events, &mut requested)?;
                    }
                }
            }
            Code::Environment => {
                for e in (0..self.case.events.len()).filter(|&e| self.case.events[e].is_environment) {
                    let pattern = Pattern { event: e, args: None, when: None };
                    self.scope(t, place, &[]).instances(&pattern, &mut requested)?;
                }
            }
        }
        Ok(requested)
    }

    pub(super) fn blocks(&self, t: usize, place: &Place, event: &Event) -> Result<bool, Stopped> {
        Ok(match &self.threads[t].code {
            Code::Body(..) => match self.sync(t, place) {
                Some((Sync { block: Some(events), .. }, _, loops)) => {
                    self.scope(t, place, loops).set(events, event)?.is_some()
                }
                _ => false,
            },
            Code::States(..) => {
                let state = self.state(t, place);
                let mut blocked = false;
                for statement in &state.statements {
                    if let Stmt::Block(events) = statement {
                        blocked |= self.scope(t, place, &state.loops).set(events, event)?.is_some();
                    }
                }
                blocked
            }
            Code::Environment => false,
        })
    }

    /// Returns where the event leads the thread.
    pub(super) fn after(&self, t: usize, place: &Place, event: &Event) -> Result<BTreeSet<Place>, Stopped> {
        match &self.threads[t].code {
            Code::Environment => Ok(BTreeSet::from([place.clone()])),
            Code::States(states, _) => {
                let state = self.state(t, place);
                let scope = self.scope(t, place, &state.loops);
                for statement in &state.statements {
                    let Stmt::On(events, to) = statement else { continue };
                    if scope.set(events, event)?.is_none() {
                        continue;
                    }
                    let numbers: Result<BTreeSet<i64>, Fault> = to.iter().map(|k| scope.value(k, &[])).collect();
                    let numbers = numbers?;
                    let named = (0..states.len()).filter(|&s| numbers.contains(&states[s].number));
                    return Ok(named.map(|at| Place { at, ..place.clone() }).collect());
                }
                Ok(BTreeSet::from([place.clone()]))
            }
            Code::Body(..) => {
                let Some((sync, after, loops)) = self.sync(t, place) else {
                    return Ok(BTreeSet::from([place.clone()]));
                };
                let scope = self.scope(t, place, loops);
                if let Some(events) = &sync.interrupt
                    && scope.set(events, event)?.is_some()
                {
                    return Ok(BTreeSet::from([stopped(place, PLAIN, false)]));
                }
                // The patterns of `request` come before those of `wait`, except in a `select`.
                let mut arms: Vec<_> = sync.arms.iter().zip(after).collect();
                if sync.form != Form::Select {
                    arms.sort_by_key(|(arm, _)| !arm.requests);
                }
                for (arm, &at) in arms {
                    let Some(mut bound) = scope.set(&arm.events, event)? else { continue };
                    // Names of single patterns are not visible after the sync.
                    let own = bound.split_off(place.bound.len());
                    bound.retain(|(name, _)| !arm.binds.contains(name));
                    bound.extend(own.into_iter().filter(|(name, _)| arm.binds.contains(name)));
                    bound.sort_unstable();
                    return self.run(t, Place { at, bound, ..place.clone() });
                }
                Ok(BTreeSet::from([place.clone()]))
            }
        }
    }

    /// Returns the places at which the thread may begin.
    pub(super) fn first(&self, t: usize) -> Result<BTreeSet<Place>, Stopped> {
        let thread = &self.threads[t];
        let place = |at, values| Place { at, values, bound: Vec::new(), is_fault: false };
        let slots = thread.variables.iter().flat_map(|variable| {
            let all = values(self.case, variable.kind);
            let begins: Vec<i64> = match variable.first {
                First::Value(n) => vec![n],
                First::Any => all.expect("a range").collect(),
                First::Default => vec![all.map_or(0, |all| if all.contains(&0) { 0 } else { all.start })],
            };
            (0..variable.length.unwrap_or(1)).map(move |_| begins.clone())
        });
        let mut begins = BTreeSet::new();
        for values in testkit::choices(slots) {
            match &thread.code {
                Code::Body(_, first) => begins.extend(self.run(t, place(*first, values))?),
                Code::States(states, first) => {
                    let named = (0..states.len()).filter(|&s| first.contains(&states[s].number));
                    begins.extend(named.map(|at| place(at, values.clone())));
                }
                Code::Environment => _ = begins.insert(place(0, values)),
            }
        }
        Ok(begins)
    }

    /// Runs the thread until all its ways have come to a sync or an end.
    fn run(&self, t: usize, from: Place) -> Result<BTreeSet<Place>, Stopped> {
        let (mut found, mut finished) = (BTreeSet::new(), BTreeSet::new());
        let mut path: Vec<(Place, Vec<Place>)> = Vec::new();
        let mut entered = Some(from);
        loop {
            if let Some(place) = entered.take().filter(|place| !finished.contains(place)) {
                if path.iter().any(|(on, _)| *on == place) {
                    return Err(Stopped::Endless);
                }
                if finished.len() + path.len() > ACTS {
                    return Err(Stopped::Large);
                }
                match self.act(t, &place) {
                    Some(next) => path.push((place, next)),
                    None => _ = found.insert(rest(place)),
                }
            }
            let Some((place, next)) = path.last_mut() else { return Ok(found) };
            entered = next.pop();
            if entered.is_none() {
                finished.insert(place.clone());
                path.pop();
            }
        }
    }

    /// Returns the places after one act. `None` at a sync and at an end.
    fn act(&self, t: usize, place: &Place) -> Option<Vec<Place>> {
        let Code::Body(steps, _) = &self.threads[t].code else { unreachable!("only bodies act") };
        let (step, loops) = &steps[place.at];
        let at = |at| Place { at, ..place.clone() };
        let value = |ex: &Ex| self.scope(t, place, loops).value(ex, &place.bound);
        match step {
            Step::Stop(_) => None,
            Step::Sync(sync, _) => {
                let scope = self.scope(t, place, loops);
                let proper = sync.sets().all(|events| scope.are_proper(events));
                if proper { None } else { Some(vec![stopped(place, BAD, true)]) }
            }
            Step::Fork(to) => Some(to.iter().map(|to| at(*to)).collect()),
            Step::Test(condition, yes, no) => Some(vec![match value(condition) {
                Ok(1) => at(*yes),
                Ok(_) => at(*no),
                Err(Fault) => stopped(place, BAD, true),
            }]),
            Step::Set(v, index, assigned) => {
                let index = index.map_or(Ok(0), value);
                let assigned = assigned.map_or(Ok(None), |ex| value(ex).map(Some));
                let (Ok(index), Ok(assigned)) = (index, assigned) else { return Some(vec![stopped(place, BAD, true)]) };
                let (slot, length) = self.threads[t].slots[*v];
                let all = values(self.case, self.threads[t].variables[*v].kind);
                let fits = assigned.is_none_or(|n| all.clone().is_none_or(|all| all.contains(&n)));
                if !(0..length).contains(&index) || !fits {
                    return Some(vec![stopped(place, BAD, true)]);
                }
                let choices = assigned.map_or_else(|| all.expect("a range").collect(), |n| vec![n]);
                let next = choices.into_iter().map(|n| {
                    let mut next = at(place.at + 1);
                    next.values[slot + index as usize] = n;
                    next
                });
                Some(next.collect())
            }
        }
    }
}

/// The place of a thread that has stopped. Its variables keep their last values.
fn stopped(place: &Place, at: usize, is_fault: bool) -> Place {
    Place { at, values: place.values.clone(), bound: Vec::new(), is_fault }
}

/// Forgets the bound names if the thread has stopped.
fn rest(place: Place) -> Place {
    if place.at < 3 { stopped(&place, place.at, place.is_fault) } else { place }
}
