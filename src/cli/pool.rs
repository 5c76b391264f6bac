//! A pool of threads that work on the pieces of a command. Each thread takes the next piece in order when it
//! is done with one.
//!
//! If a thread does not end its piece in time, it is left behind, and another thread replaces it. The pools of
//! existing crates such as `rayon` do not support this, because they wait for their threads.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Bytes of stack for a thread: the usual size for the first thread of a process. Only the used part takes
/// memory.
const STACK: usize = 8 << 20;

/// How the work on a piece ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Done {
    Yes,
    /// The piece must be worked on once more, while no other piece is in progress.
    AloneAgain,
}

/// A piece to work on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    /// Number of the piece, from 0.
    pub(crate) piece: usize,
    /// True if the piece was worked on before, at the same time as other pieces.
    pub(crate) again: bool,
}

type Work = Box<dyn Fn(&Arc<Pool>, Turn) -> Done + Send + Sync>;

pub(crate) struct Pool {
    queue: Mutex<Queue>,
    work: Work,
}

#[derive(Default)]
struct Queue {
    /// The first piece that was not begun.
    next: usize,
    pieces: usize,
    at_work: BTreeSet<usize>,
    again: VecDeque<usize>,
    left_behind: bool,
}

impl Queue {
    fn take(&mut self) -> Option<Turn> {
        let turn = if self.next < self.pieces {
            self.next += 1;
            Turn { piece: self.next - 1, again: false }
        } else if self.at_work.is_empty() {
            Turn { piece: self.again.pop_front()?, again: true }
        } else {
            return None;
        };
        self.at_work.insert(turn.piece);
        Some(turn)
    }
}

impl Pool {
    /// Creates a pool that does `work` on this number of pieces.
    pub(crate) fn new(pieces: usize, work: impl Fn(&Arc<Pool>, Turn) -> Done + Send + Sync + 'static) -> Arc<Self> {
        let queue = Mutex::new(Queue { pieces, ..Queue::default() });
        Arc::new(Self { queue, work: Box::new(work) })
    }

    /// Starts this number of threads. Returns true if at least one was started.
    pub(crate) fn start(self: &Arc<Self>, threads: usize) -> bool {
        (0..threads).map(|_| self.hire()).fold(false, |any, started| any | started)
    }

    fn hire(self: &Arc<Self>) -> bool {
        let pool = Arc::clone(self);
        let builder = thread::Builder::new().name("check".to_owned()).stack_size(STACK);
        builder.spawn(move || pool.serve()).is_ok()
    }

    /// Does `work` on the locked queue. The allocator does not hold the thread meanwhile, because the
    /// watchdog also locks the queue.
    fn with<T>(&self, work: impl FnOnce(MutexGuard<'_, Queue>) -> T) -> T {
        meter::pass(|| work(self.queue.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn serve(self: &Arc<Self>) {
        while let Some(turn) = self.with(|mut queue| queue.take()) {
            let done = (self.work)(self, turn);
            let goes_on = self.with(|mut queue| {
                let is_mine = queue.at_work.remove(&turn.piece);
                if is_mine && done == Done::AloneAgain {
                    queue.again.push_back(turn.piece);
                }
                is_mine
            });
            if !goes_on {
                // This thread was left behind, and another one has taken its place.
                return;
            }
        }
    }

    /// Leaves behind the thread that works on this piece, if there is one. Returns true if a thread continues
    /// with the other pieces.
    pub(crate) fn leave_behind(self: &Arc<Self>, piece: usize) -> bool {
        let (is_at_work, others) = self.with(|mut queue| {
            let is_at_work = queue.at_work.remove(&piece);
            queue.left_behind |= is_at_work;
            (is_at_work, !queue.at_work.is_empty())
        });
        !is_at_work || self.hire() || others
    }

    /// Returns true if a thread was left behind.
    pub(crate) fn has_left_behind(&self) -> bool {
        self.with(|queue| queue.left_behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    /// Returns work that reports each piece. The third piece is left behind. The second piece must be worked on
    /// again, alone.
    fn work(told: Sender<Turn>) -> impl Fn(&Arc<Pool>, Turn) -> Done + Send + Sync + 'static {
        let told = Mutex::new(told);
        move |pool, turn| {
            told.lock().expect("no test panics").send(turn).expect("the test listens");
            if turn.piece == 2 {
                assert!(pool.leave_behind(2));
            }
            if turn.piece == 1 && !turn.again { Done::AloneAgain } else { Done::Yes }
        }
    }

    #[test]
    fn pieces_are_taken_in_order_and_once() {
        let (told, heard) = channel();
        let pool = Pool::new(5, work(told));
        assert!(pool.start(1));
        let turns: Vec<Turn> = (0..6).map(|_| heard.recv().expect("all are worked on")).collect();
        let pieces: Vec<usize> = turns.iter().map(|turn| turn.piece).collect();
        assert_eq!(pieces, [0, 1, 2, 3, 4, 1]);
        assert!(turns[5].again && !turns[1].again);
        assert!(pool.has_left_behind());
    }
}
