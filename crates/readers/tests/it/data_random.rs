//! Random programs of version 2 of `.rwb`. The text of each program is read. The explicit program is compared with an
//! interpreter of the syntax tree, which follows `docs/rwb2.md`, works on joint states and shares no code with the
//! reader.
//!
//! Compared are the lengths of shortest runs to bad states, deadlocks and proper ends, and for each word of events the
//! states after it: their kinds, and the names of their enabled events. A refusal needs a reason in the text.
//!
//! `IMPASSE_CASES` (a share in percent) and `IMPASSE_SEED` choose the number of programs, and which ones.

mod code;
mod draw;
mod draw_events;
mod draw_states;
mod joint;
mod meaning;
mod print;
mod sets;
mod tree;

use crate::read_as;
use impasse_readers::{Limits, Partly, Source, read_for};
use joint::{Graph, Seen, compare, explicit, is_part};
use meaning::{Meaning, Stopped};
use model::{Program, Variable};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most joint states of a program.
const STATES: usize = 4000;

/// The most pairs of sets of states that are compared.
const PAIRS: usize = 300;

/// Compares one program. Returns the kind of the case.
fn check(seed: u64) -> Result<String, String> {
    let case = draw::case(seed);
    let text = print::text(&case);
    let meaning = Meaning { case: &case, threads: code::threads(&case) };
    let failed = |message: String| format!("seed {seed}: {message}\n{text}");
    let meant = joint::joint(&meaning, STATES);
    let read = match read_as("t.rwb", &text) {
        Ok(read) => read,
        Err(error) => {
            let justified = match error.code() {
                "rwb::loop-without-sync" => meaning.threads.iter().any(|t| t.code.may_run_forever()),
                // Sums of the largest number may be beyond 64 bits.
                "rwb::fault" | "limit::values" if text.contains(&i64::MAX.to_string()) => true,
                "rwb::fault" => meaning.threads.iter().any(|t| t.code.may_have_no_meaning()),
                _ => false,
            };
            if !justified {
                return Err(failed(format!("{} {error} {:?}", error.code(), error.line_column())));
            }
            return Ok(format!("refused: {}", error.code()));
        }
    };
    let (meant, has_fault) = match meant {
        Ok(meant) => meant,
        Err(Stopped::Large) => return Ok("too large".to_owned()),
        Err(stopped) => return Err(failed(format!("the reader accepts {stopped:?}"))),
    };
    let program = read.problem.system().as_program().expect("a program");
    let found = explicit(program, 50 * STATES).map_err(|e| failed(format!("{e:?}")))?;
    let kinds = [("bad", Seen::Bad), ("deadlock", Seen::Deadlock), ("end", Seen::End)];
    for (kind, seen) in &kinds {
        let (meant, found) = (meant.shortest(seen), found.shortest(seen));
        if meant != found {
            return Err(failed(format!("shortest run to {kind}: meant {meant:?}, read {found:?}")));
        }
    }
    compare(&meant, &found, PAIRS).map_err(&failed)?;
    values(&text, program, &meant).map_err(&failed)?;
    parts(&text, &meant).map_err(&failed)?;
    if has_fault && !program.check().contains(&model::Goal::Bad) {
        return Err(failed("a fault is reachable, and `bad` is not asked".to_owned()));
    }
    Ok(kind(&meant, &kinds))
}

/// Reads the program again with the values of all variables, and compares them. Every value of the interpreter counts,
/// also those that no thread reads again.
fn values(text: &str, program: &Program, meant: &Graph) -> Result<(), String> {
    let name = |variable: &Variable| format!("{}.{}", program.thread(variable.thread).name, variable.name);
    let names: Vec<String> = program.variables().iter().map(name).collect();
    let source = Source { name: "t.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
    let read = read_for(source, None, &Limits::default(), &[&names.join(" ")]).map_err(|error| error.to_string())?;
    let program = read.problem.system().as_program().ok_or("no states are listed")?;
    if program.variables().iter().any(|variable| variable.at.is_none()) {
        return Err("a variable without values".to_owned());
    }
    let found = explicit(program, 50 * STATES).map_err(|e| format!("{e:?}"))?;
    compare(meant, &found, PAIRS).map_err(|message| format!("with all variables kept: {message}"))?;
    Ok(())
}

/// Reads the program again within small limits, so that threads get neighbours, or only a part is explored. What is
/// known of it must be meant.
fn parts(text: &str, meant: &Graph) -> Result<(), String> {
    for explored in [2, 3, 4] {
        for partly in [(false, true), (true, true)].map(|(at_goal, at_limit)| Partly { at_goal, at_limit }) {
            let source = Source { name: "t.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
            let limits = Limits { explored, partly, ..Limits::default() };
            let Ok(read) = read_for(source, None, &limits, &[]) else { continue };
            let Some(program) = read.problem.system().as_program() else { continue };
            let found = explicit(program, 50 * STATES).map_err(|e| format!("{e:?}"))?;
            let what = |message| format!("up to 2^{explored} states: {message}");
            match program.unread() {
                None => compare(meant, &found, PAIRS).map(drop).map_err(what)?,
                Some(_) => {
                    SEEN_PARTS.fetch_add(1, Ordering::Relaxed);
                    is_part(meant, &found, PAIRS).map_err(what)?;
                }
            }
        }
    }
    Ok(())
}

/// The number of programs of which a part was compared.
static SEEN_PARTS: AtomicUsize = AtomicUsize::new(0);

/// The kinds of states that are reachable.
fn kind(graph: &Graph, kinds: &[(&str, Seen)]) -> String {
    let there = kinds.iter().filter(|(_, seen)| graph.shortest(seen).is_some());
    let there: Vec<&str> = there.map(|(kind, _)| *kind).collect();
    if there.is_empty() { "neither".to_owned() } else { there.join(", ") }
}

/// The full number of programs.
const PROGRAMS: u64 = 10_000;

#[test]
fn random_programs_mean_what_the_documentation_says() {
    let seed = std::env::var("IMPASSE_SEED").ok().and_then(|text| text.parse::<u64>().ok());
    let first = seed.unwrap_or(0);
    let programs = testkit::count(PROGRAMS);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for seed in first..first + programs {
        let kind = check(seed).unwrap_or_else(|message| panic!("{message}"));
        *counts.entry(kind).or_default() += 1;
    }
    let seen = SEEN_PARTS.load(Ordering::Relaxed) as u64;
    eprintln!("{counts:#?}, parts: {seen}");
    assert!(seen > programs / 10, "of {programs} programs, {seen} parts");
    let share = |is: &dyn Fn(&str) -> bool| {
        counts.iter().filter(|(kind, _)| is(kind)).map(|(_, count)| count).sum::<u64>() as f64 / programs as f64
    };
    // Few programs are refused or too large, and there are enough of each kind, so that the comparison says something.
    assert!(share(&|kind| kind.starts_with("refused")) < 0.04);
    assert!(share(&|kind| kind == "too large") < 0.05);
    for (kind, least) in [("bad", 0.1), ("deadlock", 0.25), ("end", 0.04), ("neither", 0.15)] {
        assert!(share(&|found| found.split(", ").any(|part| part == kind)) > least, "{kind}");
    }
}
