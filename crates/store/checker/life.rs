//! One life of a store: a process that writes from several threads until it is killed.

use crate::journal::{Message, send};
use crate::operations::{Operation, Operations};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use store::{Options, Store, StoreError};

/// The exit code of a life whose options need what this machine does not have.
pub(crate) const NOT_HERE: u8 = 3;

/// What a life does.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Life {
    pub(crate) directory: PathBuf,
    pub(crate) seed: u64,
    pub(crate) number: u64,
    pub(crate) threads: u8,
    /// Operations of each thread, if nobody kills it.
    pub(crate) operations: usize,
    pub(crate) options: Options,
}

/// Opens the store; `None` if this machine does not have what the options need.
pub(crate) fn open(directory: &Path, options: &Options) -> Result<Option<Store>, StoreError> {
    match Store::open(directory, options) {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::Options { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Life {
    /// Lives. Each operation that returned is a message on standard output.
    pub(crate) fn live(&self) -> ExitCode {
        let store = match open(&self.directory, &self.options) {
            Ok(Some(store)) => store,
            Ok(None) => return ExitCode::from(NOT_HERE),
            Err(error) => return failed("open", &error),
        };
        let outcomes: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads)
                .map(|thread| {
                    scope.spawn({
                        let store = &store;
                        move || self.write(store, thread)
                    })
                })
                .collect();
            threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
        });
        for outcome in outcomes {
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return failed("write", &*error),
                Err(_) => return ExitCode::FAILURE,
            }
        }
        match store.close() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed("close", &error),
        }
    }

    fn write(&self, store: &Store, thread: u8) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        for operation in Operations::new(self.seed, self.number, thread).take(self.operations) {
            if matches!(operation, Operation::Sync) {
                send(thread, Message::SyncBegins)?;
            }
            operation.perform(store)?;
            send(thread, Message::Returned)?;
        }
        Ok(())
    }
}

fn failed(what: &str, error: &dyn std::error::Error) -> ExitCode {
    eprintln!("cannot {what}: {error}");
    ExitCode::FAILURE
}
