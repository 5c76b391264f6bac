//! The part of threads with data that was explored so far: states, events and moves, each made once.

use super::{Behavior, Blame, Point};
use formats::codes;
use formats::error::{Error, Span, Text, printable};
use formats::meter::Meter;
use model::{Grown, LocalId};
use std::collections::HashMap;
use std::hash::Hash;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// Bounds of an exploration.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// States of all threads, weighted ([`Behavior::WEIGHT`]).
    states: usize,
    /// Pairs of a state and an event that are handled.
    pairs: usize,
    /// Joint states, if the threads are explored together.
    pub(super) joint: usize,
    /// Looks at joint states and at events in their local states.
    pub(super) looks: usize,
}

impl Bounds {
    /// Bounds of `2^exponent` local states.
    pub(super) const fn new(exponent: u32) -> Self {
        let states = 1 << exponent;
        Self { states, pairs: states << 6, joint: states << 3, looks: states << 11 }
    }
}

/// What all threads share during the exploration: the events found so far, and the limits.
pub(super) struct Session<'s, 'm, E> {
    pub(super) source: Text<'s>,
    pub(super) meter: &'m mut Meter<'s>,
    /// The events in the order of discovery.
    pub(super) list: Vec<E>,
    pub(super) numbers: HashMap<E, usize>,
    /// For each family: the numbers of its events, ascending.
    pub(super) families: HashMap<usize, Vec<usize>>,
    /// The number of states of all threads, weighted, and of pairs of a state and an event.
    states: usize,
    pairs: usize,
    /// The number of pairs that were looked at for a part of the program.
    looked: usize,
    pub(super) bounds: Bounds,
}

/// A thread during the exploration.
pub(super) struct Explored<'b, B: Behavior> {
    pub(super) thread: &'b Named<B>,
    pub(super) states: Vec<B::State>,
    numbers: HashMap<B::State, usize>,
    pub(super) points: Vec<Point<B::Event>>,
    /// For each state: the blocked events, and the moves, by the number of the event in the order of discovery.
    pub(super) blocked: Vec<Vec<usize>>,
    pub(super) moves: Vec<Vec<(usize, Vec<LocalId>)>>,
    pub(super) initial: Vec<LocalId>,
}

/// What an event does in a state of a thread.
pub(super) enum Effect {
    Blocked,
    /// The thread neither requests the event nor waits for it.
    Stays,
    /// The last move that was added to the state.
    Moves,
}

impl<'s, 'm, E: Clone + Ord + Hash> Session<'s, 'm, E> {
    pub(super) fn new(source: Text<'s>, meter: &'m mut Meter<'s>, bounds: Bounds) -> Self {
        let (list, numbers, families) = (Vec::new(), HashMap::new(), HashMap::new());
        Self { source, meter, list, numbers, families, states: 0, pairs: 0, looked: 0, bounds }
    }

    /// Counts pairs of a state and an event that are looked at for a part of the program.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn handled(&mut self, pairs: usize) -> Res<()> {
        self.looked += pairs;
        match self.looked <= self.bounds.states << 4 {
            true => Ok(()),
            false => {
                Err(Error::whole(&codes::LIMIT_STATES, self.source.name, "the part has too many states and events"))
            }
        }
    }

    fn add(&mut self, event: &E, family: usize, span: Span) -> Res<()> {
        if !self.numbers.contains_key(event) {
            self.numbers.insert(event.clone(), self.list.len());
            self.families.entry(family).or_default().push(self.list.len());
            self.list.push(event.clone());
        }
        self.meter.events(self.list.len(), span)
    }
}

impl<'b, B: Behavior> Explored<'b, B> {
    pub(super) fn begin(thread: &'b Named<B>, session: &mut Session<'_, '_, B::Event>) -> Res<Self> {
        let mut explored = Self {
            thread,
            states: Vec::new(),
            numbers: HashMap::new(),
            points: Vec::new(),
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
        if session.states > session.bounds.states || counted.is_err() {
            return Err(self.too_many_states(session.source, point.span));
        }
        for event in &point.requests {
            session.add(event, B::family(event), point.span)?;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.points.push(point);
        self.blocked.push(Vec::new());
        self.moves.push(Vec::new());
        if Grown::is_due(self.states.len())
            && let Some(Blame { name, range, values, .. }) = self.thread.behavior.blame(&mut self.states.iter())
        {
            let (thread, values) = (self.thread.name.clone(), values as u64);
            session.meter.grown(Grown::Variable { thread, variable: name, range, values });
        }
        Ok(number)
    }

    /// Makes the error that there are too many states. It names a variable of this thread, if it has some.
    fn too_many_states(&self, source: Text<'_>, span: Span) -> Box<Error> {
        let Some(blame) = self.thread.behavior.blame(&mut self.states.iter()) else {
            let error = source.error(&codes::LIMIT_STATES, span.range(), "the threads have too many states and events");
            return error.label("the limit is reached here");
        };
        let (name, thread) = (printable(&blame.name), printable(&self.thread.name));
        let range =
            blame.range.map_or_else(String::new, |(least, most)| format!(" ({})", Grown::range_text(least, most)));
        // The last value makes one state too many.
        let values = blame.values - 1;
        let message = format!("thread `{thread}` has too many states: `{name}`{range} takes more than {values} values");
        source
            .error(&codes::LIMIT_VALUES, blame.span.range(), message)
            .label("many values")
            .hint(format!("give `{name}` a smaller range, or stop the thread from changing it without end"))
    }

    /// Finds out what an event does in a state, and stores it. Called once for each pair.
    pub(super) fn handle(&mut self, at: usize, number: usize, session: &mut Session<'_, '_, B::Event>) -> Res<Effect> {
        if self.blocks(at, number, session)? {
            return Ok(Effect::Blocked);
        }
        self.step(at, number, session)
    }

    /// Finds out whether an event is blocked in a state, and stores it. Called once for each pair, before
    /// [`Explored::step`].
    pub(super) fn blocks(&mut self, at: usize, number: usize, session: &mut Session<'_, '_, B::Event>) -> Res<bool> {
        session.pairs += 1;
        if session.pairs > session.bounds.pairs {
            return Err(self.too_many_states(session.source, self.points[at].span));
        }
        let is_blocked = self.thread.behavior.blocks(&self.states[at], &session.list[number])?;
        if is_blocked {
            self.blocked[at].push(number);
        }
        Ok(is_blocked)
    }

    /// Finds out where an event leads that is not blocked in a state, and stores it. Called at most once for each pair.
    pub(super) fn step(&mut self, at: usize, number: usize, session: &mut Session<'_, '_, B::Event>) -> Res<Effect> {
        let event = session.list[number].clone();
        let Some(targets) = self.thread.behavior.step(&self.states[at], &event)? else { return Ok(Effect::Stays) };
        debug_assert!(!targets.is_empty(), "an event leads somewhere");
        session.meter.moves(targets.len(), self.points[at].span)?;
        let targets = self.number_all(targets, session)?;
        self.moves[at].push((number, targets));
        Ok(Effect::Moves)
    }
}

/// True if the error is about a limit: one on states, or on the values in them.
pub fn is_limit(error: &Error) -> bool {
    error.code().starts_with("limit::") || error.code() == codes::JS_MEMORY.code
}

/// A thread with its name and the place of its declaration.
pub struct Named<B> {
    /// The name.
    pub name: String,
    /// The place in the text.
    pub span: Span,
    /// What it does.
    pub behavior: B,
}
