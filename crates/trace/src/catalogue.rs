//! The tracepoints that are read, and how each becomes an event.

use crate::event::{Blocks, Call, Class, Device, Event, EventKind, Name};
use crate::format::{Field, Format};
use crate::record::Sample;
use std::collections::BTreeMap;

/// A tracepoint and what it is read for.
#[derive(Debug)]
pub struct Tracepoint {
    /// The folder and the name below `events` of tracefs: `sched/sched_switch`.
    pub path: &'static str,
    /// What Syncline cannot report without it.
    pub lost_without: LostWithout,
    fields: &'static [&'static str],
    kind: fn(&Values<'_>) -> Option<EventKind>,
}

/// What Syncline cannot report without a tracepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostWithout {
    /// No operation can be laid out.
    Everything,
    /// Where system calls begin and end.
    Calls,
    /// Which thread is the journal's.
    Journal,
    /// Which thread of this machine sent the packet that another one waited for.
    Packets,
}

/// The list.
pub const TRACEPOINTS: &[Tracepoint] = &[
    Tracepoint {
        path: "sched/sched_switch",
        lost_without: LostWithout::Everything,
        fields: &["prev_state", "next_pid", "next_comm"],
        kind: |values| {
            let (state, next) = (values.number(0)?, values.number(1)? as u32);
            let next_name = Name::read(values.bytes(2)?);
            Some(EventKind::Switched { blocked: is_blocked(state), next, next_name })
        },
    },
    Tracepoint {
        path: "sched/sched_waking",
        lost_without: LostWithout::Everything,
        fields: &["pid"],
        kind: |values| Some(EventKind::Woken(values.number(0)? as u32)),
    },
    Tracepoint {
        path: "block/block_bio_queue",
        lost_without: LostWithout::Everything,
        fields: BLOCKS,
        kind: |values| values.blocks().map(EventKind::Queued),
    },
    Tracepoint {
        path: "block/block_rq_issue",
        lost_without: LostWithout::Everything,
        fields: BLOCKS,
        kind: |values| values.blocks().map(EventKind::Issued),
    },
    Tracepoint {
        path: "block/block_rq_complete",
        lost_without: LostWithout::Everything,
        fields: BLOCKS,
        kind: |values| values.blocks().map(EventKind::Completed),
    },
    Tracepoint {
        path: "net/netif_rx",
        lost_without: LostWithout::Packets,
        fields: &[],
        kind: |_| Some(EventKind::PacketSent),
    },
    Tracepoint {
        path: "jbd2/jbd2_start_commit",
        lost_without: LostWithout::Journal,
        fields: &[],
        kind: |_| Some(EventKind::CommitBegins),
    },
    Tracepoint {
        path: "jbd2/jbd2_end_commit",
        lost_without: LostWithout::Journal,
        fields: &[],
        kind: |_| Some(EventKind::CommitEnds),
    },
    call("syscalls/sys_enter_fdatasync", |_| Some(EventKind::CallBegins(Call::Fdatasync))),
    call("syscalls/sys_exit_fdatasync", |_| Some(EventKind::CallEnds(Call::Fdatasync))),
    call("syscalls/sys_enter_fsync", |_| Some(EventKind::CallBegins(Call::Fsync))),
    call("syscalls/sys_exit_fsync", |_| Some(EventKind::CallEnds(Call::Fsync))),
    call("syscalls/sys_enter_pread64", |_| Some(EventKind::CallBegins(Call::Pread))),
    call("syscalls/sys_exit_pread64", |_| Some(EventKind::CallEnds(Call::Pread))),
    call("syscalls/sys_enter_preadv2", |_| Some(EventKind::CallBegins(Call::Preadv2))),
    call("syscalls/sys_exit_preadv2", |_| Some(EventKind::CallEnds(Call::Preadv2))),
    call("syscalls/sys_enter_pwrite64", |_| Some(EventKind::CallBegins(Call::Pwrite))),
    call("syscalls/sys_exit_pwrite64", |_| Some(EventKind::CallEnds(Call::Pwrite))),
    call("syscalls/sys_enter_pwritev2", |_| Some(EventKind::CallBegins(Call::Pwritev2))),
    call("syscalls/sys_exit_pwritev2", |_| Some(EventKind::CallEnds(Call::Pwritev2))),
    call("syscalls/sys_enter_io_uring_enter", |_| Some(EventKind::CallBegins(Call::RingEnter))),
    call("syscalls/sys_exit_io_uring_enter", |_| Some(EventKind::CallEnds(Call::RingEnter))),
];

const BLOCKS: &[&str] = &["dev", "sector", "nr_sector", "rwbs"];

const fn call(path: &'static str, kind: fn(&Values<'_>) -> Option<EventKind>) -> Tracepoint {
    Tracepoint { path, lost_without: LostWithout::Calls, fields: &[], kind }
}

/// 0 is a thread that could go on, and `TASK_REPORT_MAX` one that was preempted (`include/linux/sched.h`, since Linux
/// 4.14).
fn is_blocked(state: u64) -> bool {
    const PREEMPTED: u64 = 0x100;
    state != 0 && state & PREEMPTED == 0
}

/// The values of a record that its tracepoint names.
struct Values<'a> {
    fields: &'a [Field],
    record: &'a [u8],
}

impl Values<'_> {
    fn number(&self, index: usize) -> Option<u64> {
        self.fields.get(index)?.number(self.record)
    }

    fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.fields.get(index)?.bytes(self.record)
    }

    /// Those of [`BLOCKS`].
    fn blocks(&self) -> Option<Blocks> {
        Some(Blocks {
            device: Device(self.number(0)? as u32),
            sector: self.number(1)?,
            sectors: self.number(2)? as u32,
            class: Class::read(self.bytes(3)?),
        })
    }
}

/// Where this kernel has what is read of each tracepoint.
#[derive(Debug, Default)]
pub struct Catalogue {
    known: BTreeMap<u16, Known>,
}

#[derive(Debug)]
struct Known {
    kind: fn(&Values<'_>) -> Option<EventKind>,
    fields: Vec<Field>,
    header: Header,
}

/// What every record has.
#[derive(Clone, Copy, Debug)]
struct Header {
    number: Field,
    flags: Field,
    thread: Field,
}

impl Catalogue {
    /// Adds a tracepoint as this kernel describes it.
    ///
    /// # Errors
    /// The name of a field that this kernel's tracepoint does not have.
    pub fn add(&mut self, tracepoint: &Tracepoint, format: &Format) -> Result<(), &'static str> {
        let field = |name: &'static str| format.field(name).ok_or(name);
        let fields = tracepoint.fields.iter().map(|name| field(name)).collect::<Result<_, _>>()?;
        let header = Header {
            number: field("common_type")?,
            flags: field("common_flags")?,
            thread: field("common_pid")?,
        };
        self.known.insert(format.id, Known { kind: tracepoint.kind, fields, header });
        Ok(())
    }

    /// The event of a record; `None` if no known tracepoint wrote it, or if it is too short for its fields.
    pub fn event(&self, sample: &Sample<'_>) -> Option<Event> {
        // `trace_flag_type` of `include/linux/trace_events.h`, which programs that read such records rely on.
        const HARD_INTERRUPT: u64 = 0x08;
        const SOFT_INTERRUPT: u64 = 0x10;
        // Every record begins with its number (`struct trace_entry`).
        let number = u16::from_ne_bytes(*sample.raw.first_chunk()?);
        let known = self.known.get(&number)?;
        let header = known.header;
        if header.number.number(sample.raw)? != u64::from(number) {
            return None;
        }
        let flags = header.flags.number(sample.raw)?;
        let values = Values { fields: &known.fields, record: sample.raw };
        Some(Event {
            time_ns: sample.time_ns,
            cpu: sample.cpu,
            thread: header.thread.number(sample.raw)? as u32,
            in_interrupt: flags & (HARD_INTERRUPT | SOFT_INTERRUPT) != 0,
            kind: (known.kind)(&values)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Action;
    use proptest::prelude::*;

    const FORMATS: &[(&str, &str)] = &[
        ("sched/sched_switch", include_str!("../tests/fixtures/formats/sched_switch")),
        ("sched/sched_waking", include_str!("../tests/fixtures/formats/sched_waking")),
        ("block/block_bio_queue", include_str!("../tests/fixtures/formats/block_bio_queue")),
        ("block/block_rq_issue", include_str!("../tests/fixtures/formats/block_rq_issue")),
        ("block/block_rq_complete", include_str!("../tests/fixtures/formats/block_rq_complete")),
        ("jbd2/jbd2_start_commit", include_str!("../tests/fixtures/formats/jbd2_start_commit")),
        ("jbd2/jbd2_end_commit", include_str!("../tests/fixtures/formats/jbd2_end_commit")),
        ("syscalls/sys_enter_fdatasync", include_str!("../tests/fixtures/formats/sys_enter_fdatasync")),
        ("syscalls/sys_exit_fdatasync", include_str!("../tests/fixtures/formats/sys_exit_fdatasync")),
    ];

    fn catalogue() -> Catalogue {
        let mut catalogue = Catalogue::default();
        for (path, text) in FORMATS {
            let tracepoint = TRACEPOINTS.iter().find(|listed| listed.path == *path).unwrap();
            catalogue.add(tracepoint, &Format::read(text).unwrap()).unwrap();
        }
        catalogue
    }

    /// A record of a number, with flags, of a thread.
    fn record(number: u16, flags: u8, thread: u32, bytes: usize) -> Vec<u8> {
        let mut record = number.to_ne_bytes().to_vec();
        record.extend([flags, 0]);
        record.extend(thread.to_ne_bytes());
        record.resize(bytes, 0);
        record
    }

    fn event(raw: &[u8]) -> Option<Event> {
        catalogue().event(&Sample { process: 5, thread: 5, time_ns: 77, cpu: 1, raw })
    }

    #[test]
    fn a_request_that_an_interrupt_completed() {
        let number = Format::read(FORMATS[4].1).unwrap().id;
        let mut raw = record(number, 0x08, 42, 64);
        raw[8..12].copy_from_slice(&(254_u32 << 20).to_ne_bytes());
        raw[16..24].copy_from_slice(&339_945_928_u64.to_ne_bytes());
        raw[24..28].copy_from_slice(&8_u32.to_ne_bytes());
        raw[34..37].copy_from_slice(b"WSM");
        let class = Class { action: Action::Write, flushes_before: false, durable: false, metadata: true };
        let blocks = Blocks { device: Device::new(254, 0), sector: 339_945_928, sectors: 8, class };
        let expected =
            Event { time_ns: 77, cpu: 1, thread: 42, in_interrupt: true, kind: EventKind::Completed(blocks) };
        assert_eq!(event(&raw), Some(expected));
        assert_eq!(event(&raw[..36]), None, "too short for its fields");
    }

    #[test]
    fn a_thread_that_was_preempted_is_not_blocked() {
        let number = Format::read(FORMATS[0].1).unwrap().id;
        let blocked = |state: u64| {
            let mut raw = record(number, 0, 42, 64);
            raw[32..40].copy_from_slice(&state.to_ne_bytes());
            raw[40..44].copy_from_slice(b"make");
            raw[56..60].copy_from_slice(&9_u32.to_ne_bytes());
            match event(&raw).unwrap().kind {
                EventKind::Switched { blocked, next: 9, next_name } if next_name == Name::read(b"make") => {
                    blocked
                }
                other => panic!("{other:?}"),
            }
        };
        assert!(!blocked(0));
        assert!(!blocked(0x100));
        assert!(blocked(1) && blocked(2) && blocked(0x80));
    }

    #[test]
    fn a_tracepoint_without_a_field_is_named() {
        let format = Format::read(FORMATS[1].1).unwrap();
        let missing = Catalogue::default().add(&TRACEPOINTS[0], &format);
        assert_eq!(missing, Err("prev_state"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_event_or_none(
            number in 0_usize..FORMATS.len() + 1,
            rest in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let number = FORMATS.get(number).map_or(9999, |(_, text)| Format::read(text).unwrap().id);
            let raw = [number.to_ne_bytes().to_vec(), rest].concat();
            if let Some(event) = event(&raw) {
                prop_assert_eq!((event.time_ns, event.cpu), (77, 1));
            }
        }
    }
}
