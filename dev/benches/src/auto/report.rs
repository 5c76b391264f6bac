//! The tables of `impasse-bench auto`: the ten worst cases first, then the suites, then all cases.

use super::{MORE, Measured, SOON, TIMES};
use crate::args::AutoArgs;
use crate::publish::{self, section};
use crate::table::{Table, optional};
use crate::units;
use std::io;

/// Number of worst cases in the first table.
const WORST: usize = 10;

/// Sorts the cases, the worst first, prints the report and writes the selected files.
pub(super) fn publish(args: &AutoArgs, all: &mut [Measured]) -> io::Result<()> {
    all.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
    let mut text = String::new();
    section(&mut text, "Worst cases", &table(&all[..all.len().min(WORST)]));
    section(&mut text, "Suites", &by_suite(all));
    let limit = args.limit.as_secs_f64();
    text.push_str(&format!(
        "CPU times are those of whole processes, at most {limit} s each. A case is within the bound if `auto` takes at \
         most {TIMES} times the best time plus {MORE} s. A case is soon if `auto` takes at most {SOON} s. Such a case \
         is not compared and does not count in the median.\n\n"
    ));
    section(&mut text, "All cases", &table(all));
    publish::publish(&text, args.markdown.as_deref(), &table(all), args.csv.as_deref())
}

/// Sort key of a case. A wrong answer is worst, then missed properties, then the ratio of the time to the
/// bound.
fn badness(case: &Measured) -> f64 {
    if case.wrong.is_some() {
        return f64::INFINITY;
    }
    let best = case.best.as_ref().and_then(|best| Some(best.auto / (TIMES * best.seconds? + MORE)));
    let missed = case.best.as_ref().is_some_and(|best| best.missed > 0);
    best.unwrap_or(0.0) + if missed { 1e6 } else { 0.0 }
}

fn table(cases: &[Measured]) -> Table {
    let mut table = Table::new(&[
        "suite",
        "case",
        "CPU s",
        "settled",
        "auto s",
        "best s",
        "best engine",
        "ratio",
        "missed",
        "within",
    ]);
    for case in cases {
        let best = case.best.as_ref();
        table.push(vec![
            case.suite.to_owned(),
            case.name.clone(),
            units::seconds(case.auto.cpu),
            case.auto.settled.len().to_string(),
            units::seconds(best.map_or(case.auto.cpu, |b| b.auto)),
            optional(best.and_then(|b| b.seconds), units::seconds),
            best.map_or("not run".to_owned(), |b| b.engines.join(" + ")),
            optional(case.ratio(), |ratio| format!("{ratio:.2}")),
            best.map_or(String::new(), |b| b.missed.to_string()),
            case.wrong.clone().unwrap_or_else(|| if case.is_within() { "yes" } else { "no" }.to_owned()),
        ]);
    }
    table
}

fn by_suite(all: &[Measured]) -> Table {
    let mut table = Table::new(&[
        "suite",
        "cases",
        "complete",
        "soon",
        "within",
        "median ratio",
        "worst ratio",
        "missed",
        "CPU s of auto",
    ]);
    let mut suites: Vec<&str> = all.iter().map(|case| case.suite).collect();
    suites.sort_unstable();
    suites.dedup();
    for suite in suites.into_iter().map(Some).chain([None]) {
        let own: Vec<&Measured> = all.iter().filter(|case| suite.is_none_or(|s| s == case.suite)).collect();
        let count = |is: &dyn Fn(&Measured) -> bool| own.iter().filter(|case| is(case)).count().to_string();
        let ratios: Vec<f64> = own.iter().filter_map(|case| case.ratio()).collect();
        let show = |ratio| optional(ratio, |r: f64| format!("{r:.2}"));
        table.push(vec![
            suite.unwrap_or("all").to_owned(),
            own.len().to_string(),
            count(&|case| case.auto.is_complete),
            count(&|case| case.best.is_none()),
            count(&Measured::is_within),
            show(units::median(ratios.iter().copied())),
            show(ratios.into_iter().max_by(f64::total_cmp)),
            count(&|case| case.best.as_ref().is_some_and(|best| best.missed > 0)),
            units::seconds(own.iter().map(|case| case.auto.cpu).sum()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::best::{Best, Run};
    use std::collections::BTreeMap;

    fn case(name: &str, auto: f64, best: Option<(f64, usize)>) -> Measured {
        let run = Run { engine: "auto", cpu: auto, is_complete: true, settled: BTreeMap::new() };
        let best = best.map(|(seconds, missed)| Best { seconds: Some(seconds), engines: vec!["x"], missed, auto });
        Measured { suite: "s", name: name.to_owned(), auto: run, best, wrong: None }
    }

    #[test]
    fn the_worst_come_first() {
        let mut all = [
            case("soon", 0.05, None),
            case("good", 2.0, Some((1.0, 0))),
            case("slow", 9.0, Some((1.0, 0))),
            case("lost", 1.0, Some((1.0, 1))),
        ];
        all.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
        let names: Vec<&str> = all.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["lost", "slow", "good", "soon"]);
        let within: Vec<bool> = all.iter().map(Measured::is_within).collect();
        assert_eq!(within, [false, false, true, true]);
        let text = by_suite(&all).markdown();
        assert!(text.contains("| s | 4 | 4 | 1 | 2 | 2.00 | 9.00 | 1 | 12.1 |"), "{text}");
    }
}
