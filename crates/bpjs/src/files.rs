//! The files of a program. Their texts are read as one text, in which each file begins in a line of its own. The
//! variables that the user defines stand before them, in a text of their own.
//!
//! BPjs runs one file after the other. So each file is parsed by itself first, and what would mean something else in
//! one text is refused: a function that is declared again in another file, and strict mode in some of the files only.

use super::{depth, names};
use formats::codes;
use formats::error::{Error, Text, printable};
use formats::joined::Joined;
use formats::source::Limits;
use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, Program, Statement, VariableDeclarationKind};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType};
use std::collections::HashMap;
use std::sync::Arc;

type Res<T> = Result<T, Box<Error>>;

/// The name of the text with the variables that the user defines.
const DEFINED: &str = "--define";

/// The files of a text.
#[derive(Clone, Debug)]
pub(super) struct Files {
    joined: Joined,
    /// True if reports name the files.
    are_shown: bool,
}

impl Files {
    /// Joins files, given by name and text. Returns the text, too.
    pub(super) fn new(files: &[(&str, &str)], limits: &Limits) -> (Self, String) {
        let defined: String = limits.defines.iter().map(|(name, json)| format!("var {name} = {json};\n")).collect();
        let are_shown = files.len() > 1;
        // What follows a file is a statement of its own.
        let ended: Vec<String> =
            files.iter().map(|(_, text)| if are_shown { format!("{text}\n;") } else { (*text).to_owned() }).collect();
        let defines = (!defined.is_empty()).then_some((DEFINED, &*defined));
        let all = defines.into_iter().chain(files.iter().zip(&ended).map(|((name, _), text)| (*name, &**text)));
        let (joined, text) = Joined::new(all);
        (Self { joined, are_shown }, text)
    }

    /// Returns the file of a line of the text, if reports name it, and the line in this file.
    pub(super) fn place(&self, line: usize) -> (Option<&Arc<str>>, usize) {
        match self.joined.place(line) {
            Some((file, line)) => (Some(file).filter(|_| self.are_shown), line),
            None => (None, line),
        }
    }

    /// Corrects the places of an error.
    pub(super) fn located(&self, error: Box<Error>) -> Box<Error> {
        self.joined.located(error)
    }

    /// Corrects the places of a warning.
    pub(super) fn locate(&self, warning: &mut Error) {
        self.joined.locate(warning);
    }
}

/// Checks that no variable of the user hides a name of BPjs, and that several files mean the same in one text.
pub(super) fn check(files: &[(&str, &str)], limits: &Limits) -> Res<()> {
    if let Some((name, _)) = limits.defines.iter().find(|(name, _)| names::global(name).is_some()) {
        let message = format!("`{name}` is a name of BPjs or JavaScript, and cannot be defined");
        return Err(Error::whole(&codes::JS_UNSUPPORTED, DEFINED, message).hint("give the variable another name"));
    }
    if files.len() < 2 {
        return Ok(());
    }
    // For each name that a file declares or assigns: the file, and whether it is a function.
    let mut known: HashMap<String, (usize, bool)> = HashMap::new();
    let mut first_is_strict = None;
    for (number, (name, text)) in files.iter().enumerate() {
        let text = Text { name, text };
        depth::check(text, limits)?;
        let allocator = Allocator::default();
        let program = parsed(text, &allocator)?;
        let is_strict = program.has_use_strict_directive();
        if *first_is_strict.get_or_insert(is_strict) != is_strict {
            let message = "`\"use strict\"` in some of the files only is not read";
            let error = text.error(&codes::JS_UNSUPPORTED, 0..0, message);
            return Err(error.hint("write it into each of them, or into none"));
        }
        for (declared, is_function, span) in top_level(&program) {
            match known.get(&declared) {
                Some((other, other_is_function)) if *other != number && (is_function || *other_is_function) => {
                    let message = format!("`{}` is declared in `{}`, too", printable(&declared), files[*other].0);
                    let error = text.error(&codes::JS_SYNTAX, span, message).label("declared again here");
                    return Err(
                        error.hint("a name that is a function in one file has another meaning in no other file")
                    );
                }
                _ => _ = known.insert(declared, (number, is_function)),
            }
        }
    }
    Ok(())
}

/// Returns the names that the top level of a program declares or assigns: whether the name is a function, and the
/// place.
fn top_level(program: &Program<'_>) -> Vec<(String, bool, std::ops::Range<usize>)> {
    let mut names = Vec::new();
    let place = |span: oxc_span::Span| span.start as usize..span.end as usize;
    for statement in &program.body {
        match statement {
            Statement::FunctionDeclaration(function) => {
                let id = function.id.as_ref();
                names.extend(id.map(|id| (id.name.to_string(), true, place(id.span))));
            }
            Statement::VariableDeclaration(list) if list.kind == VariableDeclarationKind::Var => {
                for one in &list.declarations {
                    let id = one.id.get_binding_identifiers();
                    names.extend(id.iter().map(|id| (id.name.to_string(), false, place(id.span))));
                }
            }
            Statement::ExpressionStatement(one) => {
                if let Expression::AssignmentExpression(assigned) = &one.expression
                    && let Some(name) = assigned.left.get_identifier_name()
                {
                    names.push((name.to_string(), false, place(assigned.left.span())));
                }
            }
            _ => {}
        }
    }
    names
}

/// Parses a text.
pub(super) fn parsed<'a>(text: Text<'a>, allocator: &'a Allocator) -> Res<oxc_ast::ast::Program<'a>> {
    let options = ParseOptions { preserve_parens: false, ..ParseOptions::default() };
    let parsed = Parser::new(allocator, text.text, SourceType::cjs()).with_options(options).parse();
    let Some(error) = parsed.errors.first() else { return Ok(parsed.program) };
    let label = error.labels.iter().flatten().next();
    let (start, length) = label.map_or((0, 0), |label| (label.offset(), label.len()));
    let mut message = error.message.to_string();
    message.truncate(message.find('\n').unwrap_or(message.len()));
    let mut found = text.error(&codes::JS_SYNTAX, start..start + length, message).label("the parser stops here");
    if let Some(help) = &error.help {
        found = found.hint(help.to_string());
    }
    Err(found)
}
