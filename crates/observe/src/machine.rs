//! This machine: `/proc` and `/sys`, read and never changed.

use crate::system::{Disk, DiskCounters, FoundFile, Opened, System};
use crate::target::{Target, TargetError};
use disk::kernel::block_device::{self, BlockDevice};
use rustix::fs::{FileType, OFlags, Stat};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use trace::Device;

/// Levels of control groups that a unit is looked for in: slices, scopes, pods.
const GROUP_DEPTH_MAX: usize = 12;

/// Descriptors of a process among which a file is looked for.
const DESCRIPTORS_MAX: usize = 1 << 16;

/// `PROC_PID_INIT_INO` of `linux/proc_ns.h`: the name space of processes that the kernel began with.
const FIRST_PROCESSES: &str = "pid:[4026531836]";

/// This machine.
#[derive(Debug)]
pub struct Machine {
    proc: PathBuf,
    groups: PathBuf,
    /// The name space of mounts of this process.
    mounts: Option<PathBuf>,
    /// Whether the kernel's own numbers of threads are those that are seen here.
    has_kernels_numbers: bool,
}

impl Default for Machine {
    fn default() -> Self {
        let own = |name: &str| fs::read_link(Path::new("/proc/self/ns").join(name)).ok();
        Self {
            proc: "/proc".into(),
            groups: "/sys/fs/cgroup".into(),
            mounts: own("mnt"),
            has_kernels_numbers: own("pid").is_some_and(|own| own == Path::new(FIRST_PROCESSES)),
        }
    }
}

impl Machine {
    /// Requires that `/proc` has the processes of the name space that Syncline is in, by whose numbers events come.
    ///
    /// # Errors
    /// It has those of another one, or is not mounted.
    pub fn require_own_processes(&self) -> Result<(), TargetError> {
        let own = fs::read_link(self.proc.join("self"));
        let is_own = own.is_ok_and(|own| own == Path::new(&std::process::id().to_string()));
        is_own.then_some(()).ok_or(TargetError::OtherProcesses)
    }

    /// A process by its number.
    ///
    /// # Errors
    /// There is none, or none whose system calls can be observed.
    pub fn process(&self, process: u32) -> Result<Target, TargetError> {
        let status = fs::read_to_string(self.of(process).join("status"))
            .map_err(|_| TargetError::NoProcess { process })?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let leader = field("Tgid:").and_then(|leader| leader.parse().ok()).unwrap_or(process);
        if leader != process {
            return Err(TargetError::Thread { thread: process, process: leader });
        }
        if process == std::process::id() {
            return Err(TargetError::Itself { process });
        }
        // Threads of the kernel have no memory of their own (proc(5)).
        if field("VmSize:").is_none() && !matches!(field("State:"), Some(state) if state.starts_with('Z')) {
            return Err(TargetError::KernelThread { process });
        }
        let files = fs::read_dir(self.of(process).join("fd"));
        if files.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
            return Err(TargetError::NotOurs { process });
        }
        Ok(Target::Process(process))
    }

    /// The control group of a unit of systemd, by its name; `.service` may be left out. Any other control group is
    /// found by its name too.
    ///
    /// # Errors
    /// None has this name.
    pub fn unit(&self, unit: &str) -> Result<Target, TargetError> {
        if unit.is_empty() || unit.contains('/') || unit.starts_with('.') {
            return Err(TargetError::BadUnit { unit: unit.to_owned() });
        }
        let names = [unit.to_owned(), format!("{unit}.service")];
        let found = names.into_iter().find(|name| has_group(&self.groups, name, GROUP_DEPTH_MAX));
        found
            .map(Target::Unit)
            .ok_or_else(|| TargetError::NoUnit { unit: unit.to_owned(), root: self.groups.clone() })
    }

    /// Files below a directory.
    ///
    /// # Errors
    /// There is no such directory.
    pub fn directory(&self, path: &Path) -> Result<Target, TargetError> {
        let whole = fs::canonicalize(path).ok().filter(|path| path.is_dir());
        whole.map(Target::Directory).ok_or_else(|| TargetError::NoDirectory { path: path.to_owned() })
    }

    /// Files on a disk, by its name or by the path of its node. A partition stands for its disk.
    ///
    /// # Errors
    /// There is no such device.
    pub fn device(&self, name: &str) -> Result<Target, TargetError> {
        let short = name.strip_prefix("/dev/").unwrap_or(name);
        let known = || {
            let names = fs::read_dir("/sys/class/block").into_iter().flatten().flatten();
            let mut names: Vec<String> =
                names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort_unstable();
            // Dozens of unused loops say nothing.
            names.retain(|name| !name.starts_with("loop") && !name.starts_with("ram"));
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let refused = || TargetError::NoDevice { name: name.to_owned(), known: known() };
        if short.is_empty() || short.contains('/') || short.starts_with('.') {
            return Err(refused());
        }
        let device = device_in(&Path::new("/sys/class/block").join(short)).ok_or_else(refused)?;
        let whole = self.disk_of_partition(device).unwrap_or(device);
        Ok(Target::Device(named(whole).ok_or_else(refused)?))
    }

    /// Whether a process is still there.
    pub fn is_there(&self, process: u32) -> bool {
        let stat = fs::read_to_string(self.of(process).join("stat")).unwrap_or_default();
        // One that has ended, and that its parent has not asked about yet, is a zombie.
        stat.rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().next())
            .is_some_and(|state| state != "Z")
    }

    fn of(&self, process: u32) -> PathBuf {
        self.proc.join(process.to_string())
    }

    /// Whether a process has a name space of mounts of its own, as containers and some services have.
    fn has_own_mounts(&self, process: u32) -> bool {
        let mounts = fs::read_link(self.of(process).join("ns/mnt")).ok();
        mounts.is_some() && mounts != self.mounts
    }

    /// Where this process finds what another one has at a path.
    fn seen_by(&self, process: u32, path: &Path) -> PathBuf {
        if !self.has_own_mounts(process) {
            return path.to_owned();
        }
        self.of(process).join("root").join(path.strip_prefix("/").unwrap_or(path))
    }
}

impl System for Machine {
    fn file(&self, process: u32, descriptor: u32) -> Option<FoundFile> {
        let of = self.of(process);
        let link = of.join("fd").join(descriptor.to_string());
        let path = fs::read_link(&link).ok()?;
        // The link is followed, and the file is not opened.
        let facts: Stat = rustix::fs::stat(&link).ok()?;
        let is_regular = FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile;
        let flags = if is_regular { flags(&of.join("fdinfo").join(descriptor.to_string())) } else { 0 };
        let has = |flag: OFlags| flags & flag.bits() != 0;
        let text = path.to_string_lossy();
        // proc(5): "(deleted)" behind a name that was removed.
        let removed = text.strip_suffix(" (deleted)").filter(|_| facts.st_nlink == 0).map(PathBuf::from);
        Some(FoundFile {
            process,
            path: removed.unwrap_or(path),
            device: facts.st_dev,
            inode: facts.st_ino,
            is_regular,
            opened: Opened {
                direct: has(OFlags::DIRECT),
                durable: has(OFlags::DSYNC),
                appends: has(OFlags::APPEND),
            },
        })
    }

    fn open_file(&self, process: u32, device: Device, inode: u64) -> Option<FoundFile> {
        let device = rustix::fs::makedev(device.major(), device.minor());
        let descriptors = fs::read_dir(self.of(process).join("fd")).ok()?.flatten();
        let is_it = |link: &Path| {
            // The link is followed, and the file is not opened.
            let facts = rustix::fs::stat(link);
            facts.is_ok_and(|facts| facts.st_dev == device && facts.st_ino == inode)
        };
        let found = descriptors.take(DESCRIPTORS_MAX).find(|entry| is_it(&entry.path()))?;
        self.file(process, found.file_name().to_str()?.parse().ok()?)
    }

    fn parent(&self, process: u32) -> Option<u32> {
        let stat = fs::read_to_string(self.of(process).join("stat")).ok()?;
        // A command may hold brackets: the last one ends it.
        stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
    }

    fn has_native_calls(&self, process: u32) -> bool {
        // elf(5): the fifth byte is the class of the program, 1 of 32 bits.
        let mut begin = [0; 5];
        let program = File::open(self.of(process).join("exe"));
        // Threads of the kernel have no program, and of one that cannot be read nothing else is known.
        let is_read = program.is_ok_and(|mut program| program.read_exact(&mut begin).is_ok());
        !is_read || begin != [0x7F, b'E', b'L', b'F', 1]
    }

    fn groups(&self, process: u32) -> Option<String> {
        fs::read_to_string(self.of(process).join("cgroup")).ok()
    }

    fn name(&self, process: u32) -> Option<String> {
        let name = fs::read(self.of(process).join("comm")).ok()?;
        Some(String::from_utf8_lossy(&name).trim_end_matches('\n').to_owned())
    }

    fn thread_name(&self, thread: u32) -> Option<String> {
        // proc(5): a thread has a directory as well, which is not listed.
        self.name(thread).filter(|_| self.has_kernels_numbers)
    }

    fn exists(&self, process: u32, path: &Path) -> bool {
        self.seen_by(process, path).exists()
    }

    fn is_below(&self, file: &FoundFile, directory: &Path) -> bool {
        if file.path.starts_with(directory) {
            return true;
        }
        let is_it = |above: &Path| is_same(&self.seen_by(file.process, above), directory);
        self.has_own_mounts(file.process) && file.path.ancestors().skip(1).any(is_it)
    }

    fn disk(&self, file: &FoundFile) -> Option<Disk> {
        let device = Device::new(rustix::fs::major(file.device), rustix::fs::minor(file.device));
        if device.major() == 0 {
            // btrfs gives each subvolume a device of its own, which is not a disk; overlayfs has none.
            let directory = file.path.parent()?;
            let below = if self.has_own_mounts(file.process) {
                BlockDevice::below_for(file.process, &self.seen_by(file.process, directory))
            } else {
                BlockDevice::below(directory)
            };
            let name = below.value()?.disk.clone();
            let device = device_in(&Path::new("/sys/class/block").join(&name))?;
            return Some(Disk { name, device });
        }
        named(self.disk_of_partition(device).unwrap_or(device))
    }

    fn disk_of_partition(&self, device: Device) -> Option<Device> {
        let (major, minor) = block_device::disk_of_partition(device.major(), device.minor())?;
        Some(Device::new(major, minor))
    }

    fn disk_counters(&self) -> BTreeMap<Device, DiskCounters> {
        let text = fs::read_to_string(self.proc.join("diskstats")).unwrap_or_default();
        text.lines().filter_map(disk_counters).collect()
    }
}

/// A line of `/proc/diskstats` (kernel `Documentation/admin-guide/iostats.rst`), which counts sectors of 512 bytes.
fn disk_counters(line: &str) -> Option<(Device, DiskCounters)> {
    const SECTOR_BYTES: u64 = 512;
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |place: usize| words.get(place)?.parse::<u64>().ok();
    let device = Device::new(number(0)? as u32, number(1)? as u32);
    // Behind the name, the fields are numbered from 1.
    let field = |place: usize| number(place + 2);
    let counters = DiskCounters {
        reads: field(1)?,
        bytes_read: field(3)?.wrapping_mul(SECTOR_BYTES),
        writes: field(5)?,
        bytes_written: field(7)?.wrapping_mul(SECTOR_BYTES),
        flushes: field(16),
    };
    Some((device, counters))
}

/// Whether two paths are one file, whatever mounts lead to it.
fn is_same(one: &Path, other: &Path) -> bool {
    let number = |path: &Path| rustix::fs::stat(path).ok().map(|facts| (facts.st_dev, facts.st_ino));
    number(one).is_some_and(|one| Some(one) == number(other))
}

/// The flags that a file was opened with (proc(5), `fdinfo`).
fn flags(path: &Path) -> u32 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).unwrap_or_default()
}

/// The number of a device that a directory of sysfs describes.
fn device_in(directory: &Path) -> Option<Device> {
    let numbers = fs::read_to_string(directory.join("dev")).ok()?;
    let (major, minor) = numbers.trim().split_once(':')?;
    Some(Device::new(major.parse().ok()?, minor.parse().ok()?))
}

/// A disk by its number.
fn named(device: Device) -> Option<Disk> {
    let link = format!("/sys/dev/block/{}:{}", device.major(), device.minor());
    let directory = fs::canonicalize(link).ok()?;
    // sysfs writes `!` for the `/` in names such as `cciss/c0d0`.
    Some(Disk { name: directory.file_name()?.to_str()?.replace('!', "/"), device })
}

/// Whether a directory of control groups has one of this name, at any of its levels.
fn has_group(directory: &Path, name: &str, levels: usize) -> bool {
    if directory.join(name).join("cgroup.procs").is_file() {
        return true;
    }
    if levels == 0 {
        return false;
    }
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    below.into_iter().any(|entry| has_group(&entry.path(), name, levels - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;

    #[test]
    fn a_file_that_is_open_has_its_name_and_its_flags() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = directory.path().canonicalize().unwrap().join("log");
        let flags = OFlags::DSYNC.bits().cast_signed();
        let file = File::options().append(true).create(true).custom_flags(flags).open(&path).unwrap();
        let machine = Machine::default();
        let find = || machine.file(std::process::id(), file.as_raw_fd() as u32).unwrap();
        let found = find();
        assert_eq!(found.path, path);
        let opened = Opened { direct: false, durable: true, appends: true };
        assert_eq!((found.is_regular, found.opened), (true, opened));
        let device = Device::new(rustix::fs::major(found.device), rustix::fs::minor(found.device));
        let by_number = |inode| machine.open_file(std::process::id(), device, inode);
        assert_eq!((by_number(found.inode), by_number(u64::MAX)), (Some(found), None));
        fs::remove_file(&path).unwrap();
        assert_eq!(find().path, path, "its name was removed");
    }

    #[test]
    fn a_process_is_one_that_makes_calls() {
        let machine = Machine::default();
        let own = std::process::id();
        assert_eq!(machine.process(own), Err(TargetError::Itself { process: own }));
        let none = u32::MAX >> 1;
        assert_eq!(machine.process(none), Err(TargetError::NoProcess { process: none }));
        let (sender, thread) = std::sync::mpsc::channel();
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            sender.send(rustix::thread::gettid().as_raw_nonzero().get() as u32).unwrap();
            let _ = ends.recv();
        });
        let thread = thread.recv().unwrap();
        assert_eq!(machine.process(thread), Err(TargetError::Thread { thread, process: own }));
        drop(end);
        other.join().unwrap();
    }

    #[test]
    fn a_unit_is_found_among_control_groups() {
        let groups = tempfile::tempdir().unwrap();
        let group = groups.path().join("unified/system.slice/postgresql.service");
        fs::create_dir_all(&group).unwrap();
        fs::write(group.join("cgroup.procs"), "").unwrap();
        let machine = Machine { groups: groups.path().to_owned(), ..Machine::default() };
        let unit = Target::Unit("postgresql.service".to_owned());
        assert_eq!(machine.unit("postgresql"), Ok(unit.clone()));
        assert_eq!(machine.unit("postgresql.service"), Ok(unit));
        assert!(matches!(machine.unit("mysql"), Err(TargetError::NoUnit { .. })));
        assert!(matches!(machine.unit("../etc"), Err(TargetError::BadUnit { .. })));
    }

    #[test]
    fn a_program_of_this_machine_has_its_calls() {
        let machine = Machine::default();
        assert!(machine.has_native_calls(std::process::id()) && machine.has_native_calls(u32::MAX >> 1));
    }

    #[test]
    fn a_disk_is_counted() {
        let line = " 254       0 vda 10 1 80 5 20 2 160 6 0 7 8 1 0 8 1 3 9";
        let counters = DiskCounters {
            reads: 10,
            bytes_read: 40_960,
            writes: 20,
            bytes_written: 81_920,
            flushes: Some(3),
        };
        assert_eq!(disk_counters(line), Some((Device::new(254, 0), counters)));
        let older = " 254       0 vda 10 1 80 5 20 2 160 6 0 7 8";
        assert_eq!(disk_counters(older).unwrap().1.flushes, None);
        assert_eq!(disk_counters("254 0 vda"), None);
    }

    #[test]
    fn a_device_has_a_name() {
        let machine = Machine::default();
        for name in ["", "no-such-disk", "../vda", "/dev/"] {
            assert!(matches!(machine.device(name), Err(TargetError::NoDevice { .. })), "{name}");
        }
    }
}
