//! Small random formulas, their models by brute force, and options that exercise every part of the solver.

use impasse_sat::{Lit, Modes, Options};
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) vars: usize,
    pub(crate) clauses: Vec<Vec<Lit>>,
}

/// A literal over `vars` variables.
pub(crate) fn lit(vars: usize) -> impl Strategy<Value = Lit> {
    (1..=vars as i32, any::<bool>()).prop_map(|(var, sign)| Lit::from_dimacs(if sign { var } else { -var }))
}

pub(crate) fn lits(vars: usize, most: usize) -> impl Strategy<Value = Vec<Lit>> {
    prop::collection::vec(lit(vars), 0..=most)
}

/// Random formulas near the threshold, so that both answers occur: mostly clauses of three literals, some
/// shorter or longer.
pub(crate) fn formula(vars: usize) -> impl Strategy<Value = Formula> {
    let clause = prop_oneof![
        1 => prop::collection::vec(lit(vars), 1..=2),
        12 => prop::collection::vec(lit(vars), 3),
        2 => prop::collection::vec(lit(vars), 4..=6),
    ];
    prop::collection::vec(clause, 0..=5 * vars).prop_map(move |clauses| Formula { vars, clauses })
}

pub(crate) fn options() -> impl Strategy<Value = Options> {
    let chrono = prop_oneof![Just(0), Just(1), Just(3), Just(100), Just(u32::MAX)];
    let modes = prop_oneof![Just(Modes::Focused), Just(Modes::Stable), Just(Modes::Both)];
    let values = (any::<bool>(), any::<bool>(), any::<bool>(), 0..3u64, any::<u64>());
    let times = (0..4u64, 0..4u64, 0..3u64, 0..4u64);
    let simplifications = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (chrono, modes, values, times, 2..8usize, (any::<bool>(), 0..3u64), simplifications).prop_map(
        |(chrono, modes, values, times, minimize_length, (strengthen, inprocess_interval), simplifications)| {
            let (shrink, subsume, equivalent, probe, vivify) = simplifications;
            let (phase, phase_saving, target_phases, rephase_interval, seed) = values;
            let (mode_first, restart_interval, restart_reluctant, reduce_interval) = times;
            Options {
                modes,
                mode_first,
                chrono,
                phase,
                phase_saving,
                target_phases,
                rephase_interval,
                restart_margin: 0.5,
                restart_interval,
                restart_reluctant,
                reduce_interval,
                tier1: 1,
                tier2: 2,
                minimize_length,
                shrink,
                strengthen,
                inprocess_interval,
                subsume,
                subsume_effort: 100.0,
                equivalent,
                probe,
                probe_effort: 100.0,
                vivify,
                vivify_effort: 100.0,
                seed,
                check_invariants: true,
                ..Options::default()
            }
        },
    )
}

fn holds(lit: Lit, assignment: usize) -> bool {
    (assignment >> lit.var().index() & 1 == 1) == lit.is_positive()
}

impl Formula {
    /// True if there is a model in which all of `assumed` hold.
    pub(crate) fn is_satisfiable(&self, assumed: &[Lit]) -> bool {
        (0..1 << self.vars).any(|assignment| {
            assumed.iter().all(|&lit| holds(lit, assignment))
                && self.clauses.iter().all(|clause| clause.iter().any(|&lit| holds(lit, assignment)))
        })
    }
}
