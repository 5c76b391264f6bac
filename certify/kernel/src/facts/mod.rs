//! Facts about all reachable markings, as `model::Invariant` says: each holds at the start and is kept by every
//! transition, where it may rest on the facts before it; and together they exclude the goals.
//!
//! By induction over a run: if all facts hold in m and t leads from m to m', then the first holds in m' because it is
//! kept, and each further one because it and those before hold in m (so that t is one of the transitions that can
//! fire). A file per kind of fact and of exclusion has the argument for its kind. What is known so far is in [`Known`].
//!
//! Clauses about markings, and goals that are refuted with them, are none of these kinds.

mod cases;
pub mod firing;
mod linear;
mod minimal;
mod never;
mod pairs;
mod trap;
mod units;

use crate::clauses::check_goals;
use crate::net::{Marked, Rules, markable};
use crate::work::Work;
use crate::{Check, reject, within};
use firing::Firing;
use linear::Bound;
use model::{Exclusion, Formula, Goal, Invariant, NetFact, Problem};
use never::Basis;
use num_bigint::BigUint;
use num_traits::Zero;
use pairs::Relation;
use std::borrow::Cow;

/// The facts that have been checked, as those after them and exclusions use them.
#[derive(Debug)]
pub struct Known<'a> {
    /// The system.
    pub system: Marked<'a>,
    /// Its transitions.
    pub rules: &'a Rules<'a>,
    /// By transition.
    pub firings: Vec<Firing>,
    /// By place the transitions that change it, ascending.
    pub changers: Vec<Vec<u32>>,
    /// Places that can be marked.
    pub markable: Vec<bool>,
    /// Transitions that can fire.
    pub can_fire: Vec<bool>,
    /// By place the most tokens it can hold, as far as single facts say.
    pub most: Vec<Option<BigUint>>,
    relations: Vec<Relation<'a>>,
    /// Those without negative weights.
    bounds: Vec<Bound<'a>>,
    /// By place the bounds that give it a weight. No other says anything about its tokens.
    bounds_of: Vec<Vec<u32>>,
    bases: Vec<Basis>,
}

impl<'a> Known<'a> {
    /// No fact yet.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn new(system: Marked<'a>, rules: &'a Rules<'a>, work: &mut Work<'_>) -> Check<Self> {
        let places = rules.initial.len();
        assert_eq!(system.places(), places, "the rules are those of the system");
        let firings = firing::firings(rules, work)?;
        assert_eq!(firings.len(), rules.transitions.len(), "each transition has its numbers");
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
        assert_eq!(places.len(), self.markable.len(), "it is said of each place");
        for (place, can_be) in places.iter().enumerate().filter(|(_, can_be)| !**can_be) {
            self.markable[place] = *can_be;
            self.most[place] = Some(BigUint::zero());
        }
    }

    /// Does some fact exclude all markings that cover these tokens (places ascending, no zeros)? Numbers may be smaller
    /// than meant: then more is asked of the facts.
    fn excludes(&self, vector: &[(u32, u64)], work: &mut Work<'_>) -> Check<bool> {
        debug_assert!(vector.windows(2).all(|w| w[0].0 < w[1].0), "places ascend");
        debug_assert!(vector.iter().all(|(_, n)| *n > 0), "tokens are asked for");
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

    /// Checks a fact, which may rest on those known. False: it is of a kind that is not known here.
    ///
    /// # Errors
    /// If it does not hold; beyond the limits.
    pub fn add(&mut self, fact: &'a NetFact, work: &mut Work<'_>) -> Check<bool> {
        match fact {
            NetFact::Markable(places) => {
                self.can_fire = markable::check_among(self.system, self.rules, places, &self.can_fire, work)?;
                self.only_marked(places);
            }
            NetFact::Pairs(pairs) => pairs::check(self, pairs, work)?,
            NetFact::AtMost(bound) => linear::check(self, bound, work)?,
            NetFact::SomeMarked(places) => trap::check(self, places, work)?,
            NetFact::NeverCovered(vectors) => never::check(self, vectors, work)?,
            NetFact::Clauses(_) => return Ok(false),
        }
        Ok(true)
    }

    /// Checks that no marking satisfies the formula and all of `facts`, which have been added. False: the reason is
    /// of a kind that is not known here.
    ///
    /// # Errors
    /// If the reason is none; beyond the limits.
    pub fn exclude(&self, facts: &[NetFact], formula: &Formula, why: &Exclusion, work: &mut Work<'_>) -> Check<bool> {
        match why {
            Exclusion::Minimal => minimal::check(self, formula, work)?,
            Exclusion::Cases(cases) => cases::check(self, facts, formula, cases, work)?,
            Exclusion::Refuted(_) => return Ok(false),
        }
        Ok(true)
    }

    /// The formula of a goal; that of deadlocks is the system's.
    ///
    /// # Errors
    /// If markings have no such goal; beyond the limits.
    pub fn formula<'p>(&self, problem: &'p Problem, goal: Goal, work: &mut Work<'_>) -> Check<Cow<'p, Formula>> {
        if let Some(formula) = problem.formula(goal) {
            return Ok(Cow::Borrowed(formula));
        }
        work.spend(self.firings.iter().map(|f| 1 + f.tests.len() as u64).sum())?;
        match model::deadlock(problem.system()) {
            Some(formula) if goal == Goal::Deadlock => Ok(Cow::Owned(formula)),
            _ => reject(format!("markings have no goal `{goal}`")),
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

/// Are all facts and exclusions of kinds that are known here?
#[must_use]
pub fn are_known(invariant: &Invariant) -> bool {
    let clausal = |fact: &NetFact| matches!(fact, NetFact::Clauses(_));
    let refuted = |(_, why): &(Goal, Exclusion)| matches!(why, Exclusion::Refuted(_));
    !invariant.facts.iter().any(clausal) && !invariant.exclusions.iter().any(refuted)
}

/// Checks that the facts, all of known kinds, hold in all reachable markings and exclude the goals, whose formulas
/// speak of known places.
///
/// # Errors
/// If they do not; beyond the limits.
pub fn check(
    system: Marked<'_>,
    problem: &Problem,
    invariant: &Invariant,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<()> {
    let rules = Rules::new(system, work)?;
    let mut known = Known::new(system, &rules, work)?;
    for (number, fact) in invariant.facts.iter().enumerate() {
        let is_known = within(known.add(fact, work), || format!("fact number {}", number + 1))?;
        assert!(is_known, "all kinds are known");
    }
    check_goals(invariant.exclusions.iter().map(|(goal, _)| goal), goals)?;
    for (goal, why) in &invariant.exclusions {
        let formula = known.formula(problem, *goal, work)?;
        let is_known = known.exclude(&invariant.facts, &formula, why, work)?;
        assert!(is_known, "all kinds are known");
    }
    Ok(())
}
