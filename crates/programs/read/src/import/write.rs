//! Writer of programs as JSON: one line for each state.

use super::{Atom, EventSet, ImportedState, Move, Program, Sort, Sorted, Then, Thread, Update, Value};
use formats::json::string;
use std::fmt::Write;

/// Returns the program as JSON text.
pub(super) fn json(program: &Program) -> String {
    let mut out = String::from("{\"rwb\":2");
    if let Some(goals) = &program.check {
        let goals: Vec<String> = goals.iter().map(|goal| string(goal.id())).collect();
        push(&mut out, ",\"check\":", &list(goals));
    }
    if !program.sorts.is_empty() {
        let sorts = program.sorts.iter().map(|s| format!("{}:{}", string(&s.name.text), sort(&s.sort)));
        push(&mut out, ",\n\"sorts\":", &format!("{{{}}}", sorts.collect::<Vec<_>>().join(",")));
    }
    out += ",\n\"events\":[";
    for (at, event) in program.events.iter().enumerate() {
        out += if at == 0 { "" } else { "," };
        if event.parameters.is_empty() && !event.is_external {
            out += &string(&event.name.text);
            continue;
        }
        push(&mut out, "\n {\"name\":", &string(&event.name.text));
        if !event.parameters.is_empty() {
            push(&mut out, ",\"parameters\":", &list(event.parameters.iter().map(|p| declared(p, "")).collect()));
        }
        out += if event.is_external { ",\"environment\":true}" } else { "}" };
    }
    out += "],\n\"threads\":[";
    for (at, one) in program.threads.iter().enumerate() {
        out += if at == 0 { "\n" } else { ",\n" };
        thread(one, &mut out);
    }
    out + "]}\n"
}

fn push(out: &mut String, key: &str, value: &str) {
    out.push_str(key);
    out.push_str(value);
}

fn list(items: Vec<String>) -> String {
    format!("[{}]", items.join(","))
}

fn names(names: &[super::Name]) -> String {
    list(names.iter().map(|name| string(&name.text)).collect())
}

fn sort(sort: &Sort) -> String {
    match sort {
        Sort::Int => "\"Int\"".to_owned(),
        Sort::Bool => "\"Bool\"".to_owned(),
        Sort::Range(least, most) => format!("{{\"range\":[{least},{most}]}}"),
        Sort::Values(values) => list(values.iter().map(|value| string(value)).collect()),
        Sort::Named(name) => string(name),
    }
}

fn declared(one: &Sorted, more: &str) -> String {
    format!("{{\"name\":{},\"sort\":{}{more}}}", string(&one.name.text), sort(&one.sort))
}

fn value(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Truth(truth) => truth.to_string(),
        Value::Text(text) => string(text),
        Value::Any => "null".to_owned(),
    }
}

fn thread(thread: &Thread, out: &mut String) {
    push(out, "{\"name\":", &string(&thread.name.text));
    if let Some((priority, _)) = thread.priority {
        push(out, ",\"priority\":", &priority.to_string());
    }
    if !thread.variables.is_empty() {
        let first = |initial: &Option<Value>| {
            initial.as_ref().map_or_else(String::new, |initial| format!(",\"initial\":{}", value(initial)))
        };
        let all = thread.variables.iter().map(|v| declared(&v.declared, &first(&v.initial))).collect();
        push(out, ",\"variables\":", &list(all));
    }
    if !thread.initial.is_empty() {
        push(out, ",\"init\":", &names(&thread.initial));
    }
    out.push_str(",\"states\":[");
    for (at, one) in thread.states.iter().enumerate() {
        out.push_str(if at == 0 { "\n " } else { ",\n " });
        state(one, out);
    }
    out.push_str("]}");
}

fn state(state: &ImportedState, out: &mut String) {
    push(out, "{\"name\":", &string(&state.name.text));
    if !state.values.is_empty() {
        push(out, ",\"values\":", &string(&state.values));
    }
    if let Some((file, line)) = &state.place {
        if !file.is_empty() {
            push(out, ",\"file\":", &string(file));
        }
        push(out, ",\"line\":", &line.to_string());
    }
    if let Some(message) = &state.bad {
        push(out, ",\"bad\":", &if message.is_empty() { "true".to_owned() } else { string(message) });
    }
    out.push_str(if state.is_final { ",\"final\":true" } else { "" });
    out.push_str(if state.is_hot { ",\"hot\":true" } else { "" });
    if let Some((priority, _)) = state.priority {
        push(out, ",\"priority\":", &priority.to_string());
    }
    let sets =
        [("request", &state.request), ("wait", &state.wait), ("block", &state.block), ("interrupt", &state.interrupt)];
    for (key, events) in sets.into_iter().filter(|(_, events)| !events.is_none()) {
        let _ = write!(out, ",\"{key}\":{}", set(events));
    }
    if !state.moves.is_empty() {
        let one = |Move { on, then: to, .. }: &Move| format!("{{\"events\":{}{}}}", set(on), then(to));
        push(out, ",\"on\":", &list(state.moves.iter().map(one).collect()));
    }
    out.push_str(&then(&state.then));
    out.push('}');
}

fn then(then: &Then) -> String {
    let mut out = String::new();
    if !then.to.is_empty() {
        push(&mut out, ",\"to\":", &names(&then.to));
    }
    if !then.set.is_empty() {
        let one = |(name, update): &(super::Name, Update)| match update {
            Update::Any => format!("{}:null", string(&name.text)),
            Update::Value(term) => format!("{}:{}", string(&name.text), string(&term.text)),
        };
        let all: Vec<String> = then.set.iter().map(one).collect();
        push(&mut out, ",\"set\":", &format!("{{{}}}", all.join(",")));
    }
    out
}

fn set(set: &EventSet) -> String {
    match set {
        EventSet::All => "\"all\"".to_owned(),
        EventSet::Union(sets) => list(sets.iter().map(item).collect()),
        other => list(vec![item(other)]),
    }
}

/// Returns a set as an element of a list.
fn item(set: &EventSet) -> String {
    match set {
        EventSet::All => "{\"minus\":[\"all\"]}".to_owned(),
        EventSet::Union(_) => self::set(set),
        EventSet::Minus(sets) => format!("{{\"minus\":{}}}", list(sets.iter().map(self::set).collect())),
        EventSet::Of(events) => {
            let name = string(&events.name.text);
            match &events.atom {
                Atom::All => name,
                Atom::Values(values) => {
                    let values = list(values.iter().map(|(one, _)| value(one)).collect());
                    format!("{{\"event\":{name},\"values\":{values}}}")
                }
                Atom::When(formula) => format!("{{\"event\":{name},\"when\":{}}}", string(&formula.text)),
            }
        }
    }
}
