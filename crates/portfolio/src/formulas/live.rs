//! The engine `siphons`: shows that all transitions of an asymmetric choice net are live, since each siphon contains a
//! marked trap (Commoner's condition; the checker has the proof, `crates/kernel/src/live.rs`).
//!
//! A SAT solver looks for a siphon that contains none of the traps found so far. If the siphon that it finds contains a
//! marked trap, a small one is added to the list. If it does not, the condition does not hold, and nothing follows.
//! (Abstraction refinement instead of an enumeration of all minimal siphons; compare Oanea, Wimmel and Wolf, "New
//! algorithms for deciding the siphon-trap property", PETRI NETS 2010.)
//!
//! Formulas about runs that end in one place, such as `SOUND`, follow if the net with a transition that begins again is
//! live (`crates/kernel/src/restart/`).

use super::{smaller, weights};
use crate::engines;
use crate::prove::refute;
use certify::{Ordinary, Refusal, ShownLive as Shown, Work};
use model::cnf::Cnf;
use model::{
    BranchingEvidence, Budget, Claim, Ctl, Engine, Formula, FormulaId, Goal, Live, Net, PlaceId, Restart, Stats, Turn,
};
use sat::{DecidedBy, Limits, Lit, SolveResult, Solver, Tag};
use std::collections::HashSet;
use std::sync::Arc;

/// Conflicts of a query between two looks at the budget, and their cost in work units.
const CONFLICTS: u64 = 200;
const UNITS_PER_CONFLICT: u64 = 20;
/// Places of a trap that are tried to be left out: at most this many, and at most this many arcs in all.
const MOST_TRIED: usize = 400;
const MOST_ARCS: usize = 2_000_000;
/// Work of the preparation: the conditions on the net.
const MOST_STEPS: u64 = 50_000_000;

/// The engine.
pub(crate) struct Siphons {
    net: Arc<Net>,
    formulas: Vec<Arc<Formula>>,
    asked: Vec<(Goal, Arc<Ctl>)>,
    state: State,
}

enum State {
    New,
    Searching(Box<Search>),
    Done,
}

struct Search {
    /// What follows.
    shown: Shown,
    /// The net with siphons and traps: a smaller one that begins again, if there is a restart.
    net: Ordinary,
    restart: Option<Restart>,
    /// For each place: the transitions that produce on it.
    producers: Vec<Vec<usize>>,
    solver: Solver,
    traps: Vec<Vec<PlaceId>>,
}

impl Siphons {
    pub(crate) fn new(net: &Arc<Net>, formulas: Vec<Arc<Formula>>, asked: Vec<(Goal, Arc<Ctl>)>) -> Self {
        Self { net: Arc::clone(net), formulas, asked, state: State::New }
    }

    /// Begins the search if the net, or the one that begins again, has the form that it needs, and some formula follows
    /// from liveness.
    fn begin(&mut self, budget: &mut Budget) -> State {
        budget.spend(1 + self.net.transitions().len() as u64);
        let Some(plain) = Ordinary::of(&self.net) else { return State::Done };
        let end = weights::end(&plain).filter(|_| certify::may_begin_again(&self.net));
        for end in std::iter::once(None).chain(end.map(Some)) {
            let shown = Shown::new(plain.clone(), end);
            if self.followers(&shown, &mut Work::new(MOST_STEPS, &budget.stop)).is_empty() {
                continue;
            }
            let (net, restart) = match end {
                None => (plain.clone(), None),
                Some(end) => {
                    let (steps, smaller) = smaller::steps(&plain, end, budget);
                    let net = certify::with_restart(smaller.net(), end);
                    let Some(weights) = weights::of(&net, budget) else { continue };
                    (net, Some(Restart { end, steps, weights }))
                }
            };
            if net.is_asymmetric_choice(&mut Work::new(MOST_STEPS, &budget.stop)) == Ok(true) {
                return State::Searching(Box::new(Search::new(shown, net, restart)));
            }
        }
        State::Done
    }

    /// Returns the goals that are true if all transitions are live.
    fn followers(&self, shown: &Shown, work: &mut Work<'_>) -> Vec<Goal> {
        let letters: HashSet<FormulaId> = self.asked.iter().flat_map(|(_, formula)| formula.letters()).collect();
        let is = |says: fn(&Shown, &Formula, &mut Work<'_>) -> Result<bool, Refusal>,
                  work: &mut Work<'_>|
         -> HashSet<FormulaId> {
            letters.iter().copied().filter(|id| says(shown, &self.formulas[id.index()], work) == Ok(true)).collect()
        };
        let (recurs, happens) = (is(Shown::recurs, work), is(Shown::happens, work));
        let constant = |id: FormulaId| shown.constant(&self.formulas[id.index()]);
        let is_true = |formula: &Ctl| {
            let simple = formula.simplified(constant, |id| recurs.contains(&id));
            simple.initially(|id| happens.contains(&id), |_| false) == Some(true)
        };
        self.asked.iter().filter(|(_, formula)| is_true(formula)).map(|(goal, _)| *goal).collect()
    }

    /// Looks for a siphon without a known trap. Returns a claim if there is none.
    fn search(&mut self, mut search: Box<Search>, budget: &mut Budget) -> Option<Claim> {
        let before = search.solver.stats().conflicts;
        let limits = Limits { conflicts: Some(CONFLICTS), stop: None };
        let result = search.solver.solve_within(&[], &limits);
        budget.spend(1 + (search.solver.stats().conflicts - before) * UNITS_PER_CONFLICT);
        match result {
            SolveResult::Stopped => self.state = State::Searching(search),
            SolveResult::Sat => {
                if search.add_trap(budget) {
                    self.state = State::Searching(search);
                }
            }
            SolveResult::Unknown => {}
            SolveResult::Unsat => {
                let refutation = refute(&search.net.formula(&search.traps), &budget.stop)?;
                let goals = self.followers(&search.shown, &mut Work::new(MOST_STEPS, &budget.stop));
                let live = Some(Arc::new(Live { restart: search.restart, traps: search.traps, refutation }));
                let evidence = BranchingEvidence { live, ..BranchingEvidence::default() };
                return (!goals.is_empty()).then_some(Claim::Branching { goals, holds: true, evidence });
            }
        }
        None
    }
}

impl Search {
    fn new(shown: Shown, net: Ordinary, restart: Option<Restart>) -> Self {
        let mut solver = Solver::new(sat::Options::default());
        let Cnf { vars, clauses } = net.formula(&[]);
        (0..vars).for_each(|_| {
            solver.new_var(DecidedBy::Host);
        });
        for clause in clauses {
            let literals: Vec<Lit> = clause.into_iter().map(Lit::from_dimacs).collect();
            solver.add_clause(Tag(0), &literals);
        }
        let mut producers = vec![Vec::new(); net.is_marked.len()];
        for (t, [_, to]) in net.arcs.iter().enumerate() {
            to.iter().for_each(|place| producers[place.index()].push(t));
        }
        Self { shown, net, restart, producers, solver, traps: Vec::new() }
    }

    /// Adds a small marked trap of the siphon that the solver has found. Returns false if there is none.
    fn add_trap(&mut self, budget: &mut Budget) -> bool {
        let is_inside = |place: usize| self.solver.value(Lit::from_dimacs(place as i32 + 1)) == Some(true);
        let siphon: Vec<bool> = (0..self.net.is_marked.len()).map(is_inside).collect();
        let size: usize = self.net.arcs.iter().map(|[from, to]| from.len() + to.len()).sum();
        let price = (1 + size / 8) as u64;
        budget.spend(price);
        let mut trap = self.largest_trap(siphon);
        let is_marked = |trap: &[bool]| trap.iter().zip(&self.net.is_marked).any(|(inside, marked)| *inside && *marked);
        if !is_marked(&trap) {
            return false;
        }
        let tried = MOST_TRIED.min(MOST_ARCS / (1 + size));
        let places: Vec<usize> = (0..trap.len()).filter(|place| trap[*place]).take(tried).collect();
        for place in places {
            if trap[place] && budget.stop.raised().is_none() {
                let mut less = trap.clone();
                less[place] = false;
                let less = self.largest_trap(less);
                budget.spend(price);
                if is_marked(&less) {
                    trap = less;
                }
            }
        }
        debug_assert!(trap.iter().enumerate().all(|(place, inside)| !inside || is_inside(place)), "part of the siphon");
        let trap: Vec<PlaceId> = (0..trap.len()).filter(|place| trap[*place]).map(PlaceId::new).collect();
        let clause: Vec<Lit> = trap.iter().map(|place| Lit::from_dimacs(-(place.index() as i32 + 1))).collect();
        self.solver.add_clause(Tag(0), &clause);
        self.traps.push(trap);
        true
    }

    /// Returns the largest trap in a set: a place with a consumer that produces on no place of the set is left out.
    /// Linear.
    fn largest_trap(&self, mut inside: Vec<bool>) -> Vec<bool> {
        let count = |places: &[PlaceId], inside: &[bool]| places.iter().filter(|place| inside[place.index()]).count();
        // For each transition: the places of the set on which it produces.
        let mut gives: Vec<usize> = self.net.arcs.iter().map(|[_, to]| count(to, &inside)).collect();
        let mut open: Vec<usize> = (0..gives.len()).filter(|t| gives[*t] == 0).collect();
        while let Some(t) = open.pop() {
            for place in &self.net.arcs[t][0] {
                if std::mem::replace(&mut inside[place.index()], false) {
                    for &producer in &self.producers[place.index()] {
                        gives[producer] -= 1;
                        if gives[producer] == 0 {
                            open.push(producer);
                        }
                    }
                }
            }
        }
        inside
    }
}

impl Engine for Siphons {
    fn name(&self) -> &'static str {
        engines::SIPHONS.name
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::New => self.state = self.begin(budget),
                State::Searching(search) => {
                    if let Some(claim) = self.search(search, budget) {
                        return Turn::Claims(claim);
                    }
                }
                State::Done => return Turn::Done,
            }
            if budget.work == 0 || budget.stop.raised().is_some() {
                return if matches!(self.state, State::Done) { Turn::Done } else { Turn::More };
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        debug_assert!(false, "no claim is a guess");
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.asked.retain(|(goal, _)| !goals.contains(goal));
        if self.asked.is_empty() {
            self.state = State::Done;
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        if let State::Searching(search) = &self.state {
            stats.more.insert("traps", search.traps.len() as u64);
        }
        stats
    }
}
