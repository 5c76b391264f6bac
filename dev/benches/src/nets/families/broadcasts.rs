//! Thread-transition systems with broadcasts: rounds in which one of arbitrarily many threads becomes the
//! leader and informs all other threads.

use super::{Case, Model};
use crate::corpus::Verdict::{Safe, Unsafe};
use std::fmt::Write;

/// Number of local states of a round: a candidate, the leader, and two kinds of informed threads that wait.
const LOCALS: u64 = 4;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for rounds in [1, 10, 50] {
        for choice in [false, true] {
            for (broken, verdict) in [(false, Safe), (true, Unsafe)] {
                let name = format!("leaders {rounds}{}", if choice { " with choice" } else { "" });
                let make = move || {
                    let last = rounds - 1;
                    let target = format!("{last}|{},{}\n", last * LOCALS + 1, last * LOCALS + 1);
                    let text = leaders(rounds, choice, broken);
                    Ok(Model { file: "model.tts", text, goals: Some(("target.prop", target)) })
                };
                cases.push(Case::made("broadcasts", &name, verdict, make));
            }
        }
    }
    cases
}

/// Returns the text of the system. If `broken`, the leader of the last round informs no other thread.
fn leaders(rounds: u64, choice: bool, broken: bool) -> String {
    let mut text = format!("{} {}\n", rounds + 1, (rounds + 1) * LOCALS);
    for r in 0..rounds {
        let base = r * LOCALS;
        let (follower, leader, told, told_too, next) = (base, base + 1, base + 2, base + 3, base + LOCALS);
        let mut tells = format!(" {follower} ~> {told}");
        let mut frees = format!(" {told} ~> {next}");
        if choice {
            let _ = write!(tells, " {follower} ~> {told_too}");
            let _ = write!(frees, " {told_too} ~> {next}");
        }
        if broken && r + 1 == rounds {
            tells.clear();
        }
        let _ = writeln!(text, "{r} {follower} -> {r} {leader}{tells}");
        let _ = writeln!(text, "{r} {leader} -> {} {next}{frees}", r + 1);
    }
    text
}
