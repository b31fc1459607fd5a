//! The arguments of `prove`.

use super::format::ResultFormat;
use super::origin::{Because, Origin};
use super::values;
use clap::Args;
use model::FileSystem;
use proof::{Database, Load};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  syncline prove RUN                             the changes that RUN advises, against the defaults
  syncline prove RUN --current postgresql.conf   against your present settings
  syncline prove --settings-file tuned.conf      judge what a tuning tool proposes
  syncline prove --for mariadb --settings-file my.cnf     on MariaDB, or mysql, etcd, rocksdb, sqlite
  syncline prove --settings all --budget 1h      race the storage settings and prove the best of them
  syncline prove --arm old=,/pg17/bin --arm new=,/pg18/bin    two builds
  syncline prove --arm a=,,,ext4 --arm b=,,,xfs  two file systems
  syncline prove --resume PROOF                  continue a proof that was stopped
  syncline prove RUN --dsn host=/tmp --allow-settings    on your own server

Exit codes:
  0    every change is proven (faster under a load, at most 5 % slower under every other) or
       harmless (within 5 % under every load)
  98   a change is undecided
  99   a change is refuted: proven slower under a load";

/// Arguments of `prove`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ProveArguments {
    /// The run directory whose advice to prove, or latest: the newest one in syncline-runs.
    #[arg(value_parser = values::run())]
    pub run: Option<PathBuf>,
    /// The database: postgresql, mariadb, mysql, etcd, rocksdb or sqlite.
    #[arg(long = "for", value_name = "DATABASE", default_value = "postgresql", conflicts_with = "resume",
        value_parser = parse_database, add = Origin::Defaults)]
    pub database: &'static Database,
    /// Your present settings, the baseline: a postgresql.conf with the files that it includes, a my.cnf, etcd's
    /// environment variables, RocksDB's OPTIONS file, or SQL with SQLite's pragmas. Syncline uses only its storage
    /// settings [default: the database's defaults].
    #[arg(long, value_name = "FILE", conflicts_with = "resume", add = Origin::Defaults)]
    pub current: Option<PathBuf>,
    /// What to prove: advised (the changes and candidates of RUN), computed (what follows from the memory and the disk
    /// of RUN's machine, and with --dsn from the server's counters), all (race the values of every storage setting, and
    /// prove the best of them on new rounds), or the names of settings to race.
    #[arg(long, value_name = "WHICH", value_delimiter = ',', conflicts_with = "resume", add = Origin::Defaults)]
    pub settings: Vec<String>,
    /// Prove the settings of this file: all together, and each of them.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["run", "settings", "resume"],
        add = Origin::Typed(Because::ChangesServer))]
    pub settings_file: Option<PathBuf>,
    /// Compare whole servers: CONF is a settings file, BIN a directory of programs, DIR a directory for the server's
    /// files, FS a fresh file system for them instead, such as ext4 or xfs+noatime (needs root; then every arm has
    /// one); each may be empty, and the last ones missing. The first of several is the baseline; Syncline compares a
    /// single one with your present settings. May be repeated.
    #[arg(long, value_name = "NAME=CONF,BIN,DIR,FS", value_parser = parse_arm,
        conflicts_with_all = ["run", "settings", "settings_file", "resume"], add = Origin::Typed(Because::RunsPrograms))]
    pub arm: Vec<ArmArgument>,
    /// Measure under these loads only: a script and its number of clients, such as simple_update-16, or the work on a
    /// store and its number of threads, such as fill-4 [default: for each setting the loads that can show its
    /// effect].
    #[arg(long, value_name = "WORK-CLIENTS", value_delimiter = ',', conflicts_with = "resume", add = Origin::Defaults)]
    pub load: Vec<Load>,
    /// Time for the whole proof [default: 10m].
    #[arg(long, value_name = "TIME", value_parser = values::parse_budget, add = Origin::Defaults)]
    pub budget: Option<Duration>,
    /// Time for which Syncline measures each arm in each round [default: 2s, or down to 1s if the budget is
    /// short for the loads].
    #[arg(long, value_name = "TIME", value_parser = values::parse_budget, conflicts_with = "resume",
        add = Origin::Defaults)]
    pub runtime: Option<Duration>,
    /// Give a parameter of the workload (transactions, requests, kv) one value, such as scale=100 or keys=1000000.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::parse_fix, conflicts_with = "resume",
        add = Origin::Parameters)]
    pub fix: Vec<(String, String)>,
    /// Directory on the disk to measure. Syncline works in a fresh directory below it and removes that at the end
    /// [default: the run's, or the current directory].
    #[arg(long, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Directory of the programs postgres and initdb [default: PostgreSQL 18, downloaded once].
    #[arg(long, value_name = "DIR", add = Origin::Typed(Because::RunsPrograms))]
    pub pg_bin: Option<PathBuf>,
    /// Prove on this PostgreSQL server instead, in a scratch database: a connection string or URL. Every user of this
    /// machine can read it in the process list, so put a password into PGPASSWORD, PGPASSFILE, ~/.pgpass or the file
    /// of --dsn-file.
    #[arg(long, conflicts_with_all = ["dsn_file", "pg_bin", "current"], add = Origin::Typed(Because::NamesServer))]
    pub dsn: Option<String>,
    /// Like --dsn, with the connection string in a file of one line.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pg_bin", "current"],
        add = Origin::Typed(Because::NamesServer))]
    pub dsn_file: Option<PathBuf>,
    /// Let Syncline change the settings of the server that --dsn names. It undoes every change at the end.
    #[arg(long, add = Origin::Typed(Because::ChangesServer))]
    pub allow_settings: bool,
    /// Prove although other sessions work on that server.
    #[arg(long, add = Origin::Typed(Because::LiftsRefusal))]
    pub allow_busy: bool,
    /// Undo what a killed proof has changed on the server that --dsn names: its settings and its scratch database.
    #[arg(long, value_name = "PROOF", conflicts_with_all = ["run", "resume", "settings", "settings_file", "arm"],
        value_parser = values::proof(), add = Origin::Typed(Because::ChangesServer))]
    pub undo: Option<PathBuf>,
    /// Directory to create for the proof [default: RUN/proof; without RUN syncline-runs/DATE-prove].
    #[arg(long, value_name = "PROOF", conflicts_with = "resume", add = Origin::Typed(Because::NamesOutput))]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: taken from the clock and recorded in the proof].
    #[arg(long, value_name = "N", conflicts_with = "resume", add = Origin::Defaults)]
    pub seed: Option<u64>,
    /// Continue a proof that was stopped, in the rest of its budget or in a new --budget; latest is the newest one.
    #[arg(long, value_name = "PROOF", conflicts_with = "run", value_parser = values::proof(),
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub resume: Option<PathBuf>,
    /// Continue although one of these has changed since the stage began: host, kernel, processor, cpus, memory or
    /// program.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "resume",
        add = Origin::Typed(Because::LiftsRefusal))]
    pub allow_different: Vec<String>,
    /// Print the plan of the first stage, its time, and what it would read, write and need. Measure nothing.
    #[arg(long, conflicts_with = "resume", add = Origin::Typed(Because::ConcernsThisRun))]
    pub dry_run: bool,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
}

/// A server as `--arm` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArmArgument {
    pub name: String,
    pub settings: Option<PathBuf>,
    pub programs: Option<PathBuf>,
    pub directory: Option<PathBuf>,
    pub filesystem: Option<FileSystem>,
}

fn parse_database(text: &str) -> Result<&'static Database, String> {
    // MariaDB's advice is MySQL's; its proofs are not.
    Database::named(text).or_else(|_| Database::named(advice::database_known_as(text).unwrap_or(text)))
}

fn parse_arm(text: &str) -> Result<ArmArgument, String> {
    let form = "write it as NAME=CONF[,BIN[,DIR[,FS]]]";
    let (name, rest) = text.split_once('=').ok_or(form)?;
    let mut parts = rest.split(',').map(|part| Some(part.trim()).filter(|part| !part.is_empty()));
    let [settings, programs, directory] =
        [parts.next(), parts.next(), parts.next()].map(|part| part.flatten().map(PathBuf::from));
    let filesystem = parts.next().flatten().map(FileSystem::parse).transpose()?;
    let name = name.trim();
    if parts.next().is_some() || name.is_empty() {
        return Err(form.to_owned());
    }
    Ok(ArmArgument { name: name.to_owned(), settings, programs, directory, filesystem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_has_up_to_four_parts_and_each_may_be_empty() {
        let arm = |settings: Option<&str>, programs: Option<&str>, directory: Option<&str>| {
            let path = |part: Option<&str>| part.map(PathBuf::from);
            ArmArgument {
                name: "a".to_owned(),
                settings: path(settings),
                programs: path(programs),
                directory: path(directory),
                filesystem: None,
            }
        };
        for (text, expected) in [
            ("a=x.conf", arm(Some("x.conf"), None, None)),
            ("a=,/bin", arm(None, Some("/bin"), None)),
            ("a=x.conf,,/srv", arm(Some("x.conf"), None, Some("/srv"))),
            ("a=", arm(None, None, None)),
        ] {
            assert_eq!(parse_arm(text), Ok(expected), "{text}");
        }
        let xfs = FileSystem::parse("xfs+noatime").unwrap();
        let on_xfs = ArmArgument { filesystem: Some(xfs), ..arm(Some("x.conf"), None, None) };
        assert_eq!(parse_arm("a=x.conf,,,xfs+noatime"), Ok(on_xfs));
        for wrong in ["a", "=x.conf", "a=b,c,d,e", "a=b,c,,xfs,e", "a=,,,ext4+nodatacow"] {
            assert!(parse_arm(wrong).is_err(), "{wrong}");
        }
    }
}
