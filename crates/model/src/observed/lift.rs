//! Lifts claims about a program in which other questions are encoded as `bad` and `deadlock`
//! ([`mod@crate::observed`]) to the program as read.
//!
//! Certificates remain unchanged, because the checker interprets them for the encoded program. In traces the
//! added threads and events are left out. An added event either changes nothing or ends the run, so the rest is
//! a run of the program as read.

use crate::{Claim, EventId, Goal, Lift, Observed, Trace};

impl Lift for Observed {
    fn claim(&self, claim: Claim) -> Claim {
        let outer = |goals: Vec<Goal>| goals.into_iter().filter_map(|goal| self.outer(goal)).collect();
        match claim {
            Claim::Safe { goals, certificate } => Claim::Safe { goals: outer(goals), certificate },
            Claim::Unsafe { goal, trace, candidate } => {
                let trace = without_added(&trace, self.events, self.threads);
                Claim::Unsafe { goal: self.outer(goal).unwrap_or(goal), trace, candidate }
            }
            Claim::Within { goals, within, invariant } => Claim::Within { goals: outer(goals), within, invariant },
            Claim::Branching { .. } | Claim::Bound { .. } => unreachable!("programs have no such goals"),
            Claim::Unknown { goals, reason } => Claim::Unknown { goals: outer(goals), reason },
        }
    }

    /// Added events change nothing, or are one more event at the end.
    fn keeps_shortest(&self) -> bool {
        true
    }

    fn inner(&self, goal: Goal) -> Option<Goal> {
        Observed::inner(self, goal)
    }
}

/// Returns the trace without the events and threads that have these numbers or greater ones.
fn without_added(trace: &Trace, events: usize, threads: usize) -> Trace {
    let cut = |state: &[u32]| Box::from(&state[..threads.min(state.len())]);
    let mut lift = Trace::new(cut(&trace.start));
    for run in trace.runs() {
        let kept = || run.word.iter().filter(|step| step.event.index() < events);
        if run.times == 1 {
            kept().for_each(|step| lift.push(step.event, step.choice.map(|choice| cut(trace.choice(choice)))));
        } else {
            let word: Vec<EventId> = kept().map(|step| step.event).collect();
            lift.push_repeat(word, run.times);
        }
    }
    lift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_events_and_threads_are_left_out() {
        let mut trace = Trace::new(Box::from([0, 1, 7]));
        trace.push(EventId(0), Some(Box::from([1, 1, 7])));
        trace.push(EventId(2), None);
        trace.push_repeat(vec![EventId(1), EventId(2)], 5);
        trace.push_repeat(vec![EventId(2)], 3);
        let lift = without_added(&trace, 2, 2);
        assert_eq!((&*lift.start, lift.len()), (&[0, 1][..], Some(6)));
        let choice = lift.runs()[0].word[0].choice.expect("it is kept");
        assert_eq!(lift.choice(choice), [1, 1]);
        assert_eq!(lift.runs()[1].times, 5);
    }
}
