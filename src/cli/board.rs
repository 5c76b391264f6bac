//! What is known about a file so far. Whatever ends the work, the search or the watchdog, reports from here.

use super::ask::Question;
use super::exit::Exit;
use super::json::{FileReport, ModelReport, SCHEMA, StatsReport};
use super::limits::peak_allocated;
use super::notes::{Note, Notes};
use super::report::{self, Shown};
use impasse::Answer;
use impasse::model::{Reason, Stop};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Instant;

/// The report of a file whose work is over.
#[derive(Clone, Debug)]
pub(crate) struct Filed {
    pub(crate) report: FileReport,
    /// For each property the lines below its headline.
    pub(crate) bodies: Vec<String>,
    /// What was asked.
    pub(crate) questions: Vec<Question>,
    pub(crate) exit: Exit,
    /// Was it looked at before the work ended?
    pub(crate) begun: bool,
}

/// What is known about a file so far.
pub(crate) struct Board {
    pub(crate) file: String,
    /// `None` before it is read.
    pub(crate) model: Option<ModelReport>,
    /// The `--init` that chose the instance.
    pub(crate) init: Option<String>,
    pub(crate) questions: Vec<Question>,
    /// When the work on it began, if it has.
    pub(crate) started: Option<Instant>,
    /// Errors and warnings about the file.
    pub(crate) notes: Notes,
    /// Knows how many states were visited, once the work has begun.
    pub(crate) stop: Option<Arc<Stop>>,
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
    pub(crate) fn new(file: String, questions: Vec<Question>) -> Self {
        Self {
            file,
            model: None,
            init: None,
            questions,
            started: None,
            notes: Notes::default(),
            stop: None,
            many_jobs: false,
            known: Vec::new(),
            places: BTreeMap::new(),
            bound: None,
            engine: "none",
            saving: false,
            trouble: Exit::Done,
        }
    }

    /// Since the work began.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.map_or(0.0, |started| started.elapsed().as_secs_f64())
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

    /// An answer stays without the evidence that was asked for. (No error of the file: it was read.)
    fn no_evidence(&mut self, message: String, exit: Exit) {
        let (code, file) = ("evidence::not-written", self.file.clone());
        self.notes.warnings.push(Note { code, message, help: None, file, place: None });
        self.trouble = self.trouble.max(exit);
    }

    /// Counts may have grown since the answer was known.
    pub(crate) fn update(&mut self, answer: &Answer) {
        if let Some(shown) = self.about(&answer.property.id) {
            let replayed = shown.record.stats.replayed;
            shown.record.stats = StatsReport::new(&answer.stats, replayed);
        }
    }

    /// The model cannot be read, or not asked that.
    pub(crate) fn refuse(&mut self, exit: Exit) {
        self.questions.clear();
        self.trouble = self.trouble.max(exit);
    }

    /// Without a question nothing is known at the end.
    pub(crate) fn asks_nothing(&mut self, nothing: bool) {
        if nothing {
            self.trouble = self.trouble.max(Exit::Unknown);
        }
    }

    /// Is something unknown for lack of memory?
    pub(crate) fn lacks_memory(&self) -> bool {
        self.known.iter().any(|s| s.exit == Exit::UnknownMemory)
    }

    /// A bug ended the work: what is not known is unknown.
    pub(crate) fn broke(&mut self) {
        self.cut_off(Reason::GaveUp);
        self.trouble = Exit::Internal;
    }

    /// Work ends here for `reason`: what is not known is unknown.
    pub(crate) fn cut_off(&mut self, reason: Reason) {
        let states = self.stop.as_ref().map_or(0, |stop| stop.reported_states());
        if self.model.is_none() {
            tell!("error: {}: stopped before it was read ({reason})", self.file);
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

    /// The report, in the order asked; the worst of the answers is how it ends.
    pub(crate) fn report(&mut self) -> Filed {
        let position: BTreeMap<&str, usize> =
            self.questions.iter().enumerate().map(|(i, q)| (q.id.as_str(), i)).collect();
        self.known.sort_by_cached_key(|s| (position.get(s.record.id.as_str()).copied(), s.record.bound));
        // Of several answers to a question within a bound the first is found.
        let places = self.known.iter().enumerate().rev();
        self.places = places.map(|(i, s)| ((s.record.id.clone(), s.record.bound), i)).collect();
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
            seconds: self.seconds(),
            peak_bytes: peak_allocated(),
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
        assert_eq!(board.report().exit, Exit::Done);
        board.cut_off(Reason::Timeout);
        assert_eq!((board.known.len(), board.report().exit), (3, Exit::Done));
        board.known.pop();
        board.cut_off(Reason::Timeout);
        assert_eq!((board.known.len(), board.report().exit), (3, Exit::UnknownTimeout));
    }
}
