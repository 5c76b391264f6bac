//! Random programs of version 2 in JSON.

use serde_json::{Map, Value as Json, json};
use testkit::Random;

/// A name, and the kind of its values.
#[derive(Clone)]
struct Name {
    text: String,
    kind: Kind,
}

#[derive(Clone, PartialEq)]
enum Kind {
    Number,
    Truth,
    /// Strings of this list.
    Text(Vec<String>),
}

struct Event {
    name: String,
    parameters: Vec<(Name, Json)>,
}

struct Drawing<'r> {
    random: &'r mut Random,
    events: Vec<Event>,
    /// The variables of the current thread.
    variables: Vec<(Name, Json)>,
    states: usize,
    names: usize,
}

/// Draws a program.
pub(super) fn program(random: &mut Random) -> Json {
    let mut drawing = Drawing { random, events: Vec::new(), variables: Vec::new(), states: 0, names: 0 };
    for number in 0..drawing.random.between(1, 3) {
        let mut parameters = Vec::new();
        for name in ["v", "w"].into_iter().take(drawing.random.below(3)) {
            let (kind, sort) = drawing.sort(true);
            parameters.push((Name { text: name.to_owned(), kind }, sort));
        }
        drawing.events.push(Event { name: format!("e{number}"), parameters });
    }
    let declared: Vec<Json> = drawing.events.iter().map(declaration).collect();
    let threads: Vec<Json> = (0..drawing.random.between(1, 3)).map(|t| drawing.thread(t)).collect();
    json!({ "rwb": 2, "events": declared, "threads": threads })
}

fn declaration(event: &Event) -> Json {
    if event.parameters.is_empty() {
        return Json::from(event.name.as_str());
    }
    let parameter = |(name, sort): &(Name, Json)| json!({ "name": name.text, "sort": sort });
    json!({ "name": event.name, "parameters": event.parameters.iter().map(parameter).collect::<Vec<_>>() })
}

impl Drawing<'_> {
    fn sort(&mut self, may_be_unbounded: bool) -> (Kind, Json) {
        let texts = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        match self.random.below(if may_be_unbounded { 5 } else { 4 }) {
            0 => (Kind::Truth, json!("Bool")),
            1 => (Kind::Text(texts(&["X", "O"])), json!(["X", "O"])),
            2 => (Kind::Text(texts(&["O", "X", "Y"])), json!(["O", "X", "Y"])),
            3 => {
                let least = self.random.below(4) as i64 - 2;
                (Kind::Number, json!({ "range": [least, least + self.random.below(4) as i64] }))
            }
            _ => (Kind::Number, json!("Int")),
        }
    }

    fn thread(&mut self, t: usize) -> Json {
        self.states = self.random.between(1, 4);
        self.variables.clear();
        let mut declared = Vec::new();
        for name in ["x", "y"].into_iter().take(self.random.below(4).saturating_sub(1)) {
            let (kind, sort) = self.sort(false);
            let mut one = json!({ "name": name, "sort": sort });
            match self.random.below(3) {
                0 => one["initial"] = self.constant(&sort),
                1 => one["initial"] = Json::Null,
                _ => {}
            }
            declared.push(one);
            self.variables.push((Name { text: name.to_owned(), kind }, sort));
        }
        let states: Vec<Json> = (0..self.states).map(|s| self.state(s)).collect();
        let mut thread = json!({ "name": format!("T{t}"), "variables": declared, "states": states });
        if self.random.one_in(4) {
            thread["init"] = self.targets();
        }
        thread
    }

    fn constant(&mut self, sort: &Json) -> Json {
        match sort {
            Json::Array(list) => self.random.pick(list).clone(),
            Json::Object(range) => {
                let (least, most) = (range["range"][0].as_i64().unwrap(), range["range"][1].as_i64().unwrap());
                json!(least + self.random.below((most - least + 1) as usize) as i64)
            }
            _ if sort == "Bool" => json!(self.random.one_in(2)),
            _ => json!(self.random.below(7) as i64 - 3),
        }
    }

    fn targets(&mut self) -> Json {
        let count = if self.random.one_in(5) { 2 } else { 1 };
        (0..count).map(|_| json!(format!("s{}", self.random.below(self.states)))).collect()
    }

    fn state(&mut self, s: usize) -> Json {
        let mut state = json!({ "name": format!("s{s}") });
        if s > 0 && self.random.one_in(7) {
            state["bad"] = if self.random.one_in(2) { json!(true) } else { json!("a message") };
        }
        if self.random.one_in(4) {
            state["final"] = json!(true);
        }
        if self.random.one_in(4) {
            state["hot"] = json!(true);
        }
        if self.random.chance(80) {
            state["request"] = self.set(true);
        }
        if self.random.chance(40) {
            state["block"] = self.set(false);
        }
        if self.random.one_in(8) {
            state["interrupt"] = self.set(false);
        }
        if self.random.chance(70) {
            state["on"] = (0..self.random.between(1, 3)).map(|_| self.one_move()).collect();
        }
        if self.random.chance(60) {
            state["to"] = self.targets();
            if self.random.one_in(2) {
                state["wait"] = self.set(false);
            }
            if self.random.one_in(4) {
                state["set"] = self.updates(&[]);
            }
        }
        state
    }

    fn one_move(&mut self) -> Json {
        // Half of the moves are about one event; its parameters may be assigned.
        if self.random.one_in(2) && !self.variables.is_empty() {
            let event = self.random.below(self.events.len());
            let set = json!([self.atom(event, false)]);
            let names: Vec<Name> = self.events[event].parameters.iter().map(|(name, _)| name.clone()).collect();
            return json!({ "events": set, "to": self.targets(), "set": self.updates(&names) });
        }
        json!({ "events": self.set(false), "to": self.targets() })
    }

    fn updates(&mut self, parameters: &[Name]) -> Json {
        let mut updates = Map::new();
        for (name, _) in self.variables.clone() {
            if self.random.one_in(3) {
                continue;
            }
            let scope: Vec<Name> =
                parameters.iter().cloned().chain(self.variables.iter().map(|v| v.0.clone())).collect();
            let update = if self.random.one_in(6) { Json::Null } else { json!(self.term(&name.kind, &scope, 2)) };
            updates.insert(name.text, update);
        }
        Json::Object(updates)
    }

    fn set(&mut self, is_request: bool) -> Json {
        if !is_request && self.random.one_in(12) {
            return json!("all");
        }
        let mut parts: Vec<Json> = Vec::new();
        for _ in 0..self.random.between(1, 3) {
            let event = self.random.below(self.events.len());
            parts.push(self.atom(event, is_request));
        }
        if self.random.one_in(5) {
            let other = self.random.below(self.events.len());
            let less = json!([self.atom(other, false)]);
            parts = vec![json!({ "minus": [parts, less] })];
        }
        Json::Array(parts)
    }

    /// Events of one declaration. Requests of unbounded numbers name one number.
    fn atom(&mut self, event: usize, is_request: bool) -> Json {
        let name = self.events[event].name.clone();
        let sorts: Vec<Json> = self.events[event].parameters.iter().map(|(_, sort)| sort.clone()).collect();
        let is_unbounded = sorts.iter().any(|sort| sort == "Int");
        match self.random.below(3) {
            0 if !(is_request && is_unbounded) => json!(name),
            1 if !(is_request && is_unbounded) => {
                let parameters = self.events[event].parameters.iter().map(|(name, _)| name.clone());
                let scope: Vec<Name> = parameters.chain(self.variables.iter().map(|v| v.0.clone())).collect();
                json!({ "event": name, "when": self.term(&Kind::Truth, &scope, 3) })
            }
            _ => {
                let mut values = Vec::new();
                for sort in &sorts {
                    let is_any = self.random.one_in(4) && !(is_request && sort == "Int");
                    values.push(if is_any { Json::Null } else { self.constant(sort) });
                }
                json!({ "event": name, "values": values })
            }
        }
    }

    fn named(&mut self, kind: &Kind, scope: &[Name]) -> Option<String> {
        let fitting: Vec<&Name> = scope.iter().filter(|name| name.kind == *kind).collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting).text.clone())
    }

    fn term(&mut self, kind: &Kind, scope: &[Name], depth: usize) -> String {
        if depth > 0 && self.random.one_in(8) {
            return self.bound(kind, scope, depth);
        }
        if depth > 0 && self.random.one_in(6) {
            let condition = self.term(&Kind::Truth, scope, depth - 1);
            let (yes, no) = (self.term(kind, scope, depth - 1), self.term(kind, scope, depth - 1));
            return format!("(ite {condition} {yes} {no})");
        }
        match kind {
            Kind::Text(list) => match self.named(kind, scope).filter(|_| self.random.one_in(2)) {
                Some(name) => name,
                None => format!("\"{}\"", self.random.pick(list)),
            },
            Kind::Number => self.number(scope, depth),
            Kind::Truth => self.truth(scope, depth),
        }
    }

    fn bound(&mut self, kind: &Kind, scope: &[Name], depth: usize) -> String {
        let inner = if self.random.one_in(2) { Kind::Number } else { Kind::Truth };
        let value = self.term(&inner, scope, depth - 1);
        self.names += 1;
        let text = format!("let{}", self.names);
        let with: Vec<Name> = scope.iter().cloned().chain([Name { text: text.clone(), kind: inner }]).collect();
        format!("(let (({text} {value})) {})", self.term(kind, &with, depth - 1))
    }

    fn number(&mut self, scope: &[Name], depth: usize) -> String {
        if depth == 0 || self.random.one_in(3) {
            return match self.named(&Kind::Number, scope).filter(|_| self.random.chance(70)) {
                Some(name) => name,
                None if self.random.one_in(3) => format!("(- {})", self.random.below(4)),
                None => self.random.below(4).to_string(),
            };
        }
        let first = self.number(scope, depth - 1);
        let by = self.random.between(1, 3);
        match self.random.below(7) {
            0 => format!("(- {first})"),
            1 => format!("(abs {first})"),
            2 => format!("(mod {first} {by})"),
            3 => format!("(div {first} (- {by}))"),
            4 => format!("(* {first} {by})"),
            5 => format!("(- {first} {})", self.number(scope, depth - 1)),
            _ => format!("(+ {first} {} 1)", self.number(scope, depth - 1)),
        }
    }

    fn truth(&mut self, scope: &[Name], depth: usize) -> String {
        if depth == 0 {
            let name = self.named(&Kind::Truth, scope).filter(|_| self.random.chance(70));
            return name.unwrap_or_else(|| if self.random.one_in(2) { "true" } else { "false" }.to_owned());
        }
        let texts: Vec<Name> = scope.iter().filter(|name| matches!(name.kind, Kind::Text(_))).cloned().collect();
        if !texts.is_empty() && self.random.one_in(3) {
            let (name, operator) =
                (self.random.pick(&texts).clone(), if self.random.one_in(2) { "=" } else { "distinct" });
            return format!("({operator} {} {})", self.term(&name.kind, scope, 0), name.text);
        }
        if self.random.one_in(2) {
            let operator = *self.random.pick(&["=", "<", "<=", ">", ">=", "distinct"]);
            let more = if self.random.one_in(4) { " 1" } else { "" };
            return format!("({operator} {} {}{more})", self.number(scope, depth - 1), self.number(scope, depth - 1));
        }
        let first = self.truth(scope, depth - 1);
        match self.random.below(6) {
            0 => format!("(not {first})"),
            n => {
                let operator = ["and", "or", "=>", "xor", "="][n - 1];
                let more = if self.random.one_in(3) { format!(" {}", self.truth(scope, 0)) } else { String::new() };
                format!("({operator} {first} {}{more})", self.truth(scope, depth - 1))
            }
        }
    }
}
