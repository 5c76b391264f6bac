//! The net while it is reduced.

use crate::reduce::formula;
use model::{Formula, Goal, Net, NetTask, Place, PlaceId, Range, Transition};
use num_bigint::BigUint;
use num_traits::{Signed, ToPrimitive};
use std::sync::Arc;

/// Weights and initial numbers of tokens are at most this, so that sums of a few of them fit.
const LARGEST: u64 = 1 << 30;
/// Longest word that a transition may stand for.
const LONGEST: usize = 2_000;
/// Largest number of arcs of an agglomerated transition.
const MOST_ARCS: usize = 60;

/// Arcs on places, ascending, each place once, with positive weights.
pub(super) type Arcs = Vec<(u32, u64)>;

/// A plain transition: it takes `pre` and gives `post`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Rule {
    pub(super) pre: Arcs,
    pub(super) post: Arcs,
    /// The transitions that it stands for, in order.
    pub(super) word: Vec<u32>,
}

pub(super) struct Draft {
    /// The transitions. `None` if it was dropped, or is not plain.
    pub(super) rules: Vec<Option<Rule>>,
    /// For each place: the plain transitions that take from it, ascending; `producers` are those that give to it.
    pub(super) consumers: Vec<Vec<u32>>,
    pub(super) producers: Vec<Vec<u32>>,
    /// The initial marking. Least numbers where it is open.
    pub(super) initial: Vec<u64>,
    /// True if no rule may drop the place.
    pub(super) fixed: Vec<bool>,
    /// True if a transition that is not plain touches the place.
    pub(super) odd: Vec<bool>,
    /// True if the initial number of tokens is open.
    open: Vec<bool>,
    /// Transitions that are not plain.
    others: Vec<u32>,
    gone: Vec<bool>,
    /// True if a deadlock is a goal, or a formula is one.
    pub(super) asks_deadlock: bool,
    pub(super) asks_formula: bool,
    /// What fires before all else.
    pub(super) first: Vec<u32>,
}

impl Draft {
    pub(super) fn new(task: &NetTask) -> Option<Self> {
        let (net, places) = (&*task.net, task.net.places().len());
        let asks_deadlock = task.goals.contains(&Goal::Deadlock);
        if task.bound.is_some() || task.goals.is_empty() {
            return None;
        }
        let small = |n: &BigUint| n.to_u64().filter(|n| *n <= LARGEST);
        let initial = net.places().iter().map(|p| small(&p.initial.at_least)).collect::<Option<_>>()?;
        let mut draft = Self {
            rules: Vec::with_capacity(net.transitions().len()),
            consumers: vec![Vec::new(); places],
            producers: vec![Vec::new(); places],
            initial,
            fixed: net.places().iter().map(|p| !p.initial.is_single()).collect(),
            odd: vec![false; places],
            open: net.places().iter().map(|p| !p.initial.is_single()).collect(),
            others: Vec::new(),
            gone: vec![false; places],
            asks_deadlock,
            asks_formula: task.goals.iter().any(|goal| *goal != Goal::Deadlock),
            first: Vec::new(),
        };
        for formula in task.goals.iter().filter_map(|goal| task.formula(*goal)) {
            formula::terms(formula).for_each(|(p, _)| draft.fixed[p.index()] = true);
        }
        for (t, transition) in (0u32..).zip(net.transitions()) {
            match plain(transition) {
                Some((pre, post)) => draft.add(Rule { pre, post, word: vec![t] }),
                None => {
                    draft.rules.push(None);
                    draft.others.push(t);
                    touched(transition, |p| {
                        draft.fixed[p.index()] = true;
                        draft.odd[p.index()] = true;
                    });
                }
            }
        }
        (draft.others.is_empty() || !asks_deadlock).then_some(draft)
    }

    pub(super) fn places(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.initial.len()).expect("places have 32-bit numbers")
    }

    /// Returns the numbers of the plain transitions that are left.
    pub(super) fn left(&self) -> Vec<u32> {
        (0u32..).zip(&self.rules).filter(|(_, rule)| rule.is_some()).map(|(t, _)| t).collect()
    }

    /// Returns true if rules may drop the place, and none did.
    pub(super) fn is_free(&self, p: u32) -> bool {
        !self.fixed[p as usize] && !self.gone[p as usize]
    }

    /// Returns true if the initial number of tokens is open.
    pub(super) fn is_open(&self, p: u32) -> bool {
        self.open[p as usize]
    }

    pub(super) fn rule(&self, t: u32) -> &Rule {
        self.rules[t as usize].as_ref().expect("the transition is there")
    }

    /// Adds a transition.
    pub(super) fn add(&mut self, rule: Rule) {
        let t = u32::try_from(self.rules.len()).expect("transitions have 32-bit numbers");
        rule.pre.iter().for_each(|(p, _)| self.consumers[*p as usize].push(t));
        rule.post.iter().for_each(|(p, _)| self.producers[*p as usize].push(t));
        self.rules.push(Some(rule));
    }

    /// Drops a transition.
    pub(super) fn remove(&mut self, t: u32) {
        let Some(rule) = self.rules[t as usize].take() else { return };
        rule.pre.iter().for_each(|(p, _)| forget(&mut self.consumers[*p as usize], t));
        rule.post.iter().for_each(|(p, _)| forget(&mut self.producers[*p as usize], t));
    }

    /// Drops a place with all its arcs.
    pub(super) fn remove_place(&mut self, p: u32) {
        debug_assert!(self.is_free(p));
        self.gone[p as usize] = true;
        for t in std::mem::take(&mut self.consumers[p as usize]) {
            self.rules[t as usize].as_mut().expect("it is there").pre.retain(|(q, _)| *q != p);
        }
        for t in std::mem::take(&mut self.producers[p as usize]) {
            self.rules[t as usize].as_mut().expect("it is there").post.retain(|(q, _)| *q != p);
        }
    }

    /// Replaces the transitions around `p` by these, and drops the place.
    pub(super) fn replace(&mut self, p: u32, by: Vec<Rule>) {
        for t in [&self.producers[p as usize][..], &self.consumers[p as usize][..]].concat() {
            self.remove(t);
        }
        self.remove_place(p);
        by.into_iter().for_each(|rule| self.add(rule));
    }

    /// Returns the reduced task. The numbers of places and transitions are those that [`super::lift`] uses.
    pub(super) fn task(&self, task: &NetTask) -> NetTask {
        let mut number = vec![None; self.gone.len()];
        let mut places = Vec::new();
        for (p, place) in task.net.places().iter().enumerate().filter(|(p, _)| !self.gone[*p]) {
            number[p] = Some(PlaceId::new(places.len()));
            let initial =
                if place.initial.is_single() { Range::exactly(self.initial[p]) } else { place.initial.clone() };
            places.push(Place { name: place.name.clone(), initial });
        }
        let named = |p: PlaceId| number[p.index()].expect("the place is kept");
        let arcs = |arcs: &Arcs| arcs.iter().map(|(p, n)| (named(PlaceId(*p)), BigUint::from(*n))).collect::<Vec<_>>();
        let mut transitions: Vec<Transition> = Vec::new();
        for rule in self.rules.iter().flatten() {
            transitions.push(Transition::from_arcs(transitions.len().to_string(), &arcs(&rule.pre), &arcs(&rule.post)));
        }
        for t in &self.others {
            let mut other = task.net.transitions()[*t as usize].clone();
            other.name = transitions.len().to_string();
            other.guards.iter_mut().for_each(|g| g.place = named(g.place));
            for effect in &mut other.effects {
                effect.place = named(effect.place);
                effect.sources.iter_mut().for_each(|p| *p = named(*p));
            }
            transitions.push(other);
        }
        let net = Net::new(places, transitions).expect("a reduced net is a net");
        let never = Arc::new(formula::never());
        let mut formulas: Vec<Arc<Formula>> = vec![never; task.formulas.len()];
        for goal in &task.goals {
            if let (Goal::Formula(id), Some(asked)) = (goal, task.formula(*goal)) {
                formulas[id.index()] = Arc::new(formula::rename(asked, named));
            }
        }
        NetTask::plain(Arc::new(net), formulas, task.goals.clone())
    }

    /// Returns what each transition of the reduced net stands for, and what fires first.
    pub(super) fn into_words(self) -> (Vec<u32>, Vec<Vec<u32>>) {
        let words = self.rules.into_iter().flatten().map(|rule| rule.word);
        let words = words.chain(self.others.into_iter().map(|t| vec![t])).collect();
        (self.first, words)
    }
}

/// Returns the transition that fires `first` and then `then`, each the given number of times, where the tokens on `p`
/// that the ones give are those that the others take. No other place has arcs from the ones and to the others that
/// must cancel. `None` if it is too large.
pub(super) fn joined(p: u32, (first, times): (&Rule, u64), (then, repeats): (&Rule, u64)) -> Option<Rule> {
    let pre = sum((&first.pre, times), (&then.pre, repeats), p)?;
    let post = sum((&first.post, times), (&then.post, repeats), p)?;
    let length = (first.word.len() as u64).checked_mul(times)?.checked_add((then.word.len() as u64) * repeats)?;
    if length > LONGEST as u64 || pre.len() + post.len() > MOST_ARCS {
        return None;
    }
    let mut word = Vec::new();
    (0..times).for_each(|_| word.extend(&first.word));
    (0..repeats).for_each(|_| word.extend(&then.word));
    Some(Rule { pre, post, word })
}

/// Returns the sum of arcs, each times a number, without those on `p`.
fn sum((a, times): (&Arcs, u64), (b, repeats): (&Arcs, u64), p: u32) -> Option<Arcs> {
    let all =
        a.iter().map(|(q, n)| (*q, n.checked_mul(times))).chain(b.iter().map(|(q, n)| (*q, n.checked_mul(repeats))));
    let mut all: Vec<(u32, Option<u64>)> = all.filter(|(q, _)| *q != p).collect();
    all.sort_by_key(|(q, _)| *q);
    let mut arcs: Arcs = Vec::with_capacity(all.len());
    for (q, n) in all {
        let n = n.filter(|n| *n <= LARGEST)?;
        match arcs.last_mut() {
            Some((last, sum)) if *last == q => *sum += n,
            _ => arcs.push((q, n)),
        }
    }
    arcs.iter().all(|(_, n)| *n <= LARGEST).then_some(arcs)
}

/// Removes `t` from an ascending list.
fn forget(list: &mut Vec<u32>, t: u32) {
    // Transitions are added in the order of their numbers.
    if let Ok(at) = list.binary_search(&t) {
        list.remove(at);
    }
}

/// Returns what a plain transition takes and gives, if its numbers are small.
fn plain(transition: &Transition) -> Option<(Arcs, Arcs)> {
    if !transition.is_plain() {
        return None;
    }
    let small = |n: &BigUint| n.to_u64().filter(|n| *n <= LARGEST);
    let take = |g: &model::Guard| Some((g.place.0, small(&g.range.at_least)?));
    let pre: Arcs = transition.guards.iter().map(take).collect::<Option<_>>()?;
    let mut post = pre.clone();
    for effect in &transition.effects {
        let add = effect.delta()?;
        let n = small(add.magnitude())?;
        let p = effect.place.0;
        match (post.binary_search_by_key(&p, |(q, _)| *q), add.is_negative()) {
            (Ok(at), true) => post[at].1 -= n,
            (Ok(at), false) => post[at].1 += n,
            (Err(at), _) => post.insert(at, (p, n)),
        }
    }
    post.retain(|(_, n)| *n > 0);
    Some((pre, post))
}

fn touched(transition: &Transition, mut each: impl FnMut(PlaceId)) {
    transition.guards.iter().for_each(|g| each(g.place));
    for effect in &transition.effects {
        each(effect.place);
        effect.sources.iter().for_each(|p| each(*p));
    }
}

/// Returns the weight of the arc on `p`, 0 if there is none.
pub(super) fn weight(arcs: &Arcs, p: u32) -> u64 {
    arcs.binary_search_by_key(&p, |(q, _)| *q).map_or(0, |at| arcs[at].1)
}
