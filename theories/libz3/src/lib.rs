//! Z3's library (`libz3`), loaded when it is first needed. Programs start, and do all that needs no Z3, on machines
//! without it.
//!
//! ```
//! match libz3::load() {
//!     Ok(version) => assert!(version >= libz3::OLDEST),
//!     Err(missing) => assert!(missing.to_string().contains("Z3")),
//! }
//! ```
//!
//! The crates `z3` and `z3-sys` expect functions of C with the names of Z3's interface, and an ordinary build would
//! bind the program to the file that has them: without it, the program would not start. Here each of these functions is
//! a jump to an address ([`functions`]), and [`load`] fills in the addresses of the library that [`search`] finds. So
//! [`load`] must have succeeded before any other use of Z3.
//!
//! # Why this crate has unsafe code
//!
//! Only here a library is loaded that is not known when the program is built. That is unsafe in Rust: its code runs,
//! and no compiler checks that a function has the arguments that its name promises. What is relied on: a library that
//! has `Z3_get_version`, and tells a version of at least [`OLDEST`], is Z3, and its functions have the signatures of
//! `z3-sys`. (Z3 keeps them; functions are only added.) The library stays loaded until the process ends.

mod functions;
mod search;

use libloading::Library;
use std::ffi::c_uint;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// The oldest version that is used. The crate `z3` supports 4.13.3, but Spacer of versions before 5 does not end on
/// some of the systems of clauses that the engine `symbolic` asks about.
pub const OLDEST: Version = Version([5, 0, 0]);

/// A version of Z3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub [u32; 3]);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// Z3 as it was loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// Its version.
    pub version: Version,
    /// Its file, or its name if the system found the file.
    pub file: PathBuf,
}

/// Why there is no Z3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The libraries that were found but cannot be used, each with the reason.
    unfit: Vec<(PathBuf, String)>,
    /// What the environment variable [`VARIABLE`] names. Nothing else was tried then.
    named: Option<PathBuf>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unfit[..] {
            [] => write!(f, "Z3 was not found")?,
            unfit => {
                let each = |(file, why): &(PathBuf, String)| format!("{} {why}", file.display());
                write!(f, "no Z3 can be used: {}", unfit.iter().map(each).collect::<Vec<_>>().join("; "))?;
            }
        }
        match &self.named {
            Some(named) => write!(f, " ({VARIABLE} names `{}`)", named.display()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Missing {}

static PREFERRED: OnceLock<PathBuf> = OnceLock::new();
static LOADED: OnceLock<Result<Loaded, Missing>> = OnceLock::new();

/// Names a file, or a directory with it, where Z3 is looked for first, unless the environment variable [`VARIABLE`]
/// names one. Only the first call has an effect, and only before Z3 is loaded.
pub fn prefer(path: &Path) {
    let _ = PREFERRED.set(path.to_owned());
}

/// The environment variable that names Z3's file, or a directory with it. No other place is tried then.
pub const VARIABLE: &str = "IMPASSE_Z3";

/// Loads Z3, unless it is loaded. A failure is final for the process.
///
/// # Errors
/// If no library is found that can be used.
pub fn load() -> Result<Version, &'static Missing> {
    loaded().map(|loaded| loaded.version)
}

/// Like [`load`], and tells the file.
///
/// # Errors
/// As [`load`].
pub fn loaded() -> Result<&'static Loaded, &'static Missing> {
    LOADED.get_or_init(first_usable).as_ref()
}

fn first_usable() -> Result<Loaded, Missing> {
    let mut unfit = Vec::new();
    for file in search::places(PREFERRED.get().map(PathBuf::as_path)) {
        match open(&file) {
            Ok(Some(version)) => return Ok(Loaded { version, file }),
            Ok(None) => {}
            // Several names may lead to the same file.
            Err(why) if !unfit.iter().any(|(_, known)| *known == why) => unfit.push((file, why)),
            Err(_) => {}
        }
    }
    Err(Missing { unfit, named: search::named() })
}

/// Opens a library, and fills in the addresses of its functions. `None` if there is no such file.
fn open(file: &Path) -> Result<Option<Version>, String> {
    // A pipe would be waited for.
    if file.metadata().is_ok_and(|about| !about.is_file()) {
        return Err("is no file".to_owned());
    }
    // SAFETY: the code that runs when the library is loaded is that of Z3, or of a library with its name.
    let library = match unsafe { Library::new(file) } {
        Ok(library) => library,
        // A name without a directory is only a try.
        Err(_) if file.parent().is_none_or(|parent| parent == Path::new("")) => return Ok(None),
        Err(why) => return Err(format!("cannot be loaded ({why})")),
    };
    let version = version(&library).ok_or("is not Z3")?;
    if version < OLDEST {
        return Err(format!("is version {version}, and {OLDEST} or a newer one is necessary"));
    }
    for (name, slot) in functions::ALL {
        // SAFETY: the symbol is only used as an address.
        if let Ok(address) = unsafe { library.get::<*mut ()>(name.as_bytes()) } {
            slot.store(*address, Ordering::Relaxed);
        }
    }
    // The addresses stay valid.
    std::mem::forget(library);
    Ok(Some(version))
}

fn version(library: &Library) -> Option<Version> {
    type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint);
    // SAFETY: the function has had this signature in all versions of Z3.
    let get = unsafe { library.get::<GetVersion>(b"Z3_get_version\0") }.ok()?;
    let mut parts = [0; 4];
    let [major, minor, build, revision] = &mut parts;
    // SAFETY: the function writes four numbers to these places.
    unsafe { get(major, minor, build, revision) };
    let [major, minor, build, _] = parts;
    Some(Version([major, minor, build]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_parts() {
        assert!(Version([4, 16, 0]) < OLDEST && Version([5, 0, 1]) > OLDEST && Version([10, 0, 0]) > OLDEST);
        assert_eq!(OLDEST.to_string(), "5.0.0");
    }

    #[test]
    fn a_library_that_is_not_z3_is_named() {
        let program = std::env::current_exe().expect("it runs");
        let why = open(&program).expect_err("a program is no library");
        let missing = Missing { unfit: vec![(program.clone(), why)], named: None };
        assert!(missing.to_string().contains(&program.display().to_string()), "{missing}");
        assert_eq!(open(Path::new("libz3-that-nobody-has.so")), Ok(None));
        let missing = Missing { unfit: Vec::new(), named: None };
        assert_eq!(missing.to_string(), "Z3 was not found");
        let missing = Missing { named: Some(PathBuf::from("nowhere")), ..missing };
        assert_eq!(missing.to_string(), "Z3 was not found (IMPASSE_Z3 names `nowhere`)");
    }
}
