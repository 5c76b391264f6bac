//! Behavioral programs as nets: the translations of the engine and of the kernel agree, and both have the steps and the
//! goals of the program as the test kit defines them.

use crate::tool::{code, root, run, scratch, stdout};
use impasse::model::{Formula, Goal, Net, Program, ProgramTask, Range, Stop, Transition};
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
    let as_net = ProgramNet::new(program, &stepper, work).expect("it is small");
    let net = as_net.net(program, work).expect("it is small");
    let formulas = GOALS.map(|goal| as_net.formula(goal, work).expect("it is small"));
    (net, formulas.to_vec())
}

/// The marking of a composite state: for each place, whether it holds a token. All threads have begun.
fn marking(program: &Program, state: &[u32]) -> Vec<u32> {
    let threads = program.threads().iter().zip(state);
    let mut places: Vec<u32> =
        threads.flat_map(|(t, s)| (0..t.states.len() as u32).map(move |i| u32::from(i == *s))).collect();
    places.extend(program.threads().iter().filter(|t| t.initial.len() != 1).map(|_| 0));
    places
}

/// The markings in which all threads have begun.
fn begun(program: &Program, net: &Net) -> BTreeSet<Vec<u32>> {
    let start: Vec<u32> = net.places().iter().map(|p| u32::from(p.initial == Range::exactly(1u8))).collect();
    let count = program.threads().iter().filter(|t| t.initial.len() != 1).count();
    let starts = net.transitions().iter().take_while(|t| t.name.starts_with('#'));
    let starts: Vec<&Transition> = starts.collect();
    let mut all = BTreeSet::from([start]);
    for _ in 0..count {
        all = all.iter().flat_map(|at| starts.iter().filter_map(|t| fire(t, at)).collect::<Vec<_>>()).collect();
    }
    all
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
        let (made, _) = programs::as_net(&task).expect("it is small");
        let (net, formulas) = by_kernel(&program);
        let moves = |net: &Net| -> Vec<_> {
            net.transitions().iter().map(|t| (t.guards.clone(), t.effects.clone())).collect::<Vec<_>>()
        };
        let (own, other) = (moves(&net), moves(&made.net));
        assert!(own.len() == other.len() && own.iter().all(|t| other.contains(t)), "seed {seed}: transitions");
        assert_eq!(made.formulas.iter().map(|f| Formula::clone(f)).collect::<Vec<_>>(), formulas, "seed {seed}");
        let initial = program::initial(&program);
        let starts: BTreeSet<Vec<u32>> = initial.iter().map(|state| marking(&program, state)).collect();
        assert_eq!(begun(&program, &net), starts, "seed {seed}");
        programs += usize::from(initial.len() > 1);
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
                assert_eq!(testkit::formula::holds(formula, &at), is_goal, "seed {seed}: {goal} in {state:?}");
            }
            open.extend(next.into_iter().filter(|to| seen.insert(to.clone())));
        }
    }
    let counts = format!("{programs} programs with several initial states, {states} states");
    assert!(!testkit::are_full() || (programs > 100 && states > 1_000), "{counts}");
}

/// Twelve robots on a ring of 24 zones: so many states cannot be listed, and counting shows that there is no deadlock.
/// With as many robots as zones, there is one.
#[test]
fn counting_proves_that_a_ring_has_no_deadlock() {
    let text = fs::read_to_string(root().join("examples/zones.rwb")).expect("an example");
    let dir = scratch("counting_ring");
    let with = |robots: u32, zones: u32| {
        let file = dir.join(format!("{robots}_{zones}.rwb"));
        let text = text.replace("robots = 3", &format!("robots = {robots}"));
        fs::write(&file, text.replace("zones = 5", &format!("zones = {zones}"))).expect("written");
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

/// Programs with threads that conserve something, each with a number that is large enough to exclude deadlocks, and a
/// number that is not.
const COUNTING: [(&str, &str, &str, &str); 4] = [
    // Ten processes take up to three units of a pool one by one (the banker's rule).
    (
        "bank",
        "21",
        "20",
        "rwb 1  const pool = NUMBER  event take[10], give[10]
         for i in 0..10 { thread P[i] {
           init has[0]
           for k in 0..3 { state has[k] { request take[i] on take[i] -> has[k+1] } }
           state has[3] { request give[i] on give[i] -> has[0] } } }
         thread Pool {
           init free[pool]
           for k in 0..pool+1 { state free[k] {
             when k == 0 { block take[*] } else { on take[*] -> free[k-1] }
             when k + 3 <= pool { on give[*] -> free[k+3] } } } }",
    ),
    // Fifteen philosophers need a ticket to reach for the left stick.
    (
        "tickets",
        "14",
        "15",
        "rwb 1  const tickets = NUMBER  event ticket[15], left[15], right[15], done[15]
         for i in 0..15 {
           thread Phil[i] { body { loop { request ticket[i] request left[i] request right[i] request done[i] } } }
           thread Stick[i] {
             state free { on left[i], right[(i+14)%15] -> taken }
             state taken { block left[i], right[(i+14)%15] on done[i], done[(i+14)%15] -> free } } }
         thread Butler {
           init has[tickets]
           for k in 0..tickets+1 { state has[k] {
             when k == 0 { block ticket[*] } else { on ticket[*] -> has[k-1] }
             when k < tickets { on done[*] -> has[k+1] } } } }",
    ),
    // Twelve senders wait for an acknowledgement. The receiver needs room for it.
    (
        "credits",
        "3",
        "0",
        "rwb 1  const room = NUMBER  event send[12], receive, ack[12]
         for i in 0..12 { thread Sender[i] { body { loop { request send[i] request ack[i] } } } }
         thread Receiver { state r { request receive } }
         thread Buffer { for k in 0..7 { state n[k] {
           when k == 6 { block send[*] } else { on send[*] -> n[k+1] }
           when k == 0 { block receive } else { on receive -> n[k-1] } } } }
         thread Acks { for k in 0..room+1 { state n[k] {
           when k == 0 { block ack[*] } else { on ack[*] -> n[k-1] }
           when k == room { block receive } else { on receive -> n[k+1] } } } }",
    ),
    // Tokens go round a ring of thirty places and stations.
    (
        "tokens",
        "12",
        "0",
        "rwb 1  const tokens = NUMBER  event get[30], put[30]
         for i in 0..30 {
           thread Station[i] { body { loop { request get[i] request put[(i+1)%30] } } }
           thread Place[i] {
             when i < tokens { init full } else { init free }
             state free { block get[i] on put[i] -> full }
             state full { block put[i] on get[i] -> free } } }",
    ),
];

#[test]
fn counting_proves_that_programs_have_no_deadlock() {
    let dir = scratch("counting_programs");
    for (name, enough, too_few, text) in COUNTING {
        for (number, expected) in [(enough, 0), (too_few, 11)] {
            let file = dir.join(format!("{name}_{number}.rwb"));
            fs::write(&file, text.replace("NUMBER", number) + "\ncheck deadlock\n").expect("written");
            let file = file.display().to_string();
            let output = run(&["check", &file]);
            assert_eq!(code(&output), expected, "{name} {number}: {}", stdout(&output));
            if expected == 0 {
                let by_counting = run(&["check", &file, "--engine", "equation"]);
                assert_eq!(code(&by_counting), 0, "{name} {number}: {}", stdout(&by_counting));
            }
        }
    }
}

/// Producers and consumers that count the same events: with 18 of them, the net with a way for each state of the
/// counters was too large, and the smaller one was not tried.
#[test]
fn counting_has_no_window_of_sizes_that_it_leaves_out() {
    let dir = scratch("counting_window");
    for m in [6, 9, 10, 12] {
        let text = format!(
            "rwb 2
const m = {m}
event credit[m], put[m], get[m], back[m]
check bad
for i in 0..m {{ thread Producer[i] {{ body {{ loop {{ request credit[i] request put[i] }} }} }} }}
for i in 0..m {{ thread Consumer[i] {{ body {{ loop {{ request get[i] request back[i] }} }} }} }}
thread Credits {{ var c: 0..={m} = {m}
  body {{ loop {{
    if c == 0 {{ sync wait back[*] block credit[*] c = 1 }}
    else {{ select {{ on credit[*] {{ c = c - 1 }} on back[*] {{ c = c + 1 }} }} }} }} }} }}
thread Buffer {{ var b: 0..={m} = 0
  body {{ loop {{
    if b == 0 {{ sync wait put[*] block get[*] b = 1 }}
    else if b == {m} {{ sync wait get[*] block put[*] b = b - 1 }}
    else {{ select {{ on put[*] {{ b = b + 1 }} on get[*] {{ b = b - 1 }} }} }} }} }} }}
"
        );
        let file = dir.join(format!("producers_{m}.rwb"));
        fs::write(&file, text).expect("written");
        let output = run(&["check", &file.display().to_string(), "--engine", "equation", "-q"]);
        assert_eq!(code(&output), 0, "{m}: {}", stdout(&output));
    }
}
