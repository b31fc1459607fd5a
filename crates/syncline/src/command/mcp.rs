//! `syncline mcp`: the commands as tools of the Model Context Protocol, on standard input and output.
//!
//! - **A call is a process**: the same program with the command that the tool is, its result as JSON and its messages
//!   as JSON. What a command prints, how it is interrupted and how a run resumes is therefore the same for an agent.
//! - **Nothing outside the directory of `--dir`**: every path of a call is resolved, with its symbolic links, before
//!   the process starts. What names programs, places or settings of servers is refused.
//! - **One measurement at a time**: two would measure each other.
//! - **A call ends as at Ctrl-C** if it is cancelled, reaches a bound, or its client is gone. If this process is
//!   killed, the kernel interrupts the call.

mod bounds;
mod call;
mod moved;
mod outcome;
mod root;
mod server;
mod tool;

use crate::arguments::McpArguments;
use crate::failure::Failure;
use crate::signals::interrupted_by_signals;
use bounds::Bounds;
use root::Root;
use std::path::Path;
use std::process::ExitCode;
use tool::Place;

/// Serves one client, until it closes its side or a signal comes.
pub(crate) fn run(arguments: &McpArguments) -> Result<ExitCode, Failure> {
    let interrupted = interrupted_by_signals()?;
    let root = Root::open(arguments.dir.as_deref().unwrap_or(Path::new(".")))?;
    // Names such as latest are relative to it.
    std::env::set_current_dir(root.path()).map_err(Failure::runtime)?;
    let bounds = Bounds { time: arguments.max_time, bytes: arguments.max_bytes };
    let place = Place { root, bounds, observes_processes: arguments.observe_processes };
    server::serve(place, &interrupted)
}
