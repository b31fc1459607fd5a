//! What the trials of each configuration declare that an acknowledged write survives.

use crate::observations::Observations;
use model::durability::DurabilityClass;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// Durability classes by configuration; more than one if its trials disagree.
pub(crate) type Classes = BTreeMap<usize, Vec<DurabilityClass>>;

/// The classes that the trials of each configuration declare.
pub(crate) fn classes(observations: &Observations<'_>) -> Classes {
    let mut classes = Classes::new();
    for record in observations.analysed() {
        if let Some(measurement) = &record.measurement {
            let found = classes.entry(record.key.configuration).or_default();
            if !found.contains(&measurement.durability) {
                found.push(measurement.durability);
                found.sort_unstable();
            }
        }
    }
    classes
}

/// The classes of two arms if they differ: the baseline's and the other's.
pub(crate) fn difference(
    classes: &Classes,
    baseline: impl Iterator<Item = usize>,
    level: impl Iterator<Item = usize>,
) -> Option<(Vec<DurabilityClass>, Vec<DurabilityClass>)> {
    let (baseline, level) = (weakest_first(classes, baseline), weakest_first(classes, level));
    (!baseline.is_empty() && !level.is_empty() && baseline != level).then_some((baseline, level))
}

/// The classes of these configurations, weakest first, each once.
pub(crate) fn weakest_first(
    classes: &Classes,
    configurations: impl Iterator<Item = usize>,
) -> Vec<DurabilityClass> {
    let mut found: Vec<DurabilityClass> =
        configurations.filter_map(|index| classes.get(&index)).flatten().copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// What the trials of a configuration declare that an acknowledged write survives: several classes if they disagree,
/// none if no trial succeeded. Weakest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declared(Vec<DurabilityClass>);

impl Declared {
    /// These classes, each once.
    pub fn new(classes: &[DurabilityClass]) -> Self {
        let mut classes = classes.to_vec();
        classes.sort_unstable();
        classes.dedup();
        Self(classes)
    }

    /// Whether all trials declare this class.
    pub fn is(&self, class: DurabilityClass) -> bool {
        self.0 == [class]
    }

    /// Whether no trial succeeded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// `process and power`.
impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&names(&self.0))
    }
}

impl Serialize for Declared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Classes in words: `process and power`.
pub(crate) fn names(classes: &[DurabilityClass]) -> String {
    let names: Vec<String> = Declared::new(classes).0.iter().map(ToString::to_string).collect();
    names.join(" and ")
}
