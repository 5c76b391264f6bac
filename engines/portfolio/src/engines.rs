//! The table of engines. A new engine is a row here, and a function that makes it in the module of each kind of system
//! that it knows ([`crate::program`](mod@crate) and the like).
//!
//! Shares are a quarter, or about that, for each engine that is the best one for many problems that take long: `auto`
//! then takes at most four times what that engine takes. Units of programs were measured on the families of
//! `impasse-bench auto`, with 10 to 1,000 threads; those of nets, circuits and reactive programs were not. Of nets, IC3
//! and plain search get three shares for each one of the others.

use crate::row::Setting::{Batch, Bound, ExploreAll, Facts, Jobs, NoFacts, Seed};
use crate::row::{Auto, Entry, Row, Unit};
use crate::{circuit, net, own, program, reactive};

/// Defines the rows, and the list of all of them in the order of help and documents.
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
        about: "For programs. States are split on demand, and lemmas about every violating run forbid parts of the space before they are visited; often all of it. For nets and thread systems, where no pattern has lemmas, it is a plain search of that kind.",
        proves: true,
        refutes: true,
        settings: &[Batch, Bound, NoFacts],
        program: &[
            Entry::always(Auto::new(10, 3, Unit::nanos(1_400)), program::lemmas_as_read),
            Entry::always(Auto::new(11, 3, Unit::nanos(1_400)), program::dpllt),
        ],
        net: &[Entry::by_name(net::dpllt)],
        ..Row::BLANK
    };

    /// `explicit`.
    EXPLICIT = Row {
        name: "explicit",
        title: "Plain search, breadth first",
        about: "Visits every state. What it completes is proven by the set of states, and runs that it finds are shortest.",
        proves: true,
        refutes: true,
        settings: &[ExploreAll, Bound, Jobs],
        // Its units count what an expansion copies, which takes less where all of it stays in the fastest cache.
        program: &[Entry::always(Auto::new(50, 4, Unit::per_thread(250, 9, 100)).completing(), program::explicit)],
        net: &[
            Entry::always(Auto::new(50, 3, Unit::PLAIN).completing().bounded(), net::explicit),
            Entry::in_auto(Auto::new(70, 3, Unit::PLAIN).bounded(), net::own_slices),
        ],
        reactive: &[Entry::always(Auto::new(0, 1, Unit::PLAIN).completing(), reactive::explicit)],
        own: &[Entry::always(Auto::new(0, 1, Unit::PLAIN).completing(), own::explicit)],
        ..Row::BLANK
    };

    /// `explicit.dfs`.
    EXPLICIT_DFS = Row {
        name: "explicit.dfs",
        title: "Depth-first search in random order",
        about: "For reactive programs.",
        proves: true,
        refutes: true,
        settings: &[ExploreAll, Seed],
        reactive: &[Entry::by_name(reactive::depth_first)],
        ..Row::BLANK
    };

    /// `explicit.restart`.
    EXPLICIT_RESTART = Row {
        name: "explicit.restart",
        title: "Depth-first searches with limits, one after the other",
        about: "For reactive programs. Each begins anew in another order once it has done so many calls without anything new.",
        proves: true,
        refutes: true,
        settings: &[Seed],
        reactive: &[Entry::by_name(reactive::restarting)],
        ..Row::BLANK
    };

    /// `explicit.jumpstart`.
    EXPLICIT_JUMPSTART = Row {
        name: "explicit.jumpstart",
        title: "Depth-first searches, and breadth-first ones from near the errors found",
        about: "For reactive programs: errors tend to lie near each other.",
        proves: true,
        refutes: true,
        settings: &[Seed],
        reactive: &[Entry::by_name(reactive::jumpstart)],
        ..Row::BLANK
    };

    /// `project`.
    PROJECT = Row {
        name: "project",
        title: "Search on few threads of a program",
        about: "Some threads are kept, the others request whatever they may and block nothing. A violation there that the others cannot take part in says which of them to keep, too.",
        proves: true,
        refutes: true,
        program: &[Entry::always(Auto::new(20, 3, Unit::nanos(400)), program::project)],
        ..Row::BLANK
    };

    /// `stubborn`.
    STUBBORN = Row {
        name: "stubborn",
        title: "Search without orders of events that do not matter",
        about: "Stubborn sets: of events that are independent of each other one order is enough. For programs and nets; gives up where that saves little.",
        proves: true,
        refutes: true,
        settings: &[Bound],
        // Choosing a set closes it under the threads that may interfere; it counts as eight units.
        program: &[Entry::always(Auto::new(30, 2, Unit::per_thread(800, 40, usize::MAX)), program::stubborn)],
        net: &[Entry::always(Auto::new(80, 1, Unit::PLAIN), net::stubborn)],
        ..Row::BLANK
    };

    /// `facts`.
    FACTS = Row {
        name: "facts",
        title: "Facts about all markings of a net, and no search",
        about: "Which places are never marked together, and which weighted sums of tokens never exceed a bound. For goals that ask for covering, for any number of tokens.",
        proves: true,
        net: &[Entry::always(Auto::new(0, 1, Unit::PLAIN), net::facts)],
        ..Row::BLANK
    };

    /// `pairs`.
    PAIRS = Row {
        name: "pairs",
        title: "Which places are never marked together",
        about: "Like `facts`, without the linear bounds.",
        proves: true,
        net: &[Entry::by_name(net::pairs)],
        ..Row::BLANK
    };

    /// `ic3`.
    IC3 = Row {
        name: "ic3",
        title: "IC3: a proof by clauses that every step keeps",
        about: "On markings for nets and thread systems (coverability, for any number of tokens), on bits for circuits and programs. It learns, for growing numbers of steps, what cannot be reached, until that no longer depends on the number.",
        proves: true,
        refutes: true,
        program: &[Entry::always(Auto::new(40, 4, Unit::nanos(1_300)), program::ic3)],
        net: &[Entry::always(Auto::new(10, 3, Unit::PLAIN), net::ic3)],
        circuit: &[Entry::always(Auto::new(0, 1, Unit::PLAIN), circuit::ic3)],
        ..Row::BLANK
    };

    /// `ic3.bits`.
    IC3_BITS = Row {
        name: "ic3.bits",
        title: "IC3 on bits, for nets and thread systems as well",
        about: "A bit says that a place has at least so many tokens; bits are made when a proof needs them. For goals and guards of any form. For circuits and programs it is `ic3`.",
        proves: true,
        refutes: true,
        settings: &[Facts, NoFacts, Bound],
        program: &[Entry::by_name(program::ic3)],
        net: &[
            Entry::by_name(net::plain_bits),
            Entry::in_auto(Auto::new(60, 1, Unit::PLAIN), net::bits),
        ],
        circuit: &[Entry::by_name(circuit::ic3)],
        ..Row::BLANK
    };

    /// `ic3.bounded`.
    IC3_BOUNDED = Row {
        name: "ic3.bounded",
        title: "IC3 on bits within `--bound`",
        about: "For nets and thread systems, for comparison: it knows no facts about the net, and does not ask what holds beyond the bound.",
        proves: true,
        refutes: true,
        settings: &[Bound],
        net: &[Entry::by_name(net::bounded_bits)],
        ..Row::BLANK
    };

    /// `ic3.ttscov`.
    IC3_TTSCOV = Row {
        name: "ic3.ttscov",
        title: "IC3 on bits for growing bounds",
        about: "For nets and thread systems, for comparison: it raises the bound until what holds within the bound holds without it.",
        proves: true,
        refutes: true,
        settings: &[Facts, NoFacts],
        net: &[Entry::by_name(net::rising_bits)],
        ..Row::BLANK
    };

    /// `equation`.
    EQUATION = Row {
        name: "equation",
        title: "State equation, traps and cases",
        about: "For nets and thread systems and goals of any form: the goal and all linear facts contradict each other, case by case.",
        proves: true,
        net: &[Entry::always(Auto::new(20, 1, Unit::PLAIN), net::equation)],
        ..Row::BLANK
    };

    /// `cover`.
    COVER = Row {
        name: "cover",
        title: "All guided searches, in turns",
        about: "For goals of nets and thread systems that ask for covering: `cover.greedy`, `cover.astar` and `cover.backward`.",
        proves: true,
        refutes: true,
        net: &[Entry::by_name(net::cover)],
        ..Row::BLANK
    };

    /// `cover.greedy`.
    COVER_GREEDY = Row {
        name: "cover.greedy",
        title: "Forward search, nearest to the goal first",
        about: "For goals of nets and thread systems that ask for covering. The distance is that of a simpler net in which tokens are never missed again.",
        proves: true,
        refutes: true,
        net: &[Entry::always(Auto::new(30, 1, Unit::PLAIN), net::greedy)],
        ..Row::BLANK
    };

    /// `cover.astar`.
    COVER_ASTAR = Row {
        name: "cover.astar",
        title: "Forward search, short runs first",
        about: "Like `cover.greedy`, but what it finds is short.",
        proves: true,
        refutes: true,
        net: &[Entry::by_name(net::a_star)],
        ..Row::BLANK
    };

    /// `cover.backward`.
    COVER_BACKWARD = Row {
        name: "cover.backward",
        title: "Backward search from the goal",
        about: "For goals of nets and thread systems that ask for covering. The classical procedure for well-structured systems: it always ends, if memory allows.",
        proves: true,
        refutes: true,
        net: &[Entry::by_name(net::backward)],
        ..Row::BLANK
    };

    /// `walk`.
    WALK = Row {
        name: "walk",
        title: "Random walks",
        about: "For nets, thread systems and behavioral programs. Finds violations, and shortens them; proves nothing.",
        refutes: true,
        settings: &[Seed],
        program: &[Entry::always(Auto::new(0, 2, Unit::nanos(200)), program::walk)],
        net: &[Entry::always(Auto::new(40, 1, Unit::PLAIN).completing(), net::walk)],
        ..Row::BLANK
    };

    /// `ltl`.
    LTL = Row {
        name: "ltl",
        title: "Temporal formulas on the explored graph",
        about: "For reactive programs. An automaton for the negated formula runs along with the program; a cycle through its accepting states is a violation.",
        proves: true,
        refutes: true,
        settings: &[Jobs],
        reactive: &[Entry::always(Auto::new(30, 1, Unit::PLAIN).completing(), reactive::ltl)],
        ..Row::BLANK
    };

    /// `cells`.
    CELLS = Row {
        name: "cells",
        title: "Intervals in place of numbers",
        about: "For reactive programs. Abstract runs that the program cannot take say where to cut intervals; what no abstract run reaches is proven unreachable.",
        proves: true,
        refutes: true,
        reactive: &[Entry::always(Auto::new(10, 1, Unit::PLAIN), reactive::cells)],
        ..Row::BLANK
    };

    /// `cells.ltl`.
    CELLS_LTL = Row {
        name: "cells.ltl",
        title: "Temporal formulas on intervals",
        about: "For reactive programs: `ltl` on the graph of `cells`.",
        proves: true,
        refutes: true,
        settings: &[Jobs],
        reactive: &[Entry::always(Auto::new(20, 1, Unit::PLAIN), reactive::formulas_on_cells)],
        ..Row::BLANK
    };
}

/// The engine of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Row> {
    ALL.iter().copied().find(|row| row.name == name)
}
