//! Converts the syntax tree to the explicit program: evaluates constants, unrolls `for`, `when` and `repeat`,
//! and resolves names.
//!
//! There are two passes over the items. The first declares the events, so that `*` stands for all events
//! everywhere. The second handles everything else in the order of the file. If an element of a list has an
//! error, the error is recorded and the element is left out, in all rounds of loops and in both passes. The
//! names that the element would have declared become doubtful, so that their uses are not reported as errors.

use super::ast::{self, Expr, Item, List, Member, Span, Word};
use super::event_table::EventTable;
use super::expr::{RangeId, Scope, Value, bits_of_digits};
use super::parse::{Parsed, Res};
use super::symbolic::Symbolic;
use super::warn::Warnings;
use formats::codes::{self, Code};
use formats::error::{Error, Text, printable};
use formats::errors::Errors;
use formats::meter::Meter;
use formats::source::Limits;
use model::{Assumption, EventSet, Goal, Lines, LocalId, Program, Thread};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::collections::{HashMap, HashSet};

/// The result of reading a text.
pub(super) struct Elaborated {
    pub(super) meaning: Meaning,
    pub(super) warnings: Vec<Error>,
}

/// The meaning of a text.
pub(super) enum Meaning {
    /// A program, and the assumptions about violating runs.
    Program(Program, Vec<Assumption>),
    /// A program with arbitrarily many threads.
    Symbolic(Symbolic),
}

pub(super) struct Elaborator<'a> {
    pub(super) source: Text<'a>,
    pub(super) limits: &'a Limits,
    pub(super) meter: Meter<'a>,
    pub(super) events: EventTable<'a>,
    pub(super) sets: HashMap<&'a str, (EventSet, Span)>,
    /// The names of event sets in the order of declaration, for hints.
    pub(super) set_names: Vec<&'a str>,
    pub(super) scope: Scope<'a>,
    pub(super) errors: Errors,
    /// The addresses of elements with errors.
    pub(super) wrong: HashSet<usize>,
    /// The number of times that an element was left out, so that lists can tell whether they are complete.
    pub(super) holes: usize,
    /// Bindings below this height belong to outer scopes.
    pub(super) scope_base: usize,
    pub(super) threads: Vec<Thread>,
    /// For each thread: the place of its declaration.
    pub(super) thread_spans: Vec<Span>,
    /// For each thread: the states in which it may end.
    pub(super) finals: Vec<Vec<LocalId>>,
    /// For each thread: the priorities of its states.
    pub(super) priorities: Vec<Vec<i64>>,
    pub(super) thread_places: HashMap<String, Span>,
    /// For each thread: the number of its range, if the thread stands for arbitrarily many threads.
    pub(super) classes: Vec<Option<usize>>,
    /// The open numbers that are used, with their names.
    pub(super) ranges: Vec<(RangeId, String)>,
    pub(super) assumptions: Vec<(Draft, Span)>,
    check: Option<Vec<Goal>>,
    pub(super) warnings: Warnings<'a>,
    /// For each thread: the places of its states, for warnings and for reports of runs.
    pub(super) state_places: Vec<Places>,
}

pub(super) fn elaborate<'a>(source: Text<'a>, limits: &'a Limits, parsed: Parsed<'a>) -> Res<Elaborated> {
    if parsed.is_misnested {
        return parsed.errors.finish(Err(Error::following()));
    }
    let mut elaborator = Elaborator::new(source, limits);
    elaborator.errors = parsed.errors;
    elaborator.scope.doubtful = parsed.doubtful;
    let read = elaborator.all(&parsed.items);
    std::mem::take(&mut elaborator.errors).finish(read)?;
    elaborator.finish()
}

impl<'a> Elaborator<'a> {
    fn new(source: Text<'a>, limits: &'a Limits) -> Self {
        Self {
            source,
            limits,
            meter: Meter::new(source, limits),
            events: EventTable::default(),
            sets: HashMap::new(),
            set_names: Vec::new(),
            scope: Scope::default(),
            errors: Errors::default(),
            wrong: HashSet::new(),
            holes: 0,
            scope_base: 0,
            threads: Vec::new(),
            thread_spans: Vec::new(),
            finals: Vec::new(),
            priorities: Vec::new(),
            thread_places: HashMap::new(),
            classes: Vec::new(),
            ranges: Vec::new(),
            assumptions: Vec::new(),
            check: None,
            warnings: Warnings::new(source),
            state_places: Vec::new(),
        }
    }

    fn all(&mut self, items: &List<'a, Item<'a>>) -> Res<()> {
        self.each(items, &mut |e, item| e.declare(item))?;
        self.scope.truncate(0);
        self.each(items, &mut |e, item| e.item(item))
    }

    /// Makes an error, with the current values of the surrounding loops as a hint.
    pub(super) fn error(&self, code: &'static Code, span: Span, message: impl Into<String>) -> Box<Error> {
        let error = self.source.error(code, span.range(), message);
        match self.scope.round() {
            Some(round) => error.hint(round),
            None => error,
        }
    }

    pub(super) fn duplicate(&self, what: &str, name: &str, span: Span, first: Span) -> Box<Error> {
        let line = self.source.line(first.range().start);
        let message = format!("the {what} `{}` is declared twice", printable(name));
        self.error(&codes::RWB_DUPLICATE, span, message)
            .label("declared again here")
            .hint(format!("the first declaration is in line {line}"))
    }

    pub(super) fn eval(&mut self, expr: &Expr<'a>) -> Res<BigInt> {
        self.meter.work(expr.code.len() / 8, expr.span)?;
        expr.eval(&self.scope, self.source, bits_of_digits(self.limits.number_digits))
    }

    /// Makes the error that a name is unknown. If the name is doubtful, the error counts as a consequence of an
    /// earlier error.
    pub(super) fn unless_doubtful(&self, name: &str, error: impl FnOnce(&Self) -> Box<Error>) -> Box<Error> {
        if self.scope.may_know(name) { Error::following() } else { error(self) }
    }

    /// Checks the result of declaring a name. After an error the name becomes doubtful, so that its uses are not
    /// reported.
    fn declaring<T>(&mut self, name: Word<'a>, declared: Res<T>) -> Res<T> {
        if declared.is_err() {
            self.scope.doubtful.insert(name.text);
        }
        declared
    }

    pub(super) fn bind(&mut self, name: Word<'a>, value: Value, varies: bool) -> Res<()> {
        if let Value::Number(n) = &value {
            self.meter.work(n.bits().to_usize().unwrap_or(0) / 256, name.span)?;
        }
        let Some((old, height)) = self.scope.bind(name, value, varies) else { return Ok(()) };
        if height >= self.scope_base {
            return Err(self.duplicate("constant", name.text, name.span, old));
        }
        if self.warnings.is_full(&codes::RWB_SHADOWED, name.span) {
            return Ok(());
        }
        let line = self.source.line(old.range().start);
        let message = format!("`{}` hides the one declared in line {line}", printable(name.text));
        self.warnings.add(&codes::RWB_SHADOWED, name.span, message, "a second meaning of the name from here on");
        Ok(())
    }

    /// Returns the full name of a thread or state, with its indices evaluated: `base[3][0]`.
    pub(super) fn full_name(&mut self, name: &ast::Name<'a>) -> Res<String> {
        let mut text = name.base.text.to_owned();
        for index in &name.indices {
            let value = self.eval(index)?;
            if value.is_negative() {
                let message = format!("index {} of a name is negative", printable(&value.to_string()));
                return Err(self.error(&codes::RWB_NEGATIVE_INDEX, index.span, message).label("expected 0 or more"));
            }
            text.push('[');
            match value.to_u64() {
                Some(small) => text.push_str(&small.to_string()),
                None => text.push_str(&value.to_string()),
            }
            text.push(']');
            if text.len() > self.limits.name_length {
                let message = format!("a name of more than {} characters", self.limits.name_length);
                return Err(self.error(&codes::LIMIT_NAME, name.span, message).label("too long with its indices"));
            }
        }
        self.meter.name(&text, name.span)?;
        Ok(text)
    }

    /// First pass: constants, which the sizes of events need, and events.
    fn declare(&mut self, item: &Item<'a>) -> Res<()> {
        match item {
            Item::Const(name, expr) => self.declare_constant(*name, expr),
            Item::Any(name) => self.bind(*name, Value::Any(RangeId(name.span)), false),
            Item::Events(events) => events.iter().try_for_each(|event| {
                let declared = self.declare_event(&event.name);
                let noted = self.declaring(event.name.base, declared);
                noted.or_else(|error| self.errors.note(error))
            }),
            _ => Ok(()),
        }
    }

    /// Second pass: everything but events.
    fn item(&mut self, item: &Item<'a>) -> Res<()> {
        match item {
            Item::Const(name, expr) => {
                self.meter.work(1, name.span)?;
                self.declare_constant(*name, expr)
            }
            Item::Any(name) => self.bind(*name, Value::Any(RangeId(name.span)), false),
            Item::Events(_) | Item::Enum(..) => Ok(()),
            Item::Set(name, events) => {
                let declared = self.declare_set(*name, events);
                self.declaring(*name, declared)
            }
            Item::Check(goals) => self.declare_check(goals),
            Item::Thread(name, members) => self.declare_thread(name, members),
            Item::Assume(assume) => self.declare_assume(assume),
            Item::Class(class) => self.declare_class(class),
        }
    }

    fn declare_constant(&mut self, name: Word<'a>, expr: &Expr<'a>) -> Res<()> {
        let value = self.eval(expr);
        let value = self.declaring(name, value)?;
        self.bind(name, Value::Number(value), false)
    }

    pub(super) fn declare_thread(&mut self, name: &ast::Name<'a>, members: &List<'a, Member<'a>>) -> Res<()> {
        let full = self.full_name(name)?;
        self.add_thread(full, name.span, members, None)
    }

    fn declare_set(&mut self, name: Word<'a>, events: &ast::Events<'a>) -> Res<()> {
        if let Some(event) = self.events.get(name.text) {
            return Err(self
                .duplicate("event", name.text, name.span, event.base.span)
                .hint("sets and events share their names"));
        }
        if let Some((_, old)) = self.sets.get(name.text) {
            return Err(self.duplicate("event set", name.text, name.span, *old));
        }
        let set = self.event_set(events)?;
        self.meter.kept(&set, name.span)?;
        self.sets.insert(name.text, (set, name.span));
        self.set_names.push(name.text);
        Ok(())
    }

    fn declare_check(&mut self, goals: &[(Goal, Span)]) -> Res<()> {
        if let Some((span, message, label)) = repeated_check(self.check.is_some(), goals) {
            return Err(self.error(&codes::RWB_REPEATED_CHECK, span, message).label(label));
        }
        self.check = Some(goals.iter().map(|(goal, _)| *goal).collect());
        Ok(())
    }

    fn finish(mut self) -> Res<Elaborated> {
        let check = self.check.take().unwrap_or_else(|| Goal::usual(self.threads.iter().any(Thread::has_bad)));
        let events = self.events.names.clone();
        let program = Program::new(events, std::mem::take(&mut self.threads), check)
            .map_err(|invalid| Error::whole(&codes::INPUT_INVALID, self.source.name, invalid.to_string()))?
            .with_finals(std::mem::take(&mut self.finals))
            .with_priorities(std::mem::take(&mut self.priorities));
        self.warn_about(&program);
        let program = program.with_positions(self.positions());
        let meaning = self.meaning(program)?;
        Ok(Elaborated { meaning, warnings: self.warnings.list })
    }

    /// Returns the lines of the states of the threads.
    fn positions(&self) -> Vec<Lines> {
        let line = self.source.line_finder();
        let lines = |p: &Places| p.spans.iter().map(&line).collect();
        let of_thread = |p: &Places| Lines { is_body: p.is_body, lines: lines(p), ..Lines::default() };
        self.state_places.iter().map(of_thread).collect()
    }

    fn meaning(&mut self, program: Program) -> Res<Meaning> {
        if self.ranges.is_empty() {
            let assumptions = self.resolve_assumptions(program.threads())?;
            return Ok(Meaning::Program(program, assumptions));
        }
        if let Some((_, span)) = self.assumptions.first() {
            let message = "assumptions are about programs with a fixed number of threads";
            let error = self.error(&codes::RWB_ASSUME_CLASS, *span, message);
            let count = &self.ranges[0].1;
            return Err(error.label("not beside classes of any number").hint(format!("`{count}` is any number")));
        }
        if let Some(t) = program.priorities().iter().position(|own| own.iter().any(|priority| *priority != 0)) {
            let error = self.error(&codes::RWB_PRIORITY, self.thread_spans[t], "a thread with priorities");
            let count = &self.ranges[0].1;
            let hint = format!("`{count}` is any number; priorities need a fixed number of threads");
            return Err(error.label("not beside classes of any number").hint(hint));
        }
        let ranges = self.ranges.iter().map(|(_, name)| name.clone()).collect();
        let (classes, events) = (std::mem::take(&mut self.classes), self.symbols());
        Ok(Meaning::Symbolic(Symbolic { program, ranges, classes, events }))
    }
}

/// Returns what is wrong if a `check` asks for something twice: the place, the message and the label. `is_second` is
/// true if the text has a `check` before.
pub(super) fn repeated_check(is_second: bool, goals: &[(Goal, Span)]) -> Option<(Span, String, &'static str)> {
    let first = goals.first().map(|(_, span)| *span).unwrap_or_default();
    if is_second {
        return Some((first, "a second `check`".to_owned(), "expected one `check` with all kinds, separated by `,`"));
    }
    let mut repeated = (0..goals.len()).filter(|&i| goals[..i].iter().any(|(goal, _)| *goal == goals[i].0));
    let (goal, span) = goals[repeated.next()?];
    Some((span, format!("`{goal}` is asked for twice"), "expected each kind once"))
}

/// The places of the states of a thread.
pub(super) struct Places {
    /// For each state: the place of its declaration, or of its sync.
    pub(super) spans: Vec<Span>,
    /// True if the states are syncs of a body.
    pub(super) is_body: bool,
}

/// An assumption about a thread that may be declared later.
pub(super) struct Pending {
    pub(super) thread: (String, Span),
    pub(super) states: Vec<(String, Span)>,
}

/// The contents of an `assume` item, before all threads are declared.
pub(super) enum Draft {
    Done(Assumption),
    End(Pending),
}
