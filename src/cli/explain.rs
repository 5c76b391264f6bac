//! `impasse explain`: explains a word of a report, or the code of an error or warning.

use super::args::ExplainArgs;
use super::exit::{Exit, usage};
use super::words::{self, Word};
use impasse::engines;
use impasse::formats::{codes, nearest};

pub(crate) fn run(args: &ExplainArgs) -> Exit {
    if args.words.is_empty() {
        list();
        return Exit::Done;
    }
    // Terms may have several words.
    let asked = &args.words.join(" ");
    // The text report prints verdicts in capitals.
    let lower = asked.to_lowercase();
    // Reports count: they print "1 trap" where the word is `traps`.
    let is_meant =
        |word: &Word| word.word == asked || word.word == lower || word.word.strip_suffix('s') == Some(&lower);
    let mut is_known = describe(&is_meant, "");
    if let Some(row) = engines::by_name(&lower).filter(|row| row.name != lower) {
        let blank = if is_known { "\n" } else { "" };
        say!("{blank}The engine `{lower}` is now called `{}`.", row.name);
        is_known |= describe(&|word| word.word == row.name, "\n");
    }
    let Some(code) = codes::find(asked) else {
        return if is_known { Exit::Done } else { unknown(asked) };
    };
    say!("{}: {}\n\n{}", code.code, code.title, code.text.trim_end());
    if code.grows() {
        say!("This much is always allowed. With more than 64 MB of memory (`--memory`), it grows in proportion.");
    }
    example("Wrong", code.wrong);
    example("Right", code.right);
    Exit::Done
}

/// Prints the words that `is_meant` accepts, with `before` in front of the first one. Returns true if there are any.
fn describe(is_meant: &dyn Fn(&Word) -> bool, before: &str) -> bool {
    let mut is_known = false;
    for group in words::ALL {
        for word in (group.words)().iter().filter(|word| is_meant(word)) {
            let blank = if is_known { "\n" } else { before };
            is_known = true;
            say!("{blank}{} ({}): {}", word.word, group.one, word.title);
            if !word.text.is_empty() {
                say!("\n{}", word.text);
            }
        }
    }
    is_known
}

/// Prints all words and codes, by group.
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
    usage(&format!("there is no word or code `{asked}`{near}; `impasse explain` lists all"))
}

fn example(title: &str, text: &str) {
    if !text.is_empty() {
        say!("\n{title}:\n");
        for line in text.trim_end().lines() {
            say!("    {line}");
        }
    }
}
