//! `syncline man [COMMAND]`.

use crate::arguments::Arguments;
use crate::failure::Failure;
use clap::CommandFactory;
use clap_mangen::Man;
use model::suggestion;
use std::process::ExitCode;

/// Prints the manual page.
pub(crate) fn run(subcommand: Option<&str>) -> Result<ExitCode, Failure> {
    let mut program = Arguments::command();
    // Once it is built, a command is called syncline-run, as its page is.
    program.build();
    let shown = match subcommand {
        None => program,
        Some(name) => one_of(&program, name)?,
    };
    let mut page = Vec::new();
    Man::new(shown).render(&mut page).map_err(Failure::runtime)?;
    // What clap calls extra are examples and exit codes.
    crate::output::print_rendered(&String::from_utf8_lossy(&page).replace(".SH EXTRA", ".SH EXAMPLES"))
}

fn one_of(program: &clap::Command, name: &str) -> Result<clap::Command, Failure> {
    let shown: Vec<&clap::Command> =
        program.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    let found = shown.iter().find(|command| command.get_name() == name);
    let names = shown.iter().map(|command| command.get_name());
    found
        .map(|command| (*command).clone())
        .ok_or_else(|| Failure::Usage(suggestion::unknown("command", name, names)))
}
