//! What some of the device workload's parameters decide.

use super::levels::{Beside, BesideEngine, Data, Distribution, Pattern};
use super::parameters::{PARAMETERS, Parameters, WORKLOAD};
use crate::steady_ramp::SteadyRamp;
use crate::{IoEngine, steady_ramp};
use model::{Cache, Definitions, EVERY_TRIAL, IoMode, Nanos, WithoutEffect};

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &[PARAMETERS.rwmixread.name(), PARAMETERS.bssplit_writes.name()],
        holds: |values| !PARAMETERS.rw.of(values).is_some_and(Pattern::is_mix),
        because: "rw mixes nothing",
    },
    WithoutEffect {
        parameters: &[
            PARAMETERS.fdatasync.name(),
            PARAMETERS.sync_file_range.name(),
            PARAMETERS.sync_file_range_writes.name(),
            PARAMETERS.end_fsync.name(),
            PARAMETERS.verify.name(),
        ],
        holds: |values| PARAMETERS.rw.of(values).is_some_and(|rw| !rw.writes()),
        because: "rw writes nothing",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.sync_file_range_writes.name()],
        holds: |values| PARAMETERS.sync_file_range.is(values, None),
        because: "sync_file_range is none",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.ioengine.name(), PARAMETERS.registered.name()],
        holds: |values| PARAMETERS.mode.is(values, IoMode::Mmap),
        because: "mode is mmap",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.registered.name()],
        holds: |values| {
            !PARAMETERS.ioengine.is(values, IoEngine::Uring)
                && !PARAMETERS.beside_ioengine.is(values, BesideEngine::Uring)
        },
        because: "ioengine is not uring",
    },
    WithoutEffect {
        parameters: &[
            PARAMETERS.whole_file.name(),
            PARAMETERS.order.name(),
            PARAMETERS.hole.name(),
            PARAMETERS.hole_every.name(),
        ],
        holds: |values| PARAMETERS.rw.of(values).is_some_and(Pattern::is_random),
        because: "rw is random",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.hole_every.name()],
        holds: |values| PARAMETERS.hole.is(values, 0),
        because: "hole is 0B",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.zipf_theta.name()],
        holds: |values| !PARAMETERS.random_distribution.is(values, Distribution::Zipf),
        because: "random_distribution is not zipf",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.zones.name()],
        holds: |values| !PARAMETERS.random_distribution.is(values, Distribution::Zoned),
        because: "random_distribution is not zoned",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.zone_size.name(), PARAMETERS.open_zones.name()],
        holds: |values| !PARAMETERS.random_distribution.is(values, Distribution::InZones),
        because: "random_distribution is not in_zones",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.atomic.name()],
        holds: |values| PARAMETERS.rw.of(values).is_some_and(|rw| !rw.writes()),
        because: "rw writes nothing",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.rate_period.name()],
        holds: |values| PARAMETERS.rate_iops.is(values, None) && PARAMETERS.beside_rate_iops.is(values, None),
        because: "there is no rate",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.flow.name()],
        holds: |values| PARAMETERS.teams.of(values).is_some_and(|teams| teams.iter().nth(1).is_none()),
        because: "teams has no other kinds of jobs",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.thinktime_blocks.name()],
        holds: |values| PARAMETERS.thinktime.is(values, Nanos::ZERO),
        because: "thinktime is 0s",
    },
    WithoutEffect {
        parameters: &[
            PARAMETERS.beside_bs.name(),
            PARAMETERS.beside_iodepth.name(),
            PARAMETERS.beside_numjobs.name(),
            PARAMETERS.beside_rate_iops.name(),
            PARAMETERS.beside_size.name(),
            PARAMETERS.beside_ioengine.name(),
            PARAMETERS.beside_mode.name(),
            PARAMETERS.beside_advice.name(),
        ],
        holds: |values| PARAMETERS.beside.is(values, Beside::None),
        because: "beside is none",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.buffer_compress_percentage.name()],
        holds: |values| !PARAMETERS.data.is(values, Data::Compressible),
        because: "data is not compressible",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.cached_percentage.name()],
        holds: |values| !PARAMETERS.cache.is(values, Cache::Warm),
        because: "cache is not warm",
    },
    steady_ramp::INTERVAL_WITHOUT_EFFECT,
];

/// Every parameter of the device workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS, SteadyRamp::DEFINITIONS],
    placement: &[EVERY_TRIAL.filesystem.name()],
    sizes: &[PARAMETERS.size.name(), PARAMETERS.beside_size.name()],
    without_effect: WITHOUT_EFFECT,
    absent: &[],
};
