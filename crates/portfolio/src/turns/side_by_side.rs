//! Work of the same kind on several things at the same time, each on a thread of its own.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Works on each of these, on the first on this thread and on the others on threads of their own. What belongs to a
/// thread that cannot be started is left to this one. A panic is passed on. Returns the results in the same order.
pub(super) fn side_by_side<T: Send, R: Send>(mut all: Vec<T>, work: impl Fn(&mut T) -> R + Sync) -> Vec<R> {
    let Some((first, others)) = all.split_first_mut() else { return Vec::new() };
    if others.is_empty() {
        return vec![work(first)];
    }
    let results: Vec<Mutex<Option<R>>> = others.iter().map(|_| Mutex::new(None)).collect();
    let slots: Vec<_> = others.iter_mut().map(|other| Mutex::new(Some(other))).collect();
    let take = |at: usize| {
        let other = slots[at].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(other) = other {
            let result = work(other);
            *results[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    let first = thread::scope(|scope| {
        for at in 0..slots.len() {
            let take = &take;
            // If this fails, the loop below does the work.
            let _ = thread::Builder::new().name("engine".to_owned()).spawn_scoped(scope, move || take(at));
        }
        work(first)
    });
    (0..slots.len()).for_each(take);
    let result = |slot: Mutex<Option<R>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    let others = results.into_iter().map(|slot| result(slot).expect("all work was taken"));
    std::iter::once(first).chain(others).collect()
}
