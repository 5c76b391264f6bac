//! The text report of a file: its headlines, its table, and what was tried.

use super::Style;
use crate::cli::efforts;
use crate::cli::json::{FileReport, PropertyReport, Value};
use impasse::certify::EvidenceKind;
use std::fmt::Write;
use view::text::{count, plural};

/// Returns the whole report of a file as text.
pub(crate) fn text(report: &FileReport, bodies: &[String], style: Style) -> String {
    if is_table(report, style) {
        return table(report, style);
    }
    let mut out = String::new();
    let instance = match &report.init {
        Some(init) => format!("{} [{init}]", report.file),
        None => report.file.clone(),
    };
    if report.asks_nothing() {
        let _ = writeln!(out, "{instance}: {} (nothing is asked)", style.paint.yellow("UNKNOWN"));
    }
    for (property, body) in report.properties.iter().zip(bodies) {
        let _ = writeln!(out, "{}", headline(&instance, property, style));
        out.push_str(body);
        if style.verbose {
            out.push_str(&counts(property));
        }
    }
    if !style.quiet {
        out.push_str(&efforts::tried(report));
    }
    if style.verbose {
        let _ =
            writeln!(out, "    {:.3} s, at most {} of memory", report.seconds, view::text::bytes(report.peak_bytes));
    }
    out
}

/// Returns `FILE: PROPERTY: VERDICT (how)`.
fn headline(file: &str, property: &PropertyReport, style: Style) -> String {
    let paint = style.paint;
    let verdict = match (property.answer, property.reason) {
        ("safe", _) => paint.green("SAFE"),
        ("unsafe", _) => paint.red("UNSAFE"),
        ("reachable", _) => paint.green("REACHABLE"),
        ("unreachable", _) => paint.red("UNREACHABLE"),
        ("holds", _) => paint.green("HOLDS"),
        ("fails", _) => paint.red("FAILS"),
        ("unbounded", _) => paint.green("unbounded"),
        ("value", _) => paint.green(&property.value.as_ref().map_or_else(String::new, Value::to_string)),
        (_, reason) => paint.yellow(&format!("UNKNOWN ({})", reason.unwrap_or("gave_up"))),
    };
    if style.quiet {
        let within = property.bound.map_or(String::new(), |n| format!(" within {n}"));
        return format!("{file}: {}: {verdict}{within}", property.id);
    }
    let after = match &property.evidence {
        Some(e) if property.verdict == "unsafe" && e.kind == EvidenceKind::Trace.id() => {
            let length = plural(e.length.unwrap_or(0), step(property));
            let least = match e.shortest {
                Some(true) if style.shortest => ", as few as there can be",
                Some(false) if style.shortest => ", not known to be the fewest",
                _ => "",
            };
            format!(" after {length}{least}")
        }
        _ => String::new(),
    };
    let mut how = property.engine.to_owned();
    if let Some(bound) = property.bound {
        let _ = write!(how, ", bound {bound}");
    }
    let stats = &property.stats;
    // Walks do not store states, so they count steps.
    let walked = stats.states == 0 && stats.transitions > 0;
    let size = if walked { plural(stats.transitions, "step") } else { plural(stats.states, "state") };
    let _ = write!(how, ", {size}");
    let _ = write!(how, ", {:.3} s", property.seconds);
    if let Some(file) = property.evidence.as_ref().and_then(|e| e.file.as_ref()) {
        let _ = write!(how, "; evidence in {file}");
    }
    format!("{file}: {}: {verdict}{after} {}", property.id, paint.dim(&format!("({how})")))
}

/// Returns the name of one step in the runs of the property's system.
pub(crate) fn step(property: &PropertyReport) -> &'static str {
    match property.kind {
        Some("output" | "justice") => "frame",
        Some("error" | "ltl") if property.is_of_calls => "call",
        _ => "event",
    }
}

/// A report about a reactive program with more answers than this is a table.
const MANY: usize = 8;

/// Returns true if the report is a table. A report about many labels and formulas is a table, because the runs
/// for all of them would be too long.
fn is_table(report: &FileReport, style: Style) -> bool {
    let of_reactive = |p: &PropertyReport| p.is_of_calls && matches!(p.kind, Some("error" | "ltl"));
    !style.verbose && !style.quiet && report.properties.len() > MANY && report.properties.iter().all(of_reactive)
}

/// Returns a line for each answer, and the number of answers of each kind.
fn table(report: &FileReport, style: Style) -> String {
    let width = report.properties.iter().map(|p| p.id.len()).max().unwrap_or(0);
    let mut out = format!("{}:\n", report.file);
    let (mut safe, mut unsafe_, mut unknown) = (0u64, 0u64, 0u64);
    for property in &report.properties {
        let (verdict, how) = match (property.verdict, property.reason) {
            ("safe", _) => (style.paint.green("SAFE   "), String::new()),
            ("unsafe", _) => {
                let length = property.evidence.as_ref().and_then(|e| e.length).unwrap_or(0);
                (style.paint.red("UNSAFE "), format!("after {}, ", plural(length, step(property))))
            }
            (_, reason) => (style.paint.yellow("UNKNOWN"), format!("{}, ", reason.unwrap_or("gave_up"))),
        };
        match property.verdict {
            "safe" => safe += 1,
            "unsafe" => unsafe_ += 1,
            _ => unknown += 1,
        }
        let how = style.paint.dim(&format!("{how}{}, {:.3} s", property.engine, property.seconds));
        let _ = writeln!(out, "    {:<width$}  {verdict}  {how}", property.id);
    }
    let _ = writeln!(out, "    {unsafe_} unsafe, {safe} safe, {unknown} unknown (-v shows a run for each)");
    out
}

/// Returns all counts, for `-v`.
fn counts(property: &PropertyReport) -> String {
    let stats = &property.stats;
    let mut items = vec![plural(stats.transitions, "transition")];
    if stats.replayed > 0 {
        items.push(format!("{} stepped through by the checker", plural(stats.replayed, "state")));
    }
    items.extend(stats.more.iter().map(|(what, n)| format!("{what} {}", count(*n))));
    items.extend(stats.lemmas.iter().map(|(kind, n)| format!("{kind} x {}", count(*n))));
    format!("    {}\n", items.join(", "))
}
