//! `impasse check`: decides the properties of models and reports the answers.

use super::args::{CheckArgs, Common, EngineArg, ReportFormat};
use super::exit::Exit;
use super::input::{self, Model};
use super::json::{FileReport, ModelReport, SCHEMA};
use super::limits::{Watch, peak_allocated};
use super::report::{self, Shown, Style};
use super::text::Paint;
use super::{evidence, usage};
use impasse::model::{Goal, Pattern, Problem, Property, Reason};
use impasse::{Answer, EngineChoice, Finding, Options};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

pub(crate) fn run(args: &CheckArgs, common: &Common) -> Exit {
    let patterns = match chosen_patterns(args) {
        Ok(patterns) => patterns,
        Err(message) => return usage(&message),
    };
    if let Some(why) = refused(args) {
        return usage(why);
    }
    let watch = Watch::start(&args.limits);
    let style =
        Style { verbose: common.verbose, quiet: common.quiet, paint: Paint::new(common.color, &std::io::stdout()) };
    let job = Job { args, common, patterns, watch: &watch, style };
    let mut worst = Exit::Done;
    for (i, file) in args.files.iter().enumerate() {
        worst = worst.max(job.check(file, worst));
        if watch.stop().raised() == Some(Reason::Interrupted) && i + 1 < args.files.len() {
            return worst.max(Exit::Interrupted);
        }
    }
    worst
}

/// Combinations that this version cannot serve.
fn refused(args: &CheckArgs) -> Option<&'static str> {
    let later = args.later.asked();
    let explore = args.explore_all && args.engine == EngineArg::Dpllt;
    let explore = explore.then_some("`--explore-all` needs an engine that completes the space: `explicit` or `auto`");
    let batch = args.batch.is_some() && args.engine == EngineArg::Explicit;
    later.or(explore).or(batch.then_some("`--batch` is an option of the engine `dpllt`"))
}

/// The pattern matchers that were asked for.
fn chosen_patterns(args: &CheckArgs) -> Result<Vec<&'static dyn Pattern>, String> {
    let known = || impasse::patterns::ALL.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ");
    for name in &args.trust {
        impasse::patterns::by_name(name)
            .ok_or_else(|| format!("`--trust`: no pattern `{name}`; there is {}", known()))?;
    }
    match args.patterns.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["all"] => Ok(impasse::patterns::ALL.to_vec()),
        ["none"] => Ok(Vec::new()),
        ref names => names
            .iter()
            .map(|&name| {
                impasse::patterns::by_name(name).ok_or_else(|| format!("no pattern `{name}`; there is {}", known()))
            })
            .collect(),
    }
}

/// What is common to all files of a command.
struct Job<'a> {
    args: &'a CheckArgs,
    common: &'a Common,
    patterns: Vec<&'static dyn Pattern>,
    watch: &'a Watch,
    style: Style,
}

/// What is known about a file so far; the watchdog speaks from it when it has to.
struct Board {
    file: String,
    model: ModelReport,
    properties: Vec<Property>,
    known: Vec<Shown>,
    started: Instant,
    format: ReportFormat,
    style: Style,
}

impl Job<'_> {
    /// Checks one file; `before` is the worst of the files before it.
    fn check(&self, file: &str, before: Exit) -> Exit {
        let started = Instant::now();
        let name = file.to_owned();
        self.watch.set_last_words(move |reason| {
            tell!("error: {name}: stopped while reading it ({reason})");
            before.max(Exit::of_reason(reason))
        });
        let model = match input::model(file, self.common) {
            Ok(model) => model,
            Err(exit) => return exit,
        };
        let Model { name, problem } = model;
        match asked(problem, &self.args.property) {
            Ok(problem) => self.decide(name, &problem, started, before),
            Err(message) => usage(&format!("{name}: {message}")),
        }
    }

    fn decide(&self, file: String, problem: &Problem, started: Instant, before: Exit) -> Exit {
        let board = Arc::new(Mutex::new(Board {
            file: file.clone(),
            model: ModelReport::new(problem),
            properties: problem.properties.clone(),
            known: Vec::new(),
            started,
            format: self.args.format,
            style: self.style,
        }));
        let seen = Arc::clone(&board);
        self.watch.set_last_words(move |reason| {
            let mut board = seen.lock().unwrap_or_else(PoisonError::into_inner);
            board.fill(reason);
            board.print().max(before)
        });
        let on_answer = |answer: &Answer| {
            let saved = self.save(&file, problem, answer);
            let shown = report::show(problem, answer, started.elapsed().as_secs_f64(), saved, self.style);
            board.lock().unwrap_or_else(PoisonError::into_inner).known.push(shown);
        };
        let options = Options {
            engine: match self.args.engine {
                EngineArg::Auto => EngineChoice::Auto,
                EngineArg::Dpllt => EngineChoice::Dpllt,
                EngineArg::Explicit => EngineChoice::Explicit,
            },
            patterns: &self.patterns,
            batch: self.args.batch.map(|n| n as usize),
            explore_all: self.args.explore_all,
            trust: self.args.trust.clone(),
            stop: Arc::clone(self.watch.stop()),
            on_answer: &on_answer,
            ..Options::default()
        };
        let outcome = impasse::check(problem, &options);
        if !self.watch.take_over() {
            // The watchdog has lost patience and is printing the report; the process ends when it is done.
            loop {
                std::thread::park();
            }
        }
        let mut board = board.lock().unwrap_or_else(PoisonError::into_inner);
        for answer in &outcome.answers {
            board.update(answer);
        }
        board.print()
    }

    /// Writes evidence if asked to, and that of a rejected claim in any case.
    fn save(&self, file: &str, problem: &Problem, answer: &Answer) -> Option<String> {
        let claim = answer.claim.as_deref()?;
        let rejected = matches!(answer.finding, Finding::Rejected { .. });
        let temporary = std::env::temp_dir();
        let dir: &Path = match &self.args.evidence {
            Some(dir) => dir,
            None if rejected => &temporary,
            None => return None,
        };
        match evidence::save(dir, file, problem, &answer.property, claim) {
            Ok(path) => {
                let path = path.display().to_string();
                if rejected {
                    tell!("internal error: {file}: wrong evidence for `{}`, kept in {path}", answer.property.id);
                }
                Some(path)
            }
            Err(error) => {
                tell!("error: cannot write evidence into {}: {error}", dir.display());
                None
            }
        }
    }
}

impl Board {
    /// Everything that is not known is unknown for `reason`.
    fn fill(&mut self, reason: Reason) {
        let seconds = self.started.elapsed().as_secs_f64();
        for property in &self.properties {
            if !self.known.iter().any(|s| s.record.id == property.id) {
                self.known.push(report::cut_off(property, reason, seconds));
            }
        }
    }

    /// Counts may have grown since the answer was known.
    fn update(&mut self, answer: &Answer) {
        if let Some(shown) = self.known.iter_mut().find(|s| s.record.id == answer.property.id) {
            let replayed = shown.record.stats.replayed;
            shown.record.stats = super::json::StatsReport::new(&answer.stats, replayed);
        }
    }

    /// Prints the report in the order asked; the worst of the answers is the result.
    fn print(&mut self) -> Exit {
        let order = |s: &Shown| self.properties.iter().position(|p| p.id == s.record.id);
        self.known.sort_by_key(order);
        let exit = self.known.iter().map(|s| s.exit).max().unwrap_or(Exit::Done);
        let report = FileReport {
            schema: SCHEMA,
            file: self.file.clone(),
            model: self.model.clone(),
            nondeterministic: false,
            properties: self.known.iter().map(|s| s.record.clone()).collect(),
            seconds: self.started.elapsed().as_secs_f64(),
            peak_bytes: peak_allocated(),
        };
        let text = match self.format {
            ReportFormat::Text => {
                let bodies: Vec<String> = self.known.iter().map(|s| s.body.clone()).collect();
                report::text(&report, &bodies, self.style)
            }
            ReportFormat::Json => match serde_json::to_string(&report) {
                Ok(line) => line + "\n",
                Err(_) => return Exit::Internal,
            },
        };
        // A reader that has gone away (`| head`) has seen what it wanted.
        let _ = std::io::stdout().write_all(text.as_bytes());
        exit
    }
}

/// The problem with the properties that were asked for instead of the model's own.
fn asked(problem: Problem, ids: &[String]) -> Result<Problem, String> {
    if ids.is_empty() {
        return Ok(problem);
    }
    let mut goals = Vec::new();
    for id in ids {
        let goal = [Goal::Bad, Goal::Deadlock].into_iter().find(|g| g.id() == id);
        let goal = goal.ok_or_else(|| format!("no property `{id}`; behavioral programs have `bad` and `deadlock`"))?;
        if !goals.contains(&goal) {
            goals.push(goal);
        }
    }
    Ok(Problem::of_program_with(Arc::clone(problem.program()), &goals))
}
