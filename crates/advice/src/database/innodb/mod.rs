//! InnoDB, of MySQL and of MariaDB: how it opens its data files, and which call it syncs with.
//!
//! The two have settings of the same names with other defaults and other values, so each has a table of its own. What
//! is compared on the disk is the same.

pub(crate) mod pages;

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::effect::Standing;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, log, on_host};
use crate::no_advice::NoAdvice;
use crate::rule::{Decide, Hazard, Rule};
use crate::setting::Facts;
use crate::signs::Signs;
use crate::source::Source;
use crate::statement::Statement;
use crate::values::Values;
use crate::weighed::{Choose, Weighed};
use model::IoMode;
use workload::IoEngine;
use workload::commit::{PARAMETERS as COMMIT, Sync};

const COMMITS: &str = "commits_per_s";
/// The minimum share of read bytes that must come from the device in the buffered arm: below it, the page cache served
/// part of its reads.
const FROM_DISK_MIN: f64 = 0.95;

/// What both have alike. A process says which of them it is.
pub(super) const SIGNS: Signs =
    Signs { programs: &[], sockets: &["mysqld.sock", "mysql.sock"], data_directories: &["/var/lib/mysql"] };

pub(super) const LOG_IS_NOT_FLUSHED: Hazard = Hazard {
    setting: "innodb_flush_log_at_trx_commit",
    values: Values::AllBut("1"),
    loses: "acknowledged commits can be lost, and commits do not wait for the disk as they did in this measurement",
};
pub(super) const FILES_ARE_NOT_SYNCED: Hazard = Hazard {
    setting: "innodb_flush_method",
    values: Values::These(&["O_DIRECT_NO_FSYNC", "littlesync", "nosync"]),
    loses: "data files are not always synced: a power loss can destroy them",
};
pub(super) const PAGES_CAN_BE_TORN: &str = "a power loss can leave torn pages, which cannot be repaired";
pub(super) const BINARY_LOG_IS_NOT_SYNCED: Hazard = Hazard {
    setting: "sync_binlog",
    // A larger number syncs once for this number of commit groups.
    values: Values::AllBut("1"),
    loses: "a power loss can remove commits from the binary log that the tables contain",
};

/// `innodb_flush_method`.
pub(super) const fn flush_method(facts: Facts) -> Rule {
    Rule {
        facts,
        source: Some(Source::study("commit-modes", 1)),
        comparisons: 1,
        decide: Decide::Study(direct_data_files),
    }
}

const SYNCS: Source = Source {
    study: "commit-modes",
    vary: &[(COMMIT.sync.name(), &[Sync::Fdatasync.name(), Sync::Fsync.name()])],
    minutes: 1,
};

/// `innodb_use_fdatasync`, which MySQL has.
pub(super) const fn use_fdatasync(facts: Facts) -> Rule {
    Rule { facts, source: Some(SYNCS), comparisons: 1, decide: Decide::Study(syncs_of_data) }
}

/// O_DIRECT applies to data files only. The log is synced either way; MySQL writes it through the page cache, and
/// MariaDB since 10.8.4 around it.
fn direct_data_files(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
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
fn syncs_of_data(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
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
        caveats: vec![Caveat::Note("The setting exists since MySQL 8.0.26.")],
        ..Weighed::new(Choose::Compared, Statement::of_pair(pair))
    })
}
