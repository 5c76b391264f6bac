//! A theory in sixty lines: at most `bound` of its literals are true. In the example, five philosophers share
//! two plates, so at most two of them can eat at once.
//!
//! The example shows the whole interface. The theory stores the literals it is told by level, implies
//! consequences, and explains them only when a conflict needs the reason. The conformance kit checks everything
//! against brute force.

use impasse_sat::{Ctx, DecidedBy, Limits, Lit, Options, SolveResult, Solver, Tag, Theory, Var, kit};

struct AtMost {
    literals: Vec<Lit>,
    bound: usize,
    /// The literals of the theory that are true, as the host has told, oldest first. `levels` contains the
    /// length of `told` at the beginning of each level.
    told: Vec<Lit>,
    levels: Vec<usize>,
}

impl AtMost {
    fn new(literals: Vec<Lit>, bound: usize) -> Self {
        Self { literals, bound, told: Vec::new(), levels: Vec::new() }
    }
}

impl Theory for AtMost {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        self.told.extend(new.iter().filter(|lit| self.literals.contains(lit)));
        if self.told.len() >= self.bound {
            // The first `bound` true literals imply that all other literals are false. If another literal is
            // true, the explanation of its negation is a conflict.
            let allowed = &self.told[..self.bound];
            self.literals.iter().filter(|lit| !allowed.contains(lit)).for_each(|&lit| ctx.imply(!lit));
        }
    }

    // Propagation is complete, so every assignment that reaches the final check is a model.
    fn final_check(&mut self, _: &mut Ctx<'_>) {}

    fn decide(&mut self, _: &Ctx<'_>) -> Option<Lit> {
        None
    }

    fn explain(&mut self, _: Lit, why: &mut Vec<Lit>) -> Tag {
        why.extend_from_slice(&self.told[..self.bound]);
        Tag(0)
    }

    fn push_level(&mut self) {
        self.levels.push(self.told.len());
    }

    fn pop_levels(&mut self, n: usize) {
        let keep = self.levels.len() - n;
        self.told.truncate(self.levels[keep]);
        self.levels.truncate(keep);
    }
}

fn main() {
    let mut solver = Solver::new(Options::default());
    let eats: Vec<Lit> = (0..5).map(|_| solver.new_var(DecidedBy::Host).positive()).collect();
    let mut plates = AtMost::new(eats.clone(), 2);
    let limits = Limits::default();

    solver.add_clause(Tag(1), &[eats[0], eats[1]]);
    solver.add_clause(Tag(1), &[eats[2], eats[3]]);
    assert_eq!(solver.solve_with(&mut plates, &[], &limits), SolveResult::Sat);
    assert_eq!(eats.iter().filter(|&&lit| solver.value(lit) == Some(true)).count(), 2);

    assert_eq!(solver.solve_with(&mut plates, &[!eats[2], eats[4]], &limits), SolveResult::Unsat);
    assert!(solver.core().contains(&eats[4]), "two plates are gone without the fifth");

    let first_five = || (0..5).map(|index| Var::new(index).positive()).collect();
    let at_most_two = |model: &[bool]| model.iter().filter(|&&value| value).count() <= 2;
    assert_eq!(kit::theory(|| AtMost::new(first_five(), 2), 5, at_most_two, 100), Ok(()));
}
