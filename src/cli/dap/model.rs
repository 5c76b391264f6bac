//! The model that is debugged, opened with the options of `impasse explore`, and its state at the end of a path.

use crate::cli::args::{Cli, Command, Common};
use crate::cli::explore::session::Session;
use clap::Parser;
use impasse::formats::{self, Limits, Source};
use impasse::model::{Goal, Stop};
use impasse::{Options, check};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use view::machine::path::Path;
use view::machine::views::StateView;

/// What the client says when it starts the debugger.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(super) struct Launch {
    /// The file of the model.
    pub(super) program: String,
    /// A file that `check --evidence` wrote: the debugger follows its run.
    pub(super) evidence: Option<String>,
    /// The id of a property: the debugger follows a run that violates it.
    pub(super) violate: Option<String>,
    /// Further options of `impasse explore`, such as `--ask` and `--init`.
    #[serde(default)]
    pub(super) args: Vec<String>,
    /// True if the debugger stops in the initial state, which is the default.
    pub(super) stop_on_entry: Option<bool>,
}

/// Returns why a file cannot be opened, with the place of the first mistake.
fn unread(file: &str, common: &Common) -> String {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return format!("cannot read {file}: {error}"),
    };
    let source = Source { name: file.to_owned(), bytes };
    match formats::read(source, common.input_format.as_deref(), &Limits::default()) {
        Ok(_) => format!("{file} can be read, and the options or the evidence do not fit it"),
        Err(error) => {
            let place = error.line_column().map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
            let help = error.help_text().map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{file}{place}: {}{help}", error.message())
        }
    }
}

/// Time for the check that looks for a violation.
const CHECKING: Duration = Duration::from_secs(60);

/// The model.
pub(super) struct Model {
    pub(super) session: Session,
    pub(super) names: Vec<String>,
}

impl Model {
    /// Opens the model.
    pub(super) fn open(launch: &Launch, common: &Common) -> Result<Self, String> {
        let mut words = vec!["impasse".to_owned(), "explore".to_owned()];
        words.extend(launch.args.iter().cloned());
        words.extend([launch.program.clone()].into_iter().chain(launch.evidence.clone()));
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        let Command::Explore(args) = &cli.command else { return Err("`args` has another command".to_owned()) };
        let session = Session::read(args, common).map_err(|_| unread(&launch.program, common))?;
        let names = session.machine.parts();
        Ok(Self { session, names })
    }

    /// Returns the state at the end of the path.
    pub(super) fn state(&self, path: &Path) -> Result<StateView, String> {
        let state = self.session.machine.state(&self.session.problem, path, "");
        state.map_err(|wrong| wrong.message().to_owned())
    }

    /// Returns true if the formula holds at the end of the path.
    pub(super) fn holds(&self, path: &Path, formula: &str) -> Result<bool, String> {
        let holds = self.session.machine.holds(&self.session.problem, path, formula);
        holds.map_err(|wrong| wrong.message().to_owned())
    }

    /// Returns the path of a run that violates a property, and the number of the step with which it repeats.
    pub(super) fn violation(&self, id: &str) -> Result<(Path, Option<u64>), String> {
        let problem = &self.session.problem;
        let known: Vec<&str> = problem.properties().iter().map(|property| property.id.as_str()).collect();
        let goal = problem.properties().iter().find(|property| property.id == id).map(|property| property.goal);
        let is_deadlock = goal.is_none() && id == Goal::Deadlock.id();
        if goal.is_none() && !is_deadlock {
            return Err(format!("there is no property `{id}`, but {}", known.join(", ")));
        }
        let asked = match goal {
            Some(_) => problem.clone().only(|property| property.id == id),
            None => {
                let deadlock = impasse::model::Property::never(id, Goal::Deadlock);
                problem.clone().asking(vec![deadlock]).map_err(|mismatch| mismatch.to_string())?
            }
        };
        let stop = Arc::new(Stop::default());
        let outcome = check(&asked, &Options { stop, ..Options::default() }.timeout(CHECKING));
        let Some(answer) = outcome.answers.first() else { return Err("nothing was asked".to_owned()) };
        let Some(trace) = answer.settled().and_then(|claim| impasse::why::run(&asked, claim, answer.property.goal))
        else {
            return Err(outcome.shown(answer));
        };
        let (path, _) = self.session.machine.path_of(&trace).map_err(|wrong| wrong.message().to_owned())?;
        Ok((path, trace.repeats_from))
    }
}
