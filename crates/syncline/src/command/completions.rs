//! `syncline completions SHELL`.

use crate::completion;
use crate::failure::Failure;
use clap_complete::Shell;
use std::process::ExitCode;

/// Prints the script that the shell loads.
pub(crate) fn run(shell: Shell) -> Result<ExitCode, Failure> {
    let script = completion::script(shell, "syncline").map_err(Failure::runtime)?;
    crate::output::print_rendered(&String::from_utf8_lossy(&script))
}
