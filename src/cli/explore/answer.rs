//! Answers of the server: JSON, and errors with a code.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use view::machine::MachineError;

/// An error, as the server answers it: `{"error": {"code": .., "message": ..}}`.
#[derive(Debug)]
pub(crate) struct Refused {
    status: StatusCode,
    error: ErrorView,
}

#[derive(Serialize, Debug)]
struct ErrorView {
    code: &'static str,
    message: String,
}

#[derive(Serialize)]
struct Body<'a> {
    error: &'a ErrorView,
}

impl Refused {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, error: ErrorView { code, message: message.into() } }
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> &'static str {
        self.error.code
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(Body { error: &self.error })).into_response()
    }
}

impl From<MachineError> for Refused {
    fn from(wrong: MachineError) -> Self {
        let (status, code) = match wrong {
            MachineError::Path(_) => (StatusCode::BAD_REQUEST, "explore::path"),
            MachineError::Target(_) => (StatusCode::BAD_REQUEST, "explore::target"),
            MachineError::Absent(_) => (StatusCode::NOT_FOUND, "explore::absent"),
            MachineError::Ended(_) => (StatusCode::SERVICE_UNAVAILABLE, "explore::ended"),
            MachineError::Evidence(_) => (StatusCode::UNPROCESSABLE_ENTITY, "explore::evidence"),
            MachineError::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "explore::internal"),
        };
        Self::new(status, code, wrong.message())
    }
}
