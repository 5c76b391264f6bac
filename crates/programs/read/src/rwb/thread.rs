//! Elaboration of threads: `state`s with their clauses, or one `body`.

use super::ast::{self, Clause, Expr, List, Member, Name, Span};
use super::elaborate::{Elaborator, Places};
use super::parse::Res;
use formats::error::{Error, printable};
use formats::{codes, suggest};
use model::{EventId, EventSet, LocalId, LocalState, PRIORITIES, Thread};
use num_traits::ToPrimitive;
use std::collections::HashMap;
use std::rc::Rc;

/// The names of the states of the current thread.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    spans: Vec<Span>,
    index: HashMap<String, LocalId>,
    body: Option<Span>,
}

/// An elaborated thread.
pub(super) struct Made {
    pub(super) thread: Thread,
    pub(super) places: Places,
    /// The states in which the thread may end, in ascending order.
    pub(super) finals: Vec<LocalId>,
    /// The priorities of the states. States beyond the list have priority 0.
    pub(super) priorities: Vec<i64>,
}

/// A state under construction.
struct Draft {
    request: EventSet,
    block: EventSet,
    bad: bool,
    ends: bool,
    priority: Option<i64>,
    /// The events that earlier `on` clauses cover.
    covered: EventSet,
    on: Vec<(EventId, Rc<[LocalId]>)>,
}

impl<'a> Elaborator<'a> {
    /// Elaborates a thread.
    pub(super) fn thread(&mut self, name: String, span: Span, members: &List<'a, Member<'a>>) -> Res<Made> {
        let mut names = Names::default();
        let holes = self.holes;
        self.each(members, &mut |e, member| e.declare_member(&mut names, member))?;
        if names.body.is_some() {
            return self.body_thread(name, members);
        }
        if names.list.is_empty() && self.holes > holes {
            return Err(Error::following());
        }
        if names.list.is_empty() {
            let error = self.error(&codes::RWB_EMPTY_THREAD, span, format!("thread `{}` is empty", printable(&name)));
            return Err(error.label("expected a `state` or a `body`"));
        }
        let mut states = Vec::with_capacity(names.list.len());
        let (mut initial, mut finals, mut priorities) = (Vec::new(), Vec::new(), Vec::new());
        self.each(members, &mut |e, member| {
            match member {
                Member::Init(list) => initial.extend(e.resolve_all(&names, list)?),
                Member::State(_, clauses) => {
                    // If the thread has an error, some of its states may be missing here.
                    let label = names.list.get(states.len()).cloned().unwrap_or_default();
                    let (state, ends, priority) = e.state(label, &names, clauses)?;
                    priorities.push(priority);
                    finals.extend(ends.then_some(LocalId::new(states.len())));
                    states.push(state);
                }
                Member::Body(..) | Member::Var(_) => {}
            }
            Ok(())
        })?;
        initial.sort_unstable();
        initial.dedup();
        if initial.is_empty() {
            initial.push(LocalId::new(0));
        }
        let places = Places { spans: names.spans, is_body: false };
        Ok(Made { thread: Thread { name, states, initial }, places, finals, priorities })
    }

    fn declare_member(&mut self, names: &mut Names, member: &Member<'a>) -> Res<()> {
        match member {
            Member::Init(_) | Member::Var(_) => Ok(()),
            Member::State(name, _) => {
                let full = self.full_name(name);
                if full.is_err() {
                    self.scope.doubtful.insert(name.base.text);
                }
                let full = full?;
                if names.body.is_some() {
                    return Err(self.mixed(name.span, "a state beside a `body`"));
                }
                self.meter.state(name.span)?;
                if let Some(first) = names.index.get(&full) {
                    return Err(self.duplicate("state", &full, name.span, names.spans[first.index()]));
                }
                names.index.insert(full.clone(), LocalId::new(names.list.len()));
                names.list.push(full);
                names.spans.push(name.span);
                Ok(())
            }
            Member::Body(span, _) => {
                if names.body.is_some() {
                    return Err(self.mixed(*span, "a second `body`"));
                }
                if !names.list.is_empty() {
                    return Err(self.mixed(*span, "a `body` beside states"));
                }
                names.body = Some(*span);
                Ok(())
            }
        }
    }

    fn mixed(&self, span: Span, what: &str) -> Box<Error> {
        self.error(&codes::RWB_MIXED_THREAD, span, format!("{what} in one thread"))
            .label("expected either states or one `body`")
            .hint("make it a thread of its own")
    }

    /// Resolves the names of targets. The result is sorted, without repetition.
    fn resolve_all(&mut self, names: &Names, list: &[Name<'a>]) -> Res<Vec<LocalId>> {
        let mut ids = Vec::with_capacity(list.len());
        for name in list {
            ids.push(self.resolve(names, name)?);
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    fn resolve(&mut self, names: &Names, name: &Name<'a>) -> Res<LocalId> {
        let full = self.full_name(name)?;
        if let Some(id) = names.index.get(&full) {
            return Ok(*id);
        }
        if self.scope.may_know(name.base.text) {
            return Err(Error::following());
        }
        let message = format!("the thread has no state `{}`", printable(&full));
        let error = self.error(&codes::RWB_UNKNOWN_STATE, name.span, message).label("not a state of this thread");
        Err(suggest::hinted(error, &full, names.list.iter().map(String::as_str), ""))
    }

    /// Elaborates a state. The second result is true if the thread may end in it, and the third one is its priority.
    fn state(&mut self, name: String, names: &Names, clauses: &List<'a, Clause<'a>>) -> Res<(LocalState, bool, i64)> {
        let universe = self.events.len();
        let empty = || EventSet::empty(universe);
        let (request, block, covered) = (empty(), empty(), empty());
        let mut draft = Draft { request, block, bad: false, ends: false, priority: None, covered, on: Vec::new() };
        self.each(clauses, &mut |e, clause| e.clause(&mut draft, names, clause))?;
        if draft.bad {
            return Ok((LocalState::bad(name, universe), false, 0));
        }
        draft.on.sort_unstable_by_key(|(event, _)| *event);
        let on = draft.on.into_iter().map(|(event, targets)| (event, targets.to_vec())).collect();
        let state = LocalState { name, request: draft.request, block: draft.block, bad: false, on };
        Ok((state, draft.ends, draft.priority.unwrap_or(0)))
    }

    fn clause(&mut self, draft: &mut Draft, names: &Names, clause: &Clause<'a>) -> Res<()> {
        match clause {
            Clause::Request(events) => self.add(&mut draft.request, events)?,
            Clause::Block(events) => self.add(&mut draft.block, events)?,
            Clause::Priority(expr) if draft.priority.is_some() => {
                let error = self.error(&codes::RWB_REPEATED_CLAUSE, expr.span, "a second `priority` in one state");
                return Err(error.label("expected at most one").hint("all requests of a state have the same priority"));
            }
            Clause::Priority(expr) => draft.priority = Some(self.priority(expr)?),
            Clause::Bad => draft.bad = true,
            Clause::Final => draft.ends = true,
            Clause::Hot => {}
            Clause::On(events, targets) => {
                let fresh = self.uncovered(events, &mut draft.covered)?;
                let targets: Rc<[LocalId]> = self.resolve_all(names, targets)?.into();
                self.meter.moves(fresh.len().saturating_mul(targets.len()), events.span)?;
                draft.on.extend(fresh.iter().map(|event| (event, Rc::clone(&targets))));
            }
        }
        Ok(())
    }

    fn priority(&mut self, expr: &Expr<'a>) -> Res<i64> {
        let value = self.eval(expr)?;
        if let Some(value) = value.to_i64().filter(|value| PRIORITIES.contains(value)) {
            return Ok(value);
        }
        let message = format!("the priority {} is out of range", printable(&value.to_string()));
        Err(self.error(&codes::RWB_PRIORITY, expr.span, message).label("expected a number from -2^31 to 2^31 - 1"))
    }

    /// Adds events to a set of the current state.
    fn add(&mut self, to: &mut EventSet, events: &ast::Events<'a>) -> Res<()> {
        let more = self.event_set(events)?;
        self.meter.kept(&more, events.span)?;
        to.union_with(&more);
        self.meter.set(to, events.span)
    }

    /// Returns the events that no earlier clause covers, and marks them as covered: the first clause for an
    /// event wins.
    pub(super) fn uncovered(&mut self, events: &ast::Events<'a>, covered: &mut EventSet) -> Res<EventSet> {
        let mut set = self.event_set(events)?;
        set.subtract(covered);
        covered.union_with(&set);
        self.meter.set(covered, events.span)?;
        Ok(set)
    }
}
