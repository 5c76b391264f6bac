//! `impasse explain`: what the code of an error or warning means.

use super::args::ExplainArgs;
use super::exit::Exit;
use impasse::formats::codes;

pub(crate) fn run(args: &ExplainArgs) -> Exit {
    let Some(asked) = &args.code else {
        for code in codes::ALL {
            say!("{:<28} {}", code.code, code.title);
        }
        return Exit::Done;
    };
    let Some(code) = codes::find(asked) else {
        return super::usage(&format!("there is no error code `{asked}`; `impasse explain` lists all"));
    };
    say!("{}: {}\n\n{}", code.code, code.title, code.text.trim_end());
    if code.grows() {
        say!("That much is allowed in any case. Beyond 64 MB of memory (`--memory`) it grows in proportion.");
    }
    example("Wrong", code.wrong);
    example("Right", code.right);
    Exit::Done
}

fn example(title: &str, text: &str) {
    if !text.is_empty() {
        say!("\n{title}:\n");
        for line in text.trim_end().lines() {
            say!("    {line}");
        }
    }
}
