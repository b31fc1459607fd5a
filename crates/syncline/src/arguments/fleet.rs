//! The arguments of `fleet`.

use super::format::ResultFormat;
use super::origin::{Because, Origin};
use super::rank;
use super::values;
use clap::Args;
use std::path::PathBuf;

const FLEET_EXAMPLES: &str = "\
Examples:
  mpirun --hostfile hosts --map-by ppr:1:node --bind-to none syncline check --dir /data --out fleet
                                                          measure every host; fleet is a folder that
                                                          all hosts see, such as one on NFS
  syncline fleet fleet --html fleet.html                  which disks are slow, which are suspects
  syncline fleet fleet --remeasure-plan again.tsv         the commands that measure again

Exit codes:
  0    every disk that can be judged is within its limits, or was suspected once and not confirmed
  1    a run or a file cannot be read or written
  4    a disk is proven slow
  98   a suspect is to be measured again, a disk is not checked, a rank left no run, or no disk can
       be judged";

/// Arguments of `fleet`.
#[derive(Debug, Args)]
#[command(after_help = format!("{}\n\n{FLEET_EXAMPLES}", rank::HELP))]
pub(crate) struct FleetArguments {
    /// Run directories, or folders of them.
    #[arg(required = true, value_name = "RUN|FOLDER", value_parser = values::run())]
    pub runs: Vec<PathBuf>,
    /// Write the commands that measure suspects and random controls again to FILE, one in a line.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub remeasure_plan: Option<PathBuf>,
    /// Seed of the choice of controls [default: taken from the clock and written to the file].
    #[arg(long, value_name = "N", requires = "remeasure_plan", add = Origin::Defaults)]
    pub seed: Option<u64>,
    /// Also write one offline page to FILE: a row for each disk, and the distribution of each question.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub html: Option<PathBuf>,
    /// Format of standard output: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ResultFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: ResultFormat,
}
