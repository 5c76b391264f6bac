//! `impasse explain`: what a word of a report means, or the code of an error or warning.

use super::args::ExplainArgs;
use super::exit::Exit;
use super::words;
use impasse::formats::{codes, nearest};

pub(crate) fn run(args: &ExplainArgs) -> Exit {
    if args.words.is_empty() {
        list();
        return Exit::Done;
    }
    // Terms may have several words.
    let asked = &args.words.join(" ");
    // Verdicts stand in capitals in the text report.
    let lower = asked.to_lowercase();
    let mut is_known = false;
    for group in words::ALL {
        for word in (group.words)().iter().filter(|w| w.word == asked || w.word == lower) {
            if is_known {
                say!("");
            }
            is_known = true;
            say!("{} ({}): {}", word.word, group.one, word.title);
            if !word.text.is_empty() {
                say!("\n{}", word.text);
            }
        }
    }
    let Some(code) = codes::find(asked) else {
        return if is_known { Exit::Done } else { unknown(asked) };
    };
    say!("{}: {}\n\n{}", code.code, code.title, code.text.trim_end());
    if code.grows() {
        say!("That much is allowed in any case. Beyond 64 MB of memory (`--memory`) it grows in proportion.");
    }
    example("Wrong", code.wrong);
    example("Right", code.right);
    Exit::Done
}

/// All words and codes, by group.
fn list() {
    for group in words::ALL {
        say!("{}:", group.title);
        for word in (group.words)() {
            say!("    {:<30} {}", word.word, word.title);
        }
        say!("");
    }
    say!("Errors and warnings:");
    for code in codes::ALL {
        say!("    {:<30} {}", code.code, code.title);
    }
}

fn unknown(asked: &str) -> Exit {
    let all = words::ALL.iter().flat_map(|group| (group.words)()).map(|word| word.word);
    let near = nearest(asked, all.chain(codes::ALL.iter().map(|code| code.code)));
    let near = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
    super::usage(&format!("there is no word or code `{asked}`{near}; `impasse explain` lists all"))
}

fn example(title: &str, text: &str) {
    if !text.is_empty() {
        say!("\n{title}:\n");
        for line in text.trim_end().lines() {
            say!("    {line}");
        }
    }
}
