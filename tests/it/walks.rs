//! Random walks through programs. The runs that are shown are valid and short. The same seed gives the same
//! runs.

use impasse::model::{Claim, Goal, Problem, Program, Stop};
use impasse::{Answer, Options, Outcome, certify, check, engines, read_rwb};
use programs::running::{Compiled, Local, Running};
use programs::{ProgramShortener, Script, Stepped};
use std::sync::Arc;
use testkit::Random;
use testkit::program::{Truth, program, truth};

const PROGRAMS: u64 = 300;

fn length(answer: &Answer) -> u64 {
    match answer.claim.as_deref() {
        Some(Claim::Unsafe { trace, .. }) => trace.len().expect("short"),
        other => panic!("{other:?}"),
    }
}

/// Random small programs with the results of brute force.
fn programs() -> impl Iterator<Item = (u64, Arc<Program>, Truth)> {
    (0..PROGRAMS).filter_map(|seed| {
        let program = Arc::new(program(seed));
        let truth = truth(&program, 3_000)?;
        Some((seed, program, truth))
    })
}

/// Returns a random run to a goal state, if it finds one.
fn random_run(rows: &Arc<Compiled>, random: &mut Random) -> Option<(Goal, Script)> {
    let start: Vec<Local> = (0..rows.threads() as u32).map(|t| rows.initial(t)[0]).collect();
    let mut running = Running::new(rows, &start);
    let mut steps = Vec::new();
    for _ in 0..300 {
        if let Some(goal) = running.goal() {
            return Some((goal, Script { start, steps }));
        }
        let event = running.enabled()[random.below(running.enabled().len())];
        let mut changes = Vec::new();
        running.fire(event, |several| several[random.below(several.len())], &mut changes);
        steps.push(Stepped { event, changes: changes.into_iter().collect() });
    }
    None
}

#[test]
fn shortened_runs_still_violate_and_are_never_longer() {
    let (mut runs, mut shorter, mut best) = (0, 0, 0);
    for (seed, program, truth) in programs() {
        let rows = Arc::new(Compiled::new(&program));
        let mut random = Random::new(seed);
        for _ in 0..4 {
            let Some((goal, script)) = random_run(&rows, &mut random) else { continue };
            let before = script.steps.len();
            assert_eq!(Script::of_trace(&rows, &script.trace(&rows), 1_000).as_ref(), Some(&script), "seed {seed}");
            let mut shortener = ProgramShortener { rows: &rows, goal, assumptions: &[], work: 1_000_000 };
            let short = shortener.shorten(script);
            let after = short.steps.len();
            let claim = Claim::Unsafe { goal, trace: short.trace(&rows), candidate: false };
            let problem = Problem::of_program_with(Arc::clone(&program), &[goal]).expect("goals of programs");
            certify::confirm(&problem, &claim, &certify::Options::default(), &Stop::default())
                .unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
            assert!(after <= before, "seed {seed}: {before} became {after}");
            assert!(after as u64 >= truth.shortest[&goal], "seed {seed}");
            runs += 1;
            shorter += usize::from(after < before);
            best += usize::from(after as u64 == truth.shortest[&goal]);
        }
    }
    assert!(runs > 200 && shorter > 50 && best * 10 > runs * 7, "{shorter} and {best} of {runs}");
}

#[test]
fn what_is_not_a_run_is_handed_back() {
    let program = Arc::new(program(3));
    let rows = Arc::new(Compiled::new(&program));
    let start: Vec<Local> = (0..rows.threads() as u32).map(|t| rows.initial(t)[0]).collect();
    let nonsense = Script { start, steps: vec![Stepped { event: 0, changes: [].into_iter().collect() }; 9] };
    let mut shortener = ProgramShortener { rows: &rows, goal: Goal::Bad, assumptions: &[], work: 1_000 };
    assert_eq!(shortener.shorten(nonsense.clone()), nonsense);
}

#[test]
fn walks_find_what_there_is_and_shortest_is_shortest() {
    for (seed, program, truth) in programs() {
        for (&goal, &shortest) in &truth.shortest {
            let problem = Problem::of_program_with(Arc::clone(&program), &[goal]).expect("goals of programs");
            for engine in [Some(&engines::WALK), None] {
                let options = Options { engine, seed, shortest: true, ..Options::default() };
                let outcome = check(&problem, &options);
                let answer = outcome.about(goal).expect("asked");
                assert!(answer.is_unsafe() && answer.shortest, "seed {seed}: {answer:?}");
                assert_eq!(length(answer), shortest, "seed {seed}");
            }
        }
    }
}

fn philosophers(n: usize) -> Problem {
    let text = include_str!("../../examples/philosophers.rwb").replace("const n = 3", &format!("const n = {n}"));
    read_rwb(&text).expect("it is well formed")
}

fn check_deadlock(problem: &Problem, seed: u64) -> Outcome {
    let asked =
        Problem::of_program_with(Arc::clone(problem.system().as_program().expect("a program")), &[Goal::Deadlock])
            .expect("goals of programs");
    check(&asked, &Options { seed, ..Options::default() })
}

/// Walks find the deadlock immediately, also for hundreds of philosophers. Plain search takes half a minute for
/// thirty philosophers.
#[test]
fn philosophers_starve_at_once() {
    for n in [20, 30, 100, 300] {
        let outcome = check_deadlock(&philosophers(n), 0);
        let answer = outcome.about(Goal::Deadlock).expect("asked");
        assert!(answer.is_unsafe());
        assert_eq!(answer.engine, "walk");
        // The work for shortening is limited, so runs of many threads may stay longer than necessary.
        let most = if n <= 100 { n } else { 3 * n };
        assert!(length(answer) <= most as u64, "{n}: {} events", length(answer));
        assert!(answer.stats.transitions < 1_000 + 10 * n as u64, "{n}: {} steps", answer.stats.transitions);
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let problem = philosophers(40);
    let run = |seed| {
        let outcome = check_deadlock(&problem, seed);
        format!("{:?}", outcome.about(Goal::Deadlock).expect("asked"))
    };
    assert_eq!(run(5), run(5));
}

/// The shortest run into the goal breaks the assumption, so a longer one must be found.
#[test]
fn runs_that_break_an_assumption_violate_nothing() {
    let text = "rwb 1 event a, b, c assume length >= 5 check deadlock
        thread T { state s { request a, b on a -> s on b -> t } state t {} }
        thread U { state s { on a -> t } state t { on a -> u } state u { on a -> u } }";
    let problem = read_rwb(text).expect("it is well formed");
    for engine in [Some(&engines::WALK), None] {
        let outcome = check(&problem, &Options { engine, ..Options::default() });
        let answer = outcome.about(Goal::Deadlock).expect("asked");
        assert!(answer.is_unsafe() && length(answer) >= 5, "{answer:?}");
    }
}

/// A run that was found is checked and shown even if there are 2^27 initial states, which a search for a
/// shorter run would list.
#[test]
fn many_initial_states_do_not_hold_up_a_run_that_is_found() {
    let thread = |i: usize| {
        format!(
            "thread T{i} {{ init s|t state s {{ request a on a -> u }} state t {{ request a on a -> u }} \
             state u {{ request b on b -> v }} state v {{ bad }} }}\n"
        )
    };
    let text = format!("rwb 1 event a, b check bad\n{}", (0..27).map(thread).collect::<String>());
    let outcome = check(&read_rwb(&text).expect("it is well formed"), &Options::default());
    let answer = outcome.about(Goal::Bad).expect("asked");
    assert!(answer.is_unsafe() && length(answer) == 2);
}
