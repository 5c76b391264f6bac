//! The parser: its state, functions, and the last step, which assembles the program.

use super::lex::{self, Tok};
use super::operand::{Hazard, Operand, Waiting};
use super::pointers::Pointers;
use super::symbols::{Function, Symbol, Symbols};
use super::text::{Cursor, Res};
use formats::codes;
use formats::error::{Error, Span, Text, printable};
use formats::errors::Errors;
use formats::format::Read;
use formats::source::Limits;
use hashbrown::{HashMap, HashSet};
use model::reactive::{Arm, Arms, Builder, Convention, Flaw, Stmt};
use model::{ErrorId, ExprId, FunctionId, Goal, Mismatch, Problem, Property, Reactive, VarId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The rule for reading an input at the current place of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reads {
    /// The text must not read an input, because `main` has read it before the call.
    Never,
    /// The text may read the input: it is in the loop of `main`, and no input has been read.
    NotYet,
    /// The text must not read a second input: it is in the loop of `main`, after the input was read.
    Done,
}

/// A function that has a [`FunctionId`].
pub(super) struct DeclaredFunction<'a> {
    pub(super) name: &'a str,
    /// The place of its definition, or of its first call as long as it is not defined.
    pub(super) place: Span,
    /// The place of the first call without arguments, if the number of parameters was not declared before the
    /// call.
    pub(super) bare: Option<Span>,
}

/// The call of the entry function in `main`.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) place: Span,
    /// The inputs that `main` accepts, if it filters them.
    pub(super) accepted: Option<Vec<i32>>,
}

pub(super) struct Parser<'a> {
    pub(super) at: Cursor<'a>,
    pub(super) names: Symbols<'a>,
    pub(super) program: Builder,
    /// The number of variables, including elements of arrays.
    pub(super) variables: usize,
    /// The variables of `main`.
    pub(super) locals: Vec<&'a str>,
    /// Nodes that all uses share: numbers, elements of arrays, the input.
    pub(super) constants: HashMap<i32, ExprId>,
    pub(super) elements: HashMap<VarId, ExprId>,
    pub(super) input: Option<ExprId>,
    /// Stacks for the expression and the statements being parsed. They are fields only so that their memory is
    /// reused.
    pub(super) operands: Vec<Operand>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) stmts: Vec<Stmt>,
    /// Each arm with a flag that is true if its body is idle.
    pub(super) arms: Vec<(Arm, bool)>,
    /// The idle `if` chains: their bodies do nothing, and the compiler generates no code for them.
    pub(super) idle: HashSet<Arms>,
    /// The number of nodes made for computed indices.
    pub(super) computed: usize,
    /// `hazards` has an entry for each node with an evaluation that may go wrong. `hazard_nodes` bounds the
    /// size of all conditions in `hazards`. `expression_from` is the first node of the current expression.
    pub(super) hazards: HashMap<ExprId, Hazard>,
    pub(super) hazard_nodes: usize,
    pub(super) expression_from: usize,
    pub(super) pointers: Pointers,
    /// The function being parsed: its number, true if it returns a number, and the name of its parameter.
    pub(super) function: Option<FunctionId>,
    pub(super) returns: bool,
    pub(super) parameter: Option<&'a str>,
    pub(super) reads: Reads,
    /// The functions that have a [`FunctionId`], in this order.
    pub(super) known: Vec<DeclaredFunction<'a>>,
    pub(super) defined: usize,
    /// Sources of the alphabet: the list `inputs`, the constants under the heading `inputs`, and the numbers
    /// that the program compares its input with.
    pub(super) listed: Option<Vec<i32>>,
    pub(super) headed: Vec<i32>,
    pub(super) compared: BTreeSet<i32>,
    pub(super) entry: Option<Entry<'a>>,
    /// The variable of `main` with the result of `scanf`.
    pub(super) scanned: Option<&'a str>,
    /// The functions and places that end the call as invalid. Only the entry function may do so.
    pub(super) assumes: Vec<(FunctionId, Span)>,
    pub(super) first_print: Option<Span>,
    /// True if a file with bodies has been read.
    has_more: bool,
    pub(super) errors: Errors,
    /// Names in parts of the text with errors. Such a part may declare them, so they are not reported as
    /// unknown.
    pub(super) doubtful: HashSet<&'a str>,
}

/// A second file with bodies of functions. `text` is the program followed by this file, which begins at `start`.
#[derive(Clone, Copy, Debug)]
pub(super) struct More<'a> {
    pub(super) text: Text<'a>,
    pub(super) start: usize,
}

/// Parses a program, and optionally a second file with bodies.
pub(super) fn parse<'a>(text: Text<'a>, more: Option<More<'a>>, limits: &'a Limits) -> Res<Read> {
    let mut parser = Parser::new(text, limits)?;
    if parser.at.tok == Tok::Eof {
        let error = text.error(&codes::INPUT_EMPTY, parser.at.span.range(), "the file is empty");
        return Err(error.label("expected a C program"));
    }
    let items = parser.items().and_then(|()| match more {
        None => Ok(()),
        Some(more) => {
            parser.at = Cursor::new_from(more.text, more.start, limits)?;
            parser.has_more = true;
            parser.items()
        }
    });
    std::mem::take(&mut parser.errors).finish(items)?;
    let program = parser.finish()?;
    let problem = problem(program).map_err(|mismatch| Error::unfit(text.name, &mismatch))?;
    Ok(Read { problem, warnings: Vec::new() })
}

/// Makes a problem with one property for each error label, sorted by number.
fn problem(program: Reactive) -> Result<Problem, Mismatch> {
    let mut labels: Vec<(u32, ErrorId)> = program.labels().map(|(id, number)| (number, id)).collect();
    labels.sort_unstable();
    let properties =
        labels.into_iter().map(|(number, id)| Property::never(format!("error:{number}"), Goal::Error(id))).collect();
    Problem::of(Arc::new(program)).asking(properties)
}

impl<'a> Parser<'a> {
    fn new(text: Text<'a>, limits: &'a Limits) -> Res<Self> {
        Ok(Self {
            at: Cursor::new(text, limits)?,
            names: Symbols::default(),
            program: Builder::new(),
            variables: 0,
            locals: Vec::new(),
            constants: HashMap::new(),
            elements: HashMap::new(),
            input: None,
            operands: Vec::new(),
            waiting: Vec::new(),
            stmts: Vec::new(),
            arms: Vec::new(),
            idle: HashSet::new(),
            computed: 0,
            hazards: HashMap::new(),
            hazard_nodes: 0,
            expression_from: 0,
            pointers: Pointers::default(),
            function: None,
            returns: false,
            parameter: None,
            reads: Reads::Never,
            known: Vec::new(),
            defined: 0,
            listed: None,
            headed: Vec::new(),
            compared: BTreeSet::new(),
            entry: None,
            scanned: None,
            assumes: Vec::new(),
            first_print: None,
            has_more: false,
            errors: Errors::default(),
            doubtful: HashSet::new(),
        })
    }

    /// Parses all declarations and functions. After an error in one of them, the parser records the error and
    /// continues with the next one.
    fn items(&mut self) -> Res<()> {
        while self.at.tok != Tok::Eof {
            let (start, end) = (self.at.span, self.at.behind);
            let Err(error) = self.item() else { continue };
            // For a text that is not C at all, one error is enough.
            if error.code() == codes::C_CHARACTER.code || error.code() == codes::C_DIRECTIVE.code {
                return Err(error);
            }
            self.errors.note(error)?;
            self.skip_item(start.range().start.max(end))?;
        }
        Ok(())
    }

    /// Skips the rest of an item that began at `start`, up to its `;` or `}`. All names in the item become
    /// doubtful, because the item may declare them.
    fn skip_item(&mut self, start: usize) -> Res<()> {
        while self.at.tok != Tok::Eof {
            let (tok, is_item) = (self.at.tok, self.at.braces == 0);
            let has_moved = self.at.behind > start;
            // At top level these words begin the next declaration.
            if is_item && has_moved && matches!(tok, Tok::Int | Tok::Void | Tok::Extern | Tok::Static) {
                break;
            }
            self.at.advance()?;
            if (is_item && tok == Tok::Semicolon) || (tok == Tok::CloseBrace && self.at.braces == 0) {
                break;
            }
        }
        self.at.eat(Tok::Semicolon)?;
        self.doubtful.extend(lex::names(&self.at.text.text[start..self.at.behind.max(start)]));
        (self.function, self.parameter, self.reads) = (None, None, Reads::Never);
        self.locals.clear();
        self.operands.clear();
        self.waiting.clear();
        self.stmts.clear();
        self.arms.clear();
        Ok(())
    }

    /// Returns the number of a function in the program. A function gets its number at its first call or at its
    /// definition.
    pub(super) fn function_id(&mut self, name: &'a str, function: Function, place: Span) -> FunctionId {
        if let Some(id) = function.id {
            return id;
        }
        let id = self.program.declare(name);
        self.known.push(DeclaredFunction { name, place, bare: None });
        self.names.set(name, Symbol::Function(Function { id: Some(id), ..function }));
        id
    }

    /// Parses the body of a function after its `{`.
    pub(super) fn define(
        &mut self,
        name: &'a str,
        returns: bool,
        params: Option<usize>,
        parameter: Option<&'a str>,
        place: Span,
    ) -> Res<()> {
        // `f() {` has no parameter, but may be called with an argument.
        let count = params.unwrap_or(0);
        let declared = match self.names.get(name) {
            Some(Symbol::Function(function)) => {
                if function.is_defined {
                    return Err(self.twice(name, place));
                }
                if function.returns != returns {
                    let message = format!("`{}` was declared with another type", printable(name));
                    return Err(self.at.error(&codes::C_TYPE, place, message).label("not as declared"));
                }
                if let Some(before) = function.params.filter(|&before| before != count) {
                    return Err(self.other_parameters(name, before, count, place));
                }
                function
            }
            Some(_) => return Err(self.twice(name, place)),
            None => Function { id: None, returns, params: None, is_defined: false },
        };
        let id = self.function_id(name, declared, place);
        if let Some(call) = self.known[id.index()].bare.filter(|_| count > 0) {
            return Err(self.argument_count(name, count, call));
        }
        self.known[id.index()].place = place;
        let function = Function { id: Some(id), returns, params: declared.params.or(params), is_defined: true };
        self.names.set(name, Symbol::Function(function));
        (self.function, self.returns, self.parameter) = (Some(id), returns, parameter);
        self.defined += 1;
        let body = self.body()?;
        self.program.define(id, body);
        (self.function, self.parameter) = (None, None);
        Ok(())
    }

    pub(super) fn twice(&self, name: &str, place: Span) -> Box<Error> {
        let message = format!("`{}` is declared twice", printable(name));
        self.at.error(&codes::C_TWICE, place, message).label("declared before")
    }

    /// Returns the alphabet: the list `inputs`, else the constants under the heading, else the inputs that
    /// `main` accepts, else the numbers that the program compares its input with. Inputs that `main` does not
    /// accept are left out.
    fn alphabet(&self, accepted: Option<&[i32]>) -> Vec<i32> {
        let from_text = self.listed.as_deref().filter(|l| !l.is_empty());
        let letters: Vec<i32> = match (from_text, accepted) {
            (Some(list), _) => list.to_vec(),
            (None, _) if !self.headed.is_empty() => self.headed.clone(),
            (None, Some(accepted)) => accepted.to_vec(),
            (None, None) => self.compared.iter().copied().collect(),
        };
        match accepted.map(|list| list.iter().copied().collect::<BTreeSet<i32>>()) {
            Some(accepted) => letters.into_iter().filter(|l| accepted.contains(l)).collect(),
            None => letters,
        }
    }

    fn finish(mut self) -> Res<Reactive> {
        let Some(entry) = self.entry.take() else {
            let error = self.at.error(&codes::C_NO_MAIN, self.at.span, "there is no `main`");
            return Err(error
                .label("expected `int main() { while (1) { .. } }`")
                .hint("`main` tells which function is called with the inputs"));
        };
        for letter in self.alphabet(entry.accepted.as_deref()) {
            self.program.input(letter);
        }
        let Some(Symbol::Function(Function { id: Some(id), returns, .. })) = self.names.get(entry.name) else {
            return Err(self.unknown(entry.name, entry.place));
        };
        if let Some((_, place)) = self.assumes.iter().find(|(function, _)| *function != id) {
            let message = "only the function that `main` calls may end a call as invalid";
            return Err(self.at.error(&codes::C_ASSUME, *place, message).label("not in the entry"));
        }
        self.pointers.check(&self.program, &self.at)?;
        let convention = if returns { Convention::Returned } else { Convention::Printed };
        let Self { at, program, known, first_print, names, has_more, .. } = self;
        program.finish(id, convention).map_err(|flaw| match flaw {
            Flaw::Recursion(f) => {
                let message =
                    format!("`{}` calls itself, directly or through other functions", printable(known[f.index()].name));
                at.error(&codes::C_RECURSION, known[f.index()].place, message).label("recursion")
            }
            Flaw::Undefined(f) => {
                let name = printable(known[f.index()].name);
                let message = format!("`{name}` is called but has no body");
                let error =
                    at.error(&codes::C_EXTERN, known[f.index()].place, message).label("a function of another file");
                let error = error.hint(match has_more {
                    false => format!(
                        "write the body of `{name}` into the same file, or name the file that has it: `--extern FILE`"
                    ),
                    true => format!("the file named with `--extern` has no body of `{name}` either"),
                });
                match names.nearest(&name).filter(|near| names.is_defined(near)) {
                    Some(near) => error.hint(format!("or did you mean `{near}`?")),
                    None => error,
                }
            }
            Flaw::PrintsAndReturns => {
                let message = "the function that `main` calls returns its output, so nothing may be printed here";
                at.error(&codes::C_PRINTS, first_print.unwrap_or_default(), message).label("a second kind of output")
            }
            Flaw::NoInputs => at
                .error(&codes::C_NO_INPUTS, entry.place, "the program has no inputs")
                .label("called here")
                .hint("declare the inputs: `int inputs[] = {1, 2, 3};`"),
        })
    }
}
