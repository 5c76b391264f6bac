//! Writer for runs of systems over words, in the witness format of BTOR2 (Niemetz, Preiner, Wolf, Biere: Btor2, BtorMC
//! and Boolector 3.0, 2018).
//!
//! A witness has a part for each frame. The part `#K` contains the states that get their value from the run in frame K,
//! and the part `@K` the inputs. States that the system determines are left out, as the format allows. So are words on
//! which no property and no constraint depends: any value fits them. A run that violates a justice property ends when
//! all states have the values of an earlier frame.

use crate::witness::{bit, digit, property, unrolled};
use model::circuit::Word;
use model::{Circuit, Gate, Goal, Problem, Reset, Trace};
use std::io::{self, Write};

/// Writes a run of a circuit that was made of a system over words. Returns false if nothing was written: for another
/// kind of system or goal, a run of more than [`crate::witness::LONGEST`] bits, or a run that does not fit the circuit.
///
/// # Errors
/// Errors of `out`.
pub fn run(problem: &Problem, goal: Goal, trace: &Trace, out: &mut dyn Write) -> io::Result<bool> {
    let Some(circuit) = problem.system().as_circuit() else { return Ok(false) };
    let (Some(words), Some(property)) = (circuit.words(), property(goal, trace)) else { return Ok(false) };
    let Some(frames) = unrolled(circuit, trace) else { return Ok(false) };
    let open = open(circuit);
    writeln!(out, "sat\n{property}")?;
    for (frame, inputs) in (0_u64..).zip(frames) {
        let value = |word: &Word, at: usize| match circuit.gates()[word.bits[at].node()] {
            Gate::Input(input) => digit(bit(inputs, input as usize)),
            Gate::Latch(latch) => open[latch.index()].map_or('0', |open| digit(bit(&trace.start, open))),
            Gate::False | Gate::And(..) => '0',
        };
        let states = || words.iter().filter(|word| word.is_state && word.chosen.is_in(frame));
        if frame == 0 || states().next().is_some() {
            writeln!(out, "#{frame}")?;
        }
        for word in states() {
            assignments(word, &format!("#{frame}"), &value, out)?;
        }
        writeln!(out, "@{frame}")?;
        for word in words.iter().filter(|word| !word.is_state) {
            assignments(word, &format!("@{frame}"), &value, out)?;
        }
    }
    writeln!(out, ".")?;
    Ok(true)
}

/// Returns for each latch its position among the open ones.
fn open(circuit: &Circuit) -> Vec<Option<usize>> {
    let mut next = 0..;
    circuit.latches().iter().map(|latch| (latch.reset == Reset::Open).then(|| next.next().unwrap_or(0))).collect()
}

/// Writes the value of a word, with a line for each element of an array. Bits are written highest first.
fn assignments(word: &Word, frame: &str, value: &impl Fn(&Word, usize) -> char, out: &mut dyn Write) -> io::Result<()> {
    let width = word.width as usize;
    let symbol = word.name.as_ref().map_or_else(String::new, |name| format!(" {name}{frame}"));
    for element in 0..word.bits.len() / width.max(1) {
        let bits: String = (0..width).rev().map(|at| value(word, element * width + at)).collect();
        match word.index {
            Some(index) => {
                writeln!(out, "{} [{element:0index$b}] {bits}{symbol}", word.position, index = index as usize)?;
            }
            None => writeln!(out, "{} {bits}{symbol}", word.position)?,
        }
    }
    Ok(())
}
