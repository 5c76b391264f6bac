//! Reports in the format of the model checking contest: a line per formula.

use super::Format;
use crate::cli::board::Filed;
use crate::cli::json::{PropertyReport, Summary};
use crate::cli::question::Question;
use impasse::model::Goal;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) struct Mcc;

impl Format for Mcc {
    fn file(&mut self, _: usize, filed: &Filed) -> String {
        lines(&filed.questions, &filed.report.properties)
    }

    fn end(&mut self, _summary: &Summary) -> String {
        String::new()
    }
}

/// Returns a line for each question. If a question has several answers, the last one counts.
fn lines(questions: &[Question], answers: &[PropertyReport]) -> String {
    let mut out = String::new();
    let last: BTreeMap<&str, &PropertyReport> = answers.iter().map(|a| (a.id.as_str(), a)).collect();
    for question in questions {
        let answer = last.get(question.id.as_str());
        let result = answer.and_then(|a| result(question, a).map(|result| (result, techniques(a.engine))));
        let _ = match result {
            Some((result, techniques)) => writeln!(out, "FORMULA {} {result} TECHNIQUES {techniques}", question.id),
            None => writeln!(out, "FORMULA {} CANNOT_COMPUTE", question.id),
        };
    }
    out
}

/// Returns the truth of the formula, or the largest value of the sum. `None` if the answer is unknown.
fn result(question: &Question, answer: &PropertyReport) -> Option<String> {
    if let Some(value) = &answer.value {
        return Some(value.to_string());
    }
    // The contest asks whether a deadlock can be reached, so its property `deadlock` is `EF DEADLOCK`.
    let is_reversed = question.id == Goal::Deadlock.id();
    truth(answer.answer).map(|truth| if truth != is_reversed { "TRUE" } else { "FALSE" }.to_owned())
}

/// Returns the truth of the formula as asked. A target that must not be reachable counts as `AG NOT target`. `None` if
/// the answer is unknown.
fn truth(answer: &str) -> Option<bool> {
    match answer {
        "safe" | "reachable" | "holds" => Some(true),
        "unsafe" | "unreachable" | "fails" => Some(false),
        _ => None,
    }
}

/// Returns what an engine does, in the words of the contest.
fn techniques(engine: &str) -> &'static str {
    match engine {
        "explicit" => "EXPLICIT STRUCTURAL_REDUCTION",
        "dpllt" => "SAT_SMT STRUCTURAL_REDUCTION",
        "walk" => "RANDOM_WALK STRUCTURAL_REDUCTION",
        _ => "STRUCTURAL_REDUCTION",
    }
}
