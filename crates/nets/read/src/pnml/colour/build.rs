//! Builds the place/transition net of the tokens and bindings that were found.
//!
//! The search over-approximates: it does not check constants, classes and differences that a transition takes. Here
//! each binding gets its exact arcs, and a second fixpoint over these arcs leaves out the places that stay empty and
//! the transitions that never fire.

use super::names::{Names, Node, Texts, is_black};
use super::plan::End;
use super::terms::Summand;
use super::tokens::TokenId;
use super::unfold::{ColouredNet, UnfoldedBindings, too_large, too_many_bindings};
use crate::pnml::nodes::Res;
use formats::codes;
use formats::error::{Span, Text};
use formats::source::Limits;
use hashbrown::HashMap;
use model::{Families, Net, Place, PlaceId, Range, Transition, TransitionId};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;
use std::ops;

/// A transition of the unfolded net: its coloured transition, its values and its arcs.
struct Instance {
    transition: u32,
    /// The position of the values.
    values: usize,
    takes: ops::Range<usize>,
    puts: ops::Range<usize>,
    /// The arc with fewer than no tokens of some colour, if there is one.
    negative: Option<Span>,
}

struct Builder<'n, 'a> {
    net: &'n ColouredNet<'a>,
    found: &'n UnfoldedBindings,
    limits: &'n Limits,
    instances: Vec<Instance>,
    /// The arcs of all instances: tokens with the numbers of their weights.
    arcs: Vec<(TokenId, u32)>,
    weights: Vec<BigUint>,
    weight_numbers: HashMap<BigUint, u32>,
    /// The number of steps of unfolding so far.
    work: usize,
}

/// The tokens of some colours, ascending. `Err` for a negative number, and `None` for a colour that is never there.
type Counted = Result<Option<Vec<(TokenId, BigUint)>>, Span>;

pub(super) fn build(
    net: &ColouredNet<'_>,
    found: &UnfoldedBindings,
    places: &[Node],
    transitions: &[Node],
    limits: &Limits,
) -> Res<Net> {
    let (instances, arcs) = (Vec::new(), Vec::new());
    let (weights, weight_numbers) = (Vec::new(), HashMap::new());
    let mut builder = Builder { net, found, limits, instances, arcs, weights, weight_numbers, work: found.work };
    let initial = builder.initial()?;
    for t in 0..net.transitions.len() {
        builder.instances(t)?;
    }
    let (marked, fires) = builder.alive(&initial);
    let text = net.sorts.text;
    let places = Names::new(text, places, |place| is_black(&net.place_sorts[place]), limits);
    let transitions = Names::new(text, transitions, |t| net.transitions[t].variables.is_empty(), limits);
    builder.finish([places, transitions], &initial, &marked, &fires)
}

impl<'n> Builder<'n, '_> {
    /// Adds up the tokens of some arcs of transition `t`, or of the initial marking.
    fn count(&mut self, t: Option<usize>, ends: &[(usize, &[Summand], Span)], values: &[u32]) -> Res<Counted> {
        let mut all: Vec<(TokenId, BigInt)> = Vec::new();
        for (place, sum, span) in ends {
            let domain = &self.net.domains[*place];
            let is_positive = sum.iter().all(|summand| summand.count > BigInt::zero());
            let mut own: Vec<(u64, BigInt)> = Vec::new();
            for summand in *sum {
                let (least, classes) = domain.least(&summand.parts, values);
                let choices = domain.choices(&classes);
                // Not all of these colours are ever there.
                if is_positive && choices > self.found.tokens.list.len() {
                    return Ok(Ok(None));
                }
                self.work = self.work.saturating_add(choices);
                if self.work > self.limits.bindings {
                    return Err(too_many_bindings(self.net, t, self.limits));
                }
                own.extend(domain.tuples(least, &classes).map(|code| (code, summand.count.clone())));
            }
            add_up(&mut own);
            for (code, count) in own {
                match (count.sign(), self.found.tokens.number(*place, code)) {
                    (Sign::Minus, _) => return Ok(Err(*span)),
                    (Sign::NoSign, _) => {}
                    (Sign::Plus, Some(token)) => all.push((token, count)),
                    (Sign::Plus, None) => return Ok(Ok(None)),
                }
            }
        }
        add_up(&mut all);
        Ok(Ok(Some(all.into_iter().map(|(token, count)| (token, count.magnitude().clone())).collect())))
    }

    fn initial(&mut self) -> Res<Vec<(TokenId, BigUint)>> {
        let net = self.net;
        let marked = net.marked.iter().enumerate().map(|(place, (sum, span))| (place, sum.as_slice(), *span));
        let counted = self.count(None, &marked.collect::<Vec<_>>(), &[])?;
        let tokens = counted.map_err(|span| negative(net.sorts.text, span))?;
        Ok(tokens.expect("the search adds all initial tokens"))
    }

    /// Makes the instances of transition `t`, in the order of their values.
    fn instances(&mut self, t: usize) -> Res<()> {
        let (net, found) = (self.net, self.found);
        let (coloured, values) = (&net.transitions[t], &found.bindings[t]);
        let width = coloured.variables.len();
        let mut starts: Vec<usize> = (0..self.found.counts[t]).map(|n| n * width).collect();
        starts.sort_unstable_by_key(|start| &values[*start..start + width]);
        for start in starts {
            let binding = &values[start..start + width];
            let ends = |ends: &'n [End]| -> Vec<(usize, &'n [Summand], Span)> {
                ends.iter().map(|end| (end.place, end.sum.as_slice(), end.span)).collect()
            };
            let takes = self.count(Some(t), &ends(&coloured.takes), binding)?;
            let puts = self.count(Some(t), &ends(&coloured.puts), binding)?;
            let (takes, puts, negative) = match (takes, puts) {
                (Ok(None), _) => continue,
                (Ok(Some(takes)), Ok(Some(puts))) => (takes, puts, None),
                (_, Ok(None)) => unreachable!("the search adds all tokens that bindings put"),
                (Ok(takes), Err(span)) => (takes.unwrap_or_default(), Vec::new(), Some(span)),
                (Err(span), _) => (Vec::new(), Vec::new(), Some(span)),
            };
            let (takes, puts) = (self.keep(t, takes)?, self.keep(t, puts)?);
            self.instances.push(Instance { transition: t as u32, values: start, takes, puts, negative });
        }
        Ok(())
    }

    fn keep(&mut self, t: usize, arcs: Vec<(TokenId, BigUint)>) -> Res<ops::Range<usize>> {
        let first = self.arcs.len();
        if first + arcs.len() > self.limits.arcs {
            let message = format!("the unfolded net has more than {} arcs", self.limits.arcs);
            return Err(too_large(self.net.sorts.text, &codes::LIMIT_ARCS, self.net.spans[t], message));
        }
        for (token, count) in arcs {
            let next = self.weights.len() as u32;
            let weight = *self.weight_numbers.entry(count.clone()).or_insert(next);
            if weight == next {
                self.weights.push(count);
            }
            self.arcs.push((token, weight));
        }
        Ok(first..self.arcs.len())
    }

    /// Returns which tokens may be there and which instances may fire, if tokens are never used up.
    fn alive(&self, initial: &[(TokenId, BigUint)]) -> (Vec<bool>, Vec<bool>) {
        let mut marked = vec![false; self.found.tokens.list.len()];
        let mut missing: Vec<u32> = self.instances.iter().map(|i| i.takes.len() as u32).collect();
        // The instances that take each token, as ranges of one list.
        let mut starts = vec![0u32; marked.len() + 1];
        let takes = || self.instances.iter().enumerate().flat_map(|(i, of)| of.takes.clone().map(move |arc| (i, arc)));
        takes().for_each(|(_, arc)| starts[self.arcs[arc].0 as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let (mut ends, mut takers) = (starts.clone(), vec![0u32; starts[marked.len()] as usize]);
        for (i, arc) in takes() {
            let end = &mut ends[self.arcs[arc].0 as usize];
            takers[*end as usize] = i as u32;
            *end += 1;
        }
        let mut fires = vec![false; self.instances.len()];
        let mut ready: Vec<usize> = (0..missing.len()).filter(|i| missing[*i] == 0).collect();
        let mut tokens: Vec<TokenId> = initial.iter().map(|(token, _)| *token).collect();
        loop {
            if let Some(token) = tokens.pop() {
                if !std::mem::replace(&mut marked[token as usize], true) {
                    for taker in &takers[starts[token as usize] as usize..starts[token as usize + 1] as usize] {
                        missing[*taker as usize] -= 1;
                        if missing[*taker as usize] == 0 {
                            ready.push(*taker as usize);
                        }
                    }
                }
            } else if let Some(i) = ready.pop() {
                fires[i] = true;
                tokens.extend(self.arcs[self.instances[i].puts.clone()].iter().map(|(token, _)| *token));
            } else {
                return (marked, fires);
            }
        }
    }

    fn finish(
        &self,
        names: [Names<'_>; 2],
        initial: &[(TokenId, BigUint)],
        marked: &[bool],
        fires: &[bool],
    ) -> Res<Net> {
        let text = self.net.sorts.text;
        let mut order: Vec<TokenId> = (0..marked.len() as TokenId).filter(|token| marked[*token as usize]).collect();
        order.sort_unstable_by_key(|token| self.found.tokens.list[*token as usize]);
        let [mut place_names, mut transition_names] = names;
        let tokens: HashMap<TokenId, &BigUint> = initial.iter().map(|(token, count)| (*token, count)).collect();
        let mut families = Families::default();
        let mut numbers = vec![PlaceId(0); marked.len()];
        let mut members: Vec<Vec<PlaceId>> = vec![Vec::new(); self.net.marked.len()];
        let mut places = Vec::with_capacity(order.len());
        for (number, token) in order.iter().enumerate() {
            let (place, code) = self.found.tokens.list[*token as usize];
            numbers[*token as usize] = PlaceId::new(number);
            members[place as usize].push(PlaceId::new(number));
            let name = place_names.place(self.net, place as usize, &self.net.domains[place as usize], code)?;
            let count = tokens.get(token).copied().cloned().unwrap_or_default();
            places.push(Place { name, initial: Range::exactly(count) });
        }
        let mut texts = Texts::new(&self.net.sorts.classes);
        let sort =
            |place: usize| self.net.place_sorts[place].iter().map(|class| (Default::default(), *class)).collect();
        let name = |place: PlaceId| places[place.index()].name.as_str();
        families.places = place_names.families(members, name, sort, &mut texts);
        let mut members: Vec<Vec<TransitionId>> = vec![Vec::new(); self.net.transitions.len()];
        let mut transitions = Vec::new();
        for (instance, _) in self.instances.iter().zip(fires).filter(|(_, fires)| **fires) {
            if let Some(span) = instance.negative {
                return Err(negative(text, span));
            }
            let t = instance.transition as usize;
            let width = self.net.transitions[t].variables.len();
            let values = &self.found.bindings[t][instance.values..instance.values + width];
            members[t].push(TransitionId::new(transitions.len()));
            let arcs = |range: &ops::Range<usize>| {
                let arc = |(token, weight): &(TokenId, u32)| {
                    (numbers[*token as usize], self.weights[*weight as usize].clone())
                };
                self.arcs[range.clone()].iter().map(arc).collect::<Vec<_>>()
            };
            let name = transition_names.transition(self.net, t, values)?;
            transitions.push(Transition::from_arcs(name, &arcs(&instance.takes), &arcs(&instance.puts)));
        }
        let variables = |t: usize| {
            let variables = self.net.transitions[t].variables.iter().map(|var| &self.net.sorts.variables[*var]);
            variables.map(|var| ([format!("{}=", var.id), format!("{}=", var.name)], var.class)).collect()
        };
        let name = |t: TransitionId| transitions[t.index()].name.as_str();
        families.transitions = transition_names.families(members, name, variables, &mut texts);
        let (called_places, called_transitions) = (place_names.called, transition_names.called);
        let net = Net::new(places, transitions);
        let net = net.map_err(|e| formats::error::Error::whole(&codes::NET_INVALID, text.name, e.to_string()))?;
        Ok(net.with_called(&called_places, &called_transitions).with_families(families))
    }
}

/// Sorts a list, and adds up the entries with the same key.
fn add_up<K: Ord + Copy>(list: &mut Vec<(K, BigInt)>) {
    list.sort_unstable_by_key(|(key, _)| *key);
    list.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += std::mem::take(&mut next.1);
        }
        same
    });
    list.retain(|(_, count)| !count.is_zero());
}

pub(super) fn negative(text: Text<'_>, span: Span) -> Box<formats::error::Error> {
    let message = "a difference with fewer than no tokens of a colour";
    let error = text.error(&codes::PNML_NEGATIVE, span.range(), message).label("less than nothing here");
    error.hint("expected that everything that `subtract` takes away is there")
}
