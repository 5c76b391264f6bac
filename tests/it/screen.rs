//! What a user sees on a terminal: the stepper of `simulate`, driven key by key in a pseudo-terminal.

use crate::tool::{PATIENCE, scratch};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const ROWS: NonZero<u16> = NonZero::new(24).expect("it is not 0");
const COLUMNS: NonZero<u16> = NonZero::new(100).expect("it is not 0");
const SIZE: PtySize = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };

/// A terminal with a command in it.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    parser: Arc<Mutex<vt100::Parser>>,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    fn run(args: &[&str]) -> Self {
        let pair = native_pty_system().openpty(SIZE).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_impasse"));
        command.args(args);
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).expect("the tool starts");
        let mut output = pair.master.try_clone_reader().expect("a reader");
        let keys = pair.master.take_writer().expect("a writer");
        let parser = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let screen = Arc::clone(&parser);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                screen.lock().unwrap_or_else(PoisonError::into_inner).process(&bytes[..count]);
            }
        });
        Self { child, keys, parser, _master: pair.master }
    }

    fn type_in(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keys.flush().expect("the terminal takes keys");
    }

    fn picture(&self) -> String {
        self.parser.lock().unwrap_or_else(PoisonError::into_inner).screen().contents()
    }

    fn is_full_screen(&self) -> bool {
        self.parser.lock().unwrap_or_else(PoisonError::into_inner).screen().alternate_screen()
    }

    /// Waits until the picture contains a text.
    fn wait_for(&self, text: &str) {
        let started = Instant::now();
        while !self.picture().contains(text) {
            assert!(started.elapsed() < PATIENCE, "`{text}` does not appear:\n{}", self.picture());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the end, and returns the exit code.
    fn end(&mut self) -> u32 {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.exit_code();
            }
            assert!(started.elapsed() < PATIENCE, "the tool does not end:\n{}", self.picture());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn the_stepper_uses_the_screen_and_gives_it_back() {
    let mut terminal = Terminal::run(&["simulate", "examples/water_tank_free.rwb"]);
    terminal.wait_for("step 0");
    assert!(terminal.is_full_screen());
    terminal.type_in("\r");
    terminal.wait_for("step 1");
    terminal.type_in("x");
    terminal.wait_for("reaches bad");
    terminal.type_in("g1\r");
    terminal.wait_for("step 1 of");
    terminal.type_in("q");
    terminal.wait_for("examples/water_tank_free.rwb: 1 step");
    assert!(!terminal.is_full_screen());
    assert_eq!(terminal.end(), 0);
}

#[test]
fn ctrl_c_and_sigterm_give_the_screen_back() {
    let mut terminal = Terminal::run(&["simulate", "examples/water_tank_free.rwb"]);
    terminal.wait_for("step 0");
    terminal.type_in("\x03");
    terminal.wait_for("0 steps");
    assert_eq!(terminal.end(), 0);
    let mut terminal = Terminal::run(&["simulate", "examples/water_tank_free.rwb"]);
    terminal.wait_for("step 0");
    let id = terminal.child.process_id().expect("a process");
    let killed = std::process::Command::new("kill").arg(id.to_string()).status().expect("kill");
    assert!(killed.success());
    terminal.wait_for("stopped (interrupted)");
    assert!(!terminal.is_full_screen());
    assert_eq!(terminal.end(), 130);
}

#[test]
fn lines_stay_available_on_a_terminal() {
    let mut terminal = Terminal::run(&["simulate", "examples/water_tank_free.rwb", "--lines"]);
    terminal.wait_for("> ");
    assert!(!terminal.is_full_screen());
    terminal.type_in("1\rq\r");
    assert_eq!(terminal.end(), 0);
}

/// A net in which no engine finds an answer soon.
const ENDLESS: &str = "vars
  x y sum copy
rules
  x >= 0 -> x' = x + 1, sum' = sum + x, y' = y + 1, copy' = copy + y;
init
  x = 0, y = 0, sum = 0, copy = 0
target
  sum >= 1, copy = 0
";

#[test]
fn each_engine_has_a_line_while_it_works() {
    let file = scratch("progress_lines").join("endless.spec");
    std::fs::write(&file, ENDLESS).expect("the model is written");
    let file = file.to_str().expect("a plain path");
    let mut terminal = Terminal::run(&["check", file, "--ask", "AG sum = copy", "--timeout", "8s"]);
    for text in ["cover.greedy", "walk", " walks", "> ", "MiB"] {
        terminal.wait_for(text);
    }
    terminal.wait_for("UNKNOWN (timeout)");
    assert_eq!(terminal.end(), 31);
    let picture = terminal.picture();
    assert!(picture.contains("Tried: ") && picture.contains("May help: "), "{picture}");
    assert!(!picture.contains("> "), "the lines are removed:\n{picture}");
}
