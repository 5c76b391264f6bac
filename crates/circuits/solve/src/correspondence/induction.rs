//! The proof that classes hold in all frames, by induction over the frames.
//!
//! A pass goes through the copies of the nodes in one frame, in their order. If a node is equal to its representative
//! by construction, or the solver shows it, the copy of the representative takes its place, so that later questions
//! get smaller. Counterexamples split classes. What the solver has shown in a pass with splits may rest on equalities
//! that have been given up, so another pass follows. The first pass is about the first frame of runs. The passes
//! after it are about a frame after a frame in which the classes hold.

use super::classes::Classes;
use crate::formula::Formula;
use crate::simulate::Simulation;
use model::{Budget, Circuit, CircuitBuilder, Gate, Reset, Signal};
use sat::{Limits, SolveResult};
use search::rng::Rng;
use std::sync::Arc;

/// Maximum number of conflicts of a question.
const CONFLICTS: u64 = 100;
/// Ticks of the solver per work unit.
const TICKS_PER_UNIT: u64 = 32;
/// Nodes per work unit.
const NODES_PER_UNIT: u64 = 8;

/// Nodes that are evaluated, simulated or compared per work unit.
const SIMULATED_PER_UNIT: u64 = 1_000;

/// The result of working for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// The budget is used up.
    More,
    /// The classes hold in all frames.
    Done,
}

/// The classes so far, and the current pass.
pub(super) struct Induction {
    circuit: Arc<Circuit>,
    /// The nodes in question, and all nodes on which they depend; ascending.
    nodes: Vec<usize>,
    classes: Classes,
    pass: Pass,
    simulation: Simulation,
    random: Rng,
    pub(super) queries: u64,
}

/// A pass through the nodes.
struct Pass {
    /// The classes at the start of the pass. They hold in the frame before.
    assumed: Classes,
    /// The frame before. `None` in the pass about the first frame.
    before: Option<Frame>,
    frame: Frame,
    graph: CircuitBuilder,
    formula: Formula,
    /// Position in the list of nodes.
    at: usize,
    /// The copy of this node, if it was computed already.
    computed: Option<Signal>,
    has_split: bool,
    /// Nodes that are equal to their representatives in the frame before only because this is assumed.
    assumed_nodes: Vec<usize>,
    /// What is assumed about the frame before, as pairs of copies that are equal.
    equal: Vec<(Signal, Signal)>,
}

/// What has become of a node.
enum Visit {
    /// It has its copy.
    Done,
    /// Classes were split.
    Split,
    /// The question was too hard, and the node has left its class.
    Dropped,
}

/// Whether two copies can differ.
enum Differ {
    Never,
    /// They differ for these values of all nodes of the graph.
    In(Vec<bool>),
    Unknown,
}

/// The copies of the nodes in one frame.
struct Frame {
    copies: Vec<Signal>,
    /// The copy of each input that has one.
    inputs: Vec<Option<Signal>>,
}

impl Frame {
    fn new(circuit: &Circuit) -> Self {
        Self { copies: vec![Signal::FALSE; circuit.gates().len()], inputs: vec![None; circuit.inputs().len()] }
    }

    fn copy(&self, signal: Signal) -> Signal {
        self.copies[signal.node()].negated_if(signal.is_negated())
    }
}

impl Pass {
    /// Starts the pass about the first frame of runs.
    fn first(circuit: &Circuit, classes: &Classes) -> Self {
        Self {
            assumed: classes.clone(),
            before: None,
            frame: Frame::new(circuit),
            graph: CircuitBuilder::default(),
            formula: Formula::default(),
            at: 0,
            computed: None,
            has_split: false,
            assumed_nodes: Vec::new(),
            equal: Vec::new(),
        }
    }

    /// Starts a pass about a frame after a frame in which the classes and the constraints hold.
    fn next(circuit: &Circuit, nodes: &[usize], classes: &Classes) -> Self {
        let mut pass = Self::first(circuit, classes);
        let mut before = Frame::new(circuit);
        for &node in nodes {
            let computed = match circuit.gates()[node] {
                Gate::False => Some(Signal::FALSE),
                Gate::Input(input) => {
                    let copy = pass.graph.circuit_mut().input(None);
                    before.inputs[input as usize] = Some(copy);
                    Some(copy)
                }
                Gate::Latch(_) => None,
                Gate::And(a, b) => Some(pass.graph.and(before.copy(a), before.copy(b))),
            };
            before.copies[node] = match (classes.representative(node), computed) {
                (None, None) => pass.graph.circuit_mut().input(None),
                (None, Some(computed)) => computed,
                (Some(first), computed) => {
                    let copy = before.copy(first);
                    if computed != Some(copy) {
                        pass.assumed_nodes.push(node);
                    }
                    if let Some(computed) = computed.filter(|&computed| computed != copy) {
                        pass.formula.equate(pass.graph.circuit(), computed, copy);
                        pass.equal.push((computed, copy));
                    }
                    copy
                }
            };
        }
        for &constraint in circuit.constraints() {
            pass.formula.require(pass.graph.circuit(), before.copy(constraint));
            pass.equal.push((before.copy(constraint), Signal::TRUE));
        }
        pass.before = Some(before);
        pass
    }
}

impl Induction {
    /// Starts with these candidates. `nodes` must contain the nodes on which they depend, in ascending order.
    pub(super) fn new(circuit: &Arc<Circuit>, nodes: Vec<usize>, classes: Classes) -> Self {
        Self {
            pass: Pass::first(circuit, &classes),
            simulation: Simulation::new(Arc::clone(circuit), &nodes),
            circuit: Arc::clone(circuit),
            nodes,
            classes,
            random: Rng(2),
            queries: 0,
        }
    }

    /// Works until the budget is used up, or the classes are shown to hold.
    pub(super) fn run(&mut self, budget: &mut Budget) -> Progress {
        loop {
            while let Some(&node) = self.nodes.get(self.pass.at) {
                let ticks = self.pass.formula.stats().ticks;
                let mut visited = u64::from((self.pass.at as u64).is_multiple_of(NODES_PER_UNIT));
                match self.visit(node) {
                    Visit::Done => {
                        self.pass.at += 1;
                        self.pass.computed = None;
                    }
                    // The graph is evaluated, two frames are simulated, and the classes are read.
                    Visit::Split => visited += 4 * self.nodes.len() as u64 / SIMULATED_PER_UNIT,
                    Visit::Dropped => {}
                }
                let ticks = self.pass.formula.stats().ticks - ticks;
                if !budget.spend(visited + ticks / TICKS_PER_UNIT) {
                    return Progress::More;
                }
            }
            if self.pass.before.is_some() && !self.pass.has_split {
                return Progress::Done;
            }
            self.pass = Pass::next(&self.circuit, &self.nodes, &self.classes);
            if !budget
                .spend(self.nodes.len() as u64 / NODES_PER_UNIT + self.pass.formula.stats().ticks / TICKS_PER_UNIT)
            {
                return Progress::More;
            }
        }
    }

    /// The classes, which hold after [`Progress::Done`].
    pub(super) fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The nodes that are equal to their representatives not just because their operands are; ascending.
    pub(super) fn assumed_nodes(&self) -> &[usize] {
        &self.pass.assumed_nodes
    }

    /// Makes the copy of a node, and checks that it is equal to its representative. If it is not, it has another
    /// representative or none afterwards, and is to be visited again.
    fn visit(&mut self, node: usize) -> Visit {
        let computed = match self.pass.computed {
            Some(computed) => computed,
            None => self.computed(node),
        };
        self.pass.computed = Some(computed);
        self.pass.frame.copies[node] = computed;
        let Some(first) = self.classes.representative(node) else { return Visit::Done };
        let copy = self.pass.frame.copy(first);
        match self.differ(computed, copy) {
            Differ::Never => {
                self.pass.frame.copies[node] = copy;
                Visit::Done
            }
            Differ::In(values) => {
                self.split(&values);
                self.pass.has_split = true;
                if self.classes.representative(node) == Some(first) {
                    debug_assert!(false, "a counterexample distinguishes the node from its representative");
                    self.classes.drop(node);
                }
                Visit::Split
            }
            Differ::Unknown => {
                self.classes.drop(node);
                self.pass.has_split = true;
                Visit::Dropped
            }
        }
    }

    fn computed(&mut self, node: usize) -> Signal {
        let Pass { before, frame, graph, .. } = &mut self.pass;
        match self.circuit.gates()[node] {
            Gate::False => Signal::FALSE,
            Gate::Input(input) => {
                let copy = graph.circuit_mut().input(None);
                frame.inputs[input as usize] = Some(copy);
                copy
            }
            Gate::Latch(latch) => {
                let latch = &self.circuit.latches()[latch.index()];
                match (before, latch.reset) {
                    (Some(before), _) => before.copy(latch.next.expect("the circuit is complete")),
                    (None, Reset::Zero) => Signal::FALSE,
                    (None, Reset::One) => Signal::TRUE,
                    (None, Reset::Open) => graph.circuit_mut().input(None),
                }
            }
            Gate::And(a, b) => {
                let (a, b) = (frame.copy(a), frame.copy(b));
                graph.and(a, b)
            }
        }
    }

    /// Decides whether two copies can differ. If not, they are equal for the solver from now on.
    fn differ(&mut self, a: Signal, b: Signal) -> Differ {
        if a == b {
            return Differ::Never;
        }
        let limits = Limits { conflicts: Some(CONFLICTS), ..Limits::default() };
        for signals in [[a, !b], [!a, b]] {
            // Most answers follow from few gates. A model of these gates need not be one of all.
            self.queries += 1;
            let Pass { graph, formula, .. } = &mut self.pass;
            match formula.solve_nearby(graph.circuit(), &signals, &limits) {
                SolveResult::Unsat => continue,
                SolveResult::Sat => {
                    let values = self.pass.values();
                    if self.pass.is_right(&values) {
                        return Differ::In(values);
                    }
                }
                SolveResult::Unknown | SolveResult::Stopped => return Differ::Unknown,
            }
            self.queries += 1;
            let Pass { graph, formula, .. } = &mut self.pass;
            match formula.solve(graph.circuit(), &signals, &limits) {
                SolveResult::Unsat => {}
                SolveResult::Sat => return Differ::In(self.pass.values()),
                SolveResult::Unknown | SolveResult::Stopped => return Differ::Unknown,
            }
        }
        let Pass { graph, formula, .. } = &mut self.pass;
        formula.equate(graph.circuit(), a, b);
        Differ::Never
    }

    /// Splits classes by the model of the solver, and by runs that differ from it in a few bits.
    fn split(&mut self, values: &[bool]) {
        let value = |copy: Signal| values[copy.node()] != copy.is_negated();
        let Self { circuit, simulation, random, pass, nodes, classes, .. } = self;
        // The first run is the model. Each bit of another run is changed with a probability of 1/16.
        let mut word = |bit: bool| {
            let flipped = (0..3).fold(random.word(), |word, _| word & random.word());
            (if bit { u64::MAX } else { 0 }) ^ flipped & !1
        };
        let mut words = |frame: &Frame| -> Vec<u64> {
            frame.inputs.iter().map(|copy| copy.map_or(0, |copy| word(value(copy)))).collect()
        };
        let alive = match &pass.before {
            Some(before) => {
                let inputs = words(before);
                let latches = circuit.latches().iter().map(|latch| before.copy(latch.signal));
                // Latches outside the nodes in question have the copy `false`, and do not matter.
                simulation.start(latches.map(|copy| word(value(copy))).collect());
                simulation.frame(&inputs);
                let mut alive = simulation.kept();
                for &node in nodes.iter() {
                    if let Some(first) = pass.assumed.representative(node) {
                        alive &= !(simulation.value(Signal::new(node, false)) ^ simulation.value(first));
                    }
                }
                debug_assert_eq!(alive & 1, 1, "the model is a frame in which all that is assumed holds");
                simulation.step();
                alive
            }
            None => {
                let latch = |latch: &model::Latch| match latch.reset {
                    Reset::Zero => 0,
                    Reset::One => u64::MAX,
                    Reset::Open => word(value(pass.frame.copy(latch.signal))),
                };
                simulation.start(circuit.latches().iter().map(latch).collect());
                u64::MAX
            }
        };
        let mut words = |frame: &Frame| -> Vec<u64> {
            frame.inputs.iter().map(|copy| copy.map_or(0, |copy| word(value(copy)))).collect()
        };
        let inputs = words(&pass.frame);
        simulation.frame(&inputs);
        classes.split(|signal| simulation.value(signal) & alive);
    }
}

impl Pass {
    /// True if all that is assumed about the frame before holds for these values.
    fn is_right(&self, values: &[bool]) -> bool {
        let value = |signal: Signal| values[signal.node()] != signal.is_negated();
        self.equal.iter().all(|&(a, b)| value(a) == value(b))
    }

    /// The values of all nodes of the graph in the model of the solver.
    fn values(&self) -> Vec<bool> {
        let graph = self.graph.circuit();
        let mut values: Vec<bool> = Vec::with_capacity(graph.gates().len());
        for (node, gate) in graph.gates().iter().enumerate() {
            let of = |signal: Signal| values[signal.node()] != signal.is_negated();
            values.push(match *gate {
                Gate::False => false,
                Gate::Input(_) | Gate::Latch(_) => self.formula.value(Signal::new(node, false)).unwrap_or(false),
                Gate::And(a, b) => of(a) && of(b),
            });
        }
        values
    }
}
