//! What questions about nets mean where a net is unusual: transitions that its arcs forbid, several initial markings,
//! runs that end, nothing but a name, no token at all. Each test is named after what was wrong once.

use crate::nets::check_spec;
use crate::tool::{code, run, run_with, scratch, stdout};
use std::fs;

/// The arcs of `u` forbid it: it stays in the net, and no place is added for it.
#[test]
fn a_transition_that_its_own_arcs_forbid_is_part_of_the_net() {
    let dir = scratch("forbidden");
    let file = |name: &str, text: &str| {
        fs::write(dir.join(name), text).expect("the directory can be written");
        dir.join(name).display().to_string()
    };
    let verdicts = |file: &str, asked: &[&str]| {
        let asks = asked.iter().flat_map(|asked| ["--ask", asked]);
        let output = run(&["check", file, "-q"].into_iter().chain(asks).collect::<Vec<_>>());
        let verdict = |line: &str| line.rsplit(' ').next().unwrap_or_default().to_owned();
        stdout(&output).lines().map(verdict).collect::<Vec<_>>()
    };
    let net = file("forbidden.net", "pl a (1)\ntr t a -> b\ntr u a a?-1 -> b\n");
    let asked = ["STABLEMARKING", "QUASILIVENESS", "SOUND", "WEAKSOUND", "REVERSIBLE", "EF FIREABLE(u)"];
    let expected = ["UNSAFE", "UNSAFE", "UNSAFE", "SAFE", "UNSAFE", "UNREACHABLE"];
    assert_eq!(verdicts(&net, &asked), expected);
    let info = stdout(&run(&["info", &net]));
    assert!(info.contains("2 places, 2 transitions"), "{info}");
    let copy = dir.join("copy.net").display().to_string();
    assert_eq!(code(&run(&["convert", &net, &copy])), 0);
    assert_eq!(verdicts(&copy, &asked), expected);
    assert!(!fs::read_to_string(&copy).expect("it was written").contains("never"));
}

/// A file of SMPT: its reductions removed all places and transitions. Only a file without `net`, too, is empty.
#[test]
fn a_net_of_nothing_but_its_name_is_a_net() {
    let dir = scratch("nothing");
    let check = |text: &str| {
        fs::write(dir.join("x.net"), text).expect("the directory can be written");
        run(&["check", &dir.join("x.net").display().to_string(), "--property", "deadlock", "-q"])
    };
    let output = check("# reduced\n\nnet {HouseConstruction-PT-00002}\n");
    assert_eq!(code(&output), 11);
    let output = check("# reduced\n");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(code(&output) == 65 && said.contains("input::empty"), "{said}");
}

/// With p = 0 at the start, nothing happens; with p = 1, the token moves to q.
const OPEN: &str = "vars\np q\nrules\np >= 1 -> p' = p - 1, q' = q + 1;\ninit\np in [0,1], q = 0\ntarget\np >= 3\n";

/// One of them is not enough: `E` and `A` are about the same initial markings.
#[test]
fn formulas_are_about_each_initial_marking() {
    let verdict = |ask: &str| {
        let (code, said) = check_spec(OPEN, &["--ask", ask]);
        (code, said.lines().next().and_then(|line| line.rsplit(' ').next()).unwrap_or_default().to_owned())
    };
    for (ask, expected) in [
        ("EG p = 0", (13, "FAILS")),
        ("EG p = 0 AND TRUE", (13, "FAILS")),
        ("E (p = 1 U q = 1)", (13, "FAILS")),
        ("E (p <= 1 U (p = 0 AND q <= 1))", (0, "HOLDS")),
        ("EG q <= 1", (0, "HOLDS")),
        ("NOT A (F q = 1)", (13, "FAILS")),
        ("NOT AF q = 2", (0, "HOLDS")),
        ("EX q = 1", (13, "FAILS")),
        ("E (G F p = 0)", (30, "(unsupported)")),
        ("EF q = 1", (0, "REACHABLE")),
        ("AF p = 0", (0, "SAFE")),
    ] {
        assert_eq!(verdict(ask), (expected.0, expected.1.to_owned()), "{ask}");
    }
    let tasks = "2 3\n0 0 -> 1 1\n1 0 -> 1 2\n1 1 -> 0 0 2~>0 2~>2\n";
    let args = ["check", "-", "--input-format", "tts", "-q", "--ask", "E (s0 = 1 U s1 = 1)"];
    let output = run_with(&args, tasks.as_bytes());
    assert_eq!(code(&output), 13, "{}", stdout(&output));
}

/// A run that ends stays in its last marking; a path in a tree has no next one there.
#[test]
fn a_quantifier_apart_from_x_is_about_runs() {
    let dir = scratch("apart");
    let net = dir.join("d.net").display().to_string();
    fs::write(&net, "pl a (1)\ntr t a*2 -> b\n").expect("it can be written");
    for (ask, expected) in [
        ("A (X a = 1)", 0),
        ("E (X a = 1)", 0),
        ("E (X X a = 1)", 0),
        ("EX a = 1", 13),
        ("NOT A (X a = 0)", 0),
        ("NOT E (X a = 1)", 13),
        ("NOT EX a = 1", 0),
        ("AX a = 0", 0),
    ] {
        let output = run(&["check", &net, "-q", "--ask", ask]);
        assert_eq!(code(&output), expected, "{ask}: {}", stdout(&output));
    }
}

/// Unfolding leaves no place, and the only marking has no numbers.
#[test]
fn a_coloured_net_without_any_token_is_decided() {
    let dir = scratch("bare");
    let file = dir.join("bare.pnml").display().to_string();
    let dot = "<type><structure><dot/></structure></type>";
    let arc = "<hlinscription><structure><dotconstant/></structure></hlinscription>";
    let text = format!(
        r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
        <net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet"><declaration><structure>
        <declarations/></structure></declaration><page id="g"><place id="p">{dot}</place><place id="q">{dot}</place>
        <transition id="t"/><arc id="a" source="p" target="t">{arc}</arc>
        <arc id="b" source="t" target="q">{arc}</arc></page></net></pnml>"#
    );
    fs::write(&file, text).expect("it can be written");
    for engine in ["auto", "walk", "explicit"] {
        let asks = ["STABLEMARKING", "AX p = 0", "EG q = 0", "AF p = 0"];
        let words = asks.iter().flat_map(|ask| ["--ask", ask]);
        let output = run(&["check", &file, "-q", "--engine", engine].into_iter().chain(words).collect::<Vec<_>>());
        let no_error = !String::from_utf8_lossy(&output.stderr).contains("internal error");
        assert!(no_error && [0, 30, 35].contains(&code(&output)), "{engine}: {}", stdout(&output));
        assert!(engine != "auto" || code(&output) == 0, "{}", stdout(&output));
    }
}
