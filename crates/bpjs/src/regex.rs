//! Regular expressions, as far as all engines of JavaScript agree: characters of ASCII, classes, groups, alternatives,
//! quantifiers, `^`, `$` and `\b`. What groups match is not kept.
//!
//! 1. A pattern becomes instructions. The search is depth first, in the order of preference of the standard.
//! 2. What follows a pair of an instruction and a place of the text depends on this pair only, as nothing else is kept,
//!    and as no repeated part matches the empty text. So a pair that failed fails again, and each is visited once.

/// The flags of a regular expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Flags {
    pub(super) is_global: bool,
    pub(super) ignores_case: bool,
    pub(super) is_multiline: bool,
}

/// A set of characters of ASCII, as bits.
type Set = u128;

#[derive(Debug)]
enum Node {
    Set(Set),
    Start,
    End,
    /// `\b`, or `\B`.
    Border(bool),
    All(Vec<Node>),
    Any(Vec<Node>),
    /// The part, its smallest and largest numbers, and whether few are better.
    Repeat(Box<Node>, usize, Option<usize>, bool),
}

enum Op {
    Set(Set),
    Start,
    End,
    Border(bool),
    /// Goes to the first place, and to the second one if this fails.
    Split(usize, usize),
    Jump(usize),
}

/// The largest number of instructions, and of groups inside of each other.
const MOST_OPS: usize = 1 << 10;
const DEPTH: usize = 20;

const DIGITS: Set = ((1 << 10) - 1) << b'0';
const LETTERS: Set = ((1 << 26) - 1) << b'a';
const WORD: Set = DIGITS | LETTERS | LETTERS >> 32 | 1 << b'_';
const SPACE: Set = 1 << b' ' | 1 << b'\t' | 1 << b'\n' | 1 << b'\r' | 1 << 0x0B | 1 << 0x0C;
const LINES: Set = 1 << b'\n' | 1 << b'\r';

pub(super) struct Regex {
    ops: Vec<Op>,
    is_multiline: bool,
    /// True if `split` is read: no match is empty, and no group is kept.
    pub(super) may_split: bool,
}

impl Regex {
    /// Reads a pattern. The error says what is not read.
    pub(super) fn new(pattern: &str, flags: Flags) -> Result<Self, &'static str> {
        let mut parser =
            Parser { text: pattern.as_bytes(), at: 0, ignores_case: flags.ignores_case, has_groups: false };
        let node = parser.alternatives(0)?;
        if parser.at < parser.text.len() {
            return Err("a `)` without `(`");
        }
        let may_split = !parser.has_groups && !node.may_be_empty();
        let mut regex = Self { ops: Vec::new(), is_multiline: flags.is_multiline, may_split };
        regex.emit(&node)?;
        Ok(regex)
    }

    fn emit(&mut self, node: &Node) -> Result<(), &'static str> {
        if self.ops.len() > MOST_OPS {
            return Err("such a large pattern");
        }
        match node {
            Node::Set(set) => self.ops.push(Op::Set(*set)),
            Node::Start => self.ops.push(Op::Start),
            Node::End => self.ops.push(Op::End),
            Node::Border(is_border) => self.ops.push(Op::Border(*is_border)),
            Node::All(parts) => parts.iter().try_for_each(|part| self.emit(part))?,
            Node::Any(parts) => self.emit_any(parts)?,
            Node::Repeat(part, least, most, is_lazy) => {
                (0..*least).try_for_each(|_| self.emit(part))?;
                match most {
                    Some(most) => {
                        let splits =
                            (*least..*most).map(|_| self.emit_split(part, false)).collect::<Result<Vec<_>, _>>()?;
                        self.land(&splits, *is_lazy);
                    }
                    None => {
                        let split = self.emit_split(part, true)?;
                        self.land(&[split], *is_lazy);
                    }
                }
            }
        }
        Ok(())
    }

    fn emit_any(&mut self, parts: &[Node]) -> Result<(), &'static str> {
        let mut ends = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            if i + 1 == parts.len() {
                self.emit(part)?;
                continue;
            }
            let split = self.ops.len();
            self.ops.push(Op::Split(split + 1, 0));
            self.emit(part)?;
            ends.push(self.ops.len());
            self.ops.push(Op::Jump(0));
            self.ops[split] = Op::Split(split + 1, self.ops.len());
        }
        let here = self.ops.len();
        ends.into_iter().for_each(|end| self.ops[end] = Op::Jump(here));
        Ok(())
    }

    /// Emits a part that may be left out, and that leads back to itself if it may be repeated.
    fn emit_split(&mut self, part: &Node, is_loop: bool) -> Result<usize, &'static str> {
        let split = self.ops.len();
        self.ops.push(Op::Split(split + 1, 0));
        self.emit(part)?;
        if is_loop {
            self.ops.push(Op::Jump(split));
        }
        Ok(split)
    }

    /// Lets the splits leave out what follows them up to here.
    fn land(&mut self, splits: &[usize], is_lazy: bool) {
        let here = self.ops.len();
        for &split in splits {
            self.ops[split] = if is_lazy { Op::Split(here, split + 1) } else { Op::Split(split + 1, here) };
        }
    }

    /// The number of pairs of an instruction and a place that a search may visit.
    pub(super) fn work(&self, text: &str) -> usize {
        (self.ops.len() + 1).saturating_mul(text.len() + 1)
    }

    /// Returns the first match from a place on.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut seen = vec![0_u64; (self.ops.len() * (text.len() + 1)).div_ceil(64)];
        (from..=text.len()).find_map(|start| Some((start, self.end(text, start, &mut seen)?)))
    }

    /// Returns the end of the match that begins at a place.
    fn end(&self, text: &[u8], start: usize, seen: &mut [u64]) -> Option<usize> {
        let mut open = vec![(0, start)];
        while let Some((pc, at)) = open.pop() {
            let Some(op) = self.ops.get(pc) else { return Some(at) };
            let pair = pc * (text.len() + 1) + at;
            if seen[pair / 64] >> (pair % 64) & 1 == 1 {
                continue;
            }
            seen[pair / 64] |= 1 << (pair % 64);
            let (before, after) = (at.checked_sub(1).map(|at| text[at]), text.get(at).copied());
            let is_edge = |next: Option<u8>| next.is_none_or(|c| self.is_multiline && has(LINES, c));
            let is_word = |next: Option<u8>| next.is_some_and(|c| has(WORD, c));
            match op {
                Op::Set(set) if after.is_some_and(|c| has(*set, c)) => open.push((pc + 1, at + 1)),
                Op::Start if is_edge(before) => open.push((pc + 1, at)),
                Op::End if is_edge(after) => open.push((pc + 1, at)),
                Op::Border(wanted) if (is_word(before) != is_word(after)) == *wanted => open.push((pc + 1, at)),
                Op::Split(first, second) => open.extend([(*second, at), (*first, at)]),
                Op::Jump(to) => open.push((*to, at)),
                _ => {}
            }
        }
        None
    }
}

/// Returns the length of a regular expression up to its second `/`. The first one is before this line.
pub(super) fn length(line: &[u8]) -> Option<usize> {
    let (mut at, mut is_class) = (0, false);
    loop {
        match line.get(at)? {
            b'/' if !is_class => return Some(at + 1),
            b'\\' => at += 1,
            b'[' => is_class = true,
            b']' => is_class = false,
            _ => {}
        }
        at += 1;
    }
}

fn has(set: Set, c: u8) -> bool {
    c < 128 && set >> c & 1 == 1
}

impl Node {
    fn may_be_empty(&self) -> bool {
        match self {
            Self::Set(_) => false,
            Self::Start | Self::End | Self::Border(_) => true,
            Self::All(parts) => parts.iter().all(Self::may_be_empty),
            Self::Any(parts) => parts.iter().any(Self::may_be_empty),
            Self::Repeat(part, least, ..) => *least == 0 || part.may_be_empty(),
        }
    }
}

struct Parser<'p> {
    text: &'p [u8],
    at: usize,
    ignores_case: bool,
    has_groups: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.text[self.at..].starts_with(text.as_bytes());
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    fn alternatives(&mut self, depth: usize) -> Result<Node, &'static str> {
        if depth > DEPTH {
            return Err("groups nested this deep");
        }
        let mut all = Vec::new();
        loop {
            let mut parts = Vec::new();
            while !matches!(self.peek(), None | Some(b'|' | b')')) {
                let part = self.part(depth)?;
                parts.push(self.repeated(part)?);
            }
            all.push(Node::All(parts));
            if !self.eat("|") {
                return Ok(Node::Any(all));
            }
        }
    }

    fn part(&mut self, depth: usize) -> Result<Node, &'static str> {
        let Some(c) = self.peek() else { return Err("this end") };
        self.at += 1;
        Ok(match c {
            b'^' => Node::Start,
            b'$' => Node::End,
            b'.' => Node::Set(!LINES),
            b'[' => self.class()?,
            b'(' => {
                if !self.eat("?:") {
                    self.has_groups = true;
                }
                if self.peek() == Some(b'?') {
                    return Err("`(?`");
                }
                let inner = self.alternatives(depth + 1)?;
                if !self.eat(")") {
                    return Err("a `(` without `)`");
                }
                inner
            }
            b'\\' if self.eat("b") => Node::Border(true),
            b'\\' if self.eat("B") => Node::Border(false),
            b'\\' => {
                let set = self.escape()?;
                Node::Set(self.cased(set))
            }
            b'*' | b'+' | b'?' | b'{' | b'}' | b']' => return Err("a quantifier or bracket at this place"),
            128.. => return Err("a character outside of ASCII"),
            c => Node::Set(self.cased(1 << c)),
        })
    }
    /// Reads a quantifier behind a part.
    fn repeated(&mut self, part: Node) -> Result<Node, &'static str> {
        let (least, most) = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => self.bounds()?,
            _ => return Ok(part),
        };
        self.at += 1;
        let is_lazy = self.eat("?");
        if part.may_be_empty() {
            return Err("a quantifier behind what may be empty");
        }
        Ok(Node::Repeat(Box::new(part), least, most, is_lazy))
    }

    /// Reads `{2`, `{2,` or `{2,3`.
    fn bounds(&mut self) -> Result<(usize, Option<usize>), &'static str> {
        self.at += 1;
        let least = self.number()?;
        let most = match self.peek() {
            Some(b',') => {
                self.at += 1;
                if self.peek() == Some(b'}') { None } else { Some(self.number()?) }
            }
            _ => Some(least),
        };
        let is_ordered = most.is_none_or(|most| most >= least);
        if self.peek() == Some(b'}') && is_ordered { Ok((least, most)) } else { Err("this quantifier") }
    }

    fn number(&mut self) -> Result<usize, &'static str> {
        let digits = self.text[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let text = std::str::from_utf8(&self.text[self.at..self.at + digits]).unwrap_or_default();
        self.at += digits;
        text.parse().ok().filter(|number| *number <= MOST_OPS).ok_or("this quantifier")
    }

    /// Reads an escape behind its `\\`. A set of one character stands for this character.
    fn escape(&mut self) -> Result<Set, &'static str> {
        let c = self.peek().ok_or("this end")?;
        self.at += 1;
        Ok(match c {
            b'd' => DIGITS,
            b'D' => !DIGITS,
            b'w' => WORD,
            b'W' => !WORD,
            b's' => SPACE,
            b'S' => !SPACE,
            b't' => 1 << b'\t',
            b'n' => 1 << b'\n',
            b'r' => 1 << b'\r',
            b'f' => 1 << 0x0C,
            b'v' => 1 << 0x0B,
            c if c.is_ascii_punctuation() && c != b'_' => 1 << c,
            _ => return Err("this escape"),
        })
    }

    /// Reads a class behind its `[`.
    fn class(&mut self) -> Result<Node, &'static str> {
        let is_negated = self.eat("^");
        let mut set: Set = 0;
        while !self.eat("]") {
            let first = self.member()?;
            let is_range = self.peek() == Some(b'-') && self.text.get(self.at + 1) != Some(&b']');
            if !is_range {
                set |= first;
                continue;
            }
            self.at += 1;
            let last = self.member()?;
            if first.count_ones() != 1 || last.count_ones() != 1 || first > last {
                return Err("this range");
            }
            set |= last | (last - first);
        }
        // An empty class is written by mistake more often than on purpose.
        if set == 0 {
            return Err("an empty class");
        }
        let set = self.cased(set);
        Ok(Node::Set(if is_negated { !set } else { set }))
    }

    fn member(&mut self) -> Result<Set, &'static str> {
        let c = self.peek().ok_or("a `[` without `]`")?;
        self.at += 1;
        match c {
            b'\\' => self.escape(),
            128.. => Err("a character outside of ASCII"),
            c => Ok(1 << c),
        }
    }

    /// Adds the letters that differ by their case only.
    fn cased(&self, set: Set) -> Set {
        let upper = LETTERS >> 32;
        if self.ignores_case { set | (set & upper) << 32 | (set & LETTERS) >> 32 } else { set }
    }
}
