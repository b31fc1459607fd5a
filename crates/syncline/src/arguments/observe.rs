//! The arguments of `observe`.

use super::format::DocumentFormat;
use super::origin::{Because, Origin};
use super::values;
use clap::{ArgGroup, Args};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  syncline observe --unit postgresql --for 60s     the processes of a unit of systemd
  syncline observe --pid 4242                      a process, its threads and its descendants
  syncline observe --unit postgresql --spikes 50ms what takes 50 ms or longer, and why
  syncline observe --unit mariadb --study my.toml  a study of the same shape
  syncline observe --unit etcd --run latest        beside what the newest run measured on the disk
  syncline observe --unit mysql --html load.html   a page with drawings
  syncline observe --dir /var/lib/mysql            files below a directory, of any process
  syncline observe --device nvme0n1 --for 10s      files on a disk, and all its requests

It needs root, or CAP_PERFMON and a tracefs that this user may read. It opens no file of the
database, attaches to no process and changes nothing. Ctrl-C ends it with the result so far.";

/// Arguments of `observe`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("target").required(true))]
pub(crate) struct ObserveArguments {
    /// Observe this process, its threads and its descendants.
    #[arg(long, value_name = "N", group = "target", value_parser = clap::value_parser!(u32).range(1..),
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub pid: Option<u32>,
    /// Observe the processes of this unit of systemd, or in a control group of this name.
    #[arg(long, value_name = "NAME", group = "target", add = Origin::Typed(Because::ConcernsThisRun))]
    pub unit: Option<String>,
    /// Observe the files below this directory, for every process that has them open.
    #[arg(long, value_name = "PATH", group = "target", add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Observe the files on this disk, for every process that has them open, and all its requests.
    #[arg(long, value_name = "NAME", group = "target", add = Origin::Typed(Because::ConcernsThisRun))]
    pub device: Option<String>,
    /// How long, such as 10s or 5m. A signal ends it earlier, with the result so far [default: 60s].
    #[arg(long = "for", value_name = "TIME", default_value = "60s", hide_default_value = true,
        value_parser = values::parse_budget, add = Origin::Defaults)]
    pub duration: Duration,
    /// Keep each operation that takes this long or longer, such as 50ms, with its cause: what its time was spent on,
    /// and who wrote meanwhile.
    #[arg(long, value_name = "TIME", value_parser = values::parse_threshold,
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub spikes: Option<Duration>,
    /// Record every call, and not those in windows of 250 ms: rates are then counts and not estimates, and the server
    /// is slower meanwhile. --spikes does so too.
    #[arg(long, add = Origin::Typed(Because::ConcernsThisRun))]
    pub every_call: bool,
    /// Write a study of the same shape to FILE, which ends in .toml: sizes, rates, mix, depth and syncs, for syncline
    /// run FILE.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::ConcernsThisRun))]
    pub study: Option<PathBuf>,
    /// Compare with what this run measured on the disk, and list its settings that matter for this load: a run
    /// directory, or latest.
    #[arg(long, value_name = "RUN", value_parser = values::run(), add = Origin::Typed(Because::ConcernsThisRun))]
    pub run: Option<PathBuf>,
    /// Also write the result to FILE, as one offline page with drawings.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub html: Option<PathBuf>,
    /// Format of standard output: text, json or markdown.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = DocumentFormat::Text, hide_possible_values = true,
        add = Origin::Defaults)]
    pub format: DocumentFormat,
}
