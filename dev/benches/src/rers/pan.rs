//! SPIN as a peer. The steps of its model are calls of the program's own text, embedded as C, and the state is
//! one tracked array.
//!
//! Calls that end in an error or change nothing are no steps, so SPIN stores and matches only what it must. A
//! step consists of an expression and a statement, because SPIN does not undo an expression alone when it
//! backtracks. SPIN evaluates the expression twice, but the second evaluation only reads a flag.

use super::text::{self, Text};
use crate::process::{self, Limits};
use crate::spin;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The results of SPIN.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Found {
    pub(super) states: u64,
    pub(super) is_complete: bool,
    /// CPU seconds of the search.
    pub(super) seconds: f64,
    /// Peak memory of the search in bytes.
    pub(super) peak: u64,
    /// CPU seconds of `spin -a` and of the compiler.
    pub(super) make: f64,
    pub(super) labels: BTreeSet<u32>,
}

/// Options of the build and of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// True for breadth-first search. False for depth-first search, SPIN's default.
    pub(super) is_broad: bool,
    /// `-O2`, or an option for faster compilation.
    pub(super) optimize: &'static str,
    /// Approximate limit on the number of states.
    pub(super) most: u64,
    /// Expected number of states. It limits the depth of the stack.
    pub(super) expected: u64,
}

/// Searches all states of `program`. Returns the reason if there is no result.
pub(super) fn run(
    program: &Text,
    folder: &Path,
    options: Options,
    limits: Limits,
) -> io::Result<Result<Found, String>> {
    if let Some(what) = spin::missing() {
        return Ok(Err(format!("no {what}")));
    }
    std::fs::write(folder.join("program.h"), format!("{}{}", program.surrounded(), steps(program, options.most)))?;
    std::fs::write(folder.join("model.pml"), model(program))?;
    let patient = Limits { wall: limits.wall.max(Duration::from_secs(600)), ..limits };
    let memory = format!("-DMEMLIM={}", limits.resident >> 20);
    let mut compiler = Command::new("gcc");
    compiler.args([options.optimize, "-fwrapv", "-w", "-DNOREDUCE", "-DSAFETY", &memory]);
    if options.is_broad {
        compiler.arg("-DBFS");
    }
    compiler.args(["-o", "pan", "pan.c"]);
    let made = spin::step(Command::new("spin").args(["-a", "model.pml"]), folder, patient)
        .and_then(|made| Ok(made.cpu + spin::step(&mut compiler, folder, patient)?.cpu));
    let make = match made {
        Ok(make) => make,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut search = Command::new(folder.join("pan"));
    let slots = u64::BITS - options.expected.leading_zeros();
    search.args(["-c0", &format!("-w{}", slots.clamp(16, 28)), &format!("-m{}", options.expected + 100)]);
    let done = process::run(search.current_dir(folder), limits)?;
    let cut = spin::cut_short(&done);
    let Some((stored, _)) = spin::parse(&done.stdout) else {
        return Ok(Err(cut.unwrap_or_else(|| "pan failed".to_owned())));
    };
    Ok(Ok(Found {
        // SPIN also stores the state of the model before the program's first state.
        states: stored.saturating_sub(1),
        is_complete: cut.is_none() && stored < options.most,
        seconds: done.cpu,
        peak: done.peak,
        make,
        labels: text::labels(&done.stdout),
    }))
}

/// Returns the C functions that a step calls. (`nstates` is SPIN's count of states.)
fn steps(program: &Text, most: u64) -> String {
    let tries: String = program
        .inputs
        .iter()
        .enumerate()
        .map(|(k, input)| format!("#define rers_try_{k} rers_try({k}, {input})\n"))
        .collect();
    format!(
        "extern double nstates;
static int rers_state[RERS_PLACES], rers_next[RERS_PLACES], rers_tried = -1;
static void rers_start(void) {{ rers_save(rers_state); atexit(rers_tell); }}
static void rers_take(void) {{ memcpy(rers_state, rers_next, sizeof rers_next); }}
static int rers_try(int k, int input) {{
    if (rers_tried == k) {{ rers_tried = -1; return 1; }}
    if (nstates >= {most}) return 0;
    rers_load(rers_state);
    if (setjmp(rers_out)) return 0;
    calculate_output(input);
    rers_save(rers_next);
    if (!memcmp(rers_state, rers_next, sizeof rers_next)) return 0;
    rers_tried = k;
    return 1;
}}
{tries}"
    )
}

fn model(program: &Text) -> String {
    let steps: String = (0..program.inputs.len())
        .map(|k| format!("  :: d_step {{ c_expr {{ rers_try_{k} }} -> c_code {{ rers_take(); }} }}\n"))
        .collect();
    format!(
        "c_decl {{ \\#include \"program.h\" }}\nc_track \"rers_state\" \"sizeof(rers_state)\"\n\
         active proctype program() {{\n  c_code {{ rers_start(); }};\nend: do\n{steps}  od\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::text::tests::{LAMP, LAMP_STATES};
    use super::*;

    const LIMITS: Limits = Limits { wall: Duration::from_secs(60), resident: 1 << 30 };

    #[test]
    fn spin_finds_the_states_and_labels_we_know() {
        if let Some(what) = spin::missing() {
            let _ = io::Write::write_all(&mut io::stderr(), format!("skipped: no {what}\n").as_bytes());
            return;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("lamp.c");
        std::fs::write(&path, LAMP).expect("written");
        let text = Text::read(&path).expect("read");
        for is_broad in [false, true] {
            let options = Options { is_broad, optimize: "-O0", most: 1000, expected: 100 };
            let found = run(&text, folder.path(), options, LIMITS).expect("it runs").expect("it works");
            assert_eq!((found.states, found.is_complete), (LAMP_STATES, true));
            assert_eq!(found.labels, BTreeSet::from([7]));
        }
    }
}
