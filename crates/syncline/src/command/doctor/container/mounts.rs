//! On which file systems the files of the process are, and whether O_DIRECT works there, by the kind of the file
//! system: nothing is opened.

use crate::command::doctor::check::{Check, Sign, check};
use ::container::Look;
use disk::kernel::mounts::Mount;
use model::figure::count;
use model::mechanism::Measured;

/// More mounts than a container has.
const MOUNTS_MAX: usize = 24;
/// File systems of the kernel's own, which hold no files of a database.
const OF_THE_KERNEL: [&str; 16] = [
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "fusectl",
    "mqueue",
    "nsfs",
    "proc",
    "pstore",
    "securityfs",
    "sysfs",
];
/// Where a runtime mounts files of its own: hosts, secrets, devices.
const OF_THE_RUNTIME: [&str; 5] = ["/dev", "/etc", "/proc", "/run", "/sys"];

pub(super) fn of_mounts(look: &Look) -> Vec<Check> {
    let mounts = match &look.mounts {
        Measured::Value(mounts) => mounts,
        Measured::Unsupported { unsupported } => {
            return vec![check(
                Sign::Unchecked,
                format!("mounts are not checked: {unsupported}"),
                "the file system decides whether O_DIRECT works",
            )];
        }
    };
    let shown: Vec<&Mount> = mounts.iter().filter(|mount| holds_files(mount)).collect();
    let more = shown.len().saturating_sub(MOUNTS_MAX);
    let rest = (more > 0).then(|| {
        check(Sign::Unchecked, format!("{} more", count(more, "mount")), "only the first ones are listed")
    });
    shown.into_iter().take(MOUNTS_MAX).map(of_mount).chain(rest).collect()
}

fn holds_files(mount: &Mount) -> bool {
    let is_of_the_runtime = OF_THE_RUNTIME.iter().any(|place| mount.point.starts_with(place));
    !OF_THE_KERNEL.contains(&mount.filesystem.as_str()) && !is_of_the_runtime
}

fn of_mount(mount: &Mount) -> Check {
    let read_only = if mount.options.split(',').next() == Some("ro") { ", read only" } else { "" };
    let fact = format!("{}: {}{read_only}", mount.point.display(), mount.filesystem);
    match mount.filesystem.as_str() {
        "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "f2fs" | "bcachefs" | "jfs" => {
            check(Sign::Good, fact, "O_DIRECT works on this file system")
        }
        "overlay" => check(
            Sign::Note,
            fact,
            "the container's own layer: its files go with the container, and the first write to a file of the image \
             copies it whole. Keep data on a volume. O_DIRECT is passed to the file system below",
        ),
        "tmpfs" | "ramfs" => {
            check(Sign::Note, fact, "in memory: nothing here is durable, and O_DIRECT means nothing")
        }
        _ => check(
            Sign::Unchecked,
            fact,
            "whether O_DIRECT works depends on its version, its server or its options: syncline doctor DIR in the \
             container tries it",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(point: &str, filesystem: &str) -> Mount {
        Mount {
            id: 1,
            device: (0, 1),
            root: "/".into(),
            point: point.into(),
            filesystem: filesystem.to_owned(),
            source: "none".into(),
            options: "rw,relatime".to_owned(),
        }
    }

    #[test]
    fn mounts_with_files_are_judged_by_their_file_system() {
        for (point, filesystem, sign) in [
            ("/", "overlay", Some(Sign::Note)),
            ("/var/lib/postgresql/data", "ext4", Some(Sign::Good)),
            ("/data", "nfs4", Some(Sign::Unchecked)),
            ("/tmp", "tmpfs", Some(Sign::Note)),
            ("/etc/hosts", "ext4", None),
            ("/proc", "proc", None),
            ("/dev/shm", "tmpfs", None),
        ] {
            let mount = mount(point, filesystem);
            let found = holds_files(&mount).then(|| of_mount(&mount).sign);
            assert_eq!(found, sign, "{point}");
        }
    }
}
