//! The system calls that concern files, by the numbers that the kernel knows them by.
//!
//! `raw_syscalls` has two tracepoints for all calls, and a filter of the kernel passes over the others. Each call also
//! has two of its own, which are cheaper for calls that are passed over. But arming and disarming a tracepoint takes
//! tens of milliseconds, in which every call of the machine is slower: with forty of them, that is more than a window.

use super::file_event::{FileCall, FileEventKind, FileRequest};
use std::ffi::CString;

/// What a call does, and what its arguments say about that.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// The first argument is a descriptor, whose own position is used.
    There(FileCall),
    /// The fourth argument is the place in the file.
    At(FileCall),
    /// So it is, and the sixth has flags, as those of `preadv2(2)`.
    AtWithFlags(FileCall),
    /// It returns a descriptor.
    Opens,
    /// The second argument is a number of requests.
    Submits,
}

/// The list.
const CALLS: &[(libc::c_long, Does)] = &[
    (libc::SYS_read, Does::There(FileCall::Read)),
    (libc::SYS_write, Does::There(FileCall::Write)),
    (libc::SYS_pread64, Does::At(FileCall::Read)),
    (libc::SYS_pwrite64, Does::At(FileCall::Write)),
    (libc::SYS_readv, Does::There(FileCall::Read)),
    (libc::SYS_writev, Does::There(FileCall::Write)),
    (libc::SYS_preadv, Does::At(FileCall::Read)),
    (libc::SYS_pwritev, Does::At(FileCall::Write)),
    (libc::SYS_preadv2, Does::AtWithFlags(FileCall::Read)),
    (libc::SYS_pwritev2, Does::AtWithFlags(FileCall::Write)),
    (libc::SYS_fsync, Does::There(FileCall::Sync)),
    (libc::SYS_fdatasync, Does::There(FileCall::Sync)),
    (libc::SYS_lseek, Does::There(FileCall::Seek)),
    (libc::SYS_openat, Does::Opens),
    // Newer architectures have only the one above.
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, Does::Opens),
    (libc::SYS_close, Does::There(FileCall::Close)),
    (libc::SYS_io_submit, Does::Submits),
];

/// Which calls are recorded: `id == 0 || id == 1`.
pub(super) fn filter() -> Option<CString> {
    let terms: Vec<String> = CALLS.iter().map(|(number, _)| format!("id == {number}")).collect();
    CString::new(terms.join(" || ")).ok()
}

/// A call begins: its number, and its six arguments.
pub(super) fn begins(values: &[u64]) -> Option<FileEventKind> {
    let [number, arguments @ ..] = values else { return None };
    let request = |call, offset, flags| {
        /// `RWF_DSYNC` and `RWF_SYNC` of `include/uapi/linux/fs.h`.
        const DURABLE: u64 = 0x2 | 0x4;
        Some(FileEventKind::Begins(FileRequest {
            call,
            descriptor: *arguments.first()? as u32,
            // preadv2(2): -1 stands for the file's own position.
            offset: Option::filter(offset, |offset| i64::try_from(*offset).is_ok()),
            durable: flags & DURABLE != 0,
        }))
    };
    match known(*number)? {
        Does::There(call) => request(call, None, 0),
        Does::At(call) => request(call, Some(*arguments.get(3)?), 0),
        Does::AtWithFlags(call) => request(call, Some(*arguments.get(3)?), *arguments.get(5)?),
        Does::Submits => Some(FileEventKind::Submits { requests: *arguments.get(1)? }),
        Does::Opens => None,
    }
}

/// A call ends: its number, and what it returns.
pub(super) fn ends(values: &[u64]) -> Option<FileEventKind> {
    let result = values.get(1)?.cast_signed();
    match known(*values.first()?)? {
        Does::There(FileCall::Close) | Does::Submits => None,
        Does::There(call) | Does::At(call) | Does::AtWithFlags(call) => {
            Some(FileEventKind::Ends { call, result })
        }
        Does::Opens => Some(FileEventKind::Ends { call: FileCall::Open, result }),
    }
}

fn known(number: u64) -> Option<Does> {
    let number = libc::c_long::try_from(number).ok()?;
    CALLS.iter().find(|(other, _)| *other == number).map(|(_, does)| *does)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(number: libc::c_long, arguments: [u64; 6]) -> Option<FileRequest> {
        match begins(&[&[number.cast_unsigned()], &arguments[..]].concat()) {
            Some(FileEventKind::Begins(request)) => Some(request),
            _ => None,
        }
    }

    #[test]
    fn a_call_has_its_descriptor_and_its_place() {
        let write = begun(libc::SYS_pwrite64, [7, 1, 512, 8192, 9, 9]);
        let expected =
            FileRequest { call: FileCall::Write, descriptor: 7, offset: Some(8192), durable: false };
        assert_eq!(write, Some(expected));
        let read = begun(libc::SYS_read, [3, 1, 512, 8192, 9, 9]);
        assert_eq!(read.map(|of| (of.call, of.offset)), Some((FileCall::Read, None)));
        assert_eq!(begun(libc::SYS_getpid, [0; 6]), None);
        assert_eq!(begun(libc::SYS_openat, [0; 6]), None, "its descriptor is what it returns");
    }

    #[test]
    fn minus_one_is_the_files_own_position() {
        let at = |offset: i64, flags| {
            let request = begun(libc::SYS_pwritev2, [3, 0, 0, offset.cast_unsigned(), 0, flags]).unwrap();
            (request.offset, request.durable)
        };
        assert_eq!((at(-1, 2), at(4096, 4), at(0, 1)), ((None, true), (Some(4096), true), (Some(0), false)));
    }

    #[test]
    fn a_call_ends_with_its_result() {
        let ended =
            |number: libc::c_long, result: i64| ends(&[number.cast_unsigned(), result.cast_unsigned()]);
        assert_eq!(ended(libc::SYS_openat, 9), Some(FileEventKind::Ends { call: FileCall::Open, result: 9 }));
        assert_eq!(
            ended(libc::SYS_fsync, -5),
            Some(FileEventKind::Ends { call: FileCall::Sync, result: -5 })
        );
        assert_eq!((ended(libc::SYS_close, 0), ended(libc::SYS_getpid, 1), ends(&[1])), (None, None, None));
    }

    #[test]
    fn no_call_is_listed_twice_and_the_filter_has_each() {
        let mut numbers: Vec<libc::c_long> = CALLS.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), CALLS.len());
        let filter = filter().unwrap().into_string().unwrap();
        assert!(
            numbers.iter().all(|number| filter.split(" || ").any(|term| term == format!("id == {number}")))
        );
    }
}
