//! Stubborn sets of nets: is there one whose enabled transitions all lead into a given set of markings?
//!
//! Let m be a marking of none of the claimed goals. A transition *may increase* p if some firing of it leaves more
//! tokens on p than before, and likewise *may decrease*; it *assigns* p if its effect there is not a constant change. A
//! set T of transitions is stubborn in m if
//!
//! * (A) for each claimed formula T has all that its root is *attracted* to: a false inequality to all transitions that
//!   may increase its sum, a false conjunction to what one of its false parts is, a false disjunction to what all of
//!   its parts are. If a deadlock is claimed, there is an enabled transition, the key, such that T has all that may
//!   decrease a place on which the key has a guard with a lower end, or may increase one on which it has a guard with
//!   an upper end;
//! * (D) with each of its disabled transitions T has, for one guard that fails, all that may increase its place if it
//!   has too few tokens, all that may decrease it if it has too many;
//! * (E) with each of its enabled transitions t, T has all that have a guard with a lower end on a place that t may
//!   decrease, or one with an upper end on a place that t may increase; all that change a place that t assigns or reads
//!   to assign; and all that assign, or read to assign, a place that t changes.
//!
//! Let a run of n > 0 firings, the least number, lead from m to a goal. It has a transition of T: else a false
//! inequality that (A) chose would have stayed false, and with it the formula, or the key would have stayed enabled.
//! Let t be the first, behind w. By (D) it is enabled in m: the guard that failed would still fail after w. By (E) it
//! can be done first: it spoils no guard of w, and where effects of t and of w meet, both are constant changes, so that
//! they commute. So after t a goal is at most n - 1 firings away.
//!
//! All rules ask for more transitions in T, so the union of two stubborn sets is one, and it is enough to look at the
//! greatest one: begin with all transitions but the enabled ones that lead out of the set, and take away what breaks
//! (D) or (E).

use super::reduced::Part;
use crate::{Check, Refusal};
use kernel::Work;
use kernel::net::shape::At;
use model::{Effect, Formula, Node, PlaceId, Range};
use num_traits::{Signed, ToPrimitive};

/// A rule that tests leave out, to see that it is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Omit {
    Attracted,
    Key(Group),
    TooFew,
    TooMany,
    /// (E): a group that must be in T.
    Spoils(Group),
}

/// What a transition may have to do with a place.
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

/// A guard: place, where that is, least and most. A place that is not kept is empty.
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
        /// The transitions that may increase it.
        helpers: Vec<u32>,
    },
}

/// The rules, and what is known of the marking looked at.
pub(crate) struct Stubborn {
    tests: Vec<Vec<Test>>,
    /// By transition: the groups of places that it is in.
    roles: Vec<Vec<(Group, u32)>>,
    /// By group, by place: the transitions.
    members: Vec<Vec<Vec<u32>>>,
    relevant: Vec<u32>,
    goals: Vec<Vec<Piece>>,
    deadlock: bool,
    omit: Option<Omit>,
    enabled: Vec<u32>,
    is_enabled: Vec<bool>,
    is_in: Vec<bool>,
    /// By group, by place: is one of its transitions not in T?
    is_broken: Vec<Vec<bool>>,
    /// To put these back.
    broken: Vec<(Group, u32)>,
    out: Vec<u32>,
    holds: Vec<bool>,
}

impl Stubborn {
    pub(crate) fn new(
        part: &Part<'_>,
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

    fn add_roles(&mut self, part: &Part<'_>, t: u32) {
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

    fn goal(&self, part: &Part<'_>, formula: &Formula, work: &mut Work<'_>) -> Check<Vec<Piece>> {
        let numbers = |of: &[model::NodeId]| of.iter().map(|id| id.index() as u32).collect();
        let mut pieces = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            pieces.push(match node {
                Node::All(of) => Piece::All(numbers(of)),
                Node::Any(of) => Piece::Any(numbers(of)),
                Node::AtLeast(sum) => {
                    // Weights below 2^60, tokens and the number of terms below 2^32: no sum of 128 bits overflows.
                    let small = |n: &num_bigint::BigInt, bits: u32| {
                        let large = || Refusal::Unknown("stubborn sets of formulas with large numbers".to_owned());
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

    /// All transitions, relevant or not.
    pub(crate) fn transitions(&self) -> usize {
        self.tests.len()
    }

    /// Begins with a marking: all transitions are in T.
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

    /// Does a claimed goal hold in the marking?
    pub(crate) fn is_goal(&self) -> bool {
        let mut end = 0;
        let holds = self.goals.iter().any(|pieces| {
            end += pieces.len();
            self.holds[end - 1]
        });
        holds || self.deadlock && self.enabled.is_empty()
    }

    /// An enabled transition leads elsewhere: it is not in T.
    pub(crate) fn leave_out(&mut self, t: u32) {
        if std::mem::replace(&mut self.is_in[t as usize], false) {
            self.out.push(t);
        }
    }

    /// Is there a stubborn set without those left out?
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

    /// A group is no longer in T as a whole: neither is who needs it.
    fn spoil(&mut self, group: Group, place: u32, state: &[u32], work: &mut Work<'_>) -> Check<()> {
        let dependent = match group {
            // Disabled ones that wait for tokens here, or for fewer.
            Group::Increase => Group::Lower,
            Group::Decrease => Group::Upper,
            // Enabled ones.
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

    /// Is there a guard that fails, and stays so without T?
    fn stays_disabled(&self, t: u32, state: &[u32]) -> bool {
        let is_whole = |group: Group, place: u32| !self.is_broken[group as usize][place as usize];
        self.tests[t as usize].iter().any(|test| {
            let tokens = test.tokens(state);
            tokens < test.least && (is_whole(Group::Increase, test.place) || self.omit == Some(Omit::TooFew))
                || tokens > test.most && (is_whole(Group::Decrease, test.place) || self.omit == Some(Omit::TooMany))
        })
    }

    /// (A).
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
    // Slots hold 32 bits: more than 64 is never there, and no upper end.
    let least = range.at_least.to_u64().unwrap_or(u64::MAX);
    let most = range.at_most.as_ref().and_then(ToPrimitive::to_u64).unwrap_or(u64::MAX);
    Test { place: place.0, at, least, most }
}

/// Can a firing with these effects increase the sum?
fn may_help(part: &Part<'_>, sum: &model::Linear, effects: &[Effect]) -> bool {
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
