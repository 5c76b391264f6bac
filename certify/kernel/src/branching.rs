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
//!    that are reachable from it ([`crate::siphons`]). Then the marking is in both sets, or in neither.
//! 3. Listed markings of a system with places that are not kept stand for sets of markings with the same truth of
//!    letters and the same steps (claims 1 to 3 of [`crate::net::letters`]), so they have the same truth of each
//!    formula.

use crate::closed::{Listed, Set};
use crate::net::shape::At;
use crate::net::{Listing, Marked, MarkingPositions, Rules, SlotLayout};
use crate::parts::Whole;
use crate::siphons;
use crate::temporal::{self, Positions, Steps};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{Ctl, CtlId, CtlNode, Goal, Letter, Ltl, LtlNode, Markings, PlaceId, Problem};

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
    let Some(markings) = markings else { return reject("no markings are listed") };
    let Some(system) = Marked::of(problem) else { return reject("the formula is not about markings") };
    let (rules, shape) = (Rules::new(system, work)?, SlotLayout::new(system, &markings.slots)?);
    // A transition that changes no listed place is a step, too.
    let mut listing = Listing::new(system, &rules, &shape, markings, (&[], true), work)?;
    let set = Set::read(&listing, markings.states.as_ref(), work)?;
    let initial = initial(&listing, &set, holds, work)?;
    let mut positions = MarkingPositions::new(problem, &mut listing, &markings.potentially_marked);
    for letter in open.iter().flat_map(|formula| formula.letters()) {
        positions.prepare_letter(Letter::Marking(letter), work)?;
    }
    let graph = Graph::new(&mut positions, &set, work)?;
    let mut empty = Vec::new();
    for siphon in siphons {
        let inside = siphons::check(&rules, siphon, work)?;
        let stored = positions.stored(siphon)?;
        let places = with_empty(&stored, &graph, &set, work)?;
        empty.push(Empty { inside, places });
    }
    for formula in open {
        let bounds = evaluate((problem, formula), &graph, &positions, (&set, &empty), work)?;
        let shown = match holds {
            true => initial.iter().all(|place| bounds.lower[*place as usize]),
            false => initial.iter().any(|place| !bounds.upper[*place as usize]),
        };
        if !shown {
            return reject("the listed markings do not decide a formula as claimed");
        }
    }
    Ok(Whole { states: set.table.len() as u64, hash: set.hash })
}

/// Returns the places of listed initial markings in the table. If `all`, all of them must be listed.
fn initial(listing: &Listing<'_>, set: &Set, all: bool, work: &mut Work<'_>) -> Check<Vec<u32>> {
    let mut found = Vec::new();
    if all {
        set.has_initial(listing, work)?;
        Listed::initial(listing, &mut |state| {
            found.push(place_of(set, state, &mut Vec::new(), work)?.expect("it was looked up"));
            Ok(())
        })?;
        return Ok(found);
    }
    let mut state = Vec::new();
    for place in set.table.taken() {
        set.layout.unpack(set.table.key(place), &mut state);
        work.spend(1 + state.len() as u64)?;
        if listing.is_initial(&state) {
            found.push(u32::try_from(place).map_err(|_| Refusal::ResourceLimit)?);
        }
    }
    Ok(found)
}

/// Checks that no maximal run violates the formulas of some goals, which are about whole runs. Each comes with a
/// formula that has the same truth at all positions of runs. Its letters are formulas of the problem.
///
/// # Errors
/// If the listed markings do not show this, or if a resource limit is exceeded.
pub fn check_runs(
    problem: &Problem,
    formulas: &[(Goal, Ltl)],
    markings: Option<&Markings>,
    work: &mut Work<'_>,
) -> Check<Whole> {
    let is_true = |formula: &Ltl| formula.node(formula.root()) == LtlNode::Constant(true);
    let open: Vec<_> = formulas.iter().filter(|(_, formula)| !is_true(formula)).collect();
    if open.is_empty() {
        return Ok(Whole { states: 0, hash: 0 });
    }
    let Some(markings) = markings else { return reject("no markings are listed") };
    let Some(system) = Marked::of(problem) else { return reject("the formula is not about markings") };
    let (rules, shape) = (Rules::new(system, work)?, SlotLayout::new(system, &markings.slots)?);
    // A transition that changes no listed place is a step, too.
    let mut listing = Listing::new(system, &rules, &shape, markings, (&[], true), work)?;
    let set = Set::read(&listing, markings.states.as_ref(), work)?;
    let mut positions = MarkingPositions::new(problem, &mut listing, &markings.potentially_marked);
    for (goal, formula) in open {
        formula.letters().try_for_each(|letter| positions.prepare_letter(letter, work))?;
        temporal::check_formula(problem, &mut positions, &set, (*goal, formula), work)?;
    }
    Ok(Whole { states: set.table.len() as u64, hash: set.hash })
}

/// Returns the place of a state in the table, if it is listed.
fn place_of(set: &Set, state: &[u32], key: &mut Vec<u64>, work: &mut Work<'_>) -> Check<Option<u32>> {
    work.spend(1 + state.len() as u64)?;
    key.clear();
    // A state with a slot value out of range is not listed.
    let found = if set.layout.pack(state, |word| key.push(word)) { set.table.find(key, work)? } else { None };
    found.map(|place| u32::try_from(place).map_err(|_| Refusal::ResourceLimit)).transpose()
}

/// The steps between listed markings, by their places in the table.
struct Graph {
    /// The places that are taken.
    taken: Vec<u32>,
    /// For each place: where the previous markings of the marking there begin in `before`.
    begin: Vec<u32>,
    before: Vec<u32>,
    /// For each place: the number of listed next markings, and true if another one is not listed.
    listed: Vec<u32>,
    leaves: Vec<bool>,
}

impl Graph {
    fn new<P: Positions>(positions: &mut P, set: &Set, work: &mut Work<'_>) -> Check<Self> {
        let taken: Vec<u32> = set.table.taken().map(|place| place as u32).collect();
        let size = taken.last().map_or(0, |last| *last as usize + 1);
        work.grow(size.saturating_mul(16))?;
        let (mut edges, mut listed, mut leaves) = (Vec::new(), vec![0u32; size], vec![false; size]);
        let (mut state, mut steps, mut next, mut key) = (Vec::new(), Steps::default(), Vec::new(), Vec::new());
        for &place in &taken {
            set.layout.unpack(set.table.key(place as usize), &mut state);
            positions.look_at(&state, work)?;
            steps.clear();
            positions.steps(&state, &mut steps, work)?;
            next.clear();
            for (_, to) in steps.iter(state.len()) {
                match place_of(set, to, &mut key, work)? {
                    Some(to) => next.push(to),
                    None => leaves[place as usize] = true,
                }
            }
            next.sort_unstable();
            next.dedup();
            listed[place as usize] = next.len() as u32;
            if edges.len() + next.len() > edges.capacity() {
                work.grow(edges.len().saturating_mul(2 * size_of::<(u32, u32)>()))?;
            }
            edges.extend(next.iter().map(|to| (*to, place)));
        }
        edges.sort_unstable();
        u32::try_from(edges.len()).map_err(|_| Refusal::ResourceLimit)?;
        let mut begin = vec![0u32; size + 1];
        edges.iter().for_each(|(to, _)| begin[*to as usize + 1] += 1);
        (0..size).for_each(|place| begin[place + 1] += begin[place]);
        let before = edges.into_iter().map(|(_, from)| from).collect();
        Ok(Self { taken, begin, before, listed, leaves })
    }

    fn before(&self, place: u32) -> &[u32] {
        &self.before[self.begin[place as usize] as usize..self.begin[place as usize + 1] as usize]
    }

    /// Returns the markings with a next marking in the set, where next markings that are not listed are in the set iff
    /// `others` is true.
    fn exists_next(&self, a: &[bool], others: bool) -> Vec<bool> {
        let mut set: Vec<bool> = self.leaves.iter().map(|leaves| *leaves && others).collect();
        for &place in self.taken.iter().filter(|place| a[**place as usize]) {
            self.before(place).iter().for_each(|from| set[*from as usize] = true);
        }
        set
    }

    /// Returns the least set that contains `b`, and each marking of `a` that has a next marking, some next marking (or
    /// all of them, if `all`) in the set. Next markings that are not listed are in the set iff `others` is true.
    fn until(&self, a: &[bool], b: &[bool], all: bool, others: bool) -> Vec<bool> {
        let mut set = vec![false; self.listed.len()];
        // For each marking: the number of next markings that must still get into the set.
        let missing = |place: usize| match (all, self.leaves[place]) {
            (true, leaves) => self.listed[place] + u32::from(leaves && !others),
            (false, leaves) => u32::from(!(leaves && others)),
        };
        let mut missing: Vec<u32> = (0..set.len()).map(missing).collect();
        let has_next = |place: usize| self.listed[place] > 0 || self.leaves[place];
        let is_first = |place: &usize| b[*place] || (a[*place] && has_next(*place) && missing[*place] == 0);
        let mut open: Vec<u32> = self.taken.iter().copied().filter(|place| is_first(&(*place as usize))).collect();
        open.iter().for_each(|place| set[*place as usize] = true);
        while let Some(place) = open.pop() {
            for &from in self.before(place) {
                let at = from as usize;
                missing[at] = missing[at].saturating_sub(1);
                if !set[at] && a[at] && missing[at] == 0 {
                    set[at] = true;
                    open.push(from);
                }
            }
        }
        set
    }
}

/// The lower and the upper set of a subformula ([`self`]).
struct Bounds {
    lower: Vec<bool>,
    upper: Vec<bool>,
}

impl Bounds {
    fn of(set: Vec<bool>) -> Self {
        Self { upper: set.clone(), lower: set }
    }

    fn join(parts: &[&Bounds], size: usize, all: bool) -> Self {
        let join = |at: usize, of: fn(&Bounds) -> &[bool]| match all {
            true => parts.iter().all(|part| of(part)[at]),
            false => parts.iter().any(|part| of(part)[at]),
        };
        let lower = (0..size).map(|at| join(at, |part| &part.lower)).collect();
        let upper = (0..size).map(|at| join(at, |part| &part.upper)).collect();
        Self { lower, upper }
    }
}

/// A siphon: its places, and the listed markings in which they are empty.
struct Empty {
    inside: Vec<bool>,
    places: Vec<u32>,
}

/// Returns the listed markings without tokens in these slots.
fn with_empty(stored: &[At], graph: &Graph, set: &Set, work: &mut Work<'_>) -> Check<Vec<u32>> {
    let (mut found, mut state) = (Vec::new(), Vec::new());
    for &place in &graph.taken {
        work.spend(1 + stored.len() as u64 / 8)?;
        set.layout.unpack(set.table.key(place as usize), &mut state);
        if stored.iter().all(|at| at.tokens(&state) == 0) {
            found.push(place);
        }
    }
    work.grow(found.len().saturating_mul(4))?;
    Ok(found)
}

/// Returns the bounds of the root.
fn evaluate<P: Positions>(
    (problem, formula): (&Problem, &Ctl),
    graph: &Graph,
    positions: &P,
    (set, siphons): (&Set, &[Empty]),
    work: &mut Work<'_>,
) -> Check<Bounds> {
    let truths = siphons.len().saturating_mul(formula.nodes().len());
    work.spend(truths as u64)?;
    work.grow(truths)?;
    let lasting: Vec<Vec<Option<bool>>> = siphons
        .iter()
        .map(|siphon| formula.lasting(|letter| problem.formulas().get(letter.index())?.truth_without(&siphon.inside)))
        .collect();
    let size = graph.listed.len();
    let mut users = vec![0usize; formula.nodes().len()];
    formula.nodes().iter().flat_map(CtlNode::operands).for_each(|id| users[id.index()] += 1);
    let mut known: Vec<Option<Bounds>> = Vec::with_capacity(users.len());
    for (number, node) in formula.nodes().iter().enumerate() {
        work.spend(size as u64 + graph.before.len() as u64 / 4)?;
        work.grow(size.saturating_mul(12))?;
        let of = |id: &CtlId| known[id.index()].as_ref().expect("operands are kept until they were used");
        let mut bounds = match node {
            CtlNode::Constant(value) => Bounds::of(vec![*value; size]),
            CtlNode::Letter(letter) => Bounds::of(satisfying(Letter::Marking(*letter), graph, positions, set)),
            CtlNode::Not(a) => {
                let not = |set: &[bool]| set.iter().map(|value| !value).collect();
                Bounds { lower: not(&of(a).upper), upper: not(&of(a).lower) }
            }
            CtlNode::All(parts) => Bounds::join(&parts.iter().map(of).collect::<Vec<_>>(), size, true),
            CtlNode::Any(parts) => Bounds::join(&parts.iter().map(of).collect::<Vec<_>>(), size, false),
            CtlNode::ExistsNext(a) => {
                Bounds { lower: graph.exists_next(&of(a).lower, false), upper: graph.exists_next(&of(a).upper, true) }
            }
            CtlNode::ExistsUntil(a, b) | CtlNode::AllUntil(a, b) => {
                let all = matches!(node, CtlNode::AllUntil(..));
                Bounds {
                    lower: graph.until(&of(a).lower, &of(b).lower, all, false),
                    upper: graph.until(&of(a).upper, &of(b).upper, all, true),
                }
            }
        };
        for (siphon, lasting) in siphons.iter().zip(&lasting) {
            work.spend(1 + siphon.places.len() as u64 / 4)?;
            match lasting[number] {
                Some(true) => siphon.places.iter().for_each(|place| bounds.lower[*place as usize] = true),
                Some(false) => siphon.places.iter().for_each(|place| bounds.upper[*place as usize] = false),
                None => {}
            }
        }
        for id in node.operands() {
            users[id.index()] -= 1;
            if users[id.index()] == 0 {
                known[id.index()] = None;
            }
        }
        known.push(Some(bounds));
    }
    Ok(known.pop().flatten().expect("a formula has a root"))
}

/// Returns the listed markings in which a letter holds.
fn satisfying<P: Positions>(letter: Letter, graph: &Graph, positions: &P, set: &Set) -> Vec<bool> {
    let (mut result, mut state) = (vec![false; graph.listed.len()], Vec::new());
    for &place in &graph.taken {
        set.layout.unpack(set.table.key(place as usize), &mut state);
        result[place as usize] = positions.satisfies(&state, letter, None);
    }
    result
}
