//! Events of processes that are made up, and what is seen of them.

use super::*;
use crate::layout::Role;
use crate::missing::MissingTracepoint;
use crate::observation::{Observation, Writer};
use crate::system::{Disk, DiskCounters, FoundFile, Opened};
use model::traced::Stage;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use trace::{Blocks, Device, Event, EventKind, KernelThreads};

const POSTMASTER: u32 = 100;
const BACKEND: u32 = 101;
const STRANGER: u32 = 900;
const DISK: Device = Device(254 << 20);
const LOG: u32 = 7;
const DATA: u32 = 8;
const SOCKET: u32 = 9;

/// A PostgreSQL in `/pg`, whose processes are a postmaster and its child, and a stranger.
#[derive(Default)]
struct Fake {
    files: BTreeMap<(u32, u32), FoundFile>,
}

fn found(path: &str, inode: u64) -> FoundFile {
    FoundFile { process: 1, path: path.into(), device: 1, inode, is_regular: true, opened: Opened::default() }
}

impl Fake {
    fn new() -> Self {
        let mut fake = Self::default();
        for process in [BACKEND, STRANGER] {
            fake.files.insert((process, LOG), found("/pg/pg_wal/000000010000000000000001", 1));
            fake.files.insert((process, DATA), found("/pg/base/5/16384", 2));
            let socket = FoundFile { is_regular: false, ..found("socket:[7]", 3) };
            fake.files.insert((process, SOCKET), socket);
        }
        fake
    }
}

impl System for Fake {
    fn file(&self, process: u32, descriptor: u32) -> Option<FoundFile> {
        self.files.get(&(process, descriptor)).cloned()
    }

    fn open_file(&self, process: u32, device: Device, inode: u64) -> Option<FoundFile> {
        let of = |(owner, _): &(u32, u32)| *owner == process && device == DISK;
        let mut files = self.files.iter().filter(|(descriptor, _)| of(descriptor)).map(|(_, file)| file);
        files.find(|file| file.inode == inode).cloned()
    }

    fn has_native_calls(&self, _: u32) -> bool {
        true
    }

    fn disk_counters(&self) -> BTreeMap<Device, DiskCounters> {
        BTreeMap::new()
    }

    fn parent(&self, process: u32) -> Option<u32> {
        match process {
            BACKEND => Some(POSTMASTER),
            POSTMASTER | STRANGER => Some(1),
            _ => None,
        }
    }

    fn groups(&self, process: u32) -> Option<String> {
        (process == BACKEND).then(|| "0::/system.slice/postgresql.service\n".to_owned())
    }

    fn name(&self, _: u32) -> Option<String> {
        Some("postgres".to_owned())
    }

    fn thread_name(&self, thread: u32) -> Option<String> {
        self.name(thread)
    }

    fn exists(&self, _: u32, path: &Path) -> bool {
        ["/pg/PG_VERSION", "/pg/global"].iter().any(|there| Path::new(there) == path)
    }

    fn is_below(&self, file: &FoundFile, directory: &Path) -> bool {
        file.path.starts_with(directory)
    }

    fn disk(&self, _: &FoundFile) -> Option<Disk> {
        Some(Disk { name: "vda".to_owned(), device: DISK })
    }

    fn disk_of_partition(&self, _: Device) -> Option<Device> {
        None
    }
}

fn event(time_ns: u64, process: u32, kind: FileEventKind) -> StreamEvent {
    StreamEvent::File(FileEvent { time_ns, process, thread: process, kind })
}

/// A call that takes some time.
fn call(
    process: u32,
    call: FileCall,
    (descriptor, offset): (u32, Option<u64>),
    result: i64,
    (from_ns, to_ns): (u64, u64),
) -> [StreamEvent; 2] {
    let request = FileRequest { call, descriptor, offset, durable: false };
    [
        event(from_ns, process, FileEventKind::Begins(request)),
        event(to_ns, process, FileEventKind::Ends { call, result }),
    ]
}

/// What is seen of events in a second.
fn observe(target: Target, events: Vec<StreamEvent>) -> Observation {
    let system = Fake::new();
    let mut observer = Observer::new(target, &system, KernelThreads::default(), 0, Some(900_000));
    observer.take(&Batch { events, until_ns: 1_000_000_000, lost: 0, ..Batch::default() });
    observer.finish(Vec::new())
}

/// Two commits of a backend, each of two writes, beside a stranger.
fn commits() -> Vec<StreamEvent> {
    let write = |offset, at| call(BACKEND, FileCall::Write, (LOG, Some(offset)), 8192, (at, at + 10_000));
    let sync = |at| call(BACKEND, FileCall::Sync, (LOG, None), 0, (at, at + 1_000_000));
    let read = call(BACKEND, FileCall::Read, (DATA, Some(0)), 8192, (3_000_000, 3_100_000));
    let strange = call(STRANGER, FileCall::Write, (LOG, Some(0)), 100, (4_000_000, 4_000_100));
    let answer = call(BACKEND, FileCall::Write, (SOCKET, None), 20, (5_000_000, 5_000_100));
    let rest = [write(16384, 6_000_000), write(24576, 6_100_000), sync(6_200_000)];
    [write(0, 0), write(8192, 100_000), sync(200_000), read, strange, answer]
        .into_iter()
        .chain(rest)
        .flatten()
        .collect()
}

#[test]
fn commits_are_writes_and_syncs_of_the_log() {
    let seen = observe(Target::Process(POSTMASTER), commits());
    let [reads, writes, syncs] = &seen.classes[..] else { panic!("{seen:#?}") };
    assert_eq!((reads.operations, writes.operations, syncs.operations), (1, 4, 2));
    assert_eq!((writes.sequential_share, writes.sizes[0].bytes), (Some(1.0), 8192));
    assert_eq!((syncs.depth_by_littles_law, syncs.depth_counted), (0.002, 0.002));
    assert_eq!((syncs.busy_share, syncs.depth_max), (0.002, 1));
    // The first sync of a file has none before it.
    let between = (seen.syncs.log_bytes_between_mean, seen.syncs.log_writes_between_mean);
    assert_eq!(between, (Some(16384.0), Some(2.0)));
    assert_eq!(seen.databases, [("PostgreSQL".to_owned(), "/pg".to_owned())]);
    let roles: Vec<(Role, usize)> = seen.roles.iter().map(|of| (of.role, of.files)).collect();
    assert_eq!(roles, [(Role::Log, 1), (Role::Data, 1)]);
    assert_eq!((seen.files[0].syncs, seen.files[0].bytes_written), (2, 4 * 8192));
    assert_eq!(seen.processes, 1);
}

#[test]
fn a_target_decides_whose_operations_count() {
    let writes = |target| {
        let seen = observe(target, commits());
        seen.class(Class::Write).map_or(0, |of| of.operations)
    };
    assert_eq!(writes(Target::Process(POSTMASTER)), 4);
    assert_eq!(writes(Target::Process(STRANGER)), 1);
    assert_eq!(writes(Target::Unit("postgresql.service".to_owned())), 4);
    assert_eq!(writes(Target::Directory("/pg".into())), 5, "of every process");
    assert_eq!(writes(Target::Directory("/pg/base".into())), 0);
    assert_eq!(writes(Target::Device(Disk { name: "vda".to_owned(), device: DISK })), 5);
    assert_eq!(writes(Target::Device(Disk { name: "vdb".to_owned(), device: Device(1) })), 0);
}

/// In a container, the processes of the machine have no numbers.
#[test]
fn calls_of_processes_outside_a_container_are_counted() {
    let outside = |target| {
        let seen = observe(target, call(0, FileCall::Write, (LOG, Some(0)), 100, (1, 2)).to_vec());
        (seen.classes.len(), seen.not_seen.outside_calls)
    };
    assert_eq!(outside(Target::Directory("/pg".into())), (0, 1));
    assert_eq!(outside(Target::Process(POSTMASTER)), (0, 0));
}

/// A backend may have ended before anybody could ask whose child it is.
#[test]
fn a_child_that_is_gone_belongs_to_its_parent() {
    const CHILD: u32 = 555;
    let mut events = call(BACKEND, FileCall::Read, (DATA, Some(0)), 1, (1, 2)).to_vec();
    events.push(event(3, BACKEND, FileEventKind::Forks { child: CHILD }));
    events.extend(call(CHILD, FileCall::Write, (LOG, Some(0)), 8192, (4, 5)));
    events.extend(call(CHILD, FileCall::Write, (SOCKET, None), 20, (6, 7)));
    events.extend(call(777, FileCall::Write, (LOG, Some(0)), 8192, (8, 9)));
    let seen = observe(Target::Process(POSTMASTER), events);
    assert_eq!(seen.class(Class::Write).unwrap().operations, 1);
    assert_eq!((seen.not_seen.operations_on_other_files, seen.not_seen.unnamed_calls), (1, 1));
}

#[test]
fn a_call_that_fails_or_finds_the_end_is_no_operation() {
    let failed = call(BACKEND, FileCall::Write, (LOG, Some(0)), -28, (1, 2));
    let end = call(BACKEND, FileCall::Read, (DATA, Some(1 << 40)), 0, (3, 4));
    let seen = observe(Target::Process(POSTMASTER), failed.into_iter().chain(end).collect());
    assert_eq!((seen.class(Class::Read).is_none(), seen.class(Class::Write).unwrap().failed), (true, 1));
    assert_eq!(seen.class(Class::Write).unwrap().operations, 0);
}

#[test]
fn a_call_that_has_not_ended_is_told() {
    let mut events = call(BACKEND, FileCall::Sync, (LOG, None), 0, (1, 2)).to_vec();
    let [begins, _] = call(BACKEND, FileCall::Sync, (LOG, None), 0, (500_000_000, 0));
    events.push(begins);
    let seen = observe(Target::Process(POSTMASTER), events);
    assert_eq!((seen.not_seen.unfinished, seen.not_seen.unfinished_longest_us), (1, 500_000.0));
    assert!(seen.class(Class::Sync).unwrap().depth_counted > 0.5, "it counts among those in flight");
}

#[test]
fn a_descriptor_is_looked_up_again_after_it_was_closed() {
    let system = Fake::new();
    let mut observer =
        Observer::new(Target::Process(POSTMASTER), &system, KernelThreads::default(), 0, Some(900_000));
    let write = |at| call(BACKEND, FileCall::Write, (LOG, Some(0)), 1, (at, at + 1));
    observer.take(&Batch { events: write(1).to_vec(), until_ns: 10, lost: 0, ..Batch::default() });
    let mut later = Fake::new();
    later.files.insert((BACKEND, LOG), found("/pg/base/5/1", 77));
    observer.system = &later;
    observer.take(&Batch { events: write(11).to_vec(), until_ns: 20, lost: 0, ..Batch::default() });
    let [closes, _] = call(BACKEND, FileCall::Close, (LOG, None), 0, (21, 22));
    let events = [vec![closes], write(23).to_vec()].concat();
    observer.take(&Batch { events, until_ns: 1_000_000_000, lost: 3, ..Batch::default() });
    let seen = observer.finish(Vec::new());
    let writes: Vec<u64> = seen.files.iter().map(|of| of.writes).collect();
    assert_eq!((writes, seen.not_seen.lost_records), (vec![2, 1], 3));
}

/// PostgreSQL reads a file when a session begins, closes it, and opens a table as the same descriptor. The reads
/// counted as reads of the table.
#[test]
fn a_descriptor_that_was_closed_since_is_not_looked_up() {
    let read = |at, offset| call(BACKEND, FileCall::Read, (DATA, offset), 4096, (at, at + 1));
    let [closes, _] = call(BACKEND, FileCall::Close, (DATA, None), 0, (20, 21));
    let events = [read(10, None).to_vec(), vec![closes], read(30, Some(0)).to_vec()].concat();
    let seen = observe(Target::Process(POSTMASTER), events);
    assert_eq!((seen.class(Class::Read).unwrap().operations, seen.not_seen.unnamed_calls), (1, 1));
}

#[test]
fn requests_of_a_ring_are_operations() {
    const REQUEST: u64 = 0xFFFF_8881_0000_0000;
    let takes = FileEventKind::RingTakes { request: REQUEST, call: FileCall::Read, durable: false };
    let file = FileEventKind::RingFile { request: REQUEST, descriptor: DATA };
    let completes = FileEventKind::RingCompletes { request: REQUEST, result: 4096 };
    let events =
        vec![event(1_000, BACKEND, takes), event(1_010, BACKEND, file), event(2_000, STRANGER, completes)];
    for target in [Target::Process(POSTMASTER), Target::Directory("/pg".into())] {
        let seen = observe(target, events.clone());
        let reads = seen.class(Class::Read).unwrap();
        assert_eq!((reads.operations, reads.sizes[0].bytes, seen.files[0].reads), (1, 4096, 1));
    }
    let elsewhere = observe(Target::Directory("/etc".into()), events);
    assert!(elsewhere.classes.is_empty());
}

#[test]
fn the_time_of_a_sync_is_explained() {
    let traced = |time_ns, thread, in_interrupt, kind| {
        StreamEvent::Traced(Event { time_ns, cpu: 0, thread, in_interrupt, kind })
    };
    let blocks = |class: &str| Blocks {
        device: DISK,
        sector: 800,
        sectors: 8,
        class: trace::Class::read(class.as_bytes()),
    };
    let [begins, ends] = call(BACKEND, FileCall::Sync, (LOG, None), 0, (10, 150));
    let next_name = trace::Name::default();
    let events = vec![
        begins,
        traced(30, BACKEND, false, EventKind::Queued(blocks("WS"))),
        traced(35, BACKEND, false, EventKind::Issued(blocks("WS"))),
        traced(40, BACKEND, false, EventKind::Switched { blocked: true, next: STRANGER, next_name }),
        traced(100, STRANGER, true, EventKind::Completed(blocks("WS"))),
        traced(105, STRANGER, true, EventKind::Woken(BACKEND)),
        traced(140, STRANGER, false, EventKind::Switched { blocked: false, next: BACKEND, next_name }),
        ends,
    ];
    let seen = observe(Target::Process(POSTMASTER), events);
    let [sync] = &seen.explanations[..] else { panic!("{seen:#?}") };
    assert_eq!((sync.class, sync.operations, sync.slowest_operations), (Class::Sync, 1, 1));
    let parts = |parts: &[crate::Part]| -> Vec<(Stage, f64)> {
        parts.iter().map(|part| (part.segment.stage, part.mean_us)).collect()
    };
    let expected = [
        (Stage::FileSystem, 0.02),
        (Stage::Device, 0.065),
        (Stage::Completion, 0.005),
        (Stage::RunQueue, 0.035),
    ];
    let laid = parts(&sync.parts);
    for (stage, mean_us) in expected {
        let found = laid.iter().find(|(name, _)| *name == stage).unwrap_or_else(|| panic!("{laid:?}"));
        assert!((found.1 - mean_us).abs() < 0.011, "{laid:?}");
    }
    assert_eq!(parts(&sync.slowest_parts), laid);
    let [writes] = &seen.devices[..] else { panic!("{:#?}", seen.devices) };
    assert_eq!((writes.disk.as_str(), writes.requests.as_str()), ("vda", "writes"));
}

const MS: u64 = 1_000_000;

fn window(at_ms: u64, opens: bool) -> StreamEvent {
    StreamEvent::Window { time_ns: at_ms * MS, opens }
}

/// A sync that the file system reports, of the file with this number.
fn reported(process: u32, inode: u64, (from_ms, to_ms): (u64, u64)) -> [StreamEvent; 2] {
    [
        event(from_ms * MS, process, FileEventKind::SyncBegins { device: DISK, inode }),
        event(to_ms * MS, process, FileEventKind::SyncEnds { result: 0 }),
    ]
}

/// What is seen of events in ten seconds.
fn observe_in_windows(events: Vec<StreamEvent>) -> Observation {
    let system = Fake::new();
    let mut observer = Observer::new(Target::Process(POSTMASTER), &system, KernelThreads::default(), 0, None);
    observer.take(&Batch { events, until_ns: 10_000 * MS, ..Batch::default() });
    observer.finish(Vec::new())
}

#[test]
fn rates_are_those_of_the_windows() {
    let read = |at_ms: u64, to_ms: u64| {
        call(BACKEND, FileCall::Read, (DATA, Some(at_ms * 8192)), 8192, (at_ms * MS, to_ms * MS))
    };
    let events = [
        read(10, 20).to_vec(),
        // It ends after the window, and another one begins before the next window.
        read(240, 260).to_vec(),
        vec![window(250, false)],
        read(300, 310).to_vec(),
        read(4_999, 5_001).to_vec(),
        vec![window(5_000, true)],
        read(5_010, 5_020).to_vec(),
        read(5_100, 5_110).to_vec(),
        vec![window(5_250, false), window(5_251, false)],
    ];
    let mut events = events.concat();
    events.sort_by_key(StreamEvent::time_ns);
    let seen = observe_in_windows(events);
    let reads = seen.class(Class::Read).unwrap();
    assert_eq!((reads.operations, reads.operations_per_s, reads.seen_share), (3, 6.0, 0.05));
    assert_eq!((seen.recording.windows, seen.recording.seconds), (Some(2), 0.5));
    // 10 ms each of 500, and 10 ms of one whose end was not seen.
    assert!((reads.depth_by_littles_law - 0.06).abs() < 1e-9, "{reads:?}");
    assert!((reads.depth_counted - 0.08).abs() < 1e-9, "{reads:?}");
    assert_eq!((seen.files[0].reads, seen.files[0].reads_per_s), (3, 6.0));
    assert_eq!(seen.not_seen.unfinished, 0);
    // The first read of a window follows none.
    assert_eq!(reads.sequential_share, Some(0.0));
    let slots = &seen.over_time.classes[0].operations_per_s;
    assert_eq!((slots.len(), slots.iter().flatten().count()), (40, 2));
}

/// A slow sync between windows was never seen.
#[test]
fn a_file_system_reports_syncs_all_the_time() {
    let written =
        [8192; 2].map(|bytes| call(BACKEND, FileCall::Write, (LOG, Some(0)), bytes, (2 * MS, 3 * MS)));
    let [begins, ends] = call(BACKEND, FileCall::Sync, (LOG, None), 0, (10 * MS, 20 * MS));
    let [reported_begins, reported_ends] = reported(BACKEND, 1, (11, 19));
    let events = [
        written[0].to_vec(),
        // One that is seen as a call too.
        vec![begins, reported_begins, reported_ends, ends],
        written[1].iter().map(|event| later(event, 30)).collect(),
        reported(BACKEND, 1, (40, 50)).to_vec(),
        // One that ends after the window.
        reported(BACKEND, 1, (240, 260)).to_vec(),
        vec![window(250, false)],
        reported(BACKEND, 1, (2_000, 2_900)).to_vec(),
        // The first is for a file that is not known yet, then one that nobody has open any more, and a stranger's.
        reported(BACKEND, 2, (3_000, 3_001)).to_vec(),
        reported(BACKEND, 77, (3_100, 3_101)).to_vec(),
        reported(STRANGER, 1, (3_200, 3_201)).to_vec(),
        vec![window(5_000, true)],
    ];
    let mut events = events.concat();
    events.sort_by_key(StreamEvent::time_ns);
    let seen = observe_in_windows(events);
    let syncs = seen.class(Class::Sync).unwrap();
    assert_eq!((syncs.operations, syncs.operations_per_s, syncs.seen_share), (6, 0.6, 1.0));
    assert!(syncs.latency.is_some_and(|of| (of.max_us / 900_000.0 - 1.0).abs() < 0.01), "{syncs:?}");
    assert_eq!((syncs.depth_max, syncs.operations_per_s_interval), (1, None));
    assert_eq!(seen.syncs.log_bytes_between_mean, Some(8192.0), "of the second one");
    let syncs: BTreeMap<&str, u64> = seen.files.iter().map(|of| (of.path.as_str(), of.syncs)).collect();
    let expected = [("/pg/base/5/16384", 1), ("/pg/pg_wal/000000010000000000000001", 4), ("other files", 1)];
    assert_eq!(syncs, BTreeMap::from(expected));
}

fn later(event: &StreamEvent, ms: u64) -> StreamEvent {
    match *event {
        StreamEvent::File(event) => {
            StreamEvent::File(FileEvent { time_ns: event.time_ns + ms * MS, ..event })
        }
        other => other,
    }
}

/// The file system syncs what is written durably, and each such write counted as a sync too.
#[test]
fn a_durable_write_is_no_sync() {
    let write = |at_ms: u64| {
        let request = FileRequest { call: FileCall::Write, descriptor: LOG, offset: Some(0), durable: true };
        let ends = FileEventKind::Ends { call: FileCall::Write, result: 8192 };
        let [begins, ends] = [
            event(at_ms * MS, BACKEND, FileEventKind::Begins(request)),
            event((at_ms + 10) * MS, BACKEND, ends),
        ];
        let [sync_begins, sync_ends] = reported(BACKEND, 1, (at_ms + 2, at_ms + 9));
        [begins, sync_begins, sync_ends, ends]
    };
    let events = [
        write(10).to_vec(),
        write(30).to_vec(),
        vec![window(250, false)],
        reported(BACKEND, 1, (1_000, 1_010)).to_vec(),
    ];
    let seen = observe_in_windows(events.concat());
    assert!(seen.class(Class::Sync).is_none(), "{:#?}", seen.classes);
    assert!((seen.syncs.durable_writes_per_s - 8.0).abs() < 1e-9, "{:?}", seen.syncs);
}

/// A ring's worker thread does what was requested from the ring.
#[test]
fn a_sync_of_a_ring_counts_once() {
    const WORKER: u32 = 4242;
    let of_worker = |event: StreamEvent| match event {
        StreamEvent::File(event) => StreamEvent::File(FileEvent { thread: WORKER, ..event }),
        other => other,
    };
    let takes = FileEventKind::RingTakes { request: 9, call: FileCall::Sync, durable: false };
    let file = FileEventKind::RingFile { request: 9, descriptor: LOG };
    let completes = FileEventKind::RingCompletes { request: 9, result: 0 };
    let [begins, ends] = reported(BACKEND, 1, (12, 18)).map(of_worker);
    let events = vec![
        event(10 * MS, BACKEND, takes),
        event(11 * MS, BACKEND, file),
        begins,
        ends,
        event(20 * MS, BACKEND, completes),
    ];
    assert_eq!(observe_in_windows(events).class(Class::Sync).unwrap().operations, 1);
}

/// A caller that was too slow while a window was closed had the operations behind it explained without their events.
#[test]
fn only_operations_in_a_window_are_explained() {
    let system = Fake::new();
    let mut observer = Observer::new(Target::Process(POSTMASTER), &system, KernelThreads::default(), 0, None);
    let mut take = |at_ms: u64, marks: Vec<StreamEvent>| {
        let mut events = [reported(BACKEND, 1, (at_ms, at_ms + 1)).to_vec(), marks].concat();
        events.sort_by_key(StreamEvent::time_ns);
        observer.take(&Batch { events, until_ns: (at_ms + 5) * MS, ..Batch::default() });
        let explanation = observer.explained.explanation(Class::Sync);
        explanation.map_or(0, |of| of.operations)
    };
    assert_eq!(take(10, vec![window(14, false)]), 1);
    assert_eq!(take(20, Vec::new()), 1);
    assert_eq!(take(1100, Vec::new()), 1, "it is laid once a second");
    // A slow caller gets the beginning and the end of a window together.
    assert_eq!(take(2200, vec![window(2190, true), window(2204, false)]), 2);
    assert_eq!(take(3000, vec![window(2999, true), window(3000, false)]), 2, "it ends after the window");
}

/// A neighbour writes while a commit waits.
#[test]
fn a_spike_is_kept_with_those_who_wrote_meanwhile() {
    const NEIGHBOUR: u32 = 800;
    let queued = |time_ns, thread, sectors| {
        let class = trace::Class::read(b"WS");
        let blocks = Blocks { device: DISK, sector: 8, sectors, class };
        let kind = EventKind::Queued(blocks);
        StreamEvent::Traced(Event { time_ns, cpu: 0, thread, in_interrupt: false, kind })
    };
    let mut events = commits();
    events.extend([
        queued(300_000, BACKEND, 8),
        queued(310_000, NEIGHBOUR, 2048),
        queued(320_000, NEIGHBOUR, 8),
    ]);
    events.sort_by_key(StreamEvent::time_ns);
    let seen = observe(Target::Process(POSTMASTER), events);
    let spikes = seen.spikes.as_ref().unwrap();
    let [first, second] = &spikes.slowest[..] else { panic!("{spikes:#?}") };
    assert_eq!((spikes.seen, first.class, first.latency_us), (2, Class::Sync, 1000.0));
    assert!(first.at_s < second.at_s && first.path.ends_with("000000010000000000000001"));
    let expected = Writer { thread: NEIGHBOUR, name: "postgres".to_owned(), requests: 2, bytes: 2056 * 512 };
    assert_eq!((&first.others[..], second.others.len()), (&[expected][..], 0));
}

#[test]
fn the_number_of_spikes_that_are_kept_is_bounded() {
    let sync = |at: u64| {
        let from_ns = at * 2_000_000;
        call(BACKEND, FileCall::Sync, (LOG, None), 0, (from_ns, from_ns + 1_000_000 + at))
    };
    let seen = observe(Target::Process(POSTMASTER), (1..=300).flat_map(sync).collect());
    let spikes = seen.spikes.unwrap();
    assert_eq!((spikes.seen, spikes.slowest.len()), (300, 100));
    let least = spikes.slowest.iter().map(|spike| spike.latency_us).fold(f64::INFINITY, f64::min);
    assert!(least > 1000.2, "the slowest are kept, the least of {least} µs");
}

#[test]
fn progress_is_what_was_seen_so_far() {
    let system = Fake::new();
    let mut observer =
        Observer::new(Target::Process(POSTMASTER), &system, KernelThreads::default(), 0, Some(900_000));
    let [begins, _] = call(BACKEND, FileCall::Read, (DATA, Some(0)), 0, (10_000_000, 0));
    let events = commits().into_iter().chain([begins]).collect();
    observer.take(&Batch { events, until_ns: 2_000_000_000, lost: 3, ..Batch::default() });
    let seen = observer.progress();
    let [reads, writes, syncs] = &seen.classes;
    assert_eq!((seen.duration_s, seen.processes, seen.lost_records), (2.0, 1, 3));
    assert_eq!((writes.operations, writes.bytes, writes.in_flight), (4, 4 * 8192, 0));
    assert_eq!((reads.in_flight, syncs.spikes, writes.spikes), (1, Some(2), Some(0)));
    assert_eq!(syncs.latency.map(|of| of.mean_us), Some(1000.0));
}

#[test]
fn rates_and_latencies_are_kept_over_time_and_in_bins() {
    let seen = observe(Target::Process(POSTMASTER), commits());
    let syncs = seen.over_time.classes.iter().find(|of| of.class == Class::Sync).unwrap();
    let expected = [8.0, 0.0, 0.0, 0.0].map(Some);
    assert_eq!(syncs.operations_per_s, expected, "two in the first quarter of a second");
    for of in &seen.classes {
        assert_eq!(of.latency_bins.iter().map(|bin| bin.operations).sum::<u64>(), of.operations, "{of:?}");
    }
}

#[test]
fn the_document_has_every_part() {
    let seen = observe(Target::Process(POSTMASTER), commits());
    let anchors = |seen: &Observation| -> Vec<String> {
        seen.document(None).sections.into_iter().map(|section| section.anchor).collect()
    };
    assert_eq!(anchors(&seen), ["operations", "over-time", "files", "waterfall", "spikes"]);
    assert_eq!(anchors(&observe(Target::Process(1234), Vec::new())), ["spikes"]);
}

#[test]
fn what_was_not_seen_is_said() {
    let system = Fake::new();
    let mut observer =
        Observer::new(Target::Directory("/pg".into()), &system, KernelThreads::default(), 0, None);
    let outside = call(0, FileCall::Write, (LOG, Some(0)), 100, (1, 2)).to_vec();
    observer.take(&Batch { events: outside, until_ns: 1_000_000_000, lost: 7, ..Batch::default() });
    let (tracepoint, reason) = ("io_uring/io_uring_complete", trace::Absence::NotThere);
    let missing = trace::Missing { tracepoint, lost_without: trace::LostWithout::Calls, reason };
    let seen = observer.finish(MissingTracepoint::of(&missing).into_iter().collect());
    let document = seen.document(None);
    let section = document.sections.iter().find(|section| section.anchor == "not-seen").unwrap();
    // Lost records, calls of others, and the tracepoint.
    assert_eq!(section.blocks.len(), 3, "{section:?}");
}

fn any_event() -> impl Strategy<Value = StreamEvent> {
    let calls = vec![
        FileCall::Read,
        FileCall::Write,
        FileCall::Sync,
        FileCall::Seek,
        FileCall::Open,
        FileCall::Close,
    ];
    let call = prop::sample::select(calls);
    let request = (call.clone(), 6_u32..11, prop::option::of(any::<u64>()), any::<bool>());
    let kind = prop_oneof![
        request.prop_map(|(call, descriptor, offset, durable)| {
            FileEventKind::Begins(FileRequest { call, descriptor, offset, durable })
        }),
        (call.clone(), -40_i64..10_000).prop_map(|(call, result)| FileEventKind::Ends { call, result }),
        (0_u64..4, call).prop_map(|(request, call)| FileEventKind::RingTakes {
            request,
            call,
            durable: false
        }),
        (0_u64..4, 6_u32..11)
            .prop_map(|(request, descriptor)| FileEventKind::RingFile { request, descriptor }),
        (0_u64..4, -40_i64..10_000)
            .prop_map(|(request, result)| FileEventKind::RingCompletes { request, result }),
        (100_u32..104).prop_map(|child| FileEventKind::Forks { child }),
        (0_u64..5).prop_map(|inode| FileEventKind::SyncBegins { device: DISK, inode }),
        (-5_i64..2).prop_map(|result| FileEventKind::SyncEnds { result }),
        any::<bool>().prop_map(|is_main| FileEventKind::ThreadEnds { is_main }),
        any::<u32>().prop_map(|requests| FileEventKind::Submits { requests: requests.into() }),
    ];
    let process = prop::sample::select(vec![0, POSTMASTER, BACKEND, STRANGER, 103]);
    let time_ns = 0_u64..2_000_000_000;
    let window = (time_ns.clone(), any::<bool>());
    prop_oneof![
        9 => (time_ns, process, kind).prop_map(|(time_ns, process, kind)| event(time_ns, process, kind)),
        1 => window.prop_map(|(time_ns, opens)| StreamEvent::Window { time_ns, opens }),
    ]
}

proptest! {
    #[test]
    fn whatever_the_events_are_the_figures_are_possible(
        mut events in prop::collection::vec(any_event(), 0..200),
    ) {
        events.sort_by_key(StreamEvent::time_ns);
        let system = Fake::new();
        let mut observer = Observer::new(Target::Process(POSTMASTER), &system, KernelThreads::default(), 0, Some(900_000));
        for part in events.chunks(20) {
            let until_ns = part.last().map_or(0, StreamEvent::time_ns);
            observer.take(&Batch { events: part.to_vec(), until_ns, lost: 0, ..Batch::default() });
        }
        observer.take(&Batch { events: Vec::new(), until_ns: 2_000_000_000, lost: 0, ..Batch::default() });
        let seen = observer.finish(Vec::new());
        for of in &seen.classes {
            prop_assert!((0.0..=1.0).contains(&of.busy_share), "{:?}", of);
            prop_assert!((0.0..=1.0).contains(&of.seen_share), "{:?}", of);
            prop_assert!(of.depth_counted <= 2.0 * of.depth_max as f64 + 1e-9, "{:?}", of);
            prop_assert!(of.depth_by_littles_law <= of.depth_counted + 1e-9, "{:?}", of);
        }
        prop_assert!(!page::terminal::document(&seen.document(None), 100, false).is_empty());
    }
}
