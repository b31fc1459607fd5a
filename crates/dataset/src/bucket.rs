//! A dataset in a bucket of S3, or of another service with S3's protocol.
//!
//! Address, region and credentials are those of the environment, as `object_store` reads them: `AWS_ENDPOINT_URL`,
//! `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_ALLOW_HTTP`, a web identity,
//! the container's or the instance's role. They are never part of an error, a record or a report. Endpoints of a trial,
//! which hold no credentials, replace the address and are part of all three.

mod access;
mod client;
mod connection;
mod journal;
mod key;
mod reader;
mod refusal;
mod retry_policy;
mod sums;
mod uploads;

pub use access::Access;
pub use client::{ObjectClient, ObjectClients};
pub use reader::{ObjectReader, ObjectReaders};
pub use retry_policy::RetryPolicy;

use crate::name_room::{NameRoom, too_many};
use crate::{Content, Dataset, Object, ObjectError, Reading, Working};
use connection::Connection;
use futures_util::{StreamExt, TryStreamExt, stream};
use key::as_it_stands;
use model::Endpoints;
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload, WriteMultipart};

/// The object that marks a prefix as Syncline's.
const MARKER: &str = "SYNCLINE-PREPARED";
/// Its content. A prefix without it is not Syncline's.
const MARKER_TEXT: &str = "The objects below this prefix were made by Syncline and will be deleted by it.\n";
/// What begins the last part of a prefix of Syncline.
const OWN_PREFIX: &str = "syncline-";
/// Objects that are deleted at the same time.
const DELETES_IN_FLIGHT: usize = 16;
/// Objects are uploaded in parts of this size, and smaller ones whole.
const PART_BYTES: usize = 8 << 20;

const CANNOT_LIST: &str = "cannot list the objects";
const CANNOT_DELETE: &str = "cannot delete the objects";
const CANNOT_ABORT: &str = "cannot abort a put in parts that a killed run left";

/// Objects of one bucket below one prefix.
#[derive(Debug)]
pub struct Bucket {
    name: String,
    /// Empty, or it ends with `/`.
    prefix: String,
    /// Whether the prefix is Syncline's.
    is_own: bool,
    access: Access,
    /// What clients use in turn, in place of the address in `access`.
    endpoints: Option<Endpoints>,
    retry_policy: RetryPolicy,
    connection: Connection,
}

impl Bucket {
    /// The objects of a bucket below a prefix, which is empty or ends with `/`, with the environment's settings. If
    /// there are endpoints, clients use them in place of the environment's address, and everything else uses the first.
    ///
    /// # Errors
    /// The environment holds something that cannot be used.
    pub fn connect(name: &str, prefix: &str, endpoints: Option<&Endpoints>) -> Result<Self, ObjectError> {
        let environment = Access::from_environment();
        let access = match endpoints {
            Some(endpoints) => environment.at(endpoints.of_client(0)),
            None => environment,
        };
        let bucket = Self::connect_with(name, prefix, access, RetryPolicy::default())?;
        Ok(Self { endpoints: endpoints.cloned(), ..bucket })
    }

    /// The same with other settings and another retry policy.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn connect_with(
        name: &str,
        prefix: &str,
        access: Access,
        retry_policy: RetryPolicy,
    ) -> Result<Self, ObjectError> {
        let connection = Connection::new(name, &access, retry_policy)?;
        let (name, prefix) = (name.to_owned(), prefix.to_owned());
        Ok(Self { name, prefix, is_own: false, access, endpoints: None, retry_policy, connection })
    }

    /// A prefix below this one that is only for us: what is written there is deleted in the end.
    #[must_use]
    pub fn own(self, id: &str) -> Self {
        Self { prefix: format!("{}{OWN_PREFIX}{id}/", self.prefix), is_own: true, ..self }
    }

    /// The dataset as a URI.
    pub fn uri(&self) -> String {
        format!("s3://{}/{}", self.name, self.prefix)
    }

    /// Whether the bucket is there and lets us look.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), ObjectError> {
        let prefix = as_it_stands(&self.prefix);
        let first = async |store: &dyn ObjectStore| store.list(Some(&prefix)).try_next().await.map(drop);
        self.connection.run(first).map_err(|failed| failed.on(self.uri(), CANNOT_LIST))
    }

    fn key(&self, name: &str) -> Path {
        as_it_stands(&format!("{}{name}", self.prefix))
    }

    fn place(&self, object: &Object) -> String {
        format!("{}{}", self.uri(), object.name)
    }

    /// Marks the prefix as Syncline's, before anything is written there.
    ///
    /// # Errors
    /// It is not for us, somebody else has objects there, or the store refuses.
    pub fn mark(&self) -> Result<(), ObjectError> {
        let is_ours = self.is_own && (self.has_marker()? || self.everything("")?.is_empty());
        if !is_ours {
            return Err(ObjectError::NotOurs { place: self.uri() });
        }
        self.put(&self.key(MARKER), MARKER_TEXT.into())
    }

    /// Aborts the puts in parts below the prefix that this file notes as begun and not as ended: their process was
    /// killed.
    ///
    /// # Errors
    /// The file cannot be read or written, or the store refuses.
    pub fn abort_uploads(&self, noted: &std::path::Path) -> Result<(), ObjectError> {
        let failed = |error| ObjectError::failed(noted.display().to_string(), CANNOT_ABORT, error);
        let unfinished = uploads::unfinished(noted).map_err(failed)?;
        for upload in unfinished {
            if upload.bucket != self.name || !upload.key.starts_with(&self.prefix) {
                continue;
            }
            let key = as_it_stands(&upload.key);
            let store = std::sync::Arc::clone(self.connection.store());
            let abort = async |_: &dyn ObjectStore| match store.abort_multipart(&key, &upload.id).await {
                // Its last request had come through.
                Err(object_store::Error::NotFound { .. }) => Ok(()),
                aborted => aborted,
            };
            self.connection.run(abort).map_err(|failed| failed.on(self.uri(), CANNOT_ABORT))?;
            uploads::Uploads::open(noted).and_then(|uploads| uploads.end(&upload.id)).map_err(failed)?;
        }
        Ok(())
    }

    fn require_ours(&self) -> Result<(), ObjectError> {
        if self.is_own && self.has_marker()? {
            return Ok(());
        }
        Err(ObjectError::NotOurs { place: self.uri() })
    }

    /// Deletes these, several at a time; returns how many they are.
    fn delete(&self, keys: Vec<Path>) -> Result<u64, ObjectError> {
        let count = keys.len() as u64;
        let delete = async |store: &dyn ObjectStore| {
            let each = stream::iter(keys).map(|key| async move { store.delete(&key).await });
            each.buffer_unordered(DELETES_IN_FLIGHT).try_collect::<()>().await
        };
        self.connection.run(delete).map_err(|failed| failed.on(self.uri(), CANNOT_DELETE))?;
        Ok(count)
    }

    /// Everything below a folder of the prefix, all of it for an empty one, the marker too: key and size.
    fn everything(&self, folder: &str) -> Result<Vec<(Path, u64)>, ObjectError> {
        let prefix = as_it_stands(&format!("{}{folder}", self.prefix));
        let all = async |store: &dyn ObjectStore| {
            let (mut found, mut room) = (Vec::new(), NameRoom::default());
            let mut listed = store.list(Some(&prefix));
            while let Some(object) = listed.try_next().await? {
                if let Err(names) = room.take(size_of::<(Path, u64)>(), object.location.as_ref()) {
                    return Ok(Err(names));
                }
                found.push((object.location, object.size));
            }
            Ok(Ok(found))
        };
        let listed = self.connection.run(all).map_err(|failed| failed.on(self.uri(), CANNOT_LIST))?;
        listed.map_err(|names| too_many(self.uri(), CANNOT_LIST, names, "name a longer prefix"))
    }

    fn has_marker(&self) -> Result<bool, ObjectError> {
        let key = self.key(MARKER);
        let text = async |store: &dyn ObjectStore| match store.get(&key).await {
            Ok(found) => is_marker(found.into_stream()).await,
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        };
        self.connection.run(text).map_err(|failed| failed.on(self.uri(), "cannot read the marker"))
    }

    fn put(&self, key: &Path, payload: PutPayload) -> Result<(), ObjectError> {
        let put = async |store: &dyn ObjectStore| store.put(key, payload).await.map(drop);
        let place = format!("s3://{}/{key}", self.name);
        self.connection.run(put).map_err(|failed| failed.on(place, "cannot write the object"))
    }

    fn put_in_parts(&self, object: &Object, seed: u64) -> Result<(), ObjectError> {
        let key = self.key(&object.name);
        let upload = async |store: &dyn ObjectStore| {
            let mut upload =
                WriteMultipart::new_with_chunk_size(store.put_multipart(&key).await?, PART_BYTES);
            let mut content = Content::new(seed);
            let mut left = object.bytes;
            while left > 0 {
                let mut part = vec![0; (PART_BYTES as u64).min(left) as usize];
                content.fill(&mut part);
                left -= part.len() as u64;
                // One part on its way at a time: preparation is not measured, and memory stays bounded.
                if let Err(error) = upload.wait_for_capacity(1).await {
                    // The parts of one that is not given up stay in the bucket, in no list, and are paid for.
                    let _ = upload.abort().await;
                    return Err(error);
                }
                upload.put(part.into());
            }
            upload.finish().await.map(drop)
        };
        self.connection.run(upload).map_err(|failed| failed.on(self.place(object), "cannot write the object"))
    }
}

/// Whether a body is the marker's. It reads no more of the body than the marker is long.
async fn is_marker(
    mut body: stream::BoxStream<'static, object_store::Result<bytes::Bytes>>,
) -> object_store::Result<bool> {
    let mut rest = MARKER_TEXT.as_bytes();
    while let Some(bytes) = body.try_next().await? {
        match rest.strip_prefix(&bytes[..]) {
            Some(behind) => rest = behind,
            None => return Ok(false),
        }
    }
    Ok(rest.is_empty())
}

/// Whether the object is in a prefix of Syncline below the dataset's.
fn is_prepared(name: &str) -> bool {
    name.split_once('/').is_some_and(|(first, _)| first.starts_with(OWN_PREFIX))
}

impl Dataset for Bucket {
    type Readers = ObjectReaders;
    type Clients = ObjectClients;

    fn list(&self) -> Result<Vec<Object>, ObjectError> {
        let marker = self.key(MARKER);
        let name = |key: &Path| key.as_ref().strip_prefix(&self.prefix).unwrap_or(key.as_ref()).to_owned();
        let mut objects: Vec<Object> = self
            .everything("")?
            .into_iter()
            // What another run prepares below this prefix is not a part of the dataset.
            .filter(|(key, _)| *key != marker && !is_prepared(&name(key)))
            .map(|(key, bytes)| Object { name: name(&key), bytes })
            .collect();
        if objects.is_empty() {
            return Err(ObjectError::Empty {
                place: self.uri(),
                why: "no object's key begins with the prefix".to_owned(),
            });
        }
        objects.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(objects)
    }

    fn read_range(&self, object: &Object, offset: u64, length: u64) -> Result<Vec<u8>, ObjectError> {
        if length == 0 {
            return Ok(Vec::new());
        }
        let key = self.key(&object.name);
        let range = Some(GetRange::Bounded(offset..offset + length));
        let get = async |store: &dyn ObjectStore| {
            store.get_opts(&key, GetOptions { range, ..GetOptions::default() }).await?.bytes().await
        };
        let bytes = self
            .connection
            .run(get)
            .map_err(|failed| failed.on(self.place(object), "cannot read the object"))?;
        if bytes.len() as u64 != length {
            return Err(ObjectError::Refused {
                place: self.place(object),
                operation: "cannot read the object",
                why: format!(
                    "{} of {length} bytes arrived: it is shorter than when it was listed",
                    bytes.len()
                ),
            });
        }
        Ok(bytes.into())
    }

    fn write(&self, object: &Object, seed: u64) -> Result<(), ObjectError> {
        if !self.is_own {
            return Err(ObjectError::NotOurs { place: self.uri() });
        }
        if !self.has_marker()? {
            self.put(&self.key(MARKER), MARKER_TEXT.into())?;
        }
        if object.bytes > PART_BYTES as u64 {
            return self.put_in_parts(object, seed);
        }
        let mut bytes = vec![0; object.bytes as usize];
        Content::new(seed).fill(&mut bytes);
        self.put(&self.key(&object.name), bytes.into())
    }

    fn remove_written(&self) -> Result<u64, ObjectError> {
        self.require_ours()?;
        let marker = self.key(MARKER);
        let keys = self.everything("")?.into_iter().map(|(key, _)| key).filter(|key| *key != marker);
        let removed = self.delete(keys.collect())?;
        // The marker last, so that anything left behind by an error can still be recognised as Syncline's.
        self.delete(vec![marker])?;
        Ok(removed)
    }

    fn readers(&self, objects: &[Object], reading: Reading) -> Result<ObjectReaders, ObjectError> {
        reading.require_possible(self.uri())?;
        let keys = objects.iter().map(|object| self.key(&object.name)).collect();
        ObjectReaders::new(&self.name, keys, reading, &self.access, self.retry_policy)
    }

    fn clients(&self, working: Working) -> Result<ObjectClients, ObjectError> {
        self.require_ours()?;
        let noted = working.uploads.display().to_string();
        let place = client::Place {
            bucket: self.name.clone(),
            prefix: self.prefix.clone(),
            access: self.access.clone(),
            endpoints: self.endpoints.clone(),
            retry_policy: self.retry_policy,
        };
        let clients = ObjectClients::new(place, working);
        clients.map_err(|error| ObjectError::failed(noted, "cannot note puts in parts", error))
    }

    fn empty(&self, folder: &str) -> Result<u64, ObjectError> {
        self.require_ours()?;
        self.delete(self.everything(folder)?.into_iter().map(|(key, _)| key).collect())
    }
}
