//! Programs with any number of threads, which are read as nets: the threads as graphs of their states, with the number
//! of threads in each. A place is a state of a thread, or states of the threads of several classes with the same
//! index; its name has the names of the threads.

use super::net::marking;
use super::{CurrentState, Labels, finish, nearest};
use crate::draw::graph::{Graph, Group, Line, Mark, Node};
use model::{Net, PlaceId, Transition, TransitionId};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// Most threads of one family that a transition moves on a picture.
const MOST_MOVED: u32 = 8;

/// The places of a thread or of threads that are counted together.
#[derive(Debug)]
pub struct Family {
    /// The names of the threads.
    pub name: String,
    /// The places, ascending.
    pub places: Vec<usize>,
}

/// Returns the graphs of the threads with at most `most` nodes together. `None` if the net is not one of threads: some
/// name is not that of a state, or a transition creates or ends a thread.
#[must_use]
pub fn graph(net: &Net, now: Option<&CurrentState>, most: usize) -> Option<Graph> {
    let families = families(net)?;
    let mut graph = Graph {
        title: "The threads of a program, with the number of threads in each state".to_owned(),
        about: "A graph for each thread, or for the threads of classes with the same index.".to_owned(),
        notes: vec!["What a step needs of other threads is shown by the picture of the net (`--what net`).".to_owned()],
        ..Graph::default()
    };
    let (mut left, mut hidden) = (most, (0, 0));
    for family in &families {
        let (group, more) = group(net, family, now, left);
        left -= group.nodes.len();
        hidden = (hidden.0 + family.places.len() - group.nodes.len(), hidden.1 + more);
        graph.groups.push(group);
    }
    graph.leave_out(hidden.0, "state");
    graph.leave_out(hidden.1, "edge");
    finish(&mut graph, now);
    Some(graph)
}

/// Groups the places by the names of their threads. `None` as for [`graph`], and if no thread has an index: then the
/// names are more likely those of another kind of net.
#[must_use]
pub fn families(net: &Net) -> Option<Vec<Family>> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let (mut families, mut of): (Vec<Family>, Vec<usize>) = (Vec::new(), Vec::new());
    for place in 0..net.places().len() {
        let name = split(net.shown_place(PlaceId::new(place)))?.0;
        let number = *numbers.entry(name.clone()).or_insert_with(|| {
            families.push(Family { name, places: Vec::new() });
            families.len() - 1
        });
        families[number].places.push(place);
        of.push(number);
    }
    let is_steady = |transition: &Transition| {
        let mut sums: BTreeMap<usize, BigInt> = BTreeMap::new();
        let moves = transition.effects.iter().all(|effect| {
            effect.delta().map(|delta| *sums.entry(of[effect.place.index()]).or_default() += delta).is_some()
        });
        moves && sums.values().all(|sum| *sum == BigInt::ZERO)
    };
    let is_indexed = families.iter().any(|family| family.name.contains('['));
    (is_indexed && net.transitions().iter().all(is_steady)).then_some(families)
}

/// Returns the names of the threads and of their states in the name of a place: `A[i].x+B[i].y` is `A[i], B[i]` and
/// `x, y`.
fn split(name: &str) -> Option<(String, String)> {
    let parts: Option<Vec<(&str, &str)>> = name.split('+').map(|part| part.split_once('.')).collect();
    let (threads, states): (Vec<&str>, Vec<&str>) = parts?.into_iter().unzip();
    Some((threads.join(", "), states.join(", ")))
}

fn group(net: &Net, family: &Family, now: Option<&CurrentState>, most: usize) -> (Group, usize) {
    let mut leaving: Vec<Vec<(usize, String)>> = vec![Vec::new(); family.places.len()];
    for ((from, to), transitions) in family.moves(net) {
        let mut names: Vec<&str> = transitions.iter().map(|t| event(net, *t)).collect();
        names.dedup();
        leaving[from].extend(names.into_iter().map(|name| (to, name.to_owned())));
    }
    let tokens = |at: usize, now: Option<&CurrentState>| {
        let place = family.places[at];
        marking(&net.places()[place], now.and_then(|now| now.value(place)))
    };
    let roots: Vec<usize> = (0..leaving.len()).filter(|at| !tokens(*at, None).is_empty()).take(most).collect();
    let chosen = nearest(leaving.len(), most, &roots, |at| leaving[at].iter().map(|(to, _)| *to).collect());
    let mut labels = Labels::default();
    let mut nodes = Vec::with_capacity(chosen.len());
    for (from, &at) in chosen.iter().enumerate() {
        let mut node = Node { initial: !tokens(at, None).is_empty(), ..Node::named(family.state(net, at)) };
        let count = tokens(at, now);
        if !count.is_empty() && (count != "1" || now.is_none() && family.name.contains('[')) {
            node.lines.push(format!("threads: {count}"));
        }
        if now.is_some() && !count.is_empty() {
            node.mark(Mark::Now);
        }
        for (to, label) in &leaving[at] {
            match chosen.binary_search(to) {
                Ok(to) => labels.add(from, to, Line::Solid, label.clone()),
                Err(_) => node.mark(Mark::Open),
            }
        }
        nodes.push(node);
    }
    let (edges, hidden) = labels.edges(nodes.len());
    (Group { name: family.name.clone(), nodes, edges }, hidden)
}

impl Family {
    /// Returns the name of a state, by its position among the places.
    #[must_use]
    pub fn state(&self, net: &Net, at: usize) -> String {
        split(net.shown_place(PlaceId::new(self.places[at]))).map_or_else(String::new, |split| split.1)
    }

    /// Returns the moves of single threads, by positions among the places, with their transitions.
    #[must_use]
    pub fn moves(&self, net: &Net) -> BTreeMap<(usize, usize), Vec<TransitionId>> {
        let position: BTreeMap<usize, usize> = self.places.iter().enumerate().map(|(i, place)| (*place, i)).collect();
        let mut all: BTreeMap<(usize, usize), Vec<TransitionId>> = BTreeMap::new();
        for (number, transition) in net.transitions().iter().enumerate() {
            for ends in moves(transition, &position) {
                all.entry(ends).or_default().push(TransitionId::new(number));
            }
        }
        all
    }
}

/// Returns the event of a transition. Transitions with the same event have numbers after it.
#[must_use]
pub fn event(net: &Net, transition: TransitionId) -> &str {
    let name = net.shown_transition(transition);
    let numbered = name.rsplit_once('#').filter(|(_, number)| number.parse::<u64>().is_ok());
    numbered.map_or(name, |(event, _)| event)
}

/// Returns from which state to which each thread of the family moves: the states that lose threads with those that
/// get some, in their order.
fn moves(transition: &Transition, position: &BTreeMap<usize, usize>) -> Vec<(usize, usize)> {
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for effect in &transition.effects {
        let (Some(&at), Some(delta)) = (position.get(&effect.place.index()), effect.delta()) else { continue };
        let count = usize::try_from(delta.magnitude().clone().min(BigUint::from(MOST_MOVED))).unwrap_or(0);
        let side = if *delta < BigInt::ZERO { &mut from } else { &mut to };
        side.extend(std::iter::repeat_n(at, count));
    }
    from.into_iter().zip(to).collect()
}
