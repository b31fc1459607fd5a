//! Reads of objects: requests in flight on the reader's own thread.

use super::connection::Connection;
use super::sums::Sums;
use super::{Access, RetryPolicy};
use crate::buffers::Pool;
use crate::{Buffers, ObjectError, OperationFailed, Readers, Reading};
use driver::{Backend, MonotonicClock};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use model::mechanism::Measured;
use model::object::Requests;
use model::{BufferMemory, Completion, Nanos, ScanKind, ScanOp};
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// What the readers of a bucket share.
#[derive(Debug)]
pub struct ObjectReaders {
    bucket: String,
    keys: Arc<[Path]>,
    /// Connections and buffers, which outlive a pass.
    pool: Arc<Pool<Kept>>,
    sums: Arc<Sums>,
}

/// What a reader keeps from pass to pass.
#[derive(Debug)]
struct Kept {
    connection: Connection,
    /// Pooled buffers; empty if each read has its own.
    buffers: Vec<Vec<u8>>,
    is_pooled: bool,
    /// For the journal, what is in the sums already.
    requests_told: Requests,
    failures_told: BTreeMap<String, u64>,
}

impl ObjectReaders {
    pub(super) fn new(
        bucket: &str,
        keys: Vec<Path>,
        reading: Reading,
        access: &Access,
        retry_policy: RetryPolicy,
    ) -> Result<Self, ObjectError> {
        let is_pooled = reading.buffers == Buffers::Pooled;
        let buffers = if is_pooled { reading.in_flight_max as usize } else { 0 };
        let kept = (0..reading.readers).map(|_| {
            let bytes = reading.read_bytes_max as usize;
            Ok(Kept {
                connection: Connection::new(bucket, access, retry_policy)?,
                // Written once, so that no read faults.
                buffers: (0..buffers).map(|_| vec![1; bytes]).collect(),
                is_pooled,
                requests_told: Requests::default(),
                failures_told: BTreeMap::new(),
            })
        });
        Ok(Self {
            bucket: bucket.to_owned(),
            keys: keys.into(),
            pool: Arc::new(Pool::new(kept.collect::<Result<_, ObjectError>>()?)),
            sums: Arc::default(),
        })
    }
}

impl Readers for ObjectReaders {
    type Backend = ObjectReader;

    fn backend(&self, _: MonotonicClock) -> io::Result<ObjectReader> {
        let kept =
            self.pool.take().ok_or_else(|| io::Error::other("there are more readers than connections"))?;
        Ok(ObjectReader {
            bucket: self.bucket.clone(),
            keys: Arc::clone(&self.keys),
            pool: Arc::clone(&self.pool),
            sums: Arc::clone(&self.sums),
            kept: Some(kept),
            requests: FuturesUnordered::new(),
            reads: 0,
        })
    }

    fn retries(&self) -> u64 {
        self.sums.retries()
    }

    fn retry_causes(&self) -> Vec<String> {
        let causes = self.sums.causes();
        causes.iter().map(|(cause, times)| format!("{cause} ({times} times)")).collect()
    }

    fn buffer_memory(&self) -> Option<Measured<BufferMemory>> {
        None
    }
}

/// A request that has ended: its operation, its buffer, and how many bytes came.
type Ended = (ScanOp, Option<Vec<u8>>, object_store::Result<usize>);

/// A backend of objects. Requests progress while it is reaped.
pub struct ObjectReader {
    bucket: String,
    keys: Arc<[Path]>,
    pool: Arc<Pool<Kept>>,
    sums: Arc<Sums>,
    /// `None` only while it is dropped.
    kept: Option<Kept>,
    requests: FuturesUnordered<BoxFuture<'static, Ended>>,
    reads: u64,
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        self.requests.clear();
        let Some(mut kept) = self.kept.take() else { return };
        let requests = kept.connection.journal().requests();
        let failures = kept.connection.journal().failures();
        let told = |cause: &str| kept.failures_told.get(cause).copied().unwrap_or(0);
        let untold = failures.iter().map(|(cause, times)| (cause.clone(), times.saturating_sub(told(cause))));
        self.sums.add(self.reads, requests.since(kept.requests_told), untold.filter(|(_, times)| *times > 0));
        (kept.requests_told, kept.failures_told) = (requests, failures);
        self.pool.give(kept);
    }
}

impl ObjectReader {
    #[cold]
    fn failed(&self, operation: &ScanOp, error: &object_store::Error) -> io::Error {
        let why = match &self.kept {
            Some(kept) => kept.connection.refusal(error).why().to_owned(),
            None => super::journal::innermost(error),
        };
        OperationFailed::error(self.place(operation), operation, why)
    }

    fn place(&self, operation: &ScanOp) -> String {
        let key = self.keys.get(operation.file as usize).map(ToString::to_string).unwrap_or_default();
        format!("s3://{}/{key}", self.bucket)
    }

    fn complete(&mut self, ended: Ended, out: &mut Vec<Completion>) -> io::Result<()> {
        let (operation, buffer, moved) = ended;
        if let (Some(kept), Some(buffer)) = (&mut self.kept, buffer) {
            kept.buffers.push(buffer);
        }
        match moved {
            Ok(moved) if moved == operation.length as usize => {
                out.push(Completion { id: operation.id, result: moved as i32, stamps: None });
                Ok(())
            }
            Ok(moved) => Err(OperationFailed::error(
                self.place(&operation),
                &operation,
                format!("only {moved} bytes arrived: the object is shorter than when it was listed"),
            )),
            Err(error) => Err(self.failed(&operation, &error)),
        }
    }
}

impl Backend for ObjectReader {
    type Op = ScanOp;

    fn submit(&mut self, operations: &[ScanOp]) -> io::Result<usize> {
        for operation in operations {
            let key = self.keys.get(operation.file as usize).filter(|_| operation.kind == ScanKind::Read);
            let (Some(key), Some(kept)) = (key, &mut self.kept) else {
                let text = format!(
                    "{operation}: an object store reads the objects that were listed, and nothing else"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            };
            let buffer = if kept.is_pooled { kept.buffers.pop() } else { None };
            self.reads += 1;
            self.requests
                .push(request(Arc::clone(kept.connection.store()), key.clone(), *operation, buffer).boxed());
        }
        Ok(operations.len())
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        let enough = out.len() + at_least;
        while out.len() < enough || !self.requests.is_empty() {
            let must_wait = out.len() < enough;
            let Some(kept) = &mut self.kept else { break };
            let runtime = kept.connection.runtime();
            let requests = &mut self.requests;
            let ended = if must_wait {
                // Nothing in a scan waits for the clock; a deadline would be the driver's, for the next poll.
                runtime.block_on(requests.next())
            } else {
                runtime.block_on(async { requests.next().now_or_never().flatten() })
            };
            match ended {
                Some(ended) => self.complete(ended, out)?,
                None if must_wait => {
                    if deadline.is_some() {
                        std::thread::sleep(Duration::from_millis(1));
                        break;
                    }
                    return Err(io::Error::other(
                        "the workload waits for a completion, but nothing is in flight",
                    ));
                }
                None => break,
            }
        }
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

/// One read: the answer's body copied into a buffer that is kept, or taken as the client allocates it.
async fn request(store: Arc<AmazonS3>, key: Path, operation: ScanOp, buffer: Option<Vec<u8>>) -> Ended {
    let range = Some(GetRange::Bounded(operation.offset..operation.offset + u64::from(operation.length)));
    let options = GetOptions { range, ..GetOptions::default() };
    let got = store.get_opts(&key, options).await;
    let Some(mut buffer) = buffer else {
        let moved = match got {
            Ok(answer) => answer.bytes().await.map(|bytes| bytes.len()),
            Err(error) => Err(error),
        };
        return (operation, None, moved);
    };
    let moved = match got {
        Err(error) => Err(error),
        Ok(answer) => {
            buffer.clear();
            let mut body = answer.into_stream();
            loop {
                match body.try_next().await {
                    Ok(Some(bytes)) => buffer.extend_from_slice(&bytes),
                    Ok(None) => break Ok(buffer.len()),
                    Err(error) => break Err(error),
                }
            }
        }
    };
    (operation, Some(buffer), moved)
}
