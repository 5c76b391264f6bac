//! Writer for runs of nets in the `.scn` form of the TINA toolbox (Berthomieu, Ribet, Vernadat 2004), which SMPT
//! writes and steppers read: a sequence of names of transitions.
//!
//! Names that are not words stand in braces, in which `\`, `{` and `}` are escaped by `\`. Repetitions are
//! written out. The form cannot express the initial tokens of open places; they are in the evidence file.

use model::{Marked, Problem, Trace};
use std::io::{self, Write};

/// The largest number of events of a run that is written.
pub const LONGEST: u64 = 1_000_000;

/// Writes a run of a net or thread-transition system. The transitions of a thread-transition system are called
/// `r1`, `r2`, .., as in its net. Returns false if nothing was written: for another kind of system, or a run of
/// more than [`LONGEST`] events.
///
/// # Errors
/// Errors of `out`, and a transition that the system does not have.
pub fn write(problem: &Problem, trace: &Trace, out: &mut dyn Write) -> io::Result<bool> {
    let Some(system) = problem.system().as_marked().filter(|_| trace.len().is_some_and(|n| n <= LONGEST)) else {
        return Ok(false);
    };
    let name = |event: model::EventId| match system {
        Marked::Net(net) => net.transitions().get(event.index()).map(|t| word(&t.name)),
        Marked::Threads(threads) => threads.transitions().get(event.index()).map(|_| format!("r{}", event.0 + 1)),
    };
    for run in trace.runs() {
        let names: Option<Vec<String>> = run.word.iter().map(|step| name(step.event)).collect();
        let names = names.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "an unknown transition"))?;
        for _ in 0..run.times {
            names.iter().try_for_each(|name| writeln!(out, "{name}"))?;
        }
    }
    Ok(true)
}

fn word(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
    if !name.is_empty() && name.chars().all(plain) {
        return name.to_owned();
    }
    let mut quoted = String::from("{");
    for c in name.chars() {
        if matches!(c, '\\' | '{' | '}') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('}');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EventId, Net, Transition};
    use std::sync::Arc;

    #[test]
    fn repetitions_are_written_out_and_odd_names_quoted() {
        let transitions = ["go", "a b{"].map(|n| Transition::from_arcs(n.to_owned(), &[], &[])).to_vec();
        let net = Arc::new(Net::new(Vec::new(), transitions).expect("a net"));
        let problem = Problem::of_net(net);
        let mut trace = Trace::new(Box::default());
        trace.push_repeat(vec![EventId(0)], 2);
        trace.push(EventId(1), None);
        let mut out = Vec::new();
        assert!(write(&problem, &trace, &mut out).expect("written"));
        assert_eq!(String::from_utf8(out).expect("text"), "go\ngo\n{a b\\{}\n");
        trace.push_repeat(vec![EventId(0)], LONGEST);
        assert!(!write(&problem, &trace, &mut Vec::new()).expect("refused"));
        trace = Trace::new(Box::default());
        trace.push(EventId(2), None);
        assert!(write(&problem, &trace, &mut Vec::new()).is_err());
    }
}
