//! The built-in studies, and studies read from files.

use crate::failure::Failure;
use crate::input_file;
use advice::Source;
use model::printable;
use model::study::Study;
use model::suggestion;
use std::path::Path;
use std::time::Duration;

/// Name and text of every file in `studies/`.
const BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/studies.rs"));

/// The studies of the answer, in the order of their first looks: first the one whose figures depend on the burst
/// credits of a volume, which the others spend; then the most common questions.
pub(crate) const ANSWER: &[&str] = &[
    "page-cost",
    "commit-modes",
    "wal-layout",
    "committers",
    "depth",
    "device",
    "commit",
    "append",
    "kv",
    "memory",
    "pool",
];
/// Time for the answer.
const ANSWER_BUDGET: Duration = Duration::from_mins(3);
/// Time for the studies of one database's settings: these are fewer, and more of their answers are close.
const DATABASE_BUDGET: Duration = Duration::from_mins(5);
/// The profile of that name, and what a run of all of them is called.
pub(crate) const ANSWER_PROFILE: &str = "answer";
/// Traced trials of a configuration if its run is explained: enough to see how far they differ.
pub(crate) const TRACED_TRIALS: u32 = 3;

/// The studies of `syncline check`, commits first.
pub(crate) const CHECK: [&str; 2] = [CHECK_COMMITS, "depth"];
/// The study that `check` takes its commits from.
pub(crate) const CHECK_COMMITS: &str = "commit-modes";
/// The profile of that name.
pub(crate) const CHECK_PROFILE: &str = "check";

/// The studies of a probe of `syncline watch`: commits and random reads.
pub(crate) const WATCH: [&str; 2] = ["commit-modes", "depth"];
/// The profile of that name.
pub(crate) const WATCH_PROFILE: &str = "watch";

/// The studies of `syncline preflight`: commits and random reads.
pub(crate) const PREFLIGHT: [&str; 2] = ["commit-modes", "depth"];
/// The profile of that name.
pub(crate) const PREFLIGHT_PROFILE: &str = "preflight";

/// Study files are written by hand.
const BYTES_MAX: u64 = 1 << 20;

/// Every built-in study, in name order.
pub(crate) fn all() -> Result<Vec<Study>, Failure> {
    BUILT_IN.iter().map(|(name, text)| Study::parse(name, text).map_err(Failure::usage)).collect()
}

/// A built-in study by name, or a study file: whatever ends in `.toml`.
pub(crate) fn find(name: &str) -> Result<Study, Failure> {
    if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        let cannot = |why: String| Failure::Usage(format!("{name}: cannot read the study file: {why}"));
        let bytes =
            input_file::read(Path::new(name), BYTES_MAX).map_err(|error| cannot(error.to_string()))?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(cannot("it has more than 1 MiB".to_owned()));
        }
        let text = String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8".to_owned()))?;
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        return Study::parse(&stem, &text).map_err(Failure::usage);
    }
    match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        Some((name, text)) => Study::parse(name, text).map_err(Failure::usage),
        None => Err(Failure::Usage(unknown(name))),
    }
}

/// Requires that Syncline knows a database of this name.
pub(crate) fn require_database(database: &str) -> Result<(), Failure> {
    if advice::databases().any(|known| known == database) {
        return Ok(());
    }
    Err(Failure::Usage(suggestion::unknown("database", database, advice::databases())))
}

/// The database that a name means, if it is not a study.
pub(crate) fn database_in_place_of_study(name: &str) -> Option<&'static str> {
    advice::database_known_as(name).filter(|_| BUILT_IN.iter().all(|(study, _)| *study != name))
}

/// Why a name is not a study, and what it may have been meant for.
fn unknown(name: &str) -> String {
    if let Some(database) = database_in_place_of_study(name) {
        return format!(
            "{database} is a database, not a study: syncline run --for {database} runs the studies of its settings"
        );
    }
    if Path::new(name).is_dir() {
        let shown = printable(name);
        return format!(
            "{shown} is a directory, not a study: syncline run --dir {shown} measures the disk below it"
        );
    }
    let names = BUILT_IN.iter().map(|(name, _)| *name);
    let listed: Vec<&str> = name.split(',').collect();
    if listed.len() > 1 && listed.iter().all(|one| names.clone().any(|known| known == *one)) {
        return format!("separate studies by blanks: {}", listed.join(" "));
    }
    suggestion::unknown("study", name, names)
}

/// The studies that the settings of a database rest on, each in its profile `answer` with the levels that the settings
/// need. A study that has no such profile runs in its usual one.
pub(crate) fn for_database(database: &str) -> Result<Vec<Study>, Failure> {
    require_database(database)?;
    let sources = advice::sources(database);
    let mut names: Vec<&str> = Vec::new();
    for source in &sources {
        if !names.contains(&source.study) {
            names.push(source.study);
        }
    }
    names.into_iter().map(|name| Ok(narrowed(find(name)?, &sources))).collect()
}

/// Time for these studies if the user sets none: for those of a database's settings, or for the answer, which is what a
/// user gets who names nothing.
pub(crate) fn usual_budget(named: &[String], database: Option<&str>) -> Option<Duration> {
    match (named, database) {
        (_, Some(_)) => Some(DATABASE_BUDGET),
        ([], None) => Some(ANSWER_BUDGET),
        ([..], None) => None,
    }
}

/// A study whose profile `answer` has the levels that these sources need: all levels of each factor that one of them
/// varies, and the profile's own if another source takes the study as it is.
fn narrowed(mut study: Study, sources: &[Source]) -> Study {
    const USUAL: &str = "quick";
    let usual = study.profiles.get(ANSWER_PROFILE).or(study.profiles.get(USUAL));
    let mut profile = usual.cloned().unwrap_or_default();
    let of_study: Vec<&Source> = sources.iter().filter(|source| source.study == study.name).collect();
    let is_whole = of_study.iter().any(|source| source.vary.is_empty());
    for (factor, levels) in of_study.iter().flat_map(|source| source.vary) {
        let own = profile.factors.iter().chain(&study.factors).find(|(name, _)| name == factor);
        let mut kept = own.filter(|_| is_whole).map_or_else(Vec::new, |(_, levels)| levels.clone());
        for level in *levels {
            if !kept.iter().any(|known| known == level) {
                kept.push((*level).to_owned());
            }
        }
        profile.factors.retain(|(name, _)| name != factor);
        profile.factors.push(((*factor).to_owned(), kept));
    }
    study.profiles.insert(ANSWER_PROFILE.to_owned(), profile);
    study
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric;

    /// Asks that are about a share or a ratio themselves: the pool that is large enough is the one that keeps every
    /// page, what a page write costs in reads is a ratio of two costs, and an accelerator is paid for by the hour, so a
    /// loader is as good as the share of the time in which it works.
    const ASKED_ITSELF: &[&str] =
        &["second_read_hit_share", "page_write_read_ratio", "accelerator_utilization"];

    /// The answer of wal-layout began with "device flushes per commit is the same" where commits/s was 0.584 ×.
    #[test]
    fn every_built_in_answer_begins_with_what_the_user_pays() {
        for study in all().unwrap() {
            for ask in &study.asks {
                let place = format!("{}: {:?} {}", study.name, ask.kind, ask.factor);
                let first = ask.on.first().unwrap();
                if ASKED_ITSELF.contains(&first.as_str()) {
                    continue;
                }
                let paid: Vec<bool> =
                    ask.on.iter().map(|name| metric::find(name).unwrap().is_paid()).collect();
                assert!(paid[0], "{place} begins with {first}");
                assert!(paid.is_sorted_by(|a, b| a >= b), "{place}: what explains comes after what is paid");
            }
        }
    }

    /// `commit --profile seed` had three rounds and no interval, `pool --profile seed` nothing to find a headroom by.
    #[test]
    fn every_seed_has_its_intervals_within_the_time_that_it_states() {
        for study in all().unwrap().iter().filter(|study| study.profiles.contains_key("seed")) {
            let turns = [model::plan::Turns::Off, model::plan::Turns::Auto];
            for turns in turns {
                let profile = Some("seed".to_owned());
                let overrides = lab::plan::Overrides { profile, turns, ..lab::plan::Overrides::default() };
                let schema = workload::schema(&study.workload).unwrap();
                let plan = lab::plan::resolve(study, schema, &overrides).unwrap();
                let planned = lab::minimum::planned(&plan);
                let stated_s =
                    planned.seconds_stated.unwrap_or_else(|| panic!("{} states no time", study.name));
                assert!(plan.rounds >= 6, "{}: {} rounds", study.name, plan.rounds);
                assert!(planned.seconds_max <= stated_s, "{}: {planned:?}", study.name);
                for ask in study.asks.iter().filter(|ask| ask.kind == model::study::AskKind::Threshold) {
                    let levels = plan.factor(&ask.factor).unwrap().levels.iter();
                    let measured = |level: &model::Value| {
                        plan.configurations.iter().any(|values| values.get(&ask.factor) == Some(level))
                    };
                    assert!(
                        levels.filter(|level| measured(level)).count() > 1,
                        "{}: {}",
                        study.name,
                        ask.factor
                    );
                }
            }
        }
    }

    /// "5.4 times RocksDB" compared eight threads, a mapped log and larger write buffers.
    #[test]
    fn the_row_beside_hedge_is_like_for_like() {
        let profile = Some("alike".to_owned());
        let overrides = lab::plan::Overrides { profile, ..lab::plan::Overrides::default() };
        let study = find("kv").unwrap();
        let plan = lab::plan::resolve(&study, workload::schema("kv").unwrap(), &overrides).unwrap();
        let uses = plan.descriptions.iter().filter_map(|description| description.engine_use.as_ref());
        let known = |used: &model::description::EngineUse| {
            (used.reads_in_flight, used.cache_bytes, used.log.unwrap(), used.write_memory_bytes.unwrap())
        };
        let mut distinct: Vec<_> = uses.clone().map(known).collect();
        distinct.dedup();
        assert_eq!(distinct.len(), 1, "{distinct:?}");
        assert_eq!(uses.map(|used| &used.engine).collect::<std::collections::BTreeSet<_>>().len(), 2);
    }

    #[test]
    fn hedge_compares_the_like_for_like_rows_with_each_other() {
        let profile = Some("hedge".to_owned());
        let overrides = lab::plan::Overrides { profile, ..lab::plan::Overrides::default() };
        let study = find("kv").unwrap();
        let plan = lab::plan::resolve(&study, workload::schema("kv").unwrap(), &overrides).unwrap();
        assert!(plan.asks.iter().any(|ask| ask.at.get("arm").is_some_and(|arm| arm == "store_like_rocksdb")));
        let two = model::Value::Count(2);
        let alike = plan.configurations.iter().filter(|values| values.get("threads") == Some(&two));
        let arms: Vec<String> = alike.map(|values| values.get("arm").unwrap().to_string()).collect();
        assert_eq!(arms, ["store_like_rocksdb", "rocksdb"]);
        assert_eq!(plan.configurations.len(), 7);
    }

    #[test]
    fn studies_are_listed_by_name() {
        let names: Vec<String> = all().unwrap().into_iter().map(|study| study.name).collect();
        assert!(names.is_sorted(), "{names:?}");
    }

    /// A setting of a database that no study of its own run measured would be unknown after every run for it.
    #[test]
    fn every_setting_of_a_database_has_its_study() {
        for database in advice::databases() {
            let studies = for_database(database).unwrap();
            for source in advice::sources(database) {
                let study = studies.iter().find(|study| study.name == source.study).unwrap();
                let profile = &study.profiles[ANSWER_PROFILE];
                for (factor, levels) in source.vary {
                    let (_, kept) = profile.factors.iter().find(|(name, _)| name == factor).unwrap();
                    assert!(levels.iter().all(|level| kept.iter().any(|known| known == level)), "{source}");
                }
                let overrides = lab::plan::Overrides {
                    profile: Some(ANSWER_PROFILE.to_owned()),
                    ..lab::plan::Overrides::default()
                };
                let schema = workload::schema(&study.workload).unwrap();
                let plan = lab::plan::resolve(study, schema, &overrides).unwrap();
                assert!(plan.configurations.len() > 1, "{source}");
                let minutes = lab::estimate::estimate(&plan).measuring_s_min / 60.0;
                assert!(minutes <= f64::from(source.minutes), "{source}: {minutes} min");
            }
        }
        let refused = ["postgres", "oracle"].map(|name| for_database(name).unwrap_err().to_string());
        insta::assert_snapshot!(refused.join("\n"), @r#"
        syncline: unknown database "postgres"; did you mean "postgresql"?
        syncline: unknown database "oracle"; there are: postgresql, rocksdb, mysql, mariadb, sqlite, etcd, data-loader, linux
        "#);
    }
}
