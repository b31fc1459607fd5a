//! The arguments of `compare`.

use super::format::ResultFormat;
use super::origin::{Because, Origin};
use super::values;
use crate::completion;
use clap::Args;
use clap_complete::ArgValueCompleter;
use std::path::PathBuf;

const COMPARE_EXAMPLES: &str = "\
Examples:
  syncline compare BEFORE AFTER
  syncline compare BEFORE AFTER --fail-if 'commit_latency_p99>+10%' --html comparison.html
  syncline compare --interleave /data/old /data/new --fail-if 'commits_per_s<-5%'
  syncline compare --interleave ./syncline-1.0 ./syncline-1.1

Exit codes:
  0    every limit is proven to be kept
  1    a file cannot be read or written, or a run of --interleave failed
  3    an audit of either side failed
  98   a limit is neither proven to be kept nor proven to be broken (not with --allow-undecided),
       or a row has no interval that the limit could be held against
  99   a limit is proven to be broken";

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// The baseline: a run directory, latest (the newest one in syncline-runs), or a folder of several runs, which show
    /// how much runs differ.
    #[arg(value_parser = values::run())]
    pub a: PathBuf,
    /// What to compare with it.
    #[arg(value_parser = values::run())]
    pub b: PathBuf,
    /// Measure A and B now, in turns: directories of two disks or file systems, or two builds of syncline, which
    /// measure the current directory. What both runs of a pair share cancels.
    #[arg(long, add = Origin::Defaults)]
    pub interleave: bool,
    /// Runs of each side with --interleave, at least 6.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(6..=1000),
        requires = "interleave", add = Origin::Typed(Because::ConcernsThisRun))]
    pub pairs: u32,
    /// Built-in study or study file to run with --interleave, in its profile check or else quick.
    #[arg(long, value_name = "STUDY", default_value = "commit-modes", requires = "interleave",
        add = ArgValueCompleter::new(completion::study), add = Origin::Typed(Because::ConcernsThisRun))]
    pub study: String,
    /// Folder to create for the runs of --interleave [default: syncline-runs/DATE-interleave].
    #[arg(long, value_name = "FOLDER", requires = "interleave", add = Origin::Typed(Because::NamesOutput))]
    pub out: Option<PathBuf>,
    /// Compare although this parameter was set differently. May be repeated.
    #[arg(long, value_name = "NAME", value_delimiter = ',', add = Origin::Typed(Because::LiftsRefusal))]
    pub allow_different: Vec<String>,
    /// Fail if a metric changes beyond a limit, such as 'commit_latency_p99>+10%' or 'commits_per_s<-5%'. The exit
    /// code is 0 if the interval of every change lies within the limit, 99 if an interval lies entirely beyond it,
    /// and 98 if neither is proven. May be repeated.
    #[arg(long, value_name = "LIMIT", add = Origin::Defaults)]
    pub fail_if: Vec<String>,
    /// Exit with 0 (or 3) instead of 98 if a limit is undecided.
    #[arg(long, requires = "fail_if", add = Origin::Typed(Because::LiftsRefusal))]
    pub allow_undecided: bool,
    /// Also write the comparison to FILE, as one offline page.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub html: Option<PathBuf>,
    /// Leave names out of the comparison and its page: hosts, users, paths, addresses, device serial numbers, kernel
    /// command lines. Names that differ become redacted-1 and redacted-2.
    #[arg(long, add = Origin::Defaults)]
    pub redact: bool,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
}
