//! Evaluates the lemmas on violating runs of random programs, and compares bounds with brute force.

use super::*;
use crate::kit::{self, Random};
use model::{Coverage, Match, Pattern, WhyNot};

const KIND: LemmaKind = LemmaKind("facts.any");

/// States everything that this module can say, with weights that depend on the numbers of events and states.
struct Everything;

struct Said(Vec<Thread>, Goal);

impl Pattern for Everything {
    fn name(&self) -> &'static str {
        "facts"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        Ok(Box::new(Said(threads.to_vec(), goal)))
    }
}

impl Match for Said {
    fn coverage(&self) -> Coverage {
        Coverage { goal: self.1, threads: Vec::new() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        let threads = &self.0;
        let counts = Counts::new(threads);
        let events = threads[0].states[0].block.universe();
        out.extend([bad_state(KIND, threads), total(KIND, threads)]);
        for back in 0..3 {
            out.extend((0..events).map(|event| has_fired(KIND, threads, back, EventId::new(event))));
        }
        for (i, thread) in threads.iter().enumerate() {
            let i = ThreadId::new(i);
            for state in (0..thread.states.len()).map(LocalId::new) {
                out.extend((0..3).map(|back| entered_by(KIND, threads, back, i, state)));
            }
            for weights in some_weights(events) {
                out.extend(counts.at_most(KIND, i, None, &weights));
                let ends = (0..thread.states.len()).map(LocalId::new);
                out.extend(ends.filter_map(|end| counts.at_most(KIND, i, Some(end), &weights)));
            }
        }
    }
}

/// All weights from -1 to 1 of up to three events, and a few larger ones.
fn some_weights(events: usize) -> Vec<Vec<(EventId, i64)>> {
    let of = |n: usize| (0..events).map(|e| (EventId::new(e), (n / 3_usize.pow(e as u32) % 3) as i64 - 1)).collect();
    let mut all: Vec<Vec<(EventId, i64)>> = (0..3_usize.pow(events as u32)).map(of).collect();
    all.push((0..events).map(|e| (EventId::new(e), if e == 0 { 3 } else { -2 })).collect());
    all
}

#[test]
fn every_lemma_is_true_of_every_violating_run() {
    let tally = kit::check_random(&[&Everything], 5, 100).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(tally.evaluations > 100 * tally.runs && tally.runs > 1_000, "{tally:?}");
}

/// The longest path of a thread, by its definition: the largest sum after each number of moves. A sum that still grows
/// after more moves than there are states has no bound.
fn by_definition(threads: &[Thread], i: usize, end: Option<LocalId>, weights: &[(EventId, i64)]) -> Option<i64> {
    let thread = &threads[i];
    let requested = |event: EventId| {
        threads.iter().any(|t| {
            let reachable = t.locally_reachable();
            t.states.iter().zip(reachable).any(|(s, reachable)| reachable && !s.bad && s.request.contains(event))
        })
    };
    let count = thread.states.len();
    let mut now: Vec<Option<i64>> =
        (0..count).map(|s| thread.initial.contains(&LocalId::new(s)).then_some(0)).collect();
    let is_end = |s: &usize| end.is_none_or(|end| end.index() == *s);
    let best = |now: &[Option<i64>]| (0..count).filter(is_end).filter_map(|s| now[s]).max();
    let (mut most, mut early) = (best(&now), None);
    for moves in 1..=100 * count {
        let mut next = vec![None; count];
        for (s, state) in thread.states.iter().enumerate().filter(|(_, state)| !state.bad) {
            for &(event, weight) in weights {
                if requested(event) && !state.block.contains(event) {
                    for to in thread.targets(LocalId::new(s), event) {
                        next[to.index()] = next[to.index()].max(now[s].map(|sum| sum + weight));
                    }
                }
            }
        }
        now = next;
        most = most.max(best(&now));
        if moves == 50 * count {
            early = most;
        }
    }
    if early == most { most } else { None }
}

#[test]
fn bounds_agree_with_their_definition() {
    let mut random = Random::new(8);
    let (mut bounded, mut not) = (0, 0);
    for _ in 0..40 {
        let program = kit::program(&mut random);
        let threads = program.threads();
        let counts = Counts::new(threads);
        for weights in some_weights(program.events().len()) {
            for (i, thread) in threads.iter().enumerate() {
                let ends = (0..thread.states.len()).map(|s| Some(LocalId::new(s))).chain([None]);
                for end in ends {
                    let expected = by_definition(threads, i, end, &weights);
                    let found = counts.largest(ThreadId::new(i), end, &weights);
                    assert_eq!(found, expected, "{i} {end:?} {weights:?} {}", kit::describe(&program));
                    if expected.is_some() { bounded += 1 } else { not += 1 }
                }
            }
        }
    }
    assert!(bounded > 1_000 && not > 1_000, "{bounded} {not}");
}

#[test]
fn near_misses_are_programs_with_changed_details() {
    let program = kit::program(&mut Random::new(3));
    let all: Vec<model::Program> = kit::near_misses(&program, 1, 50).collect();
    assert_eq!(all.len(), 51);
    assert_eq!(all[0], program);
    assert!(all[1..].iter().filter(|near| **near != program).count() > 30);
}

/// A fault that matters nowhere is reported, and so is a pattern that matches nothing.
#[test]
fn the_kit_does_not_pass_what_it_has_not_tested() {
    struct Nothing;
    impl Pattern for Nothing {
        fn name(&self) -> &'static str {
            "nothing"
        }

        fn recognize(&self, _: &[Thread], _: Goal) -> Result<Box<dyn Match>, WhyNot> {
            Err(WhyNot::new(None, "it never matches"))
        }
    }
    let failure = kit::check_random(&[&Nothing], 1, 10).expect_err("nothing matched");
    assert!(failure.what.contains("matched or restricted any of the 10 programs"), "{failure}");
    let programs = || (0..10).map(|seed| kit::program(&mut Random::new(seed)));
    let failure = kit::mutant(&Nothing, programs(), 1).expect_err("no fault");
    assert!(failure.what.contains("matters in none of 10 programs (0 matches, 0 restricted)"), "{failure}");
    let failure = kit::mutant(&Everything, programs(), 1).expect_err("no fault");
    assert!(failure.what.contains("matters in none of 10 programs (20 matches, 0 restricted)"), "{failure}");
}
