//! What the command line changes in studies that it does not name: each takes the parameters that it has.

use super::Request;
use crate::failure::Failure;
use lab::plan::Overrides;
use model::study::{ARM_FACTOR, Study};
use model::{Schema, suggestion};
use std::collections::BTreeSet;

impl Request<'_> {
    /// A parameter that none of the studies has is a mistake, and so is a level that a study does not know. A study
    /// that the command line names is checked with its plan.
    pub(super) fn require_known(&self) -> Result<(), Failure> {
        if !self.what_is_possible {
            return Ok(());
        }
        let schema = |study: &Study| workload::schema(&study.workload).map_err(Failure::usage);
        let schemas: Vec<&Schema> = self.studies.iter().map(schema).collect::<Result<_, _>>()?;
        for (name, levels) in typed(self.overrides) {
            if !self.studies.iter().zip(&schemas).any(|(study, schema)| has(study, schema, name)) {
                let known: BTreeSet<&str> =
                    schemas.iter().flat_map(|schema| schema.all()).map(|known| known.name).collect();
                return Err(Failure::Usage(suggestion::unknown("parameter", name, known)));
            }
            for (study, schema) in self.studies.iter().zip(&schemas) {
                let Ok(parameter) = schema.parameter(name) else { continue };
                for level in levels {
                    parameter.parse(level).map_err(|why| Failure::Usage(why).of_study(&study.name))?;
                }
            }
        }
        Ok(())
    }

    /// What the command line changes in one of the studies. A study that it names has to have every parameter.
    pub(super) fn overrides_of(&self, study: &Study, schema: &Schema) -> Overrides {
        let mut overrides = self.overrides.clone();
        if self.what_is_possible {
            overrides.vary.retain(|(name, _)| has(study, schema, name));
            overrides.fix.retain(|(name, _)| has(study, schema, name));
        }
        overrides
    }
}

/// Whether a study has this parameter, or arms.
fn has(study: &Study, schema: &Schema, name: &str) -> bool {
    schema.parameter(name).is_ok() || (name == ARM_FACTOR && !study.arms.is_empty())
}

/// The parameters that are varied or fixed, with their levels.
fn typed(overrides: &Overrides) -> impl Iterator<Item = (&str, &[String])> {
    let varied = overrides.vary.iter().map(|(name, levels)| (name.as_str(), levels.as_slice()));
    varied.chain(overrides.fix.iter().map(|(name, level)| (name.as_str(), std::slice::from_ref(level))))
}
