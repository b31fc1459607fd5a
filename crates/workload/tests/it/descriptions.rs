//! What configurations are to everybody but their workload.

use model::description::{Content, Direction, Part, Stream};
use model::parameter::ParameterKind;
use model::plan::{Plan, StudyPlan};
use model::{Cache, Configuration, Description, DurabilityClass, IoMode, Schema, Value};

fn schema(workload: &str) -> &'static Schema {
    workload::schema(workload).unwrap()
}

fn values(workload: &str, changes: &[(&str, &str)]) -> Configuration {
    let schema = schema(workload);
    let mut values = schema.defaults();
    for (name, level) in changes {
        values.0.insert((*name).to_owned(), schema.parameter(name).unwrap().parse(level).unwrap());
    }
    values
}

fn describe(workload: &str, changes: &[(&str, &str)]) -> Description {
    (schema(workload).describe)(&values(workload, changes)).unwrap()
}

fn access(stream: Option<&Stream>) -> Option<(IoMode, Option<u64>)> {
    stream.map(|stream| (stream.mode, stream.block_bytes))
}

#[test]
fn a_commit_reads_pages_and_writes_a_log() {
    let commit = describe("commit", &[("read_depth", "4")]);
    assert_eq!(access(commit.reads()), Some((IoMode::Buffered, Some(4096))));
    assert_eq!(access(commit.writes()), Some((IoMode::Buffered, Some(512))));
    assert!(commit.syncs && commit.cache == Cache::Cold);
    assert_eq!(commit.data_streams().map(|stream| stream.direction).collect::<Vec<_>>(), [Direction::Read]);
    assert_eq!((commit.threads, commit.in_flight_max), (1, 5));
    assert_eq!(commit.durability, Some(DurabilityClass::Power));
    let apart = describe("commit", &[("data_mode", "direct"), ("committers", "3")]);
    assert_eq!(apart.reads().map(|reads| reads.mode), Some(IoMode::Direct));
    assert_eq!((apart.writes().map(|writes| writes.mode), apart.threads), (Some(IoMode::Buffered), 3));
    assert!(!apart.is_all_direct() && apart.needs_direct());
    let unsafe_ = describe("commit", &[("sync", "none")]);
    assert!(!unsafe_.syncs && unsafe_.figures.flushes.is_none());
}

/// Page 000 compared sync latencies of the two modes: under direct the data is written before the timer starts.
#[test]
fn what_a_sync_times_depends_on_how_the_log_is_written() {
    let part = |changes: &[(&str, &str)], parameter: &str| {
        let timed = describe("commit", changes).figures.timed;
        let of = timed.iter().find(|timed| timed.family == "sync_latency" && timed.parameter == parameter);
        of.unwrap().part
    };
    assert_eq!(part(&[], "mode"), Part::WrittenBySync);
    assert_eq!(part(&[("mode", "direct")], "mode"), Part::WrittenBeforeSync);
    assert_eq!(part(&[("mode", "direct"), ("wal_mode", "buffered")], "mode"), Part::WrittenBySync);
    assert_eq!(part(&[("sync", "dsync")], "sync"), Part::DurableByWrite);
}

#[test]
fn a_device_job_reads_or_writes_one_file() {
    let read = describe("device", &[("numjobs", "2"), ("iodepth", "16")]);
    assert_eq!((access(read.reads()), read.writes()), (Some((IoMode::Buffered, Some(4096))), None));
    assert_eq!((read.threads, read.in_flight_max), (2, 32));
    let write = describe("device", &[("rw", "write"), ("data", "zero")]);
    assert_eq!((write.reads(), write.content), (None, Content::Zero));
    let mixed = describe("device", &[("rw", "randrw")]);
    assert!(mixed.reads().is_some() && mixed.writes().is_some());
    let open = describe("device", &[("rate_iops", "300"), ("numjobs", "2")]);
    assert_eq!(open.arrivals.map(|arrivals| arrivals.per_s), Some(600.0));
    for (percent, cache) in [("0", Cache::Cold), ("50", Cache::AsIs), ("100", Cache::Warm)] {
        let of = describe("device", &[("cache", "warm"), ("cached_percentage", percent)]);
        assert_eq!(of.cache, cache, "{percent} % warm");
    }
}

#[test]
fn a_transaction_is_a_commit_if_its_script_writes() {
    let tpcb = describe("transactions", &[("clients", "8"), ("rate", "100")]);
    assert_eq!((tpcb.threads, tpcb.in_flight_max, tpcb.durability), (8, 8, Some(DurabilityClass::Power)));
    assert!(tpcb.in_engine && tpcb.syncs && tpcb.writes().is_some() && tpcb.turns.slice_min_s >= 0.1);
    assert_eq!(tpcb.figures.flushes.map(|flushes| flushes.if_declared), Some(true));
    assert_eq!(tpcb.arrivals.map(|arrivals| arrivals.per_s), Some(100.0), "the rate is of all clients");
    let reads = describe("transactions", &[("script", "select_only")]);
    assert!(!reads.syncs && reads.writes().is_none() && reads.figures.flushes.is_none());
    let off = describe("transactions", &[("settings", "synchronous_commit = off")]);
    assert_eq!((off.durability, off.syncs), (Some(DurabilityClass::None), false));
    assert_eq!(off.names.arm_parameters, ["settings", "programs", "directory", "filesystem"]);
}

#[test]
fn what_leaves_work_behind_takes_no_turns() {
    for (workload, changes, takes_turns) in [
        ("commit", &[][..], true),
        ("commit", &[("mode", "direct"), ("sync", "none")], true),
        ("commit", &[("groups", "1000")], true),
        ("commit", &[("sync", "none")], false),
        ("commit", &[("wal_layout", "append")], false),
        ("commit", &[("wal_layout", "fallocated"), ("wal_mode", "direct")], false),
        ("device", &[], true),
        ("device", &[("rate_iops", "300")], true),
        ("device", &[("rw", "read")], true),
        ("device", &[("rw", "read"), ("mode", "direct")], true),
        ("device", &[("number_ios", "300")], true),
        ("device", &[("rw", "write"), ("mode", "direct")], true),
        ("device", &[("rw", "write"), ("fdatasync", "1")], true),
        ("device", &[("rw", "write"), ("fdatasync", "32")], false),
        ("device", &[("rw", "randrw")], false),
        ("device", &[("rw", "randrw"), ("rwmixread", "100")], true),
        ("device", &[("rw", "write"), ("mode", "direct"), ("end_fsync", "true")], false),
        ("append", &[("durability", "fdatasync")], true),
        ("append", &[("durability", "o_dsync"), ("ioengine", "uring"), ("iodepth", "4")], true),
        ("append", &[("durability", "fdatasync"), ("sync_every", "32")], false),
        ("append", &[("durability", "o_sync"), ("buffer_size", "4KiB")], false),
        ("append", &[("durability", "sync_at_end")], false),
        ("append", &[], false),
        ("append", &[("engine", "lmdb"), ("durability", "sync")], false),
        ("pool", &[("access", "random")], true),
        ("pool", &[("subject", "postgres")], false),
        ("pool", &[("access", "sequential"), ("mode", "buffered"), ("cache", "cold")], false),
        ("pool", &[("access", "sequential"), ("mode", "buffered"), ("cache", "warm")], true),
        ("pool", &[("access", "sequential"), ("mode", "direct"), ("cache", "cold")], true),
        ("scan", &[("page_cache", "normal"), ("block_size", "64KiB")], false),
        ("scan", &[("page_cache", "sequential"), ("block_size", "64KiB")], false),
        ("scan", &[("page_cache", "dontcache"), ("block_size", "64KiB")], false),
        ("scan", &[("page_cache", "mmap"), ("block_size", "64KiB")], false),
        ("scan", &[("page_cache", "random"), ("block_size", "64KiB")], true),
        ("scan", &[("page_cache", "random"), ("block_size", "64KiB"), ("hint_scope", "behind")], false),
        ("scan", &[("page_cache", "direct"), ("block_size", "64KiB")], true),
        ("scan", &[("page_cache", "normal"), ("block_size", "0B")], true),
        ("scan", &[("cache", "warm"), ("page_cache", "mmap")], true),
        ("scan", &[("target", "/data")], false),
        ("scan", &[("target", "/data"), ("page_cache", "dontcache")], false),
        ("scan", &[("target", "/data"), ("page_cache", "direct")], true),
        ("scan", &[("target", "s3://bucket/set")], false),
        ("object", &[], false),
        ("object", &[("io", "direct")], true),
        ("object", &[("io", "direct"), ("mix", "get/90:put/10")], false),
        ("object", &[("io", "direct"), ("mix", "stat/100")], false),
        ("object", &[("target", "s3://bucket/set")], false),
        ("kv", &[], true),
        ("kv", &[("engine", "rocksdb"), ("rate_ops", "50")], true),
        ("transactions", &[], true),
        ("transactions", &[("checkpoints", "cycle")], true),
        ("transactions", &[("checkpoints", "cycle"), ("settings", "checkpoint_flush_after = 0")], false),
        ("transactions", &[("settings", "synchronous_commit = off")], false),
        ("transactions", &[("settings", "fsync = off"), ("script", "select_only")], true),
    ] {
        assert_eq!(describe(workload, changes).turns.interleavable, takes_turns, "{workload} {changes:?}");
    }
}

/// Ranks could not begin it together: each would begin as soon as it is ready.
#[test]
fn a_scan_begins_when_told_whether_or_not_it_takes_turns() {
    for target in ["none", "/data", "s3://bucket/set"] {
        assert!(describe("scan", &[("target", target)]).turns.begins_when_told, "{target}");
    }
    assert!(!describe("pool", &[("subject", "postgres")]).turns.begins_when_told);
}

/// A pilot would take operations that a phase is to consist of.
#[test]
fn a_phase_that_ends_by_a_count_says_so() {
    for (workload, changes, ends_by_count) in [
        ("commit", &[][..], false),
        ("commit", &[("groups", "1000")], true),
        ("device", &[], false),
        ("device", &[("number_ios", "300")], true),
        ("pool", &[], true),
        ("scan", &[], true),
        ("kv", &[("reads", "0")], false),
        ("kv", &[("reads", "300")], true),
    ] {
        let duration = describe(workload, changes).duration;
        assert_eq!(duration.ends_by_count(), ends_by_count, "{workload} {changes:?}");
    }
}

/// Trials that take turns share what none of them changes, and nothing that another one would find in the page cache.
#[test]
fn only_files_that_are_read_directly_are_shared() {
    for (workload, changes, shares) in [
        ("device", &[("mode", "direct")][..], true),
        ("device", &[], false),
        ("device", &[("mode", "direct"), ("rw", "write")], false),
        ("commit", &[("read_depth", "4"), ("data_mode", "direct")], true),
        ("commit", &[("read_depth", "4")], false),
        ("scan", &[("page_cache", "direct")], true),
        ("scan", &[], false),
        ("pool", &[("mode", "direct")], false),
        ("kv", &[("io", "direct")], false),
    ] {
        assert_eq!(describe(workload, changes).shares_files("data"), shares, "{workload} {changes:?}");
    }
}

/// Four formulas turned a percentage into bytes, and disagreed: with four committers the kernel enforced 1 GiB, and an
/// audit judged 640 MiB.
#[test]
fn a_cap_in_percent_is_one_of_all_files() {
    let cap = |workload: &str, changes: &[(&str, &str)]| describe(workload, changes).memory_cap_bytes;
    let half = ("memory_cap", "50%");
    assert_eq!(
        cap("commit", &[("committers", "4"), half]),
        Some(1 << 30),
        "1 GiB of data, four logs of 256 MiB"
    );
    assert_eq!(cap("device", &[("size", "16GiB"), ("memory_cap", "12.5%")]), Some(2 << 30));
    assert_eq!(cap("append", &[("entries", "1000"), half]), Some(58_000), "half of a thousand entries");
    let kv = [("keys", "1000"), ("key_size", "24"), ("value_size", "100B"), ("memory_cap", "25%")];
    assert_eq!(cap("kv", &kv), Some(31_000), "of what is loaded");
    assert_eq!(
        cap("scan", &[("target", "/data"), half]),
        Some(256 << 20),
        "of a dataset that is not ours too"
    );
    assert_eq!(cap("device", &[("memory_cap", "1GiB")]), Some(1 << 30));
    assert_eq!(cap("device", &[]), None);
}

#[test]
fn an_append_writes_entries_and_syncs_as_its_durability_says() {
    let plain = describe("append", &[]);
    assert_eq!((plain.reads(), access(plain.writes())), (None, Some((IoMode::Buffered, Some(116)))));
    assert!(!plain.syncs && plain.data_streams().next().is_none());
    assert!(describe("append", &[("durability", "o_dsync")]).syncs);
    let deep = describe("append", &[("ioengine", "uring"), ("iodepth", "32")]);
    assert_eq!((deep.in_flight_max, deep.depth.map(|depth| depth.operations)), (32, Some(32)));
    assert!(
        deep.figures.loads.is_empty(),
        "an entry waits for those before it, in which nothing is in flight"
    );
    let engine = describe("append", &[("engine", "lmdb"), ("durability", "sync"), ("threads", "4")]);
    assert_eq!((engine.threads, engine.in_flight_max, engine.depth), (4, 4, None));
    assert!(
        !engine.syncs && engine.durability.is_none(),
        "which levels of an engine sync, its records declare"
    );
    assert_eq!(describe("append", &[("values", "constant")]).content, Content::Compressible);
}

#[test]
fn an_engine_in_phases_reads_and_writes_what_was_loaded() {
    let kv = describe("kv", &[("io", "direct"), ("threads", "2"), ("rate_ops", "50")]);
    assert!(kv.is_all_direct() && kv.data_streams().count() == 2);
    assert!(!kv.needs_direct(), "an engine finds out by itself whether it can");
    assert_eq!((kv.threads, kv.arrivals.map(|arrivals| arrivals.per_s)), (2, Some(100.0)));
    assert_eq!(kv.data_bytes, Some(500_000 * 124));
    let own_rate = [("phases", "db_bench"), ("threads", "2"), ("writers", "3"), ("writer_rate_ops", "70")];
    let beside = describe("kv", &own_rate);
    assert_eq!((beside.threads, beside.in_flight_max, beside.duration.phases), (5, 5, 3));
    let arrivals = beside.arrivals.unwrap();
    assert_eq!((arrivals.parameter.as_str(), arrivals.per_s), ("writer_rate_ops", 210.0));
    assert_eq!(arrivals.rates, ["write_while_reading_operations_per_s"]);
    assert_eq!(describe("kv", &own_rate[1..]).arrivals, None, "no phase has writers");
}

#[test]
fn a_scan_reads_a_dataset_in_blocks() {
    let cold = describe("scan", &[("page_cache", "dontneed"), ("concurrency", "3")]);
    assert_eq!((access(cold.reads()), cold.writes()), (Some((IoMode::Buffered, Some(1 << 20))), None));
    assert_eq!((cold.threads, cold.in_flight_max, cold.data_bytes), (3, 3, Some(512 << 20)));
    assert_eq!((cold.cache, cold.cache_of_later_passes), (Cache::Cold, Some(Cache::Cold)));
    let once = describe("scan", &[("cache", "cold")]);
    assert_eq!((once.cache, once.cache_of_later_passes), (Cache::Cold, Some(Cache::AsIs)));
    let whole = describe("scan", &[("block_size", "0B")]);
    assert_eq!(access(whole.reads()), Some((IoMode::Buffered, Some(8 << 20))));
    for (page_cache, mode) in
        [("direct", IoMode::Direct), ("dontcache", IoMode::DontCache), ("mmap", IoMode::Mmap)]
    {
        let reads = describe("scan", &[("page_cache", page_cache)]);
        assert_eq!(reads.reads().map(|reads| reads.mode), Some(mode));
    }
    let remote = [("target", "s3://bucket/set"), ("multipart", "true"), ("concurrency", "3")];
    let remote = describe("scan", &remote);
    assert_eq!((remote.cache, remote.in_flight_max), (Cache::AsIs, 12), "nobody here drops a store's cache");
}

/// Trials share a dataset whose parameters are alike, whatever they do with it.
#[test]
fn objects_are_read_and_written_in_a_folder_of_their_own() {
    let mixed = describe("object", &[("mix", "get/50:put/50"), ("clients", "3"), ("sync_puts", "true")]);
    assert_eq!(mixed.streams.len(), 2);
    assert!(mixed.syncs && mixed.durability == Some(DurabilityClass::Power));
    assert_eq!((mixed.threads, mixed.in_flight_max, mixed.cache), (3, 3, Cache::Cold));
    let [folder] = &mixed.room.folders[..] else { panic!("{:?}", mixed.room.folders) };
    // 256 objects of 1 MiB, as many that puts keep, and the ends of their blocks.
    assert_eq!(folder.bytes, 512 * ((1 << 20) + 4096));
    let reads = describe("object", &[]);
    assert_eq!((reads.writes(), &reads.room.folders[0].name), (None, &folder.name));
    assert!(reads.figures.hits.is_some() && reads.figures.reached_device.is_none());
    let remote = describe("object", &[("target", "s3://bucket/set"), ("iodepth", "8"), ("clients", "2")]);
    assert!(remote.in_object_store && remote.room.folders.is_empty() && remote.figures.hits.is_none());
    assert_eq!((remote.in_flight_max, remote.cache), (16, Cache::AsIs));
    let lists = describe("object", &[("mix", "list/100")]);
    assert!(lists.streams.is_empty());
}

#[test]
fn every_description_survives_its_file() {
    for schema in workload::SCHEMAS {
        let described = (schema.describe)(&schema.defaults()).unwrap();
        let json = serde_json::to_string(&described).unwrap();
        assert_eq!(serde_json::from_str::<Description>(&json).unwrap(), described, "{}", schema.workload());
        assert!(json.len() < 4096, "{}: {} bytes a configuration", schema.workload(), json.len());
    }
}

/// Levels that a parameter of this kind does not have: other types, and what is out of bounds.
fn unknown_levels(kind: ParameterKind) -> Vec<Value> {
    let name = |text: &str| Value::Name(text.to_owned());
    match kind {
        ParameterKind::Bytes { max, .. } | ParameterKind::ReadSize { max } => {
            vec![name("no_such_level"), Value::Count(1), Value::Bytes(max.saturating_add(1))]
        }
        ParameterKind::Count { max, .. } => {
            vec![name("no_such_level"), Value::Flag(true), Value::Count(max.saturating_add(1))]
        }
        ParameterKind::Number { max, .. } => {
            vec![name("no_such_level"), Value::Number(max + 1.0), Value::Number(f64::NAN)]
        }
        ParameterKind::OptionalCount { max } => vec![name("no_such_level"), Value::Count(max + 1)],
        ParameterKind::Duration => vec![name("no_such_level"), Value::Count(1)],
        ParameterKind::Choice(_) => vec![name("no_such_level"), name(""), Value::Count(1), Value::Flag(true)],
        ParameterKind::Endpoints | ParameterKind::Name | ParameterKind::Place => {
            vec![Value::Count(1), Value::Flag(true)]
        }
        ParameterKind::FileSystem
        | ParameterKind::IoCap
        | ParameterKind::Settings
        | ParameterKind::Shares(_)
        | ParameterKind::Sizes
        | ParameterKind::Teams
        | ParameterKind::Zones => {
            vec![name("no_such_level"), name(""), Value::Count(1)]
        }
        ParameterKind::Flag => vec![name("no_such_level"), name("true"), Value::Count(1)],
        ParameterKind::Cap => {
            vec![name("no_such_level"), Value::Count(1), Value::Bytes(1), Value::Percent(0.0)]
        }
    }
}

/// 26 places took an unknown level for another one: `_ => Sync::Fdatasync`.
#[test]
fn an_unknown_level_of_any_parameter_is_refused_with_its_name() {
    let mut refused = 0;
    for schema in workload::SCHEMAS {
        for parameter in schema.all() {
            let bounded = |value: &Value| match (parameter.kind, value) {
                (ParameterKind::Bytes { max, .. }, Value::Bytes(bytes)) => *bytes > max,
                (ParameterKind::Count { max, .. }, Value::Count(count)) => *count > max,
                _ => true,
            };
            let levels = unknown_levels(parameter.kind).into_iter().filter(bounded).map(Some);
            for level in levels.chain([None]) {
                let mut values = schema.defaults();
                values.0.remove(parameter.name);
                values.0.extend(level.clone().map(|level| (parameter.name.to_owned(), level)));
                let place = format!("{}: {} = {level:?}", schema.workload(), parameter.name);
                let error = (schema.describe)(&values).expect_err(&place);
                assert_eq!(
                    (error.workload, error.parameter.as_str()),
                    (schema.workload(), parameter.name),
                    "{place}"
                );
                refused += 1;
            }
        }
    }
    assert!(refused > 400, "{refused}");
}

fn plan(workload: &str, values: Configuration) -> StudyPlan {
    let text = include_str!("../../../hostile/seeds/run/plan.json");
    let mut plan: Plan = serde_json::from_str(text).unwrap();
    StudyPlan { workload: workload.to_owned(), configurations: vec![values], ..plan.studies.remove(0) }
}

/// A plan of before `buffer_pages` and `age`: nobody knows what pages its buffers had.
#[test]
fn a_plan_that_is_older_than_a_parameter_is_described_at_its_default_and_says_so() {
    let mut old = values("device", &[("iodepth", "7")]);
    old.0.retain(|name, _| !["buffer_pages", "age", "registered"].contains(&name.as_str()));
    let mut plan = plan("device", old);
    workload::older_plan::complete(&mut plan);
    let [description] = &plan.descriptions[..] else { panic!("{:?}", plan.descriptions) };
    assert_eq!((description.in_flight_max, description.buffer_pages), (7, None));
    let unrecorded: Vec<&str> = description.names.unrecorded.keys().map(String::as_str).collect();
    assert_eq!(unrecorded, ["age", "buffer_pages", "registered"]);
}

#[test]
fn what_a_later_version_planned_stays_undescribed() {
    let mut later = plan("later", Configuration::default());
    workload::older_plan::complete(&mut later);
    assert!(later.descriptions.is_empty());
    let mut values = values("device", &[]);
    values.0.insert("rw".to_owned(), Value::Name("compare".to_owned()));
    let mut level = plan("device", values);
    workload::older_plan::complete(&mut level);
    assert!(level.descriptions.is_empty(), "an unknown level is no other level");
}

/// What help calls without effect must not multiply trials either.
#[test]
fn a_parameter_documented_without_effect_has_its_rule() {
    for schema in workload::SCHEMAS {
        let documented = schema.all().filter(|parameter| parameter.help.to_lowercase().contains("no effect"));
        for parameter in documented {
            let rules = schema.definitions.without_effect.iter();
            let has_rule = rules.flat_map(|rule| rule.parameters).any(|name| *name == parameter.name);
            assert!(has_rule, "{}: {}", schema.workload(), parameter.name);
        }
        for name in schema.definitions.without_effect.iter().flat_map(|rule| rule.parameters) {
            schema.parameter(name).unwrap();
        }
    }
}
