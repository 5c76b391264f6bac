//! Rates: the speed of the searches on a few large programs. A rate is the median of several rounds. In each
//! round, all configurations are measured in turn.

use crate::configs::{Config, DPLLT_BATCH_1, DPLLT_PLAIN, EXPLICIT};
use crate::corpus::Program;
use crate::judge::Status;
use crate::measure::{Bench, Row, show_progress};
use crate::search::{self, Alone};
use crate::table::{Table, optional};
use crate::units;
use std::io;

/// Programs with state spaces of these shapes, in this order: wide and shallow; nondeterministic; long and
/// deterministic; longer. Rates depend on the shape.
pub(crate) const PROGRAMS: &[&str] = &["arr_bin12_no", "web_4_p8", "task_6_giant", "loop_clash_big"];

/// Greatest number of states for runs with one split per state, which are too slow on larger programs.
const BATCH_1_MAX_STATES: u64 = 1_000_000;

/// The least number of rounds. A median of fewer rounds is not meaningful.
const MIN_ROUNDS: u32 = 3;

/// The row of a whole command, and the counters and costs of the same search without the check of its evidence.
pub(crate) struct Rate {
    pub(crate) row: Row,
    alone: Option<Alone>,
}

/// Runs the programs. The search alone runs right after the whole command, so that noise affects both.
pub(crate) fn measure(bench: &Bench, programs: &[Program]) -> io::Result<Vec<Rate>> {
    let bench = Bench { repeat: bench.repeat.max(MIN_ROUNDS), ..bench.clone() };
    let chosen: Vec<&Program> = programs.iter().filter(|p| PROGRAMS.contains(&p.expected.name.as_str())).collect();
    let mut rates = Vec::new();
    for (i, program) in chosen.iter().enumerate() {
        let fits = |c: &Config| c.name != DPLLT_BATCH_1.name || program.expected.states <= BATCH_1_MAX_STATES;
        let configs: Vec<Config> = [EXPLICIT, DPLLT_PLAIN, DPLLT_BATCH_1].into_iter().filter(fits).collect();
        let rows = bench.program(program, &configs)?;
        show_progress(i + 1, chosen.len(), &rows);
        for (row, config) in rows.into_iter().zip(&configs) {
            let alone = search_alone(&bench, program, config)?;
            rates.push(Rate { row, alone });
        }
    }
    Ok(rates)
}

/// Returns the median run of the search alone.
fn search_alone(bench: &Bench, program: &Program, config: &Config) -> io::Result<Option<Alone>> {
    let batch = (config.name == DPLLT_BATCH_1.name).then_some(1);
    let mut runs = Vec::new();
    for _ in 0..bench.repeat {
        runs.extend(search::measure(program, config.engine == DPLLT_PLAIN.engine, batch, bench.limits())?);
    }
    runs.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
    Ok(runs.get(runs.len() / 2).copied())
}

/// Returns the rates, program by program. Searches that hit a limit count with what they reached.
pub(crate) fn table(rates: &[Rate]) -> Table {
    let mut table = Table::new(&[
        "program",
        "configuration",
        "status",
        "transitions/s",
        "states/s",
        "splits/s",
        "search transitions/s",
        "search states/s",
        "search splits/s",
        "states",
        "splits",
        "decisions",
        "CPU s",
        "search CPU s",
        "peak MiB",
        "CPU over explicit",
        "search over explicit",
    ]);
    for Rate { row, alone } in rates {
        let explicit = rates.iter().find(|r| r.row.program == row.program && r.row.config == EXPLICIT.name);
        let other = explicit.filter(|e| e.row.config != row.config);
        let solved = other.filter(|e| e.row.status == Status::Ok && row.status == Status::Ok);
        let searched = other.and_then(|e| Some((e.alone?, (*alone)?)));
        let per_second = |count: fn(&Alone) -> Option<u64>| {
            optional(alone.as_ref().and_then(|a| units::rate(count(a)?, a.cpu)), units::short)
        };
        table.push(vec![
            row.program.clone(),
            row.config.to_owned(),
            row.status.to_string(),
            optional(row.transitions_per_second(), units::short),
            optional(row.states_per_second(), units::short),
            optional(row.splits_per_second(), units::short),
            per_second(|a| Some(a.counted.transitions)),
            per_second(|a| Some(a.counted.states)),
            per_second(|a| a.counted.splits),
            row.states.to_string(),
            optional(row.splits, |n| n.to_string()),
            optional(row.decisions, |n| n.to_string()),
            units::seconds(row.cpu),
            optional(alone.as_ref(), |a| units::seconds(a.cpu)),
            units::mebibytes(row.peak),
            optional(solved, |e| format!("{:.2}", row.cpu / e.row.cpu.max(0.001))),
            optional(searched, |(e, own)| format!("{:.2}", own.cpu / e.cpu.max(0.001))),
        ]);
    }
    table
}
