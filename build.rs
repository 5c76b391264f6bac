//! Tells release builds the commit that they are built from, for `--version`. Other builds do without, so that a commit
//! does not cause the whole command to be built again.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release")
        && let Some(commit) = named().or_else(packaged).or_else(checked_out)
    {
        println!("cargo::rustc-env=IMPASSE_COMMIT={}", &commit[..commit.len().min(12)]);
    }
}

/// Returns the commit that the environment names, where the clone is not there: in an image.
fn named() -> Option<String> {
    println!("cargo::rerun-if-env-changed=IMPASSE_COMMIT");
    env::var("IMPASSE_COMMIT").ok().filter(|commit| !commit.is_empty())
}

/// Returns the commit of a package of crates.io: `cargo package` writes it into this file.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// Returns the commit of a clone.
fn checked_out() -> Option<String> {
    let log = ".git/logs/HEAD";
    if !Path::new(log).exists() {
        return None;
    }
    println!("cargo::rerun-if-changed={log}");
    let output = Command::new("git").args(["rev-parse", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}
