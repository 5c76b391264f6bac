//! Builds the net of a file in Tina's format from its places and arcs.

use crate::join::{self, ArcKind, End};
use crate::weights::{Weight, Weights};
use formats::codes;
use formats::error::{Error, Text, printable};
use model::{Net, Place, PlaceId, TransitionId};
use std::borrow::Cow;

type Res<T> = Result<T, Box<Error>>;

/// An arc of the file.
pub(super) struct Arc {
    pub(super) transition: TransitionId,
    pub(super) place: PlaceId,
    pub(super) weight: Weight,
    pub(super) kind: ArcKind,
    /// True if the arc leads from the place to the transition.
    pub(super) into: bool,
    /// The byte at which the arc begins in the text.
    pub(super) at: u32,
}

/// Builds the net. The tokens of a place are the lower bound of its range. Returns warnings, too.
pub(super) fn net(
    text: Text<'_>,
    mut places: Vec<Place>,
    names: Vec<Cow<'_, str>>,
    mut arcs: Vec<Arc>,
    weights: &Weights,
) -> Res<(Net, Vec<Error>)> {
    places.iter_mut().for_each(|place| place.initial.at_most = Some(place.initial.at_least.clone()));
    // The order of arcs with the same ends is that of the text.
    arcs.sort_unstable_by_key(|arc| (arc.transition, arc.place, arc.at));
    let mut transitions = Vec::with_capacity(names.len());
    let (mut never, mut rest): (Vec<(TransitionId, u32)>, _) = (Vec::new(), arcs.as_slice());
    for (t, name) in names.into_iter().enumerate() {
        let (mine, others) = rest.split_at(rest.partition_point(|arc| arc.transition <= TransitionId::new(t)));
        rest = others;
        check_repeated(text, mine)?;
        let end = |arc: &Arc| End { place: arc.place, into: arc.into, kind: arc.kind };
        let (transition, forbids) = join::transition(name.into_owned(), mine, end, |arc| weights.get(arc.weight));
        never.extend(forbids.map(|group| (TransitionId::new(t), group[0].at)));
        transitions.push(transition);
    }
    let invalid = |e: model::net::InvalidNet| Error::whole(&codes::NET_INVALID, text.name, printable(&e.to_string()));
    let net = Net::new(places, transitions).map_err(invalid)?;
    let warnings = warnings(text, &net, &never);
    Ok((net, warnings))
}

/// Refuses two test arcs, or two inhibitor arcs, with the same ends. Their weights could be meant to add up, or
/// each to hold.
fn check_repeated(text: Text<'_>, arcs: &[Arc]) -> Res<()> {
    for group in arcs.chunk_by(|a, b| a.place == b.place) {
        for kind in [ArcKind::Read, ArcKind::Inhibitor] {
            if let Some(second) = group.iter().filter(|arc| arc.kind == kind).nth(1) {
                let what = if kind == ArcKind::Read { "test" } else { "inhibitor" };
                let message = format!("a second {what} arc from the same place to the same transition");
                let at = second.at as usize;
                let error = text.error(&codes::TINA_REPEATED, at..at + 1, message).label("again here");
                return Err(error.hint("write one arc with the weight that is meant"));
            }
        }
    }
    Ok(())
}

/// Warns about the first transition that can never fire, and tells how many others there are.
fn warnings(text: Text<'_>, net: &Net, never: &[(TransitionId, u32)]) -> Vec<Error> {
    let Some((transition, at)) = never.first() else { return Vec::new() };
    let name = &net.transitions()[transition.index()].name;
    let others = match never.len() - 1 {
        0 => String::new(),
        1 => ", and neither can another one".to_owned(),
        more => format!(", and neither can {more} others"),
    };
    let message = format!("the transition `{}` can never fire{others}", printable(name));
    let at = *at as usize;
    let warning = text.error(&codes::TINA_NEVER, at..at + 1, message).warning();
    vec![*warning.label("one arc requires more tokens of this place than another one allows")]
}
