//! A fixed set of texts. `cargo run --release -p impasse-differential -- --kind spec-text` checks millions.

use super::compare::{self, Tally};
use super::whole;

fn all(count: u64, one: fn(u64, &mut Tally) -> Result<(), String>) {
    let mut tally = Tally::default();
    for seed in 0..testkit::count(count) {
        if let Err(wrong) = one(seed, &mut tally) {
            panic!("seed {seed}: {wrong}");
        }
    }
    if !testkit::are_full() {
        return;
    }
    // The generator must make all kinds of texts.
    assert!(tally.answers.iter().all(|n| n * 20 > count) && tally.large * 2 < count, "{tally:?}");
    assert!(tally.steps > 20 * count && tally.targets > 10 * count, "{tally:?}");
}

#[test]
fn spec_text_means_what_its_grammar_says() {
    all(2_000, compare::spec);
}

#[test]
fn tts_text_means_what_its_grammar_says() {
    all(2_000, compare::threads);
}

/// Questions about all nodes of a system and about single ones, asked of random texts.
fn whole(count: u64, one: fn(u64, &mut whole::Tally) -> Result<(), String>) {
    let mut tally = whole::Tally::default();
    for seed in 0..testkit::count(count) {
        if let Err(wrong) = one(seed, &mut tally) {
            panic!("seed {seed}: {wrong}");
        }
    }
    let is_varied = tally.answers.iter().all(|n| *n > count) && tally.large * 2 < count;
    assert!(!testkit::are_full() || is_varied, "{tally:?}");
}

#[test]
fn questions_about_whole_nets_are_about_the_net_in_the_file() {
    whole(1_000, whole::net);
}

#[test]
fn questions_about_whole_coloured_nets_are_about_the_net_in_the_file() {
    whole(600, whole::coloured);
}

#[test]
fn questions_about_whole_thread_transition_systems_are_about_the_system_in_the_file() {
    whole(600, whole::system);
}
