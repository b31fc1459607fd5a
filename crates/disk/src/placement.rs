//! The file system and device below a directory, as they describe themselves.

use crate::cgroup::io_limits;
use crate::files::{Alignment, direct_support};
use crate::kernel::block_device::BlockDevice;
use crate::kernel::loop_mount;
use crate::kernel::mounts;
use crate::medium::below;
use model::host::Placement;
use model::mechanism::Measured;
use std::path::Path;

/// A sector of `size` in sysfs is 512 bytes, whatever the device's block is.
const SECTOR_BYTES: u64 = 512;

/// What is below a work directory. Tries `O_DIRECT` on a file of its own inside it.
pub fn placement(work_directory: &Path) -> Placement {
    placement_with(work_directory, &direct_support(work_directory))
}

/// The same where it is known already what [`direct_support`] says there.
pub fn placement_with(work_directory: &Path, direct: &Result<Alignment, String>) -> Placement {
    let (filesystem, mount_options) = match mounts::mount_of(work_directory) {
        Ok(mount) => (mount.filesystem, mount.options),
        Err(failure) => ("unknown".to_owned(), failure.to_string()),
    };
    let device = BlockDevice::below(work_directory);
    let of_device = |read: fn(&BlockDevice) -> Measured<String>| match &device {
        Measured::Value(device) => read(device),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    };
    let alignment = |bytes: fn(&Alignment) -> u64| match direct {
        Ok(alignment) => Measured::Value(bytes(alignment)),
        Err(reason) => Measured::unsupported(reason.clone()),
    };
    Placement {
        filesystem,
        mount_options,
        in_memory: None,
        below: Some(below(work_directory)),
        device: of_device(|device| Measured::Value(device.name.clone())),
        model: of_device(model),
        firmware: Some(of_device(firmware)),
        device_bytes: parsed(&of_device(|device| attribute(device, &device.directory, "size")), |text| {
            text.parse::<u64>().ok().map(|sectors| sectors * SECTOR_BYTES)
        }),
        write_cache: of_device(|device| attribute(device, &device.disk_directory, "queue/write_cache")),
        fua: parsed(&of_device(|device| attribute(device, &device.disk_directory, "queue/fua")), flag),
        scheduler: parsed(
            &of_device(|device| attribute(device, &device.disk_directory, "queue/scheduler")),
            |text| Some(active(text).to_owned()),
        ),
        rotational: parsed(
            &of_device(|device| attribute(device, &device.disk_directory, "queue/rotational")),
            flag,
        ),
        direct_offset_alignment_bytes: alignment(|alignment| alignment.offset_bytes),
        direct_memory_alignment_bytes: alignment(|alignment| alignment.memory_bytes),
        io_limits: device.value().and_then(io_limits),
        queue_settings: device.value().map(queue_settings).unwrap_or_default(),
    }
}

/// What decides how a transfer becomes requests, as far as this kernel reports it.
fn queue_settings(device: &BlockDevice) -> Vec<String> {
    const NAMES: [&str; 8] = [
        "read_ahead_kb",
        "max_segments",
        "max_segment_size",
        "max_sectors_kb",
        "nr_requests",
        "nomerges",
        "rq_affinity",
        "wbt_lat_usec",
    ];
    let of = |name: &str| attribute(device, &device.disk_directory, &format!("queue/{name}"));
    NAMES.iter().filter_map(|name| Some(format!("{name}={}", of(name).value()?))).collect()
}

fn attribute(device: &BlockDevice, directory: &Path, name: &str) -> Measured<String> {
    let text = std::fs::read_to_string(directory.join(name));
    text.map(|text| text.trim().to_owned())
        .map_err(|error| format!("{} has no attribute {name}: {error}", device.name))
        .into()
}

fn model(device: &BlockDevice) -> Measured<String> {
    if let Some(image) = loop_mount::backing_file(&device.disk) {
        return Measured::Value(format!("loop device over {}", image.display()));
    }
    let names = ["device/model", "dm/name"];
    let found = names.iter().find_map(|name| {
        let text = std::fs::read_to_string(device.disk_directory.join(name)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    });
    match found {
        Some(model) => Measured::Value(model),
        None => Measured::unsupported(format!("{} does not report its model", device.disk)),
    }
}

/// NVMe reports it as a text, SCSI and ATA as the revision of the inquiry.
fn firmware(device: &BlockDevice) -> Measured<String> {
    let names = ["device/firmware_rev", "device/rev"];
    let read = |name: &&str| std::fs::read_to_string(device.disk_directory.join(name)).ok();
    let found = names.iter().find_map(read).map(|text| text.trim().to_owned());
    match found.filter(|text| !text.is_empty()) {
        Some(firmware) => Measured::Value(firmware),
        None => Measured::unsupported(format!("{} does not report its firmware", device.disk)),
    }
}

fn parsed<T>(text: &Measured<String>, parse: fn(&str) -> Option<T>) -> Measured<T> {
    match text {
        Measured::Value(text) => match parse(text) {
            Some(value) => Measured::Value(value),
            None => Measured::unsupported(format!("cannot read {text:?} from sysfs")),
        },
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    }
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// The scheduler in brackets; a device with one choice shows it bare.
fn active(schedulers: &str) -> &str {
    let bracketed = schedulers.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(schedulers, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_active_scheduler_is_the_one_in_brackets() {
        assert_eq!(active("none [mq-deadline] kyber bfq"), "mq-deadline");
        assert_eq!(active("none"), "none");
    }

    #[test]
    fn a_place_without_a_device_says_why_everywhere() {
        let directory = Path::new("/dev/shm");
        if mounts::mount_of(directory).map(|mount| mount.filesystem).ok().as_deref() != Some("tmpfs") {
            skip::because("/dev/shm is not a tmpfs here");
            return;
        }
        let directory = tempfile::tempdir_in(directory).expect("temporary directory");
        let placement = placement(directory.path());
        assert_eq!(placement.filesystem, "tmpfs");
        for reason in [placement.device.reason(), placement.write_cache.reason(), placement.fua.reason()] {
            assert_eq!(reason, Some("tmpfs is not on a block device of its own"));
        }
        let reason = placement.direct_offset_alignment_bytes.reason();
        assert_eq!(reason, Some("this file system is in memory: its O_DIRECT is the page cache"));
    }
}
