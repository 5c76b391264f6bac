//! Streams of small incremental queries, as IC3 makes them. They are recorded once, then answered by several
//! solvers.
//!
//! Recording and replaying are separate, so that all solvers get the same queries, whatever their models are.
//! Each replay is a separate process (the hidden command `replay`). The cost of only reading the stream is
//! measured and subtracted. As in a full IC3, the replay reads the values of the domain's variables after each
//! model, and the core after each refutation.

mod driver;
mod machine;
mod nets;
#[cfg(feature = "peers")]
mod peers;
mod relation;
mod trace;

use crate::args::{ReplayArgs, SatArgs};
use crate::process;
use crate::table::Table;
use crate::units;
use machine::{OurMachine, Ours, ReadOnly, Stream, Switched};
use relation::Relation;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use trace::{Op, Reader, Writer};

/// The greatest number of tokens on a place.
const TOKENS: i32 = 2;
/// The explanation of the table.
pub(crate) const NOTE: &str = "CPU times are medians over whole processes, minus the time for only reading \
    the stream. The queries come from a small IC3 on bounded nets: relative induction with one temporary clause \
    each, lifting, pushing. `impasse` uses the temporary clauses and domains of its API. `impasse, plain` and \
    the peers, which have no such API, enable each temporary clause by a fresh variable and disable it by a unit \
    clause. `rebuilt` starts a new solver after every 1000 of them.\n\n";

/// A way to answer a stream.
struct Way {
    name: &'static str,
    make: fn() -> Box<dyn Stream>,
}

/// The ways to answer a stream. Our solver comes first, because the other solvers are compared with it.
const WAYS: &[Way] = &[
    Way { name: "impasse", make: || Box::new(Ours::new()) },
    Way { name: "impasse, plain", make: || Box::new(Switched::<OurMachine>::new(0)) },
    #[cfg(feature = "peers")]
    Way { name: "minisat", make: || Box::new(Switched::<peers::Minisat>::new(0)) },
    #[cfg(feature = "peers")]
    Way { name: "minisat, rebuilt", make: || Box::new(Switched::<peers::Minisat>::new(peers::REBUILD_AFTER)) },
    #[cfg(feature = "peers")]
    Way { name: "cadical", make: || Box::new(Switched::<peers::Cadical>::new(0)) },
    #[cfg(feature = "peers")]
    Way { name: "cadical, rebuilt", make: || Box::new(Switched::<peers::Cadical>::new(peers::REBUILD_AFTER)) },
];

/// A way that only reads the stream.
const READ_ONLY: Way = Way { name: "read only", make: || Box::new(ReadOnly) };

fn way(name: &str) -> Option<&'static Way> {
    WAYS.iter().chain([&READ_ONLY]).find(|way| way.name == name)
}

/// The counters of a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Counted {
    queries: u64,
    sat: u64,
    /// Number of answers that differ from the recorded ones.
    different: u64,
    /// Number of literals of all cores.
    core_literals: u64,
    /// Number of domain variables that were true in models.
    true_literals: u64,
    vars: i32,
    clauses: u64,
    sessions: u64,
}

/// The hidden command: answers a recorded stream and prints the counts as JSON.
///
/// # Errors
/// There is no such file, or no such solver.
pub(crate) fn replay(args: &ReplayArgs) -> io::Result<()> {
    let bytes = std::fs::read(&args.file)?;
    let way = way(&args.with).ok_or_else(|| io::Error::other(format!("no solver `{}`", args.with)))?;
    let counted = answer(&bytes, (way.make)().as_mut())?;
    writeln!(io::stdout(), "{}", serde_json::to_string(&counted)?)
}

fn answer(bytes: &[u8], stream: &mut dyn Stream) -> io::Result<Counted> {
    let mut vars = vars_by_session(bytes)?.into_iter();
    let mut reader = Reader::new(bytes)?;
    let mut counted = Counted::default();
    let mut domains: Vec<Vec<i32>> = Vec::new();
    while let Some(op) = reader.next()? {
        match op {
            Op::Session => {
                let vars = vars.next().unwrap_or(0);
                counted.vars = counted.vars.max(vars);
                counted.sessions += 1;
                domains.clear();
                stream.begin(vars);
            }
            Op::Vars(_) => {}
            Op::Clause => {
                counted.clauses += 1;
                stream.clause(&reader.literals);
            }
            Op::Domain => domains.push(reader.literals.clone()),
            Op::Query { domain, sat } => {
                let domain = domains.get(domain).ok_or_else(|| io::Error::other("an unknown domain"))?;
                let answer = stream.query(domain, &reader.temporary, &reader.literals)?;
                counted.queries += 1;
                counted.sat += u64::from(answer);
                counted.different += u64::from(answer != sat);
                if answer {
                    for &var in domain {
                        counted.true_literals += u64::from(stream.value(var)?);
                    }
                } else {
                    counted.core_literals += stream.core_len()? as u64;
                }
                stream.done();
            }
        }
    }
    Ok(counted)
}

/// Returns the final number of variables of each session. The variables of switches get the next numbers.
fn vars_by_session(bytes: &[u8]) -> io::Result<Vec<i32>> {
    let mut reader = Reader::new(bytes)?;
    let mut all: Vec<i32> = Vec::new();
    while let Some(op) = reader.next()? {
        match (op, all.last_mut()) {
            (Op::Session, _) => all.push(0),
            (Op::Vars(count), Some(vars)) => {
                let more = i32::try_from(count).ok().and_then(|count| vars.checked_add(count));
                *vars = more.ok_or_else(|| io::Error::other("too many variables"))?;
            }
            _ => {}
        }
    }
    Ok(all)
}

/// Records about `queries` queries over several nets.
///
/// # Errors
///
/// If a net cannot be read.
fn record(args: &SatArgs) -> io::Result<Writer> {
    let nets = nets::all(&args.corpus_dir, &|name| args.is_chosen(name))?;
    let mut writer = Writer::new();
    let mut left = args.queries;
    for (i, (name, net)) in nets.iter().enumerate() {
        let Some(relation) = Relation::new(net, TOKENS) else { continue };
        let share = left / (nets.len() - i) as u64;
        let asked = driver::record(&relation, share, i as u64, &mut writer);
        // Failure to write the progress line is ignored.
        let _ = writeln!(io::stderr(), "recorded {asked} queries on {name}, {} variables", relation.vars);
        left = left.saturating_sub(asked);
    }
    Ok(writer)
}

/// Records a stream, unless a recorded stream exists, and lets all solvers answer it. Returns the table, and
/// true if all answers agree with the recorded ones.
///
/// # Errors
///
/// If a process fails.
pub(crate) fn measure(args: &SatArgs, folder: &Path) -> io::Result<(Table, bool)> {
    let own = folder.join("stream");
    let file = args.stream.as_deref().unwrap_or(&own);
    if !file.is_file() {
        std::fs::write(file, record(args)?.bytes())?;
    }
    let ways: Vec<&Way> = WAYS.iter().filter(|way| !args.ours_only || way.name.starts_with("impasse")).collect();
    let mut runs: Vec<Vec<(Counted, f64, u64)>> = vec![Vec::new(); ways.len()];
    let mut reading = Vec::new();
    for _ in 0..args.repeat {
        reading.push(once(file, &READ_ONLY, args)?.1);
        for (way, runs) in ways.iter().zip(&mut runs) {
            runs.push(once(file, way, args)?);
        }
    }
    let reading = units::median(reading).unwrap_or(0.0);
    let cpu =
        |runs: &[(Counted, f64, u64)]| (units::median(runs.iter().map(|r| r.1)).unwrap_or(0.0) - reading).max(1e-6);
    let ours = runs.first().map_or(1.0, |runs| cpu(runs));
    let mut table = Table::new(&[
        "solver",
        "sessions",
        "variables",
        "clauses",
        "queries",
        "SAT",
        "different answers",
        "literals per core",
        "CPU s",
        "microseconds per query",
        "queries/s",
        "ratio to impasse",
        "peak MiB",
    ]);
    let mut agree = true;
    for (way, runs) in ways.iter().zip(&runs) {
        let Some((counted, ..)) = runs.first() else { continue };
        agree &= counted.different == 0;
        let (cpu, queries) = (cpu(runs), counted.queries.max(1) as f64);
        table.push(vec![
            way.name.to_owned(),
            counted.sessions.to_string(),
            counted.vars.to_string(),
            counted.clauses.to_string(),
            counted.queries.to_string(),
            counted.sat.to_string(),
            counted.different.to_string(),
            format!("{:.1}", counted.core_literals as f64 / (counted.queries - counted.sat).max(1) as f64),
            units::seconds(cpu),
            format!("{:.2}", cpu / queries * 1e6),
            units::short(queries / cpu),
            format!("{:.2}", cpu / ours),
            units::mebibytes(runs.iter().map(|r| r.2).max().unwrap_or(0)),
        ]);
    }
    Ok((table, agree))
}

/// Runs one replay. Returns counters, CPU seconds and peak memory in bytes.
fn once(file: &Path, way: &Way, args: &SatArgs) -> io::Result<(Counted, f64, u64)> {
    let mut command = Command::new(std::env::current_exe()?);
    let run = process::run(command.arg("replay").arg(file).args(["--with", way.name]), args.process_limits())?;
    let counted: Counted = serde_json::from_str(&run.stdout)
        .map_err(|e| io::Error::other(format!("replay with {}: {e}; {}", way.name, run.stderr.trim())))?;
    let _ = writeln!(io::stderr(), "replay with {}: {} CPU s", way.name, units::seconds(run.cpu));
    Ok((counted, run.cpu, run.peak))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same queries are answered by temporary clauses in a domain and by switches over all variables. An
    /// error in one of the two ways, in the domains or in the numbering shows as a different answer.
    #[test]
    fn all_ways_give_the_recorded_answers() {
        let relation = Relation::new(&nets::token_ring(6), TOKENS).expect("no transfers");
        let mut writer = Writer::new();
        let asked = driver::record(&relation, 600, 1, &mut writer);
        assert!(asked >= 600, "{asked}");
        for way in WAYS {
            let counted = answer(writer.bytes(), (way.make)().as_mut()).expect("whole");
            assert_eq!((counted.queries, counted.different), (asked, 0), "{}", way.name);
            assert!(counted.sat > 50 && counted.sat < asked - 50, "{counted:?}");
            assert!(counted.core_literals > 0 && counted.true_literals > 0);
        }
        let mut rebuilt = Switched::<OurMachine>::new(7);
        assert_eq!(answer(writer.bytes(), &mut rebuilt).expect("whole").different, 0);
    }

    #[test]
    fn another_answer_is_counted() {
        let mut writer = Writer::new();
        writer.session();
        writer.vars(1);
        writer.domain(&[1]);
        writer.clause(&[1]);
        writer.query(0, &[], &[-1], true);
        let counted = answer(writer.bytes(), &mut Ours::new()).expect("whole");
        assert_eq!((counted.queries, counted.different), (1, 1));
    }
}
