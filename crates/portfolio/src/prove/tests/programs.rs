use super::*;
use model::{Bit, Clausal, Clauses, EventId, EventSet, Goal, LocalId, LocalState, Program, Thread, ThreadId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::program::{self, State};

const EVENTS: usize = 3;

fn set(random: &mut Random, percent: usize) -> EventSet {
    EventSet::from_events(EVENTS, (0..EVENTS).map(EventId::new).filter(|_| random.chance(percent)).collect::<Vec<_>>())
}

fn random_thread(random: &mut Random, name: usize) -> Thread {
    let size = 1 + random.below(3);
    let some = |random: &mut Random, extra: usize| {
        let list: BTreeSet<LocalId> = (0..1 + random.below(extra)).map(|_| LocalId::new(random.below(size))).collect();
        list.into_iter().collect::<Vec<_>>()
    };
    let states = (0..size).map(|s| {
        let on: BTreeMap<EventId, Vec<LocalId>> = (0..EVENTS)
            .map(EventId::new)
            .filter_map(|e| if random.chance(50) { Some((e, some(random, 2))) } else { None })
            .collect();
        let bad = s > 0 && random.chance(15);
        LocalState { name: format!("s{s}"), request: set(random, 40), block: set(random, 15), bad, on }
    });
    let states: Vec<LocalState> = states.collect();
    Thread { name: format!("t{name}"), states, initial: some(random, 2) }
}

fn random_program(random: &mut Random) -> Program {
    let threads = (0..1 + random.below(3)).map(|t| random_thread(random, t)).collect();
    let names = (0..EVENTS).map(|e| format!("e{e}")).collect();
    Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("the generator keeps the rules")
}

fn claim(bits: &[Bit], clauses: Vec<Vec<i32>>, goals: Vec<Goal>) -> Claim {
    let invariant = Clausal { bits: bits.to_vec(), clauses, ..Clausal::default() };
    let exclusions = goals.iter().map(|&goal| (goal, None)).collect();
    Claim::Safe {
        goals,
        certificate: Certificate::Clauses(Box::new(Clauses { invariant, induction: None, exclusions })),
    }
}

#[test]
fn just_what_holds_is_proven() {
    let (mut yes, mut no) = ([0; 2], 0);
    for seed in 0..testkit::count(1500) {
        let mut random = Random::new(seed);
        let program = Arc::new(random_program(&mut random));
        let initial = program::initial(&program);
        let truth = program::truth(&program, usize::MAX).expect("there is no limit");
        let problem = Problem::of_program(Arc::clone(&program));
        // Local states that a thread can reach by itself. The checker considers only these local states.
        let local = |(t, thread): (usize, &Thread)| {
            let reachable = thread.locally_reachable();
            let states = (0..thread.states.len()).filter(move |s| reachable[*s]);
            states.map(|s| (ThreadId::new(t), LocalId::new(s))).collect::<Vec<_>>()
        };
        let locals: Vec<Vec<(ThreadId, LocalId)>> = program.threads().iter().enumerate().map(local).collect();
        let all = testkit::choices(locals.iter().map(|l| l.iter().map(|(_, s)| s.0).collect()));
        let bits: Vec<Bit> = (0..program.threads().len())
            .flat_map(|t| {
                (0..program.threads()[t].states.len()).map(move |s| Bit::In(ThreadId::new(t), LocalId::new(s)))
            })
            .collect();
        let number = |t: usize, s: u32| {
            let at = bits.iter().position(|b| *b == Bit::In(ThreadId::new(t), LocalId(s))).expect("it is listed");
            at as i32 + 1
        };
        let exact: Vec<Vec<i32>> = all
            .iter()
            .filter(|s| !truth.depths.contains_key(*s))
            .map(|state| state.iter().enumerate().map(|(t, s)| -number(t, *s)).collect())
            .collect();
        let some = random_clauses(&mut random, bits.len(), 3);
        for (clauses, is_exact) in [(exact, true), (some, false)] {
            let inside =
                |state: &State| hold(&clauses, |bit| matches!(bits[bit], Bit::In(t, s) if state[t.index()] == s.0));
            let kept = |state: &&State| program::successors(&program, state).iter().all(|(_, to)| inside(to));
            let inductive =
                initial.iter().all(inside) && all.iter().filter(|s| inside(s)).collect::<Vec<_>>().iter().all(kept);
            assert!(!is_exact || inductive);
            for goal in [Goal::Bad, Goal::Deadlock] {
                let goal_free = !all.iter().any(|s| inside(s) && program::goal(&program, s) == Some(goal));
                let mut claim = claim(&bits, clauses.clone(), vec![goal]);
                let is_accepted = accepted(&proven(&problem, &mut claim));
                assert_eq!(is_accepted, inductive && goal_free, "seed {seed}, {goal}, {clauses:?}");
                assert!(!is_accepted || !truth.shortest.contains_key(&goal), "seed {seed}");
                if is_accepted {
                    damage(&problem, &mut claim, &mut random);
                    yes[usize::from(is_exact)] += 1;
                } else {
                    no += 1;
                }
            }
        }
    }
    assert!(!testkit::are_full() || yes.iter().all(|n| *n > 100) && no > 300, "{yes:?} {no}");
}

#[test]
fn clauses_about_what_is_not_there_are_rejected() {
    let problem = crate::tests::requesting(0, &[Goal::Bad, Goal::Deadlock]);
    let bit = |t, s| Bit::In(ThreadId(t), LocalId(s));
    for bits in [vec![bit(1, 0)], vec![bit(0, 1)], vec![bit(0, 0), bit(0, 0)], vec![Bit::Latch(model::LatchId(0))]] {
        let result = proven(&problem, &mut claim(&bits, vec![], vec![Goal::Deadlock]));
        assert!(matches!(result, Err(Refusal::Rejected(_))), "{result:?}");
    }
    assert!(accepted(&proven(&problem, &mut claim(&[bit(0, 0)], vec![], vec![Goal::Bad, Goal::Deadlock]))));
    let Claim::Safe { certificate, .. } = claim(&[], vec![], vec![Goal::Bad]) else { unreachable!() };
    let mut wrong = Claim::Safe { goals: vec![Goal::Deadlock], certificate };
    assert!(matches!(proven(&problem, &mut wrong), Err(Refusal::Rejected(_))), "another goal is excluded");
}
