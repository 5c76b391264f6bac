//! The engine `recurrence`: decides formulas `AG EF a` about nets in which more tokens never disable a transition. The
//! nets may be unbounded (the checker has the proofs, `crates/kernel/src/recurring.rs`).
//!
//! 1. For each letter that is upward closed, the minimal markings from which it can be reached are computed backwards.
//!    There are finitely many, but there may be very many; then the letter is left out.
//! 2. If each reachable marking covers one of them, the letter can always be reached. Engines look for a proof.
//! 3. If they find a run to a marking that covers none of them, the letter can never be reached from there: the minimal
//!    markings are closed under predecessors, so they are the evidence.
//! 4. Meanwhile, for letters of any form and nets of any form, some markings are tried after which the letter may never
//!    hold ([`losing`](super::losing)).

use super::losing::{Ended, Losing};
use super::provers::Provers;
use crate::engines;
use crate::markings::{inside, negated};
use crate::parts::{Formulas, parts_of};
use certify::covers_some;
use model::{
    BranchingEvidence, Budget, Certificate, Claim, Ctl, CtlNode, Engine, Exclusion, Formula, FormulaId, Goal,
    InvariantCertificate, Lost, Net, NetInvariant, PlaceId, Problem, Property, Recurring, Stats, Trace, TransitionId,
    Turn, Way,
};
use nets::Constants;
use nets::cover::Basis;
use nets::rules::Rules;
use nets::targets::{self, Cube};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most minimal markings of a letter, and the most markings that are computed for it.
const MINIMAL: usize = 200;
const MOST_MARKINGS: usize = 2_000;
/// Transitions that are looked at for a work unit, and the same for a predecessor that is computed.
const LOOKS_PER_UNIT: usize = 64;
const LOOKS_PER_COMPARED: usize = 128;
/// Nodes of formulas that are evaluated for a work unit.
const NODES_PER_UNIT: usize = 16;

/// The engine.
pub(crate) struct Recurrence {
    problem: Problem,
    net: Arc<Net>,
    asked: Vec<(Goal, Arc<Ctl>)>,
    constants: Arc<Constants>,
    state: State,
    /// For each letter: markings from which it can be reached, all minimal ones among them.
    ways: BTreeMap<FormulaId, Vec<Way>>,
    /// The formulas of parts, which come after those of the problem.
    parts: Vec<Arc<Formula>>,
    /// Letters that can always be reached, each with a claim about its part if it needs one.
    recurring: BTreeMap<FormulaId, Option<Arc<Claim>>>,
    lost: BTreeMap<FormulaId, Arc<Lost>>,
    losing: Option<Box<Losing>>,
    /// True if formulas may follow that did not follow before.
    is_new: bool,
}

enum State {
    New,
    Backwards(Backwards),
    Proving(Proving),
    Done,
}

/// The letters that are left, and the computation for one of them.
struct Backwards {
    rules: Rules,
    letters: Vec<(FormulaId, Basis)>,
}

/// The search for proofs that each reachable marking covers a minimal one.
struct Proving {
    letters: BTreeMap<Goal, Vec<FormulaId>>,
    provers: Provers,
}

impl Recurrence {
    pub(crate) fn new(
        problem: Problem,
        net: &Arc<Net>,
        asked: Vec<(Goal, Arc<Ctl>)>,
        constants: Arc<Constants>,
    ) -> Self {
        let (net, ways, parts) = (Arc::clone(net), BTreeMap::new(), Vec::new());
        let (recurring, lost, losing) = (BTreeMap::new(), BTreeMap::new(), None);
        let (state, is_new) = (State::New, false);
        Self { problem, net, asked, constants, state, ways, parts, recurring, lost, losing, is_new }
    }

    fn begin(&mut self, budget: &mut Budget) -> State {
        budget.spend(1 + self.net.transitions().len() as u64);
        let letters = letters(self.asked.iter().map(|(_, formula)| &**formula));
        if letters.is_empty() {
            return State::Done;
        }
        self.losing = Losing::new(&self.net, letters.iter().copied().collect()).map(Box::new);
        let rules = Rules::new(&self.net).filter(|rules| rules.monotone && rules.small);
        let Some(rules) = rules else { return State::Done };
        let basis = |letter: FormulaId| {
            let minimal = targets::minimal(&self.problem.formulas()[letter.index()], MINIMAL)?;
            Some((letter, Basis::new(minimal)))
        };
        State::Backwards(Backwards { rules, letters: letters.into_iter().rev().filter_map(basis).collect() })
    }

    /// Computes markings from which the last letter can be reached, one after the other.
    fn backwards(&mut self, mut search: Backwards, budget: &mut Budget) -> State {
        while let Some((letter, mut basis)) = search.letters.pop() {
            let mut is_complete = true;
            while let Some(at) = basis.take() {
                let compared = basis.expand(&search.rules, at).filter(|_| basis.len() <= MOST_MARKINGS);
                let Some(compared) = compared else {
                    is_complete = false;
                    break;
                };
                let looks = search.rules.transitions() + compared * (LOOKS_PER_COMPARED + basis.len() / 4);
                if !budget.spend(1 + (looks / LOOKS_PER_UNIT) as u64) {
                    search.letters.push((letter, basis));
                    return State::Backwards(search);
                }
            }
            if is_complete {
                self.ways.insert(letter, basis.steps().into_iter().map(way).collect());
            }
        }
        self.proving()
    }

    /// Begins to look for proofs.
    fn proving(&mut self) -> State {
        let mut formulas = Formulas::after(&self.problem);
        let mut letters: BTreeMap<Goal, Vec<FormulaId>> = BTreeMap::new();
        for (letter, ways) in &self.ways {
            let outside = negated(&covers_some(ways));
            if model::ctl::constant(&outside) == Some(false) {
                self.recurring.insert(*letter, None);
                self.is_new = true;
                continue;
            }
            letters.entry(formulas.goal(outside)).or_default().push(*letter);
        }
        self.parts = formulas.into_added();
        let extended = self.problem.clone().changed(|asked| {
            asked.formulas.extend(self.parts.iter().cloned());
            asked.properties = letters.keys().map(|goal| Property::never(goal.to_string(), *goal)).collect();
        });
        let extended = extended.expect("formulas over the places of the net fit");
        let provers = Provers::new(extended, Arc::clone(&self.net), letters.keys().copied().collect());
        State::Proving(Proving { letters, provers })
    }

    /// Lets an engine for proofs have a turn.
    fn prove(&mut self, mut search: Proving, budget: &mut Budget) -> State {
        if search.letters.is_empty() {
            budget.spend(1);
            return State::Done;
        }
        let Some(claim) = search.provers.turn(budget) else { return State::Done };
        if let Some(claim) = claim {
            self.learn(&mut search, claim);
        }
        State::Proving(search)
    }

    fn learn(&mut self, search: &mut Proving, claim: Claim) {
        let claim = Arc::new(claim);
        self.is_new = true;
        for goal in claim.goals() {
            for letter in search.letters.get(goal).into_iter().flatten() {
                match &*claim {
                    Claim::Safe { .. } => {
                        self.recurring.insert(*letter, Some(Arc::clone(&claim)));
                    }
                    Claim::Unsafe { trace, candidate: false, .. } if self.net.open_places().is_empty() => {
                        self.lost.insert(*letter, Arc::new(lost(*letter, &self.ways[letter], trace)));
                    }
                    _ => {}
                }
            }
            debug_assert!(self.lost.keys().all(|letter| !self.recurring.contains_key(letter)), "lost, or not");
            if matches!(*claim, Claim::Safe { .. } | Claim::Unsafe { .. }) {
                search.letters.remove(goal);
            }
        }
    }

    /// Tries a marking after which letters may be lost.
    fn lose(&mut self, budget: &mut Budget) {
        let Some(losing) = &mut self.losing else { return };
        match losing.step(&self.problem, &self.net, budget) {
            Ok(Some(lost)) => {
                self.is_new = true;
                self.lost.entry(lost.letter).or_insert_with(|| Arc::new(lost));
            }
            Ok(None) => {}
            Err(Ended) => self.losing = None,
        }
    }

    /// Returns a claim about formulas that follow, if there are any.
    fn claim(&mut self, budget: &mut Budget) -> Option<Claim> {
        if !self.is_new {
            return None;
        }
        let size: usize = self.asked.iter().map(|(_, formula)| formula.nodes().len()).sum();
        budget.spend((size / NODES_PER_UNIT) as u64);
        let truth = |formula: &Ctl| {
            let recurs = |id| self.recurring.contains_key(&id);
            let simple = formula.simplified(|id| self.constants.get(id), recurs);
            simple.initially(|_| false, |id| self.lost.contains_key(&id))
        };
        let truths: Vec<Option<bool>> = self.asked.iter().map(|(_, formula)| truth(formula)).collect();
        let Some(holds) = truths.iter().copied().flatten().next() else {
            self.is_new = false;
            return None;
        };
        let mut is_decided = truths.into_iter().map(|truth| truth == Some(holds));
        let decided = self.asked.extract_if(.., |_| is_decided.next() == Some(true));
        let decided: Vec<(Goal, Arc<Ctl>)> = decided.collect();
        let evidence = self.evidence(&letters(decided.iter().map(|(_, formula)| &**formula)));
        Some(Claim::Branching { goals: decided.into_iter().map(|(goal, _)| goal).collect(), holds, evidence })
    }

    /// Returns what is known about these letters.
    fn evidence(&self, letters: &BTreeSet<FormulaId>) -> BranchingEvidence {
        let known: Vec<_> = self.recurring.iter().filter(|(letter, _)| letters.contains(letter)).collect();
        let ways = known.iter().map(|(letter, _)| (**letter, self.ways[letter].clone())).collect();
        let parts = parts_of(known.iter().filter_map(|(_, claim)| claim.as_ref()), &self.parts);
        let recurring = Arc::new(Recurring { ways, parts });
        let recurring = (!known.is_empty()).then_some(recurring);
        let lost = self.lost.iter().filter(|(letter, _)| letters.contains(letter)).map(|(_, lost)| Arc::clone(lost));
        BranchingEvidence { recurring, lost: lost.collect(), ..BranchingEvidence::default() }
    }
}

/// Returns the letters a with a subformula `EF a` inside a temporal operator.
fn letters<'f>(formulas: impl Iterator<Item = &'f Ctl>) -> BTreeSet<FormulaId> {
    let of = |formula: &'f Ctl| {
        let nodes = formula.nodes().iter().zip(inside(formula)).filter(|(_, is_inside)| *is_inside);
        nodes.filter_map(|(node, _)| match formula.reached(node) {
            Some(CtlNode::Letter(letter)) => Some(*letter),
            _ => None,
        })
    };
    formulas.flat_map(of).collect()
}

fn way((cube, next): (Cube, Option<(u32, usize)>)) -> Way {
    let marking = cube.into_iter().map(|(place, tokens)| (PlaceId(place), tokens.into())).collect();
    Way { marking, next: next.map(|(transition, earlier)| (TransitionId(transition), earlier)) }
}

/// Returns the evidence that a letter is lost after a run to a marking that covers none of these.
fn lost(letter: FormulaId, ways: &[Way], run: &Trace) -> Lost {
    let goal = Goal::Formula(letter);
    let never = NetInvariant::NeverCovered(ways.iter().map(|way| way.marking.clone()).collect());
    let invariant = InvariantCertificate { invariants: vec![never], exclusions: vec![(goal, Exclusion::Minimal)] };
    let certificate = Certificate::Invariant(Box::new(invariant));
    Lost { letter, run: run.clone(), never: Arc::new(Claim::Safe { goals: vec![goal], certificate }) }
}

impl Engine for Recurrence {
    fn name(&self) -> &'static str {
        engines::RECURRENCE.name
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            self.state = match std::mem::replace(&mut self.state, State::Done) {
                State::New => self.begin(budget),
                State::Backwards(search) => self.backwards(search, budget),
                State::Proving(search) => self.prove(search, budget),
                State::Done => State::Done,
            };
            self.lose(budget);
            if let Some(claim) = self.claim(budget) {
                return Turn::Claims(claim);
            }
            if matches!(self.state, State::Done) && self.losing.is_none() {
                return Turn::Done;
            }
            if budget.work == 0 || budget.stop.raised().is_some() {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        debug_assert!(false, "no claim is a guess");
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.asked.retain(|(goal, _)| !goals.contains(goal));
        if self.asked.is_empty() {
            (self.state, self.losing) = (State::Done, None);
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.more.insert("recurring", self.recurring.len() as u64);
        stats.more.insert("lost", self.lost.len() as u64);
        stats
    }
}
