//! A study without what the machine lacks: levels that need it are left out, and the study is skipped if nothing is
//! left to ask.

use super::Request;
use crate::datasets;
use crate::failure::Failure;
use crate::output::tell;
use crate::possible::{Left, left};
use crate::requirements::Lack;
use crate::servers;
use model::plan::{Skipped, StudyPlan};
use model::study::Study;

impl Request<'_> {
    /// The plan of a study with what is left of it.
    pub(super) fn without(&self, study: &Study, lacks: &[Lack]) -> Result<StudyPlan, Failure> {
        let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
        let mut overrides = self.overrides_of(study, schema);
        let mut left_out = Vec::new();
        if self.what_is_possible {
            left_out.extend(datasets::narrow_readers(study, schema, &mut overrides)?);
        }
        let mut plan = self.permitted(study, &overrides)?;
        for Lack { what, why, is_needed } in lacks {
            let needed = || Failure::Runtime(format!("it needs {what}: {why}"));
            let narrowed = match left(&plan, |values| is_needed(schema, values)) {
                Left::Everything => continue,
                Left::Less(narrowed) => narrowed,
                Left::Nothing => return Err(needed()),
            };
            overrides.vary.extend(narrowed.iter().map(|of| (of.factor.clone(), of.kept.clone())));
            plan = self.permitted(study, &overrides)?;
            if plan.asks.is_empty() {
                return Err(needed());
            }
            let lost =
                narrowed.iter().map(|of| format!("{}={}: {what}: {why}", of.factor, of.lost.join(",")));
            left_out.extend(lost);
        }
        for not_there in lab::plan::not_there(study, schema, &overrides) {
            tell(format!("left out of {}: {}", study.name, not_there.text()));
        }
        for lost in &left_out {
            tell(format!("left out of {}: {lost}", study.name));
        }
        plan.excluded.extend(left_out);
        Ok(plan)
    }

    /// Plans again what drives a server, after none was found.
    pub(super) fn without_server(
        &self,
        plans: Vec<StudyPlan>,
        lacks: &[Lack],
        skipped: &mut Vec<Skipped>,
    ) -> Result<Vec<StudyPlan>, Failure> {
        let mut kept = Vec::new();
        for plan in plans {
            let study = self.studies.iter().find(|study| study.name == plan.name);
            let study = study.filter(|_| plan.configurations.iter().any(servers::is_driven));
            match study {
                Some(study) => kept.extend(self.or_skip(&study.name, self.without(study, lacks), skipped)?),
                None => kept.push(plan),
            }
        }
        Ok(kept)
    }
}
