//! Satisfies the linker. The crate `z3-sys` names a library `z3`, and this crate defines its functions: so the linker
//! gets a library of this name without content. The programs do not depend on the file of Z3.

use std::path::PathBuf;
use std::{env, fs};

/// An archive without members.
const EMPTY: &[u8] = b"!<arch>\n";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    for name in ["libz3.a", "libz3.lib", "z3.lib"] {
        fs::write(directory.join(name), EMPTY).expect("Cargo's directory can be written");
    }
    println!("cargo::rustc-link-search=native={}", directory.display());
}
