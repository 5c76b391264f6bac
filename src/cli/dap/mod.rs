//! `impasse dap`: a debugger for concurrent models, by the debug adapter protocol over standard input and output.
//! `docs/editor.md` describes what it does, and how editors start it.
//!
//! The protocol is small as far as it is used here, so `protocol.rs` reads and writes its messages itself. A model is
//! opened as `impasse explore` opens it (`model.rs`), and the debugger keeps a path (`debugger.rs`): a step back is a
//! shorter path. Each thread of a program is a thread of the debugger, with one frame at the line where it is.

mod breakpoints;
mod debugger;
mod model;
mod protocol;
mod requests;

use super::args::{Common, DapArgs, LimitArgs, ProgressArg};
use super::exit::Exit;
use super::limits::Watch;
use debugger::Debugger;
use protocol::{Client, Request, read};
use std::io::{self, BufReader};

pub(super) fn run(args: &DapArgs, common: &Common) -> Exit {
    let watch = Watch::start(&LimitArgs { timeout: None, memory: args.memory, progress: ProgressArg::Never });
    watch.set_last_words(|reason| {
        tell!("error: {}", super::limits::ended("debugger", reason));
        Exit::of_reason(reason)
    });
    let mut debugger = Debugger::new(Client::new(io::stdout()), common.clone());
    let mut input = BufReader::new(io::stdin().lock());
    let mut has_ended = false;
    while !has_ended && let Some(request) = read::<Request>(&mut input) {
        match request {
            Ok(request) => has_ended = debugger.answer(&request),
            Err(why) => debugger.client.output("stderr", &format!("a message was not understood: {why}\n")),
        }
    }
    watch.take_over();
    Exit::Done
}
