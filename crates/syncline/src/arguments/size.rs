//! The arguments of `size`.

use super::format::DocumentFormat;
use super::origin::{Because, Origin};
use super::values;
use crate::completion;
use clap::Args;
use clap_complete::ArgValueCompleter;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  syncline observe --unit postgresql --study load.toml   what a server asks of its disk
  syncline size load.toml --dir /data                    what that load needs of a volume
  syncline size depth --fix iodepth=8 --gib 200          a built-in study, a volume of 200 GiB
  syncline size load.toml --volumes ours.toml            volumes of your own

It needs root and a control group that limits I/O (cgroup v1 blkio, or cgroup v2 io). It measures in
three stages of a minute or two each. The same command with --out continues where it was stopped.";

/// Arguments of `size`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SizeArguments {
    /// The load: a study file ending in .toml, a built-in study, or a run directory.
    #[arg(value_name = "RUN|STUDY", value_parser = values::run(), add = ArgValueCompleter::new(completion::study))]
    pub load: PathBuf,
    /// The arm of the study that is the load [default: its baseline].
    #[arg(long, value_name = "NAME", add = Origin::Typed(Because::RunsPrograms))]
    pub arm: Option<String>,
    /// The profile of the study that the load is taken from [default: quick].
    #[arg(long, value_name = "NAME", add = Origin::Defaults)]
    pub profile: Option<String>,
    /// Give a parameter of the load one value, such as runtime=10s.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::parse_fix, add = Origin::Parameters)]
    pub fix: Vec<(String, String)>,
    /// Directory on the disk to measure. Syncline works in a fresh directory below it and removes that at the end
    /// [default: the current directory].
    #[arg(long, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Number of rounds of the last stage, whose figures have intervals. Fewer than 6 prove nothing.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = values::parse_rounds, add = Origin::Defaults)]
    pub rounds: u32,
    /// Size of the volume that prices are of, in GiB.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000),
        add = Origin::Defaults)]
    pub gib: u32,
    /// Volumes in place of the built-in ones: a file as docs/size.md describes it.
    #[arg(long, value_name = "FILE", add = Origin::Defaults)]
    pub volumes: Option<PathBuf>,
    /// Directory for the run directories of the stages: to create, or of a sizing that was stopped
    /// [default: syncline-runs/DATE-size-STUDY].
    #[arg(long, value_name = "DIR", add = Origin::Typed(Because::NamesOutput))]
    pub out: Option<PathBuf>,
    /// Seed of everything random [default: taken from the clock and recorded in the runs].
    #[arg(long, value_name = "N", add = Origin::Defaults)]
    pub seed: Option<u64>,
    /// Also write the result to FILE, as one offline page.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub html: Option<PathBuf>,
    /// Format of standard output: text, json or markdown.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = DocumentFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: DocumentFormat,
}
