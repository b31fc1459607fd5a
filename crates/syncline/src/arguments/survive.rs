//! The arguments of `survive`.

use super::format::DocumentFormat;
use super::origin::{Because, Origin};
use clap::{Args, ValueEnum};
use disk::filesystem::FileSystemKind;
use server::Server;
use std::path::PathBuf;
use survive::End;

const EXAMPLES: &str = "\
Examples:
  syncline survive --for postgresql                  what a commit survives, and what that costs
  syncline survive --for valkey,etcd --crashes 100   more crashes, a tighter bound
  syncline survive --only power --out cuts.jsonl     power losses alone, in a series that can go on
  syncline survive                                   every database that is found here
  scripts/install-servers                            unpacks MariaDB, MySQL, Valkey, etcd and others

It needs root, /dev/fuse and loop devices.
Ten crashes of each kind take about half a minute for each promise.

Exit codes:
  0    no promise was broken
  98   a promise was not checked: the machine lacks the server or what a crash needs, or an error
       ended the crashes early; the table has what is known
  99   a promise was broken
  130  interrupted; the table has what is known, and --out continues";

/// Arguments of `survive`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SurviveArguments {
    /// The databases: postgresql, mariadb, mysql, etcd, valkey, nats, clickhouse, sqlite, rocksdb, store, fjall, redb,
    /// lmdb [default: all that this machine has].
    #[arg(long = "for", value_name = "DATABASE", value_delimiter = ',', value_parser = parse_server,
        add = Origin::Defaults)]
    pub servers: Vec<&'static dyn Server>,
    /// Test only promises whose settings contain this text, such as synchronous_commit=off. May be repeated.
    #[arg(long, value_name = "SETTING", add = Origin::Defaults)]
    pub promise: Vec<String>,
    /// Kills, and as many power losses, for each promise.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100_000),
        add = Origin::Defaults)]
    pub crashes: u32,
    /// Make only crashes of one kind: kill (kill -9) or power (power losses) [default: both].
    #[arg(long, value_name = "KIND", value_enum, hide_possible_values = true, add = Origin::Defaults)]
    pub only: Option<CrashKind>,
    /// Rounds in which commits are measured on the disk of --dir; 0 measures none.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=1000),
        add = Origin::Defaults)]
    pub rounds: u32,
    /// File system below the databases that are crashed: ext4 or xfs.
    #[arg(long, value_name = "NAME", default_value = "ext4", value_parser = parse_file_system, add = Origin::Defaults)]
    pub file_system: FileSystemKind,
    /// Create the table, or the stream, before the rows of each crash: its creation is acknowledged too and can be
    /// lost. Without this option the table is on the disk before the crashes begin.
    #[arg(long, add = Origin::Defaults)]
    pub create: bool,
    /// Directory on the disk that commits are measured on. Syncline works in fresh directories below it and removes
    /// them at the end [default: the current directory].
    #[arg(long, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Folder of trees of unpacked packages, for servers that are not installed [default: what scripts/install-servers
    /// made].
    #[arg(long, value_name = "DIR", add = Origin::Typed(Because::RunsPrograms))]
    pub server_trees: Option<PathBuf>,
    /// Seed of the first crash; each later one adds 1 [default: that of the file of --out, or taken from the clock and
    /// printed].
    #[arg(long, value_name = "N", add = Origin::Defaults)]
    pub seed: Option<u64>,
    /// Append each crash to FILE as a line of JSON, as soon as it is known. If FILE has crashes of the same settings,
    /// the series goes on where they end; crashes of other settings are refused.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub out: Option<PathBuf>,
    /// Also write the result to FILE, as one offline page.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub html: Option<PathBuf>,
    /// Format of standard output: text, json or markdown.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = DocumentFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: DocumentFormat,
}

/// A kind of crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CrashKind {
    /// The server's processes are killed.
    Kill,
    /// The disk loses its power.
    Power,
}

impl From<CrashKind> for End {
    fn from(kind: CrashKind) -> Self {
        match kind {
            CrashKind::Kill => Self::Kill,
            CrashKind::Power => Self::PowerLoss,
        }
    }
}

fn parse_server(text: &str) -> Result<&'static dyn Server, String> {
    let names = server::all().iter().map(|server| server.name());
    server::named(text).ok_or_else(|| model::suggestion::unknown("database", text, names))
}

fn parse_file_system(text: &str) -> Result<FileSystemKind, String> {
    match text {
        "ext4" => Ok(FileSystemKind::Ext4),
        "xfs" => Ok(FileSystemKind::Xfs),
        _ => Err(model::suggestion::unknown("file system", text, ["ext4", "xfs"])),
    }
}
