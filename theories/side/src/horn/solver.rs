//! The queries to Z3.

use super::{Bounded, Horn, HornAnswer, Rule, RunStep, answer};
use crate::arith::{number, to_number};
use crate::solver::spent;
use model::data::{Constraint, Linear, Symbol};
use model::{Stop, VariableId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use z3::ast::{Ast, Bool, Int, forall_const};
use z3::{Context, Fixedpoint, FuncDecl, Params, SatResult, Solver, Sort};

/// Z3's own memory limit. `--memory` does not include this memory.
const MEMORY_MEGABYTES: u32 = 2048;

/// Time between two looks at the stop flag.
const WATCH: Duration = Duration::from_millis(20);

/// Operations of Z3 in a millisecond, at the least. Some parts of Z3 count no operations, so time is a second limit.
const SLOW: u64 = 1 << 8;

/// Runs a query in a thread of its own, and interrupts Z3 when the flag is raised, or when it is much slower than the
/// limit of operations suggests. Returns the result with the operations of Z3. `None` if there is no thread.
pub(super) fn in_thread<T: Send>(stop: &Stop, limit: u32, query: impl FnOnce() -> T + Send) -> Option<(T, u32)> {
    let deadline = Instant::now() + Duration::from_millis(u64::from(limit) / SLOW);
    let job = || {
        let context = Context::thread_local();
        let handle = context.handle();
        let (done, ended) = channel::<()>();
        thread::scope(|watch| {
            watch.spawn(move || {
                while ended.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
                    if stop.raised().is_some() || Instant::now() > deadline {
                        handle.interrupt();
                    }
                }
            });
            let result = query();
            drop(done);
            // The context belongs to this thread, so its count is that of the query.
            (result, spent(&Solver::new()))
        })
    };
    thread::scope(|scope| {
        let worker = thread::Builder::new().name("z3".to_owned()).spawn_scoped(scope, job).ok()?;
        worker.join().ok()
    })
}

/// The Z3 terms of symbols at one step.
#[derive(Default)]
struct Names {
    known: BTreeMap<Symbol, Int>,
    suffix: String,
}

impl Names {
    fn at(suffix: String) -> Self {
        Self { known: BTreeMap::new(), suffix }
    }

    fn symbol(&mut self, symbol: Symbol) -> Int {
        let suffix = &self.suffix;
        self.known.entry(symbol).or_insert_with(|| Int::new_const(format!("{symbol}{suffix}"))).clone()
    }

    fn linear(&mut self, linear: &Linear) -> Int {
        let mut sum = vec![number(linear.constant())];
        for (symbol, factor) in linear.terms() {
            let symbol = self.symbol(*symbol);
            sum.push(Int::mul(&[number(factor), symbol]));
        }
        Int::add(&sum)
    }

    fn constraint(&mut self, constraint: &Constraint) -> Bool {
        self.linear(constraint.term()).le(number(&0.into()))
    }

    fn variables(&mut self, count: usize) -> Vec<Int> {
        (0..count).map(|v| self.symbol(Symbol::Variable(VariableId::new(v)))).collect()
    }
}

/// Returns the values of the variables after a rule.
fn after(rule: &Rule, names: &mut Names, count: usize) -> Vec<Int> {
    let mut values = match rule.from {
        Some(_) => names.variables(count),
        None => vec![number(&0.into()); count],
    };
    for (variable, value) in &rule.updates {
        values[variable.index()] = names.linear(value);
    }
    values
}

pub(super) fn invariants(horn: &Horn, limit: u32) -> HornAnswer {
    let fixed = Fixedpoint::new();
    let mut params = Params::new();
    params.set_symbol("engine", "spacer");
    params.set_u32("rlimit", limit);
    // Without these, Z3 replaces relations by their definitions, and the answer does not mention them.
    for off in ["xform.inline_eager", "xform.inline_linear", "xform.slice", "xform.coi"] {
        params.set_bool(off, false);
    }
    fixed.set_params(&params);
    let columns: Vec<Sort> = (0..horn.variables).map(|_| Sort::int()).collect();
    let columns: Vec<&Sort> = columns.iter().collect();
    let declare = |name: String, columns: &[&Sort]| {
        let relation = FuncDecl::new(name, columns, &Sort::bool());
        fixed.register_relation(&relation);
        relation
    };
    let relations: Vec<FuncDecl> = (0..horn.relations).map(|r| declare(answer::relation(r), &columns)).collect();
    let violation = declare("violation".to_owned(), &[]);
    for rule in &horn.rules {
        let mut names = Names::default();
        let mut body: Vec<Bool> = rule.constraints.iter().map(|c| names.constraint(c)).collect();
        if let Some(from) = rule.from {
            body.push(holds(&relations[from], &names.variables(horn.variables)));
        }
        let head = match rule.to {
            Some(to) => holds(&relations[to], &after(rule, &mut names, horn.variables)),
            None => holds(&violation, &[]),
        };
        let bounds: Vec<&dyn Ast> = names.known.values().map(|int| int as &dyn Ast).collect();
        fixed.add_rule(&forall_const(&bounds, &[], &Bool::and(&body).implies(head)), None);
    }
    match fixed.query(&holds(&violation, &[])) {
        SatResult::Sat => HornAnswer::Unsafe,
        SatResult::Unsat => {
            let text = fixed.get_answer().map(|answer| answer.to_string());
            let found = text.and_then(|text| answer::read(&text, horn));
            found.map_or(HornAnswer::Unknown, HornAnswer::Safe)
        }
        SatResult::Unknown => HornAnswer::Unknown,
    }
}

fn holds(relation: &FuncDecl, values: &[Int]) -> Bool {
    let values: Vec<&dyn Ast> = values.iter().map(|int| int as &dyn Ast).collect();
    relation.apply(&values).as_bool().expect("relations are truth values")
}

/// A bounded search in the making: the names and the choice of a rule at each step.
struct Unrolling<'h> {
    horn: &'h Horn,
    solver: Solver,
    names: Vec<Names>,
    /// For each step: the rules that may be taken, with the variable that says so.
    taken: Vec<Vec<(usize, Bool)>>,
    /// The relations that some run reaches after the last step.
    reached: BTreeSet<usize>,
}

pub(super) fn bounded(horn: &Horn, depth: usize, limit: u32) -> Bounded {
    let mut unrolling = Unrolling {
        horn,
        solver: Solver::new(),
        names: vec![Names::at("@i".to_owned())],
        taken: Vec::new(),
        reached: BTreeSet::new(),
    };
    unrolling.step();
    let mut now = 0;
    let mut left = limit;
    loop {
        if unrolling.reached.is_empty() {
            // No run is so long.
            return Bounded { depth: usize::MAX, run: None };
        }
        if now >= depth {
            let before = spent(&unrolling.solver);
            match unrolling.violated(left) {
                SatResult::Sat => return Bounded { depth: now, run: unrolling.run() },
                SatResult::Unsat => {}
                SatResult::Unknown => return Bounded { depth: now, run: None },
            }
            left = left.saturating_sub(spent(&unrolling.solver).saturating_sub(before).max(1000));
            if left == 0 {
                return Bounded { depth: now + 1, run: None };
            }
        }
        unrolling.step();
        now += 1;
    }
}

impl Unrolling<'_> {
    /// Adds a step: the first one is initial.
    fn step(&mut self) {
        let at = self.taken.len();
        let is_first = at == 0;
        let mut next = Names::at(format!("@{at}"));
        let after_step = next.variables(self.horn.variables);
        let control = Int::new_const(format!("control@{at}"));
        let mut taken = Vec::new();
        let mut reached = BTreeSet::new();
        for (number, rule) in self.horn.rules.iter().enumerate() {
            let is_possible =
                if is_first { rule.from.is_none() } else { rule.from.is_some_and(|r| self.reached.contains(&r)) };
            let Some(to) = rule.to.filter(|_| is_possible) else { continue };
            let choice = Bool::new_const(format!("rule{number}@{at}"));
            let names = &mut self.names[at];
            let mut effect: Vec<Bool> = rule.constraints.iter().map(|c| names.constraint(c)).collect();
            effect.extend(rule.from.map(|from| self_control(at).eq(index(from))));
            effect.push(control.eq(index(to)));
            let values = after(rule, names, self.horn.variables);
            effect.extend(after_step.iter().zip(values).map(|(new, value)| new.eq(&value)));
            self.solver.assert(choice.implies(Bool::and(&effect)));
            reached.insert(to);
            taken.push((number, choice));
        }
        let choices: Vec<Bool> = taken.iter().map(|(_, choice)| choice.clone()).collect();
        self.solver.assert(Bool::or(&choices));
        self.names.push(next);
        self.taken.push(taken);
        self.reached = reached;
    }

    /// Looks for a violation after the last step. If there is one, its rule is the last in `taken`.
    fn violated(&mut self, limit: u32) -> SatResult {
        let at = self.taken.len();
        let mut ends = Vec::new();
        for (number, rule) in self.horn.rules.iter().enumerate().filter(|(_, rule)| rule.to.is_none()) {
            let Some(from) = rule.from.filter(|from| self.reached.contains(from)) else { continue };
            let choice = Bool::new_const(format!("end{number}@{at}"));
            let names = &mut self.names[at];
            let mut holds: Vec<Bool> = rule.constraints.iter().map(|c| names.constraint(c)).collect();
            holds.push(self_control(at).eq(index(from)));
            self.solver.assert(choice.implies(Bool::and(&holds)));
            ends.push((number, choice));
        }
        if ends.is_empty() {
            return SatResult::Unsat;
        }
        let mut params = Params::new();
        params.set_u32("rlimit", limit);
        params.set_u32("max_memory", MEMORY_MEGABYTES);
        self.solver.set_params(&params);
        let goal = Bool::new_const(format!("goal@{at}"));
        let choices: Vec<Bool> = ends.iter().map(|(_, choice)| choice.clone()).collect();
        self.solver.assert(goal.implies(Bool::or(&choices)));
        let result = self.solver.check_assumptions(&[goal]);
        if result == SatResult::Sat {
            self.taken.push(ends);
        }
        result
    }

    /// Returns the run of Z3's model.
    fn run(&self) -> Option<Vec<RunStep>> {
        let model = self.solver.get_model()?;
        let mut steps = Vec::with_capacity(self.taken.len());
        for (taken, names) in self.taken.iter().zip(&self.names) {
            let is_taken = |choice: &Bool| model.eval(choice, true).and_then(|value| value.as_bool()) == Some(true);
            let (rule, _) = taken.iter().find(|(_, choice)| is_taken(choice))?;
            let mut values = BTreeMap::new();
            for (symbol, int) in names.known.iter().filter(|(symbol, _)| !matches!(symbol, Symbol::Variable(_))) {
                values.insert(*symbol, to_number(&model.eval(int, true)?)?);
            }
            steps.push((*rule, values));
        }
        Some(steps)
    }
}

/// The control before step `at`.
fn self_control(at: usize) -> Int {
    Int::new_const(format!("control@{}", at.wrapping_sub(1)))
}

fn index(relation: usize) -> Int {
    number(&relation.into())
}
