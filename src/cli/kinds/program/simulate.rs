//! Simulates behavioral programs: events are chosen and, if a thread has several targets, the targets too.

use crate::cli::simulate::game::{Choice, Chooser, InitialRun, LISTED, Simulation};
use impasse::model::{EventId, LocalId, Program, ThreadId};
use impasse::steps::ProgramRun;
use impasse::{positions, walk};
use std::io::{self, Write};
use view::text::names;
use view::trace::Detail;

/// Runs the simulation until the user, the program or the number of steps ends it.
pub(super) fn play(program: &Program, game: Simulation<'_>) -> io::Result<()> {
    let Simulation { chooser, detail, steps, before } = game;
    Session { program, chooser, detail, past: Vec::new(), at: Vec::new() }.play(steps, before)
}

struct Session<'p> {
    program: &'p Program,
    chooser: Chooser,
    detail: Detail,
    past: Vec<Vec<u32>>,
    at: Vec<u32>,
}

impl Session<'_> {
    fn play(&mut self, steps: u64, before: Option<&InitialRun>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match before {
            Some(before) => self.follow(before),
            None => {
                let start = self.pick(&mut out, &walk::initial(self.program), "starts in")?;
                let Some(start) = start else { return Ok(()) };
                self.at = start;
            }
        }
        match self.past.len() {
            0 => writeln!(out, "start  {}", self.place())?,
            n => writeln!(out, "{n:>5}  {}", self.place())?,
        }
        while (self.past.len() as u64) < steps {
            if let Some(goal) = walk::goal(self.program, &self.at) {
                let why = view::trace::program::why(self.program, &self.at, goal, self.past.len() as u64, self.detail);
                write!(out, "{goal}:\n{why}")?;
                if self.chooser.is_random() {
                    return Ok(());
                }
            }
            if self.program.all_final(&self.at) && walk::enabled(self.program, &self.at).is_empty() {
                writeln!(out, "end: every thread is in a final state")?;
                if self.chooser.is_random() {
                    return Ok(());
                }
            }
            let events: Vec<EventId> = walk::enabled(self.program, &self.at).iter().collect();
            self.name_lower(&mut out, &events)?;
            if !self.turn(&mut out, &events)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Names the events that are not offered because of their priority.
    fn name_lower(&self, out: &mut impl Write, enabled: &[EventId]) -> io::Result<()> {
        let Some(first) = enabled.first().filter(|_| self.program.has_priorities() && !self.chooser.is_random()) else {
            return Ok(());
        };
        let open = walk::open(self.program, &self.at);
        let lower: Vec<&str> =
            open.iter().filter(|e| !enabled.contains(e)).map(|e| self.program.event_name(e)).collect();
        if lower.is_empty() {
            return Ok(());
        }
        let most = if self.detail.all { usize::MAX } else { SHOWN };
        let priority = walk::priority(self.program, &self.at, *first);
        let named = names(lower.iter().copied(), most);
        writeln!(out, "not enabled: {named} (a request of higher priority, {priority}, is enabled)")
    }

    /// Takes the steps of a run.
    fn follow(&mut self, before: &InitialRun) {
        let mut run = ProgramRun::new(self.program, &before.trace);
        self.past.extend(before.moves().map(|step| run.take(step)));
        self.at = run.at().to_vec();
    }

    /// Makes one choice. Returns false to end.
    fn turn(&mut self, out: &mut impl Write, events: &[EventId]) -> io::Result<bool> {
        let (program, at, detail) = (self.program, &self.at, self.detail);
        let item = |i: usize| {
            let by = view::trace::program::requested_by(program, at, events[i], detail);
            format!("{}  (requested by {by})", program.event_name(events[i]))
        };
        let name = |i: usize| program.event_name(events[i]).to_owned();
        let listed = if detail.all { usize::MAX } else { LISTED };
        let choice = self.chooser.choose(out, events.len(), listed, item, name, || place(program, at, usize::MAX))?;
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
                    let by = view::trace::program::requested_by(self.program, &self.at, events[i], self.detail);
                    let changes = view::trace::program::changes(self.program, &self.at, &next, self.detail);
                    self.past.push(std::mem::replace(&mut self.at, next));
                    let event = self.program.event_name(events[i]);
                    writeln!(out, "{:>5}  {event}  (requested by {by})  {changes}", self.past.len())?;
                }
            }
        }
        Ok(true)
    }

    /// Chooses one state for each thread. Asks the user if there is a choice. `None` if the user ends the
    /// choice.
    fn pick(&mut self, out: &mut impl Write, choices: &[Vec<LocalId>], verb: &str) -> io::Result<Option<Vec<u32>>> {
        let mut picked = Vec::with_capacity(choices.len());
        for (t, options) in choices.iter().enumerate() {
            let thread = self.program.thread(ThreadId::new(t));
            let choice = match options[..] {
                [only] => only,
                _ => {
                    let state = |i: usize| positions::short(self.program, ThreadId::new(t), options[i]);
                    let item = |i: usize| format!("{} {verb} {}", thread.name, state(i));
                    let (program, at) = (self.program, &self.at);
                    let whole = || if at.is_empty() { "not begun".to_owned() } else { place(program, at, usize::MAX) };
                    match self.chooser.choose(out, options.len(), options.len(), item, state, whole)? {
                        Choice::Item(i) => options[i],
                        Choice::Undo | Choice::Quit => return Ok(None),
                    }
                }
            };
            picked.push(choice.0);
        }
        Ok(Some(picked))
    }

    fn place(&self) -> String {
        place(self.program, &self.at, if self.detail.all { usize::MAX } else { SHOWN })
    }
}

/// Maximum number of threads shown without `-v`, unless the user asks for the whole state.
const SHOWN: usize = 12;

/// Returns the states of the first `most` threads.
fn place(program: &Program, at: &[u32], most: usize) -> String {
    let all: Vec<String> = walk::locals(program, at)
        .map(|(t, _)| {
            let state = positions::short(program, t, LocalId(at[t.index()]));
            format!("{}: {state}", program.thread(t).name)
        })
        .collect();
    names(all.iter().map(String::as_str), most)
}
