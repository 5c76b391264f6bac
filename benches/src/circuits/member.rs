//! A circuit of a family with its known answer, and its files.

use model::{Circuit, Goal, OutputId, Problem, Property};
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
        let property = Property::never("bad".to_owned(), Goal::Output(OutputId::new(0)));
        let problem = Problem::of(Arc::new(self.circuit.clone())).asking(vec![property]);
        write(&problem.map_err(io::Error::other)?, file)
    }
}

fn write(problem: &Problem, file: &Path) -> io::Result<()> {
    let write = formats::by_path("circuit.aig").and_then(|format| format.write).expect("circuits are written");
    let mut bytes = Vec::new();
    write(problem, &mut bytes).map_err(io::Error::other)?;
    std::fs::write(file, bytes)
}
