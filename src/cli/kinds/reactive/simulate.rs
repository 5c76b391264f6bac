//! Simulates reactive programs: the input of each call is chosen by the user or at random. Inputs can be
//! typed as letters.

use crate::cli::simulate::commands::{Command, command, help};
use crate::cli::simulate::game::{Chooser, InitialRun, Simulation, ask};
use impasse::certify::Player;
use impasse::model::reactive::letter;
use impasse::model::{InputId, Outcome, Reactive, VarId};
use std::io::{self, Write};
use view::trace::Detail;

/// Runs the simulation until the user, the program or the number of steps ends it. In a random simulation, an
/// invalid input is undone and another one is tried. By hand, the values that some programs have after an
/// invalid input can be seen.
pub(super) fn play(program: &Reactive, game: Simulation<'_>) -> io::Result<()> {
    let Simulation { mut chooser, detail, steps, before } = game;
    let mut out = io::stdout().lock();
    let mut player = Player::new(program);
    let mut past: Vec<Vec<i32>> = Vec::new();
    let mut is_stopped = false;
    let alphabet: Vec<String> = program.inputs().iter().map(|&n| letter(n)).collect();
    let mut rejected = 0;
    for step in before.into_iter().flat_map(InitialRun::moves) {
        let values = player.values().to_vec();
        let input = InputId(step.event.0);
        let outcome = player.call(input);
        show(&mut out, &player, past.len(), input, outcome, &values, detail)?;
        past.push(values);
        if matches!(outcome, Outcome::Error(_) | Outcome::Crash) {
            writeln!(out, "the program has stopped")?;
            if chooser.is_random() {
                return Ok(());
            }
            is_stopped = true;
        }
    }
    while (past.len() as u64) < steps {
        let input = match choose(&mut chooser, &mut out, &alphabet, program.inputs())? {
            UserInput::Quit => return Ok(()),
            UserInput::Undo => {
                match past.pop() {
                    Some(before) => {
                        player.restore(&before);
                        is_stopped = false;
                        writeln!(out, "back to call {}", past.len())?;
                    }
                    None => writeln!(out, "this is the start")?,
                }
                continue;
            }
            UserInput::State => {
                writeln!(out, "    {}", variables(&player))?;
                continue;
            }
            UserInput::Input(_) if is_stopped => {
                writeln!(out, "the program has stopped; back takes the last call back, quit ends")?;
                continue;
            }
            UserInput::Input(input) => input,
        };
        let before = player.values().to_vec();
        let outcome = player.call(input);
        if outcome == Outcome::Invalid && chooser.is_random() {
            player.restore(&before);
            rejected += 1;
            if rejected > 50 * alphabet.len() {
                return writeln!(out, "no valid input found");
            }
            continue;
        }
        rejected = 0;
        show(&mut out, &player, past.len(), input, outcome, &before, detail)?;
        if matches!(outcome, Outcome::Error(_) | Outcome::Crash) {
            writeln!(out, "the program has stopped")?;
            if chooser.is_random() {
                return Ok(());
            }
            is_stopped = true;
        }
        past.push(before);
    }
    Ok(())
}

enum UserInput {
    Input(InputId),
    Undo,
    State,
    Quit,
}

fn choose(chooser: &mut Chooser, out: &mut impl Write, alphabet: &[String], inputs: &[i32]) -> io::Result<UserInput> {
    let prompt = match chooser {
        Chooser::Random(random) => return Ok(UserInput::Input(InputId::new(random.below(alphabet.len())))),
        Chooser::Ask { prompt } => *prompt,
    };
    loop {
        let Some(line) = ask(out, prompt)? else { return Ok(UserInput::Quit) };
        let answer = line.trim();
        let letter = |word: &str| alphabet.iter().position(|a| a == word);
        let number = || answer.parse().ok().and_then(|n: i32| inputs.iter().position(|i| *i == n));
        match command(answer, |word| letter(word).is_some()) {
            Some(Command::Quit) => return Ok(UserInput::Quit),
            Some(Command::Back) => return Ok(UserInput::Undo),
            Some(Command::State) => return Ok(UserInput::State),
            Some(Command::Help) => help(out, &format!("an input: {}, or its number", alphabet.join(" ")))?,
            None => match letter(answer).or_else(number).or_else(|| letter(&answer.to_uppercase())) {
                Some(at) => return Ok(UserInput::Input(InputId::new(at))),
                None => writeln!(out, "an input ({}); `help` says more", alphabet.join(" "))?,
            },
        }
    }
}

/// Returns all variables with their values.
fn variables(player: &Player<'_>) -> String {
    let program = player.program();
    let named = |(i, value): (usize, &i32)| format!("{}: {value}", program.name(VarId::new(i)));
    player.values().iter().enumerate().map(named).collect::<Vec<String>>().join(", ")
}

/// Prints a line for a call: its input, its outputs, and its changes.
fn show(
    out: &mut impl Write,
    player: &Player<'_>,
    number: usize,
    input: InputId,
    outcome: Outcome,
    before: &[i32],
    detail: Detail,
) -> io::Result<()> {
    let program = player.program();
    let read = view::trace::reactive::read(program.input(input));
    let printed = view::trace::reactive::printed(player, outcome);
    let changed = view::trace::reactive::changed(program, before, player.values(), detail);
    writeln!(out, "{number:>5}  {read:<6} {printed:<7}  {changed}")
}
