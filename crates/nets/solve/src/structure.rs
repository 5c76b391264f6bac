//! Structural facts of a net: its class, invariants, siphons and traps. They depend on the arcs only, and the initial
//! marking where it is said.
//!
//! Definitions: Murata, "Petri nets: properties, analysis and applications", Proceedings of the IEEE 77(4), 1989.
//! Minimal semiflows are computed by Farkas' algorithm (Colom and Silva, "Convex geometry and semiflows in P/T nets",
//! 1991), which takes exponential time in the worst case, so there is a limit.

use model::{Net, PlaceId, TransitionId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

/// A net with the tokens that its transitions take and put. Read arcs take and put.
#[derive(Debug)]
pub struct Flow {
    places: usize,
    /// For each transition: the places that it takes tokens from, and puts tokens on, with their numbers.
    takes: Vec<Weights>,
    puts: Vec<Weights>,
    marked: Vec<bool>,
}

/// The class of a net. Each class is part of the next one, except that state machines and marked graphs are two
/// classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Each transition has one input and one output place.
    StateMachine,
    /// Each place has one producer and one consumer.
    MarkedGraph,
    /// A place with several consumers is the only input place of each of them.
    FreeChoice,
    /// Places with a common consumer have the same consumers.
    ExtendedFreeChoice,
    /// Of places with a common consumer, the consumers of one are among those of the other.
    AsymmetricChoice,
    /// An ordinary net (all weights are 1) of none of these classes.
    Ordinary,
    /// A net with weights.
    Weighted,
}

impl Class {
    /// Returns the name of the class.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::StateMachine => "state machine",
            Class::MarkedGraph => "marked graph",
            Class::FreeChoice => "free choice net",
            Class::ExtendedFreeChoice => "extended free choice net",
            Class::AsymmetricChoice => "asymmetric choice net",
            Class::Ordinary => "ordinary net",
            Class::Weighted => "weighted net",
        }
    }
}

/// A combination of places or transitions with positive factors.
pub type Semiflow = Vec<(usize, BigInt)>;

/// Places or transitions with numbers, each once.
type Weights = Vec<(usize, BigInt)>;

impl Flow {
    /// Returns the flow of a net; `None` if it has transitions with other than plain, read and weighted arcs.
    #[must_use]
    pub fn of(net: &Net) -> Option<Self> {
        let (mut takes, mut puts) = (Vec::new(), Vec::new());
        for transition in net.transitions() {
            if !transition.is_plain() {
                return None;
            }
            let mut touched: Vec<PlaceId> = transition.guards.iter().map(|guard| guard.place).collect();
            touched.extend(transition.effects.iter().map(|effect| effect.place));
            touched.sort_unstable();
            touched.dedup();
            let needed = |p| transition.guard(p).map_or(BigInt::zero(), |range| range.at_least.clone().into());
            let change = |p| transition.effect(p).and_then(|e| e.delta().cloned()).unwrap_or_default();
            let part = |of: &dyn Fn(PlaceId) -> BigInt| {
                let entries = touched.iter().map(|p| (p.index(), of(*p)));
                entries.filter(|(_, n)| n.is_positive()).collect::<Vec<_>>()
            };
            takes.push(part(&needed));
            puts.push(part(&|p| needed(p) + change(p)));
        }
        let marked = net.places().iter().map(|place| !place.initial.contains(&num_bigint::BigUint::ZERO)).collect();
        Some(Self { places: net.places().len(), takes, puts, marked })
    }

    /// Returns for each place the transitions of a side.
    fn of_places(&self, side: &[Weights]) -> Vec<Vec<usize>> {
        let mut of = vec![Vec::new(); self.places];
        for (t, list) in side.iter().enumerate() {
            list.iter().for_each(|(p, _)| of[*p].push(t));
        }
        of
    }

    /// Returns the smallest class that the net belongs to.
    #[must_use]
    pub fn class(&self) -> Class {
        let one = BigInt::from(1);
        if self.takes.iter().chain(&self.puts).flatten().any(|(_, weight)| *weight != one) {
            return Class::Weighted;
        }
        let (consumers, producers) = (self.of_places(&self.takes), self.of_places(&self.puts));
        if self.takes.iter().zip(&self.puts).all(|(takes, puts)| takes.len() == 1 && puts.len() == 1) {
            return Class::StateMachine;
        }
        if consumers.iter().zip(&producers).all(|(consumers, producers)| consumers.len() == 1 && producers.len() == 1) {
            return Class::MarkedGraph;
        }
        let pairs = || self.takes.iter().flat_map(|takes| takes.windows(2).map(|pair| [pair[0].0, pair[1].0]));
        let is_free = consumers.iter().all(|of| of.len() < 2 || of.iter().all(|t| self.takes[*t].len() == 1));
        if is_free {
            return Class::FreeChoice;
        }
        // Sharing is an equivalence in such nets, so that neighbours suffice.
        if pairs().all(|[p, q]| consumers[p] == consumers[q]) {
            return Class::ExtendedFreeChoice;
        }
        let is_part = |p: usize, q: usize| consumers[p].iter().all(|t| consumers[q].contains(t));
        let is_ordered = |takes: &Weights| {
            let mut list: Vec<usize> = takes.iter().map(|(p, _)| *p).collect();
            list.sort_by_key(|p| consumers[*p].len());
            list.windows(2).all(|pair| is_part(pair[0], pair[1]))
        };
        if self.takes.iter().all(is_ordered) { Class::AsymmetricChoice } else { Class::Ordinary }
    }

    /// Returns the minimal P-semiflows: sums of tokens that no transition changes. `None` if there are more than
    /// `most`, also in intermediate results.
    #[must_use]
    pub fn place_semiflows(&self, most: usize) -> Option<Vec<Semiflow>> {
        let mut rows: Vec<Weights> = vec![Vec::new(); self.places];
        for (t, (takes, puts)) in self.takes.iter().zip(&self.puts).enumerate() {
            takes.iter().for_each(|(p, n)| rows[*p].push((t, -n)));
            puts.iter().for_each(|(p, n)| rows[*p].push((t, n.clone())));
        }
        farkas(rows, self.takes.len(), most)
    }

    /// Returns the minimal T-semiflows: numbers of firings that together change no marking. `None` as for
    /// [`Flow::place_semiflows`].
    #[must_use]
    pub fn transition_semiflows(&self, most: usize) -> Option<Vec<Semiflow>> {
        let row = |(takes, puts): (&Weights, &Weights)| {
            let takes = takes.iter().map(|(p, n)| (*p, -n));
            takes.chain(puts.iter().cloned()).collect()
        };
        farkas(self.takes.iter().zip(&self.puts).map(row).collect(), self.places, most)
    }

    /// Returns the largest siphon without an initially marked place: none of its places is ever marked.
    #[must_use]
    pub fn unmarked_siphon(&self) -> Vec<PlaceId> {
        self.largest(|p| !self.marked[p], &self.puts, &self.takes)
    }

    /// Returns the largest trap: if it is marked, it stays marked.
    #[must_use]
    pub fn largest_trap(&self) -> Vec<PlaceId> {
        self.largest(|_| true, &self.takes, &self.puts)
    }

    /// Returns the largest set of these places such that a transition of which a place of the set is on side `of` has
    /// one on side `needs`, too.
    fn largest(&self, is_in: impl Fn(usize) -> bool, of: &[Weights], needs: &[Weights]) -> Vec<PlaceId> {
        let mut set: Vec<bool> = (0..self.places).map(is_in).collect();
        let by_needed = self.of_places(needs);
        let mut count: Vec<usize> = needs.iter().map(|list| list.iter().filter(|(p, _)| set[*p]).count()).collect();
        let mut open: Vec<usize> = (0..count.len()).filter(|t| count[*t] == 0).collect();
        while let Some(t) = open.pop() {
            for &(p, _) in &of[t] {
                if std::mem::replace(&mut set[p], false) {
                    for &other in &by_needed[p] {
                        count[other] -= 1;
                        if count[other] == 0 {
                            open.push(other);
                        }
                    }
                }
            }
        }
        (0..self.places).filter(|p| set[*p]).map(PlaceId::new).collect()
    }

    /// Returns the transitions without input places: they are always enabled.
    #[must_use]
    pub fn sources(&self) -> Vec<TransitionId> {
        (0..self.takes.len()).filter(|t| self.takes[*t].is_empty()).map(TransitionId::new).collect()
    }
}

/// A row of Farkas' algorithm: what is left of the matrix, and the combination of rows that it is.
#[derive(Clone, Debug)]
struct Row {
    left: Vec<BigInt>,
    factors: Vec<BigInt>,
}

impl Row {
    /// Returns `a * self + b * other`, divided by the greatest common divisor.
    fn combined(&self, a: &BigInt, other: &Row, b: &BigInt) -> Self {
        let join = |x: &[BigInt], y: &[BigInt]| x.iter().zip(y).map(|(x, y)| a * x + b * y).collect::<Vec<BigInt>>();
        let mut row = Self { left: join(&self.left, &other.left), factors: join(&self.factors, &other.factors) };
        let divisor = row.left.iter().chain(&row.factors).fold(BigInt::zero(), |d, n| d.gcd(n));
        if divisor > BigInt::from(1) {
            row.left.iter_mut().chain(&mut row.factors).for_each(|n| *n /= &divisor);
        }
        row
    }

    /// True if the combination uses a part of the rows that `other` uses.
    fn is_within(&self, other: &Row) -> bool {
        self.factors.iter().zip(&other.factors).all(|(own, other)| own.is_zero() || !other.is_zero())
    }
}

/// Returns the minimal combinations of rows with factors >= 0 that are 0 in all columns.
fn farkas(rows: Vec<Weights>, columns: usize, most: usize) -> Option<Vec<Semiflow>> {
    let size = rows.len();
    if size.checked_mul(size + columns).is_none_or(|cells| cells > most.saturating_mul(1_000)) {
        return None;
    }
    let mut list: Vec<Row> = Vec::with_capacity(size);
    for (number, entries) in rows.into_iter().enumerate() {
        let mut row = Row { left: vec![BigInt::zero(); columns], factors: vec![BigInt::zero(); size] };
        row.factors[number] = BigInt::from(1);
        entries.into_iter().for_each(|(column, n)| row.left[column] += n);
        list.push(row);
    }
    let mut open: Vec<usize> = (0..columns).collect();
    while !open.is_empty() {
        // The column that needs the fewest new rows.
        let price = |column: usize| {
            let count = |of: fn(&BigInt) -> bool| list.iter().filter(|row| of(&row.left[column])).count();
            count(Signed::is_positive).saturating_mul(count(Signed::is_negative))
        };
        let best = (0..open.len()).min_by_key(|at| price(open[*at])).expect("some are open");
        let column = open.swap_remove(best);
        let (zero, other): (Vec<Row>, Vec<Row>) = list.into_iter().partition(|row| row.left[column].is_zero());
        let (plus, minus): (Vec<Row>, Vec<Row>) = other.into_iter().partition(|row| row.left[column].is_positive());
        if zero.len() + plus.len() * minus.len() > most {
            return None;
        }
        let mut next = zero;
        for a in &plus {
            for b in &minus {
                next.push(a.combined(&-&b.left[column], b, &a.left[column]));
            }
        }
        // Only combinations with minimal support are kept.
        next.sort_by_key(|row| row.factors.iter().filter(|n| !n.is_zero()).count());
        list = Vec::with_capacity(next.len());
        for row in next {
            if !list.iter().any(|known: &Row| known.is_within(&row)) {
                list.push(row);
            }
        }
    }
    let semiflow = |row: Row| row.factors.into_iter().enumerate().filter(|(_, n)| !n.is_zero()).collect();
    Some(list.into_iter().map(semiflow).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Range;
    use testkit::net::{arcs, place};

    /// A ring of three places with two tokens, and a place that counts rounds.
    fn ring() -> Net {
        let tokens = [2u8, 0, 0, 0];
        let places = tokens.iter().enumerate().map(|(i, n)| place(format!("p{i}"), Range::exactly(*n))).collect();
        let steps = vec![
            arcs("a", &[(0, 1)], &[(1, 1)]),
            arcs("b", &[(1, 1)], &[(2, 1)]),
            arcs("c", &[(2, 1)], &[(0, 1), (3, 1)]),
        ];
        Net::new(places, steps).expect("a net")
    }

    #[test]
    fn a_ring_keeps_its_tokens() {
        let flow = Flow::of(&ring()).expect("plain arcs");
        let sum: Vec<usize> = flow.place_semiflows(100).expect("few")[0].iter().map(|(p, _)| *p).collect();
        assert_eq!(sum, [0, 1, 2]);
        assert_eq!(flow.place_semiflows(100).expect("few").len(), 1);
        assert_eq!(flow.transition_semiflows(100), Some(vec![]), "each round adds a token");
        assert_eq!(flow.class(), Class::FreeChoice);
        assert_eq!(flow.unmarked_siphon(), []);
        assert_eq!(flow.largest_trap(), [0, 1, 2, 3].map(PlaceId));
    }

    #[test]
    fn classes_are_told_apart() {
        let class = |steps: Vec<model::Transition>| {
            let places = (0..3).map(|i| place(format!("p{i}"), Range::exactly(1u8))).collect();
            Flow::of(&Net::new(places, steps).expect("a net")).expect("plain arcs").class()
        };
        let one = |p: u32| (p, 1u64);
        assert_eq!(class(vec![arcs("a", &[one(0)], &[one(1)])]), Class::StateMachine);
        let join = arcs("a", &[one(0), one(1)], &[one(2)]);
        let split = arcs("b", &[one(2)], &[one(0), one(1)]);
        assert_eq!(class(vec![join.clone(), split]), Class::MarkedGraph);
        let same = arcs("b", &[one(0), one(1)], &[one(0)]);
        assert_eq!(class(vec![join.clone(), same]), Class::ExtendedFreeChoice);
        assert_eq!(class(vec![join.clone(), arcs("b", &[one(0)], &[])]), Class::AsymmetricChoice);
        let other = arcs("b", &[one(1), one(2)], &[]);
        assert_eq!(class(vec![join, other, arcs("c", &[one(0), one(2)], &[])]), Class::Ordinary);
        assert_eq!(class(vec![arcs("a", &[(0, 2)], &[one(1)])]), Class::Weighted);
    }
}
