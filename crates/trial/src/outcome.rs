//! What a subject adds to a measurement.

use model::mechanism::Measured;
use model::server::ServerFacts;
use model::sidecar::Sidecar;
use model::trial::{FileFacts, OperationLogFile, Phase, SteadyRamp};
use model::{BufferMemory, DurabilityClass};

/// A subject's part of a measurement.
pub(crate) struct SubjectMeasurement {
    pub(crate) phases: Vec<Phase>,
    pub(crate) durability: DurabilityClass,
    pub(crate) sidecar: Sidecar,
    pub(crate) notes: Vec<String>,
    pub(crate) steady_ramp: Option<SteadyRamp>,
    /// What a server said about itself, if one was driven.
    pub(crate) server: Option<ServerFacts>,
    /// Seconds of the measurements after the phases.
    pub(crate) aftermath_s: f64,
    /// The memory of Syncline's own buffers after the last phase; `None` if it has none.
    pub(crate) buffers: Option<Measured<BufferMemory>>,
    /// Files beside those of the description whose cache state is the configuration's: those that Syncline's own server
    /// reads, and the dataset of objects as one.
    pub(crate) other_files: Vec<FileFacts>,
    /// By file, if the workload ran before it was measured.
    pub(crate) cached_shares_after_ramp: Option<Vec<Measured<f64>>>,
    /// The operations that were logged, if any.
    pub(crate) operation_log: Option<OperationLogFile>,
}

impl SubjectMeasurement {
    /// What every subject adds: its phases, what an acknowledged write survived, and the sidecar.
    pub(crate) fn new(phases: Vec<Phase>, durability: DurabilityClass, sidecar: Sidecar) -> Self {
        Self {
            phases,
            durability,
            sidecar,
            notes: Vec::new(),
            steady_ramp: None,
            server: None,
            aftermath_s: 0.0,
            buffers: None,
            other_files: Vec::new(),
            cached_shares_after_ramp: None,
            operation_log: None,
        }
    }
}
