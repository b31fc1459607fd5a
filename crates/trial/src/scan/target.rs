//! The dataset that a trial reads.

use super::listing::{Extent, extent, first};
use crate::refusal::Refusal;
use crate::site::Site;
use dataset::directory::Directory;
use dataset::{Dataset, Object, Target};
use disk::kernel::block_device::BlockDevice;
use model::mechanism::Measured;
use model::units::format_bytes;
use workload::scan::Parameters;

/// A dataset and, if it is known already, the part that is read.
pub(super) enum Place {
    /// Files of this machine.
    Directory {
        directory: Directory,
        /// Those that the trial reads.
        objects: Vec<Object>,
    },
    /// Objects.
    #[cfg(feature = "object-store")]
    Bucket(dataset::bucket::Bucket),
}

pub(super) fn place(site: &Site, parameters: &Parameters) -> Result<Place, Refusal> {
    let Some(target) = &parameters.target else {
        let files = site.files().iter();
        let objects = files.map(|file| Object { name: file.name.clone(), bytes: file.size_bytes }).collect();
        return Ok(Place::Directory { directory: Directory::at(site.data_directory()), objects });
    };
    match Target::parse(target)? {
        Target::Directory(root) => {
            let directory = Directory::at(root);
            let objects = as_planned(directory.list()?, parameters)?;
            Ok(Place::Directory { directory, objects })
        }
        #[cfg(feature = "object-store")]
        Target::Bucket { bucket, prefix } => {
            Ok(Place::Bucket(dataset::bucket::Bucket::connect(&bucket, &prefix, None)?))
        }
        #[cfg(not(feature = "object-store"))]
        Target::Bucket { .. } => Err(Refusal::Unsupported(super::listing::NO_S3.to_owned())),
    }
}

/// The objects to read, if the dataset is the same as when the plan was made: trials of different datasets are not a
/// sample.
pub(super) fn as_planned(mut objects: Vec<Object>, parameters: &Parameters) -> Result<Vec<Object>, Refusal> {
    objects.truncate(first(&objects, parameters.files).len());
    let Extent { files, file_bytes_mean } = extent(&objects);
    if (files, file_bytes_mean) == (parameters.files, parameters.file_size) {
        return Ok(objects);
    }
    Err(Refusal::Failed(format!(
        "{}: the dataset has changed since the plan was made: {} files of {} on average then, {files} of {} now",
        parameters.target.as_deref().unwrap_or_default(),
        parameters.files,
        format_bytes(parameters.file_size),
        format_bytes(file_bytes_mean)
    )))
}

/// The device below a dataset.
pub(super) fn device(directory: &Directory) -> Measured<BlockDevice> {
    BlockDevice::below(directory.root())
}
