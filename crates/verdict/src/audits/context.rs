//! The data of audits: a study's trials, each with its description, and their context.

use crate::described;
use crate::durability::Classes;
use crate::latencies::Latencies;
use crate::observations::Observations;
use crate::verdict::Cell;
use model::canary::CompressionCanary;
use model::host::HostFacts;
use model::mechanism::Measured;
use model::trial::TrialRecord;
use model::{Description, FileSystem};

/// An analysed trial, and the description of its configuration.
pub(crate) struct Trial<'a> {
    pub(crate) record: &'a TrialRecord,
    pub(crate) description: &'a Description,
}

/// Every analysed trial by configuration, including the A/A arm's second trials.
pub(crate) fn trials<'a>(observations: &Observations<'a>) -> Vec<Vec<Trial<'a>>> {
    let plan = observations.plan;
    let mut trials: Vec<Vec<Trial<'_>>> = plan.configurations.iter().map(|_| Vec::new()).collect();
    for record in observations.analysed() {
        if let Some(of_configuration) = trials.get_mut(record.key.configuration) {
            let description = described::configuration(plan, record.key.configuration);
            of_configuration.push(Trial { record, description });
        }
    }
    trials
}

/// The time of zeros relative to random data on one file system, or the reason why it is unknown.
pub(crate) struct Canary<'a> {
    /// The `filesystem` level of the trial that recorded it.
    pub(crate) filesystem: FileSystem,
    pub(crate) found: &'a Measured<CompressionCanary>,
}

/// The data of an audit.
pub(crate) struct Context<'a> {
    pub(crate) host: &'a HostFacts,
    /// The study's plan and records.
    pub(crate) observations: &'a Observations<'a>,
    pub(crate) cells: &'a [Cell],
    /// Metrics that the study asks about.
    pub(crate) asked: &'a [String],
    pub(crate) latencies: &'a Latencies,
    /// The analysed trials, by configuration.
    pub(crate) trials: &'a [Vec<Trial<'a>>],
    /// What they declare that an acknowledged write survives.
    pub(crate) classes: &'a Classes,
    /// Canaries of the whole run: studies share their file systems.
    pub(crate) canaries: &'a [Canary<'a>],
}
