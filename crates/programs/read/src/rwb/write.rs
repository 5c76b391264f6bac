//! Writer for `.rwb` text, in the explicit form: one `state` for each state, no parameters.

use super::assume::{self, AtomForm};
use crate::name::{Array, TextNames, program_for};
pub(super) use formats::error::WriteError;
use model::{Assumption, EventSet, Goal, LocalId, LocalState, Problem, Program, Thread, ThreadId};
use std::io::{self, Write};

/// Writes the program with its goals and assumptions. Reading the text gives the same program, except for names
/// that text cannot express ([`TextNames`]).
pub(super) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let program = program_for("rwb", problem)?;
    if program.has_hot() {
        return Err(WriteError::feature("rwb", "hot states").hint("the format `json` can express them"));
    }
    if program.has_stops() {
        return Err(WriteError::feature("rwb", "ends of one thread").hint("the format `json` can express them"));
    }
    let names = TextNames::of(program);
    writeln!(out, "rwb 1")?;
    let goals: Vec<&str> = problem.goals().map(Goal::id).collect();
    if !goals.is_empty() {
        writeln!(out, "check {}", goals.join(", "))?;
    }
    for array in &names.arrays {
        writeln!(out, "event {}", declaration(array))?;
    }
    for assumption in problem.assumptions() {
        writeln!(out, "assume {}", assumed(assumption, &names)?)?;
    }
    for (t, thread) in program.threads().iter().enumerate() {
        write_thread(out, program, &names, ThreadId::new(t), thread)?;
    }
    Ok(())
}

fn assumed(assumption: &Assumption, names: &TextNames) -> Result<String, WriteError> {
    let atom = |part: AtomForm| match part {
        AtomForm::AtLeast(n) => format!("length >= {n}"),
        AtomForm::AtMost(n) => format!("length <= {n}"),
        AtomForm::Equal(n) => format!("length == {n}"),
        AtomForm::Residue(modulus, residue) => format!("length % {modulus} == {residue}"),
    };
    match assumption {
        Assumption::Int(_) => {
            let parts = assume::parts(assumption).ok_or_else(|| assume::unsaid("rwb"))?;
            Ok(parts.into_iter().map(atom).collect::<Vec<_>>().join(" || "))
        }
        Assumption::Final { states, .. } if states.is_empty() => Err(assume::unsaid("rwb")),
        Assumption::Final { thread, states } => {
            let t = thread.index();
            Ok(format!("end {} in {}", names.threads[t], targets(states, &names.states[t])))
        }
    }
}

fn declaration(array: &Array) -> String {
    let sizes: String = array.sizes.iter().map(|s| format!("[{s}]")).collect();
    format!("{}{sizes}", array.base)
}

fn write_thread(
    out: &mut dyn Write,
    program: &Program,
    names: &TextNames,
    id: ThreadId,
    thread: &Thread,
) -> io::Result<()> {
    let states: &[String] = &names.states[id.index()];
    writeln!(out, "thread {} {{", names.threads[id.index()])?;
    if thread.initial != [LocalId::new(0)] {
        writeln!(out, "  init {}", targets(&thread.initial, states))?;
    }
    for (s, (state, label)) in thread.states.iter().zip(states).enumerate() {
        let mark = if program.is_final(id, LocalId::new(s)) { " final" } else { "" };
        let priority = program.priority(id, LocalId::new(s));
        write_state(out, program, names, &format!("{label} {{{mark}"), states, (state, priority))?;
    }
    writeln!(out, "}}")
}

fn write_state(
    out: &mut dyn Write,
    program: &Program,
    names: &TextNames,
    opening: &str,
    states: &[String],
    (state, priority): (&LocalState, i64),
) -> io::Result<()> {
    write!(out, "  state {opening}")?;
    if state.bad {
        return writeln!(out, " bad }}");
    }
    for (word, set) in [("request", &state.request), ("block", &state.block)] {
        if !set.is_empty() {
            write!(out, " {word} {}", events(set, names))?;
        }
    }
    if priority != 0 {
        write!(out, " priority {priority}")?;
    }
    // Events with the same targets share a clause, at the position of the first of them.
    let mut clauses: Vec<(&[LocalId], EventSet)> = Vec::new();
    let mut index = std::collections::HashMap::new();
    for (event, to) in &state.on {
        let at = *index.entry(to.as_slice()).or_insert(clauses.len());
        if at == clauses.len() {
            clauses.push((to, EventSet::empty(program.events().len())));
        }
        clauses[at].1.insert(*event);
    }
    for (to, set) in &clauses {
        write!(out, " on {} -> {}", events(set, names), targets(to, states))?;
    }
    writeln!(out, " }}")
}

fn targets(ids: &[LocalId], states: &[String]) -> String {
    let names: Vec<&str> = ids.iter().map(|s| states[s.index()].as_str()).collect();
    names.join(" | ")
}

/// Writes a set of events as a list, or as `*` without a list if that is shorter.
fn events(set: &EventSet, names: &TextNames) -> String {
    let list = |separator: &str, set: &EventSet| {
        let names: Vec<&str> = set.iter().map(|e| names.events[e.index()].as_str()).collect();
        names.join(separator)
    };
    if set.len() * 2 <= set.universe() {
        return list(", ", set);
    }
    let mut rest = EventSet::full(set.universe());
    rest.subtract(set);
    if rest.is_empty() { "*".to_owned() } else { format!("* - {}", list(" - ", &rest)) }
}
