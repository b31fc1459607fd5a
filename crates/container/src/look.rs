//! A look at a process: everything that is read, in one place.

use crate::access::{Access, IoUringSwitch};
use crate::resource_limit::ResourceLimit;
use crate::runtime::{container_id, described};
use crate::status::Status;
use disk::cgroup::groups_of;
use disk::kernel::mounts::{Mount, mounts_seen_by};
use model::mechanism::Measured;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What an open ring is called in `/proc/PID/fd`.
const RING: &str = "anon_inode:[io_uring]";
/// Cgroup v1 writes no limit as the largest number that is a multiple of a page.
const UNLIMITED_BYTES: u64 = 1 << 62;
/// The files of limits of I/O in cgroup v1; v2 has `io.max`.
const THROTTLES: [&str; 4] = [
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
];

/// What was seen of a process.
#[derive(Clone, Debug)]
pub struct Look {
    pub process: u32,
    pub status: Status,
    /// The machine's switch of `io_uring`; `None` if the kernel has none.
    pub switch: Option<IoUringSwitch>,
    /// Whether it is in the user namespace of the program that looks; `None` if that cannot be seen.
    pub shares_user_namespace: Option<bool>,
    /// How many rings it has open.
    pub rings: Measured<usize>,
    /// What the runtime's description of its container says about `io_uring`.
    pub described: Measured<Access>,
    pub locked_memory: Measured<ResourceLimit>,
    pub open_files: Measured<ResourceLimit>,
    pub mounts: Measured<Vec<Mount>>,
    /// The lowest limit of memory of its control groups; `None` is unlimited.
    pub memory_max_bytes: Measured<Option<u64>>,
    /// The lowest limit of huge pages of the usual size of its control groups; `None` is unlimited.
    pub huge_pages_max_bytes: Measured<Option<u64>>,
    /// Limits of I/O of its control groups, as the kernel writes them: `254:0 rbps=max wbps=1000000 …`.
    pub io_limits: Measured<Vec<String>>,
    pub huge_pages: HugePages,
}

/// Huge pages of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HugePages {
    /// Reserved ones.
    pub total: u64,
    pub free: u64,
    pub page_bytes: u64,
    /// The setting of transparent ones: `always`, `madvise` or `never`; `None` if the kernel has none.
    pub transparent: Option<String>,
}

/// Why nothing can be seen.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    #[error("there is no process {process}")]
    NoProcess { process: u32 },
    #[error("{}: {error}", path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
}

#[cfg(test)]
impl Default for Look {
    /// A process of which nothing is known.
    fn default() -> Self {
        Self {
            process: 1,
            status: Status::default(),
            switch: None,
            shares_user_namespace: None,
            rings: Measured::unsupported("not looked"),
            described: Measured::unsupported("not looked"),
            locked_memory: Measured::unsupported("not looked"),
            open_files: Measured::unsupported("not looked"),
            mounts: Measured::unsupported("not looked"),
            memory_max_bytes: Measured::unsupported("not looked"),
            huge_pages_max_bytes: Measured::unsupported("not looked"),
            io_limits: Measured::unsupported("not looked"),
            huge_pages: HugePages::default(),
        }
    }
}

impl Look {
    /// Looks at a process. Runtimes keep their descriptions of containers below `root`.
    ///
    /// # Errors
    /// [`LookError`]: the process is gone, or not even its status can be read.
    pub fn at(process: u32, root: &Path) -> Result<Self, LookError> {
        let own = |name: &str| PathBuf::from(format!("/proc/{process}/{name}"));
        let path = own("status");
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => LookError::NoProcess { process },
            _ => LookError::Unreadable { path: path.clone(), error },
        })?;
        let limits = read(&own("limits"));
        let limit = |name: &str| match &limits {
            Ok(text) => {
                let found = ResourceLimit::parse(text, name);
                Measured::from(found.ok_or_else(|| format!("the kernel does not report {name}")))
            }
            Err(why) => Measured::unsupported(why.clone()),
        };
        let groups = read(&own("cgroup"));
        let by_runtime = groups.and_then(|groups| {
            let none = || "its control groups name no container".to_owned();
            described(root, container_id(&groups).ok_or_else(none)?)
        });
        let huge_pages = HugePages::of_machine();
        let (v2, v1) = huge_page_files(huge_pages.page_bytes);
        let namespace = |process: &str| fs::read_link(format!("/proc/{process}/ns/user")).ok();
        let namespaces = namespace(&process.to_string()).zip(namespace("self"));
        Ok(Self {
            process,
            status: Status::parse(&text),
            switch: switch(),
            shares_user_namespace: namespaces.map(|(theirs, ours)| theirs == ours),
            rings: rings(&own("fd")),
            described: by_runtime.into(),
            locked_memory: limit("Max locked memory"),
            open_files: limit("Max open files"),
            mounts: mounts_seen_by(process).map_err(|failure| failure.to_string()).into(),
            memory_max_bytes: lowest(process, "memory", &["memory.max", "memory.limit_in_bytes"]),
            huge_pages_max_bytes: lowest(process, "hugetlb", &[&v2, &v1]),
            io_limits: io_limits(process),
            huge_pages,
        })
    }
}

impl HugePages {
    fn of_machine() -> Self {
        const KIB: u64 = 1 << 10;
        let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let number = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line?.split_whitespace().next()?.parse::<u64>().ok()
        };
        let setting = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok();
        let chosen = setting.as_deref().and_then(|text| text.split_once('[')?.1.split_once(']'));
        Self {
            total: number("HugePages_Total").unwrap_or(0),
            free: number("HugePages_Free").unwrap_or(0),
            page_bytes: number("Hugepagesize").map_or(2 << 20, |kib| kib * KIB),
            transparent: chosen.map(|(name, _)| name.to_owned()),
        }
    }
}

/// `hugetlb.2MB.max` and its name in v1.
fn huge_page_files(page_bytes: u64) -> (String, String) {
    let size = if page_bytes >= 1 << 30 {
        format!("{}GB", page_bytes >> 30)
    } else {
        format!("{}MB", (page_bytes >> 20).max(1))
    };
    (format!("hugetlb.{size}.max"), format!("hugetlb.{size}.limit_in_bytes"))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn switch() -> Option<IoUringSwitch> {
    let of = |name: &str| fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok();
    let disabled = of("io_uring_disabled")?.trim().parse().ok()?;
    // Without a group it is -1.
    let group = of("io_uring_group").and_then(|text| text.trim().parse().ok());
    Some(IoUringSwitch { disabled, group })
}

fn rings(folder: &Path) -> Measured<usize> {
    match fs::read_dir(folder) {
        Ok(entries) => {
            let links = entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
            Measured::Value(links.filter(|link| link.as_os_str() == RING).count())
        }
        Err(error) => Measured::unsupported(format!("{}: {error}", folder.display())),
    }
}

/// The lowest limit in files of these names, of a process's group and of those above it.
fn lowest(process: u32, controller: &str, names: &[&str]) -> Measured<Option<u64>> {
    let groups = match groups_of(process, controller) {
        Ok(groups) => groups,
        Err(failure) => return Measured::unsupported(failure.to_string()),
    };
    let files = groups.iter().flat_map(|group| names.iter().map(move |name| group.join(name)));
    let mut texts = files.filter_map(|file| fs::read_to_string(file).ok()).peekable();
    if texts.peek().is_none() {
        return Measured::unsupported(format!("no control group of it has {}", names.join(" or ")));
    }
    let limits = texts.filter_map(|text| text.trim().parse::<u64>().ok());
    Measured::Value(limits.filter(|limit| *limit < UNLIMITED_BYTES).min())
}

fn io_limits(process: u32) -> Measured<Vec<String>> {
    let groups = match groups_of(process, "blkio") {
        Ok(groups) => groups,
        Err(failure) => return Measured::unsupported(failure.to_string()),
    };
    let mut found = Vec::new();
    for group in groups {
        let lines = |name: &str| fs::read_to_string(group.join(name)).unwrap_or_default();
        found.extend(lines("io.max").lines().map(str::to_owned));
        for name in THROTTLES {
            let short = name.trim_start_matches("blkio.throttle.").trim_end_matches("_device");
            found.extend(lines(name).lines().filter_map(|line| {
                let (device, limit) = line.split_once(' ')?;
                Some(format!("{device} {short}={limit}"))
            }));
        }
    }
    Measured::Value(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn this_process_is_seen_and_a_process_that_is_gone_is_an_error() {
        let look = Look::at(std::process::id(), Path::new("/")).unwrap();
        assert!(look.status.seccomp.is_some() && look.locked_memory.value().is_some());
        assert!(look.mounts.value().is_some_and(|mounts| !mounts.is_empty()));
        assert!(look.rings.value().is_some());
        assert_eq!(look.shares_user_namespace, Some(true));
        assert!(matches!(Look::at(u32::MAX, Path::new("/")), Err(LookError::NoProcess { .. })));
    }

    /// Ends the process and removes its control group.
    struct Contained(Child, PathBuf);

    impl Drop for Contained {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
            // The kernel lets go of a process a moment after it has ended.
            for _ in 0..100 {
                if fs::remove_dir(&self.1).is_ok() {
                    return;
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// A process in a control group that is named as a runtime names it, and a description as a runtime keeps it.
    #[test]
    fn the_description_of_a_container_is_found_by_its_process() {
        let id = format!("{:064x}", std::process::id());
        let own = groups_of(std::process::id(), "memory").unwrap().into_iter().next();
        let Some(group) = own.map(|own| own.join(format!("docker-{id}.scope"))) else {
            skip::because("no control groups are mounted");
            return;
        };
        if let Err(error) = fs::create_dir(&group) {
            skip::because(format!("no control group can be made: {error}"));
            return;
        }
        let contained = Contained(Command::new("sleep").arg("600").spawn().unwrap(), group.clone());
        let process = contained.0.id();
        if let Err(error) = fs::write(group.join("cgroup.procs"), process.to_string()) {
            skip::because(format!("no process can enter a control group: {error}"));
            return;
        }
        let root = tempfile::tempdir().unwrap();
        assert!(Look::at(process, root.path()).unwrap().described.value().is_none());
        let place = root.path().join("run/containerd/io.containerd.runtime.v2.task/k8s.io").join(&id);
        fs::create_dir_all(&place).unwrap();
        let config = r#"{"linux":{"seccomp":{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[]}}}"#;
        fs::write(place.join("config.json"), config).unwrap();
        let look = Look::at(process, root.path()).unwrap();
        assert!(matches!(look.described.value(), Some(Access::Denied(_))), "{:?}", look.described);
    }

    #[test]
    fn the_files_of_huge_pages_are_named_by_their_size() {
        assert_eq!(huge_page_files(2 << 20).0, "hugetlb.2MB.max");
        assert_eq!(huge_page_files(1 << 30).1, "hugetlb.1GB.limit_in_bytes");
    }
}
