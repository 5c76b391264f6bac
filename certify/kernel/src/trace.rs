//! Runs as evidence, replayed step by step on the system as read.
//!
//! Each step must be possible where it is taken, each recorded target one that the step may lead to, each unrecorded
//! one the only one, and the last state one of the goal. Of a repetition `(word)^k` passes are skipped only where that
//! is exact:
//! * The state has come back. A word without recorded choices leads from equal states to equal ones, so the passes
//!   between go round for ever, and full rounds are left out (Brent's cycle search: compare with a mark that moves at
//!   powers of two).
//! * The kind of system knows where the repetition leads ([`Semantics::repeat`], with the argument beside it).
//!
//! *Infinite runs* ([`violates`]): the steps from `repeats_from` on lead back to the state in which they began, so they
//! can be taken for ever, and the word that the steps spell violates the formula ([`holds`]). *Back* may leave out what
//! the loop never looks at before it assigns it. That is tried by going round once more from the state in which this
//! must not be looked at ([`Infinite::forget`]): then the loop does the same whatever is in it, so it ends with the
//! same of all else, and by induction so it does for ever.

use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use model::trace::{Move, Run};
use model::{Goal, Letter, Ltl, LtlNode, Trace};

/// A kind of system, as far as runs are concerned.
pub trait Semantics {
    /// A state. States that are equal have the same runs.
    type State: Clone + PartialEq;

    /// The initial state that a trace with this start begins in.
    ///
    /// # Errors
    /// If it is none.
    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<Self::State>;

    /// Takes the step with this label, to the recorded state if there is one, else to the only one there is.
    ///
    /// # Errors
    /// If it is not possible, or leads elsewhere.
    fn step(&mut self, state: &mut Self::State, label: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()>;

    /// Is a run that ends here one into this goal?
    ///
    /// # Errors
    /// If it is not.
    fn reached(&mut self, state: &Self::State, goal: Goal, work: &mut Work<'_>) -> Check<()>;

    /// The state after `word`, without choices, is repeated so many times, if that is known with less work; with the
    /// number of steps taken to find out.
    ///
    /// # Errors
    /// If it cannot be repeated.
    fn repeat(
        &mut self,
        state: &Self::State,
        word: &[u32],
        times: u64,
        work: &mut Work<'_>,
    ) -> Check<Option<(Self::State, u64)>> {
        let _ = (state, word, times, work);
        Ok(None)
    }
}

/// A kind of system whose infinite runs spell words.
pub trait Infinite: Semantics {
    /// The letters of the step that led to this state.
    ///
    /// # Errors
    /// If it is no step of an infinite run.
    fn letters(&self, state: &Self::State) -> Check<(Letter, Option<Letter>)>;

    /// The state `from`, in which it is forbidden to look at what is different in `to` before it is assigned.
    fn forget(&self, from: &Self::State, to: &Self::State) -> Self::State;
}

/// A run that was replayed.
#[derive(Debug)]
pub struct Replayed<S> {
    /// How many steps it has.
    pub events: u64,
    /// How many of them were taken to check it.
    pub stepped: u64,
    /// Where it ends.
    pub last: S,
}

/// Replays a finite run.
///
/// # Errors
/// If it is none; beyond the limits.
pub fn replay<S: Semantics>(semantics: &mut S, trace: &Trace, work: &mut Work<'_>) -> Check<Replayed<S::State>> {
    let events = trace.len().ok_or(Refusal::TooDear)?;
    if trace.repeats_from.is_some() {
        return reject("a run into a goal ends there");
    }
    let state = semantics.start(&trace.start, work)?;
    let mut replay = Replay { semantics, trace, state, done: 0, stepped: 0 };
    for run in trace.runs() {
        replay.run(run, work)?;
    }
    assert_eq!(replay.done, events, "every step was taken or skipped");
    debug_assert!(replay.stepped <= events);
    Ok(Replayed { events, stepped: replay.stepped, last: replay.state })
}

struct Replay<'a, S: Semantics> {
    semantics: &'a mut S,
    trace: &'a Trace,
    state: S::State,
    /// Steps before the next one.
    done: u64,
    stepped: u64,
}

impl<S: Semantics> Replay<'_, S> {
    fn run(&mut self, run: &Run, work: &mut Work<'_>) -> Check<()> {
        if run.times == 1 {
            return self.pass(&run.word, work);
        }
        if run.word.iter().any(|step| step.choice.is_some()) {
            return reject(format!("a repetition after {} events records a choice", self.done));
        }
        let word: Vec<u32> = run.word.iter().map(|step| step.event.0).collect();
        let repeated = self.semantics.repeat(&self.state, &word, run.times, work);
        match within(repeated, || format!("a repetition after {} events", self.done))? {
            Some((state, stepped)) => {
                self.state = state;
                self.done += run.times * word.len() as u64;
                self.stepped += stepped;
                Ok(())
            }
            None => self.repeat(run, work),
        }
    }

    fn repeat(&mut self, run: &Run, work: &mut Work<'_>) -> Check<()> {
        debug_assert!(run.times > 1, "else nothing is repeated");
        let mut left = run.times;
        let mut mark = Some(self.state.clone());
        let (mut since_mark, mut next_mark) = (0u64, 1u64);
        while left > 0 {
            self.pass(&run.word, work)?;
            left -= 1;
            since_mark += 1;
            let Some(marked) = &mut mark else { continue };
            if *marked == self.state {
                let skipped = left - left % since_mark;
                debug_assert!(skipped.is_multiple_of(since_mark), "only full rounds are skipped");
                self.done += skipped * run.word.len() as u64;
                left -= skipped;
                mark = None;
            } else if since_mark == next_mark {
                marked.clone_from(&self.state);
                since_mark = 0;
                next_mark = next_mark.saturating_mul(2);
            }
        }
        Ok(())
    }

    fn pass(&mut self, word: &[Move], work: &mut Work<'_>) -> Check<()> {
        for step in word {
            work.spend(1)?;
            let choice = step.choice.map(|choice| self.trace.choice(choice));
            let taken = self.semantics.step(&mut self.state, step.event.0, choice, work);
            within(taken, || format!("event number {}", self.done + 1))?;
            self.done += 1;
            self.stepped += 1;
        }
        Ok(())
    }
}

/// Replays an infinite run whose word violates `formula`; how many steps it has.
///
/// # Errors
/// If it is none; beyond the limits.
pub fn violates<S: Infinite>(semantics: &mut S, trace: &Trace, formula: &Ltl, work: &mut Work<'_>) -> Check<u64> {
    let events = trace.len().ok_or(Refusal::TooDear)?;
    let Some(repeats_from) = trace.repeats_from.filter(|&from| from < events) else {
        return reject("a violating run is infinite, and this one does not repeat");
    };
    // Its word is looked at from the end. One that could not be held need not be begun.
    let letters = usize::try_from(events).map_err(|_| Refusal::TooDear)?;
    work.grow(letters.saturating_mul(2 * size_of::<Letter>()))?;
    let mut state = semantics.start(&trace.start, work)?;
    let (mut word, mut loops) = (Vec::new(), None);
    for (number, step) in (0..).zip(steps(trace)) {
        if number == repeats_from {
            loops = Some((state.clone(), word.len()));
        }
        spell(semantics, &mut state, step, number, &mut word, work)?;
    }
    let Some((start, first)) = loops else { return reject("the run does not come to where it repeats") };
    debug_assert!(first < word.len(), "the loop has a letter");
    debug_assert!(word.len() as u64 >= events, "each step has one");
    if start != state {
        let mut again = semantics.forget(&start, &state);
        for (number, step) in (0..).zip(steps(trace)).skip_while(|(number, _)| *number < repeats_from) {
            let spelt = spell(semantics, &mut again, step, number, &mut Vec::new(), work);
            within(spelt, || "the run does not come back to where it repeats".to_owned())?;
        }
    }
    if holds(formula, &word, first, work)? {
        return reject("the word of the run satisfies the formula");
    }
    Ok(events)
}

fn steps(trace: &Trace) -> impl Iterator<Item = &Move> {
    trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.iter()))
}

/// One step of an infinite run; appends its letters.
fn spell<S: Infinite>(
    semantics: &mut S,
    state: &mut S::State,
    step: &Move,
    number: u64,
    word: &mut Vec<Letter>,
    work: &mut Work<'_>,
) -> Check<()> {
    if step.choice.is_some() {
        return reject("steps of infinite runs leave no choice");
    }
    let taken = semantics.step(state, step.event.0, None, work).and_then(|()| semantics.letters(state));
    let (first, second) = within(taken, || format!("call {}", number + 1))?;
    word.push(first);
    word.extend(second);
    Ok(())
}

/// Is the formula true at position 0 of the word that goes on from its end with position `repeats_from`? Straight from
/// the meaning of the operators: the truth of every subformula at every position, where the position after the last one
/// is the first of the loop.
///
/// `a U b` is the least solution of x = b | (a & next x), `a WU b` the greatest; `a R b` is the greatest one of x = b &
/// (a | next x). On the loop a solution is found by going round backwards twice: the first time from the guess (false
/// for the least, true for the greatest) behind the last position, the second time from what came out at the loop's
/// start. Then nothing changes any more: if the guess was wrong, some position of the loop decides by itself, and with
/// it all before it, round the loop.
///
/// # Errors
/// If no letter repeats; beyond the limits.
pub fn holds(formula: &Ltl, word: &[Letter], repeats_from: usize, work: &mut Work<'_>) -> Check<bool> {
    if repeats_from >= word.len() {
        return reject("the part that repeats has no letter");
    }
    work.grow(formula.nodes().len().saturating_mul(word.len()))?;
    let next = |i: usize| if i + 1 == word.len() { repeats_from } else { i + 1 };
    let mut truth: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        work.spend(word.len() as u64)?;
        let at = |f: &dyn Fn(usize) -> bool| (0..word.len()).map(f).collect::<Vec<bool>>();
        let of = |id: model::LtlId| &truth[id.index()];
        // x = now | (pass & next x), at each position.
        let solve = |guess: bool, now: &dyn Fn(usize) -> bool, pass: &dyn Fn(usize) -> bool| {
            let mut x = vec![guess; word.len()];
            let mut behind = guess;
            for from in [repeats_from, 0] {
                for i in (from..word.len()).rev() {
                    behind = now(i) || pass(i) && behind;
                    x[i] = behind;
                }
                behind = x[repeats_from];
            }
            let solves = |i: usize| x[i] == (now(i) || pass(i) && x[next(i)]);
            debug_assert!((0..word.len()).all(solves), "nothing changes any more");
            x
        };
        let column = match node {
            LtlNode::Constant(value) => vec![value; word.len()],
            LtlNode::Letter(letter) => at(&|i| word[i] == letter),
            LtlNode::Not(a) => at(&|i| !of(a)[i]),
            LtlNode::And(a, b) => at(&|i| of(a)[i] && of(b)[i]),
            LtlNode::Or(a, b) => at(&|i| of(a)[i] || of(b)[i]),
            LtlNode::Next(a) => at(&|i| of(a)[next(i)]),
            LtlNode::Until(a, b) => solve(false, &|i| of(b)[i], &|i| of(a)[i]),
            LtlNode::WeakUntil(a, b) => solve(true, &|i| of(b)[i], &|i| of(a)[i]),
            LtlNode::Release(a, b) => solve(true, &|i| of(a)[i] && of(b)[i], &|i| of(b)[i]),
            LtlNode::Globally(a) => solve(true, &|_| false, &|i| of(a)[i]),
            LtlNode::Finally(a) => solve(false, &|i| of(a)[i], &|_| true),
        };
        debug_assert_eq!(column.len(), word.len(), "a value for each position");
        truth.push(column);
    }
    debug_assert_eq!(truth.len(), formula.nodes().len());
    Ok(truth.last().is_some_and(|column| column[0]))
}
