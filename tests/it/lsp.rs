//! `impasse lsp`: recorded sessions (`tests/lsp/*.session`), random edits and requests, and what bad clients do.
//!
//! A line of a session begins with `-->` for a message to the server, after which the driver waits for what it causes:
//! the answer to a request, or the mistakes of a changed text. `->>` sends without waiting, `...` waits for the answer
//! to the request with this number, and `<--` is a message of the server. `INSTA_UPDATE=always` renews the files.

use crate::tool::{PATIENCE, command, root};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// A server and its client.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Json>,
    /// The messages of the server that were not asked for yet.
    record: Vec<Json>,
}

impl Client {
    fn start(args: &[&str]) -> Self {
        Self::start_in(args, None)
    }

    /// Starts a server that has its temporary files are in a directory.
    fn start_in(args: &[&str], temporary: Option<&Path>) -> Self {
        let mut command = command(&[&["lsp"], args].concat());
        if let Some(temporary) = temporary {
            command.env("TMPDIR", temporary);
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("it starts");
        let (sender, messages) = mpsc::channel();
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            while let Some(message) = receive(&mut output) {
                let _ = sender.send(message);
            }
        });
        Self { input: child.stdin.take(), child, messages, record: Vec::new() }
    }

    /// Starts a server, and initializes it.
    fn begin() -> Self {
        let mut client = Self::start(&[]);
        client.ask(0, "initialize", json!({ "capabilities": {} }));
        client.send(&json!({ "method": "initialized", "params": {} }));
        client
    }

    fn send(&mut self, message: &Json) {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        self.write(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    }

    fn write(&mut self, bytes: &str) {
        // A server that has ended closes its input. The test then finds no answer.
        let _ = self.input.as_mut().expect("it is open").write_all(bytes.as_bytes());
    }

    /// Waits for the first message that fits. All messages are recorded.
    fn wait(&mut self, fits: impl Fn(&Json) -> bool) -> Json {
        loop {
            let message =
                self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer: {:?}", self.record));
            self.record.push(message.clone());
            if fits(&message) {
                return message;
            }
        }
    }

    /// Sends a request, and waits for the answer.
    fn ask(&mut self, id: u64, method: &str, params: Json) -> Json {
        self.send(&json!({ "id": id, "method": method, "params": params }));
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    fn open(&mut self, uri: &str, text: &str) -> Json {
        let document = json!({ "uri": uri, "languageId": "rwb", "version": 1, "text": text });
        self.send(&json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
        self.wait(|message| message["method"] == "textDocument/publishDiagnostics")
    }

    /// Sends changes, and waits for the mistakes of the new text.
    fn change(&mut self, uri: &str, version: i64, changes: &Json) -> Json {
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.send(&json!({ "method": "textDocument/didChange", "params": params }));
        self.wait(|message| message["params"]["version"] == version)
    }

    /// Closes the input, and returns the exit code.
    fn end(mut self) -> i32 {
        drop(self.input.take());
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code().unwrap_or(-1);
            }
            thread::sleep(Duration::from_millis(10));
        }
        self.child.kill().expect("it can be stopped");
        panic!("the server does not end");
    }
}

fn receive(output: &mut impl BufRead) -> Option<Json> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            _ if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Sends a message of a session, and waits for what it causes.
fn step(client: &mut Client, message: &Json) {
    client.send(message);
    let params = &message["params"];
    if let Some(id) = message.get("id") {
        client.wait(|answer| answer["id"] == *id && answer.get("method").is_none());
        return;
    }
    let document = &params["textDocument"];
    match message["method"].as_str() {
        Some("textDocument/didOpen" | "textDocument/didChange") if document["uri"].as_str().is_some_and(is_program) => {
            client.wait(|told| {
                told["params"]["version"] == document["version"] || told["method"] == "window/showMessage"
            });
        }
        Some("textDocument/didClose") => {
            client.wait(|told| told["method"] == "textDocument/publishDiagnostics");
        }
        _ => {}
    }
}

fn is_program(uri: &str) -> bool {
    uri.ends_with(".rwb")
}

/// Returns a message of the server as a session records it. Progress depends on time, and directories on the machine.
fn recorded(mut message: Json) -> Option<String> {
    if message["params"]["value"]["kind"] == "report" {
        return None;
    }
    message.as_object_mut()?.remove("jsonrpc");
    if let Some(version) = message.pointer_mut("/result/serverInfo/version") {
        *version = json!("[version]");
    }
    if let Some(uri) =
        message.pointer_mut("/params/uri").filter(|uri| uri.as_str().is_some_and(|uri| uri.ends_with(".md")))
    {
        *uri = json!(format!("[directory]/{}", uri.as_str()?.rsplit('/').next()?));
    }
    Some(format!("<-- {message}"))
}

/// Drives the server with the messages of a session. Returns the session with what the server says.
fn replay(session: &str) -> String {
    let args: Vec<&str> = session
        .lines()
        .find_map(|line| line.strip_prefix("# impasse lsp "))
        .map_or(Vec::new(), |args| args.split(' ').collect());
    let mut client = Client::start(&args);
    let mut lines = Vec::new();
    for line in session.lines().filter(|line| !line.starts_with("<-- ") && !line.starts_with("exit code ")) {
        lines.push(line.to_owned());
        if let Some(message) = line.strip_prefix("--> ") {
            step(&mut client, &serde_json::from_str(message).expect("a message"));
        } else if let Some(message) = line.strip_prefix("->> ") {
            client.send(&serde_json::from_str(message).expect("a message"));
        } else if let Some(id) = line.strip_prefix("... ") {
            let id: Json = serde_json::from_str(id).expect("a number");
            client.wait(|answer| answer["id"] == id && answer.get("method").is_none());
        }
        lines.extend(client.record.drain(..).filter_map(recorded));
    }
    lines.push(format!("exit code {}\n", client.end()));
    lines.join("\n")
}

fn check(name: &str) {
    let path = root().join("tests/lsp").join(format!("{name}.session"));
    let session = fs::read_to_string(&path).expect("it is there");
    let replayed = replay(&session);
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(&path, &replayed).expect("writable");
    }
    let recorded = fs::read_to_string(&path).expect("it is there");
    for (at, (old, new)) in recorded.lines().zip(replayed.lines()).enumerate() {
        assert_eq!(old, new, "{name}.session:{}: `INSTA_UPDATE=always` renews the file", at + 1);
    }
    assert_eq!(recorded.lines().count(), replayed.lines().count(), "{name}.session");
}

#[test]
fn mistakes_are_shown_and_vanish() {
    check("mistakes");
}

#[test]
fn names_of_version_1() {
    check("names");
}

#[test]
fn names_of_version_2() {
    check("data");
}

#[test]
fn columns_are_utf_16() {
    check("utf16");
}

#[test]
fn columns_are_utf_8_if_agreed() {
    check("utf8");
}

#[test]
fn a_check_shows_its_run() {
    check("check");
}

#[test]
fn a_check_is_cancelled() {
    check("cancel");
}

#[test]
fn texts_are_arranged() {
    check("format");
}

#[test]
fn bad_clients_get_errors() {
    check("protocol");
}

/// The transcript in the documentation is a session.
#[test]
fn the_documented_session_is_recorded() {
    check("tour");
    let session = fs::read_to_string(root().join("tests/lsp/tour.session")).expect("it is there");
    let session = session.split_once('\n').expect("a comment").1;
    let path = root().join("docs/editor.md");
    let page = fs::read_to_string(&path).expect("it is there");
    let (before, rest) = page.split_once("```text\n").expect("a transcript");
    let (shown, after) = rest.split_once("```\n").expect("its end");
    if shown != session && std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(path, format!("{before}```text\n{session}```\n{after}")).expect("writable");
    } else {
        assert_eq!(shown, session, "`INSTA_UPDATE=always` renews the transcript in docs/editor.md");
    }
}

/// The mistakes are those of `impasse check`, with codes and places.
#[test]
fn mistakes_are_those_of_check() {
    let mistakes = root().join("crates/readers/tests/mistakes");
    let mut client = Client::begin();
    let (mut seen, mut count) = (0, 0);
    for path in files(&mistakes) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let output = command(&["check", "--format", "json", "--timeout", "5s", &path.to_string_lossy()]).output();
        let report: Json = serde_json::from_slice(&output.expect("it runs").stdout).expect("a report");
        let told = client.open(&format!("file:///m{count}.rwb"), &text);
        count += 1;
        let place = |note: &Json| {
            let line = note["place"]["line"].as_u64().map_or(0, |line| line - 1);
            (line, note["code"].as_str().expect("a code").to_owned())
        };
        let notes = ["errors", "warnings"].iter().flat_map(|kind| report[kind].as_array().into_iter().flatten());
        let mut expected: Vec<_> = notes.map(place).collect();
        let found = told["params"]["diagnostics"].as_array().into_iter().flatten();
        let mut found: Vec<_> = found
            .map(|told| {
                (
                    told["range"]["start"]["line"].as_u64().unwrap_or(0),
                    told["code"].as_str().unwrap_or_default().to_owned(),
                )
            })
            .collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{}", path.display());
        seen += found.len();
    }
    assert!(count > 10 && seen > 20, "{count} files, {seen} mistakes");
    assert_eq!(client.end(), 1, "no shutdown before the end");
}

/// Returns the `.rwb` files below a directory.
fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![directory.to_path_buf()]);
    while let Some(directory) = open.pop() {
        for path in fs::read_dir(&directory).expect("readable").map(|entry| entry.expect("readable").path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rwb") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The requests about a place.
const METHODS: [&str; 7] =
    ["hover", "definition", "references", "documentHighlight", "prepareRename", "rename", "completion"];

/// A change of a text: a place, as two numbers that are reduced to the text, and the new text.
type Edit = (u32, u32, u32, u32, String);

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let pieces = ["", "}", "{", "thread T { ", "\n", "\r\n", "\r", "é", "\u{1f980}", "request a", "-> s", "# c", "[i]"];
    let piece = prop::sample::select(pieces.map(str::to_owned).to_vec());
    prop::collection::vec((0..30u32, 0..60u32, 0..3u32, 0..9u32, piece), 1..12)
}

/// Returns the byte of a position in UTF-16 units: another way to compute it than that of the server.
fn byte(text: &str, line: u32, column: u32) -> Option<usize> {
    let mut rest = 0;
    for _ in 0..line {
        let at = text[rest..].find(['\n', '\r'])? + rest;
        rest = at + if text[at..].starts_with("\r\n") { 2 } else { 1 };
    }
    let mut units = 0;
    for (at, c) in text[rest..].char_indices() {
        units += c.len_utf16() as u32;
        if matches!(c, '\n' | '\r') || units > column {
            return Some(rest + at);
        }
    }
    Some(text.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// After random changes, the server has the same mistakes and the same outline as for the whole text. All requests
    /// at random places are answered, and none by a bug.
    #[test]
    fn random_edits_and_requests(sessions in prop::collection::vec(edits(), 8)) {
        let start = fs::read_to_string(root().join("examples/philosophers.rwb")).expect("it is there");
        let mut client = Client::begin();
        let mut id = 0;
        for (number, edits) in sessions.into_iter().enumerate() {
            let (own, whole) = (format!("file:///own{number}.rwb"), format!("file:///whole{number}.rwb"));
            let mut text = start.clone();
            client.open(&own, &text);
            let mut last = Json::Null;
            for (at, (line, column, lines, columns, piece)) in edits.into_iter().enumerate() {
                let (from, to) = ((line, column), (line + lines, if lines == 0 { column + columns } else { columns }));
                let places = byte(&text, from.0, from.1).zip(byte(&text, to.0, to.1));
                let Some((start, end)) = places.filter(|(start, end)| start <= end) else { continue };
                text.replace_range(start..end, &piece);
                let position = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
                let range = json!({ "start": position(from), "end": position(to) });
                last = client.change(&own, at as i64 + 2, &json!([{ "range": range, "text": piece }]));
                for method in METHODS {
                    id += 1;
                    let mut params = json!({
                        "textDocument": { "uri": own }, "position": position((line, column / 2)), "newName": "fresh",
                    });
                    if method == "references" {
                        params["context"] = json!({ "includeDeclaration": true });
                    }
                    let answer = client.ask(id, &format!("textDocument/{method}"), params);
                    let is_refused = method == "rename" && answer["error"]["code"] == -32803;
                    let is_outside = answer["error"]["message"] == "the text has no such line";
                    prop_assert!(answer.get("error").is_none() || is_refused || is_outside, "{}", answer);
                }
            }
            let opened = client.open(&whole, &text);
            if last != Json::Null {
                prop_assert_eq!(&last["params"]["diagnostics"], &opened["params"]["diagnostics"], "{}", text);
            }
            for method in ["documentSymbol", "foldingRange", "codeLens"] {
                let mut answers = Vec::new();
                for uri in [&own, &whole] {
                    id += 1;
                    let params = json!({ "textDocument": { "uri": uri } });
                    let answer = client.ask(id, &format!("textDocument/{method}"), params);
                    answers.push(answer["result"].to_string().replace(uri.as_str(), "uri"));
                }
                prop_assert_eq!(&answers[0], &answers[1]);
            }
        }
        prop_assert_eq!(client.ask(9999, "shutdown", Json::Null)["result"].clone(), Json::Null);
        client.send(&json!({ "method": "exit" }));
        prop_assert_eq!(client.end(), 0);
    }
}

/// Changes that come faster than texts are read: the mistakes of the last text are shown, and no version twice.
#[test]
fn a_newer_change_supersedes_an_older_one() {
    let mut client = Client::begin();
    let uri = "file:///fast.rwb";
    client.open(uri, &long_program(3000));
    let start = json!({ "line": 1, "character": 0 });
    for version in 2..40 {
        let change = json!({ "range": { "start": start, "end": start }, "text": "# new\n" });
        let params = json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [change] });
        client.send(&json!({ "method": "textDocument/didChange", "params": params }));
    }
    client.wait(|message| message["params"]["version"] == 39);
    let versions: Vec<i64> = client.record.iter().filter_map(|message| message["params"]["version"].as_i64()).collect();
    assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
    assert_eq!(client.end(), 1);
}

/// A server that ends stops its checks, and leaves no files.
#[cfg(unix)]
#[test]
fn the_end_of_the_server_is_the_end_of_its_checks() {
    let temporary = crate::tool::scratch("lsp_end");
    let mut client = Client::start_in(&[], Some(&temporary));
    client.ask(0, "initialize", json!({ "capabilities": {} }));
    let session = fs::read_to_string(root().join("tests/lsp/cancel.session")).expect("it is there");
    let sent = session.lines().find(|line| line.contains("didOpen")).expect("a text").trim_start_matches("--> ");
    client.send(&serde_json::from_str(sent).expect("a message"));
    let command = json!({ "command": "impasse.check", "arguments": [{ "uri": "file:///big.rwb" }] });
    client.send(&json!({ "id": 1, "method": "workspace/executeCommand", "params": command }));
    client.ask(2, "textDocument/codeLens", json!({ "textDocument": { "uri": "file:///big.rwb" } }));
    let texts = || fs::read_dir(&temporary).expect("readable").count();
    assert_eq!(texts(), 1, "the directory of the checks");
    let begun = Instant::now();
    assert_eq!(client.end(), 1);
    assert!(begun.elapsed() < PATIENCE);
    assert_eq!(texts(), 0);
}

/// Frames and texts that are no messages neither stop the server, as far as it can go on, nor make it hang.
#[test]
fn wrong_frames_are_survived() {
    let mut client = Client::begin();
    client.write("Content-Length: 3\r\n\r\n{ a");
    client.wait(|message| message["method"] == "window/showMessage");
    client.write("Content-Type: x\r\nContent-Length: 2\r\n\r\n[]");
    client.wait(|message| message["method"] == "window/showMessage");
    assert_eq!(client.ask(1, "shutdown", Json::Null)["result"], Json::Null);
    client.write("no frame\r\n\r\n");
    assert_eq!(client.end(), 0);
    let mut client = Client::start(&[]);
    client.write("Content-Length: 99999999999999999\r\n\r\n");
    assert_eq!(client.end(), 1);
}

/// Returns a program of about this number of lines.
fn long_program(lines: usize) -> String {
    let mut text = "rwb 1\nconst n = 3\nevent go[n], stop[n]\n".to_owned();
    for thread in 0..lines / 10 {
        let own = thread % 3;
        text += &format!(
            "# The thread {thread} goes and stops.
thread T{thread} {{
  state idle {{
    request go[{own}]
    on go[{own}] -> busy
  }}
  state busy {{
    request stop[{own}] block go[{own}]
    on stop[*] -> idle
  }}
}}
"
        );
    }
    text
}

/// A text of 10,000 lines is read again after each change, and names in it are found, in a short time. The limit is for
/// a slow machine and a build without optimisation; `docs/editor.md` has numbers.
#[test]
#[expect(clippy::print_stdout, reason = "shows the times if they are asked for")]
fn long_texts_are_read_in_time() {
    let text = long_program(10_000);
    let mut client = Client::begin();
    let uri = "file:///long.rwb";
    let time = |what: &str, begun: Instant| {
        let time = begun.elapsed();
        if std::env::var_os("IMPASSE_TIMES").is_some() {
            println!("{what}: {} lines, {time:?}", text.lines().count());
        }
        assert!(time < PATIENCE, "{what}: {time:?}");
    };
    let begun = Instant::now();
    client.open(uri, &text);
    time("open", begun);
    for version in 2..5 {
        let at = json!({ "line": 5000, "character": 0 });
        let begun = Instant::now();
        client.change(uri, version, &json!([{ "range": { "start": at, "end": at }, "text": "# new\n" }]));
        time("change to mistakes", begun);
    }
    let position = json!({ "textDocument": { "uri": uri }, "position": { "line": 2, "character": 7 } });
    for (id, method) in [(1, "hover"), (2, "hover"), (3, "definition"), (4, "documentHighlight"), (5, "completion")] {
        let begun = Instant::now();
        let answer = client.ask(id, &format!("textDocument/{method}"), position.clone());
        time(method, begun);
        assert!(!answer["result"].is_null(), "{answer}");
    }
    let begun = Instant::now();
    client.ask(6, "textDocument/documentSymbol", position);
    time("documentSymbol", begun);
    assert_eq!(client.end(), 1);
}
