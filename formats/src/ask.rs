//! Questions on the command line (`--ask`), and which ends are meant (`--final`).

use crate::codes;
use crate::error::{Error, Text, printable};
use crate::reach::Questions;
use crate::source::Limits;
use crate::{goals, lola, ltl};
use model::{Goal, Marked, Net, Problem, Property, SystemModel, TemporalId, ThreadSystem};
use std::sync::Arc;

type Res<T> = Result<T, Box<Error>>;

/// What errors call the texts.
const ASK: &str = "--ask";
const FINAL: &str = "--final";

/// Ids that mean something by themselves.
const RESERVED: &[&str] = &["bad", "deadlock", "final", "target"];

/// A question that was read.
#[derive(Clone, Debug)]
pub enum Ask {
    /// It can be answered. Its formula is among those of the problem, the property is not.
    Property(Property),
    /// It is no question that engines know for this kind of system.
    Unsupported {
        /// Its id.
        id: String,
        /// What is not supported, as a warning.
        error: Box<Error>,
    },
}

/// Reads the question of this number (from 1), `FORMULA` or `NAME: FORMULA`: of nets, thread systems and programs in
/// the language of `.formula` files, of reactive programs a temporal formula. Without a name it is called
/// `ask:NUMBER`.
///
/// # Errors
/// Anything wrong with the text, and systems without such questions. The problem is unchanged then.
pub fn ask(problem: &mut Problem, question: &str, number: usize, limits: &Limits) -> Res<Ask> {
    let text = Text { name: ASK, text: question };
    if question.len() > limits.bytes {
        return Err(Error::whole(&codes::LIMIT_BYTES, ASK, "the question is too long"));
    }
    let (id, at) = name(text, limits)?;
    let id = id.unwrap_or_else(|| format!("ask:{number}"));
    if question[at..].trim().is_empty() {
        let error = text.error(&codes::INPUT_EMPTY, at..at, "there is no formula");
        return Err(error.label("expected a formula, as in `AG busy <= 1`"));
    }
    if problem.system().as_reactive().is_some() {
        let formula = Arc::new(ltl::formula(text, at, limits)?);
        let goal = Goal::Temporal(TemporalId::new(problem.temporal().len()));
        goals::change(problem, ASK, |asked| asked.temporal.push(formula))?;
        return Ok(Ask::Property(Property::never(id, goal)));
    }
    let system = problem.system().clone();
    let subject = lola::subject(&system, ASK)?;
    let mut questions = Questions::beside(text, subject, problem, limits);
    if let Err(error) = lola::ask(text, at, subject, id.clone(), limits, &mut questions) {
        let is_temporal = error.code() == codes::LOLA_REACHABILITY.code && lola::is_temporal(text, at, limits);
        let is_other = is_temporal || error.code() == codes::ASK_PROGRAM.code;
        return if is_other { Ok(Ask::Unsupported { id, error: error.warning() }) } else { Err(error) };
    }
    let (formulas, mut properties) = questions.into_parts();
    let mut with_formulas = problem.clone();
    goals::change(&mut with_formulas, ASK, |asked| asked.formulas.extend(formulas))?;
    let property = properties.remove(0);
    if let Some(error) = unsupported(&with_formulas, &property, text, at) {
        return Ok(Ask::Unsupported { id, error: error.warning() });
    }
    *problem = with_formulas;
    Ok(Ask::Property(property))
}

/// What the question of this number is called, as far as can be said without a look at the model.
#[must_use]
pub fn ask_id(question: &str, number: usize) -> String {
    let named = name(Text { name: ASK, text: question }, &Limits::default());
    named.ok().and_then(|(name, _)| name).unwrap_or_else(|| format!("ask:{number}"))
}

/// The name in front of a question, and where the question begins.
fn name(text: Text<'_>, limits: &Limits) -> Res<(Option<String>, usize)> {
    let Some((name, _)) = text.text.split_once(':') else { return Ok((None, 0)) };
    let at = name.len() + 1;
    let name = name.trim();
    let is_name = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    if name.is_empty() || name.len() > limits.name_length || !name.chars().all(is_name) {
        let error = text.error(&codes::ASK_NAME, 0..at - 1, format!("`{}` is no name of a question", printable(name)));
        return Err(error.label("expected letters, digits, `_`, `.` and `-`"));
    }
    if RESERVED.contains(&name) {
        let error = text.error(&codes::ASK_NAME, 0..at - 1, format!("`{name}` means something else"));
        return Err(error.label("expected another name"));
    }
    Ok((Some(name.to_owned()), at))
}

/// Why a question about a program is none that engines can be asked.
fn unsupported(problem: &Problem, property: &Property, text: Text<'_>, at: usize) -> Option<Box<Error>> {
    problem.system().as_program()?;
    let span = at..text.text.len();
    if !problem.assumptions().is_empty() && property.goal != Goal::Deadlock {
        let message = "formulas beside what the model assumes (`assume`)";
        return Some(text.error(&codes::ASK_PROGRAM, span, message).label("not supported together"));
    }
    if model::observed(problem, &[property.goal]).is_some() {
        return None;
    }
    let message = "the formula has too many cases";
    let error = text.error(&codes::ASK_PROGRAM, span, message).label("too large for this program");
    Some(error.hint("it is taken apart into sets of thread states joined by OR; ask smaller questions, one by one"))
}

/// The system of `problem` may end in the markings that satisfy this formula, instead of those that its file says:
/// such an end is no deadlock. A property `deadlock` is about the others then.
///
/// # Errors
/// Anything wrong with the text, and systems without markings. The problem is unchanged then.
pub fn apply_ends(problem: &mut Problem, formula: &str, limits: &Limits) -> Res<()> {
    let text = Text { name: FINAL, text: formula };
    let Some(system) = problem.system().as_marked() else {
        let message = format!("the formula would be about markings, and the model is {}", problem.system().noun());
        let error = Error::whole(&codes::GOALS_SYSTEM, FINAL, message);
        return Err(error.hint("in programs states are marked `final`, or say `--ends proper`"));
    };
    let ends = Arc::new(lola::state_formula(text, lola::subject(problem.system(), FINAL)?, limits)?);
    let system: SystemModel = match system {
        Marked::Net(net) => Arc::new(Net::clone(net).with_ends(ends)).into(),
        Marked::Threads(system) => Arc::new(ThreadSystem::clone(system).with_ends(ends)).into(),
    };
    let improper = model::improper(&system).map(Arc::new);
    let mut ending = problem.clone().on(system).map_err(|mismatch| Error::unfit(FINAL, &mismatch))?;
    goals::change(&mut ending, FINAL, |asked| {
        let mut deadlocks = asked.properties.iter_mut().filter(|p| p.id == Goal::Deadlock.id());
        if let (Some(property), Some(improper)) = (deadlocks.next(), improper) {
            property.goal = Goal::Formula(model::FormulaId::new(asked.formulas.len()));
            asked.formulas.push(improper);
        }
    })?;
    *problem = ending;
    Ok(())
}
