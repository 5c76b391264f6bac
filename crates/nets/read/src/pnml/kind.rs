//! The type of a net, as the file states it.

use super::nodes::Res;
use super::read::Reader;
use crate::xml::Tag;
use formats::codes;
use formats::error::printable;

impl<'a> Reader<'a> {
    /// Checks the type of the open net. A type with colours is an error until the file is read as a coloured net.
    pub(super) fn check_type(&mut self, tag: &Tag<'a>, kind: Option<&str>) -> Res<()> {
        let Some(kind) = kind.filter(|kind| !kind.is_empty()) else {
            let warning = self.error(&codes::PNML_NO_TYPE, tag, "the net has no type").warning();
            let warning = warning.label("read as a place/transition net");
            self.warn(*warning.hint(format!("expected type=\"{PLACE_TRANSITION}\"")));
            return Ok(());
        };
        if is_place_transition(kind) {
            return Ok(());
        }
        if is_coloured(kind) {
            if let Some(colours) = &mut self.colours {
                colours.by_type = true;
                return Ok(());
            }
            self.has_colours = true;
            let error = self.error(&codes::PNML_COLOUR, tag, "the net has tokens with colours");
            return Err(error.label("of this type"));
        }
        let message = format!("the net is not a place/transition or symmetric net but of type `{}`", printable(kind));
        let error = self.error(&codes::PNML_TYPE, tag, message).label("of this type");
        Err(error.hint(format!("expected {PLACE_TRANSITION} or {SYMMETRIC}")))
    }
}

/// The type of place/transition nets in the standard.
pub(super) const PLACE_TRANSITION: &str = "http://www.pnml.org/version-2009/grammar/ptnet";

/// The type of symmetric nets in the standard.
const SYMMETRIC: &str = "http://www.pnml.org/version-2009/grammar/symmetricnet";

/// True if `kind` is a type of nets with colours: symmetric nets, and place/transition nets in their notation.
fn is_coloured(kind: &str) -> bool {
    matches!(kind.trim().rsplit('/').next(), Some("symmetricnet" | "pt-hlpng"))
}

/// True if `kind` is a type of place/transition nets: the current type, or a type that older tools write. The
/// type of the PNML core model, which pm4py writes, is accepted, too. Tina's time nets are accepted, because
/// delays with an effect are refused elsewhere.
fn is_place_transition(kind: &str) -> bool {
    let last = kind.trim().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let known =
        ["ptnet", "ptnetb", "pnmlcoremodel", "basicpnml", "tpn", "inhibitorptnet", "resetptnet", "resetinhibitorptnet"];
    let last = last.strip_suffix(".pntd").or_else(|| last.strip_suffix(".rng")).unwrap_or(&last);
    known.contains(&last) || kind.trim().eq_ignore_ascii_case("P/T net")
}
