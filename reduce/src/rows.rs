//! Compressed sparse rows: a list of items per row, in two arrays.

/// Rows of items.
#[derive(Debug)]
pub struct Rows<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    /// Rows that are already in order.
    ///
    /// # Panics
    /// If there are 2^32 items: readers refuse nets of that size long before.
    pub fn in_order(rows: impl Iterator<Item = Vec<T>>) -> Self {
        let (mut starts, mut items) = (vec![0], Vec::new());
        for row in rows {
            items.extend(row);
            starts.push(u32::try_from(items.len()).expect("model limits keep nets below 2^32 arcs"));
        }
        Self { starts, items }
    }

    /// Sorts items into `rows` rows; within a row in the order of `T`.
    #[must_use]
    pub fn sorted(rows: usize, mut items: Vec<(u32, T)>) -> Self
    where
        T: Ord + Copy,
    {
        items.sort_unstable();
        let mut starts = vec![0u32; rows + 1];
        items.iter().for_each(|(row, _)| starts[*row as usize + 1] += 1);
        (0..rows).for_each(|r| starts[r + 1] += starts[r]);
        Self { starts, items: items.into_iter().map(|(_, item)| item).collect() }
    }

    /// The items of a row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}
