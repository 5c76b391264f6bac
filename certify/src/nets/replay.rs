//! Traces of nets and thread systems, replayed exactly on the system as read.
//!
//! Each event must be enabled and lead where the definition says, and the last marking must satisfy the claimed goal. Goals
//! of markings are not terminal, so it does not matter whether the run came through them before.
//!
//! Of a repetition `(word)^k` passes are skipped only where that is exact:
//! * *A pass that changes nothing* from some marking on changes nothing ever after: stepping is a function of the marking.
//! * *Constant changes.* If each transition of the word only adds constants to places, the tokens of a place before the
//!   i-th event of pass j are linear in j (start + j times the change of a pass + the changes of the events before). All
//!   conditions of the step (guards, which are ranges, and that no count becomes negative) ask that such a linear quantity
//!   lies in an interval, and so hold in all passes from a to b if they hold in a and in b. Therefore one pass is replayed,
//!   all but one of the others are added up at once, and the last is replayed again, with all its checks.

use super::formula;
use crate::replay::Replayed;
use crate::work::Work;
use crate::{Check, reject};
use model::trace::{Move, Run};
use model::{Formula, Trace};
use num_bigint::BigUint;

/// A system whose states are markings, stepped exactly.
pub(crate) trait Stepper {
    /// The initial marking with these extra tokens on open places, in their order.
    fn start(&self, extra: &[u32]) -> Check<Vec<BigUint>>;

    fn transitions(&self) -> usize;

    /// A transition, for messages.
    fn name(&self, t: usize) -> String;

    /// Work units to fire it.
    fn cost(&self, t: usize) -> u64;

    /// Does it, whenever it fires, add the same constants, under guards that are ranges? And leave no choice?
    fn adds_constants(&self, t: usize) -> bool;

    /// Appends the places that it may change.
    fn changed(&self, t: usize, out: &mut Vec<usize>);

    fn is_enabled(&self, t: usize, marking: &[BigUint]) -> bool;

    /// Fires it, to the recorded `choice` if there is one, or says why that cannot be.
    fn fire(&self, t: usize, choice: Option<&[u32]>, marking: &mut [BigUint]) -> Result<(), String>;
}

/// Replays `trace` into a marking that satisfies `goal`; `None`: into a deadlock.
pub(crate) fn replay<S: Stepper>(
    stepper: &S,
    trace: &Trace,
    goal: Option<&Formula>,
    work: &mut Work<'_>,
) -> Check<Replayed> {
    let events = trace.len().ok_or(crate::Refusal::TooDear)?;
    let marking = stepper.start(&trace.start)?;
    work.spend(marking.len() as u64)?;
    let mut replay = Replay { stepper, trace, marking, done: 0, stepped: 0 };
    for run in trace.runs() {
        replay.run(run, work)?;
    }
    let marking = &replay.marking;
    match goal {
        Some(formula) => {
            work.spend(formula::size(formula))?;
            if !formula::holds(formula, marking) {
                return reject("the trace ends in a marking that does not satisfy the goal");
            }
        }
        None => {
            for t in 0..stepper.transitions() {
                work.spend(1)?;
                if stepper.is_enabled(t, marking) {
                    let name = stepper.name(t);
                    return reject(format!("the trace ends in a marking that is no deadlock: `{name}` is enabled"));
                }
            }
        }
    }
    Ok(Replayed { events, stepped: replay.stepped })
}

struct Replay<'a, S> {
    stepper: &'a S,
    trace: &'a Trace,
    marking: Vec<BigUint>,
    /// Events before the next one.
    done: u64,
    stepped: u64,
}

impl<S: Stepper> Replay<'_, S> {
    fn run(&mut self, run: &Run, work: &mut Work<'_>) -> Check<()> {
        if let Some(unknown) = run.word.iter().find(|m| m.event.index() >= self.stepper.transitions()) {
            return reject(format!("after {} events comes the unknown event {}", self.done, unknown.event.0));
        }
        if run.times == 1 {
            return self.pass(&run.word, work);
        }
        if run.word.iter().any(|m| m.choice.is_some()) {
            return reject(format!("a repetition after {} events records a choice", self.done));
        }
        self.repeat(run, work)
    }

    fn repeat(&mut self, run: &Run, work: &mut Work<'_>) -> Check<()> {
        let constant = run.word.iter().all(|m| self.stepper.adds_constants(m.event.index()));
        let mut changed = Vec::new();
        run.word.iter().for_each(|m| self.stepper.changed(m.event.index(), &mut changed));
        changed.sort_unstable();
        changed.dedup();
        let mut left = run.times;
        while left > 0 {
            work.spend(changed.len() as u64)?;
            let before: Vec<BigUint> = changed.iter().map(|&p| self.marking[p].clone()).collect();
            self.pass(&run.word, work)?;
            left -= 1;
            let same = || changed.iter().zip(&before).all(|(&p, old)| self.marking[p] == *old);
            if left > 1 && (constant || same()) {
                self.skip(left - 1, &changed, &before)?;
                self.done += (left - 1) * run.word.len() as u64;
                left = 1;
            }
        }
        Ok(())
    }

    /// Adds `passes` times the change since `before`.
    fn skip(&mut self, passes: u64, changed: &[usize], before: &[BigUint]) -> Check<()> {
        for (&place, old) in changed.iter().zip(before) {
            let tokens = &mut self.marking[place];
            if *tokens >= *old {
                *tokens += (&*tokens - old) * passes;
            } else {
                let taken = (old - &*tokens) * passes;
                if *tokens < taken {
                    return reject(format!("a repetition after {} events runs out of tokens", self.done));
                }
                *tokens -= taken;
            }
        }
        Ok(())
    }

    fn pass(&mut self, word: &[Move], work: &mut Work<'_>) -> Check<()> {
        for step in word {
            let t = step.event.index();
            work.spend(self.stepper.cost(t))?;
            let choice = step.choice.map(|choice| self.trace.choice(choice));
            if let Err(why) = self.stepper.fire(t, choice, &mut self.marking) {
                let name = self.stepper.name(t);
                return reject(format!("event number {} (`{name}`): {why}", self.done + 1));
            }
            self.done += 1;
            self.stepped += 1;
        }
        Ok(())
    }
}
