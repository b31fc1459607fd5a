//! MySQL's InnoDB: how it opens its data files, and which call it syncs with.
//!
//! Meanings and defaults: <https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html>,
//! <https://dev.mysql.com/doc/refman/8.4/en/mysql-nutshell.html> (what 8.4 changed them to), and for
//! `innodb_use_fdatasync`
//! <https://dev.mysql.com/worklog/task/?id=14452>. `O_DIRECT_NO_FSYNC`,
//! `littlesync`, `nosync` and `innodb_flush_log_at_trx_commit` are never advised, because they save time by giving up
//! durability.

pub(crate) mod pages;

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::effect::Standing;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, log, on_host};
use crate::no_advice::NoAdvice;
use crate::rule::{Database, Decide, Hazard, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::signs::Signs;
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::values::Values;
use crate::weighed::{Choose, Weighed};
use model::IoMode;
use settings::Syntax;
use workload::IoEngine;
use workload::commit::{PARAMETERS as COMMIT, Sync};

const COMMITS: &str = "commits_per_s";
/// The minimum share of read bytes that must come from the device in the buffered arm: below it, the page cache served
/// part of its reads.
const FROM_DISK_MIN: f64 = 0.95;

pub(super) const DATABASE: Database = Database {
    name: "MySQL 8 (InnoDB)",
    program: "MySQL",
    id: "mysql",
    aliases: &["innodb", "mariadb"],
    fragment: "my.cnf",
    syntax: Syntax::MysqlOptions,
    names: None,
    families: &[RULES, pages::RULES],
    of_itself: &[],
    hazards: &[
        Hazard {
            setting: "innodb_flush_log_at_trx_commit",
            values: Values::AllBut("1"),
            loses: "acknowledged commits can be lost, and commits do not wait for the disk as they did in this \
                measurement",
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
    signs: Signs {
        programs: &["mysqld", "mariadbd"],
        sockets: &["mysqld.sock", "mysql.sock"],
        data_directories: &["/var/lib/mysql"],
    },
};

const RULES: &[Rule] = &[
    Rule {
        facts: Facts::new(
            "innodb_flush_method",
            ValueKind::Name,
            DefaultValue::Since { version: "8.4", value: "O_DIRECT", before: "fsync" },
            TakesEffect::Restart,
            "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_flush_method",
        )
        .trying(&["fsync"]),
        source: Some(Source::study("commit-modes", 1)),
        comparisons: 1,
        decide: Decide::Study(flush_method),
    },
    Rule {
        facts: Facts::new(
            "innodb_use_fdatasync",
            ValueKind::Flag,
            DefaultValue::Since { version: "8.4", value: "ON", before: "OFF" },
            TakesEffect::AtOnce,
            "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_use_fdatasync",
        )
        .since("8.0.26")
        .trying(&["OFF"]),
        source: Some(Source {
            study: "commit-modes",
            vary: &[(COMMIT.sync.name(), &[Sync::Fdatasync.name(), Sync::Fsync.name()])],
            minutes: 1,
        }),
        comparisons: 1,
        decide: Decide::Study(use_fdatasync),
    },
];

/// O_DIRECT applies to data files only: the log is written through the page cache and synced either way.
fn flush_method(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let held = [
        COMMIT.wal_mode.at(Some(IoMode::Buffered)),
        COMMIT.sync.at(Sync::Fdatasync),
        COMMIT.ioengine.at(IoEngine::Uring),
        on_host(),
        COMMIT.read_depth.at(32),
    ];
    let arms = Arms {
        workload: "commit",
        held: &held,
        base: &[COMMIT.data_mode.at(Some(IoMode::Buffered))],
        other: &[COMMIT.data_mode.at(Some(IoMode::Direct))],
        across_classes: false,
    };
    let direct = evidence.contrast(arms, COMMITS)?;
    let pair = direct.pair("beside commits, direct reads", "buffered reads");
    if direct.outcome == Standing::Worse {
        let share = from_disk(evidence, &held)?;
        if share < FROM_DISK_MIN {
            return Err(NoAdvice::undecided(Cause::FromCache { pair, share: 1.0 - share }));
        }
    }
    Ok(Weighed {
        effects: vec![direct.effect("O_DIRECT", "fsync")],
        needs: direct.needs,
        grounds: vec![direct.ground],
        caveats: vec![Caveat::Note(
            "Measured with page reads beside a log that is synced; InnoDB's writes to its data files were not \
             measured. The memory that the page cache no longer needs can go to innodb_buffer_pool_size.",
        )],
        ..Weighed::new(Choose::Compared, Statement::of_pair(pair))
    })
}

/// Share of the bytes of buffered reads that the device delivered: the smallest of the cells.
fn from_disk(evidence: &Evidence<'_>, held: &[Level]) -> Result<f64, NoAdvice> {
    let buffered = [held, &[COMMIT.data_mode.at(Some(IoMode::Buffered))]].concat();
    let found = evidence.cells("commit", &buffered)?;
    let mut least: f64 = 1.0;
    for cell in &found.cells {
        let values = &found.plan.configurations[cell.configuration];
        let page_bytes = f64::from(COMMIT.page_size.of(values).unwrap_or(4096));
        let mean = evidence.figure(&found, cell, "device_read_bytes_per_read")?.mean.point;
        least = least.min(mean.unwrap_or(page_bytes) / page_bytes);
    }
    Ok(least)
}

/// fdatasync omits metadata that is not needed to read the data back.
fn use_fdatasync(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let arms = Arms {
        workload: "commit",
        held: &log(&[]),
        base: &[COMMIT.sync.at(Sync::Fsync)],
        other: &[COMMIT.sync.at(Sync::Fdatasync)],
        across_classes: false,
    };
    let fdatasync = evidence.contrast(arms, COMMITS)?;
    let pair = fdatasync.pair("fdatasync", "fsync");
    Ok(Weighed {
        effects: vec![fdatasync.effect("ON", "OFF")],
        needs: fdatasync.needs,
        grounds: vec![fdatasync.ground],
        caveats: vec![Caveat::Note("The setting exists since MySQL 8.0.26; MariaDB does not have it.")],
        ..Weighed::new(Choose::Compared, Statement::of_pair(pair))
    })
}
