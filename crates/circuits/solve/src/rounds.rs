//! Goals that an engine has not decided, asked about one after the other in rounds. A round asks about each goal
//! once, or more often if a query reaches its limits.

use model::Goal;

/// Open goals, each with data of the engine. Starts at the end of a round.
pub(crate) struct Rounds<T> {
    open: Vec<(Goal, T)>,
    /// The goals before this one were asked about in this round.
    current: usize,
}

impl<T> Rounds<T> {
    pub(crate) fn new(open: Vec<(Goal, T)>) -> Self {
        Self { current: open.len(), open }
    }

    /// The number of open goals.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// The data of the open goal, if there is exactly one.
    pub(crate) fn only(&self) -> Option<&T> {
        if let [(_, data)] = &self.open[..] { Some(data) } else { None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The goal to ask about next, or `None` at the end of a round.
    pub(crate) fn current(&self) -> Option<&(Goal, T)> {
        self.open.get(self.current)
    }

    pub(crate) fn begin(&mut self) {
        self.current = 0;
    }

    pub(crate) fn end(&mut self) {
        self.current = self.open.len();
    }

    /// Goes on to the next goal. The current one stays open.
    pub(crate) fn pass(&mut self) {
        debug_assert!(self.current < self.open.len(), "a round asks about an open goal");
        self.current += 1;
    }

    /// Asks about the current goal again after the other goals of this round.
    pub(crate) fn put_off(&mut self) {
        self.open[self.current..].rotate_left(1);
    }

    /// Removes the current goal, which is decided.
    pub(crate) fn decide(&mut self) {
        self.open.remove(self.current);
    }

    /// Removes goals that were decided elsewhere. The list must be sorted.
    pub(crate) fn settle(&mut self, goals: &[Goal]) {
        for at in (0..self.open.len()).rev() {
            if goals.binary_search(&self.open[at].0).is_ok() {
                self.open.remove(at);
                self.current -= usize::from(at < self.current);
            }
        }
    }

    /// True if the goal is open and is still to be asked about in this round.
    pub(crate) fn awaits(&self, goal: Goal) -> bool {
        self.open[self.current..].iter().any(|(open, _)| *open == goal)
    }

    pub(crate) fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> {
        self.open.iter_mut().map(|(_, data)| data)
    }
}
