//! What people call the places and transitions of a net, and the markings in which it may end.
//!
//! A net is identified by the names of its nodes (in PNML their ids), and everything that works on nets knows these
//! alone. Some files also say what people call a node. Such a name need not be unique; [`shown`] makes one of it that
//! is. Ids win over names: a node that is called like the id of another one is shown with its own id, so that no text
//! means two nodes.

use crate::formula::{Formula, FormulaBuilder};
use crate::ids::{PlaceId, TransitionId};
use crate::net::Net;
use num_bigint::BigUint;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Tokens by place; places that are not listed hold none.
pub type FinalMarking = Vec<(PlaceId, BigUint)>;

/// What a file says about a net beside its behaviour.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Said {
    /// How nodes are shown, by number; empty: by their names. Without nodes that are called otherwise both lists are
    /// empty.
    places: Vec<Box<str>>,
    transitions: Vec<Box<str>>,
    finals: Arc<[FinalMarking]>,
    ends: Option<Arc<Formula>>,
}

impl Net {
    /// The net whose nodes are called so, by number; empty: as they are named. `O(size of the names)`.
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

    /// The net that may end in these markings.
    #[must_use]
    pub fn with_finals(mut self, finals: Vec<FinalMarking>) -> Self {
        self.said_mut().finals = finals.into();
        self
    }

    /// The net that may end in the markings that satisfy `ends`, over its places, instead of those listed.
    #[must_use]
    pub fn with_ends(mut self, ends: Arc<Formula>) -> Self {
        self.said_mut().ends = Some(ends);
        self
    }

    /// The markings in which it may end, as a formula: the one given, or those listed, each exactly, with no tokens on places that it
    /// does not name. `None` if neither is there.
    #[must_use]
    pub fn ends(&self) -> Option<Arc<Formula>> {
        let said = self.said();
        said.ends.clone().or_else(|| (!said.finals.is_empty()).then(|| Arc::new(self.listed())))
    }

    /// The markings listed, as a formula.
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

    /// The net with what is said about `other`, which has the same nodes.
    #[must_use]
    pub fn said_as(mut self, other: &Net) -> Self {
        *self.said_mut() = other.said().clone();
        self
    }

    /// The markings in which it may end, if the file lists them.
    #[must_use]
    pub fn finals(&self) -> &[FinalMarking] {
        &self.said().finals
    }

    /// The place as people know it: unique among places.
    #[must_use]
    pub fn shown_place(&self, p: PlaceId) -> &str {
        let name = &self.place(p).name;
        self.said().places.get(p.index()).filter(|s| !s.is_empty()).map_or(name, |s| s)
    }

    /// The transition as people know it: unique among transitions.
    #[must_use]
    pub fn shown_transition(&self, t: TransitionId) -> &str {
        let name = &self.transition(t).name;
        self.said().transitions.get(t.index()).filter(|s| !s.is_empty()).map_or(name, |s| s)
    }

    /// Places by their names, and by what they are shown as.
    #[must_use]
    pub fn place_index(&self) -> HashMap<&str, PlaceId> {
        let numbers = || (0..self.places().len()).map(PlaceId::new);
        let shown = numbers().map(|p| (self.shown_place(p), p));
        shown.chain(numbers().map(|p| (self.place(p).name.as_str(), p))).collect()
    }

    /// Transitions by their names, and by what they are shown as.
    #[must_use]
    pub fn transition_index(&self) -> HashMap<&str, TransitionId> {
        let numbers = || (0..self.transitions().len()).map(TransitionId::new);
        let shown = numbers().map(|t| (self.shown_transition(t), t));
        shown.chain(numbers().map(|t| (self.transition(t).name.as_str(), t))).collect()
    }
}

/// How nodes with these ids are shown that people call so: by their name where it means one node, else as `name (id)`,
/// and by the id alone (empty) where that would mean two nodes as well. No node is shown like another one, or like
/// another one's id.
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
    // Two nodes with different ids and names may still be `a (b) (c)` alike.
    let mut times: HashMap<Box<str>, usize> = HashMap::new();
    shown.iter().filter(|s| !s.is_empty()).for_each(|s| *times.entry(s.clone()).or_default() += 1);
    shown.iter_mut().filter(|s| times.get(&**s).is_some_and(|n| *n > 1)).for_each(|s| *s = "".into());
    shown
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
        // Whatever is shown, and every id, leads to its node.
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
