//! `syncline completions SHELL`.

use crate::arguments::Arguments;
use crate::failure::Failure;
use clap::CommandFactory;
use std::process::ExitCode;

/// Prints the completion script.
pub(crate) fn run(shell: clap_complete::Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "syncline", &mut script);
    crate::output::print_rendered(&String::from_utf8_lossy(&script))
}
