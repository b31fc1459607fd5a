//! `syncline advise RUN`: the settings that follow from a run, as files that databases load, and against what is set now.

use crate::arguments::AdviseArguments;
use crate::command::report::analyse;
use crate::failure::Failure;
use crate::input_file;
use lab::run_directory;
use model::run::Run;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verdict::Verdict;
use verdict::advice::current;

const DIRECTORY: &str = "advice";
const WIDTH: usize = 100;
/// Files of settings are written by hand.
const SETTINGS_BYTES_MAX: u64 = 1 << 20;

/// Prints what follows and writes it beside the records; or compares a file of settings with it.
pub(crate) fn run(arguments: &AdviseArguments) -> Result<ExitCode, Failure> {
    let run = run_directory::read(&arguments.run).map_err(Failure::runtime)?;
    let verdict = analyse(&arguments.run, &run);
    let colour = std::io::stdout().is_terminal();
    if let Some(file) = &arguments.current {
        let text = compared(file, &verdict, colour)?;
        return crate::print(&text);
    }
    let written = write(&arguments.run, &run, &verdict)?;
    crate::print(&report::advice(&run, &verdict, WIDTH, colour))?;
    let names: Vec<String> = written.iter().map(|path| format!("  {}\n", path.display())).collect();
    let ending = if names.is_empty() {
        "\nNothing was written: no setting follows from this run.\n".to_owned()
    } else {
        format!("\nWritten:\n{}", names.concat())
    };
    crate::print(&ending)
}

/// Writes a file for every database that something is advised for, and removes those of an earlier analysis.
pub(crate) fn write(directory: &Path, run: &Run, verdict: &Verdict) -> Result<Vec<PathBuf>, Failure> {
    let below = directory.join(DIRECTORY);
    let mut written = Vec::new();
    for advice in &verdict.advice {
        let path = below.join(&advice.fragment);
        let failed = |what: &str, error: &std::io::Error| {
            Failure::Runtime(format!("{}: cannot {what} the advice: {error}", path.display()))
        };
        match report::fragment(run, advice) {
            Some(text) => {
                fs::create_dir_all(&below).map_err(|error| failed("make a directory for", &error))?;
                fs::write(&path, text).map_err(|error| failed("write", &error))?;
                written.push(path);
            }
            None => match fs::remove_file(&path) {
                Err(error) if !is_absent(&error) => return Err(failed("remove what was", &error)),
                Ok(()) | Err(_) => {}
            },
        }
    }
    Ok(written)
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// A file of settings against the advice for its database.
fn compared(file: &Path, verdict: &Verdict, colour: bool) -> Result<String, Failure> {
    let shown = file.display();
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let syntax = current::syntax_of(&name).ok_or_else(|| {
        Failure::Usage(format!(
            "--current {shown}: its name tells no database: postgresql.conf, my.cnf, an OPTIONS file or .ini of RocksDB, or \
             .sql with SQLite's pragmas"
        ))
    })?;
    let bytes = input_file::read(file, SETTINGS_BYTES_MAX)
        .map_err(|error| Failure::Runtime(format!("{shown}: cannot read the settings: {error}")))?;
    if bytes.len() as u64 > SETTINGS_BYTES_MAX {
        return Err(Failure::Usage(format!("{shown}: more than 1 MiB: this is no file of settings")));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("{shown}: not UTF-8: this is no file of settings")))?;
    let unreadable = |why: current::Unreadable| Failure::Usage(format!("{shown}:{why}"));
    let entries = current::read(syntax, &text).map_err(unreadable)?;
    let Some(advice) = verdict.advice.iter().find(|advice| advice.syntax == syntax) else {
        return Err(Failure::Runtime(format!("{shown}: no rules are known for its database")));
    };
    let review = current::review(advice, &entries).map_err(unreadable)?;
    Ok(report::review(&review, &name, WIDTH, colour))
}
