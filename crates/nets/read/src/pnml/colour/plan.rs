//! Plans: the order in which the bindings of a coloured transition are enumerated.
//!
//! A binding gives each variable of the transition a value. A plan begins with one token that an arc takes (its
//! *seed*), and fixes the other variables one after the other: by an equality of the condition, by the tokens that
//! agree with what is known so far, and only in the last place by trying all values of a class. Conditions and tokens
//! are checked as soon as their variables are known.

use super::sorts::{Sorts, VarId};
use super::terms::{Colour, Relation, Summand, Test};
use super::tokens::Tokens;
use formats::error::Span;
use std::ops::Range;

/// The largest number of tuples of a transition that restrict its bindings. The others are checked at the end.
const PATTERNS: usize = 32;

/// A tuple of a place from which a transition takes tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pattern {
    pub(super) place: usize,
    pub(super) parts: Vec<Colour>,
}

/// A sum of tuples on an arc.
pub(super) struct End {
    pub(super) place: usize,
    pub(super) sum: Vec<Summand>,
    pub(super) span: Span,
}

/// A coloured transition. Its variables are numbered from 0.
#[derive(Default)]
pub(super) struct Coloured {
    pub(super) variables: Vec<VarId>,
    pub(super) sizes: Vec<u32>,
    pub(super) takes: Vec<End>,
    pub(super) puts: Vec<End>,
    pub(super) tests: Vec<Test>,
    /// The parts of the condition that must all hold, as ranges of tests.
    pub(super) conjuncts: Vec<Conjunct>,
    pub(super) patterns: Vec<Pattern>,
}

/// A part of a condition: its tests, the last of which is the whole, and its variables.
pub(super) struct Conjunct {
    pub(super) tests: Range<usize>,
    variables: Vec<VarId>,
}

/// How a component of a tuple is matched: its position, and true if it gives its variable a value.
pub(super) type Match = (usize, bool);

/// A step of a plan.
pub(super) enum Step {
    /// The variable gets the value with which it is, plus the shift, this colour.
    Bind(VarId, u32, Colour),
    /// The conjunct does not fail, as far as its variables are known.
    Test(usize),
    /// The token is there.
    Check(usize),
    /// Each token in turn that agrees with the pattern in the components of the index.
    Probe { pattern: usize, index: usize, key: Vec<usize>, rest: Vec<Match> },
    /// Each value of the variable in turn.
    Values(VarId),
}

/// A plan. Without a seed it enumerates all bindings.
pub(super) struct Plan {
    pub(super) seed: Option<(usize, Vec<Match>)>,
    pub(super) steps: Vec<Step>,
    /// For each step: the variables that get a value there.
    pub(super) binds: Vec<Vec<VarId>>,
}

/// Returns the variables of a part of a condition.
fn variables(tests: &[Test]) -> Vec<VarId> {
    let mut found: Vec<VarId> = Vec::new();
    for test in tests {
        if let Test::Compare(_, _, _, colours) = test {
            found.extend(colours.iter().filter_map(|colour| colour.variable()));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Splits a condition into parts that must all hold.
pub(super) fn conjuncts(tests: &[Test]) -> Vec<Conjunct> {
    // The tests of a part stand one after the other.
    let mut firsts: Vec<usize> = Vec::with_capacity(tests.len());
    for (at, test) in tests.iter().enumerate() {
        let first = match test {
            Test::Compare(..) => at,
            Test::Not(of) => firsts[*of],
            Test::Join(_, parts) => parts.iter().map(|part| firsts[*part]).min().unwrap_or(at),
        };
        firsts.push(first);
    }
    let mut found = Vec::new();
    let mut open: Vec<usize> = tests.len().checked_sub(1).into_iter().collect();
    while let Some(at) = open.pop() {
        match &tests[at] {
            Test::Join(true, parts) => open.extend(parts.iter().rev()),
            _ => {
                let range = firsts[at]..at + 1;
                found.push(Conjunct { variables: variables(&tests[range.clone()]), tests: range });
            }
        }
    }
    found
}

/// Returns the tuples with variables that a transition takes for certain. Of a difference nothing is certain.
pub(super) fn patterns(takes: &[End]) -> Vec<Pattern> {
    let mut found: Vec<Pattern> = Vec::new();
    for end in takes.iter().filter(|end| end.sum.iter().all(|summand| summand.count > 0.into())) {
        for summand in &end.sum {
            let parts: Option<Vec<Colour>> = summand.parts.iter().map(|(_, part)| part.colour()).collect();
            let pattern = parts.map(|parts| Pattern { place: end.place, parts });
            if found.len() < PATTERNS
                && let Some(pattern) = pattern.filter(|p| p.parts.iter().any(|part| part.variable().is_some()))
                && !found.contains(&pattern)
            {
                found.push(pattern);
            }
        }
    }
    found
}

/// Makes a plan.
struct Planner<'c, 't> {
    coloured: &'c Coloured,
    tokens: &'t mut Tokens,
    known: Vec<bool>,
    patterns: Vec<usize>,
    conjuncts: Vec<usize>,
    plan: Plan,
    /// The effort so far.
    work: usize,
}

/// Returns the plan that begins with a token of pattern `seed`, and the effort of making it.
pub(super) fn plan(coloured: &Coloured, tokens: &mut Tokens, seed: Option<usize>) -> (Plan, usize) {
    let known = vec![false; coloured.variables.len()];
    let patterns = (0..coloured.patterns.len()).filter(|p| Some(*p) != seed).collect();
    let conjuncts = (0..coloured.conjuncts.len()).collect();
    let plan = Plan { seed: None, steps: Vec::new(), binds: Vec::new() };
    let mut planner = Planner { coloured, tokens, known, patterns, conjuncts, plan, work: 0 };
    if let Some(seed) = seed {
        let parts: Vec<usize> = (0..coloured.patterns[seed].parts.len()).collect();
        let (matches, bound) = planner.matches(seed, &parts);
        planner.plan.seed = Some((seed, matches));
        planner.learn(&bound);
    } else {
        planner.learn(&[]);
    }
    while planner.step() {}
    (planner.plan, planner.work)
}

impl Planner<'_, '_> {
    fn push(&mut self, step: Step, binds: Vec<VarId>) {
        self.plan.steps.push(step);
        self.plan.binds.push(binds);
    }

    /// Matches these components of a pattern. Returns the variables that get a value.
    fn matches(&mut self, pattern: usize, parts: &[usize]) -> (Vec<Match>, Vec<VarId>) {
        let (mut matches, mut bound) = (Vec::new(), Vec::new());
        for at in parts {
            let var = self.coloured.patterns[pattern].parts[*at].variable().filter(|var| !self.known[*var]);
            if let Some(var) = var {
                self.known[var] = true;
                bound.push(var);
            }
            matches.push((*at, var.is_some()));
        }
        (matches, bound)
    }

    /// Adds the steps that follow when these variables have got their values.
    fn learn(&mut self, bound: &[VarId]) {
        let mut new = bound.to_vec();
        loop {
            self.work += 1 + self.conjuncts.len() + self.patterns.len();
            let coloured = self.coloured;
            let mut equality = None;
            for c in std::mem::take(&mut self.conjuncts) {
                let conjunct = &coloured.conjuncts[c];
                let is_known = conjunct.variables.iter().all(|var| self.known[*var]);
                if is_known {
                    self.push(Step::Test(c), Vec::new());
                    continue;
                }
                if equality.is_none() {
                    equality = self.equality(c);
                    if equality.is_some() {
                        continue;
                    }
                }
                // A part of several tests may fail before all of its variables are known.
                if conjunct.tests.len() > 1 && conjunct.variables.iter().any(|var| new.contains(var)) {
                    self.push(Step::Test(c), Vec::new());
                }
                self.conjuncts.push(c);
            }
            for p in std::mem::take(&mut self.patterns) {
                let mut variables = coloured.patterns[p].parts.iter().filter_map(|part| part.variable());
                if variables.all(|var| self.known[var]) {
                    self.push(Step::Check(p), Vec::new());
                } else {
                    self.patterns.push(p);
                }
            }
            let Some((var, shift, colour)) = equality else { return };
            self.known[var] = true;
            self.push(Step::Bind(var, shift, colour), vec![var]);
            new = vec![var];
        }
    }

    /// If the conjunct is an equality of a known colour and an unknown variable, returns these.
    fn equality(&self, c: usize) -> Option<(VarId, u32, Colour)> {
        let [Test::Compare(Relation::Equal, _, None, [a, b])] =
            &self.coloured.tests[self.coloured.conjuncts[c].tests.clone()]
        else {
            return None;
        };
        let is_known = |colour: &Colour| colour.variable().is_none_or(|var| self.known[var]);
        [(a, b), (b, a)].into_iter().find_map(|(open, known)| match open {
            Colour::Variable(var, shift) if !self.known[*var] && is_known(known) => Some((*var, *shift, *known)),
            _ => None,
        })
    }

    /// Adds the next step that tries several values. Returns false if all variables are known.
    fn step(&mut self) -> bool {
        let coloured = self.coloured;
        let is_known = |known: &[bool], part: &Colour| part.variable().is_none_or(|var| known[var]);
        let open = |known: &[bool], p: &usize| {
            let parts = &coloured.patterns[*p].parts;
            let unknown = parts.iter().filter(|part| !is_known(known, part)).count();
            (unknown == parts.len(), unknown, *p)
        };
        self.work += self.patterns.len() + self.known.len();
        if let Some(next) = self.patterns.iter().copied().min_by_key(|p| open(&self.known, p)) {
            self.patterns.retain(|p| *p != next);
            let Pattern { place, parts } = &coloured.patterns[next];
            let (key, rest): (Vec<usize>, Vec<usize>) =
                (0..parts.len()).partition(|at| is_known(&self.known, &parts[*at]));
            let index = self.tokens.index(*place, &key);
            let (rest, bound) = self.matches(next, &rest);
            self.push(Step::Probe { pattern: next, index, key, rest }, bound.clone());
            self.learn(&bound);
            return true;
        }
        let unknown = (0..self.known.len()).filter(|var| !self.known[*var]);
        let Some(var) = unknown.min_by_key(|var| (coloured.sizes[*var], *var)) else { return false };
        self.known[var] = true;
        self.push(Step::Values(var), vec![var]);
        self.learn(&[var]);
        true
    }
}

/// Returns the value of a part of a condition, `None` if it depends on variables without a value.
pub(super) fn holds(
    sorts: &Sorts<'_>,
    tests: &[Test],
    range: &Range<usize>,
    values: &[u32],
    scratch: &mut Vec<Option<bool>>,
) -> Option<bool> {
    scratch.clear();
    for test in &tests[range.clone()] {
        let of = |at: &usize| scratch[at - range.start];
        let holds = match test {
            Test::Compare(relation, class, partition, [a, b]) => {
                let side = |colour: &Colour| {
                    let value = colour.value(sorts.classes[*class].size, values)?;
                    Some(partition.map_or(value, |partition| sorts.partitions[partition].parts[value as usize]))
                };
                side(a).zip(side(b)).map(|(a, b)| relation.holds(a, b))
            }
            Test::Not(at) => of(at).map(|holds| !holds),
            Test::Join(all, parts) if parts.iter().any(|at| of(at) == Some(!all)) => Some(!all),
            Test::Join(all, parts) => parts.iter().all(|at| of(at).is_some()).then_some(*all),
        };
        scratch.push(holds);
    }
    scratch.last().copied().flatten()
}
