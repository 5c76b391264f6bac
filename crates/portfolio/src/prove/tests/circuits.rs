use super::*;
use model::trace::Trace;
use model::{
    Bit, Circuit, CircuitBuilder, Clausal, Clauses, EventId, Goal, Induction, LatchId, OutputId, Property, Reset,
    Signal, SystemModel,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::circuit::Frame;

fn problem(circuit: Circuit) -> Problem {
    let properties = (0..circuit.outputs().len())
        .map(|i| Property::never(format!("output{i}"), Goal::Output(OutputId::new(i))))
        .collect();
    let system = SystemModel::Circuit(Arc::new(circuit));
    Problem::of(system).asking(properties).expect("it fits")
}

fn claim(latches: usize, clauses: Vec<Vec<i32>>) -> Claim {
    let bits = (0..latches).map(|l| Bit::Latch(LatchId::new(l))).collect();
    let invariant = Clausal { bits, clauses, ..Clausal::default() };
    let goal = Goal::Output(OutputId::new(0));
    let clauses = Clauses { invariant, induction: None, exclusions: vec![(goal, None)] };
    Claim::Safe { goals: vec![goal], certificate: Certificate::Clauses(Box::new(clauses)) }
}

/// Returns a circuit that counts 0, 1, 2, 0, .. on two latches while its input is true. The output is true at
/// 3.
fn counter() -> Circuit {
    let mut b = CircuitBuilder::default();
    let go = b.circuit_mut().input(None);
    let low = b.circuit_mut().latch(Reset::Zero, None);
    let high = b.circuit_mut().latch(Reset::Zero, None);
    let (l, h) = (b.circuit().latches()[low.index()].signal, b.circuit().latches()[high.index()].signal);
    let up = b.and(!l, !h);
    let (next_l, next_h) = (b.either(go, up, l), b.either(go, l, h));
    b.circuit_mut().set_next(low, next_l);
    b.circuit_mut().set_next(high, next_h);
    let three = b.and(l, h);
    b.circuit_mut().output(three, None);
    b.finish()
}

#[test]
fn a_counter_never_gets_to_three() {
    let problem = problem(counter());
    let mut good = claim(2, vec![vec![-1, -2]]);
    let confirmed = proven(&problem, &mut good).expect("it is inductive");
    assert_eq!((confirmed.evidence, confirmed.length), (certify::EvidenceKind::Clauses, 1));
    for seed in 0..50 {
        damage(&problem, &mut good, &mut Random::new(seed));
    }
    assert!(!accepted(&proven(&problem, &mut claim(2, vec![vec![-1]]))), "the latch becomes true");
    assert!(!accepted(&proven(&problem, &mut claim(2, vec![]))), "nothing excludes the output");
    assert!(!accepted(&proven(&problem, &mut claim(2, vec![vec![]]))), "the empty clause does not hold");
    for wrong in [vec![vec![3]], vec![vec![0]], vec![vec![i32::MIN]]] {
        assert!(matches!(proven(&problem, &mut claim(2, wrong)), Err(Refusal::Rejected(_))));
    }
    assert!(matches!(proven(&problem, &mut claim(3, vec![])), Err(Refusal::Rejected(_))), "there are two latches");
}

#[test]
fn the_derivation_of_one_claim_does_not_prove_another() {
    let problem = problem(counter());
    let mut good = claim(2, vec![vec![-1, -2]]);
    proven(&problem, &mut good).expect("it is inductive");
    let Claim::Safe { certificate: Certificate::Clauses(clauses), .. } = &mut good else { unreachable!() };
    clauses.invariant.clauses = vec![vec![-1]];
    assert!(matches!(confirm(&problem, &good, &Options::default(), &Stop::default()), Err(Refusal::Rejected(_))));
}

/// Returns a random circuit with few latches and inputs.
fn random_circuit(random: &mut Random) -> Circuit {
    let mut circuit = Circuit::default();
    let mut signals = vec![Signal::FALSE];
    for _ in 0..random.below(3) {
        signals.push(circuit.input(None));
    }
    let latches = 1 + random.below(4);
    for _ in 0..latches {
        let reset = [Reset::Zero, Reset::Zero, Reset::One, Reset::Open][random.below(4)];
        let latch = circuit.latch(reset, None);
        signals.push(circuit.latches()[latch.index()].signal);
    }
    let any =
        |signals: &[Signal], random: &mut Random| signals[random.below(signals.len())].negated_if(random.chance(50));
    for _ in 0..random.below(9) {
        let (a, b) = (any(&signals, random), any(&signals, random));
        signals.push(circuit.and(a, b));
    }
    for latch in 0..latches {
        circuit.set_next(LatchId::new(latch), any(&signals, random));
    }
    let mut output = any(&signals, random);
    for _ in 0..random.below(3) {
        let other = any(&signals, random);
        output = circuit.and(output, other);
    }
    circuit.output(output, None);
    for _ in 0..[0, 0, 1, 2][random.below(4)] {
        circuit.constrain(any(&signals, random));
    }
    circuit
}

struct World<'a> {
    circuit: &'a Circuit,
    states: u64,
}

impl<'a> World<'a> {
    fn new(circuit: &'a Circuit) -> Self {
        Self { circuit, states: 1 << circuit.latches().len() }
    }

    /// Returns the frames in this state that satisfy the constraints, each with its inputs.
    fn frames(&self, state: u64) -> impl Iterator<Item = (u64, Frame<'_>)> + '_ {
        let inputs = 0..1 << self.circuit.inputs().len();
        inputs.map(move |i| (i, Frame::new(self.circuit, state, i))).filter(|(_, f)| f.counts())
    }

    fn initial(&self) -> Vec<u64> {
        testkit::circuit::initial(self.circuit).filter(|&s| self.frames(s).next().is_some()).collect()
    }

    /// For each state: `None` if no run reaches it, `Some(None)` if it is initial, and otherwise the previous
    /// state of a run to it, and the inputs in that state.
    fn reached(&self) -> Vec<Option<Option<(u64, u64)>>> {
        let mut reached = vec![None; self.states as usize];
        let mut queue = self.initial();
        queue.iter().for_each(|&s| reached[s as usize] = Some(None));
        while let Some(state) = queue.pop() {
            for (inputs, f) in self.frames(state) {
                let next = f.next();
                if reached[next as usize].is_none() && self.frames(next).next().is_some() {
                    reached[next as usize] = Some(Some((state, inputs)));
                    queue.push(next);
                }
            }
        }
        reached
    }

    /// Returns true if no run violates an output in its first `frames` frames, and no frame violates one after as many
    /// frames that violate none and satisfy the clauses.
    fn proves_in(&self, clauses: &[Vec<i32>], frames: u32) -> bool {
        let inside = |s: &u64| hold(clauses, |bit| s >> bit & 1 == 1);
        let violates = |f: &Frame<'_>| (0..self.circuit.outputs().len()).any(|i| f.violates(OutputId::new(i)));
        let is_violated = |state: &u64| self.frames(*state).any(|(_, f)| violates(&f));
        let mut from_start: BTreeSet<u64> = self.initial().into_iter().collect();
        let mut anywhere: BTreeSet<u64> = (0..self.states).filter(inside).collect();
        for _ in 0..frames {
            if from_start.iter().any(is_violated) {
                return false;
            }
            from_start = from_start.iter().flat_map(|&s| self.frames(s).map(|(_, f)| f.next())).collect();
            let kept = |&s: &u64| self.frames(s).filter(|(_, f)| !violates(f)).map(|(_, f)| f.next());
            anywhere = anywhere.iter().flat_map(kept).filter(inside).collect();
        }
        !anywhere.iter().any(is_violated)
    }

    /// Returns true if the clauses hold at the start, and every step keeps them.
    fn keeps(&self, clauses: &[Vec<i32>]) -> bool {
        let inside = |s: u64| hold(clauses, |bit| s >> bit & 1 == 1);
        let stays = |to: u64| inside(to) || self.frames(to).next().is_none();
        let kept = |s: u64| self.frames(s).all(|(_, f)| stays(f.next()));
        self.initial().into_iter().all(inside) && (0..self.states).filter(|&s| inside(s)).all(kept)
    }

    /// Returns true if none of the checker's three formulas has a model.
    fn proves(&self, clauses: &[Vec<i32>]) -> bool {
        let allowed = |s: u64| self.frames(s).all(|(_, f)| !f.violates(OutputId(0)));
        let inside = |s: &u64| hold(clauses, |bit| s >> bit & 1 == 1);
        self.keeps(clauses) && (0..self.states).filter(inside).all(allowed)
    }
}

fn slots(bits: u64, count: usize) -> Box<[u32]> {
    if count == 0 { Box::from([]) } else { Box::from([bits as u32]) }
}

/// Returns a run to `state`, followed by a frame there with the inputs `last`.
fn run_to(world: &World<'_>, reached: &[Option<Option<(u64, u64)>>], state: u64, last: u64) -> Trace {
    let mut frames = vec![last];
    let mut first = state;
    while let Some(Some((before, inputs))) = reached[first as usize] {
        frames.push(inputs);
        first = before;
    }
    let open: Vec<usize> =
        (0..world.circuit.latches().len()).filter(|&i| world.circuit.latches()[i].reset == Reset::Open).collect();
    let start = open.iter().enumerate().map(|(at, latch)| (first >> latch & 1) << at).sum();
    let mut trace = Trace::new(slots(start, open.len()));
    for inputs in frames.into_iter().rev() {
        trace.push(EventId(0), Some(slots(inputs, world.circuit.inputs().len())));
    }
    trace
}

#[test]
fn just_what_holds_is_proven() {
    let (mut yes, mut no, mut unsafe_ones) = (0, 0, 0);
    for seed in 0..testkit::count(1500) {
        let mut random = Random::new(seed);
        let circuit = random_circuit(&mut random);
        let latches = circuit.latches().len();
        let world = World::new(&circuit);
        let reached = world.reached();
        let bad = (0..world.states)
            .filter(|&s| reached[s as usize].is_some())
            .find_map(|s| world.frames(s).find(|(_, f)| f.violates(OutputId(0))).map(|(inputs, _)| (s, inputs)));
        let problem = problem(circuit.clone());
        // One clause for each unreachable state, and then some random clauses.
        let exact: Vec<Vec<i32>> = (0..world.states)
            .filter(|&s| reached[s as usize].is_none())
            .map(|s| (0..latches).map(|l| if s >> l & 1 == 1 { -(l as i32) - 1 } else { l as i32 + 1 }).collect())
            .collect();
        assert_eq!(world.proves(&exact), bad.is_none(), "seed {seed}");
        let some = random_clauses(&mut random, latches, 4);
        for clauses in [exact, some] {
            let holds = world.proves(&clauses);
            let mut claim = claim(latches, clauses);
            assert_eq!(accepted(&proven(&problem, &mut claim)), holds, "seed {seed}");
            assert!(!holds || bad.is_none());
            if holds {
                damage(&problem, &mut claim, &mut random);
            }
            *if holds { &mut yes } else { &mut no } += 1;
        }
        if let Some((state, inputs)) = bad {
            let trace = run_to(&world, &reached, state, inputs);
            let claim = Claim::Unsafe { goal: Goal::Output(OutputId::new(0)), trace, candidate: false };
            let confirmed = confirm(&problem, &claim, &Options::default(), &Stop::default());
            assert!(confirmed.is_ok_and(|c| c.verdict.is_unsafe()), "seed {seed}");
            unsafe_ones += 1;
        }
    }
    assert!(!testkit::are_full() || yes > 300 && no > 300 && unsafe_ones > 300, "{yes} {no} {unsafe_ones}");
}

#[test]
fn just_what_induction_shows_is_proven() {
    let (mut yes, mut no, mut only_by_frames, mut several) = (0, 0, 0, 0);
    for seed in 0..testkit::count(1500) {
        let mut random = Random::new(seed ^ 0x5be0_cd19);
        let mut circuit = random_circuit(&mut random);
        let latches = circuit.latches().len();
        if random.chance(40) {
            let latch = circuit.latches()[random.below(latches)].signal;
            let other = circuit.and(latch, circuit.outputs()[0].signal.negated_if(random.chance(50)));
            circuit.output(other, None);
        }
        let world = World::new(&circuit);
        let reached = world.reached();
        let problem = problem(circuit.clone());
        let exact: Vec<Vec<i32>> = (0..world.states)
            .filter(|&s| reached[s as usize].is_none() && random.chance(50))
            .map(|s| (0..latches).map(|l| if s >> l & 1 == 1 { -(l as i32) - 1 } else { l as i32 + 1 }).collect())
            .collect();
        let frames = 1 + random.below(4) as u32;
        for clauses in [Vec::new(), exact] {
            let holds = world.proves_in(&clauses, frames);
            let keeps_clauses = world.keeps(&clauses);
            let mut claim = claim(latches, clauses.clone());
            let Claim::Safe { goals, certificate: Certificate::Clauses(with) } = &mut claim else { unreachable!() };
            with.induction = Some(Induction { frames, first: None });
            *goals = (0..circuit.outputs().len()).map(|i| Goal::Output(OutputId::new(i))).collect();
            with.exclusions = goals.iter().map(|goal| (*goal, None)).collect();
            let is_accepted = accepted(&proven(&problem, &mut claim));
            assert_eq!(is_accepted, holds && keeps_clauses, "seed {seed}: {frames} frames, {clauses:?}");
            if is_accepted {
                several += usize::from(circuit.outputs().len() > 1);
                let is_violated = |&s: &u64| world.frames(s).any(|(_, f)| f.violates(OutputId(0)));
                let visited: Vec<u64> = (0..world.states).filter(|&s| reached[s as usize].is_some()).collect();
                assert!(!visited.iter().any(is_violated), "seed {seed}");
                only_by_frames += usize::from(!world.proves(&clauses));
                damage(&problem, &mut claim, &mut random);
            }
            *if is_accepted { &mut yes } else { &mut no } += 1;
        }
    }
    let is_much = yes > 300 && no > 300 && only_by_frames > 30 && several > 100;
    assert!(!testkit::are_full() || is_much, "{yes} {no} {only_by_frames} {several}");
}

#[test]
fn an_induction_has_at_least_one_frame_and_both_proofs() {
    let problem = problem(counter());
    let with = |frames: u32| {
        let mut claim = claim(2, vec![vec![-1, -2]]);
        let Claim::Safe { certificate: Certificate::Clauses(clauses), .. } = &mut claim else { unreachable!() };
        clauses.induction = Some(Induction { frames, first: None });
        claim
    };
    let mut good = with(2);
    proven(&problem, &mut good).expect("the clauses exclude the output");
    for frames in [0, Induction::MOST + 1, u32::MAX] {
        assert!(matches!(proven(&problem, &mut with(frames)), Err(Refusal::Rejected(_))));
    }
    let Claim::Safe { certificate: Certificate::Clauses(clauses), .. } = &mut good else { unreachable!() };
    let induction = clauses.induction.as_mut().expect("it has one");
    induction.frames = 3;
    assert!(matches!(confirm(&problem, &good, &Options::default(), &Stop::default()), Err(Refusal::Rejected(_))));
}
