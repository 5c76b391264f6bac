//! Adds the directory of the Z3 library to the run path of the programs built here, so that
//! `target/release/impasse` can be run directly. (`cargo run` and `cargo test` do not need this, because cargo
//! adds the directory to the loader's search path.)

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PKG_CONFIG");
    println!("cargo::rerun-if-env-changed=IMPASSE_PORTABLE");
    let target_os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if env::var_os("CARGO_FEATURE_Z3").is_none() || target_os == "windows" {
        return;
    }
    let Some(directory) = library_directory() else { return };
    let Some(name) = Path::new(&directory).file_name() else { return };
    let name = name.to_string_lossy();
    let here = if target_os == "macos" { "@loader_path" } else { "$ORIGIN" };
    // Next to the program, as shipped.
    let mut paths = vec![here.to_owned()];
    // `tools/tarball.sh` sets the variable: a shipped program must not name directories of the machine that built it.
    if env::var_os("IMPASSE_PORTABLE").is_none() {
        // Relative to the program, for a moved target directory (examples and tests are one level deeper); and the
        // absolute path, for a moved program.
        paths.extend([format!("{here}/{name}"), format!("{here}/../{name}"), directory.clone()]);
    }
    for path in paths {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{path}");
    }
}

/// Returns the directory of the Z3 library, or `None` if the library is installed in the system. If Z3 is
/// missing, `theories/side` has already stopped the build.
fn library_directory() -> Option<String> {
    let pkg_config = env::var_os("PKG_CONFIG")?;
    let output = Command::new(pkg_config).args(["--variable=libdir", "z3"]).output().ok()?;
    let directory = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !directory.is_empty()).then_some(directory)
}
