//! The command line as typed. Each command interprets its own arguments.

mod advise;
mod audit;
mod compare;
mod fio;
mod fleet;
mod format;
mod global;
mod history;
mod mcp;
mod observe;
pub(crate) mod origin;
mod place;
mod preflight;
mod prove;
mod rank;
mod size;
#[cfg(feature = "survive")]
mod survive;
mod values;
mod watch;

pub(crate) use advise::AdviseArguments;
pub(crate) use audit::AuditArguments;
pub(crate) use compare::CompareArguments;
pub(crate) use fio::FioArguments;
pub(crate) use fleet::FleetArguments;
pub(crate) use format::{DocumentFormat, Format, ResultFormat};
pub(crate) use global::{Coloring, GlobalArguments, Messages};
pub(crate) use history::HistoryArguments;
pub(crate) use mcp::McpArguments;
pub(crate) use observe::ObserveArguments;
pub(crate) use place::PlaceArguments;
pub(crate) use preflight::PreflightArguments;
pub(crate) use prove::{ArmArgument, ProveArguments};
pub(crate) use rank::RankArguments;
pub(crate) use size::SizeArguments;
#[cfg(feature = "survive")]
pub(crate) use survive::SurviveArguments;
pub(crate) use watch::WatchArguments;

use crate::completion;
use clap::{Args, Parser, Subcommand};
use clap_complete::ArgValueCompleter;
use model::plan::Turns;
use origin::{Because, Origin};
use std::path::PathBuf;
use std::time::Duration;

/// Lighthouse for database storage: measures a disk the way a database uses it, explains the result with the kernel's
/// own counters, and reports which database settings follow.
#[derive(Debug, Parser)]
#[command(name = "syncline", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArguments,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  syncline check                       half a minute, one screen
  syncline run                         three minutes: what matters to a database, and what to set
  syncline run commit --dir /data      one study, on the disk below /data
  syncline prove RUN                   prove those settings on the real database
  syncline studies                     list the studies

Exit codes:
  0    success
  1    an error of the machine, a file or a device, or a result that cannot be written
  2    the command line is wrong
  3    some number cannot be believed: an audit failed, or --dir is in memory
  4    fleet: a disk is proven slow
  98   compare, history, preflight: a limit is neither proven to be kept nor to be broken; prove: a
       change is undecided; fleet: a disk is to be measured again or not checked; survive: a promise
       was not checked
  99   compare, history, preflight: a limit is broken; prove: a change is refuted;
       survive: a promise is broken
  130  interrupted; --resume continues";

const RUN_EXAMPLES: &str = "\
Examples:
  syncline run                                     three minutes: what matters to a database
  syncline run commit                              one study
  syncline run commit --vary group_size=1,16,64    with other levels of a factor
  syncline run commit --fix record_size=4KiB       with another value of a parameter
  syncline run commit commit-modes --budget 2m     two studies under a budget
  syncline run commit --explain                    and where the time of each commit goes
  syncline run my.toml                             a study of your own
  syncline run --resume RUN                        continue a run that was stopped";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  syncline doctor /data                              this machine, and the disk below /data
  syncline doctor --container $(pgrep -o postgres)   a database that runs in a container
  syncline doctor --container postgres:18            an image, as docker or podman starts it
  syncline doctor --container self                   in a container: tries what the others look at";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  syncline completions bash > ~/.local/share/bash-completion/completions/syncline
  syncline completions zsh > ~/.zfunc/_syncline          with ~/.zfunc in $fpath
  syncline completions fish > ~/.config/fish/completions/syncline.fish";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure the disk below a directory: everything in three minutes, or the studies that you name.
    Run(Box<RunArguments>),
    /// Prove settings on a real PostgreSQL, MariaDB, MySQL, etcd, RocksDB or SQLite: the advice of a run, a settings
    /// file, or the best of all values.
    Prove(Box<ProveArguments>),
    /// Check a disk in half a minute: durable commits, their p99, flushes, fitness for etcd, random reads.
    Check(CheckArguments),
    /// List the studies by the questions that they answer, or describe one: its factors, parameters, metrics and units.
    #[command(after_help = "syncline studies -v also lists the question and the profiles of each study.")]
    Studies {
        /// A built-in study, or a study file.
        #[arg(add = ArgValueCompleter::new(completion::study))]
        study: Option<String>,
        /// Format of standard output: text or json.
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text,
            hide_possible_values = true, add = Origin::Defaults)]
        format: ResultFormat,
    },
    /// Analyse a run again, on any machine: print its summary and write RUN/report.html.
    Report(ReportArguments),
    /// Write the figures of a run to standard output: CSV, JSON, a page to publish, fio jobs, formats that CI tools
    /// read.
    #[command(after_help = format::by_reader())]
    Export {
        /// A run directory, or latest: the newest one in syncline-runs.
        #[arg(value_parser = values::run())]
        run: PathBuf,
        /// Format of standard output; the list below has all of them.
        #[arg(long, value_enum, default_value_t = Format::Long, hide_possible_values = true, add = Origin::Defaults)]
        format: Format,
        /// Leave names out: host, users, paths, addresses, device serial numbers, kernel command line.
        #[arg(long, add = Origin::Defaults)]
        redact: bool,
    },
    /// Start a fresh copy of each database, kill it, cut the power of its disk in memory, and count which acknowledged
    /// writes survive; print what each promise costs. Your own servers and data are not touched.
    #[cfg(feature = "survive")]
    Survive(Box<SurviveArguments>),
    /// Observe what a running database asks of its disk: reads, writes and syncs, and where their time goes. Nothing is
    /// changed.
    Observe(ObserveArguments),
    /// Compare two runs, configuration by configuration: kernels, disks, mount options, days.
    Compare(CompareArguments),
    /// Compare the disks of many machines: distributions, suspects, and disks that are proven slow.
    Fleet(FleetArguments),
    /// Follow one disk over many runs: the series of each question, and when its level changed.
    History(HistoryArguments),
    /// Measure a load under caps of IOPS and bandwidth, and print what provisioned volumes would give it.
    Size(SizeArguments),
    /// Probe a disk for some seconds every hour, while nobody needs it: a history of its speed, and metrics for
    /// Prometheus.
    Watch(WatchArguments),
    /// Judge the disk below a directory by the limits of a file: an exit code, an event line and JUnit's XML, for a pod
    /// or a pipeline.
    Preflight(Box<PreflightArguments>),
    /// Print the database settings that follow from a run, write them to RUN/advice, and compare them with yours.
    Advise(AdviseArguments),
    /// Run the jobs of a fio job file, on files that Syncline creates.
    Fio(FioArguments),
    /// Check which numbers you can believe: of a page, a table, the output of fio and other tools, or a run of
    /// Syncline.
    Audit(AuditArguments),
    /// List what would distort a measurement on this machine and disk, or what a database in a container may use.
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor {
        /// Where.
        #[command(flatten)]
        place: PlaceArguments,
        /// Look at a container instead: whether a database in it may use io_uring, how much memory it may lock, its
        /// mounts, huge pages and limits. PID is one of its processes, and is only looked at; IMAGE is started by
        /// docker or podman; self is this process, which tries io_uring.
        #[arg(long, value_name = "PID|IMAGE|self", conflicts_with_all = ["place", "dir"],
            add = Origin::Typed(Because::RunsPrograms))]
        container: Option<String>,
        /// Format of standard output: text or json.
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text,
            hide_possible_values = true, add = Origin::Defaults)]
        format: ResultFormat,
    },
    /// Serve these commands to an agent, as tools of the Model Context Protocol on standard input and output.
    Mcp(McpArguments),
    /// Print shell completions.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print a manual page (roff) of syncline or of one of its commands.
    Man {
        /// The command [default: syncline itself].
        #[arg(value_name = "COMMAND")]
        subcommand: Option<String>,
    },
    /// Run one trial: read the request from standard input, write the answer to standard output. `run` starts it.
    #[command(hide = true)]
    Worker,
    /// Serve an embedded engine on a socket. `survive` starts it.
    #[cfg(feature = "survive")]
    #[command(hide = true)]
    EngineServer {
        /// The engine.
        engine: String,
        /// Its store.
        store: PathBuf,
        /// The socket to listen on.
        socket: PathBuf,
        /// The durability level of the store.
        level: String,
    },
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run directory, or latest: the newest one in syncline-runs.
    #[arg(value_parser = values::run())]
    pub run: PathBuf,
    /// Write the page to FILE and nothing into RUN, for a run that belongs to another user [default: RUN/report.html].
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub html: Option<PathBuf>,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
    /// Leave names out of the page, the advice and the summary: host, users, paths, addresses, device serial numbers,
    /// kernel command line. The records keep them.
    #[arg(long, add = Origin::Defaults)]
    pub redact: bool,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Where.
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Number of rounds; each figure is the mean over them. Fewer than 6 give no intervals [default: 6, for commits 7].
    #[arg(long, value_name = "N", value_parser = values::parse_rounds, add = Origin::Defaults)]
    pub rounds: Option<u32>,
    /// Print the plan, its time, and what it would read, write and need. Measure nothing.
    #[arg(long, add = Origin::Typed(Because::ConcernsThisRun))]
    pub dry_run: bool,
    /// Run directory to create [default: syncline-runs/DATE-check].
    #[arg(long, value_name = "RUN", add = Origin::Typed(Because::NamesOutput))]
    pub out: Option<PathBuf>,
    /// Its rank.
    #[command(flatten)]
    pub rank: RankArguments,
    /// Seed of everything random [default: taken from the clock and recorded in the run].
    #[arg(long, value_name = "N", add = Origin::Defaults)]
    pub seed: Option<u64>,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "options that do not depend on each other")]
pub(crate) struct RunArguments {
    /// Built-in studies (see `syncline studies`) or study files ending in .toml [default: a short look at everything
    /// that this machine permits].
    #[arg(value_name = "STUDY", add = ArgValueCompleter::new(completion::study))]
    pub studies: Vec<String>,
    /// Measure what the settings of one database depend on, and print only its settings: postgresql, rocksdb, mysql,
    /// mariadb, sqlite, etcd, data-loader or linux.
    #[arg(long = "for", value_name = "DATABASE", conflicts_with_all = ["studies", "profile", "resume"],
        value_parser = values::database(), add = ArgValueCompleter::new(completion::database), add = Origin::Defaults)]
    pub database: Option<String>,
    /// Time for all studies together, such as 90s, 5m or 1h30m. After a first look at each study, the remaining time
    /// goes to undecided ones [default: 5m without a study; a named study runs all its rounds].
    #[arg(long, value_name = "TIME", value_parser = values::parse_budget, add = Origin::Defaults)]
    pub budget: Option<Duration>,
    /// Directory on the disk to measure. Syncline works in a fresh directory below it and removes that at the end
    /// [default: the current directory].
    #[arg(long, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Named set of levels, rounds and runtimes. The profile answer takes less than half a minute per study, quick a
    /// minute or two. `syncline studies STUDY` lists the profiles of a study [default: quick; without a study:
    /// answer].
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completion::profile), add = Origin::Defaults)]
    pub profile: Option<String>,
    /// Give a factor these levels, or turn a parameter into a factor. Write a size as 4096, 4k, 4kB or 4KiB (all the
    /// same), a time as 500ms, 90s, 1.5h or 1h30m.
    #[arg(long, value_name = "NAME=A,B", value_parser = values::parse_vary, requires = "studies",
        add = ArgValueCompleter::new(completion::vary), add = Origin::Parameters)]
    pub vary: Vec<(String, Vec<String>)>,
    /// Give a parameter one value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::parse_fix, requires = "studies",
        add = ArgValueCompleter::new(completion::fix), add = Origin::Parameters)]
    pub fix: Vec<(String, String)>,
    /// Dataset that studies of data loaders read, instead of files that Syncline makes: a directory or
    /// s3://BUCKET/PREFIX. The same as --fix target=….
    #[arg(long, value_name = "DIR|URL", conflicts_with = "resume", add = Origin::Typed(Because::NamesServer))]
    pub target: Option<String>,
    /// Number of rounds after the warm-up. Fewer than 6 give no intervals [default: the profile's].
    #[arg(long, value_name = "N", value_parser = values::parse_rounds, add = Origin::Defaults)]
    pub rounds: Option<u32>,
    /// Pin every worker to this CPU from its start.
    #[arg(long, value_name = "N", add = Origin::Defaults)]
    pub cpu: Option<u32>,
    /// How the trials of a round run: auto lets them take turns, if their workloads can, and finds the length of a
    /// turn; a time such as 25ms sets that length; off runs one trial after another [default: auto].
    #[arg(long, value_name = "HOW", value_parser = values::parse_interleave, conflicts_with = "resume",
        add = Origin::Defaults)]
    pub interleave: Option<Turns>,
    /// Show where the time of each operation went: three traced trials of each configuration follow the others, in
    /// about three seconds each. No other figure comes from them. Needs root or CAP_PERFMON.
    #[arg(long, conflicts_with_all = ["resume", "shared"], add = Origin::Defaults)]
    pub explain: bool,
    /// Directory of the programs postgres and initdb, for studies on PostgreSQL [default: PostgreSQL 18, downloaded
    /// once].
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dsn", "dsn_file"],
        add = Origin::Typed(Because::RunsPrograms))]
    pub pg_bin: Option<PathBuf>,
    /// Measure this PostgreSQL server instead, with temporary tables: a connection string or URL. Every user of this
    /// machine can read it in the process list, so put a password into PGPASSWORD, PGPASSFILE, ~/.pgpass or the file
    /// of --dsn-file.
    #[arg(long, conflicts_with = "dsn_file", add = Origin::Typed(Because::NamesServer))]
    pub dsn: Option<String>,
    /// Like --dsn, with the connection string in a file of one line.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesServer))]
    pub dsn_file: Option<PathBuf>,
    /// Continue a run that was stopped: run the missing trials, in the rest of its budget or in a new --budget; latest
    /// is the newest one.
    #[arg(long, value_name = "RUN", value_parser = values::run(),
        conflicts_with_all = ["studies", "profile", "vary", "fix", "rounds", "cpu", "out", "rank", "of", "again", "seed"],
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub resume: Option<PathBuf>,
    /// Continue although one of these has changed since the run began: host, kernel, processor, cpus, memory or
    /// program. The new trials then count as replicates of the old ones. May be repeated.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "resume",
        add = Origin::Typed(Because::LiftsRefusal))]
    pub allow_different: Vec<String>,
    /// Print the plan, its time, and what it would read, write and need. Measure nothing.
    #[arg(long, conflicts_with = "resume", add = Origin::Typed(Because::ConcernsThisRun))]
    pub dry_run: bool,
    /// Leave names out of the page, the advice and the summary: host, users, paths, addresses, device serial numbers,
    /// kernel command line. The records keep them.
    #[arg(long, add = Origin::Defaults)]
    pub redact: bool,
    /// Run directory to create [default: syncline-runs/DATE-STUDY, or DATE-answer].
    #[arg(long, value_name = "RUN", add = Origin::Typed(Because::NamesOutput))]
    pub out: Option<PathBuf>,
    /// Its rank.
    #[command(flatten)]
    pub rank: RankArguments,
    /// Measure storage that all ranks share: mpirun starts the ranks, which take every turn at the same time, and
    /// rank 0 keeps the records of all. Needs a build WITH=mpi.
    #[arg(long, hide = !cfg!(feature = "mpi"), requires = "studies",
        conflicts_with_all = ["resume", "rank", "of", "again", "budget", "database", "dry_run"],
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub shared: bool,
    /// Seed of everything random [default: taken from the clock and recorded in the run].
    #[arg(long, value_name = "N", add = Origin::Defaults)]
    pub seed: Option<u64>,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
