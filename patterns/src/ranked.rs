//! Ranked requests: programs that never reach a deadlock, because every thread that blocks a request has a
//! stronger request.
//!
//! Sets of tasks with priorities are such programs. Idling is blocked by tasks that request their own event.
//! These events are blocked by tasks with higher priority, and no task blocks the event of the highest
//! priority. The same holds for locks that are taken in order. Formula and proof:
//! [`Justification::NeverStuck`]. There are no other side conditions. The pattern does not match programs
//! without such an order.

use model::{
    Coverage, EventId, Goal, Justification, Lemma, LemmaKind, LemmaLit, LocalState, Match, Pattern, Prop, Thread,
    ThreadId, WhyNot,
};

/// The literal `not Ends(Deadlock)`.
pub const STUCK: LemmaKind = LemmaKind("ranked.stuck");

/// The registered pattern.
pub const RANKED: Ranked = Ranked;

/// The matcher of programs with ranked requests.
#[derive(Clone, Copy, Debug)]
pub struct Ranked;

impl Pattern for Ranked {
    fn name(&self) -> &'static str {
        "ranked"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        if goal != Goal::Deadlock {
            return Err(WhyNot::new(None, "it is about plain deadlocks only"));
        }
        let ranks = Ranks::of(threads);
        match ranks.thread_that_always_asks() {
            Some(thread) => Ok(Box::new(RankedMatch { thread })),
            None => Err(ranks.why_not(threads)),
        }
    }
}

/// A thread that always has a request with a rank.
struct RankedMatch {
    thread: ThreadId,
}

impl Match for RankedMatch {
    fn coverage(&self) -> Coverage {
        Coverage { goal: Goal::Deadlock, threads: vec![self.thread] }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        let clause = vec![LemmaLit::no(Prop::Ends(Goal::Deadlock))];
        out.push(Lemma { kind: STUCK, clause, justification: Some(Justification::NeverStuck) });
    }
}

/// The states that request an event with a rank. They are computed with a worklist over the states that block
/// and request events.
struct Ranks {
    /// For each thread and state: true if the state is locally reachable, not bad, and has no request with a
    /// rank.
    bare: Vec<Vec<bool>>,
}

impl Ranks {
    /// Computes the ranks in time linear in the total size of requests and blocks.
    fn of(threads: &[Thread]) -> Self {
        let universe = threads.first().map_or(0, |t| t.states[0].block.universe());
        let mut requesting: Vec<Vec<(usize, usize)>> = vec![Vec::new(); universe];
        let mut blocked_by_bare = vec![0usize; universe];
        let mut bare = Vec::new();
        for (i, thread) in threads.iter().enumerate() {
            let mut here = thread.locally_reachable();
            for (s, state) in thread.states.iter().enumerate() {
                here[s] &= !state.bad;
                if here[s] {
                    state.request.iter().for_each(|e| requesting[e.index()].push((i, s)));
                    state.block.iter().for_each(|e| blocked_by_bare[e.index()] += 1);
                }
            }
            bare.push(here);
        }
        let mut new: Vec<usize> = (0..universe).filter(|&e| blocked_by_bare[e] == 0).collect();
        while let Some(event) = new.pop() {
            for &(i, s) in &requesting[event] {
                if !std::mem::replace(&mut bare[i][s], false) {
                    continue;
                }
                for e in threads[i].states[s].block.iter().map(EventId::index) {
                    blocked_by_bare[e] -= 1;
                    if blocked_by_bare[e] == 0 {
                        new.push(e);
                    }
                }
            }
        }
        Self { bare }
    }

    fn thread_that_always_asks(&self) -> Option<ThreadId> {
        let asks = |i: &usize| !self.bare[*i].contains(&true);
        (0..self.bare.len()).find(asks).map(ThreadId::new)
    }

    /// Explains the failure. Names a state that blocks an event while it has no request with a rank. If there
    /// is no such state, then no thread always has a request.
    fn why_not(&self, threads: &[Thread]) -> WhyNot {
        let lacks = |&(i, s): &(usize, usize)| self.bare[i][s] && !threads[i].states[s].block.is_empty();
        let all = (0..threads.len()).flat_map(|i| (0..threads[i].states.len()).map(move |s| (i, s)));
        let Some((i, s)) = all.clone().find(lacks) else { return WhyNot::new(None, "no thread always has a request") };
        let state: &LocalState = &threads[i].states[s];
        let place = format!("thread `{}` may block ", threads[i].name);
        let event = state.block.iter().next().expect("it blocks something");
        let why = WhyNot::new(Some(ThreadId::new(i)), place).event(event);
        why.text(format!(" in state `{}` and wait there for others", state.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit;

    #[test]
    fn ranked_requests_never_get_stuck() {
        for generate in [kit::program, kit::task_program] {
            let tally = kit::check_generated(&[&RANKED], generate, 7, 4_000).unwrap_or_else(|f| panic!("{f}"));
            assert!(tally.matches > 300, "{tally:?}");
        }
    }

    #[test]
    fn nothing_simpler_is_missed() {
        // Ranks are computed by their definition, round by round.
        let mut random = kit::Random::new(8);
        let (mut agreed, mut matched) = (0, 0);
        for _ in 0..2_000 {
            let program = kit::task_program(&mut random);
            let threads = program.threads();
            let live = |t: &Thread| -> Vec<LocalState> {
                let seen = t.locally_reachable();
                t.states.iter().zip(seen).filter(|(s, seen)| *seen && !s.bad).map(|(s, _)| s.clone()).collect()
            };
            let threads: Vec<Vec<LocalState>> = threads.iter().map(live).collect();
            let mut ranked: Vec<EventId> = Vec::new();
            loop {
                let asks = |s: &LocalState| ranked.iter().any(|e| s.request.contains(*e));
                let new = (0..program.events().len()).map(EventId::new).find(|e| {
                    !ranked.contains(e) && threads.iter().flatten().filter(|s| s.block.contains(*e)).all(asks)
                });
                match new {
                    Some(event) => ranked.push(event),
                    None => break,
                }
            }
            let expected = threads.iter().any(|t| t.iter().all(|s| ranked.iter().any(|e| s.request.contains(*e))));
            let found = RANKED.recognize(program.threads(), Goal::Deadlock).is_ok();
            assert_eq!(found, expected, "{}", kit::describe(&program));
            agreed += 1;
            matched += usize::from(found);
        }
        assert!(matched > agreed / 10, "{matched} of {agreed}");
    }
}
