//! Temporal formulas on graphs of states, as runs of behavioral programs need them: several letters may hold at a
//! position, several states may be initial, and steps need not be deterministic.
//!
//! The caller gives a [`Graph`], in which each step has a number for the truth of the *watched* subformulas: the
//! largest subformulas without temporal operators. These numbers are the classes of the alphabet. So an automaton never
//! reads a combination of letters that no step of the graph has, and a formula is simplified by what the steps have in
//! common. The *label* of a step has its class, and what fairness assumptions say about it.

use crate::alphabet::{Alphabet, Letters};
use crate::automaton::Automaton;
pub use crate::fair::Act;
use crate::fair::{self, Assumptions};
use crate::graph::Call;
use crate::quotient::View;
use crate::search::{ComponentSearch, Given, LassoResult, Reader};
use crate::translate;
use hashbrown::HashMap;
use model::{Budget, Ltl, LtlId};

/// Returns the watched subformulas: those without temporal operators that are operands of subformulas with one, or the
/// formula itself. The others do not matter by themselves.
#[must_use]
pub fn watched(formula: &Ltl) -> Vec<LtlId> {
    let plain = formula.propositional();
    let mut is_watched = vec![false; plain.len()];
    is_watched[formula.root().index()] = true;
    for (node, _) in formula.nodes().iter().zip(&plain).filter(|(_, plain)| !**plain) {
        node.operands().for_each(|a| is_watched[a.index()] = true);
    }
    (0..plain.len()).filter(|i| plain[*i] && is_watched[*i]).map(LtlId::new).collect()
}

/// A graph of states, for one formula and some fairness assumptions.
#[derive(Debug, Default)]
pub struct Graph {
    view: View,
    /// For each class: the truth of the watched subformulas, in order.
    classes: Vec<Box<[bool]>>,
    /// For each label: its class.
    labels: Vec<u32>,
    /// For each label: what it says about the assumptions.
    acts: Vec<Box<[Act]>>,
    numbers: Numbers,
}

/// The numbers of labels, in two steps: the classes, what steps say about the assumptions, and the pairs of both.
#[derive(Debug, Default)]
struct Numbers {
    classes: HashMap<Box<[bool]>, u32>,
    acts: HashMap<Box<[Act]>, u32>,
    labels: HashMap<(u32, u32), u32>,
}

impl Numbers {
    fn label(&self, values: &[bool], acts: &[Act]) -> Option<u32> {
        self.labels.get(&(*self.classes.get(values)?, *self.acts.get(acts)?)).copied()
    }
}

impl Graph {
    /// Creates a graph without states. Runs start in the states with the numbers `initial`.
    #[must_use]
    pub fn new(initial: Vec<u32>) -> Self {
        Self { view: View::new(initial), ..Self::default() }
    }

    /// Returns the label of steps at which the watched subformulas have these values, and which say this about the
    /// assumptions.
    pub fn label(&mut self, values: &[bool], acts: &[Act]) -> u32 {
        if let Some(label) = self.numbers.label(values, acts) {
            return label;
        }
        let next = self.classes.len() as u32;
        let class = *self.numbers.classes.entry(values.into()).or_insert(next);
        if class == next {
            self.classes.push(values.into());
        }
        let next = self.numbers.acts.len() as u32;
        let said = *self.numbers.acts.entry(acts.into()).or_insert(next);
        let label = self.labels.len() as u32;
        self.numbers.labels.insert((class, said), label);
        self.labels.push(class);
        self.acts.push(acts.into());
        label
    }

    /// Appends a state with its steps: their labels and the numbers of the next states.
    pub fn push(&mut self, steps: &[(u32, u32)]) {
        self.view.push(steps.iter().map(|&(label, to)| Call { label, to }));
    }

    fn automaton(&self, formula: &Ltl) -> Option<Automaton> {
        let alphabet = Alphabet::plain(self.classes.len());
        let watched = watched(formula);
        let set = |at: usize| -> Letters {
            let mut set = alphabet.none();
            let holds = self.classes.iter().enumerate().filter(|(_, values)| values[at]);
            holds.for_each(|(class, _)| set.insert(class));
            set
        };
        let given = |id: LtlId| watched.binary_search(&id).ok().map(set);
        translate::violations_over(formula, alphabet.clone(), given)
    }
}

/// A search for a run of a graph that violates a formula. It can be interrupted.
#[derive(Debug)]
pub struct Violation {
    numbers: Numbers,
    view: View,
    reader: Reader,
    search: Kind,
}

/// Without assumptions the search goes on where it was interrupted.
#[derive(Debug)]
enum Kind {
    Any(ComponentSearch),
    Fair(Assumptions),
}

/// The state of a search.
#[derive(Debug)]
pub enum Status {
    /// The search needs more work.
    More,
    /// No run violates the formula.
    Nothing,
    /// There is no memory for the product.
    Full,
    /// A violating run: the numbers of its states with the labels of its steps, and the position of the state that
    /// follows the last one.
    Run(Vec<(u32, u32)>, usize),
}

impl Violation {
    /// Begins a search for a run that satisfies the assumptions. `strong` has for each of them whether it is strong.
    /// Returns `None` if the automaton would be too large, or if there is no memory.
    #[must_use]
    pub fn new(graph: Graph, formula: &Ltl, strong: Vec<bool>, budget: &Budget) -> Option<Self> {
        let automaton = graph.automaton(formula)?;
        let reader = Reader::of_classes(&automaton, graph.labels);
        let search = match strong.is_empty() {
            true => Kind::Any(ComponentSearch::new(&graph.view, &reader, budget)?),
            false => Kind::Fair(Assumptions { strong, acts: graph.acts }),
        };
        Some(Self { numbers: graph.numbers, view: graph.view, reader, search })
    }

    /// Continues the search.
    pub fn run(&mut self, budget: &mut Budget) -> Status {
        let found = match &mut self.search {
            Kind::Any(search) => search.run(&mut Given { view: &self.view, reader: &self.reader }, budget),
            Kind::Fair(assumptions) => fair::search(&self.view, &self.reader, assumptions, budget),
        };
        match found {
            LassoResult::Turn => Status::More,
            LassoResult::Nothing => Status::Nothing,
            LassoResult::Full => Status::Full,
            LassoResult::Lasso(stem, round) => {
                let steps = stem.iter().chain(&round).map(|(from, call)| (*from, call.label));
                Status::Run(steps.collect(), stem.len())
            }
        }
    }

    /// Returns the label of steps at which the watched subformulas have these values, and which say this about the
    /// assumptions.
    #[must_use]
    pub fn label(&self, values: &[bool], acts: &[Act]) -> Option<u32> {
        self.numbers.label(values, acts)
    }
}
