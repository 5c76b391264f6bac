//! Tests of closed sets: the reachable valuations of random programs are accepted for exactly the goals that
//! they exclude, and damaged sets are rejected.

use super::random::{self, Rng};
use super::*;
use crate::reactive::testing::{Abstract, lasso_violates};
use crate::tests::rejected;

use model::{Certificate, Holds, Outcome, StateSet, Valuations};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

#[derive(Clone, Debug)]
struct Listed(Vec<Vec<i32>>);

impl StateSet for Listed {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        for row in &self.0 {
            visit(&row.iter().map(|value| value.cast_unsigned()).collect::<Vec<u32>>())?;
        }
        ControlFlow::Continue(())
    }
}

/// The rules check large sets without the kernel. They check the goals as well.
#[test]
fn large_sets_are_about_goals_that_are_asked_for() {
    let mut rng = Rng(1);
    let problem = problem(&random::program(&mut rng).into(), &[]);
    let rows = vec![vec![0]; usize::try_from(crate::LARGE).expect("some thousands") + 1];
    let error = Goal::Error(model::ErrorId(u32::MAX));
    for goals in [vec![], vec![error], vec![error, error]] {
        let valuations = Valuations { slots: exactly([0]), rows: Box::new(Listed(rows.clone())) };
        let certificate = Certificate::Valuations(Box::new(valuations));
        let why =
            checked(&problem, &Claim::Safe { goals, certificate }).expect_err("no such goal is asked for").to_string();
        assert!(why.contains("goal"), "{why}");
    }
}

/// Returns the result of the checker. For sets that the kernel interprets row by row, the rules check the set
/// as well, many rows together. Both results must agree.
fn claim(problem: &Problem, goals: &[Goal], slots: &[(VarId, Holds)], rows: &[Vec<i32>]) -> Result<Confirmed, Refusal> {
    let valuations = || Valuations { slots: slots.to_vec(), rows: Box::new(Listed(rows.to_vec())) };
    let certificate = || Certificate::Valuations(Box::new(valuations()));
    let got = checked(problem, &Claim::Safe { goals: goals.to_vec(), certificate: certificate() });
    if kernel::asked(problem, goals).is_ok() {
        let stop = model::Stop::default();
        let mut work = kernel::Work::new(u64::MAX, &stop);
        let by_rules = crate::rules::safe(problem, goals, &certificate(), &Options::default(), &mut work);
        assert_eq!(got.as_ref().map(|c| c.hash).ok(), by_rules.as_ref().map(|c| c.hash).ok(), "{got:?}, {by_rules:?}");
    }
    got
}

fn exactly(vars: impl IntoIterator<Item = u32>) -> Vec<(VarId, Holds)> {
    vars.into_iter().map(|var| (VarId(var), Holds::Exactly)).collect()
}

/// All reachable valuations; calls of infinite runs as (from, input, output, to); errors that are reached.
/// [`explore`] returns `None` if there are too many valuations.
struct Explored {
    states: Vec<Vec<i32>>,
    steps: Vec<(usize, usize, Option<i32>, usize)>,
    errors: HashSet<u32>,
    /// True if some call outputs something other than one letter.
    is_unspelt: bool,
}

impl Explored {
    /// True if no run comes to undefined behaviour.
    fn is_defined(&self, program: &Reactive) -> bool {
        program.undefined().is_none_or(|label| !self.errors.contains(&label.0))
    }
}

fn explore(program: &Reactive, with_invalid: bool) -> Option<Explored> {
    let mut numbers = HashMap::from([(program.initial().to_vec(), 0)]);
    let mut found = Explored {
        states: vec![program.initial().to_vec()],
        steps: Vec::new(),
        errors: HashSet::new(),
        is_unspelt: false,
    };
    let mut next = 0;
    while next < found.states.len() {
        for (number, &input) in program.inputs().iter().enumerate() {
            let mut values = found.states[next].clone();
            let output = match random::call(program, &mut values, input) {
                Outcome::Error(error) => {
                    found.errors.insert(error.0);
                    continue;
                }
                Outcome::Crash => continue,
                Outcome::Invalid if !with_invalid => continue,
                Outcome::Invalid => None,
                Outcome::Output(letter) => Some(Some(letter)),
                Outcome::Silent => Some(None),
                Outcome::Unspelt => {
                    found.is_unspelt = true;
                    None
                }
            };
            let new = found.states.len();
            let to = *numbers.entry(values.clone()).or_insert(new);
            if to == new {
                found.states.push(values);
            }
            if let Some(output) = output {
                found.steps.push((next, number, output, to));
            }
        }
        next += 1;
        if found.states.len() > 300 {
            return None;
        }
    }
    Some(found)
}

fn all_slots(program: &Reactive) -> Vec<(VarId, Holds)> {
    exactly(0..program.var_count() as u32)
}

proptest! {
    #![proptest_config(testkit::config(1500))]

    /// The reachable valuations exclude the errors that are not reached, and no others. Without one of the
    /// valuations, they exclude none.
    #[test]
    fn reachable_valuations_show_what_they_show(seed: u64, drop: prop::sample::Index) {
        let program = Arc::new(random::program(&mut Rng(seed)));
        let problem = problem(&program, &[]);
        let Some(found) = explore(&program, true) else { return Ok(()) };
        let slots = all_slots(&program);
        let is_defined = found.is_defined(&program);
        for (label, number) in program.labels() {
            let confirmed = claim(&problem, &[Goal::Error(label)], &slots, &found.states);
            let holds = is_defined && !found.errors.contains(&label.0);
            prop_assert_eq!(confirmed.is_ok(), holds, "error {}: {:?}", number, confirmed);
        }
        if !is_defined {
            return Ok(());
        }
        let open: Vec<Goal> = (0..3).filter(|e| !found.errors.contains(e)).map(|e| Goal::Error(ErrorId(e))).collect();
        if !open.is_empty() {
            let mut damaged = found.states.clone();
            damaged.swap_remove(drop.index(damaged.len()));
            prop_assert!(claim(&problem, &open, &slots, &damaged).is_err(), "a row is missing");
        }
    }

    /// Whatever slots are listed, what is accepted is true.
    #[test]
    fn without_some_slots_nothing_wrong_is_accepted(seed: u64, left_out: u32) {
        let program = Arc::new(random::program(&mut Rng(seed)));
        let problem = problem(&program, &[]);
        let Some(found) = explore(&program, true) else { return Ok(()) };
        let kept: Vec<u32> =
            (0..program.var_count() as u32).filter(|&var| left_out >> (2 * var % 32) & 3 > 0).collect();
        let mut rows: Vec<Vec<i32>> =
            found.states.iter().map(|row| kept.iter().map(|&var| row[var as usize]).collect()).collect();
        rows.sort_unstable();
        rows.dedup();
        for (label, number) in program.labels() {
            if claim(&problem, &[Goal::Error(label)], &exactly(kept.clone()), &rows).is_ok() {
                prop_assert!(!found.errors.contains(&label.0), "error {} is reachable", number);
                prop_assert!(found.is_defined(&program), "what is not defined is reachable");
            }
        }
    }

    /// With cells: the ways that a call may take include what the call does.
    #[test]
    fn what_calls_do_they_may_do(seed: u64, cuts in prop::collection::vec((0..6u32, -3..5i32), 0..8), wide: [i32; 3]) {
        let program = Arc::new(random::program(&mut Rng(seed)));
        let slots: Vec<(VarId, Holds)> = (0..program.var_count() as u32)
            .map(|var| {
                let mut own: Vec<i32> = cuts.iter().filter(|cut| cut.0 == var).map(|cut| cut.1).collect();
                own.sort_unstable();
                own.dedup();
                (VarId(var), if own.is_empty() { Holds::Exactly } else { Holds::Cell(own) })
            })
            .collect();
        let rows = Box::new(Listed(Vec::new()));
        let valuations = Valuations { slots: slots.clone(), rows };
        let Some(found) = explore(&program, true) else { return Ok(()) };
        let may = Abstract::new(&program, &valuations);
        for state in found.states.iter().take(20) {
            // Any valuation of the row is suitable.
            let mut state = state.clone();
            for ((value, wide), (_, holds)) in state.iter_mut().zip(wide).zip(&slots) {
                if matches!(holds, Holds::Cell(_)) {
                    *value = value.wrapping_add(wide);
                }
            }
            for &input in program.inputs() {
                let mut after = state.clone();
                let outcome = random::call(&program, &mut after, input);
                if outcome == Outcome::Crash {
                    continue;
                }
                if let Some(ways) = may.ways(&may.row(&state), input) {
                    let row = if matches!(outcome, Outcome::Error(_)) { Vec::new() } else { may.row(&after) };
                    prop_assert!(ways.contains(&(outcome, row)), "{:?} from {:?} with {}", outcome, state, input);
                }
            }
        }
    }

    /// The automaton, the merged rows and the search agree with direct evaluation.
    #[test]
    fn lassos_are_accepted_iff_they_violate(
        formula in super::lassos::formula(),
        calls in prop::collection::vec((1..4i32, prop::option::of(20..23i32)), 1..6),
        from: prop::sample::Index,
    ) {
        let from = from.index(calls.len());
        let mut word = Vec::new();
        let mut repeats_from = 0;
        for (number, &(input, output)) in calls.iter().enumerate() {
            if number == from {
                repeats_from = word.len();
            }
            word.push(Letter::Input(input));
            word.extend(output.map(Letter::Output));
        }
        let stop = Stop::default();
        let holds = kernel::trace::holds(&formula, &word, repeats_from, &mut kernel::Work::new(1 << 30, &stop));
        prop_assert_eq!(lasso_violates(&formula, &calls, from), !holds.expect("cheap"));
    }

    /// If the set of reachable valuations is accepted for a formula, the formula holds of all short lassos. If
    /// it is not, some run violates the formula.
    #[test]
    fn formulas_hold_iff_no_run_violates_them(seed: u64, formula in super::lassos::formula()) {
        let program = Arc::new(random::program(&mut Rng(seed)));
        let problem = problem(&program, std::slice::from_ref(&formula));
        let Some(found) = explore(&program, false) else { return Ok(()) };
        let holds = claim(&problem, &[Goal::Temporal(TemporalId(0))], &all_slots(&program), &found.states);
        if found.is_unspelt || !found.is_defined(&program) {
            prop_assert!(holds.is_err(), "not all runs are known");
            return Ok(());
        }
        let (program, formula, found) = (&program, &formula, &found);
        let mut lassos = Lassos { program, formula, found, path: Vec::new(), left: 3000, is_violated: false };
        lassos.go(0);
        prop_assert!(!(lassos.is_violated && holds.is_ok()), "a lasso violates the formula");
        if lassos.left > 0 && found.states.len() == 1 && found.steps.len() <= 1 {
            prop_assert_eq!(lassos.is_violated, holds.is_err(), "the only run decides");
        }
    }
}

/// All lassos of at most six calls.
struct Lassos<'a> {
    program: &'a Reactive,
    formula: &'a Ltl,
    found: &'a Explored,
    path: Vec<(usize, usize, Option<i32>)>,
    left: usize,
    is_violated: bool,
}

impl Lassos<'_> {
    fn go(&mut self, state: usize) {
        for from in 0..self.path.len() {
            if self.path[from].0 == state {
                self.lasso(from);
            }
        }
        if self.path.len() == 6 || self.left == 0 || self.is_violated {
            return;
        }
        self.left -= 1;
        for &(from, input, output, to) in &self.found.steps {
            if from == state {
                self.path.push((from, input, output));
                self.go(to);
                self.path.pop();
            }
        }
    }

    fn lasso(&mut self, from: usize) {
        let (mut word, mut repeats_from) = (Vec::new(), 0);
        for (number, &(_, input, output)) in self.path.iter().enumerate() {
            if number == from {
                repeats_from = word.len();
            }
            word.push(Letter::Input(self.program.inputs()[input]));
            word.extend(output.map(Letter::Output));
        }
        let stop = Stop::default();
        let mut work = kernel::Work::new(1 << 30, &stop);
        self.is_violated |= kernel::trace::holds(self.formula, &word, repeats_from, &mut work) == Ok(false);
    }
}

/// x counts to 1000 and starts again. Error 0 is reached if x is above 1000.
fn long_counter() -> (Arc<Reactive>, Problem, VarId) {
    let mut text = Text::new(&[1]);
    let error = text.0.error(0);
    let x = text.0.var("x", 0);
    let (above, at_end) = (text.with(Binary::Gt, x, 1000), text.with(Binary::Eq, x, 1000));
    let (zero, more) = (text.num(0), text.with(Binary::Add, x, 1));
    let check = text.branch(above, &[Stmt::Error(error)], &[]);
    let letter = text.num(21);
    let count = text.branch(at_end, &[Stmt::Assign(x, zero), Stmt::Print(letter)], &[Stmt::Assign(x, more)]);
    let program = text.finish(&[check, count], Convention::Printed);
    let problem = problem(&program, &[never(22), never(21)]);
    (program, problem, x)
}

const ERROR: Goal = Goal::Error(ErrorId(0));
const HOLDS: Goal = Goal::Temporal(TemporalId(0));
const VIOLATED: Goal = Goal::Temporal(TemporalId(1));

#[test]
fn damaged_sets_are_rejected() {
    let (_, problem, x) = long_counter();
    let slots = vec![(x, Holds::Exactly)];
    let rows: Vec<Vec<i32>> = (0..=1000).map(|x| vec![x]).collect();
    let confirmed = claim(&problem, &[ERROR, HOLDS], &slots, &rows).expect("all of it");
    assert_eq!((confirmed.length, confirmed.goals.len()), (1001, 2));
    let backwards: Vec<Vec<i32>> = rows.iter().rev().cloned().collect();
    assert_eq!(claim(&problem, &[ERROR], &slots, &backwards).map(|c| c.hash), Ok(confirmed.hash));
    rejected(claim(&problem, &[ERROR], &slots, &rows[..1000]), "not closed");
    rejected(claim(&problem, &[ERROR], &slots, &rows[1..]), "initial valuation");
    rejected(claim(&problem, &[VIOLATED], &slots, &rows), "violates formula 1");
    rejected(claim(&problem, &[ERROR, VIOLATED], &slots, &rows), "violates formula 1");
    rejected(claim(&problem, &[ERROR], &[], &[vec![]]), "before it assigns it");
    rejected(claim(&problem, &[ERROR], &[(VarId(7), Holds::Exactly)], &rows), "no variable number 7");
    rejected(claim(&problem, &[ERROR], &[(x, Holds::Exactly), (x, Holds::Exactly)], &rows), "two slots");
    rejected(claim(&problem, &[ERROR], &slots, &[rows.clone(), vec![vec![5]]].concat()), "listed twice");
    rejected(claim(&problem, &[ERROR], &slots, &[rows.clone(), vec![vec![1, 2]]].concat()), "one number for each slot");
    let mut damaged = rows.clone();
    damaged[500][0] = -5;
    rejected(claim(&problem, &[ERROR], &slots, &damaged), "not closed");
    let with_error = [rows, vec![vec![2000]]].concat();
    rejected(claim(&problem, &[ERROR], &slots, &with_error), "stops at error 0");
    rejected(claim(&problem, &[Goal::Bad], &slots, &with_error), "not asked for");
}

#[test]
fn cells_need_their_cuts() {
    let (_, problem, x) = long_counter();
    // The cells: below 0, 0 to 999, 1000, above.
    let cells = |cuts: &[i32]| vec![(x, Holds::Cell(cuts.to_vec()))];
    let rows = [vec![1], vec![2]];
    assert_eq!(claim(&problem, &[ERROR, HOLDS], &cells(&[0, 1000, 1001]), &rows).map(|c| c.length), Ok(2));
    rejected(claim(&problem, &[ERROR], &cells(&[0, 999, 1001]), &rows), "not closed");
    rejected(claim(&problem, &[ERROR], &cells(&[0, 1000, 1002]), &rows), "stops at error 0");
    rejected(claim(&problem, &[ERROR], &cells(&[0, 1000]), &rows), "stops at error 0");
    rejected(claim(&problem, &[ERROR], &cells(&[0, 1000, 1001]), &rows[..1]), "not closed");
    rejected(claim(&problem, &[ERROR], &cells(&[0, 1000, 1001]), &rows[1..]), "initial valuation");
    rejected(claim(&problem, &[ERROR], &cells(&[0, 1001, 1000]), &rows), "are not ascending");
    rejected(claim(&problem, &[ERROR], &cells(&[i32::MIN, 1000, 1001]), &rows), "are not ascending");
    rejected(claim(&problem, &[ERROR], &cells(&[0, 1000, 1001]), &[vec![1], vec![2], vec![4]]), "no such cell");
    rejected(claim(&problem, &[VIOLATED], &cells(&[0, 1000, 1001]), &rows), "violates formula 1");
}
