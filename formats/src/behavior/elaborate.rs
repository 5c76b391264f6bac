//! Explores threads with data, each by itself, together with the alphabet (see the head of the module `behavior`).

use super::{Behavior, Kind, Point};
use crate::codes;
use crate::error::{Error, Span, Text, printable};
use crate::meter::Meter;
use model::{EventId, EventSet, Lines, LocalId, LocalState, Thread};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

type Res<T> = Result<T, Box<Error>>;

/// The largest number of states of all threads, and of pairs of a state and an event that are looked at. These limits
/// are about time, so they do not grow with the memory.
const MOST_STATES: usize = 1 << 19;
const MOST_PAIRS: usize = 1 << 25;

/// A thread with its name and the place of its declaration.
pub(crate) struct Named<B> {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) behavior: B,
}

/// Explicit threads over an alphabet.
pub(crate) struct Elaborated<E> {
    /// The events, in ascending order.
    pub(crate) events: Vec<E>,
    pub(crate) threads: Vec<Thread>,
    /// For each thread: the states in which it may end, in ascending order.
    pub(crate) finals: Vec<Vec<LocalId>>,
    /// For each thread: its hot states, in ascending order.
    pub(crate) hot: Vec<Vec<LocalId>>,
    /// For each thread: the lines of its states, and the values of its variables there.
    pub(crate) lines: Vec<Lines>,
    /// True if some state is a [`Kind::Fault`].
    pub(crate) has_faults: bool,
}

/// What all threads share during the exploration: the events found so far, and the limits.
struct Session<'s, 'm, E> {
    source: Text<'s>,
    meter: &'s mut Meter<'m>,
    /// The events in the order of discovery.
    list: Vec<E>,
    numbers: HashMap<E, usize>,
    /// The number of states of all threads, weighted, and of pairs of a state and an event.
    states: usize,
    pairs: usize,
}

/// A thread during the exploration.
struct Explored<'b, B: Behavior> {
    thread: &'b Named<B>,
    states: Vec<B::State>,
    numbers: HashMap<B::State, usize>,
    points: Vec<Point<B::Event>>,
    /// For each state: the number of events of the alphabet that were handled.
    handled: Vec<usize>,
    /// For each state: the blocked events, and the moves, by the number of the event in the order of discovery.
    blocked: Vec<Vec<usize>>,
    moves: Vec<Vec<(usize, Vec<LocalId>)>>,
    initial: Vec<LocalId>,
}

/// Makes explicit threads from threads with data.
///
/// # Errors
/// Errors of the threads, and limits on states, moves and event sets. Too many states of one thread give an error that
/// names the variable with the most values. The cost is `O(states * events)` calls of the thread.
pub(crate) fn elaborate<B: Behavior>(
    threads: &[Named<B>],
    source: Text<'_>,
    meter: &mut Meter<'_>,
) -> Res<Elaborated<B::Event>> {
    let mut session = Session { source, meter, list: Vec::new(), numbers: HashMap::new(), states: 0, pairs: 0 };
    let mut explored = Vec::with_capacity(threads.len());
    for thread in threads {
        session.meter.thread(thread.span)?;
        explored.push(Explored::begin(thread, &mut session)?);
    }
    // A pass handles all states of a thread for the events known so far. New events begin another pass.
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for thread in &mut explored {
            is_stable &= !thread.pass(&mut session)?;
        }
    }
    finish(explored, session)
}

impl<E: Clone + Ord + Hash> Session<'_, '_, E> {
    fn add(&mut self, event: &E, span: Span) -> Res<()> {
        if !self.numbers.contains_key(event) {
            self.numbers.insert(event.clone(), self.list.len());
            self.list.push(event.clone());
        }
        self.meter.events(self.list.len(), span)
    }
}

impl<'b, B: Behavior> Explored<'b, B> {
    fn begin(thread: &'b Named<B>, session: &mut Session<'_, '_, B::Event>) -> Res<Self> {
        let mut explored = Self {
            thread,
            states: Vec::new(),
            numbers: HashMap::new(),
            points: Vec::new(),
            handled: Vec::new(),
            blocked: Vec::new(),
            moves: Vec::new(),
            initial: Vec::new(),
        };
        let initial = thread.behavior.initial()?;
        debug_assert!(!initial.is_empty(), "a thread begins somewhere");
        explored.initial = explored.number_all(initial, session)?;
        Ok(explored)
    }

    /// Returns the numbers of states, ascending and distinct. New states are added.
    fn number_all(&mut self, states: Vec<B::State>, session: &mut Session<'_, '_, B::Event>) -> Res<Vec<LocalId>> {
        let mut ids = Vec::with_capacity(states.len());
        for state in states {
            ids.push(LocalId::new(self.number(state, session)?));
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    fn number(&mut self, state: B::State, session: &mut Session<'_, '_, B::Event>) -> Res<usize> {
        if let Some(number) = self.numbers.get(&state) {
            return Ok(*number);
        }
        let point = self.thread.behavior.point(&state)?;
        session.states += B::WEIGHT;
        let counted = session.meter.state(point.span);
        if session.states > MOST_STATES || counted.is_err() {
            return Err(self.too_many_states(session.source, point.span));
        }
        for event in &point.requests {
            session.add(event, point.span)?;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.points.push(point);
        self.handled.push(0);
        self.blocked.push(Vec::new());
        self.moves.push(Vec::new());
        Ok(number)
    }

    /// Makes the error that there are too many states. It names a variable of this thread, if it has some.
    fn too_many_states(&self, source: Text<'_>, span: Span) -> Box<Error> {
        let Some(blame) = self.thread.behavior.blame(&mut self.states.iter()) else {
            let error = source.error(&codes::LIMIT_STATES, span.range(), "the threads have too many states and events");
            return error.label("the limit is reached here");
        };
        let (name, thread) = (printable(&blame.name), printable(&self.thread.name));
        let message =
            format!("thread `{thread}` has too many states: `{name}` takes more than {} values", blame.values);
        source
            .error(&codes::LIMIT_VALUES, blame.span.range(), message)
            .label("many values")
            .hint(format!("give `{name}` a smaller range, or stop the thread from changing it without end"))
    }

    /// Handles every state for all events known so far. Returns true if anything was new.
    fn pass(&mut self, session: &mut Session<'_, '_, B::Event>) -> Res<bool> {
        let mut found = false;
        let mut at = 0;
        while at < self.states.len() {
            let is_bad = matches!(self.points[at].kind, Kind::Bad | Kind::Fault);
            while self.handled[at] < session.list.len() && !is_bad {
                found = true;
                let number = self.handled[at];
                session.pairs += 1;
                if session.pairs > MOST_PAIRS {
                    return Err(self.too_many_states(session.source, self.points[at].span));
                }
                self.handled[at] += 1;
                self.handle(at, number, session)?;
            }
            at += 1;
        }
        Ok(found)
    }

    /// Handles one state for one event.
    fn handle(&mut self, at: usize, number: usize, session: &mut Session<'_, '_, B::Event>) -> Res<()> {
        let event = session.list[number].clone();
        let behavior = &self.thread.behavior;
        if behavior.blocks(&self.states[at], &event)? {
            self.blocked[at].push(number);
            return Ok(());
        }
        if let Some(targets) = behavior.step(&self.states[at], &event)? {
            debug_assert!(!targets.is_empty(), "an event leads somewhere");
            session.meter.moves(targets.len(), self.points[at].span)?;
            let targets = self.number_all(targets, session)?;
            self.moves[at].push((number, targets));
        }
        Ok(())
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
        lines: Vec::new(),
        has_faults: false,
    };
    for thread in explored {
        let points = &thread.points;
        let of_kind = |is: &dyn Fn(&Point<B::Event>) -> bool| -> Vec<LocalId> {
            (0..points.len()).filter(|s| is(&points[*s])).map(LocalId::new).collect()
        };
        result.finals.push(of_kind(&|point| point.kind == Kind::Final));
        result.hot.push(of_kind(&|point| point.is_hot));
        result.has_faults |= points.iter().any(|point| point.kind == Kind::Fault);
        let has_names = points.iter().any(|point| point.name.is_some());
        let mut states = Vec::with_capacity(points.len());
        let parts = points.iter().zip(thread.blocked).zip(thread.moves);
        for (s, ((point, blocked), moves)) in parts.enumerate() {
            let name = name(point, s, has_names);
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
            lines: points.iter().map(|point| line(&point.span)).collect(),
            syncs: points.iter().map(|point| point.is_sync).collect(),
            values: thread.points.into_iter().map(|point| point.values).collect(),
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
