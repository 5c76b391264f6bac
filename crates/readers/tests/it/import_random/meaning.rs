//! What a program of version 2 in JSON means: an interpreter of the JSON values, with an evaluator of SMT-LIB terms
//! of its own. It shares no code with the reader.

use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// A value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum V {
    N(i64),
    B(bool),
    S(String),
}

/// An event: its name and its values.
pub(super) type Event = (String, Vec<V>);
type Env = BTreeMap<String, V>;

/// A place of a thread: the number of its state, or what became of it, and the values of its variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    At(usize, Vec<V>),
    Ended,
    Fault,
}

/// The values of unbounded numbers that are tried.
const NUMBERS: std::ops::RangeInclusive<i64> = -3..=3;

enum Sexpr {
    Atom(String),
    List(Vec<Sexpr>),
}

fn parse(text: &str) -> Sexpr {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut stack = vec![Vec::new()];
    for word in spaced.split_whitespace() {
        match word {
            "(" => stack.push(Vec::new()),
            ")" => {
                let list = Sexpr::List(stack.pop().unwrap());
                stack.last_mut().unwrap().push(list);
            }
            atom => stack.last_mut().unwrap().push(Sexpr::Atom(atom.to_owned())),
        }
    }
    stack.pop().unwrap().remove(0)
}

fn number(v: &V) -> i64 {
    if let V::N(n) = v { *n } else { panic!("{v:?} is no number") }
}

fn truth(v: &V) -> bool {
    if let V::B(b) = v { *b } else { panic!("{v:?} is no truth value") }
}

fn eval(e: &Sexpr, env: &Env) -> V {
    match e {
        Sexpr::Atom(a) => match a.as_str() {
            "true" => V::B(true),
            "false" => V::B(false),
            a if a.parse::<i64>().is_ok() => V::N(a.parse().unwrap()),
            a if a.starts_with('"') => V::S(a.trim_matches('"').to_owned()),
            a => env.get(a).cloned().unwrap_or_else(|| V::S(a.to_owned())),
        },
        Sexpr::List(list) => {
            let Sexpr::Atom(op) = &list[0] else { panic!("an operator") };
            if op == "let" {
                let Sexpr::List(pairs) = &list[1] else { panic!("pairs") };
                let mut inner = env.clone();
                for pair in pairs {
                    let Sexpr::List(pair) = pair else { panic!("a pair") };
                    let Sexpr::Atom(name) = &pair[0] else { panic!("a name") };
                    inner.insert(name.clone(), eval(&pair[1], env));
                }
                return eval(&list[2], &inner);
            }
            let args: Vec<V> = list[1..].iter().map(|e| eval(e, env)).collect();
            let n = |i: usize| number(&args[i]);
            let chain = |f: fn(i64, i64) -> bool| V::B(args.windows(2).all(|w| f(number(&w[0]), number(&w[1]))));
            match op.as_str() {
                "and" => V::B(args.iter().all(truth)),
                "or" => V::B(args.iter().any(truth)),
                "not" => V::B(!truth(&args[0])),
                "=>" => V::B(args.iter().rev().skip(1).fold(truth(args.last().unwrap()), |acc, a| !truth(a) || acc)),
                "xor" => V::B(args.iter().fold(false, |acc, a| acc != truth(a))),
                "=" => V::B(args.windows(2).all(|w| w[0] == w[1])),
                "distinct" => V::B(args.iter().collect::<BTreeSet<_>>().len() == args.len()),
                "<" => chain(|a, b| a < b),
                "<=" => chain(|a, b| a <= b),
                ">" => chain(|a, b| a > b),
                ">=" => chain(|a, b| a >= b),
                "+" => V::N(args.iter().map(number).sum()),
                "*" => V::N(args.iter().map(number).product()),
                "-" if args.len() == 1 => V::N(-n(0)),
                "-" => V::N(args[1..].iter().fold(n(0), |acc, a| acc - number(a))),
                "div" => V::N(n(0).div_euclid(n(1))),
                "mod" => V::N(n(0).rem_euclid(n(1))),
                "abs" => V::N(n(0).abs()),
                "ite" => args[if truth(&args[0]) { 1 } else { 2 }].clone(),
                other => panic!("no operator {other}"),
            }
        }
    }
}

fn value(json: &Json) -> V {
    match json {
        Json::Bool(b) => V::B(*b),
        Json::Number(n) => V::N(n.as_i64().unwrap()),
        other => V::S(other.as_str().unwrap().to_owned()),
    }
}

/// The values of a sort. Unbounded numbers have those that are tried.
fn values(sort: &Json) -> Vec<V> {
    match sort {
        Json::Array(list) => list.iter().map(value).collect(),
        Json::Object(range) => {
            let end = |i: usize| range["range"][i].as_i64().unwrap();
            (end(0)..=end(1)).map(V::N).collect()
        }
        _ if sort == "Bool" => vec![V::B(false), V::B(true)],
        _ => NUMBERS.map(V::N).collect(),
    }
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

pub(super) struct Meaning<'j> {
    pub(super) json: &'j Json,
    pub(super) universe: Vec<Event>,
}

impl<'j> Meaning<'j> {
    pub(super) fn of(json: &'j Json) -> Self {
        let mut universe = Vec::new();
        for event in list(&json["events"]) {
            let name = event.as_str().or_else(|| event["name"].as_str()).unwrap();
            let parameters: Vec<Vec<V>> = list(&event["parameters"]).iter().map(|p| values(&p["sort"])).collect();
            universe.extend(testkit::choices(parameters).into_iter().map(|data| (name.to_owned(), data)));
        }
        Self { json, universe }
    }

    fn parameters(&self, name: &str) -> Vec<&'j str> {
        let of = |event: &&Json| event.as_str().or_else(|| event["name"].as_str()) == Some(name);
        let event = list(&self.json["events"]).iter().find(of).unwrap();
        list(&event["parameters"]).iter().map(|p| p["name"].as_str().unwrap()).collect()
    }

    fn thread(&self, t: usize) -> &'j Json {
        &self.json["threads"][t]
    }

    pub(super) fn threads(&self) -> usize {
        list(&self.json["threads"]).len()
    }

    fn env(&self, t: usize, vars: &[V], event: Option<&Event>) -> Env {
        let names = list(&self.thread(t)["variables"]).iter().map(|v| v["name"].as_str().unwrap().to_owned());
        let mut env: Env = names.zip(vars.iter().cloned()).collect();
        if let Some((name, data)) = event {
            env.extend(self.parameters(name).into_iter().map(str::to_owned).zip(data.iter().cloned()));
        }
        env
    }

    fn contains(&self, set: &Json, event: &Event, t: usize, vars: &[V]) -> bool {
        match set {
            Json::Null => false,
            Json::String(all) if all == "all" => true,
            Json::Array(items) => items.iter().any(|item| match item {
                Json::String(name) => *name == event.0,
                other => self.contains(other, event, t, vars),
            }),
            Json::Object(object) if object.contains_key("minus") => {
                let sets = list(&object["minus"]);
                self.contains(&sets[0], event, t, vars)
                    && !sets[1..].iter().any(|set| self.contains(set, event, t, vars))
            }
            other => {
                let same = other["event"] == event.0.as_str();
                if let (true, Json::Array(given)) = (same, &other["values"]) {
                    return given.iter().zip(&event.1).all(|(given, v)| given.is_null() || value(given) == *v);
                }
                let when = other["when"].as_str();
                same && when.is_none_or(|w| truth(&eval(&parse(w), &self.env(t, vars, Some(event)))))
            }
        }
    }

    pub(super) fn first(&self, t: usize) -> Vec<Place> {
        let thread = self.thread(t);
        let starts: Vec<usize> = match list(&thread["init"]) {
            [] => vec![0],
            names => names.iter().map(|name| self.state(t, name)).collect(),
        };
        let of = |variable: &Json| match &variable.get("initial") {
            None => {
                let all = values(&variable["sort"]);
                vec![if all.contains(&V::N(0)) { V::N(0) } else { all[0].clone() }]
            }
            Some(Json::Null) => values(&variable["sort"]),
            Some(given) => vec![value(given)],
        };
        let vars = testkit::choices(list(&thread["variables"]).iter().map(of));
        starts.iter().flat_map(|s| vars.iter().map(|vars| Place::At(*s, vars.clone()))).collect()
    }

    fn state(&self, t: usize, name: &Json) -> usize {
        list(&self.thread(t)["states"]).iter().position(|state| state["name"] == *name).unwrap()
    }

    fn of_state(&self, t: usize, place: &Place) -> Option<(&'j Json, Vec<V>)> {
        let Place::At(s, vars) = place else { return None };
        Some((&self.thread(t)["states"][s], vars.clone()))
    }

    pub(super) fn marks(&self, t: usize, place: &Place) -> (bool, bool, bool) {
        let Some((state, _)) = self.of_state(t, place) else { return (*place == Place::Fault, false, false) };
        let is_bad = state["bad"].is_string() || state["bad"] == true;
        (is_bad, !is_bad && state["final"] == true, !is_bad && state["hot"] == true)
    }

    pub(super) fn requests(&self, t: usize, place: &Place, event: &Event) -> bool {
        self.of_state(t, place).is_some_and(|(state, vars)| self.contains(&state["request"], event, t, &vars))
    }

    pub(super) fn blocks(&self, t: usize, place: &Place, event: &Event) -> bool {
        self.of_state(t, place).is_some_and(|(state, vars)| self.contains(&state["block"], event, t, &vars))
    }

    pub(super) fn after(&self, t: usize, place: &Place, event: &Event) -> Vec<Place> {
        let Some((state, vars)) = self.of_state(t, place) else { return vec![place.clone()] };
        if self.contains(&state["interrupt"], event, t, &vars) {
            return vec![Place::Ended];
        }
        let own = list(&state["on"]).iter().find(|one| self.contains(&one["events"], event, t, &vars));
        let then = match own {
            Some(one) => one,
            None if state["to"].is_null() => return vec![place.clone()],
            None => {
                let is_in = |key: &str| self.contains(&state[key], event, t, &vars);
                if !is_in("request") && !is_in("wait") {
                    return vec![place.clone()];
                }
                state
            }
        };
        self.moved(t, then, event, &vars)
    }

    fn moved(&self, t: usize, then: &Json, event: &Event, vars: &[V]) -> Vec<Place> {
        let env = self.env(t, vars, Some(event));
        let mut choices: Vec<Vec<Option<V>>> = Vec::new();
        for (variable, old) in list(&self.thread(t)["variables"]).iter().zip(vars) {
            let all = values(&variable["sort"]);
            let is_unbounded = variable["sort"] == "Int";
            choices.push(match then["set"].get(variable["name"].as_str().unwrap()) {
                None => vec![Some(old.clone())],
                Some(Json::Null) => all.into_iter().map(Some).collect(),
                Some(term) => {
                    let new = eval(&parse(term.as_str().unwrap()), &env);
                    vec![(is_unbounded || all.contains(&new)).then_some(new)]
                }
            });
        }
        let mut places = BTreeSet::new();
        for values in testkit::choices(choices) {
            match values.into_iter().collect::<Option<Vec<V>>>() {
                None => _ = places.insert(Place::Fault),
                Some(vars) => {
                    places.extend(list(&then["to"]).iter().map(|to| Place::At(self.state(t, to), vars.clone())));
                }
            }
        }
        places.into_iter().collect()
    }

    /// The name of an event in the explicit program.
    pub(super) fn name(&self, (name, data): &Event) -> String {
        let text = |v: &V| match v {
            V::N(n) => n.to_string(),
            V::B(b) => b.to_string(),
            V::S(s) => s.clone(),
        };
        if data.is_empty() {
            return name.clone();
        }
        format!("{name}({})", data.iter().map(text).collect::<Vec<_>>().join(","))
    }
}
