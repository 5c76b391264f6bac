//! Other tools that are asked the same about each circuit: `pdr` of ABC, with `l2s` for justice properties, and rIC3.

use super::member::Member;
use crate::args::CircuitArgs;
use crate::ic3::run::{ABC, Ran, Runner};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names of rIC3 in the search path.
const RIC3: [&str; 2] = ["rIC3", "ric3"];

/// Another tool.
pub(super) enum Peer {
    /// `pdr` of ABC.
    Pdr,
    /// `l2s` of ABC, which translates liveness to safety, and then `pdr`.
    L2s,
    /// The engine IC3 of rIC3, with its program.
    Ric3(PathBuf),
}

impl Peer {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Peer::Pdr => "pdr",
            Peer::L2s => "l2s; pdr",
            Peer::Ric3(_) => "rIC3",
        }
    }

    /// Asks about the circuit, which `file` contains.
    pub(super) fn run(&self, runner: &Runner, member: &Member, file: &Path) -> io::Result<Ran> {
        match self {
            Peer::Pdr => runner.abc(file),
            Peer::L2s => {
                let changed = file.with_extension("l2s.aig");
                member.write_for_l2s(&changed)?;
                runner.abc_l2s(&changed)
            }
            Peer::Ric3(program) => runner.ric3(program, file),
        }
    }
}

/// Returns the peers that are installed and can answer, and a sentence about each that is left out.
///
/// # Errors
///
/// If the program that the command line names does not run.
pub(super) fn installed(args: &CircuitArgs) -> io::Result<(Vec<Peer>, Vec<String>)> {
    let (mut peers, mut left_out) = (Vec::new(), Vec::new());
    if Runner::has_abc() {
        peers.push(if args.liveness { Peer::L2s } else { Peer::Pdr });
    } else {
        left_out.push(format!("`{ABC}` is not installed, so its times are missing."));
    }
    if args.liveness {
        left_out.push("rIC3 reads no justice properties, so its times are missing.".to_owned());
    } else if let Some(program) = ric3(args.ric3.as_deref())? {
        peers.push(Peer::Ric3(program));
    } else {
        left_out.push("rIC3 is not installed, so its times are missing. `--ric3 PATH` names its program.".to_owned());
    }
    Ok((peers, left_out))
}

/// Returns the program of rIC3: the given one, or one in the search path.
fn ric3(given: Option<&Path>) -> io::Result<Option<PathBuf>> {
    let runs = |program: &Path| {
        let mut command = Command::new(program);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    match given {
        Some(program) if runs(program) => Ok(Some(program.to_owned())),
        Some(program) => Err(io::Error::other(format!("{} is not rIC3: it does not run", program.display()))),
        None => Ok(RIC3.map(PathBuf::from).into_iter().find(|program| runs(program))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_an_error_if_it_was_named() {
        let error = ric3(Some(Path::new("/nonexistent/rIC3"))).expect_err("it is not there");
        assert!(error.to_string().contains("/nonexistent/rIC3"), "{error}");
    }
}
