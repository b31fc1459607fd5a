//! The runtime's own description of a container: where containerd, Docker, Podman and CRI-O keep it.

use crate::access::Access;
use crate::profile::io_uring_by_config;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Letters of an identifier of a container.
const ID_LETTERS: usize = 64;
/// A description has the environment and the mounts of a container in it.
const BYTES_MAX: u64 = 4 << 20;
/// Folders with a folder for each container, of containerd (by namespace), of Docker's own containerd and of k3s.
const TASKS: [&str; 6] = [
    "run/containerd/io.containerd.runtime.v2.task/k8s.io",
    "run/containerd/io.containerd.runtime.v2.task/moby",
    "run/containerd/io.containerd.runtime.v2.task/default",
    "run/docker/containerd/daemon/io.containerd.runtime.v2.task/moby",
    "run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io",
    "run/docker/runtime-runc/moby",
];
/// The same of Podman and CRI-O, in whose folders it lies one level deeper.
const STORES: [&str; 2] =
    ["run/containers/storage/overlay-containers", "var/lib/containers/storage/overlay-containers"];

/// The identifier in the names of a process's control groups (`/proc/PID/cgroup`): 64 hexadecimal digits.
pub fn container_id(groups: &str) -> Option<&str> {
    let mut words = groups.split(|letter: char| !letter.is_ascii_hexdigit());
    words.rfind(|word| word.len() == ID_LETTERS)
}

/// What the description of a container below this root says about `io_uring`; the error says what was looked for.
pub(crate) fn described(root: &Path, id: &str) -> Result<Access, String> {
    let tasks = TASKS.iter().map(|folder| root.join(folder).join(id).join("config.json"));
    let stores = STORES.iter().map(|folder| root.join(folder).join(id).join("userdata/config.json"));
    for path in tasks.chain(stores) {
        match read(&path) {
            Ok(Some(text)) => {
                return io_uring_by_config(&text).map_err(|error| format!("{}: {error}", path.display()));
            }
            Ok(None) => {}
            Err(why) => return Err(why),
        }
    }
    Err("no runtime that Syncline knows describes this container".to_owned())
}

/// The content of a regular file; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<String>, String> {
    let cannot = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(cannot(error)),
    };
    let mut text = String::new();
    file.take(BYTES_MAX).read_to_string(&mut text).map_err(cannot)?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn an_identifier_is_found_in_the_groups_of_every_runtime() {
        for group in [
            format!("0::/system.slice/docker-{ID}.scope\n"),
            format!("4:memory:/docker/{ID}\n0::/\n"),
            format!(
                "0::/kubepods.slice/kubepods-burstable.slice/kubepods-pod1.slice/cri-containerd-{ID}.scope\n"
            ),
            format!("0::/machine.slice/libpod-{ID}.scope/container\n"),
        ] {
            assert_eq!(container_id(&group), Some(ID), "{group}");
        }
        assert_eq!(container_id("0::/user.slice/session-1.scope\n"), None);
        assert_eq!(container_id(&format!("0::/{ID}0\n")), None);
    }

    #[test]
    fn a_description_is_found_where_runtimes_keep_it() {
        let root = tempfile::tempdir().unwrap();
        assert!(described(root.path(), ID).is_err());
        for folder in [TASKS[0].to_owned() + "/" + ID, STORES[0].to_owned() + "/" + ID + "/userdata"] {
            let folder = root.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("config.json"), "{\"linux\":{}}").unwrap();
            assert!(matches!(described(root.path(), ID), Ok(Access::Allowed(_))));
            fs::write(folder.join("config.json"), "{").unwrap();
            assert!(described(root.path(), ID).is_err());
            fs::remove_file(folder.join("config.json")).unwrap();
        }
    }
}
