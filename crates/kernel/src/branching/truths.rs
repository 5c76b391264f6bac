//! The truth of each subformula in each listed marking, to explain why a formula has the truth that the check has
//! found. No verdict depends on this file: it calls what the check calls, and keeps what the check throws away.

use super::graph::{Graph, Order};
use super::listed::on_listed;
use super::{Bounds, Empty, empty, evaluate, initial, lasting, truths};
use crate::net::MarkingPositions;
use crate::work::Work;
use crate::{Check, Refusal};
use model::{Ctl, CtlId, FormulaId, Letter, Markings, PlaceId, Problem};

/// The listed markings, by numbers from 0, with the truth of the subformulas.
pub struct Truths {
    rows: Vec<u32>,
    width: usize,
    initial: Vec<u32>,
    graph: Graph,
    known: Vec<Bounds>,
}

impl Truths {
    /// Evaluates a formula. Its letters are formulas of the problem. `constant` has the truth of letters that is the
    /// same in all reachable markings, as far as it is known.
    ///
    /// # Errors
    /// If this is no evidence about the problem, or if a resource limit is exceeded.
    pub fn of(
        problem: &Problem,
        formula: &Ctl,
        constant: &dyn Fn(FormulaId) -> Option<bool>,
        (markings, siphons): (&Markings, &[Vec<PlaceId>]),
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let mut made = None;
        on_listed(problem, Some(markings), work, |listing, rules, (set, markings), work| {
            let order = Order::new(set, markings.states.as_ref(), work)?;
            let (count, width) = (order.places.len(), markings.slots.len());
            let initial = initial(listing, (set, &order), false, work)?;
            let graph = Graph::new(listing, (set, &order), work)?;
            let mut positions = MarkingPositions::new(problem, listing, &markings.potentially_marked);
            for letter in formula.letters().filter(|letter| constant(*letter).is_none()) {
                positions.prepare_letter(Letter::Marking(letter), work)?;
            }
            let mut empty = empty(rules, siphons, &positions, (set, &order), work)?;
            let mut lasting = lasting(problem, formula, &empty, work)?;
            // What is known everywhere is known like what follows from an empty siphon.
            empty.push(Empty { inside: Vec::new(), markings: (0..count as u32).collect() });
            lasting.push(formula.lasting(constant));
            let letters = truths(formula, constant, &positions, (set, &order), work)?;
            let known = evaluate((formula, true), letters, &graph, (&empty, &lasting), work)?;
            let known = known.into_iter().flatten().collect();
            work.grow(count.saturating_mul(width).saturating_mul(size_of::<u32>()))?;
            let (mut rows, mut state) = (Vec::with_capacity(count * width), Vec::new());
            for &place in &order.places {
                set.layout.unpack(set.table.key(place as usize), &mut state);
                rows.extend_from_slice(&state);
            }
            made = Some(Self { rows, width, initial, graph, known });
            Ok(())
        })?;
        made.ok_or(Refusal::ResourceLimit)
    }

    /// The number of listed markings.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.graph.size()[0] as u32
    }

    /// The slots of a marking.
    #[must_use]
    pub fn row(&self, marking: u32) -> &[u32] {
        &self.rows[marking as usize * self.width..][..self.width]
    }

    /// The initial markings that are listed.
    #[must_use]
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The listed markings from which one step leads to this one.
    #[must_use]
    pub fn before(&self, marking: u32) -> &[u32] {
        self.graph.before(marking)
    }

    /// The truth of a subformula in a marking, if the listed markings decide it.
    #[must_use]
    pub fn truth(&self, formula: CtlId, marking: u32) -> Option<bool> {
        let bounds = &self.known[formula.index()];
        let (lower, upper) = (bounds.lower[marking as usize], bounds.upper()[marking as usize]);
        (lower == upper).then_some(lower)
    }
}
