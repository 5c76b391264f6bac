//! Tests of the theory against brute force on random graphs, with all batch sizes, both goals, and states
//! beyond a bound.

use super::*;
use model::ExpansionKind;
use proptest::prelude::*;
use sat::{ClauseId, Limits, Proof, SolveResult};
use search::Successors;
use std::sync::Mutex;

/// An explicit graph. The only slot of a state is its number.
#[derive(Clone, Debug)]
struct Graph {
    initial: Vec<u32>,
    edges: Vec<Vec<u32>>,
    bad: Vec<bool>,
    /// States from this number on are cut off.
    bound: u32,
    /// States from this number on are cut off too. They count as states with a number that exceeds its
    /// representation.
    overflow: u32,
}

impl Stepper for Graph {
    fn words(&self) -> usize {
        1
    }

    fn width(&self) -> usize {
        1
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        *out = vec![u64::from(state[0])];
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        *out = vec![packed[0] as u32];
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        self.within().for_each(|q| sink(&[u64::from(q)]));
    }

    fn initial_is_cut(&self) -> bool {
        self.within().count() < self.initial.len()
    }

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        out.clear();
        self.successors(packed[0] as u32, &mut |label, r| out.push(label, &[u64::from(r)]))
    }
}

impl Graph {
    /// A graph with initial state 0, without bad states and without cut-off states.
    fn whole(edges: Vec<Vec<u32>>) -> Self {
        let n = edges.len() as u32;
        Self { initial: vec![0], edges, bad: vec![false; n as usize], bound: n, overflow: n }
    }

    /// The initial states within the bound.
    fn within(&self) -> impl Iterator<Item = u32> + '_ {
        self.initial.iter().copied().filter(|&q| q < self.bound)
    }

    fn successors(&self, q: u32, sink: &mut dyn FnMut(u32, u32)) -> ExpansionKind {
        let q = q as usize;
        if self.bad[q] {
            return ExpansionKind::Goal(Goal::Bad);
        }
        if self.edges[q].is_empty() {
            return ExpansionKind::Goal(Goal::Deadlock);
        }
        let mut kind = ExpansionKind::Inner;
        for (label, &r) in (0..).zip(&self.edges[q]) {
            if r >= self.bound {
                kind = if kind == ExpansionKind::Overflow { kind } else { ExpansionKind::Cut };
            } else if r >= self.overflow {
                kind = ExpansionKind::Overflow;
            } else {
                sink(label, r);
            }
        }
        kind
    }

    fn brute_force(&self) -> Brute {
        let mut seen = vec![false; self.edges.len()];
        let mut work: Vec<u32> = self.within().collect();
        let mut brute = Brute { cut: self.initial_is_cut(), ..Brute::default() };
        while let Some(q) = work.pop() {
            if std::mem::replace(&mut seen[q as usize], true) {
                continue;
            }
            brute.states += 1;
            match self.successors(q, &mut |_, r| work.push(r)) {
                ExpansionKind::Goal(goal) => brute.goals[goal_index(goal)] = true,
                ExpansionKind::Cut => brute.cut = true,
                ExpansionKind::Overflow => (brute.cut, brute.overflow) = (true, true),
                ExpansionKind::Inner => {}
            }
        }
        brute
    }
}

/// The states reachable within the bound, by brute force.
#[derive(Default)]
struct Brute {
    goals: [bool; 2],
    states: usize,
    /// True if a state was cut off. `overflow` is true if a state was cut off because of [`Graph::overflow`].
    cut: bool,
    overflow: bool,
}

fn goal_index(goal: Goal) -> usize {
    usize::from(goal != Goal::Bad)
}

/// The result of a search: the goals that are reachable, and how the search ended.
struct Searched {
    reached: [bool; 2],
    end: SolveResult,
    bounded: bool,
    overflowed: bool,
    states: usize,
    expanded: u64,
    literals: u64,
    transitions: u64,
}

fn search(graph: &Graph, asked: &[Goal], batch: Option<usize>, turn: u64) -> Searched {
    let mut solver = Solver::new(sat::Options::default());
    let mut ts =
        TsTheory::new(Exploration::new(graph.clone()), asked, Options { batch, ..Options::default() }, &mut solver);
    ts.record_visited();
    let mut reached = [false; 2];
    let mut expanded = 0;
    for _ in 0..100_000 {
        ts.begin_turn(turn, Arc::new(Stop::default()));
        let assume = [!ts.cut()];
        let end = solver.solve_with(&mut ts, &assume, &Limits::default());
        expanded += ts.drain_visited().len() as u64;
        if let Some((goal, q)) = ts.take_found() {
            let trace = ts.exploration().trace_to(q).expect("found states are reached");
            assert!(graph.initial.contains(&trace.start[0]));
            reached[goal_index(goal)] = true;
            ts.settle(goal, &mut solver);
        } else if end != SolveResult::Stopped {
            return Searched {
                reached,
                end,
                bounded: !solver.core().is_empty(),
                overflowed: ts.overflowed(),
                states: ts.explored().len(),
                expanded,
                literals: ts.counts().literals,
                transitions: ts.explored().transitions(),
            };
        }
    }
    panic!("the search does not end");
}

fn check(graph: &Graph, asked: &[Goal], batch: Option<usize>, turn: u64) {
    let Brute { goals, states, cut, overflow } = graph.brute_force();
    let result = search(graph, asked, batch, turn);
    for goal in asked {
        assert_eq!(result.reached[goal_index(*goal)], goals[goal_index(*goal)], "{goal} in {graph:?}, batch {batch:?}");
    }
    assert_eq!(result.end, SolveResult::Unsat, "a finite system ends in a refutation: {graph:?}, batch {batch:?}");
    let all_reached = asked.iter().all(|&g| goals[goal_index(g)]);
    if !all_reached {
        assert_eq!(result.bounded, cut, "safe only if nothing was cut: {graph:?}, batch {batch:?}");
        assert_eq!(result.overflowed, overflow, "{graph:?}, batch {batch:?}");
        assert_eq!(result.states, states, "a refutation without lemmas has met every state");
    }
    assert!(result.expanded <= result.states as u64, "every state is expanded at most once");
}

fn graphs(max: u32) -> impl Strategy<Value = Graph> {
    (2..max).prop_flat_map(|n| {
        let edges = prop::collection::vec(prop::collection::vec(0..n, 0..4), n as usize);
        let bad = prop::collection::vec(prop::bool::weighted(0.1), n as usize);
        let limit = || prop_oneof![4 => Just(n), 1 => 1..=n];
        (prop::collection::btree_set(0..n, 1..3), edges, bad, limit(), limit()).prop_map(
            |(initial, edges, bad, bound, overflow)| {
                let initial = initial.into_iter().collect();
                Graph { initial, edges, bad, bound, overflow }
            },
        )
    })
}

proptest! {
    #![proptest_config(testkit::config(1500))]

    #[test]
    fn agrees_with_brute_force(
        graph in graphs(14),
        asked in prop_oneof![Just(vec![Goal::Bad]), Just(vec![Goal::Deadlock]), Just(vec![Goal::Bad, Goal::Deadlock])],
        batch in prop_oneof![Just(Some(1)), Just(Some(2)), Just(Some(3)), Just(None)],
        turn in prop_oneof![Just(1u64), Just(3), Just(u64::MAX)],
    ) {
        check(&graph, &asked, batch, turn);
    }
}

/// Collects the clauses that the theory adds.
struct Axioms(Arc<Mutex<Vec<Vec<Lit>>>>);

impl Proof for Axioms {
    fn axiom(&mut self, _id: ClauseId, _tag: Tag, clause: &[Lit]) {
        self.0.lock().expect("one thread").push(clause.to_vec());
    }

    fn derived(&mut self, _id: ClauseId, _clause: &[Lit], _hints: &[ClauseId]) {}

    fn delete(&mut self, _id: ClauseId) {}
}

/// Violating runs, shortest first, each as the states it visits in order.
fn violating_runs(graph: &Graph, asked: &[Goal]) -> Vec<(Vec<u32>, Goal)> {
    let mut runs = Vec::new();
    let mut open: VecDeque<Vec<u32>> = graph.within().map(|q| vec![q]).collect();
    while let Some(run) = open.pop_front().filter(|_| runs.len() < 60) {
        let kind = graph.successors(*run.last().expect("runs have a start"), &mut |_, r| {
            if run.len() < 9 && open.len() < 2000 {
                open.push_back([run.as_slice(), &[r]].concat());
            }
        });
        if let ExpansionKind::Goal(goal) = kind
            && asked.contains(&goal)
        {
            runs.push((run, goal));
        }
    }
    runs
}

/// Checks that every clause is true of every violating run. No goal is settled here, so all goals stay part of
/// the search.
fn check_clauses(graph: &Graph, asked: &[Goal], batch: Option<usize>) {
    let axioms = Arc::default();
    let mut solver = Solver::new(sat::Options::default());
    solver.set_proof(Box::new(Axioms(Arc::clone(&axioms))));
    let mut ts =
        TsTheory::new(Exploration::new(graph.clone()), asked, Options { batch, ..Options::default() }, &mut solver);
    let assume = [!ts.cut()];
    loop {
        ts.begin_turn(u64::MAX, Arc::new(Stop::default()));
        let end = solver.solve_with(&mut ts, &assume, &Limits::default());
        if end != SolveResult::Stopped || ts.take_found().is_none() {
            break;
        }
    }
    let contents = ts.set_contents();
    let mut members: Vec<Vec<StateId>> = Vec::new();
    for (states, parts) in &contents {
        let inherited = parts.iter().flat_map(|&p| members[p].clone());
        members.push(states.iter().copied().chain(inherited).collect());
    }
    let number = |q: StateId| {
        let mut state = Vec::new();
        ts.explored().state(q, &mut state);
        state[0]
    };
    for (run, goal) in violating_runs(graph, asked) {
        let is_true = |lit: &Lit| match ts.meaning(*lit) {
            Some(Named::Visits(q)) => run.contains(&number(q)) == lit.is_positive(),
            Some(Named::Set(set)) => members[set].iter().any(|&q| run.contains(&number(q))) == lit.is_positive(),
            Some(Named::Ends(g)) => (g == goal) == lit.is_positive(),
            None => !lit.is_positive(), // `cut` is false: these runs stay within the bound
        };
        for clause in axioms.lock().expect("one thread").iter() {
            assert!(clause.iter().any(is_true), "{clause:?} is false of {run:?} in {graph:?}, batch {batch:?}");
        }
    }
}

proptest! {
    #![proptest_config(testkit::config(600))]

    #[test]
    fn clauses_hold_for_every_violating_run(
        graph in graphs(12),
        asked in prop_oneof![Just(vec![Goal::Bad]), Just(vec![Goal::Deadlock]), Just(vec![Goal::Bad, Goal::Deadlock])],
        batch in prop_oneof![Just(Some(1)), Just(Some(2)), Just(Some(3)), Just(None)],
    ) {
        check_clauses(&graph, &asked, batch);
    }
}

fn ring(n: u32, chords: u32) -> Graph {
    let edges = (0..n).map(|q| (1..=chords).map(|c| (q + c * c) % n).collect()).collect();
    Graph::whole(edges)
}

#[test]
fn one_great_loop_takes_few_literals() {
    for batch in [Some(1), None] {
        let graph = ring(20_000, 3);
        let result = search(&graph, &[Goal::Bad, Goal::Deadlock], batch, u64::MAX);
        assert_eq!(result.end, SolveResult::Unsat);
        assert_eq!(result.states, 20_000);
        assert!(result.literals < 4 * result.transitions, "{} literals", result.literals);
    }
}

#[test]
fn a_chain_with_dead_ends_backtracks_cheaply() {
    // The even states form a chain. Each of them has an odd successor that is a dead end (safe under `check
    // bad`).
    let n = 60_000;
    let edges = (0..n).map(|q| if q % 2 == 1 || q + 2 >= n { vec![] } else { vec![q + 1, q + 2] }).collect();
    let graph = Graph::whole(edges);
    let result = search(&graph, &[Goal::Bad], Some(1), u64::MAX);
    assert_eq!(result.end, SolveResult::Unsat);
    assert_eq!(result.states as u32, n - 1, "all but the last, which nothing leads to");
}

#[test]
fn many_small_loops_in_a_chain_are_closed_in_one_pass() {
    // Loops of two states, each with an edge to the next loop. One final check finds all loops, each as its own
    // component.
    let n = 20_000;
    let edges = (0..n).map(|q| if q % 2 == 0 { vec![q + 1, (q + 2).min(n - 1)] } else { vec![q - 1] }).collect();
    let graph = Graph::whole(edges);
    let result = search(&graph, &[Goal::Bad, Goal::Deadlock], Some(1), u64::MAX);
    assert_eq!((result.end, result.states as u32), (SolveResult::Unsat, n));
    assert!(result.literals < 4 * result.transitions, "{} literals", result.literals);
}

#[test]
fn a_goal_at_the_start_is_found() {
    let graph = Graph::whole(vec![vec![]]);
    check(&graph, &[Goal::Deadlock], Some(1), u64::MAX);
    check(&graph, &[Goal::Bad], None, u64::MAX);
}
