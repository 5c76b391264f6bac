//! The texts that the editor has open, and their changes.

use super::arrange::Form;
use super::lines::{Encoding, Lines};
use impasse::formats::Limits;
use impasse::formats::index::{Index, words};
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

/// A text that the editor has open.
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) text: Arc<str>,
    pub(super) lines: Lines,
    /// True for a `.rwb` text. Other texts are kept, and nothing is said about them.
    pub(super) is_program: bool,
    /// The format, if texts of it can be arranged.
    pub(super) form: Option<Form>,
    /// True after a change that does not fit the text. The text is then unknown until the editor sends it as a whole.
    pub(super) is_lost: bool,
    encoding: Encoding,
    index: OnceCell<Option<Index>>,
}

impl Document {
    pub(super) fn new(uri: Uri, language: &str, version: i32, text: String, encoding: Encoding) -> Self {
        let path = uri.path().as_str().to_ascii_lowercase();
        let is_program = language == "rwb" || path.ends_with(".rwb");
        let form = match () {
            () if is_program => Some(Form::Program),
            () if path.ends_with(".spec") => Some(Form::Spec),
            () => None,
        };
        let lines = Lines::new(&text, encoding);
        let (text, index) = (text.into(), OnceCell::new());
        Self { uri, version, text, lines, is_program, form, is_lost: false, encoding, index }
    }

    /// Returns the index of the names. `None` if nothing of the text can be parsed, or if it is no program.
    pub(super) fn index(&self) -> Option<&Index> {
        let made = self.index.get_or_init(|| {
            let limits = Limits::within(crate::cli::memory::limit());
            if self.is_program { Index::of(&self.text, &limits) } else { None }
        });
        made.as_ref()
    }

    /// Returns the place of the first word.
    pub(super) fn first_word(&self) -> Range<usize> {
        words(&self.text).next().unwrap_or_default()
    }

    /// Applies changes in their order.
    ///
    /// # Errors
    /// A change outside of the text. The text is then lost.
    pub(super) fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) -> Result<(), String> {
        self.version = version;
        let mut text = String::from(&*self.text);
        for change in changes {
            let Some(region) = change.range else {
                self.is_lost = false;
                text = change.text;
                self.lines = Lines::new(&text, self.encoding);
                continue;
            };
            let (start, end) = (self.lines.offset(&text, region.start), self.lines.offset(&text, region.end));
            match start.zip(end).filter(|(start, end)| start <= end && !self.is_lost) {
                Some((start, end)) => text.replace_range(start..end, &change.text),
                None => self.is_lost = true,
            }
            self.lines = Lines::new(&text, self.encoding);
        }
        self.text = text.into();
        self.index = OnceCell::new();
        if self.is_lost {
            let name = self.uri.as_str();
            return Err(format!("{name} was changed outside of its text; it is ignored until the whole text is sent"));
        }
        Ok(())
    }
}
