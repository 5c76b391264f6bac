//! Behavioral programs that other tools make: a graph of states for each thread, events with data, and predicates as
//! SMT-LIB text. Reference: `docs/import.md`.
//!
//! A [`Program`] is the content of a JSON file of version 2 as Rust values. Everything else about it is done with that
//! JSON text: [`Program::read`] writes the text and reads it, so that an error has a place, and a program from Rust
//! means exactly the same as one from a file. The reader (`read`) makes a [`Program`] with the places of its
//! parts, and `crate::rwb` makes the machines of version 2 of `.rwb` from it. There is no second elaboration.
//!
//! ```
//! use impasse_programs_read::import::{EventDeclaration, EventSet, Program, Sort, ImportedState, Thread};
//! use formats::Limits;
//!
//! // A sender requests any level; a guard blocks what is above 5 or not new.
//! let level = EventDeclaration::new("level").parameter("v", Sort::Int);
//! let any = EventSet::event("level");
//! let sender = Thread::new("Sender").state(ImportedState::new("send").request(any.clone()).to("send"));
//! let guard = Thread::new("Guard").state(
//!     ImportedState::new("last").block(EventSet::such_that("level", "(or (> v 5) (< v 0))")).at("guard.py", 12),
//! );
//! let program = Program::default().event(level).thread(sender).thread(guard);
//! let read = program.read(&Limits::default()).unwrap();
//! assert_eq!(read.problem.system().noun(), "a program with unbounded data");
//!
//! // The JSON form is read by all commands of the tool.
//! assert!(program.to_json().contains(r#""when":"(or (> v 5) (< v 0))""#));
//!
//! // A mistake has a code, a place in the JSON text, and the path to it.
//! let wrong = Thread::new("Wrong").state(ImportedState::new("s").block(EventSet::such_that("level", "(> w 5)")));
//! let error = program.thread(wrong).read(&Limits::default()).unwrap_err();
//! assert_eq!((error.code(), error.pointer()), ("rwb::unknown-name", Some("/threads/2/states/0/block/0/when")));
//! ```

mod data;
mod event_set;
mod read;
pub(crate) mod smt;
mod state;
mod write;

pub use event_set::{EventSet, Events, Value};
pub use state::{ImportedState, Move};

pub(crate) use data::of_data;
pub(crate) use event_set::Atom;
pub(crate) use read::read;
pub(crate) use state::{Then, Update};

use formats::error::{Error, Span};
use formats::format::Read;
use formats::input;
use formats::json::Document;
use formats::source::{Limits, Source};
use model::Goal;

/// The place of a part in the JSON text. Places do not affect what a program means, so any two compare equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct At(pub(crate) Span);

impl PartialEq for At {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for At {}

/// A name, and its place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) at: At,
}

impl Name {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), at: At::default() }
    }
}

/// An SMT-LIB term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Formula {
    pub(crate) text: String,
    pub(crate) at: At,
    /// True if `at` is exactly the text: no character is written as an escape.
    pub(crate) is_verbatim: Verbatim,
}

/// A flag that belongs to a place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Verbatim(pub(crate) bool);

impl PartialEq for Verbatim {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Verbatim {}

impl Formula {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), at: At::default(), is_verbatim: Verbatim::default() }
    }
}

/// The values of a parameter or of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Every integer.
    Int,
    /// `false` and `true`.
    Bool,
    /// The integers from the first to the second one, both included.
    Range(i64, i64),
    /// These strings.
    Values(Vec<String>),
    /// The sort that the program declares with this name.
    Named(String),
}

/// A sort with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sorted {
    pub(crate) name: Name,
    pub(crate) sort: Sort,
    /// The place of the sort.
    pub(crate) at: At,
}

impl Sorted {
    fn new(name: impl Into<String>, sort: Sort) -> Self {
        Self { name: Name::new(name), sort, at: At::default() }
    }
}

/// The declaration of an event, or of a family of events with data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventDeclaration {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Sorted>,
    pub(crate) is_external: bool,
}

impl EventDeclaration {
    /// Declares an event.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: Name::new(name), parameters: Vec::new(), is_external: false }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, sort: Sort) -> Self {
        self.parameters.push(Sorted::new(name, sort));
        self
    }

    /// Lets the environment request the events at any time.
    #[must_use]
    pub fn environment(mut self) -> Self {
        self.is_external = true;
        self
    }
}

/// A variable of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    pub(crate) declared: Sorted,
    /// The first value. Without one it is 0 if that is a value, otherwise the first value of the sort.
    pub(crate) initial: Option<Value>,
    pub(crate) initial_at: At,
}

/// A thread: a graph of states, perhaps with variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub(crate) name: Name,
    pub(crate) priority: Option<(i64, At)>,
    pub(crate) variables: Vec<Variable>,
    /// Without names the first state is initial.
    pub(crate) initial: Vec<Name>,
    pub(crate) states: Vec<ImportedState>,
}

impl Thread {
    /// Makes a thread without states.
    pub fn new(name: impl Into<String>) -> Self {
        let (variables, initial, states) = (Vec::new(), Vec::new(), Vec::new());
        Self { name: Name::new(name), priority: None, variables, initial, states }
    }

    /// Adds a state. The first state is initial, unless [`Thread::initial`] names others.
    #[must_use]
    pub fn state(mut self, state: ImportedState) -> Self {
        self.states.push(state);
        self
    }

    /// Adds an initial state.
    #[must_use]
    pub fn initial(mut self, state: impl Into<String>) -> Self {
        self.initial.push(Name::new(state));
        self
    }

    /// Adds a variable with its first value.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, sort: Sort, initial: Value) -> Self {
        let declared = Sorted::new(name, sort);
        self.variables.push(Variable { declared, initial: Some(initial), initial_at: At::default() });
        self
    }

    /// Sets the priority of all states that have none of their own.
    #[must_use]
    pub fn priority(mut self, priority: i64) -> Self {
        self.priority = Some((priority, At::default()));
        self
    }
}

/// A behavioral program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The questions; `None` for `deadlock` and `bad`.
    pub(crate) check: Option<Vec<Goal>>,
    pub(crate) sorts: Vec<Sorted>,
    pub(crate) events: Vec<EventDeclaration>,
    pub(crate) threads: Vec<Thread>,
}

impl Program {
    /// Asks only whether a state of this kind is reachable: [`Goal::Bad`] or [`Goal::Deadlock`]. May be called for
    /// both.
    #[must_use]
    pub fn check(mut self, goal: Goal) -> Self {
        self.check.get_or_insert_default().push(goal);
        self
    }

    /// Gives a sort a name.
    #[must_use]
    pub fn sort(mut self, name: impl Into<String>, sort: Sort) -> Self {
        self.sorts.push(Sorted::new(name, sort));
        self
    }

    /// Declares an event.
    #[must_use]
    pub fn event(mut self, event: EventDeclaration) -> Self {
        self.events.push(event);
        self
    }

    /// Adds a thread.
    #[must_use]
    pub fn thread(mut self, thread: Thread) -> Self {
        self.threads.push(thread);
        self
    }

    /// Reads a program from JSON text.
    ///
    /// # Errors
    /// Text that is not a program of version 2. What names and predicates mean is not checked: see [`Program::read`].
    pub fn from_json(source: &Source, limits: &Limits) -> Result<Self, Box<Error>> {
        read::program(source, limits)
    }

    /// Returns the program as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        write::json(self)
    }

    /// Makes the problem to check.
    ///
    /// # Errors
    /// Mistakes in the program. Their places are places of [`Program::to_json`].
    pub fn read(&self, limits: &Limits) -> Result<Read, Box<Error>> {
        let source = Source { name: "program.json".to_owned(), bytes: self.to_json().into_bytes() };
        if source.bytes.len() > limits.bytes {
            return Err(input::too_large(&source.name, limits));
        }
        let (document, root) = Document::open(&source, limits)?;
        read::read(document, root)
    }
}
