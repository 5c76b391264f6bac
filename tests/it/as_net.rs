//! Behavioral programs as nets: the translations of the engine and of the kernel agree, and both have the steps and the
//! goals of the program as the test kit defines them.

use crate::tool::{code, root, run, scratch, stdout};
use impasse::model::{Formula, Goal, LocalId, Net, Program, ProgramTask, Range, Stop, Transition};
use kernel::Work;
use kernel::program::{ProgramNet, Stepper};
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use testkit::program;

const GOALS: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

/// The net and the formulas of the goals, by the kernel.
fn by_kernel(program: &Program) -> (Net, Vec<Formula>) {
    let (stop, stepper) = (Stop::default(), Stepper::new(program).expect("it is small"));
    let work = &mut Work::new(1 << 30, &stop);
    let as_net = ProgramNet::new(program, &stepper, work).expect("each thread has one initial state");
    let net = as_net.net(program, work).expect("it is small");
    let formulas = GOALS.map(|goal| as_net.formula(goal, work).expect("it is small"));
    (net, formulas.to_vec())
}

/// The marking of a composite state: for each place, whether it holds a token.
fn marking(program: &Program, state: &[u32]) -> Vec<u32> {
    let threads = program.threads().iter().zip(state);
    threads.flat_map(|(t, s)| (0..t.states.len() as u32).map(move |i| u32::from(i == *s))).collect()
}

/// Fires a transition with plain arcs, if it is enabled.
fn fire(t: &Transition, marking: &[u32]) -> Option<Vec<u32>> {
    let holds = |place: usize, range: &Range| range.contains(&marking[place].into());
    t.guards.iter().all(|guard| holds(guard.place.index(), &guard.range)).then(|| {
        let mut next = marking.to_vec();
        for effect in &t.effects {
            let by = i32::try_from(effect.delta().expect("arcs are plain")).expect("they move one token");
            next[effect.place.index()] = next[effect.place.index()].checked_add_signed(by).expect("guards hold");
        }
        next
    })
}

#[test]
fn nets_of_programs_have_the_steps_and_goals_of_the_programs() {
    let (mut programs, mut states) = (0, 0);
    for seed in 0..testkit::count(600) {
        let program = Arc::new(program::program(seed));
        let task = ProgramTask::new(Arc::clone(&program), GOALS);
        let is_single = program.threads().iter().all(|thread| thread.initial.len() == 1);
        let made = programs::as_net(&task);
        assert_eq!(made.is_some(), is_single, "seed {seed}");
        let Some((made, _)) = made else { continue };
        let (net, formulas) = by_kernel(&program);
        let moves = |net: &Net| -> Vec<_> {
            net.transitions().iter().map(|t| (t.guards.clone(), t.effects.clone())).collect::<Vec<_>>()
        };
        let (own, other) = (moves(&net), moves(&made.net));
        assert!(own.len() == other.len() && own.iter().all(|t| other.contains(t)), "seed {seed}: transitions");
        assert_eq!(made.formulas.iter().map(|f| Formula::clone(f)).collect::<Vec<_>>(), formulas, "seed {seed}");
        programs += 1;
        let mut seen: BTreeSet<Vec<u32>> = program::initial(&program).into_iter().collect();
        let mut open: Vec<Vec<u32>> = seen.iter().cloned().collect();
        while let Some(state) = open.pop().filter(|_| seen.len() < 500) {
            states += 1;
            let at = marking(&program, &state);
            let fired: BTreeSet<Vec<u32>> = net.transitions().iter().filter_map(|t| fire(t, &at)).collect();
            let next: Vec<Vec<u32>> = program::successors(&program, &state).into_iter().map(|(_, to)| to).collect();
            let expected: BTreeSet<Vec<u32>> = next.iter().map(|to| marking(&program, to)).collect();
            let is_bad = program::is_bad(&program, &state);
            assert!(fired == expected || (is_bad && fired.is_superset(&expected)), "seed {seed}: {state:?}");
            for (goal, formula) in GOALS.iter().zip(&formulas) {
                let is_goal = program::goal(&program, &state) == Some(*goal);
                assert_eq!(program::holds(&program, formula, &state), is_goal, "seed {seed}: {goal} in {state:?}");
            }
            open.extend(next.into_iter().filter(|to| seen.insert(to.clone())));
        }
    }
    assert!(!testkit::are_full() || (programs > 100 && states > 1_000), "{programs} programs, {states} states");
}

/// Twelve robots on a ring of 24 zones: so many states cannot be listed, and counting shows that there is no deadlock.
/// With as many robots as zones, there is one.
#[test]
fn counting_proves_that_a_ring_has_no_deadlock() {
    let text = fs::read_to_string(root().join("examples/zones.rwb")).expect("an example");
    let dir = scratch("counting_ring");
    let with = |robots: u32, zones: u32| {
        let file = dir.join(format!("{robots}_{zones}.rwb"));
        let text = text.replace("robots = 4", &format!("robots = {robots}"));
        fs::write(&file, text.replace("zones = 8", &format!("zones = {zones}"))).expect("written");
        file.display().to_string()
    };
    let out = dir.join("out").display().to_string();
    let file = with(12, 24);
    let free = run(&["check", &file, "--engine", "equation", "--evidence", &out]);
    assert_eq!(code(&free), 0, "{}", stdout(&free));
    let evidence = format!("{out}/12_24.deadlock.evidence.json");
    let accepted = run(&["replay", &file, &evidence]);
    assert!(stdout(&accepted).starts_with("ACCEPTED"), "{}", stdout(&accepted));
    let (written, damaged) = (fs::read_to_string(&evidence).expect("written"), dir.join("damaged.json"));
    let bound = written.find("\"bound\":").expect("a linear bound") + "\"bound\":".len();
    fs::write(&damaged, format!("{}-1{}", &written[..bound], &written[bound + 1..])).expect("written");
    let refused = run(&["replay", &file, &damaged.display().to_string()]);
    assert!(code(&refused) != 0 && !stdout(&refused).starts_with("ACCEPTED"), "{}", stdout(&refused));
    let full = run(&["check", &with(8, 8), "-q"]);
    assert_eq!(code(&full), 11, "{}", stdout(&full));
}

/// A thread with several initial states has no net, and a resting thread tests that it is in none of its other states.
#[test]
fn only_single_starts_have_a_net() {
    let text = "rwb 1 event a thread T { init s | t state s { request a } state t { request a } } check deadlock";
    let file = scratch("several_starts").join("t.rwb");
    fs::write(&file, text).expect("written");
    let file = file.display().to_string();
    let by_name = run(&["check", &file, "--engine", "equation"]);
    assert!(stdout(&by_name).contains("UNKNOWN (unsupported)"), "{}", stdout(&by_name));
    assert_eq!(code(&run(&["check", &file])), 0);
    let counter = program::counters(2, 4);
    let (net, _) = by_kernel(&counter);
    assert_eq!(net.places().len(), counter.threads().iter().map(|t| t.states.len()).sum::<usize>());
    assert!(counter.threads().iter().all(|t| t.initial == [LocalId(0)]));
}
