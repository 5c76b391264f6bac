//! Shortens runs of behavioral programs: leaves out what a thread did in vain, together with what other threads
//! did because of it.
//!
//! To leave out a step, two runs are followed side by side: the found run, and the run without the step.
//! Threads that are in different local states in the two runs are *apart*. An event that is enabled in both
//! runs happens in both. An event that only the found run can have is left out as well. As soon as no thread is
//! apart, the rest is the same in both runs, and the shorter run is complete. If threads are still apart at the
//! end, the shorter run must end in a goal state. Only threads that are apart are examined, so an attempt is
//! cheap however many threads there are.

use crate::running::{Change, Compiled, Local, Running, hash_of};
use crate::script::{Script, Stepped};
use model::{Assumption, Goal};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Greatest number of threads that may be apart. An attempt with more such threads is abandoned.
const MOST_APART: usize = 64;

/// Shortens runs to a goal.
#[derive(Debug)]
pub struct ProgramShortener<'a> {
    /// The program.
    pub rows: &'a Arc<Compiled>,
    /// The goal that the run ends in.
    pub goal: Goal,
    /// The assumptions that the run must satisfy.
    pub assumptions: &'a [Assumption],
    /// Work units that are left. One unit is a step of one thread in both runs, about ten nanoseconds.
    pub work: u64,
}

/// The local states of a thread that is apart.
#[derive(Clone, Copy, Debug)]
struct Apart {
    found: Local,
    shorter: Local,
}

/// The found run, with data that attempts look up.
struct Found {
    steps: Vec<Stepped>,
    /// For each step: number of threads that request its event.
    requests: Vec<u32>,
    /// For each step: true if it is left out already.
    gone: Vec<bool>,
    left: usize,
    /// The state that the run ends in.
    last: Running,
}

/// The changes to the run if an attempt succeeds.
#[derive(Default)]
struct Edits {
    gone: Vec<usize>,
    changed: Vec<(usize, SmallVec<[Change; 3]>)>,
    requests: Vec<(usize, u32)>,
    /// The index of the step before which the run ends, if it ends early.
    end: Option<usize>,
}

impl ProgramShortener<'_> {
    /// Returns a run to the goal that is no longer than `found`. If `found` is no run to the goal, it is
    /// returned unchanged.
    #[must_use]
    pub fn shorten(&mut self, found: Script) -> Script {
        if !self.replays(&found) {
            return found;
        }
        let mut best = self.adopt(found, Self::without_cycles);
        loop {
            let before = best.steps.len();
            best = self.adopt(best, Self::without_detours);
            if best.steps.len() == before || self.work == 0 {
                return best;
            }
        }
    }

    fn adopt(&mut self, best: Script, change: fn(&mut Self, &Script) -> Option<Script>) -> Script {
        match change(self, &best) {
            Some(proposed) if proposed.steps.len() < best.steps.len() && self.replays(&proposed) => proposed,
            _ => best,
        }
    }

    fn spend(&mut self, work: u64) -> bool {
        self.work = self.work.saturating_sub(work);
        self.work > 0
    }

    /// Returns true if the run can be replayed and ends in the goal.
    fn replays(&mut self, script: &Script) -> bool {
        let mut running = Running::new(self.rows, &script.start);
        for step in &script.steps {
            let fits = |c: &Change| running.at()[self.rows.thread(c.from) as usize] == c.from;
            if !running.is_enabled(step.event) || !step.changes.iter().all(fits) {
                return false;
            }
            running.apply(&step.changes);
        }
        self.spend(running.effort);
        self.violates(script.steps.len(), &running)
    }

    fn violates(&self, length: usize, last: &Running) -> bool {
        if last.goal() != Some(self.goal) {
            return false;
        }
        let locals = || (0u32..).zip(last.at()).map(|(t, l)| l - self.rows.first(t)).collect::<Vec<u32>>();
        self.assumptions.is_empty() || {
            let last = locals();
            self.assumptions.iter().all(|a| a.holds(length as u64, &last))
        }
    }

    /// Jumps from each state to its last occurrence. States are compared by a hash only.
    fn without_cycles(&mut self, found: &Script) -> Option<Script> {
        let mut hash = 0u64;
        let mut hashes = vec![hash];
        for step in &found.steps {
            step.changes.iter().filter(|c| c.from != c.to).for_each(|c| hash ^= hash_of(c.from) ^ hash_of(c.to));
            hashes.push(hash);
        }
        let last: HashMap<u64, usize> = hashes.iter().enumerate().map(|(i, h)| (*h, i)).collect();
        let (mut steps, mut at) = (Vec::new(), 0);
        loop {
            at = last[&hashes[at]];
            match found.steps.get(at) {
                Some(step) => steps.push(step.clone()),
                None => break,
            }
            at += 1;
        }
        self.spend(found.steps.len() as u64);
        Some(Script { start: found.start.clone(), steps })
    }

    /// Leaves out single steps, then chunks, large ones first, starting from the end.
    fn without_detours(&mut self, found: &Script) -> Option<Script> {
        let mut run = self.found(found)?;
        let length = run.steps.len();
        // Single steps come first: most of these attempts end soon, but an attempt with a large chunk examines
        // everything that follows.
        let halves = std::iter::successors(Some(length / 2), |size| Some(size / 2)).take_while(|size| *size > 1);
        for size in std::iter::once(1).chain(halves) {
            let mut end = run.gone.len();
            while end > 0 && self.work > 0 {
                let start = end.saturating_sub(size);
                if run.gone[start..end].iter().any(|gone| !gone) {
                    self.attempt(&mut run, start..end);
                }
                end = start.min(run.gone.len());
            }
        }
        let kept = run.steps.into_iter().zip(&run.gone).filter(|(_, gone)| !**gone);
        Some(Script { start: found.start.clone(), steps: kept.map(|(step, _)| step).collect() })
    }

    fn found(&mut self, script: &Script) -> Option<Found> {
        let mut last = Running::new(self.rows, &script.start);
        let mut requests = Vec::with_capacity(script.steps.len());
        for step in &script.steps {
            requests.push(last.requesters(step.event));
            last.apply(&step.changes);
        }
        let length = script.steps.len();
        let run = Found { steps: script.steps.clone(), requests, gone: vec![false; length], left: length, last };
        self.spend(run.last.effort).then_some(run)
    }

    /// Leaves out the steps of `chunk` and all steps that can then not happen, if the run still reaches the
    /// goal.
    fn attempt(&mut self, run: &mut Found, chunk: Range<usize>) {
        let mut apart: Vec<Apart> = Vec::new();
        let mut edits = Edits::default();
        for at in chunk.clone().filter(|at| !run.gone[*at]) {
            leave_out(self.rows, &run.steps[at], &mut apart);
            edits.gone.push(at);
            if apart.len() > MOST_APART || !self.spend(1 + apart.len() as u64) {
                return;
            }
        }
        for at in chunk.end..run.steps.len() {
            if apart.is_empty() || run.gone[at] {
                if apart.is_empty() {
                    break;
                }
                continue;
            }
            if apart.len() > MOST_APART || !self.spend(1 + apart.len() as u64) {
                return;
            }
            if !follow(self.rows, run, at, &mut apart, &mut edits) {
                leave_out(self.rows, &run.steps[at], &mut apart);
                edits.gone.push(at);
            } else if apart.iter().any(|a| self.rows.is_bad(a.shorter)) {
                if self.goal != Goal::Bad {
                    return;
                }
                edits.end = Some(at + 1);
                break;
            }
        }
        self.accept(run, &apart, edits);
    }

    fn accept(&mut self, run: &mut Found, apart: &[Apart], edits: Edits) {
        let cut = edits.end.map_or(0, |end| run.gone[end..].iter().filter(|gone| !**gone).count());
        let length = run.left - edits.gone.len() - cut;
        // If no thread is apart, the run ends as before.
        if !apart.is_empty() || !self.assumptions.is_empty() || edits.end.is_some() {
            let is_after = |at: &usize| !run.gone[*at];
            let after: Vec<usize> =
                edits.end.map_or(Vec::new(), |end| (end..run.steps.len()).filter(is_after).collect());
            let changes: Vec<Change> = apart.iter().map(|a| Change { from: a.found, to: a.shorter }).collect();
            after.iter().rev().for_each(|at| run.last.undo(&run.steps[*at].changes));
            run.last.apply(&changes);
            self.spend((changes.len() + after.len()) as u64);
            if !self.violates(length, &run.last) {
                run.last.undo(&changes);
                after.iter().for_each(|at| run.last.apply(&run.steps[*at].changes));
                return;
            }
        }
        run.left = length;
        edits.gone.iter().for_each(|at| run.gone[*at] = true);
        edits.changed.into_iter().for_each(|(at, changes)| run.steps[at].changes = changes);
        edits.requests.into_iter().for_each(|(at, requests)| run.requests[at] = requests);
        if let Some(end) = edits.end {
            run.steps.truncate(end);
            run.gone.truncate(end);
            run.requests.truncate(end);
        }
    }
}

/// Updates `apart` for a step that happens in the found run only.
fn leave_out(rows: &Compiled, step: &Stepped, apart: &mut Vec<Apart>) {
    for c in step.changes.iter().filter(|c| c.from != c.to) {
        let thread = rows.thread(c.to);
        match apart.iter().position(|a| rows.thread(a.found) == thread) {
            Some(i) if apart[i].shorter == c.to => _ = apart.swap_remove(i),
            Some(i) => apart[i].found = c.to,
            None => apart.push(Apart { found: c.to, shorter: c.from }),
        }
    }
}

/// Lets the step happen in both runs if it can happen in the shorter run, and returns true. Otherwise it
/// changes nothing and returns false.
fn follow(rows: &Compiled, run: &Found, at: usize, apart: &mut Vec<Apart>, edits: &mut Edits) -> bool {
    let step = &run.steps[at];
    let event = step.event;
    let mut requests = run.requests[at];
    for a in &*apart {
        if rows.blocks(a.shorter, event) {
            return false;
        }
        requests = requests + u32::from(rows.requests(a.shorter, event)) - u32::from(rows.requests(a.found, event));
    }
    if requests == 0 {
        return false;
    }
    if requests != run.requests[at] {
        edits.requests.push((at, requests));
    }
    let is_apart = |c: &Change| apart.iter().any(|a| a.found == c.from);
    let mut changes: SmallVec<[Change; 3]> = step.changes.iter().filter(|c| !is_apart(c)).copied().collect();
    let mut differs = changes.len() != step.changes.len();
    for a in &mut *apart {
        if let Some(c) = step.changes.iter().find(|c| c.from == a.found) {
            a.found = c.to;
        }
        let targets = rows.targets(a.shorter, event);
        if let Some(&first) = targets.first() {
            let to = if targets.contains(&a.found) { a.found } else { first };
            changes.push(Change { from: a.shorter, to });
            a.shorter = to;
            differs = true;
        }
    }
    apart.retain(|a| a.found != a.shorter);
    if differs {
        edits.changed.push((at, changes));
    }
    true
}
