//! Compares the engine with brute force on small random programs, without patterns and with patterns of these
//! tests.

use super::*;
use model::{
    ConcreteRun, Constant, EventId, EventSet, IntAtom, Lemma, LemmaKind, LemmaLit, LocalId, LocalState, Program, Prop,
    Thread, ThreadId, Values,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::program::{goal as goal_of, initial, replay, successors, truth};

fn run(
    program: &Program,
    goals: &[Goal],
    patterns: &[&dyn Pattern],
    batch: Option<usize>,
    turn: u64,
) -> (BTreeSet<Goal>, Stats) {
    let task = ProgramTask::new(Arc::new(program.clone()), goals.iter().copied());
    let mut engine = Dpllt::new(&task, patterns, Options { batch, lemmas_only: false });
    let stop = Arc::new(Stop::default());
    let (mut unsafe_goals, mut safe_goals) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..100_000 {
        match engine.run(&mut Budget::new(turn, Arc::clone(&stop))) {
            Turn::Claims(Claim::Unsafe { goal, trace, candidate }) => {
                match replay(program, &trace).and_then(|end| goal_of(program, &end)) {
                    Some(reached) if reached == goal => drop(unsafe_goals.insert(goal)),
                    _ if candidate => engine.refused(goal),
                    other => panic!("the trace for {goal} ends in {other:?}"),
                }
            }
            Turn::Claims(Claim::Safe { goals, certificate }) => {
                if let Certificate::StateSet(set) = &certificate {
                    let _ = set.for_each(&mut |q| {
                        let reached = goal_of(program, q);
                        assert!(reached.is_none_or(|g| !goals.contains(&g)), "a goal state as evidence for safe");
                        std::ops::ControlFlow::Continue(())
                    });
                }
                safe_goals.extend(goals);
            }
            Turn::Claims(Claim::Unknown { reason, .. }) => panic!("gave up: {reason}"),
            Turn::Claims(claim) => panic!("{claim:?} was not asked for"),
            Turn::More => {}
            Turn::Done => {
                let asked: BTreeSet<Goal> = goals.iter().copied().collect();
                assert_eq!(&unsafe_goals | &safe_goals, asked, "every goal is claimed");
                assert!(unsafe_goals.is_disjoint(&safe_goals));
                return (unsafe_goals, engine.stats());
            }
        }
    }
    panic!("the engine does not end");
}

fn check(program: &Program, patterns: &[&dyn Pattern], batch: Option<usize>, turn: u64) {
    let truth = truth(program, usize::MAX).expect("there is no limit");
    for asked in [&[Goal::Bad][..], &[Goal::Deadlock], &[Goal::Bad, Goal::Deadlock]] {
        let (reached, stats) = run(program, asked, patterns, batch, turn);
        let expected: BTreeSet<Goal> = truth.shortest.keys().copied().filter(|g| asked.contains(g)).collect();
        assert_eq!(reached, expected, "asked {asked:?} of {program:?}");
        if reached.len() < asked.len() && stats.lemmas.is_empty() && patterns.is_empty() {
            assert_eq!(stats.states, truth.states, "a refutation without lemmas has met every state");
        }
    }
}

const EVENTS: usize = 3;

fn thread(name: String) -> impl Strategy<Value = Thread> {
    (1usize..5).prop_flat_map(move |n| {
        let name = name.clone();
        let set = || prop::collection::vec(prop::bool::weighted(0.3), EVENTS);
        let targets = prop::collection::btree_set(0..n as u32, 1..=2.min(n));
        let on = prop::collection::btree_map(0..EVENTS as u32, targets, 0..=EVENTS);
        let states = prop::collection::vec((set(), set(), prop::bool::weighted(0.1), on), n);
        (states, prop::collection::btree_set(0..n as u32, 1..=2.min(n))).prop_map(move |(states, initial)| Thread {
            name: name.clone(),
            states: states
                .into_iter()
                .enumerate()
                .map(|(i, (request, block, bad, on))| local(i, &request, &block, bad, on))
                .collect(),
            initial: initial.into_iter().map(LocalId).collect(),
        })
    })
}

fn local(i: usize, request: &[bool], block: &[bool], bad: bool, on: BTreeMap<u32, BTreeSet<u32>>) -> LocalState {
    let set = |bits: &[bool]| EventSet::from_events(EVENTS, (0..EVENTS).filter(|&e| bits[e]).map(EventId::new));
    LocalState {
        name: format!("s{i}"),
        request: set(request),
        block: set(block),
        bad,
        on: on.into_iter().map(|(e, to)| (EventId(e), to.into_iter().map(LocalId).collect())).collect(),
    }
}

fn programs() -> impl Strategy<Value = Program> {
    (2usize..4).prop_flat_map(|n| (0..n).map(|t| thread(format!("t{t}"))).collect::<Vec<_>>()).prop_map(|threads| {
        let events = (0..EVENTS).map(|e| format!("e{e}")).collect();
        Program::new(events, threads, vec![Goal::Bad, Goal::Deadlock]).expect("the generator obeys the rules")
    })
}

/// A pattern with the run length as its constant. Its lemmas hold for every run: the length is 0 or 1 modulo 2,
/// and the run visits an initial state. It proposes a run that need not exist.
struct Chatty;
const CHATTY: LemmaKind = LemmaKind("chatty.true");

struct ChattyMatch {
    goal: Goal,
    initial: Vec<Box<[u32]>>,
}

impl Pattern for Chatty {
    fn name(&self) -> &'static str {
        "chatty"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        let initial = threads.iter().fold(vec![Vec::new()], |all, thread| {
            all.iter().flat_map(|p: &Vec<u32>| thread.initial.iter().map(|s| [p.as_slice(), &[s.0]].concat())).collect()
        });
        Ok(Box::new(ChattyMatch { goal, initial: initial.into_iter().map(Into::into).collect() }))
    }
}

impl Match for ChattyMatch {
    fn coverage(&self) -> Coverage {
        Coverage { goal: self.goal, threads: vec![ThreadId(0)] }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        let ends = LemmaLit::no(Prop::Ends(self.goal));
        let residue = |a| LemmaLit::yes(Prop::Int(IntAtom::congruent(Constant::RunLength, a, 2)));
        out.push(Lemma { kind: CHATTY, clause: vec![ends.clone(), residue(0), residue(1)], justification: None });
        let visits = self.initial.iter().map(|q| LemmaLit::yes(Prop::Visits(q.clone())));
        out.push(Lemma { kind: CHATTY, clause: [ends].into_iter().chain(visits).collect(), justification: None });
    }

    fn on_state(&mut self, q: &[u32], out: &mut Vec<Lemma>) {
        // True of every run, since its length is at least 0.
        let visits = LemmaLit::no(Prop::Visits(q.into()));
        let some = LemmaLit::yes(Prop::Int(IntAtom::at_least(Constant::RunLength, 0)));
        out.push(Lemma { kind: CHATTY, clause: vec![visits, some], justification: None });
    }

    fn witness(&self, run: &ConcreteRun) -> Values {
        Values::from([(Constant::RunLength, run.events.len().into())])
    }

    fn candidates(&self, _values: &Values) -> Vec<Vec<(Vec<EventId>, u64)>> {
        vec![vec![(vec![EventId(0)], 3)]]
    }
}

/// A pattern that emits `not Ends(g) or V(q)` for states q on every violating run. If there is no violating
/// run, it does so for any states, reachable or not.
struct Jumpy(Vec<(Goal, Box<[u32]>)>);
const JUMPY: LemmaKind = LemmaKind("jumpy.visits");

impl Jumpy {
    fn of(program: &Program, picks: &[u32]) -> Self {
        let mut named = Vec::new();
        for goal in [Goal::Bad, Goal::Deadlock] {
            for pick in picks {
                let q: Vec<u32> = program.threads().iter().map(|t| pick % t.states.len() as u32).collect();
                if !reaches(program, goal, Some(&q)) {
                    named.push((goal, q.into()));
                }
            }
        }
        Self(named)
    }
}

/// Returns true if a run that avoids a state ends in this goal.
fn reaches(program: &Program, goal: Goal, avoided: Option<&[u32]>) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = initial(program);
    while let Some(q) = work.pop() {
        if avoided != Some(&q) && seen.insert(q.clone()) {
            if goal_of(program, &q) == Some(goal) {
                return true;
            }
            work.extend(successors(program, &q).into_iter().map(|(_, r)| r));
        }
    }
    false
}

impl Pattern for Jumpy {
    fn name(&self) -> &'static str {
        "jumpy"
    }

    fn recognize(&self, _threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        Ok(Box::new(JumpyMatch(goal, self.0.iter().filter(|(g, _)| *g == goal).cloned().collect())))
    }
}

struct JumpyMatch(Goal, Vec<(Goal, Box<[u32]>)>);

impl Match for JumpyMatch {
    fn coverage(&self) -> Coverage {
        Coverage { goal: self.0, threads: vec![ThreadId(0)] }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        for (goal, q) in &self.1 {
            let clause = vec![LemmaLit::no(Prop::Ends(*goal)), LemmaLit::yes(Prop::Visits(q.clone()))];
            out.push(Lemma { kind: JUMPY, clause, justification: None });
        }
    }

    fn witness(&self, _run: &ConcreteRun) -> Values {
        Values::new()
    }
}

proptest! {
    #![proptest_config(testkit::config(600))]

    #[test]
    fn plain_search_agrees_with_brute_force(
        program in programs(),
        batch in prop_oneof![Just(Some(1)), Just(Some(2)), Just(None)],
        turn in prop_oneof![Just(1u64), Just(7), Just(u64::MAX)],
    ) {
        check(&program, &[], batch, turn);
    }

    #[test]
    fn true_lemmas_change_no_verdict(program in programs(), batch in prop_oneof![Just(Some(1)), Just(None)]) {
        check(&program, &[&Chatty], batch, u64::MAX);
    }

    #[test]
    fn jumps_change_no_verdict(
        program in programs(),
        picks in prop::collection::vec(0u32..60, 1..8),
        batch in prop_oneof![Just(Some(1)), Just(Some(2)), Just(Some(7)), Just(None)],
    ) {
        check(&program, &[&Jumpy::of(&program, &picks)], batch, u64::MAX);
    }
}

fn chain(edges: &[u32], bad: u32) -> Program {
    let universe = 1;
    let on = |to: u32| BTreeMap::from([(EventId(0), vec![LocalId(to)])]);
    let state = |(i, &to): (usize, &u32)| match i as u32 == bad {
        true => LocalState::bad(format!("s{i}"), universe),
        false => LocalState {
            name: format!("s{i}"),
            request: EventSet::full(universe),
            block: EventSet::empty(universe),
            bad: false,
            on: on(to),
        },
    };
    let states = edges.iter().enumerate().map(state).collect();
    let thread = Thread { name: "A".into(), states, initial: vec![LocalId(0)] };
    Program::new(vec!["a".into()], vec![thread], vec![Goal::Bad]).expect("well formed")
}

#[test]
fn a_named_goal_that_nothing_reaches_is_no_part_of_the_evidence() {
    for batch in [Some(1), Some(7), None] {
        let program = chain(&[1, 0, 2], 2);
        check(&program, &[&Jumpy(vec![(Goal::Bad, Box::from([2]))])], batch, u64::MAX);
    }
}

#[test]
fn a_goal_met_before_anything_led_to_it_is_found() {
    for (batch, named) in [Some(1), Some(7), None].into_iter().flat_map(|b| [(b, 2), (b, 3)]) {
        let program = chain(&[1, 2, 3, 3], 3);
        check(&program, &[&Jumpy(vec![(Goal::Bad, Box::from([named]))])], batch, u64::MAX);
    }
}

/// A pattern that excludes the goal, for programs without violations.
struct Calm;

impl Pattern for Calm {
    fn name(&self) -> &'static str {
        "calm"
    }

    fn recognize(&self, _threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        Ok(Box::new(CalmMatch(goal)))
    }
}

struct CalmMatch(Goal);

impl Match for CalmMatch {
    fn coverage(&self) -> Coverage {
        Coverage { goal: self.0, threads: vec![ThreadId(0)] }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        out.push(Lemma {
            kind: LemmaKind("calm.always"),
            clause: vec![LemmaLit::no(Prop::Ends(self.0))],
            justification: None,
        });
    }

    fn witness(&self, _run: &ConcreteRun) -> Values {
        Values::new()
    }
}

#[test]
fn lemmas_settle_programs_with_too_many_initial_states_to_list() {
    let thread = |i: usize| {
        let states = (0..2).map(|s| local(s, &[true; EVENTS], &[false; EVENTS], false, BTreeMap::new())).collect();
        Thread { name: format!("t{i}"), states, initial: vec![LocalId(0), LocalId(1)] }
    };
    let events = (0..EVENTS).map(|e| format!("e{e}")).collect();
    let program = Program::new(events, (0..200).map(thread).collect(), vec![Goal::Bad]).expect("well formed");
    for goals in [&[Goal::Bad][..], &[Goal::Bad, Goal::Deadlock]] {
        let task = ProgramTask::new(Arc::new(program.clone()), goals.iter().copied());
        let mut engine = Dpllt::new(&task, &[&Calm], Options::default());
        let mut budget = Budget::unlimited(Arc::new(Stop::default()));
        let mut safe = Vec::new();
        while let Turn::Claims(Claim::Safe { goals, certificate }) = engine.run(&mut budget) {
            assert!(matches!(certificate, Certificate::Refutation(_)), "there is no state to list");
            safe.extend(goals);
        }
        assert_eq!(safe.into_iter().collect::<BTreeSet<_>>(), goals.iter().copied().collect());
    }
}

/// A thread that goes around, and one with a bad state that nothing leads to.
fn without_bad_states() -> Program {
    let state = |name: &str, on: &[(u32, u32)]| LocalState {
        name: name.to_owned(),
        request: EventSet::from_events(2, on.iter().map(|(e, _)| EventId(*e))),
        block: EventSet::empty(2),
        bad: false,
        on: on.iter().map(|(e, to)| (EventId(*e), vec![LocalId(*to)])).collect(),
    };
    let thread = |name: &str, states| Thread { name: name.to_owned(), states, initial: vec![LocalId(0)] };
    let around = thread("around", vec![state("a", &[(0, 1)]), state("b", &[(1, 0)])]);
    let harmless = thread("harmless", vec![state("c", &[]), LocalState::bad("d".to_owned(), 2)]);
    Program::new(vec!["x".to_owned(), "y".to_owned()], vec![around, harmless], vec![Goal::Bad, Goal::Deadlock]).unwrap()
}

#[test]
fn a_program_without_reachable_bad_states_has_a_proof_without_patterns() {
    let task = ProgramTask::new(Arc::new(without_bad_states()), [Goal::Bad, Goal::Deadlock]);
    let mut engine = Dpllt::new(&task, &[], Options::default());
    assert!(engine.has_no_bad_state() && !engine.has_match());
    let mut budget = Budget::unlimited(Arc::new(Stop::default()));
    let Turn::Claims(Claim::Safe { goals, certificate }) = engine.run(&mut budget) else { panic!("no claim") };
    assert_eq!(goals, [Goal::Bad]);
    let Certificate::Refutation(refutation) = certificate else { panic!("{certificate:?}") };
    assert_eq!(refutation.lemma_kinds(), [(LemmaKind("goal.no_bad_state"), 1)]);
    // The other goal needs a search, which has no lemmas and lists states.
    let Turn::Claims(Claim::Safe { goals, certificate }) = engine.run(&mut budget) else { panic!("no claim") };
    assert_eq!(goals, [Goal::Deadlock]);
    assert!(matches!(certificate, Certificate::StateSet(_)), "{certificate:?}");
    assert!(matches!(engine.run(&mut budget), Turn::Done));

    // If the goal is settled before, or if only lemmas are wanted, there is nothing left to do.
    let mut engine = Dpllt::new(&task, &[], Options::default());
    engine.settled(&[Goal::Bad]);
    assert!(!engine.has_no_bad_state());
    let mut engine = Dpllt::new(&task, &[], Options::default());
    engine.only_lemmas();
    assert!(matches!(engine.run(&mut budget), Turn::Claims(Claim::Safe { .. })));
    assert!(matches!(engine.run(&mut budget), Turn::Done));
    assert_eq!(engine.stats().states, 0);
}

/// A pattern without lemmas about states that reads much for each of them.
struct Slow(Arc<AtomicU64>);

struct SlowMatch {
    goal: Goal,
    asked: Arc<AtomicU64>,
    looks: u64,
}

impl Pattern for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn recognize(&self, _: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        Ok(Box::new(SlowMatch { goal, asked: Arc::clone(&self.0), looks: 0 }))
    }
}

impl Match for SlowMatch {
    fn coverage(&self) -> Coverage {
        Coverage { goal: self.goal, threads: vec![ThreadId(0)] }
    }

    fn on_start(&mut self, _: &mut Vec<Lemma>) {}

    fn on_state(&mut self, _: &[u32], _: &mut Vec<Lemma>) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.looks += 1 << 14;
    }

    fn looks(&self) -> u64 {
        self.looks
    }
}

#[test]
fn a_match_that_takes_more_time_than_the_search_is_asked_about_fewer_states() {
    // A counter of 12 bits without a goal.
    let threads = (0..12).map(|bit| {
        let state = |s: usize| LocalState {
            name: format!("s{s}"),
            request: EventSet::from_events(12, [EventId::new(bit)]),
            block: EventSet::empty(12),
            bad: false,
            on: BTreeMap::from([(EventId::new(bit), vec![LocalId::new(1 - s)])]),
        };
        Thread { name: format!("t{bit}"), states: vec![state(0), state(1)], initial: vec![LocalId(0)] }
    });
    let events = (0..12).map(|event| format!("e{event}")).collect();
    let program = Program::new(events, threads.collect(), vec![Goal::Deadlock]).expect("a program");
    let asked = Arc::new(AtomicU64::new(0));
    let (reached, stats) = run(&program, &[Goal::Deadlock], &[&Slow(Arc::clone(&asked))], None, u64::MAX);
    assert_eq!((reached.len(), stats.states), (0, 1 << 12));
    let asked = asked.load(Ordering::Relaxed);
    assert!((4..20).contains(&asked), "{asked}");
    assert_eq!(stats.more["unasked"], (1 << 12) - asked);
}
