//! What is known about a file so far. Whoever ends the work, the search or the watchdog, reports from here.

use super::args::ReportFormat;
use super::ask::Question;
use super::exit::Exit;
use super::json::{FileReport, ModelReport, SCHEMA, StatsReport};
use super::limits::peak_allocated;
use super::mcc;
use super::output;
use super::report::{self, Shown, Style};
use impasse::Answer;
use impasse::model::Reason;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Instant;

/// How reports look.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) format: ReportFormat,
    pub(crate) style: Style,
}

/// What is known about a file so far.
pub(crate) struct Board {
    pub(crate) file: String,
    /// `None` before it is read.
    pub(crate) model: Option<ModelReport>,
    /// The `--init` that chose the instance.
    pub(crate) init: Option<String>,
    pub(crate) questions: Vec<Question>,
    pub(crate) started: Instant,
    pub(crate) view: View,
    /// Several jobs work: who is first with an answer may differ from run to run.
    pub(crate) many_jobs: bool,
    /// In the order learnt; of a question that several bounds were tried for, the last one is the answer.
    known: Vec<Shown>,
    /// Where in `known` the first answer to a question within a bound is.
    places: BTreeMap<(String, Option<u64>), usize>,
    /// The bound being tried.
    bound: Option<u64>,
    /// The engine whose turn it is.
    engine: &'static str,
    /// Is evidence being written?
    saving: bool,
    /// What went wrong beside the answers.
    trouble: Exit,
}

impl Board {
    /// Nothing is known yet.
    pub(crate) fn new(file: String, questions: Vec<Question>, started: Instant, view: View) -> Self {
        Self {
            file,
            model: None,
            init: None,
            questions,
            started,
            view,
            many_jobs: false,
            known: Vec::new(),
            places: BTreeMap::new(),
            bound: None,
            engine: "none",
            saving: false,
            trouble: Exit::Done,
        }
    }

    /// The search within `bound` begins.
    pub(crate) fn begin(&mut self, bound: Option<u64>) {
        self.bound = bound;
    }

    /// What was learnt in this round about the property called `id`.
    fn about(&mut self, id: &str) -> Option<&mut Shown> {
        let place = self.places.get(&(id.to_owned(), self.bound))?;
        self.known.get_mut(*place)
    }

    /// It is the turn of `engine`.
    pub(crate) fn turn(&mut self, engine: &'static str) {
        self.engine = engine;
    }

    /// Answers are known; their evidence will be written next. One that was known before is replaced (`--shortest`).
    pub(crate) fn learn(&mut self, answers: Vec<Shown>) {
        for shown in answers {
            match self.places.entry((shown.record.id.clone(), shown.record.bound)) {
                Entry::Occupied(place) => self.known[*place.get()] = shown,
                Entry::Vacant(place) => {
                    place.insert(self.known.len());
                    self.known.push(shown);
                }
            }
        }
        self.saving = true;
    }

    /// The evidence of `answers` is in `files`, in the same order; or nowhere if it was not wanted; or could not be written.
    pub(crate) fn saved(&mut self, answers: &[Answer], files: Result<Vec<String>, Exit>) {
        self.saving = false;
        match files {
            Ok(files) => {
                for (answer, file) in answers.iter().zip(files) {
                    if let Some(evidence) = self.about(&answer.property.id).and_then(|s| s.record.evidence.as_mut()) {
                        evidence.file = Some(file);
                    }
                }
            }
            Err(exit) => self.trouble = self.trouble.max(exit),
        }
    }

    /// Counts may have grown since the answer was known.
    pub(crate) fn update(&mut self, answer: &Answer) {
        if let Some(shown) = self.about(&answer.property.id) {
            let replayed = shown.record.stats.replayed;
            shown.record.stats = StatsReport::new(&answer.stats, replayed);
        }
    }

    /// Work ends here for `reason`: what is not known is unknown. `states` have been visited.
    pub(crate) fn cut_off(&mut self, reason: Reason, states: u64) {
        if self.saving {
            tell!("error: {}: stopped before the evidence was written ({reason})", self.file);
            self.trouble = self.trouble.max(Exit::of_reason(reason));
        }
        let seconds = self.started.elapsed().as_secs_f64();
        let answered = |s: &Shown| !s.is_open() || s.record.bound == self.bound;
        let last: BTreeMap<String, bool> = self.known.iter().map(|s| (s.record.id.clone(), answered(s))).collect();
        for question in &self.questions {
            if !last.get(&question.id).is_some_and(|answered| *answered) {
                self.known.push(report::cut_off(question, self.bound, reason, self.engine, states, seconds));
            }
        }
        if self.questions.is_empty() {
            self.trouble = self.trouble.max(Exit::of_reason(reason));
        }
    }

    /// Prints the report in the order asked; the worst of the answers is the result.
    pub(crate) fn print(&mut self) -> Exit {
        let position: BTreeMap<&str, usize> =
            self.questions.iter().enumerate().map(|(i, q)| (q.id.as_str(), i)).collect();
        self.known.sort_by_cached_key(|s| (position.get(s.record.id.as_str()).copied(), s.record.bound));
        self.places.clear();
        // Of several answers to one question the last counts.
        let last: BTreeMap<&str, Exit> = self.known.iter().map(|s| (s.record.id.as_str(), s.exit)).collect();
        let exit = self
            .questions
            .iter()
            .filter_map(|q| last.get(q.id.as_str()).copied())
            .max()
            .unwrap_or(Exit::Done)
            .max(self.trouble);
        let report = FileReport {
            schema: SCHEMA,
            file: self.file.clone(),
            model: self.model.clone(),
            init: self.init.clone(),
            nondeterministic: self.many_jobs,
            properties: self.known.iter().map(|s| s.record.clone()).collect(),
            seconds: self.started.elapsed().as_secs_f64(),
            peak_bytes: peak_allocated(),
        };
        let text = match self.view.format {
            ReportFormat::Text => {
                let bodies: Vec<String> = self.known.iter().map(|s| s.body.clone()).collect();
                report::text(&report, &bodies, self.view.style)
            }
            ReportFormat::Mcc => mcc::lines(&self.questions, &report.properties),
            ReportFormat::Json => match serde_json::to_string(&report) {
                Ok(line) => line + "\n",
                Err(_) => return Exit::Internal,
            },
        };
        output::write(&text);
        exit
    }
}

/// Files that nobody has read.
pub(crate) struct Unread {
    /// With what would have been asked.
    pub(crate) files: Vec<(String, Vec<Question>)>,
    pub(crate) view: View,
}

impl Unread {
    /// Reports that they stay so.
    pub(crate) fn print(self, reason: Reason) -> Exit {
        let started = Instant::now();
        let mut worst = Exit::Done;
        for (file, questions) in self.files {
            tell!("error: {file}: stopped before it was read ({reason})");
            let mut board = Board::new(file, questions, started, self.view);
            board.cut_off(reason, 0);
            worst = worst.max(board.print());
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::ColorWhen;
    use crate::cli::text::Paint;

    fn board() -> Board {
        let paint = Paint::new(ColorWhen::Never, &std::io::stdout());
        let style = Style { verbose: false, quiet: true, shortest: false, paint };
        let questions = vec![Question::unread("deadlock"), Question::unread("bad")];
        Board::new("m".to_owned(), questions, Instant::now(), View { format: ReportFormat::Text, style })
    }

    #[test]
    fn a_cut_names_the_engine_in_turn_and_its_states() {
        let mut board = board();
        board.turn("explicit");
        board.cut_off(Reason::Timeout, 7);
        assert_eq!(board.known.len(), 2);
        assert!(board.known.iter().all(|s| s.record.engine == "explicit" && s.record.stats.states == 7));
        assert_eq!(board.trouble, Exit::Done, "nothing was being written");
    }

    #[test]
    fn a_cut_while_evidence_is_written_keeps_the_answer() {
        let mut board = board();
        let mut answer = report::cut_off(&board.questions[1], None, Reason::GaveUp, "explicit", 3, 0.0);
        answer.record.verdict = "safe";
        answer.exit = Exit::Done;
        board.learn(vec![answer]);
        board.cut_off(Reason::Memory, 7);
        let verdicts: Vec<_> = board.known.iter().map(|s| (s.record.id.as_str(), s.record.verdict)).collect();
        assert_eq!(verdicts, [("bad", "safe"), ("deadlock", "unknown")]);
        assert_eq!(board.trouble, Exit::UnknownMemory, "the evidence is missing");
    }

    /// Bounds 1 and 2 leave it open, 3 settles it: the exit code is that of the last answer, and a cut adds nothing.
    #[test]
    fn of_several_bounds_the_last_one_counts() {
        let mut board = board();
        board.questions.truncate(1);
        for bound in 1..=3 {
            board.begin(Some(bound));
            let reason = Reason::Bound;
            let mut answer = report::cut_off(&board.questions[0], Some(bound), reason, "explicit", 3, 0.0);
            if bound == 3 {
                answer.record.verdict = "safe";
                answer.exit = Exit::Done;
            }
            board.learn(vec![answer]);
            board.saving = false;
        }
        assert_eq!(board.print(), Exit::Done);
        board.cut_off(Reason::Timeout, 7);
        assert_eq!((board.known.len(), board.print()), (3, Exit::Done));
        board.known.pop();
        board.cut_off(Reason::Timeout, 7);
        assert_eq!((board.known.len(), board.print()), (3, Exit::UnknownTimeout));
    }
}
