//! Makes explicit threads from threads with data (see the head of the module `behavior`): each thread by itself, and if
//! this fails, all threads together.

use super::explored::{Bounds, Explored, Named, Res, Session};
use super::watch::Watch;
use super::{Behavior, Kind, Origin, Point, joint};
use formats::error::{Error, Text};
use formats::meter::Meter;
use model::{EventId, EventSet, Lines, LocalId, LocalState, Thread};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The bounds of the rounds. Small rounds first: what has few joint states is found without the many states that a
/// thread may have by itself, and all rounds together cost little more than the last one.
pub const ROUNDS: [Bounds; 3] = [Bounds::new(11), Bounds::new(14), Bounds::new(17)];

/// The bounds for threads without variables: the text lists their states.
pub const GRAPHS: Bounds = Bounds::new(21);

/// Explicit threads over an alphabet.
pub struct Elaborated<E> {
    /// The events, in ascending order.
    pub events: Vec<E>,
    /// The threads, in order.
    pub threads: Vec<Thread>,
    /// For each thread: the states in which it may end, in ascending order.
    pub(crate) finals: Vec<Vec<LocalId>>,
    /// For each thread: its hot states, in ascending order.
    pub hot: Vec<Vec<LocalId>>,
    /// For each thread and state: the priority of its requests.
    pub(crate) priorities: Vec<Vec<i64>>,
    /// For each thread: the lines of its states, and the values of its variables there.
    pub lines: Vec<Lines>,
    /// For each thread and state: the values that questions name.
    pub(crate) kept: Vec<Vec<Vec<i64>>>,
    /// True if some state is a [`Kind::Fault`].
    pub(crate) has_faults: bool,
    /// True if a thread by itself may get to a bad state. Threads that were explored together have only the states that
    /// runs visit, so a thread by itself may get to others.
    pub may_be_bad: bool,
}

/// Makes explicit threads from threads with data, in these rounds; at least one.
///
/// # Errors
/// Errors of the threads, and limits on states, moves and event sets. Too many states of one thread give an error that
/// names the variable with the most values. The cost is `O(states * events)` calls of the thread, where states are
/// local, or joint if a thread fails by itself. The limits are about time, so they do not grow with the memory.
pub fn elaborate<'s, B: Behavior>(
    threads: &[Named<B>],
    source: Text<'s>,
    meter: &mut Meter<'s>,
    rounds: &[Bounds],
) -> Res<Elaborated<B::Event>> {
    let spare = meter.clone();
    let mut first: Option<Box<Error>> = None;
    for bounds in rounds {
        if first.as_ref().is_none_or(|error| is_limit(error)) {
            *meter = spare.clone();
            match explore(threads, source, meter, *bounds, &mut |explored, session| each_alone(explored, session)) {
                Ok(found) => return Ok(found),
                Err(error) => first = Some(error),
            }
        }
        *meter = spare.clone();
        match explore(threads, source, meter, *bounds, &mut |explored, session| joint::search(explored, session)) {
            Err(error) if is_limit(&error) => {}
            result => return result.map(|found| Elaborated { may_be_bad: true, ..found }),
        }
    }
    // The last error of a thread by itself names the cause.
    Err(first.unwrap_or_else(|| unreachable!("each round begins with each thread by itself")))
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
    explore(threads, source, meter, bounds, &mut |explored, session| each_alone(explored, session))
}

/// True if the error is about a limit.
pub fn is_limit(error: &Error) -> bool {
    error.code().starts_with("limit::")
}

/// A way to explore all threads from their initial states.
type Way<'w, 'b, 's, 'm, B> =
    dyn FnMut(&mut [Explored<'b, B>], &mut Session<'s, 'm, <B as Behavior>::Event>) -> Res<()> + 'w;

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
    way(&mut explored, &mut session)?;
    finish(explored, session)
}

/// Explores each thread by itself.
fn each_alone<B: Behavior>(explored: &mut [Explored<'_, B>], session: &mut Session<'_, '_, B::Event>) -> Res<()> {
    let mut watches: Vec<Watch<B::Event>> = explored.iter().map(|_| Watch::default()).collect();
    // A pass handles all states of a thread for the events known so far. New events begin another pass.
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for (thread, watch) in explored.iter_mut().zip(&mut watches) {
            is_stable &= !pass(thread, watch, session)?;
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

/// Sorts the events and builds the threads.
fn finish<B: Behavior>(
    explored: Vec<Explored<'_, B>>,
    session: Session<'_, '_, B::Event>,
) -> Res<Elaborated<B::Event>> {
    let Session { source, meter, list, numbers, .. } = session;
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by(|a, b| list[*a].cmp(&list[*b]));
    let mut ids = vec![EventId::new(0); list.len()];
    order.iter().enumerate().for_each(|(new, old)| ids[*old] = EventId::new(new));
    let line = source.line_finder();
    let mut result = Elaborated {
        events: Vec::new(),
        threads: Vec::new(),
        finals: Vec::new(),
        hot: Vec::new(),
        priorities: Vec::new(),
        lines: Vec::new(),
        kept: Vec::new(),
        has_faults: false,
        may_be_bad: false,
    };
    for thread in explored {
        let points = &thread.points;
        let of_kind = |is: &dyn Fn(&Point<B::Event>) -> bool| -> Vec<LocalId> {
            (0..points.len()).filter(|s| is(&points[*s])).map(LocalId::new).collect()
        };
        result.finals.push(of_kind(&|point| point.kind == Kind::Final));
        result.hot.push(of_kind(&|point| point.is_hot));
        result.priorities.push(points.iter().map(|point| point.priority).collect());
        result.may_be_bad |= points.iter().any(|point| matches!(point.kind, Kind::Bad | Kind::Fault));
        result.has_faults |= points.iter().any(|point| point.kind == Kind::Fault);
        result.kept.push(points.iter().map(|point| point.kept.clone()).collect());
        let has_names = points.iter().any(|point| point.name.is_some());
        let mut names = HashSet::with_capacity(points.len());
        let mut states = Vec::with_capacity(points.len());
        let parts = points.iter().zip(thread.blocked).zip(thread.moves);
        for (s, ((point, blocked), moves)) in parts.enumerate() {
            let mut name = name(point, s, has_names);
            while !names.insert(name.clone()) {
                name.push('\'');
            }
            if matches!(point.kind, Kind::Bad | Kind::Fault) {
                states.push(LocalState::bad(name, list.len()));
                continue;
            }
            let request = EventSet::from_events(list.len(), point.requests.iter().map(|event| ids[numbers[event]]));
            let block = EventSet::from_events(list.len(), blocked.into_iter().map(|e| ids[e]));
            meter.kept(&request, point.span)?;
            meter.kept(&block, point.span)?;
            let on: BTreeMap<EventId, Vec<LocalId>> = moves.into_iter().map(|(e, to)| (ids[e], to)).collect();
            states.push(LocalState { name, request, block, bad: false, on });
        }
        result.lines.push(Lines {
            is_body: !has_names,
            lines: points.iter().map(|p| p.origin.as_ref().map_or_else(|| line(&p.span), |o| o.line)).collect(),
            files: files(points),
            syncs: points.iter().map(|point| point.is_sync).collect(),
            values: thread.points.into_iter().map(shown).collect(),
        });
        result.threads.push(Thread { name: thread.thread.name.clone(), states, initial: thread.initial });
    }
    let mut events: Vec<Option<B::Event>> = list.into_iter().map(Some).collect();
    result.events = order.into_iter().filter_map(|old| events[old].take()).collect();
    Ok(result)
}

/// Returns the name of the state with this number.
fn name<E>(point: &Point<E>, number: usize, has_names: bool) -> String {
    match &point.name {
        Some(name) if point.values.is_empty() => name.clone(),
        Some(name) => format!("{name}[{}]", point.values),
        // Names of the text contain no parenthesis at the beginning.
        None if has_names => format!("(fault {number})"),
        None => format!("L{number}"),
    }
}

/// Returns the file of each state; nothing if all come from the text that was read.
fn files<E>(points: &[Point<E>]) -> Vec<Arc<str>> {
    let file = |point: &Point<E>| point.origin.as_ref().map_or_else(Arc::default, |origin| Arc::clone(&origin.file));
    let files: Vec<Arc<str>> = points.iter().map(file).collect();
    if files.iter().all(|file| file.is_empty()) { Vec::new() } else { files }
}

/// Returns what reports show of a state beside its name.
fn shown<E>(point: Point<E>) -> String {
    match point.origin {
        Some(Origin { note, .. }) if !note.is_empty() => note,
        _ => point.values,
    }
}
