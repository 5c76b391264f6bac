//! Why no marking of a formula can be reached from a marking: the transitions that would be needed, and what they lack
//! in all markings that can be reached. The markings are visited one by one, so this is for small sets of them.
//!
//! A transition is to blame if it puts tokens on a place that the formula needs, and never gets enabled. If what it
//! lacks has such transitions, too, those are to blame: "`ship` needs c_ok, which never gets a token".

use super::small::{Rule, Sum, holds, small};
use super::words::{conjunction, guards};
use crate::reasons;
use crate::steps::marking::{Marking, Stepper};
use crate::text::{names, number};
use model::{Formula, PlaceId, Range, TransitionId};
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// Limit for the number of markings times the size of the net.
const WORK: usize = 200_000;
/// Most pairs of places that are looked at.
const PAIRS: usize = 500;
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
    /// The numbers of tokens, by place.
    markings: Vec<Box<[u32]>>,
    /// For each marking: the transitions that it enables, with the numbers of the markings that they lead to.
    next: Vec<Vec<(TransitionId, usize)>>,
    /// For each transition: true if some of them enables it.
    is_enabled: Vec<bool>,
    /// True if steps were taken before the first marking.
    is_later: bool,
}

impl<'p> Future<'p> {
    /// Visits the markings; `None` if there are too many, or their numbers are too large.
    pub(super) fn of(stepper: Stepper<'p>, from: &Marking) -> Option<Self> {
        let rules = Rule::all(stepper)?;
        let most = WORK / (1 + from.len() + rules.len());
        let mut is_enabled = vec![false; rules.len()];
        let first: Box<[u32]> = from.iter().map(ToPrimitive::to_u32).collect::<Option<_>>()?;
        let mut numbers: HashMap<Box<[u32]>, usize> = HashMap::from([(first.clone(), 0)]);
        let (mut markings, mut next) = (vec![first], Vec::new());
        while next.len() < markings.len() {
            let mut steps = Vec::new();
            for (number, rule) in rules.iter().enumerate() {
                let at = &markings[next.len()];
                if !rule.is_enabled(at) {
                    continue;
                }
                is_enabled[number] = true;
                let to = rule.fire(at)?;
                let known = numbers.get(&to).copied();
                let to = known.unwrap_or_else(|| {
                    numbers.insert(to.clone(), markings.len());
                    markings.push(to);
                    markings.len() - 1
                });
                steps.push((TransitionId::new(number), to));
            }
            next.push(steps);
            if markings.len() > most {
                return None;
            }
        }
        Some(Self { stepper, markings, next, is_enabled, is_later: false })
    }

    /// Says that steps were taken before the first marking.
    pub(super) fn later(self) -> Self {
        Self { is_later: true, ..self }
    }

    /// True if a transition is enabled in the first marking.
    pub(super) fn has_steps(&self) -> bool {
        !self.next[0].is_empty()
    }

    fn wide(&self, marking: usize) -> Marking {
        self.markings[marking].iter().map(|tokens| BigUint::from(*tokens)).collect()
    }

    /// For each marking: true if it satisfies the formula.
    fn satisfying(&self, formula: &Formula) -> Vec<bool> {
        match conjunction(formula).and_then(|sums| sums.into_iter().map(small).collect::<Option<Vec<Sum>>>()) {
            Some(sums) => self.markings.iter().map(|at| sums.iter().all(|sum| holds(sum, at))).collect(),
            None => (0..self.markings.len()).map(|at| reasons::holds(formula, &self.wide(at))).collect(),
        }
    }

    /// Returns a shortest run to a marking from which no marking with this formula can be reached.
    pub(super) fn lost(&self, formula: &Formula) -> Option<Lost> {
        let mut can = self.satisfying(formula);
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
        Some(Lost { run, at: self.wide(end), others })
    }

    /// Returns the transitions that may fire in a marking instead of `last`, so that a marking with `can` follows:
    /// those that take the tokens which `last` needs, if there are some.
    fn others(&self, from: usize, last: TransitionId, can: &[bool]) -> Vec<TransitionId> {
        let others: Vec<(TransitionId, usize)> = self.next[from].iter().filter(|(_, to)| can[*to]).copied().collect();
        let is_choice = |(_, to): &&(TransitionId, usize)| !self.next[*to].iter().any(|(next, _)| *next == last);
        let choices: Vec<TransitionId> = others.iter().filter(is_choice).map(|(other, _)| *other).collect();
        if choices.is_empty() { others.into_iter().map(|(other, _)| other).collect() } else { choices }
    }

    /// True if some of the markings satisfies the formula.
    pub(super) fn reaches(&self, formula: &Formula) -> bool {
        self.satisfying(formula).contains(&true)
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
                    if !self.some(|at| BigUint::from(at[place.index()]) >= least) {
                        wanted.push_back((*place, least));
                    }
                }
                Ok(-1) => {
                    let most = BigUint::try_from(-&sum.at_least).unwrap_or_default();
                    if !self.some(|at| BigUint::from(at[place.index()]) <= most) {
                        lines.push(self.kept(*place));
                    }
                }
                _ => {}
            }
        }
        let blamed = self.blamed(wanted);
        if !blamed.is_empty() {
            return blamed;
        }
        lines.truncate(NAMED);
        if lines.is_empty() {
            lines.extend(self.nearest(formula));
        }
        lines
    }

    /// If each inequality alone can be satisfied: names the marking with the fewest tokens that has enough tokens where
    /// the formula needs some.
    fn nearest(&self, formula: &Formula) -> Option<String> {
        let sums: Vec<Sum> = conjunction(formula)?.into_iter().map(small).collect::<Option<_>>()?;
        let needs = |sum: &&Sum| sum.0.iter().all(|(_, weight)| *weight > 0);
        let has_enough = |at: &&[u32]| sums.iter().filter(needs).all(|sum| holds(sum, at));
        let tokens = |at: &&[u32]| at.iter().map(|tokens| u64::from(*tokens)).sum::<u64>();
        let Some(at) = self.markings.iter().map(|at| &**at).filter(has_enough).min_by_key(tokens) else {
            return self.apart(formula, &sums);
        };
        let wide: Marking = at.iter().map(|tokens| BigUint::from(*tokens)).collect();
        let shown = reasons::show(self.stepper, &wide, 2 * NAMED);
        let required = conjunction(formula)?;
        let required = required.iter().filter_map(|sum| match &sum.terms[..] {
            [(place, weight)] if *weight > BigInt::ZERO => Some(self.stepper.place_name(*place)),
            _ => None,
        });
        let required: Vec<String> = required.take(NAMED).collect();
        Some(match required.is_empty() {
            true => format!("too many tokens are always left, as in ({shown})"),
            false => {
                format!("whenever {} has enough tokens, too many are left, as in ({shown})", required.join(" and "))
            }
        })
    }

    /// What is said never to be may have been before.
    fn any_more(&self) -> &'static str {
        if self.is_later { " any more" } else { "" }
    }

    /// Names two places that never have enough tokens at the same time. Each alone does.
    fn apart(&self, formula: &Formula, sums: &[Sum]) -> Option<String> {
        let named = conjunction(formula)?;
        let places: Vec<(PlaceId, &Sum)> = named
            .iter()
            .zip(sums)
            .filter_map(|(linear, sum)| match &linear.terms[..] {
                [(place, weight)] if *weight > BigInt::ZERO => Some((*place, sum)),
                _ => None,
            })
            .collect();
        let pairs =
            places.iter().enumerate().flat_map(|(i, one)| places[i + 1..].iter().map(move |other| (one, other)));
        let is_never = |(one, other): &(&(PlaceId, &Sum), &(PlaceId, &Sum))| {
            !self.some(|at| holds(one.1, at) && holds(other.1, at))
        };
        let (one, other) = pairs.take(PAIRS).find(is_never)?;
        let [one, other] = [one, other].map(|(place, _)| self.stepper.place_name(*place));
        Some(format!("at no time do {one} and {other} have enough tokens together{}", self.any_more()))
    }

    fn some(&self, is: impl Fn(&[u32]) -> bool) -> bool {
        self.markings.iter().any(|at| is(at))
    }

    /// Says that a place keeps its tokens.
    fn kept(&self, place: PlaceId) -> String {
        let least = self.markings.iter().map(|at| at[place.index()]).min().unwrap_or_default();
        let name = self.stepper.place_name(place);
        match least == 1 {
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
                    (false, true) => format!("no token gets to {name}{}", self.any_more()),
                    (false, false) => format!("at no time {} tokens are on {name}{}", number(&least), self.any_more()),
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
        guards.iter().any(|(p, range)| needs(range) && self.some(|at| range.contains(&at[p.index()].into())))
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

    /// Says why a place has no token in any of the markings, as the end of a sentence.
    fn without(&self, place: PlaceId) -> String {
        let producers: Vec<String> =
            self.producers(place).map(|t| format!("`{}`", self.stepper.transition_name(t))).collect();
        let named = names(producers.iter().map(String::as_str), NAMED);
        match (producers.is_empty(), self.is_later) {
            (true, _) => "where no transition puts one".to_owned(),
            (false, true) => format!("which gets none any more (only from {named})"),
            (false, false) => format!("which never gets one (only from {named})"),
        }
    }

    /// Says of a transition with guards that hold one by one which of them fail where it is nearest to firing. Many
    /// guards are zero tests of the end of a process: it waits for what is left.
    fn never_together(&self, name: &str, guards: &[(PlaceId, Range)]) -> String {
        let fails = |at: &[u32], (place, range): &&(PlaceId, Range)| !range.contains(&at[place.index()].into());
        let failing = |at: &&[u32]| guards.iter().filter(|guard| fails(at, guard)).count();
        let Some(at) = self.markings.iter().rev().map(|at| &**at).min_by_key(failing) else { return String::new() };
        let (scarce, left): (Vec<_>, Vec<_>) = guards
            .iter()
            .filter(|guard| fails(at, guard))
            .partition(|(place, range)| BigUint::from(at[place.index()]) < range.at_least);
        let (empty, fewer): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(_, range)| range.at_most.as_ref().is_some_and(BigUint::is_zero));
        let named = |guards: Vec<&(PlaceId, Range)>, word: &str| {
            let places: Vec<String> = guards.iter().map(|(place, _)| self.stepper.place_name(*place)).collect();
            let all = names(places.iter().map(String::as_str), NAMED);
            (!places.is_empty()).then(|| format!("{word} {all}"))
        };
        let parts = [
            named(scarce, "lacks a token on"),
            named(empty, "waits until no token is on"),
            named(fewer, "waits until fewer tokens are on"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let needed = guards.iter().filter(|(_, range)| range.at_least != BigUint::ZERO);
        let needed: Vec<String> = needed.map(|(place, _)| self.stepper.place_name(*place)).collect();
        match needed.len() {
            2..=NAMED => {
                format!("`{name}` needs {} together, and at best {}", needed.join(" and "), parts.join(" and "))
            }
            many if many > NAMED => {
                format!("`{name}` needs tokens on {many} places together, and at best {}", parts.join(" and "))
            }
            _ => format!("`{name}` never fires: at best it {}", parts.join(" and ")),
        }
    }

    /// Says what a transition lacks in all markings, and what is to blame for that.
    pub(super) fn lacking(&self, transition: TransitionId) -> Vec<String> {
        let mut wanted = VecDeque::new();
        let first = self.lacks(transition, &mut wanted);
        let causes: Vec<String> = self.blamed(wanted).into_iter().filter(|line| *line != first).collect();
        std::iter::once(first).chain(causes).take(NAMED).collect()
    }

    /// Says what a transition lacks in all markings, and adds what it wants.
    pub(super) fn lacks(&self, transition: TransitionId, wanted: &mut VecDeque<(PlaceId, BigUint)>) -> String {
        let name = self.stepper.transition_name(transition);
        let guards = guards(self.stepper, transition);
        let is_met = |(place, range): &&(PlaceId, Range)| self.some(|at| range.contains(&at[place.index()].into()));
        let never: Vec<&(PlaceId, Range)> = guards.iter().filter(|guard| !is_met(guard)).collect();
        if never.is_empty() {
            return self.never_together(&name, &guards);
        }
        let mut parts = Vec::new();
        for (place, range) in never {
            let place_name = self.stepper.place_name(*place);
            let is_scarce = self.markings.iter().all(|at| BigUint::from(at[place.index()]) < range.at_least);
            let is_full = |most: &BigUint| self.markings.iter().all(|at| BigUint::from(at[place.index()]) > *most);
            if !is_scarce {
                parts.push(match range.at_most.as_ref().is_some_and(is_full) {
                    true => format!("`{name}` waits until {place_name} has fewer tokens, which never happens"),
                    false => format!("`{name}` asks for a number of tokens on {place_name} that is never there"),
                });
                continue;
            }
            wanted.push_back((*place, range.at_least.clone()));
            parts.push(match range.at_least == BigUint::from(1u32) {
                true => format!("`{name}` needs a token on {place_name}, {}", self.without(*place)),
                false => format!(
                    "`{name}` needs {} tokens on {place_name}, which never has as many{}",
                    number(&range.at_least),
                    self.any_more()
                ),
            });
        }
        parts.truncate(NAMED);
        parts.join("; ")
    }
}
