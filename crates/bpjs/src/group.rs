//! Which b-threads share something, so that they are explored together.
//!
//! 1. B-threads that use the store are one group.
//! 2. A b-thread that registers or forks others is a group with them.
//! 3. If external events are enqueued anywhere, all b-threads are one group.
//!
//! What a b-thread uses is found in its text: in the functions that its function reaches. A name that is used
//! otherwise, such as `bp["store"]`, is an error when it is used.

use super::code::{Code, Op};
use super::heap::reach;
use super::machine::Registered;
use super::value::{Cell, Value};
use std::collections::HashSet;

/// What a b-thread uses.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Uses {
    store: bool,
    births: bool,
    external: bool,
}

impl Uses {
    fn add(&mut self, name: &str) {
        match name {
            "store" => self.store = true,
            "fork" | "registerBThread" => self.births = true,
            "enqueueExternalEvent" => self.external = true,
            _ => {}
        }
    }

    fn add_value(&mut self, value: &Value) {
        if let Value::Native(path) = value
            && let Some(path) = path.strip_prefix("bp.")
        {
            self.add(path.split('.').next().unwrap_or_default());
        }
    }
}

/// Finds what a b-thread uses.
fn uses(code: &Code, cells: &[Cell], thread: &Registered) -> Uses {
    let mut uses = Uses::default();
    let mut open = Vec::new();
    let reached = reach(cells, 0, [thread.function.clone(), thread.data.clone()]);
    for (cell, _) in cells.iter().zip(&reached).filter(|(_, is_reached)| **is_reached) {
        if let Cell::Closure(function, ..) = cell {
            open.push(*function);
        }
        cell.clone().each(&mut |value| uses.add_value(value));
    }
    let mut seen = HashSet::new();
    while let Some(number) = open.pop() {
        if !seen.insert(number) {
            continue;
        }
        for op in &code.function(number).code {
            match op {
                Op::GetProp(name) | Op::Method(name, _) | Op::MethodSpread(name) => uses.add(name),
                Op::Push(value) => uses.add_value(value),
                Op::Closure(inner) => open.push(*inner),
                _ => {}
            }
        }
    }
    uses
}

/// Divides the b-threads into groups, by the number of the first member. `None`: the b-thread shares nothing.
pub(super) fn groups(code: &Code, cells: &[Cell], threads: &[Registered], has_queue: bool) -> Vec<Option<usize>> {
    let all: Vec<Uses> = threads.iter().map(|thread| uses(code, cells, thread)).collect();
    if has_queue || all.iter().any(|uses| uses.external) {
        return vec![Some(0); threads.len()];
    }
    let store = all.iter().position(|uses| uses.store);
    let group = |(at, uses): (usize, &Uses)| if uses.store { store } else { uses.births.then_some(at) };
    all.iter().enumerate().map(group).collect()
}
