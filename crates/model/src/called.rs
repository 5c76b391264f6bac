//! Display names of the places and transitions of a net, and the markings in which the net may end.
//!
//! All code that works on nets identifies a node (a place or a transition) by its unique name; in PNML this is
//! the id. Some files also give a node a display name, which need not be unique. [`shown`] makes a unique text
//! from it. Ids take precedence over display names: if the display name of a node equals the id of another
//! node, the node is shown together with its own id. So no text means two nodes.

use crate::families::{Families, NodeNames, of_file};
use crate::formula::{Formula, FormulaBuilder};
use crate::ids::{PlaceId, TransitionId};
use crate::net::Net;
pub use crate::said::FinalMarking;
use num_bigint::BigUint;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

impl Net {
    /// Sets the display names of all places and transitions, in their order. An empty string means that the
    /// node has no display name. `O(size of the names)`.
    #[must_use]
    pub fn with_called(mut self, places: &[String], transitions: &[String]) -> Self {
        let ids: Vec<&str> = self.places().iter().map(|p| p.name.as_str()).collect();
        let places = shown(&ids, places);
        let ids: Vec<&str> = self.transitions().iter().map(|t| t.name.as_str()).collect();
        let transitions = shown(&ids, transitions);
        let said = self.said_mut();
        (said.places, said.transitions) = (places, transitions);
        self
    }

    /// Sets the list of markings in which the net may end.
    #[must_use]
    pub fn with_finals(mut self, finals: Vec<FinalMarking>) -> Self {
        self.said_mut().finals = finals.into();
        self
    }

    /// Forgets in which markings the net may end.
    #[must_use]
    pub fn without_finals(mut self) -> Self {
        let said = self.said_mut();
        (said.finals, said.ends) = (Arc::default(), None);
        self
    }

    /// Sets the transitions that are no activities of the process that the net describes, ascending. They fire like
    /// others.
    #[must_use]
    pub fn with_silent(mut self, silent: Vec<TransitionId>) -> Self {
        self.said_mut().silent = silent.into();
        self
    }

    /// Returns true for a transition of [`Net::with_silent`].
    #[must_use]
    pub fn is_silent(&self, transition: TransitionId) -> bool {
        self.said().silent.binary_search(&transition).is_ok()
    }

    /// Declares that the net may end in exactly the markings that satisfy the formula `ends` over its places.
    /// This replaces the list of [`Net::with_finals`].
    #[must_use]
    pub fn with_ends(mut self, ends: Arc<Formula>) -> Self {
        self.said_mut().ends = Some(ends);
        self
    }

    /// Returns the markings in which the net may end, as a formula. This is the formula of [`Net::with_ends`]
    /// if there is one. Otherwise it holds exactly in the markings of [`Net::with_finals`], where places that
    /// are not listed hold no tokens. `None` if the net has neither a formula nor a list.
    #[must_use]
    pub fn ends(&self) -> Option<Arc<Formula>> {
        let said = self.said();
        said.ends.clone().or_else(|| (!said.finals.is_empty()).then(|| Arc::new(self.listed())))
    }

    /// Returns a formula that holds exactly in the markings of [`Net::finals`].
    #[must_use]
    pub fn listed(&self) -> Formula {
        let mut builder = FormulaBuilder::default();
        let mut markings = Vec::new();
        for marking in self.finals() {
            let tokens: HashMap<PlaceId, &BigUint> = marking.iter().map(|(place, tokens)| (*place, tokens)).collect();
            let mut places = Vec::new();
            for place in (0..self.places().len()).map(PlaceId::new) {
                let tokens = tokens.get(&place).copied().unwrap_or(&BigUint::ZERO);
                places.push(builder.place_at_most(place, tokens));
                if *tokens != BigUint::ZERO {
                    places.push(builder.cover(&[(place, tokens.clone())]));
                }
            }
            markings.push(builder.all(places));
        }
        let any = builder.any(markings);
        builder.finish(any)
    }

    /// Takes over the display names, families and final markings of `other`, which must have the same nodes.
    #[must_use]
    pub fn said_as(mut self, other: &Net) -> Self {
        *self.said_mut() = other.said().clone();
        self
    }

    /// Returns the list of markings in which the net may end; empty if the file does not list any.
    #[must_use]
    pub fn finals(&self) -> &[FinalMarking] {
        &self.said().finals
    }

    /// Returns the text shown for a place: unique among the places.
    #[must_use]
    pub fn shown_place(&self, p: PlaceId) -> &str {
        let name = &self.place(p).name;
        self.said().places.get(p.index()).filter(|s| !s.is_empty()).map_or(name, |s| s)
    }

    /// Returns the text shown for a transition: unique among the transitions.
    #[must_use]
    pub fn shown_transition(&self, t: TransitionId) -> &str {
        let name = &self.transition(t).name;
        self.said().transitions.get(t.index()).filter(|s| !s.is_empty()).map_or(name, |s| s)
    }

    /// Returns a map from texts to places. It contains the name of each place and the text shown for it.
    #[must_use]
    pub fn place_index(&self) -> HashMap<&str, PlaceId> {
        let numbers = || (0..self.places().len()).map(PlaceId::new);
        let shown = numbers().map(|p| (self.shown_place(p), p));
        shown.chain(numbers().map(|p| (self.place(p).name.as_str(), p))).collect()
    }

    /// Returns a map from texts to transitions. It contains the name of each transition and the text shown for
    /// it.
    #[must_use]
    pub fn transition_index(&self) -> HashMap<&str, TransitionId> {
        let numbers = || (0..self.transitions().len()).map(TransitionId::new);
        let shown = numbers().map(|t| (self.shown_transition(t), t));
        shown.chain(numbers().map(|t| (self.transition(t).name.as_str(), t))).collect()
    }
}

/// Returns the text shown for each node, given the ids and the display names. This is the display name if it
/// means only this node, else `name (id)`. It is empty, which means the id alone, if `name (id)` could also
/// mean another node. No node has the same text as another node, or the id of another node as its text.
fn shown(ids: &[&str], called: &[String]) -> Vec<Box<str>> {
    let named =
        || ids.iter().zip(called).enumerate().filter(|(_, (id, name))| !name.is_empty() && name.as_str() != **id);
    if named().next().is_none() {
        return Vec::new();
    }
    let known: HashSet<&str> = ids.iter().copied().collect();
    let mut nodes: HashMap<&str, usize> = HashMap::new();
    for (id, name) in ids.iter().zip(called) {
        *nodes.entry(if name.is_empty() { id } else { name }).or_default() += 1;
    }
    let mut shown: Vec<Box<str>> = vec!["".into(); ids.len()];
    for (i, (id, name)) in named() {
        let unique = nodes.get(name.as_str()) == Some(&1) && !known.contains(name.as_str());
        let both = || format!("{name} ({id})");
        shown[i] = if unique { name.as_str().into() } else { both().into() };
        if !unique && (known.contains(&*shown[i]) || nodes.contains_key(&*shown[i])) {
            shown[i] = "".into();
        }
    }
    // Two nodes with different ids and names may still both be shown as `a (b) (c)`.
    let mut times: HashMap<Box<str>, usize> = HashMap::new();
    shown.iter().filter(|s| !s.is_empty()).for_each(|s| *times.entry(s.clone()).or_default() += 1);
    shown.iter_mut().filter(|s| times.get(&**s).is_some_and(|n| *n > 1)).for_each(|s| *s = "".into());
    shown
}

impl Net {
    /// Sets the families of the net.
    #[must_use]
    pub fn with_families(mut self, families: Families) -> Self {
        self.said_mut().families = Arc::new(families);
        self
    }

    /// Returns the families of the net.
    #[must_use]
    pub fn families(&self) -> &Families {
        &self.said().families
    }

    /// Returns the texts that stand for places: [`Net::place_index`], and the families.
    #[must_use]
    pub fn place_names(&self) -> NodeNames<'_, PlaceId> {
        NodeNames::new(self.place_index(), &self.families().places)
    }

    /// Returns the texts that stand for transitions: [`Net::transition_index`], and the families.
    #[must_use]
    pub fn transition_names(&self) -> NodeNames<'_, TransitionId> {
        NodeNames::new(self.transition_index(), &self.families().transitions)
    }

    /// Returns the places of the file: for each of them the places of the net, of which there may be none.
    #[must_use]
    pub fn places_of_file(&self) -> Vec<Cow<'_, [PlaceId]>> {
        of_file(self.places().len(), &self.families().places, PlaceId::new, PlaceId::index)
    }

    /// Returns the transitions of the file: for each of them the transitions of the net, of which there may be none.
    #[must_use]
    pub fn transitions_of_file(&self) -> Vec<Cow<'_, [TransitionId]>> {
        of_file(self.transitions().len(), &self.families().transitions, TransitionId::new, TransitionId::index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Place, Range};

    fn net(ids: &[&str], called: &[&str]) -> Net {
        let place = |id: &&str| Place { name: (*id).to_owned(), initial: Range::exactly(0u8) };
        let called: Vec<String> = called.iter().map(|name| (*name).to_owned()).collect();
        Net::new(ids.iter().map(place).collect(), Vec::new()).expect("a net").with_called(&called, &[])
    }

    fn shows(ids: &[&str], called: &[&str]) -> Vec<String> {
        let net = net(ids, called);
        let shown: Vec<String> = (0..ids.len()).map(|p| net.shown_place(PlaceId::new(p)).to_owned()).collect();
        // The index maps each shown text and each id to its node.
        let index = net.place_index();
        for (p, shown) in shown.iter().enumerate() {
            assert_eq!(index.get(shown.as_str()), Some(&PlaceId::new(p)), "{shown}");
            assert_eq!(index.get(ids[p]), Some(&PlaceId::new(p)));
        }
        shown
    }

    #[test]
    fn names_that_are_unique_are_shown_alone() {
        assert_eq!(shows(&["a", "b", "c"], &["start", "", "c"]), ["start", "b", "c"]);
        assert_eq!(shows(&["a", "b"], &["go", "go"]), ["go (a)", "go (b)"]);
    }

    #[test]
    fn ids_win_over_names() {
        assert_eq!(shows(&["a", "b"], &["b", "a"]), ["b (a)", "a (b)"]);
        assert_eq!(shows(&["a", "b", "c"], &["b", "", "b (a)"]), ["a", "b", "b (a)"]);
        assert_eq!(shows(&["x", "b) (x", "c"], &["a (b)", "a", "a"]), ["a (b)", "a (b) (x)", "a (c)"]);
        assert_eq!(shows(&["x", "b) (x", "c", "d"], &["a (b)", "a", "a", "a (b)"])[..2], ["x", "b) (x"]);
    }

    #[test]
    fn what_is_said_is_kept() {
        let first = net(&["a"], &["start"]).with_finals(vec![vec![(PlaceId(0), 2u8.into())]]);
        let second = Net::new(first.places().to_vec(), Vec::new()).expect("a net").said_as(&first);
        assert_eq!(second, first);
        assert_eq!(second.finals().len(), 1);
        assert_eq!(second.shown_place(PlaceId(0)), "start");
    }
}
