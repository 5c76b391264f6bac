//! Sets of events stored as runs of consecutive events.

/// The events `from..to`; a run in a set is not empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Run {
    pub(super) from: u32,
    pub(super) to: u32,
}

impl Run {
    /// Calls `visit` for each 64-bit word that the run overlaps, with the number of the word and a mask of the
    /// run's bits in it.
    pub(super) fn each_word(self, mut visit: impl FnMut(usize, u64)) {
        if self.from >= self.to {
            return;
        }
        let (first, last) = (self.from as usize / 64, (self.to - 1) as usize / 64);
        let (low, high) = (u64::MAX << (self.from % 64), u64::MAX >> (63 - (self.to - 1) % 64));
        if first == last {
            return visit(first, low & high);
        }
        visit(first, low);
        (first + 1..last).for_each(|w| visit(w, u64::MAX));
        visit(last, high);
    }
}

/// Runs in ascending order. Two consecutive runs have at least one event between them that is in neither.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Runs(Vec<Run>);

impl Runs {
    pub(super) fn as_slice(&self) -> &[Run] {
        &self.0
    }

    pub(super) fn contains(&self, e: u32) -> bool {
        self.0.get(self.0.partition_point(|r| r.to <= e)).is_some_and(|r| r.from <= e)
    }

    /// Returns true if the set contains all events of `run`.
    pub(super) fn covers(&self, run: Run) -> bool {
        self.0.get(self.0.partition_point(|r| r.to <= run.from)).is_some_and(|r| r.from <= run.from && run.to <= r.to)
    }

    /// Adds the events of a run.
    pub(super) fn insert(&mut self, run: Run) {
        if run.from >= run.to {
            return;
        }
        // Runs that overlap or touch the new run are merged with it.
        let first = self.0.partition_point(|r| r.to < run.from);
        let last = first + self.0[first..].partition_point(|r| r.from <= run.to);
        match last - first {
            0 => self.0.insert(first, run),
            _ => {
                let joined = Run { from: run.from.min(self.0[first].from), to: run.to.max(self.0[last - 1].to) };
                self.0[first] = joined;
                self.0.drain(first + 1..last);
            }
        }
    }

    /// Removes the events of a run.
    pub(super) fn remove(&mut self, run: Run) {
        let first = self.0.partition_point(|r| r.to <= run.from);
        let last = first + self.0[first..].partition_point(|r| r.from < run.to);
        if first == last {
            return;
        }
        let (low, high) = (self.0[first], self.0[last - 1]);
        let left = (low.from < run.from).then_some(Run { from: low.from, to: run.from });
        let right = (run.to < high.to).then_some(Run { from: run.to, to: high.to });
        self.0.splice(first..last, left.into_iter().chain(right));
    }

    /// Adds the events of `more`.
    pub(super) fn unite(&mut self, more: &Self) {
        if more.0.len() * 8 < self.0.len() {
            more.0.iter().for_each(|&run| self.insert(run));
        } else {
            *self = self.merged(more, |a, b| a || b);
        }
    }

    /// Returns the set of the events for which `wanted(is in self, is in other)` is true. `wanted(false,
    /// false)` must be false.
    pub(super) fn merged(&self, other: &Self, wanted: impl Fn(bool, bool) -> bool) -> Self {
        let mut out: Vec<Run> = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut a, mut b) = (Ends::of(self), Ends::of(other));
        let mut start = 0;
        let mut open = false;
        while let Some(at) = [a.next(), b.next()].into_iter().flatten().min() {
            a.pass(at);
            b.pass(at);
            let now = wanted(a.inside, b.inside);
            match (open, now) {
                (false, true) => start = at,
                (true, false) => out.push(Run { from: start, to: at }),
                _ => {}
            }
            open = now;
        }
        Self(out)
    }
}

/// Iterates over the boundaries (starts and ends) of runs, in ascending order.
struct Ends<'a> {
    runs: &'a [Run],
    inside: bool,
}

impl<'a> Ends<'a> {
    fn of(runs: &'a Runs) -> Self {
        Self { runs: &runs.0, inside: false }
    }

    fn next(&self) -> Option<u32> {
        self.runs.first().map(|r| if self.inside { r.to } else { r.from })
    }

    /// Advances past the boundary at `at`, if that is the next one.
    fn pass(&mut self, at: u32) {
        if self.next() == Some(at) {
            if self.inside {
                self.runs = &self.runs[1..];
            }
            self.inside = !self.inside;
        }
    }
}
