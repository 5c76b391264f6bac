//! The files of the page. `apps/explorer/web/build.sh` makes them from the sources in `apps/explorer/web/`. The built
//! form is part of the repository, so that `cargo build` needs no Node.

use super::answer::Refused;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

const PAGE: &[u8] = include_bytes!("../../../apps/explorer/dist/index.html");

/// The other files: their names, their types and their bytes.
const FILES: [(&str, &str, &[u8]); 5] = [
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("../../../apps/explorer/dist/app.js")),
    ("layout.js", "text/javascript; charset=utf-8", include_bytes!("../../../apps/explorer/dist/layout.js")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../../../apps/explorer/dist/app.css")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../../apps/explorer/dist/icon.svg")),
    ("licences.txt", "text/plain; charset=utf-8", include_bytes!("../../../apps/explorer/dist/licences.txt")),
];

pub(crate) async fn page() -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], PAGE).into_response()
}

pub(crate) async fn file(Path((_, name)): Path<(String, String)>) -> Response {
    match FILES.iter().find(|(file, _, _)| *file == name) {
        Some((_, kind, bytes)) => ([(header::CONTENT_TYPE, *kind)], *bytes).into_response(),
        None => Refused::new(StatusCode::NOT_FOUND, "explore::absent", "there is no such file").into_response(),
    }
}
