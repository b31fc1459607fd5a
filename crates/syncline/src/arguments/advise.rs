//! The arguments of `advise`.

use super::format::ResultFormat;
use super::origin::Origin;
use super::values;
use clap::Args;
use settings::Version;
use std::path::PathBuf;

/// Arguments of `advise`.
#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// A run directory, or latest: the newest one in syncline-runs.
    #[arg(value_parser = values::run())]
    pub run: PathBuf,
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
