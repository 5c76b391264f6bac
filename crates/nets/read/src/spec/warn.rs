//! Warnings about features of a whole net that are legal, but probably a mistake. There is at most one warning
//! of each kind.

use super::parse::Parser;
use formats::codes;
use formats::error::printable;
use model::Effect;
use num_bigint::BigUint;
use num_traits::Signed;

impl Parser<'_> {
    pub(super) fn warn_about_net(&mut self) {
        if let Some((span, count)) = self.implied {
            let name = printable(self.slice(span));
            let more = if count > 1 { format!(" (and so do {} more updates)", count - 1) } else { String::new() };
            let message = format!("the rule takes from `{name}` without a guard on it{more}");
            let warning = self.error(&codes::SPEC_IMPLIED, span, message).label("read as if it were guarded").warning();
            self.warnings.push(*warning);
        }
        if let Some((span, count)) = self.repeated {
            let name = printable(self.slice(span));
            let more = if count > 1 { format!(" (and {} more updates are like it)", count - 1) } else { String::new() };
            let message = format!("the rule gives `{name}` the same value twice{more}");
            let warning = self.error(&codes::SPEC_SAME_UPDATE, span, message).label("said before").warning();
            self.warnings.push(*warning);
        }
        self.warn_about_empty_places();
    }

    /// Warns about places that are emptied or transferred although no token ever gets there.
    fn warn_about_empty_places(&mut self) {
        let mut filled: Vec<bool> = self.places.iter().map(|p| p.initial.at_most != Some(BigUint::ZERO)).collect();
        for effect in self.transitions.iter().flat_map(|t| &t.effects) {
            filled[effect.place.index()] |= puts(effect);
        }
        let mut empty = (0..self.places.len()).filter(|p| !filled[*p]).filter_map(|p| Some((p, self.emptied[p]?)));
        let Some((place, span)) = empty.next() else { return };
        let more = match empty.count() {
            0 => String::new(),
            n => format!(" ({n} more places are like it)"),
        };
        let name = printable(&self.places[place].name);
        let message = format!("`{name}` is reset or transferred, but nothing ever puts a token there{more}");
        let warning = self.error(&codes::NET_NEVER_MARKED, span, message).label("has no effect").warning();
        self.warnings.push(*warning);
    }
}

/// True if the effect can put tokens on an empty place.
fn puts(effect: &Effect) -> bool {
    effect.add.is_positive() || effect.sources.iter().any(|s| *s != effect.place)
}
