//! Prints the net in each file as a line of JSON, for scripts that compare it with the result of another tool:
//!
//!     cargo run -p impasse-formats --example print_net -- FILE...

// Examples may print.
#![allow(clippy::print_stdout)]

use impasse_formats::{Limits, Source, read};
use model::{Net, PlaceId, SystemModel, TransitionId};
use serde_json::{Value, json};

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let line = match read(Source { name: path.clone(), bytes }, None, &Limits::default()) {
            Ok(read) => match read.problem.system() {
                SystemModel::Net(net) => printed(net),
                _ => json!({ "error": "no net" }),
            },
            Err(error) => json!({ "error": error.code() }),
        };
        println!("{line}");
    }
}

/// Returns a net as JSON. Numbers are strings, because they have any size.
fn printed(net: &Net) -> Value {
    let id = |p: PlaceId| net.place(p).name.clone();
    let places = net.places().iter().enumerate().map(|(p, place)| {
        let tokens = place.initial.at_least.to_string();
        json!({ "id": place.name, "name": net.shown_place(PlaceId::new(p)), "tokens": tokens })
    });
    let transitions = net.transitions().iter().enumerate().map(|(t, transition)| {
        let guards = transition.guards.iter().map(|g| {
            let most = g.range.at_most.as_ref().map(ToString::to_string);
            json!([id(g.place), g.range.at_least.to_string(), most])
        });
        let effects = transition.effects.iter().map(|e| {
            let sources: Vec<String> = e.sources.iter().map(|s| id(*s)).collect();
            json!([id(e.place), sources, e.add.to_string()])
        });
        json!({
            "id": transition.name,
            "name": net.shown_transition(TransitionId::new(t)),
            "guards": guards.collect::<Vec<_>>(),
            "effects": effects.collect::<Vec<_>>(),
        })
    });
    let finals = net.finals().iter().map(|marking| {
        let tokens = marking.iter().map(|(p, n)| (id(*p), Value::from(n.to_string())));
        Value::Object(tokens.collect())
    });
    json!({
        "places": places.collect::<Vec<_>>(),
        "transitions": transitions.collect::<Vec<_>>(),
        "finals": finals.collect::<Vec<_>>(),
    })
}
