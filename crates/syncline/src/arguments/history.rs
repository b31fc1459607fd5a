//! The arguments of `history`.

use super::format::DocumentFormat;
use super::origin::{Because, Origin};
use super::values;
use clap::Args;
use std::path::PathBuf;

const HISTORY_EXAMPLES: &str = "\
Examples:
  syncline history syncline-runs --html history.html
  syncline history /srv/probes --fail-if 'commit_latency_p99>+10%'
  syncline history /srv/probes --csv history.csv

Exit codes:
  0    every limit is proven to be kept; without --fail-if also if there are changes
  1    a run or a file cannot be read or written
  98   a limit is neither proven to be kept nor proven to be broken (not with --allow-undecided),
       or a series has too few runs for it
  99   a limit is proven to be broken";

/// Arguments of `history`.
#[derive(Debug, Args)]
#[command(after_help = HISTORY_EXAMPLES)]
pub(crate) struct HistoryArguments {
    /// Run directories, or folders of them.
    #[arg(required = true, value_name = "RUN|FOLDER", value_parser = values::run())]
    pub runs: Vec<PathBuf>,
    /// Fail if the last level of a metric lies beyond a limit, such as 'commit_latency_p99>+10%' or
    /// 'commits_per_s<-5%', measured against its first level. May be repeated.
    #[arg(long, value_name = "LIMIT", add = Origin::Defaults)]
    pub fail_if: Vec<String>,
    /// Exit with 0 instead of 98 if a limit is undecided.
    #[arg(long, requires = "fail_if", add = Origin::Typed(Because::LiftsRefusal))]
    pub allow_undecided: bool,
    /// Also write the history to FILE, as one offline page with every series drawn.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub html: Option<PathBuf>,
    /// Also write the points of every series to FILE as CSV, a line for each.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub csv: Option<PathBuf>,
    /// Leave names out: host, users, paths, addresses, device serial numbers, kernel command line. Runs and disks have
    /// numbers instead.
    #[arg(long, add = Origin::Defaults)]
    pub redact: bool,
    /// Format of standard output: text, json or markdown.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = DocumentFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: DocumentFormat,
}
