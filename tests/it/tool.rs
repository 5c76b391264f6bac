//! Running the `impasse` binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository: where README commands are run.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A place for files of this test run.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Left over from an earlier run, or not there at all.
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target directory can be written");
    dir
}

/// The command with these arguments, at the root of the repository and without colours.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impasse"));
    command.args(args).current_dir(root()).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

/// Runs it to the end.
pub(crate) fn run(args: &[&str]) -> Output {
    let output = command(args).stdin(Stdio::null()).output().expect("the binary starts");
    checked(args, output)
}

/// The same output; a JSON report fits its schema.
fn checked(args: &[&str], output: Output) -> Output {
    if args.first() == Some(&"check") && args.windows(2).any(|pair| pair == ["--format", "json"]) {
        crate::schema::check_report(&stdout(&output));
    }
    output
}

/// Runs it with `input` on standard input.
pub(crate) fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it was asked for");
    // The command may end without reading everything.
    let _ = stdin.write_all(input);
    drop(stdin);
    checked(args, child.wait_with_output().expect("it ends"))
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("it ends by itself")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("results are text")
}

/// Exit code, stdout and stderr in one text, for snapshots.
pub(crate) fn transcript(output: &Output) -> String {
    let err = String::from_utf8_lossy(&output.stderr);
    format!("exit {}\n--- stdout\n{}--- stderr\n{err}", code(output), stdout(output))
}
