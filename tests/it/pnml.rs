//! From files of PNML tools to readable runs: a discovered net, a net of TAPAAL, and evidence about both.

use crate::tool::{code, root, run, scratch, stdout, transcript};
use std::fs;

/// Copies a file in the dialect of a tool, so that evidence can be written beside it.
fn dialect(dir: &std::path::Path, name: &str) -> String {
    let from = root().join("crates/readers/tests/dialects").join(name);
    let to = dir.join(name);
    fs::copy(from, &to).expect("the file is there");
    to.display().to_string()
}

#[test]
fn a_discovered_net_is_answered_in_its_names() {
    let dir = scratch("pnml_discovered");
    let net = dialect(&dir, "pm4py_discovered.pnml");
    let evidence = dir.join("evidence").display().to_string();
    let output = run(&["check", &net, "--property", "final", "--evidence", &evidence]);
    let said = stdout(&output);
    assert_eq!(code(&output), 0, "{}", transcript(&output));
    assert!(said.contains("final: REACHABLE") && said.contains("register"), "{said}");
    // Two transitions have the same name, and the id of the first one is no readable name.
    assert!(!said.contains("4f0c-a1"), "{said}");
    assert!(said.contains("skip_1") || said.contains("check (4f0c-a2)") || said.contains("check (4f0c-a3)"), "{said}");
    let trace = format!("{evidence}/pm4py_discovered.final.evidence.json");
    assert!(fs::read_to_string(&trace).expect("it is written").contains("\"register\""));
    let replayed = run(&["replay", &net, &trace]);
    assert_eq!(code(&replayed), 0, "{}", transcript(&replayed));
    // The same evidence with ids is accepted, because both names and ids are understood.
    let text = fs::read_to_string(&trace).expect("it is there").replace("\"register\"", "\"4f0c-a1\"");
    fs::write(&trace, text).expect("it can be written");
    assert_eq!(code(&run(&["replay", &net, &trace])), 0);
    // Evidence is refused for a net with other names.
    let text = fs::read_to_string(&net).expect("it is there").replace("<text>register</text>", "<text>enter</text>");
    fs::write(&net, text).expect("it can be written");
    let refused = run(&["replay", &net, &trace]);
    assert_ne!(code(&refused), 0, "{}", transcript(&refused));
    let info = run(&["info", &net]);
    assert!(stdout(&info).contains("--property final"), "{}", transcript(&info));
}

/// The target needs two firings. A stricter inhibitor arc makes the target unreachable.
#[test]
fn a_net_of_tapaal_is_answered() {
    let dir = scratch("pnml_tapaal");
    let net = dialect(&dir, "tapaal_untimed.tapn");
    let output = run(&["check", &net]);
    let said = stdout(&output);
    assert_eq!(code(&output), 10, "{}", transcript(&output));
    assert!(said.contains("two_made: REACHABLE after 2 events") && said.contains("make x 2"), "{said}");
    let text = fs::read_to_string(&net).expect("it is there");
    let strict = text.replace("type=\"tapnInhibitor\" weight=\"2\"", "type=\"tapnInhibitor\" weight=\"1\"");
    assert_ne!(strict, text);
    fs::write(&net, strict).expect("it can be written");
    let output = run(&["check", &net]);
    assert_eq!(code(&output), 0, "{}", transcript(&output));
    assert!(stdout(&output).contains("two_made: UNREACHABLE"), "{}", transcript(&output));
}

/// TAPAAL exports inhibitor arcs in PNML as attributes. They must be read, because without them the safe net is
/// unsafe.
#[test]
fn an_inhibitor_arc_in_an_attribute_is_one() {
    let dir = scratch("pnml_attributes");
    let net = dir.join("net.pnml").display().to_string();
    let text = "<pnml><net id='n' type='ptnet'><page id='g'>
        <place id='p'><initialMarking><text>1</text></initialMarking></place><place id='q'/><transition id='t'/>
        <arc id='a' source='p' target='t' type='inhibitor'/><arc id='b' source='t' target='q'/></page></net></pnml>";
    fs::write(&net, text).expect("it can be written");
    let goals = dir.join("goals.xml").display().to_string();
    let asked = "<property-set><property><id>q</id><formula><exists-path><finally><integer-le>
        <integer-constant>1</integer-constant><tokens-count><place>q</place></tokens-count>
        </integer-le></finally></exists-path></formula></property></property-set>";
    fs::write(&goals, asked).expect("it can be written");
    let output = run(&["check", &net, "--properties", &goals]);
    assert_eq!(code(&output), 0, "{}", transcript(&output));
    // A transition that can never fire leads to a deadlock, and is no error.
    fs::write(&net, text.replace("</page>", "<arc id='c' source='p' target='t'/></page>")).expect("it can be written");
    for (ask, expected) in [(vec!["--properties", goals.as_str()], 0), (vec!["--property", "deadlock"], 11)] {
        let output = run(&[vec!["check", net.as_str()], ask].concat());
        assert_eq!(code(&output), expected, "{}", transcript(&output));
        assert!(transcript(&output).contains("pnml::never-enabled"), "{}", transcript(&output));
    }
}

const TWO_PLACES: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="p">
<place id="a"><initialMarking><text>1</text></initialMarking></place><place id="b"/><place id="c"/>
<transition id="t"/><arc id="x" source="a" target="t"/><arc id="y" source="t" target="b"/>
</page><finalmarkings><marking><place idref="b"><text>TOKENS</text></place></marking></finalmarkings></net></pnml>"#;

/// A final marking is expected to be reachable. Reaching it is no violation, as for a true `EF`. The output
/// names each place once.
#[test]
fn a_final_marking_is_reachable_and_not_unsafe() {
    let dir = scratch("pnml_final");
    let net = dir.join("n.pnml").display().to_string();
    fs::write(&net, TWO_PLACES.replace("TOKENS", "1")).expect("it can be written");
    let output = run(&["check", &net, "--property", "final"]);
    let said = stdout(&output);
    assert_eq!(code(&output), 0, "{}", transcript(&output));
    assert!(said.starts_with(&format!("{net}: final: REACHABLE after 1 event")), "{said}");
    assert!(said.ends_with("After 1 event, b is 1, a, c are 0.\n"), "{said}");
    fs::write(&net, TWO_PLACES.replace("TOKENS", "2")).expect("it can be written");
    let output = run(&["check", &net, "--property", "final"]);
    assert!(code(&output) == 12 && stdout(&output).contains("final: UNREACHABLE"), "{}", transcript(&output));
}
