//! Imported programs ([`crate::import`]): makes the same state machines from graphs of states that `compile` makes from
//! text. A predicate is the condition of a pattern that binds the parameters which the predicate reads.

mod declare;
mod operators;
mod scope;
mod sets;
mod term;

use super::arms::{Arms, NodeId};
use super::domain::{Domain, Ty};
use super::draft::{Compiled, Draft};
use super::eval::{Code, Op};
use super::finish;
use super::globals::Globals;
use super::machine::{Node, Sync, Target, Variable};
use super::parse::Res;
use crate::behavior::Origin;
use crate::import::{At, EventSet, ImportedState, Name, Program, Then, Thread, Update};
use declare::Declarations;
use formats::error::{Error, Span, Text, printable};
use formats::errors::Errors;
use formats::format::Read;
use formats::meter::Meter;
use formats::source::Limits;
use formats::{codes, suggest};
use model::PRIORITIES;
use scope::Scope;
use std::collections::HashMap;
use std::rc::Rc;

/// Makes the problem of an imported program. The places of its parts are those of `source`.
///
/// # Errors
/// Mistakes in the program, and limits.
pub(crate) fn of_graphs(program: &Program, source: Text<'_>, limits: &Limits) -> Res<Read> {
    check_priorities(program, source)?;
    let mut globals = Globals::new(source, Meter::new(source, limits));
    let mut declared = Declarations::of(source, program)?;
    globals.check.clone_from(&program.check);
    let line = source.line_finder();
    let (mut threads, mut errors) = (Vec::new(), Errors::default());
    let all: Res<()> = program.threads.iter().try_for_each(|thread| {
        let builder = ThreadBuilder::new(&mut globals, &mut declared, &line, thread.name.at.0);
        match builder.thread(thread, &mut errors) {
            Ok(compiled) => threads.push((thread.name.text.clone(), thread.name.at.0, compiled)),
            Err(error) => errors.note(error)?,
        }
        Ok(())
    });
    errors.finish(all)?;
    globals.events = declared.events;
    let are_graphs = program.threads.iter().all(|thread| thread.variables.is_empty());
    finish(globals, threads, are_graphs)
}

/// Checks that all priorities are in the range that programs may use.
fn check_priorities(program: &Program, source: Text<'_>) -> Res<()> {
    let all =
        program.threads.iter().flat_map(|t| t.priority.into_iter().chain(t.states.iter().filter_map(|s| s.priority)));
    match all.into_iter().find(|(priority, _)| !PRIORITIES.contains(priority)) {
        None => Ok(()),
        Some((priority, at)) => {
            let message = format!("{priority} is no priority");
            let error = source.error(&codes::RWB_PRIORITY, at.0.range(), message);
            Err(error.label("expected a number from -2^31 to 2^31 - 1"))
        }
    }
}

struct ThreadBuilder<'b, 'a, 't, 'p> {
    globals: &'b mut Globals<'a, 't>,
    declared: &'b mut Declarations<'a, 'p>,
    /// Returns the line of a place.
    line: &'b dyn Fn(&Span) -> u32,
    draft: Draft,
    /// The declared variables.
    names: HashMap<&'p str, usize>,
    /// For declared variables: the variable that keeps a new value until all are computed.
    computed: HashMap<usize, usize>,
    /// The variables that store parameters, by name and type.
    stored: HashMap<(String, Ty), usize>,
    states: HashMap<&'p str, NodeId>,
    origins: HashMap<NodeId, Origin>,
}

impl<'b, 'a, 't, 'p> ThreadBuilder<'b, 'a, 't, 'p> {
    fn new(
        globals: &'b mut Globals<'a, 't>,
        declared: &'b mut Declarations<'a, 'p>,
        line: &'b dyn Fn(&Span) -> u32,
        end: Span,
    ) -> Self {
        Self {
            globals,
            declared,
            line,
            draft: Draft::new(end),
            names: HashMap::new(),
            computed: HashMap::new(),
            stored: HashMap::new(),
            states: HashMap::new(),
            origins: HashMap::new(),
        }
    }

    fn thread(mut self, thread: &'p Thread, errors: &mut Errors) -> Res<Compiled<'a>> {
        for variable in &thread.variables {
            let name = &variable.declared.name;
            let domain = self.declared.domain(&variable.declared)?;
            if self.names.insert(&name.text, self.draft.variables.len()).is_some() {
                return Err(self.declared.duplicate("variable", name));
            }
            let first = domain.range.map_or(0, |(least, most)| if least <= 0 && most >= 0 { 0 } else { least });
            let initial = variable.initial.as_ref().map(|v| self.declared.value(v, &domain, variable.initial_at));
            let value = initial.transpose()?.unwrap_or(Some(first));
            self.draft.choices.extend(value.is_none().then_some(self.draft.variables.len()));
            self.draft.values.push(value.unwrap_or(first));
            self.add_variable(&name.text, domain, name.at.0);
        }
        for state in &thread.states {
            let node = self.draft.hole();
            if self.states.insert(&state.name.text, node).is_some() {
                return Err(self.declared.duplicate("state", &state.name));
            }
        }
        for (at, state) in (1..).zip(&thread.states) {
            match self.state(state, thread.priority) {
                Ok(node) => self.draft.nodes[at] = node,
                Err(error) => errors.note(error)?,
            }
            self.origins.insert(at, self.origin(state));
        }
        let mut entry = thread.initial.iter().map(|name| self.target(name)).collect::<Res<Vec<_>>>()?;
        if entry.is_empty() {
            entry.push(1);
        }
        self.draft.finish(self.declared.source, thread.name.at.0, entry, 0, self.origins)
    }

    fn add_variable(&mut self, name: &str, domain: Domain, span: Span) -> usize {
        let (name, sizes) = (name.to_owned(), Vec::new());
        self.draft.add_variable(Variable { name, span, domain, sizes, base: 0 })
    }

    /// Returns the slot that stores a parameter. Parameters with the same name and type share it: it is read only
    /// where it was just written.
    fn slot(&mut self, name: &str, domain: Domain) -> usize {
        if let Some(variable) = self.stored.get(&(name.to_owned(), domain.ty)) {
            let variable = &mut self.draft.variables[*variable];
            variable.domain.range = variable.domain.range.zip(domain.range).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
            return variable.base;
        }
        let number = self.add_variable(name, domain, Span::default());
        self.stored.insert((name.to_owned(), domain.ty), number);
        self.draft.variables[number].base
    }

    /// Returns the variable that keeps the new value of a variable.
    fn computed(&mut self, variable: usize) -> usize {
        if let Some(own) = self.computed.get(&variable) {
            return *own;
        }
        let Variable { name, span, domain, .. } = self.draft.variables[variable].clone();
        let own = self.add_variable(&name, domain, span);
        self.computed.insert(variable, own);
        own
    }

    fn target(&self, name: &Name) -> Res<NodeId> {
        if let Some(node) = self.states.get(name.text.as_str()) {
            return Ok(*node);
        }
        let message = format!("the thread has no state `{}`", printable(&name.text));
        let error = self.declared.source.error(&codes::RWB_UNKNOWN_STATE, name.at.0.range(), message);
        let error = error.label("not a state of this thread");
        let mut known: Vec<&str> = self.states.keys().copied().collect();
        known.sort_unstable();
        Err(suggest::hinted(error, &name.text, known, ""))
    }

    fn origin(&self, state: &ImportedState) -> Origin {
        let (file, line) = state.place.clone().unwrap_or_else(|| ("".into(), (self.line)(&state.at.0)));
        Origin { file, line, note: state.bad.clone().unwrap_or_default() }
    }

    fn state(&mut self, state: &'p ImportedState, of_thread: Option<(i64, At)>) -> Res<Node> {
        self.globals.meter.work(1, state.at.0)?;
        let name = match state.values.is_empty() {
            true => state.name.text.clone(),
            false => format!("{}[{}]", state.name.text, state.values),
        };
        if state.then.to.is_empty() && !state.wait.is_none() {
            let message = format!("the state `{}` waits for events that lead nowhere", printable(&state.name.text));
            let error = self.declared.source.error(&codes::JSON_NO_TARGET, state.at.0.range(), message);
            return Err(error.label("`wait` without `to`").hint("moves of `on` need no `wait`"));
        }
        let mut arms = Vec::with_capacity(state.moves.len() + 2);
        for one in &state.moves {
            let (next, binds) = self.then(&one.then, &[&one.on])?;
            arms.push((self.set(&one.on, &binds)?, next));
        }
        if !state.then.to.is_empty() {
            let sets: Vec<&EventSet> = [&state.request, &state.wait].into_iter().filter(|set| !set.is_none()).collect();
            let (next, binds) = self.then(&state.then, &sets)?;
            for set in sets {
                arms.push((self.set(set, &binds)?, next));
            }
        }
        let mut clause = |set: &EventSet| {
            if set.is_none() { Ok(Vec::new()) } else { self.set(set, &[]).map(|set| vec![set]) }
        };
        let (request, block) = (clause(&state.request)?, clause(&state.block)?);
        let interrupt = clause(&state.interrupt)?;
        if state.bad.is_some() {
            return Ok(Node::Bad(state.at.0, Some(name)));
        }
        Ok(Node::Sync(Rc::new(Sync {
            request,
            block,
            interrupt,
            arms: Arms::new(arms),
            is_final: state.is_final,
            is_hot: state.is_hot,
            priority: state.priority.or(of_thread).map_or(0, |(priority, _)| priority),
            span: state.at.0,
            name: Some(name),
        })))
    }

    /// Compiles what follows an event of these sets. Returns the first node, and the parameters that it reads.
    fn then(&mut self, then: &Then, sets: &[&EventSet]) -> Res<(NodeId, Vec<String>)> {
        let mut targets = then.to.iter().map(|name| self.target(name)).collect::<Res<Vec<_>>>()?;
        let mut next = if targets.len() == 1 { targets.remove(0) } else { self.draft.add(Node::Choose(targets)) };
        if then.set.is_empty() {
            return Ok((next, Vec::new()));
        }
        let mut scope = self.shared(sets)?;
        let mut updates = Vec::with_capacity(then.set.len());
        for (name, update) in &then.set {
            let variable = self.variable(name)?;
            let code = match update {
                Update::Any => None,
                Update::Value(formula) => {
                    Some(self.term(formula, &mut scope, self.draft.variables[variable].domain.ty)?)
                }
            };
            updates.push((Target { variable, indices: Vec::new(), span: name.at.0 }, code));
        }
        // All values are computed before the first one is stored.
        let mut computed = Vec::new();
        let is_single = updates.len() == 1;
        for (target, code) in updates.into_iter().rev() {
            next = match code {
                None => self.draft.add(Node::AssignAny(target, next)),
                Some(code) if is_single => self.draft.add(Node::Assign(target, code, next)),
                Some(code) => {
                    let own = self.computed(target.variable);
                    let load =
                        Code { ops: vec![(Op::Load(self.draft.variables[own].base), target.span)], span: target.span };
                    computed.push((Target { variable: own, indices: Vec::new(), span: target.span }, code));
                    self.draft.add(Node::Assign(target, load, next))
                }
            };
        }
        for (target, code) in computed {
            next = self.draft.add(Node::Assign(target, code, next));
        }
        Ok((next, scope.names()))
    }

    fn variable(&self, name: &Name) -> Res<usize> {
        self.names.get(name.text.as_str()).copied().ok_or_else(|| {
            let message = format!("the thread has no variable `{}`", printable(&name.text));
            let error = self.declared.source.error(&codes::RWB_UNKNOWN_NAME, name.at.0.range(), message);
            let error = error.label("not in `variables`");
            let mut known: Vec<&str> = self.names.keys().copied().collect();
            known.sort_unstable();
            suggest::hinted(error, &name.text, known, "")
        })
    }

    /// Returns the parameters that all events of these sets have.
    fn shared(&self, sets: &[&EventSet]) -> Res<Scope<'p>> {
        let mut events = Vec::new();
        let mut work: Vec<&EventSet> = sets.to_vec();
        let mut has_all = sets.is_empty();
        while let Some(set) = work.pop() {
            match set {
                EventSet::All => has_all = true,
                EventSet::Union(sets) => work.extend(sets),
                EventSet::Minus(sets) => work.extend(sets.first()),
                EventSet::Of(of) => events.push(self.declared.event(&of.name)?),
            }
        }
        events.sort_unstable();
        events.dedup();
        let parameters = |event: usize| {
            let domains = self.declared.events.list[event].parameters.iter().copied();
            self.declared.parameters[event].iter().copied().zip(domains)
        };
        let [first, rest @ ..] = &events[..] else { return Ok(Scope::of(Vec::new(), None)) };
        let is_shared = |(name, domain): &(&str, Domain)| {
            let has = |event: &usize| parameters(*event).any(|(other, of)| other == *name && of.ty == domain.ty);
            !has_all && rest.iter().all(has)
        };
        Ok(Scope::of(parameters(*first).filter(is_shared).collect(), None))
    }
}

impl ThreadBuilder<'_, '_, '_, '_> {
    /// Makes an error at a place.
    fn error(&self, code: &'static codes::Code, at: Span, message: impl Into<String>) -> Box<Error> {
        self.declared.source.error(code, at.range(), message)
    }
}
