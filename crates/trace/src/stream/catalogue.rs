//! The tracepoints that say what a process asks of its files, and how each becomes an event.

use super::file_event::{FileCall, FileEvent, FileEventKind, FileRequest};
use crate::catalogue::LostWithout;
use crate::format::{Field, Format};
use crate::record::Sample;
use std::collections::BTreeMap;

/// A tracepoint and how its record is read.
#[derive(Debug)]
pub struct FileTracepoint {
    /// The folder and the name below `events` of tracefs.
    pub path: &'static str,
    fields: &'static [&'static str],
    kind: fn(&[u64]) -> Option<FileEventKind>,
}

/// Calls that every kernel has. One that has no tracepoints of them has none of any call (`CONFIG_FTRACE_SYSCALLS`).
const EVERYWHERE: [&str; 6] = ["read", "write", "pread64", "pwrite64", "fsync", "fdatasync"];

impl FileTracepoint {
    /// What Syncline cannot report without it.
    pub fn lost_without(&self) -> LostWithout {
        let call = self.path.rsplit_once("sys_enter_").or_else(|| self.path.rsplit_once("sys_exit_"));
        let is_everywhere = call.is_some_and(|(_, call)| EVERYWHERE.contains(&call));
        if is_everywhere { LostWithout::Everything } else { LostWithout::Calls }
    }
}

/// The list.
pub const FILE_TRACEPOINTS: &[FileTracepoint] = &[
    enter("syscalls/sys_enter_read", &["fd"], |of| begins(FileCall::Read, of, None)),
    exit("syscalls/sys_exit_read", |of| ends(FileCall::Read, of)),
    enter("syscalls/sys_enter_write", &["fd"], |of| begins(FileCall::Write, of, None)),
    exit("syscalls/sys_exit_write", |of| ends(FileCall::Write, of)),
    enter("syscalls/sys_enter_readv", &["fd"], |of| begins(FileCall::Read, of, None)),
    exit("syscalls/sys_exit_readv", |of| ends(FileCall::Read, of)),
    enter("syscalls/sys_enter_writev", &["fd"], |of| begins(FileCall::Write, of, None)),
    exit("syscalls/sys_exit_writev", |of| ends(FileCall::Write, of)),
    enter("syscalls/sys_enter_pread64", &["fd", "pos"], |of| begins(FileCall::Read, of, Some(1))),
    exit("syscalls/sys_exit_pread64", |of| ends(FileCall::Read, of)),
    enter("syscalls/sys_enter_pwrite64", &["fd", "pos"], |of| begins(FileCall::Write, of, Some(1))),
    exit("syscalls/sys_exit_pwrite64", |of| ends(FileCall::Write, of)),
    enter("syscalls/sys_enter_preadv", &["fd", "pos_l"], |of| begins(FileCall::Read, of, Some(1))),
    exit("syscalls/sys_exit_preadv", |of| ends(FileCall::Read, of)),
    enter("syscalls/sys_enter_pwritev", &["fd", "pos_l"], |of| begins(FileCall::Write, of, Some(1))),
    exit("syscalls/sys_exit_pwritev", |of| ends(FileCall::Write, of)),
    enter("syscalls/sys_enter_preadv2", &["fd", "pos_l", "flags"], |of| begins(FileCall::Read, of, Some(1))),
    exit("syscalls/sys_exit_preadv2", |of| ends(FileCall::Read, of)),
    enter("syscalls/sys_enter_pwritev2", &["fd", "pos_l", "flags"], |of| {
        begins(FileCall::Write, of, Some(1))
    }),
    exit("syscalls/sys_exit_pwritev2", |of| ends(FileCall::Write, of)),
    enter("syscalls/sys_enter_fdatasync", &["fd"], |of| begins(FileCall::Sync, of, None)),
    exit("syscalls/sys_exit_fdatasync", |of| ends(FileCall::Sync, of)),
    enter("syscalls/sys_enter_fsync", &["fd"], |of| begins(FileCall::Sync, of, None)),
    exit("syscalls/sys_exit_fsync", |of| ends(FileCall::Sync, of)),
    enter("syscalls/sys_enter_lseek", &["fd"], |of| begins(FileCall::Seek, of, None)),
    exit("syscalls/sys_exit_lseek", |of| ends(FileCall::Seek, of)),
    exit("syscalls/sys_exit_openat", |of| ends(FileCall::Open, of)),
    exit("syscalls/sys_exit_open", |of| ends(FileCall::Open, of)),
    enter("syscalls/sys_enter_close", &["fd"], |of| begins(FileCall::Close, of, None)),
    enter("syscalls/sys_enter_io_submit", &["nr"], |of| {
        Some(FileEventKind::Submits { requests: *of.first()? })
    }),
    enter("io_uring/io_uring_submit_req", &["req", "opcode"], ring_takes),
    enter("io_uring/io_uring_file_get", &["req", "fd"], |of| {
        Some(FileEventKind::RingFile { request: *of.first()?, descriptor: *of.get(1)? as u32 })
    }),
    enter("io_uring/io_uring_complete", &["req", "res"], |of| {
        // Four bytes with a sign.
        Some(FileEventKind::RingCompletes { request: *of.first()?, result: (*of.get(1)? as i32).into() })
    }),
    enter("sched/sched_process_fork", &["child_pid"], |of| {
        Some(FileEventKind::Forks { child: *of.first()? as u32 })
    }),
    enter("sched/sched_process_exit", &[], |_| Some(FileEventKind::ThreadEnds { is_main: false })),
];

const fn enter(
    path: &'static str,
    fields: &'static [&'static str],
    kind: fn(&[u64]) -> Option<FileEventKind>,
) -> FileTracepoint {
    FileTracepoint { path, fields, kind }
}

const fn exit(path: &'static str, kind: fn(&[u64]) -> Option<FileEventKind>) -> FileTracepoint {
    FileTracepoint { path, fields: &["ret"], kind }
}

/// The descriptor is the first value, the flags of `preadv2(2)` the third.
fn begins(call: FileCall, values: &[u64], offset: Option<usize>) -> Option<FileEventKind> {
    /// `RWF_DSYNC` and `RWF_SYNC` of `include/uapi/linux/fs.h`.
    const DURABLE: u64 = 0x2 | 0x4;
    let offset = offset.and_then(|place| values.get(place)).copied();
    Some(FileEventKind::Begins(FileRequest {
        call,
        descriptor: *values.first()? as u32,
        // preadv2(2): -1 stands for the file's own position.
        offset: offset.filter(|offset| i64::try_from(*offset).is_ok()),
        durable: values.get(2).is_some_and(|flags| flags & DURABLE != 0),
    }))
}

fn ends(call: FileCall, values: &[u64]) -> Option<FileEventKind> {
    Some(FileEventKind::Ends { call, result: values.first()?.cast_signed() })
}

/// The codes of `enum io_uring_op` (`include/uapi/linux/io_uring.h`) that read, write and sync.
fn ring_takes(values: &[u64]) -> Option<FileEventKind> {
    let call = match *values.get(1)? {
        1 | 4 | 22 => FileCall::Read,
        2 | 5 | 23 => FileCall::Write,
        3 => FileCall::Sync,
        _ => return None,
    };
    Some(FileEventKind::RingTakes { request: *values.first()?, call, durable: false })
}

/// Where this kernel has what is read of each tracepoint.
#[derive(Debug, Default)]
pub(super) struct FileCatalogue {
    known: BTreeMap<u16, Known>,
}

#[derive(Debug)]
struct Known {
    kind: fn(&[u64]) -> Option<FileEventKind>,
    fields: Vec<Field>,
    thread: Field,
}

/// No tracepoint of the list has more fields.
const FIELDS_MAX: usize = 4;

impl FileCatalogue {
    /// Adds a tracepoint as this kernel describes it.
    ///
    /// # Errors
    /// The name of a field that this kernel's tracepoint does not have.
    pub(super) fn add(&mut self, tracepoint: &FileTracepoint, format: &Format) -> Result<(), &'static str> {
        let field = |name: &'static str| format.field(name).ok_or(name);
        let fields = tracepoint.fields.iter().map(|name| field(name)).collect::<Result<_, _>>()?;
        let thread = field("common_pid")?;
        self.known.insert(format.id, Known { kind: tracepoint.kind, fields, thread });
        Ok(())
    }

    /// Whether one of these tracepoints wrote a record.
    pub(super) fn is_known(&self, sample: &Sample<'_>) -> bool {
        number(sample).is_some_and(|number| self.known.contains_key(&number))
    }

    /// The event of a record; `None` if it is none that concerns files, or too short.
    pub(super) fn event(&self, sample: &Sample<'_>) -> Option<FileEvent> {
        let known = self.known.get(&number(sample)?)?;
        let mut values = [0; FIELDS_MAX];
        for (value, field) in values.iter_mut().zip(&known.fields) {
            *value = field.number(sample.raw)?;
        }
        let thread = known.thread.number(sample.raw)? as u32;
        let mut kind = (known.kind)(&values[..known.fields.len().min(FIELDS_MAX)])?;
        if let FileEventKind::ThreadEnds { is_main } = &mut kind {
            *is_main = sample.process == sample.thread;
        }
        // The number of a child is the kernel's own: in another name space of processes it is another one's.
        if matches!(kind, FileEventKind::Forks { .. }) && sample.thread != thread {
            return None;
        }
        Some(FileEvent {
            time_ns: sample.time_ns,
            // For processes outside this name space the kernel gives 0 or -1.
            process: if sample.process as i32 > 0 { sample.process } else { 0 },
            thread,
            kind,
        })
    }
}

/// Every record begins with its number (`struct trace_entry`).
fn number(sample: &Sample<'_>) -> Option<u16> {
    Some(u16::from_ne_bytes(*sample.raw.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PWRITE: &str = include_str!("../../tests/fixtures/formats/sys_enter_pwrite64");

    fn catalogue() -> FileCatalogue {
        let mut catalogue = FileCatalogue::default();
        let of = FILE_TRACEPOINTS.iter().find(|of| of.path.ends_with("enter_pwrite64")).unwrap();
        catalogue.add(of, &Format::read(PWRITE).unwrap()).unwrap();
        catalogue
    }

    fn event(raw: &[u8]) -> Option<FileEvent> {
        catalogue().event(&Sample { process: 4, thread: 5, time_ns: 77, cpu: 1, raw })
    }

    #[test]
    fn a_write_has_its_descriptor_and_its_place() {
        let mut raw = vec![0; 48];
        raw[..2].copy_from_slice(&Format::read(PWRITE).unwrap().id.to_ne_bytes());
        raw[4..8].copy_from_slice(&42_u32.to_ne_bytes());
        raw[16..24].copy_from_slice(&7_u64.to_ne_bytes());
        raw[40..48].copy_from_slice(&8192_u64.to_ne_bytes());
        let request =
            FileRequest { call: FileCall::Write, descriptor: 7, offset: Some(8192), durable: false };
        let expected =
            FileEvent { time_ns: 77, process: 4, thread: 42, kind: FileEventKind::Begins(request) };
        assert_eq!(event(&raw), Some(expected));
        assert_eq!(event(&raw[..47]), None, "too short for its fields");
    }

    #[test]
    fn minus_one_is_the_files_own_position() {
        let at = |offset: i64| match begins(FileCall::Read, &[3, offset as u64, 2], Some(1)) {
            Some(FileEventKind::Begins(request)) => (request.offset, request.durable),
            other => panic!("{other:?}"),
        };
        assert_eq!((at(-1), at(4096)), ((None, true), (Some(4096), true)));
    }

    #[test]
    fn only_reads_writes_and_syncs_of_a_ring_are_events() {
        let call = |code| match ring_takes(&[9, code]) {
            Some(FileEventKind::RingTakes { call, .. }) => Some(call),
            _ => None,
        };
        let expected = [Some(FileCall::Read), Some(FileCall::Write), Some(FileCall::Sync), None];
        assert_eq!([call(22), call(23), call(3), call(13)], expected);
    }

    /// In a name space of processes, a child's number was taken for that of another process there.
    #[test]
    fn a_child_is_known_by_its_number_only_where_that_is_the_kernels_own() {
        const FORK: &str = include_str!("../../tests/fixtures/formats/sched_process_fork");
        let of = FILE_TRACEPOINTS.iter().find(|of| of.path.ends_with("process_fork")).unwrap();
        let (mut catalogue, format) = (FileCatalogue::default(), Format::read(FORK).unwrap());
        catalogue.add(of, &format).unwrap();
        let mut raw = vec![0; 64];
        raw[..2].copy_from_slice(&format.id.to_ne_bytes());
        raw[4..8].copy_from_slice(&42_u32.to_ne_bytes());
        let kind = |thread| {
            let sample = Sample { process: thread, thread, time_ns: 1, cpu: 0, raw: &raw };
            catalogue.event(&sample).map(|event| event.kind)
        };
        assert_eq!((kind(42), kind(7)), (Some(FileEventKind::Forks { child: 0 }), None));
    }

    #[test]
    fn what_every_kernel_has_is_required() {
        let required = FILE_TRACEPOINTS.iter().filter(|of| of.lost_without() == LostWithout::Everything);
        assert_eq!(required.count(), 2 * EVERYWHERE.len());
    }

    #[test]
    fn no_tracepoint_has_more_fields_than_are_read() {
        assert!(FILE_TRACEPOINTS.iter().all(|of| of.fields.len() <= FIELDS_MAX));
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_event_or_none(rest in prop::collection::vec(any::<u8>(), 0..100)) {
            let number = Format::read(PWRITE).unwrap().id;
            let raw = [number.to_ne_bytes().to_vec(), rest].concat();
            if let Some(event) = event(&raw) {
                prop_assert_eq!((event.time_ns, event.process), (77, 4));
            }
        }
    }
}
