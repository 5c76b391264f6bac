//! Why no marking of a formula can be reached from a marking: the transitions that would be needed, and what they lack
//! in all markings that can be reached. The markings are visited one by one, so this is for small sets of them.
//!
//! A transition is to blame if it puts tokens on a place that the formula needs, and never gets enabled. If what it
//! lacks has such transitions, too, those are to blame: "`ship` needs c_ok, which never gets a token".

use super::paths::fired;
use super::words::{conjunction, guards};
use crate::reasons;
use crate::steps::marking::{Marking, Stepper};
use crate::text::number;
use model::{Formula, PlaceId, Range, TransitionId};
use num_bigint::{BigInt, BigUint};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// Limit for the number of markings times the size of the net.
const WORK: usize = 400_000;
/// Most transitions that are named.
const NAMED: usize = 4;

/// A run after which a formula can never be satisfied any more.
pub(super) struct Lost {
    pub(super) run: Vec<TransitionId>,
    /// The marking after it.
    pub(super) at: Marking,
    /// The transitions after which it still could be, if they had fired instead of the last one.
    pub(super) others: Vec<TransitionId>,
}

/// The markings that can be reached from one.
pub(super) struct Future<'p> {
    stepper: Stepper<'p>,
    markings: Vec<Marking>,
    /// For each marking: the transitions that it enables, with the numbers of the markings that they lead to.
    next: Vec<Vec<(TransitionId, usize)>>,
    /// For each transition: true if some of them enables it.
    is_enabled: Vec<bool>,
}

impl<'p> Future<'p> {
    /// Visits the markings; `None` if there are too many.
    pub(super) fn of(stepper: Stepper<'p>, from: &Marking) -> Option<Self> {
        let transitions: Vec<TransitionId> = stepper.transitions().collect();
        let most = WORK / (1 + from.len() + transitions.len());
        let mut is_enabled = vec![false; transitions.len()];
        let mut numbers: HashMap<Marking, usize> = HashMap::from([(from.clone(), 0)]);
        let (mut markings, mut next) = (vec![from.clone()], Vec::new());
        while next.len() < markings.len() {
            let (at, mut steps) = (markings[next.len()].clone(), Vec::new());
            for &transition in transitions.iter().filter(|t| stepper.is_enabled(&at, **t)) {
                is_enabled[transition.index()] = true;
                let to = fired(stepper, &at, transition)?;
                let number = *numbers.entry(to).or_insert_with_key(|to| {
                    markings.push(to.clone());
                    markings.len() - 1
                });
                steps.push((transition, number));
            }
            next.push(steps);
            if markings.len() > most {
                return None;
            }
        }
        Some(Self { stepper, markings, next, is_enabled })
    }

    /// Returns a shortest run to a marking from which no marking with this formula can be reached.
    pub(super) fn lost(&self, formula: &Formula) -> Option<Lost> {
        let mut can: Vec<bool> = self.markings.iter().map(|at| reasons::holds(formula, at)).collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); can.len()];
        for (from, steps) in self.next.iter().enumerate() {
            steps.iter().for_each(|(_, to)| before[*to].push(from));
        }
        let mut open: Vec<usize> = (0..can.len()).filter(|at| can[*at]).collect();
        while let Some(at) = open.pop() {
            for &from in &before[at] {
                if !std::mem::replace(&mut can[from], true) {
                    open.push(from);
                }
            }
        }
        // The markings are in the order of a breadth-first search, so the first one is a nearest one.
        let end = can.iter().position(|can| !can)?;
        let (mut run, mut at, mut others) = (Vec::new(), end, Vec::new());
        while at != 0 {
            let from = before[at].iter().copied().min()?;
            let step = self.next[from].iter().find(|(_, to)| *to == at)?;
            if at == end {
                others = self.others(from, step.0, &can);
            }
            run.push(step.0);
            at = from;
        }
        run.reverse();
        Some(Lost { run, at: self.markings[end].clone(), others })
    }

    /// Returns the transitions that may fire in a marking instead of `last`, so that a marking with `can` follows:
    /// those that take the tokens which `last` needs, if there are some.
    fn others(&self, from: usize, last: TransitionId, can: &[bool]) -> Vec<TransitionId> {
        let others: Vec<(TransitionId, usize)> = self.next[from].iter().filter(|(_, to)| can[*to]).copied().collect();
        let is_choice = |(_, to): &&(TransitionId, usize)| !self.next[*to].iter().any(|(next, _)| *next == last);
        let choices: Vec<TransitionId> = others.iter().filter(is_choice).map(|(other, _)| *other).collect();
        if choices.is_empty() { others.into_iter().map(|(other, _)| other).collect() } else { choices }
    }

    /// The number of markings.
    pub(super) fn count(&self) -> usize {
        self.markings.len()
    }

    /// Returns sentences about what is missing for a formula, without full stop.
    pub(super) fn missing(&self, formula: &Formula) -> Vec<String> {
        let Some(sums) = conjunction(formula) else { return Vec::new() };
        let (mut wanted, mut lines) = (VecDeque::new(), Vec::new());
        for sum in sums {
            let [(place, weight)] = &sum.terms[..] else { continue };
            match i8::try_from(weight.clone()) {
                Ok(1) => {
                    let least = BigUint::try_from(sum.at_least.clone()).unwrap_or_default();
                    if !self.some(|at| at[place.index()] >= least) {
                        wanted.push_back((*place, least));
                    }
                }
                Ok(-1) => {
                    let most = BigUint::try_from(-&sum.at_least).unwrap_or_default();
                    if !self.some(|at| at[place.index()] <= most) {
                        lines.push(self.kept(*place));
                    }
                }
                _ => {}
            }
        }
        let blamed = self.blamed(wanted);
        if blamed.is_empty() {
            lines.truncate(NAMED)
        } else {
            lines = blamed
        }
        lines
    }

    fn some(&self, is: impl Fn(&Marking) -> bool) -> bool {
        self.markings.iter().any(is)
    }

    /// Says that a place keeps its tokens.
    fn kept(&self, place: PlaceId) -> String {
        let least = self.markings.iter().map(|at| &at[place.index()]).min().cloned().unwrap_or_default();
        let name = self.stepper.place_name(place);
        match least == BigUint::from(1u32) {
            true => format!("a token stays on {name}"),
            false => format!("{} tokens stay on {name}", number(&least)),
        }
    }

    /// Goes back from places that never have enough tokens to the transitions that would put them there. Those that
    /// have a part of their tokens are blamed, if there are some.
    fn blamed(&self, mut wanted: VecDeque<(PlaceId, BigUint)>) -> Vec<String> {
        let (mut lines, mut places, mut named) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let mut partly = Vec::new();
        while let Some((place, least)) = wanted.pop_front() {
            if !places.insert(place) {
                continue;
            }
            let producers: Vec<TransitionId> = self.producers(place).collect();
            let dead = producers.iter().filter(|t| !self.is_enabled[t.index()]);
            let dead: Vec<TransitionId> = dead.copied().collect();
            if producers.is_empty() || dead.is_empty() {
                let name = self.stepper.place_name(place);
                lines.push(match (producers.is_empty(), least == BigUint::from(1u32)) {
                    (true, _) => format!("no transition puts a token on {name}"),
                    (false, true) => format!("no token gets to {name}"),
                    (false, false) => format!("at no time {} tokens are on {name}", number(&least)),
                });
            }
            for transition in dead {
                if named.insert(transition) {
                    let line = self.lacks(transition, &mut wanted);
                    if self.is_partly_enabled(transition) { partly.push(line) } else { lines.push(line) }
                }
            }
        }
        let mut lines = if partly.is_empty() { lines } else { partly };
        lines.truncate(NAMED);
        lines
    }

    /// True if the transition has enough tokens on some place, and not on all.
    fn is_partly_enabled(&self, transition: TransitionId) -> bool {
        let needs = |range: &Range| range.at_least != BigUint::ZERO;
        let guards = guards(self.stepper, transition);
        guards.iter().any(|(p, range)| needs(range) && self.some(|at| range.contains(&at[p.index()])))
    }

    /// Transitions that put tokens on a place.
    fn producers(&self, place: PlaceId) -> impl Iterator<Item = TransitionId> + '_ {
        self.stepper.transitions().filter(move |t| match self.stepper {
            Stepper::Net(net) => {
                let effect = net.transition(*t).effect(place);
                effect.is_some_and(|effect| effect.delta().is_none_or(|delta| *delta > BigInt::ZERO))
            }
            Stepper::Threads(threads) => {
                let to = threads.transitions()[t.index()].to;
                place == threads.shared_place(to.0) || place == threads.local_place(to.1)
            }
        })
    }

    /// Says what a transition lacks in all markings, and adds what it wants.
    pub(super) fn lacks(&self, transition: TransitionId, wanted: &mut VecDeque<(PlaceId, BigUint)>) -> String {
        let name = self.stepper.transition_name(transition);
        let guards = guards(self.stepper, transition);
        let is_met = |(place, range): &&(PlaceId, Range)| self.some(|at| range.contains(&at[place.index()]));
        let never: Vec<&(PlaceId, Range)> = guards.iter().filter(|guard| !is_met(guard)).collect();
        if never.is_empty() {
            let (mut needed, bounded): (Vec<_>, Vec<_>) =
                guards.iter().partition(|(_, range)| range.at_least != BigUint::ZERO);
            needed.extend(bounded);
            let place = |(place, range): &(PlaceId, Range)| {
                let name = self.stepper.place_name(*place);
                match &range.at_most {
                    Some(most) if range.at_least == BigUint::ZERO && *most == BigUint::ZERO => {
                        format!("no token on {name}")
                    }
                    Some(most) if range.at_least == BigUint::ZERO => {
                        format!("at most {} tokens on {name}", number(most))
                    }
                    _ => name,
                }
            };
            let places: Vec<String> = needed.into_iter().take(NAMED).map(place).collect();
            return format!("`{name}` needs {} at the same time, which never happens", places.join(" and "));
        }
        let mut parts = Vec::new();
        for (place, range) in never {
            let place_name = self.stepper.place_name(*place);
            let is_scarce = self.markings.iter().all(|at| at[place.index()] < range.at_least);
            if !is_scarce {
                parts.push(format!("`{name}` waits until {place_name} has fewer tokens, which never happens"));
                continue;
            }
            wanted.push_back((*place, range.at_least.clone()));
            parts.push(match range.at_least == BigUint::from(1u32) {
                true => format!("`{name}` needs a token on {place_name}, which never gets one"),
                false => format!(
                    "`{name}` needs {} tokens on {place_name}, which never has as many",
                    number(&range.at_least)
                ),
            });
        }
        parts.truncate(NAMED);
        parts.join("; ")
    }
}
