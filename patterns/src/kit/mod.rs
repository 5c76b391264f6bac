//! The conformance kit checks that all lemmas of all patterns hold together for every violating run.
//!
//! The programs are small: random ones, near misses of matching ones, or programs of the caller. The kit
//! enumerates violating runs of the product by brute force. It takes the values of all constants from the
//! witnesses of the patterns, and evaluates every lemma by the meaning that [`model::Prop`] defines. An unsound
//! lemma silently prunes real violations. So the author of a pattern should run the kit first: [`check_random`]
//! on some thousands of programs, and [`check_programs`] on the near misses of programs that match ([`near_misses()`]).
//! [`mutant`] then shows that the programs would have found a fault.
//!
//! The kit is for tests only: it builds products, which patterns never do.

mod cell_programs;
mod eval;
mod generate;
mod near_misses;
mod refute;
mod restrictions;
mod runs;
mod task_programs;

pub use cell_programs::cell_program;
pub use eval::{eval, holds};
pub use generate::{Random, program};
pub use near_misses::{mutant, near_misses};
pub use refute::{reachable, reachable_states, refutes};
pub use restrictions::restricted;
pub use runs::{Sample, enabled, initial_states, kind_of, successors, violating_runs};
pub use task_programs::{task_program, task_set};

use model::pattern::ConcreteRun;
use model::{Goal, Lemma, Match, Pattern, Program, Values};
use num_bigint::BigInt;
use std::fmt;

/// Counts of what a check has covered. Tests use them to ensure that the check was not trivial.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Number of programs.
    pub programs: usize,
    /// Number of programs for which patterns excluded some states.
    pub restricted: usize,
    /// Number of matches of a pattern with a program and a goal.
    pub matches: usize,
    /// Number of violating runs of matched programs.
    pub runs: usize,
    /// Number of evaluations of a lemma on a run.
    pub evaluations: usize,
}

/// A lemma that is false for a violating run, or a violated rule of the trait [`Pattern`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Description of the failure.
    pub what: String,
    /// The run for which the lemma is false, if the failure is about a run.
    pub run: Option<ConcreteRun>,
    /// The program as text.
    pub program: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.what)?;
        if let Some(run) = &self.run {
            writeln!(f, "violating run of goal {}: {:?} by events {:?}", run.goal, run.states, run.events)?;
        }
        f.write_str(&self.program)
    }
}

/// Checks `patterns` on `count` random programs of no particular kind ([`program`]), generated from `seed`.
///
/// # Errors
/// The first failure. If no pattern matches or restricts any of the programs, the check says nothing, so this is a
/// failure, too: check the patterns on programs of their own instead ([`check_programs`], [`near_misses()`]).
pub fn check_random(patterns: &[&dyn Pattern], seed: u64, count: usize) -> Result<Tally, Box<Failure>> {
    check_generated(patterns, program, seed, count)
}

/// Checks `patterns` on `count` programs that `generate` builds from `seed`.
///
/// # Errors
/// As for [`check_random`].
pub fn check_generated(
    patterns: &[&dyn Pattern],
    generate: impl Fn(&mut Random) -> Program,
    seed: u64,
    count: usize,
) -> Result<Tally, Box<Failure>> {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for _ in 0..count {
        let program = generate(&mut random);
        check(patterns, &program, Sample::default(), &mut random, &mut tally)?;
    }
    tally.says_something()
}

/// Checks `patterns` on these programs, with runs that `seed` determines.
///
/// # Errors
/// As for [`check_random`].
pub fn check_programs(
    patterns: &[&dyn Pattern],
    programs: impl IntoIterator<Item = Program>,
    seed: u64,
) -> Result<Tally, Box<Failure>> {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for program in programs {
        check(patterns, &program, Sample::default(), &mut random, &mut tally)?;
    }
    tally.says_something()
}

impl Tally {
    /// Returns the counts, or a failure if no pattern matched or restricted any program.
    fn says_something(self) -> Result<Self, Box<Failure>> {
        if self.matches > 0 || self.restricted > 0 {
            return Ok(self);
        }
        let what = format!("no pattern matched or restricted any of the {} programs", self.programs);
        Err(Box::new(Failure { what, run: None, program: String::new() }))
    }
}

/// Checks `patterns` on one program. First, no run may visit a state that they exclude. Then all lemmas are
/// checked, for the program as it is and for the program without the excluded states. Both goals are checked
/// together: a run that violates either goal must satisfy the lemmas of all matches. This covers problems with
/// a single goal, because all runs and lemmas of such a problem are among the checked ones.
///
/// # Errors
/// The first excluded state that is visited, or the first lemma that is false.
pub fn check(
    patterns: &[&dyn Pattern],
    program: &Program,
    sample: Sample,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), Box<Failure>> {
    tally.programs += 1;
    let without = restrictions::check(patterns, program)?;
    let mut matches = recognized(patterns, program);
    if without != *program {
        tally.restricted += 1;
        matches.extend(recognized(patterns, &without));
    }
    if matches.is_empty() {
        return Ok(());
    }
    tally.matches += matches.len();
    let failure = |what: String, run: Option<&ConcreteRun>| {
        Box::new(Failure { what, run: run.cloned(), program: describe(program) })
    };
    let mut lemmas = Vec::new();
    for found in &mut matches {
        found.on_start(&mut lemmas);
    }
    let runs = violating_runs(program, sample, random);
    tally.runs += runs.len();
    let events = program.events().len();
    let proposals = proposals(&matches, &runs, events);
    for values in &proposals {
        matches.iter_mut().for_each(|m| m.on_model(values, &mut lemmas));
    }
    well_formed(&lemmas, patterns).map_err(|what| failure(what, None))?;
    for run in &runs {
        let values = witness(&matches, run, events).map_err(|what| failure(what, Some(run)))?;
        let mut of_states = Vec::new();
        for state in &run.states {
            matches.iter_mut().for_each(|m| m.on_state(state, &mut of_states));
        }
        well_formed(&of_states, patterns).map_err(|what| failure(what, Some(run)))?;
        for lemma in lemmas.iter().chain(&of_states) {
            tally.evaluations += 1;
            if !holds(lemma, run, &values) {
                let what =
                    format!("the lemma {} is false: {:?} by {:?}", lemma.kind.0, lemma.clause, lemma.justification);
                return Err(failure(what, Some(run)));
            }
        }
    }
    Ok(())
}

/// Returns the matches of `patterns` with `program`, for both goals.
#[must_use]
pub fn recognized(patterns: &[&dyn Pattern], program: &Program) -> Vec<Box<dyn Match>> {
    let goals = [Goal::Bad, Goal::Deadlock];
    let pairs = patterns.iter().flat_map(|p| goals.map(|goal| (p, goal)));
    pairs.filter_map(|(p, goal)| p.recognize(program.threads(), goal).ok()).collect()
}

/// Returns the values of all constants: those that the run determines, and those of the matches. Returns an error if
/// there are two values of one constant.
fn witness(matches: &[Box<dyn Match>], run: &ConcreteRun, events: usize) -> Result<Values, String> {
    let mut values = run.values(events);
    for found in matches {
        for (constant, value) in found.witness(run) {
            if values.get(&constant).is_some_and(|known| *known != value) {
                return Err(format!("two values of {constant:?}"));
            }
            values.insert(constant, value);
        }
    }
    Ok(values)
}

/// Returns values as a side theory may propose them: correct ones for some runs, and slightly wrong ones.
fn proposals(matches: &[Box<dyn Match>], runs: &[ConcreteRun], events: usize) -> Vec<Values> {
    let right = runs.iter().take(3).filter_map(|run| witness(matches, run, events).ok());
    let off = |values: &Values| values.iter().map(|(c, v)| (c.clone(), v + BigInt::from(1))).collect();
    right.flat_map(|values| [off(&values), values]).collect()
}

/// Checks the rules on the form of lemmas.
fn well_formed(lemmas: &[Lemma], patterns: &[&dyn Pattern]) -> Result<(), String> {
    for lemma in lemmas {
        let owner = lemma.kind.0.split('.').next();
        if !patterns.iter().any(|p| Some(p.name()) == owner) {
            return Err(format!("the kind {} does not begin with a pattern's name", lemma.kind.0));
        }
        if !lemma.kind.0.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')) {
            return Err(format!("evidence cannot name the kind {:?}: letters, digits, `_`, `.`, `-`", lemma.kind.0));
        }
        if lemma.clause.iter().any(|l| !l.positive && matches!(l.prop, model::Prop::Int(_))) {
            return Err(format!("the lemma {} negates an arithmetic atom", lemma.kind.0));
        }
    }
    Ok(())
}

/// Returns a program as compact but complete text.
#[must_use]
pub fn describe(program: &Program) -> String {
    let mut text = format!("{} events\n", program.events().len());
    for (i, thread) in program.threads().iter().enumerate() {
        text += &format!("thread {i}, initial {:?}\n", thread.initial.iter().map(|s| s.0).collect::<Vec<_>>());
        for (s, state) in thread.states.iter().enumerate() {
            let ids = |set: &model::EventSet| set.iter().map(|e| e.0).collect::<Vec<_>>();
            let (request, block) = (ids(&state.request), ids(&state.block));
            let bad = if state.bad { " bad" } else { "" };
            text += &format!("  state {s}{bad}: request {request:?} block {block:?}");
            for (event, targets) in &state.on {
                text += &format!(" {}->{:?}", event.0, targets.iter().map(|t| t.0).collect::<Vec<_>>());
            }
            text += "\n";
        }
    }
    text
}
