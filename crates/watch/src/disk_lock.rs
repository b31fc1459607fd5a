//! One watcher a disk: a name in the abstract namespace of Unix sockets (unix(7)), which the kernel gives back when its
//! process ends, however it ends, and which leaves no file.

use crate::error::{WatchError, io_error};
use disk::kernel::block_device::BlockDevice;
use model::mechanism::Measured;
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often it is tried: a process that is being started has a copy of every descriptor until it runs its program, and
/// with it of a name that its parent, which was killed, has just given up …
const ATTEMPTS: u32 = 50;
/// … and how long after each attempt that fails.
const PAUSE: Duration = Duration::from_millis(20);

/// Holds a disk against other watchers of this network namespace. A place without a disk of its own has no others.
pub fn hold(disk: &Measured<BlockDevice>) -> Result<Option<UnixDatagram>, WatchError> {
    let Measured::Value(BlockDevice { disk, .. }) = disk else { return Ok(None) };
    let address = SocketAddr::from_abstract_name(format!("syncline-watch-{disk}"))
        .map_err(io_error(Path::new(disk), "hold the disk"))?;
    for _ in 0..ATTEMPTS {
        match UnixDatagram::bind_addr(&address) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => thread::sleep(PAUSE),
            other => return other.map(Some).map_err(io_error(Path::new(disk), "hold the disk")),
        }
    }
    Err(WatchError::DiskInUse { disk: disk.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_has_one_watcher_at_a_time() {
        let directory = "/sys/devices/none".into();
        let disk = Measured::Value(BlockDevice {
            name: "none1".to_owned(),
            disk: format!("none-{}", std::process::id()),
            directory,
            disk_directory: "/sys/devices/none".into(),
        });
        let first = hold(&disk).unwrap();
        assert!(first.is_some());
        assert!(matches!(hold(&disk), Err(WatchError::DiskInUse { .. })));
        drop(first);
        assert!(hold(&disk).unwrap().is_some());
        assert!(hold(&Measured::unsupported("tmpfs")).unwrap().is_none());
    }
}
