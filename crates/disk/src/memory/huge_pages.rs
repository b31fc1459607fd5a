//! Whether the kernel gives huge pages to who asks, and how to have none at all.

use rustix::io::Errno;
use std::fs;
use std::io;

const TRANSPARENT: &str = "/sys/kernel/mm/transparent_hugepage";
const RESERVED: &str = "/sys/kernel/mm/hugepages";
/// Where the kernel does not say: x86-64, and 64-bit ARM with 4 KiB pages.
const USUAL_BYTES: usize = 2 << 20;

/// Where huge pages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The kernel makes them of free memory (`MADV_HUGEPAGE`).
    Transparent,
    /// The administrator set them aside (`MAP_HUGETLB`).
    Reserved,
}

/// Bytes of a huge page.
pub(super) fn bytes() -> usize {
    number(&format!("{TRANSPARENT}/hpage_pmd_size")).unwrap_or(USUAL_BYTES)
}

/// Whether buffers can have huge pages here. The error is one line that says what would allow it.
///
/// # Errors
/// Transparent huge pages are switched off, and none are reserved.
pub fn huge_pages_supported() -> Result<(), String> {
    source().map(drop).map_err(|error| error.to_string())
}

pub(super) fn source() -> io::Result<Source> {
    let size_kib = bytes() >> 10;
    let read = |path: String| fs::read_to_string(path).ok();
    let all = read(format!("{TRANSPARENT}/enabled"));
    let of_size = read(format!("{TRANSPARENT}/hugepages-{size_kib}kB/enabled"));
    if is_allowed(all.as_deref(), of_size.as_deref()) {
        return Ok(Source::Transparent);
    }
    match number(&format!("{RESERVED}/hugepages-{size_kib}kB/free_hugepages")) {
        Some(free) if free > 0 => Ok(Source::Reserved),
        Some(_) | None => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!(
                "buffer_pages = huge: this kernel provides no huge pages ({TRANSPARENT}/enabled is never, and \
                 vm.nr_hugepages has none free): write madvise to {TRANSPARENT}/enabled, or set buffer_pages = small"
            ),
        )),
    }
}

/// Whether `madvise` gets transparent huge pages: by the setting for all sizes, or since Linux 6.8 by that of this
/// size.
fn is_allowed(all: Option<&str>, of_size: Option<&str>) -> bool {
    let chosen = |text: &str| {
        let (_, rest) = text.split_once('[')?;
        Some(rest.split_once(']')?.0.to_owned())
    };
    let allows = |setting: Option<&str>| {
        matches!(setting.and_then(chosen).as_deref(), Some("always" | "madvise" | "within_size" | "advise"))
    };
    match of_size.and_then(chosen).as_deref() {
        None | Some("inherit") => allows(all),
        Some(_) => allows(of_size),
    }
}

fn number(path: &str) -> Option<usize> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// From now on no memory of this process, nor of the processes that it starts, gets a transparent huge page, whatever
/// the kernel's setting and the allocating code.
///
/// # Errors
/// The kernel's error; one without transparent huge pages (`EINVAL`) has none anyway.
pub fn forbid_huge_pages() -> io::Result<()> {
    let (set, unused): (libc::c_ulong, libc::c_ulong) = (1, 0);
    // SAFETY: the call takes numbers and touches no memory of this process.
    let answer = unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, set, unused, unused, unused) };
    match io::Error::last_os_error() {
        _ if answer == 0 => Ok(()),
        error if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => Ok(()),
        error => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_pages_are_given_where_either_setting_says_so() {
        let never = "always madvise [never]\n";
        let madvise = "always [madvise] never\n";
        let always = "[always] madvise never\n";
        let inherit = "always [inherit] madvise never\n";
        for (all, of_size, expected) in [
            (Some(never), None, false),
            (Some(madvise), None, true),
            (Some(always), None, true),
            (Some(never), Some(inherit), false),
            (Some(madvise), Some(inherit), true),
            (Some(always), Some("always inherit madvise [never]\n"), false),
            (Some(never), Some("always inherit [madvise] never\n"), true),
            (None, None, false),
        ] {
            assert_eq!(is_allowed(all, of_size), expected, "{all:?} {of_size:?}");
        }
    }
}
