use super::*;
use impasse::model::{Problem, Restriction};
use impasse::patterns::{ALL, kit};
use impasse::{Answer, Finding, Options, check, engines};
use std::sync::Arc;
use std::time::Instant;

const WITH_COUNTS: &[&dyn Pattern] = &[&PING_PONG];

fn answered<T>(program: Program, options: &Options<'_>, of: impl FnOnce(&Answer) -> T) -> T {
    let problem = Problem::of_program(Arc::new(program));
    of(check(&problem, options).about(Goal::Bad).expect("it was asked"))
}

fn by_counts<T>(program: Program, of: impl FnOnce(&Answer) -> T) -> T {
    answered(program, &Options { engine: Some(&engines::DPLLT), patterns: WITH_COUNTS, ..Options::default() }, of)
}

#[test]
fn ten_pairs_of_a_thousand_are_certified_at_once() {
    let program = family(10, 1_000, 10_000);
    let started = Instant::now();
    by_counts(program, |answer| {
        let Finding::Settled(confirmed) = &answer.finding else { panic!("{:?}", answer.finding) };
        assert!(answer.is_safe() && confirmed.trusted.is_empty(), "checked, not believed");
        assert_eq!(answer.stats.states, 1, "only the initial state");
    });
    let took = started.elapsed();
    println!("{took:?}");
    // The limit is for builds without optimisation on a busy machine.
    assert!(took.as_secs() < 60, "{took:?}");
}

/// Small members of the family, and the same with a limit that is too low, agree with explicit search.
#[test]
fn small_members_agree_with_explicit_search() {
    for (pairs, positions) in [(1, 1), (1, 4), (2, 1), (2, 3), (3, 2)] {
        for limit in pairs * positions - 1..=pairs * positions + 1 {
            let program = || family(pairs, positions, limit);
            let explicit = Options { engine: Some(&engines::EXPLICIT), patterns: &[], ..Options::default() };
            let is_safe = answered(program(), &explicit, |answer| {
                assert!(answer.is_safe() || answer.is_unsafe(), "{:?}", answer.finding);
                answer.is_safe()
            });
            assert_eq!(is_safe, limit >= pairs * positions);
            assert_eq!(!kit::reachable(&program()).contains(&Goal::Bad), is_safe);
            by_counts(program(), |answer| {
                let found = (answer.is_safe(), answer.is_unsafe());
                assert_eq!(found, (is_safe, !is_safe), "{pairs} x {positions}, {limit}");
            });
        }
    }
}

fn programs(seed: u64) -> impl Iterator<Item = Program> {
    let members = [family(1, 2, 2), family(1, 3, 2), family(2, 1, 2), family(2, 1, 1)];
    (seed..).zip(members).flat_map(|(seed, member)| kit::near_misses(&member, seed, 400).collect::<Vec<_>>())
}

#[test]
fn the_kit_finds_no_false_lemma() {
    let tally = kit::check_programs(WITH_COUNTS, programs(1), 1).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(tally.matches > 300 && tally.evaluations > 10_000, "{tally:?}");
}

#[test]
fn every_side_condition_is_needed() {
    for condition in [SideCondition::EveryBadState, SideCondition::Staying, SideCondition::EveryInitialState] {
        let noticed = kit::mutant(&PingPong::without(condition), programs(2), 2);
        let noticed = noticed.unwrap_or_else(|failure| panic!("{condition:?}: {failure}"));
        assert!(noticed > 3, "{condition:?} matters in only {noticed} programs");
    }
}

/// What is certified for a near miss is true of it.
#[test]
fn near_misses_are_answered_rightly() {
    let (mut safe, mut not) = (0, 0);
    for program in programs(3).step_by(4) {
        let bad = kit::reachable(&program).contains(&Goal::Bad);
        by_counts(program, |answer| {
            assert_eq!((answer.is_safe(), answer.is_unsafe()), (!bad, bad), "{:?}", answer.finding);
        });
        if bad { not += 1 } else { safe += 1 }
    }
    assert!(safe > 30 && not > 30, "{safe} safe, {not} not");
}

/// The same inequality as a restriction: the pattern has no lemmas, so the engine itself says that no bad state is
/// left.
struct Restricts;

impl Pattern for Restricts {
    fn name(&self) -> &'static str {
        "restricts"
    }

    fn recognize(&self, _: &[Thread], _: Goal) -> Result<Box<dyn Match>, WhyNot> {
        Err(WhyNot::new(None, "it only restricts"))
    }

    fn restrict(&self, threads: &[Thread]) -> Option<Restriction> {
        use impasse::model::{Potential, Unreachable};
        let marker = threads.len() - 1;
        let height = |thread: usize, s: usize| match thread {
            _ if thread == marker => s as i64,
            _ if thread % 2 == 0 => -(s as i64),
            _ => 0,
        };
        let of = |(i, thread): (usize, &Thread)| (0..thread.states.len()).map(|s| height(i, s)).collect();
        let weights = threads.iter().enumerate().map(of).collect();
        let excluded = vec![(ThreadId::new(marker), LocalId::new(threads[marker].states.len() - 1))];
        let why = Unreachable::Potential(vec![Potential { weights }]);
        Some(Restriction { kind: LemmaKind("restricts.sum"), excluded, why })
    }
}

#[test]
fn a_pattern_that_only_restricts_proves_something() {
    for (pairs, positions) in [(2, 3), (4, 1_000)] {
        let started = Instant::now();
        let options = Options { engine: Some(&engines::DPLLT), patterns: &[&Restricts], ..Options::default() };
        answered(family(pairs, positions, pairs * positions), &options, |answer| {
            assert!(answer.is_safe(), "{:?}", answer.finding);
            assert_eq!(answer.stats.states, 0);
        });
        println!("{pairs} x {positions}: {:?}", started.elapsed());
        assert!(started.elapsed().as_secs() < 60);
    }
}

#[test]
fn built_in_patterns_work_beside_it() {
    let patterns: Vec<&dyn Pattern> = ALL.iter().copied().chain([&PING_PONG as &dyn Pattern]).collect();
    let options = Options { engine: Some(&engines::DPLLT), patterns: &patterns, ..Options::default() };
    answered(family(3, 30, 90), &options, |answer| assert!(answer.is_safe(), "{:?}", answer.finding));
}
