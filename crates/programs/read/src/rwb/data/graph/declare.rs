//! What a program declares outside of its threads: sorts, events and their parameters.

use super::super::events::{Declared, Events};
use crate::import::{At, Name, Program, Sort, Sorted, Value};
use crate::rwb::data::domain::{Domain, Ty};
use crate::rwb::parse::Res;
use formats::error::{Error, Text, printable};
use formats::{codes, suggest};
use std::collections::HashMap;

/// The sorts that a program does not declare.
const BUILT_IN: [&str; 2] = ["Int", "Bool"];

/// The declarations of a program.
pub(super) struct Declarations<'a, 'p> {
    pub(super) source: Text<'a>,
    pub(super) events: Events,
    /// The number of each event.
    pub(super) numbers: HashMap<&'p str, usize>,
    /// For each event: the names of its parameters.
    pub(super) parameters: Vec<Vec<&'p str>>,
    /// For each string: the enums that have it, with its number there.
    pub(super) values: HashMap<&'p str, Vec<(usize, i64)>>,
    enums: HashMap<&'p [String], usize>,
    sorts: HashMap<&'p str, Domain>,
}

impl<'a, 'p> Declarations<'a, 'p> {
    pub(super) fn of(source: Text<'a>, program: &'p Program) -> Res<Self> {
        let mut all = Self {
            source,
            events: Events::default(),
            numbers: HashMap::new(),
            parameters: Vec::new(),
            values: HashMap::new(),
            enums: HashMap::new(),
            sorts: HashMap::new(),
        };
        for sort in &program.sorts {
            if BUILT_IN.contains(&sort.name.text.as_str()) {
                let message = format!("the sort `{}` has a meaning already", sort.name.text);
                let error = source.error(&codes::RWB_DUPLICATE, sort.name.at.0.range(), message);
                return Err(error.label("another name is needed"));
            }
            let domain = all.domain(sort)?;
            if all.sorts.insert(&sort.name.text, domain).is_some() {
                return Err(all.duplicate("sort", &sort.name));
            }
        }
        for event in &program.events {
            let mut names: Vec<&str> = Vec::with_capacity(event.parameters.len());
            let mut domains = Vec::with_capacity(event.parameters.len());
            let mut seen = std::collections::HashSet::new();
            for parameter in &event.parameters {
                if !seen.insert(&parameter.name.text) {
                    return Err(all.duplicate("parameter", &parameter.name));
                }
                domains.push(all.domain(parameter)?);
                names.push(&parameter.name.text);
            }
            if all.numbers.insert(&event.name.text, all.events.list.len()).is_some() {
                return Err(all.duplicate("event", &event.name));
            }
            let (name, span, is_external) = (event.name.text.clone(), event.name.at.0, event.is_external);
            all.events.list.push(Declared { name, span, parameters: domains, is_array: false, is_external });
            all.parameters.push(names);
        }
        Ok(all)
    }

    pub(super) fn duplicate(&self, what: &str, name: &Name) -> Box<Error> {
        let message = format!("the {what} `{}` is declared twice", printable(&name.text));
        self.source.error(&codes::RWB_DUPLICATE, name.at.0.range(), message).label("declared again here")
    }

    /// Returns the domain of a sort.
    pub(super) fn domain(&mut self, sorted: &'p Sorted) -> Res<Domain> {
        let place = sorted.at.0.range();
        match &sorted.sort {
            Sort::Int => Ok(Domain { ty: Ty::Int, range: None }),
            Sort::Bool => Ok(Domain { ty: Ty::Bool, range: Some((0, 1)) }),
            Sort::Range(least, most) if least <= most => Ok(Domain { ty: Ty::Int, range: Some((*least, *most)) }),
            Sort::Range(..) => {
                let error = self.source.error(&codes::RWB_ARRAY_SIZE, place, "a sort without values");
                Err(error.label("the first number is larger"))
            }
            Sort::Values(values) if values.is_empty() => {
                let error = self.source.error(&codes::RWB_ARRAY_SIZE, place, "a sort without values");
                Err(error.label("expected at least one string"))
            }
            Sort::Values(values) => {
                let number = self.enumeration(values, sorted)?;
                let most = i64::try_from(values.len()).unwrap_or(i64::MAX) - 1;
                Ok(Domain { ty: Ty::Enum(number), range: Some((0, most)) })
            }
            Sort::Named(name) => {
                self.sorts.get(name.as_str()).copied().ok_or_else(|| self.unknown_sort(name, sorted.at))
            }
        }
    }

    /// Returns the number of a list of strings. Equal lists are the same type.
    fn enumeration(&mut self, values: &'p [String], sorted: &Sorted) -> Res<usize> {
        if let Some(number) = self.enums.get(values) {
            return Ok(*number);
        }
        let number = self.events.enums.len();
        for (at, value) in (0..).zip(values) {
            let list = self.values.entry(value).or_default();
            if list.last().is_some_and(|(last, _)| *last == number) {
                let message = format!("the value `{}` stands twice in one sort", printable(value));
                let error = self.source.error(&codes::RWB_DUPLICATE, sorted.at.0.range(), message);
                return Err(error.label("in this list"));
            }
            list.push((number, at));
        }
        self.enums.insert(values, number);
        self.events.enums.push(values.to_vec());
        Ok(number)
    }

    fn unknown_sort(&self, name: &str, at: At) -> Box<Error> {
        let message = format!("the sort `{}` is not supported", printable(name));
        let error = self.source.error(&codes::IMPORT_SORT, at.0.range(), message).label("not a sort");
        let known = self.sorts.keys().copied().chain(BUILT_IN);
        let hint = match name {
            "Real" => "for exact fractions use `Int`, with all numbers multiplied by a common denominator",
            "String" => "list the strings that can occur: `[\"a\", \"b\"]`",
            _ if name.contains("BitVec") => "use a range, as in `{\"range\": [0, 255]}`; sums then need `mod`",
            _ if name.contains("Array") => "use a parameter or a variable for each element",
            _ => {
                return suggest::hinted(
                    error,
                    name,
                    known,
                    "a sort is `\"Int\"`, `\"Bool\"`, `{\"range\": [0, 9]}`, a list of strings, or a name in `sorts`",
                );
            }
        };
        error.hint(hint)
    }

    /// Returns the name of a type for errors.
    pub(super) fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Int => "a number".to_owned(),
            Ty::Bool => "a truth value".to_owned(),
            Ty::Enum(number) => {
                let values = &self.events.enums[number];
                let more = if values.len() > 4 { ", .." } else { "" };
                let first: Vec<String> = values.iter().take(4).map(|value| format!("`{}`", printable(value))).collect();
                format!("one of {}{more}", first.join(", "))
            }
        }
    }

    /// Returns the number of an event.
    pub(super) fn event(&self, name: &Name) -> Res<usize> {
        if let Some(number) = self.numbers.get(name.text.as_str()) {
            return Ok(*number);
        }
        let message = format!("there is no event `{}`", printable(&name.text));
        let error =
            self.source.error(&codes::RWB_UNDECLARED_EVENT, name.at.0.range(), message).label("not in `events`");
        let known = self.events.list.iter().map(|event| event.name.as_str());
        Err(suggest::hinted(error, &name.text, known, ""))
    }

    /// Returns a value of a domain as a number. `None` for any value.
    pub(super) fn value(&self, value: &Value, domain: &Domain, at: At) -> Res<Option<i64>> {
        let found = match (value, domain.ty) {
            (Value::Any, _) => return Ok(None),
            (Value::Number(number), Ty::Int) => Some(*number),
            (Value::Truth(truth), Ty::Bool) => Some(i64::from(*truth)),
            (Value::Text(text), Ty::Enum(number)) => {
                let list = self.values.get(text.as_str()).map_or(&[][..], Vec::as_slice);
                list.iter().find(|(of, _)| *of == number).map(|(_, at)| *at)
            }
            _ => None,
        };
        let fits = |number: &i64| domain.contains(i128::from(*number));
        found.filter(fits).map(Some).ok_or_else(|| {
            let expected = match (domain.ty, domain.range) {
                (Ty::Int, Some((least, most))) => format!("a number from {least} to {most}"),
                (ty, _) => self.type_name(ty),
            };
            let error = self.source.error(&codes::RWB_INDEX_RANGE, at.0.range(), "this is no value of the sort");
            error.label(format!("expected {expected}"))
        })
    }
}
