//! Lifts claims about a reduced net to claims about the system as read.
//!
//! *Runs.* A run of the slice is a run of the net (see [`crate::reduce::slice`]), so transitions get their old numbers
//! back. Open places (places with a range of initial tokens) that were sliced away start with their least
//! count. A chain of a thread-transition system becomes the one transition that it stands for (see
//! [`crate::reduce::threads`]); the lift steps the system along the run, because a trace records where threads chose to
//! go.
//!
//! *Plenty.* A place with very many tokens at the start begins with any number in the task, if more tokens never
//! disable a transition and never lead out of a goal. A run from fewer tokens than there are is a run from those that
//! there are, and reaches the goal, too. A run from more tokens is not lifted. A proof for any number is a proof for
//! this number.
//!
//! *Certificates.* Slots are renamed to places as read, and the places that are not potentially marked are
//! added. Places of chains are removed (see [`crate::reduce::listed`]).

use crate::reduce::listed::{Homed, Value, Way};
use crate::reduce::origins::Origins;
use crate::reduce::threads::{Choices, Role, Threads, chooses};
use model::{
    AtMost, Bit, Certificate, Claim, Clausal, ConcurrencyRelation, EventId, Exclusion, Goal, InvariantCertificate,
    Lift, Markings, Move, NetInvariant, PlaceId, PotentiallyMarked, Reason, Slot, StateSet, ThreadTransitionSystem,
    Trace, TransitionId, Vector, Within,
};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Runs with chains are written out step by step, up to this number of steps. Longer runs are not lifted.
const LONGEST: u64 = 10_000_000;

/// Lifts claims about a task to the system as read. See [`crate::reduce::prepare()`].
#[derive(Debug)]
pub struct TaskLift {
    /// For each place of the task: the place before slicing.
    pub(crate) places: Vec<PlaceId>,
    /// For each transition of the task: the transition before slicing.
    pub(crate) transitions: Vec<TransitionId>,
    /// For each slot of a start as read: the slot of the task's start, if there is one.
    pub(crate) start: Vec<Option<usize>>,
    /// The slots of the task's start for places with plenty of tokens, and how many tokens there are.
    pub(crate) plenty: Vec<(usize, BigUint)>,
    /// For each place before slicing: true if the place is potentially marked.
    pub(crate) potentially_marked: Vec<bool>,
    /// For each goal: the origins of the nodes of its formula. A deadlock has no entry if its formula has an
    /// inequality that the system as read does not have.
    pub(crate) origins: Vec<(Goal, Origins)>,
    /// Number of places of the system as read. Places from this number on belong to chains.
    pub(crate) known_places: usize,
    /// The chains, if the system is a thread-transition system in which threads choose a target.
    pub(crate) chains: Option<Chains>,
}

/// The meaning of the transitions of a translated thread-transition system.
#[derive(Debug)]
pub(crate) struct Chains {
    pub(crate) system: Arc<ThreadTransitionSystem>,
    /// For each transition before slicing: its role.
    pub(crate) roles: Vec<Role>,
    /// For each transition with choices, in order: the place that is marked while its chain is running.
    pub(crate) running: Vec<PlaceId>,
}

impl Lift for TaskLift {
    fn claim(&self, claim: Claim) -> Claim {
        match claim {
            Claim::Safe { goals, certificate } => self.safe(goals, certificate),
            Claim::Unsafe { goal, trace, candidate } => match self.trace(&trace) {
                Some(trace) => Claim::Unsafe { goal, trace, candidate },
                None => Claim::Unknown { goals: vec![goal], reason: Reason::Overflow },
            },
            Claim::Within { goals, within, invariant } => match self.invariant(*invariant) {
                Some(invariant) => {
                    let counted = within.counted.iter().map(|p| self.places[p.index()]);
                    let counted = counted.filter(|p| p.index() < self.known_places).collect();
                    let within = Within { counted, ..within };
                    Claim::Within { goals, within, invariant: Box::new(invariant) }
                }
                None => Claim::Unknown { goals, reason: Reason::Uncertified },
            },
            // Engines on reduced systems do not get such questions.
            Claim::Branching { .. } | Claim::Bound { .. } => unreachable!("no reduction keeps these goals"),
            unknown @ Claim::Unknown { .. } => unknown,
        }
    }

    /// No shortest run to a goal contains a transition that was sliced away. But a chain consists of several
    /// transitions that stand for one transition as read.
    fn keeps_shortest(&self) -> bool {
        self.chains.is_none()
    }
}

impl TaskLift {
    fn safe(&self, goals: Vec<Goal>, certificate: Certificate) -> Claim {
        let lift = match certificate {
            Certificate::PotentiallyMarked(m) => {
                Some(Certificate::PotentiallyMarked(PotentiallyMarked { places: self.potentially_marked(&m.places) }))
            }
            Certificate::Markings(m) => {
                let potentially_marked = self.potentially_marked(&m.potentially_marked);
                let (slots, states) = self.listed(&m.slots, m.states);
                Some(Certificate::Markings(Markings { slots, potentially_marked, states }))
            }
            Certificate::ReducedMarkings(m) if self.chains.is_none() => {
                let potentially_marked = self.potentially_marked(&m.potentially_marked);
                let (slots, states) = self.listed(&m.slots, m.states);
                Some(Certificate::ReducedMarkings(Markings { slots, potentially_marked, states }))
            }
            Certificate::Invariant(invariant) => {
                self.invariant(*invariant).map(|i| Certificate::Invariant(Box::new(i)))
            }
            Certificate::StateSet(_)
            | Certificate::Refutation(_)
            | Certificate::Projection(_)
            | Certificate::Reduced(_)
            | Certificate::Counted(_)
            | Certificate::ReducedMarkings(_)
            | Certificate::Clauses(_)
            | Certificate::Valuations(_)
            | Certificate::Justice(_)
            | Certificate::Tracking(_)
            | Certificate::Data(_)
            | Certificate::DataProjections(_)
            | Certificate::Restricted(..) => None,
        };
        match lift {
            Some(certificate) => Claim::Safe { goals, certificate },
            None => Claim::Unknown { goals, reason: Reason::Uncertified },
        }
    }

    /// Returns which places of the system as read are potentially marked, combining what slicing found with
    /// what a certificate says about the places of the task. The result is closed if the certificate is,
    /// because transitions that were sliced away never add tokens to kept places.
    pub(crate) fn potentially_marked(&self, of_task: &[bool]) -> Vec<bool> {
        let mut potentially_marked = self.potentially_marked.clone();
        for (place, can) in self.places.iter().zip(of_task) {
            potentially_marked[place.index()] &= *can;
        }
        potentially_marked.truncate(self.known_places);
        potentially_marked
    }

    /// Lifts invariants of the task to the system as read. The first invariant must list the potentially marked
    /// places; what slicing found about them is added.
    fn invariant(&self, invariant: InvariantCertificate) -> Option<InvariantCertificate> {
        let place = |p: PlaceId| self.places[p.index()];
        let known = |p: PlaceId| (p.index() < self.known_places).then_some(p);
        let lifted = |net_invariant: NetInvariant| match net_invariant {
            NetInvariant::PotentiallyMarked(places) => {
                NetInvariant::PotentiallyMarked(self.potentially_marked(&places))
            }
            NetInvariant::ConcurrencyRelation(pairs) => NetInvariant::ConcurrencyRelation(self.pairs(&pairs)),
            NetInvariant::AtMost(AtMost { terms, at_most }) => {
                let terms = terms.into_iter().filter_map(|(p, c)| Some((known(place(p))?, c))).collect();
                NetInvariant::AtMost(AtMost { terms, at_most })
            }
            NetInvariant::SomeMarked(places) => {
                NetInvariant::SomeMarked(places.into_iter().filter_map(|p| known(place(p))).collect())
            }
            NetInvariant::NeverCovered(vectors) => {
                // Vectors that mark places of chains are never covered between two steps of the system as read.
                let lift = |vector: Vector| vector.into_iter().map(|(p, n)| Some((known(place(p))?, n))).collect();
                NetInvariant::NeverCovered(vectors.into_iter().filter_map(lift).collect())
            }
            NetInvariant::Clauses(clausal) => NetInvariant::Clauses(self.clauses(clausal)),
        };
        let exclusion = |(goal, why): (Goal, Exclusion)| {
            let lift = match why {
                Exclusion::Minimal => Exclusion::Minimal,
                Exclusion::Cases(cases) => {
                    let (_, origins) = self.origins.iter().find(|(g, _)| *g == goal)?;
                    Exclusion::Cases(origins.cases(cases, |p| known(place(p))))
                }
                // Proofs refer to the system as read, so they are made later.
                Exclusion::Refuted(_) => Exclusion::Refuted(None),
            };
            Some((goal, lift))
        };
        debug_assert!(
            matches!(invariant.invariants.first(), Some(NetInvariant::PotentiallyMarked(_))),
            "the invariants begin with the potentially marked places"
        );
        let exclusions = invariant.exclusions.into_iter().map(exclusion).collect::<Option<_>>()?;
        Some(InvariantCertificate { invariants: invariant.invariants.into_iter().map(lifted).collect(), exclusions })
    }

    /// Lifts clauses to the places of the system as read. Places of chains are empty between two steps of this
    /// system, so a literal that needs tokens there is false and its negation is true.
    fn clauses(&self, clausal: Clausal) -> Clausal {
        let lift = |bit: &Bit| match bit {
            Bit::AtLeast(p, n) => {
                let place = self.places[p.index()];
                (place.index() < self.known_places).then(|| Bit::AtLeast(place, n.clone()))
            }
            Bit::Room(_) => Some(bit.clone()),
            Bit::Latch(_) | Bit::Node(_) | Bit::In(..) => None,
        };
        let mut number = vec![0; clausal.bits.len()];
        let mut bits = Vec::new();
        for (old, bit) in clausal.bits.iter().enumerate() {
            if let Some(bit) = lift(bit) {
                bits.push(bit);
                number[old] = i32::try_from(bits.len()).expect("no more than before");
            }
        }
        let clause = |clause: Vec<i32>| {
            let mut kept = Vec::with_capacity(clause.len());
            for lit in clause {
                match number[lit.unsigned_abs() as usize - 1] {
                    0 if lit < 0 => return None,
                    0 => {}
                    new => kept.push(new * lit.signum()),
                }
            }
            Some(kept)
        };
        let clauses = clausal.clauses.into_iter().filter_map(clause).collect();
        Clausal { bits, clauses, initial: None, step: None }
    }

    /// Lifts a concurrency relation to the places of the system as read. Places of chains are dropped, because
    /// they are empty between two steps of this system.
    fn pairs(&self, pairs: &ConcurrencyRelation) -> ConcurrencyRelation {
        let lift = |p: &PlaceId| self.places[p.index()];
        let rows: Vec<usize> =
            (0..pairs.places().len()).filter(|&row| lift(&pairs.places()[row]).index() < self.known_places).collect();
        let mut kept = ConcurrencyRelation::none(rows.iter().map(|&row| lift(&pairs.places()[row])).collect());
        for (a, &row) in rows.iter().enumerate() {
            for b in (0..=a).filter(|&b| pairs.allows(row, rows[b])) {
                kept.allow(a, b);
            }
        }
        kept
    }

    /// Lifts listed markings, without the places that the system as read does not have.
    fn listed(&self, slots: &[Slot], states: Box<dyn StateSet>) -> (Vec<Slot>, Box<dyn StateSet>) {
        let endless = self.endless();
        let lift = |p: &PlaceId| self.places[p.index()];
        let known = |p: &PlaceId| p.index() < self.known_places;
        let mut kept = Vec::with_capacity(slots.len());
        let mut ways = Vec::with_capacity(slots.len());
        let mut all_known = true;
        for slot in slots {
            let (left, way) = match slot {
                Slot::Tokens(p) if known(&lift(p)) => (Some(Slot::Tokens(lift(p))), Way::Kept),
                Slot::Tokens(_) => (None, Way::Waiting),
                Slot::OneOf(places) => {
                    let places: Vec<PlaceId> = places.iter().map(lift).collect();
                    let left: Vec<PlaceId> = places.iter().copied().filter(known).collect();
                    let way = if left.len() < places.len() {
                        Way::OneOf(values(&places, known, &endless))
                    } else {
                        Way::Kept
                    };
                    (Some(Slot::OneOf(left)), way)
                }
            };
            all_known &= matches!(way, Way::Kept);
            kept.extend(left);
            ways.push(way);
        }
        (kept, if all_known { states } else { Box::new(Homed::new(states, ways)) })
    }

    /// Returns the places of chains with ends that were sliced away.
    fn endless(&self) -> BTreeSet<PlaceId> {
        let Some(chains) = &self.chains else { return BTreeSet::new() };
        let ends = |t: &TransitionId| match chains.roles[t.index()] {
            Role::End(t) => Some(t),
            _ => None,
        };
        let ended: BTreeSet<u32> = self.transitions.iter().filter_map(ends).collect();
        let choosing = (0u32..).zip(chains.system.transitions()).filter(|(_, t)| chooses(t));
        let running = choosing.zip(&chains.running).filter(|((t, _), _)| !ended.contains(t));
        running.map(|(_, place)| *place).collect()
    }

    /// Lifts a run. Returns `None` if a number of threads does not fit into a trace, or the trace is too long
    /// to be written out.
    fn trace(&self, trace: &Trace) -> Option<Trace> {
        let is_enough =
            |(slot, tokens): &(usize, BigUint)| trace.start.get(*slot).is_none_or(|n| tokens >= &(*n).into());
        if !self.plenty.iter().all(is_enough) {
            return None;
        }
        let start =
            self.start.iter().map(|slot| slot.map_or(0, |i| trace.start.get(i).copied().unwrap_or(0))).collect();
        let mut lift = Trace::new(start);
        let before_slicing = |m: &Move| self.transitions[m.event.index()];
        match &self.chains {
            None => {
                for run in trace.runs() {
                    let word = run.word.iter().map(|m| EventId(before_slicing(m).0)).collect();
                    lift.push_repeat(word, run.times);
                }
            }
            Some(chains) => {
                trace.len().filter(|n| *n <= LONGEST)?;
                let mut walk = chains.walk(lift);
                for run in trace.runs() {
                    for _ in 0..run.times {
                        run.word.iter().try_for_each(|m| walk.step(chains.roles[before_slicing(m).index()]))?;
                    }
                }
                lift = walk.finish()?;
            }
        }
        Some(lift)
    }
}

impl Chains {
    fn walk(&self, lift: Trace) -> Walk<'_> {
        let state = Threads::initial(&self.system, &lift.start);
        Walk { state, lift, running: None }
    }
}

/// Returns how each value of a slot for several places is lifted.
fn values(places: &[PlaceId], known: impl Fn(&PlaceId) -> bool, endless: &BTreeSet<PlaceId>) -> Vec<Value> {
    let mut values = vec![Value::Known(0)];
    let mut count = 0;
    for place in places {
        values.push(if known(place) {
            count += 1;
            Value::Known(count)
        } else if endless.contains(place) {
            Value::Endless
        } else {
            Value::Running
        });
    }
    values
}

/// A run of a translated thread-transition system while it is lifted.
struct Walk<'a> {
    state: Threads<'a>,
    lift: Trace,
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

    /// Takes transition `t`. A step that the system does not allow is kept as it is, so that the checker
    /// reports what is wrong with the trace.
    fn take(&mut self, t: u32, choices: &Choices) -> Option<()> {
        let to = match self.state.step(t, choices) {
            Some(true) => Some(self.state.recorded()?),
            Some(false) | None => None,
        };
        self.lift.push(EventId(t), to);
        Some(())
    }

    fn finish(mut self) -> Option<Trace> {
        self.end()?;
        Some(self.lift)
    }
}
