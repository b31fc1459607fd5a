//! PostgreSQL 15 to 18: the settings of its log and of its reads.
//!
//! Meanings and defaults: <https://www.postgresql.org/docs/18/runtime-config-wal.html>,
//! <https://www.postgresql.org/docs/18/runtime-config-query.html>,
//! <https://www.postgresql.org/docs/18/runtime-config-resource.html>. `fsync`, `synchronous_commit` and
//! `full_page_writes` are never advised, because they save time by giving up durability.

pub(crate) mod commit_delay;
pub(crate) mod reads;
pub(crate) mod wal;

use crate::rule::{Database, Hazard, Rule, Values};
use crate::setting::{DefaultValue, Kind, Syntax};
use crate::source::Source;

pub(super) const DATABASE: Database = Database {
    name: "PostgreSQL 15–18",
    id: "postgresql",
    fragment: "postgresql.conf",
    syntax: Syntax::PostgresqlConf,
    rules: &[
        Rule {
            setting: "wal_sync_method",
            kind: Kind::Name,
            default: DefaultValue::Always("fdatasync"),
            source: Source::study("commit-modes"),
            comparisons: 2,
            decide: wal::sync_method,
        },
        Rule {
            setting: "wal_init_zero",
            kind: Kind::Flag,
            default: DefaultValue::Always("on"),
            source: Source::study("wal-layout"),
            comparisons: 2,
            decide: wal::init_zero,
        },
        // It needs no share of its own: wal_init_zero compares the growing log already.
        Rule {
            setting: "wal_recycle",
            kind: Kind::Flag,
            default: DefaultValue::Always("on"),
            source: Source::study("wal-layout"),
            comparisons: 0,
            decide: wal::recycle,
        },
        Rule {
            setting: "commit_delay",
            kind: Kind::Microseconds,
            default: DefaultValue::Always("0"),
            source: Source::study("committers"),
            comparisons: 1,
            decide: commit_delay::commit_delay,
        },
        Rule {
            setting: "random_page_cost",
            kind: Kind::Real,
            default: DefaultValue::Always("4.0"),
            source: Source::study("page-cost"),
            comparisons: 3,
            decide: reads::random_page_cost,
        },
        Rule {
            setting: "effective_io_concurrency",
            kind: Kind::Integer,
            default: DefaultValue::Since { version: "18", value: "16", before: "1" },
            source: Source::study("depth"),
            comparisons: 0,
            decide: reads::io_concurrency,
        },
        Rule {
            setting: "maintenance_io_concurrency",
            kind: Kind::Integer,
            default: DefaultValue::Since { version: "18", value: "16", before: "10" },
            source: Source::study("depth"),
            comparisons: 0,
            decide: reads::io_concurrency,
        },
        Rule {
            setting: "temp_buffers",
            kind: Kind::Relative,
            default: DefaultValue::Always("8MB"),
            source: Source { study: "pool", vary: &[("subject", &["postgres"]), ("cache", &["cold"])] },
            comparisons: 0,
            decide: reads::temp_buffers,
        },
    ],
    hazards: &[
        Hazard {
            setting: "fsync",
            values: Values::These(&["off"]),
            loses: "a power loss can destroy the whole cluster",
        },
        Hazard {
            setting: "full_page_writes",
            values: Values::These(&["off"]),
            loses: "a power loss can leave torn pages and corrupt the cluster",
        },
        Hazard {
            setting: "synchronous_commit",
            // The other values wait for this server's disk and differ only in what they require of standbys.
            values: Values::These(&["off"]),
            loses: "acknowledged commits can be lost, and commits do not wait for the disk as they did in this measurement",
        },
    ],
};
