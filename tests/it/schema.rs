//! `docs/report.schema.json` is correct: every JSON report that tests make the tool print is checked against it
//! (see `tool`).
//!
//! The validator covers only the few keywords that the schema uses. It fails if the schema contains another
//! keyword. Crates for all of JSON Schema take longer to compile than the tests take to run.

use crate::tool::{code, root, run, run_with, scratch, stdout};
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

/// Returns the reason why `value` does not fit `schema`, with the path to the place.
fn misfit(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    let words = schema.as_object().expect("schemas are objects");
    words.iter().find_map(|(word, said)| word_misfit(root, schema, word, said, value, path))
}

fn word_misfit(root: &Value, schema: &Value, word: &str, said: &Value, value: &Value, path: &str) -> Option<String> {
    let fails = |ok: bool| (!ok).then(|| format!("{path}: {value} is not {word} {said}"));
    let fit = |schema: &Value| misfit(root, schema, value, path).is_none();
    let list = || said.as_array().expect("a list");
    match word {
        "$schema" | "$id" | "$defs" | "title" | "description" => None,
        "$ref" => {
            let target =
                said.as_str().and_then(|to| root.pointer(to.trim_start_matches('#'))).expect("it leads somewhere");
            misfit(root, target, value, path)
        }
        "const" => fails(value == said),
        "enum" => fails(list().contains(value)),
        "type" => fails(match said {
            Value::Array(types) => types.iter().any(|t| is_of_type(value, t)),
            one => is_of_type(value, one),
        }),
        "minimum" => fails(value.as_f64().is_none_or(|v| v >= said.as_f64().expect("a number"))),
        "anyOf" => fails(list().iter().any(fit)),
        "oneOf" => match list().iter().filter(|s| fit(s)).count() {
            1 => None,
            0 => {
                let whys: Vec<String> = list().iter().filter_map(|s| misfit(root, s, value, path)).collect();
                Some(format!("{path}: fits nothing:\n  {}", whys.join("\n  ")))
            }
            n => Some(format!("{path}: fits {n} of what should be one")),
        },
        "items" => {
            let items = value.as_array()?.iter().enumerate();
            items.filter_map(|(i, item)| misfit(root, said, item, &format!("{path}/{i}"))).next()
        }
        "required" => {
            fails(value.as_object().is_none_or(|o| list().iter().all(|k| o.contains_key(k.as_str().expect("a name")))))
        }
        "properties" => value
            .as_object()?
            .iter()
            .find_map(|(key, member)| misfit(root, said.get(key)?, member, &format!("{path}/{key}"))),
        "additionalProperties" => value.as_object()?.iter().find_map(|(key, member)| {
            let known = schema.get("properties").is_some_and(|all| all.get(key).is_some());
            let path = format!("{path}/{key}");
            match said {
                _ if known => None,
                Value::Bool(false) => Some(format!("{path} is not in the schema")),
                said => misfit(root, said, member, &path),
            }
        }),
        other => panic!("the checker does not know `{other}`"),
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("types have names") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type `{other}`"),
    }
}

fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let text = fs::read_to_string(root().join("docs/report.schema.json")).expect("it is there");
        serde_json::from_str(&text).expect("it is JSON")
    })
}

/// Checks that each line of a JSON report fits the schema, and that the last one has the summary.
pub(crate) fn check_report(report: &str) {
    let mut last = None;
    for line in report.lines() {
        let value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        if let Some(why) = misfit(schema(), schema(), &value, "") {
            panic!("{why}\nin {line}");
        }
        last = Some(value);
    }
    assert!(last.is_none_or(|line| line.get("summary").is_some()), "no summary at the end: {report}");
}

#[test]
fn what_does_not_fit_is_found() {
    let fits = |text: &str| {
        let value = serde_json::from_str(text).expect("it is JSON");
        misfit(schema(), schema(), &value, "").is_none()
    };
    let counts = r#""files":0,"safe":0,"unsafe":0,"unknown":0,"not_read":0,"not_begun":0,"errors":0,"warnings":0"#;
    let end = |exit: &str| {
        let verdicts = r#"{"safe":0,"unsafe":0,"unknown":0}"#;
        format!(r#"{{"schema":1,"summary":{{{counts},"properties":{verdicts},"seconds":0.5,"exit":{exit}}}}}"#)
    };
    assert!(fits(&end("11")));
    assert!(!fits(&end("14")), "no such exit code");
    assert!(!fits(&end("\"11\"")), "a text");
    assert!(!fits(&end("11").replace("\"errors\":0,", "")), "a count is missing");
    assert!(!fits(&end("11").replace("\"errors\"", "\"mistakes\"")), "a count has another name");
    assert!(!fits(&end("11").replace("\"files\":0", "\"files\":-1")), "it is negative");
    assert!(!fits("{\"schema\":1}") && !fits("[]"));
}

/// In traces of all kinds of systems, the changes of each step lead from the previous state to the state of
/// this step.
#[test]
fn traces_lead_from_state_to_state() {
    let dir = scratch("traces_in_json");
    let spec = dir.join("count.spec");
    fs::write(&spec, "vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; init x = 30, y = 0 target y >= 30")
        .expect("written");
    let spec = spec.display().to_string();
    let files: [&[&str]; 5] = [
        &["examples/philosophers.rwb"],
        &[&spec],
        &["examples/hasty_lock.tts"],
        &["examples/careless_ring.aag"],
        &["examples/coffee.c", "--properties", "examples/coffee.ltl"],
    ];
    let mut violated = Vec::new();
    for file in files {
        let output = run(&[&["check", "--format", "json", "--trace-in-json"], file].concat());
        let report: Value = serde_json::from_str(&stdout(&output)).expect("one object");
        for property in report["properties"].as_array().expect("a list") {
            assert_eq!(property["verdict"] == "unsafe", property.get("trace").is_some(), "{property}");
            let Some(trace) = property.get("trace") else { continue };
            violated.push(report["model"]["kind"].as_str().expect("it was read").to_owned());
            let steps = trace["steps"].as_array().expect("a list");
            assert_eq!(Some(steps.len() as u64), property["evidence"]["length"].as_u64(), "{property}");
            assert_eq!(trace["complete"], true);
            let mut state = trace["start"].as_object().expect("an object").clone();
            for step in steps {
                for change in step["changes"].as_array().expect("a list") {
                    let name = change["name"].as_str().expect("a name");
                    let before = state.get(name).cloned().unwrap_or(0.into());
                    assert_eq!(before, change["from"], "{step}");
                    // Places without tokens are left out.
                    if change["to"] == 0 && report["model"]["kind"] != "reactive" {
                        state.remove(name);
                    } else {
                        state.insert(name.to_owned(), change["to"].clone());
                    }
                }
                assert_eq!(step["state"].as_object(), Some(&state), "{step}");
            }
        }
    }
    violated.dedup();
    assert_eq!(violated, ["rwb", "net", "threads", "circuit", "reactive"]);
}

/// Errors in a file are records in the report, with their place, and the other files are checked.
#[test]
fn errors_are_records() {
    let wrong = "rwb 1\nevent hot\nthread T {\n  state s { request hto }\n}\n";
    let args = ["check", "-", "no/such/file.rwb", "examples/task.rwb", "--input-format", "rwb", "--format", "json"];
    let output = run_with(&args, wrong.as_bytes());
    assert_eq!(code(&output), 65);
    let lines: Vec<Value> = stdout(&output).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let error = &lines[0]["errors"][0];
    assert_eq!((&error["code"], &error["file"]), (&"rwb::undeclared-event".into(), &"<stdin>".into()), "{error}");
    assert_eq!(error["place"], serde_json::json!({"line": 4, "column": 21, "length": 3}));
    assert!(error["help"].as_str().is_some_and(|help| help.contains("hot")), "{error}");
    assert_eq!(lines[1]["errors"][0]["code"], "input::unreadable");
    assert_eq!(lines[2]["errors"], serde_json::json!([]));
    let summary = &lines[3]["summary"];
    assert_eq!((&summary["files"], &summary["not_read"], &summary["errors"]), (&3.into(), &2.into(), &2.into()));
    assert_eq!(summary["exit"], 65);
}
