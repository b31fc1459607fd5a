//! How long a store is waited for.

use std::time::Duration;

/// How often and how long a request is repeated that failed and may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Repetitions of one request.
    pub retries_max: usize,
    /// A request that takes longer has failed.
    pub request_timeout: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { retries_max: 4, request_timeout: Duration::from_secs(30) }
    }
}
