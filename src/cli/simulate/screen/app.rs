//! The state of the stepper, and what keys change in it. It knows no terminal.

use super::model::{Begin, Model};
use super::prompt::{Ask, Prompt, Values};
use super::rows::{self, Does, Part, Row};
use super::search::Search;
use num_bigint::BigUint;
use ratatui::layout::Rect;
use std::sync::Arc;
use view::machine::path::{LONGEST, Path, Pick};
use view::machine::views::{RefusedPage, StateView, StepView, Target};
use view::machine::{MachineError, SearchOutcome};
use view::text::{count, plural};

/// Number of steps after which a random run without a violation ends.
const CHASE: usize = 10_000;

/// A part of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pane {
    Choices,
    Path,
    State,
    Refused,
}

impl Pane {
    pub(super) const ALL: [Self; 4] = [Self::Choices, Self::Path, Self::State, Self::Refused];

    pub(super) fn beside(self, by: usize) -> Self {
        Self::ALL[(self as usize + by) % Self::ALL.len()]
    }
}

/// What the keys mean now.
#[derive(Debug, Default)]
pub(super) enum Mode {
    #[default]
    Stepping,
    Asking(Prompt),
    Helping,
    Over,
}

/// The line and the filter of a pane.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// The chosen line.
    pub(super) line: usize,
    pub(super) filter: String,
    /// Where the lines were drawn, and the number of the first one.
    pub(super) area: Rect,
    pub(super) top: usize,
}

/// A message in the last line but one.
pub(super) struct Message {
    pub(super) text: String,
    pub(super) is_complaint: bool,
}

/// The stepper.
pub(super) struct App {
    pub(super) model: Arc<Model>,
    /// The path, with the steps that were taken back.
    path: Path,
    /// Number of steps that are taken.
    pub(super) at: usize,
    /// The state after these steps.
    pub(super) state: StateView,
    /// The last of these steps.
    pub(super) last: Option<StepView>,
    pub(super) rows: Vec<Row>,
    pub(super) parts: Vec<Part>,
    pub(super) pane: Pane,
    pub(super) views: [View; 4],
    pub(super) mode: Mode,
    pub(super) message: Option<Message>,
    pub(super) search: Option<Search>,
    /// Number of labels that are not enabled and fit the filter, as of the last picture.
    pub(super) refused_lines: usize,
    most: usize,
    seed: u64,
    pub(super) has_colours: bool,
    pub(super) has_mouse: bool,
}

impl App {
    /// Creates the stepper.
    ///
    /// # Errors
    /// A message for the user, if there is no such path.
    pub(super) fn new(model: Model, begin: Begin) -> Result<Self, String> {
        let at = begin.at.min(begin.path.picks.len());
        let here = first(&begin.path, at);
        let words = |wrong: MachineError| wrong.message().to_owned();
        let state = model.machine.state(&model.problem, &here, "").map_err(words)?;
        let mut app = Self {
            model: Arc::new(model),
            path: begin.path,
            at: 0,
            state,
            last: None,
            rows: Vec::new(),
            parts: Vec::new(),
            pane: Pane::Choices,
            views: Default::default(),
            mode: Mode::Stepping,
            message: None,
            search: None,
            refused_lines: 0,
            most: begin.most.min(LONGEST),
            seed: begin.seed,
            has_colours: begin.has_colours,
            has_mouse: false,
        };
        app.go(at);
        if !app.model.machine.start_fields().is_empty() && app.path.picks.is_empty() {
            app.say("there are several initial states: i chooses another one".to_owned());
        }
        Ok(app)
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.mode, Mode::Over)
    }

    pub(super) fn has_mouse(&self) -> bool {
        self.has_mouse
    }

    /// The number of steps of the path, with those that were taken back.
    pub(super) fn length(&self) -> usize {
        self.path.picks.len()
    }

    /// The path up to the current step.
    pub(super) fn here(&self) -> Path {
        first(&self.path, self.at)
    }

    pub(super) fn view(&mut self, pane: Pane) -> &mut View {
        &mut self.views[pane as usize]
    }

    /// The chosen line of a pane.
    pub(super) fn line(&self, pane: Pane) -> usize {
        self.views[pane as usize].line
    }

    pub(super) fn say(&mut self, text: String) {
        self.message = Some(Message { text, is_complaint: false });
    }

    pub(super) fn complain(&mut self, text: String) {
        self.message = Some(Message { text, is_complaint: true });
    }

    /// What is printed when the stepper has ended.
    pub(super) fn last_line(&self) -> String {
        let reached = match self.state.reached.is_empty() {
            true => String::new(),
            false => format!(", which reaches {}", self.state.reached.join(", ")),
        };
        format!("{}: {}{reached}", self.model.file, plural(self.at as u64, "step"))
    }

    /// Ends a search, or clears the filter of the pane.
    pub(super) fn clear(&mut self) {
        if self.search.take().is_some() {
            self.say("the search was ended".to_owned());
        } else {
            self.filter(String::new());
        }
    }

    pub(super) fn page(&self) -> isize {
        isize::try_from(self.views[self.pane as usize].area.height.max(2) - 1).unwrap_or(1)
    }

    /// The number of lines of a pane.
    pub(super) fn lines(&self, pane: Pane) -> usize {
        match pane {
            Pane::Choices => self.rows.len(),
            Pane::Path => self.length() + 1,
            Pane::State => self.parts.len(),
            Pane::Refused => self.refused_lines,
        }
    }

    pub(super) fn move_by(&mut self, by: isize) {
        let last = self.lines(self.pane).saturating_sub(1);
        let view = self.view(self.pane);
        view.line = view.line.saturating_add_signed(by).min(last);
    }

    /// Does what the chosen line stands for.
    pub(super) fn choose(&mut self) {
        match self.pane {
            Pane::Path => {
                let step = self.view(Pane::Path).line;
                self.go(step);
            }
            Pane::Choices => match self.rows.get(self.line(Pane::Choices)).map(|row| row.does.clone()) {
                Some(Does::Take(pick)) => self.take(pick),
                Some(Does::Ask(label)) => self.ask_values(label),
                None => self.complain("no step is enabled here: Left goes back".to_owned()),
            },
            Pane::State | Pane::Refused => self.say("Tab leads to the enabled steps".to_owned()),
        }
    }

    fn ask_values(&mut self, label: u32) {
        let Some(choice) = self.state.choices.iter().find(|choice| choice.label == label) else { return };
        let values = Values { label: Some(label), fields: choice.fields.clone(), given: Vec::new() };
        self.mode = Mode::Asking(Prompt::new(Ask::Values(values)));
    }

    pub(super) fn ask_start(&mut self) {
        let fields = self.model.machine.start_fields();
        if fields.is_empty() {
            return self.say("there is one initial state".to_owned());
        }
        let values = Values { label: None, fields, given: Vec::new() };
        self.mode = Mode::Asking(Prompt::new(Ask::Values(values)));
    }

    /// Takes a step. Later steps of the path stay if it is the same step as before.
    pub(super) fn take(&mut self, pick: Pick) {
        if self.path.picks.get(self.at) == Some(&pick) {
            return self.go(self.at + 1);
        }
        if self.at >= self.most {
            return self.complain(format!("a path has at most {}", plural(self.most as u64, "step")));
        }
        let longer = self.here().and([pick]);
        self.follow(longer, self.at + 1);
    }

    /// Begins with another initial state.
    pub(super) fn begin_at(&mut self, start: BigUint) {
        self.follow(Path { start, picks: Arc::default() }, 0);
    }

    /// Goes to a step of the path.
    pub(super) fn go(&mut self, at: usize) {
        self.follow(self.path.clone(), at);
    }

    /// Goes to a step of another path. Nothing changes if the path is not possible.
    fn follow(&mut self, path: Path, at: usize) {
        let (machine, problem) = (&self.model.machine, &self.model.problem);
        let query = &self.views[Pane::Choices as usize].filter;
        let looked = machine.state(problem, &first(&path, at), query).and_then(|state| {
            let last = machine.steps(problem, &path, at.saturating_sub(1), at)?.pop();
            Ok((state, last))
        });
        match looked {
            Ok((state, last)) => {
                (self.path, self.at, self.state, self.last) = (path, at, state, last);
                self.rows = rows::of_choices(&self.state.choices);
                self.view(Pane::Choices).line = 0;
                self.view(Pane::Path).line = at;
                self.view(Pane::Refused).line = 0;
                self.list_parts();
            }
            Err(wrong) => self.complain(wrong.message().to_owned()),
        }
    }

    fn list_parts(&mut self) {
        self.parts = rows::of_state(&self.state, self.last.as_ref(), &self.views[Pane::State as usize].filter);
        let last = self.parts.len().saturating_sub(1);
        let view = self.view(Pane::State);
        view.line = view.line.min(last);
    }

    /// Shows only the lines of the current pane that contain a text.
    pub(super) fn filter(&mut self, text: String) {
        if self.pane == Pane::Path {
            return self.say("the path has no filter: s searches, g goes to a step".to_owned());
        }
        let view = self.view(self.pane);
        (view.filter, view.line) = (text, 0);
        let line = self.view(Pane::Path).line;
        self.go(self.at);
        self.view(Pane::Path).line = line;
    }

    /// Takes random steps, until one of the targets.
    pub(super) fn random(&mut self, steps: usize, until: &[Target]) {
        let here = self.here();
        let steps = steps.min(self.most.saturating_sub(self.at));
        self.seed = self.seed.wrapping_add(1);
        let run = self.model.machine.random(&self.model.problem, &here, steps, self.seed, until);
        let (run, path) = match run.and_then(|run| Ok((Path::read(&run.path).map_err(MachineError::Internal)?, run))) {
            Ok((path, run)) => (run, path),
            Err(wrong) => return self.complain(wrong.message().to_owned()),
        };
        let length = path.picks.len();
        let taken = length - self.at;
        self.follow(path, length);
        let why = if run.ended { ", and then nothing can be taken" } else { "" };
        self.say(format!("{}{why}", plural(taken as u64, "random step")));
    }

    /// Takes random steps until a property is violated.
    pub(super) fn chase(&mut self) {
        let properties = self.model.problem.properties().iter().filter(|p| !p.goal.is_temporal());
        let mut until: Vec<Target> = properties.map(|p| Target::Property(p.id.clone())).collect();
        if self.model.problem.system().as_program().is_some() {
            until.push(Target::Property("deadlock".to_owned()));
        }
        if until.is_empty() {
            return self.complain("the model has no property that a state violates".to_owned());
        }
        self.random(CHASE, &until);
        if self.state.reached.is_empty() {
            self.say(format!("no violation in {}", plural(CHASE as u64, "random step")));
        }
    }

    /// Starts a search from the current state.
    pub(super) fn find(&mut self, text: &str) {
        self.search = Search::start(&self.model, self.here(), text);
        if self.search.is_none() {
            self.complain("the machine cannot start a search".to_owned());
        }
    }

    /// Uses the result of the search, if it has ended.
    pub(super) fn look_at_search(&mut self) {
        let Some((result, text)) = self.search.as_ref().and_then(|s| Some((s.result()?, s.text.clone()))) else {
            return;
        };
        self.search = None;
        match result {
            Ok(SearchOutcome::Path(path)) => {
                let (length, from) = (path.picks.len(), self.at);
                self.follow(path, length);
                self.say(format!("found after {}: {text}", plural((length - from.min(length)) as u64, "step")));
            }
            Ok(SearchOutcome::Nowhere(states)) => {
                self.say(format!("not reachable from here: {text} ({} visited)", plural(states as u64, "state")));
            }
            Ok(SearchOutcome::Cut(states)) => {
                self.complain(format!("not found in the {} states nearest to here: {text}", count(states as u64)));
            }
            Err(wrong) => self.complain(wrong.message().to_owned()),
        }
    }

    /// Returns the steps `from..to` of the path.
    pub(super) fn steps(&self, from: usize, to: usize) -> Vec<StepView> {
        self.model.machine.steps(&self.model.problem, &self.path, from, to).unwrap_or_default()
    }

    /// Returns some of the labels that are not enabled.
    pub(super) fn refused(&self, from: usize, limit: usize) -> RefusedPage {
        let query = &self.views[Pane::Refused as usize].filter;
        let page = self.model.machine.refused(&self.here(), query, from, limit);
        page.unwrap_or(RefusedPage { total: 0, items: Vec::new() })
    }
}

/// Returns the first `at` steps of a path.
fn first(path: &Path, at: usize) -> Path {
    match at >= path.picks.len() {
        true => path.clone(),
        false => Path { start: path.start.clone(), picks: Arc::new(path.picks[..at].to_vec()) },
    }
}
