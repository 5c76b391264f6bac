//! `impasse simulate`: stepping through a model by hand or at random. Reads lines, so it works in pipes too.

use super::args::{Common, SimulateArgs};
use super::exit::Exit;
use super::input;
use super::output;
use super::text::{Paint, names};
use super::trace::{self, Detail};
use impasse::model::{EventId, LocalId, Program, ThreadId};
use impasse::walk;
use std::io::{self, ErrorKind, IsTerminal, Write};

pub(crate) fn run(args: &SimulateArgs, common: &Common) -> Exit {
    if args.file == "-" && args.random.is_none() {
        return super::usage("standard input cannot be both the model and the choices; use --random N");
    }
    let model = match input::model(&args.file, common) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
    let steps = args.random.or(args.steps).unwrap_or(u64::MAX).min(args.steps.unwrap_or(u64::MAX));
    let chooser = match args.random {
        Some(_) => Chooser::Random(SplitMix(args.seed)),
        None => Chooser::Ask { prompt: io::stdin().is_terminal() },
    };
    let detail = Detail { all: common.verbose, paint: Paint::new(common.color, &io::stdout()) };
    let mut session = Session { program: model.problem.program(), chooser, detail, past: Vec::new(), at: Vec::new() };
    // Output that nobody reads any more ends the session, too.
    match session.play(steps) {
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

const HELP: &str = "a number chooses; u takes the last step back, q ends";

/// How choices are made.
enum Chooser {
    Random(SplitMix),
    Ask { prompt: bool },
}

/// What was chosen.
enum Choice {
    Item(usize),
    Undo,
    Quit,
}

struct Session<'p> {
    program: &'p Program,
    chooser: Chooser,
    detail: Detail,
    past: Vec<Vec<u32>>,
    at: Vec<u32>,
}

impl Session<'_> {
    fn play(&mut self, steps: u64) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Some(start) = self.pick(&mut out, &walk::initial(self.program), "starts in")? else { return Ok(()) };
        self.at = start;
        writeln!(out, "start  {}", self.place())?;
        while (self.past.len() as u64) < steps {
            if let Some(goal) = walk::goal(self.program, &self.at) {
                let why = trace::why(self.program, &self.at, goal, self.past.len() as u64, self.detail);
                write!(out, "{goal}:\n{why}")?;
                if matches!(self.chooser, Chooser::Random(_)) {
                    return Ok(());
                }
            }
            let events: Vec<EventId> = walk::enabled(self.program, &self.at).iter().collect();
            if !self.turn(&mut out, &events)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// One choice; false to end.
    fn turn(&mut self, out: &mut impl Write, events: &[EventId]) -> io::Result<bool> {
        let choice = self.choose(out, events.len(), |s, i| {
            let by = trace::requested_by(s.program, &s.at, events[i], s.detail);
            format!("{}  (requested by {by})", s.program.event_name(events[i]))
        })?;
        match choice {
            Choice::Quit => return Ok(false),
            Choice::Undo => match self.past.pop() {
                Some(before) => {
                    self.at = before;
                    writeln!(out, "{:>5}  {}", self.past.len(), self.place())?;
                }
                None => writeln!(out, "this is the start")?,
            },
            Choice::Item(i) => {
                let targets = walk::targets(self.program, &self.at, events[i]);
                if let Some(next) = self.pick(out, &targets, "goes to")? {
                    let by = trace::requested_by(self.program, &self.at, events[i], self.detail);
                    let changes = trace::changes(self.program, &self.at, &next, self.detail);
                    self.past.push(std::mem::replace(&mut self.at, next));
                    let event = self.program.event_name(events[i]);
                    writeln!(out, "{:>5}  {event}  (requested by {by})  {changes}", self.past.len())?;
                }
            }
        }
        Ok(true)
    }

    /// One state for each thread; asks where there is a choice. `None` if the user would rather not.
    fn pick(&mut self, out: &mut impl Write, choices: &[Vec<LocalId>], verb: &str) -> io::Result<Option<Vec<u32>>> {
        let mut picked = Vec::with_capacity(choices.len());
        for (t, options) in choices.iter().enumerate() {
            let thread = self.program.thread(ThreadId::new(t));
            let choice = match options[..] {
                [only] => only,
                _ => match self.choose(out, options.len(), |_, i| {
                    format!("{} {verb} {}", thread.name, thread.state(options[i]).name)
                })? {
                    Choice::Item(i) => options[i],
                    Choice::Undo | Choice::Quit => return Ok(None),
                },
            };
            picked.push(choice.0);
        }
        Ok(Some(picked))
    }

    /// Chooses one of `n` items.
    fn choose(&mut self, out: &mut impl Write, n: usize, item: impl Fn(&Self, usize) -> String) -> io::Result<Choice> {
        if let Chooser::Random(random) = &mut self.chooser {
            return Ok(if n == 0 { Choice::Quit } else { Choice::Item(random.below(n)) });
        }
        let prompt = matches!(self.chooser, Chooser::Ask { prompt: true });
        for i in 0..n {
            writeln!(out, "    {:>3}: {}", i + 1, item(self, i))?;
        }
        loop {
            if prompt {
                write!(out, "> ")?;
            }
            out.flush()?;
            let mut line = String::new();
            if io::stdin().read_line(&mut line)? == 0 {
                return Ok(Choice::Quit);
            }
            match line.trim() {
                "q" => return Ok(Choice::Quit),
                "u" => return Ok(Choice::Undo),
                answer => match answer.parse::<usize>() {
                    Ok(i) if (1..=n).contains(&i) => return Ok(Choice::Item(i - 1)),
                    _ => writeln!(out, "{HELP}")?,
                },
            }
        }
    }

    /// The state of every thread.
    fn place(&self) -> String {
        let all: Vec<String> = walk::locals(self.program, &self.at)
            .map(|(t, s)| format!("{}: {}", self.program.thread(t).name, s.name))
            .collect();
        names(all.iter().map(String::as_str), if self.detail.all { usize::MAX } else { 12 })
    }
}

/// Random numbers for simulations: `SplitMix64` (Steele, Lea, Flood 2014). The same seed gives the same run for ever.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`; the bias of the remainder is far below what a simulation could show.
    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap_or(0)
    }
}
