//! A client of a store with the runtime that drives it, on whichever thread uses it.

use super::journal::{Journal, Journaled};
use super::refusal::Refusal;
use super::{Access, RetryPolicy};
use crate::ObjectError;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// The first pause before a repetition; each further one is longer.
const BACKOFF_FIRST: Duration = Duration::from_millis(50);
const BACKOFF_MAX: Duration = Duration::from_secs(2);
/// Nobody waits longer for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A store and what drives it. A runtime of one thread, so that a reader's requests run on the reader's own thread: its
/// CPU, its clock, no hand-over.
#[derive(Debug)]
pub(super) struct Connection {
    runtime: Mutex<Runtime>,
    store: Arc<AmazonS3>,
    journal: Journal,
    can_sign: bool,
}

impl Connection {
    /// Connects nothing yet: the first request does.
    pub(super) fn new(bucket: &str, access: &Access, retry_policy: RetryPolicy) -> Result<Self, ObjectError> {
        let target = || format!("s3://{bucket}");
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| ObjectError::failed(target(), "cannot start a runtime for the client", error))?;
        let journal = Journal::default();
        let store = builder(bucket, access, retry_policy)
            .with_http_connector(Journaled(journal.clone()))
            .build()
            .map_err(|error| ObjectError::Target { target: target(), why: unusable(&error) })?;
        Ok(Self {
            runtime: Mutex::new(runtime),
            store: Arc::new(store),
            journal,
            can_sign: access.can_sign(),
        })
    }

    /// Does something with the store and waits for it.
    pub(super) fn run<T>(
        &self,
        work: impl AsyncFnOnce(&dyn ObjectStore) -> object_store::Result<T>,
    ) -> Result<T, Refusal> {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let done = runtime.block_on(work(self.store.as_ref()));
        done.map_err(|error| self.refusal(&error))
    }

    /// Why a request failed in the end.
    pub(super) fn refusal(&self, error: &object_store::Error) -> Refusal {
        Refusal::new(error, &self.journal, self.can_sign)
    }

    /// The runtime, for the sole owner of the connection.
    pub(super) fn runtime(&mut self) -> &mut Runtime {
        self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn store(&self) -> &Arc<AmazonS3> {
        &self.store
    }

    /// What was sent and what came.
    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }
}

fn builder(bucket: &str, access: &Access, retry_policy: RetryPolicy) -> AmazonS3Builder {
    let client = |key| AmazonS3ConfigKey::Client(key);
    let mut builder = access
        .settings()
        .fold(AmazonS3Builder::new(), |builder, (key, value)| builder.with_config(key, value))
        .with_bucket_name(bucket)
        .with_config(client(ClientConfigKey::Timeout), milliseconds(retry_policy.request_timeout))
        .with_config(client(ClientConfigKey::ConnectTimeout), milliseconds(CONNECT_TIMEOUT));
    // A delete is one request for one object, as S3 has it everywhere.
    builder = builder.with_config(AmazonS3ConfigKey::DisableBulkDelete, "true");
    if access.is_plain() {
        // An address that says http means it.
        builder = builder.with_config(client(ClientConfigKey::AllowHttp), "true");
    }
    builder.with_retry(RetryConfig {
        backoff: BackoffConfig { init_backoff: BACKOFF_FIRST, max_backoff: BACKOFF_MAX, base: 2.0 },
        max_retries: retry_policy.retries_max,
        retry_timeout: retry_policy.request_timeout * (retry_policy.retries_max as u32 + 1),
    })
}

fn milliseconds(duration: Duration) -> String {
    format!("{} ms", duration.as_millis())
}

/// What of the environment cannot be used. The client's errors name parameters, not their values, except an address.
fn unusable(error: &object_store::Error) -> String {
    format!("the environment's AWS_* settings cannot be used: {}", super::journal::innermost(error))
}
