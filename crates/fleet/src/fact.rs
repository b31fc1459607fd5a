//! What is recorded about a disk and its machine, as text: to find what distinguishes a suspect from the others.

use model::host::Placement;
use model::mechanism::Measured;
use model::run::Run;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Display;

/// Something recorded about a disk or its machine. The first four are those of a [`crate::Stratum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// Device model.
    Model,
    /// Firmware revision.
    Firmware,
    /// Kernel release.
    Kernel,
    /// File system type.
    Filesystem,
    /// Size of the device, bytes.
    DeviceBytes,
    /// Write cache of the device.
    WriteCache,
    /// I/O scheduler.
    Scheduler,
    MountOptions,
    /// Settings of the device's queue.
    QueueSettings,
    /// Processor model.
    Processor,
    /// Logical CPUs.
    Cpus,
    /// Memory, bytes.
    MemoryBytes,
    /// Hypervisor or container.
    Virtualisation,
    /// Frequency governor.
    Governor,
    /// Version of the program that measured.
    Program,
}

impl Fact {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Firmware => "firmware",
            Self::Kernel => "kernel",
            Self::Filesystem => "file system",
            Self::DeviceBytes => "device size",
            Self::WriteCache => "write cache",
            Self::Scheduler => "I/O scheduler",
            Self::MountOptions => "mount options",
            Self::QueueSettings => "queue settings",
            Self::Processor => "processor",
            Self::Cpus => "CPUs",
            Self::MemoryBytes => "memory",
            Self::Virtualisation => "virtualisation",
            Self::Governor => "frequency governor",
            Self::Program => "Syncline version",
        }
    }
}

/// What is known, by fact. What a machine does not report is absent.
pub(crate) type Facts = BTreeMap<Fact, String>;

/// What a run recorded about its machine, and about the disk below these files.
pub(crate) fn facts(run: &Run, placement: &Placement) -> Facts {
    let host = &run.host;
    let facts = [
        (Fact::Model, model(placement)),
        (Fact::Firmware, placement.firmware.as_ref().and_then(known)),
        (Fact::Kernel, Some(host.kernel.clone())),
        (Fact::Filesystem, Some(placement.filesystem.clone())),
        (Fact::DeviceBytes, known(&placement.device_bytes)),
        (Fact::WriteCache, known(&placement.write_cache)),
        (Fact::Scheduler, known(&placement.scheduler)),
        (Fact::MountOptions, Some(placement.mount_options.clone())),
        (Fact::QueueSettings, Some(placement.queue_settings.join(" "))),
        (Fact::Processor, Some(host.processor.clone())),
        (Fact::Cpus, Some(host.cpus.to_string())),
        (Fact::MemoryBytes, Some(host.memory_bytes.to_string())),
        (Fact::Virtualisation, Some(host.virtualisation.clone())),
        (Fact::Governor, known(&host.governor)),
        (Fact::Program, Some(run.plan.program_version.clone())),
    ];
    let recorded = facts.into_iter().filter_map(|(fact, text)| Some((fact, text?)));
    recorded.filter(|(_, text)| !text.is_empty()).collect()
}

fn known<T: Display>(fact: &Measured<T>) -> Option<String> {
    fact.value().map(|value| value.to_string().trim().to_owned())
}

/// The device's model. That of a loop device names its image, which no two disks share.
fn model(placement: &Placement) -> Option<String> {
    let is_loop = |device: &String| {
        device.strip_prefix("loop").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    match placement.device.value().filter(|device| is_loop(device)) {
        Some(_) => Some("loop".to_owned()),
        None => known(&placement.model),
    }
}
