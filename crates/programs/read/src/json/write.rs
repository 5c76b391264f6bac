//! Writer for the JSON form of behavioral programs: one line for each state.

use crate::import::of_data;
use crate::name::program_for;
use crate::rwb::assume::{self, AtomForm};
pub(super) use formats::error::WriteError;
use formats::json::{states, string, strings, write_system};
use model::{Assumption, Goal, Problem, Program};
use std::io::Write;

/// Writes the program with its goals and assumptions.
pub(crate) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    if let Some(program) = problem.system().as_data() {
        let goals: Vec<Goal> = problem.goals().filter(|goal| !goal.is_temporal()).collect();
        return Ok(out.write_all(of_data(program, &goals)?.to_json().as_bytes())?);
    }
    let program = program_for("json", problem)?;
    let goals: Vec<&str> = problem.goals().filter(|goal| !goal.is_temporal()).map(Goal::id).collect();
    write!(out, "{{\"rwb\":1,")?;
    if !goals.is_empty() {
        write!(out, "\"check\":{},", strings(goals.into_iter()))?;
    }
    if !problem.assumptions().is_empty() {
        let list: Result<Vec<String>, WriteError> = problem.assumptions().iter().map(|a| assumed(program, a)).collect();
        writeln!(out, "\"assume\":[{}],", list?.join(","))?;
    }
    write_system(program, out)?;
    Ok(writeln!(out, "}}")?)
}

fn assumed(program: &Program, assumption: &Assumption) -> Result<String, WriteError> {
    let atom = |part: AtomForm| match part {
        AtomForm::AtLeast(n) => format!("{{\">=\":{n}}}"),
        AtomForm::AtMost(n) => format!("{{\"<=\":{n}}}"),
        AtomForm::Equal(n) => format!("{{\"==\":{n}}}"),
        AtomForm::Residue(modulus, residue) => format!("{{\"%\":{modulus},\"==\":{residue}}}"),
    };
    match assumption {
        Assumption::Int(_) => {
            let parts = assume::parts(assumption).ok_or_else(|| assume::unsaid("json"))?;
            Ok(format!("{{\"length\":[{}]}}", parts.into_iter().map(atom).collect::<Vec<_>>().join(",")))
        }
        Assumption::Final { states, .. } if states.is_empty() => Err(assume::unsaid("json")),
        Assumption::Final { thread, states: ends } => {
            let thread = program.thread(*thread);
            Ok(format!("{{\"end\":{},\"in\":{}}}", string(&thread.name), states(thread, ends)))
        }
    }
}
