//! Lifts runs of a reduced net by writing out what its transitions stand for.

use super::draft::Draft;
use model::{Claim, EventId, Lift, Reason, Trace};

/// Longest run that is written out, in transitions.
const LONGEST: u64 = 10_000_000;

/// What the transitions of a reduced net stand for.
pub(super) struct Words {
    /// What fires before all else.
    first: Vec<u32>,
    /// For each transition: the transitions that it stands for, in order.
    words: Vec<Vec<u32>>,
}

impl Words {
    pub(super) fn of(draft: Draft) -> Self {
        let (first, words) = draft.into_words();
        Self { first, words }
    }

    /// Open places are never dropped, so the start stays the same.
    fn trace(&self, trace: &Trace) -> Option<Trace> {
        let mut lifted = Trace::new(trace.start.clone());
        self.first.iter().for_each(|t| lifted.push(EventId(*t), None));
        let mut length = 0u64;
        for run in trace.runs() {
            let word: Vec<EventId> =
                run.word.iter().flat_map(|m| &self.words[m.event.index()]).map(|t| EventId(*t)).collect();
            length = length.saturating_add(run.times.saturating_mul(word.len() as u64));
            if length > LONGEST {
                return None;
            }
            lifted.push_repeat(word, run.times);
        }
        Some(lifted)
    }
}

impl Lift for Words {
    fn claim(&self, claim: Claim) -> Claim {
        match claim {
            Claim::Unsafe { goal, trace, candidate } => match self.trace(&trace) {
                Some(trace) => Claim::Unsafe { goal, trace, candidate },
                None => Claim::Unknown { goals: vec![goal], reason: Reason::Overflow },
            },
            Claim::Safe { goals, .. } | Claim::Within { goals, .. } => {
                Claim::Unknown { goals, reason: Reason::Uncertified }
            }
            // Engines on reduced systems do not get such questions.
            Claim::Branching { .. } | Claim::Bound { .. } => unreachable!("no reduction keeps these goals"),
            unknown @ Claim::Unknown { .. } => unknown,
        }
    }
}
