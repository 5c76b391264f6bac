//! Reader of programs in JSON, version 2: the structure of the text. What names and predicates mean is checked later.

use super::event_set::Events;
use super::{
    At, Atom, EventDeclaration, EventSet, Formula, ImportedState, Move, Name, Program, Sort, Sorted, Then, Thread,
    Update, Value, Variable, Verbatim,
};
use formats::codes;
use formats::error::{Error, Span, printable};
use formats::errors::Errors;
use formats::format::Read;
use formats::json::{Document, Object, Res, Value as Json};
use formats::source::{Limits, Source};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The largest number of sets of events inside each other.
const MOST_NESTED: usize = 50;

/// Reads a problem from a document of version 2.
pub(crate) fn read<'a>(document: Document<'a>, root: Json<'a>) -> Result<Read, Box<Error>> {
    let made =
        Reader::new(document).program(root).and_then(|p| crate::rwb::of_graphs(&p, document.text, document.limits));
    let mut made = made.map_err(|error| error.with_pointers(&|at| document.pointer(root, at)))?;
    for warning in &mut made.warnings {
        warning.set_pointer(&|at| document.pointer(root, at));
    }
    Ok(made)
}

/// Reads a program from JSON text.
pub(super) fn program(source: &Source, limits: &Limits) -> Res<Program> {
    let (document, root) = Document::open(source, limits)?;
    Reader::new(document).program(root).map_err(|error| error.with_pointers(&|at| document.pointer(root, at)))
}

struct Reader<'a> {
    document: Document<'a>,
    /// The files of states, each once.
    files: HashMap<String, Arc<str>>,
}

impl<'a> Reader<'a> {
    fn new(document: Document<'a>) -> Self {
        Self { document, files: HashMap::new() }
    }

    fn at(&self, value: Json<'a>) -> At {
        At(Span::new(self.document.span(value)))
    }

    fn program(&mut self, root: Json<'a>) -> Res<Program> {
        let object = self.document.record(root, "a program", &["rwb", "check", "sorts", "events", "threads"])?;
        let version = self.document.required(&object, "rwb")?;
        if version.get() != "2" {
            let message = format!("version {} is not the version of this form", printable(version.get()));
            return Err(self.document.error(&codes::JSON_VERSION, version, message).label("expected 2"));
        }
        let check = object.get("check").map(|value| self.document.goals(value)).transpose()?;
        let mut sorts = Vec::new();
        if let Some(value) = object.get("sorts") {
            for (key, _, value) in self.document.object(value, "an object of sorts")?.entries {
                sorts.push(Sorted { name: self.name(key)?, sort: self.sort(value)?, at: self.at(value) });
            }
        }
        let mut events = Vec::new();
        for value in self.document.array(self.document.required(&object, "events")?, "a list of events")? {
            events.push(self.event(value)?);
        }
        let list = self.document.array(self.document.required(&object, "threads")?, "a list of threads")?;
        let (mut threads, mut errors) = (Vec::with_capacity(list.len()), Errors::default());
        let all: Res<()> = list.into_iter().try_for_each(|value| match self.thread(value, &mut errors) {
            Ok(thread) => {
                threads.push(thread);
                Ok(())
            }
            Err(error) => errors.note(error),
        });
        errors.finish(all)?;
        Ok(Program { check, sorts, events, threads })
    }

    /// Reads a name. Reports show it, so it must be printable.
    fn name(&self, value: Json<'a>) -> Res<Name> {
        let text = self.text(value, "a name")?;
        if text.is_empty() || text.chars().any(char::is_control) {
            let message = format!("`{}` is not a name", printable(&text));
            return Err(self.document.error(&codes::JSON_NAME, value, message).label("expected a name like `s`"));
        }
        Ok(Name { text: text.into_owned(), at: self.at(value) })
    }

    /// Reads a string that reports may show.
    fn text(&self, value: Json<'a>, what: &str) -> Res<Cow<'a, str>> {
        let text = self.document.string(value, what)?;
        let most = self.document.limits.name_length;
        if text.len() > most {
            let error = self.document.error(&codes::LIMIT_NAME, value, format!("a text of {} bytes", text.len()));
            return Err(error.label(format!("expected at most {most} bytes")));
        }
        Ok(text)
    }

    fn number(&self, value: Json<'a>, what: &str) -> Res<i64> {
        value.get().parse::<i64>().map_err(|_| {
            let is_number = value.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
            let code = if is_number { &codes::LIMIT_NUMBER } else { &codes::JSON_TYPE };
            let message = format!("expected {what}, found {}", printable(value.get()));
            self.document.error(code, value, message).label("expected an integer below 2^63")
        })
    }

    fn flag(&self, object: &Object<'a>, key: &str) -> Res<bool> {
        object.get(key).map_or(Ok(false), |value| self.document.boolean(value, "true or false"))
    }

    fn sort(&self, value: Json<'a>) -> Res<Sort> {
        let document = &self.document;
        match value.get().as_bytes().first() {
            Some(b'[') => {
                let mut values = Vec::new();
                for value in document.array(value, "a list of strings")? {
                    values.push(self.text(value, "a string, a value of the sort")?.into_owned());
                }
                Ok(Sort::Values(values))
            }
            Some(b'{') => {
                let range = document.required(&document.record(value, "a sort", &["range"])?, "range")?;
                let [least, most] = document.array(range, "the smallest and the largest number")?[..] else {
                    let error = document.error(&codes::JSON_TYPE, range, "a range has two numbers");
                    return Err(error.label("expected the smallest and the largest number, as in `[0, 9]`"));
                };
                Ok(Sort::Range(self.number(least, "a number")?, self.number(most, "a number")?))
            }
            _ => Ok(match document.string(value, "a sort")?.as_ref() {
                "Int" => Sort::Int,
                "Bool" => Sort::Bool,
                name => Sort::Named(name.to_owned()),
            }),
        }
    }

    fn event(&self, value: Json<'a>) -> Res<EventDeclaration> {
        if value.get().starts_with('"') {
            return Ok(EventDeclaration { name: self.name(value)?, parameters: Vec::new(), is_external: false });
        }
        let object = self.document.record(value, "an event", &["name", "parameters", "environment"])?;
        let name = self.name(self.document.required(&object, "name")?)?;
        let mut parameters = Vec::new();
        if let Some(list) = object.get("parameters") {
            for value in self.document.array(list, "a list of parameters")? {
                parameters.push(self.sorted(&self.document.record(value, "a parameter", &["name", "sort"])?)?);
            }
        }
        Ok(EventDeclaration { name, parameters, is_external: self.flag(&object, "environment")? })
    }

    fn sorted(&self, object: &Object<'a>) -> Res<Sorted> {
        let (name, sort) = (self.document.required(object, "name")?, self.document.required(object, "sort")?);
        Ok(Sorted { name: self.name(name)?, sort: self.sort(sort)?, at: self.at(sort) })
    }

    fn priority(&self, object: &Object<'a>) -> Res<Option<(i64, At)>> {
        let read = |value| Ok((self.number(value, "a priority, a number")?, self.at(value)));
        object.get("priority").map(read).transpose()
    }

    fn thread(&mut self, value: Json<'a>, errors: &mut Errors) -> Res<Thread> {
        let keys = ["name", "priority", "variables", "init", "states"];
        let object = self.document.record(value, "a thread", &keys)?;
        let name = self.name(self.document.required(&object, "name")?)?;
        let priority = self.priority(&object)?;
        let mut variables = Vec::new();
        if let Some(list) = object.get("variables") {
            for value in self.document.array(list, "a list of variables")? {
                variables.push(self.variable(value)?);
            }
        }
        let initial = match object.get("init") {
            Some(list) => self.targets(list)?,
            None => Vec::new(),
        };
        let list = self.document.required(&object, "states")?;
        let values = self.document.array(list, "a list of states")?;
        if values.is_empty() {
            let message = format!("thread `{}` has no state", printable(&name.text));
            return Err(self.document.error(&codes::RWB_EMPTY_THREAD, list, message).label("expected a state"));
        }
        let mut states = Vec::with_capacity(values.len());
        for value in values {
            match self.state(value) {
                Ok(state) => states.push(state),
                Err(error) => errors.note(error)?,
            }
        }
        Ok(Thread { name, priority, variables, initial, states })
    }

    fn variable(&self, value: Json<'a>) -> Res<Variable> {
        let object = self.document.record(value, "a variable", &["name", "sort", "initial"])?;
        let declared = self.sorted(&object)?;
        let initial = object.get("initial");
        let initial_at = initial.map_or(declared.name.at, |value| self.at(value));
        let initial = initial.map(|value| self.value(value)).transpose()?;
        Ok(Variable { declared, initial, initial_at })
    }

    fn value(&self, value: Json<'a>) -> Res<Value> {
        Ok(match value.get() {
            "null" => Value::Any,
            "true" => Value::Truth(true),
            "false" => Value::Truth(false),
            text if text.starts_with('"') => Value::Text(self.text(value, "a value")?.into_owned()),
            _ => Value::Number(self.number(value, "a value: a number, a truth value, a string or null")?),
        })
    }

    /// Reads a list of names of states. It is not empty.
    fn targets(&self, value: Json<'a>) -> Res<Vec<Name>> {
        let list = self.document.array(value, "a list of names of states")?;
        if list.is_empty() {
            let error = self.document.error(&codes::JSON_NO_TARGET, value, "a list without a state");
            return Err(error.label("expected at least one state").hint("an event that must not happen is blocked"));
        }
        list.into_iter().map(|value| self.name(value)).collect()
    }

    fn state(&mut self, value: Json<'a>) -> Res<ImportedState> {
        let keys = [
            "name",
            "values",
            "file",
            "line",
            "bad",
            "final",
            "hot",
            "priority",
            "request",
            "wait",
            "block",
            "interrupt",
            "on",
            "to",
            "set",
        ];
        let object = self.document.record(value, "a state", &keys)?;
        let name_at = self.document.required(&object, "name")?;
        let values = match object.get("values") {
            Some(value) => self.text(value, "the values of variables, a string")?.into_owned(),
            None => String::new(),
        };
        let bad = match object.get("bad") {
            Some(value) if value.get().starts_with('"') => Some(self.text(value, "a message")?.into_owned()),
            Some(value) => self.document.boolean(value, "true, false or a message")?.then(String::new),
            None => None,
        };
        let set = |key| object.get(key).map_or_else(|| Ok(EventSet::none()), |value| self.set(value, 0));
        let mut moves = Vec::new();
        if let Some(list) = object.get("on") {
            for value in self.document.array(list, "a list of moves")? {
                let one = self.document.record(value, "a move", &["events", "to", "set"])?;
                let on = self.set(self.document.required(&one, "events")?, 0)?;
                self.document.required(&one, "to")?;
                moves.push(Move { on, then: self.then(&one)?, at: self.at(value) });
            }
        }
        Ok(ImportedState {
            name: self.name(name_at)?,
            values,
            bad,
            is_final: self.flag(&object, "final")?,
            is_hot: self.flag(&object, "hot")?,
            priority: self.priority(&object)?,
            request: set("request")?,
            wait: set("wait")?,
            block: set("block")?,
            interrupt: set("interrupt")?,
            moves,
            then: self.then(&object)?,
            at: self.at(name_at),
            place: self.place(&object)?,
        })
    }

    /// Reads where a state comes from.
    fn place(&mut self, object: &Object<'a>) -> Res<Option<(Arc<str>, u32)>> {
        let Some(line) = object.get("line") else {
            let Some(file) = object.get("file") else { return Ok(None) };
            let error = self.document.error(&codes::JSON_MISSING_KEY, file, "a file without a line");
            return Err(error.label("expected `line` beside it"));
        };
        let number = u32::try_from(self.number(line, "a line")?).ok().filter(|n| (1..1 << 31).contains(n));
        let Some(number) = number else {
            let message = format!("there is no line {}", printable(line.get()));
            return Err(self.document.error(&codes::JSON_TYPE, line, message).label("lines count from 1"));
        };
        let file = match object.get("file") {
            Some(value) => self.name(value)?.text,
            None => String::new(),
        };
        let shared = self.files.entry(file).or_insert_with_key(|file| file.as_str().into());
        Ok(Some((Arc::clone(shared), number)))
    }

    fn then(&self, object: &Object<'a>) -> Res<Then> {
        let mut then = Then::default();
        if let Some(list) = object.get("to") {
            then.to = self.targets(list)?;
        }
        if let Some(value) = object.get("set") {
            for (key, _, value) in self.document.object(value, "an object of variables and terms")?.entries {
                let update = if value.get() == "null" { Update::Any } else { Update::Value(self.formula(value)?) };
                then.set.push((self.name(key)?, update));
            }
            if then.to.is_empty() {
                let error = self.document.error(&codes::JSON_NO_TARGET, value, "an assignment on no move");
                return Err(error.label("expected `to` beside it"));
            }
        }
        Ok(then)
    }

    fn formula(&self, value: Json<'a>) -> Res<Formula> {
        let text = self.document.string(value, "an SMT-LIB term, a string")?;
        let whole = self.document.span(value);
        let is_verbatim = matches!(text, Cow::Borrowed(_));
        let span = if is_verbatim { whole.start + 1..whole.end - 1 } else { whole };
        Ok(Formula { text: text.into_owned(), at: At(Span::new(span)), is_verbatim: Verbatim(is_verbatim) })
    }

    /// Reads a set of events.
    fn set(&self, value: Json<'a>, depth: usize) -> Res<EventSet> {
        if value.get() == "\"all\"" {
            return Ok(EventSet::All);
        }
        if value.get().starts_with('{') {
            return self.item(value, depth);
        }
        if value.get().starts_with('"') {
            let error = self.document.error(&codes::JSON_TYPE, value, "expected a set of events, found a string");
            return Err(error.label("of the wrong type").hint("a set is a list, as in `[\"go\"]`, or `\"all\"`"));
        }
        if depth == MOST_NESTED {
            let message = format!("sets of events are nested more than {MOST_NESTED} deep");
            return Err(self.document.error(&codes::LIMIT_NESTING, value, message).label("one level too deep"));
        }
        let list = self.document.array(value, "a set of events")?;
        let mut sets = list.into_iter().map(|value| self.item(value, depth + 1)).collect::<Res<Vec<_>>>()?;
        Ok(if sets.len() == 1 { sets.remove(0) } else { EventSet::Union(sets) })
    }

    /// Reads an element of a set.
    fn item(&self, value: Json<'a>, depth: usize) -> Res<EventSet> {
        if value.get().starts_with('"') {
            return Ok(EventSet::Of(Events { name: self.name(value)?, atom: Atom::All, at: self.at(value) }));
        }
        if !value.get().starts_with('{') {
            return self.set(value, depth);
        }
        let object = self.document.record(value, "a set of events", &["event", "values", "when", "minus"])?;
        let parts = ["event", "values", "when", "minus"].map(|key| object.get(key));
        let (name, atom) = match parts {
            [None, None, None, Some(list)] => {
                if depth == MOST_NESTED {
                    return self.set(list, depth);
                }
                let sets = self.document.array(list, "a list of sets")?;
                let sets = sets.into_iter().map(|value| self.set(value, depth + 1)).collect::<Res<Vec<_>>>()?;
                return Ok(EventSet::Minus(sets));
            }
            [Some(name), None, None, None] => (name, Atom::All),
            [Some(name), Some(list), None, None] => {
                let values = self.document.array(list, "a list of values")?;
                let values = values.into_iter().map(|value| Ok((self.value(value)?, self.at(value))));
                (name, Atom::Values(values.collect::<Res<_>>()?))
            }
            [Some(name), None, Some(formula), None] => (name, Atom::When(self.formula(formula)?)),
            _ => {
                let error = self.document.error(&codes::JSON_TYPE, value, "a set of events of no known form");
                return Err(error.label("unclear").hint(
                    "a set is the name of an event, `{\"event\": E, \"values\": [..]}`, `{\"event\": E, \"when\": \
                     PREDICATE}` or `{\"minus\": [SET, SET]}`",
                ));
            }
        };
        Ok(EventSet::Of(Events { name: self.name(name)?, atom, at: self.at(value) }))
    }
}
