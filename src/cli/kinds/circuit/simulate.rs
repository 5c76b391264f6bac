//! Simulates circuits: the initial values of open latches are chosen first, then the inputs of each frame.

use crate::cli::simulate::commands::{Command, chosen, command, help};
use crate::cli::simulate::game::{Chooser, InitialRun, Simulation, ask};
use impasse::model::circuit::pack;
use impasse::model::{Circuit, Goal, Problem};
use impasse::steps::frames::{Frame, Held, Ports, input_name, latch_name};
use std::io::{self, Write};
use view::text::{names, plural};
use view::trace::Detail;

/// Maximum number of random inputs that are tried until all constraints hold.
const TRIES: usize = 1000;

/// The help text about the choice of bits.
const BITS: &str = "a 0 or 1 for each of them, in this order; or the names of those that are 1 (`-` for none)";

/// Maximum number of names shown without `-v`.
const SHOWN: usize = 8;

/// Runs the simulation until the user, the constraints or the number of steps ends it.
pub(super) fn play(problem: &Problem, circuit: &Circuit, game: Simulation<'_>) -> io::Result<()> {
    let Simulation { chooser, detail, steps, before } = game;
    let (inputs, latches) = (Ports::inputs(circuit), Ports::latches(circuit));
    let mut session = Session { problem, circuit, chooser, detail, inputs, latches };
    let mut out = io::stdout().lock();
    let open: Vec<_> = circuit.open_latches().collect();
    let what = |i: usize| latch_name(circuit, open[i]);
    let start = match before {
        Some(before) => UserInput::Bits(before.trace.start.clone()),
        None if open.is_empty() => UserInput::Bits(Box::default()),
        None => session.bits(&mut out, "start", &[], open.len(), what)?,
    };
    let UserInput::Bits(start) = start else { return Ok(()) };
    let mut frame = Frame::first(circuit, &start);
    let mut past: Vec<Held<'_>> = Vec::new();
    let mut tries = 0;
    for step in before.into_iter().flat_map(InitialRun::moves) {
        let inputs = step.choice.map_or(&[][..], |id| before.map_or(&[][..], |before| before.trace.choice(id)));
        let held = frame.held();
        frame.compute(inputs);
        session.show(&mut out, past.len(), &frame, held.latches())?;
        frame.step();
        past.push(held);
    }
    while (past.len() as u64) < steps {
        let held = frame.held();
        match session.bits(&mut out, "inputs", held.latches(), circuit.inputs().len(), |i| input_name(circuit, i))? {
            UserInput::Quit => return Ok(()),
            UserInput::Undo => match past.pop() {
                Some(before) => {
                    frame.go_back(&before);
                    writeln!(out, "back to frame {}", past.len())?;
                }
                None => writeln!(out, "this is the start")?,
            },
            UserInput::Bits(inputs) => {
                frame.compute(&inputs);
                if !frame.counts() {
                    tries += 1;
                    if !session.chooser.is_random() {
                        writeln!(out, "a constraint does not hold: a run with this frame does not count")?;
                    } else if tries >= TRIES {
                        return writeln!(out, "no inputs found that satisfy all constraints");
                    }
                    continue;
                }
                tries = 0;
                session.show(&mut out, past.len(), &frame, held.latches())?;
                frame.step();
                past.push(held);
            }
        }
    }
    Ok(())
}

struct Session<'p> {
    problem: &'p Problem,
    circuit: &'p Circuit,
    chooser: Chooser,
    detail: Detail,
    inputs: Ports,
    latches: Ports,
}

enum UserInput {
    /// The chosen bits, 32 in each word.
    Bits(Box<[u32]>),
    Undo,
    Quit,
}

/// Returns names of bits that are 1, and words that are not zero.
fn listed(all: &[String], most: usize) -> String {
    if all.is_empty() { "-".to_owned() } else { names(all.iter().map(String::as_str), most) }
}

impl Session<'_> {
    /// Chooses `count` bits.
    fn bits(
        &mut self,
        out: &mut impl Write,
        what: &str,
        held: &[bool],
        count: usize,
        name: impl Fn(usize) -> String,
    ) -> io::Result<UserInput> {
        let prompt = match &mut self.chooser {
            Chooser::Random(random) => return Ok(UserInput::Bits(pack((0..count).map(|_| random.below(2) == 1)))),
            Chooser::Ask { prompt } => *prompt,
        };
        let all: Vec<String> = (0..count).map(name).collect();
        let shown = names(all.iter().map(String::as_str), if self.detail.all { usize::MAX } else { SHOWN });
        writeln!(out, "{what} ({}: {shown}):", plural(count as u64, "bit"))?;
        loop {
            let Some(line) = ask(out, prompt)? else { return Ok(UserInput::Quit) };
            let answer = line.trim();
            if answer.len() == count && answer.bytes().all(|b| matches!(b, b'0' | b'1')) {
                return Ok(UserInput::Bits(pack(answer.bytes().map(|b| b == b'1'))));
            }
            match command(answer, |word| all.iter().any(|name| name == word)) {
                Some(Command::Quit) => return Ok(UserInput::Quit),
                Some(Command::Back) => return Ok(UserInput::Undo),
                Some(Command::State) => {
                    writeln!(out, "    latches {}", listed(&self.latches.shown(|i| held[i]), usize::MAX))?
                }
                Some(Command::Help) => help(out, BITS)?,
                None => match named(answer, &all) {
                    Ok(set) => return Ok(UserInput::Bits(pack((0..count).map(|i| set.contains(&i))))),
                    Err(why) => writeln!(out, "{why}; `help` says more")?,
                },
            }
        }
    }

    fn show(&self, out: &mut impl Write, number: usize, frame: &Frame<'_>, held: &[bool]) -> io::Result<()> {
        let most = if self.detail.all { usize::MAX } else { SHOWN };
        let [inputs, latches] = [self.inputs.shown_in(frame), self.latches.shown(|i| held[i])];
        writeln!(out, "{number:>5}  inputs {}; latches {}", listed(&inputs, most), listed(&latches, most))?;
        for property in self.problem.properties() {
            if let Goal::Output(output) = property.goal
                && frame.is_true(self.circuit.outputs()[output.index()].signal)
            {
                writeln!(out, "       {} is true", property.id)?;
            }
        }
        Ok(())
    }
}

/// Returns the indices of the items that the words of `answer` name. A word names an item as in [`chosen`]: it
/// is the whole name, or a prefix that no other name has. The word `-` names no item.
fn named(answer: &str, all: &[String]) -> Result<Vec<usize>, String> {
    let names = answer.split_whitespace().filter(|word| *word != "-");
    let set: Result<Vec<usize>, String> =
        names.map(|word| chosen(word, all.len(), &|i: usize| all[i].clone())).collect();
    set.and_then(|set| if set.is_empty() && answer != "-" { Err("nothing is chosen".to_owned()) } else { Ok(set) })
}
