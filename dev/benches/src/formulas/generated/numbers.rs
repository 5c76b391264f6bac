//! Numbers in a formula: binary words, low bits first, and order-coded integers.

use super::formula::{Formula, Lit};

impl Formula {
    /// Returns a constant word.
    pub(super) fn word(&mut self, value: u64, width: usize) -> Vec<Lit> {
        (0..width).map(|i| self.constant(value >> i & 1 == 1)).collect()
    }

    /// Adds that the word has this value.
    pub(super) fn fix(&mut self, word: &[Lit], value: u64) {
        for (i, &lit) in word.iter().enumerate() {
            self.clause(&[if value >> i & 1 == 1 { lit } else { -lit }]);
        }
    }

    /// Returns a literal that is true if one of `literals` is.
    pub(super) fn any(&mut self, literals: &[Lit]) -> Lit {
        let some = self.var();
        literals.iter().for_each(|&l| self.implies(&[l], &[some]));
        self.implies(&[some], literals);
        some
    }

    /// Returns a literal that is true if all of `literals` are.
    pub(super) fn all(&mut self, literals: &[Lit]) -> Lit {
        let others: Vec<Lit> = literals.iter().map(|l| -l).collect();
        -self.any(&others)
    }

    /// Returns the bitwise exclusive or.
    pub(super) fn xor_words(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(&x, &y)| self.xor(x, y)).collect()
    }

    /// Returns the word `yes` if `condition`, else the word `no`.
    pub(super) fn choose_word(&mut self, condition: Lit, yes: &[Lit], no: &[Lit]) -> Vec<Lit> {
        yes.iter().zip(no).map(|(&y, &n)| self.choose(condition, y, n)).collect()
    }

    /// Adds that the words are equal.
    pub(super) fn equate(&mut self, a: &[Lit], b: &[Lit]) {
        a.iter().zip(b).for_each(|(&x, &y)| self.parity(&[x, y], false));
    }

    /// Adds that the words differ.
    pub(super) fn differ(&mut self, a: &[Lit], b: &[Lit]) {
        let differences = self.xor_words(a, b);
        self.clause(&differences);
    }

    /// Returns the product modulo the range of `width` bits, by addition of shifted words.
    pub(super) fn product(&mut self, a: &[Lit], b: &[Lit], width: usize) -> Vec<Lit> {
        let mut total = self.word(0, width);
        for (shift, &bit) in b.iter().enumerate().take(width) {
            let mut row = self.word(0, shift);
            row.extend(a.iter().take(width - shift).map(|&x| self.and(x, bit)).collect::<Vec<Lit>>());
            row.resize(width, -self.yes());
            total = self.sum(&total, &row);
        }
        total
    }

    /// Returns the word, longer by zeros.
    pub(super) fn widened(&mut self, word: &[Lit], width: usize) -> Vec<Lit> {
        let mut wide = word.to_vec();
        wide.resize(width, -self.yes());
        wide
    }

    /// Returns a literal that is true if `a` is at most `b`.
    pub(super) fn is_at_most(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut fits = self.yes();
        for (&x, &y) in a.iter().zip(b) {
            fits = self.majority(-x, y, fits);
        }
        fits
    }

    /// Returns an order-coded integer from 0 to `most`: literal i means that it is at least i.
    pub(super) fn ordered(&mut self, most: usize) -> Vec<Lit> {
        let from = self.vars(most + 1);
        self.clause(&[from[0]]);
        from.windows(2).for_each(|pair| self.implies(&[pair[1]], &[pair[0]]));
        from
    }

    /// Adds that `condition` implies `a + distance <= b` for order-coded integers.
    pub(super) fn ordered_before(&mut self, condition: &[Lit], a: &[Lit], distance: usize, b: &[Lit]) {
        for (at, &from) in a.iter().enumerate() {
            let done = b.get(at + distance).copied();
            let premise: Vec<Lit> = condition.iter().copied().chain([from]).collect();
            self.implies(&premise, done.as_slice());
        }
    }
}
