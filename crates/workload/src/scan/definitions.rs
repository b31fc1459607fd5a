//! What some of the scan workload's parameters decide.

use super::parameters::{PARAMETERS, Parameters, WORKLOAD};
use model::{Definitions, EVERY_TRIAL, WithoutEffect};

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &[PARAMETERS.block_size.name()],
        holds: |values| PARAMETERS.multipart.is(values, true),
        because: "multipart reads ranges of range_size",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.range_size.name(), PARAMETERS.connections.name()],
        holds: |values| PARAMETERS.multipart.is(values, false),
        because: "multipart is false",
    },
];

/// Every parameter of the scan workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS],
    placement: &[EVERY_TRIAL.filesystem.name()],
    sizes: &[PARAMETERS.files.name(), PARAMETERS.file_size.name()],
    without_effect: WITHOUT_EFFECT,
};
