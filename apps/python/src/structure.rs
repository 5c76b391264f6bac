//! Sizes and parts of systems as dictionaries, for people and for drawings. No verdict depends on this code.

use crate::number::{Integer, Natural};
use impasse::steps::marking::Stepper;
use model::{
    Act, EventId, EventSet, LocalId, Marked, Net, PlaceId, Program, QuestionForm, Range, SystemModel, ThreadId,
    ThreadTransitionSystem, TransitionId,
};
use num_bigint::BigInt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the word for the kind of a system.
pub(crate) fn kind(system: &SystemModel) -> &'static str {
    match system {
        SystemModel::Rwb(_) => "program",
        SystemModel::Net(_) => "net",
        SystemModel::Threads(_) => "threads",
        SystemModel::Circuit(_) => "circuit",
        SystemModel::Reactive(_) => "reactive",
        SystemModel::Own(_) => "own",
        SystemModel::Data(_) => "data",
    }
}

/// Returns how a question is asked, as in reports.
pub(crate) fn asked(asked: QuestionForm) -> &'static str {
    match asked {
        QuestionForm::Never | QuestionForm::Formula => "never",
        QuestionForm::Exists | QuestionForm::Expected => "EF",
        QuestionForm::Always => "AG",
    }
}

/// Returns the sizes of a system.
pub(crate) fn info<'py>(py: Python<'py>, system: &SystemModel) -> PyResult<Bound<'py, PyDict>> {
    let sizes: Vec<(&str, usize)> = match system {
        SystemModel::Rwb(program) => vec![
            ("threads", program.threads().len()),
            ("events", program.events().len()),
            ("thread_states", program.threads().iter().map(|t| t.states.len()).sum()),
        ],
        SystemModel::Net(net) => vec![("places", net.places().len()), ("transitions", net.transitions().len())],
        SystemModel::Threads(threads) => vec![
            ("shared", threads.shared() as usize),
            ("locals", threads.locals() as usize),
            ("transitions", threads.transitions().len()),
        ],
        SystemModel::Circuit(circuit) => {
            vec![("inputs", circuit.inputs().len()), ("latches", circuit.latches().len()), ("ands", circuit.ands())]
        }
        SystemModel::Data(program) => vec![
            ("threads", program.threads().len()),
            ("events", program.events().len()),
            ("locations", program.threads().iter().map(|t| t.locations.len()).sum()),
            ("variables", program.variables().len()),
        ],
        SystemModel::Reactive(_) | SystemModel::Own(_) => Vec::new(),
    };
    let dict = PyDict::new(py);
    dict.set_item("kind", kind(system))?;
    sizes.into_iter().try_for_each(|(name, size)| dict.set_item(name, size))?;
    Ok(dict)
}

/// Returns the parts of a system. Thread-transition systems are
/// drawn as nets. Other kinds: the sizes.
pub(crate) fn structure<'py>(py: Python<'py>, system: &SystemModel) -> PyResult<Bound<'py, PyDict>> {
    match (system, system.as_marked()) {
        (SystemModel::Rwb(program), _) => of_program(py, program),
        (_, Some(Marked::Net(net))) => of_net(py, net),
        (_, Some(Marked::Threads(threads))) => of_threads(py, threads),
        _ => info(py, system),
    }
}

fn of_program<'py>(py: Python<'py>, program: &Program) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("kind", "program")?;
    dict.set_item("events", program.events())?;
    let names = |set: &EventSet| set.iter().map(|e| program.event_name(e)).collect::<Vec<_>>();
    let threads = PyList::empty(py);
    for (t, thread) in program.threads().iter().enumerate() {
        let (t, states) = (ThreadId::new(t), PyList::empty(py));
        // For each pair of states: the events that lead from one to the other.
        let mut edges: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
        for (s, state) in thread.states.iter().enumerate() {
            let id = LocalId::new(s);
            let moves = |event: &EventId| !state.request.contains(*event);
            let waits: Vec<&str> = state.on.keys().filter(|e| moves(e)).map(|e| program.event_name(*e)).collect();
            let shown = PyDict::new(py);
            shown.set_item("name", &state.name)?;
            shown.set_item("initial", thread.initial.contains(&id))?;
            shown.set_item("bad", state.bad)?;
            shown.set_item("final", program.is_final(t, id))?;
            shown.set_item("hot", program.is_hot(t, id))?;
            shown.set_item("priority", program.priority(t, id))?;
            shown.set_item("request", names(&state.request))?;
            shown.set_item("wait", waits)?;
            shown.set_item("block", names(&state.block))?;
            states.append(shown)?;
            for (event, targets) in &state.on {
                for target in targets {
                    edges.entry((s, target.index())).or_default().push(program.event_name(*event));
                }
            }
        }
        let shown = PyDict::new(py);
        shown.set_item("name", &thread.name)?;
        shown.set_item("states", states)?;
        let edges = edges.into_iter().map(|((from, to), events)| {
            let edge = PyDict::new(py);
            edge.set_item("from", from)?;
            edge.set_item("to", to)?;
            edge.set_item("events", events)?;
            Ok(edge)
        });
        shown.set_item("edges", edges.collect::<PyResult<Vec<_>>>()?)?;
        threads.append(shown)?;
    }
    dict.set_item("threads", threads)?;
    Ok(dict)
}

/// Returns the number of initial tokens, if there is only one.
fn only(range: &Range) -> Option<Natural> {
    range.is_single().then(|| Natural(range.at_least.clone()))
}

fn of_net<'py>(py: Python<'py>, net: &Net) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("kind", "net")?;
    let name = |place: model::PlaceId| net.place(place).name.as_str();
    let places = net.places().iter().map(|place| {
        let shown = PyDict::new(py);
        shown.set_item("name", &place.name)?;
        shown.set_item("initial", only(&place.initial))?;
        Ok(shown)
    });
    dict.set_item("places", places.collect::<PyResult<Vec<_>>>()?)?;
    let transitions = net.transitions().iter().map(|transition| {
        let (inputs, outputs) = (PyDict::new(py), PyDict::new(py));
        // A plain arc takes what the guard requires, and puts back what the effect adds to that.
        for guard in &transition.guards {
            inputs.set_item(name(guard.place), Natural(guard.range.at_least.clone()))?;
            let added = transition.effect(guard.place).and_then(|effect| effect.delta().cloned()).unwrap_or_default();
            let put = BigInt::from(guard.range.at_least.clone()) + added;
            if put > BigInt::ZERO {
                outputs.set_item(name(guard.place), Integer(put))?;
            }
        }
        for effect in transition.effects.iter().filter(|effect| transition.guard(effect.place).is_none()) {
            if let Some(delta) = effect.delta() {
                outputs.set_item(name(effect.place), Integer(delta.clone()))?;
            }
        }
        let shown = PyDict::new(py);
        shown.set_item("name", &transition.name)?;
        shown.set_item("label", py.None())?;
        shown.set_item("inputs", inputs)?;
        shown.set_item("outputs", outputs)?;
        shown.set_item("plain", transition.is_plain())?;
        Ok(shown)
    });
    dict.set_item("transitions", transitions.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

/// Returns the states as places. Transitions that move more threads than the active one are not `plain`.
fn of_threads<'py>(py: Python<'py>, threads: &Arc<ThreadTransitionSystem>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("kind", "net")?;
    let stepper = Stepper::Threads(threads);
    let count = threads.shared() as usize + threads.locals() as usize;
    let initial = |place: usize| {
        let Some(local) = place.checked_sub(threads.shared() as usize) else {
            return Some(u8::from(threads.initial().shared.index() == place).into());
        };
        let local = LocalId::new(local);
        let is_open = threads.initial().any.contains(&local);
        (!is_open).then(|| threads.initial().threads.get(&local).cloned().unwrap_or_default())
    };
    let places = (0..count).map(|place| {
        let shown = PyDict::new(py);
        shown.set_item("name", stepper.place_name(PlaceId::new(place)))?;
        shown.set_item("initial", initial(place).map(Natural))?;
        Ok(shown)
    });
    dict.set_item("places", places.collect::<PyResult<Vec<_>>>()?)?;
    let transitions = threads.transitions().iter().enumerate().map(|(number, transition)| {
        let place_of = |(shared, local)| [threads.shared_place(shared), threads.local_place(local)];
        let (from, to) = (place_of(transition.from), place_of(transition.to));
        let (inputs, outputs) = (PyDict::new(py), PyDict::new(py));
        from.iter().try_for_each(|place| inputs.set_item(stepper.place_name(*place), 1))?;
        to.iter().try_for_each(|place| outputs.set_item(stepper.place_name(*place), 1))?;
        if transition.act == Act::Spawn {
            let kept = if to[1] == from[1] { 2 } else { 1 };
            outputs.set_item(stepper.place_name(from[1]), kept)?;
        }
        let shown = PyDict::new(py);
        shown.set_item("name", stepper.transition_name(TransitionId::new(number)))?;
        shown.set_item("label", py.None())?;
        shown.set_item("inputs", inputs)?;
        shown.set_item("outputs", outputs)?;
        shown.set_item("plain", transition.act != Act::Transfer && transition.passive.is_empty())?;
        Ok(shown)
    });
    dict.set_item("transitions", transitions.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}
