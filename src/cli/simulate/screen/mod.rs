//! `impasse simulate` on a terminal: a full-screen stepper. It shows the enabled steps, the path so far, the state, and
//! what is not enabled and why.
//!
//! The stepper asks the same machine as `explore` (`crates/view/src/machine`). [`app`] is what is shown, and [`events`]
//! says what keys change in it. Both know no terminal, so tests press keys and read the picture. This file has the loop
//! that connects both with the terminal.

mod app;
mod events;
mod keys;
mod model;
mod prompt;
mod rows;
mod search;
#[cfg(test)]
mod tests;
mod view;

use app::App;
use impasse::model::Stop;
pub(crate) use model::{Begin, Model};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use std::io::{self, stdout};
use std::time::Duration;

/// Time between two looks at the stop flag and at a search that runs.
const TICK: Duration = Duration::from_millis(100);

/// The terminal in full-screen mode. It is restored when this value is dropped, also after a panic.
struct Screen {
    terminal: DefaultTerminal,
    has_mouse: bool,
}

impl Screen {
    fn open() -> io::Result<Self> {
        Ok(Self { terminal: ratatui::try_init()?, has_mouse: false })
    }

    /// Switches the reports of the mouse on or off. While they are on, the terminal cannot select text.
    fn set_mouse(&mut self, is_on: bool) -> io::Result<()> {
        if is_on != self.has_mouse {
            self.has_mouse = is_on;
            match is_on {
                true => execute!(stdout(), EnableMouseCapture)?,
                false => execute!(stdout(), DisableMouseCapture)?,
            }
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal is gone, nothing is left to restore.
        let _ = self.set_mouse(false);
        restore();
    }
}

/// Leaves the full-screen mode, so that messages can be read.
pub(super) fn restore() {
    let _ = ratatui::try_restore();
}

/// Runs the stepper until the user or `stop` ends it. Returns what to print afterwards.
pub(super) fn run(model: Model, begin: Begin, stop: &Stop) -> io::Result<String> {
    let mut app = App::new(model, begin).map_err(io::Error::other)?;
    let mut screen = Screen::open()?;
    // A picture of a large model takes milliseconds, so it is drawn only if it may have changed.
    let mut has_changed = true;
    while !app.is_over() && stop.raised().is_none() {
        if has_changed {
            screen.terminal.draw(|frame| view::draw(&mut app, frame))?;
        }
        screen.set_mouse(app.has_mouse())?;
        has_changed = app.search.is_some();
        if event::poll(TICK)? {
            app.handle(&event::read()?);
            has_changed = true;
        }
        app.look_at_search();
    }
    Ok(app.last_line())
}
