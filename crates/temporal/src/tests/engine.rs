//! Compares the engine on small systems with an enumeration of all lassos of some length.

use super::formulas::{any_formula, parse};
use super::words::Word;
use crate::engine::LtlEngine;
use crate::graph::Calls;
use model::reactive::{Builder, Convention};
use model::{
    Budget, Certificate, Claim, Engine, Goal, Holds, InputId, Letter, Ltl, Outcome, ReactiveTask, Stop, TemporalId,
    Trace, Turn, VarId,
};
use proptest::prelude::*;
use search::valuations::States;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Calls, indexed by state and input.
#[derive(Clone, Debug)]
struct Table {
    inputs: usize,
    calls: Vec<(Outcome, usize)>,
}

impl Table {
    fn entry(&self, state: usize, input: usize) -> (Outcome, usize) {
        self.calls[state * self.inputs + input]
    }
}

impl Calls for Table {
    fn states(&self) -> States {
        States::new([None; 1].into_iter())
    }

    fn inputs(&self) -> usize {
        self.inputs
    }

    fn initial(&self) -> Vec<i32> {
        vec![0]
    }

    fn call(&mut self, from: &[i32], input: InputId, to: &mut [i32], sink: &mut dyn FnMut(Outcome, &[i32])) {
        let (outcome, target) = self.entry(from[0] as usize, input.index());
        to[0] = target as i32;
        sink(outcome, to);
    }
}

fn any_table() -> impl Strategy<Value = Table> {
    (1usize..6, 1usize..4).prop_flat_map(|(states, inputs)| {
        let outcome = prop_oneof![
            3 => (21..24).prop_map(Outcome::Output),
            2 => Just(Outcome::Silent),
            2 => Just(Outcome::Invalid),
            1 => Just(Outcome::Crash),
        ];
        let calls = prop::collection::vec((outcome, 0..states), states * inputs);
        calls.prop_map(move |calls| Table { inputs, calls })
    })
}

/// Returns a task with these formulas. Only the inputs of its program matter.
fn task(inputs: usize, formulas: &[Ltl]) -> ReactiveTask {
    let mut builder = Builder::new();
    for number in 1..=inputs {
        builder.input(number as i32);
    }
    let entry = builder.declare("step");
    let body = builder.block(&[]);
    builder.define(entry, body);
    let program = builder.finish(entry, Convention::Printed).expect("it is one");
    let formulas: Vec<Arc<Ltl>> = formulas.iter().cloned().map(Arc::new).collect();
    let goals = (0..formulas.len()).map(|i| Goal::Temporal(TemporalId::new(i)));
    ReactiveTask::new(Arc::new(program), goals, &formulas)
}

#[derive(Debug)]
enum Expected {
    Violated(Trace),
    Holds,
}

/// Returns the claims of the engine in turns of `work` units. The listed states are appended to `rows`.
fn decide<C: Calls>(
    task: &ReactiveTask,
    calls: C,
    inputs: usize,
    work: u64,
    jobs: usize,
) -> (BTreeMap<usize, Expected>, u64) {
    let numbers = (1..=inputs as i32).collect();
    let mut engine = LtlEngine::new(task, calls, numbers, vec![(VarId(0), Holds::Exactly)], jobs);
    let stop = Arc::new(Stop::default());
    let (mut answers, mut rows) = (BTreeMap::new(), 0);
    let number = |goal: Goal| match goal {
        Goal::Temporal(id) => id.index(),
        _ => panic!("no such goal"),
    };
    for _ in 0..100_000 {
        match engine.run(&mut Budget::new(work, Arc::clone(&stop))) {
            Turn::Claims(Claim::Unsafe { goal, trace, .. }) => {
                assert!(answers.insert(number(goal), Expected::Violated(trace)).is_none());
            }
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::Valuations(valuations) }) => {
                rows = valuations.rows.len();
                let mut listed = 0;
                let _ = valuations.rows.for_each(&mut |row| {
                    assert_eq!(row.len(), 1);
                    listed += 1;
                    ControlFlow::Continue(())
                });
                assert_eq!(listed, rows);
                for goal in goals {
                    assert!(answers.insert(number(goal), Expected::Holds).is_none());
                }
            }
            Turn::Claims(other) => panic!("{other:?}"),
            Turn::More => {}
            Turn::Done => return (answers, rows),
        }
    }
    panic!("it does not end")
}

/// Returns the word of a run, or `None` if the run makes calls that do not exist.
fn word(table: &Table, trace: &Trace) -> Option<Word> {
    let back = usize::try_from(trace.repeats_from?).ok()?;
    let events: Vec<usize> = trace
        .runs()
        .iter()
        .flat_map(|run| (0..run.times).flat_map(|_| run.word.iter().map(|m| m.event.0 as usize)))
        .collect();
    let (mut state, mut start, mut word) = (0, None, Word { letters: Vec::new(), back: 0 });
    for (i, &event) in events.iter().enumerate() {
        if i == back {
            (start, word.back) = (Some(state), word.letters.len());
        }
        let (outcome, to) = table.entry(state, event);
        word.letters.push(Letter::Input(event as i32 + 1));
        match outcome {
            Outcome::Output(letter) => word.letters.push(Letter::Output(letter)),
            Outcome::Silent => {}
            _ => return None,
        }
        state = to;
    }
    (start == Some(state)).then_some(word)
}

/// Returns all lassos of at most `length` calls.
fn lassos(table: &Table, length: usize) -> Vec<Word> {
    let mut found = Vec::new();
    let mut todo: Vec<Vec<usize>> = vec![Vec::new()];
    while let Some(events) = todo.pop() {
        for back in 0..events.len() {
            let mut trace = Trace::new(Box::from([]));
            events.iter().for_each(|&e| trace.push(model::EventId(e as u32), None));
            trace.repeats_from = Some(back as u64);
            found.extend(word(table, &trace));
        }
        if events.len() < length {
            todo.extend((0..table.inputs).map(|input| [&events[..], &[input]].concat()));
        }
    }
    found
}

proptest! {
    #![proptest_config(testkit::config(400))]

    #[test]
    fn answers_are_those_of_all_short_lassos(
        table in any_table(),
        formulas in prop::collection::vec(any_formula(), 6),
        work in 1u64..300,
        jobs in 1usize..3,
    ) {
        let task = task(table.inputs, &formulas);
        let (answers, _) = decide(&task, table.clone(), table.inputs, work, jobs);
        prop_assert_eq!(answers.len(), formulas.len());
        let words = lassos(&table, 5);
        for (i, formula) in formulas.iter().enumerate() {
            match &answers[&i] {
                Expected::Holds => prop_assert!(words.iter().all(|w| w.satisfies(formula)), "formula {}", i),
                Expected::Violated(trace) => {
                    let word = word(&table, trace);
                    prop_assert!(word.is_some_and(|w| !w.satisfies(formula)), "formula {}: {:?}", i, trace);
                }
            }
        }
    }
}

/// A program that counts modulo a bound with every call. Only input A prints a letter, so the count is never
/// visible.
#[derive(Debug)]
struct Counter(i32);

impl Calls for Counter {
    fn states(&self) -> States {
        States::new([None; 1].into_iter())
    }

    fn inputs(&self) -> usize {
        2
    }

    fn initial(&self) -> Vec<i32> {
        vec![0]
    }

    fn call(&mut self, from: &[i32], input: InputId, to: &mut [i32], sink: &mut dyn FnMut(Outcome, &[i32])) {
        to[0] = (from[0] + 1) % self.0;
        sink(if input.index() == 0 { Outcome::Output(21) } else { Outcome::Silent }, to);
    }
}

#[test]
fn a_loop_of_a_class_goes_on_until_the_program_is_back() {
    let formulas = [parse("(G ! oU)"), parse("(G (! iA | X oU))"), parse("(F iA)")];
    let (answers, rows) = decide(&task(2, &formulas), Counter(1000), 2, 100, 1);
    assert_eq!(rows, 1000);
    assert!(matches!(answers[&1], Expected::Holds));
    for violated in [0, 2] {
        let Expected::Violated(trace) = &answers[&violated] else { panic!("{violated} is violated") };
        assert_eq!(trace.len().unwrap() - trace.repeats_from.unwrap(), 1000, "no shorter loop is one");
        assert!(trace.runs().len() <= 3, "rounds are counted");
    }
}

#[test]
fn an_output_takes_a_position_of_its_own() {
    // One state, in which A says U. If input and output had one position, `U` would hold at once, and always.
    let table = Table { inputs: 1, calls: vec![(Outcome::Output(21), 0)] };
    let formulas = ["oU", "X oU", "(G oU)", "(oU U oV)", "(G (iA | oU))", "(G (! iA | X oU))", "X iA"].map(parse);
    let (answers, _) = decide(&task(1, &formulas), table, 1, 1000, 1);
    let holds: Vec<bool> = answers.values().map(|a| matches!(a, Expected::Holds)).collect();
    assert_eq!(holds, [false, true, false, false, true, true, false]);
}

#[test]
fn without_infinite_run_everything_holds() {
    let table = Table { inputs: 1, calls: vec![(Outcome::Silent, 1), (Outcome::Invalid, 0)] };
    let (answers, rows) = decide(&task(1, &[parse("false"), parse("(G iB)")]), table, 1, 1000, 1);
    assert!(answers.values().all(|a| matches!(a, Expected::Holds)) && answers.len() == 2);
    assert_eq!(rows, 2, "the evidence has the dead end, too");
}

#[test]
fn an_endless_graph_gives_its_violations() {
    let formulas = [parse("(F oU)"), parse("(G (! iA | X oU))")];
    let task = task(2, &formulas);
    let mut engine = LtlEngine::new(&task, Endless, vec![1, 2], vec![(VarId(0), Holds::Exactly)], 1);
    let stop = Arc::new(Stop::default());
    let mut violated = Vec::new();
    for _ in 0..100 {
        match engine.run(&mut Budget::new(1000, Arc::clone(&stop))) {
            Turn::Claims(Claim::Unsafe { goal, .. }) => violated.push(goal),
            Turn::More => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(violated, [Goal::Temporal(TemporalId::new(0))]);
}

/// Input A counts up and prints U. Input B does nothing.
#[derive(Debug)]
struct Endless;

impl Calls for Endless {
    fn states(&self) -> States {
        States::new([None; 1].into_iter())
    }

    fn inputs(&self) -> usize {
        2
    }

    fn initial(&self) -> Vec<i32> {
        vec![0]
    }

    fn call(&mut self, from: &[i32], input: InputId, to: &mut [i32], sink: &mut dyn FnMut(Outcome, &[i32])) {
        to[0] = from[0].wrapping_add(1 - input.index() as i32);
        sink(if input.index() == 0 { Outcome::Output(21) } else { Outcome::Silent }, to);
    }
}

/// Three input letters count up for ever, and a fourth one up to `DEPTH`. After that, two more input letters
/// print V. One of these two also counts, the other does nothing else.
#[derive(Debug)]
struct Deep;

const DEPTH: i32 = 24;

impl Calls for Deep {
    fn states(&self) -> States {
        States::new([None; 4].into_iter())
    }

    fn inputs(&self) -> usize {
        6
    }

    fn initial(&self) -> Vec<i32> {
        vec![0; 4]
    }

    fn call(&mut self, from: &[i32], input: InputId, to: &mut [i32], sink: &mut dyn FnMut(Outcome, &[i32])) {
        to.copy_from_slice(from);
        let (counter, allowed) = match input.index() {
            3 => (Some(3), from[3] < DEPTH),
            4 => (Some(0), from[3] == DEPTH),
            5 => (None, from[3] == DEPTH),
            counter => (Some(counter), true),
        };
        if !allowed {
            return sink(Outcome::Invalid, to);
        }
        counter.into_iter().for_each(|counter: usize| to[counter] += 1);
        sink(Outcome::Output(if input.index() > 3 { 22 } else { 21 }), to);
    }
}

#[test]
fn a_run_that_a_guess_hides_is_found() {
    // Counting for ever is a loop of the guess, but of no run.
    let task = task(6, &[parse("(G (F oU))"), parse("(G ! (oV))")]);
    let mut engine = LtlEngine::new(&task, Deep, (1..=6).collect(), vec![(VarId(0), Holds::Exactly); 4], 1);
    let stop = Arc::new(Stop::default());
    let mut violated = 0;
    while violated < 2 {
        match engine.run(&mut Budget::new(10_000, Arc::clone(&stop))) {
            Turn::Claims(Claim::Unsafe { .. }) => violated += 1,
            Turn::More => assert!(engine.stats().states < 200_000, "small parts of the graph have it"),
            other => panic!("{other:?}"),
        }
    }
}
