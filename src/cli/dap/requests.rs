//! The requests of the client, one by one.

use super::breakpoints::AtLine;
use super::debugger::Debugger;
use super::model::Launch;
use super::protocol::Request;
use serde_json::{Value as Json, json};
use view::machine::path::Pick;
use view::machine::views::StateView;

/// The most threads and values that are listed.
const LISTED: usize = 1_000;
/// Numbers of the lists of variables.
const STATE: u64 = 1;
const ENABLED: u64 = 2;

/// What the debugger does after it has answered.
enum After {
    Nothing,
    Step(Option<Pick>),
    Continue,
    Back { all: bool },
    Entry,
    End,
}

impl Debugger {
    /// Answers a request. Returns true if it was the last one.
    pub(super) fn answer(&mut self, request: &Request) -> bool {
        let answer = self.answered(request);
        let (body, after) = match answer {
            Ok((body, after)) => (Ok(body), after),
            Err(why) => (Err(why), After::Nothing),
        };
        self.client.respond(request, body);
        if request.command == "launch" && self.model.is_some() {
            self.client.event("initialized", json!({}));
        }
        let thread = number(&request.arguments, "threadId").and_then(|id| id.checked_sub(1));
        let done = match after {
            After::Nothing => Ok(()),
            After::Step(pick) => self.step(thread, pick),
            After::Continue => self.go_on(thread),
            After::Back { all } => self.back(all, thread),
            After::Entry => {
                self.stopped("entry", "the start", None);
                Ok(())
            }
            After::End => return true,
        };
        if let Err(why) = done {
            self.client.output("stderr", &format!("{why}\n"));
            self.stopped("pause", &why, thread);
        }
        false
    }

    fn answered(&mut self, request: &Request) -> Result<(Json, After), String> {
        let asked = &request.arguments;
        let takes_steps = ["next", "stepIn", "stepOut", "continue", "stepBack", "reverseContinue", "restart"];
        if takes_steps.contains(&request.command.as_str()) {
            self.model()?;
        }
        let only = |body: Json| Ok((body, After::Nothing));
        match request.command.as_str() {
            "initialize" => only(capabilities()),
            "launch" | "attach" => {
                let launch: Launch = serde_json::from_value(asked.clone()).map_err(|error| error.to_string())?;
                self.launch(&launch)?;
                only(json!({}))
            }
            "setBreakpoints" => only(self.set_lines(asked)),
            "setFunctionBreakpoints" => only(self.set_events(asked)),
            "setExceptionBreakpoints" => {
                let filters = asked["filters"].as_array();
                self.breakpoints.at_violations =
                    filters.is_some_and(|filters| filters.iter().any(|filter| filter == "violation"));
                only(json!({}))
            }
            "configurationDone" => {
                self.model()?;
                Ok((json!({}), if self.stops_on_entry { After::Entry } else { After::Continue }))
            }
            "threads" => only(self.threads()?),
            "stackTrace" => only(self.frames(asked)?),
            "scopes" => only(json!({ "scopes": [
                { "name": "State", "variablesReference": STATE, "expensive": false },
                { "name": "Enabled", "variablesReference": ENABLED, "expensive": false },
            ] })),
            "variables" => only(self.variables(asked)?),
            "evaluate" => self.evaluate(asked),
            "stepInTargets" => only(self.targets()?),
            "next" | "stepOut" => Ok((json!({}), After::Step(None))),
            "stepIn" => {
                let target = number(asked, "targetId");
                let pick = target.map(|target| self.target(target)).transpose()?;
                Ok((json!({}), After::Step(pick)))
            }
            "continue" => Ok((json!({ "allThreadsContinued": true }), After::Continue)),
            "stepBack" => Ok((json!({}), After::Back { all: false })),
            "reverseContinue" => Ok((json!({}), After::Back { all: true })),
            "restart" => {
                self.go_to_start();
                Ok((json!({}), After::Entry))
            }
            "pause" => Ok((json!({}), After::Nothing)),
            "disconnect" | "terminate" => Ok((json!({}), After::End)),
            other => Err(format!("the debugger does not know the request `{other}`")),
        }
    }

    fn set_lines(&mut self, asked: &Json) -> Json {
        let lines: Vec<AtLine> = list(asked, "breakpoints")
            .filter_map(|at| {
                let line = u32::try_from(number(at, "line")?).ok()?;
                Some(AtLine { line, condition: at["condition"].as_str().map(str::to_owned) })
            })
            .collect();
        let verified = json!({ "breakpoints":
            lines.iter().map(|at| json!({ "verified": true, "line": at.line })).collect::<Vec<_>>() });
        self.breakpoints.lines = lines;
        verified
    }

    /// Names of events, and formulas.
    fn set_events(&mut self, asked: &Json) -> Json {
        (self.breakpoints.events, self.breakpoints.formulas) = (Vec::new(), Vec::new());
        let mut told = Vec::new();
        for name in list(asked, "breakpoints").filter_map(|at| at["name"].as_str()) {
            let machine = self.model.as_ref().map(|model| &model.session.machine);
            let is_event = machine.is_some_and(|machine| (0..machine.labels() as u32).any(|l| machine.name(l) == name));
            let formula = self.model().and_then(|model| model.holds(&self.path, name));
            told.push(match (is_event, formula) {
                (true, _) => json!({ "verified": true }),
                (false, Ok(_)) => json!({ "verified": true }),
                (false, Err(why)) => json!({ "verified": false, "message": why }),
            });
            if is_event { &mut self.breakpoints.events } else { &mut self.breakpoints.formulas }.push(name.to_owned());
        }
        json!({ "breakpoints": told })
    }

    /// Each thread of a program, or the system as one.
    fn threads(&self) -> Result<Json, String> {
        let model = self.model()?;
        let state = self.state()?;
        if state.lines.is_empty() {
            return Ok(json!({ "threads": [{ "id": 1, "name": "the system" }] }));
        }
        let named = model.names.iter().enumerate().take(LISTED);
        Ok(json!({ "threads": named.map(|(i, name)| json!({ "id": i + 1, "name": name })).collect::<Vec<_>>() }))
    }

    /// One frame: what the thread does, at its line.
    fn frames(&self, asked: &Json) -> Result<Json, String> {
        let (model, state) = (self.model()?, self.state()?);
        let thread = number(asked, "threadId").and_then(|id| id.checked_sub(1)).unwrap_or(0);
        let file = &model.session.file;
        let line = state.lines.get(thread).copied().unwrap_or(0);
        let name = match model.names.get(thread) {
            Some(name) if !state.lines.is_empty() => value(&state, name),
            _ => format!("step {}", state.step),
        };
        let mut frame = json!({ "id": thread + 1, "name": name, "line": line, "column": u32::from(line > 0) });
        if line > 0 {
            let full = std::path::absolute(file).unwrap_or_else(|_| file.into());
            let short = full.file_name().map(|name| name.to_string_lossy().into_owned());
            frame["source"] = json!({ "name": short, "path": full.display().to_string() });
        }
        Ok(json!({ "stackFrames": [frame], "totalFrames": 1 }))
    }

    fn variables(&self, asked: &Json) -> Result<Json, String> {
        let state = self.state()?;
        let variable = |name: &str, value: String| json!({ "name": name, "value": value, "variablesReference": 0 });
        let listed: Vec<Json> = match asked["variablesReference"].as_u64() {
            Some(ENABLED) => {
                let by = |choice: &view::machine::views::ChoiceView| choice.requested_by.join(", ");
                state.choices.iter().take(LISTED).map(|choice| variable(&choice.name, by(choice))).collect()
            }
            _ => {
                let names = self.model()?.names.iter().filter(|name| state.state.contains_key(*name));
                names.take(LISTED).map(|name| variable(name, value(&state, name))).collect()
            }
        };
        Ok(json!({ "variables": listed }))
    }

    /// A part of the state, a formula, or in the console a command: `take EVENT`, `violate PROPERTY`.
    fn evaluate(&mut self, asked: &Json) -> Result<(Json, After), String> {
        let text = asked["expression"].as_str().unwrap_or_default().trim();
        let result = |text: String| json!({ "result": text, "variablesReference": 0 });
        if asked["context"] == "repl" {
            if let Some(event) = text.strip_prefix("take ") {
                let state = self.state()?;
                let choice = state.choices.iter().find(|choice| choice.name == event.trim());
                let outcome = choice.and_then(|choice| choice.outcomes.first());
                let outcome = outcome.ok_or_else(|| format!("`{}` is not enabled", event.trim()))?;
                return Ok((result(outcome.event.clone()), After::Step(Some(Pick::read(&outcome.pick)?))));
            }
            if let Some(id) = text.strip_prefix("violate ") {
                return Ok((result(self.follow(id.trim())?), After::Entry));
            }
        }
        let state = self.state()?;
        if self.model()?.names.iter().any(|name| name == text) {
            return Ok((result(value(&state, text)), After::Nothing));
        }
        Ok((result(self.model()?.holds(&self.path, text)?.to_string()), After::Nothing))
    }

    /// The enabled events, from which `stepIn` chooses.
    fn targets(&self) -> Result<Json, String> {
        let outcomes = self.outcomes()?;
        let target = |(id, (label, _)): (usize, &(String, String))| json!({ "id": id, "label": label });
        Ok(json!({ "targets": outcomes.iter().enumerate().map(target).collect::<Vec<_>>() }))
    }

    fn target(&self, id: usize) -> Result<Pick, String> {
        let outcomes = self.outcomes()?;
        let (_, pick) = outcomes.get(id).ok_or("there is no such step")?;
        Pick::read(pick)
    }

    /// The steps that can be taken: each with a text.
    fn outcomes(&self) -> Result<Vec<(String, String)>, String> {
        let state = self.state()?;
        let outcomes = state.choices.into_iter().flat_map(|choice| choice.outcomes);
        Ok(outcomes.map(|outcome| (outcome.event, outcome.pick)).take(LISTED).collect())
    }
}

fn capabilities() -> Json {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsStepBack": true,
        "supportsRestartRequest": true,
        "supportsStepInTargetsRequest": true,
        "supportsEvaluateForHovers": true,
        "supportsTerminateRequest": true,
        "exceptionBreakpointFilters": [
            { "filter": "violation", "label": "Violated properties", "default": true },
        ],
    })
}

/// Returns the text of a part of the state.
fn value(state: &StateView, name: &str) -> String {
    let shown = state.texts.get(name).or_else(|| state.state.get(name));
    match shown {
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "0".to_owned(),
    }
}

fn number(of: &Json, name: &str) -> Option<usize> {
    of[name].as_u64().and_then(|number| usize::try_from(number).ok())
}

fn list<'a>(of: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> {
    of[name].as_array().into_iter().flatten()
}
