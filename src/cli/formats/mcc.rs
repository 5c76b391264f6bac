//! Reports in the format of the model checking contest: a line per formula.

use super::Format;
use crate::cli::board::Filed;
use crate::cli::json::{PropertyReport, Summary};
use crate::cli::question::Question;
use impasse::model::Asked;
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
        let result = answer.and_then(|a| result(question.asked, a).map(|result| (result, techniques(a.engine))));
        let _ = match result {
            Some((result, techniques)) => writeln!(out, "FORMULA {} {result} TECHNIQUES {techniques}", question.id),
            None => writeln!(out, "FORMULA {} CANNOT_COMPUTE", question.id),
        };
    }
    out
}

/// Returns the truth of the formula, or the largest value of the sum. `None` if the answer is unknown.
fn result(asked: Asked, answer: &PropertyReport) -> Option<String> {
    if let Some(value) = &answer.value {
        return Some(value.to_string());
    }
    truth(asked, answer.verdict).map(|truth| if truth { "TRUE" } else { "FALSE" }.to_owned())
}

/// Returns the truth of the formula as asked: `EF` holds iff its goal is reachable, `AG` iff it is not.
/// `None` if the answer is unknown.
fn truth(asked: Asked, verdict: &str) -> Option<bool> {
    let reachable = match verdict {
        "safe" => false,
        "unsafe" => true,
        _ => return None,
    };
    Some(match asked {
        Asked::Exists | Asked::Expected => reachable,
        Asked::Always | Asked::Never => !reachable,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_answered_as_asked() {
        assert_eq!(truth(Asked::Exists, "safe"), Some(false));
        assert_eq!(truth(Asked::Exists, "unsafe"), Some(true));
        assert_eq!(truth(Asked::Always, "safe"), Some(true));
        assert_eq!(truth(Asked::Always, "unsafe"), Some(false));
        assert_eq!(truth(Asked::Always, "unknown"), None);
    }
}
