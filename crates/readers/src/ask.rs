//! Parser for questions on the command line (`--ask`) and for formulas about final markings (`--final`).

use formats::error::{Error, Text, printable};
use formats::source::Limits;
use formats::{codes, questions};
use model::{
    Fairness, Goal, Marked, Net, Problem, Property, Subject, SystemModel, TemporalId, ThreadId, ThreadTransitionSystem,
};
pub(crate) use nets_read::global::Global;
use nets_read::lola;
use nets_read::reach::{Parts, Questions};
use programs_read::ltl;
use std::sync::Arc;

type Res<T> = Result<T, Box<Error>>;

/// The names of the texts in errors.
const ASK: &str = "--ask";
const FINAL: &str = "--final";
const FAIR: &str = "--fair";

/// Ids with a fixed meaning, which a question must not have.
const RESERVED: &[&str] = &["bad", "deadlock", "final", "target"];

/// A question after parsing.
#[derive(Clone, Debug)]
pub enum Ask {
    /// A property that engines can decide. [`ask`] has added its formula to the problem, but not the property.
    Property(Property),
    /// A question that engines cannot decide for this kind of system.
    Unsupported {
        /// The id of the question.
        id: String,
        /// What is not supported, as a warning.
        error: Box<Error>,
    },
}

/// Reads a question, `FORMULA` or `NAME: FORMULA`. For nets and thread-transition systems the formula is in the
/// language of `.formula` files; for reactive programs it is a temporal formula. For behavioral programs it is a
/// temporal formula unless it begins with a quantifier over runs, as in `AG phi`. A question without a name is called
/// `ask:NUMBER`; `number` counts from 1.
///
/// # Errors
/// Mistakes in the text, and a kind of system that such questions cannot refer to. The problem is then
/// unchanged.
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
    let system = problem.system().clone();
    if system.as_data().is_some() {
        let message = "a formula about a program whose numbers are not listed";
        let error = text.error(&codes::GOALS_SYSTEM, at..question.len(), message).label("not supported");
        return Err(error.hint(
            "formulas are about listed states, so give variables and arguments smaller ranges; `assert` in the text \
             asks about values of any size, with `--property bad`",
        ));
    }
    let is_quantified = system.as_program().is_some() && has_quantifier(&question[at..]);
    if let Some(names) = ltl::names(&system).filter(|_| !is_quantified) {
        let formula = ltl::formula(text, at, &names, limits);
        let formula = Arc::new(formula.map_err(|why| about_markings(text, at, &system).unwrap_or(why))?);
        if !problem.assumptions().is_empty() {
            let message = "formulas about a model with assumptions (`assume`)";
            let error = text.error(&codes::ASK_PROGRAM, at..question.len(), message).label("not supported together");
            return Ok(Ask::Unsupported { id, error: error.warning() });
        }
        let goal = Goal::Temporal(TemporalId::new(problem.temporal().len()));
        questions::change(problem, ASK, |asked| asked.temporal.push(formula))?;
        return Ok(Ask::Property(Property::never(id, goal)));
    }
    let mut questions = Questions::beside(text, lola::subject(&system, ASK)?, problem, limits);
    match lola::ask((text, at), &system, id.clone(), limits, &mut questions) {
        Err(error) if [codes::LOLA_REACHABILITY.code, codes::ASK_PROGRAM.code].contains(&error.code()) => {
            return Ok(Ask::Unsupported { id, error: error.warning() });
        }
        other => other?,
    }
    let Parts { formulas, temporal, branching, sums, mut properties } = questions.into_parts();
    let mut with_formulas = problem.clone();
    questions::change(&mut with_formulas, ASK, |asked| {
        asked.formulas.extend(formulas);
        asked.temporal.extend(temporal);
        asked.branching.extend(branching);
        asked.sums.extend(sums);
    })?;
    let property = properties.remove(0);
    if let Some(error) = unsupported(&with_formulas, &property, text, at) {
        return Ok(Ask::Unsupported { id, error: error.warning() });
    }
    *problem = with_formulas;
    Ok(Ask::Property(property))
}

/// Returns the id of the question with this number, without looking at the model. If the name is not valid, the
/// result is `ask:NUMBER`.
#[must_use]
pub fn ask_id(question: &str, number: usize) -> String {
    let named = name(Text { name: ASK, text: question }, &Limits::default());
    named.ok().and_then(|(name, _)| name).unwrap_or_else(|| format!("ask:{number}"))
}

/// True if a formula begins with a quantifier over runs, so that it is in the language of `.formula` files.
fn has_quantifier(formula: &str) -> bool {
    let formula = formula.trim_start();
    let end = formula.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(formula.len());
    let (word, rest) = (&formula[..end], formula[end..].trim_start());
    match word {
        "EF" | "AG" | "EG" | "AF" | "EX" | "AX" | "REACHABLE" | "INVARIANT" | "IMPOSSIBLE" => true,
        // `A` and `E` may also be the names of events.
        "A" | "E" => rest.starts_with(['F', 'G', 'X', '(', '[']),
        _ => false,
    }
}

/// Returns the error that a question is about markings, and the system has none. `None` for questions of other kinds.
fn about_markings(text: Text<'_>, at: usize, system: &SystemModel) -> Option<Box<Error>> {
    let question = &text.text[at..];
    let is_bound = lola::bound_at(text.text, at).is_some() || question.trim() == "MAX";
    let what = match Global::of(question) {
        Some(_) => "questions about liveness, soundness and the like",
        None if is_bound => "questions for largest values",
        None => return None,
    };
    let start = text.text.len() - question.trim_start().len();
    let word = question.split_whitespace().next().map_or(0, str::len);
    let message = format!("{what} are about nets and thread-transition systems, and the model is {}", system.noun());
    let error = text.error(&codes::GOALS_SYSTEM, start..start + word, message).label("not for this model");
    Some(error.hint("expected a temporal formula, as in `G p`, or `EF phi` or `AG phi` about states"))
}

/// Adds a fairness assumption to a problem about a program: `THREAD`, `event:EVENT`, or one of these after `strong:`.
/// `*` stands for all threads or events, and an event may be a pattern.
///
/// # Errors
/// Mistakes in the text, and systems of other kinds. The problem is then unchanged.
pub fn fair(problem: &mut Problem, assumption: &str, limits: &Limits) -> Res<()> {
    let text = Text { name: FAIR, text: assumption };
    if assumption.len() > limits.bytes {
        return Err(Error::whole(&codes::LIMIT_BYTES, FAIR, "the assumption is too long"));
    }
    let system = problem.system().clone();
    let Some(program) = system.as_program() else {
        let message = format!("fairness is about threads and events, and the model is {}", system.noun());
        return Err(Error::whole(&codes::GOALS_SYSTEM, FAIR, message).hint("expected a .rwb, .json or .js file"));
    };
    let (is_strong, rest) = match assumption.trim().strip_prefix("strong:") {
        Some(rest) => (true, rest.trim()),
        None => (false, assumption.trim()),
    };
    if rest.trim_start_matches("event:").trim().is_empty() {
        let error = text.error(&codes::INPUT_EMPTY, 0..assumption.len(), "there is no thread or event");
        return Err(error.label("expected `THREAD`, `event:EVENT` or `*`, perhaps after `strong:`"));
    }
    let names = ltl::names::ProgramNames::new(program);
    let subjects: Result<Vec<Subject>, _> = match rest.strip_prefix("event:") {
        Some(event) => names.events(event).map(|events| events.into_iter().map(Subject::Event).collect()),
        None if rest == "*" => Ok((0..program.threads().len()).map(|t| Subject::Thread(ThreadId::new(t))).collect()),
        None => names.thread(rest).map(|thread| vec![Subject::Thread(thread)]),
    };
    let subjects = subjects.map_err(|why| why.at(text, 0..assumption.len(), rest))?;
    questions::change(problem, FAIR, |asked| {
        asked.fairness.extend(subjects.into_iter().map(|subject| Fairness { subject, is_strong }));
        asked.fairness.sort_unstable();
        asked.fairness.dedup();
    })
}

/// Splits off the name in front of a question: what is before the first `:` outside of brackets and quotes. Returns
/// the name and the position where the formula begins.
fn name(text: Text<'_>, limits: &Limits) -> Res<(Option<String>, usize)> {
    let Some(colon) = ltl::arguments::colon(text.text) else { return Ok((None, 0)) };
    let at = colon + 1;
    let name = text.text[..colon].trim();
    let is_name = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    if name.is_empty() || name.len() > limits.name_length || !name.chars().all(is_name) {
        let error =
            text.error(&codes::ASK_NAME, 0..at - 1, format!("`{}` is not a name for a question", printable(name)));
        return Err(error.label("expected letters, digits, `_`, `.` and `-`"));
    }
    if RESERVED.contains(&name) {
        let error = text.error(&codes::ASK_NAME, 0..at - 1, format!("`{name}` has a fixed meaning"));
        return Err(error.label("expected another name"));
    }
    Ok((Some(name.to_owned()), at))
}

/// Returns an error if engines cannot decide a question about a program.
fn unsupported(problem: &Problem, property: &Property, text: Text<'_>, at: usize) -> Option<Box<Error>> {
    problem.system().as_program()?;
    let span = at..text.text.len();
    if !problem.assumptions().is_empty() && property.goal != Goal::Deadlock {
        let message = "formulas about a model with assumptions (`assume`)";
        return Some(text.error(&codes::ASK_PROGRAM, span, message).label("not supported together"));
    }
    if model::observed(problem, &[property.goal]).is_some() {
        return None;
    }
    let message = "the formula has too many cases";
    let error = text.error(&codes::ASK_PROGRAM, span, message).label("too large for this program");
    Some(error.hint("it is split into sets of thread states joined by OR; ask smaller questions one by one"))
}

/// Lets the system of `problem` end in the markings that satisfy `formula`. They replace the final markings
/// that the file declares. A final marking is no deadlock, so a property `deadlock` is then about the other
/// markings without successor.
///
/// # Errors
/// Mistakes in the text, and systems without markings. The problem is then unchanged.
pub fn apply_ends(problem: &mut Problem, formula: &str, limits: &Limits) -> Res<()> {
    let text = Text { name: FINAL, text: formula };
    let Some(system) = problem.system().as_marked() else {
        let message = format!("the formula would be about markings, and the model is {}", problem.system().noun());
        let error = Error::whole(&codes::GOALS_SYSTEM, FINAL, message);
        return Err(error.hint("in programs, mark states as `final`, or use `--ends proper`"));
    };
    let ends = Arc::new(lola::state_formula(text, lola::subject(problem.system(), FINAL)?, limits)?);
    let system: SystemModel = match system {
        Marked::Net(net) => Arc::new(Net::clone(net).with_ends(ends)).into(),
        Marked::Threads(system) => Arc::new(ThreadTransitionSystem::clone(system).with_ends(ends)).into(),
    };
    let improper = model::improper(&system).map(Arc::new);
    let mut ending = problem.clone().on(system).map_err(|mismatch| Error::unfit(FINAL, &mismatch))?;
    questions::change(&mut ending, FINAL, |asked| {
        let mut deadlocks = asked.properties.iter_mut().filter(|p| p.id == Goal::Deadlock.id());
        if let (Some(property), Some(improper)) = (deadlocks.next(), improper) {
            property.goal = Goal::Formula(model::FormulaId::new(asked.formulas.len()));
            asked.formulas.push(improper);
        }
    })?;
    *problem = ending;
    Ok(())
}
