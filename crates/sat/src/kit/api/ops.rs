//! The operations of a trace. Each has a variant of `Kind`, and a row of `TABLE` that says how the operation is
//! drawn and executed.

use super::op::{Kind, Op};
use super::run::{Checked, Run};
use crate::theory::DecidedBy;

/// The literals that an operation takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Draw {
    Nothing,
    /// New variables.
    Declares,
    Clause,
    /// The literals of a clause that usually follows from earlier clauses.
    Implied,
    /// At most this number of literals.
    Few(usize),
    /// About half of the variables.
    Half,
}

/// A row of the table of operations.
pub(super) struct Row {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    /// Relative frequency of the operation in random traces.
    pub(super) weight: usize,
    pub(super) draw: Draw,
    /// The values from which the operation's number is drawn.
    pub(super) numbers: &'static [u64],
    /// True if the operation does not invalidate the last answer.
    pub(super) only_asks: bool,
    pub(super) run: fn(&mut Run<'_>, &Op) -> Checked,
}

/// Values for limits of conflicts. A value is the number of allowed conflicts plus one; 0 means no limit.
const LIMITS: &[u64] = &[0, 0, 1, 2, 3, 10, 40];

pub(super) const TABLE: &[Row] = &[
    Row {
        kind: Kind::HostVar,
        name: "host_var",
        weight: 2,
        draw: Draw::Declares,
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.declare(op, DecidedBy::Host),
    },
    Row {
        kind: Kind::TheoryVar,
        name: "theory_var",
        weight: 1,
        draw: Draw::Declares,
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.declare(op, DecidedBy::Theory),
    },
    Row {
        kind: Kind::Clause,
        name: "clause",
        weight: 30,
        draw: Draw::Clause,
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.add_clause(op),
    },
    Row {
        kind: Kind::Hidden,
        name: "hidden",
        weight: 10,
        draw: Draw::Clause,
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.hide(op),
    },
    Row {
        kind: Kind::Push,
        name: "push",
        weight: 3,
        draw: Draw::Nothing,
        numbers: &[0],
        only_asks: false,
        run: |run, _| run.push(),
    },
    Row {
        kind: Kind::Pop,
        name: "pop",
        weight: 3,
        draw: Draw::Nothing,
        numbers: &[0],
        only_asks: false,
        run: |run, _| run.pop(),
    },
    Row {
        kind: Kind::Solve,
        name: "solve",
        weight: 4,
        draw: Draw::Few(6),
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.solve(op),
    },
    Row {
        kind: Kind::SolveWith,
        name: "solve_with",
        weight: 10,
        draw: Draw::Few(6),
        numbers: LIMITS,
        only_asks: false,
        run: |run, op| run.solve_with(op),
    },
    Row {
        kind: Kind::TryWith,
        name: "try_with",
        weight: 5,
        draw: Draw::Few(6),
        numbers: LIMITS,
        only_asks: false,
        run: |run, op| run.try_with(op),
    },
    Row {
        kind: Kind::SolveWithin,
        name: "solve_within",
        weight: 4,
        draw: Draw::Few(6),
        numbers: LIMITS,
        only_asks: false,
        run: |run, op| run.solve_within(op),
    },
    Row {
        kind: Kind::TryWithin,
        name: "try_within",
        weight: 3,
        draw: Draw::Few(6),
        numbers: LIMITS,
        only_asks: false,
        run: |run, op| run.try_within(op),
    },
    Row {
        kind: Kind::Raised,
        name: "raised",
        weight: 1,
        draw: Draw::Few(6),
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.raised(op),
    },
    Row {
        kind: Kind::Domain,
        name: "domain",
        weight: 3,
        draw: Draw::Half,
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.set_domain(op),
    },
    Row {
        kind: Kind::SolveIn,
        name: "solve_in",
        weight: 6,
        draw: Draw::Few(6),
        numbers: LIMITS,
        only_asks: false,
        run: |run, op| run.solve_in(op),
    },
    Row {
        kind: Kind::Temporary,
        name: "temporary",
        weight: 10,
        draw: Draw::Clause,
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.add_temporary(op),
    },
    Row {
        kind: Kind::DropTemporaries,
        name: "drop_temporaries",
        weight: 6,
        draw: Draw::Nothing,
        numbers: &[0],
        only_asks: false,
        run: |run, _| run.drop_temporaries(),
    },
    Row {
        kind: Kind::Removable,
        name: "removable",
        weight: 12,
        draw: Draw::Implied,
        numbers: &[0],
        only_asks: false,
        run: |run, op| run.add_removable(op),
    },
    Row {
        kind: Kind::Remove,
        name: "remove",
        weight: 8,
        draw: Draw::Nothing,
        numbers: &[0, 1, 2, 3, 4],
        only_asks: false,
        run: |run, op| run.remove(op),
    },
    Row {
        kind: Kind::MinimizeCore,
        name: "minimize_core",
        weight: 5,
        draw: Draw::Nothing,
        numbers: LIMITS,
        only_asks: true,
        run: |run, op| run.minimize_core(op),
    },
    Row {
        kind: Kind::Flip,
        name: "flip",
        weight: 3,
        draw: Draw::Half,
        numbers: &[0],
        only_asks: true,
        run: |run, op| run.flip(op),
    },
    Row {
        kind: Kind::Look,
        name: "look",
        weight: 3,
        draw: Draw::Nothing,
        numbers: &[0],
        only_asks: true,
        run: |run, _| run.look(),
    },
];

impl Kind {
    pub(super) fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.kind == self).unwrap_or(&TABLE[0])
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.kind)
    }
}
