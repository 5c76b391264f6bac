//! Destinations of proofs: a file, and memory for our own checker.

use crate::cli::args::{ProofFormat, SatArgs};
use crate::cli::drafts::Draft;
use crate::cli::exit::Exit;
use impasse::formats::Source;
use sat::Solver;
use sat::proof_files::{Both, Drat, Form, Lrat, Status};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The destinations of the solver's proof.
pub(super) struct Proofs {
    file: Option<Place>,
    memory: Option<Memory>,
}

/// A proof file that is being written, and the status of its writes.
struct Place {
    draft: Draft,
    status: Status,
}

/// A proof for the checker, in binary LRAT: the most compact form.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Proofs {
    /// Makes `solver` log what the arguments ask for. The solver must not have clauses yet; `clauses` is the
    /// number of clauses of the formula.
    pub(super) fn log(solver: &mut Solver, args: &SatArgs, clauses: usize) -> Result<Self, Exit> {
        let format = |path: &Path| args.proof_format.unwrap_or_else(|| format_of(path));
        let file = args.proof.as_deref().map(|path| to_file(path, format(path), clauses)).transpose()?;
        let (file, to_file) = file.map_or((None, None), |(place, listener)| (Some(place), Some(listener)));
        let memory = args.check.then(Memory::default);
        let to_memory = memory.clone().map(|memory| {
            // A write to memory never returns an error. If memory runs out, the process ends.
            let (listener, _) = Lrat::new(BufWriter::new(memory), Form::Binary, clauses);
            Box::new(listener) as Box<dyn sat::Proof>
        });
        match (to_file, to_memory) {
            (Some(file), Some(memory)) => solver.set_proof(Box::new(Both(file, memory))),
            (Some(one), None) | (None, Some(one)) => solver.set_proof(one),
            (None, None) => {}
        }
        Ok(Self { file, memory })
    }

    /// Returns the proof that was logged for the checker. The solver, which owns the writers, must have been
    /// dropped.
    pub(super) fn logged(&mut self) -> Option<Source> {
        let memory = self.memory.take()?;
        let bytes = std::mem::take(&mut *memory.0.lock().unwrap_or_else(PoisonError::into_inner));
        Some(Source { name: "the solver's proof".to_owned(), bytes })
    }

    /// Gives the proof file its name, if it proves something. The solver must have been dropped.
    pub(super) fn finish(self, proves: bool) -> Result<(), Exit> {
        let Some(Place { draft, status }) = self.file.filter(|_| proves) else { return Ok(()) };
        status.check().and_then(|()| draft.finish()).map_err(|error| {
            tell!("error: cannot write the proof: {error}");
            Exit::Input
        })
    }
}

/// Returns the format that the name of a proof tells.
fn format_of(path: &Path) -> ProofFormat {
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("lrat") => ProofFormat::Lrat,
        _ => ProofFormat::Drat,
    }
}

fn to_file(path: &Path, format: ProofFormat, clauses: usize) -> Result<(Place, Box<dyn sat::Proof>), Exit> {
    let opened = Draft::new(path).and_then(|draft| Ok((draft.writer()?, draft)));
    let (file, draft) = opened.map_err(|error| {
        tell!("error: cannot write the proof {}: {error}", path.display());
        Exit::Input
    })?;
    let out = BufWriter::new(file);
    let form = match format {
        ProofFormat::Drat | ProofFormat::Lrat => Form::Text,
        ProofFormat::DratBinary | ProofFormat::LratBinary => Form::Binary,
    };
    Ok(match format {
        ProofFormat::Drat | ProofFormat::DratBinary => {
            let (writer, status) = Drat::new(out, form);
            (Place { draft, status }, Box::new(writer))
        }
        ProofFormat::Lrat | ProofFormat::LratBinary => {
            let (writer, status) = Lrat::new(out, form, clauses);
            (Place { draft, status }, Box::new(writer))
        }
    })
}
