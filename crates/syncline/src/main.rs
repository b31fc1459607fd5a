//! The command `syncline`: one file per subcommand, and what stands between the command line and the crates.
//!
//! - **The default profile is `quick`**, because a user who types `syncline run commit` wants an answer in a minute or
//!   two.
//! - **`check` is a run**: the profile `check` of two studies, and one screen made from their verdict.
//! - **A level that a device cannot do is a result** (unsupported, with the reason) if other levels remain. An
//!   impossible fixed value is a mistake, and is refused before the first trial.
//! - **Only `output.rs` writes to standard output and standard error.** If an output cannot be written, the run
//!   continues.

mod analysis;
mod appearance;
mod arguments;
mod authorship;
mod budget;
mod command;
mod completion;
mod datasets;
mod defaults;
mod document;
mod dry_run;
mod failure;
mod fio_results;
mod found_databases;
mod input_file;
mod latest;
mod launched;
mod machine;
mod message;
mod output;
mod page_file;
mod possible;
mod premises;
mod process_tree;
mod program;
mod progress;
mod proofs;
mod publish;
mod remedy;
mod repeat;
mod replays;
mod replicates;
mod request;
mod requirements;
mod resumption;
mod servers;
mod session;
mod settings_file;
#[cfg(feature = "mpi")]
mod shared;
mod signals;
mod spikes;
mod standing;
mod studies;
mod suggestion;
mod time_spent;
mod tracing;

use appearance::Appearance;
use arguments::{Arguments, Command};
use clap::CommandFactory;
use defaults::Completed;
use disk::kernel::child;
use failure::Failure;
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    completion::answer(Arguments::command);
    let words: Vec<OsString> = env::args_os().collect();
    let result = defaults::complete(&words).and_then(|Completed { arguments, remarks }| {
        output::set_appearance(Appearance::new(&arguments.global));
        remarks.iter().for_each(output::tell_always);
        signals::make_file_size_limit_an_error()?;
        child::let_children_be_waited_for().map_err(Failure::runtime)?;
        run(arguments.command)
    });
    match result {
        Ok(code) => code,
        Err(failure) => {
            output::report_error(&failure);
            failure.exit_code()
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(arguments) => command::run::run(&arguments),
        Command::Prove(arguments) => command::prove::run(&arguments),
        Command::Check(arguments) => command::check::run(&arguments),
        Command::Studies { study, format } => command::studies::run(study.as_deref(), format),
        Command::Report(arguments) => command::report::run(&arguments),
        Command::Export { run, format, redact } => command::export::run(&run, format, redact),
        Command::Compare(arguments) => command::compare::run(&arguments),
        Command::Fleet(arguments) => command::fleet::run(&arguments),
        Command::History(arguments) => command::history::run(&arguments),
        Command::Size(arguments) => command::size::run(&arguments),
        Command::Watch(arguments) => command::watch::run(&arguments),
        Command::Preflight(arguments) => command::preflight::run(&arguments),
        Command::Advise(arguments) => command::advise::run(&arguments),
        Command::Fio(arguments) => command::fio::run(&arguments),
        Command::Audit(arguments) => command::audit::run(&arguments),
        Command::Doctor { place, container, format } => match container {
            Some(subject) => command::doctor::container::run(&subject, format),
            None => command::doctor::run(place.path(), format),
        },
        Command::Completions { shell } => command::completions::run(shell),
        Command::Man { subcommand } => command::man::run(subcommand.as_deref()),
        Command::Observe(arguments) => command::observe::run(&arguments),
        #[cfg(feature = "survive")]
        Command::Survive(arguments) => command::survive::run(&arguments),
        Command::Mcp(arguments) => command::mcp::run(&arguments),
        Command::Worker => command::worker::run(),
        #[cfg(feature = "survive")]
        Command::EngineServer { engine, store, socket, level } => {
            command::engine_server::run(&engine, &store, &socket, &level)
        }
    }
}
