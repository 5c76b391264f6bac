//! Families: names that stand for several places or transitions of a net together.
//!
//! A coloured net is read as a place/transition net with one place for each colour that a coloured place may hold, and
//! one transition for each binding of a coloured transition. The name of the coloured place is then the name of a
//! family: it stands for the tokens of all its places together. The name of a coloured transition stands for all its
//! transitions. A family may be empty. Names of families count before names of nodes.

use crate::ids::{PlaceId, TransitionId};
use crate::net::Net;
use std::collections::HashMap;
use std::sync::Arc;

/// A name with its members, ascending.
pub type Family<T> = (String, Vec<T>);

/// The families of a net.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Families {
    /// The families of places. No two have the same name.
    pub places: Vec<Family<PlaceId>>,
    /// The families of transitions. No two have the same name.
    pub transitions: Vec<Family<TransitionId>>,
}

/// The nodes that a name stands for: one node, or the members of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named<'a, T> {
    /// A node.
    One(T),
    /// A family.
    Family(&'a [T]),
}

impl<T> Named<'_, T> {
    /// Returns the nodes.
    #[must_use]
    pub fn members(&self) -> &[T] {
        match self {
            Self::One(node) => std::slice::from_ref(node),
            Self::Family(members) => members,
        }
    }
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

    /// Returns a map from texts to places and families of places: [`Net::place_index`], and the families.
    #[must_use]
    pub fn places_named(&self) -> HashMap<&str, Named<'_, PlaceId>> {
        named(self.place_index(), &self.families().places)
    }

    /// Returns a map from texts to transitions and families of transitions: [`Net::transition_index`], and the
    /// families.
    #[must_use]
    pub fn transitions_named(&self) -> HashMap<&str, Named<'_, TransitionId>> {
        named(self.transition_index(), &self.families().transitions)
    }
}

fn named<'a, T: Copy>(nodes: HashMap<&'a str, T>, families: &'a [Family<T>]) -> HashMap<&'a str, Named<'a, T>> {
    let nodes = nodes.into_iter().map(|(name, node)| (name, Named::One(node)));
    nodes.chain(families.iter().map(|(name, members)| (name.as_str(), Named::Family(members)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Place, Range};

    #[test]
    fn names_of_families_count_before_names_of_nodes() {
        let place = |name: &str| Place { name: name.to_owned(), initial: Range::exactly(0u8) };
        let net = Net::new(vec![place("p"), place("q"), place("r")], Vec::new()).expect("a net");
        let both = vec![PlaceId(1), PlaceId(2)];
        let families = Families { places: vec![("p".into(), both.clone()), ("none".into(), vec![])], ..<_>::default() };
        let net = net.with_families(families);
        let named = net.places_named();
        assert_eq!(named["p"].members(), both);
        assert_eq!(named["q"].members(), [PlaceId(1)]);
        assert!(named["none"].members().is_empty());
        assert!(net.transitions_named().is_empty());
        let other = Net::new(net.places().to_vec(), Vec::new()).expect("a net");
        assert_eq!(other.said_as(&net).families(), net.families());
    }
}
