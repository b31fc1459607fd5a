//! The arguments of `watch`.

use super::origin::{Because, Origin};
use super::values;
use crate::completion;
use clap::Args;
use clap_complete::ArgValueCompleter;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  syncline watch --dir /data                            a probe every hour, until a signal ends it
  syncline watch --dir /data --once                     one probe, for a timer
  syncline watch --textfile /var/lib/prometheus/node-exporter/syncline.prom
  syncline watch --spikes 50ms                          what takes 50 ms or longer, and why
  syncline watch --listen 127.0.0.1:9750                metrics at http://127.0.0.1:9750/metrics
  syncline history syncline-history                     what the probes found

The manual's chapter docs/watch.md describes the units of systemd, the alerts and the dashboard.";

/// Arguments of `watch`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArguments {
    /// Studies of each probe: built-in ones (see `syncline studies`) or study files ending in .toml [default: commits
    /// and random reads, for some seconds].
    #[arg(value_name = "STUDY", add = ArgValueCompleter::new(completion::study))]
    pub studies: Vec<String>,
    /// Directory on the disk to probe. Syncline works in a fresh directory below it and removes that after each probe
    /// [default: the current directory].
    #[arg(long, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Folder of the history, for syncline history: a run directory for each probe.
    #[arg(long, value_name = "DIR", default_value = "syncline-history", add = Origin::Typed(Because::NamesOutput))]
    pub history: PathBuf,
    /// Time from one probe to the next, such as 10min or 1h.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::parse_interval,
        add = Origin::Defaults)]
    pub interval: Duration,
    /// Probe once and end, for a timer.
    #[arg(long, conflicts_with = "probes", add = Origin::Typed(Because::ConcernsThisRun))]
    pub once: bool,
    /// End after this number of probes, those that were skipped included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub probes: Option<u64>,
    /// Bytes that all probes of 24 hours may write; a probe that would write more is skipped.
    #[arg(long, value_name = "SIZE", default_value = "20GiB", value_parser = values::parse_size,
        add = Origin::Defaults)]
    pub write_budget: u64,
    /// Skip a probe if the disk is busy for a larger share of the time; 100% probes whatever others do.
    #[arg(long, value_name = "PERCENT", default_value = "20%", value_parser = values::parse_percentage,
        add = Origin::Defaults)]
    pub busy_limit: f64,
    /// How long to look whether the disk is busy.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = values::parse_threshold,
        add = Origin::Defaults)]
    pub busy_for: Duration,
    /// Capture each operation on the disk that takes this long or longer, such as 50ms, with its cause. Each
    /// configuration is then measured once more after the probe, for two seconds, while the kernel traces. It needs
    /// root or CAP_PERFMON [default: none are captured].
    #[arg(long, value_name = "TIME", value_parser = values::parse_threshold,
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub spikes: Option<Duration>,
    /// Runs to keep in the history; older ones are removed.
    #[arg(long, value_name = "N", default_value = "2200", value_parser = clap::value_parser!(u32).range(1..),
        add = Origin::Defaults)]
    pub keep: u32,
    /// How long to keep a run.
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = values::parse_budget,
        add = Origin::Defaults)]
    pub keep_for: Duration,
    /// Write metrics for node_exporter's textfile collector to FILE, which ends in .prom.
    #[arg(long, value_name = "FILE", add = Origin::Typed(Because::NamesOutput))]
    pub textfile: Option<PathBuf>,
    /// Answer GET /metrics on this loopback address, such as 127.0.0.1:9750.
    #[arg(long, value_name = "ADDRESS", add = Origin::Typed(Because::NamesOutput))]
    pub listen: Option<SocketAddr>,
    /// Named set of levels, rounds and runtimes [default: watch; for studies that are named: quick].
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(completion::profile), add = Origin::Defaults)]
    pub profile: Option<String>,
    /// Number of rounds of each study. Fewer than 6 give no intervals [default: the profile's].
    #[arg(long, value_name = "N", value_parser = values::parse_rounds, add = Origin::Defaults)]
    pub rounds: Option<u32>,
    /// Time for all studies of a probe [default: all rounds run].
    #[arg(long, value_name = "TIME", value_parser = values::parse_budget, add = Origin::Defaults)]
    pub budget: Option<Duration>,
}
