//! Tests of `.tts` and `.prop` files: their meaning, and what is refused.

use crate::read_as;
use crate::spec::written;
use impasse_readers::{Error, Limits, Read, Source, apply_init, companions, read_goals};
use model::{
    Act, Formula, FormulaBuilder, LocalId, PlaceId, Problem, SharedId, SystemModel, ThreadInit, ThreadTransition,
    ThreadTransitionSystem,
};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn threads(problem: &Problem) -> &ThreadTransitionSystem {
    let SystemModel::Threads(threads) = problem.system() else { panic!("no thread-transition system") };
    threads
}

fn ok(text: &str) -> Read {
    read_as("t.tts", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()))
}

fn refusal(text: &str) -> (&'static str, usize) {
    let error = read_as("t.tts", text).expect_err(text);
    (error.code(), error.line_column().expect(text).0)
}

fn goals(name: &str, text: &str, problem: &mut Problem) -> Result<Vec<Error>, Box<Error>> {
    let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    read_goals(source, None, problem, &Limits::default())
}

fn transition(from: (u32, u32), act: Act, to: (u32, u32), passive: &[(u32, &[u32])]) -> ThreadTransition {
    let locals = |list: &[u32]| list.iter().map(|l| LocalId(*l)).collect::<Vec<_>>();
    ThreadTransition {
        from: (SharedId(from.0), LocalId(from.1)),
        to: (SharedId(to.0), LocalId(to.1)),
        act,
        passive: passive.iter().map(|(l, to)| (LocalId(*l), locals(to))).collect(),
    }
}

#[test]
fn lines_are_transitions() {
    let text = "# sizes\n 2 4 # here\n\n0 0 -> 0 1\r\n0 1 +> 1 0\n1 2 ~> 0 3\n0 3 -> 1 3 2 ~> 1 2 ~> 0 1 ~> 1 2 ~> 0\n\
                0 0 -> 0 1\n0 2 +> 0 2\n1 1->0 0";
    let read = ok(text);
    let expected = [
        transition((0, 0), Act::Move, (0, 1), &[]),
        transition((0, 1), Act::Spawn, (1, 0), &[]),
        transition((1, 2), Act::Transfer, (0, 3), &[]),
        transition((0, 3), Act::Move, (1, 3), &[(1, &[1]), (2, &[0, 1])]),
        transition((0, 0), Act::Move, (0, 1), &[]),
        transition((0, 2), Act::Spawn, (0, 2), &[]),
        transition((1, 1), Act::Move, (0, 0), &[]),
    ];
    let system = threads(&read.problem);
    assert_eq!(system.transitions(), expected);
    assert_eq!((system.shared(), system.locals()), (2, 4));
    let any = ThreadInit { shared: SharedId(0), threads: BTreeMap::new(), any: vec![LocalId(0)] };
    assert_eq!(*system.initial(), any);
    assert!(read.problem.properties().is_empty());
    assert_eq!(read.warnings.iter().map(Error::code).collect::<Vec<_>>(), ["tts::transfer"]);
    assert!(ok("1 2\n0 0 ~> 0 1\n").warnings.is_empty(), "without threads it would change nothing");
    assert_eq!(threads(&ok("2 # shared\n4\n").problem), threads(&ok("2 4\n").problem));
}

#[test]
fn lines_that_change_nothing_are_dropped_with_care() {
    let read = ok("1 2\n0 0 -> 0 0\n0 0 -> 0 1\n0 1 ~> 0 1\n");
    assert_eq!(threads(&read.problem).transitions().len(), 1);
    let warnings: Vec<_> = read.warnings.iter().map(|w| (w.code(), w.line_column().unwrap().0)).collect();
    assert_eq!(warnings, [("tts::self-loop", 2)], "one for all of them");
    assert_eq!(refusal("1 2\n0 0 -> 0 0 1 ~> 0\n"), ("tts::idle-broadcast", 2));
}

#[test]
fn targets_stand_first_or_beside() {
    let cover = |marking: &[(u32, u32)]| {
        Formula::cover(&marking.iter().map(|(p, n)| (PlaceId(*p), BigUint::from(*n))).collect::<Vec<_>>())
    };
    for text in
        ["1|1,0,1\n2 2\n0 0 -> 0 1\n", "2 2\n1|1,0,1\n0 0 -> 0 1\n", "# x\n\n1B1,0,1\n2 2\n", "2 2\n1 | 1 , 0,1"]
    {
        let problem = ok(text).problem;
        assert_eq!(*problem.formulas()[0], cover(&[(1, 1), (2, 1), (3, 2)]), "{text}");
        assert_eq!(problem.properties()[0].id, "target");
    }
    let mut problem = ok("1|1\n2 2\n0 0 -> 0 1\n").problem;
    for text in ["1|1,1", "# why\n1B1,1\n\n", "1|1,1 # or so"] {
        goals("t.prop", text, &mut problem).unwrap();
        assert_eq!((problem.formulas().len(), problem.properties().len()), (1, 1), "it replaces the one in the file");
        assert_eq!(*problem.formulas()[0], cover(&[(1, 1), (3, 2)]));
    }
    goals("t.prop", "0|", &mut problem).unwrap();
    assert_eq!(*problem.formulas()[0], cover(&[(0, 1)]));
    let cases = [
        ("0|0\n0|1", "tts::repeated-target"),
        ("0|0,", "tts::syntax"),
        ("0 0", "tts::syntax"),
        ("0", "tts::syntax"),
        ("x", "tts::unexpected-character"),
        ("-1|0", "tts::unexpected-character"),
        ("", "input::empty"),
    ];
    for (text, code) in cases {
        assert_eq!(goals("t.prop", text, &mut problem).unwrap_err().code(), code, "{text}");
        assert_eq!(problem.formulas().len(), 1, "unchanged");
    }
    assert_eq!(goals("t.goal", "0|0", &mut problem).unwrap_err().code(), "input::unknown-format");
    assert_eq!(goals("t.txt", "(iA U oZ)", &mut problem).unwrap_err().code(), "goals::wrong-system");
    let mut net = read_as("t.spec", "vars x rules init x = 0 target x >= 1").unwrap().problem;
    assert_eq!(goals("t.prop", "0|0", &mut net).unwrap_err().code(), "goals::wrong-system");
}

/// BFC accepts such targets: no thread is ever in such a state, so no marking covers them.
#[test]
fn targets_may_name_states_that_do_not_exist() {
    let mut builder = FormulaBuilder::default();
    let nothing = builder.any(Vec::new());
    let never = builder.finish(nothing);
    let cases = [("2|0", (1, 1)), ("0|2", (1, 3)), ("# x\n1|0,2,1,9", (2, 5)), ("0|99999999999999999999999", (1, 3))];
    for (target, place) in cases {
        let mut problem = ok("2 2\n0 0 -> 1 1\n").problem;
        let warnings = goals("t.prop", target, &mut problem).unwrap();
        let within = [format!("{target}\n2 2\n0 0 -> 1 1\n"), format!("2 2\n{target}\n0 0 -> 1 1\n")].map(|t| ok(&t));
        assert_eq!(warnings[0].line_column(), Some(place), "{target}");
        assert_eq!(within[0].warnings[0].line_column(), Some(place), "{target}");
        for warnings in [&warnings, &within[0].warnings, &within[1].warnings] {
            assert_eq!(warnings.iter().map(Error::code).collect::<Vec<_>>(), ["tts::unknown-target-state"], "{target}");
        }
        for problem in [&problem, &within[0].problem, &within[1].problem] {
            assert_eq!((problem.properties().len(), problem.formulas()[0].as_ref()), (1, &never), "{target}");
        }
    }
}

#[test]
fn errors_have_codes_and_lines() {
    let cases = [
        ("", "input::empty", 1),
        ("# nothing\n", "input::empty", 2),
        ("2\n", "tts::syntax", 2),
        ("2 2 2\n", "tts::syntax", 1),
        ("0 2\n", "tts::no-states", 1),
        ("1 2\n0 0 -> 0 2\n", "tts::no-such-state", 2),
        ("1 2\n1 0 -> 0 0\n", "tts::no-such-state", 2),
        ("1 2\n0 0 -> 0 99999999999999999999\n", "tts::no-such-state", 2),
        ("1 2\n0 0 -> 0 1 0 ~> 2\n", "tts::no-such-state", 2),
        ("1 2\n0 0 -> 0 1 0 -> 1\n", "tts::syntax", 2),
        ("1 2\n0 0 -> 0 1 0\n", "tts::syntax", 2),
        ("1 2\n0 0 -> 0\n", "tts::syntax", 2),
        ("1 2\n0 0 -> 0 1 |\n", "tts::syntax", 2),
        ("1 2\n0 0 +> 0 1 1 ~> 0\n", "tts::passive-moves", 2),
        ("1 2\n0 0 ~> 0 1 1 ~> 0\n", "tts::passive-moves", 2),
        ("1 2\n0|1\n0|1\n", "tts::repeated-target", 3),
        ("1 2\n0 0 -> 0 1\n0|1\n", "tts::repeated-target", 3),
        ("1 2\n0 0 -> 0 0\n0|1\n", "tts::repeated-target", 3),
        ("0|1\n", "tts::syntax", 2),
        ("1 2\n0 0 -> 0 -1\n", "tts::unexpected-character", 2),
        ("1000000 1000000\n", "limit::places", 1),
        ("99999999999999999999 1\n", "limit::places", 1),
    ];
    for (text, code, line) in cases {
        assert_eq!(refusal(text), (code, line), "{text}");
    }
}

/// 2^19 is the default limit on states. With more memory the limit is higher, and the error says so.
#[test]
fn as_many_states_as_memory_allows() {
    use miette::Diagnostic;
    let read = |memory| {
        let source = Source { name: "many.tts".to_owned(), bytes: b"524289 1\n0 0 -> 524288 0\n".to_vec() };
        impasse_readers::read(source, None, &Limits::within(memory))
    };
    let refused = read(64 << 20).expect_err("one more than is allowed");
    assert_eq!(refused.code(), "limit::places");
    let help = refused.help().expect("there is a way out").to_string();
    assert!(help.contains("--memory"), "{help}");
    assert!(read(128 << 20).is_ok());
}

#[test]
fn initial_states_in_bfc_notation() {
    let base = ok("2 3\n0 0 -> 0 1\n").problem;
    let after = |spec: &str| {
        let mut problem = base.clone();
        apply_init(&mut problem, spec).map(|_| threads(&problem).initial().clone()).map_err(|e| e.code())
    };
    let init = |shared, threads: &[(u32, u32)], any: &[u32]| {
        let threads = threads.iter().map(|(l, n)| (LocalId(*l), BigUint::from(*n))).collect();
        Ok(ThreadInit { shared: SharedId(shared), threads, any: any.iter().map(|l| LocalId(*l)).collect() })
    };
    assert_eq!(after("0|0"), init(0, &[(0, 1)], &[]));
    assert_eq!(after("0/0"), init(0, &[], &[0]));
    assert_eq!(after("1|0,1/2"), init(1, &[(0, 1), (1, 1)], &[2]));
    assert_eq!(after("1B2,0,2U1,0"), init(1, &[(0, 1), (2, 2)], &[0, 1]));
    assert_eq!(after("1|/1,1"), init(1, &[], &[1]));
    assert_eq!(after("1|"), init(1, &[], &[]));
    for spec in ["", "0", "0,0", "0/0|0", "0|0 0", "0|0,", "x=7"] {
        assert_eq!(after(spec), Err("init::syntax"), "{spec}");
    }
    assert_eq!(after("2|0"), Err("tts::no-such-state"));
    assert_eq!(after("0/3"), Err("tts::no-such-state"));
    let error = apply_init(&mut base.clone(), "x=2").unwrap_err();
    let help = miette::Diagnostic::help(error.as_ref()).unwrap().to_string();
    assert!(["0|0", "0/0", "1|0,1/2"].iter().all(|example| help.contains(example)), "{help}");
}

#[test]
fn what_the_text_cannot_say_is_a_feature() {
    let base = ok("1|1,1\n2 3\n0 0 -> 0 1\n").problem;
    assert!(written("tts", &base).unwrap().starts_with("1|1,1\n2 3\n"));
    let because = |problem: &Problem| written("tts", problem).unwrap_err();
    let mut one = base.clone();
    apply_init(&mut one, "0|0").unwrap();
    assert!(because(&one).contains("initial states other than `0/0`"));
    let deadlock = base.clone().only(|_| false).never_stuck().expect("thread-transition systems have deadlocks");
    assert!(because(&deadlock).contains("deadlock"));
    let goal = |marking: &[(u32, u32)]| {
        let marking: Vec<_> = marking.iter().map(|(p, n)| (PlaceId(*p), BigUint::from(*n))).collect();
        let formula = Formula::cover(&marking).into();
        because(&base.clone().changed(|asked| asked.formulas = vec![formula]).expect("it has these places"))
    };
    assert!(goal(&[(2, 1)]).contains("any shared state"));
    assert!(goal(&[(0, 1), (1, 1), (2, 1)]).contains("two shared states"));
    assert!(goal(&[(0, 2)]).contains("two shared states"));
    assert!(goal(&[(0, 1), (2, 200_000)]).contains("100000 threads"));
    let t = transition((0, 0), Act::Move, (0, 0), &[(1, &[2])]);
    let system = ThreadTransitionSystem::new(2, 3, threads(&base).initial().clone(), vec![t]).unwrap();
    let idle = because(&base.clone().on(std::sync::Arc::new(system)).expect("the places are the same"));
    assert!(idle.contains("a broadcast that changes neither"));
    assert!(written("spec", &base).unwrap_err().contains("a thread-transition system"));
}

#[test]
fn goals_are_looked_for_beside_the_model() {
    let companions = |model: &str| companions(Path::new(model));
    let names = companions("dir/a.spec.tts.xz");
    let goals = ["tts.prop", "prop", "tts.formula", "formula"];
    let expected =
        goals.map(|end| ["", ".xz", ".gz"].map(|packed| std::path::PathBuf::from(format!("dir/a.spec.{end}{packed}"))));
    assert_eq!(names, expected.concat());
    assert_eq!(companions("a.tts")[0], Path::new("a.tts.prop"));
    assert_eq!(companions("a.lola")[3], Path::new("a.formula"));
    assert_eq!(companions("a.spec")[3], Path::new("a.formula"));
    assert!(companions("a.rwb").is_empty());
}

#[test]
fn the_page_of_the_format_tells_the_truth() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tts.md");
    let page = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let systems: Vec<&&str> =
        blocks.iter().filter(|b| b.trim_start().starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(systems.len(), 1);
    assert_eq!(ok(systems[0]).problem.properties().len(), 1);
}
