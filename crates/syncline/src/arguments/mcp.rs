//! The arguments of `mcp`.

use super::origin::{Because, Origin};
use super::values;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  syncline mcp --dir /srv/data                  what a client starts; docs/agents.md registers it
  syncline mcp --dir /srv/data --max-time 5m    no call longer than five minutes
  claude mcp add syncline -- syncline mcp --dir /srv/data

The tools are the commands check, run, observe, advise, prove, audit, report and survive. They read
and write only below --dir, and take no server of yours. One measurement runs at a time. A call that
is cancelled ends as at Ctrl-C, and a run can then be continued.";

/// Arguments of `mcp`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct McpArguments {
    /// Directory that tools measure, and below which they read and write. Runs go to its folder syncline-runs.
    #[arg(long, required = true, add = Origin::Defaults)]
    pub dir: Option<PathBuf>,
    /// Let the tool observe name a process, a unit of systemd or a disk. The agent then sees the names of files outside
    /// --dir.
    #[arg(long, add = Origin::Typed(Because::LiftsRefusal))]
    pub observe_processes: bool,
    /// Longest time for one call, such as 90s, 15m or 1h. Syncline then ends it as at Ctrl-C.
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = values::parse_budget,
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub max_time: Duration,
    /// Most bytes that one call reads from disks and writes to them, such as 20GiB. Syncline then ends it as at Ctrl-C.
    #[arg(long, value_name = "SIZE", default_value = "100GiB", value_parser = values::parse_size,
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub max_bytes: u64,
}
