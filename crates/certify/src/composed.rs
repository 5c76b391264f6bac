//! Answers that rest on several claims: formulas of computation tree logic, and largest values of sums.
//!
//! The parts are claims about the problem with more formulas ([`model::Parts`]). Each is checked like a claim of its
//! own.
//!
//! 1. A formula of computation tree logic: the parts show that some formulas hold in no reachable marking. A letter
//!    with such a formula is false in all reachable markings, and a letter with the negation of one is true. So the
//!    formula and the one with constants for these letters have the same truth in each reachable marking. The kernel
//!    evaluates the latter ([`kernel::branching`]). The same holds for a temporal formula and positions of runs. If the
//!    net is shown to be live, or live if it begins again ([`kernel::live`]), `EF a` is true in all reachable markings
//!    for some letters, and in the initial marking for others. The same is shown for single letters by markings from
//!    which they can be reached, with a part which shows that each reachable marking covers one of them
//!    ([`kernel::recurring`]). And for some letters `EF a` is false in the last marking of a run: a claim about the net
//!    that starts there, checked like any other.
//! 2. A largest value v of a sum: one part is a run to a marking in which the sum is at least v, another one shows that
//!    no reachable marking has a greater sum. If v is 0, no run is necessary, because counts are never negative. If the
//!    sum is empty, nothing is.

use crate::{CheckedBy, Confirmed, EvidenceKind, Options, Refusal, Verdict, VerdictKind, confirm};
use kernel::work::Work;
use kernel::{Check, branching, reject};
use model::{
    BranchingEvidence, Claim, Ctl, Formula, FormulaBuilder, FormulaId, Goal, Letter, Lost, Parts, Problem, Property,
    Recurring, Stop, ctl,
};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::{BTreeSet, HashSet};

/// What the parts show.
struct Shown {
    problem: Problem,
    /// Formulas that no reachable marking satisfies.
    never: HashSet<Formula>,
    /// Formulas that some reachable marking satisfies.
    reached: HashSet<Formula>,
    length: u64,
    replayed: u64,
}

impl Shown {
    /// Checks the parts.
    fn by(parts: &Parts, problem: &Problem, options: &Options, stop: &Stop) -> Check<Self> {
        let goals: BTreeSet<Goal> = parts.claims.iter().flat_map(|claim| claim.goals()).copied().collect();
        if let Some(goal) = goals.iter().find(|goal| !matches!(goal, Goal::Formula(_) | Goal::Deadlock)) {
            return reject(format!("a part is about the goal `{goal}`, which is not a set of markings"));
        }
        let extended = problem.clone().changed(|asked| {
            asked.formulas.extend(parts.formulas.iter().cloned());
            asked.properties = goals.iter().map(|goal| Property::never(goal.to_string(), *goal)).collect();
        });
        let extended = extended.map_err(|why| Refusal::Rejected(why.to_string()))?;
        let mut shown =
            Self { problem: extended, never: HashSet::new(), reached: HashSet::new(), length: 0, replayed: 0 };
        for claim in &parts.claims {
            if !matches!(**claim, Claim::Safe { .. } | Claim::Unsafe { .. }) {
                return reject("a part is not a claim about reachable markings");
            }
            let confirmed = confirm(&shown.problem, claim, options, stop)?;
            if !confirmed.trusted.is_empty() {
                return Err(Refusal::Unknown("a part rests on lemmas without proof".to_owned()));
            }
            let formulas = confirmed.goals.iter().filter_map(|goal| shown.problem.formula(*goal));
            let formulas = formulas.map(|formula| Formula::clone(formula));
            let list = if confirmed.verdict.is_safe() { &mut shown.never } else { &mut shown.reached };
            list.extend(formulas);
            shown.add(confirmed.length, confirmed.replayed);
        }
        Ok(shown)
    }

    /// Checks letters that can always be reached, and returns them.
    fn recurring(
        &mut self,
        recurring: &Recurring,
        problem: &Problem,
        options: &Options,
        work: &mut Work<'_>,
        stop: &Stop,
    ) -> Check<HashSet<FormulaId>> {
        let shown = Self::by(&recurring.parts, problem, options, stop)?;
        for (letter, ways) in &recurring.ways {
            kernel::recurring::check(problem, *letter, ways, work)?;
            if everywhere(&shown.never, &kernel::recurring::covers_some(ways)) != Some(true) {
                return reject("no part shows that each reachable marking covers a listed one");
            }
            self.add(ways.len() as u64, 0);
        }
        self.add(shown.length, shown.replayed);
        Ok(recurring.ways.iter().map(|(letter, _)| *letter).collect())
    }

    /// Checks that a letter is lost after a run.
    fn lost(
        &mut self,
        lost: &Lost,
        problem: &Problem,
        options: &Options,
        work: &mut Work<'_>,
        stop: &Stop,
    ) -> Check<()> {
        let (problem, length) = kernel::recurring::starting_after(problem, lost.letter, &lost.run, work)?;
        let confirmed = match &*lost.never {
            Claim::Safe { goals, .. } if *goals == [Goal::Formula(lost.letter)] => {
                confirm(&problem, &lost.never, options, stop)?
            }
            _ => return reject("a claim is not about the letter that is lost"),
        };
        if !confirmed.trusted.is_empty() {
            return Err(Refusal::Unknown("a claim about a lost letter rests on lemmas without proof".to_owned()));
        }
        self.add(length.saturating_add(confirmed.length), confirmed.replayed);
        Ok(())
    }

    fn add(&mut self, length: u64, replayed: u64) {
        self.length = self.length.saturating_add(length);
        self.replayed = self.replayed.saturating_add(replayed);
    }

    fn confirmed(self, goals: &[Goal], kind: VerdictKind, evidence: EvidenceKind) -> Confirmed {
        Confirmed {
            goals: goals.to_vec(),
            verdict: Verdict(kind),
            value: None,
            evidence,
            checked_by: CheckedBy::Rules,
            length: self.length,
            replayed: self.replayed,
            trusted: Vec::new(),
            hash: 0,
        }
    }
}

/// Returns the truth of a formula that is the same in all reachable markings. None satisfies those of `never`.
pub(crate) fn everywhere(never: &HashSet<Formula>, formula: &Formula) -> Option<bool> {
    let negation = || {
        let mut builder = FormulaBuilder::default();
        let copy = builder.copy(formula);
        let root = builder.negate(copy);
        builder.finish(root)
    };
    if let Some(value) = ctl::constant(formula) {
        return Some(value);
    }
    if never.contains(formula) {
        return Some(false);
    }
    let negation = negation();
    (ctl::constant(&negation) == Some(false) || never.contains(&negation)).then_some(true)
}

/// Checks evidence about formulas of computation tree logic (1).
pub(crate) fn branching(
    problem: &Problem,
    (goals, holds): (&[Goal], bool),
    evidence: &BranchingEvidence,
    options: &Options,
    work: &mut Work<'_>,
    stop: &Stop,
) -> Check<Confirmed> {
    kernel::asked(problem, goals)?;
    let mut shown = Shown::by(&evidence.never, problem, options, stop)?;
    let live = match (&evidence.live, problem.system().as_net()) {
        (Some(live), Some(net)) => Some(kernel::live::check(net, live, work)?),
        (Some(_), None) => return reject("only nets have evidence about liveness"),
        (None, _) => None,
    };
    let by_live = |formula: &Formula| live.as_ref().and_then(|live| live.constant(formula));
    let recurring = evidence.recurring.as_ref();
    let recurring = recurring.map(|recurring| shown.recurring(recurring, problem, options, work, stop)).transpose()?;
    evidence.lost.iter().try_for_each(|lost| shown.lost(lost, problem, options, work, stop))?;
    let lost: HashSet<FormulaId> = evidence.lost.iter().map(|lost| lost.letter).collect();
    let letter = |id: FormulaId| {
        let formula = shown.problem.formula(Goal::Formula(id))?;
        everywhere(&shown.never, formula).or_else(|| by_live(formula))
    };
    let (mut recurs, mut happens) = (recurring.unwrap_or_default(), HashSet::new());
    for id in goals.iter().filter_map(|goal| problem.ctl(*goal)).flat_map(|formula| formula.letters()) {
        let (Some(live), Some(formula)) = (&live, problem.formula(Goal::Formula(id))) else { continue };
        if live.recurs(formula, work)? {
            recurs.insert(id);
        }
        if live.happens(formula, work)? {
            happens.insert(id);
        }
    }
    let (mut formulas, mut runs) = (Vec::new(), Vec::new());
    for goal in goals {
        match (problem.ctl(*goal), problem.ltl(*goal)) {
            (Some(formula), _) => {
                let simple = formula.simplified(letter, |id| recurs.contains(&id));
                let truth = simple.initially(|id| happens.contains(&id), |id| lost.contains(&id));
                formulas.push(truth.map_or(simple, Ctl::constant));
            }
            (None, Some(formula)) if holds => {
                let of = |of: Letter| if let Letter::Marking(id) = of { letter(id) } else { None };
                runs.push((*goal, formula.with(of)));
            }
            (None, Some(_)) => return reject("only a run can show that a formula about runs is violated"),
            (None, None) => return reject(format!("the goal `{goal}` has no formula")),
        }
    }
    let markings = evidence.markings.as_deref();
    let whole = match runs.is_empty() {
        true => branching::check(problem, &formulas, holds, (markings, &evidence.siphons), work)?,
        false if formulas.is_empty() => branching::check_runs(problem, &runs, markings, work)?,
        false => return reject("one claim names formulas about runs and formulas of branching time"),
    };
    shown.add(whole.states, whole.states);
    let kind = if holds { VerdictKind::Safe } else { VerdictKind::Unsafe };
    Ok(shown.confirmed(goals, kind, EvidenceKind::Branching))
}

/// Checks evidence about a largest value (2).
pub(crate) fn bound(
    problem: &Problem,
    (goal, value): (Goal, &BigUint),
    parts: &Parts,
    options: &Options,
    stop: &Stop,
) -> Check<Confirmed> {
    let sum = match goal {
        Goal::Bound(id) => problem.sums().get(id.index()),
        _ => None,
    };
    let Some(sum) = sum else { return reject(format!("there is no {goal}")) };
    let shown = Shown::by(parts, problem, options, stop)?;
    let most = model::bound::exceeds(sum, value);
    if everywhere(&shown.never, &most) != Some(false) {
        return reject(format!("no part shows that the sum is never greater than {value}"));
    }
    if !value.is_zero() && !shown.reached.contains(&model::bound::at_least(sum, value)) {
        return reject(format!("no part is a run to a marking in which the sum is {value}"));
    }
    let confirmed = shown.confirmed(&[goal], VerdictKind::Value, EvidenceKind::Bound);
    Ok(Confirmed { value: Some(value.clone()), ..confirmed })
}
