//! The way from a formula to the subformula that decides it: connectives and formulas over places. The operators about
//! paths are in `along.rs`.

use super::known::Known;
use super::paths::Paths;
use super::words::{NAMED, Words};
use crate::reasons::reasons;
use crate::steps::marking::Marking;
use crate::text::{names, plural};
use model::{CtlId, CtlNode, FormulaBuilder, Trace};
use std::collections::VecDeque;

/// Follows a formula.
pub(super) struct Walk<'p> {
    pub(super) known: Known<'p>,
    pub(super) words: Words<'p>,
    /// The current marking, and its number in the list if a path led there.
    pub(super) at: Marking,
    pub(super) number: Option<u32>,
    pub(super) steps: u64,
    /// The run to the current marking, and what was said.
    pub(super) trace: Trace,
    pub(super) sentences: Vec<String>,
    /// The marking before the last step, and the transition of the step.
    pub(super) last: Option<(u32, Marking, String)>,
    /// Other parts of a conjunction that fail in the initial marking, and those that say that a transition is not dead.
    pub(super) others: Vec<CtlId>,
    pub(super) dead: Vec<CtlId>,
}

impl<'p> Walk<'p> {
    pub(super) fn say(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    pub(super) fn when(&self) -> String {
        if self.steps == 0 {
            "In the initial marking".to_owned()
        } else {
            format!("After {}", plural(self.steps, "event"))
        }
    }

    /// The number of the current marking in the list.
    pub(super) fn number(&self) -> Option<u32> {
        let initial = || self.known.listed().map(|listed| listed.initial).filter(|_| self.steps == 0);
        self.number.or_else(initial)
    }

    pub(super) fn paths(&self) -> Option<&Paths<'p>> {
        self.known.listed().map(|listed| &listed.paths)
    }

    pub(super) fn text(&self, id: CtlId) -> String {
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
    pub(super) fn lost(&self, id: CtlId) -> Option<&model::Lost> {
        let CtlNode::Not(inner) = self.known.formula.reached(self.known.formula.node(id))? else { return None };
        let CtlNode::Letter(letter) = self.known.formula.reached(self.known.formula.node(*inner))? else { return None };
        self.known.evidence.lost.iter().find(|lost| lost.letter == *letter).map(|lost| &**lost)
    }

    /// Says why a subformula has this truth in the current marking.
    pub(super) fn follow(&mut self, id: CtlId, truth: bool) {
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
    pub(super) fn rest(&mut self) {
        let mut said: Vec<String> = self.others.iter().take(NAMED).map(|part| self.short(*part)).collect();
        if self.others.len() > NAMED {
            said.push(format!("{} more", self.others.len() - NAMED));
        }
        let of = |part: &CtlId| {
            self.words.enabled(self.words.letter(self.known.formula.reached(self.known.formula.node(*part))?)?)
        };
        let dead = self
            .dead
            .iter()
            .filter_map(of)
            .flat_map(|t| self.words.alike(t))
            .map(|t| format!("`{}`", self.words.stepper.transition_name(t)));
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
                Some(t) => format!("`{}` is not live", self.words.stepper.transition_name(t)),
                None => format!("{} cannot always be reached", self.words.marking(letter)),
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
        let transitions: Vec<_> = parts.iter().filter_map(of).flat_map(|t| self.words.alike(t)).collect();
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
}
