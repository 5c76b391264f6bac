//! Formulas as text, with the names of places and transitions. Built bottom up, so that deep formulas need no stack;
//! long ones are cut in the middle.

use crate::steps::marking::Stepper;
use crate::text::number;
use model::{Ctl, CtlId, CtlNode, Formula, FormulaId, Goal, Linear, Node, PlaceId, Problem, Range, TransitionId};
use num_bigint::{BigInt, BigUint};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Longest text of a formula, in characters.
const LENGTH: usize = 120;
/// Most operands of a conjunction that are written.
const OPERANDS: usize = 6;

/// Most parts of a conjunction that are named, and most inequalities.
pub(super) const NAMED: usize = 6;

type Atoms = Vec<(Vec<(PlaceId, BigInt)>, BigInt)>;

/// Writes the formulas of a problem.
pub(super) struct Words<'p> {
    problem: &'p Problem,
    pub(super) stepper: Stepper<'p>,
    /// The transitions by the inequalities that enable them. Empty if the formula is not about most transitions, as
    /// `LIVENESS` is: then `p >= 1` is shown as it was asked.
    enabling: HashMap<Atoms, TransitionId>,
}

impl<'p> Words<'p> {
    pub(super) fn new(problem: &'p Problem, stepper: Stepper<'p>, formula: &Ctl) -> Self {
        let mut enabling = HashMap::new();
        for transition in stepper.transitions() {
            let mut atoms = Atoms::new();
            for (place, range) in guards(stepper, transition) {
                let one = BigInt::from(1);
                if range.at_least != BigUint::ZERO {
                    atoms.push((vec![(place, one.clone())], range.at_least.into()));
                }
                if let Some(most) = range.at_most {
                    atoms.push((vec![(place, -one)], -BigInt::from(most)));
                }
            }
            atoms.sort();
            enabling.entry(atoms).or_insert(transition);
        }
        let mut this = Self { problem, stepper, enabling };
        let letters: HashSet<FormulaId> = formula.letters().collect();
        let formulas = letters.iter().filter_map(|letter| problem.formula(Goal::Formula(*letter)));
        let named: HashSet<TransitionId> = formulas.filter_map(|formula| this.enabled(formula)).collect();
        // Transitions that are always or never enabled have no letter.
        if 2 * named.len() < this.enabling.len() {
            this.enabling.clear();
        }
        this
    }

    /// Writes formulas over places as they are.
    pub(super) fn plain(problem: &'p Problem, stepper: Stepper<'p>) -> Self {
        Self { problem, stepper, enabling: HashMap::new() }
    }

    /// Returns the transition that is enabled exactly in the markings of this letter.
    pub(super) fn enabled(&self, formula: &Formula) -> Option<TransitionId> {
        let mut atoms: Atoms =
            conjunction(formula)?.into_iter().map(|sum| (sum.terms.clone(), sum.at_least.clone())).collect();
        atoms.sort();
        self.enabling.get(&atoms).copied()
    }

    /// Returns the transitions that are enabled in the same markings because they have the same guards.
    pub(super) fn alike(&self, transition: TransitionId) -> Vec<TransitionId> {
        let sorted = |t: TransitionId| {
            let mut guards = guards(self.stepper, t);
            guards.sort_by_key(|(place, _)| *place);
            guards
        };
        let own = sorted(transition);
        self.stepper.transitions().filter(|t| sorted(*t) == own).collect()
    }

    /// Returns the state formula of a letter.
    pub(super) fn letter(&self, node: &CtlNode) -> Option<&'p Formula> {
        let CtlNode::Letter(letter) = node else { return None };
        self.problem.formula(Goal::Formula(*letter)).map(|formula| &**formula)
    }

    /// Writes a subformula: `AG EF (p >= 1)`.
    pub(super) fn of(&self, formula: &Ctl, id: CtlId) -> String {
        let mut texts: Vec<String> = Vec::with_capacity(id.index() + 1);
        for node in &formula.nodes()[..=id.index()] {
            let text = self.node(formula, node, &texts);
            texts.push(shortened(text));
        }
        texts.swap_remove(id.index())
    }

    fn node(&self, formula: &Ctl, node: &CtlNode, texts: &[String]) -> String {
        let text = |id: &CtlId| texts[id.index()].as_str();
        let is_true = |id: &CtlId| *formula.node(*id) == CtlNode::Constant(true);
        let negated = |id: &CtlId| match formula.node(*id) {
            CtlNode::Not(inner) => text(inner).to_owned(),
            _ => format!("!{}", text(id)),
        };
        match node {
            CtlNode::Constant(value) => value.to_string(),
            CtlNode::Letter(_) => self.letter(node).map_or_else(String::new, |formula| self.marking(formula)),
            CtlNode::Not(a) => match formula.node(*a) {
                CtlNode::ExistsUntil(c, b) if is_true(c) => format!("AG {}", negated(b)),
                CtlNode::AllUntil(c, b) if is_true(c) => format!("EG {}", negated(b)),
                CtlNode::ExistsNext(b) if is_true(b) => "deadlock".to_owned(),
                CtlNode::ExistsNext(b) => format!("AX {}", negated(b)),
                _ => format!("!{}", text(a)),
            },
            CtlNode::All(parts) => joined(parts.iter().map(text), " AND "),
            CtlNode::Any(parts) => joined(parts.iter().map(text), " OR "),
            CtlNode::ExistsNext(a) => format!("EX {}", text(a)),
            CtlNode::ExistsUntil(c, b) if is_true(c) => format!("EF {}", text(b)),
            CtlNode::AllUntil(c, b) if is_true(c) => format!("AF {}", text(b)),
            CtlNode::ExistsUntil(a, b) => format!("E ({} U {})", text(a), text(b)),
            CtlNode::AllUntil(a, b) => format!("A ({} U {})", text(a), text(b)),
        }
    }

    /// Writes a formula over places: `(p >= 1 AND q = 0)`, `enabled(t)`, or `(p: 1, nothing else)`.
    pub(super) fn marking(&self, formula: &Formula) -> String {
        if let Some(transition) = self.enabled(formula) {
            return format!("enabled({})", self.stepper.transition_name(transition));
        }
        if let Some(marked) = self.whole(formula) {
            let marked = marked.iter().map(|(p, n)| format!("{}: {}", self.stepper.place_name(*p), number(n)));
            let marked: Vec<String> = marked.collect();
            return format!(
                "({})",
                if marked.is_empty() { "no tokens".to_owned() } else { marked.join(", ") + ", nothing else" }
            );
        }
        let mut texts: Vec<String> = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            let text = |id: &model::NodeId| texts[id.index()].as_str();
            let written = match node {
                Node::AtLeast(sum) => self.sum(sum),
                Node::All(parts) if parts.is_empty() => "true".to_owned(),
                Node::Any(parts) if parts.is_empty() => "false".to_owned(),
                Node::All(parts) => joined(parts.iter().map(text), " AND "),
                Node::Any(parts) => joined(parts.iter().map(text), " OR "),
            };
            texts.push(shortened(written));
        }
        let text = texts.pop().unwrap_or_default();
        if text.contains(' ') && !text.starts_with('(') { format!("({text})") } else { text }
    }

    /// Returns the tokens of the marked places if one marking alone satisfies the formula.
    pub(super) fn whole(&self, formula: &Formula) -> Option<Vec<(PlaceId, BigUint)>> {
        let places = self.problem.system().as_marked()?.places();
        let (mut least, mut most) = (BTreeMap::new(), BTreeMap::new());
        for sum in conjunction(formula)? {
            let [(place, weight)] = &sum.terms[..] else { return None };
            match i8::try_from(weight.clone()) {
                Ok(1) => least.insert(*place, BigUint::try_from(sum.at_least.clone()).ok()?),
                Ok(-1) => most.insert(*place, BigUint::try_from(-&sum.at_least).ok()?),
                _ => return None,
            };
        }
        let is_exact = |(place, most): (&PlaceId, &BigUint)| least.get(place).unwrap_or(&BigUint::ZERO) == most;
        let is_whole = places > 0 && most.len() == places && most.iter().all(is_exact);
        is_whole.then(|| least.into_iter().filter(|(_, tokens)| *tokens != BigUint::ZERO).collect())
    }

    fn sum(&self, sum: &Linear) -> String {
        let is_negative = sum.terms.iter().all(|(_, weight)| *weight < BigInt::ZERO);
        let sign = if is_negative { -1 } else { 1 };
        let terms = sum.terms.iter().map(|(place, weight)| (self.stepper.place_name(*place), weight * sign));
        let left = number_of(terms);
        match (is_negative, -&sum.at_least) {
            (true, bound) if bound == BigInt::ZERO => format!("{left} = 0"),
            (true, bound) => format!("{left} <= {}", number(&bound)),
            (false, _) => format!("{left} >= {}", number(&sum.at_least)),
        }
    }
}

/// Writes a sum: `a + 2 b - c`.
pub(super) fn number_of(terms: impl Iterator<Item = (String, BigInt)>) -> String {
    let mut text = String::new();
    for (count, (name, weight)) in terms.enumerate() {
        let sign = match (count, weight < BigInt::ZERO) {
            (0, true) => "-",
            (0, false) => "",
            (_, true) => " - ",
            (_, false) => " + ",
        };
        if count == 2 * OPERANDS {
            return text + " + ..";
        }
        let size = weight.magnitude();
        let factor = if *size == BigUint::from(1u32) { String::new() } else { format!("{} ", number(size)) };
        text.push_str(&format!("{sign}{factor}{name}"));
    }
    text
}

/// Returns the guards of a transition.
pub(super) fn guards(stepper: Stepper<'_>, transition: TransitionId) -> Vec<(PlaceId, Range)> {
    match stepper {
        Stepper::Net(net) => net.transition(transition).guards.iter().map(|g| (g.place, g.range.clone())).collect(),
        Stepper::Threads(threads) => {
            let (s, l) = threads.transitions()[transition.index()].from;
            [threads.shared_place(s), threads.local_place(l)].map(|p| (p, Range::from(1u32))).into()
        }
    }
}

/// Returns the inequalities of a formula that is their conjunction.
pub(super) fn conjunction(formula: &Formula) -> Option<Vec<&Linear>> {
    let mut open = vec![formula.root()];
    let mut sums = Vec::new();
    while let Some(node) = open.pop() {
        match node {
            Node::AtLeast(sum) => sums.push(sum),
            Node::All(parts) => open.extend(parts.iter().map(|part| &formula.nodes()[part.index()])),
            Node::Any(_) => return None,
        }
    }
    Some(sums)
}

fn joined<'a>(parts: impl Iterator<Item = &'a str>, operator: &str) -> String {
    let mut parts: Vec<&str> = parts.collect();
    if parts.len() > OPERANDS {
        parts.truncate(OPERANDS);
        parts.push("..");
    }
    format!("({})", parts.join(operator))
}

/// Cuts the middle out of a long text.
fn shortened(text: String) -> String {
    let length = text.chars().count();
    if length <= LENGTH {
        return text;
    }
    let first: String = text.chars().take(LENGTH - 20).collect();
    let last: String = text.chars().skip(length - 15).collect();
    format!("{first} .. {last}")
}
