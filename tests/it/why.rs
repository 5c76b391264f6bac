//! Sentences of reasons that once said something untrue, each named after it.

use crate::tool::{run, scratch, stdout};
use std::fs;

/// Checks that the report about a model has the first text and not the second.
fn says(name: &str, text: &str, ask: Option<&str>, (has, has_not): (&str, &str)) {
    let file = scratch(&format!("why_{name}")).join(name);
    fs::write(&file, text).expect("written");
    let file = file.display().to_string();
    let asked = ask.map(|ask| ["--ask", ask]);
    let args: Vec<&str> = ["check", &file].into_iter().chain(asked.into_iter().flatten()).collect();
    let report = stdout(&run(&args));
    assert!(report.contains(has), "{name}: no `{has}` in {report}");
    assert!(!report.contains(has_not), "{name}: `{has_not}` in {report}");
}

#[test]
fn a_self_loop_is_enabled() {
    let net = "pl p (1)\npl q\ntr t p -> p\ntr u q -> q\n";
    says("loop.net", net, Some("LIVENESS"), ("What can fire there changes nothing", "No transition is enabled"));
}

#[test]
fn a_range_of_tokens_that_is_never_there_is_not_too_many() {
    let net = "pl p (1)\npl r\ntr a p p?-2 -> p*5\ntr b p*5 -> p\ntr c p?2 p?-4 -> r\n";
    says("range.net", net, Some("AG EF r >= 1"), ("that is never there", "fewer tokens"));
}

#[test]
fn a_formula_without_tokens_names_no_place() {
    let net = "pl p (1)\npl q\ntr t p -> q\ntr u q -> p\n";
    says("none.net", net, Some("AG EF (p = 0 AND q = 0)"), ("Too many tokens are always left", "Whenever  has"));
}

#[test]
fn the_initial_marking_is_not_the_end_of_a_workflow() {
    says("start.net", "pl p (1)\ntr t -> q\n", Some("REVERSIBLE"), ("any more", "option to complete"));
}

#[test]
fn an_event_that_a_thread_blocks_itself_does_not_move_it() {
    let text =
        "rwb 1\nevent c\nthread A { body { request c } }\nthread B { state s { block c on c -> t } state t { } }\n";
    says("own.rwb", text, None, ("B blocks for ever", "in a circle"));
    let text = "rwb 1\nevent c, d\nthread A { body { request c } }\nthread B { state s { block c on d -> s } }\n";
    says("still.rwb", text, None, ("B blocks for ever", "until d"));
}

#[test]
fn another_outcome_of_the_same_event_is_named_as_such() {
    let states = "state s { request a on a -> d | l } state d { } state l { request a on a -> l }";
    let text = format!("rwb 1\nevent a\nthread A {{ {states} }}\n");
    says("outcome.rwb", &text, None, ("another outcome of it avoids", "a instead of it"));
}

/// Of what a run has changed, only what the error needs is named, with its time.
#[test]
fn a_call_and_a_frame_need_some_values_only() {
    let program = fs::read_to_string("examples/coffee.c").expect("an example");
    says("coffee.c", &program, None, ("because cups is 3 (since call 7); all else", "because credit"));
    let circuit = "aag 5 2 2 0 1 1\n2\n4\n6 2\n8 4\n10\n10 6 2\nl0 held\nl1 other\ni0 go\nb0 both\n";
    let has = "because held is true (since frame 1) and go is true (an input), also with";
    says("held.aag", circuit, None, (has, "other is"));
}

/// A proof about a program with ends and priorities is about one with another thread, which has no name for people.
#[test]
fn a_thread_that_a_proof_adds_is_not_named() {
    let text = "rwb 2\nevent a, b\nthread T { body { request a  request b priority 2  final } }\n";
    says("ends_priority.rwb", text, None, ("deadlock: SAFE", "(ends)"));
    let file = scratch("why_ends").join("ends.rwb");
    fs::write(&file, text).expect("written");
    let report =
        stdout(&run(&["check", &file.display().to_string(), "--engine", "equation", "--property", "deadlock"]));
    assert!(report.contains("SAFE (equation"), "{report}");
}

#[test]
fn transitions_that_need_the_same_are_all_named() {
    let net = "pl i (1)\npl o\ntr a i -> p\ntr b i -> q\ntr c p -> o\ntr d q -> o\ntr x p q -> o\ntr y p q -> o\n";
    says("alike.net", net, Some("SOUND"), ("x`, `y` are dead transitions", "is a dead transition"));
}

#[test]
fn what_is_left_out_of_a_list_is_said() {
    let net = "pl i (1)\ntr s i -> p0 p1 p2 p3 p4\ntr t p0 p1 p2 p3 p4 p5 -> o\ntr u p5 -> o\ntr v o -> p5\n";
    says("many.net", net, Some("AG EF o >= 1"), ("", "needs p0 and p1 and p2 and p3 together"));
}
