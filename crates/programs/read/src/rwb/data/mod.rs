//! Version 2 of `.rwb`: threads with variables, events with data. Reference: `docs/rwb2.md`.
//!
//! The tree of a text goes through these steps: `globals` (declarations outside of threads), `compile` (each thread to
//! the graph of `machine`), and [`crate::behavior`], which explores each thread by itself and makes explicit threads.
//! Everything behind that step (engines, checker, evidence) knows only the explicit program.

mod arms;
mod compile;
mod domain;
mod draft;
mod eval;
mod events;
mod globals;
mod graph;
mod kept;
mod live;
mod machine;
mod scope;
mod sets;
mod states;
mod symbolic;
mod syncs;

use super::ast::Item;
use super::parse;
use super::parse::{Parsed, Res};
use crate::behavior::{Elaborated, GRAPHS, Named, UNREAD, elaborate, elaborate_alone, is_limit, rounds};
use draft::{Compiled, Draft};
use events::{Event, Events, Pattern, PatternSet};
use formats::codes;
use formats::error::{Error, Span, Text};
use formats::errors::Errors;
use formats::format::Read;
use formats::meter::Meter;
use formats::source::{Limits, Partly};
use globals::Globals;
pub(crate) use graph::of_graphs;
use machine::{Machine, Node, Sync};
use model::{Goal, Problem, Program};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// The name of the thread that requests the events of the environment.
const ENVIRONMENT: &str = "(environment)";

/// Reads a text of version 2.
pub(super) fn read<'a>(source: Text<'a>, limits: &'a Limits, parsed: Parsed<'a>) -> Res<Read> {
    let Parsed { items, errors, .. } = parsed;
    errors.finish(Ok(()))?;
    let mut globals = Globals::new(source, Meter::new(source, limits));
    globals.each(&items, &mut |globals, item| globals.first_pass(item))?;
    globals.each(&items, &mut |globals, item| globals.second_pass(item))?;
    let (mut threads, mut errors) = (Vec::new(), Errors::default());
    let compiled = globals.each(&items, &mut |globals, item| {
        let Item::Thread(name, members) = item else { return globals.local_constant(item) };
        let thread = globals.full_name(name).and_then(|full| Ok((full, compile::compile(globals, name, members)?)));
        match thread {
            Ok((full, mut compiled)) => {
                if !limits.kept.is_empty() {
                    compiled.machine.keep(|own| limits.kept.contains(&format!("{full}.{own}")));
                }
                threads.push((full, name.span, compiled));
            }
            Err(error) => errors.note(error)?,
        }
        Ok(())
    });
    errors.finish(compiled)?;
    finish(globals, threads, false)
}

/// Makes the problem. `are_graphs` says that the threads have no variables: the text lists their states.
fn finish(mut globals: Globals<'_, '_>, threads: Vec<(String, Span, Compiled<'_>)>, are_graphs: bool) -> Res<Read> {
    let source = globals.source;
    let events = Rc::new(std::mem::take(&mut globals.events));
    let mut mentioned: BTreeSet<usize> = BTreeSet::new();
    let mut named = Vec::with_capacity(threads.len() + 1);
    let mut places: HashMap<String, Span> = HashMap::new();
    for (name, span, compiled) in threads {
        if let Some(first) = places.insert(name.clone(), span) {
            return Err(globals.duplicate("thread", &name, span, first));
        }
        mentioned.extend(compiled.mentioned);
        if compiled.mentions_all {
            mentioned.extend(0..events.list.len());
        }
        named.push(Named { name, span, behavior: Machine { events: Rc::clone(&events), ..compiled.machine } });
    }
    named.extend(environment(source, &events));
    let explicit = match explicit(&mut globals, &named, &events, are_graphs)? {
        Made::Explicit(explicit) => explicit,
        Made::Symbolic(symbolic) => return unbounded(globals, *symbolic, &named, &events, &mentioned),
    };
    let requested: BTreeSet<usize> = explicit.events.iter().map(|event| event.number).collect();
    let may_end = explicit.finals.iter().map(|list| !list.is_empty());
    warn(&mut globals, &events, &requested, &mentioned, may_end, &named);
    let variables = kept::variables(&named, &events, &explicit.kept);
    let goals = goals(globals.check.take(), explicit.has_faults, explicit.may_be_bad || mentions_bad(&named));
    let unread = explicit.unread.as_ref().map(|_| UNREAD.to_owned());
    let names = explicit.events.iter().map(|event| events.name(event)).chain(unread).collect();
    let program = Program::new(names, explicit.threads, goals)
        .map_err(|invalid| Error::whole(&codes::INPUT_INVALID, source.name, invalid.to_string()))?
        .with_finals(explicit.finals)
        .with_hot(explicit.hot)
        .with_priorities(explicit.priorities)
        .with_declarations(events.declarations())
        .with_variables(variables)
        .with_positions(explicit.lines)
        .with_unread(explicit.unread);
    Ok(Read { problem: Problem::of_program(Arc::new(program)), warnings: globals.warnings.list })
}

/// What threads become.
enum Made {
    Explicit(Elaborated<Event>),
    Symbolic(Box<symbolic::Symbolic>),
}

/// Makes explicit threads, or a program with unbounded data. Programs without numbers of any size, and programs with
/// hot states or priorities, are made explicit if that is possible at all. For the others, only the first round is
/// tried before.
fn explicit(
    globals: &mut Globals<'_, '_>,
    named: &[Named<Machine<'_>>],
    events: &Events,
    are_graphs: bool,
) -> Res<Made> {
    let source = globals.source;
    let machines = || named.iter().map(|thread| &thread.behavior);
    let rounds = rounds(globals.meter.explored());
    if are_graphs {
        let (has_large, spare) = (machines().any(Machine::has_large_domains), globals.meter.clone());
        let bounds = if has_large { rounds[rounds.len() - 1] } else { GRAPHS };
        match elaborate_alone(named, source, &mut globals.meter, bounds) {
            Err(error) if has_large && may_be_symbolic(&error) => globals.meter = spare,
            result => return result.map(Made::Explicit),
        }
    }
    let (first, more) = rounds.split_at(if machines().any(Machine::is_unbounded) { 1 } else { rounds.len() });
    let spare = globals.meter.clone();
    // All of the program is better than a part, and a program with unbounded data is better than a part without a goal.
    let partly = globals.meter.partly();
    let has_large = machines().any(Machine::has_large_domains);
    let early = Partly { at_limit: partly.at_limit && more.is_empty() && !has_large, ..partly };
    let error = match elaborate(named, source, &mut globals.meter, first, early) {
        Ok(explicit) => return Ok(Made::Explicit(explicit)),
        Err(error) if !has_large => return Err(error),
        Err(error) => error,
    };
    let refusal = match symbolic::program(source, named, events) {
        Ok(symbolic) => return Ok(Made::Symbolic(Box::new(symbolic))),
        Err(refusal) => refusal,
    };
    if !may_be_symbolic(&error) || (more.is_empty() && !partly.at_limit) {
        return Err(error);
    }
    globals.meter = spare;
    let (rest, refusal) = if more.is_empty() { (&rounds[rounds.len() - 1..], error) } else { (more, refusal) };
    elaborate(named, source, &mut globals.meter, rest, partly).map(Made::Explicit).map_err(|_| refusal)
}

/// True if a program with unbounded data may do without this error. An error that is no limit is one of the text,
/// whatever the values are.
fn may_be_symbolic(error: &Error) -> bool {
    is_limit(error) || error.code() == codes::RWB_ENDLESS_REQUEST.code
}

/// Finishes a program with unbounded data.
fn unbounded(
    mut globals: Globals<'_, '_>,
    found: symbolic::Symbolic,
    named: &[Named<Machine<'_>>],
    events: &Events,
    mentioned: &BTreeSet<usize>,
) -> Res<Read> {
    warn(&mut globals, events, &found.requested, mentioned, found.has_final.iter().copied(), named);
    let goals = goals(globals.check.take(), found.has_faults, found.has_faults || mentions_bad(named));
    let problem = Problem::of_data(Arc::new(found.program), &goals)
        .map_err(|mismatch| Error::unfit(globals.source.name, &mismatch))?;
    Ok(Read { problem, warnings: globals.warnings.list })
}

/// True if the text has a `bad` or an `assert`, even where no thread by itself gets there.
fn mentions_bad(named: &[Named<Machine<'_>>]) -> bool {
    named.iter().flat_map(|thread| &thread.behavior.nodes).any(|node| matches!(node, Node::Bad(..)))
}

/// Returns the goals. A value out of range is a bad state, so `bad` is asked wherever one is possible.
fn goals(check: Option<Vec<Goal>>, has_faults: bool, may_be_bad: bool) -> Vec<Goal> {
    let Some(mut goals) = check else { return Goal::usual(may_be_bad) };
    if has_faults && !goals.contains(&Goal::Bad) {
        goals.push(Goal::Bad);
    }
    goals
}

/// Returns the thread that requests the events of the environment at any time, if there are some.
fn environment<'a>(source: Text<'a>, events: &Rc<Events>) -> Option<Named<Machine<'a>>> {
    let is_external = |number: &usize| events.list[*number].is_external;
    let pattern = |number: usize| {
        let declared = &events.list[number];
        let arguments = vec![events::Argument::Any; declared.parameters.len()];
        PatternSet::One(Pattern { number, arguments, filter: None, span: declared.span })
    };
    let request: Vec<PatternSet> = (0..events.list.len()).filter(is_external).map(pattern).collect();
    let span = events.list.iter().find(|event| event.is_external)?.span;
    let sync = Sync { request, is_final: true, span, ..Sync::default() };
    let draft = Draft { nodes: vec![Node::Sync(Rc::new(sync))], ..Draft::new(span) };
    let compiled = draft.finish(source, span, vec![0], 0, HashMap::new()).ok()?;
    let behavior = Machine { events: Rc::clone(events), ..compiled.machine };
    Some(Named { name: ENVIRONMENT.to_owned(), span, behavior })
}

/// Warns about events that cannot happen, and about threads without final states beside others that have some.
fn warn(
    globals: &mut Globals<'_, '_>,
    events: &Events,
    requested: &BTreeSet<usize>,
    mentioned: &BTreeSet<usize>,
    threads: impl Iterator<Item = bool>,
    named: &[Named<Machine<'_>>],
) {
    for (number, event) in events.list.iter().enumerate().filter(|(number, _)| !requested.contains(number)) {
        globals.warnings.idle_event(&event.name, event.span, mentioned.contains(&number));
    }
    let own = named.iter().zip(threads).filter(|(thread, _)| thread.name != ENVIRONMENT);
    globals.warnings.ends(own.map(|(thread, may_end)| (thread.name.as_str(), thread.span, may_end)));
}
