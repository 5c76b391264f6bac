//! Reports in the format of the hardware model checking competition, for circuits: for each property a line with the
//! result, and for a violation the witness in the format of the file. Tools that run such checkers, such as SymbiYosys,
//! read it (`docs/coming_from/aiger.md`).

use super::{Format, Standing, last_answers, standing};
use crate::cli::board::Filed;
use crate::cli::json::{PropertyReport, Summary};

pub(super) struct Hwmcc;

impl Format for Hwmcc {
    fn file(&mut self, _: usize, filed: &Filed) -> String {
        let mut answers: Vec<&PropertyReport> = last_answers(filed).into_iter().map(|(answer, _)| answer).collect();
        // Tools that expect one property read the first line only, so the worst answer comes first.
        answers.sort_by_key(|answer| match standing(answer) {
            Standing::Violated => 0,
            Standing::Unknown => 1,
            Standing::Holds => 2,
        });
        answers.into_iter().map(lines).collect()
    }

    fn end(&mut self, _summary: &Summary) -> String {
        String::new()
    }
}

/// Returns the lines of a property.
fn lines(answer: &PropertyReport) -> String {
    let Some(words) = &answer.witness else { return "2\n".to_owned() };
    match (standing(answer), &words.run) {
        (Standing::Violated, Some(run)) => run.clone(),
        (Standing::Violated, None) if words.is_of_words => "sat\n".to_owned(),
        (Standing::Violated, None) => format!("1\n{}\n.\n", words.name),
        (Standing::Holds, _) if words.is_of_words => "unsat\n".to_owned(),
        (Standing::Holds, _) => format!("0\n{}\n.\n", words.name),
        (Standing::Unknown, _) if words.is_of_words => "unknown\n".to_owned(),
        (Standing::Unknown, _) => format!("2\n{}\n.\n", words.name),
    }
}
