//! The compression canary: Syncline runs it once on every file system of a run, before the first trial there.

use crate::refusal::Refusal;
use crate::site::Site;
use model::canary::CompressionCanary;
use model::mechanism::Measured;
use model::trial::TrialSpec;
use std::fs::OpenOptions;
use std::io;

/// Compares the speed of zeros and random data, unless an earlier trial of this run has done so on this file system.
pub(crate) fn once(site: &Site, spec: &TrialSpec) -> Result<Option<Measured<CompressionCanary>>, Refusal> {
    let filesystem = site.every_trial().filesystem;
    let done = spec.work_directory.join(format!("canary-{filesystem}"));
    match OpenOptions::new().write(true).create_new(true).open(&done) {
        Ok(_) => Ok(Some(disk::canary::measure(site.directory()))),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(Refusal::Failed(format!("{}: cannot make the file: {error}", done.display()))),
    }
}
