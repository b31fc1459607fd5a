//! What an advice holds for, and whether that still applies where it is used.

use crate::level::{has_all, on_host};
use model::host::{HostFacts, Placement};
use model::run::Run;
use model::trial::Measurement;
use model::units::format_bytes_approximate;
use serde::Serialize;

/// A kernel reserves some memory, and the amount differs between releases: a difference below this share is not a
/// change.
const MEMORY_TOLERANCE: f64 = 0.05;

/// What a recommendation holds for. If one of these changes, it must be measured again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Expiry {
    pub kernel: String,
    /// Device model, or its name, with its size.
    pub device: String,
    pub filesystem: String,
    /// Memory of the machine, bytes.
    pub memory_bytes: u64,
    /// Bytes of the largest file that was measured.
    pub size_bytes: Option<u64>,
}

/// What an advice is compared with: a machine, and a directory on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    kernel: String,
    memory_bytes: u64,
    /// Device and file system; `None` without such a directory.
    disk: Option<(String, String)>,
}

/// One thing that is not any more as it was measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    pub what: What,
    /// When it was measured.
    pub then: String,
    pub now: String,
}

/// What an advice may not outlive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Device,
    FileSystem,
    Kernel,
    /// The machine's memory.
    Memory,
}

impl Changed {
    /// `the kernel was 6.17.0 and is 6.18.0`.
    pub fn text(&self) -> String {
        let what = match self.what {
            What::Kernel => "the kernel",
            What::Device => "the device",
            What::FileSystem => "the file system",
            What::Memory => "the memory",
        };
        format!("{what} was {} and is {}", self.then, self.now)
    }
}

impl Surroundings {
    /// The surroundings on a machine, and of a directory there if it exists.
    pub fn new(host: &HostFacts, placement: Option<&Placement>) -> Self {
        Self {
            kernel: host.kernel.clone(),
            memory_bytes: host.memory_bytes,
            disk: placement.map(|found| (device(found), found.filesystem.clone())),
        }
    }
}

impl Expiry {
    /// What a recommendation based on these studies holds for.
    pub(crate) fn for_studies(run: &Run, studies: &[&str]) -> Self {
        let measured: Vec<&Measurement> = run
            .records
            .iter()
            .filter(|record| studies.contains(&record.key.study.as_str()))
            .filter(|record| has_all(&record.values, &[on_host()]))
            .filter_map(|record| record.measurement.as_ref())
            .collect();
        let placement = measured.first().map(|measurement| &measurement.placement);
        Self {
            kernel: run.host.kernel.clone(),
            device: placement.map_or_else(String::new, device),
            filesystem: placement.map_or_else(String::new, |placement| placement.filesystem.clone()),
            memory_bytes: run.host.memory_bytes,
            // A growing log has no size before it grows.
            size_bytes: measured
                .iter()
                .flat_map(|found| &found.files)
                .map(|file| file.size_bytes)
                .max()
                .filter(|bytes| *bytes > 0),
        }
    }

    /// `Linux 6.18.0, Samsung SSD 990 PRO of 1.82 TiB, ext4; measure again when one of these changes`.
    pub fn text(&self) -> String {
        let size = |bytes: u64| format_bytes_approximate(bytes as f64);
        let mut parts = vec![format!("Linux {}", self.kernel), self.device.clone(), self.filesystem.clone()];
        if self.memory_bytes > 0 {
            parts.push(format!("{} of memory", size(self.memory_bytes)));
        }
        parts.extend(self.size_bytes.map(|bytes| format!("files up to {}", size(bytes))));
        parts.retain(|part| !part.trim().is_empty());
        format!("{}; measure again when one of these changes", parts.join(", "))
    }

    /// What is not any more as it was measured. Nothing: the advice still holds, as far as these show; the device and
    /// file system are not compared if there is no directory.
    pub fn changes(&self, now: &Surroundings) -> Vec<Changed> {
        let mut changes = Vec::new();
        let mut differ = |what: What, then: &str, now: &str| {
            if !then.is_empty() && then != now {
                changes.push(Changed { what, then: then.to_owned(), now: now.to_owned() });
            }
        };
        differ(What::Kernel, &self.kernel, &now.kernel);
        if let Some((device, filesystem)) = &now.disk {
            differ(What::Device, &self.device, device);
            differ(What::FileSystem, &self.filesystem, filesystem);
        }
        let (then, now) = (self.memory_bytes as f64, now.memory_bytes as f64);
        if then > 0.0 && (now / then - 1.0).abs() > MEMORY_TOLERANCE {
            differ(What::Memory, &format_bytes_approximate(then), &format_bytes_approximate(now));
        }
        changes
    }
}

/// `Samsung SSD 990 PRO of 1.82 TiB`; a device without a model by its name. A device with another size is a different
/// one.
fn device(placement: &Placement) -> String {
    let size = placement
        .device_bytes
        .value()
        .map_or_else(String::new, |bytes| format!(" of {}", format_bytes_approximate(*bytes as f64)));
    match (placement.model.value(), placement.device.value()) {
        (Some(model), _) => format!("{}{size}", model.trim()),
        (None, Some(name)) => format!("{name}{size}"),
        (None, None) => "an unknown device".to_owned(),
    }
}
