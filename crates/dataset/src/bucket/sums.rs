//! What all clients of a bucket asked for and sent, of those that have ended.

use model::object::Requests;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts over clients.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// Requests that the operations need.
    asked: AtomicU64,
    /// Requests that were sent.
    requests: Mutex<Requests>,
    /// What came in place of an answer, and how often.
    failures: Mutex<BTreeMap<String, u64>>,
    /// Requests that were sent to each endpoint that a trial names.
    by_endpoint: Mutex<BTreeMap<String, u64>>,
}

impl Sums {
    /// Adds those of a client.
    pub(super) fn add(
        &self,
        asked: u64,
        requests: Requests,
        failures: impl IntoIterator<Item = (String, u64)>,
    ) {
        self.asked.fetch_add(asked, Ordering::Relaxed);
        let mut sent = held(&self.requests);
        *sent = sent.plus(requests);
        let mut sums = held(&self.failures);
        for (cause, times) in failures {
            *sums.entry(cause).or_default() += times;
        }
    }

    /// Counts requests, which [`add`](Self::add) has added, for the endpoint to which they were sent.
    pub(super) fn add_of_endpoint(&self, endpoint: &str, requests: Requests) {
        *held(&self.by_endpoint).entry(endpoint.to_owned()).or_default() += requests.total();
    }

    /// Requests that were sent to each endpoint.
    pub(super) fn by_endpoint(&self) -> BTreeMap<String, u64> {
        held(&self.by_endpoint).clone()
    }

    /// Requests beyond those that were needed: each repeated one that failed.
    pub(super) fn retries(&self) -> u64 {
        self.requests().total().saturating_sub(self.asked.load(Ordering::Relaxed))
    }

    /// Requests that were sent.
    pub(super) fn requests(&self) -> Requests {
        *held(&self.requests)
    }

    /// Why requests failed.
    pub(super) fn failures(&self) -> BTreeMap<String, u64> {
        held(&self.failures).clone()
    }

    /// Why requests were repeated.
    pub(super) fn causes(&self) -> BTreeMap<String, u64> {
        let mut causes = self.failures();
        // A body that ends early comes with an answer that is none of the failures.
        let broken = self.retries().saturating_sub(causes.values().sum());
        if broken > 0 {
            causes.insert("body broken off".to_owned(), broken);
        }
        causes
    }
}

fn held<T>(sums: &Mutex<T>) -> MutexGuard<'_, T> {
    // Counts stay counts even if a thread that held them panicked.
    sums.lock().unwrap_or_else(PoisonError::into_inner)
}
