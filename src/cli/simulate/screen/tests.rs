//! Keys are pressed, and the picture is read.

use super::app::App;
use super::model::{Begin, Model};
use super::view;
use ::view::machine::path::Path;
use impasse::formats::{self, Source};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use search::rng::Rng;
use std::time::{Duration, Instant};

const LOCK: &str = "rwb 1
event enter[2], leave[2]
for i in 0..2 {
  thread Worker[i] { body { loop { request enter[i]  request leave[i] } } }
}
thread Mutex { body { loop { sync wait enter[*] block leave[*]  sync wait leave[*] block enter[*] } } }
thread Watch {
  state none_in { on enter[*] -> one_in }
  state one_in  { on leave[*] -> none_in  on enter[*] -> two_in }
  state two_in  { bad }
}
";

const DEADLOCK: &str = "rwb 1
event a, b, c
thread One { body { request a  request b } }
thread Two { body { request c } }
";

const NET: &str = "vars
  free busy waiting
rules
  free >= 1, waiting >= 1 -> free' = free - 1, waiting' = waiting - 1, busy' = busy + 1;
  busy >= 1 -> busy' = busy - 1, free' = free + 1;
init
  free = 1, busy = 0, waiting = 3
target
  busy >= 2
";

const CIRCUIT: &str = "aag 3 2 1 1 0
2
4
6 2
6
";

const DATA: &str = "rwb 2
event level(v: int)
thread Sensor {
  var last: int = 0
  body { loop { request level(v) when v > last  last = v } }
}
";

/// A terminal of this size with the stepper.
struct Seat {
    app: App,
    terminal: Terminal<TestBackend>,
}

impl Seat {
    fn at(name: &str, text: &str, (width, height): (u16, u16)) -> Self {
        let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
        let read = readers::read(source, None, &formats::Limits::default()).expect("the model is read");
        let machine = ::view::kind::of(&read.problem).explored();
        let model = Model { file: name.to_owned(), problem: read.problem, machine };
        let begin = Begin { path: Path::default(), at: 0, most: usize::MAX, seed: 7, has_colours: false };
        let app = App::new(model, begin).expect("the start");
        Self { app, terminal: Terminal::new(TestBackend::new(width, height)).expect("a backend in memory") }
    }

    fn key(&mut self, code: KeyCode) {
        self.app.handle(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    /// Presses a key for each letter. A line break stands for Enter.
    fn types(&mut self, text: &str) {
        for letter in text.chars() {
            self.key(if letter == '\n' { KeyCode::Enter } else { KeyCode::Char(letter) });
        }
    }

    /// Draws, and returns the picture as lines.
    fn picture(&mut self) -> String {
        self.terminal.draw(|frame| view::draw(&mut self.app, frame)).expect("drawing in memory");
        let buffer = self.terminal.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..buffer.area.height).map(|y| row(y).trim_end().to_owned() + "\n").collect()
    }

    fn wait_for_search(&mut self) {
        let started = Instant::now();
        while self.app.search.is_some() {
            assert!(started.elapsed() < Duration::from_secs(60), "the search does not end");
            self.app.look_at_search();
        }
    }
}

const USUAL: (u16, u16) = (100, 24);

#[test]
fn the_start_shows_steps_state_and_refusals() {
    let mut seat = Seat::at("lock.rwb", LOCK, USUAL);
    insta::assert_snapshot!("start", seat.picture());
    seat.key(KeyCode::Enter);
    insta::assert_snapshot!("after_a_step", seat.picture());
}

#[test]
fn steps_back_keep_the_later_steps_until_another_one_is_taken() {
    let mut seat = Seat::at("lock.rwb", LOCK, USUAL);
    seat.types("\n\n\n");
    assert_eq!((seat.app.at, seat.app.length()), (3, 3));
    seat.key(KeyCode::Left);
    seat.key(KeyCode::Left);
    assert_eq!((seat.app.at, seat.app.length()), (1, 3));
    assert!(seat.picture().contains("step 1 of 3"));
    seat.key(KeyCode::Right);
    assert_eq!((seat.app.at, seat.app.length()), (2, 3));
    seat.types("g0\n");
    assert_eq!(seat.app.at, 0);
    seat.types("\n");
    assert_eq!((seat.app.at, seat.app.length()), (1, 3), "the same step keeps the path");
    seat.types("g0\n");
    seat.key(KeyCode::Down);
    seat.types("\n");
    assert_eq!((seat.app.at, seat.app.length()), (1, 1), "another step begins another path");
    seat.types("g9\n");
    assert!(seat.picture().contains("the path has 1 steps"));
}

#[test]
fn a_violation_is_named_and_nothing_can_be_taken() {
    let mut seat = Seat::at("deadlock.rwb", DEADLOCK, USUAL);
    seat.types("x");
    assert_eq!(seat.app.state.reached, ["deadlock"]);
    insta::assert_snapshot!("deadlock", seat.picture());
    seat.types("\n");
    assert!(seat.picture().contains("no step is enabled here"));
}

#[test]
fn a_search_finds_an_event_a_formula_or_nothing() {
    let mut seat = Seat::at("deadlock.rwb", DEADLOCK, USUAL);
    seat.types("sb\n");
    seat.wait_for_search();
    assert!(seat.picture().contains("found after 2 steps: b"), "{}", seat.picture());
    seat.types("g0\nszzz\n");
    seat.wait_for_search();
    assert!(seat.picture().contains("not reachable from here: zzz (6 states visited)"), "{}", seat.picture());
    let mut seat = Seat::at("net.spec", NET, USUAL);
    seat.types("swaiting = 1 && busy = 1\n");
    seat.wait_for_search();
    assert!(seat.picture().contains("found after 3 steps"), "{}", seat.picture());
    seat.types("swaiting ==== 1\n");
    seat.wait_for_search();
    assert!(seat.app.message.as_ref().is_some_and(|message| message.is_complaint));
}

#[test]
fn panes_are_filtered_and_reached_by_tab() {
    let mut seat = Seat::at("lock.rwb", LOCK, USUAL);
    seat.types("/enter[1\n");
    assert_eq!(seat.app.rows.len(), 1);
    seat.key(KeyCode::Esc);
    assert_eq!(seat.app.rows.len(), 2);
    seat.key(KeyCode::Tab);
    seat.key(KeyCode::Tab);
    seat.types("/Work\n");
    assert_eq!(seat.app.parts.len(), 2);
    insta::assert_snapshot!("filtered", seat.picture());
}

#[test]
fn a_net_shows_what_places_lack() {
    let mut seat = Seat::at("net.spec", NET, USUAL);
    insta::assert_snapshot!("net", seat.picture());
}

#[test]
fn many_outcomes_are_asked_for() {
    let mut seat = Seat::at("circuit.aag", CIRCUIT, USUAL);
    insta::assert_snapshot!("circuit", seat.picture());
    let mut seat = Seat::at("data.rwb", DATA, USUAL);
    seat.types("\n");
    seat.picture();
}

#[test]
fn help_narrow_and_tiny_terminals() {
    let mut seat = Seat::at("lock.rwb", LOCK, (100, 30));
    seat.types("?");
    insta::assert_snapshot!("help", seat.picture());
    seat.types("z");
    assert!(seat.picture().contains("enabled: 2"));
    let mut seat = Seat::at("lock.rwb", LOCK, (40, 12));
    insta::assert_snapshot!("narrow", seat.picture());
    let mut seat = Seat::at("lock.rwb", LOCK, (20, 5));
    assert!(seat.picture().contains("the terminal is too"));
}

#[test]
fn the_mouse_chooses_and_takes() {
    let mut seat = Seat::at("lock.rwb", LOCK, USUAL);
    seat.picture();
    let click = |row| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        Event::Mouse(MouseEvent { kind, column: 5, row, modifiers: KeyModifiers::NONE })
    };
    seat.app.handle(&click(3));
    assert_eq!(seat.app.at, 0, "the first click chooses");
    seat.app.handle(&click(3));
    assert_eq!(seat.app.at, 1, "the second one takes");
}

#[test]
fn a_path_is_written_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("run.json");
    let mut seat = Seat::at("deadlock.rwb", DEADLOCK, USUAL);
    seat.types(&format!("xw{}\n", file.display()));
    let written = std::fs::read_to_string(&file).expect("the evidence");
    assert!(written.contains("deadlock"), "{written}");
    seat.types(&format!("w{}\n", file.display()));
    assert!(seat.app.message.as_ref().is_some_and(|message| message.is_complaint), "it exists already");
    seat.types("wrun.txt\n");
    assert!(seat.picture().contains("must end with"));
}

/// Keys in any order on any kind of system and any size of the terminal: nothing fails, and the path stays a path.
#[test]
fn no_order_of_keys_fails() {
    let models = [
        ("lock.rwb", LOCK),
        ("deadlock.rwb", DEADLOCK),
        ("net.spec", NET),
        ("circuit.aag", CIRCUIT),
        ("data.rwb", DATA),
    ];
    let keys = "jjkk\n\n\n\n\nuuh?grx/ims0123456789abct\t\x1b<>^v";
    let keys: Vec<char> = keys.chars().collect();
    let mut random = Rng(1);
    for (name, text) in models {
        let size =
            (u16::try_from(random.below(160)).unwrap_or(0) + 1, u16::try_from(random.below(50)).unwrap_or(0) + 1);
        let mut seat = Seat::at(name, text, size);
        for _ in 0..400 {
            let key = match keys[random.below(keys.len())] {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                '\x1b' => KeyCode::Esc,
                '<' => KeyCode::Left,
                '>' => KeyCode::Right,
                '^' => KeyCode::PageUp,
                'v' => KeyCode::PageDown,
                letter => KeyCode::Char(letter),
            };
            seat.key(key);
            if random.below(20) == 0 {
                seat.picture();
            }
            seat.app.look_at_search();
            assert!(seat.app.at <= seat.app.length());
        }
        seat.picture();
    }
}
