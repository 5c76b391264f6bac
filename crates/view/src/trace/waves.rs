//! Runs of circuits as value change dumps (IEEE 1364), which viewers of waves such as GTKWave and Surfer open. A frame
//! is a unit of time.

use crate::steps::frames::{self, Frame, Ports};
use model::circuit::bit;
use model::{Circuit, Trace};
use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;
use vcd::{IdCode, TimescaleUnit, Value, Writer};

/// Most bits of all frames together that are written.
const MOST: u64 = 1 << 26;

/// A wire of the file.
struct Wire {
    id: IdCode,
    bits: Range<usize>,
    group: Group,
}

/// Where the values of a wire are.
#[derive(Clone, Copy)]
enum Group {
    Input,
    Latch,
    Output,
}

/// Writes a replayed run of a circuit: the inputs, latches and outputs, words as vectors. Returns false if nothing was
/// written because the run is too long.
///
/// # Errors
/// Errors of `out`.
pub fn write(circuit: &Circuit, trace: &Trace, out: &mut dyn Write) -> io::Result<bool> {
    let cost = (circuit.gates().len() + circuit.inputs().len()) as u64;
    if trace.len().is_none_or(|frames| frames.saturating_mul(cost) > MOST) {
        return Ok(false);
    }
    let mut to = Writer::new(out);
    to.version("impasse")?;
    to.timescale(1, TimescaleUnit::NS)?;
    let wires = header(circuit, &mut to)?;
    let mut frame = Frame::first(circuit, &trace.start);
    let mut before: Vec<Option<Vec<bool>>> = vec![None; wires.len()];
    let mut time = 0;
    for words in frames::inputs(trace) {
        if time > 0 {
            frame.step();
        }
        frame.compute(words);
        let (inputs, latches) = (frame.inputs(), frame.latches());
        to.timestamp(time)?;
        for (wire, before) in wires.iter().zip(&mut before) {
            let value = |at: usize| match wire.group {
                Group::Input => bit(&inputs, at),
                Group::Latch => latches[at],
                Group::Output => frame.is_true(circuit.outputs()[at].signal),
            };
            let now: Vec<bool> = wire.bits.clone().map(value).collect();
            if before.as_ref() != Some(&now) {
                change(&mut to, wire, &now)?;
                *before = Some(now);
            }
        }
        time += 1;
    }
    // The last frame lasts as long as the others.
    to.timestamp(time)?;
    Ok(true)
}

/// Declares the wires, in a scope for each group.
fn header(circuit: &Circuit, to: &mut Writer<&mut dyn Write>) -> io::Result<Vec<Wire>> {
    let name = |(at, output): (usize, &model::Output)| output.name.clone().unwrap_or_else(|| format!("o{at}"));
    let outputs = Ports::joined(circuit.outputs().iter().enumerate().map(name));
    let groups = [
        ("inputs", Ports::inputs(circuit), Group::Input),
        ("latches", Ports::latches(circuit), Group::Latch),
        ("outputs", outputs, Group::Output),
    ];
    let mut wires = Vec::new();
    for (scope, ports, group) in groups {
        to.add_module(scope)?;
        let mut taken = HashSet::new();
        for (name, bits) in ports.all() {
            let name = identifier(name, &mut taken);
            let width = u32::try_from(bits.len()).expect("fewer bits than a circuit has nodes");
            wires.push(Wire { id: to.add_wire(width, &name)?, bits, group });
        }
        to.upscope()?;
    }
    to.enddefinitions()?;
    Ok(wires)
}

/// Returns a name that the format allows: without blanks, no keyword such as `$end`, and not that of another wire.
fn identifier(name: &str, taken: &mut HashSet<String>) -> String {
    let plain: String = name.chars().map(|c| if c.is_whitespace() || c == '$' { '_' } else { c }).collect();
    let numbered = (2..).map(|number| format!("{plain}_{number}"));
    let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !name.is_empty() && !taken.contains(name));
    let free = free.expect("there are more numbers than wires");
    taken.insert(free.clone());
    free
}

/// Writes the new value of a wire, highest bit first.
fn change(to: &mut Writer<&mut dyn Write>, wire: &Wire, now: &[bool]) -> io::Result<()> {
    match now {
        [single] => to.change_scalar(wire.id, *single),
        word => to.change_vector(wire.id, word.iter().rev().map(|bit| Value::from(*bit))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Reset;
    use vcd::{Command, Parser};

    /// The file is read again with the reader of the crate.
    #[test]
    fn what_is_written_can_be_read() {
        let mut circuit = Circuit::default();
        let go = circuit.input(Some("go on".to_owned()));
        let bits = [0, 1].map(|bit| circuit.latch(Reset::Zero, Some(format!("count[{bit}]"))));
        let [low, high] = bits.map(|id| circuit.latches()[id.index()].signal);
        let both = circuit.and(low, high);
        circuit.set_next(bits[0], go);
        circuit.set_next(bits[1], low);
        circuit.output(both, Some("full".to_owned()));
        let run = |inputs: &[u32]| {
            let mut trace = Trace::new(Box::from([]));
            for word in inputs {
                trace.push(model::EventId(0), Some(Box::from([*word])));
            }
            trace
        };
        let mut bytes = Vec::new();
        assert!(write(&circuit, &run(&[1, 1, 0]), &mut bytes).unwrap());
        let mut parser = Parser::new(&bytes[..]);
        let header = parser.parse_header().unwrap();
        let id = |scope: &str, name: &str| header.find_var(&[scope, name]).unwrap().code;
        let (count, full) = (id("latches", "count"), id("outputs", "full"));
        let (mut time, mut seen) = (0, Vec::new());
        for command in parser {
            match command.unwrap() {
                Command::Timestamp(now) => time = now,
                Command::ChangeVector(of, value) if of == count => seen.push((time, value.to_string())),
                Command::ChangeScalar(of, value) if of == full => seen.push((time, value.to_string())),
                _ => {}
            }
        }
        let expected = [(0, "00"), (0, "0"), (1, "01"), (2, "11"), (2, "1")];
        assert_eq!(seen, expected.map(|(time, value)| (time, value.to_owned())));
        assert!(header.find_var(&["inputs", "go_on"]).is_some());
        let mut taken = HashSet::new();
        let names = ["a b", "a_b", "$end", ""].map(|name| identifier(name, &mut taken));
        assert_eq!(names, ["a_b", "a_b_2", "_end", "_2"]);
    }
}
