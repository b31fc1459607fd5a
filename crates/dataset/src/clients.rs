//! What works on objects: reads, writes, lists and removes them, on files and in a store alike.

use crate::Contents;
use driver::{Backend, MonotonicClock};
use model::object::Requests;
use model::{IoMode, ObjectOp, ObjectTree};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How objects are worked on.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a parameter of the trial")]
pub struct Working {
    /// What they are called.
    pub tree: ObjectTree,
    /// What they hold.
    pub contents: Contents,
    /// Whether what is read is compared with that.
    pub verifies: bool,
    /// How the page cache takes part: buffered or direct; no effect in an object store.
    pub mode: IoMode,
    /// Whether a put ends with a sync of the file and of its folder; no effect in an object store.
    pub syncs: bool,
    /// Whether a file is put under another name first, and renamed when it is complete; no effect in an object store.
    pub renames: bool,
    /// Whether a delete ends with a sync of the folder; no effect in an object store.
    pub syncs_deletes: bool,
    /// Clients, a thread each.
    pub clients: u32,
    /// The number of the first of them among the clients of all ranks: it decides which endpoints they use.
    pub client_first: usize,
    /// Operations that one client has in flight at most; 1 in a directory.
    pub in_flight_max: u32,
    /// Bytes of the largest object.
    pub object_bytes_max: u64,
    /// Bytes of one read of a file, whole pages; no effect in an object store.
    pub read_bytes: u64,
    /// Bytes of a part of a put in parts; a file is written in pieces of it, whole pages.
    pub part_bytes: u64,
    /// Parts of one put in flight; no effect in a directory.
    pub parts_in_flight: u32,
    /// Operations that may fail in the end before the trial does.
    pub failures_max: u64,
    /// Where puts in parts are noted while they are under way; no effect in a directory.
    pub uploads: PathBuf,
}

/// What the clients of a trial share.
pub trait Clients: Sync {
    /// What one client performs operations with.
    type Backend: Backend<Op = ObjectOp>;

    /// The backend of client number `client`, on the thread that will drive it.
    ///
    /// # Errors
    /// The kernel's error, or settings that cannot be used.
    fn backend(&self, client: usize, clock: MonotonicClock) -> io::Result<Self::Backend>;

    /// What went wrong so far, of the backends that have ended.
    fn faults(&self) -> Faults;

    /// What the backends that have ended sent to a store; `None` without a store.
    fn requests(&self) -> Option<Requests>;

    /// How many of them went to each endpoint that the parameters name; empty if they name none.
    fn requests_by_endpoint(&self) -> BTreeMap<String, u64>;
}

/// What went wrong, and did not end the trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Requests beyond those that the operations need: each repeated one that failed; `None` if nothing is repeated.
    pub retries: Option<u64>,
    /// Answers by which the store declared itself overloaded (503, 429); `None` without a store.
    pub overloads: Option<u64>,
    /// Why requests were repeated, and how often.
    pub causes: BTreeMap<String, u64>,
    /// Why operations failed in the end, and how often.
    pub failures: BTreeMap<String, u64>,
}

/// Why an object that is not what was written fails its trial.
pub(crate) const WRONG_BYTES: &str = "its bytes are not those that were written";

/// The failures that a trial still tolerates.
#[derive(Debug)]
pub(crate) struct Tolerance(Mutex<(u64, BTreeMap<String, u64>)>);

impl Tolerance {
    /// Tolerates this number.
    pub(crate) fn of(failures_max: u64) -> Self {
        Self(Mutex::new((failures_max, BTreeMap::new())))
    }

    /// Takes note of a failure; `false` if it is one too many.
    #[cold]
    pub(crate) fn takes(&self, why: &str) -> bool {
        let mut state = self.lock();
        let (left, failures) = &mut *state;
        if *left == 0 {
            return false;
        }
        *left -= 1;
        *failures.entry(why.to_owned()).or_default() += 1;
        true
    }

    /// Those that were tolerated.
    pub(crate) fn failures(&self) -> BTreeMap<String, u64> {
        self.lock().1.clone()
    }

    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<String, u64>)> {
        // Counts stay counts even if a thread that held them panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
