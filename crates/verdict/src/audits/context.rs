//! What audits look at: a study's trials, each with what it was asked, and what stands around them.

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

/// A trial that counts, and what its configuration is.
pub(crate) struct Trial<'a> {
    /// What it left.
    pub(crate) record: &'a TrialRecord,
    /// What it was asked.
    pub(crate) description: &'a Description,
}

/// Every trial that counts by configuration, the A/A arm's second trials included.
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

/// What zeros cost against random data on one file system, or why that is not known.
pub(crate) struct Canary<'a> {
    /// The `filesystem` level of the trial that left it.
    pub(crate) filesystem: FileSystem,
    /// What it found.
    pub(crate) found: &'a Measured<CompressionCanary>,
}

/// What an audit looks at.
pub(crate) struct Context<'a> {
    /// The machine.
    pub(crate) host: &'a HostFacts,
    /// The study's plan and records.
    pub(crate) observations: &'a Observations<'a>,
    /// Figures by configuration.
    pub(crate) cells: &'a [Cell],
    /// Metrics that are asked about.
    pub(crate) asked: &'a [String],
    /// Merged latency distributions.
    pub(crate) latencies: &'a Latencies,
    /// The trials that count, by configuration.
    pub(crate) trials: &'a [Vec<Trial<'a>>],
    /// What they declare that an acknowledged write survives.
    pub(crate) classes: &'a Classes,
    /// Canaries of the whole run: studies share their file systems.
    pub(crate) canaries: &'a [Canary<'a>],
}
