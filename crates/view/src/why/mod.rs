//! Why a formula of computation tree logic holds or fails, from evidence that the checker has accepted: a run to the
//! marking that decides it, and sentences that say what is true or impossible there.
//!
//! The formula is followed from its root to one subformula that decides it. For `AG EF a` that fails this is a shortest
//! run to a marking from which no marking with `a` can be reached, and what is missing there. Questions about a net as
//! a whole (`SOUND`, `LIVENESS`) are such formulas. The truth of subformulas comes from the listed markings of the
//! evidence ([`certify::why`]); without these, only what the evidence says about the initial marking is explained.

mod facts;
mod lasso;
mod never;
mod paths;
mod words;

use crate::reasons::reasons;
use crate::steps::marking::{Marking, Stepper};
use crate::text::{names, plural};
use crate::trace::{self, Detail, Rendered};
use certify::why::{Constants, constants, truths};
pub use facts::facts;
pub use lasso::along;
use model::{
    BranchingEvidence, Claim, Ctl, CtlId, CtlNode, EventId, Formula, FormulaBuilder, Goal, PlaceId, Problem, Stop,
    Trace,
};
use never::Future;
use num_bigint::BigUint;
use paths::Paths;
use std::cell::OnceCell;
use std::collections::VecDeque;
use words::Words;

/// The most listed markings that are looked at.
const MARKINGS: u64 = 300_000;
/// Most parts of a conjunction that are named, and most inequalities.
const NAMED: usize = 6;

/// The reason for an answer.
#[derive(Clone, Debug)]
pub struct Why {
    /// The run to the marking that decides the formula. Empty if this is the initial one.
    pub trace: Trace,
    /// Sentences about this marking and the run.
    pub sentences: Vec<String>,
}

/// Returns why the formula of a claim that the checker has accepted holds or fails. `None` if the claim is of another
/// kind, or its evidence is too large.
#[must_use]
pub fn of(problem: &Problem, claim: &Claim, goal: Goal) -> Option<Why> {
    let Claim::Branching { holds, evidence, .. } = claim else { return None };
    let formula = problem.ctl(goal)?;
    let stepper = Stepper::new(problem.system())?;
    if evidence.markings.as_ref().is_some_and(|listed| listed.states.len() > MARKINGS) {
        return None;
    }
    let constants = constants(problem, formula, evidence);
    let root = formula.root();
    let listed = OnceCell::new();
    // Of several initial markings, one decides.
    let start = match stepper.open_places().is_empty() {
        true => Box::from([]),
        false => {
            let listed = listed.get_or_init(|| Listed::of(problem, formula, evidence, &constants, *holds));
            let (paths, number) = listed.as_ref().map(|listed| (&listed.paths, listed.initial))?;
            paths.extra(stepper, paths.truths.row(number))
        }
    };
    let lasting = formula.lasting(|letter| constants.get(&letter).copied());
    let at = stepper.start(&start);
    let words = Words::new(problem, stepper, formula);
    let future = Future::of(stepper, &at);
    let why = Why { trace: Trace::new(start), sentences: Vec::new() };
    let known = Known { problem, formula, evidence, constants, holds: *holds, listed, lasting, future };
    let mut walk =
        Walk { known, words, number: None, at, steps: 0, why, last: None, others: Vec::new(), dead: Vec::new() };
    walk.follow(root, *holds);
    walk.rest();
    // That a formula holds needs a reason only if a run shows it.
    let is_shown = !*holds || walk.why.trace.len() != Some(0);
    (is_shown && !walk.why.sentences.is_empty()).then_some(walk.why)
}

impl Why {
    /// Returns the run with the sentences, as text for people.
    #[must_use]
    pub fn render(&self, problem: &Problem, detail: Detail) -> String {
        let Rendered { run, why } = trace::net::explained(problem, self, detail);
        run + &why
    }
}

/// Returns the run of a claim that the checker has accepted: the run itself if the claim is one, or the run to the
/// marking that decides a formula.
#[must_use]
pub fn run(problem: &Problem, claim: &Claim, goal: Goal) -> Option<Trace> {
    match claim {
        Claim::Unsafe { trace, .. } => Some(trace.clone()),
        _ => of(problem, claim, goal).map(|why| why.trace).filter(|trace| trace.len() != Some(0)),
    }
}

/// The listed markings of the evidence.
struct Listed<'p> {
    paths: Paths<'p>,
    /// The initial marking that decides the formula.
    initial: u32,
}

impl<'p> Listed<'p> {
    fn of(
        problem: &Problem,
        formula: &Ctl,
        evidence: &'p BranchingEvidence,
        constants: &Constants,
        holds: bool,
    ) -> Option<Self> {
        let truths = truths(problem, formula, evidence, constants, &Stop::default())?;
        let decides = |number: &&u32| truths.truth(formula.root(), **number) == Some(holds);
        let initial = truths.initial().iter().find(decides).copied()?;
        Some(Self { paths: Paths::new(truths, &evidence.markings.as_ref()?.slots), initial })
    }
}

/// What is known of the subformulas, cheapest first.
struct Known<'p> {
    problem: &'p Problem,
    formula: &'p Ctl,
    evidence: &'p BranchingEvidence,
    constants: Constants,
    holds: bool,
    /// Computed when it is needed: for small nets the markings after the initial one say enough.
    listed: OnceCell<Option<Listed<'p>>>,
    /// For each subformula: its truth, if it is the same in all reachable markings.
    lasting: Vec<Option<bool>>,
    /// The markings that can be reached from the initial one, if they are few.
    future: Option<Future<'p>>,
}

impl<'p> Known<'p> {
    fn listed(&self) -> Option<&Listed<'p>> {
        let Self { problem, formula, evidence, constants, holds, .. } = self;
        self.listed.get_or_init(|| Listed::of(problem, formula, evidence, constants, *holds)).as_ref()
    }

    /// The truth of `EF a`, `EF !EF a` and their negations in the initial marking of a small net.
    fn initially(&self, words: &Words<'_>, id: CtlId) -> Option<bool> {
        let future = self.future.as_ref()?;
        let reached = match self.formula.node(id) {
            CtlNode::Not(a) => return self.initially(words, *a).map(|truth| !truth),
            node => self.formula.reached(node)?,
        };
        match reached {
            CtlNode::Not(inner) => {
                let letter = self.formula.reached(self.formula.node(*inner))?;
                Some(future.lost(words.letter(letter)?).is_some())
            }
            letter => Some(future.reaches(words.letter(letter)?)),
        }
    }
}

/// Follows a formula.
struct Walk<'p> {
    known: Known<'p>,
    words: Words<'p>,
    /// The current marking, and its number in the list if a path led there.
    at: Marking,
    number: Option<u32>,
    steps: u64,
    why: Why,
    /// The marking before the last step, and the transition of the step.
    last: Option<(u32, Marking, String)>,
    /// Other parts of a conjunction that fail in the initial marking, and those that say that a transition is not dead.
    others: Vec<CtlId>,
    dead: Vec<CtlId>,
}

impl<'p> Walk<'p> {
    fn say(&mut self, sentence: String) {
        self.why.sentences.push(sentence);
    }

    fn when(&self) -> String {
        if self.steps == 0 {
            "In the initial marking".to_owned()
        } else {
            format!("After {}", plural(self.steps, "event"))
        }
    }

    /// The number of the current marking in the list.
    fn number(&self) -> Option<u32> {
        let initial = || self.known.listed().map(|listed| listed.initial).filter(|_| self.steps == 0);
        self.number.or_else(initial)
    }

    fn paths(&self) -> Option<&Paths<'p>> {
        self.known.listed().map(|listed| &listed.paths)
    }

    fn text(&self, id: CtlId) -> String {
        self.words.of(self.known.formula, id)
    }

    /// The truth of a subformula in the current marking, if it is known.
    fn truth(&self, id: CtlId) -> Option<bool> {
        let early = || if self.steps == 0 { self.known.initially(&self.words, id) } else { None };
        let listed = || self.known.listed()?.paths.truths.truth(id, self.number()?);
        self.known.lasting[id.index()].or_else(early).or_else(listed).or_else(|| self.by_loss(id))
    }

    /// `EF !EF a` is true in the initial marking if the evidence has a run after which `a` is lost.
    fn by_loss(&self, id: CtlId) -> Option<bool> {
        let lost = self.lost(id).is_some() && self.steps == 0;
        match self.known.formula.node(id) {
            CtlNode::Not(a) => self.by_loss(*a).map(|truth| !truth),
            _ => lost.then_some(true),
        }
    }

    /// Returns the run after which `a` is lost if the subformula is `EF !EF a`.
    fn lost(&self, id: CtlId) -> Option<&model::Lost> {
        let CtlNode::Not(inner) = self.known.formula.reached(self.known.formula.node(id))? else { return None };
        let CtlNode::Letter(letter) = self.known.formula.reached(self.known.formula.node(*inner))? else { return None };
        self.known.evidence.lost.iter().find(|lost| lost.letter == *letter).map(|lost| &**lost)
    }

    /// Says why a subformula has this truth in the current marking.
    fn follow(&mut self, id: CtlId, truth: bool) {
        let mut next = Some((id, truth));
        while let Some((id, truth)) = next {
            next = match (self.known.formula.node(id), truth) {
                (CtlNode::Not(a), _) => Some((*a, !truth)),
                (CtlNode::Constant(_), _) => None,
                (CtlNode::Letter(_), _) => self.letter(id, truth),
                (CtlNode::All(parts), false) | (CtlNode::Any(parts), true) => self.some(id, parts, truth),
                (CtlNode::All(parts), true) | (CtlNode::Any(parts), false) => self.each(parts, truth),
                (CtlNode::ExistsNext(a), true) => self.next(*a),
                (CtlNode::ExistsNext(_), false) => self.no_next(id),
                (CtlNode::ExistsUntil(_, b), true) => self.reach(id, *b),
                (CtlNode::ExistsUntil(a, b), false) => self.unreachable(id, *a, *b),
                (CtlNode::AllUntil(..), true) => self.always(id),
                (CtlNode::AllUntil(a, b), false) => self.avoid(id, *a, *b),
            };
        }
    }

    /// A formula over places.
    fn letter(&mut self, id: CtlId, truth: bool) -> Option<(CtlId, bool)> {
        let formula = self.words.letter(self.known.formula.node(id))?;
        let negation;
        let shown = match truth {
            true => formula,
            false => {
                let mut builder = FormulaBuilder::default();
                let copy = builder.copy(formula);
                let root = builder.negate(copy);
                negation = builder.finish(root);
                &negation
            }
        };
        let reasons = reasons(self.words.stepper, shown, &self.at, NAMED);
        let reasons = names(reasons.iter().map(String::as_str), NAMED);
        let what = self.words.marking(formula);
        let sentence = match reasons.is_empty() {
            true => format!("{}, {what} is {truth}.", self.when()),
            false => format!("{}, {reasons}.", self.when()),
        };
        self.say(sentence);
        None
    }

    /// A part with this truth decides.
    fn some(&mut self, id: CtlId, parts: &[CtlId], truth: bool) -> Option<(CtlId, bool)> {
        let decisive: Vec<CtlId> = parts.iter().filter(|part| self.truth(**part) == Some(truth)).copied().collect();
        let dead: Vec<CtlId> = decisive.iter().filter(|part| !truth && self.is_dead(**part)).copied().collect();
        let Some(&first) = decisive.first() else {
            let sentence = format!("{}, {} is {truth} (checked).", self.when(), self.text(id));
            self.say(sentence);
            return None;
        };
        if !truth && self.steps == 0 && dead.len() < decisive.len() {
            self.others = decisive.iter().skip(1).filter(|part| !dead.contains(part)).copied().collect();
            self.dead = dead.clone();
        }
        if dead.first() == Some(&first) {
            self.dead(&dead);
            self.dead.clear();
            return None;
        }
        Some((first, truth))
    }

    /// Says what else fails in the initial marking.
    fn rest(&mut self) {
        let mut said: Vec<String> = self.others.iter().take(NAMED).map(|part| self.short(*part)).collect();
        if self.others.len() > NAMED {
            said.push(format!("{} more", self.others.len() - NAMED));
        }
        let of = |part: &CtlId| {
            self.words.enabled(self.words.letter(self.known.formula.reached(self.known.formula.node(*part))?)?)
        };
        let dead = self.dead.iter().filter_map(of).map(|t| format!("`{}`", self.words.stepper.transition_name(t)));
        let dead: Vec<String> = dead.collect();
        if !dead.is_empty() {
            said.push(format!("never enabled: {}", names(dead.iter().map(String::as_str), NAMED)));
        }
        if !said.is_empty() {
            self.say(format!("Also wrong: {}.", said.join("; ")));
        }
    }

    /// Says in a few words what fails.
    fn short(&self, part: CtlId) -> String {
        let formula = self.known.formula;
        let CtlNode::Not(inner) = formula.node(part) else { return format!("{} fails", self.text(part)) };
        let reached = formula.reached(formula.node(*inner));
        let lost = match reached {
            Some(CtlNode::Not(a)) => formula.reached(formula.node(*a)).and_then(|letter| self.words.letter(letter)),
            _ => None,
        };
        match (lost, reached.and_then(|node| self.words.letter(node))) {
            (Some(letter), _) => match self.words.enabled(letter) {
                Some(t) => format!("`{}` can become impossible", self.words.stepper.transition_name(t)),
                None => format!("{} can become impossible", self.words.marking(letter)),
            },
            (None, Some(letter)) => format!("{} can be reached", self.words.marking(letter)),
            (None, None) => format!("{} fails", self.text(part)),
        }
    }

    /// True if the subformula says that a transition gets enabled in some run.
    fn is_dead(&self, id: CtlId) -> bool {
        let reached = self.known.formula.reached(self.known.formula.node(id));
        let formula = reached.and_then(|node| self.words.letter(node));
        formula.is_some_and(|formula| self.words.enabled(formula).is_some())
    }

    /// Says of transitions that they never fire, and why.
    fn dead(&mut self, parts: &[CtlId]) {
        let of = |part: &CtlId| {
            self.words.enabled(self.words.letter(self.known.formula.reached(self.known.formula.node(*part))?)?)
        };
        let transitions: Vec<_> = parts.iter().filter_map(of).collect();
        let named: Vec<String> =
            transitions.iter().map(|t| format!("`{}`", self.words.stepper.transition_name(*t))).collect();
        let is = if let [_] = named[..] { "is a dead transition" } else { "are dead transitions" };
        self.say(format!(
            "{} {is}: no run enables {}.",
            names(named.iter().map(String::as_str), NAMED),
            if named.len() == 1 { "it" } else { "them" }
        ));
        if let Some(future) = &self.known.future {
            let mut wanted = VecDeque::new();
            let lines: Vec<String> = transitions.iter().take(NAMED).map(|t| future.lacks(*t, &mut wanted)).collect();
            lines.into_iter().for_each(|line| self.say(format!("{line}.")));
        }
    }

    /// All parts have this truth.
    fn each(&mut self, parts: &[CtlId], truth: bool) -> Option<(CtlId, bool)> {
        let is_letter = |part: &&CtlId| matches!(self.known.formula.node(**part), CtlNode::Letter(_));
        let (letters, others): (Vec<CtlId>, Vec<CtlId>) = parts.iter().partition(is_letter);
        for letter in letters.into_iter().take(NAMED) {
            self.letter(letter, truth);
        }
        if let [one] = others[..] {
            return Some((one, truth));
        }
        let when = self.when();
        for part in others.iter().take(NAMED) {
            let sentence = format!("{when}, {} is {truth}.", self.text(*part));
            self.say(sentence);
        }
        if others.len() > NAMED {
            self.say(format!("{} more parts are {truth} there.", others.len() - NAMED));
        }
        None
    }

    /// Takes steps through listed markings. Returns false if they cannot be shown.
    fn take(&mut self, path: &[u32]) -> bool {
        let Some(paths) = self.known.listed().map(|listed| &listed.paths) else { return false };
        let (mut steps, mut at, mut number) = (Vec::new(), self.at.clone(), self.number());
        for &to in path {
            let Some((transition, next)) = paths.step(self.words.stepper, &at, to) else { return false };
            self.last = number.map(|from| (from, at, self.words.stepper.transition_name(transition)));
            steps.push(transition);
            (at, number) = (next, Some(to));
        }
        for transition in &steps {
            self.why.trace.push(EventId(transition.0), None);
        }
        self.steps += steps.len() as u64;
        (self.at, self.number) = (at, number);
        true
    }

    /// Goes to a next marking in which the operand holds.
    fn next(&mut self, a: CtlId) -> Option<(CtlId, bool)> {
        let paths = self.paths()?;
        let to = *paths.after(self.number()?).iter().find(|to| paths.truths.truth(a, **to) == Some(true))?;
        self.take(&[to]).then_some((a, true))
    }

    fn no_next(&mut self, id: CtlId) -> Option<(CtlId, bool)> {
        let stepper = self.words.stepper;
        let enabled: Vec<String> = stepper
            .transitions()
            .filter(|t| stepper.is_enabled(&self.at, *t))
            .map(|t| stepper.transition_name(t))
            .collect();
        let sentence = match enabled.is_empty() {
            true => format!("{}, no transition is enabled.", self.when()),
            false => {
                let enabled = names(enabled.iter().map(String::as_str), NAMED);
                format!("{}, {} is false: only {enabled} can fire.", self.when(), self.text(id))
            }
        };
        self.say(sentence);
        None
    }

    /// Goes to a marking that can be reached.
    fn reach(&mut self, id: CtlId, b: CtlId) -> Option<(CtlId, bool)> {
        let CtlNode::ExistsUntil(a, _) = self.known.formula.node(id) else { return None };
        if let Some(formula) = self.letter_lost(id)
            && self.steps == 0
            && let Some(lost) = self.known.future.as_ref().and_then(|future| future.lost(formula))
        {
            self.lose_first(formula, lost);
            return None;
        }
        let path = self.paths().zip(self.number()).and_then(|(paths, number)| {
            let is = |formula: CtlId| move |marking: u32| paths.truths.truth(formula, marking) == Some(true);
            paths.shortest(number, is(*a), is(b))
        });
        if let Some(path) = path
            && self.take(&path)
        {
            return Some((b, true));
        }
        if let Some(lost) = self.lost(id).cloned()
            && self.steps == 0
        {
            self.lose(&lost);
            return None;
        }
        let sentence = format!("{}, {} is true (checked).", self.when(), self.text(id));
        self.say(sentence);
        None
    }

    /// Returns the formula of `a` if the subformula is `EF !EF a`.
    fn letter_lost(&self, id: CtlId) -> Option<&'p Formula> {
        let CtlNode::Not(inner) = self.known.formula.reached(self.known.formula.node(id))? else { return None };
        self.words.letter(self.known.formula.reached(self.known.formula.node(*inner))?)
    }

    /// Takes a shortest run after which a formula can never be satisfied.
    fn lose_first(&mut self, formula: &Formula, lost: never::Lost) {
        let stepper = self.words.stepper;
        lost.run.iter().for_each(|transition| self.why.trace.push(EventId(transition.0), None));
        self.steps += lost.run.len() as u64;
        (self.at, self.number) = (lost.at, None);
        self.never(formula);
        if let (Some(last), false) = (lost.run.last(), lost.others.is_empty()) {
            let last = stepper.transition_name(*last);
            let others: Vec<String> =
                lost.others.iter().map(|t| format!("`{}`", stepper.transition_name(*t))).collect();
            let others = names(others.iter().map(String::as_str), NAMED);
            self.say(format!("The last step, `{last}`, decides this: before it, {others} could fire instead."));
        }
    }

    /// Takes the run of the evidence after which a letter is lost.
    fn lose(&mut self, lost: &model::Lost) {
        let mut run = crate::steps::MarkedRun::new(self.words.stepper, &lost.run);
        for part in lost.run.runs() {
            if run.repeat(part).is_none() {
                return;
            }
        }
        self.at = run.at().clone();
        self.number = None;
        self.steps = lost.run.len().unwrap_or(u64::MAX);
        self.why.trace = lost.run.clone();
        if let Some(formula) = self.words.letter(&CtlNode::Letter(lost.letter)) {
            self.never(formula);
        }
    }

    /// No marking with `b` can be reached.
    fn unreachable(&mut self, id: CtlId, a: CtlId, b: CtlId) -> Option<(CtlId, bool)> {
        let is_reach = *self.known.formula.node(a) == CtlNode::Constant(true);
        match self.words.letter(self.known.formula.node(b)) {
            Some(formula) if is_reach => self.never(formula),
            _ => {
                let sentence = match self.known.formula.node(b) {
                    CtlNode::Not(c) if is_reach => format!("{}, AG {} holds.", self.when(), self.text(*c)),
                    _ => format!("{}, {} is false: no run leads there.", self.when(), self.text(id)),
                };
                self.say(sentence);
            }
        }
        self.last_moment(id);
        None
    }

    /// Says that no marking with this formula can be reached, and what is missing.
    fn never(&mut self, formula: &Formula) {
        let future = Future::of(self.words.stepper, &self.at);
        let future = if self.steps > 0 { future.map(Future::later) } else { future };
        let what = match self.words.enabled(formula) {
            Some(transition) => {
                format!("`{}` can never be enabled", self.words.stepper.transition_name(transition))
            }
            None => format!("{} can never be reached", self.words.marking(formula)),
        };
        let again = if self.steps == 0 { "" } else { " any more" };
        let end = if self.is_end(formula) { ", so there is no option to complete" } else { "" };
        let marking = crate::reasons::show(self.words.stepper, &self.at, NAMED);
        self.say(format!("{} ({marking}), {what}{again}{end}.", self.when()));
        let Some(future) = future else { return };
        let more = future.count() as u64 - 1;
        match more {
            0 => self.say("No transition is enabled there.".to_owned()),
            _ => {
                self.say(format!("{} can be reached from there, and all were visited.", plural(more, "other marking")))
            }
        }
        let missing = match self.words.enabled(formula) {
            Some(transition) => vec![future.lacks(transition, &mut VecDeque::new())],
            None => future.missing(formula),
        };
        missing.into_iter().for_each(|line| self.say(format!("{}.", capital(&line))));
    }

    /// True if the formula is about the end of a workflow: one token, on a place from which no transition takes any.
    fn is_end(&self, formula: &Formula) -> bool {
        let Stepper::Net(net) = self.words.stepper else { return false };
        let needs = |place: PlaceId| net.transitions().iter().any(|t| t.guard(place).is_some());
        match self.words.whole(formula).as_deref() {
            Some([(place, tokens)]) => *tokens == BigUint::from(1u32) && !needs(*place),
            _ => false,
        }
    }

    /// Says what could have been done instead of the last step, after which the subformula is false.
    fn last_moment(&mut self, id: CtlId) {
        let (Some(paths), Some((before, at, name))) = (self.paths(), &self.last) else { return };
        let is_kept = |to: &&u32| paths.truths.truth(id, **to) == Some(true);
        let other = paths.after(*before).iter().find(is_kept);
        let Some((other, _)) = other.and_then(|to| paths.step(self.words.stepper, at, *to)) else { return };
        let other = self.words.stepper.transition_name(other);
        self.say(format!("The last step, `{name}`, decides this: before it, `{other}` could fire instead."));
    }

    fn always(&mut self, id: CtlId) -> Option<(CtlId, bool)> {
        let sentence = format!("{}, {} is true: each run leads there.", self.when(), self.text(id));
        self.say(sentence);
        None
    }

    /// Goes along a run on which `b` never holds.
    fn avoid(&mut self, id: CtlId, a: CtlId, b: CtlId) -> Option<(CtlId, bool)> {
        let what = self.text(b);
        let paths = self.paths()?;
        let is_false = |formula: CtlId| move |marking: u32| paths.truths.truth(formula, marking) == Some(false);
        let (number, inside) = (self.number()?, is_false(id));
        let is_end = |to: u32| inside(to) && (is_false(a)(to) || paths.after(to).is_empty());
        if let Some(path) = paths.shortest(number, inside, is_end) {
            let is_broken = is_false(a)(path.last().copied().unwrap_or(number));
            if !self.take(&path) {
                return None;
            }
            let when = self.when();
            if is_broken {
                self.say(format!("{when}, {what} has not come true, and {} is false.", self.text(a)));
                return Some((a, false));
            }
            self.say(format!("{when}, the run ends, and {what} has not come true."));
            return None;
        }
        let (path, begin) = paths.cycle(number, inside)?;
        let (first, taken) = (self.steps + begin as u64, self.take(&path));
        if taken {
            self.why.trace.repeats_from = Some(first);
            let steps = match first + 1 == self.steps {
                true => format!("Step {} repeats", self.steps),
                false => format!("The steps {} to {} repeat", first + 1, self.steps),
            };
            self.say(format!("{steps} for ever, and {what} never comes true."));
        }
        None
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
