//! Random small problems through every engine against brute force, as many as you like.
//!
//!     cargo run --release -p impasse-differential -- --count 1000000 --seed 1
//!     cargo run --release -p impasse-differential -- --kind ends --count 1000000
//!     cargo run --release -p impasse-differential -- --kind asks --count 1000000
//!     cargo run --release -p impasse-differential -- --kind nets --count 1000000
//!     cargo run --release -p impasse-differential -- --kind unbounded-nets --count 1000000
//!     cargo run --release -p impasse-differential -- --kind circuits --count 1000000
//!     cargo run --release -p impasse-differential -- --kind reactive --count 1000000
//!     cargo run --release -p impasse-differential -- --kind gcc --count 10000
//!     cargo run --release -p impasse-differential -- --kind mutants --models examples --count 100000
//!
//! Prints what it met and ends with 1 at the first difference, which it prints with the problem.

// Its output is what it is for.
#![allow(clippy::print_stdout, clippy::print_stderr)]

// Shared with the tests, which this is no part of: it would be built with them, and tries what they try, only more of
// it; they use parts that this command does not, and the other way round.
#[path = "../../it/circuits/mod.rs"]
mod circuits;
#[path = "../../it/compare.rs"]
mod compare;
#[path = "../../it/literal/mod.rs"]
mod literal;
#[path = "../../it/mutants.rs"]
mod mutants;
#[path = "../../it/random_nets/mod.rs"]
mod random_nets;
#[path = "../../it/reactive/mod.rs"]
mod reactive;

use clap::{Parser, ValueEnum};
use impasse::model::Program;
use impasse::patterns::kit;
use random_nets::round_trip::{Trips, round_trip};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use testkit::marked::{self, Sample};
use testkit::{circuit, program};

#[derive(Parser)]
struct Args {
    /// What to make
    #[arg(long, value_enum, default_value_t = Kind::Rwb)]
    kind: Kind,
    /// How many
    #[arg(long, default_value_t = 1_000)]
    count: u64,
    /// The first seed; each problem takes the next one, so runs whose seeds are closer than their counts share problems
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where the programs are that mutants are made of
    #[arg(long, default_value = "examples")]
    models: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Behavioral programs
    Rwb,
    /// Behavioral programs some of whose ends are proper
    Ends,
    /// Behavioral programs with formulas about thread states
    Asks,
    /// Periodic tasks and their near misses
    Tasks,
    /// Shared cells with writers and auditors, and their near misses
    Cells,
    /// Programs of a folder with one thing changed
    Mutants,
    /// Nets
    Nets,
    /// Thread systems
    Threads,
    /// Nets without a bound, each engine alone, and what their certificates can be changed into
    UnboundedNets,
    /// The same of thread systems
    UnboundedThreads,
    /// Nets without a bound, by IC3 on bits alone, and what its certificates can be changed into
    Bits,
    /// The same of thread systems
    BitsThreads,
    /// Nets within a bound as circuits, in every encoding, and IC3 on them
    BoundedNets,
    /// The same of thread systems
    BoundedThreads,
    /// Nets within one bound after the other, by IC3 on bits: in one run and by a fresh one for each
    Bounds,
    /// The same of thread systems
    BoundsThreads,
    /// Circuits, and what evidence about them can be changed into
    Circuits,
    /// Reactive programs with formulas
    Reactive,
    /// Files of circuits, against berkeley-abc
    Abc,
    /// Texts of nets (.spec), against a literal reading
    SpecText,
    /// Texts of thread systems (.tts, .prop), against a literal reading
    TtsText,
    /// Reactive C programs, against what gcc makes of them
    Gcc,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match args.kind {
        Kind::Rwb => of_programs(&args, program::program),
        Kind::Ends => of_programs(&args, program::program_with_ends),
        Kind::Asks => of_questions(&args),
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
        Kind::Reactive => of_reactive(&args),
        Kind::Abc => of_abc(&args),
        Kind::SpecText => of_texts(&args, literal::compare::spec),
        Kind::TtsText => of_texts(&args, literal::compare::threads),
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

fn of_questions(args: &Args) -> Option<String> {
    let mut tally = compare::Tally::default();
    run(args, |seed| {
        let problem = program::questions(seed);
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

fn of_reactive(args: &Args) -> Option<String> {
    let mut tally = reactive::compare::Tally::default();
    run(args, |seed| reactive::compare::compare(seed, &mut tally)).map(|()| format!("{tally:#?}"))
}

fn of_texts(args: &Args, one: fn(u64, &mut literal::compare::Tally) -> Result<(), String>) -> Option<String> {
    let mut tally = literal::compare::Tally::default();
    run(args, |seed| one(seed, &mut tally)).map(|()| format!("{tally:?}"))
}

fn of_abc(args: &Args) -> Option<String> {
    if !circuits::abc::is_there() {
        return Some("skipped: no berkeley-abc".to_owned());
    }
    let mut tally = circuits::abc::Tally::default();
    run(args, |seed| circuits::abc::compare(seed, &mut tally)).map(|()| format!("{tally:?}"))
}

/// Programs in lots, since many share a compilation.
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

/// Runs all seeds; `None` after a difference, which it prints.
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
