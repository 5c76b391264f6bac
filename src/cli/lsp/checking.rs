//! The messages about checks: the commands that start and show them, their progress, and their answers.

use super::check::{CHECK, Key, SHOW_RUN};
use super::event::{Checked, Ended};
use super::report::{self, Answer, Places};
use super::server::{Server, parsed};
use lsp_server::{ErrorCode, RequestId};
use lsp_types::notification::Progress;
use lsp_types::request::{CodeLensRefresh, ShowDocument, WorkDoneProgressCreate};
use lsp_types::{
    CancelParams, ExecuteCommandParams, MessageType, NumberOrString, ProgressParams, ProgressParamsValue,
    ShowDocumentParams, Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCancelParams,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use serde_json::{Value as Json, json};
use std::str::FromStr;
use std::sync::atomic::Ordering;

impl Server {
    /// Runs a command. `None` if the answer comes when its check ends.
    pub(super) fn command(&mut self, id: &RequestId, params: Json) -> Result<Option<Json>, (ErrorCode, String)> {
        let params: ExecuteCommandParams = parsed(params)?;
        let is_check = params.command == CHECK;
        if !is_check && params.command != SHOW_RUN {
            return Err((ErrorCode::InvalidParams, format!("there is no command `{}`", params.command)));
        }
        let key: Key = parsed(params.arguments.into_iter().next().unwrap_or_default())?;
        if is_check { self.check(id, key).map(|()| None) } else { self.show_run(&key).map(|()| Some(Json::Null)) }
    }

    fn check(&mut self, request: &RequestId, key: Key) -> Result<(), (ErrorCode, String)> {
        self.document(&key.uri)?;
        let Some(document) = self.documents.get(&key.uri).filter(|document| document.is_program) else {
            return Err((ErrorCode::InvalidParams, "only `.rwb` texts are checked".to_owned()));
        };
        let title = match &key.property {
            Some(property) => format!("checking {property}"),
            None => format!("checking {}", report::file_name(&key.uri)),
        };
        let started = self.checks.start(key, request.clone(), document);
        let id =
            started.map_err(|error| (ErrorCode::InternalError, format!("the check cannot be started: {error}")))?;
        if self.client.has_progress {
            self.ask::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams { token: token(id) });
            let begin = WorkDoneProgressBegin { title, cancellable: Some(true), ..WorkDoneProgressBegin::default() };
            self.work(id, WorkDoneProgress::Begin(begin));
        }
        self.refresh();
        Ok(())
    }

    fn work(&self, id: u64, value: WorkDoneProgress) {
        if self.client.has_progress {
            let value = ProgressParamsValue::WorkDone(value);
            self.notify::<Progress>(ProgressParams { token: token(id), value });
        }
    }

    fn refresh(&mut self) {
        if self.client.refreshes_lenses {
            self.ask::<CodeLensRefresh>(());
        }
    }

    pub(super) fn progress(&self, id: u64, states: u64) {
        let report = WorkDoneProgressReport { message: Some(format!("{states} states")), ..Default::default() };
        if self.checks.running.contains_key(&id) {
            self.work(id, WorkDoneProgress::Report(report));
        }
    }

    /// Answers the request that started a check, and shows the answer.
    pub(super) fn checked(&mut self, checked: Checked) {
        let Checked { id, ended } = checked;
        let Some(running) = self.checks.running.remove(&id) else { return };
        let key = running.key;
        let answer = match ended {
            Ended::Report(report, places) => Ok(self.learn(&key, running.version, &report, &places)),
            Ended::Stopped if running.stop.load(Ordering::Relaxed) => {
                Err((ErrorCode::RequestCanceled, "the check was cancelled".to_owned()))
            }
            Ended::Stopped => Err((ErrorCode::RequestFailed, "the check did not end in time".to_owned())),
            Ended::Failed(why) => Err((ErrorCode::RequestFailed, why)),
        };
        let message = answer.as_ref().ok().and_then(|answer| answer["summary"].as_str().map(str::to_owned));
        self.work(id, WorkDoneProgress::End(WorkDoneProgressEnd { message }));
        self.publish(&key.uri);
        self.refresh();
        self.respond(running.request, answer);
    }

    /// Keeps the answers of a report. Returns the result of the command.
    fn learn(&mut self, key: &Key, version: i32, report: &Json, places: &Places) -> Json {
        let answers = report::answers(report, version, &report::file_name(&key.uri), places);
        let errors = report["errors"].as_array().map_or(0, Vec::len);
        let summary = if errors > 0 {
            "the text has mistakes, so nothing was checked".to_owned()
        } else {
            answers
                .iter()
                .map(|answer| format!("{}: {}", answer.property, answer.verdict))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let is_violated = answers.iter().any(|answer| answer.run.is_some());
        let typ = if is_violated || errors > 0 { MessageType::WARNING } else { MessageType::INFO };
        let told: Vec<Json> = answers
            .iter()
            .map(|answer| json!({ "property": answer.property, "verdict": answer.verdict, "run": answer.run }))
            .collect();
        if self.documents.contains_key(&key.uri) {
            let kept = self.checks.answers.entry(key.uri.clone()).or_default();
            kept.retain(|old| answers.iter().all(|new| new.property != old.property));
            kept.extend(answers);
        }
        self.say(typ, summary.clone());
        json!({ "summary": summary, "answers": told })
    }

    /// Shows a run: as a document if the client can show one, else as a message.
    fn show_run(&mut self, key: &Key) -> Result<(), (ErrorCode, String)> {
        let failed = |why: String| (ErrorCode::RequestFailed, why);
        let is_asked = |answer: &&Answer| key.property.as_ref().is_none_or(|property| answer.property == *property);
        let mut found = self.checks.answers(&key.uri).iter().filter(is_asked);
        let Some((answer, run)) = found.find_map(|answer| Some((answer, answer.run.clone()?))) else {
            return Err(failed("there is no run to show: check the file first".to_owned()));
        };
        let page = self.checks.page(answer, &key.uri);
        if !self.client.shows_documents {
            self.say(MessageType::INFO, run);
            return Ok(());
        }
        let written = std::fs::write(&page, run).map_err(|error| failed(format!("the run cannot be written: {error}")));
        written?;
        let uri = Uri::from_str(&report::file_uri(&page)).map_err(|error| failed(error.to_string()))?;
        let (external, take_focus) = (Some(false), Some(true));
        self.ask::<ShowDocument>(ShowDocumentParams { uri, external, take_focus, selection: None });
        Ok(())
    }

    /// Stops the check that a request started. Other requests are answered at once.
    pub(super) fn cancel(&self, params: CancelParams) {
        let id: RequestId = match params.id {
            NumberOrString::Number(number) => number.into(),
            NumberOrString::String(text) => text.into(),
        };
        let own = self.checks.running.values().filter(|running| running.request == id);
        own.for_each(|running| running.stop.store(true, Ordering::Relaxed));
    }

    pub(super) fn cancel_work(&self, params: &WorkDoneProgressCancelParams) {
        let own = self.checks.running.iter().filter(|(id, _)| token(**id) == params.token);
        own.for_each(|(_, running)| running.stop.store(true, Ordering::Relaxed));
    }
}

/// Returns the token of the progress of a check.
fn token(id: u64) -> NumberOrString {
    NumberOrString::String(format!("impasse/check/{id}"))
}
