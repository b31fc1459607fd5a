//! What parameters mean, for each workload.

use super::{Access, Cache, Circumstances, Content, Workload};
use model::{Configuration, IoMode, Value};
use synthetic::{Synthetic, name};

fn of(study: &Synthetic) -> Circumstances {
    let plan = study.plan();
    Workload::of(&plan.workload).circumstances(&plan.configurations[0])
}

fn buffered(block_bytes: u64) -> Access {
    Access { mode: IoMode::Buffered, block_bytes }
}

#[test]
fn a_commit_reads_pages_and_writes_a_log() {
    let commit = of(&Synthetic::commit());
    assert_eq!((commit.reads, commit.writes), (Some(buffered(4096)), Some(buffered(0))));
    assert!(commit.syncs && !commit.writes_data && commit.cache == Cache::Cold);
    assert_eq!((commit.threads, commit.in_flight_max, commit.arrivals_per_s), (1.0, 5.0, None));
    let apart = Synthetic::commit().fix("data_mode", name("direct")).fix("committers", Value::Count(3));
    let apart = of(&apart);
    assert_eq!(apart.reads.map(|access| access.mode), Some(IoMode::Direct));
    assert_eq!((apart.writes.map(|access| access.mode), apart.threads), (Some(IoMode::Buffered), 3.0));
    assert!(!apart.is_all_direct());
}

#[test]
fn a_device_job_reads_or_writes_one_file() {
    let read = of(&Synthetic::device());
    assert_eq!((read.reads, read.writes), (Some(buffered(4096)), None));
    assert_eq!((read.threads, read.in_flight_max), (2.0, 32.0));
    let write = of(&Synthetic::device().fix("rw", name("write")).fix("data", name("zero")));
    assert_eq!((write.reads, write.writes, write.content), (None, Some(buffered(4096)), Content::Zero));
    let mixed = of(&Synthetic::device().fix("rw", name("randrw")));
    assert!(mixed.reads.is_some() && mixed.writes.is_some());
    let open = of(&Synthetic::device().fix("rate_iops", Value::Count(300)));
    assert_eq!(open.arrivals_per_s, Some(600.0));
}

#[test]
fn a_cap_in_percent_is_one_of_all_files() {
    let capped = of(&Synthetic::device().fix("memory_cap", Value::Percent(12.5)));
    assert_eq!(capped.memory_cap_bytes, Some((2_u64 << 30) as f64));
    let commit = Synthetic::commit()
        .fix("data_size", Value::Bytes(300))
        .fix("wal_size", Value::Bytes(100))
        .fix("memory_cap", Value::Percent(50.0));
    assert_eq!(of(&commit).memory_cap_bytes, Some(200.0));
}

fn append(values: &[(&str, Value)]) -> Configuration {
    let common = [
        ("engine", name("file")),
        ("durability", name("none")),
        ("ioengine", name("psync")),
        ("iodepth", Value::Count(1)),
        ("key_size", Value::Count(16)),
        ("value_size", Value::Bytes(100)),
        ("values", name("random")),
        ("entries", Value::Count(1000)),
        ("size", Value::Bytes(1 << 30)),
        ("threads", Value::Count(1)),
        ("memory_cap", Value::Percent(50.0)),
    ];
    let all = common.iter().chain(values).map(|(name, value)| ((*name).to_owned(), value.clone()));
    Configuration(all.collect())
}

#[test]
fn an_append_writes_entries_and_syncs_as_its_durability_says() {
    let of = |values: &[(&str, Value)]| Workload::of("append").circumstances(&append(values));
    let plain = of(&[]);
    assert_eq!((plain.reads, plain.writes), (None, Some(buffered(116))));
    assert!(!plain.syncs && !plain.writes_data && plain.content == Content::Random);
    assert_eq!(plain.memory_cap_bytes, Some(58_000.0), "half of a thousand entries");
    assert!(of(&[("durability", name("o_dsync"))]).syncs);
    let deep = of(&[("ioengine", name("uring")), ("iodepth", Value::Count(32))]);
    assert_eq!((deep.in_flight_max, deep.depth), (32.0, Some(("iodepth", 32))));
    let engine = of(&[("engine", name("lmdb")), ("durability", name("sync")), ("threads", Value::Count(4))]);
    assert_eq!((engine.threads, engine.in_flight_max, engine.depth), (4.0, 4.0, None));
    assert!(!engine.syncs, "which levels of an engine sync, its records declare");
    assert_eq!(of(&[("values", name("constant"))]).content, Content::Compressible);
}

#[test]
fn an_engine_in_phases_reads_and_writes_what_was_loaded() {
    let values = [
        ("io", name("direct")),
        ("keys", Value::Count(1000)),
        ("key_size", Value::Count(24)),
        ("value_size", Value::Bytes(100)),
        ("threads", Value::Count(2)),
        ("rate_ops", Value::Count(50)),
        ("memory_cap", Value::Percent(25.0)),
    ];
    let values = values.into_iter().map(|(name, value)| (name.to_owned(), value));
    let kv = Workload::of("kv").circumstances(&Configuration(values.collect()));
    assert!(kv.is_all_direct() && kv.writes_data);
    assert_eq!((kv.threads, kv.arrivals_per_s), (2.0, Some(100.0)));
    assert_eq!((kv.data_bytes, kv.memory_cap_bytes), (Some(124_000), Some(31_000.0)));
}

#[test]
fn a_scan_reads_a_dataset_in_blocks() {
    let scan = || {
        Synthetic::scan()
            .fix("files", Value::Count(64))
            .fix("file_size", Value::Bytes(8 << 20))
            .fix("block_size", Value::Bytes(1 << 20))
            .fix("page_cache", name("dontneed"))
            .fix("concurrency", Value::Count(3))
    };
    let cold = of(&scan());
    assert_eq!((cold.reads, cold.writes, cold.cache), (Some(buffered(1 << 20)), None, Cache::Cold));
    assert_eq!((cold.threads, cold.in_flight_max, cold.data_bytes), (3.0, 3.0, Some(512 << 20)));
    let whole = of(&scan().fix("block_size", Value::Bytes(0)));
    assert_eq!(whole.reads, Some(buffered(8 << 20)));
    for (page_cache, mode) in
        [("direct", IoMode::Direct), ("dontcache", IoMode::DontCache), ("mmap", IoMode::Mmap)]
    {
        let reads = of(&scan().fix("page_cache", name(page_cache))).reads;
        assert_eq!(reads.map(|access| access.mode), Some(mode));
    }
    assert_eq!(of(&scan().fix("cache", name("warm"))).cache, Cache::Warm);
    let remote = scan().fix("target", name("s3://bucket/set")).fix("multipart", Value::Flag(true));
    let remote = of(&remote.fix("connections", Value::Count(4)));
    assert_eq!(
        (remote.cache, remote.in_flight_max),
        (Cache::AsIs, 12.0),
        "nobody here drops a store's cache"
    );
}

#[test]
fn a_workload_of_a_later_version_means_nothing_yet() {
    let values = Synthetic::device().plan().configurations.remove(0);
    let unknown = Workload::of("later").circumstances(&values);
    assert_eq!(unknown, Circumstances::default());
}
