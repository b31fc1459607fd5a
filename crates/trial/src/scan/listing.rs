//! A dataset's own listing.

use dataset::directory::Directory;
use dataset::{Dataset, Object, ObjectError, Target};
use model::Endpoints;

/// Why a program without S3 does not read a bucket.
#[cfg(not(feature = "object-store"))]
pub(crate) const NO_S3: &str =
    "S3 is not built in: build with `make build WITH=object-store` or `cargo build --features object-store`";

/// The objects of a dataset, in the order in which a trial takes them.
#[derive(Clone, Debug)]
pub struct Listing(Vec<Object>);

/// The extent of a dataset that a trial reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub files: u64,
    /// Their mean size, rounded up.
    pub file_bytes_mean: u64,
}

impl Listing {
    /// Lists a target. If trials write the objects themselves, it only checks that they can, and lists none.
    ///
    /// # Errors
    /// The target does not exist, is empty, or cannot be accessed.
    pub fn of_target(target: &str, prepare: bool) -> Result<Self, ObjectError> {
        match Target::parse(target)? {
            Target::Directory(root) => Directory::at(root).list().map(Self),
            #[cfg(feature = "object-store")]
            Target::Bucket { bucket, prefix } => {
                let bucket = dataset::bucket::Bucket::connect(&bucket, &prefix, None)?;
                if prepare { bucket.check().map(|()| Self(Vec::new())) } else { bucket.list().map(Self) }
            }
            #[cfg(not(feature = "object-store"))]
            Target::Bucket { .. } => {
                let _ = prepare;
                Err(ObjectError::Target { target: target.to_owned(), why: NO_S3.to_owned() })
            }
        }
    }

    /// The extent that a trial with this number of files reads: the whole dataset, if there are fewer.
    pub fn extent(&self, files: u64) -> Extent {
        extent(first(&self.0, files))
    }
}

/// Checks that a store is there to which trials write objects: at the first endpoint, or at the environment's address.
///
/// # Errors
/// The target is none of S3, or the store refuses or does not answer.
pub fn reach_store(target: &str, endpoints: Option<&Endpoints>) -> Result<(), ObjectError> {
    #[cfg(feature = "object-store")]
    if let Target::Bucket { bucket, prefix } = Target::parse(target)? {
        return dataset::bucket::Bucket::connect(&bucket, &prefix, endpoints)?.check();
    }
    #[cfg(not(feature = "object-store"))]
    let _ = endpoints;
    Listing::of_target(target, true).map(drop)
}

/// The first `files` objects of a dataset.
pub(super) fn first(objects: &[Object], files: u64) -> &[Object] {
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    objects.get(..files).unwrap_or(objects)
}

/// The extent of these objects.
pub(super) fn extent(objects: &[Object]) -> Extent {
    let files = objects.len() as u64;
    let bytes: u64 = objects.iter().map(|object| object.bytes).sum();
    Extent { files, file_bytes_mean: bytes.div_ceil(files.max(1)) }
}
