//! Nets with plain arcs of weight 1.

use crate::Check;
use crate::work::Work;
use model::cnf::Cnf;
use model::{Net, PlaceId, Transition};
use num_bigint::{BigUint, Sign};
use num_traits::One;

/// A net with plain arcs of weight 1.
#[derive(Clone, Debug)]
pub struct Ordinary {
    /// For each transition: the places that it consumes from, and those that it produces on, ascending.
    pub arcs: Vec<[Vec<PlaceId>; 2]>,
    /// For each place: its consumers, ascending.
    pub consumers: Vec<Vec<usize>>,
    /// For each place: true if it has an initial token, whatever the initial marking.
    pub is_marked: Vec<bool>,
    /// For each place: true if it is no place of the net; it has no arcs.
    pub is_left_out: Vec<bool>,
}

impl Ordinary {
    /// Returns `None` if an arc is not plain, or has another weight. Linear, except for sorting.
    #[must_use]
    pub fn of(net: &Net) -> Option<Self> {
        let arcs = net.transitions().iter().map(arcs).collect::<Option<Vec<_>>>()?;
        let is_marked = net.places().iter().map(|place| place.initial.at_least > BigUint::ZERO).collect();
        Some(Self::new(arcs, is_marked, vec![false; net.places().len()]))
    }

    pub(crate) fn new(arcs: Vec<[Vec<PlaceId>; 2]>, is_marked: Vec<bool>, is_left_out: Vec<bool>) -> Self {
        let mut consumers = vec![Vec::new(); is_marked.len()];
        for (number, [from, _]) in arcs.iter().enumerate() {
            from.iter().for_each(|place| consumers[place.index()].push(number));
        }
        Self { arcs, consumers, is_marked, is_left_out }
    }

    /// Returns true if of two places with a common consumer, the consumers of one are consumers of the other.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn is_asymmetric_choice(&self, work: &mut Work<'_>) -> Check<bool> {
        for [from, _] in &self.arcs {
            for (i, p) in from.iter().enumerate() {
                for q in &from[..i] {
                    let (p, q) = (&self.consumers[p.index()], &self.consumers[q.index()]);
                    work.spend(1 + p.len() as u64 + q.len() as u64)?;
                    let (few, many) = if p.len() <= q.len() { (p, q) } else { (q, p) };
                    if !few.iter().all(|t| many.binary_search(t).is_ok()) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Returns the places with an initial token, ascending.
    #[must_use]
    pub fn initial(&self) -> Vec<PlaceId> {
        (0..self.is_marked.len()).filter(|place| self.is_marked[*place]).map(PlaceId::new).collect()
    }

    pub(super) fn is_marked_trap(&self, places: &[PlaceId]) -> bool {
        let mut inside = vec![false; self.is_marked.len()];
        places.iter().for_each(|place| inside[place.index()] = true);
        let touches = |places: &[PlaceId]| places.iter().any(|place| inside[place.index()]);
        places.iter().any(|place| self.is_marked[place.index()])
            && self.arcs.iter().all(|[from, to]| !touches(from) || touches(to))
    }

    /// The formula "a siphon is not empty and contains none of the traps". Variable p+1 says that place p is in the
    /// siphon. The last clause says that it is not empty.
    #[must_use]
    pub fn formula(&self, traps: &[Vec<PlaceId>]) -> Cnf {
        let literal = |place: &PlaceId| i32::try_from(place.index() + 1).expect("places have 31-bit numbers");
        let mut clauses = Vec::new();
        for [from, to] in &self.arcs {
            for place in to.iter().filter(|place| from.binary_search(place).is_err()) {
                clauses.push([-literal(place)].into_iter().chain(from.iter().map(literal)).collect());
            }
        }
        clauses.extend(traps.iter().map(|trap| trap.iter().map(|place| -literal(place)).collect::<Vec<i32>>()));
        let places = self.is_marked.len() as u32;
        let all = (0..places).map(PlaceId).filter(|place| !self.is_left_out[place.index()]);
        clauses.push(all.map(|place| literal(&place)).collect());
        Cnf { vars: places, clauses }
    }
}

/// Returns the places that a transition consumes from and produces on.
pub(super) fn arcs(transition: &Transition) -> Option<[Vec<PlaceId>; 2]> {
    let is_plain = |guard: &model::Guard| guard.range.at_least.is_one() && guard.range.at_most.is_none();
    if !transition.guards.iter().all(is_plain) {
        return None;
    }
    let mut from: Vec<PlaceId> = transition.guards.iter().map(|guard| guard.place).collect();
    from.sort_unstable();
    if from.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let mut to = from.clone();
    for effect in &transition.effects {
        let delta = effect.delta()?;
        match (delta.sign(), from.binary_search(&effect.place)) {
            (Sign::Minus, Ok(_)) | (Sign::Plus, Err(_)) if delta.magnitude().is_one() => {}
            _ => return None,
        }
    }
    let changed = |sign: Sign| {
        transition.effects.iter().filter(move |effect| effect.add.sign() == sign).map(|effect| effect.place)
    };
    let taken: Vec<PlaceId> = changed(Sign::Minus).collect();
    to.retain(|place| !taken.contains(place));
    to.extend(changed(Sign::Plus));
    to.sort_unstable();
    (to.windows(2).all(|pair| pair[0] != pair[1])).then_some([from, to])
}
