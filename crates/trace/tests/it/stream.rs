//! The recording without an end, on the real kernel.

use crate::support::is_possible;
use disk::kernel::scheduling::pin_current_thread;
use std::os::unix::fs::FileExt;
use std::time::Duration;
use trace::now_ns;
use trace::stream::{Batch, FileCall, FileEvent, FileEventKind, Recorded, Stream, StreamEvent, StreamLimits};

const WRITES: u64 = 50_000;

/// Rates were too low, and the result did not state it: a record is either seen or counted as lost. How many are lost
/// of a ring of one page depends on when the reader has its turn.
#[test]
fn what_a_ring_has_no_room_for_is_counted() {
    if !is_possible() {
        return;
    }
    let file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let limits = StreamLimits { ring_pages: 1, recorded: Recorded::Always };
    let stream = Stream::start(limits).unwrap();
    // The kernel reports what a ring lost with its next record, which the end of the sleep writes on the same CPU.
    pin_current_thread(0).unwrap();
    for _ in 0..WRITES {
        file.write_all_at(&[7], 0).unwrap();
    }
    std::thread::sleep(Duration::from_millis(100));
    let batches = stream.stop();
    let own = rustix::process::getpid().as_raw_nonzero().get().unsigned_abs();
    let is_write = |event: &&StreamEvent| match event {
        StreamEvent::File(event) => {
            event.process == own && matches!(event.kind, FileEventKind::Ends { call: FileCall::Write, .. })
        }
        StreamEvent::Traced(_) | StreamEvent::Window { .. } => false,
    };
    let seen = |batch: &Batch| batch.events.iter().filter(is_write).count() as u64;
    let seen: u64 = batches.iter().map(seen).sum();
    let lost: u64 = batches.iter().map(|batch| batch.lost).sum();
    println!("{seen} of {WRITES} writes seen, {lost} records lost");
    assert!(seen + lost >= WRITES, "{seen} of {WRITES} writes seen, {lost} records lost");
}

/// Every call of the machine was slower all the time, to see a tenth of them.
#[test]
fn between_windows_calls_are_not_recorded() {
    if !is_possible() {
        return;
    }
    let file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let stream = Stream::start(StreamLimits { ring_pages: 16, ..StreamLimits::default() }).unwrap();
    let closes = |event: &StreamEvent| matches!(event, StreamEvent::Window { opens: false, .. });
    let opens = |event: &StreamEvent| matches!(event, StreamEvent::Window { opens: true, .. });
    // The batch with the end of a window comes after the recording was paused.
    while !stream.next(Duration::from_secs(1)).is_some_and(|batch| batch.events.iter().any(closes)) {}
    let since_ns = now_ns();
    for _ in 0..100 {
        file.write_all_at(&[7], 0).unwrap();
    }
    let last = stream.stop().into_iter().flat_map(|batch| batch.events);
    let later: Vec<StreamEvent> = last.filter(|event| event.time_ns() > since_ns).collect();
    if later.iter().any(opens) {
        return skip::because("the next window began before a hundred writes were made");
    }
    let is_rare = |event: &StreamEvent| match event {
        StreamEvent::File(FileEvent { kind, .. }) => matches!(
            kind,
            FileEventKind::SyncBegins { .. }
                | FileEventKind::SyncEnds { .. }
                | FileEventKind::Forks { .. }
                | FileEventKind::ThreadEnds { .. }
        ),
        StreamEvent::Traced(_) | StreamEvent::Window { .. } => false,
    };
    let others: Vec<&StreamEvent> = later.iter().filter(|event| !is_rare(event)).collect();
    assert!(others.is_empty(), "{others:?}");
}
