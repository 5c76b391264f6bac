//! Shrinks a trace that breaks a rule by delta debugging (Zeller and Hildebrandt 2002). Each round tries to
//! remove calls, then literals, then variables, and to reset options, habits and numbers. Rounds are repeated
//! until a round changes nothing. The result is deterministic.

use super::lazy::TheoryHabits;
use super::listener::Rigor;
use super::op::Trace;

/// Returns a smaller trace that still satisfies `is_bad`, which is called at most `attempts` times.
#[must_use]
pub fn shrink(trace: &Trace, attempts: usize, is_bad: &mut dyn FnMut(&Trace) -> bool) -> Trace {
    let mut shrinker = Shrinker { best: trace.clone(), left: attempts, is_bad };
    loop {
        let before = shrinker.best.clone();
        shrinker.drop_ops();
        shrinker.drop_names();
        shrinker.drop_vars();
        shrinker.calm();
        if shrinker.best == before || shrinker.left == 0 {
            return shrinker.best;
        }
    }
}

struct Shrinker<'a> {
    best: Trace,
    left: usize,
    is_bad: &'a mut dyn FnMut(&Trace) -> bool,
}

impl Shrinker<'_> {
    /// Applies `change` to the best trace, and keeps the result if it is still bad.
    fn attempt(&mut self, change: impl FnOnce(&mut Trace)) -> bool {
        let mut candidate = self.best.clone();
        change(&mut candidate);
        candidate.tidy();
        if candidate == self.best || self.left == 0 {
            return false;
        }
        self.left -= 1;
        let is_bad = (self.is_bad)(&candidate);
        if is_bad {
            self.best = candidate;
        }
        is_bad
    }

    /// Removes sequences of calls. Begins at the end of the trace, because later calls depend on earlier ones.
    fn drop_ops(&mut self) {
        let mut length = self.best.ops.len();
        while length > 0 {
            let mut end = self.best.ops.len();
            while end > 0 {
                let start = end.saturating_sub(length);
                self.attempt(|trace| drop(trace.ops.drain(start..end)));
                end = start.min(self.best.ops.len());
            }
            length /= 2;
        }
    }

    fn drop_names(&mut self) {
        for at in (0..self.best.ops.len()).rev() {
            let mut name = self.best.ops.get(at).map_or(0, |op| op.names.len());
            while name > 0 {
                name -= 1;
                self.attempt(|trace| {
                    if let Some(op) = trace.ops.get_mut(at)
                        && name < op.names.len()
                    {
                        op.names.remove(name);
                    }
                });
            }
        }
    }

    /// Removes a variable, or replaces it by an earlier one.
    fn drop_vars(&mut self) {
        let mut vars: Vec<u32> = self.best.ops.iter().flat_map(|op| &op.names).map(|name| name.var()).collect();
        vars.sort_unstable();
        vars.dedup();
        for (at, &var) in vars.iter().enumerate().rev() {
            let is_gone = self.attempt(|trace| {
                trace.ops.iter_mut().for_each(|op| op.names.retain(|name| name.var() != var));
            });
            let others = if is_gone { &[] } else { &vars[..at] };
            for &other in others.iter().take(4) {
                let is_merged = self.attempt(|trace| {
                    for name in trace.ops.iter_mut().flat_map(|op| &mut op.names).filter(|name| name.var() == var) {
                        name.0 = name.0.signum() * other as i32;
                    }
                });
                if is_merged {
                    break;
                }
            }
        }
    }

    /// Resets options, proof checking, habits and numbers to their defaults.
    fn calm(&mut self) {
        for at in (0..self.best.settings.len()).rev() {
            self.attempt(|trace| drop(trace.settings.remove(at)));
        }
        if self.best.rigor != Rigor::Off && !self.attempt(|trace| trace.rigor = Rigor::Off) {
            self.attempt(|trace| trace.rigor = Rigor::Propagation);
        }
        let usual = TheoryHabits::default();
        for (at, &number) in usual.0.iter().enumerate() {
            self.attempt(|trace| trace.temper.0[at] = number);
        }
        for at in 0..self.best.ops.len() {
            let number = self.best.ops[at].number;
            let mut smaller = [0, 1, number / 2].into_iter().filter(|&smaller| smaller < number);
            smaller.any(|smaller| self.attempt(|trace| trace.ops[at].number = smaller));
        }
    }
}
