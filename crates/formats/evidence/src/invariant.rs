//! Invariants of nets in evidence files, and the reasons why they exclude the goals.
//!
//! ```json
//! "invariant": {"places": ["idle", "busy", "lock"],
//!  "facts": [{"markable": [0,1,2]}, {"pairs": {"places": [0,1,2], "rows": [[0],[0],[0,2]]}},
//!            {"at_most": {"terms": [[1,1],[2,1]], "bound": 1}}, {"some_marked": [1,2]},
//!            {"never_covered": [[[1,2]], [[1,1],[2,1]]]}],
//!  "excluded": [{"goal": "target:1", "why": "minimal"},
//!               {"goal": "deadlock", "why": {"cases": {"splits": [{"terms": [[0,1]], "at_least": 1}],
//!                "lemmas": [{"atoms": [1,4], "why": {"sum": {"multipliers": [1,2], "facts": [[2,1]]}}}],
//!                "steps": [[-3,5]]}}}]}
//! ```
//!
//! The first list `places` contains all places that are used. Everything else refers to places by their
//! position in this list. The rows of `pairs` belong, in order, to the places in the list `places` of the
//! relation, and use positions in this list. Row i lists the positions up to i of all places that may be marked
//! together with the place at position i. It lists i itself if that place may have two tokens. Numbers beyond
//! 64 bits are strings. If the invariant is about runs within a bound, a key `within` stands beside the key
//! `invariant`: `"within": {"most": 5, "counted": ["idle", "busy"]}`.

use super::Asked;
use super::clausal::{ClausalShape, DerivationShape};
use super::names::Names;
use super::refutation::{Numbers, refused, write_list};
use super::shape::shaped;
use formats::codes;
use formats::json::{Document, Res, Value, string};
use model::{
    AtMost, Bit, CaseLemma, Cases, ConcurrencyRelation, Exclusion, Goal, InvariantCertificate, Linear, NetInvariant,
    PlaceId, Problem, Vector, Why,
};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::{self, Write};

/// The largest number of digits of a number.
const DIGITS: usize = 1000;

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum NumberShape {
    Small(i64),
    Large(String),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "NumberShape", into = "NumberShape")]
pub(super) struct Number(BigInt);

impl From<Number> for NumberShape {
    fn from(number: Number) -> Self {
        number.0.to_i64().map_or_else(|| Self::Large(number.0.to_string()), Self::Small)
    }
}

impl TryFrom<NumberShape> for Number {
    type Error = String;

    fn try_from(shape: NumberShape) -> Result<Self, String> {
        match shape {
            NumberShape::Small(n) => Ok(Self(n.into())),
            NumberShape::Large(digits) if digits.len() <= DIGITS => {
                digits.parse().map(Self).map_err(|_| "not a number".to_owned())
            }
            NumberShape::Large(_) => Err(format!("a number of more than {DIGITS} digits")),
        }
    }
}

impl Number {
    pub(super) fn count(n: &BigUint) -> Self {
        Self(BigInt::from(n.clone()))
    }

    pub(super) fn of(n: &BigInt) -> Self {
        Self(n.clone())
    }

    pub(super) fn into_integer(self) -> BigInt {
        self.0
    }

    pub(super) fn into_count(self) -> Result<BigUint, String> {
        self.0.to_biguint().ok_or_else(|| "a count below 0".to_owned())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairsShape {
    places: Vec<u32>,
    rows: Vec<Vec<u32>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AtMostShape {
    terms: Vec<(u32, Number)>,
    bound: Number,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum InvariantShape {
    #[serde(rename = "markable")]
    PotentiallyMarked(Vec<u32>),
    #[serde(rename = "pairs")]
    ConcurrencyRelation(PairsShape),
    AtMost(AtMostShape),
    SomeMarked(Vec<u32>),
    NeverCovered(Vec<Vec<(u32, Number)>>),
    /// Clauses over bits. A bit is a place with its least number of tokens; the position after the last place
    /// stands for [`Bit::Room`].
    Clauses(ClausalShape<(u32, Number)>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinearShape {
    terms: Vec<(u32, Number)>,
    at_least: Number,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum WhyShape {
    Sum {
        multipliers: Vec<Number>,
        #[serde(rename = "facts")]
        invariants: Vec<(u32, Number)>,
    },
    Excluded,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LemmaShape {
    atoms: Vec<u32>,
    why: WhyShape,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CasesShape {
    splits: Vec<LinearShape>,
    lemmas: Vec<LemmaShape>,
    steps: Vec<Vec<i32>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ExclusionShape {
    Minimal,
    Cases(CasesShape),
    Refuted(Option<DerivationShape>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(borrow)]
    places: &'a RawValue,
    #[serde(borrow, rename = "facts")]
    invariants: &'a RawValue,
    #[serde(borrow)]
    excluded: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExcludedShape<'a> {
    #[serde(borrow)]
    goal: &'a RawValue,
    #[serde(borrow)]
    why: &'a RawValue,
}

pub(super) fn write(
    names: &Names<'_>,
    problem: &Problem,
    certificate: &InvariantCertificate,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (table, asked) = (Table::of(certificate, names.places()), Asked::of(problem));
    write!(out, "\"invariant\":{{\"places\":[")?;
    for (i, place) in table.places.iter().enumerate() {
        write!(out, "{}{}", if i == 0 { "" } else { "," }, names.place_text(*place)?)?;
    }
    write!(out, "],\n\"facts\":[")?;
    write_list(certificate.invariants.iter().map(|invariant| table.invariant(invariant)), out)?;
    write!(out, "],\n\"excluded\":[")?;
    let is_asked = |(goal, _): &&(Goal, Exclusion)| asked.id(*goal).is_ok();
    for (i, (goal, why)) in certificate.exclusions.iter().filter(is_asked).enumerate() {
        let goal = string(asked.id(*goal)?);
        write!(out, "{}{{\"goal\":{goal},\"why\":", if i == 0 { "\n" } else { ",\n" })?;
        serde_json::to_writer(&mut *out, &table.exclusion(why))?;
        write!(out, "}}")?;
    }
    write!(out, "]}}")
}

/// The places that the invariants and exclusions use.
struct Table {
    /// The places in ascending order.
    places: Vec<PlaceId>,
    /// For each place: its position in `places`.
    position: Vec<u32>,
}

impl Table {
    /// Makes the table. Places that the system does not have are listed, too. They have no name, so writing them
    /// is an error.
    fn of(certificate: &InvariantCertificate, places: usize) -> Self {
        let mut used: Vec<PlaceId> = Vec::new();
        for invariant in &certificate.invariants {
            match invariant {
                NetInvariant::PotentiallyMarked(marked) => {
                    let marked = marked.iter().enumerate().filter(|(_, can_be)| **can_be);
                    used.extend(marked.map(|(place, _)| PlaceId::new(place)));
                }
                NetInvariant::ConcurrencyRelation(pairs) => used.extend(pairs.places()),
                NetInvariant::AtMost(bound) => used.extend(bound.terms.iter().map(|(p, _)| *p)),
                NetInvariant::SomeMarked(places) => used.extend(places),
                NetInvariant::NeverCovered(vectors) => used.extend(vectors.iter().flatten().map(|(p, _)| *p)),
                NetInvariant::Clauses(clausal) => used.extend(clausal.bits.iter().filter_map(|bit| match bit {
                    Bit::AtLeast(p, _) => Some(*p),
                    Bit::Latch(_) | Bit::Node(_) | Bit::In(..) | Bit::Room(_) => None,
                })),
            }
        }
        for (_, why) in &certificate.exclusions {
            if let Exclusion::Cases(cases) = why {
                used.extend(cases.splits.iter().flat_map(|split| &split.terms).map(|(p, _)| *p));
            }
        }
        used.sort_unstable();
        used.dedup();
        let mut position = vec![0; places];
        for (number, place) in (0..).zip(&used) {
            if let Some(position) = position.get_mut(place.index()) {
                *position = number;
            }
        }
        Self { places: used, position }
    }

    fn at(&self, place: PlaceId) -> u32 {
        self.position.get(place.index()).copied().unwrap_or_default()
    }

    fn list(&self, places: &[PlaceId]) -> Vec<u32> {
        places.iter().map(|p| self.at(*p)).collect()
    }

    fn terms(&self, terms: &[(PlaceId, BigInt)]) -> Vec<(u32, Number)> {
        terms.iter().map(|(p, c)| (self.at(*p), Number(c.clone()))).collect()
    }

    fn invariant(&self, invariant: &NetInvariant) -> InvariantShape {
        match invariant {
            NetInvariant::PotentiallyMarked(marked) => {
                let marked = marked.iter().enumerate().filter(|(_, can_be)| **can_be);
                InvariantShape::PotentiallyMarked(marked.map(|(place, _)| self.at(PlaceId::new(place))).collect())
            }
            NetInvariant::ConcurrencyRelation(pairs) => {
                let row = |a: usize| (0..=a).filter(|&b| pairs.allows(a, b)).map(|b| b as u32).collect();
                let rows = (0..pairs.places().len()).map(row).collect();
                InvariantShape::ConcurrencyRelation(PairsShape { places: self.list(pairs.places()), rows })
            }
            NetInvariant::AtMost(bound) => InvariantShape::AtMost(AtMostShape {
                terms: self.terms(&bound.terms),
                bound: Number(bound.at_most.clone()),
            }),
            NetInvariant::SomeMarked(places) => InvariantShape::SomeMarked(self.list(places)),
            NetInvariant::NeverCovered(vectors) => {
                let vector = |vector: &Vector| vector.iter().map(|(p, n)| (self.at(*p), Number::count(n))).collect();
                InvariantShape::NeverCovered(vectors.iter().map(vector).collect())
            }
            NetInvariant::Clauses(clausal) => {
                let bit = |bit: &Bit| match bit {
                    Bit::AtLeast(place, n) => (self.at(*place), Number::count(n)),
                    // The position after the last place stands for this bit.
                    Bit::Room(n) => (self.places.len() as u32, Number::count(n)),
                    Bit::Latch(_) | Bit::Node(_) | Bit::In(..) => (u32::MAX, Number::count(&BigUint::default())),
                };
                InvariantShape::Clauses(ClausalShape::of(clausal, clausal.bits.iter().map(bit).collect()))
            }
        }
    }

    fn exclusion(&self, why: &Exclusion) -> ExclusionShape {
        let cases = match why {
            Exclusion::Minimal => return ExclusionShape::Minimal,
            Exclusion::Refuted(derivation) => {
                return ExclusionShape::Refuted(derivation.as_ref().map(DerivationShape::of));
            }
            Exclusion::Cases(cases) => cases,
        };
        let split =
            |split: &Linear| LinearShape { terms: self.terms(&split.terms), at_least: Number(split.at_least.clone()) };
        let lemma = |lemma: &CaseLemma| LemmaShape {
            atoms: lemma.atoms.clone(),
            why: match &lemma.why {
                Why::Excluded => WhyShape::Excluded,
                Why::Sum { multipliers, invariants } => WhyShape::Sum {
                    multipliers: multipliers.iter().map(Number::count).collect(),
                    invariants: invariants.iter().map(|(invariant, n)| (*invariant, Number::count(n))).collect(),
                },
            },
        };
        ExclusionShape::Cases(CasesShape {
            splits: cases.splits.iter().map(split).collect(),
            lemmas: cases.lemmas.iter().map(lemma).collect(),
            steps: cases.steps.clone(),
        })
    }
}

pub(super) fn read<'a>(
    document: Document<'a>,
    value: Value<'a>,
    names: &Names<'_>,
    problem: &Problem,
) -> Res<InvariantCertificate> {
    let shape: Fields<'a> = shaped(document, value)?;
    let mut listed = Listed { places: Vec::new(), all: names.places() };
    for item in document.array(shape.places, "a list of places")? {
        let place = names.place(document, item)?;
        if listed.places.last().is_some_and(|last| *last >= place) {
            let error = document.error(&codes::EVIDENCE_SHAPE, item, "a place out of order, or listed twice");
            return Err(error.label("expected the order of the system"));
        }
        listed.places.push(place);
    }
    let mut numbers = Numbers { document, left: document.limits.evidence_numbers };
    let asked = Asked::of(problem);
    let mut certificate = InvariantCertificate::default();
    for item in document.array(shape.invariants, "a list of invariants")? {
        let invariant: InvariantShape = shaped(document, item)?;
        numbers.take(invariant.size(listed.all), item)?;
        certificate.invariants.push(listed.invariant(invariant).map_err(|why| refused(document, item, why))?);
    }
    for item in document.array(shape.excluded, "a list of excluded goals")? {
        let excluded: ExcludedShape<'a> = shaped(document, item)?;
        let name = document.string(excluded.goal, "the id of a property")?;
        let Some(goal) = asked.goal(&name) else {
            let message = format!("`{}` is not a goal", formats::printable(&name));
            return Err(document.error(&codes::EVIDENCE_KIND, excluded.goal, message).label("unknown goal"));
        };
        let why: ExclusionShape = shaped(document, excluded.why)?;
        numbers.take(why.size(), excluded.why)?;
        let why = listed.exclusion(why).map_err(|why| refused(document, excluded.why, why))?;
        certificate.exclusions.push((goal, why));
    }
    Ok(certificate)
}

impl InvariantShape {
    /// Returns approximately how many numbers it takes in memory, for a system with `all` places.
    fn size(&self, all: usize) -> usize {
        match self {
            Self::PotentiallyMarked(_) => all / 8,
            Self::ConcurrencyRelation(pairs) => {
                let listed = pairs.places.len();
                let bits = (listed / 32 + 2).saturating_mul(listed);
                pairs.rows.iter().fold(bits, |size, row| size.saturating_add(row.len()))
            }
            Self::AtMost(bound) => bound.terms.len(),
            Self::SomeMarked(places) => places.len(),
            Self::NeverCovered(vectors) => vectors.iter().map(|vector| 1 + vector.len()).sum(),
            Self::Clauses(clausal) => clausal.size(),
        }
    }
}

impl ExclusionShape {
    fn size(&self) -> usize {
        let cases = match self {
            Self::Minimal => return 1,
            Self::Refuted(derivation) => return 1 + derivation.as_ref().map_or(0, DerivationShape::size),
            Self::Cases(cases) => cases,
        };
        let splits: usize = cases.splits.iter().map(|split| 1 + split.terms.len()).sum();
        let lemmas: usize = cases.lemmas.iter().map(|lemma| 1 + lemma.atoms.len()).sum();
        let steps: usize = cases.steps.iter().map(|step| 1 + step.len()).sum();
        splits + lemmas + steps
    }
}

/// The places that the file lists.
struct Listed {
    places: Vec<PlaceId>,
    /// The number of places of the system.
    all: usize,
}

impl Listed {
    fn place(&self, position: u32) -> Result<PlaceId, String> {
        let place = self.places.get(position as usize).copied();
        place.ok_or_else(|| format!("{position} is not a position in the list of {} places", self.places.len()))
    }

    /// Converts positions to places. The positions must be ascending, without repetition.
    fn places(&self, positions: &[u32]) -> Result<Vec<PlaceId>, String> {
        if !positions.is_sorted_by(|a, b| a < b) {
            return Err("a list of places that is not ascending".to_owned());
        }
        positions.iter().map(|p| self.place(*p)).collect()
    }

    fn terms(&self, terms: Vec<(u32, Number)>) -> Result<Vec<(PlaceId, BigInt)>, String> {
        terms.into_iter().map(|(p, c)| Ok((self.place(p)?, c.0))).collect()
    }

    fn invariant(&self, shape: InvariantShape) -> Result<NetInvariant, String> {
        Ok(match shape {
            InvariantShape::PotentiallyMarked(positions) => {
                let mut marked = vec![false; self.all];
                self.places(&positions)?.iter().for_each(|place| marked[place.index()] = true);
                NetInvariant::PotentiallyMarked(marked)
            }
            InvariantShape::ConcurrencyRelation(shape) => NetInvariant::ConcurrencyRelation(self.pairs(&shape)?),
            InvariantShape::AtMost(shape) => {
                NetInvariant::AtMost(AtMost { terms: self.terms(shape.terms)?, at_most: shape.bound.0 })
            }
            InvariantShape::SomeMarked(positions) => NetInvariant::SomeMarked(self.places(&positions)?),
            InvariantShape::NeverCovered(vectors) => {
                let entry = |(p, n): (u32, Number)| Ok((self.place(p)?, n.into_count()?));
                let vector = |vector: Vec<(u32, Number)>| vector.into_iter().map(entry).collect();
                NetInvariant::NeverCovered(vectors.into_iter().map(vector).collect::<Result<_, String>>()?)
            }
            InvariantShape::Clauses(shape) => {
                let bit = |(p, n): (u32, Number)| match n.into_count()? {
                    n if p as usize == self.places.len() => Ok(Bit::Room(n)),
                    n => Ok(Bit::AtLeast(self.place(p)?, n)),
                };
                NetInvariant::Clauses(shape.into_clausal(bit)?)
            }
        })
    }

    fn pairs(&self, shape: &PairsShape) -> Result<ConcurrencyRelation, String> {
        let places = self.places(&shape.places)?;
        if shape.rows.len() != places.len() {
            return Err(format!("{} rows of pairs for {} places", shape.rows.len(), places.len()));
        }
        let mut pairs = ConcurrencyRelation::none(places);
        for (a, row) in shape.rows.iter().enumerate() {
            for &b in row {
                if b as usize > a {
                    return Err(format!("row number {a} of pairs goes on beyond its own place"));
                }
                pairs.allow(a, b as usize);
            }
        }
        Ok(pairs)
    }

    fn exclusion(&self, shape: ExclusionShape) -> Result<Exclusion, String> {
        let shape = match shape {
            ExclusionShape::Minimal => return Ok(Exclusion::Minimal),
            ExclusionShape::Refuted(derivation) => {
                return Ok(Exclusion::Refuted(derivation.map(DerivationShape::into_derivation)));
            }
            ExclusionShape::Cases(shape) => shape,
        };
        let split = |split: LinearShape| Ok(Linear { terms: self.terms(split.terms)?, at_least: split.at_least.0 });
        let lemma = |lemma: LemmaShape| -> Result<CaseLemma, String> {
            let why = match lemma.why {
                WhyShape::Excluded => Why::Excluded,
                WhyShape::Sum { multipliers, invariants } => Why::Sum {
                    multipliers: multipliers.into_iter().map(Number::into_count).collect::<Result<_, _>>()?,
                    invariants: invariants
                        .into_iter()
                        .map(|(invariant, n)| Ok((invariant, n.into_count()?)))
                        .collect::<Result<_, String>>()?,
                },
            };
            Ok(CaseLemma { atoms: lemma.atoms, why })
        };
        Ok(Exclusion::Cases(Cases {
            splits: shape.splits.into_iter().map(split).collect::<Result<_, String>>()?,
            lemmas: shape.lemmas.into_iter().map(lemma).collect::<Result<_, _>>()?,
            steps: shape.steps,
        }))
    }
}
