//! Closed state sets in evidence files: `{"width": 2, "states": [[0,1],[1,0]]}`. They are written and read as a
//! stream, because there may be tens of millions of states.

use super::shape::{Input, Output};
use formats::json::Res;
use model::StateSet;
use std::fmt::Write;
use std::io;
use std::ops::ControlFlow;

/// A state set in memory, as read from a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedStates {
    width: usize,
    count: u64,
    /// `width` slots for each state.
    slots: Vec<u32>,
}

impl StateSet for ListedStates {
    fn len(&self) -> u64 {
        self.count
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let width = self.width;
        (0..self.count as usize).try_for_each(|i| visit(&self.slots[i * width..(i + 1) * width]))
    }
}

/// A set that is written as an array of arrays.
pub(super) struct Rows<'s>(pub(super) &'s dyn StateSet);

impl Rows<'_> {
    pub(super) fn is_left_out(&self) -> bool {
        false
    }

    pub(super) fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        to.text("[")?;
        let mut result = Ok(());
        let mut line = String::new();
        let mut first = true;
        let _ = self.0.for_each(&mut |state| {
            line.clear();
            line.push_str(if std::mem::take(&mut first) { "\n[" } else { ",\n[" });
            for (i, slot) in state.iter().enumerate() {
                if i > 0 {
                    line.push(',');
                }
                let _ = write!(line, "{slot}");
            }
            line.push(']');
            result = to.text(&line);
            if result.is_err() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        result?;
        to.text("]")
    }
}

/// Reads an array of states with `width` slots each.
pub(super) fn read_rows(from: &mut Input<'_, '_>, width: usize) -> Res<Box<dyn StateSet>> {
    let mut set = ListedStates { width, count: 0, slots: Vec::new() };
    from.list(|from| {
        from.take(width.max(1))?;
        set.count += 1;
        from.array(width, |from| {
            set.slots.push(from.read()?);
            Ok(())
        })
    })?;
    Ok(Box::new(set))
}
