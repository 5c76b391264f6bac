//! Events with data, and sets of them: which events a pattern matches, and which events a request lists.

use super::domain::{Domain, Ty};
use super::eval::{Code, Fault, eval};
use crate::behavior::Mention;
use crate::rwb::parse::Res;
use formats::codes;
use formats::error::{Error, Span, Text};
use model::{Declaration, Parameter};
use std::rc::Rc;

/// The largest number of events that one request lists.
const LISTED: usize = 1 << 20;

/// An event: the number of its declaration, and its data.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Event {
    pub(super) number: usize,
    pub(super) data: Box<[i64]>,
}

/// The declaration of an event.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) parameters: Vec<Domain>,
    /// True for `e[3]`, false for `e(x: 0..3)`.
    pub(super) is_array: bool,
    pub(super) is_external: bool,
}

/// All declarations that values and events refer to.
#[derive(Clone, Default, Debug)]
pub(super) struct Events {
    pub(super) list: Vec<Declared>,
    /// The names of the values of each enum.
    pub(super) enums: Vec<Vec<String>>,
}

impl Events {
    /// Returns a value as text.
    pub(super) fn value(&self, ty: Ty, value: i64) -> String {
        let named = |names: &Vec<String>| usize::try_from(value).ok().and_then(|v| names.get(v).cloned());
        match ty {
            Ty::Int => value.to_string(),
            Ty::Bool => (value != 0).to_string(),
            Ty::Enum(number) => self.enums.get(number).and_then(named).unwrap_or_else(|| value.to_string()),
        }
    }

    /// Returns the values of a type for questions.
    pub(super) fn values(&self, domain: &Domain) -> Parameter {
        match domain.ty {
            Ty::Int => Parameter::Numbers(domain.range),
            Ty::Bool => Parameter::Names(["false", "true"].map(str::to_owned).to_vec()),
            Ty::Enum(number) => Parameter::Names(self.enums.get(number).cloned().unwrap_or_default()),
        }
    }

    /// Returns the declarations for questions.
    pub(super) fn declarations(&self) -> Vec<Declaration> {
        let declaration = |declared: &Declared| Declaration {
            name: declared.name.clone(),
            parameters: declared.parameters.iter().map(|domain| self.values(domain)).collect(),
        };
        self.list.iter().map(declaration).collect()
    }

    /// Returns the name of an event with its data: `move(4,X)`, `e[0][2]`.
    pub(super) fn name(&self, event: &Event) -> String {
        let declared = &self.list[event.number];
        let data = declared.parameters.iter().zip(&event.data).map(|(domain, value)| self.value(domain.ty, *value));
        let data: Vec<String> = data.collect();
        match (data.is_empty(), declared.is_array) {
            (true, _) => declared.name.clone(),
            (false, true) => format!("{}[{}]", declared.name, data.join("][")),
            (false, false) => format!("{}({})", declared.name, data.join(",")),
        }
    }
}

/// A set of events.
#[derive(Clone, Debug)]
pub(super) enum PatternSet {
    All,
    Union(Vec<PatternSet>),
    /// The first set minus the other sets.
    Minus(Vec<PatternSet>),
    One(Pattern),
    /// Events that are given one by one, in ascending order.
    These(Rc<[Event]>, Span),
}

/// The events of one declaration with data that fits.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) number: usize,
    pub(super) arguments: Vec<Argument>,
    pub(super) filter: Option<Code>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Argument {
    Any,
    One(Code),
    /// From the first number to the second, which belongs to the range.
    Range(Code, Code),
    /// Stores the value in this slot.
    Bind(usize),
}

impl PatternSet {
    /// Returns the place of the first pattern.
    fn span(&self) -> Span {
        if let PatternSet::These(_, span) = self {
            return *span;
        }
        let mut first = None;
        self.patterns(&mut |pattern| _ = first.get_or_insert(pattern.span));
        first.unwrap_or_default()
    }

    /// Calls `visit` for every pattern.
    pub(super) fn patterns<'p>(&'p self, visit: &mut dyn FnMut(&'p Pattern)) {
        match self {
            PatternSet::All | PatternSet::These(..) => {}
            PatternSet::Union(sets) | PatternSet::Minus(sets) => sets.iter().for_each(|set| set.patterns(visit)),
            PatternSet::One(pattern) => visit(pattern),
        }
    }

    /// Says which events the set may contain.
    pub(super) fn mentions(&self, visit: &mut dyn FnMut(Mention<Event>)) {
        match self {
            PatternSet::All => visit(Mention::All),
            PatternSet::Union(sets) => sets.iter().for_each(|set| set.mentions(visit)),
            PatternSet::Minus(sets) => sets.iter().take(1).for_each(|set| set.mentions(visit)),
            PatternSet::One(pattern) => match pattern.single() {
                Some(event) => visit(Mention::One(event)),
                None => visit(Mention::Family(pattern.number)),
            },
            PatternSet::These(events, _) => events.iter().for_each(|event| visit(Mention::One(event.clone()))),
        }
    }

    /// Checks that the arguments have values, and that they are values of the parameters.
    pub(super) fn check(&self, events: &Events, values: &[i64]) -> Result<(), Fault> {
        let mut result = Ok(());
        self.patterns(&mut |pattern| {
            if result.is_ok() {
                result = pattern.check(events, values);
            }
        });
        result
    }

    /// True if the set contains the event. The values of the pattern that matched are stored.
    pub(super) fn matches(&self, event: &Event, values: &mut [i64]) -> Result<bool, Fault> {
        Ok(match self {
            PatternSet::All => true,
            PatternSet::Union(sets) => {
                for set in sets {
                    if set.matches(event, values)? {
                        return Ok(true);
                    }
                }
                false
            }
            PatternSet::Minus(sets) => {
                let [first, rest @ ..] = &sets[..] else { return Ok(false) };
                if !first.matches(event, values)? {
                    return Ok(false);
                }
                // What the other sets bind is not seen outside of them.
                let mut scratch = values.to_vec();
                for set in rest {
                    if set.matches(event, &mut scratch)? {
                        return Ok(false);
                    }
                }
                true
            }
            PatternSet::One(pattern) => pattern.number == event.number && pattern.matches(event, values)?,
            PatternSet::These(events, _) => events.binary_search(event).is_ok(),
        })
    }
}

impl Pattern {
    /// Returns the only event of the pattern, if its arguments are constants.
    fn single(&self) -> Option<Event> {
        let constant = |argument: &Argument| match argument {
            Argument::One(code) => code.constant(),
            _ => None,
        };
        let data: Option<Box<[i64]>> = self.arguments.iter().map(constant).collect();
        Some(Event { number: self.number, data: data? })
    }

    fn check(&self, events: &Events, values: &[i64]) -> Result<(), Fault> {
        let declared = &events.list[self.number];
        for (argument, domain) in self.arguments.iter().zip(&declared.parameters) {
            match argument {
                Argument::Any | Argument::Bind(_) => {}
                Argument::One(code) => {
                    let value = eval(code, values)?;
                    if !domain.contains(value) {
                        let (least, most) = domain.range.unwrap_or_default();
                        let name = &declared.name;
                        let message = format!("{value} is no argument of {name}: outside of {least}..={most}");
                        return Err(Fault::new(code.span, message));
                    }
                }
                Argument::Range(from, to) => {
                    eval(from, values)?;
                    eval(to, values)?;
                }
            }
        }
        Ok(())
    }

    fn matches(&self, event: &Event, values: &mut [i64]) -> Result<bool, Fault> {
        for (argument, value) in self.arguments.iter().zip(&event.data) {
            let fits = match argument {
                Argument::Any => true,
                Argument::One(code) => eval(code, values)? == i128::from(*value),
                Argument::Range(from, to) => (eval(from, values)?..=eval(to, values)?).contains(&i128::from(*value)),
                Argument::Bind(slot) => {
                    values[*slot] = *value;
                    true
                }
            };
            if !fits {
                return Ok(false);
            }
        }
        match &self.filter {
            Some(filter) => Ok(eval(filter, values)? != 0),
            None => Ok(true),
        }
    }
}

/// Lists the events of sets, for requests.
#[derive(Clone, Copy)]
pub(super) struct Listing<'l> {
    pub(super) events: &'l Events,
    /// The values of the slots.
    pub(super) values: &'l [i64],
    pub(super) source: Text<'l>,
}

impl Listing<'_> {
    /// Lists the events of a set.
    ///
    /// # Errors
    /// If there are infinitely or too many, or a condition cannot be evaluated.
    pub(super) fn of(self, set: &PatternSet) -> Res<Vec<Event>> {
        match set {
            PatternSet::All => {
                let all = |(number, declared): (usize, &Declared)| {
                    let arguments = vec![Argument::Any; declared.parameters.len()];
                    PatternSet::One(Pattern { number, arguments, filter: None, span: declared.span })
                };
                self.union(&self.events.list.iter().enumerate().map(all).collect::<Vec<_>>())
            }
            PatternSet::Union(sets) => self.union(sets),
            PatternSet::Minus(sets) => {
                let [first, rest @ ..] = &sets[..] else { return Ok(Vec::new()) };
                let mut left = Vec::new();
                let mut scratch = self.values.to_vec();
                for event in self.of(first)? {
                    let mut is_out = false;
                    for set in rest {
                        is_out |= set.matches(&event, &mut scratch).map_err(|fault| fault.in_set(self.source))?;
                    }
                    if !is_out {
                        left.push(event);
                    }
                }
                Ok(left)
            }
            PatternSet::One(pattern) => self.of_pattern(pattern),
            PatternSet::These(events, _) => Ok(events.to_vec()),
        }
    }

    fn union(self, sets: &[PatternSet]) -> Res<Vec<Event>> {
        let mut listed = Vec::new();
        for set in sets {
            listed.extend(self.of(set)?);
            if listed.len() > LISTED {
                return Err(self.too_many(set.span()));
            }
        }
        Ok(listed)
    }

    fn of_pattern(self, pattern: &Pattern) -> Res<Vec<Event>> {
        let declared = &self.events.list[pattern.number];
        let mut ranges = Vec::with_capacity(pattern.arguments.len());
        let mut count: usize = 1;
        for (argument, domain) in pattern.arguments.iter().zip(&declared.parameters) {
            let (least, most) = match (argument, domain.range) {
                (Argument::One(code), _) => {
                    let value = self.value(code)?;
                    (value, value)
                }
                // Only the values of the parameter are events.
                (Argument::Range(from, to), Some((least, most))) => {
                    (self.bound(from)?.max(least), self.bound(to)?.min(most))
                }
                (Argument::Range(from, to), None) => (self.bound(from)?, self.bound(to)?),
                (_, Some(range)) => range,
                (_, None) => return Err(self.endless(pattern, &declared.name)),
            };
            let size = if most < least { 0 } else { most.abs_diff(least).saturating_add(1) };
            count = count.saturating_mul(usize::try_from(size).unwrap_or(usize::MAX));
            ranges.push((least, most));
        }
        if count > LISTED {
            return Err(self.too_many(pattern.span));
        }
        let (mut listed, mut scratch) = (Vec::new(), self.values.to_vec());
        let mut data: Vec<i64> = ranges.iter().map(|range| range.0).collect();
        for _ in 0..count {
            let event = Event { number: pattern.number, data: data.clone().into() };
            if pattern.matches(&event, &mut scratch).map_err(|fault| fault.in_set(self.source))? {
                listed.push(event);
            }
            // The next combination: the last argument changes first.
            for at in (0..data.len()).rev() {
                if data[at] < ranges[at].1 {
                    data[at] += 1;
                    break;
                }
                data[at] = ranges[at].0;
            }
        }
        Ok(listed)
    }

    fn value(self, code: &Code) -> Res<i64> {
        let value = eval(code, self.values)
            .and_then(|value| i64::try_from(value).map_err(|_| Fault::beyond(code.span, "an argument beyond 64 bits")));
        value.map_err(|fault| fault.in_set(self.source))
    }

    /// Returns the bound of a range. No argument is beyond 64 bits.
    fn bound(self, code: &Code) -> Res<i64> {
        let value = eval(code, self.values).map_err(|fault| fault.in_set(self.source))?;
        Ok(i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX }))
    }

    fn too_many(self, span: Span) -> Box<Error> {
        let message = format!("this requests more than {LISTED} events at once");
        self.source.error(&codes::LIMIT_EVENTS, span.range(), message).label("too many")
    }

    fn endless(self, pattern: &Pattern, name: &str) -> Box<Error> {
        let message = format!("a request of `{name}` with any number");
        self.source
            .error(&codes::RWB_ENDLESS_REQUEST, pattern.span.range(), message)
            .label("infinitely many events")
            .hint("give the parameter a range, as in `event level(v: 0..10)`, or request one value")
    }
}
