//! Writes evidence and other results into files. A file gets its name only when it is complete.

use super::exit::Exit;
use super::kinds;
use impasse::model::{Certificate, Claim, Problem, Property};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Creates `dir` and checks that files can be written into it, before any work is done.
pub(crate) fn prepare(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    Draft::new(&dir.join("probe")).map(drop)
}

/// The names of a model that its evidence needs.
pub(crate) struct Subject {
    /// The name of the file as the user gave it.
    pub(crate) name: String,
    /// The beginning of the names of the evidence files.
    pub(crate) stem: String,
    /// The file with the bodies of functions that a reactive program does not define, if there is one.
    pub(crate) bodies: Option<String>,
}

/// Writes the evidence of `claim` into `dir`, under one file name for each property that the claim settles.
/// Returns the paths. If the claim is about a bound, the file name contains the bound, because each of several
/// bounds may have its own evidence. No partial file is left behind.
///
/// Some evidence is also written for other tools. Nets: runs as `.scn`, and invariants as `.smt2`. Circuits:
/// runs as AIGER witnesses (`.aiw`) or BTOR2 witnesses (`.wit`), and clauses as witness circuits
/// (`.witness.aag`). Reactive programs: runs as words (`.word.txt`), and as C programs that feed them to the original
/// (`.repro.c`).
pub(crate) fn save(
    dir: &Path,
    model: &Subject,
    problem: &Problem,
    properties: &[&Property],
    claim: &Claim,
) -> io::Result<Vec<PathBuf>> {
    let within = match claim {
        Claim::Within { within, .. } => format!(".bound-{}", within.most),
        _ => String::new(),
    };
    let name =
        |property: &&Property| dir.join(format!("{}{within}.evidence.json", beginning(&model.stem, &property.id)));
    let paths: Vec<PathBuf> = properties.iter().map(name).collect();
    let mut written: Option<&Path> = None;
    for path in &paths {
        match written {
            None => whole(path, |out| evidence::write(&model.name, problem, claim, out))?,
            Some(first) => another_name(first, path)?,
        }
        written = Some(path);
    }
    if problem.system().as_marked().is_some() && matches!(claim, Claim::Safe { .. }) {
        let path = |property: &&Property| dir.join(format!("{}.smt2", beginning(&model.stem, &property.id)));
        obligations(problem, claim, &properties.iter().map(path).collect::<Vec<_>>())?;
        return Ok(paths);
    }
    for property in properties {
        let stem = beginning(&model.stem, &property.id);
        kinds::of(problem).export(&Export { dir, stem, model, claim }, property.goal)?;
    }
    Ok(paths)
}

/// Writes the obligations of a proof about nets under these names. Writes nothing if there are none, or if
/// they are too large to be useful.
fn obligations(problem: &Problem, claim: &Claim, paths: &[PathBuf]) -> io::Result<()> {
    let Claim::Safe { certificate: Certificate::Invariant(_), .. } = claim else { return Ok(()) };
    let mut text = Vec::new();
    if evidence::smt::write(problem, claim, &mut text).is_err() {
        return Ok(());
    }
    let Some((first, others)) = paths.split_first() else { return Ok(()) };
    whole(first, |out| out.write_all(&text))?;
    others.iter().try_for_each(|path| another_name(first, path))
}

/// Evidence to be written for other tools.
pub(crate) struct Export<'a> {
    dir: &'a Path,
    stem: String,
    pub(crate) model: &'a Subject,
    pub(crate) claim: &'a Claim,
}

impl Export<'_> {
    /// Returns the path of a file with this extension.
    pub(crate) fn path(&self, extension: &str) -> PathBuf {
        self.dir.join(format!("{}.{extension}", self.stem))
    }
}

/// Gives the file `first` a second name. This saves space, because state sets are large. If the file system
/// allows only one name for a file, the file is copied.
fn another_name(first: &Path, second: &Path) -> io::Result<()> {
    replaceable(second)?;
    match fs::remove_file(second) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::hard_link(first, second)
        .or_else(|_| whole(second, |out| io::copy(&mut File::open(first)?, out).map(|_bytes| ())))
}

/// Beginnings of file names, which are unique within one command.
///
/// For each beginning in small letters, the next number to try: a batch may check one model thousands of times. (Some
/// file systems do not tell apart names that differ in the case of letters.)
#[derive(Default)]
pub(crate) struct Stems(BTreeMap<String, u64>);

impl Stems {
    /// Returns the beginning of file names for the model called `name`. If an earlier model has this beginning,
    /// a number from 2 is added.
    pub(crate) fn next(&mut self, name: &str) -> String {
        let plain = stem(name);
        let mut n = self.0.get(&plain.to_lowercase()).copied().unwrap_or(1);
        let mut free = if n == 1 { plain.clone() } else { format!("{plain}-{n}") };
        while self.0.contains_key(&free.to_lowercase()) {
            n += 1;
            free = format!("{plain}-{n}");
        }
        self.0.insert(free.to_lowercase(), 2);
        self.0.insert(plain.to_lowercase(), n + 1);
        free
    }
}

/// Writes a file as a whole: it gets its name when everything is written.
pub(crate) fn whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let draft = Draft::new(path)?;
    let mut out = BufWriter::new(draft.writer()?);
    write(&mut out)?;
    out.flush()?;
    draft.finish()
}

/// Drafts that are not complete. Ending the process runs no destructors, so [`end`] removes the drafts in
/// this list.
static OPEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn open() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process at once, whatever its other threads do. No draft is left behind.
pub(crate) fn end(exit: Exit) -> ! {
    // The lock is held until the process ends, so that no new draft appears.
    let drafts = open();
    for draft in drafts.iter() {
        // The draft may have got its final name meanwhile. Other errors can no longer be handled.
        let _ = fs::remove_file(draft);
    }
    meter::end(exit.code())
}

/// A file that gets its name when it is complete. An incomplete file is removed.
pub(crate) struct Draft {
    file: NamedTempFile,
    path: PathBuf,
    _entry: Entry,
}

/// An entry in the list of open drafts.
struct Entry(PathBuf);

impl Drop for Entry {
    fn drop(&mut self) {
        open().remove(&self.0);
    }
}

impl Draft {
    /// Creates a draft in the directory of its final path, so that it only has to be renamed.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        replaceable(path)?;
        let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !fs::metadata(dir)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        // The watchdog also locks the list, so this thread must not be held.
        meter::pass(|| {
            let mut open = open();
            // The error does not contain the name of the draft, which the user does not know.
            let file = NamedTempFile::new_in(dir).map_err(|error| io::Error::from(error.kind()))?;
            open.insert(file.path().to_owned());
            let entry = Entry(file.path().to_owned());
            Ok(Self { file, path: path.to_owned(), _entry: entry })
        })
    }

    /// Returns the file to write to.
    pub(crate) fn writer(&self) -> io::Result<File> {
        self.file.reopen()
    }

    /// Gives the file its name. Everything must be written.
    pub(crate) fn finish(self) -> io::Result<()> {
        readable(&self.file)?;
        self.file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Checks that the path of a result is free, or names an ordinary file, which may be overwritten. A symbolic
/// link is not an ordinary file.
fn replaceable(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_symlink() => Err(io::Error::other(format!("{} is a symbolic link", path.display()))),
        Ok(there) if !there.is_file() => Err(io::Error::other("the path exists and is not an ordinary file")),
        Ok(there) if there.permissions().readonly() => Err(io::Error::other("the file is write-protected")),
        // Nothing is there, or the path cannot be examined. In the second case, creating the draft reports
        // the error.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Gives a result the permissions that new files usually have. Temporary files are private.
#[cfg(unix)]
fn readable(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_file: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

/// Returns the file name of the model without its directories, and without the extension by which it was
/// read.
fn stem(model: &str) -> String {
    let name = Path::new(model).file_name().map_or_else(|| "model".into(), |n| n.to_string_lossy());
    let mut plain = name.strip_suffix(".xz").or_else(|| name.strip_suffix(".gz")).unwrap_or(&name);
    let extensions = readers::ALL.iter().flat_map(|f| f.extensions);
    if let Some(stem) = extensions.filter_map(|e| plain.strip_suffix(e)?.strip_suffix('.')).min_by_key(|s| s.len()) {
        plain = stem;
    }
    let plain: String = plain.replace(['<', '>'], "").chars().map(|c| if is_forbidden(c) { '_' } else { c }).collect();
    let device = plain.split('.').next().unwrap_or_default().to_ascii_lowercase();
    if DEVICES.contains(&device.trim_end_matches(|c: char| c.is_ascii_digit())) { format!("_{plain}") } else { plain }
}

/// Names of devices of Windows, without a number at the end. A file must not have one before its first point.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns true for characters that a file name cannot contain on Linux, Windows, or in stores of build services.
fn is_forbidden(c: char) -> bool {
    c.is_ascii_control() || r#"<>:"/\|?*"#.contains(c)
}

/// Maximum bytes of the beginning of a file name. File systems allow more, but the longest ending that we add
/// and the ending of a draft must fit, too.
const LONGEST: usize = 200;

/// Returns the beginning of the names of a property's files. A long beginning is cut, and ends in a hash of its
/// full text (FNV-1a, Fowler, Noll, Vo 1991).
fn beginning(stem: &str, id: &str) -> String {
    let whole = format!("{stem}.{}", in_file_name(id));
    if whole.len() <= LONGEST {
        return whole;
    }
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = whole.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    let end = (0..=LONGEST - 17).rev().find(|&at| whole.is_char_boundary(at)).unwrap_or(0);
    format!("{}-{hash:016x}", &whole[..end])
}

/// Returns the id of a property without characters that file names cannot contain: `error-1` for `error:1`. Ids from
/// contest files may be any text. Different ids give different results. No result ends like the name of a file about a
/// bound ([`save`]).
fn in_file_name(id: &str) -> String {
    let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (word, number) = id.split_at(id.len() - digits);
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    if digits > 0 && word.strip_suffix(':').is_some_and(is_word) {
        return format!("{}-{number}", word.trim_end_matches(':'));
    }
    // These two forms of names are taken.
    let is_taken = word.strip_suffix('-').is_some_and(|word| is_word(word) || word.ends_with(".bound"));
    let hyphen = (digits > 0 && is_taken).then_some(word.len() - 1);
    let mut name = String::with_capacity(id.len());
    for (at, c) in id.char_indices() {
        match c {
            '%' => name.push_str("%25"),
            c if is_forbidden(c) => name.push_str(&format!("%{:02X}", u32::from(c))),
            '-' if hyphen == Some(at) => name.push_str("%2D"),
            c => name.push(c),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_model() {
        assert_eq!(stem("a/b/tank.rwb.xz"), "tank");
        assert_eq!(stem("tank.json"), "tank");
        assert_eq!(stem("<stdin>"), "stdin");
        assert_eq!(stem("a/kanban.rwb.json"), "kanban.rwb");
        assert_eq!(stem("a:b?.rwb"), "a_b_");
        assert_eq!(stem("COM1.b.rwb"), "_COM1.b");
        assert_eq!(stem("command.rwb"), "command");
    }

    #[test]
    fn ids_cannot_lead_elsewhere() {
        assert_eq!(in_file_name("Net-PT-02-Reachability-00"), "Net-PT-02-Reachability-00");
        assert_eq!(in_file_name("target:2"), "target-2");
        assert_eq!(in_file_name("target-2"), "target%2D2");
        assert_eq!(in_file_name("a: b|c?:3"), "a%3A b%7Cc%3F%3A3");
        assert_eq!(in_file_name("../a/b%2F\n"), "..%2Fa%2Fb%252F%0A");
    }

    #[test]
    fn ids_are_not_taken_for_bounds() {
        assert_eq!(in_file_name("P.bound-3"), "P.bound%2D3");
        assert_eq!(in_file_name("bound-3"), "bound%2D3", "another model may be called M.P");
        assert_eq!(in_file_name("P.bound-3.bound-12"), "P.bound-3.bound%2D12");
        assert_eq!(in_file_name("P.bound-"), "P.bound-");
        assert_eq!(in_file_name("P.bound-3x"), "P.bound-3x");
        assert_eq!(in_file_name("rebound-3"), "rebound%2D3", "`rebound:3` has the other name");
    }

    #[test]
    fn long_names_of_properties_are_cut_and_stay_apart() {
        let ids = [format!("{}a", "\u{e9}x".repeat(150)), format!("{}b", "\u{e9}x".repeat(150))];
        let [a, b] = [beginning("net", &ids[0]), beginning("net", &ids[1])];
        assert!(a != b && a.len() <= LONGEST && b.len() <= LONGEST, "{a} {b}");
        assert!(a.starts_with("net.\u{e9}x"), "{a}");
        assert_eq!(beginning("net", "target:2"), "net.target-2");
        assert!(beginning(&"m".repeat(250), "x").len() <= LONGEST);
    }

    #[test]
    fn no_two_models_share_a_stem() {
        let mut stems = Stems::default();
        let given: Vec<String> =
            ["a/t.rwb", "b/t.rwb", "t-2.rwb", "t.json", "u.rwb", "T.rwb"].iter().map(|name| stems.next(name)).collect();
        assert_eq!(given, ["t", "t-2", "t-2-2", "t-3", "u", "T-4"]);
    }

    #[test]
    fn only_ordinary_files_are_replaced() {
        let dir = tempfile::tempdir().expect("a place for temporary files");
        assert!(Draft::new(dir.path()).is_err(), "a directory");
        let path = dir.path().join("kept");
        fs::write(&path, "old").expect("it can be written");
        let mut protected = fs::metadata(&path).expect("it is there").permissions();
        protected.set_readonly(true);
        fs::set_permissions(&path, protected).expect("it is ours");
        assert!(Draft::new(&path).is_err(), "a write-protected file");
        #[cfg(unix)]
        for target in ["elsewhere", "nowhere"] {
            let (target, link) = (dir.path().join(target), dir.path().join(format!("link-to-{target}")));
            if target.ends_with("elsewhere") {
                fs::write(&target, "kept").expect("it can be written");
            }
            std::os::unix::fs::symlink(&target, &link).expect("links can be made");
            assert!(Draft::new(&link).is_err(), "a symbolic link");
            assert!(another_name(&path, &link).is_err(), "a symbolic link, for a second name");
        }
    }

    #[test]
    fn open_drafts_are_known() {
        let dir = tempfile::tempdir().expect("a place for temporary files");
        let draft = || Draft::new(&dir.path().join("out")).expect("the place is free");
        let known = || open().iter().filter(|p| p.starts_with(dir.path())).count();
        let (dropped, finished) = (draft(), draft());
        assert_eq!(known(), 2);
        drop(dropped);
        finished.finish().expect("it can get its name");
        assert_eq!(known(), 0);
        assert_eq!(fs::read_dir(dir.path()).expect("it is a directory").count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a place for temporary files");
        let path = dir.path().join("out");
        let failed = whole(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_dir(dir.path()).expect("it is a directory").count(), 0);
    }
}
