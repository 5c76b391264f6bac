//! Tests of BTOR2 files: their meaning, compared with integers on random systems; what is refused; witnesses, replayed
//! on the words; and that written circuits are read back.

use crate::aiger::circuit;
use crate::read_as;
use evidence::{witness, word_witness};
use impasse_readers::{Limits, Read, Source, by_name};
use model::circuit::pack;
use model::{Circuit, EventId, Goal, OutputId, Problem, Reset, Trace};
use std::collections::HashMap;
use testkit::words::{self, Choices, Frame, Kind, Sort, System, Value};
use testkit::{Random, count};

fn ok(text: &str) -> Read {
    read_as("t.btor2", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()))
}

pub(crate) fn refusal(text: &str) -> (&'static str, Option<(usize, usize)>) {
    let error = read_as("t.btor2", text).expect_err(text);
    (error.code(), error.line_column())
}

/// Returns random values of all inputs and states.
pub(crate) fn choices(system: &System, random: &mut Random) -> Choices {
    let mut value = |node: usize| match system.nodes[node].sort {
        Sort::Bits(width) => Value::Bits(u128::from(random.bits()) & ((1 << width) - 1)),
        Sort::Array(index, width) => {
            Value::Array((0..1 << index).map(|_| u128::from(random.bits()) & ((1 << width) - 1)).collect())
        }
    };
    Choices {
        inputs: system.inputs.iter().map(|node| value(*node)).collect(),
        states: system.states.iter().map(|state| value(state.node)).collect(),
    }
}

/// Returns the bits of the choices by the names that the reader gives them.
pub(crate) fn named(system: &System, choices: &Choices) -> HashMap<String, bool> {
    let mut bits = HashMap::new();
    let inputs = system.inputs.iter().zip(&choices.inputs).enumerate().map(|(i, (n, v))| (format!("in{i}"), *n, v));
    let states = system.states.iter().zip(&choices.states).enumerate();
    let states = states.map(|(i, (s, v))| (format!("st{i}"), s.node, v));
    for (name, node, value) in inputs.chain(states) {
        let width = words::width(system.nodes[node].sort);
        let mut element = |name: &str, value: u128| {
            for bit in 0..width {
                let name = if width == 1 { name.to_owned() } else { format!("{name}[{bit}]") };
                bits.insert(name, value >> bit & 1 == 1);
            }
        };
        match value {
            Value::Bits(value) => element(&name, *value),
            Value::Array(all) => all.iter().enumerate().for_each(|(i, value)| element(&format!("{name}[{i}]"), *value)),
        }
    }
    bits
}

/// A run of a circuit, side by side with the run of the system.
struct Side<'c> {
    circuit: &'c Circuit,
    latches: Vec<bool>,
    start: Vec<bool>,
    inputs: Vec<Vec<bool>>,
}

impl<'c> Side<'c> {
    fn new(circuit: &'c Circuit, bits: &HashMap<String, bool>) -> Self {
        let value = |latch: &model::Latch| match latch.reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => bits[latch.name.as_deref().expect("states have names")],
        };
        let latches: Vec<bool> = circuit.latches().iter().map(value).collect();
        let open = circuit.latches().iter().zip(&latches).filter(|(latch, _)| latch.reset == Reset::Open);
        let start = open.map(|(_, value)| *value).collect();
        Self { circuit, latches, start, inputs: Vec::new() }
    }

    /// Computes a frame: the values of all outputs, and whether the constraints hold.
    fn frame(&mut self, bits: &HashMap<String, bool>) -> (Vec<bool>, bool) {
        let input = |i: u32| bits[self.circuit.inputs()[i as usize].name.as_deref().expect("inputs have names")];
        let values = testkit::circuit::values(self.circuit, |l| self.latches[l.index()], input);
        let is = |s: model::Signal| values[s.node()] != s.is_negated();
        self.inputs.push((0..self.circuit.inputs().len() as u32).map(input).collect());
        let next = self.circuit.latches().iter().map(|l| is(l.next.expect("each latch has one"))).collect();
        let outputs = self.circuit.outputs().iter().map(|o| is(o.signal)).collect();
        let counts = self.circuit.constraints().iter().all(|c| is(*c));
        self.latches = next;
        (outputs, counts)
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
fn random_systems_mean_what_integers_say() {
    for seed in 0..count(3000) {
        let system = words::system(seed);
        let text = system.text();
        let problem = ok(&text).problem;
        let circuit = circuit(&problem);
        assert_eq!(circuit.outputs().len(), system.bad.len());
        let random = &mut Random::new(seed);
        for _ in 0..4 {
            let mut chosen = choices(&system, random);
            let mut frame = Frame::first(&system, &chosen);
            let mut side = Side::new(circuit, &named(&system, &chosen));
            for number in 0..5 {
                let (outputs, counts) = side.frame(&named(&system, &chosen));
                let expected: Vec<bool> = system.bad.iter().map(|b| frame.value(&system, *b).bits() == 1).collect();
                let wrong = outputs.iter().zip(&expected).position(|(a, b)| a != b);
                assert!(wrong.is_none(), "seed {seed}, frame {number}, output {wrong:?}\n{text}{chosen:?}\n{frame:?}");
                assert_eq!(counts, frame.counts(&system), "seed {seed}, frame {number}\n{text}");
                chosen = choices(&system, random);
                frame = frame.next(&system, &chosen);
            }
        }
    }
}

/// Reads a witness into the choices of each frame. Words that it leaves out are zero.
pub(crate) fn witnessed(system: &System, text: &str) -> (usize, Vec<Choices>) {
    let zero = |node: usize| match system.nodes[node].sort {
        Sort::Bits(_) => Value::Bits(0),
        Sort::Array(index, _) => Value::Array(vec![0; 1 << index]),
    };
    let none = Choices {
        inputs: system.inputs.iter().map(|node| zero(*node)).collect(),
        states: system.states.iter().map(|state| zero(state.node)).collect(),
    };
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sat"));
    let property = lines.next().and_then(|line| line.strip_prefix('b')).expect("a property").parse().unwrap();
    let (mut frames, mut is_state) = (Vec::<Choices>::new(), false);
    for line in lines {
        if let Some(number) = line.strip_prefix(['#', '@']) {
            is_state = line.starts_with('#');
            let number: usize = number.parse().unwrap();
            frames.resize(number + 1, none.clone());
            continue;
        }
        if line == "." {
            return (property, frames);
        }
        let parts: Vec<&str> = line.split(' ').collect();
        let frame = frames.last_mut().unwrap();
        let word =
            &mut if is_state { &mut frame.states } else { &mut frame.inputs }[parts[0].parse::<usize>().unwrap()];
        let bits = |digits: &str| u128::from_str_radix(digits, 2).unwrap();
        match word {
            Value::Bits(value) => *value = bits(parts[1]),
            Value::Array(elements) => elements[bits(parts[1].trim_matches(['[', ']'])) as usize] = bits(parts[2]),
        }
    }
    panic!("no end")
}

#[test]
fn witnesses_are_runs_of_the_words() {
    let mut replayed = 0;
    for seed in 0..count(2000) {
        let system = words::system(seed);
        let problem = ok(&system.text()).problem;
        let random = &mut Random::new(!seed);
        let mut chosen = choices(&system, random);
        let mut side = Side::new(circuit(&problem), &named(&system, &chosen));
        let mut bad = None;
        for _ in 0..random.between(1, 4) {
            let (outputs, counts) = side.frame(&named(&system, &chosen));
            bad = outputs.iter().rposition(|is_true| *is_true).filter(|_| counts);
            if !counts {
                break;
            }
            chosen = choices(&system, random);
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

#[test]
fn every_operator_occurs_in_random_systems() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..count(3000) {
        for node in words::system(seed).nodes {
            if let Kind::Operation(name, ..) = node.kind {
                seen.insert(name);
            }
        }
    }
    assert_eq!(seen.len(), 52, "{seen:?}");
}

fn written(problem: &Problem) -> String {
    let mut bytes = Vec::new();
    by_name("btor2").unwrap().write.unwrap()(problem, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A circuit of which every node matters is read back as it was, but for the order of its nodes.
#[test]
fn circuits_come_back() {
    for seed in 0..count(1000) {
        let problem = testkit::circuit::problem(testkit::circuit::circuit(seed));
        let text = written(&problem);
        let back = ok(&text).problem;
        let (ours, theirs) = (circuit(&problem), circuit(&back));
        let truths = [ours, theirs].map(|c| testkit::circuit::truth(c, 100_000).expect("small").shortest);
        assert_eq!(truths[0], truths[1], "seed {seed}\n{text}");
        assert_eq!(back.properties().len(), problem.properties().len());
    }
}

#[test]
fn written_circuits_have_stable_lines() {
    let text = "aag 4 1 2 0 1 1 1\n2\n4 2\n6 4 1\n8\n5\n8 7 4\ni0 request\nl0 last one\nl1 ;before\nb0 twice\n";
    let problem = read_as("t.aag", text).unwrap().problem;
    let expected = "1 sort bitvec 1\n2 zero 1\n3 one 1\n4 input 1 request\n5 state 1\n6 state 1\n7 and 1 5 -6\n\
                    8 init 1 5 2\n9 next 1 5 4\n10 init 1 6 3\n11 next 1 6 5\n12 bad 7 twice\n13 constraint -5\n";
    assert_eq!(written(&problem), expected);
    let net = read_as("t.lola", "PLACE p; MARKING p; TRANSITION t CONSUME p; PRODUCE ;").unwrap().problem;
    assert!(by_name("btor2").unwrap().write.unwrap()(&net, &mut Vec::new()).is_err());
}

const COUNTER: &str = "; a counter that can be reset\n1 sort bitvec 1\n2 sort bitvec 3\n3 zero 2\n4 input 1 reset\n\
                       5 state 2 count ; the state\n6 init 2 5 3\n7 inc 2 5\n8 ite 2 4 3 7\n9 next 2 5 8\n\
                       10 constd 2 -1\n11 eq 1 5 10\n12 bad 11 full\n";

#[test]
fn names_show_words() {
    let problem = ok(COUNTER).problem;
    let circuit = circuit(&problem);
    let latches: Vec<_> = circuit.latches().iter().map(|l| l.name.as_deref().unwrap()).collect();
    assert_eq!(latches, ["count[0]", "count[1]", "count[2]"]);
    assert_eq!(circuit.inputs()[0].name.as_deref(), Some("reset"));
    assert_eq!(problem.properties()[0].id, "full");
    let memory = "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 1 2\n4 sort array 1 1\n5 state 3 m\n6 input 4\n\
                  7 input 1\n8 read 2 5 7\n9 read 1 6 7\n10 redor 1 8\n11 and 1 10 9\n12 bad 11\n";
    let problem = ok(memory).problem;
    let names: Vec<_> = crate::aiger::circuit(&problem).inputs().iter().map(|i| i.name.clone().unwrap()).collect();
    assert_eq!(names, ["m[0][0]", "m[0][1]", "m[1][0]", "m[1][1]", "input6[0]", "input6[1]", "input7"]);
}

/// A witness names all words that a run chooses, and no others.
#[test]
fn witnesses_have_a_stable_form() {
    let text = "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 1 2\n4 one 2\n5 state 2 any\n6 state 2\n7 init 2 6 4\n\
                8 next 2 6 5\n9 state 3 mem\n10 next 3 9 9\n11 state 2 later\n12 init 2 11 4\n13 input 2 unused\n\
                14 input 1 in\n15 read 2 9 14\n16 eq 1 15 11\n17 eq 1 5 6\n18 and 1 16 17\n19 bad 18\n";
    let problem = ok(text).problem;
    let system = circuit(&problem);
    let names: Vec<_> = system.inputs().iter().map(|i| i.name.clone().unwrap()).collect();
    assert_eq!(names, ["any[0]", "any[1]", "later[0]", "later[1]", "in"]);
    let mut trace = Trace::new(Box::from([0b0110]));
    trace.push(EventId(0), Some(Box::from([0b1_00_01])));
    trace.push(EventId(0), Some(Box::from([0b0_10_01])));
    let mut out = Vec::new();
    assert!(word_witness::run(&problem, Goal::Output(OutputId(0)), &trace, &mut out).unwrap());
    let expected = "sat\nb0\n#0\n0 01 any#0\n2 [0] 10 mem#0\n2 [1] 01 mem#0\n@0\n1 1 in@0\n\
                    #1\n0 01 any#1\n3 10 later#1\n@1\n1 0 in@1\n.\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    let plain = read_as("t.aag", "aag 1 1 0 0 0 1\n2\n2\n").unwrap().problem;
    let mut trace = Trace::new(Box::from([]));
    trace.push(EventId(0), Some(Box::from([1])));
    assert!(!word_witness::run(&plain, Goal::Output(OutputId(0)), &trace, &mut Vec::new()).unwrap());
    assert!(witness::run(&plain, Goal::Output(OutputId(0)), &trace, &mut Vec::new()).unwrap());
}

#[test]
fn justice_and_fairness_are_read_and_written() {
    let read = ok("1 sort bitvec 1\n2 state 1 s\n3 fair -2\n4 justice 2 2 -2 again\n5 justice 0\n6 output 2 out\n");
    assert!(read.warnings.is_empty());
    let ids: Vec<&str> = read.problem.properties().iter().map(|property| property.id.as_str()).collect();
    assert_eq!(ids, ["again", "j1"]);
    let circuit = read.problem.system().as_circuit().unwrap();
    let signals: Vec<usize> = circuit.justices().iter().map(|justice| justice.signals.len()).collect();
    assert_eq!((signals, circuit.fairness().len()), (vec![2, 0], 1));
    assert_eq!(circuit.justices()[0].signals[1], circuit.fairness()[0]);
}

#[test]
fn fairness_alone_has_no_effect() {
    let read = ok("1 sort bitvec 1\n2 state 1\n3 bad 2\n4 fair -2\n");
    let warnings: Vec<_> = read.warnings.iter().map(|w| (w.code(), w.line_column().unwrap().0)).collect();
    assert_eq!(warnings, [("btor2::liveness", 4)]);
    assert_eq!(ok("1 sort bitvec 1\n").warnings[0].code(), "btor2::no-property");
}

/// The multiplier and the large array have no influence on the property. If they have, the array is a memory.
#[test]
fn what_does_not_matter_is_left_out() {
    let text = "1 sort bitvec 1\n2 sort bitvec 64\n3 sort array 2 2\n4 state 3\n5 state 2\n6 mul 2 5 5\n7 next 2 5 6\n\
                8 write 3 4 5 6\n9 next 3 4 8\n10 state 1 x\n11 bad 10\n";
    let problem = ok(text).problem;
    assert_eq!(circuit(&problem).gates().len(), 2);
    assert!(circuit(&problem).memories().is_empty());
    let read = ok(&text.replace("11 bad 10", "11 read 2 4 5\n12 redor 1 11\n13 bad 12")).problem;
    let memories = circuit(&read).memories();
    assert_eq!((memories.memories.len(), memories.memories[0].index, memories.ports.len()), (1, 64, 1));
    let error = read_as("t.btor2", &text.replace("11 bad 10", "11 eq 1 4 8\n12 bad 11")).expect_err("it is too large");
    assert_eq!(error.code(), "btor2::memory");
    let help = error.help_text().expect("there is a hint");
    assert!(help.contains("line 11 compares such arrays"), "{help}");
}

/// Yosys initialises a memory so. The state 4 has any value, but all its elements are overwritten.
#[test]
fn an_initial_value_of_writes_is_constant() {
    let text = "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 1 2\n4 state 3\n5 zero 1\n6 one 1\n7 one 2\n8 ones 2\n\
                9 write 3 4 5 7\n10 write 3 9 6 8\n11 state 3 mem\n12 init 3 11 10\n13 next 3 11 11\n14 input 1 at\n\
                15 read 2 11 14\n16 redand 1 15\n17 bad 16\n";
    let problem = ok(text).problem;
    let system = circuit(&problem);
    assert_eq!((system.inputs().len(), system.latches().len()), (1, 4));
    let resets: Vec<_> = system.latches().iter().map(|latch| latch.reset).collect();
    assert_eq!(resets, [Reset::One, Reset::Zero, Reset::One, Reset::One]);
    assert_eq!(system.words().unwrap().len(), 1);
}

/// Random bytes and lines in other files: an error, or a circuit that is written and read back.
#[test]
fn damaged_files_are_read_or_refused() {
    let limits = Limits { nodes: 1 << 14, ports: 1 << 12, ..Limits::default() };
    let (mut read, mut refused) = (0, 0);
    for seed in 0..count(5000) {
        let random = &mut Random::new(seed ^ 0x5eed);
        let mut words: Vec<String> = words::system(seed % 500).text().split(' ').map(str::to_owned).collect();
        for _ in 0..random.between(1, 2) {
            let at = random.below(words.len());
            let pieces =
                ["0", "-1", "7", "-", "64", "sort", "array", "write", "next", "\n", ";", "99999999999", "\u{e9}"];
            match random.below(6) {
                4.. => words[at] = random.below(60).to_string(),
                0 => words[at] = words[random.below(words.len())].clone(),
                1 => words[at] = (*random.pick(&pieces)).to_owned(),
                2 => words.insert(at, (*random.pick(&pieces)).to_owned()),
                _ => drop(words.remove(at)),
            }
        }
        let source = Source { name: "t.btor2".to_owned(), bytes: words.join(" ").into_bytes() };
        match impasse_readers::read(source, None, &limits) {
            Ok(found) => {
                ok(&written(&found.problem));
                read += 1;
            }
            Err(error) => {
                assert!(impasse_readers::codes::find(error.code()).is_some());
                refused += 1;
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} {refused}");
}

#[test]
fn both_orders_of_a_product_are_equal() {
    let text =
        "1 sort bitvec 1\n2 sort bitvec 16\n3 input 2\n4 input 2\n5 mul 2 3 4\n6 mul 2 4 3\n7 neq 1 5 6\n8 bad 7\n";
    assert_eq!(circuit(&ok(text).problem).outputs()[0].signal, model::Signal::FALSE);
}
