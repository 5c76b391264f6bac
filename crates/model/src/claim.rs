//! Claims: what engines say about goals, with evidence. A claim is not a verdict. Only the crate `certify`
//! turns a claim into a verdict.

use crate::certificate::{Certificate, Markings};
use crate::clausal::Derivation;
use crate::formula::Formula;
use crate::goal::Goal;
use crate::ids::{FormulaId, PlaceId, TransitionId};
use crate::invariant::{InvariantCertificate, Vector, Within};
use crate::trace::Trace;
use num_bigint::BigUint;
use std::fmt;
use std::sync::Arc;

/// The reason why an answer is unknown. The list of reasons is closed: it is part of the promised JSON format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// No violation was found within a bound, and the bound cut off a part of the state space.
    Bound,
    /// No engine supports this problem.
    Unsupported,
    /// A run reaches an operation that the language of the model does not define. The behaviour after it is
    /// unknown.
    Undefined,
    /// The engine ended without an answer.
    GaveUp,
    /// Checking the evidence exceeds a resource limit, or the checker does not support this kind of evidence.
    Uncertified,
    /// A number exceeded the range of its representation.
    Overflow,
    /// The user interrupted the check.
    Interrupted,
    /// The limit of the temporary files was reached, the disk is full, or a temporary file cannot be used.
    Disk,
    /// A search that may take different states for the same one has ended without finding a run.
    Lossy,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 11] = [
        Reason::Timeout,
        Reason::Memory,
        Reason::Bound,
        Reason::Unsupported,
        Reason::Undefined,
        Reason::GaveUp,
        Reason::Uncertified,
        Reason::Overflow,
        Reason::Interrupted,
        Reason::Disk,
        Reason::Lossy,
    ];

    /// Returns the name of the reason in JSON and on the terminal.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::Bound => "bound",
            Reason::Unsupported => "unsupported",
            Reason::Undefined => "undefined",
            Reason::GaveUp => "gave_up",
            Reason::Uncertified => "uncertified",
            Reason::Overflow => "overflow",
            Reason::Interrupted => "interrupted",
            Reason::Disk => "disk",
            Reason::Lossy => "lossy",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// What an engine says about goals, with the evidence. A claim counts only after the evidence has been checked.
#[derive(Debug)]
pub enum Claim {
    /// None of these goals is reachable.
    Safe {
        /// The goals, at least one.
        goals: Vec<Goal>,
        /// The evidence, valid for all of these goals.
        certificate: Certificate,
    },
    /// A state of this goal is reachable.
    Unsafe {
        /// The goal.
        goal: Goal,
        /// The run that reaches it.
        trace: Trace,
        /// True if the engine has not checked the trace itself, because a pattern proposed it. If such a trace
        /// cannot be replayed, this is not an internal error, and the engine continues without it.
        candidate: bool,
    },
    /// For a net or thread-transition system: no run that stays within a bound reaches one of these goals. The
    /// claim says nothing about other runs.
    Within {
        /// The goals, at least one.
        goals: Vec<Goal>,
        /// The runs that the claim is about.
        within: Within,
        /// Invariants that hold in all markings of these runs. Their clauses may use [`crate::Bit::Room`].
        invariant: Box<InvariantCertificate>,
    },
    /// For a net or thread-transition system: the formulas of goals [`Goal::Branching`] hold, or none of them holds. If
    /// they hold, the goals may also be [`Goal::Temporal`].
    Branching {
        /// The goals, at least one.
        goals: Vec<Goal>,
        /// True if the formulas hold in all initial markings.
        holds: bool,
        /// The evidence.
        evidence: BranchingEvidence,
    },
    /// For a net or thread-transition system: the largest value of the sum of a goal [`Goal::Bound`]. Among the parts
    /// are a run to a marking with this value ([`crate::bound::at_least`]), and a certificate that none has a greater
    /// one ([`crate::bound::exceeds`]).
    Bound {
        /// The goal.
        goal: Goal,
        /// The largest value.
        value: BigUint,
        /// The evidence.
        parts: Parts,
    },
    /// The engine ended without an answer for these goals.
    Unknown {
        /// The goals.
        goals: Vec<Goal>,
        /// The reason.
        reason: Reason,
    },
}

impl Claim {
    /// The goals that the claim is about.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        match self {
            Claim::Safe { goals, .. }
            | Claim::Within { goals, .. }
            | Claim::Branching { goals, .. }
            | Claim::Unknown { goals, .. } => goals,
            Claim::Unsafe { goal, .. } | Claim::Bound { goal, .. } => std::slice::from_ref(goal),
        }
    }
}

/// Claims about markings, as parts of the evidence for another claim. They are about the problem with more formulas.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The formulas after those of the problem.
    pub formulas: Vec<Arc<Formula>>,
    /// The claims, about goals [`Goal::Formula`] and [`Goal::Deadlock`].
    pub claims: Vec<Arc<Claim>>,
}

/// Evidence about a formula of computation tree logic.
///
/// By the parts, some formulas hold in no reachable marking. So letters with these formulas are false everywhere, and
/// letters with the negation of one of them are true everywhere. What remains is evaluated on the listed markings. Each
/// subformula is true, false, or unknown in each of them: nothing is assumed about next markings that are not listed.
#[derive(Clone, Debug, Default)]
pub struct BranchingEvidence {
    /// Claims that some formulas hold in no reachable marking.
    pub never: Parts,
    /// Some markings, among them the initial ones; not necessary if the claims decide the formula.
    pub markings: Option<Arc<Markings>>,
    /// Sets of places that have no tokens in any marking after one in which they have none (siphons). So in a listed
    /// marking in which they have none, a subformula is false if it needs tokens there.
    pub siphons: Vec<Vec<PlaceId>>,
    /// Why each transition can always become enabled again. So `EF a` is true in all reachable markings if some
    /// transition is enabled only in markings with `a`.
    pub live: Option<Arc<Live>>,
    /// Why `EF a` is true in all reachable markings, for some letters a.
    pub recurring: Option<Arc<Recurring>>,
    /// Why `EF a` is false in some reachable marking, for some letters a.
    pub lost: Vec<Arc<Lost>>,
}

/// Letters that hold in some marking that can be reached, whatever marking was reached before. For nets in which more
/// tokens never disable a transition.
#[derive(Clone, Debug, Default)]
pub struct Recurring {
    /// For each of these letters: markings from which it can be reached.
    pub ways: Vec<(FormulaId, Vec<Way>)>,
    /// Claims that each reachable marking covers one of the markings, for each letter.
    pub parts: Parts,
}

/// A marking from which a letter can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// The marking: places with their tokens. All other places are empty.
    pub marking: Vector,
    /// A transition that leads from there to a marking that covers an earlier one of the list, and the number of that
    /// one. `None` if the letter holds in the marking.
    pub next: Option<(TransitionId, usize)>,
}

/// A run after which a letter never holds.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The letter.
    pub letter: FormulaId,
    /// The run.
    pub run: Trace,
    /// The claim that the letter is unreachable in the net that starts in the last marking of the run.
    pub never: Arc<Claim>,
}

/// Why each transition of a net is live: the net is an asymmetric choice net with plain arcs, and each siphon contains
/// a marked trap. With `restart`, this is said of the net with one more transition.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Live {
    /// The transition that is added to the net, and what is known about its end.
    pub restart: Option<Restart>,
    /// Sets of places that keep a token once they have one (traps), each with an initial token.
    pub traps: Vec<Vec<PlaceId>>,
    /// A refutation of the checker's formula "a siphon is not empty and contains none of the traps".
    pub refutation: Derivation,
}

/// A transition that takes a token from a place, the *end*, and puts the initial marking in its place; and weights
/// which show that a reachable marking with a token on the end has no other tokens. Both are about a smaller net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restart {
    /// The end.
    pub end: PlaceId,
    /// The steps to the smaller net.
    pub steps: Vec<Reduction>,
    /// For each place of the smaller net: its weight. No transition increases the weighted number of tokens.
    pub weights: Vec<(PlaceId, BigUint)>,
}

/// A step that makes a net smaller (`crates/kernel/src/restart/smaller.rs` has the conditions).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// The transition is the only one that consumes from its only place: it fires with each transition that produces
    /// there, and the place is removed.
    Follow(TransitionId),
    /// A place with the producers and the consumers of another one is removed.
    Place {
        /// The place that is removed.
        removed: PlaceId,
        /// The other one.
        kept: PlaceId,
    },
    /// A transition is removed that has the arcs of another one, or that has no effect and is enabled where another one
    /// is enabled.
    Transition {
        /// The transition that is removed.
        removed: TransitionId,
        /// The other one.
        kept: TransitionId,
    },
}
