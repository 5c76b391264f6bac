//! A JSON document that is parsed level by level, and in which each value has its place.
//!
//! serde_json checks the whole text once without recursion, and returns the raw text of values. The position of
//! this raw text in the source is the place of the value. Parsing a level costs one pass over its text, and
//! lists are cut off at a limit, so that memory stays in proportion to what is stored.

use crate::codes::{self, Code};
use crate::error::{Error, Text, printable};
use crate::source::Limits;
use crate::{input, suggest};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// The result of a reader, or the first error.
pub type Res<T> = Result<T, Box<Error>>;

/// A JSON source.
#[derive(Clone, Copy)]
pub struct Document<'a> {
    /// The text.
    pub text: Text<'a>,
    /// The limits on the contents of the document.
    pub limits: &'a Limits,
}

/// A value, as its raw text.
pub type Value<'a> = &'a RawValue;

/// An object: its entries in order, with distinct keys.
pub struct Object<'a> {
    /// For each entry: the raw key, the text of the key, and the value.
    pub entries: Vec<(Value<'a>, Cow<'a, str>, Value<'a>)>,
    place: Value<'a>,
}

impl<'a> Object<'a> {
    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.entries.iter().find(|(_, k, _)| k == key).map(|(_, _, v)| *v)
    }
}

/// Collects the elements of an array, or alternately the keys and values of an object, up to one more than
/// `most`.
struct Elements {
    most: usize,
}

impl<'de> DeserializeSeed<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element()? {
            if list.len() > self.most {
                continue;
            }
            list.push(value);
        }
        Ok(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some((key, value)) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
            if list.len() / 2 > self.most {
                continue;
            }
            list.extend([key, value]);
        }
        Ok(list)
    }
}

impl<'a> Document<'a> {
    /// Opens a source, and returns the document with its value.
    pub fn open(source: &'a crate::Source, limits: &'a Limits) -> Res<(Self, Value<'a>)> {
        let text = Text { name: &source.name, text: input::utf8(source)? };
        let document = Self { text, limits };
        if text.text.trim_ascii().is_empty() {
            return Err(text.error(&codes::INPUT_EMPTY, 0..0, "the file is empty").label("expected a JSON object"));
        }
        let root = serde_json::from_str(text.text).map_err(|e| document.syntax(&e, 0))?;
        Ok((document, root))
    }

    /// Converts an error of serde_json in the text that begins at `start`.
    pub fn syntax(&self, error: &serde_json::Error, start: usize) -> Box<Error> {
        self.located(&codes::JSON_SYNTAX, error, start)
    }

    /// Converts an error of serde_json like [`Document::syntax`], but with the code `code`.
    pub fn located(&self, code: &'static Code, error: &serde_json::Error, start: usize) -> Box<Error> {
        let text = &self.text.text[start..];
        let before = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
        let at = (start + before + error.column().saturating_sub(1)).min(self.text.text.len());
        // The place is removed from the message, because the error shows it separately.
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(m, _)| m);
        let error = self.text.error(code, at..at + 1, cut(message)).label("here");
        // The place may be inside of a character.
        let bytes = self.text.text.as_bytes();
        let is_closed = matches!(bytes.get(at), Some(b']' | b'}'));
        match is_closed && bytes[..at].trim_ascii_end().ends_with(b",") {
            true => error.hint("the last member has no comma behind it"),
            false => error,
        }
    }

    /// Returns the place of a value of this document in the text, in bytes.
    #[must_use]
    pub fn span(&self, value: Value<'a>) -> Range<usize> {
        // A raw value borrows from the text, so the difference of the addresses is its position.
        let start = (value.get().as_ptr() as usize).saturating_sub(self.text.text.as_ptr() as usize);
        start..start + value.get().len()
    }

    /// Makes an error at a value.
    #[must_use]
    pub fn error(&self, code: &'static Code, value: Value<'a>, message: impl Into<String>) -> Box<Error> {
        self.text.error(code, self.span(value), message)
    }

    /// Makes an error at the first byte of a value.
    #[must_use]
    pub fn error_at_start(&self, code: &'static Code, value: Value<'a>, message: impl Into<String>) -> Box<Error> {
        let start = self.span(value).start;
        self.text.error(code, start..start + 1, message)
    }

    fn wrong_type(&self, value: Value<'a>, expected: &str) -> Box<Error> {
        let found = match value.get().as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a truth value",
            Some(b'n') => "null",
            _ => "a number",
        };
        self.error(&codes::JSON_TYPE, value, format!("expected {expected}, found {found}")).label("of the wrong type")
    }

    fn elements(&self, value: Value<'a>, most: usize) -> Res<Vec<Value<'a>>> {
        let mut deserializer = serde_json::Deserializer::from_str(value.get());
        Elements { most }.deserialize(&mut deserializer).map_err(|e| self.syntax(&e, self.span(value).start))
    }

    /// Returns the elements of an array. Errors say that `what` was expected.
    ///
    /// # Errors
    /// A value of another type, or a list that is too long.
    pub fn array(&self, value: Value<'a>, what: &str) -> Res<Vec<Value<'a>>> {
        if !value.get().starts_with('[') {
            return Err(self.wrong_type(value, what));
        }
        let list = self.elements(value, self.limits.moves)?;
        if list.len() > self.limits.moves { Err(self.too_long(value)) } else { Ok(list) }
    }

    fn too_long(&self, value: Value<'a>) -> Box<Error> {
        let message = format!("a list of more than {} elements", self.limits.moves);
        self.error(&codes::LIMIT_TOKENS, value, message).label("too long")
    }

    /// Returns the entries of an object. Its keys must be distinct.
    ///
    /// # Errors
    /// A value of another type, a key that stands twice, or a list that is too long.
    pub fn object(&self, value: Value<'a>, what: &str) -> Res<Object<'a>> {
        if !value.get().starts_with('{') {
            return Err(self.wrong_type(value, what));
        }
        let list = self.elements(value, self.limits.moves)?;
        if list.len() / 2 > self.limits.moves {
            return Err(self.too_long(value));
        }
        let mut entries = Vec::with_capacity(list.len() / 2);
        for pair in list.chunks_exact(2) {
            entries.push((pair[0], self.string(pair[0], "a key")?, pair[1]));
        }
        let mut seen = HashSet::new();
        if let Some((place, key, _)) = entries.iter().find(|(_, key, _)| !seen.insert(key.as_ref())) {
            let message = format!("the key `{}` stands twice in one object", printable(key));
            return Err(self.error(&codes::JSON_DUPLICATE_KEY, place, message).label("again here"));
        }
        Ok(Object { entries, place: value })
    }

    /// Returns the entries of an object that may only have the keys `keys`.
    ///
    /// # Errors
    /// The errors of [`Document::object`], and any other key.
    pub fn record(&self, value: Value<'a>, what: &str, keys: &[&str]) -> Res<Object<'a>> {
        let object = self.object(value, what)?;
        match object.entries.iter().find(|(_, key, _)| !keys.contains(&key.as_ref())) {
            None => Ok(object),
            Some((place, key, _)) => {
                let message = format!("{what} has no key `{}`", printable(key));
                let error = self.error(&codes::JSON_UNKNOWN_KEY, place, message).label("unknown key");
                Err(suggest::hinted(error, key, keys.iter().copied(), &format!("expected one of {}", keys.join(", "))))
            }
        }
    }

    /// Returns the value of a key that must be present.
    ///
    /// # Errors
    /// The key is missing.
    pub fn required(&self, object: &Object<'a>, key: &str) -> Res<Value<'a>> {
        object.get(key).ok_or_else(|| {
            let message = format!("the key `{key}` is missing");
            self.error_at_start(&codes::JSON_MISSING_KEY, object.place, message).label("in the object that begins here")
        })
    }

    /// Returns the contents of a string.
    ///
    /// # Errors
    /// A value of another type.
    pub fn string(&self, value: Value<'a>, what: &str) -> Res<Cow<'a, str>> {
        let raw = value.get();
        if !raw.starts_with('"') {
            return Err(self.wrong_type(value, what));
        }
        let plain = raw.get(1..raw.len().saturating_sub(1)).filter(|inner| !inner.contains('\\'));
        match plain {
            Some(inner) => Ok(Cow::Borrowed(inner)),
            None => serde_json::from_str(raw).map(Cow::Owned).map_err(|e| self.syntax(&e, self.span(value).start)),
        }
    }

    /// Returns a truth value.
    ///
    /// # Errors
    /// A value of another type.
    pub fn boolean(&self, value: Value<'a>, what: &str) -> Res<bool> {
        match value.get() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.wrong_type(value, what)),
        }
    }
}

/// Cuts a message of serde_json, which may quote a whole string of the input.
fn cut(message: &str) -> String {
    let kept: String = message.chars().take(200).map(|c| if c.is_control() { '?' } else { c }).collect();
    if kept.len() < message.len() { kept + "..." } else { kept }
}

/// Returns a string with JSON's quotes and escapes.
pub fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
