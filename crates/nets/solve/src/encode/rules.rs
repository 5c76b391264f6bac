//! A net within a bound, in machine words: the guards and changes of its transitions, as far as they are
//! possible within the bound.
//!
//! A bound on all tokens together becomes one more number, the *budget*: the bound minus the tokens present. A
//! transition takes its total increase from the budget, so no sum of all places is ever computed. A transition
//! with a constant net change changes the budget by a constant. A reset returns the removed tokens to the
//! budget. A transfer without loss does not change the budget.

use circuits::encode::CannotEncode;
use model::{Bound, Net, PlaceId, Transition, TransitionId};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// All numbers are below this, so that the sum of two does not overflow.
pub(crate) const LARGEST: u64 = 1 << 62;

/// A number of the encoded system: the index of a place or, for the budget, the number of places.
pub(crate) type Var = usize;

/// A transition that can fire within the bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    pub(crate) transition: TransitionId,
    /// The guards: the least and the greatest number of tokens, both within the bound.
    pub(crate) guards: BTreeMap<Var, (u64, u64)>,
    /// The changes, at most one for each number.
    pub(crate) changes: BTreeMap<Var, Change>,
}

/// The change of a number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Change {
    /// The number grows by this constant. The guards guarantee that the result is within the bound.
    By(i64),
    /// The number becomes this sum. The circuit must check that the result is within the bound.
    To(Sum),
}

/// The numbers in `plus`, minus the numbers in `minus`, plus a constant. A number may occur several times in
/// each list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Sum {
    pub(crate) plus: Vec<Var>,
    pub(crate) minus: Vec<Var>,
    pub(crate) add: i64,
}

/// The net in machine words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    /// The bound of each number. If there is a budget, its bound is the last.
    pub(crate) bounds: Vec<u64>,
    pub(crate) budget: Option<Var>,
    /// The rules. Transitions that can never fire within the bounds are left out.
    pub(crate) rules: Vec<Rule>,
}

/// Computes the bound of every place and the rules, with a budget if one is needed.
pub(crate) fn rules(net: &Net, within: &Within) -> Result<Rules, CannotEncode> {
    let mut bounds = Vec::with_capacity(net.places().len() + 1);
    for (p, place) in net.places().iter().enumerate() {
        let own = within.bounds.get(p).copied().flatten();
        let total = within.total.as_ref().filter(|total| total.counted.get(p) == Some(&true)).map(|total| total.most);
        let bound = [own, within.each, total].into_iter().flatten().min();
        let bound = bound.ok_or_else(|| CannotEncode::Unbounded(place.name.clone()))?;
        if bound >= LARGEST {
            return Err(CannotEncode::TooLarge);
        }
        if place.initial.at_least > BigUint::from(bound) {
            return Err(CannotEncode::StartsOutside(place.name.clone()));
        }
        bounds.push(bound);
    }
    let counted = |p: PlaceId| within.total.as_ref().is_some_and(|total| total.counted.get(p.index()) == Some(&true));
    let grows = net.transitions().iter().map(|t| growth(t, &counted));
    let growths: Vec<Growth> = grows.collect::<Result<_, _>>()?;
    let budget = growths.iter().any(Growth::may_be_positive).then_some(bounds.len());
    if budget.is_some() {
        let most = within.total.as_ref().map_or(0, |total| total.most);
        if most >= LARGEST {
            return Err(CannotEncode::TooLarge);
        }
        bounds.push(most);
    }
    let mut rules = Vec::new();
    for (t, (transition, growth)) in net.transitions().iter().zip(&growths).enumerate() {
        let growth = budget.map(|budget| (budget, growth));
        rules.extend(rule(TransitionId::new(t), transition, growth, &bounds)?);
    }
    Ok(Rules { bounds, budget, rules })
}

/// The change of the sum of the counted places: a multiple of each old count, plus a constant.
#[derive(Default, Debug)]
struct Growth {
    multiples: BTreeMap<PlaceId, i64>,
    add: BigInt,
}

impl Growth {
    fn may_be_positive(&self) -> bool {
        self.add.is_positive() || self.multiples.values().any(|&m| m > 0)
    }
}

fn growth(transition: &Transition, counted: &impl Fn(PlaceId) -> bool) -> Result<Growth, CannotEncode> {
    let mut growth = Growth::default();
    for effect in transition.effects.iter().filter(|e| counted(e.place)) {
        growth.add += &effect.add;
        *growth.multiples.entry(effect.place).or_default() -= 1;
        for &source in &effect.sources {
            let multiple = growth.multiples.entry(source).or_default();
            *multiple = multiple.checked_add(1).ok_or(CannotEncode::TooLarge)?;
        }
    }
    growth.multiples.retain(|_, m| *m != 0);
    Ok(growth)
}

/// Returns the rule of a transition, or `None` if its guards or changes cannot be within the bounds.
fn rule(
    id: TransitionId,
    transition: &Transition,
    growth: Option<(Var, &Growth)>,
    bounds: &[u64],
) -> Result<Option<Rule>, CannotEncode> {
    let mut rule = Rule { transition: id, guards: BTreeMap::new(), changes: BTreeMap::new() };
    for guard in &transition.guards {
        let least = guard.range.at_least.to_u64().unwrap_or(u64::MAX);
        let most = guard.range.at_most.as_ref().map_or(u64::MAX, |most| most.to_u64().unwrap_or(u64::MAX));
        if !narrow(&mut rule, guard.place.index(), least, most, bounds) {
            return Ok(None);
        }
    }
    for effect in &transition.effects {
        let sources: Vec<Var> = effect.sources.iter().map(|p| p.index()).collect();
        if !change(&mut rule, effect.place.index(), sources, Vec::new(), &effect.add, bounds)? {
            return Ok(None);
        }
    }
    if let Some((budget, growth)) = growth {
        let (mut plus, mut minus) = (vec![budget], Vec::new());
        for (place, &multiple) in &growth.multiples {
            let side = if multiple > 0 { &mut minus } else { &mut plus };
            let times = usize::try_from(multiple.unsigned_abs()).map_err(|_| CannotEncode::TooLarge)?;
            side.extend(std::iter::repeat_n(place.index(), times));
        }
        if !change(&mut rule, budget, plus, minus, &-&growth.add, bounds)? {
            return Ok(None);
        }
    }
    Ok(Some(rule))
}

/// Narrows the guard of a number to this range. Returns true if the range still contains a number within the
/// bound.
fn narrow(rule: &mut Rule, var: Var, least: u64, most: u64, bounds: &[u64]) -> bool {
    let range = rule.guards.entry(var).or_insert((0, bounds[var]));
    *range = (range.0.max(least), range.1.min(most));
    range.0 <= range.1
}

/// Adds a change. Returns true if the result can be within the bound.
fn change(
    rule: &mut Rule,
    var: Var,
    plus: Vec<Var>,
    minus: Vec<Var>,
    add: &BigInt,
    bounds: &[u64],
) -> Result<bool, CannotEncode> {
    let bound = bounds[var];
    if plus == [var] && minus.is_empty() {
        if add.is_zero() {
            return Ok(true);
        }
        if add.magnitude() > &BigUint::from(bound) {
            return Ok(false);
        }
        let by = add.to_i64().ok_or(CannotEncode::TooLarge)?;
        rule.changes.insert(var, Change::By(by));
        let (least, most) = if by < 0 { (by.unsigned_abs(), bound) } else { (0, bound - by.unsigned_abs()) };
        return Ok(narrow(rule, var, least, most, bounds));
    }
    let add = match add.to_i64().filter(|add| add.unsigned_abs() < LARGEST) {
        Some(add) => add,
        // The constant exceeds every bound and nothing is subtracted, so the sum is not within the bound.
        None if add.is_positive() && minus.is_empty() => return Ok(false),
        None => return Err(CannotEncode::TooLarge),
    };
    rule.changes.insert(var, Change::To(Sum { plus, minus, add }));
    Ok(true)
}

/// The bounds of the markings that the circuit represents.
#[derive(Clone, Debug, Default)]
pub struct Within {
    /// The greatest number of tokens on every place.
    pub each: Option<u64>,
    /// For each place, by number: the greatest number of its tokens, if it is known.
    pub bounds: Vec<Option<u64>>,
    /// The greatest number of tokens on all counted places together.
    pub total: Option<Bound>,
}
