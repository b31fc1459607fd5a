//! The arguments of `compare`.

use super::format::ResultFormat;
use super::origin::{Because, Origin};
use super::values;
use clap::Args;
use std::path::PathBuf;

const COMPARE_EXAMPLES: &str = "\
Examples:
  syncline compare BEFORE AFTER
  syncline compare BEFORE AFTER --fail-if 'commit_latency_p99>+10%' --html comparison.html

Exit codes:
  0    every limit is proven to be kept
  1    a file cannot be read or written
  3    an audit of either run failed
  98   a limit is neither proven to be kept nor proven to be broken (not with --allow-undecided),
       or a row has no interval that the limit could be held against
  99   a limit is proven to be broken";

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// The run directory of the baseline, or latest: the newest one in syncline-runs.
    #[arg(value_parser = values::run())]
    pub a: PathBuf,
    /// The run directory to compare with it, or latest.
    #[arg(value_parser = values::run())]
    pub b: PathBuf,
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
