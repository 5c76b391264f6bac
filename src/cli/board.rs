//! What is known about a file so far. If the search ends the work, it makes the report from here. If the
//! watchdog ends the work, the watchdog does.

use super::advice::{self, Chosen};
use super::exit::Exit;
use super::json::{EffortReport, FileReport, GrownReport, ModelReport, SCHEMA, StatsReport};
use super::notes::{Note, Notes};
use super::question::Question;
use super::report::{self, Shown};
use super::{efforts, memory};
use impasse::model::{Grown, Growth, Reason, Stop};
use impasse::{Answer, Effort, Efforts};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Instant;

/// The report of a file. Work on the file is over.
#[derive(Clone, Debug)]
pub(crate) struct Filed {
    pub(crate) report: FileReport,
    /// For each property: the lines below its headline.
    pub(crate) bodies: Vec<String>,
    /// The properties that were asked.
    pub(crate) questions: Vec<Question>,
    pub(crate) exit: Exit,
    /// True if work on the file began before the command ended.
    pub(crate) begun: bool,
}

/// What is known about a file so far.
pub(crate) struct Board {
    pub(crate) file: String,
    /// `None` before the file is read.
    pub(crate) model: Option<ModelReport>,
    /// The value of `--init` that chose the initial state.
    pub(crate) init: Option<String>,
    pub(crate) questions: Vec<Question>,
    /// Time at which work on the file began. `None` if it has not begun.
    pub(crate) started: Option<Instant>,
    /// Errors and warnings about the file.
    pub(crate) notes: Notes,
    /// The stop flag of the work, which also counts visited states. `None` before the work begins.
    pub(crate) stop: Option<Arc<Stop>>,
    /// What the engines have done.
    pub(crate) efforts: Arc<Efforts>,
    /// What has grown while the file is read.
    pub(crate) growth: Growth,
    /// The options on which advice about unknown answers depends.
    pub(crate) chosen: Chosen,
    /// True if several threads search the file. The engine that answers first may then differ from run to
    /// run.
    pub(crate) many_jobs: bool,
    /// Answers in the order in which they were found. If several bounds were tried for a question, the last
    /// answer counts.
    known: Vec<Shown>,
    /// For each question and bound: the index in `known` of the first answer.
    places: BTreeMap<(String, Option<u64>), usize>,
    /// The current bound.
    bound: Option<u64>,
    /// The engine that has the current turn.
    engine: &'static str,
    /// True while evidence is being written.
    saving: bool,
    /// The exit code for problems that are not answers.
    trouble: Exit,
}

impl Board {
    /// Creates a board on which nothing is known.
    pub(crate) fn new(file: String, questions: Vec<Question>) -> Self {
        Self {
            file,
            model: None,
            init: None,
            questions,
            started: None,
            notes: Notes::default(),
            stop: None,
            efforts: Arc::default(),
            growth: Growth::default(),
            chosen: Chosen::default(),
            many_jobs: false,
            known: Vec::new(),
            places: BTreeMap::new(),
            bound: None,
            engine: "none",
            saving: false,
            trouble: Exit::Done,
        }
    }

    /// Returns the seconds since the work began.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.map_or(0.0, |started| started.elapsed().as_secs_f64())
    }

    /// Records that the search within `bound` begins.
    pub(crate) fn begin(&mut self, bound: Option<u64>) {
        self.bound = bound;
    }

    /// Returns the answer about the property called `id` within the current bound.
    fn about(&mut self, id: &str) -> Option<&mut Shown> {
        let place = self.places.get(&(id.to_owned(), self.bound))?;
        self.known.get_mut(*place)
    }

    /// Records that it is the turn of `engine`.
    pub(crate) fn turn(&mut self, engine: &'static str) {
        self.engine = engine;
    }

    /// Adds answers. The caller writes their evidence next. With `--shortest`, a property may get a second
    /// answer, which replaces the first one.
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

    /// Records that the evidence of `answers` is in `files`, in the same order. `files` is empty if the user
    /// asked for no evidence, and an error if the evidence could not be written.
    pub(crate) fn saved(&mut self, answers: &[Answer], files: Result<Vec<String>, String>) {
        self.saving = false;
        match files {
            Ok(files) => {
                for (answer, file) in answers.iter().zip(files) {
                    if let Some(evidence) = self.about(&answer.property.id).and_then(|s| s.record.evidence.as_mut()) {
                        evidence.file = Some(file);
                    }
                }
            }
            Err(why) => {
                tell!("error: {why}");
                self.no_evidence(why, Exit::Input);
            }
        }
    }

    /// Records that an answer has no evidence although the user asked for it. The message counts as a warning,
    /// not as an error of the file, because the file was read.
    fn no_evidence(&mut self, message: String, exit: Exit) {
        let (code, file) = ("evidence::not-written", self.file.clone());
        self.notes.warnings.push(Note { code, message, help: None, file, place: None });
        self.trouble = self.trouble.max(exit);
    }

    /// Updates the counts of an answer, which may have grown since the answer was found.
    pub(crate) fn update(&mut self, answer: &Answer) {
        if let Some(shown) = self.about(&answer.property.id) {
            let replayed = shown.record.stats.replayed;
            shown.record.stats = StatsReport::new(&answer.stats, replayed);
        }
    }

    /// Records that the model cannot be read, or that the questions do not fit it.
    pub(crate) fn refuse(&mut self, exit: Exit) {
        self.questions.clear();
        self.trouble = self.trouble.max(exit);
    }

    /// Records whether the file asks nothing. If so, its result is unknown.
    pub(crate) fn asks_nothing(&mut self, nothing: bool) {
        if nothing {
            self.trouble = self.trouble.max(Exit::Unknown);
        }
    }

    /// Records whether some of several questions have mistakes.
    pub(crate) fn has_mistakes(&mut self) {
        if !self.notes.errors.is_empty() {
            self.trouble = self.trouble.max(Exit::Input);
        }
    }

    /// Returns true if a property is unknown because of the memory limit.
    pub(crate) fn lacks_memory(&self) -> bool {
        self.known.iter().any(|s| s.exit == Exit::UnknownMemory)
    }

    /// Returns the reasons of the properties that are unknown. If a property has several answers, the last one counts.
    fn unknown(&self) -> Vec<&'static str> {
        let last: BTreeMap<&str, &Shown> = self.known.iter().map(|s| (s.record.id.as_str(), s)).collect();
        let open = last.into_values().filter(|s| s.is_open());
        open.filter_map(|shown| shown.record.reason).collect()
    }

    /// Returns what may help with answers that are unknown for these reasons.
    fn advice(&self, reasons: &[&str]) -> Vec<String> {
        let chosen = Chosen { many_jobs: self.many_jobs, ..self.chosen };
        advice::about(reasons, chosen, self.model.as_ref(), self.questions.len())
    }

    /// Records that a bug ended the work. Properties without an answer are unknown.
    pub(crate) fn broke(&mut self) {
        self.cut_off(Reason::GaveUp);
        self.trouble = Exit::Internal;
    }

    /// Ends the work for `reason`. Properties without an answer are unknown.
    pub(crate) fn cut_off(&mut self, reason: Reason) {
        let states = self.stop.as_ref().map_or(0, |stop| stop.reported_states());
        if self.model.is_none() {
            let grown = self.grown(&[]).map_or_else(String::new, |grown| format!(": {}", efforts::grown(&grown)));
            tell!("error: {}: stopped before it was read ({reason}){grown}", self.file);
        }
        if self.saving {
            tell!("error: {}: stopped before the evidence was written ({reason})", self.file);
            self.no_evidence(format!("stopped before the evidence was written ({reason})"), Exit::of_reason(reason));
        }
        let seconds = self.seconds();
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

    /// Returns what has grown the most, in a search or while the file was read.
    fn grown(&self, efforts: &[Effort]) -> Option<GrownReport> {
        let searched = efforts.iter().filter_map(|effort| effort.stats.grown.clone());
        let most = searched.max_by_key(Grown::size);
        let read = || self.growth.most().filter(|_| self.model.is_none());
        most.or_else(read).map(GrownReport::new)
    }

    /// Returns the report, with the properties in the order asked. The exit code is that of the worst answer.
    pub(crate) fn report(&mut self) -> Filed {
        let position: BTreeMap<&str, usize> =
            self.questions.iter().enumerate().map(|(i, q)| (q.id.as_str(), i)).collect();
        self.known.sort_by_cached_key(|s| (position.get(s.record.id.as_str()).copied(), s.record.bound));
        // If a question has several answers within one bound, the map contains the first one.
        let places = self.known.iter().enumerate().rev();
        self.places = places.map(|(i, s)| ((s.record.id.clone(), s.record.bound), i)).collect();
        // If a question has several answers, the last one counts.
        let last: BTreeMap<&str, Exit> = self.known.iter().map(|s| (s.record.id.as_str(), s.exit)).collect();
        let exit = self
            .questions
            .iter()
            .filter_map(|q| last.get(q.id.as_str()).copied())
            .max()
            .unwrap_or(Exit::Done)
            .max(self.trouble);
        let unknown = self.unknown();
        let efforts = if unknown.is_empty() { None } else { self.efforts.now() };
        let grown = if unknown.is_empty() { None } else { self.grown(efforts.as_deref().unwrap_or_default()) };
        let advice = self.advice(&unknown);
        let report = FileReport {
            schema: SCHEMA,
            file: self.file.clone(),
            model: self.model.clone(),
            init: self.init.clone(),
            nondeterministic: self.many_jobs,
            properties: self.known.iter().map(|s| s.record.clone()).collect(),
            seconds: self.seconds(),
            peak_bytes: memory::peak(),
            engines: EffortReport::all(&efforts.unwrap_or_default()),
            grown,
            advice,
            notes: self.notes.clone(),
            exit: exit.code(),
            summary: None,
        };
        let bodies = self.known.iter().map(|s| s.body.clone()).collect();
        Filed { report, bodies, questions: self.questions.clone(), exit, begun: self.started.is_some() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        let stop = Arc::new(Stop::default());
        stop.report_states(7);
        let questions = vec![Question::unread("deadlock"), Question::unread("bad")];
        Board { stop: Some(stop), ..Board::new("m".to_owned(), questions) }
    }

    #[test]
    fn a_cut_names_the_engine_in_turn_and_its_states() {
        let mut board = board();
        board.turn("explicit");
        board.cut_off(Reason::Timeout);
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
        board.cut_off(Reason::Memory);
        let verdicts: Vec<_> = board.known.iter().map(|s| (s.record.id.as_str(), s.record.verdict)).collect();
        assert_eq!(verdicts, [("bad", "safe"), ("deadlock", "unknown")]);
        assert_eq!(board.trouble, Exit::UnknownMemory, "the evidence is missing");
    }

    /// Bounds 1 and 2 leave the question open, and bound 3 settles it. The exit code is that of the last
    /// answer. Ending the work does not change it.
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
        assert_eq!(board.report().exit, Exit::Done);
        board.cut_off(Reason::Timeout);
        assert_eq!((board.known.len(), board.report().exit), (3, Exit::Done));
        board.known.pop();
        board.cut_off(Reason::Timeout);
        assert_eq!((board.known.len(), board.report().exit), (3, Exit::UnknownTimeout));
    }

    /// A file that is not read has no search, so the reader says what grew.
    #[test]
    fn a_cut_while_the_file_is_read_says_what_grew() {
        let mut board = board();
        let (thread, variable) = ("C".to_owned(), "n".to_owned());
        board.growth.note(Grown::Variable { thread, variable, range: Some((0, 9_999)), values: 4096 });
        board.cut_off(Reason::Timeout);
        let grown = board.report().report.grown.expect("there is one");
        assert_eq!(efforts::grown(&grown), "thread `C`: variable `n` (0..10000) took 4,096 values so far");
        board.known.clear();
        assert!(board.report().report.grown.is_none(), "nothing is unknown");
    }
}
