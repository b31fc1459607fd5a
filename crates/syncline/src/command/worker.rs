//! `syncline worker`: a request on standard input, an answer on standard output; turns in between, if the trial takes
//! any.

use crate::failure::Failure;
use model::trial::WorkerRequest;
use std::io::{BufRead, BufReader};
use std::process::ExitCode;

/// Carries out the request; a reply of "failed" is still a reply.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    // The kernel names a process after the file that it was started by, which is `exe`.
    let _ = rustix::thread::set_name(c"syncline");
    let mut orders = BufReader::new(std::io::stdin());
    let mut request = String::new();
    orders.read_line(&mut request).map_err(Failure::runtime)?;
    let request: WorkerRequest = serde_json::from_str(&request).map_err(|error| {
        Failure::Usage(format!("worker: the request on standard input is not valid: {error}"))
    })?;
    let line = trial::TurnChannel::new(orders, std::io::stdout());
    line.say(&trial::answer(&request, &line)).map_err(Failure::runtime)?;
    Ok(ExitCode::SUCCESS)
}
