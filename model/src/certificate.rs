//! Evidence for `safe`: closed state sets, and refutations of "a violating run exists".
//!
//! A [`Refutation`] is a list of axioms, each valid for every violating run by a rule the checker knows, and clauses
//! derived from them by reverse unit propagation, ending in the empty clause. What its variables mean is written down, so
//! that the checker needs nothing of the search that found it.

use crate::assumption::Lengths;
use crate::clausal::{Clausal, Derivation};
use crate::fact::Fact;
use crate::goal::Goal;
use crate::ids::ThreadId;
use crate::invariant::Invariant;
use crate::lemma::{LemmaKind, Prop};
use crate::restriction::Restriction;
use crate::task::Slot;
use crate::valuations::Valuations;
use std::fmt;
use std::ops::ControlFlow;

/// Evidence that a goal is unreachable.
#[derive(Debug)]
pub enum Certificate {
    /// All states a run can visit: contains the initial states, closed under successors, free of goal states.
    StateSet(Box<dyn StateSet>),
    /// No violating run satisfies the axioms.
    Refutation(Box<Refutation>),
    /// Of a program: all states of the projection onto some threads ([`crate::fact`]), free of what could be a goal state.
    Projection(Projection),
    /// Of a program: states closed under the successors by stubborn sets, free of goal states.
    Reduced(Box<dyn StateSet>),
    /// Of a program: all states of its runs, with the lengths of the runs as far as assumptions look.
    Counted(Counted),
    /// Of a program: it never visits some local states, and without them the other certificate holds.
    Restricted(Vec<Restriction>, Box<Certificate>),
    /// Of a net or thread system: no other place is ever marked, and without them the goals cannot be.
    Markable(Markable),
    /// Of a net or thread system: a closed set of markings.
    Markings(Markings),
    /// Of a net or thread system: markings of the kept places, all exact, closed under the successors by stubborn sets of the transitions
    /// that change an exact place, in the sense of [`Markings`], or may put tokens on another kept one. These are about kept places and such as are never marked.
    ReducedMarkings(Markings),
    /// Of a net or thread system: facts about all reachable markings that exclude the goals.
    Invariant(Box<Invariant>),
    /// Of a program or circuit: clauses that hold in every reachable state.
    Clauses(Box<Clauses>),
    /// Of a reactive program: valuations closed under calls.
    Valuations(Box<Valuations>),
}

/// Clauses that hold in every reachable state of a program or circuit and exclude the goals. For `bad` and `deadlock` of
/// programs states after a goal do not count: a step is one from a state that is neither bad nor without enabled event. (For nets
/// and thread systems: [`crate::NetFact::Clauses`].)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clauses {
    /// The clauses.
    pub invariant: Clausal,
    /// For each claimed goal, once: a refutation of the checker's formula "a state of the goal (of a circuit: a frame) in which
    /// the clauses hold"; `None` until it is proven.
    pub exclusions: Vec<(Goal, Option<Derivation>)>,
}

/// All states that runs visit, each with the classes of lengths at which they do: contains the initial states with length 0, with a
/// state all its successors one event later, and no state of a claimed goal at a length of which all assumptions hold.
#[derive(Debug)]
pub struct Counted {
    /// The classes; assumptions must not tell apart lengths of one class.
    pub lengths: Lengths,
    /// States, with the number of the class in a last slot.
    pub states: Box<dyn StateSet>,
}

/// A closed set of states of the projection of a program onto some threads.
///
/// It has every combination of initial states of the kept threads, and with a state without bad local state all its
/// successors in the projection. Goal `bad`: no listed state has a bad local state, and no other thread has a locally
/// reachable one. Goal `deadlock`: for every listed state without bad local state there is a thread k that is not kept (none
/// is needed if all are) such that in each of k's locally reachable states that are not bad some event is blocked neither by
/// this state of k, nor by a kept thread there, nor by any further thread in a locally reachable state that is not bad; and
/// a kept thread requests it there, or some other thread in every locally reachable state of its own that is not bad.
#[derive(Debug)]
pub struct Projection {
    /// The kept threads, ascending. May be empty: then the only state is the empty one.
    pub kept: Vec<ThreadId>,
    /// Their joint states.
    pub states: Box<dyn StateSet>,
}

/// Places that contain all that can ever be marked: those that may hold tokens at the start, and with the places that a
/// transition's guards ask tokens of all those it may put tokens on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Markable {
    /// By [`crate::PlaceId`] (for thread systems: shared states, then local states): can it be marked?
    pub places: Vec<bool>,
}

/// A set of markings that no run leaves, given by some of its elements and what they leave out.
///
/// Fix which places are *kept* (they are in a slot) and which are *exact*: the least set with (1) kept places on which a
/// transition has a guard with an upper end; (2) kept places with a negative weight in a claimed formula; (3) if a deadlock
/// is claimed, all kept places; (4) with a place all sources of effects on it (passive moves of
/// broadcasts are effects on their targets). Transitions that need a place that is not
/// markable never fire and count for nothing here. A marking m is in the set iff its places outside `markable` are empty
/// and some listed s has m(p) = s(p) on exact and m(p) <= s(p) on other kept places; places not kept hold anything.
///
/// Closed: it contains the initial markings, and with s every successor of s under transitions whose guards hold of s as
/// far as they look at kept places. Without goals: no listed s can satisfy a claimed formula, whatever the other places hold.
#[derive(Debug)]
pub struct Markings {
    /// The kept places; each at most once.
    pub slots: Vec<Slot>,
    /// Places that can be marked, closed as a [`Markable`].
    pub markable: Vec<bool>,
    /// The listed markings, one value per slot. May leave out markings that another one covers.
    pub states: Box<dyn StateSet>,
}

/// A set of composite states that can be streamed as often as needed.
pub trait StateSet: fmt::Debug + Send {
    /// How many states it has.
    fn len(&self) -> u64;

    /// Has it no state?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Hands each state (one local state per thread) to `visit`, each once, until that breaks off.
    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()>;
}

/// What a proof variable says about the violating run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A proposition of the lemma language (V(q), the goal it ends in, arithmetic, events and states near the end).
    Prop(Prop),
    /// The run visits one of the states of this group ([`Refutation::groups`]). Named by regions and by loop formulas.
    Group(u32),
    /// Nothing in particular: a variable that a derivation defined for itself.
    Auxiliary,
}

/// A set of composite states: some listed, some taken over from earlier groups.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateGroup {
    /// Listed states, one after the other, `width` slots each.
    pub states: Vec<u32>,
    /// Groups (with smaller numbers) whose states belong to it too.
    pub parts: Vec<u32>,
}

/// Why an axiom holds for every violating run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Axiom {
    /// V(q) for some initial state q: the clause has V(q) or a group with q for every initial state q.
    Initial,
    /// The run ends in one of the claimed goals: `Ends(g)` for each of them.
    SomeGoal,
    /// Not in two goals: `not Ends(g)`, `not Ends(h)` with g and h different.
    OneGoal,
    /// The run does not end in this goal: it is not among the claimed ones. `not Ends(g)`.
    NotClaimed(Goal),
    /// A goal state ends the run: `not V(q)`, `Ends(g)` where q is a state of goal g.
    GoalState,
    /// Being in part of a group: `not V(q)` or `not Group(h)`, then `Group(g)`, with q in g (listed by it or by parts of
    /// parts, at any depth) or h one of g's own [`StateGroup::parts`] (parts of parts take one axiom per level).
    Member,
    /// The run leaves a set of states that holds no goal state of a claimed goal: `not V(q)` or `not Group(g)`, and for each
    /// successor of q (of each state of g) that is not itself in the set V(r) or a group that contains r. If the clause
    /// has several negated sets, any one of them may be the one that is left; the others only weaken the clause.
    Exit,
    /// A pattern's lemma, by a fact about threads.
    Lemma(LemmaKind, Fact),
    /// A pattern's lemma without a fact the checker knows.
    Unproven(LemmaKind),
    /// What the user assumes of violating runs: the problem's assumption of this number, as [`crate::Assumption::clause`].
    Assumed(u32),
    /// Arithmetic: the negations of [`Prop::Int`] atoms that do not hold together (for integers T >= 0). Only atoms in one
    /// of the normal forms of [`crate::IntAtom`]'s constructors count, all of whose numbers fit 64 bits.
    IntConflict,
}

/// One step of a refutation. Literals are proof variables, 1-based, negative when negated (as in DIMACS).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// A clause that holds for every violating run.
    Axiom(Axiom, Vec<i32>),
    /// A clause that follows from the clauses alive at this point, and the steps that it follows from: assume its literals
    /// false, then each hinted clause in turn has one literal left that is not false, and the last one none (as in LRAT,
    /// Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017). Without hints: by reverse unit propagation.
    Derived(Vec<i32>, Vec<u32>),
    /// The clause that the step with this index added is dropped.
    Delete(u32),
}

/// A proof that there is no violating run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refutation {
    /// Slots per composite state.
    pub width: usize,
    /// What proof variable `i + 1` means.
    pub meanings: Vec<Meaning>,
    /// The groups that meanings name.
    pub groups: Vec<StateGroup>,
    /// Axioms and derivations; the last derivation is the empty clause.
    pub steps: Vec<ProofStep>,
}

impl Refutation {
    /// How many axioms are pattern lemmas, by kind and in order of first use.
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
