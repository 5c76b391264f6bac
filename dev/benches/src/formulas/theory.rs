//! The cost of one state in the theory of transition systems (`ts`), if the theory gives each state to the SAT
//! solver as a split of its own (batch 1). (Splitting on demand: a theory adds clauses with new literals, and
//! the solver chooses among these literals.)
//!
//! The table has two kinds of rows. Rows of the first kind explore programs of the corpus by `ts` inside the
//! solver and, for comparison, by the plain loop of `search`. The difference divided by the number of splits is
//! the cost of splitting on demand. Rows of the second kind use an artificial theory that does no work itself
//! ([`crate::formulas::ladder`]), so all the time belongs to the solver. Its lemmas have different widths, so
//! the costs of a lemma, of a literal in a lemma, and of a new variable can be told apart. Each measurement is a
//! separate process: the hidden command `theory`.

use crate::args::{SatArgs, TheoryArgs};
use crate::formulas::ladder::Ladder;
use crate::process;
use crate::search;
use crate::table::Table;
use crate::units;
use ::search::Exploration;
use ::search::{Breadth, Packed, Pause};
use model::{Goal, Problem, Stop};
use programs::RwbStepper;
use sat::{SolveResult, Solver};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use ts::TsTheory;

/// Programs with state spaces of these shapes, in this order: long and deterministic; longer; nondeterministic;
/// wide and shallow.
const PROGRAMS: [&str; 4] = ["task_6_giant", "loop_clash_big", "web_4_p8", "arr_bin12_no"];

/// Lemmas of the artificial theory: the number of literals besides the first, and a boolean. It is true if all
/// these literals are new, and false if only one of them is new.
const LADDERS: [(u64, bool); 6] = [(1, false), (2, false), (8, false), (2, true), (8, true), (32, true)];

/// The explanation of the table.
pub(crate) const NOTE: &str = "CPU times are medians over whole processes. The columns `ns per ..` divide \
    the CPU time, minus that of the plain loop for as many states, by different counts, so they do not add up. \
    Programs stop at the selected number of states. `ladder` is a theory without a system: every lemma has the \
    given number of literals besides the first one, all of them new, or all but one refuted at level 0. Finally \
    all literals are refuted.\n\n";

/// The least number of rounds. A median of fewer rounds is not meaningful.
const MIN_ROUNDS: u32 = 3;

/// The counters of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Done {
    answer: String,
    splits: u64,
    states: u64,
    transitions: u64,
    /// Lemmas that the theory added.
    lemmas: u64,
    /// Variables of the solver.
    variables: u64,
    /// Literals of all clauses, if counted.
    literals: u64,
    decisions: u64,
    conflicts: u64,
    propagations: u64,
}

/// Runs the hidden command and prints the counters as JSON.
///
/// # Errors
///
/// If the file is not a program.
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

/// Explores `states` states inside the solver, with one split for each.
fn split(problem: &Problem, states: u64) -> Done {
    let mut solver = Solver::new(sat::Options::default());
    let options = ts::Options { batch: Some(1), stop_at_overflow: false, no_initial: false };
    let exploration = Exploration::new(RwbStepper::new(problem.system().as_program().expect("a program")));
    let mut theory = TsTheory::new(exploration, &[Goal::Bad, Goal::Deadlock], options, &mut solver);
    let assume = [!theory.cut()];
    let mut answer = SolveResult::Stopped;
    // The theory decides how much budget a split takes, so a turn may end before the budget allows for all
    // splits.
    while answer == SolveResult::Stopped && theory.counts().splits < states {
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

/// Explores the same number of states by the plain loop.
fn explore(problem: &Problem, states: u64) -> Done {
    let mut search = Packed::new(RwbStepper::new(problem.system().as_program().expect("a program")), Breadth::of);
    let stop = Stop::default();
    let left = |search: &Packed<RwbStepper>| states.saturating_sub(search.expanded() as u64);
    while left(&search) > 0 && !matches!(search.advance(left(&search), &[], &stop), Pause::Exhausted) {}
    Done { states: search.len() as u64, transitions: search.transitions(), ..Done::default() }
}

fn climb(args: &TheoryArgs) -> Done {
    let mut solver = Solver::new(sat::Options::default());
    // With new successors, each split adds `width` literals, so the number of literals is about `states`.
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

fn of_solver(answer: SolveResult, solver: &mut Solver) -> Done {
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

/// One row of the report.
struct Line {
    name: String,
    done: Done,
    /// CPU seconds of the search. `plain` has those of the plain loop over as many states, or 0 without a
    /// program.
    cpu: f64,
    plain: f64,
    peak: u64,
}

/// Measures everything and returns the table.
///
/// # Errors
///
/// If a process fails.
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
        // Failure to write the progress line is ignored.
        let _ = writeln!(io::stderr(), "theory {}: {} CPU s", last.name, units::seconds(last.cpu));
    }
}

/// Runs the hidden command several times. Returns counters, median CPU seconds and the largest peak memory in
/// bytes.
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
        "case",
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
