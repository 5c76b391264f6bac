//! Programs with unbounded data as imported programs, so that they can be written as JSON. A location becomes a state,
//! and each path of a decision becomes a predicate over the arguments and variables.
//!
//! A decision may draw numbers or choose a way. The values are drawn ahead, when the thread arrives: variables with any
//! value, read by the predicates. This is exact if what the thread requests and blocks does not depend on them, because
//! then no state waits for a certain draw. Other programs are refused.

use super::event_set::Events;
use super::{
    At, Atom, EventDeclaration, EventSet, Formula, ImportedState, Move, Name, Program, Sort, Then, Thread, Update,
    Value, Variable,
};
pub(super) use formats::error::WriteError;
use formats::replaced::replaced;
use model::data::{Constraint, DataEvent, DataProgram, DataThread, Decision, Linear, LocationKind, Outcome, Symbol};
use model::{DecisionId, Goal, VariableId};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::{BTreeMap, HashMap};

/// The largest number of paths of a thread.
const MOST_PATHS: usize = 1 << 16;

/// Returns the program as an imported one, with these questions.
pub(crate) fn of_data(program: &DataProgram, goals: &[Goal]) -> Result<Program, WriteError> {
    let mut import = Program { check: Some(goals.to_vec()), ..Program::default() };
    for event in program.events() {
        let parameters = (0..event.arity())
            .fold(EventDeclaration::new(name(event)), |declaration, at| declaration.parameter(argument(at), Sort::Int));
        import = import.event(parameters);
    }
    for thread in program.threads() {
        import = import.thread(Writer::new(program, thread).thread()?);
    }
    Ok(import)
}

/// Returns the name of a family. If its arguments are all in one list, then the events keep their names.
fn name(event: &DataEvent) -> String {
    let (first, last) = (&event.parts[0], &event.parts[event.parts.len() - 1]);
    let is_list = first.ends_with('(') && last == ")" && event.parts[1..event.arity()].iter().all(|part| part == ",");
    match event.arity() {
        0 => first.clone(),
        _ if is_list => first.trim_end_matches('(').to_owned(),
        _ => event.parts.join("*"),
    }
}

/// Variables of the text are identifiers, perhaps with indices, so these names are free.
fn argument(at: usize) -> String {
    format!("${}", at + 1)
}

/// The name of the variable for a number that is drawn ahead.
fn drawn(number: usize) -> String {
    format!("?{number}")
}

/// A path of a decision.
#[derive(Clone, Default)]
struct Path {
    conditions: Vec<String>,
    /// For each input that the path defines: its term.
    inputs: BTreeMap<u32, String>,
    /// The number of values that were drawn.
    draws: usize,
}

struct Writer<'p> {
    program: &'p DataProgram,
    thread: &'p DataThread,
    /// The names of the variables of this thread.
    variables: HashMap<VariableId, String>,
    /// The names of the states.
    states: Vec<String>,
    paths: usize,
    /// The largest number of values that a decision draws.
    draws: usize,
}

impl<'p> Writer<'p> {
    fn new(program: &'p DataProgram, thread: &'p DataThread) -> Self {
        let all = program.variables().iter().enumerate();
        let own: Vec<(VariableId, &str)> = all
            .filter(|(_, variable)| std::ptr::eq(thread, &program.threads()[variable.thread.index()]))
            .map(|(id, variable)| (VariableId::new(id), variable.name.as_str()))
            .collect();
        let names = replaced(own.iter().map(|(_, name)| *name), |name| !name.is_empty());
        let states = replaced(thread.locations.iter().map(|location| location.name.as_str()), |name| !name.is_empty());
        let variables = own.iter().map(|(id, _)| *id).zip(names).collect();
        Self { program, thread, variables, states, paths: 0, draws: 0 }
    }

    fn feature(&self, what: &str) -> WriteError {
        WriteError::feature("json", format!("{what} in thread `{}`", self.thread.name))
    }

    fn thread(mut self) -> Result<Thread, WriteError> {
        let mut states = Vec::with_capacity(self.thread.locations.len());
        for (at, location) in self.thread.locations.iter().enumerate() {
            let mut state = ImportedState::new(&self.states[at]);
            state.place = (location.line > 0).then(|| ("".into(), location.line));
            match location.kind {
                LocationKind::Bad => state.bad = Some(location.values.clone()),
                kind => {
                    state.values.clone_from(&location.values);
                    state.is_final = kind == LocationKind::Final;
                }
            }
            for (event, decision) in &location.on {
                let declared = &self.program.events()[event.index()];
                for (path, outcome) in self.paths(*decision)? {
                    let set = self.events(declared, &path);
                    if outcome.requests {
                        state.request = joined(state.request, set.clone());
                    }
                    if outcome.blocks {
                        state.block = joined(state.block, set.clone());
                    }
                    if let Some((target, updates)) = &outcome.go {
                        let then = self.then(target.index(), updates, &path);
                        state.moves.push(Move { on: set, then, at: At::default() });
                    }
                }
            }
            states.push(state);
        }
        let (initial, mut variables) = self.initial()?;
        for number in 0..self.draws {
            variables.push(any(&drawn(number)));
            let draw = || (Name::new(drawn(number)), Update::Any);
            states.iter_mut().flat_map(|state| &mut state.moves).for_each(|one| one.then.set.push(draw()));
        }
        Ok(Thread { name: Name::new(&self.thread.name), priority: None, variables, initial, states })
    }

    /// Returns the initial states, and the variables with their first values.
    fn initial(&mut self) -> Result<(Vec<Name>, Vec<Variable>), WriteError> {
        let mut work = vec![self.thread.initial];
        let (mut states, mut first) = (Vec::new(), None);
        while let Some(id) = work.pop() {
            match &self.thread.decisions[id.index()] {
                Decision::End(Outcome { go: Some((target, updates)), .. }) => {
                    states.push(*target);
                    if first.replace(updates).is_some_and(|other| other != updates) {
                        return Err(self.feature("first values that depend on the first state"));
                    }
                }
                Decision::Any { then, .. } => work.push(*then),
                Decision::Choose(ways) => work.extend(ways),
                _ => return Err(self.feature("a first state that depends on tests")),
            }
        }
        states.sort_unstable();
        states.dedup();
        let first: BTreeMap<VariableId, &Linear> =
            first.into_iter().flatten().map(|(variable, value)| (*variable, value)).collect();
        let mut variables = Vec::new();
        let mut drawn = std::collections::BTreeSet::new();
        let mut own: Vec<(&VariableId, &String)> = self.variables.iter().collect();
        own.sort_unstable();
        for (id, name) in own {
            let zero = Linear::default();
            let value = first.get(id).copied().unwrap_or(&zero);
            let initial = match (value.as_number(), value.terms()) {
                (Some(number), _) => number.to_i64().map(Value::Number),
                (None, [(Symbol::Input(_, input), factor)]) if factor.is_one() && value.constant().is_zero() => {
                    drawn.insert(*input).then_some(Value::Any)
                }
                _ => None,
            };
            let Some(initial) = initial else { return Err(self.feature("a first value that is computed")) };
            let mut variable = any(name);
            variable.initial = Some(initial);
            variables.push(variable);
        }
        Ok((states.into_iter().map(|state| Name::new(&self.states[state.index()])).collect(), variables))
    }

    /// Returns the paths of a decision with their ends.
    fn paths(&mut self, decision: DecisionId) -> Result<Vec<(Path, &'p Outcome)>, WriteError> {
        let mut found = Vec::new();
        let mut work = vec![(decision, Path::default())];
        while let Some((id, mut path)) = work.pop() {
            self.paths += 1;
            if self.paths > MOST_PATHS {
                return Err(self.feature("too many ways to go on"));
            }
            self.draws = self.draws.max(path.draws);
            match &self.thread.decisions[id.index()] {
                Decision::End(outcome) => {
                    if outcome.requests || outcome.blocks || outcome.go.is_some() {
                        found.push((path, outcome));
                    }
                }
                Decision::Test { constraint, yes, no } => {
                    let (mut other, negation) = (path.clone(), constraint.negation());
                    other.conditions.push(self.constraint(&negation, &path));
                    path.conditions.push(self.constraint(constraint, &path));
                    work.extend([(*no, other), (*yes, path)]);
                }
                Decision::Divide { term, by, quotient, then } => {
                    let term = self.linear(term, &path);
                    path.inputs.insert(*quotient, format!("(div {term} {by})"));
                    path.inputs.insert(*quotient + 1, format!("(mod {term} {by})"));
                    work.push((*then, path));
                }
                Decision::Any { input, then } => {
                    self.decides_nothing(*then)?;
                    path.inputs.insert(*input, symbol(&drawn(path.draws)));
                    path.draws += 1;
                    work.push((*then, path));
                }
                Decision::Choose(ways) => {
                    self.decides_nothing(id)?;
                    let draw = symbol(&drawn(path.draws));
                    path.draws += 1;
                    for (at, way) in ways.iter().enumerate().rev() {
                        let mut path = path.clone();
                        path.conditions.push(format!("(= (mod {draw} {}) {at})", ways.len()));
                        work.push((*way, path));
                    }
                }
            }
        }
        Ok(found)
    }

    /// Checks that all ends below a decision request and block the same.
    fn decides_nothing(&self, decision: DecisionId) -> Result<(), WriteError> {
        let (mut work, mut first) = (vec![decision], None);
        let mut seen = std::collections::HashSet::new();
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            match &self.thread.decisions[id.index()] {
                Decision::End(outcome) => {
                    let does = (outcome.requests, outcome.blocks);
                    if *first.get_or_insert(does) != does {
                        return Err(self.feature("a choice that decides what is requested or blocked"));
                    }
                }
                decision => work.extend(decision.parts()),
            }
        }
        Ok(())
    }

    fn then(&self, target: usize, updates: &[(VariableId, Linear)], path: &Path) -> Then {
        let set = updates.iter().map(|(variable, value)| {
            let value = Formula::new(self.linear(value, path));
            (Name::new(&self.variables[variable]), Update::Value(value))
        });
        Then { to: vec![Name::new(&self.states[target])], set: set.collect() }
    }

    /// Returns the events of a family on a path.
    fn events(&self, event: &DataEvent, path: &Path) -> EventSet {
        let atom = match &path.conditions[..] {
            [] => Atom::All,
            [one] => Atom::When(Formula::new(one)),
            all => Atom::When(Formula::new(format!("(and {})", all.join(" ")))),
        };
        EventSet::Of(Events { name: Name::new(name(event)), atom, at: At::default() })
    }

    fn constraint(&self, constraint: &Constraint, path: &Path) -> String {
        format!("(<= {} 0)", self.linear(constraint.term(), path))
    }

    fn linear(&self, term: &Linear, path: &Path) -> String {
        let mut parts = Vec::new();
        for (of, factor) in term.terms() {
            let text = match of {
                Symbol::Variable(id) => symbol(&self.variables[id]),
                Symbol::Argument(at) => symbol(&argument(*at as usize)),
                Symbol::Input(_, input) => path.inputs.get(input).cloned().unwrap_or_default(),
            };
            parts.push(if factor.is_one() { text } else { format!("(* {} {text})", number(factor)) });
        }
        if parts.is_empty() || !term.constant().is_zero() {
            parts.push(number(term.constant()));
        }
        if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) }
    }
}

fn joined(old: EventSet, new: EventSet) -> EventSet {
    if old.is_none() { new } else { old.or(new) }
}

fn any(name: &str) -> Variable {
    let declared = super::Sorted::new(name, Sort::Int);
    Variable { declared, initial: Some(Value::Any), initial_at: At::default() }
}

fn number(number: &BigInt) -> String {
    if number.is_negative() { format!("(- {})", -number) } else { number.to_string() }
}

/// Returns a name as an SMT-LIB symbol.
fn symbol(name: &str) -> String {
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_?$".contains(&b));
    let is_number = name.starts_with(|c: char| c.is_ascii_digit());
    if is_plain && !is_number { name.to_owned() } else { format!("|{name}|") }
}
