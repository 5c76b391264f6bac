//! The priorities of a program: which of the enabled events have a request of the greatest priority.
//!
//! Only programs with priorities have this table, so the others pay nothing for it.

use model::{EventSet, Program};
use search::layout::Field;

/// For each thread and local state: the priority of its requests, and the requests. States without requests are
/// `None`.
#[derive(Clone, Debug)]
pub(crate) struct Ranks {
    threads: Vec<Vec<Option<(i64, EventSet)>>>,
}

impl Ranks {
    /// Returns the table of a program with priorities; `None` for other programs.
    pub(crate) fn of(program: &Program) -> Option<Box<Self>> {
        let rows = program.threads().iter().zip(program.priorities());
        let threads = rows.map(|(thread, priorities)| {
            let states = thread.states.iter().zip(priorities);
            states.map(|(s, p)| (!s.request.is_empty()).then(|| (*p, s.request.clone()))).collect()
        });
        program.has_priorities().then(|| Box::new(Self { threads: threads.collect() }))
    }

    /// Removes from `open`, 64 events to a word, the events without a request of the greatest priority. `open` are the
    /// events of `packed` that are requested and not blocked.
    pub(crate) fn filter(&self, fields: &[Field], packed: &[u64], open: &mut Vec<u64>) {
        let mut greatest = i64::MIN;
        let mut kept = vec![0; open.len()];
        let mut own = vec![0; open.len()];
        for (thread, field) in self.threads.iter().zip(fields) {
            let Some((priority, request)) = &thread[field.get(packed)] else { continue };
            if *priority < greatest {
                continue;
            }
            own.fill(0);
            request.add_to(&mut own);
            let both = || own.iter().zip(open.iter()).map(|(own, open)| own & open);
            if both().all(|word| word == 0) {
                continue;
            }
            if *priority > greatest {
                (greatest, kept) = (*priority, vec![0; open.len()]);
            }
            kept.iter_mut().zip(both()).for_each(|(kept, word)| *kept |= word);
        }
        *open = kept;
    }
}
