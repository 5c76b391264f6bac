//! The theory path: what a million states cost in the theory of transition systems at batch 1, a split each.
//!
//! Two kinds of rows. Programs of the corpus, explored by `ts` inside the solver and, for comparison, by the plain
//! loop of `store`: the difference, over the splits, is what splitting on demand costs. And an artificial theory that
//! does nothing itself ([`crate::formulas::ladder`]): there all the time is the solver's, and widths tell apart what
//! a lemma costs, what a literal more in it, and what a new variable. Each measurement is a process of its own: the
//! hidden command `theory`.

use crate::args::{SatArgs, TheoryArgs};
use crate::formulas::ladder::Ladder;
use crate::process;
use crate::search;
use crate::table::Table;
use crate::units;
use model::{Goal, Problem, Stop};
use sat::{Answer, Solver};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use store::search::{Breadth, Packed, Pause};
use store::{Exploration, RwbStepper};
use ts::TsTheory;

/// Long and deterministic, longer, nondeterministic, wide and shallow.
const PROGRAMS: [&str; 4] = ["task_6_giant", "loop_clash_big", "web_4_p8", "arr_bin12_no"];

/// Lemmas of the artificial theory: literals beside the first, all old but one, or all new.
const LADDERS: [(u64, bool); 6] = [(1, false), (2, false), (8, false), (2, true), (8, true), (32, true)];

/// What the table says.
pub(crate) const NOTE: &str = "CPU time of whole processes, medians; what the plain loop takes for as many states is \
    subtracted before dividing. The columns divide the same time by different counts: they do not add up. Programs with \
    more states than asked for stop there. `ladder`: no system behind it, every lemma has that many literals beside the \
    first, all new or all but one refuted at level 0; all is refuted in the end.\n\n";

/// Fewer rounds give no median worth the name.
const MIN_ROUNDS: u32 = 3;

/// What one process did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Done {
    answer: String,
    splits: u64,
    states: u64,
    transitions: u64,
    /// Lemmas that the theory queued.
    lemmas: u64,
    /// Variables it made.
    variables: u64,
    /// Literals of all clauses, if somebody counted.
    literals: u64,
    decisions: u64,
    conflicts: u64,
    propagations: u64,
}

/// The hidden command: does it and prints the counts as JSON.
///
/// # Errors
/// The file is no program.
pub(crate) fn run(args: &TheoryArgs) -> io::Result<()> {
    let done = match &args.file {
        Some(file) => {
            let problem = search::read(file)?;
            if args.plain { explore(&problem, args.states) } else { split(&problem, args.states) }
        }
        None => climb(args),
    };
    writeln!(io::stdout(), "{}", serde_json::to_string(&done)?)
}

/// `states` states with a split each.
fn split(problem: &Problem, states: u64) -> Done {
    let mut solver = Solver::new(sat::Options::default());
    let options = ts::Options { batch: Some(1), stop_at_overflow: false, no_initial: false };
    let exploration = Exploration::new(RwbStepper::new(problem.system().as_program().expect("a program")));
    let mut theory = TsTheory::new(exploration, &[Goal::Bad, Goal::Deadlock], options, &mut solver);
    let assume = [!theory.cut()];
    let mut answer = Answer::Stopped;
    // How much of its allowance a split takes is the theory's business.
    while answer == Answer::Stopped && theory.counts().splits < states {
        theory.begin_turn(states - theory.counts().splits, Arc::default());
        answer = solver.solve_with(&mut theory, &assume, &sat::Limits::default());
    }
    let counts = theory.counts();
    Done {
        splits: counts.splits,
        states: theory.explored().len() as u64,
        transitions: theory.explored().transitions(),
        literals: counts.literals,
        ..of_solver(answer, &mut solver)
    }
}

/// As many states by the plain loop.
fn explore(problem: &Problem, states: u64) -> Done {
    let mut search = Packed::new(RwbStepper::new(problem.system().as_program().expect("a program")), Breadth::of);
    let stop = Stop::default();
    let left = |search: &Packed<RwbStepper>| states.saturating_sub(search.expanded() as u64);
    while left(&search) > 0 && !matches!(search.advance(left(&search), &[], &stop), Pause::Exhausted) {}
    Done { states: search.len() as u64, transitions: search.transitions(), ..Done::default() }
}

fn climb(args: &TheoryArgs) -> Done {
    let mut solver = Solver::new(sat::Options::default());
    // As many literals as states, roughly.
    let splits = if args.fresh { args.states / args.width.max(1) } else { args.states };
    let mut ladder = Ladder::new(&mut solver, splits, args.width, args.fresh);
    let answer = solver.solve_with(&mut ladder, &[], &sat::Limits::default());
    Done {
        splits: ladder.splits(),
        states: ladder.splits(),
        literals: ladder.literals(),
        ..of_solver(answer, &mut solver)
    }
}

fn of_solver(answer: Answer, solver: &mut Solver) -> Done {
    let variables = solver.new_var(sat::DecidedBy::Theory).index() as u64;
    let stats = solver.stats();
    Done {
        answer: format!("{answer:?}"),
        lemmas: stats.lemmas,
        variables,
        decisions: stats.decisions,
        conflicts: stats.conflicts,
        propagations: stats.propagations,
        ..Done::default()
    }
}

/// One line of the report.
struct Line {
    name: String,
    done: Done,
    /// CPU seconds of the search, and of the plain loop over as many states (0 if there is nothing to explore).
    cpu: f64,
    plain: f64,
    peak: u64,
}

/// Measures everything and renders the table. `programs` are files of the corpus, if there is one.
///
/// # Errors
/// A process fails.
pub(crate) fn measure(args: &SatArgs) -> io::Result<Table> {
    let rounds = args.repeat.max(MIN_ROUNDS);
    let states = args.states.to_string();
    let mut lines = Vec::new();
    for name in PROGRAMS {
        let file = args.corpus_dir.join("rwb").join(format!("{name}.rwb"));
        if !file.is_file() || !args.is_chosen(name) {
            continue;
        }
        let common = [Path::new("--states"), Path::new(&states), &file];
        let (done, cpu, peak) = median(rounds, &common, args)?;
        let plain = median(rounds, &[&common[..], &[Path::new("--plain")]].concat(), args)?.1;
        lines.push(Line { name: name.to_owned(), done, cpu, plain, peak });
        show(&lines);
    }
    for (width, fresh) in LADDERS {
        let name = format!("ladder {width} {}", if fresh { "new" } else { "old" });
        if !args.is_chosen(&name) {
            continue;
        }
        let width = width.to_string();
        let mut words = vec!["--states", &states, "--width", &width];
        words.extend(fresh.then_some("--fresh"));
        let (done, cpu, peak) = median(rounds, &words.iter().map(Path::new).collect::<Vec<_>>(), args)?;
        lines.push(Line { name, done, cpu, plain: 0.0, peak });
        show(&lines);
    }
    Ok(table(&lines))
}

fn show(lines: &[Line]) {
    if let Some(last) = lines.last() {
        // Nothing depends on this line.
        let _ = writeln!(io::stderr(), "theory {}: {} CPU s", last.name, units::seconds(last.cpu));
    }
}

/// The hidden command several times: counts, median CPU seconds, largest peak.
fn median(rounds: u32, words: &[&Path], args: &SatArgs) -> io::Result<(Done, f64, u64)> {
    let mut runs = Vec::new();
    for _ in 0..rounds {
        let mut command = Command::new(std::env::current_exe()?);
        let run = process::run(command.arg("theory").args(words), args.process_limits())?;
        let done: Done = serde_json::from_str(&run.stdout)
            .map_err(|e| io::Error::other(format!("theory {words:?}: {e}; {}", run.stderr.trim())))?;
        runs.push((done, run.cpu, run.peak));
    }
    let cpu = units::median(runs.iter().map(|r| r.1)).unwrap_or(0.0);
    let peak = runs.iter().map(|r| r.2).max().unwrap_or(0);
    Ok((runs.swap_remove(0).0, cpu, peak))
}

fn table(lines: &[Line]) -> Table {
    let mut table = Table::new(&[
        "what",
        "answer",
        "splits",
        "lemmas",
        "new variables",
        "literals",
        "propagations",
        "CPU s",
        "plain loop CPU s",
        "ns per split",
        "ns per lemma",
        "ns per new variable",
        "ns per literal",
        "peak MiB",
    ]);
    for line in lines {
        let done = &line.done;
        let per = |count: u64| {
            let nanoseconds = (line.cpu - line.plain).max(0.0) * 1e9;
            if count == 0 { String::new() } else { format!("{:.0}", nanoseconds / count as f64) }
        };
        table.push(vec![
            line.name.clone(),
            done.answer.clone(),
            done.splits.to_string(),
            done.lemmas.to_string(),
            done.variables.to_string(),
            done.literals.to_string(),
            done.propagations.to_string(),
            units::seconds(line.cpu),
            units::seconds(line.plain),
            per(done.splits),
            per(done.lemmas),
            per(done.variables),
            per(done.literals),
            units::mebibytes(line.peak),
        ]);
    }
    table
}
