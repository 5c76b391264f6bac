//! Saves the lemmas of a search, and gives them to another one.
//!
//! Lemmas are saved as values of latches, without levels. A search that gets them treats them like the lemmas from
//! before a restart: each one is tried at the first frame, with a query, and pushing moves it as far up as it holds. So
//! wrong lemmas do no harm.

use super::cube::{Cube, Values, cube};
use super::search::Phase;
use super::{Bits, CircuitIc3, Source};
use model::saved::{Parts, Record};
use model::{Goal, LatchId, OutputId, Save, Saved, Unrestored, Unsaved};

const LEMMAS: u8 = b'C';

impl<S: Source> Bits<S> {
    /// Returns all lemmas, those of the highest levels last.
    pub(super) fn lemmas(&self) -> impl Iterator<Item = Values> {
        let waiting = if let Phase::Restore(waiting) = &self.phase { waiting.as_slice() } else { &[] };
        let values = |cube: &Cube| cube.iter().filter_map(|&lit| self.table.value_of(lit)).collect();
        waiting.iter().chain(self.frames.from(0)).map(values)
    }

    /// Tries these lemmas when the search begins, from the last to the first. To be called before the first run.
    pub(super) fn remember(&mut self, lemmas: Vec<Values>) {
        debug_assert!(self.frames.from(0).next().is_none(), "the search has not begun");
        self.phase = Phase::Restore(lemmas.iter().map(|values| self.cube_of(values)).collect());
    }

    pub(super) fn cube_of(&mut self, values: &Values) -> Cube {
        let mut lits = Vec::with_capacity(values.len());
        for &(latch, value) in values {
            let signal = self.table.source.circuit().latches()[latch.index()].signal;
            let lit = self.table.lit(signal);
            lits.push(if value { lit } else { !lit });
        }
        cube(lits)
    }
}

impl CircuitIc3 {
    /// Saves the lemmas of all searches, and the proofs that they have found, unless nothing was learnt since.
    pub(crate) fn save_lemmas(&self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        let learnt = self.open.iter().fold(self.past, |sum, asked| sum.plus(asked.bits.stats())).lemmas;
        let mark = 1 + learnt + self.proofs.len() as u64;
        if mark == since {
            return Ok(Some(mark));
        }
        to.begin_anew()?;
        for (goal, proof) in &self.proofs {
            to.append(record(*goal, proof.clone()).bytes())?;
        }
        for asked in &self.open {
            to.append(record(asked.goal, asked.bits.lemmas().collect()).bytes())?;
        }
        Ok(Some(mark))
    }

    /// Gives saved lemmas to the searches of the same outputs. Returns false if there are none.
    pub(crate) fn restore_lemmas(&mut self, from: &mut dyn Saved) -> Result<bool, Unrestored> {
        self.is_saved = true;
        let latches = self.source.circuit().latches().len();
        let mut record = Vec::new();
        let mut all = Vec::new();
        while from.next(&mut record)? {
            all.push(lemmas(&record, latches)?);
        }
        let is_some = !all.is_empty();
        for (goal, lemmas) in all {
            if let Some(asked) = self.open.iter_mut().find(|asked| asked.goal == goal) {
                asked.bits.remember(lemmas);
            }
        }
        Ok(is_some)
    }
}

fn record(goal: Goal, lemmas: Vec<Values>) -> Record {
    let mut record = Record::new(LEMMAS);
    record.goal(goal);
    record.small(lemmas.len() as u64);
    for lemma in lemmas {
        record.small(lemma.len() as u64);
        for (latch, value) in lemma {
            record.small((latch.index() as u64) << 1 | u64::from(value));
        }
    }
    record
}

fn lemmas(record: &[u8], latches: usize) -> Result<(Goal, Vec<Values>), Unrestored> {
    let wrong = || Unrestored::damaged("a clause is not one of the circuit");
    let (tag, mut parts) = Parts::of(record)?;
    let goal = parts.goal()?;
    if tag != LEMMAS || !matches!(goal, Goal::Output(OutputId { .. })) {
        return Err(wrong());
    }
    let mut all = Vec::new();
    for _ in 0..parts.index()? {
        let mut values: Values = Vec::new();
        for _ in 0..parts.index()? {
            let number = parts.index()?;
            let latch = number >> 1;
            // A latch occurs once in a cube.
            if latch >= latches || values.iter().any(|(other, _)| other.index() == latch) {
                return Err(wrong());
            }
            values.push((LatchId::new(latch), number & 1 == 1));
        }
        if values.is_empty() {
            return Err(wrong());
        }
        all.push(values);
    }
    parts.end()?;
    Ok((goal, all))
}
