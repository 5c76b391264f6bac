//! Compilation of event sets. A name that means nothing else is bound to the argument: it is visible in the condition
//! of its pattern, and after the sync if every pattern of the sync binds it.

use super::compile::ThreadCompiler;
use super::domain::{Domain, Ty};
use super::eval::{Code, Op};
use super::events::{Argument, Pattern, PatternSet};
use super::machine::Variable;
use super::scope::{Meaning, fits};
use crate::rwb::ast::{self, Argument as Written, Set, Word};
use crate::rwb::parse::Res;
use formats::error::{Span, printable};
use formats::{codes, suggest};
use std::collections::BTreeMap;

/// The largest number of patterns of a thread, with those of the sets that it names.
const PATTERNS: usize = 1 << 18;

/// The names that the patterns of one sync bind.
#[derive(Default)]
pub(super) struct Bindings<'a> {
    /// For each name: its variable.
    variables: BTreeMap<&'a str, usize>,
    /// The names of each pattern that events may match. `*` is a pattern without names.
    patterns: Vec<Vec<&'a str>>,
}

impl<'a> Bindings<'a> {
    /// Returns the names that every pattern binds, with their variables.
    pub(super) fn shared(&self) -> Vec<(&'a str, usize)> {
        let everywhere = |name: &&str| !self.patterns.is_empty() && self.patterns.iter().all(|p| p.contains(name));
        self.variables.iter().filter(|(name, _)| everywhere(name)).map(|(name, v)| (*name, *v)).collect()
    }
}

impl<'a> ThreadCompiler<'_, 'a, '_> {
    /// Compiles an optional clause. The names are bound for the sync as a whole.
    pub(super) fn clause(
        &mut self,
        events: Option<&ast::Events<'a>>,
        names: &mut Bindings<'a>,
    ) -> Res<Vec<PatternSet>> {
        events.map(|events| self.set(&events.set, names)).transpose().map(|set| set.into_iter().collect())
    }

    /// Compiles a set of events.
    pub(super) fn set(&mut self, set: &Set<'a>, names: &mut Bindings<'a>) -> Res<PatternSet> {
        Ok(match set {
            Set::All => {
                names.patterns.push(Vec::new());
                self.draft.mentions_all = true;
                PatternSet::All
            }
            Set::None => PatternSet::Union(Vec::new()),
            Set::Union(sets) => {
                let mut parts = Vec::with_capacity(sets.len());
                for set in sets {
                    parts.push(self.set(set, names)?);
                }
                PatternSet::Union(parts)
            }
            Set::Minus(sets) => {
                let mut parts = Vec::with_capacity(sets.len());
                for (at, set) in sets.iter().enumerate() {
                    // No event that happens matches the sets that are taken away.
                    let mut apart = Bindings::default();
                    parts.push(self.set(set, if at == 0 { &mut *names } else { &mut apart })?);
                }
                PatternSet::Minus(parts)
            }
            Set::Named { name, arguments, filter, span } => {
                self.globals.meter.work(1, *span)?;
                if let Some(number) = self.globals.event_numbers.get(name.text).copied() {
                    let arguments = arguments.as_deref();
                    return self.pattern(number, arguments, filter.as_deref(), *span, names).map(PatternSet::One);
                }
                self.named_set(name, arguments.is_some() || filter.is_some(), *span, names)?
            }
        })
    }

    fn named_set(
        &mut self,
        name: &ast::Word<'a>,
        has_more: bool,
        span: Span,
        names: &mut Bindings<'a>,
    ) -> Res<PatternSet> {
        let Some(named) = self.globals.sets.get(name.text) else {
            let message = format!("there is no event or event set `{}`", printable(name.text));
            let error = self.globals.error(&codes::RWB_UNDECLARED_EVENT, name.span, message).label("not declared");
            let mut known: Vec<&str> = self.globals.event_numbers.keys().copied().collect();
            known.extend(self.globals.sets.keys().copied());
            known.sort_unstable();
            return Err(suggest::hinted(
                error,
                name.text,
                known,
                "declare it with `event`; event sets are declared with `set`",
            ));
        };
        if has_more {
            let message = format!("the event set `{}` has no arguments", printable(name.text));
            return Err(self.globals.error(&codes::RWB_INDEX_COUNT, span, message).label("expected only its name"));
        }
        // The names of the set are those of its declaration, and what it binds is not visible outside.
        let (set, scope) = (named.set, named.scope.clone());
        let outer = std::mem::replace(&mut self.scope, scope);
        let compiled = self.depth(|c| c.set(set, &mut Bindings::default()), span);
        self.scope = outer;
        names.patterns.push(Vec::new());
        compiled
    }

    fn pattern(
        &mut self,
        number: usize,
        written: Option<&[Written<'a>]>,
        filter: Option<&ast::Expr<'a>>,
        span: Span,
        names: &mut Bindings<'a>,
    ) -> Res<Pattern> {
        self.draft.mentioned.insert(number);
        self.patterns += 1;
        if self.patterns > PATTERNS {
            let message = format!("a thread with more than {PATTERNS} patterns of events");
            let error = self.globals.error(&codes::LIMIT_UNROLLED, span, message);
            return Err(error.label("one too many").hint("a set that names another set twice doubles it"));
        }
        let declared = self.globals.events.list[number].clone();
        let count = declared.parameters.len();
        if written.map_or(count > 0 && declared.is_array, |written| written.len() != count) {
            let found = written.map_or(0, <[_]>::len);
            let message = format!("`{}` has {count} arguments, and not {found}", printable(&declared.name));
            let error = self.globals.error(&codes::RWB_INDEX_COUNT, span, message).label("another number");
            return Err(error.hint("`*` stands for any value"));
        }
        let height = self.scope.height();
        let (mut arguments, mut bound) = (vec![Argument::Any; count], Vec::new());
        for (at, argument) in written.unwrap_or_default().iter().enumerate() {
            arguments[at] = self.argument(argument, &declared.parameters[at], &mut bound, names)?;
        }
        for (name, span) in &bound {
            self.scope.push(Word { text: name, span: *span }, Meaning::Bound(names.variables[name]));
        }
        let filter = filter.map(|filter| self.typed(filter, Ty::Bool)).transpose();
        self.scope.truncate(height);
        names.patterns.push(bound.into_iter().map(|(name, _)| name).collect());
        Ok(Pattern { number, arguments, filter: filter?, span })
    }

    fn argument(
        &mut self,
        written: &Written<'a>,
        domain: &Domain,
        bound: &mut Vec<(&'a str, Span)>,
        names: &mut Bindings<'a>,
    ) -> Res<Argument> {
        match written {
            Written::Any => Ok(Argument::Any),
            Written::Range(range) => {
                let (first, mut last) = (self.typed(&range.from, domain.ty)?, self.typed(&range.to, domain.ty)?);
                if !range.closed {
                    last.ops.push((Op::Push(1), range.to.span));
                    last.ops.push((Op::Binary(ast::Binary::Minus), range.to.span));
                }
                Ok(Argument::Range(first, last))
            }
            Written::One(expr) => {
                if let [(ast::Op::Name(name), span)] = &expr.code[..]
                    && self.scope.get(name).is_none()
                {
                    if bound.iter().any(|(other, _)| other == name) {
                        let message = format!("`{}` is bound twice in one pattern", printable(name));
                        let error = self.globals.error(&codes::RWB_BINDING, *span, message);
                        return Err(error.label("again here").hint("give it another name, and compare them by `when`"));
                    }
                    let variable = self.bind(name, *span, domain, names)?;
                    bound.push((name, *span));
                    return Ok(Argument::Bind(self.draft.variables[variable].base));
                }
                let code = self.typed(expr, domain.ty)?;
                self.constant_fits(&code, domain, expr.span)?;
                Ok(Argument::One(code))
            }
        }
    }

    fn constant_fits(&self, code: &Code, domain: &Domain, span: Span) -> Res<()> {
        match &code.ops[..] {
            [(Op::Push(value), _)] => fits(self.globals.source, domain, *value, "this parameter", span),
            _ => Ok(()),
        }
    }

    /// Returns the variable of a name that patterns of one sync bind.
    fn bind(&mut self, name: &'a str, span: Span, domain: &Domain, names: &mut Bindings<'a>) -> Res<usize> {
        if let Some(variable) = names.variables.get(name) {
            let known = &mut self.draft.variables[*variable].domain;
            if known.ty != domain.ty {
                let message = format!("`{}` is bound to values of two types", printable(name));
                let error = self.globals.error(&codes::RWB_BINDING, span, message).label("of another type before");
                return Err(error.hint("give one of them another name"));
            }
            known.range = known.range.zip(domain.range).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
            return Ok(*variable);
        }
        let (text, sizes) = (name.to_owned(), Vec::new());
        let number = self.draft.add_variable(Variable { name: text, span, domain: *domain, sizes, base: 0 });
        names.variables.insert(name, number);
        Ok(number)
    }
}
