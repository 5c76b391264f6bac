//! `impasse dap`: an exchange with a client that steps, stops at breakpoints, follows a violation and goes back.

use crate::tool::{code, run_with};
use serde_json::{Value as Json, json};

/// Sends requests one after the other, and returns what the debugger writes until the end of the input.
fn exchange(requests: &[(&str, Json)]) -> Vec<Json> {
    let mut input = Vec::new();
    for (seq, (command, arguments)) in (1..).zip(requests) {
        let text = json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments }).to_string();
        input.extend(format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes());
    }
    let output = run_with(&["dap"], &input);
    assert_eq!(code(&output), 0);
    let mut rest = std::str::from_utf8(&output.stdout).expect("it is UTF-8");
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let (header, body) = rest.split_once("\r\n\r\n").expect("a header ends");
        let length: usize = header.trim_start_matches("Content-Length: ").parse().expect("a length");
        messages.push(serde_json::from_str(&body[..length]).expect("it is JSON"));
        rest = &body[length..];
    }
    messages
}

/// The texts of the stops, in order.
fn stops(messages: &[Json]) -> Vec<String> {
    let stopped = messages.iter().filter(|message| message["event"] == "stopped");
    let said = |message: &Json| {
        let body = &message["body"];
        format!("{}: {} ({})", body["reason"], body["text"], body["threadId"]).replace('"', "")
    };
    stopped.map(said).collect()
}

/// The bodies of the answers to these requests.
fn answers<'m>(messages: &'m [Json], command: &str) -> Vec<&'m Json> {
    messages.iter().filter(|m| m["type"] == "response" && m["command"] == command).map(|m| &m["body"]).collect()
}

const FILE: &str = "examples/philosophers.rwb";

fn launch(more: &Json) -> [(&'static str, Json); 2] {
    let mut arguments = json!({ "program": FILE });
    for (name, value) in more.as_object().into_iter().flatten() {
        arguments[name] = value.clone();
    }
    [("initialize", json!({})), ("launch", arguments)]
}

#[test]
fn a_debugger_steps_forth_and_back_through_threads() {
    let [begin, launch] = launch(&json!({}));
    let messages = exchange(&[
        begin,
        launch,
        ("setBreakpoints", json!({ "breakpoints": [{ "line": 20 }] })),
        ("configurationDone", json!({})),
        ("threads", json!({})),
        ("stackTrace", json!({ "threadId": 2 })),
        ("stepIn", json!({ "threadId": 4 })),
        ("stackTrace", json!({ "threadId": 4 })),
        ("stepInTargets", json!({})),
        ("stepIn", json!({ "threadId": 4, "targetId": 0 })),
        ("stepBack", json!({ "threadId": 4 })),
        ("continue", json!({ "threadId": 1 })),
        ("reverseContinue", json!({ "threadId": 1 })),
        ("evaluate", json!({ "expression": "Phil[0]", "context": "watch" })),
        ("evaluate", json!({ "expression": "Phil[0].L0 = 1", "context": "watch" })),
        ("evaluate", json!({ "expression": "take pick[2][0]", "context": "repl" })),
        ("variables", json!({ "variablesReference": 2 })),
    ]);
    let [threads] = answers(&messages, "threads")[..] else { panic!("{messages:?}") };
    assert_eq!(threads["threads"][1]["name"], "Phil[0]");
    let frames: Vec<&Json> =
        answers(&messages, "stackTrace").iter().map(|body| &body["stackFrames"][0]["line"]).collect();
    assert_eq!(frames, [18, 19], "{messages:?}");
    let said = stops(&messages);
    let expected = [
        "entry: the start (1)",
        "step: pick[1][0] (4)",
        "step: pick[0][0] (4)",
        "step: one step back (4)",
        "breakpoint: line 20 (2)",
        "entry: the start (1)",
        "step: pick[2][0] (1)",
    ];
    assert_eq!(said[..4], expected[..4]);
    assert!(said[4].starts_with("breakpoint: line 20"), "{said:?}");
    assert_eq!(said[5..], expected[5..]);
    let values: Vec<&Json> = answers(&messages, "evaluate").iter().map(|body| &body["result"]).collect();
    assert_eq!(values, ["request pick[0][0] (line 18)", "true", "pick[2][0]"]);
}

#[test]
fn a_debugger_follows_a_violation_and_names_the_circle() {
    let [begin, launch] = launch(&json!({ "violate": "deadlock" }));
    let messages = exchange(&[
        begin,
        launch,
        ("setFunctionBreakpoints", json!({ "breakpoints": [{ "name": "pick[1][0]" }, { "name": "nothing" }] })),
        ("configurationDone", json!({})),
        ("continue", json!({ "threadId": 1 })),
        ("continue", json!({ "threadId": 1 })),
        ("restart", json!({})),
    ]);
    let [told] = answers(&messages, "setFunctionBreakpoints")[..] else { panic!("{messages:?}") };
    assert_eq!(
        (&told["breakpoints"][0]["verified"], &told["breakpoints"][1]["verified"]),
        (&json!(true), &json!(false))
    );
    let said = stops(&messages);
    assert_eq!(said.first().map(String::as_str), Some("entry: the start (1)"));
    assert!(said.contains(&"function breakpoint: pick[1][0] (1)".to_owned()), "{said:?}");
    assert!(said.contains(&"exception: deadlock (1)".to_owned()), "{said:?}");
    let text: String = messages.iter().filter_map(|message| message["body"]["output"].as_str()).collect();
    assert!(text.contains("deadlock is violated here") && text.contains("They wait in a circle:"), "{text}");
}

#[test]
fn a_debugger_says_why_it_cannot_begin() {
    let failed = |arguments: Json| {
        let messages = exchange(&[("initialize", json!({})), ("launch", arguments), ("next", json!({}))]);
        let answer = messages.iter().find(|m| m["command"] == "launch").expect("it is answered");
        assert_eq!(answer["success"], false, "{messages:?}");
        answer["message"].as_str().expect("a reason").to_owned()
    };
    assert!(failed(json!({ "program": "nowhere.rwb" })).contains("cannot read nowhere.rwb"));
    assert!(failed(json!({ "program": FILE, "violate": "nothing" })).contains("there is no property `nothing`"));
    assert!(failed(json!({ "program": "tests/it/dap.rs" })).contains("format"));
    let safe = failed(json!({ "program": "examples/task.rwb", "violate": "deadlock" }));
    assert!(safe.contains("holds"), "{safe}");
}

/// Nets have no threads: the system is one, and its places are variables.
#[test]
fn a_debugger_steps_through_nets() {
    let messages = exchange(&[
        ("initialize", json!({})),
        ("launch", json!({ "program": "examples/lock.spec", "args": ["--init", "idle=2"] })),
        ("configurationDone", json!({})),
        ("next", json!({ "threadId": 1 })),
        ("variables", json!({ "variablesReference": 1 })),
        ("evaluate", json!({ "expression": "idle >= 1", "context": "watch" })),
        ("disconnect", json!({})),
        ("next", json!({})),
    ]);
    let [variables] = answers(&messages, "variables")[..] else { panic!("{messages:?}") };
    assert!(variables["variables"].as_array().is_some_and(|all| !all.is_empty()), "{variables}");
    assert_eq!(answers(&messages, "evaluate")[0]["result"], "true");
    assert!(answers(&messages, "next").len() == 1, "the end ends it");
}
