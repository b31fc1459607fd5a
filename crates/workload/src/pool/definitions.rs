//! What some of the pool workload's parameters decide.

use super::levels::Subject;
use super::parameters::{PARAMETERS, Parameters, WORKLOAD};
use crate::IoEngine;
use model::{Cache, Definitions, EVERY_TRIAL, WithoutEffect};

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &[
            PARAMETERS.ioengine.name(),
            PARAMETERS.registered.name(),
            PARAMETERS.buffer_pages.name(),
            PARAMETERS.read_ahead.name(),
        ],
        holds: |values| PARAMETERS.subject.is(values, Subject::Postgres),
        because: "PostgreSQL does its own I/O",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.registered.name()],
        holds: |values| !PARAMETERS.ioengine.is(values, IoEngine::Uring),
        because: "ioengine is not uring",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.cached_percentage.name()],
        holds: |values| !PARAMETERS.cache.is(values, Cache::Warm),
        because: "cache is not warm",
    },
];

/// Every parameter of the pool workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS],
    placement: &[EVERY_TRIAL.filesystem.name()],
    sizes: &[PARAMETERS.blocks.name()],
    without_effect: WITHOUT_EFFECT,
    absent: &[],
};
