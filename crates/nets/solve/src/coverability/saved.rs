//! Saves the lemmas of a search, and gives them to another one.
//!
//! Only the vectors are saved, without levels. On restoring they are candidates: a vector becomes a lemma of level 1 if
//! it is inductive there, and pushing then moves it as far up as it holds. So wrong vectors do no harm, and neither do
//! vectors that were inductive only together with a linear bound that is not known yet. This costs a query for each
//! vector and level, which is far less than finding the vectors did.

use super::predecessors::Net;
use super::search::{FrameSearch, Phase, Progress};
use super::state::Candidates;
use super::vector::{MOST, Vector};
use model::saved::{Parts, Record};
use model::{Save, Saved, Unrestored, Unsaved};

const VECTORS: u8 = b'V';

/// Vectors in one record.
const CHUNK: usize = 1 << 12;

impl FrameSearch {
    /// Tries these vectors, which an earlier search has found, before anything else.
    pub(crate) fn remember(&mut self, waiting: Vec<Vector>) {
        if !waiting.is_empty() {
            self.candidates = Candidates { waiting, is_pushing: false };
            self.phase = Phase::Restore;
        }
    }

    /// Tries a candidate, or pushes a lemma. If nothing is left, goals are searched next.
    pub(super) fn try_candidate(&mut self, net: Net<'_>) -> Progress {
        let Some(vector) = self.candidates.waiting.pop() else {
            if !std::mem::replace(&mut self.candidates.is_pushing, true) {
                self.start_pushing(net);
            }
            if !self.push_one(net, 0) {
                self.phase = Phase::Choose;
            }
            return Progress::Working;
        };
        self.asked.load(&vector);
        let is_new = self.frames.blocker(&self.asked, 1).is_none() && !net.shape.start.meets(&vector);
        if is_new && self.is_inductive(net, &vector, 1) {
            self.frames.add(vector, 1);
        }
        Progress::Working
    }

    /// Saves all lemmas and candidates, unless nothing was learnt since.
    pub(crate) fn save(&self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        let mark = 1 + self.learnt;
        if mark == since {
            return Ok(Some(mark));
        }
        to.begin_anew()?;
        let mut levels: Vec<(u32, u32)> = self.frames.ids().map(|(id, level)| (level, id)).collect();
        levels.sort_unstable();
        let lemmas = levels.iter().map(|(_, id)| &self.frames.lemma(*id).vector);
        let all: Vec<&Vector> = self.candidates.waiting.iter().chain(lemmas).collect();
        for chunk in all.chunks(CHUNK) {
            to.append(record(chunk).bytes())?;
        }
        Ok(Some(mark))
    }
}

fn record(vectors: &[&Vector]) -> Record {
    let mut record = Record::new(VECTORS);
    record.small(vectors.len() as u64);
    for vector in vectors {
        record.small(vector.len() as u64);
        for &(place, tokens) in vector.iter() {
            record.small(place.into());
            record.small(tokens.into());
        }
    }
    record
}

/// Returns the vectors that were saved, for a net with this number of places.
pub(crate) fn restore(places: usize, from: &mut dyn Saved) -> Result<Vec<Vector>, Unrestored> {
    let mut vectors = Vec::new();
    let mut record = Vec::new();
    while from.next(&mut record)? {
        let (tag, mut parts) = Parts::of(&record)?;
        if tag != VECTORS {
            return Err(Unrestored::damaged("a record has no vectors"));
        }
        for _ in 0..parts.index()? {
            vectors.push(vector(places, &mut parts)?);
        }
        parts.end()?;
    }
    Ok(vectors)
}

fn vector(places: usize, parts: &mut Parts<'_>) -> Result<Vector, Unrestored> {
    let mut vector: Vec<(u32, u32)> = Vec::new();
    for _ in 0..parts.index()? {
        let (place, tokens) = (parts.small()?, parts.small()?);
        let ascends = vector.last().is_none_or(|(before, _)| u64::from(*before) < place);
        let fits = place < places as u64 && (1..=u64::from(MOST)).contains(&tokens);
        match (u32::try_from(place), u32::try_from(tokens)) {
            (Ok(place), Ok(tokens)) if ascends && fits => vector.push((place, tokens)),
            _ => return Err(Unrestored::damaged("a vector is not one of the net")),
        }
    }
    if vector.is_empty() { Err(Unrestored::damaged("a vector is empty")) } else { Ok(vector.into()) }
}
