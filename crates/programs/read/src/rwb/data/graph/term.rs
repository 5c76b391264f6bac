//! Compilation of SMT-LIB terms over integers, truth values and strings. The meaning of each operator is that of the
//! theories Core and Ints of SMT-LIB. What `let` names is compiled where it is used.

use super::super::eval::{Code, Op};
use super::ThreadBuilder;
use super::scope::Scope;
use crate::import::Formula;
use crate::import::smt::{self, Node, Tree};
use crate::rwb::data::domain::Ty;
use crate::rwb::parse::Res;
use formats::error::{Error, Span, printable};
use formats::{codes, suggest};
use std::collections::HashSet;
use std::ops::Range;

/// The largest number of operations of a term, with what `let` names written out.
const MOST_OPERATIONS: usize = 1 << 16;
/// The largest number of looks at a part of a term.
const MOST_LOOKS: usize = 1 << 18;
/// The deepest term. The compiler recurses on the depth.
const MOST_DEPTH: usize = 400;

/// A name that `let` binds.
struct Bound<'t> {
    name: &'t str,
    node: usize,
    /// The names that are visible in its value: the last of them.
    inside: Option<usize>,
    /// The name that was bound before it.
    outer: Option<usize>,
}

/// What is visible at a node: the last bound name. And the depth of the node.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub(super) names: Option<usize>,
    pub(super) depth: usize,
}

pub(super) struct Compiler<'c, 'b, 'a, 't, 'p, 's> {
    builder: &'c mut ThreadBuilder<'b, 'a, 't, 'p>,
    scope: &'c mut Scope<'p>,
    formula: &'s Formula,
    pub(super) tree: &'c Tree<'s>,
    bound: Vec<Bound<'s>>,
    pub(super) ops: Vec<(Op, Span)>,
    /// The number of looks at parts of the term.
    looks: usize,
}

impl<'p> ThreadBuilder<'_, '_, '_, 'p> {
    /// Compiles a term of this type.
    pub(super) fn term(&mut self, formula: &Formula, scope: &mut Scope<'p>, ty: Ty) -> Res<Code> {
        let whole = formula.at.0;
        let tree = smt::parse(&formula.text).map_err(|mistake| {
            let span = place(formula, &mistake.place);
            self.error(&codes::IMPORT_SYNTAX, span, mistake.message).label(mistake.label)
        })?;
        self.globals.meter.work(1 + tree.len() / 8, whole)?;
        let last = tree.len() - 1;
        let (bound, ops, looks) = (Vec::new(), Vec::new(), 0);
        let mut compiler = Compiler { builder: self, scope, formula, tree: &tree, bound, ops, looks };
        compiler.typed(last, Here { names: None, depth: 0 }, ty)?;
        Ok(Code { ops: compiler.ops, span: whole })
    }
}

/// Returns the place of a part of a term.
fn place(formula: &Formula, part: &Range<usize>) -> Span {
    let whole = formula.at.0.range();
    match formula.is_verbatim.0 {
        true => Span::new(whole.start + part.start..whole.start + part.end),
        false => formula.at.0,
    }
}

impl<'s> Compiler<'_, '_, '_, '_, '_, 's> {
    pub(super) fn span(&self, node: usize) -> Span {
        place(self.formula, &self.tree[node].1)
    }

    pub(super) fn error(&self, code: &'static codes::Code, node: usize, message: impl Into<String>) -> Box<Error> {
        self.builder.error(code, self.span(node), message)
    }

    pub(super) fn push(&mut self, op: Op, node: usize) {
        let span = self.span(node);
        self.ops.push((op, span));
    }

    /// Compiles a node of this type.
    pub(super) fn typed(&mut self, node: usize, here: Here, ty: Ty) -> Res<()> {
        let found = self.node(node, here, Some(ty))?;
        if found == ty {
            return Ok(());
        }
        let declared = &self.builder.declared;
        let message = format!("expected {}, found {}", declared.type_name(ty), declared.type_name(found));
        Err(self.error(&codes::RWB_TYPE, node, message).label("of another type"))
    }

    /// Compiles a node, and returns its type. A string or a symbol may be a value of several types: `wanted` decides.
    pub(super) fn node(&mut self, node: usize, here: Here, wanted: Option<Ty>) -> Res<Ty> {
        self.looks += 1;
        if self.ops.len() > MOST_OPERATIONS || self.looks > MOST_LOOKS || here.depth > MOST_DEPTH {
            let is_deep = here.depth > MOST_DEPTH;
            let (code, what) = match is_deep {
                true => (&codes::LIMIT_NESTING, format!("a term nested more than {MOST_DEPTH} deep")),
                false => (&codes::LIMIT_UNROLLED, format!("a term of more than {MOST_OPERATIONS} operations")),
            };
            return Err(self.error(code, node, what).label("the limit is reached here"));
        }
        let here = Here { depth: here.depth + 1, ..here };
        let tree = self.tree;
        match &tree[node].0 {
            Node::Number(digits) => {
                let number = digits.parse().map_err(|_| {
                    let error = self.error(&codes::LIMIT_NUMBER, node, "the number is too large for data");
                    error.label("expected a number below 2^63")
                })?;
                self.push(Op::Push(number), node);
                Ok(Ty::Int)
            }
            Node::Text(text) => self.value(text, node, wanted),
            Node::Symbol(name) => self.symbol(name, node, here, wanted),
            Node::List(parts) => {
                let head = parts.first().map(|head| (&tree[*head].0, *head));
                let Some((Node::Symbol(operator), head)) = head else {
                    let error =
                        self.error(&codes::IMPORT_OPERATOR, node, "a list that does not begin with an operator");
                    return Err(error.label("expected `(OPERATOR TERM ..)`"));
                };
                self.operation(operator, head, node, &parts[1..], here, wanted)
            }
        }
    }

    /// Compiles a string, or a symbol that stands for one.
    fn value(&mut self, text: &str, node: usize, wanted: Option<Ty>) -> Res<Ty> {
        let declared = &self.builder.declared;
        let known = declared.values.get(text).map_or(&[][..], Vec::as_slice);
        let of = match wanted {
            Some(Ty::Enum(number)) => known.iter().find(|(of, _)| *of == number),
            _ => known.first(),
        };
        if let Some((number, at)) = of.copied() {
            self.push(Op::Push(at), node);
            return Ok(Ty::Enum(number));
        }
        let (message, label) = match wanted {
            Some(ty @ Ty::Enum(_)) => {
                (format!("`{}` is not {}", printable(text), declared.type_name(ty)), "not a value of this sort")
            }
            _ => (format!("`{}` is no value of any sort", printable(text)), "not a value"),
        };
        Err(self.error(&codes::RWB_UNKNOWN_NAME, node, message).label(label))
    }

    fn symbol(&mut self, name: &'s str, node: usize, here: Here, wanted: Option<Ty>) -> Res<Ty> {
        if matches!(name, "true" | "false") {
            self.push(Op::Push(i64::from(name == "true")), node);
            return Ok(Ty::Bool);
        }
        if let Some(bound) = self.find(name, here.names) {
            let (inner, names) = (self.bound[bound].node, self.bound[bound].inside);
            return self.node(inner, Here { names, ..here }, wanted);
        }
        let parameter = self.scope.parameters.iter().position(|(other, _)| *other == name);
        let variable = self.builder.names.get(name).copied();
        match (parameter, variable) {
            (Some(_), Some(_)) => {
                let message = format!("`{}` is a parameter and a variable of the thread", printable(name));
                let error = self.error(&codes::RWB_DUPLICATE, node, message).label("which one is meant?");
                Err(error.hint("give the variable another name"))
            }
            (Some(at), None) => {
                let (name, domain) = self.scope.parameters[at];
                let slot = self.builder.slot(name, domain);
                self.scope.slots[at] = Some(slot);
                self.push(Op::Load(slot), node);
                Ok(domain.ty)
            }
            (None, Some(number)) => {
                let (slot, ty) =
                    (self.builder.draft.variables[number].base, self.builder.draft.variables[number].domain.ty);
                self.push(Op::Load(slot), node);
                Ok(ty)
            }
            (None, None) if self.builder.declared.values.contains_key(name) => self.value(name, node, wanted),
            (None, None) => Err(self.unknown(name, node)),
        }
    }

    /// Returns the last bound name with this text.
    fn find(&self, name: &str, names: Option<usize>) -> Option<usize> {
        let mut at = names;
        while let Some(number) = at.filter(|number| self.bound[*number].name != name) {
            at = self.bound[number].outer;
        }
        at
    }

    fn unknown(&self, name: &str, node: usize) -> Box<Error> {
        let (builder, scope) = (&*self.builder, &*self.scope);
        if scope.event.is_none() && builder.declared.parameters.iter().any(|list| list.contains(&name)) {
            let message = format!("not all events of the move have the parameter `{}`", printable(name));
            let error = self.error(&codes::IMPORT_BINDING, node, message).label("not always known here");
            return error.hint("make a move of its own for the events that have it");
        }
        let message = format!("there is no parameter, variable or value `{}` here", printable(name));
        let error = self.error(&codes::RWB_UNKNOWN_NAME, node, message).label("not declared");
        let parameters = scope.parameters.iter().map(|(name, _)| *name);
        let mut known: Vec<&str> =
            builder.names.keys().copied().chain(builder.declared.values.keys().copied()).collect();
        known.sort_unstable();
        match (suggest::nearest(name, parameters.chain(known)), &scope.event) {
            (Some(near), _) => error.hint(format!("did you mean `{near}`?")),
            (None, Some(event)) if scope.parameters.is_empty() => {
                error.hint(format!("the event `{}` has no parameters", printable(event)))
            }
            (None, _) => error,
        }
    }

    /// Returns the names that `let` binds. The values do not see each other.
    fn bindings(&mut self, node: usize, parts: &[usize], here: Here) -> Res<Here> {
        let tree = self.tree;
        let wrong = |c: &Self, node| {
            let error = c.error(&codes::IMPORT_OPERATOR, node, "this is no list of names and their values");
            Err(error.label("expected `(let ((NAME TERM) ..) TERM)`"))
        };
        let Node::List(pairs) = &tree[parts[0]].0 else { return wrong(self, node) };
        let (mut names, mut seen) = (here.names, HashSet::new());
        for pair in pairs {
            let Node::List(pair) = &tree[*pair].0 else { return wrong(self, *pair) };
            let &[name, value] = &pair[..] else { return wrong(self, parts[0]) };
            let (at, Node::Symbol(name)) = (name, &tree[name].0) else { return wrong(self, name) };
            if !seen.insert(name) {
                let message = format!("the name `{}` is bound twice by one `let`", printable(name));
                return Err(self.error(&codes::IMPORT_OPERATOR, at, message).label("bound again here"));
            }
            self.bound.push(Bound { name, node: value, inside: here.names, outer: names });
            names = Some(self.bound.len() - 1);
        }
        Ok(Here { names, ..here })
    }

    pub(super) fn bind(&mut self, node: usize, parts: &[usize], here: Here, wanted: Option<Ty>) -> Res<Ty> {
        if self.bound.len() > MOST_OPERATIONS {
            return Err(self.error(&codes::LIMIT_UNROLLED, node, "too many names of `let`").label("one too many"));
        }
        let inside = self.bindings(node, parts, here)?;
        self.node(parts[1], inside, wanted)
    }

    /// Returns the type of a node without compiling it. `None` for strings, and for what is wrong.
    pub(super) fn type_of(&mut self, node: usize, here: Here) -> Option<Ty> {
        self.looks += 1;
        if here.depth > MOST_DEPTH || self.looks > MOST_LOOKS {
            return None;
        }
        let here = Here { depth: here.depth + 1, ..here };
        let tree = self.tree;
        match &tree[node].0 {
            Node::Number(_) => Some(Ty::Int),
            Node::Text(_) => None,
            Node::Symbol("true" | "false") => Some(Ty::Bool),
            Node::Symbol(name) => {
                if let Some(bound) = self.find(name, here.names) {
                    let names = self.bound[bound].inside;
                    return self.type_of(self.bound[bound].node, Here { names, ..here });
                }
                let parameter = self.scope.parameters.iter().find(|(other, _)| other == name).map(|(_, d)| d.ty);
                let builder = &self.builder;
                let variable = || builder.names.get(name).map(|number| builder.draft.variables[*number].domain.ty);
                parameter.or_else(variable)
            }
            Node::List(parts) => match parts.first().map(|head| &tree[*head].0) {
                Some(Node::Symbol("+" | "-" | "*" | "div" | "mod" | "abs")) => Some(Ty::Int),
                Some(Node::Symbol("ite")) if parts.len() == 4 => {
                    self.type_of(parts[2], here).or_else(|| self.type_of(parts[3], here))
                }
                Some(Node::Symbol("let")) if parts.len() == 3 => {
                    let height = self.bound.len();
                    let inside = self.bindings(node, &parts[1..], here).ok()?;
                    let ty = self.type_of(parts[2], inside);
                    self.bound.truncate(height);
                    ty
                }
                _ => Some(Ty::Bool),
            },
        }
    }
}
