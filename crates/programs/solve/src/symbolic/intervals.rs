//! Bounds of single variables at a control (P. Cousot and R. Cousot: Static determination of dynamic properties of
//! programs, 1976).
//!
//! Each control has an interval for each variable. A rule narrows the intervals by its constraints, as far as single
//! variables go, and maps them by its updates. A bound that keeps growing jumps to the next number that the program
//! names, and then to infinity (widening with thresholds), so a counter to a million takes a few rounds and not a
//! million. The bounds hold in all reachable states. Alone they often exclude a violation; otherwise Spacer gets them,
//! which would find them by counting.

use model::VariableId;
use model::data::{Constraint, Linear, Symbol};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use side::horn::{Horn, Rule};
use std::collections::{BTreeMap, BTreeSet};

/// How often a bound of a control may grow before it jumps to the next number of the program.
const PATIENCE: u32 = 2;

/// Most numbers to jump to.
const MOST_THRESHOLDS: usize = 256;

/// Most applications of rules. If they do not suffice, nothing is known.
const MOST_STEPS: usize = 1 << 17;

/// Passes over the constraints of a rule.
const NARROWING: usize = 3;

/// The least and the greatest value; `None` if there is no bound.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Interval {
    least: Option<BigInt>,
    most: Option<BigInt>,
}

impl Interval {
    fn exactly(value: BigInt) -> Self {
        Self { least: Some(value.clone()), most: Some(value) }
    }

    fn is_empty(&self) -> bool {
        matches!((&self.least, &self.most), (Some(least), Some(most)) if least > most)
    }
}

/// Returns for each relation the bounds that hold there, as constraints. `None` if no rule derives anything for the
/// relation.
pub(crate) fn bounds(horn: &Horn) -> Vec<Option<Vec<Constraint>>> {
    let known = analyse(horn).unwrap_or_else(|| vec![Some(vec![Interval::default(); horn.variables]); horn.relations]);
    known.into_iter().map(|intervals| intervals.map(|intervals| constraints(&intervals))).collect()
}

/// True if the constraints of a rule contradict each other as far as bounds of single symbols go.
pub(crate) fn is_excluded(rule: &Rule) -> bool {
    let mut values = Values { variables: &[], narrowed: BTreeMap::new() };
    !values.narrow(&rule.constraints)
}

fn constraints(intervals: &[Interval]) -> Vec<Constraint> {
    let mut all = Vec::new();
    for (number, interval) in intervals.iter().enumerate() {
        let value = Linear::of(Symbol::Variable(VariableId::new(number)));
        let bound = |bound: &BigInt| Linear::number(bound.clone());
        all.extend(interval.least.iter().map(|least| Constraint::at_most(&bound(least), &value)));
        all.extend(interval.most.iter().map(|most| Constraint::at_most(&value, &bound(most))));
    }
    all
}

/// Computes the intervals. `None` if it takes too long.
fn analyse(horn: &Horn) -> Option<Vec<Option<Vec<Interval>>>> {
    let thresholds = thresholds(horn);
    let mut known: Vec<Option<Vec<Interval>>> = vec![None; horn.relations];
    let mut growths = vec![0u32; horn.relations];
    for _ in 0..MOST_STEPS / horn.rules.len().max(1) {
        let mut is_stable = true;
        for rule in &horn.rules {
            let (Some(to), Some(after)) = (rule.to, after(horn, rule, &known)) else { continue };
            let Some(before) = &mut known[to] else {
                (known[to], is_stable) = (Some(after), false);
                continue;
            };
            let is_patient = growths[to] < PATIENCE;
            let mut has_grown = false;
            for (old, new) in before.iter_mut().zip(&after) {
                has_grown |= grow(old, new, (!is_patient).then_some(&thresholds));
            }
            growths[to] += u32::from(has_grown);
            is_stable &= !has_grown;
        }
        if is_stable {
            return Some(known);
        }
    }
    None
}

/// Returns the numbers that bounds jump to: those of the constraints and updates, and their neighbours.
fn thresholds(horn: &Horn) -> BTreeSet<BigInt> {
    let mut all = BTreeSet::new();
    for rule in &horn.rules {
        let terms = rule.constraints.iter().map(Constraint::term).chain(rule.updates.iter().map(|(_, value)| value));
        for constant in terms.map(Linear::constant) {
            for value in [constant.clone(), -constant] {
                all.extend([&value - 1, value.clone(), value + 1]);
            }
        }
    }
    if all.len() > MOST_THRESHOLDS { BTreeSet::new() } else { all }
}

/// Extends an interval by another one; with thresholds, a bound that grows jumps. Returns true if it has grown.
fn grow(old: &mut Interval, new: &Interval, jump: Option<&BTreeSet<BigInt>>) -> bool {
    let less = match (&old.least, &new.least) {
        (Some(old), Some(new)) if new < old => Some(match jump {
            Some(thresholds) => thresholds.range(..=new).next_back().cloned(),
            None => Some(new.clone()),
        }),
        (Some(_), None) => Some(None),
        _ => None,
    };
    let more = match (&old.most, &new.most) {
        (Some(old), Some(new)) if new > old => Some(match jump {
            Some(thresholds) => thresholds.range(new..).next().cloned(),
            None => Some(new.clone()),
        }),
        (Some(_), None) => Some(None),
        _ => None,
    };
    let has_grown = less.is_some() || more.is_some();
    if let Some(less) = less {
        old.least = less;
    }
    if let Some(more) = more {
        old.most = more;
    }
    has_grown
}

/// Returns the intervals after a rule, from what is known. `None` if it cannot apply.
fn after(horn: &Horn, rule: &Rule, known: &[Option<Vec<Interval>>]) -> Option<Vec<Interval>> {
    let zero = vec![Interval::exactly(BigInt::ZERO); horn.variables];
    let before = match rule.from {
        None => &zero,
        Some(from) => known[from].as_ref()?,
    };
    let mut values = Values { variables: before, narrowed: BTreeMap::new() };
    if !values.narrow(&rule.constraints) {
        return None;
    }
    let of = |number: usize| values.of(Symbol::Variable(VariableId::new(number)));
    let mut after: Vec<Interval> = (0..horn.variables).map(of).collect();
    for (variable, value) in &rule.updates {
        let most = values.least(&value.scaled(&BigInt::from(-1)), None).map(|least| -least);
        after[variable.index()] = Interval { least: values.least(value, None), most };
    }
    Some(after)
}

/// What is known of the symbols of a rule.
struct Values<'v> {
    variables: &'v [Interval],
    narrowed: BTreeMap<Symbol, Interval>,
}

impl Values<'_> {
    fn of(&self, symbol: Symbol) -> Interval {
        let before = || match symbol {
            Symbol::Variable(id) => self.variables.get(id.index()).cloned().unwrap_or_default(),
            _ => Interval::default(),
        };
        self.narrowed.get(&symbol).cloned().unwrap_or_else(before)
    }

    /// Returns the least value of a sum, without the part of one symbol. `None` if there is none.
    fn least(&self, sum: &Linear, without: Option<Symbol>) -> Option<BigInt> {
        let mut least = sum.constant().clone();
        for (symbol, factor) in sum.terms().iter().filter(|(symbol, _)| Some(*symbol) != without) {
            let interval = self.of(*symbol);
            least += if factor.is_positive() { interval.least } else { interval.most }? * factor;
        }
        Some(least)
    }

    /// Narrows the intervals by constraints. Returns false if they contradict each other.
    fn narrow(&mut self, constraints: &[Constraint]) -> bool {
        for _ in 0..NARROWING {
            for sum in constraints.iter().map(Constraint::term) {
                if self.least(sum, None).is_some_and(|least| least.is_positive()) {
                    return false;
                }
                for (symbol, factor) in sum.terms() {
                    // factor * symbol <= -(the least value of the rest)
                    let Some(rest) = self.least(sum, Some(*symbol)) else { continue };
                    let mut interval = self.of(*symbol);
                    let limit = floor(&-rest, &factor.abs());
                    if factor.is_positive() {
                        interval.most = Some(interval.most.map_or(limit.clone(), |most| most.min(limit)));
                    } else {
                        let limit = -limit;
                        interval.least = Some(interval.least.map_or(limit.clone(), |least| least.max(limit)));
                    }
                    if interval.is_empty() {
                        return false;
                    }
                    self.narrowed.insert(*symbol, interval);
                }
            }
        }
        true
    }
}

/// Divides and rounds down; the divisor is positive.
fn floor(value: &BigInt, by: &BigInt) -> BigInt {
    let (quotient, rest) = (value / by, value % by);
    if rest.is_negative() && !rest.is_zero() { quotient - BigInt::one() } else { quotient }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(number: usize) -> Linear {
        Linear::of(Symbol::Variable(VariableId::new(number)))
    }

    fn number(value: i64) -> Linear {
        Linear::number(value)
    }

    fn rule(from: Option<usize>, constraints: Vec<Constraint>, to: Option<usize>, n: Option<Linear>) -> Rule {
        Rule { from, constraints, to, updates: n.into_iter().map(|value| (VariableId::new(0), value)).collect() }
    }

    /// A counter goes up to a limit and then back to 0.
    fn counter(limit: i64, violation: Constraint) -> Horn {
        let (n, one) = (variable(0), BigInt::one());
        let rules = vec![
            rule(None, Vec::new(), Some(0), None),
            rule(Some(0), vec![Constraint::at_most(&n, &number(limit - 1))], Some(0), Some(n.plus(&one, &number(1)))),
            rule(Some(0), vec![Constraint::at_most(&number(limit), &n)], Some(0), Some(number(0))),
            rule(Some(0), vec![violation], None, None),
        ];
        Horn { variables: 1, relations: 1, rules }
    }

    #[test]
    fn a_counter_to_a_million_has_its_bounds() {
        let beyond = Constraint::at_most(&number(1_000_001), &variable(0));
        let horn = counter(1_000_000, beyond.clone());
        let bounds = bounds(&horn).remove(0).expect("it is reached");
        assert_eq!(
            bounds,
            [Constraint::at_most(&number(0), &variable(0)), Constraint::at_most(&variable(0), &number(1_000_000)),]
        );
        let with = |violation: Constraint| rule(Some(0), [vec![violation], bounds.clone()].concat(), None, None);
        assert!(is_excluded(&with(beyond)));
        assert!(!is_excluded(&with(Constraint::at_most(&number(1_000_000), &variable(0)))));
    }

    #[test]
    fn a_counter_without_a_limit_has_only_its_start() {
        let (n, one) = (variable(0), BigInt::one());
        let rules = vec![
            rule(None, Vec::new(), Some(0), None),
            rule(Some(0), Vec::new(), Some(0), Some(n.plus(&one, &number(1)))),
        ];
        let bounds = bounds(&Horn { variables: 1, relations: 2, rules });
        assert_eq!(bounds, [Some(vec![Constraint::at_most(&number(0), &variable(0))]), None]);
    }
}
