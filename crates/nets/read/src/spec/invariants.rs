//! The `invariants` section: weights of sums that are claimed never to change. The section is a hint for other
//! tools; here it is only checked.

use super::lex::Tok;
use super::parse::{Parser, Res};
use formats::codes;
use formats::error::{Span, printable};
use model::{PlaceId, Transition};
use num_bigint::BigInt;
use num_traits::Zero;

/// The largest number of work units for checking. One unit is the work for about one effect. Ten million units
/// take about a second.
const WORK: usize = 2_000_000;

/// The rules that change each place, and the state of the check.
struct Check {
    /// For each place: the rules with an effect on it, in ascending order.
    changing: Vec<Vec<u32>>,
    /// For each place: its weight in the current line.
    weights: Vec<BigInt>,
    /// For each place: its coefficient in the change of the sum under the current rule.
    coefficients: Vec<BigInt>,
    work: usize,
}

impl Parser<'_> {
    pub(super) fn invariants(&mut self) -> Res<()> {
        let section = self.expect(Tok::Invariants, "`invariants`")?;
        if self.tok != Tok::Name {
            return Err(self.unexpected("a variable"));
        }
        let mut check = Check::new(&self.transitions, self.places.len());
        let mut wrong: Option<(Span, String, usize)> = None;
        while self.tok == Tok::Name {
            let first = self.span;
            let weighted = self.weights(&mut check)?;
            if let Some(rule) = check.changed(&self.transitions, &weighted) {
                wrong = Some(match wrong {
                    Some((span, name, n)) => (span, name, n + 1),
                    None => (first, self.transitions[rule].name.clone(), 1),
                });
            }
            weighted.iter().for_each(|p| check.weights[p.index()] = BigInt::zero());
        }
        if let Some((span, rule, count)) = wrong {
            let more = if count > 1 { format!(" ({} more lines are false too)", count - 1) } else { String::new() };
            let message = format!("this sum is not constant: rule {} can change it{more}", printable(&rule));
            let warning = self.error(&codes::SPEC_INVARIANT, span, message).label("a false line").warning();
            self.warnings.push(*warning.hint("a line `a = 1, b = 2` says that a + 2 b never changes"));
        }
        if check.work == 0 {
            let message = "too many lines for so many rules: the rest was not checked";
            let warning = self.error(&codes::SPEC_UNCHECKED, section, message).label("in this section");
            self.warnings.push(*warning.warning());
        }
        Ok(())
    }

    /// Parses one line, stores its weights, and returns the places with a weight.
    fn weights(&mut self, check: &mut Check) -> Res<Vec<PlaceId>> {
        let mut weighted = Vec::new();
        self.begin_list();
        loop {
            let (place, _) = self.new_variable()?;
            self.expect(Tok::Equal, "`=`")?;
            check.weights[place.index()] = BigInt::from(self.number()?);
            weighted.push(place);
            if !self.eat(Tok::Comma)? {
                return Ok(weighted);
            }
        }
    }
}

impl Check {
    fn new(transitions: &[Transition], places: usize) -> Self {
        let mut changing = vec![Vec::new(); places];
        for (t, transition) in (0u32..).zip(transitions) {
            transition.effects.iter().for_each(|e| changing[e.place.index()].push(t));
        }
        Self { changing, weights: vec![BigInt::zero(); places], coefficients: vec![BigInt::zero(); places], work: WORK }
    }

    /// Returns the first rule under which the weighted sum may change. Returns `None` when the work is used up.
    fn changed(&mut self, transitions: &[Transition], weighted: &[PlaceId]) -> Option<usize> {
        let touched = weighted.iter().map(|p| self.changing[p.index()].len()).fold(0, usize::saturating_add);
        self.spend(touched + weighted.len())?;
        let widest = weighted.iter().map(|p| 1 + words(self.weights[p.index()].bits())).max().unwrap_or(1);
        let mut rules: Vec<u32> = weighted.iter().flat_map(|p| &self.changing[p.index()]).copied().collect();
        rules.sort_unstable();
        rules.dedup();
        for t in rules {
            let transition = &transitions[t as usize];
            self.spend(cost(transition).saturating_mul(widest))?;
            if self.changes(transition) {
                return Some(t as usize);
            }
        }
        None
    }

    fn spend(&mut self, work: usize) -> Option<()> {
        self.work = self.work.saturating_sub(work);
        (self.work > 0).then_some(())
    }

    /// Returns true if a transition can change the weighted sum. The change of the sum is a linear function of
    /// the old marking, and the guards allow a box of markings. Such a function is 0 on the whole box if and
    /// only if the coefficient of every place that the guards do not fix is 0, and the constant, with the
    /// contribution of the fixed places, is 0.
    fn changes(&mut self, transition: &Transition) -> bool {
        let mut touched: Vec<PlaceId> = Vec::new();
        let mut constant = BigInt::zero();
        for effect in &transition.effects {
            let weight = &self.weights[effect.place.index()];
            if weight.is_zero() || effect.is_identity() {
                continue;
            }
            constant += weight * &effect.add;
            for source in &effect.sources {
                self.coefficients[source.index()] += weight;
                touched.push(*source);
            }
            self.coefficients[effect.place.index()] -= weight;
            touched.push(effect.place);
        }
        let mut changes = false;
        for place in touched {
            let coefficient = std::mem::take(&mut self.coefficients[place.index()]);
            if coefficient.is_zero() {
                continue;
            }
            match transition.guard(place).filter(|range| range.is_single()) {
                Some(range) => constant += coefficient * BigInt::from(range.at_least.clone()),
                None => changes = true,
            }
        }
        changes || !constant.is_zero()
    }
}

/// Returns the length in words of a number with this many bits, which is the cost of arithmetic on it.
fn words(bits: u64) -> usize {
    usize::try_from(bits / 64).unwrap_or(usize::MAX)
}

/// Returns the number of words that [`Check::changes`] multiplies by a weight or a sum of weights.
fn cost(transition: &Transition) -> usize {
    let effects = transition.effects.iter().map(|e| 1 + e.sources.len() + words(e.add.bits()));
    let guards = transition.guards.iter().map(|g| 1 + words(g.range.at_least.bits()));
    effects.chain(guards).fold(0, usize::saturating_add)
}
