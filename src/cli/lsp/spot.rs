//! A name in a text, which requests ask about, and the form of their answers.

use super::documents::Document;
use impasse::formats::index::{Index, Mention, Place};
use lsp_server::ErrorCode;
use lsp_types::{Location, Range as Region};

/// The answer to a request, or the code and the message of an error.
pub(super) type Reply<T> = Result<T, (ErrorCode, String)>;

/// A place that means a name.
pub(super) struct NamedPlace<'d> {
    pub(super) document: &'d Document,
    pub(super) index: &'d Index,
    pub(super) mention: &'d Mention,
    pub(super) has_markdown: bool,
}

impl NamedPlace<'_> {
    pub(super) fn region(&self, place: Place) -> Region {
        self.document.lines.region(&self.document.text, place.start..place.end)
    }

    pub(super) fn location(&self, place: Place) -> Location {
        Location::new(self.document.uri.clone(), self.region(place))
    }
}
