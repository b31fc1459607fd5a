//! The tracepoints that say what a process asks of its files, and how each becomes an event.

use super::calls;
use super::file_event::{FileCall, FileEvent, FileEventKind};
use crate::catalogue::LostWithout;
use crate::event::Device;
use crate::format::{Field, Format};
use crate::record::Sample;
use std::collections::BTreeMap;
use std::ffi::CString;

/// A tracepoint and how its record is read.
#[derive(Debug)]
pub struct FileTracepoint {
    /// The folder and the name below `events` of tracefs.
    pub path: &'static str,
    /// What it is recorded for.
    pub tells: Tells,
    fields: &'static [&'static str],
    kind: fn(&[u64]) -> Option<FileEventKind>,
}

/// What a tracepoint is recorded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// Where system calls begin and end.
    Calls,
    /// Requests of an `io_uring`.
    RingRequests,
    /// Which threads and processes begin and end.
    Processes,
    /// Syncs, by the file system itself: not many of all calls are, so that they can be recorded all the time.
    Syncs,
}

impl FileTracepoint {
    /// What Syncline cannot report without it. The calls are what everything rests on (`CONFIG_FTRACE_SYSCALLS`).
    pub const fn lost_without(&self) -> LostWithout {
        match self.tells {
            Tells::Calls => LostWithout::Everything,
            Tells::RingRequests | Tells::Processes | Tells::Syncs => LostWithout::Calls,
        }
    }

    /// Which of its events are recorded.
    pub(super) fn filter(&self) -> Option<CString> {
        (self.tells == Tells::Calls).then(calls::filter).flatten()
    }
}

/// The list.
pub const FILE_TRACEPOINTS: &[FileTracepoint] = &[
    of(Tells::Calls, "raw_syscalls/sys_enter", &["id", "args"], calls::begins),
    of(Tells::Calls, "raw_syscalls/sys_exit", &["id", "ret"], calls::ends),
    of(Tells::RingRequests, "io_uring/io_uring_submit_req", &["req", "opcode"], ring_takes),
    of(Tells::RingRequests, "io_uring/io_uring_file_get", &["req", "fd"], |of| {
        Some(FileEventKind::RingFile { request: *of.first()?, descriptor: *of.get(1)? as u32 })
    }),
    of(Tells::RingRequests, "io_uring/io_uring_complete", &["req", "res"], |of| {
        Some(FileEventKind::RingCompletes { request: *of.first()?, result: signed(*of.get(1)?) })
    }),
    of(Tells::Processes, "sched/sched_process_fork", &["child_pid"], |of| {
        Some(FileEventKind::Forks { child: *of.first()? as u32 })
    }),
    of(Tells::Processes, "sched/sched_process_exit", &[], |_| {
        Some(FileEventKind::ThreadEnds { is_main: false })
    }),
    of(Tells::Syncs, "ext4/ext4_sync_file_enter", &["dev", "ino"], |of| {
        Some(FileEventKind::SyncBegins { device: Device(*of.first()? as u32), inode: *of.get(1)? })
    }),
    of(Tells::Syncs, "ext4/ext4_sync_file_exit", &["ret"], |of| {
        Some(FileEventKind::SyncEnds { result: signed(*of.first()?) })
    }),
];

const fn of(
    tells: Tells,
    path: &'static str,
    fields: &'static [&'static str],
    kind: fn(&[u64]) -> Option<FileEventKind>,
) -> FileTracepoint {
    FileTracepoint { path, tells, fields, kind }
}

/// A value that has four bytes with a sign.
const fn signed(value: u64) -> i64 {
    (value as i32) as i64
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

/// No tracepoint of the list has more numbers: that of a call and its arguments.
const NUMBERS_MAX: usize = 7;

impl FileCatalogue {
    /// Adds a tracepoint as this kernel describes it.
    ///
    /// # Errors
    /// The name of a field that this kernel's tracepoint does not have.
    pub(super) fn add(&mut self, tracepoint: &FileTracepoint, format: &Format) -> Result<(), &'static str> {
        let field = |name: &'static str| format.field(name).ok_or(name);
        let fields = tracepoint.fields.iter().map(|name| field(name)).collect::<Result<Vec<Field>, _>>()?;
        let fields = fields.into_iter().flat_map(Field::numbers).take(NUMBERS_MAX).collect();
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
        let mut values = [0; NUMBERS_MAX];
        for (value, field) in values.iter_mut().zip(&known.fields) {
            *value = field.number(sample.raw)?;
        }
        let thread = known.thread.number(sample.raw)? as u32;
        let mut kind = (known.kind)(&values[..known.fields.len().min(NUMBERS_MAX)])?;
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
    use crate::stream::FileRequest;
    use proptest::prelude::*;

    const ENTER: &str = include_str!("../../tests/fixtures/formats/raw_sys_enter");
    const SYNC: &str = include_str!("../../tests/fixtures/formats/ext4_sync_file_enter");

    fn catalogue() -> FileCatalogue {
        let mut catalogue = FileCatalogue::default();
        for (path, format) in [("raw_syscalls/sys_enter", ENTER), ("ext4/ext4_sync_file_enter", SYNC)] {
            let of = FILE_TRACEPOINTS.iter().find(|of| of.path == path).unwrap();
            catalogue.add(of, &Format::read(format).unwrap()).unwrap();
        }
        catalogue
    }

    fn event(raw: &[u8]) -> Option<FileEvent> {
        catalogue().event(&Sample { process: 4, thread: 5, time_ns: 77, cpu: 1, raw })
    }

    /// A record of thread 42.
    fn record(format: &str, bytes: usize) -> Vec<u8> {
        let mut raw = vec![0; bytes];
        raw[..2].copy_from_slice(&Format::read(format).unwrap().id.to_ne_bytes());
        raw[4..8].copy_from_slice(&42_u32.to_ne_bytes());
        raw
    }

    #[test]
    fn a_write_has_its_descriptor_and_its_place() {
        let mut raw = record(ENTER, 64);
        for (at, value) in [(8, libc::SYS_pwrite64.cast_unsigned()), (16, 7), (40, 8192)] {
            raw[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        }
        let request =
            FileRequest { call: FileCall::Write, descriptor: 7, offset: Some(8192), durable: false };
        let expected =
            FileEvent { time_ns: 77, process: 4, thread: 42, kind: FileEventKind::Begins(request) };
        assert_eq!(event(&raw), Some(expected));
        assert_eq!(event(&raw[..63]), None, "too short for its fields");
    }

    #[test]
    fn a_sync_of_the_file_system_has_the_number_of_its_file() {
        let mut raw = record(SYNC, 40);
        raw[8..12].copy_from_slice(&((254_u32 << 20) | 3).to_ne_bytes());
        raw[16..24].copy_from_slice(&1_234_567_u64.to_ne_bytes());
        let kind = FileEventKind::SyncBegins { device: Device::new(254, 3), inode: 1_234_567 };
        assert_eq!(event(&raw).map(|event| event.kind), Some(kind));
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

    proptest! {
        #[test]
        fn any_bytes_are_an_event_or_none(rest in prop::collection::vec(any::<u8>(), 0..100)) {
            let number = Format::read(ENTER).unwrap().id;
            let raw = [number.to_ne_bytes().to_vec(), rest].concat();
            if let Some(event) = event(&raw) {
                prop_assert_eq!((event.time_ns, event.process), (77, 4));
            }
        }
    }
}
