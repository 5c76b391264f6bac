//! Traces: options, habits of a theory (`lazy.rs`), and a sequence of calls. In the text form, each option,
//! habit and call takes one line:
//!
//! ```text
//! impasse-sat-trace 1
//! option chrono 0
//! proof hints
//! theory lemma 2
//! host_var 1 2 3
//! clause 1 -2 3
//! solve_with @20 -1
//! ```
//!
//! Variables have the trace's own numbers, and must be declared. `@` precedes the number of an operation; the
//! number 0 is not written. What a trace does not set has its default: `Options::default` with invariants
//! checked, no proof, and a theory that does nothing before its final check.

use super::op::{Name, Op, Trace};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::knobs;
use super::lazy::{Habit, TheoryHabits};
use super::listener::Rigor;
use super::op::Kind;
use super::ops::Draw;
use crate::options::Options;

const VERSION: &str = "impasse-sat-trace 1";
/// Maximum number of lines in a file. Longer files are refused.
const LINES: usize = 1_000_000;

/// The reason why a text is not a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError {
    /// Line, from 1.
    pub line: usize,
    /// A description of the error.
    pub what: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for TraceError {}

impl Trace {
    /// The options for the run.
    pub(super) fn options(&self) -> Options {
        let mut options = Options { check_invariants: true, ..Options::default() };
        for (name, value) in &self.settings {
            if let Some(knob) = knobs::find(name) {
                knob.set(&mut options, value);
            }
        }
        options
    }

    /// Number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// True if there are no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Makes the trace valid after calls or literals were removed: removes literals that are not declared
    /// before, repeated declarations, ends of scopes that did not begin, and clauses that became empty.
    pub(super) fn tidy(&mut self) {
        let mut known = BTreeSet::new();
        let mut scopes = 0usize;
        self.ops.retain_mut(|op| {
            let row = op.kind.row();
            let before = op.names.len();
            if row.draw == Draw::Declares {
                op.names.retain(|name| name.0 > 0 && known.insert(name.var()));
            } else {
                op.names.retain(|name| known.contains(&name.var()));
            }
            let is_gone = match row.draw {
                Draw::Declares => op.names.is_empty(),
                Draw::Clause | Draw::Implied => before > 0 && op.names.is_empty(),
                Draw::Nothing | Draw::Few(_) | Draw::Half => op.kind == Kind::Pop && scopes == 0,
            };
            match op.kind {
                Kind::Push => scopes += 1,
                Kind::Pop => scopes = scopes.saturating_sub(1),
                _ => {}
            }
            !is_gone
        });
    }

    fn read_line(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [word, ..] if word.starts_with('#') => {}
            ["option", name, value] => {
                let knob = knobs::find(name).ok_or_else(|| format!("unknown option `{name}`"))?;
                if !knob.set(&mut Options::default(), value) {
                    return Err(format!("`{value}` is no value of option `{name}`"));
                }
                self.settings.push((name.to_owned(), value.to_owned()));
            }
            ["proof", word] => {
                let found = Rigor::ALL.iter().find(|(_, name)| *name == word);
                self.rigor = found.ok_or_else(|| format!("unknown way to check proofs `{word}`"))?.0;
            }
            ["theory", name, number] => {
                let found = Habit::ALL.iter().find(|(_, known, _)| *known == name);
                let (habit, ..) = found.ok_or_else(|| format!("unknown habit `{name}`"))?;
                self.temper.0[*habit as usize] = number.parse().map_err(|_| format!("`{number}` is no number"))?;
            }
            [word, ref rest @ ..] => self.ops.push(read_op(word, rest)?),
        }
        Ok(())
    }
}

fn read_op(word: &str, rest: &[&str]) -> Result<Op, String> {
    let kind = Kind::named(word).ok_or_else(|| format!("unknown operation `{word}`"))?;
    let (number, names) = match rest.split_first() {
        Some((first, names)) if first.starts_with('@') => {
            (first[1..].parse().map_err(|_| format!("`{first}` is no number"))?, names)
        }
        _ => (0, rest),
    };
    let name = |word: &&str| match word.parse::<i32>() {
        Ok(number) if number != 0 && number != i32::MIN => Ok(Name(number)),
        _ => Err(format!("`{word}` is no literal")),
    };
    Ok(Op { kind, number, names: names.iter().map(name).collect::<Result<_, _>>()? })
}

impl FromStr for Trace {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let mut trace =
            Self { settings: Vec::new(), rigor: Rigor::Off, temper: TheoryHabits::default(), ops: Vec::new() };
        let mut lines = text.lines().zip(1..=LINES).filter(|(line, _)| !line.starts_with('#'));
        let at = |line: usize| move |what: String| TraceError { line, what };
        match lines.next() {
            Some((VERSION, _)) => {}
            other => return Err(at(other.map_or(1, |(_, line)| line))(format!("expected `{VERSION}`"))),
        }
        for (line, number) in lines {
            trace.read_line(line).map_err(at(number))?;
        }
        let before = trace.clone();
        trace.tidy();
        if trace != before {
            return Err(at(text.lines().count())(
                "a literal is not declared before it is used, or an end has no beginning".to_owned(),
            ));
        }
        Ok(trace)
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{VERSION}")?;
        for (name, value) in &self.settings {
            writeln!(f, "option {name} {value}")?;
        }
        for (rigor, name) in Rigor::ALL.iter().filter(|(rigor, _)| *rigor != Rigor::Off) {
            if *rigor == self.rigor {
                writeln!(f, "proof {name}")?;
            }
        }
        let usual = TheoryHabits::default();
        for (habit, name, _) in Habit::ALL {
            let number = self.temper.0[habit as usize];
            if number != usual.0[habit as usize] {
                writeln!(f, "theory {name} {number}")?;
            }
        }
        for op in &self.ops {
            write!(f, "{}", op.kind.row().name)?;
            if op.number != 0 {
                write!(f, " @{}", op.number)?;
            }
            for name in &op.names {
                write!(f, " {}", name.0)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
