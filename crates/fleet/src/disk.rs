//! What is compared: a disk, among those of its stratum.

use crate::fact::{Fact, Facts};
use serde::Serialize;
use std::fmt;

/// A disk, as a user names it: the directory of a host. A device's name may change with each boot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Disk {
    /// Name of the host.
    pub host: String,
    /// The directory that was measured.
    pub directory: String,
}

/// Disks that can be compared with each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Stratum {
    /// Device model; `None` if the devices do not report it.
    pub model: Option<String>,
    /// Firmware revision; `None` if the devices do not report it, and in older records.
    pub firmware: Option<String>,
    pub kernel: Option<String>,
    pub filesystem: Option<String>,
}

impl Stratum {
    pub(crate) fn of(facts: &Facts) -> Self {
        let known = |fact| facts.get(&fact).cloned();
        Self {
            model: known(Fact::Model),
            firmware: known(Fact::Firmware),
            kernel: known(Fact::Kernel),
            filesystem: known(Fact::Filesystem),
        }
    }
}

/// `node17:/srv/data`.
impl fmt::Display for Disk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.host, self.directory)
    }
}

/// `INTEL SSDPE2KX010T8 · firmware VDV10131 · Linux 6.18.0 · ext4`.
impl fmt::Display for Stratum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, firmware, kernel, filesystem } = self;
        formatter.write_str(model.as_deref().unwrap_or("model not reported"))?;
        for (what, known) in [("firmware ", firmware), ("Linux ", kernel), ("", filesystem)] {
            if let Some(known) = known {
                write!(formatter, " · {what}{known}")?;
            }
        }
        Ok(())
    }
}
