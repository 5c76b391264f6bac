//! Checks random small problems with every engine against brute force. `--count` sets the number of problems.
//!
//! ```text
//! cargo run --release -p impasse-differential -- --count 1000000 --seed 1
//! cargo run --release -p impasse-differential -- --kind ends --count 1000000
//! cargo run --release -p impasse-differential -- --kind asks --count 1000000
//! cargo run --release -p impasse-differential -- --kind priorities --count 1000000
//! cargo run --release -p impasse-differential -- --kind nets --count 1000000
//! cargo run --release -p impasse-differential -- --kind unbounded-nets --count 1000000
//! cargo run --release -p impasse-differential -- --kind circuits --count 1000000
//! cargo run --release -p impasse-differential -- --kind justice --count 1000000
//! cargo run --release -p impasse-differential -- --kind memories --count 1000000
//! cargo run --release -p impasse-differential -- --kind reactive --count 1000000
//! cargo run --release -p impasse-differential -- --kind gcc --count 10000
//! cargo run --release -p impasse-differential -- --kind mutants --models examples --count 100000
//! ```
//!
//! The command prints counters of the compared problems. At the first difference it prints the difference with
//! the problem and ends with exit code 1.

// This command prints its results to the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr)]

// These modules are shared with the integration tests. The command is a separate crate, because it would
// otherwise be built with the tests. The tests and the command use different parts of these modules, so each of
// them leaves some parts unused.
#[path = "../../../tests/it/circuits/mod.rs"]
mod circuits;
#[path = "../../../tests/it/compare.rs"]
mod compare;
#[path = "../../../tests/it/literal/mod.rs"]
mod literal;
#[path = "../../../tests/it/mutants.rs"]
mod mutants;
#[path = "../../../tests/it/random_nets/mod.rs"]
mod random_nets;
#[path = "../../../tests/it/reactive/mod.rs"]
mod reactive;

use clap::{Parser, ValueEnum};
use impasse::model::{Problem, Program};
use impasse::patterns::kit;
use random_nets::round_trip::{Trips, round_trip};
use std::fmt::Debug;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use testkit::marked::{self, Sample};
use testkit::{circuit, program};

#[derive(Parser)]
struct Args {
    /// Kind of problems
    #[arg(long, value_enum, default_value_t = Kind::Rwb)]
    kind: Kind,
    /// Number of problems
    #[arg(long, default_value_t = 1_000)]
    count: u64,
    /// The first seed. Each problem takes the next one, so two runs with overlapping ranges of seeds share
    /// problems
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The folder with the programs from which mutants are made
    #[arg(long, default_value = "examples")]
    models: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Behavioral programs
    Rwb,
    /// Behavioral programs with final states
    Ends,
    /// Behavioral programs with priorities, some with formulas
    Priorities,
    /// Behavioral programs with formulas about thread states
    Asks,
    /// Periodic tasks, and programs that are almost periodic tasks
    Tasks,
    /// Shared cells with writers and auditors, and programs that are almost like these
    Cells,
    /// Programs of a folder with one change
    Mutants,
    /// Nets
    Nets,
    /// Thread-transition systems
    Threads,
    /// Nets without a bound, each engine alone, and mutants of their certificates
    UnboundedNets,
    /// Thread-transition systems without a bound, each engine alone, and mutants of their certificates
    UnboundedThreads,
    /// Nets without a bound with bit-level IC3 alone, and mutants of its certificates
    Bits,
    /// Thread-transition systems without a bound with bit-level IC3 alone, and mutants of its certificates
    BitsThreads,
    /// Nets within a bound as circuits, in every encoding, and IC3 on them
    BoundedNets,
    /// Thread-transition systems within a bound as circuits, in every encoding, and IC3 on them
    BoundedThreads,
    /// Nets within several bounds by bit-level IC3: one run over all bounds, and a fresh run for each bound
    Bounds,
    /// Thread-transition systems within several bounds by bit-level IC3, in the same two ways as `bounds`
    BoundsThreads,
    /// Circuits, and mutants of the evidence about them
    Circuits,
    /// Justice properties of circuits, and mutants of the evidence about them
    Justice,
    /// Circuits with memories, against the same ones with latches, and mutants of the evidence about them
    Memories,
    /// Reactive programs with formulas
    Reactive,
    /// Files of circuits, against berkeley-abc
    Abc,
    /// Justice properties of circuits, against berkeley-abc
    AbcJustice,
    /// Texts of nets (.spec), against a literal reading
    SpecText,
    /// Texts of thread-transition systems (.tts, .prop), against a literal reading
    TtsText,
    /// Questions about nodes and about the whole of texts of nets, against a literal reading
    WholeNets,
    /// The same of coloured nets
    WholeColoured,
    /// The same of thread-transition systems
    WholeThreads,
    /// Reactive C programs, against the behaviour after compilation by gcc
    Gcc,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match args.kind {
        Kind::Rwb => of_programs(&args, program::program),
        Kind::Ends => of_programs(&args, program::program_with_ends),
        Kind::Asks => of_questions(&args, program::questions),
        Kind::Priorities => of_questions(&args, |seed| match seed % 3 {
            0 => program::questions_with_priorities(seed),
            _ => Problem::of_program(Arc::new(program::program_with_priorities(seed))),
        }),
        Kind::Tasks => of_programs(&args, |seed| kit::task_program(&mut kit::Random::new(seed))),
        Kind::Cells => of_programs(&args, |seed| kit::cell_program(&mut kit::Random::new(seed))),
        Kind::Mutants => match mutants::programs(&args.models) {
            Ok(programs) if !programs.is_empty() => of_programs(&args, |seed| mutants::mutant(&programs, seed)),
            Ok(_) => {
                eprintln!("no programs in {}", args.models.display());
                None
            }
            Err(error) => {
                eprintln!("{}: {error}", args.models.display());
                None
            }
        },
        Kind::Nets => of_nets(&args, marked::net),
        Kind::Threads => of_nets(&args, marked::thread_system),
        Kind::UnboundedNets => unbounded(&args, marked::larger_net, random_nets::unbounded::compare),
        Kind::UnboundedThreads => unbounded(&args, marked::thread_system, random_nets::unbounded::compare),
        Kind::Bits => unbounded(&args, marked::larger_net, random_nets::unbounded::bits),
        Kind::BitsThreads => unbounded(&args, marked::thread_system, random_nets::unbounded::bits),
        Kind::BoundedNets => bounded(&args, marked::net),
        Kind::BoundedThreads => bounded(&args, marked::thread_system),
        Kind::Bounds => bounds(&args, marked::net),
        Kind::BoundsThreads => bounds(&args, marked::thread_system),
        Kind::Circuits => of_circuits(&args),
        Kind::Justice => of_justice(&args),
        Kind::Memories => of_memories(&args),
        Kind::Reactive => of_reactive(&args),
        Kind::Abc => of_abc(&args),
        Kind::AbcJustice => of_abc_justice(&args),
        Kind::SpecText => of_texts(&args, literal::compare::spec),
        Kind::TtsText => of_texts(&args, literal::compare::threads),
        Kind::WholeNets => of_texts(&args, literal::whole::net),
        Kind::WholeColoured => of_texts(&args, literal::whole::coloured),
        Kind::WholeThreads => of_texts(&args, literal::whole::system),
        Kind::Gcc => of_gcc(&args),
    }
    .map_or(ExitCode::FAILURE, |tally| {
        println!("{tally}");
        ExitCode::SUCCESS
    })
}

fn of_programs(args: &Args, make: impl Fn(u64) -> Program) -> Option<String> {
    let mut tally = compare::Tally::default();
    run(args, |seed| {
        let program = Arc::new(make(seed));
        compare::compare(&program, seed, &mut tally).map_err(|wrong| format!("{wrong}\n{}", compare::text(&program)))
    })
    .map(|()| format!("{tally:?}"))
}

fn of_questions(args: &Args, make: impl Fn(u64) -> Problem) -> Option<String> {
    let mut tally = compare::Tally::default();
    run(args, |seed| {
        let problem = make(seed);
        let shown = || {
            format!("{:?}\n{}", problem.formulas(), compare::text(problem.system().as_program().expect("a program")))
        };
        compare::compare_asked(&problem, &mut tally).map_err(|wrong| format!("{wrong}\n{}", shown()))
    })
    .map(|()| format!("{tally:?}"))
}

fn of_nets(args: &Args, make: fn(u64) -> Sample) -> Option<String> {
    let (mut tally, mut trips) = (random_nets::compare::Tally::default(), Trips::default());
    run(args, |seed| {
        let sample = make(seed);
        let compared = random_nets::compare::compare(&sample, seed, &mut tally);
        compared
            .and_then(|()| round_trip(&sample, &mut trips))
            .map_err(|wrong| format!("{wrong}\n{}", random_nets::compare::text(&sample)))
    })
    .map(|()| format!("{tally:?}\n{trips:?}"))
}

type Unbounded = fn(&Sample, u64, &mut random_nets::unbounded::Tally) -> Result<(), String>;

fn unbounded(args: &Args, make: fn(u64) -> Sample, compare: Unbounded) -> Option<String> {
    let mut tally = random_nets::unbounded::Tally::default();
    run(args, |seed| {
        let sample = make(seed);
        compare(&sample, seed, &mut tally).map_err(|wrong| format!("{wrong}\n{}", random_nets::compare::text(&sample)))
    })
    .map(|()| format!("{tally:#?}"))
}

fn bounded(args: &Args, make: fn(u64) -> Sample) -> Option<String> {
    let engine = circuits::compare::is_supported();
    let mut tally = random_nets::bounded::Tally::default();
    run(args, |seed| {
        let sample = make(seed);
        random_nets::bounded::compare(&sample, seed, engine, &mut tally)
            .map_err(|wrong| format!("{wrong}\n{}", random_nets::compare::text(&sample)))
    })
    .map(|()| format!("{tally:#?}"))
}

fn bounds(args: &Args, make: fn(u64) -> Sample) -> Option<String> {
    let mut tally = random_nets::bounds::Tally::default();
    run(args, |seed| {
        let sample = make(seed);
        random_nets::bounds::compare(&sample, seed, &mut tally)
            .map_err(|wrong| format!("{wrong}\n{}", random_nets::compare::text(&sample)))
    })
    .map(|()| format!("{tally:#?}"))
}

fn of_circuits(args: &Args) -> Option<String> {
    let engine = circuits::compare::is_supported();
    let mut tally = circuits::compare::Tally::default();
    run(args, |seed| {
        let problem = circuit::problem(circuit::circuit(seed));
        circuits::compare::compare(&problem, seed, engine, &mut tally)
            .map_err(|wrong| format!("{wrong}\n{}", circuits::compare::text(&problem)))
    })
    .map(|()| format!("{tally:#?}"))
}

fn of_justice(args: &Args) -> Option<String> {
    let mut tally = circuits::justice::Tally::default();
    run(args, |seed| {
        let problem = circuit::justice_problem(circuit::circuit_with_justice(seed));
        circuits::justice::compare(&problem, seed, &mut tally)
            .map_err(|wrong| format!("{wrong}\n{}", circuits::compare::text(&problem)))
    })
    .map(|()| format!("{tally:#?}"))
}

fn of_memories(args: &Args) -> Option<String> {
    let mut tally = circuits::memories::Tally::default();
    run(args, |seed| circuits::memories::compare(seed, &mut tally)).map(|()| format!("{tally:?}"))
}

fn of_reactive(args: &Args) -> Option<String> {
    let mut tally = reactive::compare::Tally::default();
    run(args, |seed| reactive::compare::compare(seed, &mut tally)).map(|()| format!("{tally:#?}"))
}

fn of_texts<T: Default + Debug>(args: &Args, one: fn(u64, &mut T) -> Result<(), String>) -> Option<String> {
    let mut tally = T::default();
    run(args, |seed| one(seed, &mut tally)).map(|()| format!("{tally:?}"))
}

fn of_abc(args: &Args) -> Option<String> {
    if !circuits::abc::is_there() {
        return Some("skipped: no berkeley-abc".to_owned());
    }
    let mut tally = circuits::abc::Tally::default();
    run(args, |seed| circuits::abc::compare(seed, &mut tally)).map(|()| format!("{tally:?}"))
}

fn of_abc_justice(args: &Args) -> Option<String> {
    if !circuits::abc::is_there() {
        return Some("skipped: no berkeley-abc".to_owned());
    }
    let mut tally = circuits::abc_justice::Tally::default();
    run(args, |seed| circuits::abc_justice::compare(&circuit::circuit_with_justice(seed), &mut tally))
        .map(|()| format!("{tally:?}"))
}

/// Compares programs in groups, because the programs of a group share one compilation.
fn of_gcc(args: &Args) -> Option<String> {
    if !reactive::gcc::is_there() {
        return Some("skipped: no gcc for x86-64".to_owned());
    }
    let (mut tally, started) = (reactive::gcc::Tally::default(), Instant::now());
    for from in (0..args.count).step_by(reactive::gcc::TOGETHER as usize) {
        let (seed, count) = (args.seed.wrapping_add(from), (args.count - from).min(reactive::gcc::TOGETHER));
        if let Err(wrong) = reactive::gcc::compare(seed, count, &mut tally) {
            println!("seeds {seed} to {}: {wrong}", seed + count - 1);
            return None;
        }
    }
    println!("no difference in {:.0} s", started.elapsed().as_secs_f64());
    Some(format!("{tally:?}"))
}

/// Runs all seeds. At a difference, prints it and returns `None`.
fn run(args: &Args, mut one: impl FnMut(u64) -> Result<(), String>) -> Option<()> {
    let started = Instant::now();
    for i in 0..args.count {
        let seed = args.seed.wrapping_add(i);
        if let Err(wrong) = one(seed) {
            println!("seed {seed}: {wrong}");
            return None;
        }
        if (i + 1) % 100_000 == 0 {
            eprintln!("{} problems, {:.0} s", i + 1, started.elapsed().as_secs_f64());
        }
    }
    println!("no difference in {:.0} s", started.elapsed().as_secs_f64());
    Some(())
}
