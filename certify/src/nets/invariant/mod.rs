//! Facts about all reachable markings, as `model::Invariant` says: each holds at the start and is kept by every transition,
//! where it may rest on the facts before it; and together they exclude the goals.
//!
//! By induction over a run: if all facts hold in m and t leads from m to m', then the first holds in m' because it is kept,
//! and each further one because it and those before hold in m (so that t is one of the transitions that can fire). A file per
//! kind of fact and of exclusion has the argument for its kind. What is known so far is in [`Known`].

mod cases;
mod clauses;
mod linear;
mod minimal;
mod never;
mod pairs;
mod small;
mod trap;

use crate::{Check, Refusal, reject};
use kernel::Work;
use kernel::clauses::{Duty, check_goals};
use kernel::net::{Marked, Rules, markable};
use linear::Bound;
use model::{Exclusion, Formula, Goal, Invariant, NetFact, Problem, Within};
use never::Basis;
use num_bigint::BigUint;
use num_traits::Zero;
use pairs::Relation;
use small::Firing;

/// The facts that have been checked, as those after them and exclusions use them.
pub(super) struct Known<'a> {
    system: Marked<'a>,
    rules: &'a Rules<'a>,
    /// By transition.
    firings: Vec<Firing>,
    /// By place the transitions that change it, ascending.
    changers: Vec<Vec<u32>>,
    /// Places that can be marked.
    markable: Vec<bool>,
    /// Transitions that can fire.
    can_fire: Vec<bool>,
    /// By place the most tokens it can hold, as far as single facts say.
    most: Vec<Option<BigUint>>,
    relations: Vec<Relation<'a>>,
    /// Those without negative weights.
    bounds: Vec<Bound<'a>>,
    /// By place the bounds that give it a weight. No other says anything about its tokens.
    bounds_of: Vec<Vec<u32>>,
    bases: Vec<Basis>,
    /// The runs that all this is about, if not about all. Only clauses make use of it.
    within: Option<&'a Within>,
}

impl<'a> Known<'a> {
    fn new(system: Marked<'a>, rules: &'a Rules<'a>, within: Option<&'a Within>, work: &mut Work<'_>) -> Check<Self> {
        let places = rules.initial.len();
        let firings = small::firings(rules, work)?;
        let mut changers = vec![Vec::new(); places];
        for (t, firing) in firings.iter().enumerate() {
            firing.changes.iter().for_each(|c| changers[c.place as usize].push(t as u32));
        }
        Ok(Self {
            system,
            rules,
            firings,
            changers,
            markable: vec![true; places],
            can_fire: vec![true; rules.transitions.len()],
            most: vec![None; places],
            relations: Vec::new(),
            bounds: Vec::new(),
            bounds_of: vec![Vec::new(); places],
            bases: Vec::new(),
            within,
        })
    }

    /// No place holds more than `tokens` that holds more than this.
    fn at_most(&mut self, place: usize, tokens: BigUint) {
        let most = &mut self.most[place];
        if most.as_ref().is_none_or(|most| *most > tokens) {
            *most = Some(tokens);
        }
    }

    /// Only these places can be marked.
    fn only_marked(&mut self, places: &[bool]) {
        for (place, can_be) in places.iter().enumerate().filter(|(_, can_be)| !**can_be) {
            self.markable[place] = *can_be;
            self.most[place] = Some(BigUint::zero());
        }
    }

    /// Does some fact exclude all markings that cover these tokens (places ascending, no zeros)? Numbers may be smaller than
    /// meant: then more is asked of the facts.
    fn excludes(&self, vector: &[(u32, u64)], work: &mut Work<'_>) -> Check<bool> {
        work.spend((1 + vector.len() * vector.len()) as u64)?;
        if vector.iter().any(|(p, _)| !self.markable[*p as usize])
            || self.relations.iter().any(|relation| !relation.allows_vector(vector))
        {
            return Ok(true);
        }
        for basis in &self.bases {
            if basis.has_below(vector, work)? {
                return Ok(true);
            }
        }
        for (place, _) in vector {
            for bound in self.bounds_of(*place as usize) {
                if bound.excludes(vector, work)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The bounds that give a place a weight.
    fn bounds_of(&self, place: usize) -> impl Iterator<Item = &Bound<'a>> {
        self.bounds_of[place].iter().map(|&number| &self.bounds[number as usize])
    }

    /// Checks the fact at this position.
    fn add(&mut self, facts: &'a [NetFact], number: usize, duty: &mut Duty<'_>, work: &mut Work<'_>) -> Check<()> {
        match &facts[number] {
            NetFact::Markable(places) => {
                self.can_fire = markable::check_among(self.system, self.rules, places, &self.can_fire, work)?;
                self.only_marked(places);
                Ok(())
            }
            NetFact::Pairs(pairs) => pairs::check(self, pairs, work),
            NetFact::AtMost(bound) => linear::check(self, bound, work),
            NetFact::SomeMarked(places) => trap::check(self, places, work),
            NetFact::NeverCovered(vectors) => never::check(self, vectors, work),
            NetFact::Clauses(clausal) => clauses::check(self, &facts[..number], clausal, duty, work),
        }
    }

    /// Tokens by place, for messages.
    fn described(&self, cube: &[(u32, u64)]) -> String {
        let entry = |(p, n): &(u32, u64)| format!("`{}` >= {n}", self.system.name(*p as usize));
        let mut parts: Vec<String> = cube.iter().take(4).map(entry).collect();
        if cube.len() > parts.len() {
            parts.push("..".to_owned());
        }
        parts.join(", ")
    }
}

/// Checks that the facts hold in all reachable markings and exclude the goals, whose formulas speak of known places.
///
/// With `within` all this is about the runs that stay within it, and not about others: the induction goes over these. (A fact that
/// every run satisfies, they satisfy.)
pub(super) fn check(
    system: Marked<'_>,
    rules: &Rules<'_>,
    problem: &Problem,
    (invariant, within): (&Invariant, Option<&Within>),
    goals: &[Goal],
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let mut known = Known::new(system, rules, within, work)?;
    for number in 0..invariant.facts.len() {
        known.add(&invariant.facts, number, duty, work).map_err(|refusal| match refusal {
            Refusal::Rejected(reason) => Refusal::Rejected(format!("fact number {}: {reason}", number + 1)),
            other => other,
        })?;
    }
    check_goals(invariant.exclusions.iter().map(|(goal, _)| goal), goals)?;
    let mut by_goal: Vec<usize> = (0..invariant.exclusions.len()).collect();
    by_goal.sort_by_key(|&number| invariant.exclusions[number].0);
    for number in by_goal {
        exclude(&known, problem, invariant, number, duty, work)?;
    }
    Ok(())
}

fn exclude(
    known: &Known<'_>,
    problem: &Problem,
    invariant: &Invariant,
    number: usize,
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let (goal, exclusion) = &invariant.exclusions[number];
    let dead: Formula;
    let formula: &Formula = match problem.formula(*goal) {
        Some(formula) => formula,
        None => {
            work.spend(problem_size(known))?;
            let Some(formula) = model::deadlock(problem.system()) else { return reject("programs have no markings") };
            dead = formula;
            &dead
        }
    };
    match exclusion {
        Exclusion::Minimal => minimal::check(known, formula, work),
        Exclusion::Cases(cases) => cases::check(known, &invariant.facts, formula, cases, work),
        Exclusion::Refuted(why) => {
            clauses::exclude(known, &invariant.facts, (number, formula, why.as_ref()), duty, work)
        }
    }
}

/// Guards of all transitions.
fn problem_size(known: &Known<'_>) -> u64 {
    known.firings.iter().map(|f| 1 + f.tests.len() as u64).sum()
}
