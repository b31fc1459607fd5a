//! Writes every parser's seeds to DIRECTORY/PARSER, for libFuzzer to begin from, and prints the parsers' names.

use hostile::parser::PARSERS;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: seeds DIRECTORY")?);
    for parser in PARSERS {
        let directory = directory.join(parser.name);
        std::fs::create_dir_all(&directory)?;
        for (index, seed) in parser.seeds()?.iter().enumerate() {
            std::fs::write(directory.join(format!("seed-{index}")), seed)?;
        }
        println!("{}", parser.name);
    }
    Ok(())
}
