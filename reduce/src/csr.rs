//! Compressed sparse rows: for each of `n` rows a list of items, in two arrays. What linear-time analyses index nets with.

pub(crate) struct Csr<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy> Csr<T> {
    /// Sorts `pairs` of row and item into `rows` rows; items of a row stay in the order given. Goes through `pairs` twice.
    pub(crate) fn new<I>(rows: usize, pairs: I) -> Self
    where
        I: Iterator<Item = (usize, T)> + Clone,
    {
        let mut starts = vec![0usize; rows + 1];
        for (row, _) in pairs.clone() {
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let Some((_, filler)) = pairs.clone().next() else { return Self { starts, items: Vec::new() } };
        let mut items = vec![filler; starts[rows]];
        let mut next = starts.clone();
        for (row, item) in pairs {
            items[next[row]] = item;
            next[row] += 1;
        }
        Self { starts, items }
    }

    pub(crate) fn row(&self, row: usize) -> &[T] {
        &self.items[self.starts[row]..self.starts[row + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::Csr;

    #[test]
    fn rows_keep_their_items_in_order() {
        let pairs = [(2, 'a'), (0, 'b'), (2, 'c')];
        let csr = Csr::new(3, pairs.into_iter());
        assert_eq!([csr.row(0), csr.row(1), csr.row(2)], [&['b'][..], &[], &['a', 'c']]);
        assert!(Csr::<u8>::new(1, std::iter::empty()).row(0).is_empty());
    }
}
