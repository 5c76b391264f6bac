//! Tests of hostile circuits: each is read exactly or refused with a code, within a second and 256 MB, and never
//! causes a panic.

use crate::{ALLOCATOR, ALONE, MEMORY, SECONDS, cpu_seconds};
use impasse_readers::{Error, Limits, Source, codes, read};
use std::fmt::Write;

/// A test case: its name, a function that generates it, and the code of the error or of the warnings.
type Case = (&'static str, fn() -> Vec<u8>, &'static str);

/// Returns a chain of gates in text form, in the given order. The operand of each gate is the previous gate.
fn chain(gates: impl Iterator<Item = u32>, count: u32) -> Vec<u8> {
    let mut text = format!("aag {} 1 0 0 {count} 1\n2\n{}\n", count + 1, 2 * count + 2);
    for gate in gates {
        writeln!(text, "{} {} 3", 2 * gate, 2 * gate - 2).unwrap();
    }
    text.into_bytes()
}

const CHAIN: u32 = 1_500_000;
const LARGEST: usize = (1 << 22) - 1;

const CASES: &[Case] = &[
    ("promises_variables.aag", || b"aag 4294967295 1 1 1 1\n".to_vec(), "limit::nodes"),
    ("promises_gates.aag", || b"aag 4194304 0 0 0 4194304\n".to_vec(), "aiger::unfinished"),
    ("promises_latches.aag", || b"aag 4194304 0 1048576 0 0\n".to_vec(), "aiger::unfinished"),
    ("promises_outputs.aag", || b"aag 0 0 0 1048577 0\n".to_vec(), "limit::ports"),
    ("promises_justice.aag", || b"aag 0 0 0 0 0 0 0 2\n4294967295\n4294967295\n".to_vec(), "limit::ports"),
    ("one_long_number.aag", || format!("aag {} 0 0 0 0\n", "9".repeat(1 << 25)).into_bytes(), "limit::nodes"),
    ("one_long_line.aag", || vec![b'a'; 1 << 25], "aiger::header"),
    ("many_numbers.aag", || format!("aag 1 1 0 0 0\n{}\n", "2 ".repeat(1 << 24)).into_bytes(), "aiger::syntax"),
    ("carriage_returns.aag", || format!("aag 1 1 0 0 0\n{}", "\r".repeat(1 << 24)).into_bytes(), "aiger::syntax"),
    ("chain_forwards.aag", || chain(2..=CHAIN + 1, CHAIN), ""),
    ("chain_backwards.aag", || chain((2..=CHAIN + 1).rev(), CHAIN), ""),
    (
        "chain_with_ring.aag",
        || {
            let mut bytes = chain((3..=CHAIN + 1).rev(), CHAIN);
            bytes.extend_from_slice(format!("4 {} 3\n", 2 * CHAIN).as_bytes());
            bytes
        },
        "aiger::cycle",
    ),
    (
        "many_gates.aig",
        || {
            let mut bytes = format!("aig {LARGEST} 1 0 0 {} 1\n2\n", LARGEST - 1).into_bytes();
            bytes.extend(std::iter::repeat_n([1, 0], LARGEST - 1).flatten());
            bytes
        },
        "",
    ),
    ("endless_delta.aig", || [b"aig 1 0 0 0 1\n".as_slice(), &[0xFF; 1 << 24]].concat(), "aiger::delta"),
    (
        "many_latches.aig",
        || {
            let latches = 1_000_000;
            let mut text = format!("aig {latches} 0 {latches} 0 0 1\n");
            (0..latches).for_each(|i| writeln!(text, "{} {}", 2 * i, 2 * i + 2).unwrap());
            text.push_str("2\n");
            (0..latches).for_each(|i| writeln!(text, "l{i} latch[{i}]").unwrap());
            text.into_bytes()
        },
        "",
    ),
    (
        "many_bad_states.aag",
        || {
            let bad = 1_000_000;
            let mut text = format!("aag 1 1 0 0 0 {bad}\n2\n{}", "2\n".repeat(bad));
            (0..bad).for_each(|i| writeln!(text, "b{i} same").unwrap());
            text.into_bytes()
        },
        "",
    ),
    ("many_names.aag", || format!("aag 1 1 0 0 0\n2\n{}", "i0 x\n".repeat(5_000_000)).into_bytes(), "aiger::symbol"),
    ("long_name.aag", || format!("aag 1 1 0 0 0\n2\ni0 {}\n", "x".repeat(1 << 25)).into_bytes(), "limit::name"),
    ("long_comment.aag", || format!("aag 1 1 0 1 0\n2\n2\nc\n{}", "\u{0}\n".repeat(1 << 24)).into_bytes(), ""),
    ("wide_words.btor2", || b"1 sort bitvec 4294967295\n2 input 1\n".to_vec(), "limit::ports"),
    (
        "huge_memory.btor2",
        || words("2 sort bitvec 60\n3 sort array 2 2\n4 state 3\n5 eq 1 4 4\n6 bad 5\n"),
        "btor2::memory",
    ),
    (
        "large_memory.btor2",
        || words("2 sort bitvec 17\n3 sort array 2 2\n4 state 3\n5 eq 1 4 4\n6 bad 5\n"),
        "btor2::memory",
    ),
    (
        "reads_of_many_writes.btor2",
        || {
            let mut text = "2 sort bitvec 40\n3 sort array 2 1\n4 state 3\n5 state 2\n6 state 1\n".to_owned();
            (7..60_000).for_each(|i| writeln!(text, "{i} write 3 {} 5 6", if i == 7 { 4 } else { i - 1 }).unwrap());
            (60_000..119_000).for_each(|i| {
                writeln!(
                    text,
                    "{i} read 1 {} 5\n{} bad {i}",
                    i - 60_000 + if i == 60_000 { 59_999 } else { 7 },
                    i + 60_000
                )
                .unwrap();
            });
            words(&text)
        },
        "limit::nodes",
    ),
    (
        "wide_addresses.btor2",
        || words("2 sort bitvec 65536\n3 sort array 2 2\n4 state 3\n5 input 2\n6 read 2 4 5\n7 redor 1 6\n8 bad 7\n"),
        "",
    ),
    (
        "full_memory.btor2",
        || words("2 sort bitvec 16\n3 sort array 2 1\n4 state 3\n5 input 2\n6 read 1 4 5\n7 bad 6\n"),
        "",
    ),
    ("large_product.btor2", || products(1, 4096), "limit::nodes"),
    (
        "product_of_constants.btor2",
        || words("2 sort bitvec 65536\n3 ones 2\n4 mul 2 3 3\n5 redor 1 4\n6 bad 5\n"),
        "limit::nodes",
    ),
    ("many_products.btor2", || products(2000, 32), "limit::nodes"),
    (
        "large_quotient.btor2",
        || words("2 sort bitvec 60000\n3 input 2\n4 udiv 2 3 3\n5 redor 1 4\n6 bad 5\n"),
        "limit::nodes",
    ),
    (
        "large_rotation.btor2",
        || words("2 sort bitvec 60001\n3 input 2\n4 rol 2 3 3\n5 redor 1 4\n6 bad 5\n"),
        "limit::nodes",
    ),
    (
        "many_copies.btor2",
        || {
            let mut text = String::from("1 sort bitvec 1\n2 sort bitvec 65536\n3 input 2\n");
            (4..500_000).for_each(|i| writeln!(text, "{i} not 2 {}", i - 1).unwrap());
            text.push_str("500000 redor 1 499999\n500001 bad 500000\n");
            text.into_bytes()
        },
        "limit::nodes",
    ),
    ("many_lines.btor2", || lines(3_000_000, "zero 1"), "limit::nodes"),
    ("many_states.btor2", || lines(1_000_000, "state 1"), "btor2::no-property"),
    (
        "many_conditions.btor2",
        || words(&format!("2 state 1\n3 justice 4294967295{}\n", " 2".repeat(1 << 24))),
        "btor2::syntax",
    ),
    ("long_constant.btor2", || words(&format!("2 constd 1 {}\n", "9".repeat(1 << 25))), "limit::digits"),
    ("long_symbol.btor2", || words(&format!("2 state 1 {}\n", "x".repeat(1 << 25))), "limit::name"),
    (
        "long_names.btor2",
        || {
            let name = "x".repeat(1000);
            words(&format!("2 sort bitvec 65536\n3 input 2 {name}\n4 input 2 {name}\n5 eq 1 3 4\n6 bad 5\n"))
        },
        "limit::nodes",
    ),
    ("one_long_line.btor2", || vec![b'1'; 1 << 25], "btor2::syntax"),
    ("blanks.btor2", || vec![b' '; 1 << 25], "input::empty"),
    ("comments.btor2", || b";\n".repeat(1 << 24), "input::empty"),
    (
        "nested.btor2",
        || {
            let mut text = String::from("1 sort bitvec 1\n2 input 1\n3 input 1\n");
            (4..1_000_000).for_each(|i| writeln!(text, "{i} and 1 {} -{}", i - 1, i - 2).unwrap());
            text.push_str("1000000 bad 999999\n");
            text.into_bytes()
        },
        "",
    ),
];

/// Returns lines after a sort of one bit.
fn words(lines: &str) -> Vec<u8> {
    format!("1 sort bitvec 1\n{lines}").into_bytes()
}

/// Returns a sort of one bit, and many lines that are equal but for their numbers.
fn lines(count: usize, line: &str) -> Vec<u8> {
    let mut text = String::from("1 sort bitvec 1\n");
    (2..count).for_each(|i| writeln!(text, "{i} {line}").unwrap());
    text.into_bytes()
}

/// Returns a chain of products of this width.
fn products(count: usize, width: usize) -> Vec<u8> {
    let mut text = format!("1 sort bitvec 1\n2 sort bitvec {width}\n3 input 2\n4 input 2\n");
    (5..5 + count).for_each(|i| writeln!(text, "{i} mul 2 {} {}", i - 1, i - 2).unwrap());
    writeln!(text, "{} redor 1 {}\n{} bad {}", count + 5, count + 4, count + 6, count + 5).unwrap();
    text.into_bytes()
}

#[test]
fn hostile_circuits_are_read_or_refused() {
    let _alone = ALONE.lock();
    let mut wrong = Vec::new();
    for (name, make, expected) in CASES {
        let source = Source { name: (*name).to_owned(), bytes: make() };
        ALLOCATOR.set_limit(ALLOCATOR.allocated() + MEMORY).unwrap();
        let before = cpu_seconds();
        let outcome = match read(source, None, &Limits::default()) {
            Ok(read) => read.warnings.iter().map(Error::code).collect::<Vec<_>>().join(" "),
            Err(error) => error.code().to_owned(),
        };
        let seconds = cpu_seconds() - before;
        ALLOCATOR.set_limit(usize::MAX).unwrap();
        if seconds > SECONDS || outcome != *expected {
            wrong.push(format!("{name}: {outcome:?}, expected {expected:?}; {seconds:.2} s"));
        }
        assert!(outcome.split(' ').all(|code| code.is_empty() || codes::find(code).is_some()), "{name}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
