//! B-threads as behaviors: a state is what a b-thread has at a sync.
//!
//! What BPjs does with an event is in its `BProgramSyncSnapshot.triggerEvent`: first, every b-thread with the event in
//! its `interrupt` is removed (`handleInterrupts`). Of the others, those resume that request the event or wait for
//! it (`shouldWakeFor`). `SimpleEventSelectionStrategy` selects any requested event that no b-thread blocks.

use super::code::Code;
use super::heap::{Copier, Heap};
use super::json::show;
use super::leg::{self, Effects};
use super::machine::{Exit, Leg, MOST_WAYS, Machine, Name, Phase, live_frames};
use super::sets::contains;
use super::state::{EngineState, Local, Snapshot};
use super::store::Items;
use super::value::{Cell, Event, Set, Statement, Value, refuse};
use formats::codes;
use formats::error::{Error, Span, Text};
pub(crate) use programs_read::behavior::{Behavior, Blame, Kind, Point, Shown};
use std::cell::Cell as Counter;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

type Res<T> = Result<T, Box<Error>>;

/// The number of values that all states of a b-thread may have together.
const MOST_SIZE: usize = 1 << 25;
/// The number of states that are compared to find a variable with many values.
pub(super) const BLAMED: usize = 1 << 14;

/// A b-thread of a program.
#[derive(Clone)]
pub(super) struct JsThread<'c> {
    pub(super) code: &'c Code,
    pub(super) source: Text<'c>,
    pub(super) shared: Rc<Vec<Cell>>,
    pub(super) name: Name,
    pub(super) span: Span,
    pub(super) function: Value,
    pub(super) data: Value,
    /// The cells that only this b-thread can reach, after the shared ones.
    pub(super) cells: Vec<Cell>,
    /// The number of values in all states.
    pub(super) size: Counter<usize>,
}

impl<'c> JsThread<'c> {
    fn machine(&self, cells: Vec<Cell>, data: Value) -> Machine<'c> {
        let heap = Heap::new(self.shared.clone(), cells);
        let mut machine = Machine::new(self.code, self.source, heap, Phase::Thread);
        machine.name = self.name.clone();
        machine.span = self.span;
        machine.data = data;
        machine
    }

    /// Runs the b-thread to its first sync. With a store, it may have effects on others.
    pub(super) fn begin(&self, store: Option<Rc<Items>>) -> Res<Vec<(Local, Effects<'c>)>> {
        let mut machine = self.machine(self.cells.clone(), self.data.clone());
        machine.leg = store.map(|store| Box::new(Leg::new(store)));
        // In BPjs, `this` in the function of a b-thread is the function (`StartBThread`).
        if let Err(stop) = machine.enter(&self.function, self.function.clone(), Vec::new()) {
            return Err(machine.stopped(stop));
        }
        explore(machine)
    }

    /// Runs the b-thread from a sync to the next one, after an event.
    pub(super) fn resume(
        &self,
        at: &Snapshot,
        event: &Event,
        store: Option<Rc<Items>>,
    ) -> Res<Vec<(Local, Effects<'c>)>> {
        let mut machine = self.machine_at(at);
        machine.leg = store.map(|store| Box::new(Leg::new(store)));
        match machine.heap.event_value(event) {
            Ok(value) => machine.push(value),
            Err(stop) => return Err(machine.stopped(stop)),
        }
        explore(machine)
    }

    /// Ends the b-thread because of an event in its `interrupt`. Runs its handler.
    pub(super) fn interrupt(&self, at: &Snapshot, event: &Event, store: Option<Rc<Items>>) -> Res<Effects<'c>> {
        if at.handler == Value::Undefined {
            return Ok(Effects::default());
        }
        let mut machine = self.machine_at(at);
        machine.leg = store.map(|store| Box::new(Leg::new(store)));
        machine.phase = Phase::Handler;
        machine.frames.clear();
        let handler = machine.handler.clone();
        let value = match machine.heap.event_value(event) {
            Ok(value) => value,
            Err(stop) => return Err(machine.stopped(stop)),
        };
        if let Err(stop) = machine.enter(&handler, Value::Empty, vec![value]) {
            return Err(machine.stopped(stop));
        }
        machine.run()?;
        leg::end(&mut machine, None).map_err(|stop| machine.stopped(stop))
    }

    /// True if the b-thread continues when the event is selected.
    pub(super) fn wakes(&self, at: &Snapshot, event: &Event) -> Res<bool> {
        Ok(at.statement.request.binary_search(event).is_ok() || self.has(at, &at.statement.wait, event)?)
    }

    pub(super) fn has(&self, snapshot: &Snapshot, set: &Set, event: &Event) -> Res<bool> {
        if set.is_none() {
            return Ok(false);
        }
        // A machine is needed for predicates only.
        let mut machine = None;
        contains(set, event, &mut |name, function| {
            let machine = machine.get_or_insert_with(|| {
                let mut machine = self.machine(snapshot.cells.clone(), snapshot.data.clone());
                machine.phase = Phase::Predicate;
                machine
            });
            machine.contains(&Set::Predicate(name.clone(), function.clone()), event)
        })
    }

    /// Returns the place of the sync.
    pub(super) fn place(&self, at: &Snapshot) -> Span {
        self.machine_at(at).place()
    }

    fn machine_at(&self, snapshot: &Snapshot) -> Machine<'c> {
        let mut machine = self.machine(snapshot.cells.clone(), snapshot.data.clone());
        machine.handler = snapshot.handler.clone();
        machine.frames.clone_from(&snapshot.frames);
        machine
    }

    /// Returns the variables of a state with their values as text.
    pub(super) fn variables(&self, snapshot: &Snapshot) -> Vec<(Rc<str>, Span, String)> {
        let heap = Heap::new(self.shared.clone(), snapshot.cells.clone());
        let mut all = Vec::new();
        for frame in &snapshot.frames {
            let function = self.code.function(frame.function);
            if function.is_hidden {
                continue;
            }
            if let Value::Ref(at) = frame.closure
                && let Cell::Closure(_, captured, _) = heap.get(at)
            {
                let own = captured.iter().zip(&function.captured);
                let own = own.filter(|(value, _)| matches!(value, Value::Ref(at) if !heap.is_shared(*at)));
                all.extend(own.filter_map(|(value, v)| text(&heap, value).map(|t| (v.name.clone(), v.span, t))));
            }
            for (slot, (value, variable)) in frame.slots.iter().zip(&function.variables).enumerate() {
                let pc = frame.pc.saturating_sub(1) as usize;
                let is_named = !variable.name.is_empty() && &*variable.name != "this";
                if is_named
                    && function.live.contains(pc, slot)
                    && let Some(text) = text(&heap, value)
                {
                    all.push((variable.name.clone(), variable.span, text));
                }
            }
        }
        all
    }
}

/// Returns a value as text, if it is shown.
pub(super) fn text(heap: &Heap, value: &Value) -> Option<String> {
    let mut out = String::new();
    show(heap, value, &mut out, 0).then_some(out)
}

/// Runs a machine to its next syncs, on all ways of its random choices.
pub(super) fn explore(machine: Machine<'_>) -> Res<Vec<(Local, Effects<'_>)>> {
    let mut ends = Vec::new();
    let mut open = vec![machine];
    let mut ways = 1;
    while let Some(mut machine) = open.pop() {
        let (local, statement) = match machine.run()? {
            Exit::Done(_) => (Local::End, None),
            Exit::Bad(message, span) => (Local::Bad(message, span), None),
            Exit::Sync(statement) => (Local::End, Some(statement)),
            Exit::Choice(count, is_bool) => {
                ways += count as usize;
                if ways > MOST_WAYS {
                    let message = format!("more than {MOST_WAYS} ways through random choices between two syncs");
                    return Err(machine.stopped(refuse(&codes::JS_LOOP, message, "make fewer random choices")));
                }
                for i in (0..count).rev() {
                    let mut way = machine.fork();
                    way.push(if is_bool { Value::Bool(i == 1) } else { Value::num(f64::from(i)) });
                    open.push(way);
                }
                continue;
            }
        };
        let effects = leg::end(&mut machine, statement.as_ref()).map_err(|stop| machine.stopped(stop))?;
        let local = statement.map_or(local, |statement| Local::At(Rc::new(snapshot(&machine, statement))));
        ends.push((local, effects));
    }
    Ok(ends)
}

/// Copies what a machine has at a sync, in the normal form.
fn snapshot(machine: &Machine<'_>, mut statement: Statement) -> Snapshot {
    let mut frames = live_frames(machine);
    let (mut data, mut handler) = (machine.data.clone(), machine.handler.clone());
    let mut copier = Copier::new(machine.heap.own(), machine.heap.shared());
    for frame in &mut frames {
        copier.visit(&mut frame.closure);
        frame.slots.iter_mut().chain(&mut frame.stack).for_each(|value| copier.visit(value));
    }
    copier.visit(&mut data);
    copier.visit(&mut handler);
    for set in [&mut statement.wait, &mut statement.block, &mut statement.interrupt] {
        set.each(&mut |value| copier.visit(value));
    }
    Snapshot { frames, cells: copier.finish(), data, handler, statement }
}

/// Counts the values of a state, up to the largest number of values of all states of a b-thread.
pub(super) fn count(total: &Counter<usize>, size: usize, source: Text<'_>, span: Span) -> Res<()> {
    total.set(total.get() + size);
    if total.get() > MOST_SIZE {
        let message = format!("the states of the b-thread have more than {MOST_SIZE} values");
        let error = source.error(&codes::JS_MEMORY, span.range(), message);
        return Err(error.hint("keep fewer or smaller arrays and objects at syncs"));
    }
    Ok(())
}

/// Collects the values of variables, to find the one with the most values.
#[derive(Default)]
pub(super) struct Values(BTreeMap<(u32, Rc<str>), (Span, HashSet<String>)>);

impl Values {
    pub(super) fn add(&mut self, variables: Vec<(Rc<str>, Span, String)>) {
        for (name, span, text) in variables {
            self.0.entry((span.start, name)).or_insert_with(|| (span, HashSet::new())).1.insert(text);
        }
    }

    pub(super) fn most(self) -> Option<Blame> {
        let most = self.0.into_iter().filter(|(_, (_, values))| values.len() > 1);
        let ((_, name), (span, values)) = most.max_by_key(|(_, (_, values))| values.len())?;
        Some(Blame { name: name.to_string(), range: None, values: values.len(), span })
    }
}

impl Behavior for JsThread<'_> {
    /// A state holds frames and cells, and takes about this many times as long as one of `.rwb`.
    const WEIGHT: usize = 8;
    type Event = Event;
    type State = EngineState;

    fn initial(&self) -> Res<Vec<EngineState>> {
        self.size.set(0);
        Ok(states(self.begin(None)?))
    }

    fn point(&self, state: &EngineState) -> Res<Point<Event>> {
        let (kind, requests, span, shown) = match &*state.0 {
            Local::End => (Kind::Final, Vec::new(), self.span, Vec::new()),
            Local::Bad(message, span) => (Kind::Bad, Vec::new(), *span, Shown::always(message.clone())),
            Local::At(snapshot) => {
                let span = self.place(snapshot);
                count(&self.size, snapshot.size(), self.source, span)?;
                let values = self.variables(snapshot);
                let values = values.iter().map(|(name, _, text)| Shown::value(name, text)).collect();
                (Kind::Plain, snapshot.statement.request.clone(), span, values)
            }
        };
        let statement = if let Local::At(snapshot) = &*state.0 { Some(&snapshot.statement) } else { None };
        let (is_sync, is_hot) = (statement.is_some(), statement.is_some_and(|statement| statement.is_hot));
        Ok(Point {
            kind,
            requests,
            is_sync,
            is_hot,
            priority: statement.map_or(0, |statement| statement.priority),
            span,
            shown,
            name: None,
            kept: Vec::new(),
            origin: None,
        })
    }

    fn blocks(&self, state: &EngineState, event: &Event) -> Res<bool> {
        match &*state.0 {
            Local::At(snapshot) => self.has(snapshot, &snapshot.statement.block, event),
            _ => Ok(false),
        }
    }

    fn step(&self, state: &EngineState, event: &Event) -> Res<Option<Vec<EngineState>>> {
        let Local::At(snapshot) = &*state.0 else { return Ok(None) };
        if self.has(snapshot, &snapshot.statement.interrupt, event)? {
            self.interrupt(snapshot, event, None)?;
            return Ok(Some(vec![EngineState(Rc::new(Local::End))]));
        }
        if !self.wakes(snapshot, event)? {
            return Ok(None);
        }
        Ok(Some(states(self.resume(snapshot, event, None)?)))
    }

    fn blame(&self, states: &mut dyn Iterator<Item = &EngineState>) -> Option<Blame> {
        let mut found = Values::default();
        for state in states.take(BLAMED) {
            if let Local::At(snapshot) = &*state.0 {
                found.add(self.variables(snapshot));
            }
        }
        found.most()
    }
}

fn states(ends: Vec<(Local, Effects<'_>)>) -> Vec<EngineState> {
    ends.into_iter().map(|(local, _)| EngineState(Rc::new(local))).collect()
}
