//! The arguments of `fio`.

use super::format::ResultFormat;
use super::origin::{Because, Origin};
use super::values;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `fio`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FioArguments {
    /// A fio job file. Syncline lists where its measurement differs from fio's, and refuses what it cannot measure,
    /// with the line.
    #[arg(required_unless_present = "options")]
    pub job: Option<PathBuf>,
    /// Options as on fio's command line, behind --: a job with its --name, or defaults for the job file.
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
    /// Size of each job's file, such as 256m or 10g [default: the job's].
    #[arg(long, value_parser = size, add = Origin::Defaults)]
    pub size: Option<String>,
    /// Time for each job, such as 1s or 2m [default: the job's].
    #[arg(long, value_name = "TIME", value_parser = time, add = Origin::Defaults)]
    pub runtime: Option<String>,
    /// Run one job after another, as if each had the option stonewall.
    #[arg(long, add = Origin::Defaults)]
    pub stonewall: bool,
    /// Directory on the disk to measure [default: the job's directory option, or the current one].
    #[arg(long, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Number of times that each job runs. fio runs a job once; fewer than 6 give no intervals.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::parse_rounds, add = Origin::Defaults)]
    pub rounds: u32,
    /// Format of standard output: text, or json with fio's own properties, for fio-plot and other readers.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
    /// Print the plan, its time, and what it would read, write and need. Measure nothing.
    #[arg(long, add = Origin::Typed(Because::ConcernsThisRun))]
    pub dry_run: bool,
    /// Run directory to create [default: syncline-runs/DATE-JOB].
    #[arg(long, value_name = "RUN", add = Origin::Typed(Because::NamesOutput))]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: taken from the clock and recorded in the run].
    #[arg(long, value_name = "N", add = Origin::Defaults)]
    pub seed: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  syncline fio job.fio --dir /data                   with the sizes and times of the job file
  syncline fio job.fio --size 1g --runtime 10s       with another size and length
  syncline fio -- --name=a --rw=randread --bs=4k --size=1g --direct=1 --ioengine=libaio --iodepth=16";

/// A size as fio has it; the text is kept for the job.
fn size(text: &str) -> Result<String, String> {
    fio::quantity::parse_size(text).map(|_| text.to_owned())
}

/// A time as fio has it.
fn time(text: &str) -> Result<String, String> {
    fio::quantity::parse_time(text).map(|_| text.to_owned())
}
