//! The engine for circuits as read: one search for each output, in turns.
//!
//! A search looks only at the cone of its output, because queries add clauses only for the cones of their
//! literals. The circuit therefore needs no slicing beforehand.

use super::cube::Values;
use super::{Bits, Options, Progress, Source, Static, signals};
use model::{
    Bit, Budget, Certificate, CircuitTask, Claim, Clausal, Clauses, Engine, Goal, LatchId, OutputId, Save, Saved,
    Signal, Stats, Stop, Turn, Unrestored, Unsaved,
};
use std::sync::Arc;

/// Work units of an output's first turn. Turns double from round to round.
const SLICE: u64 = 50_000;

/// An open output with its search.
pub(super) struct OpenOutput {
    pub(super) goal: Goal,
    pub(super) bits: Box<Bits<Static>>,
    /// The latches of its cone, ascending; `None` if they were not needed so far.
    pub(super) cone: Option<Vec<LatchId>>,
}

/// IC3 for the outputs of a circuit. Given enough time and memory, it decides every output.
pub struct CircuitIc3 {
    pub(super) source: Static,
    /// Outputs without a claim so far.
    pub(super) open: Vec<OpenOutput>,
    current: usize,
    /// A proof that has not been compared with all open outputs so far.
    pub(super) proof: Option<Proof>,
    slice: u64,
    round: u32,
    /// Sums of the statistics of finished searches.
    pub(super) past: super::BitsStats,
    /// True if the engine is saved at times.
    pub(super) is_saved: bool,
    /// The proofs that were claimed, as cubes, if the engine is saved: another process has to claim them again.
    pub(super) proofs: Vec<(Goal, Vec<Values>)>,
}

impl CircuitIc3 {
    /// Makes a search for each output of `task`.
    #[must_use]
    pub fn new(task: &CircuitTask, options: &Options) -> Self {
        let source = match options.signals {
            true => Static::with_names(task.circuit(), signals::named(task.circuit())),
            false => Static::new(Arc::clone(task.circuit())),
        };
        Self::over(&source, task.outputs().iter().copied(), options)
    }

    /// Makes a search for each of the given outputs of the source's circuit.
    pub fn over(source: &Static, outputs: impl Iterator<Item = OutputId>, options: &Options) -> Self {
        let search = |output: OutputId| {
            let bad = source.circuit().outputs()[output.index()].signal;
            OpenOutput {
                goal: Goal::Output(output),
                bits: Box::new(Bits::new(source.clone(), bad, options.clone())),
                cone: None,
            }
        };
        let open = outputs.map(search).collect();
        Self {
            source: source.clone(),
            open,
            current: 0,
            proof: None,
            slice: SLICE,
            round: 0,
            past: super::BitsStats::default(),
            is_saved: false,
            proofs: Vec::new(),
        }
    }

    pub(super) fn close(&mut self, at: usize) {
        debug_assert!(at < self.open.len());
        let asked = self.open.remove(at);
        self.past = self.past.plus(asked.bits.stats());
        if at < self.current {
            self.current -= 1;
        }
        if let Some(proof) = &mut self.proof {
            proof.closed(at);
        }
        self.slice = slice(self.round);
    }

    /// Claims outputs by the proof found last, which is kept for the next checkpoint.
    pub(super) fn claim(&mut self, goals: Vec<Goal>) -> Claim {
        let proof = self.proof.as_ref().expect("there is one");
        if self.is_saved {
            self.proofs.extend(goals.iter().map(|&goal| (goal, proof.cubes.clone())));
        }
        let certificate = certificate(&goals, &proof.clauses, self.source.names());
        Claim::Safe { goals, certificate }
    }

    /// Passes the turn to the next output.
    fn turn(&mut self) {
        self.current += 1;
        if self.current >= self.open.len() {
            self.current = 0;
            self.round += 1;
        }
        self.slice = slice(self.round);
    }
}

fn slice(round: u32) -> u64 {
    SLICE << round.min(40)
}

impl Engine for CircuitIc3 {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(turn) = self.use_proof(budget) {
                return turn;
            }
            if self.current >= self.open.len() {
                self.current = 0;
            }
            let is_alone = self.open.len() == 1;
            let Some(asked) = self.open.get_mut(self.current) else { return Turn::Done };
            let work = if is_alone { budget.work } else { budget.work.min(self.slice) };
            // Between two checks of the flag that asks for a checkpoint.
            let work = if self.is_saved { work.min(SLICE) } else { work };
            let mut own = Budget::new(work, Arc::clone(&budget.stop));
            let step = asked.bits.run(&mut own);
            let spent = own.spent_of(work);
            let more = budget.spend(spent);
            self.slice = self.slice.saturating_sub(spent);
            let goal = asked.goal;
            let claim = match step {
                Progress::More => {
                    if self.slice == 0 {
                        self.turn();
                    }
                    if more && !budget.stop.is_paused() {
                        continue;
                    }
                    return Turn::More;
                }
                Progress::Safe(clauses) => {
                    let known = asked.bits.known.len();
                    self.close(self.current);
                    self.proof = Some(Proof::new(clauses, known));
                    return Turn::Claims(self.claim(vec![goal]));
                }
                Progress::Unsafe(mut run) => {
                    let circuit = self.source.read();
                    run.start.truncate(circuit.latches().len());
                    Claim::Unsafe { goal, trace: run.trace(circuit), candidate: false }
                }
                Progress::GaveUp(reason) => Claim::Unknown { goals: vec![goal], reason },
            };
            self.close(self.current);
            return Turn::Claims(claim);
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        for at in (0..self.open.len()).rev() {
            if goals.binary_search(&self.open[at].goal).is_ok() {
                self.close(at);
            }
        }
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.save_lemmas(since, to)
    }

    /// The mark differs from those of later checkpoints, so that the next one saves everything.
    fn restore(&mut self, from: &mut dyn Saved, _: &Stop) -> Result<Option<u64>, Unrestored> {
        Ok(self.restore_lemmas(from)?.then_some(u64::MAX))
    }

    fn stats(&self) -> Stats {
        let all = self.open.iter().fold(self.past, |sum, asked| sum.plus(asked.bits.stats()));
        let mut stats = Stats { states: all.obligations, ..Stats::default() };
        stats.more.insert("clauses", all.lemmas);
        stats.more.insert("frames", all.frames);
        stats.more.insert("queries", all.queries);
        stats
    }
}

/// Makes a certificate from the clauses, without proofs. It has gates in the place of their names.
pub(super) fn certificate(
    goals: &[Goal],
    clauses: &[Vec<(LatchId, bool)>],
    names: &[(LatchId, Signal)],
) -> Certificate {
    let mut latches: Vec<LatchId> = clauses.iter().flatten().map(|&(latch, _)| latch).collect();
    latches.sort_unstable();
    latches.dedup();
    let literal = |&(latch, value): &(LatchId, bool)| {
        let at = latches.binary_search(&latch).expect("all latches are listed");
        let variable = i32::try_from(at + 1).expect("fewer latches than nodes");
        if value { variable } else { -variable }
    };
    let bit = |latch: &LatchId| match names.binary_search_by_key(latch, |(name, _)| *name) {
        Ok(at) => Bit::Node(names[at].1),
        Err(_) => Bit::Latch(*latch),
    };
    let invariant = Clausal {
        clauses: clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect(),
        bits: latches.iter().map(bit).collect(),
        initial: None,
        step: None,
    };
    Certificate::Clauses(Box::new(Clauses {
        invariant,
        induction: None,
        exclusions: goals.iter().map(|&goal| (goal, None)).collect(),
    }))
}

/// A proof of some outputs that is compared with the others, one after the other.
pub(super) struct Proof {
    /// The clauses of the proof, and the cubes that they exclude.
    pub(super) clauses: Vec<Values>,
    pub(super) cubes: Vec<Values>,
    /// True if at least a fifth of the clauses is new, so that other searches learn from them.
    pub(super) is_new: bool,
    /// The next open output to compare with.
    pub(super) next: usize,
    /// Outputs in a row that the proof did not exclude.
    pub(super) misses: usize,
}
