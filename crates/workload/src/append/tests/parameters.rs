//! What a configuration means, and which combinations are refused.

use super::*;
use crate::kv;
use model::DurabilityClass::{None as Dies, Power, Process};
use model::Layout;

fn refusal(changes: &[(&str, &str)]) -> String {
    let error = (SCHEMA.check)(&configuration(changes)).unwrap_err();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

#[test]
fn every_default_is_valid_and_together_they_are_the_plain_file() {
    for parameter in SCHEMA.all() {
        assert!(parameter.parse(parameter.default).is_ok(), "{}", parameter.name);
    }
    let p = Parameters::read(&SCHEMA.defaults()).unwrap();
    (SCHEMA.check)(&SCHEMA.defaults()).unwrap();
    assert_eq!((p.store(), p.entry_bytes(), p.entries), (Store::File(FileDurability::None), 116, 100_000));
    assert!(p.payload_bytes() >= 1 << 20 && p.payload_bytes() < (1 << 20) + 116);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_out() {
    let file = |changes: &[(&str, &str)], expected: &str| {
        let error = refusal(changes);
        assert_eq!(error, expected);
    };
    file(&[("entries", "0")], "the trial does not end: set entries or runtime");
    file(
        &[("durability", "fdatasnyc")],
        "append: durability = \"fdatasnyc\": expected default | none | sync_at_end | fdatasync | o_dsync | o_sync with engine = file; did you mean \"fdatasync\"?",
    );
    file(
        &[("durability", "wal")],
        "append: durability = \"wal\": expected default | none | sync_at_end | fdatasync | o_dsync | o_sync with engine = file",
    );
    file(
        &[("iodepth", "8")],
        "ioengine = psync has one write in flight, but iodepth is 8: set iodepth = 1 or ioengine = uring",
    );
    file(
        &[("threads", "2")],
        "engine = file has one writer, but threads is 2: set threads = 1, or take an engine",
    );
    file(
        &[("buffer_size", "64")],
        "an entry of 116B does not fit into buffer_size = 64B: take a larger buffer, or 0 for none",
    );
    file(
        &[("buffer_size", "4k"), ("durability", "fdatasync")],
        "durability = fdatasync counts written entries, but a buffer acknowledges them unwritten: set buffer_size = 0, or durability = o_dsync for a sync with every buffer",
    );
    file(
        &[("buffer_size", "4k"), ("writes_per_entry", "2")],
        "writes_per_entry = 2 has no effect if a buffer is written whole: set buffer_size = 0 or writes_per_entry = 1",
    );
    file(
        &[("value_size", "0"), ("writes_per_entry", "2")],
        "writes_per_entry = 2 writes the value by itself, but value_size is 0: set writes_per_entry = 1",
    );
    file(
        &[("size", "1k")],
        "50 entries of 116B are more than size = 1KiB: take fewer entries or a larger size",
    );
    let uring = [("ioengine", "uring"), ("iodepth", "8"), ("durability", "fdatasync"), ("sync_every", "7")];
    file(
        &uring,
        "durability = fdatasync waits for the writes of each 7 entries, so iodepth = 8 is never reached: lower iodepth or raise sync_every",
    );
    file(
        &[("sync_every", "7")],
        "sync_every = 7 is for durability = fdatasync, but durability is none: set sync_every = 1",
    );
    file(
        &[("durability", "o_dsync"), ("sync_every", "7")],
        "sync_every = 7 is for durability = fdatasync, but durability is o_dsync: set sync_every = 1",
    );
    for (name, level, way_out) in [
        ("sync_every", "7", "sync_every = 7 is for engine = file, but engine is redb: set sync_every = 1"),
        (
            "buffer_size",
            "4k",
            "buffer_size = 4KiB is for engine = file, but engine is redb: set buffer_size = 0",
        ),
        (
            "iodepth",
            "2",
            "iodepth = 2 is for engine = file, but engine is redb: set iodepth = 1 and take more threads",
        ),
        (
            "writes_per_entry",
            "2",
            "writes_per_entry = 2 is for engine = file, but engine is redb: set writes_per_entry = 1",
        ),
    ] {
        file(&[("engine", "redb"), (name, level)], way_out);
    }
    file(
        &[("engine", "redb"), ("threads", "51")],
        "51 threads have less than one entry each: entries and size allow 50, use fewer threads",
    );
}

#[test]
fn a_level_of_an_engine_is_left_to_the_engine() {
    let p = parameters(&[("engine", "rocksdb"), ("durability", "manual_wal_flush"), ("threads", "4")]);
    let expected = Store::Engine { name: "rocksdb", level: Some("manual_wal_flush") };
    assert_eq!(p.store(), expected);
    assert_eq!((p.durability(), p.files(), p.in_flight_max()), (None, vec![], 1));
    let lmdb = parameters(&[("engine", "lmdb")]);
    let Store::Engine { level, .. } = lmdb.store() else { panic!() };
    assert_eq!(level, None);
    assert_eq!(ENGINES[1..], *kv::ENGINES);
}

#[test]
fn classes_are_those_of_what_is_acknowledged() {
    for (level, sync_every, buffer_size, class) in [
        ("none", "1", "0", Process),
        ("sync_at_end", "1", "0", Process),
        ("fdatasync", "1", "0", Power),
        ("fdatasync", "2", "0", Process),
        ("o_dsync", "1", "0", Power),
        ("o_sync", "1", "0", Power),
        ("none", "1", "4KiB", Dies),
        ("o_sync", "1", "4KiB", Dies),
    ] {
        let changes = [("durability", level), ("sync_every", sync_every), ("buffer_size", buffer_size)];
        assert_eq!(parameters(&changes).durability(), Some(class), "{level} {sync_every} {buffer_size}");
    }
}

#[test]
fn the_file_is_as_large_as_its_entries() {
    let need = |changes: &[(&str, &str)]| parameters(changes).files().remove(0);
    assert_eq!((need(&[]).size_bytes, need(&[]).layout), (5800, Layout::Append));
    let timed = need(&[("entries", "0"), ("runtime", "2s"), ("layout", "prefilled"), ("size", "1MiB")]);
    assert_eq!((timed.size_bytes, timed.layout), (1_048_524, Layout::Prefilled));
    let block_bytes =
        |changes: &[(&str, &str)]| (SCHEMA.describe)(&configuration(changes)).unwrap().streams[0].block_bytes;
    assert_eq!(block_bytes(&[("buffer_size", "64KiB")]), Some(564 * 116));
    assert_eq!(block_bytes(&[("engine", "fjall")]), None);
}

/// Even in a small trial, a process that will be killed writes until then, and the disk has room for it.
#[test]
fn a_process_that_is_to_be_killed_has_no_end_of_its_own_and_a_bound() {
    let of = |changes: &[(&str, &str)]| {
        let configuration = configuration(changes);
        let killed = Parameters::read(&configuration).unwrap().until_killed();
        assert_eq!((killed.entries, killed.runtime), (0, Nanos::ZERO));
        let bytes = (SCHEMA.describe)(&configuration).unwrap().room.killed_bytes;
        assert_eq!(bytes, killed.entries_max() * 116);
        bytes >> 20
    };
    assert_eq!(of(&[("entries", "10"), ("size", "1g")]), 255);
    assert_eq!(of(&[("entries", "10"), ("size", "1g"), ("engine", "lmdb")]), 63);
    assert_eq!(of(&[("entries", "10"), ("size", "8m"), ("runtime", "300ms")]), 7);
}
