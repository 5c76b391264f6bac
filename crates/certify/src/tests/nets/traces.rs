//! Tests of runs of nets: valid ones replay, damaged ones do not, and random ones do iff the brute force
//! agrees. Jumps over repetitions are exact.

use super::super::brute::Rng;
use super::super::rejected;
use super::*;
use model::{EventId, Trace};

fn run(problem: &Problem, start: &[u32], runs: &[(&[u32], u64)], goal: Goal) -> Result<Confirmed, Refusal> {
    let mut trace = Trace::new(start.into());
    for (word, times) in runs {
        trace.push_repeat(word.iter().map(|&t| EventId(t)).collect(), *times);
    }
    asked(problem, &Claim::Unsafe { goal, trace, candidate: true })
}

fn lock() -> Net {
    let places =
        vec![place("idle", 1, None), place("busy", 0, Some(0)), place("lock", 1, Some(2)), place("done", 0, Some(0))];
    net(places, vec![arcs("enter", &[0, 2], &[1]), arcs("leave", &[1], &[2, 3])])
}

#[test]
fn each_damage_to_a_run_is_named() {
    let problem = net_problem(lock(), vec![cover(&[(1, 2)])]);
    let confirmed = run(&problem, &[1, 1], &[(&[0, 0], 1)], first()).unwrap();
    assert!(confirmed.verdict.is_unsafe());
    assert_eq!((confirmed.length, confirmed.replayed), (2, 2));
    rejected(run(&problem, &[1, 0], &[(&[0, 0], 1)], first()), "not enabled with 0 tokens in `lock`");
    rejected(run(&problem, &[0, 1], &[(&[0, 0], 1)], first()), "not enabled with 0 tokens in `idle`");
    rejected(run(&problem, &[1, 2], &[(&[0, 0], 1)], first()), "not initial");
    rejected(run(&problem, &[1], &[(&[0, 0], 1)], first()), "too short");
    rejected(run(&problem, &[1, 1, 0], &[(&[0, 0], 1)], first()), "too long");
    rejected(run(&problem, &[1, 1], &[(&[0], 1)], first()), "does not satisfy the goal");
    rejected(run(&problem, &[1, 1], &[(&[0, 2], 1)], first()), "unknown event");
    rejected(run(&problem, &[1, 1], &[(&[9], 1 << 60)], first()), "unknown event");
    rejected(run(&problem, &[1, 1], &[(&[0, 0], 1)], Goal::Deadlock), "`leave` is enabled");
    assert!(run(&problem, &[0, 0], &[(&[0, 1], 1)], Goal::Deadlock).is_ok());
    rejected(run(&problem, &[0, 0], &[], Goal::Bad), "not asked for");
    let mut trace = Trace::new([1, 1].into());
    trace.push(EventId(0), Some([0, 1, 1, 0].into()));
    trace.push(EventId(0), None);
    rejected(
        asked(&problem, &Claim::Unsafe { goal: first(), trace, candidate: true }),
        "a step of a net records a choice",
    );
}

#[test]
fn goals_of_nets_need_not_be_the_first() {
    let problem = net_problem(lock(), vec![cover(&[(3, 1)])]);
    assert!(run(&problem, &[4, 0], &[(&[0, 1], 4)], first()).is_ok());
}

#[test]
fn repetitions_are_jumped_over_exactly() {
    let problem = net_problem(lock(), vec![cover(&[(3, u64::from(u32::MAX))])]);
    let most = u32::MAX;
    let confirmed = run(&problem, &[most - 1, 0], &[(&[0, 1], most.into())], first()).unwrap();
    assert_eq!((confirmed.length, confirmed.replayed), (2 * u64::from(most), 4));
    rejected(run(&problem, &[most - 2, 0], &[(&[0, 1], most.into())], first()), "tokens");
    rejected(run(&problem, &[most - 1, 0], &[(&[0, 1], u64::from(most) - 1)], first()), "does not satisfy");
    // Each pass takes a token from `lock`, which has two.
    rejected(run(&problem, &[most - 1, 1], &[(&[0], 3)], first()), "tokens");
    // For guards with upper ends, every pass of an increasing count is checked.
    let places = || vec![place("up", 0, Some(0)), place("down", 1 << 60, Some(1 << 60))];
    let t = |most| transition("t", &[(0, 0, Some(most)), (1, 1, None)], &[(0, &[0], 1), (1, &[1], -1)]);
    let asks = |most: u64| net_problem(net(places(), vec![t(most)]), vec![cover(&[(0, 1 << 60)])]);
    assert!(run(&asks((1 << 60) - 1), &[], &[(&[0], 1 << 60)], first()).is_ok());
    rejected(run(&asks((1 << 60) - 2), &[], &[(&[0], 1 << 60)], first()), "not enabled");
    rejected(run(&asks(u64::MAX), &[], &[(&[0], (1 << 60) + 1)], first()), "tokens");
    rejected(run(&asks((1 << 60) - 1), &[], &[(&[0], 1 << 60), (&[0], 1)], first()), "not enabled");
}

/// A reset or a doubling does not add a constant. Such a repetition is skipped only once nothing changes any
/// more.
#[test]
fn other_words_are_stepped_until_nothing_changes() {
    let places = || vec![place("a", 5, Some(5)), place("b", 1, Some(1))];
    let reset = transition("reset", &[], &[(0, &[], 2)]);
    let double = transition("double", &[], &[(1, &[1, 1], 0)]);
    let up = transition("up", &[], &[(0, &[0], 1)]);
    let problem =
        net_problem(net(places(), vec![reset, double, up]), vec![linear(&[(0, -1)], -2), cover(&[(1, 1 << 40)])]);
    assert!(run(&problem, &[], &[(&[0], 1 << 60)], first()).is_ok());
    assert!(run(&problem, &[], &[(&[2, 0], 1 << 60)], first()).is_ok());
    rejected(run(&problem, &[], &[(&[0, 2], 1 << 60)], first()), "does not satisfy");
    let second = Goal::Formula(FormulaId(1));
    assert_eq!(run(&problem, &[], &[(&[1], 40)], second).map(|c| c.replayed).ok(), Some(40));
    rejected(run(&problem, &[], &[(&[1], 39)], second), "does not satisfy");
    let mut trace = Trace::new([].into());
    trace.push_repeat(vec![EventId(1)], 1 << 60);
    let options = Options { max_steps: 10_000, ..Options::default() };
    let claim = Claim::Unsafe { goal: second, trace, candidate: true };
    assert_eq!(confirm(&problem, &claim, &options, &Stop::default()), Err(Refusal::ResourceLimit));
}

/// Numbers may have any size.
#[test]
fn counts_are_exact_at_any_size() {
    let huge = BigUint::from(7u8).pow(2000);
    let mut places = vec![place("a", 0, None), place("b", 0, Some(0))];
    places[0].initial.at_least = huge.clone() - 3u8;
    let take = Transition::from_arcs("take".into(), &[(p(0), huge.clone())], &[(p(1), huge.clone() + 1u8)]);
    let problem = net_problem(net(places, vec![take]), vec![Formula::cover(&[(p(1), huge + 1u8)])]);
    assert!(run(&problem, &[3], &[(&[0], 1)], first()).is_ok());
    rejected(run(&problem, &[2], &[(&[0], 1)], first()), "not enabled");
    rejected(run(&problem, &[u32::MAX], &[(&[0], 2)], first()), "not enabled");
}

#[test]
fn random_runs_replay_iff_the_brute_force_agrees() {
    let mut rng = Rng(17);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..8000 {
        let places = 1 + rng.below(5);
        let net = random_net(&mut rng, places);
        let mut start: Vec<u32> = Vec::new();
        let mut marking: Tokens = Vec::new();
        for place in net.places() {
            let least = u32::try_from(&place.initial.at_least).unwrap();
            let extra = if place.initial.is_single() { 0 } else { rng.below(2) as u32 };
            if !place.initial.is_single() {
                start.push(extra);
            }
            marking.push(least + extra);
        }
        let mut trace = Trace::new(start.into());
        let (mut state, mut large) = (Some(marking), false);
        for _ in 0..rng.below(5) {
            let enabled: Vec<usize> = (0..net.transitions().len())
                .filter(|&t| state.as_ref().is_some_and(|m| naive::fire(&net.transitions()[t], m).is_some()))
                .collect();
            let pick = |rng: &mut Rng| match enabled.as_slice() {
                [] => EventId::new(rng.below(net.transitions().len())),
                _ if rng.one_in(8) => EventId::new(rng.below(net.transitions().len())),
                _ => EventId::new(enabled[rng.below(enabled.len())]),
            };
            let word: Vec<EventId> = (0..1 + rng.below(2)).map(|_| pick(&mut rng)).collect();
            let times = [1, 1, 2, 3, 7][rng.below(5)];
            trace.push_repeat(word.clone(), times);
            for _ in 0..times {
                for t in &word {
                    large |= state.as_ref().is_some_and(|m| m.iter().any(|&n| n > 1 << 24));
                    state = state.filter(|_| !large).and_then(|m| naive::fire(&net.transitions()[t.index()], &m));
                }
            }
        }
        if large {
            continue;
        }
        let formula = random_formula(&mut rng, places);
        let goal = [first(), first(), Goal::Deadlock][rng.below(3)];
        let expected = state.as_ref().is_some_and(|m| match goal {
            Goal::Deadlock => naive::is_dead(&net, m),
            _ => naive::holds(&formula, m),
        });
        let problem = net_problem(net.clone(), vec![formula]);
        let got = asked(&problem, &Claim::Unsafe { goal, trace: trace.clone(), candidate: true });
        assert_eq!(got.is_ok(), expected, "round {round}: {got:?}\n{net:#?}\n{trace:?}");
        accepted += usize::from(expected);
        refused += usize::from(state.is_none());
    }
    assert!(accepted > 1000 && refused > 1000, "the generator is too weak: {accepted} {refused}");
}
