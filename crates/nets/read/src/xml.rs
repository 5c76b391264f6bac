//! Pull parser for XML that returns pieces with their places.
//!
//! It is based on quick-xml, which is maintained, does not recurse, and borrows from the text. This module adds
//! what quick-xml leaves to its users. Document type definitions are refused, so that the only entities are the
//! five predefined ones and characters given by number. There must be one root element. Depth and the number of
//! attributes are limited, and errors have places. Namespaces are ignored: elements are identified by their
//! local names.

use formats::error::{Error, Span, Text, printable};
use formats::source::{Limits, Source};
use formats::{codes, input};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, Event};
use quick_xml::reader::Reader;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

type Res<T> = Result<T, Box<Error>>;

/// The largest number of attributes of one element. The check for repeated attributes would be expensive for
/// more of them.
const ATTRIBUTES: usize = 50;

/// The attributes of an element: names with values.
pub(crate) type Attributes<'a> = SmallVec<[(&'a str, Cow<'a, str>); 8]>;

/// A reader for an XML text.
pub(crate) struct Xml<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) limits: &'a Limits,
    reader: Reader<&'a [u8]>,
    /// The position in the text where the parser's positions begin.
    base: usize,
    /// The number of open elements.
    depth: usize,
    /// True if the root element has begun.
    begun: bool,
    /// True if the last piece opened an empty element. Its end is the next piece.
    ending: bool,
}

/// A piece of XML.
pub(crate) enum Piece<'a> {
    /// An element begins.
    Open(Tag<'a>),
    /// The innermost element ends.
    Close,
    /// Text that is not blank.
    Text(Cow<'a, str>, Range<usize>),
    /// The end of the file.
    End,
}

/// The beginning of an element.
#[derive(Clone)]
pub(crate) struct Tag<'a> {
    /// The name without namespace.
    pub(crate) name: &'a str,
    pub(crate) span: Range<usize>,
    /// The text between `<` and `>`.
    content: &'a str,
    /// The position in `content` where the attributes begin.
    attributes: usize,
}

/// The number of bytes in which the XML declaration is searched.
const DECLARATION: usize = 200;

/// Returns the source in UTF-8. A source with an XML declaration that says Latin-1 is converted. ProM and PIPE
/// write such sources.
pub(crate) fn in_utf8(source: &Source) -> Cow<'_, Source> {
    let start = String::from_utf8_lossy(&source.bytes[..source.bytes.len().min(DECLARATION)]).to_ascii_lowercase();
    let declaration = start.strip_prefix("<?xml").and_then(|rest| rest.split("?>").next()).unwrap_or_default();
    let latin = ["\"iso-8859-1\"", "'iso-8859-1'"].iter().any(|name| declaration.contains(name));
    if !latin || source.bytes.is_ascii() {
        return Cow::Borrowed(source);
    }
    let text: String = source.bytes.iter().map(|byte| char::from(*byte)).collect();
    Cow::Owned(Source { name: source.name.clone(), bytes: text.into_bytes() })
}

impl<'a> Xml<'a> {
    pub(crate) fn new(source: &'a Source, limits: &'a Limits) -> Res<Self> {
        let text = Text { name: &source.name, text: input::utf8(source)? };
        if text.text.trim_ascii().is_empty() {
            return Err(text.error(&codes::INPUT_EMPTY, 0..0, "the file is empty").label("expected XML"));
        }
        // The parser's positions do not count a byte order mark.
        let base = if text.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut reader = Reader::from_str(&text.text[base..]);
        reader.config_mut().check_comments = false;
        Ok(Self { text, limits, reader, base, depth: 0, begun: false, ending: false })
    }

    /// Returns the next piece. Comments and processing instructions are skipped.
    pub(crate) fn next(&mut self) -> Res<Piece<'a>> {
        if std::mem::take(&mut self.ending) {
            self.depth -= 1;
            return Ok(Piece::Close);
        }
        loop {
            let start = self.position();
            let event = self.reader.read_event().map_err(|e| self.broken(&e.to_string()))?;
            let span = start..self.position();
            match event {
                Event::Start(_) => return self.open(span, false),
                Event::Empty(_) => return self.open(span, true),
                Event::End(_) => {
                    self.depth -= 1;
                    return Ok(Piece::Close);
                }
                Event::Text(text) if text.trim_ascii().is_empty() => {}
                Event::Text(text) => return self.inside(text.into_inner(), span),
                Event::CData(text) => return self.inside(text.into_inner(), span),
                Event::GeneralRef(reference) => {
                    let character = self.resolve(&reference, &span)?;
                    return self.inside(Cow::Owned(character.to_string()), span);
                }
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
                Event::DocType(_) => {
                    let message = "the file has a document type definition";
                    let error = self.text.error(&codes::XML_DOCTYPE, span, message).label("refused");
                    return Err(error.hint("remove the `<!DOCTYPE ...>`; models do not need it"));
                }
                Event::Eof if self.depth > 0 || !self.begun => {
                    let end = self.text.text.len();
                    let error = self.text.error(&codes::XML_SYNTAX, end..end, "the file ends too early");
                    return Err(error.label(format!("{} elements are still open", self.depth)));
                }
                Event::Eof => return Ok(Piece::End),
            }
        }
    }

    fn position(&self) -> usize {
        self.absolute(self.reader.buffer_position())
    }

    fn absolute(&self, position: u64) -> usize {
        usize::try_from(position).unwrap_or(usize::MAX).saturating_add(self.base).min(self.text.text.len())
    }

    fn open(&mut self, span: Range<usize>, empty: bool) -> Res<Piece<'a>> {
        if self.depth == 0 && self.begun {
            let error = self.text.error(&codes::XML_SYNTAX, span, "a second element at the outermost level");
            return Err(error.label("expected the end of the file"));
        }
        if self.depth >= self.limits.nesting {
            let message = format!("elements nest deeper than {} levels", self.limits.nesting);
            return Err(self.text.error(&codes::LIMIT_NESTING, span, message).label("the limit is reached here"));
        }
        self.begun = true;
        self.depth += 1;
        self.ending = empty;
        let end = span.end - if empty { 2 } else { 1 };
        let content = self.text.text.get(span.start + 1..end).unwrap_or_default();
        let attributes = content.find(|c: char| c.is_ascii_whitespace()).unwrap_or(content.len());
        let qualified = &content[..attributes];
        let name = qualified.rsplit_once(':').map_or(qualified, |(_, local)| local);
        Ok(Piece::Open(Tag { name, span, content, attributes }))
    }

    fn inside(&self, text: Cow<'a, str>, span: Range<usize>) -> Res<Piece<'a>> {
        if self.depth == 0 {
            let error = self.text.error(&codes::XML_SYNTAX, span, "text outside of all elements");
            return Err(error.label(if self.begun { "expected the end of the file" } else { "expected `<`" }));
        }
        Ok(Piece::Text(text, span))
    }

    fn resolve(&self, reference: &BytesRef<'_>, span: &Range<usize>) -> Res<char> {
        let character = match reference.resolve_char_ref() {
            Ok(Some(character)) => Some(character),
            Ok(None) => resolve_predefined_entity(reference).and_then(|text| text.chars().next()),
            Err(_) => None,
        };
        character.filter(|c| legal(*c)).ok_or_else(|| self.entity(span.clone()))
    }

    fn entity(&self, span: Range<usize>) -> Box<Error> {
        let error = self.text.error(&codes::XML_ENTITY, span, "a reference to an unknown entity or character");
        error.label("unknown").hint("expected one of &lt; &gt; &amp; &quot; &apos;, or a character by its number")
    }

    fn broken(&self, why: &str) -> Box<Error> {
        let at = self.absolute(self.reader.error_position());
        let why: String = why.chars().take(200).map(|c| if c.is_control() { '?' } else { c }).collect();
        self.text.error(&codes::XML_SYNTAX, at..at + 1, why).label("here")
    }

    /// Returns the next piece, which must be the beginning of an element.
    pub(crate) fn expect_open(&mut self, what: &str) -> Res<Tag<'a>> {
        let before = self.position();
        match self.next()? {
            Piece::Open(tag) => Ok(tag),
            Piece::Text(_, span) => Err(self.unexpected_text(span)),
            Piece::Close | Piece::End => {
                let span = before..self.position();
                let error = self.text.error(&codes::XML_CONTENT, span, format!("{what} is missing"));
                Err(error.label("expected before this"))
            }
        }
    }

    /// Returns the next child of the open element, or `None` at its end. Text is an error.
    pub(crate) fn child(&mut self) -> Res<Option<Tag<'a>>> {
        match self.next()? {
            Piece::Open(tag) => Ok(Some(tag)),
            Piece::Text(_, span) => Err(self.unexpected_text(span)),
            Piece::Close | Piece::End => Ok(None),
        }
    }

    pub(crate) fn unexpected_text(&self, span: Range<usize>) -> Box<Error> {
        self.text.error(&codes::XML_CONTENT, span, "text where only elements may stand").label("unexpected text")
    }

    /// Skips the rest of the element that was opened last.
    pub(crate) fn skip(&mut self) -> Res<()> {
        let outside = self.depth - 1;
        while self.depth > outside {
            self.next()?;
        }
        Ok(())
    }

    /// Returns the text of the element that was opened last, trimmed, and its place. Elements inside are an
    /// error.
    pub(crate) fn content(&mut self, tag: &Tag<'a>) -> Res<(Cow<'a, str>, Range<usize>)> {
        let (mut content, mut place): (Cow<'a, str>, Range<usize>) = (Cow::Borrowed(""), tag.span.clone());
        loop {
            match self.next()? {
                Piece::Text(text, span) => {
                    if content.is_empty() {
                        (content, place) = (text, span);
                    } else {
                        content.to_mut().push_str(&text);
                        place.end = span.end;
                    }
                }
                Piece::Open(child) => {
                    let message = format!("`{}` inside of `{}`", printable(child.name), printable(tag.name));
                    let error = self.text.error(&codes::XML_CONTENT, child.span, message);
                    return Err(error.label("expected text"));
                }
                Piece::Close | Piece::End => break,
            }
        }
        let content = match content {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        };
        Ok((content, place))
    }

    /// Returns all attributes, with their qualified names.
    pub(crate) fn attributes(&self, tag: &Tag<'a>) -> Res<Attributes<'a>> {
        let broken = |why: String| {
            let error = self.text.error(&codes::XML_SYNTAX, tag.span.clone(), format!("a broken attribute: {why}"));
            error.label("in this element")
        };
        let mut all = Attributes::new();
        for attribute in quick_xml::events::attributes::Attributes::new(tag.content, tag.attributes) {
            let attribute = attribute.map_err(|e| broken(printable(&e.to_string())))?;
            if all.len() >= ATTRIBUTES {
                return Err(broken(format!("more than {ATTRIBUTES} of them")));
            }
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.ok().filter(|v| v.chars().all(legal)).ok_or_else(|| self.entity(tag.span.clone()))?;
            all.push((attribute.key.into_inner(), value));
        }
        Ok(all)
    }

    /// Returns the value of an attribute.
    pub(crate) fn attribute(&self, tag: &Tag<'a>, name: &str) -> Res<Option<Cow<'a, str>>> {
        Ok(self.attributes(tag)?.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value))
    }

    /// Returns the number of open elements.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Skips everything up to the end of the element that is open at depth `depth + 1`, so that `depth` elements
    /// are open.
    pub(crate) fn skip_to(&mut self, depth: usize) -> Res<()> {
        while self.depth > depth {
            self.next()?;
        }
        Ok(())
    }

    pub(crate) fn required(&self, tag: &Tag<'a>, name: &str) -> Res<Cow<'a, str>> {
        match self.attribute(tag, name)? {
            Some(value) if !value.is_empty() => Ok(value),
            _ => {
                let message = format!("`{}` has no `{name}`", printable(tag.name));
                let error = self.text.error(&codes::XML_ATTRIBUTE, tag.span.clone(), message);
                Err(error.label(format!("expected {name}=\"...\"")))
            }
        }
    }
}

/// True for the characters that XML 1.0 allows.
pub(crate) fn legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Returns the value of an attribute.
pub(crate) fn attribute<'v>(attributes: &'v Attributes<'_>, name: &str) -> Option<&'v str> {
    attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| &**value)
}

pub(crate) fn span(tag: &Tag<'_>) -> Span {
    Span::new(tag.span.clone())
}
