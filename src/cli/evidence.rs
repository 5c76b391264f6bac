//! Writing evidence where the user wants it, and what should never happen where it can be found.

use super::exit::Exit;
use super::kinds;
use impasse::formats;
use impasse::model::{Certificate, Claim, Problem, Property};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Makes sure that files can be written into `dir`, before there is anything to lose.
pub(crate) fn prepare(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    Draft::new(&dir.join("probe")).map(drop)
}

/// A model as its evidence names it.
pub(crate) struct Subject {
    /// As the user knows it.
    pub(crate) name: String,
    /// What names of files begin with.
    pub(crate) stem: String,
    /// Where functions of a reactive program have their bodies, if not in itself.
    pub(crate) bodies: Option<String>,
}

/// Writes the evidence of `claim` into `dir`, with a name for each of the properties that it settles; where it is
/// about a bound only, that is in the name, as each of several bounds has its own. Nothing partial is left behind.
/// For other tools, runs of nets are also written as `.scn`, and facts about all markings as `.smt2`; runs of
/// circuits as AIGER witnesses (`.aiw`), and clauses about them as witness circuits (`.witness.aag`); runs of
/// reactive programs as words (`.word.txt`) and as C programs that feed them (`.repro.c`).
pub(crate) fn save(
    dir: &Path,
    model: &Subject,
    problem: &Problem,
    properties: &[&Property],
    claim: &Claim,
) -> io::Result<Vec<PathBuf>> {
    let within = match claim {
        Claim::Within { within, .. } => format!(".bound-{}", within.most),
        Claim::Safe { .. } | Claim::Unsafe { .. } | Claim::Unknown { .. } => String::new(),
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

/// Writes the obligations of a proof about nets under these names, if there are some and they are no more than
/// anybody wants to read.
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
    /// A file for it.
    pub(crate) fn path(&self, extension: &str) -> PathBuf {
        self.dir.join(format!("{}.{extension}", self.stem))
    }
}

/// Gives the file `first` a second name, or a copy where files have only one: state sets are large.
fn another_name(first: &Path, second: &Path) -> io::Result<()> {
    replaceable(second)?;
    match fs::remove_file(second) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::hard_link(first, second)
        .or_else(|_| whole(second, |out| io::copy(&mut File::open(first)?, out).map(|_bytes| ())))
}

/// Beginnings of file names, no two alike within one command.
#[derive(Default)]
pub(crate) struct Stems(BTreeSet<String>);

impl Stems {
    /// For the model called `name`; if another one took that beginning, numbered from 2.
    pub(crate) fn next(&mut self, name: &str) -> String {
        let plain = stem(name);
        let mut free = plain.clone();
        let mut n = 2u64;
        while !self.0.insert(free.clone()) {
            free = format!("{plain}-{n}");
            n += 1;
        }
        free
    }
}

/// Writes a file as a whole: it appears under its name when everything is in it.
pub(crate) fn whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let draft = Draft::new(path)?;
    let mut out = BufWriter::new(draft.writer()?);
    write(&mut out)?;
    out.flush()?;
    draft.finish()
}

/// Drafts that are not complete. Ending the process runs no destructors, so somebody else must know what to remove.
static OPEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn open() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process at once, whatever other threads are at. No draft is left behind.
pub(crate) fn end(exit: Exit) -> ! {
    // Held to the end, so that no new draft appears.
    let drafts = open();
    for draft in drafts.iter() {
        // It may have got its name meanwhile; and there is nobody left who could do more about it.
        let _ = fs::remove_file(draft);
    }
    process::exit(i32::from(exit.code()))
}

/// A file that gets its name when it is complete, and leaves nothing behind otherwise.
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
    /// A draft beside its final place, so that it only needs to be renamed.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        replaceable(path)?;
        let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !fs::metadata(dir)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        // The watchdog needs the list, too.
        meter::pass(|| {
            let mut open = open();
            // Only what went wrong: the name of the draft is nothing that the user knows.
            let file = NamedTempFile::new_in(dir).map_err(|error| io::Error::from(error.kind()))?;
            open.insert(file.path().to_owned());
            let entry = Entry(file.path().to_owned());
            Ok(Self { file, path: path.to_owned(), _entry: entry })
        })
    }

    /// Where to write it.
    pub(crate) fn writer(&self) -> io::Result<File> {
        self.file.reopen()
    }

    /// Everything is written.
    pub(crate) fn finish(self) -> io::Result<()> {
        readable(&self.file)?;
        self.file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Nothing may be in the place of a result but an ordinary file that may be overwritten; a link is none.
fn replaceable(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_symlink() => Err(io::Error::other(format!("{} is a symbolic link", path.display()))),
        Ok(there) if !there.is_file() => Err(io::Error::other("something is there that is no ordinary file")),
        Ok(there) if there.permissions().readonly() => Err(io::Error::other("the file there is write-protected")),
        // Nothing there; or a place that cannot be looked at, and then creating the draft says what is wrong.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Temporary files are private; results are made as readable as any new file usually is.
#[cfg(unix)]
fn readable(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_file: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

/// The model's file name without directories and the extension by which it was read.
fn stem(model: &str) -> String {
    let name = Path::new(model).file_name().map_or_else(|| "model".into(), |n| n.to_string_lossy());
    let mut plain = name.strip_suffix(".xz").or_else(|| name.strip_suffix(".gz")).unwrap_or(&name);
    let extensions = formats::ALL.iter().flat_map(|f| f.extensions);
    if let Some(stem) = extensions.filter_map(|e| plain.strip_suffix(e)?.strip_suffix('.')).min_by_key(|s| s.len()) {
        plain = stem;
    }
    plain.replace(['<', '>'], "")
}

/// Bytes that file systems allow for a name, less those of our longest ending and of a draft's.
const LONGEST: usize = 200;

/// What the names of a property's files begin with. A long one is cut, and ends in a hash of the whole (FNV-1a,
/// Fowler, Noll, Vo 1991).
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

/// A property's id without what file names cannot have: ids from contest files may be anything. No two become the
/// same, and none ends as if it had a bound ([`save`]).
fn in_file_name(id: &str) -> String {
    let last = id.rsplit('.').next().unwrap_or(id);
    let number = last.strip_prefix("bound-").filter(|number| number.bytes().all(|b| b.is_ascii_digit()));
    let hyphen = number.map(|number| id.len() - number.len() - 1);
    let mut name = String::with_capacity(id.len());
    for (at, c) in id.char_indices() {
        match c {
            '/' | '\\' | '%' | '\0'..='\x1f' => name.push_str(&format!("%{:02X}", u32::from(c))),
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
    }

    #[test]
    fn ids_cannot_lead_elsewhere() {
        assert_eq!(in_file_name("Net-PT-02-Reachability-00"), "Net-PT-02-Reachability-00");
        assert_eq!(in_file_name("target:2"), "target:2");
        assert_eq!(in_file_name("../a/b%2F\n"), "..%2Fa%2Fb%252F%0A");
    }

    #[test]
    fn ids_are_not_taken_for_bounds() {
        assert_eq!(in_file_name("P.bound-3"), "P.bound%2D3");
        assert_eq!(in_file_name("bound-3"), "bound%2D3", "another model may be called M.P");
        assert_eq!(in_file_name("P.bound-3.bound-12"), "P.bound-3.bound%2D12");
        assert_eq!(in_file_name("P.bound-"), "P.bound%2D");
        assert_eq!(in_file_name("P.bound-3x"), "P.bound-3x");
        assert_eq!(in_file_name("rebound-3"), "rebound-3");
    }

    #[test]
    fn long_names_of_properties_are_cut_and_stay_apart() {
        let ids = [format!("{}a", "\u{e9}x".repeat(150)), format!("{}b", "\u{e9}x".repeat(150))];
        let [a, b] = [beginning("net", &ids[0]), beginning("net", &ids[1])];
        assert!(a != b && a.len() <= LONGEST && b.len() <= LONGEST, "{a} {b}");
        assert!(a.starts_with("net.\u{e9}x"), "{a}");
        assert_eq!(beginning("net", "target:2"), "net.target:2");
        assert!(beginning(&"m".repeat(250), "x").len() <= LONGEST);
    }

    #[test]
    fn no_two_models_share_a_stem() {
        let mut stems = Stems::default();
        let given: Vec<String> =
            ["a/t.rwb", "b/t.rwb", "t-2.rwb", "t.json", "u.rwb"].iter().map(|name| stems.next(name)).collect();
        assert_eq!(given, ["t", "t-2", "t-2-2", "t-3", "u"]);
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
