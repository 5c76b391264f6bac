//! Random simulation of circuits with memories: one run at a time, with the contents of the memories.
//!
//! As in [`crate::circuit`], rounds have the lengths of the sequence of Luby, and each input has its own chances in a
//! round. A word that is open gets a random value when it is first read. A round is computed again, from its seed, when
//! its run is claimed.

use crate::circuit::Taste;
use crate::luby::luby;
use crate::walk::Options;
use analysis::rng::Rng;
use model::circuit::memory::{Contents, Port};
use model::{Budget, Circuit, CircuitRun, CircuitTask, Claim, Engine, Gate, Goal, PortId, Reset, Signal, Stats, Turn};
use std::sync::Arc;

/// Frames of the shortest rounds.
const SHORTEST: u64 = 64;
/// Nodes that a round computes at most, so that turns end.
const MOST_COMPUTED: u64 = 1 << 24;
/// Nodes computed per work unit.
const NODES_PER_UNIT: u64 = 64;

/// Random simulation for the outputs of a circuit with memories. Never claims `safe`.
pub struct MemoryWalk {
    circuit: Arc<Circuit>,
    /// Outputs without a run so far.
    open: Vec<(Goal, Signal)>,
    /// For each input: its port.
    ports: Vec<Option<PortId>>,
    seed: u64,
    rounds: u64,
    frames: u64,
}

/// What a round has found.
struct Found {
    /// The position of the output among the open ones.
    output: usize,
    /// The run, if it was recorded.
    run: CircuitRun,
}

impl MemoryWalk {
    /// Creates the engine for the outputs of `task`.
    #[must_use]
    pub fn new(task: &CircuitTask, options: Options) -> Self {
        let circuit = Arc::clone(task.circuit());
        let signal = |output: &model::OutputId| circuit.outputs()[output.index()].signal;
        let open = task.outputs().iter().map(|output| (Goal::Output(*output), signal(output))).collect();
        let ports = circuit.ports_of_inputs();
        Self { circuit, open, ports, seed: options.seed, rounds: 0, frames: 0 }
    }

    /// Simulates a round, until an output is true or a constraint is false. Returns the frames, and what was found.
    fn round(&self, is_recorded: bool) -> (u64, Option<Found>) {
        let circuit = &*self.circuit;
        let mut rng = Rng(self.seed ^ analysis::rng::mix(self.rounds + 1));
        let tastes: Vec<Taste> = circuit.inputs().iter().map(|_| Taste::of_round(self.rounds, &mut rng)).collect();
        let mut first = |reset: Reset| match reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => rng.word() & 1 == 1,
        };
        let mut latches: Vec<bool> = circuit.latches().iter().map(|latch| first(latch.reset)).collect();
        let mut run = CircuitRun { start: latches.clone(), inputs: Vec::new() };
        let mut inputs = vec![false; circuit.inputs().len()];
        let mut contents = Contents::new(circuit.memories());
        let mut values = vec![false; circuit.gates().len()];
        let longest = (MOST_COMPUTED / circuit.gates().len() as u64).max(SHORTEST);
        let length = SHORTEST.saturating_mul(luby(self.rounds)).min(longest);
        for frame in 1..=length {
            for (value, taste) in inputs.iter_mut().zip(&tastes) {
                *value = taste.draw(if *value { u64::MAX } else { 0 }, &mut rng) & 1 == 1;
            }
            self.frame(&latches, &mut inputs, &mut contents, &mut values);
            let value = |signal: Signal| values[signal.node()] != signal.is_negated();
            if !circuit.constraints().iter().all(|signal| value(*signal)) {
                return (frame, None);
            }
            if is_recorded {
                run.inputs.push(inputs.clone());
            }
            if let Some(output) = self.open.iter().position(|(_, signal)| value(*signal)) {
                return (frame, Some(Found { output, run }));
            }
            contents.step(&value);
            for (bit, latch) in latches.iter_mut().zip(circuit.latches()) {
                *bit = value(latch.next.unwrap_or(latch.signal));
            }
        }
        (length, None)
    }

    /// Computes the gates of a frame. Inputs that are values of ports become the words of the memories.
    fn frame(&self, latches: &[bool], inputs: &mut [bool], contents: &mut Contents<'_>, values: &mut [bool]) {
        let mut is_read = vec![false; self.circuit.memories().ports.len()];
        for (node, gate) in self.circuit.gates().iter().enumerate() {
            values[node] = match *gate {
                Gate::False => false,
                Gate::Latch(latch) => latches[latch.index()],
                Gate::And(a, b) => (values[a.node()] != a.is_negated()) && (values[b.node()] != b.is_negated()),
                Gate::Input(number) => {
                    if let Some(port) = self.ports[number as usize].filter(|port| !is_read[port.index()]) {
                        is_read[port.index()] = true;
                        self.read(&self.circuit.memories().ports[port.index()], inputs, contents, values);
                    }
                    inputs[number as usize]
                }
            };
        }
    }

    fn read(&self, port: &Port, inputs: &mut [bool], contents: &mut Contents<'_>, values: &[bool]) {
        let value = |signal: Signal| values[signal.node()] != signal.is_negated();
        let address: Vec<bool> = port.address.iter().map(|bit| value(*bit)).collect();
        let given: Vec<bool> = port.value.iter().map(|bit| inputs[input(&self.circuit, *bit)]).collect();
        let word = contents.read(port.memory, &address, &given, &value);
        for (bit, value) in port.value.iter().zip(word) {
            inputs[input(&self.circuit, *bit)] = value;
        }
    }
}

/// The number of the input with this signal.
fn input(circuit: &Circuit, bit: Signal) -> usize {
    match circuit.gates()[bit.node()] {
        Gate::Input(input) => input as usize,
        _ => unreachable!("the value of a port consists of inputs"),
    }
}

impl Engine for MemoryWalk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.open.is_empty() {
            let (frames, found) = self.round(false);
            self.frames += frames;
            let work = 1 + frames * self.circuit.gates().len() as u64 / NODES_PER_UNIT;
            let goes_on = budget.spend(work);
            if found.is_some() {
                let frame = self.circuit.inputs().len() * 2 + 96;
                if !budget.stop.may_allocate(usize::try_from(frames).unwrap_or(usize::MAX).saturating_mul(frame)) {
                    return Turn::More;
                }
                if let (_, Some(Found { output, run })) = self.round(true) {
                    let (goal, _) = self.open.remove(output);
                    let trace = run.trace(&self.circuit);
                    return Turn::Claims(Claim::Unsafe { goal, trace, candidate: false });
                }
            }
            self.rounds += 1;
            if !goes_on {
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
        stats.more.insert("walks", self.rounds + 1);
        stats
    }
}
