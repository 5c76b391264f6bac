//! The places where Z3's library may be, in the order in which they are tried.
//!
//! 1. What the environment variable `IMPASSE_Z3` names. Then no other place is tried.
//! 2. What the host of this library prefers: the Python package names the library of the package `z3-solver`.
//! 3. Beside the program, and in `../lib` from there.
//! 4. The libraries of the system.
//! 5. The Python package `z3-solver` of the `python3` on the path: its authors publish Z3 there for all systems.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, iter, thread};

/// Names by which the system's loader finds the library.
const NAMES: &[&str] = match () {
    () if cfg!(target_os = "macos") => &["libz3.dylib"],
    () if cfg!(windows) => &["libz3.dll", "z3.dll"],
    () => &["libz3.so", "libz3.so.5", "libz3.so.4"],
};

/// Directories of systems in which a version may be part of the name.
const DIRECTORIES: &[&str] = &[
    "/usr/local/lib",
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/opt/homebrew/lib",
];

/// Prints the directory of the Python package, if it is installed. It is not imported, which would take longer. Python
/// would look for it in the current directory first, and files there are not to be run.
const ASK_PYTHON: &str = "import sys; sys.path = [at for at in sys.path if at]
import importlib.util as util; spec = util.find_spec('z3')
print((spec.submodule_search_locations or [''])[0] if spec else '')";

/// The time after which an interpreter that has not answered is ended.
const PATIENCE: Duration = Duration::from_secs(5);
/// The interval at which it is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Returns what the environment variable names.
pub(crate) fn named() -> Option<PathBuf> {
    env::var_os(crate::VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the files, and names for the system's loader. Later places are looked at only if they are reached.
pub(crate) fn places(preferred: Option<&Path>) -> Box<dyn Iterator<Item = PathBuf>> {
    if let Some(named) = named() {
        return Box::new(at(&named).into_iter());
    }
    let first = preferred.map(at).unwrap_or_default();
    let program = env::current_exe().ok();
    let here = program.as_deref().and_then(Path::parent);
    let beside = here.map(|here| [in_directory(here), in_directory(&here.join("../lib"))].concat());
    let system = NAMES.iter().map(PathBuf::from).chain(DIRECTORIES.iter().flat_map(|of| in_directory(Path::new(of))));
    let python = iter::once_with(of_python).flatten();
    Box::new(first.into_iter().chain(beside.unwrap_or_default()).chain(system).chain(python))
}

/// Returns a file that was named, or the libraries in a directory that was named.
fn at(named: &Path) -> Vec<PathBuf> {
    if !named.is_dir() {
        return vec![named.to_owned()];
    }
    [named.to_owned(), named.join("lib"), named.join("z3/lib")].iter().flat_map(|of| in_directory(of)).collect()
}

/// Returns the libraries in a directory. Those with a version in the name come first: Python's `z3` loads these.
fn in_directory(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let is_library = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        NAMES.iter().any(|known| name == *known || !cfg!(windows) && name.starts_with(&format!("{known}.")))
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_library).collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files
}

fn of_python() -> Vec<PathBuf> {
    let python = if cfg!(windows) { "python" } else { "python3" };
    let asked = Command::new(python)
        .args(["-c", ASK_PYTHON])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = asked else { return Vec::new() };
    let began = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            break;
        }
        thread::sleep(LOOK);
    }
    let Ok(output) = child.wait_with_output() else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    let directory = text.trim();
    if directory.is_empty() { Vec::new() } else { in_directory(&Path::new(directory).join("lib")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_a_directory_are_listed_with_versions_first() {
        let directory = env::temp_dir().join(format!("impasse-libz3-{}", std::process::id()));
        fs::create_dir_all(directory.join("lib")).expect("it can be made");
        let newest = format!("{}.9.1", NAMES[0]);
        for name in [NAMES[0], &newest, "libz4.so", "z3.h"] {
            fs::write(directory.join("lib").join(name), "").expect("it can be written");
        }
        let names = |files: Vec<PathBuf>| -> Vec<String> {
            files.iter().map(|file| file.file_name().expect("a file").to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names(at(&directory)), [newest, NAMES[0].to_owned()]);
        assert_eq!(at(&directory.join("other.so")), [directory.join("other.so")]);
        assert!(in_directory(&directory.join("absent")).is_empty());
        fs::remove_dir_all(&directory).expect("it can be removed");
    }

    #[test]
    fn nothing_in_the_current_directory_is_run() {
        let directory = env::temp_dir().join(format!("impasse-libz3-here-{}", std::process::id()));
        fs::create_dir_all(directory.join("z3/lib")).expect("it can be made");
        for name in ["z3/__init__.py", "importlib.py", "typing.py"] {
            fs::write(directory.join(name), "open('ran', 'w')").expect("it can be written");
        }
        let asked = Command::new("python3").args(["-c", ASK_PYTHON]).current_dir(&directory).output();
        if let Ok(output) = asked.as_ref().map(|output| String::from_utf8_lossy(&output.stdout)) {
            assert!(!output.contains("libz3-here"), "{output}");
            assert!(!directory.join("ran").exists());
        }
        fs::remove_dir_all(&directory).expect("it can be removed");
    }
}
