//! Tests of restrictions: excluded states are never visited, and excluding them changes nothing. The reasons
//! are checked against their definitions.

use super::brute::{self, Rng};
use super::rejected;
use crate::threads::Threads;
use crate::{Confirmed, EvidenceKind, Refusal, families, never_stuck, restricted};
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::restriction::restrict;
use model::{
    Certificate, Claim, EventId, Goal, LemmaKind, LocalId, Potential, Program, Restriction, Stop, ThreadId, Unreachable,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::Listed;

const BOTH: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

pub(super) type Excluded = Vec<(ThreadId, LocalId)>;

pub(super) fn restriction(why: Unreachable, excluded: Excluded) -> Restriction {
    Restriction { kind: LemmaKind("test.restriction"), excluded, why }
}

/// True if the restriction is accepted. Then the test asserts that it is right: no run visits an excluded
/// state, and the program without them has the same states, goals and steps.
#[track_caller]
pub(super) fn accepts(program: &Program, restriction: &Restriction) -> bool {
    let stop = Stop::default();
    let got = restricted::check(program, std::slice::from_ref(restriction), &mut Work::new(u64::MAX, &stop));
    match got {
        Ok(less) => {
            let states = brute::reachable(program);
            let visited = |&&(t, s): &&(ThreadId, LocalId)| states.iter().any(|q| q[t.index()] == s.0);
            if let Some(state) = restriction.excluded.iter().find(visited) {
                panic!("{state:?} is visited, says {restriction:?}\n{program:#?}");
            }
            assert_eq!(brute::reachable(&less), states, "{restriction:?}\n{program:#?}");
            for state in &states {
                assert_eq!(brute::enabled(&less, state), brute::enabled(program, state));
                assert_eq!(brute::goal(&less, state), brute::goal(program, state));
            }
            assert_eq!(less, restrict(program, &restriction.excluded), "both ways of restricting agree");
            true
        }
        Err(Refusal::Rejected(_)) => false,
        Err(other) => panic!("{other:?}"),
    }
}

fn all_states(program: &Program) -> impl Iterator<Item = (ThreadId, LocalId)> + '_ {
    let threads = program.threads().iter().enumerate();
    threads.flat_map(|(t, of)| (0..of.states.len()).map(move |s| (ThreadId::new(t), LocalId::new(s))))
}

/// The least closed family, by definition.
fn family(program: &Program, start: &[Vec<u32>]) -> Vec<BTreeSet<u32>> {
    let mut family: Vec<BTreeSet<u32>> = start.iter().map(|s| s.iter().copied().collect()).collect();
    loop {
        let before = family.clone();
        let state = |t: usize, s: u32| program.threads()[t].state(LocalId(s));
        for event in (0..program.events().len()).map(EventId::new) {
            let requested =
                before.iter().enumerate().any(|(t, f)| f.iter().any(|&s| state(t, s).request.contains(event)));
            let open = before.iter().enumerate().all(|(t, f)| f.iter().any(|&s| !state(t, s).block.contains(event)));
            if !requested || !open {
                continue;
            }
            for (t, states) in before.iter().enumerate() {
                for &s in states.iter().filter(|&&s| !state(t, s).block.contains(event)) {
                    family[t].extend(program.threads()[t].targets(LocalId(s), event).map(|to| to.0));
                }
            }
        }
        if family == before {
            return family;
        }
    }
}

#[test]
fn families_agree_with_their_definition() {
    let mut rng = Rng(41);
    let stop = Stop::default();
    let mut proper = 0;
    for _ in 0..5000 {
        let program = brute::random_program(&mut rng);
        let start: Vec<Vec<u32>> = program
            .threads()
            .iter()
            .map(|t| {
                let first = rng.below(t.states.len());
                (0..t.states.len()).filter(|&s| s == first || rng.one_in(5)).map(|s| s as u32).collect()
            })
            .collect();
        let stepper = Stepper::new(&program).unwrap();
        let work = &mut Work::new(u64::MAX, &stop);
        let moves = families::Moves::new(&stepper, work).unwrap();
        let got = families::closure(&stepper, &moves, |t| &start[t], work).unwrap();
        let expected: Vec<Vec<u32>> = family(&program, &start).into_iter().map(|f| f.into_iter().collect()).collect();
        assert_eq!(got, expected, "from {start:?} in {program:#?}");
        proper += usize::from(got.iter().zip(program.threads()).any(|(f, t)| f.len() < t.states.len()));
    }
    assert!(proper > 1000, "only {proper} families leave something out");
}

#[test]
fn cartesian_restrictions_are_right_and_complete() {
    let mut rng = Rng(42);
    let mut counts = [0; 2];
    for _ in 0..6000 {
        let program = brute::random_program(&mut rng);
        let initial: Vec<Vec<u32>> =
            program.threads().iter().map(|t| t.initial.iter().map(|s| s.0).collect()).collect();
        let inside = family(&program, &initial);
        let odds = [1, 20, 20][rng.below(3)];
        let outside = |rng: &mut Rng, (t, s): (ThreadId, LocalId)| {
            if odds == 1 || rng.one_in(2) { !inside[t.index()].contains(&s.0) } else { rng.one_in(odds) }
        };
        let excluded: Excluded = all_states(&program).filter(|&q| outside(&mut rng, q)).collect();
        let right = excluded.iter().all(|(t, s)| !inside[t.index()].contains(&s.0));
        let proper = right && !excluded.is_empty();
        assert_eq!(accepts(&program, &restriction(Unreachable::Cartesian, excluded)), right);
        counts[usize::from(right)] += usize::from(proper || !right);
    }
    assert!(counts[0] > 200 && counts[1] > 2000, "{counts:?}");
}

/// Threads that pass tokens on: a step forward of one is a step back of another, so that potentials exist.
fn random_exchange(rng: &mut Rng) -> Arc<Program> {
    let count = 2 + rng.below(3);
    let events = 2 + rng.below(3);
    let signs: Vec<Vec<i32>> = (0..events)
        .map(|_| {
            let mut signs = vec![0; count];
            signs[rng.below(count)] = 1;
            signs[rng.below(count)] = -1;
            signs
        })
        .collect();
    let threads = (0..count).map(|t| {
        let size = 2 + rng.below(3) as i32;
        let states = (0..size).map(|s| {
            let mut state = brute::local(&format!("s{s}"), events, &[], &[], &[]);
            for (e, signs) in signs.iter().enumerate() {
                let (event, to) = (EventId::new(e), s + signs[t]);
                if !(0..size).contains(&to) {
                    state.block.insert(event);
                } else if to != s {
                    state.on.insert(event, vec![LocalId(to as u32)]);
                    state.request.insert(event);
                }
                if rng.one_in(25) {
                    state.on.insert(event, vec![LocalId::new(rng.below(size as usize))]);
                }
                if rng.one_in(25) {
                    state.block.remove(event);
                }
            }
            state
        });
        let states = states.collect();
        brute::thread(&format!("t{t}"), &[rng.below(2) as u32], states)
    });
    brute::program(events, threads.collect())
}

/// The conditions of potentials, by definition.
fn keeps_away(program: &Program, potentials: &[Vec<Vec<i64>>], excluded: &Excluded) -> bool {
    let reachable: Vec<Vec<bool>> = program.threads().iter().map(model::Thread::locally_reachable).collect();
    let states = |t: usize| (0..reachable[t].len()).filter(|&s| reachable[t][s]).map(LocalId::new).collect::<Vec<_>>();
    let threads = || 0..program.threads().len();
    let state = |t: usize, s: LocalId| program.threads()[t].state(s);
    let start = |w: &[Vec<i64>]| -> i64 {
        threads().map(|t| program.threads()[t].initial.iter().map(|s| w[t][s.index()]).max().unwrap()).sum()
    };
    let too_large = |places: &[(usize, LocalId)]| {
        potentials.iter().any(|w| {
            let others = threads().filter(|t| places.iter().all(|p| p.0 != *t));
            let least = others.map(|t| states(t).iter().map(|s| w[t][s.index()]).min().unwrap()).sum::<i64>();
            places.iter().map(|&(t, s)| w[t][s.index()]).sum::<i64>() + least > start(w)
        })
    };
    let all = || threads().flat_map(|t| states(t).into_iter().map(move |s| (t, s)));
    let grows = |e: EventId, (r, q): (usize, LocalId)| {
        let beside = |t: usize| {
            let open = states(t).into_iter().filter(|&s| !state(t, s).block.contains(e));
            open.filter(|&s| !too_large(&[(t, s), (r, q)])).collect::<Vec<_>>()
        };
        let concerned = |t: usize| {
            let moves = program.threads()[t].states.iter().enumerate();
            let moves = moves.map(|(s, _)| program.threads()[t].targets(LocalId::new(s), e).ne([LocalId::new(s)]));
            moves.into_iter().any(|m| m) || states(t).iter().any(|&s| !state(t, s).bad && state(t, s).block.contains(e))
        };
        let part = |t: usize| {
            let others = || threads().filter(|&j| j != t && j != r && concerned(j));
            let near = |s: LocalId| others().all(|j| beside(j).iter().any(|&o| !too_large(&[(t, s), (j, o)])));
            beside(t).into_iter().filter(|&s| near(s)).collect::<Vec<_>>()
        };
        potentials.iter().any(|w| {
            let most = |t: usize, from: Vec<LocalId>| {
                let moves = from.into_iter().flat_map(|s| program.threads()[t].targets(s, e).map(move |to| (s, to)));
                moves.map(|(s, to)| w[t][to.index()] - w[t][s.index()]).max()
            };
            let others = threads().filter(|&t| t != r && concerned(t)).map(|t| most(t, part(t)));
            let sum: Option<i64> = others.chain([most(r, vec![q])]).sum();
            sum.is_some_and(|sum| sum > 0)
        })
    };
    let fires =
        |e: EventId| all().filter(move |&(r, q)| state(r, q).request.contains(e) && !state(r, q).block.contains(e));
    let holds = (0..program.events().len()).map(EventId::new).all(|e| !fires(e).any(|case| grows(e, case)));
    holds && excluded.iter().all(|&(i, s)| too_large(&[(i.index(), s)]))
}

#[test]
fn potentials_agree_with_their_definition() {
    let mut rng = Rng(43);
    let (mut counts, mut together) = ([0; 2], 0);
    for round in 0..12_000 {
        let program = if rng.one_in(5) { brute::random_program(&mut rng) } else { random_exchange(&mut rng) };
        let potentials: Vec<Vec<Vec<i64>>> = (0..=rng.below(3)).map(|_| random_weights(&mut rng, &program)).collect();
        let right = |q: (ThreadId, LocalId)| keeps_away(&program, &potentials, &vec![q]);
        let mut excluded: Excluded = all_states(&program).filter(|&q| right(q)).collect();
        if excluded.is_empty() || rng.one_in(3) {
            let any: Excluded = all_states(&program).collect();
            excluded.push(any[rng.below(any.len())]);
            excluded.sort_unstable();
            excluded.dedup();
        }
        let right = keeps_away(&program, &potentials, &excluded);
        let got = accepts(&program, &restriction(potentials_of(potentials.clone()), excluded.clone()));
        assert_eq!(got, right, "round {round}: {excluded:?} by {potentials:?} of {program:#?}");
        counts[usize::from(right)] += 1;
        if right {
            let visited = |state: &Vec<u32>| excluded.iter().any(|(t, s)| state[t.index()] == s.0);
            assert!(!brute::reachable(&program).iter().any(visited), "round {round}: {potentials:?} of {program:#?}");
            together +=
                usize::from(potentials.iter().all(|w| !keeps_away(&program, std::slice::from_ref(w), &excluded)));
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
    assert!(together > 20, "only {together} are excluded by several potentials, but by none alone");
}

fn potentials_of(all: Vec<Vec<Vec<i64>>>) -> Unreachable {
    Unreachable::Potential(all.into_iter().map(|weights| Potential { weights }).collect())
}

/// Weights that count up or down along the states, with an occasional error.
fn random_weights(rng: &mut Rng, program: &Program) -> Vec<Vec<i64>> {
    let row = |rng: &mut Rng, size: usize| {
        let by = rng.below(4) as i64 - 1;
        (0..size as i64).map(|s| s * by).collect()
    };
    let mut weights: Vec<Vec<i64>> = program.threads().iter().map(|t| row(rng, t.states.len())).collect();
    if rng.one_in(4) {
        let t = rng.below(weights.len());
        let s = rng.below(weights[t].len());
        weights[t][s] += rng.below(5) as i64 - 2;
    }
    weights
}

#[test]
fn potentials_are_exact() {
    let program = brute::program(2, vec![brute::clock("A", 2, &[0]), brute::clock("B", 2, &[0])]);
    let with = |weights: Vec<Vec<i64>>| {
        accepts(&program, &restriction(potentials_of(vec![weights]), vec![(ThreadId(0), LocalId(1))]))
    };
    assert!(!with(vec![vec![0, i64::MAX], vec![i64::MAX, i64::MAX]]));
    assert!(!with(vec![vec![0, i64::MIN], vec![0, i64::MAX]]));
    assert!(!with(vec![vec![i64::MIN, i64::MAX], vec![i64::MAX, i64::MIN]]), "it goes down for one, and comes back");
    assert!(!with(vec![vec![0, 0]]), "a thread without weights");
    assert!(!with(vec![vec![0, 0, 0], vec![0, 0]]), "a state too many");
}

fn claim(restrictions: Vec<Restriction>, inner: Certificate, goals: &[Goal]) -> Claim {
    Claim::Safe { goals: goals.to_vec(), certificate: Certificate::Restricted(restrictions, Box::new(inner)) }
}

fn listed(states: &BTreeSet<Vec<u32>>) -> Certificate {
    Certificate::StateSet(Box::new(Listed(states.iter().cloned().collect())))
}

/// A clock, and a marker. The event that leads into the marker's bad state is never requested.
fn safe_program() -> Arc<Program> {
    let clock = brute::thread("Clock", &[0], vec![brute::local("s", 2, &[0], &[], &[])]);
    brute::program(2, vec![clock, brute::marker()])
}

#[test]
fn a_restricted_certificate_is_about_what_is_left() {
    let p = safe_program();
    let cartesian = || restriction(Unreachable::Cartesian, vec![(ThreadId(1), LocalId(1))]);
    let set = BTreeSet::from([vec![0, 0]]);
    let kept = |kept: &[u32]| {
        Certificate::Projection(model::Projection {
            kept: kept.iter().map(|&t| ThreadId(t)).collect(),
            states: Box::new(Listed(vec![vec![0; kept.len()]])),
        })
    };
    let Confirmed { evidence, length, .. } = super::check(&p, &claim(vec![cartesian()], listed(&set), &BOTH)).unwrap();
    assert_eq!((evidence, length), (EvidenceKind::StateSet, 1));
    // If the bad state is excluded, the marker need not be kept. Otherwise it must be kept.
    let got = super::check(&p, &claim(vec![cartesian()], kept(&[0]), &BOTH)).unwrap();
    assert_eq!(got.evidence, EvidenceKind::Projection);
    let whole = Claim::Safe { goals: BOTH.to_vec(), certificate: kept(&[0]) };
    rejected(super::check(&p, &whole), "not kept and has a bad state");
    assert!(super::check(&p, &claim(vec![cartesian(), cartesian()], kept(&[0]), &BOTH)).is_ok());
    let wrong = restriction(Unreachable::Cartesian, vec![(ThreadId(1), LocalId(0))]);
    rejected(
        super::check(&p, &claim(vec![cartesian(), wrong], kept(&[0]), &BOTH)),
        "restriction 1: state 0 of thread 1",
    );
    for (t, s) in [(1, 2), (2, 0)] {
        let wrong = restriction(Unreachable::Cartesian, vec![(ThreadId(t), LocalId(s))]);
        rejected(super::check(&p, &claim(vec![wrong], kept(&[0]), &BOTH)), "there is no state");
    }
    let twice = restriction(Unreachable::Cartesian, vec![(ThreadId(1), LocalId(1)); 2]);
    rejected(super::check(&p, &claim(vec![twice], kept(&[0]), &BOTH)), "ascending");
    let nested = Certificate::Restricted(vec![cartesian()], Box::new(kept(&[0])));
    rejected(super::check(&p, &claim(vec![], nested, &BOTH)), "must be in one list");
}

/// Each list is checked on the program that the earlier lists left. In another order the same lists may be
/// wrong.
#[test]
fn restrictions_build_on_each_other() {
    let mut rng = Rng(44);
    let stop = Stop::default();
    let mut built = 0;
    for _ in 0..20_000 {
        let program = random_exchange(&mut rng);
        let weights: Vec<Vec<i64>> = program.threads().iter().map(|t| (0..t.states.len() as i64).collect()).collect();
        let heavy: Excluded =
            all_states(&program).filter(|&q| keeps_away(&program, std::slice::from_ref(&weights), &vec![q])).collect();
        if heavy.is_empty() {
            continue;
        }
        let less = restrict(&program, &heavy);
        let initial: Vec<Vec<u32>> = less.threads().iter().map(|t| t.initial.iter().map(|s| s.0).collect()).collect();
        let inside = family(&less, &initial);
        let more: Excluded = all_states(&less).filter(|(t, s)| !inside[t.index()].contains(&s.0)).collect();
        let potential = restriction(potentials_of(vec![weights]), heavy);
        let cartesian = restriction(Unreachable::Cartesian, more.clone());
        let both = [potential, cartesian.clone()];
        let got = restricted::check(&program, &both, &mut Work::new(u64::MAX, &stop)).expect("both are right");
        assert_eq!(brute::reachable(&got), brute::reachable(&program));
        let alone = restricted::check(&program, &[cartesian], &mut Work::new(u64::MAX, &stop));
        built += usize::from(alone.is_err());
    }
    assert!(built > 20, "only {built} lists needed the earlier one");
}

/// Computes the ranked events by definition, round by round. Returns true if some thread always requests one.
fn is_never_stuck(program: &Program) -> bool {
    let healthy = |t: &model::Thread| -> Vec<model::LocalState> {
        let reachable = t.locally_reachable();
        t.states.iter().zip(reachable).filter(|(s, reachable)| *reachable && !s.bad).map(|(s, _)| s.clone()).collect()
    };
    let threads: Vec<Vec<model::LocalState>> = program.threads().iter().map(healthy).collect();
    let mut ranked = BTreeSet::new();
    let asks = |s: &model::LocalState, ranked: &BTreeSet<EventId>| s.request.iter().any(|e| ranked.contains(&e));
    for _ in 0..=program.events().len() {
        let all = (0..program.events().len()).map(EventId::new);
        let comes = |&e: &EventId| threads.iter().flatten().all(|s| !s.block.contains(e) || asks(s, &ranked));
        ranked = all.filter(comes).collect();
    }
    threads.iter().any(|states| states.iter().all(|s| asks(s, &ranked)))
}

#[test]
fn programs_that_never_get_stuck_agree_with_their_definition() {
    let mut rng = Rng(45);
    let stop = Stop::default();
    let mut counts = [[0; 2]; 2];
    for _ in 0..8000 {
        let program = brute::random_program(&mut rng);
        let stepper = Stepper::new(&program).unwrap();
        let work = &mut Work::new(u64::MAX, &stop);
        let threads = Threads::new(&stepper, work).unwrap();
        let got = never_stuck::holds(&threads, work).unwrap();
        assert_eq!(got, is_never_stuck(&program), "{program:#?}");
        let stuck = brute::reachable(&program).iter().any(|s| brute::goal(&program, s) == Some(Goal::Deadlock));
        assert!(!(got && stuck), "{program:#?}");
        counts[usize::from(got)][usize::from(stuck)] += 1;
    }
    assert!(counts[1][0] > 500 && counts[0][1] > 500, "{counts:?}");
}
