//! Pictures of models and runs: small ones as snapshots, and what must hold for all: SVG and pages are XML, names
//! change no structure, large models are cut, and the picture says so.

use crate::cli::{golden, settings};
use crate::tool::{code, run, scratch, stdout};
use insta::assert_snapshot;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn draw(model: &str, more: &[&str]) -> String {
    let args = [&["draw", model, "--out", "-"], more].concat();
    let output = run(&args);
    assert_eq!(code(&output), 0, "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    stdout(&output)
}

/// Checks that a text is well-formed XML, loads nothing and has no script. Returns its texts.
fn texts(xml: &str) -> Vec<String> {
    for loads in ["<script", "<image", "<link", "href=", "src=", "url(", "@import", "<iframe", "onload"] {
        assert!(!xml.contains(loads), "{loads}");
    }
    let mut reader = Reader::from_str(xml);
    let (mut found, mut depth, mut text) = (Vec::new(), 0, String::new());
    loop {
        match reader.read_event().expect("it is well-formed") {
            Event::Eof => break,
            Event::Start(_) => depth += 1,
            Event::End(_) => {
                depth -= 1;
                found.push(std::mem::take(&mut text));
            }
            Event::Text(part) => text.push_str(&part),
            Event::GeneralRef(name) => text.push_str(&format!("&{};", name.as_ref())),
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    found
}

fn write(name: &str, file: &str, text: &str) -> PathBuf {
    let path = scratch(name).join(file);
    fs::write(&path, text).expect("the scratch directory can be written");
    path
}

fn text_of(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn small_pictures() {
    for (name, model, more) in [
        ("draw_threads", "examples/task.rwb", &[][..]),
        ("draw_net", "examples/lock.spec", &[]),
        ("draw_local", "examples/hasty_lock.tts", &[]),
        ("draw_threads_as_net", "examples/hasty_lock.tts", &["--what", "net"]),
        ("draw_circuit", "examples/careless_ring.aag", &[]),
        ("draw_states", "examples/lock.spec", &["--what", "states", "--nodes", "6", "--init", "idle=2"]),
        ("draw_run", "examples/philosophers.rwb", &["--what", "run"]),
        ("draw_now", "examples/philosophers.rwb", &["--what", "threads", "--step", "2", "--nodes", "12"]),
    ] {
        for format in ["svg", "dot", "mermaid"] {
            let picture = draw(model, &[more, &["--format", format]].concat());
            if format == "svg" {
                texts(&picture);
            }
            settings().bind(|| assert_snapshot!(format!("{name}_{format}"), picture));
        }
    }
}

#[test]
fn other_kinds() {
    let calls = draw("examples/coffee.c", &["--format", "mermaid", "--nodes", "8"]);
    settings().bind(|| assert_snapshot!("draw_calls", calls));
    let data = "rwb 2\nevent make, use\nthread Producer { body { loop { request make } } }\n\
        thread Consumer { body { loop { request use } } }\nthread Stock {\n  var n: int = 0\n  body { loop { select \
        block use when n == 0 { on make { n = n + 1 } on use { n = n - 1 } } } }\n}\n";
    let path = write("draw_data", "data.rwb", data);
    let output = run(&["draw", &text_of(&path), "--out", "-", "--format", "mermaid"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    settings().bind(|| assert_snapshot!("draw_data", format!("{}{told}", stdout(&output))));
}

#[test]
fn a_page_has_the_picture_the_source_and_the_verdict() {
    let page = draw("examples/philosophers.rwb", &["--what", "run", "--format", "html"]);
    let found = texts(&page);
    assert!(found.iter().any(|text| text.contains("deadlock UNSAFE (trace of 3 events)")), "{page}");
    for part in ["<h2>Source</h2>", "<h2>The run</h2>", "Sequence diagram", "pick[2][0]", "thread Phil"] {
        assert!(page.contains(part), "{part}");
    }
    let page = draw("examples/task.rwb", &["--format", "html"]);
    texts(&page);
    assert!(page.contains("Not checked. The model asks: "), "{page}");
}

#[test]
fn check_writes_pages_beside_the_evidence() {
    let dir = scratch("draw_pages");
    let place = text_of(&dir);
    let args = ["check", "examples/philosophers.rwb", "examples/lock.spec", "--evidence", &place, "--trace", "html"];
    run(&args);
    let mut pages = 0;
    for entry in fs::read_dir(&dir).expect("it is a directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "html") {
            let page = fs::read_to_string(&path).expect("a page");
            texts(&page);
            assert!(page.contains("UNSAFE") && page.contains("<h2>The end of the run</h2>"), "{page}");
            pages += 1;
        }
    }
    assert_eq!(pages, 1, "the run of the philosophers");
    assert!(dir.join("philosophers.deadlock.html").exists());
    let output = run(&["check", "examples/task.rwb", "--trace", "html"]);
    assert_eq!(code(&output), 64, "there is no directory");
}

/// Two places and a transition with names that try to leave their texts.
fn hostile() -> String {
    let name = "&lt;/text&gt;&lt;script&gt;&amp;amp; &quot;]; x -&gt; y &apos;--&gt; %% #10; \\n\nend";
    let place = |id: &str, tokens: u32, x: u32| {
        format!(
            "<place id='{id}'><name><text>{name}{id}</text></name><graphics><position x='{x}' y='10'/></graphics>\
             <initialMarking><text>{tokens}</text></initialMarking></place>"
        )
    };
    format!(
        "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'><net id='n' \
         type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>{}{}<transition id='t'>\
         <name><text>{name}</text></name><graphics><position x='60' y='80'/></graphics></transition>\
         <arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/></page></net></pnml>",
        place("p", 1, 10),
        place("q", 1234567, 110)
    )
}

#[test]
fn names_change_no_structure() {
    let path = text_of(&write("draw_hostile", "hostile.pnml", &hostile()));
    for what in [&[][..], &["--what", "states", "--nodes", "3"], &["--what", "run", "--ask", "EF deadlock"]] {
        let more = |format| [what, &["--format", format]].concat();
        let output = run(&[&["draw", path.as_str(), "--out", "-"], &more("svg")[..]].concat());
        if what.contains(&"run") && code(&output) != 0 {
            continue; // Whether there is a run is another question.
        }
        texts(&draw(&path, &more("svg")));
        texts(&draw(&path, &more("html")));
        let dot = draw(&path, &more("dot"));
        assert_eq!(dot.replace("\\\\", "").replace("\\\"", "").matches('"').count() % 2, 0, "{dot}");
        let mermaid = draw(&path, &more("mermaid"));
        assert!(!mermaid.contains("<script") && !mermaid.contains("%%") && !mermaid.contains("\\n"), "{mermaid}");
    }
}

#[test]
fn large_models_are_cut_and_the_picture_says_so() {
    let places: Vec<String> = (0..10_000).map(|i| format!("p{i}")).collect();
    let rules: Vec<String> =
        (0..9_999).map(|i| format!("p{i} >= 1 ->\n  p{i}' = p{i} - 1,\n  p{}' = p{} + 1;\n", i + 1, i + 1)).collect();
    let net = format!(
        "vars\n  {}\nrules\n{}\ninit\n  p0 = 1{}\ntarget\n  p9999 >= 1\n",
        places.join(" "),
        rules.join("\n"),
        places[1..].iter().map(|p| format!(", {p} = 0")).collect::<String>()
    );
    let path = text_of(&write("draw_large", "large.spec", &net));
    let start = Instant::now();
    for format in ["svg", "dot", "mermaid", "html"] {
        let picture = draw(&path, &["--format", format]).replace("#58;", ":");
        for note in ["Left out: 9,940 places.", "Left out: 9,939 transitions."] {
            assert!(picture.contains(note), "{format}: {picture}");
        }
        assert!(picture.len() < 600_000, "{format}: {}", picture.len());
    }
    let states = draw(&path, &["--what", "states", "--nodes", "10", "--format", "mermaid"]);
    assert!(states.contains("Left out#58; 1 step to further states."), "{states}");
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

#[test]
fn models_without_anything_are_drawn() {
    let pnml = "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'><net id='n' \
                type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'/></net></pnml>";
    let net = text_of(&write("draw_empty_net", "empty.pnml", pnml));
    let circuit = text_of(&write("draw_empty_circuit", "empty.aag", "aag 0 0 0 0 0\n"));
    for path in [net, circuit] {
        for format in ["svg", "dot", "mermaid", "html"] {
            for what in [&[][..], &["--what", "states"]] {
                let picture = draw(&path, &[what, &["--format", format]].concat());
                if format == "svg" || format == "html" {
                    texts(&picture);
                }
            }
        }
    }
}

#[test]
fn impossible_pictures_are_errors() {
    let mut all = String::new();
    for args in [
        &["examples/task.rwb", "--out", "x.svg", "--what", "net"][..],
        &["examples/lock.spec", "--out", "x.svg", "--what", "threads"],
        &["examples/careless_ring.aag", "--out", "x.svg", "--what", "threads"],
        &["examples/coffee.c", "--out", "x.svg", "--what", "net"],
        &["examples/task.rwb", "--out", "x.png"],
        &["examples/task.rwb", "--out", "-"],
        &["examples/task.rwb", "--out", "examples/task.rwb", "--format", "svg"],
        &["examples/philosophers.rwb", "--out", "x.svg", "--step", "1", "--what", "run"],
        &["examples/philosophers.rwb", "--out", "x.svg", "--step", "99", "--what", "threads"],
        &["examples/philosophers.rwb", "--out", "x.svg", "--what", "run", "--property", "bad"],
        &["examples/philosophers.rwb", "--out", "no/such/place.svg"],
    ] {
        let output = run(&[&["draw"], args].concat());
        all.push_str(&format!("{args:?}\nexit {}\n{}\n", code(&output), String::from_utf8_lossy(&output.stderr)));
    }
    settings().bind(|| assert_snapshot!("draw_refusals", all));
    golden("draw_usage", &["draw", "examples/task.rwb"]);
}
