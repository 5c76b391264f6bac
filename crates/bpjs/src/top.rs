//! Runs the top-level script, and divides its heap among the b-threads.

use super::code::Code;
use super::group::groups;
use super::heap::{Copier, Heap, reach};
use super::joint::Joint;
use super::machine::{Exit, Leg, Machine, Phase, Registered};
use super::process::Process;
use super::store::{Items, apply};
use super::thread::JsThread;
use super::value::{Cell, Event, Stop, Value};
use formats::codes;
use formats::error::{Error, Text};
use programs_read::behavior::Named;
use std::cell::Cell as Counter;
use std::rc::Rc;

type Res<T> = Result<T, Box<Error>>;

/// What the script leaves behind.
struct Left<'c> {
    threads: Vec<JsThread<'c>>,
    /// The group of each b-thread.
    groups: Vec<Option<usize>>,
    store: Rc<Items>,
    queue: Vec<Event>,
}

/// Runs the script. Returns its b-threads, those that share something as one.
pub(super) fn threads<'c>(code: &'c Code, source: Text<'c>) -> Res<Vec<Named<Process<'c>>>> {
    let mut machine = Machine::new(code, source, Heap::new(Rc::default(), Vec::new()), Phase::Top);
    machine.leg = Some(Box::new(Leg::new(Rc::default())));
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
    let left = divide(&mut machine, registered).map_err(|stop| machine.stopped(stop))?;
    Ok(join(left))
}

/// Gives each b-thread the cells that only it reaches. The other cells are shared, and keep their order.
fn divide<'c>(machine: &mut Machine<'c>, registered: Vec<Registered>) -> Result<Left<'c>, Stop> {
    let leg = machine.leg.take().unwrap_or_else(|| Box::new(Leg::new(Rc::default())));
    let cells = machine.heap.own();
    let groups = groups(machine.code, cells, &registered, !leg.external.is_empty());
    let mut users = vec![0_u8; cells.len()];
    let roots = registered.iter().map(|thread| vec![thread.function.clone(), thread.data.clone()]);
    for roots in roots.chain([leg.store.roots()]) {
        for (user, _) in users.iter_mut().zip(reach(cells, 0, roots)).filter(|(_, is_reached)| *is_reached) {
            *user = user.saturating_add(1);
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
    let mut heap = Heap::new(shared.clone(), own);
    let mut store = leg.store;
    store.each(&mut |value| renumber(value));
    let others = vec![false; heap.own().len()];
    let effect = store.effect(&mut heap, &others)?;
    let (code, source) = (machine.code, machine.source);
    let threads = registered.into_iter().map(|thread| {
        let Registered { name, mut function, mut data, span } = thread;
        let mut copier = Copier::new(heap.own(), shared.len());
        for value in [&mut function, &mut data] {
            renumber(value);
            copier.visit(value);
        }
        let cells = copier.finish();
        JsThread { code, source, shared: shared.clone(), name, span, function, data, cells, size: Counter::new(0) }
    });
    let threads = threads.collect();
    Ok(Left { threads, groups, store: apply(&Rc::default(), effect), queue: leg.external })
}

/// Makes one behavior of each group. The others stay behaviors of their own.
fn join(left: Left<'_>) -> Vec<Named<Process<'_>>> {
    let Left { threads, groups, store, queue } = left;
    let count = threads.len();
    let mut all: Vec<(String, Process<'_>)> = Vec::new();
    let mut places: Vec<Option<usize>> = vec![None; count];
    for (thread, group) in threads.into_iter().zip(groups) {
        let name = thread.name.text.to_string();
        let Some(group) = group else {
            all.push((name, Process::One(thread)));
            continue;
        };
        if let Some(at) = places[group]
            && let (names, Process::Group(joint)) = &mut all[at]
        {
            joint.threads.push(thread);
            match joint.threads.len() {
                2..=NAMED => *names = format!("{names}, {name}"),
                n if n == NAMED + 1 => names.push_str(", .."),
                _ => {}
            }
            continue;
        }
        places[group] = Some(all.len());
        let (store, queue) = (store.clone(), queue.clone());
        let (size, hot) = (Counter::new(0), Counter::new(None));
        let joint = Joint { threads: vec![thread], store, queue, is_closed: false, size, hot };
        all.push((name, Process::Group(joint)));
    }
    let mut names = super::distinct(all.iter().map(|(name, _)| name.clone())).into_iter();
    let named = all.into_iter().map(|(_, mut behavior)| {
        let span = match &mut behavior {
            Process::One(thread) => thread.span,
            Process::Group(joint) => {
                joint.is_closed = joint.threads.len() == count;
                joint.threads[0].span
            }
        };
        Named { name: names.next().unwrap_or_default(), span, behavior }
    });
    named.collect()
}

/// The number of members that the name of a group lists.
const NAMED: usize = 4;
