//! Removes from programs the local states that patterns show to be unreachable, and lifts certificates.
//!
//! The runs remain the same ([`model::restriction`]), so traces need no change. What a certificate says about
//! the restricted program holds for the program as read because of the restrictions, which become part of the
//! certificate.

use model::{Certificate, Claim, Lift, Pattern, ProgramTask, Restriction, restriction};
use std::sync::Arc;

/// The restrictions in the order in which they were found, each for the program that the earlier ones left.
#[derive(Clone, Debug, Default)]
pub struct Restrictions(Vec<Restriction>);

impl Restrictions {
    /// Returns the restrictions, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Restriction] {
        &self.0
    }

    /// Returns true if there is no restriction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Queries each pattern in turn for unreachable local states, and removes them from the program.
#[must_use]
pub fn restrict(task: &ProgramTask, patterns: &[&dyn Pattern]) -> (ProgramTask, Restrictions) {
    let mut program = Arc::clone(task.program());
    let mut found = Vec::new();
    for pattern in patterns {
        if let Some(restriction) = pattern.restrict(program.threads()) {
            debug_assert!(restriction.excluded.is_sorted(), "restrictions list states in order");
            program = Arc::new(restriction::restrict(&program, &restriction.excluded));
            found.push(restriction);
        }
    }
    (task.on(program), Restrictions(found))
}

impl Lift for Restrictions {
    fn claim(&self, claim: Claim) -> Claim {
        match claim {
            Claim::Safe { goals, certificate } if !self.is_empty() => {
                Claim::Safe { goals, certificate: Certificate::Restricted(self.0.clone(), Box::new(certificate)) }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        EventId, EventSet, Goal, LemmaKind, LocalId, LocalState, Match, Program, Thread, ThreadId, Unreachable, WhyNot,
    };
    use std::collections::BTreeMap;

    /// A pattern that claims that the last state of the first thread is unreachable, if some state still leads
    /// there.
    struct NoLast;

    impl Pattern for NoLast {
        fn name(&self) -> &'static str {
            "no_last"
        }

        fn recognize(&self, _: &[Thread], _: Goal) -> Result<Box<dyn Match>, WhyNot> {
            Err(WhyNot::new(None, "restricts only"))
        }

        fn restrict(&self, threads: &[Thread]) -> Option<Restriction> {
            let last = LocalId::new(threads[0].states.len() - 1);
            let led_to = threads[0].states.iter().any(|s| s.on.values().any(|to| to.contains(&last)));
            led_to.then(|| Restriction {
                kind: LemmaKind("no_last.state"),
                excluded: vec![(ThreadId(0), last)],
                why: Unreachable::Potential(Vec::new()),
            })
        }
    }

    fn task() -> ProgramTask {
        let none = EventSet::empty(2);
        let state = |name: &str, on: &[(u32, &[u32])]| LocalState {
            name: name.to_owned(),
            request: EventSet::full(2),
            block: none.clone(),
            bad: false,
            on: on.iter().map(|&(e, to)| (EventId(e), to.iter().map(|&s| LocalId(s)).collect())).collect(),
        };
        let states = vec![state("a", &[(0, &[1, 2]), (1, &[2])]), state("b", &[]), state("c", &[])];
        let thread = Thread { name: "T".into(), states, initial: vec![LocalId(0)] };
        let program = Program::new(vec!["e".into(), "f".into()], vec![thread], vec![Goal::Bad]).expect("a program");
        ProgramTask::of_program(Arc::new(program))
    }

    #[test]
    fn targets_out_of_reach_are_forgotten_and_block_where_nothing_else_is_left() {
        let (restricted, found) = restrict(&task(), &[&NoLast, &NoLast]);
        assert_eq!(found.as_slice().len(), 1, "the second one finds nothing any more");
        let state = restricted.program().thread(ThreadId(0)).state(LocalId(0));
        assert_eq!(state.on, BTreeMap::from([(EventId(0), vec![LocalId(1)])]));
        assert_eq!(state.block.iter().collect::<Vec<_>>(), [EventId(1)]);
        let certificate = || Certificate::Refutation(Box::default());
        let lift = found.claim(Claim::Safe { goals: vec![Goal::Bad], certificate: certificate() });
        let Claim::Safe { certificate: Certificate::Restricted(kinds, _), .. } = lift else { panic!("{lift:?}") };
        assert_eq!(kinds[0].kind, LemmaKind("no_last.state"));
        let plain = Restrictions::default().claim(Claim::Safe { goals: vec![Goal::Bad], certificate: certificate() });
        assert!(matches!(plain, Claim::Safe { certificate: Certificate::Refutation(_), .. }));
    }
}
