//! Tests of BTOR2 files with mistakes: the code and the place of each error.

use crate::btor2::refusal;

#[test]
fn errors_have_codes_and_places() {
    let head = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 1 2\n4 state 1\n5 state 2\n6 state 3\n7 input 2\n";
    let cases = [
        ("x", "btor2::syntax", 1),
        ("0 sort bitvec 1", "btor2::syntax", 1),
        ("8", "btor2::syntax", 2),
        ("8 sort", "btor2::syntax", 7),
        ("8 sort bits 3", "btor2::syntax", 8),
        ("8 sort bitvec 0", "btor2::sort", 15),
        ("8 sort bitvec x", "btor2::syntax", 15),
        ("8 sort bitvec 4294967296", "btor2::syntax", 15),
        ("8 sort bitvec 4294967295", "limit::ports", 15),
        ("8 sort array 3 1", "btor2::sort", 8),
        ("8 sort array 4 1", "btor2::undefined", 14),
        ("7 state 1", "btor2::defined-twice", 1),
        ("99999999999999999999 state 1", "btor2::syntax", 1),
        ("8 state 9", "btor2::undefined", 9),
        ("8 state 1 a b", "btor2::syntax", 13),
        ("8 nott 1 4", "btor2::operator", 3),
        ("8 var 1", "btor2::operator", 3),
        ("8 not 1 9", "btor2::undefined", 9),
        ("8 not 1 1", "btor2::undefined", 9),
        ("8 not 1 -0", "btor2::syntax", 9),
        ("8 not 1 5", "btor2::sort", 3),
        ("8 not 3 6", "btor2::sort", 1),
        ("8 not 3 -6", "btor2::sort", 9),
        ("8 add 2 5 4", "btor2::sort", 1),
        ("8 add 2 5", "btor2::syntax", 10),
        ("8 slice 1 5 4 4", "btor2::sort", 1),
        ("8 slice 1 5 1 2", "btor2::sort", 1),
        ("8 uext 2 5 4294967295", "btor2::sort", 1),
        ("8 iff 1 5 5", "btor2::sort", 1),
        ("8 read 2 6 5", "btor2::sort", 1),
        ("8 write 3 6 4 4", "btor2::sort", 1),
        ("8 ite 3 4 6 5", "btor2::sort", 1),
        ("8 const 2 101", "btor2::constant", 11),
        ("8 constd 2 16", "btor2::constant", 12),
        ("8 consth 2 -1", "btor2::constant", 12),
        ("8 zero 3", "btor2::sort", 1),
        ("8 bad 5", "btor2::sort", 7),
        ("8 justice 2 4", "btor2::syntax", 14),
        ("8 justice x 4", "btor2::syntax", 11),
        ("8 init 2 7 5", "btor2::state", 10),
        ("8 next 2 -5 5", "btor2::state", 10),
        ("8 next 2 5 4", "btor2::sort", 12),
        ("8 next 1 5 4", "btor2::sort", 10),
        ("8 next 3 6 5", "btor2::sort", 12),
        ("8 next 2 5 5\n9 next 2 5 5", "btor2::defined-twice", 1),
        ("8 init 2 5 7", "btor2::state", 12),
        ("8 init 2 5 5", "btor2::state", 12),
        ("8 not 2 7\n9 state 2\n10 init 2 9 8", "btor2::state", 13),
    ];
    for (line, code, column) in cases {
        let lines = 7 + line.lines().count();
        assert_eq!(refusal(&format!("{head}{line}")), (code, Some((lines, column))), "{line}");
    }
    assert_eq!(refusal("").0, "input::empty");
    assert_eq!(refusal("; nothing\n").0, "input::empty");
    let long = format!("{head}8 state 1 {}", "x".repeat(2000));
    assert_eq!(refusal(&long).0, "limit::name");
    let digits = format!("{head}8 constd 2 {}", "9".repeat(20_000));
    assert_eq!(refusal(&digits).0, "limit::digits");
}
