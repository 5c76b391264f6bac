//! The way home: claims about a reduced net become claims about the system as read.
//!
//! Runs: a run of the slice is a run of the net (see [`crate::slice`]), so transitions get their old numbers back, and open
//! places that were sliced away start with their least count. Chains of a thread system become the one transition that they
//! stand for (see [`crate::threads`]); the system is stepped along, since evidence records where threads chose to go.
//! Certificates: slots speak of places as read, and places that cannot be marked are added.

use crate::threads::{Choices, Role, Threads};
use model::{
    Certificate, Claim, EventId, Goal, Markable, Markings, Move, PlaceId, Reason, Slot, ThreadSystem, Trace,
    TransitionId,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Runs with chains are written out step by step; longer ones are not worth it.
const LONGEST: u64 = 10_000_000;

/// Brings claims about a task home. See [`crate::prepare`].
#[derive(Debug)]
pub struct Back {
    /// By place of the task.
    pub(crate) places: Vec<PlaceId>,
    /// By transition of the task.
    pub(crate) transitions: Vec<TransitionId>,
    /// By slot of a start as read: the slot of the task's start, if it has one.
    pub(crate) start: Vec<Option<usize>>,
    /// By place before slicing: can it be marked?
    pub(crate) markable: Vec<bool>,
    /// Places of the system as read; others stand for chains.
    pub(crate) known_places: usize,
    /// If the system is one of threads who choose.
    pub(crate) chains: Option<Chains>,
}

/// What the transitions of a converted thread system stand for.
#[derive(Debug)]
pub(crate) struct Chains {
    pub(crate) system: Arc<ThreadSystem>,
    /// By transition before slicing.
    pub(crate) roles: Vec<Role>,
}

impl Back {
    /// The claim about the system as read. Evidence that cannot be said of it makes the claim unknown.
    #[must_use]
    pub fn claim(&self, claim: Claim) -> Claim {
        match claim {
            Claim::Safe { goals, certificate } => self.safe(goals, certificate),
            Claim::Unsafe { goal, trace, candidate } => match self.trace(&trace) {
                Some(trace) => Claim::Unsafe { goal, trace, candidate },
                None => Claim::Unknown { goals: vec![goal], reason: Reason::Overflow },
            },
            unknown @ Claim::Unknown { .. } => unknown,
        }
    }

    fn safe(&self, goals: Vec<Goal>, certificate: Certificate) -> Claim {
        let home = match certificate {
            Certificate::Markable(m) => Some(Certificate::Markable(Markable { places: self.markable(&m.places) })),
            Certificate::Markings(m) => self.slots(&m.slots).map(|slots| {
                let markable = self.markable(&m.markable);
                Certificate::Markings(Markings { slots, markable, states: m.states })
            }),
            Certificate::StateSet(_) | Certificate::Refutation(_) => None,
        };
        match home {
            Some(certificate) => Claim::Safe { goals, certificate },
            None => Claim::Unknown { goals, reason: Reason::Uncertified },
        }
    }

    /// Places of the system as read that can be marked, with what a certificate says of the task's places. Closed if that
    /// is: transitions that were sliced away never add tokens to kept places.
    pub(crate) fn markable(&self, of_task: &[bool]) -> Vec<bool> {
        let mut markable = self.markable.clone();
        for (place, can) in self.places.iter().zip(of_task) {
            markable[place.index()] &= *can;
        }
        markable.truncate(self.known_places);
        markable
    }

    /// `None` if a slot speaks of a place that the system as read does not have.
    fn slots(&self, slots: &[Slot]) -> Option<Vec<Slot>> {
        let home = |p: &PlaceId| Some(self.places[p.index()]).filter(|p| p.index() < self.known_places);
        let slot = |slot: &Slot| match slot {
            Slot::Tokens(p) => home(p).map(Slot::Tokens),
            Slot::OneOf(places) => places.iter().map(home).collect::<Option<_>>().map(Slot::OneOf),
        };
        slots.iter().map(slot).collect()
    }

    /// `None` if a number of threads does not fit a trace, or the trace is too long to be written out.
    fn trace(&self, trace: &Trace) -> Option<Trace> {
        let start =
            self.start.iter().map(|slot| slot.map_or(0, |i| trace.start.get(i).copied().unwrap_or(0))).collect();
        let mut home = Trace::new(start);
        let before_slicing = |m: &Move| self.transitions[m.event.index()];
        match &self.chains {
            None => {
                for run in trace.runs() {
                    let word = run.word.iter().map(|m| EventId(before_slicing(m).0)).collect();
                    home.push_repeat(word, run.times);
                }
            }
            Some(chains) => {
                trace.len().filter(|n| *n <= LONGEST)?;
                let mut walk = chains.walk(home);
                for run in trace.runs() {
                    for _ in 0..run.times {
                        run.word.iter().try_for_each(|m| walk.step(chains.roles[before_slicing(m).index()]))?;
                    }
                }
                home = walk.finish()?;
            }
        }
        Some(home)
    }
}

impl Chains {
    fn walk(&self, home: Trace) -> Walk<'_> {
        let state = Threads::initial(&self.system, &home.start);
        Walk { state, home, running: None }
    }
}

/// A run of a converted thread system on its way home.
struct Walk<'a> {
    state: Threads<'a>,
    home: Trace,
    /// The chain that has started and not ended, with the choices so far.
    running: Option<(u32, Choices)>,
}

impl Walk<'_> {
    fn step(&mut self, role: Role) -> Option<()> {
        match role {
            Role::Whole(t) => self.take(t, &BTreeMap::new()),
            Role::Start(t) => {
                self.running = Some((t, BTreeMap::new()));
                Some(())
            }
            Role::Give(_, from, to) => {
                if let Some((_, choices)) = &mut self.running {
                    *choices.entry((from, to)).or_insert(0) += 1;
                }
                Some(())
            }
            Role::End(_) => self.end(),
        }
    }

    fn end(&mut self) -> Option<()> {
        match self.running.take() {
            Some((t, choices)) => self.take(t, &choices),
            None => Some(()),
        }
    }

    /// A step that the system does not allow is passed on as it is: the checker says what is wrong with the trace.
    fn take(&mut self, t: u32, choices: &Choices) -> Option<()> {
        let to = match self.state.step(t, choices) {
            Some(true) => Some(self.state.recorded()?),
            Some(false) | None => None,
        };
        self.home.push(EventId(t), to);
        Some(())
    }

    fn finish(mut self) -> Option<Trace> {
        self.end()?;
        Some(self.home)
    }
}
