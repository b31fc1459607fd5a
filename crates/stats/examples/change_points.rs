//! The changes in the columns of a CSV file of positive figures, for `scripts/measure-change-points`.
//!
//! Usage: change_points FILE.csv FROM EVERY: each column is analysed when it has FROM rows, and again after every EVERY
//! further ones. Prints a line for each analysis: column, rows, and the rows at which the level changed, from 0.

use stats::change_point::changes;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    match run(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("change_points: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let [file, from, every] = arguments else {
        return Err("usage: change_points FILE.csv FROM EVERY".to_owned());
    };
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let (from, every) = (number(from)?, number(every)?.max(1));
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let mut columns: Vec<Vec<f64>> = names.iter().map(|_| Vec::new()).collect();
    for line in lines {
        for (column, cell) in columns.iter_mut().zip(line.split(',')) {
            column.push(cell.parse::<f64>().map_err(|error| format!("{cell}: {error}"))?.ln());
        }
    }
    let mut printed = String::new();
    for (name, logs) in names.iter().zip(&columns) {
        for rows in (from..=logs.len()).step_by(every) {
            let found = changes(&logs[..rows]).map_err(|error| format!("{name}: {error}"))?;
            let places: Vec<String> = found.changes.iter().map(|change| change.at.to_string()).collect();
            // Writing to a String cannot fail.
            let _ = writeln!(printed, "{name} {rows} {}", places.join(" "));
        }
    }
    Ok(printed)
}
