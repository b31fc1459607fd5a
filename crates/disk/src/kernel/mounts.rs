//! `/proc/self/mountinfo` (`proc_pid_mountinfo(5)`). The procfs crate's parser loses the order of options and
//! leaves blanks in paths escaped.

use crate::failure::Failure;
use rustix::fs::{AtFlags, CWD, StatxFlags};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The calling thread's namespace, which is also where the programs that it starts mount.
const MOUNT_INFO: &str = "/proc/thread-self/mountinfo";

/// One mount, as this process sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// The kernel's number of the mount; `statx` gives the same (`STATX_MNT_ID`).
    pub id: u64,
    /// Device number of the file system; major 0 if it has no block device of its own.
    pub device: (u32, u32),
    /// The directory of the file system that is mounted here; `/` unless it is a bind mount or a subvolume.
    pub root: PathBuf,
    /// Where it is mounted.
    pub point: PathBuf,
    pub filesystem: String,
    /// What is mounted: a device node, or any word the file system likes.
    pub source: PathBuf,
    /// Options of the mount and of the file system, comma-separated, in the kernel's order, each once.
    pub options: String,
}

/// Every mount of this process's namespace, in mount order.
pub fn mounts() -> Result<Vec<Mount>, Failure> {
    listed(Path::new(MOUNT_INFO))
}

/// Every mount of another process's namespace, in mount order.
///
/// # Errors
/// The process is gone, or belongs to another user.
pub fn mounts_seen_by(process: u32) -> Result<Vec<Mount>, Failure> {
    listed(Path::new(&format!("/proc/{process}/mountinfo")))
}

fn listed(path: &Path) -> Result<Vec<Mount>, Failure> {
    let content = std::fs::read(path).map_err(Failure::on("read", path))?;
    Ok(content.split(|&byte| byte == b'\n').filter_map(parse).collect())
}

/// The mount that a path is on, symbolic links followed (`STATX_MNT_ID`, Linux 5.8).
///
/// # Errors
/// The path cannot be read, or no mount is listed for it (a path outside this process's root).
pub fn mount_of(path: &Path) -> Result<Mount, Failure> {
    among(path, Path::new(MOUNT_INFO))
}

/// The same for a path that another process sees, which may be in another namespace: `/proc/PID/root/…`.
///
/// # Errors
/// As [`mount_of`], and the process is gone.
pub fn mount_seen_by(process: u32, path: &Path) -> Result<Mount, Failure> {
    among(path, Path::new(&format!("/proc/{process}/mountinfo")))
}

fn among(path: &Path, list: &Path) -> Result<Mount, Failure> {
    let facts = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID)
        .map_err(Failure::on("read the mount number of", path))?;
    let id = facts.stx_mnt_id;
    let missing = || rustix::io::Errno::NOENT;
    listed(list)?
        .into_iter()
        .rfind(|mount| mount.id == id)
        .ok_or_else(missing)
        .map_err(Failure::on("find the mount of", path))
}

impl Mount {
    /// Where an overlayfs keeps what is written to it; `None` of any other file system, and of one that is read only.
    pub(crate) fn upper_directory(&self) -> Option<PathBuf> {
        let mut options = self.options.split(',').filter(|_| self.filesystem == "overlay");
        options.find_map(|option| option.strip_prefix("upperdir=")).map(|path| unescape(path.as_bytes()))
    }
}

/// Reads a line: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`.
pub(crate) fn parse(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|&byte| byte == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let device = std::str::from_utf8(fields.nth(1)?).ok()?.split_once(':')?;
    let device = (device.0.parse().ok()?, device.1.parse().ok()?);
    let root = unescape(fields.next()?);
    let point = unescape(fields.next()?);
    let mount_options = text(fields.next()?);
    // Zero or more optional fields end with a lone hyphen.
    let mut fields = fields.skip_while(|field| *field != b"-").skip(1);
    let filesystem = text(fields.next()?);
    let source = unescape(fields.next()?);
    let super_options = text(fields.next()?);
    let mut options: Vec<&str> = Vec::new();
    for option in mount_options.split(',').chain(super_options.split(',')) {
        if !options.contains(&option) {
            options.push(option);
        }
    }
    let options = options.join(",");
    Some(Mount { id, device, root, point, filesystem, source, options })
}

fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(field).into_owned()
}

/// Blank, tab, newline and backslash come as three octal digits behind a backslash.
fn unescape(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        let octal = match rest {
            [b'\\', digits @ ..] if digits.len() >= 3 => {
                std::str::from_utf8(&digits[..3]).ok().and_then(|digits| u8::from_str_radix(digits, 8).ok())
            }
            _ => None,
        };
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { &rest[4..] } else { tail };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_optional_fields_and_blanks_is_read() {
        let line = br"36 35 98:0 /sub /mnt/my\040disk\134x rw,noatime master:1 shared:2 - ext4 /dev/vd\040a rw,discard";
        let mount = parse(line).expect("well formed");
        assert_eq!(mount.id, 36);
        assert_eq!(mount.device, (98, 0));
        assert_eq!(mount.root, Path::new("/sub"));
        assert_eq!(mount.point, Path::new(r"/mnt/my disk\x"));
        assert_eq!(mount.filesystem, "ext4");
        assert_eq!(mount.source, Path::new("/dev/vd a"));
        assert_eq!(mount.options, "rw,noatime,discard");
    }

    #[test]
    fn an_overlay_has_an_upper_directory() {
        let upper = |line: &[u8]| parse(line).expect("well formed").upper_directory();
        let line = br"99 35 0:44 / / rw - overlay overlay rw,lowerdir=/l:/m,upperdir=/my\040upper,workdir=/w";
        assert_eq!(upper(line), Some("/my upper".into()));
        assert_eq!(upper(b"99 35 0:44 / / ro - overlay overlay ro,lowerdir=/l:/m"), None);
        assert_eq!(upper(b"99 35 0:44 / / rw - fuse me rw,upperdir=/u"), None);
    }

    #[test]
    fn a_torn_line_is_skipped() {
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"36 35 98:0 /"), None);
    }

    #[test]
    fn every_path_has_a_mount() {
        let mount = mount_of(Path::new("/proc")).expect("proc is mounted");
        assert_eq!(mount.filesystem, "proc");
    }
}
