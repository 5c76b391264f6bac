//! Runs the top-level script, and divides its heap among the b-threads.

use super::code::Code;
use super::heap::{Copier, Heap};
use super::machine::{Exit, Machine, Phase, Registered};
use super::thread::JsThread;
use super::value::{Cell, Value};
use crate::behavior::Named;
use crate::codes;
use crate::error::{Error, Text};
use std::cell::Cell as Counter;
use std::rc::Rc;

type Res<T> = Result<T, Box<Error>>;

/// Runs the script. Returns its b-threads.
pub(super) fn threads<'c>(code: &'c Code, source: Text<'c>) -> Res<Vec<Named<JsThread<'c>>>> {
    let mut machine = Machine::new(code, source, Heap::new(Rc::default(), Vec::new()), Phase::Top);
    if let Err(stop) = machine.enter_function(code.main, Value::Undefined, Value::Empty, Vec::new()) {
        return Err(machine.stopped(stop));
    }
    match machine.run()? {
        Exit::Done(_) => {}
        _ => return Err(Error::whole(&codes::JS_RUNTIME, source.name, "the top-level script does not end")),
    }
    let registered = std::mem::take(&mut machine.registered);
    if registered.is_empty() {
        let error = source.error(&codes::JS_NO_THREAD, 0..0, "the script registers no b-thread");
        return Err(error.hint("register one: `bp.registerBThread(\"name\", function() { .. })`"));
    }
    Ok(divide(code, source, machine.heap.own(), registered))
}

/// Gives each b-thread the cells that only it reaches. The other cells are shared, and keep their order.
fn divide<'c>(
    code: &'c Code,
    source: Text<'c>,
    cells: &[Cell],
    registered: Vec<Registered>,
) -> Vec<Named<JsThread<'c>>> {
    let mut users = vec![0_u8; cells.len()];
    for thread in &registered {
        for at in reach(cells, [thread.function.clone(), thread.data.clone()]) {
            users[at] = users[at].saturating_add(1);
        }
    }
    // The shared cells come first. A shared cell refers to shared cells only.
    let order: Vec<usize> = (0..cells.len()).filter(|at| users[*at] > 1).collect();
    let own: Vec<usize> = (0..cells.len()).filter(|at| users[*at] <= 1).collect();
    let mut numbers = vec![0_u32; cells.len()];
    for (new, old) in order.iter().chain(&own).enumerate() {
        numbers[*old] = u32::try_from(new).unwrap_or(u32::MAX);
    }
    let renumber = |value: &mut Value| {
        if let Value::Ref(at) = value {
            *at = numbers[*at as usize];
        }
    };
    let moved = |old: &usize| {
        let mut cell = cells[*old].clone();
        cell.each(&mut |value| renumber(value));
        cell
    };
    let shared: Rc<Vec<Cell>> = Rc::new(order.iter().map(moved).collect());
    let own: Vec<Cell> = own.iter().map(moved).collect();
    let mut names = super::distinct(registered.iter().map(|thread| thread.name.to_string())).into_iter();
    let named = registered.into_iter().map(|thread| {
        let Registered { name, mut function, mut data, span } = thread;
        let mut copier = Copier::new(&own, shared.len());
        for value in [&mut function, &mut data] {
            renumber(value);
            copier.visit(value);
        }
        let cells = copier.finish();
        let (shared, size) = (shared.clone(), Counter::new(0));
        let behavior = JsThread { code, source, shared, name, span, function, data, cells, size };
        Named { name: names.next().unwrap_or_default(), span, behavior }
    });
    named.collect()
}

/// Returns the cells that values reach.
fn reach(cells: &[Cell], roots: [Value; 2]) -> Vec<usize> {
    let mut seen = vec![false; cells.len()];
    let mut found = Vec::new();
    let mut open: Vec<Value> = roots.into();
    while let Some(value) = open.pop() {
        let Value::Ref(at) = value else { continue };
        if !std::mem::replace(&mut seen[at as usize], true) {
            found.push(at as usize);
            cells[at as usize].clone().each(&mut |value| open.push(value.clone()));
        }
    }
    found
}
