//! MySQL 8 and 9.
//!
//! Meanings and defaults: <https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html>,
//! <https://dev.mysql.com/doc/refman/8.4/en/mysql-nutshell.html> (what 8.4 changed them to), and for
//! `innodb_use_fdatasync` <https://dev.mysql.com/worklog/task/?id=14452>. `O_DIRECT_NO_FSYNC`, `littlesync`, `nosync`
//! and `innodb_flush_log_at_trx_commit` are never advised, because they save time by giving up durability.

use super::innodb::pages::{self, CAPACITY_MAX_REQUIRES, CAPACITY_RISKS, NEIGHBORS_RISK};
use super::innodb::{self, PAGES_CAN_BE_TORN};
use crate::rule::{Database, Hazard, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::signs::Signs;
use crate::takes_effect::TakesEffect;
use crate::values::Values;
use model::LoadPart;
use settings::Syntax;

pub(super) const DATABASE: Database = Database {
    name: "MySQL 8 (InnoDB)",
    program: "MySQL",
    id: "mysql",
    aliases: &["innodb"],
    fragment: "my.cnf",
    syntax: Syntax::MysqlOptions,
    names: None,
    families: &[RULES],
    of_itself: &[],
    hazards: &[
        innodb::LOG_IS_NOT_FLUSHED,
        innodb::FILES_ARE_NOT_SYNCED,
        Hazard {
            setting: "innodb_doublewrite",
            values: Values::These(&["OFF", "DETECT_ONLY"]),
            loses: PAGES_CAN_BE_TORN,
        },
        innodb::BINARY_LOG_IS_NOT_SYNCED,
    ],
    signs: Signs { programs: &["mysqld"], ..innodb::SIGNS },
};

const RULES: &[Rule] = &[
    innodb::flush_method(
        Facts::new(
            "innodb_flush_method",
            ValueKind::Name,
            DefaultValue::Since { version: "8.4", value: "O_DIRECT", before: "fsync" },
            TakesEffect::Restart,
            "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_flush_method",
        )
        .acting_on(&[LoadPart::DataReads, LoadPart::DataWrites])
        .trying(&["fsync"])
        .provable(),
    ),
    innodb::use_fdatasync(
        Facts::new(
            "innodb_use_fdatasync",
            ValueKind::Flag,
            DefaultValue::Since { version: "8.4", value: "ON", before: "OFF" },
            TakesEffect::AtOnce,
            "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_use_fdatasync",
        )
        .acting_on(&[LoadPart::LogSyncs, LoadPart::DataWrites])
        .since("8.0.26")
        .trying(&["OFF"])
        .provable(),
    ),
    pages::io_capacity(
        Facts::new(
            "innodb_io_capacity",
            ValueKind::Integer,
            DefaultValue::Since { version: "8.4", value: "10000", before: "200" },
            TakesEffect::AtOnce,
            "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_io_capacity",
        )
        .acting_on(&[LoadPart::DataWrites])
        .risks(CAPACITY_RISKS)
        .trying(&["1000"])
        .provable(),
    ),
    pages::io_capacity(
        Facts::new(
            "innodb_io_capacity_max",
            ValueKind::Integer,
            DefaultValue::Since { version: "8.4", value: "20000", before: "2000" },
            TakesEffect::AtOnce,
            "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_io_capacity_max",
        )
        .acting_on(&[LoadPart::DataWrites])
        .requires(CAPACITY_MAX_REQUIRES)
        .trying(&["40000"])
        .provable(),
    ),
    pages::flush_neighbors(
        Facts::new(
            "innodb_flush_neighbors",
            ValueKind::Integer,
            DefaultValue::Always("0"),
            TakesEffect::AtOnce,
            "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_flush_neighbors",
        )
        .acting_on(&[LoadPart::DataWrites])
        .risks(NEIGHBORS_RISK)
        .trying(&["1"])
        .provable(),
    ),
    pages::doublewrite(
        Facts::new(
            "innodb_doublewrite",
            ValueKind::Flag,
            DefaultValue::Always("ON"),
            TakesEffect::Restart,
            "https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_doublewrite",
        )
        .acting_on(&[LoadPart::DataWrites]),
    ),
];
