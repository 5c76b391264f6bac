//! `impasse explore`: the answers of the server, what it refuses, and its end. The client writes plain HTTP, so that it
//! can send what no browser sends.

use crate::cli::settings;
use crate::tool::{PATIENCE, command, root, run, scratch, stdout};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A server, which ends with the test.
struct Server {
    child: Child,
    host: String,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: its status, its head, and its body.
struct Got {
    status: u16,
    head: String,
    body: String,
}

impl Got {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The status and the code of the error.
    fn error(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}

impl Server {
    fn start(args: &[&str]) -> Self {
        let mut child = command(&[&["explore", "--quiet"], args].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let mut said = String::new();
        if line.is_empty() {
            child.stderr.take().expect("it is a pipe").read_to_string(&mut said).expect("text");
        }
        let address = line.trim().rsplit_once("http://").unwrap_or_else(|| panic!("no address: {line}{said}")).1;
        let (host, token) = address.trim_end_matches('/').split_once('/').expect("an address with a token");
        Self { host: host.to_owned(), token: token.to_owned(), child }
    }

    /// Sends a request with these headers in addition to `Host`.
    fn send(&self, method: &str, address: &str, headers: &str, body: &[u8]) -> Got {
        let mut stream = TcpStream::connect(&self.host).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.host) };
        let head = format!(
            "{method} {address} HTTP/1.1\r\n{host}{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("it is sent");
        // The server may answer before it has read a body that is too long.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Got { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn get(&self, address: &str) -> Got {
        self.send("GET", &format!("/{}/{address}", self.token), "", b"")
    }

    fn ask(&self, address: &str, body: &Value) -> Got {
        let text = body.to_string();
        let address = format!("/{}/api/{address}", self.token);
        self.send("POST", &address, "Content-Type: application/json\r\n", text.as_bytes())
    }

    /// Waits for the end of a task.
    fn finish(&self, task: &Value) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let now = self.get(&format!("api/tasks/{}", task["id"])).json();
            if now["status"] != "running" {
                return now;
            }
            assert!(Instant::now() < end, "the task does not end");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

const PHILOSOPHERS: &str = "examples/philosophers.rwb";

#[test]
fn the_page_and_its_files_are_served() {
    let server = Server::start(&[PHILOSOPHERS]);
    let page = server.get("");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("app.js") && !page.body.contains("http://") && !page.body.contains("https://"));
    for (header, value) in [
        ("content-security-policy", "default-src 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
    ] {
        assert!(page.head.contains(&format!("{header}: {value}")), "{header}: {}", page.head);
    }
    for file in ["app.js", "app.css", "layout.js", "icon.svg", "licences.txt"] {
        assert_eq!(server.get(file).status, 200, "{file}");
    }
    assert_eq!(server.get("other.js").error(), (404, "explore::absent".to_owned()));
    assert_eq!(server.get("api/other").error(), (404, "explore::absent".to_owned()));
}

#[test]
fn other_pages_and_users_are_refused() {
    let server = Server::start(&[PHILOSOPHERS]);
    let model = format!("/{}/api/model", server.token);
    let code = |address: &str, headers: &str| server.send("GET", address, headers, b"").error();
    let refused = |code: &str| (403, format!("explore::{code}"));
    assert_eq!(server.send("GET", &model, "", b"").status, 200);
    assert_eq!(code("/", ""), refused("token"));
    assert_eq!(code("/api/model", ""), refused("token"));
    assert_eq!(code(&model.replacen(&server.token[..1], "x", 1), ""), refused("token"));
    assert_eq!(code(&model, "Host: evil.example\r\n"), refused("host"));
    assert_eq!(code(&model, "Host: 127.0.0.1\r\n"), refused("host"));
    assert_eq!(code(&model, "Origin: http://evil.example\r\n"), refused("origin"));
    assert_eq!(code(&model, "Origin: null\r\n"), refused("origin"));
    assert_eq!(code(&model, "Sec-Fetch-Site: cross-site\r\n"), refused("origin"));
    let same = format!("Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n", server.host);
    assert_eq!(server.send("GET", &model, &same, b"").status, 200);
}

#[test]
fn wrong_requests_get_errors() {
    let server = Server::start(&[PHILOSOPHERS]);
    let path = |path: &str| server.ask("state", &json!({ "path": path })).error();
    let wrong = |code: &str| (400, format!("explore::{code}"));
    assert_eq!(path("0.99"), wrong("path"));
    assert_eq!(path("0.x"), wrong("path"));
    assert_eq!(path("1"), wrong("path"));
    assert_eq!(path("0.0.0"), wrong("path"), "pick[0][0] is blocked after pick[0][0]");
    assert_eq!(path("0.0-1"), wrong("path"), "the event has one outcome");
    let long = format!("0{}", ".0".repeat(200_001));
    assert_eq!(path(&long), wrong("path"));
    let text = format!("{{\"path\": \"0{}\"}}", ".0".repeat(3 << 20));
    let address = format!("/{}/api/state", server.token);
    let post = |headers: &str, body: &str| server.send("POST", &address, headers, body.as_bytes()).error();
    let json = "Content-Type: application/json\r\n";
    assert_eq!(post(json, &text), (413, "explore::too_long".to_owned()));
    assert_eq!(post(json, "{"), (400, "explore::request".to_owned()));
    assert_eq!(post(json, "{}"), (422, "explore::request".to_owned()));
    assert_eq!(post("Content-Type: text/plain\r\n", "{}"), (415, "explore::request".to_owned()));
    let absent = (404, "explore::absent".to_owned());
    assert_eq!(server.get("api/thread/6").error(), absent);
    assert_eq!(server.get("api/net").error(), absent);
    assert_eq!(server.get("api/tasks/1").error(), absent);
    for number in ["99999999999999999999", "-1", "x"] {
        assert_eq!(server.get(&format!("api/thread/{number}")).error(), absent, "{number}");
        assert_eq!(server.get(&format!("api/tasks/{number}")).error(), absent, "{number}");
    }
    assert_eq!(server.get("api/state").error(), (405, "explore::method".to_owned()));
    let put = server.send("PUT", &format!("/{}/api/model", server.token), "", b"");
    assert_eq!(put.error(), (405, "explore::method".to_owned()));
    let many: Vec<Value> = (0..101).map(|n| json!({ "event": format!("no_{n}") })).collect();
    let until = json!({ "path": "0", "steps": 3, "until": many });
    assert_eq!(server.ask("random", &until).error(), wrong("target"));
    let check = json!({ "task": "check", "properties": ["other"] });
    assert_eq!(server.ask("tasks", &check).error(), absent);
    let until = json!({ "path": "0", "steps": 3, "until": [{ "formula": "nonsense" }] });
    assert_eq!(server.ask("random", &until).error(), wrong("target"));
    let export = |form: &str| server.ask("export", &json!({ "path": "0", "form": form })).error();
    assert_eq!((export("evidence").1.as_str(), export("scn").1.as_str()), ("explore::evidence", "explore::evidence"));
    let import = server.send("POST", &format!("/{}/api/import", server.token), "", b"no evidence");
    assert_eq!(import.error(), (422, "explore::evidence".to_owned()));
}

/// A request ends at the time limit, and when its client has left. Otherwise the last request would wait for the ones
/// before, because only four are computed at once.
#[test]
fn requests_end() {
    let file = scratch("explore_requests").join("endless.lola");
    fs::write(&file, "PLACE a;\nMARKING a:1;\nTRANSITION t CONSUME a:1; PRODUCE a:1;\n").expect("a file of this test");
    let file = file.to_str().expect("plain");
    let never: Vec<Value> = (0..100).map(|n| json!({ "formula": format!("a >= {}", n + 2) })).collect();
    let slow = json!({ "path": "0", "steps": 50_000, "until": never });
    let server = Server::start(&[file, "--timeout", "1ms"]);
    assert_eq!(server.ask("random", &slow).error(), (503, "explore::ended".to_owned()));
    let server = Server::start(&[file]);
    let text = slow.to_string();
    for _ in 0..40 {
        let mut stream = TcpStream::connect(&server.host).expect("the server listens");
        let head = format!(
            "POST /{}/api/random HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            server.token,
            server.host,
            text.len()
        );
        stream.write_all((head + &text).as_bytes()).expect("it is sent");
    }
    assert_eq!(server.ask("state", &json!({ "path": "0" })).status, 200);
}

/// Replaces what differs between machines and versions.
fn steady(mut value: Value) -> String {
    for member in ["version", "file"] {
        if value.get(member).is_some() {
            value[member] = json!(format!("[{member}]"));
        }
    }
    serde_json::to_string_pretty(&value).expect("it is JSON")
}

/// For a model: its description, the start, the state after two steps, the steps, and what is refused there.
fn told(name: &str, args: &[&str], path: &str) {
    let server = Server::start(args);
    let at = json!({ "path": path, "to": 10, "limit": 4 });
    let answers = [
        server.get("api/model"),
        server.ask("state", &at),
        server.ask("steps", &at),
        server.ask("refused", &at),
        server.ask("graph", &json!({ "path": path, "nodes": 3 })),
    ];
    let text: Vec<String> = answers.iter().map(|answer| steady(answer.json())).collect();
    settings().bind(|| assert_snapshot!(format!("explore_{name}"), text.join("\n")));
}

#[test]
fn each_kind_of_model_is_told() {
    told("program", &["examples/task.rwb"], "0");
    told("net", &["examples/lock.spec", "--init", "idle=2"], "0.0");
    told("open_net", &["examples/lock.spec"], "1.0.1");
    told("threads", &["examples/hasty_lock.tts", "--init", "0|0,0"], "0.0.0");
    told("circuit", &["examples/careless_ring.aag"], "0.0-1.0");
    told("reactive", &["examples/coffee.c"], "0.0.1");
    told("data", &["tests/data/unbounded/02_sensor_unsafe.rwb"], "0.0");
}

#[test]
fn threads_and_nets_are_drawn_with_their_layout() {
    let server = Server::start(&["examples/task.rwb"]);
    let thread = server.get("api/thread/0").json();
    assert!(thread["states"].as_array().is_some_and(|states| states.len() > 1), "{thread}");
    let dir = scratch("explore_layout");
    let file = dir.join("placed.pnml");
    fs::write(&file, PLACED).expect("a file of this test");
    let server = Server::start(&[file.to_str().expect("a plain path")]);
    assert_eq!(server.get("api/model").json()["shape"], json!({ "drawn_as": "net", "has_layout": true }));
    let net = server.get("api/net").json();
    assert_eq!(net["places"][0]["at"], json!({ "x": 40.0, "y": 60.0 }), "{net}");
    assert_eq!(net["transitions"][0]["arcs"], json!([{ "place": 0, "kind": "in" }]));
}

const PLACED: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n"
 type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g"><place id="p">
 <graphics><position x="40" y="60"/></graphics><initialMarking><text>1</text></initialMarking></place>
 <transition id="t"><graphics><position x="140" y="60"/></graphics></transition>
 <arc id="a" source="p" target="t"/></page></net></pnml>"#;

#[test]
fn a_check_shows_its_violation_and_the_evidence_comes_back() {
    let server = Server::start(&[PHILOSOPHERS]);
    let done = server.finish(&server.ask("tasks", &json!({ "task": "check" })).json());
    assert_eq!(done["status"], "done", "{done}");
    let report = &done["report"];
    crate::schema::check_report(&report.to_string());
    let deadlock = &report["properties"][0];
    assert_eq!((deadlock["id"].as_str(), deadlock["verdict"].as_str()), (Some("deadlock"), Some("unsafe")));
    let path = done["paths"]["deadlock"]["path"].as_str().expect("a path");
    let state = server.ask("state", &json!({ "path": path })).json();
    assert_eq!((state["enabled"].as_u64(), &state["reached"]), (Some(0), &json!(["deadlock"])));
    let holds = |formula: &str| server.ask("holds", &json!({ "path": path, "formula": formula })).json();
    assert_eq!(
        (holds("Phil[0].L1 = 1")["holds"].as_bool(), holds("Phil[0].L0 = 1")["holds"].as_bool()),
        (Some(true), Some(false))
    );
    assert!(holds("no_name >= 1")["error"]["message"].as_str().is_some_and(|text| text.contains("no_name")));
    let refused = server.ask("refused", &json!({ "path": path, "query": "pick[0][1]" })).json();
    assert_eq!(refused["items"][0]["because"], "blocked", "{refused}");
    assert!(refused["items"][0]["by"][0]["thread"].is_string());

    // The exported path is evidence for `replay`, and the server reads it again.
    let exported = server.ask("export", &json!({ "path": path, "form": "evidence" })).json();
    let text = exported["text"].as_str().expect("a text");
    let file = scratch("explore_export").join("run.json");
    fs::write(&file, text).expect("a file of this test");
    let file = file.to_str().expect("a plain path");
    let replayed = run(&["replay", PHILOSOPHERS, file]);
    assert!(stdout(&replayed).starts_with("ACCEPTED"), "{}", stdout(&replayed));
    let import = server.send("POST", &format!("/{}/api/import", server.token), "", text.as_bytes()).json();
    assert_eq!((&import["path"], &import["accepted"]), (&json!(path), &json!(true)));
    let evidence = server.ask(&format!("tasks/{}/evidence", done["id"]), &json!({ "property": "deadlock" }));
    assert_eq!(evidence.json()["goals"], json!(["deadlock"]));

    // The command takes the evidence, too.
    let server = Server::start(&[PHILOSOPHERS, file]);
    assert_eq!(server.get("api/model").json()["evidence"]["path"], path);
}

#[test]
fn searches_and_random_runs_find_events_and_formulas() {
    let server = Server::start(&[PHILOSOPHERS]);
    let find = |target: Value| {
        let order = json!({ "task": "search", "path": "0", "target": target });
        server.finish(&server.ask("tasks", &order).json())
    };
    let found = find(json!({ "event": "rel[0][1]" }));
    assert_eq!(found["path"].as_str().map(|path| path.split('.').count() - 1), Some(3), "{found}");
    assert!(find(json!({ "property": "deadlock" }))["path"].is_string());
    let nowhere = find(json!({ "event": "other" }));
    assert_eq!((nowhere["nowhere"].as_bool(), nowhere["path"].as_str()), (Some(true), None));
    let run = |seed: u64| {
        let asked = json!({ "path": "0", "steps": 500, "seed": seed, "until": [{ "event": "rel[0][0]" }] });
        server.ask("random", &asked).json()
    };
    assert_eq!(run(1), run(1));
    assert!((0..20).any(|seed| run(seed)["paused_at"] == 0));
    assert!((0..20).any(|seed| run(seed)["ended"] == true), "some run ends in the deadlock");
    let server = Server::start(&["examples/lock.spec", "--init", "idle=3"]);
    for formula in ["F want >= 2", "IMPOSSIBLE want >= 2", "AG want <= 2", "want >= 0 U want >= 2"] {
        let order = json!({ "task": "search", "path": "0", "target": { "formula": formula } });
        let refused = server.finish(&server.ask("tasks", &order).json());
        assert!(refused["message"].to_string().contains("a set of states"), "{refused}");
        assert_eq!(refused["status"], "failed", "{formula}");
    }
    let order = json!({ "task": "search", "path": "0", "target": { "formula": "want >= 2" } });
    let found = server.finish(&server.ask("tasks", &order).json());
    assert_eq!(found["path"], "0.0.0", "{found}");
    let scn = server.ask("export", &json!({ "path": "0.0.0", "form": "scn" })).json();
    assert_eq!(scn["text"].as_str().map(|text| text.lines().count()), Some(2));
}

#[test]
fn a_stop_ends_a_search_and_a_check() {
    let dir = scratch("explore_stop");
    let file = dir.join("many.rwb");
    fs::write(&file, many(24)).expect("a file of this test");
    let server = Server::start(&[file.to_str().expect("a plain path")]);
    let order = json!({ "task": "search", "path": "0", "target": { "event": "never" } });
    let task = server.ask("tasks", &order).json();
    let address = format!("/{}/api/tasks/{}", server.token, task["id"]);
    assert_eq!(server.send("DELETE", &address, "", b"").status, 200);
    let ended = server.finish(&task);
    assert!(["stopped", "done"].contains(&ended["status"].as_str().unwrap_or_default()), "{ended}");
    let task = server.ask("tasks", &json!({ "task": "check" })).json();
    let address = format!("/{}/api/tasks/{}", server.token, task["id"]);
    server.send("DELETE", &address, "", b"");
    assert_ne!(server.finish(&task)["status"], "failed");
}

/// A program of `n` threads that count to 2 by themselves: 3^n states.
fn many(n: usize) -> String {
    let threads: Vec<String> = (0..n)
        .map(|i| {
            format!(
                "event up{i}, more{i}\nthread T{i} {{ state a {{ request up{i} on up{i} -> b }} state b {{ request \
                 more{i} on more{i} -> c }} state c {{ }} }}"
            )
        })
        .collect();
    format!("rwb 1\nevent never\n{}", threads.join("\n"))
}

#[test]
fn the_command_refuses_what_it_cannot_explore() {
    let said = |args: &[&str]| {
        let output = run(&[&["explore"], args].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(said(&["-"]).0, Some(64));
    assert_eq!(said(&["examples/no_such_file.rwb"]).0, Some(65));
    assert_eq!(said(&[PHILOSOPHERS, "Cargo.toml"]).0, Some(65));
    let taken = Server::start(&[PHILOSOPHERS]);
    let port = taken.host.rsplit(':').next().expect("a port");
    let (code, text) = said(&[PHILOSOPHERS, "--port", port]);
    assert_eq!(code, Some(65), "{text}");
    assert!(text.contains("cannot serve"), "{text}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_server_and_removes_its_files() {
    let mut server = Server::start(&[PHILOSOPHERS]);
    server.finish(&server.ask("tasks", &json!({ "task": "check" })).json());
    let pid = server.child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &pid]).status().expect("`kill` runs");
    assert!(sent.success());
    let end = Instant::now() + PATIENCE;
    let code = loop {
        if let Some(status) = server.child.try_wait().expect("it is a child") {
            break status.code();
        }
        assert!(Instant::now() < end, "the server does not end");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(code, Some(0));
}

/// The built form of the page fits its sources. Without Node and its packages, this cannot be tested.
#[test]
fn the_built_page_is_up_to_date() {
    let web = root().join("apps/explorer/web");
    if !web.join("node_modules").is_dir() {
        return;
    }
    let output = std::process::Command::new("sh").arg("build.sh").arg("--check").current_dir(&web).output();
    let Ok(output) = output else { return };
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{said}");
}
