//! Writes a specimen report to look at: `cargo run -p syncline-report --example specimen -- FILE [ROUNDS]`.

#[path = "../tests/it/fixture/mod.rs"]
mod fixture;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: specimen FILE [ROUNDS]")?;
    let rounds = arguments.next().map_or(Ok(6), |text| text.parse())?;
    let (run, verdict) = fixture::specimen(rounds);
    std::fs::write(&path, report::html(&run, &verdict, &[], &report::Repeat::default()))?;
    print!("{}", report::terminal(&run, &verdict, &[], 100, false));
    println!("\n{}", report::csv_page_000(&run, &verdict)?);
    println!("{path}: {} trials", run.records.len());
    Ok(())
}
