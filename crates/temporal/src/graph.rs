//! The calls of a program as a graph, computed once for all formulas, breadth first.

use hashbrown::HashMap;
use model::{Budget, ErrorId, InputId, Outcome, Reason, Trace};
use search::valuations::{StateNumber, States, work_of_calls};
use std::fmt;

/// When this many states are known, the parts of states are regrouped ([`States::arrange`]).
const ARRANGE_AT: [usize; 2] = [1 << 13, 1 << 17];

/// The interface of what makes calls. A valuation is the values of some variables, the slots, in a fixed order.
pub trait Calls: Send {
    /// Returns an empty set for valuations.
    fn states(&self) -> States;

    /// Returns the number of input letters.
    fn inputs(&self) -> usize;

    /// Returns the valuation before the first call.
    fn initial(&self) -> Vec<i32>;

    /// Calls `sink` with each way in which a call from `from` may end: the outcome, and the valuation after it,
    /// if there is one. `room` is a buffer for the valuation.
    fn call(&mut self, from: &[i32], input: InputId, room: &mut [i32], sink: &mut dyn FnMut(Outcome, &[i32]));

    /// Returns the label of calls with undefined behaviour ([`model::Reactive::undefined`]).
    fn undefined(&self) -> Option<ErrorId> {
        None
    }

    /// Returns true if every call ends in only one way. If not, runs of the graph need not be runs of the
    /// program. Then a formula holds if all runs of the graph satisfy it, and nothing is known about other
    /// formulas.
    fn has_one_way(&self) -> bool {
        true
    }

    /// Returns the work of calls beyond their usual work, in units of about a microsecond.
    fn work(&self) -> u64 {
        0
    }

    /// Turns a run that returns to the same slots into one that returns to the same values. This matters if the
    /// slots determine the values of variables only in part. Returns `None` if no such run is found.
    fn close(&mut self, trace: Trace) -> Option<Trace> {
        Some(trace)
    }
}

/// The letters that one call adds to the word of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Spelled {
    pub(crate) input: InputId,
    pub(crate) output: Option<i32>,
}

/// A call that infinite runs may contain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Call {
    /// The number of the letters that it spells.
    pub(crate) label: u32,
    pub(crate) to: u32,
}

/// The valuations found so far, and the calls from the expanded valuations.
pub(crate) struct Graph<C> {
    calls: C,
    states: States,
    /// For each expanded state: the end of its calls in `edges`.
    ends: Vec<u32>,
    edges: Vec<Call>,
    labels: Vec<Spelled>,
    numbers: HashMap<Spelled, u32>,
    from: Vec<i32>,
    room: Vec<i32>,
    /// True if there were more states than can be numbered.
    is_overfull: bool,
    /// The reason why calls were left out, or `None` if no call was. If calls were left out, the graph does not
    /// have all runs.
    gap: Option<Reason>,
    /// Number of times that the states have been regrouped.
    arranged: usize,
}

impl<C> fmt::Debug for Graph<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} states, {} expanded, {} calls", self.states.len(), self.ends.len(), self.edges.len())
    }
}

/// Why expansion ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expanded {
    /// The wanted number of states is expanded, or all states are.
    Enough,
    /// The budget is used up.
    Turn,
    /// There is no memory for more states, or there are too many for 32 bits.
    Full,
}

impl<C: Calls> Graph<C> {
    /// Returns a graph with only the initial valuation, which is not expanded.
    pub(crate) fn new(calls: C) -> Self {
        let from = calls.initial();
        let mut graph = Self {
            states: calls.states(),
            ends: Vec::new(),
            edges: Vec::new(),
            labels: Vec::new(),
            numbers: HashMap::new(),
            room: vec![0; from.len()],
            from,
            is_overfull: false,
            gap: None,
            arranged: 0,
            calls,
        };
        graph.states.intern(&graph.from);
        graph
    }

    /// Regroups the parts of the states when there are enough states to choose from.
    fn arrange(&mut self) {
        if ARRANGE_AT.get(self.arranged).is_some_and(|&at| self.states.len() >= at) {
            self.states.arrange();
            self.arranged += 1;
        }
    }

    /// Expands states until `wanted` states are expanded, or all.
    pub(crate) fn expand(&mut self, wanted: usize, budget: &mut Budget) -> Expanded {
        const POLL_EVERY: usize = 256;
        const POLL_WORK: u64 = 1_000;
        while self.ends.len() < wanted && !self.is_complete() {
            self.arrange();
            let batch = POLL_EVERY.min(wanted - self.ends.len()).min(self.states.len() - self.ends.len());
            let inputs = self.calls.inputs();
            let bytes =
                self.states.growth_bytes() + doubling(&self.edges, batch * inputs) + doubling(&self.ends, batch);
            if bytes > 0 && !budget.stop.has_room(bytes) || self.edges.len() + batch * inputs > u32::MAX as usize {
                return Expanded::Full;
            }
            let (before, first) = (self.calls.work(), self.ends.len());
            while self.ends.len() < first + batch && self.calls.work() - before < POLL_WORK {
                self.expand_next();
                if self.is_overfull {
                    return Expanded::Full;
                }
            }
            let (expanded, work) = (self.ends.len() - first, self.calls.work() - before);
            budget.stop.report_states(self.states.len() as u64);
            if !budget.spend(expanded as u64 * work_of_calls(inputs) + work) {
                return Expanded::Turn;
            }
        }
        Expanded::Enough
    }

    pub(crate) fn has_one_way(&self) -> bool {
        self.calls.has_one_way()
    }

    pub(crate) fn close(&mut self, trace: Trace) -> Option<Trace> {
        self.calls.close(trace)
    }

    fn expand_next(&mut self) {
        self.states.read(self.ends.len() as StateNumber, &mut self.from);
        let undefined = self.calls.undefined();
        for input in (0..self.calls.inputs()).map(InputId::new) {
            let (states, edges, is_overfull) = (&mut self.states, &mut self.edges, &mut self.is_overfull);
            let (labels, numbers, gap) = (&mut self.labels, &mut self.numbers, &mut self.gap);
            self.calls.call(&self.from, input, &mut self.room, &mut |outcome, to| {
                let output = match outcome {
                    Outcome::Output(letter) => Some(letter),
                    Outcome::Silent => None,
                    Outcome::Unspelt => {
                        gap.get_or_insert(Reason::Unsupported);
                        return;
                    }
                    Outcome::Error(error) if Some(error) == undefined => {
                        *gap = Some(Reason::Undefined);
                        return;
                    }
                    Outcome::Invalid | Outcome::Error(_) | Outcome::Crash => return,
                };
                let Some((to, _)) = states.intern(to) else {
                    *is_overfull = true;
                    return;
                };
                let spelled = Spelled { input, output };
                let next = labels.len() as u32;
                let label = *numbers.entry(spelled).or_insert_with(|| {
                    labels.push(spelled);
                    next
                });
                edges.push(Call { label, to });
            });
        }
        self.ends.push(self.edges.len() as u32);
    }
}

impl<C> Graph<C> {
    /// Returns the reason why the graph does not have all runs, if a call was left out.
    pub(crate) fn gap(&self) -> Option<Reason> {
        self.gap
    }

    /// Returns true if every state is expanded.
    pub(crate) fn is_complete(&self) -> bool {
        self.ends.len() == self.states.len()
    }

    /// Returns the number of known states.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns the number of known calls.
    pub(crate) fn call_count(&self) -> usize {
        self.edges.len()
    }

    /// Returns the number of expanded states, which are those with the smallest numbers.
    pub(crate) fn expanded(&self) -> usize {
        self.ends.len()
    }

    /// Returns the calls of an expanded state, in the order of inputs.
    pub(crate) fn calls_from(&self, state: usize) -> &[Call] {
        let start = if state == 0 { 0 } else { self.ends[state - 1] as usize };
        &self.edges[start..self.ends[state] as usize]
    }

    /// Returns the letters that calls spell, indexed by label.
    pub(crate) fn labels(&self) -> &[Spelled] {
        &self.labels
    }

    /// Returns the state after the call from `state` that has this label, or `None` if there is no such call.
    pub(crate) fn after(&self, state: usize, label: u32) -> Option<usize> {
        if state >= self.expanded() {
            return None;
        }
        self.calls_from(state).iter().find(|call| call.label == label).map(|call| call.to as usize)
    }

    /// Returns the valuations, and frees all other memory.
    pub(crate) fn into_states(self) -> States {
        self.states
    }
}

fn doubling<T>(items: &Vec<T>, more: usize) -> usize {
    if items.len() + more > items.capacity() { (items.capacity() + more) * 2 * size_of::<T>() } else { 0 }
}
