//! Contradictions and models of random constraints.

use crate::symbolic::contradiction::{Answer, solve};
use linear::Rational;
use model::data::{Constraint, Linear, Symbol};
use num_bigint::BigInt;
use num_traits::Signed;
use testkit::Random;

fn random(rng: &mut Random) -> Constraint {
    let terms = (0..3).map(|a| (Symbol::Argument(a), BigInt::from(rng.below(7)) - 3));
    Constraint::at_most_zero(&Linear::new(terms.collect::<Vec<_>>(), BigInt::from(rng.below(11)) - 5))
}

#[test]
fn contradictions_add_up_and_models_satisfy_all() {
    let mut rng = Random::new(26);
    let (mut contradictions, mut models) = (0, 0);
    for _ in 0..5000 {
        let count = 1 + rng.below(9);
        let facts: Vec<Constraint> = (0..count).map(|_| random(&mut rng)).collect();
        match solve(&facts) {
            Answer::Contradiction(multipliers) => {
                contradictions += 1;
                let mut sum = Linear::default();
                for (fact, factor) in &multipliers {
                    assert!(factor.is_positive());
                    sum = sum.plus(factor, facts[*fact as usize].term());
                }
                assert!(sum.as_number().is_some_and(Signed::is_positive), "{sum}");
            }
            Answer::Model(values) => {
                models += 1;
                for fact in &facts {
                    let term = fact.term();
                    let value = |symbol| values.get(&symbol).cloned().unwrap_or(Rational::ZERO);
                    let sum = term.terms().iter().map(|(s, f)| value(*s).times(&Rational::from(f)));
                    let sum = sum.fold(Rational::from(term.constant()), |a, b| a.plus(&b));
                    assert!(!sum.is_positive(), "{fact:?} with {values:?}");
                }
            }
        }
    }
    assert!(contradictions > 500 && models > 500, "{contradictions} {models}");
}
