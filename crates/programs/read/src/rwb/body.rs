//! Converts bodies to states: one state for each `sync` and each `select`, one state for all `bad`s, one for
//! all proper ends, and one for all other ends. A proper end is marked `final`: a run may end there if all
//! other threads may end, too.
//!
//! A fragment of a body is described by the states in which it can begin, the moves that leave it, and whether
//! it can be passed without a sync (after Glushkov's construction of automata from regular expressions). So
//! `choose` needs no states of its own: it gives a move several targets, or the thread several initial states.

use super::ast::{Act, Branch, Events, List, Member, Span, Sync};
use super::elaborate::{Elaborator, Places};
use super::parse::Res;
use super::thread::Made;
use formats::codes;
use model::{EventSet, LocalId, LocalState, Thread};
use std::collections::BTreeMap;

/// Events of a sync state with the same targets.
struct Arm {
    events: EventSet,
    next: Vec<usize>,
}

/// A state under construction. An end is a sync without events.
struct Point {
    request: EventSet,
    block: EventSet,
    arms: Vec<Arm>,
    bad: bool,
    /// True if the thread may end here.
    ends: bool,
    pub span: Span,
}

/// A move without targets so far: a point and the number of its arm.
type Exit = (usize, usize);

#[derive(Default)]
struct Fragment {
    first: Vec<usize>,
    exits: Vec<Exit>,
    /// True if the fragment can be passed without a sync.
    passes: bool,
}

impl Fragment {
    fn empty() -> Self {
        Self { passes: true, ..Self::default() }
    }

    /// True if nothing after the fragment is ever reached.
    fn is_final(&self) -> bool {
        self.exits.is_empty() && !self.passes
    }
}

#[derive(Default)]
struct Builder {
    points: Vec<Point>,
    bad: Option<usize>,
    end: Option<usize>,
    proper: Option<usize>,
}

/// A state that is never left.
#[derive(Clone, Copy)]
enum Last {
    Bad,
    End,
    /// A proper end.
    Proper,
}

impl<'a> Elaborator<'a> {
    /// Builds a thread from its `body`. Other members are errors, or were handled before.
    pub(super) fn body_thread(&mut self, name: String, members: &List<'a, Member<'a>>) -> Res<Made> {
        let mut builder = Builder::default();
        let mut initial = Vec::new();
        self.each(members, &mut |e, member| match member {
            Member::Body(span, acts) => {
                let body = e.sequence(&mut builder, acts)?;
                let end =
                    if body.is_final() { Vec::new() } else { vec![e.last_point(&mut builder, Last::End, *span)?] };
                e.connect(&mut builder, &body.exits, &end, *span)?;
                initial = body.first;
                if body.passes {
                    initial.extend(end);
                }
                Ok(())
            }
            Member::Init(names) => {
                let span = names.first().map(|n| n.span).unwrap_or_default();
                let error = e.error(&codes::RWB_MIXED_THREAD, span, "`init` beside a `body`");
                Err(error.label("a body begins with its first act").hint("use `choose` for several beginnings"))
            }
            Member::State(..) | Member::Var(_) => Ok(()),
        })?;
        for point in &builder.points {
            for arm in &point.arms {
                self.meter.moves(arm.events.len().saturating_mul(arm.next.len()), point.span)?;
            }
        }
        Ok(builder.into_thread(name, initial))
    }

    fn sequence(&mut self, builder: &mut Builder, acts: &List<'a, Act<'a>>) -> Res<Fragment> {
        let mut whole = Fragment::empty();
        self.each(acts, &mut |e, act| e.then(builder, &mut whole, act))?;
        Ok(whole)
    }

    /// Appends `act` to `whole`.
    fn then(&mut self, builder: &mut Builder, whole: &mut Fragment, act: &Act<'a>) -> Res<()> {
        let span = act.place();
        self.meter.work(1, span)?;
        if whole.is_final() {
            let message = "nothing leads to this act".to_owned();
            self.warnings.add(&codes::RWB_UNREACHABLE_ACT, span, message, "after `bad`, `end`, `final` or a `loop`");
        }
        let next = self.act(builder, act)?;
        self.connect(builder, &whole.exits, &next.first, span)?;
        if whole.passes {
            whole.first.extend(&next.first);
        }
        if next.passes {
            self.meter.work(next.exits.len() / 8, span)?;
            whole.exits.extend(next.exits);
        } else {
            whole.exits = next.exits;
        }
        whole.passes &= next.passes;
        Ok(())
    }

    fn connect(&mut self, builder: &mut Builder, exits: &[Exit], firsts: &[usize], span: Span) -> Res<()> {
        self.meter.work(exits.len().saturating_mul(firsts.len()) / 2, span)?;
        for (point, arm) in exits {
            builder.points[*point].arms[*arm].next.extend(firsts);
        }
        Ok(())
    }

    fn act(&mut self, builder: &mut Builder, act: &Act<'a>) -> Res<Fragment> {
        match act {
            Act::Sync(sync) => {
                let request = self.optional(sync.request.as_ref())?;
                let mut events = self.optional(sync.wait.as_ref())?;
                events.union_with(&request);
                let block = self.optional(sync.block.as_ref())?;
                let (arms, ends, span) = (Vec::new(), sync.is_final, sync.span);
                let point = self.point(builder, Point { request, block, arms, bad: false, ends, span })?;
                builder.points[point].arms.push(Arm { events, next: Vec::new() });
                Ok(Fragment { first: vec![point], exits: vec![(point, 0)], passes: false })
            }
            Act::Loop(span, acts) => {
                let holes = self.holes;
                let inner = self.sequence(builder, acts)?;
                if inner.passes && self.holes == holes {
                    let error = self.error(&codes::RWB_LOOP, *span, "a loop that can run without a sync");
                    return Err(error.label("can repeat without waiting").hint("put a sync on every way through it"));
                }
                self.connect(builder, &inner.exits, &inner.first, *span)?;
                Ok(Fragment { first: inner.first, exits: Vec::new(), passes: false })
            }
            Act::Repeat(count, acts) => {
                let mut whole = Fragment::empty();
                for _ in 0..self.repeat_count(count)? {
                    self.meter.work(1, count.span)?;
                    self.each(acts, &mut |e, act| e.then(builder, &mut whole, act))?;
                }
                Ok(whole)
            }
            Act::Choose(ways) => {
                let mut whole = Fragment::default();
                for way in ways {
                    let way = self.sequence(builder, way)?;
                    whole.first.extend(way.first);
                    whole.exits.extend(way.exits);
                    whole.passes |= way.passes;
                }
                Ok(whole)
            }
            Act::Select(sync, branches) => self.select(builder, sync, branches),
            _ => {
                let last = match act {
                    Act::Bad(_) => Last::Bad,
                    Act::Final(_) => Last::Proper,
                    _ => Last::End,
                };
                let point = self.last_point(builder, last, act.place())?;
                Ok(Fragment { first: vec![point], ..Fragment::default() })
            }
        }
    }

    /// Builds one state with an arm for each branch. The state requests what any branch requests. The first
    /// branch that names an event decides where the event leads.
    fn select(&mut self, builder: &mut Builder, sync: &Sync<'a>, branches: &[Branch<'a>]) -> Res<Fragment> {
        let (block, ends, span) = (self.optional(sync.block.as_ref())?, sync.is_final, sync.span);
        let mut request = EventSet::empty(self.events.len());
        let mut covered = request.clone();
        let mut arms = Vec::new();
        let mut waited = request.clone();
        for branch in branches {
            let named = self.event_set(&branch.events)?;
            if branch.requests {
                if named.iter().any(|event| waited.contains(event)) {
                    let message = "an event that is requested here leads where an earlier branch says".to_owned();
                    self.warnings.add(
                        &codes::RWB_SELECT_OVERLAP,
                        branch.events.span,
                        message,
                        "an earlier branch waits for it",
                    );
                }
                request.union_with(&named);
            } else {
                waited.union_with(&named);
            }
            let events = self.uncovered(&branch.events, &mut covered)?;
            self.meter.kept(&events, span)?;
            arms.push(Arm { events, next: Vec::new() });
        }
        let point = self.point(builder, Point { request, block, arms, bad: false, ends, span })?;
        let mut whole = Fragment { first: vec![point], ..Fragment::default() };
        for (arm, branch) in branches.iter().enumerate() {
            let inner = self.sequence(builder, &branch.acts)?;
            self.connect(builder, &[(point, arm)], &inner.first, span)?;
            whole.exits.extend(inner.exits);
            if inner.passes {
                whole.exits.push((point, arm));
            }
        }
        Ok(whole)
    }

    fn optional(&mut self, events: Option<&Events<'a>>) -> Res<EventSet> {
        match events {
            Some(events) => self.event_set(events),
            None => Ok(EventSet::empty(self.events.len())),
        }
    }

    fn point(&mut self, builder: &mut Builder, point: Point) -> Res<usize> {
        self.meter.state(point.span)?;
        self.meter.kept(&point.request, point.span)?;
        self.meter.kept(&point.block, point.span)?;
        builder.points.push(point);
        Ok(builder.points.len() - 1)
    }

    /// Returns the state that all `bad`s share, or all ends of one kind.
    fn last_point(&mut self, builder: &mut Builder, last: Last, span: Span) -> Res<usize> {
        if let Some(point) = builder.last(last) {
            return Ok(*point);
        }
        let none = EventSet::empty(self.events.len());
        let (bad, ends) = (matches!(last, Last::Bad), matches!(last, Last::Proper));
        let point = Point { request: none.clone(), block: none, arms: Vec::new(), bad, ends, span };
        let point = self.point(builder, point)?;
        *builder.last(last) = Some(point);
        Ok(point)
    }
}

impl Builder {
    /// Returns the slot for the state of this kind.
    fn last(&mut self, last: Last) -> &mut Option<usize> {
        match last {
            Last::Bad => &mut self.bad,
            Last::End => &mut self.end,
            Last::Proper => &mut self.proper,
        }
    }

    /// Numbers the reachable states, and drops the unreachable ones.
    fn into_thread(self, name: String, initial: Vec<usize>) -> Made {
        let mut reached = vec![false; self.points.len()];
        let mut work = initial.clone();
        while let Some(point) = work.pop() {
            if !std::mem::replace(&mut reached[point], true) {
                work.extend(self.points[point].arms.iter().filter(|a| !a.events.is_empty()).flat_map(|a| &a.next));
            }
        }
        let mut number = Vec::with_capacity(reached.len());
        let mut count = 0;
        for reached in &reached {
            number.push(count);
            count += usize::from(*reached);
        }
        let targets = |points: &[usize]| {
            let mut ids: Vec<LocalId> = points.iter().map(|p| LocalId::new(number[*p])).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let (mut states, mut spans, mut finals) = (Vec::new(), Vec::new(), Vec::new());
        for (point, _) in self.points.iter().zip(&reached).filter(|(_, reached)| **reached) {
            spans.push(point.span);
            finals.extend(point.ends.then_some(LocalId::new(states.len())));
            states.push(point.state(format!("L{}", states.len()), &targets));
        }
        let places = Places { spans, is_body: true };
        Made { thread: Thread { name, states, initial: targets(&initial) }, places, finals, priorities: Vec::new() }
    }
}

impl Point {
    fn state(&self, name: String, targets: &dyn Fn(&[usize]) -> Vec<LocalId>) -> LocalState {
        if self.bad {
            return LocalState::bad(name, self.block.universe());
        }
        let mut on = BTreeMap::new();
        for arm in &self.arms {
            let to = targets(&arm.next);
            on.extend(arm.events.iter().map(|event| (event, to.clone())));
        }
        LocalState { name, request: self.request.clone(), block: self.block.clone(), bad: false, on }
    }
}
