//! A step of b-threads that share something: what all of them do until each is at a sync again.
//!
//! BPjs runs the b-threads of a step in an executor, in no fixed order, in rounds: first the interrupt handlers, then
//! the b-threads that the event wakes, then the b-threads that these register, and so on
//! (`BProgramSyncSnapshot.triggerEvent`). A step is read only if its result is the same in every order of a round:
//! the changes of the store are joined by [`store::join`], and in one round only one b-thread enqueues external events.

use super::leg::{Child, Effects};
use super::machine::{Leg, MOST_QUEUED, MOST_WAYS, Name};
use super::state::{Local, Member};
use super::store::{self, Clash, Effect, Items};
use super::thread::{JsThread, explore};
use super::value::{Event, Value};
use formats::codes;
use formats::error::{Error, Span, printable};
use std::rc::Rc;

type Res<T> = Result<T, Box<Error>>;

/// A step in progress, on one way of its random choices.
pub(super) struct Round<'c> {
    pub(super) members: Vec<Member>,
    pub(super) queue: Vec<Event>,
    /// The first failure.
    pub(super) bad: Option<(String, Span)>,
    effect: Effect,
    /// The b-threads of the next round.
    children: Vec<Child<'c>>,
    /// The external events of this round.
    external: Vec<Event>,
}

impl<'c> Round<'c> {
    pub(super) fn new(members: Vec<Member>, queue: Vec<Event>) -> Self {
        let (effect, children, external) = (Effect::default(), Vec::new(), Vec::new());
        Self { members, queue, bad: None, effect, children, external }
    }

    fn copy(&self) -> Self {
        Self {
            members: self.members.clone(),
            queue: self.queue.clone(),
            bad: self.bad.clone(),
            effect: self.effect.clone(),
            children: self.children.iter().map(Child::copy).collect(),
            external: self.external.clone(),
        }
    }

    /// Begins the next round. Returns its b-threads.
    pub(super) fn next(&mut self) -> Vec<Child<'c>> {
        self.queue.append(&mut self.external);
        std::mem::take(&mut self.children)
    }

    /// Ends the round of the interrupt handlers. What they register begins after the other b-threads.
    pub(super) fn end_handlers(&mut self) {
        self.queue.append(&mut self.external);
    }

    /// Returns the store after the step.
    pub(super) fn store(&mut self, items: &Rc<Items>) -> Rc<Items> {
        store::apply(items, std::mem::take(&mut self.effect))
    }

    /// Adds what a b-thread does to others.
    pub(super) fn absorb(&mut self, effects: Effects<'c>, thread: &JsThread<'c>) -> Res<()> {
        let Effects { store, children, external } = effects;
        self.children.extend(children);
        let mut both = self.external.iter().chain(&external);
        let first = both.next();
        if !self.external.is_empty() && !external.is_empty() && both.any(|event| Some(event) != first) {
            let message = "two b-threads enqueue external events in the same step, in an order that BPjs leaves open";
            let error = thread.source.error(&codes::JS_UNSUPPORTED, thread.span.range(), message);
            return Err(error.hint("let one b-thread enqueue the events"));
        }
        self.external.extend(external);
        if self.queue.len() + self.external.len() > MOST_QUEUED {
            let message = format!("more than {MOST_QUEUED} external events wait in the queue");
            let error = thread.source.error(&codes::JS_MEMORY, thread.span.range(), message);
            return Err(error
                .label("this b-thread enqueues events")
                .hint("enqueue an event only after earlier ones were selected"));
        }
        match store::join(&mut self.effect, &store) {
            Ok(()) => Ok(()),
            Err(Clash::Conflict(key)) => {
                let message = format!("storage conflict: b-threads change the key `{}` differently", printable(&key));
                self.bad.get_or_insert((message, thread.span));
                Ok(())
            }
            Err(Clash::Race(key)) => {
                let key = printable(&key);
                let message =
                    format!("b-threads use the object of the key `{key}` in the same step, and one changes it");
                let error = thread.source.error(&codes::JS_SHARED, thread.span.range(), message);
                Err(error.hint("let only one b-thread at a time use the object, or put a copy of it"))
            }
        }
    }

    /// Adds the end of a run of a b-thread.
    fn add(&mut self, end: Local, origin: u32, name: &Name) {
        match end {
            Local::At(at) => self.members.push(Member { origin, name: name.clone(), at }),
            Local::End => {}
            Local::Bad(message, span) => drop(self.bad.get_or_insert((message, span))),
        }
    }
}

/// Extends each way by each end of a run of a b-thread.
pub(super) fn cross<'c>(
    ways: Vec<Round<'c>>,
    ends: Vec<(Local, Effects<'c>)>,
    thread: &JsThread<'c>,
    origin: u32,
) -> Res<Vec<Round<'c>>> {
    if ways.len().saturating_mul(ends.len()) > MOST_WAYS {
        let message = format!("more than {MOST_WAYS} ways through random choices between two syncs");
        let error = thread.source.error(&codes::JS_LOOP, thread.span.range(), message);
        return Err(error.hint("make fewer random choices"));
    }
    let mut all = Vec::with_capacity(ways.len() * ends.len());
    for way in ways {
        for (local, effects) in &ends {
            let mut way = way.copy();
            // A b-thread that fails has no effect on the store.
            let mut effects = effects.copy();
            if matches!(local, Local::Bad(..)) {
                effects.store = Effect::default();
            }
            way.absorb(effects, thread)?;
            way.add(local.clone(), origin, &thread.name);
            all.push(way);
        }
    }
    Ok(all)
}

/// Runs the new b-threads of a way, and those that they register, until there are none.
pub(super) fn settle<'c>(ways: Vec<Round<'c>>, parent: &JsThread<'c>, items: &Rc<Items>) -> Res<Vec<Round<'c>>> {
    let mut done = Vec::new();
    let mut open = ways;
    let mut rounds = 0_usize;
    while let Some(mut way) = open.pop() {
        let children = way.next();
        if children.is_empty() {
            done.push(way);
            continue;
        }
        rounds += children.len();
        if rounds > MOST_WAYS {
            let message = format!("more than {MOST_WAYS} b-threads begin in one step");
            let error = parent.source.error(&codes::JS_LOOP, parent.span.range(), message);
            return Err(error.hint("let every b-thread reach a `bp.sync` before it registers others"));
        }
        let mut ways = vec![way];
        for child in children {
            let (thread, ends) = begin(child, parent, items)?;
            ways = cross(ways, ends, &thread, u32::MAX)?;
        }
        open.extend(ways);
    }
    Ok(done)
}

type Ends<'c> = Vec<(Local, Effects<'c>)>;

fn begin<'c>(child: Child<'c>, parent: &JsThread<'c>, items: &Rc<Items>) -> Res<(JsThread<'c>, Ends<'c>)> {
    let base = |name: Name, span: Span| {
        let (function, data, cells) = (Value::Undefined, Value::Null, Vec::new());
        JsThread { name, span, function, data, cells, ..parent.clone() }
    };
    match child {
        Child::Start { name, data, function, cells, span } => {
            let thread = JsThread { function, data, cells, ..base(name, span) };
            let ends = thread.begin(Some(items.clone()))?;
            Ok((thread, ends))
        }
        Child::Fork(machine) => {
            let thread = base(machine.name.clone(), parent.span);
            let mut machine = *machine;
            if machine.leg.is_none() {
                machine.leg = Some(Box::new(Leg::new(items.clone())));
            }
            Ok((thread, explore(machine)?))
        }
    }
}
