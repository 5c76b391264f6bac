//! Random small problems through every engine against brute force, as many as you like.
//!
//!     cargo run --release --example differential -- --count 1000000 --seed 1
//!     cargo run --release --example differential -- --kind nets --count 1000000
//!
//! Prints what it met and ends with 1 at the first difference, which it prints with the problem.

// Its output is what it is for.
#![allow(clippy::print_stdout, clippy::print_stderr)]

// Shared with the tests; they use parts that this command does not, and the other way round.
#[path = "../tests/it/brute.rs"]
mod brute;
#[path = "../tests/it/compare.rs"]
mod compare;
#[path = "../tests/it/generate.rs"]
mod generate;
#[path = "../tests/it/random_nets/mod.rs"]
mod random_nets;

use clap::{Parser, ValueEnum};
use random_nets::generate::Sample;
use random_nets::round_trip::{Trips, round_trip};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[derive(Parser)]
struct Args {
    /// What to make
    #[arg(long, value_enum, default_value_t = Kind::Rwb)]
    kind: Kind,
    /// How many
    #[arg(long, default_value_t = 1_000)]
    count: u64,
    /// The first seed; each problem takes the next one
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Behavioral programs
    Rwb,
    /// Nets
    Nets,
    /// Thread systems
    Threads,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match args.kind {
        Kind::Rwb => {
            let mut tally = compare::Tally::default();
            run(&args, |seed| {
                let program = Arc::new(generate::program(seed));
                compare::compare(&program, seed, &mut tally)
                    .map_err(|wrong| format!("{wrong}\n{}", compare::text(&program)))
            })
            .map(|()| format!("{tally:?}"))
        }
        Kind::Nets => of_nets(&args, random_nets::generate::net),
        Kind::Threads => of_nets(&args, random_nets::generate::thread_system),
    }
    .map_or(ExitCode::FAILURE, |tally| {
        println!("{tally}");
        ExitCode::SUCCESS
    })
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
