//! The Z3 solver, in its own thread.
//!
//! Z3's objects belong to the thread that created them. They stay in this thread, which communicates through
//! two channels. So a [`Solver`] can move between threads although they cannot. Z3 gets a limit of operations, so that
//! the same query has the same answer on each machine. The thread also enforces a deadline, because some parts of Z3
//! count no operations: Z3 gets a time limit, a watchdog interrupts it a little later (Z3 sometimes exceeds its limit),
//! and if Z3 does not react to the interrupt, the thread is abandoned.
//!
//! A Z3 that was interrupted is not used again: an interrupt between two calls makes Z3 5.3 drop the following
//! assertions silently. Each query gets a fresh solver. The alternative is one solver for all queries, in which
//! a guard literal switches each query on. Z3 would then still decide the atoms of old queries, and could again
//! spend its time on a hard one.

use crate::arith::{Constants, number, to_number};
use model::{Constant, IntAtom, Values};
use num_bigint::BigInt;
use num_traits::Zero;
use std::cell::Cell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use z3::ast::{Bool, Int};
use z3::{Context, Params, SatResult};

/// Time after the deadline at which Z3 is interrupted. Usually Z3 has stopped by itself before.
const INTERRUPT_AFTER: Duration = Duration::from_millis(20);

/// Time after the deadline at which the thread is abandoned. An interrupt takes effect within milliseconds or
/// not at all.
const ABANDON_AFTER: Duration = Duration::from_millis(200);

/// Operations of Z3 in a millisecond, at the least. Z3 may do as many operations as fit into the time limit at this
/// rate, so that on usual machines the operations end a query, and not the time.
const SLOW: u32 = 1 << 7;

/// Z3's own memory limit. `--memory` does not include this memory.
const MEMORY_MEGABYTES: u32 = 2048;

/// Z3's answer about a conjunction of atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reply {
    /// Values of all constants in the atoms, with the smallest run length that Z3 found before the deadline.
    Model(Values),
    /// The positions of atoms that contradict each other.
    Core(Vec<usize>),
    /// No answer in time.
    Unknown,
}

/// A Z3 that starts with the first query.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    worker: Option<Worker>,
    last: Option<(Vec<IntAtom>, Reply)>,
}

#[derive(Debug)]
struct Worker {
    questions: Sender<Question>,
    replies: Receiver<(Reply, Kept)>,
    thread: JoinHandle<()>,
}

#[derive(Debug)]
struct Question {
    atoms: Vec<IntAtom>,
    deadline: Instant,
    operations: u32,
}

/// True if Z3 answered before the deadline. Otherwise its thread ends after the reply.
type Kept = bool;

impl Solver {
    /// Checks whether the atoms have a common solution, with run lengths and counts of at least 0. Returns within
    /// `limit` plus [`ABANDON_AFTER`].
    pub(crate) fn check(&mut self, atoms: &[IntAtom], limit: Duration) -> Reply {
        // The caller repeats a query when its state has changed but the atoms have not.
        if let Some((_, reply)) = self.last.as_ref().filter(|(known, _)| known == atoms) {
            return reply.clone();
        }
        let reply = self.ask(atoms.to_vec(), limit).unwrap_or(Reply::Unknown);
        self.last = (reply != Reply::Unknown).then(|| (atoms.to_vec(), reply.clone()));
        reply
    }

    /// Z3's answer; `None` if no thread could be started, or if the thread was abandoned.
    fn ask(&mut self, atoms: Vec<IntAtom>, limit: Duration) -> Option<Reply> {
        let deadline = Instant::now().checked_add(limit)?;
        let operations = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).saturating_mul(SLOW);
        let worker = self.worker.take().or_else(Worker::start)?;
        worker.questions.send(Question { atoms, deadline, operations }).ok()?;
        let (reply, kept) = worker.replies.recv_timeout(limit.saturating_add(ABANDON_AFTER)).ok()?;
        if kept {
            self.worker = Some(worker);
        } else {
            worker.end();
        }
        Some(reply)
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.end();
        }
    }
}

impl Worker {
    fn start() -> Option<Self> {
        let (questions, inbox) = channel();
        let (outbox, replies) = channel();
        let thread = thread::Builder::new().name("z3".to_owned()).spawn(move || serve(&inbox, &outbox)).ok()?;
        Some(Self { questions, replies, thread })
    }

    /// Ends the thread, which waits for a query, and joins it. Without the join, Z3's cleanup could run while
    /// the process ends.
    fn end(self) {
        drop(self.questions);
        let _ = self.thread.join();
    }
}

/// Answers queries until the channel is closed or Z3 misses a deadline.
fn serve(inbox: &Receiver<Question>, outbox: &Sender<(Reply, Kept)>) {
    for question in inbox {
        let (reply, kept) = answer(&question);
        if outbox.send((reply, kept)).is_err() || !kept {
            return;
        }
    }
}

/// Runs Z3 with a watchdog.
fn answer(question: &Question) -> (Reply, Kept) {
    let deadline = question.deadline;
    let context = Context::thread_local();
    let handle = context.handle();
    let attempt = Attempt::new(question);
    thread::scope(|scope| {
        let (done, watch) = channel::<()>();
        scope.spawn(move || {
            let mut wait = deadline.saturating_duration_since(Instant::now()) + INTERRUPT_AFTER;
            while watch.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                handle.interrupt();
                wait = INTERRUPT_AFTER;
            }
        });
        let reply = attempt.answer();
        drop(done);
        (reply, !attempt.was_cut.get() && Instant::now() < deadline)
    })
}

/// Returns the operations of Z3 so far, in the context of the solver.
pub(crate) fn spent(solver: &z3::Solver) -> u32 {
    match solver.get_statistics().value("rlimit count") {
        Some(z3::StatisticsValue::UInt(count)) => count,
        _ => 0,
    }
}

/// One query, translated for Z3.
struct Attempt {
    solver: z3::Solver,
    constants: Constants,
    /// For each atom: a literal that implies the atom.
    guards: Vec<Bool>,
    deadline: Instant,
    /// Number of operations that are left.
    operations: Cell<u32>,
    /// True if a check of this query ended without an answer.
    was_cut: Cell<bool>,
}

impl Attempt {
    fn new(&Question { ref atoms, deadline, operations }: &Question) -> Self {
        let solver = z3::Solver::new();
        let mut constants = Constants::default();
        let mut guards = Vec::with_capacity(atoms.len());
        for atom in atoms {
            let guard = Bool::fresh_const("atom");
            solver.assert(guard.implies(constants.atom(atom)));
            guards.push(guard);
        }
        for (_, int) in constants.iter().filter(|(constant, _)| constant.is_natural()) {
            solver.assert(int.ge(Int::from_u64(0)));
        }
        Self { solver, constants, guards, deadline, operations: Cell::new(operations), was_cut: Cell::new(false) }
    }

    fn answer(&self) -> Reply {
        match self.check() {
            SatResult::Unsat => {
                let core = self.solver.get_unsat_core();
                Reply::Core((0..self.guards.len()).filter(|&i| core.contains(&self.guards[i])).collect())
            }
            SatResult::Sat => self.values().map_or(Reply::Unknown, |values| Reply::Model(self.shorten(values))),
            SatResult::Unknown => Reply::Unknown,
        }
    }

    fn check(&self) -> SatResult {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let milliseconds = u32::try_from(left.as_millis()).unwrap_or(u32::MAX);
        // To Z3, 0 means no limit.
        let result = if milliseconds == 0 || self.operations.get() == 0 {
            SatResult::Unknown
        } else {
            self.check_within(milliseconds)
        };
        self.was_cut.set(self.was_cut.get() || result == SatResult::Unknown);
        result
    }

    fn check_within(&self, milliseconds: u32) -> SatResult {
        let mut params = Params::new();
        params.set_u32("timeout", milliseconds);
        params.set_u32("rlimit", self.operations.get());
        params.set_u32("max_memory", MEMORY_MEGABYTES);
        params.set_bool("core.minimize", true);
        self.solver.set_params(&params);
        let before = spent(&self.solver);
        let result = self.solver.check_assumptions(&self.guards);
        let left = self.operations.get().saturating_sub(spent(&self.solver).saturating_sub(before));
        self.operations.set(left);
        result
    }

    /// The values of all constants in Z3's model; `None` if a value is not a number.
    fn values(&self) -> Option<Values> {
        let model = self.solver.get_model()?;
        let value = |int: &Int| to_number(&model.eval(int, true)?);
        self.constants.iter().map(|(constant, int)| Some((constant.clone(), value(int)?))).collect()
    }

    /// Searches for the smallest run length by bisection, starting from the model `best`. Returns the best
    /// model found in time.
    fn shorten(&self, mut best: Values) -> Values {
        let Some(length) = self.constants.get(&Constant::RunLength) else { return best };
        let mut smallest = BigInt::zero();
        while smallest < best[&Constant::RunLength] {
            let middle: BigInt = (&smallest + &best[&Constant::RunLength]) >> 1;
            self.solver.push();
            self.solver.assert(length.le(number(&middle)));
            let result = self.check();
            let values = if result == SatResult::Sat { self.values() } else { None };
            self.solver.pop(1);
            match (result, values) {
                (SatResult::Sat, Some(values)) => best = values,
                (SatResult::Unsat, _) => smallest = middle + 1,
                _ => return best,
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::with_z3::{hard, has_z3};

    const SECONDS: Duration = Duration::from_secs(5);

    /// Two atoms: T is at least 2 c, and c is at least `bound`.
    fn easy(bound: u64) -> [IntAtom; 2] {
        let c = Constant::Named("c".into());
        let double = model::IntTerm::Scaled(2.into(), Box::new(model::IntTerm::Constant(c.clone())));
        [IntAtom::Le(double, model::IntTerm::Constant(Constant::RunLength)), IntAtom::at_least(c, bound)]
    }

    fn run_length(reply: &Reply) -> Option<&BigInt> {
        let Reply::Model(values) = reply else { return None };
        values.get(&Constant::RunLength)
    }

    #[test]
    fn a_solver_that_was_cut_off_is_replaced() {
        if !has_z3() {
            return;
        }
        let hard = hard(60);
        let mut solver = Solver::default();
        for milliseconds in [0, 2, 10, 50] {
            assert_eq!(solver.check(&hard, Duration::from_millis(milliseconds)), Reply::Unknown);
            assert!(solver.worker.is_none(), "an interrupt may still strike");
            assert_eq!(run_length(&solver.check(&easy(1), SECONDS)), Some(&2.into()));
            assert!(solver.worker.is_some(), "a Z3 in good order is kept");
        }
    }

    #[test]
    fn only_the_same_question_has_the_same_answer() {
        if !has_z3() {
            return;
        }
        let mut solver = Solver::default();
        for bound in [1, 3, 3, 2] {
            assert_eq!(run_length(&solver.check(&easy(bound), SECONDS)), Some(&(2 * bound).into()));
        }
    }
}
