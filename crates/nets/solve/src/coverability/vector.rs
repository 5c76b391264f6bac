//! Vectors of token counts: sparse in lemmas and obligations, dense in queries.

/// Places with token counts, ascending and without zeros. A vector stands for all markings that cover it.
pub(crate) type Vector = Box<[(u32, u32)]>;

/// The largest supported count. The search gives up goals that need a larger one.
pub(crate) const MOST: u32 = 1 << 31;

/// A count above [`MOST`], or too many ways to combine counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLarge;

/// Returns the bits (of 128) for a place with `n` tokens, one bit for each power of two up to `n`. If one
/// vector covers another, it has all bits of the other.
fn bits(place: u32, n: u32) -> u128 {
    let bit =
        |power: u32| 1u128 << (place.wrapping_mul(0x9E37_79B1).wrapping_add(power.wrapping_mul(0x85EB_CA6B)) >> 25);
    (0..u32::BITS - n.leading_zeros()).fold(0, |bits, power| bits | bit(power))
}

/// The bits of all places of `vector`.
pub(crate) fn signature(vector: &[(u32, u32)]) -> u128 {
    vector.iter().fold(0, |all, &(p, n)| all | bits(p, n))
}

/// A vector indexed by place, for construction and queries.
#[derive(Debug)]
pub(crate) struct Dense {
    tokens: Vec<u32>,
    /// Places with tokens, in the order in which they got their first tokens.
    places: Vec<u32>,
    signature: u128,
}

impl Dense {
    pub(crate) fn new(places: usize) -> Self {
        Self { tokens: vec![0; places], places: Vec::new(), signature: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.places.drain(..).for_each(|p| self.tokens[p as usize] = 0);
        self.signature = 0;
    }

    pub(crate) fn load(&mut self, vector: &[(u32, u32)]) {
        debug_assert!(vector.iter().all(|e| e.1 > 0), "vectors have no zeros");
        self.clear();
        vector.iter().for_each(|&(p, n)| self.raise(p, n));
    }

    /// Raises the count of `place` to at least `n`.
    pub(crate) fn raise(&mut self, place: u32, n: u32) {
        debug_assert!(n <= MOST);
        let tokens = &mut self.tokens[place as usize];
        if *tokens >= n {
            return;
        }
        if *tokens == 0 {
            self.places.push(place);
        }
        *tokens = n;
        self.signature |= bits(place, n);
    }

    pub(crate) fn get(&self, place: u32) -> u32 {
        self.tokens[place as usize]
    }

    /// Places with tokens.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    pub(crate) fn signature(&self) -> u128 {
        self.signature
    }

    pub(crate) fn covers(&self, vector: &[(u32, u32)]) -> bool {
        vector.iter().all(|&(p, n)| self.tokens[p as usize] >= n)
    }

    pub(crate) fn vector(&self) -> Vector {
        let mut vector: Vec<(u32, u32)> = self.places.iter().map(|&p| (p, self.get(p))).collect();
        vector.sort_unstable();
        debug_assert_eq!(signature(&vector) & !self.signature, 0, "a signature has the bits of all places");
        debug_assert!(vector.windows(2).all(|w| w[0].0 < w[1].0), "a place is listed once");
        vector.into()
    }
}
