//! Linear equations that hold at a control (M. Karr: Affine relationships among variables of a program, 1976).
//!
//! The values of the variables at a control are over-approximated by an affine space: a point and directions. A rule
//! maps it by its updates; arguments and inputs that no equation of the rule determines are free. Inequalities are
//! ignored. The equations of the final spaces hold in all reachable states. They are given to Spacer, which finds
//! inequalities well and equations among many variables badly.

use crate::symbolic::eliminate::determined;
use linear::Rational;
use linear::rational::common_denominator;
use model::VariableId;
use model::data::{Constraint, Linear, Symbol};
use num_bigint::BigInt;
use side::horn::{Horn, Rule};
use std::collections::BTreeMap;

/// The largest number of variables.
const MOST_VARIABLES: usize = 64;

type Vector = Vec<Rational>;

/// An affine space: all sums of the point and multiples of the directions. The directions are in echelon form.
#[derive(Clone)]
struct Space {
    point: Vector,
    directions: Vec<Vector>,
}

/// Returns for each relation the equations that hold there, as pairs of constraints.
pub(crate) fn equations(horn: &Horn) -> Vec<Vec<Constraint>> {
    let count = horn.variables;
    let mut spaces: Vec<Option<Space>> = vec![None; horn.relations];
    if count > MOST_VARIABLES {
        return vec![Vec::new(); horn.relations];
    }
    let rules: Vec<Rule> = horn.rules.iter().map(solved).collect();
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for rule in &rules {
            let Some(to) = rule.to else { continue };
            let before = match rule.from {
                None => Space { point: vec![Rational::ZERO; count], directions: Vec::new() },
                Some(from) => match &spaces[from] {
                    Some(space) => space.clone(),
                    None => continue,
                },
            };
            is_stable &= !join(&mut spaces[to], image(&before, rule));
        }
    }
    spaces.iter().map(|space| space.as_ref().map_or_else(Vec::new, |space| space.equations())).collect()
}

/// Replaces local symbols that an equation of the rule determines.
fn solved(rule: &Rule) -> Rule {
    let mut rule = rule.clone();
    while let Some((symbol, value)) = rule.constraints.iter().find_map(|c| determined(c, &rule.constraints)) {
        let of = |other: Symbol| (other == symbol).then(|| value.clone());
        rule.constraints = rule.constraints.iter().map(|c| c.substitute(&of)).collect();
        rule.updates = rule.updates.iter().map(|(v, term)| (*v, term.substitute(&of))).collect();
    }
    rule
}

/// Returns the space after a rule.
fn image(before: &Space, rule: &Rule) -> Space {
    let base = |vector: &Vector, is_point: bool| -> Vector {
        let mut new = vector.clone();
        for (variable, value) in &rule.updates {
            let mut sum = if is_point { Rational::from(value.constant()) } else { Rational::ZERO };
            for (symbol, factor) in value.terms() {
                if let Symbol::Variable(id) = symbol {
                    sum = sum.plus(&vector[id.index()].times(&Rational::from(factor)));
                }
            }
            new[variable.index()] = sum;
        }
        new
    };
    let mut space = Space { point: base(&before.point, true), directions: Vec::new() };
    let mut free: BTreeMap<Symbol, Vector> = BTreeMap::new();
    for (variable, value) in &rule.updates {
        for (symbol, factor) in value.terms().iter().filter(|(symbol, _)| !matches!(symbol, Symbol::Variable(_))) {
            let direction = free.entry(*symbol).or_insert_with(|| vec![Rational::ZERO; before.point.len()]);
            let entry = &mut direction[variable.index()];
            *entry = entry.plus(&Rational::from(factor));
        }
    }
    for direction in before.directions.iter().map(|direction| base(direction, false)).chain(free.into_values()) {
        space.add(direction);
    }
    space
}

/// Extends the space by another one. Returns true if it has grown.
fn join(space: &mut Option<Space>, other: Space) -> bool {
    let Some(space) = space else {
        *space = Some(other);
        return true;
    };
    let between: Vector = other.point.iter().zip(&space.point).map(|(a, b)| a.minus(b)).collect();
    let mut has_grown = space.add(between);
    for direction in other.directions {
        has_grown |= space.add(direction);
    }
    has_grown
}

impl Space {
    /// Adds a direction. Returns false if the space has it already.
    fn add(&mut self, mut direction: Vector) -> bool {
        for known in &self.directions {
            let lead = lead(known).expect("directions are not zero");
            let factor = direction[lead].over(&known[lead]);
            if !factor.is_zero() {
                subtract(&mut direction, &factor, known);
            }
        }
        if lead(&direction).is_none() {
            return false;
        }
        self.directions.push(direction);
        self.directions.sort_by_cached_key(|direction| lead(direction));
        true
    }

    /// Returns the equations of the space: a basis of the vectors orthogonal to all directions.
    fn equations(&self) -> Vec<Constraint> {
        let count = self.point.len();
        // Reduced echelon form: each leading position is zero in all other directions.
        let mut rows = self.directions.clone();
        for at in 0..rows.len() {
            let lead = lead(&rows[at]).expect("directions are not zero");
            let scale = rows[at][lead].clone();
            rows[at].iter_mut().for_each(|x| *x = x.over(&scale));
            let row = rows[at].clone();
            for other in (0..rows.len()).filter(|other| *other != at) {
                let factor = rows[other][lead].clone();
                subtract(&mut rows[other], &factor, &row);
            }
        }
        let leads: Vec<usize> = rows.iter().filter_map(|row| lead(row)).collect();
        let mut equations = Vec::new();
        for free in (0..count).filter(|column| !leads.contains(column)) {
            // The normal vector: 1 at the free position, and minus the entries of the rows at their leads.
            let mut normal = vec![Rational::ZERO; count];
            normal[free] = Rational::ONE;
            for (row, lead) in rows.iter().zip(&leads) {
                normal[*lead] = row[free].negated();
            }
            equations.extend(self.equation(&normal));
        }
        equations
    }

    /// Returns the equation with this normal vector through the point.
    fn equation(&self, normal: &Vector) -> [Constraint; 2] {
        let products = normal.iter().zip(&self.point).map(|(a, b)| a.times(b));
        let value = products.fold(Rational::ZERO, |sum, product| sum.plus(&product));
        let scale = Rational::from(&common_denominator(normal.iter().chain([&value])));
        let whole = |x: &Rational| x.times(&scale).numerator();
        let terms = normal.iter().enumerate().map(|(at, x)| (Symbol::Variable(VariableId::new(at)), whole(x)));
        let term = Linear::new(terms.collect::<Vec<_>>(), -whole(&value));
        [Constraint::at_most_zero(&term), Constraint::at_most_zero(&term.scaled(&BigInt::from(-1)))]
    }
}

/// Subtracts a multiple of a vector.
fn subtract(from: &mut Vector, factor: &Rational, vector: &Vector) {
    from.iter_mut().zip(vector).for_each(|(a, b)| *a = a.minus(&factor.times(b)));
}

/// Returns the first position that is not zero.
fn lead(vector: &[Rational]) -> Option<usize> {
    vector.iter().position(|x| !x.is_zero())
}
