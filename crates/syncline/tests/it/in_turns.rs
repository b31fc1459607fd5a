//! Workloads whose trials take turns, through the whole program: in which phases they do, and that a phase is complete.

#![allow(clippy::float_cmp, reason = "shares and counts are exact")]

use crate::laboratory::Laboratory;
use crate::laboratory::trial::figure;
use model::trial::{TrialOutcome, TrialRecord};

fn study(workload: &str, factor: &str, fixed: &str) -> String {
    format!(
        "question = \"Who takes turns?\"\nworkload = \"{workload}\"\n[factors]\n{factor}\n[fixed]\n{fixed}\n\
         [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    )
}

/// Each phase of a trial with whether it took turns, and the operations of all turns together.
fn phases(record: &TrialRecord) -> Vec<(&str, bool, u64)> {
    assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
    let phases = &record.measurement.as_ref().unwrap().phases;
    phases
        .iter()
        .map(|phase| (phase.name.as_str(), phase.turns.is_some(), phase.counted_operations()))
        .collect()
}

#[test]
fn a_pool_takes_turns_in_its_passes_of_reads() {
    let lab = Laboratory::new();
    let records =
        lab.measure_in_turns(&study("pool", "headroom = [1.0, 1.02]", "blocks = 256\nmode = \"direct\""));
    assert_eq!(records.len(), 2);
    for record in &records {
        let fits = record.values.number("headroom").unwrap() > 1.01;
        let frames = if fits { 261 } else { 256 };
        let expected = [
            ("fill", false, 260),
            ("write_back", false, 260),
            ("displace", false, frames),
            ("first_read", true, 260),
            ("second_read", true, 260),
        ];
        assert_eq!(phases(record), expected, "{}", record.values);
        assert_eq!(record.ensemble.len(), 2);
        assert_eq!(figure(record, "second_read_hit_share"), if fits { 1.0 } else { 0.0 });
        assert!(figure(record, "first_read_us") > 0.0 && figure(record, "page_read_us") > 0.0);
    }
}

/// Trials through the page cache and of direct reads, each pass cold although the others have read the same sizes. The
/// kernel reads on for one that reads block by block: it would do so in the others' turns.
#[test]
fn a_scan_takes_turns_within_a_cold_pass() {
    let lab = Laboratory::new();
    let factor = "page_cache = [\"random\", \"auto\", \"direct\", \"normal\"]";
    let fixed = "files = 4\nfile_size = \"1MiB\"\nblock_size = \"256KiB\"\npasses = 2\nopen = \"per_file\"";
    for record in &lab.measure_in_turns(&study("scan", factor, fixed)) {
        let passes = phases(record);
        let names: Vec<(&str, bool)> = passes.iter().map(|(name, turns, _)| (*name, *turns)).collect();
        let takes_turns = !record.values.is("page_cache", "normal");
        assert_eq!(names, [("pass_1", takes_turns), ("pass_2", takes_turns)], "{}", record.values);
        for pass in ["pass_1", "pass_2"] {
            let of_pass =
                |name: &str| record.metric_of(pass, name).and_then(|figure| figure.value().copied());
            assert_eq!(of_pass("pass_cached_share_before"), Some(0.0), "{pass}: {}", record.values);
            assert_eq!(of_pass("pass_read_bytes"), Some(4.0 * 1024.0 * 1024.0), "{pass}: {}", record.values);
        }
        assert!(figure(record, "bandwidth_bytes_per_s") > 0.0);
    }
}

#[test]
fn entries_that_are_synced_are_appended_in_turns() {
    let lab = Laboratory::new();
    let factor = "durability = [\"fdatasync\", \"o_dsync\", \"none\"]";
    for record in &lab.measure_in_turns(&study("append", factor, "entries = 50\nruntime = \"0s\"")) {
        let is_synced = !record.values.is("durability", "none");
        assert_eq!(phases(record), [("measure", is_synced, 50)], "{}", record.values);
        assert_eq!(figure(record, "lost_after_kill"), 0.0, "{}", record.values);
        assert!(figure(record, "entries_per_s") > 0.0);
    }
}

/// Readers and writers of one phase have their turns together, and each kind its own count.
#[test]
fn readers_and_writers_share_their_turns_if_each_put_is_durable() {
    let lab = Laboratory::new();
    let fixed = "keys = 200\nphases = \"db_bench\"\nphase_runtime = \"50ms\"\nwriters = 2";
    for record in &lab.measure_in_turns(&study("kv", "engine = [\"lmdb\", \"fjall\"]", fixed)) {
        let is_durable = !record.values.is("engine", "fjall");
        let turns: Vec<(&str, bool)> =
            phases(record).into_iter().map(|(name, takes_turns, _)| (name, takes_turns)).collect();
        let expected =
            [("load", false), ("read_hit", true), ("scan", true), ("read_while_writing", is_durable)];
        assert_eq!(turns, expected, "{}", record.values);
        assert!(figure(record, "read_while_writing_operations_per_s") > 0.0);
    }
}

/// A put of LMDB or SQLite is durable by default; fjall keeps it in memory.
#[test]
fn a_store_is_read_in_turns_and_written_alone_unless_each_put_is_durable() {
    let lab = Laboratory::new();
    let fixed = "keys = 200\nreads = 100\nphase_runtime = \"0s\"";
    let engines = "engine = [\"lmdb\", \"sqlite\", \"fjall\"]";
    for record in &lab.measure_in_turns(&study("kv", engines, fixed)) {
        let is_durable = !record.values.is("engine", "fjall");
        let expected = [
            ("load", false, 200),
            ("read_hit", true, 100),
            ("read_miss", true, 100),
            ("mixed", is_durable, 100),
            ("scan", true, 100),
        ];
        assert_eq!(phases(record), expected, "{}", record.values);
        assert!(figure(record, "hit_operations_per_s") > 0.0);
        // Memory that processes share is a file too, and dirty: it holds no data.
        let taken =
            record.measurement.as_ref().unwrap().phases.iter().filter_map(|phase| phase.turns.as_ref());
        let left: Vec<_> = taken.filter_map(|turns| turns.left_bytes_max.clone()).collect();
        assert!(left.iter().all(|left| *left.value().unwrap_or(&0) == 0), "{}: {left:?}", record.values);
    }
}
