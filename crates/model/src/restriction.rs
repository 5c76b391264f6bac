//! Restrictions: local states that a program never visits, and the program without them.
//!
//! Removing such states changes nothing that a run can do. If all targets of an event in a local state are
//! removed, the thread blocks the event in this state, since the event never fires there. The visited composite
//! states, their steps and their goals stay the same. Analyses of single threads then consider fewer impossible
//! moves. For example, they do not consider that a schedulable task misses its deadline, or that a thread
//! enters a bad state that no run reaches.

use crate::ids::{EventId, LocalId, ThreadId};
use crate::lemma::LemmaKind;
use crate::rwb::{Program, Thread};
use std::collections::BTreeSet;

/// Local states that no run from an initial state visits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restriction {
    /// The kind: the pattern and the formula.
    pub kind: LemmaKind,
    /// The excluded states: ascending, each once.
    pub excluded: Vec<(ThreadId, LocalId)>,
    /// The reason.
    pub why: Unreachable,
}

/// The reason why local states are never visited. Each reason is decided from the threads alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unreachable {
    /// A Cartesian abstraction excludes the states. Consider the least family of sets of local states that
    /// contains the initial states and is closed as in [`crate::Justification::Future`], with the initial
    /// states in place of the states of q. The excluded states are not in its sets.
    Cartesian,
    /// Response times of periodic tasks, with at most one entry per thread.
    ///
    /// Pairs: each state that a task's thread can reach has a *column* c in 0..period (steps since the release)
    /// and a *row* r in 0..=work (slots received). It is *pending* if r < work. The only initial state has
    /// column 0 and row 0, or, if `offset` is not 0, column `offset` and row `work`. No state has two pairs,
    /// and several states may have the same pair.
    ///
    /// Moves: consider a state with the pair (c, r), and an event f that this state does not block and that
    /// some thread requests in a locally reachable state. Let r' = r + 1 if f is the task's own event and r <
    /// work, and r' = r otherwise. L is the bound defined below.
    /// * If c + 1 = period and r' = work, f leads to a single state, with the pair (0, 0).
    /// * If c + 1 = period and r' < work, f may lead anywhere, because f never fires there.
    /// * If c + 1 < period, r' < work and c + 1 + work - r' > L, f may lead anywhere, for the same reason.
    /// * Otherwise f leads to a single state, with the pair (c + 1, r').
    ///
    /// Requests: of the states with a pair, only pending ones request the task's own event. Different tasks
    /// have different own events, and no other thread requests an own event in a locally reachable state. The
    /// excluded states are the states of the tasks' threads that have no pair.
    ///
    /// Levels: task j is *in the level of* task i iff j = i, or some pending state of i does not block j's own
    /// event. A(i) is the closure of {i} under this relation. For each task i and every j in A(i), every
    /// pending state of j blocks every event that some locally reachable state requests, except the own events
    /// of A(i).
    ///
    /// Bounds: L(i) is the least L > 0 with L = sum over j in A(i) of ceil(L / period(j)) * work(j), and
    /// L(i) <= period(i). The pairs depend on L, and L depends on which states are pending. The least values L
    /// that are consistent with each other are meant: they are raised, starting from `work`, until they are
    /// consistent.
    ///
    /// Sound (level-i busy period, Lehoczky 1990, for unit slots and any order within the level). Claim: no run
    /// takes a step of task i into a column c' with w = work - r' > 0 slots missing and c' + w > L(i). Proof:
    /// consider the first such step of a run. The *job* is the work of task i in the period of this step.
    /// 1. Until then, every step in which a task of A(i) is pending gives a slot to a pending task of A(i).
    ///    Proof: pending states of A(i) block all other events.
    /// 2. Let t0 be the last time, at or before the release of the job, at which no task of A(i) has work left
    ///    from earlier releases. From t0 on, some task of A(i) is pending all the time. Let the step be x steps
    ///    after t0. By 1, x + w is at most the work that A(i) released in these x steps. This work is W(x), the
    ///    sum in the definition of L with x in place of L.
    /// 3. If x >= L(i), all work released in the first L(i) steps after t0 was done at the end of these steps.
    ///    Then either t0 was not the last such time, or the job is done. Both are contradictions.
    /// 4. If x < L(i), then x + w <= W(x) <= W(L(i)) = L(i). Since c' <= x, c' + w <= L(i), a contradiction.
    ResponseTimes(Vec<Task>),
    /// Weights of local states such that the sums over all threads never exceed their initial maximum. This is
    /// shown for all given potentials together.
    ///
    /// Definitions:
    /// * The `start` of a potential is the sum, over the threads, of the largest weight of an initial state.
    ///   The *least* weight of a thread is the smallest weight of its locally reachable states.
    /// * A state s of thread i and a state t of another thread j are *apart* iff for one of the potentials
    ///   w(s) + w(t) plus the least weights of all other threads exceeds `start`.
    /// * A *case* consists of an event e and a locally reachable state q of a thread r that requests e and does
    ///   not block it.
    /// * A locally reachable state s of another thread i is *beside* the case iff s does not block e, and s and
    ///   q are not apart.
    /// * A state s beside the case *takes part* iff the following holds for every third thread j that moves on
    ///   e or has a locally reachable state that is not bad and blocks e: j has a state that is beside the case
    ///   and not apart from s.
    ///
    /// Condition: for every case and every potential, the following sum is at most 0, or one of its maxima is
    /// over an empty set. The sum consists of the largest w(t) - w(q) over the targets t of q for e and, for
    /// each other thread, the largest w(t) - w(s) over the states s of this thread that take part and the
    /// targets t of s for e. For each excluded state s there is a potential for which w(s) plus the least
    /// weights of all other threads exceeds `start`. All numbers are exact.
    ///
    /// Sound: no potential exceeds its `start` in a state that a run visits. Proof by induction on the run:
    /// 1. No potential exceeds its `start` in an initial state, by the definition of `start`.
    /// 2. If no potential exceeds its `start` in a composite state, no two local states of it are apart.
    /// 3. Therefore, whatever event fires there, the state of its requester makes a case in which the states of
    ///    all other threads take part. No maximum of the condition is then over an empty set, so no potential
    ///    grows in this step.
    ///
    /// (This is a dual of the state equation of nets, Murata 1989, for inequalities that are inductive only
    /// together.)
    Potential(Vec<Potential>),
}

/// The parameters of a periodic task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// The thread of the task.
    pub thread: ThreadId,
    /// The task's own event, which gives it one slot.
    pub event: EventId,
    /// Steps between two releases, at least 1.
    pub period: u32,
    /// Slots that the task needs in each period, in 1..=period.
    pub work: u32,
    /// The column of the initial state, below `period`. Initially the task has work to do only if this column
    /// is 0.
    pub offset: u32,
}

/// Weights of local states. The potential of a composite state is the sum of the weights over its threads
/// ([`Unreachable::Potential`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Potential {
    /// `weights[thread][state]`: the weight of a local state.
    pub weights: Vec<Vec<i64>>,
}

/// Returns `program` without the states `excluded`. If all targets of an event in a state are excluded, the
/// state blocks the event; otherwise the excluded targets are removed. Excluded states stay in the lists of
/// states, but no move leads to them. The result is equivalent to `program` if the excluded states are never
/// visited. If all initial states of a thread are excluded, they stay initial, because a thread needs an
/// initial state.
///
/// # Panics
/// Panics if `excluded` contains threads or states that do not exist.
#[must_use]
pub fn restrict(program: &Program, excluded: &[(ThreadId, LocalId)]) -> Program {
    let mut threads = program.threads().to_vec();
    for group in excluded.chunk_by(|a, b| a.0 == b.0) {
        let gone: BTreeSet<LocalId> = group.iter().map(|&(_, state)| state).collect();
        cut(&mut threads[group[0].0.index()], &gone);
    }
    Program::new(program.events().to_vec(), threads, program.check().to_vec()).expect("parts of a program")
}

fn cut(thread: &mut Thread, gone: &BTreeSet<LocalId>) {
    assert!(gone.last().is_none_or(|s| s.index() < thread.states.len()), "the thread has these states");
    let kept: Vec<LocalId> = thread.initial.iter().copied().filter(|s| !gone.contains(s)).collect();
    if !kept.is_empty() {
        thread.initial = kept;
    }
    for state in thread.states.iter_mut().filter(|s| !s.bad) {
        let mut shut = Vec::new();
        for (event, targets) in &mut state.on {
            targets.retain(|t| !gone.contains(t));
            if targets.is_empty() {
                shut.push(*event);
            }
        }
        for event in shut {
            state.on.remove(&event);
            state.block.insert(event);
        }
    }
}
