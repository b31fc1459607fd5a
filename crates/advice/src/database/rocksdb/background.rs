//! RocksDB's background work: how it syncs files while it writes them, how far compactions read ahead, and how many run
//! at once. Each value is tried on RocksDB itself, which loads an empty database in every trial.

use crate::level::on_host;
use crate::rule::{Rule, by_the_database};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::source::Source;
use crate::takes_effect::TakesEffect;
use crate::tried::Trying;
use model::LoadPart;
use workload::kv::PARAMETERS as KV;

const OPTIONS: &str = "https://github.com/facebook/rocksdb/blob/main/include/rocksdb/options.h";
const TUNING: &str = "https://github.com/facebook/rocksdb/wiki/RocksDB-Tuning-Guide";

const SOURCE: Option<Source> = Some(Source::study("rocksdb-settings", 3));

const fn on_rocksdb(facts: Facts) -> Rule {
    const TRYING: Trying = Trying {
        workload: "kv",
        held: || vec![KV.engine.at("rocksdb"), on_host()],
        metrics: &["load_and_drain_operations_per_s", "hit_operations_per_s"],
    };
    by_the_database(facts, SOURCE, TRYING)
}

pub(super) const RULES: &[Rule] = &[
    on_rocksdb(
        Facts::new(
            "bytes_per_sync",
            ValueKind::Integer,
            DefaultValue::Always("0"),
            TakesEffect::AtOnce,
            OPTIONS,
        )
        .acting_on(&[LoadPart::DataWrites])
        .trying(&["1048576"])
        .provable(),
    ),
    on_rocksdb(
        Facts::new(
            "wal_bytes_per_sync",
            ValueKind::Integer,
            DefaultValue::Always("0"),
            TakesEffect::AtOnce,
            OPTIONS,
        )
        .acting_on(&[LoadPart::LogWrites])
        .requires(&[
            "writes that are not synced one by one: a sync of each write leaves nothing for it to do",
        ])
        .trying(&["1048576"])
        .provable(),
    ),
    on_rocksdb(
        Facts::new(
            "compaction_readahead_size",
            ValueKind::Integer,
            DefaultValue::Since { version: "8.7", value: "2097152", before: "0" },
            TakesEffect::AtOnce,
            OPTIONS,
        )
        .acting_on(&[LoadPart::DataWrites])
        .risks(&["each compaction has a buffer of this size for each of its input files"])
        .trying(&["262144", "8388608"])
        .provable(),
    ),
    on_rocksdb(
        Facts::new(
            "max_background_jobs",
            ValueKind::Integer,
            DefaultValue::Always("2"),
            TakesEffect::AtOnce,
            TUNING,
        )
        .acting_on(&[LoadPart::DataWrites])
        .risks(&["compactions take more of the disk and of the CPUs from reads and writes"])
        .trying(&["4"])
        .provable(),
    ),
];
