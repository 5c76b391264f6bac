//! The table of engines. To add an engine, add a row here, and a function that creates the engine in the
//! module of each kind of system that it supports ([`crate::program`](mod@crate) and the like). These functions get the
//! name of the engine from the row.
//!
//! Each engine that is the best one for many long-running problems has about a quarter of the shares, so that
//! `auto` takes at most four times as long as that engine. The costs of work units for programs were measured
//! on the families of `impasse-bench auto`, with 10 to 1,000 threads, those for circuits on the families of
//! `impasse-bench circuits`. The costs for nets and reactive programs were not measured. For nets, IC3 and plain
//! search get three shares each, and every other engine gets one.

use crate::net::{self, Bits};
use crate::row::{Auto, Entry, Row, Unit};
use crate::setting::Setting::{Batch, Bound, Disk, ExploreAll, Invariants, Jobs, Lossy, NoInvariants, Seed};
use crate::{circuit, data, own, program, reactive};
use ::reactive::ReactiveStrategy;
use nets::cover::Procedure;

/// Defines the rows, and the list of all rows in the order of the help and the documents.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident = $row:expr;)*) => {
        $($(#[$doc])* pub static $name: Row = $row;)*

        /// All engines.
        pub static ALL: &[&Row] = &[$(&$name),*];
    };
}

rows! {
    /// `dpllt`.
    DPLLT = Row {
        name: "dpllt",
        title: "Search inside a SAT solver, with lemmas from patterns",
        about: "For programs. Sets of states are split on demand. Lemmas that hold for every violating run exclude \
                parts of the state space before the search visits them, often all of it. No pattern has lemmas about \
                nets and thread-transition systems, so the search there is a plain one.",
        settings: &[Batch, Bound, NoInvariants],
        program: &[
            Entry::always(Auto::new(10, 3, Unit::nanos(1_400)), program::lemmas_as_read),
            Entry::always(Auto::new(11, 3, Unit::nanos(1_400)), program::dpllt),
        ],
        net: &[Entry::by_name(net::dpllt)],
        ..Row::DECIDES
    };

    /// `explicit`.
    EXPLICIT = Row {
        name: "explicit",
        title: "Plain search, breadth first",
        about: "Visits every state. A complete search proves properties by its set of states. Its runs are shortest \
                runs if all initial numbers are fixed. In programs with unbounded numbers, it visits states with a few \
                values for what is free, so that it finds only runs.",
        settings: &[ExploreAll, Bound, Jobs, Disk, Lossy],
        // Work units measure the data that an expansion copies. Copying is cheaper while all data fits into
        // the fastest cache.
        program: &[Entry::always(
            Auto::new(50, 4, Unit::per_thread(250, 9, 100)).completing().tiny_first(),
            program::explicit,
        )],
        net: &[
            Entry::always(Auto::new(50, 3, Unit::PLAIN).completing().bounded(), net::explicit),
            Entry::in_auto(Auto::new(70, 3, Unit::PLAIN).bounded(), net::own_slices),
        ],
        reactive: &[Entry::always(Auto::new(0, 1, Unit::PLAIN).completing(), reactive::explicit)],
        own: &[Entry::always(Auto::new(0, 1, Unit::PLAIN).completing(), own::explicit)],
        data: &[Entry::always(Auto::new(10, 1, Unit::PLAIN), data::explicit)],
        ..Row::DECIDES
    };

    /// `explicit.dfs`.
    EXPLICIT_DFS = Row {
        name: "explicit.dfs",
        title: "Depth-first search in random order",
        about: "For reactive programs.",
        settings: &[ExploreAll, Seed],
        reactive: &[Entry::by_name(|call| reactive::in_order(call, ReactiveStrategy::Dfs))],
        ..Row::DECIDES
    };

    /// `explicit.restart`.
    EXPLICIT_RESTART = Row {
        name: "explicit.restart",
        title: "Depth-first searches with limits, one after another",
        about: "For reactive programs. A search restarts in another order after a limited number of calls without a \
                new state.",
        settings: &[Seed],
        reactive: &[Entry::by_name(|call| reactive::in_order(call, ReactiveStrategy::Restart))],
        ..Row::DECIDES
    };

    /// `explicit.jumpstart`.
    EXPLICIT_JUMPSTART = Row {
        name: "explicit.jumpstart",
        title: "Depth-first search, then breadth-first search near the errors found",
        about: "For reactive programs. Errors tend to be near each other.",
        settings: &[Seed],
        reactive: &[Entry::by_name(|call| reactive::in_order(call, ReactiveStrategy::Jumpstart))],
        ..Row::DECIDES
    };

    /// `thread-abstraction`.
    THREAD_ABSTRACTION = Row {
        name: "thread-abstraction",
        formerly: &["project"],
        title: "Search with some threads of a program only",
        about: "Some threads are kept. Every other thread may at any time request each event that it requests in some \
                state, and blocks nothing. If the other threads cannot take part in a violation found this way, this \
                shows which of them must be kept as well.",
        program: &[Entry::always(Auto::new(20, 3, Unit::nanos(400)), program::thread_abstraction)],
        ..Row::DECIDES
    };

    /// `stubborn`.
    STUBBORN = Row {
        name: "stubborn",
        title: "Search that leaves out equivalent orders of events (stubborn sets)",
        about: "For programs and nets, but not for thread-transition systems. If events are independent of each other, \
                the search takes them in one order. Gives up if this saves little.",
        // Computing a stubborn set adds the threads that may interfere, until the set is closed. This counts
        // as eight units.
        program: &[Entry::always(Auto::new(30, 2, Unit::per_thread(800, 40, usize::MAX)), program::stubborn)],
        net: &[Entry::always(Auto::new(80, 1, Unit::PLAIN), net::stubborn)],
        ..Row::DECIDES
    };

    /// `invariants`.
    INVARIANTS = Row {
        name: "invariants",
        formerly: &["facts"],
        title: "Invariants of a net, without search",
        about: "Finds places that are never marked together, and weighted sums of tokens that never exceed a bound. \
                For coverability goals, without a bound on tokens.",
        proves: true,
        net: &[Entry::always(Auto::new(0, 1, Unit::PLAIN), |call| net::invariants(call, true))],
        ..Row::BLANK
    };

    /// `concurrency`.
    CONCURRENCY = Row {
        name: "concurrency",
        formerly: &["pairs"],
        title: "Concurrency relation: places that are never marked together",
        about: "Like `invariants`, without the linear bounds.",
        proves: true,
        net: &[Entry::by_name(|call| net::invariants(call, false))],
        ..Row::BLANK
    };

    /// `ic3`.
    IC3 = Row {
        name: "ic3",
        title: "IC3: proof by clauses that every step preserves",
        about: "For nets and thread-transition systems it works on markings (coverability, without a bound on \
                tokens), for circuits and programs on bits. For growing numbers of steps it learns which states are \
                unreachable, until the result no longer depends on the number of steps.",
        program: &[Entry::always(Auto::new(40, 4, Unit::nanos(1_300)), program::ic3)],
        net: &[Entry::always(Auto::new(10, 3, Unit::PLAIN), net::ic3)],
        circuit: &[Entry::always(Auto::new(0, 4, Unit::nanos(3_500)), circuit::ic3)],
        ..Row::DECIDES
    };

    /// `k-liveness`.
    K_LIVENESS = Row {
        name: "k-liveness",
        title: "k-liveness: proof that the signals of a justice property are true only k times",
        about: "For justice properties of circuits. For growing k, IC3 decides whether the signals of the property can \
                all be true more than k times. If they cannot, no run makes them true infinitely often. Finds a \
                violating run only by chance. (The other engines for circuits search for a state that occurs twice.)",
        circuit: &[Entry::always(Auto::new(5, 4, Unit::nanos(3_500)), circuit::k_liveness)],
        ..Row::DECIDES
    };

    /// `bmc`.
    BMC = Row {
        name: "bmc",
        title: "Bounded model checking: runs with 1, 2, 3 and more frames",
        about: "For circuits. For each number of frames, a SAT solver decides whether a run of this length violates \
                the property. Its runs are shortest runs. Proves nothing.",
        refutes: true,
        circuit: &[Entry::by_name(circuit::bmc)],
        ..Row::BLANK
    };

    /// `k-induction`.
    K_INDUCTION = Row {
        name: "k-induction",
        title: "k-induction: proof from the last k frames, beside bounded model checking",
        about: "For circuits. For growing k, a SAT solver decides whether the property can be violated in a frame \
                before which it held for k frames. Bounded model checking decides the first k frames, and finds \
                shortest violating runs.",
        circuit: &[Entry::always(Auto::new(8, 2, Unit::nanos(5_000)), circuit::k_induction)],
        ..Row::DECIDES
    };

    /// `ic3.bits`.
    IC3_BITS = Row {
        name: "ic3.bits",
        title: "IC3 on bits, also for nets and thread-transition systems",
        about: "A bit says that a place holds at least a certain number of tokens. Bits are created when a proof \
                needs them. For goals and guards of any form. For circuits and programs it is the same as `ic3`.",
        settings: &[Invariants, NoInvariants, Bound],
        program: &[Entry::by_name(program::ic3).called("ic3")],
        net: &[
            Entry::by_name(|call| net::chosen(call, Bits::Plain)),
            Entry::in_auto(Auto::new(60, 1, Unit::PLAIN), net::bits),
        ],
        circuit: &[Entry::by_name(circuit::ic3).called("ic3")],
        ..Row::DECIDES
    };

    /// `ic3.bounded`.
    IC3_BOUNDED = Row {
        name: "ic3.bounded",
        title: "IC3 on bits within `--bound`",
        about: "For nets and thread-transition systems, for comparison. It uses no invariants of the net, and does \
                not try to prove what holds beyond the bound.",
        settings: &[Bound],
        net: &[Entry::by_name(|call| net::chosen(call, Bits::Bounded))],
        ..Row::DECIDES
    };

    /// `ic3.ttscov`.
    IC3_TTSCOV = Row {
        name: "ic3.ttscov",
        title: "IC3 on bits for growing bounds",
        about: "For nets and thread-transition systems, for comparison. It raises the bound until the bounded \
                invariant also holds without a bound.",
        settings: &[Invariants, NoInvariants],
        net: &[Entry::by_name(|call| net::chosen(call, Bits::Rising))],
        ..Row::DECIDES
    };

    /// `equation`.
    EQUATION = Row {
        name: "equation",
        title: "State equation and traps, with case splits",
        about: "For nets and thread-transition systems, and goals of any form. Shows case by case that the goal \
                contradicts the linear invariants. Programs are translated to nets, with a place for each local state: \
                so what threads conserve together, such as the number of free places, proves that they never block \
                each other.",
        proves: true,
        program: &[Entry::always(Auto::new(35, 12, Unit::nanos(1_000)), program::equation)],
        net: &[Entry::always(Auto::new(20, 1, Unit::PLAIN), net::equation)],
        ..Row::BLANK
    };

    /// `cover`.
    COVER = Row {
        name: "cover",
        title: "All guided searches, in turns",
        about: "For coverability goals of nets and thread-transition systems: `cover.greedy`, `cover.astar` and \
                `cover.backward`.",
        net: &[
            Entry::by_name(|call| net::cover(call, Procedure::Greedy)).called("cover.greedy"),
            Entry::by_name(|call| net::cover(call, Procedure::AStar)).called("cover.astar"),
            Entry::by_name(|call| net::cover(call, Procedure::Backward)).called("cover.backward"),
        ],
        ..Row::DECIDES
    };

    /// `cover.greedy`.
    COVER_GREEDY = Row {
        name: "cover.greedy",
        title: "Forward search, nearest to the goal first",
        about: "For coverability goals of nets and thread-transition systems. The distance is measured in a simpler \
                net, in which transitions consume no tokens.",
        refutes: true,
        net: &[Entry::always(Auto::new(30, 1, Unit::PLAIN), |call| net::cover(call, Procedure::Greedy))],
        ..Row::BLANK
    };

    /// `cover.astar`.
    COVER_ASTAR = Row {
        name: "cover.astar",
        title: "Forward search, short runs first",
        about: "Like `cover.greedy`, but the search prefers short runs.",
        refutes: true,
        net: &[Entry::by_name(|call| net::cover(call, Procedure::AStar))],
        ..Row::BLANK
    };

    /// `cover.backward`.
    COVER_BACKWARD = Row {
        name: "cover.backward",
        title: "Backward search from the goal",
        about: "For coverability goals of nets and thread-transition systems. The classical procedure for \
                well-structured transition systems. It always ends if memory suffices.",
        net: &[Entry::by_name(|call| net::cover(call, Procedure::Backward))],
        ..Row::DECIDES
    };

    /// `best-first`.
    BEST_FIRST = Row {
        name: "best-first",
        title: "Search that expands the state nearest to the goal, for a limited time",
        about: "For nets and thread-transition systems, and goals of any form. The distance is what the inequalities \
                of the goal lack, and for deadlocks the number of enabled transitions. The net is made smaller by \
                structural reductions for each goal. Gives up after some ten thousand markings.",
        refutes: true,
        net: &[Entry::always(Auto::new(75, 1, Unit::PLAIN), net::best_first)],
        ..Row::BLANK
    };

    /// `walk`.
    WALK = Row {
        name: "walk",
        title: "Random walks",
        about: "For nets, thread-transition systems, behavioral programs and circuits. Finds violations and shortens \
                them (in circuits: without shortening, 64 runs at a time). Proves nothing, except formulas of \
                branching time that a run and its branches determine.",
        refutes: true,
        settings: &[Seed],
        program: &[Entry::always(Auto::new(0, 2, Unit::nanos(200)), program::walk)],
        net: &[Entry::always(Auto::new(40, 1, Unit::PLAIN).completing(), net::walk)],
        circuit: &[Entry::always(Auto::new(20, 1, Unit::nanos(5_000)), circuit::walk)],
        ..Row::BLANK
    };

    /// `siphons`.
    SIPHONS = Row {
        name: "siphons",
        title: "Liveness and soundness by siphons and traps",
        about: "For asymmetric choice nets with plain arcs. If each siphon contains a marked trap, all transitions are \
                live. For formulas of computation tree logic that follow from this, such as LIVENESS, and for SOUND: \
                workflow nets are made smaller, and begin again where they end.",
        proves: true,
        net: &[Entry::by_name(|_| Vec::new())],
        ..Row::BLANK
    };

    /// `recurrence`.
    RECURRENCE = Row {
        name: "recurrence",
        title: "Formulas `AG EF a` by backward search",
        about: "For nets in which more tokens never disable a transition, also unbounded ones. The minimal markings \
                from which `a` can be reached are computed, and a proof that each reachable marking covers one of \
                them, or a run to one that does not. For formulas of computation tree logic that follow from this, \
                such as LIVENESS.",
        net: &[Entry::by_name(|_| Vec::new())],
        ..Row::DECIDES
    };

    /// `ltl`.
    LTL = Row {
        name: "ltl",
        title: "Temporal formulas on the explored graph",
        about: "For reactive programs. An automaton for the negated formula runs in step with the program. A cycle \
                through its accepting states is a violation.",
        settings: &[Jobs],
        reactive: &[Entry::always(Auto::new(30, 1, Unit::PLAIN).completing(), reactive::ltl)],
        ..Row::DECIDES
    };

    /// `intervals`.
    INTERVALS = Row {
        name: "intervals",
        formerly: &["cells"],
        title: "Interval abstraction: intervals in place of numbers",
        about: "For reactive programs. An abstract run that is no run of the program shows where to split intervals. \
                Errors that no abstract run reaches are unreachable.",
        reactive: &[Entry::always(Auto::new(10, 1, Unit::PLAIN), reactive::intervals)],
        ..Row::DECIDES
    };

    /// `intervals.ltl`.
    INTERVALS_LTL = Row {
        name: "intervals.ltl",
        formerly: &["cells.ltl"],
        title: "Temporal formulas on intervals",
        about: "For reactive programs: `ltl` on the graph of `intervals`.",
        settings: &[Jobs],
        reactive: &[Entry::always(Auto::new(20, 1, Unit::PLAIN), reactive::formulas_on_intervals)],
        ..Row::DECIDES
    };

    /// `symbolic`.
    SYMBOLIC = Row {
        name: "symbolic",
        title: "Invariants for all numbers, and shortest violations, by Z3",
        about: "For programs with unbounded numbers. Locations are explored one by one, of few threads first, and \
                numbers stay unknown. Z3's Spacer proposes invariants, which are checked with proofs in linear \
                arithmetic; runs are found by bounded search.",
        data: &[Entry::always(Auto::new(0, 1, Unit::PLAIN), data::symbolic)],
        ..Row::DECIDES
    };
}

/// Returns the engine with this name or former name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Row> {
    ALL.iter().copied().find(|row| row.name == name || row.formerly.contains(&name))
}
