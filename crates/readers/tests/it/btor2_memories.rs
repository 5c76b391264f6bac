//! Arrays as memories: the random systems of the other tests, read so that every array is a memory unless two arrays
//! are compared. Their runs and witnesses are compared with integers.

use crate::btor2::{choices, named, witnessed};
use evidence::word_witness;
use impasse_readers::{Limits, Source, read};
use model::circuit::memory::{Contents, Frames};
use model::circuit::pack;
use model::{Circuit, EventId, Gate, Goal, OutputId, PortId, Problem, Reset, Signal, Trace, Tracker};
use testkit::words::{self, Choices, Frame, System, Value};
use testkit::{Random, count};

/// Reads a system so that arrays are memories.
fn problem(text: &str) -> Problem {
    let limits = Limits { array_bits: 0, ..Limits::default() };
    let source = Source { name: "t.btor2".to_owned(), bytes: text.as_bytes().to_vec() };
    read(source, None, &limits).unwrap_or_else(|error| panic!("{error}\n{text}")).problem
}

/// The run of a circuit with memories, side by side with the run of the system.
struct Side<'c> {
    circuit: &'c Circuit,
    contents: Contents,
    latches: Vec<bool>,
    start: Vec<bool>,
    inputs: Vec<Vec<bool>>,
    /// Words that were read from memories.
    reads: usize,
}

impl<'c> Side<'c> {
    fn new(circuit: &'c Circuit, system: &System, choices: &Choices) -> Self {
        let bits = named(system, choices);
        let value = |latch: &model::Latch| match latch.reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => bits[latch.name.as_deref().expect("states have names")],
        };
        let latches: Vec<bool> = circuit.latches().iter().map(value).collect();
        let open = circuit.latches().iter().zip(&latches).filter(|(latch, _)| latch.reset == Reset::Open);
        let start = open.map(|(_, value)| *value).collect();
        let contents = Contents::new(circuit.memories());
        Self { circuit, contents, latches, start, inputs: Vec::new(), reads: 0 }
    }

    /// Computes a frame: the values of all outputs, and whether the constraints hold. `frame` has the values of the
    /// system. Open words of memories are those that the system has; all others must be the same.
    fn frame(&mut self, system: &System, choices: &Choices, frame: &Frame) -> (Vec<bool>, bool) {
        let bits = named(system, choices);
        let memories = self.circuit.memories();
        let mut values: Vec<bool> = Vec::new();
        for gate in self.circuit.gates() {
            let of = |values: &[bool], signal: Signal| values[signal.node()] != signal.is_negated();
            let next = match *gate {
                Gate::False => false,
                Gate::And(a, b) => of(&values, a) && of(&values, b),
                Gate::Latch(latch) => self.latches[latch.index()],
                Gate::Input(input) => {
                    let signal = self.circuit.inputs()[input as usize].signal;
                    let port = memories.ports.iter().find(|port| port.value.contains(&signal));
                    match port {
                        None => bits[self.circuit.inputs()[input as usize].name.as_deref().expect("a name")],
                        Some(port) => {
                            let address: Vec<bool> = port.address.iter().map(|bit| of(&values, *bit)).collect();
                            let memory = &memories.memories[port.memory.index()];
                            let number = memory.position as usize;
                            let node = if memory.is_state { system.states[number].node } else { system.inputs[number] };
                            let Value::Array(elements) = frame.value(system, (node, false)) else { panic!("a word") };
                            let at: usize = (0..).zip(&address).map(|(i, bit)| usize::from(*bit) << i).sum();
                            let given: Vec<bool> = (0..memory.width).map(|i| elements[at] >> i & 1 == 1).collect();
                            let value = |signal| of(&values, signal);
                            let word = self.contents.read(port.memory, (&address, &given), &value, &mut |_| true);
                            let word = word.expect("the work is not limited");
                            assert_eq!(word, given, "memory {number} at {at}\n{}", system.text());
                            self.reads += 1;
                            word[port.value.iter().position(|bit| *bit == signal).unwrap()]
                        }
                    }
                }
            };
            values.push(next);
        }
        let is = |signal: Signal| values[signal.node()] != signal.is_negated();
        self.inputs.push(self.circuit.inputs().iter().map(|input| is(input.signal)).collect());
        self.contents.step(&is, &mut |_| true).expect("the work is not limited");
        self.latches = self.circuit.latches().iter().map(|l| is(l.next.expect("each latch has one"))).collect();
        let outputs = self.circuit.outputs().iter().map(|output| is(output.signal)).collect();
        (outputs, self.circuit.constraints().iter().all(|constraint| is(*constraint)))
    }

    fn trace(&self) -> Trace {
        let mut trace = Trace::new(pack(self.start.iter().copied()));
        for inputs in &self.inputs {
            trace.push(EventId(0), (!inputs.is_empty()).then(|| pack(inputs.iter().copied())));
        }
        trace
    }
}

#[test]
fn memories_mean_what_integers_say() {
    let (mut with_memories, mut reads) = (0, 0);
    for seed in 0..count(6000) {
        let system = if seed % 2 == 0 { words::system(seed) } else { words::memories(seed) };
        let text = system.text();
        let problem = problem(&text);
        let circuit = problem.system().as_circuit().expect("a circuit");
        with_memories += usize::from(!circuit.memories().is_empty());
        let random = &mut Random::new(seed);
        for _ in 0..3 {
            let mut chosen = choices(&system, random);
            let mut frame = Frame::first(&system, &chosen);
            let mut side = Side::new(circuit, &system, &chosen);
            for number in 0..5 {
                let (outputs, counts) = side.frame(&system, &chosen, &frame);
                let expected: Vec<bool> = system.bad.iter().map(|b| frame.value(&system, *b).bits() == 1).collect();
                let wrong = outputs.iter().zip(&expected).position(|(a, b)| a != b);
                assert!(wrong.is_none(), "seed {seed}, frame {number}, output {wrong:?}\n{text}{chosen:?}\n{frame:?}");
                assert_eq!(counts, frame.counts(&system), "seed {seed}, frame {number}\n{text}");
                chosen = choices(&system, random);
                frame = frame.next(&system, &chosen);
            }
            reads += side.reads;
        }
    }
    assert!(with_memories > 20 && reads > 500, "{with_memories}, {reads}");
}

#[test]
fn witnesses_have_the_words_that_a_run_chooses() {
    let mut replayed = 0;
    for seed in 0..count(6000) {
        let system = if seed % 2 == 0 { words::system(seed) } else { words::memories(seed) };
        let problem = problem(&system.text());
        let circuit = problem.system().as_circuit().expect("a circuit");
        if circuit.memories().is_empty() {
            continue;
        }
        let random = &mut Random::new(!seed);
        let mut chosen = choices(&system, random);
        let mut frame = Frame::first(&system, &chosen);
        let mut side = Side::new(circuit, &system, &chosen);
        let mut bad = None;
        for _ in 0..random.between(1, 4) {
            let (outputs, counts) = side.frame(&system, &chosen, &frame);
            bad = outputs.iter().rposition(|is_true| *is_true).filter(|_| counts);
            if !counts {
                break;
            }
            chosen = choices(&system, random);
            frame = frame.next(&system, &chosen);
        }
        let Some(bad) = bad else { continue };
        let mut out = Vec::new();
        let goal = Goal::Output(OutputId::new(bad));
        assert!(word_witness::run(&problem, goal, &side.trace(), &mut out).unwrap());
        let text = String::from_utf8(out).unwrap();
        let (property, frames) = witnessed(&system, &text);
        assert_eq!((property, frames.len()), (bad, side.inputs.len()));
        let mut frame = Frame::first(&system, &frames[0]);
        assert!(frame.counts(&system));
        for chosen in &frames[1..] {
            frame = frame.next(&system, chosen);
            assert!(frame.counts(&system), "seed {seed}\n{text}");
        }
        assert_eq!(frame.value(&system, system.bad[bad]), Value::Bits(1), "seed {seed}\n{}{text}", system.text());
        replayed += 1;
    }
    assert!(replayed > 10, "{replayed}");
}

fn is_true(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] != signal.is_negated()
}

/// Computes the nodes of a frame of a circuit without memories, with random inputs.
fn nodes(circuit: &Circuit, latches: &[bool], random: &mut Random) -> Vec<bool> {
    let inputs: Vec<bool> = circuit.inputs().iter().map(|_| random.below(2) == 1).collect();
    with_inputs(circuit, latches, &inputs)
}

/// Returns the latches of the next frame.
fn next_latches(circuit: &Circuit, values: &[bool]) -> Vec<bool> {
    circuit.latches().iter().map(|latch| is_true(values, latch.next.expect("each latch has one"))).collect()
}

/// In random runs of the circuit with a latch for each bit of each word, ports read what the memories have, and all
/// other nodes are the same.
#[test]
fn expanded_circuits_read_what_memories_have() {
    let mut reads = 0;
    for seed in 0..count(6000) {
        let system = if seed % 2 == 0 { words::system(seed) } else { words::memories(seed) };
        let problem = problem(&system.text());
        let circuit = problem.system().as_circuit().expect("a circuit");
        let (expanded, signals) = circuit.expanded();
        assert!(expanded.gates().len() as u64 <= circuit.nodes_to_expand(), "seed {seed}");
        let random = &mut Random::new(seed);
        let first = |reset: Reset| reset == Reset::One || (reset == Reset::Open && random.below(2) == 1);
        let mut latches: Vec<bool> = expanded.latches().iter().map(|latch| latch.reset).map(first).collect();
        let mut frames = Frames::new(circuit);
        for _ in 0..5 {
            let values = nodes(&expanded, &latches, random);
            let of = |signal: Signal| is_true(&values, signals[signal.node()]) != signal.is_negated();
            let mut inputs: Vec<bool> = circuit.inputs().iter().map(|input| of(input.signal)).collect();
            let mut own = vec![false; circuit.gates().len()];
            let mut reading = |port: PortId, given: &[bool], word: &[bool]| {
                assert_eq!(given, word, "seed {seed}, port {port:?}\n{}", system.text());
                reads += 1;
                true
            };
            let state = (&latches[..circuit.latches().len()], &mut inputs[..]);
            frames.compute(circuit.gates(), state, &mut own, &mut reading, &mut |_| true).expect("no limit");
            assert!((0..own.len()).all(|node| own[node] == of(Signal::new(node, false))), "seed {seed}");
            frames.step(&own, &mut |_| true).expect("no limit");
            let next = next_latches(circuit, &own);
            latches = next_latches(&expanded, &values);
            assert_eq!(latches[..next.len()], next[..], "seed {seed}");
        }
    }
    assert!(reads > 500, "{reads}");
}

/// Computes the nodes of a circuit in a frame with these inputs.
fn with_inputs(circuit: &Circuit, latches: &[bool], inputs: &[bool]) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::new();
    for gate in circuit.gates() {
        let value = match *gate {
            Gate::False => false,
            Gate::Input(input) => inputs[input as usize],
            Gate::Latch(latch) => latches[latch.index()],
            Gate::And(a, b) => is_true(&values, a) && is_true(&values, b),
        };
        values.push(value);
    }
    values
}

/// Each output that a run of the memories makes true can be true in the tracked circuit, too: with some location and
/// words at first, the same run counts there. All of them are tried.
#[test]
fn tracked_circuits_keep_the_runs_of_memories() {
    let mut kept = 0;
    for seed in 0..count(6000) {
        let system = words::memories(seed);
        let problem = problem(&system.text());
        let circuit = problem.system().as_circuit().expect("a circuit");
        let random = &mut Random::new(seed);
        let ports = circuit.memories().ports.len();
        if ports == 0 {
            continue;
        }
        let any =
            |random: &mut Random| Tracker { port: PortId::new(random.below(ports)), delay: random.below(3) as u32 };
        let trackers: Vec<Tracker> = (0..1 + random.below(2)).map(|_| any(random)).collect();
        let tracked = circuit.tracking(&trackers);
        let own = circuit.latches().len();
        let open: Vec<usize> =
            (own..tracked.latches().len()).filter(|at| tracked.latches()[*at].reset == Reset::Open).collect();
        // Memories without next contents have new inputs, which are not tried here.
        if open.len() > 10 || tracked.inputs().len() > circuit.inputs().len() {
            continue;
        }
        let (expanded, signals) = circuit.expanded();
        let first = |reset: Reset| reset == Reset::One || (reset == Reset::Open && random.below(2) == 1);
        let mut latches: Vec<bool> = expanded.latches().iter().map(|latch| latch.reset).map(first).collect();
        let start = latches[..own].to_vec();
        let mut inputs: Vec<Vec<bool>> = Vec::new();
        for _ in 0..4 {
            let values = nodes(&expanded, &latches, random);
            let of = |signal: Signal| is_true(&values, signals[signal.node()]) != signal.is_negated();
            if !circuit.constraints().iter().all(|signal| of(*signal)) {
                break;
            }
            inputs.push(circuit.inputs().iter().map(|input| of(input.signal)).collect());
            for output in (0..circuit.outputs().len()).filter(|output| of(circuit.outputs()[*output].signal)) {
                let counts = |choice: u32| {
                    let mut state = start.clone();
                    state.extend(tracked.latches()[own..].iter().map(|latch| latch.reset == Reset::One));
                    (0..).zip(&open).for_each(|(bit, at)| state[*at] = choice >> bit & 1 == 1);
                    let mut shown = false;
                    for chosen in &inputs {
                        let values = with_inputs(&tracked, &state, chosen);
                        if !tracked.constraints().iter().all(|signal| is_true(&values, *signal)) {
                            return false;
                        }
                        shown = is_true(&values, tracked.outputs()[output].signal);
                        state = next_latches(&tracked, &values);
                    }
                    shown
                };
                let frame = inputs.len();
                assert!(
                    (0..1 << open.len()).any(counts),
                    "seed {seed}, frame {frame}: {trackers:?}\n{}",
                    system.text()
                );
                kept += 1;
            }
            latches = next_latches(&expanded, &values);
        }
    }
    assert!(kept > 200, "{kept}");
}

/// Ten memories get the contents of one chain of a hundred writes. The work is asked for before it is done.
#[test]
fn work_of_memories_is_charged() {
    let mut text = "1 sort bitvec 1\n2 sort bitvec 8\n3 sort array 2 2\n4 input 2\n5 state 3\n".to_owned();
    let mut last = 5;
    let mut line = |line: String| {
        last += 1;
        text.push_str(&format!("{last} {line}\n"));
        last
    };
    let chain = (0..100).fold(5, |array, _| line(format!("write 3 {array} 4 4")));
    for _ in 0..10 {
        let memory = line("state 3".to_owned());
        line(format!("next 3 {memory} {chain}"));
        let read = line(format!("read 2 {memory} 4"));
        let bad = line(format!("redor 1 {read}"));
        line(format!("bad {bad}"));
    }
    let problem = problem(&text);
    let circuit = problem.system().as_circuit().expect("a circuit");
    let values = vec![false; circuit.gates().len()];
    let step = |most: u64| {
        let mut charged = 0;
        let stepped = Contents::new(circuit.memories()).step(&|signal| is_true(&values, signal), &mut |bits| {
            charged += bits;
            charged <= most
        });
        (stepped.is_some(), charged)
    };
    let (is_done, charged) = step(u64::MAX);
    assert!(is_done && charged > 10 * 100 * 16, "{charged}");
    let (is_done, charged) = step(1_000);
    assert!(!is_done && charged < 1_100, "{charged}");
}
