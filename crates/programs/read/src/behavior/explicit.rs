//! Explicit threads of what was explored: the events in their order, and a list of local states for each thread.
//!
//! Of a part of the program, an event leads to one more state of the thread where its effect is not known. That state
//! stands for all that is unread ([`model::unread`]). Whether the thread blocks the event is always known, so each run
//! to such a state is one of the threads, too.

use super::explored::{Explored, Res, Session};
use super::joint::{Known, KnownOfThread, Part};
use super::{Behavior, Kind, Mention, Origin, Point, Shown};
use formats::error::Span;
use model::{EventId, EventSet, Lines, LocalId, LocalState, Thread, Unread};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The name of the states that stand for what is unread, and of their event.
pub const UNREAD: &str = "(unread)";

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
    /// For each thread: the states of several threads of the text, none of which blocks all events alone.
    pub joint: Vec<Vec<LocalId>>,
    /// For each thread and state: the priority of its requests.
    pub priorities: Vec<Vec<i64>>,
    /// For each thread: the lines of its states, and the values of its variables there.
    pub lines: Vec<Lines>,
    /// For each thread and state: the values that questions name.
    pub(crate) kept: Vec<Vec<Vec<i64>>>,
    /// True if some state is a [`Kind::Fault`].
    pub(crate) has_faults: bool,
    /// True if a thread by itself may get to a bad state. Threads that were explored together have only the states that
    /// runs visit, so a thread by itself may get to others.
    pub may_be_bad: bool,
    /// What was not explored. Its event comes after the others.
    pub unread: Option<Unread>,
}

/// Sorts the events and builds the threads.
pub(super) fn finish<B: Behavior>(
    explored: Vec<Explored<'_, B>>,
    mut session: Session<'_, '_, B::Event>,
    part: Option<Part>,
) -> Res<Elaborated<B::Event>> {
    let mut order: Vec<usize> = (0..session.list.len()).collect();
    order.sort_by(|a, b| session.list[*a].cmp(&session.list[*b]));
    let mut ids = vec![EventId::new(0); session.list.len()];
    order.iter().enumerate().for_each(|(new, old)| ids[*old] = EventId::new(new));
    let mut result = Elaborated {
        events: Vec::new(),
        threads: Vec::new(),
        finals: Vec::new(),
        hot: Vec::new(),
        joint: Vec::new(),
        priorities: Vec::new(),
        lines: Vec::new(),
        kept: Vec::new(),
        has_faults: false,
        may_be_bad: false,
        unread: None,
    };
    let line = session.source.line_finder();
    let mut known = Vec::new();
    if let Some(Part { known: all, why, met, .. }) = part {
        known = all;
        result.unread = Some(Unread { event: EventId::new(ids.len()), why: why.message().to_owned(), met });
    }
    known.resize(explored.len(), HashMap::new());
    for (thread, known) in explored.into_iter().zip(&known) {
        let unread = result.unread.as_ref().map(|unread| (unread.event, known));
        let states = states(&thread, unread, &ids, &mut session)?;
        add(&mut result, thread, states, &line);
    }
    let mut events: Vec<Option<B::Event>> = session.list.into_iter().map(Some).collect();
    result.events = order.into_iter().filter_map(|old| events[old].take()).collect();
    Ok(result)
}

/// Makes the local states of a thread.
fn states<B: Behavior>(
    thread: &Explored<'_, B>,
    unread: Option<(EventId, &KnownOfThread)>,
    ids: &[EventId],
    session: &mut Session<'_, '_, B::Event>,
) -> Res<Vec<LocalState>> {
    let points = &thread.points;
    let universe = ids.len() + usize::from(unread.is_some());
    let beyond = LocalId::new(points.len());
    let has_names = points.iter().any(|point| point.name.is_some());
    let mut names = HashSet::with_capacity(points.len());
    let mut states = Vec::with_capacity(points.len());
    let mut is_whole = true;
    for (s, (point, (blocked, moves))) in points.iter().zip(thread.blocked.iter().zip(&thread.moves)).enumerate() {
        let mut name = name(point, s, has_names);
        while !names.insert(name.clone()) {
            name.push('\'');
        }
        if matches!(point.kind, Kind::Bad | Kind::Fault) {
            states.push(LocalState::bad(name, universe));
            continue;
        }
        let request = EventSet::from_events(universe, point.requests.iter().map(|event| ids[session.numbers[event]]));
        let mut on: BTreeMap<EventId, Vec<LocalId>> = moves.iter().map(|(e, to)| (ids[*e], to.clone())).collect();
        let mut blocked: Vec<EventId> = blocked.iter().map(|e| ids[*e]).collect();
        if let Some((_, known)) = unread {
            let unknown = unknown(thread, s, known, session);
            session.handled(unknown.len())?;
            for event in unknown {
                if thread.thread.behavior.blocks(&thread.states[s], &session.list[event])? {
                    blocked.push(ids[event]);
                } else {
                    on.insert(ids[event], vec![beyond]);
                    is_whole = false;
                }
            }
            session.meter.moves(on.len(), point.span)?;
        }
        let block = EventSet::from_events(universe, blocked);
        session.meter.kept(&request, point.span)?;
        session.meter.kept(&block, point.span)?;
        states.push(LocalState { name, request, block, bad: false, on });
    }
    if let (Some((event, _)), false) = (unread, is_whole) {
        states.push(LocalState {
            name: UNREAD.to_owned(),
            request: EventSet::from_events(universe, [event]),
            block: EventSet::from_events(universe, ids.iter().copied()),
            bad: false,
            on: BTreeMap::from([(event, vec![beyond])]),
        });
    }
    Ok(states)
}

/// Returns the events of which it is not known what they do in a local state that is not bad.
fn unknown<B: Behavior>(
    thread: &Explored<'_, B>,
    at: usize,
    known: &KnownOfThread,
    session: &Session<'_, '_, B::Event>,
) -> BTreeSet<usize> {
    let mut open = BTreeSet::new();
    thread.thread.behavior.mentions(&thread.states[at], &mut |mention| match mention {
        Mention::All => open.extend(0..session.list.len()),
        Mention::Family(family) => open.extend(session.families.get(&family).into_iter().flatten()),
        Mention::One(event) => open.extend(session.numbers.get(&event)),
    });
    open.retain(|event| matches!(known.get(&(at, *event)), None | Some(Known::Free)));
    open
}

/// Adds a thread with these local states, and what belongs to them.
fn add<B: Behavior>(
    result: &mut Elaborated<B::Event>,
    thread: Explored<'_, B>,
    states: Vec<LocalState>,
    line: &dyn Fn(&Span) -> u32,
) {
    let points = &thread.points;
    // The first states show what later ones leave out.
    let is_first = |s: usize| thread.initial.binary_search(&LocalId::new(s)).is_ok();
    let (constant, none) = (constant(points), BTreeSet::new());
    let of_kind = |is: &dyn Fn(&Point<B::Event>) -> bool| -> Vec<LocalId> {
        (0..points.len()).filter(|s| is(&points[*s])).map(LocalId::new).collect()
    };
    result.finals.push(of_kind(&|point| point.kind == Kind::Final));
    result.hot.push(of_kind(&|point| point.is_hot));
    let is_joint = |s: &usize| thread.thread.behavior.blocks_jointly(&thread.states[*s]);
    result.joint.push((0..thread.states.len()).filter(is_joint).map(LocalId::new).collect());
    result.may_be_bad |= points.iter().any(|point| matches!(point.kind, Kind::Bad | Kind::Fault));
    result.has_faults |= points.iter().any(|point| point.kind == Kind::Fault);
    let mut priorities: Vec<i64> = points.iter().map(|point| point.priority).collect();
    let mut kept: Vec<Vec<i64>> = points.iter().map(|point| point.kept.clone()).collect();
    let place = |p: &Point<B::Event>| p.origin.as_ref().map_or_else(|| line(&p.span), |o| o.line);
    let mut lines = Lines {
        is_body: !points.iter().any(|point| point.name.is_some()),
        lines: points.iter().map(place).collect(),
        files: files(points),
        syncs: points.iter().map(|point| point.is_sync).collect(),
        values: (0..points.len()).map(|s| shown(&points[s], if is_first(s) { &none } else { &constant })).collect(),
    };
    if states.len() > priorities.len() {
        priorities.push(0);
        kept.push(kept[0].clone());
        lines.lines.push(line(&thread.thread.span));
        lines.files.extend(lines.files.first().cloned());
        lines.syncs.push(true);
        lines.values.push("not explored".to_owned());
    }
    result.priorities.push(priorities);
    result.kept.push(kept);
    result.lines.push(lines);
    result.threads.push(Thread { name: thread.thread.name.clone(), states, initial: thread.initial });
}

/// Returns the name of the state with this number.
fn name<E>(point: &Point<E>, number: usize, has_names: bool) -> String {
    match &point.name {
        Some(name) if point.shown.is_empty() => name.clone(),
        Some(name) => format!("{name}[{}]", joined(&point.shown, &BTreeSet::new())),
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
fn shown<E>(point: &Point<E>, constant: &BTreeSet<&str>) -> String {
    match &point.origin {
        Some(Origin { note, .. }) if !note.is_empty() => note.clone(),
        _ => joined(&point.shown, constant),
    }
}

fn joined(shown: &[Shown], without: &BTreeSet<&str>) -> String {
    let texts = shown.iter().filter(|shown| !without.contains(shown.what.as_str())).map(|shown| shown.text.as_str());
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns what has one text in several states of a thread and no other one, such as the parameters that tell it from
/// other threads.
fn constant<E>(points: &[Point<E>]) -> BTreeSet<&str> {
    let mut texts: HashMap<&str, (&str, usize)> = HashMap::new();
    let mut changes: HashSet<&str> = HashSet::new();
    for shown in points.iter().flat_map(|point| &point.shown) {
        let (first, count) = texts.entry(&shown.what).or_insert((&shown.text, 0));
        *count += 1;
        if *first != shown.text {
            changes.insert(&shown.what);
        }
    }
    let is_constant = |what: &str, count: usize| count > 1 && !what.is_empty() && !changes.contains(what);
    texts.into_iter().filter(|(what, (_, count))| is_constant(what, *count)).map(|(what, _)| what).collect()
}
