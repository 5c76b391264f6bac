//! `impasse simulate`: steps through a model by hand or at random. On a terminal it uses the whole screen
//! ([`screen`]). Otherwise it reads lines, so that it also works in pipes.

mod commands;
mod fields;
mod from;
mod lines;
mod screen;

use super::args::{Common, LimitArgs, ProgressArg, SimulateArgs};
use super::complaints::Complaints;
use super::exit::{Exit, usage};
use super::limits::{self, Watch};
use super::{flags, input, output};
use from::InitialRun;
use impasse::model::Problem;
use lines::{Chooser, Lines};
use search::rng::Rng;
use std::io::{self, ErrorKind, IsTerminal};
use view::machine::path::Path;
use view::trace::Detail;

pub(crate) fn run(args: &SimulateArgs, common: &Common) -> Exit {
    let watch = Watch::memory(args.memory, "simulation");
    if args.file == "-" && args.random.is_none() {
        return usage("standard input cannot be both the model and the choices; use --random N");
    }
    if let Some(why) = flags::refused_question(&args.file, &args.question, common.input_format.as_deref()) {
        return usage(&why);
    }
    let complaints = Complaints::new(common);
    let read = input::asked(&args.file, &args.question, &complaints).and_then(|model| model.asking(&complaints));
    let (problem, before) = match read.and_then(|model| from::load(model.problem, args, common)) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let steps = args.random.or(args.steps).unwrap_or(u64::MAX).min(args.steps.unwrap_or(u64::MAX));
    let steps = steps.saturating_add(before.as_ref().map_or(0, |before| before.steps));
    if wants_screen(args) {
        drop(watch);
        return on_screen(args, common, problem, before.as_ref(), steps);
    }
    let chooser = match args.random {
        Some(_) => Chooser::Random(Rng(args.seed)),
        None => Chooser::Ask { prompt: io::stdin().is_terminal() },
    };
    let machine = view::kind::of(&problem).explored();
    let mut at = machine.position(&problem);
    if let Some(before) = &before {
        let begun = before.path(&*machine).and_then(|(path, steps)| at.follow(&path, steps));
        if let Err(wrong) = begun {
            tell!("error: {}: {}", args.file, wrong.message());
            return Exit::Input;
        }
    }
    let detail = Detail { all: common.verbose, paint: common.color.paint(&io::stdout()) };
    let played = Lines { at, chooser, detail, steps, listed: Vec::new() }.play(before.is_some());
    // A closed output also ends the session.
    match played {
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            tell!("error: cannot read the choices: {error}");
            Exit::Input
        }
        played => {
            output::note(played);
            Exit::Done
        }
    }
}

/// Returns true if the simulation uses the whole screen.
fn wants_screen(args: &SimulateArgs) -> bool {
    let is_simple = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    args.random.is_none() && !args.lines && !is_simple && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Runs the stepper on the whole screen.
fn on_screen(args: &SimulateArgs, common: &Common, problem: Problem, before: Option<&InitialRun>, steps: u64) -> Exit {
    let limits = LimitArgs { timeout: None, memory: args.memory, progress: ProgressArg::Never };
    let watch = Watch::start(&limits);
    watch.set_last_words(|reason| {
        screen::restore();
        tell!("error: {}", limits::ended("simulation", reason));
        Exit::of_reason(reason)
    });
    let machine = view::kind::of(&problem).explored();
    let path = before.map_or_else(|| Ok((Path::default(), 0)), |before| before.path(&*machine));
    let (path, at) = match path {
        Ok(path) => path,
        Err(wrong) => {
            tell!("error: {}: {}", args.file, wrong.message());
            return Exit::Input;
        }
    };
    let begin = screen::Begin {
        path,
        at,
        most: usize::try_from(steps).unwrap_or(usize::MAX),
        seed: args.seed,
        has_colours: common.color.paint(&io::stdout()).is_on(),
    };
    let model = screen::Model { file: args.file.clone(), problem, machine };
    let ended = screen::run(model, begin, &watch.stop());
    match (ended, watch.stop().raised()) {
        (Err(error), _) => {
            tell!("error: the terminal cannot be used: {error}; `--lines` asks line by line");
            Exit::Input
        }
        (Ok(_), Some(reason)) => {
            tell!("error: {}", limits::ended("simulation", reason));
            Exit::of_reason(reason)
        }
        (Ok(line), None) => {
            say!("{line}");
            Exit::Done
        }
    }
}
