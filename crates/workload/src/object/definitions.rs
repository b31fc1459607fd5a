//! What some of the object workload's parameters decide.

use super::levels::{SizeDistribution, Step};
use super::parameters::{PARAMETERS, Parameters, WORKLOAD};
use crate::popularity::Popularity;
use model::{Absent, Configuration, Definitions, EVERY_TRIAL, WithoutEffect};

fn lacks(values: &Configuration, is: impl Fn(Step) -> bool) -> bool {
    // A log brings its mix with it.
    Parameters::read(values).is_ok_and(|p| !p.is_replay() && !p.has(is))
}

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &[PARAMETERS.object_size.name(), PARAMETERS.size_distribution.name()],
        holds: |values| PARAMETERS.size_table.of(values).is_some_and(|table| !table.is_empty()),
        because: "size_table has the sizes",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.size_sigma.name()],
        holds: |values| !PARAMETERS.size_distribution.is(values, SizeDistribution::LogNormal),
        because: "sizes are not log-normal",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.prefixes.name()],
        holds: |values| PARAMETERS.prefix_depth.is(values, 0),
        because: "prefix_depth is 0",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.range_size.name()],
        holds: |values| lacks(values, |step| step == Step::GetRange),
        because: "the mix has no get_range",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.part_size.name(), PARAMETERS.parts_in_flight.name()],
        holds: |values| lacks(values, |step| step == Step::MultipartPut),
        because: "the mix has no multipart_put",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.parts_in_flight.name()],
        holds: |values| PARAMETERS.target.of(values) == Some(None),
        because: "a file is written one piece after another",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.list_page.name()],
        holds: |values| lacks(values, |step| step == Step::List),
        because: "the mix has no list",
    },
    WithoutEffect {
        parameters: &[
            PARAMETERS.kept_objects.name(),
            PARAMETERS.rename_puts.name(),
            PARAMETERS.restore.name(),
        ],
        holds: |values| lacks(values, Step::writes),
        because: "the mix has no put",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.replay_speed.name()],
        holds: |values| PARAMETERS.replay.of(values) == Some(None),
        because: "no log is replayed",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.sync_deletes.name()],
        holds: |values| lacks(values, |step| step == Step::Delete),
        because: "the mix has no delete",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.zipf_theta.name()],
        holds: |values| PARAMETERS.popularity.is(values, Popularity::Uniform),
        because: "popularity is uniform",
    },
    WithoutEffect {
        parameters: &[
            PARAMETERS.size_distribution.name(),
            PARAMETERS.size_sigma.name(),
            PARAMETERS.size_table.name(),
            PARAMETERS.range_size.name(),
            PARAMETERS.popularity.name(),
            PARAMETERS.zipf_theta.name(),
            PARAMETERS.writers.name(),
        ],
        holds: |values| PARAMETERS.replay.of(values).flatten().is_some(),
        because: "replay has the operations",
    },
    WithoutEffect {
        parameters: &[PARAMETERS.log_format.name()],
        holds: |values| PARAMETERS.log_operations.is(values, 0),
        because: "log_operations is 0",
    },
];

const ABSENT: &[Absent] = &[Absent {
    parameters: &[
        PARAMETERS.io.name(),
        PARAMETERS.read_size.name(),
        PARAMETERS.sync_puts.name(),
        PARAMETERS.rename_puts.name(),
        PARAMETERS.sync_deletes.name(),
        PARAMETERS.cache.name(),
    ],
    holds: |values| PARAMETERS.target.of(values).flatten().is_some(),
    because: "an object store has no local page cache and no files",
}];

/// Every parameter of the object workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS],
    placement: &[EVERY_TRIAL.filesystem.name()],
    sizes: &[PARAMETERS.objects.name(), PARAMETERS.object_size.name(), PARAMETERS.kept_objects.name()],
    without_effect: WITHOUT_EFFECT,
    absent: ABSENT,
};
