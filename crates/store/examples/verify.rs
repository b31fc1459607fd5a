//! Checks a store: `cargo run -p syncline-store --example verify -- DIRECTORY`. Exits with 1 if something is wrong, and
//! with 2 if the store cannot be checked.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [directory] = &arguments[..] else {
        eprintln!("usage: verify DIRECTORY");
        return ExitCode::from(2);
    };
    match verify(Path::new(directory), &mut io::stdout()) {
        Ok(is_sound) => ExitCode::from(u8::from(!is_sound)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Writes what a store has and what is wrong with it. Returns whether nothing is.
pub(crate) fn verify(directory: &Path, out: &mut impl Write) -> Result<bool, Box<dyn std::error::Error>> {
    let found = store::verify(directory)?;
    writeln!(
        out,
        "{} entries in {} runs of {} bytes, {} large and {} separated values, {} batches in the log",
        found.entries,
        found.runs,
        found.run_bytes,
        found.large_values,
        found.separated_values,
        found.log_records
    )?;
    for name in &found.unknown_files {
        writeln!(out, "not needed: {name}")?;
    }
    for problem in &found.problems {
        writeln!(out, "{problem}")?;
    }
    Ok(found.problems.is_empty())
}
