//! A study without what this machine lacks: engines that this build has not, settings that the server's version has
//! not. They are levels like others, and the study asks about those that remain.

use crate::failure::Failure;
use crate::output::tell;
use crate::possible::{Left, left};
use crate::servers::is_driven;
use engine::EngineKind;
use lab::plan::{Overrides, resolve};
use model::plan::StudyPlan;
use model::settings::Settings;
use model::study::Study;
use model::{Configuration, Schema};
use settings::Version;
use std::cell::OnceCell;

/// The plan of a study. Levels whose engine is not built in, or whose settings this version of PostgreSQL lacks, are
/// left out and reported, if levels and asks remain without them.
pub(crate) fn without_absent(
    study: &Study,
    schema: &'static Schema,
    overrides: &Overrides,
    server: impl Fn() -> Option<Version>,
) -> Result<StudyPlan, Failure> {
    // Its programs are asked once, and only for a study that sets something.
    let known = OnceCell::new();
    let lacking = |values: &Configuration| lacking(values, || known.get_or_init(&server).as_ref());
    let (plan, left_out) =
        without(study, schema, overrides, |values| absent_engine(values).or_else(|| lacking(values)))?;
    for lost in &left_out {
        tell(format!("left out of {}: {lost}", study.name));
    }
    match plan.configurations.iter().find_map(lacking) {
        Some(why) => Err(Failure::Usage(why)),
        None => Ok(plan),
    }
}

fn absent_engine(values: &Configuration) -> Option<String> {
    let kind = EngineKind::from_name(&values.text("engine").ok()?)?;
    kind.levels().err().map(|why| why.to_string())
}

/// The first setting of a configuration that a version of PostgreSQL lacks. A server does not start with it.
fn lacking<'a>(values: &Configuration, server: impl Fn() -> Option<&'a Version>) -> Option<String> {
    let settings = Settings::parse(&values.text("settings").ok()?).ok().filter(|_| is_driven(values))?;
    settings.iter().find_map(|(name, _)| {
        let (versions, server) = advice::versions("postgresql", name).zip(server())?;
        (!versions.has(server)).then(|| versions.lacking(name, "PostgreSQL", server))
    })
}

/// The plan without what has a reason to be absent, and what was left out.
fn without(
    study: &Study,
    schema: &'static Schema,
    overrides: &Overrides,
    absent: impl Fn(&Configuration) -> Option<String>,
) -> Result<(StudyPlan, Vec<String>), Failure> {
    let whole = resolve(study, schema, overrides).map_err(|error| Failure::usage(error.what))?;
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

    /// `run postgresql-reads --pg-bin` with the programs of 15 had arms with `io_method`, whose servers did not start.
    #[test]
    fn a_setting_that_the_version_lacks_is_left_out_or_refused() {
        let study = studies::find("postgresql-reads").unwrap();
        let plan = |settings: &[&str], server: &str| {
            let levels = settings.iter().map(|level| (*level).to_owned()).collect();
            let overrides = Overrides { vary: vec![("settings".to_owned(), levels)], ..Overrides::default() };
            let server: Version = server.parse().unwrap();
            without_absent(&study, workload::schema("transactions").unwrap(), &overrides, || {
                Some(server.clone())
            })
        };
        let levels = |plan: &StudyPlan| -> Vec<String> {
            plan.factor("settings").unwrap().levels.iter().map(ToString::to_string).collect()
        };
        let all = ["none", "io_method = sync", "effective_io_concurrency = 64"];
        assert_eq!(levels(&plan(&all, "18.1").unwrap()), all);
        let old = plan(&all, "15.18").unwrap();
        assert_eq!(levels(&old), ["none", "effective_io_concurrency = 64"]);
        assert_eq!(
            old.excluded,
            ["settings=io_method = sync: io_method: PostgreSQL 18 and later, and the server is 15.18"]
        );
        let Err(Failure::Usage(why)) = plan(&all[..2], "15.18") else { panic!("nothing is left to compare") };
        insta::assert_snapshot!(why, @"io_method: PostgreSQL 18 and later, and the server is 15.18");
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
