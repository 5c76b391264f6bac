//! Runs a check of a problem that is in no file, on a thread. No process could read the problem again: its system is
//! code of the program that serves the page.

use super::task::{Status, Subject, TICK, Task};
use crate::cli::board::Board;
use crate::cli::question::Question;
use crate::cli::report::{self, Style};
use impasse::formats::{Ask, Limits};
use impasse::model::{Problem, Property, Reason, Stop};
use impasse::{Options, check};
use std::sync::Arc;
use std::{io, thread};
use view::text::Paint;

/// Runs a check to its end.
pub(super) fn run(subject: &Subject, task: &Task, properties: &[String], ask: Option<&str>) -> io::Result<Status> {
    let session = &subject.session;
    let problem = match ask {
        Some(text) => asking(session.problem.clone(), text)?,
        None => session.problem.clone().only(|p| properties.is_empty() || properties.contains(&p.id)),
    };
    let stop = Arc::new(Stop::default());
    let options = Options { stop: Arc::clone(&stop), ..Options::default() };
    let options = Options { jobs: subject.args.jobs.map_or(options.jobs, |jobs| jobs as usize), ..options };
    let options = match subject.args.timeout {
        Some(time) => options.timeout(time),
        None => options,
    };
    let outcome = thread::scope(|scope| {
        let checked = scope.spawn(|| check(&problem, &options));
        while !checked.is_finished() {
            if task.is_stopped() {
                stop.raise(Reason::Interrupted);
            }
            task.view().states = stop.reported_states();
            thread::sleep(TICK);
        }
        checked.join()
    });
    let outcome = outcome
        .map_err(|_| io::Error::other("the check panicked: the cause is the code of the model, or a bug in impasse"))?;
    if task.is_stopped() {
        return Ok(Status::Stopped);
    }
    let style = Style {
        verbose: false,
        quiet: false,
        steps: false,
        flows: false,
        witnesses: false,
        shortest: false,
        paint: Paint::plain(),
    };
    let questions = problem.properties().iter().map(|p| Question::new(&problem, p)).collect();
    let mut board = Board::new(session.file.clone(), questions);
    board.model = Some(session.report.clone());
    let seconds = task.seconds();
    board.learn(outcome.answers.iter().map(|a| report::show(&problem, a, None, seconds, style)).collect());
    for answer in &outcome.answers {
        let claim = answer.claim.as_deref().filter(|_| answer.trace().is_some());
        match claim.map(|claim| session.imported(&problem, claim, true)) {
            None => {}
            Some(Ok(imported)) => drop(task.view().paths.insert(answer.property.id.clone(), imported)),
            Some(Err(wrong)) => {
                task.view().message.push_str(&format!("{}: {}\n", answer.property.id, wrong.message()));
            }
        }
    }
    task.view().report = Some(serde_json::to_value(board.report().report)?);
    Ok(Status::Done)
}

/// Returns the problem with one question only.
pub(super) fn asking(mut problem: Problem, text: &str) -> io::Result<Problem> {
    let asked = readers::ask(&mut problem, text, 1, &Limits::default());
    let property: Property = match asked {
        Ok(Ask::Property(property)) => property,
        Ok(Ask::Unsupported { error, .. }) | Err(error) => return Err(io::Error::other(error.message().to_string())),
    };
    let only = problem.changed(|asked| asked.properties = vec![property]);
    only.map_err(|mismatch| io::Error::other(mismatch.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Cli, Command};
    use crate::cli::explore::session::Session;
    use crate::cli::explore::tasks::{Order, Tasks};
    use clap::Parser;
    use impasse::own::{Model, Question, Typed};
    use serde_json::Value as Json;

    /// Two hands of a clock with three hours.
    struct Clock;

    impl Model for Clock {
        type State = (u64, [Option<u64>; 2]);
        type Action = &'static str;

        fn initial(&self) -> Vec<Self::State> {
            vec![(0, [None; 2]), (1, [None; 2])]
        }

        fn steps(&self, (hour, marks): &Self::State, step: &mut dyn FnMut(&'static str, Self::State)) {
            step("tick", ((hour + 1) % 3, *marks));
            if marks[0].is_none() {
                step("mark", (*hour, [Some(*hour), None]));
            }
        }

        fn questions(&self) -> Vec<Question<Self>> {
            vec![
                Question::never("two is marked", |_, (_, marks): &Self::State| marks[0] == Some(2)),
                Question::never("four", |_, (hour, _): &Self::State| *hour == 4),
            ]
        }
    }

    fn tasks() -> Arc<Tasks> {
        let session = Session::of_problem("a clock".to_owned(), Problem::of_own(Typed::new(Clock)));
        let cli = Cli::parse_from(["impasse", "explore", "a clock", "--timeout", "60s"]);
        let Command::Explore(args) = &cli.command else { panic!("it is `explore`") };
        Arc::new(Tasks::new(Arc::new(session), args, None).expect("there is a directory for temporary files"))
    }

    fn ended(tasks: &Arc<Tasks>, order: Order) -> Json {
        let id = tasks.start(order).expect("it can be started").expect("nothing else runs").id;
        loop {
            let view = serde_json::to_value(tasks.view(id).expect("it is known")).expect("it is JSON");
            if view["status"] != "running" {
                return view;
            }
            thread::sleep(TICK);
        }
    }

    #[test]
    fn a_model_in_memory_is_stepped_through_and_checked() {
        let tasks = tasks();
        let view = ended(&tasks, Order::Check { properties: Vec::new(), ask: None });
        assert_eq!(view["status"], "done", "{view}");
        let verdicts: Vec<&Json> =
            view["report"]["properties"].as_array().expect("a list").iter().map(|p| &p["verdict"]).collect();
        assert_eq!(verdicts, ["unsafe", "safe"], "{view}");
        let path = view["paths"]["two is marked"]["path"].as_str().expect("a run").to_owned();
        let (session, path) = (&tasks.subject.session, view::machine::path::Path::read(&path).expect("a path"));
        let steps = session.machine.steps(&session.problem, &path, 0, 9).unwrap_or_else(|why| panic!("{why:?}"));
        let events: Vec<&str> = steps.iter().map(|step| step.event.as_str()).collect();
        assert_eq!(events, [r#""tick""#, r#""mark""#]);
        assert_eq!(steps[1].reached, ["two is marked"]);
        let state = session.machine.state(&session.problem, &path, "").unwrap_or_else(|why| panic!("{why:?}"));
        let state = serde_json::to_value(state).expect("it is JSON");
        assert_eq!((&state["state"]["state"], &state["enabled"]), (&"(2, [Some(2), None])".into(), &1.into()));
        let model = serde_json::to_value(session.view()).expect("it is JSON");
        assert_eq!((&model["model"]["kind"], &model["start"][0]["count"]), (&"own".into(), &"2".into()), "{model}");
    }

    #[test]
    fn questions_that_do_not_fit_are_refused_with_the_reason() {
        let tasks = tasks();
        let view = ended(&tasks, Order::Check { properties: Vec::new(), ask: Some("AG p <= 1".to_owned()) });
        assert_eq!(view["status"], "failed", "{view}");
        assert!(view["message"].as_str().is_some_and(|message| !message.is_empty()), "{view}");
    }
}
