//! Families: nodes of a file that are read as several nodes of the net, or as none.
//!
//! A coloured net is read as a place/transition net with one place for each colour that a coloured place may hold, and
//! one transition for each binding of a coloured transition. The name of the coloured place is then the name of a
//! family: it stands for the tokens of all its places together. The name of a coloured transition stands for all its
//! transitions. Names of families count before names of nodes.
//!
//! Places that never hold a token and transitions that never fire may be left out of the net. So a family may be
//! empty, and a name such as `p(a)` may be that of a node that is left out. It is known all the same, and stands for
//! no node: for 0 tokens, and for a transition that is never enabled.

use crate::ids::{PlaceId, TransitionId};
use num_bigint::BigInt;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A node of the file, with the nodes of the net that it is read as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family<T> {
    /// The id of the node, and its displayed name if no other node has this name.
    pub names: Vec<String>,
    /// The nodes of the net, ascending.
    pub members: Vec<T>,
    /// The names that members have, if they are named by colours.
    pub forms: Vec<Form>,
}

/// The names `prefix(colour,..)` of the members of a family, and of the nodes that are left out of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// The text before the bracket.
    pub prefix: String,
    /// For each component: the text before the colour, such as `x=`, and the texts of the colours.
    pub components: Vec<(String, Colours)>,
}

/// The texts of the colours of a class. No two colours have the same text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Colours {
    /// These texts.
    Texts(Arc<HashSet<String>>),
    /// The decimal numbers in this range.
    Integers(RangeInclusive<BigInt>),
}

impl Colours {
    fn contains(&self, text: &str) -> bool {
        match self {
            Self::Texts(texts) => texts.contains(text),
            Self::Integers(range) => text.parse().is_ok_and(|n: BigInt| range.contains(&n) && n.to_string() == text),
        }
    }
}

impl Form {
    /// True if these are the colours of a node, as they stand between the brackets.
    fn contains(&self, colours: &str) -> bool {
        let texts: Vec<&str> = colours.split(',').collect();
        let is_colour = |((before, colours), text): (&(String, Colours), &str)| {
            text.strip_prefix(before.as_str()).is_some_and(|text| colours.contains(text))
        };
        texts.len() == self.components.len() && self.components.iter().zip(texts).all(is_colour)
    }
}

/// The families of a net.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Families {
    /// The families of places. No two have a name in common.
    pub places: Vec<Family<PlaceId>>,
    /// The families of transitions. No two have a name in common.
    pub transitions: Vec<Family<TransitionId>>,
}

/// The nodes that a name stands for: one node, or the members of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named<'a, T> {
    /// A node.
    One(T),
    /// A family, or no node.
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

/// The texts that stand for places, or for transitions.
#[derive(Debug)]
pub struct NodeNames<'a, T> {
    known: HashMap<Cow<'a, str>, Named<'a, T>>,
    forms: HashMap<&'a str, &'a Form>,
}

impl<'a, T> NodeNames<'a, T> {
    pub(super) fn new(nodes: HashMap<&'a str, T>, families: &'a [Family<T>]) -> Self {
        let mut names: Self = nodes.into_iter().map(|(name, node)| (Cow::Borrowed(name), node)).collect();
        for family in families {
            let named = |name: &'a String| (Cow::Borrowed(name.as_str()), Named::Family(family.members.as_slice()));
            names.known.extend(family.names.iter().map(named));
        }
        // Ids come first in a family, and count before displayed names.
        for form in families.iter().flat_map(|family| family.forms.iter().skip(1)) {
            names.forms.insert(&form.prefix, form);
        }
        for form in families.iter().filter_map(|family| family.forms.first()) {
            names.forms.insert(&form.prefix, form);
        }
        names
    }

    /// Adds names that stand for no node, unless they stand for one.
    #[must_use]
    pub fn and_none(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().for_each(|name| _ = self.known.entry(Cow::Borrowed(name)).or_insert(Named::Family(&[])));
        self
    }

    /// Returns what the text stands for, or `None` if it stands for no node of the file.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Named<'a, T>>
    where
        T: Copy,
    {
        self.known.get(text).copied().or_else(|| {
            let (prefix, colours) = text.strip_suffix(')')?.rsplit_once('(')?;
            self.forms.get(prefix).filter(|form| form.contains(colours)).map(|_| Named::Family(&[]))
        })
    }

    /// Returns the names of all nodes and families, in no particular order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(AsRef::as_ref)
    }
}

/// The names of nodes without families.
impl<'a, T> FromIterator<(Cow<'a, str>, T)> for NodeNames<'a, T> {
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, T)>>(nodes: I) -> Self {
        let known = nodes.into_iter().map(|(name, node)| (name, Named::One(node))).collect();
        Self { known, forms: HashMap::new() }
    }
}

pub(super) fn of_file<T: Copy>(
    nodes: usize,
    families: &[Family<T>],
    id: impl Fn(usize) -> T,
    index: impl Fn(T) -> usize,
) -> Vec<Cow<'_, [T]>> {
    let mut is_member = vec![false; nodes];
    families.iter().flat_map(|family| &family.members).for_each(|node| is_member[index(*node)] = true);
    let alone = (0..nodes).filter(|node| !is_member[*node]).map(|node| Cow::Owned(vec![id(node)]));
    alone.chain(families.iter().map(|family| Cow::Borrowed(family.members.as_slice()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Net, Place, Range};

    fn family(names: &[&str], members: &[u32], forms: Vec<Form>) -> Family<PlaceId> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Family { names, members: members.iter().map(|p| PlaceId(*p)).collect(), forms }
    }

    fn net() -> Net {
        let place = |name: &str| Place { name: name.to_owned(), initial: Range::exactly(0u8) };
        let places = ["p", "q", "r", "n(5)", "c(red,1)"].map(place).to_vec();
        let net = Net::new(places, Vec::new()).expect("a net");
        let texts = |texts: &[&str]| Colours::Texts(Arc::new(texts.iter().map(|text| (*text).to_owned()).collect()));
        let integers = |most: u8| Colours::Integers(BigInt::from(-1)..=BigInt::from(most));
        let form = |prefix: &str, components: &[(&str, Colours)]| {
            let components =
                components.iter().map(|(before, colours)| ((*before).to_owned(), colours.clone())).collect();
            Form { prefix: prefix.to_owned(), components }
        };
        let places = vec![
            family(&["p", "shown"], &[1, 2], vec![]),
            family(&["none"], &[], vec![]),
            family(&["n"], &[3], vec![form("n", &[("", integers(7))])]),
            family(&["c"], &[4], vec![form("c", &[("x=", texts(&["red", "blue"])), ("", integers(1))])]),
        ];
        net.with_families(Families { places, ..<_>::default() })
    }

    #[test]
    fn names_of_families_count_before_names_of_nodes() {
        let net = net();
        let names = net.place_names();
        let members = |text: &str| names.get(text).map(|named| named.members().to_vec());
        assert_eq!(members("p"), Some(vec![PlaceId(1), PlaceId(2)]));
        assert_eq!(members("shown"), members("p"));
        assert_eq!(members("q"), Some(vec![PlaceId(1)]));
        assert_eq!(members("none"), Some(vec![]));
        assert!(names.texts().any(|text| text == "none"));
        assert!(net.transition_names().get("p").is_none());
        let other = Net::new(net.places().to_vec(), Vec::new()).expect("a net");
        assert_eq!(other.said_as(&net).families(), net.families());
    }

    #[test]
    fn names_of_colours_that_are_left_out_are_known() {
        let net = net();
        let names = net.place_names();
        assert_eq!(names.get("n(5)").map(|named| named.members().len()), Some(1));
        for absent in ["n(-1)", "n(7)", "c(x=red,0)", "c(x=blue,1)"] {
            assert_eq!(names.get(absent), Some(Named::Family(&[])), "{absent}");
        }
        for unknown in
            ["n(8)", "n(05)", "n(+5)", "n()", "n(5", "n", "c(red,0)", "c(x=green,1)", "c(x=red)", "p(5)", "(5)"]
        {
            let is_known = names.get(unknown).is_some();
            assert_eq!(is_known, unknown == "n", "{unknown}");
        }
    }

    #[test]
    fn each_place_belongs_to_one_place_of_the_file() {
        let groups = net().places_of_file().iter().map(|group| group.to_vec()).collect::<Vec<_>>();
        let of = |places: &[u32]| places.iter().map(|p| PlaceId(*p)).collect::<Vec<_>>();
        assert_eq!(groups, [of(&[0]), of(&[1, 2]), of(&[]), of(&[3]), of(&[4])]);
    }
}
