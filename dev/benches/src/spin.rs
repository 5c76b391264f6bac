//! Spin as a peer: full search of a generated model, without partial-order reduction, with all errors counted.

use crate::process::{self, Finished, Limits};
use crate::promela::Model;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The results and costs of a full search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// Composite states stored.
    pub(crate) states: u64,
    /// Failed assertions and invalid end states, i.e. terminal states.
    pub(crate) errors: u64,
    /// The reason why the search is incomplete, if it is.
    pub(crate) cut: Option<String>,
    /// CPU seconds of `spin -a` and of the C compiler.
    pub(crate) compile: f64,
    /// CPU seconds of the search alone.
    pub(crate) cpu: f64,
    /// Peak memory of the search in bytes.
    pub(crate) peak: u64,
}

/// Returns the first missing program that this peer needs.
pub(crate) fn missing() -> Option<&'static str> {
    let runs = |command: &str, arg: &str| Command::new(command).arg(arg).output().is_ok_and(|o| o.status.success());
    match (runs("spin", "-V"), runs("cc", "--version")) {
        (false, _) => Some("spin"),
        (_, false) => Some("a C compiler"),
        _ => None,
    }
}

/// Searches all states of `model`, about `states` of them, in `folder`.
///
/// # Errors
///
/// If a step does not run, with its message.
pub(crate) fn search(model: &Model, states: u64, folder: &Path, limits: Limits) -> io::Result<Search> {
    std::fs::write(folder.join("model.pml"), &model.text)?;
    let patient = Limits { wall: Duration::from_secs(300), ..limits };
    let generate = step(Command::new("spin").args(["-a", "model.pml"]), folder, patient)?;
    let memory = format!("-DMEMLIM={}", limits.resident >> 20);
    let options = ["-O2", "-w", "-DNOREDUCE", "-DSAFETY", &memory, "-o", "pan", "pan.c"];
    let compile = step(Command::new("cc").args(options), folder, patient)?;
    // The depth-first stack is allocated at once, so it is not larger than needed. The hash table has at least
    // one slot per state.
    let depth = format!("-m{}", states + 100);
    let slots = format!("-w{}", (u64::BITS - states.leading_zeros()).clamp(16, 28));
    let run = process::run(Command::new(folder.join("pan")).args([&depth, &slots, "-c0"]).current_dir(folder), limits)?;
    let (stored, errors) = parse(&run.stdout).ok_or_else(|| failed("pan", &run))?;
    Ok(Search {
        states: stored.saturating_sub(model.extra_states),
        errors,
        cut: cut_short(&run),
        compile: generate.cpu + compile.cpu,
        cpu: run.cpu,
        peak: run.peak,
    })
}

pub(crate) fn step(command: &mut Command, folder: &Path, limits: Limits) -> io::Result<Finished> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = process::run(command.current_dir(folder), limits)?;
    if done.code == Some(0) { Ok(done) } else { Err(failed(&name, &done)) }
}

fn failed(name: &str, run: &Finished) -> io::Error {
    let said = run.stderr.lines().chain(run.stdout.lines()).find(|l| !l.trim().is_empty()).unwrap_or("nothing");
    io::Error::other(format!("{name} failed ({:?}, {:?}): {said}", run.code, run.killed))
}

pub(crate) fn cut_short(run: &Finished) -> Option<String> {
    let signs = ["max search depth too small", "out of memory", "Search not completed"];
    let both = format!("{}{}", run.stdout, run.stderr);
    match run.killed {
        Some(killed) => Some(format!("{killed:?}")),
        None => signs.iter().find(|s| both.contains(**s)).map(|s| (*s).to_owned()),
    }
}

/// Returns the numbers of stored states and of errors from the output of the verifier.
pub(crate) fn parse(output: &str) -> Option<(u64, u64)> {
    let stored = output.lines().find_map(|l| l.trim().strip_suffix(" states, stored"))?;
    let errors = output.lines().find_map(|l| l.split_once("errors: "))?.1;
    Some((number(stored)?, number(errors.trim())?))
}

/// Reads a number. Spin prints large counts as `1.2345e+06`.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| text.parse::<f64>().ok().map(|v| v as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promela;

    const LIMITS: Limits = Limits { wall: Duration::from_secs(60), resident: 1 << 30 };

    #[test]
    fn counts_are_read() {
        let text = "Full statespace search for:\n\nState-vector 20 byte, depth reached 5, errors: 34\n      148 \
                    states, stored\n";
        assert_eq!(parse(text), Some((148, 34)));
        assert_eq!(parse("pan: out of memory"), None);
        assert_eq!(number("1.5e+06"), Some(1_500_000));
    }

    #[test]
    fn spin_finds_the_states_we_know() {
        if let Some(what) = missing() {
            let _ = io::Write::write_all(&mut io::stderr(), format!("skipped: no {what}\n").as_bytes());
            return;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let model = promela::write(&promela::tests::numbers(&[2, 3])).expect("small");
        let found = search(&model, 7, folder.path(), LIMITS).expect("spin runs");
        assert_eq!((found.states, found.errors, found.cut), (7, 1, None));
        let choices = "rwb 1 event a, b thread P { init x | y state x { request a on a -> x | y } state y { request b \
                       on b -> z } \
                       state z { } } thread Q { state u { on a -> u | v } state v { block a } }";
        // (x,u) and (y,u) are initial. (x,v), (z,u) and (z,v) are stuck. (y,v) is not.
        let model = promela::write(&promela::tests::read(choices)).expect("small");
        let found = search(&model, 6, folder.path(), LIMITS).expect("spin runs");
        assert_eq!((found.states, found.errors, found.cut), (6, 3, None));
    }
}
