//! The command line as typed. What it means is each command's business.

use crate::servers::Wanted;
use clap::builder::RangedI64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use model::study::ROUNDS_MAX;
use std::path::PathBuf;
use std::time::Duration;

/// Lighthouse for database storage: measures a disk the way a database uses it, explains what it saw with the kernel's own
/// counters, and says which settings follow.
#[derive(Debug, Parser)]
#[command(name = "syncline", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  syncline check                       half a minute, one screen
  syncline run                         five minutes: what matters, and which settings follow
  syncline run commit --dir /data      one study, on the disk below /data
  syncline studies                     what can be asked

Exit codes:
  0    done
  1    the machine, a file or a device said no; also if a report or another result cannot be written
  2    what was typed makes no sense
  3    some number cannot be believed: an audit failed, or --dir is in memory
  98   a limit of compare --fail-if is neither proven to be kept nor to be broken
  99   a limit of compare --fail-if is broken
  130  interrupted; syncline run --resume RUN goes on";

const RUN_EXAMPLES: &str = "\
Examples:
  syncline run                                     five minutes: what matters
  syncline run commit                              one study
  syncline run commit --vary group_size=1,16,64    with other levels of a factor
  syncline run commit --fix record_size=4KiB       with another value of a parameter
  syncline run commit commit-modes --budget 2m     two studies under a budget
  syncline run my.toml                             a study of your own
  syncline run --resume RUN                        what is missing of a run that was stopped";

const COMPARE_EXAMPLES: &str = "\
Examples:
  syncline compare BEFORE AFTER
  syncline compare BEFORE AFTER --fail-if 'commit_latency_p99>+10%' --html comparison.html

Exit codes:
  0    every limit is proven to be kept
  1    a file said no, or there is nothing that a limit can be held to
  3    an audit of either run failed
  98   a limit is neither proven to be kept nor to be broken; not with --allow-undecided
  99   a limit is proven to be broken";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  syncline completions bash > ~/.local/share/bash-completion/completions/syncline
  syncline completions zsh > ~/.zfunc/_syncline          with ~/.zfunc in $fpath
  syncline completions fish > ~/.config/fish/completions/syncline.fish";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure the disk below a directory: one study, several, or a short look at everything; then report.
    Run(RunArguments),
    /// Look at a disk for half a minute: durable commits, their p99, flushes, fit for etcd, random reads.
    Check(CheckArguments),
    /// List what can be asked, or describe one study: its factors, parameters, metrics and their units.
    Studies {
        /// A built-in study, or a study file.
        study: Option<String>,
    },
    /// Analyse a run again, on any machine: the summary and RUN/report.html.
    Report(ReportArguments),
    /// Write a run's figures to standard output: CSV, JSON, a page to publish, fio jobs.
    Export {
        /// A run directory.
        run: PathBuf,
        /// The format.
        #[arg(long, value_enum, default_value_t = Format::Csv)]
        format: Format,
    },
    /// Compare two runs, configuration by configuration: kernels, disks, mount options, days.
    Compare(CompareArguments),
    /// Say which settings of databases follow from a run and write them to RUN/advice; compare them with yours.
    Advise(AdviseArguments),
    /// Run the jobs of a fio job file, on files of Syncline's own.
    Fio(FioArguments),
    /// Say which numbers of a published result can be believed: fio's JSON, a CSV table, a run of Syncline.
    Audit(AuditArguments),
    /// Tell what about this machine and disk would distort a measurement.
    Doctor {
        /// Directory on the disk in question.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
    },
    /// Print shell completions.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print a manual page (roff), of syncline or of one of its commands.
    Man {
        /// One of the commands [default: syncline itself].
        #[arg(value_name = "COMMAND")]
        subcommand: Option<String>,
    },
    /// Run one trial: request on standard input, answer on standard output. Started by `run`.
    #[command(hide = true)]
    Worker,
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One line per configuration, in the columns that page 000 published: for the commit study.
    Csv,
    /// One line per trial and metric.
    Long,
    /// The verdict: figures, findings and audits as JSON.
    Json,
    /// A page to publish: host, method, tables with intervals, findings, what could not be trusted, how to reproduce.
    Markdown,
    /// One fio job file with a section for each configuration, for the device workload.
    Fio,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run directory.
    pub run: PathBuf,
    /// Write the page there, and nothing into RUN: for a run that belongs to somebody else [default: RUN/report.html].
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// The run directory that the other is measured against.
    pub a: PathBuf,
    /// The other run directory.
    pub b: PathBuf,
    /// Compare although this parameter was set differently; may be repeated.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub allow_different: Vec<String>,
    /// Hold the change of a metric to a limit, such as 'commit_latency_p99>+10%' or 'commits_per_s<-5%'. Exit with 0 if
    /// the whole interval of every change lies within the limit, with 99 if one lies wholly beyond it, and with 98 if
    /// neither is proven. May be repeated.
    #[arg(long, value_name = "LIMIT")]
    pub fail_if: Vec<String>,
    /// Do not exit with 98 for a limit that is not decided.
    #[arg(long, requires = "fail_if")]
    pub allow_undecided: bool,
    /// Write the comparison as a page too: one offline file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// What to write to standard output.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ComparisonFormat::Normal)]
    pub output_format: ComparisonFormat,
}

/// Arguments of `advise`.
#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// A run directory.
    pub run: PathBuf,
    /// What you run now: postgresql.conf or my.cnf with the files that they include, an OPTIONS file or .ini of RocksDB, or
    /// .sql with SQLite's pragmas. Says what to change and what that was measured to gain, what to leave, and what
    /// cannot be said.
    #[arg(long, value_name = "FILE")]
    pub current: Option<PathBuf>,
    /// Where the database's files are: an advice that was measured on another device or file system has expired there
    /// [default: the directory that the run measured].
    #[arg(long)]
    pub dir: Option<PathBuf>,
}

/// What `compare` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComparisonFormat {
    /// Tables.
    Normal,
    /// Everything that was compared and every limit, as JSON.
    Json,
}

/// Arguments of `fio`.
#[derive(Debug, Args)]
pub(crate) struct FioArguments {
    /// A fio job file. An option that Syncline does not do as fio does is refused, by name and line.
    pub job: PathBuf,
    /// Directory on the disk to measure [default: the job's directory option, or the current one].
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// Times every job is run. fio runs a job once; fewer than 6 give no intervals.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = rounds())]
    pub rounds: u32,
    /// What to write to standard output.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Normal)]
    pub output_format: OutputFormat,
    /// Run directory to make [default: syncline-runs/DATE-JOB].
    #[arg(long, value_name = "RUN")]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: from the clock; recorded in the run].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(after_long_help = roles())]
pub(crate) struct AuditArguments {
    /// fio's JSON (json or json+), a run directory, or a CSV table.
    pub file: PathBuf,
    /// What the columns of a CSV table are, where its header does not tell: ROLE=COLUMN, or ROLE:VALUE for what is the
    /// same in every row, such as in_flight:32 or memory_bytes:64GiB.
    #[arg(long, value_name = "ROLE=COLUMN,…", default_value = "", hide_default_value = true)]
    pub columns: String,
    /// Write the judgement as JSON.
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
    /// Directory on the disk to measure; work happens in a fresh directory below it, removed at the end.
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// Rounds, of which each figure is the median; fewer than 6 give no intervals [default: 6].
    #[arg(long, value_name = "N", value_parser = rounds())]
    pub rounds: Option<u32>,
    /// Run directory to make [default: syncline-runs/DATE-check].
    #[arg(long, value_name = "RUN")]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: from the clock; recorded in the run].
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
    /// Time that all studies together may take, such as 90s or 5m: after a first look at each, rounds go to those whose
    /// answer is still undecided [default: 5m without a study; a study that is named runs all its rounds].
    #[arg(long, value_name = "TIME", value_parser = parse_budget)]
    pub budget: Option<Duration>,
    /// Directory on the disk to measure [default: the current one]; work happens in a fresh directory below it, removed
    /// at the end.
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// How many levels, rounds and seconds: answer takes less than half a minute a study, quick a minute or two; each
    /// study lists its own [default: quick; of the answer: answer].
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Give a factor these levels, or make a factor of a parameter.
    #[arg(long, value_name = "NAME=A,B", value_parser = parse_vary, requires = "studies")]
    pub vary: Vec<(String, Vec<String>)>,
    /// Give a parameter one value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_fix, requires = "studies")]
    pub fix: Vec<(String, String)>,
    /// Rounds that are analysed; fewer than 6 give no intervals [default: the profile's].
    #[arg(long, value_name = "N", value_parser = rounds())]
    pub rounds: Option<u32>,
    /// Pin every worker to this CPU from birth.
    #[arg(long, value_name = "N")]
    pub cpu: Option<u32>,
    /// Directory of the programs postgres and initdb, for subject = postgres [default: PostgreSQL 18, downloaded once].
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dsn", "dsn_file"])]
    pub pg_bin: Option<PathBuf>,
    /// Measure this PostgreSQL server instead, by temporary tables: a connection string or URL. Everybody on this machine
    /// can read it in the process list: a password is taken from PGPASSWORD, from PGPASSFILE or ~/.pgpass, or with --dsn-file.
    #[arg(long, conflicts_with = "dsn_file")]
    pub dsn: Option<String>,
    /// The same with the connection string in a file of one line.
    #[arg(long, value_name = "FILE")]
    pub dsn_file: Option<PathBuf>,
    /// Go on with a run that was stopped: runs what is missing, in what is left of its budget, or in a new --budget.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["studies", "profile", "vary", "fix", "rounds", "cpu", "out", "seed"])]
    pub resume: Option<PathBuf>,
    /// Go on although this differs from when the run was begun: host, kernel, processor, cpus, memory or program; may be
    /// repeated. Its trials are then taken for replicates.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "resume")]
    pub allow_different: Vec<String>,
    /// Run directory to make [default: syncline-runs/DATE-STUDY, or DATE-answer].
    #[arg(long, value_name = "RUN")]
    pub out: Option<PathBuf>,
    /// Seed of every random order [default: from the clock; recorded in the run].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl RunArguments {
    /// What they say of a server.
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        Wanted {
            programs: self.pg_bin.as_deref(),
            dsn: self.dsn.as_deref(),
            dsn_file: self.dsn_file.as_deref(),
        }
    }
}

/// The roles that a column can play, and the checks that need them, for help.
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
