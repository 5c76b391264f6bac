//! Replays runs of reactive programs: into an error label, or round a loop for ever with a word that violates a formula.

use super::lasso;
use super::plain::{Interpreter, Valuation};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{ErrorId, InputId, Letter, Ltl, Move, Outcome, Reactive, Trace};

/// The inputs of the calls, in order.
fn inputs<'a>(program: &'a Reactive, trace: &'a Trace) -> impl Iterator<Item = Check<i32>> + 'a {
    let moves = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.iter()));
    moves.map(|step| input(program, step))
}

/// The input of a call.
fn input(program: &Reactive, step: &Move) -> Check<i32> {
    if step.choice.is_some() {
        return reject("calls leave no choice");
    }
    if step.event.index() >= program.inputs().len() {
        return reject(format!("the alphabet has no letter number {}", step.event.0));
    }
    Ok(program.input(InputId(step.event.0)))
}

fn length(trace: &Trace) -> Check<u64> {
    if !trace.start.is_empty() {
        return reject("a reactive program has but one initial valuation");
    }
    trace.len().ok_or(Refusal::TooDear)
}

/// A run whose last call stops at `goal`, and no other call stops; how many calls. Calls with invalid input count as they may
/// change variables. Of a word that is repeated full rounds are skipped that lead back to the valuation in which they began.
pub(crate) fn error(program: &Reactive, trace: &Trace, goal: ErrorId, work: &mut Work<'_>) -> Check<u64> {
    let length = length(trace)?;
    if trace.repeats_from.is_some() {
        return reject("a run into an error label ends there");
    }
    let mut interpreter = Interpreter::new(program);
    let mut valuation = Valuation::initial(program);
    let mut calls = 0;
    for run in trace.runs() {
        let mut left = run.times;
        // Brent's cycle search, as for programs: compare with a mark that moves at powers of two.
        let (mut mark, mut since_mark, mut next_mark) = (None, 0u64, 1u64);
        while left > 0 {
            for step in &run.word {
                calls += 1;
                match interpreter.call(&mut valuation, input(program, step)?, work)? {
                    Outcome::Output(_) | Outcome::Silent | Outcome::Unspelt | Outcome::Invalid => {}
                    Outcome::Error(error) if error == goal && calls == length => return Ok(calls),
                    Outcome::Error(error) => {
                        return reject(format!("call {calls} stops at `{}`", label(program, error)));
                    }
                    Outcome::Crash => return reject(format!("call {calls} crashes")),
                }
            }
            (left, since_mark) = (left - 1, since_mark + 1);
            if left < 2 {
                continue;
            }
            if mark.as_ref() == Some(&valuation.values) {
                let skipped = left - left % since_mark;
                (left, calls) = (left - skipped, calls + skipped * run.word.len() as u64);
                (mark, next_mark) = (None, u64::MAX);
            } else if since_mark == next_mark {
                mark = Some(valuation.values.clone());
                (since_mark, next_mark) = (0, next_mark.saturating_mul(2));
            }
        }
    }
    reject("the last call does not stop at the error label")
}

fn label(program: &Reactive, error: ErrorId) -> String {
    program.errors().get(error.index()).map_or_else(|| error.0.to_string(), u32::to_string)
}

/// An infinite run that violates `formula`: every call outputs or is silent, the calls from `repeats_from` on lead back to where
/// they began, and the formula is false of the word; how many calls.
///
/// *Back*: variables may differ afterwards if the calls of the loop never look at them before they assign them. That is tried by
/// going round once more with these poisoned. Then the loop does the same whatever they hold, so it ends with the same
/// values of all others, and by induction so it does for ever.
pub(crate) fn violation(program: &Reactive, trace: &Trace, formula: &Ltl, work: &mut Work<'_>) -> Check<u64> {
    let length = length(trace)?;
    let Some(repeats_from) = trace.repeats_from.filter(|&from| from < length) else {
        return reject("a violating run is infinite, and this one does not repeat");
    };
    // Its word is looked at from the end. One that could not be held need not be begun.
    let letters = usize::try_from(length).map_err(|_| Refusal::TooDear)?;
    work.grow(letters.saturating_mul(size_of::<Letter>()))?;
    let mut interpreter = Interpreter::new(program);
    let mut valuation = Valuation::initial(program);
    let (mut word, mut start, mut first) = (Vec::new(), None, 0);
    for (number, input) in (0..).zip(inputs(program, trace)) {
        if number == repeats_from {
            start = Some(valuation.clone());
            first = word.len();
        }
        step(&mut interpreter, &mut valuation, input?, number, &mut word, work)?;
    }
    let Some(start) = start else { return reject("a violating run is infinite, and this one does not repeat") };
    if start.values != valuation.values {
        let differs: Vec<bool> = start.values.iter().zip(&valuation.values).map(|(a, b)| a != b).collect();
        let mut again = Valuation { values: start.values, poisoned: differs };
        let rest = inputs(program, trace).skip(usize::try_from(repeats_from).map_err(|_| Refusal::TooDear)?);
        for (number, input) in (repeats_from..).zip(rest) {
            step(&mut interpreter, &mut again, input?, number, &mut Vec::new(), work).map_err(
                |refusal| match refusal {
                    Refusal::Rejected(why) => {
                        Refusal::Rejected(format!("the run does not come back to where it repeats: {why}"))
                    }
                    other => other,
                },
            )?;
        }
    }
    if lasso::holds(formula, &word, first, work)? {
        return reject("the word of the run satisfies the formula");
    }
    Ok(length)
}

/// One call of an infinite run; appends its letters.
fn step(
    interpreter: &mut Interpreter<'_>,
    valuation: &mut Valuation,
    input: i32,
    number: u64,
    word: &mut Vec<Letter>,
    work: &mut Work<'_>,
) -> Check<()> {
    let outcome = interpreter.call(valuation, input, work)?;
    if word.len() == word.capacity() {
        work.grow(word.len().saturating_mul(size_of::<Letter>()))?;
    }
    word.push(Letter::Input(input));
    match outcome {
        Outcome::Output(letter) => word.push(Letter::Output(letter)),
        Outcome::Silent => {}
        Outcome::Unspelt => {
            return reject(format!("call {} shows something else than one letter", number + 1));
        }
        Outcome::Invalid => return reject(format!("call {} has an invalid input", number + 1)),
        Outcome::Error(_) | Outcome::Crash => return reject(format!("call {} stops", number + 1)),
    }
    Ok(())
}
