//! The structure of a model, for its picture: the threads of a program as graphs, or the places, transitions and arcs
//! of a net. The graph of each thread is an answer of its own, because a program may have thousands of them.

use super::layout::Spot;
use impasse::model::data::{DataProgram, Decision};
use impasse::model::{
    Act, DecisionId, EventId, LocalId, Marked, Net, PlaceId, Program, SystemModel, ThreadId, ThreadTransitionSystem,
    TransitionId,
};
use impasse::{positions, steps};
use num_traits::Zero;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use view::draw::source::classes::{Family, event, families};

/// How a model is drawn.
#[derive(Serialize)]
#[serde(tag = "drawn_as", rename_all = "snake_case")]
pub(crate) enum Shape {
    /// One graph for each of these threads; the numbers of a state are their current nodes.
    Threads { threads: Vec<ThreadHead> },
    /// One graph of places and transitions.
    Net { has_layout: bool },
    /// A table of values.
    Table,
}

#[derive(Serialize)]
pub(crate) struct ThreadHead {
    name: String,
    states: usize,
}

/// The graph of a thread.
#[derive(Serialize)]
pub(crate) struct ThreadGraph {
    name: String,
    states: Vec<LocalView>,
    moves: Vec<MoveView>,
}

#[derive(Serialize, Default)]
struct LocalView {
    name: String,
    /// The name, or where the state is in the text.
    text: String,
    /// The line in the text, from 1; 0 if it is not known.
    line: u32,
    /// The part of a state that says how many threads are here, if they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    initial: bool,
    bad: bool,
    #[serde(rename = "final")]
    is_final: bool,
    hot: bool,
    priority: i64,
    request: Vec<String>,
    block: Vec<String>,
}

/// The moves from one state to another one.
#[derive(Serialize)]
struct MoveView {
    from: usize,
    to: usize,
    events: Vec<String>,
    /// The labels of these events.
    labels: Vec<u32>,
    /// True if the state requests one of the events.
    requested: bool,
}

/// The graph of a net.
#[derive(Serialize)]
pub(crate) struct NetView {
    places: Vec<NodeSpot>,
    transitions: Vec<TransitionView>,
}

#[derive(Serialize)]
struct NodeSpot {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Spot>,
}

#[derive(Serialize)]
struct TransitionView {
    #[serde(flatten)]
    node: NodeSpot,
    arcs: Vec<ArcView>,
}

#[derive(Serialize)]
struct ArcView {
    place: usize,
    kind: ArcKind,
    #[serde(skip_serializing_if = "String::is_empty")]
    weight: String,
}

#[derive(Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum ArcKind {
    In,
    Out,
    Test,
    Inhibit,
    Reset,
    Transfer,
}

impl Shape {
    pub(crate) fn of(system: &SystemModel, spots: &HashMap<String, Spot>) -> Self {
        match system {
            SystemModel::Rwb(program) => {
                let head = |thread: &impasse::model::Thread| ThreadHead {
                    name: thread.name.clone(),
                    states: thread.states.len(),
                };
                Self::Threads { threads: program.threads().iter().map(head).collect() }
            }
            SystemModel::Data(program) => {
                let threads = program.threads().iter();
                let heads = threads.map(|t| ThreadHead { name: t.name.clone(), states: t.locations.len() });
                Self::Threads { threads: heads.collect() }
            }
            SystemModel::Net(net) if let Some(families) = families(net).filter(|_| spots.is_empty()) => {
                let head = |family: &Family| ThreadHead { name: family.name.clone(), states: family.places.len() };
                Self::Threads { threads: families.iter().map(head).collect() }
            }
            SystemModel::Net(_) | SystemModel::Threads(_) => Self::Net { has_layout: !spots.is_empty() },
            SystemModel::Circuit(_) | SystemModel::Reactive(_) | SystemModel::Own(_) => Self::Table,
        }
    }
}

/// Returns the graph of a thread; `None` if there is no such thread.
pub(crate) fn thread(system: &SystemModel, number: usize) -> Option<ThreadGraph> {
    match system {
        SystemModel::Rwb(program) if number < program.threads().len() => Some(of_program(program, number)),
        SystemModel::Data(program) if number < program.threads().len() => Some(of_data(program, number)),
        SystemModel::Net(net) => families(net)?.get(number).map(|family| of_family(net, family)),
        _ => None,
    }
}

/// Returns the graph of threads that are counted.
fn of_family(net: &Net, family: &Family) -> ThreadGraph {
    let local = |(at, place): (usize, &usize)| {
        let place = PlaceId::new(*place);
        LocalView {
            name: family.state(net, at),
            text: family.state(net, at),
            place: Some(net.shown_place(place).to_owned()),
            initial: !net.place(place).initial.at_least.is_zero(),
            ..LocalView::default()
        }
    };
    let view = |((from, to), transitions): ((usize, usize), Vec<TransitionId>)| {
        let shown = &transitions[..transitions.len().min(NAMES)];
        let mut events: Vec<String> = shown.iter().map(|t| event(net, *t).to_owned()).collect();
        events.dedup();
        MoveView { from, to, events, labels: shown.iter().map(|t| t.0).collect(), requested: true }
    };
    ThreadGraph {
        name: family.name.clone(),
        states: family.places.iter().enumerate().map(local).collect(),
        moves: family.moves(net).into_iter().map(view).collect(),
    }
}

fn of_program(program: &Program, number: usize) -> ThreadGraph {
    let (id, thread) = (ThreadId::new(number), program.thread(ThreadId::new(number)));
    let names = |events: &impasse::model::EventSet| {
        events.iter().take(NAMES).map(|e| program.event_name(e).to_owned()).collect()
    };
    let local = |(i, state): (usize, &impasse::model::LocalState)| {
        let s = LocalId::new(i);
        LocalView {
            name: state.name.clone(),
            text: positions::act(program, id, s),
            line: program.position(id, s).filter(|p| p.file.is_none()).map_or(0, |p| p.line),
            place: None,
            initial: thread.initial.contains(&s),
            bad: state.bad,
            is_final: program.is_final(id, s),
            hot: program.is_hot(id, s),
            priority: program.priority(id, s),
            request: names(&state.request),
            block: if state.bad { Vec::new() } else { names(&state.block) },
        }
    };
    let mut moves: BTreeMap<(usize, usize), (Vec<EventId>, bool)> = BTreeMap::new();
    for (from, state) in thread.states.iter().enumerate() {
        for (event, targets) in &state.on {
            for to in targets {
                let known = moves.entry((from, to.index())).or_default();
                known.0.push(*event);
                known.1 |= state.request.contains(*event);
            }
        }
    }
    let name = |event: &EventId| program.event_name(*event).to_owned();
    ThreadGraph {
        name: thread.name.clone(),
        states: thread.states.iter().enumerate().map(local).collect(),
        moves: moves.into_iter().map(|(ends, (events, requested))| between(ends, &events, requested, name)).collect(),
    }
}

/// Maximum number of events that a state or a move lists.
const NAMES: usize = 200;

fn between(
    (from, to): (usize, usize),
    events: &[EventId],
    requested: bool,
    name: impl Fn(&EventId) -> String,
) -> MoveView {
    let shown = &events[..events.len().min(NAMES)];
    MoveView {
        from,
        to,
        events: shown.iter().map(name).collect(),
        labels: shown.iter().map(|e| e.0).collect(),
        requested,
    }
}

fn of_data(program: &DataProgram, number: usize) -> ThreadGraph {
    use impasse::model::data::LocationKind;
    let thread = &program.threads()[number];
    let starts = ends(&thread.decisions, thread.initial);
    let local = |(i, location): (usize, &impasse::model::data::Location)| LocalView {
        name: location.name.clone(),
        text: steps::location(location),
        line: location.line,
        initial: starts.iter().any(|(to, _)| *to == Some(i)),
        bad: location.kind == LocationKind::Bad,
        is_final: location.kind == LocationKind::Final,
        ..LocalView::default()
    };
    let mut moves: BTreeMap<(usize, usize), (Vec<EventId>, bool)> = BTreeMap::new();
    for (from, location) in thread.locations.iter().enumerate() {
        for (event, decision) in &location.on {
            for (to, requests) in ends(&thread.decisions, *decision) {
                let known = moves.entry((from, to.unwrap_or(from))).or_default();
                if !known.0.contains(event) {
                    known.0.push(*event);
                }
                known.1 |= requests;
            }
        }
    }
    let name = |event: &EventId| program.events()[event.index()].family();
    ThreadGraph {
        name: thread.name.clone(),
        states: thread.locations.iter().enumerate().map(local).collect(),
        moves: moves.into_iter().map(|(ends, (events, requested))| between(ends, &events, requested, name)).collect(),
    }
}

/// Returns the ends of a decision that do not block: each with the next location, and true if it requests the event.
fn ends(decisions: &[Decision], from: DecisionId) -> Vec<(Option<usize>, bool)> {
    let (mut open, mut seen, mut found) = (vec![from], vec![false; decisions.len()], Vec::new());
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at.index()], true) {
            continue;
        }
        match &decisions[at.index()] {
            Decision::Test { yes, no, .. } => open.extend([*yes, *no]),
            Decision::Divide { then, .. } | Decision::Any { then, .. } => open.push(*then),
            Decision::Choose(ways) => open.extend(ways),
            Decision::End(outcome) if !outcome.blocks => {
                found.push((outcome.go.as_ref().map(|(to, _)| to.index()), outcome.requests));
            }
            Decision::End(_) => {}
        }
    }
    found
}

/// Returns the graph of a net or thread-transition system.
pub(crate) fn net(system: &SystemModel, spots: &HashMap<String, Spot>) -> Option<NetView> {
    Some(match system.as_marked()? {
        Marked::Net(net) => of_net(net, spots),
        Marked::Threads(threads) => of_threads(threads),
    })
}

fn of_net(net: &Net, spots: &HashMap<String, Spot>) -> NetView {
    let spot = |id: &str, name: &str| NodeSpot { name: name.to_owned(), at: spots.get(id).copied() };
    let place = |(i, place): (usize, &impasse::model::Place)| {
        spot(&place.name, net.shown_place(impasse::model::PlaceId::new(i)))
    };
    let transition = |(i, t): (usize, &impasse::model::Transition)| TransitionView {
        node: spot(&t.name, net.shown_transition(impasse::model::TransitionId::new(i))),
        arcs: arcs(t),
    };
    NetView {
        places: net.places().iter().enumerate().map(place).collect(),
        transitions: net.transitions().iter().enumerate().map(transition).collect(),
    }
}

fn arcs(transition: &impasse::model::Transition) -> Vec<ArcView> {
    use num_bigint::{BigInt, BigUint};
    let mut arcs = Vec::new();
    let weight = |n: &BigUint| if *n == BigUint::from(1u32) { String::new() } else { n.to_string() };
    for effect in &transition.effects {
        let (place, zero) = (effect.place.index(), BigInt::ZERO);
        match effect.delta() {
            Some(delta) if *delta < zero => {
                arcs.push(ArcView { place, kind: ArcKind::In, weight: weight(delta.magnitude()) });
            }
            Some(delta) if *delta > zero => {
                arcs.push(ArcView { place, kind: ArcKind::Out, weight: weight(delta.magnitude()) });
            }
            Some(_) => {}
            None if effect.sources.is_empty() => {
                arcs.push(ArcView { place, kind: ArcKind::Reset, weight: String::new() })
            }
            None => arcs.push(ArcView { place, kind: ArcKind::Transfer, weight: String::new() }),
        }
    }
    for guard in &transition.guards {
        let place = guard.place.index();
        let taken = transition.effect(guard.place).and_then(|e| e.delta()).filter(|delta| **delta < BigInt::ZERO);
        let taken = taken.map_or(BigUint::ZERO, |delta| delta.magnitude().clone());
        if guard.range.at_least > taken {
            arcs.push(ArcView { place, kind: ArcKind::Test, weight: weight(&guard.range.at_least) });
        }
        if let Some(most) = &guard.range.at_most {
            arcs.push(ArcView { place, kind: ArcKind::Inhibit, weight: weight(&(most + 1u32)) });
        }
    }
    arcs
}

fn of_threads(threads: &ThreadTransitionSystem) -> NetView {
    let shared = threads.shared() as usize;
    let name = |p: usize| if p < shared { format!("shared {p}") } else { format!("local {}", p - shared) };
    let places = (0..threads.places()).map(|p| NodeSpot { name: name(p), at: None }).collect();
    let stepper = steps::marking::Stepper::Threads(threads);
    let transition = |(i, t): (usize, &impasse::model::ThreadTransition)| {
        let plain = |place: usize, kind| ArcView { place, kind, weight: String::new() };
        let local = |l: LocalId| threads.local_place(l).index();
        let mut arcs = vec![
            plain(threads.shared_place(t.from.0).index(), ArcKind::In),
            plain(threads.shared_place(t.to.0).index(), ArcKind::Out),
            plain(local(t.from.1), if t.act == Act::Spawn { ArcKind::Test } else { ArcKind::In }),
            plain(local(t.to.1), if t.act == Act::Transfer { ArcKind::Transfer } else { ArcKind::Out }),
        ];
        let targets = t.passive.values().flatten().map(|to| plain(local(*to), ArcKind::Transfer));
        arcs.extend(targets);
        let node = NodeSpot { name: stepper.transition_name(impasse::model::TransitionId::new(i)), at: None };
        TransitionView { node, arcs }
    };
    NetView { places, transitions: threads.transitions().iter().enumerate().map(transition).collect() }
}
