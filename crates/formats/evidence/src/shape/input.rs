//! Reading of forms: a position in a JSON document.
//!
//! [`Document::open`] has checked the syntax of the whole document, so only types are checked here. Values are read one
//! after the other, without an intermediate tree. The elements of a list are counted against the limit on numbers while
//! they are read.

use super::{Scope, Shape};
use formats::codes::{self, Code};
use formats::json::{Document, Res, Value};
use formats::{Error, printable};
use std::borrow::Cow;

/// The largest depth of nested terms, which bounds the recursion over them.
const DEPTH: usize = 128;

/// A position in a document, and what is known about the certificate there.
pub(crate) struct Input<'c, 'a> {
    pub(crate) document: Document<'a>,
    pub(crate) scope: &'c Scope<'c>,
    /// True if keys and types have their own codes of errors.
    pub(crate) has_json_codes: bool,
    bytes: &'a [u8],
    at: usize,
    /// How many numbers the limit still allows.
    left: usize,
    depth: usize,
}

/// The position of a value that is read later.
#[derive(Clone, Copy)]
pub(crate) struct Later(usize);

impl Shape for Later {
    fn write_to(&self, _: &mut super::Output<'_>) -> std::io::Result<()> {
        Err(super::invalid("a value that is only read"))
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        from.peek();
        let later = Self(from.at);
        from.token();
        Ok(later)
    }
}

impl<'c, 'a> Input<'c, 'a> {
    pub(crate) fn new(document: Document<'a>, scope: &'c Scope<'c>, value: Value<'a>) -> Self {
        let (at, left) = (document.span(value).start, document.limits.evidence_numbers);
        Self { document, scope, has_json_codes: false, bytes: document.text.text.as_bytes(), at, left, depth: 0 }
    }

    /// Returns the same position in another scope.
    pub(crate) fn again<'s>(&self, scope: &'s Scope<'s>) -> Input<'s, 'a> {
        let Self { document, has_json_codes, bytes, at, left, depth, .. } = *self;
        Input { document, scope, has_json_codes, bytes, at, left, depth }
    }

    pub(crate) fn read<T: Shape>(&mut self) -> Res<T> {
        T::read_from(self)
    }

    /// Reads at an earlier position.
    pub(crate) fn at<T>(&mut self, Later(at): Later, read: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let here = std::mem::replace(&mut self.at, at);
        let value = read(self);
        self.at = here;
        value
    }

    /// Reads a value at an earlier position.
    pub(crate) fn read_at<T: Shape>(&mut self, place: Later) -> Res<T> {
        self.at(place, T::read_from)
    }

    /// Returns the first byte of what follows.
    pub(crate) fn peek(&mut self) -> u8 {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(byte) => return *byte,
                None => return 0,
            }
        }
    }

    /// Returns the position of what follows.
    pub(crate) fn here(&mut self) -> Later {
        self.peek();
        Later(self.at)
    }

    /// Returns the text of the next value, and goes behind it.
    fn token(&mut self) -> &'a str {
        self.peek();
        let (bytes, start, mut open) = (self.bytes, self.at, 0usize);
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => self.at += string_length(&bytes[self.at..]) - 1,
                b'[' | b'{' => open += 1,
                b']' | b'}' | b',' | b' ' | b'\t' | b'\n' | b'\r' if open == 0 => break,
                b']' | b'}' => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 && matches!(byte, b'"' | b']' | b'}') {
                break;
            }
        }
        &self.document.text.text[start..self.at]
    }

    /// Returns the next value, and goes behind it.
    pub(crate) fn value(&mut self) -> Res<Value<'a>> {
        let start = self.here().0;
        serde_json::from_str(self.token()).map_err(|e| self.document.syntax(&e, start))
    }

    /// Reads a whole number.
    pub(super) fn number<T: TryFrom<i128>>(&mut self, expected: &str) -> Res<T> {
        let start = self.here();
        let is_negative = self.bytes[self.at] == b'-';
        let (digits, mut number) = (self.at + usize::from(is_negative), Some(0u64));
        self.at = digits;
        while let Some(digit) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            number = number.and_then(|n| n.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        let is_whole = self.at > digits && !matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E'));
        let signed = |n: u64| if is_negative { -i128::from(n) } else { i128::from(n) };
        let number = number.filter(|_| is_whole).and_then(|n| T::try_from(signed(n)).ok());
        number.map_or_else(|| self.coded(false, |from| Err(from.unlike(start, expected))), Ok)
    }

    /// Reads a word.
    pub(super) fn word<T: std::str::FromStr>(&mut self, expected: &str) -> Res<T> {
        let start = self.here();
        self.token().parse().map_err(|_| self.unlike(start, expected))
    }

    /// Reads a string.
    pub(crate) fn string(&mut self, expected: &str) -> Res<Cow<'a, str>> {
        let start = self.here();
        let token = self.token();
        match token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            None => Err(self.unlike(start, expected)),
            Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
            Some(_) => serde_json::from_str(token).map(Cow::Owned).map_err(|e| self.document.syntax(&e, start.0)),
        }
    }

    /// Reads the name of a part of the system.
    pub(crate) fn name(&mut self, expected: &str) -> Res<Cow<'a, str>> {
        self.coded(true, |from| from.string(expected))
    }

    /// Reads with or without own codes of errors for keys and types.
    pub(crate) fn coded<T>(&mut self, has_json_codes: bool, read: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let before = std::mem::replace(&mut self.has_json_codes, has_json_codes);
        let value = read(self);
        self.has_json_codes = before;
        value
    }

    /// Opens an array or object. Errors say that `expected` was expected.
    fn open(&mut self, bracket: u8, expected: &str) -> Res<()> {
        if self.peek() != bracket {
            return Err(self.unlike(Later(self.at), expected));
        }
        self.at += 1;
        Ok(())
    }

    /// Goes to the next element of an array or object, or behind its end.
    fn goes_on(&mut self, end: u8) -> bool {
        let byte = self.peek();
        self.at += usize::from(byte == end || byte == b',');
        byte != end
    }

    /// Reads an array.
    pub(crate) fn list(&mut self, mut element: impl FnMut(&mut Self) -> Res<()>) -> Res<()> {
        self.open(b'[', "a list")?;
        while self.goes_on(b']') {
            element(self)?;
        }
        Ok(())
    }

    /// Reads an array of this length.
    pub(crate) fn array(&mut self, length: usize, mut element: impl FnMut(&mut Self) -> Res<()>) -> Res<()> {
        let (start, mut count) = (self.here(), 0);
        self.list(|from| {
            count += 1;
            if count <= length { element(from) } else { Later::read_from(from).map(|_| ()) }
        })?;
        match count == length {
            true => Ok(()),
            false => {
                Err(self.error(&codes::EVIDENCE_SHAPE, start, format!("expected {length} elements, found {count}")))
            }
        }
    }

    /// Reads an object. `entry` reads the value of a key, of which it gets the position and the text.
    pub(crate) fn entries(&mut self, mut entry: impl FnMut(&mut Self, Later, &str) -> Res<()>) -> Res<()> {
        self.open(b'{', "an object")?;
        while self.goes_on(b'}') {
            let (start, key) = (self.here(), self.string("a key")?);
            self.at += usize::from(self.peek() == b':');
            entry(self, start, &key)?;
        }
        Ok(())
    }

    /// Reads an object with these keys. `field` reads the value of a key.
    pub(crate) fn object(
        &mut self,
        keys: &[&'static str],
        mut field: impl FnMut(&mut Self, &'static str) -> Res<()>,
    ) -> Res<()> {
        let mut seen = Vec::with_capacity(keys.len());
        self.entries(|from, start, key| {
            let key = from.known(keys, start, key)?;
            if seen.contains(&key) {
                let message = format!("the key `{key}` stands twice in one object");
                return Err(from.error(from.code(&codes::JSON_DUPLICATE_KEY), start, message));
            }
            seen.push(key);
            field(from, key)
        })
    }

    /// Returns the value of a key of the object at `start`.
    pub(crate) fn found<T: Shape>(&self, start: Later, key: &str, value: Option<T>) -> Res<T> {
        value.or_else(T::left_out).ok_or_else(|| {
            let message = format!("the key `{key}` is missing");
            let code = self.code(&codes::JSON_MISSING_KEY);
            let error = self.document.text.error(code, start.0..start.0 + 1, message);
            error.label("in the object that begins here")
        })
    }

    /// Returns the one of these keys that stands at `start`.
    fn known(&self, keys: &[&'static str], start: Later, key: &str) -> Res<&'static str> {
        keys.iter().copied().find(|known| *known == key).ok_or_else(|| {
            let message = format!("unknown key `{}`, expected one of {}", printable(key), keys.join(", "));
            self.error(self.code(&codes::JSON_UNKNOWN_KEY), start, message)
        })
    }

    /// Reads one of these names: alone, or as the key of an object with one value, which `row` reads. Its second
    /// argument is true if there is a value.
    pub(crate) fn row<T>(
        &mut self,
        names: &[&'static str],
        row: impl FnOnce(&mut Self, &'static str, bool) -> Res<T>,
    ) -> Res<T> {
        let start = self.here();
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.wrong(start, "terms are nested too deep"));
        }
        let (mut row, mut value) = (Some(row), None);
        let mut read = |from: &mut Self, start, name: &str, has_value| {
            let name = from.known(names, start, name)?;
            let row = row.take().ok_or_else(|| from.wrong(start, "expected only one kind"))?;
            value = Some(row(from, name, has_value)?);
            Ok(())
        };
        match self.peek() {
            b'{' => self.entries(|from, start, name| read(from, start, name, true))?,
            _ => {
                let name = self.string("a kind: a string, or an object with one key")?;
                read(self, start, &name, false)?;
            }
        }
        self.depth -= 1;
        value.ok_or_else(|| self.wrong(start, "expected a kind"))
    }

    /// Counts numbers against the limit.
    pub(crate) fn take(&mut self, count: usize) -> Res<()> {
        let start = self.at.saturating_sub(1);
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            let error = self.document.text.error(&codes::LIMIT_EVIDENCE, start..self.at, "the evidence is too large");
            error.label("the limit is reached here")
        })?;
        Ok(())
    }

    /// Returns the code for an error of keys or types.
    fn code(&self, code: &'static Code) -> &'static Code {
        if self.has_json_codes { code } else { &codes::EVIDENCE_SHAPE }
    }

    /// Makes an error about what stands between `start` and here.
    pub(crate) fn error(&self, code: &'static Code, Later(start): Later, message: impl Into<String>) -> Box<Error> {
        self.document.text.error(code, start..self.at.max(start + 1), message).label("here")
    }

    /// Makes an error about the content of what stands between `start` and here.
    pub(crate) fn wrong(&self, start: Later, message: impl Into<String>) -> Box<Error> {
        self.error(&codes::EVIDENCE_SHAPE, start, message)
    }

    /// Makes an error about a value of another type.
    pub(super) fn unlike(&mut self, start: Later, expected: &str) -> Box<Error> {
        self.at = start.0;
        let found = match self.token() {
            object if object.starts_with('{') => "an object".to_owned(),
            array if array.starts_with('[') => "an array".to_owned(),
            string if string.starts_with('"') => "a string".to_owned(),
            word => printable(word),
        };
        self.error(self.code(&codes::JSON_TYPE), start, format!("expected {expected}, found {found}"))
    }
}

/// Returns the length of the string at the beginning of a text.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}
