//! Variables by activity (EVSIDS): a binary heap of those that the host may decide.
//!
//! Activities grow instead of decaying: each conflict makes the next bump larger, as in MiniSat. Variables that only a
//! theory decides have no place here and cost nothing.

use crate::lit::Var;

const OUT: u32 = u32::MAX;
const NEVER: u32 = u32::MAX - 1;
const LIMIT: f64 = 1e100;

pub(crate) struct Heap {
    order: Vec<Var>,
    /// Place in `order`, or OUT, or NEVER for those that must not get in.
    place: Vec<u32>,
    activity: Vec<f64>,
    bump: f64,
}

impl Heap {
    pub(crate) fn new() -> Self {
        Self { order: Vec::new(), place: Vec::new(), activity: Vec::new(), bump: 1.0 }
    }

    pub(crate) fn new_var(&mut self, decided_here: bool) {
        let var = Var::new(self.place.len());
        self.place.push(if decided_here { OUT } else { NEVER });
        self.activity.push(0.0);
        self.insert(var);
    }

    pub(crate) fn activity(&self, var: Var) -> f64 {
        self.activity[var.index()]
    }

    pub(crate) fn may_hold(&self, var: Var) -> bool {
        self.place[var.index()] != NEVER
    }

    pub(crate) fn holds(&self, var: Var) -> bool {
        self.place[var.index()] < NEVER
    }

    pub(crate) fn insert(&mut self, var: Var) {
        if self.place[var.index()] == OUT {
            self.place[var.index()] = self.order.len() as u32;
            self.order.push(var);
            self.up(self.order.len() - 1);
        }
    }

    pub(crate) fn peek(&self) -> Option<Var> {
        self.order.first().copied()
    }

    pub(crate) fn pop(&mut self) -> Option<Var> {
        let top = self.peek()?;
        self.order.swap_remove(0);
        self.place[top.index()] = OUT;
        if let Some(&moved) = self.order.first() {
            self.place[moved.index()] = 0;
            self.down(0);
        }
        Some(top)
    }

    pub(crate) fn bump(&mut self, var: Var) {
        let place = self.place[var.index()];
        if place == NEVER {
            return;
        }
        let activity = &mut self.activity[var.index()];
        *activity += self.bump;
        if *activity > LIMIT {
            self.rescale();
        }
        if place != OUT {
            self.up(place as usize);
        }
    }

    pub(crate) fn decay(&mut self, factor: f64) {
        self.bump /= factor;
        if self.bump > LIMIT {
            self.rescale();
        }
    }

    fn rescale(&mut self) {
        for activity in &mut self.activity {
            *activity /= LIMIT;
        }
        self.bump /= LIMIT;
    }

    fn up(&mut self, mut at: usize) {
        let var = self.order[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.activity(self.order[parent]) >= self.activity(var) {
                break;
            }
            self.put(at, self.order[parent]);
            at = parent;
        }
        self.put(at, var);
    }

    fn down(&mut self, mut at: usize) {
        let var = self.order[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.order.len() {
                break;
            }
            if child + 1 < self.order.len() && self.activity(self.order[child + 1]) > self.activity(self.order[child]) {
                child += 1;
            }
            if self.activity(var) >= self.activity(self.order[child]) {
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

    /// No parent is less active than its child.
    pub(crate) fn is_ordered(&self) -> bool {
        (1..self.order.len()).all(|at| self.activity(self.order[(at - 1) / 2]) >= self.activity(self.order[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn pops_by_activity_through_bumps_and_rescaling() {
        let mut heap = Heap::new();
        let mut rng = Rng(1);
        for index in 0..100 {
            heap.new_var(index % 10 != 0);
        }
        for _ in 0..20_000 {
            heap.bump(Var::new(rng.below(100)));
            heap.decay(0.95);
            assert!(heap.is_ordered());
        }
        let popped: Vec<Var> = std::iter::from_fn(|| heap.pop()).collect();
        assert_eq!(popped.len(), 90);
        assert!(popped.windows(2).all(|pair| heap.activity(pair[0]) >= heap.activity(pair[1])));
        assert!(popped.iter().all(|var| var.index() % 10 != 0));
        assert!(heap.activity(popped[0]).is_finite() && heap.activity(popped[0]) > 0.0);
    }
}
