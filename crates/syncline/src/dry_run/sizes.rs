//! The parameters that the room of a study follows from, with the values that it has.

use model::plan::StudyPlan;
use serde::Serialize;
use std::collections::BTreeMap;

/// Parameters with their values, each once, in the order of the configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Sizes(BTreeMap<String, Vec<String>>);

impl Sizes {
    pub(crate) fn of(plan: &StudyPlan) -> Self {
        let mut sizes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (description, values) in plan.descriptions.iter().zip(&plan.configurations) {
            for name in &description.room.sizes {
                let Some(value) = values.get(name).map(ToString::to_string) else { continue };
                let known = sizes.entry(name.clone()).or_default();
                if !known.contains(&value) {
                    known.push(value);
                }
            }
        }
        Self(sizes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `keys = 1000 | 100000, value_size = 400`.
    pub(crate) fn text(&self) -> String {
        let sizes = self.0.iter().map(|(name, values)| format!("{name} = {}", values.join(" | ")));
        sizes.collect::<Vec<_>>().join(", ")
    }
}
