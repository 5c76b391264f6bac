//! Tests of the side theory against brute force, and of the native decisions against Z3.

use crate::testing::{atoms, constants, plain_atoms};
use crate::{Side, SideAnswer};
use model::{Constant, IntAtom, IntTerm, Values};
use num_bigint::BigInt;
use proptest::prelude::*;
use std::time::Duration;

const T: Constant = Constant::RunLength;
const SECONDS: Duration = Duration::from_secs(5);

fn named() -> Constant {
    Constant::Named("c".into())
}

fn check(atoms: &[IntAtom]) -> SideAnswer {
    side_with(atoms).check(SECONDS)
}

/// Tokens are positions plus 100, so that tests fail if the code confuses the two.
fn side_with(atoms: &[IntAtom]) -> Side {
    let mut side = Side::new();
    for (token, atom) in (100..).zip(atoms) {
        side.assert(token, atom);
    }
    side
}

fn at<'a>(atoms: &'a [IntAtom], tokens: &[u32]) -> Vec<&'a IntAtom> {
    tokens.iter().map(|&token| &atoms[token as usize - 100]).collect()
}

fn all_hold(atoms: &[&IntAtom], values: &Values) -> bool {
    atoms.iter().all(|atom| atom.eval(values) == Some(true))
}

/// The solutions of `atoms` in a range that is longer than the period of all moduli below 8 and contains all
/// bounds below 16.
fn solutions(constant: &Constant, atoms: &[&IntAtom]) -> impl Iterator<Item = i64> {
    let first = if *constant == T { 0 } else { -900 };
    (first..900).filter(move |&value| all_hold(atoms, &Values::from([(constant.clone(), BigInt::from(value))])))
}

/// True if the conflict has one of the forms of `model::Axiom::IntConflict`.
fn is_certifiable(constant: &Constant, conflict: &[&IntAtom]) -> bool {
    let is_congruence = |atom: &IntAtom| matches!(atom, IntAtom::Eq(IntTerm::Mod(..), _));
    let is_bound_above =
        |atom: &IntAtom| matches!(atom, IntAtom::Le(IntTerm::Constant(_), _) | IntAtom::Eq(IntTerm::Constant(_), _));
    let natural = *constant == T || conflict.iter().any(|a| matches!(a, IntAtom::Le(IntTerm::Number(_), _)));
    let exact = conflict.iter().any(|a| matches!(a, IntAtom::Eq(IntTerm::Constant(_), _)));
    let two_congruences = conflict.len() == 2 && conflict.iter().all(|a| is_congruence(a));
    two_congruences || (conflict.iter().any(|a| is_bound_above(a)) && (natural || exact))
}

fn decides_as_brute_force(constant: &Constant, atoms: &[IntAtom]) -> Result<(), TestCaseError> {
    let all: Vec<&IntAtom> = atoms.iter().collect();
    match check(atoms) {
        SideAnswer::Model(values) => {
            prop_assert!(all_hold(&all, &values));
            let smallest = solutions(constant, &all).min_by_key(|v| (*v < 0, v.abs())).expect("there is a solution");
            prop_assert!(atoms.is_empty() || values[constant] == smallest.into());
        }
        SideAnswer::Conflict(tokens) => {
            let conflict = at(atoms, &tokens);
            prop_assert_eq!(solutions(constant, &conflict).next(), None);
            for left_out in 0..conflict.len() {
                let mut fewer = conflict.clone();
                fewer.remove(left_out);
                prop_assert!(solutions(constant, &fewer).next().is_some(), "{:?} is not needed", conflict[left_out]);
            }
            prop_assert!(is_certifiable(constant, &conflict), "{:?}", conflict);
        }
        other => prop_assert!(false, "plain statements are decided, not {:?}", other),
    }
    Ok(())
}

proptest! {
    #![proptest_config(testkit::config(1500))]

    #[test]
    fn run_length_as_by_brute_force(atoms in prop::collection::vec(plain_atoms(Just(T), 8), 0..6)) {
        decides_as_brute_force(&T, &atoms)?;
    }

    #[test]
    fn other_constants_as_by_brute_force(atoms in prop::collection::vec(plain_atoms(Just(named()), 8), 0..6)) {
        decides_as_brute_force(&named(), &atoms)?;
    }

    #[test]
    fn bounds_and_congruences_fail_minimally(
        high in 3..40_u64,
        low in 0..8_u64,
        congruences in prop::collection::vec((0..100_u64, 2..8_u64), 1..6),
    ) {
        let mut atoms = vec![IntAtom::at_most(T, high), IntAtom::at_least(T, low)];
        // All congruences have the common solution 839, so no two of them contradict each other.
        atoms.extend(congruences.iter().map(|(_, modulus)| IntAtom::congruent(T, 839 % modulus, *modulus)));
        decides_as_brute_force(&T, &atoms)?;
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Assert(IntAtom),
    Push,
    Pop(usize),
    Check,
}

fn steps() -> impl Strategy<Value = Vec<Operation>> {
    let atom = prop_oneof![6 => plain_atoms(constants(), 8), 1 => atoms()];
    let step = prop_oneof![
        4 => atom.prop_map(Operation::Assert),
        3 => Just(Operation::Push),
        2 => (1..3_usize).prop_map(Operation::Pop),
        2 => Just(Operation::Check),
    ];
    prop::collection::vec(step, 1..30)
}

proptest! {
    #![proptest_config(testkit::config(60))]

    #[test]
    fn popping_restores(steps in steps()) {
        let mut side = Side::new();
        let mut levels: Vec<Vec<IntAtom>> = vec![Vec::new()];
        for step in steps {
            match step {
                Operation::Assert(atom) => {
                    let token = 100 + levels.iter().map(Vec::len).sum::<usize>();
                    side.assert(u32::try_from(token).expect("few"), &atom);
                    levels.last_mut().expect("the ground level stays").push(atom);
                }
                Operation::Push => {
                    side.push();
                    levels.push(Vec::new());
                }
                Operation::Pop(n) => {
                    let n = n.min(levels.len() - 1);
                    side.pop(n);
                    levels.truncate(levels.len() - n);
                }
                Operation::Check => {
                    let atoms = levels.concat();
                    let all: Vec<&IntAtom> = atoms.iter().collect();
                    match (side.check(SECONDS), check(&atoms)) {
                        (SideAnswer::Model(values), SideAnswer::Model(_)) => prop_assert!(all_hold(&all, &values)),
                        (SideAnswer::Conflict(a), SideAnswer::Conflict(_)) => {
                            let again: Vec<IntAtom> = at(&atoms, &a).into_iter().cloned().collect();
                            prop_assert!(matches!(check(&again), SideAnswer::Conflict(_)));
                        }
                        (SideAnswer::GaveUp, SideAnswer::GaveUp) => {}
                        (kept, fresh) => prop_assert!(false, "{:?} but afresh {:?}", kept, fresh),
                    }
                }
            }
        }
    }
}

#[test]
fn huge_moduli_have_exact_solutions() {
    let primes = [18_446_744_073_709_551_557_u64, 18_446_744_073_709_551_533, 18_446_744_073_709_551_521];
    let atoms: Vec<IntAtom> = primes.iter().map(|p| IntAtom::congruent(T, p - 1, *p)).collect();
    let SideAnswer::Model(values) = check(&atoms) else { panic!("coprime congruences have a solution") };
    assert_eq!(values[&T], primes.iter().map(|p| BigInt::from(*p)).product::<BigInt>() - 1);
}

#[test]
fn a_run_is_not_shorter_than_nothing() {
    let minus_one = IntAtom::Eq(IntTerm::Constant(T), IntTerm::number(-1));
    assert_eq!(check(&[minus_one]), SideAnswer::Conflict(vec![100]));
    let below = IntAtom::Le(IntTerm::Constant(named()), IntTerm::number(-1));
    assert_eq!(check(&[below]), SideAnswer::Model(Values::from([(named(), BigInt::from(-1))])));
}

#[test]
fn constants_without_a_say_are_zero() {
    let vacuous = IntAtom::congruent(named(), 0, 1);
    let values = Values::from([(named(), BigInt::from(0)), (T, BigInt::from(3))]);
    assert_eq!(check(&[vacuous, IntAtom::at_least(T, 3)]), SideAnswer::Model(values));
}

#[test]
fn it_may_move_between_threads() {
    let mut side = side_with(&[IntAtom::Le(double(named()), IntTerm::Constant(T)), IntAtom::at_least(named(), 2)]);
    let here = side.check(SECONDS);
    let (there, _side) = std::thread::spawn(move || (side.check(SECONDS), side)).join().expect("the thread ends well");
    assert_eq!(here, there);
}

fn double(constant: Constant) -> IntTerm {
    IntTerm::Scaled(2.into(), Box::new(IntTerm::Constant(constant)))
}

#[test]
fn without_z3_what_needs_it_is_given_up() {
    if crate::door::find().is_ok() {
        return;
    }
    // The simplex method finds whole numbers here,
    let simple = [IntAtom::Le(double(named()), IntTerm::Constant(T)), IntAtom::at_least(named(), 2)];
    assert!(matches!(check(&simple), SideAnswer::Model(_)));
    // and the fraction c = 1/2, T = 1 here.
    let fractional = [IntAtom::Eq(double(named()), IntTerm::Constant(T)), IntAtom::at_least(T, 1)];
    assert_eq!(check(&fractional), SideAnswer::GaveUp);
    let missed = crate::door::missed().expect("a query needed it");
    assert_eq!(missed.engines, ["dpllt"]);
}

#[cfg(feature = "z3")]
pub(crate) mod with_z3 {
    use super::*;

    /// True if Z3 is there. Tests that need it are skipped otherwise.
    // A skipped test prints a message, which the lints do not allow elsewhere.
    #[allow(clippy::print_stdout)]
    pub(crate) fn has_z3() -> bool {
        let found = crate::door::find();
        if let Err(why) = &found {
            println!("skipped: {why}");
        }
        found.is_ok()
    }

    use crate::solver::{Reply, Solver};
    use std::time::Instant;

    proptest! {
        #![proptest_config(testkit::config(300))]

        #[test]
        fn agrees_with_the_native_decision(atoms in prop::collection::vec(plain_atoms(constants(), 60), 0..8)) {
            if !has_z3() {
                return Ok(());
            }
            let reply = Solver::default().check(&atoms, SECONDS);
            match (check(&atoms), reply) {
                (SideAnswer::Model(values), Reply::Model(z3)) => prop_assert_eq!(values.get(&T), z3.get(&T)),
                (SideAnswer::Conflict(_), Reply::Core(core)) => {
                    let core: Vec<IntAtom> = core.iter().map(|&i| atoms[i].clone()).collect();
                    prop_assert!(matches!(check(&core), SideAnswer::Conflict(_)));
                }
                (native, z3) => prop_assert!(false, "{:?}, but Z3 {:?}", native, z3),
            }
        }

        #[test]
        fn any_atoms_as_by_brute_force(atoms in prop::collection::vec(atoms(), 1..5)) {
            if !has_z3() {
                return Ok(());
            }
            let all: Vec<&IntAtom> = atoms.iter().collect();
            match check(&atoms) {
                SideAnswer::Model(values) => {
                    prop_assert!(all_hold(&all, &values));
                    let length = grid().find(|values| all_hold(&all, values)).map(|values| values[&T].clone());
                    // The grid is ordered by run length, so its first solution is an upper bound on the
                    // smallest run length. The simplex method does not look for the smallest.
                    let found = values.get(&T).cloned().unwrap_or_default();
                    let by_simplex = matches!(crate::linear::solve(&atoms), crate::linear::Answer::Values(Some(_)));
                    prop_assert!(by_simplex || length.is_none_or(|length| found <= length));
                }
                SideAnswer::Conflict(tokens) => {
                    let conflict = at(&atoms, &tokens);
                    prop_assert!(!grid().any(|values| all_hold(&conflict, &values)));
                }
                other => prop_assert!(false, "small numbers are easy, not {:?}", other),
            }
        }
    }

    fn grid() -> impl Iterator<Item = Values> {
        (0..40).flat_map(|t| (-40..40).map(move |c| Values::from([(T, BigInt::from(t)), (named(), BigInt::from(c))])))
    }

    #[test]
    fn finds_the_smallest_run_length() {
        if !has_z3() {
            return;
        }
        let atoms = [IntAtom::Le(double(named()), IntTerm::Constant(T)), IntAtom::at_least(named(), 1000)];
        let SideAnswer::Model(values) = check(&atoms) else { panic!("T = 2000, c = 1000") };
        assert_eq!(values[&T], 2000.into());
    }

    #[test]
    fn cores_leave_out_what_is_not_needed() {
        if !has_z3() {
            return;
        }
        let atoms = [
            IntAtom::at_least(named(), 3),
            IntAtom::Le(double(named()), IntTerm::Constant(T)),
            IntAtom::congruent(T, 1, 2),
            IntAtom::at_most(T, 5),
        ];
        assert_eq!(check(&atoms), SideAnswer::Conflict(vec![100, 101, 103]));
    }

    #[test]
    fn numbers_of_any_size_pass_through() {
        if !has_z3() {
            return;
        }
        let huge: BigInt = BigInt::from(10).pow(60) + 7;
        let sum = IntTerm::Sum(vec![IntTerm::Constant(named()), IntTerm::Constant(T)]);
        let atoms = [IntAtom::Eq(sum, IntTerm::Number(-huge.clone())), IntAtom::at_least(T, 1)];
        let SideAnswer::Model(values) = check(&atoms) else { panic!("c = -(10^60 + 8), T = 1") };
        assert_eq!((values[&T].clone(), values[&named()].clone()), (1.into(), -huge - 1));
    }

    /// A knapsack problem of remainders with large weights, which Z3 cannot solve within the time of a test.
    pub(crate) fn hard(items: u32) -> Vec<IntAtom> {
        let mut random = testkit::Random::new(1);
        let mut weight = || BigInt::from(random.bits() >> 20);
        let item = |i: u32| IntTerm::residue(Constant::Named(format!("x{i}").into()), 2);
        let sum: Vec<IntTerm> = (0..items).map(|i| IntTerm::Scaled(weight(), Box::new(item(i)))).collect();
        vec![IntAtom::Eq(IntTerm::Sum(sum), IntTerm::Number(BigInt::from(u64::MAX >> 17)))]
    }

    #[test]
    fn deadlines_hold() {
        if !has_z3() {
            return;
        }
        let mut side = side_with(&hard(60));
        for milliseconds in [0, 50, 400] {
            let start = Instant::now();
            let answer = side.check(Duration::from_millis(milliseconds));
            assert_eq!(answer, SideAnswer::GaveUp);
            // A loaded machine may schedule a thread late; a Z3 that ignores its limits takes minutes.
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        }
        // After the hard query, an easy query is still answered.
        let mut side = side_with(&[IntAtom::Le(double(named()), IntTerm::Constant(T)), IntAtom::at_least(named(), 1)]);
        assert!(matches!(side.check(SECONDS), SideAnswer::Model(_)));
    }
}
