//! The door to Z3: whether it is there, and what was left open because it is not.
//!
//! Z3 is loaded when a query needs it (`libz3`). Without it, each query that needs it is given up, and the first one of
//! each kind is remembered, so that a report can say what is missing once, and how to get it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What asks Z3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asker {
    /// Lemmas of patterns: [`crate::Side`].
    Lemmas,
    /// Programs with unbounded data: [`crate::horn`].
    Horn,
}

/// For each [`Asker`]: true if it needed Z3, and there was none.
static MISSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// What was left open because there is no Z3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missed {
    /// Why there is none, as in `Z3 was not found`.
    pub why: String,
    /// The names of the engines that would have asked it.
    pub engines: Vec<&'static str>,
}

impl Missed {
    /// How to get Z3.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match cfg!(feature = "z3") {
            true => "`pip install z3-solver` adds Z3, or IMPASSE_Z3 names its library",
            false => "build with the feature `z3`",
        }
    }
}

/// Returns what has needed Z3 in vain, if anything has.
#[must_use]
pub fn missed() -> Option<Missed> {
    let engines: Vec<&'static str> = [(Asker::Lemmas, "dpllt"), (Asker::Horn, "symbolic")]
        .into_iter()
        .filter(|(asker, _)| MISSED[*asker as usize].load(Ordering::Relaxed))
        .map(|(_, engine)| engine)
        .collect();
    // `find` loads Z3, so it is not asked without need.
    if engines.is_empty() {
        return None;
    }
    Some(Missed { why: find().err()?, engines })
}

/// Loads Z3, and returns its version and its file.
///
/// # Errors
/// Why there is no Z3.
pub fn find() -> Result<(String, String), String> {
    #[cfg(feature = "z3")]
    return match libz3::loaded() {
        Ok(loaded) => Ok((loaded.version.to_string(), loaded.file.display().to_string())),
        Err(missing) => Err(missing.to_string()),
    };
    #[cfg(not(feature = "z3"))]
    Err("this program was built without Z3".to_owned())
}

/// Names a file, or a directory with it, where Z3 is looked for first. It has an effect only before Z3 is loaded.
pub fn prefer(path: &Path) {
    #[cfg(feature = "z3")]
    libz3::prefer(path);
    #[cfg(not(feature = "z3"))]
    let _ = path;
}

/// Returns true if Z3 is loaded, and loads it first if it is not. Remembers that it was needed if there is none.
pub(crate) fn opens(asker: Asker) -> bool {
    #[cfg(feature = "z3")]
    let is_there = libz3::load().is_ok();
    #[cfg(not(feature = "z3"))]
    let is_there = false;
    if !is_there {
        MISSED[asker as usize].store(true, Ordering::Relaxed);
    }
    is_there
}
