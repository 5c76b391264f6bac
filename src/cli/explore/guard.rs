//! Decides which requests the server accepts. The page may run checks, so no other page and no other user may send
//! requests.
//!
//! * Every address begins with a random token, so that only programs that know the address can use it.
//! * The `Host` of a request must be the server's own address. Otherwise a page of another site could reach the server
//!   through a name that it lets point to 127.0.0.1 (DNS rebinding).
//! * A request that a browser sends for a page of another origin is refused (`Origin`, `Sec-Fetch-Site`).

use super::answer::Refused;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Number of random bytes of a token.
const BYTES: usize = 24;

/// The address of the server.
pub(crate) struct Gate {
    port: u16,
    token: String,
}

impl Gate {
    /// Creates a gate with a new token.
    ///
    /// # Errors
    /// If the machine has no random numbers.
    pub(crate) fn new(port: u16) -> Result<Self, String> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
        Ok(Self { port, token: bytes.iter().map(|byte| format!("{byte:02x}")).collect() })
    }

    /// The address of the page.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Returns true if `text` is an address of this server, without the scheme.
    fn is_own(&self, text: &str) -> bool {
        ["127.0.0.1", "localhost"].iter().any(|host| text == format!("{host}:{}", self.port))
    }

    fn refusal(&self, uri: &Uri, headers: &HeaderMap) -> Option<Refused> {
        let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        if !text(header::HOST).is_some_and(|host| self.is_own(host)) {
            let why = "the header `Host` does not name this server";
            return Some(Refused::new(StatusCode::FORBIDDEN, "explore::host", why));
        }
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|host| self.is_own(host));
        let site = headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or("?"));
        if !text(header::ORIGIN).is_none_or(is_own) || !site.is_none_or(|site| matches!(site, "same-origin" | "none")) {
            let why = "the request comes from another origin";
            return Some(Refused::new(StatusCode::FORBIDDEN, "explore::origin", why));
        }
        let token = uri.path().split('/').nth(1).unwrap_or_default();
        if !bool::from(token.as_bytes().ct_eq(self.token.as_bytes())) {
            let why = "the address has no valid token: use the address that `impasse explore` printed";
            return Some(Refused::new(StatusCode::FORBIDDEN, "explore::token", why));
        }
        None
    }
}

/// Headers of every answer. The page loads nothing from elsewhere, and no other page can embed it.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// Passes on the requests that are accepted.
pub(crate) async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let mut answer = match gate.refusal(request.uri(), request.headers()) {
        Some(refused) => refused.into_response(),
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_requests_pass() {
        let gate = Gate::new(4711).expect("random numbers");
        let uri: Uri = format!("/{}/api/model", gate.token).parse().expect("an address");
        let code = |pairs: &[(&'static str, &str)], uri: &Uri| {
            let header = |(name, value): &(&'static str, &str)| (name.parse().ok(), value.parse().ok());
            let mut headers = HeaderMap::new();
            for (name, value) in pairs.iter().map(header) {
                headers.insert::<header::HeaderName>(name.expect("a name"), value.expect("a value"));
            }
            gate.refusal(uri, &headers).map(|refused| refused.code())
        };
        let host = ("host", "127.0.0.1:4711");
        assert_eq!(code(&[host], &uri), None);
        assert_eq!(code(&[("host", "localhost:4711"), ("origin", "http://localhost:4711")], &uri), None);
        assert_eq!(code(&[host, ("sec-fetch-site", "same-origin")], &uri), None);
        assert_eq!(code(&[], &uri), Some("explore::host"));
        for wrong in ["evil.example:4711", "127.0.0.1", "127.0.0.1:4712", "127.0.0.1.evil.example:4711"] {
            assert_eq!(code(&[("host", wrong)], &uri), Some("explore::host"), "{wrong}");
        }
        for wrong in ["http://evil.example", "null", "https://127.0.0.1:4711", "http://127.0.0.1:80"] {
            assert_eq!(code(&[host, ("origin", wrong)], &uri), Some("explore::origin"), "{wrong}");
        }
        assert_eq!(code(&[host, ("sec-fetch-site", "cross-site")], &uri), Some("explore::origin"));
        for wrong in ["/", "/x/api/model", &format!("/{}0/", gate.token), &format!("//{}/", gate.token)] {
            assert_eq!(code(&[host], &wrong.parse().expect("an address")), Some("explore::token"), "{wrong}");
        }
    }
}
