//! `impasse info --format json`.

use crate::tool::{code, run, stdout};
use serde_json::Value;

fn described(args: &[&str]) -> Vec<Value> {
    let output = run(&[&["info", "--format", "json"], args].concat());
    assert_eq!(code(&output), 0, "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    stdout(&output).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn each_kind_of_system_has_an_object_on_a_line() {
    let files = ["examples/philosophers.rwb", "examples/lock.spec", "examples/hasty_lock.tts", "examples/ring.aag"];
    let all = described(&files);
    let kinds: Vec<&str> = all.iter().map(|one| one["model"]["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["rwb", "net", "threads", "circuit"]);
    for (one, file) in all.iter().zip(files) {
        assert_eq!(one["file"], file);
        assert!(one["questions"].as_array().is_some_and(|asked| !asked.is_empty()), "{one}");
    }
    assert_eq!(all[0]["questions"][0]["id"], "deadlock");
}

#[test]
fn nets_have_structure_and_counts() {
    let dir = crate::tool::scratch("info_json");
    let net = dir.join("ring.lola").display().to_string();
    let text = "PLACE a, b;\nMARKING a: 2;\nTRANSITION t CONSUME a; PRODUCE b;\nTRANSITION u CONSUME b; PRODUCE a;\n";
    std::fs::write(&net, text).expect("it can be written");
    let all = described(&[&net, "--structure", "--count", "--ask", "EF b = 2"]);
    assert_eq!(all[0]["structure"]["place_semiflows"], serde_json::json!([{"a": "1", "b": "1"}]));
    assert_eq!(all[0]["counts"]["markings"], 3);
    assert_eq!(all[0]["questions"][0]["asked"], "EF");
    assert_eq!(code(&run(&["info", "--format", "json", "--count", "examples/philosophers.rwb"])), 64);
}

/// Final markings that a format cannot express are left out on request only, and silent transitions stay silent.
#[test]
fn conversion_keeps_what_the_file_says() {
    let dir = crate::tool::scratch("convert_said");
    let path = |name: &str| dir.join(name).display().to_string();
    let net = "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/pnmlcoremodel\"><page id=\"g\">\
        <place id=\"p\"><initialMarking><text>1</text></initialMarking></place><place id=\"q\"/>\
        <transition id=\"t\"><toolspecific tool=\"ProM\" version=\"6.4\" activity=\"$invisible$\"/></transition>\
        <transition id=\"u\"><name><text>sign</text></name></transition>\
        <arc id=\"a\" source=\"p\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"q\"/>\
        <arc id=\"c\" source=\"p\" target=\"u\"/><arc id=\"d\" source=\"u\" target=\"q\"/></page>\
        <finalmarkings><marking><place idref=\"q\"><text>1</text></place></marking></finalmarkings></net></pnml>";
    std::fs::write(path("in.pnml"), net).expect("it can be written");
    assert_eq!(code(&run(&["convert", &path("in.pnml"), &path("out.lola")])), 65);
    assert_eq!(code(&run(&["convert", &path("in.pnml"), &path("out.lola"), "--without-finals"])), 0);
    // Without them, the end would be a deadlock.
    for format in ["spec", "lola", "net"] {
        assert_eq!(code(&run(&["convert", &path("in.pnml"), &path(&format!("kept.{format}"))])), 65, "{format}");
    }
    assert_eq!(code(&run(&["convert", &path("in.pnml"), &path("out.pnml")])), 0);
    let written = std::fs::read_to_string(path("out.pnml")).expect("it is written");
    assert_eq!(written.matches("$invisible$").count(), 1, "{written}");
    assert!(written.find("$invisible$") < written.find("sign"), "{written}");
    assert_eq!(code(&run(&["convert", "examples/philosophers.rwb", &path("p.json"), "--without-finals"])), 64);
}
