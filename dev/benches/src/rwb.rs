//! `impasse-bench rwb`: the selection of runs, and their report.

use crate::args::RwbArgs;
use crate::configs::{self, Config, DPLLT, LOOPED};
use crate::corpus::{self, Program};
use crate::judge::Status;
use crate::measure::{Bench, Row, show_progress};
use crate::publish::{publish, section};
use crate::table;
use crate::{families, gain, lengths, peers, rates, spin, summary, tool};
use std::io::{self, Write};

/// The quick check takes programs with at most this many states, in every configuration.
const QUICK_MAX_STATES: u64 = 50_000;

/// Runs the selected part. Returns false if an answer is wrong, or a program is unsolved although all must be
/// solved.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &RwbArgs) -> io::Result<bool> {
    if args.families {
        return families::report(args, &bench(args)?);
    }
    let Some(mut programs) = corpus::read(&args.corpus)? else {
        if args.quick {
            writeln!(io::stdout(), "skipped: no corpus")?;
            return Ok(true);
        }
        let hint = "name its folder with `--corpus DIR` or IMPASSE_CORPUS";
        return Err(io::Error::other(format!("no rwb/expected.csv in {}; {hint}", args.corpus.display())));
    };
    programs.retain(|p| args.only.is_empty() || args.only.iter().any(|part| p.expected.name.contains(part)));
    let configs = configs::choose(&args.config, &args.engine).map_err(io::Error::other)?;
    let bench = bench(args)?;
    if args.lengths {
        return lengths::report(args, &bench, &programs);
    }
    match (args.rates, args.peers, args.gain) {
        (true, ..) => report_rates(args, &bench, &programs),
        (_, true, _) => report_peers(args, &bench, &programs),
        (.., true) => gain::report(args, &bench, &programs),
        _ => report_all(args, &bench, &programs, &configs),
    }
}

fn bench(args: &RwbArgs) -> io::Result<Bench> {
    let impasse = tool::find(args.impasse.as_deref())?;
    Ok(Bench { impasse, timeout: args.timeout, memory: args.memory, repeat: args.repeat })
}

/// Runs every program in the configurations that accept it.
fn report_all(args: &RwbArgs, bench: &Bench, programs: &[Program], configs: &[Config]) -> io::Result<bool> {
    let plan: Vec<(&Program, Vec<Config>)> =
        programs.iter().map(|p| (p, taken(args, configs, p))).filter(|(_, configs)| !configs.is_empty()).collect();
    let mut rows: Vec<Row> = Vec::new();
    for (i, (program, configs)) in plan.iter().enumerate() {
        let measured = bench.program(program, configs)?;
        show_progress(i + 1, plan.len(), &measured);
        rows.extend(measured);
    }
    let passed = rows.iter().filter(|r| r.status == Status::Ok).count();
    let failed = rows.len() - passed;
    let failures = summary::failures(&rows);
    let mut text = String::new();
    section(&mut text, "Runs", &table::of_rows(&rows));
    section(&mut text, "Totals", &summary::totals(&rows, configs));
    section(&mut text, "Ratios", &summary::ratios(&rows, configs));
    text.push_str(&summary::ratio_note());
    text.push_str("\n\n");
    if !failures.is_empty() {
        section(&mut text, "Not ok", &failures);
    }
    publish(&text, args.markdown.as_deref(), &table::csv_of_rows(&rows), args.csv.as_deref())?;
    writeln!(io::stdout(), "{passed} passed, {failed} failed")?;
    Ok(if args.quick { failed == 0 } else { !rows.iter().any(is_wrong) })
}

/// Returns the configurations in which a program is run.
fn taken(args: &RwbArgs, configs: &[Config], program: &Program) -> Vec<Config> {
    let states = program.expected.states;
    let limit = args.max_states.or(args.quick.then_some(QUICK_MAX_STATES));
    // With patterns, the size of programs in the family [`LOOPED`] does not matter, so the quick check takes
    // the whole family.
    let looped = |c: &Config| args.quick && c.name == DPLLT.name && program.expected.name.starts_with(LOOPED);
    configs.iter().filter(|c| c.takes(states, limit) || looped(c)).copied().collect()
}

fn report_rates(args: &RwbArgs, bench: &Bench, programs: &[Program]) -> io::Result<bool> {
    let rates = rates::measure(bench, programs)?;
    let mut text = String::new();
    let table = rates::table(&rates);
    section(&mut text, "Rates", &table);
    text.push_str("Medians per CPU second of whole processes. `search ..`: without checking the evidence.\n\n");
    publish(&text, args.markdown.as_deref(), &table, args.csv.as_deref())?;
    Ok(!rates.iter().any(|rate| is_wrong(&rate.row)))
}

fn report_peers(args: &RwbArgs, bench: &Bench, programs: &[Program]) -> io::Result<bool> {
    if let Some(what) = spin::missing() {
        writeln!(io::stdout(), "no peers: {what} is not installed")?;
        return Ok(true);
    }
    let pairs = peers::measure(bench, programs, !args.only.is_empty())?;
    let table = peers::table(&pairs);
    let mut text = String::new();
    section(&mut text, "Peers", &table);
    publish(&text, args.markdown.as_deref(), &table, args.csv.as_deref())?;
    Ok(pairs.iter().all(peers::Pair::is_ok))
}

fn is_wrong(row: &Row) -> bool {
    matches!(row.status, Status::Wrong(_) | Status::Crash(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;
    use std::path::PathBuf;

    fn parsed(line: &[&str]) -> RwbArgs {
        match Cli::try_parse_from(["impasse-bench", "rwb"].iter().chain(line)).expect("well-formed").command {
            Command::Rwb(args) => args,
            _ => unreachable!("the line says rwb"),
        }
    }

    fn names(line: &[&str], program: &str, states: u64) -> Vec<&'static str> {
        let args = parsed(line);
        let mut expected = crate::corpus::tests::rows().1;
        (expected.name, expected.states) = (program.to_owned(), states);
        let program = Program { path: PathBuf::new(), expected };
        taken(&args, configs::ALL, &program).iter().map(|c| c.name).collect()
    }

    #[test]
    fn sizes_choose_configurations() {
        assert_eq!(names(&[], "web", 100_000), ["explicit", "dpllt-plain", "dpllt", "auto"]);
        assert_eq!(names(&[], "web", 1_000_000), ["explicit", "dpllt", "auto"]);
        assert_eq!(names(&["--max-states", "2000000"], "web", 1_000_000).len(), configs::ALL.len());
        assert_eq!(names(&["--max-states", "20"], "web", 21), [""; 0]);
    }

    #[test]
    fn quick_takes_small_programs_and_the_looped_family() {
        assert_eq!(names(&["--quick"], "web", QUICK_MAX_STATES).len(), configs::ALL.len());
        assert_eq!(names(&["--quick"], "web", QUICK_MAX_STATES + 1), [""; 0]);
        assert_eq!(names(&["--quick"], "loop_clash_big", 10_810_800), ["dpllt"]);
    }

    #[test]
    fn without_a_corpus_only_the_quick_check_goes_on() {
        let run_with = |more: &[&str]| {
            let line: Vec<&str> = ["--corpus", "/nonexistent"].iter().chain(more).copied().collect();
            run(&parsed(&line))
        };
        assert!(run_with(&["--quick"]).expect("skipped"));
        assert!(run_with(&[]).is_err());
    }
}
