//! Sets of events of imported programs.

use super::super::eval::{Code, Op};
use super::super::events::{Argument, Event, Pattern, PatternSet};
use super::ThreadBuilder;
use super::scope::Scope;
use crate::import::{Atom, EventSet, Events};
use crate::rwb::ast::Binary;
use crate::rwb::data::domain::Ty;
use crate::rwb::parse::Res;
use formats::codes;
use formats::error::{Span, printable};

impl ThreadBuilder<'_, '_, '_, '_> {
    /// Compiles a set of events. The patterns store the values of the parameters with these names.
    pub(super) fn set(&mut self, set: &EventSet, binds: &[String]) -> Res<PatternSet> {
        match set {
            EventSet::All => {
                self.draft.mentions_all = true;
                Ok(PatternSet::All)
            }
            EventSet::Minus(sets) => {
                let mut parts = Vec::with_capacity(sets.len());
                for (at, set) in sets.iter().enumerate() {
                    parts.push(self.set(set, if at == 0 { binds } else { &[] })?);
                }
                Ok(PatternSet::Minus(parts))
            }
            EventSet::Union(sets) => self.union(sets, binds),
            EventSet::Of(events) => self.events(events, binds),
        }
    }

    /// Events that are given one by one become one part of the union.
    fn union(&mut self, sets: &[EventSet], binds: &[String]) -> Res<PatternSet> {
        let (mut given, mut place, mut parts) = (Vec::new(), Span::default(), Vec::new());
        for set in sets {
            match self.set(set, binds)? {
                PatternSet::These(events, span) => {
                    place = if given.is_empty() { span } else { place };
                    given.extend(events.iter().cloned());
                }
                PatternSet::Union(more) => parts.extend(more),
                other => parts.push(other),
            }
        }
        given.sort_unstable();
        given.dedup();
        if !given.is_empty() {
            parts.insert(0, PatternSet::These(given.into(), place));
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { PatternSet::Union(parts) })
    }

    fn events(&mut self, events: &Events, binds: &[String]) -> Res<PatternSet> {
        self.globals.meter.work(1, events.at.0)?;
        let number = self.declared.event(&events.name)?;
        self.draft.mentioned.insert(number);
        let domains = self.declared.events.list[number].parameters.clone();
        let (mut arguments, mut filter) = (vec![Argument::Any; domains.len()], None);
        match &events.atom {
            Atom::All if domains.is_empty() => {
                let event = Event { number, data: Box::default() };
                return Ok(PatternSet::These([event].into(), events.at.0));
            }
            Atom::All => {}
            Atom::Values(values) => {
                if values.len() != domains.len() {
                    let (name, found) = (printable(&events.name.text), values.len());
                    let message = format!("`{name}` has {} parameters, and not {found}", domains.len());
                    let error = self.declared.source.error(&codes::RWB_INDEX_COUNT, events.at.0.range(), message);
                    return Err(error.label("another number of values").hint("`null` stands for any value"));
                }
                let mut data = Vec::with_capacity(values.len());
                for ((value, at), domain) in values.iter().zip(&domains) {
                    data.push((self.declared.value(value, domain, *at)?, at.0));
                }
                let given: Option<Box<[i64]>> = data.iter().map(|(value, _)| *value).collect();
                if let (Some(data), true) = (given, binds.is_empty()) {
                    return Ok(PatternSet::These([Event { number, data }].into(), events.at.0));
                }
                for (argument, (value, span)) in arguments.iter_mut().zip(data) {
                    if let Some(value) = value {
                        *argument = Argument::One(Code { ops: vec![(Op::Push(value), span)], span });
                    }
                }
            }
            Atom::When(formula) => {
                let parameters = self.declared.parameters[number].iter().copied().zip(domains.iter().copied());
                let mut scope = Scope::of(parameters.collect(), Some(&events.name.text));
                filter = Some(self.term(formula, &mut scope, Ty::Bool)?);
                for (at, slot) in scope.used() {
                    arguments[at] = Argument::Bind(slot);
                }
            }
        }
        for name in binds {
            let parameter = self.declared.parameters[number].iter().position(|other| other == name);
            let Some(at) = parameter else { unreachable!("only shared parameters are bound") };
            let slot = self.slot(name, domains[at]);
            // A value that is given and stored is compared after it was stored.
            if let Argument::One(code) = std::mem::replace(&mut arguments[at], Argument::Bind(slot)) {
                filter = Some(both(filter, slot, code));
            }
        }
        Ok(PatternSet::One(Pattern { number, arguments, filter, span: events.at.0 }))
    }
}

/// Returns the condition that the filter holds and the slot has this value.
fn both(filter: Option<Code>, slot: usize, mut code: Code) -> Code {
    let span = code.span;
    code.ops.extend([(Op::Load(slot), span), (Op::Binary(Binary::Equal), span)]);
    if let Some(filter) = filter {
        debug_assert!(filter.ops.iter().all(|(op, _)| !matches!(op, Op::SkipIf(..))), "made of values only");
        code.ops.extend(filter.ops);
        code.ops.push((Op::Binary(Binary::And), span));
    }
    code
}
