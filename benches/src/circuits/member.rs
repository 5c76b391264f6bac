//! A circuit of a family with its known answer, and its files.

use model::{Circuit, Gate, Goal, JusticeId, LatchId, OutputId, Problem, Property, Reset, Signal};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A circuit of a family.
pub(super) struct Member {
    pub(super) family: &'static str,
    pub(super) name: String,
    pub(super) circuit: Circuit,
    pub(super) is_safe: bool,
}

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
            })
        })
    };
    families.iter().flat_map(of).collect()
}

impl Member {
    /// Writes the circuit with its property.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let property = if self.circuit.justices().is_empty() {
            Property::never("bad".to_owned(), Goal::Output(OutputId::new(0)))
        } else {
            Property::never("starved".to_owned(), Goal::Justice(JusticeId::new(0)))
        };
        let problem = Problem::of(Arc::new(self.circuit.clone())).asking(vec![property]);
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
    let write = formats::by_path("circuit.aig").and_then(|format| format.write).expect("circuits are written");
    let mut bytes = Vec::new();
    write(problem, &mut bytes).map_err(io::Error::other)?;
    std::fs::write(file, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::liveness;

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
    fn names_say_which_circuits_have_a_fault() {
        let all = liveness::all();
        assert!(all.iter().all(|member| member.is_safe != member.name.ends_with("-fault")));
    }
}
