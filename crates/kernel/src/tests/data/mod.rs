//! Tests of the checks about programs with unbounded data: builders of programs, and an oracle that shares no code
//! with the kernel.

mod projections;
mod proofs;
mod prover;
mod random;
mod runs;

use model::data::{
    Constraint, DataEvent, DataProgram, DataThread, DataVariable, Decision, Linear, Location, LocationKind, Outcome,
    Symbol,
};
use model::{DecisionId, EventId, LocationId, ThreadId, VariableId};
use num_bigint::BigInt;
use std::collections::BTreeMap;

fn number(value: i64) -> Linear {
    Linear::number(value)
}

fn var(id: u32) -> Linear {
    Linear::of(Symbol::Variable(VariableId(id)))
}

fn arg(id: u32) -> Linear {
    Linear::of(Symbol::Argument(id))
}

fn input(thread: u32, id: u32) -> Linear {
    Linear::of(Symbol::Input(ThreadId(thread), id))
}

fn plus(term: &Linear, value: i64) -> Linear {
    term.plus(&BigInt::from(1), &number(value))
}

fn at_most(term: &Linear, value: i64) -> Constraint {
    Constraint::at_most(term, &number(value))
}

fn at_least(term: &Linear, value: i64) -> Constraint {
    Constraint::at_most(&number(value), term)
}

/// Where a thread goes, with its updates.
type Go = Option<(LocationId, Vec<(VariableId, Linear)>)>;

fn go(location: u32, updates: &[(u32, Linear)]) -> Go {
    Some((LocationId(location), updates.iter().map(|(id, term)| (VariableId(*id), term.clone())).collect()))
}

/// A thread under construction.
#[derive(Default)]
struct Build {
    decisions: Vec<Decision>,
    locations: Vec<Location>,
}

impl Build {
    fn add(&mut self, decision: Decision) -> DecisionId {
        self.decisions.push(decision);
        DecisionId::new(self.decisions.len() - 1)
    }

    fn end(&mut self, requests: bool, blocks: bool, go: Go) -> DecisionId {
        self.add(Decision::End(Outcome { requests, blocks, go }))
    }

    fn test(&mut self, constraint: Constraint, yes: DecisionId, no: DecisionId) -> DecisionId {
        self.add(Decision::Test { constraint, yes, no })
    }

    fn location(&mut self, kind: LocationKind, on: &[(u32, DecisionId)]) {
        let on = on.iter().map(|(event, decision)| (EventId(*event), *decision)).collect();
        let name = self.locations.len().to_string();
        self.locations.push(Location { name, line: 0, values: String::new(), kind, on });
    }

    fn thread(self, name: &str, initial: DecisionId) -> DataThread {
        DataThread { name: name.to_owned(), locations: self.locations, decisions: self.decisions, initial }
    }
}

/// Creates a program. Variables are given by their threads, events by their arity.
fn program(variables: &[u32], arities: &[usize], threads: Vec<DataThread>) -> DataProgram {
    let named = |(id, thread): (usize, &u32)| DataVariable { name: format!("v{id}"), thread: ThreadId(*thread) };
    let event = |(id, arity): (usize, &usize)| DataEvent {
        parts: (0..=*arity).map(|part| if part == 0 { format!("e{id}(") } else { ",".to_owned() }).collect(),
    };
    let variables = variables.iter().enumerate().map(named).collect();
    let events = arities.iter().enumerate().map(event).collect();
    DataProgram::new(variables, events, threads).expect("the program is one")
}

/// Thread 0 requests `tick` for ever and counts in v0. Thread 1 counts in v1, and blocks `tick` from `bound` on.
/// Thread 0 is bad after the fourth tick.
fn counter(bound: i64) -> DataProgram {
    let mut ticks = Build::default();
    let initial = ticks.end(false, false, go(0, &[]));
    let on = ticks.end(true, false, go(0, &[(0, plus(&var(0), 1))]));
    let bad = ticks.end(true, false, go(1, &[]));
    let tick = ticks.test(at_most(&var(0), 2), on, bad);
    ticks.location(LocationKind::Plain, &[(0, tick)]);
    ticks.location(LocationKind::Bad, &[]);
    let mut bounds = Build::default();
    let start = bounds.end(false, false, go(0, &[(1, number(0))]));
    let wait = bounds.end(false, false, go(0, &[(1, plus(&var(1), 1))]));
    let block = bounds.end(false, true, None);
    let tick = bounds.test(at_most(&var(1), bound - 1), wait, block);
    bounds.location(LocationKind::Plain, &[(0, tick)]);
    program(&[0, 1], &[0], vec![ticks.thread("ticks", initial), bounds.thread("bounds", start)])
}

/// Thread 0 requests `level(v)` for each v above the last one, in v0, which starts as `first`. Thread 1 is bad after
/// a level below 1.
fn levels(first: i64) -> DataProgram {
    let mut levels = Build::default();
    let initial = levels.end(false, false, go(0, &[(0, number(first))]));
    let yes = levels.end(true, false, go(0, &[(0, arg(0))]));
    let no = levels.end(false, false, None);
    let level = levels.test(Constraint::at_most(&plus(&var(0), 1), &arg(0)), yes, no);
    levels.location(LocationKind::Plain, &[(0, level)]);
    let mut watch = Build::default();
    let start = watch.end(false, false, go(0, &[]));
    let bad = watch.end(false, false, go(1, &[]));
    let good = watch.end(false, false, None);
    let level = watch.test(at_most(&arg(0), 0), bad, good);
    watch.location(LocationKind::Plain, &[(0, level)]);
    watch.location(LocationKind::Bad, &[]);
    program(&[0], &[1], vec![levels.thread("levels", initial), watch.thread("watch", start)])
}

/// A thread that starts with any v0, and then by event 0 replaces v0 by its remainder modulo 3, or by 1. It is bad if
/// event 1 happens when v0 is above 2, which it requests after event 0. Event 2 ends it.
fn remainders() -> DataProgram {
    let mut thread = Build::default();
    let start = thread.end(false, false, go(0, &[(0, input(0, 4))]));
    let initial = thread.add(Decision::Any { input: 4, then: start });
    let to_remainder = thread.end(true, false, go(1, &[(0, input(0, 1))]));
    let divide = Decision::Divide { term: var(0), by: 3.into(), quotient: 0, then: to_remainder };
    let divide = thread.add(divide);
    let to_one = thread.end(true, false, go(1, &[(0, number(1))]));
    let choose = thread.add(Decision::Choose(vec![divide, to_one]));
    let bad = thread.end(true, false, go(2, &[]));
    let fine = thread.end(true, false, None);
    let test = thread.test(at_least(&var(0), 3), bad, fine);
    let end = thread.end(true, false, go(3, &[]));
    thread.location(LocationKind::Plain, &[(0, choose)]);
    thread.location(LocationKind::Plain, &[(1, test), (2, end)]);
    thread.location(LocationKind::Bad, &[]);
    thread.location(LocationKind::Final, &[]);
    program(&[0], &[0, 0, 0], vec![thread.thread("remainders", initial)])
}

/// What the oracle knows of an outcome.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct End {
    draws: Vec<i64>,
    requests: bool,
    blocks: bool,
    location: Option<u32>,
    updates: Vec<(u32, i64)>,
}

/// A state of the oracle: locations and values.
type Known = (Vec<u32>, Vec<i64>);

/// The numbers that the oracle tries for arguments and free inputs.
struct Oracle<'p> {
    program: &'p DataProgram,
    domain: std::ops::RangeInclusive<i64>,
}

impl Oracle<'_> {
    /// All ends of a decision, by the definition.
    fn ends(&self, thread: u32, at: DecisionId, symbols: &BTreeMap<Symbol, i64>, draws: &[i64]) -> Vec<End> {
        let value = |term: &Linear| {
            let constant = i64::try_from(term.constant()).unwrap();
            term.terms().iter().map(|(s, f)| i64::try_from(f).unwrap() * symbols[s]).sum::<i64>() + constant
        };
        let with = |inputs: &[(u32, i64)]| {
            let mut symbols = symbols.clone();
            symbols.extend(inputs.iter().map(|(id, value)| (Symbol::Input(ThreadId(thread), *id), *value)));
            symbols
        };
        let drawn = |draw: i64| [draws, &[draw]].concat();
        match &self.program.threads()[thread as usize].decisions[at.index()] {
            Decision::Test { constraint, yes, no } => {
                let part = if value(constraint.term()) <= 0 { *yes } else { *no };
                self.ends(thread, part, symbols, draws)
            }
            Decision::Divide { term, by, quotient, then } => {
                let (term, by) = (value(term), i64::try_from(by).unwrap());
                let floor = (0..by).find(|r| (term - r) % by == 0).map(|r| (term - r) / by).unwrap();
                let inputs = [(*quotient, floor), (*quotient + 1, term - by * floor)];
                self.ends(thread, *then, &with(&inputs), draws)
            }
            Decision::Any { input, then } => {
                let ends = |value: i64| self.ends(thread, *then, &with(&[(*input, value)]), &drawn(value));
                self.domain.clone().flat_map(ends).collect()
            }
            Decision::Choose(ways) => {
                let ends = |(way, part): (i64, &DecisionId)| self.ends(thread, *part, symbols, &drawn(way));
                (0..).zip(ways).flat_map(ends).collect()
            }
            Decision::End(Outcome { requests, blocks, go }) => vec![End {
                draws: draws.to_vec(),
                requests: *requests,
                blocks: *blocks,
                location: go.as_ref().map(|go| go.0.0),
                updates: go.iter().flat_map(|go| &go.1).map(|(id, term)| (id.0, value(term))).collect(),
            }],
        }
    }

    /// All combinations of ends of these decisions, with the state that they lead to.
    fn together(&self, decisions: &[(u32, DecisionId)], from: &Known, arguments: &[i64]) -> Vec<(Vec<End>, Known)> {
        let variables = (0..).zip(&from.1).map(|(id, value)| (Symbol::Variable(VariableId(id)), *value));
        let arguments = (0..).zip(arguments).map(|(id, value)| (Symbol::Argument(id), *value));
        let symbols: BTreeMap<Symbol, i64> = variables.chain(arguments).collect();
        let mut all = vec![(Vec::new(), from.clone())];
        for (thread, at) in decisions {
            let ends = self.ends(*thread, *at, &symbols, &[]);
            let extend = |(others, state): &(Vec<End>, Known), end: &End| {
                let mut state = state.clone();
                state.0[*thread as usize] = end.location.unwrap_or(state.0[*thread as usize]);
                end.updates.iter().for_each(|(id, value)| state.1[*id as usize] = *value);
                ([others.as_slice(), std::slice::from_ref(end)].concat(), state)
            };
            all = all.iter().flat_map(|before| ends.iter().map(|end| extend(before, end))).collect();
        }
        all
    }

    fn draws(ends: &[End]) -> Vec<i64> {
        ends.iter().flat_map(|end| end.draws.clone()).collect()
    }

    /// The initial states, each with what is drawn.
    fn initial(&self) -> Vec<(Vec<i64>, Known)> {
        let threads = self.program.threads();
        let decisions: Vec<(u32, DecisionId)> = (0..).zip(threads.iter().map(|thread| thread.initial)).collect();
        let zero = (vec![0; threads.len()], vec![0; self.program.variables().len()]);
        self.together(&decisions, &zero, &[]).into_iter().map(|(ends, to)| (Self::draws(&ends), to)).collect()
    }

    fn kind(&self, thread: usize, location: u32) -> LocationKind {
        self.program.threads()[thread].locations[location as usize].kind
    }

    fn is_bad(&self, state: &Known) -> bool {
        state.0.iter().enumerate().any(|(thread, at)| self.kind(thread, *at) == LocationKind::Bad)
    }

    fn is_proper_end(&self, state: &Known) -> bool {
        state.0.iter().enumerate().all(|(thread, at)| self.kind(thread, *at) == LocationKind::Final)
    }

    /// The steps: event, arguments and draws, and the next state.
    fn steps(&self, state: &Known) -> Vec<(u32, Vec<i64>, Known)> {
        let mut steps = Vec::new();
        if self.is_bad(state) {
            return steps;
        }
        for (event, declared) in (0..).zip(self.program.events()) {
            let decision = |(thread, at): (u32, &u32)| {
                let location = &self.program.threads()[thread as usize].locations[*at as usize];
                location.on.get(&EventId(event)).map(|decision| (thread, *decision))
            };
            let decisions: Vec<(u32, DecisionId)> = (0..).zip(&state.0).filter_map(decision).collect();
            for arguments in words(&self.domain.clone().collect::<Vec<_>>(), declared.arity()) {
                for (ends, next) in self.together(&decisions, state, &arguments) {
                    if ends.iter().any(|end| end.requests) && !ends.iter().any(|end| end.blocks) {
                        steps.push((event, [arguments.clone(), Self::draws(&ends)].concat(), next));
                    }
                }
            }
        }
        steps
    }
}

/// All words of this length.
fn words(letters: &[i64], length: usize) -> Vec<Vec<i64>> {
    (0..length).fold(vec![Vec::new()], |words, _| {
        words.iter().flat_map(|word| letters.iter().map(move |letter| [word.as_slice(), &[*letter]].concat())).collect()
    })
}

fn slots(numbers: &[i64]) -> Box<[u32]> {
    numbers.iter().flat_map(|n| [*n as u64 as u32, (*n as u64 >> 32) as u32]).collect()
}
