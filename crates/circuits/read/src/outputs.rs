//! What all formats of circuits share: the properties, one for each output and each justice property, with names that
//! the command line can use; and the circuit to write.

pub(crate) use formats::error::WriteError;
use model::{Circuit, Goal, JusticeId, OutputId, Problem, Property};
use std::collections::HashMap;

/// Returns one property for each output and each justice property of the circuit. A property has the name that the file
/// gives it if that name is unique and cannot be taken for another property. Otherwise it is called `letter`, or `j`
/// for a justice property, and its number.
pub(crate) fn properties(circuit: &Circuit, letter: char) -> Vec<Property> {
    let outputs = circuit.outputs().iter().enumerate();
    let outputs = outputs.map(|(i, o)| (letter, i, Goal::Output(OutputId::new(i)), o.name.as_deref()));
    let justices = circuit.justices().iter().enumerate();
    let justices = justices.map(|(i, j)| ('j', i, Goal::Justice(JusticeId::new(i)), j.name.as_deref()));
    let all: Vec<_> = outputs.chain(justices).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for name in all.iter().filter_map(|(.., name)| *name) {
        *uses.entry(name).or_default() += 1;
    }
    let property = |&(letter, i, goal, name): &(char, usize, Goal, Option<&str>)| {
        let name = name.filter(|name| uses.get(name) == Some(&1) && is_id(name));
        Property::never(name.map_or_else(|| format!("{letter}{i}"), str::to_owned), goal)
    };
    all.iter().map(property).collect()
}

/// True if a name can be used for a property on the command line. It must not look like the name of a numbered
/// property (`b0`, `o3`, `j1`).
fn is_id(name: &str) -> bool {
    let numbered = name.strip_prefix(['b', 'o', 'j']).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    !name.is_empty() && !numbered && name.bytes().all(|b| b.is_ascii_graphic()) && !name.contains(',')
}

/// Returns the circuit to write in the format called `format`, which supports no other systems.
pub(crate) fn circuit_for<'p>(format: &str, problem: &'p Problem) -> Result<&'p Circuit, WriteError> {
    let Some(circuit) = problem.system().as_circuit() else {
        let error = WriteError::feature(format, problem.system().noun());
        return Err(error.hint("the format is for circuits; `--bound N` converts a net into one"));
    };
    if let Some(memory) = circuit.memories().memories.first() {
        let error = WriteError::feature(format, format!("a memory with addresses of {} bits", memory.index));
        return Err(error.hint("only memories that are small enough to be read as latches can be written"));
    }
    Ok(circuit)
}
