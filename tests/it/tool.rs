//! Functions to run the `impasse` binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// What has not ended after this time hangs. A loaded machine makes everything slow, so no test has a shorter limit.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the root of the repository, in which README commands are run.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns an empty directory for files of this test.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The directory of an earlier run may exist or not.
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target directory can be written");
    dir
}

/// Returns the command with these arguments, in the root of the repository and without colours.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impasse"));
    command.args(args).current_dir(root()).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

/// Runs the command to its end.
pub(crate) fn run(args: &[&str]) -> Output {
    let output = command(args).stdin(Stdio::null()).output().expect("the binary starts");
    checked(args, output)
}

/// Returns the same output, after a check that a JSON report fits its schema.
fn checked(args: &[&str], output: Output) -> Output {
    if args.first() == Some(&"check") && args.windows(2).any(|pair| pair == ["--format", "json"]) {
        crate::schema::check_report(&stdout(&output));
    }
    output
}

/// Runs the command with `input` on standard input.
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

/// Returns exit code, stdout and stderr as one text, for snapshots.
pub(crate) fn transcript(output: &Output) -> String {
    let err = String::from_utf8_lossy(&output.stderr);
    format!("exit {}\n--- stdout\n{}--- stderr\n{err}", code(output), stdout(output))
}
