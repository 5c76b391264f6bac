//! `impasse lsp`: a language server for `.rwb` files over standard input and output. `docs/editor.md` describes what it
//! does, and how editors start it.
//!
//! One thread reads messages (`transport.rs`), one writes them, one reads the texts as `check` does, to find their
//! mistakes (`diagnose.rs`), and each check is a process of its own with a thread that waits for it (`check.rs`). All
//! of them send events to the main loop (`session.rs`), which owns the texts and answers requests from the index of
//! names ([`impasse::formats::index`]). So no request waits for a check, and there are no locks.

mod arrange;
mod check;
mod checking;
mod complete;
mod diagnose;
mod documents;
mod event;
mod feature;
mod hover;
mod lens;
mod lines;
mod outline;
mod rename;
mod report;
mod requests;
mod server;
mod session;
mod spot;
mod transport;

use super::args::{LimitArgs, LspArgs, ProgressArg};
use super::exit::Exit;
use super::limits::Watch;
use event::Event;
use server::Server;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Interval at which the server looks whether it should end.
const TICK: Duration = Duration::from_millis(100);

pub(super) fn run(args: &LspArgs) -> Exit {
    let watch = Watch::start(&LimitArgs { timeout: None, memory: args.memory, progress: ProgressArg::Never });
    watch.set_last_words(|reason| {
        tell!("error: {}", super::limits::ended("server", reason));
        Exit::of_reason(reason)
    });
    let exit = serve(args, &watch);
    watch.take_over();
    exit
}

/// Answers messages until the client ends the server, closes its input, or Ctrl-C.
fn serve(args: &LspArgs, watch: &Watch) -> Exit {
    let (sender, events) = mpsc::channel();
    transport::read(sender.clone());
    let writer = transport::Writer::start();
    let mut server = match Server::new(args, sender, writer.sender()) {
        Ok(server) => server,
        Err(error) => {
            tell!("error: cannot make a directory for checks: {error}");
            return Exit::Input;
        }
    };
    let stop = watch.stop();
    let exit = loop {
        match events.recv_timeout(TICK) {
            Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => break server.end(),
            Ok(event) => {
                if let Some(exit) = server.handle(event) {
                    break exit;
                }
            }
            Err(RecvTimeoutError::Timeout) if stop.raised().is_some() => break Exit::Interrupted,
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    drop(server);
    writer.finish();
    exit
}
