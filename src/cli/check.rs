//! `impasse check`: decides the properties of models and reports the answers.

use super::args::{Bounds as BoundRange, CheckArgs, Common, EngineArg};
use super::ask::{self, Question};
use super::board::{Board, Unread, View};
use super::evidence::{self, Stems, Subject};
use super::exit::Exit;
use super::flags::{self, Family};
use super::input::{self, Model};
use super::json::ModelReport;
use super::limits::Watch;
use super::report::{self, Style};
use super::text::Paint;
use super::usage;
use impasse::formats;
use impasse::model::{Goal, Pattern, Problem, Property, Stop, SystemModel};
use impasse::{Answer, Bounds, EngineChoice, Finding, Options};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

pub(crate) fn run(args: &CheckArgs, common: &Common) -> Exit {
    let patterns = match chosen_patterns(args) {
        Ok(patterns) => patterns,
        Err(message) => return usage(&message),
    };
    let watch = Watch::start(&args.limits);
    let style = Style {
        verbose: common.verbose,
        quiet: common.quiet,
        shortest: args.shortest,
        paint: Paint::new(common.color, &std::io::stdout()),
    };
    let job = Job { args, common, patterns, watch: &watch, view: View { format: args.format, style } };
    if let Err(message) = job.fits() {
        return usage(&message);
    }
    if let Some(dir) = &args.evidence
        && let Err(error) = evidence::prepare(dir)
    {
        tell!("error: cannot write evidence into {}: {error}", dir.display());
        return Exit::Input;
    }
    let mut stems = Stems::default();
    let mut worst = Exit::Done;
    for i in 0..args.files.len() {
        watch.renew();
        let name = input::display_name(&args.files[i]);
        let subject = Subject { stem: stems.next(&name), name, bodies: args.question.bodies.clone() };
        worst = worst.max(job.check(i, &subject, worst));
    }
    worst
}

fn family(file: &str, common: &Common) -> Option<Family> {
    flags::family(file, common.input_format.as_deref())
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
    view: View,
}

impl Job<'_> {
    /// Do the options fit together and to the files? Some files have to be looked into for that.
    fn fits(&self) -> Result<(), String> {
        let Self { args, common, .. } = self;
        let unread = self.unread(0..args.files.len());
        self.watch.set_last_words(move |reason| unread.print(reason));
        let refused = flags::refused(args, common.input_format.as_deref());
        self.watch.take_over();
        let has_programs = args.files.iter().any(|f| family(f, common) == Some(Family::Programs));
        match refused {
            Some(why) => Err(why),
            None if has_programs => ask::program_goals(&args.property).map(drop),
            None => Ok(()),
        }
    }

    /// Checks the file with number `i`; `before` is the worst of the files before it.
    fn check(&self, i: usize, subject: &Subject, before: Exit) -> Exit {
        if let Some(reason) = self.watch.stop().raised() {
            return self.unread(i..i + 1).print(reason);
        }
        let started = Instant::now();
        let unread = self.unread(i..self.args.files.len());
        self.watch.set_last_words(move |reason| before.max(unread.print(reason)));
        match self.read(&self.args.files[i]) {
            Ok(problem) => self.decide(i, subject, &problem, started, before),
            Err(exit) => exit,
        }
    }

    /// The problem to decide, with something asked.
    fn read(&self, file: &str) -> Result<Problem, Exit> {
        let question = &self.args.question;
        let Model { name, problem, asks } = input::asked(file, question, self.common)?;
        let problem = if question.ask.is_empty() {
            ask::choose(problem, &self.args.property)
        } else {
            let named = question.target.is_some() || question.properties.is_some();
            ask::choose_with(problem, &self.args.property, asks, named)
        };
        let problem = problem.map_err(|why| usage(&format!("{name}: {why}")))?;
        if problem.properties.is_empty() {
            let remedy = match problem.system {
                SystemModel::Circuit(_) => "the circuit has no bad state and no output",
                SystemModel::Reactive(_) => "the program has no error label: give formulas (`--properties FILE`)",
                SystemModel::Net(ref net) if !net.finals().is_empty() => {
                    "ask whether a final marking of the file can be reached (`--property final`), for a `--property deadlock`, or give \
                     a target (`--target FILE`) or contest properties (`--properties FILE`)"
                }
                _ => {
                    "give a formula (`--ask FORMULA`), a target (`--target FILE`), contest properties (`--properties FILE`), or `--property deadlock`"
                }
            };
            return Err(usage(&format!("{name}: nothing is asked: {remedy}")));
        }
        input::note(&impasse::formats::vacuous(&name, &problem), self.common);
        if let Some(what) = self.endless(&problem) {
            return Err(usage(&format!(
                "{name}: {what}, and the engine `dpllt` runs through initial states one by one: it needs `--bound N`, or an \
                 `--init` that says how many"
            )));
        }
        Ok(problem)
    }

    /// What keeps `dpllt` from starting: initial states without number that slicing does not do away with.
    fn endless(&self, problem: &Problem) -> Option<String> {
        if self.args.engine != EngineArg::Dpllt || self.args.bound.is_some() || !flags::is_parametric(problem) {
            return None;
        }
        let endless = |goal: Goal| {
            let slice = reduce::Options { slice: true, bound: None };
            let net = reduce::prepare(problem, &[goal], &slice).task;
            !net.goals.is_empty() && net.net.places().iter().any(|p| p.initial.at_most.is_none())
        };
        let property = problem.properties.iter().find(|p| endless(p.goal))?;
        let what = if matches!(problem.system, SystemModel::Threads(_)) { "threads" } else { "tokens" };
        Some(format!("`{}` is about a start with any number of {what}", property.id))
    }

    /// These files, as long as nobody has read them.
    fn unread(&self, range: Range<usize>) -> Unread {
        let questions = |file: &String| {
            let usual: &[&str] = match family(file, self.common) {
                Some(Family::Programs) => &["deadlock", "bad"],
                Some(Family::Circuits) => &["b0"],
                Some(Family::Reactive) => &["error:*"],
                Some(Family::Nets) | None => &["target"],
            };
            let mut ids: Vec<String> = self.args.property.clone();
            ids.extend((1..).zip(&self.args.question.ask).map(|(number, ask)| formats::ask_id(ask, number)));
            let usual = if ids.is_empty() { usual } else { &[] };
            ids.iter().map(String::as_str).chain(usual.iter().copied()).map(Question::unread).collect()
        };
        let files = self.args.files[range].iter().map(|f| (input::display_name(f), questions(f))).collect();
        Unread { files, view: self.view }
    }

    fn decide(&self, i: usize, subject: &Subject, problem: &Problem, started: Instant, before: Exit) -> Exit {
        let questions: Vec<Question> = problem.properties.iter().map(|p| Question::new(problem, p)).collect();
        let mut board = Board::new(subject.name.clone(), questions, started, self.view);
        board.model = Some(ModelReport::new(problem));
        board.many_jobs = self.args.jobs.is_some_and(|jobs| jobs > 1);
        board.init.clone_from(&self.args.question.init);
        let board = Arc::new(Mutex::new(board));
        let stop = self.watch.stop();
        let (seen, watched) = (Arc::clone(&board), Arc::clone(&stop));
        let unread = self.unread(i + 1..self.args.files.len());
        self.watch.set_last_words(move |reason| {
            let exit = with(&seen, |board| {
                board.cut_off(reason, watched.reported_states());
                board.print()
            });
            exit.max(before).max(unread.print(reason))
        });
        // What is settled within one bound is settled: only the rest goes on to the next one.
        let mut open = problem.clone();
        let mut bounds = Bounds::default();
        let rounds = rounds(self.args.bound).filter(|_| !problem.properties.is_empty());
        for bound in rounds {
            with(&board, |board| board.begin(bound));
            let undecided = self.round(&mut bounds, subject, &open, bound, started, &board, &stop);
            open.properties.retain(|p| undecided.contains(&p.id));
            if open.properties.is_empty() || stop.raised().is_some() {
                break;
            }
        }
        self.watch.take_over();
        with(&board, Board::print)
    }

    /// Checks within one bound (or none); returns the ids of what a larger one may settle.
    #[allow(clippy::too_many_arguments)]
    fn round(
        &self,
        bounds: &mut Bounds,
        subject: &Subject,
        problem: &Problem,
        bound: Option<u64>,
        started: Instant,
        board: &Mutex<Board>,
        stop: &Arc<Stop>,
    ) -> Vec<String> {
        let on_answers = |answers: &[Answer]| {
            let seconds = started.elapsed().as_secs_f64();
            let shown = answers.iter().map(|a| report::show(problem, a, bound, seconds, self.view.style)).collect();
            // First of all the answers, as writing evidence may take its time.
            with(board, |board| board.learn(shown));
            let files = self.save(subject, problem, answers);
            with(board, |board| board.saved(answers, files));
        };
        let on_turn = |engine| with(board, |board| board.turn(engine));
        let options = Options {
            engine: match self.args.engine {
                EngineArg::Auto => EngineChoice::Auto,
                EngineArg::Dpllt => EngineChoice::Dpllt,
                EngineArg::Explicit => EngineChoice::Explicit,
                EngineArg::ExplicitDfs => EngineChoice::ExplicitBy(explore::ReactiveStrategy::Dfs),
                EngineArg::ExplicitRestart => EngineChoice::ExplicitBy(explore::ReactiveStrategy::Restart),
                EngineArg::ExplicitJumpstart => EngineChoice::ExplicitBy(explore::ReactiveStrategy::Jumpstart),
                EngineArg::Project => EngineChoice::Project,
                EngineArg::Stubborn => EngineChoice::Stubborn,
                EngineArg::Facts => EngineChoice::Facts,
                EngineArg::Pairs => EngineChoice::Pairs,
                EngineArg::Ic3 => EngineChoice::Ic3,
                EngineArg::Ic3Bits => EngineChoice::Ic3Bits,
                EngineArg::Ic3Bounded => EngineChoice::Ic3Bounded,
                EngineArg::Ic3Rising => EngineChoice::Ic3Rising,
                EngineArg::Equation => EngineChoice::Equation,
                EngineArg::Cover => EngineChoice::Cover(None),
                EngineArg::CoverGreedy => EngineChoice::Cover(Some(cover::Procedure::Greedy)),
                EngineArg::CoverAStar => EngineChoice::Cover(Some(cover::Procedure::AStar)),
                EngineArg::CoverBackward => EngineChoice::Cover(Some(cover::Procedure::Backward)),
                EngineArg::Walk => EngineChoice::Walk,
                EngineArg::Ltl => EngineChoice::Ltl,
                EngineArg::Cells => EngineChoice::Cells,
            },
            patterns: &self.patterns,
            facts: self.args.facts.unwrap_or_default(),
            batch: self.args.batch.map(|n| n as usize),
            bound,
            seed: self.args.seed.unwrap_or(0),
            // More than the machine runs at once would only be in each other's way.
            jobs: self
                .args
                .jobs
                .map_or(1, |n| (n as usize).min(std::thread::available_parallelism().map_or(1, usize::from))),
            explore_all: self.args.explore_all,
            shortest: self.args.shortest,
            trust: self.args.trust.clone(),
            stop: Arc::clone(stop),
            on_answers: &on_answers,
            on_turn: &on_turn,
            ..Options::default()
        };
        let outcome = bounds.check(problem, &options);
        with(board, |board| outcome.answers.iter().for_each(|answer| board.update(answer)));
        let may_be_settled = |a: &Answer| a.unknown().is_some() && !matches!(a.property.goal, Goal::Unsupported(_));
        let undecided = outcome.answers.into_iter().filter(may_be_settled);
        undecided.map(|a| a.property.id).collect()
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

/// The bounds to try, in order.
fn rounds(bounds: Option<BoundRange>) -> Box<dyn Iterator<Item = Option<u64>>> {
    match bounds {
        None => Box::new(std::iter::once(None)),
        Some(BoundRange { first, last }) => Box::new((first..=last).map(Some)),
    }
}

/// Does something with the board. Whoever has it is not held by the allocator: the watchdog may be waiting for it.
fn with<T>(board: &Mutex<Board>, work: impl FnOnce(&mut Board) -> T) -> T {
    meter::pass(|| work(&mut board.lock().unwrap_or_else(PoisonError::into_inner)))
}
