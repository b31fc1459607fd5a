//! What some of the commit workload's parameters decide.

use super::parameters::{PARAMETERS, Parameters, WORKLOAD};
use crate::steady_ramp::SteadyRamp;
use crate::{IoEngine, steady_ramp};
use model::{Definitions, EVERY_TRIAL, WithoutEffect};

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &[
            PARAMETERS.reads_per_commit.name(),
            PARAMETERS.pacing.name(),
            PARAMETERS.page_size.name(),
            PARAMETERS.data_size.name(),
            PARAMETERS.data_mode.name(),
        ],
        holds: |values| PARAMETERS.read_depth.is(values, 0),
        because: "read_depth is 0",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.registered.name()],
        holds: |values| !PARAMETERS.ioengine.is(values, IoEngine::Uring),
        because: "ioengine is not uring",
    },
    steady_ramp::INTERVAL_WITHOUT_EFFECT,
];

/// Every parameter of the commit workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS, SteadyRamp::DEFINITIONS],
    placement: &[PARAMETERS.wal_layout.name(), EVERY_TRIAL.filesystem.name()],
    sizes: &[PARAMETERS.data_size.name(), PARAMETERS.wal_size.name()],
    without_effect: WITHOUT_EFFECT,
    absent: &[],
};
