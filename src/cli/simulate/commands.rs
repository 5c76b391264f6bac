//! Commands that can be typed instead of a choice, and choices by their names.

use impasse::formats::nearest;
use std::io::{self, Write};

/// Maximum number of names that are listed if a word is a prefix of several names.
const NAMES: usize = 4;

/// A command of the user that is not a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Back,
    Help,
    Quit,
    /// Prints the whole state.
    State,
}

/// Returns the command that a line stands for. A single letter, `state` and `where` are no commands if an item
/// that can be chosen has this name.
pub(crate) fn command(line: &str, is_name: impl Fn(&str) -> bool) -> Option<Command> {
    Some(match line {
        "back" | "undo" => Command::Back,
        "help" => Command::Help,
        "quit" | "exit" => Command::Quit,
        "state" | "where" if !is_name(line) => Command::State,
        "u" if !is_name(line) => Command::Back,
        "h" | "?" if !is_name(line) => Command::Help,
        "q" if !is_name(line) => Command::Quit,
        _ => return None,
    })
}

/// Prints what can be typed. `choice` describes how to choose.
pub(crate) fn help(out: &mut impl Write, choice: &str) -> io::Result<()> {
    writeln!(out, "    {choice}")?;
    writeln!(out, "    back, undo, u   take the last step back")?;
    writeln!(out, "    state, where    print the whole state; steps show what they change")?;
    writeln!(out, "    help, h, ?      print this help")?;
    writeln!(out, "    quit, exit, q   end")
}

/// Returns the index of the item, among `n` items, that `word` names. A word names an item if it is the whole
/// name, or a prefix that no other name has.
///
/// # Errors
/// Returns a message for the user if the word names no item.
pub(crate) fn chosen(word: &str, n: usize, name: &impl Fn(usize) -> String) -> Result<usize, String> {
    if word.is_empty() {
        return Err("nothing is chosen".to_owned());
    }
    let fitting: Vec<(usize, String)> =
        (0..n).map(|i| (i, name(i))).filter(|(_, name)| name.starts_with(word)).collect();
    if let Some((i, _)) = fitting.iter().find(|(_, name)| name == word) {
        return Ok(*i);
    }
    match &fitting[..] {
        [(i, _)] => Ok(*i),
        [] => {
            let all: Vec<String> = (0..n).map(name).collect();
            let near = nearest(word, all.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
            Err(format!("no choice begins with `{word}`{near}"))
        }
        several => {
            let names: Vec<&str> = several.iter().take(NAMES).map(|(_, name)| name.as_str()).collect();
            let more = if several.len() > NAMES { ", .." } else { "" };
            Err(format!("`{word}` may be any of {}{more}", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_enough_if_it_is_the_only_one() {
        let names = ["pick[0]", "pick[1]", "put", "u", "pick"];
        let find = |word: &str| chosen(word, names.len(), &|i: usize| names[i].to_owned());
        assert_eq!((find("pu"), find("pick[1"), find("pick"), find("u")), (Ok(2), Ok(1), Ok(4), Ok(3)));
        assert_eq!(find("p"), Err("`p` may be any of pick[0], pick[1], put, pick".to_owned()));
        assert_eq!(find("pot"), Err("no choice begins with `pot` (did you mean `put`?)".to_owned()));
        assert!(find("").is_err());
    }

    #[test]
    fn letters_that_are_names_are_no_commands() {
        let is_name = |word: &str| word == "u" || word == "back";
        assert_eq!(command("u", is_name), None);
        assert_eq!(command("back", is_name), Some(Command::Back));
        assert_eq!(command("q", is_name), Some(Command::Quit));
        assert_eq!((command("where", is_name), command("state", |_| true)), (Some(Command::State), None));
        assert_eq!(command("pick", is_name), None);
    }
}
