//! Makes explicit threads from threads with data (see the head of the module `behavior`): each thread by itself, and if
//! this fails, all threads together.

use super::explicit::{Elaborated, finish};
use super::explored::{Bounds, Explored, Named, Res, Session, is_limit};
use super::joint::{self, Part};
use super::neighbours::{Grown, Neighbours, give};
use super::watch::Watch;
use super::{Behavior, Kind};
use formats::error::{Error, Text};
use formats::meter::Meter;
use formats::source::Partly;
use std::collections::BTreeMap;

/// Returns the bounds of the rounds, up to `2^most` local states ([`Limits::explored`](formats::source::Limits)). Small
/// rounds first: what has few joint states is found without the many states that a thread may have by itself, and all
/// rounds together cost little more than the last one.
#[must_use]
pub fn rounds(most: u32) -> Vec<Bounds> {
    [11, 14].into_iter().filter(|small| *small < most).chain([most]).map(Bounds::new).collect()
}

/// The bounds for threads without variables: the text lists their states.
pub const GRAPHS: Bounds = Bounds::new(21);

/// The number of rounds in which threads may get neighbours. The others are expensive enough.
const WITH_NEIGHBOURS: usize = 2;
/// The largest number of threads that are explored with neighbours.
const MOST_GROWN: usize = 8;

/// Makes explicit threads from threads with data, in these rounds; at least one.
///
/// # Errors
/// Errors of the threads, and limits on states, moves and event sets. Too many states of one thread give an error that
/// names the variable with the most values. The cost is `O(states * events)` calls of the thread, where states are
/// local, or joint if a thread fails by itself. The limits are about time, so they do not grow with the memory. If all
/// is too large, a part may be enough ([`Partly`]).
pub fn elaborate<'s, B: Behavior>(
    threads: &[Named<B>],
    source: Text<'s>,
    meter: &mut Meter<'s>,
    rounds: &[Bounds],
    partly: Partly,
) -> Res<Elaborated<B::Event>> {
    let mut attempts = Attempts { threads, source, spare: meter.clone(), meter, partly, first: None };
    let (mut is_narrow, mut part) = (false, None);
    for (round, bounds) in rounds.iter().enumerate() {
        let is_last = round + 1 == rounds.len();
        for together in [is_narrow, !is_narrow] {
            let found = match together {
                false => attempts.alone(*bounds, round < WITH_NEIGHBOURS)?,
                true => attempts.together(*bounds, is_last, &mut is_narrow)?,
            };
            match found {
                // A part is the answer if the threads by themselves are too large, too.
                Some(found) if found.unread.as_ref().is_some_and(|u| !partly.at_goal || u.met.is_empty()) => {
                    part = Some(found)
                }
                Some(found) => return Ok(found),
                None => {}
            }
        }
    }
    // The part of the largest round may be too large to be written down.
    let smaller = rounds.iter().rev().skip(1).filter(|_| partly.at_limit);
    for bounds in smaller {
        part = part.map_or_else(|| attempts.together(*bounds, true, &mut is_narrow), |part| Ok(Some(part)))?;
    }
    // The last error of a thread by itself names the cause.
    part.ok_or_else(|| attempts.first.unwrap_or_else(|| unreachable!("each round tries each thread by itself")))
}

/// What all attempts of [`elaborate()`] share.
struct Attempts<'a, 's, B: Behavior> {
    threads: &'a [Named<B>],
    source: Text<'s>,
    /// The meter before all attempts, and the one that each attempt begins anew.
    spare: Meter<'s>,
    meter: &'a mut Meter<'s>,
    partly: Partly,
    /// The last error of a thread by itself.
    first: Option<Box<Error>>,
}

impl<B: Behavior> Attempts<'_, '_, B> {
    /// Explores each thread by itself, and as often as a thread gets another neighbour again. Returns nothing if the
    /// bounds do not suffice.
    fn alone(&mut self, bounds: Bounds, with_neighbours: bool) -> Res<Option<Elaborated<B::Event>>> {
        let mut neighbours = Neighbours::new();
        while self.first.as_ref().is_none_or(|error| is_limit(error)) {
            *self.meter = self.spare.clone();
            let before = neighbours.clone();
            let mut alone = |explored: &mut [Explored<'_, B>], session: &mut Session<'_, '_, B::Event>| {
                each_alone(explored, &mut neighbours, session).map(|()| None)
            };
            match explore(self.threads, self.source, self.meter, bounds, &mut alone) {
                Ok(found) => return Ok(Some(found)),
                Err(error) if before.is_empty() => self.first = Some(error),
                Err(error) if is_limit(&error) => {}
                Err(error) => self.first = Some(error),
            }
            if neighbours == before || !with_neighbours {
                break;
            }
        }
        Ok(None)
    }

    /// Explores all threads together. Returns nothing if the bounds do not suffice, and no part is wanted. Sets
    /// `is_narrow` if a thread had too many states before there were too many joint states: then the threads together
    /// have about as many states as this thread, and fewer than it has by itself.
    fn together(&mut self, bounds: Bounds, is_last: bool, is_narrow: &mut bool) -> Res<Option<Elaborated<B::Event>>> {
        *self.meter = self.spare.clone();
        let partly = self.partly;
        let mut together = |explored: &mut [Explored<'_, B>], session: &mut Session<'_, '_, B::Event>| {
            let part = joint::search(explored, session)?;
            *is_narrow = part.as_ref().is_some_and(|part| part.is_narrow);
            let is_enough = |part: &Part| (partly.at_goal && !part.met.is_empty()) || (partly.at_limit && is_last);
            match part {
                Some(part) if !is_enough(&part) => Err(part.why),
                part => Ok(part),
            }
        };
        match explore(self.threads, self.source, self.meter, bounds, &mut together) {
            Err(error) if is_limit(&error) => Ok(None),
            result => {
                let mut found = result?;
                found.may_be_bad = true;
                if let (Some(unread), Some(error)) = (&mut found.unread, &self.first) {
                    unread.why = error.message().to_owned();
                }
                Ok(Some(found))
            }
        }
    }
}

/// Makes explicit threads from threads with data, each by itself.
///
/// # Errors
/// As [`elaborate()`].
pub fn elaborate_alone<'s, B: Behavior>(
    threads: &[Named<B>],
    source: Text<'s>,
    meter: &mut Meter<'s>,
    bounds: Bounds,
) -> Res<Elaborated<B::Event>> {
    let mut alone = |explored: &mut [Explored<'_, B>], session: &mut Session<'_, '_, B::Event>| {
        each_alone(explored, &mut Neighbours::new(), session).map(|()| None)
    };
    explore(threads, source, meter, bounds, &mut alone)
}

/// A way to explore all threads from their initial states.
type Way<'w, 'b, 's, 'm, B> =
    dyn FnMut(&mut [Explored<'b, B>], &mut Session<'s, 'm, <B as Behavior>::Event>) -> Res<Option<Part>> + 'w;

/// Explores the threads, and makes explicit threads of what was found.
fn explore<'b, 's, 'm, B: Behavior>(
    threads: &'b [Named<B>],
    source: Text<'s>,
    meter: &'m mut Meter<'s>,
    bounds: Bounds,
    way: &mut Way<'_, 'b, 's, 'm, B>,
) -> Res<Elaborated<B::Event>> {
    let mut session = Session::new(source, meter, bounds);
    let mut explored = Vec::with_capacity(threads.len());
    for thread in threads {
        session.meter.thread(thread.span)?;
        explored.push(Explored::begin(thread, &mut session)?);
    }
    let part = way(&mut explored, &mut session)?;
    finish(explored, session, part)
}

/// Explores each thread by itself, or with its neighbours if it has some. If a thread has too many states, it gets
/// another neighbour for the next attempt.
fn each_alone<B: Behavior>(
    explored: &mut [Explored<'_, B>],
    neighbours: &mut Neighbours,
    session: &mut Session<'_, '_, B::Event>,
) -> Res<()> {
    let mut watches: Vec<Watch<B::Event>> = explored.iter().map(|_| Watch::default()).collect();
    let mut grown: BTreeMap<usize, Grown> = neighbours.keys().map(|thread| (*thread, Grown::default())).collect();
    // A pass handles all states of a thread for the events known so far. New events begin another pass.
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        // A search with neighbours takes what is not known of them for nothing that happens, so they come first.
        let plain = (0..explored.len()).filter(|thread| !neighbours.contains_key(thread));
        let order: Vec<usize> = plain.chain(neighbours.keys().copied()).collect();
        for thread in order {
            let passed = match grown.get_mut(&thread) {
                None => pass(&mut explored[thread], &mut watches[thread], session),
                Some(_) if !is_stable => continue,
                Some(grown) => grown.search((thread, &neighbours[&thread]), explored, session),
            };
            match passed {
                Ok(found) => is_stable &= !found,
                Err(error) => {
                    let plain = (0..explored.len()).filter(|thread| !neighbours.contains_key(thread));
                    let largest = plain.max_by_key(|thread| (explored[*thread].states.len(), usize::MAX - thread));
                    let thread = if neighbours.contains_key(&thread) { Some(thread) } else { largest };
                    if let (Some(thread), true, true) = (thread, is_limit(&error), neighbours.len() < MOST_GROWN) {
                        give(neighbours, thread, explored, session);
                    }
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

/// Handles every state for all events known so far that matter there. Returns true if anything was new.
fn pass<B: Behavior>(
    thread: &mut Explored<'_, B>,
    watch: &mut Watch<B::Event>,
    session: &mut Session<'_, '_, B::Event>,
) -> Res<bool> {
    let (mut found, mut from) = (false, 0);
    loop {
        watch.tell::<B>(session);
        while watch.states() < thread.states.len() {
            let at = watch.states();
            let is_bad = matches!(thread.points[at].kind, Kind::Bad | Kind::Fault);
            watch.add((!is_bad).then_some((&thread.thread.behavior, &thread.states[at])), session);
        }
        let Some(at) = watch.state(from) else { return Ok(found) };
        from = at;
        while let Some(event) = watch.next(at) {
            found = true;
            thread.handle(at, event, session)?;
            watch.tell::<B>(session);
        }
    }
}
