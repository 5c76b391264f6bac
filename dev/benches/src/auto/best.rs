//! Selection of the best single engine from several runs on one case.

use crate::answer::Report;
use crate::corpus::Verdict;
use crate::process::Finished;
use crate::units;
use std::collections::{BTreeMap, BTreeSet};

/// A property that a run settled.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    /// The engine that the report names.
    pub(super) engine: String,
    /// CPU seconds from the start of the process.
    seconds: f64,
}

/// One run, of all engines in turns or of one engine.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) engine: &'static str,
    pub(super) cpu: f64,
    /// True if the run ended with all properties settled.
    pub(super) is_complete: bool,
    /// The settled properties, by name.
    pub(super) settled: BTreeMap<String, Settled>,
}

impl Run {
    /// Creates a run. The report contains wall-clock seconds. They are scaled to the CPU time of the process.
    pub(super) fn new(engine: &'static str, finished: &Finished, report: Option<&Report>) -> Self {
        let scale = if finished.wall > 0.0 { finished.cpu / finished.wall } else { 1.0 };
        let properties = report.map_or(&[][..], |r| &r.properties);
        let open = |p: &&crate::answer::Property| p.verdict == Verdict::Unknown;
        let settled = properties.iter().filter(|p| !open(p)).map(|p| {
            let seconds = (p.seconds * scale).min(finished.cpu);
            (p.id.clone(), Settled { engine: p.engine.clone(), seconds })
        });
        let is_complete = !properties.is_empty() && !properties.iter().any(|p| open(&p));
        Self { engine, cpu: finished.cpu, is_complete, settled: settled.collect() }
    }

    /// Returns the CPU seconds after which the run had settled all these properties. `None` if the run did not
    /// settle all of them. If the run is complete and settled no other properties, this is the time of the
    /// whole process.
    fn seconds_for(&self, properties: &BTreeSet<&String>) -> Option<f64> {
        let each = properties.iter().map(|id| self.settled.get(*id).map(|s| s.seconds));
        let last = each.collect::<Option<Vec<f64>>>()?.into_iter().fold(0.0, f64::max);
        Some(if self.is_complete && properties.len() == self.settled.len() { self.cpu } else { last })
    }
}

/// The best result of single engines, with which `auto` is compared.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Best {
    /// CPU seconds; `None` if no single engine settled anything.
    pub(super) seconds: Option<f64>,
    /// The best engine, or several engines that divide the properties.
    pub(super) engines: Vec<&'static str>,
    /// Number of properties that a single engine settled and `auto` did not.
    pub(super) missed: usize,
    /// CPU seconds after which `auto` had settled the properties that single engines settled. If `auto` missed
    /// one of these properties, this is its whole time.
    pub(super) auto: f64,
}

impl Best {
    /// Returns the result as text for a progress line.
    pub(super) fn cell(&self) -> String {
        match self.seconds {
            Some(seconds) => format!("{} {}", self.engines.join(" + "), units::seconds(seconds)),
            None => "no single engine".to_owned(),
        }
    }
}

/// Returns the CPU seconds after which a further run cannot be the best. This is the time of the best run so
/// far, if this run settled all properties that `auto` settled, but at most the time of `auto`.
pub(super) fn limit(runs: &[Run]) -> f64 {
    let auto = &runs[0];
    let whole = |best: &Best| runs[1..].iter().any(|run| run.settled.len() >= auto.settled.len()) && best.missed == 0;
    of(runs).filter(whole).and_then(|best| best.seconds).map_or(auto.cpu, |seconds| seconds.min(auto.cpu))
}

/// Returns the best of all runs but the first, which is `auto`. `None` if there is no other run. Properties
/// that only `auto` settled do not count, because no single engine has its combination of methods.
pub(super) fn of(runs: &[Run]) -> Option<Best> {
    let (auto, singles) = runs.split_first()?;
    if singles.is_empty() {
        return None;
    }
    let wanted: BTreeSet<&String> = singles.iter().flat_map(|run| run.settled.keys()).collect();
    let missed = wanted.iter().filter(|id| !auto.settled.contains_key(**id)).count();
    let auto = auto.seconds_for(&wanted).filter(|_| !wanted.is_empty()).unwrap_or(auto.cpu);
    if wanted.is_empty() {
        return Some(Best { seconds: None, engines: Vec::new(), missed, auto });
    }
    let whole = singles.iter().filter_map(|run| Some((run.seconds_for(&wanted)?, run.engine)));
    if let Some((seconds, engine)) = whole.min_by(|a, b| a.0.total_cmp(&b.0)) {
        return Some(Best { seconds: Some(seconds), engines: vec![engine], missed, auto });
    }
    let mut shares: BTreeMap<&'static str, f64> = BTreeMap::new();
    for id in wanted {
        let each = singles.iter().filter_map(|run| Some((run.settled.get(id)?.seconds, run.engine)));
        let (seconds, engine) = each.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a run settled it");
        let share = shares.entry(engine).or_insert(0.0);
        *share = share.max(seconds);
    }
    Some(Best { seconds: Some(shares.values().sum()), engines: shares.into_keys().collect(), missed, auto })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(engine: &'static str, cpu: f64, is_complete: bool, settled: &[(&str, f64)]) -> Run {
        let settled = settled
            .iter()
            .map(|(id, seconds)| ((*id).to_owned(), Settled { engine: engine.to_owned(), seconds: *seconds }));
        Run { engine, cpu, is_complete, settled: settled.collect() }
    }

    #[test]
    fn the_soonest_that_settles_all_is_best() {
        let runs = [
            run("auto", 9.0, true, &[("a", 1.0), ("b", 9.0)]),
            run("x", 3.0, true, &[("a", 1.0), ("b", 2.9)]),
            run("y", 2.0, true, &[("a", 1.5), ("b", 1.9)]),
            run("z", 5.0, false, &[("a", 0.1)]),
        ];
        assert_eq!(of(&runs), Some(Best { seconds: Some(2.0), engines: vec!["y"], missed: 0, auto: 9.0 }));
    }

    #[test]
    fn engines_divide_what_none_settles_alone() {
        let runs = [
            run("auto", 9.0, false, &[("a", 1.0), ("b", 9.0)]),
            run("x", 9.0, false, &[("a", 1.0), ("c", 3.0)]),
            run("y", 9.0, false, &[("a", 0.5), ("b", 1.0)]),
        ];
        assert_eq!(of(&runs), Some(Best { seconds: Some(4.0), engines: vec!["x", "y"], missed: 1, auto: 9.0 }));
    }

    /// A property that no engine settles costs `auto` its whole limit. This shows nothing about turns, so it
    /// does not count.
    #[test]
    fn what_nothing_settles_does_not_count() {
        let runs = [run("auto", 9.0, false, &[("a", 1.5)]), run("x", 9.0, false, &[("a", 1.0)])];
        assert_eq!(of(&runs), Some(Best { seconds: Some(1.0), engines: vec!["x"], missed: 0, auto: 1.5 }));
    }

    #[test]
    fn without_answers_there_is_no_best_time() {
        let runs = [run("auto", 9.0, false, &[]), run("x", 9.0, false, &[])];
        assert_eq!(of(&runs), Some(Best { seconds: None, engines: Vec::new(), missed: 0, auto: 9.0 }));
        assert_eq!(of(&runs[..1]), None);
    }
}
