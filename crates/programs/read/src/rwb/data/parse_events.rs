//! Parser for declarations of events and for sets of events.

use super::ast::{Argument, EventDecl, Events, Parameters, Set};
use super::parse::{Parser, Res};

impl<'a> Parser<'a> {
    fn event(&mut self, is_external: bool) -> Res<EventDecl<'a>> {
        let name = self.word("the name of an event")?;
        let parameters = if self.eat("(") {
            let mut typed = Vec::new();
            while !self.is(")") {
                let parameter = self.word("the name of a parameter")?;
                typed.push((parameter, self.typed()?));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")", "`,` or `)`")?;
            Parameters::Typed(typed)
        } else {
            Parameters::Sizes(self.indices()?)
        };
        Ok(EventDecl { name, parameters, is_external })
    }

    pub(super) fn event_list(&mut self, is_external: bool) -> Res<Vec<EventDecl<'a>>> {
        let mut list = vec![self.event(is_external)?];
        while self.eat(",") {
            list.push(self.event(is_external)?);
        }
        Ok(list)
    }

    pub(super) fn events(&mut self) -> Res<Events<'a>> {
        self.nested(Self::union)
    }

    fn union(&mut self) -> Res<Set<'a>> {
        let mut parts = Vec::new();
        loop {
            let mut atoms = vec![self.event_atom()?];
            while self.eat("-") {
                atoms.push(self.event_atom()?);
            }
            parts.push(if atoms.len() > 1 { Set::Minus(atoms) } else { atoms.remove(0) });
            if !self.eat(",") {
                return Ok(if parts.len() > 1 { Set::Union(parts) } else { parts.remove(0) });
            }
        }
    }

    fn event_atom(&mut self) -> Res<Set<'a>> {
        if self.eat("*") {
            return Ok(Set::All);
        }
        if self.eat("none") {
            return Ok(Set::None);
        }
        if self.eat("{") {
            let set = self.nested(Self::union)?;
            self.expect("}", "`,`, `-` or `}`")?;
            return Ok(set);
        }
        let name = self.word("an event, an event set, `*`, `none` or `{`")?;
        let mut arguments = None;
        if self.eat("(") {
            let mut list = Vec::new();
            while !self.is(")") {
                list.push(self.nested(Self::argument)?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")", "`,` or `)`")?;
            arguments = Some(list);
        }
        while self.eat("[") {
            arguments.get_or_insert_default().push(self.nested(Self::argument)?);
            self.expect("]", "`]`")?;
        }
        let filter = if self.eat("when") { Some(self.expr()?) } else { None };
        Ok(Set::Named { name, arguments, filter, span: name.span.to(self.before()) })
    }

    fn argument(&mut self) -> Res<Argument<'a>> {
        if self.is("*") {
            self.advance();
            return Ok(Argument::Any);
        }
        let from = self.expr()?;
        if self.is("..") || self.is("..=") {
            let closed = self.range_sign()?;
            return Ok(Argument::Range(from, self.sum()?, closed));
        }
        Ok(Argument::One(from))
    }
}
