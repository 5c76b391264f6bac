//! The output of `impasse check --format json`, as far as the benchmark needs it.

use crate::corpus::Verdict;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The version of the report that this module reads.
const SCHEMA: u32 = 1;

/// The report about one file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Report {
    schema: u32,
    pub(crate) properties: Vec<Property>,
}

/// The answer about one property.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Property {
    pub(crate) id: String,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) engine: String,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) stats: Stats,
    /// Seconds from the start of the command until the answer was found.
    #[serde(default)]
    pub(crate) seconds: f64,
}

/// Evidence for an answer.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Evidence {
    pub(crate) kind: String,
    pub(crate) length: Option<u64>,
    pub(crate) checked: bool,
}

/// The counters of the engine that answered.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Stats {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    /// Sets of states that were expanded into clauses. Each is a case split of the search inside the SAT
    /// solver. Other engines do not report this counter.
    #[serde(default)]
    pub(crate) splits: Option<u64>,
    /// Loops that were closed by a clause.
    #[serde(default)]
    pub(crate) components: Option<u64>,
    /// Literals in all clauses about states.
    #[serde(default)]
    pub(crate) literals: Option<u64>,
    /// Decisions of the SAT solver.
    #[serde(default)]
    pub(crate) decisions: Option<u64>,
    /// Conflicts of the SAT solver.
    #[serde(default)]
    pub(crate) conflicts: Option<u64>,
    /// Queries of bit-level IC3 to its SAT solver.
    #[serde(default)]
    pub(crate) queries: Option<u64>,
    /// Queries to Z3 about programs with unbounded numbers.
    #[serde(default)]
    pub(crate) z3_queries: Option<u64>,
    #[serde(default)]
    pub(crate) lemmas: BTreeMap<String, u64>,
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    ///
    /// A message if the text is not a report of version [`SCHEMA`] with properties.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let report: Self = serde_json::from_str(text).map_err(|e| format!("unreadable report: {e}"))?;
        if report.schema != SCHEMA {
            return Err(format!("report of schema {}, expected {SCHEMA}", report.schema));
        }
        if report.properties.is_empty() {
            return Err("report without properties".to_owned());
        }
        Ok(report)
    }

    /// Returns the answer about property `id`.
    pub(crate) fn about(&self, id: &str) -> Option<&Property> {
        self.properties.iter().find(|p| p.id == id)
    }

    /// Returns the exit code that belongs to these answers. A violated property (the lowest such code) comes
    /// before an unknown one, and an unknown one before safe ones.
    pub(crate) fn exit_code(&self) -> i32 {
        let codes: Vec<i32> = self.properties.iter().map(Property::exit_code).collect();
        let best_of = |wanted: fn(&i32) -> bool| codes.iter().copied().filter(wanted).min();
        best_of(|c| (10..20).contains(c)).or_else(|| best_of(|c| *c >= 30)).unwrap_or(0)
    }
}

impl Property {
    fn exit_code(&self) -> i32 {
        match (self.verdict, self.id.as_str(), self.reason.as_deref()) {
            (Verdict::Safe, ..) => 0,
            (Verdict::Unsafe, "deadlock", _) => 11,
            (Verdict::Unsafe, ..) => 10,
            (Verdict::Unknown, _, Some("timeout")) => 31,
            (Verdict::Unknown, _, Some("memory")) => 32,
            (Verdict::Unknown, _, Some("bound")) => 33,
            (Verdict::Unknown, ..) => 30,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A report with rows `(property, verdict, reason)`, these counters, and evidence of this length.
    pub(crate) fn report(rows: &[(&str, &str, Option<&str>)], states: u64, transitions: u64, length: u64) -> String {
        let property = |&(id, verdict, reason): &(&str, &str, Option<&str>)| {
            let kind = if verdict == "safe" { "state-set" } else { "trace" };
            let evidence = serde_json::json!({"kind": kind, "length": length, "checked": true, "file": null});
            serde_json::json!({
                "id": id, "kind": id, "verdict": verdict, "reason": reason, "bound": null, "engine": "explicit",
                "evidence": if verdict == "unknown" { serde_json::Value::Null } else { evidence },
                "stats": {
                    "states": states, "transitions": transitions, "replayed": 0, "lemmas": {}, "splits": 5,
                    "decisions": 9
                },
                "seconds": 0.01
            })
        };
        serde_json::json!({
            "schema": 1, "file": "x.rwb", "model": {"kind": "rwb"}, "nondeterministic": false,
            "properties": rows.iter().map(property).collect::<Vec<_>>(), "seconds": 0.01, "peak_bytes": 1
        })
        .to_string()
    }

    #[test]
    fn a_report_is_read() {
        let text = report(&[("bad", "unsafe", None), ("deadlock", "unknown", Some("timeout"))], 7, 8, 6);
        let report = Report::parse(&text).expect("well-formed");
        let bad = report.about("bad").expect("there");
        assert_eq!((bad.verdict, bad.stats.states, bad.stats.transitions), (Verdict::Unsafe, 7, 8));
        assert_eq!((bad.stats.splits, bad.stats.decisions), (Some(5), Some(9)));
        assert_eq!(bad.evidence.as_ref().and_then(|e| e.length), Some(6));
        assert!(report.about("target").is_none());
    }

    #[test]
    fn exit_codes_follow_the_worst_answer() {
        for (rows, code) in [
            (&[("bad", "safe", None), ("deadlock", "safe", None)], 0),
            (&[("bad", "unsafe", None), ("deadlock", "unsafe", None)], 10),
            (&[("bad", "unknown", Some("memory")), ("deadlock", "unsafe", None)], 11),
            (&[("bad", "unknown", Some("timeout")), ("deadlock", "safe", None)], 31),
            (&[("bad", "unknown", Some("gave_up")), ("deadlock", "unknown", Some("bound"))], 30),
        ] {
            assert_eq!(Report::parse(&report(rows, 1, 1, 1)).map(|r| r.exit_code()), Ok(code), "{rows:?}");
        }
    }

    #[test]
    fn what_is_no_report_is_refused() {
        assert!(Report::parse("").is_err());
        assert!(Report::parse("{}").is_err());
        assert!(Report::parse(&report(&[], 1, 1, 1)).is_err());
        let next = report(&[("bad", "safe", None)], 1, 1, 1).replace("\"schema\":1", "\"schema\":2");
        assert!(Report::parse(&next).is_err_and(|e| e.contains("schema")));
    }
}
