//! Objects of a bucket that are worked on: requests in flight on the client's own thread.

use super::connection::Connection;
use super::key::as_it_stands;
use super::sums::Sums;
use super::uploads::{Upload, Uploads};
use super::{Access, RetryPolicy};
use crate::clients::{Tolerance, WRONG_BYTES};
use crate::{Clients, Contents, Faults, ObjectError, OperationFailed, Working};
use driver::wait::{make_timers_exact, wait_idle};
use driver::{Backend, Clock, MonotonicClock};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, FuturesUnordered};
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use model::object::{FAILED, Requests};
use model::{Completion, Endpoints, Nanos, ObjectKind, ObjectOp, Stamps};
use object_store::aws::AmazonS3;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Timers of the runtime are this coarse; what is left of a wait is polled.
const TIMER: Nanos = Nanos::from_millis(1);

/// Where a client works.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) bucket: String,
    /// Empty, or it ends with `/`.
    pub(super) prefix: String,
    pub(super) access: Access,
    /// What the clients use in turn, in place of the address in `access`.
    pub(super) endpoints: Option<Endpoints>,
    pub(super) retry_policy: RetryPolicy,
}

impl Place {
    /// The endpoint of a client; `None` if it is the environment's.
    fn endpoint(&self, client: usize) -> Option<&str> {
        self.endpoints.as_ref().map(|endpoints| endpoints.of_client(client))
    }
}

/// What the clients of a bucket share.
#[derive(Debug)]
pub struct ObjectClients(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    place: Place,
    working: Working,
    uploads: Uploads,
    tolerance: Tolerance,
    sums: Sums,
}

impl ObjectClients {
    pub(super) fn new(place: Place, working: Working) -> io::Result<Self> {
        let (uploads, tolerance) = (Uploads::open(&working.uploads)?, Tolerance::of(working.failures_max));
        Ok(Self(Arc::new(Shared { place, working, uploads, tolerance, sums: Sums::default() })))
    }
}

impl Clients for ObjectClients {
    type Backend = ObjectClient;

    fn backend(&self, client: usize, clock: MonotonicClock) -> io::Result<ObjectClient> {
        make_timers_exact()?;
        let (place, number) = (&self.0.place, self.0.working.client_first + client);
        let elsewhere = place.endpoint(number).map(|endpoint| place.access.at(endpoint));
        let access = elsewhere.as_ref().unwrap_or(&place.access);
        let connection = Connection::new(&place.bucket, access, place.retry_policy);
        Ok(ObjectClient {
            connection: connection.map_err(|error: ObjectError| io::Error::other(error.to_string()))?,
            rests: (0..self.0.working.in_flight_max).map(|_| None).collect(),
            shared: Arc::clone(&self.0),
            number,
            clock,
            requests: FuturesUnordered::new(),
            asked: 0,
        })
    }

    fn requests(&self) -> Option<Requests> {
        Some(self.0.sums.requests())
    }

    fn requests_by_endpoint(&self) -> BTreeMap<String, u64> {
        self.0.sums.by_endpoint()
    }

    fn faults(&self) -> Faults {
        let is_overload = |cause: &str| cause.starts_with("503") || cause.starts_with("429");
        let overloads = self.0.sums.failures().into_iter().filter(|(cause, _)| is_overload(cause));
        Faults {
            retries: Some(self.0.sums.retries()),
            overloads: Some(overloads.map(|(_, times)| times).sum()),
            causes: self.0.sums.causes(),
            failures: self.0.tolerance.failures(),
        }
    }
}

/// What an operation leaves for the next one with its id.
enum Rest {
    /// The rest of a body.
    Body(BoxStream<'static, object_store::Result<bytes::Bytes>>),
    /// What the next page begins with.
    Page(String),
}

/// What an operation brought.
struct Done {
    /// Bytes or names.
    moved: usize,
    rest: Option<Rest>,
    /// When the last of the bytes came, which were compared after that.
    came: Option<Nanos>,
}

impl Done {
    const fn of(moved: usize) -> Self {
        Self { moved, rest: None, came: None }
    }
}

/// Why an operation failed.
enum Trouble {
    Store(object_store::Error),
    /// The bytes differ from those that were written.
    WrongBytes,
    /// This many bytes came.
    Length(usize),
    /// A put in parts cannot be noted.
    Note(io::Error),
}

impl From<object_store::Error> for Trouble {
    fn from(error: object_store::Error) -> Self {
        Self::Store(error)
    }
}

/// An operation that has ended.
type Ended = (ObjectOp, Stamps, Result<Done, Trouble>);

/// A backend of objects. Requests progress while it is reaped.
pub struct ObjectClient {
    shared: Arc<Shared>,
    /// The client's, among those of all ranks.
    number: usize,
    connection: Connection,
    clock: MonotonicClock,
    requests: FuturesUnordered<BoxFuture<'static, Ended>>,
    /// By operation id.
    rests: Vec<Option<Rest>>,
    /// Requests that the operations need.
    asked: u64,
}

impl Drop for ObjectClient {
    fn drop(&mut self) {
        self.requests.clear();
        let (journal, sums) = (self.connection.journal(), &self.shared.sums);
        sums.add(self.asked, journal.requests(), journal.failures());
        if let Some(endpoint) = self.shared.place.endpoint(self.number) {
            sums.add_of_endpoint(endpoint, journal.requests());
        }
    }
}

impl ObjectClient {
    fn key(&self, operation: &ObjectOp) -> String {
        format!("{}{}", self.shared.place.prefix, self.shared.working.tree.name(operation.object))
    }

    fn place(&self, operation: &ObjectOp) -> String {
        format!("s3://{}/{}", self.shared.place.bucket, self.key(operation))
    }

    /// What performs an operation.
    fn request(&mut self, operation: ObjectOp) -> io::Result<BoxFuture<'static, Result<Done, Trouble>>> {
        let (store, key) = (Arc::clone(self.connection.store()), as_it_stands(&self.key(&operation)));
        let rest = self.rests[operation.id as usize].take();
        let Working { contents, verifies, parts_in_flight, part_bytes, .. } = self.shared.working;
        let compared = verifies.then_some(contents);
        self.asked += 1;
        Ok(match operation.kind {
            ObjectKind::Get => get(store, key, operation, compared, self.clock).boxed(),
            ObjectKind::GetRest => {
                self.asked -= 1;
                let Some(Rest::Body(body)) = rest else {
                    return Err(io::Error::other(format!("{operation}: there is no get with this id")));
                };
                rest_of_body(body, operation, compared, self.clock).boxed()
            }
            ObjectKind::Put => {
                let bytes = self.bytes(&operation);
                async move {
                    let moved = bytes.len();
                    store.put(&key, bytes.into()).await?;
                    Ok(Done::of(moved))
                }
                .boxed()
            }
            ObjectKind::PutInParts => {
                let bytes = self.bytes(&operation);
                self.asked += 1 + u64::from(operation.length).div_ceil(part_bytes).max(1);
                let shared = Arc::clone(&self.shared);
                put_in_parts(store, key, shared, bytes, part_bytes as usize, parts_in_flight as usize).boxed()
            }
            ObjectKind::Stat => async move {
                let found = store.head(&key).await?;
                Ok(Done::of(found.size as usize))
            }
            .boxed(),
            ObjectKind::List | ObjectKind::ListRest => {
                let page_token = match (operation.kind, rest) {
                    (ObjectKind::ListRest, Some(Rest::Page(token))) => Some(token),
                    (ObjectKind::ListRest, _) => {
                        // The last page had no other behind it.
                        self.asked -= 1;
                        return Ok(async { Ok(Done::of(0)) }.boxed());
                    }
                    _ => None,
                };
                let folder = self.shared.working.tree.folder(operation.object);
                let prefix = format!("{}{folder}/", self.shared.place.prefix);
                list(store, prefix, page_token, operation.length as usize).boxed()
            }
            ObjectKind::Delete => async move {
                store.delete(&key).await?;
                Ok(Done::of(0))
            }
            .boxed(),
        })
    }

    /// What a put writes.
    fn bytes(&self, operation: &ObjectOp) -> bytes::Bytes {
        let mut bytes = vec![0; operation.length as usize];
        self.shared.working.contents.fill(operation.content, operation.offset, &mut bytes);
        bytes.into()
    }

    fn complete(&mut self, (operation, stamps, done): Ended, out: &mut Vec<Completion>) -> io::Result<()> {
        let Stamps { began, mut ended } = stamps;
        let result = match done {
            Ok(Done { moved, rest, came }) => {
                self.rests[operation.id as usize] = rest;
                ended = came.unwrap_or(ended);
                moved as i32
            }
            Err(trouble) => self.failed(&operation, trouble)?,
        };
        out.push(Completion { id: operation.id, result, stamps: Some(Stamps { began, ended }) });
        Ok(())
    }

    /// A failure that is tolerated is a result; wrong bytes never are.
    #[cold]
    fn failed(&mut self, operation: &ObjectOp, trouble: Trouble) -> io::Result<i32> {
        let is_wrong = matches!(trouble, Trouble::WrongBytes);
        let why = match trouble {
            Trouble::Store(error) => self.connection.refusal(&error).why().to_owned(),
            Trouble::WrongBytes => WRONG_BYTES.to_owned(),
            Trouble::Length(moved) => format!("{moved} of {} bytes arrived", operation.length),
            Trouble::Note(error) => format!("cannot note the put in parts: {error}"),
        };
        let why = match self.shared.place.endpoint(self.number) {
            Some(endpoint) => format!("through {endpoint}: {why}"),
            None => why,
        };
        if !is_wrong && self.shared.tolerance.takes(&why) {
            return Ok(FAILED);
        }
        Err(OperationFailed::error(self.place(operation), operation, why))
    }
}

impl Backend for ObjectClient {
    type Op = ObjectOp;

    fn submit(&mut self, operations: &[ObjectOp]) -> io::Result<usize> {
        for operation in operations {
            let request = self.request(*operation)?;
            let (operation, clock) = (*operation, self.clock);
            // What is written has been made before its time begins.
            let began = clock.now();
            let ended = request.map(move |done| (operation, Stamps { began, ended: clock.now() }, done));
            self.requests.push(ended.boxed());
        }
        Ok(operations.len())
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        if self.requests.is_empty() {
            return wait_idle(self.clock, at_least, deadline);
        }
        let enough = out.len() + at_least;
        while !self.requests.is_empty() {
            let must_wait = out.len() < enough;
            let (clock, requests) = (self.clock, &mut self.requests);
            let runtime = self.connection.runtime();
            let ended = match deadline {
                _ if !must_wait => runtime.block_on(async { requests.next().now_or_never().flatten() }),
                None => runtime.block_on(requests.next()),
                Some(deadline) => runtime.block_on(next_until(requests, clock, deadline)),
            };
            let Some(ended) = ended else { break };
            self.complete(ended, out)?;
        }
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

/// The next operation that ends before the deadline.
async fn next_until(
    requests: &mut FuturesUnordered<BoxFuture<'static, Ended>>,
    clock: MonotonicClock,
    deadline: Nanos,
) -> Option<Ended> {
    loop {
        if let Some(ended) = requests.next().now_or_never() {
            return ended;
        }
        let left = deadline.since(clock.now());
        if left > TIMER + TIMER {
            if let Ok(ended) = tokio::time::timeout(Duration::from(left - TIMER), requests.next()).await {
                return ended;
            }
            continue;
        }
        // The runtime looks at its sockets now, also if the deadline has passed: an open loop that is behind always
        // comes with one that has.
        tokio::task::yield_now().await;
        if left == Nanos::ZERO {
            return requests.next().now_or_never().flatten();
        }
    }
}

/// The first bytes of an object's range.
async fn get(
    store: Arc<AmazonS3>,
    key: Path,
    operation: ObjectOp,
    compared: Option<Contents>,
    clock: MonotonicClock,
) -> Result<Done, Trouble> {
    let ObjectOp { content, offset, length, .. } = operation;
    let range = Some(GetRange::Bounded(offset..offset + u64::from(length)));
    let answer = store.get_opts(&key, GetOptions { range, ..GetOptions::default() }).await?;
    let mut body = answer.into_stream();
    while let Some(bytes) = body.try_next().await? {
        if bytes.is_empty() {
            continue;
        }
        let moved = bytes.len();
        if moved > length as usize {
            return Err(Trouble::Length(moved));
        }
        let came = Some(clock.now());
        if compared.is_some_and(|contents| !contents.are(content, offset, &bytes)) {
            return Err(Trouble::WrongBytes);
        }
        let rest = (moved < length as usize).then_some(Rest::Body(body));
        return Ok(Done { moved, rest, came });
    }
    Err(Trouble::Length(0))
}

/// All bytes behind the first ones.
async fn rest_of_body(
    mut body: BoxStream<'static, object_store::Result<bytes::Bytes>>,
    operation: ObjectOp,
    compared: Option<Contents>,
    clock: MonotonicClock,
) -> Result<Done, Trouble> {
    let (mut moved, mut came) = (0, None);
    while let Some(bytes) = body.try_next().await? {
        came = Some(clock.now());
        let at = operation.offset + moved as u64;
        moved += bytes.len();
        if moved > operation.length as usize {
            return Err(Trouble::Length(moved));
        }
        if compared.is_some_and(|contents| !contents.are(operation.content, at, &bytes)) {
            return Err(Trouble::WrongBytes);
        }
    }
    if moved != operation.length as usize {
        return Err(Trouble::Length(moved));
    }
    Ok(Done { came, ..Done::of(moved) })
}

async fn put_in_parts(
    store: Arc<AmazonS3>,
    key: Path,
    shared: Arc<Shared>,
    bytes: bytes::Bytes,
    part_bytes: usize,
    in_flight: usize,
) -> Result<Done, Trouble> {
    let id = store.create_multipart(&key).await?;
    let upload = Upload { bucket: shared.place.bucket.clone(), key: key.to_string(), id: id.clone() };
    shared.uploads.begin(&upload).map_err(Trouble::Note)?;
    let ranges = (0..bytes.len().div_ceil(part_bytes).max(1)).map(|part| {
        let begin = part * part_bytes;
        (part, bytes.slice(begin..bytes.len().min(begin + part_bytes)))
    });
    let put = |(part, bytes): (usize, bytes::Bytes)| store.put_part(&key, &id, part, bytes.into());
    let parts: object_store::Result<Vec<_>> =
        stream::iter(ranges).map(put).buffered(in_flight).try_collect().await;
    let completed = match parts {
        Ok(parts) => store.complete_multipart(&key, &id, parts).await.map(drop),
        Err(error) => Err(error),
    };
    if let Err(error) = completed {
        // One that cannot be aborted stays noted.
        if store.abort_multipart(&key, &id).await.is_ok() {
            shared.uploads.end(&id).map_err(Trouble::Note)?;
        }
        return Err(error.into());
    }
    shared.uploads.end(&id).map_err(Trouble::Note)?;
    Ok(Done::of(bytes.len()))
}

async fn list(
    store: Arc<AmazonS3>,
    prefix: String,
    page_token: Option<String>,
    names_max: usize,
) -> Result<Done, Trouble> {
    let options =
        PaginatedListOptions { max_keys: Some(names_max), page_token, ..PaginatedListOptions::default() };
    let page = store.list_paginated(Some(&prefix), options).await?;
    Ok(Done { rest: page.page_token.map(Rest::Page), ..Done::of(page.result.objects.len()) })
}
