//! What some of the kv workload's parameters decide.

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
    without_effect: &[WithoutEffect {
        parameters: &[PARAMETERS.zipf_theta.name()],
        holds: |values| PARAMETERS.popularity.is(values, Popularity::Uniform),
        because: "popularity is uniform",
    }],
    absent: &[],
};
