//! The addresses of the server. Each request is answered on a thread of its own, because computing a state may take
//! long; the server itself only waits.

use super::answer::Refused;
use super::guard::{Gate, guard};
use super::session::Session;
use super::tasks::{Order, Tasks};
use super::{assets, shape};
use crate::cli::machine::Wrong;
use crate::cli::machine::export::{Form, export};
use crate::cli::machine::path::Path;
use crate::cli::machine::views::Target;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, Path as Address, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use impasse::formats::Source;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Maximum number of bytes of a request, and of one that contains evidence.
const BODY: usize = 4 << 20;
const EVIDENCE: usize = 64 << 20;
/// Maximum number of steps, refused labels and nodes in an answer, and of steps of a random run.
const STEPS: usize = 2_000;
const LABELS: usize = 500;
const NODES: usize = 400;
const RANDOM: usize = 50_000;

/// What the answers are made from.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) session: Arc<Session>,
    pub(crate) tasks: Arc<Tasks>,
}

type Answer = Result<Response, Refused>;

/// Returns the service for all addresses.
pub(crate) fn service(desk: Desk, gate: Gate) -> Router {
    Router::new()
        .route("/{token}/", get(assets::page))
        .route("/{token}/{file}", get(assets::file))
        .route("/{token}/api/model", get(model))
        .route("/{token}/api/text", get(text))
        .route("/{token}/api/net", get(net))
        .route("/{token}/api/thread/{number}", get(thread))
        .route("/{token}/api/state", post(state))
        .route("/{token}/api/steps", post(steps))
        .route("/{token}/api/refused", post(refused))
        .route("/{token}/api/random", post(random))
        .route("/{token}/api/graph", post(graph))
        .route("/{token}/api/export", post(exported))
        .route("/{token}/api/import", post(import).layer(DefaultBodyLimit::max(EVIDENCE)))
        .route("/{token}/api/tasks", get(tasks).post(start))
        .route("/{token}/api/tasks/{id}", get(task).delete(stop))
        .route("/{token}/api/tasks/{id}/evidence", post(evidence))
        .fallback(async || absent())
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(Arc::new(gate), guard))
        .with_state(desk)
}

fn absent() -> Refused {
    Refused::new(StatusCode::NOT_FOUND, "explore::absent", "there is nothing at this address")
}

/// A request in JSON. Its errors have the form of all errors.
struct Asked<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Asked<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(asked)) => Ok(Self(asked)),
            Err(JsonRejection::BytesRejection(rejection)) => Err(too_long(&rejection)),
            Err(rejection) => Err(Refused::new(rejection.status(), "explore::request", rejection.body_text())),
        }
    }
}

fn too_long(rejection: &BytesRejection) -> Refused {
    Refused::new(rejection.status(), "explore::too_long", rejection.body_text())
}

/// Computes an answer on another thread.
async fn apart<T: Serialize + Send + 'static>(work: impl FnOnce() -> Result<T, Wrong> + Send + 'static) -> Answer {
    // The JSON is also made there: it may be long.
    let made = tokio::task::spawn_blocking(move || {
        let value = work()?;
        serde_json::to_vec(&value).map_err(|error| Wrong::Internal(error.to_string()))
    });
    let bytes = made.await.unwrap_or_else(|_| {
        let why = "this is a bug in impasse; please report it with the model and the path";
        Err(Wrong::Internal(why.to_owned()))
    })?;
    Ok(([(header::CONTENT_TYPE, "application/json")], bytes).into_response())
}

fn path(text: &str) -> Result<Path, Wrong> {
    Path::read(text).map_err(Wrong::Path)
}

async fn model(State(desk): State<Desk>) -> Answer {
    apart(move || Ok(desk.session.view())).await
}

#[derive(Serialize)]
struct TextView {
    name: String,
    text: Option<String>,
}

async fn text(State(desk): State<Desk>) -> Answer {
    apart(move || Ok(TextView { name: desk.session.file.clone(), text: desk.session.text.clone() })).await
}

async fn net(State(desk): State<Desk>) -> Answer {
    let none = || Wrong::Absent("the model is no net".to_owned());
    apart(move || shape::net(desk.session.problem.system(), &desk.session.spots).ok_or_else(none)).await
}

async fn thread(State(desk): State<Desk>, Address((_, number)): Address<(String, usize)>) -> Answer {
    let none = move || Wrong::Absent(format!("the model has no thread {number}"));
    apart(move || shape::thread(desk.session.problem.system(), number).ok_or_else(none)).await
}

#[derive(Deserialize)]
struct StateAsked {
    path: String,
    /// Only enabled labels with this text in their names are listed.
    #[serde(default)]
    query: String,
}

async fn state(State(desk): State<Desk>, Asked(asked): Asked<StateAsked>) -> Answer {
    apart(move || desk.session.machine.state(&desk.session.problem, &path(&asked.path)?, &asked.query)).await
}

#[derive(Deserialize)]
struct StepsAsked {
    path: String,
    /// The steps with the numbers `from..to`, counted from 0.
    #[serde(default)]
    from: usize,
    to: Option<usize>,
}

async fn steps(State(desk): State<Desk>, Asked(asked): Asked<StepsAsked>) -> Answer {
    apart(move || {
        let path = path(&asked.path)?;
        let most = asked.from.saturating_add(STEPS);
        let to = asked.to.unwrap_or(most).min(most);
        desk.session.machine.steps(&desk.session.problem, &path, asked.from, to)
    })
    .await
}

#[derive(Deserialize)]
struct RefusedAsked {
    path: String,
    #[serde(default)]
    query: String,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

async fn refused(State(desk): State<Desk>, Asked(asked): Asked<RefusedAsked>) -> Answer {
    let limit = asked.limit.unwrap_or(LABELS).min(LABELS);
    apart(move || desk.session.machine.refused(&path(&asked.path)?, &asked.query, asked.offset, limit)).await
}

#[derive(Deserialize)]
struct RandomAsked {
    path: String,
    steps: usize,
    #[serde(default)]
    seed: u64,
    /// The run pauses after the first step that fits one of these.
    #[serde(default)]
    until: Vec<Target>,
}

async fn random(State(desk): State<Desk>, Asked(asked): Asked<RandomAsked>) -> Answer {
    apart(move || {
        let (session, steps) = (&desk.session, asked.steps.min(RANDOM));
        session.machine.random(&session.problem, &path(&asked.path)?, steps, asked.seed, &asked.until)
    })
    .await
}

#[derive(Deserialize)]
struct GraphAsked {
    path: String,
    nodes: Option<usize>,
}

async fn graph(State(desk): State<Desk>, Asked(asked): Asked<GraphAsked>) -> Answer {
    let nodes = asked.nodes.unwrap_or(60).clamp(1, NODES);
    apart(move || desk.session.machine.graph(&desk.session.problem, &path(&asked.path)?, nodes)).await
}

#[derive(Deserialize)]
struct ExportAsked {
    path: String,
    form: Form,
}

#[derive(Serialize)]
struct ExportView {
    text: String,
}

async fn exported(State(desk): State<Desk>, Asked(asked): Asked<ExportAsked>) -> Answer {
    apart(move || Ok(ExportView { text: export(desk.session.subject(), &path(&asked.path)?, asked.form)? })).await
}

/// Evidence is the whole body of the request.
async fn import(State(desk): State<Desk>, body: Result<Bytes, BytesRejection>) -> Answer {
    let bytes = body.map_err(|rejection| too_long(&rejection))?.to_vec();
    apart(move || desk.session.import(Source { name: "evidence.json".to_owned(), bytes }, true)).await
}

async fn tasks(State(desk): State<Desk>) -> Answer {
    apart(move || Ok(desk.tasks.views())).await
}

async fn start(State(desk): State<Desk>, Asked(order): Asked<Order>) -> Answer {
    let Some(view) = desk.tasks.start(order)? else {
        let why = "too many checks and searches are running: stop one, or wait";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, "explore::busy", why));
    };
    apart(move || Ok(view)).await
}

async fn task(State(desk): State<Desk>, Address((_, id)): Address<(String, u64)>) -> Answer {
    apart(move || desk.tasks.view(id)).await
}

async fn stop(State(desk): State<Desk>, Address((_, id)): Address<(String, u64)>) -> Answer {
    apart(move || desk.tasks.stop(id)).await
}

#[derive(Deserialize)]
struct EvidenceAsked {
    property: String,
}

async fn evidence(
    State(desk): State<Desk>,
    Address((_, id)): Address<(String, u64)>,
    Asked(asked): Asked<EvidenceAsked>,
) -> Answer {
    let read = tokio::task::spawn_blocking(move || desk.tasks.evidence(id, &asked.property)).await;
    let bytes = read.unwrap_or_else(|error| Err(Wrong::Internal(error.to_string())))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], bytes).into_response())
}
