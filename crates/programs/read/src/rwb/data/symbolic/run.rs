//! The interpreter of [`Machine`]s over linear terms: the same nodes as in [`super::super::machine`], with the same
//! meaning. A value is a term. Where the way depends on it, the [`Path`] is asked.

use super::super::eval::{Code, Fault, Op};
use super::super::events::{Argument, Event, Pattern, PatternSet};
use super::super::machine::{Machine, Node, Sync, Target, Variable};
use super::path::{Path, Stop};
use crate::rwb::ast::Binary;
use crate::rwb::data::arms::NodeId;
use crate::rwb::data::domain::{Domain, small};
use formats::codes;
use formats::error::Span;
use model::data::Linear;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

type Run<T> = Result<T, Stop>;

/// The largest number of nodes between two syncs.
const STEPS: usize = 1 << 14;

/// The node at which a thread waits, with the values of its slots there.
pub(super) struct Reached {
    pub(super) node: NodeId,
    pub(super) values: Vec<Linear>,
}

/// What an event does, on one path.
pub(super) struct Effect {
    pub(super) requests: bool,
    pub(super) blocks: bool,
    /// Where the thread goes, if it does.
    pub(super) go: Option<Result<Reached, Fault>>,
}

/// An event of a family: the number of its declaration, and its arguments as terms.
pub(super) struct Letter {
    pub(super) number: usize,
    pub(super) data: Vec<Linear>,
}

fn refuse<T>(machine: &Machine<'_>, span: Span, message: &str) -> Run<T> {
    let error = machine.source.error(&codes::LIMIT_VALUES, span.range(), message);
    Err(Stop::Refuse(error.label("not supported for numbers without bound").hint("give the variables a range")))
}

/// Runs from a node to a node at which the thread waits.
pub(super) fn run(machine: &Machine<'_>, from: NodeId, mut values: Vec<Linear>, path: &mut Path<'_>) -> Run<Reached> {
    let mut node = from;
    for _ in 0..STEPS {
        node = match &machine.nodes[node] {
            Node::Goto(next) | Node::Loop(next, _) => *next,
            Node::Choose(ways) => ways[path.choose(ways.len())?],
            Node::Branch(condition, then, otherwise) => {
                if is_true(&eval(machine, condition, &values, path)?) {
                    *then
                } else {
                    *otherwise
                }
            }
            Node::Assign(target, code, next) => {
                let value = eval(machine, code, &values, path)?;
                store(machine, target, value, &mut values, path)?;
                *next
            }
            Node::AssignAny(target, next) => {
                let value = any_value(&machine.variables[target.variable].domain, path)?;
                store(machine, target, value, &mut values, path)?;
                *next
            }
            Node::Sync(sync) => {
                for set in sync.request.iter().chain(&sync.block).chain(&sync.interrupt) {
                    check(machine, set, &values, path)?;
                }
                for set in sync.arms.open() {
                    check(machine, set, &values, path)?;
                }
                return Ok(Reached { node, values });
            }
            Node::End(_) | Node::Final(_) | Node::Bad(..) => return Ok(Reached { node, values }),
        };
    }
    refuse(machine, machine.place(node), "the thread makes too many steps without a sync")
}

fn any_value(domain: &Domain, path: &mut Path<'_>) -> Run<Linear> {
    let Some((least, most)) = domain.range else { return path.any() };
    if small(domain).is_some() {
        let way = path.choose(usize::try_from(most.abs_diff(least)).unwrap_or(0) + 1)?;
        return Ok(Linear::number(least + i64::try_from(way).unwrap_or(0)));
    }
    // Any value of a large range: a number of any size, brought into the range.
    let size = BigInt::from(most) - least + 1;
    let any = path.any()?;
    Ok(path.divide(&any, &size)?.1.plus(&1.into(), &Linear::number(least)))
}

/// What an event does at a sync.
pub(super) fn react(
    machine: &Machine<'_>,
    sync: &Sync,
    values: &[Linear],
    letter: &Letter,
    path: &mut Path<'_>,
) -> Run<Effect> {
    let mut values = values.to_vec();
    // Only values of the parameters are events.
    if !is_event(machine, letter, path)? {
        return Ok(Effect { requests: false, blocks: false, go: None });
    }
    if contains_any(machine, &sync.block, letter, &mut values.clone(), path)? {
        return Ok(Effect { requests: false, blocks: true, go: None });
    }
    let requests = contains_any(machine, &sync.request, letter, &mut values.clone(), path)?;
    let go = if contains_any(machine, &sync.interrupt, letter, &mut values.clone(), path)? {
        Some((machine.end, values))
    } else {
        let mut found = None;
        for (set, next) in sync.arms.list() {
            if contains(machine, set, letter, &mut values, path)? {
                found = Some(*next);
                break;
            }
        }
        found.map(|next| (next, values))
    };
    let go = match go {
        None => None,
        Some((next, values)) => match run(machine, next, values, path) {
            Ok(reached) => Some(Ok(reached)),
            Err(Stop::Fault(fault)) => Some(Err(fault)),
            Err(other) => return Err(other),
        },
    };
    Ok(Effect { requests, blocks: false, go })
}

/// True if the arguments are values of the parameters.
fn is_event(machine: &Machine<'_>, letter: &Letter, path: &mut Path<'_>) -> Run<bool> {
    let domains = &machine.events.list[letter.number].parameters;
    for (value, domain) in letter.data.iter().zip(domains) {
        if !fits(value, domain, path)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn fits(value: &Linear, domain: &Domain, path: &mut Path<'_>) -> Run<bool> {
    let Some((least, most)) = domain.range else { return Ok(true) };
    Ok(path.is_at_most(&Linear::number(least), value)? && path.is_at_most(value, &Linear::number(most))?)
}

fn contains_any(
    machine: &Machine<'_>,
    sets: &[PatternSet],
    letter: &Letter,
    values: &mut [Linear],
    path: &mut Path<'_>,
) -> Run<bool> {
    for set in sets {
        if contains(machine, set, letter, values, path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if the set contains the event. The values of the pattern that matched are stored.
fn contains(
    machine: &Machine<'_>,
    set: &PatternSet,
    letter: &Letter,
    values: &mut [Linear],
    path: &mut Path<'_>,
) -> Run<bool> {
    match set {
        PatternSet::All => Ok(true),
        PatternSet::Union(sets) => contains_any(machine, sets, letter, values, path),
        PatternSet::Minus(sets) => {
            let [first, rest @ ..] = &sets[..] else { return Ok(false) };
            let is_in = contains(machine, first, letter, values, path)?;
            Ok(is_in && !contains_any(machine, rest, letter, &mut values.to_vec(), path)?)
        }
        PatternSet::One(pattern) if pattern.number == letter.number => matches(machine, pattern, letter, values, path),
        PatternSet::One(_) => Ok(false),
        PatternSet::These(events, _) => is_one_of(events, letter, path),
    }
}

/// True if the event is one of these.
fn is_one_of(events: &[Event], letter: &Letter, path: &mut Path<'_>) -> Run<bool> {
    let first = events.partition_point(|event| event.number < letter.number);
    'events: for event in events[first..].iter().take_while(|event| event.number == letter.number) {
        for (argument, value) in event.data.iter().zip(&letter.data) {
            if !path.is_equal(value, &Linear::number(*argument))? {
                continue 'events;
            }
        }
        return Ok(true);
    }
    Ok(false)
}

fn matches(
    machine: &Machine<'_>,
    pattern: &Pattern,
    letter: &Letter,
    values: &mut [Linear],
    path: &mut Path<'_>,
) -> Run<bool> {
    for (argument, value) in pattern.arguments.iter().zip(&letter.data) {
        let fits = match argument {
            Argument::Any => true,
            Argument::One(code) => {
                let wanted = in_set(machine, eval(machine, code, values, path))?;
                path.is_equal(value, &wanted)?
            }
            Argument::Range(from, to) => {
                let from = in_set(machine, eval(machine, from, values, path))?;
                let to = in_set(machine, eval(machine, to, values, path))?;
                path.is_at_most(&from, value)? && path.is_at_most(value, &to)?
            }
            Argument::Bind(slot) => {
                values[*slot] = value.clone();
                true
            }
        };
        if !fits {
            return Ok(false);
        }
    }
    match &pattern.filter {
        Some(filter) => Ok(is_true(&in_set(machine, eval(machine, filter, values, path))?)),
        None => Ok(true),
    }
}

/// A fault in a set of events is an error of the file.
fn in_set<T>(machine: &Machine<'_>, result: Run<T>) -> Run<T> {
    result.map_err(|stop| match stop {
        Stop::Fault(fault) => Stop::Refuse(fault.in_set(machine.source)),
        other => other,
    })
}

/// Checks the arguments of patterns when the thread arrives at a sync.
fn check(machine: &Machine<'_>, set: &PatternSet, values: &[Linear], path: &mut Path<'_>) -> Run<()> {
    let mut patterns = Vec::new();
    set.patterns(&mut |pattern| patterns.push(pattern));
    for pattern in patterns {
        let declared = &machine.events.list[pattern.number];
        for (argument, domain) in pattern.arguments.iter().zip(&declared.parameters) {
            match argument {
                Argument::Any | Argument::Bind(_) => {}
                Argument::One(code) => {
                    let value = eval(machine, code, values, path)?;
                    if !fits(&value, domain, path)? {
                        let (least, most) = domain.range.unwrap_or_default();
                        let message = format!("an argument of {} is outside of {least}..={most}", declared.name);
                        return Err(Stop::Fault(Fault::new(code.span, message)));
                    }
                }
                Argument::Range(from, to) => {
                    eval(machine, from, values, path)?;
                    eval(machine, to, values, path)?;
                }
            }
        }
    }
    Ok(())
}

fn store(machine: &Machine<'_>, target: &Target, value: Linear, values: &mut [Linear], path: &mut Path<'_>) -> Run<()> {
    let variable = &machine.variables[target.variable];
    let mut indices = Vec::with_capacity(target.indices.len());
    for index in &target.indices {
        indices.push(eval(machine, index, values, path)?);
    }
    let slot = variable.base + offset(&variable.name, &indices, &variable.sizes, target.span, path)?;
    if !fits(&value, &variable.domain, path)? {
        let (least, most) = variable.domain.range.unwrap_or_default();
        let message = format!("{} would be outside of {least}..={most}", variable.name);
        return Err(Stop::Fault(Fault::new(target.span, message)));
    }
    values[slot] = match small(&variable.domain) {
        Some((least, most)) => Linear::number(path.concrete(&value, least, most)?),
        None => value,
    };
    Ok(())
}

/// Returns the offset of an element of an array.
fn offset(name: &str, indices: &[Linear], sizes: &[usize], span: Span, path: &mut Path<'_>) -> Run<usize> {
    let mut at = 0;
    for (index, size) in indices.iter().zip(sizes) {
        let most = i64::try_from(*size).unwrap_or(i64::MAX) - 1;
        let is_in = path.is_at_most(&Linear::number(0), index)? && path.is_at_most(index, &Linear::number(most))?;
        if !is_in {
            let message = format!("an index of {name} is outside of 0..{size}");
            return Err(Stop::Fault(Fault::new(span, message)));
        }
        at = at * size + usize::try_from(path.concrete(index, 0, most)?).unwrap_or(0);
    }
    Ok(at)
}

/// Truth values are the numbers 0 and 1.
fn is_true(value: &Linear) -> bool {
    debug_assert!(value.as_number().is_some(), "truth values are numbers");
    value.as_number().is_some_and(|n| !n.is_zero())
}

fn truth(value: bool) -> Linear {
    Linear::number(i64::from(value))
}

/// Returns the value of an expression.
fn eval(machine: &Machine<'_>, code: &Code, values: &[Linear], path: &mut Path<'_>) -> Run<Linear> {
    let mut stack: Vec<Linear> = Vec::with_capacity(4);
    let mut at = 0;
    while let Some((op, span)) = code.ops.get(at) {
        at += 1;
        match op {
            Op::Push(n) => stack.push(Linear::number(*n)),
            Op::Load(slot) => stack.push(values[*slot].clone()),
            Op::Element { name, base, sizes } => {
                let indices = stack.split_off(stack.len() - sizes.len());
                stack.push(values[base + offset(name, &indices, sizes, *span, path)?].clone());
            }
            Op::Negate => {
                let n = pop(&mut stack);
                stack.push(n.scaled(&BigInt::from(-1)));
            }
            Op::Not => {
                let n = pop(&mut stack);
                stack.push(truth(!is_true(&n)));
            }
            Op::SkipIf(when, target) => {
                if stack.last().is_some_and(is_true) == *when {
                    at = *target;
                } else {
                    stack.pop();
                }
            }
            Op::Unless(target) => {
                if !is_true(&pop(&mut stack)) {
                    at = *target;
                }
            }
            Op::Jump(target) => at = *target,
            Op::Binary(binary) => {
                let (b, a) = (pop(&mut stack), pop(&mut stack));
                stack.push(apply(machine, *binary, &a, &b, *span, path)?);
            }
        }
    }
    Ok(pop(&mut stack))
}

fn pop(stack: &mut Vec<Linear>) -> Linear {
    stack.pop().expect("the compiler generates complete code")
}

fn apply(
    machine: &Machine<'_>,
    binary: Binary,
    a: &Linear,
    b: &Linear,
    span: Span,
    path: &mut Path<'_>,
) -> Run<Linear> {
    Ok(match binary {
        Binary::Or => truth(is_true(a) || is_true(b)),
        Binary::And => truth(is_true(a) && is_true(b)),
        Binary::Equal => truth(path.is_equal(a, b)?),
        Binary::Unequal => truth(!path.is_equal(a, b)?),
        Binary::Less => truth(!path.is_at_most(b, a)?),
        Binary::AtMost => truth(path.is_at_most(a, b)?),
        Binary::Greater => truth(!path.is_at_most(a, b)?),
        Binary::AtLeast => truth(path.is_at_most(b, a)?),
        Binary::Plus => a.plus(&1.into(), b),
        Binary::Minus => a.minus(b),
        Binary::Times => match (a.as_number(), b.as_number()) {
            (Some(n), _) => b.scaled(n),
            (_, Some(n)) => a.scaled(n),
            _ => return refuse(machine, span, "a product of two numbers without bound"),
        },
        Binary::Over | Binary::Modulo => {
            let Some(by) = b.as_number() else { return refuse(machine, span, "a divisor without bound") };
            if !by.is_positive() {
                return Err(Stop::Fault(Fault::new(span, format!("division by {by}"))));
            }
            let is_over = matches!(binary, Binary::Over);
            let (quotient, remainder) = path.divide(a, by)?;
            if is_over { quotient } else { remainder }
        }
    })
}

/// True if values of the variable are terms, and not numbers.
pub(super) fn is_symbolic(variable: &Variable) -> bool {
    small(&variable.domain).is_none()
}
