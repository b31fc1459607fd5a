//! The command line as typed. Each command interprets its own arguments.

use crate::servers::Wanted;
use clap::builder::RangedI64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use model::study::ROUNDS_MAX;
use std::path::PathBuf;
use std::time::Duration;

/// Lighthouse for database storage: measures a disk the way a database uses it, explains the result with the kernel's own
/// counters, and reports which database settings follow.
#[derive(Debug, Parser)]
#[command(name = "syncline", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  syncline check                       half a minute, one screen
  syncline run                         five minutes: what matters to a database, and which settings follow
  syncline run commit --dir /data      one study, on the disk below /data
  syncline studies                     list the studies

Exit codes:
  0    success
  1    an error of the machine, a file or a device; also if a report or another result cannot be written
  2    the command line is wrong
  3    some number cannot be believed: an audit failed, or --dir is in memory
  98   a limit of compare --fail-if is neither proven to be kept nor proven to be broken
  99   a limit of compare --fail-if is broken
  130  interrupted; syncline run --resume RUN continues";

const RUN_EXAMPLES: &str = "\
Examples:
  syncline run                                     five minutes: what matters to a database
  syncline run commit                              one study
  syncline run commit --vary group_size=1,16,64    with other levels of a factor
  syncline run commit --fix record_size=4KiB       with another value of a parameter
  syncline run commit commit-modes --budget 2m     two studies under a budget
  syncline run my.toml                             a study of your own
  syncline run --resume RUN                        continue a run that was stopped";

const COMPARE_EXAMPLES: &str = "\
Examples:
  syncline compare BEFORE AFTER
  syncline compare BEFORE AFTER --fail-if 'commit_latency_p99>+10%' --html comparison.html

Exit codes:
  0    every limit is proven to be kept
  1    a file cannot be read or written, or no comparison can be judged by a limit
  3    an audit of either run failed
  98   a limit is neither proven to be kept nor proven to be broken; not with --allow-undecided
  99   a limit is proven to be broken";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  syncline completions bash > ~/.local/share/bash-completion/completions/syncline
  syncline completions zsh > ~/.zfunc/_syncline          with ~/.zfunc in $fpath
  syncline completions fish > ~/.config/fish/completions/syncline.fish";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure the disk below a directory, with one study, several, or a short look at everything, and print a report.
    Run(RunArguments),
    /// Check a disk in half a minute: durable commits, their p99, flushes, fitness for etcd, random reads.
    Check(CheckArguments),
    /// List the studies, or describe one: its factors, parameters, metrics and their units.
    Studies {
        /// A built-in study, or a study file.
        study: Option<String>,
    },
    /// Analyse a run again, on any machine: print the summary and write RUN/report.html.
    Report(ReportArguments),
    /// Write the figures of a run to standard output: CSV, JSON, a page to publish, fio jobs.
    Export {
        /// A run directory.
        run: PathBuf,
        /// The format.
        #[arg(long, value_enum, default_value_t = Format::Csv)]
        format: Format,
    },
    /// Compare two runs, configuration by configuration: kernels, disks, mount options, days.
    Compare(CompareArguments),
    /// Print the database settings that follow from a run, write them to RUN/advice, and compare them with yours.
    Advise(AdviseArguments),
    /// Run the jobs of a fio job file, on files that Syncline creates.
    Fio(FioArguments),
    /// Check which numbers of a published result can be believed: fio's JSON, a CSV table, a run of Syncline.
    Audit(AuditArguments),
    /// List the properties of this machine and disk that would distort a measurement.
    Doctor {
        /// Directory on the disk to examine.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
    },
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
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One line per configuration, in the columns of page 000; for the study commit.
    Csv,
    /// One line per trial and metric.
    Long,
    /// The verdict: figures, findings and audits as JSON.
    Json,
    /// A page to publish: host, method, tables with intervals, findings, failed audits, the command that repeats the run.
    Markdown,
    /// One fio job file with a section for each configuration; for the workload device.
    Fio,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run directory.
    pub run: PathBuf,
    /// Write the page to FILE and nothing into RUN, for a run that belongs to another user [default: RUN/report.html].
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// The run directory of the baseline.
    pub a: PathBuf,
    /// The run directory that is compared with it.
    pub b: PathBuf,
    /// Compare although this parameter was set differently. May be repeated.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub allow_different: Vec<String>,
    /// Fail if a metric changes beyond a limit, such as 'commit_latency_p99>+10%' or 'commits_per_s<-5%'. The exit code is 0
    /// if the interval of every change lies within the limit, 99 if an interval lies entirely beyond it, and 98 if neither
    /// is proven. May be repeated.
    #[arg(long, value_name = "LIMIT")]
    pub fail_if: Vec<String>,
    /// Exit with 0 (or 3) instead of 98 if a limit is undecided.
    #[arg(long, requires = "fail_if")]
    pub allow_undecided: bool,
    /// Also write the comparison to FILE, as one offline page.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Format of standard output.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ComparisonFormat::Normal)]
    pub output_format: ComparisonFormat,
}

/// Arguments of `advise`.
#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// A run directory.
    pub run: PathBuf,
    /// Your present settings: postgresql.conf or my.cnf with the files that they include, an OPTIONS file or .ini of RocksDB,
    /// or .sql with SQLite's pragmas. Prints what to change and the measured gain, what to keep, and the settings without
    /// advice.
    #[arg(long, value_name = "FILE")]
    pub current: Option<PathBuf>,
    /// Directory of the database's files. Advice that was measured on another device or file system does not hold there
    /// [default: the directory that the run measured].
    #[arg(long)]
    pub dir: Option<PathBuf>,
}

/// What `compare` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComparisonFormat {
    /// Tables.
    Normal,
    /// Every comparison and every limit, as JSON.
    Json,
}

/// Arguments of `fio`.
#[derive(Debug, Args)]
pub(crate) struct FioArguments {
    /// A fio job file. Syncline refuses an option that it cannot honour as fio does, with its name and line.
    pub job: PathBuf,
    /// Directory on the disk to measure [default: the job's directory option, or the current one].
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// Number of times that each job runs. fio runs a job once; fewer than 6 give no intervals.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = rounds())]
    pub rounds: u32,
    /// Format of standard output.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Normal)]
    pub output_format: OutputFormat,
    /// Run directory to create [default: syncline-runs/DATE-JOB].
    #[arg(long, value_name = "RUN")]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: taken from the clock and recorded in the run].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(after_long_help = roles())]
pub(crate) struct AuditArguments {
    /// fio's JSON (json or json+), a run directory, or a CSV table.
    pub file: PathBuf,
    /// Roles of the columns of a CSV table, if its header does not name them: ROLE=COLUMN, or ROLE:VALUE for a value that
    /// holds in every row, such as in_flight:32 or memory_bytes:64GiB.
    #[arg(long, value_name = "ROLE=COLUMN,…", default_value = "", hide_default_value = true)]
    pub columns: String,
    /// Write the result as JSON.
    #[arg(long)]
    pub json: bool,
}

/// What `fio` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Syncline's summary.
    Normal,
    /// JSON in the shape of fio's own, for fio-plot and other readers of it.
    Json,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Directory on the disk to measure. Syncline works in a fresh directory below it and removes that at the end.
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// Number of rounds; each figure is the mean over them. Fewer than 6 give no intervals [default: 6, for commits 7].
    #[arg(long, value_name = "N", value_parser = rounds())]
    pub rounds: Option<u32>,
    /// Run directory to create [default: syncline-runs/DATE-check].
    #[arg(long, value_name = "RUN")]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: taken from the clock and recorded in the run].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArguments {
    /// Built-in studies (see `syncline studies`) or study files ending in .toml [default: the answer, a short look at
    /// everything that this machine permits].
    #[arg(value_name = "STUDY")]
    pub studies: Vec<String>,
    /// Time that all studies together may take, such as 90s or 5m. After a first look at each study, the remaining time goes
    /// to those whose answer is undecided [default: 5m without a study; a named study runs all its rounds].
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub budget: Option<Duration>,
    /// Directory on the disk to measure. Syncline works in a fresh directory below it and removes that at the end
    /// [default: the current directory].
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// Set of levels, rounds and runtimes: answer takes less than half a minute per study, quick a minute or two. `syncline
    /// studies STUDY` lists the profiles of a study [default: quick; without a study: answer].
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Give a factor these levels, or turn a parameter into a factor.
    #[arg(long, value_name = "NAME=A,B", value_parser = parse_vary, requires = "studies")]
    pub vary: Vec<(String, Vec<String>)>,
    /// Give a parameter one value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_fix, requires = "studies")]
    pub fix: Vec<(String, String)>,
    /// Number of rounds that are analysed. Fewer than 6 give no intervals [default: the profile's].
    #[arg(long, value_name = "N", value_parser = rounds())]
    pub rounds: Option<u32>,
    /// Pin every worker to this CPU from its start.
    #[arg(long, value_name = "N")]
    pub cpu: Option<u32>,
    /// Directory of the programs postgres and initdb, for subject = postgres [default: PostgreSQL 18, downloaded once].
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dsn", "dsn_file"])]
    pub pg_bin: Option<PathBuf>,
    /// Measure this PostgreSQL server instead, with temporary tables: a connection string or URL. Every user of this machine
    /// can read it in the process list, so put a password into PGPASSWORD, PGPASSFILE, ~/.pgpass or the file of --dsn-file.
    #[arg(long, conflicts_with = "dsn_file")]
    pub dsn: Option<String>,
    /// Like --dsn, with the connection string in a file of one line.
    #[arg(long, value_name = "FILE")]
    pub dsn_file: Option<PathBuf>,
    /// Continue a run that was stopped: run the missing trials, in the rest of its budget or in a new --budget.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["studies", "profile", "vary", "fix", "rounds", "cpu", "out", "seed"])]
    pub resume: Option<PathBuf>,
    /// Continue although one of these has changed since the run began: host, kernel, processor, cpus, memory or program.
    /// The new trials then count as replicates of the old ones. May be repeated.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "resume")]
    pub allow_different: Vec<String>,
    /// Run directory to create [default: syncline-runs/DATE-STUDY, or DATE-answer].
    #[arg(long, value_name = "RUN")]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: taken from the clock and recorded in the run].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl RunArguments {
    /// The server that they name.
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted {
            programs: self.pg_bin.as_deref(),
            dsn: self.dsn.as_deref(),
            dsn_file: self.dsn_file.as_deref(),
        }
    }
}

/// The roles of columns, and the checks that need them, for the help text.
fn roles() -> String {
    let roles = published::role_help();
    let width = roles.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = roles.iter().map(|(name, help)| format!("  {name:width$}  {help}\n"));
    let roles = format!("Roles:\n{}", lines.collect::<String>());
    let checks = published::check_help();
    let width = checks.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = checks.iter().map(|(name, needs)| format!("  {name:width$}  {needs}\n"));
    format!("{roles}\nChecks and the roles they need:\n{}", lines.collect::<String>())
}

fn parse_fix(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn parse_budget(text: &str) -> Result<Duration, String> {
    let parsed = model::units::parse_duration(text).filter(|duration| duration.0 > 0);
    parsed.map(Duration::from).ok_or_else(|| "write it as 90s or 5m".to_owned())
}

/// As many rounds as a study file may have.
fn rounds() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(ROUNDS_MAX))
}

fn parse_vary(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, levels) = text.split_once('=').ok_or("write it as NAME=A,B,C")?;
    let levels: Vec<String> = levels.split(',').map(|level| level.trim().to_owned()).collect();
    if levels.iter().any(String::is_empty) {
        return Err("a level is empty: write it as NAME=A,B,C".to_owned());
    }
    Ok((name.trim().to_owned(), levels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn levels_are_split_at_commas() {
        assert_eq!(
            parse_vary("mode=a, b").unwrap(),
            ("mode".to_owned(), vec!["a".to_owned(), "b".to_owned()])
        );
        assert!(parse_vary("mode").is_err() && parse_vary("mode=a,,b").is_err() && parse_fix("x").is_err());
    }
}
