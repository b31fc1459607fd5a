//! What passes between a client and its store, counted below the client's own repetitions: without this a request that
//! was repeated would be a slow one and nothing else.

use async_trait::async_trait;
use futures_util::TryStreamExt;
use model::object::Requests;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService, ReqwestConnector,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A list has a thousand keys of at most 1,024 bytes each, of which some are written as six; an error document is
/// short.
const DOCUMENT_BYTES_MAX: usize = 16 << 20;

/// A summary of a store's answers.
#[derive(Debug, Default)]
struct Entries {
    requests: Requests,
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
    /// A list or an error document that no store makes so long.
    TooLong,
    /// The service that has the credentials of the instance's role has none: what came in place of them.
    NoRole(String),
}

/// The paths at which that service has them (`object_store::aws`, `InstanceCredentialProvider`).
const ROLE_PATHS: [&str; 2] = ["/latest/api/token", "/latest/meta-data/iam/security-credentials"];

/// A journal that a connection writes and its owner reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal(Arc<Mutex<Entries>>);

impl Journal {
    /// Requests sent so far.
    pub(super) fn requests(&self) -> Requests {
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

    fn sent(&self, method: &str, is_list: bool) {
        let requests = &mut self.entries().requests;
        let of_kind = match method {
            "GET" if is_list => &mut requests.lists,
            "GET" | "HEAD" => &mut requests.reads,
            "DELETE" => &mut requests.deletes,
            // A put in parts begins and ends with a POST.
            _ => &mut requests.writes,
        };
        *of_kind += 1;
    }

    fn refused(&self, status: u16, code: Option<&str>) {
        let mut entries = self.entries();
        let name = code.map_or_else(|| status.to_string(), |code| format!("{status} {code}"));
        *entries.failures.entry(name).or_default() += 1;
        entries.last = Some(Cause::Refused(code.map_or_else(|| status.to_string(), str::to_owned)));
    }

    /// What the last request failed with is the role's service's.
    fn no_role(&self) {
        let mut entries = self.entries();
        entries.last = entries.last.take().map(|cause| match cause {
            Cause::Refused(why) | Cause::Failed(why) | Cause::NoRole(why) => Cause::NoRole(why),
            Cause::TooLong => Cause::TooLong,
        });
    }

    fn too_long(&self) {
        self.entries().last = Some(Cause::TooLong);
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
        let is_of_role = ROLE_PATHS.iter().any(|path| request.uri().path().starts_with(path));
        let answered = self.answer(request).await;
        if is_of_role {
            self.journal.no_role();
        }
        answered
    }
}

impl Service {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_list = request.uri().query().is_some_and(|query| query.contains("list-type="));
        self.journal.sent(request.method().as_str(), is_list);
        // What an object holds may be long; every other answer is a document.
        let is_document = is_list || request.method().as_str() != "GET";
        let response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                self.journal.failed(&error);
                return Err(error);
            }
        };
        let is_refused = response.status().is_client_error() || response.status().is_server_error();
        if !is_refused {
            // What was repeated and went well is not a reason for what fails later.
            self.journal.entries().last = None;
            if !is_document {
                return Ok(response);
            }
        }
        let (head, body) = response.into_parts();
        let read = whole(body, DOCUMENT_BYTES_MAX).await;
        let Some(body) = read.inspect_err(|error| self.journal.failed(error))? else {
            self.journal.too_long();
            return Err(HttpError::new(
                HttpErrorKind::Decode,
                std::io::Error::other("the answer is too long"),
            ));
        };
        if is_refused {
            self.journal.refused(head.status.as_u16(), code_of(&String::from_utf8_lossy(&body)));
        }
        Ok(HttpResponse::from_parts(head, HttpResponseBody::from(body)))
    }
}

/// A body, as long as it has no more bytes than this: the client above reads all of it, whatever a store sends.
async fn whole(body: HttpResponseBody, bytes_max: usize) -> Result<Option<Vec<u8>>, HttpError> {
    let mut chunks = body.bytes_stream();
    let mut whole = Vec::new();
    while let Some(chunk) = chunks.try_next().await? {
        if whole.len() + chunk.len() > bytes_max {
            return Ok(None);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(Some(whole))
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
    fn requests_are_counted_by_what_stores_charge_for() {
        let journal = Journal::default();
        let sent = [
            ("PUT", false),
            ("POST", false),
            ("GET", true),
            ("GET", false),
            ("HEAD", false),
            ("DELETE", false),
        ];
        for (method, is_list) in sent {
            journal.sent(method, is_list);
        }
        assert_eq!(journal.requests(), Requests { writes: 2, lists: 1, reads: 2, deletes: 1 });
        assert_eq!(journal.requests().total(), 6);
    }

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
