//! The command `syncline`: one file per subcommand, and the registry that wires subjects to workloads.

mod arguments;
mod command;
mod failure;
mod fio_results;
mod input_file;
mod possible;
mod premises;
mod progress;
mod reference;
mod repeat;
mod requirements;
mod servers;
mod standing;
mod studies;
mod subject;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Run(arguments) => command::run::run(&arguments),
        Command::Check(arguments) => command::check::run(&arguments),
        Command::Studies { study } => command::studies::run(study.as_deref()),
        Command::Report { run } => command::report::run(&run),
        Command::Export { run, format } => command::export::run(&run, format),
        Command::Compare(arguments) => command::compare::run(&arguments),
        Command::Advise(arguments) => command::advise::run(&arguments),
        Command::Fio(arguments) => command::fio::run(&arguments),
        Command::Audit(arguments) => command::audit::run(&arguments),
        Command::Doctor { dir } => command::doctor::run(&dir),
        Command::Completions { shell } => command::completions::run(shell),
        Command::Man { subcommand } => command::man::run(subcommand.as_deref()),
        Command::Worker => command::worker::run(),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit_code()
        }
    }
}

/// Writes to standard output; a reader that closed the pipe early (`| head`) is no failure.
fn print(text: &str) -> Result<ExitCode, Failure> {
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Runtime(format!("standard output: cannot write: {error}")))
        }
        Ok(()) | Err(_) => Ok(ExitCode::SUCCESS),
    }
}
