//! `impasse man` and `impasse completions`: write manual pages, and completions for shells. Both come from
//! the same definitions as `--help`.

use super::args::{Cli, CompletionsArgs, ManArgs};
use super::drafts::whole;
use super::exit::Exit;
use clap::CommandFactory;
use clap_mangen::Man;
use std::io::{self, Write};
use std::path::Path;

/// Writes a page for the tool and one for each command into the directory, which is created if it is missing.
pub(crate) fn run(args: &ManArgs) -> Exit {
    match pages(&args.directory) {
        Ok(count) => {
            say!("{count} pages in {}", args.directory.display());
            Exit::Done
        }
        Err(error) => {
            tell!("error: cannot write to {}: {error}", args.directory.display());
            Exit::Input
        }
    }
}

fn pages(directory: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(directory)?;
    let mut tool = Cli::command();
    tool.build();
    let mut all = vec![("impasse".to_owned(), tool.clone())];
    for command in tool.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("impasse-{}", command.get_name());
        // clap needs names that live for the whole run. There are few names, so leaking them is harmless.
        let shown: &'static str = Box::leak(name.clone().into_boxed_str());
        all.push((name, command.clone().name(shown).version(env!("CARGO_PKG_VERSION"))));
    }
    for (name, command) in &all {
        whole(&directory.join(format!("{name}.1")), |out| Man::new(command.clone()).render(out))?;
    }
    Ok(all.len())
}

/// Prints the completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "impasse", &mut text);
    super::output::note(io::stdout().write_all(&text));
    Exit::Done
}
