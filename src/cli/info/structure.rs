//! `impasse info --structure`: the class of a net, its semiflows, siphons and traps.

use super::NAMES;
use crate::cli::exit::{Exit, usage};
use crate::cli::input::Model;
use impasse::model::{Net, PlaceId, TransitionId};
use nets::structure::{Flow, Semiflow};
use num_bigint::BigInt;
use view::text::{names, plural};

/// Semiflows that are kept while they are computed. With more, none are shown.
pub(super) const MOST: usize = 20_000;
/// Semiflows that are shown without `-v`.
const SHOWN: usize = 10;

/// Prints the facts, or says why there are none.
pub(super) fn say(model: &Model, all: bool) -> Exit {
    let Some(net) = model.problem.system().as_net() else {
        let noun = model.problem.system().noun();
        return usage(&format!("`--structure` is about nets, and {} is {noun}", model.name));
    };
    let Some(flow) = Flow::of(net) else {
        return usage(&format!(
            "`--structure` is about nets with plain and read arcs, and {} has arcs of other kinds",
            model.name
        ));
    };
    say!("{}: {}", model.name, flow.class().name());
    let place = |p: usize| net.shown_place(PlaceId::new(p));
    let transition = |t: usize| net.shown_transition(TransitionId::new(t));
    let places = flow.place_semiflows(MOST);
    semiflows("P-semiflow", "tokens that no transition changes", places.as_deref(), &place, all);
    covered("place", places.as_deref(), net.places().len(), &place, all);
    let transitions = flow.transition_semiflows(MOST);
    semiflows("T-semiflow", "firings that change no marking", transitions.as_deref(), &transition, all);
    covered("transition", transitions.as_deref(), net.transitions().len(), &transition, all);
    set("largest siphon without a token (never marked)", net, &flow.unmarked_siphon(), all);
    set("largest trap (stays marked if it is marked)", net, &flow.largest_trap(), all);
    let sources = flow.sources();
    if !sources.is_empty() {
        let list = sources.iter().map(|t| transition(t.index()));
        say!("  transitions without input places: {}", names(list, limit(all)));
    }
    Exit::Done
}

fn limit(all: bool) -> usize {
    if all { usize::MAX } else { NAMES }
}

fn semiflows<'n>(what: &str, meaning: &str, found: Option<&[Semiflow]>, name: &dyn Fn(usize) -> &'n str, all: bool) {
    let Some(found) = found else {
        return say!("  minimal {what}s: too many to list");
    };
    say!("  {} ({meaning})", plural(found.len() as u64, &format!("minimal {what}")));
    let most = if all { usize::MAX } else { SHOWN };
    for semiflow in found.iter().take(most) {
        let term = |(index, factor): &(usize, BigInt)| {
            if *factor == BigInt::from(1) { name(*index).to_owned() } else { format!("{factor} {}", name(*index)) }
        };
        let terms: Vec<String> = semiflow.iter().take(limit(all)).map(term).collect();
        let more = semiflow.len().saturating_sub(terms.len());
        let rest = if more > 0 { format!(" + {more} more") } else { String::new() };
        say!("    {}{rest}", terms.join(" + "));
    }
    if found.len() > most {
        say!("    and {} more (`-v` shows all)", found.len() - most);
    }
}

/// Says which nodes no semiflow contains.
fn covered<'n>(what: &str, found: Option<&[Semiflow]>, count: usize, name: &dyn Fn(usize) -> &'n str, all: bool) {
    let Some(found) = found else { return };
    let mut is_covered = vec![false; count];
    found.iter().flatten().for_each(|(index, _)| is_covered[*index] = true);
    let open: Vec<usize> = (0..count).filter(|index| !is_covered[*index]).collect();
    match open.is_empty() {
        true => say!("    they cover each {what}"),
        false => say!("    in none of them: {}", names(open.into_iter().map(name), limit(all))),
    }
}

fn set(what: &str, net: &Net, places: &[PlaceId], all: bool) {
    let list = match places.is_empty() {
        true => "none".to_owned(),
        false => names(places.iter().map(|p| net.shown_place(*p)), limit(all)),
    };
    say!("  {what}: {list}");
}
