//! MySQL's InnoDB: how it opens its data files, and which call it syncs with.
//!
//! Meanings and defaults: <https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html>,
//! <https://dev.mysql.com/doc/refman/8.4/en/mysql-nutshell.html> (what 8.4 changed them to), and for `innodb_use_fdatasync`
//! <https://dev.mysql.com/worklog/task/?id=14452>. `O_DIRECT_NO_FSYNC`,
//! `littlesync`, `nosync` and `innodb_flush_log_at_trx_commit` are never advised, because they save time by giving up
//! durability.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::comparison::Outcome;
use crate::evidence::{Arms, Evidence, Proposal};
use crate::level::Level;
use crate::rule::{Database, Hazard, Rule, Values};
use crate::setting::{DefaultValue, Kind, NoAdvice, Syntax};
use crate::source::Source;
use crate::statement::{Arm, Statement};

const COMMITS: &str = "commits_per_s";
/// The minimum share of read bytes that must come from the device in the buffered arm: below it, the page cache served part
/// of its reads.
const FROM_DISK_MIN: f64 = 0.95;

pub(super) const DATABASE: Database = Database {
    name: "MySQL 8 (InnoDB)",
    id: "mysql",
    fragment: "my.cnf",
    syntax: Syntax::MysqlOptions,
    rules: &[
        Rule {
            setting: "innodb_flush_method",
            kind: Kind::Name,
            default: DefaultValue::Since { version: "8.4", value: "O_DIRECT", before: "fsync" },
            source: Source::study("commit-modes"),
            comparisons: 1,
            decide: flush_method,
        },
        Rule {
            setting: "innodb_use_fdatasync",
            kind: Kind::Flag,
            default: DefaultValue::Since { version: "8.4", value: "ON", before: "OFF" },
            source: Source { study: "commit-modes", vary: &[("sync", &["fdatasync", "fsync"])] },
            comparisons: 1,
            decide: use_fdatasync,
        },
    ],
    hazards: &[
        Hazard {
            setting: "innodb_flush_log_at_trx_commit",
            values: Values::AllBut("1"),
            loses: "acknowledged commits can be lost, and commits do not wait for the disk as they did in this measurement",
        },
        Hazard {
            setting: "innodb_flush_method",
            values: Values::These(&["O_DIRECT_NO_FSYNC", "littlesync", "nosync"]),
            loses: "data files are not always synced: a power loss can destroy them",
        },
        Hazard {
            setting: "innodb_doublewrite",
            values: Values::These(&["OFF", "DETECT_ONLY"]),
            loses: "a power loss can leave torn pages, which cannot be repaired",
        },
        Hazard {
            setting: "sync_binlog",
            // A larger number syncs once for this number of commit groups.
            values: Values::AllBut("1"),
            loses: "a power loss can remove commits from the binary log that the tables contain",
        },
    ],
};

/// O_DIRECT applies to data files only: the log is written through the page cache and synced either way.
fn flush_method(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let held: &[Level<'_>] = &[
        ("wal_mode", "buffered"),
        ("sync", "fdatasync"),
        ("ioengine", "uring"),
        ("filesystem", "host"),
        ("read_depth", "32"),
    ];
    let arms = Arms {
        workload: "commit",
        held,
        base: &[("data_mode", "buffered")],
        other: &[("data_mode", "direct")],
        across_classes: false,
    };
    let direct = evidence.contrast(arms, COMMITS)?;
    let pair = direct.pair(Arm::ReadsAround, Arm::ReadsThrough);
    let (value, effect) = match direct.outcome {
        Outcome::Undecided => return Err(direct.spans_the_boundary(Arm::ReadsAround, Arm::ReadsThrough)),
        // Even if it is only equal, it keeps no page in memory twice.
        Outcome::Better | Outcome::Equal => ("O_DIRECT", direct.effect("fsync")),
        Outcome::Worse => {
            let share = from_disk(evidence, held)?;
            if share < FROM_DISK_MIN {
                return Err(NoAdvice::undecided(Cause::FromCache { pair, share: 1.0 - share }));
            }
            ("fsync", direct.effect_of_base("O_DIRECT"))
        }
    };
    Ok(Proposal {
        effects: vec![effect],
        grounds: vec![direct.ground],
        caveats: vec![Caveat::Note(
            "Measured with page reads beside a log that is synced; InnoDB's writes to its data files were not \
             measured. The memory that the page cache no longer needs can go to innodb_buffer_pool_size.",
        )],
        ..Proposal::new(value, Statement::of_pair(pair))
    })
}

/// Share of the bytes of buffered reads that the device delivered: the smallest of the cells.
fn from_disk(evidence: &Evidence<'_>, held: &[Level<'_>]) -> Result<f64, NoAdvice> {
    let buffered = [held, &[("data_mode", "buffered")]].concat();
    let found = evidence.cells("commit", &buffered)?;
    let mut least: f64 = 1.0;
    for cell in &found.cells {
        let page_bytes =
            found.plan.configurations[cell.configuration].bytes("page_size").unwrap_or(4096) as f64;
        let mean = evidence.figure(&found, cell, "device_read_bytes_per_read")?.mean.point;
        least = least.min(mean.unwrap_or(page_bytes) / page_bytes);
    }
    Ok(least)
}

/// fdatasync omits metadata that is not needed to read the data back.
fn use_fdatasync(evidence: &Evidence<'_>) -> Result<Proposal, NoAdvice> {
    let arms = Arms {
        workload: "commit",
        held: &[("wal_mode", "buffered"), ("ioengine", "psync"), ("read_depth", "0"), ("filesystem", "host")],
        base: &[("sync", "fsync")],
        other: &[("sync", "fdatasync")],
        across_classes: false,
    };
    let fdatasync = evidence.contrast(arms, COMMITS)?;
    let (other, base) = (Arm::Value("fdatasync".to_owned()), Arm::Value("fsync".to_owned()));
    let pair = fdatasync.pair(other.clone(), base.clone());
    let (value, effect) = match fdatasync.outcome {
        Outcome::Undecided => return Err(fdatasync.spans_the_boundary(other, base)),
        Outcome::Better => ("ON", fdatasync.effect("OFF")),
        Outcome::Worse => ("OFF", fdatasync.effect_of_base("ON")),
        // The default of the version in use is equally good.
        Outcome::Equal => return Err(NoAdvice::undecided(Cause::EitherIsAsGood(vec![pair]))),
    };
    Ok(Proposal {
        effects: vec![effect],
        grounds: vec![fdatasync.ground],
        caveats: vec![Caveat::Note("The setting exists since MySQL 8.0.26; MariaDB does not have it.")],
        ..Proposal::new(value, Statement::of_pair(pair))
    })
}
