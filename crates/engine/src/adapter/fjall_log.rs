//! fjall's log, as far as it explains a failure: a flush or compaction that fails in the background stops the database,
//! and writers learn only that it is poisoned. The reason goes to the log and nowhere else.

use log::{LevelFilter, Log, Metadata, Record};
use std::sync::{Mutex, PoisonError};

struct FirstError(Mutex<Option<String>>);

static FIRST_ERROR: FirstError = FirstError(Mutex::new(None));

impl Log for FirstError {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("fjall")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// Listens to errors from now on, and forgets what was reported before. If the program has a logger of its own already,
/// that one keeps them.
pub(super) fn listen() {
    if log::set_logger(&FIRST_ERROR).is_ok() {
        log::set_max_level(LevelFilter::Error);
    }
    *FIRST_ERROR.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// The first error that was logged since [`listen`].
pub(super) fn first_error() -> Option<String> {
    FIRST_ERROR.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
