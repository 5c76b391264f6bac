//! Simulates nets and thread-transition systems: the tokens of open places are chosen at the start, then
//! transitions.

use crate::cli::simulate::commands::{Command, command};
use crate::cli::simulate::game::{Choice, Chooser, InitialRun, LISTED, Simulation, ask};
use impasse::model::{Goal, LocalId, PlaceId, Problem, Range, TransitionId};
use impasse::steps::MarkedRun;
use num_bigint::BigUint;
use std::io::{self, Write};
use view::reasons::{self, Changes, Marking, Stepper, holds};
use view::trace::Detail;
use view::trace::net::CHANGED;

/// In a random simulation, open places start with 1 to `EXTRA` tokens more than their minimum. With no
/// additional tokens, few transitions may be enabled.
const EXTRA: usize = 5;

/// Runs the simulation until the user, a deadlock or the number of steps ends it.
pub(super) fn play(problem: &Problem, game: Simulation<'_>) -> io::Result<()> {
    let Simulation { chooser, detail, steps, before } = game;
    let Some(stepper) = Stepper::new(problem.system()) else { return Ok(()) };
    Session { problem, stepper, chooser, detail, past: Vec::new(), at: stepper.start(&[]) }.play(steps, before)
}

struct Session<'p> {
    problem: &'p Problem,
    stepper: Stepper<'p>,
    chooser: Chooser,
    detail: Detail,
    /// For each step: the numbers of tokens before the step, on the places that the step changed.
    past: Vec<Changes>,
    at: Marking,
}

impl Session<'_> {
    fn play(&mut self, steps: u64, before: Option<&InitialRun>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match before {
            Some(before) => self.follow(before),
            None => {
                for (place, range) in self.stepper.open_places() {
                    let what = format!("{} starts with", self.stepper.place_name(place));
                    let Some(tokens) = self.count(&mut out, &what, &range)? else { return Ok(()) };
                    self.at[place.index()] = tokens;
                }
            }
        }
        match self.past.len() {
            0 => writeln!(out, "start  {}", self.place())?,
            n => writeln!(out, "{n:>5}  {}", self.place())?,
        }
        self.goals(&mut out)?;
        while (self.past.len() as u64) < steps {
            if !self.turn(&mut out)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Takes the steps of a run.
    fn follow(&mut self, before: &InitialRun) {
        let mut run = MarkedRun::new(self.stepper, &before.trace);
        self.past.extend(before.moves().map(|step| run.take(step)));
        self.at = run.at().clone();
    }

    /// Makes one choice. Returns false to end.
    fn turn(&mut self, out: &mut impl Write) -> io::Result<bool> {
        let (stepper, at) = (self.stepper, &self.at);
        let enabled: Vec<TransitionId> = stepper.transitions().filter(|t| stepper.is_enabled(at, *t)).collect();
        if enabled.is_empty() {
            self.say_why(out, "deadlock", Goal::Deadlock)?;
        }
        let listed = if self.detail.all { usize::MAX } else { LISTED };
        let name = |i: usize| stepper.transition_name(enabled[i]);
        match self.chooser.choose(out, enabled.len(), listed, name, name, || reasons::show(stepper, at, usize::MAX))? {
            Choice::Quit => return Ok(false),
            Choice::Undo => match self.past.pop() {
                Some(before) => {
                    self.put(before);
                    writeln!(out, "{:>5}  {}", self.past.len(), self.place())?;
                }
                None => writeln!(out, "this is the start")?,
            },
            Choice::Item(i) => {
                let Some(changes) = self.fire(out, enabled[i])? else { return Ok(true) };
                let before = self.put(changes);
                let changes = view::trace::net::changed(stepper, &before, &self.at, self.detail);
                self.past.push(before);
                let now = if matches!(stepper, Stepper::Threads(_)) { self.place() } else { changes };
                writeln!(out, "{:>5}  {}  {now}", self.past.len(), stepper.transition_name(enabled[i]))?;
                self.goals(out)?;
            }
        }
        Ok(true)
    }

    /// Returns what a transition changes. If threads can go to several local states, the user is asked. `None`
    /// if the user ends the choice.
    fn fire(&mut self, out: &mut impl Write, transition: TransitionId) -> io::Result<Option<Changes>> {
        // Firing asks the user how threads are distributed. An error of this input is stored, and returned
        // after the firing.
        let mut asked: io::Result<bool> = Ok(true);
        let mut choose = |chooser: &mut Chooser, from: LocalId, n: &BigUint, targets: &[LocalId]| {
            let mut left = n.clone();
            let mut counts = Vec::with_capacity(targets.len());
            for (i, target) in targets.iter().enumerate() {
                if i + 1 == targets.len() {
                    counts.push(std::mem::take(&mut left));
                    continue;
                }
                let range = Range { at_least: BigUint::ZERO, at_most: Some(left.clone()) };
                if let Chooser::Random(random) = chooser {
                    let some = BigUint::from(random.below(EXTRA)).min(left.clone());
                    left -= &some;
                    counts.push(some);
                    continue;
                }
                let what = format!("threads that go from {} to {}", from.0, target.0);
                let count = match &asked {
                    Ok(true) => count(chooser, out, &what, &range),
                    _ => Ok(None),
                };
                let count = count.map(|count| {
                    count.unwrap_or_else(|| {
                        asked = Ok(false);
                        BigUint::ZERO
                    })
                });
                counts.push(count.unwrap_or_else(|error| {
                    asked = Err(error);
                    BigUint::ZERO
                }));
                left -= &counts[i];
            }
            counts
        };
        let (stepper, at, chooser) = (self.stepper, &self.at, &mut self.chooser);
        let changes = stepper.fire(at, transition, &mut |from, n, targets| choose(chooser, from, n, targets));
        Ok(asked?.then_some(changes))
    }

    /// Changes the marking. Returns the old numbers of tokens on the changed places.
    fn put(&mut self, changes: Changes) -> Changes {
        let at = &mut self.at;
        changes.into_iter().map(|(p, n)| (p, std::mem::replace(&mut at[p.index()], n))).collect::<Vec<(PlaceId, _)>>()
    }

    fn count(&mut self, out: &mut impl Write, what: &str, range: &Range) -> io::Result<Option<BigUint>> {
        count(&mut self.chooser, out, what, range)
    }

    /// Prints the properties that this marking violates.
    fn goals(&self, out: &mut impl Write) -> io::Result<()> {
        for property in self.problem.properties() {
            if self.problem.formula(property.goal).is_some_and(|f| holds(f, &self.at)) {
                self.say_why(out, &property.id, property.goal)?;
            }
        }
        Ok(())
    }

    fn say_why(&self, out: &mut impl Write, id: &str, goal: Goal) -> io::Result<()> {
        let steps = self.past.len() as u64;
        let why = view::trace::net::why(self.problem, self.stepper, &self.at, goal, steps, self.detail);
        write!(out, "{id}:\n{why}")
    }

    fn place(&self) -> String {
        reasons::show(self.stepper, &self.at, if self.detail.all { usize::MAX } else { CHANGED + NAMES_MORE })
    }
}

/// Number of additional places in the output of a whole state. The output of a change contains at most `CHANGED`
/// places, the output of a whole state at most `CHANGED + NAMES_MORE`.
const NAMES_MORE: usize = 4;

/// Chooses a number in `range`. `None` if the user ends the choice.
fn count(chooser: &mut Chooser, out: &mut impl Write, what: &str, range: &Range) -> io::Result<Option<BigUint>> {
    let prompt = match chooser {
        Chooser::Random(random) => {
            let any = &range.at_least + BigUint::from(1 + random.below(EXTRA));
            return Ok(Some(range.at_most.as_ref().map_or(any.clone(), |most| any.min(most.clone()))));
        }
        Chooser::Ask { prompt } => *prompt,
    };
    let most = range.at_most.as_ref().map_or(" up".to_owned(), |most| format!(" to {most}"));
    writeln!(out, "{what} (from {}{most}):", range.at_least)?;
    loop {
        let Some(line) = ask(out, prompt)? else { return Ok(None) };
        match command(line.trim(), |_| false) {
            Some(Command::Back | Command::Quit) => return Ok(None),
            Some(Command::Help | Command::State) => writeln!(out, "a number from {}{most}; quit ends", range.at_least)?,
            None => match line.trim().parse::<BigUint>() {
                Ok(n) if range.contains(&n) => return Ok(Some(n)),
                _ => writeln!(out, "a number from {}{most}; q ends", range.at_least)?,
            },
        }
    }
}
