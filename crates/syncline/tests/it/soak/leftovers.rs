//! What a killed run may leave behind: processes, mounts, loop devices, memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What was killed ends by its parent's death, and not in the same instant.
const PATIENCE: Duration = Duration::from_mins(5);

/// Waits until nothing of Syncline's runs on this place, is mounted there or holds a loop device.
pub(super) fn wait_for_none(place: &Path) -> Result<(), String> {
    let started = Instant::now();
    loop {
        let left = [processes(place), mounts(place), loop_devices(place)].concat();
        if left.is_empty() {
            return Ok(());
        }
        if started.elapsed() > PATIENCE {
            return Err(format!("still there after {PATIENCE:?}: {left:?}"));
        }
        // Processes, mounts and loop devices together have no event to wait for.
        sleep(Duration::from_millis(5));
    }
}

/// Processes that work in the place or have its name in their command.
fn processes(place: &Path) -> Vec<String> {
    let name = place.to_string_lossy();
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let file_name = entry.file_name();
        file_name.to_str()?.parse::<u32>().ok()
    });
    let of_place = |pid: u32| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let works_there =
            fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|directory| directory.starts_with(place));
        (works_there || command.contains(&*name)).then(|| format!("process {pid}: {command}"))
    };
    pids.filter_map(of_place).collect()
}

fn mounts(place: &Path) -> Vec<String> {
    let name = place.to_string_lossy();
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    mounts.lines().filter(|line| line.contains(&*name)).map(str::to_owned).collect()
}

fn loop_devices(place: &Path) -> Vec<String> {
    let name = place.to_string_lossy();
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let images =
        devices.filter_map(|device| fs::read_to_string(device.path().join("loop/backing_file")).ok());
    images.filter(|image| image.contains(&*name)).collect()
}

/// System V segments of this namespace: a server of Syncline has none here where Syncline is root.
pub(super) fn memory_segments() -> BTreeSet<String> {
    let table = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    table.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)).map(str::to_owned).collect()
}
