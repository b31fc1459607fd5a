//! Temperature of an `NVMe` drive: `temp1_input` of its hwmon (kernel `Documentation/hwmon/sysfs-interface.rst`), the
//! composite temperature in thousandths of a degree (`drivers/nvme/host/hwmon.c`).

use crate::kernel::block_device::BlockDevice;
use model::mechanism::Measured;
use std::path::{Path, PathBuf};

/// Composite temperature of the drive, degrees Celsius.
pub fn celsius(device: &BlockDevice) -> Measured<f64> {
    match sensors(&device.disk_directory).iter().find_map(|sensor| read_celsius(sensor)) {
        Some(celsius) => Measured::Value(celsius),
        None => {
            Measured::unsupported(format!("{} has no temperature sensor that the kernel reads", device.disk))
        }
    }
}

fn read_celsius(sensor: &Path) -> Option<f64> {
    let thousandths: f64 = std::fs::read_to_string(sensor.join("temp1_input")).ok()?.trim().parse().ok()?;
    Some(thousandths / 1e3)
}

/// hwmon directories of a disk's controller; with multipath, of any controller of its subsystem.
fn sensors(disk_directory: &Path) -> Vec<PathBuf> {
    let device = disk_directory.join("device");
    let mut controllers = children(&device, "nvme");
    controllers.insert(0, device);
    let mut found = Vec::new();
    for controller in controllers {
        found.extend(children(&controller, "hwmon"));
        found.extend(children(&controller.join("hwmon"), "hwmon"));
    }
    found
}

fn children(directory: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sensor_is_found_below_the_controller_or_below_its_hwmon_directory() {
        for place in ["device/hwmon3", "device/hwmon/hwmon3", "device/nvme1/hwmon3"] {
            let disk = tempfile::tempdir().expect("temporary directory");
            std::fs::create_dir_all(disk.path().join(place)).expect("created");
            std::fs::write(disk.path().join(place).join("temp1_input"), "42850\n").expect("written");
            let found = sensors(disk.path()).iter().find_map(|sensor| read_celsius(sensor));
            assert_eq!(found, Some(42.85), "{place}");
        }
    }
}
