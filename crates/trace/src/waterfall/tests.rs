//! Operations of made-up events, each so short that its segments are counted by hand.

use super::*;
use crate::event::{Blocks, Call, Class, Event, EventKind, Name};
use crate::kernel_threads::KernelThreads;
use proptest::prelude::*;

const DISK: Device = Device(254 << 20);
/// The thread that is measured, the journal's, a worker's, and the one that interrupts come upon.
const OURS: u32 = 1;
const JOURNAL: u32 = 2;
const WORKER: u32 = 3;
const OTHER: u32 = 4;

fn at(time_ns: u64, thread: u32, kind: EventKind) -> Event {
    Event { time_ns, cpu: 0, thread, in_interrupt: false, kind }
}

fn interrupt(time_ns: u64, kind: EventKind) -> Event {
    Event { in_interrupt: true, ..at(time_ns, OTHER, kind) }
}

fn blocks(sector: u64, sectors: u32, class: &str) -> Blocks {
    Blocks { device: DISK, sector, sectors, class: Class::read(class.as_bytes()) }
}

fn waits(time_ns: u64, thread: u32, next: u32) -> Event {
    at(time_ns, thread, EventKind::Switched { blocked: true, next, next_name: Name::default() })
}

fn is_preempted(time_ns: u64, thread: u32, next: u32) -> Event {
    at(time_ns, thread, EventKind::Switched { blocked: false, next, next_name: Name::default() })
}

/// [`WORKER`] runs soft interrupts.
fn interrupting() -> KernelThreads {
    KernelThreads { interrupts: BTreeSet::from([WORKER]), ..KernelThreads::default() }
}

fn operation(events: Vec<Event>, from_ns: u64, to_ns: u64) -> Operation {
    Waterfall::new(&Trace { events, ..Trace::default() }).operation(OURS, from_ns, to_ns)
}

#[track_caller]
fn check(events: Vec<Event>, from_ns: u64, to_ns: u64, expected: &[(Stage, u64)]) {
    let operation = operation(events, from_ns, to_ns);
    let laid: Vec<(Stage, u64)> =
        operation.segments.iter().map(|segment| (segment.stage, segment.duration_ns())).collect();
    assert_eq!(laid, expected);
    assert_eq!(operation.duration_ns(), to_ns - from_ns);
}

/// A write that an interrupt ends at 100, after which the thread gets a CPU at 140.
fn written() -> Vec<Event> {
    vec![
        at(10, OURS, EventKind::CallBegins(Call::Pwrite)),
        at(30, OURS, EventKind::Queued(blocks(800, 8, "WS"))),
        at(35, OURS, EventKind::Issued(blocks(800, 8, "WS"))),
        waits(40, OURS, OTHER),
        interrupt(100, EventKind::Completed(blocks(800, 8, "WS"))),
        interrupt(105, EventKind::Woken(OURS)),
        is_preempted(140, OTHER, OURS),
        at(150, OURS, EventKind::CallEnds(Call::Pwrite)),
    ]
}

#[test]
fn a_write_is_in_the_device_until_the_interrupt() {
    let expected = [
        (Stage::FileSystem, 30),
        (Stage::Device, 60),
        (Stage::Completion, 5),
        (Stage::RunQueue, 35),
        (Stage::Return, 10),
        (Stage::Program, 2),
    ];
    check(written(), 10, 152, &expected);
}

#[test]
fn an_operation_that_no_time_passes_in_has_no_segments() {
    assert_eq!(operation(written(), 50, 50).segments, []);
}

#[test]
fn a_thread_without_events_spent_its_time_unknown_how() {
    check(Vec::new(), 5, 10, &[(Stage::Unknown, 5)]);
}

#[test]
fn a_request_that_the_queue_has_no_room_for_is_in_it_until_the_last_issue() {
    let mut events = written();
    events.insert(4, at(60, OTHER, EventKind::Issued(blocks(800, 8, "WS"))));
    let expected = [
        (Stage::Queue, 20),
        (Stage::Device, 40),
        (Stage::Completion, 5),
        (Stage::RunQueue, 35),
        (Stage::Return, 10),
    ];
    check(events, 40, 150, &expected);
}

/// On a quiet machine the CPU that gets the interrupt is idle, and some kernels hide from perf what an idle CPU does:
/// 71 % of a commit was unknown.
#[test]
fn a_wait_whose_end_was_hidden_is_for_the_threads_last_request() {
    let seen = |event: &Event| !event.in_interrupt;
    let hidden = |events: Vec<Event>| -> Vec<Event> { events.into_iter().filter(seen).collect() };
    let expected = [(Stage::FileSystem, 30), (Stage::DeviceToRun, 100), (Stage::Return, 10)];
    check(hidden(written()), 10, 150, &expected);
    // One that is older than the operation may have ended long ago.
    check(hidden(written()), 32, 150, &[(Stage::FileSystem, 8), (Stage::Unknown, 100), (Stage::Return, 10)]);
    let flushed = vec![
        at(20, OURS, EventKind::CallBegins(Call::Fdatasync)),
        at(30, OURS, EventKind::Queued(blocks(0, 0, "FWS"))),
        waits(35, OURS, WORKER),
        at(70, WORKER, EventKind::Issued(blocks(0, 0, "FF"))),
        waits(75, WORKER, 0),
        is_preempted(180, 0, OURS),
        at(190, OURS, EventKind::CallEnds(Call::Fdatasync)),
    ];
    let expected =
        [(Stage::FileSystem, 15), (Stage::FlushHandOver, 35), (Stage::FlushToRun, 110), (Stage::Return, 10)];
    check(flushed.clone(), 20, 190, &expected);
    let unissued = flushed.into_iter().filter(|event| !matches!(event.kind, EventKind::Issued(_))).collect();
    check(unissued, 20, 190, &[(Stage::FileSystem, 15), (Stage::Unknown, 145), (Stage::Return, 10)]);
}

/// A flush that waits for the one before it, which ends at 60. Its own is on the device from 70 to 170.
fn flushed() -> Vec<Event> {
    vec![
        at(10, OTHER, EventKind::Issued(blocks(0, 0, "FF"))),
        is_preempted(15, OTHER, OURS),
        at(20, OURS, EventKind::CallBegins(Call::Fdatasync)),
        at(30, OURS, EventKind::Queued(blocks(0, 0, "FWS"))),
        waits(35, OURS, OTHER),
        interrupt(60, EventKind::Completed(blocks(u64::MAX, 0, "FF"))),
        at(70, OTHER, EventKind::Issued(blocks(0, 0, "FF"))),
        interrupt(170, EventKind::Completed(blocks(u64::MAX, 0, "FF"))),
        interrupt(171, EventKind::Completed(blocks(0, 0, "WS"))),
        interrupt(172, EventKind::Woken(OURS)),
        is_preempted(180, OTHER, OURS),
        at(190, OURS, EventKind::CallEnds(Call::Fdatasync)),
    ]
}

const FLUSHED: [(Stage, u64); 7] = [
    (Stage::FileSystem, 15),
    (Stage::FlushBehindFlush, 25),
    (Stage::FlushHandOver, 10),
    (Stage::Flush, 100),
    (Stage::Completion, 2),
    (Stage::RunQueue, 8),
    (Stage::Return, 10),
];

#[test]
fn a_flush_waits_for_the_one_before_it() {
    check(flushed(), 20, 190, &FLUSHED);
}

/// A flush whose caller waited already when the trace began ended first, and took the place of the operation's flush in
/// the list. That flush then ended for a neighbour's write.
#[test]
fn flushes_from_before_the_trace_take_nobodys_place() {
    let mut events = flushed();
    events.extend([
        at(40, OTHER, EventKind::Queued(blocks(800, 8, "W"))),
        at(45, OTHER, EventKind::Issued(blocks(800, 8, "W"))),
        interrupt(61, EventKind::Completed(blocks(0, 0, "WS"))),
        interrupt(165, EventKind::Completed(blocks(800, 8, "W"))),
    ]);
    events.sort_by_key(|event| event.time_ns);
    check(events, 20, 190, &FLUSHED);
}

/// The journal's thread writes and flushes for us.
#[test]
fn a_wait_for_the_journal_is_the_journals() {
    let events = vec![
        at(10, OURS, EventKind::CallBegins(Call::Fdatasync)),
        at(15, OURS, EventKind::Woken(JOURNAL)),
        waits(20, OURS, JOURNAL),
        at(21, JOURNAL, EventKind::CommitBegins),
        at(30, JOURNAL, EventKind::Queued(blocks(64, 2, "FWFSM"))),
        at(40, JOURNAL, EventKind::Issued(blocks(0, 0, "FF"))),
        waits(45, JOURNAL, OTHER),
        interrupt(100, EventKind::Completed(blocks(u64::MAX, 0, "FF"))),
        at(110, OTHER, EventKind::Issued(blocks(64, 2, "WFSM"))),
        interrupt(150, EventKind::Completed(blocks(64, 2, "WFSM"))),
        at(155, OTHER, EventKind::Issued(blocks(0, 0, "FF"))),
        interrupt(200, EventKind::Completed(blocks(u64::MAX, 0, "FF"))),
        interrupt(201, EventKind::Completed(blocks(66, 0, "WSM"))),
        interrupt(202, EventKind::Woken(JOURNAL)),
        is_preempted(210, OTHER, JOURNAL),
        at(220, JOURNAL, EventKind::Woken(OURS)),
        waits(230, JOURNAL, OURS),
        at(240, OURS, EventKind::CallEnds(Call::Fdatasync)),
    ];
    let operation = operation(events.clone(), 20, 230);
    let journal = |journal: bool| {
        let segments = operation.segments.iter().filter(|segment| segment.journal == journal);
        segments.map(Segment::duration_ns).sum::<u64>()
    };
    assert_eq!((journal(true), journal(false)), (200, 10));
    let expected = [
        // Woken before it, and running at once.
        (Stage::Worker, 25),
        (Stage::Flush, 55),
        (Stage::FlushHandOver, 10),
        (Stage::Device, 40),
        (Stage::FlushHandOver, 5),
        (Stage::Flush, 45),
        (Stage::Completion, 2),
        (Stage::RunQueue, 8),
        (Stage::Worker, 10),
        (Stage::RunQueue, 10),
        (Stage::Return, 10),
    ];
    check(events, 20, 240, &expected);
}

/// The loop driver's worker hands a completion over to `ksoftirqd`, which a busy CPU keeps waiting.
#[test]
fn a_completion_that_a_thread_does_waits_for_its_cpu() {
    let mut events = written();
    let by_thread = |time_ns, kind| Event { in_interrupt: true, ..at(time_ns, WORKER, kind) };
    events.splice(
        4..,
        [
            interrupt(90, EventKind::Woken(WORKER)),
            is_preempted(120, OTHER, WORKER),
            by_thread(130, EventKind::Completed(blocks(800, 8, "WS"))),
            by_thread(135, EventKind::Woken(OURS)),
            waits(140, WORKER, OURS),
        ],
    );
    // It waited before.
    events.insert(0, waits(1, WORKER, OURS));
    let trace = Trace { events, kernel_threads: interrupting(), ..Trace::default() };
    let operation = Waterfall::new(&trace).operation(OURS, 40, 140);
    let laid: Vec<(Stage, u64)> =
        operation.segments.iter().map(|segment| (segment.stage, segment.duration_ns())).collect();
    let expected =
        [(Stage::Device, 50), (Stage::RunQueue, 30), (Stage::Completion, 15), (Stage::RunQueue, 5)];
    assert_eq!(laid, expected);
}

#[test]
fn requests_of_others_are_counted() {
    let mut events = written();
    events.insert(4, at(50, OTHER, EventKind::Queued(blocks(64, 8, "R"))));
    events.insert(5, at(51, OTHER, EventKind::Issued(blocks(64, 8, "R"))));
    let neighbours = operation(events.clone(), 40, 150).neighbours;
    assert_eq!(neighbours, BTreeMap::from([(OTHER, Neighbour { ran_ns: 35, requests: 1 })]));
    assert_eq!(operation(events, 60, 150).foreign_requests(), 0);
}

#[test]
fn who_has_the_cpu_while_a_thread_waits_for_it_is_a_neighbour() {
    let mut events = written();
    // The other thread, an idle CPU and a worker share the time from 105 to 140.
    events.splice(6..6, [waits(120, OTHER, 0), is_preempted(125, 0, WORKER)]);
    events[8].thread = WORKER;
    let ran = |of: &Operation| -> Vec<(u32, u64)> {
        of.neighbours.iter().map(|(thread, neighbour)| (*thread, neighbour.ran_ns)).collect()
    };
    assert_eq!(ran(&operation(events.clone(), 10, 150)), [(WORKER, 15), (OTHER, 15)]);
    // An operation that begins later waited for a part of it only.
    assert_eq!(ran(&operation(events.clone(), 130, 150)), [(WORKER, 10)]);
    // Another CPU is nobody's business.
    let elsewhere = Event { cpu: 1, ..is_preempted(110, OTHER, JOURNAL) };
    events.insert(6, elsewhere);
    assert!(!operation(events, 10, 150).neighbours.contains_key(&JOURNAL));
}

#[test]
fn a_request_of_a_partition_is_one_of_its_disk() {
    let partition = Device(DISK.0 + 1);
    let mut events = written();
    events[1].kind = EventKind::Queued(Blocks { device: partition, ..blocks(800, 8, "WS") });
    let unrelated = operation(events.clone(), 40, 105);
    assert_eq!(unrelated.segments[0].stage, Stage::Unknown);
    let disks = BTreeMap::from([(partition, DISK)]);
    let operation = Waterfall::new(&Trace { events, disks, ..Trace::default() }).operation(OURS, 40, 105);
    assert_eq!(operation.segments[0].stage, Stage::Device);
}

fn any_event() -> impl Strategy<Value = Event> {
    let class = prop::sample::select(vec!["WS", "FWS", "FWFSM", "WFM", "FF", "R", "D"]);
    let any_blocks =
        (0_u64..4, 0_u32..3, class).prop_map(|(place, sectors, class)| blocks(place * 8, sectors * 8, class));
    let thread = 0_u32..5;
    let call = prop::sample::select(vec![Call::Fdatasync, Call::Pwrite]);
    let kind = prop_oneof![
        any_blocks.clone().prop_map(EventKind::Queued),
        any_blocks.clone().prop_map(EventKind::Issued),
        any_blocks.prop_map(EventKind::Completed),
        (any::<bool>(), thread.clone()).prop_map(|(blocked, next)| EventKind::Switched {
            blocked,
            next,
            next_name: Name::default(),
        }),
        thread.clone().prop_map(EventKind::Woken),
        call.clone().prop_map(EventKind::CallBegins),
        call.prop_map(EventKind::CallEnds),
        Just(EventKind::CommitBegins),
    ];
    (0_u64..1000, 0_u32..2, thread, any::<bool>(), kind).prop_map(
        |(time_ns, cpu, thread, in_interrupt, kind)| Event { time_ns, cpu, thread, in_interrupt, kind },
    )
}

proptest! {
    #[test]
    fn whatever_the_events_are_the_segments_cover_the_operation(
        mut events in prop::collection::vec(any_event(), 0..200),
        thread in 0_u32..5,
        from_ns in 0_u64..1000,
        duration_ns in 0_u64..1000,
    ) {
        events.sort_by_key(|event| event.time_ns);
        let waterfall = Waterfall::new(&Trace { events, kernel_threads: interrupting(), ..Trace::default() });
        let operation = waterfall.operation(thread, from_ns, from_ns + duration_ns);
        prop_assert_eq!(operation.duration_ns(), duration_ns);
        prop_assert!(operation.segments.iter().all(|segment| segment.from_ns < segment.to_ns));
        prop_assert!(operation.segments.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns));
        if let Some(first) = operation.segments.first() {
            prop_assert_eq!(first.from_ns, from_ns);
        }
    }
}

/// What an interrupt wakes is not explained by the thread that it comes upon, unless that one has sent a packet.
#[test]
fn a_packet_that_a_thread_sent_wakes_as_the_thread_does() {
    const SERVER: u32 = 7;
    let sent = |kind| Event { in_interrupt: true, ..at(30, SERVER, kind) };
    let waited = |packet: Option<Event>| {
        let kernel_threads = KernelThreads { all: BTreeSet::from([JOURNAL]), ..KernelThreads::default() };
        let before = [waits(10, OURS, SERVER)];
        let after = [sent(EventKind::Woken(OURS)), waits(40, SERVER, OURS)];
        let events = before.into_iter().chain(packet).chain(after).collect();
        let operation =
            Waterfall::new(&Trace { events, kernel_threads, ..Trace::default() }).operation(OURS, 10, 40);
        operation.segments.iter().map(|segment| (segment.stage, segment.duration_ns())).collect::<Vec<_>>()
    };
    let queue = (Stage::RunQueue, 10);
    assert_eq!(waited(Some(at(20, SERVER, EventKind::PacketSent))), [(Stage::OtherProgram, 20), queue]);
    assert_eq!(waited(None), [(Stage::Unknown, 20), queue]);
    let acknowledged = Event { in_interrupt: true, ..at(20, SERVER, EventKind::PacketSent) };
    assert_eq!(waited(Some(acknowledged)), [(Stage::Unknown, 20), queue]);
}

/// A client asks a server, which syncs, and answers.
#[test]
fn a_client_waits_for_what_its_server_does() {
    const SERVER: u32 = 7;
    let events = vec![
        at(5, OURS, EventKind::Woken(SERVER)),
        waits(10, OURS, SERVER),
        at(20, SERVER, EventKind::CallBegins(Call::Fdatasync)),
        at(30, SERVER, EventKind::Queued(blocks(0, 0, "FF"))),
        at(35, SERVER, EventKind::Issued(blocks(0, 0, "FF"))),
        waits(40, SERVER, OTHER),
        interrupt(90, EventKind::Completed(blocks(u64::MAX, 0, "FF"))),
        interrupt(95, EventKind::Woken(SERVER)),
        is_preempted(100, OTHER, SERVER),
        at(110, SERVER, EventKind::CallEnds(Call::Fdatasync)),
        at(125, SERVER, EventKind::Woken(OURS)),
        waits(130, SERVER, OURS),
    ];
    let kernel_threads = KernelThreads { all: BTreeSet::from([JOURNAL]), ..KernelThreads::default() };
    let trace = Trace { events, kernel_threads, ..Trace::default() };
    let operation = Waterfall::new(&trace).operation(OURS, 5, 135);
    let laid: Vec<(Stage, u64)> =
        operation.segments.iter().map(|segment| (segment.stage, segment.duration_ns())).collect();
    let expected = [
        (Stage::Program, 5),
        (Stage::OtherProgram, 10),
        (Stage::FileSystem, 20),
        (Stage::Flush, 50),
        (Stage::Completion, 5),
        (Stage::RunQueue, 5),
        (Stage::FileSystem, 10),
        (Stage::OtherProgram, 15),
        (Stage::RunQueue, 5),
        (Stage::Program, 5),
    ];
    assert_eq!(laid, expected);
}
