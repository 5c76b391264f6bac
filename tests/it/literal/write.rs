//! Random `.spec` and `.tts` text in all spellings of the grammars: blanks, comments in any encoding, order,
//! ranges, sums, transfers, broadcasts with choices, spawns.

use testkit::Random;

/// Names that resemble keywords or numbers.
const NAMES: [&str; 8] = ["x", "_1", "In", "initial", "rules_", "VARS", "a0", "true1"];

/// Text under construction.
struct Text<'r> {
    random: &'r mut Random,
    bytes: Vec<u8>,
}

impl Text<'_> {
    fn one<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.random.below(options.len())]
    }

    /// Writes a word, with a blank before it if it would otherwise join the previous word.
    fn word(&mut self, word: &str) {
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let glues = self.bytes.last().is_some_and(|b| is_word(*b)) && is_word(word.as_bytes()[0]);
        if glues || self.random.chance(40) {
            self.blank();
        }
        self.bytes.extend(word.bytes());
    }

    fn words(&mut self, words: &[&str]) {
        words.iter().for_each(|word| self.word(word));
    }

    fn blank(&mut self) {
        match self.random.below(12) {
            0 => self.bytes.extend(b"\r\n"),
            1 => self.bytes.extend(b"\t "),
            2 => self.bytes.extend(b"\n\n"),
            3 => self.comment(),
            _ => self.bytes.push(b' '),
        }
    }

    /// Writes a comment up to the end of its line.
    fn comment(&mut self) {
        let said = [&b"# -> ; target x >= 1"[..], b"#", b"# caf\xe9 \xff", "# é ☃".as_bytes(), b"## 1 2 -> 3 4 #"];
        self.bytes.extend(said[self.random.below(said.len())]);
        self.bytes.extend(if self.random.chance(20) { &b"\r\n"[..] } else { b"\n" });
    }

    fn number(&mut self, n: usize) {
        let zeros = self.one(&["", "", "", "0", "00"]);
        self.word(&format!("{zeros}{n}"));
    }

    /// Writes a condition. Returns the least count that it allows.
    fn atom(&mut self, name: &str, most: usize) -> usize {
        let least = self.random.below(most + 1);
        self.word(name);
        match self.random.below(5) {
            0 => self.word("="),
            1 => {
                let more = least + self.random.below(3);
                self.words(&["in", "["]);
                self.number(least);
                self.word(",");
                self.number(more);
                self.word("]");
                return least;
            }
            _ => self.word(">="),
        }
        self.number(least);
        least
    }

    fn conjunction(&mut self, names: &[&str], most: usize) {
        for (i, name) in names.iter().enumerate() {
            if i > 0 {
                self.word(",");
            }
            self.atom(name, most);
        }
    }

    /// Returns some of the names in random order.
    fn some<'a>(&mut self, names: &[&'a str], percent: usize) -> Vec<&'a str> {
        let mut some: Vec<&str> = names.iter().copied().filter(|_| self.random.chance(percent)).collect();
        (1..some.len()).for_each(|i| some.swap(i, self.random.below(i + 1)));
        some
    }

    fn rule(&mut self, names: &[&str]) {
        let guarded = self.some(names, 40);
        let mut least = Vec::new();
        let truths = self.random.below(2);
        for (i, name) in guarded.iter().enumerate() {
            if i > 0 {
                self.word(",");
            }
            let asked = self.atom(name, 2);
            least.push((*name, asked));
        }
        for i in 0..truths {
            if i + guarded.len() > 0 {
                self.word(",");
            }
            self.word("true");
        }
        self.word("->");
        let mut updates: Vec<Vec<u8>> = Vec::new();
        for name in self.some(names, 60) {
            let update = self.update(name, names, &least);
            if self.random.chance(8) {
                updates.push(update.clone());
            }
            updates.push(update);
        }
        for (i, update) in updates.into_iter().enumerate() {
            if i > 0 {
                self.word(",");
            }
            self.blank();
            self.bytes.extend(update);
        }
        self.word(";");
    }

    /// Returns an update with a value that is never negative if the guards hold, or one that itself states how
    /// many tokens it takes.
    fn update(&mut self, name: &str, names: &[&str], least: &[(&str, usize)]) -> Vec<u8> {
        let before = std::mem::take(&mut self.bytes);
        let least_of = |name: &str| least.iter().find(|(n, _)| *n == name).map(|(_, n)| *n);
        self.words(&[name, "'", "="]);
        match self.random.below(6) {
            0 => {
                let n = self.random.below(3);
                self.number(n);
            }
            1 if least_of(name).is_none() => {
                self.words(&[name, "-"]);
                let n = self.random.between(1, 2);
                self.number(n);
            }
            way => {
                let terms: Vec<&str> = match way {
                    2 => (0..self.random.between(1, 3)).map(|_| names[self.random.below(names.len())]).collect(),
                    _ => vec![name],
                };
                for (i, term) in terms.iter().enumerate() {
                    if i > 0 {
                        self.word("+");
                    }
                    self.word(term);
                }
                let spare: usize = terms.iter().filter_map(|t| least_of(t)).sum();
                match self.random.below(3) {
                    0 => {
                        let n = self.random.below(3);
                        self.word("+");
                        self.number(n);
                    }
                    1 if spare > 0 => {
                        let n = self.random.between(1, spare);
                        self.word("-");
                        self.number(n);
                    }
                    _ => {}
                }
            }
        }
        std::mem::replace(&mut self.bytes, before)
    }
}

/// Returns a `.spec` file.
pub(crate) fn spec(random: &mut Random) -> Vec<u8> {
    let mut text = Text { random, bytes: Vec::new() };
    if text.random.chance(30) {
        text.comment();
    }
    let mut names = text.some(&NAMES, 100);
    names.truncate(text.random.between(1, 4));
    text.word("vars");
    names.iter().for_each(|name| text.word(name));
    text.word("rules");
    for _ in 0..text.random.below(5) {
        text.rule(&names);
    }
    text.word("init");
    let named = if text.random.chance(80) { text.some(&names, 100) } else { text.some(&names, 70) };
    for (i, name) in named.iter().enumerate() {
        if i > 0 {
            text.word(",");
        }
        match text.random.chance(70) {
            true => {
                text.words(&[name, "="]);
                let n = text.random.below(3);
                text.number(n);
            }
            false => {
                text.atom(name, 2);
            }
        }
    }
    text.word("target");
    for _ in 0..text.random.between(1, 3) {
        let mut asked = text.some(&names, 60);
        if asked.is_empty() {
            asked.push(names[0]);
        }
        text.conjunction(&asked, 3);
    }
    if text.random.chance(15) {
        text.words(&["invariants", names[0], "="]);
        text.number(1);
    }
    text.blank();
    text.bytes
}

/// A thread-transition system, perhaps a `.prop` file, and perhaps an initial state.
pub(crate) struct Tts {
    pub(crate) text: Vec<u8>,
    pub(crate) prop: Option<Vec<u8>>,
    pub(crate) init: Option<String>,
}

impl Text<'_> {
    /// Writes the numbers and arrows of a line, and its end.
    fn line(&mut self, words: &[String]) {
        if self.random.chance(10) {
            self.bytes.extend(b"  ");
        }
        for (i, word) in words.iter().enumerate() {
            if i > 0 {
                let gap = self.one(&[" ", " ", " ", "  ", "\t"]);
                self.bytes.extend(gap.bytes());
            }
            self.bytes.extend(word.bytes());
        }
        self.end();
    }

    fn end(&mut self) {
        match self.random.below(10) {
            0 => self.comment(),
            1 => self.bytes.extend(b" \r\n"),
            2 => self.bytes.extend(b"\n \n\n"),
            _ => self.bytes.push(b'\n'),
        }
    }

    /// Returns a list of local states, possibly with repetitions, and sometimes with a nonexistent one.
    fn locals(&mut self, locals: usize, beyond: bool, count: usize) -> String {
        let more = usize::from(beyond && self.random.chance(5));
        let all: Vec<String> = (0..count).map(|_| self.random.below(locals + more).to_string()).collect();
        all.join(if beyond && self.random.chance(10) { " , " } else { "," })
    }

    fn target(&mut self, shared: usize, locals: usize) {
        let (bar, more) = (self.one(&["|", "|", "B"]), usize::from(self.random.chance(5)));
        let count = self.random.below(4);
        let (state, threads) = (self.random.below(shared + more), self.locals(locals, true, count));
        self.line(&[format!("{state}{bar}{threads}")]);
    }
}

/// Returns a `.tts` file with its other parts.
pub(crate) fn tts(random: &mut Random) -> Tts {
    let (shared, locals) = (random.between(1, 3), random.between(1, 4));
    let mut text = Text { random, bytes: Vec::new() };
    if text.random.chance(20) {
        text.comment();
    }
    let place = text.random.below(4);
    if place == 0 {
        text.target(shared, locals);
    }
    match text.random.chance(85) {
        true => text.line(&[shared.to_string(), locals.to_string()]),
        false => [shared, locals].iter().for_each(|size| text.line(&[size.to_string()])),
    }
    if place == 1 {
        text.target(shared, locals);
    }
    for _ in 0..text.random.below(6) {
        let mut words: Vec<usize> = Vec::new();
        (0..4).for_each(|i| words.push(text.random.below(if i % 2 == 0 { shared } else { locals })));
        let idle = words[0] == words[2] && words[1] == words[3];
        let arrow = text.one(&["->", "->", "->", "->", "+>", "~>"]);
        let [s, l, to_s, to_l] = [0, 1, 2, 3].map(|i| words[i].to_string());
        let mut line = vec![s, l, arrow.to_owned(), to_s, to_l];
        if arrow == "->" && !idle && text.random.chance(50) {
            for _ in 0..text.random.between(1, 4) {
                let [a, b] = [0, 0].map(|_: i32| text.random.below(locals).to_string());
                line.extend([a, "~>".to_owned(), b]);
            }
        }
        text.line(&line);
    }
    let bytes = std::mem::take(&mut text.bytes);
    let prop = (place > 1).then(|| {
        text.target(shared, locals);
        std::mem::take(&mut text.bytes)
    });
    let init = text.random.chance(60).then(|| {
        let (bar, slash) = (text.one(&["|", "B"]), text.one(&["/", "U"]));
        let (state, single, any) = (text.random.below(shared), text.random.below(4), text.random.below(3));
        match text.random.below(3) {
            0 => format!("{state}{bar}{}", text.locals(locals, false, single)),
            1 => format!("{state}{slash}{}", text.locals(locals, false, any)),
            _ => {
                let single = text.locals(locals, false, single);
                format!("{state}{bar}{single}{slash}{}", text.locals(locals, false, any))
            }
        }
    });
    Tts { text: bytes, prop, init }
}
