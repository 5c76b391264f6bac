//! The outcome of a check with the problem that it is about, so that a model check is one line of a test.
//!
//! ```
//! use impasse::{Options, check, read_rwb};
//! use std::time::Duration;
//!
//! let problem = read_rwb("rwb 1  event a  thread T { state s { request a on a -> s } }").unwrap();
//! check(&problem, &Options::default().timeout(Duration::from_secs(10))).assert_safe();
//! ```

use model::{Goal, Problem};
use portfolio::{Answer, Finding, Options};
use std::fmt::Write;
use view::Steps;

/// Steps of a run that a message shows. Longer runs are cut.
const SHOWN: usize = 100;

/// The answers to all properties of a problem, in the order asked.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One answer per property.
    pub answers: Vec<Answer>,
    problem: Problem,
}

/// Checks a problem: searches, and has the evidence of each claim checked independently.
#[must_use]
pub fn check(problem: &Problem, options: &Options<'_>) -> Outcome {
    Outcome { answers: portfolio::check(problem, options).answers, problem: problem.clone() }
}

impl Outcome {
    /// Returns the answer about `goal`.
    #[must_use]
    pub fn about(&self, goal: Goal) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.property.goal == goal)
    }

    /// Returns the answer to the property with this id.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.property.id == id)
    }

    /// Returns what is known about a property in words: its answer, and the run of a violation.
    #[must_use]
    pub fn shown(&self, answer: &Answer) -> String {
        let id = &answer.property.id;
        let mut text = match (&answer.finding, answer.holds()) {
            (Finding::Settled(_), Some(true)) => format!("`{id}` holds ({})", answer.verdict()),
            (Finding::Settled(_), Some(false)) => format!("`{id}` does not hold ({})", answer.verdict()),
            (Finding::Settled(_), None) => format!("`{id}` has a value"),
            (Finding::Within(_), _) => format!("`{id}` is unknown: it holds within the bound"),
            (Finding::Unknown { reason, detail }, _) => {
                let detail = detail.iter().map(|detail| format!(". {detail}")).collect::<String>();
                format!("`{id}` is unknown ({reason}){detail}")
            }
            (Finding::Rejected { why }, _) => format!("`{id}` has wrong evidence, a bug in Impasse: {why}"),
        };
        let why = answer.settled().and_then(|claim| view::why::of(&self.problem, claim, answer.property.goal));
        why.iter().flat_map(|why| &why.sentences).for_each(|sentence| text.push_str(&format!("\n  {sentence}")));
        let trace = answer.trace().or(why.as_ref().map(|why| &why.trace));
        let Some(mut steps) = trace.map(|trace| Steps::new(&self.problem, trace)) else { return text };
        let state = |steps: &Steps<'_>| {
            let parts = steps.state().into_iter().map(|(name, value)| format!("{name} = {value}"));
            parts.collect::<Vec<_>>().join(", ")
        };
        let _ = write!(text, "\n  at the start: {}", state(&steps));
        let mut number = 0;
        while let Some(step) = steps.next() {
            number += 1;
            if number > SHOWN {
                text.push_str("\n  ..");
                break;
            }
            let _ = write!(text, "\n  {}. {}: {}", step.number, step.event, state(&steps));
        }
        text
    }

    /// Asserts that everything asked holds: nothing bad is reachable, and what should be reachable is.
    ///
    /// # Panics
    /// If a property does not hold, with its run, or is unknown, with the reason. If nothing was asked.
    #[track_caller]
    pub fn assert_safe(&self) {
        assert!(!self.answers.is_empty(), "nothing was asked, so nothing is shown");
        let is_good = |answer: &&Answer| answer.holds() == Some(true) || answer.value().is_some();
        let others: Vec<String> =
            self.answers.iter().filter(|answer| !is_good(answer)).map(|answer| self.shown(answer)).collect();
        assert!(others.is_empty(), "{}", others.join("\n"));
    }

    /// Asserts that the property with this id holds.
    ///
    /// # Panics
    /// If it does not, with its run; if it is unknown, with the reason; if there is no such property.
    #[track_caller]
    pub fn assert_holds(&self, id: &str) {
        let answer = self.asked(id);
        assert!(answer.holds() == Some(true), "{}", self.shown(answer));
    }

    /// Asserts that the property with this id does not hold, and returns its answer.
    ///
    /// # Panics
    /// If it holds or is unknown; if there is no such property.
    #[track_caller]
    pub fn assert_violated(&self, id: &str) -> &Answer {
        let answer = self.asked(id);
        assert!(answer.holds() == Some(false), "{}", self.shown(answer));
        answer
    }

    #[track_caller]
    fn asked(&self, id: &str) -> &Answer {
        let known: Vec<&str> = self.answers.iter().map(|answer| answer.property.id.as_str()).collect();
        self.named(id).unwrap_or_else(|| panic!("nothing called `{id}` was asked, but {}", known.join(", ")))
    }
}
