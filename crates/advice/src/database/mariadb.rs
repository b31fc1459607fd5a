//! MariaDB 10.6 to 12.
//!
//! Meanings and defaults:
//! <https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables>, and what
//! `mariadbd --verbose --help` of 10.11 prints. They are not MySQL's: `innodb_io_capacity` is 200,
//! `innodb_flush_neighbors` 1, and the server does not start with `innodb_use_fdatasync`. `O_DIRECT_NO_FSYNC`,
//! `littlesync`, `nosync` and `innodb_flush_log_at_trx_commit` are never advised, because they save time by giving up
//! durability.

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
    name: "MariaDB 10.6–12 (InnoDB)",
    program: "MariaDB",
    id: "mariadb",
    aliases: &[],
    fragment: "mariadb.cnf",
    syntax: Syntax::MariadbOptions,
    names: None,
    families: &[RULES],
    of_itself: &[],
    hazards: &[
        innodb::LOG_IS_NOT_FLUSHED,
        innodb::FILES_ARE_NOT_SYNCED,
        Hazard { setting: "innodb_doublewrite", values: Values::These(&["OFF"]), loses: PAGES_CAN_BE_TORN },
        innodb::BINARY_LOG_IS_NOT_SYNCED,
    ],
    signs: Signs { programs: &["mariadbd"], ..innodb::SIGNS },
};

const RULES: &[Rule] = &[
    innodb::flush_method(
        Facts::new(
            "innodb_flush_method",
            ValueKind::Name,
            DefaultValue::Since { version: "10.6", value: "O_DIRECT", before: "fsync" },
            TakesEffect::Restart,
            "https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables#innodb_flush_method",
        )
        .acting_on(&[LoadPart::DataReads, LoadPart::DataWrites])
        .trying(&["fsync", "O_DIRECT"])
        .provable(),
    ),
    pages::io_capacity(
        Facts::new(
            "innodb_io_capacity",
            ValueKind::Integer,
            DefaultValue::Always("200"),
            TakesEffect::AtOnce,
            "https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables#innodb_io_capacity",
        )
        .acting_on(&[LoadPart::DataWrites])
        .risks(CAPACITY_RISKS)
        .trying(&["1000", "10000"])
        .provable(),
    ),
    pages::io_capacity(
        Facts::new(
            "innodb_io_capacity_max",
            ValueKind::Integer,
            DefaultValue::Always("2000"),
            TakesEffect::AtOnce,
            "https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables#innodb_io_capacity_max",
        )
        .acting_on(&[LoadPart::DataWrites])
        .requires(CAPACITY_MAX_REQUIRES)
        .trying(&["20000"])
        .provable(),
    ),
    pages::flush_neighbors(
        Facts::new(
            "innodb_flush_neighbors",
            ValueKind::Integer,
            DefaultValue::Always("1"),
            TakesEffect::AtOnce,
            "https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables#innodb_flush_neighbors",
        )
        .acting_on(&[LoadPart::DataWrites])
        .risks(NEIGHBORS_RISK)
        .trying(&["0"])
        .provable(),
    ),
    pages::doublewrite(Facts::new(
        "innodb_doublewrite",
        ValueKind::Flag,
        DefaultValue::Always("ON"),
        TakesEffect::Restart,
        "https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables#innodb_doublewrite",
    )
    .acting_on(&[LoadPart::DataWrites])),
];
