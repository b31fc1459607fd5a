//! A study without the engines that this build lacks: they are levels like others, and the study asks about those that remain.

use crate::failure::Failure;
use crate::output::tell;
use crate::possible::{Left, left};
use engine::EngineKind;
use lab::plan::{Overrides, resolve};
use model::plan::StudyPlan;
use model::study::Study;
use model::{Configuration, Schema};

/// The plan of a study. Levels whose engine is not built in are left out and reported, if levels and asks remain without them.
pub(crate) fn without_absent_engines(
    study: &Study,
    schema: &'static Schema,
    overrides: &Overrides,
) -> Result<StudyPlan, Failure> {
    let (plan, left_out) = without(study, schema, overrides, |values| {
        let named = values.text("engine").ok().as_deref().and_then(EngineKind::from_name);
        named.and_then(|kind| kind.levels().err()).map(|why| why.to_string())
    })?;
    for lost in &left_out {
        tell(format!("left out of {}: {lost}", study.name));
    }
    Ok(plan)
}

/// The plan without what has a reason to be absent, and what was left out.
fn without(
    study: &Study,
    schema: &'static Schema,
    overrides: &Overrides,
    absent: impl Fn(&Configuration) -> Option<String>,
) -> Result<(StudyPlan, Vec<String>), Failure> {
    let whole = resolve(study, schema, overrides).map_err(Failure::usage)?;
    let (Left::Less(narrowed), Some(why)) =
        (left(&whole, |values| absent(values).is_some()), whole.configurations.iter().find_map(&absent))
    else {
        return Ok((whole, Vec::new()));
    };
    let mut overrides = overrides.clone();
    overrides.vary.extend(narrowed.iter().map(|of| (of.factor.clone(), of.kept.clone())));
    let Ok(mut plan) = resolve(study, schema, &overrides) else { return Ok((whole, Vec::new())) };
    if plan.asks.is_empty() {
        // Nothing would be compared: the others are recorded as unsupported.
        return Ok((whole, Vec::new()));
    }
    let left_out: Vec<String> =
        narrowed.iter().map(|of| format!("{}={}: {why}", of.factor, of.lost.join(","))).collect();
    plan.excluded.extend(left_out.clone());
    Ok((plan, left_out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies;

    /// The tests are built with every engine: one that is absent is made up.
    fn kv(vary: &[&str]) -> (StudyPlan, Vec<String>) {
        let study = studies::find("kv").unwrap();
        let vary = vary.iter().map(|level| (*level).to_owned()).collect();
        let overrides = Overrides { vary: vec![("engine".to_owned(), vary)], ..Overrides::default() };
        let absent =
            |values: &Configuration| values.is("engine", "rocksdb").then(|| "not built in".to_owned());
        without(&study, workload::schema("kv").unwrap(), &overrides, absent).unwrap()
    }

    fn engines(plan: &StudyPlan) -> Vec<String> {
        plan.factor("engine").unwrap().levels.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_engine_that_is_absent_is_left_out_and_reported() {
        let (plan, left_out) = kv(&["store", "rocksdb", "lmdb"]);
        assert_eq!(engines(&plan), ["store", "lmdb"]);
        assert_eq!(left_out, ["engine=rocksdb: not built in"]);
        assert!(plan.excluded.contains(&left_out[0]) && !plan.asks.is_empty(), "{plan:?}");
    }

    #[test]
    fn where_nothing_would_be_left_to_compare_the_plan_is_whole() {
        for engines in [&["rocksdb"][..], &["store", "lmdb"]] {
            let (plan, left_out) = kv(engines);
            assert_eq!(self::engines(&plan), engines);
            assert!(left_out.is_empty(), "{left_out:?}");
        }
    }
}
