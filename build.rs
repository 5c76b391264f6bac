//! Tells the programs built here where the Z3 library lies, so that `target/release/impasse` runs as it is. (`cargo run` and
//! `cargo test` find it anyway: cargo puts the library's directory on the loader's path.)

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PKG_CONFIG");
    let target_os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if env::var_os("CARGO_FEATURE_Z3").is_none() || target_os == "windows" {
        return;
    }
    let Some(directory) = library_directory() else { return };
    let Some(name) = Path::new(&directory).file_name() else { return };
    let name = name.to_string_lossy();
    let here = if target_os == "macos" { "@loader_path" } else { "$ORIGIN" };
    // Beside the program (as shipped); relative, for a target directory that was moved (examples and tests lie one level
    // deeper); absolute, for a program that was moved.
    for path in [here, &format!("{here}/{name}"), &format!("{here}/../{name}"), &directory] {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{path}");
    }
}

/// Where Z3 lies, if it is not installed in the system; `theories/side` has stopped the build if there is none.
fn library_directory() -> Option<String> {
    let pkg_config = env::var_os("PKG_CONFIG")?;
    let output = Command::new(pkg_config).args(["--variable=libdir", "z3"]).output().ok()?;
    let directory = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !directory.is_empty()).then_some(directory)
}
