//! Parser for rules: guards, updates, and the check that no update can make a place negative.

use super::lex::Tok;
use super::parse::{Parser, Res};
use formats::codes;
use formats::error::{Error, Span, printable};
use model::{Effect, Guard, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use smallvec::SmallVec;

/// An update with its place in the text.
struct Update {
    effect: Effect,
    span: Span,
}

impl Update {
    fn is_like(&self, other: &Self) -> bool {
        self.effect.sources == other.effect.sources && self.effect.add == other.effect.add
    }
}

impl Parser<'_> {
    /// Parses a rule: `guard, .. -> update, ..;`.
    pub(super) fn rule(&mut self) -> Res<()> {
        if self.transitions.len() == self.limits.transitions {
            let message = format!("the net has more than {} rules", self.limits.transitions);
            return Err(self.error(&codes::LIMIT_TRANSITIONS, self.span, message).label("one too many"));
        }
        let mut guards = self.guards()?;
        let mut updates = self.updates()?;
        guards.sort_by_key(|g| g.place);
        updates.sort_by_key(|u| u.effect.place);
        self.merge_repeated(&mut updates)?;
        self.imply_guards(&mut guards, &updates)?;
        for update in &updates {
            self.check_sum(&guards, update)?;
            self.note_emptied(update);
        }
        // The lists are shrunk, because there may be a million rules, and lists that grew by pushing have spare
        // capacity.
        let mut effects = Vec::with_capacity(updates.len());
        effects.extend(updates.into_iter().map(|u| u.effect));
        guards.shrink_to_fit();
        let name = format!("r{}", self.transitions.len() + 1);
        self.transitions.push(Transition { name, guards, effects });
        Ok(())
    }

    fn count_arc(&mut self, span: Span) -> Res<()> {
        self.arcs += 1;
        if self.arcs > self.limits.arcs {
            let message = format!("the rules have more than {} guards, updates and terms", self.limits.arcs);
            return Err(self.error(&codes::LIMIT_ARCS, span, message).label("the limit is reached here"));
        }
        Ok(())
    }

    /// Parses conditions up to the arrow. Without any condition the rule is always enabled.
    fn guards(&mut self) -> Res<Vec<Guard>> {
        let mut guards = Vec::new();
        if self.eat(Tok::Arrow)? {
            return Ok(guards);
        }
        self.begin_list();
        loop {
            self.count_arc(self.span)?;
            if !self.eat(Tok::True)? {
                let (place, range) = self.condition()?;
                guards.push(Guard { place, range });
            }
            if self.eat(Tok::Arrow)? {
                return Ok(guards);
            }
            self.expect(Tok::Comma, "`,` or `->`")?;
        }
    }

    fn updates(&mut self) -> Res<Vec<Update>> {
        let mut updates = Vec::new();
        if self.eat(Tok::Semicolon)? {
            return Ok(updates);
        }
        loop {
            self.count_arc(self.span)?;
            let (place, start) = self.variable()?;
            self.expect(Tok::Prime, "`'`")?;
            self.expect(Tok::Equal, "`=`")?;
            let (sources, add) = self.expression()?;
            updates.push(Update { effect: Effect { place, sources, add }, span: start });
            if self.eat(Tok::Semicolon)? {
                return Ok(updates);
            }
            self.expect(Tok::Comma, "`,` or `;`")?;
        }
    }

    /// Parses a number, or variables joined by `+` with an optional number at the end.
    fn expression(&mut self) -> Res<(SmallVec<[PlaceId; 1]>, BigInt)> {
        let mut sources = SmallVec::new();
        if matches!(self.tok, Tok::Number | Tok::Minus) {
            let number = self.number()?;
            if matches!(self.tok, Tok::Plus | Tok::Minus) {
                return Err(self.unexpected("`,` or `;`").hint("in a sum the number stands at the end: `x + 1`"));
            }
            return Ok((sources, BigInt::from(number)));
        }
        let mut add = BigInt::zero();
        loop {
            self.count_arc(self.span)?;
            if self.tok != Tok::Name {
                return Err(self.unexpected("a variable or a number"));
            }
            sources.push(self.variable()?.0);
            let negative = self.tok == Tok::Minus;
            if !negative && !self.eat(Tok::Plus)? {
                break;
            }
            if negative {
                self.advance()?;
            }
            if negative || matches!(self.tok, Tok::Number | Tok::Minus) {
                let number = BigInt::from(self.number()?);
                add = if negative { -number } else { number };
                break;
            }
        }
        sources.sort_unstable();
        Ok((sources, add))
    }

    /// Removes repeated updates, and refuses different updates of one variable. `updates` must be ordered by
    /// place, and the updates of one place by their order in the text. Repeated updates are legal, because mist
    /// accepts a variable that gets the same value twice.
    fn merge_repeated(&mut self, updates: &mut Vec<Update>) -> Res<()> {
        if let Some(pair) = updates.windows(2).find(|p| p[0].effect.place == p[1].effect.place && !p[0].is_like(&p[1]))
        {
            return Err(self.conflict(&pair[0], &pair[1]));
        }
        updates.dedup_by(|later, first| {
            let repeated = later.effect.place == first.effect.place;
            if repeated {
                self.repeated = Some(self.repeated.map_or((later.span, 1), |(span, n)| (span, n + 1)));
            }
            repeated
        });
        Ok(())
    }

    /// Makes the error about a variable that gets two values.
    fn conflict(&self, first: &Update, second: &Update) -> Box<Error> {
        let name = printable(self.slice(second.span));
        let message = format!("the rule gives `{name}` two different values");
        let error = self.error(&codes::SPEC_TWO_VALUES, second.span, message).label("another value before");
        let (line, column) = self.text.line_column(first.span.range().start);
        error.hint(format!("the first one stands in line {line}, column {column}"))
    }

    /// Adds the guard `x >= k` for an update `x' = x - k` without a guard on x.
    fn imply_guards(&mut self, guards: &mut Vec<Guard>, updates: &[Update]) -> Res<()> {
        for update in updates {
            let Some(taken) = update.effect.delta().filter(|d| d.is_negative()) else { continue };
            let (place, taken) = (update.effect.place, taken.magnitude());
            match guards.binary_search_by_key(&place, |g| g.place) {
                Ok(i) if guards[i].range.at_least < *taken => return Err(self.small_guard(update, taken)),
                Ok(_) => {}
                Err(at) => {
                    guards.insert(at, Guard { place, range: Range::from(taken.clone()) });
                    self.implied = Some(self.implied.map_or((update.span, 1), |(first, n)| (first, n + 1)));
                }
            }
        }
        Ok(())
    }

    fn small_guard(&self, update: &Update, taken: &BigUint) -> Box<Error> {
        let (name, taken) = (printable(self.slice(update.span)), shown(taken));
        let message = format!("the rule takes {taken} from `{name}`, but its guard allows fewer tokens");
        let error = self.error(&codes::SPEC_GUARD, update.span, message).label("could become negative");
        error.hint(format!("expected a guard like `{name} >= {taken}`"))
    }

    /// Checks that the guards on the terms of a sum add up to at least the number that is subtracted.
    fn check_sum(&self, guards: &[Guard], update: &Update) -> Res<()> {
        let effect = &update.effect;
        if !effect.add.is_negative() {
            return Ok(());
        }
        let guard = |p: &PlaceId| guards.binary_search_by_key(p, |g| g.place).ok().map(|i| &guards[i].range.at_least);
        let ensured: BigUint = effect.sources.iter().filter_map(guard).sum();
        if ensured >= *effect.add.magnitude() {
            return Ok(());
        }
        let (name, taken) = (printable(self.slice(update.span)), shown(effect.add.magnitude()));
        let message = format!("the sum for `{name}` could become negative: it subtracts {taken}");
        let error = self.error(&codes::SPEC_UNGUARDED, update.span, message).label("could become negative");
        Err(error.hint(format!("expected guards on its terms that add up to {taken} or more")))
    }

    /// Records the places that an update empties, and the places that it adds to another place.
    fn note_emptied(&mut self, update: &Update) {
        let Effect { place, sources, .. } = &update.effect;
        if !sources.contains(place) {
            self.emptied[place.index()].get_or_insert(update.span);
        }
        for source in sources.iter().filter(|s| *s != place) {
            self.emptied[source.index()].get_or_insert(update.span);
        }
    }
}

/// Writes a number for a message. For a long number it gives only its length.
fn shown(number: &BigUint) -> String {
    if number.bits() > 200 { format!("a number of {} bits", number.bits()) } else { number.to_string() }
}
