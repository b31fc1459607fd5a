//! A worker's answer to a request.

use crate::kill::{acknowledge, recover};
use crate::line::TurnChannel;
use crate::measure::measure;
use crate::prepare::prepare;
use crate::refusal::Refusal;
use disk::kernel::scheduling::die_with_parent;
use model::FORMAT_VERSION;
use model::trial::{TrialSpec, WorkerReply, WorkerRequest};

/// Performs the request, in a process that does nothing else. A refusal is an answer too.
///
/// A trial that takes turns gets them by the line, and answers only after its last one.
pub fn answer(request: &WorkerRequest, line: &TurnChannel) -> WorkerReply {
    let (WorkerRequest::Prepare(spec)
    | WorkerRequest::Trial(spec)
    | WorkerRequest::Acknowledge(spec)
    | WorkerRequest::Recover(spec)) = request;
    let reply = bind(spec).and_then(|()| match request {
        WorkerRequest::Prepare(spec) => prepare(spec),
        WorkerRequest::Trial(spec) => measure(spec, line),
        WorkerRequest::Acknowledge(spec) => acknowledge(spec),
        WorkerRequest::Recover(spec) => recover(spec),
    });
    reply.unwrap_or_else(WorkerReply::from)
}

/// Binds this process to its parent: neither its load nor its mounts outlive a killed lab.
fn bind(spec: &TrialSpec) -> Result<(), Refusal> {
    if spec.format_version != FORMAT_VERSION {
        return Err(Refusal::Failed(format!(
            "the request has format version {}, this worker has {FORMAT_VERSION}",
            spec.format_version
        )));
    }
    die_with_parent(spec.parent_process).map_err(Refusal::failed)
}
