//! `impasse-bench scale`: growth of time and memory with the model. Families are measured at growing sizes, each
//! command in a separate process. Growth is an exponent: if a model ten times as large takes 10^k times as much
//! time or memory, the growth is k. The report lists the worst growth first.

mod families;

use crate::args::ScaleArgs;
use crate::process::{self, Finished, Killed, Limits};
use crate::publish::{publish, section};
use crate::table::Table;
use crate::{tool, units};
use families::{ALL, Family};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cost of starting a process, in seconds and bytes. No growth is computed from smaller values.
const START_SECONDS: f64 = 0.02;
const START_BYTES: u64 = 14 << 20;

/// One command on one model.
struct Run {
    family: &'static str,
    command: &'static str,
    size: usize,
    cpu: f64,
    peak: u64,
    /// Empty if the command ended as expected.
    wrong: String,
    /// Exponents of growth since the previous size.
    time: Option<f64>,
    memory: Option<f64>,
}

/// Runs all families and prints a report. Returns false if a command failed or an answer is not the expected
/// one.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &ScaleArgs) -> io::Result<bool> {
    let tool = tool::find(args.impasse.as_deref())?;
    let folder = tempfile::tempdir()?;
    let chosen = |family: &&Family| args.only.is_empty() || args.only.iter().any(|part| family.name.contains(part));
    let mut runs = Vec::new();
    for family in ALL.iter().filter(chosen) {
        let mut given_up: Vec<&str> = Vec::new();
        let sizes = std::iter::successors(Some(100), |n| Some(n * 10)).take_while(|&n| n <= args.most);
        for size in sizes {
            let model = Model::write(family, size, folder.path())?;
            for command in COMMANDS {
                // A command that failed at one size is not run at the next.
                if given_up.contains(&command) || (command == "convert" && family.into.is_empty()) {
                    continue;
                }
                let Some(done) = model.run(&tool, command, args)? else { continue };
                let before = runs.iter().rev().find(|r: &&Run| r.family == family.name && r.command == command);
                let run = judged(family, command, size, &done, before);
                writeln!(io::stderr(), "{} {size} {command}: {:.2} s {}", family.name, run.cpu, run.wrong)?;
                if done.killed.is_some() || !run.wrong.is_empty() {
                    given_up.push(command);
                }
                runs.push(run);
            }
            model.remove()?;
        }
    }
    let mut text = String::new();
    section(&mut text, "Growth with the model, worst first", &table(&runs));
    let kinds: Vec<String> = ALL.iter().map(|family| format!("{}: {}", family.name, family.what)).collect();
    text.push_str(&format!("Meaning of the sizes: {}.\n\n", kinds.join("; ")));
    publish(&text, args.markdown.as_deref(), &table(&runs), args.csv.as_deref())?;
    Ok(runs.iter().all(|run| run.wrong.is_empty()))
}

/// The commands. `check` comes before `replay`, which needs its evidence.
const COMMANDS: [&str; 4] = ["info", "convert", "check", "replay"];

struct Model<'a> {
    family: &'a Family,
    file: PathBuf,
    evidence: PathBuf,
}

impl<'a> Model<'a> {
    fn write(family: &'a Family, size: usize, folder: &Path) -> io::Result<Self> {
        let folder = folder.join(format!("{}_{size}", family.name));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join(format!("model.{}", family.extension));
        let mut out = io::BufWriter::new(std::fs::File::create(&file)?);
        (family.text)(size).try_for_each(|piece| out.write_all(piece.as_bytes()))?;
        out.flush()?;
        if let Some(goals) = family.goals {
            std::fs::write(folder.join("model.prop"), goals(size))?;
        }
        Ok(Self { family, file, evidence: folder.join("evidence") })
    }

    fn remove(&self) -> io::Result<()> {
        self.file.parent().map_or(Ok(()), std::fs::remove_dir_all)
    }

    /// Runs a command. Returns `None` if its input is missing.
    fn run(&self, tool: &Path, command: &str, args: &ScaleArgs) -> io::Result<Option<Finished>> {
        let mut line = Command::new(tool);
        line.arg(command).arg(&self.file);
        match command {
            "convert" => _ = line.arg(self.file.with_extension(format!("out.{}", self.family.into))),
            "check" => _ = line.args(self.family.check).arg("--evidence").arg(&self.evidence),
            "replay" => {
                let Some(evidence) = self.some_evidence() else { return Ok(None) };
                line.arg(evidence);
            }
            _ => {}
        }
        let limits = Limits { wall: args.timeout, resident: args.memory };
        process::run(&mut line, limits).map(Some)
    }

    fn some_evidence(&self) -> Option<PathBuf> {
        let entries = std::fs::read_dir(&self.evidence).ok()?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        files.into_iter().find(|file| file.to_string_lossy().ends_with(".evidence.json"))
    }
}

fn judged(family: &Family, command: &'static str, size: usize, done: &Finished, before: Option<&Run>) -> Run {
    let expected = if command == "check" { family.code } else { 0 };
    let wrong = match (done.killed, done.code) {
        (Some(Killed::TooLong), _) => "timeout".to_owned(),
        (Some(Killed::TooBig), _) => "memory".to_owned(),
        (None, Some(code)) if code == expected => String::new(),
        (None, code) => {
            let said = done.stderr.lines().chain(done.stdout.lines()).next().unwrap_or_default();
            format!("exit {code:?}: {}", said.chars().take(60).collect::<String>())
        }
    };
    let growth = |now: f64, then: f64, floor: f64| (now > floor).then(|| (now / then.max(floor)).log10());
    let ended = before.filter(|_| wrong.is_empty());
    Run {
        family: family.name,
        command,
        size,
        cpu: done.cpu,
        peak: done.peak,
        time: ended.and_then(|b| growth(done.cpu, b.cpu, START_SECONDS)),
        memory: ended.and_then(|b| growth(done.peak as f64, b.peak as f64, START_BYTES as f64)),
        wrong,
    }
}

/// Returns a table in which the rows of each family and command are together. Families and commands with a
/// failed run come first, then the others in the order of their worst growth.
fn table(runs: &[Run]) -> Table {
    let mut rows: Vec<Vec<&Run>> = Vec::new();
    for run in runs {
        match rows.iter_mut().find(|row| (row[0].family, row[0].command) == (run.family, run.command)) {
            Some(row) => row.push(run),
            None => rows.push(vec![run]),
        }
    }
    let worst = |row: &[&Run]| {
        let failed = row.iter().any(|run| !run.wrong.is_empty());
        let growth = row.iter().flat_map(|run| [run.time, run.memory]).flatten().fold(0.0, f64::max);
        if failed { f64::INFINITY } else { growth }
    };
    rows.sort_by(|a, b| worst(b).total_cmp(&worst(a)));
    let mut table =
        Table::new(&["family", "command", "size", "CPU s", "peak MiB", "time exponent", "memory exponent", "wrong"]);
    let exponent = |growth: Option<f64>| crate::table::optional(growth, |g| format!("{g:.2}"));
    for run in rows.into_iter().flatten() {
        table.push(vec![
            run.family.to_owned(),
            run.command.to_owned(),
            run.size.to_string(),
            units::seconds(run.cpu),
            units::mebibytes(run.peak),
            exponent(run.time),
            exponent(run.memory),
            run.wrong.clone(),
        ]);
    }
    table
}
