//! Invariants of nets as evidence (`model::InvariantCertificate`): each invariant holds initially and is
//! preserved by every transition. The proof of an invariant may use the invariants before it. Together the
//! invariants exclude the goals.
//!
//! 1. All invariants hold in every reachable marking. Proof: by induction over the run. Each invariant holds
//!    initially. Let all invariants hold in m and let t lead from m to m'. The first invariant holds in m'
//!    because t preserves it. Each further invariant is preserved by the transitions that can fire as far as it
//!    and the invariants before it show. It and the invariants before it hold in m, so t is one of these
//!    transitions, and the invariant holds in m'.
//!
//! There is one file for each kind of invariant and of exclusion, with the proof for its kind.
//! [`CheckedInvariants`] stores what has been shown so far.
//!
//! Clauses about markings, and goals that are refuted with such clauses, are checked in `certify`, not here.

mod cases;
mod concurrency;
pub mod firing;
mod forms;
mod linear;
mod minimal;
mod never;
mod trap;
mod units;

use crate::clauses::check_goals;
use crate::net::{Marked, Rules, potentially_marked};
use crate::work::Work;
use crate::{Check, reject, within};
use firing::Firing;
use forms::{Basis, Bound, Relation};
use model::{AtMost, Exclusion, Formula, Goal, InvariantCertificate, NetInvariant, Problem};
use num_bigint::BigUint;
use num_traits::{Signed, Zero};
use std::borrow::Cow;

/// The invariants that have been checked, in the form in which later invariants and exclusions use them.
#[derive(Debug)]
pub struct CheckedInvariants<'a> {
    /// The system.
    pub system: Marked<'a>,
    /// The transitions of the system.
    pub rules: &'a Rules<'a>,
    /// The compiled form of each transition.
    pub firings: Vec<Firing>,
    /// For each place: the transitions that change it, in ascending order.
    pub changers: Vec<Vec<u32>>,
    /// For each place: the transitions that need a token on it, in ascending order.
    needers: Vec<Vec<u32>>,
    /// For each place: true if it is potentially marked.
    pub potentially_marked: Vec<bool>,
    /// For each transition: true if it can fire as far as the invariants show.
    pub can_fire: Vec<bool>,
    /// For each place: the greatest number of tokens that single invariants allow; `None` if they give no
    /// limit.
    pub most: Vec<Option<BigUint>>,
    relations: Vec<Relation<'a>>,
    /// The bounds without negative weights.
    bounds: Vec<Bound<'a>>,
    /// For each place: the indices of the bounds in which it has a positive weight. No other bound limits its
    /// tokens.
    bounds_of: Vec<Vec<u32>>,
    bases: Vec<Basis>,
}

impl<'a> CheckedInvariants<'a> {
    /// Creates the empty list of invariants.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn new(system: Marked<'a>, rules: &'a Rules<'a>, work: &mut Work<'_>) -> Check<Self> {
        let places = rules.initial.len();
        assert_eq!(system.places(), places, "the rules are those of the system");
        let firings = firing::firings(rules, work)?;
        assert_eq!(firings.len(), rules.transitions.len(), "each transition has its numbers");
        let (mut changers, mut needers) = (vec![Vec::new(); places], vec![Vec::new(); places]);
        for (t, firing) in firings.iter().enumerate() {
            firing.changes.iter().for_each(|c| changers[c.place as usize].push(t as u32));
            firing.preset().for_each(|test| needers[test.place as usize].push(t as u32));
        }
        Ok(Self {
            system,
            rules,
            firings,
            changers,
            needers,
            potentially_marked: vec![true; places],
            can_fire: vec![true; rules.transitions.len()],
            most: vec![None; places],
            relations: Vec::new(),
            bounds: Vec::new(),
            bounds_of: vec![Vec::new(); places],
            bases: Vec::new(),
        })
    }

    /// Records that `place` holds at most `tokens` tokens. A smaller limit that is already recorded remains.
    fn at_most(&mut self, place: usize, tokens: BigUint) {
        let most = &mut self.most[place];
        if most.as_ref().is_none_or(|most| *most > tokens) {
            *most = Some(tokens);
        }
    }

    /// Records that only these places are potentially marked.
    fn only_marked(&mut self, places: &[bool]) {
        assert_eq!(places.len(), self.potentially_marked.len(), "it is said of each place");
        for (place, can_be) in places.iter().enumerate().filter(|(_, can_be)| !**can_be) {
            self.potentially_marked[place] = *can_be;
            self.most[place] = Some(BigUint::zero());
        }
    }

    /// Returns true if some invariant excludes all markings that cover `vector` (places ascending, no zeros).
    /// The numbers may be smaller than the exact ones, because then the invariants must exclude more markings.
    fn excludes(&self, vector: &[(u32, u64)], work: &mut Work<'_>) -> Check<bool> {
        debug_assert!(vector.windows(2).all(|w| w[0].0 < w[1].0), "places ascend");
        debug_assert!(vector.iter().all(|(_, n)| *n > 0), "tokens are asked for");
        work.spend((1 + vector.len() * vector.len()) as u64)?;
        if vector.iter().any(|(p, _)| !self.potentially_marked[*p as usize])
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

    /// Returns true if the invariants show that a place is empty when a transition fires: they exclude a token on it
    /// beside those that the transition needs.
    fn is_empty_at(&self, transition: usize, place: u32, work: &mut Work<'_>) -> Check<bool> {
        let tests = self.firings[transition].preset();
        let mut tokens: Vec<(u32, u64)> = tests.map(|test| (test.place, test.least)).collect();
        match tokens.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(_) => Ok(false),
            Err(at) => {
                tokens.insert(at, (place, 1));
                self.excludes(&tokens, work)
            }
        }
    }

    /// Adds a bound with no negative weights on potentially marked places. Transitions that need tokens that it
    /// excludes never fire.
    fn add_bound(&mut self, invariant: &'a AtMost, work: &mut Work<'_>) -> Check<()> {
        let bound = Bound { invariant };
        for (place, _) in invariant.terms.iter().filter(|(_, weight)| weight.is_positive()) {
            self.bounds_of[place.index()].push(self.bounds.len() as u32);
            for &t in &self.needers[place.index()] {
                work.spend(1)?;
                if self.can_fire[t as usize] {
                    let tests = self.firings[t as usize].preset();
                    let preset: Vec<(u32, u64)> = tests.map(|test| (test.place, test.least)).collect();
                    self.can_fire[t as usize] = !bound.excludes(&preset, work)?;
                }
            }
        }
        self.bounds.push(bound);
        Ok(())
    }

    /// Returns the bounds in which a place has a positive weight.
    fn bounds_of(&self, place: usize) -> impl Iterator<Item = &Bound<'a>> {
        self.bounds_of[place].iter().map(|&number| &self.bounds[number as usize])
    }

    /// Checks an invariant and adds it. The proof may use the invariants added before. Returns false if this
    /// module has no rule for its kind.
    ///
    /// # Errors
    /// If the invariant is not shown to hold, or if a resource limit is exceeded.
    pub fn add(&mut self, invariant: &'a NetInvariant, work: &mut Work<'_>) -> Check<bool> {
        match invariant {
            NetInvariant::PotentiallyMarked(places) => {
                self.can_fire = potentially_marked::check_among(self.system, self.rules, places, &self.can_fire, work)?;
                self.only_marked(places);
            }
            NetInvariant::ConcurrencyRelation(pairs) => concurrency::check(self, pairs, work)?,
            NetInvariant::AtMost(bound) => linear::check(self, bound, work)?,
            NetInvariant::SomeMarked(places) => trap::check(self, places, work)?,
            NetInvariant::NeverCovered(vectors) => never::check(self, vectors, work)?,
            NetInvariant::Clauses(_) => return Ok(false),
        }
        Ok(true)
    }

    /// Checks that no marking satisfies both the formula and all invariants in `invariants`, which must have been
    /// added. Returns false if this module has no rule for the kind of reason `why`.
    ///
    /// # Errors
    /// If the reason does not exclude the formula, or if a resource limit is exceeded.
    pub fn exclude(
        &self,
        invariants: &[NetInvariant],
        formula: &Formula,
        why: &Exclusion,
        work: &mut Work<'_>,
    ) -> Check<bool> {
        match why {
            Exclusion::Minimal => minimal::check(self, formula, work)?,
            Exclusion::Cases(cases) => cases::check(self, invariants, formula, cases, work)?,
            Exclusion::Refuted(_) => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the formula of a goal. The formula of the goal `deadlock` is computed from the system.
    ///
    /// # Errors
    /// If the goal is neither a formula nor a deadlock, or if a resource limit is exceeded.
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

    /// Describes tokens on places, for messages.
    fn described(&self, cube: &[(u32, u64)]) -> String {
        let entry = |(p, n): &(u32, u64)| format!("`{}` >= {n}", self.system.name(*p as usize));
        let mut parts: Vec<String> = cube.iter().take(4).map(entry).collect();
        if cube.len() > parts.len() {
            parts.push("..".to_owned());
        }
        parts.join(", ")
    }
}

/// Returns true if this module has a rule for each kind of invariant and exclusion in the certificate.
#[must_use]
pub fn are_known(certificate: &InvariantCertificate) -> bool {
    let clausal = |invariant: &NetInvariant| matches!(invariant, NetInvariant::Clauses(_));
    let refuted = |(_, why): &(Goal, Exclusion)| matches!(why, Exclusion::Refuted(_));
    !certificate.invariants.iter().any(clausal) && !certificate.exclusions.iter().any(refuted)
}

/// Checks that the invariants hold in all reachable markings and exclude the goals. This module must have a
/// rule for the kind of each invariant and of each exclusion, and the formulas of the goals must refer only to
/// places of the system.
///
/// # Errors
/// If an invariant is not shown to hold, or a goal is not excluded, or if a resource limit is exceeded.
pub fn check(
    system: Marked<'_>,
    problem: &Problem,
    certificate: &InvariantCertificate,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<()> {
    check_with(system, certificate, goals, work, |known, goal, work| known.formula(problem, goal, work))
}

/// Does the same as [`check`] for goals that have these formulas.
///
/// # Errors
/// As [`check`], and if a goal has no formula.
pub fn check_with<'f>(
    system: Marked<'_>,
    certificate: &InvariantCertificate,
    goals: &[Goal],
    work: &mut Work<'_>,
    formula: impl Fn(&CheckedInvariants<'_>, Goal, &mut Work<'_>) -> Check<Cow<'f, Formula>>,
) -> Check<()> {
    let rules = Rules::new(system, work)?;
    let mut known = CheckedInvariants::new(system, &rules, work)?;
    for (number, invariant) in certificate.invariants.iter().enumerate() {
        let is_known = within(known.add(invariant, work), || format!("invariant number {}", number + 1))?;
        assert!(is_known, "all kinds are known");
    }
    check_goals(certificate.exclusions.iter().map(|(goal, _)| goal), goals)?;
    for (goal, why) in &certificate.exclusions {
        let formula = formula(&known, *goal, work)?;
        let is_known = known.exclude(&certificate.invariants, &formula, why, work)?;
        assert!(is_known, "all kinds are known");
    }
    Ok(())
}
