//! Tests that large programs are cheap to check: thousands of threads and events, and as many justifications
//! about groups and futures.

use super::brute;
use crate::clauses::View;
use crate::justifications;
use crate::threads::Threads;
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::{Justification, LocalId, LocalState, Meaning, Program, Prop, Stop, ThreadId};
use std::sync::Arc;

const CELLS: u32 = 1000;

/// The threads are a reader, the cells, and for each cell a writer that sets it. The reader reads the cells in
/// order. It continues with the next cell if it reads 1, and with the first cell if it reads 0. Event 4i + 1
/// sets cell i, event 4i + 2 reads it as 0, and event 4i + 3 reads it as 1.
fn array() -> Arc<Program> {
    let events = 4 * CELLS as usize;
    let read = |k: u32| {
        let (zero, one) = (4 * k + 2, 4 * k + 3);
        brute::local(&format!("s{k}"), events, &[zero, one], &[], &[(zero, &[0]), (one, &[k + 1])])
    };
    let bad = LocalState::bad("all".to_owned(), events);
    let mut threads = vec![brute::thread("Reader", &[0], (0..CELLS).map(read).chain([bad]).collect())];
    for i in 0..CELLS {
        let value = |k: u32| brute::local(&format!("v{k}"), events, &[], &[4 * i + 3 - k], &[(4 * i + 1, &[1])]);
        let set = brute::local("set", events, &[4 * i + 1], &[], &[(4 * i + 1, &[1])]);
        threads.push(brute::thread(&format!("Cell{i}"), &[0], vec![value(0), value(1)]));
        let done = brute::local("done", events, &[], &[], &[]);
        threads.push(brute::thread(&format!("Writer{i}"), &[0], vec![set, done]));
    }
    brute::program(events, threads)
}

fn meaning(prop: Prop) -> Meaning {
    Meaning::Prop(prop)
}

#[test]
fn facts_about_large_programs_are_cheap() {
    let program = array();
    let stop = Stop::default();
    let stepper = Stepper::new(&program).unwrap();
    let mut work = Work::new(20_000_000, &stop);
    let mut threads = Threads::new(&stepper, &mut work).expect("20 units a state and event of a thread");
    // When the reader has read all cells as 1, each cell is set.
    let mut work = Work::new(120_000_000, &stop);
    for i in 0..CELLS {
        let end = Prop::StateBack { back: 0, thread: ThreadId(0), state: LocalId(CELLS) };
        let set = Prop::StateBack { back: 0, thread: ThreadId(1 + 2 * i), state: LocalId(1) };
        let (members, meanings) = (vec![ThreadId(0), ThreadId(1 + 2 * i)], [meaning(end), meaning(set)]);
        let justification = Justification::Projected { threads: members, back: 0, length: 0 };
        let mut check = |clause: &[i32]| {
            justifications::check(&justification, &View::new(clause, &meanings), &mut threads, &mut work)
        };
        assert_eq!(check(&[-1, 2]), Ok(()), "cell {i}, 2,000 joint states for 60 units each");
        assert!(check(&[-1]).is_err(), "it may get there");
    }
    let mut work = Work::new(300_000_000, &stop);
    for i in 0..100 {
        let mut state = vec![0; program.threads().len()];
        state[2 + 2 * i as usize] = 1;
        let (cell, reader) = (ThreadId(1 + 2 * i), ThreadId(0));
        let still = Prop::StateBack { back: 0, thread: cell, state: LocalId(0) };
        let before = (0..=i).map(|s| Prop::StateBack { back: 0, thread: reader, state: LocalId(s) });
        let visits = Prop::Visits(state.clone().into());
        let meanings: Vec<Meaning> = [visits, still].into_iter().chain(before).map(meaning).collect();
        let clause: Vec<i32> = (3..=meanings.len() as i32).chain([-1]).collect();
        let mut check = |thread, clause: &[i32]| {
            let justification = Justification::Future { state: state.clone().into(), thread };
            justifications::check(&justification, &View::new(clause, &meanings), &mut threads, &mut work)
        };
        assert_eq!(check(cell, &[-1, 2]), Ok(()), "no thread sets cell {i} any more");
        assert_eq!(check(reader, &clause), Ok(()), "the reader stops at cell {i}");
        assert!(check(reader, &clause[1..]).is_err());
    }
}
