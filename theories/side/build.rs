//! Stops the build with a message if no usable Z3 is installed. Without this check the build would continue,
//! and the first error would come from the linker.

use std::env;
use std::path::Path;
use std::process::Command;

/// The oldest Z3 that the bindings support.
const OLDEST: [u32; 3] = [4, 13, 3];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PKG_CONFIG");
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    // If Z3_LIBRARY_PATH_OVERRIDE is set to the library's directory, the check is skipped.
    if env::var_os("CARGO_FEATURE_Z3").is_none() || env::var_os("Z3_LIBRARY_PATH_OVERRIDE").is_some() {
        return;
    }
    if let Err(message) = check() {
        for line in message.lines() {
            println!("cargo::error={line}");
        }
        return;
    }
    // If the downloaded library is deleted, Cargo runs this script again, which restores the library.
    let header = ask("--variable=libdir").map(|directory| Path::new(&directory).join("include/z3.h"));
    if let Some(header) = header.ok().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", header.display());
    }
}

/// Checks that Z3 is installed and new enough. Returns an error message otherwise.
fn check() -> Result<(), String> {
    let version = ask("--modversion")?;
    let numbers: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    if numbers.as_slice() >= OLDEST.as_slice() {
        return Ok(());
    }
    let [major, minor, patch] = OLDEST;
    Err(format!(
        "The installed Z3 is {version}; {major}.{minor}.{patch} or newer is needed.\n\
         Run cargo inside the repository without PKG_CONFIG set (it then brings its own Z3), or use \
         --no-default-features --features cli."
    ))
}

/// Returns the output of pkg-config with `option`. It runs the same pkg-config as the bindings
/// (`.cargo/config.toml`).
fn ask(option: &str) -> Result<String, String> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_owned());
    let output = Command::new(&program).args([option, "z3"]).output().map_err(|error| {
        format!("Impasse needs the Z3 library, and {program} cannot be run to look for it: {error}")
    })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}
