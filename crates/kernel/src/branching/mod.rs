//! Formulas of computation tree logic (`model::ctl`) about the markings of a net or thread-transition system, evaluated
//! on a part of the markings.
//!
//! Some markings are listed. For each subformula two sets of listed markings are computed: the subformula is true in
//! those of the *lower* set, and false outside of the *upper* set. So a formula holds if all initial markings are
//! listed and in the lower set of its root, and does not hold if one of them is listed and not in the upper set.
//!
//! Let T be the set of all markings in which a subformula is true, and L the listed markings.
//! 1. lower is a subset of T, and T within L is a subset of upper. Proof: by induction over the subformulas. A letter
//!    has lower = upper = T within L, by claim 1 of [`crate::net::letters`]. For connectives it is clear; a negation
//!    swaps the two sets.
//!    * `EX a`: the next markings of a listed one are computed (claim 2 there). A marking is in lower if some listed
//!      next marking is in the lower set of `a`. It is in upper if some listed next marking is in the upper set of `a`,
//!      or if some next marking is not listed.
//!    * `E (a U b)` and `A (a U b)`: T is the least set that contains T(b), and each marking of T(a) that has a next
//!      marking, some next marking (for `E`) or all of them (for `A`) in the set. (Each marking has
//!      finitely many next markings, so `A` needs no more.) The lower set is the least set with lower sets of the
//!      operands, and next markings that are not listed count as outside: it is a subset of T by induction over its
//!      steps. The upper set is the least set with upper sets of the operands, and next markings that are not listed
//!      count as inside: it contains each listed marking of T, by induction over the step in which T gets it.
//! 2. In a listed marking in which the places of a siphon are empty, a subformula may have one truth in all markings
//!    that are reachable from it ([`crate::siphons`]). Then the marking is in both sets, or in neither. For
//!    `E (a U b)` and `A (a U b)` that are false there, it is left out of the upper sets of both operands before the
//!    least set is computed. T does not contain it, so each step of T is still one of the upper set.
//! 3. Listed markings of a system with places that are not kept stand for sets of markings with the same truth of
//!    letters and the same steps (claims 1 to 3 of [`crate::net::letters`]), so they have the same truth of each
//!    formula.

mod graph;
mod listed;
mod runs;
mod truths;

use crate::closed::Whole;
use crate::closed::{Listed, Set};
use crate::net::shape::At;
use crate::net::{Listing, MarkingPositions, Rules};
use crate::siphons;
use crate::temporal::Positions;
use crate::work::Work;
use crate::{Check, reject};
use graph::{Graph, Order};
use listed::on_listed;
use model::{Ctl, CtlId, CtlNode, FormulaId, Letter, Markings, PlaceId, Problem};
pub use runs::check_runs;
use std::collections::{BTreeSet, HashMap};
pub use truths::Truths;

/// Checks that formulas hold in all initial markings (if `holds`), or that each of them does not hold in one of them.
/// Their letters are formulas of the problem.
///
/// # Errors
/// If the listed markings do not show this, or if a resource limit is exceeded.
pub fn check(
    problem: &Problem,
    formulas: &[Ctl],
    holds: bool,
    (markings, siphons): (Option<&Markings>, &[Vec<PlaceId>]),
    work: &mut Work<'_>,
) -> Check<Whole> {
    let constant = |formula: &Ctl| match formula.node(formula.root()) {
        CtlNode::Constant(value) => Some(*value),
        _ => None,
    };
    let open: Vec<&Ctl> = formulas.iter().filter(|formula| constant(formula) != Some(holds)).collect();
    if open.iter().any(|formula| constant(formula).is_some()) {
        return reject(format!("a formula is {} everywhere", !holds));
    }
    if open.is_empty() {
        return Ok(Whole { states: 0, hash: 0 });
    }
    on_listed(problem, markings, work, |listing, rules, (set, markings), work| {
        let order = Order::new(set, markings.states.as_ref(), work)?;
        let initial = initial(listing, (set, &order), holds, work)?;
        let graph = Graph::new(listing, (set, &order), work)?;
        let mut positions = MarkingPositions::new(problem, listing, &markings.potentially_marked);
        for letter in open.iter().flat_map(|formula| formula.letters()) {
            positions.prepare_letter(Letter::Marking(letter), work)?;
        }
        let empty = empty(rules, siphons, &positions, (set, &order), work)?;
        for formula in open {
            let letters = truths(formula, &|_| None, &positions, (set, &order), work)?;
            let lasting = lasting(problem, formula, &empty, work)?;
            let bounds = evaluate((formula, false), letters, &graph, (&empty, &lasting), work)?.pop().flatten();
            let bounds = bounds.expect("a formula has a root");
            let shown = match holds {
                true => initial.iter().all(|marking| bounds.lower[*marking as usize]),
                false => initial.iter().any(|marking| !bounds.upper()[*marking as usize]),
            };
            if !shown {
                return reject("the listed markings do not decide a formula as claimed");
            }
        }
        Ok(())
    })
}

/// Returns the numbers of listed initial markings. If `all`, all of them must be listed.
fn initial(listing: &Listing<'_>, (set, order): (&Set, &Order), all: bool, work: &mut Work<'_>) -> Check<Vec<u32>> {
    let mut found = Vec::new();
    if all {
        set.has_initial(listing, work)?;
        let mut key = Vec::new();
        Listed::initial(listing, &mut |state| {
            work.spend(1 + state.len() as u64)?;
            key.clear();
            set.layout.pack(state, |word| key.push(word));
            let place = set.table.find(&key, work)?.expect("it was looked up");
            found.push(order.numbers[place]);
            Ok(())
        })?;
        return Ok(found);
    }
    let mut state = Vec::new();
    for (number, place) in (0u32..).zip(&order.places) {
        set.layout.unpack(set.table.key(*place as usize), &mut state);
        work.spend(1 + state.len() as u64)?;
        if listing.is_initial(&state) {
            found.push(number);
        }
    }
    Ok(found)
}

/// The lower and the upper set of a subformula ([`self`]).
struct Bounds {
    lower: Vec<bool>,
    /// `None` if it is the lower set.
    upper: Option<Vec<bool>>,
}

impl Bounds {
    fn exact(set: Vec<bool>) -> Self {
        Self { lower: set, upper: None }
    }

    fn upper(&self) -> &[bool] {
        self.upper.as_ref().unwrap_or(&self.lower)
    }

    fn not(&self) -> Self {
        let not = |set: &[bool]| set.iter().map(|value| !value).collect();
        Self { lower: not(self.upper()), upper: self.upper.as_ref().map(|_| not(&self.lower)) }
    }

    fn join(parts: &[&Bounds], size: usize, all: bool) -> Self {
        let join = |of: fn(&Self) -> &[bool]| {
            let mut set = vec![all; size];
            for part in parts {
                set.iter_mut().zip(of(part)).for_each(|(to, from)| *to = if all { *to & from } else { *to | from });
            }
            set
        };
        let is_exact = parts.iter().all(|part| part.upper.is_none());
        Self { lower: join(|part| &part.lower), upper: (!is_exact).then(|| join(Self::upper)) }
    }

    /// The bounds by a function of sets and of whether markings that are not listed are in the set.
    fn by(operands: &[&Bounds], graph: &Graph, set: impl Fn(&[&[bool]], bool) -> Vec<bool>) -> Self {
        let of = |of: fn(&Self) -> &[bool]| operands.iter().map(|a| of(a)).collect::<Vec<_>>();
        let is_exact = graph.is_closed && operands.iter().all(|a| a.upper.is_none());
        Self { lower: set(&of(|a| &a.lower), false), upper: (!is_exact).then(|| set(&of(Self::upper), true)) }
    }
}

/// A siphon: its places, and the listed markings in which they are empty.
struct Empty {
    inside: Vec<bool>,
    markings: Vec<u32>,
}

/// Checks the siphons.
fn empty(
    rules: &Rules<'_>,
    siphons: &[Vec<PlaceId>],
    positions: &MarkingPositions<'_, '_>,
    (set, order): (&Set, &Order),
    work: &mut Work<'_>,
) -> Check<Vec<Empty>> {
    let of = |siphon: &Vec<PlaceId>| {
        let inside = siphons::check(rules, siphon, work)?;
        let markings = with_empty(&positions.stored(siphon)?, (set, order), work)?;
        Ok(Empty { inside, markings })
    };
    siphons.iter().map(of).collect()
}

/// Returns the listed markings without tokens in these slots.
fn with_empty(stored: &[At], (set, order): (&Set, &Order), work: &mut Work<'_>) -> Check<Vec<u32>> {
    let (mut found, mut state) = (Vec::new(), Vec::new());
    for (marking, &place) in (0u32..).zip(&order.places) {
        work.spend(1 + stored.len() as u64 / 8)?;
        set.layout.unpack(set.table.key(place as usize), &mut state);
        if stored.iter().all(|at| at.tokens(&state) == 0) {
            found.push(marking);
        }
    }
    work.grow(found.len().saturating_mul(4))?;
    Ok(found)
}

/// Returns the set without the markings in which these siphons are empty.
fn without(set: &[bool], siphons: &[&Empty]) -> Vec<bool> {
    let mut set = set.to_vec();
    siphons.iter().flat_map(|siphon| &siphon.markings).for_each(|at| set[*at as usize] = false);
    set
}

/// Returns for each letter of the formula the listed markings in which it holds. `constant` has the truth of letters
/// that is the same in all of them, as far as it is known.
fn truths<P: Positions>(
    formula: &Ctl,
    constant: &dyn Fn(FormulaId) -> Option<bool>,
    positions: &P,
    (set, order): (&Set, &Order),
    work: &mut Work<'_>,
) -> Check<HashMap<FormulaId, Vec<bool>>> {
    let letters: BTreeSet<FormulaId> = formula.letters().collect();
    let count = order.places.len();
    work.spend(letters.len().saturating_mul(count) as u64)?;
    work.grow(letters.len().saturating_mul(count))?;
    let mut truths: Vec<(FormulaId, Vec<bool>)> =
        letters.into_iter().map(|letter| (letter, Vec::with_capacity(count))).collect();
    let mut state = Vec::new();
    for &place in &order.places {
        set.layout.unpack(set.table.key(place as usize), &mut state);
        for (letter, truth) in &mut truths {
            let known = constant(*letter);
            truth.push(known.unwrap_or_else(|| positions.satisfies(&state, Letter::Marking(*letter), None)));
        }
    }
    Ok(truths.into_iter().collect())
}

/// Returns for each siphon the truth of each subformula, as far as it follows where the siphon is empty.
fn lasting(problem: &Problem, formula: &Ctl, siphons: &[Empty], work: &mut Work<'_>) -> Check<Vec<Vec<Option<bool>>>> {
    let truths = siphons.len().saturating_mul(formula.nodes().len());
    work.spend(truths as u64)?;
    work.grow(truths)?;
    let truth =
        |siphon: &Empty, letter: FormulaId| problem.formulas().get(letter.index())?.truth_without(&siphon.inside);
    Ok(siphons.iter().map(|siphon| formula.lasting(|letter| truth(siphon, letter))).collect())
}

/// Returns the bounds of all subformulas if `keeps`, and otherwise at least those of the root, which is the last one.
fn evaluate(
    (formula, keeps): (&Ctl, bool),
    mut letters: HashMap<FormulaId, Vec<bool>>,
    graph: &Graph,
    (siphons, lasting): (&[Empty], &[Vec<Option<bool>>]),
    work: &mut Work<'_>,
) -> Check<Vec<Option<Bounds>>> {
    let [size, steps] = graph.size();
    let mut users = vec![0usize; formula.nodes().len()];
    formula.nodes().iter().flat_map(CtlNode::operands).for_each(|id| users[id.index()] += 1);
    let mut known: Vec<Option<Bounds>> = Vec::with_capacity(users.len());
    for (number, node) in formula.nodes().iter().enumerate() {
        work.spend(size as u64 + steps as u64 / 4)?;
        work.grow(size.saturating_mul(12))?;
        let of = |id: &CtlId| known[id.index()].as_ref().expect("operands are kept until they were used");
        let mut bounds = match node {
            CtlNode::Constant(value) => Bounds::exact(vec![*value; size]),
            // Equal subformulas are one, so each letter is needed once.
            CtlNode::Letter(letter) => Bounds::exact(letters.remove(letter).expect("it was evaluated")),
            CtlNode::Not(a) => of(a).not(),
            CtlNode::All(parts) => Bounds::join(&parts.iter().map(of).collect::<Vec<_>>(), size, true),
            CtlNode::Any(parts) => Bounds::join(&parts.iter().map(of).collect::<Vec<_>>(), size, false),
            CtlNode::ExistsNext(a) => Bounds::by(&[of(a)], graph, |sets, others| graph.exists_next(sets[0], others)),
            CtlNode::ExistsUntil(a, b) | CtlNode::AllUntil(a, b) => {
                let all = matches!(node, CtlNode::AllUntil(..));
                let is_false = siphons.iter().zip(lasting).filter(|(_, lasting)| lasting[number] == Some(false));
                let never: Vec<&Empty> = is_false.map(|(siphon, _)| siphon).collect();
                Bounds::by(&[of(a), of(b)], graph, |sets, others| match others && !never.is_empty() {
                    true => graph.until(&without(sets[0], &never), &without(sets[1], &never), all, true),
                    false => graph.until(sets[0], sets[1], all, others),
                })
            }
        };
        // Exact bounds have the truth already.
        if let Some(upper) = &mut bounds.upper {
            for (siphon, lasting) in siphons.iter().zip(lasting) {
                work.spend(1 + siphon.markings.len() as u64 / 4)?;
                match lasting[number] {
                    Some(true) => siphon.markings.iter().for_each(|at| bounds.lower[*at as usize] = true),
                    Some(false) => siphon.markings.iter().for_each(|at| upper[*at as usize] = false),
                    None => {}
                }
            }
        }
        for id in node.operands() {
            users[id.index()] -= 1;
            if users[id.index()] == 0 && !keeps {
                known[id.index()] = None;
            }
        }
        known.push(Some(bounds));
    }
    Ok(known)
}
