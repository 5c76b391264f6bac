//! The events that a program declares: arrays of any dimension, numbered row by row in the order of declaration.

use super::ast::{Argument, Events, Name, Set, Span, Word};
use super::elaborate::Elaborator;
use super::event_table::{ELEMENTS, EventArray};
use super::parse::Res;
use crate::name;
use formats::error::{Error, printable};
use formats::{codes, suggest};
use model::{EventId, EventSet};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::ops::Range;

impl<'a> Elaborator<'a> {
    /// Declares `event name[size]..`.
    pub(super) fn declare_event(&mut self, name: &Name<'a>) -> Res<()> {
        let base = name.base;
        if let Some(old) = self.events.get(base.text) {
            return Err(self.duplicate("event", base.text, name.span, old.base.span));
        }
        let mut sizes = Vec::new();
        let mut count = 1usize;
        let mut over = None;
        for index in &name.indices {
            let size = match self.any_number(index) {
                Some(_) if over.is_some() => return Err(self.two_ranges(name)),
                Some(range) => {
                    over = Some((sizes.len(), self.use_range(range)));
                    BigInt::from(ELEMENTS)
                }
                None => self.eval(index)?,
            };
            if size < BigInt::from(1) {
                let message = format!("the event array `{}` has {} elements", printable(base.text), size);
                let error = self.error(&codes::RWB_ARRAY_SIZE, index.span, message);
                return Err(error.label("expected at least 1"));
            }
            let size = size.to_usize().unwrap_or(usize::MAX);
            count = count.saturating_mul(size);
            sizes.push(size);
            if self.events.len().saturating_add(count) > self.limits.events {
                let message = format!("the program has more than {} events", self.limits.events);
                return Err(self.error(&codes::LIMIT_EVENTS, index.span, message).label("the limit is exceeded here"));
            }
        }
        if self.events.len() + count > self.limits.events {
            let message = format!("the program has more than {} events", self.limits.events);
            return Err(self.error(&codes::LIMIT_EVENTS, name.span, message).label("the limit is exceeded here"));
        }
        let first = self.events.len();
        for index in 0..count {
            let full = match over {
                Some((dimension, _)) => symbolic(base.text, &sizes, dimension, index),
                None => name::element(base.text, &sizes, index),
            };
            self.meter.name(&full, name.span)?;
            self.events.names.push(full);
        }
        self.events.by_name.insert(base.text, self.events.arrays.len());
        self.events.arrays.push(EventArray { base, first, sizes, count, over });
        Ok(())
    }

    /// Returns the value of an event expression.
    pub(super) fn event_set(&mut self, events: &Events<'a>) -> Res<EventSet> {
        self.set(&events.set, events.span)
    }

    fn set(&mut self, set: &Set<'a>, span: Span) -> Res<EventSet> {
        let universe = self.events.len();
        let value = match set {
            Set::All => EventSet::full(universe),
            Set::None => EventSet::empty(universe),
            Set::Union(parts) | Set::Minus(parts) => {
                let mut value = self.set(&parts[0], span)?;
                for part in &parts[1..] {
                    let part = self.set(part, span)?;
                    match set {
                        Set::Union(_) => value.union_with(&part),
                        _ => value.subtract(&part),
                    }
                }
                return Ok(value);
            }
            Set::Named { name, arguments, span, .. } => match self.sets.get(name.text) {
                Some((set, _)) if arguments.is_none() => set.clone(),
                Some(_) => return Err(self.indexed_set(*name, *span)),
                None => self.named_events(*name, arguments.as_deref().unwrap_or_default(), *span)?,
            },
        };
        self.meter.set(&value, span)?;
        Ok(value)
    }

    fn named_events(&mut self, base: Word<'a>, selectors: &[Argument<'a>], span: Span) -> Res<EventSet> {
        let Some(array) = self.events.get(base.text) else {
            let error = self.undeclared_event(base);
            // One error is enough for all uses of the name, so the name becomes doubtful.
            self.scope.doubtful.insert(base.text);
            return Err(error);
        };
        let (first, sizes, over) = (array.first, array.sizes.clone(), array.over);
        if sizes.len() != selectors.len() {
            return Err(self.index_count(base, sizes.len(), selectors.len(), span));
        }
        let mut ranges = Vec::new();
        for (dimension, (selector, size)) in selectors.iter().zip(&sizes).enumerate() {
            ranges.push(match over {
                Some((along, range)) if along == dimension => self.class_selector(selector, range, base)?,
                _ => self.selector(selector, *size, base)?,
            });
        }
        let chosen = ranges.iter().fold(1usize, |n, r| n.saturating_mul(r.len()));
        self.meter.work(chosen / 16, span)?;
        let universe = self.events.len();
        if chosen <= universe / 64 {
            let mut set = EventSet::empty(universe);
            each_of_product(first, &sizes, &ranges, |event| set.insert(EventId::new(event)));
            return Ok(set);
        }
        let mut words = vec![0u64; universe.div_ceil(64)];
        each_of_product(first, &sizes, &ranges, |event| words[event / 64] |= 1 << (event % 64));
        Ok(EventSet::from_words(universe, words))
    }

    fn selector(&mut self, selector: &Argument<'a>, size: usize, base: Word<'a>) -> Res<Range<usize>> {
        match selector {
            Argument::Any => Ok(0..size),
            Argument::One(expr) => {
                let value = self.eval(expr)?;
                match value.to_usize().filter(|i| *i < size) {
                    Some(i) => Ok(i..i + 1),
                    None => Err(self.out_of_range(&value, size, base, expr.span)),
                }
            }
            Argument::Range(range) => {
                let (from, to) = (&range.from, &range.to);
                let (low, high) = (self.eval(from)?, self.eval(to)?);
                if low > high {
                    return Err(self.backward_range(&low, &high, range.span()));
                }
                match (low.to_usize(), high.to_usize().filter(|h| *h <= size)) {
                    (Some(low), Some(high)) => Ok(low..high),
                    (None, _) => Err(self.out_of_range(&low, size, base, from.span)),
                    (_, None) => Err(self.out_of_range(&(high - 1), size, base, to.span)),
                }
            }
        }
    }

    fn undeclared_event(&self, base: Word<'a>) -> Box<Error> {
        self.unless_doubtful(base.text, |e| e.unknown_event(base))
    }

    fn unknown_event(&self, base: Word<'a>) -> Box<Error> {
        let message = format!("there is no event or event set `{}`", printable(base.text));
        let error = self.error(&codes::RWB_UNDECLARED_EVENT, base.span, message).label("not declared");
        let known = self.events.arrays.iter().map(|a| a.base.text).chain(self.set_names.iter().copied());
        suggest::hinted(error, base.text, known, "declare it with `event NAME` (or, before its use, `set NAME = ..`)")
    }

    fn indexed_set(&self, base: Word<'a>, span: Span) -> Box<Error> {
        let message = format!("`{}` is an event set and has no indices", printable(base.text));
        self.error(&codes::RWB_INDEX_COUNT, span, message).label("expected the name alone")
    }

    fn index_count(&self, base: Word<'a>, wanted: usize, found: usize, span: Span) -> Box<Error> {
        let name = printable(base.text);
        let message = format!("the event `{name}` has {wanted} indices, here are {found}");
        let error = self.error(&codes::RWB_INDEX_COUNT, span, message).label(format!("expected {wanted} indices"));
        if found < wanted && wanted <= 8 {
            error.hint(format!("all of its events: `{name}{}`", "[*]".repeat(wanted)))
        } else {
            error
        }
    }

    fn out_of_range(&self, value: &BigInt, size: usize, base: Word<'a>, span: Span) -> Box<Error> {
        let (value, name) = (printable(&value.to_string()), printable(base.text));
        self.error(&codes::RWB_INDEX_RANGE, span, format!("index {value} of the event `{name}` is out of range"))
            .label(format!("expected 0 to {}", size.saturating_sub(1)))
    }
}

/// Returns the name of an element of an array with an open range along `dimension`.
fn symbolic(base: &str, sizes: &[usize], dimension: usize, mut index: usize) -> String {
    let mut parts = Vec::with_capacity(sizes.len());
    for (d, size) in sizes.iter().enumerate().rev() {
        let at = index % size;
        index /= size;
        parts.push(match at {
            0 if d == dimension => "[i]".to_owned(),
            _ if d == dimension => "[other]".to_owned(),
            _ => format!("[{at}]"),
        });
    }
    parts.push(base.to_owned());
    parts.into_iter().rev().collect()
}

/// Visits `first` plus the row-major position of every index vector in `ranges`, in ascending order. Visits
/// nothing if one of the ranges is empty.
fn each_of_product(first: usize, sizes: &[usize], ranges: &[Range<usize>], mut visit: impl FnMut(usize)) {
    if ranges.iter().any(Range::is_empty) {
        return;
    }
    let mut at: Vec<usize> = ranges.iter().map(|r| r.start).collect();
    loop {
        let position = at.iter().zip(sizes).fold(0, |p, (i, size)| p * size + i);
        visit(first + position);
        let Some(d) = (0..at.len()).rev().find(|d| at[*d] + 1 < ranges[*d].end) else { return };
        at[d] += 1;
        for e in d + 1..at.len() {
            at[e] = ranges[e].start;
        }
    }
}
