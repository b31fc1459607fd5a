//! RocksDB: direct I/O of its tables, and its log.
//!
//! Meanings and defaults: `include/rocksdb/options.h`, <https://github.com/facebook/rocksdb/wiki/Direct-IO>,
//! <https://github.com/facebook/rocksdb/wiki/WAL-Performance>. `WriteOptions::sync` and `disableWAL` belong to each write,
//! not to the database, and save time by giving up durability: they are never advised.

use crate::cause::{About, Cause};
use crate::caveat::Caveat;
use crate::comparison::{Comparison, Outcome};
use crate::evidence::{Arms, Evidence, Proposal};
use crate::level::Level;
use crate::rule::{Database, Rule};
use crate::setting::{Alternative, DefaultValue, Kind, Loss, NoAdvice, Syntax};
use crate::source::Source;
use crate::statement::{Arm, Compared, Follows, Log, Statement, Survives, Work};

/// Five memory caps with two metrics each; a study with more caps divides the same share of error.
const DIRECT_COMPARISONS: usize = 10;

pub(super) const DATABASE: Database = Database {
    name: "RocksDB",
    id: "rocksdb",
    fragment: "rocksdb-options.ini",
    syntax: Syntax::RocksdbOptions,
    rules: &[
        Rule {
            setting: "use_direct_reads",
            kind: Kind::Flag,
            default: DefaultValue::Always("false"),
            source: Source::study("kv-modes"),
            comparisons: DIRECT_COMPARISONS,
            decide: direct,
        },
        // The same comparisons, because the study switches both settings together.
        Rule {
            setting: "use_direct_io_for_flush_and_compaction",
            kind: Kind::Flag,
            default: DefaultValue::Always("false"),
            source: Source::study("kv-modes"),
            comparisons: 0,
            decide: direct,
        },
        Rule {
            setting: "recycle_log_file_num",
            kind: Kind::Integer,
            default: DefaultValue::Always("0"),
            source: Source::study("wal-layout"),
            comparisons: 1,
            decide: recycle_log_file_num,
        },
        Rule {
            setting: "manual_wal_flush",
            kind: Kind::Flag,
            default: DefaultValue::Always("false"),
            source: Source {
                study: "append",
                vary: &[("arm", &["pwrite", "rocksdb_wal", "rocksdb_manual_wal_flush"])],
            },
            comparisons: 1,
            decide: manual_wal_flush,
        },
    ],
    hazards: &[],
};

/// Reads and loads by metric.
const WORK: &[(Work, &str)] =
    &[(Work::Reads, "hit_operations_per_s"), (Work::LoadAndDrain, "load_and_drain_operations_per_s")];

/// Direct I/O if it is proven better under some memory cap and worse under none; buffered in the opposite case. The study
/// switches reads, flushes and compactions together, so one answer applies to both settings.
fn direct(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let mut compared: Vec<(Arm, Comparison)> = Vec::new();
    let caps = caps(evidence);
    let evidence = evidence.sharing(DIRECT_COMPARISONS, caps.len() * WORK.len());
    for cap in caps {
        let held: Vec<Level<'_>> = [("engine", "rocksdb"), ("filesystem", "host")]
            .into_iter()
            .chain(cap.as_deref().map(|cap| ("memory_cap", cap)))
            .collect();
        let arms = Arms {
            workload: "kv",
            held: &held,
            base: &[("io", "buffered")],
            other: &[("io", "direct")],
            across_classes: false,
        };
        for (work, metric) in WORK {
            let tables = Arm::DirectTables { work: *work, memory_cap: cap.clone() };
            compared.push((tables, evidence.contrast(arms, metric)?));
        }
    }
    let is = |outcome: Outcome| compared.iter().any(|(_, contrast)| contrast.outcome == outcome);
    if let Some((tables, open)) = compared.iter().find(|(_, found)| found.outcome == Outcome::Undecided) {
        return Err(open.spans_the_boundary(tables.clone(), Arm::BufferedTables));
    }
    let pair = |(tables, contrast): &(Arm, Comparison)| contrast.pair(tables.clone(), Arm::BufferedTables);
    let pairs: Vec<Compared> = compared.iter().map(pair).collect();
    let value = match (is(Outcome::Better), is(Outcome::Worse)) {
        (true, true) => {
            return Err(NoAdvice::undecided(Cause::Disagree { pairs, about: About::MemoryAndWork }));
        }
        (is_better, _) => is_better,
    };
    let effects = compared
        .iter()
        .map(|(_, contrast)| if value { contrast.effect("false") } else { contrast.effect_of_base("true") });
    Ok(Proposal {
        effects: effects.collect(),
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
        ..Proposal::new(value.to_string(), Statement::of_pairs(pairs))
    })
}

/// The memory caps that RocksDB ran under; a single `None` if a study has none.
fn caps(evidence: &Evidence<'_>) -> Vec<Option<String>> {
    let factor = evidence.of_workload("kv").find_map(|(_, plan)| plan.factor("memory_cap"));
    factor.map_or_else(
        || vec![None],
        |factor| factor.levels.iter().map(|level| Some(level.to_string())).collect(),
    )
}

/// <https://github.com/facebook/rocksdb/pull/6351> disabled it; <https://github.com/facebook/rocksdb/pull/12403> enabled it
/// again, at a price.
pub(crate) const RECYCLE_BY_VERSION: Caveat = Caveat::Note(
    "Before pull request 12403 RocksDB resets it to 0 with its default recovery mode, kPointInTimeRecovery: \
     look in the LOG file for the value in effect. Since then it rejects writes with disableWAL = true while \
     logs are recycled: leave it at 0 if any of your writes uses that.",
);

/// A recycled log overwrites blocks that were written before; otherwise every log is a growing file.
fn recycle_log_file_num(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let arms = Arms {
        workload: "commit",
        held: &[
            ("wal_mode", "buffered"),
            ("ioengine", "psync"),
            ("read_depth", "0"),
            ("sync", "fdatasync"),
            ("filesystem", "host"),
        ],
        base: &[("wal_layout", "append")],
        other: &[("wal_layout", "prefilled")],
        across_classes: false,
    };
    let overwritten = evidence.contrast(arms, "commits_per_s")?;
    let (other, base) = (Arm::OverwrittenLog, Arm::Log(Log::Growing));
    let pair = overwritten.pair(other.clone(), base.clone());
    let (value, effect, statement) = match overwritten.outcome {
        Outcome::Undecided => return Err(overwritten.spans_the_boundary(other, base)),
        Outcome::Better => ("1", overwritten.effect("0"), Statement::of_pair(pair)),
        Outcome::Worse | Outcome::Equal => {
            let statement = Statement::with(vec![pair], Follows::OverwritingGainsNothing);
            ("0", overwritten.effect_of_base("1"), statement)
        }
    };
    Ok(Proposal {
        effects: vec![effect],
        grounds: vec![overwritten.ground],
        caveats: vec![
            Caveat::Note(
                "Measured on a log of Syncline with every write synced, as with WriteOptions::sync; 1 is the smallest \
                 number that recycles. RocksDB ignores it with WAL_ttl_seconds, WAL_size_limit_MB, and the recovery modes \
                 kTolerateCorruptedTailRecords and kAbsoluteConsistency.",
            ),
            RECYCLE_BY_VERSION,
        ],
        ..Proposal::new(value, statement)
    })
}

/// With it a write is acknowledged while it is in a buffer of the process, and dies with the process. So it stays off, and
/// the advice states what it would gain and lose.
fn manual_wal_flush(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let rocksdb: &[Level<'_>] = &[("engine", "rocksdb"), ("filesystem", "host")];
    let arms = Arms {
        workload: "append",
        held: rocksdb,
        base: &[("durability", "wal")],
        other: &[("durability", "manual_wal_flush")],
        across_classes: true,
    };
    let manual = evidence.contrast(arms, "entries_per_s")?;
    let held = [rocksdb, &[("durability", "manual_wal_flush")]].concat();
    let found = evidence.cells("append", &held)?;
    let mut lost_max: f64 = 0.0;
    for cell in &found.cells {
        let lost =
            evidence.figure(&found, cell, "lost_after_kill")?.values.iter().filter_map(|(_, value)| *value);
        lost_max = lost.fold(lost_max, f64::max);
    }
    let pair = manual.pair(Arm::Value("manual_wal_flush".to_owned()), Arm::RocksDbDefault);
    Ok(Proposal {
        alternatives: vec![Alternative {
            value: "true".to_owned(),
            statement: Statement::of_pair(pair),
            loses: Some(Loss::EntriesInKill(lost_max)),
        }],
        grounds: vec![manual.ground],
        ..Proposal::new("false", Statement::Keeps(Survives::RocksDbProcess))
    })
}
