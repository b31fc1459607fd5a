//! A study file, and the plan that follows from it.

use super::refusal::says_something;
use lab::plan::{Overrides, resolve};
use model::study::Study;

pub(super) fn study(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let study = match Study::parse("study", text) {
        Ok(study) => study,
        Err(error) => {
            let said = error.to_string();
            assert!(said.starts_with("study study: ") && !said.contains('\n'), "{said}");
            return;
        }
    };
    let Ok(schema) = workload::schema(&study.workload) else { return };
    let profiles = study.profiles.keys().cloned().map(Some).chain([None]);
    for profile in profiles {
        match resolve(&study, schema, &Overrides { profile, ..Overrides::default() }) {
            Ok(plan) => assert!(plan.duplicate < plan.configurations.len(), "{plan:?}"),
            Err(error) => says_something(error),
        }
    }
}
