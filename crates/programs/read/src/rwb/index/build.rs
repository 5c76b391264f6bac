//! Collects declarations and mentions while a syntax tree is walked.
//!
//! Events, threads, states and enums are known in the whole text, so their symbols are made at the first mention, and
//! those without declaration are dropped at the end. Constants, variables and the like are visible from their
//! declaration to the end of a block.

use super::layout::Layout;
use super::{Declaration, Index, Kind, Mention, Place, Role, Symbol};
use crate::rwb::ast::Word;
use crate::rwb::visible::Visible;
use formats::error::Span;
use model::Goal;
use std::collections::HashMap;
use std::ops::Range;

/// A set of names of which no two may be equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Space {
    /// Constants, variables, and all other names of expressions.
    Value,
    /// Events and sets of events.
    Event,
    Thread,
    /// The states of the threads of this symbol.
    State(usize),
    /// Enums.
    Type,
    /// The parameters of the event of this symbol.
    Parameter(usize),
}

/// The block around the current place.
#[derive(Clone, Copy)]
struct Block {
    /// The number of names outside of it.
    base: usize,
    end: usize,
    /// True inside of a condition over constants, which opens no block.
    is_conditional: bool,
}

/// What is outside of a block.
#[derive(Clone, Copy)]
pub(super) struct Outer {
    height: usize,
    block: Block,
}

pub(super) struct Builder<'a> {
    pub(super) text: &'a str,
    layout: Layout,
    symbols: Vec<Symbol>,
    declarations: Vec<Declaration>,
    mentions: Vec<Mention>,
    unresolved: Vec<(String, Range<usize>)>,
    stars: Vec<(Role, usize)>,
    pub(super) goals: Vec<(Goal, Range<usize>)>,
    /// The names of expressions that are visible here: their symbols, and the number of names before them.
    values: Visible<'a, (usize, usize)>,
    globals: HashMap<(Space, &'a str), usize>,
    /// The declarations by the places of their names.
    places: HashMap<usize, usize>,
    block: Block,
    /// The thread or the set around the current place.
    inside: Option<usize>,
    parent: Option<usize>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            layout: Layout::new(text),
            symbols: Vec::new(),
            declarations: Vec::new(),
            mentions: Vec::new(),
            unresolved: Vec::new(),
            stars: Vec::new(),
            goals: Vec::new(),
            values: Visible::default(),
            globals: HashMap::new(),
            places: HashMap::new(),
            block: Block { base: 0, end: text.len(), is_conditional: false },
            inside: None,
            parent: None,
        }
    }

    /// Returns the end of the first block that begins at `position` or later.
    pub(super) fn block_end(&self, position: u32) -> usize {
        self.layout.block(position as usize).map_or(self.text.len(), |block| block.end)
    }

    /// Returns the position after the next occurrence of `sign`.
    pub(super) fn after(&self, position: usize, sign: &str) -> usize {
        let rest = self.text.get(position..).unwrap_or_default();
        rest.find(sign).map_or(self.text.len(), |at| position + at + sign.len())
    }

    /// Declares a name of the whole text. `head` is the end of its head.
    pub(super) fn declare(&mut self, space: Space, kind: Kind, name: Word<'a>, head: usize) -> usize {
        let symbol = self.global(space, name.text);
        self.symbols[symbol].kind = kind;
        self.add_declaration(symbol, name.span, head);
        symbol
    }

    /// Declares a name of expressions in the current block.
    pub(super) fn bind(&mut self, kind: Kind, name: Word<'a>, head: usize) -> usize {
        let known = self.places.get(&(name.span.start as usize)).copied();
        let visible = self.values.get(name.text).map(|entry| entry.meaning);
        let symbol = match (known, visible) {
            (Some(known), _) => known,
            (None, Some((visible, at))) if at >= self.block.base || self.block.is_conditional => visible,
            _ => self.add(Space::Value, kind, name.text, name.span.start as usize..self.block.end),
        };
        if visible.is_none_or(|(visible, _)| visible != symbol) {
            self.show(name.text, symbol);
        }
        self.add_declaration(symbol, name.span, head);
        symbol
    }

    /// Declares a name of expressions that becomes visible by [`Builder::show`]. `known` is its symbol, if it has one.
    pub(super) fn bind_apart(&mut self, kind: Kind, name: Word<'a>, known: Option<usize>) -> usize {
        self.bind_apart_to(kind, name, known, name.span.end as usize)
    }

    /// Declares a name like [`Builder::bind_apart`]. `head` is the end of its head.
    pub(super) fn bind_apart_to(&mut self, kind: Kind, name: Word<'a>, known: Option<usize>, head: usize) -> usize {
        let place = self.places.get(&(name.span.start as usize)).copied();
        let symbol = place.or(known).unwrap_or_else(|| {
            let scope = self.parent.map(|parent| self.declarations[parent].extent.clone());
            let scope = scope.filter(|_| self.is_in_thread()).unwrap_or(0..self.text.len());
            self.add(Space::Value, kind, name.text, scope)
        });
        self.add_declaration(symbol, name.span, head);
        symbol
    }

    fn is_in_thread(&self) -> bool {
        self.inside.is_some_and(|symbol| self.symbols[symbol].kind == Kind::Thread)
    }

    /// Makes a symbol of expressions visible up to the end of the block.
    pub(super) fn show(&mut self, name: &'a str, symbol: usize) {
        self.values.push(Word { text: name, span: Span::default() }, (symbol, self.values.height()));
    }

    pub(super) fn height(&self) -> usize {
        self.values.height()
    }

    pub(super) fn truncate(&mut self, height: usize) {
        self.values.truncate(height);
    }

    /// Returns the symbol that a name of expressions means here.
    pub(super) fn value(&self, name: &str) -> Option<usize> {
        self.values.get(name).map(|entry| entry.meaning.0)
    }

    /// Returns what is known about the value of a name of expressions.
    pub(super) fn shown(&self, name: &str) -> Option<String> {
        let symbol = &self.symbols[self.value(name)?];
        if symbol.kind == Kind::Value { Some(symbol.name.clone()) } else { symbol.value.clone() }
    }

    /// Makes the symbol visible in the whole text.
    pub(super) fn widen(&mut self, symbol: usize) {
        self.symbols[symbol].scope = 0..self.text.len();
    }

    pub(super) fn set_value(&mut self, symbol: usize, value: Option<String>) {
        self.symbols[symbol].value = value;
    }

    /// Notes a use of a name of expressions, which begins at this place.
    pub(super) fn read(&mut self, name: &str, span: Span, role: Role) {
        let start = span.start as usize;
        let place = Place { start, end: start + name.len() };
        match self.value(name) {
            Some(symbol) => self.mention(symbol, place, role),
            None => self.unresolved.push((name.to_owned(), start..place.end)),
        }
    }

    /// Notes a use of a name of the whole text.
    pub(super) fn name(&mut self, space: Space, name: Word<'a>, role: Role) -> usize {
        let symbol = self.global(space, name.text);
        self.mention(symbol, place(name.span), role);
        symbol
    }

    /// Notes that the thread names all events.
    pub(super) fn star(&mut self, role: Role) {
        if let Some(thread) = self.inside {
            self.stars.push((role, thread));
        }
    }

    /// Opens the block that ends at `end`. Returns what [`Builder::close`] restores.
    pub(super) fn open(&mut self, end: usize) -> Outer {
        let outer = Outer { height: self.values.height(), block: self.block };
        self.block = Block { base: outer.height, end, is_conditional: false };
        outer
    }

    pub(super) fn close(&mut self, outer: Outer) {
        self.values.truncate(outer.height);
        self.block = outer.block;
    }

    /// Sets whether the current place is inside of a condition, and returns what was set before.
    pub(super) fn conditional(&mut self, is_conditional: bool) -> bool {
        std::mem::replace(&mut self.block.is_conditional, is_conditional)
    }

    /// Enters a thread or a set: the mentions belong to it. Returns what [`Builder::leave`] restores.
    pub(super) fn enter(&mut self, symbol: usize) -> (Option<usize>, Option<usize>) {
        let parent = self.declarations.iter().rposition(|declaration| declaration.symbol == symbol);
        (self.inside.replace(symbol), std::mem::replace(&mut self.parent, parent))
    }

    pub(super) fn leave(&mut self, (inside, parent): (Option<usize>, Option<usize>)) {
        (self.inside, self.parent) = (inside, parent);
    }

    /// Returns the symbol of a name of the whole text.
    fn global(&mut self, space: Space, name: &'a str) -> usize {
        if let Some(symbol) = self.globals.get(&(space, name)) {
            return *symbol;
        }
        let symbol = self.add(space, Kind::Event, name, 0..self.text.len());
        self.globals.insert((space, name), symbol);
        symbol
    }

    fn add(&mut self, space: Space, kind: Kind, name: &str, scope: Range<usize>) -> usize {
        self.symbols.push(Symbol { kind, name: name.to_owned(), value: None, scope, space });
        self.symbols.len() - 1
    }

    fn add_declaration(&mut self, symbol: usize, name: Span, head: usize) {
        let name = name.range();
        if self.places.insert(name.start, symbol).is_some() {
            return;
        }
        let name = name.start..name.start + self.symbols[symbol].name.len();
        let has_block = matches!(self.symbols[symbol].kind, Kind::Thread | Kind::Class | Kind::State | Kind::Loop);
        let end = if has_block { self.layout.block(head).map_or(head, |block| block.end) } else { head };
        let start = if has_block { self.layout.before(name.start) } else { name.start };
        self.mention(symbol, Place { start: name.start, end: name.end }, Role::Declare);
        self.declarations.push(Declaration {
            symbol,
            head: name.start..head.max(name.end),
            extent: start..end.max(name.end),
            name,
            parent: self.parent,
        });
    }

    fn mention(&mut self, symbol: usize, place: Place, role: Role) {
        self.mentions.push(Mention { place, symbol, role, inside: self.inside });
    }

    /// Makes the index. Symbols without declaration are dropped, and the others sorted by their declarations.
    pub(super) fn finish(mut self, version: u8, is_complete: bool) -> Index {
        let mut order: Vec<usize> = (0..self.declarations.len()).collect();
        order.sort_by_key(|at| self.declarations[*at].name.start);
        let (mut numbers, mut moved) = (vec![None; self.symbols.len()], vec![0; order.len()]);
        let mut symbols = Vec::new();
        for (new, at) in order.iter().enumerate() {
            moved[*at] = new;
            let symbol = self.declarations[*at].symbol;
            if numbers[symbol].is_none() {
                numbers[symbol] = Some(symbols.len());
                symbols.push(self.symbols[symbol].clone());
            }
        }
        let number = |symbol: usize| numbers[symbol];
        for symbol in &mut symbols {
            if let Space::State(of) | Space::Parameter(of) = &mut symbol.space {
                *of = number(*of).unwrap_or(usize::MAX);
            }
        }
        let declarations = order.iter().filter_map(|at| {
            let old = self.declarations[*at].clone();
            Some(Declaration { symbol: number(old.symbol)?, parent: old.parent.map(|parent| moved[parent]), ..old })
        });
        let declarations = declarations.collect();
        let mut mentions = Vec::with_capacity(self.mentions.len());
        for mention in std::mem::take(&mut self.mentions) {
            match number(mention.symbol) {
                Some(symbol) => {
                    mentions.push(Mention { symbol, inside: mention.inside.and_then(number), ..mention });
                }
                None => {
                    let place = mention.place.start..mention.place.end;
                    self.unresolved.push((self.symbols[mention.symbol].name.clone(), place));
                }
            }
        }
        mentions.sort();
        mentions.dedup_by(|a, b| a.place == b.place && a.symbol == b.symbol);
        let is_known = |at: usize| mentions.binary_search_by_key(&at, |mention: &Mention| mention.place.start).is_ok();
        self.unresolved.retain(|(_, place)| !is_known(place.start));
        let mut stars: Vec<(Role, usize)> =
            self.stars.iter().filter_map(|(role, thread)| Some((*role, number(*thread)?))).collect();
        stars.sort_unstable();
        stars.dedup();
        let (goals, blocks, unresolved) = (self.goals, self.layout.blocks, self.unresolved);
        Index { version, is_complete, symbols, declarations, mentions, goals, blocks, unresolved, stars }
    }
}

fn place(span: Span) -> Place {
    Place { start: span.start as usize, end: span.end as usize }
}
