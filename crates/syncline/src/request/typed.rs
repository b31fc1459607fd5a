//! What the command line changes in studies that it does not name: each takes the parameters that it has.

use super::Request;
use crate::failure::Failure;
use lab::plan::Overrides;
use model::{Schema, suggestion};
use std::collections::BTreeSet;

impl Request<'_> {
    /// A parameter that none of the studies has is a mistake, and so is a level that a study does not know.
    pub(super) fn require_known(&self) -> Result<(), Failure> {
        let schemas: Vec<(&str, &Schema)> = self
            .studies
            .iter()
            .map(|study| Ok((study.name.as_str(), workload::schema(&study.workload)?)))
            .collect::<Result<_, String>>()
            .map_err(Failure::usage)?;
        for (name, levels) in typed(self.overrides) {
            let having =
                schemas.iter().filter_map(|(study, schema)| Some((study, schema.parameter(name).ok()?)));
            let having: Vec<_> = having.collect();
            if having.is_empty() {
                let known: BTreeSet<&str> =
                    schemas.iter().flat_map(|(_, schema)| schema.all()).map(|known| known.name).collect();
                return Err(Failure::Usage(suggestion::unknown("parameter", name, known)));
            }
            for (study, parameter) in having {
                for level in levels {
                    parameter.parse(level).map_err(|why| Failure::Usage(why).of_study(study))?;
                }
            }
        }
        Ok(())
    }

    /// What the command line changes in one of the studies. A study that it names has to have every parameter.
    pub(super) fn overrides_of(&self, schema: &Schema) -> Overrides {
        let mut overrides = self.overrides.clone();
        if self.what_is_possible {
            overrides.vary.retain(|(name, _)| schema.parameter(name).is_ok());
            overrides.fix.retain(|(name, _)| schema.parameter(name).is_ok());
        }
        overrides
    }
}

/// The parameters that are varied or fixed, with their levels.
fn typed(overrides: &Overrides) -> impl Iterator<Item = (&str, &[String])> {
    let varied = overrides.vary.iter().map(|(name, levels)| (name.as_str(), levels.as_slice()));
    varied.chain(overrides.fix.iter().map(|(name, level)| (name.as_str(), std::slice::from_ref(level))))
}
