//! The circuit with merged nodes, and the lift of claims to the circuit as read.

use super::classes::Classes;
use super::induction::Induction;
use model::{Bit, Certificate, Circuit, CircuitBuilder, CircuitTask, Claim, Clausal, Gate, LatchId, Reset, Signal};
use std::sync::Arc;

/// A circuit in which equal nodes are merged.
pub(super) struct Merged {
    /// The smaller circuit with the same goals. It has the same inputs and outputs.
    pub(super) task: CircuitTask,
    circuit: Arc<Circuit>,
    /// For each latch of the smaller circuit: the latch that it was.
    latches: Vec<LatchId>,
    /// For each latch as read: the signal of the smaller circuit that is equal to it, if it is in there.
    merged: Vec<Option<Signal>>,
    /// The equalities, as pairs of signals of the circuit as read, which induction needs.
    equal: Vec<(Signal, Signal)>,
}

impl Merged {
    /// Merges the nodes of each class of a finished induction.
    pub(super) fn new(task: &CircuitTask, induction: &Induction) -> Self {
        let circuit = task.circuit();
        let classes = induction.classes();
        let needed = needed(task, classes);
        let mut builder = CircuitBuilder::default();
        let mut signals: Vec<Option<Signal>> = vec![None; circuit.gates().len()];
        // All inputs are kept, so that runs need no translation.
        for input in circuit.inputs() {
            signals[input.signal.node()] = Some(builder.circuit_mut().input(input.name.clone()));
        }
        signals[0] = Some(Signal::FALSE);
        let mut latches = Vec::new();
        for &node in &needed {
            let of = |signal: Signal, signals: &[Option<Signal>]| {
                let copy = signals[signal.node()].expect("operands come first");
                copy.negated_if(signal.is_negated())
            };
            if let Some(first) = classes.representative(node) {
                signals[node] = Some(of(first, &signals));
                continue;
            }
            match circuit.gates()[node] {
                Gate::False | Gate::Input(_) => {}
                Gate::Latch(latch) => {
                    let old = &circuit.latches()[latch.index()];
                    let new = builder.circuit_mut().latch(old.reset, old.name.clone());
                    signals[node] = Some(builder.circuit().latches()[new.index()].signal);
                    latches.push(latch);
                }
                Gate::And(a, b) => {
                    let (a, b) = (of(a, &signals), of(b, &signals));
                    signals[node] = Some(builder.and(a, b));
                }
            }
        }
        let of = |signal: Signal| {
            let first = classes.representative(signal.node()).unwrap_or(Signal::new(signal.node(), false));
            let copy = signals[first.node()]?.negated_if(first.is_negated());
            Some(copy.negated_if(signal.is_negated()))
        };
        let small = builder.circuit_mut();
        for (new, old) in latches.iter().enumerate() {
            let next = circuit.latches()[old.index()].next.and_then(of);
            small.set_next(LatchId::new(new), next.expect("next functions of needed latches are needed"));
        }
        circuit.constraints().iter().for_each(|&signal| small.constrain(of(signal).expect("constraints are needed")));
        for output in circuit.outputs() {
            // Outputs that are not asked about may be missing. They keep the numbers of the others.
            small.output(of(output.signal).unwrap_or(Signal::FALSE), output.name.clone());
        }
        let merged = circuit.latches().iter().map(|latch| of(latch.signal)).collect();
        let equal = induction.assumed_nodes().iter().filter_map(|&node| {
            let first = classes.representative(node)?;
            Some((Signal::new(node, false), first))
        });
        Self {
            task: CircuitTask::new(Arc::new(builder.finish()), task.goals()),
            circuit: Arc::clone(circuit),
            latches,
            merged,
            equal: equal.collect(),
        }
    }

    /// Returns the claim about the circuit as read.
    pub(super) fn lift(&self, claim: Claim) -> Claim {
        match claim {
            Claim::Unsafe { goal, mut trace, candidate } => {
                trace.start = self.start(&trace.start);
                Claim::Unsafe { goal, trace, candidate }
            }
            Claim::Safe { goals, certificate: Certificate::Clauses(mut clauses) } => {
                for bit in &mut clauses.invariant.bits {
                    if let Bit::Latch(latch) = bit {
                        *latch = self.latches[latch.index()];
                    }
                }
                self.add_equalities(&mut clauses.invariant);
                Claim::Safe { goals, certificate: Certificate::Clauses(clauses) }
            }
            claim => claim,
        }
    }

    /// Returns the values of the latches without reset, from those of the smaller circuit.
    fn start(&self, start: &[u32]) -> Box<[u32]> {
        let open = |circuit: &Circuit, latch: usize| circuit.latches()[latch].reset == Reset::Open;
        let small = self.task.circuit();
        let mut values = vec![false; small.latches().len()];
        for (at, latch) in (0..values.len()).filter(|&latch| open(small, latch)).enumerate() {
            values[latch] = model::circuit::bit(start, at);
        }
        let value = |signal: Signal| match small.gates()[signal.node()] {
            Gate::Latch(latch) => values[latch.index()] != signal.is_negated(),
            // Two latches without reset value are never equal in the first frame, which is shown without
            // constraints, and neither are such a latch and an input or a gate.
            gate => {
                debug_assert_eq!(gate, Gate::False, "latches without reset value are not merged");
                signal.is_negated()
            }
        };
        let latches = (0..self.merged.len()).filter(|&latch| open(&self.circuit, latch));
        model::circuit::pack(latches.map(|latch| self.merged[latch].is_some_and(value)))
    }

    /// Adds the clauses which say that merged nodes are equal.
    fn add_equalities(&self, clausal: &mut Clausal) {
        let mut bits: std::collections::BTreeMap<Bit, i32> =
            (1..).zip(&clausal.bits).map(|(n, b)| (b.clone(), n)).collect();
        let mut literal = |signal: Signal| {
            let bit = match self.circuit.gates()[signal.node()] {
                Gate::Latch(latch) => Bit::Latch(latch),
                _ => Bit::Node(Signal::new(signal.node(), false)),
            };
            let next = i32::try_from(bits.len() + 1).expect("fewer bits than nodes");
            let variable = *bits.entry(bit.clone()).or_insert_with(|| {
                clausal.bits.push(bit);
                next
            });
            if signal.is_negated() { -variable } else { variable }
        };
        let mut clauses = Vec::new();
        for &(node, first) in &self.equal {
            let a = literal(node);
            if first.node() == 0 {
                clauses.push(vec![if first.is_negated() { a } else { -a }]);
            } else {
                let b = literal(first);
                clauses.push(vec![a, -b]);
                clauses.push(vec![-a, b]);
            }
        }
        // First the equalities, in the order of the nodes: each is easy to prove from those before it.
        clauses.append(&mut clausal.clauses);
        clausal.clauses = clauses;
    }
}

/// Returns the nodes on which the outputs in question and the constraints depend after merging, ascending.
fn needed(task: &CircuitTask, classes: &Classes) -> Vec<usize> {
    let circuit = task.circuit();
    let mut is_needed = vec![false; circuit.gates().len()];
    let outputs = task.outputs().iter().map(|output| circuit.outputs()[output.index()].signal);
    let mut open: Vec<usize> = outputs.chain(circuit.constraints().iter().copied()).map(Signal::node).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut is_needed[node], true) {
            continue;
        }
        if let Some(first) = classes.representative(node) {
            open.push(first.node());
            continue;
        }
        match circuit.gates()[node] {
            Gate::False | Gate::Input(_) => {}
            Gate::Latch(latch) => open.extend(circuit.latches()[latch.index()].next.map(Signal::node)),
            Gate::And(a, b) => open.extend([a.node(), b.node()]),
        }
    }
    (0..is_needed.len()).filter(|&node| is_needed[node]).collect()
}
