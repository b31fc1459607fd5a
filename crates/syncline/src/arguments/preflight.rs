//! The arguments of `preflight`.

use super::origin::{Because, Origin};
use super::values;
use crate::completion;
use clap::Args;
use clap_complete::ArgValueCompleter;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  syncline preflight --limits limits.toml --dir /data
  syncline preflight --limits limits.toml --dir /data --junit preflight.xml
  syncline preflight --limits limits.toml --dir /data --termination-log /dev/termination-log
  syncline preflight my.toml --limits limits.toml        limits on the metrics of your own study

A file of limits:
  limits = [
    \"commit_latency_p99 <= 10ms\",
    \"commits_per_s >= 500\",
    \"iops >= 3000\",
  ]

Exit codes:
  0    every limit is proven to be kept
  1    the disk could not be measured, or a file cannot be read or written
  2    the command line or the file of limits is wrong
  3    --dir is in memory
  98   a limit is neither proven to be kept nor proven to be broken, or cannot be judged
  99   a limit is proven to be broken
  130  interrupted

The manual's chapter docs/preflight.md describes the event, the Job and the Helm chart.";

/// Arguments of `preflight`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PreflightArguments {
    /// Studies to measure: built-in ones (see `syncline studies`) or study files ending in .toml [default: commits and
    /// random reads, for about a minute].
    #[arg(value_name = "STUDY", add = ArgValueCompleter::new(completion::study))]
    pub studies: Vec<String>,
    /// File of the limits that the disk has to keep, each METRIC <= VALUE or METRIC >= VALUE.
    #[arg(long, value_name = "FILE", add = Origin::Defaults)]
    pub limits: PathBuf,
    /// Directory on the disk to measure. Syncline works in a fresh directory below it and removes that at the end
    /// [default: the current directory].
    #[arg(long, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Write the rulings to FILE as JUnit's XML, a test for each limit and configuration.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub junit: Option<PathBuf>,
    /// Write the event to FILE too, in at most 4096 bytes: in a pod /dev/termination-log.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub termination_log: Option<PathBuf>,
    /// Named set of levels, rounds and runtimes [default: preflight; for studies that are named: quick].
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completion::profile), add = Origin::Defaults)]
    pub profile: Option<String>,
    /// Give a parameter of every study one value, such as runtime=10s.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::parse_fix, add = Origin::Parameters)]
    pub fix: Vec<(String, String)>,
    /// Number of rounds of each study. Fewer than 6 judge nothing [default: the profile's].
    #[arg(long, value_name = "N", value_parser = values::parse_rounds, add = Origin::Defaults)]
    pub rounds: Option<u32>,
    /// Time for all studies together. A study ends early if its limits are decided, and goes on for more rounds than
    /// the profile has if they are not [default: the profile's rounds run].
    #[arg(long, value_name = "TIME", value_parser = values::parse_budget, add = Origin::Defaults)]
    pub budget: Option<Duration>,
    /// Run directory to create [default: syncline-runs/DATE-preflight].
    #[arg(long, value_name = "RUN", add = Origin::Typed(Because::NamesOutput))]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: taken from the clock and recorded in the run].
    #[arg(long, value_name = "N", add = Origin::Defaults)]
    pub seed: Option<u64>,
}
