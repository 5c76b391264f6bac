//! Checks of one program by every engine, for both goals, against brute force.

use impasse::formats::{Limits, Source};
use impasse::model::{Claim, Goal, Pattern, Problem, Program, Reason, Stop};
use impasse::{Answer, Finding, Options, Row, certify, check, engines, evidence};
use std::sync::Arc;
use testkit::program::{Truth, truth_of};

/// Programs with more states are skipped.
const MOST_STATES: usize = 20_000;

/// A way to check.
struct Way {
    name: &'static str,
    engine: Option<&'static Row>,
    patterns: bool,
    batch: Option<usize>,
}

const WAYS: [Way; 9] = [
    Way { name: "explicit", engine: Some(&engines::EXPLICIT), patterns: false, batch: None },
    Way { name: "dpllt", engine: Some(&engines::DPLLT), patterns: false, batch: None },
    Way { name: "dpllt --batch 1", engine: Some(&engines::DPLLT), patterns: false, batch: Some(1) },
    Way { name: "dpllt with patterns", engine: Some(&engines::DPLLT), patterns: true, batch: None },
    Way { name: "dpllt --batch 1 with patterns", engine: Some(&engines::DPLLT), patterns: true, batch: Some(1) },
    Way { name: "stubborn", engine: Some(&engines::STUBBORN), patterns: false, batch: None },
    Way { name: "thread-abstraction", engine: Some(&engines::THREAD_ABSTRACTION), patterns: false, batch: None },
    Way { name: "ic3", engine: Some(&engines::IC3), patterns: false, batch: None },
    Way { name: "auto", engine: None, patterns: true, batch: None },
];

/// Counters over many programs.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) programs: u64,
    pub(crate) skipped: u64,
    pub(crate) checks: u64,
    pub(crate) safe: u64,
    pub(crate) unsafe_bad: u64,
    pub(crate) unsafe_deadlock: u64,
    /// Programs that a pattern matches.
    pub(crate) matched: u64,
    /// Safe answers that came from lemmas alone.
    pub(crate) by_lemmas: u64,
    /// Programs with other states or runs than without priorities, and goals that only priorities avoid.
    pub(crate) priorities_matter: u64,
    pub(crate) avoided: u64,
    /// Answers of engines that found only runs against priorities.
    pub(crate) in_vain: u64,
}

/// Checks `program` in every way. Depending on `turn`, one goal or both goals are checked.
///
/// # Errors
///
/// A description of the first wrong answer.
pub(crate) fn compare(program: &Arc<Program>, turn: u64, tally: &mut Tally) -> Result<(), String> {
    let goals: &[Goal] = match turn % 4 {
        0 => &[Goal::Bad],
        1 => &[Goal::Deadlock],
        _ => &[Goal::Bad, Goal::Deadlock],
    };
    compare_asked(&Problem::of_program_with(Arc::clone(program), goals).expect("goals of programs"), tally)
}

/// Like [`compare`], for all properties of the problem.
///
/// # Errors
///
/// A description of the first wrong answer, or of evidence that is not accepted after writing and reading.
pub(crate) fn compare_asked(problem: &Problem, tally: &mut Tally) -> Result<(), String> {
    let Some(truth) = truth_of(problem, MOST_STATES) else {
        tally.skipped += 1;
        return Ok(());
    };
    tally.programs += 1;
    tally.unsafe_bad += u64::from(truth.shortest.contains_key(&Goal::Bad));
    tally.unsafe_deadlock += u64::from(truth.shortest.contains_key(&Goal::Deadlock));
    // Patterns see the program after formulas and final states were encoded into it.
    let matches = |goals: &Vec<Goal>| {
        let other = impasse::model::observed(problem, goals).expect("small formulas").problem;
        let threads = other.system().as_program().expect("a program").threads();
        let knows =
            |p: &&dyn Pattern| other.goals().any(|g| p.recognize(threads, g).is_ok()) || p.restrict(threads).is_some();
        impasse::patterns::ALL.iter().any(knows)
    };
    let matched = impasse::model::together(problem).iter().any(matches);
    tally.matched += u64::from(matched);
    // Engines that know no priorities answer what holds without them as well. Other runs they find in vain.
    let without = Program::clone(problem.system().as_program().expect("a program")).with_priorities(Vec::new());
    let without = problem.clone().on(impasse::model::SystemModel::Rwb(Arc::new(without))).expect("it fits");
    let without = truth_of(&without, usize::MAX).expect("no limit");
    let goals: Vec<Goal> = without.shortest.keys().filter(|goal| !truth.shortest.contains_key(goal)).copied().collect();
    tally.priorities_matter += u64::from(without != truth);
    tally.avoided += goals.len() as u64;
    for way in &WAYS {
        // Without a match, patterns change nothing.
        if way.patterns && !matched {
            continue;
        }
        one_way(problem, way, &truth, &goals, tally).map_err(|e| format!("{}: {e}", way.name))?;
    }
    Ok(())
}

fn one_way(problem: &Problem, way: &Way, truth: &Truth, avoided: &[Goal], tally: &mut Tally) -> Result<(), String> {
    let options = Options {
        engine: way.engine,
        patterns: if way.patterns { impasse::patterns::ALL } else { &[] },
        batch: way.batch,
        explore_all: way.engine == Some(&engines::EXPLICIT),
        ..Options::default()
    };
    let outcome = check(problem, &options);
    if outcome.answers.len() != problem.properties().len() {
        return Err("not one answer per property".to_owned());
    }
    for answer in &outcome.answers {
        tally.checks += 1;
        let goal = answer.property.goal;
        if way.engine == Some(&engines::STUBBORN) && gave_up(answer) {
            continue;
        }
        if way.engine == Some(&engines::IC3) && answer.unknown() == Some(Reason::Unsupported) {
            continue;
        }
        let respects = way.engine.is_none_or(|row| row.name == engines::EXPLICIT.name);
        let has_priorities = problem.system().as_program().expect("a program").has_priorities();
        if !respects
            && gave_up(answer)
            && (avoided.contains(&goal) || has_priorities && truth.shortest.contains_key(&goal))
        {
            tally.in_vain += 1;
            continue;
        }
        let Finding::Settled(confirmed) = &answer.finding else {
            return Err(format!("{goal}: {:?}", answer.finding));
        };
        let shortest = truth.shortest.get(&goal).copied();
        if answer.is_unsafe() != shortest.is_some() {
            return Err(format!("{goal}: said safe = {}, the truth is {shortest:?}", answer.is_safe()));
        }
        tally.safe += u64::from(answer.is_safe());
        tally.by_lemmas += u64::from(answer.is_safe() && answer.stats.states < truth.states);
        if way.engine == Some(&engines::EXPLICIT) {
            exact(answer, confirmed.length, truth)?;
        }
        if problem.system().as_program().expect("a program").has_finals() || !problem.formulas().is_empty() {
            survives(problem, answer)?;
        }
        if way.engine == Some(&engines::STUBBORN) && !has_priorities && shortest.is_some_and(|s| s != confirmed.length)
        {
            return Err(format!("{goal}: a run of {} events, but {shortest:?} are enough", confirmed.length));
        }
    }
    Ok(())
}

/// The engine with stubborn sets gives up if they save nothing.
fn gave_up(answer: &Answer) -> bool {
    matches!(answer.finding, Finding::Unknown { reason: Reason::GaveUp, .. })
}

/// The explicit engine finds shortest runs and visits every state once.
fn exact(answer: &Answer, length: u64, truth: &Truth) -> Result<(), String> {
    let goal = answer.property.goal;
    if let Some(shortest) = truth.shortest.get(&goal).filter(|s| **s != length) {
        return Err(format!("{goal}: a run of {length} events, but {shortest} are enough"));
    }
    let counted = (answer.stats.states, answer.stats.transitions);
    let counts = (truth.states, truth.transitions);
    if counted != counts {
        return Err(format!("counted {counted:?}, the truth is {counts:?}"));
    }
    Ok(())
}

/// Evidence for an answer can be written, read and checked again. Evidence about one program is not accepted
/// for another if it is wrong there.
fn survives(problem: &Problem, answer: &Answer) -> Result<(), String> {
    let Some(claim) = answer.claim.as_deref() else { return Err("an answer without a claim".to_owned()) };
    let mut bytes = Vec::new();
    evidence::write("m", problem, claim, &mut bytes).map_err(|error| format!("cannot write evidence: {error}"))?;
    let source = Source { name: "m.json".to_owned(), bytes };
    let read = evidence::read(&source, problem, &Limits::default()).map_err(|error| error.to_string())?;
    let confirm = |problem: &Problem| certify::confirm(problem, &read, &certify::Options::default(), &Stop::default());
    let confirmed = confirm(problem).map_err(|refusal| format!("evidence read again: {refusal}"))?;
    if confirmed.verdict.is_safe() != answer.is_safe() {
        return Err("evidence read again says something else".to_owned());
    }
    // Without final states there are more deadlocks. A proof that uses final states may then be wrong, and a
    // wrong proof must be refused.
    let strict = impasse::model::SystemModel::Rwb(Arc::new(
        Program::clone(problem.system().as_program().expect("a program"))
            .with_finals(Vec::new())
            .with_stops(Vec::new()),
    ));
    let strict = problem.clone().on(strict).expect("it fits");
    let found = truth_of(&strict, MOST_STATES).ok_or("it was small")?;
    if let (Claim::Safe { goals, .. }, Ok(_)) = (&read, confirm(&strict))
        && goals.iter().any(|goal| found.shortest.contains_key(goal))
    {
        return Err("a proof about proper ends is believed without them".to_owned());
    }
    Ok(())
}

/// Returns `program` as text, so that it can become a test.
pub(crate) fn text(program: &Arc<Program>) -> String {
    let format = impasse::formats::by_name("rwb").expect("the native format");
    let mut out = Vec::new();
    let write = format.write.expect("it can be written");
    write(&Problem::of_program(Arc::clone(program)), &mut out).expect("memory can be written");
    String::from_utf8_lossy(&out).into_owned()
}
