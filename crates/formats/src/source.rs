//! The input of readers: bytes with a name, and the limits that bound the cost of reading any input.

use model::Growth;
use std::collections::BTreeSet;

/// An input: its bytes, and the name that errors show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// A path or `<stdin>`. It is only shown, never opened.
    pub name: String,
    /// The whole content.
    pub bytes: Vec<u8>,
}

/// The limits of readers. An input that exceeds a limit gives an error that names the limit. With the defaults,
/// every refusal takes at most a second and 256 MB. If more memory is available, [`Limits::within`] allows more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of an input, after decompression.
    pub bytes: usize,
    /// Events of a program.
    pub events: usize,
    /// Threads of a program.
    pub threads: usize,
    /// States of all threads together.
    pub states: usize,
    /// Words of the event sets of all states. A set counts one word for each run of neighbouring events, or one
    /// for each 64 events of the program, whichever is less.
    pub sets: usize,
    /// Targets of all `on` clauses together, one for each state, event and target.
    pub moves: usize,
    /// Words and signs of a text.
    pub tokens: usize,
    /// Levels of brackets and blocks.
    pub nesting: usize,
    /// Decimal digits of a number, written or computed.
    pub number_digits: usize,
    /// Bytes of a name.
    pub name_length: usize,
    /// Items, states, statements and acts after unrolling, and the work of evaluating event sets.
    pub unrolled: usize,
    /// Variables of a formula in conjunctive normal form.
    pub variables: usize,
    /// Clauses of a formula in conjunctive normal form.
    pub clauses: usize,
    /// Places of a net, or shared and local states of a thread-transition system together.
    pub places: usize,
    /// Transitions of a net or of a thread-transition system.
    pub transitions: usize,
    /// Guards, effects and their sources, of all transitions together.
    pub arcs: usize,
    /// Steps of unfolding a coloured net, about one for each binding or token that is tried.
    pub bindings: usize,
    /// Passive moves of all transitions together, one for each source and target.
    pub passive_moves: usize,
    /// Decimal digits of a number of tokens.
    pub token_digits: usize,
    /// Atoms and connectives of all formulas of goals together.
    pub formula_nodes: usize,
    /// Variables of a circuit.
    pub nodes: usize,
    /// Inputs, latches, outputs and constraints of a circuit together.
    pub ports: usize,
    /// Bits of an array that become a latch each. Larger arrays are memories of the circuit.
    pub array_bits: u64,
    /// Numbers in a file of evidence (slots of states, literals).
    pub evidence_numbers: usize,
    /// Not a limit: where readers of programs record what grows, for the case that reading is stopped.
    pub growth: Growth,
    /// Not a limit: the variables `Thread.variable` of programs that a question names. Their values must be known in
    /// all local states.
    pub kept: BTreeSet<String>,
    /// Not a limit: how events of a BPjs program are selected, if this is given.
    pub strategy: Option<Strategy>,
    /// Not a limit: global variables of a BPjs program, with their values in JSON.
    pub defines: Vec<(String, String)>,
    /// Not a limit of memory: threads with data are explored up to two to the power of this many states.
    pub explored: u32,
    /// Whether a part of a program is enough, if all of it is too large ([`model::Unread`]).
    pub partly: Partly,
}

/// How BPjs selects an event among those that are requested and not blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Any of them (`SimpleEventSelectionStrategy`).
    Simple,
    /// Any of those that are requested with the greatest priority. The priority is the data of the sync, if this is a
    /// number; other syncs have the least priority (`PrioritizedBSyncEventSelectionStrategy`).
    PrioritizedBSync,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Strategy; 2] = [Strategy::Simple, Strategy::PrioritizedBSync];

    /// Returns the name on the command line and in marks of texts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Simple => "simple",
            Strategy::PrioritizedBSync => "prioritized-bsync",
        }
    }
}

/// Which part of a program is enough. If none is, reading a program that is too large ends with an error, which names
/// the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Partly {
    /// True if a part is enough in which a run to a goal was met.
    pub at_goal: bool,
    /// True if as much is enough as the limits allow.
    pub at_limit: bool,
}

/// The memory, in bytes, for which the defaults are chosen. An input at one of these limits takes at most a few
/// times this memory.
const DEFAULT_MEMORY: usize = 1 << 26;

/// The upper bound of all counts. The model counts in 32 bits, and a count may be the sum of two other counts.
const MOST: usize = 1 << 30;

/// The upper bound of the size of a text, because readers store places in 32 bits.
const MOST_BYTES: usize = 1 << 31;

/// The upper bound of the steps of unfolding a coloured net: some seconds.
const MOST_BINDINGS: usize = 1 << 28;

impl Limits {
    /// Returns the limits for a process that may use `memory` bytes. Limits on what takes memory grow in
    /// proportion to it, and are never below the defaults. Limits on what takes time (digits, names, nesting)
    /// stay the same.
    #[must_use]
    pub fn within(memory: usize) -> Self {
        let factor = (memory / DEFAULT_MEMORY).max(1);
        let grown = |usual: usize| usual.saturating_mul(factor).min(MOST);
        let usual = Self::default();
        Self {
            bytes: usual.bytes.saturating_mul(factor).min(MOST_BYTES),
            events: grown(usual.events),
            threads: grown(usual.threads),
            states: grown(usual.states),
            sets: grown(usual.sets),
            moves: grown(usual.moves),
            tokens: grown(usual.tokens),
            nesting: usual.nesting,
            number_digits: usual.number_digits,
            name_length: usual.name_length,
            unrolled: grown(usual.unrolled),
            variables: grown(usual.variables),
            clauses: grown(usual.clauses),
            places: grown(usual.places),
            transitions: grown(usual.transitions),
            arcs: grown(usual.arcs),
            bindings: grown(usual.bindings).min(MOST_BINDINGS),
            passive_moves: grown(usual.passive_moves),
            token_digits: usual.token_digits,
            formula_nodes: grown(usual.formula_nodes),
            nodes: grown(usual.nodes),
            ports: grown(usual.ports),
            array_bits: usual.array_bits,
            evidence_numbers: grown(usual.evidence_numbers),
            growth: usual.growth,
            kept: usual.kept,
            strategy: usual.strategy,
            defines: usual.defines,
            explored: usual.explored,
            partly: usual.partly,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 1 << 26,
            events: 1 << 20,
            threads: 1 << 16,
            states: 1 << 19,
            sets: 1 << 23,
            moves: 1 << 21,
            tokens: 3_000_000,
            nesting: 200,
            number_digits: 1000,
            name_length: 1000,
            unrolled: 4_000_000,
            variables: 1 << 26,
            clauses: 4_000_000,
            places: 1 << 19,
            transitions: 1 << 20,
            arcs: 1 << 22,
            bindings: 1 << 24,
            passive_moves: 1 << 20,
            token_digits: 10_000,
            formula_nodes: 1 << 21,
            nodes: 1 << 22,
            ports: 1 << 20,
            array_bits: 1 << 6,
            evidence_numbers: 1 << 27,
            growth: Growth::default(),
            kept: BTreeSet::new(),
            strategy: None,
            defines: Vec::new(),
            explored: 17,
            partly: Partly::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_MEMORY, Limits, MOST, MOST_BYTES};

    #[test]
    fn limits_follow_the_memory() {
        let usual = Limits::default();
        assert_eq!(Limits::within(0), usual);
        assert_eq!(Limits::within(DEFAULT_MEMORY), usual);
        let more = Limits::within(100 * DEFAULT_MEMORY);
        assert_eq!((more.places, more.threads), (100 * usual.places, 100 * usual.threads));
        assert_eq!((more.name_length, more.nesting), (usual.name_length, usual.nesting));
        let most = Limits::within(usize::MAX);
        assert_eq!((most.places, most.variables, most.bytes), (MOST, MOST, MOST_BYTES));
    }
}
