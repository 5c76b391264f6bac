//! Which events the sets of a random program contain, by the documentation.

use super::code::values;
use super::print::member;
use super::tree::{Arg, Atom, Case, Diff, Ex, Fault, Pattern, Type, Values, patterns};
use std::collections::BTreeSet;

/// An event: the number of its declaration and its values.
pub(super) type Event = (usize, Vec<i64>);

/// The name of an event in reports.
pub(super) fn name(case: &Case, (event, values): &Event) -> String {
    let declared = &case.events[*event];
    let shown: Vec<String> = declared
        .params
        .iter()
        .zip(values)
        .map(|(kind, n)| match kind {
            Type::Bool => (*n == 1).to_string(),
            Type::Enum(e) => member(*e, *n as usize),
            _ => n.to_string(),
        })
        .collect();
    match (shown.is_empty(), declared.is_array) {
        (true, _) => format!("e{event}"),
        (_, true) => format!("e{event}{}", shown.iter().map(|v| format!("[{v}]")).collect::<String>()),
        (_, false) => format!("e{event}({})", shown.join(",")),
    }
}

/// Values of the names that a set of events can use.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) case: &'a Case,
    pub(super) loops: &'a [(usize, i64)],
    pub(super) slots: &'a [(usize, i64)],
    pub(super) values: &'a [i64],
    pub(super) bound: &'a [(usize, i64)],
}

impl<'a> Scope<'a> {
    pub(super) fn value(&self, ex: &Ex, bound: &[(usize, i64)]) -> Result<i64, Fault> {
        let case = &self.case.consts;
        ex.value(&Values { consts: case, loops: self.loops, slots: self.slots, values: self.values, bound })
    }

    /// A named set knows only constants.
    fn global(self) -> Scope<'a> {
        Scope { loops: &[], slots: &[], values: &[], bound: &[], ..self }
    }

    /// If the pattern matches: the names that are visible, with those that the pattern binds at the end.
    fn matched(&self, pattern: &Pattern, event: &Event) -> Result<Option<Vec<(usize, i64)>>, Fault> {
        let mut bound = self.bound.to_vec();
        if pattern.event != event.0 {
            return Ok(None);
        }
        for (arg, n) in pattern.args.iter().flatten().zip(&event.1) {
            let fits = match arg {
                Arg::Any => true,
                Arg::Value(ex) => self.value(ex, self.bound)? == *n,
                Arg::Range(low, high, with_high) => {
                    let high = self.value(high, self.bound)?;
                    self.value(low, self.bound)? <= *n && (*n < high || (*with_high && *n == high))
                }
                Arg::Bind(name) => {
                    bound.push((*name, *n));
                    true
                }
            };
            if !fits {
                return Ok(None);
            }
        }
        let holds = pattern.when.as_ref().map_or(Ok(1), |when| self.value(when, &bound))?;
        Ok((holds == 1).then_some(bound))
    }

    /// If the set has the event: the names that are visible after the event.
    pub(super) fn set(&self, events: &[Diff], event: &Event) -> Result<Option<Vec<(usize, i64)>>, Fault> {
        'parts: for diff in events {
            let Some(bound) = self.atom(&diff.from, event)? else { continue };
            for minus in &diff.minus {
                if self.atom(minus, event)?.is_some() {
                    continue 'parts;
                }
            }
            return Ok(Some(bound));
        }
        Ok(None)
    }

    fn atom(&self, atom: &Atom, event: &Event) -> Result<Option<Vec<(usize, i64)>>, Fault> {
        match atom {
            Atom::All => Ok(Some(self.bound.to_vec())),
            Atom::None => Ok(None),
            Atom::Group(events) => self.set(events, event),
            Atom::Set(s) => {
                let bound = self.global().set(&self.case.sets[*s], event)?;
                Ok(bound.map(|_| self.bound.to_vec()))
            }
            Atom::Pattern(pattern) => self.matched(pattern, event),
        }
    }

    /// Adds events of which the set can have only these.
    fn candidates(&self, events: &[Diff], into: &mut BTreeSet<Event>) -> Result<(), Fault> {
        for diff in events {
            match &diff.from {
                Atom::None => {}
                Atom::All => {
                    for e in 0..self.case.events.len() {
                        self.instances(&Pattern { event: e, args: None, when: None }, into)?;
                    }
                }
                Atom::Group(events) => self.candidates(events, into)?,
                Atom::Set(s) => self.global().candidates(&self.case.sets[*s], into)?,
                Atom::Pattern(pattern) => self.instances(pattern, into)?,
            }
        }
        Ok(())
    }

    pub(super) fn instances(&self, pattern: &Pattern, into: &mut BTreeSet<Event>) -> Result<(), Fault> {
        let mut lists: Vec<Vec<i64>> = vec![Vec::new()];
        for (p, kind) in self.case.events[pattern.event].params.iter().enumerate() {
            let all = values(self.case, *kind);
            let fitting = match pattern.args.as_ref().map(|args| &args[p]) {
                Some(Arg::Value(ex)) => {
                    let n = self.value(ex, self.bound)?;
                    if all.is_none_or(|all| all.contains(&n)) { vec![n] } else { Vec::new() }
                }
                _ => all.expect("requests give values for `int`").collect(),
            };
            lists = testkit::choices([lists, fitting.into_iter().map(|n| vec![n]).collect()])
                .into_iter()
                .map(|parts| parts.concat())
                .collect();
        }
        into.extend(lists.into_iter().map(|list| (pattern.event, list)));
        Ok(())
    }

    /// True if all arguments of the patterns have values, which belong to the parameters.
    pub(super) fn are_proper(&self, events: &[Diff]) -> bool {
        let mut proper = true;
        patterns(events, &mut |pattern| {
            let kinds = &self.case.events[pattern.event].params;
            for (arg, kind) in pattern.args.iter().flatten().zip(kinds) {
                let value = |ex| self.value(ex, self.bound);
                proper &= match arg {
                    Arg::Any | Arg::Bind(_) => true,
                    Arg::Value(ex) => {
                        let all = values(self.case, *kind);
                        value(ex).is_ok_and(|n| all.is_none_or(|all| all.contains(&n)))
                    }
                    Arg::Range(low, high, _) => value(low).is_ok() && value(high).is_ok(),
                };
            }
        });
        proper
    }

    pub(super) fn requested(&self, events: &[Diff], into: &mut BTreeSet<Event>) -> Result<(), Fault> {
        let mut candidates = BTreeSet::new();
        self.candidates(events, &mut candidates)?;
        for event in candidates {
            if self.set(events, &event)?.is_some() {
                into.insert(event);
            }
        }
        Ok(())
    }
}
