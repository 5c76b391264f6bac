//! Mutations of certificates.

use impasse::model::{CaseLemma, ConcurrencyRelation, Exclusion, InvariantCertificate, NetInvariant, Why};
use num_bigint::{BigInt, BigUint};
use testkit::Random;

/// Returns some mutants of a certificate, each with a description of the change.
pub(crate) fn mutants(
    certificate: &InvariantCertificate,
    seed: u64,
    count: usize,
) -> Vec<(&'static str, InvariantCertificate)> {
    let random = &mut Random::new(seed ^ 0x5bd1_e995);
    (0..count).filter_map(|_| mutant(certificate, random)).filter(|(_, mutant)| mutant != certificate).collect()
}

fn mutant(certificate: &InvariantCertificate, random: &mut Random) -> Option<(&'static str, InvariantCertificate)> {
    let mut new = certificate.clone();
    let invariants = new.invariants.len();
    let what = match random.below(8) {
        0 if invariants > 0 => {
            new.invariants.remove(random.below(invariants));
            "an invariant dropped"
        }
        1 if invariants > 1 => {
            let (a, b) = (random.below(invariants), random.below(invariants));
            new.invariants.swap(a, b);
            "invariants swapped"
        }
        2 if !new.exclusions.is_empty() => {
            let at = random.below(new.exclusions.len());
            change_exclusion(&mut new.exclusions[at].1, random)?
        }
        _ if invariants > 0 => {
            let at = random.below(invariants);
            change_fact(&mut new.invariants[at], random)?
        }
        _ => return None,
    };
    Some((what, new))
}

fn change_fact(invariant: &mut NetInvariant, random: &mut Random) -> Option<&'static str> {
    match invariant {
        NetInvariant::PotentiallyMarked(places) => {
            let at = pick(places.len(), random)?;
            places[at] = !places[at];
            Some("a markable place")
        }
        NetInvariant::ConcurrencyRelation(pairs) => {
            *pairs = one_pair_less(pairs, random)?;
            Some("a pair dropped")
        }
        NetInvariant::AtMost(bound) => {
            if random.chance(40) {
                bound.at_most += random.below(3) as i32 - 1;
                return Some("a bound");
            }
            let at = pick(bound.terms.len(), random)?;
            if random.chance(30) {
                bound.terms.remove(at);
                return Some("a term dropped");
            }
            bound.terms[at].1 += if random.chance(50) { 1 } else { -1 };
            bound.terms.retain(|(_, c)| *c != BigInt::ZERO);
            Some("a weight")
        }
        NetInvariant::SomeMarked(places) => {
            let at = pick(places.len(), random)?;
            places.remove(at);
            Some("a place of a trap")
        }
        NetInvariant::Clauses(clausal) => {
            let at = pick(clausal.clauses.len(), random)?;
            if random.chance(50) {
                clausal.clauses.remove(at);
                return Some("a clause dropped");
            }
            let lit = pick(clausal.clauses[at].len(), random)?;
            if random.chance(50) {
                clausal.clauses[at].remove(lit);
                return Some("a literal dropped");
            }
            clausal.clauses[at][lit] *= -1;
            Some("a literal")
        }
        NetInvariant::NeverCovered(vectors) => {
            let at = pick(vectors.len(), random)?;
            if random.chance(50) {
                vectors.remove(at);
                return Some("a vector dropped");
            }
            let entry = pick(vectors[at].len(), random)?;
            match random.below(3) {
                0 => {
                    vectors[at].remove(entry);
                }
                1 => vectors[at][entry].1 += 1u8,
                _ if vectors[at][entry].1 > BigUint::from(1u8) => vectors[at][entry].1 -= 1u8,
                _ => return None,
            }
            Some("a vector")
        }
    }
}

fn one_pair_less(pairs: &ConcurrencyRelation, random: &mut Random) -> Option<ConcurrencyRelation> {
    let places = pairs.places().len();
    let allowed: Vec<(usize, usize)> =
        (0..places).flat_map(|a| (0..=a).map(move |b| (a, b))).filter(|&(a, b)| pairs.allows(a, b)).collect();
    let dropped = allowed[pick(allowed.len(), random)?];
    let mut new = ConcurrencyRelation::none(pairs.places().to_vec());
    for (a, b) in allowed.into_iter().filter(|pair| *pair != dropped) {
        new.allow(a, b);
    }
    Some(new)
}

fn change_exclusion(exclusion: &mut Exclusion, random: &mut Random) -> Option<&'static str> {
    let Exclusion::Cases(cases) = exclusion else {
        *exclusion = Exclusion::Cases(impasse::model::Cases::default());
        return Some("minimal markings for empty cases");
    };
    match random.below(5) {
        0 => {
            let at = pick(cases.steps.len(), random)?;
            cases.steps.remove(at);
            Some("a step dropped")
        }
        1 => {
            let at = pick(cases.steps.len(), random)?;
            let literal = pick(cases.steps[at].len(), random)?;
            cases.steps[at][literal] = -cases.steps[at][literal];
            Some("a literal")
        }
        2 => {
            let at = pick(cases.splits.len(), random)?;
            cases.splits[at].at_least += 1;
            Some("a split")
        }
        3 => {
            *exclusion = Exclusion::Minimal;
            Some("cases for minimal markings")
        }
        _ => {
            let at = pick(cases.lemmas.len(), random)?;
            change_lemma(&mut cases.lemmas[at], random)
        }
    }
}

fn change_lemma(lemma: &mut CaseLemma, random: &mut Random) -> Option<&'static str> {
    match &mut lemma.why {
        Why::Sum { multipliers, invariants } if random.chance(60) => {
            let number = if random.chance(50) && !invariants.is_empty() {
                let at = random.below(invariants.len());
                &mut invariants[at].1
            } else {
                let at = pick(multipliers.len(), random)?;
                &mut multipliers[at]
            };
            if random.chance(50) {
                *number += 1u8;
            } else if *number > BigUint::ZERO {
                *number -= 1u8;
            }
            Some("a multiplier")
        }
        why => {
            let at = pick(lemma.atoms.len(), random)?;
            lemma.atoms.remove(at);
            if let Why::Sum { multipliers, .. } = why
                && at < multipliers.len()
            {
                multipliers.remove(at);
            }
            Some("an atom dropped")
        }
    }
}

fn pick(count: usize, random: &mut Random) -> Option<usize> {
    (count > 0).then(|| random.below(count))
}
