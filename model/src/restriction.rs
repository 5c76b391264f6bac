//! Local states that a program never visits, and the program without them.
//!
//! Taking such states out changes nothing that a run can do: a thread blocks an event in a state where each of its targets
//! is excluded, since the event never fires there; the composite states that runs visit, their steps and their goals stay
//! the same. Whoever looks at single threads then sees less that cannot happen: schedulable tasks without misses, markers
//! whose bad state is out of reach.

use crate::ids::{EventId, LocalId, ThreadId};
use crate::lemma::LemmaKind;
use crate::rwb::{Program, Thread};
use std::collections::BTreeSet;

/// Local states that no run from an initial state ever visits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restriction {
    /// Whose and which.
    pub kind: LemmaKind,
    /// The states, ascending, each once.
    pub excluded: Vec<(ThreadId, LocalId)>,
    /// Why.
    pub why: Unreachable,
}

/// Why local states are never visited. Each reason is decided from the threads alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unreachable {
    /// No family of sets of local states that contains the initial states and is closed as [`crate::Fact::Future`] says
    /// needs them (that rule with the initial states in place of q).
    Cartesian,
    /// Response times of periodic tasks; at most one entry per thread. Every state that a task's thread can come to has a
    /// *column* c in 0..period (steps since the release) and a *row* r in 0..=work (slots received); with r < work it is
    /// *pending*. The one initial state has column 0 and row 0, or, if `offset` is not 0, column `offset` and row `work`.
    /// For a state (c, r) and every event f that it does not block and that some thread has a locally reachable state to
    /// request: with r' = r + 1 if f is the task's own event and r < work, else r' = r, f leads
    /// * if c + 1 = period: to a single state, (0, 0), if r' = work; else anywhere, because f never fires there;
    /// * else if r' < work and c + 1 + work - r' > L: anywhere, for the same reason (L is the bound below);
    /// * else to a single state, (c + 1, r').
    ///
    /// No state has two such pairs, and the same pair may belong to several states. Of states with a pair only pending ones
    /// request the own event; own events differ, and nobody else has a locally reachable state that requests one. Excluded
    /// are states of these threads that get no pair.
    ///
    /// Task j is *in the level of* task i iff some pending state of i does not block j's own event (i itself is in it);
    /// A(i) is the closure of {i} under that. For each task i and every j in A(i), every pending state of j blocks every
    /// event that some locally reachable state requests, other than own events of A(i). With L(i) the least L > 0 with
    /// L = sum over j in A(i) of ceil(L / period(j)) * work(j), L(i) <= period(i). (Which states have pairs depends on L, and
    /// L on which of them are pending: the least L that fit together are meant. Raise them from `work` until they do.)
    ///
    /// Sound (level-i busy period, Lehoczky 1990, for unit slots and any order within the level): look at the first step
    /// into a column c' with w = work - r' > 0 slots missing and c' + w > L(i). Until then every step with a task of A(i)
    /// pending serves one of them. Let t0 be the last time, at or before the release, at which none of them has work left
    /// over from before; from t0 on one is pending all the time. x steps later, at c', x + w is at most the work that A(i)
    /// released in these x steps, W(x) = the sum with x for L. If x >= L, all that was released in the first L steps was
    /// done after them, and t0 not the last such time, or the job done; else x + w <= W(L) = L, and c' <= x.
    ResponseTimes(Vec<Task>),
    /// Weights of local states whose sums over all threads never grow, shown for all these potentials together. Let `start` of
    /// a potential be the sum over threads of the largest weight of an initial state, and a *least* weight that of a locally
    /// reachable state of a thread. States (i, s) and (j, t) of two threads are *apart* iff for one of the potentials w(s) +
    /// w(t) plus the sum of the other threads' least weights exceeds `start`.
    ///
    /// A *case* is an event e with a locally reachable state q of a thread r that requests e and does not block it. A locally
    /// reachable state s of another thread i is *beside* it iff s does not block e and (i, s) is not apart from (r, q). It
    /// *takes part* iff moreover every third thread j that moves on e or has a locally reachable state that is not bad and
    /// blocks it has a state beside the case that is not apart from (i, s). In every case and for every potential this sum
    /// is at most 0, or one of its maxima is over nothing: the largest w(t) - w(q) over targets t of q for e, plus for each
    /// other thread the largest w(t) - w(s) over its states s that take part and targets t of s for e.
    ///
    /// Of an excluded (i, s): for one of the potentials w(s) plus the sum of the other threads' least weights exceeds
    /// `start`. All numbers are exact.
    ///
    /// Sound: no potential exceeds its `start` in a state that a run visits, by induction on the run. Where none does, no two
    /// local states are apart; so whatever fires there, its requester and the others make a case in which all of them take
    /// part. (A dual of the state equation of nets, Murata 1989, for inequalities that are inductive only together.)
    Potential(Vec<Potential>),
}

/// The parameters of a periodic task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// Its thread.
    pub thread: ThreadId,
    /// The event that serves it.
    pub event: EventId,
    /// Steps between releases, at least 1.
    pub period: u32,
    /// Slots it needs of them, 1..=period.
    pub work: u32,
    /// The column it starts in, below `period`; with work to do only in column 0.
    pub offset: u32,
}

/// Weights of local states: the sum over a composite state's threads is its potential ([`Unreachable::Potential`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Potential {
    /// By thread and local state.
    pub weights: Vec<Vec<i64>>,
}

/// `program` without `excluded`: a state blocks an event all of whose targets are excluded, and forgets excluded targets of
/// the others. Excluded states stay in the lists, where nothing leads to them. Equivalent if they are never visited.
/// If a thread starts in excluded states only, its initial states stay as they are (a program has some).
///
/// # Panics
/// If `excluded` names threads or states that are not there.
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
