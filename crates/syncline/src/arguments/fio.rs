//! The arguments of `fio`.

use super::format::ResultFormat;
use super::values;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `fio`.
#[derive(Debug, Args)]
pub(crate) struct FioArguments {
    /// A fio job file. Syncline refuses an option that it cannot honour as fio does, with its name and line.
    pub job: PathBuf,
    /// Directory on the disk to measure [default: the job's directory option, or the current one].
    #[arg(long)]
    pub dir: Option<PathBuf>,
    /// Number of times that each job runs. fio runs a job once; fewer than 6 give no intervals.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::rounds())]
    pub rounds: u32,
    /// Format of standard output: text, or json in the shape of fio's own JSON, for fio-plot and other readers of it.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true)]
    pub format: ResultFormat,
    /// Print what the run would do, how long it would take and what it would read, write and need, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Run directory to create [default: syncline-runs/DATE-JOB].
    #[arg(long, value_name = "RUN")]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: taken from the clock and recorded in the run].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}
