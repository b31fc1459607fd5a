//! One life of a store: a process that writes from several threads until it is killed.

use crate::journal::{Message, send};
use crate::operations::{Operation, Operations};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use store::{Commit, Options, Store, StoreError};

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
    /// Writes that each thread has under way at most.
    pub(crate) under_way: usize,
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
        let mut under_way = VecDeque::new();
        for operation in Operations::new(self.seed, self.number, thread).take(self.operations) {
            let is_sync = matches!(operation, Operation::Sync);
            if is_sync {
                await_oldest(thread, &mut under_way, 0)?;
                send(thread, Message::SyncBegins)?;
            }
            under_way.push_back(match self.under_way {
                1 => operation.perform(store).map(|()| None)?,
                _ => operation.begin(store)?,
            });
            await_oldest(thread, &mut under_way, if is_sync { 0 } else { self.under_way - 1 })?;
        }
        await_oldest(thread, &mut under_way, 0)
    }
}

/// Waits until no more than `left` writes are under way; says which operations have returned.
fn await_oldest(
    thread: u8,
    under_way: &mut VecDeque<Option<Commit<'_>>>,
    left: usize,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    while under_way.len() > left {
        if let Some(Some(commit)) = under_way.pop_front() {
            commit.wait()?;
        }
        send(thread, Message::Returned)?;
    }
    Ok(())
}

fn failed(what: &str, error: &dyn std::error::Error) -> ExitCode {
    eprintln!("cannot {what}: {error}");
    ExitCode::FAILURE
}
