//! PostgreSQL 15 to 18: the settings of its log and of its reads.
//!
//! Meanings and defaults: <https://www.postgresql.org/docs/18/runtime-config-wal.html>,
//! <https://www.postgresql.org/docs/18/runtime-config-query.html>,
//! <https://www.postgresql.org/docs/18/runtime-config-resource.html>. `fsync`, `synchronous_commit` and
//! `full_page_writes` are never advised, because they save time by giving up durability.

mod asynchronous_io;
mod checkpoints;
pub(crate) mod commit_delay;
pub(crate) mod concurrency;
mod huge_pages;
mod names;
mod page_cost;
pub(crate) mod temp_buffers;
pub(crate) mod wal;
mod wal_volume;

use crate::measured_on::OfItself;
use crate::rule::{Database, Hazard};
use crate::signs::Signs;
use crate::values::Values;
use settings::Syntax;
use workload::pool::{PARAMETERS as POOL, Subject};

pub(super) const DATABASE: Database = Database {
    name: "PostgreSQL 15–18",
    program: "PostgreSQL",
    id: "postgresql",
    aliases: &["postgres", "pg"],
    fragment: "postgresql.conf",
    syntax: Syntax::PostgresqlConf,
    names: Some(names::names),
    families: &[
        wal::RULES,
        commit_delay::RULES,
        page_cost::RULES,
        concurrency::RULES,
        asynchronous_io::RULES,
        temp_buffers::RULES,
        wal_volume::RULES,
        checkpoints::RULES,
        huge_pages::RULES,
    ],
    of_itself: &[
        OfItself { workload: "transactions", held: Vec::new },
        OfItself { workload: "pool", held: || vec![POOL.subject.at(Subject::Postgres)] },
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
            setting: "data_sync_retry",
            values: Values::These(&["on"]),
            loses: "after a failed sync the kernel may have dropped what was to be written, and the retry succeeds \
                without it",
        },
        Hazard {
            setting: "zero_damaged_pages",
            values: Values::These(&["on"]),
            loses: "a damaged page is replaced by zeros with a warning, and its rows are gone",
        },
        Hazard {
            setting: "ignore_checksum_failure",
            values: Values::These(&["on"]),
            loses: "a page whose checksum fails is read and written on, which hides or spreads the damage",
        },
        Hazard {
            setting: "ignore_invalid_pages",
            values: Values::These(&["on"]),
            loses: "recovery goes on past references to invalid pages, which can lose data and hide corruption",
        },
        Hazard {
            setting: "synchronous_commit",
            // The other values wait for this server's disk and differ only in what they require of standbys.
            values: Values::These(&["off"]),
            loses: "acknowledged commits can be lost, and commits do not wait for the disk as they did in this \
                measurement",
        },
    ],
    signs: Signs {
        programs: &["postgres", "postmaster"],
        sockets: &[".s.PGSQL."],
        // Debian's and Red Hat's.
        data_directories: &["/var/lib/postgresql/*/*", "/var/lib/pgsql/data", "/var/lib/pgsql/*/data"],
    },
};
