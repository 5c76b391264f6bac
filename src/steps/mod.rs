//! Runs step by step: what happens by name, what that changes, and the state after it.
//!
//! This proves nothing: the checker has replayed the run with steppers of its own before anything is shown. A run is
//! walked through, not unrolled: repetitions take no memory, and between steps there is one state.
//!
//! ```
//! use impasse::{Options, Steps, check, model::Goal, read_rwb};
//!
//! let problem = read_rwb("rwb 1  event a  thread T { state s { request a on a -> t } state t { block a } }").unwrap();
//! let outcome = check(&problem, &Options::default());
//! let mut steps = outcome.about(Goal::Deadlock).and_then(|answer| Steps::of(&problem, answer)).expect("it is violated");
//! while let Some(step) = steps.next() {
//!     println!("{}. {} changes {} threads", step.number, step.event, step.changes.len());
//!     assert_eq!(steps.state()[0].1.to_string(), "t");
//! }
//! ```

pub mod frames;
pub mod letters;
pub mod marking;
mod net;
mod own;
mod program;

pub use net::MarkedRun;
pub use program::ProgramRun;

use crate::Answer;
use certify::Player;
use frames::Frame;
use marking::Stepper;
use model::{Circuit, EventId, InputId, LatchId, LocalId, Move, PlaceId, Problem, SystemModel, ThreadId, Trace, VarId};
use num_bigint::BigUint;
use own::OwnRun;
use std::fmt;

/// What a part of a state holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// The local state that a thread of a program is in, by name.
    State(String),
    /// The tokens on a place of a net; the threads in a state of a thread system.
    Tokens(BigUint),
    /// What a latch holds.
    Bit(bool),
    /// What a variable of a reactive program holds.
    Number(i32),
    /// What a part of a state of a system of one's own holds, as the system shows it.
    Shown(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::State(name) | Value::Shown(name) => f.write_str(name),
            Value::Tokens(count) => count.fmt(f),
            Value::Bit(bit) => f.write_str(if *bit { "1" } else { "0" }),
            Value::Number(number) => number.fmt(f),
        }
    }
}

/// A part of the state that a step changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The thread, place, latch or variable.
    pub name: String,
    /// What it held.
    pub from: Value,
    /// What it holds now.
    pub to: Value,
}

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Steps are counted from 1.
    pub number: u64,
    /// The event; of nets and thread systems the transition of the same number, of reactive programs the input.
    pub id: EventId,
    /// What happens: the event, the transition, the input letter; of circuits the inputs that are true (`-` if none
    /// is).
    pub event: String,
    /// The threads of a program that request the event.
    pub requested_by: Vec<String>,
    /// What a reactive program answers: output letters, or how the call ends.
    pub shows: Vec<String>,
    /// What is different after the step.
    pub changes: Vec<Change>,
}

/// The steps of a run, one after the other. Infinite runs end after their first round ([`Trace::repeats_from`]).
#[derive(Debug)]
pub struct Steps<'p> {
    trace: &'p Trace,
    at: At<'p>,
    /// The next step: which run of the trace, which round of it, which move of the word.
    next: (usize, u64, usize),
    number: u64,
}

#[derive(Debug)]
enum At<'p> {
    Program(ProgramRun<'p>),
    Marked(MarkedRun<'p>),
    Circuit(&'p Circuit, Frame<'p>),
    Reactive(Box<Player<'p>>),
    Own(OwnRun<'p>),
}

impl<'p> Steps<'p> {
    /// The steps of the run that violates a property, if it is violated. `problem` is the one that was checked.
    #[must_use]
    pub fn of(problem: &'p Problem, answer: &'p Answer) -> Option<Self> {
        answer.trace().map(|trace| Self::new(problem, trace))
    }

    /// The steps of a run that the checker has accepted.
    ///
    /// # Panics
    /// It may panic, here or later, if `trace` is no run of the problem's system.
    #[must_use]
    pub fn new(problem: &'p Problem, trace: &'p Trace) -> Self {
        let marked = |stepper| At::Marked(MarkedRun::new(stepper, trace));
        let at = match problem.system() {
            SystemModel::Rwb(program) => At::Program(ProgramRun::new(program, trace)),
            SystemModel::Net(net) => marked(Stepper::Net(net)),
            SystemModel::Threads(threads) => marked(Stepper::Threads(threads)),
            SystemModel::Circuit(circuit) => At::Circuit(circuit, Frame::first(circuit, &trace.start)),
            SystemModel::Reactive(program) => At::Reactive(Box::new(Player::new(program))),
            SystemModel::Own(system) => At::Own(OwnRun::new(system, trace)),
        };
        Self { trace, at, next: (0, 0, 0), number: 0 }
    }

    /// The state after the steps so far, before the first one the initial state: every thread, place, latch or variable
    /// with what it holds. Costs a walk through all of them.
    #[must_use]
    pub fn state(&self) -> Vec<(String, Value)> {
        let all = |count: usize, part: &dyn Fn(usize) -> (String, Value)| (0..count).map(part).collect();
        match &self.at {
            At::Program(run) => {
                all(run.at().len(), &|i| (thread_name(run, i), Value::State(state_name(run, i, run.at()[i]))))
            }
            At::Marked(run) => {
                let name = |i| run.stepper().place_name(PlaceId::new(i));
                all(run.at().len(), &|i| (name(i), Value::Tokens(run.at()[i].clone())))
            }
            At::Circuit(circuit, frame) => {
                let held = frame.latches();
                all(held.len(), &|i| (frames::latch_name(circuit, LatchId::new(i)), Value::Bit(held[i])))
            }
            At::Reactive(player) => {
                let name = |i| player.program().name(VarId::new(i)).to_owned();
                all(player.values().len(), &|i| (name(i), Value::Number(player.values()[i])))
            }
            At::Own(run) => run.shown(),
        }
    }

    /// The next move of the trace.
    fn advance(&mut self) -> Option<Move> {
        let (run, round, index) = &mut self.next;
        let current = self.trace.runs().get(*run)?;
        let step = current.word[*index];
        *index += 1;
        if *index == current.word.len() {
            (*index, *round) = (0, *round + 1);
        }
        if *round == current.times {
            (*run, *round) = (*run + 1, 0);
        }
        Some(step)
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let step = self.advance()?;
        self.number += 1;
        let (number, id) = (self.number, step.event);
        let plain = |event, changes| Step { number, id, event, requested_by: Vec::new(), shows: Vec::new(), changes };
        Some(match &mut self.at {
            At::Program(run) => {
                let before = run.take(&step);
                let threads = crate::walk::requesters(run.program(), &before, id);
                let requested_by = threads.iter().map(|t| thread_name(run, t.index())).collect();
                let value = |i, s| Value::State(state_name(run, i, s));
                let changes = differences(&before, run.at(), |i| thread_name(run, i), |i, s| value(i, *s));
                Step { requested_by, ..plain(run.program().event_name(id).to_owned(), changes) }
            }
            At::Marked(run) => {
                let before = run.take(&step);
                let change = |(place, before): (PlaceId, BigUint)| Change {
                    name: run.stepper().place_name(place),
                    from: Value::Tokens(before),
                    to: Value::Tokens(run.at()[place.index()].clone()),
                };
                plain(run.name(&step), before.into_iter().map(change).collect())
            }
            At::Circuit(circuit, frame) => {
                let inputs = step.choice.map_or(&[][..], |choice| self.trace.choice(choice));
                let before = frame.latches();
                frame.compute(inputs);
                frame.step();
                let is_true = (0..circuit.inputs().len()).filter(|i| frames::bit(inputs, *i));
                let names: Vec<String> = is_true.map(|i| frames::input_name(circuit, i)).collect();
                let name = |i| frames::latch_name(circuit, LatchId::new(i));
                let changes = differences(&before, &frame.latches(), name, |_, bit| Value::Bit(*bit));
                plain(if names.is_empty() { "-".to_owned() } else { names.join(", ") }, changes)
            }
            At::Reactive(player) => {
                let before = player.values().to_vec();
                let input = InputId(id.0);
                let outcome = player.call(input);
                let shows = letters::shown(player, outcome);
                let program = player.program();
                let name = |i| program.name(VarId::new(i)).to_owned();
                let changes = differences(&before, player.values(), name, |_, n| Value::Number(*n));
                Step { shows, ..plain(letters::input(program, input), changes) }
            }
            At::Own(run) => {
                let event = run.label(&step);
                let before = run.take(&step);
                let parts = before.into_iter().zip(run.shown()).filter(|(old, new)| old != new);
                plain(event, parts.map(|((name, from), (_, to))| Change { name, from, to }).collect())
            }
        })
    }
}

fn thread_name(run: &ProgramRun<'_>, thread: usize) -> String {
    run.program().thread(ThreadId::new(thread)).name.clone()
}

fn state_name(run: &ProgramRun<'_>, thread: usize, state: u32) -> String {
    run.program().thread(ThreadId::new(thread)).state(LocalId(state)).name.clone()
}

/// The parts whose contents differ.
fn differences<T: PartialEq>(
    before: &[T],
    after: &[T],
    name: impl Fn(usize) -> String,
    value: impl Fn(usize, &T) -> Value,
) -> Vec<Change> {
    let differ = before.iter().zip(after).enumerate().filter(|(_, (from, to))| from != to);
    differ.map(|(i, (from, to))| Change { name: name(i), from: value(i, from), to: value(i, to) }).collect()
}
