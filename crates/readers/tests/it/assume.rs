//! Tests of assumptions about violating runs: their meaning in text and JSON, and that writing keeps them.

use crate::{read_as, refusal};
use impasse_readers::by_name;
use model::{Assumption, Constant, IntAtom, LocalId, Problem, ThreadId};
use proptest::prelude::*;

const THREADS: &str =
    "event a\nthread T[1] { state s { request a on a -> t } state t { request a on a -> s } state u { } }";
const LENGTH: Constant = Constant::RunLength;

fn read(text: &str) -> Problem {
    let text = format!("rwb 1\n{text}\n{THREADS}");
    read_as("t.rwb", &text).unwrap_or_else(|e| panic!("{e}\n{text}")).problem
}

fn written(format: &str, problem: &Problem) -> String {
    let mut bytes = Vec::new();
    by_name(format).unwrap().write.unwrap()(problem, &mut bytes).unwrap_or_else(|e| panic!("{e}"));
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_form_says_what_it_says() {
    let one = |text: &str| match read(text).assumptions() {
        [one] => one.clone(),
        other => panic!("{other:?}"),
    };
    let int = |atom| Assumption::Int(vec![atom]);
    assert_eq!(one("assume length >= 10"), int(IntAtom::at_least(LENGTH, 10)));
    assert_eq!(one("const n = 5 assume length > 2 * n - 1"), int(IntAtom::at_least(LENGTH, 10)));
    assert_eq!(one("assume length <= 10"), int(IntAtom::at_most(LENGTH, 10)));
    assert_eq!(one("assume length < 10"), int(IntAtom::at_most(LENGTH, 9)));
    assert_eq!(one("assume length == 3"), int(IntAtom::equals(LENGTH, 3)));
    assert_eq!(one("assume length % (2 + 2) == 1"), int(IntAtom::congruent(LENGTH, 1, 4)));
    let either = Assumption::Int(vec![IntAtom::equals(LENGTH, 3), IntAtom::congruent(LENGTH, 0, 7)]);
    assert_eq!(one("assume length == 3 || length % 7 == 0"), either);
    let end = |states: &[usize]| Assumption::Final {
        thread: ThreadId::new(0),
        states: states.iter().copied().map(LocalId::new).collect(),
    };
    assert_eq!(one("for i in 1..2 { assume end T[i] in u | s | u }"), end(&[0, 2]));
    let several = read("assume length > 3 assume end T[1] in s; assume length < 9");
    let several = several.assumptions();
    assert_eq!(several.len(), 3);
    assert!(several[0].holds(4, &[0]) && !several[0].holds(3, &[0]));
}

#[test]
fn other_forms_are_refused() {
    let of = |text: &str| refusal(&format!("{THREADS}\n{text}"));
    for (text, code) in [
        ("assume length != 3", "rwb::assume-form"),
        ("assume length >= 3 && length < 9", "rwb::assume-form"),
        ("assume length + 1 >= 3", "rwb::assume-form"),
        ("assume 2 * length >= 3", "rwb::syntax"),
        ("assume 3 <= length", "rwb::syntax"),
        ("assume length >= length % 2", "rwb::assume-form"),
        ("assume length % 3 >= 1", "rwb::assume-form"),
        ("assume length % 3 == 3", "rwb::assume-number"),
        ("assume length % 0 == 0", "rwb::divisor"),
        ("assume length < 0", "rwb::assume-number"),
        ("assume length == 0 - 1", "rwb::assume-number"),
        ("assume length >= 4611686018427387904", "rwb::assume-number"),
        ("assume length == m", "rwb::undeclared-constant"),
        ("assume end U in s", "rwb::unknown-thread"),
        ("assume end T in s", "rwb::unknown-thread"),
        ("assume end T[1] in v", "rwb::unknown-state"),
        ("assume start T[1] in s", "rwb::syntax"),
        ("assume", "rwb::syntax"),
    ] {
        assert_eq!(of(text), (code, 4), "{text}");
    }
}

#[test]
fn json_says_the_same() {
    let json = |assume: &str| {
        let text = format!(
            "{{\"rwb\":1,\"assume\":{assume},\"events\":[],\
             \"threads\":[{{\"name\":\"T\",\"states\":[{{\"name\":\"s\"}}]}}]}}"
        );
        read_as("t.json", &text).map(|read| read.problem.assumptions().to_vec()).map_err(|e| e.code())
    };
    let atoms = vec![IntAtom::at_least(LENGTH, 2), IntAtom::congruent(LENGTH, 1, 4)];
    assert_eq!(json("[{\"length\":[{\">=\":2},{\"==\":1,\"%\":4}]}]"), Ok(vec![Assumption::Int(atoms)]));
    for (text, code) in [
        ("{}", "json::wrong-type"),
        ("[{}]", "json::missing-key"),
        ("[{\"length\":[]}]", "json::wrong-type"),
        ("[{\"length\":[{}]}]", "rwb::assume-form"),
        ("[{\"length\":[{\">=\":1,\"<=\":2}]}]", "rwb::assume-form"),
        ("[{\"length\":[{\">=\":-1}]}]", "rwb::assume-number"),
        ("[{\"length\":[{\">=\":1e3}]}]", "rwb::assume-number"),
        ("[{\"length\":[{\"%\":4,\"==\":4}]}]", "rwb::assume-number"),
        ("[{\"length\":[{\">\":4}]}]", "json::unknown-key"),
        ("[{\"end\":\"T\"}]", "json::missing-key"),
        ("[{\"end\":\"T\",\"in\":[]}]", "json::wrong-type"),
        ("[{\"end\":\"U\",\"in\":[\"s\"]}]", "rwb::unknown-thread"),
        ("[{\"end\":\"T\",\"in\":[\"t\"]}]", "rwb::unknown-state"),
        ("[{\"end\":\"T\",\"in\":[\"s\"],\"length\":[{\">=\":1}]}]", "rwb::assume-form"),
    ] {
        assert_eq!(json(text), Err(code), "{text}");
    }
}

#[test]
fn what_no_item_says_is_not_written() {
    let named = IntAtom::at_least(Constant::Named("x".into()), 2);
    let wide = IntAtom::at_least(LENGTH, u64::MAX);
    let end = |states| Assumption::Final { thread: ThreadId::new(0), states };
    for unsaid in [Assumption::Int(vec![named]), Assumption::Int(vec![wide]), Assumption::Int(vec![]), end(vec![])] {
        let problem = read("").assuming(vec![unsaid]).expect("it fits");
        for format in ["rwb", "json"] {
            let mut bytes = Vec::new();
            let error = by_name(format).unwrap().write.unwrap()(&problem, &mut bytes).unwrap_err();
            assert!(error.to_string().contains("assumption"), "{error}");
        }
    }
}

#[test]
fn drawings_leave_assumptions_out_and_say_so() {
    let left_out = |text: &str| by_name("dot").unwrap().leaves_out(&read(text), "t.rwb").map(|w| w.code());
    assert_eq!(left_out("assume length > 3"), Some("format::no-properties"));
    assert_eq!(left_out(""), None);
    assert!(by_name("json").unwrap().leaves_out(&read("assume length > 3"), "t.rwb").is_none());
}

#[test]
fn evidence_is_about_the_system() {
    assert_eq!(evidence::hash(&read("")), evidence::hash(&read("assume length > 3")));
}

fn assumption() -> impl Strategy<Value = Assumption> {
    let atom = (0..4, 1u64..1000, 0u64..1000).prop_map(|(form, m, n)| match form {
        0 => IntAtom::at_least(LENGTH, n),
        1 => IntAtom::at_most(LENGTH, n),
        2 => IntAtom::equals(LENGTH, n),
        _ => IntAtom::congruent(LENGTH, n % m, m),
    });
    let end = |states: std::collections::BTreeSet<usize>| Assumption::Final {
        thread: ThreadId::new(0),
        states: states.into_iter().map(LocalId::new).collect(),
    };
    prop_oneof![
        prop::collection::vec(atom, 1..4).prop_map(Assumption::Int),
        prop::collection::btree_set(0usize..3, 1..=3).prop_map(end),
    ]
}

proptest! {
    #![proptest_config(crate::generate::config(300))]

    #[test]
    fn writing_keeps_assumptions(assumptions in prop::collection::vec(assumption(), 0..4)) {
        let problem = read("").assuming(assumptions).expect("it fits");
        for format in ["rwb", "json"] {
            let text = written(format, &problem);
            let back = read_as(&format!("t.{format}"), &text).unwrap_or_else(|e| panic!("{e}\n{text}")).problem;
            prop_assert_eq!(back.assumptions(), problem.assumptions(), "{}", text);
            prop_assert_eq!(back.system().as_program().expect("a program"), problem.system().as_program().expect("a \
                program"));
        }
    }
}
