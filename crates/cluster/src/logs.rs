//! Searches that are saved: each worker has a log of its new states by level.
//!
//! After a level, a worker appends its states of the next level, and a *mark* with everything that all workers know
//! then ([`Progress`]). A worker without memory for all of these states appends nothing. Now and then, all workers
//! write their logs to the disk after the same level and replace their manifests, each of which says how much of a log
//! counts. No worker goes on with a level before all have done so, because a level ends with an agreement.
//!
//! When a search is resumed, the workers agree on the last level that all of their logs have, cut off what follows, and
//! read their states. A damaged record ends a log at the last mark before it. The first levels are searched again.

use crate::begin::{Begun, begin};
use crate::links::Links;
use crate::parcel::{pack, unpack};
use crate::progress::{Alone, Progress, Question};
use crate::shard::Shard;
use crate::{Error, Space};
use fs4::fs_std::FileExt;
use journal::log::{Reader, Writer};
use journal::{Damage, manifest};
use search::StateId;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, thread};

/// States in one record.
const AT_ONCE: usize = 1 << 13;

/// Logs are written to the disk after a level if this many states were found since the last time, or if this many
/// levels were completed.
const STATES: u64 = 1 << 16;
const LEVELS: u64 = if cfg!(test) { 1 } else { 16 };

/// How often, and how often at most, a process looks whether another one has left its log.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS: u32 = 250;

/// The first byte of a record that has packed states, and of a mark.
const OF_STATES: u8 = 0;
const OF_MARK: u8 = 1;

/// The log of a worker.
#[derive(Debug)]
pub struct Logs {
    path: PathBuf,
    manifest: PathBuf,
    run: String,
    writer: Option<Writer>,
    /// Locked while this process uses the log.
    lock: Option<File>,
    states: u64,
    levels: u64,
}

/// The first record of a log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Header {
    run: String,
    worker: usize,
    workers: usize,
    widened: Vec<Vec<usize>>,
    /// The first levels are found again, so the log has none of them.
    #[serde(default)]
    alone: Alone,
}

/// What a worker has in its log.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    refused: Option<String>,
    widened: Vec<Vec<usize>>,
    levels: u64,
}

/// The part of a log that counts.
struct Scan {
    header: Header,
    marks: Vec<(u64, Progress)>,
}

impl Logs {
    /// The log of worker `number` in the folder `dir`, which exists. `run` stands for the model, the question and the
    /// version: logs of other runs are refused.
    #[must_use]
    pub fn new(dir: &Path, number: usize, run: String) -> Self {
        let file = |end: &str| dir.join(format!("worker-{number}.{end}"));
        Self { path: file("log"), manifest: file("manifest"), run, writer: None, lock: None, states: 0, levels: 0 }
    }

    fn header(&self, links: &Links<'_>, widened: &[Vec<usize>], alone: Alone) -> Header {
        let (worker, workers) = (links.number(), links.peers());
        Header { run: self.run.clone(), worker, workers, widened: widened.to_vec(), alone }
    }

    /// Begins a search with the states and the progress that the logs of all workers have.
    pub(crate) fn resume<S: Space>(
        &mut self,
        links: &mut Links<'_>,
        space: &S,
        question: &Question<'_>,
    ) -> Result<Begun<S>, Error> {
        let expected = self.header(links, &[], question.alone);
        let scan = self.lock().and_then(|()| self.scan()).and_then(|scan| match scan {
            Some(scan) if (Header { widened: Vec::new(), ..scan.header.clone() }) != expected => Err(Error::Refused(
                format!("{} belongs to another model, question, version or number of workers", self.path.display()),
            )),
            scan => Ok(scan),
        });
        let kept = match &scan {
            Ok(None) => Kept::default(),
            Ok(Some(scan)) => Kept {
                refused: None,
                widened: scan.header.widened.clone(),
                levels: scan.marks.last().map_or(0, |(_, progress)| progress.counts.levels),
            },
            Err(error) => Kept { refused: Some(error.to_string()), ..Kept::default() },
        };
        let all = links.agree(&kept)?;
        if let Some(why) = all.iter().find_map(|kept| kept.refused.clone()) {
            return Err(Error::Refused(why));
        }
        let widened = all.iter().map(|kept| &kept.widened).max_by_key(|widened| widened.len());
        let widened = widened.cloned().unwrap_or_default();
        let alike = all.iter().all(|kept| kept.widened == widened);
        let levels = all.iter().map(|kept| kept.levels).min().filter(|_| alike).unwrap_or(0);
        let mark = scan?.and_then(|scan| scan.marks.into_iter().find(|(_, progress)| progress.counts.levels == levels));
        let mut begun = begin(links, space, &widened, question)?;
        if begun.stuck.is_some() {
            return Ok(begun);
        }
        match mark {
            Some((end, progress)) if begun.progress.widened == widened && levels > begun.progress.counts.levels => {
                self.load(&mut begun.shard, end)?;
                self.writer = Some(Writer::resume(&self.path, end).map_err(|error| self.io(error))?);
                begun.progress = progress;
            }
            _ => self.restart(links, &begun.progress, question)?,
        }
        match links.agree(&begun.progress)?.iter().all(|other| *other == begun.progress) {
            true => Ok(begun),
            false => Err(Error::Refused(format!("{} and other logs are of different runs", self.path.display()))),
        }
    }

    /// Takes the log for this process. Waits a while for a process that is about to end.
    fn lock(&mut self) -> Result<(), Error> {
        let path = self.path.with_extension("lock");
        let open = || OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = open().map_err(|error| self.io(error))?;
        for _ in 0..LOOKS {
            // The operating system releases the lock when a process ends, however it ends.
            if file.try_lock_exclusive().map_err(|error| self.io(error))? {
                self.lock = Some(file);
                return Ok(());
            }
            thread::sleep(LOOK);
        }
        Err(Error::Refused(format!("{} is in use by another process", self.path.display())))
    }

    /// Begins the log anew.
    pub(crate) fn restart(
        &mut self,
        links: &Links<'_>,
        progress: &Progress,
        question: &Question<'_>,
    ) -> Result<(), Error> {
        self.create(&self.header(links, &progress.widened, question.alone))
    }

    fn create(&mut self, header: &Header) -> Result<(), Error> {
        self.writer = None;
        for path in [&self.manifest, &self.path] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.io(error)),
                _ => {}
            }
        }
        let data = serde_json::to_vec(header).map_err(|_| Error::Message)?;
        let made = Writer::create(&self.path).and_then(|mut writer| {
            writer.append(&data)?;
            manifest::replace(&self.manifest, &writer.sync()?.to_le_bytes())?;
            Ok(writer)
        });
        (self.states, self.levels) = (0, 0);
        self.writer = Some(made.map_err(|error| self.io(error))?);
        Ok(())
    }

    /// Saves what this worker found in the level that was completed, which had `states` states over all workers.
    pub(crate) fn level<S: Space>(&mut self, shard: &Shard<S>, progress: &Progress, states: u64) -> Result<(), Error> {
        self.states += states;
        self.levels += 1;
        let Some(writer) = &mut self.writer else { return Ok(()) };
        append(writer, shard, progress).map_err(|error| self.io(error))?;
        if self.states >= STATES || self.levels >= LEVELS { self.sync() } else { Ok(()) }
    }

    /// Writes the log to the disk. Everything in it counts then.
    pub(crate) fn sync(&mut self) -> Result<(), Error> {
        (self.states, self.levels) = (0, 0);
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let synced = writer.sync().and_then(|length| manifest::replace(&self.manifest, &length.to_le_bytes()));
        synced.map_err(|error| self.io(error))
    }

    /// Reads the header and the marks of the part that counts. Returns `None` if nothing counts.
    fn scan(&self) -> Result<Option<Scan>, Error> {
        let length = match manifest::read(&self.manifest) {
            Ok(length) => length.try_into().map(u64::from_le_bytes).map_err(|_| Error::Message)?,
            Err(damage) if is_missing(&damage) => return Ok(None),
            Err(damage) => return Err(Error::Damage(damage)),
        };
        let mut reader = Reader::open(&self.path).map_err(Error::Damage)?;
        let mut record = Vec::new();
        reader.next(&mut record).map_err(Error::Damage)?;
        let header = serde_json::from_slice(&record).map_err(|_| Error::Message)?;
        let mut marks = Vec::new();
        // What follows a damaged record does not count.
        while reader.position() < length && reader.next(&mut record).unwrap_or(false) {
            if let Some((&OF_MARK, mark)) = record.split_first() {
                marks.push((reader.position(), serde_json::from_slice(mark).map_err(|_| Error::Message)?));
            }
        }
        Ok(Some(Scan { header, marks }))
    }

    /// Adds the states before byte `end` to the shard.
    fn load<S: Space>(&self, shard: &mut Shard<S>, end: u64) -> Result<(), Error> {
        let words = shard.space.words();
        let mut reader = Reader::open(&self.path).map_err(Error::Damage)?;
        let (mut record, mut states) = (Vec::new(), Vec::new());
        reader.next(&mut record).map_err(Error::Damage)?;
        shard.levels.push(shard.table.len());
        while reader.position() < end && reader.next(&mut record).map_err(Error::Damage)? {
            match record.split_first() {
                Some((&OF_STATES, data)) => {
                    states.clear();
                    unpack(data, words, &mut states).ok_or(Error::Message)?;
                    shard.table.intern_all(&states);
                }
                Some((&OF_MARK, _)) if reader.position() < end => shard.levels.push(shard.table.len()),
                _ => {}
            }
        }
        Ok(())
    }

    fn io(&self, error: io::Error) -> Error {
        Error::Io { path: self.path.clone(), error }
    }
}

fn append<S: Space>(writer: &mut Writer, shard: &Shard<S>, progress: &Progress) -> io::Result<()> {
    let words = shard.space.words();
    let mut states = Vec::new();
    let last = shard.levels.len() - 1;
    let new: Vec<StateId> = shard.level(last).collect();
    for ids in new.chunks(AT_ONCE) {
        states.clear();
        ids.iter().for_each(|&id| states.extend_from_slice(shard.table.get(id)));
        writer.append(&[&[OF_STATES][..], &pack(&states, words)].concat())?;
    }
    let mark = serde_json::to_vec(progress)?;
    writer.append(&[&[OF_MARK][..], &mark].concat())
}

fn is_missing(damage: &Damage) -> bool {
    matches!(&damage.what, journal::Wrong::Io(error) if error.kind() == io::ErrorKind::NotFound)
}
