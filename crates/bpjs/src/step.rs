//! The instructions that stay in their frame.

use super::code::{Binary, Capture, Function, Op, Variable};
use super::frame::Frame;
use super::heap::{Heap, error_value};
use super::props::put;
use super::value::{Cell, Properties, Stop, Value, unsupported};
use formats::error::Error;
use std::rc::Rc;

type Res<T> = Result<T, Stop>;

fn unbox(heap: &Heap, at: u32) -> Value {
    match heap.get(at) {
        Cell::Box(value) => value.clone(),
        _ => Value::Undefined,
    }
}

fn rebox(heap: &mut Heap, at: u32, value: Value) -> Res<()> {
    if let Cell::Box(old) = heap.get_mut(at)? {
        *old = value;
    }
    Ok(())
}

/// Fails if a variable has no value yet.
fn defined(heap: &mut Heap, value: Value, variable: &Variable) -> Res<Value> {
    if value != Value::Empty {
        return Ok(value);
    }
    let name = &*variable.name;
    if name == "this" {
        return Err(unsupported("`this` without an object is not read", "call the function as a method of an object"));
    }
    let message = match variable.is_declared() {
        true => format!("Cannot access '{name}' before initialization"),
        false => format!("{name} is not defined"),
    };
    Err(Stop::Throw(error_value(heap, "ReferenceError", &message)?))
}

/// Runs an instruction.
pub(super) fn step(frame: &mut Frame, function: &Function, op: &Op, heap: &mut Heap) -> Res<()> {
    match op {
        Op::Nop | Op::Fresh(_) | Op::Param(_) => {}
        Op::Push(value) => frame.stack.push(value.clone()),
        Op::Pop => drop(frame.pop()),
        Op::Dup => frame.stack.push(frame.top()),
        Op::Dup2 => {
            let from = frame.stack.len().saturating_sub(2);
            frame.stack.extend_from_within(from..);
        }
        Op::Swap => {
            let (b, a) = (frame.pop(), frame.pop());
            frame.stack.extend([b, a]);
        }
        Op::Nip(count) => {
            let top = frame.pop();
            (0..*count).for_each(|_| drop(frame.pop()));
            frame.stack.push(top);
        }
        Op::Binary(binary) => {
            let (b, a) = (frame.pop(), frame.pop());
            let result = heap.binary(*binary, &a, &b)?;
            frame.stack.push(result);
        }
        Op::Unary(unary) => {
            let a = frame.pop();
            let result = heap.unary(*unary, &a)?;
            frame.stack.push(result);
        }
        Op::Throw => return Err(Stop::Throw(frame.pop())),
        Op::Missing(error) => return Err(Stop::Fatal(Box::new(Error::clone(error)))),
        Op::ThrowConst => return Err(heap.type_error("Assignment to constant variable.")),
        Op::NewVar(..)
        | Op::NewBox(..)
        | Op::FreshBox(_)
        | Op::ParamBox(_)
        | Op::Load(_)
        | Op::LoadBox(_)
        | Op::Store(_)
        | Op::StoreBox(_)
        | Op::StoreChecked(_)
        | Op::StoreBoxChecked(_)
        | Op::LoadUp(_)
        | Op::StoreUp(_)
        | Op::InitUp(_)
        | Op::LoadSelf => variable(frame, function, op, heap)?,
        Op::NewArray
        | Op::Append
        | Op::AppendHole
        | Op::AppendAll
        | Op::NewObject
        | Op::NewRegex(..)
        | Op::Field(_)
        | Op::FieldIndex
        | Op::FieldAll
        | Op::ToArray
        | Op::Keys
        | Op::Rest(_) => build(frame, op, heap)?,
        Op::Jump(_)
        | Op::JumpIfFalse(_)
        | Op::JumpIfTrue(_)
        | Op::JumpFalseKeep(_)
        | Op::JumpTrueKeep(_)
        | Op::JumpSomeKeep(_)
        | Op::JumpNullish(_)
        | Op::JumpDefined(_)
        | Op::Next(_) => jump(frame, op, heap)?,
        op => property(frame, op, heap)?,
    }
    Ok(())
}

fn variable(frame: &mut Frame, function: &Function, op: &Op, heap: &mut Heap) -> Res<()> {
    let variable = |slot: &u32| &function.variables[*slot as usize];
    let initial = |dead: &bool| if *dead { Value::Empty } else { Value::Undefined };
    match op {
        Op::NewVar(slot, dead) => frame.slots[*slot as usize] = initial(dead),
        Op::NewBox(slot, dead) => frame.slots[*slot as usize] = heap.alloc(Cell::Box(initial(dead)))?,
        Op::FreshBox(slot) => {
            let value = unbox(heap, frame.cell(*slot));
            frame.slots[*slot as usize] = heap.alloc(Cell::Box(value))?;
        }
        Op::ParamBox(slot) => {
            let value = frame.slots[*slot as usize].clone();
            frame.slots[*slot as usize] = heap.alloc(Cell::Box(value))?;
        }
        Op::Load(slot) => {
            let value = defined(heap, frame.slots[*slot as usize].clone(), variable(slot))?;
            frame.stack.push(value);
        }
        Op::LoadBox(slot) => {
            let value = defined(heap, unbox(heap, frame.cell(*slot)), variable(slot))?;
            frame.stack.push(value);
        }
        Op::Store(slot) => frame.slots[*slot as usize] = frame.pop(),
        Op::StoreChecked(slot) => {
            defined(heap, frame.slots[*slot as usize].clone(), variable(slot))?;
            frame.slots[*slot as usize] = frame.pop();
        }
        Op::StoreBox(slot) => {
            let value = frame.pop();
            rebox(heap, frame.cell(*slot), value)?;
        }
        Op::StoreBoxChecked(slot) => {
            defined(heap, unbox(heap, frame.cell(*slot)), variable(slot))?;
            let value = frame.pop();
            rebox(heap, frame.cell(*slot), value)?;
        }
        Op::LoadUp(number) => {
            let variable = &function.captured[*number as usize];
            let value = defined(heap, unbox(heap, frame.outer(*number, heap)), variable)?;
            frame.stack.push(value);
        }
        Op::InitUp(number) => {
            let value = frame.pop();
            rebox(heap, frame.outer(*number, heap), value)?;
        }
        Op::StoreUp(number) => {
            let variable = &function.captured[*number as usize];
            let at = frame.outer(*number, heap);
            defined(heap, unbox(heap, at), variable)?;
            let value = frame.pop();
            rebox(heap, at, value)?;
        }
        Op::LoadSelf => frame.stack.push(frame.closure.clone()),
        _ => {}
    }
    Ok(())
}

/// Makes a closure.
pub(super) fn close(frame: &mut Frame, number: u32, inner: &Function, heap: &mut Heap) -> Res<()> {
    let captured = inner.captures.iter().map(|capture| match capture {
        Capture::Slot(slot) => frame.slots[*slot as usize].clone(),
        Capture::Up(number) => Value::Ref(frame.outer(*number, heap)),
    });
    let captured = captured.collect();
    let closure = heap.alloc(Cell::Closure(number, captured, Properties::new()))?;
    frame.stack.push(closure);
    Ok(())
}

/// Appends to the array, or adds to the object, on the top of the stack.
fn build(frame: &mut Frame, op: &Op, heap: &mut Heap) -> Res<()> {
    match op {
        Op::NewArray => frame.stack.push(heap.alloc(Cell::Array(Vec::new()))?),
        Op::NewObject => frame.stack.push(heap.alloc(Cell::Object(Vec::new()))?),
        Op::NewRegex(pattern, flags) => frame.stack.push(heap.alloc(Cell::Regex(pattern.clone(), *flags))?),
        Op::Append => {
            let value = frame.pop();
            append(&frame.top(), vec![value], heap)?;
        }
        Op::AppendHole => append(&frame.top(), vec![Value::Empty], heap)?,
        Op::AppendAll => {
            let source = frame.pop();
            let values = heap.iterate(&source)?;
            append(&frame.top(), values, heap)?;
        }
        Op::Field(name) => {
            let value = frame.pop();
            field(&frame.top(), name.clone(), value, heap)?;
        }
        Op::FieldIndex => {
            let (value, key) = (frame.pop(), frame.pop());
            let name = heap.text_of(&key)?;
            field(&frame.top(), name, value, heap)?;
        }
        Op::FieldAll => {
            let source = frame.pop();
            if !source.is_nullish() {
                for key in heap.keys(&source)? {
                    let name = heap.text_of(&key)?;
                    let value = heap.get_property(&source, &name)?;
                    field(&frame.top(), name, value, heap)?;
                }
            }
        }
        Op::ToArray => {
            let source = frame.pop();
            heap.check_loop(&source)?;
            let array = match heap.array(&source) {
                Some(_) => source,
                None => {
                    let values = heap.iterate(&source)?;
                    heap.alloc(Cell::Array(values))?
                }
            };
            frame.stack.push(array);
        }
        Op::Keys => {
            let source = frame.pop();
            let keys = if source.is_nullish() { Vec::new() } else { heap.keys(&source)? };
            frame.stack.push(heap.alloc(Cell::Array(keys))?);
        }
        Op::Rest(from) => {
            let source = frame.pop();
            let values = heap.iterate(&source)?;
            let rest = values.into_iter().skip(*from as usize).collect();
            frame.stack.push(heap.alloc(Cell::Array(rest))?);
        }
        _ => {}
    }
    Ok(())
}

fn append(array: &Value, values: Vec<Value>, heap: &mut Heap) -> Res<()> {
    heap.charge(values.len())?;
    let Value::Ref(at) = array else { return Ok(()) };
    if let Cell::Array(old) = heap.get_mut(*at)? {
        old.extend(values);
    }
    Ok(())
}

fn field(object: &Value, name: Rc<str>, value: Value, heap: &mut Heap) -> Res<()> {
    heap.charge(1)?;
    let Value::Ref(at) = object else { return Ok(()) };
    if let Cell::Object(properties) = heap.get_mut(*at)? {
        put(properties, name, value);
    }
    Ok(())
}

fn jump(frame: &mut Frame, op: &Op, heap: &mut Heap) -> Res<()> {
    let (to, jumps) = match op {
        Op::Jump(to) => (to, true),
        Op::JumpIfFalse(to) => (to, !frame.pop().truth()),
        Op::JumpIfTrue(to) => (to, frame.pop().truth()),
        Op::JumpFalseKeep(to) => (to, !frame.top().truth()),
        Op::JumpTrueKeep(to) => (to, frame.top().truth()),
        Op::JumpSomeKeep(to) => (to, !frame.top().is_nullish()),
        Op::JumpDefined(to) => (to, frame.top() != Value::Undefined),
        Op::JumpNullish(to) => {
            let is_nullish = frame.top().is_nullish();
            if is_nullish {
                frame.pop();
                frame.stack.push(Value::Undefined);
            }
            (to, is_nullish)
        }
        Op::Next(to) => {
            let (index, array) = (frame.pop(), frame.top());
            let at = match &index {
                Value::Num(n) => n.get() as usize,
                _ => 0,
            };
            if at < heap.array(&array).map_or(0, Vec::len) {
                let element = heap.get_index(&array, &index)?;
                frame.stack.extend([Value::count(at + 1), element]);
                return Ok(());
            }
            // The place of the index stays, for the instructions after the loop.
            frame.stack.push(index);
            (to, true)
        }
        _ => return Ok(()),
    };
    let removes = matches!(op, Op::JumpFalseKeep(_) | Op::JumpTrueKeep(_) | Op::JumpSomeKeep(_) | Op::JumpDefined(_));
    if jumps {
        frame.pc = *to;
    } else if removes {
        frame.pop();
    }
    Ok(())
}

fn property(frame: &mut Frame, op: &Op, heap: &mut Heap) -> Res<()> {
    match op {
        Op::GetProp(name) => {
            let object = frame.pop();
            let value = heap.get_property(&object, name)?;
            frame.stack.push(value);
        }
        Op::GetIndex => {
            let (key, object) = (frame.pop(), frame.pop());
            let value = heap.get_index(&object, &key)?;
            frame.stack.push(value);
        }
        Op::SetProp(name) => {
            let (value, object) = (frame.pop(), frame.pop());
            heap.set_property(&object, name, value.clone())?;
            frame.stack.push(value);
        }
        Op::SetIndex => {
            let (value, key, object) = (frame.pop(), frame.pop(), frame.pop());
            heap.set_index(&object, &key, value.clone())?;
            frame.stack.push(value);
        }
        Op::IncProp(name, delta, postfix) => {
            let object = frame.pop();
            let old = heap.get_property(&object, name)?;
            let (result, new) = increment(&old, *delta, *postfix, heap)?;
            heap.set_property(&object, name, new)?;
            frame.stack.push(result);
        }
        Op::IncIndex(delta, postfix) => {
            let (key, object) = (frame.pop(), frame.pop());
            let old = heap.get_index(&object, &key)?;
            let (result, new) = increment(&old, *delta, *postfix, heap)?;
            heap.set_index(&object, &key, new)?;
            frame.stack.push(result);
        }
        Op::HasKey => {
            let (object, key) = (frame.pop(), frame.pop());
            let is_object = matches!(object, Value::Ref(_));
            let has = if is_object { heap.binary(Binary::In, &key, &object)? } else { Value::Bool(true) };
            frame.stack.push(has);
        }
        Op::DeleteProp(name) => {
            let object = frame.pop();
            heap.delete_property(&object, name)?;
            frame.stack.push(Value::Bool(true));
        }
        Op::DeleteIndex => {
            let (key, object) = (frame.pop(), frame.pop());
            let name = heap.text_of(&key)?;
            heap.delete_property(&object, &name)?;
            frame.stack.push(Value::Bool(true));
        }
        _ => {}
    }
    Ok(())
}

/// Returns the result of `++` or `--` and the new value.
fn increment(old: &Value, delta: i8, postfix: bool, heap: &mut Heap) -> Res<(Value, Value)> {
    let old = Value::num(heap.number_of(old)?);
    let new = heap.binary(Binary::Add, &old, &Value::num(f64::from(delta)))?;
    Ok((if postfix { old } else { new.clone() }, new))
}
