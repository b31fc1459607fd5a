//! Readers that read for an accelerator, with a dataset that takes a millisecond for each operation.

use super::*;

const MS: u64 = 1_000_000;

/// A reader with at most one operation in flight.
struct Slot<R> {
    reader: R,
    /// The operation, and when it will be complete.
    in_flight: Option<(ScanOp, u64)>,
    /// When it wants to be polled.
    due: u64,
    is_done: bool,
}

/// Drives readers by events until all are done. Returns them with what they recorded, and when the last one ended.
fn drive<R: Reader>(parameters: &Parameters, sizes: &[u64]) -> (Vec<R>, Recorder, Arc<FileQueue>, u64) {
    let sizes: Arc<[u64]> = sizes.into();
    let queue = Arc::new(FileQueue::new(parameters, &sizes, 0, 1));
    let reader = |_| R::new(parameters, &sizes, &queue);
    let slot = |reader| Slot { reader, in_flight: None, due: 0, is_done: false };
    let mut slots: Vec<Slot<R>> = (0..parameters.concurrency).map(reader).map(slot).collect();
    let mut recorder = Recorder::new(slots[0].reader.families());
    let mut now = 0;
    while slots.iter().any(|slot| !slot.is_done) {
        for slot in &mut slots {
            if let Some((operation, until)) = slot.in_flight.filter(|(_, until)| *until <= now) {
                let stamps = Some(Stamps { began: Nanos(until - MS), ended: Nanos(until) });
                let result = operation.length as i32;
                slot.reader.complete(&Completion { id: operation.id, result, stamps }, &mut recorder);
                (slot.in_flight, slot.due) = (None, now);
            }
            if slot.in_flight.is_some() || slot.is_done || slot.due > now {
                continue;
            }
            let mut out = Vec::new();
            let next = slot.reader.poll(Nanos(now), &mut out);
            assert!(out.len() <= 1);
            slot.in_flight = out.first().map(|operation| (*operation, now + MS));
            match next {
                Next::At(at) => {
                    assert!(at > Nanos(now), "a wait ends later");
                    slot.due = at.0;
                }
                Next::Done => slot.is_done = true,
                Next::Wait => assert!(slot.in_flight.is_some(), "nothing would wake it"),
            }
        }
        let waiting = slots.iter().filter(|slot| !slot.is_done);
        let events = waiting.map(|slot| slot.in_flight.map_or(slot.due, |(_, until)| until));
        now = events.min().unwrap_or(now).max(now);
    }
    (slots.into_iter().map(|slot| slot.reader).collect(), recorder, queue, now)
}

/// Files of one block; an open, a read and a close take 3 ms.
fn files(changes: &[(&str, &str)]) -> Parameters {
    parameters(
        &[&[("block_size", "whole_file"), ("file_size", "4KiB"), ("batch_size", "4KiB")], changes].concat(),
    )
}

#[test]
fn an_accelerator_that_asks_for_less_than_is_read_never_waits_and_slows_its_readers() {
    let p = files(&[("step_time", "10ms"), ("prefetch", "2")]);
    let (readers, recorder, queue, now) = drive::<FileScan>(&p, &[4 * KIB; 20]);
    let time = queue.accelerator_time().unwrap();
    assert_eq!((time.busy, time.all), (Nanos(190 * MS), Nanos(190 * MS)));
    assert_eq!(readers[0].tally().files, 20);
    // The readers end when the last file but two is taken, and read on for the rest.
    assert!((160 * MS..195 * MS).contains(&now), "{now}");
    // Waiting for the accelerator is in no latency: a file takes as long as without one.
    let slowest = recorder.histogram("file_latency").unwrap().max();
    assert!((2_900_000..3_100_000).contains(&slowest), "{slowest}");
}

#[test]
fn more_readers_keep_busy_an_accelerator_that_one_reader_does_not() {
    for (concurrency, least, most) in [("1", 0.32, 0.35), ("2", 0.6, 0.7), ("8", 0.95, 1.0)] {
        let p = files(&[("step_time", "1ms"), ("concurrency", concurrency), ("prefetch", "16")]);
        let (_, _, queue, _) = drive::<FileScan>(&p, &[4 * KIB; 200]);
        let time = queue.accelerator_time().unwrap();
        let utilization = time.busy.seconds() / time.all.seconds();
        assert!((least..=most).contains(&utilization), "{concurrency} readers: {utilization}");
    }
}

/// Eight readers are of no use if only one batch may be read ahead.
#[test]
fn a_prefetch_below_the_readers_leaves_some_of_them_idle() {
    let utilization = |prefetch: &str| {
        let p = files(&[("step_time", "250us"), ("concurrency", "8"), ("prefetch", prefetch)]);
        let (_, _, queue, _) = drive::<FileScan>(&p, &[4 * KIB; 200]);
        let time = queue.accelerator_time().unwrap();
        time.busy.seconds() / time.all.seconds()
    };
    assert!(utilization("1") < 0.7 * utilization("16"), "{} {}", utilization("1"), utilization("16"));
}

#[test]
fn objects_are_read_for_an_accelerator_too() {
    let p = parameters(&[
        ("target", "s3://bucket/set"),
        ("block_size", "4KiB"),
        ("file_size", "16KiB"),
        ("batch_size", "16KiB"),
        ("step_time", "10ms"),
    ]);
    let (readers, recorder, queue, _) = drive::<ObjectScan>(&p, &[16 * KIB; 10]);
    assert_eq!(readers[0].tally(), Tally { files: 10, blocks: 40, bytes: 160 * KIB });
    let time = queue.accelerator_time().unwrap();
    assert_eq!((time.busy, time.all), (Nanos(90 * MS), Nanos(90 * MS)));
    let slowest = recorder.histogram("file_latency").unwrap().max();
    assert!(slowest < 4_100_000, "{slowest}: waiting is in no latency");
}

/// Row groups in any order: each is opened, read in blocks and closed, and every byte comes once.
#[test]
fn pieces_are_read_in_blocks_and_all_of_them_once() {
    let p = parameters(&[
        ("piece_size", "8KiB"),
        ("block_size", "4KiB"),
        ("order", "shuffled"),
        ("files", "3"),
        ("file_size", "20KiB"),
    ]);
    let seen: Observed<FileScan> = observe(&p, &[20 * KIB, 8 * KIB, 1], |_| 0);
    assert_eq!(seen.reader.tally(), Tally { files: 5, blocks: 8, bytes: 28 * KIB + 1 });
    assert_eq!(seen.recorder.histogram("file_latency").unwrap().len(), 5);
    let reads: Vec<&ScanOp> =
        seen.operations.iter().filter(|operation| operation.kind == ScanKind::Read).collect();
    let places: BTreeSet<(u32, u64)> = reads.iter().map(|read| (read.file, read.offset)).collect();
    assert_eq!(places.len(), reads.len());
    // The second half of a piece follows the first.
    assert!(reads.windows(2).filter(|pair| pair[0].offset % (8 * KIB) == 0 && pair[0].length == 4096).all(
        |pair| {
            let [first, second] = pair else { return false };
            let last_of_file = first.offset == 16 * KIB;
            last_of_file || (second.file, second.offset) == (first.file, first.offset + 4096)
        }
    ));
}
