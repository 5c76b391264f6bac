//! Tests of LRAT proofs: both forms have the same meaning, and anything that is not a step is refused at its
//! place.

use impasse_readers::{Error, LratReader, Source};
use model::cnf::LratStep;
use proptest::prelude::*;

/// A step that owns its data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ProofLine {
    Add(u64, Vec<i32>, Vec<u64>),
    Delete(Vec<u64>),
}

pub(crate) const TEXT: &str = "c a proof\n5 -1 2 0 1 2 0\n  c axiom 6 9 1 0\n5 d 1 2 0\n7 0 5 300 0\n";
/// The same proof in binary form.
pub(crate) const BINARY: &[u8] = b"a\x0a\x03\x04\x00\x02\x04\x00d\x02\x04\x00a\x0e\x00\x0a\xd8\x04\x00";

pub(crate) fn read(bytes: &[u8]) -> Result<Vec<ProofLine>, Box<Error>> {
    let source = Source { name: "t.lrat".to_owned(), bytes: bytes.to_vec() };
    let mut reader = LratReader::new(&source);
    let mut steps = Vec::new();
    while let Some(step) = reader.next_step()? {
        steps.push(match step {
            LratStep::Add { id, clause, hints } => ProofLine::Add(id, clause.to_vec(), hints.to_vec()),
            LratStep::Delete(ids) => ProofLine::Delete(ids.to_vec()),
        });
    }
    Ok(steps)
}

fn refused(bytes: &[u8]) -> (&'static str, Option<(usize, usize)>, String) {
    let error = read(bytes).expect_err("it should be refused");
    (error.code(), error.line_column(), error.headed().to_string())
}

#[test]
fn both_forms_are_read() {
    let steps = vec![
        ProofLine::Add(5, vec![-1, 2], vec![1, 2]),
        ProofLine::Delete(vec![1, 2]),
        ProofLine::Add(7, vec![], vec![5, 300]),
    ];
    assert_eq!(read(TEXT.as_bytes()).as_ref(), Ok(&steps));
    assert_eq!(read(BINARY).as_ref(), Ok(&steps));
    assert_eq!(read(b""), Ok(vec![]));
    assert_eq!(read(b" \nc nothing"), Ok(vec![]));
    assert_eq!(read(b"1 0 0 2 d 0"), Ok(vec![ProofLine::Add(1, vec![], vec![]), ProofLine::Delete(vec![])]));
    let large = "9223372036854775807 2147483647 -2147483647 0 9223372036854775807 0";
    let max = u64::MAX >> 1;
    assert_eq!(read(large.as_bytes()), Ok(vec![ProofLine::Add(max, vec![i32::MAX, -i32::MAX], vec![max])]));
}

#[test]
fn what_is_no_step_is_refused_at_its_place() {
    let at = |text: &str| {
        let (code, place, _) = refused(text.as_bytes());
        (code, place.expect("text has places"))
    };
    assert_eq!(at("3 1 0 1 2 0\n4 x 0 0"), ("lrat::syntax", (2, 3)));
    assert_eq!(at("0 1 0 1 0"), ("lrat::syntax", (1, 1)));
    assert_eq!(at("-3 1 0 1 0"), ("lrat::syntax", (1, 1)));
    assert_eq!(at("x"), ("lrat::syntax", (1, 1)));
    assert_eq!(at("3 1- 0 1 0"), ("lrat::syntax", (1, 3)));
    assert_eq!(at("3 - 0 1 0"), ("lrat::syntax", (1, 3)));
    assert_eq!(at("3 -0 1 0"), ("lrat::syntax", (1, 3)));
    assert_eq!(at("3 +1 0 1 0"), ("lrat::syntax", (1, 3)));
    assert_eq!(at("3 2147483648 0 1 0"), ("lrat::syntax", (1, 3)));
    assert_eq!(at("3 -2147483648 0 1 0"), ("lrat::syntax", (1, 3)));
    assert_eq!(at("9223372036854775808 1 0 1 0"), ("lrat::syntax", (1, 1)));
    assert_eq!(at("3 1 0 1 99999999999999999999999999 0"), ("lrat::syntax", (1, 9)));
    assert_eq!(at("3 1 0 1 d 0"), ("lrat::syntax", (1, 9)));
    assert_eq!(at("3 1 c 0"), ("lrat::syntax", (1, 5)));
    assert_eq!(at("3 d 1 d 0"), ("lrat::syntax", (1, 7)));
    assert_eq!(at("3 1 0 -1 2 0"), ("lrat::rat", (1, 7)));
    assert_eq!(at("3 d -1 0"), ("lrat::rat", (1, 5)));
    assert_eq!(at("3 1 0 1\n\n2 \n"), ("lrat::unfinished", (3, 1)));
    for cut in ["3", "3 ", "3 1", "3 1 0", "3 d", "3 d 1"] {
        assert_eq!(at(cut).0, "lrat::unfinished", "{cut}");
    }
}

#[test]
fn what_is_no_binary_step_is_refused_at_its_byte() {
    let at = |bytes: &[u8]| {
        let (code, _, message) = refused(bytes);
        let rest = message.split_once("byte ").expect("the byte is named").1;
        (code, rest.split_once(' ').expect("and more").0.parse::<usize>().expect("a number"))
    };
    assert_eq!(at(b"a\x00"), ("lrat::syntax", 1));
    assert_eq!(at(b"a\x03\x00\x00"), ("lrat::rat", 1));
    assert_eq!(at(b"a\x01\x00\x00"), ("lrat::syntax", 1));
    assert_eq!(at(b"a\x02\x01\x00\x00"), ("lrat::syntax", 2));
    assert_eq!(at(b"a\x02\x80\x80\x80\x80\x10\x00\x00"), ("lrat::syntax", 2));
    assert_eq!(at(b"a\x02\x02\x00\x05\x00"), ("lrat::rat", 4));
    assert_eq!(at(b"d\x02\x00b"), ("lrat::syntax", 3));
    assert_eq!(at(b"d\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00"), ("lrat::syntax", 1));
    assert_eq!(at(b"d\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00"), ("lrat::syntax", 1));
    assert_eq!(
        read(b"d\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"),
        Ok(vec![ProofLine::Delete(vec![u64::MAX >> 1])])
    );
    for length in (1..BINARY.len()).filter(|length| ![8, 12].contains(length)) {
        assert_eq!(at(&BINARY[..length]), ("lrat::unfinished", length));
    }
}

fn text(steps: &[ProofLine]) -> Vec<u8> {
    let mut out = String::new();
    for step in steps {
        let ids = |ids: &[u64]| ids.iter().map(|id| format!("{id} ")).collect::<String>();
        match step {
            ProofLine::Add(id, clause, hints) => {
                let literals: String = clause.iter().map(|l| format!("{l} ")).collect();
                out.push_str(&format!("{id} {literals}0 {}0\n", ids(hints)));
            }
            ProofLine::Delete(dropped) => out.push_str(&format!("1 d {}0\n", ids(dropped))),
        }
    }
    out.into_bytes()
}

fn binary(steps: &[ProofLine]) -> Vec<u8> {
    let mut out = Vec::new();
    let number = |out: &mut Vec<u8>, n: i64| {
        let mut code = n.unsigned_abs() * 2 + u64::from(n < 0);
        while code >= 128 {
            out.push((code % 128) as u8 + 128);
            code /= 128;
        }
        out.push(code as u8);
    };
    for step in steps {
        let ids = match step {
            ProofLine::Add(id, clause, hints) => {
                out.push(b'a');
                number(&mut out, *id as i64);
                clause.iter().chain(&[0]).for_each(|&l| number(&mut out, l.into()));
                hints
            }
            ProofLine::Delete(ids) => {
                out.push(b'd');
                ids
            }
        };
        ids.iter().chain(&[0]).for_each(|&id| number(&mut out, id as i64));
    }
    out
}

fn step() -> impl Strategy<Value = ProofLine> {
    let id = || prop_oneof![1u64..300, 1u64..1 << 62];
    let literal = prop_oneof![1i32..100, -100i32..0, 1..=i32::MAX, -i32::MAX..0];
    let add = (id(), prop::collection::vec(literal, 0..6), prop::collection::vec(id(), 0..8));
    prop_oneof![
        3 => add.prop_map(|(id, clause, hints)| ProofLine::Add(id, clause, hints)),
        1 => prop::collection::vec(id(), 0..5).prop_map(ProofLine::Delete),
    ]
}

proptest! {
    #![proptest_config(crate::generate::config(300))]

    #[test]
    fn what_was_written_is_read(steps in prop::collection::vec(step(), 0..20)) {
        prop_assert_eq!(read(&text(&steps)), Ok(steps.clone()));
        prop_assert_eq!(read(&binary(&steps)), Ok(steps));
    }

    #[test]
    fn any_bytes_end_in_steps_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..60), first in "[ad1 ]") {
        let bytes: Vec<u8> = first.bytes().chain(bytes).collect();
        let _ = read(&bytes);
    }
}
