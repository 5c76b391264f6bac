//! Compressed sparse rows: a list of items for each row, stored in two arrays. Linear-time analyses use them to
//! index nets.

/// A list of items for each row.
#[derive(Debug)]
pub struct Rows<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    /// Builds rows from lists that are already in order.
    ///
    /// # Panics
    /// If there are 2^32 items or more. Readers refuse nets of that size.
    pub fn in_order(rows: impl Iterator<Item = Vec<T>>) -> Self {
        let (mut starts, mut items) = (vec![0], Vec::new());
        for row in rows {
            items.extend(row);
            starts.push(count(items.len()));
        }
        Self { starts, items }
    }

    /// Returns the items of a row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

impl<T: Copy> Rows<T> {
    /// Groups pairs of row and item into `rows` rows in linear time. Items of a row keep the order of `pairs`.
    /// Iterates over `pairs` twice.
    ///
    /// # Panics
    /// In the same cases as [`Rows::in_order`].
    #[must_use]
    pub fn grouped(rows: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut starts = vec![0u32; rows + 1];
        let mut items = Vec::new();
        for (row, item) in pairs.clone() {
            starts[row + 1] += 1;
            items.push(item);
        }
        count(items.len());
        (0..rows).for_each(|r| starts[r + 1] += starts[r]);
        let mut next = starts.clone();
        for (row, item) in pairs {
            items[next[row] as usize] = item;
            next[row] += 1;
        }
        Self { starts, items }
    }

    /// Sorts items into `rows` rows. Within a row, the items have the order of `T`.
    ///
    /// # Panics
    /// In the same cases as [`Rows::in_order`].
    #[must_use]
    pub fn sorted(rows: usize, mut items: Vec<(u32, T)>) -> Self
    where
        T: Ord,
    {
        items.sort_unstable();
        Self::grouped(rows, items.iter().map(|(row, item)| (*row as usize, *item)))
    }
}

fn count(items: usize) -> u32 {
    u32::try_from(items).expect("model limits keep nets below 2^32 arcs")
}

#[cfg(test)]
mod tests {
    use super::Rows;

    #[test]
    fn groups_keep_their_items_in_order() {
        let pairs = [(2, 'a'), (0, 'b'), (2, 'c')];
        let rows = Rows::grouped(3, pairs.into_iter());
        assert_eq!([rows.row(0), rows.row(1), rows.row(2)], [&['b'][..], &[], &['a', 'c']]);
        assert!(Rows::<u8>::grouped(1, std::iter::empty()).row(0).is_empty());
    }

    #[test]
    fn sorted_rows_are_in_the_order_of_their_items() {
        let rows = Rows::sorted(2, vec![(1, 'b'), (0, 'c'), (1, 'a')]);
        assert_eq!([rows.row(0), rows.row(1)], [&['c'][..], &['a', 'b']]);
    }
}
