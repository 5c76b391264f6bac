//! Stubborn sets of nets. The module tests whether there is a stubborn set such that all its enabled
//! transitions lead into a given set of markings.
//!
//! Let m be a marking of none of the claimed goals. A transition *may increase* a place p if some firing of it
//! leaves more tokens on p than before. It *may decrease* p if some firing leaves fewer. It *assigns* p if its
//! effect on p is not a constant change. A set T of transitions is *stubborn in m* if three conditions hold:
//!
//! * (A) For each claimed formula, T contains the transitions that its root is *attracted* to. A false
//!   inequality is attracted to all transitions that may increase its sum. A false conjunction is attracted to
//!   the same transitions as one of its false parts. A false disjunction is attracted to the transitions of all
//!   its parts together. If a deadlock is claimed, some enabled transition is the *key*. T contains all
//!   transitions that may decrease a place on which the key has a guard with a lower end. T also contains all
//!   transitions that may increase a place on which the key has a guard with an upper end.
//! * (D) Each disabled transition of T has a failing guard with this property: if the guard's place has too few
//!   tokens, T contains all transitions that may increase the place. If the place has too many tokens, T
//!   contains all transitions that may decrease it.
//! * (E) For each enabled transition t of T, T contains three kinds of transitions:
//!   * all that have a guard with a lower end on a place that t may decrease, or with an upper end on a place
//!     that t may increase;
//!   * all that change a place that t assigns, or that t reads to assign another place;
//!   * all that assign a place that t changes, or that read such a place to assign another place.
//!
//! Consider a shortest run from m to a goal, with n > 0 firings.
//! 1. The run contains a transition of T. Proof: otherwise a false inequality that (A) chose stays false, and
//!    with it the formula; or the key stays enabled.
//! 2. Let t be the first transition of T in the run, and w the firings before it. Then t is enabled in m.
//!    Proof: otherwise the guard of (D) that fails in m still fails after w.
//! 3. t can fire first, and then w. Proof: by (E) t spoils no guard of w. Where effects of t and of w meet,
//!    both are constant changes, so they commute.
//! 4. So after t a goal is at most n - 1 firings away. Proof: by 3 the run may begin with t.
//! 5. Only the greatest stubborn set has to be tested. Proof: all rules require more transitions to be in T, so
//!    the union of two stubborn sets is stubborn. The code begins with all transitions but the enabled ones
//!    that lead out of the set of markings. It removes the transitions that break (D) or (E), and tests (A) at
//!    the end.

use super::kept::KeptNet;
use crate::{Check, Refusal};
use kernel::Work;
use kernel::net::shape::At;
use model::{Effect, Formula, Node, PlaceId, Range};
use num_traits::{Signed, ToPrimitive};

/// A rule that tests leave out, to show that it is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Omit {
    Attracted,
    Key(Group),
    TooFew,
    TooMany,
    /// Rule (E), as far as it requires that all transitions of this group are in T.
    Spoils(Group),
}

/// How a transition may relate to a place. `Lower` and `Upper`: it has a guard with a lower or an upper end on
/// the place. `Assign`: it assigns the place, or reads the place to assign another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    Increase,
    Decrease,
    Lower,
    Upper,
    Change,
    Assign,
}

pub(crate) const GROUPS: [Group; 6] =
    [Group::Increase, Group::Decrease, Group::Lower, Group::Upper, Group::Change, Group::Assign];

/// A guard: its place, where the place is stored, and the least and most tokens. A place that is not kept is
/// empty.
struct Test {
    place: u32,
    at: Option<At>,
    least: u64,
    most: u64,
}

impl Test {
    fn tokens(&self, state: &[u32]) -> u64 {
        self.at.map_or(0, |at| u64::from(at.tokens(state)))
    }

    fn holds(&self, state: &[u32]) -> bool {
        (self.least..=self.most).contains(&self.tokens(state))
    }
}

enum Piece {
    All(Vec<u32>),
    Any(Vec<u32>),
    Sum {
        terms: Vec<(At, i128)>,
        at_least: i128,
        /// The transitions that may increase the sum.
        helpers: Vec<u32>,
    },
}

/// The rules, and the state of the check at the current marking.
pub(crate) struct Stubborn {
    tests: Vec<Vec<Test>>,
    /// For each transition: the pairs (group, place) that it belongs to.
    roles: Vec<Vec<(Group, u32)>>,
    /// For each group and place: the transitions that belong to it.
    members: Vec<Vec<Vec<u32>>>,
    relevant: Vec<u32>,
    goals: Vec<Vec<Piece>>,
    deadlock: bool,
    omit: Option<Omit>,
    enabled: Vec<u32>,
    is_enabled: Vec<bool>,
    is_in: Vec<bool>,
    /// For each group and place: true if one of its transitions is not in T.
    is_broken: Vec<Vec<bool>>,
    /// The entries of `is_broken` to reset at the next marking.
    broken: Vec<(Group, u32)>,
    out: Vec<u32>,
    holds: Vec<bool>,
}

impl Stubborn {
    pub(crate) fn new(
        part: &KeptNet<'_>,
        relevant: &[bool],
        formulas: &[&Formula],
        deadlock: bool,
        omit: Option<Omit>,
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let (places, transitions) = (part.rules.initial.len(), relevant.len());
        let mut this = Self {
            tests: Vec::with_capacity(transitions),
            roles: vec![Vec::new(); transitions],
            members: vec![vec![Vec::new(); places]; GROUPS.len()],
            relevant: (0..transitions as u32).filter(|t| relevant[*t as usize]).collect(),
            goals: Vec::new(),
            deadlock,
            omit,
            enabled: Vec::new(),
            is_enabled: vec![false; transitions],
            is_in: vec![false; transitions],
            is_broken: vec![vec![false; places]; GROUPS.len()],
            broken: Vec::new(),
            out: Vec::new(),
            holds: Vec::new(),
        };
        for (number, t) in part.rules.transitions.iter().enumerate() {
            work.spend(1 + t.guards.len() as u64 + t.effects.iter().map(|e| 1 + e.sources.len() as u64).sum::<u64>())?;
            let test = |g: &model::Guard| test(g.place, part.shape.at(g.place), &g.range);
            this.tests.push(if relevant[number] { t.guards.iter().map(test).collect() } else { Vec::new() });
            if relevant[number] {
                this.add_roles(part, number as u32);
            }
        }
        for formula in formulas {
            let goal = this.goal(part, formula, work)?;
            this.goals.push(goal);
        }
        Ok(this)
    }

    fn add_roles(&mut self, part: &KeptNet<'_>, t: u32) {
        let transition = &part.rules.transitions[t as usize];
        let mut roles: Vec<(Group, u32)> = Vec::new();
        for guard in transition.guards.iter().filter(|g| part.is_kept(g.place)) {
            if guard.range.at_least.to_u64() != Some(0) {
                roles.push((Group::Lower, guard.place.0));
            }
            if guard.range.at_most.is_some() {
                roles.push((Group::Upper, guard.place.0));
            }
        }
        for effect in transition.effects.iter().filter(|e| part.is_kept(e.place) && !part.is_void(e)) {
            roles.push((Group::Change, effect.place.0));
            if part.may_increase(effect) {
                roles.push((Group::Increase, effect.place.0));
            }
            if part.may_decrease(effect) {
                roles.push((Group::Decrease, effect.place.0));
            }
            if !part.is_constant(effect) {
                roles.push((Group::Assign, effect.place.0));
                roles.extend(part.sources(effect).map(|p| (Group::Assign, p.0)));
            }
        }
        roles.sort_unstable_by_key(|&(group, place)| (group as u32, place));
        roles.dedup();
        roles.iter().for_each(|&(group, place)| self.members[group as usize][place as usize].push(t));
        self.roles[t as usize] = roles;
    }

    fn goal(&self, part: &KeptNet<'_>, formula: &Formula, work: &mut Work<'_>) -> Check<Vec<Piece>> {
        let numbers = |of: &[model::NodeId]| of.iter().map(|id| id.index() as u32).collect();
        let mut pieces = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            pieces.push(match node {
                Node::All(of) => Piece::All(numbers(of)),
                Node::Any(of) => Piece::Any(numbers(of)),
                Node::AtLeast(sum) => {
                    // Weights are below 2^60, and token counts and the number of terms below 2^32, so no
                    // 128-bit sum overflows.
                    let small = |n: &num_bigint::BigInt, bits: u32| {
                        let large = || {
                            Refusal::Unknown(
                                "the checker has no rule for stubborn sets of formulas with numbers that large"
                                    .to_owned(),
                            )
                        };
                        n.to_i128().filter(|n| n.unsigned_abs() >> bits == 0).ok_or_else(large)
                    };
                    let mut terms = Vec::with_capacity(sum.terms.len());
                    for (place, weight) in &sum.terms {
                        if let Some(at) = part.shape.at(*place) {
                            terms.push((at, small(weight, 60)?));
                        }
                    }
                    let mut helpers = Vec::new();
                    for &t in &self.relevant {
                        let effects = &part.rules.transitions[t as usize].effects;
                        work.spend(1 + effects.len() as u64)?;
                        if may_help(part, sum, effects) {
                            helpers.push(t);
                        }
                    }
                    Piece::Sum { terms, at_least: small(&sum.at_least, 120)?, helpers }
                }
            });
        }
        Ok(pieces)
    }

    /// Number of transitions, relevant or not.
    pub(crate) fn transitions(&self) -> usize {
        self.tests.len()
    }

    /// Begins the check of a marking, with all relevant transitions in T.
    pub(crate) fn look(&mut self, state: &[u32], work: &mut Work<'_>) -> Check<()> {
        work.spend(1 + state.len() as u64 / 8 + self.relevant.len() as u64)?;
        for (group, place) in self.broken.drain(..) {
            self.is_broken[group as usize][place as usize] = false;
        }
        self.enabled.clear();
        self.out.clear();
        for &t in &self.relevant {
            let enabled = self.tests[t as usize].iter().all(|test| test.holds(state));
            (self.is_enabled[t as usize], self.is_in[t as usize]) = (enabled, true);
            if enabled {
                self.enabled.push(t);
            }
        }
        self.holds.clear();
        for pieces in &self.goals {
            let first = self.holds.len();
            for piece in pieces {
                work.spend(1)?;
                let value = match piece {
                    Piece::All(of) => of.iter().all(|&i| self.holds[first + i as usize]),
                    Piece::Any(of) => of.iter().any(|&i| self.holds[first + i as usize]),
                    Piece::Sum { terms, at_least, .. } => {
                        terms.iter().map(|(at, c)| c * i128::from(at.tokens(state))).sum::<i128>() >= *at_least
                    }
                };
                self.holds.push(value);
            }
        }
        Ok(())
    }

    /// The enabled transitions of the marking.
    pub(crate) fn enabled(&self) -> &[u32] {
        &self.enabled
    }

    /// True if a claimed goal holds in the marking.
    pub(crate) fn is_goal(&self) -> bool {
        let mut end = 0;
        let holds = self.goals.iter().any(|pieces| {
            end += pieces.len();
            self.holds[end - 1]
        });
        holds || self.deadlock && self.enabled.is_empty()
    }

    /// Removes a transition from T. For an enabled transition, the reason may be that it leads out of the set
    /// of markings.
    pub(crate) fn leave_out(&mut self, t: u32) {
        if std::mem::replace(&mut self.is_in[t as usize], false) {
            self.out.push(t);
        }
    }

    /// True if there is a stubborn set without the transitions left out.
    pub(crate) fn admits(&mut self, state: &[u32], work: &mut Work<'_>) -> Check<bool> {
        if self.out.is_empty() {
            return Ok(true);
        }
        while let Some(t) = self.out.pop() {
            for at in 0..self.roles[t as usize].len() {
                let (group, place) = self.roles[t as usize][at];
                work.spend(1)?;
                if !std::mem::replace(&mut self.is_broken[group as usize][place as usize], true) {
                    self.broken.push((group, place));
                    self.spoil(group, place, state, work)?;
                }
            }
        }
        self.attracts(work)
    }

    /// Handles a group that is no longer in T as a whole: removes the transitions that need the whole group to
    /// be in T.
    fn spoil(&mut self, group: Group, place: u32, state: &[u32], work: &mut Work<'_>) -> Check<()> {
        let dependent = match group {
            // Disabled transitions that wait for more tokens here, or for fewer.
            Group::Increase => Group::Lower,
            Group::Decrease => Group::Upper,
            // Enabled transitions.
            Group::Lower => Group::Decrease,
            Group::Upper => Group::Increase,
            Group::Change => Group::Assign,
            Group::Assign => Group::Change,
        };
        let of_disabled = matches!(group, Group::Increase | Group::Decrease);
        if !of_disabled && self.omit == Some(Omit::Spoils(group)) {
            return Ok(());
        }
        for at in 0..self.members[dependent as usize][place as usize].len() {
            let t = self.members[dependent as usize][place as usize][at];
            work.spend(1)?;
            if !self.is_in[t as usize] || self.is_enabled[t as usize] == of_disabled {
                continue;
            }
            if of_disabled && self.stays_disabled(t, state) {
                continue;
            }
            self.leave_out(t);
        }
        Ok(())
    }

    /// True if some guard of `t` fails, and keeps failing as long as no transition of T fires.
    fn stays_disabled(&self, t: u32, state: &[u32]) -> bool {
        let is_whole = |group: Group, place: u32| !self.is_broken[group as usize][place as usize];
        self.tests[t as usize].iter().any(|test| {
            let tokens = test.tokens(state);
            tokens < test.least && (is_whole(Group::Increase, test.place) || self.omit == Some(Omit::TooFew))
                || tokens > test.most && (is_whole(Group::Decrease, test.place) || self.omit == Some(Omit::TooMany))
        })
    }

    /// True if (A) holds.
    fn attracts(&self, work: &mut Work<'_>) -> Check<bool> {
        if self.omit == Some(Omit::Attracted) {
            return Ok(true);
        }
        let mut first = 0;
        for pieces in &self.goals {
            let mut has: Vec<bool> = Vec::with_capacity(pieces.len());
            for (i, piece) in pieces.iter().enumerate() {
                let is_false = |i: u32| !self.holds[first + i as usize];
                let value = match piece {
                    _ if self.holds[first + i] => false,
                    Piece::All(of) => of.iter().any(|&i| is_false(i) && has[i as usize]),
                    Piece::Any(of) => of.iter().all(|&i| has[i as usize]),
                    Piece::Sum { helpers, .. } => {
                        work.spend(1 + helpers.len() as u64)?;
                        helpers.iter().all(|&t| self.is_in[t as usize])
                    }
                };
                has.push(value);
            }
            first += pieces.len();
            if !has[has.len() - 1] {
                return Ok(false);
            }
        }
        if !self.deadlock {
            return Ok(true);
        }
        work.spend(self.enabled.len() as u64)?;
        Ok(self.enabled.iter().any(|&t| self.is_key(t)))
    }

    fn is_key(&self, t: u32) -> bool {
        self.tests[t as usize].iter().all(|test| {
            let is_whole = |group: Group| {
                self.omit == Some(Omit::Key(group)) || !self.is_broken[group as usize][test.place as usize]
            };
            (test.least == 0 || is_whole(Group::Decrease)) && (test.most == u64::MAX || is_whole(Group::Increase))
        })
    }
}

fn test(place: PlaceId, at: Option<At>, range: &Range) -> Test {
    // Slots hold 32 bits. So no place ever reaches a lower end beyond 64 bits, and an upper end beyond 64 bits
    // excludes nothing.
    let least = range.at_least.to_u64().unwrap_or(u64::MAX);
    let most = range.at_most.as_ref().and_then(ToPrimitive::to_u64).unwrap_or(u64::MAX);
    Test { place: place.0, at, least, most }
}

/// True if a firing with these effects can increase the sum.
fn may_help(part: &KeptNet<'_>, sum: &model::Linear, effects: &[Effect]) -> bool {
    let mut constant = num_bigint::BigInt::ZERO;
    for effect in effects.iter().filter(|e| part.is_kept(e.place)) {
        let Ok(at) = sum.terms.binary_search_by_key(&effect.place, |t| t.0) else { continue };
        let weight = &sum.terms[at].1;
        if part.is_constant(effect) {
            constant += weight * &effect.add;
        } else if weight.is_positive() && part.may_increase(effect) || weight.is_negative() && part.may_decrease(effect)
        {
            return true;
        }
    }
    constant.is_positive()
}
