//! Justice properties, by translations to outputs ([`crate::encode::justice`]).
//!
//! * [`Recurrence::looping`] translates to a circuit with an output that is true when a state occurs again
//!   (liveness to safety: Biere, Artho and Schuppan 2002).
//! * [`Recurrence::counting`] translates to circuits with an output that is true when the signals of the property
//!   were all true more than k times (k-liveness: Claessen and Sorensson 2012), for growing k. If the output cannot be
//!   true for some k, no run violates the property. A run to the output is searched for a state that occurs twice. If
//!   there is none, k grows.
//!
//! Counting ends in principle: a run on which the signals were all true more often than there are states passes a state
//! twice. A proof by counting is often much smaller than a proof about loops, because it need not compare two states.

use crate::encode::justice::{self, Justice};
use crate::hosted::{Lifted, Translate};
use model::{Budget, Circuit, CircuitTask, Claim, Goal, JusticeId, Reason, Stats, Translation};
use std::sync::Arc;

/// The translations of a justice property.
pub struct Recurrence {
    circuit: Arc<Circuit>,
    justice: JusticeId,
    translation: Translation,
    translated: Option<Justice>,
}

impl Recurrence {
    /// Translates to an output that is true when a state occurs again.
    #[must_use]
    pub fn looping(circuit: Arc<Circuit>, justice: JusticeId) -> Self {
        Self { circuit, justice, translation: Translation::Loop, translated: None }
    }

    /// Counts, for growing numbers.
    #[must_use]
    pub fn counting(circuit: Arc<Circuit>, justice: JusticeId) -> Self {
        Self { circuit, justice, translation: Translation::Count(0), translated: None }
    }
}

impl Translate for Recurrence {
    fn goals(&self) -> Vec<Goal> {
        vec![Goal::Justice(self.justice)]
    }

    fn nodes(&self) -> u64 {
        justice::nodes(&self.circuit, self.justice, self.translation) as u64
    }

    fn translate(&mut self) -> CircuitTask {
        let translated = justice::translate(&self.circuit, self.justice, self.translation);
        self.translated.insert(translated).task().clone()
    }

    fn lift(&mut self, claim: Claim, _budget: &mut Budget) -> Lifted {
        let lifted = self.translated.as_ref().and_then(|translated| translated.lift(claim));
        match (lifted, self.translation) {
            (Some(claim), _) => Lifted::Claim(claim),
            (None, Translation::Count(most)) => {
                let next = most + 1 + most / 2;
                // No proof may count further.
                if next > Translation::MOST {
                    return Lifted::Nothing;
                }
                self.translation = Translation::Count(next);
                Lifted::Next
            }
            (None, Translation::Loop) => {
                debug_assert!(false, "each run to the output is a run that repeats");
                Lifted::Claim(Claim::Unknown { goals: self.goals(), reason: Reason::Uncertified })
            }
        }
    }

    fn describe(&self, stats: &mut Stats) {
        if let Translation::Count(most) = self.translation {
            stats.more.insert("counted", most.into());
        }
    }
}
