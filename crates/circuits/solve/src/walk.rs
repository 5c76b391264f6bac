//! Random simulation of circuits: 64 runs at the same time, one in each bit of a word (parallel-pattern
//! simulation, as in circuit testing; Waicukauski et al. 1985).
//!
//! A round starts 64 runs and follows them for a number of frames. Rounds have the lengths of the sequence of Luby,
//! so that both many short runs and a few long ones are tried. Circuits without inputs and without open latches
//! have one run only, which is followed without an end. A run that breaks a constraint ends.
//!
//! In each round, an input has its own chance to be true, and its own chance to keep its value. Uniform inputs
//! rarely keep a counter counting or a reset away for long. A run is repeated from the seed of its round when it is
//! claimed, so that inputs need no memory.

use crate::simulate::Simulation;
use model::{Budget, Circuit, CircuitRun, CircuitTask, Claim, Engine, Goal, Reset, Signal, Stats, Turn};
use search::luby::luby;
use search::rng::Rng;
use std::sync::Arc;

/// Frames of the shortest rounds.
const SHORTEST: u64 = 64;
/// Nodes simulated per work unit.
const NODES_PER_UNIT: u64 = 512;
/// Frames between two looks at the budget, at least.
const STRIDE: u64 = 16;
/// Frames of the longest run that is claimed: longer runs take too much memory.
const LONGEST: u64 = 1 << 22;

/// Random simulation for the outputs of a circuit. Never claims `safe`.
pub struct CircuitWalk {
    circuit: Arc<Circuit>,
    /// Outputs without a run so far.
    open: Vec<(Goal, Signal)>,
    seed: u64,
    round: Round,
    /// Number of rounds before this one.
    rounds: u64,
    frames: u64,
}

/// The runs of one round.
struct Round {
    simulation: Simulation,
    rng: Rng,
    /// For each input: how its values are drawn in this round.
    tastes: Vec<Taste>,
    inputs: Vec<u64>,
    /// One bit for each run that has kept all constraints.
    alive: u64,
    frames: u64,
    /// Frames after which the round ends.
    length: u64,
}

/// How often an input is true, and how often it changes: the words that are combined, 0 to 3.
#[derive(Clone, Copy, Default)]
pub(crate) struct Taste {
    rare: u8,
    is_mostly_true: bool,
    lazy: u8,
}

impl Taste {
    /// Draws a taste for the round with this number. The first round is uniform.
    pub(crate) fn of_round(number: u64, rng: &mut Rng) -> Self {
        match number {
            0 => Self::default(),
            _ => Self { rare: rng.below(4) as u8, is_mostly_true: rng.chance(2), lazy: rng.below(4) as u8 },
        }
    }

    /// Draws 64 values, after these.
    pub(crate) fn draw(self, value: u64, rng: &mut Rng) -> u64 {
        let drawn = (0..self.rare).fold(rng.word(), |word, _| word & rng.word());
        let drawn = if self.is_mostly_true { !drawn } else { drawn };
        let kept = (0..self.lazy).fold(0, |word, _| word | rng.word());
        value & kept | drawn & !kept
    }
}

impl CircuitWalk {
    /// Creates the engine for the outputs of `task`.
    ///
    /// # Panics
    /// If a latch has no next function.
    #[must_use]
    pub fn new(task: &CircuitTask, seed: u64) -> Self {
        let circuit = Arc::clone(task.circuit());
        let signal = |output: &model::OutputId| circuit.outputs()[output.index()].signal;
        let open: Vec<_> = task.outputs().iter().map(|output| (Goal::Output(*output), signal(output))).collect();
        let nodes = circuit.cone(open.iter().map(|(_, signal)| *signal));
        let simulation = Simulation::new(Arc::clone(&circuit), &nodes);
        let round = Round::new(&circuit, simulation, seed, 0);
        Self { circuit, open, seed, round, rounds: 0, frames: 0 }
    }

    /// Repeats the current round and returns its run number `lane`.
    fn run_of(&self, lane: u32) -> CircuitRun {
        let mut round = Round::new(&self.circuit, self.round.simulation.clone(), self.seed, self.rounds);
        let bit = |words: &[u64]| words.iter().map(|word| word >> lane & 1 == 1).collect();
        let mut run = CircuitRun { start: bit(round.simulation.latches()), inputs: Vec::new() };
        while round.frames < self.round.frames {
            round.frame();
            run.inputs.push(bit(&round.inputs));
        }
        debug_assert!(round.alive >> lane & 1 == 1, "rounds are repeatable");
        run
    }

    /// Estimates the bytes of a run of this round and its trace.
    fn run_bytes(&self) -> usize {
        let frame = self.round.inputs.len() + self.round.inputs.len().div_ceil(32) * 4 + 96;
        usize::try_from(self.round.frames).unwrap_or(usize::MAX).saturating_mul(frame)
    }

    /// Returns the first output that is true in some run now, with the number of the run.
    fn found(&self) -> Option<(usize, u32)> {
        let hit = |(at, (_, signal)): (usize, &(Goal, Signal))| {
            let runs = self.round.simulation.value(*signal) & self.round.alive;
            (runs != 0).then(|| (at, runs.trailing_zeros()))
        };
        self.open.iter().enumerate().find_map(hit)
    }
}

impl Round {
    fn new(circuit: &Circuit, mut simulation: Simulation, seed: u64, number: u64) -> Self {
        let mut rng = Rng(seed ^ search::rng::mix(number + 1));
        let tastes: Vec<Taste> = circuit.inputs().iter().map(|_| Taste::of_round(number, &mut rng)).collect();
        let mut first = |latch: &model::Latch| match latch.reset {
            Reset::Zero => 0,
            Reset::One => u64::MAX,
            Reset::Open => rng.word(),
        };
        simulation.start(circuit.latches().iter().map(&mut first).collect());
        let is_determined = tastes.is_empty() && circuit.latches().iter().all(|latch| latch.reset != Reset::Open);
        let inputs = tastes.iter().map(|_| rng.word()).collect();
        Self {
            simulation,
            rng,
            tastes,
            inputs,
            alive: u64::MAX,
            frames: 0,
            length: if is_determined { LONGEST } else { (SHORTEST * luby(number)).min(LONGEST) },
        }
    }

    /// Simulates the next frame.
    fn frame(&mut self) {
        if self.frames > 0 {
            self.simulation.step();
            self.draw();
        }
        self.simulation.frame(&self.inputs);
        self.alive &= self.simulation.kept();
        self.frames += 1;
    }

    /// Draws the values of the inputs in the next frame.
    fn draw(&mut self) {
        let Self { rng, tastes, inputs, .. } = self;
        for (value, taste) in inputs.iter_mut().zip(tastes.iter()) {
            *value = taste.draw(*value, rng);
        }
    }
}

impl Engine for CircuitWalk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let cost = 1 + self.round.simulation.width() as u64 * STRIDE / NODES_PER_UNIT;
        while !self.open.is_empty() {
            for _ in 0..STRIDE {
                if self.round.frames >= self.round.length || self.round.alive == 0 {
                    if self.round.length == LONGEST {
                        return Turn::Done;
                    }
                    self.rounds += 1;
                    self.round = Round::new(&self.circuit, self.round.simulation.clone(), self.seed, self.rounds);
                }
                self.round.frame();
                self.frames += 1;
                if let Some((at, lane)) = self.found() {
                    if !budget.stop.may_allocate(self.run_bytes()) {
                        return Turn::More;
                    }
                    let (goal, _) = self.open.remove(at);
                    budget.spend(self.round.frames * (1 + self.round.simulation.width() as u64 / NODES_PER_UNIT));
                    let trace = self.run_of(lane).trace(&self.circuit);
                    return Turn::Claims(Claim::Unsafe { goal, trace, candidate: false });
                }
            }
            if !budget.spend(cost) {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|(goal, _)| goals.binary_search(goal).is_err());
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { transitions: self.frames, ..Stats::default() };
        stats.more.insert("walks", 64 * (self.rounds + 1));
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CircuitBuilder, OutputId};
    use testkit::circuit::{circuit, is_violation, truth};
    use testkit::count;

    fn walk(circuit: &Arc<Circuit>, seed: u64) -> CircuitWalk {
        let outputs = (0..circuit.outputs().len()).map(|i| Goal::Output(OutputId::new(i)));
        CircuitWalk::new(&CircuitTask::new(Arc::clone(circuit), outputs), seed)
    }

    #[test]
    fn claims_are_violations_and_most_are_found() {
        let (mut found, mut all) = (0, 0);
        for seed in 0..count(4_000) {
            let circuit = Arc::new(circuit(seed));
            let mut engine = walk(&circuit, seed);
            let mut budget = Budget::new(1_000, Arc::default());
            while let Turn::Claims(claim) = engine.run(&mut budget) {
                let Claim::Unsafe { goal: Goal::Output(output), trace, candidate: false } = claim else {
                    panic!("seed {seed}: {claim:?}")
                };
                assert!(is_violation(&circuit, &trace, output), "seed {seed}: {output:?}");
                found += 1;
                budget.work = 1_000;
            }
            all += truth(&circuit, 256).expect("it has few states").shortest.len();
        }
        assert!(found <= all && found * 10 > all * 9, "{found} of {all}");
    }

    /// An output that is true for the first time after 2^16 frames of the only run.
    #[test]
    fn the_only_run_is_followed_to_its_violation() {
        let mut builder = CircuitBuilder::default();
        let bits: Vec<_> = (0..16).map(|_| builder.circuit_mut().latch(Reset::Zero, None)).collect();
        let mut carry = Signal::TRUE;
        for &bit in &bits {
            let signal = builder.circuit().latches()[bit.index()].signal;
            let next = builder.xor(signal, carry);
            carry = builder.and(signal, carry);
            builder.circuit_mut().set_next(bit, next);
        }
        builder.circuit_mut().output(carry, None);
        let circuit = Arc::new(builder.finish());
        let turn = walk(&circuit, 0).run(&mut Budget::unlimited(Arc::default()));
        let Turn::Claims(Claim::Unsafe { trace, .. }) = turn else { panic!("{turn:?}") };
        assert_eq!(trace.len(), Some(1 << 16));
    }
}
