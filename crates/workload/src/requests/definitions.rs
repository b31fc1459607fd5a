//! What some of the requests workload's parameters decide.

use super::parameters::{PARAMETERS, Parameters, WORKLOAD};
use model::{Definitions, EVERY_TRIAL};

/// Every parameter of the requests workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: WORKLOAD,
    parameters: &[Parameters::DEFINITIONS],
    placement: &[EVERY_TRIAL.filesystem.name()],
    sizes: &[PARAMETERS.rows.name()],
    without_effect: &[],
    absent: &[],
};
