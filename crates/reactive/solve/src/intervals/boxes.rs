//! The abstract call from an arbitrary box (an interval for each slot), not only from abstract states. Used to
//! replay traces exactly, and to find out where an interval must be cut.

use crate::intervals::eval::Codes;
use crate::intervals::layout::Layout;
use crate::intervals::run::{Context, End, Event, Level, Run};
use crate::store::interval::Interval;
use model::Reactive;

/// Maximal number of ways from a box.
const MOST_WAYS: usize = 1024;

/// A way through a call: its end, and the interval of each slot after it.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) end: End,
    pub(crate) after: Vec<Interval>,
}

/// Returns all ways of a call from a box, given as an interval for each slot. `None` if there are too many.
pub(crate) fn ways(
    program: &Reactive,
    layout: &Layout,
    codes: &mut Codes,
    input: i32,
    from: &[Interval],
    work: &mut u64,
) -> Option<Vec<Way>> {
    let known = from.iter().map(|&value| (Level::Cell, value)).collect();
    let mut open = vec![Run::new(program, input, known)];
    let mut ways = Vec::new();
    let mut context = Context { program, layout, codes, work: 0 };
    while let Some(mut run) = open.pop() {
        match run.advance(&mut context) {
            Event::Look { .. } => debug_assert!(false, "all of a box is known"),
            Event::Fork(runs) => open.extend(runs),
            Event::End(end) => {
                let mut after = from.to_vec();
                for (slot, value) in run.effects(layout) {
                    after[slot] = value;
                }
                ways.push(Way { end, after });
            }
        }
        if ways.len() + open.len() > MOST_WAYS {
            return None;
        }
    }
    *work += context.work;
    Some(ways)
}
