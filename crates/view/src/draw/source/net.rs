//! Nets: places and transitions. Arcs without an arrow test a place, arcs that end in a circle inhibit a transition,
//! and dashed arcs set a place.

use super::spots::Spots;
use super::{CurrentState, finish, limited, nearest};
use crate::draw::graph::{Edge, Graph, Group, Head, Line, Mark, Node, Shape};
use crate::steps::Value;
use crate::text::plural;
use model::{Effect, Net, Place, PlaceId, Range, Transition, TransitionId};
use num_bigint::{BigInt, BigUint, Sign};

/// Returns the graph of a net with at most `most` nodes. `spots` are the positions of the file.
pub fn graph(net: &Net, spots: &Spots, now: Option<&CurrentState>, most: usize) -> Graph {
    let places = net.places().len();
    let all = places + net.transitions().len();
    let arcs: Vec<Edge> = (0..net.transitions().len()).flat_map(|t| arcs(net, t)).collect();
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); all];
    for arc in &arcs {
        near[arc.from].push(arc.to);
        near[arc.to].push(arc.from);
    }
    let tokens = |p: usize| marking(&net.places()[p], now.and_then(|now| now.value(p)));
    let fired = now.and_then(|now| now.last.as_ref()).map(|last| places + last.id.index());
    let roots: Vec<usize> = fired.into_iter().chain((0..places).filter(|p| !tokens(*p).is_empty())).collect();
    let chosen = nearest(all, most, &roots, |node| near[node].clone());
    let node = |&number: &usize| match number.checked_sub(places) {
        None => place(net, number, tokens(number), spots),
        Some(t) => {
            let name = net.shown_transition(TransitionId::new(t)).to_owned();
            let spot = spots.get(&net.transitions()[t].name).copied();
            let mark = if fired == Some(number) { Mark::Now } else { Mark::Plain };
            Node { shape: Shape::Bar, spot, mark, ..Node::named(name) }
        }
    };
    let mut nodes: Vec<Node> = chosen.iter().map(node).collect();
    let places_shown = chosen.partition_point(|node| *node < places);
    for (node, p) in nodes.iter_mut().zip(&chosen[..places_shown]) {
        if now.is_some_and(|now| now.has_changed(*p)) {
            node.mark(Mark::Now);
        }
    }
    let mut edges = Vec::with_capacity(arcs.len());
    for arc in arcs {
        match (chosen.binary_search(&arc.from), chosen.binary_search(&arc.to)) {
            (Ok(from), Ok(to)) => edges.push(Edge { from, to, ..arc }),
            (Ok(node), Err(_)) | (Err(_), Ok(node)) => nodes[node].mark(Mark::Open),
            (Err(_), Err(_)) => {}
        }
    }
    let hidden = (places - places_shown, all - places - (chosen.len() - places_shown));
    let (edges, more) = limited(edges, nodes.len());
    picture(net, Group { nodes, edges, ..Group::default() }, now, (hidden.0, hidden.1, more))
}

fn picture(net: &Net, group: Group, now: Option<&CurrentState>, hidden: (usize, usize, usize)) -> Graph {
    let mut notes = Vec::new();
    let has = |wanted: &dyn Fn(&Edge) -> bool| group.edges.iter().any(wanted);
    for (is_used, text) in [
        (has(&|edge| edge.head == Head::None), "Lines without an arrow test a place."),
        (has(&|edge| edge.head == Head::Circle), "A circle: the transition needs fewer tokens than the number says."),
        (has(&|edge| edge.line != Line::Solid), "Dashed: sets a place to what the label says, from dotted places."),
    ] {
        if is_used {
            notes.push(text.to_owned());
        }
    }
    let mut graph = Graph {
        title: format!("A net: {}, {}", many(net.places().len(), "place"), many(net.transitions().len(), "transition")),
        about: "Circles are places with their tokens, bars are transitions.".to_owned(),
        groups: vec![group],
        notes,
    };
    graph.leave_out(hidden.0, "place");
    graph.leave_out(hidden.1, "transition");
    graph.leave_out(hidden.2, "arc");
    finish(&mut graph, now);
    graph
}

fn many(count: usize, what: &str) -> String {
    plural(count as u64, what)
}

fn place(net: &Net, p: usize, tokens: String, spots: &Spots) -> Node {
    let spot = spots.get(&net.places()[p].name).copied();
    let mut lines = vec![tokens];
    // Only short numbers fit into the circle.
    if lines[0].chars().count() > 3 {
        lines = vec!["*".to_owned(), format!("* = {}", lines[0])];
    }
    // Pictures of all steps of a run have the same layout, so the start does not depend on the step.
    let initial = !marking(&net.places()[p], None).is_empty();
    Node { lines, shape: Shape::Circle, spot, initial, ..Node::named(net.shown_place(PlaceId::new(p))) }
}

/// Returns the tokens of a place, now or at the start. Empty if there are none.
pub(super) fn marking(place: &Place, now: Option<&Value>) -> String {
    match now {
        Some(Value::Tokens(count)) if *count == BigUint::ZERO => String::new(),
        Some(value) => value.to_string(),
        None => match &place.initial {
            range if range.is_single() && range.at_least == BigUint::ZERO => String::new(),
            range if range.is_single() => range.at_least.to_string(),
            Range { at_least, at_most: None } => format!("{at_least}.."),
            Range { at_least, at_most: Some(most) } => format!("{at_least}..{most}"),
        },
    }
}

/// Returns the arcs of a transition. Places have their numbers, and transitions those after them.
fn arcs(net: &Net, t: usize) -> Vec<Edge> {
    let (transition, node) = (&net.transitions()[t], net.places().len() + t);
    let mut arcs = Vec::new();
    let arc = |from, to, label: String, line, head| {
        let label = if label.is_empty() { Vec::new() } else { vec![label] };
        Edge { from, to, label, line, head }
    };
    for effect in &transition.effects {
        let place = effect.place.index();
        match effect.delta() {
            Some(delta) if delta.sign() == Sign::Minus => {
                arcs.push(arc(place, node, weight(delta.magnitude()), Line::Solid, Head::Arrow));
            }
            Some(delta) => arcs.push(arc(node, place, weight(delta.magnitude()), Line::Solid, Head::Arrow)),
            None => {
                arcs.push(arc(node, place, assigned(net, effect), Line::Dashed, Head::Arrow));
                let others = effect.sources.iter().filter(|source| **source != effect.place);
                arcs.extend(others.map(|s| arc(s.index(), node, String::new(), Line::Dotted, Head::Arrow)));
            }
        }
    }
    for guard in &transition.guards {
        let place = guard.place.index();
        if guard.range.at_least > taken(transition, guard.place) {
            arcs.push(arc(place, node, weight(&guard.range.at_least), Line::Solid, Head::None));
        }
        if let Some(most) = &guard.range.at_most {
            arcs.push(arc(place, node, weight(&(most + 1u32)), Line::Solid, Head::Circle));
        }
    }
    arcs
}

/// Returns the tokens that a plain arc takes from the place.
fn taken(transition: &Transition, place: PlaceId) -> BigUint {
    let delta = transition.effect(place).and_then(Effect::delta).filter(|delta| delta.sign() == Sign::Minus);
    delta.map_or(BigUint::ZERO, |delta| delta.magnitude().clone())
}

fn weight(n: &BigUint) -> String {
    if *n == BigUint::from(1u32) { String::new() } else { n.to_string() }
}

/// Returns what an effect assigns: `:= x + 2`.
fn assigned(net: &Net, effect: &Effect) -> String {
    let mut sum: Vec<String> = effect.sources.iter().map(|p| net.shown_place(*p).to_owned()).collect();
    if effect.add != BigInt::ZERO || sum.is_empty() {
        sum.push(effect.add.to_string());
    }
    format!(":= {}", sum.join(" + "))
}
