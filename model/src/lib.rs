//! What everybody talks about: systems and the goals asked of them, lemmas, traces, certificates, claims.
//!
//! This crate has no IO, no solver and no search. Everything here is plain data with checked constructors, so that the
//! crates that disagree about *how* to decide a problem agree about *what* it says.

pub mod assumption;
pub mod called;
pub mod certificate;
pub mod circuit;
pub mod claim;
pub mod clausal;
pub mod cnf;
pub mod deadlock;
pub mod engine;
pub mod event_set;
pub mod fact;
pub mod formula;
pub mod goal;
pub mod ids;
pub mod invariant;
pub mod lemma;
pub mod ltl;
pub mod net;
pub mod observed;
pub mod own;
pub mod pattern;
pub mod positions;
pub mod problem;
pub mod reactive;
pub mod restriction;
pub mod rwb;
pub mod task;
pub mod term;
pub mod threads;
pub mod trace;
pub mod valuations;

pub use assumption::{Assumption, Lengths};
pub use called::FinalMarking;
pub use certificate::{
    Axiom, Certificate, Clauses, Markable, Markings, Meaning, Projection, ProofStep, Refutation, StateGroup, StateSet,
};
pub use circuit::{Circuit, CircuitBuilder, Gate, Input, Latch, Output, Reset, Signal};
pub use claim::{Claim, Reason};
pub use clausal::{Bit, Clausal, Derivation};
pub use deadlock::{deadlock, deadlock_in, deadlock_of, ends, improper};
pub use engine::{Budget, Engine, Stats, Stop, Turn};
pub use event_set::EventSet;
pub use fact::Fact;
pub use formula::{Formula, FormulaBuilder, Linear, Node, NodeId};
pub use goal::{Asked, Goal, Marked, Property, SystemModel};
pub use ids::{
    ArrayId, ErrorId, EventId, ExprId, FormulaId, FunctionId, InputId, LatchId, LocalId, LtlId, OutputId, PlaceId,
    PredicateId, SharedId, TemporalId, ThreadId, TransitionId, VarId,
};
pub use invariant::{AtMost, CaseLemma, Cases, Exclusion, Invariant, NetFact, Pairs, Vector, Why, Within};
pub use lemma::{Lemma, LemmaKind, LemmaLit, Prop};
pub use ltl::{Letter, Ltl, LtlNode};
pub use net::{Effect, Guard, Net, Place, Range, Transition};
pub use observed::{Observed, observed, together};
pub use own::{Kind, System};
pub use pattern::{ConcreteRun, Coverage, Effort, Match, Pattern, WhyNot};
pub use positions::{Lines, Position};
pub use problem::{Mismatch, Problem, Questions, Unfit};
pub use reactive::{Outcome, Reactive};
pub use restriction::{Potential, Restriction, Task, Unreachable};
pub use rwb::{LocalState, Program, Thread};
pub use task::{Bound, CircuitTask, MarkedTask, NetTask, OwnTask, ProgramTask, ReactiveTask, Slot};
pub use term::{Constant, IntAtom, IntTerm, Values};
pub use threads::{Act, ThreadInit, ThreadSystem, ThreadTransition};
pub use trace::{ChoiceId, Move, Run, Trace};
pub use valuations::{Holds, Valuations};
