//! Simulating reactive programs: the user or chance chooses the input of each call. Letters can be typed as such.

use super::{Chooser, ask};
use crate::cli::letters;
use crate::cli::text::names;
use crate::cli::trace::Detail;
use impasse::certify::Player;
use impasse::model::reactive::letter;
use impasse::model::{InputId, Outcome, Reactive, VarId};
use std::io::{self, Write};

/// Changed variables shown without `-v`.
const SHOWN: usize = 6;

/// Plays until the user, the program or the number of steps ends it. An invalid input changes nothing for a chance player, who
/// tries another one; the values that some programs have after it can be seen by hand.
pub(super) fn play(program: &Reactive, mut chooser: Chooser, detail: Detail, steps: u64) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut player = Player::new(program);
    let mut past: Vec<Vec<i32>> = Vec::new();
    let alphabet: Vec<String> = program.inputs().iter().map(|&n| letter(n)).collect();
    let mut rejected = 0;
    while (past.len() as u64) < steps {
        let input = match choose(&mut chooser, &mut out, &alphabet)? {
            Answer::Quit => return Ok(()),
            Answer::Undo => {
                match past.pop() {
                    Some(before) => {
                        player.restore(&before);
                        writeln!(out, "back to call {}", past.len())?;
                    }
                    None => writeln!(out, "this is the start")?,
                }
                continue;
            }
            Answer::Input(input) => input,
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
        let mut shown = letters::shown(&player, outcome).join(" ");
        if shown.is_empty() {
            shown.push('-');
        }
        let changed = changed(program, &before, player.values(), detail);
        writeln!(out, "{:>5}  {:<4} {shown:<4}  {changed}", past.len(), letters::input(program, input))?;
        if matches!(outcome, Outcome::Error(_) | Outcome::Crash) {
            return writeln!(out, "the program has stopped");
        }
        past.push(before);
    }
    Ok(())
}

enum Answer {
    Input(InputId),
    Undo,
    Quit,
}

fn choose(chooser: &mut Chooser, out: &mut impl Write, alphabet: &[String]) -> io::Result<Answer> {
    let prompt = match chooser {
        Chooser::Random(random) => return Ok(Answer::Input(InputId::new(random.below(alphabet.len())))),
        Chooser::Ask { prompt } => *prompt,
    };
    loop {
        let Some(line) = ask(out, prompt)? else { return Ok(Answer::Quit) };
        match line.trim() {
            "q" => return Ok(Answer::Quit),
            "u" => return Ok(Answer::Undo),
            answer => match alphabet.iter().position(|a| a == answer) {
                Some(at) => return Ok(Answer::Input(InputId::new(at))),
                None => writeln!(out, "an input ({}); u takes the last call back, q ends", alphabet.join(" "))?,
            },
        }
    }
}

/// What a call changed, `a7=3`.
fn changed(program: &Reactive, before: &[i32], after: &[i32], detail: Detail) -> String {
    let differs = before.iter().zip(after).enumerate().filter(|(_, (a, b))| a != b);
    let all: Vec<String> = differs.map(|(i, (_, b))| format!("{}={b}", program.name(VarId::new(i)))).collect();
    if all.is_empty() {
        return "nothing changed".to_owned();
    }
    names(all.iter().map(String::as_str), if detail.all { usize::MAX } else { SHOWN })
}
