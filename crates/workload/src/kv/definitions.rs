//! What some of the kv workload's parameters decide.

use super::mix::Phases;
use super::parameters::{PARAMETERS, Parameters, WORKLOAD};
use crate::popularity::Popularity;
use model::{Definitions, EVERY_TRIAL, WithoutEffect};

/// The parameter to lower when the disk is full.
pub const SIZE_PARAMETER: &str = PARAMETERS.keys.name();

/// Every parameter of the kv workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS],
    placement: &[EVERY_TRIAL.filesystem.name()],
    sizes: &[SIZE_PARAMETER],
    without_effect: &[
        WithoutEffect {
            parameters: &[PARAMETERS.zipf_theta.name()],
            holds: |values| PARAMETERS.popularity.is(values, Popularity::Uniform),
            because: "popularity is uniform",
        },
        WithoutEffect {
            parameters: &[PARAMETERS.writers.name(), PARAMETERS.writer_rate_ops.name()],
            holds: |values| !PARAMETERS.phases.is(values, Phases::DbBench),
            because: "phases has no reads beside writers",
        },
        WithoutEffect {
            parameters: &[PARAMETERS.mix.name()],
            holds: |values| PARAMETERS.phases.is(values, Phases::DbBench),
            because: "phases has no mix",
        },
    ],
    absent: &[],
};
