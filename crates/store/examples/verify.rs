//! Checks a store: `cargo run -p syncline-store --example verify -- DIRECTORY`. Exits with 1 if something is wrong.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [directory] = &arguments[..] else {
        eprintln!("usage: verify DIRECTORY");
        return ExitCode::from(2);
    };
    match store::verify(Path::new(directory)) {
        Ok(found) => {
            println!(
                "{} entries in {} runs of {} bytes, {} large values, {} batches in the log",
                found.entries, found.runs, found.run_bytes, found.large_values, found.log_records
            );
            for name in &found.unknown_files {
                println!("not needed: {name}");
            }
            for problem in &found.problems {
                println!("{problem}");
            }
            ExitCode::from(u8::from(!found.problems.is_empty()))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
