//! Nets of the corpus with a bound, written as circuits. They are neither trivial nor infeasible. Some are safe
//! within the bound, and some are unsafe within the bound.

/// A net with a bound in an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Export {
    /// Suite and name.
    pub(super) net: &'static str,
    pub(super) bound: u64,
    pub(super) encoding: &'static str,
    /// True if the file is small enough for the quick check.
    pub(super) quick: bool,
}

pub(super) const THERMOMETER: &str = "thermometer";
pub(super) const ONE_HOT: &str = "one-hot";
pub(super) const BINARY: &str = "binary";

const fn unary(net: &'static str, bound: u64) -> Export {
    Export { net, bound, encoding: THERMOMETER, quick: false }
}

const fn quick(net: &'static str, bound: u64) -> Export {
    Export { net, bound, encoding: THERMOMETER, quick: true }
}

const fn other(net: &'static str, bound: u64, encoding: &'static str) -> Export {
    Export { net, bound, encoding, quick: false }
}

/// The compared files.
pub(super) const ALL: [Export; 44] = [
    unary("mist-PN/kanban", 4),
    unary("mist-PN/kanban", 6),
    unary("mist-PN/kanban", 8),
    unary("mist-PN/kanban", 12),
    unary("mist-PN/multipool", 4),
    unary("mist-PN/multipool", 8),
    unary("mist-PN/multipool", 16),
    unary("mist-PN/multipool", 32),
    unary("mist-PN/pncsacover", 2),
    unary("mist-PN/pncsacover", 4),
    unary("mist-PN/pncsacover", 8),
    unary("mist-PN/pncsasemiliv", 2),
    unary("mist-PN/pncsasemiliv", 4),
    quick("mist-PN/csm", 8),
    unary("mist-PN/csm", 32),
    unary("mist-PN/extendedread-write-smallconsts", 10),
    unary("mist-PN/extendedread-write-smallconsts", 16),
    quick("mist-PN/manufacturing", 4),
    unary("mist-PN/manufacturing", 12),
    unary("mist-PN/fms", 4),
    unary("mist-PN/fms", 8),
    unary("mist-PN/fms_attic", 6),
    unary("mist-PN/mesh2x2", 3),
    unary("mist-PN/mesh3x2", 2),
    quick("mist-PN/leabasicapproach", 4),
    unary("mist-PN/bingham_h25", 2),
    quick("mist-boundedPN/peterson", 2),
    unary("mist-boundedPN/lamport", 2),
    unary("mist-boundedPN/newdekker", 2),
    unary("mist-boundedPN/newrtp", 2),
    unary("mist-boundedPN/read-write", 4),
    unary("wahl-kroening/lu-fig2_fixed_vs_satabs.2", 2),
    unary("wahl-kroening/lu-fig2_fixed_vs_satabs.2", 4),
    unary("wahl-kroening/pthread5_vs_satabs.1", 2),
    unary("wahl-kroening/peterson_vs_satabs.1", 2),
    quick("wahl-kroening/peterson_vs_satabs.1", 8),
    unary("wahl-kroening/szymanski_vs_satabs.1", 2),
    unary("wahl-kroening/conditionals_vs_satabs.2", 2),
    other("mist-PN/kanban", 6, BINARY),
    other("mist-PN/kanban", 6, ONE_HOT),
    other("mist-PN/multipool", 4, BINARY),
    other("mist-PN/pncsacover", 2, BINARY),
    other("wahl-kroening/peterson_vs_satabs.1", 8, BINARY),
    other("wahl-kroening/peterson_vs_satabs.1", 8, ONE_HOT),
];
