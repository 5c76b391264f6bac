//! A simulation line by line, for pipes and for random runs: each line of the input is a choice.

use super::commands::{self, Command, chosen, command};
use super::fields;
use num_bigint::BigUint;
use search::rng::Rng;
use std::io::{self, Write};
use view::choices::{Field, number};
use view::machine::path::Pick;
use view::machine::position::{Position, StepLine};
use view::machine::views::FieldView;
use view::text::{names, plural};
use view::trace::Detail;

/// Maximum number of labels that are listed without `-v`. All of them can be chosen.
const LISTED: usize = 40;
/// Maximum number of parts of a state, and of names of bits, that are shown without `-v`.
const SHOWN: usize = 12;

/// How choices are made.
pub(super) enum Chooser {
    Random(Rng),
    Ask { prompt: bool },
}

/// A simulation.
pub(super) struct Lines<'a> {
    pub(super) at: Box<dyn Position + 'a>,
    pub(super) chooser: Chooser,
    pub(super) detail: Detail,
    /// Number of steps after which the simulation ends.
    pub(super) steps: u64,
    /// The labels that were listed last. The same list is not printed again.
    pub(super) listed: Vec<String>,
}

/// What a user answers to a list of items.
enum Answer<T> {
    Item(T),
    Back,
    Quit,
}

impl Lines<'_> {
    /// Steps until the user, the system or the number of steps ends it. `has_begun` says that the position is in a
    /// state of a run already.
    pub(super) fn play(&mut self, has_begun: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if !has_begun {
            let Answer::Item(start) = self.start(&mut out)? else { return Ok(()) };
            if !self.at.begin(&start) {
                return writeln!(out, "there is no such initial state");
            }
        }
        self.place(&mut out)?;
        self.reached(&mut out, &self.at.reached(self.detail))?;
        while self.at.steps() < self.steps && self.turn(&mut out)? {}
        Ok(())
    }

    /// Chooses the initial state.
    fn start(&mut self, out: &mut impl Write) -> io::Result<Answer<BigUint>> {
        let fields = self.at.start_fields();
        let outcome = match &mut self.chooser {
            Chooser::Random(random) => self.at.random_start(random),
            Chooser::Ask { .. } => match self.values(out, "start", "starts with", &fields)? {
                Answer::Item(outcome) => outcome,
                other => return Ok(other),
            },
        };
        Ok(Answer::Item(outcome))
    }

    /// Makes one choice. Returns false to end.
    fn turn(&mut self, out: &mut impl Write) -> io::Result<bool> {
        let step = match &mut self.chooser {
            Chooser::Random(random) => match self.at.take_random(random, self.detail) {
                Some(step) => step,
                None => return self.end(out).map(|()| false),
            },
            Chooser::Ask { .. } => match self.ask_step(out)? {
                Answer::Item(Ok(step)) => step,
                Answer::Item(Err(why)) => return writeln!(out, "{why}").map(|()| true),
                Answer::Quit => return Ok(false),
                Answer::Back => {
                    match self.at.back() {
                        true => self.place(out)?,
                        false => writeln!(out, "this is the start")?,
                    }
                    return Ok(true);
                }
            },
        };
        writeln!(out, "{:>5}  {}", self.at.steps() - 1 + self.at.first(), step.line)?;
        self.reached(out, &step.reached)?;
        Ok(true)
    }

    /// Asks for a label and the values of its fields, and takes the step.
    fn ask_step(&mut self, out: &mut impl Write) -> io::Result<Answer<Result<StepLine, String>>> {
        let enabled = self.at.enabled();
        if enabled.is_empty() {
            self.end(out)?;
        }
        if let Some(remark) = self.at.remark(self.detail) {
            writeln!(out, "{remark}")?;
        }
        // A system with a single label, such as a circuit, is asked for the values only.
        let label = match enabled[..] {
            [only] if self.at.typed(only) == "frame" => only,
            _ => {
                let items: Vec<String> = enabled.iter().map(|label| self.at.offer(*label, self.detail)).collect();
                let typed: Vec<String> = enabled.iter().map(|label| self.at.typed(*label)).collect();
                match self.item(out, &items, |i| typed[i].clone())? {
                    Answer::Item(i) => enabled[i],
                    Answer::Back => return Ok(Answer::Back),
                    Answer::Quit => return Ok(Answer::Quit),
                }
            }
        };
        let fields = self.at.fields(label);
        Ok(match self.values(out, "inputs", "goes to", &fields)? {
            Answer::Item(outcome) => Answer::Item(self.at.take(&Pick { label, outcome }, self.detail)),
            Answer::Back => Answer::Back,
            Answer::Quit => Answer::Quit,
        })
    }

    /// Chooses one of the items, by its number or its name.
    fn item(
        &mut self,
        out: &mut impl Write,
        items: &[String],
        name: impl Fn(usize) -> String,
    ) -> io::Result<Answer<usize>> {
        let listed = if self.detail.all { usize::MAX } else { LISTED };
        if self.listed != items {
            for (i, item) in items.iter().enumerate().take(listed) {
                writeln!(out, "    {:>3}: {item}", i + 1)?;
            }
            if items.len() > listed {
                writeln!(out, "    ({} more, up to {}; -v shows all)", items.len() - listed, items.len())?;
            }
            self.listed = items.to_vec();
        }
        let names = |word: &str| (0..items.len()).any(|i| name(i) == word);
        let how = "a number or the beginning of a name, from the list";
        self.answer(out, how, names, |word| {
            let number = word.parse::<usize>().ok().filter(|i| (1..=items.len()).contains(i));
            let named = || chosen(word, items.len(), &name);
            let upper = word.to_uppercase();
            number.map_or_else(named, |i| Ok(i - 1)).or_else(|why| chosen(&upper, items.len(), &name).map_err(|_| why))
        })
    }

    /// Asks for the values of fields, and returns the outcome. Bits are asked for in one line.
    fn values(
        &mut self,
        out: &mut impl Write,
        bits: &str,
        verb: &str,
        fields: &[Field],
    ) -> io::Result<Answer<BigUint>> {
        let is_bit = |field: &Field| field.options.is_empty() && field.count == BigUint::from(2u32);
        if !fields.is_empty() && fields.iter().all(is_bit) {
            return self.bits(out, bits, fields);
        }
        let mut values = Vec::new();
        for field in fields {
            let view = FieldView::of(field.clone());
            let value = if field.options.is_empty() {
                writeln!(out, "{} ({}):", field.name, fields::range(&view))?;
                let how = format!("a number from {}", fields::range(&view));
                self.answer(out, &how, |_| false, |word| fields::value(&view, word))?
            } else {
                let items: Vec<String> =
                    field.options.iter().map(|option| format!("{} {verb} {option}", field.name)).collect();
                match self.item(out, &items, |i| field.options[i].clone())? {
                    Answer::Item(i) => Answer::Item(i.into()),
                    Answer::Back => Answer::Back,
                    Answer::Quit => Answer::Quit,
                }
            };
            match value {
                Answer::Item(value) => values.push(value),
                other => return Ok(other),
            }
        }
        Ok(Answer::Item(number(fields, &values)))
    }

    /// Asks for bits: a 0 or 1 for each of them, or the names of those that are 1.
    fn bits(&mut self, out: &mut impl Write, what: &str, fields: &[Field]) -> io::Result<Answer<BigUint>> {
        let all: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let shown = names(all.iter().copied(), if self.detail.all { usize::MAX } else { SHOWN });
        writeln!(out, "{what} ({}: {shown}):", plural(all.len() as u64, "bit"))?;
        let how = "a 0 or 1 for each of them, in this order; or the names of those that are 1 (`-` for none)";
        let is_name = |word: &str| all.contains(&word);
        let answer = self.answer(out, how, is_name, |line| {
            if line.len() == all.len() && line.bytes().all(|b| matches!(b, b'0' | b'1')) {
                return Ok((0..all.len()).filter(|i| line.as_bytes()[*i] == b'1').collect());
            }
            let words = line.split_whitespace().filter(|word| *word != "-");
            let set: Vec<usize> =
                words.map(|word| chosen(word, all.len(), &|i: usize| all[i].to_owned())).collect::<Result<_, _>>()?;
            if set.is_empty() && line != "-" { Err("nothing is chosen".to_owned()) } else { Ok(set) }
        })?;
        Ok(match answer {
            Answer::Item(set) => {
                let mut outcome = BigUint::ZERO;
                set.into_iter().for_each(|bit: usize| outcome.set_bit(bit as u64, true));
                Answer::Item(outcome)
            }
            Answer::Back => Answer::Back,
            Answer::Quit => Answer::Quit,
        })
    }

    /// Reads lines until one is an answer. A line may also be a command.
    fn answer<T>(
        &self,
        out: &mut impl Write,
        how: &str,
        is_name: impl Fn(&str) -> bool,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> io::Result<Answer<T>> {
        loop {
            if matches!(self.chooser, Chooser::Ask { prompt: true }) {
                write!(out, "> ")?;
            }
            out.flush()?;
            let mut line = String::new();
            if io::stdin().read_line(&mut line)? == 0 {
                return Ok(Answer::Quit);
            }
            match command(line.trim(), &is_name) {
                Some(Command::Quit) => return Ok(Answer::Quit),
                Some(Command::Back) => return Ok(Answer::Back),
                Some(Command::State) => writeln!(out, "    {}", self.at.show(usize::MAX))?,
                Some(Command::Help) => commands::help(out, how)?,
                None => match read(line.trim()) {
                    Ok(answer) => return Ok(Answer::Item(answer)),
                    Err(why) => writeln!(out, "{why}; `help` says more")?,
                },
            }
        }
    }

    /// Prints the state.
    fn place(&self, out: &mut impl Write) -> io::Result<()> {
        let state = self.at.show(if self.detail.all { usize::MAX } else { SHOWN });
        match self.at.steps() {
            0 => writeln!(out, "start  {state}"),
            steps => writeln!(out, "{steps:>5}  {state}"),
        }
    }

    /// Prints the properties that a step or a state reaches.
    fn reached(&self, out: &mut impl Write, reached: &[(String, String)]) -> io::Result<()> {
        reached.iter().try_for_each(|(id, why)| match why.is_empty() {
            true => writeln!(out, "       {id} is reached"),
            false => write!(out, "{id}:\n{why}"),
        })
    }

    /// Prints why nothing can be taken, unless a violation has said so.
    fn end(&self, out: &mut impl Write) -> io::Result<()> {
        if self.at.reached(self.detail).is_empty() {
            writeln!(out, "end: {}", self.at.ending())?;
        }
        Ok(())
    }
}
