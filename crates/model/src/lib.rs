//! The shared vocabulary of all crates: systems and the goals asked about them, lemmas, traces, certificates
//! and claims.
//!
//! ```
//! use impasse_model::{Formula, Net, Place, PlaceId, Problem, Range, Transition};
//! use std::sync::Arc;
//!
//! // Arbitrarily many processes share a lock.
//! let place = |name: &str, initial| Place { name: name.to_owned(), initial };
//! let (any, none) = (Range::from(0u8), Range::exactly(0u8));
//! let places = vec![place("idle", any), place("lock", Range::exactly(1u8)), place("busy", none)];
//! let [idle, lock, busy] = [0, 1, 2].map(|number| (PlaceId(number), 1u8.into()));
//! let enter = Transition::from_arcs("enter".to_owned(), &[idle.clone(), lock.clone()], &[busy.clone()]);
//! let leave = Transition::from_arcs("leave".to_owned(), &[busy], &[idle, lock]);
//! let net = Net::new(places, vec![enter, leave]).unwrap();
//! assert_eq!(net.open_places(), [PlaceId(0)]);
//!
//! // Two questions: can two processes be busy together, and can the net reach a deadlock?
//! let two_busy = Formula::cover(&[(PlaceId(2), 2u8.into())]);
//! let problem = Problem::of_net(Arc::new(net)).never("two busy", two_busy).unwrap().never_stuck().unwrap();
//! let kinds: Vec<&str> = problem.properties().iter().map(|property| problem.kind(property)).collect();
//! assert_eq!(kinds, ["cover", "deadlock"]);
//! assert!(problem.never_stuck().is_err(), "a problem has each question once");
//! ```
//!
//! This crate has no IO, no solver and no search. It contains plain data with constructors that check it.
//! Crates may decide a problem in different ways, but they all use these definitions of what the problem means.
//!
//! * Kinds of systems: [`Program`] ([`rwb`]), [`Net`] ([`mod@net`]), [`ThreadTransitionSystem`] ([`threads`]),
//!   [`Circuit`] ([`circuit`]), [`Reactive`] ([`reactive`]), and systems written in Rust ([`own`]).
//! * Questions: a [`Problem`] is a system with properties. Each [`Property`] has a [`Goal`]. A [`Formula`] defines
//!   a set of markings, and an [`Ltl`] formula a set of infinite runs.
//! * Engines: an [`Engine`] gets a task of its kind of system ([`task`]) and returns a [`Claim`], with a [`Trace`]
//!   or a [`Certificate`] as evidence.
//! * Patterns: a [`Pattern`] recognises threads. Its [`Match`] emits each [`Lemma`] with a [`Justification`].

pub mod array;
pub mod assumption;
pub mod bound;
pub mod called;
pub mod certificate;
pub mod circuit;
pub mod claim;
pub mod clausal;
pub mod cnf;
pub mod counts;
pub mod ctl;
pub mod data;
pub mod deadlock;
mod declarations;
pub mod engine;
pub mod event_set;
pub mod fairness;
pub mod families;
pub mod formula;
pub mod goal;
mod grown;
pub mod ids;
pub mod invariant;
pub mod justification;
mod known;
pub mod lemma;
mod lines;
pub mod ltl;
mod mapped;
mod marks;
pub mod net;
pub mod observed;
pub mod own;
pub mod pattern;
pub mod positions;
pub mod problem;
pub mod reactive;
pub mod restriction;
pub mod rwb;
mod said;
pub mod saved;
mod state_set;
mod system;
pub mod task;
pub mod term;
pub mod threads;
pub mod trace;
pub mod unread;
pub mod valuations;

pub use assumption::{Assumption, Lengths};
pub use called::FinalMarking;
pub use certificate::{
    Axiom, Certificate, Clauses, Induction, Markings, Meaning, PotentiallyMarked, Projection, ProofStep, Refutation,
    StateGroup, StateSet, Vectors,
};
pub use circuit::{
    Circuit, CircuitBuilder, CircuitRun, Followed, Gate, Input, Justice, JusticeProof, Latch, Output, Reset, Signal,
    Tracker, TrackingProof, Translation,
};
pub use claim::{BranchingEvidence, Claim, Live, Lost, Parts, Reason, Recurring, Reduction, Restart, Way};
pub use clausal::{Bit, Clausal, Derivation};
pub use counts::Counts;
pub use ctl::{Ctl, CtlBuilder, CtlNode};
pub use data::{DataCertificate, DataProgram};
pub use deadlock::{deadlock, deadlock_in, deadlock_of, ends, improper};
pub use declarations::{Declaration, Parameter};
pub use engine::{Budget, Engine, Stats, Stop, Turn};
pub use event_set::EventSet;
pub use fairness::{Fairness, Subject};
pub use families::{Families, Named, NodeNames};
pub use formula::{Formula, FormulaBuilder, Linear, Node, NodeId};
pub use goal::{Goal, Marked, Property, QuestionForm, SystemModel};
pub use grown::{Grown, Growth};
pub use ids::{
    ArrayId, BoundId, BranchingId, ContentsId, CtlId, DecisionId, ErrorId, EventId, ExprId, FormulaId, FunctionId,
    InputId, JusticeId, LatchId, LocalId, LocationId, LtlId, MemoryId, OutputId, PlaceId, PortId, PredicateId,
    SharedId, TemporalId, ThreadId, TransitionId, VarId, VariableId,
};
pub use invariant::{
    AtMost, CaseLemma, Cases, ConcurrencyRelation, Exclusion, InvariantCertificate, NetInvariant, Vector, Why, Within,
};
pub use justification::Justification;
pub use known::Variable;
pub use lemma::{Lemma, LemmaKind, LemmaLit, Prop};
pub use ltl::{Letter, Ltl, LtlBuilder, LtlNode};
pub use mapped::{Lift, Mapped};
pub use net::{Effect, Guard, Net, Place, Range, Transition};
pub use observed::{Observed, observed, together};
pub use own::{ExpansionKind, System};
pub use pattern::{ConcreteRun, Coverage, Effort, Match, Pattern, WhyNot};
pub use positions::{Lines, Position};
pub use problem::{Mismatch, Problem, Questions, Sum, Unfit};
pub use reactive::{Outcome, Reactive};
pub use restriction::{Potential, Restriction, Task, Unreachable};
pub use rwb::{LocalState, PRIORITIES, Program, Thread};
pub use saved::{Save, Saved, Unrestored, Unsaved};
pub use system::Family;
pub use task::{Bound, Chains, CircuitTask, DataTask, MarkedTask, NetTask, OwnTask, ProgramTask, ReactiveTask, Slot};
pub use term::{Constant, IntAtom, IntTerm, Values};
pub use threads::{Act, ThreadInit, ThreadTransition, ThreadTransitionSystem};
pub use trace::{ChoiceId, Move, Run, Trace};
pub use unread::Unread;
pub use valuations::{Holds, Valuations};
