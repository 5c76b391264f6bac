//! Random small programs through every engine against brute force, as many as you like.
//!
//!     cargo run --release --example differential -- --count 1000000 --seed 1
//!
//! Prints what it met and ends with 1 at the first difference, which it prints as a program.

// Its output is what it is for.
#![allow(clippy::print_stdout, clippy::print_stderr)]

// Shared with the tests; they use parts that this command does not, and the other way round.
#[path = "../tests/it/brute.rs"]
mod brute;
#[path = "../tests/it/compare.rs"]
mod compare;
#[path = "../tests/it/generate.rs"]
mod generate;

use clap::Parser;
use compare::{Tally, compare, text};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[derive(Parser)]
struct Args {
    /// How many programs
    #[arg(long, default_value_t = 1_000)]
    count: u64,
    /// The first seed; each program takes the next one
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let started = Instant::now();
    let mut tally = Tally::default();
    for i in 0..args.count {
        let seed = args.seed.wrapping_add(i);
        let program = Arc::new(generate::program(seed));
        if let Err(wrong) = compare(&program, seed, &mut tally) {
            println!("seed {seed}: {wrong}\n{}", text(&program));
            return ExitCode::FAILURE;
        }
        if (i + 1) % 100_000 == 0 {
            eprintln!("{} programs, {:.0} s", i + 1, started.elapsed().as_secs_f64());
        }
    }
    println!("{tally:?}\nno difference in {:.0} s", started.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}
