//! The search for one goal. It runs on the net as it is. Under a bound for which this is not exact, it also
//! runs on the net with a budget place (see `bounded`).

use super::bounded::{Bounded, total};
use super::claims::Literal;
use super::goals;
use super::thresholds::{NetInvariants, Thresholds};
use crate::reduce::shorten::{FiringRun, Shortener};
use crate::rules::Rules;
use circuits::ic3::{Bits, BitsStats, Options, Progress};
use model::{Bound, Budget, CircuitRun, EventId, Formula, LatchId, Trace};
use std::sync::Arc;

/// Limit on the firings spent on shortening a run.
const SHORTENING: u64 = 1_000_000;

/// The work for the net with a budget is one part in `PARTS_WITHIN` under a bound of the task, because both
/// nets answer for this bound. With rising bounds it is one part in `PARTS_RISING`, because there the net as it
/// is answers for all bounds at once.
const PARTS_WITHIN: u64 = 2;
const PARTS_RISING: u64 = 8;

/// The result of a turn.
pub(super) enum Outcome {
    /// The turn has ended without a result.
    More,
    /// The goal is not reachable, because of these clauses of the net as it is. They hold from the initial
    /// markings of the search.
    Safe(Vec<Vec<Literal>>),
    /// The goal is not reachable within the bound, because of these clauses of the net with a budget.
    Within(Vec<Vec<Literal>>),
    /// A run to the goal.
    Unsafe(Trace),
    /// The search has ended without an answer.
    Over,
}

/// The search for one goal: the loose half on the net as it is, the strict half on the net with a budget.
pub(super) struct GoalSearch {
    goal: Formula,
    loose: Half,
    strict: Option<Half>,
    bounded: Option<Bounded>,
    /// Initial counts of open places in the loose half, if they have been set.
    starts: Vec<(u32, u64, u64)>,
    /// Clauses that exclude the goal, hold in the initial markings of the loose half, and are kept by its
    /// steps.
    invariant: Option<Vec<Vec<Literal>>>,
    /// True if the loose half has not finished for the current bound. `strict_goes_on` states the same for the
    /// strict half.
    loose_goes_on: bool,
    strict_goes_on: bool,
}

struct Half {
    bits: Bits<Thresholds>,
    rules: Arc<Rules>,
}

impl Half {
    fn new(rules: &Arc<Rules>, known: NetInvariants, goal: &Formula) -> Option<Self> {
        let mut source = Thresholds::new(Arc::clone(rules), known);
        let bad = goals::signal(&mut source, goal)?;
        Some(Self { bits: Bits::new(source, bad, Options::default()), rules: Arc::clone(rules) })
    }

    fn run(&mut self, budget: &mut Budget) -> Option<Progress> {
        let step = self.bits.run(budget);
        (!self.bits.source().is_too_large()).then_some(step)
    }

    fn named(&mut self, clauses: &[Vec<(LatchId, bool)>]) -> Vec<Vec<Literal>> {
        let source = self.bits.source();
        clauses.iter().map(|c| c.iter().map(|&(l, value)| (source.meaning(l), value)).collect()).collect()
    }

    /// Returns the start of a run and the transitions that it fires, in the net of this half.
    fn firings(&mut self, run: &CircuitRun) -> (Vec<u64>, Vec<u32>) {
        let rules = Arc::clone(&self.rules);
        let source = self.bits.source();
        let holds = |latch: LatchId| run.start.get(latch.index()).copied().unwrap_or(false);
        let count = |p: u32| source.count(p, holds).0.max(rules.initial[p as usize]);
        let start: Vec<u64> = (0u32..).take(rules.places()).map(count).collect();
        let mut tokens = start.clone();
        let mut steps = Vec::new();
        for inputs in run.inputs.iter().take(run.inputs.len().saturating_sub(1)) {
            let Some(t) = source.chosen(inputs) else { continue };
            if rules.is_enabled(t, &tokens) && rules.fire(t, &mut tokens) {
                steps.push(t);
            }
        }
        (start, steps)
    }
}

impl GoalSearch {
    /// Makes a search. Returns `None` if the goal cannot be expressed in bits.
    pub(super) fn new(
        rules: &Arc<Rules>,
        known: &NetInvariants,
        goal: Formula,
        bounded: Option<Bounded>,
    ) -> Option<Self> {
        let loose = Half::new(rules, known.clone(), &goal)?;
        let strict = bounded.as_ref().and_then(|b| b.strict.as_ref()).and_then(|strict| {
            let before = rules.transitions();
            let rules = Arc::new(Rules::new(&strict.net)?);
            let known = known.with_more(rules.places(), rules.transitions(), before);
            Half::new(&rules, known, &goal)
        });
        let strict_goes_on = strict.is_some();
        Some(Self {
            goal,
            loose,
            strict,
            bounded,
            starts: Vec::new(),
            invariant: None,
            loose_goes_on: true,
            strict_goes_on,
        })
    }

    /// The net under bounds, if the search has a bound.
    pub(super) fn bounded(&self) -> Option<&Bounded> {
        self.bounded.as_ref()
    }

    /// Sets the bound. Every lemma that still holds is kept.
    pub(super) fn set_bound(&mut self, starts: &[(u32, u64, u64)], left: u64) {
        if self.starts != starts {
            for &(place, least, most) in starts {
                self.loose.bits.source().set_start(place, least, most);
            }
            self.starts = starts.to_vec();
            // Only the start changes, so every step still keeps the clauses.
            let holds = |clause: &Vec<Literal>| clause.iter().any(|literal| self.holds_at_start(literal));
            if !self.invariant.as_ref().is_some_and(|clauses| clauses.iter().all(holds)) {
                self.invariant = None;
                self.loose.bits.restart();
            }
        }
        self.loose_goes_on = true;
        let strict = self.bounded.as_ref().and_then(|b| b.strict.as_ref());
        if let (Some(half), Some(strict)) = (&mut self.strict, strict) {
            half.bits.source().set_start(strict.budget, left, left);
            half.bits.restart();
            self.strict_goes_on = true;
        }
    }

    /// True if the literal holds in every initial marking.
    fn holds_at_start(&self, &((place, n), value): &Literal) -> bool {
        let rules = &self.loose.rules;
        let start = self.starts.iter().find(|s| s.0 == place).map(|s| (s.1, s.2));
        let (least, most) = start.unwrap_or((rules.initial[place as usize], rules.initial_most[place as usize]));
        if value { least >= n } else { most < n }
    }

    /// Runs both halves within the budget.
    pub(super) fn run(&mut self, bound: Option<&Bound>, budget: &mut Budget) -> Outcome {
        let both = self.loose_goes_on && self.strict_goes_on;
        let all = budget.work;
        let parts = if bound.is_some() { PARTS_WITHIN } else { PARTS_RISING };
        let for_strict = all / parts + 1;
        if let (true, Some(clauses)) = (self.loose_goes_on, &self.invariant) {
            return Outcome::Safe(clauses.clone());
        }
        if self.loose_goes_on {
            let work = if both { all.saturating_sub(for_strict) + 1 } else { all };
            let mut own = Budget::new(work, Arc::clone(&budget.stop));
            let step = self.loose.run(&mut own);
            budget.spend(own.spent_of(work));
            match step {
                Some(Progress::More) => {}
                Some(Progress::Safe(clauses)) => {
                    let clauses = self.loose.named(&clauses);
                    self.invariant = Some(clauses.clone());
                    return Outcome::Safe(clauses);
                }
                Some(Progress::Unsafe(run)) => match self.trace(&run, bound) {
                    Some(trace) => return Outcome::Unsafe(trace),
                    None => self.loose_goes_on = false,
                },
                Some(Progress::GaveUp(_)) | None => self.loose_goes_on = false,
            }
        }
        if self.strict_goes_on
            && let Some(half) = &mut self.strict
        {
            let work = if both { for_strict } else { all };
            let mut own = Budget::new(work, Arc::clone(&budget.stop));
            let step = half.run(&mut own);
            budget.spend(own.spent_of(work));
            match step {
                Some(Progress::More) => {}
                Some(Progress::Safe(clauses)) => return Outcome::Within(half.named(&clauses)),
                Some(Progress::Unsafe(run)) => match self.strict_trace(&run, bound) {
                    Some(trace) => return Outcome::Unsafe(trace),
                    None => self.strict_goes_on = false,
                },
                Some(Progress::GaveUp(_)) | None => self.strict_goes_on = false,
            }
        }
        if self.loose_goes_on || self.strict_goes_on { Outcome::More } else { Outcome::Over }
    }

    fn trace(&mut self, run: &CircuitRun, bound: Option<&Bound>) -> Option<Trace> {
        let (start, steps) = self.loose.firings(run);
        let rules = &self.loose.rules;
        debug_assert!((0..rules.places()).all(|p| start[p] >= rules.initial[p]), "runs start in initial markings");
        let extra = |&(p, most): &(u32, u32)| {
            u32::try_from(start[p as usize] - rules.initial[p as usize]).ok().filter(|n| *n <= most)
        };
        let extra: Vec<u32> = rules.open.iter().map(extra).collect::<Option<_>>()?;
        self.replayed(extra, &steps, bound)
    }

    /// Makes a trace from a run of the strict half. The steps of the start phase become tokens of the initial
    /// marking.
    fn strict_trace(&mut self, run: &CircuitRun, bound: Option<&Bound>) -> Option<Trace> {
        let (half, strict) = (self.strict.as_mut()?, self.bounded.as_ref()?.strict.as_ref()?);
        let (start, steps) = half.firings(run);
        let rules = &self.loose.rules;
        let mut extra = Vec::with_capacity(rules.open.len());
        for &(p, _) in &rules.open {
            extra.push(u32::try_from(start[p as usize].checked_sub(rules.initial[p as usize])?).ok()?);
        }
        let mut fired = Vec::with_capacity(steps.len());
        for t in steps {
            let Some(source) = t.checked_sub(strict.first_source) else {
                fired.push(t);
                continue;
            };
            let Some(&place) = strict.sources.get(source as usize) else { continue };
            let at = rules.open.iter().position(|(p, _)| *p == place)?;
            extra[at] = extra[at].checked_add(1)?;
        }
        self.replayed(extra, &fired, bound)
    }

    /// Replays a run. Returns its trace if the run reaches the goal and stays within the bound.
    fn replayed(&self, extra: Vec<u32>, steps: &[u32], bound: Option<&Bound>) -> Option<Trace> {
        let rules = &*self.loose.rules;
        let work = SHORTENING.max(8 * steps.len() as u64);
        let mut shortener = Shortener { net: rules, goal: Some(&self.goal), work };
        let found = shortener.run(&extra, steps)?;
        if found.steps.len() != steps.len() {
            return None;
        }
        let short = shortener.shorten(found.clone());
        let best = [short, found].into_iter().find(|f| bound.is_none_or(|b| stays(rules, f, b)))?;
        let mut trace = Trace::new(best.extra.into_boxed_slice());
        best.steps.into_iter().for_each(|t| trace.push(EventId(t), None));
        Some(trace)
    }

    /// The statistics so far.
    pub(super) fn stats(&self) -> Vec<BitsStats> {
        let strict = self.strict.as_ref().map(|s| s.bits.stats());
        std::iter::once(self.loose.bits.stats()).chain(strict).collect()
    }
}

/// True if the run stays within the bound.
fn stays(rules: &Rules, found: &FiringRun, bound: &Bound) -> bool {
    let mut tokens = rules.initial.clone();
    rules.open.iter().zip(&found.extra).for_each(|((p, _), n)| tokens[*p as usize] += u64::from(*n));
    let fits = |tokens: &[u64]| total(bound, tokens) <= bound.most;
    fits(&tokens) && found.steps.iter().all(|&t| rules.fire(t, &mut tokens) && fits(&tokens))
}

/// Clauses, each with the number of steps for which it is known to hold.
#[cfg(test)]
pub(super) type Levels = Vec<(usize, Vec<Literal>)>;

#[cfg(test)]
impl GoalSearch {
    /// The current clauses of the net as it is, and of the net with a budget.
    pub(super) fn levels(&mut self) -> (Levels, Levels) {
        let of = |half: &mut Half| -> Levels {
            let levels = half.bits.levels();
            let named = |(level, clauses): (usize, &Vec<_>)| {
                half.named(clauses).into_iter().map(move |clause| (level, clause)).collect::<Vec<_>>()
            };
            levels.iter().enumerate().flat_map(named).collect()
        };
        // If an invariant still holds under the current bound, the frames belong to an earlier start, and the
        // invariant replaces them.
        let loose = match &self.invariant {
            Some(clauses) => clauses.iter().map(|clause| (usize::MAX, clause.clone())).collect(),
            None => of(&mut self.loose),
        };
        (loose, self.strict.as_mut().map(of).unwrap_or_default())
    }
}
