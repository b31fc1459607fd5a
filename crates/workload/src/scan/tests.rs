//! Readers against a dataset that completes every operation.

mod accelerator;
mod metrics;
mod parameters;

use super::*;
use driver::{Next, Recorder};
use model::{Completion, Hint, Nanos, ScanKind, Stamps};
use proptest::prelude::*;
use std::collections::BTreeSet;

const KIB: u64 = 1024;

fn configuration(changes: &[(&str, &str)]) -> model::Configuration {
    crate::configured::configured(&SCHEMA, changes)
}

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    let configuration = configuration(changes);
    (SCHEMA.check)(&configuration).unwrap();
    Parameters::read(&configuration).unwrap()
}

/// What a reader did, in the order of its operations' starts.
struct Observed<R> {
    operations: Vec<ScanOp>,
    reader: R,
    recorder: Recorder,
}

/// Runs one reader over files of these sizes, one operation a microsecond; `choose` picks which operation in flight
/// completes next.
fn observe<R: Reader>(
    parameters: &Parameters,
    sizes: &[u64],
    mut choose: impl FnMut(usize) -> usize,
) -> Observed<R> {
    let sizes: Arc<[u64]> = sizes.into();
    let queue = Arc::new(FileQueue::new(parameters, &sizes, 0, 1));
    let mut reader = R::new(parameters, &sizes, &queue);
    let mut recorder = Recorder::new(reader.families());
    let (mut now, mut operations, mut in_flight) = (0, Vec::new(), Vec::<ScanOp>::new());
    loop {
        let before = in_flight.len();
        let next = reader.poll(Nanos(now), &mut in_flight);
        operations.extend_from_slice(&in_flight[before..]);
        assert!(in_flight.len() <= reader.in_flight_max());
        let ids: BTreeSet<u32> = in_flight.iter().map(|operation| operation.id).collect();
        assert_eq!(ids.len(), in_flight.len(), "two operations in flight share an id");
        if in_flight.is_empty() {
            assert_eq!(next, Next::Done);
            return Observed { operations, reader, recorder };
        }
        now += 1000;
        let done = in_flight.remove(choose(in_flight.len()));
        let stamps = Some(Stamps { began: Nanos(now - 1000), ended: Nanos(now) });
        reader.complete(&Completion { id: done.id, result: done.length as i32, stamps }, &mut recorder);
    }
}

/// A turn ends at 15 µs with a block in flight, which completes at 19 µs; the next turn begins, for its reader, at 15
/// µs.
#[test]
fn what_completes_after_a_turn_belongs_to_its_file() {
    let p = parameters(&[("block_size", "4KiB"), ("open", "per_file")]);
    let sizes: Arc<[u64]> = [8 * KIB].into();
    let queue = Arc::new(FileQueue::new(&p, &sizes, 0, 1));
    let mut reader = FileScan::new(&p, &sizes, &queue);
    let mut recorder = Recorder::new(reader.families());
    for (began, ended) in [(10_000, 11_000), (11_000, 19_000), (15_000, 16_000), (16_000, 17_000)] {
        let mut operations = Vec::new();
        reader.poll(Nanos(began), &mut operations);
        let done = operations[0];
        let stamps = Some(Stamps { began: Nanos(began), ended: Nanos(ended) });
        reader.complete(&Completion { id: done.id, result: done.length as i32, stamps }, &mut recorder);
    }
    let file = recorder.histogram("file_latency").unwrap();
    assert_eq!((file.len(), reader.tally().files), (1, 1));
    assert!((10_980..=11_020).contains(&file.max()), "7 µs and 4 µs after the turn: {}", file.max());
}

/// `O` open, `A` advice on the whole file, `a` on a range, `R` read, `C` close.
fn steps(operations: &[ScanOp]) -> String {
    operations
        .iter()
        .map(|operation| match operation.kind {
            ScanKind::Open => 'O',
            ScanKind::Advise(_) if operation.length == 0 => 'A',
            ScanKind::Advise(_) => 'a',
            ScanKind::Read => 'R',
            ScanKind::Close => 'C',
        })
        .collect()
}

fn local(changes: &[(&str, &str)], sizes: &[u64]) -> Observed<FileScan> {
    observe(&parameters(changes), sizes, |_| 0)
}

/// When each hint is given, and how often a file is opened: page 004's result depends on it.
#[test]
fn every_scope_gives_its_hints_and_no_others() {
    let dontneed = ("page_cache", "dontneed");
    let block = ("block_size", "4KiB");
    for (changes, expected) in [
        (&[block][..], "ORRRC"),
        (&[block, dontneed], "OARRRC"),
        (&[block, dontneed, ("hint_scope", "every_block")], "OARARARC"),
        (&[block, dontneed, ("hint_scope", "behind")], "ORaRaRaC"),
        (&[block, ("open", "per_block")], "ORCORCORC"),
        (&[block, dontneed, ("open", "per_block")], "OARCOARCOARC"),
        (&[block, dontneed, ("open", "per_block"), ("hint_scope", "every_block")], "OARCOARCOARC"),
        (&[block, dontneed, ("open", "per_block"), ("hint_scope", "behind")], "ORaCORaCORaC"),
        (&[("block_size", "0B"), dontneed, ("hint_scope", "every_block")], "OARC"),
        (&[block, ("page_cache", "direct")], "ORRRC"),
    ] {
        let seen = local(changes, &[10 * KIB]);
        assert_eq!(steps(&seen.operations), expected, "{changes:?}");
    }
}

#[test]
fn a_hint_behind_the_reader_is_about_what_was_read() {
    let seen =
        local(&[("block_size", "4KiB"), ("page_cache", "dontneed"), ("hint_scope", "behind")], &[10 * KIB]);
    let ranges = |wanted: fn(ScanKind) -> bool| -> Vec<(u64, u32)> {
        let of = seen.operations.iter().filter(|operation| wanted(operation.kind));
        of.map(|operation| (operation.offset, operation.length)).collect()
    };
    let read = ranges(|kind| kind == ScanKind::Read);
    assert_eq!(read, [(0, 4096), (4096, 4096), (8192, 2048)]);
    assert_eq!(ranges(|kind| kind == ScanKind::Advise(Hint::DontNeed)), read);
}

/// Page 004's "auto" was random for its files of 8 MiB, which switched readahead off.
#[test]
fn auto_goes_by_the_files_size() {
    for (bytes, expected) in [(1, Hint::Random), ((64 << 20) - 1, Hint::Random), (64 << 20, Hint::Sequential)]
    {
        let seen = local(&[("page_cache", "auto"), ("block_size", "64MiB")], &[bytes]);
        assert_eq!(seen.operations[1].kind, ScanKind::Advise(expected));
    }
}

/// The latency of a block that is opened and hinted again includes both, as a data loader's user waits for both.
#[test]
fn latencies_hold_what_is_repeated_for_each_block() {
    for (changes, block_ns, file_ns) in [
        (&[("page_cache", "dontneed")][..], 1000, 5000),
        (&[("page_cache", "dontneed"), ("hint_scope", "every_block")], 2000, 6000),
        (&[("page_cache", "dontneed"), ("hint_scope", "behind")], 1000, 6000),
        (&[("page_cache", "dontneed"), ("open", "per_block")], 3000, 8000),
    ] {
        let seen = local(&[changes, &[("block_size", "4KiB")]].concat(), &[8 * KIB]);
        // A histogram keeps three digits.
        let mean = |family| (seen.recorder.histogram(family).unwrap().mean() / 100.0).round() as u64 * 100;
        assert_eq!((mean("block_latency"), mean("file_latency")), (block_ns, file_ns), "{changes:?}");
    }
}

#[test]
fn an_empty_file_is_opened_and_closed() {
    let seen = local(&[("page_cache", "sequential")], &[0, 5]);
    assert_eq!(steps(&seen.operations), "OCOARC");
    assert_eq!(seen.reader.tally(), Tally { files: 2, blocks: 1, bytes: 5 });
}

#[test]
fn readers_share_a_pass_and_none_of_its_files() {
    let p = parameters(&[("concurrency", "2"), ("block_size", "0B")]);
    let sizes: Arc<[u64]> = vec![7; 10].into();
    let queue = Arc::new(FileQueue::new(&p, &sizes, 0, 1));
    let mut readers = [FileScan::new(&p, &sizes, &queue), FileScan::new(&p, &sizes, &queue)];
    let mut recorder = Recorder::new(readers[0].families());
    let mut opened = Vec::new();
    for turn in 0..100 {
        let reader = &mut readers[usize::from(turn % 3 == 0)];
        let mut out = Vec::new();
        reader.poll(Nanos(turn), &mut out);
        for operation in out {
            opened.extend((operation.kind == ScanKind::Open).then_some(operation.file));
            reader.complete(&Completion { id: 0, result: 0, stamps: None }, &mut recorder);
        }
    }
    assert_eq!(opened, (0..10).collect::<Vec<_>>());
    assert_eq!(readers[0].tally().plus(readers[1].tally()), Tally { files: 10, blocks: 10, bytes: 70 });
}

proptest! {
    /// For any sizes, a local reader reads every byte once, in order, with one file open at a time.
    #[test]
    fn every_byte_is_read_once(
        sizes in prop::collection::vec(0_u64..20_000, 1..20),
        block in prop::sample::select(&["0B", "512B", "4KiB", "1MiB"][..]),
        cache in prop::sample::select(&["normal", "dontneed", "auto"][..]),
        open in prop::sample::select(&["per_file", "per_block"][..]),
    ) {
        let changes = [("block_size", block), ("page_cache", cache), ("open", open), ("order", "shuffled")];
        let seen = local(&changes, &sizes);
        let mut read = vec![0; sizes.len()];
        let mut at = None;
        for operation in &seen.operations {
            match operation.kind {
                ScanKind::Open => prop_assert!(at.replace(operation.file).is_none()),
                ScanKind::Close => prop_assert_eq!(at.take(), Some(operation.file)),
                ScanKind::Advise(_) => prop_assert_eq!(at, Some(operation.file)),
                ScanKind::Read => {
                    prop_assert_eq!(at, Some(operation.file));
                    prop_assert!(operation.length > 0);
                    prop_assert_eq!(operation.offset, read[operation.file as usize]);
                    read[operation.file as usize] += u64::from(operation.length);
                }
            }
        }
        prop_assert_eq!(&read, &sizes);
        prop_assert_eq!(seen.reader.tally().bytes, sizes.iter().sum::<u64>());
        prop_assert_eq!(seen.reader.tally().files, sizes.len() as u64);
    }

    /// Ranges of an object complete in any order; the next object starts when this one is complete.
    #[test]
    fn an_object_is_read_in_ranges_and_alone(
        sizes in prop::collection::vec(0_u64..100_000, 1..10),
        connections in 1_u32..6,
        multipart: bool,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 32),
    ) {
        let connections = connections.to_string();
        let p = parameters(&[
            ("target", "s3://bucket/set"),
            ("multipart", if multipart { "true" } else { "false" }),
            ("range_size", "8KiB"),
            ("block_size", "0B"),
            ("connections", &connections),
        ]);
        let mut turn = 0;
        let seen: Observed<ObjectScan> = observe(&p, &sizes, |in_flight| {
            turn += 1;
            choices[turn % choices.len()].index(in_flight)
        });
        let files: Vec<u32> = seen.operations.iter().map(|operation| operation.file).collect();
        prop_assert!(files.is_sorted(), "{:?}", files);
        let unit = if multipart { 8 * KIB } else { u64::MAX };
        let ranges: u64 = sizes.iter().map(|bytes| bytes.div_ceil(unit)).sum();
        prop_assert_eq!(seen.operations.len() as u64, ranges);
        let tally = seen.reader.tally();
        prop_assert_eq!(tally, Tally { files: sizes.len() as u64, blocks: ranges, bytes: sizes.iter().sum() });
        let whole = sizes.iter().filter(|bytes| **bytes > 0).count() as u64;
        prop_assert_eq!(seen.recorder.histogram("file_latency").unwrap().len(), whole);
    }
}
