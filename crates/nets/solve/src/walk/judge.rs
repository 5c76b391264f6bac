//! Evaluates formulas on a run: those about runs if it repeats or has ended ([`crate::walk::word`]), and those about
//! branching time as far as the markings of the run determine them ([`crate::walk::path`]).
//!
//! For formulas about branching time, the places that are empty for ever after the run count, too
//! ([`crate::siphons`]): many subformulas are then true or false in its last marking.

use crate::siphons;
use crate::walk::lasso::{EVALUATED_PER_UNIT, LassoSearch, Question, UPDATES_PER_UNIT};
use crate::walk::path::{End, Path};
use crate::walk::word::Word;
use model::{BranchingEvidence, Claim, Ctl, EventId, Goal, Markings, PlaceId, Trace, Vectors};
use std::collections::HashSet;
use std::sync::Arc;

/// Numbers of tokens of all markings of a run, subformulas at all its positions, and markings.
const LARGEST: usize = 1 << 24;
const LONGEST: usize = 1 << 14;

impl LassoSearch {
    /// Evaluates all open formulas on the walk, which is over.
    pub(crate) fn judge(&mut self, end: End) {
        let width = self.letters.len();
        // The last marking is the one at the beginning of the part that repeats.
        let is_repeated = matches!(end, End::Back(_));
        let rows = if is_repeated { self.walk.rows.len() - width } else { self.walk.rows.len() };
        self.judge_runs(end, rows);
        if self.asked.iter().any(|(_, question)| matches!(question, Question::Branching(_)))
            && self.walk.fired.len() < LONGEST.min(LARGEST / self.net.places().max(1))
        {
            self.judge_branching(end, rows);
        }
    }

    fn judge_runs(&mut self, end: End, rows: usize) {
        let back = match end {
            End::Back(to) => to,
            End::Dead => self.walk.fired.len(),
            End::Open => return,
        };
        let word = Word { rows: &self.walk.rows[..rows], letters: &self.letters, back };
        let is_violated = |question: &Question| match question {
            Question::Runs(formula) => !word.satisfies(formula),
            Question::Branching(_) => false,
        };
        let violated: Vec<Goal> =
            self.asked.iter().filter(|(_, question)| is_violated(question)).map(|(goal, _)| *goal).collect();
        let is_about_runs = |question: &&(Goal, Question)| matches!(question.1, Question::Runs(_));
        let nodes: usize = self.asked.iter().filter(is_about_runs).map(|(_, question)| question.nodes()).sum();
        self.state.effort += (word.len() * nodes) as u64 * UPDATES_PER_UNIT / EVALUATED_PER_UNIT;
        for goal in violated {
            let mut trace = Trace::new(self.walk.extra.clone().into_boxed_slice());
            self.walk.fired.iter().for_each(|t| trace.push(EventId(*t), None));
            trace.repeats_from = (end != End::Dead).then_some(back as u64);
            self.asked.retain(|(open, _)| *open != goal);
            self.claims.push(Claim::Unsafe { goal, trace, candidate: false });
        }
    }

    fn judge_branching(&mut self, end: End, rows: usize) {
        let rows = self.walk.rows[..rows].to_vec();
        let mut branches = self.walk.branches.clone();
        // A dead marking has no next ones, and those of the last one of an open walk are unknown.
        branches.resize(rows.len() / self.letters.len(), end == End::Open);
        let letters = self.letters.clone();
        let path = Path { rows: &rows, letters: &letters, end, branches: &branches };
        self.decide(&path, &[]);
        let tokens = &self.state.tokens;
        let empty: Vec<bool> = tokens.iter().map(|tokens| *tokens == 0).collect();
        self.state.effort += (self.net.places() + 4 * self.net.transitions()) as u64;
        let siphon = siphons::largest_among(&self.task.net, empty);
        if siphon.contains(&true) {
            self.decide(&path, &siphon);
        }
    }

    /// Claims the formulas about branching time that are decided. `siphon` says for each place whether it is empty for
    /// ever after the last marking.
    fn decide(&mut self, path: &Path<'_>, siphon: &[bool]) {
        let mut decided: [Vec<Goal>; 2] = Default::default();
        for (goal, question) in &self.asked {
            let Question::Branching(formula) = question else { continue };
            let formula: Ctl = formula.with(&self.constant);
            if path.len().saturating_mul(formula.nodes().len()) > LARGEST {
                continue;
            }
            self.state.effort +=
                (path.len() * formula.nodes().len()) as u64 * UPDATES_PER_UNIT * 4 / EVALUATED_PER_UNIT;
            let letter = |id: model::FormulaId| self.task.formulas[id.index()].truth_without(siphon);
            let lasting = if siphon.is_empty() { Vec::new() } else { formula.lasting(letter) };
            if let Some(truth) = path.decide(&formula, &lasting) {
                decided[usize::from(truth)].push(*goal);
            }
        }
        // With several initial markings, a run of one of them can only refute.
        if !self.net.open.is_empty() {
            decided[1].clear();
        }
        if decided.iter().all(Vec::is_empty) {
            return;
        }
        self.asked.retain(|(goal, _)| !decided.iter().flatten().any(|known| known == goal));
        let Some(markings) = self.visited().map(Arc::new) else { return };
        let siphon: Vec<PlaceId> = (0..siphon.len()).filter(|place| siphon[*place]).map(PlaceId::new).collect();
        let siphons: Vec<Vec<PlaceId>> = Some(siphon).filter(|siphon| !siphon.is_empty()).into_iter().collect();
        for (goals, holds) in decided.into_iter().zip([false, true]).filter(|(goals, _)| !goals.is_empty()) {
            let (markings, siphons) = (Some(Arc::clone(&markings)), siphons.clone());
            let evidence = BranchingEvidence { markings, siphons, ..BranchingEvidence::default() };
            self.claims.push(Claim::Branching { goals, holds, evidence });
        }
    }

    /// Returns the markings that the walk has visited. It fires the transitions again. `None` if a number is too large.
    fn visited(&mut self) -> Option<Markings> {
        let (width, mut numbers, mut known) = (self.net.places(), Vec::new(), HashSet::new());
        self.state.restart(&self.net, &mut self.goals, &self.walk.extra);
        for step in std::iter::once(None).chain(self.walk.fired.iter().map(Some)) {
            if let Some(t) = step {
                self.state.fire(&self.net, &mut self.goals, *t).ok()?;
            }
            let tokens = self.state.tokens.iter().map(|tokens| u32::try_from(*tokens).ok());
            let marking: Box<[u32]> = tokens.collect::<Option<_>>()?;
            if !known.contains(&marking) {
                numbers.extend_from_slice(&marking);
                known.insert(marking);
            }
        }
        Some(Markings::of_all_places(Vectors { width, numbers }))
    }
}
