//! What may help with an unknown answer: a table of options, each with the reasons and the circumstances in which it
//! may help. `docs/unknown.md` says more about each.

use super::args::CheckArgs;
use super::json::ModelReport;
use impasse::z3::Missed;
use impasse::{Row, Setting};

/// The options of a check on which advice depends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chosen {
    /// The engine that `--engine` names.
    pub(crate) engine: Option<&'static Row>,
    /// `--bound`, and not of a range that may still grow.
    pub(crate) bound: bool,
    /// `--jobs`.
    pub(crate) many_jobs: bool,
    /// `--disk`.
    pub(crate) disk: bool,
    /// `--kernel-only`.
    pub(crate) kernel_only: bool,
    /// `--timeout-each`.
    pub(crate) timeout_each: bool,
}

impl Chosen {
    pub(crate) fn of(args: &CheckArgs) -> Self {
        Self {
            engine: args.engine.0,
            bound: args.bound.is_some(),
            many_jobs: args.jobs.is_some_and(|jobs| jobs > 1),
            disk: args.disk.disk.is_some(),
            kernel_only: args.kernel_only,
            timeout_each: args.timeout_each.is_some(),
        }
    }
}

/// The circumstances of an unknown answer.
struct Case<'a> {
    chosen: Chosen,
    model: Option<&'a ModelReport>,
    questions: usize,
}

impl Case<'_> {
    /// True for nets and thread-transition systems, which `--bound` makes smaller.
    fn counts_tokens(&self) -> bool {
        matches!(self.model, Some(ModelReport::Net { .. } | ModelReport::Threads { .. }))
    }

    /// True if the engine of the check has this option. All engines together have every option.
    fn supports(&self, setting: Setting) -> bool {
        self.chosen.engine.is_none_or(|row| row.settings.contains(&setting))
    }

    /// True if the explicit search of this kind of system goes on with temporary files.
    fn may_use_disk(&self) -> bool {
        let has_states = self.counts_tokens() || matches!(self.model, Some(ModelReport::Rwb { .. }));
        has_states && self.supports(Setting::Disk)
    }
}

/// A row of the table: a piece of advice, the reasons for which it is given, and when it makes sense.
struct Advice {
    reasons: &'static [&'static str],
    fits: fn(&Case<'_>) -> bool,
    text: &'static str,
}

/// The table, best advice first.
const ROWS: &[Advice] = &[
    Advice {
        reasons: &["timeout", "memory", "gave_up", "unsupported", "uncertified", "overflow"],
        fits: |case| case.chosen.engine.is_some(),
        text: "without `--engine`, all engines that can help take turns",
    },
    Advice {
        reasons: &["uncertified"],
        fits: |case| case.chosen.kernel_only,
        text: "without `--kernel-only`, the checker uses all of its rules",
    },
    Advice {
        reasons: &["bound"],
        fits: |case| case.chosen.bound,
        text: "without `--bound`, engines search for a proof for all numbers; a larger bound finds longer runs",
    },
    Advice {
        reasons: &["memory"],
        fits: |case| case.may_use_disk() && !case.chosen.disk,
        text: "with `--disk DIR`, explicit search goes on with temporary files when memory is used up",
    },
    Advice { reasons: &["memory"], fits: |_| true, text: "`--memory SIZE` allows more memory" },
    Advice { reasons: &["disk"], fits: |_| true, text: "`--disk-limit SIZE` allows larger temporary files" },
    Advice {
        reasons: &["timeout"],
        fits: |case| case.chosen.timeout_each,
        text: "`--timeout-each TIME` gives each file more time",
    },
    Advice { reasons: &["timeout"], fits: |case| !case.chosen.timeout_each, text: "`--timeout TIME` gives more time" },
    Advice {
        reasons: &["timeout", "memory"],
        fits: |case| case.questions > 1,
        text: "`--property ID` gives all time and memory to one question",
    },
    Advice { reasons: &["timeout"], fits: |case| !case.chosen.many_jobs, text: "`--jobs N` searches with N threads" },
    Advice {
        reasons: &["timeout", "memory", "gave_up"],
        fits: |case| case.counts_tokens() && !case.chosen.bound && case.supports(Setting::Bound),
        text: "`--bound N` finds violations with few tokens or threads",
    },
    Advice { reasons: &["lossy"], fits: |_| true, text: "without `--lossy`, the search leaves no state out" },
];

/// Maximum number of pieces of advice.
const MOST: usize = 3;

/// Returns what may help, best first. `questions` is the number of properties that were asked.
pub(crate) fn about(reasons: &[&str], chosen: Chosen, model: Option<&ModelReport>, questions: usize) -> Vec<String> {
    let case = Case { chosen, model, questions };
    let fits = |row: &&Advice| row.reasons.iter().any(|reason| reasons.contains(reason)) && (row.fits)(&case);
    let rows = ROWS.iter().filter(fits).map(|row| row.text.to_owned());
    let without_z3 = impasse::z3::missed().filter(|_| !reasons.is_empty()).map(|missed| about_z3(&missed));
    without_z3.into_iter().chain(rows).take(MOST).collect()
}

/// Says which engines needed Z3 in vain, and how to get it.
fn about_z3(missed: &Missed) -> String {
    let engines: Vec<String> = missed.engines.iter().map(|engine| format!("`{engine}`")).collect();
    format!("{}, and {} needed it: {}", missed.why, engines.join(" and "), missed.hint())
}

#[cfg(test)]
mod tests {
    use super::*;
    use impasse::engines;
    use impasse::model::Reason;

    #[test]
    fn advice_fits_the_reason_and_the_options() {
        let net = ModelReport::Net { places: 1, transitions: 1 };
        let plain = Chosen::default();
        let first = |reason, chosen| about(&[reason], chosen, Some(&net), 1).first().cloned().unwrap_or_default();
        assert!(first("memory", plain).contains("--disk DIR"));
        assert!(first("memory", Chosen { disk: true, ..plain }).contains("--memory"));
        let named = Chosen { engine: Some(&engines::IC3), ..plain };
        assert!(first("gave_up", named).contains("--engine"));
        assert!(!about(&["timeout", "memory"], named, Some(&net), 1).iter().any(|text| text.contains("--bound")));
        assert!(!about(&["memory"], named, Some(&net), 1).iter().any(|text| text.contains("--disk")));
        assert!(about(&["interrupted"], plain, None, 1).is_empty());
        assert!(about(&[], plain, Some(&net), 1).is_empty());
    }

    #[test]
    fn a_missing_z3_is_named_with_the_engines_that_needed_it() {
        let missed = Missed { why: "Z3 was not found".to_owned(), engines: vec!["dpllt", "symbolic"] };
        let text = about_z3(&missed);
        assert!(text.starts_with("Z3 was not found, and `dpllt` and `symbolic` needed it: "), "{text}");
    }

    #[test]
    fn every_reason_of_the_table_exists() {
        let known: Vec<&str> = Reason::ALL.iter().map(|reason| reason.id()).collect();
        let unknown = ROWS.iter().flat_map(|row| row.reasons).find(|reason| !known.contains(reason));
        assert_eq!(unknown, None);
    }
}
