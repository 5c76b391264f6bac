//! The operators about paths on the way from a formula to the subformula that decides it: each takes steps, or says
//! what no path reaches.

use super::never::{Future, Lost};
use super::walk::Walk;
use super::words::NAMED;
use crate::reasons;
use crate::steps::MarkedRun;
use crate::steps::marking::Stepper;
use crate::text::{names, plural};
use model::{CtlId, CtlNode, EventId, Formula, PlaceId};
use num_bigint::BigUint;

impl<'p> Walk<'p> {
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
            self.trace.push(EventId(transition.0), None);
        }
        self.steps += steps.len() as u64;
        (self.at, self.number) = (at, number);
        true
    }

    /// Goes to a next marking in which the operand holds.
    pub(super) fn next(&mut self, a: CtlId) -> Option<(CtlId, bool)> {
        let paths = self.paths()?;
        let to = *paths.after(self.number()?).iter().find(|to| paths.truths.truth(a, **to) == Some(true))?;
        self.take(&[to]).then_some((a, true))
    }

    pub(super) fn no_next(&mut self, id: CtlId) -> Option<(CtlId, bool)> {
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
    pub(super) fn reach(&mut self, id: CtlId, b: CtlId) -> Option<(CtlId, bool)> {
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
    fn lose_first(&mut self, formula: &Formula, lost: Lost) {
        let stepper = self.words.stepper;
        lost.run.iter().for_each(|transition| self.trace.push(EventId(transition.0), None));
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
        let mut run = MarkedRun::new(self.words.stepper, &lost.run);
        for part in lost.run.runs() {
            if run.repeat(part).is_none() {
                return;
            }
        }
        self.at = run.at().clone();
        self.number = None;
        self.steps = lost.run.len().unwrap_or(u64::MAX);
        self.trace = lost.run.clone();
        if let Some(formula) = self.words.letter(&CtlNode::Letter(lost.letter)) {
            self.never(formula);
        }
    }

    /// No marking with `b` can be reached.
    pub(super) fn unreachable(&mut self, id: CtlId, a: CtlId, b: CtlId) -> Option<(CtlId, bool)> {
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
        let marking = reasons::show(self.words.stepper, &self.at, NAMED);
        self.say(format!("{} ({marking}), {what}{again}{end}.", self.when()));
        let Some(future) = future else { return };
        let more = future.count() as u64 - 1;
        match more {
            0 if future.has_steps() => self.say("What can fire there changes nothing.".to_owned()),
            0 => self.say("No transition is enabled there.".to_owned()),
            _ => {
                self.say(format!("{} can be reached from there, and all were visited.", plural(more, "other marking")))
            }
        }
        let missing = match self.words.enabled(formula) {
            Some(transition) => future.lacking(transition),
            None => future.missing(formula),
        };
        missing.into_iter().for_each(|line| self.say(format!("{}.", capital(&line))));
    }

    /// True if the formula is about the end of a workflow: one token, on a place from which no transition takes any.
    fn is_end(&self, formula: &Formula) -> bool {
        let Stepper::Net(net) = self.words.stepper else { return false };
        let needs = |place: PlaceId| {
            let is_marked = net.place(place).initial.at_least != BigUint::ZERO;
            is_marked || net.transitions().iter().any(|t| t.guard(place).is_some())
        };
        match self.words.whole(formula).as_deref() {
            Some([(place, tokens)]) => *tokens == BigUint::from(1u32) && !needs(*place),
            _ => false,
        }
    }

    /// Says what could have been done instead of the last step, after which the subformula is false.
    fn last_moment(&mut self, id: CtlId) {
        let (Some(paths), Some((before, at, name))) = (self.paths(), &self.last) else { return };
        let is_kept = |to: &&u32| paths.truths.truth(id, **to) == Some(true);
        if paths.truths.truth(id, *before) != Some(true) {
            return;
        }
        let other = paths.after(*before).iter().find(is_kept);
        let Some((other, _)) = other.and_then(|to| paths.step(self.words.stepper, at, *to)) else { return };
        let other = self.words.stepper.transition_name(other);
        self.say(format!("The last step, `{name}`, decides this: before it, `{other}` could fire instead."));
    }

    pub(super) fn always(&mut self, id: CtlId) -> Option<(CtlId, bool)> {
        let sentence = format!("{}, {} is true: each run leads there.", self.when(), self.text(id));
        self.say(sentence);
        None
    }

    /// Goes along a run on which `b` never holds.
    pub(super) fn avoid(&mut self, id: CtlId, a: CtlId, b: CtlId) -> Option<(CtlId, bool)> {
        let since = if self.steps == 0 { String::new() } else { format!(" since step {}", self.steps) };
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
                self.say(format!("{when}, {what} has not come true{since}, and {} is false.", self.text(a)));
                return Some((a, false));
            }
            self.say(format!("{when}, the run ends, and {what} has not come true{since}."));
            return None;
        }
        let (path, begin) = paths.cycle(number, inside)?;
        let (first, taken) = (self.steps + begin as u64, self.take(&path));
        if taken {
            self.trace.repeats_from = Some(first);
            let steps = match first + 1 == self.steps {
                true => format!("Step {} repeats", self.steps),
                false => format!("The steps {} to {} repeat", first + 1, self.steps),
            };
            self.say(format!("{steps} for ever, and {what} does not come true{since}."));
        }
        None
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
