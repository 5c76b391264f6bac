//! The compiled form of one thread of a program: what it requests and blocks, and where it moves.
//!
//! Each local state has a row with the targets of the events that the state mentions, sorted by event. If the
//! state mentions many events, the row has the targets of all events instead.

use model::{EventSet, LocalState, Thread};

/// A table cell with this bit set refers to a list of several targets.
pub(super) const SEVERAL: u32 = 1 << 31;
/// A row has a cell for every event if its state mentions at least 1/`DENSE_FROM` of all events.
const DENSE_FROM: usize = 4;

/// Programs with event sets of at most this many words also store the sets as plain words.
pub(super) const FEW_WORDS: usize = 4;

/// One compiled thread.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) initial: Vec<u32>,
    pub(super) bad: Vec<bool>,
    pub(super) request: Vec<EventSet>,
    pub(super) block: Vec<EventSet>,
    /// The words of requests and blocks side by side, for programs with few events. The check of a set of a
    /// million states spends most of its time reading these words.
    pub(super) offers: Vec<[u64; 2]>,
    pub(super) rows: Vec<Row>,
    /// The events of sparse rows, parallel to `cells`. Unused for dense rows.
    pub(super) keys: Vec<u32>,
    pub(super) cells: Vec<u32>,
    pub(super) lists: Vec<Box<[u32]>>,
    /// `itself[s] == s`, so that "stays in s" is a slice with one target, like any other.
    pub(super) itself: Vec<u32>,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) dense: bool,
}

impl Table {
    pub(super) fn new(thread: &Thread, events: usize) -> Self {
        let count = thread.states.len();
        let (none, all) = (EventSet::empty(events), EventSet::full(events));
        let set = |of: fn(&LocalState) -> &EventSet, bad: &EventSet| {
            thread.states.iter().map(|s| if s.bad { bad.clone() } else { of(s).clone() }).collect()
        };
        let mut table = Self {
            initial: thread.initial.iter().map(|s| s.0).collect(),
            bad: thread.states.iter().map(|s| s.bad).collect(),
            request: set(|s| &s.request, &none),
            block: set(|s| &s.block, &all),
            offers: Vec::new(),
            rows: Vec::with_capacity(count),
            keys: Vec::new(),
            cells: Vec::new(),
            lists: Vec::new(),
            itself: (0..count as u32).collect(),
        };
        for (local, state) in thread.states.iter().enumerate() {
            if events.div_ceil(64) <= FEW_WORDS {
                let words = [&table.request[local], &table.block[local]].map(EventSet::words);
                table.offers.extend(words[0].iter().zip(&words[1]).map(|(&request, &block)| [request, block]));
            }
            table.add_row(local as u32, state, events);
        }
        assert_eq!(table.rows.len(), count, "a row for each state");
        table
    }

    fn add_row(&mut self, local: u32, state: &LocalState, events: usize) {
        let start = self.cells.len();
        let dense = state.on.len() * DENSE_FROM >= events;
        if dense {
            self.cells.resize(start + events, local);
            self.keys.resize(start + events, 0);
        }
        for (event, targets) in &state.on {
            debug_assert!(!targets.is_empty(), "an event that is mentioned leads somewhere");
            let cell = match targets.as_slice() {
                [one] => one.0,
                several => {
                    self.lists.push(several.iter().map(|s| s.0).collect());
                    SEVERAL | (self.lists.len() - 1) as u32
                }
            };
            if dense {
                self.cells[start + event.index()] = cell;
            } else {
                self.keys.push(event.0);
                self.cells.push(cell);
            }
        }
        debug_assert!(dense || self.keys[start..].windows(2).all(|w| w[0] < w[1]), "rows are searched");
        debug_assert_eq!(self.keys.len(), self.cells.len(), "each cell has its event");
        self.rows.push(Row { start, end: self.cells.len(), dense });
    }

    pub(super) fn targets(&self, local: u32, event: u32) -> &[u32] {
        let row = &self.rows[local as usize];
        let cell = if row.dense {
            &self.cells[row.start + event as usize]
        } else {
            match self.keys[row.start..row.end].binary_search(&event) {
                Ok(at) => &self.cells[row.start + at],
                Err(_) => &self.itself[local as usize],
            }
        };
        self.cell(cell)
    }

    pub(super) fn cell<'a>(&'a self, cell: &'a u32) -> &'a [u32] {
        if cell & SEVERAL == 0 { std::slice::from_ref(cell) } else { &self.lists[(cell & !SEVERAL) as usize] }
    }
}
