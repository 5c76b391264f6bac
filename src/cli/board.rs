//! What is known about a file so far. Whoever ends the work, the search or the watchdog, reports from here.

use super::args::ReportFormat;
use super::exit::Exit;
use super::json::{FileReport, ModelReport, SCHEMA, StatsReport};
use super::limits::peak_allocated;
use super::output;
use super::report::{self, Shown, Style};
use impasse::Answer;
use impasse::model::{Property, Reason};
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
    pub(crate) properties: Vec<Property>,
    pub(crate) started: Instant,
    pub(crate) view: View,
    known: Vec<Shown>,
    /// The engine whose turn it is.
    engine: &'static str,
    /// Is evidence being written?
    saving: bool,
    /// What went wrong beside the answers.
    trouble: Exit,
}

impl Board {
    /// Nothing is known yet.
    pub(crate) fn new(
        file: String,
        model: Option<ModelReport>,
        properties: Vec<Property>,
        started: Instant,
        view: View,
    ) -> Self {
        Self {
            file,
            model,
            properties,
            started,
            view,
            known: Vec::new(),
            engine: "none",
            saving: false,
            trouble: Exit::Done,
        }
    }

    /// It is the turn of `engine`.
    pub(crate) fn turn(&mut self, engine: &'static str) {
        self.engine = engine;
    }

    /// Answers are known; their evidence will be written next.
    pub(crate) fn learn(&mut self, answers: Vec<Shown>) {
        self.known.extend(answers);
        self.saving = true;
    }

    /// The evidence of `answers` is in `files`, in the same order; or nowhere if it was not wanted; or could not be written.
    pub(crate) fn saved(&mut self, answers: &[Answer], files: Result<Vec<String>, Exit>) {
        self.saving = false;
        match files {
            Ok(files) => {
                for (answer, file) in answers.iter().zip(files) {
                    let shown = self.known.iter_mut().find(|s| s.record.id == answer.property.id);
                    if let Some(evidence) = shown.and_then(|s| s.record.evidence.as_mut()) {
                        evidence.file = Some(file);
                    }
                }
            }
            Err(exit) => self.trouble = self.trouble.max(exit),
        }
    }

    /// Counts may have grown since the answer was known.
    pub(crate) fn update(&mut self, answer: &Answer) {
        if let Some(shown) = self.known.iter_mut().find(|s| s.record.id == answer.property.id) {
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
        for property in &self.properties {
            if !self.known.iter().any(|s| s.record.id == property.id) {
                self.known.push(report::cut_off(property, reason, self.engine, states, seconds));
            }
        }
    }

    /// Prints the report in the order asked; the worst of the answers is the result.
    pub(crate) fn print(&mut self) -> Exit {
        let order = |s: &Shown| self.properties.iter().position(|p| p.id == s.record.id);
        self.known.sort_by_key(order);
        let exit = self.known.iter().map(|s| s.exit).max().unwrap_or(Exit::Done).max(self.trouble);
        let report = FileReport {
            schema: SCHEMA,
            file: self.file.clone(),
            model: self.model.clone(),
            nondeterministic: false,
            properties: self.known.iter().map(|s| s.record.clone()).collect(),
            seconds: self.started.elapsed().as_secs_f64(),
            peak_bytes: peak_allocated(),
        };
        let text = match self.view.format {
            ReportFormat::Text => {
                let bodies: Vec<String> = self.known.iter().map(|s| s.body.clone()).collect();
                report::text(&report, &bodies, self.view.style)
            }
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
    pub(crate) files: Vec<String>,
    /// What would have been asked.
    pub(crate) properties: Vec<Property>,
    pub(crate) view: View,
}

impl Unread {
    /// Reports that they stay so.
    pub(crate) fn print(&self, reason: Reason) -> Exit {
        let started = Instant::now();
        let mut worst = Exit::Done;
        for file in &self.files {
            tell!("error: {file}: stopped before it was read ({reason})");
            let mut board = Board::new(file.clone(), None, self.properties.clone(), started, self.view);
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
    use impasse::model::Goal;

    fn board() -> Board {
        let paint = Paint::new(ColorWhen::Never, &std::io::stdout());
        let style = Style { verbose: false, quiet: true, paint };
        let property = |goal: Goal| Property::never(goal.id(), goal);
        let properties = vec![property(Goal::Deadlock), property(Goal::Bad)];
        Board::new("m".to_owned(), None, properties, Instant::now(), View { format: ReportFormat::Text, style })
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
        let mut answer = report::cut_off(&board.properties[1], Reason::GaveUp, "explicit", 3, 0.0);
        answer.record.verdict = "safe";
        answer.exit = Exit::Done;
        board.learn(vec![answer]);
        board.cut_off(Reason::Memory, 7);
        let verdicts: Vec<_> = board.known.iter().map(|s| (s.record.id.as_str(), s.record.verdict)).collect();
        assert_eq!(verdicts, [("bad", "safe"), ("deadlock", "unknown")]);
        assert_eq!(board.trouble, Exit::UnknownMemory, "the evidence is missing");
    }
}
