//! Writer for runs of systems over words, in the witness format of BTOR2 (Niemetz, Preiner, Wolf, Biere: Btor2, BtorMC
//! and Boolector 3.0, 2018).
//!
//! A witness has a part for each frame. The part `#K` contains the states that get their value from the run in frame K,
//! and the part `@K` the inputs. States that the system determines are left out, as the format allows. So are words on
//! which no property and no constraint depends: any value fits them. A run that violates a justice property ends when
//! all states have the values of an earlier frame. Of a memory, only the elements are written that the run chooses and
//! reads.

use crate::witness::{digit, initial, property, unrolled, values};
use model::circuit::memory::Contents;
use model::circuit::{Word, bit};
use model::{Circuit, Gate, Goal, Problem, Reset, Signal, Trace};
use std::collections::BTreeMap;
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
    let Some(elements) = elements(circuit, trace, unrolled(circuit, trace).into_iter().flatten()) else {
        return Ok(false);
    };
    let open = open(circuit);
    writeln!(out, "sat\n{property}")?;
    for (frame, inputs) in (0_u64..).zip(frames) {
        let value = |word: &Word, at: usize| match circuit.gates()[word.bits[at].node()] {
            Gate::Input(input) => digit(bit(inputs, input as usize)),
            Gate::Latch(latch) => open[latch.index()].map_or('0', |open| digit(bit(&trace.start, open))),
            Gate::False | Gate::And(..) => '0',
        };
        let states = || words.iter().filter(|word| word.is_state && word.chosen.is_in(frame));
        let lines = |is_state: bool| elements.get(&(frame, is_state)).into_iter().flatten();
        if frame == 0 || states().next().is_some() || lines(true).next().is_some() {
            writeln!(out, "#{frame}")?;
        }
        for word in states() {
            assignments(word, &format!("#{frame}"), &value, out)?;
        }
        lines(true).try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "@{frame}")?;
        for word in words.iter().filter(|word| !word.is_state) {
            assignments(word, &format!("@{frame}"), &value, out)?;
        }
        lines(false).try_for_each(|line| writeln!(out, "{line}"))?;
    }
    writeln!(out, ".")?;
    Ok(true)
}

/// Lines for elements of memories, by frame, and true for states.
type Elements = BTreeMap<(u64, bool), Vec<String>>;

/// Returns the lines for the elements of memories that the run reads and chooses. `None` if the run does not fit.
fn elements<'t>(circuit: &Circuit, trace: &Trace, frames: impl Iterator<Item = &'t [u32]>) -> Option<Elements> {
    let mut lines = Elements::new();
    let memories = circuit.memories();
    if memories.is_empty() {
        return Some(lines);
    }
    let mut contents = Contents::new(memories);
    let mut latches = initial(circuit, trace);
    for inputs in frames {
        let values = values(circuit, &latches, inputs);
        let value = |signal: Signal| values[signal.node()] != signal.is_negated();
        let word = |signals: &[Signal]| signals.iter().map(|signal| value(*signal)).collect::<Vec<bool>>();
        for port in &memories.ports {
            let (address, given) = (word(&port.address), word(&port.value));
            contents.read(port.memory, (&address, &given), &value, &mut |_| true)?;
        }
        contents.step(&value, &mut |_| true)?;
        latches = circuit.latches().iter().map(|latch| latch.next.map(value)).collect::<Option<_>>()?;
    }
    let digits = |bits: &[bool]| bits.iter().rev().map(|bit| digit(*bit)).collect::<String>();
    for (memory, frame, address, word) in contents.chosen() {
        let memory = &memories.memories[memory.index()];
        let at = if memory.is_state { '#' } else { '@' };
        let symbol = memory.name.as_ref().map_or_else(String::new, |name| format!(" {name}{at}{frame}"));
        let line = format!("{} [{}] {}{symbol}", memory.position, digits(address), digits(word));
        lines.entry((frame, memory.is_state)).or_default().push(line);
    }
    Some(lines)
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
