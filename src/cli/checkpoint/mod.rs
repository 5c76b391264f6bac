//! Checkpoints: a directory in which a check is saved, so that `impasse resume` continues it.
//!
//! The directory has a manifest, a log for each engine that can be saved, and a file that is locked while a process
//! uses the directory. (The lock ends with the process, however it ends.) At a checkpoint, each engine appends its
//! new records to its log. Then the manifest is replaced, which makes the checkpoint complete. If an engine begins
//! anew, it gets a new log, and the old one is removed after the manifest is replaced.
//!
//! The evidence of answers is kept as files beside the logs, and the checker has to accept it again.
//!
//! If a log cannot be written, the check goes on, and the next checkpoint is tried as if this one had not been. On
//! resuming, all records are compared with their checksums before the check begins. A damaged log is cut back to the
//! last checkpoint before the damage.

mod answers;
mod manifest;
mod records;

use super::args::CheckArgs;
use fs4::fs_std::FileExt;
use impasse::model::saved::Nothing;
use impasse::model::{Claim, Problem, Stop, Unrestored};
use impasse::{Answer, Checkpoint, RestoreEngine, SaveEngine};
use journal::digest::Digest;
use manifest::{Log, Manifest};
use records::{Draft, Records};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};

/// The file that is locked.
const LOCK: &str = "lock";
/// How often, and how often at most, a process looks whether the directory is free.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS: u32 = 50;

/// A directory with a checkpoint, which this process has locked.
pub(crate) struct Folder {
    dir: PathBuf,
    /// Unlocked when it is closed.
    _lock: File,
    state: Mutex<State>,
    is_saving: Arc<AtomicBool>,
}

struct State {
    /// The command line of a new check.
    arguments: Vec<String>,
    /// `None` until the model of a new check is read.
    manifest: Option<Manifest>,
    /// For each engine that was saved or restored in this process: the mark of its last complete checkpoint.
    marks: BTreeMap<String, u64>,
    /// Claims of an earlier process, until they are asked for.
    claims: Vec<Claim>,
    /// Logs and marks of the checkpoint that is being made.
    drafts: BTreeMap<String, (Log, u64)>,
    /// The flag by which a checkpoint is asked for.
    stop: Option<Arc<Stop>>,
    /// True if the last checkpoint could not be written. This is told once.
    has_failed: bool,
}

/// Asks for checkpoints until it is dropped.
pub(crate) struct Clock {
    _until: Sender<()>,
}

impl Folder {
    /// Makes a new checkpoint, if the user asked for one.
    ///
    /// # Errors
    /// As for [`Folder::create`].
    pub(crate) fn asked(args: &CheckArgs) -> Result<Option<Self>, String> {
        let Some(dir) = &args.checkpoint else { return Ok(None) };
        let words = super::host::args().map(|word| word.into_string());
        let words = words.collect::<Result<_, _>>().map_err(|word| {
            format!("`--checkpoint` saves the command line as text, and {} is not text", word.to_string_lossy())
        })?;
        Self::create(dir, words).map(Some)
    }

    /// Makes a new checkpoint in `dir`, for a check with this command line.
    ///
    /// # Errors
    /// A message, if the directory has a checkpoint or other files, or is in use, or cannot be written.
    fn create(dir: &Path, arguments: Vec<String>) -> Result<Self, String> {
        let failed = |error: io::Error| format!("cannot write a checkpoint into {}: {error}", dir.display());
        fs::create_dir_all(dir).map_err(failed)?;
        let dir = dir.canonicalize().map_err(failed)?;
        let lock = locked(&dir)?;
        if manifest::path(&dir).exists() {
            let dir = dir.display();
            return Err(format!(
                "{dir} has a checkpoint already\n  help: continue it with `impasse resume {dir}`, or name another \
                 directory"
            ));
        }
        for entry in fs::read_dir(&dir).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            // A process that was killed at once leaves these files.
            if name != LOCK && name != "manifest.new" {
                return Err(format!("{} has other files\n  help: name an empty or new directory", dir.display()));
            }
        }
        Ok(Self::of(dir, lock, State::new(arguments, None)))
    }

    /// Opens the checkpoint in `dir`. Returns it with its command line and its working directory. Damaged logs are cut
    /// back, and each of them is told.
    ///
    /// # Errors
    /// A message, if there is no checkpoint that can be used.
    pub(crate) fn open(dir: &Path) -> Result<(Self, Vec<String>, PathBuf), String> {
        if !manifest::path(dir).exists() {
            return Err(format!(
                "{} has no checkpoint\n  help: `impasse check MODEL --checkpoint DIR` makes one",
                dir.display()
            ));
        }
        let dir = dir.canonicalize().map_err(|error| format!("cannot open {}: {error}", dir.display()))?;
        let lock = locked(&dir)?;
        let mut manifest = Manifest::read(&dir)?;
        for log in manifest.engines.values_mut() {
            cut_back(&dir, log)?;
        }
        let (arguments, folder) = (manifest.arguments.clone(), manifest.folder.clone());
        Ok((Self::of(dir, lock, State::new(Vec::new(), Some(manifest))), arguments, folder))
    }

    fn of(dir: PathBuf, lock: File, state: State) -> Self {
        Self { dir, _lock: lock, state: Mutex::new(state), is_saving: Arc::default() }
    }

    /// Begins to save, or to continue, a check of this problem.
    ///
    /// # Errors
    /// A message, if the checkpoint is about another problem, or if it cannot be written.
    pub(crate) fn about(&self, model: &str, problem: &Problem) -> Result<(), String> {
        let mut digest = Digest::default();
        let written = write!(digest, "{problem:?}");
        debug_assert!(written.is_ok(), "a fingerprint takes all text");
        let mut state = self.state();
        if let Some(manifest) = &state.manifest {
            if manifest.digest == digest.hex() {
                state.claims = answers::read(&self.dir, problem);
                return Ok(());
            }
            let why = "the model or its question has changed since the checkpoint was made";
            return Err(format!("{why}: check it anew, with another directory for checkpoints"));
        }
        let failed = |error| format!("cannot write a checkpoint into {}: {error}", self.dir.display());
        let folder = std::env::current_dir().map_err(failed)?;
        let arguments = std::mem::take(&mut state.arguments);
        let manifest = Manifest::new(arguments, folder, model.to_owned(), digest.hex());
        manifest.write(&self.dir).map_err(failed)?;
        state.manifest = Some(manifest);
        Ok(())
    }

    /// Keeps the evidence of new answers.
    pub(crate) fn keep(&self, model: &str, problem: &Problem, answers: &[Answer]) {
        if let Err(error) = answers::keep(&self.dir, model, problem, answers) {
            self.state().fail(&self.dir, &error);
        }
    }

    /// Asks for a checkpoint by this flag, again and again, until the clock is dropped.
    pub(crate) fn start(&self, stop: &Arc<Stop>, every: Duration) -> Option<Clock> {
        self.state().stop = Some(Arc::clone(stop));
        let (until, ended) = channel();
        let (stop, is_saving) = (Arc::clone(stop), Arc::clone(&self.is_saving));
        let tick = move || {
            meter::pass_always();
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if !is_saving.load(Ordering::Relaxed) {
                    stop.pause(true);
                }
            }
        };
        // Without a clock, the check is saved only at its end.
        let thread = thread::Builder::new().name("checkpoints".to_owned()).spawn(tick);
        thread.is_ok().then_some(Clock { _until: until })
    }

    /// Returns the flag that is raised while a checkpoint is written.
    pub(crate) fn is_saving(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_saving)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the logs that the manifest does not name. If one cannot be removed, it only takes space.
    fn clean(&self, manifest: &Manifest) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        let is_used = |name: &str| manifest.engines.values().any(|log| log.file == name);
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.ends_with(".log") && !is_used(name)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl State {
    fn new(arguments: Vec<String>, manifest: Option<Manifest>) -> Self {
        let (marks, drafts) = (BTreeMap::new(), BTreeMap::new());
        Self { arguments, manifest, marks, claims: Vec::new(), drafts, stop: None, has_failed: false }
    }

    fn log(&self, engine: &str) -> Option<&Log> {
        self.manifest.as_ref()?.engines.get(engine)
    }

    /// Tells that a checkpoint could not be written, unless that was told of the one before.
    fn fail(&mut self, dir: &Path, error: &io::Error) {
        if !std::mem::replace(&mut self.has_failed, true) {
            tell!(
                "warning: cannot write a checkpoint into {}: {error}\n  help: the check goes on, the last complete \
                 checkpoint stays valid, and writing is tried again",
                dir.display()
            );
        }
    }
}

impl Checkpoint for Folder {
    fn claims(&self) -> Vec<Claim> {
        std::mem::take(&mut self.state().claims)
    }

    fn restore(&self, engine: &str, restore: &mut RestoreEngine<'_>) {
        let mut state = self.state();
        let Some(log) = state.log(engine) else {
            let restored = restore(&mut Nothing);
            debug_assert!(matches!(restored, Ok(None)), "nothing is saved");
            return;
        };
        let damaged = |damage: journal::Damage| Unrestored::Damaged(damage.to_string());
        match Records::open(&self.dir, log).map_err(damaged).and_then(|mut records| restore(&mut records)) {
            Ok(Some(mark)) => _ = state.marks.insert(engine.to_owned(), mark),
            Ok(None) => tell!("note: the engine `{engine}` starts anew, because what was saved does not help here"),
            Err(Unrestored::Damaged(what)) => {
                tell!("warning: the engine `{engine}` starts anew, because its records cannot be used: {what}");
            }
            Err(Unrestored::Stopped(_)) => {}
        }
    }

    fn begin(&self) {
        self.is_saving.store(true, Ordering::Relaxed);
        self.state().drafts.clear();
    }

    fn save(&self, engine: &str, save: &mut SaveEngine<'_>) {
        meter::pass(|| {
            let mut state = self.state();
            let since = state.marks.get(engine).copied().unwrap_or(0);
            let mut draft = Draft::new(&self.dir, engine, state.log(engine).cloned());
            let saved = save(since, &mut draft);
            match (saved, draft.finish()) {
                (Ok(Some(mark)), Ok(Some(log))) => _ = state.drafts.insert(engine.to_owned(), (log, mark)),
                (_, Err(error)) => state.fail(&self.dir, &error),
                _ => {}
            }
        });
    }

    fn end(&self) {
        meter::pass(|| {
            let mut state = self.state();
            let drafts = std::mem::take(&mut state.drafts);
            if let Some(mut manifest) = state.manifest.clone().filter(|_| !drafts.is_empty()) {
                manifest.checkpoints += 1;
                let logs = drafts.iter().map(|(engine, (log, _))| (engine.clone(), log.clone()));
                manifest.engines.extend(logs);
                match manifest.write(&self.dir) {
                    Ok(()) => {
                        self.clean(&manifest);
                        state.marks.extend(drafts.into_iter().map(|(engine, (_, mark))| (engine, mark)));
                        (state.manifest, state.has_failed) = (Some(manifest), false);
                    }
                    Err(error) => state.fail(&self.dir, &error),
                }
            }
            if let Some(stop) = &state.stop {
                stop.pause(false);
            }
        });
        self.is_saving.store(false, Ordering::Relaxed);
    }
}

/// Locks the directory.
fn locked(dir: &Path) -> Result<File, String> {
    let failed = |error: io::Error| format!("cannot lock {}: {error}", dir.join(LOCK).display());
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(dir.join(LOCK)).map_err(failed)?;
    // A process that was killed may need a moment to end.
    for _ in 0..LOOKS {
        if FileExt::try_lock_exclusive(&file).map_err(failed)? {
            return Ok(file);
        }
        thread::sleep(LOOK);
    }
    Err(format!("another process uses the checkpoint in {}", dir.display()))
}

/// Compares the records of a log with their checksums. Cuts the log back to the last checkpoint before the damage.
fn cut_back(dir: &Path, log: &mut Log) -> Result<(), String> {
    let whole = log.length();
    let (position, wrong) = match Records::open(dir, log) {
        Ok(records) => records.look(),
        Err(damage) => (0, Some(damage.to_string())),
    };
    let Some(wrong) = wrong else { return Ok(()) };
    log.lengths.retain(|length| *length <= position);
    if log.lengths.is_empty() {
        return Err(format!(
            "the checkpoint is damaged: {}: {wrong}\n  help: check the model anew, with another directory for \
             checkpoints",
            log.file
        ));
    }
    let (kept, lost) = (log.length(), whole - log.length());
    tell!(
        "warning: {} is damaged: {wrong}\n  help: the check goes on from an earlier checkpoint: {lost} of {whole} \
         bytes are left out, and {kept} are used",
        log.file
    );
    Ok(())
}
