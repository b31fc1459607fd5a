//! `syncline worker`: one request on standard input, one answer on standard output.

use crate::failure::Failure;
use model::trial::WorkerRequest;
use std::process::ExitCode;

/// Carries out the request; a reply of "failed" is still a reply.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    // The kernel names a process after the file that it was started by, which is `exe`.
    let _ = rustix::thread::set_name(c"syncline");
    let request: WorkerRequest = serde_json::from_reader(std::io::stdin()).map_err(|error| {
        Failure::Usage(format!("worker: the request on standard input is not valid: {error}"))
    })?;
    serde_json::to_writer(std::io::stdout(), &trial::answer(&request)).map_err(Failure::runtime)?;
    Ok(ExitCode::SUCCESS)
}
