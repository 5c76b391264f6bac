//! Compares the engine with brute force on random small circuits.

mod brute;

use super::cube::cube;
use super::solvers::{Origin, limits};
use super::{Bits, CircuitIc3, Options, Progress, Source, Static, signals};
use brute::Brute;
use model::{
    Bit, Budget, Certificate, Circuit, CircuitBuilder, Claim, Clausal, Engine, Gate, Goal, LatchId, OutputId, Reset,
    Signal, Stop, Turn,
};
use proptest::prelude::*;
use sat::SolveResult;
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::Log;

/// Describes a circuit. Numbers are taken modulo the number of choices.
#[derive(Clone, Debug)]
struct Recipe {
    inputs: usize,
    resets: Vec<u8>,
    gates: Vec<(u16, u16)>,
    nexts: Vec<u16>,
    bad: u16,
    constraints: Vec<u16>,
    clauses: Vec<Vec<u16>>,
}

fn recipes(clauses: usize) -> impl Strategy<Value = Recipe> {
    (0usize..=3, 1usize..=6).prop_flat_map(move |(inputs, latches)| {
        (
            prop::collection::vec(0u8..5, latches),
            prop::collection::vec((any::<u16>(), any::<u16>()), 0..24),
            prop::collection::vec(any::<u16>(), latches),
            any::<u16>(),
            prop::collection::vec(any::<u16>(), 0..2),
            prop::collection::vec(prop::collection::vec(any::<u16>(), 1..4), 0..=clauses),
        )
            .prop_map(move |(resets, gates, nexts, bad, constraints, clauses)| Recipe {
                inputs,
                resets,
                gates,
                nexts,
                bad,
                constraints,
                clauses,
            })
    })
}

fn reset(code: u8) -> Reset {
    match code {
        0 => Reset::Open,
        1 => Reset::One,
        _ => Reset::Zero,
    }
}

fn signal(code: u16, nodes: usize) -> Signal {
    // Later gates have larger cones: half of the codes select one of the last 8 nodes.
    let code = usize::from(code);
    let last = if code & 2 == 0 { nodes } else { nodes.min(8) };
    Signal::new(nodes - 1 - (code >> 2) % last, code & 1 == 1)
}

fn build(recipe: &Recipe) -> (Circuit, Signal) {
    let mut circuit = Circuit::default();
    for _ in 0..recipe.inputs {
        circuit.input(None);
    }
    let latches: Vec<LatchId> = recipe.resets.iter().map(|&code| circuit.latch(reset(code), None)).collect();
    for &(a, b) in &recipe.gates {
        let nodes = circuit.gates().len();
        circuit.and(signal(a, nodes), signal(b, nodes));
    }
    let nodes = circuit.gates().len();
    for (&latch, &next) in latches.iter().zip(&recipe.nexts) {
        circuit.set_next(latch, signal(next, nodes));
    }
    for &constraint in &recipe.constraints {
        circuit.constrain(signal(constraint, nodes));
    }
    (circuit, signal(recipe.bad, nodes))
}

/// A source that defines next functions on demand, and shows its clauses after the first definition.
struct Lazy {
    whole: Circuit,
    shown: Circuit,
    clauses: Vec<Vec<Signal>>,
    defined: bool,
}

impl Lazy {
    fn new(whole: &Circuit, clauses: &[Vec<Signal>]) -> Self {
        let mut shown = Circuit::default();
        for gate in whole.gates().iter().skip(1) {
            match *gate {
                Gate::False => unreachable!(),
                Gate::Input(_) => drop(shown.input(None)),
                Gate::Latch(l) => drop(shown.latch(whole.latches()[l.index()].reset, None)),
                Gate::And(a, b) => drop(shown.and(a, b)),
            }
        }
        whole.constraints().iter().for_each(|&c| shown.constrain(c));
        Self { whole: whole.clone(), shown, clauses: clauses.to_vec(), defined: false }
    }
}

impl Source for Lazy {
    fn circuit(&self) -> &Circuit {
        &self.shown
    }

    fn define(&mut self, latch: LatchId) {
        assert_eq!(self.shown.latches()[latch.index()].next, None, "asked once");
        self.shown.set_next(latch, self.whole.latches()[latch.index()].next.unwrap());
        self.defined = true;
    }

    fn clauses(&self) -> &[Vec<Signal>] {
        if self.defined { &self.clauses } else { &[] }
    }
}

fn options(counterexamples: u32) -> Options {
    Options { counterexamples, depth: 2, ..Options::default() }
}

/// Runs the search in small turns.
fn solve<S: Source>(bits: &mut Bits<S>) -> Progress {
    let stop = Arc::new(Stop::default());
    for _ in 0..100_000 {
        match bits.run(&mut Budget::new(20, Arc::clone(&stop))) {
            Progress::More => {}
            step => return step,
        }
    }
    panic!("it does not end");
}

fn check(brute: &Brute<'_>, step: &Progress) {
    match step {
        Progress::Safe(clauses) => {
            assert!(brute.is_safe(), "a wrong safe");
            brute.check(clauses);
        }
        Progress::Unsafe(run) => brute.replay(run),
        Progress::More | Progress::GaveUp(_) => panic!("no answer: {step:?}"),
    }
}

/// Leaves out a technique for each bit of `without`.
fn against_brute_force(recipe: &Recipe, counterexamples: u32, without: u8) {
    let (circuit, bad) = build(recipe);
    let brute = Brute { circuit: &circuit, clauses: &[], bad };
    let uses = |bit: u8| without >> bit & 1 == 0;
    let options = Options {
        lift: uses(0),
        activity: uses(1),
        widen: uses(2),
        push_new: uses(3),
        push_from_frame: uses(4),
        keep_obligations: uses(5),
        ..options(counterexamples)
    };
    let mut bits = Bits::new(Static::new(Arc::new(circuit.clone())), bad, options.clone());
    check(&brute, &solve(&mut bits));
    let mut lazy = Bits::new(Lazy::new(&circuit, &[]), bad, options);
    check(&brute, &solve(&mut lazy));
}

/// Compares with brute force if gates have names. Returns the number of gates with names.
fn with_names(recipe: &Recipe) -> usize {
    let (circuit, bad) = build(recipe);
    let brute = Brute { circuit: &circuit, clauses: &[], bad };
    let read = Arc::new(circuit.clone());
    let named = signals::named(&read);
    let names = Arc::clone(&named.names);
    for (name, gate) in names.iter() {
        assert!(name.index() >= circuit.latches().len() && gate.node() < circuit.gates().len());
    }
    let mut bits = Bits::new(Static::with_names(&read, named), bad, options(1));
    match solve(&mut bits) {
        Progress::Safe(clauses) => {
            assert!(brute.is_safe(), "a wrong safe");
            brute.check_named(&clauses, &names);
        }
        Progress::Unsafe(mut run) => {
            run.start.truncate(circuit.latches().len());
            brute.replay(&run);
        }
        step => panic!("no answer: {step:?}"),
    }
    names.len()
}

/// Compares with brute force when the source has clauses. A source promises that every step keeps its clauses
/// over latches alone, so clauses that break this are left out.
fn with_clauses(recipe: &Recipe) {
    let (circuit, bad) = build(recipe);
    let nodes = circuit.gates().len();
    let mut clauses: Vec<Vec<Signal>> = Vec::new();
    for clause in &recipe.clauses {
        let clause: Vec<Signal> = clause.iter().map(|&code| signal(code, nodes)).collect();
        clauses.push(clause);
        if !keeps_meaning(&circuit, &clauses) {
            clauses.pop();
        }
    }
    // Adding a clause cannot break an earlier one: more clauses mean fewer steps.
    let brute = Brute { circuit: &circuit, clauses: &clauses, bad };
    let mut bits = Bits::new(Lazy { defined: true, ..Lazy::new(&circuit, &clauses) }, bad, options(1));
    check(&brute, &solve(&mut bits));
}

/// True if every step from a state that satisfies the clauses over latches alone leads to such a state.
fn keeps_meaning(circuit: &Circuit, clauses: &[Vec<Signal>]) -> bool {
    let brute = Brute { circuit, clauses, bad: Signal::FALSE };
    if !brute.initial().iter().enumerate().any(|(state, &is_initial)| is_initial && brute.is_meant(state)) {
        return false;
    }
    let all: Vec<bool> = (0..1usize << circuit.latches().len()).map(|s| brute.is_meant(s)).collect();
    brute.reached_from(all.clone()) == all
}

fn after_restart(recipe: &Recipe, resets: &[u8]) {
    let (circuit, bad) = build(recipe);
    let mut bits = Bits::new(Lazy::new(&circuit, &[]), bad, options(1));
    let first = solve(&mut bits);
    check(&Brute { circuit: &circuit, clauses: &[], bad }, &first);
    let mut changed = circuit;
    for (latch, &code) in resets.iter().enumerate().take(changed.latches().len()) {
        changed.set_reset(LatchId::new(latch), reset(code));
        bits.source().shown.set_reset(LatchId::new(latch), reset(code));
    }
    bits.restart();
    check(&Brute { circuit: &changed, clauses: &[], bad }, &solve(&mut bits));
}

/// Interrupts the search after some steps, saves it, and goes on with another one. It also gets lemmas that do not
/// hold.
fn saved_and_restored(recipe: &Recipe, steps: u64, wrong: &[Vec<(u8, bool)>]) {
    let (mut circuit, bad) = build(recipe);
    circuit.output(bad, None);
    let circuit = Arc::new(circuit);
    let source = Static::new(Arc::clone(&circuit));
    let output = || std::iter::once(OutputId::new(0));
    let mut log = Log::default();
    let mut engine = CircuitIc3::over(&source, output(), &options(1));
    engine.is_saved = true;
    let _ = engine.run(&mut Budget::new(steps, Arc::default()));
    assert!(log.save(true, |since, to| engine.save(since, to)));
    let before = log.records.len();
    assert!(log.save(true, |since, to| engine.save(since, to)) && log.records.len() == before, "nothing is new");
    if before == 0 {
        return; // it has found a run
    }
    let mut restored = CircuitIc3::over(&source, output(), &options(1));
    assert_eq!(log.restore(|from| restored.restore(from, &Stop::default())), Ok(true));
    let bits = &mut restored.open[0].bits;
    let mut lemmas: Vec<_> = bits.lemmas().collect();
    let latches = circuit.latches().len();
    let latch = |&(number, value): &(u8, bool)| (LatchId::new(usize::from(number) % latches), value);
    let cubes = wrong.iter().map(|cube| BTreeMap::from_iter(cube.iter().map(latch)).into_iter().collect());
    lemmas.extend(cubes);
    bits.remember(lemmas);
    check(&Brute { circuit: &circuit, clauses: &[], bad }, &solve(bits));
}

/// Decides several outputs in small turns. A proof may be for some of them.
fn several_outputs(recipe: &Recipe, others: &[u16]) {
    let (mut circuit, bad) = build(recipe);
    let nodes = circuit.gates().len();
    let signals: Vec<Signal> = others.iter().map(|&code| signal(code, nodes)).chain([bad]).collect();
    for &signal in &signals {
        circuit.output(signal, None);
    }
    let circuit = Arc::new(circuit);
    let source = Static::new(Arc::clone(&circuit));
    let mut engine = CircuitIc3::over(&source, (0..signals.len()).map(OutputId::new), &options(1));
    let mut left = signals.len();
    for _ in 0..100_000 {
        let claim = match engine.run(&mut Budget::new(20, Arc::default())) {
            Turn::Claims(claim) => claim,
            Turn::More => continue,
            Turn::Done => break,
        };
        let brute = |goal: Goal| {
            let Goal::Output(output) = goal else { panic!("{goal:?} is not an output") };
            Brute { circuit: &circuit, clauses: &[], bad: signals[output.index()] }
        };
        match claim {
            Claim::Safe { goals, certificate: Certificate::Clauses(proof) } => {
                left -= goals.len();
                for goal in goals {
                    assert!(brute(goal).is_safe(), "a wrong safe");
                    brute(goal).check(&clauses_of(&proof.invariant));
                }
            }
            Claim::Unsafe { goal, .. } => {
                left -= 1;
                assert!(!brute(goal).is_safe(), "a wrong unsafe");
            }
            claim => panic!("no answer: {claim:?}"),
        }
    }
    assert_eq!(left, 0, "each output has an answer");
}

fn clauses_of(invariant: &Clausal) -> Vec<Vec<(LatchId, bool)>> {
    let value = |&literal: &i32| match invariant.bits[literal.unsigned_abs() as usize - 1] {
        Bit::Latch(latch) => (latch, literal > 0),
        ref bit => panic!("{bit:?} is not a latch"),
    };
    invariant.clauses.iter().map(|clause| clause.iter().map(value).collect()).collect()
}

/// A token goes round a ring when its station says so. No two stations have it at the same time: one output for each
/// pair.
#[test]
fn proofs_are_shared() {
    const STATIONS: usize = 8;
    let mut circuit = Circuit::default();
    let pass = circuit.input(None);
    let latches: Vec<LatchId> =
        (0..STATIONS).map(|at| circuit.latch(if at == 0 { Reset::One } else { Reset::Zero }, None)).collect();
    let tokens: Vec<Signal> = latches.iter().map(|latch| circuit.latches()[latch.index()].signal).collect();
    for at in 0..STATIONS {
        let comes = circuit.and(pass, tokens[(at + STATIONS - 1) % STATIONS]);
        let stays = circuit.and(!pass, tokens[at]);
        let neither = circuit.and(!comes, !stays);
        circuit.set_next(latches[at], !neither);
    }
    for (at, &first) in tokens.iter().enumerate() {
        for &second in &tokens[at + 1..] {
            let both = circuit.and(first, second);
            circuit.output(both, None);
        }
    }
    let outputs = circuit.outputs().len();
    let source = Static::new(Arc::new(circuit));
    let mut engine = CircuitIc3::over(&source, (0..outputs).map(OutputId::new), &Options::default());
    let (mut claims, mut left) = (0, outputs);
    while left > 0 {
        match engine.run(&mut Budget::unlimited(Arc::default())) {
            Turn::Claims(Claim::Safe { goals, .. }) => left -= goals.len(),
            turn => panic!("{turn:?}"),
        }
        claims += 1;
    }
    assert!(claims < outputs / 2, "{claims} claims for {outputs} outputs");
    let learnt = engine.stats().more["clauses"];
    assert!(learnt < 85, "{learnt} clauses learnt: the searches know too little from each other");
}

proptest! {
    #![proptest_config(testkit::config(400))]

    #[test]
    fn outputs_share_only_what_holds(recipe in recipes(0), others in prop::collection::vec(any::<u16>(), 1..5)) {
        several_outputs(&recipe, &others);
    }

    #[test]
    fn saved_searches_go_on(
        recipe in recipes(0),
        steps in 1u64..200,
        wrong in prop::collection::vec(prop::collection::vec((any::<u8>(), any::<bool>()), 1..4), 0..6),
    ) {
        saved_and_restored(&recipe, steps, &wrong);
    }

    #[test]
    fn answers_are_right(recipe in recipes(0), counterexamples in 0u32..3, without in 0u8..64) {
        against_brute_force(&recipe, counterexamples, without);
    }

    #[test]
    fn gates_with_names_answer_right(recipe in recipes(0)) {
        with_names(&recipe);
    }

    #[test]
    fn clauses_of_the_source_count(recipe in recipes(4)) {
        with_clauses(&recipe);
    }

    #[test]
    fn restarts_forget_what_no_longer_holds(recipe in recipes(0), resets in prop::collection::vec(0u8..5, 6)) {
        after_restart(&recipe, &resets);
    }
}

proptest! {
    #![proptest_config(testkit::config(20_000))]

    #[test]
    #[ignore = "long"]
    fn answers_are_right_of_many(
        recipe in recipes(4),
        counterexamples in 0u32..3,
        without in 0u8..64,
        resets in prop::collection::vec(0u8..5, 6),
    ) {
        with_names(&recipe);
        against_brute_force(&recipe, counterexamples, 0);
        against_brute_force(&recipe, counterexamples, without);
        with_clauses(&recipe);
        after_restart(&recipe, &resets);
    }
}

/// The next value of `third` depends on `first` alone. Two lemmas about `second`, which is outside this cone, exclude
/// `first`. The query that pushes a lemma about `third` takes them into account.
/// Two words are equal in each frame, and the circuit compares them: one clause about the comparison is enough.
#[test]
fn a_comparison_is_one_clause() {
    let mut builder = CircuitBuilder::default();
    let mut same = Vec::new();
    for _ in 0..12 {
        let input = builder.circuit_mut().input(None);
        let pair = [(); 2].map(|()| builder.circuit_mut().latch(Reset::Open, None));
        pair.iter().for_each(|latch| builder.circuit_mut().set_next(*latch, input));
        let [a, b] = pair.map(|latch| builder.circuit().latches()[latch.index()].signal);
        same.push(!builder.xor(a, b));
    }
    let equal = builder.all(&same);
    let begun = builder.circuit_mut().latch(Reset::Zero, None);
    builder.circuit_mut().set_next(begun, Signal::TRUE);
    let begun = builder.circuit().latches()[begun.index()].signal;
    let input = builder.circuit_mut().input(None);
    let differ = builder.and(!equal, input);
    let bad = builder.and(differ, begun);
    let read = Arc::new(builder.finish());
    let mut bits = Bits::new(Static::with_names(&read, signals::named(&read)), bad, Options::default());
    let Progress::Safe(clauses) = solve(&mut bits) else { panic!("the words are equal") };
    assert_eq!(clauses.len(), 1, "{clauses:?}");
}

#[test]
fn pushing_overlooks_no_lemma() {
    let mut circuit = Circuit::default();
    let latches: [LatchId; 3] = std::array::from_fn(|_| circuit.latch(Reset::Zero, None));
    let [first, second, third] = latches.map(|latch| circuit.latches()[latch.index()].signal);
    for (latch, next) in latches.into_iter().zip([first, second, first]) {
        circuit.set_next(latch, next);
    }
    let mut bits = Bits::new(Static::new(Arc::new(circuit)), third, Options::default());
    let [first, second, third] = [first, second, third].map(|signal| bits.table.lit(signal));
    (0..3).for_each(|_| bits.open());
    for lemma in [vec![first, second], vec![first, !second]] {
        bits.add_lemma(cube(lemma), 1);
    }
    assert_eq!(bits.step_into(1, &[third], Origin::Frame, &limits()), SolveResult::Unsat);
    assert_eq!(*bits.core(1), [third]);
}
