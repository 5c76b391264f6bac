//! Tests of the four kinds of files, byte by byte.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::{Both, Drat, Form, Lrat};
use crate::lit::Lit;
use crate::proof::{ClauseId, Proof};
use crate::theory::Tag;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const FORMULA: Tag = Tag(0);

fn ids(numbers: &[u64]) -> Vec<ClauseId> {
    numbers.iter().map(|&n| ClauseId(n)).collect()
}

fn log(proof: &mut dyn Proof) {
    let [a, b] = [Lit::from_dimacs(1), Lit::from_dimacs(-63)];
    proof.axiom(ClauseId(1), FORMULA, &[a, b]);
    proof.axiom(ClauseId(2), FORMULA, &[!a, b]);
    proof.derived(ClauseId(3), &[b], &ids(&[1, 2]));
    proof.delete(ClauseId(1));
    proof.delete(ClauseId(2));
    proof.derived(ClauseId(300), &[], &ids(&[3, 64]));
    proof.delete(ClauseId(3));
}

#[test]
fn drat_has_derived_clauses_and_deletions_but_no_axioms() {
    let out = Shared::default();
    let (mut writer, status) = Drat::new(out.clone(), Form::Text);
    log(&mut writer);
    assert_eq!(out.text(), "-63 0\nd 1 -63 0\nd -1 -63 0\n0\nd -63 0\n");
    assert!(status.check().is_ok() && !writer.wants_hints());
}

#[test]
fn binary_drat_is_that_of_drat_trim() {
    let out = Shared::default();
    log(&mut Drat::new(out.clone(), Form::Binary).0);
    assert_eq!(out.bytes(), b"a\x7f\x00d\x02\x7f\x00d\x03\x7f\x00a\x00d\x7f\x00");
    let out = Shared::default();
    Drat::new(out.clone(), Form::Binary).0.derived(ClauseId(1), &[64, -8193, i32::MAX].map(Lit::from_dimacs), &[]);
    assert_eq!(out.bytes(), b"a\x80\x01\x83\x80\x01\xfe\xff\xff\xff\x0f\x00");
}

#[test]
fn lrat_names_clauses_by_number() {
    let out = Shared::default();
    let (mut writer, status) = Lrat::new(out.clone(), Form::Text, 2);
    log(&mut writer);
    assert!(writer.wants_hints());
    drop(writer);
    assert_eq!(out.text(), "3 -63 0 1 2 0\n3 d 1 2 0\n300 0 3 64 0\n300 d 3 0\n");
    assert!(status.check().is_ok());
}

#[test]
fn binary_lrat_doubles_its_numbers() {
    let out = Shared::default();
    log(&mut Lrat::new(out.clone(), Form::Binary, 2).0);
    assert_eq!(out.bytes(), b"a\x06\x7f\x00\x02\x04\x00d\x02\x04\x00a\xd8\x04\x00\x06\x80\x01\x00d\x06\x00");
}

/// In the log, a derived clause may have a smaller number than the last clause of the formula. In the file, the
/// clauses of the formula have the first numbers.
#[test]
fn lrat_counts_the_formula_first() {
    let out = Shared::default();
    let (mut writer, _status) = Lrat::new(out.clone(), Form::Text, 3);
    let [a, b] = [1, 2].map(Lit::from_dimacs);
    writer.axiom(ClauseId(1), FORMULA, &[a]);
    writer.axiom(ClauseId(2), FORMULA, &[!a, b]);
    writer.derived(ClauseId(3), &[b], &ids(&[1, 2]));
    writer.delete(ClauseId(2));
    writer.axiom(ClauseId(4), FORMULA, &[!b]);
    writer.derived(ClauseId(5), &[b, a], &ids(&[3]));
    writer.axiom(ClauseId(6), Tag(1), &[b]);
    writer.derived(ClauseId(7), &[], &ids(&[3, 4, 5, 6]));
    drop(writer);
    assert_eq!(out.text(), "4 2 0 1 2 0\n4 d 2 0\n5 2 1 0 4 0\nc axiom 6 1 2 0\n7 0 4 3 5 6 0\n");
}

/// A text file contains the clauses of a theory. A binary file cannot, and the writer reports an error.
#[test]
fn clauses_of_theories_are_named_with_their_tag() {
    for form in [Form::Text, Form::Binary] {
        let out = Shared::default();
        let (mut writer, status) = Lrat::new(out.clone(), form, 1);
        let a = Lit::from_dimacs(1);
        writer.axiom(ClauseId(1), FORMULA, &[a]);
        writer.delete(ClauseId(1));
        writer.axiom(ClauseId(2), Tag(7), &[!a, a]);
        writer.derived(ClauseId(3), &[], &ids(&[1, 2]));
        drop(writer);
        match form {
            Form::Text => {
                assert_eq!(out.text(), "1 d 1 0\nc axiom 2 7 -1 1 0\n3 0 1 2 0\n");
                assert!(status.check().is_ok());
            }
            Form::Binary => {
                assert_eq!(out.bytes(), b"d\x02\x00");
                assert_eq!(status.check().unwrap_err().kind(), io::ErrorKind::Unsupported);
            }
        }
    }
}

#[test]
fn two_can_listen() {
    let (drat, lrat) = (Shared::default(), Shared::default());
    let first = Box::new(Drat::new(drat.clone(), Form::Text).0);
    let mut both = Both(first, Box::new(Lrat::new(lrat.clone(), Form::Text, 2).0));
    log(&mut both);
    assert!(both.wants_hints());
    drop(both);
    assert_eq!(drat.text().lines().count(), 5);
    assert_eq!(lrat.text().lines().count(), 4);
}

#[test]
fn a_full_disk_is_told() {
    let (mut writer, status) = Drat::new(Full, Form::Text);
    log(&mut writer);
    assert_eq!(status.check().unwrap_err().kind(), io::ErrorKind::StorageFull);
    let (mut writer, status) = Lrat::new(Full, Form::Binary, 2);
    log(&mut writer);
    assert!(status.check().is_err());
}
