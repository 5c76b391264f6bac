//! A search in the background, so that the screen stays alive and Esc can end it.

use super::model::Model;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use view::machine::path::Path;
use view::machine::views::Target;
use view::machine::{MachineError, SearchOutcome};

/// A search that runs.
pub(super) struct Search {
    /// What it looks for, as the user typed it.
    pub(super) text: String,
    states: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    result: Receiver<Result<SearchOutcome, MachineError>>,
}

impl Search {
    /// Starts a search from the end of `path`. `None` if the machine cannot start another thread.
    pub(super) fn start(model: &Arc<Model>, path: Path, text: &str) -> Option<Self> {
        let (send, result) = channel();
        let (states, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, over, subject) = (Arc::clone(&states), Arc::clone(&is_over), Arc::clone(model));
        let target = target(model, text);
        let work = move || {
            let mut visit = |visited: usize| {
                count.store(visited as u64, Ordering::Relaxed);
                !over.load(Ordering::Relaxed)
            };
            let found = subject.machine.search(&subject.problem, &path, &target, &mut visit);
            // The stepper may have ended.
            let _ = send.send(found);
        };
        thread::Builder::new().name("search".to_owned()).spawn(work).ok()?;
        Some(Self { text: text.to_owned(), states, is_over, result })
    }

    /// The number of states visited so far.
    pub(super) fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    /// Returns the result if the search has ended.
    pub(super) fn result(&self) -> Option<Result<SearchOutcome, MachineError>> {
        match self.result.try_recv() {
            Ok(found) => Some(found),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(MachineError::Internal("the search has failed".to_owned()))),
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Returns what `text` asks for: a property or an event if there is one with this name, otherwise a formula if it looks
/// like one.
fn target(model: &Model, text: &str) -> Target {
    let is_property = text == "deadlock" || model.problem.properties().iter().any(|p| p.id == text);
    let is_event = (0..).take(model.machine.labels()).any(|label| model.machine.name(label) == text);
    match () {
        () if is_property => Target::Property(text.to_owned()),
        () if !is_event && text.contains(['=', '<', '>', '&', '|', '!']) => Target::Formula(text.to_owned()),
        () => Target::Event(text.to_owned()),
    }
}
