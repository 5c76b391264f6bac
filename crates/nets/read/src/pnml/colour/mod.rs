//! Coloured nets: symmetric nets of ISO/IEC 15909-2, which are unfolded to place/transition nets while they are read.
//!
//! The steps are:
//! 1. `tree.rs` reads declarations and terms as trees, because declarations may come last in a file.
//! 2. `sorts.rs` reads the declarations (`declared.rs` finds what terms name), and `evaluate.rs` gives the terms their
//!    meaning (`terms.rs`).
//! 3. `unfold.rs` finds the tokens and bindings that may ever matter (`tokens.rs`, `plan.rs`).
//! 4. `build.rs` makes the net, with the names of `names.rs`.

mod build;
mod declared;
mod evaluate;
mod names;
mod partitions;
mod plan;
mod sorts;
mod terms;
mod tokens;
mod tree;
mod unfold;

use super::arcs::{self, Arc};
use super::nodes::{Res, Resolved};
use crate::join::ArcKind;
use formats::codes;
use formats::error::{Span, Text};
use formats::source::Limits;
use model::Net;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use plan::{Coloured, End};
use sorts::{ClassId, DOT, Sorts, VarId};
use terms::{Colour, Component, Summand, Test};
use tokens::Domain;
pub(super) use tree::{Element, Tree};
use unfold::ColouredNet;

/// The coloured parts of a file.
#[derive(Default)]
pub(super) struct Colours<'a> {
    pub(super) declarations: Vec<Tree<'a>>,
    /// True if the type of the net is one of nets with colours. Each place has a sort then; in other nets, a place
    /// without a sort has black tokens.
    pub(super) by_type: bool,
    /// The sort and the initial marking of each place.
    pub(super) places: Vec<(Label<'a>, Label<'a>, Span)>,
    /// The condition of each transition.
    pub(super) transitions: Vec<(Label<'a>, Span)>,
    /// The inscription of each arc.
    pub(super) arcs: Vec<Label<'a>>,
    /// The labels of the place that is being read, by their names.
    labels: Vec<(&'static str, Label<'a>)>,
}

impl<'a> Colours<'a> {
    /// Notes a label of a place: its `type` or its `hlinitialMarking`. Returns false if the place has such a label.
    pub(super) fn place_label(&mut self, name: &str, label: Label<'a>) -> bool {
        let name = if name == "type" { "type" } else { "hlinitialMarking" };
        let is_new = self.labels.iter().all(|(known, _)| *known != name);
        self.labels.push((name, label));
        is_new
    }

    /// True if the place that is being read has an expression for its initial marking.
    pub(super) fn has_marking(&self) -> bool {
        self.labels.iter().any(|(name, label)| *name != "type" && label.is_some())
    }

    /// Forgets the labels of a place. It is a place that the file has declared before.
    pub(super) fn drop_place(&mut self) {
        self.labels.clear();
    }

    /// Ends a place.
    pub(super) fn complete_place(&mut self, span: Span) {
        let (mut sort, mut marking) = (None, None);
        for (name, label) in self.labels.drain(..) {
            *(if name == "type" { &mut sort } else { &mut marking }) = label;
        }
        self.places.push((sort, marking, span));
    }
}

/// A label, unless it is missing or empty.
pub(super) type Label<'a> = Option<Tree<'a>>;

/// What a file says about its nodes, apart from colours.
pub(super) struct Plain<'r, 'a> {
    pub(super) text: Text<'a>,
    pub(super) resolved: &'r Resolved<'r, 'a>,
    pub(super) arcs: &'r [Arc],
    /// The initial tokens of each place in the notation of place/transition nets.
    pub(super) initial: Vec<BigUint>,
    pub(super) places: Vec<names::Node>,
    pub(super) transitions: Vec<names::Node>,
    /// For each transition: true if it is kept.
    pub(super) kept: Vec<bool>,
}

/// Returns the place/transition net of a coloured net.
pub(super) fn net<'a>(plain: Plain<'_, 'a>, colours: &Colours<'a>, limits: &Limits) -> Res<Net> {
    let sorts = Sorts::new(plain.text, &colours.declarations, limits.tokens)?;
    let mut reader = Reader { sorts, digits: limits.token_digits, text: plain.text, by_type: colours.by_type };
    let mut place_sorts = Vec::with_capacity(colours.places.len());
    for (sort, _, span) in &colours.places {
        place_sorts.push(reader.sort(sort.as_ref(), *span)?);
    }
    let mut marked = Vec::with_capacity(place_sorts.len());
    for (((_, marking, span), sort), number) in colours.places.iter().zip(&place_sorts).zip(&plain.initial) {
        let number = Some(number).filter(|number| !number.is_zero());
        let sum = reader.sum(marking.as_ref(), number, sort, *span)?.unwrap_or_default();
        if sum.iter().flat_map(|summand| &summand.parts).any(|(_, part)| part.variable().is_some()) {
            let error = plain.text.error(&codes::PNML_TERM, span.range(), "a variable in an initial marking");
            return Err(error.label("expected constants"));
        }
        marked.push((sum, *span));
    }
    let mut transitions: Vec<Coloured> = Vec::with_capacity(colours.transitions.len());
    for (condition, _) in &colours.transitions {
        let tests = match condition {
            Some(tree) => evaluate::condition(&mut reader.sorts, tree, reader.digits)?,
            None => Vec::new(),
        };
        transitions.push(Coloured { tests, ..Coloured::default() });
    }
    for (arc, label) in plain.arcs.iter().zip(&colours.arcs) {
        let link = arcs::link(plain.text, plain.resolved, arc)?;
        if arc.kind != ArcKind::Normal {
            let error = plain.text.error(&codes::PNML_ARC_TYPE, arc.span.range(), "a special arc in a coloured net");
            return Err(error.label("expected a normal arc"));
        }
        let place = link.place.index();
        let end = reader.inscription(label.as_ref(), arc, place, &place_sorts[place])?;
        let transition = &mut transitions[link.transition.index()];
        if link.into { transition.takes.push(end) } else { transition.puts.push(end) }
    }
    let Reader { sorts, .. } = reader;
    super::nodes::retain(&mut transitions, &plain.kept);
    transitions.iter_mut().for_each(|transition| transition.complete(&sorts));
    let domains = domains(&sorts, colours, &place_sorts)?;
    let mut spans = colours.transitions.iter().map(|(_, span)| *span).collect();
    super::nodes::retain(&mut spans, &plain.kept);
    let net = ColouredNet { sorts, place_sorts, domains, marked, transitions, spans };
    let found = unfold::unfold(&net, limits)?;
    build::build(&net, &found, &plain.places, &plain.transitions, limits)
}

fn domains(sorts: &Sorts<'_>, colours: &Colours<'_>, place_sorts: &[Vec<ClassId>]) -> Res<Vec<Domain>> {
    let mut domains = Vec::with_capacity(place_sorts.len());
    for (sort, (_, _, span)) in place_sorts.iter().zip(&colours.places) {
        domains.push(Domain::new(sort, &sorts.classes).ok_or_else(|| {
            let error = sorts.error(&codes::LIMIT_UNFOLDING, *span, "a place with more than 2^63 colours");
            error.label("too many colours")
        })?);
    }
    Ok(domains)
}

/// Reads the terms of a net.
struct Reader<'a> {
    sorts: Sorts<'a>,
    digits: usize,
    text: Text<'a>,
    by_type: bool,
}

impl<'a> Reader<'a> {
    fn sort(&mut self, label: Option<&Tree<'a>>, span: Span) -> Res<Vec<ClassId>> {
        let Some(tree) = label else {
            if !self.by_type {
                return Ok(vec![DOT]);
            }
            let error = self.text.error(&codes::PNML_SORT, span.range(), "a place of a coloured net without a sort");
            return Err(error.label("expected `type` inside"));
        };
        let mut roots = tree.roots();
        match (roots.next(), roots.next()) {
            (Some(root), None) => self.sorts.sort_of(tree, root),
            _ => Err(self.sorts.error(&codes::PNML_SORT, tree.span, "not one sort").label("expected one sort inside")),
        }
    }

    /// Returns the number of tokens of a summand.
    fn tokens(&self, summand: &Summand) -> BigInt {
        let all = summand.parts.iter().filter(|(_, part)| *part == Component::All);
        all.fold(summand.count.clone(), |tokens, (class, _)| tokens * self.sorts.classes[*class].size)
    }

    /// Returns the sum of a label. `number` is a number of tokens in the notation of place/transition nets.
    fn sum(
        &mut self,
        label: Option<&Tree<'a>>,
        number: Option<&BigUint>,
        sort: &[ClassId],
        span: Span,
    ) -> Res<Option<Vec<Summand>>> {
        let sum = label.map(|tree| evaluate::sum(&mut self.sorts, tree, sort, self.digits)).transpose()?;
        let Some(number) = number else { return Ok(sum) };
        let number = BigInt::from(number.clone());
        let agrees = |sum: &Vec<Summand>| sum.iter().map(|summand| self.tokens(summand)).sum::<BigInt>() == number;
        if !sum.as_ref().map_or(names::is_black(sort), agrees) {
            let message = format!("{number} tokens without colours beside, or in place of, coloured ones");
            let error = self.text.error(&codes::PNML_COLOUR, span.range(), message);
            return Err(error.label("they differ").hint("expected the structure of a coloured net alone"));
        }
        Ok(Some(sum.unwrap_or_else(|| vec![black(number, sort)])))
    }

    fn inscription(&mut self, label: Option<&Tree<'a>>, arc: &Arc, place: usize, sort: &[ClassId]) -> Res<End> {
        // TAPAAL's engines write the weight 1 beside each expression.
        let weight = arc.weight.as_ref().filter(|weight| label.is_none() || !weight.is_one());
        let sum = match self.sum(label, weight, sort, arc.span)? {
            Some(sum) => sum,
            None if names::is_black(sort) => vec![black(1.into(), sort)],
            None => {
                let message = "an arc of a coloured net without an inscription";
                let error = self.text.error(&codes::PNML_TERM, arc.span.range(), message);
                return Err(error.label("expected `hlinscription` inside"));
            }
        };
        Ok(End { place, sum, span: arc.span })
    }
}

/// Returns black tokens.
fn black(count: BigInt, sort: &[ClassId]) -> Summand {
    let parts = sort.iter().map(|class| (*class, Component::One(Colour::Constant(0)))).collect();
    Summand { count, parts }
}

impl Coloured {
    /// Numbers the variables of the transition from 0, and splits its condition.
    fn complete(&mut self, sorts: &Sorts<'_>) {
        let mut colours: Vec<&mut Colour> = Vec::new();
        for test in &mut self.tests {
            if let Test::Compare(_, _, _, sides) = test {
                colours.extend(sides);
            }
        }
        for summand in self.takes.iter_mut().chain(&mut self.puts).flat_map(|end| &mut end.sum) {
            colours.extend(summand.parts.iter_mut().filter_map(|(_, part)| match part {
                Component::One(colour) => Some(colour),
                Component::All => None,
            }));
        }
        let mut variables: Vec<VarId> = colours.iter().filter_map(|colour| colour.variable()).collect();
        variables.sort_unstable();
        variables.dedup();
        for colour in colours {
            if let Colour::Variable(var, _) = colour {
                *var = variables.binary_search(var).unwrap_or_default();
            }
        }
        self.sizes = variables.iter().map(|var| sorts.classes[sorts.variables[*var].class].size).collect();
        self.variables = variables;
        self.conjuncts = plan::conjuncts(&self.tests);
        self.patterns = plan::patterns(&self.takes);
    }
}
