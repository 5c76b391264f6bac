//! Tests of the theory of arrays: its answers against enumeration, and against the theory of Z3.

use super::*;
use crate::{Side, SideAnswer};
use model::Prop;
use proptest::prelude::*;
use std::time::Duration;

fn named(name: &str) -> IntTerm {
    IntTerm::Constant(Constant::Named(name.into()))
}

/// Decides the atoms as the search does: a rule that the values break is a case distinction.
fn decide(side: &mut Side) -> Outcome {
    let rules = match side.check(Duration::from_secs(5)) {
        SideAnswer::Conflict(_) => return Outcome::Contradiction,
        SideAnswer::Model(values) => return Outcome::Values(values),
        SideAnswer::GaveUp => {
            assert!(crate::door::find().is_err(), "small numbers are easy for Z3");
            return Outcome::NeedsZ3;
        }
        SideAnswer::Arrays(rules) => rules,
    };
    for literal in rules[0].clause() {
        let Prop::Int(atom) = literal.prop else { unreachable!("rules about reads are arithmetic") };
        side.push();
        side.assert(0, &atom);
        let found = decide(side);
        side.pop(1);
        if !matches!(found, Outcome::Contradiction) {
            return found;
        }
    }
    Outcome::Contradiction
}

#[derive(Debug)]
enum Outcome {
    Contradiction,
    Values(Values),
    NeedsZ3,
}

fn answer(atoms: &[IntAtom]) -> Outcome {
    let mut side = Side::new();
    atoms.iter().for_each(|atom| side.assert(0, atom));
    decide(&mut side)
}

/// The values of the other constants and, for each index at which an array that is not written is read, of its cell.
fn structure(values: &Values) -> Values {
    let plain = |constant: &Constant| match constant {
        Constant::Cell(array, index) => match **array {
            ArrayTerm::Store(..) => None,
            _ => Some(cell(array, &IntTerm::Number(index.eval(values)?))),
        },
        constant => Some(constant.clone()),
    };
    values.iter().filter_map(|(constant, value)| Some((plain(constant)?, value.clone()))).collect()
}

fn arrays(names: &'static [&'static str]) -> impl Strategy<Value = ArrayTerm> {
    let leaf = prop::sample::select(names).prop_map(|name| ArrayTerm::Named(name.into()));
    leaf.prop_recursive(3, 3, 1, |inner| {
        (inner, indexes(), -1..=1_i32).prop_map(|(array, at, value)| array.store(at, IntTerm::number(value)))
    })
}

fn indexes() -> impl Strategy<Value = IntTerm> {
    prop_oneof![
        (0..=1_i32).prop_map(IntTerm::number),
        prop::sample::select(&["x", "y"][..]).prop_map(named),
        Just(IntTerm::Sum(vec![named("x"), IntTerm::number(1)])),
    ]
}

fn atoms(names: &'static [&'static str]) -> impl Strategy<Value = IntAtom> {
    let read = move || (arrays(names), indexes()).prop_map(|(array, index)| array.cell(index));
    let twice = (arrays(names), read()).prop_map(|(array, index)| array.cell(index));
    let term = prop_oneof![4 => read(), 1 => twice, 2 => indexes()];
    let constant = (-1..=1_i32).prop_map(IntTerm::number);
    let side = prop_oneof![2 => constant, 1 => indexes(), 1 => read()];
    (any::<bool>(), any::<bool>(), term, side).prop_map(|(equal, swapped, a, b)| match (equal, swapped) {
        (true, _) => IntAtom::Eq(a, b),
        (false, true) => IntAtom::Le(b, a),
        (false, false) => IntAtom::Le(IntTerm::Sum(vec![a, IntTerm::number(1)]), b),
    })
}

/// All values of `x` and `y` in `-1..=1`, and all arrays `a` with such values at the indexes `-1..=2`.
fn grid() -> impl Iterator<Item = Values> {
    let digit = |number: u32, place: u32| BigInt::from(i64::from(number / 3_u32.pow(place) % 3) - 1);
    (0..3_u32.pow(6)).map(move |number| {
        let a = ArrayTerm::Named("a".into());
        let cells = (0..4_u32).map(|at| (cell(&a, &IntTerm::number(i64::from(at) - 1)), digit(number, at)));
        let ends = [("x", 4), ("y", 5)].map(|(name, place)| (Constant::Named(name.into()), digit(number, place)));
        cells.chain(ends).collect()
    })
}

proptest! {
    #![proptest_config(testkit::config(400))]

    #[test]
    fn as_by_enumeration(atoms in prop::collection::vec(atoms(&["a"]), 1..6)) {
        let hold = |values: &Values| atoms.iter().all(|atom| atom.eval(values) == Some(true));
        match answer(&atoms) {
            Outcome::Values(values) => prop_assert!(hold(&structure(&values)), "{:?}", values),
            Outcome::Contradiction => prop_assert!(!grid().any(|values| hold(&values))),
            Outcome::NeedsZ3 => {}
        }
    }
}

#[test]
fn writes_and_reads_that_contradict_each_other() {
    let a = ArrayTerm::Named("a".into());
    let written = a.store(named("x"), IntTerm::number(5));
    let read = written.cell(named("y"));
    let atoms = [IntAtom::Eq(read.clone(), IntTerm::number(4)), IntAtom::Eq(a.cell(named("y")), IntTerm::number(3))];
    let outcome = answer(&atoms);
    assert!(matches!(outcome, Outcome::Contradiction), "y is x, and the read is 5, or it is not, and the read is 3");
    let Outcome::Values(values) = answer(&atoms[..1]) else { panic!("y need not be x") };
    assert!(named("x").eval(&values) != named("y").eval(&values));
    assert_eq!(atoms[0].eval(&structure(&values)), Some(true));
}

#[cfg(feature = "z3")]
mod with_z3 {
    use super::*;
    use crate::tests::with_z3::has_z3;
    use std::collections::BTreeMap;
    use z3::ast::{Array, Bool, Int};
    use z3::{SatResult, Solver, Sort};

    #[derive(Default)]
    struct Translated {
        ints: BTreeMap<Constant, Int>,
    }

    impl Translated {
        fn term(&mut self, term: &IntTerm) -> Int {
            match term {
                IntTerm::Number(n) => Int::from_i64(n.try_into().expect("small")),
                IntTerm::Constant(Constant::Cell(array, index)) => {
                    let (array, index) = (self.array(array), self.term(index));
                    array.select(&index).as_int().expect("an array of integers")
                }
                IntTerm::Constant(constant) => {
                    let next = u32::try_from(self.ints.len()).expect("few");
                    self.ints.entry(constant.clone()).or_insert_with(|| Int::new_const(next)).clone()
                }
                IntTerm::Sum(terms) => Int::add(&terms.iter().map(|term| self.term(term)).collect::<Vec<_>>()),
                other => unreachable!("{other:?} is not generated"),
            }
        }

        fn array(&mut self, array: &ArrayTerm) -> Array {
            match array {
                ArrayTerm::Named(name) => Array::new_const(&**name, &Sort::int(), &Sort::int()),
                ArrayTerm::Store(before, at, value) => {
                    let (before, at, value) = (self.array(before), self.term(at), self.term(value));
                    before.store(&at, &value)
                }
                ArrayTerm::Threads(_) => unreachable!("not generated"),
            }
        }

        fn atom(&mut self, atom: &IntAtom) -> Bool {
            let (IntAtom::Eq(a, b) | IntAtom::Le(a, b)) = atom;
            let (a, b) = (self.term(a), self.term(b));
            if matches!(atom, IntAtom::Eq(..)) { a.eq(&b) } else { a.le(&b) }
        }
    }

    proptest! {
        #![proptest_config(testkit::config(400))]

        #[test]
        fn agrees_with_the_arrays_of_z3(atoms in prop::collection::vec(atoms(&["a", "b"]), 1..8)) {
            if !has_z3() {
                return Ok(());
            }
            let (solver, mut translated) = (Solver::new(), Translated::default());
            atoms.iter().for_each(|atom| solver.assert(translated.atom(atom)));
            let expected = solver.check();
            prop_assert_ne!(expected, SatResult::Unknown);
            match answer(&atoms) {
                Outcome::Values(values) => {
                    let values = structure(&values);
                    prop_assert!(atoms.iter().all(|atom| atom.eval(&values) == Some(true)));
                    prop_assert_eq!(expected, SatResult::Sat);
                }
                outcome => prop_assert_eq!(expected, SatResult::Unsat, "{:?}", outcome),
            }
        }
    }
}
