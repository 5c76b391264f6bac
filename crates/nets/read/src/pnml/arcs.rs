//! Converts the arcs of a PNML file to the transitions of a net.

use super::nodes::{Id, Node, Res, Resolved};
use crate::join::{self, ArcKind, End};
use formats::codes;
use formats::error::{Error, Span, Text, printable};
use model::{PlaceId, Transition, TransitionId};
use num_bigint::BigUint;

/// An arc of the file.
pub(super) struct Arc {
    pub(super) source: Id,
    pub(super) target: Id,
    /// The weight; `None` stands for 1.
    pub(super) weight: Option<BigUint>,
    pub(super) kind: ArcKind,
    pub(super) span: Span,
}

/// An arc seen from its transition.
pub(super) struct Link<'f> {
    pub(super) transition: TransitionId,
    pub(super) place: PlaceId,
    /// True if the arc leads from the place to the transition.
    pub(super) into: bool,
    arc: &'f Arc,
}

/// Transitions with their arcs.
pub(super) struct Built {
    pub(super) transitions: Vec<Transition>,
    /// For each transition: the number of arcs into it, and of arcs out of it.
    pub(super) ends: Vec<[u32; 2]>,
    /// Warnings about transitions that can never fire, because their arcs contradict each other.
    pub(super) never: Vec<Error>,
}

/// Builds the transitions called `names`, with these arcs.
pub(super) fn transitions<'a>(
    text: Text<'a>,
    resolved: &Resolved<'_, 'a>,
    names: Vec<String>,
    arcs: &[Arc],
) -> Res<Built> {
    let mut links = Vec::with_capacity(arcs.len());
    for arc in arcs {
        links.push(link(text, resolved, arc)?);
    }
    // The sort is stable: links of one place keep the order of the file.
    links.sort_by_key(|l| (l.transition, l.place));
    let mut rest = links.as_slice();
    let count = names.len();
    let mut built =
        Built { transitions: Vec::with_capacity(count), ends: Vec::with_capacity(count), never: Vec::new() };
    for (t, name) in names.into_iter().enumerate() {
        let count = rest.partition_point(|l| l.transition <= TransitionId::new(t));
        let (mine, others) = rest.split_at(count);
        rest = others;
        let mut ends = [0u32; 2];
        mine.iter().for_each(|link| ends[usize::from(!link.into)] += 1);
        built.ends.push(ends);
        let end = |l: &Link<'_>| End { place: l.place, into: l.into, kind: l.arc.kind };
        let weight = |l: &Link<'_>| l.arc.weight.clone().unwrap_or_else(|| 1u8.into());
        let (transition, forbids) = join::transition(name, mine, end, weight);
        built.never.extend(forbids.map(|group| *never(text, &transition.name, group)));
        built.transitions.push(transition);
    }
    Ok(built)
}

/// Makes the warning about a transition that can never fire, because an inhibitor arc forbids what another arc
/// requires.
fn never(text: Text<'_>, name: &str, group: &[Link<'_>]) -> Box<Error> {
    let message = format!("the transition `{}` can never fire", printable(name));
    let error = text.error(&codes::PNML_NEVER, group[0].arc.span.range(), message).warning();
    error.label("one arc requires more tokens of a place than another one allows")
}

pub(super) fn link<'a, 'f>(text: Text<'a>, resolved: &Resolved<'_, 'a>, arc: &'f Arc) -> Res<Link<'f>> {
    let source = resolved.get(text, arc.source, arc.span)?;
    let target = resolved.get(text, arc.target, arc.span)?;
    let (transition, place, into) = match (source, target) {
        (Node::Place(place), Node::Transition(transition)) => (transition, place, true),
        (Node::Transition(transition), Node::Place(place)) => (transition, place, false),
        (Node::Place(_), Node::Place(_)) => return Err(same_kind(text, arc, "places")),
        (Node::Transition(_), Node::Transition(_)) => return Err(same_kind(text, arc, "transitions")),
    };
    if !into && arc.kind != ArcKind::Normal {
        let message = "an inhibitor, read or reset arc from a transition to a place";
        let error = text.error(&codes::PNML_ARC_TYPE, arc.span.range(), message);
        return Err(error.label("expected it to lead from a place to a transition"));
    }
    Ok(Link { transition, place, into, arc })
}

fn same_kind(text: Text<'_>, arc: &Arc, what: &str) -> Box<Error> {
    let message = format!("the arc joins two {what}");
    let error = text.error(&codes::PNML_ARC, arc.span.range(), message);
    error.label("expected it to join a place and a transition")
}
