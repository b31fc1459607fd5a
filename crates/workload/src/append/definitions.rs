//! What some of the append workload's parameters decide.

use super::levels::{FILE, FileDurability};
use super::parameters::{PARAMETERS, Parameters, WORKLOAD};
use crate::IoEngine;
use model::{Configuration, Definitions, EVERY_TRIAL, WithoutEffect};

/// The parameter to lower when the disk is full.
pub const SIZE_PARAMETER: &str = PARAMETERS.entries.name();

/// No device acknowledges more entries in a second if each waits for a sync.
const SYNCED_ENTRIES_PER_S_MAX: f64 = 150_000.0;

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &[
            PARAMETERS.ioengine.name(),
            PARAMETERS.registered.name(),
            PARAMETERS.buffer_pages.name(),
            PARAMETERS.layout.name(),
        ],
        holds: |values| !is_file(values),
        because: "engine is not file",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.registered.name()],
        holds: |values| !PARAMETERS.ioengine.is(values, IoEngine::Uring),
        because: "ioengine is not uring",
    },
    // The payload is filled before the measurement, whatever the order of its keys.
    WithoutEffect {
        parameters: &[PARAMETERS.key_order.name()],
        holds: is_file,
        because: "a file keeps no keys",
    },
    WithoutEffect {
        parameters: &[SIZE_PARAMETER],
        holds: ends_before_its_entries,
        because: "every entry waits for a sync, so that runtime ends it first",
    },
];

fn is_file(values: &Configuration) -> bool {
    PARAMETERS.engine.is(values, FILE)
}

fn ends_before_its_entries(values: &Configuration) -> bool {
    let Ok(p) = Parameters::read(values) else { return false };
    let syncs_each =
        p.file().is_some_and(FileDurability::is_of_each_entry) && p.sync_every == 1 && p.buffer_size == 0;
    let runtime_s = p.runtime.seconds();
    syncs_each && runtime_s > 0.0 && p.entries as f64 > runtime_s * SYNCED_ENTRIES_PER_S_MAX
}

/// Every parameter of the append workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS],
    placement: &[PARAMETERS.layout.name(), EVERY_TRIAL.filesystem.name()],
    sizes: &[SIZE_PARAMETER],
    without_effect: WITHOUT_EFFECT,
    absent: &[],
};
