//! Inductive generalisation: removes literals from a lemma's cube, so that the lemma excludes more states.
//!
//! A literal is removed if the remaining cube is still inductive relative to the frame before. If it is not,
//! the solver finds a counterexample, a state of that frame from which the cube is reached. Two remedies are
//! tried. If the state can be shown unreachable one frame earlier, a lemma excludes it (counterexamples to
//! generalisation, Hassan, Bradley and Somenzi 2013). Otherwise the cube is widened until it contains the
//! state. Literals of latches with low activity are tried first, and names of gates last.

use super::Bits;
use super::cube::Cube;
use super::solvers::{Origin, limits};
use super::source::Source;
use sat::{Lit, SolveResult};

impl<S: Source> Bits<S> {
    /// Returns a subset of the literals of `blocked` that is inductive relative to the frame before `level`.
    /// The cube `blocked` itself must also be inductive relative to this frame.
    pub(super) fn generalize(&mut self, level: usize, blocked: Cube, depth: u32) -> Cube {
        debug_assert!(level > 0 && self.excludes_start(&blocked));
        let mut best = blocked;
        let mut order: Vec<Lit> = best.to_vec();
        order.sort_by(|a, b| self.activity.order(a.var(), b.var()).then(a.cmp(b)));
        order.sort_by_key(|lit| self.is_name(lit.var()));
        let mut kept: Vec<Lit> = Vec::new();
        for lit in order {
            if best.len() == 1 || self.is_stopped {
                break;
            }
            if !best.contains(&lit) {
                continue;
            }
            let fewer = best.iter().copied().filter(|other| *other != lit).collect();
            match self.widen(level, fewer, &kept, depth) {
                Some(found) => {
                    debug_assert!(super::cube::is_subset(&found, &best), "literals are left out only");
                    best = found;
                }
                None => kept.push(lit),
            }
        }
        debug_assert!(!best.is_empty());
        best
    }

    /// Returns a subset of the literals of the cube that is inductive relative to the frame before `level` and
    /// contains all of `kept`.
    fn widen(&mut self, level: usize, mut fewer: Vec<Lit>, kept: &[Lit], depth: u32) -> Option<Cube> {
        let mut counterexamples = 0;
        loop {
            if !self.excludes_start(&fewer) {
                return None;
            }
            match self.step_into(level - 1, &fewer, Origin::Outside, &limits()) {
                SolveResult::Unsat => return Some(self.core(level - 1)),
                SolveResult::Sat => {}
                SolveResult::Unknown | SolveResult::Stopped => return None,
            }
            let shared: Vec<Lit> =
                fewer.iter().copied().filter(|&lit| self.solvers[level - 1].value(lit) == Some(true)).collect();
            let tries = depth < self.options.depth && counterexamples < self.options.counterexamples && level > 1;
            if tries && self.block_counterexample(level, depth) {
                counterexamples += 1;
                continue;
            }
            if !self.options.widen || shared.len() == fewer.len() || !kept.iter().all(|lit| shared.contains(lit)) {
                return None;
            }
            counterexamples = 0;
            fewer = shared;
        }
    }

    /// Tries to exclude the state that the last query found in the frame before `level` by a lemma of that
    /// frame. Returns true on success.
    fn block_counterexample(&mut self, level: usize, depth: u32) -> bool {
        debug_assert!(level > 1, "the first frame is exact");
        let (state, _) = self.predecessor(level - 1);
        if !self.excludes_start(&state)
            || self.step_into(level - 2, &state, Origin::Outside, &limits()) != SolveResult::Unsat
        {
            return false;
        }
        let blocked = self.core(level - 2);
        let lemma = self.generalize(level - 1, blocked, depth + 1);
        self.learn(lemma, level - 1);
        true
    }

    /// Adds a lemma that holds at `level`. Stores it at the highest level where it can be shown to hold, and
    /// returns that level.
    pub(super) fn learn(&mut self, lemma: Cube, level: usize) -> usize {
        let mut lemma = lemma;
        let mut at = level;
        while self.options.push_new
            && at < self.frames.top()
            && self.step_into(at, &lemma, Origin::Outside, &limits()) == SolveResult::Unsat
        {
            lemma = self.core(at);
            at += 1;
        }
        self.stats.lemmas += 1;
        if self.options.activity {
            self.activity.bump(lemma.iter().map(|lit| lit.var()));
        }
        self.add_lemma(lemma, at);
        at
    }

    /// Adds a lemma that holds in the frames up to `level`. Removes weaker lemmas of levels up to `level`.
    pub(super) fn add_lemma(&mut self, lemma: Cube, level: usize) {
        debug_assert!(self.excludes_start(&lemma), "lemmas hold at the start");
        let weaker = self.frames.supersede(&lemma, level);
        let mut names = Vec::with_capacity(level);
        debug_assert!(level <= self.frames.top());
        let known = weaker.iter().find(|other| other.cube == lemma);
        names.extend(known.iter().flat_map(|other| &other.names));
        for solver in &mut self.solvers[names.len() + 1..=level] {
            solver.grow(&self.table, &self.clauses, self.by);
            names.push(solver.exclude(&lemma));
        }
        for other in weaker.iter().filter(|other| other.cube != lemma) {
            for (solver, &name) in self.solvers[1..].iter_mut().zip(&other.names) {
                solver.include(name);
            }
        }
        self.frames.add(lemma, level, names);
    }
}
