//! Where a memory group of Syncline may be made: cgroups(7), `/proc/self/cgroup` and the mounted hierarchies.

use crate::failure::Failure;
use crate::kernel::mounts::{self, Mount};
use std::path::{Path, PathBuf};

const OWN_GROUPS: &str = "/proc/self/cgroup";

/// The interface of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// One hierarchy for all controllers.
    V2,
    /// A hierarchy for each controller.
    V1,
}

/// A directory in which a group may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) directory: PathBuf,
    pub(super) version: Version,
}

/// Candidates for a memory group, best first.
pub(super) fn parents() -> Result<Vec<Parent>, Failure> {
    parents_of("memory")
}

/// Candidates for a group of a controller, best first. The name is v1's.
pub(super) fn parents_of(controller: &str) -> Result<Vec<Parent>, Failure> {
    let path = Path::new(OWN_GROUPS);
    let groups = std::fs::read_to_string(path).map_err(Failure::on("read", path))?;
    let mounts = mounts::mounts()?;
    let mut parents = Vec::new();
    let unified = mounts.iter().find(|mount| mount.filesystem == "cgroup2");
    if let (Some(mount), Some(group)) = (unified, own_group(&groups, str::is_empty)) {
        parents.extend(unified_parents(&directory_of(mount, group), &mount.point, controller));
    }
    let has = |options: &str| options.split(',').any(|option| option == controller);
    let alone = mounts.iter().find(|mount| mount.filesystem == "cgroup" && has(&mount.options));
    if let (Some(mount), Some(group)) = (alone, own_group(&groups, has)) {
        parents.push(Parent { directory: directory_of(mount, group), version: Version::V1 });
    }
    Ok(parents)
}

/// The group of this process that a controller (by its name in v1) governs and all groups above it that can be seen, in
/// both versions, the innermost first.
pub(crate) fn ancestry(controller: &str) -> Result<Vec<PathBuf>, Failure> {
    ancestry_in(Path::new(OWN_GROUPS), controller)
}

/// The same for another process, as far as the hierarchies that are mounted here show its groups.
///
/// # Errors
/// The process is gone, or its groups or the mounts cannot be read.
pub fn groups_of(process: u32, controller: &str) -> Result<Vec<PathBuf>, Failure> {
    ancestry_in(Path::new(&format!("/proc/{process}/cgroup")), controller)
}

fn ancestry_in(path: &Path, controller: &str) -> Result<Vec<PathBuf>, Failure> {
    let groups = std::fs::read_to_string(path).map_err(Failure::on("read", path))?;
    let has = |options: &str| options.split(',').any(|option| option == controller);
    let mut found = Vec::new();
    for mount in mounts::mounts()? {
        let group = match mount.filesystem.as_str() {
            "cgroup2" => own_group(&groups, str::is_empty),
            "cgroup" if has(&mount.options) => own_group(&groups, has),
            _ => None,
        };
        if let Some(group) = group {
            found.extend(up_to(&directory_of(&mount, group), &mount.point));
        }
    }
    Ok(found)
}

/// A directory and all above it up to the top.
fn up_to(directory: &Path, top: &Path) -> Vec<PathBuf> {
    directory.ancestors().take_while(|above| above.starts_with(top)).map(Path::to_owned).collect()
}

/// The path of this process's group, from a line `hierarchy:controllers:path`.
fn own_group(groups: &str, wanted: impl Fn(&str) -> bool) -> Option<&str> {
    groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        wanted(controllers).then_some(path)
    })
}

/// Where a group is below a hierarchy's mount, which may show only a part of it (a container's).
fn directory_of(mount: &Mount, group: &str) -> PathBuf {
    let below = Path::new(group).strip_prefix(&mount.root).unwrap_or(Path::new(""));
    if below.as_os_str().is_empty() { mount.point.clone() } else { mount.point.join(below) }
}

/// In v2 a group with processes cannot hand a controller on to children, except the root ("no internal processes"), so
/// a sibling of this process's group is the other choice, only if this process's group has no limit to escape from.
fn unified_parents(own: &Path, top: &Path, controller: &str) -> Vec<Parent> {
    let mut directories = vec![own.to_owned()];
    let (file, without_limit) = if controller == "blkio" { ("io.max", "") } else { ("memory.max", "max") };
    let unlimited = std::fs::read_to_string(own.join(file)).is_ok_and(|limit| limit.trim() == without_limit);
    if let Some(above) = own.parent().filter(|above| above.starts_with(top) && unlimited) {
        directories.push(above.to_owned());
    }
    directories.into_iter().map(|directory| Parent { directory, version: Version::V2 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: &str = "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/user.slice/x.scope\n";

    #[test]
    fn the_group_of_each_hierarchy_is_found() {
        assert_eq!(own_group(GROUPS, str::is_empty), Some("/user.slice/x.scope"));
        assert_eq!(own_group(GROUPS, |controllers| controllers.contains("memory")), Some("/a/b"));
        assert_eq!(own_group(GROUPS, |controllers| controllers == "blkio"), None);
    }

    #[test]
    fn a_quota_may_stand_at_any_group_above() {
        let found = up_to(Path::new("/sys/fs/cgroup/a/b"), Path::new("/sys/fs/cgroup"));
        assert_eq!(found, ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"].map(PathBuf::from));
    }

    #[test]
    fn a_group_is_below_the_part_of_the_hierarchy_that_is_mounted() {
        let mount = |root: &str| Mount {
            device: (0, 30),
            id: 1,
            root: root.into(),
            point: "/sys/fs/cgroup".into(),
            filesystem: "cgroup2".into(),
            source: "cgroup2".into(),
            options: "rw".into(),
        };
        assert_eq!(directory_of(&mount("/"), "/a/b"), Path::new("/sys/fs/cgroup/a/b"));
        assert_eq!(directory_of(&mount("/a"), "/a/b"), Path::new("/sys/fs/cgroup/b"));
        assert_eq!(directory_of(&mount("/"), "/"), Path::new("/sys/fs/cgroup"));
    }
}
