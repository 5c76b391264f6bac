//! Tests for places and excerpts.

use super::*;

fn place(text: &str, span: Range<usize>) -> Place {
    Place::new(text.as_bytes(), span)
}

#[test]
fn places_count_lines_and_characters() {
    let p = place("ab\näöü x\n", 10..11);
    assert_eq!((p.line, p.column, p.length), (2, 5, 1));
    assert_eq!(&p.excerpt[p.start..p.start + p.len], "x");
    let end = place("ab\n", 3..3);
    assert_eq!((end.line, end.column, end.length, end.len), (2, 1, 0, 1), "a blank to point at");
    assert_eq!(place("äb\ncd", 0..6).length, 2, "on the first line");
}

#[test]
fn excerpts_are_cut_and_harmless() {
    let text = format!("{}\u{1b}[31m{}", "é".repeat(500), "x".repeat(200_000));
    let p = place(&text, 1000..200_000);
    assert!(p.excerpt.len() < 400, "{}", p.excerpt.len());
    assert!(p.excerpt.starts_with("...é") && p.excerpt.ends_with("..."), "{}", p.excerpt);
    assert!(!p.excerpt.contains('\u{1b}'));
    assert_eq!(printable(&text).chars().filter(|c| *c == 'é').count(), QUOTED);
}

#[test]
fn places_in_anything_do_not_panic() {
    let bytes: Vec<u8> = (0..600u32).map(|i| (i * 37 % 256) as u8).collect();
    for start in 0..620 {
        for len in [0, 1, 5, 400] {
            let place = Place::new(&bytes, start..start + len);
            assert!(place.excerpt.is_char_boundary(place.start));
        }
    }
    let error = Error::at(&codes::INPUT_EMPTY, "x", &bytes, 3..9, "m");
    assert!(error.read_span(&SourceSpan::new(0.into(), 1), 1, 1).is_ok());
}
