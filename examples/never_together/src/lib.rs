//! A pattern matcher outside of the project's crates. It recognises two threads of which, at every moment, at
//! least one blocks a certain event.
//!
//! Suppose that a thread, the marker, becomes bad on event e. Two other threads each block e in some of their
//! states, such that in every joint state at least one of them blocks it. Then e never fires, and the bad state
//! of the marker is unreachable. Neither of the two threads alone shows this. The search visits only the
//! initial state of the program.
//!
//! Formula, for every violating run rho and every bad state b of every thread m: rho ends in b only if one of
//! the events that lead to b fired last (justification `EnteredBy`). For such an event e with a pair {i, j} as
//! above, e did not fire last (justification `Projected` onto {i, j}).
//!
//! Soundness:
//! 1. Event e never fires. Proof: every run of the program, restricted to threads i and j, is a run of the
//!    projection onto them, in which e never fires.
//!
//! Side conditions:
//! * The joint states of the pair are those of the projection, where an event that any other thread may request
//!   counts as requested.
//! * The lemmas contain every bad state of every thread.
//! * A bad state that is initial needs no event.

use patterns::model::lemma::{Lemma, LemmaKind, LemmaLit, Prop};
use patterns::model::pattern::{ConcreteRun, Coverage, Match, Pattern, WhyNot};
use patterns::model::{Constant, EventId, Goal, IntAtom, Justification, LocalId, Thread, ThreadId, Values};
use std::collections::BTreeSet;

/// A run to the goal `bad` ends in a bad state of some thread.
pub const BAD: LemmaKind = LemmaKind("never_together.bad");
/// If the run ends in this bad state, one of the events that lead to it fired last.
pub const ENTERED: LemmaKind = LemmaKind("never_together.entered");
/// The event did not fire last, because in every joint state of two threads at least one of them blocks it.
pub const SHUT: LemmaKind = LemmaKind("never_together.shut");

/// Limit for the number of joint states of a pair that the recogniser explores.
const STATES: usize = 10_000;

/// The pattern.
#[derive(Clone, Copy, Debug)]
pub struct NeverTogether;

impl Pattern for NeverTogether {
    fn name(&self) -> &'static str {
        "never_together"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        if goal != Goal::Bad {
            return Err(WhyNot::new(None, "it speaks of bad states only"));
        }
        let last_events: BTreeSet<EventId> = bad_states(threads).flat_map(|(m, b)| into(threads, m, b)).collect();
        let mut shut = Vec::new();
        for event in last_events {
            shut.extend(pair_that_shuts(threads, event).map(|pair| (event, pair)));
        }
        if shut.is_empty() {
            return Err(WhyNot::new(None, "every event that leads to a bad state can pass each two threads"));
        }
        Ok(Box::new(Found { threads: threads.to_vec(), shut }))
    }
}

/// Iterates over the locally reachable bad states of all threads.
fn bad_states(threads: &[Thread]) -> impl Iterator<Item = (ThreadId, LocalId)> + '_ {
    threads.iter().enumerate().flat_map(|(i, thread)| {
        let reachable = thread.locally_reachable();
        let bad = (0..reachable.len()).filter(move |&s| reachable[s] && thread.states[s].bad);
        bad.map(move |s| (ThreadId::new(i), LocalId::new(s)))
    })
}

/// Returns the events that lead thread `m` into `state` from a locally reachable state that does not block
/// them.
fn into(threads: &[Thread], m: ThreadId, state: LocalId) -> BTreeSet<EventId> {
    let thread = &threads[m.index()];
    let reachable = thread.locally_reachable();
    let sources = thread.states.iter().enumerate().filter(|(s, _)| reachable[*s]);
    let arrows = sources.flat_map(|(_, from)| from.on.iter().map(move |(e, to)| (from, *e, to)));
    arrows.filter(|(from, e, to)| !from.block.contains(*e) && to.contains(&state)).map(|(_, e, _)| e).collect()
}

/// Returns two threads such that at least one of them blocks `event` in every joint state that they can reach.
fn pair_that_shuts(threads: &[Thread], event: EventId) -> Option<[ThreadId; 2]> {
    let blocks = |t: &Thread| t.states.iter().any(|s| !s.bad && s.block.contains(event));
    let blockers: Vec<usize> = (0..threads.len()).filter(|&i| blocks(&threads[i])).collect();
    let pairs = blockers.iter().enumerate().flat_map(|(n, &i)| blockers[n + 1..].iter().map(move |&j| (i, j)));
    pairs.into_iter().find(|&(i, j)| always_shut(threads, i, j, event)).map(|(i, j)| [i, j].map(ThreadId::new))
}

/// Explores the projection onto threads i and j. Returns true if `event` is blocked in all joint states; false
/// if in doubt.
fn always_shut(threads: &[Thread], i: usize, j: usize, event: EventId) -> bool {
    let (a, b) = (&threads[i], &threads[j]);
    let others = |e: EventId| {
        let outside = threads.iter().enumerate().filter(|(k, _)| *k != i && *k != j);
        outside.into_iter().any(|(_, t)| t.states.iter().any(|s| !s.bad && s.request.contains(e)))
    };
    let pairs = |from: &[LocalId], to: &[LocalId]| -> Vec<(LocalId, LocalId)> {
        from.iter().flat_map(|&s| to.iter().map(move |&t| (s, t))).collect()
    };
    let mut open = pairs(&a.initial, &b.initial);
    let mut seen: BTreeSet<(LocalId, LocalId)> = open.iter().copied().collect();
    while let Some((s, t)) = open.pop() {
        let (at_a, at_b) = (a.state(s), b.state(t));
        if seen.len() > STATES || !(at_a.block.contains(event) || at_b.block.contains(event)) {
            return false;
        }
        for e in (0..at_a.block.universe()).map(EventId::new) {
            let shut = at_a.block.contains(e) || at_b.block.contains(e);
            if shut || !(at_a.request.contains(e) || at_b.request.contains(e) || others(e)) {
                continue;
            }
            let (to_a, to_b): (Vec<_>, Vec<_>) = (a.targets(s, e).collect(), b.targets(t, e).collect());
            open.extend(pairs(&to_a, &to_b).into_iter().filter(|&next| seen.insert(next)));
        }
    }
    true
}

struct Found {
    threads: Vec<Thread>,
    shut: Vec<(EventId, [ThreadId; 2])>,
}

impl Match for Found {
    fn coverage(&self) -> Coverage {
        let threads: BTreeSet<ThreadId> = self.shut.iter().flat_map(|(_, pair)| *pair).collect();
        Coverage { goal: Goal::Bad, threads: threads.into_iter().collect() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        let ends_there = |thread, state| Prop::StateBack { back: 0, thread, state };
        let fired_last = |event| Prop::EventBack { back: 0, event };
        let mut bad = vec![LemmaLit::no(Prop::Ends(Goal::Bad))];
        for (thread, state) in bad_states(&self.threads) {
            bad.push(LemmaLit::yes(ends_there(thread, state)));
            let mut entered = vec![LemmaLit::no(ends_there(thread, state))];
            if self.threads[thread.index()].initial.contains(&state) {
                entered.push(LemmaLit::yes(Prop::Int(IntAtom::equals(Constant::RunLength, 0))));
            }
            entered.extend(into(&self.threads, thread, state).into_iter().map(|e| LemmaLit::yes(fired_last(e))));
            let justification = Justification::EnteredBy { back: 0, thread, state };
            out.push(Lemma { kind: ENTERED, clause: entered, justification: Some(justification) });
        }
        out.push(Lemma { kind: BAD, clause: bad, justification: Some(Justification::BadState) });
        for &(event, pair) in &self.shut {
            let justification = Justification::Projected { threads: pair.to_vec(), back: 0, length: 1 };
            let clause = vec![LemmaLit::no(fired_last(event))];
            out.push(Lemma { kind: SHUT, clause, justification: Some(justification) });
        }
    }

    fn witness(&self, run: &ConcreteRun) -> Values {
        Values::from([(Constant::RunLength, run.events.len().into())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impasse::{Finding, Options, check, engines, read_rwb};
    use patterns::kit;

    /// Day and Night take turns. Each of them blocks `ring` in one half of the day, so `ring` is always
    /// blocked.
    const BELL: &str = "rwb 1  event turn, ring  check bad
        thread Day { state dark { request turn, ring block ring on turn -> light } state light { request turn, ring \
        on turn -> dark } }
        thread Night { state awake { on turn -> asleep } state asleep { block ring on turn -> awake } }
        thread Marker { body { wait ring bad } }";

    #[test]
    fn a_safe_answer_is_certified_without_a_state_visited() {
        let problem = read_rwb(BELL).expect("it is well formed");
        let patterns: &[&dyn Pattern] = &[&NeverTogether];
        let options = Options { engine: Some(&engines::DPLLT), patterns, ..Options::default() };
        let outcome = check(&problem, &options);
        let answer = outcome.about(Goal::Bad).expect("it was asked");
        let Finding::Settled(confirmed) = &answer.finding else { panic!("{:?}", answer.finding) };
        assert!(answer.is_safe() && confirmed.trusted.is_empty(), "checked, not believed");
        assert_eq!(answer.stats.states, 1, "only the initial state");
        assert!(answer.stats.lemmas.contains_key(SHUT.0));
    }

    #[test]
    fn where_both_are_open_it_does_not_match() {
        let open = BELL.replace("state asleep { block ring on", "state asleep { on");
        let problem = read_rwb(&open).expect("it is well formed");
        assert!(
            NeverTogether.recognize(problem.system().as_program().expect("a program").threads(), Goal::Bad).is_err()
        );
    }

    #[test]
    fn the_kit_finds_no_false_lemma() {
        let tally = kit::check_random(&[&NeverTogether], 1, 3_000).unwrap_or_else(|failure| panic!("{failure}"));
        assert!(tally.matches > 30 && tally.evaluations > 300, "{tally:?}");
    }
}
