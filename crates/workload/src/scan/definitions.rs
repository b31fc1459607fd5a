//! What some of the scan workload's parameters decide.

use super::parameters::{PARAMETERS, Parameters, WORKLOAD, is_object_store};
use model::{Absent, Definitions, EVERY_TRIAL, Nanos, WithoutEffect};

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
    WithoutEffect {
        parameters: &[PARAMETERS.batch_size.name(), PARAMETERS.prefetch.name()],
        holds: |values| PARAMETERS.step_time.is(values, Nanos::ZERO),
        because: "step_time is 0s",
    },
];

const ABSENT: &[Absent] = &[Absent {
    parameters: &[
        PARAMETERS.page_cache.name(),
        PARAMETERS.cache.name(),
        PARAMETERS.hint_scope.name(),
        PARAMETERS.open.name(),
    ],
    holds: |values| PARAMETERS.target.of(values).flatten().is_some_and(|target| is_object_store(&target)),
    because: "an object store has no local page cache and no files to open",
}];

/// Every parameter of the scan workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS],
    placement: &[EVERY_TRIAL.filesystem.name()],
    sizes: &[PARAMETERS.files.name(), PARAMETERS.file_size.name()],
    without_effect: WITHOUT_EFFECT,
    absent: ABSENT,
};
