//! A theory in sixty lines: at most `bound` of some literals are true. Five philosophers, two plates: three cannot eat.
//!
//! Shows the whole hook: told literals are kept per level, consequences are implied and explained only when a conflict
//! needs the reason, and the conformance kit holds it all against brute force.

use impasse_sat::{Answer, Ctx, DecidedBy, Limits, Lit, Options, Solver, Tag, Theory, Var, kit};

struct AtMost {
    literals: Vec<Lit>,
    bound: usize,
    /// Those told to be true, oldest first, and how many there were when each level began.
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
            // Those after the bound are implied to be false: if one is true, that is a conflict, found by its explanation.
            let allowed = &self.told[..self.bound];
            self.literals.iter().filter(|lit| !allowed.contains(lit)).for_each(|&lit| ctx.imply(!lit));
        }
    }

    // Propagation misses nothing, so every assignment that gets here is a model.
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
    assert_eq!(solver.solve_with(&mut plates, &[], &limits), Answer::Sat);
    assert_eq!(eats.iter().filter(|&&lit| solver.value(lit) == Some(true)).count(), 2);

    assert_eq!(solver.solve_with(&mut plates, &[!eats[2], eats[4]], &limits), Answer::Unsat);
    assert!(solver.core().contains(&eats[4]), "two plates are gone without the fifth");

    let first_five = || (0..5).map(|index| Var::new(index).positive()).collect();
    let at_most_two = |model: &[bool]| model.iter().filter(|&&value| value).count() <= 2;
    assert_eq!(kit::theory(|| AtMost::new(first_five(), 2), 5, at_most_two, 100), Ok(()));
}
