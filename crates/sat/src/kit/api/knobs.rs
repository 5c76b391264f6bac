//! The fields of [`Options`] by name, each with the values to be tested: values near the default, and both
//! extremes.

use crate::options::{Modes, Options};

/// A field of [`Options`].
pub(super) struct Knob {
    pub(super) name: &'static str,
    /// Values from which the generator draws.
    pub(super) values: &'static [&'static str],
    set: fn(&mut Options, &str) -> bool,
}

macro_rules! knob {
    ($name:ident, $($value:literal)*) => {
        Knob {
            name: stringify!($name),
            values: &[$($value),*],
            set: |options, text| text.parse().map(|value| options.$name = value).is_ok(),
        }
    };
}

pub(super) const TABLE: &[Knob] = &[
    Knob { name: "modes", values: &["focused", "stable", "both"], set: set_modes },
    knob!(mode_first, "0" "1" "5" "1000" "18446744073709551615"),
    knob!(chrono, "0" "1" "3" "100" "4294967295"),
    knob!(phase, "true" "false"),
    knob!(phase_saving, "true" "false"),
    knob!(target_phases, "true" "false"),
    knob!(rephase_interval, "0" "1" "5" "1000" "18446744073709551615"),
    knob!(variable_decay, "0.01" "0.5" "0.95" "1"),
    knob!(restarts, "true" "true" "true" "false"),
    knob!(restart_margin, "0" "0.5" "0.9" "1.1" "1000"),
    knob!(restart_interval, "0" "1" "3" "10" "18446744073709551615"),
    knob!(restart_reluctant, "0" "1" "3" "1024" "18446744073709551615"),
    knob!(reduce_interval, "0" "1" "3" "30" "18446744073709551615"),
    knob!(reduce_fraction, "0" "0.5" "0.75" "1"),
    knob!(tier1, "0" "1" "2" "4294967295"),
    knob!(tier2, "0" "2" "6" "4294967295"),
    knob!(minimize_length, "0" "2" "3" "8" "1000"),
    knob!(shrink, "true" "false"),
    knob!(strengthen, "true" "false"),
    knob!(subsume_eagerly, "true" "false"),
    knob!(inprocess_interval, "0" "1" "2" "3" "10" "2000" "18446744073709551615"),
    knob!(subsume, "true" "false"),
    knob!(subsume_effort, "0" "0.05" "100"),
    knob!(equivalent, "true" "false"),
    knob!(probe, "true" "false"),
    knob!(probe_effort, "0" "0.05" "100"),
    knob!(vivify, "true" "false"),
    knob!(vivify_effort, "0" "0.15" "100"),
    // The calls of the kit change the formula, which an elimination excludes.
    knob!(eliminate, "false"),
    knob!(eliminate_effort, "0.5"),
    knob!(eliminate_bound, "2"),
    knob!(eliminate_first, "500000"),
    knob!(walk, "true" "false"),
    knob!(walk_effort, "0" "0.05" "1"),
    knob!(bump_reasons, "true" "false"),
    knob!(bump_reasons_most, "0" "1" "10"),
    knob!(confined, "true" "false"),
    knob!(check_invariants, "true"),
    knob!(seed, "0" "1" "18446744073709551615"),
];

fn set_modes(options: &mut Options, text: &str) -> bool {
    let modes = match text {
        "focused" => Modes::Focused,
        "stable" => Modes::Stable,
        "both" => Modes::Both,
        _ => return false,
    };
    options.modes = modes;
    true
}

pub(super) fn find(name: &str) -> Option<&'static Knob> {
    TABLE.iter().find(|knob| knob.name == name)
}

impl Knob {
    /// Sets the option. Returns false if `value` is not a value of this option.
    pub(super) fn set(&self, options: &mut Options, value: &str) -> bool {
        (self.set)(options, value)
    }
}
