//! A simulation line by line: the choices, the run that it begins with, and its length.

use super::commands::{self, Command, chosen, command};
use impasse::model::{Move, Trace};
use search::rng::Rng;
use std::io::{self, Write};
use view::trace::Detail;

/// The parameters of a simulation.
pub(crate) struct Simulation<'a> {
    pub(crate) chooser: Chooser,
    pub(crate) detail: Detail,
    /// Number of steps after which the simulation ends.
    pub(crate) steps: u64,
    /// The run that the simulation continues.
    pub(crate) before: Option<&'a InitialRun>,
}

/// Maximum number of items that are listed without `-v`. All of them can be chosen.
pub(crate) const LISTED: usize = 40;

/// How choices are made.
pub(crate) enum Chooser {
    Random(Rng),
    Ask { prompt: bool },
}

/// A choice of the user.
pub(crate) enum Choice {
    Item(usize),
    Undo,
    Quit,
}

impl Chooser {
    pub(crate) fn is_random(&self) -> bool {
        matches!(self, Chooser::Random(_))
    }

    /// Chooses one of `n` items, of which `listed` are shown. An item can be chosen by its number or its
    /// name. `state` returns the whole state in words.
    pub(crate) fn choose(
        &mut self,
        out: &mut impl Write,
        n: usize,
        listed: usize,
        item: impl Fn(usize) -> String,
        name: impl Fn(usize) -> String,
        state: impl Fn() -> String,
    ) -> io::Result<Choice> {
        let prompt = match self {
            Chooser::Random(_) if n == 0 => return Ok(Choice::Quit),
            Chooser::Random(random) => return Ok(Choice::Item(random.below(n))),
            Chooser::Ask { prompt } => *prompt,
        };
        for i in 0..n.min(listed) {
            writeln!(out, "    {:>3}: {}", i + 1, item(i))?;
        }
        if n > listed {
            writeln!(out, "    ({} more, up to {n}; -v shows all)", n - listed)?;
        }
        loop {
            let Some(line) = ask(out, prompt)? else { return Ok(Choice::Quit) };
            let answer = line.trim();
            if let Some(i) = answer.parse::<usize>().ok().filter(|i| (1..=n).contains(i)) {
                return Ok(Choice::Item(i - 1));
            }
            match command(answer, |word| (0..n).any(|i| name(i) == word)) {
                Some(Command::Quit) => return Ok(Choice::Quit),
                Some(Command::Back) => return Ok(Choice::Undo),
                Some(Command::State) => writeln!(out, "    {}", state())?,
                Some(Command::Help) => commands::help(out, "a number or the beginning of a name, from the list")?,
                None => match chosen(answer, n, &name) {
                    Ok(i) => return Ok(Choice::Item(i)),
                    Err(why) => writeln!(out, "{why}; `help` says more")?,
                },
            }
        }
    }
}

/// Reads a line of the user. `None` at the end of the input.
pub(crate) fn ask(out: &mut impl Write, prompt: bool) -> io::Result<Option<String>> {
    if prompt {
        write!(out, "> ")?;
    }
    out.flush()?;
    let mut line = String::new();
    Ok((io::stdin().read_line(&mut line)? > 0).then_some(line))
}

/// A run, and the number of steps of it with which the simulation starts.
pub(crate) struct InitialRun {
    pub(crate) trace: Trace,
    pub(crate) steps: u64,
}

impl InitialRun {
    /// Returns the steps to take, one by one.
    pub(crate) fn moves(&self) -> impl Iterator<Item = &Move> {
        let all = self.trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
        all.zip(0..self.steps).map(|(step, _)| step)
    }
}
