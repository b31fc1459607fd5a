//! A control group that limits nothing and only counts: what a server's processes cost together.

use super::group::{NAME_PREFIX, hold, remove_directory};
use super::hierarchy::{self, Version};
use crate::failure::Failure;
use model::mechanism::{Measured, ServerCounters};
use rustix::fd::OwnedFd;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What is counted, each by a controller of its own; cgroup v2 has one directory for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Controller {
    Cpu,
    Memory,
    Io,
}

impl Controller {
    /// Its name among the mount options of cgroup v1.
    const fn v1_name(self) -> &'static str {
        match self {
            Self::Cpu => "cpuacct",
            Self::Memory => "memory",
            Self::Io => "blkio",
        }
    }
}

/// Groups for a server's processes, below those that this process is in, so that every limit above still holds. Removed
/// when this value is dropped; the processes must have ended.
#[derive(Debug)]
pub struct AccountingGroup {
    cpu: Measured<Place>,
    memory: Measured<Place>,
    io: Measured<Place>,
    /// Their flocks say that the groups are in use.
    _held: Vec<OwnedFd>,
}

#[derive(Clone, Debug)]
struct Place {
    directory: PathBuf,
    version: Version,
}

impl AccountingGroup {
    /// Makes the groups `syncline-<id>`. What cannot be counted here says why when it is requested.
    pub fn create(id: &str) -> Self {
        let mut held = Vec::new();
        let mut place = |controller| make(controller, id, &mut held).into();
        let (cpu, memory, io) = (place(Controller::Cpu), place(Controller::Memory), place(Controller::Io));
        Self { cpu, memory, io, _held: held }
    }

    /// What a process writes to in order to enter: for [`crate::kernel::child::spawn`].
    pub fn entrances(&self) -> Result<Vec<File>, Failure> {
        self.directories()
            .iter()
            .map(|directory| {
                let path = directory.join("cgroup.procs");
                OpenOptions::new().write(true).open(&path).map_err(Failure::on("open", &path))
            })
            .collect()
    }

    /// What the processes have cost since the groups were made.
    pub fn counters(&self) -> ServerCounters {
        ServerCounters {
            user_s: self.cpu_seconds(CpuTime::User),
            system_s: self.cpu_seconds(CpuTime::System),
            major_faults: self.memory_statistic("pgmajfault"),
            memory_bytes_max: read(&self.memory, |place| match place.version {
                Version::V1 => number_in(&place.directory.join("memory.max_usage_in_bytes")),
                Version::V2 => number_in(&place.directory.join("memory.peak")),
            }),
            read_bytes: self.io_bytes(Direction::Read),
            written_bytes: match &self.io {
                // Kernel Documentation/admin-guide/cgroup-v1/blkio-controller.rst: buffered writes are charged to the
                // root.
                Measured::Value(Place { version: Version::V1, .. }) => Measured::unsupported(
                    "cgroup v1 does not charge writeback to the group whose pages are written",
                ),
                Measured::Value(_) | Measured::Unsupported { .. } => self.io_bytes(Direction::Written),
            },
        }
    }

    /// What was added to the counters between two readings; the memory is the later one's.
    pub fn delta(before: &ServerCounters, after: &ServerCounters) -> ServerCounters {
        let seconds =
            |before, after| grown(before, after, |before: &f64, after: &f64| (after - before).max(0.0));
        let count =
            |before, after| grown(before, after, |before: &u64, after: &u64| after.saturating_sub(*before));
        ServerCounters {
            user_s: seconds(&before.user_s, &after.user_s),
            system_s: seconds(&before.system_s, &after.system_s),
            major_faults: count(&before.major_faults, &after.major_faults),
            memory_bytes_max: after.memory_bytes_max.clone(),
            read_bytes: count(&before.read_bytes, &after.read_bytes),
            written_bytes: count(&before.written_bytes, &after.written_bytes),
        }
    }

    fn directories(&self) -> Vec<PathBuf> {
        let places = [&self.cpu, &self.memory, &self.io];
        let mut directories: Vec<PathBuf> =
            places.iter().filter_map(|place| Some(place.value()?.directory.clone())).collect();
        directories.sort();
        directories.dedup();
        directories
    }

    fn cpu_seconds(&self, of: CpuTime) -> Measured<f64> {
        read(&self.cpu, |place| match (place.version, of) {
            (Version::V1, CpuTime::User) => ticks_in(&place.directory, "user"),
            (Version::V1, CpuTime::System) => ticks_in(&place.directory, "system"),
            (Version::V2, CpuTime::User) => microseconds_in(&place.directory, "user_usec"),
            (Version::V2, CpuTime::System) => microseconds_in(&place.directory, "system_usec"),
        })
    }

    fn memory_statistic(&self, name: &str) -> Measured<u64> {
        read(&self.memory, |place| keyed(&place.directory.join("memory.stat"), name))
    }

    fn io_bytes(&self, direction: Direction) -> Measured<u64> {
        read(&self.io, |place| {
            let file = match place.version {
                Version::V1 => "blkio.throttle.io_service_bytes_recursive",
                Version::V2 => "io.stat",
            };
            let path = place.directory.join(file);
            let text = fs::read_to_string(&path).map_err(Failure::on("read", &path))?;
            Ok(direction.sum(&text, place.version))
        })
    }
}

impl Drop for AccountingGroup {
    fn drop(&mut self) {
        for directory in self.directories() {
            // Nothing can be reported from here; an empty group that stays is removed by the next run.
            let _ = remove_directory(&directory);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum CpuTime {
    User,
    System,
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Read,
    Written,
}

impl Direction {
    /// Sums over devices: v1 lines are `253:0 Read 4096`, v2 lines `253:0 rbytes=4096 wbytes=0 …`.
    fn sum(self, text: &str, version: Version) -> u64 {
        let (v1, v2) = match self {
            Self::Read => ("Read", "rbytes="),
            Self::Written => ("Write", "wbytes="),
        };
        let figures = text.lines().filter_map(|line| match version {
            Version::V1 => line.split_once(' ')?.1.strip_prefix(v1),
            Version::V2 => line.split_whitespace().find_map(|word| word.strip_prefix(v2)),
        });
        figures.filter_map(|figure| figure.trim().parse::<u64>().ok()).sum()
    }
}

fn make(controller: Controller, id: &str, held: &mut Vec<OwnedFd>) -> Result<Place, String> {
    let mut parents = hierarchy::parents_of(controller.v1_name()).map_err(|failure| failure.to_string())?;
    // A controller is in one hierarchy only: where v1 has it, the v2 directory beside it cannot count it.
    parents.sort_by_key(|parent| parent.version == Version::V2);
    let mut why = format!("no cgroup hierarchy with {} is mounted", controller.v1_name());
    for parent in parents {
        let directory = parent.directory.join(format!("{NAME_PREFIX}{id}"));
        let made = match fs::create_dir(&directory) {
            Ok(()) => hold(&directory).map(|handle| held.push(handle)),
            // In v2 it is the one that another controller made.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && parent.version == Version::V2 => Ok(()),
            Err(error) => Err(Failure::on("create the control group", &directory)(error)),
        };
        match made {
            Ok(()) => return Ok(Place { directory, version: parent.version }),
            Err(failure) => why = failure.to_string(),
        }
    }
    Err(why)
}

fn read<T>(place: &Measured<Place>, figure: impl Fn(&Place) -> Result<T, Failure>) -> Measured<T> {
    match place {
        Measured::Value(place) => figure(place).into(),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    }
}

fn grown<T>(before: &Measured<T>, after: &Measured<T>, by: impl Fn(&T, &T) -> T) -> Measured<T> {
    match before {
        Measured::Value(before) => after.map(|after| by(before, after)),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    }
}

fn missing(what: &str, path: &Path) -> Failure {
    let message = format!("{what} is not in it");
    Failure::on("read", path)(std::io::Error::new(ErrorKind::NotFound, message))
}

fn number_in(path: &Path) -> Result<u64, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::on("read", path))?;
    text.trim().parse().map_err(|_| missing("a number", path))
}

/// The figure behind a name in a file of lines `name figure`.
fn keyed(path: &Path, name: &str) -> Result<u64, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::on("read", path))?;
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok());
    found.ok_or_else(|| missing(name, path))
}

fn ticks_in(directory: &Path, name: &str) -> Result<f64, Failure> {
    let ticks = keyed(&directory.join("cpuacct.stat"), name)?;
    Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

fn microseconds_in(directory: &Path, name: &str) -> Result<f64, Failure> {
    Ok(keyed(&directory.join("cpu.stat"), name)? as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_summed_over_devices_in_both_formats() {
        let v1 = "253:0 Read 4096\n253:0 Write 512\n253:0 Total 4608\n7:0 Read 1\nTotal 4609\n";
        assert_eq!(Direction::Read.sum(v1, Version::V1), 4097);
        assert_eq!(Direction::Written.sum(v1, Version::V1), 512);
        let v2 = "253:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n7:0 rbytes=1 wbytes=2 rios=1\n";
        assert_eq!(Direction::Read.sum(v2, Version::V2), 11);
        assert_eq!(Direction::Written.sum(v2, Version::V2), 22);
        assert_eq!(Direction::Read.sum("", Version::V2), 0);
    }
}
