//! Reader for the JSON form of behavioral programs.

use crate::import;
use formats::error::{Error, Span, printable};
use formats::errors::Errors;
use formats::format::Read;
use formats::json::{Document, Object, Res, Value};
use formats::meter::Meter;
use formats::source::{Limits, Source};
use formats::{codes, suggest};
use model::{Assumption, EventId, EventSet, Goal, LocalId, LocalState, PRIORITIES, Problem, Program, Thread};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub(crate) fn read(source: &Source, limits: &Limits) -> Result<Read, Box<Error>> {
    let (document, root) = Document::open(source, limits)?;
    if document.is_version_2(root) {
        return import::read(document, root);
    }
    let (meter, errors) = (Meter::new(document.text, limits), Errors::default());
    let reader = Reader { document, meter, events: HashMap::new(), errors };
    let (program, assumptions) = reader.program(root)?;
    let problem = Problem::of_program(Arc::new(program));
    // Assumptions are about runs to `bad` and `deadlock`, so hot states are not asked about beside them.
    let is_plain = |goal: Goal| assumptions.is_empty() || !goal.is_temporal();
    let problem = problem.only(|property| is_plain(property.goal)).assuming(assumptions.clone());
    let problem = problem.map_err(|mismatch| Error::unfit(&source.name, &mismatch))?;
    Ok(Read { problem, warnings: Vec::new() })
}

pub(super) struct Reader<'a> {
    pub(super) document: Document<'a>,
    pub(super) meter: Meter<'a>,
    events: HashMap<String, EventId>,
    /// The errors in threads and states so far.
    errors: Errors,
}

/// The marked states of a thread.
#[derive(Default)]
struct Marks {
    finals: Vec<LocalId>,
    stops: Vec<LocalId>,
    hot: Vec<LocalId>,
    /// For each state, its priority.
    priorities: Vec<i64>,
}

/// The states of the current thread, by name.
pub(super) type Names = HashMap<String, LocalId>;

impl<'a> Reader<'a> {
    fn program(mut self, root: Value<'a>) -> Res<(Program, Vec<Assumption>)> {
        let keys = ["rwb", "check", "assume", "events", "threads"];
        let object = self.document.record(root, "a program", &keys).map_err(|error| self.confused(root, error))?;
        let version = self.document.required(&object, "rwb")?;
        if version.get() != "1" {
            let message = format!("version {} of the format is unknown", printable(version.get()));
            return Err(self.document.error(&codes::JSON_VERSION, version, message).label("expected 1 or 2"));
        }
        let check = object.get("check").map(|value| self.document.goals(value)).transpose()?;
        let events = self.events(self.document.required(&object, "events")?)?;
        let list = self.document.array(self.document.required(&object, "threads")?, "a list of threads")?;
        let threads = self.threads(list);
        let threads: Vec<(Thread, Marks)> = std::mem::take(&mut self.errors).finish(threads)?;
        let (threads, marks): (Vec<Thread>, Vec<Marks>) = threads.into_iter().unzip();
        let (mut finals, mut stops, mut hot, mut priorities) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for own in marks {
            finals.push(own.finals);
            stops.push(own.stops);
            hot.push(own.hot);
            priorities.push(own.priorities);
        }
        let check = check.unwrap_or_else(|| Goal::usual(threads.iter().any(Thread::has_bad)));
        let program = Program::new(events, threads, check)
            .map_err(|invalid| Error::whole(&codes::INPUT_INVALID, self.document.text.name, invalid.to_string()))?
            .with_finals(finals)
            .with_stops(stops)
            .with_hot(hot)
            .with_priorities(priorities);
        let assumptions = match object.get("assume") {
            Some(list) => self.assumptions(list, &program)?,
            None => Vec::new(),
        };
        Ok((program, assumptions))
    }

    /// Reads the threads, and records the errors in each of them.
    fn threads(&mut self, list: Vec<Value<'a>>) -> Res<Vec<(Thread, Marks)>> {
        let mut threads = Vec::new();
        let mut names = HashMap::new();
        for value in list {
            self.meter.thread(self.span(value))?;
            match self.named_thread(value, &mut names) {
                Ok(thread) => threads.push(thread),
                Err(error) => self.errors.note(error)?,
            }
        }
        Ok(threads)
    }

    fn named_thread(&mut self, value: Value<'a>, names: &mut HashMap<String, ()>) -> Res<(Thread, Marks)> {
        let thread = self.document.record(value, "a thread", &["name", "init", "states"])?;
        let name = self.name(self.document.required(&thread, "name")?)?;
        if names.insert(name.clone(), ()).is_some() {
            return Err(self.duplicate("thread", self.document.required(&thread, "name")?));
        }
        self.thread(name, &thread)
    }

    pub(super) fn span(&self, value: Value<'a>) -> Span {
        Span::new(self.document.span(value))
    }

    /// Returns a better error if `root`, which is not a program, is evidence. Evidence is JSON, too, and is
    /// easily given by mistake in place of its model.
    fn confused(&self, root: Value<'a>, error: Box<Error>) -> Box<Error> {
        let Ok(Object { entries, .. }) = self.document.object(root, "a program") else { return error };
        match entries[..] {
            [(first, ref schema, _), (_, ref model, _), ..] if schema == "schema" && model == "model" => self
                .document
                .error(&codes::JSON_UNKNOWN_KEY, first, "a program has no key `schema`: this is evidence about a model")
                .label("evidence begins like this")
                .hint("`impasse replay MODEL EVIDENCE` checks it against that model"),
            _ => error,
        }
    }

    fn events(&mut self, value: Value<'a>) -> Res<Vec<String>> {
        let list = self.document.array(value, "a list of event names")?;
        let most = self.document.limits.events;
        if let Some(over) = list.get(most) {
            let message = format!("the program has more than {most} events");
            return Err(self.document.error(&codes::LIMIT_EVENTS, over, message).label("one too many"));
        }
        let mut events = Vec::with_capacity(list.len());
        for (i, value) in list.into_iter().enumerate() {
            let name = self.name(value)?;
            if self.events.insert(name.clone(), EventId::new(i)).is_some() {
                return Err(self.duplicate("event", value));
            }
            events.push(name);
        }
        Ok(events)
    }

    /// Reads a name. The text form cannot express all of them, but programs with data have such names.
    fn name(&mut self, value: Value<'a>) -> Res<String> {
        let text = self.document.string(value, "a name")?;
        let most = self.document.limits.name_length;
        if text.len() > most {
            let message = format!("a name of {} characters", text.len());
            let error = self.document.error(&codes::LIMIT_NAME, value, message);
            return Err(error.label(format!("expected a name of at most {most} characters")));
        }
        if text.is_empty() || text.chars().any(char::is_control) {
            let message = format!("`{}` is not a name", printable(&text));
            let error = self.document.error(&codes::JSON_NAME, value, message);
            return Err(error.label("expected a name like `s`, `s[0][1]` or `move(4,X)`"));
        }
        self.meter.name(&text, self.span(value))?;
        Ok(text.into_owned())
    }

    fn duplicate(&self, what: &str, value: Value<'a>) -> Box<Error> {
        let message = format!("the {what} {} is declared twice", printable(value.get()));
        self.document.error(&codes::RWB_DUPLICATE, value, message).label("declared again here")
    }

    /// Reads a thread, and the states in which it may end.
    fn thread(&mut self, name: String, thread: &Object<'a>) -> Res<(Thread, Marks)> {
        let value = self.document.required(thread, "states")?;
        let list = self.document.array(value, "a list of states")?;
        if list.is_empty() {
            let message = format!("thread `{}` has no state", printable(&name));
            return Err(self.document.error(&codes::RWB_EMPTY_THREAD, value, message).label("expected a state"));
        }
        let mut names = Names::new();
        for (i, value) in list.iter().enumerate() {
            self.meter.state(self.span(value))?;
            let state = self.state_record(value)?;
            let place = self.document.required(&state, "name")?;
            if names.insert(self.name(place)?, LocalId::new(i)).is_some() {
                return Err(self.duplicate("state", place));
            }
        }
        let initial = match thread.get("init") {
            None => vec![LocalId::new(0)],
            Some(init) => {
                let initial = self.states(init, &names)?;
                if initial.is_empty() {
                    let message = "expected a list of initial states, found an empty one";
                    let error =
                        self.document.error(&codes::JSON_TYPE, init, message).label("expected at least one state");
                    return Err(error.hint("without `init` the first state is initial"));
                }
                initial
            }
        };
        let (mut states, mut marks) = (Vec::with_capacity(list.len()), Marks::default());
        for value in list {
            match self.state(value, &names) {
                Ok((state, [ends, stops, is_hot], priority)) => {
                    let id = LocalId::new(states.len());
                    marks.priorities.push(priority);
                    marks.finals.extend(ends.then_some(id));
                    marks.stops.extend(stops.then_some(id));
                    marks.hot.extend(is_hot.then_some(id));
                    states.push(state);
                }
                Err(error) => self.errors.note(error)?,
            }
        }
        Ok((Thread { name, states, initial }, marks))
    }

    fn state_record(&self, value: Value<'a>) -> Res<Object<'a>> {
        self.document.record(
            value,
            "a state",
            &["name", "request", "block", "bad", "final", "stop", "hot", "priority", "on"],
        )
    }

    /// Reads a state, with its marks (`final`, `stop`, `hot`) and its priority.
    fn state(&mut self, value: Value<'a>, names: &Names) -> Res<(LocalState, [bool; 3], i64)> {
        let object = self.state_record(value)?;
        let universe = self.events.len();
        let name = self.document.string(self.document.required(&object, "name")?, "a name")?.into_owned();
        let request = match object.get("request") {
            Some(list) => self.event_list(list, "a list of event names")?,
            None => EventSet::empty(universe),
        };
        let block = match object.get("block") {
            Some(all) if all.get() == "\"all\"" => EventSet::full(universe),
            Some(list) => self.event_list(list, "a list of event names or \"all\"")?,
            None => EventSet::empty(universe),
        };
        let on = match object.get("on") {
            Some(on) => self.moves(on, names)?,
            None => BTreeMap::new(),
        };
        let mark = |key| object.get(key).map_or(Ok(false), |mark| self.document.boolean(mark, "true or false"));
        let (bad, ends, stops, is_hot) = (mark("bad")?, mark("final")?, mark("stop")?, mark("hot")?);
        if let Some(stop) = object.get("stop").filter(|_| stops && (bad || !block.is_full())) {
            let message = format!("the program does not stop in the state `{}`", printable(&name));
            let error = self.document.error(&codes::JSON_STOP, stop, message);
            return Err(error.label("expected a state with `\"block\":\"all\"` that is not bad"));
        }
        if let Some(hot) = object.get("hot").filter(|_| bad && is_hot) {
            let message = format!("the state `{}` is bad and hot", printable(&name));
            let error = self.document.error(&codes::JSON_BAD_HOT, hot, message);
            return Err(error.label("a bad state is never hot").hint("leave out `hot`, or `bad`"));
        }
        let state = if bad { LocalState::bad(name, universe) } else { LocalState { name, request, block, bad, on } };
        let priority = object.get("priority").map_or(Ok(0), |value| self.priority(value))?;
        Ok((state, [ends && !bad, stops, is_hot && !bad], priority))
    }

    fn priority(&self, value: Value<'a>) -> Res<i64> {
        match value.get().parse() {
            Ok(priority) if PRIORITIES.contains(&priority) => Ok(priority),
            _ => {
                let message = format!("expected a priority, found {}", printable(value.get()));
                let error = self.document.error(&codes::RWB_PRIORITY, value, message);
                Err(error.label("expected a number from -2^31 to 2^31 - 1"))
            }
        }
    }

    fn event_list(&mut self, value: Value<'a>, what: &str) -> Res<EventSet> {
        let mut set = EventSet::empty(self.events.len());
        for item in self.document.array(value, what)? {
            set.insert(self.event(item)?);
        }
        self.meter.set(&set, self.span(value))?;
        self.meter.kept(&set, self.span(value))?;
        Ok(set)
    }

    fn event(&self, value: Value<'a>) -> Res<EventId> {
        let name = self.document.string(value, "the name of an event")?;
        if let Some(event) = self.events.get(name.as_ref()) {
            return Ok(*event);
        }
        let message = format!("there is no event `{}`", printable(&name));
        let error = self.document.error(&codes::RWB_UNDECLARED_EVENT, value, message).label("not in `events`");
        let mut known: Vec<(&EventId, &String)> = self.events.iter().map(|(name, id)| (id, name)).collect();
        known.sort_unstable();
        Err(suggest::hinted(error, &name, known.into_iter().map(|(_, name)| name.as_str()), ""))
    }

    /// Reads a list of states of the thread. The result is sorted, without repetition.
    pub(super) fn states(&self, value: Value<'a>, names: &Names) -> Res<Vec<LocalId>> {
        let mut ids = Vec::new();
        for item in self.document.array(value, "a list of state names")? {
            let name = self.document.string(item, "the name of a state")?;
            let Some(id) = names.get(name.as_ref()) else {
                let message = format!("the thread has no state `{}`", printable(&name));
                let error =
                    self.document.error(&codes::RWB_UNKNOWN_STATE, item, message).label("not a state of this thread");
                let mut known: Vec<(&LocalId, &String)> = names.iter().map(|(name, id)| (id, name)).collect();
                known.sort_unstable();
                return Err(suggest::hinted(error, &name, known.into_iter().map(|(_, name)| name.as_str()), ""));
            };
            ids.push(*id);
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    fn moves(&mut self, value: Value<'a>, names: &Names) -> Res<BTreeMap<EventId, Vec<LocalId>>> {
        let mut on = Vec::new();
        for (key, _, targets) in self.document.object(value, "an object of events and their targets")?.entries {
            let event = self.event(key)?;
            let ids = self.states(targets, names)?;
            if ids.is_empty() {
                let message = format!("the event {} leads nowhere", printable(key.get()));
                let error =
                    self.document.error(&codes::JSON_NO_TARGET, targets, message).label("expected at least one state");
                return Err(error.hint("an event that must not happen in this state is blocked"));
            }
            self.meter.moves(ids.len(), self.span(key))?;
            on.push((event, ids));
        }
        Ok(on.into_iter().collect())
    }
}
