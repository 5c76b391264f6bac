//! The way home: claims about a reduced net become claims about the system as read.
//!
//! Runs: a run of the slice is a run of the net (see [`crate::slice`]), so transitions get their old numbers back, and open
//! places that were sliced away start with their least count. Chains of a thread system become the one transition that they
//! stand for (see [`crate::threads`]); the system is stepped along, since evidence records where threads chose to go.
//! Certificates: slots speak of places as read, and places that cannot be marked are added; places of chains are taken out
//! (see [`crate::listed`]).

use crate::listed::{Homed, Value, Way};
use crate::mapped::Home;
use crate::origins::Origins;
use crate::threads::{Choices, Role, Threads, chooses};
use model::{
    AtMost, Bit, Certificate, Claim, Clausal, EventId, Exclusion, Goal, Invariant, Markable, Markings, Move, NetFact,
    Pairs, PlaceId, Reason, Slot, StateSet, ThreadSystem, Trace, TransitionId, Vector, Within,
};
use std::collections::{BTreeMap, BTreeSet};
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
    /// By goal: where the nodes of its formula come from. Missing for a deadlock with an inequality that the system as read
    /// does not have.
    pub(crate) origins: Vec<(Goal, Origins)>,
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
    /// Of each transition with choices, in their order: the place that says that its chain is running.
    pub(crate) running: Vec<PlaceId>,
}

impl Home for Back {
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
            unknown @ Claim::Unknown { .. } => unknown,
        }
    }

    /// Transitions that were sliced away are in no shortest run to a goal; a chain is several transitions for one.
    fn keeps_shortest(&self) -> bool {
        self.chains.is_none()
    }
}

impl Back {
    fn safe(&self, goals: Vec<Goal>, certificate: Certificate) -> Claim {
        let home = match certificate {
            Certificate::Markable(m) => Some(Certificate::Markable(Markable { places: self.markable(&m.places) })),
            Certificate::Markings(m) => {
                let markable = self.markable(&m.markable);
                let (slots, states) = self.listed(&m.slots, m.states);
                Some(Certificate::Markings(Markings { slots, markable, states }))
            }
            Certificate::ReducedMarkings(m) if self.chains.is_none() => {
                let markable = self.markable(&m.markable);
                let (slots, states) = self.listed(&m.slots, m.states);
                Some(Certificate::ReducedMarkings(Markings { slots, markable, states }))
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
            | Certificate::Restricted(..) => None,
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

    /// Facts of the task as facts of the system as read. The first must say what can be marked, and gets what slicing knows of
    /// that.
    fn invariant(&self, invariant: Invariant) -> Option<Invariant> {
        let place = |p: PlaceId| self.places[p.index()];
        let known = |p: PlaceId| (p.index() < self.known_places).then_some(p);
        let fact = |fact: NetFact| match fact {
            NetFact::Markable(places) => NetFact::Markable(self.markable(&places)),
            NetFact::Pairs(pairs) => NetFact::Pairs(self.pairs(&pairs)),
            NetFact::AtMost(AtMost { terms, at_most }) => {
                let terms = terms.into_iter().filter_map(|(p, c)| Some((known(place(p))?, c))).collect();
                NetFact::AtMost(AtMost { terms, at_most })
            }
            NetFact::SomeMarked(places) => {
                NetFact::SomeMarked(places.into_iter().filter_map(|p| known(place(p))).collect())
            }
            NetFact::NeverCovered(vectors) => {
                // Vectors that mark places of chains are never covered between two steps of the system as read.
                let home = |vector: Vector| vector.into_iter().map(|(p, n)| Some((known(place(p))?, n))).collect();
                NetFact::NeverCovered(vectors.into_iter().filter_map(home).collect())
            }
            NetFact::Clauses(clausal) => NetFact::Clauses(self.clauses(clausal)),
        };
        let exclusion = |(goal, why): (Goal, Exclusion)| {
            let home = match why {
                Exclusion::Minimal => Exclusion::Minimal,
                Exclusion::Cases(cases) => {
                    let (_, origins) = self.origins.iter().find(|(g, _)| *g == goal)?;
                    Exclusion::Cases(origins.cases(cases, |p| known(place(p))))
                }
                // Proofs are about the system as read, so they are made later.
                Exclusion::Refuted(_) => Exclusion::Refuted(None),
            };
            Some((goal, home))
        };
        debug_assert!(
            matches!(invariant.facts.first(), Some(NetFact::Markable(_))),
            "facts begin with what can be marked"
        );
        let exclusions = invariant.exclusions.into_iter().map(exclusion).collect::<Option<_>>()?;
        Some(Invariant { facts: invariant.facts.into_iter().map(fact).collect(), exclusions })
    }

    /// Clauses about places of the system as read. Places of chains are empty between two of its steps: a literal that asks for
    /// tokens there is false, its negation true.
    fn clauses(&self, clausal: Clausal) -> Clausal {
        let home = |bit: &Bit| match bit {
            Bit::AtLeast(p, n) => {
                let place = self.places[p.index()];
                (place.index() < self.known_places).then(|| Bit::AtLeast(place, n.clone()))
            }
            Bit::Room(_) => Some(bit.clone()),
            Bit::Latch(_) | Bit::In(..) => None,
        };
        let mut number = vec![0; clausal.bits.len()];
        let mut bits = Vec::new();
        for (old, bit) in clausal.bits.iter().enumerate() {
            if let Some(bit) = home(bit) {
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

    /// Pairs of places of the system as read: those of chains are empty between two of its steps.
    fn pairs(&self, pairs: &Pairs) -> Pairs {
        let home = |p: &PlaceId| self.places[p.index()];
        let rows: Vec<usize> =
            (0..pairs.places().len()).filter(|&row| home(&pairs.places()[row]).index() < self.known_places).collect();
        let mut kept = Pairs::none(rows.iter().map(|&row| home(&pairs.places()[row])).collect());
        for (a, &row) in rows.iter().enumerate() {
            for b in (0..=a).filter(|&b| pairs.allows(row, rows[b])) {
                kept.allow(a, b);
            }
        }
        kept
    }

    /// Listed markings, without the places that the system as read does not have.
    fn listed(&self, slots: &[Slot], states: Box<dyn StateSet>) -> (Vec<Slot>, Box<dyn StateSet>) {
        let endless = self.endless();
        let home = |p: &PlaceId| self.places[p.index()];
        let known = |p: &PlaceId| p.index() < self.known_places;
        let mut kept = Vec::with_capacity(slots.len());
        let mut ways = Vec::with_capacity(slots.len());
        let mut all_known = true;
        for slot in slots {
            let (left, way) = match slot {
                Slot::Tokens(p) if known(&home(p)) => (Some(Slot::Tokens(home(p))), Way::Kept),
                Slot::Tokens(_) => (None, Way::Waiting),
                Slot::OneOf(places) => {
                    let places: Vec<PlaceId> = places.iter().map(home).collect();
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

    /// Places of chains whose ends have been sliced away.
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

/// What becomes of the values of a slot of several places.
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
