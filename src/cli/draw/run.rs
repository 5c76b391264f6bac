//! The run that a picture shows: from a file of evidence, or found by a search.

use crate::cli::args::{Common, DrawArgs, What};
use crate::cli::complaints::Complaints;
use crate::cli::evidence::accepted::accepted;
use crate::cli::evidence::read;
use crate::cli::exit::{Exit, usage};
use crate::cli::input::Model;
use impasse::model::{Claim, Goal, Problem, Stop, Trace};
use impasse::{Answer, Finding, Options, Steps, certify, check, questions};
use std::sync::Arc;
use view::draw::source::CurrentState;
use view::why::Why;

/// A run that the checker has accepted.
pub(crate) struct Run {
    pub(crate) trace: Trace,
    pub(crate) goal: Goal,
    /// What the checker says about it.
    pub(crate) verdict: String,
    /// The reason for the answer, if it is about a formula of computation tree logic.
    pub(crate) why: Option<Why>,
}

impl Run {
    /// Returns the run of a claim that the checker has accepted; `None` if there is none.
    fn of(problem: &Problem, claim: &Claim, goal: Goal, verdict: String) -> Option<Self> {
        if let Claim::Unsafe { trace, goal, .. } = claim {
            return Some(Self { trace: trace.clone(), goal: *goal, verdict, why: None });
        }
        let why = view::why::of(problem, claim, goal)?;
        Some(Self { trace: why.trace.clone(), goal, verdict, why: Some(why) })
    }

    /// Returns the run of an answer; `None` if it has none.
    pub(crate) fn of_answer(problem: &Problem, answer: &Answer) -> Option<Self> {
        let Finding::Settled(confirmed) = &answer.finding else { return None };
        Self::of(problem, answer.claim.as_deref()?, answer.property.goal, accepted(problem, confirmed))
    }
}

/// A problem, with a run if one is needed.
pub(crate) enum ModelOrRun {
    Model(Box<Problem>),
    Run { problem: Box<Problem>, run: Box<Run> },
}

impl ModelOrRun {
    pub(crate) fn problem(&self) -> &Problem {
        match self {
            Self::Model(problem) | Self::Run { problem, .. } => problem,
        }
    }

    pub(crate) fn run(&self) -> Option<&Run> {
        match self {
            Self::Model(_) => None,
            Self::Run { run, .. } => Some(run),
        }
    }

    /// Returns the state of the run after `step` steps, or after all of them.
    pub(crate) fn now(&self, step: Option<u64>) -> Result<Option<CurrentState>, String> {
        let Self::Run { problem, run } = self else {
            return match step {
                Some(_) => {
                    Err("`--step` needs a run: give EVIDENCE, or `--property` of a violated property".to_owned())
                }
                None => Ok(None),
            };
        };
        let length = run.trace.len().unwrap_or(u64::MAX);
        let step = step.unwrap_or(length);
        if step > length {
            return Err(format!("the run has {length} steps, so there is no step {step}"));
        }
        if step > MOST_STEPS {
            return Err(format!("`--step` goes up to {MOST_STEPS}"));
        }
        let mut steps = Steps::new(problem, &run.trace);
        let mut last = None;
        for _ in 0..step {
            last = steps.next();
        }
        Ok(Some(CurrentState { step, values: steps.state(), last }))
    }
}

/// The greatest number of a step that can be shown. Steps are taken one by one.
const MOST_STEPS: u64 = 10_000_000;

/// Returns the problem, with the run of the evidence file, or with a run that a search has found if a run is asked for.
pub(crate) fn wanted(
    model: Model,
    args: &DrawArgs,
    common: &Common,
    complaints: &Complaints<'_>,
    stop: &Arc<Stop>,
) -> Result<ModelOrRun, Exit> {
    let needs_run =
        matches!(args.what, Some(What::Run | What::Waits)) || args.step.is_some() || !args.property.is_empty();
    match &args.evidence {
        Some(path) => recorded(model.asking(complaints)?.problem, path, args, common, stop),
        None if needs_run => searched(model, args, stop),
        None => Ok(ModelOrRun::Model(Box::new(model.asking(complaints)?.problem))),
    }
}

fn recorded(problem: Problem, path: &str, args: &DrawArgs, common: &Common, stop: &Stop) -> Result<ModelOrRun, Exit> {
    if !args.property.is_empty() {
        return Err(usage("`--property` searches for a run, and EVIDENCE is a run: give one of them"));
    }
    let (problem, claim) = read::claim(problem, path, common)?;
    let no_run = || usage(&format!("{path} proves that a property holds, so it has no run to draw"));
    if matches!(claim, Claim::Safe { .. } | Claim::Within { .. }) {
        return Err(no_run());
    }
    match certify::confirm(&problem, &claim, &certify::Options::default(), stop) {
        Ok(confirmed) => {
            let verdict = accepted(&problem, &confirmed);
            let goal = claim.goals().first().copied().ok_or_else(no_run)?;
            let run = Run::of(&problem, &claim, goal, verdict).ok_or_else(no_run)?;
            Ok(ModelOrRun::Run { problem: Box::new(problem), run: Box::new(run) })
        }
        Err(refusal) => {
            tell!("error: {path} is not a run of {}: {refusal}", args.file);
            Err(Exit::NotAccepted)
        }
    }
}

fn searched(model: Model, args: &DrawArgs, stop: &Arc<Stop>) -> Result<ModelOrRun, Exit> {
    let Model { name, problem, asks } = model;
    let question = &args.question;
    let problem = match question.ask.is_empty() {
        true => questions::choose(problem, &args.property),
        false => {
            let named = question.target.is_some() || question.properties.is_some();
            questions::choose_with(problem, &args.property, asks, named)
        }
    };
    let problem = problem.map_err(|why| usage(&format!("{name}: {why}")))?;
    let outcome = check(&problem, &Options { stop: Arc::clone(stop), ..Options::default() });
    let Some(run) = outcome.answers.iter().find_map(|answer| Run::of_answer(&problem, answer)) else {
        return Err(no_run(&name, &outcome.answers));
    };
    Ok(ModelOrRun::Run { problem: Box::new(problem), run: Box::new(run) })
}

/// Says that there is no run to draw, and why.
fn no_run(name: &str, answers: &[Answer]) -> Exit {
    let known = |answer: &Answer| match (&answer.finding, answer.unknown()) {
        (_, Some(reason)) => format!("`{}` is unknown ({reason})", answer.property.id),
        (Finding::Rejected { .. }, _) => format!("the evidence for `{}` was rejected", answer.property.id),
        _ => format!("the answer to `{}` is shown by no run", answer.property.id),
    };
    let all: Vec<String> = answers.iter().map(known).collect();
    let all = if all.is_empty() { "the model asks for nothing".to_owned() } else { all.join(", ") };
    tell!("error: {name}: no run to draw: {all}\n  help: `--property ID` or `--ask FORMULA` asks for another run");
    Exit::NotAccepted
}
