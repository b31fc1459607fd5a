//! What an advice holds for, and whether that is still so where it is to be used.

use crate::level::text;
use model::host::{HostFacts, Placement};
use model::run::Run;
use model::trial::Measurement;
use model::units::format_bytes_approximate;
use serde::Serialize;

/// A kernel keeps some memory for itself, and not the same amount in every release: less than this share is no change.
const MEMORY_TOLERANCE: f64 = 0.05;

/// What a recommendation holds for: where one of these changes, it has to be measured again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Expiry {
    /// Kernel release.
    pub kernel: String,
    /// Device model, or its name, with its size.
    pub device: String,
    /// File system.
    pub filesystem: String,
    /// Memory of the machine, bytes.
    pub memory_bytes: u64,
    /// Bytes of the largest file that was measured.
    pub size_bytes: Option<u64>,
}

/// What an advice is held to: a machine, and a directory on the disk in question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    kernel: String,
    memory_bytes: u64,
    /// Device and file system; `None` without such a directory.
    disk: Option<(String, String)>,
}

impl Surroundings {
    /// Of a machine, and of a directory there if it has it.
    pub fn new(host: &HostFacts, placement: Option<&Placement>) -> Self {
        Self {
            kernel: host.kernel.clone(),
            memory_bytes: host.memory_bytes,
            disk: placement.map(|found| (device(found), found.filesystem.clone())),
        }
    }
}

impl Expiry {
    /// What a recommendation that rests on these studies holds for.
    pub(crate) fn for_studies(run: &Run, studies: &[&str]) -> Self {
        let measured: Vec<&Measurement> = run
            .records
            .iter()
            .filter(|record| studies.contains(&record.key.study.as_str()))
            .filter(|record| text(&record.values, "filesystem").as_deref() == Some("host"))
            .filter_map(|record| record.measurement.as_ref())
            .collect();
        let placement = measured.first().map(|measurement| &measurement.placement);
        Self {
            kernel: run.host.kernel.clone(),
            device: placement.map_or_else(String::new, device),
            filesystem: placement.map_or_else(String::new, |placement| placement.filesystem.clone()),
            memory_bytes: run.host.memory_bytes,
            // A log that grows has no size before it does.
            size_bytes: measured
                .iter()
                .flat_map(|found| &found.files)
                .map(|file| file.size_bytes)
                .max()
                .filter(|bytes| *bytes > 0),
        }
    }

    /// What is not any more as it was measured: a clause for each. None says that the advice still holds, as far as these
    /// tell; what the directory stands on is not compared where there is none.
    pub fn changes(&self, now: &Surroundings) -> Vec<String> {
        let mut changes = Vec::new();
        let mut differ = |what: &str, then: &str, now: &str| {
            if !then.is_empty() && then != now {
                changes.push(format!("{what} was {then} and is {now}"));
            }
        };
        differ("the kernel", &self.kernel, &now.kernel);
        if let Some((device, filesystem)) = &now.disk {
            differ("the device", &self.device, device);
            differ("the file system", &self.filesystem, filesystem);
        }
        let (then, now) = (self.memory_bytes as f64, now.memory_bytes as f64);
        if then > 0.0 && (now / then - 1.0).abs() > MEMORY_TOLERANCE {
            differ("the memory", &format_bytes_approximate(then), &format_bytes_approximate(now));
        }
        changes
    }
}

/// `Samsung SSD 990 PRO of 1.82 TiB`; a device without a model by its name. A device of another size is another one.
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
