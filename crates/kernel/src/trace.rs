//! Runs as evidence: replays each step on the system as read.
//!
//! A finite run is accepted if each step is possible in the state where it is taken, each recorded target is a
//! state that the step may lead to, each step without a recorded target has only one possible target, and the
//! last state is in the goal. A trace may contain a repetition `(word)^k`, that is, k passes of the same word.
//! Passes are skipped only where this is exact:
//!
//! 1. If the states at two boundaries of passes are equal, full rounds between these two states can be left
//!    out. Proof: a word without recorded choices leads from equal states to equal states, so the passes
//!    between the two states repeat for ever. The search for such a state is Brent's cycle search: each state
//!    is compared with a mark that moves at powers of two.
//! 2. Some kinds of systems compute the state after the repetition with less work ([`Semantics::repeat`]). The
//!    proof is beside each implementation.
//!
//! An *infinite run* ([`violates`]) consists of a finite part and a loop, the steps from `repeats_from` on. It
//! is accepted by three claims:
//!
//! 3. If the loop leads back to the state in which it began, its steps can be taken for ever. Proof: equal
//!    states have the same runs.
//! 4. Claim 3 also holds if the two states differ only in parts that the loop never reads before it assigns
//!    them. This is checked by taking the loop once more, from the state in which the differing parts must not
//!    be read ([`Infinite::forget`]). Proof: the loop does the same whatever the differing parts hold, so it
//!    ends with the same values of all other parts. By induction it can be taken for ever.
//! 5. The run violates the formula if the word that its steps spell does not satisfy the formula ([`holds`]).
//!    Proof: this is the definition of a violating run.

use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use model::trace::{Move, Run};
use model::{Goal, Letter, Ltl, LtlNode, Trace};

/// The semantics of a kind of system, as far as runs need it.
pub trait Semantics {
    /// A state. Equal states have the same runs.
    type State: Clone + PartialEq;

    /// Returns the initial state that a trace with the slots `start` begins in.
    ///
    /// # Errors
    /// If `start` describes no initial state.
    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<Self::State>;

    /// Takes the step with this label: to the recorded state `choice` if there is one, otherwise to the only
    /// possible target.
    ///
    /// # Errors
    /// If the step is not possible, if it cannot lead to the recorded state, or if no state is recorded and
    /// several are possible.
    fn step(&mut self, state: &mut Self::State, label: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()>;

    /// Checks that a run that ends in `state` reaches the goal.
    ///
    /// # Errors
    /// If the run does not reach the goal.
    fn reached(&mut self, state: &Self::State, goal: Goal, work: &mut Work<'_>) -> Check<()>;

    /// Repeats `word` `times` times from `state`, without choices. Returns the state after the repetition, and
    /// the number of steps that were taken to compute it. Returns `None` if the kind of system has no cheaper
    /// way than to take all steps.
    ///
    /// # Errors
    /// If the word cannot be repeated this often.
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

/// A kind of system with infinite runs that spell words.
pub trait Infinite: Semantics {
    /// Returns the one or two letters of the step that led to this state.
    ///
    /// # Errors
    /// If an infinite run cannot contain this step.
    fn letters(&self, state: &Self::State) -> Check<(Letter, Option<Letter>)>;

    /// Returns the state `from`, marked so that the parts in which it differs from `to` must not be read before
    /// they are assigned.
    fn forget(&self, from: &Self::State, to: &Self::State) -> Self::State;
}

/// A replayed run.
#[derive(Debug)]
pub struct Replayed<S> {
    /// Number of steps of the run.
    pub events: u64,
    /// Number of steps that were taken to check the run.
    pub stepped: u64,
    /// The last state of the run.
    pub last: S,
}

/// Replays a finite run.
///
/// # Errors
/// If the trace is no run of the system, or if a resource limit is exceeded.
pub fn replay<S: Semantics>(semantics: &mut S, trace: &Trace, work: &mut Work<'_>) -> Check<Replayed<S::State>> {
    let events = trace.len().ok_or(Refusal::ResourceLimit)?;
    if trace.repeats_from.is_some() {
        return reject("a run into a goal ends there, and this run repeats");
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
    /// Number of steps taken or skipped so far.
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

/// Replays an infinite run with a word that violates `formula`. Returns the number of its steps: the finite part and
/// one pass of the loop.
///
/// # Errors
/// If the trace is no infinite run of the system, or its word satisfies the formula, or if a resource limit is
/// exceeded.
pub fn violates<S: Infinite>(semantics: &mut S, trace: &Trace, formula: &Ltl, work: &mut Work<'_>) -> Check<u64> {
    let events = trace.len().ok_or(Refusal::ResourceLimit)?;
    let Some(repeats_from) = trace.repeats_from.filter(|&from| from < events) else {
        return reject("a violating run is infinite, and this run does not repeat");
    };
    // The word is evaluated from its end, so it must fit in memory. This is checked before the replay begins.
    let letters = usize::try_from(events).map_err(|_| Refusal::ResourceLimit)?;
    work.grow(letters.saturating_mul(2 * size_of::<Letter>()))?;
    let mut state = semantics.start(&trace.start, work)?;
    let (mut word, mut loops) = (Vec::new(), None);
    for (number, step) in (0..).zip(steps(trace)) {
        if number == repeats_from {
            loops = Some((state.clone(), word.len()));
        }
        spell(semantics, &mut state, step, number, &mut word, work)?;
    }
    let Some((start, first)) = loops else { return reject("the run ends before the step from which it repeats") };
    debug_assert!(first < word.len(), "the loop has a letter");
    debug_assert!(word.len() as u64 >= events, "each step has one");
    if start != state {
        let mut again = semantics.forget(&start, &state);
        for (number, step) in (0..).zip(steps(trace)).skip_while(|(number, _)| *number < repeats_from) {
            let spelt = spell(semantics, &mut again, step, number, &mut Vec::new(), work);
            within(spelt, || "the run does not come back to the state from which it repeats".to_owned())?;
        }
    }
    if holds(formula, &word, first, work)? {
        return reject("the word of the run satisfies the formula");
    }
    Ok(events)
}

/// Iterates over all steps of a trace.
pub(crate) fn steps(trace: &Trace) -> impl Iterator<Item = &Move> {
    trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.iter()))
}

/// Takes one step of an infinite run, and appends its letters to `word`.
fn spell<S: Infinite>(
    semantics: &mut S,
    state: &mut S::State,
    step: &Move,
    number: u64,
    word: &mut Vec<Letter>,
    work: &mut Work<'_>,
) -> Check<()> {
    if step.choice.is_some() {
        return reject("a step of an infinite run records a choice, and there is none");
    }
    let taken = semantics.step(state, step.event.0, None, work).and_then(|()| semantics.letters(state));
    let (first, second) = within(taken, || format!("call {}", number + 1))?;
    word.push(first);
    word.extend(second);
    Ok(())
}

/// Returns true if the formula holds at position 0 of the infinite word: `word`, then again and again its part
/// from `repeats_from` on. The evaluation follows the definition of the operators. It computes the truth of
/// every subformula at every position; the position after the last one is `repeats_from`.
///
/// `a U b` is the least solution of x = b | (a & next x), and `a WU b` is its greatest solution. `a R b` is the
/// greatest solution of x = b & (a | next x). On the loop a solution is computed in two backward rounds. The
/// first round starts behind the last position with the guess (false for the least solution, true for the
/// greatest). The second round starts there with the value that the first round gave to the start of the loop.
///
/// 1. A third round would change nothing. Proof: if the value at the start of the loop equals the guess, the
///    second round already repeats the first. Otherwise some position of the loop has a value that does not
///    depend on its successor, and the values at all positions from the start of the loop up to this one follow
///    from it. So the value at the start of the loop is final after the first round, and the second round
///    begins with it.
///
/// # Errors
/// If the repeated part has no letter, or if a resource limit is exceeded.
pub fn holds(formula: &Ltl, word: &[Letter], repeats_from: usize, work: &mut Work<'_>) -> Check<bool> {
    holds_at(formula, word.len(), repeats_from, &|letter, i| word[i] == letter, work)
}

/// As [`holds`], for a word of `length` positions of which `truth_of` knows the truth of letters.
///
/// # Errors
/// If the repeated part has no position, or if a resource limit is exceeded.
pub fn holds_at(
    formula: &Ltl,
    length: usize,
    repeats_from: usize,
    truth_of: &dyn Fn(Letter, usize) -> bool,
    work: &mut Work<'_>,
) -> Check<bool> {
    if repeats_from >= length {
        return reject("the part that repeats has no letter");
    }
    work.grow(formula.nodes().len().saturating_mul(length))?;
    let next = |i: usize| if i + 1 == length { repeats_from } else { i + 1 };
    let mut truth: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        work.spend(length as u64)?;
        let at = |f: &dyn Fn(usize) -> bool| (0..length).map(f).collect::<Vec<bool>>();
        let of = |id: model::LtlId| &truth[id.index()];
        // Solves x = now | (pass & next x) at each position.
        let solve = |guess: bool, now: &dyn Fn(usize) -> bool, pass: &dyn Fn(usize) -> bool| {
            let mut x = vec![guess; length];
            let mut behind = guess;
            for from in [repeats_from, 0] {
                for i in (from..length).rev() {
                    behind = now(i) || pass(i) && behind;
                    x[i] = behind;
                }
                behind = x[repeats_from];
            }
            let solves = |i: usize| x[i] == (now(i) || pass(i) && x[next(i)]);
            debug_assert!((0..length).all(solves), "nothing changes any more");
            x
        };
        let column = match node {
            LtlNode::Constant(value) => vec![value; length],
            LtlNode::Letter(letter) => at(&|i| truth_of(letter, i)),
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
        debug_assert_eq!(column.len(), length, "a value for each position");
        truth.push(column);
    }
    debug_assert_eq!(truth.len(), formula.nodes().len());
    Ok(truth.last().is_some_and(|column| column[0]))
}
