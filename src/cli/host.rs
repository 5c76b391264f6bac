//! The program that gives the command: the native one, or Python.

use meter::Meter;
use std::ffi::OsString;
use std::sync::OnceLock;

/// What the command has to know of its program.
#[derive(Debug)]
pub struct Host {
    /// The global allocator of the program. It measures its memory, and holds threads beyond `--memory`.
    pub meter: &'static Meter,
    /// The words of the command line; the first one is the name of the program.
    pub args: Vec<OsString>,
    /// The words that start the program again, without arguments. The first one is the file of a program. If there are
    /// none, the file of this process is meant.
    pub again: Vec<OsString>,
}

static HOST: OnceLock<Host> = OnceLock::new();
/// For tests of parts of the command, which have no program.
static UNUSED: Meter = Meter::new();

/// Sets the host. Only the first call has an effect.
pub(super) fn set(host: Host) {
    let _ = HOST.set(host);
}

/// Returns the allocator of the program.
pub(super) fn meter() -> &'static Meter {
    HOST.get().map_or(&UNUSED, |host| host.meter)
}

/// Returns the words of the command line after the name of the program.
pub(super) fn args() -> impl Iterator<Item = OsString> {
    HOST.get().map(|host| host.args.iter().skip(1).cloned()).into_iter().flatten()
}

/// Returns a command that starts the program again.
#[cfg(any(feature = "cluster", feature = "explore", feature = "lsp"))]
pub(super) fn again() -> std::io::Result<std::process::Command> {
    Ok(match HOST.get().and_then(|host| host.again.split_first()) {
        Some((program, words)) => {
            let mut command = std::process::Command::new(program);
            command.args(words);
            command
        }
        None => std::process::Command::new(std::env::current_exe()?),
    })
}
