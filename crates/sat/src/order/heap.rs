//! Activities of variables (EVSIDS), and binary heaps of the variables that may be decided.
//!
//! Activities grow instead of decaying: each conflict makes the next bump larger, as in MiniSat. Variables that
//! only a theory decides are never in a heap and cost nothing. Several heaps share one table of activities: the
//! heap of the whole formula and the heap of a query's domain.
//!
//! Invariants: no variable in a heap is more active than its parent; for each variable in a heap, `place` is
//! its index in `order`.

use crate::lit::Var;

const OUT: u32 = u32::MAX;
const NEVER: u32 = u32::MAX - 1;
const LIMIT: f64 = 1e150;

/// The activity of each variable.
pub(super) struct Activity {
    scores: Vec<f64>,
    bump: f64,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self { scores: Vec::new(), bump: 1.0 }
    }

    pub(super) fn new_var(&mut self) {
        self.scores.push(0.0);
    }

    pub(super) fn of(&self, var: Var) -> f64 {
        self.scores[var.index()]
    }

    /// The amount that the next bump adds.
    pub(super) fn next_bump(&self) -> f64 {
        self.bump
    }

    /// Raises the activity of a variable. The caller must notify the heaps that contain the variable.
    pub(super) fn bump(&mut self, var: Var) {
        debug_assert!(self.bump > 0.0 && self.bump <= LIMIT);
        let score = &mut self.scores[var.index()];
        *score += self.bump;
        if *score > LIMIT {
            self.rescale();
        }
    }

    pub(super) fn decay(&mut self, factor: f64) {
        debug_assert!(factor > 0.0);
        self.bump /= factor;
        if self.bump > LIMIT {
            self.rescale();
        }
    }

    /// Divides all activities by the same number. Keeps the order, except that nearly equal activities may
    /// become equal.
    fn rescale(&mut self) {
        for score in &mut self.scores {
            *score /= LIMIT;
        }
        self.bump /= LIMIT;
    }
}

/// A heap of variables with the most active on top.
pub(super) struct Heap {
    order: Vec<Var>,
    /// For each variable: its index in `order`; `OUT` if it is not in the heap; `NEVER` if it must not be
    /// added.
    place: Vec<u32>,
}

impl Heap {
    pub(super) fn new() -> Self {
        Self { order: Vec::new(), place: Vec::new() }
    }

    pub(super) fn new_var(&mut self, may_hold: bool) {
        self.place.push(if may_hold { OUT } else { NEVER });
    }

    /// Sets whether the variable may be in the heap. If `may_hold` is false, a variable that is in the heap
    /// stays there until it is popped.
    pub(super) fn set_may_hold(&mut self, var: Var, may_hold: bool) {
        let place = &mut self.place[var.index()];
        match may_hold {
            true if *place == NEVER => *place = OUT,
            false if *place == OUT => *place = NEVER,
            _ => {}
        }
    }

    pub(super) fn may_hold(&self, var: Var) -> bool {
        self.place[var.index()] != NEVER
    }

    pub(super) fn holds(&self, var: Var) -> bool {
        self.place[var.index()] < NEVER
    }

    pub(super) fn insert(&mut self, var: Var, activity: &Activity) {
        if self.place[var.index()] == OUT {
            self.place[var.index()] = self.order.len() as u32;
            self.order.push(var);
            self.up(self.order.len() - 1, activity);
        }
    }

    pub(super) fn peek(&self) -> Option<Var> {
        self.order.first().copied()
    }

    pub(super) fn pop(&mut self, activity: &Activity) -> Option<Var> {
        let top = self.peek()?;
        debug_assert_eq!(self.place[top.index()], 0);
        self.order.swap_remove(0);
        self.place[top.index()] = OUT;
        if let Some(&moved) = self.order.first() {
            self.place[moved.index()] = 0;
            self.down(0, activity);
        }
        Some(top)
    }

    /// Removes a variable and forbids adding it.
    pub(super) fn remove(&mut self, var: Var, activity: &Activity) {
        if self.holds(var) {
            let at = self.place[var.index()] as usize;
            self.order.swap_remove(at);
            if let Some(&moved) = self.order.get(at) {
                self.place[moved.index()] = at as u32;
                self.up(at, activity);
                self.down(self.place[moved.index()] as usize, activity);
            }
        }
        self.place[var.index()] = NEVER;
    }

    /// Removes all variables and forbids adding them.
    pub(super) fn clear(&mut self) {
        for var in self.order.drain(..) {
            self.place[var.index()] = NEVER;
        }
    }

    /// Restores the order after the activity of a variable was raised.
    pub(super) fn bumped(&mut self, var: Var, activity: &Activity) {
        if self.holds(var) {
            self.up(self.place[var.index()] as usize, activity);
        }
    }

    fn up(&mut self, mut at: usize, activity: &Activity) {
        let var = self.order[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if activity.of(self.order[parent]) >= activity.of(var) {
                break;
            }
            self.put(at, self.order[parent]);
            at = parent;
        }
        self.put(at, var);
    }

    fn down(&mut self, mut at: usize, activity: &Activity) {
        let var = self.order[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.order.len() {
                break;
            }
            if child + 1 < self.order.len() && activity.of(self.order[child + 1]) > activity.of(self.order[child]) {
                child += 1;
            }
            if activity.of(var) >= activity.of(self.order[child]) {
                break;
            }
            self.put(at, self.order[child]);
            at = child;
        }
        self.put(at, var);
    }

    fn put(&mut self, at: usize, var: Var) {
        self.order[at] = var;
        self.place[var.index()] = at as u32;
    }

    /// Panics if a variable is more active than its parent, or if a stored position is wrong.
    pub(super) fn check(&self, activity: &Activity) {
        for (at, &var) in self.order.iter().enumerate() {
            assert_eq!(self.place[var.index()] as usize, at, "{var:?} is elsewhere");
            let parent = self.order[at.saturating_sub(1) / 2];
            assert!(activity.of(parent) >= activity.of(var), "{var:?} is more active than its parent");
        }
        let held = self.place.iter().filter(|&&place| place < NEVER).count();
        assert_eq!(held, self.order.len(), "a place leads nowhere");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn pops_by_activity_through_bumps_and_rescaling() {
        let (mut heap, mut activity) = (Heap::new(), Activity::new());
        let mut rng = Rng(1);
        for index in 0..100 {
            heap.new_var(index % 10 != 0);
            activity.new_var();
            heap.insert(Var::new(index), &activity);
        }
        for _ in 0..20_000 {
            let var = Var::new(rng.below(100));
            activity.bump(var);
            heap.bumped(var, &activity);
            activity.decay(0.95);
            heap.check(&activity);
        }
        let popped: Vec<Var> = std::iter::from_fn(|| heap.pop(&activity)).collect();
        assert_eq!(popped.len(), 90);
        assert!(popped.windows(2).all(|pair| activity.of(pair[0]) >= activity.of(pair[1])));
        assert!(popped.iter().all(|var| var.index() % 10 != 0));
        assert!(activity.of(popped[0]).is_finite() && activity.of(popped[0]) > 0.0);
    }
}
