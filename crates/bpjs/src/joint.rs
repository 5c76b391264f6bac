//! B-threads that share something, as one behavior: a state has the states of all members, the store and the queue
//! of external events.
//!
//! 1. The members are the b-threads of a group that have not ended. B-threads that members register or fork become
//!    members. Members without an order in BPjs are sorted, so equal sets of members are equal states.
//! 2. The group requests what its members request, and blocks what one of them blocks. A failure of a member is the
//!    failure of the group.
//! 3. External events (`SimpleEventSelectionStrategy`): if no requested event can be selected, the first event of the
//!    queue that no b-thread blocks is selected, and leaves the queue. Whether this happens depends on all b-threads,
//!    so then the group has all of them and is closed: no event comes from elsewhere.
//! 4. `hot` is a matter of each b-thread. A group has one mark, so only one member may ever be hot.

use super::json::event_name;
use super::machine::Name;
use super::round::{Round, cross, settle};
use super::state::Member;
use super::store::Items;
use super::thread::{BLAMED, JsThread, Values, count, text};
use super::value::{Event, Set, Value};
use formats::codes;
use formats::error::{Error, Span};
pub(crate) use programs_read::behavior::{Behavior, Blame, Kind, Point, Shown};
use std::cell::Cell as Counter;
use std::rc::Rc;

type Res<T> = Result<T, Box<Error>>;

/// The number of external events that a report shows.
const SHOWN: usize = 8;

/// The b-threads of a group.
pub(super) struct Joint<'c> {
    pub(super) threads: Vec<JsThread<'c>>,
    /// The store and the queue after the top-level script.
    pub(super) store: Rc<Items>,
    pub(super) queue: Vec<Event>,
    /// True if these are all b-threads of the program.
    pub(super) is_closed: bool,
    /// The number of values in the states of this search.
    pub(super) size: Counter<usize>,
    /// The member that is hot in some state of this search.
    pub(super) hot: Counter<Option<u32>>,
}

/// A state of a group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Together(Rc<Inner>);

#[derive(PartialEq, Eq, Hash, Debug)]
enum Inner {
    At { members: Vec<Member>, store: Rc<Items>, queue: Vec<Event> },
    Bad(String, Span),
}

impl<'c> Joint<'c> {
    /// The b-thread of a member, as far as its snapshot does not have it.
    fn thread(&self, member: &Member) -> JsThread<'c> {
        match self.threads.get(member.origin as usize) {
            Some(thread) => thread.clone(),
            None => self.named(member.name.clone()),
        }
    }

    fn named(&self, name: Name) -> JsThread<'c> {
        let (function, data, cells) = (Value::Undefined, Value::Null, Vec::new());
        JsThread { name, function, data, cells, ..self.threads[0].clone() }
    }

    fn is_blocked(&self, members: &[Member], event: &Event) -> Res<bool> {
        for member in members {
            if self.thread(member).has(&member.at, &member.at.statement.block, event)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the external event that is selected in this state (claim 3).
    fn external<'q>(&self, members: &[Member], queue: &'q [Event]) -> Res<Option<&'q Event>> {
        if queue.is_empty() || members.is_empty() {
            return Ok(None);
        }
        for event in members.iter().flat_map(|member| &member.at.statement.request) {
            if !self.is_blocked(members, event)? {
                return Ok(None);
            }
        }
        for event in queue {
            if !self.is_blocked(members, event)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn finish(&self, ways: Vec<Round<'c>>, items: &Rc<Items>) -> Vec<Together> {
        let states = ways.into_iter().map(|mut way| {
            if let Some((message, span)) = way.bad {
                return Together(Rc::new(Inner::Bad(message, span)));
            }
            let store = way.store(items);
            let mut members = way.members;
            members.sort();
            // Without b-threads, the program has ended.
            let queue = if members.is_empty() { Vec::new() } else { way.queue };
            Together(Rc::new(Inner::At { members, store, queue }))
        });
        states.collect()
    }

    /// Checks claim 4. Returns true if a member is hot.
    fn heat(&self, members: &[Member]) -> Res<bool> {
        let mut is_hot = false;
        for member in members.iter().filter(|member| member.at.statement.is_hot) {
            is_hot = true;
            let old = self.hot.replace(Some(member.origin));
            if member.origin == u32::MAX || old.is_some_and(|old| old != member.origin) {
                let span = self.thread(member).place(&member.at);
                let message = "several b-threads that share a store or other b-threads are hot, which is not read";
                let error = self.threads[0].source.error(&codes::JS_UNSUPPORTED, span.range(), message);
                return Err(error.hint("let only one b-thread of those that share something use `bp.hot`"));
            }
        }
        Ok(is_hot)
    }

    /// Returns the priority of the requests of all members.
    fn priority(&self, members: &[Member]) -> Res<i64> {
        let mut requesting = members.iter().filter(|member| !member.at.statement.request.is_empty());
        let Some(first) = requesting.next() else { return Ok(0) };
        let priority = first.at.statement.priority;
        match requesting.find(|member| member.at.statement.priority != priority) {
            None => Ok(priority),
            Some(other) => {
                let message = "b-threads that share something request events with different priorities";
                let span = self.thread(other).place(&other.at);
                let error = self.threads[0].source.error(&codes::JS_UNSUPPORTED, span.range(), message);
                Err(error.hint("let only one of them request, or share nothing"))
            }
        }
    }

    /// Returns the members with their lines and variables, the store and the queue, for reports.
    fn describe(&self, members: &[Member], store: &Items, queue: &[Event]) -> Vec<Shown> {
        let line = self.threads[0].source.line_finder();
        let mut parts = Vec::new();
        for member in members {
            let (thread, name) = (self.thread(member), &member.name.text);
            let line = line(&thread.place(&member.at));
            let place = match thread.code.files.place(line as usize) {
                (Some(file), line) => format!("{file}:{line}"),
                (None, line) => line.to_string(),
            };
            parts.extend(Shown::always(format!("{name} at {place}")));
            let values = thread.variables(&member.at).into_iter();
            parts.extend(values.map(|(variable, _, text)| Shown::value(&format!("{name}.{variable}"), &text)));
        }
        parts.extend(self.stored(store).into_iter().map(|(key, text)| Shown::value(&format!("store {key}"), &text)));
        if !queue.is_empty() {
            let names: Vec<String> = queue.iter().take(SHOWN).map(event_name).collect();
            let more = if queue.len() > SHOWN { format!(", .. ({} events)", queue.len()) } else { String::new() };
            parts.extend(Shown::always(format!("external events {}{more}", names.join(", "))));
        }
        parts
    }

    fn stored(&self, store: &Items) -> Vec<(Rc<str>, String)> {
        let shown = store.iter().filter_map(|(key, item)| {
            let heap = super::heap::Heap::new(self.threads[0].shared.clone(), item.cells.to_vec());
            Some((key.clone(), text(&heap, &item.value)?))
        });
        shown.collect()
    }
}

impl Behavior for Joint<'_> {
    const WEIGHT: usize = 8;
    type Event = Event;
    type State = Together;

    fn initial(&self) -> Res<Vec<Together>> {
        self.size.set(0);
        self.hot.set(None);
        let mut ways = vec![Round::new(Vec::new(), self.queue.clone())];
        for (origin, thread) in (0..).zip(&self.threads) {
            ways = cross(ways, thread.begin(Some(self.store.clone()))?, thread, origin)?;
        }
        let ways = settle(ways, &self.threads[0], &self.store)?;
        Ok(self.finish(ways, &self.store))
    }

    fn point(&self, state: &Together) -> Res<Point<Event>> {
        let first = self.threads[0].span;
        let end = |kind, span, shown| {
            let requests = Vec::new();
            Point {
                kind,
                is_hot: false,
                priority: 0,
                requests,
                is_sync: false,
                span,
                shown,
                name: None,
                kept: Vec::new(),
                origin: None,
            }
        };
        let (members, store, queue) = match &*state.0 {
            Inner::Bad(message, span) => return Ok(end(Kind::Bad, *span, Shown::always(message.clone()))),
            Inner::At { members, .. } if members.is_empty() => return Ok(end(Kind::Final, first, Vec::new())),
            Inner::At { members, store, queue } => (members, store, queue),
        };
        let span = self.thread(&members[0]).place(&members[0].at);
        let size = members.iter().map(|member| member.at.size()).sum();
        count(&self.size, size, self.threads[0].source, span)?;
        let mut requests: Vec<Event> = members.iter().flat_map(|m| m.at.statement.request.iter().cloned()).collect();
        requests.extend(self.external(members, queue)?.cloned());
        let shown = self.describe(members, store, queue);
        Ok(Point {
            kind: Kind::Plain,
            is_hot: self.heat(members)?,
            priority: self.priority(members)?,
            requests,
            is_sync: true,
            span,
            shown,
            name: None,
            kept: Vec::new(),
            origin: None,
        })
    }

    fn blocks_jointly(&self, state: &Together) -> bool {
        let Inner::At { members, .. } = &*state.0 else { return false };
        members.len() > 1 && !members.iter().any(|member| member.at.statement.block == Set::All)
    }

    fn blocks(&self, state: &Together, event: &Event) -> Res<bool> {
        match &*state.0 {
            Inner::At { members, .. } => self.is_blocked(members, event),
            Inner::Bad(..) => Ok(false),
        }
    }

    fn step(&self, state: &Together, event: &Event) -> Res<Option<Vec<Together>>> {
        let Inner::At { members, store, queue } = &*state.0 else { return Ok(None) };
        let is_requested = members.iter().any(|m| m.at.statement.request.binary_search(event).is_ok());
        let mut queue = queue.clone();
        if !is_requested {
            let is_external = queue.contains(event) && self.external(members, &queue)? == Some(event);
            if is_external && let Some(at) = queue.iter().position(|e| e == event) {
                queue.remove(at);
            } else if self.is_closed {
                return Ok(None);
            }
        }
        let is_changed = matches!(&*state.0, Inner::At { queue: old, .. } if *old != queue);
        let (mut stay, mut ended, mut woken) = (Vec::new(), Vec::new(), Vec::new());
        for member in members {
            let thread = self.thread(member);
            if thread.has(&member.at, &member.at.statement.interrupt, event)? {
                ended.push((thread, member));
            } else if thread.wakes(&member.at, event)? {
                woken.push((thread, member));
            } else {
                stay.push(member.clone());
            }
        }
        if ended.is_empty() && woken.is_empty() && !is_changed {
            return Ok(None);
        }
        let mut first = Round::new(stay, queue);
        for (thread, member) in ended {
            first.absorb(thread.interrupt(&member.at, event, Some(store.clone()))?, &thread)?;
        }
        // B-threads that handlers register begin after the other b-threads.
        first.end_handlers();
        let mut ways = vec![first];
        for (thread, member) in woken {
            let ends = thread.resume(&member.at, event, Some(store.clone()))?;
            ways = cross(ways, ends, &thread, member.origin)?;
        }
        let ways = settle(ways, &self.threads[0], store)?;
        Ok(Some(self.finish(ways, store)))
    }

    fn blame(&self, states: &mut dyn Iterator<Item = &Together>) -> Option<Blame> {
        let mut found = Values::default();
        for state in states.take(BLAMED) {
            let Inner::At { members, store, .. } = &*state.0 else { continue };
            for member in members {
                found.add(self.thread(member).variables(&member.at));
            }
            let span = self.threads[0].span;
            found.add(self.stored(store).into_iter().map(|(key, text)| (key, span, text)).collect());
        }
        found.most()
    }
}
