//! The addresses of the server. Each request is answered on a thread of its own, because computing a state may take
//! long; the server itself only waits.

use super::answer::Refused;
use super::guard::{Gate, guard};
use super::session::Session;
use super::tasks::{Order, Tasks};
use super::{assets, shape};
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path as Address, Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use impasse::formats::Source;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use view::machine::MachineError;
use view::machine::export::{Form, export};
use view::machine::path::Path;
use view::machine::patience::{self, Patience};
use view::machine::views::Target;

/// Maximum number of bytes of a request, and of one that contains evidence.
const BODY: usize = 4 << 20;
const EVIDENCE: usize = 64 << 20;
/// Maximum number of steps, refused labels and nodes in an answer, and of steps of a random run.
const STEPS: usize = 2_000;
const LABELS: usize = 500;
const NODES: usize = 400;
const RANDOM: usize = 50_000;
/// Maximum time for an answer. `--timeout` may set less.
const ANSWERING: Duration = Duration::from_secs(60);

/// What the answers are made from.
#[derive(Clone)]
pub(crate) struct ServerState {
    pub(crate) session: Arc<Session>,
    pub(crate) tasks: Arc<Tasks>,
}

type Answer = Result<Response, Refused>;

/// Returns the service for all addresses.
pub(crate) fn service(server: ServerState, gate: Gate) -> Router {
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
        .route("/{token}/api/holds", post(holds))
        .route("/{token}/api/random", post(random))
        .route("/{token}/api/graph", post(graph))
        .route("/{token}/api/export", post(exported))
        .route("/{token}/api/import", post(import).layer(DefaultBodyLimit::max(EVIDENCE)))
        .route("/{token}/api/tasks", get(tasks).post(start))
        .route("/{token}/api/tasks/{id}", get(task).delete(stop))
        .route("/{token}/api/tasks/{id}/evidence", post(evidence))
        .fallback(async || absent())
        .method_not_allowed_fallback(async || other_method())
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(Arc::new(gate), guard))
        .with_state(server)
}

fn absent() -> Refused {
    Refused::new(StatusCode::NOT_FOUND, "explore::absent", "there is nothing at this address")
}

fn other_method() -> Refused {
    let why = "this address does not accept requests of this method";
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, "explore::method", why)
}

/// The number in an address: of a thread, or of a task.
struct Numbered<N>(N);

impl<N: FromStr, S: Send + Sync> FromRequestParts<S> for Numbered<N> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let found = Address::<HashMap<String, String>>::from_request_parts(parts, state).await;
        let Address(names) = found.map_err(|_| absent())?;
        let number = names.get("number").or_else(|| names.get("id")).and_then(|number| number.parse().ok());
        number.map(Self).ok_or_else(absent)
    }
}

/// A request in JSON. Its errors have the form of all errors.
struct Parameters<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Parameters<T> {
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

/// Notes that the client has left: its request is dropped before it is answered.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Computes bytes on another thread, within the time limit of a request and while the client waits.
async fn computed(
    server: &ServerState,
    work: impl FnOnce() -> Result<Vec<u8>, MachineError> + Send + 'static,
) -> Answer {
    let limit = server.tasks.subject.args.timeout.map_or(ANSWERING, |limit| limit.min(ANSWERING));
    let patience = Patience { until: Instant::now().checked_add(limit), ..Patience::default() };
    let waiting = Waiting(Arc::clone(&patience.has_left));
    let made = tokio::task::spawn_blocking(move || {
        patience::within(patience.clone(), || patience.check().and_then(|()| work()))
    });
    let made = made.await;
    drop(waiting);
    let bytes = made.unwrap_or_else(|_| {
        let why = "this is a bug in impasse; please report it with the model and the path";
        Err(MachineError::Internal(why.to_owned()))
    })?;
    Ok(([(header::CONTENT_TYPE, "application/json")], bytes).into_response())
}

/// Computes an answer on another thread.
async fn apart<T: Serialize>(
    server: ServerState,
    work: impl FnOnce(&ServerState) -> Result<T, MachineError> + Send + 'static,
) -> Answer {
    let own = server.clone();
    // The JSON is also made there: it may be long.
    let json = move || {
        let value = work(&own)?;
        serde_json::to_vec(&value).map_err(|error| MachineError::Internal(error.to_string()))
    };
    computed(&server, json).await
}

fn path(text: &str) -> Result<Path, MachineError> {
    Path::read(text).map_err(MachineError::Path)
}

async fn model(State(server): State<ServerState>) -> Answer {
    apart(server, move |server| Ok(server.session.view())).await
}

#[derive(Serialize)]
struct TextView {
    name: String,
    text: Option<String>,
}

async fn text(State(server): State<ServerState>) -> Answer {
    apart(server, move |server| Ok(TextView { name: server.session.file.clone(), text: server.session.text.clone() }))
        .await
}

async fn net(State(server): State<ServerState>) -> Answer {
    let none = || MachineError::Absent("the model is not a net".to_owned());
    apart(server, move |server| shape::net(server.session.problem.system(), &server.session.spots).ok_or_else(none))
        .await
}

async fn thread(State(server): State<ServerState>, Numbered(number): Numbered<usize>) -> Answer {
    let none = move || MachineError::Absent(format!("the model has no thread {number}"));
    apart(server, move |server| shape::thread(server.session.problem.system(), number).ok_or_else(none)).await
}

#[derive(Deserialize)]
struct StateAsked {
    path: String,
    /// Only enabled labels with this text in their names are listed.
    #[serde(default)]
    query: String,
}

async fn state(State(server): State<ServerState>, Parameters(asked): Parameters<StateAsked>) -> Answer {
    apart(server, move |server| {
        server.session.machine.state(&server.session.problem, &path(&asked.path)?, &asked.query)
    })
    .await
}

#[derive(Deserialize)]
struct StepsAsked {
    path: String,
    /// The steps with the numbers `from..to`, counted from 0.
    #[serde(default)]
    from: usize,
    to: Option<usize>,
}

async fn steps(State(server): State<ServerState>, Parameters(asked): Parameters<StepsAsked>) -> Answer {
    apart(server, move |server| {
        let path = path(&asked.path)?;
        let most = asked.from.saturating_add(STEPS);
        let to = asked.to.unwrap_or(most).min(most);
        server.session.machine.steps(&server.session.problem, &path, asked.from, to)
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

async fn refused(State(server): State<ServerState>, Parameters(asked): Parameters<RefusedAsked>) -> Answer {
    let limit = asked.limit.unwrap_or(LABELS).min(LABELS);
    apart(server, move |server| server.session.machine.refused(&path(&asked.path)?, &asked.query, asked.offset, limit))
        .await
}

#[derive(Deserialize)]
struct HoldsAsked {
    path: String,
    formula: String,
}

#[derive(Serialize)]
struct HoldsView {
    holds: bool,
}

async fn holds(State(server): State<ServerState>, Parameters(asked): Parameters<HoldsAsked>) -> Answer {
    apart(server, move |server| {
        let (session, at) = (&server.session, path(&asked.path)?);
        Ok(HoldsView { holds: session.machine.holds(&session.problem, &at, &asked.formula)? })
    })
    .await
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

async fn random(State(server): State<ServerState>, Parameters(asked): Parameters<RandomAsked>) -> Answer {
    apart(server, move |server| {
        let (session, steps) = (&server.session, asked.steps.min(RANDOM));
        session.machine.random(&session.problem, &path(&asked.path)?, steps, asked.seed, &asked.until)
    })
    .await
}

#[derive(Deserialize)]
struct GraphAsked {
    path: String,
    nodes: Option<usize>,
}

async fn graph(State(server): State<ServerState>, Parameters(asked): Parameters<GraphAsked>) -> Answer {
    let nodes = asked.nodes.unwrap_or(60).clamp(1, NODES);
    apart(server, move |server| server.session.machine.graph(&server.session.problem, &path(&asked.path)?, nodes)).await
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

async fn exported(State(server): State<ServerState>, Parameters(asked): Parameters<ExportAsked>) -> Answer {
    apart(server, move |server| {
        Ok(ExportView { text: export(server.session.subject(), &path(&asked.path)?, asked.form)? })
    })
    .await
}

/// Evidence is the whole body of the request.
async fn import(State(server): State<ServerState>, body: Result<Bytes, BytesRejection>) -> Answer {
    let bytes = body.map_err(|rejection| too_long(&rejection))?.to_vec();
    apart(server, move |server| server.session.import(Source { name: "evidence.json".to_owned(), bytes }, true)).await
}

async fn tasks(State(server): State<ServerState>) -> Answer {
    apart(server, move |server| Ok(server.tasks.views())).await
}

async fn start(State(server): State<ServerState>, Parameters(order): Parameters<Order>) -> Answer {
    let Some(view) = server.tasks.start(order)? else {
        let why = "too many checks and searches are running: stop one, or wait";
        return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, "explore::busy", why));
    };
    apart(server, move |_| Ok(view)).await
}

async fn task(State(server): State<ServerState>, Numbered(id): Numbered<u64>) -> Answer {
    apart(server, move |server| server.tasks.view(id)).await
}

async fn stop(State(server): State<ServerState>, Numbered(id): Numbered<u64>) -> Answer {
    apart(server, move |server| server.tasks.stop(id)).await
}

#[derive(Deserialize)]
struct EvidenceAsked {
    property: String,
}

async fn evidence(
    State(server): State<ServerState>,
    Numbered(id): Numbered<u64>,
    Parameters(asked): Parameters<EvidenceAsked>,
) -> Answer {
    let own = server.clone();
    computed(&server, move || own.tasks.evidence(id, &asked.property)).await
}
