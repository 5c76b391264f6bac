//! Takes the role of the host: assigns random literals at the current level or a lower one, backtracks, keeps
//! literals of lower levels, and asks for explanations.

use super::{Broken, Instance, Rule, literals};
use crate::lit::{Lit, Var};
use crate::options::Options;
use crate::query::SolveResult;
use crate::rng::Rng;
use crate::solver::Solver;
use crate::theory::{Ctx, DecidedBy, Queue, Tag, Theory, View};

const STEPS: usize = 60;

/// A true literal. It becomes unassigned when `level` ends.
#[derive(Clone, Copy)]
struct Entry {
    lit: Lit,
    level: usize,
    /// The depth at which the theory was told the literal; `None` if it was not told yet.
    heard: Option<usize>,
    implied: bool,
}

/// The assignment as a sequence of literals.
struct Row {
    /// The literals that the theory was told, followed by the literals that it was not told yet.
    entries: Vec<Entry>,
    depth: usize,
    variables: usize,
}

impl Row {
    fn entry(&self, lit: Lit) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.lit.var() == lit.var())
    }

    fn is_true(&self, lit: Lit) -> bool {
        self.entries.iter().any(|entry| entry.lit == lit)
    }
}

impl View for Row {
    fn value(&self, lit: Lit) -> Option<bool> {
        self.entry(lit).map(|entry| entry.lit == lit)
    }

    fn is_fixed(&self, lit: Lit) -> bool {
        self.entries.iter().any(|entry| entry.lit == lit && entry.level == 0)
    }

    fn level(&self) -> usize {
        self.depth
    }

    fn level_of(&self, lit: Lit) -> Option<usize> {
        self.entry(lit).map(|entry| entry.level)
    }

    fn variables(&self) -> usize {
        self.variables
    }
}

struct Walk<T> {
    theory: T,
    row: Row,
    /// A solver with the lemmas and explanations of the theory as clauses. They must not exclude a model.
    said: Solver,
    rng: Rng,
    /// True after a conflict at level 0, which ends the walk.
    is_over: bool,
}

pub(super) fn run<T: Theory>(theory: T, instance: &Instance, round: u64) -> Result<(), Broken> {
    let mut said = Solver::new(Options::default());
    for _ in 0..instance.vars {
        said.new_var(DecidedBy::Host);
    }
    let row = Row { entries: Vec::new(), depth: 0, variables: instance.vars };
    let mut walk = Walk { theory, row, said, rng: Rng(round), is_over: false };
    for _ in 0..STEPS {
        if !walk.is_over {
            walk.step(instance)?;
            walk.tell()?;
        }
    }
    for model in &instance.models {
        if walk.said.solve(&literals(model)) != SolveResult::Sat {
            return Err((Rule::KeepsModels, format!("lemmas and explanations exclude the model {model:?}")));
        }
    }
    Ok(())
}

impl<T: Theory> Walk<T> {
    fn step(&mut self, instance: &Instance) -> Result<(), Broken> {
        let open: Vec<Var> =
            (0..self.row.variables).map(Var::new).filter(|var| self.row.entry(var.positive()).is_none()).collect();
        if self.rng.chance(5) {
            self.ask_why()?;
        }
        if open.is_empty() {
            let mut queue = Queue::default();
            self.theory.final_check(&mut Ctx { view: &self.row, queue: &mut queue });
            let is_silent = queue.new_vars.is_empty() && queue.lemmas.is_empty() && queue.implied.is_empty();
            if is_silent && !queue.incomplete {
                self.vouched_for(instance)?;
            }
            self.apply(queue)?;
            self.go_back();
            return Ok(());
        }
        if self.rng.chance(6) {
            self.go_back();
            return Ok(());
        }
        if self.rng.chance(2) {
            self.row.depth += 1;
            self.theory.push_level();
        }
        // A real host can assign a literal at any existing level, because a clause implies it there.
        let level = if self.rng.chance(4) { self.rng.below(self.row.depth + 1) } else { self.row.depth };
        let var = open[self.rng.below(open.len())];
        let lit = if self.rng.chance(2) { var.positive() } else { var.negative() };
        self.row.entries.push(Entry { lit, level, heard: None, implied: false });
        Ok(())
    }

    /// Checks an assignment that the theory confirms: it must be a model, unless earlier lemmas or explanations
    /// exclude it.
    fn vouched_for(&mut self, instance: &Instance) -> Result<(), Broken> {
        let found: Vec<bool> = (0..instance.vars).map(|index| self.row.is_true(Var::new(index).positive())).collect();
        let assumed: Vec<Lit> = self.row.entries.iter().map(|entry| entry.lit).collect();
        if instance.models.contains(&found) || self.said.solve(&assumed) != SolveResult::Sat {
            return Ok(());
        }
        Err((Rule::VouchesForModels, format!("{found:?} is no model")))
    }

    /// Tells the theory all new literals until it has nothing to add.
    fn tell(&mut self) -> Result<(), Broken> {
        loop {
            let depth = self.row.depth;
            let mut new = Vec::new();
            for entry in self.row.entries.iter_mut().filter(|entry| entry.heard.is_none()) {
                entry.heard = Some(depth);
                new.push(entry.lit);
            }
            if new.is_empty() || self.is_over {
                return Ok(());
            }
            let mut queue = Queue::default();
            self.theory.propagate(&new, &mut Ctx { view: &self.row, queue: &mut queue });
            self.apply(queue)?;
        }
    }

    fn apply(&mut self, queue: Queue) -> Result<(), Broken> {
        for by in queue.new_vars {
            self.said.new_var(by);
            self.row.variables += 1;
        }
        let mut named = queue.literals.iter().chain(&queue.implied).chain(&queue.preferred);
        if let Some(lit) = named.find(|lit| lit.var().index() >= self.row.variables) {
            return Err((Rule::KnownVariables, format!("{lit:?} does not exist")));
        }
        let mut is_conflict = false;
        for lit in queue.implied {
            match self.row.value(lit) {
                Some(true) => {}
                Some(false) => {
                    self.explain(lit, self.row.entries.len())?;
                    is_conflict = true;
                }
                None => self.row.entries.push(Entry { lit, level: self.row.depth, heard: None, implied: true }),
            }
        }
        for (tag, range) in queue.lemmas {
            let lemma = &queue.literals[range];
            self.said.add_clause(tag, lemma);
            is_conflict |= lemma.iter().all(|&lit| self.row.value(lit) == Some(false));
        }
        if is_conflict {
            self.is_over = self.row.depth == 0;
            self.go_back();
        }
        Ok(())
    }

    /// Asks for an explanation of a literal that the theory implied earlier.
    fn ask_why(&mut self) -> Result<(), Broken> {
        let implied: Vec<usize> =
            (0..self.row.entries.len()).filter(|&index| self.row.entries[index].implied).collect();
        if implied.is_empty() {
            return Ok(());
        }
        let index = implied[self.rng.below(implied.len())];
        self.explain(self.row.entries[index].lit, index)
    }

    /// Checks an explanation: its literals must be among the first `before` entries.
    fn explain(&mut self, lit: Lit, before: usize) -> Result<(), Broken> {
        let mut why = Vec::new();
        let tag: Tag = self.theory.explain(lit, &mut why);
        for &reason in &why {
            if !self.row.entries[..before].iter().any(|entry| entry.lit == reason) {
                let how = if self.row.is_true(reason) { "came later" } else { "is not true" };
                return Err((Rule::EarlierReasons, format!("{lit:?} is explained by {reason:?}, which {how}")));
            }
        }
        let clause: Vec<Lit> = why.iter().map(|&reason| !reason).chain([lit]).collect();
        self.said.add_clause(tag, &clause);
        Ok(())
    }

    /// Ends some levels. Literals of lower levels are kept. Each kept literal is told again, unless the theory
    /// undoes by level, or was told the literal at a level that remains.
    fn go_back(&mut self) {
        if self.row.depth == 0 {
            return;
        }
        let levels = 1 + self.rng.below(self.row.depth.min(3));
        let depth = self.row.depth - levels;
        let remembers = self.theory.undoes_by_level();
        self.row.depth = depth;
        self.row.entries.retain(|entry| entry.level <= depth);
        for entry in &mut self.row.entries {
            entry.heard = entry.heard.filter(|&heard| heard <= depth || remembers);
        }
        self.row.entries.sort_by_key(|entry| entry.heard.is_none());
        self.theory.pop_levels(levels);
    }
}
