//! Scores: the comparison of one run with the known answers about the program.

use crate::answer::{Property, Report};
use crate::configs::{Config, Counts, HANDFUL, LOOPED};
use crate::corpus::{Expected, Verdict};
use crate::process::{Finished, Killed};
use std::fmt;

/// The score of a run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    Ok,
    /// No answer within the time limit, which the tool or the benchmark enforces.
    Timeout,
    /// No answer, for this reason.
    Unknown(String),
    /// No usable output, or the tool itself reports a bug.
    Crash(String),
    /// A wrong verdict, count, length or exit code.
    Wrong(String),
}

impl Status {
    /// Returns the error, or the reason why there is no answer.
    pub(crate) fn detail(&self) -> &str {
        match self {
            Status::Ok | Status::Timeout => "",
            Status::Unknown(why) | Status::Crash(why) | Status::Wrong(why) => why,
        }
    }

    /// Returns the status as one word.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Timeout => "timeout",
            Status::Unknown(_) => "unknown",
            Status::Crash(_) => "CRASH",
            Status::Wrong(_) => "WRONG",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail() {
            "" => f.write_str(self.word()),
            detail => write!(f, "{} ({detail})", self.word()),
        }
    }
}

/// A finished run with its score and report.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) status: Status,
    /// `None` if there was no readable report.
    pub(crate) report: Option<Report>,
}

/// Scores a run of `config` on a program.
pub(crate) fn judge(expected: &Expected, config: &Config, run: &Finished) -> Judged {
    let report = match read(run) {
        Ok(report) => report,
        Err(status) => return Judged { status, report: None },
    };
    let found = |status| Judged { status, report: Some(report.clone()) };
    if let Some(wrong) = wrongs(expected, config, &report, run).first() {
        return found(Status::Wrong(wrong.clone()));
    }
    found(worst_unknown(expected, &report))
}

/// Returns the report of a run, or the status of a run without one.
pub(crate) fn read(run: &Finished) -> Result<Report, Status> {
    match (run.killed, run.code) {
        (Some(Killed::TooLong), _) => return Err(Status::Timeout),
        (Some(Killed::TooBig), _) => return Err(Status::Crash("killed: far beyond its memory limit".to_owned())),
        (None, None) => return Err(Status::Crash(format!("ended by a signal; {}", last_line(&run.stderr)))),
        (None, Some(code @ (64 | 65 | 70 | 101))) => {
            return Err(Status::Crash(format!("exit {code}: {}", last_line(&run.stderr))));
        }
        _ => {}
    }
    Report::parse(&run.stdout).map_err(|e| Status::Crash(format!("{e}; {}", last_line(&run.stderr))))
}

/// Returns every way in which a report contradicts what is known, the gravest first.
fn wrongs(expected: &Expected, config: &Config, report: &Report, run: &Finished) -> Vec<String> {
    let mut wrongs = Vec::new();
    for property in &report.properties {
        let known = expected.verdict_of(&property.id);
        if property.verdict != Verdict::Unknown && known.is_some_and(|known| known != property.verdict) {
            wrongs.push(format!("{} is {:?}, expected {:?}", property.id, property.verdict, expected.verdict));
        }
        wrongs.extend(evidence_wrong(property));
        wrongs.extend(length_wrong(expected, config, property));
    }
    wrongs.extend(counts_wrong(expected, config, report));
    if run.code != Some(report.exit_code()) {
        wrongs.push(format!("exit {:?}, but the answers need exit {}", run.code, report.exit_code()));
    }
    wrongs
}

pub(crate) fn evidence_wrong(property: &Property) -> Option<String> {
    let unchecked = property.verdict != Verdict::Unknown && !property.evidence.as_ref().is_some_and(|e| e.checked);
    unchecked.then(|| format!("{}: a verdict without checked evidence", property.id))
}

/// Describes a trace of impossible length: shorter than the shortest run, or longer although the engine
/// promises a shortest one.
fn length_wrong(expected: &Expected, config: &Config, property: &Property) -> Option<String> {
    let shortest = expected.shortest_trace?;
    let scored = expected.kind.as_deref() == Some(property.id.as_str()) && property.verdict == Verdict::Unsafe;
    let length = property.evidence.as_ref().filter(|_| scored)?.length?;
    (length < shortest || config.shortest && length != shortest)
        .then(|| format!("{}: a trace of {length} events, the shortest has {shortest}", property.id))
}

/// Describes a wrong count. Most counts can be checked only if all properties are answered.
fn counts_wrong(expected: &Expected, config: &Config, report: &Report) -> Option<String> {
    let all_safe = report.properties.iter().all(|p| p.verdict == Verdict::Safe);
    let settled = report.properties.iter().all(|p| p.verdict != Verdict::Unknown);
    let stats = &report.properties.iter().max_by_key(|p| p.stats.states)?.stats;
    let states_differ = || format!("{} states, expected {}", stats.states, expected.states);
    match config.counts {
        Counts::Whole if settled && stats.states != expected.states => Some(states_differ()),
        Counts::Whole if settled && stats.transitions != expected.edges => {
            Some(format!("{} transitions, expected {}", stats.transitions, expected.edges))
        }
        Counts::StatesIfSafe if all_safe && stats.states != expected.states => Some(states_differ()),
        Counts::Elsewhere => None,
        _ if stats.states > expected.states => {
            Some(format!("{} states visited, but only {} exist", stats.states, expected.states))
        }
        _ if config.lemmas && all_safe && stats.states > HANDFUL && expected.name.starts_with(LOOPED) => {
            Some(format!("{} states visited, but lemmas alone must prove it", stats.states))
        }
        _ => None,
    }
}

/// Returns `Ok`, or the reason why a scored property has no answer.
fn worst_unknown(expected: &Expected, report: &Report) -> Status {
    let scored = report.properties.iter().filter(|p| expected.verdict_of(&p.id).is_some());
    let worst = scored.map(|p| match (p.verdict, p.reason.as_deref()) {
        (Verdict::Safe | Verdict::Unsafe, _) => Status::Ok,
        (Verdict::Unknown, Some("timeout")) => Status::Timeout,
        (Verdict::Unknown, reason) => Status::Unknown(reason.unwrap_or("no reason given").to_owned()),
    });
    worst.max().unwrap_or_else(|| Status::Crash("the scored property is missing from the report".to_owned()))
}

/// Returns the last line of an error output, truncated to fit a table.
fn last_line(stderr: &str) -> String {
    let line = stderr.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no message");
    line.trim().chars().take(100).collect()
}

/// Handles properties without an entry in `expected.csv`. If configurations disagree, the first answer counts
/// as right (plain search comes first). Different answers count as wrong.
pub(crate) fn settle_disagreements(judged: &mut [(&'static str, &mut Judged)]) {
    for id in ["bad", "deadlock"] {
        let mut first: Option<(&'static str, Verdict)> = None;
        for (config, run) in judged.iter_mut() {
            let verdict = run.report.as_ref().and_then(|r| r.about(id)).map(|p| p.verdict);
            let Some(verdict) = verdict.filter(|v| *v != Verdict::Unknown) else { continue };
            let (other, believed) = *first.get_or_insert((config, verdict));
            if verdict != believed && !matches!(run.status, Status::Wrong(_)) {
                run.status = Status::Wrong(format!("{id} is {verdict:?}, but {believed:?} by {other}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::tests::report;
    use crate::configs::{DPLLT, DPLLT_PLAIN, EXPLICIT};
    use crate::corpus::tests::rows;

    type Row<'a> = (&'a str, &'a str, Option<&'a str>);

    fn finished(code: i32, stdout: String) -> Finished {
        Finished { code: Some(code), killed: None, stdout, stderr: String::new(), cpu: 0.1, wall: 0.1, peak: 1 }
    }

    /// The status of a run of `config` on the unsafe program (35 states, 75 edges, a deadlock after 3 events).
    fn on_unsafe(config: &Config, code: i32, answers: &[Row<'_>], counts: (u64, u64), length: u64) -> Status {
        judge(&rows().0, config, &finished(code, report(answers, counts.0, counts.1, length))).status
    }

    /// The status of a run of `config` on the safe program (28 states, 28 edges).
    fn on_safe(config: &Config, code: i32, answers: &[Row<'_>], counts: (u64, u64)) -> Status {
        judge(&rows().1, config, &finished(code, report(answers, counts.0, counts.1, 28))).status
    }

    const UNSAFE: &[Row<'_>] = &[("bad", "safe", None), ("deadlock", "unsafe", None)];
    const SAFE: &[Row<'_>] = &[("bad", "safe", None), ("deadlock", "safe", None)];

    #[test]
    fn right_answers_are_ok() {
        assert_eq!(on_unsafe(&EXPLICIT, 11, UNSAFE, (35, 75), 3), Status::Ok);
        assert_eq!(on_safe(&EXPLICIT, 0, SAFE, (28, 28)), Status::Ok);
        assert_eq!(on_safe(&DPLLT, 0, SAFE, (0, 0)), Status::Ok);
    }

    #[test]
    fn wrong_verdicts_are_wrong() {
        assert_eq!(on_unsafe(&EXPLICIT, 0, SAFE, (35, 75), 3).word(), "WRONG");
        assert_eq!(on_safe(&EXPLICIT, 11, UNSAFE, (28, 28)).word(), "WRONG");
    }

    #[test]
    fn nothing_is_recorded_about_the_other_property() {
        let both = &[("bad", "unsafe", None), ("deadlock", "unsafe", None)];
        assert_eq!(on_unsafe(&EXPLICIT, 10, both, (35, 75), 3), Status::Ok);
    }

    #[test]
    fn counts_must_be_those_of_the_whole_space() {
        assert!(on_safe(&EXPLICIT, 0, SAFE, (27, 28)).detail().contains("27 states"));
        assert!(on_safe(&EXPLICIT, 0, SAFE, (28, 27)).detail().contains("27 transitions"));
        assert!(on_unsafe(&EXPLICIT, 11, UNSAFE, (34, 75), 3).detail().contains("34 states"));
        assert_eq!(on_safe(&DPLLT_PLAIN, 0, SAFE, (27, 28)).word(), "WRONG");
        assert_eq!(on_safe(&DPLLT_PLAIN, 0, SAFE, (28, 99)), Status::Ok);
        assert_eq!(on_unsafe(&DPLLT_PLAIN, 11, UNSAFE, (30, 40), 9), Status::Ok);
        assert!(on_safe(&DPLLT, 0, SAFE, (29, 28)).detail().contains("only 28 exist"));
    }

    #[test]
    fn traces_are_shortest_where_promised_and_never_shorter() {
        assert_eq!(on_unsafe(&EXPLICIT, 11, UNSAFE, (35, 75), 4).word(), "WRONG");
        assert_eq!(on_unsafe(&DPLLT, 11, UNSAFE, (35, 75), 4), Status::Ok);
        assert_eq!(on_unsafe(&DPLLT, 11, UNSAFE, (35, 75), 2).word(), "WRONG");
    }

    #[test]
    fn open_answers_say_why() {
        let timeout = &[("bad", "safe", None), ("deadlock", "unknown", Some("timeout"))];
        assert_eq!(on_unsafe(&EXPLICIT, 31, timeout, (9, 9), 0), Status::Timeout);
        let memory = &[("bad", "unknown", Some("memory")), ("deadlock", "unknown", Some("memory"))];
        assert_eq!(on_safe(&DPLLT, 32, memory, (9, 9)), Status::Unknown("memory".to_owned()));
        let unscored = &[("bad", "unknown", Some("timeout")), ("deadlock", "unsafe", None)];
        assert_eq!(on_unsafe(&DPLLT, 11, unscored, (9, 9), 3), Status::Ok);
    }

    #[test]
    fn unchecked_evidence_and_exit_codes_that_do_not_fit_are_wrong() {
        let unchecked = report(SAFE, 28, 28, 28).replace("\"checked\":true", "\"checked\":false");
        assert!(judge(&rows().1, &EXPLICIT, &finished(0, unchecked)).status.detail().contains("checked"));
        assert!(on_safe(&EXPLICIT, 10, SAFE, (28, 28)).detail().contains("exit"));
    }

    #[test]
    fn lemma_proofs_visit_a_handful() {
        let mut row = rows().1;
        row.name = format!("{LOOPED}same");
        let status = |states| judge(&row, &DPLLT, &finished(0, report(SAFE, states, 1, 1))).status;
        assert_eq!(status(HANDFUL), Status::Ok);
        assert!(status(HANDFUL + 1).detail().contains("lemmas alone"));
    }

    #[test]
    fn no_report_is_a_crash() {
        let status = |run: Finished| judge(&rows().1, &EXPLICIT, &run).status;
        assert_eq!(status(finished(0, "nonsense".to_owned())).word(), "CRASH");
        assert_eq!(status(finished(70, report(SAFE, 28, 28, 28))).word(), "CRASH");
        assert_eq!(status(Finished { code: None, ..finished(0, String::new()) }).word(), "CRASH");
        let killed = |why| Finished { code: None, killed: Some(why), ..finished(0, String::new()) };
        assert_eq!(status(killed(Killed::TooLong)), Status::Timeout);
        assert_eq!(status(killed(Killed::TooBig)).word(), "CRASH");
    }

    #[test]
    fn configurations_must_agree_on_what_is_not_recorded() {
        let judged = |answers: &[Row<'_>], code| judge(&rows().0, &DPLLT, &finished(code, report(answers, 9, 9, 3)));
        let mut plain = judged(UNSAFE, 11);
        let mut other = judged(&[("bad", "unsafe", None), ("deadlock", "unsafe", None)], 10);
        assert_eq!((&plain.status, &other.status), (&Status::Ok, &Status::Ok));
        settle_disagreements(&mut [("explicit", &mut plain), ("dpllt", &mut other)]);
        assert_eq!(plain.status, Status::Ok);
        assert!(other.status.detail().contains("by explicit"));
    }
}
