//! The combined theory in the CDCL solver: transition system, lemmas of patterns, and side theory.
//!
//! The first callback adds the initial lemmas. Their propositions are decided before any state is expanded.
//! Arithmetic atoms that become true are passed to the side theory at once, which returns a conflict or values.
//! When all lemmas are satisfied, the matches (the patterns that apply) receive the values. They may add
//! lemmas, and they may propose candidate runs, which stop the search so that the caller can replay them. The
//! transition system explores what the lemmas leave open.

use crate::RwbStepper;
use crate::dpllt::props::Props;
use model::array::ArrayRule;
use model::{Assumption, Axiom, Goal, Justification, Lemma, LemmaKind, LemmaLit, Match, Prop, Trace, Values};
use sat::{Ctx, Lit, Solver, Tag, Theory};
pub(super) use search::Exploration;
use side::{Counts, Side, SideAnswer};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use ts::{ClauseForm, TsTheory};

/// The tag of conflicts found by the side theory.
pub(crate) const INT_CONFLICT: Tag = Tag(ClauseForm::ALL.len() as u32);
/// The tag of the first pattern lemma. The others follow in order.
pub(crate) const FIRST_LEMMA: u32 = INT_CONFLICT.0 + 1;

/// The kind of rules of arrays that the side theory asks for.
const ARRAYS: LemmaKind = LemmaKind("side.arrays");

/// Time limit of the side theory for one conjunction. It is generous: the conjunction has few congruences, and
/// giving up only means less pruning.
const SIDE_DEADLINE: Duration = Duration::from_secs(8);
/// Maximum number of times per search that values are shown to matches. Each time, the matches look for
/// candidate runs. After that, the search continues without candidate runs.
const PROPOSALS_MAX: usize = 16;

/// Number of local states that a pattern reads in about the time of one expansion.
const LOOKS_PER_UNIT: u64 = 8;
/// Looks of a match that are free: some milliseconds. Beyond them, a match may take as much time as the search.
const FREE_LOOKS: u64 = 1 << 16;

/// All goals of behavioral programs. Each has a literal even if it is not checked, because lemmas and proofs
/// refer to it.
pub(crate) const PROGRAM_GOALS: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

pub(crate) struct LemmaSearch {
    pub(crate) ts: TsTheory<RwbStepper>,
    /// If true, the search stops when all lemmas are satisfied, instead of exploring.
    pub(crate) lemmas_only: bool,
    lemmas: Option<Lemmas>,
}

/// The part of the search that exists only if there are matches or assumptions.
struct Lemmas {
    matches: Vec<Box<dyn Match>>,
    /// The goal of each match.
    goals: Vec<Goal>,
    /// How many states were expanded, and how many questions to matches about them were left out.
    expanded: u64,
    unasked: u64,
    started: bool,
    props: Props,
    /// Assumptions of the user about the run. They are added before all lemmas.
    assumptions: Vec<Assumption>,
    /// The axiom of each lemma, indexed by its tag minus [`FIRST_LEMMA`].
    reasons: Vec<Axiom>,
    side: Side,
    /// Tokens asserted to `side`, each at a level of its own. `levels` stores their number at each decision
    /// level.
    asserted: Vec<u32>,
    levels: Vec<usize>,
    values: Option<Values>,
    /// The rules of arrays that were added as lemmas.
    rules: BTreeSet<ArrayRule>,
    shown: Vec<Values>,
    candidates: VecDeque<Candidate>,
    start: Box<[u32]>,
}

impl LemmaSearch {
    pub(crate) fn new(
        exploration: Exploration<RwbStepper>,
        asked: &[Goal],
        options: ts::Options,
        matches: Vec<Box<dyn Match>>,
        assumptions: Vec<Assumption>,
        start: Box<[u32]>,
        solver: &mut Solver,
    ) -> Self {
        let mut ts = TsTheory::new(exploration, &PROGRAM_GOALS, options, solver);
        for goal in PROGRAM_GOALS.into_iter().filter(|g| !asked.contains(g)) {
            ts.settle(goal, solver);
        }
        if matches.is_empty() && assumptions.is_empty() {
            return Self { ts, lemmas_only: false, lemmas: None };
        }
        ts.record_visited();
        let mut props = Props::default();
        props.add_clause(&asked.iter().map(|&g| ts.ends(g)).collect::<Vec<_>>());
        let lemmas = Lemmas {
            goals: matches.iter().map(|found| found.coverage().goal).collect(),
            matches,
            expanded: 0,
            unasked: 0,
            started: false,
            props,
            assumptions,
            reasons: Vec::new(),
            side: Side::new(),
            asserted: Vec::new(),
            levels: Vec::new(),
            values: None,
            rules: BTreeSet::new(),
            shown: Vec::new(),
            candidates: VecDeque::new(),
            start,
        };
        Self { ts, lemmas_only: false, lemmas: Some(lemmas) }
    }

    /// Removes and returns a run that a match proposed.
    pub(crate) fn take_candidate(&mut self) -> Option<Candidate> {
        self.lemmas.as_mut()?.candidates.pop_front()
    }

    /// Returns the axiom of the lemma with this tag.
    pub(crate) fn reason(&self, tag: Tag) -> Option<&Axiom> {
        self.lemmas.as_ref()?.reasons.get((tag.0 - FIRST_LEMMA) as usize)
    }

    /// Returns the proposition of a variable that does not belong to the theory of transition systems.
    pub(crate) fn prop(&self, var: sat::Var) -> Option<&Prop> {
        self.lemmas.as_ref()?.props.prop(var)
    }

    /// Returns how often the theory beside the solver was asked.
    pub(crate) fn side_counts(&self) -> Counts {
        self.lemmas.as_ref().map_or_else(Counts::default, |lemmas| lemmas.side.counts())
    }

    /// Returns how many questions to matches about states were left out, because the matches took too long.
    pub(crate) fn unasked(&self) -> u64 {
        self.lemmas.as_ref().map_or(0, |lemmas| lemmas.unasked)
    }

    pub(crate) fn lemma_counts(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for reason in self.lemmas.iter().flat_map(|l| &l.reasons) {
            let (Axiom::Lemma(kind, _) | Axiom::Unproven(kind)) = reason else { continue };
            *counts.entry(kind.0.to_owned()).or_insert(0) += 1;
        }
        counts
    }
}

impl Lemmas {
    fn emit(&mut self, lemmas: Vec<Lemma>, ts: &mut TsTheory<RwbStepper>, ctx: &mut Ctx<'_>) {
        for Lemma { kind, clause, justification } in lemmas {
            let reason = justification.map_or(Axiom::Unproven(kind), |justification| Axiom::Lemma(kind, justification));
            self.say(reason, &clause, ts, ctx);
        }
    }

    /// Adds a clause that holds for every violating run.
    fn say(&mut self, reason: Axiom, clause: &[LemmaLit], ts: &mut TsTheory<RwbStepper>, ctx: &mut Ctx<'_>) {
        let mut literal = |lit: &LemmaLit| {
            debug_assert!(lit.positive || !matches!(lit.prop, Prop::Int(_)), "arithmetic atoms are half-reified");
            let named = match &lit.prop {
                Prop::Visits(q) => ts.visits(q, ctx),
                Prop::Ends(goal) => ts.ends(*goal),
                prop => self.props.literal(prop, ctx),
            };
            if lit.positive { named } else { !named }
        };
        let clause: Vec<Lit> = clause.iter().map(&mut literal).collect();
        let tag = Tag(FIRST_LEMMA + u32::try_from(self.reasons.len()).expect("fewer than 2^32 lemmas"));
        self.reasons.push(reason);
        ctx.lemma(tag, &clause);
        self.props.add_clause(&clause);
    }

    fn start(&mut self, ts: &mut TsTheory<RwbStepper>, ctx: &mut Ctx<'_>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        for (number, assumption) in std::mem::take(&mut self.assumptions).iter().enumerate() {
            let number = u32::try_from(number).expect("fewer than 2^32 assumptions");
            self.say(Axiom::Assumed(number), &assumption.clause(), ts, ctx);
        }
        let mut out = Vec::new();
        for found in &mut self.matches {
            found.on_start(&mut out);
        }
        self.emit(out, ts, ctx);
    }

    /// Passes newly expanded states to the matches of goals that are wanted, but not to matches that have taken longer
    /// than the search. Returns the work of the matches in units, assuming that each match reads the state of each
    /// thread once, and what it says that it reads beyond.
    fn visit(&mut self, ts: &mut TsTheory<RwbStepper>, ctx: &mut Ctx<'_>) -> u64 {
        let (mut state, mut out, mut looks) = (Vec::new(), Vec::new(), 0);
        let wanted: Vec<Goal> = ts.wanted().collect();
        for q in ts.drain_visited() {
            ts.explored().state(q, &mut state);
            self.expanded += 1;
            let most = FREE_LOOKS.saturating_add(self.expanded.saturating_mul(LOOKS_PER_UNIT));
            for (found, _) in self.matches.iter_mut().zip(&self.goals).filter(|(_, goal)| wanted.contains(goal)) {
                let before = found.looks();
                if before > most {
                    self.unasked += 1;
                    continue;
                }
                found.on_state(&state, &mut out);
                looks += self.start.len() as u64 + (found.looks() - before);
            }
        }
        if !out.is_empty() {
            ts.patterns_spoke();
            self.emit(out, ts, ctx);
        }
        looks / LOOKS_PER_UNIT
    }

    /// Passes true atoms to the side theory. If there is a conflict, adds it as a lemma and returns false.
    fn check_atoms(&mut self, new: &[Lit], ts: &mut TsTheory<RwbStepper>, ctx: &mut Ctx<'_>) -> bool {
        let before = self.asserted.len();
        for &lit in new {
            if let Some((token, atom)) = self.props.atom(lit) {
                self.side.push();
                self.side.assert(token, atom);
                self.asserted.push(token);
            }
        }
        if self.asserted.len() == before {
            return true;
        }
        match self.side.check(SIDE_DEADLINE) {
            SideAnswer::Conflict(tokens) => {
                let clause: Vec<Lit> = tokens.iter().map(|&t| !self.props.token_literal(t)).collect();
                ctx.lemma(INT_CONFLICT, &clause);
                false
            }
            SideAnswer::Model(values) => {
                self.values = Some(values);
                true
            }
            SideAnswer::Arrays(rules) => {
                self.values = None;
                for rule in rules {
                    if !self.rules.insert(rule.clone()) {
                        continue;
                    }
                    let clause = rule.clause();
                    self.say(Axiom::Lemma(ARRAYS, Justification::Array(rule)), &clause, ts, ctx);
                }
                true
            }
            SideAnswer::GaveUp => true,
        }
    }

    /// Returns true if all lemmas are satisfied, so that only exploration is left.
    fn are_satisfied(&mut self, ctx: &Ctx<'_>) -> bool {
        self.props.next(ctx).is_none() && self.props.all_satisfied()
    }

    /// Passes the current values to the matches when all lemmas are satisfied. The same values are passed only
    /// once.
    fn propose(&mut self, ts: &mut TsTheory<RwbStepper>, ctx: &mut Ctx<'_>) {
        if self.shown.len() >= PROPOSALS_MAX {
            return;
        }
        let Some(values) = self.values.take() else { return };
        if self.shown.contains(&values) {
            return;
        }
        let mut out = Vec::new();
        for found in &mut self.matches {
            found.on_model(&values, &mut out);
            let goal = found.coverage().goal;
            if ctx.value(ts.ends(goal)) == Some(true) {
                for words in found.candidates(&values) {
                    let mut trace = Trace::new(self.start.clone());
                    words.into_iter().for_each(|(word, times)| trace.push_repeat(word, times));
                    self.candidates.push_back((goal, trace));
                }
            }
        }
        self.shown.push(values);
        self.emit(out, ts, ctx);
        if !self.candidates.is_empty() {
            ctx.stop();
        }
    }
}

impl Theory for LemmaSearch {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        self.ts.note(new);
        let Some(lemmas) = &mut self.lemmas else { return self.ts.advance(ctx) };
        lemmas.start(&mut self.ts, ctx);
        if lemmas.check_atoms(new, &mut self.ts, ctx) && lemmas.are_satisfied(ctx) {
            lemmas.propose(&mut self.ts, ctx);
            if self.lemmas_only {
                return ctx.stop();
            }
            self.ts.advance(ctx);
            let work = lemmas.visit(&mut self.ts, ctx);
            self.ts.spend(work);
        }
        self.ts.spend(1);
        self.ts.stop_if_due(ctx);
    }

    fn final_check(&mut self, ctx: &mut Ctx<'_>) {
        self.ts.final_check(ctx);
    }

    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        let wish = self.lemmas.as_mut().and_then(|lemmas| lemmas.props.next(ctx));
        wish.or_else(|| self.ts.decide(ctx))
    }

    fn explain(&mut self, lit: Lit, why: &mut Vec<Lit>) -> Tag {
        self.ts.explain(lit, why)
    }

    fn push_level(&mut self) {
        self.ts.push_level();
        if let Some(lemmas) = &mut self.lemmas {
            lemmas.props.push_level();
            lemmas.levels.push(lemmas.asserted.len());
        }
    }

    fn pop_levels(&mut self, n: usize) {
        self.ts.pop_levels(n);
        if let Some(lemmas) = &mut self.lemmas {
            lemmas.props.pop_levels(n);
            let level = lemmas.levels.len() - n;
            let keep = lemmas.levels[level];
            lemmas.levels.truncate(level);
            lemmas.side.pop(lemmas.asserted.len() - keep);
            lemmas.asserted.truncate(keep);
        }
    }
}

/// A candidate run that the caller should replay.
pub(crate) type Candidate = (Goal, Trace);
