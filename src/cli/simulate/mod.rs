//! `impasse simulate`: stepping through a model by hand or at random. Reads lines, so it works in pipes too.

pub(crate) mod commands;
pub(crate) mod from;

use super::args::{Common, SimulateArgs};
use super::exit::Exit;
use super::limits::Watch;
use super::notes::Complaints;
use super::text::Paint;
use super::trace::Detail;
use super::{flags, input, kinds, output, usage};
use commands::{Command, chosen, command};
use from::Before;
use std::io::{self, ErrorKind, IsTerminal, Write};

pub(crate) fn run(args: &SimulateArgs, common: &Common) -> Exit {
    let _watch = Watch::memory(args.memory, "simulation");
    if args.file == "-" && args.random.is_none() {
        return usage("standard input cannot be both the model and the choices; use --random N");
    }
    if let Some(why) = flags::refused_question(&args.file, &args.question, common.input_format.as_deref()) {
        return usage(&why);
    }
    let complaints = Complaints::new(common);
    let read = input::asked(&args.file, &args.question, &complaints).and_then(|model| model.asking(&complaints));
    let (problem, before) = match read.and_then(|model| from::load(model.problem, args, common)) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let steps = args.random.or(args.steps).unwrap_or(u64::MAX).min(args.steps.unwrap_or(u64::MAX));
    let steps = steps.saturating_add(before.as_ref().map_or(0, |before| before.steps));
    let before = before.as_ref();
    let chooser = match args.random {
        Some(_) => Chooser::Random(SplitMix(args.seed)),
        None => Chooser::Ask { prompt: io::stdin().is_terminal() },
    };
    let detail = Detail { all: common.verbose, paint: Paint::new(common.color, &io::stdout()) };
    let played = kinds::of(&problem).simulate(Game { chooser, detail, steps, before });
    // Output that nobody reads any more ends the session, too.
    match played {
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            tell!("error: cannot read the choices: {error}");
            Exit::Input
        }
        played => {
            output::note(played);
            Exit::Done
        }
    }
}

/// What a simulation is made with.
pub(crate) struct Game<'a> {
    pub(crate) chooser: Chooser,
    pub(crate) detail: Detail,
    /// Steps beyond which it ends.
    pub(crate) steps: u64,
    /// The run that it goes on from.
    pub(crate) before: Option<&'a Before>,
}

/// Items listed of a long list without `-v`; all of them can be chosen.
pub(crate) const LISTED: usize = 40;

/// How choices are made.
pub(crate) enum Chooser {
    Random(SplitMix),
    Ask { prompt: bool },
}

/// What was chosen.
pub(crate) enum Choice {
    Item(usize),
    Undo,
    Quit,
}

impl Chooser {
    pub(crate) fn is_random(&self) -> bool {
        matches!(self, Chooser::Random(_))
    }

    /// Chooses one of `n` items, of which `listed` are shown; they can be chosen by their numbers and by their names.
    /// `state` is the whole state in words.
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
                Some(Command::Help) => {
                    commands::help(out, "a number, or the beginning of a name: one of those listed")?
                }
                None => match chosen(answer, n, &name) {
                    Ok(i) => return Ok(Choice::Item(i)),
                    Err(why) => writeln!(out, "{why}; `help` says more")?,
                },
            }
        }
    }
}

/// A line of the user's, if there is one.
pub(crate) fn ask(out: &mut impl Write, prompt: bool) -> io::Result<Option<String>> {
    if prompt {
        write!(out, "> ")?;
    }
    out.flush()?;
    let mut line = String::new();
    Ok((io::stdin().read_line(&mut line)? > 0).then_some(line))
}

/// Random numbers for simulations: `SplitMix64` (Steele, Lea, Flood 2014). The same seed gives the same run for ever.
pub(crate) struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`; the bias of the remainder is far below what a simulation could show.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap_or(0)
    }
}
