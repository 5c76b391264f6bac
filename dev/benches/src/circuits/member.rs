//! A circuit of a family with its known answer, and its files.

use formats::{Limits, Source};
use model::{Circuit, Gate, Goal, JusticeId, LatchId, OutputId, Problem, Property, Reset, Signal};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A circuit of a family.
pub(super) struct Member {
    pub(super) family: &'static str,
    pub(super) name: String,
    pub(super) circuit: Circuit,
    pub(super) is_safe: bool,
    /// The text in BTOR2, if the circuit has memories. It is what our tool reads.
    pub(super) text: Option<String>,
}

/// The largest bound of the nodes of a circuit with a latch for each bit of its memories.
const MOST_NODES: u64 = 1 << 24;

/// A family: a name, its sizes, and its circuit. Each size comes without and with a fault.
pub(super) type Family = (&'static str, [usize; 4], fn(usize, bool) -> Circuit);

/// Returns the members of these families, family by family.
pub(super) fn members(families: &[Family]) -> Vec<Member> {
    let of = |&(family, sizes, make): &Family| {
        sizes.into_iter().flat_map(move |size| {
            [false, true].map(|has_fault| Member {
                family,
                name: format!("{family}-{size}{}", if has_fault { "-fault" } else { "" }),
                circuit: make(size, has_fault),
                is_safe: !has_fault,
                text: None,
            })
        })
    };
    families.iter().flat_map(of).collect()
}

impl Member {
    /// A system with memories, read from text.
    ///
    /// # Panics
    /// Panics if the text is not a system.
    pub(super) fn of_text(family: &'static str, name: String, is_safe: bool, text: String) -> Self {
        let source = Source { name: format!("{name}.btor2"), bytes: text.clone().into_bytes() };
        let read = readers::read(source, None, &Limits::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let circuit = Circuit::clone(read.problem.system().as_circuit().expect("the text is a circuit"));
        Self { family, name, circuit, is_safe, text: Some(text) }
    }

    /// Writes the system for our tool into the folder. Returns its file.
    pub(super) fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let file = folder.join(format!("{}.{}", self.name, if self.text.is_some() { "btor2" } else { "aig" }));
        match &self.text {
            Some(text) => std::fs::write(&file, text)?,
            None => self.write_circuit(&self.circuit, &file)?,
        }
        Ok(file)
    }

    /// Writes the system without memories, with a latch for each bit of each word. Returns its file, or `None` if it
    /// would be too large.
    pub(super) fn write_plain(&self, folder: &Path) -> io::Result<Option<PathBuf>> {
        let file = folder.join(format!("{}.aig", self.name));
        if self.circuit.memories().is_empty() {
            self.write_circuit(&self.circuit, &file)?;
        } else if self.circuit.nodes_to_expand() <= MOST_NODES {
            self.write_circuit(&self.circuit.expanded().0, &file)?;
        } else {
            return Ok(None);
        }
        Ok(Some(file))
    }

    /// Writes a circuit with the property.
    fn write_circuit(&self, circuit: &Circuit, file: &Path) -> io::Result<()> {
        let property = if self.circuit.justices().is_empty() {
            Property::never("bad".to_owned(), Goal::Output(OutputId::new(0)))
        } else {
            Property::never("starved".to_owned(), Goal::Justice(JusticeId::new(0)))
        };
        let problem = Problem::of(Arc::new(circuit.clone())).asking(vec![property]);
        write(&problem.map_err(io::Error::other)?, file)
    }

    /// Writes the circuit with its justice property as outputs for the command `l2s` of ABC ([`for_l2s`]).
    pub(super) fn write_for_l2s(&self, file: &Path) -> io::Result<()> {
        write(&Problem::of(Arc::new(for_l2s(&self.circuit))), file)
    }
}

/// Returns the circuit with its justice property as outputs. `l2s` takes its question from the names of outputs:
/// `assert_fair_0` must be true infinitely often on each run on which each `assume_fair_i` is true infinitely often.
/// So the signals of the justice property are assumed, and the constant false is asserted.
///
/// # Panics
/// Panics if the circuit has a constraint, or a latch that does not start with 0. `l2s` ignores both.
fn for_l2s(circuit: &Circuit) -> Circuit {
    assert!(circuit.constraints().is_empty(), "`l2s` ignores constraints");
    assert!(circuit.latches().iter().all(|latch| latch.reset == Reset::Zero), "`l2s` ignores reset values");
    let mut changed = without_property(circuit);
    changed.output(Signal::FALSE, Some("assert_fair_0".to_owned()));
    for (number, signal) in circuit.recurring(JusticeId::new(0)).into_iter().enumerate() {
        changed.output(signal, Some(format!("assume_fair_{number}")));
    }
    changed
}

/// Returns the circuit without its property. Nodes keep their numbers.
fn without_property(circuit: &Circuit) -> Circuit {
    let mut copy = Circuit::default();
    for gate in circuit.gates() {
        match *gate {
            Gate::False => {}
            Gate::Input(_) => drop(copy.input(None)),
            Gate::Latch(latch) => drop(copy.latch(circuit.latches()[latch.index()].reset, None)),
            Gate::And(a, b) => drop(copy.and(a, b)),
        }
    }
    for (number, latch) in circuit.latches().iter().enumerate() {
        copy.set_next(LatchId::new(number), latch.next.expect("circuits of families are complete"));
    }
    copy
}

fn write(problem: &Problem, file: &Path) -> io::Result<()> {
    let write = readers::by_path("circuit.aig").and_then(|format| format.write).expect("circuits are written");
    let mut bytes = Vec::new();
    write(problem, &mut bytes).map_err(io::Error::other)?;
    std::fs::write(file, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::{liveness, memories};

    #[test]
    fn circuits_for_l2s_have_the_same_nodes_and_only_outputs() {
        for member in liveness::all() {
            let changed = for_l2s(&member.circuit);
            assert_eq!(changed.gates(), member.circuit.gates(), "{}", member.name);
            assert!(changed.justices().is_empty() && changed.fairness().is_empty());
            let recurring = member.circuit.recurring(JusticeId::new(0));
            let assumed: Vec<Signal> = changed.outputs()[1..].iter().map(|output| output.signal).collect();
            assert_eq!(assumed, recurring, "{}", member.name);
        }
    }

    #[test]
    fn memories_are_memories_and_the_smallest_are_written_without() {
        let folder = tempfile::tempdir().unwrap();
        for member in memories::all() {
            assert!(!member.circuit.memories().is_empty(), "{}", member.name);
            let is_small = member.name.trim_end_matches("-fault").ends_with("-4");
            let is_large = member.name.contains("-32");
            if is_small || is_large {
                let plain = member.write_plain(folder.path()).unwrap();
                assert_eq!(plain.is_some(), is_small, "{}", member.name);
            }
        }
    }

    #[test]
    fn names_say_which_circuits_have_a_fault() {
        let all = liveness::all();
        assert!(all.iter().all(|member| member.is_safe != member.name.ends_with("-fault")));
    }
}
