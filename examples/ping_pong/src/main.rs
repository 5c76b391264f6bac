//! Proves a member of the family safe and prints the time: `cargo run --release -- PAIRS POSITIONS`.

use impasse::model::{Goal, Problem};
use impasse::{Options, check, engines};
use ping_pong::{PING_PONG, family};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|number| number.parse().ok()).collect();
    let [pairs, positions] = numbers[..] else { panic!("two numbers: pairs and positions") };
    let problem = Problem::of_program(Arc::new(family(pairs, positions, pairs * positions)));
    let options = Options { engine: Some(&engines::DPLLT), patterns: &[&PING_PONG], ..Options::default() };
    let started = Instant::now();
    let outcome = check(&problem, &options);
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    let (safe, states) = (answer.is_safe(), answer.stats.states);
    println!("safe: {safe}, {states} states, {:.3} s", started.elapsed().as_secs_f64());
}
