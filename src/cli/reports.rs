//! The reports of all files of a command. They are collected as the files are done, and printed in the order
//! given.
//!
//! Every file has a board from the beginning, so that files that were not begun are also reported when work
//! ends.

use super::board::{Board, Filed};
use super::exit::Exit;
use super::formats::Format;
use super::json::Summary;
use super::output;
use impasse::model::Reason;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A board that several threads share.
pub(crate) type SharedBoard = Arc<Mutex<Board>>;

/// Does `work` on a locked board. The allocator does not hold the thread meanwhile, because the watchdog may
/// be waiting for the board.
pub(crate) fn with<T>(board: &Mutex<Board>, work: impl FnOnce(&mut Board) -> T) -> T {
    meter::pass(|| work(&mut board.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// The order in which reports are passed to the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// As the files were given.
    AsGiven,
    /// As the files are done.
    AsDone,
}

/// The reports of a command.
pub(crate) struct Reports {
    state: Mutex<State>,
    complete: Condvar,
}

/// The state of a file.
enum Slot {
    /// The file is not done.
    Open(SharedBoard),
    /// The report waits for files before it.
    Ready(Box<Filed>),
    Printed,
}

struct State {
    slots: Vec<Slot>,
    order: Order,
    /// Number of files with a printed report. In the order given, they are the first files.
    printed: usize,
    format: Box<dyn Format>,
    summary: Summary,
    started: Instant,
    worst: Exit,
}

impl Reports {
    pub(crate) fn new(boards: Vec<Board>, format: Box<dyn Format>, order: Order) -> Self {
        let slots = boards.into_iter().map(|board| Slot::Open(Arc::new(Mutex::new(board)))).collect();
        let (summary, started) = (Summary::default(), Instant::now());
        let state = State { slots, order, printed: 0, format, summary, started, worst: Exit::Done };
        Self { state: Mutex::new(state), complete: Condvar::new() }
    }

    /// Does `work` on the locked state. The allocator does not hold the thread meanwhile, because the watchdog
    /// may be waiting for the state.
    fn with<T>(&self, work: impl FnOnce(MutexGuard<'_, State>) -> T) -> T {
        meter::pass(|| work(self.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Returns the board of the file with number `i`. `None` if the file is done.
    pub(crate) fn board(&self, i: usize) -> Option<SharedBoard> {
        self.with(|state| match &state.slots[i] {
            Slot::Open(board) => Some(Arc::clone(board)),
            Slot::Ready(_) | Slot::Printed => None,
        })
    }

    /// Replaces the board of a file that is not done.
    pub(crate) fn begin_anew(&self, i: usize, board: Board) {
        self.with(|mut state| {
            if matches!(state.slots[i], Slot::Open(_)) {
                state.slots[i] = Slot::Open(Arc::new(Mutex::new(board)));
            }
        });
    }

    /// Completes the report of the file with number `i`. Later calls for the same file have no effect.
    pub(crate) fn file(&self, i: usize) {
        self.with(|mut state| {
            state.file(i);
            state.print(i);
            if state.is_complete() {
                self.complete.notify_all();
            }
        });
    }

    /// Ends the work on the file with number `i` for `reason`.
    pub(crate) fn cut_off(&self, i: usize, reason: Reason) {
        if let Some(board) = self.board(i) {
            with(&board, |board| board.cut_off(reason));
            self.file(i);
        }
    }

    /// Waits until the reports of all files are printed.
    pub(crate) fn wait(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.is_complete() {
            state = self.complete.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the work on all files for `reason`. Properties without an answer are unknown.
    pub(crate) fn close(&self, reason: Reason) -> Exit {
        self.with(|mut state| {
            for i in 0..state.slots.len() {
                if let Slot::Open(board) = &state.slots[i] {
                    with(board, |board| board.cut_off(reason));
                    state.file(i);
                }
                state.print(i);
            }
            state.end()
        })
    }

    /// Prints the end of the report. Returns the result of the command.
    pub(crate) fn end(&self) -> Exit {
        self.with(|mut state| state.end())
    }
}

impl State {
    fn is_complete(&self) -> bool {
        self.printed == self.slots.len()
    }

    fn file(&mut self, i: usize) {
        if let Slot::Open(board) = &self.slots[i] {
            let filed = with(board, Board::report);
            self.slots[i] = Slot::Ready(Box::new(filed));
        }
    }

    /// Prints the reports that wait for no file before them. File `i` was completed last.
    fn print(&mut self, i: usize) {
        match self.order {
            Order::AsDone => self.print_one(i),
            Order::AsGiven => {
                while self.printed < self.slots.len() && matches!(self.slots[self.printed], Slot::Ready(_)) {
                    self.print_one(self.printed);
                }
            }
        }
    }

    fn print_one(&mut self, i: usize) {
        if let Slot::Ready(filed) = &self.slots[i] {
            self.summary.add(&filed.report, filed.begun);
            self.worst = self.worst.max(filed.exit);
            output::write(&self.format.file(i, filed));
            self.slots[i] = Slot::Printed;
            self.printed += 1;
        }
    }

    fn end(&mut self) -> Exit {
        self.summary.seconds = self.started.elapsed().as_secs_f64();
        self.summary.exit = self.worst.code();
        output::write(&self.format.end(&self.summary));
        self.worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::question::Question;

    /// A format that records the files and the end.
    struct Record(Arc<Mutex<Vec<String>>>);

    impl Format for Record {
        fn file(&mut self, _: usize, filed: &Filed) -> String {
            self.0.lock().expect("no test panics").push(filed.report.file.clone());
            String::new()
        }

        fn end(&mut self, summary: &Summary) -> String {
            self.0.lock().expect("no test panics").push(format!("{} files", summary.files));
            String::new()
        }
    }

    fn reports(files: &[&str], order: Order) -> (Reports, Arc<Mutex<Vec<String>>>) {
        let seen = Arc::default();
        let board = |file: &&str| Board::new((*file).to_owned(), vec![Question::unread("bad")]);
        (Reports::new(files.iter().map(board).collect(), Box::new(Record(Arc::clone(&seen))), order), seen)
    }

    fn seen(seen: &Mutex<Vec<String>>) -> Vec<String> {
        seen.lock().expect("no test panics").clone()
    }

    #[test]
    fn files_come_in_the_order_given() {
        let (reports, printed) = reports(&["a", "b", "c"], Order::AsGiven);
        reports.file(2);
        reports.file(0);
        assert_eq!(seen(&printed), ["a"]);
        reports.file(1);
        reports.file(1);
        reports.wait();
        assert_eq!(reports.end(), Exit::Done);
        assert_eq!(seen(&printed), ["a", "b", "c", "3 files"]);
    }

    #[test]
    fn files_come_as_they_are_done() {
        let (reports, printed) = reports(&["a", "b", "c"], Order::AsDone);
        reports.file(2);
        reports.file(0);
        reports.file(2);
        assert_eq!(seen(&printed), ["c", "a"]);
        assert_eq!(reports.close(Reason::Timeout), Exit::UnknownTimeout);
        assert_eq!(seen(&printed), ["c", "a", "b", "3 files"]);
    }

    #[test]
    fn none_is_lost_when_the_work_ends() {
        let (reports, printed) = reports(&["a", "b", "c", "d"], Order::AsGiven);
        reports.file(2);
        reports.cut_off(3, Reason::Timeout);
        assert!(reports.board(3).is_none() && reports.board(0).is_some());
        assert_eq!(reports.close(Reason::Timeout), Exit::UnknownTimeout);
        assert_eq!(seen(&printed), ["a", "b", "c", "d", "4 files"]);
    }
}
