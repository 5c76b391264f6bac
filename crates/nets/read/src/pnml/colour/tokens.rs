//! The tokens that may ever be on the places of a coloured net: pairs of a place and a tuple of colours, numbered in
//! the order in which they are found, with indexes for the tokens that agree with a tuple in some components.

use super::sorts::{Class, ClassId};
use super::terms::Component;
use hashbrown::HashMap;

/// The number of a token.
pub(super) type TokenId = u32;

/// The tuples of a sort, numbered in mixed radix: the last component changes fastest.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub(super) sizes: Vec<u32>,
    weights: Vec<u64>,
}

impl Domain {
    /// Returns `None` if the sort has 2^63 tuples or more.
    pub(super) fn new(sort: &[ClassId], classes: &[Class]) -> Option<Self> {
        let sizes: Vec<u32> = sort.iter().map(|class| classes[*class].size).collect();
        let (mut weights, mut weight) = (vec![1u64; sizes.len()], 1u64);
        for (at, size) in sizes.iter().enumerate().rev() {
            weights[at] = weight;
            weight = weight.checked_mul(u64::from(*size)).filter(|weight| *weight < 1 << 63)?;
        }
        Some(Self { sizes, weights })
    }

    /// Returns the component `at` of a tuple.
    pub(super) fn part(&self, code: u64, at: usize) -> u32 {
        ((code / self.weights[at]) % u64::from(self.sizes[at])) as u32
    }

    /// Returns what component `at` adds to the number of a tuple.
    pub(super) fn weight(&self, at: usize, value: u32) -> u64 {
        self.weights[at] * u64::from(value)
    }

    /// Returns the least tuple of a product of single colours and whole classes, and the positions of the classes.
    /// All variables have values.
    pub(super) fn least(&self, parts: &[(ClassId, Component)], values: &[u32]) -> (u64, Vec<usize>) {
        let (mut code, mut all) = (0, Vec::new());
        for (at, (_, part)) in parts.iter().enumerate() {
            match part {
                Component::One(colour) => code += self.weight(at, colour.value(self.sizes[at], values).unwrap_or(0)),
                Component::All => all.push(at),
            }
        }
        (code, all)
    }

    /// Returns the number of choices for the components `all`.
    pub(super) fn choices(&self, all: &[usize]) -> usize {
        all.iter().fold(1, |product: usize, at| product.saturating_mul(self.sizes[*at] as usize))
    }

    /// Returns the tuples that follow from a least tuple by all choices for the components `all`.
    pub(super) fn tuples<'d>(&'d self, least: u64, all: &'d [usize]) -> impl Iterator<Item = u64> + 'd {
        let mut next = Some(least);
        std::iter::from_fn(move || {
            let code = next?;
            next = None;
            let mut up = code;
            for at in all.iter().rev() {
                let value = self.part(up, *at);
                if value + 1 < self.sizes[*at] {
                    next = Some(up + self.weights[*at]);
                    break;
                }
                up -= self.weight(*at, value);
            }
            Some(code)
        })
    }
}

/// The tokens of a place by some components of their tuples.
struct Index {
    parts: Vec<usize>,
    lists: HashMap<u64, Vec<TokenId>>,
}

/// The tokens found so far.
pub(super) struct Tokens {
    numbers: HashMap<(u32, u64), TokenId>,
    /// The place and the tuple of each token.
    pub(super) list: Vec<(u32, u64)>,
    /// The number of tokens that the indexes contain.
    pub(super) seen: usize,
    indexes: Vec<Index>,
    of_place: Vec<Vec<usize>>,
}

impl Tokens {
    pub(super) fn new(places: usize) -> Self {
        let of_place = vec![Vec::new(); places];
        Self { numbers: HashMap::new(), list: Vec::new(), seen: 0, indexes: Vec::new(), of_place }
    }

    /// Adds a token, unless it is there.
    pub(super) fn add(&mut self, place: usize, code: u64) -> TokenId {
        let next = self.list.len() as TokenId;
        let token = *self.numbers.entry((place as u32, code)).or_insert(next);
        if token == next {
            self.list.push((place as u32, code));
        }
        token
    }

    pub(super) fn number(&self, place: usize, code: u64) -> Option<TokenId> {
        self.numbers.get(&(place as u32, code)).copied()
    }

    /// Returns the index of the tokens on `place` by these components.
    pub(super) fn index(&mut self, place: usize, parts: &[usize]) -> usize {
        if let Some(index) = self.of_place[place].iter().find(|index| self.indexes[**index].parts == parts) {
            return *index;
        }
        self.indexes.push(Index { parts: parts.to_vec(), lists: HashMap::new() });
        self.of_place[place].push(self.indexes.len() - 1);
        self.indexes.len() - 1
    }

    /// Returns the tokens of an index under a key: the sum of the weights of the components.
    pub(super) fn found(&self, index: usize, key: u64) -> &[TokenId] {
        self.indexes[index].lists.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Enters the next token into the indexes. Returns the token.
    pub(super) fn see(&mut self, domains: &[Domain]) -> Option<TokenId> {
        let token = self.seen;
        let (place, code) = *self.list.get(token)?;
        let domain = &domains[place as usize];
        for index in &self.of_place[place as usize] {
            let index = &mut self.indexes[*index];
            let key = index.parts.iter().map(|at| domain.weight(*at, domain.part(code, *at))).sum();
            index.lists.entry(key).or_default().push(token as TokenId);
        }
        self.seen += 1;
        Some(token as TokenId)
    }
}
