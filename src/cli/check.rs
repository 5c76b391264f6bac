//! `impasse check`: decides the properties of models and reports the answers.

use super::args::{CheckArgs, Common, EngineArg};
use super::board::{Board, Unread, View};
use super::evidence::{self, Stems, Subject};
use super::exit::Exit;
use super::input::{self, Model};
use super::json::ModelReport;
use super::limits::Watch;
use super::report::{self, Style};
use super::text::Paint;
use super::usage;
use impasse::model::{Goal, Pattern, Problem, Property};
use impasse::{Answer, EngineChoice, Finding, Options};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub(crate) fn run(args: &CheckArgs, common: &Common) -> Exit {
    let patterns = match chosen_patterns(args) {
        Ok(patterns) => patterns,
        Err(message) => return usage(&message),
    };
    if let Some(why) = refused(args) {
        return usage(why);
    }
    let goals = match goals_asked(&args.property) {
        Ok(goals) => goals,
        Err(message) => return usage(&message),
    };
    if let Some(dir) = &args.evidence
        && let Err(error) = evidence::prepare(dir)
    {
        tell!("error: cannot write evidence into {}: {error}", dir.display());
        return Exit::Input;
    }
    let watch = Watch::start(&args.limits);
    let style =
        Style { verbose: common.verbose, quiet: common.quiet, paint: Paint::new(common.color, &std::io::stdout()) };
    let job = Job { args, common, patterns, goals, watch: &watch, view: View { format: args.format, style } };
    let mut stems = Stems::default();
    let mut worst = Exit::Done;
    for i in 0..args.files.len() {
        watch.renew();
        let name = input::display_name(&args.files[i]);
        let subject = Subject { stem: stems.next(&name), name };
        worst = worst.max(job.check(i, &subject, worst));
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

/// The goals that were asked for instead of the models' own.
fn goals_asked(ids: &[String]) -> Result<Vec<Goal>, String> {
    let mut goals = Vec::new();
    for id in ids {
        let goal = [Goal::Bad, Goal::Deadlock].into_iter().find(|g| g.id() == id);
        let goal = goal.ok_or_else(|| format!("no property `{id}`; behavioral programs have `bad` and `deadlock`"))?;
        if !goals.contains(&goal) {
            goals.push(goal);
        }
    }
    Ok(goals)
}

/// What is common to all files of a command.
struct Job<'a> {
    args: &'a CheckArgs,
    common: &'a Common,
    patterns: Vec<&'static dyn Pattern>,
    /// Empty: what the model asks for.
    goals: Vec<Goal>,
    watch: &'a Watch,
    view: View,
}

impl Job<'_> {
    /// Checks the file with number `i`; `before` is the worst of the files before it.
    fn check(&self, i: usize, subject: &Subject, before: Exit) -> Exit {
        if let Some(reason) = self.watch.stop().raised() {
            return self.unread(i..i + 1).print(reason);
        }
        let started = Instant::now();
        let unread = self.unread(i..self.args.files.len());
        self.watch.set_last_words(move |reason| before.max(unread.print(reason)));
        match input::model(&self.args.files[i], self.common) {
            Ok(Model { problem, .. }) if self.goals.is_empty() => self.decide(i, subject, &problem, started, before),
            Ok(Model { problem, .. }) => {
                let problem = Problem::of_program_with(Arc::clone(problem.program()), &self.goals);
                self.decide(i, subject, &problem, started, before)
            }
            Err(exit) => exit,
        }
    }

    /// These files, as long as nobody has read them.
    fn unread(&self, range: Range<usize>) -> Unread {
        let all = [Goal::Deadlock, Goal::Bad];
        let goals = if self.goals.is_empty() { &all[..] } else { &self.goals };
        Unread {
            files: self.args.files[range].iter().map(|f| input::display_name(f)).collect(),
            properties: goals.iter().map(|&goal| Property::never(goal.id(), goal)).collect(),
            view: self.view,
        }
    }

    fn decide(&self, i: usize, subject: &Subject, problem: &Problem, started: Instant, before: Exit) -> Exit {
        let model = Some(ModelReport::new(problem));
        let board = Board::new(subject.name.clone(), model, problem.properties.clone(), started, self.view);
        let board = Arc::new(Mutex::new(board));
        let stop = self.watch.stop();
        let (seen, watched) = (Arc::clone(&board), Arc::clone(&stop));
        let unread = self.unread(i + 1..self.args.files.len());
        self.watch.set_last_words(move |reason| {
            let mut board = lock(&seen);
            board.cut_off(reason, watched.reported_states());
            board.print().max(before).max(unread.print(reason))
        });
        let on_answers = |answers: &[Answer]| {
            let seconds = started.elapsed().as_secs_f64();
            let shown = answers.iter().map(|a| report::show(problem, a, seconds, self.view.style)).collect();
            // First of all the answers, as writing evidence may take its time.
            lock(&board).learn(shown);
            let files = self.save(subject, problem, answers);
            lock(&board).saved(answers, files);
        };
        let on_turn = |engine| lock(&board).turn(engine);
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
            stop,
            on_answers: &on_answers,
            on_turn: &on_turn,
            ..Options::default()
        };
        let outcome = impasse::check(problem, &options);
        self.watch.take_over();
        let mut board = lock(&board);
        for answer in &outcome.answers {
            board.update(answer);
        }
        board.print()
    }

    /// Writes the evidence behind `answers` if asked to, and that of a rejected claim in any case.
    fn save(&self, subject: &Subject, problem: &Problem, answers: &[Answer]) -> Result<Vec<String>, Exit> {
        let Some(Answer { claim: Some(claim), finding, .. }) = answers.first() else { return Ok(Vec::new()) };
        let rejected = matches!(finding, Finding::Rejected { .. });
        let temporary = std::env::temp_dir();
        let dir: &Path = match &self.args.evidence {
            Some(dir) => dir,
            None if rejected => &temporary,
            None => return Ok(Vec::new()),
        };
        let properties: Vec<&Property> = answers.iter().map(|a| &a.property).collect();
        let paths = evidence::save(dir, subject, problem, &properties, claim).map_err(|error| {
            tell!("error: cannot write evidence into {}: {error}", dir.display());
            Exit::Input
        })?;
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        if rejected {
            for (property, path) in properties.iter().zip(&paths) {
                tell!("internal error: {}: wrong evidence for `{}`, kept in {path}", subject.name, property.id);
            }
        }
        Ok(paths)
    }
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}
