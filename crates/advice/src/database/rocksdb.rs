//! RocksDB: direct I/O of its tables, and its log.
//!
//! Meanings and defaults: `include/rocksdb/options.h`, <https://github.com/facebook/rocksdb/wiki/Direct-IO>,
//! <https://github.com/facebook/rocksdb/wiki/WAL-Performance>. `WriteOptions::sync` and `disableWAL` belong to each write,
//! not to the database, and save time by giving up durability: they are never advised.

use crate::comparison::{Comparison, Outcome};
use crate::evidence::{Arms, Evidence, Proposal};
use crate::level::Level;
use crate::rule::{Database, Rule};
use crate::setting::{Alternative, DefaultValue, Kind, NoAdvice, Syntax};
use crate::source::Source;
use verdict::phrase;

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

/// Loads and reads: name and metric.
const WORK: &[(&str, &str)] = &[
    ("reads of stored keys", "hit_operations_per_s"),
    ("load and drain", "load_and_drain_operations_per_s"),
];

/// Direct I/O if it is proven better under some memory cap and worse under none; buffered in the opposite case. The study
/// switches reads, flushes and compactions together, so one answer applies to both settings.
fn direct(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let mut said: Vec<(String, Comparison)> = Vec::new();
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
            let at = cap.as_ref().map_or_else(String::new, |cap| format!(", memory_cap = {cap}"));
            said.push((format!("{work}{at}"), evidence.contrast(arms, metric)?));
        }
    }
    let is = |outcome: Outcome| said.iter().any(|(_, contrast)| contrast.outcome == outcome);
    if let Some((work, open)) = said.iter().find(|(_, contrast)| contrast.outcome == Outcome::Undecided) {
        return Err(open.spans_the_boundary(&format!("direct ({work})"), "buffered"));
    }
    let words: Vec<String> =
        said.iter().map(|(work, contrast)| contrast.words(&format!("direct ({work})"), "buffered")).collect();
    let value = match (is(Outcome::Better), is(Outcome::Worse)) {
        (true, true) => {
            return Err(NoAdvice::undecided(format!(
                "it depends on the memory cap and on the operation, and the study switches both settings together: {}",
                words.join("; ")
            )));
        }
        (is_better, _) => is_better,
    };
    let effects = said
        .iter()
        .map(|(_, contrast)| if value { contrast.effect("false") } else { contrast.effect_of_base("true") });
    Ok(Proposal {
        value: value.to_string(),
        loadable: true,
        statement: words.join("; "),
        effects: effects.collect(),
        grounds: said.iter().map(|(_, contrast)| contrast.ground.clone()).collect(),
        caveats: vec![
            "The study switches use_direct_reads and use_direct_io_for_flush_and_compaction together: set both to the same value.".to_owned(),
            "The block cache was equally small in both arms; the memory that the page cache no longer needs can go to it.".to_owned(),
        ],
        ..Proposal::default()
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
const RECYCLE_BY_VERSION: &str = "Before pull request 12403 RocksDB resets it to 0 with its default recovery mode, \
    kPointInTimeRecovery: look in the LOG file for the value in effect. Since then it rejects writes with disableWAL = true \
    while logs are recycled: leave it at 0 if any of your writes uses that.";

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
    let words = overwritten.words("an overwritten log", "a growing one");
    let (value, effect, statement) = match overwritten.outcome {
        Outcome::Undecided => {
            return Err(overwritten.spans_the_boundary("an overwritten log", "a growing one"));
        }
        Outcome::Better => ("1", overwritten.effect("0"), words),
        Outcome::Worse | Outcome::Equal => {
            ("0", overwritten.effect_of_base("1"), format!("{words}: overwriting gains nothing here"))
        }
    };
    Ok(Proposal {
        value: value.to_owned(),
        loadable: true,
        statement,
        effects: vec![effect],
        grounds: vec![overwritten.ground],
        caveats: vec![
            "Measured on a log of Syncline with every write synced, as with WriteOptions::sync; 1 is the smallest \
             number that recycles. RocksDB ignores it with WAL_ttl_seconds, WAL_size_limit_MB, and the recovery modes \
             kTolerateCorruptedTailRecords and kAbsoluteConsistency."
                .to_owned(),
            RECYCLE_BY_VERSION.to_owned(),
        ],
        ..Proposal::default()
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
    let words = manual.words("manual_wal_flush", "RocksDB's default");
    Ok(Proposal {
        value: "false".to_owned(),
        loadable: true,
        statement: "acknowledged writes survive if the process dies".to_owned(),
        alternatives: vec![Alternative {
            value: "true".to_owned(),
            statement: words,
            loses: format!(
                "acknowledged writes if the process dies: up to {} entries in one kill here",
                phrase::figure("lost_after_kill", lost_max)
            ),
        }],
        grounds: vec![manual.ground],
        ..Proposal::default()
    })
}
