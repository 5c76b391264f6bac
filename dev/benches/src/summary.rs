//! Totals per configuration, and comparisons of two configurations on the programs that both solved.

use crate::configs::Config;
use crate::judge::Status;
use crate::measure::Row;
use crate::table::{Table, optional};
use crate::units;

/// Seconds below which both configurations mostly show the cost of starting a process.
const FLOOR_SECONDS: f64 = 0.02;

/// Returns one line per configuration: the solved programs and their cost.
pub(crate) fn totals(rows: &[Row], configs: &[Config]) -> Table {
    let mut table = Table::new(&[
        "configuration",
        "runs",
        "solved",
        "wrong",
        "crash",
        "unknown",
        "timeout",
        "total CPU s",
        "worst CPU s",
        "worst",
        "largest peak MiB",
    ]);
    for config in configs {
        let own: Vec<&Row> = rows.iter().filter(|r| r.config == config.name).collect();
        let count = |wanted: fn(&Status) -> bool| own.iter().filter(|r| wanted(&r.status)).count().to_string();
        let worst = own.iter().max_by(|a, b| a.cpu.total_cmp(&b.cpu));
        table.push(vec![
            config.name.to_owned(),
            own.len().to_string(),
            count(|s| *s == Status::Ok),
            count(|s| matches!(s, Status::Wrong(_))),
            count(|s| matches!(s, Status::Crash(_))),
            count(|s| matches!(s, Status::Unknown(_))),
            count(|s| *s == Status::Timeout),
            units::seconds(own.iter().map(|r| r.cpu).sum()),
            optional(worst, |r| units::seconds(r.cpu)),
            optional(worst, |r| r.program.clone()),
            optional(own.iter().map(|r| r.peak).max(), units::mebibytes),
        ]);
    }
    table
}

/// Returns, for each pair of configurations, the ratio of their CPU seconds.
pub(crate) fn ratios(rows: &[Row], configs: &[Config]) -> Table {
    let mut table =
        Table::new(&["CPU seconds of", "over those of", "programs", "geometric mean", "least", "most", "most on"]);
    for (i, base) in configs.iter().enumerate() {
        for config in &configs[i + 1..] {
            let ratios = pair(rows, config.name, base.name);
            let by_ratio = |a: &&(&str, f64), b: &&(&str, f64)| a.1.total_cmp(&b.1);
            let (least, most) = (ratios.iter().min_by(by_ratio), ratios.iter().max_by(by_ratio));
            let two = |v: f64| format!("{v:.2}");
            table.push(vec![
                config.name.to_owned(),
                base.name.to_owned(),
                ratios.len().to_string(),
                optional(units::geometric_mean(ratios.iter().map(|r| r.1)), two),
                optional(least, |r| two(r.1)),
                optional(most, |r| two(r.1)),
                optional(most, |r| r.0.to_owned()),
            ]);
        }
    }
    table
}

/// Returns the ratios on the programs that both configurations solved and for which at least one of them needed
/// at least [`FLOOR_SECONDS`].
fn pair<'a>(rows: &'a [Row], config: &str, base: &str) -> Vec<(&'a str, f64)> {
    let solved =
        |name: &str| rows.iter().filter(move |r| r.config == name && r.status == Status::Ok).collect::<Vec<_>>();
    let bases = solved(base);
    let mut ratios = Vec::new();
    for row in solved(config) {
        let Some(other) = bases.iter().find(|b| b.program == row.program) else { continue };
        if row.cpu.max(other.cpu) >= FLOOR_SECONDS {
            // Differences below a millisecond are noise.
            ratios.push((row.program.as_str(), row.cpu.max(0.001) / other.cpu.max(0.001)));
        }
    }
    ratios
}

/// Returns the note below the table of ratios.
pub(crate) fn ratio_note() -> String {
    format!("Ratios are over programs that both solved and on which one of them took {FLOOR_SECONDS} CPU seconds.")
}

/// Returns a table of the runs that are not ok.
pub(crate) fn failures(rows: &[Row]) -> Table {
    let mut table = Table::new(&["program", "configuration", "status", "verdict", "CPU s", "states"]);
    for row in rows.iter().filter(|r| r.status != Status::Ok) {
        table.push(vec![
            row.program.clone(),
            row.config.to_owned(),
            row.status.to_string(),
            row.verdict.clone(),
            units::seconds(row.cpu),
            row.states.to_string(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configs::{DPLLT, EXPLICIT};

    fn row(program: &str, config: &'static str, cpu: f64, status: Status) -> Row {
        Row {
            program: program.to_owned(),
            config,
            status,
            verdict: String::new(),
            cpu,
            wall: cpu,
            peak: 1 << 20,
            states: 1,
            transitions: 1,
            splits: None,
            components: None,
            literals: None,
            decisions: None,
            conflicts: None,
            evidence: String::new(),
        }
    }

    fn sample() -> Vec<Row> {
        vec![
            row("a", "explicit", 1.0, Status::Ok),
            row("a", "dpllt", 2.0, Status::Ok),
            row("b", "explicit", 1.0, Status::Ok),
            row("b", "dpllt", 8.0, Status::Ok),
            row("slow", "explicit", 1.0, Status::Ok),
            row("slow", "dpllt", 60.0, Status::Timeout),
            row("blink", "explicit", 0.001, Status::Ok),
            row("blink", "dpllt", 0.005, Status::Ok),
        ]
    }

    #[test]
    fn totals_count_each_status() {
        let text = totals(&sample(), &[EXPLICIT, DPLLT]).markdown();
        assert!(text.contains("| explicit | 4 | 4 | 0 | 0 | 0 | 0 | 3.001 | 1.000 |"), "{text}");
        assert!(text.contains("| dpllt | 4 | 3 | 0 | 0 | 0 | 1 | 70.0 | 60.0 | slow |"), "{text}");
    }

    #[test]
    fn ratios_are_over_programs_both_solved() {
        let text = ratios(&sample(), &[EXPLICIT, DPLLT]).markdown();
        assert!(text.contains("| dpllt | explicit | 2 | 4.00 | 2.00 | 8.00 | b |"), "{text}");
    }

    #[test]
    fn failures_are_listed() {
        let text = failures(&sample()).markdown();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("| slow | dpllt | timeout |"), "{text}");
    }
}
