//! The parser: what it knows, functions, and the end, where the pieces become a program.

use super::expr::{Operand, Waiting};
use super::lex::{self, Tok};
use super::pointers::Pointers;
use super::symbols::{Function, Symbol, Symbols};
use super::text::{Cursor, Res};
use super::undefined::Hazard;
use crate::codes;
use crate::error::{Error, Span, Text, printable};
use crate::errors::Errors;
use crate::registry::Read;
use crate::source::Limits;
use hashbrown::{HashMap, HashSet};
use model::reactive::{Arm, Arms, Builder, Convention, Flaw, Stmt};
use model::{ErrorId, ExprId, FunctionId, Goal, Mismatch, Problem, Property, Reactive, VarId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where the text that is read may read an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reads {
    /// Nowhere: the caller has read it.
    Never,
    /// In the loop of `main`, and it has not been read yet.
    NotYet,
    /// In the loop of `main`, and it has been read.
    Done,
}

/// A function by its number in the program.
pub(super) struct Known<'a> {
    pub(super) name: &'a str,
    /// Where it was called first, or defined.
    pub(super) place: Span,
    /// Where it was called with nothing before anybody said how many parameters it has.
    pub(super) bare: Option<Span>,
}

/// What `main` says.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) place: Span,
    /// The inputs that `main` lets pass, if it looks at them.
    pub(super) accepted: Option<Vec<i32>>,
}

pub(super) struct Parser<'a> {
    pub(super) at: Cursor<'a>,
    pub(super) names: Symbols<'a>,
    pub(super) program: Builder,
    /// How many variables there are, elements of arrays among them.
    pub(super) variables: usize,
    /// The variables of `main`.
    pub(super) locals: Vec<&'a str>,
    /// Nodes that are shared: numbers, elements of arrays, the input.
    pub(super) constants: HashMap<i32, ExprId>,
    pub(super) elements: HashMap<VarId, ExprId>,
    pub(super) input: Option<ExprId>,
    /// Stacks that outlive an expression or statement only in their memory.
    pub(super) operands: Vec<Operand>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) stmts: Vec<Stmt>,
    /// With whether nothing is to be done in it.
    pub(super) arms: Vec<(Arm, bool)>,
    /// The `if`s in which nothing is to be done: the compiler has none.
    pub(super) idle: HashSet<Arms>,
    /// Nodes that computed indices took.
    pub(super) computed: usize,
    /// How nodes may go wrong, those that may; the room that takes; where the nodes of the current expression begin.
    pub(super) hazards: HashMap<ExprId, Hazard>,
    pub(super) hazard_nodes: usize,
    pub(super) expression_from: usize,
    pub(super) pointers: Pointers,
    /// The function that is read: its number, whether it returns a number, what it calls its input.
    pub(super) function: Option<FunctionId>,
    pub(super) returns: bool,
    pub(super) parameter: Option<&'a str>,
    pub(super) reads: Reads,
    /// By [`FunctionId`].
    pub(super) known: Vec<Known<'a>>,
    pub(super) defined: usize,
    /// The list `inputs`, the constants under the heading `inputs`, the numbers that the input is compared with.
    pub(super) listed: Option<Vec<i32>>,
    pub(super) headed: Vec<i32>,
    pub(super) compared: BTreeSet<i32>,
    pub(super) entry: Option<Entry<'a>>,
    /// Where a function ends the call as invalid: right only in the entry.
    pub(super) assumes: Vec<(FunctionId, Span)>,
    pub(super) first_print: Option<Span>,
    /// Has a file with bodies been read?
    has_more: bool,
    errors: Errors,
    /// Names in parts that are wrong.
    pub(super) doubtful: HashSet<&'a str>,
}

/// A file with bodies of functions of another file, as it is read after that: the same text, from `start` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct More<'a> {
    pub(super) text: Text<'a>,
    pub(super) start: usize,
}

/// Reads a file, and perhaps another one with bodies.
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

/// Asks for every error label, by their numbers.
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
            assumes: Vec::new(),
            first_print: None,
            has_more: false,
            errors: Errors::default(),
            doubtful: HashSet::new(),
        })
    }

    /// Everything up to the end. What is wrong with one declaration or function is noted; behind it reading goes on.
    fn items(&mut self) -> Res<()> {
        while self.at.tok != Tok::Eof {
            let (start, end) = (self.at.span, self.at.behind);
            let Err(error) = self.item() else { continue };
            // Of what is no C at all one error is enough.
            if error.code() == codes::C_CHARACTER.code || error.code() == codes::C_DIRECTIVE.code {
                return Err(error);
            }
            self.errors.note(error)?;
            self.skip_item(start.range().start.max(end))?;
        }
        Ok(())
    }

    /// Skips the rest of an item that began at `start`, up to its `;` or `}`. The names in it may be declared in it.
    fn skip_item(&mut self, start: usize) -> Res<()> {
        while self.at.tok != Tok::Eof {
            let (tok, is_item) = (self.at.tok, self.at.braces == 0);
            let has_moved = self.at.behind > start;
            // A word that begins a declaration does so at the beginning of a line.
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

    /// The number of a function in the program. Only functions that are called or defined have one.
    pub(super) fn function_id(&mut self, name: &'a str, function: Function, place: Span) -> FunctionId {
        if let Some(id) = function.id {
            return id;
        }
        let id = self.program.declare(name);
        self.known.push(Known { name, place, bare: None });
        self.names.set(name, Symbol::Function(Function { id: Some(id), ..function }));
        id
    }

    /// The body of a function whose `{` is consumed.
    pub(super) fn define(
        &mut self,
        name: &'a str,
        returns: bool,
        params: Option<usize>,
        parameter: Option<&'a str>,
        place: Span,
    ) -> Res<()> {
        // `f() {` has no parameter, and leaves open what it is called with.
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
        let body = self.body()?;
        self.program.define(id, body);
        self.defined += 1;
        (self.function, self.parameter) = (None, None);
        Ok(())
    }

    pub(super) fn twice(&self, name: &str, place: Span) -> Box<Error> {
        let message = format!("`{}` is declared twice", printable(name));
        self.at.error(&codes::C_TWICE, place, message).label("declared before")
    }

    /// The alphabet: a list `inputs`, else the constants under the heading, else what `main` lets pass, else the
    /// numbers that the program compares its input with. What `main` does not let pass does not count.
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
            let message = "the call ends here as invalid, but not in the function that `main` calls";
            return Err(self.at.error(&codes::C_ASSUME, *place, message).label("not in the entry"));
        }
        self.check_pointers()?;
        let convention = if returns { Convention::Returned } else { Convention::Printed };
        let Self { at, program, known, first_print, names, has_more, .. } = self;
        program.finish(id, convention).map_err(|flaw| match flaw {
            Flaw::Recursion(f) => {
                let message = format!("`{}` calls itself, perhaps by way of others", printable(known[f.index()].name));
                at.error(&codes::C_RECURSION, known[f.index()].place, message).label("recursion")
            }
            Flaw::Undefined(f) => {
                let name = printable(known[f.index()].name);
                let message = format!("`{name}` is called and has no body");
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
                at.error(&codes::C_PRINTS, first_print.unwrap_or_default(), message).label("a second way to put out")
            }
            Flaw::NoInputs => at
                .error(&codes::C_NO_INPUTS, entry.place, "the program has no inputs")
                .label("called with nothing")
                .hint("say which inputs there are: `int inputs[] = {1, 2, 3};`"),
        })
    }
}
