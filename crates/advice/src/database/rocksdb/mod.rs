//! RocksDB: direct I/O of its tables, and its log.
//!
//! Meanings and defaults: `include/rocksdb/options.h`, <https://github.com/facebook/rocksdb/wiki/Direct-IO>,
//! <https://github.com/facebook/rocksdb/wiki/WAL-Performance>. `WriteOptions::sync` and `disableWAL` belong to each
//! write, not to the database, and save time by giving up durability: they are never advised.

mod background;
pub(crate) mod rate_limiter;

use crate::caveat::Caveat;
use crate::compared::Compared;
use crate::comparison::Comparison;
use crate::decision::{Alternative, Loss};
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, log, on_host};
use crate::log::{Log, OVERWRITTEN_LOG};
use crate::measured_on::OfItself;
use crate::no_advice::NoAdvice;
use crate::rule::{Database, Decide, Hazard, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::signs::Signs;
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::values::{Override, Values};
use crate::weighed::{Choose, Weighed};
use model::{EVERY_TRIAL, IoMode, Layout, LoadPart, Value};
use settings::Syntax;
use workload::append::PARAMETERS as APPEND;
use workload::commit::{PARAMETERS as COMMIT, Sync};
use workload::kv::PARAMETERS as KV;

/// The engine.
const ROCKSDB: &str = "rocksdb";
const MEMORY_CAP: &str = EVERY_TRIAL.memory_cap.name();

/// Five memory caps with two metrics each; a study with more caps divides the same share of error.
const DIRECT_COMPARISONS: usize = 10;
const OPTIONS: &str = "https://github.com/facebook/rocksdb/blob/main/include/rocksdb/options.h";

pub(super) const DATABASE: Database = Database {
    name: "RocksDB",
    program: "RocksDB",
    id: "rocksdb",
    aliases: &["rocks"],
    fragment: "rocksdb-options.ini",
    syntax: Syntax::RocksdbOptions,
    names: None,
    families: &[RULES, background::RULES, rate_limiter::RULES],
    of_itself: &[
        OfItself { workload: "kv", held: || vec![KV.engine.at(ROCKSDB)] },
        OfItself { workload: "append", held: || vec![APPEND.engine.at(ROCKSDB)] },
    ],
    hazards: &[
        Hazard {
            setting: "manual_wal_flush",
            values: Values::These(&["true"]),
            loses: "acknowledged writes are lost if the process dies",
        },
        Hazard {
            setting: "disableWAL",
            values: Values::These(&["true"]),
            loses: "acknowledged writes are lost if the process dies before its memtable is flushed",
        },
        // include/rocksdb/options.h
        Hazard {
            setting: "unordered_write",
            values: Values::These(&["true"]),
            loses: "snapshots are not immutable: a reader of one, of an iterator or of a MultiGet can see writes that \
                came after it",
        },
        Hazard {
            setting: "paranoid_checks",
            values: Values::These(&["false"]),
            loses: "the store opens with damaged files, and goes on writing after a failed write to its log, a flush \
                or a compaction",
        },
        Hazard {
            setting: "wal_recovery_mode",
            values: Values::These(&["kSkipAnyCorruptedRecords", "kTolerateCorruptedTailRecords"]),
            loses: "recovery drops damaged records of the log without an error, acknowledged and synced ones too",
        },
    ],
    signs: Signs {
        // They keep their data in RocksDB. Other programs have it inside, and their names tell nothing.
        programs: &["kvrocks", "tikv-server", "arangod", "ceph-osd"],
        sockets: &[],
        data_directories: &[],
    },
};

/// The study of direct I/O, with RocksDB for Syncline's own store.
const DIRECT_SOURCE: Source =
    Source { study: "kv-modes", vary: &[(KV.engine.name(), &[ROCKSDB])], minutes: 3 };

const RULES: &[Rule] = &[
    Rule {
        facts: Facts::new(
            "use_direct_reads",
            ValueKind::Flag,
            DefaultValue::Always("false"),
            TakesEffect::AtOpen,
            "https://github.com/facebook/rocksdb/wiki/Direct-IO",
        )
        .acting_on(&[LoadPart::DataReads])
        .trying(&["true"])
        .provable(),
        source: Some(DIRECT_SOURCE),
        comparisons: DIRECT_COMPARISONS,
        decide: Decide::Study(direct),
    },
    // The same comparisons, because the study switches both settings together.
    Rule {
        facts: Facts::new(
            "use_direct_io_for_flush_and_compaction",
            ValueKind::Flag,
            DefaultValue::Always("false"),
            TakesEffect::AtOpen,
            "https://github.com/facebook/rocksdb/wiki/Direct-IO",
        )
        .acting_on(&[LoadPart::DataReads, LoadPart::DataWrites])
        .trying(&["true"])
        .provable(),
        source: Some(DIRECT_SOURCE),
        comparisons: 0,
        decide: Decide::Study(direct),
    },
    Rule {
        facts: Facts::new(
            "recycle_log_file_num",
            ValueKind::Integer,
            DefaultValue::Always("0"),
            TakesEffect::AtOpen,
            OPTIONS,
        )
        .acting_on(&[LoadPart::LogSyncs])
        // RocksDB 6.8 to 9.0 have it and reset it.
        .since("9.1")
        .requires(&[
            "better 9.3, which mends two errors with recycled logs",
            "WAL_ttl_seconds = 0 and WAL_size_limit_MB = 0",
            "no write with disableWAL = true",
        ])
        // SanitizeOptions in db/db_impl/db_impl_open.cc of RocksDB 10.4
        .overridden_by(&[
            Override {
                setting: "wal_recovery_mode",
                values: Values::These(&["kTolerateCorruptedTailRecords", "kAbsoluteConsistency"]),
            },
            Override { setting: "WAL_ttl_seconds", values: Values::AllBut("0") },
            Override { setting: "WAL_size_limit_MB", values: Values::AllBut("0") },
        ])
        .trying(&["1"])
        .provable(),
        source: Some(Source::study("wal-layout", 1)),
        comparisons: 1,
        decide: Decide::Study(recycle_log_file_num),
    },
    Rule {
        facts: Facts::new(
            "manual_wal_flush",
            ValueKind::Flag,
            DefaultValue::Always("false"),
            TakesEffect::AtOpen,
            "https://github.com/facebook/rocksdb/wiki/WAL-Performance",
        )
        .acting_on(&[LoadPart::LogWrites])
        .risks(&["with true, acknowledged writes are lost if the process dies"]),
        source: Some(Source {
            study: "append",
            vary: &[("arm", &["pwrite", "rocksdb_wal", "rocksdb_manual_wal_flush"])],
            minutes: 1,
        }),
        comparisons: 1,
        decide: Decide::Study(manual_wal_flush),
    },
];

/// Reads and loads by metric.
const WORK: &[(&str, &str)] = &[
    ("reads of stored keys", "hit_operations_per_s"),
    ("load and drain", "load_and_drain_operations_per_s"),
];

/// Direct I/O has to be proven better under some memory cap, and worse under none. The study
/// switches reads, flushes and compactions together, so one answer applies to both settings.
fn direct(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let mut compared: Vec<(String, Comparison)> = Vec::new();
    let caps = caps(evidence);
    let evidence = evidence.sharing(DIRECT_COMPARISONS, caps.len() * WORK.len());
    for cap in caps {
        let capped = cap.clone().map(|cap| (MEMORY_CAP, cap));
        let held: Vec<Level> = [KV.engine.at(ROCKSDB), on_host()].into_iter().chain(capped).collect();
        let arms = Arms {
            workload: "kv",
            held: &held,
            base: &[KV.io.at(IoMode::Buffered)],
            other: &[KV.io.at(IoMode::Direct)],
            across_classes: false,
        };
        for (work, metric) in WORK {
            let under = cap.as_ref().map_or_else(String::new, |cap| format!(", memory_cap = {cap}"));
            compared.push((format!("direct ({work}{under})"), evidence.contrast(arms, metric)?));
        }
    }
    let pair = |(tables, contrast): &(String, Comparison)| contrast.pair(tables.clone(), "buffered");
    let pairs: Vec<Compared> = compared.iter().map(pair).collect();
    Ok(Weighed {
        effects: compared.iter().map(|(_, contrast)| contrast.effect("true", "false")).collect(),
        needs: compared.iter().find_map(|(_, contrast)| contrast.needs.clone()),
        grounds: compared.iter().map(|(_, contrast)| contrast.ground.clone()).collect(),
        caveats: vec![
            Caveat::Note(
                "The study switches use_direct_reads and use_direct_io_for_flush_and_compaction together: set \
                 both to the same value.",
            ),
            Caveat::Note(
                "The block cache was equally small in both arms; the memory that the page cache no longer \
                 needs can go to it.",
            ),
        ],
        ..Weighed::new(Choose::Compared, Statement::of_pairs(pairs))
    })
}

/// The memory caps that RocksDB ran under; a single `None` if a study has none.
fn caps(evidence: &Evidence<'_>) -> Vec<Option<Value>> {
    let factor = evidence.of_workload("kv").find_map(|(_, plan)| plan.factor(MEMORY_CAP));
    factor.map_or_else(|| vec![None], |factor| factor.levels.iter().cloned().map(Some).collect())
}

/// <https://github.com/facebook/rocksdb/pull/6351> disabled it; <https://github.com/facebook/rocksdb/pull/12403>
/// enabled it again, at a price.
pub(crate) const RECYCLE_BY_VERSION: Caveat = Caveat::Note(
    "RocksDB 6.8 to 9.0 resets it to 0 with its default recovery mode, kPointInTimeRecovery: look in the LOG \
     file for the value in effect. Since 9.1 it rejects writes with disableWAL = true while logs are recycled: \
     leave it at 0 if any of your writes uses that. Two errors of 9.1 and 9.2 with recycled logs are mended in 9.3.",
);

/// A recycled log overwrites blocks that were written before; otherwise every log is a growing file.
fn recycle_log_file_num(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let arms = Arms {
        workload: "commit",
        held: &log(&[COMMIT.sync.at(Sync::Fdatasync)]),
        base: &[COMMIT.wal_layout.at(Layout::Append)],
        other: &[COMMIT.wal_layout.at(Layout::Prefilled)],
        across_classes: false,
    };
    let overwritten = evidence.contrast(arms, "commits_per_s")?;
    let statement = Statement::of_pair(overwritten.pair(OVERWRITTEN_LOG, Log::Growing.arm()));
    Ok(Weighed {
        effects: vec![overwritten.effect("1", "0")],
        needs: overwritten.needs,
        grounds: vec![overwritten.ground],
        caveats: vec![
            Caveat::Note(
                "Measured on a log of Syncline with every write synced, as with WriteOptions::sync; 1 is the smallest \
                 number that recycles. RocksDB ignores it with WAL_ttl_seconds, WAL_size_limit_MB, and the recovery \
                 modes kTolerateCorruptedTailRecords and kAbsoluteConsistency.",
            ),
            RECYCLE_BY_VERSION,
        ],
        ..Weighed::new(Choose::Compared, statement)
    })
}

/// With it a write is acknowledged while it is in a buffer of the process, and dies with the process. So it stays off,
/// and the advice states what it would gain and lose.
fn manual_wal_flush(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let rocksdb = [APPEND.engine.at(ROCKSDB), on_host()];
    let manual = [APPEND.durability.at("manual_wal_flush".to_owned())];
    let arms = Arms {
        workload: "append",
        held: &rocksdb,
        base: &[APPEND.durability.at("wal".to_owned())],
        other: &manual,
        across_classes: true,
    };
    let compared = evidence.contrast(arms, "entries_per_s")?;
    let found = evidence.cells("append", &[&rocksdb[..], &manual].concat())?;
    let mut lost_max: f64 = 0.0;
    for cell in &found.cells {
        let lost =
            evidence.figure(&found, cell, "lost_after_kill")?.values.iter().filter_map(|(_, value)| *value);
        lost_max = lost.fold(lost_max, f64::max);
    }
    let pair = compared.pair("manual_wal_flush", "RocksDB's default");
    Ok(Weighed {
        alternatives: vec![Alternative {
            value: "true".to_owned(),
            statement: Statement::of_pair(pair),
            loses: Some(Loss::EntriesInKill(lost_max)),
        }],
        grounds: vec![compared.ground],
        ..Weighed::new(
            Choose::Guaranteed("false"),
            Statement::Keeps("acknowledged writes survive if the process dies"),
        )
    })
}
