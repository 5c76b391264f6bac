//! Random systems over words, with arrays as memories, checked by the engines for memories. The same systems with a
//! latch for each bit of each array are the reference. Changed evidence is given to the checker.

use crate::circuits::evidence::changed_run;
use crate::circuits::is_accepted;
use impasse::model::{Certificate, Claim, Followed, Goal, PortId, Problem, Reason, Signal, Stop, SystemModel, Tracker};
use impasse::{Finding, Options, Row, check, engines};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::{Random, words};

/// Turns of engines per system. Goals that need more stay open.
const TURNS: u64 = 60;
/// Number of changes that are tried on each piece of evidence.
const MUTANTS: usize = 2;

/// Counters over many systems.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) systems: u64,
    pub(crate) safe: u64,
    pub(crate) violated: u64,
    pub(crate) open: u64,
    /// Proofs that follow no word, those that follow some, and those that follow all.
    pub(crate) followed: [u64; 3],
    /// For each kind of change: accepted mutants, and refused ones.
    pub(crate) mutants: BTreeMap<&'static str, [u64; 2]>,
}

/// Reads a system so that arrays with more bits are memories.
pub(crate) fn read(text: &str, array_bits: u64) -> Problem {
    let limits = impasse::formats::Limits { array_bits, ..impasse::formats::Limits::default() };
    let source = impasse::formats::Source { name: "t.btor2".to_owned(), bytes: text.as_bytes().to_vec() };
    impasse::formats::read(source, None, &limits).unwrap_or_else(|error| panic!("{error}\n{text}")).problem
}

/// Returns a random system. Each bit of each word is a bad state: some of them suffice.
fn any_system(seed: u64, random: &mut Random) -> String {
    let mut system = words::memories(seed);
    while system.bad.len() > 4 {
        system.bad.swap_remove(random.below(system.bad.len()));
    }
    system.text()
}

/// Returns a system that remembers one written word in registers, and compares it with the memory. The comparison may
/// be late, the memory may be copied to another one, and there may be a mistake.
fn written_and_read(random: &mut Random) -> String {
    let (index, width) = (random.between(1, 3), random.between(1, 4));
    let mut lines = vec![
        format!(
            "1 sort bitvec 1\n2 sort bitvec {index}\n3 sort bitvec {width}\n4 sort array 2 3\n5 zero 1\n6 one 1\n\
             1000 zero 3"
        ),
        "7 input 1 write\n8 input 2 at\n9 input 3 word\n10 input 1 keep\n11 state 4 mem\n12 state 2 kept_at".to_owned(),
        "13 state 3 kept\n14 state 1 is_kept\n15 init 1 14 5\n16 state 4 copy".to_owned(),
    ];
    let mut last = 16;
    let mut add = |line: &str| {
        last += 1;
        lines.push(format!("{last} {line}"));
        last
    };
    let written = add("write 4 11 8 9");
    let is_written = match random.below(4) {
        0 => 6,
        // A mistake: words are remembered that were not written.
        1 => add("and 1 7 10"),
        _ => 7,
    };
    let next = add(&format!("ite 4 {is_written} {written} 11"));
    add(&format!("next 4 11 {next}"));
    if random.chance(40) {
        add("init 4 11 1000");
    }
    // The kept word is forgotten when its place is written again, or it is replaced; without this there is a mistake.
    let here = add("eq 1 8 12");
    let again = if random.chance(85) { add(&format!("and 1 {here} 7")) } else { 5 };
    let takes = add("and 1 7 10");
    for (state, sort, new) in [(12, 2, 8), (13, 3, 9)] {
        let next = add(&format!("ite {sort} {takes} {new} {state}"));
        add(&format!("next {sort} {state} {next}"));
    }
    let stays = add(&format!("ite 1 {again} 5 14"));
    let is_kept = add(&format!("ite 1 {takes} 6 {stays}"));
    add(&format!("next 1 14 {is_kept}"));
    add(if random.chance(50) { "next 4 16 11" } else { "next 4 16 16" });
    let read = add("read 3 11 12");
    let mut bad = add(&format!("neq 1 {read} 13"));
    bad = add(&format!("and 1 {bad} 14"));
    for _ in 0..random.below(3) {
        let late = add("state 1");
        add(&format!("next 1 {late} {bad}"));
        let is_late = add("state 1");
        add(&format!("next 1 {is_late} 6"));
        // A state without initial value may be true at first: another mistake.
        bad = if random.chance(70) { add(&format!("and 1 {late} {is_late}")) } else { late };
    }
    add(&format!("bad {bad} late"));
    let copied = add("read 3 16 8");
    let differs = add(&format!("neq 1 {copied} {read}"));
    let same = add(&format!("and 1 {differs} {here}"));
    add(&format!("bad {same} copied"));
    lines.join("\n") + "\n"
}

/// Returns a system with a register that has the exclusive disjunction of all words of a memory, which a proof must
/// follow together. There may be a mistake.
fn summed(random: &mut Random) -> String {
    let (index, width) = (random.between(1, 3), random.between(1, 3));
    let mut lines = vec![format!(
        "1 sort bitvec 1\n2 sort bitvec {index}\n3 sort bitvec {width}\n4 sort array 2 3\n5 zero 3\n6 input 2 at\n\
         7 input 3 word\n8 input 1 write\n9 state 4 mem\n10 state 3 sum\n11 init 3 10 5"
    )];
    let mut last = 11;
    let mut add = |line: &str| {
        last += 1;
        lines.push(format!("{last} {line}"));
        last
    };
    if random.chance(90) {
        add("init 4 9 5");
    }
    let written = add("write 4 9 6 7");
    let next = add(&format!("ite 4 8 {written} 9"));
    add(&format!("next 4 9 {next}"));
    let old = add("read 3 9 6");
    let change = if random.chance(90) { add(&format!("xor 3 7 {old}")) } else { 7 };
    let changed = add(&format!("xor 3 10 {change}"));
    let next_sum = if random.chance(90) { add(&format!("ite 3 8 {changed} 10")) } else { changed };
    add(&format!("next 3 10 {next_sum}"));
    let mut sum = 5;
    for at in 0..1 << index {
        let address = add(&format!("constd 2 {at}"));
        let word = add(&format!("read 3 9 {address}"));
        sum = add(&format!("xor 3 {sum} {word}"));
    }
    let differs = add(&format!("neq 1 {sum} 10"));
    add(&format!("bad {differs} sum"));
    lines.join("\n") + "\n"
}

/// Checks the bad states of a system with memories against those of the same system with latches.
///
/// # Errors
///
/// A description of the first wrong answer or wrong piece of evidence.
pub(crate) fn compare(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let random = &mut Random::new(seed);
    let text = match seed % 5 {
        0 => summed(random),
        1 | 2 => written_and_read(random),
        _ => any_system(seed, random),
    };
    let problem = read(&text, 0);
    let SystemModel::Circuit(circuit) = problem.system() else { return Err("not a circuit".to_owned()) };
    if circuit.memories().is_empty() {
        return Ok(());
    }
    tally.systems += 1;
    let latches = read(&text, u64::MAX);
    let expected = settled(&latches, &[])?;
    let without: [&[&'static Row]; 3] = [&[], &[&engines::IC3], &[&engines::K_INDUCTION, &engines::BMC]];
    let found = settled(&problem, without[random.below(without.len())])?;
    for (goal, claim) in &found {
        let Some(claim) = claim else {
            tally.open += 1;
            continue;
        };
        let is_safe = matches!(**claim, Claim::Safe { .. });
        let reference = expected.get(goal).and_then(Option::as_ref);
        if reference.is_some_and(|other| matches!(**other, Claim::Safe { .. }) != is_safe) {
            return Err(format!("{goal}: said safe = {is_safe}, which is wrong\n{text}"));
        }
        let is_violated = reference.map(|other| matches!(**other, Claim::Unsafe { .. }));
        match &**claim {
            Claim::Unsafe { trace, .. } => tally.violated += u64::from(!trace.is_empty()),
            Claim::Safe { certificate: Certificate::Tracking(proof), .. } => {
                tally.safe += 1;
                let kind = match &proof.followed {
                    Followed::Some(trackers) => usize::from(!trackers.is_empty()),
                    Followed::All => 2,
                };
                tally.followed[kind] += 1;
            }
            other => return Err(format!("{goal}: settled by {other:?}")),
        }
        for _ in 0..MUTANTS {
            let (what, mutant) = mutant(claim, random);
            let says_safe = matches!(mutant, Claim::Safe { .. });
            if is_accepted(&problem, what, &mutant, &mut tally.mutants)? && is_violated == Some(says_safe) {
                return Err(format!("{goal}: accepted, and wrong: {mutant:?}\n{text}"));
            }
        }
    }
    Ok(())
}

/// Returns the claims that settle goals, without these engines and within a number of turns. `None` for goals that stay
/// open.
fn settled(problem: &Problem, without: &[&'static Row]) -> Result<BTreeMap<Goal, Option<Arc<Claim>>>, String> {
    let (stop, turns) = (Arc::new(Stop::default()), AtomicU64::new(0));
    let on_turn = |_: &'static str| {
        if turns.fetch_add(1, Ordering::Relaxed) > TURNS {
            stop.raise(Reason::Timeout);
        }
    };
    let without = without.to_vec();
    let options = Options { without, stop: Arc::clone(&stop), on_turn: &on_turn, ..Options::default() };
    let answers = check(problem, &options).answers.into_iter().map(|answer| match answer.finding {
        Finding::Settled(_) => Ok((answer.property.goal, answer.claim)),
        Finding::Unknown { .. } => Ok((answer.property.goal, None)),
        other => Err(format!("{}: {other:?}", answer.property.goal)),
    });
    answers.collect()
}

/// Changes a run, or what a proof follows.
fn mutant(claim: &Claim, random: &mut Random) -> (&'static str, Claim) {
    match claim {
        Claim::Unsafe { goal, trace, .. } => {
            let trace = changed_run(trace, random);
            ("a run", Claim::Unsafe { goal: *goal, trace, candidate: true })
        }
        Claim::Safe { goals, certificate: Certificate::Tracking(proof) } => {
            let mut changed = proof.clone();
            let is_all = changed.followed == Followed::All;
            if random.chance(if is_all { 50 } else { 5 }) {
                changed.followed = if is_all { Followed::Some(Vec::new()) } else { Followed::All };
                return (
                    "other words",
                    Claim::Safe { goals: goals.clone(), certificate: Certificate::Tracking(changed) },
                );
            }
            let Followed::Some(trackers) = &mut changed.followed else {
                let nodes = 2 * (1 + random.below(400)) as u32;
                changed.gates.insert(0, (Signal::from_code(nodes), Signal::from_code(nodes + 1)));
                let certificate = Certificate::Tracking(changed);
                return ("a gate more", Claim::Safe { goals: goals.clone(), certificate });
            };
            let what = match (random.below(4), trackers.last_mut()) {
                (3, _) => {
                    let nodes = 2 * (1 + random.below(400)) as u32;
                    changed.gates.insert(0, (Signal::from_code(nodes), Signal::from_code(nodes + 1)));
                    "a gate more"
                }
                (0, _) | (_, None) => {
                    trackers.push(Tracker { port: PortId(random.below(3) as u32), delay: random.below(3) as u32 });
                    "a word more"
                }
                (1, Some(tracker)) => {
                    tracker.delay += 1;
                    "another delay"
                }
                _ => {
                    trackers.pop();
                    "a word less"
                }
            };
            (what, Claim::Safe { goals: goals.clone(), certificate: Certificate::Tracking(changed) })
        }
        other => panic!("no other claim settles an output: {other:?}"),
    }
}
