//! The arguments of `advise`.

use super::format::ResultFormat;
use super::origin::{Because, Origin};
use super::values;
use crate::completion;
use clap::Args;
use clap_complete::ArgValueCompleter;
use settings::Version;
use std::path::PathBuf;

/// Arguments of `advise`.
#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// A run directory, or latest: the newest one in syncline-runs.
    #[arg(value_parser = values::run())]
    pub run: PathBuf,
    /// Print and write only the settings of one database, or compare the file of --current with them: postgresql,
    /// rocksdb, mysql, mariadb, sqlite, etcd, data-loader or linux.
    #[arg(long = "for", value_name = "DATABASE",
        value_parser = values::database(), add = ArgValueCompleter::new(completion::database), add = Origin::Defaults)]
    pub database: Option<String>,
    /// Your present settings: postgresql.conf or my.cnf with the files that they include, an OPTIONS file or .ini of
    /// RocksDB, or .sql with SQLite's pragmas. Prints what to change and the measured gain, what to keep, and the
    /// settings without advice.
    #[arg(long, value_name = "FILE", add = Origin::Defaults)]
    pub current: Option<PathBuf>,
    /// Version of the database that the file of --current belongs to, such as 15 or 8.0.36. Syncline advises no
    /// setting that this version lacks, and uses its defaults [default: found in the files, such as PG_VERSION in the
    /// data directory, or in a path like /var/lib/postgresql/15].
    #[arg(long, value_name = "VERSION", requires = "current", add = Origin::Defaults)]
    pub server_version: Option<Version>,
    /// Read counters of this PostgreSQL server: a connection string or URL. The log that it writes (pg_stat_wal) and
    /// its max_connections compute max_wal_size, checkpoint_timeout and work_mem. Syncline writes nothing there. Every
    /// user of this machine can read the string in the process list, so put a password into PGPASSWORD, PGPASSFILE,
    /// ~/.pgpass or the file of --dsn-file.
    #[arg(long, conflicts_with = "dsn_file", add = Origin::Typed(Because::NamesServer))]
    pub dsn: Option<String>,
    /// Like --dsn, with the connection string in a file of one line.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesServer))]
    pub dsn_file: Option<PathBuf>,
    /// Set the computed values in the settings file too. They are not measured; without this option they are comments.
    #[arg(long, conflicts_with = "current", add = Origin::Typed(Because::LiftsRefusal))]
    pub activate_computed: bool,
    /// Directory of the database's files. Advice from another device or file system does not hold there [default: the
    /// directory that the run measured].
    #[arg(long, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Leave names out of the advice and its files: host, users, paths, addresses, device serial numbers, kernel
    /// command line.
    #[arg(long, add = Origin::Defaults)]
    pub redact: bool,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
}
