//! What passes between a client and its store, counted below the client's own repetitions: without this a request that
//! was repeated would be a slow one and nothing else.

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService, ReqwestConnector,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A summary of a store's answers.
#[derive(Debug, Default)]
struct Entries {
    requests: u64,
    /// Requests that failed, by what came in place of the answer.
    failures: BTreeMap<String, u64>,
    /// Why the last request failed; `None` if it did not.
    last: Option<Cause>,
}

/// Why a request failed.
#[derive(Debug)]
pub(super) enum Cause {
    /// The store's own word: the code of its error document, or the status.
    Refused(String),
    /// What went wrong below HTTP.
    Failed(String),
}

/// A journal that a connection writes and its owner reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal(Arc<Mutex<Entries>>);

impl Journal {
    /// Requests sent so far.
    pub(super) fn requests(&self) -> u64 {
        self.entries().requests
    }

    /// What failed so far, and how often.
    pub(super) fn failures(&self) -> BTreeMap<String, u64> {
        self.entries().failures.clone()
    }

    /// Why the last request failed; taken, so that the next failure has its own.
    pub(super) fn take_cause(&self) -> Option<Cause> {
        self.entries().last.take()
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // Counts stay counts even if a thread that held them panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refused(&self, status: u16, code: Option<&str>) {
        let mut entries = self.entries();
        let name = code.map_or_else(|| status.to_string(), |code| format!("{status} {code}"));
        *entries.failures.entry(name).or_default() += 1;
        entries.last = Some(Cause::Refused(code.map_or_else(|| status.to_string(), str::to_owned)));
    }

    fn failed(&self, error: &HttpError) {
        let kind = match error.kind() {
            HttpErrorKind::Connect => "connection refused or reset",
            HttpErrorKind::Timeout => "timeout",
            HttpErrorKind::Interrupted => "connection broken off",
            _ => "transport error",
        };
        let mut entries = self.entries();
        *entries.failures.entry(kind.to_owned()).or_default() += 1;
        entries.last = Some(Cause::Failed(innermost(error)));
    }
}

/// The error at the bottom, which is the kernel's or the protocol's and holds no address of Syncline.
pub(super) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// Makes clients that write a journal.
#[derive(Debug)]
pub(super) struct Journaled(pub(super) Journal);

impl HttpConnector for Journaled {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Service { client, journal: self.0.clone() }))
    }
}

#[derive(Debug)]
struct Service {
    client: HttpClient,
    journal: Journal,
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.journal.entries().requests += 1;
        let response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                self.journal.failed(&error);
                return Err(error);
            }
        };
        if !response.status().is_client_error() && !response.status().is_server_error() {
            // What was repeated and went well is not a reason for what fails later.
            self.journal.entries().last = None;
            return Ok(response);
        }
        // An error document is short; the client above gets it as it came.
        let (head, body) = response.into_parts();
        let body = body.bytes().await?;
        self.journal.refused(head.status.as_u16(), code_of(&String::from_utf8_lossy(&body)));
        Ok(HttpResponse::from_parts(head, HttpResponseBody::from(body)))
    }
}

/// The code of an S3 error document (`<Error><Code>…</Code>`), if it is one.
fn code_of(document: &str) -> Option<&str> {
    let (_, behind) = document.split_once("<Code>")?;
    let (code, _) = behind.split_once("</Code>")?;
    let is_code = !code.is_empty() && code.len() <= 64 && code.chars().all(|c| c.is_ascii_alphanumeric());
    is_code.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_word_of_the_document_and_nothing_else() {
        assert_eq!(
            code_of("<?xml?><Error><Code>NoSuchBucket</Code><Message>m</Message></Error>"),
            Some("NoSuchBucket")
        );
        for none in ["", "<html>503</html>", "<Code></Code>", "<Code>a b</Code>", "<Code>never closed"] {
            assert_eq!(code_of(none), None, "{none}");
        }
    }
}
