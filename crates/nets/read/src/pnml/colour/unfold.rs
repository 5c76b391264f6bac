//! Finds the tokens that the places of a coloured net may ever hold, and the bindings of its transitions for which all
//! tokens that they take may ever be there.
//!
//! This is a fixpoint from the initial marking, in which tokens are never used up and only their presence counts. Each
//! token in turn becomes visible, and starts the plans of the patterns that it matches. A plan that starts with a
//! token sees only tokens that are visible. Patterns before that of the seed do not match the seed itself, so each
//! binding is found once: with the last of its tokens.

use super::plan::{self, Coloured, Match, Pattern, Plan, Step};
use super::sorts::{ClassId, Sorts};
use super::terms::{Colour, OPEN, Summand};
use super::tokens::{Domain, TokenId, Tokens};
use crate::pnml::nodes::Res;
use formats::codes::{self, Code};
use formats::error::{Error, Span, Text};
use formats::source::Limits;

/// A coloured net that is understood.
pub(super) struct ColouredNet<'a> {
    pub(super) sorts: Sorts<'a>,
    /// The sort of each place.
    pub(super) place_sorts: Vec<Vec<ClassId>>,
    /// The tuples of these sorts.
    pub(super) domains: Vec<Domain>,
    /// The places, with their initial tokens.
    pub(super) marked: Vec<(Vec<Summand>, Span)>,
    pub(super) transitions: Vec<Coloured>,
    pub(super) spans: Vec<Span>,
}

/// The result.
pub(super) struct UnfoldedBindings {
    pub(super) tokens: Tokens,
    /// For each transition: the values of its variables in each of its bindings, one after the other.
    pub(super) bindings: Vec<Vec<u32>>,
    /// The number of bindings of each transition. (A transition without variables has no values.)
    pub(super) counts: Vec<usize>,
    /// The number of steps that this took.
    pub(super) work: usize,
}

struct Search<'n, 'a> {
    net: &'n ColouredNet<'a>,
    limits: &'n Limits,
    found: UnfoldedBindings,
    plans: Vec<Vec<Plan>>,
    instances: usize,
    work: usize,
    scratch: Vec<Option<bool>>,
    /// The values of the variables of the current binding.
    values: Vec<u32>,
    /// For each step of the current plan: the position of the next candidate.
    cursors: Vec<usize>,
}

pub(super) fn unfold<'a>(net: &ColouredNet<'a>, limits: &Limits) -> Res<UnfoldedBindings> {
    let mut tokens = Tokens::new(net.domains.len());
    // For each place: the plans that begin with its tokens.
    let mut users: Vec<Vec<(usize, usize)>> = vec![Vec::new(); net.marked.len()];
    let (mut plans, mut work): (Vec<Vec<Plan>>, usize) = (Vec::new(), 0);
    for (t, coloured) in net.transitions.iter().enumerate() {
        let seeds: Vec<Option<usize>> = (0..coloured.patterns.len()).map(Some).collect();
        let mut own = Vec::new();
        for seed in if seeds.is_empty() { vec![None] } else { seeds } {
            let (plan, effort) = plan::plan(coloured, &mut tokens, seed);
            work += effort;
            if work > limits.bindings {
                return Err(too_many_bindings(net, Some(t), limits));
            }
            if let Some((pattern, _)) = &plan.seed {
                users[coloured.patterns[*pattern].place].push((t, own.len()));
            }
            own.push(plan);
        }
        plans.push(own);
    }
    let count = net.transitions.len();
    let found = UnfoldedBindings { tokens, bindings: vec![Vec::new(); count], counts: vec![0; count], work: 0 };
    let (scratch, values, cursors) = (Vec::new(), Vec::new(), Vec::new());
    let mut search = Search { net, limits, found, plans, instances: 0, work, scratch, values, cursors };
    search.run(&users)?;
    Ok(UnfoldedBindings { work: search.work, ..search.found })
}

/// Makes the error about the limit on steps. It is reached at transition `t`, or at the initial marking.
pub(super) fn too_many_bindings(net: &ColouredNet<'_>, t: Option<usize>, limits: &Limits) -> Box<Error> {
    let message = format!("unfolding the net takes more than {} steps", limits.bindings);
    let Some(t) = t else { return Error::whole(&codes::LIMIT_UNFOLDING, net.sorts.text.name, message) };
    let error = net.sorts.text.error(&codes::LIMIT_UNFOLDING, net.spans[t].range(), message);
    let error = error.label("the limit is reached at this transition");
    error.hint("variables that no incoming arc or equality restricts take all values of their sorts")
}

impl Search<'_, '_> {
    fn run(&mut self, users: &[Vec<(usize, usize)>]) -> Res<()> {
        for (place, (sum, span)) in self.net.marked.iter().enumerate() {
            for summand in sum.iter().filter(|summand| summand.count > 0.into()) {
                self.add(place, summand, *span)?;
            }
        }
        for t in 0..self.plans.len() {
            if self.plans[t][0].seed.is_none() {
                self.enumerate(t, 0, None)?;
            }
        }
        while let Some(token) = self.found.tokens.see(&self.net.domains) {
            let (place, _) = self.found.tokens.list[token as usize];
            for (t, plan) in &users[place as usize] {
                self.enumerate(*t, *plan, Some(token))?;
            }
        }
        Ok(())
    }

    /// Adds the tokens of a summand, with the current values of the variables.
    fn add(&mut self, place: usize, summand: &Summand, span: Span) -> Res<()> {
        let net = self.net;
        let domain = &net.domains[place];
        let (least, all) = domain.least(&summand.parts, &self.values);
        for code in domain.tuples(least, &all) {
            self.work += 1;
            self.found.tokens.add(place, code);
            if self.found.tokens.list.len() > self.limits.places {
                let message = format!("the unfolded net has more than {} places", self.limits.places);
                return Err(too_large(self.net.sorts.text, &codes::LIMIT_PLACES, span, message));
            }
        }
        Ok(())
    }

    /// Enumerates the bindings of transition `t` that begin with a token.
    fn enumerate(&mut self, t: usize, plan: usize, token: Option<TokenId>) -> Res<()> {
        let plans = std::mem::take(&mut self.plans[t]);
        let result = self.follow(t, &plans[plan], token);
        self.plans[t] = plans;
        result
    }

    fn follow(&mut self, t: usize, plan: &Plan, token: Option<TokenId>) -> Res<()> {
        let net = self.net;
        self.values.clear();
        self.values.resize(net.transitions[t].variables.len(), OPEN);
        self.cursors.clear();
        self.cursors.resize(plan.steps.len(), 0);
        if let (Some((pattern, matches)), Some(token)) = (&plan.seed, token)
            && !self.matches(&net.transitions[t].patterns[*pattern], matches, token)
        {
            return Ok(());
        }
        let mut at = 0;
        loop {
            self.work += 1;
            if self.work > self.limits.bindings {
                return Err(too_many_bindings(net, Some(t), self.limits));
            }
            let goes_on = match plan.steps.get(at) {
                Some(step) => self.advance(t, plan, step, at, token),
                None => {
                    self.emit(t)?;
                    false
                }
            };
            if goes_on {
                at += 1;
                if let Some(cursor) = self.cursors.get_mut(at) {
                    *cursor = 0;
                }
                continue;
            }
            // The step is finished. Go back to the step before.
            if let Some(binds) = plan.binds.get(at) {
                binds.iter().for_each(|var| self.values[*var] = OPEN);
            }
            if at == 0 {
                return Ok(());
            }
            at -= 1;
        }
    }

    /// Goes to the next candidate of a step. Returns false if there is none.
    fn advance(&mut self, t: usize, plan: &Plan, step: &Step, at: usize, token: Option<TokenId>) -> bool {
        let net = self.net;
        let coloured = &net.transitions[t];
        let cursor = self.cursors[at];
        self.cursors[at] += 1;
        match step {
            Step::Probe { pattern, index, key, rest } => {
                let of = &coloured.patterns[*pattern];
                let domain = &self.net.domains[of.place];
                let part =
                    |at: &usize| domain.weight(*at, of.parts[*at].value(domain.sizes[*at], &self.values).unwrap_or(0));
                let key = key.iter().map(part).sum();
                let found = self.found.tokens.found(*index, key).len();
                for candidate in cursor..found {
                    plan.binds[at].iter().for_each(|var| self.values[*var] = OPEN);
                    self.work += 1;
                    let candidate_token = self.found.tokens.found(*index, key)[candidate];
                    if self.is_allowed(plan, *pattern, candidate_token, token)
                        && self.matches(of, rest, candidate_token)
                    {
                        self.cursors[at] = candidate + 1;
                        return true;
                    }
                }
                self.cursors[at] = found;
                false
            }
            Step::Values(var) => {
                let is_there = cursor < coloured.sizes[*var] as usize;
                self.values[*var] = if is_there { cursor as u32 } else { OPEN };
                is_there
            }
            _ if cursor > 0 => false,
            Step::Bind(var, shift, colour) => {
                let size = u64::from(coloured.sizes[*var]);
                let value = u64::from(colour.value(coloured.sizes[*var], &self.values).unwrap_or(0));
                self.values[*var] = ((value + size - u64::from(*shift)) % size) as u32;
                true
            }
            Step::Test(conjunct) => {
                let range = &coloured.conjuncts[*conjunct].tests;
                self.work += range.len();
                let holds = plan::holds(&self.net.sorts, &coloured.tests, range, &self.values, &mut self.scratch);
                holds != Some(false)
            }
            Step::Check(pattern) => {
                let of = &coloured.patterns[*pattern];
                let domain = &self.net.domains[of.place];
                let part = |(at, part): (usize, &Colour)| {
                    domain.weight(at, part.value(domain.sizes[at], &self.values).unwrap_or(0))
                };
                let code = of.parts.iter().enumerate().map(part).sum();
                let found = self.found.tokens.number(of.place, code);
                found.is_some_and(|found| {
                    (found as usize) < self.found.tokens.seen && self.is_allowed(plan, *pattern, found, token)
                })
            }
        }
    }

    /// True if the token may match the pattern: only the seed itself and later patterns match the seed's token.
    fn is_allowed(&self, plan: &Plan, pattern: usize, token: TokenId, seed: Option<TokenId>) -> bool {
        Some(token) != seed || plan.seed.as_ref().is_none_or(|(first, _)| pattern > *first)
    }

    /// Matches components of a pattern with a token, and gives values to its open variables.
    fn matches(&mut self, pattern: &Pattern, matches: &[Match], token: TokenId) -> bool {
        let (place, code) = self.found.tokens.list[token as usize];
        let domain = &self.net.domains[place as usize];
        matches.iter().all(|(at, is_new)| {
            let (value, size) = (domain.part(code, *at), domain.sizes[*at]);
            match pattern.parts[*at] {
                Colour::Variable(var, shift) if *is_new => {
                    let back = u64::from(value) + u64::from(size) - u64::from(shift);
                    self.values[var] = (back % u64::from(size)) as u32;
                    true
                }
                colour => colour.value(size, &self.values) == Some(value),
            }
        })
    }

    /// Records the current binding, and adds the tokens that the transition puts.
    fn emit(&mut self, t: usize) -> Res<()> {
        let net = self.net;
        self.instances += 1;
        if self.instances > self.limits.transitions {
            let message = format!("the unfolded net has more than {} transitions", self.limits.transitions);
            return Err(too_large(net.sorts.text, &codes::LIMIT_TRANSITIONS, net.spans[t], message));
        }
        self.found.counts[t] += 1;
        self.found.bindings[t].extend_from_slice(&self.values);
        for end in &net.transitions[t].puts {
            for summand in end.sum.iter().filter(|summand| summand.count > 0.into()) {
                self.add(end.place, summand, end.span)?;
            }
        }
        Ok(())
    }
}

/// Makes the error about a limit of the unfolded net.
pub(super) fn too_large(text: Text<'_>, code: &'static Code, span: Span, message: String) -> Box<Error> {
    let error = text.error(code, span.range(), message).label("the limit is reached here");
    error.hint("a coloured net is read as a net with a place for each colour that a place may hold")
}
