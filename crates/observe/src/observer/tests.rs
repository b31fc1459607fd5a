//! Events of processes that are made up, and what is seen of them.

use super::*;
use crate::layout::Role;
use crate::missing::MissingTracepoint;
use crate::observation::{Observation, Writer};
use crate::system::{Disk, FoundFile, Opened};
use model::traced::Stage;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use trace::{Blocks, Device, Event, EventKind};

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
    let mut observer = Observer::new(target, &system, BTreeSet::new(), 0, Some(900_000));
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
    let mut observer = Observer::new(Target::Process(POSTMASTER), &system, BTreeSet::new(), 0, Some(900_000));
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

/// A neighbour writes while a commit waits.
/// A caller that was too slow while a window was closed had the operations behind it explained without their events.
#[test]
fn only_operations_in_a_window_are_explained() {
    let system = Fake::new();
    let mut observer = Observer::new(Target::Process(POSTMASTER), &system, BTreeSet::new(), 0, None);
    let mut take = |at_ms: u64, window: Batch| {
        let ns = at_ms * 1_000_000;
        let events = call(BACKEND, FileCall::Sync, (LOG, None), 0, (ns, ns + 1_000_000)).to_vec();
        observer.take(&Batch { events, until_ns: ns + 5_000_000, ..window });
        let explanation = observer.explained.explanation(Class::Sync);
        explanation.map_or(0, |of| of.operations)
    };
    assert_eq!(take(10, Batch { explained_until_ns: Some(14_000_000), ..Batch::default() }), 1);
    assert_eq!(take(20, Batch { left_out_until_ns: Some(18_000_000), ..Batch::default() }), 1);
    assert_eq!(take(1100, Batch::default()), 1, "it is laid once a second");
    let together = Batch { explained_until_ns: Some(15_000_000), ..Batch::default() };
    assert_eq!(take(2200, Batch { explained_since_ns: Some(2_190_000_000), ..together }), 2);
}

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
    let mut observer = Observer::new(Target::Process(POSTMASTER), &system, BTreeSet::new(), 0, Some(900_000));
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
    assert_eq!(syncs.operations_per_s, [8.0, 0.0, 0.0, 0.0], "two in the first quarter of a second");
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
    let mut observer = Observer::new(Target::Directory("/pg".into()), &system, BTreeSet::new(), 0, None);
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
        any::<bool>().prop_map(|is_main| FileEventKind::ThreadEnds { is_main }),
        any::<u32>().prop_map(|requests| FileEventKind::Submits { requests: requests.into() }),
    ];
    let process = prop::sample::select(vec![0, POSTMASTER, BACKEND, STRANGER, 103]);
    (0_u64..2_000_000_000, process, kind).prop_map(|(time_ns, process, kind)| event(time_ns, process, kind))
}

proptest! {
    #[test]
    fn whatever_the_events_are_the_figures_are_possible(
        mut events in prop::collection::vec(any_event(), 0..200),
    ) {
        events.sort_by_key(StreamEvent::time_ns);
        let system = Fake::new();
        let mut observer = Observer::new(Target::Process(POSTMASTER), &system, BTreeSet::new(), 0, Some(900_000));
        for part in events.chunks(20) {
            let until_ns = part.last().map_or(0, StreamEvent::time_ns);
            observer.take(&Batch { events: part.to_vec(), until_ns, lost: 0, ..Batch::default() });
        }
        observer.take(&Batch { events: Vec::new(), until_ns: 2_000_000_000, lost: 0, ..Batch::default() });
        let seen = observer.finish(Vec::new());
        for of in &seen.classes {
            prop_assert!((0.0..=1.0).contains(&of.busy_share), "{:?}", of);
            prop_assert!(of.depth_counted <= of.depth_max as f64 + 1e-9, "{:?}", of);
            prop_assert!(of.depth_by_littles_law <= of.depth_counted + 1e-9, "{:?}", of);
        }
        prop_assert!(!page::terminal::document(&seen.document(None), 100, false).is_empty());
    }
}
