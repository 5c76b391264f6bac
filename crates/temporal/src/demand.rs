//! Temporal formulas on a graph with states that are computed while the product with the automaton is searched.
//!
//! The caller gives a [`Source`] of states, in which letters do not depend on the step that is taken. A search visits a
//! state only if a run that may violate the formula comes to it, and computes the steps of a state only if the
//! automaton has a step there. So a formula about the first steps of a run needs no more than these steps, and one
//! search can end while the graph is unknown for the most part. States that are known from other formulas cost nothing.

use crate::program::watched;
use crate::search::{ComponentSearch, Cursor, LassoResult, Next, Product};
use crate::tableau::Tableau;
use hashbrown::HashMap;
use model::{Budget, Letter, Ltl, LtlId, LtlNode};

/// Why the steps of a state are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// There is no memory for more states.
    Full,
    /// A number is too large.
    Overflow,
    /// Work must stop now.
    Stop,
}

/// A graph of states, computed on demand.
pub trait Source: Send {
    /// Returns the initial states.
    fn initial(&self) -> &[u32];

    /// Returns true if the letter holds in a state.
    fn holds(&self, state: u32, letter: Letter) -> bool;

    /// Returns the steps of a state: label and next state. Computes them if they are not known.
    ///
    /// # Errors
    /// If they cannot be computed.
    fn steps(&mut self, state: u32) -> Result<&[(u32, u32)], Stuck>;
}

/// The state of a search.
#[derive(Debug)]
pub enum Status {
    /// The search needs more work.
    More,
    /// No run violates the formula.
    Nothing,
    /// The steps of some state are unknown.
    Stuck(Stuck),
    /// The automaton is too large.
    TooLarge,
    /// A violating run: its states with the labels of its steps, and the position of the state that follows the last
    /// one. A state without a step has a step to itself without a label.
    Run(Vec<(u32, Option<u32>)>, usize),
}

/// What was found about one formula. It can be interrupted.
#[derive(Debug)]
pub struct Violation {
    automaton: Tableau,
    watched: Vec<LtlId>,
    formula: Ltl,
    /// The subformulas without temporal operators, and their truth in the current state.
    plain: Vec<usize>,
    values: Vec<bool>,
    /// For each state that was looked at: the number of its truth.
    truths: Vec<u32>,
    known_truths: Vec<Box<[bool]>>,
    truth_numbers: HashMap<Box<[bool]>, u32>,
    nodes: Vec<(u32, u32)>,
    numbers: HashMap<(u32, u32), u32>,
    /// `None` before the round begins.
    search: Option<ComponentSearch>,
    round: u32,
    /// The work of the round so far.
    done: u64,
    is_too_large: bool,
}

/// Work of the first round.
const FIRST_ROUND: u64 = 256;

/// Returns the largest length of a path in a round.
fn longest(round: u32) -> usize {
    const FIRST: usize = 32;
    if round.is_multiple_of(2) { FIRST.saturating_mul(1 << round.min(40)) } else { usize::MAX }
}

/// Returns the position of the step with this number among `count` steps of a state, in the order of a round.
fn rotated(state: u32, number: u32, count: usize, round: u32) -> usize {
    let start = if round == 0 { 0 } else { u64::from(state).wrapping_add(u64::from(round) << 32) };
    let mixed = start.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    (number as usize + mixed as usize % count) % count
}

/// The truth of a state that was not looked at.
const UNSEEN: u32 = u32::MAX;

impl Violation {
    /// Begins a search. `None` if the formula has too many eventualities.
    #[must_use]
    pub fn new(formula: &Ltl) -> Option<Self> {
        let is_plain = formula.propositional();
        Some(Self {
            plain: (0..is_plain.len()).filter(|id| is_plain[*id]).collect(),
            values: vec![false; is_plain.len()],
            automaton: Tableau::new(formula.clone())?,
            watched: watched(formula),
            formula: formula.clone(),
            truths: Vec::new(),
            known_truths: Vec::new(),
            truth_numbers: HashMap::new(),
            nodes: Vec::new(),
            numbers: HashMap::new(),
            search: None,
            round: 0,
            done: 0,
            is_too_large: false,
        })
    }

    /// Continues the search. The source must be the one that the search began with.
    pub fn run(&mut self, source: &mut impl Source, budget: &mut Budget) -> Status {
        loop {
            let mut search = self.search.take().unwrap_or_else(|| {
                let starts = source.initial().iter().map(|state| self.number((*state, 0))).collect();
                ComponentSearch::on_demand(starts, longest(self.round))
            });
            let (initial, before, mut stuck) = (source.initial().len(), budget.work, None);
            let found = search.run(&mut Demand { known: self, source, initial, stuck: &mut stuck }, budget);
            self.done += before - budget.work;
            let is_cut = search.is_cut;
            self.search = Some(search);
            match (found, stuck) {
                _ if self.is_too_large => return Status::TooLarge,
                (LassoResult::Lasso(stem, round), _) => {
                    let back = stem.len();
                    return Status::Run(stem.into_iter().chain(round).collect(), back);
                }
                (LassoResult::Nothing, _) if !is_cut => return Status::Nothing,
                (LassoResult::Nothing, _) => self.next_round(),
                (_, Some(why)) => return Status::Stuck(why),
                (LassoResult::Full, _) => return Status::Stuck(Stuck::Full),
                (LassoResult::Turn, _) => {
                    if self.done >= FIRST_ROUND.saturating_mul(1 << self.round.min(40)) {
                        self.next_round();
                    }
                    return Status::More;
                }
            }
        }
    }

    fn next_round(&mut self) {
        (self.search, self.done) = (None, 0);
        self.round += 1;
    }

    /// Returns the number of nodes of the product that are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if no node is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the states that the search has come to, ascending.
    #[must_use]
    pub fn states(&self) -> Vec<u32> {
        let mut states: Vec<u32> = self.nodes.iter().map(|node| node.0).collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    fn number(&mut self, node: (u32, u32)) -> u32 {
        let next = self.nodes.len() as u32;
        let nodes = &mut self.nodes;
        *self.numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            next
        })
    }

    /// Returns the number of what a state says about the watched subformulas.
    fn truth(&mut self, source: &impl Source, state: u32) -> u32 {
        let at = state as usize;
        if self.truths.len() <= at {
            self.truths.resize((at + 1).next_power_of_two(), UNSEEN);
        }
        if self.truths[at] == UNSEEN {
            for id in &self.plain {
                let of = |a: LtlId| self.values[a.index()];
                self.values[*id] = match self.formula.node(LtlId::new(*id)) {
                    LtlNode::Constant(value) => value,
                    LtlNode::Letter(letter) => source.holds(state, letter),
                    LtlNode::Not(a) => !of(a),
                    LtlNode::And(a, b) => of(a) && of(b),
                    LtlNode::Or(a, b) => of(a) || of(b),
                    _ => unreachable!("it has no temporal operator"),
                };
            }
            let values: Box<[bool]> = self.watched.iter().map(|id| self.values[id.index()]).collect();
            let next = self.known_truths.len() as u32;
            let number = *self.truth_numbers.entry(values.clone()).or_insert(next);
            if number == next {
                self.known_truths.push(values);
            }
            self.truths[at] = number;
        }
        self.truths[at]
    }
}

/// The product of the states of a source and the automaton.
struct Demand<'a, S> {
    known: &'a mut Violation,
    source: &'a mut S,
    /// The number of initial states.
    initial: usize,
    stuck: &'a mut Option<Stuck>,
}

impl<S: Source> Product for Demand<'_, S> {
    type Step = (u32, Option<u32>);

    const IS_GIVEN: bool = false;

    fn starts(&self) -> Vec<u32> {
        (0..self.initial as u32).collect()
    }

    fn all(&self) -> u64 {
        self.known.automaton.all()
    }

    fn next(&mut self, node: u32, at: &mut Cursor) -> Next<Self::Step> {
        let (state, q) = self.known.nodes[node as usize];
        let truth = self.known.truth(self.source, state);
        let Violation { automaton, watched, known_truths, .. } = &mut *self.known;
        let values = &known_truths[truth as usize];
        let holds = |id: LtlId| watched.binary_search(&id).is_ok_and(|at| values[at]);
        let Ok(edges) = automaton.edges(q, truth, holds) else {
            self.known.is_too_large = true;
            return Next::Stuck(LassoResult::Turn);
        };
        if at.edge as usize == edges.len() {
            *at = Cursor { call: at.call + 1, edge: 0 };
        }
        let Some(edge) = edges.get(at.edge as usize) else { return Next::End };
        let steps = match self.source.steps(state) {
            Ok(steps) => steps,
            Err(why) => {
                *self.stuck = Some(why);
                return Next::Stuck(LassoResult::Turn);
            }
        };
        let (label, to) = match at.call as usize {
            0 if steps.is_empty() => (None, state),
            call if call >= steps.len() => return Next::End,
            _ => {
                let (label, to) = steps[rotated(state, at.call, steps.len(), self.known.round)];
                (Some(label), to)
            }
        };
        at.edge += 1;
        Next::To(self.known.number((to, edge.to)), edge.marks, (state, label))
    }
}
