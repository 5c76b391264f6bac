//! Steps through a run, to show it: the name of each step, the parts of the state that it changes, and the
//! state after it.
//!
//! No verdict depends on this code: the checker has already replayed the run with its own steppers. Repetitions
//! in the run are not unrolled, and only one state is stored at a time.

mod data;
pub mod frames;
pub mod letters;
pub mod marking;
mod net;
mod own;
mod program;
mod value;

pub use data::location;
pub use net::MarkedRun;
pub use program::ProgramRun;
pub use value::Value;

use certify::Player;
use data::DataRun;
use frames::Frame;
use marking::Stepper;
use model::{Circuit, EventId, InputId, LatchId, LocalId, Move, PlaceId, Problem, SystemModel, ThreadId, Trace, VarId};
use num_bigint::BigUint;
use own::OwnRun;

/// A part of the state that a step changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The name of the thread, place, latch or variable, or of a part that a system written in Rust defines.
    pub name: String,
    /// The value before the step.
    pub from: Value,
    /// The value after the step.
    pub to: Value,
}

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The number of the step, counted from 1.
    pub number: u64,
    /// The event. For a net or thread-transition system it has the number of the transition, for a reactive
    /// program the number of the input.
    pub id: EventId,
    /// The text for the step: the event, the transition or the input letter. For a circuit: the inputs that are
    /// true (`-` if none is true).
    pub event: String,
    /// The threads of a program that request the event.
    pub requested_by: Vec<String>,
    /// For a reactive program: the output letters of the call, or how the call ended.
    pub shows: Vec<String>,
    /// The parts of the state that the step changes.
    pub changes: Vec<Change>,
}

/// Iterator over the steps of a run. For an infinite run it ends after the last event of the trace, before the
/// repetition ([`Trace::repeats_from`]).
#[derive(Debug)]
pub struct Steps<'p> {
    trace: &'p Trace,
    at: At<'p>,
    /// The position of the next step: the index of the run in the trace, the number of completed repetitions of
    /// its word, and the index of the move in the word.
    next: (usize, u64, usize),
    number: u64,
}

#[derive(Debug)]
enum At<'p> {
    Program(ProgramRun<'p>),
    Marked(MarkedRun<'p>),
    Circuit(&'p Circuit, Frame<'p>, frames::Ports),
    Reactive(Box<Player<'p>>),
    Own(OwnRun<'p>),
    Data(Box<DataRun<'p>>),
}

impl<'p> Steps<'p> {
    /// Returns the steps of a run that the checker has accepted.
    ///
    /// # Panics
    /// May panic, here or later, if `trace` is not a run of the problem's system.
    #[must_use]
    pub fn new(problem: &'p Problem, trace: &'p Trace) -> Self {
        let marked = |stepper| At::Marked(MarkedRun::new(stepper, trace));
        let at = match problem.system() {
            SystemModel::Rwb(program) => At::Program(ProgramRun::new(program, trace)),
            SystemModel::Net(net) => marked(Stepper::Net(net)),
            SystemModel::Threads(threads) => marked(Stepper::Threads(threads)),
            SystemModel::Circuit(circuit) => {
                At::Circuit(circuit, Frame::first(circuit, &trace.start), frames::Ports::inputs(circuit))
            }
            SystemModel::Reactive(program) => At::Reactive(Box::new(Player::new(program))),
            SystemModel::Own(system) => At::Own(OwnRun::new(system, trace)),
            SystemModel::Data(program) => At::Data(Box::new(DataRun::new(program, trace))),
        };
        Self { trace, at, next: (0, 0, 0), number: 0 }
    }

    /// Returns the state after the steps taken so far (initially the initial state): every thread, place, latch
    /// or variable with its value. The cost is linear in the number of these parts.
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
            At::Circuit(circuit, frame, _) => {
                let held = frame.latches();
                all(held.len(), &|i| (frames::latch_name(circuit, LatchId::new(i)), Value::Bit(held[i])))
            }
            At::Reactive(player) => {
                let name = |i| player.program().name(VarId::new(i)).to_owned();
                all(player.values().len(), &|i| (name(i), Value::Number(player.values()[i])))
            }
            At::Own(run) => run.shown(),
            At::Data(run) => run.shown(),
        }
    }

    /// Returns the next move of the trace, and advances.
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
            At::Circuit(circuit, frame, ports) => {
                let inputs = step.choice.map_or(&[][..], |choice| self.trace.choice(choice));
                let before = frame.latches();
                frame.compute(inputs);
                frame.step();
                let names = ports.shown(|i| model::circuit::bit(inputs, i));
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
                plain(event, changed(before, run.shown()))
            }
            At::Data(run) => {
                let (event, requested_by, before) = run.take(&step);
                Step { requested_by, ..plain(event, changed(before, run.shown())) }
            }
        })
    }
}

/// Returns a change for each part with another value afterwards.
fn changed(before: Vec<(String, Value)>, after: Vec<(String, Value)>) -> Vec<Change> {
    let parts = before.into_iter().zip(after).filter(|(old, new)| old != new);
    parts.map(|((name, from), (_, to))| Change { name, from, to }).collect()
}

fn thread_name(run: &ProgramRun<'_>, thread: usize) -> String {
    run.program().thread(ThreadId::new(thread)).name.clone()
}

fn state_name(run: &ProgramRun<'_>, thread: usize, state: u32) -> String {
    run.program().thread(ThreadId::new(thread)).state(LocalId(state)).name.clone()
}

/// Returns a change for each part with different values before and after.
fn differences<T: PartialEq>(
    before: &[T],
    after: &[T],
    name: impl Fn(usize) -> String,
    value: impl Fn(usize, &T) -> Value,
) -> Vec<Change> {
    let differ = before.iter().zip(after).enumerate().filter(|(_, (from, to))| from != to);
    differ.map(|(i, (from, to))| Change { name: name(i), from: value(i, from), to: value(i, to) }).collect()
}
