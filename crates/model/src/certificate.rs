//! Certificates: evidence that goals are unreachable. Examples are closed sets of states, and refutations of
//! the statement "a violating run exists".
//!
//! A [`Refutation`] consists of axioms and of clauses derived from them by reverse unit propagation; the last
//! one is the empty clause. Each axiom holds for every violating run by one of the checker's rules. The
//! refutation states the meaning of each of its variables, so the checker needs no data of the search that
//! found it.

use crate::assumption::Lengths;
use crate::circuit::{JusticeProof, TrackingProof};
pub use crate::clausal::{Clauses, Induction};
use crate::data::{DataCertificate, DataProjection};
use crate::goal::Goal;
use crate::ids::{PlaceId, ThreadId};
use crate::invariant::InvariantCertificate;
use crate::justification::Justification;
use crate::lemma::{LemmaKind, Prop};
use crate::restriction::Restriction;
pub use crate::state_set::{StateSet, Vectors};
use crate::task::Slot;
use crate::valuations::Valuations;
use num_bigint::BigInt;

/// Evidence that goals are unreachable.
#[derive(Debug)]
pub enum Certificate {
    /// A set of states that contains all states that runs visit: it contains the initial states, is closed
    /// under successors, and contains no goal state.
    StateSet(Box<dyn StateSet>),
    /// A proof that no violating run satisfies the axioms.
    Refutation(Box<Refutation>),
    /// For a program: all states of the projection onto some threads (explained in [`crate::justification`]).
    /// None of these states could belong to a goal state.
    Projection(Projection),
    /// For a program: a set of states that contains the initial states and no goal state. For each of its
    /// states it contains all successors on the enabled events of a stubborn set (events that suffice in this
    /// state).
    Reduced(Box<dyn StateSet>),
    /// For a program: all states that runs visit. Run lengths are grouped in classes, and no assumption
    /// distinguishes two lengths of one class. Each state comes with the classes of the lengths of the runs that
    /// lead to it.
    Counted(Counted),
    /// For a program: some local states are never visited, and the inner certificate is valid for the program
    /// without them.
    Restricted(Vec<Restriction>, Box<Certificate>),
    /// For a net or thread-transition system: only these places are potentially marked, and the goals cannot be
    /// reached without tokens on other places.
    PotentiallyMarked(PotentiallyMarked),
    /// For a net or thread-transition system: a closed set of markings.
    Markings(Markings),
    /// For a net or thread-transition system: a set of markings of the kept places. ([`Markings`] explains
    /// *kept* and *exact* places.) Every marking of the set is listed: a listed marking does not represent the
    /// markings that it covers. A transition is *relevant* if it changes an exact place, or may put tokens on a
    /// kept place. If a deadlock is claimed, all transitions are relevant. The guards of relevant transitions,
    /// and the sums that their effects put on kept places, use only kept places and places that are never
    /// marked. For each of its markings, the set contains all successors by the enabled transitions of a
    /// stubborn set of relevant transitions.
    ReducedMarkings(Markings),
    /// For a net or thread-transition system: invariants that exclude the goals.
    Invariant(Box<InvariantCertificate>),
    /// For a program or circuit: clauses that hold in every reachable state.
    Clauses(Box<Clauses>),
    /// For a circuit and one justice property: clauses of a circuit in which an output stands for the property.
    Justice(Box<JusticeProof>),
    /// For a circuit with memories: clauses of a circuit that follows some of their words.
    Tracking(Box<TrackingProof>),
    /// For a reactive program: a set of valuations that is closed under calls.
    Valuations(Box<Valuations>),
    /// For a program with unbounded data: an inductive invariant with proofs.
    Data(Box<DataCertificate>),
    /// For a program with unbounded data and the goal `bad`: proofs about projections onto some threads. Each thread
    /// with a bad location is a target of one of them.
    DataProjections(Vec<DataProjection>),
}

/// All states that runs visit, each with the classes of the run lengths at which runs visit it.
///
/// The set contains the initial states with length 0. For each state in the set, it contains all successors of
/// the state, one event later. It contains no state of a claimed goal at a length for which all assumptions
/// hold.
#[derive(Debug)]
pub struct Counted {
    /// The classes of lengths. No assumption may distinguish two lengths of the same class.
    pub lengths: Lengths,
    /// The states; an additional last slot holds the number of the length class.
    pub states: Box<dyn StateSet>,
}

/// A closed set of states of the projection of a program onto some threads, the *kept* threads.
///
/// Closed: the set contains every combination of initial states of the kept threads. For each state in the set
/// without a bad local state, it contains all successors of this state in the projection.
///
/// Goal `bad`: no state in the set has a bad local state, and no other thread has a locally reachable bad
/// state.
///
/// Goal `deadlock`: for every state q in the set without a bad local state, some thread k that is not kept
/// satisfies this condition: for each locally reachable state of k that is not bad, there is an event with two
/// properties:
/// * The event is not blocked: not by this state of k, not by a kept thread in its state in q, and not by any
///   other thread in a locally reachable state that is not bad.
/// * The event is requested: by a kept thread in its state in q, or by a thread that is not kept (possibly k)
///   in each of its locally reachable states that are not bad.
///
/// If all threads are kept, there is no thread k. Then for every such q there must be an event that a kept
/// thread requests in q and that no thread blocks in q.
#[derive(Debug)]
pub struct Projection {
    /// The kept threads, ascending. The list may be empty; then the only state is the empty one.
    pub kept: Vec<ThreadId>,
    /// The joint states of the kept threads.
    pub states: Box<dyn StateSet>,
}

/// A set of places that contains every potentially marked place.
///
/// The set contains every place that may hold tokens initially. If it contains all places from which the guards
/// of a transition need tokens, it contains all places on which the transition may put tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PotentiallyMarked {
    /// Indexed by [`crate::PlaceId`] (for thread-transition systems: shared states, then local states). True if
    /// the place is potentially marked.
    pub places: Vec<bool>,
}

/// A set of markings that no run leaves. It is described by some of its elements and by the places that these
/// elements do not constrain.
///
/// A place is *kept* if it is in a slot. The *exact* places are the least set with these properties:
/// 1. It contains each kept place on which a transition has a guard with an upper bound.
/// 2. It contains each kept place with a negative weight in a claimed formula.
/// 3. If a deadlock is claimed, it contains all kept places.
/// 4. If it contains a place, it contains all sources of effects on this place. (Passive moves of broadcasts
///    are effects on their targets.)
///
/// Transitions that need a token on a place outside `potentially_marked` never fire, and are ignored here.
///
/// A marking m is in the set iff all places outside `potentially_marked` are empty in m, and some listed s has
/// m(p) = s(p) on exact places and m(p) <= s(p) on the other kept places. Places that are not kept may hold any
/// number of tokens.
///
/// Closed: the set contains the initial markings. For each listed s, it contains every successor of s under
/// each transition for which all guards on kept places hold in s.
///
/// No goal: no listed s can satisfy a claimed formula, whatever the numbers of tokens on the places that are
/// not kept.
#[derive(Debug)]
pub struct Markings {
    /// The kept places, each in at most one slot.
    pub slots: Vec<Slot>,
    /// For each place: true if it is potentially marked. Closed in the sense of [`PotentiallyMarked`].
    pub potentially_marked: Vec<bool>,
    /// The listed markings, one value per slot. A marking may be omitted if another listed marking covers it
    /// and has the same tokens on the exact places.
    pub states: Box<dyn StateSet>,
}

impl Markings {
    /// Markings of which all places are kept: the number of tokens on each, in order.
    #[must_use]
    pub fn of_all_places(states: Vectors) -> Self {
        let slots = (0..states.width).map(|p| Slot::Tokens(PlaceId::new(p))).collect();
        Self { slots, potentially_marked: vec![true; states.width], states: Box::new(states) }
    }
}

/// The statement about the violating run that a proof variable stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A proposition of the lemma language: V(q) (the run visits q), the goal in which the run ends,
    /// arithmetic, or an event or a state near the end.
    Prop(Prop),
    /// The run visits a state of this group ([`Refutation::groups`]). The search (crate `theories/ts`) uses such
    /// variables for regions (batches of states that are expanded together) and for components (states that
    /// support each other in a cycle).
    Group(u32),
    /// No fixed meaning: an auxiliary variable that the derivation defined for itself.
    Auxiliary,
}

/// A set of composite states. The group lists some of its states. All its other states belong to groups with
/// smaller numbers, which the group includes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateGroup {
    /// The listed states, concatenated; each takes `width` slots.
    pub states: Vec<u32>,
    /// Groups with smaller numbers that this group includes: the states of these groups belong to this group,
    /// too.
    pub parts: Vec<u32>,
}

/// The reason why an axiom holds for every violating run. The documentation of each variant lists the literals
/// of the axiom's clause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Axiom {
    /// The run starts in an initial state. For every initial state q, the clause contains V(q), or `Group(g)`
    /// for a group g that contains q.
    Initial,
    /// The run ends in one of the claimed goals: the clause contains `Ends(g)` for each of them.
    SomeGoal,
    /// The run does not end in two goals: `not Ends(g)`, `not Ends(h)` for different g and h.
    OneGoal,
    /// The run does not end in this goal, because the goal is not claimed: `not Ends(g)`.
    NotClaimed(Goal),
    /// A goal state ends the run: `not V(q)`, `Ends(g)`, where q is a state of goal g.
    GoalState,
    /// If the run visits a state or a part of a group g, it visits g. The clause contains `Group(g)` and one of
    /// two literals. The first is `not V(q)` for a state q of g (listed in g or in its parts, at any depth). The
    /// second is `not Group(h)` for a group h among the [`StateGroup::parts`] of g itself. (Parts of parts need
    /// one axiom per level.)
    Member,
    /// The run leaves a set of states that contains no state of a claimed goal. The clause contains `not V(q)`
    /// or `not Group(g)`. For each successor r of q (of each state of g) outside this set, it contains V(r), or
    /// `Group(h)` for a group h that contains r. If the clause contains several negated literals of states and
    /// groups, this condition must hold for one of them; the others only weaken the clause.
    Exit,
    /// A pattern's lemma, with the justification that makes it valid.
    Lemma(LemmaKind, Justification),
    /// A pattern's lemma without a justification that the checker can verify.
    Unproven(LemmaKind),
    /// An assumption of the user: the assumption of the problem with this number, as
    /// [`crate::Assumption::clause`].
    Assumed(u32),
    /// Arithmetic of one constant: the clause consists of negated [`Prop::Int`] atoms, and those about some constant
    /// cannot hold together (where [`crate::Constant::is_natural`], for no integer >= 0). Only atoms in one of the
    /// normal forms that the constructors of [`crate::IntAtom`] make, with numbers of at most 64 bits, are considered.
    IntConflict,
    /// Linear arithmetic (Farkas): the clause consists of negated [`Prop::Int`] atoms, and the listed ones
    /// contradict each other. Each is given by its proof variable, with a multiplier.
    ///
    /// An atom is the inequality `sum <= 0`, or the two inequalities `sum <= 0` and `-sum <= 0`. A negative
    /// multiplier stands for the second one, times its magnitude. Each inequality is divided by the greatest common
    /// divisor of its coefficients, and its number is rounded up. The sum of the multiples then consists of a
    /// positive number, and of multiples >= 0 of constants that are never negative
    /// ([`crate::Constant::is_natural`]). So it is positive, although each summand is at most 0. Remainders are not
    /// considered.
    LinearConflict(Vec<(u32, BigInt)>),
}

/// One step of a refutation. A literal is the number of a proof variable, counted from 1, and negative if
/// negated (as in DIMACS).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// A clause that holds for every violating run, with the reason.
    Axiom(Axiom, Vec<i32>),
    /// A clause that follows from the clauses present at this point, with hints: the indices of the steps that
    /// it follows from. If all its literals are assumed false, each hinted clause in turn has exactly one
    /// literal that is not false, which is then set to true. The last hinted clause has no such literal (as in
    /// LRAT, Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017). Without hints, the clause follows by
    /// reverse unit propagation.
    Derived(Vec<i32>, Vec<u32>),
    /// Removes the clause that the step with this index added.
    Delete(u32),
}

/// A proof that no violating run exists.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refutation {
    /// Slots per composite state.
    pub width: usize,
    /// `meanings[i]` is the meaning of proof variable `i + 1`.
    pub meanings: Vec<Meaning>,
    /// The groups that [`Meaning::Group`] refers to, by number.
    pub groups: Vec<StateGroup>,
    /// Axioms and derived clauses. The last derived clause is the empty clause.
    pub steps: Vec<ProofStep>,
}

impl Refutation {
    /// Counts the axioms that are pattern lemmas: the number for each kind, in order of first use.
    #[must_use]
    pub fn lemma_kinds(&self) -> Vec<(LemmaKind, usize)> {
        let mut kinds: Vec<(LemmaKind, usize)> = Vec::new();
        for step in &self.steps {
            let ProofStep::Axiom(Axiom::Lemma(kind, _) | Axiom::Unproven(kind), _) = step else { continue };
            match kinds.iter_mut().find(|(k, _)| k == kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((*kind, 1)),
            }
        }
        kinds
    }
}
