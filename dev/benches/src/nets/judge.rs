//! Scores of nets: the comparison of a run with the known answers about its properties.

use crate::answer::{Property, Report};
use crate::corpus::Verdict;
use crate::judge::{Judged, Status, evidence_wrong, read};
use crate::measure::Bench;
use crate::process::{self, Finished};
use std::io;
use std::path::Path;

/// Runs the tool on a model and scores the answers. `known` returns the expected verdict of a property.
pub(crate) fn check(
    bench: &Bench,
    model: &Path,
    args: &[String],
    known: impl Fn(&str) -> Option<Verdict>,
) -> io::Result<(Finished, Judged)> {
    let mut command = bench.command(model);
    command.args(args);
    let finished = process::run(&mut command, bench.limits())?;
    let judged = judge(&finished, known);
    Ok((finished, judged))
}

fn judge(run: &Finished, known: impl Fn(&str) -> Option<Verdict>) -> Judged {
    let report = match read(run) {
        Ok(report) => report,
        Err(status) => return Judged { status, report: None },
    };
    let wrong = report.properties.iter().find_map(|p| contradiction(p, known(&p.id)).or_else(|| evidence_wrong(p)));
    let status = match wrong {
        Some(wrong) => Status::Wrong(wrong),
        None if run.code != Some(report.exit_code()) => {
            Status::Wrong(format!("exit {:?}, but the answers need exit {}", run.code, report.exit_code()))
        }
        None => worst_unknown(&report),
    };
    Judged { status, report: Some(report) }
}

fn contradiction(property: &Property, known: Option<Verdict>) -> Option<String> {
    let known = known.filter(|known| property.verdict != Verdict::Unknown && *known != property.verdict)?;
    Some(format!("{} is {:?}, expected {known:?}", property.id, property.verdict))
}

fn worst_unknown(report: &Report) -> Status {
    let unknown = report.properties.iter().filter(|p| p.verdict == Verdict::Unknown);
    let status = unknown.map(|p| match p.reason.as_deref() {
        Some("timeout") => Status::Timeout,
        reason => Status::Unknown(reason.unwrap_or("no reason given").to_owned()),
    });
    status.max().unwrap_or(Status::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::tests::report;

    fn status(code: i32, rows: &[(&str, &str, Option<&str>)], known: Verdict) -> Status {
        let run = Finished {
            code: Some(code),
            killed: None,
            stdout: report(rows, 1, 1, 1),
            stderr: String::new(),
            cpu: 0.1,
            wall: 0.1,
            peak: 1,
        };
        judge(&run, |id| (id == "target").then_some(known)).status
    }

    #[test]
    fn verdicts_are_compared_with_what_is_known() {
        assert_eq!(status(0, &[("target", "safe", None)], Verdict::Safe), Status::Ok);
        assert_eq!(status(10, &[("target", "unsafe", None)], Verdict::Safe).word(), "WRONG");
        assert_eq!(status(0, &[("target", "safe", None)], Verdict::Unsafe).word(), "WRONG");
        assert_eq!(status(10, &[("another", "unsafe", None)], Verdict::Safe), Status::Ok);
        assert_eq!(status(31, &[("target", "unknown", Some("timeout"))], Verdict::Safe), Status::Timeout);
        assert_eq!(status(33, &[("target", "unknown", Some("bound"))], Verdict::Safe).detail(), "bound");
        assert_eq!(status(0, &[("target", "unknown", Some("bound"))], Verdict::Safe).word(), "WRONG");
    }
}
