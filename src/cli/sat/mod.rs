//! `impasse sat`: the CDCL solver alone. It reads DIMACS, and prints `s` and `v` lines. The independent
//! checker can check its answers.

mod proof;
mod verify;

use super::complaints::complain;
pub(super) use verify::{is_formula, replay};

use super::args::{Common, SatArgs};
use super::exit::Exit;
use super::limits::Watch;
use super::{input, memory, output};
use impasse::formats::{self, Limits};
use impasse::model::cnf::Cnf;
use proof::Proofs;
use sat::{DecidedBy, Lit, SolveResult, Solver, Tag, Var};
use std::time::{Duration, Instant};
use verify::Checked;

/// Maximum width of `v` lines.
const WIDTH: usize = 78;

/// Tag of all clauses: they come from the file.
const FROM_FILE: Tag = Tag(0);

pub(crate) fn run(args: &SatArgs, common: &Common) -> Exit {
    match solve(args, common) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn solve(args: &SatArgs, common: &Common) -> Result<Exit, Exit> {
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|_| {
        say!("s UNKNOWN");
        Exit::Done
    });
    let input_limits = Limits::within(memory::limit());
    let (cnf, warnings) = formats::read_cnf(input::source(&args.file, input_limits.bytes)?, &input_limits)
        .map_err(|error| complain(error.as_ref(), common))?;
    if !common.quiet {
        for warning in &warnings {
            complain(warning, common);
        }
    }
    let started = Instant::now();
    let mut solver = Solver::new(sat::Options::for_one_formula());
    let mut proofs = Proofs::log(&mut solver, args, cnf.clauses.len())?;
    let vars: Vec<Var> = (0..cnf.vars).map(|_| solver.new_var(DecidedBy::Host)).collect();
    add_clauses(&mut solver, &cnf, &vars);
    let limits = sat::Limits { conflicts: None, stop: Some(watch.flag()) };
    let answer = solver.solve_within(&[], &limits);
    if !args.check {
        watch.take_over();
    }
    let values: Vec<bool> = match answer {
        SolveResult::Sat => vars.iter().map(|var| solver.value(var.positive()) == Some(true)).collect(),
        _ => Vec::new(),
    };
    if common.verbose {
        tell!("{:?}", solver.stats());
        tell_time("solve", started.elapsed());
    }
    drop(solver);
    let started = Instant::now();
    let checked = match (answer, proofs.logged()) {
        (SolveResult::Sat, Some(_)) => Some(verify::model(&cnf, &values, &watch.stop())),
        (SolveResult::Unsat, Some(proof)) => Some(verify::logged(&cnf, &proof, &watch.stop())),
        _ => None,
    };
    if common.verbose && checked.is_some() {
        tell_time("check", started.elapsed());
    }
    watch.take_over();
    report(answer, checked, &values, proofs, common)
}

/// Prints a time. Benchmarks read these lines.
fn tell_time(what: &str, time: Duration) {
    tell!("c {what}_seconds {:.3}", time.as_secs_f64());
}

/// Prints the answer, if it passed the check that the user asked for.
fn report(
    answer: SolveResult,
    checked: Option<Checked>,
    values: &[bool],
    proofs: Proofs,
    common: &Common,
) -> Result<Exit, Exit> {
    let comment = |text: String| if common.quiet { String::new() } else { format!("c {text}\n") };
    let (comment, answer, otherwise) = match checked {
        None => (String::new(), answer, Exit::Done),
        Some(Checked::Accepted(what)) => (comment(format!("checked: {what}")), answer, Exit::Done),
        Some(Checked::Undecided(why)) => (comment(format!("not checked: {why}")), SolveResult::Unknown, Exit::Done),
        Some(Checked::Refused(why)) => {
            tell!("internal error: the answer of the solver is wrong: {why}");
            tell!("this is a bug in impasse; please report it with the formula");
            (String::new(), SolveResult::Unknown, Exit::Internal)
        }
    };
    // The answer is printed even if its proof cannot be written.
    let proven = proofs.finish(answer == SolveResult::Unsat);
    let (line, model, exit) = match answer {
        SolveResult::Sat => ("SATISFIABLE", model(values), Exit::Satisfiable),
        SolveResult::Unsat => ("UNSATISFIABLE", String::new(), Exit::Unsatisfiable),
        SolveResult::Unknown | SolveResult::Stopped => ("UNKNOWN", String::new(), otherwise),
    };
    output::write(&format!("{comment}s {line}\n{model}"));
    proven.map(|()| exit)
}

fn add_clauses(solver: &mut Solver, cnf: &Cnf, vars: &[Var]) {
    let mut clause: Vec<Lit> = Vec::new();
    for literals in &cnf.clauses {
        clause.clear();
        clause.extend(literals.iter().map(|&l| literal(vars, l)));
        solver.add_clause(FROM_FILE, &clause);
    }
}

/// Converts a literal from DIMACS. Readers ensure that its variable exists.
fn literal(vars: &[Var], dimacs: i32) -> Lit {
    let var = vars[dimacs.unsigned_abs() as usize - 1];
    if dimacs > 0 { var.positive() } else { var.negative() }
}

/// Returns the model as `v` lines.
fn model(values: &[bool]) -> String {
    let mut out = String::new();
    let mut line = String::from("v");
    let literals = values.iter().zip(1i64..).map(|(&value, n)| if value { n } else { -n });
    for literal in literals.chain([0]) {
        let word = literal.to_string();
        if line.len() + 1 + word.len() > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line = String::from("v");
        }
        line.push(' ');
        line.push_str(&word);
    }
    out + &line + "\n"
}
