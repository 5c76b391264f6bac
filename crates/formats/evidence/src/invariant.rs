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

use super::shape::{Input, Later, Listed, Output, Shape, Style, get, put, shape};
use formats::json::Res;
use model::{
    AtMost, CaseLemma, Cases, ConcurrencyRelation, Exclusion, InvariantCertificate, Linear, NetInvariant, PlaceId, Why,
};
use std::cell::RefCell;
use std::io;

shape! { NetInvariant [LINES] =
    "markable" (marked) => {NetInvariant::PotentiallyMarked(marked)},
    "pairs" (relation) => {NetInvariant::ConcurrencyRelation(relation)},
    "at_most" {terms, bound} => {NetInvariant::AtMost(AtMost { terms, at_most: bound })},
    "some_marked" (places) => {NetInvariant::SomeMarked(places)} refuse (!is_ascending(places), UNORDERED),
    "never_covered" (vectors) => {NetInvariant::NeverCovered(vectors)},
    "clauses" (clausal) => {NetInvariant::Clauses(clausal)},
}

shape! { Exclusion =
    "minimal" () => {Exclusion::Minimal},
    "cases" (cases) => {Exclusion::Cases(cases)},
    "refuted" (derivation) => {Exclusion::Refuted(derivation)},
}

shape! { Cases = {splits, lemmas, steps} => {Cases { splits, lemmas, steps }} }
shape! { Linear = {terms, at_least} => {Linear { terms, at_least }} }
shape! { CaseLemma = {atoms, why} => {CaseLemma { atoms, why }} }

shape! { Why =
    "sum" {multipliers, facts} => {Why::Sum { multipliers, invariants: facts }},
    "excluded" () => {Why::Excluded},
}

const UNORDERED: &str = "a list of places that is not ascending";

fn is_ascending(places: &[PlaceId]) -> bool {
    places.is_sorted_by(|a, b| a < b)
}

impl Shape for ConcurrencyRelation {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        let row = |a: usize| (0..=a).filter(|&b| self.allows(a, b)).map(|b| b as u32).collect();
        let (places, rows) = (self.places().to_vec(), (0..self.places().len()).map(row).collect::<Vec<Vec<u32>>>());
        put!(to, {places, rows})
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let start = from.here();
        let (places, rows): (Vec<PlaceId>, Vec<Vec<u32>>) = get!(from, {places rows});
        if !is_ascending(&places) {
            return Err(from.wrong(start, UNORDERED));
        }
        if rows.len() != places.len() {
            return Err(from.wrong(start, format!("{} rows of pairs for {} places", rows.len(), places.len())));
        }
        from.take((places.len() / 32 + 2).saturating_mul(places.len()))?;
        let mut relation = Self::none(places);
        for (a, row) in rows.iter().enumerate() {
            for b in row.iter().map(|b| *b as usize) {
                if b > a {
                    return Err(from.wrong(start, format!("row number {a} of pairs goes on beyond its own place")));
                }
                relation.allow(a, b);
            }
        }
        Ok(relation)
    }
}

pub(super) fn write(to: &mut Output<'_>, certificate: &InvariantCertificate) -> io::Result<()> {
    let InvariantCertificate { invariants, exclusions } = certificate;
    // The first pass finds the places.
    let used = to.scope.styled(Style::Used(RefCell::default()));
    let mut nowhere = Output { out: &mut io::sink(), scope: &used };
    invariants.write_to(&mut nowhere)?;
    exclusions.iter().try_for_each(|(_, why)| why.write_to(&mut nowhere))?;
    let Style::Used(places) = used.style else { unreachable!("the style of this scope") };
    let listed = Listed::of(places.into_inner(), to.scope.names.places.count);
    to.text("{\"places\":")?;
    listed.places.write_to(to)?;
    let scope = to.scope.styled(Style::Listed(listed));
    let to = &mut Output { out: &mut *to.out, scope: &scope };
    to.text(",\n\"facts\":")?;
    invariants.write_to(to)?;
    to.text(",\n\"excluded\":")?;
    to.list(exclusions.iter().filter(|(goal, _)| scope.asked.id(*goal).is_ok()))?;
    to.text("}")
}

pub(super) fn read(from: &mut Input<'_, '_>) -> Res<InvariantCertificate> {
    let (list, facts, excluded): (Later, Later, Later) = get!(from, {places facts excluded});
    let mut places: Vec<PlaceId> = Vec::new();
    from.at(list, |from| {
        from.list(|from| {
            let (start, place) = (from.here(), from.read()?);
            if places.last().is_some_and(|last| *last >= place) {
                return Err(from.wrong(start, "a place out of order, or listed twice"));
            }
            places.push(place);
            Ok(())
        })
    })?;
    let scope = from.scope.styled(Style::Listed(Listed::read(places)));
    let from = &mut from.again(&scope);
    Ok(InvariantCertificate { invariants: from.read_at(facts)?, exclusions: from.read_at(excluded)? })
}
