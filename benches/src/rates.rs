//! Rates: how fast the searches go on a few large programs. Medians of several rounds, configurations taking turns.

use crate::configs::{Config, DPLLT_BATCH_1, DPLLT_PLAIN, EXPLICIT};
use crate::corpus::Program;
use crate::judge::Status;
use crate::measure::{Bench, Row, show_progress};
use crate::table::{Table, optional};
use crate::units;
use std::io;

/// Wide and shallow, nondeterministic, long and deterministic, longer: what rates differ by.
pub(crate) const PROGRAMS: &[&str] = &["arr_bin12_no", "web_4_p8", "task_6_giant", "loop_clash_big"];

/// A split per state costs too much beyond this many states.
const BATCH_1_MAX_STATES: u64 = 1_000_000;

/// Fewer rounds give no median worth the name.
const MIN_ROUNDS: u32 = 3;

/// Runs the programs; all of their rows.
pub(crate) fn measure(bench: &Bench, programs: &[Program]) -> io::Result<Vec<Row>> {
    let bench = Bench { repeat: bench.repeat.max(MIN_ROUNDS), ..bench.clone() };
    let chosen: Vec<&Program> = programs.iter().filter(|p| PROGRAMS.contains(&p.expected.name.as_str())).collect();
    let mut rows = Vec::new();
    for (i, program) in chosen.iter().enumerate() {
        let fits = |c: &Config| c.name != DPLLT_BATCH_1.name || program.expected.states <= BATCH_1_MAX_STATES;
        let configs: Vec<Config> = [EXPLICIT, DPLLT_PLAIN, DPLLT_BATCH_1].into_iter().filter(fits).collect();
        let measured = bench.program(program, &configs)?;
        show_progress(i + 1, chosen.len(), &measured);
        rows.extend(measured);
    }
    Ok(rows)
}

/// The rates, program by program. What was reached within the limits counts, finished or not.
pub(crate) fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "program",
        "configuration",
        "status",
        "transitions/s",
        "states/s",
        "splits/s",
        "splits",
        "decisions",
        "states",
        "CPU s",
        "peak MiB",
        "CPU over explicit",
    ]);
    for row in rows {
        let explicit = rows.iter().find(|r| r.program == row.program && r.config == EXPLICIT.name);
        let both = explicit.filter(|e| e.config != row.config && e.status == Status::Ok && row.status == Status::Ok);
        table.push(vec![
            row.program.clone(),
            row.config.to_owned(),
            row.status.to_string(),
            optional(row.transitions_per_second(), units::short),
            optional(row.states_per_second(), units::short),
            optional(row.splits_per_second(), units::short),
            optional(row.splits, |n| n.to_string()),
            optional(row.decisions, |n| n.to_string()),
            row.states.to_string(),
            units::seconds(row.cpu),
            units::mebibytes(row.peak),
            optional(both, |e| format!("{:.2}", row.cpu / e.cpu.max(0.001))),
        ]);
    }
    table
}
