//! `syncline worker`: one request on standard input, one answer on standard output.

use crate::failure::Failure;
use crate::subject;
use model::FORMAT_VERSION;
use model::trial::{TrialSpec, WorkerReply, WorkerRequest};
use std::process::ExitCode;

/// Carries out the request; a reply of "failed" is still a reply.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    // The kernel names a process after the file that it was started by, which is `exe`.
    let _ = rustix::thread::set_name(c"syncline");
    let request: WorkerRequest = serde_json::from_reader(std::io::stdin()).map_err(|error| {
        Failure::Usage(format!("worker: the request on standard input is not valid: {error}"))
    })?;
    let (WorkerRequest::Prepare(spec)
    | WorkerRequest::Trial(spec)
    | WorkerRequest::Acknowledge(spec)
    | WorkerRequest::Recover(spec)) = &request;
    check(spec)?;
    let reply = match &request {
        WorkerRequest::Prepare(spec) => subject::prepare(spec),
        WorkerRequest::Trial(spec) => subject::measure(spec),
        WorkerRequest::Acknowledge(spec) => subject::acknowledge(spec),
        WorkerRequest::Recover(spec) => subject::recover(spec),
    };
    let reply = reply.unwrap_or_else(subject::Refusal::reply);
    serde_json::to_writer(std::io::stdout(), &reply).map_err(Failure::runtime)?;
    Ok(ExitCode::SUCCESS)
}

fn check(spec: &TrialSpec) -> Result<(), Failure> {
    if spec.format_version != FORMAT_VERSION {
        return Err(Failure::Usage(format!(
            "worker: the request has format version {}, this syncline has {FORMAT_VERSION}",
            spec.format_version
        )));
    }
    // Nothing of a killed lab may live on: not its load, not its mounts.
    disk::kernel::scheduling::die_with_parent(spec.parent_process).map_err(Failure::runtime)
}

impl subject::Refusal {
    fn reply(self) -> WorkerReply {
        match self {
            Self::Failed(why) => WorkerReply::Failed { why },
            Self::Unsupported(why) => WorkerReply::Unsupported { why },
        }
    }
}
