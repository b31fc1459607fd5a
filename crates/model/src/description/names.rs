//! Parameters by name: what is shown to a person, and what tells two arms apart.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parameters by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Names {
    /// Parameters that change how files are laid out: whole-plot factors.
    pub placement: Vec<String>,
    /// The parameter that decides how the file that is written lies on the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout_parameter: Option<String>,
    /// Parameters that together say what an arm is, if arms are named: arms that differ in anything else do by mistake.
    pub arm_parameters: Vec<String>,
    /// A parameter that sets several others at once: its name, then theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets_several: Option<(String, Vec<String>)>,
    /// Parameters that the plan lacks because it is older, with what their value was: clauses.
    pub unrecorded: BTreeMap<String, String>,
}
